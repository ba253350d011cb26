//! The options of `norn split`, `norn work` and `norn gather`, and of `norn check --on`.

use crate::args::{CArgs, CheckArgs, CheckedArgs, Engine, LimitArgs, ModelArgs, RoundsArgs, Unwind, unwind_bound};
use crate::files::FileArgs;
use clap::Args;
use norn_tiles::piece::MOST_TILES;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub struct SplitArgs {
    #[command(flatten)]
    pub c: CArgs,

    #[command(flatten)]
    pub models: ModelArgs,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// Only what a property file of SV-COMP asks
    #[arg(long, value_name = "FILE.prp", help_heading = "Properties", conflicts_with_all = ["only_assertions", "memory_safety", "deadlock", "data_race", "overflow", "termination", "memory_leak"])]
    pub property: Option<PathBuf>,

    /// How to search; only `rounds` can be cut
    #[arg(short = 'e', long, value_enum, default_value_t = Engine::Rounds)]
    pub engine: Engine,

    /// Follow each loop at most N times per entry, and recursion N deep; FILE:LINE=N for one loop. Wanted for all loops
    #[arg(long, value_name = "[FILE:LINE=]N", value_parser = unwind_bound)]
    pub unwind: Vec<Unwind>,

    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// Pieces; there are fewer if the program has not so many schedules
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TILES)))]
    pub tiles: u32,

    /// The folder for the pieces, without others in it; it is made if it is not there
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: PathBuf,

    /// Write `job.yaml` beside them, a Kubernetes Job with an index for each piece
    #[arg(long)]
    pub kubernetes: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Args, Debug)]
pub struct WorkArgs {
    /// The folder that `norn split` wrote, or a copy of it with one piece
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// The number of the piece, from 0
    #[arg(value_name = "K")]
    pub tile: u32,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Answer anew, also if there is an answer
    #[arg(long)]
    pub again: bool,
}

#[derive(Args, Debug)]
pub struct GatherArgs {
    /// The folder with pieces and answers
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Leave out the random executions that come before a safe verdict is printed; for benchmarks
    #[arg(long)]
    pub no_attack: bool,

    /// Show counterexamples as they were found, without looking for a shorter story
    #[arg(long)]
    pub no_explain: bool,

    /// Write the verdict and the counterexample as JSON
    #[arg(long)]
    pub json: bool,

    /// Print figures and times, on standard error
    #[arg(long)]
    pub stats: bool,

    /// Write the schedule of the counterexample to a file, for `norn run --schedule`
    #[arg(long, value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,

    #[command(flatten)]
    pub files: FileArgs,
}

/// Where pieces are worked on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Slurm { partition: Option<String> },
    Parallel { hosts: PathBuf },
    Local,
}

pub fn place(text: &str) -> Result<Place, String> {
    match text.split_once(':') {
        None if text == "slurm" => Ok(Place::Slurm { partition: None }),
        None if text == "local" => Ok(Place::Local),
        Some(("slurm", partition)) if !partition.is_empty() => {
            Ok(Place::Slurm { partition: Some(partition.to_owned()) })
        }
        Some(("parallel", hosts)) if !hosts.is_empty() => Ok(Place::Parallel { hosts: hosts.into() }),
        _ => Err("there are slurm, slurm:PARTITION, parallel:HOSTFILE and local".to_owned()),
    }
}

/// Of `norn check`: the question in pieces, on many machines.
#[derive(Args, Debug)]
pub struct ElsewhereArgs {
    /// Cut the question into pieces and have them answered by a cluster: slurm, slurm:PARTITION, parallel:HOSTFILE (GNU parallel over ssh),
    /// or by processes here: local. The time and memory limits are those of each piece
    #[arg(long, value_name = "WHERE", value_parser = place, requires = "tiles", help_heading = "Pieces",
        conflicts_with_all = ["backend", "cross_check", "shortest", "certify", "require_proof", "witness"])]
    pub on: Option<Place>,

    /// Pieces (see `norn split`)
    #[arg(long, value_name = "N", requires = "on", help_heading = "Pieces", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_TILES)))]
    pub tiles: Option<u32>,

    /// The folder for pieces and answers, which all machines see under this name. Pieces of the same question that are there are
    /// used, and answers are kept [default: a new one in this folder, that goes when there is a verdict]
    #[arg(long, value_name = "DIR", requires = "on", help_heading = "Pieces")]
    pub tiles_dir: Option<PathBuf>,
}

/// What is to be cut, whichever command asks.
pub struct Cut<'a> {
    pub models: &'a ModelArgs,
    pub checks: &'a CheckedArgs,
    pub property: Option<&'a Path>,
    pub engine: Engine,
    pub unwind: &'a [Unwind],
    pub rounds: &'a RoundsArgs,
    pub limits: &'a LimitArgs,
    pub tiles: u32,
}

impl SplitArgs {
    pub fn cut(&self) -> Cut<'_> {
        Cut {
            models: &self.models,
            checks: &self.checks,
            property: self.property.as_deref(),
            engine: self.engine,
            unwind: &self.unwind,
            rounds: &self.rounds,
            limits: &self.limits,
            tiles: self.tiles,
        }
    }
}

impl CheckArgs {
    /// What is to be cut, if anything is.
    pub fn cut(&self) -> Option<(Cut<'_>, &Place)> {
        let (place, tiles) = (self.elsewhere.on.as_ref()?, self.elsewhere.tiles?);
        let cut = Cut {
            models: &self.models,
            checks: &self.checks,
            property: self.property.as_deref(),
            // Who is not asked for an engine has that which can be cut.
            engine: if self.engine == Engine::Auto { Engine::Rounds } else { self.engine },
            unwind: &self.unwind,
            rounds: &self.rounds,
            limits: &self.limits,
            tiles,
        };
        Some((cut, place))
    }
}

/// How a verdict is told.
pub struct Told<'a> {
    pub limits: &'a LimitArgs,
    pub no_attack: bool,
    pub no_explain: bool,
    pub json: bool,
    pub stats: bool,
    pub schedule_out: Option<&'a Path>,
    pub files: &'a FileArgs,
}

impl GatherArgs {
    pub fn told(&self) -> Told<'_> {
        Told {
            limits: &self.limits,
            no_attack: self.no_attack,
            no_explain: self.no_explain,
            json: self.json,
            stats: self.stats,
            schedule_out: self.schedule_out.as_deref(),
            files: &self.files,
        }
    }
}

impl CheckArgs {
    pub fn told(&self) -> Told<'_> {
        Told {
            limits: &self.limits,
            no_attack: self.no_attack,
            no_explain: self.no_explain,
            json: self.json,
            stats: self.stats,
            schedule_out: self.schedule_out.as_deref(),
            files: &self.files,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names() {
        assert_eq!(place("slurm"), Ok(Place::Slurm { partition: None }));
        assert_eq!(place("slurm:a:b"), Ok(Place::Slurm { partition: Some("a:b".to_owned()) }));
        assert_eq!(place("parallel:hosts"), Ok(Place::Parallel { hosts: "hosts".into() }));
        assert_eq!(place("local"), Ok(Place::Local));
        for wrong in ["", "slurm:", "parallel", "parallel:", "local:x", "pbs", ":"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}

//! The machine that this runs on against Norn: small programs (in `xtask/hardware`), compiled by a C compiler and run many
//! times, must only show outcomes that Norn computes for TSO. This checks what no engine can check for another,
//! because all share it: lowering, the models of the library, escape analysis.
//!
//! Only x86 keeps to TSO; elsewhere there is nothing to compare.

use crate::corpus;
use crate::norn::root;
use norn_c::driver::{self, Input};
use norn_c::session::Options;
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_machine::enumerate::{Question, states};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

pub const DEFAULT_RUNS: u64 = 100_000;

/// On a busy machine the threads of a program wait long for a processor: then there are fewer runs.
const SECONDS_PER_PROGRAM: u64 = 3;

/// Far more than Norn needs for one of these programs.
const SECONDS_FOR_NORN: f64 = 60.0;

/// The final values of the results and variables of a program, in the order of its declarations.
type Values = Vec<i32>;

/// What a program did on this machine.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    names: Vec<String>,
    counts: BTreeMap<Values, u64>,
}

/// In a program: an outcome that some processors show and the model does not allow yet. It is told, but fails nothing.
const KNOWN_GAP: &str = "// known gap: ";

pub fn run(runs: u64) -> Result<(), String> {
    if !cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
        println!("hardware: this is not an x86 machine, nothing to compare");
        return Ok(());
    }
    let start = Instant::now();
    let binaries = root().join("target").join("hardware");
    fs::create_dir_all(&binaries).map_err(|e| format!("cannot create {}: {e}", binaries.display()))?;
    println!("{:<20} {:>7} {:>4} {:>4} {:>5}  weak outcomes seen", "program", "runs", "sc", "tso", "seen");
    let (mut programs, mut failures, mut weak) = (0, 0, 0);
    for source in corpus::files_ending(&folder(), &["c"])? {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let in_program = |message: String| format!("{name}: {message}");
        let program = compile(&source).map_err(in_program)?;
        let sc = outcomes(&program, Model::Sc).map_err(in_program)?;
        let tso = outcomes(&program, Model::Tso).map_err(in_program)?;
        let seen = run_here(&source, &binaries.join(&name), runs).map_err(in_program)?;
        let all_runs = seen.counts.values().sum::<u64>();
        let weak_seen = seen.without(&sc);
        let list = weak_seen.iter().map(|(values, count)| format!("{} ({count})", seen.show(values)));
        println!(
            "{name:<20} {all_runs:>7} {:>4} {:>4} {:>5}  {}",
            sc.len(),
            tso.len(),
            seen.counts.len(),
            list.collect::<Vec<_>>().join(", "),
        );
        if let Some(values) = sc.difference(&tso).next() {
            println!("FAILED  {name}: sc allows {}, tso does not", seen.show(values));
            failures += 1;
        }
        let text = fs::read_to_string(&source).map_err(|e| in_program(e.to_string()))?;
        for (values, count) in seen.without(&tso) {
            let shown = seen.show(values);
            if text.lines().any(|line| line.strip_prefix(KNOWN_GAP) == Some(&shown)) {
                println!("GAP     {name}: seen {count} times, tso does not allow {shown}; known, and to be closed");
                continue;
            }
            println!("FAILED  {name}: seen {count} times, but tso does not allow {shown}");
            failures += 1;
        }
        programs += 1;
        weak += weak_seen.len();
    }
    println!("{programs} programs, {weak} weak outcomes seen, {:.1} s", start.elapsed().as_secs_f64());
    match failures {
        0 => Ok(()),
        n => Err(format!("{n} failures")),
    }
}

fn folder() -> PathBuf {
    root().join("xtask").join("hardware")
}

fn compile(source: &Path) -> Result<Program, String> {
    let compiled = driver::compile(Options::default(), None, vec![Input::File(source.to_owned())]);
    let Some(mut program) = compiled.program else {
        let messages = compiled.diagnostics.into_iter().map(|d| d.message).collect::<Vec<_>>();
        return Err(format!("norn cannot read it: {}", messages.join("; ")));
    };
    norn_passes::escape::mark_private(&mut program);
    Ok(program)
}

/// Every outcome that the reference machine can reach: the final contents of the array `outcome`.
fn outcomes(program: &Program, model: Model) -> Result<BTreeSet<Values>, String> {
    let outcome = program.globals.iter().position(|g| g.name == "outcome").map(GlobalId::new);
    let observed = [outcome.ok_or("there is no variable 'outcome'")?];
    let limits = Limits::for_seconds(SECONDS_FOR_NORN);
    let checks = Checks::default();
    let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
    let explored = states::explore(&question);
    if let Some(finding) = explored.violation {
        return Err(format!("norn finds a violation under {model}: {:?}", finding.violation.kind));
    }
    if let Some(incomplete) = explored.incomplete {
        return Err(format!("norn does not see everything under {model}: {}", incomplete));
    }
    Ok(explored.finals.iter().map(|contents| integers(&contents[0])).collect())
}

fn integers(bytes: &[u8]) -> Values {
    bytes.as_chunks::<4>().0.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect()
}

fn run_here(source: &Path, binary: &Path, runs: u64) -> Result<Seen, String> {
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-D_GNU_SOURCE", "-DHARDWARE", "-o"]);
    finish(cc.arg(binary).arg(source), "cc")?;
    let mut program = Command::new(binary);
    let output = finish(program.args([runs.to_string(), SECONDS_PER_PROGRAM.to_string()]), "the program")?;
    let text = String::from_utf8_lossy(&output.stdout);
    Seen::parse(&text).ok_or_else(|| format!("the program printed something else than outcomes: {text}"))
}

fn finish(command: &mut Command, what: &str) -> Result<Output, String> {
    let output = command.output().map_err(|e| format!("cannot run {what}: {e}"))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(format!("{what} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

impl Seen {
    /// Reads what `xtask/hardware/repeat.h` prints.
    fn parse(text: &str) -> Option<Seen> {
        let mut lines = text.lines();
        let names = lines.next()?.strip_prefix("outcomes")?.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut counts = BTreeMap::new();
        for line in lines {
            let mut numbers = line.split_whitespace();
            let count = numbers.next()?.parse().ok()?;
            let values = numbers.map(|n| n.parse().ok()).collect::<Option<Values>>()?;
            if values.len() != names.len() {
                return None;
            }
            counts.insert(values, count);
        }
        Some(Seen { names, counts })
    }

    /// The outcomes that are not in a set, with their counts.
    fn without<'a>(&'a self, set: &BTreeSet<Values>) -> Vec<(&'a Values, u64)> {
        self.counts
            .iter()
            .filter(|(values, _)| !set.contains(*values))
            .map(|(values, &count)| (values, count))
            .collect()
    }

    fn show(&self, values: &[i32]) -> String {
        let parts = self.names.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
        parts.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(name: &str, model: Model) -> BTreeSet<Values> {
        let program = compile(&folder().join(name)).expect("the program should be read");
        outcomes(&program, model).expect("the program should be explored")
    }

    #[test]
    fn reads_what_the_driver_prints() {
        let seen = Seen::parse("outcomes left x\n5 0 1\n2 -1 1\n").expect("these are outcomes");
        assert_eq!(seen.counts, BTreeMap::from([(vec![0, 1], 5), (vec![-1, 1], 2)]));
        assert_eq!(seen.show(&[-1, 1]), "left=-1 x=1");
        assert_eq!(Seen::parse("outcomes left x\n5 0\n"), None);
        assert_eq!(Seen::parse("Segmentation fault\n"), None);
    }

    #[test]
    fn an_outcome_that_is_not_allowed_is_noticed() {
        let seen = Seen::parse("outcomes left right x y\n3 0 0 1 1\n4 1 0 1 1\n").expect("these are outcomes");
        assert_eq!(seen.without(&allowed("sb.c", Model::Sc)), [(&vec![0, 0, 1, 1], 3)]);
        assert_eq!(seen.without(&allowed("sb.c", Model::Tso)), []);
        assert_eq!(seen.without(&allowed("sb_mfence.c", Model::Tso)), [(&vec![0, 0, 1, 1], 3)]);
    }
}

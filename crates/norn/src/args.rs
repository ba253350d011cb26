//! The command line.

use crate::compiler_flags::{self, Translated};
use crate::files::FileArgs;
use crate::limits;
use crate::litmus_model::LitmusModel;
use crate::tiles::args::{ElsewhereArgs, GatherArgs, SplitArgs, WorkArgs};
use clap::parser::ArgMatches;
use clap::{Args, Parser, Subcommand, ValueEnum};
use norn_c::driver::Input;
use norn_c::session::{MacroOption, Options, Target};
use norn_repair::{Costs, Kinds};
use norn_report::visible::{visible, visible_lines};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Behind it come the arguments of the program.
pub const ARGUMENTS: &str = "--args";

#[derive(Parser, Debug)]
#[command(
    name = "norn",
    version,
    about = "Verifies multithreaded C programs under the memory models SC, TSO and PSO",
    disable_help_subcommand = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit status: 0 safe or fine, 10 unsafe, 5 unknown, 1 wrong usage, 2 the input is not C, 6 internal error,\n\
                  7 the output could not be written, 130 interrupted. Try `norn check -m tso examples/store_buffering.c`, and `norn check --help`."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a program is safe
    ///
    /// Answers `unsafe` with a counterexample that the reference machine has replayed, `safe` for all executions or for those
    /// within bounds that were given, or `unknown` with the reason; a search that a limit ended is unknown, with the bounds
    /// that it came to. Assertions, error functions, the label ERROR, misuse of mutexes, division by zero and invalid uses of
    /// memory are checked unless less is asked for. The last line of the output is the verdict, in a form that a script
    /// can match: `norn: unsafe (tso): assertion failed at dekker.c:57`.
    #[command(after_help = "Examples:\n  norn check examples/peterson.c                   sequential consistency\n  \
                            norn check -m sc,tso,pso examples/peterson.c     one verdict per model\n  \
                            norn check -m tso -D FENCED examples/dekker.c\n  \
                            norn check --deadlock examples/philosophers.c\n  \
                            norn check -m armv8,rc11 lock.c\n\n\
                            Deadlocks and data races are decided by every engine but rounds, termination by states, events and enumerate,\n\
                            everything else by every engine. An engine that cannot decide what is asked says unknown.")]
    Check(CheckArgs),
    /// Decide whether TSO or PSO can show what sequential consistency cannot
    ///
    /// A program is robust if each of its executions orders its accesses in a way that sequential consistency has, too.
    /// Otherwise there is an execution whose accesses form a circle: by program order (po), reads of a write (rf), the
    /// order of writes in memory (co), and reads before the overwriting write (fr). Prints the shortest such circle
    /// found, with the execution, which the reference machine has replayed. A failed assertion stops its thread here.
    #[command(after_help = "Examples:\n  norn robust -m tso examples/store_buffering.c\n  \
                            norn robust -m tso,pso -D FENCED --unwind 3 examples/dekker.c\n\n\
                            Exit status: 0 robust, also within bounds; 10 not robust; 5 unknown.")]
    Robust(RobustArgs),
    /// Find the fences and orders that make a program right under TSO or PSO, at least cost
    ///
    /// Prints a patch for `patch -p0`, and for each change what would go wrong without it. Nothing that costs less
    /// is enough: it misses an execution that was found, and that the reference machine has confirmed. The patched text
    /// is read again, and another engine checks it. A full fence costs 10, a release fence 2, a stronger order of an atomic
    /// access 1 for each step, ten times as much in each loop. Files stay as they are unless `-i` is given.
    #[command(after_help = "Examples:\n  norn repair -m tso examples/dekker.c\n  \
                            norn repair -m tso examples/dekker.c | patch -p0\n  \
                            norn repair -m pso --robust --unwind 2 examples/peterson.c\n\n\
                            Exit status: 0 repaired, or nothing to repair; 10 nothing helps; 5 unknown.")]
    Repair(RepairArgs),
    /// Find the fences and orders that a program does not need
    ///
    /// Weakens the memory orders of atomic accesses and takes fences away, as long as the program stays as it should be, and
    /// prints that as a patch for `patch -p0`. For each order and fence that stays it says what would go wrong with less. What
    /// is left has least cost, or, if that takes too long, cannot be weakened at any single place. Files stay as they are
    /// unless `-i` is given.
    #[command(
        after_help = "Examples:\n  norn relax -m pso queue.c\n  norn relax -m tso --optimal queue.c | patch -p0\n\n\
                            Exit status: 0 relaxed, or nothing to relax; 10 the program is not safe as it is; 5 unknown."
    )]
    Relax(RelaxArgs),
    /// Run a program once, at random or by a schedule
    ///
    /// Prints what the program prints; Norn's own words go to standard error. A violation ends the run with status 10 and
    /// shows what happened.
    #[command(after_help = "Examples:\n  norn run -m tso --seed 7 examples/store_buffering.c\n  \
                            norn check -m tso --schedule-out bug.sched FILE.c; norn run --schedule bug.sched FILE.c")]
    Run(RunArgs),
    /// Show the counterexample that a schedule is, in any format
    ///
    /// Reads a schedule that `norn check --schedule-out` wrote, has the reference machine follow it, and shows the execution as
    /// `norn check` does, with why it could happen. The options that say how to read C, and what is checked, should be those of
    /// that check.
    #[command(after_help = "Examples:\n  norn check -m tso --schedule-out bug.sched examples/dekker.c\n  \
                            norn explain bug.sched examples/dekker.c\n  \
                            norn explain --html bug.html --shorten 60 bug.sched examples/dekker.c\n\n\
                            Exit status: 10 the schedule shows a violation; 2 it does not, or does not fit; 5 unknown.")]
    Explain(ExplainArgs),
    /// Check a witness of SV-COMP
    ///
    /// Reads a witness, of Norn's or of another tool, in YAML (formats 2.x) or GraphML (format 1.0), and follows it on the
    /// reference machine under sequential consistency. What it leaves open is searched for. The answer is `confirmed`, `refuted` or
    /// `unknown`: a violation is confirmed by an execution that the machine has replayed, and refuted if no execution that
    /// the witness allows shows it. A correctness witness is confirmed if the program is safe. What is checked is what the
    /// witness says, unless options say otherwise.
    #[command(
        override_usage = "norn validate [OPTIONS] FILE.c… WITNESS",
        after_help = "Examples:\n  norn check --data-race --witness race.yml examples/message_passing.c\n  \
                            norn validate examples/message_passing.c race.yml\n\n\
                            Exit status: 10 an execution that goes wrong was replayed; 0 there is none; 5 unknown; 2 the witness cannot be read."
    )]
    Validate(ValidateArgs),
    /// Run litmus tests
    ///
    /// Reads herd's litmus files (PPC, X86, AArch64, RISC-V, C), also whole folders of them, and says for each test and model
    /// whether the outcome that it asks about is allowed. Models are sc, tso and pso, which are machines, and axioms: armv8
    /// for AArch64, riscv for RISC-V, rc11 for C11, lkmm for the Linux kernel's C, or any file in herd's language cat. The
    /// cat forms of the machines are there as sc.cat, tso.cat and pso.cat.
    #[command(after_help = "Examples:\n  norn litmus -m sc,tso,pso tests/SB.litmus\n  \
                            norn litmus -m armv8 --graph tests/MP.litmus\n  \
                            norn litmus -m my.cat --expect tests/expected.tsv tests/")]
    Litmus(LitmusArgs),
    /// Translate a program into a sequential one, for any verifier of sequential C or a C compiler
    ///
    /// Reads C, or a litmus test (a single file that ends in `.litmus`).
    ///
    /// Writes the program of Lazy-CSeq and LazySMA: loops and calls unwound, one function per thread, a driver that runs the
    /// threads for a number of rounds, and the memory model as an abstract data type in C. With `--for cc` the file
    /// compiles and runs: it follows choices that Norn has found (`--choices-out`), or searches for them itself.
    ///
    /// Exit status: 0 written; 5 it cannot be translated; with `--choices-out` 10 for a violation, 5 for unknown.
    #[command(
        after_help = "Examples:\n  norn sequentialize --unwind 2 --rounds 3 --for cbmc -o seq.c examples/peterson.c; cbmc seq.c\n  \
                            norn sequentialize -m tso --for cc -o seq.c --choices-out choices examples/store_buffering.c; cc seq.c -o seq; ./seq choices"
    )]
    Sequentialize(SequentializeArgs),
    /// Print the program's intermediate representation
    ///
    /// Reads C, links the files into one program together with the models of the library functions that it calls, and
    /// prints what every engine of Norn starts from: each access to memory, fence, atomic section and thread operation
    /// is one instruction.
    #[command(
        after_help = "Examples:\n  norn ir examples/store_buffering.c\n  norn ir -D FENCED examples/dekker.c\n  \
                            norn ir --stats preprocessed.i"
    )]
    Ir(IrArgs),
    /// Cut one question into pieces, for many machines
    ///
    /// Writes files `tile-0.json`, `tile-1.json`, … Each holds the whole question (the program as IR text, the model, the properties,
    /// the bounds) and says which of its schedules to look at: where context switches stand. Every schedule belongs to exactly
    /// one piece. `norn work` answers a piece, on any machine that has the same norn, `norn gather` says the verdict. Only questions
    /// to the engine `rounds` can be cut, with --rounds and --unwind given. `norn check --on` does all of it at once.
    #[command(after_help = "Examples:\n  norn split -m tso --rounds 4 --unwind 2 --tiles 64 -o tiles queue.c\n  \
                            seq 0 63 | xargs -P 8 -n 1 norn work tiles; norn gather tiles\n  \
                            norn split --rounds 4 --unwind 2 --tiles 64 --kubernetes -o tiles queue.c\n\n\
                            Exit status: 0 written; 1 it cannot be cut; 5 unknown, there is nothing to cut; 7 it could not be written.")]
    Split(SplitArgs),
    /// Answer one piece of those that `norn split` wrote
    ///
    /// Writes `answer-K.json` beside `tile-K.json`, all at once: whoever looks sees no answer or all of it. It may be ended at
    /// any time and run again, also while somebody else works on the same piece. What has been answered is not answered again, unless a
    /// limit had ended the search. A violation is confirmed by the reference machine here, and again by `norn gather`.
    #[command(after_help = "Examples:\n  norn work tiles 17\n  norn work --timeout 3600 --memory 2000 tiles 17\n  \
                            sbatch --array=0-63 --wrap 'norn work tiles $SLURM_ARRAY_TASK_ID'\n\n\
                            Exit status: 0 there is an answer, whatever it says; 2 the piece cannot be read; 7 the answer could not be\n\
                            written; 130 interrupted, without an answer.")]
    Work(WorkArgs),
    /// Say the verdict of all pieces together
    ///
    /// Looks whether the pieces are all of one question, each once, and whether the answers are theirs. The reference machine replays
    /// what violates a property: one piece is enough for `unsafe`. `safe` needs all pieces. What has no answer is named:
    /// `norn: unknown (tso): tiles 3, 7-9 of 64 have no answer`.
    #[command(after_help = "Examples:\n  norn gather tiles\n  norn gather --stats --html bug.html tiles\n\n\
                            Exit status: 0 safe, 10 unsafe, 5 unknown, 2 pieces or answers that cannot be read or do not belong together.")]
    Gather(GatherArgs),
}

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub c: CArgs,

    #[command(flatten)]
    pub models: ModelArgs,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// Only what a property file of SV-COMP asks: G ! call(reach_error()), G ! data-race, G ! overflow or
    /// G valid-memsafety. What else goes wrong is an assumption
    #[arg(long, value_name = "FILE.prp", help_heading = "Properties", conflicts_with_all = ["only_assertions", "memory_safety", "deadlock", "data_race", "overflow", "termination", "memory_leak"])]
    pub property: Option<PathBuf>,

    /// How to search
    #[arg(short = 'e', long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// Follow each loop at most N times per entry, and recursion N deep; FILE:LINE=N for one loop
    #[arg(long, value_name = "[FILE:LINE=]N", value_parser = unwind_bound)]
    pub unwind: Vec<Unwind>,

    /// Look for a counterexample with as few steps as possible: breadth first, without reduction
    #[arg(long)]
    pub shortest: bool,

    /// Ask all engines; if two contradict one another, write what is needed to see why and exit with 6
    #[arg(long)]
    pub cross_check: bool,

    #[command(flatten)]
    pub events: EventsArgs,

    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// Leave out the random executions that come before other engines and before a safe verdict is printed; for benchmarks
    #[arg(long)]
    pub no_attack: bool,

    /// Show counterexamples as they were found, without looking for a shorter story
    #[arg(long)]
    pub no_explain: bool,

    /// List the loops of the program, and do nothing else
    #[arg(long)]
    pub show_loops: bool,

    #[command(flatten)]
    pub elsewhere: ElsewhereArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Engines of `auto` that run at the same time; with 1 they take turns. The verdict does not depend on it [default: the
    /// number of processors that Norn may use]
    #[arg(short = 'j', long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,

    /// Safe within bounds is not enough, also if they were given: that is unknown, exit 5. What a SAT solver calls safe is
    /// checked as by --certify
    #[arg(long)]
    pub require_proof: bool,

    /// Write the verdict and the counterexample as JSON (a list of them for several models)
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

    /// Write a witness of SV-COMP, for the verdict under sc: GraphML if the name ends in `.graphml`, else YAML
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub witness: Option<PathBuf>,

    /// Give the sequential program (see `norn sequentialize`) to another verifier, such as "cbmc --trace", and pass on
    /// what it says; Norn does not replay that
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["engine", "schedule_out", "witness", "deadlock", "data_race", "memory_safety", "overflow", "termination", "memory_leak", "only_assertions", "property"])]
    pub backend: Option<String>,
}

#[derive(Args, Debug)]
pub struct RobustArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// Memory models, separated by commas: tso, pso
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_delimiter = ',', value_parser = weak_model, default_value = "tso")]
    models: Vec<Model>,

    /// Follow each loop at most N times per entry, and recursion N deep; FILE:LINE=N for one loop
    #[arg(long, value_name = "[FILE:LINE=]N", value_parser = unwind_bound)]
    pub unwind: Vec<Unwind>,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Robust within bounds only is not enough: exit with 5
    #[arg(long)]
    pub require_proof: bool,

    /// Write the verdict, the cycle and the execution as JSON (a list of them for several models)
    #[arg(long)]
    pub json: bool,

    /// Print figures and times, on standard error
    #[arg(long)]
    pub stats: bool,

    #[command(flatten)]
    pub files: FileArgs,
}

impl RobustArgs {
    /// Each model once, in the order given.
    pub fn models(&self) -> Vec<Model> {
        once(&self.models)
    }
}

/// What `repair` and `relax` have in common.
#[derive(Args, Debug)]
pub struct ChangeArgs {
    #[command(flatten)]
    pub c: CArgs,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// The program should be robust (see `norn robust`), whether or not it is safe
    #[arg(long, conflicts_with_all = ["only_assertions", "deadlock", "data_race", "memory_safety", "overflow", "termination", "memory_leak"], help_heading = "Properties")]
    pub robust: bool,

    /// What things cost [default: full=10,release=2,order=1]
    #[arg(long, value_name = "KIND=N,…", value_delimiter = ',', value_parser = price)]
    cost: Vec<Price>,

    /// Change headers of the system, too
    #[arg(long)]
    pub library: bool,

    /// Follow each loop at most N times per entry, and recursion N deep; FILE:LINE=N for one loop
    #[arg(long, value_name = "[FILE:LINE=]N", value_parser = unwind_bound)]
    pub unwind: Vec<Unwind>,

    /// Change the files
    #[arg(short = 'i', long)]
    pub in_place: bool,

    /// Write the patch to a file
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write a page for a browser, with the execution that each fence and each order is needed for
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Write everything as JSON
    #[arg(long)]
    pub json: bool,
}

impl ChangeArgs {
    pub fn costs(&self) -> Costs {
        costs(&self.cost)
    }
}

#[derive(Args, Debug)]
pub struct RepairArgs {
    #[command(flatten)]
    pub change: ChangeArgs,

    /// Memory models, separated by commas: tso, pso. The changes are for all of them
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_delimiter = ',', value_parser = weak_model, default_value = "tso")]
    models: Vec<Model>,

    /// What may be changed: fences between statements, orders of atomic accesses, and plain accesses that become atomic
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_enum, default_values_t = [Changed::Fences, Changed::Orders])]
    with: Vec<Changed>,
}

impl RepairArgs {
    /// The weakest of the models: what holds there holds under the others.
    pub fn model(&self) -> Model {
        self.models.iter().copied().max().unwrap_or(Model::Tso)
    }

    pub fn kinds(&self) -> Kinds {
        let has = |kind| self.with.contains(&kind);
        Kinds {
            fences: has(Changed::Fences),
            orders: has(Changed::Orders),
            atomics: has(Changed::Atomics),
            library: self.change.library,
        }
    }
}

/// What `repair` may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Changed {
    /// Fences between statements
    Fences,
    /// Stronger orders of atomic accesses, and of fences that are there
    Orders,
    /// Plain stores and loads that become atomic
    Atomics,
}

#[derive(Args, Debug)]
pub struct RelaxArgs {
    #[command(flatten)]
    pub change: ChangeArgs,

    /// Memory models, separated by commas: sc, tso, pso. What stays is enough for all of them
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_delimiter = ',', value_parser = model, default_value = "pso")]
    models: Vec<Model>,

    /// Be patient: only what costs least is good enough, unless time runs out
    #[arg(long)]
    pub optimal: bool,
}

impl RelaxArgs {
    /// The weakest of the models: what holds there holds under the others.
    pub fn model(&self) -> Model {
        self.models.iter().copied().max().unwrap_or(Model::Pso)
    }
}

/// What something costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Price {
    Full(u64),
    Release(u64),
    Order(u64),
}

fn price(text: &str) -> Result<Price, String> {
    let wrong = || format!("'{text}' is not full=N, release=N or order=N with a number of 1 to 1000000");
    let (kind, number) = text.split_once('=').ok_or_else(wrong)?;
    let number = number.parse().ok().filter(|number| (1..=1_000_000).contains(number)).ok_or_else(wrong)?;
    match kind {
        "full" => Ok(Price::Full(number)),
        "release" => Ok(Price::Release(number)),
        "order" => Ok(Price::Order(number)),
        _ => Err(wrong()),
    }
}

fn costs(prices: &[Price]) -> Costs {
    let mut costs = Costs::default();
    for price in prices {
        match *price {
            Price::Full(cost) => costs.full = cost,
            Price::Release(cost) => costs.release = cost,
            Price::Order(cost) => costs.order = cost,
        }
    }
    costs
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// The memory model [default: sc, or that of the schedule]
    #[arg(short = 'm', long, value_name = "MODEL", value_parser = model)]
    pub model: Option<Model>,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// Choose steps and nondeterministic values by this seed
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "schedule")]
    pub seed: u64,

    /// Follow a schedule that `norn check --schedule-out` wrote
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,

    /// Show what happened even if nothing went wrong
    #[arg(long)]
    pub trace: bool,

    /// Give up after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub max_steps: u64,

    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub timeout: Duration,
}

#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// A schedule that `norn check --schedule-out` wrote
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,

    #[command(flatten)]
    pub c: CArgs,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// Look for a shorter story of the same violation, for this many seconds at most
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub shorten: Option<Duration>,

    /// Write the schedule that is shown to a file
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub schedule_out: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub files: FileArgs,

    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub timeout: Duration,
}

#[derive(Args, Debug)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// The last of the files.
    #[arg(skip)]
    pub witness: PathBuf,

    #[command(flatten)]
    pub checks: CheckedArgs,

    /// What a property file of SV-COMP asks, instead of what the witness says
    #[arg(long, value_name = "FILE.prp", help_heading = "Properties", conflicts_with_all = ["only_assertions", "memory_safety", "deadlock", "data_race", "overflow", "termination", "memory_leak"])]
    pub property: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Write the schedule of the execution to a file, for `norn run --schedule`
    #[arg(long, value_name = "FILE")]
    pub schedule_out: Option<PathBuf>,

    #[command(flatten)]
    pub files: FileArgs,
}

#[derive(Args, Clone, Debug)]
pub struct LitmusArgs {
    /// Litmus files, and folders that are searched for them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Memory models, separated by commas: sc, tso, pso; armv8, riscv, rc11, lkmm; files in herd's language (.cat)
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_delimiter = ',', value_parser = litmus_model, default_value = "sc")]
    models: Vec<LitmusModel>,

    /// How to search, under sc, tso and pso
    #[arg(short = 'e', long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    #[command(flatten)]
    pub events: EventsArgs,

    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// Compare with a table (columns: test and one per model; cells: Allow or Forbid) and exit with 10 on any difference
    #[arg(long, value_name = "TSV")]
    pub expect: Option<PathBuf>,

    /// Print the final states of each test, as herd does
    #[arg(long)]
    pub states: bool,

    /// Print an execution for each outcome that is allowed, under models that are axioms
    #[arg(long)]
    pub graph: bool,

    /// Write these executions as graphs, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Give up on a test after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,

    /// Tests that run at the same time [default: the number of processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
}

#[derive(Args, Clone, Debug)]
pub struct ModelArgs {
    /// Memory models, separated by commas: sc, tso, pso; or armv8, riscv, rc11, files in herd's language (.cat)
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_delimiter = ',', value_parser = program_model, default_value = "sc")]
    models: Vec<LitmusModel>,
}

impl ModelArgs {
    /// Those with a machine, each once, in the order given.
    pub fn list(&self) -> Vec<Model> {
        let machine = |model| match model {
            LitmusModel::Machine(model) => Some(model),
            LitmusModel::Builtin(_) | LitmusModel::File(_) => None,
        };
        once(&self.models).into_iter().filter_map(machine).collect()
    }

    /// Those that are axioms.
    pub fn axioms(&self) -> Vec<LitmusModel> {
        let is_axioms = |model: &LitmusModel| !matches!(model, LitmusModel::Machine(_));
        once(&self.models).into_iter().filter(is_axioms).collect()
    }
}

fn program_model(text: &str) -> Result<LitmusModel, String> {
    match text.parse()? {
        LitmusModel::Builtin("lkmm") => {
            Err("lkmm is the model of the kernel's C, which litmus tests are in".to_owned())
        }
        model => Ok(model),
    }
}

impl LitmusArgs {
    /// Each model once, in the order given.
    pub fn models(&self) -> Vec<LitmusModel> {
        once(&self.models)
    }
}

fn litmus_model(text: &str) -> Result<LitmusModel, String> {
    text.parse()
}

fn once<T: Clone + PartialEq>(models: &[T]) -> Vec<T> {
    let mut list = Vec::new();
    for model in models {
        if !list.contains(model) {
            list.push(model.clone());
        }
    }
    list
}

/// What is checked.
#[derive(Args, Debug)]
pub struct CheckedArgs {
    /// Only assertions, error functions and the label ERROR. What else goes wrong (an invalid access, misuse of a mutex,
    /// division by zero) ends its execution, and a safe verdict names it as an assumption
    #[arg(long, help_heading = "Properties", conflicts_with = "memory_safety")]
    only_assertions: bool,

    /// Some thread waits and none can go on
    #[arg(long, help_heading = "Properties")]
    deadlock: bool,

    /// Two accesses to the same memory, one a write, one not atomic, unordered by happens-before
    #[arg(long, help_heading = "Properties")]
    data_race: bool,

    /// Accesses out of bounds, through null or dangling pointers, double and bad frees; always checked unless less is
    /// asked for
    #[arg(long, help_heading = "Properties")]
    memory_safety: bool,

    /// Signed overflow and shifts beyond the width
    #[arg(long, help_heading = "Properties")]
    overflow: bool,

    /// Some fair execution never ends: a loop that waits for what never comes, threads that undo each other's steps, a
    /// deadlock. Every thread that can go on again and again does, and every store reaches memory
    #[arg(long, help_heading = "Properties")]
    termination: bool,

    /// At the end of the program, memory that was allocated and not freed, and that nothing points to any more
    #[arg(long, help_heading = "Properties")]
    memory_leak: bool,
}

impl CheckedArgs {
    /// Whether anything is asked for, beside what always is.
    pub fn is_given(&self) -> bool {
        self.only_assertions
            || self.deadlock
            || self.data_race
            || self.memory_safety
            || self.overflow
            || self.termination
            || self.memory_leak
    }

    /// What is asked, without a property file.
    pub fn checks(&self) -> Checks {
        Checks {
            basic: if self.only_assertions { Basic::Assertions } else { Basic::All },
            deadlock: self.deadlock,
            data_race: self.data_race,
            memory_safety: !self.only_assertions,
            overflow: self.overflow,
            termination: self.termination,
            memory_leak: self.memory_leak,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// Those that can help, in turn, each for a share of the time
    Auto,
    /// Every reachable state of the reference machine; for small programs
    Enumerate,
    /// One execution per trace, for programs that terminate or with --unwind
    Stateless,
    /// Every reachable state, each once: decides loops without bound
    States,
    /// All bounded executions at once, by SAT; bounds grow unless --unwind is given
    Events,
    /// All executions of few round-robin rounds at once, by a SAT solver; finds deep bugs
    Rounds,
    /// Random executions with telling inputs and schedules; finds shallow bugs, never says safe
    Sample,
}

/// How the order of events is put into clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Encoding {
    /// Order variables, kept acyclic during the search
    Order,
    /// A clock for each event; slower, for comparison
    Clocks,
}

/// What concerns `-e events` only.
#[derive(Args, Clone, Copy, Debug)]
pub struct EventsArgs {
    /// How the order of events is put into clauses
    #[arg(long, value_enum, default_value_t = Encoding::Order, help_heading = "Events")]
    pub encoding: Encoding,

    /// Check a safe verdict of `events` or `rounds`: the solver's proof, and executions of the reference machine against the formula
    #[arg(long, help_heading = "Events")]
    pub certify: bool,
}

/// How long and how large a search may become.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub timeout: Duration,

    /// Look at this many executions; the engines `stateless` and `sample` count them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub executions: Option<u64>,

    /// Give up beyond this much memory [default: three quarters of what is free]
    #[arg(long = "memory", value_name = "MB")]
    megabytes: Option<u64>,
}

impl LimitArgs {
    /// Bytes.
    pub fn memory(&self) -> u64 {
        self.megabytes.map_or_else(limits::default_memory, |mb| mb.saturating_mul(1 << 20))
    }

    /// The time and the memory as words of a command line, as far as they were given.
    pub fn words(&self) -> Vec<String> {
        let memory = self.megabytes.map(|megabytes| format!("--memory={megabytes}"));
        [format!("--timeout={}", self.timeout.as_secs_f64())].into_iter().chain(memory).collect()
    }
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number of engines, 1 or more"))
}

/// A number of seconds, perhaps with decimals. More than a clock can count is as good as no limit.
fn seconds(text: &str) -> Result<Duration, String> {
    let is_decimal = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match text.parse::<f64>() {
        Ok(seconds) if is_decimal => Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        _ => Err("a number of seconds is wanted, such as 60 or 0.5".to_owned()),
    }
}

/// What concerns `-e rounds` only.
#[derive(Args, Clone, Debug, Default)]
pub struct RoundsArgs {
    /// Search up to N rounds, in each of which every thread gets one turn, main after the others; main also begins, alone [default: as many as matter]
    #[arg(long = "rounds", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Rounds")]
    pub limit: Option<u32>,

    /// Whose turns come first in a round, by number in the order of creation, main being 0 [default: 1,2,…,0]
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "Rounds")]
    pub thread_order: Vec<u32>,

    /// Look for bugs with values of N bits first [default: 4, where values have more than 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Rounds")]
    pub bits: Option<u32>,
}

/// A bound on loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwind {
    Default(u32),
    At { file: String, line: u32, bound: u32 },
}

pub fn unwind_bound(text: &str) -> Result<Unwind, String> {
    let wrong = || format!("'{text}' is neither a number nor FILE:LINE=N");
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    match text.rsplit_once('=') {
        None => Ok(Unwind::Default(number(text)?)),
        Some((place, bound)) => {
            let (file, line) = place.rsplit_once(':').ok_or_else(wrong)?;
            Ok(Unwind::At { file: file.to_owned(), line: number(line)?, bound: number(bound)? })
        }
    }
}

fn model(text: &str) -> Result<Model, String> {
    text.parse()
}

fn weak_model(text: &str) -> Result<Model, String> {
    match model(text)? {
        Model::Sc => Err("every program is robust under sc; there are tso and pso".to_owned()),
        weak => Ok(weak),
    }
}

#[derive(Args, Debug)]
pub struct SequentializeArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// Follow each loop at most N times per entry, and recursion N deep; FILE:LINE=N for one loop [default: 2]
    #[arg(long, value_name = "[FILE:LINE=]N", value_parser = unwind_bound)]
    pub unwind: Vec<Unwind>,

    /// The memory model: sc, tso or pso
    #[arg(short = 'm', long, value_name = "MODEL", value_parser = model, default_value = "sc")]
    pub model: Model,

    #[command(flatten)]
    pub bounds: SequentialBounds,

    /// Who is to read it
    #[arg(long = "for", value_enum, default_value_t = Reader::Svcomp)]
    pub reader: Reader,

    /// Where to write it [default: standard output]
    #[arg(short = 'o', long, value_name = "OUT.c")]
    pub output: Option<PathBuf>,

    /// Look for a violation within the same bounds, and write the choices that lead to it, for the program that runs
    /// (--for cc)
    #[arg(long, value_name = "FILE", requires = "output")]
    pub choices_out: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// The bounds of a sequential program.
#[derive(Args, Debug)]
pub struct SequentialBounds {
    /// How the memory of TSO and PSO is simulated
    #[arg(long, value_enum, default_value_t = SmaChoice::List, help_heading = "Sequentialization")]
    pub sma: SmaChoice,

    /// Rounds in which every thread has a slot
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Sequentialization")]
    pub rounds: u32,

    /// Moments at which stores can reach memory (list; 1 gives SC)
    #[arg(long, value_name = "K", default_value_t = DEFAULT_TIMESTAMPS, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Sequentialization")]
    pub timestamps: u32,

    /// Writes held per location (list, at least 2; default 3), stores held per thread (buffer; default all)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000), help_heading = "Sequentialization")]
    pub nodes: Option<u32>,

    /// Locations accessed by computed addresses that are tracked (list) [default: all]
    #[arg(long, value_name = "N", help_heading = "Sequentialization")]
    pub locations: Option<u32>,

    /// Allocated objects that are tracked (list) [default: all]
    #[arg(long, value_name = "N", help_heading = "Sequentialization")]
    pub mallocs: Option<u32>,

    /// Width of the numbers in shared memory; executions with larger ones are left out (list) [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64), help_heading = "Sequentialization")]
    pub bits: Option<u32>,
}

impl Default for SequentialBounds {
    fn default() -> SequentialBounds {
        SequentialBounds {
            sma: SmaChoice::List,
            rounds: DEFAULT_ROUNDS,
            timestamps: DEFAULT_TIMESTAMPS,
            nodes: None,
            locations: None,
            mallocs: None,
            bits: None,
        }
    }
}

const DEFAULT_ROUNDS: u32 = 3;
const DEFAULT_TIMESTAMPS: u32 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SmaChoice {
    /// A temporal list of writes per location
    List,
    /// An explicit store buffer per thread: the reference
    Buffer,
}

/// For whom a sequential program is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Reader {
    Cbmc,
    Esbmc,
    /// `__VERIFIER_…` and `reach_error`
    Svcomp,
    /// Norn itself
    Norn,
    /// A C compiler: the program can be run
    Cc,
}

#[derive(Args, Debug)]
pub struct IrArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// Print how long each stage took, on standard error
    #[arg(long)]
    pub stats: bool,
}

/// The options that concern C, the same in every command that reads C.
#[derive(Args, Debug)]
pub struct CArgs {
    /// C files, linked into one program; `.i` means already preprocessed
    #[arg(value_name = "FILE", required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// Take files, macros and folders of headers from a compile_commands.json (or from a folder that has one). Of its files
    /// those are linked that the entry needs; FILE, if given, belongs to the program
    #[arg(long, value_name = "PATH", help_heading = "C")]
    pub compile_commands: Option<PathBuf>,

    /// Look for included files here, in the order given, before the built-in headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "C")]
    pub include_dirs: Vec<PathBuf>,

    /// Look for files in `#include "FILE"` here first (also written `-iquote DIR`)
    #[arg(long = "iquote", value_name = "DIR", help_heading = "C")]
    pub quote_dirs: Vec<PathBuf>,

    /// Define a macro, as 1 or as the value given
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "C")]
    pub define: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "C")]
    pub undefine: Vec<String>,

    /// Include a file before the first line (also written `-include FILE`)
    #[arg(long, value_name = "FILE", help_heading = "C")]
    pub include: Vec<PathBuf>,

    /// int, long and pointers have 32 bits (ILP32)
    #[arg(long = "32", conflicts_with = "lp64", help_heading = "C")]
    pub ilp32: bool,

    /// long and pointers have 64 bits (LP64); the default, unless a preprocessed file says otherwise
    #[arg(long = "64", help_heading = "C")]
    pub lp64: bool,

    /// Read the machine's own headers instead of the built-in ones, with the macros that its `cc` (or $CC) defines
    #[arg(long, help_heading = "C")]
    pub system_headers: bool,

    /// The function in which the program starts
    #[arg(long, value_name = "FUNCTION", default_value = "main", help_heading = "C")]
    pub entry: String,

    /// Functions without a body return any value, instead of making the verdict unknown
    #[arg(long, help_heading = "C")]
    pub undefined_as_nondet: bool,

    /// Each allocation may fail and then gives a null pointer
    #[arg(long, help_heading = "C")]
    pub malloc_may_fail: bool,

    /// A call of abort() is a violation; without this it ends the program like exit()
    #[arg(long, help_heading = "C")]
    pub abort_is_error: bool,

    /// Freed memory may be given out again by a later allocation of the same size; a stale pointer then reaches the new object
    #[arg(long, help_heading = "C")]
    pub reuse_memory: bool,

    /// `-D` and `-U` in the order in which they were written.
    #[arg(skip)]
    macros: Vec<MacroOption>,

    /// Options of a compiler that mean nothing here.
    #[arg(skip)]
    pub ignored: Vec<String>,

    /// The arguments of the program: all words behind this option. Without it, the program may be started with any (`norn run`:
    /// with none)
    #[arg(long = "args", value_name = "WORD", num_args = 0.., help_heading = "C")]
    arguments: Option<Vec<OsString>>,
}

impl CArgs {
    pub fn target(&self) -> Option<Target> {
        match (self.ilp32, self.lp64) {
            (true, _) => Some(Target::Ilp32),
            (_, true) => Some(Target::Lp64),
            _ => None,
        }
    }

    pub fn options(&self) -> Options {
        Options {
            include_dirs: self.include_dirs.clone(),
            quote_dirs: self.quote_dirs.clone(),
            macros: self.macros.clone(),
            forced_includes: self.include.clone(),
            undefined_functions_return_nondet: self.undefined_as_nondet,
            malloc_may_fail: self.malloc_may_fail,
            abort_is_error: self.abort_is_error,
            reuse_memory: self.reuse_memory,
            arguments: self
                .arguments
                .as_ref()
                .map(|words| words.iter().map(|w| w.as_encoded_bytes().to_vec()).collect()),
            entry: self.entry.clone(),
            ..Options::default()
        }
    }

    pub fn inputs(&self) -> Vec<Input> {
        self.files.iter().cloned().map(Input::File).collect()
    }

    /// clap collects `-D` and `-U` apart; which came first decides.
    fn order_macros(&mut self, matches: &ArgMatches) {
        let indexed = |id: &str, values: &[String], make: fn(String) -> MacroOption| {
            let indices = matches.indices_of(id).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
            indices.into_iter().zip(values.iter().cloned().map(make)).collect::<Vec<_>>()
        };
        let mut all = indexed("define", &self.define, MacroOption::Define);
        all.extend(indexed("undefine", &self.undefine, MacroOption::Undefine));
        all.sort_by_key(|&(index, _)| index);
        self.macros = all.into_iter().map(|(_, option)| option).collect();
    }
}

/// Parses the command line. What is wrong is told with the words as they can be shown.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args = args.into_iter().collect::<Vec<_>>();
    let shown = |arg: &OsString| OsString::from(visible(&arg.to_string_lossy()).into_owned());
    parse_as_given(args.clone()).map_err(|error| {
        // The same words make the same error, unless it was what cannot be shown that was wrong.
        parse_as_given(args.iter().map(shown).collect()).err().filter(|e| e.kind() == error.kind()).unwrap_or_else(
            || {
                let text = visible_lines(&error.render().to_string()).into_owned();
                clap::Error::raw(error.kind(), text)
            },
        )
    })
}

/// Options of compilers are translated first.
fn parse_as_given(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    use clap::{CommandFactory, FromArgMatches};
    let (args, arguments) = without_arguments(args);
    let Translated { words, ignored } = compiler_flags::translated(args);
    let matches = Cli::command().try_get_matches_from(words)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    let c = match &mut cli.command {
        Command::Check(check) => &mut check.c,
        Command::Robust(robust) => &mut robust.c,
        Command::Repair(repair) => &mut repair.change.c,
        Command::Relax(relax) => &mut relax.change.c,
        Command::Run(run) => {
            // A schedule of `check` was made for any command line, unless told.
            run.c.arguments = run.schedule.is_none().then(Vec::new);
            &mut run.c
        }
        Command::Explain(explain) => &mut explain.c,
        Command::Validate(validate) => {
            let few = if validate.c.compile_commands.is_some() { 1 } else { 2 };
            if validate.c.files.len() < few {
                let message = "a program and, last, a witness are wanted\n";
                return Err(Cli::command().error(clap::error::ErrorKind::MissingRequiredArgument, message));
            }
            validate.witness = validate.c.files.pop().unwrap_or_default();
            &mut validate.c
        }
        Command::Ir(ir) => &mut ir.c,
        Command::Sequentialize(sequentialize) => &mut sequentialize.c,
        Command::Split(split) => &mut split.c,
        Command::Litmus(_) | Command::Work(_) | Command::Gather(_) => return Ok(cli),
    };
    if let Some((_, sub)) = matches.subcommand() {
        c.order_macros(sub);
    }
    c.ignored = ignored;
    if arguments.is_some() {
        c.arguments = arguments;
    }
    Ok(cli)
}

/// The words of Norn's own command line, and those of the program's, which may look like options.
fn without_arguments(mut words: Vec<OsString>) -> (Vec<OsString>, Option<Vec<OsString>>) {
    let own = words.iter().take_while(|word| *word != "--").position(|word| word == ARGUMENTS);
    let arguments = own.map(|at| words.split_off(at).split_off(1));
    (words, arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c_args(line: &str) -> CArgs {
        let words = line.split_whitespace().map(OsString::from);
        match parse(words).expect("the line should parse").command {
            Command::Ir(ir) => ir.c,
            other => panic!("'norn ir' should be parsed, not {other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn macros_keep_their_order() {
        let args = c_args("norn ir -D A -U A -DB=2 -U B -D A=3 x.c");
        let text = args.options().macros.iter().map(|m| format!("{m:?}")).collect::<Vec<_>>().join(" ");
        let expected = r#"Define("A") Undefine("A") Define("B=2") Undefine("B") Define("A=3")"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn include_may_be_spelled_as_compilers_do() {
        assert_eq!(c_args("norn ir -include a.h x.c").include, [PathBuf::from("a.h")]);
    }

    #[test]
    fn times_are_decimal_numbers() {
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(seconds("18446744073709551615"), Ok(Duration::MAX));
        assert_eq!(seconds(&"9".repeat(400)), Ok(Duration::MAX));
        for wrong in ["", "-1", "nan", "inf", "1e300", "1e3", "1.2.3", ".", "0x10", " 1"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_is_counted_without_wrapping() {
        let limits = |megabytes| LimitArgs { timeout: Duration::ZERO, executions: None, megabytes };
        assert_eq!(limits(Some(1)).memory(), 1 << 20);
        assert_eq!(limits(Some(u64::MAX)).memory(), u64::MAX);
    }

    #[test]
    fn the_two_data_models_exclude_each_other() {
        assert_eq!(c_args("norn ir --32 x.c").target(), Some(Target::Ilp32));
        assert_eq!(c_args("norn ir x.c").target(), None);
        assert!(parse(["norn", "ir", "--32", "--64", "x.c"].map(OsString::from)).is_err());
    }
}

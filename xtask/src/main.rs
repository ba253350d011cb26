//! Norn's own chores, as `cargo xtask TASK`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

mod bench;
mod corpus;
mod csmith;
mod csmith_inputs;
mod deny;
mod exact;
mod executions;
mod flow;
mod fuzz;
mod gates;
mod hardware;
mod mutants;
mod norn;
mod outcomes;
mod pages;
mod pinned;
mod slurm;
mod torture;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask TASK

  gates [--sample]   run Norn over the corpus of known verdicts and fail on any difference;
                     --sample takes a fixed part of it, for continuous integration
  sequentialize [--sample | examples | tacas15 | generated | litmus | recorded]
                     only the gate of the sequential programs: they agree with the reference machine and with 'rounds'
  traces [--sample]  of the gates only the comparison of the stateless engine with the enumerator on litmus tests
  axioms [--sample]  of the gates only the litmus tests under models that are axioms
  hardware [--runs N]
                     compile small programs, run each N times (100,000 unless told) on this x86 machine, and fail
                     if an outcome is seen that Norn does not allow under TSO
  exact [--count N] [--seed S]
                     compare the executions of the stateless engine with those of the enumerator on N generated
                     programs of each shape (2,000 unless told) under every model
  liveness [--count N] [--seed S]
                     compare the engines with the enumerator in whether N generated programs (1,000 unless told) have fair
                     executions that never end, under every model
  bench              measure the claims made about speed and print them as a table
  bench rounds       of these the engine 'rounds': Table I of lazysma-fmcad16 with the paper's figures, how formulas
                     grow with the number of rounds, SafeStack
  bench events       only the engine 'events': time beside that of others, and the size of its formulas
  bench auto [TEXT]  only 'auto' beside each single engine on some 250 programs, or those with TEXT in their names
  bench repair       only repairs: the fewest fences of known algorithms, tacas15 without its fences, what 'relax' leaves
  bench explain      switches of counterexamples, as engines find them and as they are shown
  bench executions   the stateless engine on every row of tacas15
  bench sequentialize
                     the sequential programs of the first table of lazysma-fmcad16, and the sizes of formulas
  bench safestack    those of its second table, ten minutes at most for each cell
  csmith [--count N] [--seed S] [--timeout SECONDS]
                     compare 'norn run' with the C compiler on random programs, one for each seed from S on
  deny               look at the crates that Norn depends on: where they come from, their licences, one version of each
  mutants [--list | --check | --anew | --survivors] [--only NAME]
                     seed faults into a copy of the project, one at a time, and list those that no test sees; --list
                     only looks for the texts of 'xtask/mutants', --check compiles them; results of before are kept,
                     --survivors runs the tests again with those that survived
  pages              open the pages of 'norn check --html' in a browser (chromium and chromedriver), step through them, and
                     leave pictures in target/pages
  slurm [STARTER]    'norn check --on slurm' on a real Slurm: verdicts as without pieces, a task that is killed is replaced,
                     nothing is left. STARTER starts one as 'STARTER DIR start' and prints 'export SLURM_CONF=FILE', and stops it
                     as 'STARTER DIR stop'; without it, Slurm has to run already
  csmith --inputs [--count N] [--seed S] [--timeout SECONDS]
                     the same for the engines, on small programs with constants turned into inputs that are pinned
  torture --dir DIR [--count N] [--seed S] [--timeout SECONDS]
                     the same on GCC's torture tests (gcc.c-torture/execute, which are not part of Norn), all or N of them
  flow [--threads] [--count N] [--seed S] [--seconds T] [--failures K]
                     ask every engine about N generated programs (500 unless told) with nasty control flow and inputs of all
                     widths, what a C compiler makes of them being right; with --threads about programs with threads, small
                     inputs and all models, the enumerator being right. Wrong verdicts are shrunk and saved in target/flow;
                     the K-th (3 unless told) ends the search
  outcomes [--count N] [--seed S]
                     ask every engine under all models whether N generated programs with threads (300 unless told) can end
                     in certain states, the enumerator being right; a wrong verdict is shrunk and saved in target/outcomes
  fuzz [--count N] [--seed S] [--first N] [--kind c|i|litmus|schedule|table|property|options] [--norn PATH]
                     run Norn on N mutated inputs (2,000 unless told), each in a process of its own with limits; failures
                     are made smaller and kept in target/fuzz

The corpus is looked for in ../shared/corpus, or where NORN_CORPUS says. The full gates also run
the torture tests in the folder that NORN_TORTURE names. Tasks that run Norn build it first, or take NORN_BINARY.";

fn main() -> ExitCode {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    let words = args.iter().map(String::as_str).collect::<Vec<_>>();
    let result = match words.as_slice() {
        ["gates"] => gates::run(gates::Extent::Full),
        ["gates", "--sample"] => gates::run(gates::Extent::Sample),
        ["sequentialize"] => gates::sequentialize(gates::Extent::Full, None),
        ["sequentialize", "--sample"] => gates::sequentialize(gates::Extent::Sample, None),
        ["sequentialize", part @ ("examples" | "tacas15" | "generated" | "litmus" | "recorded")] => {
            gates::sequentialize(gates::Extent::Full, Some(part))
        }
        ["traces"] => gates::traces(gates::Extent::Full),
        ["traces", "--sample"] => gates::traces(gates::Extent::Sample),
        ["axioms"] => gates::axioms(gates::Extent::Full),
        ["axioms", "--sample"] => gates::axioms(gates::Extent::Sample),
        ["hardware"] => hardware::run(hardware::DEFAULT_RUNS),
        ["hardware", "--runs", runs] => match runs.parse() {
            Ok(runs) => hardware::run(runs),
            Err(_) => Err(format!("'{runs}' is not a number of runs")),
        },
        ["exact", options @ ..] => {
            plan(options, exact::EXECUTIONS).and_then(|(count, seed)| exact::executions(count, seed))
        }
        ["liveness", options @ ..] => {
            plan(options, exact::ENDLESS).and_then(|(count, seed)| exact::endless(count, seed))
        }
        ["bench"] => bench::run(),
        ["bench", "rounds"] => bench::rounds(),
        ["bench", "events"] => bench::events(),
        ["bench", "auto"] => bench::auto(""),
        ["bench", "auto", only] => bench::auto(only),
        ["bench", "repair"] => bench::repair(),
        ["bench", "explain"] => bench::explain(),
        ["bench", "executions"] => bench::executions(),
        ["bench", "sequentialize"] => bench::sequentialize(),
        ["bench", "safestack"] => bench::safestack(),
        ["csmith", options @ ..] => csmith::Plan::from_words(options).and_then(|plan| csmith::run(&plan)),
        ["deny"] => deny::run(),
        ["mutants", options @ ..] => mutants::Plan::from_words(options).and_then(|plan| mutants::run(&plan)),
        ["pages"] => pages::run(),
        ["slurm"] => slurm::run(None),
        ["slurm", starter] => slurm::run(Some(starter)),
        ["torture", options @ ..] => torture::Plan::from_words(options).and_then(|plan| torture::run(&plan)),
        ["flow", options @ ..] => flow::Plan::from_words(options).and_then(|plan| flow::run(&plan)),
        ["outcomes", options @ ..] => outcomes::Plan::from_words(options).and_then(|plan| outcomes::run(&plan)),
        ["fuzz", options @ ..] => fuzz::Plan::from_words(options).and_then(|plan| fuzz::run(&plan)),
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(1);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// How many programs, and from which seed on.
fn plan(options: &[&str], count: u64) -> Result<(u64, u64), String> {
    let number = |text: &str| text.parse().map_err(|_| format!("'{text}' is not a number"));
    match *options {
        [] => Ok((count, 0)),
        ["--count", count] => Ok((number(count)?, 0)),
        ["--seed", seed] => Ok((count, number(seed)?)),
        ["--count", count, "--seed", seed] => Ok((number(count)?, number(seed)?)),
        _ => Err(format!("'{}' is not an option here", options.join(" "))),
    }
}

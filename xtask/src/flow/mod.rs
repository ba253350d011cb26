//! Generated control flow: what a C compiler's program does, and what the engines say about the same program with any inputs.
//!
//! The engines that solve formulas share front end, passes and symbolic execution, and on wide inputs nothing that runs
//! programs checks these. Here a compiled program is run on all inputs where they are few, and on hundreds at edges and at random where
//! they are not; what it did gives questions with known answers. A verdict is wrong if it says safe where a
//! run shows the violation, unsafe where no run can, or if it is an internal error. What an engine cannot decide is counted.

pub mod ask;
mod generate;
mod oracle;
mod print;
mod question;
mod shrink;
mod threads;
mod tree;

use crate::norn::root;
use ask::{Answer, Engine, Form};
use norn_ir::number::to_usize;
use norn_testing::Random;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use oracle::Run;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tree::Program;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub count: u64,
    pub seed: u64,
    /// Stop after that time, however many programs there were.
    pub time: Option<Duration>,
    pub threads: bool,
    /// Failures to look for before stopping.
    pub failures: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { count: 500, seed: 1, time: None, threads: false, failures: 3 }
    }
}

impl Plan {
    /// Reads `--threads`, `--count N`, `--seed S` and `--seconds T`.
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan::default();
        let mut words = words.iter();
        while let Some(&option) = words.next() {
            if option == "--threads" {
                plan.threads = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{option} needs a number"))?;
            let number = value.parse::<u64>().map_err(|_| format!("'{value}' is not a number"))?;
            match option {
                "--count" => plan.count = number,
                "--seed" => plan.seed = number,
                "--seconds" => plan.time = Some(Duration::from_secs(number)),
                "--failures" => plan.failures = to_usize(number),
                _ => return Err(format!("'{option}' is not an option of flow")),
            }
        }
        Ok(plan)
    }
}

/// A wrong verdict.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub seed: u64,
    pub engine: Engine,
    pub model: Model,
    pub what: String,
    /// The program with the question in it.
    pub text: String,
}

/// What was asked and answered.
#[derive(Default, Debug)]
pub struct Tally {
    pub programs: u64,
    /// By engine: right, bounded, unknown.
    pub answers: BTreeMap<Engine, [u64; 3]>,
    pub reasons: BTreeMap<String, u64>,
    pub wrong: Vec<Wrong>,
}

/// Programs that one call of the compiler is given.
const BATCH: u64 = 50;
const SECONDS: f64 = 2.0;
/// Programs that a failure is shrunk by.
const TRIES: usize = 600;

/// Runs a plan and prints what came of it.
pub fn run(plan: &Plan) -> Result<(), String> {
    let start = Instant::now();
    let folder = folder()?;
    // Panics of engines are caught and reported.
    std::panic::set_hook(Box::new(|_| {}));
    let tally = norn_c::driver::with_stack(|| check(plan, &folder));
    let _ = std::panic::take_hook();
    let tally = tally?;
    for (engine, [right, bounded, unknown]) in &tally.answers {
        println!("flow: {engine:?}: {right} right, {bounded} within bounds, {unknown} unknown");
    }
    let mut reasons = tally.reasons.iter().collect::<Vec<_>>();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.into_iter().take(8) {
        println!("flow: {count:8} x unknown: {reason}");
    }
    for wrong in &tally.wrong {
        let Wrong { seed, engine, model, what, .. } = wrong;
        println!("FAILED  seed {seed}: {engine:?} under {model}: {what}");
        println!("        see {}", saved(&folder, wrong).display());
    }
    println!(
        "flow: {} programs from seed {}, {} wrong; {:.1} s",
        tally.programs,
        plan.seed,
        tally.wrong.len(),
        start.elapsed().as_secs_f64()
    );
    // Engines that know nothing are never wrong.
    let idle = tally
        .answers
        .iter()
        .find(|(engine, [right, bounded, unknown])| engine.is_symbolic() && right < &(bounded + unknown));
    match tally.wrong.len() {
        0 => idle.map_or(Ok(()), |(engine, _)| Err(format!("{engine:?} decides less than half of the questions"))),
        n => Err(format!("{n} wrong verdicts; the programs are in {}", folder.display())),
    }
}

fn folder() -> Result<PathBuf, String> {
    let folder = root().join("target").join("flow").join(std::process::id().to_string());
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    Ok(folder)
}

fn saved(folder: &Path, wrong: &Wrong) -> PathBuf {
    folder.join(format!("{}-{:?}-{}.c", wrong.seed, wrong.engine, wrong.model))
}

/// Asks about all programs of the plan; failures are shrunk and saved in the folder.
pub fn check(plan: &Plan, folder: &Path) -> Result<Tally, String> {
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut seed = plan.seed;
    let end = plan.seed.saturating_add(plan.count);
    while seed < end && plan.time.is_none_or(|time| start.elapsed() < time) && tally.wrong.len() < plan.failures {
        let seeds = (seed..end.min(seed + BATCH)).collect::<Vec<_>>();
        seed += seeds.len() as u64;
        let make = if plan.threads { threads::program } else { generate::program };
        let programs = seeds.iter().map(|&seed| make(seed)).collect::<Vec<_>>();
        if tally.programs > 0 && tally.programs.is_multiple_of(500) {
            eprintln!("flow: {} programs after {:.0} s", tally.programs, start.elapsed().as_secs_f64());
        }
        let runs = match plan.threads {
            true => vec![Vec::new(); programs.len()],
            false => compiled(&programs.iter().collect::<Vec<_>>(), folder)?,
        };
        for ((&seed, program), runs) in seeds.iter().zip(&programs).zip(&runs) {
            tally.programs += 1;
            let wrong = match plan.threads {
                true => threads::judge(seed, program, None, &mut tally),
                false => judge(seed, program, runs, None, &mut tally),
            };
            if let Some(wrong) = wrong {
                eprintln!("flow: seed {seed}: {:?} under {} is wrong", wrong.engine, wrong.model);
                let wrong = smaller(plan, program, wrong, folder);
                fs::write(saved(folder, &wrong), &wrong.text).map_err(|e| format!("cannot save a program: {e}"))?;
                tally.wrong.push(wrong);
            }
        }
    }
    Ok(tally)
}

fn compiled(programs: &[&Program], folder: &Path) -> Result<Vec<Vec<Run>>, String> {
    let inputs = programs.iter().map(|program| oracle::inputs(program, &mut Random::new(1))).collect::<Vec<_>>();
    oracle::run(programs, &inputs, folder)
}

/// Asks the engines about one program; the first wrong verdict. `only` asks one of them under one model.
fn judge(
    seed: u64,
    program: &Program,
    runs: &[Run],
    only: Option<(Engine, Model)>,
    tally: &mut Tally,
) -> Option<Wrong> {
    let small = program.all_inputs().is_some();
    let questions = question::questions(program, runs, &mut Random::new(seed));
    for (number, question) in questions.iter().enumerate() {
        let wrong = |engine, model, what: String| {
            Some(Wrong { seed, engine, model, what: format!("{}: {what}", question.what), text: question.text.clone() })
        };
        let compiled = match ask::compile(&question.text, None) {
            Ok(compiled) => compiled,
            Err(what) => return wrong(Engine::Events, Model::Sc, what),
        };
        let checks = Checks { memory_safety: seed.is_multiple_of(2), ..Checks::default() };
        for (at, engine) in Engine::ALL.into_iter().enumerate() {
            for (which, model) in Model::ALL.into_iter().enumerate() {
                let asked = match only {
                    Some(pair) => pair == (engine, model),
                    // Every engine is asked under every model, but not about everything.
                    None => (number + which + to_usize(seed)).is_multiple_of(3) && (small || engine.is_symbolic()),
                };
                if !asked || (only.is_none() && engine == Engine::Clocks && !(number + at).is_multiple_of(4)) {
                    continue;
                }
                let answer = ask::ask(&compiled, engine, model, checks, Form::Short, SECONDS);
                let entry = tally.answers.entry(engine).or_default();
                match answer {
                    Answer::Unsafe if !question.violated => return wrong(engine, model, "unsafe".to_owned()),
                    Answer::Safe if question.violated => return wrong(engine, model, "safe".to_owned()),
                    Answer::Broken(what) => return wrong(engine, model, what),
                    Answer::Unsafe | Answer::Safe => entry[0] += 1,
                    Answer::Bounded => entry[1] += 1,
                    Answer::Unknown(reason) => {
                        entry[2] += 1;
                        *tally.reasons.entry(reason).or_default() += 1;
                    }
                }
            }
        }
    }
    None
}

/// The same failure on a smaller program.
fn smaller(plan: &Plan, program: &Program, wrong: Wrong, folder: &Path) -> Wrong {
    let mut last = wrong.clone();
    let only = Some((wrong.engine, wrong.model));
    let again = |candidate: &Program| {
        let found = match plan.threads {
            true => threads::judge(wrong.seed, candidate, only, &mut Tally::default()),
            false => {
                let runs = compiled(&[candidate], folder).ok()?.pop()?;
                judge(wrong.seed, candidate, &runs, only, &mut Tally::default())
            }
        };
        // A text that is not C any more is another failure.
        found.filter(|found| found.what.contains("not accepted") == wrong.what.contains("not accepted"))
    };
    shrink::shrink(program, TRIES, |candidate| match again(candidate) {
        Some(found) => {
            last = found;
            true
        }
        None => false,
    });
    last
}

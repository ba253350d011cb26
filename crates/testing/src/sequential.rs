//! Compares the sequential program with the reference machine. The program is written for a C compiler, compiled with
//! all warnings as errors, and searches its own choices exhaustively; choices that lead to a failure are recorded and
//! followed again.

use norn_emit::{Options, Sma, Tool, sequentialize};
use norn_ir::program::Program;
use norn_machine::enumerate::{Question, rounds, states};
use norn_passes::unwind::{Bounds, unwind};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Safe,
    Unsafe,
    Undecided(String),
}

/// What is compared, and how long it may take.
#[derive(Clone, Copy)]
pub struct Plan {
    pub unwind: u32,
    pub rounds: u32,
    pub timestamps: u32,
    pub nodes: u32,
    /// For each search.
    pub seconds: u32,
    /// TSO and PSO too.
    pub weak: bool,
}

pub const MOST_TIMESTAMPS: u32 = 6;
const SHORT_BUFFER: u32 = 3;

/// How many comparisons were made, and those that could not be.
#[derive(Default, Debug)]
pub struct Tally {
    pub compared: usize,
    pub unsafe_runs: usize,
    pub undecided: Vec<String>,
    pub wrong: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        self.unsafe_runs += other.unsafe_runs;
        self.undecided.extend(other.undecided);
        self.wrong.extend(other.wrong);
    }
}

/// What the emitted programs of one program did.
pub struct Found {
    pub sc: Answer,
    /// By model: the list with the plan that was used last, and the buffers.
    pub weak: Vec<(Model, Plan, Answer, Answer)>,
}

pub struct Bench {
    /// Where programs are compiled.
    pub folder: PathBuf,
}

pub fn bounds(unwind: u32) -> Bounds {
    Bounds { default: unwind, library: 64, at: Vec::new(), max_instructions: 2_000_000 }
}

pub fn options(model: Model, sma: Sma, plan: Plan) -> Options {
    Options {
        model,
        sma,
        tool: Tool::Cc,
        rounds: plan.rounds,
        timestamps: plan.timestamps,
        nodes: (sma == Sma::List).then_some(plan.nodes),
        locations: None,
        mallocs: None,
        bits: None,
        output: "sequential.c".to_owned(),
        source: "test".to_owned(),
    }
}

impl Bench {
    /// Translates, compiles and searches. An error is a fault of the translation.
    pub fn emitted(&self, name: &str, program: &Program, plan: Plan, options: &Options) -> Result<Answer, String> {
        let text = match sequentialize(program, &bounds(plan.unwind), options) {
            Ok(sequential) => sequential.text(),
            Err(refusal) => return Ok(Answer::Undecided(refusal.message)),
        };
        let base = self.folder.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        let (source, binary, choices) =
            (base.with_extension("c"), base.with_extension("bin"), base.with_extension("choices"));
        let write = |path: &PathBuf, text: &[u8]| fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
        write(&source, text.as_bytes())?;
        let compile = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0", "-o"];
        let compiled = run(Command::new("cc").args(compile).arg(&binary).arg(&source))?;
        if !compiled.status.success() {
            let said = String::from_utf8_lossy(&compiled.stderr).lines().take(4).collect::<Vec<_>>().join("\n");
            return Err(format!("{} does not compile: {said}", source.display()));
        }
        let found = run(Command::new(&binary).args(["--search", &plan.seconds.to_string()]))?;
        let answer = match found.status.code() {
            Some(0) => Answer::Safe,
            Some(10) => Answer::Unsafe,
            Some(5) => Answer::Undecided(String::from_utf8_lossy(&found.stdout).trim().to_owned()),
            _ => return Err(format!("{} crashed", binary.display())),
        };
        if answer == Answer::Unsafe {
            write(&choices, &found.stdout)?;
            let again = run(Command::new(&binary).arg(&choices))?;
            if again.status.code() != Some(10) || again.stderr != found.stderr {
                return Err(format!("{} does not fail again with {}", binary.display(), choices.display()));
            }
            let _ = fs::remove_file(&choices);
        }
        let _ = fs::remove_file(&binary);
        let _ = fs::remove_file(&source);
        Ok(answer)
    }

    /// All that should agree, for one program.
    pub fn agree(&self, name: &str, program: &Program, plan: Plan) -> (Tally, Found) {
        let mut tally = Tally::default();
        let mut weak = Vec::new();
        let sc = self.compare(name, program, plan, Model::Sc, Sma::List, &mut tally);
        if !plan.weak {
            return (tally, Found { sc, weak });
        }
        for model in [Model::Tso, Model::Pso] {
            let buffer = self.compare(name, program, plan, model, Sma::Buffer, &mut tally);
            let mut plan = plan;
            // Few timestamps and nodes are quick to search, and mostly enough; buffers have no such bound.
            let mut list = self.search(name, program, plan, model, Sma::List, &mut tally);
            while list == Answer::Safe && buffer == Answer::Unsafe && plan.timestamps < MOST_TIMESTAMPS {
                plan = Plan { timestamps: plan.timestamps + 1, nodes: plan.nodes + 1, ..plan };
                list = self.search(name, program, plan, model, Sma::List, &mut tally);
            }
            tally.equal(&format!("{name} {model}: list and buffer"), &list, &buffer);
            weak.push((model, plan, list, buffer));
        }
        let one = Plan { timestamps: 1, ..plan };
        let as_sc = self.search(name, program, one, Model::Tso, Sma::List, &mut tally);
        tally.equal(&format!("{name}: tso with one timestamp and sc"), &as_sc, &sc);
        (tally, Found { sc, weak })
    }

    fn search(&self, name: &str, program: &Program, plan: Plan, model: Model, sma: Sma, tally: &mut Tally) -> Answer {
        let options = options(model, sma, plan);
        if sma == Sma::Buffer && model != Model::Sc {
            // Short buffers are quick to search, and what they show, longer ones show as well.
            let short = Options { nodes: Some(SHORT_BUFFER), ..options.clone() };
            let plan = Plan { seconds: plan.seconds.div_ceil(10), ..plan };
            let mut noted = Tally::default();
            if self.search_with(name, program, plan, &short, &mut noted) == Answer::Unsafe {
                tally.add(noted);
                return Answer::Unsafe;
            }
            tally.wrong.extend(noted.wrong);
        }
        self.search_with(name, program, plan, &options, tally)
    }

    fn search_with(&self, name: &str, program: &Program, plan: Plan, options: &Options, tally: &mut Tally) -> Answer {
        let Options { model, sma, .. } = options;
        let full = format!("{name} {model:?} {sma:?} {}", plan.timestamps);
        let answer = self.emitted(&full, program, plan, options).unwrap_or_else(|fault| {
            tally.wrong.push(format!("{full}: {fault}"));
            Answer::Undecided("a fault".to_owned())
        });
        tally.unsafe_runs += usize::from(answer == Answer::Unsafe);
        answer
    }

    /// The emitted program and the machine, which gives a store to memory in its thread's slots only: under SC they are
    /// equal, else the emitted one may need fewer rounds.
    fn compare(&self, name: &str, program: &Program, plan: Plan, model: Model, sma: Sma, tally: &mut Tally) -> Answer {
        let emitted = self.search(name, program, plan, model, sma, tally);
        let what = format!("{name} {model} {sma:?}");
        let machine = machine(program, plan, model, Some(plan.rounds));
        if model == Model::Sc {
            tally.equal(&format!("{what}: emitted and machine"), &emitted, &machine);
            return emitted;
        }
        match (&emitted, &machine) {
            (Answer::Undecided(why), _) => tally.undecided.push(format!("{what}: emitted: {why}")),
            (Answer::Safe, Answer::Unsafe) => {
                tally.wrong.push(format!("{what}: the machine reaches a violation in {} rounds", plan.rounds));
            }
            (Answer::Safe, Answer::Undecided(why)) => tally.undecided.push(format!("{what}: machine: {why}")),
            (Answer::Safe, Answer::Safe) | (Answer::Unsafe, Answer::Unsafe) => tally.compared += 1,
            (Answer::Unsafe, _) => match self::machine(program, plan, model, None) {
                Answer::Safe => {
                    tally.wrong.push(format!("{what}: the machine reaches no violation in any number of rounds"))
                }
                Answer::Unsafe => tally.compared += 1,
                Answer::Undecided(why) => tally.undecided.push(format!("{what}: machine: {why}")),
            },
        }
        emitted
    }
}

impl Tally {
    pub fn equal(&mut self, what: &str, left: &Answer, right: &Answer) {
        match (left, right) {
            (Answer::Undecided(why), _) | (_, Answer::Undecided(why)) => self.undecided.push(format!("{what}: {why}")),
            _ if left == right => self.compared += 1,
            _ => self.wrong.push(format!("{what} differ: {left:?}, {right:?}")),
        }
    }
}

/// The machine's answer for the bounded program, within so many rounds or for all executions.
pub fn machine(program: &Program, plan: Plan, model: Model, rounds: Option<u32>) -> Answer {
    let bounded = match unwind(program, &bounds(plan.unwind)) {
        Ok(bounded) => bounded,
        Err(too_large) => return Answer::Undecided(too_large.to_string()),
    };
    let limits = Limits { memory: Some(3 << 30), ..Limits::for_seconds(f64::from(plan.seconds)) };
    // The values that the emitted program tries.
    let domain = [0, 1, 2, 3, u64::MAX];
    let question = Question {
        program: &bounded.program,
        model,
        checks: Checks::default(),
        limits: &limits,
        domain: Some(&domain),
        observed: &[],
    };
    let (violation, incomplete) = match rounds {
        Some(rounds) => {
            let found = rounds::explore(&question, rounds);
            (found.violation, found.incomplete)
        }
        None => {
            let found = states::explore(&question);
            (found.violation, found.incomplete)
        }
    };
    match (violation, incomplete) {
        (Some(_), _) => Answer::Unsafe,
        (None, Some(incomplete)) => Answer::Undecided(incomplete.to_string()),
        (None, None) => Answer::Safe,
    }
}

fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("cannot run {command:?}: {error}"))
}

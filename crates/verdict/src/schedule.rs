//! Schedules: which thread takes which step. A schedule and the program determine an execution; replay needs nothing else.
//!
//! A thread is named by how it came to be ([`ThreadName`]), a step by its number among the visible steps of its thread
//! in the untransformed program, from 1. What a thread does between two visible steps belongs to the former one. A
//! buffered store is committed under the number of the step that made it. Nondeterministic values are listed per
//! thread, in the order in which the thread asks for them.
//!
//! The text form has a version, one line per step, and comments after `#`:
//!
//! ```text
//! norn-schedule 1
//! model tso
//! program 8c3fa01b2d4e5f60
//! input main.1 7 0 12
//! run main.1 1
//! commit main.1 1
//! ```

use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// `main`, or a thread that another one created: `main.2` is the second thread that main created. Such names do not
/// depend on the interleaving.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ThreadName(pub Vec<u32>);

impl ThreadName {
    pub fn main() -> ThreadName {
        ThreadName::default()
    }

    /// The `n`-th thread (from 1) that this one creates.
    pub fn child(&self, n: u32) -> ThreadName {
        let mut path = self.0.clone();
        path.push(n);
        ThreadName(path)
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("main")?;
        self.0.iter().try_for_each(|n| write!(f, ".{n}"))
    }
}

impl FromStr for ThreadName {
    type Err = ();

    fn from_str(text: &str) -> Result<ThreadName, ()> {
        let mut parts = text.split('.');
        if parts.next() != Some("main") {
            return Err(());
        }
        let number = |part: &str| part.parse().ok().filter(|&n: &u32| n > 0 && !part.starts_with('+')).ok_or(());
        Ok(ThreadName(parts.map(number).collect::<Result<_, _>>()?))
    }
}

/// A visible step of a thread, counted from 1 in the untransformed program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct StepNumber(pub u32);

impl StepNumber {
    /// No step has this number: that of a thread that has not taken one, or where no step is meant.
    pub const NONE: StepNumber = StepNumber(0);
    pub const FIRST: StepNumber = StepNumber(1);

    /// The place of the step in a list of the thread's steps.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }

    #[inline]
    pub fn next(self) -> StepNumber {
        StepNumber(self.0 + 1)
    }

    /// Whether it comes directly after the step `before` of the same thread.
    pub fn follows(self, before: StepNumber) -> bool {
        self.0.checked_sub(1) == Some(before.0)
    }
}

impl fmt::Display for StepNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Step {
    /// The thread takes its step of this number and goes on to just before the next.
    Run { thread: ThreadName, step: StepNumber },
    /// The store that the thread made with its step of this number reaches memory.
    Commit { thread: ThreadName, step: StepNumber },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    pub model: Model,
    /// Tells schedules of different programs apart: [`fingerprint`] of the program.
    pub program: u64,
    pub steps: Vec<Step>,
    /// Nondeterministic values, cut to the width of their type; threads in order of name.
    pub inputs: Vec<(ThreadName, Vec<u64>)>,
}

/// A number that differs between different programs: FNV-1a over the text form of the IR.
pub fn fingerprint(program: &norn_ir::program::Program) -> u64 {
    use fmt::Write;
    struct Hasher(u64);
    impl Write for Hasher {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            for byte in s.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            Ok(())
        }
    }
    let mut hasher = Hasher(0xcbf2_9ce4_8422_2325);
    write!(hasher, "{program}").expect("hashing should not fail");
    hasher.0
}

const VERSION_LINE: &str = "norn-schedule 1";

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION_LINE}\nmodel {}\nprogram {:016x}", self.model, self.program)?;
        for (thread, values) in &self.inputs {
            write!(f, "input {thread}")?;
            values.iter().try_for_each(|v| write!(f, " {v}"))?;
            writeln!(f)?;
        }
        for step in &self.steps {
            match step {
                Step::Run { thread, step } => writeln!(f, "run {thread} {step}")?,
                Step::Commit { thread, step } => writeln!(f, "commit {thread} {step}")?,
            }
        }
        writeln!(f, "end")
    }
}

/// Why a text is not a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// From 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let mut model = None;
        let mut program = None;
        let mut schedule = Schedule { model: Model::Sc, program: 0, steps: Vec::new(), inputs: Vec::new() };
        let mut version_seen = false;
        let mut ended = false;
        let mut last_line = 0;
        for (i, raw) in text.lines().enumerate() {
            last_line = i + 1;
            let error = |message: String| ScheduleError { line: i + 1, message };
            let line = raw.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if !version_seen {
                if line != VERSION_LINE {
                    return Err(error(format!("expected '{VERSION_LINE}': this is not a schedule of this version")));
                }
                version_seen = true;
                continue;
            }
            if ended {
                return Err(error("there should be nothing after 'end'".to_owned()));
            }
            let words = line.split_whitespace().collect::<Vec<_>>();
            let thread = |word: &str| word.parse().map_err(|()| error(format!("'{word}' is not a thread's name")));
            let step = |word: &str| {
                word.parse()
                    .ok()
                    .filter(|&n: &u32| n > 0)
                    .map(StepNumber)
                    .ok_or_else(|| error(format!("'{word}' is not a step's number")))
            };
            match words.as_slice() {
                ["model", name] => model = Some(name.parse().map_err(error)?),
                ["program", hex] => {
                    let number = u64::from_str_radix(hex, 16);
                    program = Some(number.map_err(|_| error(format!("'{hex}' is not a program's number")))?);
                }
                ["input", name, values @ ..] => {
                    let value = |v: &&str| v.parse().map_err(|_| error(format!("'{v}' is not a value")));
                    schedule.inputs.push((thread(name)?, values.iter().map(value).collect::<Result<_, _>>()?));
                }
                ["run", name, n] => schedule.steps.push(Step::Run { thread: thread(name)?, step: step(n)? }),
                ["commit", name, n] => schedule.steps.push(Step::Commit { thread: thread(name)?, step: step(n)? }),
                ["end"] => ended = true,
                _ => return Err(error(format!("'{line}' is not a line of a schedule"))),
            }
        }
        let at_end = |message: &str| ScheduleError { line: last_line.max(1), message: message.to_owned() };
        if !ended {
            return Err(at_end("the schedule is cut off: its last line should be 'end'"));
        }
        schedule.model = model.ok_or_else(|| at_end("the line 'model …' is missing"))?;
        schedule.program = program.ok_or_else(|| at_end("the line 'program …' is missing"))?;
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Schedule {
        let t = ThreadName::main().child(2).child(1);
        Schedule {
            model: Model::Pso,
            program: 0xabc,
            steps: vec![
                Step::Run { thread: ThreadName::main(), step: StepNumber(1) },
                Step::Commit { thread: t.clone(), step: StepNumber(7) },
            ],
            inputs: vec![(t, vec![0, u64::MAX])],
        }
    }

    #[test]
    fn the_text_form_reads_back() {
        let text = example().to_string();
        assert!(text.contains("commit main.2.1 7\n"), "{text}");
        assert_eq!(text.parse(), Ok(example()));
    }

    #[test]
    fn comments_are_skipped() {
        let text = example().to_string().replace("run", "# a comment\n  run").replace("7\n", "7 # why\n");
        assert_eq!(text.parse(), Ok(example()));
    }

    #[test]
    fn what_is_no_schedule_is_told() {
        let check = |text: &str, line: usize, part: &str| {
            let error = text.parse::<Schedule>().expect_err("this should not be a schedule");
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(part), "{error}");
        };
        check("", 1, "cut off");
        check("hello", 1, "norn-schedule 1");
        check("norn-schedule 2\n", 1, "norn-schedule 1");
        check("norn-schedule 1\nmodel arm\n", 2, "'arm'");
        check("norn-schedule 1\nmodel sc\nprogram 1\nrun main.0 1\nend\n", 4, "main.0");
        check("norn-schedule 1\nmodel sc\nprogram 1\nrun main 0\nend\n", 4, "'0'");
        check("norn-schedule 1\nmodel sc\nend\n", 3, "program");
        let full = example().to_string();
        for cut in 0..full.len() - 1 {
            assert!(full[..cut].parse::<Schedule>().is_err(), "{:?}", &full[..cut]);
        }
    }
}

//! Programs whose answer a C compiler knows, with constants turned into inputs that an assumption pins: for the engines that solve
//! formulas they are wide inputs, and what they say must still be what the compiled program does.

mod literals;

use crate::flow::ask::{Answer, Engine, Form, ask, compile};
use literals::Literal;
use norn_testing::Random;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A compiled program that takes longer is skipped.
const LONGEST_COMPILED_RUN: Duration = Duration::from_secs(2);

/// A text some of whose constants are variables now.
#[derive(Clone)]
pub struct Pinned {
    pub text: String,
    constants: Vec<(String, &'static str)>,
}

impl Pinned {
    /// At most so many constants become inputs.
    pub fn new(text: &str, most: usize, random: &mut Random) -> Pinned {
        let mut left = literals::literals(text);
        let mut chosen: Vec<Literal> = Vec::new();
        while chosen.len() < most && !left.is_empty() {
            chosen.push(left.swap_remove(random.index(left.len())));
        }
        chosen.sort_by_key(|literal| literal.start);
        let (mut changed, mut at, mut constants) = (String::new(), 0, Vec::new());
        for (number, Literal { start, end, ctype }) in chosen.into_iter().enumerate() {
            let _ = write!(changed, "{}norn_in_{number}", &text[at..start]);
            constants.push((text[start..end].to_owned(), ctype));
            at = end;
        }
        changed += &text[at..];
        Pinned { text: changed, constants }
    }

    /// To come before the text.
    pub fn declarations(&self) -> String {
        let each = self.constants.iter().enumerate().map(|(n, (_, ctype))| format!("static {ctype} norn_in_{n};\n"));
        each.collect()
    }

    /// To come first in main: the variables have their values again.
    pub fn assigned(&self) -> String {
        let each = self.constants.iter().enumerate().map(|(n, (value, _))| format!("  norn_in_{n} = {value};\n"));
        each.collect()
    }

    /// The same, but the values are inputs that an assumption pins, in one way or another.
    pub fn assumed(&self) -> String {
        let each = self.constants.iter().enumerate().map(|(n, (value, ctype))| {
            let name = format!("norn_in_{n}");
            let pins = match n % 3 {
                0 => format!("{name} == {value}"),
                1 => format!("{name} >= {value} && {name} <= {value}"),
                _ => format!("!({name} < {value} || {name} > {value})"),
            };
            format!("  {name} = norn_any_{}();\n  __VERIFIER_assume({pins});\n", ctype.replace(' ', "_"))
        });
        each.collect()
    }
}

/// Declares what `assumed` calls.
pub const ANY: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    extern long __VERIFIER_nondet_long(void);\nextern unsigned long __VERIFIER_nondet_ulong(void);\n\
    extern void __VERIFIER_assume(int);\nextern void reach_error(void);\n\
    static int norn_any_int(void) { return __VERIFIER_nondet_int(); }\n\
    static unsigned norn_any_unsigned(void) { return __VERIFIER_nondet_uint(); }\n\
    static long norn_any_long(void) { return __VERIFIER_nondet_long(); }\n\
    static unsigned long norn_any_unsigned_long(void) { return __VERIFIER_nondet_ulong(); }\n\
    static long long norn_any_long_long(void) { return __VERIFIER_nondet_long(); }\n\
    static unsigned long long norn_any_unsigned_long_long(void) { return __VERIFIER_nondet_ulong(); }\n";

/// Compiles and runs a text; what it printed, if it was accepted and ended well and soon.
pub fn compiled(text: &str, name: &Path, options: &[String]) -> Result<Option<String>, String> {
    let (source, binary) = (name.with_extension("gcc.c"), name.with_extension("exe"));
    let cannot = |e: std::io::Error| format!("cannot use {}: {e}", binary.display());
    std::fs::write(&source, text).map_err(cannot)?;
    let mut cc = Command::new("cc");
    cc.args(["-fwrapv", "-w", "-O0"]).args(options).arg(&source).arg("-o").arg(&binary).arg("-lm");
    let built = cc.stdout(Stdio::null()).stderr(Stdio::null()).status().map_err(|e| format!("cannot run cc: {e}"))?;
    let _ = std::fs::remove_file(&source);
    if !built.success() {
        return Ok(None);
    }
    let printed = name.with_extension("out");
    let file = std::fs::File::create(&printed).map_err(cannot)?;
    let mut child =
        Command::new(&binary).stdin(Stdio::null()).stdout(file).stderr(Stdio::null()).spawn().map_err(cannot)?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(cannot)? {
            Some(status) => break Some(status),
            None if start.elapsed() > LONGEST_COMPILED_RUN => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let text = std::fs::read(&printed).map_err(cannot)?;
    let _ = std::fs::remove_file(&binary);
    let _ = std::fs::remove_file(&printed);
    Ok(status.filter(|s| s.success()).map(|_| String::from_utf8_lossy(&text).into_owned()))
}

/// A text for Norn, and whether some execution violates what it claims.
pub struct Question {
    pub text: String,
    pub violated: bool,
    pub engines: &'static [Engine],
}

pub const SYMBOLIC: &[Engine] = &[Engine::Events, Engine::Rounds];
pub const CONCRETE: &[Engine] = &[Engine::States];

/// What came of many programs.
#[derive(Default)]
pub struct Tally {
    pub programs: u64,
    pub left_out: u64,
    pub answers: BTreeMap<Engine, [u64; 2]>,
    pub reasons: BTreeMap<String, u64>,
    pub wrong: Vec<String>,
}

impl Tally {
    /// Asks; what is wrong is kept in a file beside `name`.
    pub fn ask(&mut self, name: &Path, questions: &[Question], include: Option<&Path>, model: Model, seconds: f64) {
        for question in questions {
            let program = match compile(&question.text, include) {
                Ok(program) => program,
                Err(why) => {
                    for &engine in question.engines {
                        self.unknown(engine, &why);
                    }
                    continue;
                }
            };
            for &engine in question.engines {
                let answer = ask(&program, engine, model, Checks::default(), Form::Growing, seconds);
                let wrong = match answer {
                    Answer::Unsafe if !question.violated => "unsafe".to_owned(),
                    Answer::Safe if question.violated => "safe".to_owned(),
                    Answer::Broken(what) => what,
                    Answer::Unsafe | Answer::Safe => {
                        self.answers.entry(engine).or_default()[0] += 1;
                        continue;
                    }
                    Answer::Bounded => {
                        self.unknown(engine, "bounds that are not enough");
                        continue;
                    }
                    Answer::Unknown(why) => {
                        self.unknown(engine, &why);
                        continue;
                    }
                };
                let kind = if question.violated { "end" } else { "fault" };
                let file = name.with_extension(format!("{engine:?}-{kind}.c"));
                let _ = std::fs::write(&file, &question.text);
                self.wrong.push(format!("{engine:?} under {model}: {wrong}: see {}", file.display()));
                println!("FAILED  {}", self.wrong.last().map_or("", String::as_str));
            }
        }
    }

    fn unknown(&mut self, engine: Engine, why: &str) {
        self.answers.entry(engine).or_default()[1] += 1;
        // Names differ, reasons do not.
        let why = why.split(['\'', '`']).step_by(2).collect::<Vec<_>>().join("…");
        *self.reasons.entry(why.chars().take(110).collect()).or_default() += 1;
    }

    /// Prints the sum.
    pub fn report(&self, title: &str, start: Instant) -> Result<(), String> {
        for (engine, [right, unknown]) in &self.answers {
            println!("{title}: {engine:?}: {right} right, {unknown} unknown");
        }
        let mut reasons = self.reasons.iter().collect::<Vec<_>>();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons.into_iter().take(15) {
            println!("{title}: {count:6} x unknown: {reason}");
        }
        println!(
            "{title}: {} programs, {} left out, {} wrong; {:.1} s",
            self.programs,
            self.left_out,
            self.wrong.len(),
            start.elapsed().as_secs_f64()
        );
        match self.wrong.len() {
            0 if self.programs == 0 => Err("no program could be compared".to_owned()),
            0 => Ok(()),
            n => Err(format!("{n} wrong verdicts")),
        }
    }
}

//! What the models of the library mean, from C text to verdict.
//!
//! Each file of `tests/models` is a list of small programs, one per fact. A program begins with lines `//// …`: the
//! fact, and after it what `norn check` should say, `//// check [OPTIONS]: VERDICT`, where the verdict is one of
//!
//! - `safe`, without any bound;
//! - `unsafe PROPERTY [TEXT] [@MARK]`: TEXT is a part of the message, and the violation is in the line that contains
//!   `// @MARK`; in TEXT, `{MARK}` stands for the file and number of such a line;
//! - `unknown TEXT [@MARK]`: likewise, with the reason.
//!
//! It is checked on the reference machine, whose first violation is always the same one, unless the options name an
//! engine, and under SC, TSO and PSO unless they name models. `prelude.h` is included before each program, unless
//! the options contain `--system-headers`.

mod support;

use serde_json::Value;
use std::fmt::Write;
use support::Folder;

const FILE: &str = "test.c";

/// One program with its expectations.
struct Fact<'a> {
    line: usize,
    statement: String,
    checks: Vec<&'a str>,
    /// The program, with as many empty lines before it as there are in the file.
    text: String,
}

fn facts(file: &str) -> Vec<Fact<'_>> {
    let mut facts: Vec<Fact<'_>> = Vec::new();
    let mut in_header = false;
    for (index, line) in file.lines().enumerate() {
        let header = line.strip_prefix("////");
        if header.is_some() && !in_header {
            let line = index + 1;
            facts.push(Fact { line, statement: String::new(), checks: Vec::new(), text: "\n".repeat(index) });
        }
        in_header = header.is_some();
        let fact = facts.last_mut().expect("a file should begin with a fact");
        match header.map(str::trim) {
            Some(header) => match header.strip_prefix("check") {
                Some(check) => fact.checks.push(check),
                None => fact.statement.push_str(header),
            },
            None => fact.text.push_str(line),
        }
        fact.text.push('\n');
    }
    facts
}

impl Fact<'_> {
    fn marked_line(&self, mark: &str) -> usize {
        let is_marked = |line: &str| line.split_once("// @").is_some_and(|(_, m)| m == mark);
        let found = self.text.lines().position(is_marked);
        found.unwrap_or_else(|| panic!("the program in line {} should mark a line with @{mark}", self.line)) + 1
    }

    /// `{MARK}` becomes the file and number of the marked line.
    fn with_places(&self, expected: &str) -> String {
        let mut pieces = expected.split('{');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (mark, rest) = piece.split_once('}').expect("a brace should be closed");
            let _ = write!(text, "{FILE}:{}{rest}", self.marked_line(mark));
        }
        text
    }

    /// What is wrong with a verdict, if anything.
    fn fault(&self, expected: &str, found: &Value) -> Option<String> {
        let (expected, mark) = match expected.rsplit_once(" @") {
            Some((expected, mark)) => (expected, Some(mark)),
            None => (expected, None),
        };
        let expected = self.with_places(expected);
        let string = |name: &str| found[name].as_str().unwrap_or_default();
        let (verdict, message) = match string("verdict") {
            "unsafe" => (format!("unsafe {}", string("property")), string("message")),
            "safe" if found["complete"] != true => ("safe within bounds".to_owned(), ""),
            other => (other.to_owned(), string("reason")),
        };
        let is_as_expected = match expected.strip_prefix(&verdict) {
            Some("") => true,
            Some(text) => text.strip_prefix(' ').is_some_and(|text| message.contains(text)),
            None => false,
        };
        let line = found["location"]["line"].as_u64();
        let expected_line = mark.map(|mark| self.marked_line(mark) as u64);
        if is_as_expected && expected_line.is_none_or(|expected| line == Some(expected)) {
            return None;
        }
        Some(format!("expected '{expected}' in line {expected_line:?}, found '{verdict} {message}' in line {line:?}"))
    }

    /// Runs the checks; what is wrong with each, by options and model.
    fn faults(&self, folder: &Folder) -> Vec<String> {
        assert!(!self.statement.is_empty() && !self.checks.is_empty(), "line {} should state a fact", self.line);
        folder.write(FILE, &self.text);
        let mut faults = Vec::new();
        for check in &self.checks {
            let (options, expected) = check.split_once(": ").expect("a check should have a verdict");
            let mut args = vec!["check", "--json", FILE];
            args.extend(options.split_whitespace());
            if !args.contains(&"-e") {
                args.extend(["-e", "enumerate"]);
            }
            if !args.contains(&"-m") {
                args.extend(["-m", "sc,tso,pso"]);
            }
            if !args.contains(&"--system-headers") {
                args.extend(["-include", "prelude.h"]);
            }
            let run = folder.norn(&args);
            let found = match serde_json::from_str::<Value>(&run.stdout()) {
                Ok(output) => support::verdicts(&output),
                Err(_) => panic!("line {} with '{options}':\n{}{}", self.line, run.stdout(), run.stderr()),
            };
            let status = match expected.split(' ').next() {
                Some("safe") => 0,
                Some("unsafe") => 10,
                _ => 5,
            };
            if run.status() != status {
                faults.push(format!("{options}: expected status {status}, found {}", run.status()));
            }
            let wrong = found.iter().filter_map(|v| Some((&v["model"], self.fault(expected, v)?)));
            faults.extend(wrong.map(|(model, fault)| format!("{options} {model}: {fault}")));
        }
        faults
    }
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(&format!("models_{name}"));
    folder.write("prelude.h", include_str!("models/prelude.h"));
    folder
}

fn check_file(name: &str, file: &str) {
    let folder = folder(name);
    let mut report = String::new();
    for fact in facts(file) {
        for fault in fact.faults(&folder) {
            let _ = writeln!(report, "models/{name}.c:{}: {}\n  {fault}", fact.line, fact.statement);
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn wrong_expectations_are_noticed() {
    let file = "//// Nothing here is as it is said to be.\n\
                //// check -m sc: safe\n\
                //// check -m sc: unsafe deadlock\n\
                //// check -m sc: unsafe assertion 1 == 3\n\
                //// check -m sc: unsafe assertion @main\n\
                //// check -m sc: unknown\n\
                //// check -m sc: unsafe assertion 1 == 2 @assertion\n\
                int main(void) { // @main\n\
                assert(1 == 2); // @assertion\n\
                }\n";
    let [fact] = &facts(file)[..] else { panic!("there should be one fact") };
    let faults = fact.faults(&folder("wrong"));
    // Safe and unknown also have another status. Only the last line is right.
    assert_eq!(faults.len(), 7, "{faults:#?}");
}

macro_rules! files {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check_file(stringify!($name), include_str!(concat!("models/", stringify!($name), ".c")));
            }
        )*
    };
}

files! {
    asm barrier c11 cancel cond extensions fences futex glibc idle keys leaks memory mutex objects options orders posix
    process races rwlock semaphore shifts spin_once symmetry system threads wide
}

//! Small programs for the tests.

use crate::enumerate::{Finding, Question, states};
use crate::replay::{End, replay};
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, ViolationKind};
use std::collections::BTreeSet;

/// A program from the text of its globals and functions, with types `t0` `int`, `t1` `int *`, `t2` `int[4]`, `t3`
/// `char`, `t4` `long`.
pub fn text(rest: &str) -> Program {
    let text = format!(
        "norn-ir 1\ntarget lp64\nentry f0\nfile 0 \"test.c\"\ntype t0 = i32 signed\ntype t1 = ptr pointer\n\
         type t2 = array 4 * t0\ntype t3 = i8 char\ntype t4 = i64 signed\n{rest}"
    );
    let program = norn_ir::parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(findings) = norn_ir::validate::validate(&program) {
        panic!("{findings:?}\n{text}");
    }
    program
}

/// The registers of every function made here.
pub const REGISTERS: &str = "r0, r1, r2, r3: i32\nr4, r5: bool\nr6: ptr\nr7, r8: i64\nr9: i8\n";

/// A function with those registers. A body without labels is one block that returns.
pub fn function(id: usize, name: &str, body: &str) -> String {
    let body = if body.contains("b0:") { body.to_owned() } else { format!("b0:\n{body}\nreturn") };
    format!("function f{id} \"{name}\" () {{\n{REGISTERS}{body}\n}}\n")
}

/// `int` globals by name and threads that main creates and joins.
pub fn threads(globals: &str, bodies: &[&str]) -> Program {
    threads_and(globals, bodies, "")
}

/// The same, with something for main to do after the joins.
pub fn threads_and(globals: &str, bodies: &[&str], after: &str) -> Program {
    let mut out = String::new();
    for (i, name) in globals.split_whitespace().enumerate() {
        out.push_str(&format!("global g{i} \"{name}\": t0\n"));
    }
    let list = |f: &dyn Fn(usize) -> String| (0..bodies.len()).map(f).collect::<String>();
    let handles: String = (0..bodies.len()).map(|i| format!("r{}: i64\n", i + 10)).collect();
    out.push_str(&format!(
        "function f0 \"main\" () {{\n{REGISTERS}{handles}b0:\n{}{}{after}\nreturn\n}}\n",
        list(&|i| format!("r{} = spawn f{}()\n", i + 10, i + 1)),
        list(&|i| format!("join r{}\n", i + 10)),
    ));
    for (i, body) in bodies.iter().enumerate() {
        out.push_str(&function(i + 1, &format!("thread{}", i + 1), body));
    }
    text(&out)
}

pub fn explore(program: &Program, model: Model, checks: Checks, observed: &[GlobalId]) -> states::Explored {
    let limits = Limits::none();
    states::explore(&Question { program, model, checks, limits: &limits, domain: Some(&[0, 1, 2]), observed })
}

/// The final values of the named `int` globals.
pub fn finals(program: &Program, model: Model, names: &str) -> BTreeSet<Vec<i32>> {
    let ids: Vec<GlobalId> = names
        .split_whitespace()
        .map(|name| GlobalId::new(program.globals.iter().position(|g| g.name == name).expect("it should be there")))
        .collect();
    let found = explore(program, model, Checks::default(), &ids);
    assert_eq!(found.violation, None);
    assert_eq!(found.incomplete, None);
    let number = |bytes: Vec<u8>| i32::from_le_bytes(bytes.try_into().expect("it should be an int"));
    found.finals.into_iter().map(|values| values.into_iter().map(number).collect()).collect()
}

/// Checks the exact sets of final values, given as `0 1, 1 1`, under SC, TSO and PSO.
pub fn check_finals(program: &Program, names: &str, expected: [&str; 3]) {
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        let parse = |line: &str| line.split_whitespace().map(|n| n.parse().expect("a number")).collect();
        let expected: BTreeSet<Vec<i32>> = expected.split(',').map(parse).collect();
        assert_eq!(finals(program, model, names), expected, "{model}, {names}");
    }
}

/// The first violation, replayed.
pub fn violation(program: &Program, model: Model, checks: Checks) -> Option<Finding> {
    let found = explore(program, model, checks, &[]);
    match found.violation {
        Some(finding) => {
            let replayed = replay(program, checks, &finding.schedule).expect("the schedule should run");
            assert_eq!(replayed.end, End::Violation(finding.violation.clone()));
            let text = finding.schedule.to_string();
            assert_eq!(text.parse().as_ref(), Ok(&finding.schedule));
            Some(finding)
        }
        None => {
            assert_eq!(found.incomplete, None);
            None
        }
    }
}

pub fn kind(program: &Program, model: Model, checks: Checks) -> Option<ViolationKind> {
    violation(program, model, checks).map(|finding| finding.violation.kind)
}

pub const NONE: Checks = Checks::DEFAULT;
pub const MEMORY: Checks = Checks { memory_safety: true, ..NONE };
pub const DEADLOCK: Checks = Checks { deadlock: true, ..NONE };
pub const RACE: Checks = Checks { data_race: true, ..NONE };

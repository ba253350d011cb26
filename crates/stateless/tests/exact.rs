//! The engine explores each trace once: its counts and final states are those of the reference enumeration.

#[path = "../../exec/tests/generate/mod.rs"]
mod generate;

use generate::{Random, Shape, program};
use norn_c::driver::{self, Input};
use norn_ir::ids::GlobalId;
use norn_ir::program::{Program, Storage};
use norn_machine::enumerate::{Question, states, traces};
use norn_stateless::{Task, explore, verdict};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::BTreeSet;

fn compile(text: &str) -> Program {
    let input = Input::Text { name: "test.c".to_owned(), text: text.to_owned() };
    let compiled = driver::compile(Default::default(), None, vec![input]);
    let mut program = compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    norn_passes::escape::mark_private(&mut program);
    program
}

/// Compares under all models; gives the numbers of complete executions.
fn check(program: &Program, checks: Checks, name: &str) -> [u64; 3] {
    let observed: Vec<GlobalId> = (0..program.globals.len())
        .map(GlobalId::new)
        .filter(|&id| program.global(id).storage == Storage::Static)
        .collect();
    Model::ALL.map(|model| {
        let limits = Limits::for_seconds(20.0);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = traces::count(&question);
        let limits = Limits::for_seconds(20.0);
        let task = Task { program, model, checks, bounds: None, limits: &limits };
        let mut finals = BTreeSet::new();
        let found = explore(&task, &mut |executor| {
            finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
        });
        if expected.violation.is_some() {
            assert!(found.violation.is_some(), "{name} {model}: a violation was missed: {found:?}");
            let verdict = verdict(&task).unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}"));
            assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{name} {model}");
            return 0;
        }
        assert_eq!(found.violation, None, "{name} {model}: the machine sees no violation");
        if expected.incomplete.is_some() {
            assert!(found.incomplete.is_some(), "{name} {model}: {:?}", expected.incomplete);
            return 0;
        }
        assert_eq!(found.incomplete, None, "{name} {model}");
        let counts = (found.counts.complete, found.counts.blocked, found.counts.redundant);
        let expected_counts = (expected.complete as u64, expected.blocked as u64, 0);
        assert_eq!(counts, expected_counts, "{name} {model}: {:?}", found.counts);
        let all = states::explore(&Question { limits: &Limits::none(), ..question });
        if expected.blocked == 0 {
            assert_eq!(finals, all.finals, "{name} {model}: the final states differ");
        }
        found.counts.complete
    })
}

fn check_random(count: u64, seed: u64, shape: Shape) {
    let count = std::env::var("NORN_TEST_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(count);
    for number in 0..count {
        let text = program(&mut Random::new(seed + number), shape);
        let result = std::panic::catch_unwind(|| check(&compile(&text), Checks::default(), &format!("{number}")));
        assert!(result.is_ok(), "program {number}:\n{text}");
    }
}

#[test]
fn accesses_and_fences() {
    check_random(60, 1000, Shape { threads: (2, 3), statements: (1, 3), library: false, ends: false, inputs: false });
}

#[test]
fn locks_and_memory() {
    check_random(40, 5000, Shape { threads: (2, 2), statements: (1, 3), library: true, ends: false, inputs: false });
}

#[test]
fn stops_and_exits() {
    check_random(40, 9000, Shape { threads: (2, 3), statements: (1, 3), library: false, ends: true, inputs: false });
}

#[test]
fn known_numbers() {
    let threads = |globals: &str, bodies: &[&str]| {
        let mut text = format!("#include <pthread.h>\n#include <stdatomic.h>\n{globals}\n");
        for (i, body) in bodies.iter().enumerate() {
            text += &format!("void *t{i}(void *arg) {{ {body} return 0; }}\n");
        }
        text += "int main(void) { pthread_t id;\n";
        for i in 0..bodies.len() {
            text += &format!("pthread_create(&id, 0, t{i}, 0);\n");
        }
        compile(&(text + "return 0; }"))
    };
    let counts = |program: &Program| check(program, Checks::default(), "");
    // Store buffering: the fourth trace needs buffers.
    assert_eq!(counts(&threads("volatile int x, y;", &["x = 1; (void)y;", "y = 1; (void)x;"])), [3, 4, 4]);
    // Message passing: only PSO reorders the stores.
    assert_eq!(counts(&threads("volatile int x, y;", &["x = 1; y = 1;", "(void)y; (void)x;"])), [3, 3, 4]);
    // Forwarding: the read of the own store is one trace whether the store is in memory or not.
    assert_eq!(counts(&threads("volatile int x;", &["x = 1; (void)x;", "x = 2;"])), [3, 3, 3]);
    let lock = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    let program = threads("int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", &[lock, lock, lock]);
    assert_eq!(counts(&program), [6, 6, 6]);
}

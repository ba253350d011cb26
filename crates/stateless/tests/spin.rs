//! Programs that spin: with idle iterations left out, the engine finds the violations and the final states that the
//! enumeration of all states of the program itself finds, and its counterexamples replay on the program itself.

use norn_engine::{Engine, Prepared, Query};
use norn_ir::ids::GlobalId;
use norn_ir::program::Storage;
use norn_ir::validate::validate;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::spin::spin;
use norn_passes::unwind::Bounds;
use norn_stateless::{Stateless, explore};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
    volatile int x, y, z;\natomic_int a;\nint seen[4];\nstatic int get(void) { return x; }\n\
    static int both(void) { return x + y; }\nvolatile int *volatile p = &x;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

/// The bodies of threads, started by main, which then does something of its own.
fn threads(bodies: &[&str], main: &str) -> String {
    let mut text = HEAD.to_owned();
    for (i, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "void *t{i}(void *arg) {{\n  int r = 0;\n  {body}\n  seen[{i}] = r;\n  return 0;\n}}");
    }
    text.push_str("int main(void) {\n  int r = 0;\n");
    for i in 0..bodies.len() {
        let _ = writeln!(text, "  pthread_t id{i};\n  pthread_create(&id{i}, 0, t{i}, 0);");
    }
    let _ = writeln!(text, "  {main}\n  seen[3] = r;\n  return 0;\n}}");
    text
}

/// Compares under all models. Gives how often safe, unsafe, and safe with all threads coming to their ends came out, or
/// `None` if that took too long.
fn check(program: &Prepared, deadlock: bool) -> Option<[u32; 3]> {
    let checks = Checks { deadlock, ..Checks::default() };
    let spun = spin(program, !deadlock).program;
    assert_eq!(validate(&spun), Ok(()));
    let observed: Vec<GlobalId> = (0..program.globals.len())
        .map(GlobalId::new)
        .filter(|&id| program.global(id).storage == Storage::Static && !program.global(id).private)
        .collect();
    let mut verdicts = [0; 3];
    for model in Model::ALL {
        let limits = at_most(1 << 16);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = states::explore(&question);
        if expected.violation.is_none() && expected.incomplete.is_some() {
            return None;
        }
        let limits = Limits::for_seconds(20.0);
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let mut finals = BTreeSet::new();
        let found = explore(&Query { program: &Prepared::new(spun.clone()), ..query }, &mut |executor| {
            finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
        });
        let outcome =
            Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model}: {mismatch}")).outcome;
        if let Some(finding) = expected.violation {
            let Outcome::Unsafe(counterexample) = outcome else { panic!("{model}: {outcome:?}") };
            // A program may have a deadlock beside a wrong assertion.
            let same = counterexample.violation().kind == finding.violation.kind;
            assert!(same || deadlock, "{model}: {:?}", counterexample.violation());
            verdicts[1] += 1;
            continue;
        }
        assert!(matches!(&outcome, Outcome::Safe { bounds } if bounds.is_empty()), "{model}: {outcome:?}");
        assert_eq!(found.incomplete, None, "{model}");
        assert_eq!(finals, expected.finals, "{model}: the final states differ");
        verdicts[0] += 1;
        verdicts[2] += u32::from(!finals.is_empty());
    }
    Some(verdicts)
}

fn statement(random: &mut Random) -> String {
    let value = 1 + random.below(2);
    let other = 1 + random.below(2);
    let place = ["x", "y", "z"][random.index(3)];
    let second = ["x", "y", "z"][random.index(3)];
    match random.below(36) {
        28..=32 => format!("{place} = {value};"),
        33..=34 => "pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);".to_owned(),
        35 => "pthread_mutex_lock(&m); y = 1;".to_owned(),
        0..=3 => format!("{place} = {value};"),
        4 => format!("r += {place};"),
        5 => format!("atomic_store_explicit(&a, {value}, memory_order_release);"),
        6 => "r += atomic_load(&a);".to_owned(),
        7 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
        8 => format!("while ({place} == 0) ;"),
        9 => format!("do r = {place}; while (r != {value});"),
        10 => format!("while ({place} != {value}) sched_yield();"),
        11 => format!("while ({place} == 0) atomic_thread_fence(memory_order_seq_cst);"),
        12 => format!("for (;;) {{ atomic_thread_fence(memory_order_release); if ({place} == {value}) break; }}"),
        13 => format!("while ({place} == 0 && {second} == 0) ;"),
        14 => format!("while ({place} + {second} < {}) ;", value + other),
        15 => "while (get() == 0) ;".to_owned(),
        16 => "while (both() == 0) ;".to_owned(),
        17 => format!("while (*p != {value}) ;"),
        18 => format!("{{ int e; do e = 0; while (!atomic_compare_exchange_strong(&a, &e, {value})); }}"),
        19 => format!("for (;;) {{ int e = {value}; if (atomic_compare_exchange_weak(&a, &e, 0)) break; }}"),
        // Those that write something else in turns never come to an end.
        20 => "while (atomic_exchange(&a, 1)) ;".to_owned(),
        21 => "while (atomic_fetch_or(&a, 1)) ;".to_owned(),
        22 => format!(
            "for (;;) {{ __VERIFIER_atomic_begin(); if ({place} == {value}) {{ {place} = 0; __VERIFIER_atomic_end(); break; }} \
             __VERIFIER_atomic_end(); }}"
        ),
        23 => format!("for (;;) {{ int v = {place}; assert(v != {value}); if (v) break; }}"),
        24 => format!("while ({place} == 0) {{ if (__VERIFIER_nondet_bool()) break; }}"),
        25 => format!("for (;;) {{ while ({place} == 0) ; if ({second} != 0) break; }}"),
        26 => format!("while (({place} & {value}) == 0) {{ int i = {second}; if (i == {other}) break; }}"),
        27 => format!("{{ int n = 0; while ({place} == 0 && n < 2) n++; r += n; }}"),
        _ => format!("atomic_store(&a, {});", random.below(3)),
    }
}

fn program(random: &mut Random, count: u64) -> String {
    let mut bodies = Vec::new();
    for _ in 0..count {
        let lines = 1 + random.below(if count == 2 { 3 } else { 2 });
        bodies.push((0..lines).map(|_| statement(random)).collect::<Vec<_>>().join("\n  "));
    }
    let mut main = if random.below(2) == 0 { statement(random) } else { String::new() };
    if random.below(3) > 0 {
        (0..count).for_each(|i| main += &format!(" pthread_join(id{i}, 0);"));
    }
    let claims = ["x != 2 || y != 1", "x + y < 3", "z == 0", "x == 0", "a < 2"];
    let _ = write!(main, " assert({});", claims[random.index(5)]);
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    threads(&bodies, &main)
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
fn check_random(count: u64, seed: u64, number_of_threads: u64, deadlock: bool) {
    let seed = seed + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    let mut decided = [0; 3];
    for number in 0..count {
        let text = program(&mut Random::new(seed + number), number_of_threads);
        let name = format!("program {}", seed + number);
        if let Some(verdicts) = checked(&name, &text, |text| check(&prepare(text), deadlock)) {
            decided.iter_mut().zip(verdicts).for_each(|(sum, n)| *sum += n);
        }
    }
    assert!(decided.iter().all(|&n| u64::from(n) > count / 8), "the programs tell little: {decided:?} of {count}");
}

#[test]
fn two_threads() {
    check_random(150, 100, 2, false);
}

#[test]
fn three_threads() {
    check_random(60, 5000, 3, false);
}

#[test]
fn deadlocks() {
    check_random(60, 9000, 2, true);
}

/// A loop that waits needs no bound; one that does something has the bound that is given, and only that is named.
#[test]
fn bounds_are_for_other_loops() {
    let program = prepare(&threads(&["x = 1;"], "while (!x) ;\nint n = 0; while (!y) n++;"));
    let bounds = Bounds { default: 2, ..Bounds::default() };
    for model in Model::ALL {
        let limits = Limits::for_seconds(20.0);
        let checks = Checks::default();
        let query = Query { program: &program, model, checks, bounds: Some(&bounds), limits: &limits };
        let Outcome::Safe { bounds } = Stateless.run(&query, &Reference).expect("it should replay").outcome else {
            panic!("it is safe")
        };
        let in_loops = bounds.iter().filter(|bound| !bound.exhausted).map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(in_loops, ["unwind 2 at test.c:28"], "{model}");
        assert!(!bounds.iter().any(|bound| bound.to_string().ends_with("test.c:27")), "{model}: {bounds:?}");
    }
}

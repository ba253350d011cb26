//! The engine agrees with the reference enumeration: in verdicts, in final states and, with every reduction off, in the
//! number of states.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

mod programs;

use norn_engine::{Engine, Prepared, Query};
use norn_ir::ids::GlobalId;
use norn_ir::program::Storage;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_states::{Ended, Explored, Reductions, States, explore};
use norn_testing::programs::{handover, tangled};
use norn_testing::{Random, at_most, checked, compile_reusing, compile_unmarked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome};
use std::collections::BTreeSet;

/// Objects whose final contents are compared: not those with addresses, which renaming may change.
fn observed(program: &Prepared) -> Vec<GlobalId> {
    let shown = |id: &GlobalId| {
        let global = program.global(*id);
        global.storage == Storage::Static && ["x", "y", "z", "c", "u", "a", "seen"].contains(&global.name.as_str())
    };
    (0..program.globals.len()).map(GlobalId::new).filter(shown).collect()
}

/// Whether there are few enough states for the reference enumeration.
fn is_small(program: &Prepared, model: Model, checks: Checks) -> bool {
    let limits = at_most(6 * 1024);
    let reductions = Reductions::NONE;
    let query = Query { program, model, checks, bounds: None, limits: &limits };
    let engine = States { reductions, shortest: true };
    let found = explore(engine, &query, &mut |_| {}).found;
    !matches!(found.ended, Ended::Exceeded(_)) && !found.buffer_full
}

type Finals = BTreeSet<Vec<Vec<u8>>>;

fn run(engine: States, query: &Query<'_>, observed: &[GlobalId]) -> (Explored, Finals) {
    let mut finals = Finals::new();
    let explored = explore(engine, query, &mut |executor| {
        finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect());
    });
    (explored, finals)
}

/// How many of the models could be compared.
fn check(program: &Prepared, checks: Checks, name: &str) -> [bool; 3] {
    let observed = observed(program);
    Model::ALL.map(|model| {
        if !is_small(program, model, checks) {
            return false;
        }
        let limits = Limits::none();
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() && expected.violation.is_none() {
            return false;
        }
        let limits = Limits::none();
        let all = Reductions::ALL;
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let variants = [
            ("none", Reductions::NONE, false),
            ("all", all, false),
            ("not live", Reductions { live_only: false, ..all }, false),
            ("not renamed", Reductions { rename: false, ..all }, false),
            ("not collapsed", Reductions { collapse: false, ..all }, false),
            ("not merged", Reductions { merge_stores: false, ..all }, false),
            ("not persistent", Reductions { persistent: false, ..all }, false),
            ("not absorbed", Reductions { absorb: false, ..all }, false),
            ("only absorbed", Reductions { absorb: true, ..Reductions::NONE }, false),
            ("shortest", all, true),
        ];
        for (variant, reductions, shortest) in variants {
            let what = format!("{name} {model} {variant}");
            let limits = at_most(1 << 20);
            let query = Query { limits: &limits, ..query };
            let engine = States { reductions, shortest };
            let (found, finals) = run(engine, &query, &observed);
            if let Some(wanted) = &expected.violation {
                // A thread that allocates for ever has new addresses for ever, which breadth first does not wait for.
                if !reductions.rename && !shortest && matches!(found.found.ended, Ended::Exceeded(_)) {
                    continue;
                }
                let Ended::Violation(violation, schedule) = &found.found.ended else {
                    panic!("{what}: a violation was missed: {wanted:?} {found:?}");
                };
                if shortest {
                    assert_eq!(schedule.steps.len(), wanted.schedule.steps.len(), "{what}: {violation:?} {schedule}");
                }
                let verdict = engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{what}: {mismatch}"));
                assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{what}");
                continue;
            }
            assert_eq!(found.found.ended, Ended::Everything, "{what}");
            assert_eq!(found.found.incomplete, None, "{what}");
            assert!(!found.found.buffer_full, "{what}: a buffer was full");
            assert_eq!(finals, expected.finals, "{what}: the final states differ");
            // Which commits were taken along is a part of the state.
            let is_larger = reductions.absorb && model != Model::Sc;
            let most = expected.states as u64;
            assert!(is_larger || found.found.counts.states <= most, "{what}: more states than there are");
        }
        true
    })
}

/// The numbers of states and transitions, with every reduction off. The program is one without marks for private objects:
/// the reference machine's states remember who touched those, the engine's do not.
fn check_counts(program: &Prepared, checks: Checks, name: &str) -> [bool; 3] {
    Model::ALL.map(|model| {
        if !is_small(program, model, checks) {
            return false;
        }
        let limits = Limits::none();
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &[] };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() || expected.violation.is_some() {
            return false;
        }
        let reductions = Reductions::NONE;
        for shortest in [false, true] {
            let query = Query { program, model, checks, bounds: None, limits: &limits };
            let engine = States { reductions, shortest };
            let found = explore(engine, &query, &mut |_| {}).found;
            let counts = (found.counts.states, found.counts.transitions);
            assert_eq!(counts, (expected.states as u64, expected.transitions as u64), "{name} {model} {shortest}");
        }
        true
    })
}

/// Programs whose freed memory is given out again. What is not asked about stops a thread; else most would end soon.
#[test]
fn reused_memory() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(60), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut compared, mut counted) = ([0; 3], [0; 3]);
    for seed in first..first + count {
        let text = norn_testing::programs::reuse::program(&mut Random::new(seed));
        let basic = if seed % 4 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, memory_safety: basic == Basic::All, ..Checks::default() };
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&Prepared::new(compile_reusing(text)), checks, &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
        let unmarked = |text: &str| Prepared::without_marks(compile_reusing(text));
        let result = checked(&name, &text, |text| check_counts(&unmarked(text), checks, &name));
        counted.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    println!("of {count} programs, {compared:?} were compared under SC, TSO, PSO, and {counted:?} counted");
    let enough = compared.iter().all(|&n| 2 * n > count) && counted.iter().all(|&n| 4 * n > count);
    assert!(enough, "most should be comparable: {compared:?} and {counted:?} of {count}");
}

/// Programs with and without what `check` compares by itself; most should be comparable.
fn check_many(make: fn(&mut Random) -> String, count: u64) {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(count), setting("NORN_TEST_SEED").unwrap_or(0));
    let mut compared = [0; 3];
    for seed in first..first + count {
        let text = make(&mut Random::new(seed));
        let (deadlock, memory_leak) = (seed % 3 == 0, seed % 5 == 0);
        let basic = if seed % 2 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, deadlock, memory_safety: basic == Basic::All, memory_leak, ..Checks::default() };
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&prepare(text), checks, &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    println!("of {count} programs, {compared:?} were compared under SC, TSO, PSO");
    assert!(compared.iter().all(|&n| 2 * n > count), "most should be comparable: {compared:?} of {count}");
}

/// Programs whose threads hand memory over, most of them well.
#[test]
fn memory_that_is_handed_over() {
    check_many(handover::program, 60);
}

/// Programs in which accesses that somebody disturbs and ones that nobody does lie close together.
#[test]
fn accesses_that_are_tangled() {
    check_many(tangled::program, 60);
}

/// Programs whose sections access what others tell them to.
#[test]
fn sections_that_vary() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(40), setting("NORN_TEST_SEED").unwrap_or(0));
    let mut compared = [0; 3];
    for seed in first..first + count {
        let text = norn_testing::programs::sections::program(&mut Random::new(seed));
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&prepare(text), Checks::default(), &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    assert!(compared.iter().all(|&n| 2 * n > count), "most should be comparable: {compared:?} of {count}");
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
#[test]
fn random_programs() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(40), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut compared, mut counted) = ([0; 3], [0; 3]);
    for seed in first..first + count {
        let text = programs::program(seed);
        let (deadlock, memory_safety, memory_leak) = (seed % 3 == 0, seed % 2 == 0, seed % 5 == 0);
        let checks = Checks { deadlock, memory_safety, memory_leak, ..Checks::default() };
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&prepare(text), checks, &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
        let result =
            checked(&name, &text, |text| check_counts(&Prepared::without_marks(compile_unmarked(text)), checks, &name));
        counted.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    println!("of {count} programs, {compared:?} were compared under SC, TSO, PSO, and {counted:?} counted");
    let enough = compared.iter().all(|&n| 2 * n > count) && counted.iter().all(|&n| 4 * n > count);
    assert!(enough, "most should be comparable: {compared:?} and {counted:?} of {count}");
}

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    volatile int x, y, z, c;\nint seen[2];\nint table[2] = { 3, 4 };\npthread_t first, second;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

/// Two threads that main creates, with what main does then.
fn two_threads(functions: &str, main: &str) -> String {
    format!(
        "{HEAD}{functions}\nint main(void) {{ pthread_create(&first, 0, other, 0); pthread_create(&second, 0, t, 0);\n\
         {main} return 0; }}\n"
    )
}

/// The program with something that main does before it creates threads.
fn with_beginning(text: &str, what: &str) -> String {
    text.replace("int main(void) {", &format!("int main(void) {{ {what}"))
}

/// Compares everything with the reference; also how many different final states there are, which says that the program does what
/// it is meant to do.
fn check_finals(text: &str, checks: Checks, finals: [usize; 3]) {
    let program = prepare(text);
    assert_eq!(check(&program, checks, text), [true; 3], "{text}");
    let unmarked = Prepared::without_marks(compile_unmarked(text));
    assert_eq!(check_counts(&unmarked, checks, text), [true; 3], "{text}");
    let observed = observed(&program);
    let found = Model::ALL.map(|model| {
        let limits = Limits::none();
        let query = Query { program: &program, model, checks, bounds: None, limits: &limits };
        run(States::default(), &query, &observed).1.len()
    });
    assert_eq!(found, finals, "{text}");
}

/// Compares everything with the reference, of a program that has a violation.
fn check_violation(text: &str, checks: Checks) {
    let program = prepare(text);
    assert_eq!(check(&program, checks, text), [true; 3], "{text}");
    let limits = Limits::none();
    let query = Query { program: &program, model: Model::Sc, checks, bounds: None, limits: &limits };
    let (found, _) = run(States::default(), &query, &[]);
    assert!(matches!(found.found.ended, Ended::Violation(..)), "{text}");
}

/// One thread reads `x`, before or after the other sets it, and then stands before reading `y`. By then the states differ only in
/// what the first read has led to, and each leads to something of its own.
#[test]
fn states_that_differ_in_one_part_are_two() {
    let other = "void *other(void *arg) { x = 1; y = 1; return 0; }\nstatic int got(void) { return x; }\n";
    let cases = [
        ("the second value of a choice", "", "int v = got(); int w = y; seen[0] = w ? 5 : v;", 3),
        ("what a function returns", "static int f(void) { int v = x; y; return v; }", "seen[0] = f();", 2),
        (
            "what the cases of a switch read",
            "",
            "int v = got(); switch (y) { case 0: seen[0] = v + 1; break; case 1: seen[0] = v + 3; break; default: ; }",
            4,
        ),
        ("an argument", "static void put(int n) { seen[0] = n; }", "int v = got() + 1; if (y) put(v);", 3),
        ("where a pointer points to", "static int *f(void) { return &table[x]; }", "int *q = f(); y; seen[0] = *q;", 2),
        (
            "where an object lies",
            "static int *f(void) { if (x) malloc(16); return malloc(16); }",
            "int *q = f(); y; seen[0] = (int)((unsigned long)q >> 4 & 3);",
            2,
        ),
    ];
    for (what, functions, body, finals) in cases {
        let text = two_threads(&format!("{other}{functions}\nvoid *t(void *arg) {{ {body} return 0; }}"), "");
        let text = format!("// {what}\n{text}");
        check_finals(&text, Checks::default(), [finals; 3]);
    }
}

/// A thread has ended while nobody has joined it yet.
#[test]
fn results_of_threads_are_part_of_states() {
    let functions = "void *other(void *arg) { x = 1; return 0; } void *t(void *arg) { return (void *)(long)x; }";
    let main = "void *r; pthread_join(first, 0); x = 2; pthread_join(second, &r); seen[0] = (int)(long)r;";
    check_finals(&two_threads(functions, main), Checks::default(), [3; 3]);
}

/// Whether there was a fence between two stores shows when they reach memory in the other order.
#[test]
fn fences_are_part_of_states() {
    for condition in ["x", "!x"] {
        for (between, own) in [("", ""), ("y;", "y = 1;")] {
            let functions = format!(
                "static void maybe(void) {{ if ({condition}) atomic_thread_fence(memory_order_release); }}\n\
                 void *t(void *arg) {{ z = 1; maybe(); {between} c = 1; return 0; }}\n\
                 void *other(void *arg) {{ x = 1; {own} seen[0] = c; seen[1] = z; return 0; }}"
            );
            check_finals(&two_threads(&functions, ""), Checks::default(), [3, 3, 4]);
        }
    }
}

/// It is a deadlock that a thread waits for ever when main has ended in another way than by returning.
#[test]
fn how_main_ended_is_part_of_states() {
    let checks = Checks { deadlock: true, ..Checks::default() };
    for condition in ["got()", "!got()"] {
        let functions = "void *other(void *arg) { x = 1; return 0; } static int got(void) { return x; }\n\
            void *t(void *arg) { pthread_mutex_lock(&m); return 0; }";
        let text = two_threads(functions, &format!("if ({condition}) pthread_exit(0);"));
        check_violation(&with_beginning(&text, "pthread_mutex_lock(&m);"), checks);
    }
}

/// The program may end before a step that nobody else sees. Main touches what the step writes before the threads are there.
#[test]
fn a_step_may_come_too_late() {
    let functions = "void *other(void *arg) { exit(1); } void *t(void *arg) { z = 1; return 0; }";
    check_finals(&with_beginning(&two_threads(functions, ""), "z = 0;"), Checks::default(), [2; 3]);
}

/// A number that is the address of a global object by chance.
#[test]
fn a_number_may_be_an_address() {
    let text = |address: u64| {
        let functions = format!(
            "unsigned long number = {address};\nvoid *other(void *arg) {{ seen[0] = z; return 0; }}\n\
             void *t(void *arg) {{ *(volatile int *)number = 1; return 0; }}"
        );
        with_beginning(&two_threads(&functions, ""), "z = 0;")
    };
    let program = prepare(&text(64));
    let code = norn_exec::compile(&program, None);
    let checks = Checks::default();
    let executor = norn_exec::Executor::new(program.code(), &code, Model::Sc, checks).expect("there should be room");
    let globals = program.globals.iter().filter(|global| global.storage != Storage::Thread);
    let mut objects = globals.zip(&executor.memory().arenas[0].objects);
    let (_, &object) = objects.find(|(global, _)| global.name == "z").expect("it has a global z");
    let address = executor.memory().objects[object as usize].base;
    check_finals(&text(address), checks, [2; 3]);
}

/// A thread that reads for ever what nobody writes does not keep the other from its steps.
#[test]
fn a_loop_does_not_put_off_others() {
    let functions = "void *other(void *arg) { for (;;) z; } void *t(void *arg) { x = 1; assert(x == 0); return 0; }";
    let text = format!("#include <assert.h>\n{}", with_beginning(&two_threads(functions, ""), "z = 0; x = 0;"));
    check_violation(&text, Checks::default());
}

/// What a thread has stored before it ends the program has reached memory by then, or not.
#[test]
fn a_store_may_come_too_late() {
    let functions = "void *other(void *arg) { return 0; }\n\
        void *t(void *arg) { int r = z; y = 1; if (r == 0) exit(1); return 0; }";
    let text = with_beginning(&two_threads(functions, "pthread_join(second, 0); y = 2;"), "z = 0;");
    check_finals(&text, Checks::default(), [1, 2, 2]);
}

/// A section that is not possible yet depends on what it waits for: the store does not wait for the step behind it.
#[test]
fn what_others_wait_for_does_not_wait() {
    let functions = "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void), __VERIFIER_assume(int);\n\
        void *other(void *arg) { __VERIFIER_atomic_begin(); __VERIFIER_assume(x == 1); seen[0] = 1; __VERIFIER_atomic_end();\n\
          return 0; }\n\
        void *t(void *arg) { x = 1; __VERIFIER_atomic_begin(); x = 2; __VERIFIER_atomic_end(); return 0; }";
    check_finals(&two_threads(functions, ""), Checks::default(), [1; 3]);
}

/// Where a lock can only report that it would block for ever, it is a deadlock, whatever the thread did just before.
#[test]
fn nothing_is_taken_along_with_a_spurious_wake_up() {
    let functions = "pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\nvoid *other(void *arg) { return 0; }\n\
        void *t(void *arg) { pthread_rwlock_wrlock(&w); x = 1; pthread_rwlock_wrlock(&w); return 0; }";
    let text = two_threads(functions, "pthread_join(first, 0); pthread_join(second, 0); x = 2;");
    check_violation(&text, Checks { deadlock: true, ..Checks::default() });
}

/// A load that reads more than a store in the own buffer waits for it, although nobody else touches either.
#[test]
fn a_step_may_have_to_wait_for_a_commit() {
    let functions = "void *other(void *arg) { x = 1; return 0; } union { volatile int i; volatile char b[4]; } u;\n\
        void *t(void *arg) { u.b[1] = 1; seen[0] = u.i; return 0; }";
    check_finals(&with_beginning(&two_threads(functions, ""), "u.i = 0;"), Checks::default(), [1; 3]);
}

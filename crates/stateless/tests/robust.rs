//! A program is robust if and only if it has as many traces under TSO or PSO as under SC: the traces of SC are among
//! the others.

use norn_engine::{Prepared, Query};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, traces};
use norn_stateless::{explore, robustness, without_assertions};
use norn_testing::programs::{Shape, program};
use norn_testing::{Random, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::robustness::{Relation, Robustness};

/// The steps of the cycle, or 0 if the program is robust.
fn cycle(program: &Prepared, model: Model) -> usize {
    let limits = Limits::for_seconds(300.0);
    let query = Query { program, model, checks: Checks::usual(), bounds: None, limits: &limits };
    match robustness(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model}: {mismatch}")).outcome {
        Robustness::Robust { .. } => 0,
        Robustness::NotRobust(cyclic) => {
            let cycle = cyclic.cycle();
            for (edge, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                assert_eq!((edge.to.thread, edge.to.step), (next.from.thread, next.from.step), "{cycle:?}");
                let same_thread = edge.from.thread == edge.to.thread;
                assert!(edge.relation != Relation::ProgramOrder || same_thread, "{edge:?}");
            }
            cycle.len()
        }
        Robustness::Unknown(reason) => panic!("{model}: {reason}"),
    }
}

fn threads(globals: &str, bodies: &[&str]) -> Prepared {
    let mut text = format!("#include <pthread.h>\n#include <stdatomic.h>\n{globals}\n");
    for (i, body) in bodies.iter().enumerate() {
        text += &format!("void *t{i}(void *arg) {{ {body} return 0; }}\n");
    }
    text += "int main(void) { pthread_t id;\n";
    for i in 0..bodies.len() {
        text += &format!("pthread_create(&id, 0, t{i}, 0);\n");
    }
    prepare(&(text + "return 0; }"))
}

/// The lengths of the cycles under TSO and PSO.
fn check(globals: &str, bodies: &[&str], expected: [usize; 2]) {
    let program = threads(globals, bodies);
    assert_eq!([Model::Tso, Model::Pso].map(|model| cycle(&program, model)), expected, "{bodies:?}");
}

const XY: &str = "volatile int x, y, z;";

#[test]
fn store_buffering_needs_fences() {
    check(XY, &["x = 1; (void)y;", "y = 1; (void)x;"], [4, 4]);
    let fenced = |store: &str, load: &str| format!("{store} __asm__ volatile(\"mfence\" ::: \"memory\"); {load}");
    check(XY, &[&fenced("x = 1;", "(void)y;"), &fenced("y = 1;", "(void)x;")], [0, 0]);
    check(XY, &[&fenced("x = 1;", "(void)y;"), "y = 1; (void)x;"], [4, 4]);
}

#[test]
fn message_passing_is_robust_under_tso_only() {
    check(XY, &["x = 1; y = 1;", "(void)y; (void)x;"], [0, 4]);
    let barrier = "x = 1; atomic_thread_fence(memory_order_release); y = 1;";
    check(XY, &[barrier, "(void)y; (void)x;"], [0, 0]);
}

#[test]
fn locks_make_robust() {
    let locks = "int x, y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let push = "pthread_mutex_lock(&m); x++; y = x; pthread_mutex_unlock(&m);";
    let pop = "pthread_mutex_lock(&m); if (y > 0) { x--; y = x; } pthread_mutex_unlock(&m);";
    check(locks, &[push, pop, push], [0, 0]);
}

#[test]
fn reads_of_the_own_store_may_be_early() {
    // Each thread sees its own store before the other's, which reaches memory first.
    check(XY, &["x = 1; (void)x; (void)y;", "y = 1; (void)y; (void)x;"], [4, 4]);
    check(XY, &["x = 1; (void)x;", "x = 2; (void)x;"], [0, 0]);
}

#[test]
fn creation_and_join_are_part_of_the_order() {
    let text = "#include <pthread.h>\nvolatile int x, y;\n\
        void *reader(void *arg) { (void)y; return 0; }\n\
        void *other(void *arg) { y = 1; (void)x; return 0; }\n\
        int main(void) { pthread_t id; pthread_create(&id, 0, other, 0); x = 1; pthread_create(&id, 0, reader, 0); }";
    // y = 1 (still buffered), x read as 0, x = 1, and then y read as 0 by the thread that was created afterwards.
    assert_eq!(cycle(&prepare(text), Model::Tso), 4);
    let joined = text.replace("x = 1;", "pthread_join(id, 0); x = 1;");
    assert_eq!(cycle(&prepare(&joined), Model::Tso), 0);
}

#[test]
fn a_failed_assertion_does_not_end_the_question() {
    let text = "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y;\n\
        void *t(void *arg) { y = 1; assert(x == 1); return 0; }\n\
        int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); x = 1; assert(y == 1); }";
    assert_eq!(cycle(&prepare(text), Model::Tso), 4);
}

#[test]
fn robust_programs_have_as_many_executions_under_every_model() {
    let locks = "int x, y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let locked = "pthread_mutex_lock(&m); x++; y = x; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); x--; \
                  pthread_mutex_unlock(&m);";
    let fenced = |store: &str, load: &str| format!("{store} __sync_synchronize(); {load}");
    let (left, right) = (fenced("x = 1;", "(void)y; (void)z;"), fenced("y = 1;", "(void)x; z = 2;"));
    let atomics = "atomic_int a, b;";
    let atomic = ["atomic_fetch_add(&a, 1); atomic_store(&b, 1);", "atomic_store(&b, 2); atomic_fetch_add(&a, 2);"];
    let check = |globals: &str, bodies: &[&str]| {
        let program = threads(globals, bodies);
        let count = |model| {
            let limits = Limits::for_seconds(300.0);
            let query = Query { program: &program, model, checks: Checks::default(), bounds: None, limits: &limits };
            let counts = explore(&query, &mut |_| {}).counts;
            (counts.complete, counts.blocked, counts.redundant)
        };
        let sc = count(Model::Sc);
        assert!(sc.0 > 1 && sc.2 == 0, "{bodies:?}: {sc:?}");
        assert_eq!([count(Model::Tso), count(Model::Pso)], [sc, sc], "{bodies:?}");
        assert_eq!([Model::Tso, Model::Pso].map(|model| cycle(&program, model)), [0, 0], "{bodies:?}");
    };
    check(locks, &[locked, locked, locked]);
    check(XY, &[&left, &right]);
    check(atomics, &[atomic[0], atomic[1], "(void)atomic_load(&b); (void)atomic_load(&a);"]);
}

/// Whether the program is robust under TSO and PSO, as far as its traces can be counted.
fn check_count(text: &str) -> Vec<bool> {
    let program = prepare(text);
    let plain = without_assertions(&program);
    let count = |model| {
        let limits = Limits::for_seconds(300.0);
        let checks = Checks::usual();
        let question = Question { program: &plain, model, checks, limits: &limits, domain: None, observed: &[] };
        let counted = traces::count(&question);
        let decided = counted.violation.is_none() && counted.incomplete.is_none();
        decided.then_some(counted.complete + counted.blocked)
    };
    let sc = count(Model::Sc);
    let is_robust = |model| {
        let (sc, weak) = (sc?, count(model)?);
        assert_eq!(cycle(&program, model) == 0, sc == weak, "{model}: {sc} {weak}");
        Some(sc == weak)
    };
    [Model::Tso, Model::Pso].into_iter().filter_map(is_robust).collect()
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
fn check_random(count: u64, seed: u64, shape: Shape) {
    let seed = seed + setting("NORN_TEST_SEED").unwrap_or(0);
    let mut robust = 0;
    let mut cyclic = 0;
    for number in 0..setting("NORN_TEST_PROGRAMS").unwrap_or(count) {
        let text = program(&mut Random::new(seed + number), shape);
        for is_robust in checked(&format!("program {number}"), &text, check_count) {
            *(if is_robust { &mut robust } else { &mut cyclic }) += 1;
        }
    }
    assert!(robust > 0 && cyclic > 0, "{robust} robust, {cyclic} not: there should be some of each");
}

#[test]
fn robust_means_as_many_traces_as_sc() {
    check_random(150, 21000, Shape { threads: (2, 2), statements: (3, 5), library: false, ends: false, inputs: false });
    check_random(80, 25000, Shape { threads: (2, 2), statements: (3, 4), library: true, ends: false, inputs: false });
    check_random(40, 27000, Shape { threads: (3, 3), statements: (2, 2), library: false, ends: false, inputs: false });
}

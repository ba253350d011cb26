//! The engine explores each trace once: its counts and final states are those of the reference enumeration.

use norn_engine::{Engine, Prepared, Query};
use norn_ir::ids::GlobalId;
use norn_ir::number::toward_zero;
use norn_ir::program::Storage;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states, traces};
use norn_passes::unwind::Bounds;
use norn_stateless::{Stateless, explore};
use norn_testing::programs::{Shape, program};
use norn_testing::{Random, at_most, checked, compile_reusing, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome, ViolationKind};

use std::collections::BTreeSet;

/// Compares under all models; gives the numbers of complete executions.
fn check(program: &Prepared, checks: Checks, name: &str) -> [u64; 3] {
    let observed: Vec<GlobalId> = (0..program.globals.len())
        .map(GlobalId::new)
        // How far threads that nobody watches have come when the program exits is no part of a trace.
        .filter(|&id| program.global(id).storage == Storage::Static && !program.global(id).private)
        .collect();
    Model::ALL.map(|model| {
        let limits = Limits::for_seconds(300.0);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = traces::count(&question);
        let limits = Limits::for_seconds(300.0);
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let mut finals = BTreeSet::new();
        let found = explore(&query, &mut |executor| {
            finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
        });
        if expected.violation.is_some() {
            assert!(found.violation.is_some(), "{name} {model}: a violation was missed: {found:?}");
            let verdict =
                Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}"));
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
        if found.counts.elsewhere > 0 {
            assert!(
                counts.0 >= expected_counts.0,
                "{name} {model}: {:?}, {} complete",
                found.counts,
                expected_counts.0
            );
        } else if found.assumptions.is_empty() {
            assert_eq!(counts, expected_counts, "{name} {model}: {:?}", found.counts);
        } else {
            // A section that stops its thread leaves no trace, but depends on what it read: the engine may try it twice.
            let (complete, blocked, redundant) = expected_counts;
            assert!(counts.1 >= blocked, "{name} {model}: {:?}, {blocked} blocked", found.counts);
            assert_eq!((counts.0, counts.2), (complete, redundant), "{name} {model}: {:?}", found.counts);
        }
        // For a verdict, executions in which a thread stops are left out.
        let verdict = Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}"));
        assert!(matches!(verdict.outcome, Outcome::Safe { .. }), "{name} {model}: {:?}", verdict.outcome);
        let figure = |figure: &str| toward_zero::<u64>(verdict.stats.0[figure]);
        let (complete, blocked) = (figure("executions"), figure("blocked"));
        assert!(complete <= counts.0 && blocked <= counts.1, "{name} {model}: {complete} {blocked}, {counts:?}");
        assert_eq!(figure("redundant"), 0, "{name} {model}");
        let all = states::explore(&Question { limits: &Limits::none(), ..question });
        if expected.blocked == 0 {
            assert_eq!(finals, all.finals, "{name} {model}: the final states differ");
        }
        found.counts.complete
    })
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
fn check_random(count: u64, seed: u64, shape: Shape) {
    let seed = seed + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    for number in 0..count {
        let text = program(&mut Random::new(seed + number), shape);
        let name = format!("program {number}");
        checked(&name, &text, |text| check(&prepare(text), Checks::default(), &name));
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
fn four_threads() {
    check_random(15, 13000, Shape { threads: (4, 4), statements: (1, 1), library: false, ends: true, inputs: false });
}

#[test]
fn three_threads_with_locks() {
    check_random(15, 17000, Shape { threads: (3, 3), statements: (1, 2), library: true, ends: true, inputs: false });
}

/// Programs whose freed memory is given out again: what may happen is the same, if not how often it is tried. What is not asked
/// about stops a thread; else most would end soon.
#[test]
fn reused_memory() {
    let seed = setting("NORN_TEST_SEED").unwrap_or(0);
    for number in seed..seed + setting("NORN_TEST_PROGRAMS").unwrap_or(60) {
        let text = norn_testing::programs::reuse::program(&mut Random::new(number));
        let basic = if number % 4 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, memory_safety: basic == Basic::All, ..Checks::default() };
        let name = format!("program {number}");
        checked(&name, &text, |text| check_outcomes(&Prepared::new(compile_reusing(text)), checks, &name));
    }
}

/// Programs whose sections access what others tell them to: what may happen is the same, if not how often it is tried.
#[test]
fn sections_that_vary() {
    let seed = 70_000 + setting("NORN_TEST_SEED").unwrap_or(0);
    for number in seed..seed + setting("NORN_TEST_PROGRAMS").unwrap_or(150) {
        let text = norn_testing::programs::sections::program(&mut Random::new(number));
        let name = format!("program {number}");
        checked(&name, &text, |text| check_outcomes(&prepare(text), Checks::default(), &name));
    }
}

/// The section writes only if it comes first; the read should come before it then, too.
#[test]
fn a_section_that_another_thread_makes_idle() {
    let idle = "__VERIFIER_atomic_begin(); if (x == 0) y = 1; __VERIFIER_atomic_end();";
    let wide = "int e = 0; __atomic_compare_exchange_n(&u.i, &e, 0x10001, 0, 5, 5);";
    let globals = "volatile int x, y, r; union { int i; volatile short s[2]; } u;";
    let mut orders = vec![["x = 1;", idle, "r = y + 1;"], ["u.s[0] = 2;", wide, "r = u.s[1] + 1;"]];
    for order in orders.clone() {
        let [w, c, t] = order;
        orders.extend([[w, t, c], [c, w, t], [c, t, w], [t, w, c], [t, c, w]]);
    }
    for order in orders {
        let name = format!("{order:?}");
        let program = started(globals, &order);
        // The section first and the read after or before it, or the section idle.
        assert!(check(&program, Checks::default(), &name)[0] >= 3, "{name}");
    }
}

fn check_outcomes(program: &Prepared, checks: Checks, name: &str) {
    let is_observed = |id: &GlobalId| {
        let global = program.global(*id);
        !global.private && ["x", "y", "z", "u", "seen"].contains(&global.name.as_str())
    };
    let observed: Vec<GlobalId> = (0..program.globals.len()).map(GlobalId::new).filter(is_observed).collect();
    for model in Model::ALL {
        let limits = at_most(1 << 18);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = states::explore(&question);
        let limits = Limits::for_seconds(300.0);
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let mut finals = BTreeSet::new();
        let found = explore(&query, &mut |executor| {
            finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
        });
        if expected.violation.is_some() {
            assert!(found.violation.is_some(), "{name} {model}: a violation was missed");
        }
        if found.violation.is_some() {
            let verdict =
                Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}"));
            assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{name} {model}: {:?}", verdict.outcome);
            continue;
        }
        // Reading what was never set is not tried; nothing else is left open.
        if expected.incomplete.is_some() {
            continue;
        }
        assert_eq!(found.incomplete, None, "{name} {model}");
        let missed: Vec<_> = expected.finals.difference(&finals).collect();
        // A state in which a thread has stopped is none of the final ones.
        assert!(missed.is_empty(), "{name} {model}: {missed:?} are missed");
        assert_eq!(finals, expected.finals, "{name} {model}: the final states differ");
    }
}

#[test]
fn both_truth_values_are_tried() {
    let thread = |id: usize| {
        format!(
            "function f{id} \"t{id}\" () {{\nr0: bool\nr1: i32\nb0:\n r0 = nondet input \"b\"\n branch r0, b1, b2\n\
             b1:\n store i32 g0, {id}\n return\nb2:\n r1 = load g0\n r0 = nondet input \"c\"\n return\n}}\n"
        )
    };
    let text = format!(
        "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nglobal g0 \"x\": t0\n\
         function f0 \"main\" () {{\nr0: i64\nb0:\n r0 = spawn f1()\n r0 = spawn f2()\n return\n}}\n{}{}",
        thread(1),
        thread(2)
    );
    let program = Prepared::without_marks(norn_ir::parse::parse(&text).expect("it should parse"));
    // Two stores 2; a store and a load 2, twice, each with two values after the load; two loads with four.
    assert_eq!(check(&program, Checks::default(), "inputs"), [14, 14, 14]);
}

#[test]
fn deadlocks_are_found() {
    let text = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        void *t(void *arg) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);\n\
          pthread_mutex_unlock(&n); return 0; }\n\
        int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); pthread_mutex_lock(&FIRST);\n\
          pthread_mutex_lock(&SECOND); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); pthread_join(id, 0); }";
    let deadlock = |first: &str, second: &str| {
        let program = prepare(&text.replace("FIRST", first).replace("SECOND", second));
        let checks = Checks { deadlock: true, ..Checks::default() };
        let limits = Limits::none();
        let query = Query { program: &program, model: Model::Tso, checks, bounds: None, limits: &limits };
        match Stateless.run(&query, &Reference).expect("it should replay").outcome {
            Outcome::Unsafe(found) => Some(found.violation().kind),
            Outcome::Safe { .. } => None,
            Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => panic!("{reason}"),
        }
    };
    assert_eq!(deadlock("m", "n"), Some(ViolationKind::Deadlock));
    assert_eq!(deadlock("n", "m"), None);
}

#[test]
fn bounds_are_named() {
    let program = prepare(
        "#include <pthread.h>\nvolatile int x;\nvoid *t(void *arg) { x = 1; return 0; }\n\
         int main(void) { pthread_t id; pthread_create(&id, 0, t, 0);\nint n = 0; while (!x) n++;\n\
         for (int i = 0; i < 2; i++) x += n; return 0; }",
    );
    let bounds = Bounds { default: 2, ..Bounds::default() };
    let limits = Limits::none();
    let query = Query {
        program: &program,
        model: Model::Pso,
        checks: Checks::default(),
        bounds: Some(&bounds),
        limits: &limits,
    };
    let Outcome::Safe { bounds } = Stateless.run(&query, &Reference).expect("it should replay").outcome else {
        panic!("it is safe")
    };
    let open: Vec<String> = bounds.iter().filter(|bound| !bound.exhausted).map(ToString::to_string).collect();
    assert_eq!(open, ["unwind 2 at test.c:5"]);
    assert!(bounds.iter().any(|bound| bound.exhausted && bound.to_string() == "unwind 2 at test.c:6"), "{bounds:?}");
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
        prepare(&(text + "return 0; }"))
    };
    let counts = |program: &Prepared| check(program, Checks::default(), "");
    // Store buffering: the fourth trace needs buffers.
    assert_eq!(counts(&threads("volatile int x, y;", &["x = 1; (void)y;", "y = 1; (void)x;"])), [3, 4, 4]);
    // Message passing: only PSO reorders the stores.
    assert_eq!(counts(&threads("volatile int x, y;", &["x = 1; y = 1;", "(void)y; (void)x;"])), [3, 3, 4]);
    // Forwarding: the read of the own store is one trace whether the store is in memory or not.
    assert_eq!(counts(&threads("volatile int x;", &["x = 1; (void)x;", "x = 2;"])), [3, 3, 3]);
    let lock = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    let program = threads("int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", &[lock, lock, lock]);
    assert_eq!(counts(&program), [6, 6, 6]);
    // A compare-and-exchange that only reads after another write, but writes before it.
    let swap = |from: i32| format!("int e = {from}; atomic_compare_exchange_strong(&a, &e, 3);");
    let program = threads("atomic_int a;", &[&swap(0), "atomic_store(&a, 1);", "(void)atomic_load(&a);", &swap(1)]);
    assert_eq!(counts(&program), [18; 3]);
    // What two of them do depends on which of them comes first after the store.
    let program = threads("atomic_int a;", &["atomic_store(&a, 1);", &swap(1), &(swap(1) + "(void)atomic_load(&a);")]);
    counts(&program);
    // The second thread reads x while its store is in the buffer: before x is written, and between two exchanges of the third.
    let reads = "atomic_store_explicit(&a, 1, memory_order_release); (void)atomic_load(&a); (void)x;";
    let swaps = "int e = 0; atomic_compare_exchange_strong(&a, &e, 0); e = 0; atomic_compare_exchange_strong(&a, &e, 0); \
        atomic_fetch_add(&a, 0);";
    let program = threads("volatile int x; atomic_int a;", &["x = 1;", reads, swaps]);
    assert_eq!(counts(&program)[1], 14);
}

#[test]
fn longer_threads() {
    check_random(60, 41000, Shape { threads: (2, 2), statements: (3, 5), library: false, ends: false, inputs: false });
}

#[test]
fn a_load_waits_for_own_stores_to_parts_of_it() {
    let program = prepare(
        "#include <pthread.h>\nvolatile int x, y;\nunion { volatile int i; volatile char c[4]; } u;\n\
         void *t0(void *arg) { (void)x; u.c[2] = 3; y = 3; return 0; }\n\
         void *t1(void *arg) { u.c[2] = 2; u.c[0] = 1; (void)u.i; x = 3; y = 1; return 0; }\n\
         int main(void) { pthread_t id; pthread_create(&id, 0, t0, 0); pthread_create(&id, 0, t1, 0); return 0; }",
    );
    let [sc, tso, pso] = check(&program, Checks::default(), "parts");
    assert!(sc > 0 && sc <= tso && tso <= pso, "{sc} {tso} {pso}");
}

#[test]
fn free_waits_for_own_stores() {
    let program = prepare(
        "#include <pthread.h>\n#include <stdlib.h>\nvolatile int y, z;\nint *volatile shared;\n\
         void *t0(void *arg) { z = 1; y = 3; int *p = shared; if (p && z == 9) *p = 1; return 0; }\n\
         void *t1(void *arg) { int *p = malloc(sizeof *p); shared = p; y = 2; *p = 0; free(p); (void)z; return 0; }\n\
         int main(void) { pthread_t id; pthread_create(&id, 0, t0, 0); pthread_create(&id, 0, t1, 0); return 0; }",
    );
    let [sc, tso, pso] = check(&program, Checks::default(), "free");
    assert!(sc > 0 && sc <= tso && tso <= pso, "{sc} {tso} {pso}");
}

/// What a section that was tried and taken back had allocated is not there any more, and what another execution allocates
/// may have its number.
#[test]
fn sections_that_allocate() {
    let program = |before: &str, section: &str, then: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <stdlib.h>\nextern void __VERIFIER_assume(int);\n\
             extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
             struct node {{ int v; struct node *next; }} *top;\nvolatile int x;\nint *volatile other;\n\
             void *t(void *arg) {{ {before} __VERIFIER_atomic_begin();\n\
             struct node *n = malloc(sizeof *n); n->v = 1; n->next = top; {section} top = n;\n\
             __VERIFIER_atomic_end(); {then} return 0; }}\n\
             int main(void) {{ pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, t, 0); }}"
        ))
    };
    let private = "int *m = malloc(4); *m = x; other = m;";
    let depth = "if (n->next) { n->v = n->next->v + 1; x = n->v; }";
    let waits = "__VERIFIER_assume(x == 0 || n->next);";
    for before in ["", private] {
        for section in ["", depth, waits, "free(malloc(1));"] {
            for then in ["", "x = 1;"] {
                let name = format!("'{before}' '{section}' '{then}'");
                let [sc, tso, pso] = check(&program(before, section, then), Checks::default(), &name);
                assert!(sc > 0 && sc <= tso && tso <= pso, "{name}: {sc} {tso} {pso}");
            }
        }
    }
}

/// A thread that may not go on with what it reads waits instead of stopping: once, not once for each way to fail.
#[test]
fn assumptions_wait() {
    let program = prepare(
        "#include <pthread.h>\nextern void __VERIFIER_assume(int);\nvolatile int x, y;\n\
         void *t(void *arg) { __VERIFIER_assume(x == 3); y = 1; return 0; }\n\
         int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); x = 1; x = 2; x = 3; return y; }",
    );
    let limits = Limits::none();
    for model in Model::ALL {
        let query = Query { program: &program, model, checks: Checks::default(), bounds: None, limits: &limits };
        let stopped = explore(&query, &mut |_| {}).counts;
        assert_eq!((stopped.complete, stopped.blocked), (2, 3), "{model}");
        let stats = Stateless.run(&query, &Reference).expect("it should replay").stats;
        assert_eq!((stats.0["executions"], stats.0["blocked"]), (2.0, 0.0), "{model}");
    }
}

/// Creations leave no trace, but what they let happen does: also where the program may end before.
#[test]
fn threads_that_create_threads() {
    let text = |main: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\nvolatile int x, y;\n\
             void *leaf(void *arg) {{ x = 1; return 0; }}\n\
             void *inner(void *arg) {{ pthread_t t; pthread_create(&t, 0, leaf, 0); return 0; }}\n\
             void *reader(void *arg) {{ (void)y; pthread_t t; pthread_create(&t, 0, leaf, 0); y = 2; return 0; }}\n\
             void *leaver(void *arg) {{ exit(x); }}\n\
             int main(void) {{ pthread_t a, b, c; {main} return 0; }}"
        )
    };
    let counts = |main: &str| check(&prepare(&text(main)), Checks::default(), main);
    // The read before or after the write, or the end before it.
    let ends = "pthread_create(&a, 0, leaver, 0); pthread_create(&b, 0, inner, 0);";
    assert_eq!(counts(ends)[0], 3);
    // Main's write waits for a thread that does nothing but create.
    counts(&format!("{ends} pthread_join(b, 0); y = 1;"));
    counts("pthread_create(&a, 0, reader, 0); y = 1; pthread_create(&b, 0, reader, 0); (void)x;");
    counts(
        "pthread_create(&a, 0, reader, 0); pthread_create(&b, 0, inner, 0); pthread_create(&c, 0, leaver, 0); (void)x;",
    );
    let two = "x = 1; pthread_create(&a, 0, leaf, 0); x = 2; pthread_create(&b, 0, leaf, 0);";
    assert_eq!(counts(two), [3, 3, 3]);
}

/// The bodies of threads, in the order in which main creates them.
fn started(globals: &str, bodies: &[&str]) -> Prepared {
    let mut text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\nextern void __VERIFIER_assume(int);\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n{globals}\n"
    );
    for (i, body) in bodies.iter().enumerate() {
        text += &format!("void *t{i}(void *arg) {{ {body} return 0; }}\n");
    }
    text += "int main(void) { pthread_t id;\n";
    for i in 0..bodies.len() {
        text += &format!("pthread_create(&id, 0, t{i}, 0);\n");
    }
    prepare(&(text + "return 0; }"))
}

/// A read that saw an own store in the buffer has to be tried after the writes of others too, once that store is in memory.
#[test]
fn forwarded_reads_come_after_later_writes() {
    // The other thread reads 1, and then the own read sees 1 or 2; or it reads 0, and its store is first, last, or
    // between the own store and its read.
    let (own, other) = ("x = 1; (void)x;", "(void)x; x = 2;");
    assert_eq!(check(&started("volatile int x;", &[own, other]), Checks::default(), "own first"), [5, 5, 5]);
    assert_eq!(check(&started("volatile int x;", &[other, own]), Checks::default(), "other first"), [5, 5, 5]);
}

/// A load waits for an own store that reaches into what it reads, also where both begin elsewhere.
#[test]
fn loads_wait_for_stores_that_reach_into_them() {
    let globals = "union { struct __attribute__((packed)) { volatile short a; volatile int b; } s; volatile int i; } u;\n\
        volatile int z;";
    // The cells are known before the access that reaches from one into the other.
    let bodies = ["z = 1; u.s.a = 1; (void)u.s.b;", "u.i = 1; (void)u.s.b; (void)z;"];
    let [sc, tso, pso] = check(&started(globals, &bodies), Checks::default(), "overlap");
    assert!(sc > 0 && sc <= tso && tso <= pso, "{sc} {tso} {pso}");
}

/// A store that is in memory on a branch that is still to be explored makes later reads of it depend on others' writes.
#[test]
fn branches_with_commits() {
    let globals = "volatile int x, y, w, z;\nvoid *d(void *arg) { z = 1; return 0; }";
    let section = |body: &str| format!("__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();");
    let waits = "x = 1; pthread_t t; pthread_create(&t, 0, d, 0); pthread_join(t, 0); (void)x; (void)w;";
    let program = started(globals, &[&section("y = 1; w = 1;"), waits, &section("x = 2; (void)y;")]);
    let [sc, tso, pso] = check(&program, Checks::default(), "branches");
    assert_eq!((sc, tso), (tso, pso));
}

/// What a section looked at when it could not go on matters, though it looks elsewhere when it can.
#[test]
fn sections_that_had_to_look_elsewhere() {
    let section = "__VERIFIER_atomic_begin(); if (which) __VERIFIER_assume(y == 0); __VERIFIER_atomic_end();";
    let writes = "y = 1; atomic_thread_fence(memory_order_seq_cst); which = 0;";
    // Before both writes or after both of them.
    let globals = "volatile int which = 1, y;";
    assert_eq!(check(&started(globals, &[writes, section]), Checks::default(), "writes first"), [2, 2, 2]);
    assert_eq!(check(&started(globals, &[section, writes]), Checks::default(), "section first"), [2, 2, 2]);
}

/// A spurious wake-up ends what would be a deadlock without it.
#[test]
fn spurious_wake_ups_hide_no_deadlock() {
    let text = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
        int main(void) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }";
    let program = prepare(text);
    let limits = Limits::none();
    for deadlock in [false, true] {
        let checks = Checks { deadlock, ..Checks::default() };
        let query = Query { program: &program, model: Model::Sc, checks, bounds: None, limits: &limits };
        match Stateless.run(&query, &Reference).expect("it should replay").outcome {
            Outcome::Unsafe(found) => assert!(deadlock && found.violation().kind == ViolationKind::Deadlock),
            outcome => assert!(!deadlock && matches!(outcome, Outcome::Safe { .. }), "{deadlock}: {outcome:?}"),
        }
    }
}

/// Programs whose threads wait for one another: there is a deadlock where the enumerator finds one.
#[test]
fn programs_that_wait() {
    let seed = 90_000 + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(60);
    let mut deadlocks = 0;
    for number in seed..seed + count {
        let text = norn_testing::programs::blocking::program(&mut Random::new(number), number % 2 == 0);
        let basic = if number % 4 < 2 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, deadlock: true, ..Checks::default() };
        let name = format!("program {number}");
        deadlocks += checked(&name, &text, |text| compare(&prepare(text), checks, ViolationKind::Deadlock, &name));
    }
    assert!(deadlocks * 5 > count, "{deadlocks} of {count} programs have a deadlock");
}

/// Programs that allocate and free: memory is lost where the enumerator says so.
#[test]
fn lost_memory() {
    let seed = 95_000 + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(60);
    let mut leaks = 0;
    for number in seed..seed + count {
        let shape = Shape { threads: (2, 2), statements: (1, 3), library: true, ends: number % 2 == 0, inputs: false };
        let mut text = program(&mut Random::new(number), shape);
        if number % 3 == 1 {
            text = text.replace("p = q;", "if (x == 1) p = q;");
        }
        if number % 3 == 0 {
            // Main has a second pointer, and takes it away at the end or does not.
            text = text
                .replace("p = q;", "p = q; if (x == 1) last = q;")
                .replace("int *volatile p;", "int *volatile p, *volatile last;");
            text = text.replace("  return 0;\n}\n", "  if (y == 1) p = 0;\n  return 0;\n}\n");
        }
        let checks = Checks { memory_leak: true, basic: Basic::Assertions, ..Checks::default() };
        let name = format!("program {number}");
        leaks += checked(&name, &text, |text| compare(&prepare(text), checks, ViolationKind::MemoryLeak, &name));
    }
    assert!(leaks * 8 > count, "memory is lost in {leaks} of {count} programs and models");
}

/// Under how many models there is a violation of a kind.
fn compare(program: &Prepared, checks: Checks, kind: ViolationKind, name: &str) -> u64 {
    let mut violations = 0;
    for model in Model::ALL {
        let limits = at_most(1 << 16);
        let found = states::explore(&Question { program, model, checks, limits: &limits, domain: None, observed: &[] });
        let expected = found.violation.map(|finding| finding.violation.kind);
        if expected.is_none() && found.incomplete.is_some() {
            continue;
        }
        violations += u64::from(expected == Some(kind));
        let limits = Limits::for_seconds(10.0);
        // A thread may wait, wake up and wait again for ever.
        let bounds = Bounds { default: 3, ..Bounds::default() };
        let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
        let outcome = Stateless.run(&query, &Reference).unwrap_or_else(|e| panic!("{name} {model}: {e}")).outcome;
        let is_unsafe = match outcome {
            Outcome::Unsafe(_) => true,
            Outcome::Safe { bounds } if bounds.iter().any(|bound| !bound.exhausted) => continue,
            Outcome::Safe { .. } => false,
            Outcome::Unknown(open) | Outcome::Limited { undecided: open, .. } => {
                assert!(open.exceeded().is_some(), "{name} {model}: {open}");
                continue;
            }
        };
        assert_eq!(is_unsafe, expected.is_some(), "{name} {model}: {expected:?}");
    }
    violations
}

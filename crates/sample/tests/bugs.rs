//! Shallow bugs, seeded one by one, are found within few executions; a program without bugs is never called safe.

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_sample::{Budget, Sample};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict, ViolationKind};
use norn_verdict::undecided::Why;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <stdatomic.h>\n\
    extern int __VERIFIER_nondet_int(void); extern long __VERIFIER_nondet_long(void);\n\
    extern unsigned char __VERIFIER_nondet_uchar(void); extern double __VERIFIER_nondet_double(void);\n\
    extern void __VERIFIER_assume(int); extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n";

/// Two threads that main creates and joins, then what it does.
fn threads(globals: &str, first: &str, second: &str, then: &str) -> String {
    format!(
        "{globals} void *f(void *unused) {{ {first} return 0; }} void *g(void *unused) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {then} return 0; }}"
    )
}

fn program(source: &str) -> Prepared {
    norn_testing::prepare(&format!("{HEAD}{source}"))
}

struct Setting<'a> {
    model: Model,
    checks: Checks,
    bounds: Option<&'a Bounds>,
    executions: u64,
    seed: u64,
}

const USUAL: Setting<'_> = Setting {
    model: Model::Sc,
    checks: Checks { memory_safety: true, ..Checks::DEFAULT },
    bounds: None,
    executions: 2000,
    seed: 0,
};

fn sampled(source: &str, setting: &Setting<'_>) -> Verdict {
    let limits = Limits { executions: Some(setting.executions), ..Limits::none() };
    let Setting { model, checks, bounds, seed, .. } = *setting;
    let query = Query { program: &program(source), model, checks, bounds, limits: &limits };
    let engine = Sample { seed, budget: Budget { work: u64::MAX, time: None, first: 0 } };
    engine.run(&query, &Reference).expect("what is found should replay")
}

fn kind(verdict: &Verdict) -> Option<ViolationKind> {
    match &verdict.outcome {
        Outcome::Unsafe(found) => Some(found.violation().kind),
        Outcome::Unknown(_) => None,
        other => panic!("sampling says nothing else: {other:?}"),
    }
}

fn found(source: &str, setting: &Setting<'_>) -> Option<ViolationKind> {
    kind(&sampled(source, setting))
}

/// Found with several seeds, so not by luck.
fn is_found(source: &str, model: Model) {
    for seed in 0..5 {
        let seen = found(source, &Setting { model, seed, ..USUAL });
        assert_eq!(seen, Some(ViolationKind::Assertion), "{model}, seed {seed}: {source}");
    }
}

fn is_not_found(source: &str, model: Model) {
    assert_eq!(found(source, &Setting { model, ..USUAL }), None, "{model}: {source}");
}

#[test]
fn wide_inputs() {
    let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
    for body in [
        "int x = __VERIFIER_nondet_int(); if (x == 123456) assert(0);",
        "int x = __VERIFIER_nondet_int(); if (x == -98765) assert(0);",
        "long x = __VERIFIER_nondet_long(); if (x == 1234567890123) assert(0);",
        // Neighbours and negations.
        "int x = __VERIFIER_nondet_int(); assert(x <= 4711 || x > 4712);",
        "int x = __VERIFIER_nondet_int(); if (-x == 77777) assert(0);",
        // The ends of types.
        "int x = __VERIFIER_nondet_int(); assert(x == -x || x + 0u != 0u - x); if (x < 0) assert(-(long)x < 2147483648);",
        "long v = __VERIFIER_nondet_long(); int g = 0; if ((int)v == 0) { if (v) goto five; } else if ((int)v == 5) { five: g = 1; } assert(!g);",
        // One depends on the other.
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x > 10 && x == y) assert(0);",
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x + 77777 + y == 123456 && y > 1000) assert(0);",
        "int x = __VERIFIER_nondet_int(); switch (x) { case 1000: case 2000: break; case 31337: assert(0); }",
        "double d = __VERIFIER_nondet_double(); if (d == 2.718) assert(0);",
        "double d = __VERIFIER_nondet_double(); assert(d == d);",
        // Paths that leave a nest of branches at different depths.
        "int v = __VERIFIER_nondet_int(), r = 3; if (v & 1) { if (v > 100) r = 1; } else if (v < 0) r = 2; assert(!((v & 1) && r == 3));",
    ] {
        is_found(&main(body), Model::Sc);
    }
}

#[test]
fn assumed_inputs() {
    let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
    for body in [
        "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 1000 && x < 1010); assert(x != 1005);",
        "int s = 0; for (int i = 0; i < 12; i++) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 3); s += x; } assert(s != 12);",
        "unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(); __VERIFIER_assume(a < b); assert(b - a != 1);",
    ] {
        is_found(&main(body), Model::Sc);
    }
    is_found(
        &threads(
            "int x;",
            "int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v > 50 && v < 60); x = v;",
            "",
            "assert(x != 55);",
        ),
        Model::Tso,
    );
}

#[test]
fn interleavings() {
    for model in [Model::Sc, Model::Tso, Model::Pso] {
        // A lost update.
        is_found(&threads("int c;", "int t = c; c = t + 1;", "int t = c; c = t + 1;", "assert(c == 2);"), model);
        // Depth two: between two sections.
        let check_then_act = "pthread_mutex_lock(&m); int t = n; pthread_mutex_unlock(&m); \
            if (t == 0) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }";
        let globals = "int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
        is_found(&threads(globals, check_then_act, check_then_act, "assert(n <= 1);"), model);
        // ABA: a pop looks at the top and its successor, others pop twice and push the first again, the pop succeeds.
        let aba = threads(
            "atomic_int top = 1; int next[3] = {0, 2, 0}; int freed[3];",
            "int t = top; int n = next[t]; int e = t; if (atomic_compare_exchange_strong(&top, &e, n)) assert(!n || !freed[n]);",
            "int t = top; if (t == 1) { top = next[1]; int u = top; top = next[u]; freed[u] = 1; next[1] = top; top = 1; }",
            "",
        );
        is_found(&aba, model);
        // Somebody spins.
        is_found(
            &threads("atomic_int go; int x;", "while (!go); x = x + 1;", "go = 1; x = x + 1;", "assert(x == 2);"),
            model,
        );
    }
}

#[test]
fn store_buffers() {
    let buffering = threads("int x, y, p, q;", "x = 1; p = y;", "y = 1; q = x;", "assert(p + q > 0);");
    let passing = threads("int x, y;", "x = 1; y = 1;", "if (y) assert(x);", "");
    let waiting = threads(
        "atomic_int y; int x;",
        "x = 1; atomic_store_explicit(&y, 1, memory_order_relaxed);",
        "while (!atomic_load_explicit(&y, memory_order_relaxed)); assert(x);",
        "",
    );
    for (source, [sc, tso, pso]) in
        [(&buffering, [false, true, true]), (&passing, [false, false, true]), (&waiting, [false, false, true])]
    {
        for (model, fails) in [(Model::Sc, sc), (Model::Tso, tso), (Model::Pso, pso)] {
            if fails { is_found(source, model) } else { is_not_found(source, model) }
        }
    }
}

#[test]
fn other_properties() {
    let all = Checks { deadlock: true, memory_safety: true, overflow: true, ..Checks::DEFAULT };
    let check = |source: &str, checks: Checks, expected: ViolationKind| {
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            assert_eq!(found(source, &Setting { model, checks, ..USUAL }), Some(expected), "{model}: {source}");
        }
    };
    let locks = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;";
    let both = |m, n| {
        format!(
            "pthread_mutex_lock(&{m}); pthread_mutex_lock(&{n}); pthread_mutex_unlock(&{n}); pthread_mutex_unlock(&{m});"
        )
    };
    check(&threads(locks, &both("m", "n"), &both("n", "m"), ""), all, ViolationKind::Deadlock);
    check("int main(void) { return 100 / __VERIFIER_nondet_int(); }", all, ViolationKind::DivisionByZero);
    check("int main(void) { return __VERIFIER_nondet_int() + 1; }", all, ViolationKind::Overflow);
    check(
        "int a[4]; int main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 4) a[i] = 1; return 0; }",
        all,
        ViolationKind::OutOfBounds,
    );
    check(
        &threads("int *p;", "free(p);", "int *q = p; p = 0; free(q);", "")
            .replace("pthread_t a, b;", "pthread_t a, b; p = malloc(4);"),
        all,
        ViolationKind::DoubleFree,
    );
    check(&threads(locks, "pthread_mutex_unlock(&m);", "", ""), all, ViolationKind::Misuse);
    let races = Checks { data_race: true, ..Checks::default() };
    check(&threads("int x, y;", "x = 1;", "y = x;", ""), races, ViolationKind::DataRace);
    let locked = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    let setting = Setting { checks: races, executions: 50, ..USUAL };
    assert_eq!(found(&threads(&format!("int x; {locks}"), locked, locked, ""), &setting), None);
}

#[test]
fn bounds_are_respected() {
    let source = "int x; int main(void) { for (int i = 0; i < 10; i++) x++; assert(x != 10); return 0; }";
    let bounded = |n: u32| {
        let bounds = Bounds { default: n, ..Bounds::default() };
        found(source, &Setting { bounds: Some(&bounds), ..USUAL })
    };
    assert_eq!(found(source, &USUAL), Some(ViolationKind::Assertion));
    assert_eq!(bounded(9), None);
    assert_eq!(bounded(10), Some(ViolationKind::Assertion));
    let deep = "int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } int main(void) { assert(f(5) != 5); return 0; }";
    let bounded = |n: u32| {
        let bounds = Bounds { default: n, ..Bounds::default() };
        found(deep, &Setting { bounds: Some(&bounds), ..USUAL })
    };
    assert_eq!(bounded(4), None);
    assert_eq!(bounded(5), Some(ViolationKind::Assertion));
}

#[test]
fn endless_loops_are_left() {
    let source =
        threads("int x, stop;", "while (!stop) x++;", "while (1) { int t = x; if (t < 0) break; }", "assert(0);");
    let verdict = sampled(&source, &Setting { executions: 64, ..USUAL });
    match verdict.outcome {
        Outcome::Unknown(reason) => {
            assert!(matches!(reason.why, Why::Sampled { executions: 64, .. }), "{reason}")
        }
        other => panic!("{other:?}"),
    }
    // Threads without end.
    let creating = "int x; void *f(void *unused) { x++; return 0; }\n\
        int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }";
    assert_eq!(found(creating, &Setting { executions: 64, ..USUAL }), None);
    let silent = "int main(void) { for (unsigned long i = 1; i; i++) {} return 0; }";
    assert_eq!(found(silent, &Setting { executions: 16, ..USUAL }), None);
}

#[test]
fn the_same_question_gives_the_same_answer() {
    let source =
        threads("int c;", "int t = c; c = t + __VERIFIER_nondet_int();", "int t = c; c = t + 1;", "assert(c != 7);");
    let once = |seed| match sampled(&source, &Setting { model: Model::Pso, seed, ..USUAL }).outcome {
        Outcome::Unsafe(found) => found.schedule().to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(once(0), once(0));
    assert_eq!(once(3), once(3));
}

/// A counterexample is for people.
#[test]
fn counterexamples_have_few_switches() {
    let source = threads(
        "int c, d;",
        "for (int i = 0; i < 20; i++) d = i; int t = c; c = t + 1;",
        "for (int i = 0; i < 20; i++) d = i; int t = c; c = t + 1;",
        "assert(c == 2);",
    );
    for seed in 0..10 {
        let verdict = sampled(&source, &Setting { seed, executions: 20_000, ..USUAL });
        let Outcome::Unsafe(found) = verdict.outcome else { panic!("seed {seed}: it should be found") };
        let steps = &found.schedule().steps;
        let thread = |step: &norn_verdict::schedule::Step| match step {
            norn_verdict::schedule::Step::Run { thread, .. } | norn_verdict::schedule::Step::Commit { thread, .. } => {
                thread.clone()
            }
        };
        let switches = steps.windows(2).filter(|pair| thread(&pair[0]) != thread(&pair[1])).count();
        assert!(switches <= 5, "seed {seed}: {switches} switches in {steps:?}");
    }
}

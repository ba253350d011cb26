//! K rounds of the engine are exactly K rounds of the reference machine, on random programs.
//!
//! Each program is asked whether it can end in a certain state: in one of those that it can end in with enough rounds, or in
//! one made up. So the answer changes with the number of rounds.

use norn_engine::{Engine, Prepared, Query};
use norn_ir::ids::GlobalId;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, rounds, states};
use norn_passes::unwind::Bounds;
use norn_rounds::Rounds;
use norn_testing::programs::{Shape, program};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use norn_verdict::undecided::Undecided;

/// Compares under all models, for one round and more; gives how many of the answers were violations.
fn check(program: &Prepared, name: &str) -> u32 {
    let mut violations = 0;
    for model in Model::ALL {
        for number in 1..=3 {
            let limits = at_most(setting("NORN_TEST_STATES").unwrap_or(1 << 18));
            let checks = Checks::default();
            let question =
                Question { program, model, checks, limits: &limits, domain: Some(&[0, 1, 2, 3]), observed: &[] };
            let expected = rounds::explore(&question, number);
            let bounds = Bounds::default();
            let limits = Limits::for_seconds(60.0);
            let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
            let engine = Rounds { rounds: Some(number), ..Rounds::default() };
            let found = engine
                .run(&query, &Reference)
                .unwrap_or_else(|mismatch| panic!("{name} {model} {number}: {mismatch}"))
                .outcome;
            match (&expected.violation, &found) {
                (Some(_), Outcome::Unsafe(_)) => {
                    violations += 1;
                    // More rounds have it too.
                    break;
                }
                (Some(finding), found) => panic!("{name} {model} {number}: missed {finding:?}: {found:?}"),
                // The machine may have given up.
                (None, Outcome::Unsafe(found)) if !expected.sampled && expected.incomplete.is_none() => {
                    panic!("{name} {model} {number}: there is no such execution: {:?}", found.schedule().to_string())
                }
                (None, Outcome::Unsafe(_)) => {}
                (None, Outcome::Safe { .. }) => {
                    let is_other = |open: &Undecided| open.exceeded() != Some(Exceeded::Interrupted);
                    let differs = expected.incomplete.as_ref().is_some_and(is_other);
                    assert!(!differs, "{name} {model} {number}: {:?}", expected.incomplete);
                }
                (None, Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason)) => {
                    assert!(expected.incomplete.is_some(), "{name} {model} {number}: {reason}");
                }
            }
        }
    }
    violations
}

/// The program, asked whether it can end (or be, where main does not wait for the threads) in a state.
fn asked(random: &mut Random, text: &str) -> String {
    let program = prepare(text);
    let named = |name: &str| (0..program.globals.len()).map(GlobalId::new).find(|&id| program.global(id).name == name);
    let names = ["x", "y", "a", "seen"];
    let observed = names.map(|name| named(name).expect("the programs have these"));
    let model = Model::ALL[random.index(3)];
    let limits = at_most(1 << 17);
    let question = Question {
        program: &program,
        model,
        checks: Checks::default(),
        limits: &limits,
        domain: Some(&[0, 1]),
        observed: &observed,
    };
    let finals: Vec<_> = states::explore(&question).finals.into_iter().collect();
    let mut condition = String::from("1");
    let chosen = (!finals.is_empty()).then(|| finals[random.index(finals.len())].clone());
    let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("an int has four bytes"));
    let places = ["x", "y", "a", "seen[0]", "seen[1]", "seen[2]", "seen[3]"];
    for (index, place) in places.iter().enumerate() {
        let value = chosen.as_ref().map_or(0, |chosen| match index {
            0..3 => number(&chosen[index]),
            _ => number(&chosen[3][(index - 3) * 4..(index - 2) * 4]),
        });
        let value = if random.below(12) == 0 { value + 1 } else { value };
        if random.below(5) > 0 {
            condition += &format!(" && {place} == {value}");
        }
    }
    let end = text.rfind("  return 0;").expect("main returns");
    format!("{}  assert(!({condition}));\n{}", &text[..end], &text[end..])
}

/// Main does something before it creates threads, and between the creations.
fn with_prelude(random: &mut Random, text: &str) -> String {
    let something =
        ["", "y = 1;", "x = y + 1;", "pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);", "u.i = 258;"];
    let mut any = || something[random.index(something.len())];
    let text = text.replacen("int main(void) {\n", &format!("int main(void) {{\n  {}\n", any()), 1);
    text.replacen("  pthread_t id1;", &format!("  {}\n  pthread_t id1;", any()), 1)
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs, `NORN_TEST_STATES` lets the machine go further.
fn check_random(count: u64, seed: u64, shape: Shape) {
    let seed = seed + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    let mut violations = 0;
    for number in 0..count {
        let mut random = Random::new(seed + number);
        let text = program(&mut random, shape);
        let text = with_prelude(&mut random, &text);
        let text = asked(&mut random, &text);
        let name = format!("program {number}");
        violations += checked(&name, &text, |text| check(&prepare(text), &name));
    }
    assert!(u64::from(violations) * 4 > count, "too few violations to compare: {violations} of {count} programs");
}

#[test]
fn accesses_and_fences() {
    check_random(25, 1000, Shape { threads: (2, 3), statements: (1, 3), library: false, ends: false, inputs: false });
}

#[test]
fn locks_and_memory() {
    check_random(15, 5000, Shape { threads: (2, 2), statements: (1, 3), library: true, ends: false, inputs: false });
}

#[test]
fn stops_exits_and_inputs() {
    check_random(15, 9000, Shape { threads: (2, 3), statements: (1, 3), library: false, ends: true, inputs: true });
}

#[test]
fn more_threads() {
    check_random(8, 13000, Shape { threads: (3, 4), statements: (1, 2), library: false, ends: true, inputs: true });
}

/// Two threads with variables that are written and read in parts.
fn check_parts(left: &str, right: &str) {
    let text = format!(
        "#include <pthread.h>\n#include <assert.h>\nunion {{ volatile int i; volatile char c[4]; }} u, v;\n\
         int a, b;\nvoid *l(void *arg) {{ {left} return 0; }}\nvoid *r(void *arg) {{ {right} return 0; }}\n\
         int main(void) {{ pthread_t p, q; pthread_create(&p, 0, l, 0); pthread_create(&q, 0, r, 0);\n\
         pthread_join(p, 0); pthread_join(q, 0); assert(a || b); return 0; }}"
    );
    check(&prepare(&text), &text);
}

/// Threads that create threads, between their accesses; each with a state that needs some rounds.
#[test]
fn creations_between_accesses() {
    let program = |claim: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <assert.h>\nvolatile int x, y;\n\
             void *leaf(void *arg) {{ int r = x; x = r + 1; return 0; }}\n\
             void *inner(void *arg) {{ pthread_t t; y = 1; pthread_create(&t, 0, leaf, 0); x = 4; return 0; }}\n\
             int main(void) {{ pthread_t a, b; x = 1; pthread_create(&a, 0, inner, 0); y = 2;\n\
             pthread_create(&b, 0, leaf, 0); int r = x; int s = y; assert(!({claim})); return 0; }}"
        ))
    };
    let mut violations = 0;
    for claim in ["r == 1 && s == 2", "r == 5 && s == 2", "r == 6", "r == 2 && s == 1", "r == 3", "r == 4 && x == 3"] {
        violations += check(&program(claim), claim);
    }
    assert!(violations > 12, "{violations}");
}

#[test]
fn loads_of_more_than_was_stored_wait() {
    // Store buffering in which the loads do not or do have to wait for the stores.
    check_parts("u.i = 256; (void)u.c[1]; a = v.i;", "v.i = 256; (void)v.c[1]; b = u.i;");
    check_parts("u.c[1] = 1; (void)u.i; a = v.i;", "v.c[1] = 1; (void)v.i; b = u.i;");
    check_parts("u.c[1] = 1; u.i = 3; (void)u.i; a = v.i;", "v.c[1] = 1; v.i = 2; (void)v.i; b = u.i;");
    check_parts("u.i = 3; u.c[1] = 1; (void)u.i; a = v.i;", "v.i = 2; (void)v.i; b = u.i;");
}

/// A store through a pointer is in order with the stores to the cells that it may go to.
#[test]
fn stores_through_pointers_are_in_order() {
    let program = |stores: &str, other: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <assert.h>\nvolatile int which, x, y;\n\
             void *t(void *arg) {{ volatile int *p = which ? &x : &y; {stores} return 0; }}\n\
             void *u(void *arg) {{ {other} which = 1; return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); assert(x != 1); return 0; }}"
        ))
    };
    // The memory of a cell that two threads write is another than that of a cell that one writes.
    for other in ["", "x = 5;"] {
        for stores in ["*p = 1; x = 2;", "*p = 1; *p = 2; y = 1;", "*p = 1; *p = 3; x = 2;"] {
            assert_eq!(check(&program(stores, other), stores), 0, "{stores} {other}");
        }
        for stores in ["x = 2; *p = 1;", "*p = 2; *p = 1;"] {
            assert_eq!(check(&program(stores, other), stores), 3, "{stores} {other}");
        }
    }
}

/// A store to an element is in order with the stores to the elements that it may go to, and others see that.
#[test]
fn stores_to_elements_are_in_order() {
    let program = |stores: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <assert.h>\nvolatile int which, a[2];\n\
             void *t(void *arg) {{ {stores} return 0; }}\n\
             int main(void) {{ pthread_t id; pthread_create(&id, 0, t, 0); which = 1;\n\
             if (a[1] == 2) assert(a[1] != 1); a[1] = 7; return 0; }}"
        ))
    };
    for (stores, violations) in [("a[which & 1] = 1; a[1] = 2;", 0), ("a[1] = 2; a[which & 1] = 1;", 3)] {
        assert_eq!(check(&program(stores), stores), violations, "{stores}");
    }
}

/// A thread that was joined on one path may still run on another.
#[test]
fn joins_under_a_condition() {
    let program = |before: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\nvolatile int x;\n\
             void *t(void *arg) {{ x = 1; return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0);\n\
             {before} pthread_join(a, 0); int r = x; int s = x; assert(r == s); return 0; }}"
        ))
    };
    assert_eq!(check(&program("if (__VERIFIER_nondet_bool())"), "maybe"), 3);
    assert_eq!(check(&program(""), "certainly"), 0);
}

/// Each commit may need a round of its own, though a thread that only stores has one unit.
#[test]
fn commits_need_rounds() {
    let program = prepare(
        "#include <pthread.h>\n#include <assert.h>\nvolatile int x;\n\
         void *t(void *arg) { x = 1; x = 2; x = 3; return 0; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, t, 0);\n\
         int r = x, s = x, u = x; assert(r != 1 || s != 2 || u != 3); return 0; }",
    );
    assert_eq!(check(&program, "one by one"), 3);
}

/// A thread and main; compared for what is asked about. The number of models under which something is wrong.
fn check_with(checks: Checks, globals: &str, thread: &str, main: &str) -> usize {
    let program = prepare(&format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         extern _Bool __VERIFIER_nondet_bool(void);\n{globals}\nvoid *t(void *arg) {{ {thread} return 0; }}\n\
         int main(void) {{ pthread_t id; pthread_create(&id, 0, t, 0); {main} return 0; }}"
    ));
    let is_wrong = |&model: &Model| {
        let limits = at_most(1 << 18);
        let domain: Option<&[u64]> = Some(&[0, 1]);
        let question = Question { program: &program, model, checks, limits: &limits, domain, observed: &[] };
        let expected = states::explore(&question);
        let bounds = Bounds::default();
        let limits = Limits::for_seconds(60.0);
        let query = Query { program: &program, model, checks, bounds: Some(&bounds), limits: &limits };
        let found = Rounds::default().run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model}: {mismatch}"));
        let is_wrong = matches!(found.outcome, Outcome::Unsafe(_));
        assert!(is_wrong || matches!(found.outcome, Outcome::Safe { .. }), "{model}: {:?}", found.outcome);
        assert_eq!(is_wrong, expected.violation.is_some(), "{model} {thread} {main}: {:?}", found.outcome);
        is_wrong
    };
    Model::ALL.iter().filter(|model| is_wrong(model)).count()
}

#[test]
fn fences_between_stores() {
    let reads = "int r = y, s = x; assert(!r || s);";
    let globals = "volatile int x, y;";
    assert_eq!(check_with(Checks::default(), globals, "x = 1; y = 1;", reads), 1);
    assert_eq!(check_with(Checks::default(), globals, "x = 1; __builtin_ia32_sfence(); y = 1;", reads), 0);
}

#[test]
fn arithmetic_of_negative_numbers() {
    let globals = "volatile int x;";
    assert_eq!(check_with(Checks::default(), globals, "x = -8;", "int r = x >> 1; assert(r == 0 || r == -4);"), 0);
    assert_eq!(check_with(Checks::default(), globals, "x = -8;", "assert(x >> 1 != -4);"), 3);
    let overflow = Checks { overflow: true, ..Checks::default() };
    assert_eq!(check_with(overflow, globals, "x = -8;", "int r = x; r = r + 9; r = r - 9;"), 0);
    assert_eq!(check_with(overflow, globals, "x = -2147483647;", "int r = x; r = r + -2;"), 3);
    // Where a negative number is computed, a positive one still has its sign.
    let globals = "volatile int x = 5, y;";
    assert_eq!(check_with(Checks::default(), globals, "y = 1; x = y - 2;", "int r = x; assert(r == 5 || r == -1);"), 0);
    let main = "y = 1; int r = x; assert(r == 5 || r == -1 || r == -2);";
    assert_eq!(check_with(Checks::default(), globals, "x = y - 2;", main), 0);
}

#[test]
fn objects_of_one_thread() {
    let memory = Checks { memory_safety: true, ..Checks::default() };
    let globals = "volatile int x;";
    // Freed on one of two paths, whichever it is.
    for end in ["if (x) free(p);", "if (!x) free(p);", "if (x) ; else free(p);"] {
        assert_eq!(check_with(memory, globals, "x = 1;", &format!("int *p = malloc(4); {end} *p = 1; ")), 3, "{end}");
    }
    // One behind the last.
    assert_eq!(check_with(memory, globals, "x = 3;", "char a[3] = {0}; a[x & 3] = 1;"), 3);
    assert_eq!(check_with(memory, globals, "x = 3;", "char a[4] = {0}; a[x & 3] = 1;"), 0);
}

#[test]
fn pointers_to_many_places() {
    let choices: String = (1..20).map(|i| format!("if (x == {i}) p = a + {i}; ")).collect();
    let main = format!("int a[20] = {{0}}; int *p = a; int n = x; {} *p = 1;", choices.replace("x ==", "n =="));
    let globals = "volatile int x;";
    assert_eq!(check_with(Checks::default(), globals, "x = 7;", &format!("{main} assert(a[0] || a[7]);")), 0);
    assert_eq!(check_with(Checks::default(), globals, "x = 7;", &format!("{main} assert(!a[7]);")), 3);
}

/// An exchange that goes to a private object is no step, and a creation makes one of the threads that it may make.
#[test]
fn steps_and_names_that_depend_on_values() {
    let globals = "atomic_int x; volatile int which, y;";
    let main = "atomic_int own = 0; atomic_int *p = which ? &x : &own; atomic_fetch_add(p, 1); int r = y, s = y;\n\
        assert(r == s || x);";
    assert_eq!(check_with(Checks::default(), globals, "y = 1; which = 1;", main), 3);
    let globals = "volatile int which, y; void *a(void *arg) { y = 1; return 0; } void *b(void *arg) { y = 2; return 0; }\n\
        void *c(void *arg) { y += 4; return 0; }";
    let main = "pthread_t i, j; pthread_create(&i, 0, which ? a : b, 0); pthread_create(&j, 0, c, 0);\n\
        pthread_join(i, 0); pthread_join(j, 0); assert(y != 5);";
    assert_eq!(check_with(Checks::default(), globals, "which = 1;", main), 3);
    assert_eq!(check_with(Checks::default(), globals, "which = 1;", &main.replace("5", "6")), 3);
}

/// What is violated only beside something without a meaning does not count, and does not hide what more rounds show.
#[test]
fn violations_beside_what_has_no_meaning() {
    // In one round the thread that comes first sees nothing of the second; in two rounds it may.
    let program = prepare(
        "#include <assert.h>\n#include <pthread.h>\nextern void __VERIFIER_atomic_begin(void);\n\
         extern void __VERIFIER_atomic_end(void);\nint x, y;\n\
         void *t(void *arg) { __VERIFIER_atomic_begin(); y = 1; int r = x; __VERIFIER_atomic_end();\n\
         if (!r) __builtin_unreachable(); return 0; }\nvoid *u(void *arg) { x = 1; return 0; }\n\
         int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); pthread_create(&id, 0, u, 0); assert(!y); }",
    );
    let (bounds, limits) = (Bounds::default(), Limits::none());
    let query = Query {
        program: &program,
        model: Model::Sc,
        checks: Checks::default(),
        bounds: Some(&bounds),
        limits: &limits,
    };
    let found = Rounds::default().run(&query, &Reference).expect("it should replay").outcome;
    assert!(matches!(found, Outcome::Unsafe(_)), "{found:?}");
}

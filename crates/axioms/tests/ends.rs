//! Threads that never end, that stop, and that have more to do than is looked at: what others do is looked at all the same.

mod support;

use support::{answer, model, verdict, word};

const WEAK: [&str; 4] = ["sc", "armv8", "riscv", "rc11"];

/// A thread does this, main does that and fails.
fn beside(body: &str, main: &str) -> String {
    format!(
        "var x, y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *t(void *unused) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); {main} assert(0); return 0; }}\n"
    )
}

#[test]
fn what_never_ends_hides_nothing() {
    let bodies = [
        "for (;;) ;",
        "for (;;) ld(x, relaxed);",
        "while (!ld(x, acquire)) ;",
        "for (;;) { if (ld(x, acquire)) ld(y, relaxed); }",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
        "pthread_mutex_lock(&m); for (;;) ;",
        "exit(0);",
        "for (;;) st(y, 1, relaxed);",
    ];
    for body in bodies {
        for name in WEAK {
            let source = beside(body, "ld(y, relaxed);");
            assert_eq!(verdict(name, &source), "unsafe: assertion failed", "under {name}:\n{source}");
        }
    }
}

#[test]
fn what_waits_for_ever_is_safe() {
    for name in WEAK {
        // Main never gets what it waits for.
        let source = beside("pthread_mutex_lock(&m);", "pthread_join(h, 0); pthread_mutex_lock(&m);");
        assert_eq!(verdict(name, &source), "safe", "under {name}:\n{source}");
        let source = beside("st(x, 1, relaxed);", "while (ld(x, relaxed) != 2) ;");
        assert_eq!(verdict(name, &source), "safe", "under {name}:\n{source}");
    }
}

#[test]
fn bounds_are_told() {
    let counting =
        "var x; int main(void) { for (int i = 0; i < 3; i++) add(x, 1, relaxed); assert(x == 3); return 0; }\n";
    let program = |unwind| word(&answer(&model("armv8"), counting, unwind));
    assert_eq!(program(Some(2)), "safe within bounds");
    assert_eq!(program(Some(3)), "safe");
    assert_eq!(program(None), "safe");
    let late = counting.replace("x == 3", "x != 3");
    assert_eq!(word(&answer(&model("armv8"), &late, Some(2))), "safe within bounds");
    assert_eq!(word(&answer(&model("armv8"), &late, None)), "unsafe: assertion failed");
}

#[test]
fn inputs_are_tried() {
    let head = "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n";
    let main = |text: &str| format!("{head}var x; int main(void) {{ {text} return 0; }}\n");
    for name in WEAK {
        let some = "int v = __VERIFIER_nondet_int(); if (v == 12345) st(x, 1, relaxed);";
        assert_eq!(verdict(name, &main(&format!("{some} assert(!ld(x, relaxed));"))), "unsafe: assertion failed");
        assert_eq!(verdict(name, &main(&format!("{some} assert(ld(x, relaxed) < 2);"))), "safe");
        let bits = "if (__VERIFIER_nondet_bool()) st(x, 1, relaxed); if (__VERIFIER_nondet_bool()) add(x, 2, relaxed);";
        assert_eq!(verdict(name, &main(&format!("{bits} assert(ld(x, relaxed) != 3);"))), "unsafe: assertion failed");
        assert_eq!(verdict(name, &main(&format!("{bits} assert(ld(x, relaxed) != 4);"))), "safe");
        let any = main("st(x, __VERIFIER_nondet_int(), relaxed); assert(ld(x, relaxed) != 4);");
        assert!(verdict(name, &any).starts_with("unknown"), "under {name}");
    }
}

#[test]
fn memory_is_safe_or_not() {
    for name in WEAK {
        let check = |globals: &str, body: &str, main: &str, expected: &str| {
            let source = format!(
                "{globals} void *t(void *arg) {{ {body} return 0; }}\nint main(void) {{ pthread_t h; {main} return 0; }}\n"
            );
            let found = verdict(name, &source);
            assert!(found.starts_with(expected), "{found}, not {expected}, under {name}:\n{source}");
        };
        let run = "pthread_create(&h, 0, t, p); pthread_join(h, 0);";
        // An object on the heap and one on the stack, handed over and given back.
        check("", "*(int *)arg = 5;", &format!("int *p = malloc(4); *p = 1; {run} assert(*p == 5); free(p);"), "safe");
        check("", "*(int *)arg = 5;", &format!("int o = 1, *p = &o; {run} assert(o == 5);"), "safe");
        check(
            "",
            "*(int *)arg = 5;",
            &format!("int *p = malloc(4); *p = 1; {run} free(p); *p = 2;"),
            "unsafe: use after free",
        );
        check("", "((int *)arg)[1] = 5;", &format!("int *p = malloc(4); {run}"), "unsafe: access out of bounds");
        check("int *q;", "q = 0; *q = 1;", "void *p = 0; pthread_create(&h, 0, t, p);", "unsafe: null pointer");
        // Whether the access comes before the end of the object is not known here.
        let late = "int *p = malloc(4); *p = 1; pthread_create(&h, 0, t, p); free(p);";
        check("", "*(int *)arg = 5;", late, "unknown: the end of the life of an object");
        check(
            "var l;",
            "if (ld(l, relaxed)) { char *c = arg; c[1] = 1; }",
            &format!("int o = 1, *p = &o; st(l, 1, relaxed); {run} assert(o);"),
            "unknown: accesses of several sizes",
        );
    }
}

/// What is not known yet when a thread waits does not keep it from waiting.
#[test]
fn waiting_beside_what_is_open() {
    let globals = "var x, y; int r0, r1;";
    let waits =
        "int v = ld(x, relaxed), own[1]; own[0] = ld(x, relaxed); while (!ld(y, acquire)) ; r0 = v; r1 = own[0];";
    let source = support::threads(globals, &[waits, "st(x, 1, relaxed); st(y, 1, release);"], "r0 <= r1");
    for name in WEAK {
        assert_eq!(verdict(name, &source), "safe", "under {name}");
    }
}

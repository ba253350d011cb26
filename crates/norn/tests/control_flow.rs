//! Paths that leave a nest of branches at different depths, and meet again: whatever an input is, the engines follow the path
//! that a processor would take.

mod support;

use support::Folder;

const PRELUDE: &str = "#include <pthread.h>\n#include <assert.h>\nint nondet_int(void);\nlong nondet_long(void);\n";

/// What each engine that decides wide inputs says about a program, under each model.
fn check(name: &str, program: &str, expected: &str) {
    ask(name, program, &["events", "rounds", "auto"], expected);
}

fn ask(name: &str, program: &str, engines: &[&str], expected: &str) {
    let folder = Folder::new(&format!("control_flow_{name}"));
    folder.write("flow.c", format!("{PRELUDE}{program}"));
    for engine in engines {
        for model in ["sc", "tso", "pso"] {
            let run = folder.norn(&["check", "-e", engine, "-m", model, "flow.c"]);
            let stdout = run.stdout();
            let last = stdout.lines().last().unwrap_or_default();
            let expected = format!("norn: {expected} ({model})");
            assert!(last.starts_with(&expected), "{name}, {engine}: {last}\n{}", run.stderr());
        }
    }
}

#[test]
fn early_returns_at_different_depths() {
    let function = "static int f(int v) {\n\
                    if (v & 1) { if (v > 100) return 1; } else { if (v < 0) return 2; }\n\
                    return 3; }\n";
    let main = |property: &str| format!("{function}int main(void) {{ int v = nondet_int(); assert({property}); }}");
    check("returns_odd", &main("!((v & 1) && f(v) == 3)"), "unsafe");
    check("returns_even", &main("!(!(v & 1) && f(v) == 3)"), "unsafe");
    check("returns_none", &main("f(v) != 3"), "unsafe");
    let all = "f(v) == (v & 1 ? (v > 100 ? 1 : 3) : (v < 0 ? 2 : 3))";
    check("returns_all", &main(all), "safe");
}

#[test]
fn jumps_out_of_a_nest() {
    let program = |property: &str| {
        format!(
            "int main(void) {{ int v = nondet_int(), r = 0;\n\
             if (v & 1) {{ if (v > 100) goto out; r = 1; }} else {{ if (v < 0) goto out; r = 2; }}\n\
             r += 4;\n out: assert({property}); }}"
        )
    };
    check("jumps_odd", &program("!((v & 1) && r == 5)"), "unsafe");
    check("jumps_even", &program("!(!(v & 1) && r == 6)"), "unsafe");
    check("jumps_all", &program("r == (v & 1 ? (v > 100 ? 0 : 5) : (v < 0 ? 0 : 6))"), "safe");
}

#[test]
fn a_switch_that_falls_through() {
    let program = |property: &str| {
        format!(
            "int main(void) {{ int v = nondet_int(), g = 0;\n\
             switch (v & 3) {{ case 0: if (v == 0) break; case 1: g = 1; }}\n\
             assert({property}); }}"
        )
    };
    check("switch_zero", &program("!((v & 3) == 0 && g == 1)"), "unsafe");
    check("switch_one", &program("!((v & 3) == 1 && g == 1)"), "unsafe");
    check("switch_all", &program("g == ((v & 3) == 1 || ((v & 3) == 0 && v != 0))"), "safe");
}

#[test]
fn a_truncated_condition_and_a_jump_into_a_branch() {
    let program = |property: &str| {
        format!(
            "int main(void) {{ long v = nondet_long(); int g = 0;\n\
             if ((int)v == 0) {{ if (v) goto five; }} else if ((int)v == 5) {{ five: g = 1; }}\n\
             assert({property}); }}"
        )
    };
    check("truncated_zero", &program("!((int)v == 0 && g)"), "unsafe");
    check("truncated_five", &program("!((int)v == 5 && g)"), "unsafe");
    check("truncated_all", &program("g == ((int)v == 5 || ((int)v == 0 && v != 0))"), "safe");
}

/// The same with what another thread writes instead of an input: all engines can be asked.
#[test]
fn shared_variables_instead_of_inputs() {
    let program = |property: &str| {
        format!(
            "int s; void *t(void *a) {{ s = 7; s = 101; s = -2; s = 4; return a; }}\n\
             static int f(int v) {{\n\
             if (v & 1) {{ if (v > 100) return 1; }} else {{ if (v < 0) return 2; }}\n\
             return 3; }}\n\
             int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); int v = s; assert({property}); }}"
        )
    };
    let engines = ["events", "rounds", "states", "stateless", "enumerate", "auto"];
    ask("shared_odd", &program("!((v & 1) && f(v) == 3)"), &engines, "unsafe");
    ask("shared_even", &program("!(!(v & 1) && v && f(v) == 3)"), &engines, "unsafe");
    let all = program("f(v) == (v & 1 ? (v > 100 ? 1 : 3) : (v < 0 ? 2 : 3))");
    ask("shared_all", &all, &["events", "states", "stateless", "enumerate", "auto"], "safe");
}

/// Sections that begin in different places and end in one.
#[test]
fn a_section_that_begins_on_either_side_of_a_branch() {
    let program = "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n\
                   int x, y, c; void *t(void *a) {\n\
                   if (c) __VERIFIER_atomic_begin(); else __VERIFIER_atomic_begin();\n\
                   x++; y++; __VERIFIER_atomic_end(); return a; }\n\
                   int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); c = 1;\n\
                   __VERIFIER_atomic_begin(); int a = x, b = y; __VERIFIER_atomic_end(); assert(a == b); }";
    ask("sections", program, &["events", "states", "stateless", "enumerate", "auto"], "safe");
    ask("sections_bad", &program.replace("a == b", "a != 1"), &["events", "rounds", "states", "enumerate"], "unsafe");
}

//! What has no meaning in some execution hides no violation of another, and never becomes safe.

mod support;

use support::Folder;

const ENGINES: [&str; 5] = ["events", "rounds", "stateless", "states", "enumerate"];

/// What engines say about a program after `norn: `, each of them or those that are named.
fn check(name: &str, program: &str, engines: &[&str], options: &[&str], expected: &str) {
    let folder = Folder::new(name);
    let prelude = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nint strange(int);\nint nondet_int(void);\n";
    folder.write("doubt.c", format!("{prelude}{program}"));
    for engine in engines {
        let mut args = vec!["check", "-e", engine];
        args.extend(options);
        args.push("doubt.c");
        let run = folder.norn(&args);
        let stdout = run.stdout();
        let last = stdout.lines().last().unwrap_or_default().strip_prefix("norn: ").unwrap_or_default();
        assert!(last.starts_with(expected), "{name}, {args:?}: {last}\n{}", run.stderr());
    }
}

#[test]
fn a_doubt_of_another_thread_or_input_hides_no_violation() {
    let beside = "int x, y; void *t(void *a) { assert(x == 0); return 0; }\n\
                  void *u(void *a) { if (y == 0) strange(2); return 0; }\n\
                  int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_create(&h, 0, u, 0); y = 1; x = 1; }";
    check("beside", beside, &ENGINES, &[], "unsafe (sc): assertion failed");
    let input = "int main(void) { int n = nondet_int(); if (n == 5) strange(1); else assert(n != 7); }";
    check("input", input, &["events", "rounds", "stateless", "states", "auto"], &[], "unsafe (sc): assertion failed");
    // The values that come to the doubt are tried first.
    let first = "int x; void *t(void *a) { x = 1; return 0; }\n\
                 int main(void) { pthread_t h; _Bool b = nondet_int() > 3; pthread_create(&h, 0, t, 0);\n\
                 if (!b) strange(1); assert(x == 0); }";
    check("first", first, &["events", "rounds", "stateless", "states", "auto"], &[], "unsafe (sc): assertion failed");
}

/// The thread comes to the doubt whenever it goes on; the violation comes before.
#[test]
fn a_violation_before_a_certain_doubt_is_found() {
    let always = "int x, y, z; void *u(void *a) { x = 1; y = 2; z = 3; strange(2); return 0; }\n\
                  int main(void) { pthread_t k; pthread_create(&k, 0, u, 0);\n\
                  int a = x, b = y, c = z; assert(a == 0 || b != 0 || c != 0); }";
    check("always", always, &ENGINES, &[], "unsafe (sc): assertion failed");
    let engines = ["events", "stateless", "states", "enumerate", "auto"];
    check("always_tso", always, &engines, &["-m", "tso"], "unsafe (tso): assertion failed");
    check("always_pso", always, &engines, &["-m", "pso"], "unsafe (pso): assertion failed");
}

#[test]
fn a_violation_with_more_iterations_than_a_doubt_is_found() {
    let deep = "int main(void) { int n = nondet_int(); for (int i = 0; i < n; i++) {\n\
                if (i == 1 && n == 3) strange(1); assert(i != 6); } }";
    check("deep", deep, &["events", "rounds", "auto"], &["--timeout", "60"], "unsafe (sc): assertion failed");
}

#[test]
fn a_doubt_never_becomes_safe() {
    let doubt = "unknown (sc): call to the undefined function 'strange'";
    let race = "int x, y; void *u(void *a) { if (y == 0) strange(2); x = 2; return 0; }\n\
                int main(void) { pthread_t k; pthread_create(&k, 0, u, 0); y = 1; assert(x != 1); }";
    check("race", race, &ENGINES, &[], doubt);
    check("race_auto", race, &["auto"], &["--timeout", "20"], doubt);
    let looping = "int main(void) { int n = nondet_int(); for (int i = 0; i < n; i++) {\n\
                   if (i == 2) strange(1); assert(i < 1000000); } }";
    check("looping", looping, &["events", "rounds"], &["--unwind", "4", "--timeout", "20"], doubt);
    let input = "int main(void) { int n = nondet_int(); if (n == 5) strange(1); else assert(n != 5); }";
    check("input_doubt", input, &["events", "rounds", "stateless", "states"], &[], doubt);
    // Which comes first, or both at once.
    let order = "int x; void *u(void *a) { if (x) strange(1); return 0; }\n\
                 int main(void) { pthread_t k; pthread_create(&k, 0, u, 0); x = 1; }";
    check("order", order, &ENGINES, &[], doubt);
}

/// A loop counts up to each byte of an address: no arithmetic leads from the one pointer to the other.
#[test]
fn a_pointer_put_together_by_branches_is_a_doubt() {
    let copy = "int target; int *known = &target; union both { int *p; void (*f)(void); unsigned char b[8]; };\n\
                void copy(union both *to, union both *from) { for (int i = 0; i < 8; i++) {\n\
                unsigned char k = 0; while (k != from->b[i]) k++; to->b[i] = k; } }\n";
    let doubt = "unknown (sc): a pointer that branches put together from numbers";
    let threads = |writes: &str| {
        format!(
            "{copy}void *t(void *a) {{ union both u, v; u.p = &target; copy(&v, &u); {writes} return 0; }}\n\
             int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); int r = *known, s = *known; assert(r == s); }}"
        )
    };
    check("rebuilt", &threads("*v.p = 1;"), &ENGINES, &[], doubt);
    check("rebuilt_tso", &threads("*v.p = 1;"), &["states", "stateless"], &["-m", "tso"], "unknown (tso)");
    // The number goes by way of an integer.
    let number =
        threads("unsigned long n = 0; for (int i = 0; i < 8; i++) n |= (unsigned long)v.b[i] << 8 * i; *(int *)n = 1;");
    check("rebuilt_number", &number, &ENGINES, &[], doubt);
    // The object is shared, and the marks are right; the reductions of `states` know nothing of the access.
    let shared = format!(
        "{copy}void *r(void *a) {{ int x = *known, y = *known; assert(x == y); return 0; }}\n\
         void *t(void *a) {{ union both u, v; u.p = &target; copy(&v, &u); *v.p = 1; return 0; }}\n\
         int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); pthread_create(&h, 0, r, 0); if (target) target = 0; }}"
    );
    check("rebuilt_shared", &shared, &["states", "stateless"], &[], doubt);
    check("rebuilt_shared_found", &shared, &["events", "rounds", "enumerate"], &[], "unsafe (sc): assertion failed");
    // Alone, a thread shares nothing, and nothing is left out.
    let alone = format!(
        "{copy}int main(void) {{ union both u, v; u.p = &target; copy(&v, &u); *v.p = 1; assert(target == 0); }}"
    );
    check("rebuilt_alone", &alone, &ENGINES, &[], "unsafe (sc): assertion failed");
    // Bytes that are copied as they are lead where they led.
    let plain =
        copy.replace("unsigned char k = 0; while (k != from->b[i]) k++; to->b[i] = k;", "to->b[i] = from->b[i];");
    let copied = threads("if (v.p != &target) *v.p = 1;").replace(copy, &plain);
    check("copied", &copied, &ENGINES, &[], "safe (sc)");
}

#[test]
fn only_the_end_of_an_object_is_the_end_of_an_object_of_unknown_size() {
    let program = |last: &str| {
        format!(
            "int *data; void *t(void *a) {{ data[90] = 1; assert(data[90] == 1); return 0; }}\n\
             int main(void) {{ pthread_t h; int n = nondet_int(); if (n < 91 || n > 2000) return 0;\n\
             data = malloc(sizeof(int) * n); pthread_create(&h, 0, t, 0); {last} }}"
        )
    };
    let symbolic = ["events", "rounds"];
    check("inside", &program(""), &symbolic, &[], "safe (sc)");
    check("inside_safety", &program(""), &symbolic, &["--memory-safety"], "safe (sc)");
    check("found", &program("data[80] = 5; assert(data[80] != 5);"), &symbolic, &[], "unsafe (sc): assertion failed");
    let outside = program("data[n] = 5;");
    check("outside", &outside, &symbolic, &["--memory-safety"], "unsafe (sc): access out of bounds");
    let assumed = "safe (sc) assuming a valid access at doubt.c:";
    check("outside_assumed", &outside, &symbolic, &["--only-assertions"], assumed);
    let maybe = program("data[91 + (nondet_int() & 31)] = 5;");
    check("maybe", &maybe, &symbolic, &["--memory-safety"], "unsafe (sc): access out of bounds");
    let far = program("if (n > 1000) data[128 + (nondet_int() & 511)] = 5;");
    check("far", &far, &symbolic, &["--memory-safety"], "unknown (sc): an access far inside of '*malloc");
}

/// How many objects were made before decides where an object lies; engines that take all paths at once do not know it.
#[test]
fn what_depends_on_addresses_is_the_machines_to_say() {
    let program = "int main(void) { if (nondet_int() == 12345) malloc(16); char *p = malloc(16);\n\
                   assert((unsigned long)p & 32); return 0; }";
    check("addresses", program, &["events", "rounds", "auto"], &[], "unsafe (sc): assertion failed");
    // However the address is looked at, and whoever finds the violation.
    let views = [
        ("cast", "unsigned long i = (unsigned long)p;"),
        ("member", "union { char *p; unsigned long i; } u; u.p = p; unsigned long i = u.i;"),
        ("copied", "unsigned long i; memcpy(&i, &p, sizeof i);"),
        ("byte", "static char *kept; kept = p; unsigned long i = *(unsigned char *)&kept;"),
    ];
    for (name, view) in views {
        let program = format!(
            "int main(void) {{ if (nondet_int() & 1) malloc(4); if (nondet_int() & 1) malloc(400); char *p = malloc(4);\n\
             {view} assert((i >> 4 & 15) != MACHINES); return 0; }}"
        );
        // Where an engine has the object, and the machine has not, is no violation, and no error of Norn.
        let folder = Folder::new(&format!("{name}_own"));
        folder.write(
            "own.c",
            format!("#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nint nondet_int(void);\n{program}"),
        );
        let mut of_machine = None;
        for number in 0..16 {
            let define = format!("-DMACHINES={number}");
            let run = folder.norn(&["check", "-e", "events", "--no-attack", &define, "own.c"]);
            assert!([0, 5, 10].contains(&run.status()), "{name}, {number}:\n{}{}", run.stdout(), run.stderr());
            if folder.norn(&["check", "-e", "states", &define, "own.c"]).status() == 10 {
                of_machine = Some(define);
            }
        }
        let define = of_machine.expect("the object should lie somewhere");
        for (options, allowed) in
            [(&["-e", "events"][..], &[5, 10][..]), (&["-e", "rounds"], &[5, 10]), (&["--cross-check"], &[10])]
        {
            let run = folder.norn(&[&["check"], options, &[&define, "own.c"]].concat());
            assert!(
                allowed.contains(&run.status()),
                "{name}, {define}, {options:?}:\n{}{}",
                run.stdout(),
                run.stderr()
            );
        }
    }
}

/// A pointer that was taken apart and put together again is to whatever is at the address now, for the machine.
#[test]
fn a_pointer_made_of_bytes_contradicts_nothing() {
    let program = "char kept[8]; void f(int first) { int x = first; int *p = &x; if (first) memcpy(kept, &p, 8);\n\
                   else { memcpy(&p, kept, 8); x = *p; } }\nint main(void) { f(1); f(0); }";
    check("bytes", program, &["states", "stateless"], &[], "safe (sc)");
    check("bytes", program, &["events"], &[], "unknown (sc): the program looks at an address as a number");
    check("bytes", program, &["rounds"], &[], "unknown (sc): the program looks at an address as a number");
    check("bytes", program, &["auto"], &["--cross-check"], "safe (sc)");
}

/// Bounds that take too long are grown towards.
#[test]
fn a_time_limit_leaves_what_smaller_bounds_say() {
    let program = |last: &str| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\nint nondet_int(void);\nunsigned x, y;\n\
             void *t(void *a) {{ while (nondet_int()) {{ unsigned v = x; x = v + y + 3; y = y + x; }} return 0; }}\n\
             int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); t(0); {last} }}"
        )
    };
    for engine in ["events", "rounds"] {
        let folder = Folder::new(&format!("smaller_{engine}"));
        let last_line = |last: &str| {
            folder.write("loop.c", program(last));
            let run = folder.norn(&["check", "-e", engine, "--unwind", "100", "--timeout", "12", "loop.c"]);
            run.stdout().lines().last().unwrap_or_default().to_owned()
        };
        let last = last_line("assert(x != 1 || y != 77);");
        let (_, bounds) =
            last.split_once("unknown (sc): no violation up to ").unwrap_or_else(|| panic!("{engine}: {last}"));
        let bounds = bounds.strip_suffix("; the time limit was reached").unwrap_or_else(|| panic!("{engine}: {last}"));
        let loop_bound = bounds.split(", ").find_map(|bound| bound.strip_suffix(" at loop.c:5"));
        let bound = loop_bound.and_then(|bound| bound.strip_prefix("unwind ")).and_then(|bound| bound.parse().ok());
        assert!(bound.is_some_and(|bound: u32| (1..100).contains(&bound)), "{engine}: {last}");
        let last = last_line("assert(x != 3 || y != 3);");
        assert!(last.starts_with("norn: unsafe (sc): assertion failed"), "{engine}: {last}");
    }
}

/// Nobody sees what a section did that ended the program.
#[test]
fn a_section_may_end_the_program() {
    let program = |section: &str, main: &str| {
        format!(
            "int a, b; void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n\
             void *t(void *z) {{ __VERIFIER_atomic_begin(); {section} __VERIFIER_atomic_end(); return 0; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); {main} }}"
        )
    };
    for model in ["sc", "tso", "pso"] {
        let check = |name: &str, section: &str, main: &str, expected: &str| {
            check(name, &program(section, main), &ENGINES, &["-m", model], &format!("{expected} ({model})"));
        };
        check("ends", "a = 1; exit(0);", "assert(!a);", "safe");
        check("aborts", "a = 1; abort();", "assert(!a);", "safe");
        check("may_end", "a = 1; if (b) abort(); a = 0;", "b = 1; assert(!a);", "safe");
        check("may_go_on", "a = 1; if (b) abort();", "b = 1; assert(!a);", "unsafe");
        check("fails_before", "a = 1; if (b) { assert(a == 0); exit(0); }", "b = 1;", "unsafe");
    }
    // The machine's executions with such a section are none of the formula.
    for main in ["assert(!a);", "b = 1; assert(!a);"] {
        let ends = program("a = 1; if (b) abort(); b = 2; exit(0);", main);
        check("certified", &ends, &["events", "rounds"], &["--certify", "--unwind", "2"], "safe (sc)");
    }
    let races = program("a = 1; exit(0);", "a = 2;");
    check("races", &races, &["states", "stateless", "enumerate"], &["--data-race"], "unsafe (sc): data race");
    check("races_open", &races, &["events"], &["--data-race"], "unknown (sc): a section that ends the program");
}

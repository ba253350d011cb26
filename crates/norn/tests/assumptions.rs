//! `--only-assertions` and `--property`: what nobody asks about ends its execution and is named as an assumption. All engines
//! agree on what that means, and by default it is a violation.

mod support;

use support::Folder;

const ENGINES: [&str; 5] = ["events", "rounds", "stateless", "states", "enumerate"];
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

const PRELUDE: &str = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\nint x, y, *p;\n\
    void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n";

/// The last line after `norn: `, by each engine under each model.
fn ask(folder: &Folder, options: &[&str], file: &str, expected: impl Fn(&str) -> String) {
    for engine in ENGINES {
        for model in MODELS {
            let args = [&["check", "-e", engine, "-m", model], options, &[file]].concat();
            let run = folder.norn(&args);
            let stdout = run.stdout();
            let last = stdout.lines().last().unwrap_or_default().strip_prefix("norn: ").unwrap_or_default();
            let expected = expected(model);
            // Where several things go wrong, which one is found first is the engine's affair.
            let fits = if expected.ends_with(": ") { last.starts_with(&expected) } else { last == expected };
            assert!(fits, "{args:?}: '{last}' should be '{expected}'\n{stdout}{}", run.stderr());
            let status = if last.starts_with("unsafe") { 10 } else { 0 };
            assert_eq!(run.status(), status, "{args:?}");
        }
    }
}

/// What is said with `--only-assertions`, and by default.
fn check(name: &str, program: &str, assuming: &str, by_default: &str) {
    let folder = Folder::new(&format!("assumptions_{name}"));
    folder.write("a.c", format!("{PRELUDE}{program}"));
    let in_words = |model: &str, said: &str| match said.split_once(": ") {
        Some((verdict, reason)) => format!("{verdict} ({model}): {reason}"),
        None => said.replacen("safe", &format!("safe ({model})"), 1),
    };
    ask(&folder, &["--only-assertions"], "a.c", |model| in_words(model, assuming));
    ask(&folder, &[], "a.c", |model| in_words(model, by_default));
}

#[test]
fn an_invalid_access_is_assumed_not_to_happen() {
    let local = "int main(void) {\n  int a[2] = {0, 1};\n  int i = x + 2;\n  assert(a[i] == i);\n}";
    check("local", local, "safe assuming a valid access at a.c:9", "unsafe: access out of bounds at a.c:9");
    let division = "int main(void) {\n  int i = 7;\n  assert(i / x == 3);\n}";
    check("division", division, "safe assuming no division by zero at a.c:8", "unsafe: division by zero at a.c:8");
    let overflow = "int main(void) {\n  int i = -2147483647 - 1;\n  assert(i / (x - 1) == 3);\n}";
    check("quotient", overflow, "safe assuming no division overflow at a.c:8", "unsafe: division overflow at a.c:8");
    let misuse = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) {\n  pthread_mutex_unlock(&m);\n  assert(0);\n}";
    let assuming = "safe assuming synchronisation that is not misused at a.c:8";
    check("misuse", misuse, assuming, "unsafe: synchronisation misused at a.c:8");
    let free = "int main(void) {\n  int *q = malloc(4);\n  free(q);\n  free(q);\n  assert(0);\n}";
    check("free", free, "safe assuming a valid free at a.c:9", "unsafe: double free at a.c:9");
}

/// A thread may be slow: what others do before it comes to the invalid access is seen.
#[test]
fn what_others_do_before_it_is_seen() {
    let first = "void *t(void *a) { x = 1; *p = 2; return 0; }\n\
                 int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);\n  assert(x == 0); }";
    check("first", first, "unsafe: assertion failed at a.c:8", "unsafe: ");
    let behind = first.replace("x = 1; *p = 2;", "*p = 2; x = 1;");
    check("behind", &behind, "safe assuming a valid access at a.c:6", "unsafe: null pointer dereferenced at a.c:6");
    // In a section, too.
    let section = "void *t(void *a) { x = 1; __VERIFIER_atomic_begin();\n  y = 1; *p = 2; y = 0; __VERIFIER_atomic_end(); return 0; }\n\
                   int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);\n  assert(CLAIM); }";
    check("section", &section.replace("CLAIM", "x == 0"), "unsafe: assertion failed at a.c:9", "unsafe: ");
    // Half a section is nothing that anybody could see.
    let half = section.replace("CLAIM", "y == 0");
    check("half", &half, "safe assuming a valid access at a.c:7", "unsafe: null pointer dereferenced at a.c:7");
}

/// The ends of lives in other threads.
#[test]
fn a_use_after_another_threads_free_is_assumed_not_to_happen() {
    let use_after = "void *t(void *a) {\n  *p = 5;\n  y = 1; return 0; }\n\
                     int main(void) { p = malloc(sizeof *p); pthread_t h; pthread_create(&h, 0, t, 0);\n  free(p); x = 1;\n  assert(CLAIM); }";
    let by_default = "unsafe: use after free at a.c:7";
    let assuming = "safe assuming a valid access at a.c:7";
    check("use", &use_after.replace("CLAIM", "y == 0 || y == 1"), assuming, by_default);
    // The access may have come first, or not at all.
    check("used", &use_after.replace("CLAIM", "y == 0"), "unsafe: assertion failed at a.c:11", "unsafe: ");
    check("unused", &use_after.replace("CLAIM", "y == 1"), "unsafe: assertion failed at a.c:11", "unsafe: ");
}

#[test]
fn json_names_the_assumptions() {
    let folder = Folder::new("assumptions_json");
    folder.write("a.c", format!("{PRELUDE}int main(void) {{\n  assert(*p == 0);\n}}"));
    let run = folder.norn(&["check", "--only-assertions", "--json", "a.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    assert_eq!((run.status(), &value["verdict"], &value["complete"]), (0, &"safe".into(), &true.into()));
    assert_eq!(value["assumptions"][0]["what"], "a valid access");
    assert_eq!(value["assumptions"][0]["location"]["line"], 7);
}

#[test]
fn a_property_file_asks_for_one_thing() {
    let folder = Folder::new("assumptions_property");
    let property = |formula: &str| format!("CHECK( init(main()), LTL({formula}) )\n");
    folder.write("reach.prp", property("G ! call(reach_error())"));
    folder.write("race.prp", property("G ! data-race"));
    folder.write("overflow.prp", property("G ! overflow"));
    folder.write("memory.prp", property("G valid-memsafety"));
    folder.write("leaks.prp", property("G valid-memtrack"));
    folder.write("end.prp", property("F end"));
    let check = |program: &str, name: &str, status: i32, expected: &str| {
        folder.write("a.c", format!("#include <limits.h>\nvoid reach_error(void);\n{PRELUDE}{program}"));
        let run = folder.norn(&["check", "--property", name, "a.c"]);
        let stdout = run.stdout();
        let last = stdout.lines().last().unwrap_or_default();
        assert!(run.status() == status && last.starts_with(expected), "{program} {name}: {stdout}{}", run.stderr());
    };
    let calls = "int main(void) { if (*p == 0) reach_error(); }";
    check(calls, "reach.prp", 0, "norn: safe (sc) assuming a valid access at a.c:8");
    check("int main(void) { reach_error(); }", "reach.prp", 10, "norn: unsafe (sc): error function called");
    // Failed assertions end the program; a label is nothing special.
    check("int main(void) { assert(0); reach_error(); }", "reach.prp", 0, "norn: safe (sc)");
    check(
        "int main(void) { ERROR: x = 1; reach_error(); }",
        "reach.prp",
        10,
        "norn: unsafe (sc): error function called",
    );
    check("int main(void) { ERROR: x = 1; return 0; }", "reach.prp", 0, "norn: safe (sc)");
    let races = "void *t(void *a) { x = 1; return 0; }\n\
                 int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); x = 2; reach_error(); }";
    check(races, "race.prp", 10, "norn: unsafe (sc): data race");
    check(races, "reach.prp", 10, "norn: unsafe (sc): error function called");
    check(races, "overflow.prp", 0, "norn: safe (sc)");
    check("int main(void) { x = INT_MAX; x = x + 1; }", "overflow.prp", 10, "norn: unsafe (sc): integer overflow");
    check("int main(void) { *p = 1; }", "memory.prp", 10, "norn: unsafe (sc): null pointer dereferenced");
    check("int main(void) { x = 1; }", "memory.prp", 0, "norn: safe (sc)");
    check("int main(void) { p = malloc(4); }", "memory.prp", 0, "norn: safe (sc)");
    check("int main(void) { p = malloc(4); p = 0; }", "memory.prp", 10, "norn: unsafe (sc): memory leak");
    check("int main(void) { p = malloc(4); p = 0; }", "leaks.prp", 10, "norn: unsafe (sc): memory leak");
    check("int main(void) { *p = 1; }", "leaks.prp", 0, "norn: safe (sc) assuming a valid access at a.c:8");
    let refused = |args: &[&str], status: i32, part: &str| {
        let run = folder.norn(&[&["check"], args, &["a.c"]].concat());
        assert_eq!(run.status(), status, "{args:?}");
        assert!(run.stderr().contains(part), "{args:?}: {}", run.stderr());
    };
    check("int main(void) { for (x = 0; x < 3; x++); }", "end.prp", 0, "norn: safe (sc)");
    check("int main(void) { while (x == 0); }", "end.prp", 10, "norn: unsafe (sc): ");
    folder.write("other.prp", property("F always"));
    refused(&["--property", "other.prp"], 2, "F always");
    refused(&["--property", "nowhere.prp"], 2, "nowhere.prp");
    refused(&["--property", "reach.prp", "--entry", "start"], 2, "--entry main");
    refused(&["--property", "reach.prp", "--data-race"], 1, "--data-race");
    refused(&["--only-assertions", "--memory-safety"], 1, "--memory-safety");
}

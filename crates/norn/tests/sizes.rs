//! Objects whose size is an input: bounds are checked against it, and a size that may be large is a bound of the verdict.

mod support;

use support::Folder;

const HEAD: &str = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nextern int nondet_int(void);\n\
                    void __VERIFIER_assume(int);\n#line 1 \"a.c\"\n";

/// The last line of an answer, and the exit status.
fn ask(folder: &Folder, engine: &str, program: &str, options: &[&str]) -> (String, i32) {
    folder.write("a.c", format!("{HEAD}{program}\n"));
    let run = folder.norn(&[&["check", "-e", engine], options, &["a.c"]].concat());
    (run.stdout().lines().last().unwrap_or_default().to_owned(), run.status())
}

fn with_size(least: i32, most: i32, then: &str) -> String {
    format!(
        "int main(void) {{ int n = nondet_int(); __VERIFIER_assume(n >= {least} && n <= {most});\n\
         int *p = malloc(n * sizeof *p); {then} return 0; }}"
    )
}

#[test]
fn accesses_are_checked_against_the_size() {
    let folder = Folder::new("sizes_checked");
    for engine in ["events", "rounds"] {
        for (then, expected) in [
            ("p[n - 1] = 1; assert(p[n - 1] == 1);", "norn: safe (sc)"),
            ("int i = nondet_int(); if (i >= 0 && i < n) p[i] = 2;", "norn: safe (sc)"),
            ("p[n] = 1;", "norn: unsafe (sc): access out of bounds at a.c:2"),
            ("p[2] = 1;", "norn: unsafe (sc): access out of bounds at a.c:2"),
            ("p[0] = n; assert(p[0] != 77);", "norn: unsafe (sc): assertion failed at a.c:2"),
        ] {
            let (said, _) = ask(&folder, engine, &with_size(1, 100, then), &[]);
            assert_eq!(said, expected, "{engine} {then}");
        }
    }
}

#[test]
fn a_size_that_may_be_large_is_a_bound() {
    let folder = Folder::new("sizes_large");
    let program = with_size(1, i32::MAX, "for (int i = 0; i < n; i++) p[i] = 1;");
    for engine in ["events", "rounds"] {
        let (said, status) = ask(&folder, engine, &program, &["--unwind", "2"]);
        let expected = "up to unwind 2 at a.c:2, objects of 65536 bytes; larger objects were not tried";
        assert!(said.ends_with(expected) && status == 5, "{engine}: {said}");
        let bug = with_size(1, i32::MAX, "for (int i = 0; i <= n; i++) p[i] = 1;");
        let (said, status) = ask(&folder, engine, &bug, &["--unwind", "2"]);
        assert!(said.starts_with("norn: unsafe (sc): access out of bounds") && status == 10, "{engine}: {said}");
    }
}

#[test]
fn arrays_of_threads_are_as_long_as_the_input_says() {
    let folder = Folder::new("sizes_threads");
    let program = |slot: &str| {
        format!(
            "void *t(void *a) {{ *(int *)a = 1; return 0; }}\n\
             int main(void) {{ int n = nondet_int(); __VERIFIER_assume(n >= 0 && n < 4);\n\
             pthread_t *id = malloc(n * sizeof *id); int *data = malloc(n * sizeof *data);\n\
             for (int i = 0; i < n; i++) pthread_create(&id[i], 0, t, &data[{slot}]);\n\
             for (int i = 0; i < n; i++) pthread_join(id[i], 0);\n\
             free(id); free(data); return 0; }}"
        )
    };
    for engine in ["states", "events", "auto"] {
        let (said, _) = ask(&folder, engine, &program("i"), &["--data-race"]);
        assert!(
            said.starts_with("norn: safe (sc)") || engine == "states" && said.contains("unknown"),
            "{engine}: {said}"
        );
        let (said, _) = ask(&folder, engine, &program("i / 2"), &["--data-race"]);
        assert!(
            said.contains("data race at a.c:1") || engine == "states" && said.contains("unknown"),
            "{engine}: {said}"
        );
    }
}

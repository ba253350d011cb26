//! `norn sequentialize` and `norn check --backend` as a user meets them.

mod support;

use std::process::Command;
use support::{Folder, project};

const RACE: &str = "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *f(void *a) { x++; return a; }\n\
                    int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  x++;\n  pthread_join(t, 0);\n  \
                    assert(x == 2);\n  return 0;\n}\n";

#[test]
fn the_file_compiles_finds_the_bug_and_follows_it_again() {
    let folder = Folder::new("sequentialize_runs");
    folder.write("race.c", RACE);
    let run = folder.norn(&["sequentialize", "--for", "cc", "race.c", "-o", "seq.c"]);
    assert_eq!((run.status(), run.stdout().as_str()), (0, ""), "{}", run.stderr());
    let cc = ["-Wall", "-Wextra", "-Werror", "-o"];
    let compiled = Command::new("cc").args(cc).args([folder.path("seq"), folder.path("seq.c")]).status();
    assert!(compiled.expect("there should be a C compiler").success());
    let found = Command::new(folder.path("seq")).arg("--search").output().expect("it should run");
    assert_eq!(found.status.code(), Some(10));
    folder.write("choices", &found.stdout);
    let again = Command::new(folder.path("seq")).arg(folder.path("choices")).output().expect("it should run");
    assert_eq!(again.status.code(), Some(10));
    assert_eq!(String::from_utf8_lossy(&again.stderr), "race.c:10: assertion failed: x == 2\n");
}

#[test]
fn the_text_goes_to_standard_output_and_reads_like_the_paper() {
    let folder = Folder::new("sequentialize_prints");
    folder.write("race.c", RACE);
    let run = folder.norn(&["sequentialize", "-m", "tso", "--rounds", "4", "--unwind", "1", "race.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    let text = run.stdout();
    for part in
        ["#define J(A, B)", "#define G(L)", "static void f_1(void)", "#define ROUNDS 4", "4 rounds", "reach_error"]
    {
        assert!(text.contains(part), "'{part}' should be there:\n{text}");
    }
    assert_eq!(text, folder.norn(&["sequentialize", "-m", "tso", "--rounds", "4", "--unwind", "1", "race.c"]).stdout());
}

#[test]
fn norn_can_check_what_it_wrote() {
    let folder = Folder::new("sequentialize_checked");
    let example = project().join("examples/store_buffering.c").display().to_string();
    for (model, status) in [("sc", 0), ("tso", 10)] {
        let run =
            folder.norn(&["sequentialize", "-m", model, "--timestamps", "3", "--for", "norn", &example, "-o", "seq.c"]);
        assert_eq!(run.status(), 0, "{}", run.stderr());
        let run = folder.norn(&["check", "-e", "events", "--unwind", "4", "seq.c"]);
        assert_eq!(run.status(), status, "{model}: {}{}", run.stdout(), run.stderr());
    }
}

#[test]
fn what_cannot_be_translated_is_said_with_its_line() {
    let folder = Folder::new("sequentialize_refused");
    folder.write("bytes.c", RACE.replace("x++; return", "*(char *)&x = 1; return"));
    let run = folder.norn(&["sequentialize", "-m", "pso", "bytes.c", "-o", "seq.c"]);
    assert_eq!(run.status(), 5, "{}", run.stdout());
    assert!(run.stderr().contains("bytes.c:4:") && run.stderr().contains("'x'"), "{}", run.stderr());
    assert!(!folder.path("seq.c").exists(), "no wrong program should be left");
    folder.write("wrong.c", "int main(void) { return y; }\n");
    assert_eq!(folder.norn(&["sequentialize", "wrong.c"]).status(), 2);
    assert_eq!(folder.norn(&["sequentialize", "--nodes", "1", "bytes.c"]).status(), 1);
    assert_eq!(folder.norn(&["sequentialize", "--rounds", "0", "bytes.c"]).status(), 1);
}

#[test]
fn the_word_of_another_verifier_is_passed_on_as_such() {
    let folder = Folder::new("backend");
    folder.write("race.c", RACE);
    let missing = folder.norn(&["check", "--backend", "no-such-verifier --fast", "race.c"]);
    assert_eq!(missing.status(), 1);
    assert!(missing.stderr().contains("'no-such-verifier'"), "{}", missing.stderr());
    for (says, status, verdict) in [
        ("VERIFICATION FAILED", 10, "norn: 'sh' says unsafe (sc) up to 3 rounds; norn has not replayed it\n"),
        ("VERIFICATION SUCCESSFUL", 0, "norn: 'sh' says safe (sc) up to 3 rounds; norn has not replayed it\n"),
        ("PARSING ERROR", 5, "norn: unknown (sc): 'sh' gave no verdict\n"),
    ] {
        folder.write("tool.sh", format!("test -s \"$1\" && echo '{says}'\n"));
        let run = folder.norn(&["check", "--backend", "sh tool.sh", "race.c"]);
        assert_eq!((run.status(), run.stdout().as_str()), (status, verdict), "{}", run.stderr());
    }
}

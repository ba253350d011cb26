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

/// What Norn finds in the sequential program, the program that runs does.
fn follows(folder: &Folder, options: &[&str], file: &str) {
    let mut args = vec!["sequentialize", "--for", "cc", "-o", "seq.c", "--choices-out", "choices"];
    args.extend_from_slice(options);
    args.push(file);
    let run = folder.norn(&args);
    assert_eq!(run.status(), 10, "{args:?}: {}{}", run.stdout(), run.stderr());
    let stdout = run.stdout();
    let place = stdout.trim_end().rsplit_once(" at ").map(|(_, place)| place).unwrap_or_default();
    assert!(place.starts_with(&format!("{file}:")), "{args:?}: {stdout}");
    let cc = ["-Wall", "-Wextra", "-Werror", "-o"];
    let compiled = Command::new("cc").args(cc).args([folder.path("seq"), folder.path("seq.c")]).status();
    assert!(compiled.expect("there should be a C compiler").success(), "{args:?}");
    let ran = Command::new(folder.path("seq")).arg(folder.path("choices")).output().expect("it should run");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(10), "{args:?}: {said}{}", String::from_utf8_lossy(&ran.stdout));
    assert!(said.starts_with(&format!("{place}: assertion failed: ")), "{args:?}: {said}");
}

#[test]
fn choices_that_norn_finds_lead_the_running_program_to_the_same_assertion() {
    let folder = Folder::new("sequentialize_choices");
    let examples: [(&str, &[&str]); 14] = [
        ("bounded_queue", &["-m", "sc", "-D", "WAIT_ONCE"]),
        ("dekker", &["-m", "tso"]),
        ("dekker", &["-m", "pso"]),
        ("double_checked_locking", &["-m", "pso"]),
        ("lamport", &["-m", "tso", "--unwind", "1", "--timestamps", "2"]),
        ("message_passing", &["-m", "pso"]),
        ("peterson", &["-m", "tso"]),
        ("producer_consumer", &["-m", "sc"]),
        ("seqlock", &["-m", "pso"]),
        ("slot_stack", &["-m", "sc", "-D", "UNVERSIONED", "--unwind", "3"]),
        ("spinlock", &["-m", "pso", "-D", "RELAXED"]),
        ("store_buffering", &["-m", "tso", "--sma", "buffer"]),
        ("szymanski", &["-m", "pso"]),
        ("ticket_lock", &["-m", "pso", "-D", "RELAXED", "--unwind", "3"]),
    ];
    for (name, options) in examples {
        let file = project().join(format!("examples/{name}.c")).display().to_string();
        follows(&folder, options, &file);
    }
    // Values of the program's own, and memory that nobody wrote, are among the choices.
    let values = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\n\
                  long __VERIFIER_nondet_long(void);\nstruct s { int a; char *b; short c; } *p;\n\
                  void *f(void *x) { p->a = __VERIFIER_nondet_int(); return x; }\nint main(void) {\n  pthread_t t; int u;\n  \
                  p = malloc(sizeof *p);\n  int *q = &u;\n  long l = __VERIFIER_nondet_long();\n  pthread_create(&t, 0, f, 0);\n  \
                  int a = p->a;\n  pthread_join(t, 0);\n  \
                  assert(p->a != 123456 || l != 0x123456789abcdef || p->c != 77 || *q != 5 || a != 44);\n  return 0;\n}\n";
    folder.write("values.c", values);
    for options in [&["-m", "sc"][..], &["-m", "tso"], &["-m", "pso", "--sma", "buffer"]] {
        follows(&folder, options, "values.c");
    }
}

#[test]
fn without_a_violation_there_are_no_choices() {
    let folder = Folder::new("sequentialize_no_choices");
    let file = project().join("examples/store_buffering.c").display().to_string();
    let run = folder.norn(&["sequentialize", "--for", "cc", "-o", "seq.c", "--choices-out", "choices", &file]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    assert!(run.stdout().starts_with("norn: no violation (sc) in 3 rounds, within"), "{}", run.stdout());
    assert!(folder.path("seq.c").exists() && !folder.path("choices").exists());
    for wrong in [&["--for", "norn", "-o", "seq.c"][..], &["--for", "cc"]] {
        let args = [&["sequentialize", "--choices-out", "choices", &file], wrong].concat();
        assert_eq!(folder.norn(&args).status(), 1, "{args:?}");
    }
}

#[test]
fn choices_that_do_not_fit_are_named() {
    let folder = Folder::new("sequentialize_wrong_choices");
    folder.write("race.c", RACE);
    assert_eq!(folder.norn(&["sequentialize", "--for", "cc", "race.c", "-o", "seq.c"]).status(), 0);
    let compiled = Command::new("cc").arg("-o").args([folder.path("seq"), folder.path("seq.c")]).status();
    assert!(compiled.expect("there should be a C compiler").success());
    // Main is left at once; runs to its first label, with the content of `t`; then it would be left before that label.
    for (choices, says) in
        [("0 0", "there are no more choices"), ("0 1 0 0 0", "choice 5 is 0, but should lie between 1 and")]
    {
        folder.write("choices", choices);
        let ran = Command::new(folder.path("seq")).arg(folder.path("choices")).output().expect("it should run");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(5), "{choices}: {said}");
        assert!(said.contains(says), "{choices}: {said}");
    }
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

/// `memset` and `memcpy` write the padding of what threads share.
#[test]
fn whole_objects_with_padding_are_translated() {
    let folder = Folder::new("sequentialize_padding");
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\n\
                struct object { char c; int i; char d; } s, t;\nvoid *f(void *a) { s.i = 3; return a; }\n\
                int main(void) {\n  pthread_t h;\n  memset(&s, 0, sizeof s);\n  pthread_create(&h, 0, f, 0);\n  \
                s.c = 1;\n  pthread_join(h, 0);\n  memcpy(&t, &s, sizeof s);\n  assert(t.c == 1 && t.i == 3);\n}\n";
    folder.write("padding.c", text);
    for model in ["sc", "tso"] {
        let run = folder.norn(&["sequentialize", "-m", model, "--for", "norn", "padding.c", "-o", "seq.c"]);
        assert_eq!(run.status(), 0, "{}", run.stderr());
        let checked = folder.norn(&["check", "-e", "events", "--unwind", "4", "seq.c"]);
        assert_eq!(checked.status(), 0, "{}{}", checked.stdout(), checked.stderr());
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
        ("VERIFICATION FAILED", 10, "norn: 'sh' says unsafe (sc) up to 3 rounds, unwind 2; norn has not replayed it\n"),
        (
            "VERIFICATION SUCCESSFUL",
            5,
            "norn: unknown (sc): 'sh' says safe up to 3 rounds, unwind 2; larger bounds were not tried\n",
        ),
        ("PARSING ERROR", 5, "norn: unknown (sc): 'sh' gave no verdict: its last line is 'PARSING ERROR'\n"),
    ] {
        folder.write("tool.sh", format!("test -s \"$1\" && echo '{says}'\n"));
        let run = folder.norn(&["check", "--backend", "sh tool.sh", "race.c"]);
        assert_eq!((run.status(), run.stdout().as_str()), (status, verdict), "{}", run.stderr());
    }
}

/// Within bounds that the user gave it is safe, unless a proof is asked for.
#[test]
fn the_word_of_another_verifier_counts_within_bounds_that_were_given() {
    let folder = Folder::new("backend_given");
    folder.write("race.c", RACE);
    folder.write("tool.sh", "echo VERIFICATION SUCCESSFUL\n");
    let given = ["check", "--rounds", "4", "--unwind", "1", "--backend", "sh tool.sh", "race.c"];
    let run = folder.norn(&given);
    let safe = "norn: 'sh' says safe (sc) up to 4 rounds, unwind 1; norn has not replayed it\n";
    assert_eq!((run.status(), run.stdout().as_str()), (0, safe), "{}", run.stderr());
    let run = folder.norn(&[&given[..], &["--require-proof"]].concat());
    let open = "norn: unknown (sc): 'sh' says safe up to 4 rounds, unwind 1; a proof is required\n";
    assert_eq!((run.status(), run.stdout().as_str()), (5, open), "{}", run.stderr());
    let only_rounds = folder.norn(&["check", "--rounds", "4", "--backend", "sh tool.sh", "race.c"]);
    assert_eq!(only_rounds.status(), 5, "{}", only_rounds.stdout());
}

#[test]
fn a_verifier_that_did_not_end_well_proves_nothing() {
    let folder = Folder::new("backend_killed");
    folder.write("race.c", RACE);
    for (end, why) in [
        ("kill -SEGV $$", "it says safe, but ended with signal: 11"),
        ("exit 3", "it says safe, but ended with exit status: 3"),
    ] {
        folder.write("tool.sh", format!("echo VERIFICATION SUCCESSFUL\n{end}\n"));
        let run = folder.norn(&["check", "--rounds", "4", "--unwind", "1", "--backend", "sh tool.sh", "race.c"]);
        let expected = format!("norn: unknown (sc): 'sh' gave no verdict: {why}");
        assert!(run.status() == 5 && run.stdout().starts_with(&expected), "{}", run.stdout());
    }
}

/// What is violated under a model is violated under a weaker one.
#[test]
fn words_about_several_models_do_not_contradict_one_another() {
    let folder = Folder::new("backend_models");
    folder.write("race.c", RACE);
    folder
        .write("tool.sh", "case \"$1\" in *sc.c) echo VERIFICATION FAILED;; *) echo VERIFICATION SUCCESSFUL;; esac\n");
    for models in ["sc,tso", "tso,sc"] {
        let run = folder.norn(&["check", "-m", models, "--backend", "sh tool.sh", "race.c"]);
        let mut lines = run.stdout().lines().map(str::to_owned).collect::<Vec<_>>();
        lines.sort();
        assert!(run.status() == 10 && lines.len() == 2, "{lines:?}");
        assert!(lines[0].starts_with("norn: 'sh' says unsafe (sc) up to 3 rounds"), "{lines:?}");
        assert!(lines[1].starts_with("norn: unknown (tso): 'sh' says safe up to 3 rounds"), "{lines:?}");
        assert!(lines[1].ends_with("; but unsafe under sc, whose executions are among these"), "{lines:?}");
    }
    let run = folder.norn(&["check", "-m", "sc,tso", "--json", "--backend", "sh tool.sh", "race.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("one JSON text");
    let verdicts = support::verdicts(&value);
    assert_eq!((run.status(), verdicts.len()), (10, 2), "{value}");
    assert_eq!((&verdicts[0]["verdict"], &verdicts[1]["verdict"]), (&"unsafe".into(), &"unknown".into()));
    let run = folder.norn(&["check", "--json", "--backend", "sh tool.sh", "race.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("one JSON text");
    assert_eq!(value["verdict"], "unsafe");
}

#[test]
fn each_verifier_gets_a_file_of_its_own_conventions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("backend_conventions");
    folder.write("race.c", RACE);
    for (tool, calls, says) in [
        ("cbmc", "__CPROVER_assume", "VERIFICATION SUCCESSFUL"),
        ("esbmc", "__ESBMC_assume", "VERIFICATION SUCCESSFUL"),
        ("norn", "norn check -e events", "norn: safe (sc)"),
        ("another", "__VERIFIER_assume", "Verification result: TRUE"),
    ] {
        let script = format!("#!/bin/sh\ntest \"$1\" = --fast && grep -q '{calls}' \"$2\" && echo '{says}'\n");
        let path = folder.write(tool, script);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it should become executable");
        let command = format!("./{tool} --fast");
        let run =
            folder.norn(&["check", "-m", "tso", "--rounds", "2", "--unwind", "1", "--backend", &command, "race.c"]);
        // The bounds of the memory are Norn's own.
        let expected = format!(
            "norn: unknown (tso): '{tool}' says safe up to 2 rounds, unwind 1, 4 timestamps, 3 nodes; larger bounds were \
             not tried\n"
        );
        assert_eq!((run.status(), run.stdout()), (5, expected), "{}", run.stderr());
    }
    folder.write("slow.sh", "exec sleep 20\n");
    let run = folder.norn(&["check", "--timeout", "1", "--backend", "sh slow.sh", "race.c"]);
    let expected = "norn: unknown (sc): 'sh' gave no verdict: the time limit was reached\n".to_owned();
    assert_eq!((run.status(), run.stdout()), (5, expected), "{}", run.stderr());
}

#[test]
fn what_norn_does_not_support_is_never_safe() {
    let folder = Folder::new("sequentialize_unsupported");
    let calls = RACE.replace("x++; return", "void launch(void); launch(); return");
    folder.write("calls.c", calls.replace("x == 2", "x == 1"));
    assert_eq!(folder.norn(&["sequentialize", "--for", "norn", "calls.c", "-o", "norn.c"]).status(), 0);
    let run = folder.norn(&["check", "-e", "events", "norn.c"]);
    assert_eq!(run.status(), 5, "{}", run.stdout());
    assert!(run.stdout().contains("norn_not_supported") && run.stdout().contains("calls.c:4"), "{}", run.stdout());
    let run = folder.norn(&["sequentialize", "--for", "cc", "calls.c", "-o", "seq.c", "--choices-out", "choices"]);
    assert_eq!(run.status(), 5, "{}", run.stdout());
    let compiled = Command::new("cc").arg("-o").args([folder.path("seq"), folder.path("seq.c")]).status();
    assert!(compiled.expect("there should be a C compiler").success());
    let ran = Command::new(folder.path("seq")).arg("--search").output().expect("it should run");
    assert_eq!(ran.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("calls.c:4: not supported: "));
    for tool in ["cbmc", "esbmc", "svcomp"] {
        let text = folder.norn(&["sequentialize", "--for", tool, "calls.c"]).stdout();
        assert!(text.contains("#define unsupported(text) fail("), "{tool}");
    }
}

//! `norn check` and `norn run` as a user and a script see them.

mod support;

use support::{Folder, project, until_it_listens};

/// One `// expect OPTIONS: sc VERDICT, …` line of an example.
struct Expectation {
    example: String,
    options: Vec<String>,
    model: String,
    verdict: String,
}

fn expectations() -> Vec<Expectation> {
    let mut paths = std::fs::read_dir(project().join("examples")).expect("examples").collect::<Result<Vec<_>, _>>();
    let paths = paths.as_mut().expect("examples should be readable");
    paths.sort_by_key(std::fs::DirEntry::path);
    let mut found = Vec::new();
    for path in paths.iter().map(std::fs::DirEntry::path).filter(|p| p.extension().is_some_and(|e| e == "c")) {
        let text = std::fs::read_to_string(&path).expect("an example is text");
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("// expect")) {
            let (options, verdicts) = line.split_once(':').expect("an expectation has a colon");
            for verdict in verdicts.split(',') {
                let (model, verdict) = verdict.trim().split_once(' ').expect("a model and a verdict");
                found.push(Expectation {
                    example: path.display().to_string(),
                    options: options.split_whitespace().map(str::to_owned).collect(),
                    model: model.to_owned(),
                    verdict: verdict.to_owned(),
                });
            }
        }
    }
    assert!(found.len() > 60, "the examples should say what to expect");
    found
}

/// Every example gets its verdict, and every counterexample that is written out replays to the same violation.
#[test]
fn examples_get_their_verdicts_and_counterexamples_replay() {
    let folder = Folder::new("examples_get_their_verdicts");
    let mut replayed = 0;
    for Expectation { example, options, model, verdict } in expectations() {
        let mut args = vec!["check", "-m", &model, "--schedule-out", "bug.schedule"];
        args.extend(options.iter().map(String::as_str));
        args.push(&example);
        let run = folder.norn(&args);
        let stdout = run.stdout();
        let last = stdout.lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with(&format!("norn: {verdict} ({model})")), "{args:?}: {last}\n{}", run.stderr());
        assert_eq!(run.status(), if verdict == "unsafe" { 10 } else { 0 }, "{args:?}");
        if verdict == "unsafe" {
            let mut args = vec!["run", "--schedule", "bug.schedule"];
            args.extend(options.iter().map(String::as_str));
            args.push(&example);
            let again = folder.norn(&args);
            assert_eq!(again.status(), 10, "{args:?}: {}", again.stderr());
            let said = again.stderr();
            let line = said.lines().last().unwrap_or_default();
            assert!(line.starts_with(&last), "{args:?}: '{line}' should be '{last}'");
            replayed += 1;
        }
    }
    assert!(replayed >= 20, "many examples should be unsafe somewhere, not {replayed}");
}

const RACY: &str = "#include <pthread.h>\n#include <assert.h>\nint x;\n\
                    void *t(void *a) { x = 1; return a; }\n\
                    int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); int r = x; assert(r <= 1); return 0; }\n";

const LOOP: &str = "#include <pthread.h>\n#include <assert.h>\nint x;\n\
                    void *t(void *a) { x = 1; return a; }\n\
                    int main(void) {\n  pthread_t p;\n  pthread_create(&p, 0, t, 0);\n  int n = 0;\n\
                    \x20 while (!x)\n    if (n < 5)\n      n++;\n  assert(n < 3);\n  return 0;\n}\n";

#[test]
fn bounds_are_part_of_the_verdict() {
    let folder = Folder::new("bounds_are_part");
    folder.write("loop.c", LOOP);
    let check = |args: &[&str], status: i32, last: &str| {
        let run = folder.norn(&[&["check"], args, &["loop.c"]].concat());
        assert_eq!(run.stdout().lines().last(), Some(last), "{args:?}\n{}", run.stderr());
        assert_eq!(run.status(), status, "{args:?}");
    };
    check(&["--unwind", "2"], 0, "norn: safe (sc) up to unwind 2 at loop.c:9");
    let unproved = "norn: unknown (sc): no violation up to unwind 2 at loop.c:9; a proof is required";
    check(&["--unwind", "2", "--require-proof"], 5, unproved);
    check(&["--unwind", "loop.c:9=3"], 10, "norn: unsafe (sc): assertion failed at loop.c:12");
    check(&["--unwind", "3"], 10, "norn: unsafe (sc): assertion failed at loop.c:12");
    check(&[], 10, "norn: unsafe (sc): assertion failed at loop.c:12");
    let wrong = folder.norn(&["check", "--unwind", "loop.c:12=3", "loop.c"]);
    assert_eq!(wrong.status(), 1);
    assert!(wrong.stderr().contains("loop.c:12"), "{}", wrong.stderr());
    let listing = folder.norn(&["check", "--show-loops", "loop.c"]);
    assert_eq!((listing.status(), listing.stdout().as_str()), (0, "loop.c:9  in main\n"));
}

#[test]
fn a_racy_safe_program_gets_a_note() {
    let folder = Folder::new("a_racy_safe_program");
    folder.write("racy.c", RACY);
    let run = folder.norn(&["check", "racy.c"]);
    assert_eq!(run.status(), 0);
    assert!(run.stdout().contains("note: the program has data races"), "{}", run.stdout());
    let run = folder.norn(&["check", "--data-race", "racy.c"]);
    assert_eq!(run.status(), 10);
    assert!(run.stdout().contains("norn: unsafe (sc): data race at racy.c:"), "{}", run.stdout());
}

#[test]
fn json_has_everything() {
    let folder = Folder::new("json_has_everything");
    let example = project().join("examples/store_buffering.c").display().to_string();
    let run = folder.norn(&["check", "--json", "-m", "tso", &example]);
    assert_eq!(run.status(), 10);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    for (key, expected) in [("verdict", "unsafe"), ("model", "tso"), ("property", "assertion"), ("engine", "sample")] {
        assert_eq!(value[key], expected, "{key}");
    }
    assert_eq!(value["complete"], true);
    assert_eq!(value["location"]["line"], 46);
    assert!(value["location"]["file"].as_str().is_some_and(|f| f.ends_with("store_buffering.c")));
    assert!(value["trace"]["events"].as_array().is_some_and(|events| events.len() > 10));
    assert!(value["reason"].is_null() && value["bounds"].is_array() && value["stats"]["executions"].is_number());
    let several = folder.norn(&["check", "--json", "-m", "sc,tso", &example]);
    let value: serde_json::Value = serde_json::from_str(&several.stdout()).expect("JSON");
    let verdicts = support::verdicts(&value);
    assert_eq!(verdicts.iter().map(|v| &v["verdict"]).collect::<Vec<_>>(), ["safe", "unsafe"]);
    assert_eq!(several.status(), 10);
}

/// The engine that samples says unsafe or unknown; every safe verdict of another is attacked, unless that is left out.
#[test]
fn sampling_never_says_safe_and_safe_is_attacked() {
    let folder = Folder::new("sampling_never_says_safe");
    folder.write("fine.c", "#include <assert.h>\nint x;\nint main(void) {\n  x = 1;\n  assert(x);\n}\n");
    let run = folder.norn(&["check", "-e", "sample", "--executions", "100", "fine.c"]);
    let line = "norn: unknown (sc): no violation in 100 sampled executions\n";
    assert_eq!((run.status(), run.stdout().as_str()), (5, line));
    for engine in ["auto", "states", "stateless", "events", "rounds", "enumerate"] {
        let attacked = folder.norn(&["check", "--stats", "-e", engine, "fine.c"]);
        assert_eq!((attacked.status(), attacked.stdout().as_str()), (0, "norn: safe (sc)\n"), "{engine}");
        assert!(attacked.stderr().contains("attack executions"), "{engine}: {}", attacked.stderr());
        let left_out = folder.norn(&["check", "--stats", "--no-attack", "-e", engine, "fine.c"]);
        assert_eq!(left_out.status(), 0, "{engine}");
        assert!(!left_out.stderr().contains("attack"), "{engine}: {}", left_out.stderr());
    }
    let example = project().join("examples/message_passing.c").display().to_string();
    let found = || folder.norn(&["check", "-e", "sample", "-m", "pso", &example]);
    assert_eq!(found().status(), 10);
    assert_eq!(found().stdout(), found().stdout());
}

#[test]
fn what_norn_cannot_handle_is_unknown_with_its_place() {
    let folder = Folder::new("what_norn_cannot_handle");
    folder.write("a.c", "int mystery(int);\nint main(void) {\n  return mystery(1);\n}\n");
    let run = folder.norn(&["check", "a.c"]);
    assert_eq!(run.status(), 5, "{}", run.stderr());
    let stdout = run.stdout();
    let last = stdout.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("norn: unknown (sc): ") && last.contains("'mystery'") && last.ends_with("a.c:3"),
        "{last}"
    );
    let run = folder.norn(&["check", "--json", "a.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    assert_eq!(value["verdict"], "unknown");
    assert!(value["reason"].as_str().is_some_and(|r| r.contains("mystery")));
    folder.write("b.c", "int main(void) {\n  int n = 2;\n  struct { int a[n]; } s;\n  return sizeof s;\n}\n");
    let run = folder.norn(&["check", "b.c"]);
    assert_eq!(run.status(), 5, "{}", run.stderr());
    assert!(run.stdout().starts_with("norn: unknown (sc): "), "{}", run.stdout());
}

/// Counts up for ever in shared memory: no engine can visit every state.
const ENDLESS: &str = "#include <pthread.h>\nunsigned long x;\nvoid *t(void *a) { for (;;) x++; return a; }\n\
                       int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); for (;;) x++; }\n";

#[test]
fn limits_end_in_unknown() {
    let folder = Folder::new("limits_end_in_unknown");
    folder.write("endless.c", ENDLESS);
    for engine in ["enumerate", "states", "stateless"] {
        let run = folder.norn(&["check", "-e", engine, "--timeout", "1", "endless.c"]);
        let reason = "norn: unknown (sc): the time limit was reached";
        assert!(run.status() == 5 && run.stdout().starts_with(reason), "{engine}: {}", run.stdout());
    }
    for engine in ["enumerate", "states"] {
        let run = folder.norn(&["check", "-e", engine, "--memory", "60", "endless.c"]);
        let reason = "norn: unknown (sc): the memory limit was reached";
        assert!(run.status() == 5 && run.stdout().starts_with(reason), "{engine}: {}", run.stdout());
    }
}

/// After at least one completed bound, the time limit leaves what is known within it, which is not safe.
#[test]
fn a_limit_after_a_completed_bound_is_unknown_with_the_bound() {
    let folder = Folder::new("a_limit_after_a_completed_bound");
    folder.write("endless.c", ENDLESS);
    for engine in ["auto", "events", "rounds"] {
        let run = folder.norn(&["check", "-e", engine, "--timeout", "4", "endless.c"]);
        let stdout = run.stdout();
        let verdict = stdout.lines().last().unwrap_or_default();
        assert!(verdict.starts_with("norn: unknown (sc): no violation up to "), "{engine}: {stdout}");
        assert!(verdict.ends_with("; the time limit was reached") && run.status() == 5, "{engine}: {stdout}");
        assert!(verdict.contains("unwind") && verdict.contains("at endless.c:3"), "{engine}: {verdict}");
    }
    let run = folder.norn(&["check", "--json", "--timeout", "4", "endless.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    assert_eq!((run.status(), &value["verdict"], &value["complete"]), (5, &"unknown".into(), &false.into()));
    assert!(value["bounds"].as_array().is_some_and(|bounds| bounds.iter().any(|b| b["exhausted"] == false)), "{value}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_after_saying_what_was_reached() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("an_interrupt");
    let path = folder.write("endless.c", ENDLESS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_norn"))
        .args(["check", "--timeout", "60"])
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("norn should start");
    until_it_listens(&child);
    std::thread::sleep(std::time::Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should run");
    assert!(killed.success());
    let status = child.wait().expect("norn should end");
    let output = std::io::read_to_string(child.stdout.take().expect("a pipe")).expect("text");
    assert!(status.code() == Some(130) && is_interrupted(&output, "sc"), "{output}");
}

/// Whether the line says so, maybe after the bounds that were reached before.
#[cfg(unix)]
fn is_interrupted(line: &str, model: &str) -> bool {
    let Some(reason) = line.trim_end().strip_prefix(&format!("norn: unknown ({model}): ")) else { return false };
    reason.starts_with("interrupted") || reason.starts_with("no violation up to ") && reason.ends_with("; interrupted")
}

/// The models that were not come to are told, too, and JSON is a list for several models.
#[cfg(unix)]
#[test]
fn an_interrupt_tells_of_all_models() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("an_interrupt_of_models");
    folder.write("endless.c", ENDLESS);
    let interrupted = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command.args(args).arg("endless.c").current_dir(folder.path("")).stdout(Stdio::piped());
        let mut child = command.spawn().expect("norn should start");
        until_it_listens(&child);
        std::thread::sleep(std::time::Duration::from_millis(700));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should run");
        assert!(killed.success());
        assert_eq!(child.wait().expect("norn should end").code(), Some(130), "{args:?}");
        std::io::read_to_string(child.stdout.take().expect("a pipe")).expect("text")
    };
    let said = interrupted(&["check", "-m", "sc,tso,pso"]);
    let lines = said.lines().filter(|line| line.starts_with("norn: ")).collect::<Vec<_>>();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines.iter().zip(["sc", "tso", "pso"]).all(|(line, model)| is_interrupted(line, model)), "{said}");
    let value: serde_json::Value =
        serde_json::from_str(&interrupted(&["check", "--json", "-m", "sc,tso,pso"])).expect("one JSON text");
    assert_eq!(support::verdicts(&value).iter().map(|v| &v["model"]).collect::<Vec<_>>(), ["sc", "tso", "pso"]);
    let said = interrupted(&["robust", "-m", "tso,pso"]);
    assert_eq!(said.lines().filter(|line| line.starts_with("norn: unknown")).count(), 2, "{said}");
    let value: serde_json::Value =
        serde_json::from_str(&interrupted(&["robust", "--json", "-m", "tso,pso"])).expect("one JSON text");
    assert_eq!(support::verdicts(&value).len(), 2);
}

/// Main creates threads for ever. Two of them do what is wrong, the second and third under TSO and PSO only.
const CREATES: &str = "#include <pthread.h>\n#include <assert.h>\nint nondet_int(void);\nvolatile int x, y, turn, a = 1;\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    int next(void) { pthread_mutex_lock(&m); int n = turn++; pthread_mutex_unlock(&m); return n; }\n\
    void *counts(void *arg) { int r = x; x = r + 1; assert(r == 0); return 0; }\n\
    void *crosses(void *arg) { int me = next(); if (me == 1) { x = 1; a = y; }\n\
      if (me == 2) { y = 1; int b = x; next(); assert(a || b); } return 0; }\n\
    int main(void) { pthread_t p; unsigned n = 0; while (1) { n++; pthread_create(&p, 0, START, 0); } }\n";

#[test]
fn threads_that_are_created_for_ever_do_not_hide_what_few_of_them_do() {
    let folder = Folder::new("threads_that_are_created_for_ever");
    folder.write("counts.c", CREATES.replace("START", "counts"));
    folder.write("crosses.c", CREATES.replace("START", "crosses"));
    // Beyond the bound main would ask for more values than anybody chose.
    folder.write("asks.c", CREATES.replace("START, 0); }", "counts, 0); while (nondet_int() != 77) n++; }"));
    let bounded: [&[&str]; 3] =
        [&["-e", "events", "--unwind", "2"], &["-e", "rounds", "--unwind", "2"], &["-e", "stateless", "--unwind", "2"]];
    let all = [&bounded[..], &[&[], &["-e", "states"]]].concat();
    let check = |file: &str, models: &[&str], engines: &[&[&str]]| {
        for model in models {
            for engine in engines {
                let args = [&["check", "-m", model, "--schedule-out", "bug", file], *engine].concat();
                let run = folder.norn(&args);
                assert_eq!(run.status(), 10, "{args:?}: {}{}", run.stdout(), run.stderr());
                let again = folder.norn(&["run", "--schedule", "bug", file]);
                assert_eq!(again.status(), 10, "{args:?}: {}", again.stderr());
            }
        }
    };
    check("counts.c", &["sc", "tso", "pso"], &all);
    check("crosses.c", &["tso", "pso"], &all);
    check("asks.c", &["sc", "tso"], &bounded);
    let run = folder.norn(&["check", "-e", "events", "--unwind", "2", "crosses.c"]);
    assert_eq!(run.stdout().lines().last(), Some("norn: safe (sc) up to unwind 2 at crosses.c:10"));
}

#[test]
fn run_shows_the_output_and_the_status() {
    let folder = Folder::new("run_shows_the_output");
    folder.write("hello.c", "#include <stdio.h>\nint main(void) { printf(\"%d %s\\n\", 42, \"fates\"); return 3; }\n");
    let run = folder.norn(&["run", "hello.c"]);
    assert_eq!((run.status(), run.stdout().as_str()), (0, "42 fates\n"));
    assert!(run.stderr().contains("norn: the program ended with status 3"), "{}", run.stderr());
}

#[test]
fn the_same_seed_runs_the_same_way() {
    let folder = Folder::new("the_same_seed");
    folder.write("racy.c", RACY);
    let run = |seed: &str| folder.norn(&["run", "--trace", "-m", "tso", "--seed", seed, "racy.c"]).stderr();
    assert_eq!(run("5"), run("5"));
    let different = (0..20).map(|seed| run(&seed.to_string())).collect::<std::collections::BTreeSet<_>>();
    assert!(different.len() > 1, "seeds should matter");
}

#[test]
fn schedules_that_do_not_fit_are_refused() {
    let folder = Folder::new("schedules_that_do_not_fit");
    let example = project().join("examples/store_buffering.c").display().to_string();
    let found = folder.norn(&["check", "-m", "tso", "--schedule-out", "bug.schedule", &example]);
    assert_eq!(found.status(), 10);
    let refused = |args: &[&str], part: &str| {
        let run = folder.norn(&[&["run", "--schedule"], args].concat());
        assert_eq!(run.status(), 2, "{args:?}: {}", run.stderr());
        assert!(run.stderr().contains(part), "{args:?}: '{part}' should be said:\n{}", run.stderr());
    };
    let other = project().join("examples/peterson.c").display().to_string();
    refused(&["bug.schedule", &other], "is of program");
    refused(&["nowhere.schedule", &example], "nowhere.schedule");
    refused(&["bug.schedule", "-m", "pso", &example], "tso");
    let text = std::fs::read_to_string(folder.path("bug.schedule")).expect("a schedule");
    folder.write("cut.schedule", &text[..text.len() / 2]);
    refused(&["cut.schedule", &example], "cut");
    let wrong = text.lines().filter(|line| !line.starts_with("run main.1 1")).collect::<Vec<_>>().join("\n");
    folder.write("wrong.schedule", wrong);
    refused(&["wrong.schedule", &example], "step");
    folder.write("garbage.schedule", "once upon a time\n");
    refused(&["garbage.schedule", &example], "not a schedule");
}

const LITMUS: &str = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
                      MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

#[test]
fn litmus_tests_are_answered_and_compared() {
    let folder = Folder::new("litmus_tests");
    folder.write("SB.litmus", LITMUS);
    folder.write("right.tsv", "test\tsc\ttso\nSB\tForbid\tAllow\n");
    folder.write("wrong.tsv", "test\tsc\ttso\nSB\tForbid\tForbid\n");
    let run = folder.norn(&["litmus", "-m", "sc,tso,pso", "SB.litmus"]);
    assert_eq!((run.status(), run.stdout().as_str()), (0, "SB  sc Forbid  tso Allow  pso Allow\n"));
    let run = folder.norn(&["litmus", "-m", "sc,tso", "--expect", "right.tsv", "."]);
    assert_eq!(
        (run.status(), run.stdout().as_str()),
        (0, "norn: 2 answers compared, 0 different, 0 unknown\n"),
        "{}",
        run.stderr()
    );
    let run = folder.norn(&["litmus", "-m", "sc,tso", "--expect", "wrong.tsv", "."]);
    assert_eq!(run.status(), 10);
    assert!(run.stdout().contains("SB  sc Forbid  tso Allow  DIFFERENT: tso should be Forbid"), "{}", run.stdout());
    let run = folder.norn(&["litmus", "--states", "SB.litmus"]);
    assert!(
        run.stdout().contains("States 3\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\n"),
        "{}",
        run.stdout()
    );
}

#[test]
fn bad_litmus_files_are_refused() {
    let folder = Folder::new("bad_litmus");
    let refused = |name: &str, text: &str, part: &str| {
        folder.write(name, text);
        let run = folder.norn(&["litmus", name]);
        assert_eq!(run.status(), 2, "{name}: {}", run.stderr());
        assert!(run.stderr().contains(part) && run.stderr().contains(name), "{name}: {}", run.stderr());
    };
    refused("unknown.litmus", &LITMUS.replace("MOV EAX,[y]", "FROB EAX   "), "FROB");
    refused("cut.litmus", &LITMUS[..LITMUS.len() / 2], "error");
    refused("empty.litmus", "", "error");
    refused("prose.litmus", "Once upon a time there was a race.\n", "error");
    let run = folder.norn(&["litmus", "nowhere.litmus"]);
    assert_eq!(run.status(), 2);
    let run = folder.norn(&["litmus", "--expect", "nowhere.tsv", "unknown.litmus"]);
    assert_eq!(run.status(), 2);
}

#[test]
fn executions_can_be_limited() {
    let folder = Folder::new("executions_can_be_limited");
    folder.write("racy.c", RACY);
    let check = |limit: &str| folder.norn(&["check", "-e", "stateless", "--executions", limit, "racy.c"]);
    let one = check("1");
    // A bound that the user gave: within it the program is safe.
    assert_eq!((one.status(), one.stderr().as_str()), (0, ""), "no progress is shown where there is no terminal");
    let stdout = one.stdout();
    assert!(stdout.contains("note: 1 execution was explored, an estimated 50.00 % of the search."), "{stdout}");
    assert_eq!(stdout.lines().last(), Some("norn: safe (sc) up to 1 executions"));
    // There are two: the limit does not get in the way.
    assert_eq!((check("2").status(), check("0").status()), (0, 1));
}

/// An option that an engine would ignore is refused: the verdict would lack what was asked for.
#[test]
fn options_that_the_engine_would_ignore_are_refused() {
    let folder = Folder::new("options_that_the_engine_would_ignore_are_refused");
    folder.write("racy.c", RACY);
    let status = |options: &[&str]| folder.norn(&[&["check", "racy.c"], options].concat()).status();
    for refused in [
        &["-e", "events", "--shortest"][..],
        &["-e", "rounds", "--shortest"],
        &["-e", "states", "--certify"],
        &["--cross-check", "--certify"],
        &["-e", "enumerate", "--certify"],
        &["-e", "stateless", "--rounds", "2"],
        &["-e", "events", "--bits", "4"],
        &["-e", "states", "--thread-order", "1,0"],
    ] {
        assert_eq!(status(refused), 1, "{refused:?}");
    }
    for taken in [
        &["-e", "states", "--shortest"][..],
        &["--certify"],
        &["-e", "events", "--certify"],
        &["-e", "rounds", "--certify"],
        &["--rounds", "2"],
    ] {
        assert_eq!(status(taken), 0, "{taken:?}");
    }
}

/// What orders memory does so whatever it writes to.
#[test]
fn a_fence_by_means_of_a_local_variable_is_one() {
    let folder = Folder::new("a_fence_by_means_of_a_local_variable_is_one");
    let program = |fence: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint x, y, p, q;\n\
             void *left(void *arg) {{ atomic_int d = 0; x = 1; {fence} p = y; return 0; }}\n\
             void *right(void *arg) {{ atomic_int d = 0; y = 1; {fence} q = x; return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); assert(p + q > 0); }}"
        )
    };
    for (fence, expected) in [
        ("", 10),
        ("atomic_store_explicit(&d, 1, memory_order_relaxed);", 10),
        ("atomic_store(&d, 1);", 0),
        ("atomic_fetch_add_explicit(&d, 0, memory_order_relaxed);", 0),
        ("int e = 1; atomic_compare_exchange_strong(&d, &e, 2);", 0),
    ] {
        folder.write("fence.c", program(fence));
        for engine in ["enumerate", "states", "stateless", "events", "rounds"] {
            let run = folder.norn(&["check", "-m", "tso", "-e", engine, "fence.c"]);
            assert_eq!(run.status(), expected, "{fence} {engine}: {}", run.stdout());
        }
    }
}

/// Large arrays are set by loops that nobody wrote: a bound on loops of the program is none on them.
#[test]
fn a_bound_on_a_loop_that_nobody_wrote_was_not_given() {
    let folder = Folder::new("a_bound_on_a_loop_that_nobody_wrote_was_not_given");
    folder.write("large.c", "#include <assert.h>\nint main(void) { struct { int a[200]; } d = {}; assert(d.a[3]); }\n");
    for engine in ["auto", "enumerate", "states", "stateless", "events", "rounds"] {
        let run = folder.norn(&["check", "--no-attack", "-e", engine, "--unwind", "2", "large.c"]);
        assert!(matches!(run.status(), 5 | 10), "{engine}: {}", run.stdout());
    }
    folder
        .write("clear.c", "#include <assert.h>\nint main(void) { struct { int a[200]; } d = {}; assert(!d.a[3]); }\n");
    let run = folder.norn(&["check", "-e", "stateless", "--unwind", "2", "clear.c"]);
    let expected = "note: no execution within these bounds reaches the assertion at clear.c:2.\n\
        norn: unknown (sc): no violation up to unwind 64 in copies of large objects; a loop of the library has a bound of its own\n";
    assert_eq!(run.stdout(), expected);
}

/// Loops that the front end makes are none of the file in which the program begins.
#[test]
fn bounds_on_loops_beside_copies_of_large_objects_count() {
    let folder = Folder::new("bounds_beside_copies");
    folder.write(
        "beside.c",
        "#include <assert.h>\n#include <string.h>\nint __VERIFIER_nondet_int(void);\nstruct node { int *p; long id; void *cells[40]; };\n\
         static struct node n[3];\nint main(void) {\nmemset(&n[0], 0, 3 * sizeof *n);\nint k = __VERIFIER_nondet_int(), s = 0;\n\
         for (int i = 0; i < k; i++) s++;\nassert(s >= 0); return 0; }\n",
    );
    let run = folder.norn(&["check", "-e", "events", "--unwind", "2", "beside.c"]);
    assert_eq!(run.stdout(), "norn: safe (sc) up to unwind 2 at beside.c:9\n");
}

/// The library's loops end with what they run through; their bound grows until they do.
#[test]
fn copies_of_any_length_are_followed_to_their_end() {
    let folder = Folder::new("copies_of_any_length");
    folder.write(
        "long.c",
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static char *buffer;\nstatic size_t size = 300;\n\
         void *set(void *arg) { memset(buffer, 1, size); return arg; }\n\
         int main(void) {\npthread_t thread;\nbuffer = malloc(size);\npthread_create(&thread, 0, set, 0);\n\
         pthread_join(thread, 0);\nassert(buffer[299] == VALUE);\nreturn 0; }\n",
    );
    for bound in [&[][..], &["--unwind", "1"]] {
        for (value, status) in [("-DVALUE=1", 0), ("-DVALUE=2", 10)] {
            let run = folder.norn(&[&["check", "-e", "events", value, "long.c"][..], bound].concat());
            assert_eq!(run.status(), status, "{bound:?} {value}: {}{}", run.stdout(), run.stderr());
        }
    }
}

/// What models ask about one another is not the user's to hear of.
#[test]
fn the_end_of_a_thread_by_a_call_gives_no_warning() {
    let folder = Folder::new("no_warning_for_pthread_exit");
    folder.write(
        "ends.c",
        "#include <pthread.h>\nvoid *f(void *p) { pthread_exit(p); }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }\n",
    );
    let run = folder.norn(&["check", "ends.c"]);
    assert_eq!((run.status(), run.stderr().as_str()), (0, ""));
}

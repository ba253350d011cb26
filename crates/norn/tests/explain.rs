//! Stories as users see them: short, with a reason, and again from a saved schedule.

mod support;

use serde_json::Value;
use std::process::Command;
use support::{Folder, project};

fn example(name: &str) -> String {
    project().join("examples").join(name).display().to_string()
}

fn switches(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("─ switch ")).count()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("it should be JSON:\n{text}"))
}

#[test]
fn every_engine_tells_the_same_story() {
    let folder = Folder::new("same_story");
    let file = example("store_buffering.c");
    let of = |engine: &str| folder.norn(&["check", "-m", "tso", "-e", engine, &file]).stdout();
    let story = of("auto");
    assert_eq!(switches(&story), 3, "{story}");
    for engine in ["states", "stateless", "events", "rounds", "enumerate"] {
        assert_eq!(of(engine), story, "{engine}");
    }
}

#[test]
fn a_story_may_be_left_out() {
    let folder = Folder::new("no_story");
    let file = example("szymanski.c");
    let asked = ["check", "-m", "pso", "-e", "states", "--json", &file];
    let short = json(&folder.norn(&asked).stdout());
    let long = json(&folder.norn(&[&asked[..], &["--no-explain"]].concat()).stdout());
    assert_eq!(short["trace"]["switches"], 2);
    assert!(long["trace"]["switches"].as_u64() > Some(2), "{long}");
    assert_eq!(short["stats"]["switches found"].as_f64(), long["trace"]["switches"].as_f64());
    assert!(long["why"].is_null() && long["stats"]["switches"].is_null());
    assert_eq!(short["location"], long["location"]);
}

#[test]
fn the_reason_names_stores_and_a_fence() {
    let folder = Folder::new("reason");
    let why = |model: &str, name: &str| {
        let said = json(&folder.norn(&["check", "-m", model, "--json", &example(name)]).stdout());
        let lines = said["why"]["lines"].as_array().expect("sentences").clone();
        (lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"), said)
    };
    let (words, said) = why("tso", "dekker.c");
    assert!(words.contains("main.1 (first) writes interested[0] = 1 at"), "{words}");
    assert!(words.contains("but reads interested[1] at"), "{words}");
    assert!(words.contains("main.2 (second) still reads interested[0] = 0"), "{words}");
    assert_eq!((&said["why"]["fence"]["kind"], &said["why"]["fence"]["after"]["line"]), (&"full".into(), &24.into()));
    let (words, said) = why("pso", "message_passing.c");
    assert!(words.contains("but its later store flag = 1"), "{words}");
    assert_eq!(said["why"]["fence"]["kind"], "release");
    let (words, said) = why("sc", "producer_consumer.c");
    assert!(words.contains("; then main.") && words.contains("; only then main."), "{words}");
    assert!(said["why"]["fence"].is_null() && said["why"]["delays"].as_array().is_some_and(Vec::is_empty));
}

const LIST: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstruct node { int value; struct node *next; };\n\
    struct node *head;\nstatic void push(int v) {\n  struct node *n = malloc(sizeof *n);\n  n->value = v;\n  n->next = head;\n  \
    head = n;\n}\nvoid *more(void *arg) { push(1); return 0; }\nvoid *look(void *arg) {\n  assert(head->value == 7);\n  return 0;\n}\n\
    int main(void) {\n  pthread_t a, b;\n  push(7);\n  pthread_create(&a, 0, more, 0);\n  pthread_create(&b, 0, look, 0);\n}\n";

#[test]
fn tables_name_structures_functions_and_what_comes_first() {
    let folder = Folder::new("structures");
    folder.write("list.c", LIST);
    let said = folder.norn(&["check", "list.c"]).stdout();
    for part in [
        "node#1 is the first node from push (list.c:7)\n",
        "node#2 is the second node from push (list.c:7) in main.1\n",
        "node#2->next = node#1",
        "[push]",
        "steps before the first",
    ] {
        assert!(said.contains(part), "'{part}' should be in\n{said}");
    }
    assert!(!said.contains("malloc#"), "{said}");
}

#[test]
fn buffers_are_shown_at_switches() {
    let folder = Folder::new("buffers");
    let said = folder.norn(&["check", "-m", "pso", &example("ring_buffer.c")]).stdout();
    assert!(said.contains("─ switch 2 ─ in buffers of main.1: ring.slots[0] = 1 ─"), "{said}");
    assert!(said.contains("once in memory)"), "{said}");
}

#[test]
fn tables_fit() {
    for columns in [80, 100, 200, 400] {
        for (model, name) in [("pso", "ring_buffer.c"), ("sc", "producer_consumer.c"), ("tso", "lamport.c")] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
            command.args(["check", "-m", model, name]).current_dir(project().join("examples"));
            let run = command.env("COLUMNS", columns.to_string()).output().expect("norn should start");
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            let most = columns.min(200);
            let table = said.lines().take_while(|line| !line.starts_with(name) && !line.starts_with("norn: "));
            for line in table {
                assert!(line.chars().count() <= most, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn a_saved_schedule_is_shown_again() {
    let folder = Folder::new("again");
    folder.write("list.c", LIST);
    let checked = folder.norn(&["check", "-m", "tso", "--schedule-out", "bug.sched", "list.c"]);
    let explained = folder.norn(&["explain", "bug.sched", "list.c"]);
    assert_eq!((checked.status(), explained.status()), (10, 10), "{}", explained.stderr());
    assert!(
        explained.stdout().contains("norn: unsafe (tso): assertion failed at list.c:14\n"),
        "{}",
        explained.stdout()
    );
    let table =
        |text: &str| text.lines().skip_while(|line| !line.starts_with("node#1")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table(&explained.stdout()), table(&checked.stdout()));
    let files = ["--html", "a.html", "--sarif", "a.sarif", "--dot", "a.dot"];
    let run = folder.norn(&[&["explain", "--json"], &files[..], &["bug.sched", "list.c"]].concat());
    let said = json(&run.stdout());
    assert_eq!(
        (&said["verdict"], &said["engine"], &said["model"]),
        (&"unsafe".into(), &"schedule".into(), &"tso".into())
    );
    for file in ["a.html", "a.sarif", "a.dot"] {
        assert!(folder.path(file).exists(), "{file}");
    }
}

#[test]
fn a_saved_schedule_is_shortened_if_asked() {
    let folder = Folder::new("shorten");
    let file = example("szymanski.c");
    let long = ["check", "-m", "pso", "-e", "states", "--no-explain", "--schedule-out", "long.sched", &file];
    let before = switches(&folder.norn(&long).stdout());
    assert!(before > 2);
    assert_eq!(switches(&folder.norn(&["explain", "long.sched", &file]).stdout()), before);
    let run = folder.norn(&["explain", "--shorten", "20", "--schedule-out", "short.sched", "long.sched", &file]);
    assert_eq!(switches(&run.stdout()), 2, "{}", run.stdout());
    assert_eq!(switches(&folder.norn(&["explain", "short.sched", &file]).stdout()), 2);
}

#[test]
fn what_is_no_counterexample_is_an_error() {
    let folder = Folder::new("no_counterexample");
    folder.write("list.c", LIST);
    folder.write("other.c", LIST.replace("== 7", "== 8"));
    folder.write("no.sched", "hello\n");
    folder.norn(&["check", "--schedule-out", "bug.sched", "list.c"]);
    let check = |args: &[&str], part: &str| {
        let run = folder.norn(&[&["explain"], args].concat());
        assert_eq!(run.status(), 2, "{args:?}: {}", run.stdout());
        assert!(run.stderr().contains(part), "{args:?}: {}", run.stderr());
        assert_eq!(run.stdout(), "", "{args:?}");
    };
    check(&["no.sched", "list.c"], "'no.sched' is not a schedule");
    check(&["missing.sched", "list.c"], "cannot read 'missing.sched'");
    check(&["bug.sched", "other.c"], "does not fit");
    let text = std::fs::read_to_string(folder.path("bug.sched")).expect("the schedule");
    let last = text.lines().rfind(|line| line.starts_with("run")).expect("a step").to_owned();
    folder.write("cut.sched", text.replace(&format!("{last}\n"), ""));
    check(&["cut.sched", "list.c"], "shows no violation");
}

//! The engine `events` as a user meets it: its figures, its certificates, and how it ends when it is stopped.

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Folder, Run, project, until_it_listens};

/// Too hard for any bound: somebody would have to factor a number.
const HARD: &str = "#include <pthread.h>\n#include <assert.h>\nextern unsigned long __VERIFIER_nondet_ulong(void);\n\
    unsigned long a, b;\nvoid *t(void *x) { a = __VERIFIER_nondet_ulong(); return x; }\n\
    int main(void) {\n  pthread_t p; pthread_create(&p, 0, t, 0); b = __VERIFIER_nondet_ulong();\n  pthread_join(p, 0);\n  \
    unsigned long c = a, d = b;\n  assert(c < 2 || d < 2 || c >> 32 || d >> 32 || c * d != 8687298342800752309ul);\n}\n";

/// Every bound is quick up to some, and none is the last.
const ENDLESS: &str = "#include <pthread.h>\nunsigned long x;\nvoid *t(void *a) { for (;;) x++; return a; }\n\
    int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); for (;;) x++; }\n";

#[test]
fn a_limit_before_the_first_bound_ends_in_unknown() {
    let folder = Folder::new("events_limit");
    folder.write("hard.c", HARD);
    let run = folder.norn(&["check", "-e", "events", "--timeout", "1", "hard.c"]);
    let reason = "norn: unknown (sc): the time limit was reached";
    assert!(run.status() == 5 && run.stdout().starts_with(reason), "{}", run.stdout());
}

#[test]
fn a_limit_after_a_bound_leaves_what_it_says() {
    let folder = Folder::new("events_bounded");
    folder.write("endless.c", ENDLESS);
    for encoding in ["order", "clocks"] {
        let run = folder.norn(&["check", "-e", "events", "--encoding", encoding, "--timeout", "3", "endless.c"]);
        let stdout = run.stdout();
        let verdict = stdout.lines().last().unwrap_or_default();
        let expected = "norn: unknown (sc): no violation up to unwind";
        assert!(run.status() == 5 && verdict.starts_with(expected), "{encoding}: {stdout}");
    }
}

/// What norn says, and its status, if it is interrupted after a while.
#[cfg(unix)]
fn interrupted(file: &std::path::Path) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_norn"))
        .args(["check", "-e", "events", "--timeout", "60"])
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("norn should start");
    until_it_listens(&child);
    std::thread::sleep(Duration::from_millis(2500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should run");
    assert!(killed.success());
    let status = child.wait().expect("norn should end");
    let output = std::io::read_to_string(child.stdout.take().expect("a pipe")).expect("text");
    (status.code(), output)
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    let folder = Folder::new("events_interrupt");
    let (status, output) = interrupted(&folder.write("hard.c", HARD));
    assert!(status == Some(130) && output.starts_with("norn: unknown (sc): interrupted"), "{status:?} {output}");
    let (status, output) = interrupted(&folder.write("endless.c", ENDLESS));
    let last = output.lines().last().unwrap_or_default();
    let expected = "norn: unknown (sc): no violation up to unwind";
    assert!(status == Some(130) && last.starts_with(expected), "{status:?} {output}");
}

#[test]
fn figures_tell_what_was_done() {
    let folder = Folder::new("events_figures");
    let example = project().join("examples/dekker.c").display().to_string();
    let run = folder.norn(&["check", "-e", "events", "-m", "sc", "--unwind", "3", "--stats", &example]);
    let text = run.stderr();
    let figure = |name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).filter(|rest| rest.starts_with(' '));
        let value = line.and_then(|rest| rest.trim().parse().ok());
        value.unwrap_or_else(|| panic!("--stats should tell '{name}':\n{text}"))
    };
    assert!(figure("events") > 0.0 && figure("variables") > 0.0 && figure("clauses") > figure("variables"), "{text}");
    assert!(figure("pairs") <= figure("pairs before pruning"), "{text}");
    assert!(figure("conflicts") > 0.0 && figure("clauses of the theory") > 0.0, "{text}");
    let ratio = figure("propagations") / figure("conflicts");
    assert!((figure("propagations per conflict") - ratio).abs() < 0.01, "{text}");
    for stage in ["symex seconds", "encode seconds", "solve seconds"] {
        assert!(figure(stage) >= 0.0);
    }
}

fn last_line(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

/// Safe verdicts of the examples, under every model, with the proof checked.
#[test]
fn safe_examples_are_certified() {
    let folder = Folder::new("events_certified");
    let mut certified = 0;
    for (example, options) in [
        ("dekker.c", "sc"),
        ("message_passing.c", "sc"),
        ("message_passing.c", "tso"),
        ("peterson.c", "sc"),
        ("spinlock.c", "pso"),
        ("store_buffering.c", "sc"),
        ("ticket_lock.c", "sc"),
        ("lamport.c", "sc"),
    ] {
        let path = project().join("examples").join(example).display().to_string();
        let args = ["check", "-e", "events", "-m", options, "--unwind", "2", &path];
        let plain = last_line(&folder.norn(&args));
        let run = folder.norn(&[&args[..], &["--certify"]].concat());
        assert_eq!(last_line(&run), plain, "{example}");
        certified += u32::from(plain.starts_with("norn: safe"));
    }
    assert!(certified >= 5, "only {certified} safe verdicts were certified");
}

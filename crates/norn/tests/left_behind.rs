//! What Norn starts ends with it, on every way out: with all that was started in turn.
#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};
use support::{Folder, wait_until};

const SAFE: &str = "int x; int main(void) { x = 1; return 0; }\n";
/// Starts another process, says so, and waits for it.
const WAITS: &str = "#!/bin/sh\nsleep 600 &\necho $! > pid.new\nmv pid.new pid\nwait\n";
/// Leaves another process behind, which keeps its output open.
const LEAVES: &str = "#!/bin/sh\nsleep 600 &\necho $! > pid\necho VERIFICATION SUCCESSFUL\n";

/// Whether the process that the script started is there. What has ended but was not waited for is not.
fn is_alive(folder: &Folder) -> bool {
    let pid = std::fs::read_to_string(folder.path("pid")).expect("the script should have been run");
    let listed = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().expect("ps should run");
    let state = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn command(test: &str, script: &str, args: &[&str]) -> (Folder, Command) {
    let folder = Folder::new(&format!("left_behind_{test}"));
    folder.write("a.c", SAFE);
    let path = folder.write("tool", script);
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script");
    std::fs::create_dir(folder.path("tmp")).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
    command.args(args).arg("a.c").current_dir(folder.path("")).stdin(Stdio::null());
    command.env("CC", folder.path("tool")).env("TMPDIR", folder.path("tmp"));
    (folder, command)
}

fn nothing_is_left(folder: &Folder, what: &str) {
    wait_until(what, || !is_alive(folder));
    assert_eq!(std::fs::read_dir(folder.path("tmp")).expect("a folder").count(), 0, "{what}");
}

const WAYS: [&[&str]; 2] = [&["check", "--backend", "./tool"], &["check", "--system-headers"]];

#[test]
fn nothing_is_left_when_the_time_is_over() {
    for args in WAYS {
        let (folder, mut command) = command("time", WAITS, &[args, &["--timeout", "5"]].concat());
        let output = command.output().expect("norn should run");
        assert_eq!(output.status.code(), Some(5), "{args:?}");
        nothing_is_left(&folder, "time");
    }
}

#[test]
fn nothing_is_left_after_a_signal() {
    for args in WAYS {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let (folder, mut command) = command("signal", WAITS, args);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("norn should start");
            wait_until("the script should be run", || folder.path("pid").exists());
            Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill should run");
            assert_eq!(child.wait().expect("norn should end").code(), Some(130), "{args:?} {signal}");
            nothing_is_left(&folder, signal);
        }
    }
}

#[test]
fn what_a_tool_leaves_ends_with_it() {
    let args = ["check", "--rounds", "1", "--unwind", "1", "--backend", "./tool"];
    let (folder, mut command) = command("tool", LEAVES, &args);
    let output = command.output().expect("norn should run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && said.contains("says safe (sc)"), "{said}");
    nothing_is_left(&folder, "tool");
}

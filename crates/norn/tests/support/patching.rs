//! Patches as users apply them.

use super::{Folder, Run};
use std::io::Write;
use std::process::{Command, Stdio};

/// The last line, which is the verdict.
pub fn last(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

/// Applies what Norn printed.
pub fn patch(folder: &Folder, printed: &str) {
    let mut tool = Command::new("patch")
        .args(["-p0", "--batch", "--binary"])
        .current_dir(folder.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("there should be a program 'patch'");
    tool.stdin.take().expect("a pipe").write_all(printed.as_bytes()).expect("it should read");
    assert!(tool.wait().expect("it should end").success(), "the patch should apply:\n{printed}");
}

pub fn compiles(folder: &Folder, file: &str) {
    let run = Command::new("cc")
        .args(["-fsyntax-only", "-std=gnu11", file])
        .current_dir(folder.path("."))
        .output()
        .expect("there should be a compiler 'cc'");
    assert!(run.status.success(), "{file}: {}", String::from_utf8_lossy(&run.stderr));
}

//! Runs the binary as a user would.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod patching;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for a test, empty at the start.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the folder should be made");
        Folder(path)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).expect("the file should be written");
        path
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs norn in this folder.
    pub fn norn(&self, args: &[&str]) -> Run {
        Run(self.command(args).output().expect("norn should start"))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command.args(args).current_dir(&self.0).env_remove("NO_COLOR");
        command
    }

    /// Runs norn in this folder, and tells how long it had a processor, or how long it took where the system does not tell.
    /// Its output has to be short.
    pub fn norn_measured(&self, args: &[&str]) -> (Run, Duration) {
        let start = Instant::now();
        let mut child =
            self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("norn should start");
        let process = child.id().to_string();
        let has_ended = |child: &mut Child| match fs::read_to_string(format!("/proc/{process}/stat")) {
            Ok(text) => text.contains(") Z "),
            Err(_) => child.try_wait().expect("norn should end").is_some(),
        };
        while !has_ended(&mut child) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = norn_testing::processor_time(&process).unwrap_or_else(|| start.elapsed());
        (Run(child.wait_with_output().expect("norn should end")), took)
    }
}

pub struct Run(Output);

impl Run {
    pub fn of(output: Output) -> Run {
        Run(output)
    }

    pub fn status(&self) -> i32 {
        self.0.status.code().expect("norn should not be killed")
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
}

pub fn wait_until(what: &str, holds: impl Fn() -> bool) {
    /// More than anything that is waited for takes.
    const LONG: Duration = Duration::from_secs(60);
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a process catches signals: before that they would simply kill it.
pub fn until_it_listens(child: &Child) {
    const INTERRUPT: u64 = 1 << 1;
    let status = || fs::read_to_string(format!("/proc/{}/status", child.id())).ok();
    let is_caught = |status: String| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        mask.is_none_or(|mask| u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & INTERRUPT != 0))
    };
    wait_until("norn should catch signals", || status().is_none_or(is_caught));
}

/// The top folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).expect("crates lie two folders deep")
}

/// The verdicts in what `--json` writes, in the order in which models were asked for.
pub fn verdicts(output: &serde_json::Value) -> Vec<serde_json::Value> {
    let others = output["others"].as_array().cloned().unwrap_or_default();
    let all: Vec<serde_json::Value> = std::iter::once(output.clone()).chain(others).collect();
    let of = |model: &serde_json::Value| all.iter().find(|verdict| verdict["model"] == *model).cloned();
    output["models"].as_array().into_iter().flatten().filter_map(of).collect()
}

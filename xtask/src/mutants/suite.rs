//! The tests of the copy, run with one fault at a time.
//!
//! Each test function runs alone once without a fault; that tells how long it takes and which faults it comes to. A fault is
//! then shown to the tests that come to it only, the quick ones first, on all cores.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::plant::{REACHED, SWITCH};

/// What became of a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The test that saw it.
    Seen(String),
    /// The test that did not come to its end in the time that it usually needs.
    Hangs(String),
    /// So many tests came to it, and none saw it.
    Survived(usize),
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Seen(test) => write!(f, "seen by {test}"),
            Fate::Hangs(test) => write!(f, "hangs {test}"),
            Fate::Survived(tests) => write!(f, "{SURVIVED} {tests} tests that come to it"),
        }
    }
}

/// How the line of a survivor begins.
pub const SURVIVED: &str = "SURVIVED";

/// Tests that fail if they see something wrong; the quick ones first.
pub struct Suite {
    tests: Vec<Test>,
}

struct Test {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    /// How long it takes without a fault.
    usual: Duration,
    /// The numbers of the faults that it comes to.
    reaches: BTreeSet<usize>,
}

/// Comparisons with oracles that are no tests of cargo's: words after `xtask`.
const COMPARISONS: [&[&str]; 2] =
    [&["flow", "--count", "60", "--failures", "1"], &["flow", "--threads", "--count", "25", "--failures", "1"]];

/// Tests of the project's texts: the copy has a crate more than ARCHITECTURE.md knows.
const ABOUT_TEXTS: [&str; 1] = ["norn/architecture"];

/// Tests of how soon something ends: on a busy machine they fail without any fault.
const HURRIED: [&str; 4] = [
    "an_interrupt_ends_with_130",
    "a_limit_after_a_completed_bound",
    "a_time_limit_leaves_what_smaller_bounds_say",
    "the_time_limit_holds_for_reading_too",
];

impl Suite {
    /// Compiles all tests of the copy.
    pub fn build(tree: &Path) -> Result<Suite, String> {
        println!("compiling the tests with all faults");
        // Tests and programs at once: apart, the features of their dependencies differ, and all would be compiled twice.
        let what = ["build", "--workspace", "--bins", "--tests", "--message-format=json-render-diagnostics"];
        let messages = cargo(tree, &what)?;
        let mut tests = Vec::new();
        for line in messages.lines() {
            tests.extend(tests_of(line, tree));
        }
        let xtask = tree.join("target/debug/xtask");
        for words in COMPARISONS {
            tests.push(Test {
                name: words.join(" "),
                program: xtask.clone(),
                args: words.iter().map(|word| (*word).to_owned()).collect(),
                folder: tree.to_owned(),
                usual: Duration::ZERO,
                reaches: BTreeSet::new(),
            });
        }
        Ok(Suite { tests })
    }

    /// Runs everything without a fault, to see that it passes, how long it takes and which faults it comes to. What did not
    /// change since is known.
    pub fn measured(mut self, folder: &Path) -> Result<Suite, String> {
        let known = folder.join("usual.tsv");
        let text = fs::read_to_string(&known).unwrap_or_default();
        let before: BTreeMap<&str, Known> = text.lines().filter_map(|line| Known::from_line(line)).collect();
        let failed = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        let tests: Vec<Mutex<&mut Test>> = self.tests.iter_mut().map(Mutex::new).collect();
        on_all_cores(|| {
            while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut test = test.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(known) = before.get(test.key().as_str()) {
                    (test.usual, test.reaches) = (known.usual, known.reaches.clone());
                } else if let Err(what) = test.measure(folder) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).push(what);
                }
            }
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = self.tests.iter().filter(|test| !test.usual.is_zero()).map(Test::line).collect();
        fs::write(&known, lines.concat()).map_err(|e| format!("cannot write {}: {e}", known.display()))?;
        if !failed.is_empty() {
            return Err(format!("without any fault fail: {}", failed.join(", ")));
        }
        let all: Duration = self.tests.iter().map(|test| test.usual).sum();
        println!("{} tests, {:.0} s without a fault", self.tests.len(), all.as_secs_f64());
        self.tests.sort_by_key(|test| test.usual);
        Ok(self)
    }

    /// Shows a fault to the tests that come to it.
    pub fn fate(&self, number: usize) -> Fate {
        let tests: Vec<&Test> = self.tests.iter().filter(|test| test.reaches.contains(&number)).collect();
        let (next, is_seen) = (AtomicUsize::new(0), AtomicBool::new(false));
        let fate = Mutex::new(Fate::Survived(tests.len()));
        on_all_cores(|| {
            while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                let limit = test.usual * 10 + Duration::from_secs(20);
                let found = match test.run(Some(number), None, limit, &is_seen) {
                    Ended::Passed => continue,
                    Ended::Stopped => return,
                    Ended::Failed => Fate::Seen(test.name.clone()),
                    Ended::Hangs => Fate::Hangs(test.name.clone()),
                };
                if !is_seen.swap(true, Ordering::Relaxed) {
                    *fate.lock().unwrap_or_else(PoisonError::into_inner) = found;
                }
                return;
            }
        });
        fate.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn on_all_cores(work: impl Fn() + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(&work))));
}

/// What is known of a test from an earlier run.
struct Known {
    usual: Duration,
    reaches: BTreeSet<usize>,
}

impl Known {
    fn from_line(line: &str) -> Option<(&str, Known)> {
        let mut parts = line.split('\t');
        let (key, millis, reaches) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        let reaches = reaches.split(',').filter_map(|number| number.parse().ok()).collect();
        Some((key, Known { usual: Duration::from_millis(millis), reaches }))
    }
}

/// What cargo prints when it compiles the copy.
fn cargo(tree: &Path, args: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(args)
        .env("RUSTFLAGS", "-A warnings")
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err("the copy with all faults does not compile".to_owned()),
    }
}

/// The tests of the program that a message of cargo's is about.
fn tests_of(message: &str, tree: &Path) -> Vec<Test> {
    let Some((name, program, folder)) = program_of(message, tree) else { return Vec::new() };
    let listed = Command::new(&program).args(["--list", "--format", "terse"]).output();
    let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let calm = names.filter(|test| !HURRIED.iter().any(|hurried| test.contains(hurried)));
    calm.map(|test| Test {
        name: format!("{name} {test}"),
        program: program.clone(),
        args: vec!["--exact".to_owned(), test.to_owned()],
        folder: folder.clone(),
        usual: Duration::ZERO,
        reaches: BTreeSet::new(),
    })
    .collect()
}

/// A test program: its name (crate and target), its path, the folder of its crate.
fn program_of(message: &str, tree: &Path) -> Option<(String, PathBuf, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let program = PathBuf::from(message["executable"].as_str()?);
    if !message["profile"]["test"].as_bool()? {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let of = folder.strip_prefix(tree).ok()?.file_name()?.to_string_lossy().into_owned();
    let name = format!("{of}/{}", message["target"]["name"].as_str()?);
    (!ABOUT_TEXTS.contains(&name.as_str())).then_some((name, program, folder))
}

/// How a test ended.
enum Ended {
    Passed,
    Failed,
    Hangs,
    /// Another test has seen the fault.
    Stopped,
}

impl Test {
    /// The program, when it was made, and which of its tests.
    fn key(&self) -> String {
        let made = fs::metadata(&self.program).and_then(|data| data.modified()).ok();
        let made = made.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        format!("{} {} {}", self.program.display(), self.args.join(" "), made.as_millis())
    }

    fn line(&self) -> String {
        let reaches: Vec<String> = self.reaches.iter().map(usize::to_string).collect();
        format!("{}\t{}\t{}\n", self.key(), self.usual.as_millis().max(1), reaches.join(","))
    }

    /// Runs the test without a fault.
    fn measure(&mut self, folder: &Path) -> Result<(), String> {
        let path = folder.join(format!("reached-{:?}", std::thread::current().id()));
        let _ = fs::remove_file(&path);
        let start = Instant::now();
        match self.run(None, Some(&path), Duration::from_secs(1200), &AtomicBool::new(false)) {
            Ended::Passed => self.usual = start.elapsed().max(Duration::from_millis(1)),
            Ended::Failed => return Err(self.name.clone()),
            Ended::Hangs | Ended::Stopped => return Err(format!("{} (does not end)", self.name)),
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        self.reaches = text.lines().filter_map(|line| line.parse().ok()).collect();
        let _ = fs::remove_file(&path);
        Ok(())
    }

    fn run(&self, fault: Option<usize>, reached: Option<&Path>, limit: Duration, stop: &AtomicBool) -> Ended {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("CARGO_MANIFEST_DIR", &self.folder).env_remove(SWITCH).env_remove(REACHED);
        if let Some(number) = fault {
            command.env(SWITCH, number.to_string());
        }
        if let Some(path) = reached {
            command.env(REACHED, path);
        }
        let Ok(mut child) = command.spawn() else { return Ended::Failed };
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ended::Passed,
                Ok(Some(_)) | Err(_) => return Ended::Failed,
                Ok(None) if start.elapsed() > limit => {
                    end(&mut child);
                    return Ended::Hangs;
                }
                Ok(None) if stop.load(Ordering::Relaxed) => {
                    end(&mut child);
                    return Ended::Stopped;
                }
                Ok(None) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

/// Ends the program and those that it started.
fn end(child: &mut Child) {
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}

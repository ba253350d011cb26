//! The tests of the copy, run with one fault at a time.

use std::fmt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::plant::SWITCH;

/// What became of a fault.
pub enum Fate {
    /// The test that saw it.
    Seen(String),
    /// The test that did not come to its end in the time that it usually needs.
    Hangs(String),
    Survived,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Seen(test) => write!(f, "seen by {test}"),
            Fate::Hangs(test) => write!(f, "hangs {test}"),
            Fate::Survived => write!(f, "SURVIVED"),
        }
    }
}

/// Programs that fail if they see something wrong.
pub struct Suite {
    tests: Vec<Test>,
}

struct Test {
    name: String,
    /// The crate that it belongs to.
    of: String,
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    /// How long it takes without a fault.
    usual: Duration,
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
        let messages = cargo(tree, &["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"])?;
        cargo(tree, &["build", "--package", "xtask"])?;
        let mut tests = Vec::new();
        for line in messages.lines() {
            tests.extend(test_of(line, tree));
        }
        let xtask = tree.join("target/debug/xtask");
        for words in COMPARISONS {
            tests.push(Test {
                name: words.join(" "),
                of: "xtask".to_owned(),
                program: xtask.clone(),
                args: words.iter().map(|word| (*word).to_owned()).collect(),
                folder: tree.to_owned(),
                usual: Duration::ZERO,
            });
        }
        Ok(Suite { tests })
    }

    /// Runs everything without a fault, to see that it passes and how long it takes.
    pub fn measured(mut self) -> Result<Suite, String> {
        let limit = Duration::from_secs(1200);
        let mut failed = Vec::new();
        for test in &mut self.tests {
            let start = Instant::now();
            match test.run(None, limit) {
                Some(true) => test.usual = start.elapsed(),
                _ => failed.push(test.name.clone()),
            }
        }
        if !failed.is_empty() {
            return Err(format!("without any fault fail: {}", failed.join(", ")));
        }
        let all: Duration = self.tests.iter().map(|test| test.usual).sum();
        println!("{} test programs, {:.0} s without a fault", self.tests.len(), all.as_secs_f64());
        self.tests.sort_by_key(|test| test.usual);
        Ok(self)
    }

    /// The tests of the faulty crate come first, then the quick ones.
    pub fn fate(&self, number: usize, crate_name: &str) -> Fate {
        let (own, others): (Vec<&Test>, Vec<&Test>) = self.tests.iter().partition(|test| test.of == crate_name);
        for test in own.into_iter().chain(others) {
            match test.run(Some(number), test.usual * 5 + Duration::from_secs(10)) {
                Some(true) => {}
                Some(false) => return Fate::Seen(test.name.clone()),
                None => return Fate::Hangs(test.name.clone()),
            }
        }
        Fate::Survived
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

/// The test program that a message of cargo's is about.
fn test_of(message: &str, tree: &Path) -> Option<Test> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let program = PathBuf::from(message["executable"].as_str()?);
    if !message["profile"]["test"].as_bool()? {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let of = folder.strip_prefix(tree).ok()?.file_name()?.to_string_lossy().into_owned();
    let name = format!("{of}/{}", message["target"]["name"].as_str()?);
    if ABOUT_TEXTS.contains(&name.as_str()) {
        return None;
    }
    let args = HURRIED.iter().flat_map(|test| ["--skip".to_owned(), (*test).to_owned()]).collect();
    Some(Test { name, of, program, args, folder, usual: Duration::ZERO })
}

impl Test {
    /// Whether it passes; `None` if it takes too long.
    fn run(&self, fault: Option<usize>, limit: Duration) -> Option<bool> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        match fault {
            Some(number) => command.env(SWITCH, number.to_string()),
            None => command.env_remove(SWITCH),
        };
        let mut child = command.spawn().ok()?;
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status.success()),
                Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
        }
        // The programs that it started, too.
        let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
        let _ = child.wait();
        None
    }
}

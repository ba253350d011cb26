//! The tests of the copy, run with one fault at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, UNIX_EPOCH};

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
    /// By crate: the crates that it is made with, and itself.
    made_with: BTreeMap<String, BTreeSet<String>>,
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
        Ok(Suite { tests, made_with: made_with(tree)? })
    }

    /// Runs everything without a fault, to see that it passes and how long it takes. What did not change since is known.
    pub fn measured(mut self, known: &Path) -> Result<Suite, String> {
        let limit = Duration::from_secs(1200);
        let text = fs::read_to_string(known).unwrap_or_default();
        let before: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let (mut failed, mut lines) = (Vec::new(), Vec::new());
        for test in &mut self.tests {
            let key = test.key();
            if let Some(millis) = before.get(key.as_str()).and_then(|millis| millis.parse().ok()) {
                test.usual = Duration::from_millis(millis);
            } else {
                let start = Instant::now();
                match test.run(None, limit) {
                    Ended::Passed => test.usual = start.elapsed(),
                    Ended::Failed(what) => failed.push(format!("{} {what}", test.name)),
                    Ended::Hangs => failed.push(format!("{} (does not end)", test.name)),
                }
            }
            lines.push(format!("{key}\t{}\n", test.usual.as_millis()));
        }
        if !failed.is_empty() {
            return Err(format!("without any fault fail: {}", failed.join(", ")));
        }
        fs::write(known, lines.concat()).map_err(|e| format!("cannot write {}: {e}", known.display()))?;
        let all: Duration = self.tests.iter().map(|test| test.usual).sum();
        println!("{} test programs, {:.0} s without a fault", self.tests.len(), all.as_secs_f64());
        self.tests.sort_by_key(|test| test.usual);
        Ok(self)
    }

    /// The tests of the faulty crate come first, then those that saw other faults of late, then the quick ones. Tests of
    /// crates that are made without the faulty one cannot see it.
    pub fn fate(&mut self, number: usize, crate_name: &str) -> Fate {
        let sees = |test: &Test| self.made_with.get(&test.of).is_none_or(|crates| crates.contains(crate_name));
        let (own, others): (Vec<usize>, Vec<usize>) = (0..self.tests.len())
            .filter(|&index| sees(&self.tests[index]))
            .partition(|&index| self.tests[index].of == crate_name);
        for index in own.into_iter().chain(others) {
            let test = &self.tests[index];
            let fate = match test.run(Some(number), test.usual * 5 + Duration::from_secs(10)) {
                Ended::Passed => continue,
                Ended::Failed(what) => Fate::Seen(format!("{} {what}", test.name).trim_end().to_owned()),
                Ended::Hangs => Fate::Hangs(test.name.clone()),
            };
            let test = self.tests.remove(index);
            self.tests.insert(0, test);
            return fate;
        }
        Fate::Survived
    }
}

/// By crate: the crates that its tests are made with, from the manifests.
fn made_with(tree: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let crates = fs::read_dir(tree.join("crates")).map_err(|e| format!("cannot read the crates: {e}"))?;
    let mut folders: Vec<PathBuf> = crates.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.push(tree.join("xtask"));
    let mut all = BTreeMap::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let names =
            text.lines().filter_map(|line| Some(line.strip_prefix("norn-")?.split_once(['.', ' '])?.0.to_owned()));
        let mut uses: BTreeSet<String> = names.collect();
        uses.insert(name.clone());
        all.insert(name, uses);
    }
    loop {
        let larger: BTreeMap<String, BTreeSet<String>> = all
            .iter()
            .map(|(name, uses)| {
                (name.clone(), uses.iter().filter_map(|used| all.get(used)).flatten().cloned().collect())
            })
            .collect();
        if larger == all {
            return Ok(all);
        }
        all = larger;
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

/// How a test program ended.
enum Ended {
    Passed,
    /// The first test in it that failed, if it says so.
    Failed(String),
    Hangs,
}

impl Test {
    /// The program, and when it was made.
    fn key(&self) -> String {
        let made = fs::metadata(&self.program).and_then(|data| data.modified()).ok();
        let made = made.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        format!("{} {} {}", self.program.display(), self.args.join(" "), made.as_millis())
    }

    /// Runs it until something in it fails.
    fn run(&self, fault: Option<usize>, limit: Duration) -> Ended {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        match fault {
            Some(number) => command.env(SWITCH, number.to_string()),
            None => command.env_remove(SWITCH),
        };
        let Ok(mut child) = command.spawn() else { return Ended::Failed("does not start".to_owned()) };
        let (sender, lines) = mpsc::channel();
        let output = child.stdout.take();
        std::thread::spawn(move || {
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let end = Instant::now() + limit;
        loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
                        stop(&mut child);
                        return Ended::Failed(name.to_owned());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    stop(&mut child);
                    return Ended::Hangs;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match child.wait() {
            Ok(status) if status.success() => Ended::Passed,
            _ => Ended::Failed(String::new()),
        }
    }
}

/// Ends the program and those that it started.
fn stop(child: &mut Child) {
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}

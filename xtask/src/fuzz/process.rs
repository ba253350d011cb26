//! One run of Norn with time and memory limits, and whether it was as it should be.

use super::inputs::Input;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much longer than its time limit a run may take.
const OVERRUN: Duration = Duration::from_secs(1);
/// A run that takes this much longer is ended.
const PATIENCE: Duration = Duration::from_secs(10);
/// Address space of a run: stacks and reserves of the allocator are most of it.
const ADDRESS_SPACE: &str = "8589934592";
/// How often something that took too long is tried again: others use the machine, too.
const TRIES: u32 = 3;

/// Whether a run was as it should be.
pub enum Verdict {
    Fine {
        status: i32,
        is_safe: bool,
    },
    /// What went wrong, in words that are the same for the same fault.
    Bad(String),
}

/// Runs Norn in a folder of its own.
pub struct Runner {
    norn: PathBuf,
    folder: PathBuf,
}

impl Runner {
    pub fn new(norn: PathBuf, parent: &Path) -> Result<Runner, String> {
        let folder = parent.join(format!("run-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        // What this process may use, those that it starts may, too.
        let limited = Command::new("prlimit")
            .args(["--pid", &std::process::id().to_string(), &format!("--as={ADDRESS_SPACE}"), "--core=0"])
            .status();
        if !limited.is_ok_and(|status| status.success()) {
            println!("fuzz: prlimit is not there; runs are limited by --memory alone");
        }
        Ok(Runner { norn, folder })
    }

    pub fn clean(&self) {
        // What is left behind does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }

    pub fn help(&self, command: &str) -> String {
        let output = Command::new(&self.norn).args([command, "--help"]).output();
        output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
    }

    /// The schedule of a counterexample, if there is one soon.
    pub fn schedule_of(&mut self, program: &[u8]) -> Result<Option<Vec<u8>>, String> {
        self.write("a.c", program)?;
        let args = ["check", "-m", "pso", "--timeout", "1", "--schedule-out", "out.schedule", "a.c"];
        self.run(&args.map(str::to_owned), Duration::from_secs(2))?;
        let schedule = self.folder.join("out.schedule");
        let text = fs::read(&schedule).ok();
        let _ = fs::remove_file(schedule);
        Ok(text)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        fs::write(self.folder.join(name), bytes).map_err(|e| format!("cannot write {name}: {e}"))
    }

    /// Runs the command of an input, and looks at how it ended.
    pub fn judge(&mut self, input: &Input) -> Result<Verdict, String> {
        for (name, bytes) in &input.files {
            self.write(name, bytes)?;
        }
        let mut tries = 0;
        let ran = loop {
            let ran = self.run(&input.args, input.time)?;
            tries += 1;
            if tries == TRIES || ran.time <= input.time + OVERRUN {
                break ran;
            }
        };
        Ok(verdict(input, &ran))
    }

    fn run(&self, args: &[String], time: Duration) -> Result<Ran, String> {
        let (out, err) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let file = |path: &Path| File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()));
        let mut command = Command::new(&self.norn);
        command.args(args).current_dir(&self.folder).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
        command.stdout(file(&out)?).stderr(file(&err)?);
        let start = Instant::now();
        let mut child = command.spawn().map_err(|e| format!("cannot run norn: {e}"))?;
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                break Some(status);
            }
            if start.elapsed() > time + PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(5));
        };
        let time = start.elapsed();
        let text = |path: &Path| fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        Ok(Ran { status, time, stdout: text(&out), stderr: text(&err) })
    }

    /// The error with which a compiler refuses the file, without what differs from case to case.
    pub fn refused_by_compiler(&self, input: &Input) -> Result<Option<String>, String> {
        let Some((name, bytes)) = input.files.first().filter(|(name, _)| name.ends_with(".c") || name.ends_with(".i"))
        else {
            return Ok(None);
        };
        self.write(name, bytes)?;
        let bits = if input.args.iter().any(|arg| arg == "--32") { "-m32" } else { "-m64" };
        let mut command = Command::new("cc");
        command.args(["-std=gnu11", "-fsyntax-only", "-w", bits, name]).current_dir(&self.folder).env("LC_ALL", "C");
        let Ok(output) = command.stdin(Stdio::null()).output() else { return Ok(None) };
        let said = String::from_utf8_lossy(&output.stderr);
        let error = said.lines().find_map(|line| Some(line.split_once("error: ")?.1.to_owned()));
        // Headers for the other data model may not be installed.
        let error = error.filter(|error| !error.contains("No such file"));
        Ok(error.map(|error| without_names(&error)))
    }
}

/// Quoted names and numbers left out, so that the same error reads the same.
fn without_names(error: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    for c in error.chars() {
        match c {
            '\'' | '\u{2018}' | '\u{2019}' => {
                quoted = !quoted;
                text.push('\'');
            }
            _ if quoted => {}
            c if c.is_ascii_digit() => text.push('N'),
            c => text.push(c),
        }
    }
    text
}

/// What came of a run.
struct Ran {
    /// None if it had to be ended.
    status: Option<ExitStatus>,
    time: Duration,
    stdout: String,
    stderr: String,
}

fn verdict(input: &Input, ran: &Ran) -> Verdict {
    if let Some(line) = ran.stderr.lines().find(|line| line.contains("panicked at")) {
        let place = line.split("panicked at ").nth(1).unwrap_or_default();
        return Verdict::Bad(format!("panic at {}", place.split(": ").next().unwrap_or_default()));
    }
    let Some(status) = ran.status else { return Verdict::Bad("it does not end".to_owned()) };
    let Some(code) = status.code() else { return Verdict::Bad(format!("{status}")) };
    let command = input.args.first().map_or("", String::as_str);
    if !matches!(code, 0 | 1 | 2 | 5 | 7 | 10) {
        let is_internal = |line: &&str| line.contains("internal error");
        let mut lines = ran.stderr.lines();
        let first = lines.clone().find(is_internal).or_else(|| lines.next()).unwrap_or_default();
        return Verdict::Bad(format!("exit {code}: {}", without_names(first)));
    }
    // `ir` has no time limit of its own, but texts of this size are read in a moment.
    let limit = if command == "ir" { OVERRUN * 4 } else { input.time + OVERRUN };
    if ran.time > limit {
        return Verdict::Bad(format!("'{command}' overruns its time limit"));
    }
    let hidden = |c: char| norn_ir::visible::is_hidden(c) && c != '\n';
    let own = if command == "run" { "" } else { ran.stdout.as_str() };
    if own.contains(hidden) || (command != "run" && ran.stderr.contains(hidden)) {
        return Verdict::Bad(format!("'{command}' prints control characters"));
    }
    let is_json = input.args.iter().any(|arg| arg == "--json");
    let is_told = |line: &str| line.starts_with("norn: ");
    let last = ran.stdout.lines().last().unwrap_or_default();
    let is_about_loops = input.args.iter().any(|arg| arg == "--show-loops");
    if command == "check" && matches!(code, 0 | 5 | 10) && !is_json && !is_about_loops && !is_told(last) {
        let is_help = ran.stdout.contains("Usage:") || ran.stdout.starts_with("norn ");
        if !is_help {
            return Verdict::Bad(format!("exit {code} without a verdict"));
        }
    }
    let is_safe = command == "check" && code == 0 && last.starts_with("norn: safe");
    Verdict::Fine { status: code, is_safe }
}

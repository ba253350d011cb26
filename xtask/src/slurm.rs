//! `norn check --on slurm` on a real Slurm: the verdicts are those of a local run, a task that is killed in the middle is replaced, and
//! nothing runs any more when there is a verdict.

use crate::norn::{Norn, Run, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Three threads that count by load and store; the last sum is possible or not.
const COUNTERS: &str = "#include <pthread.h>\n#include <assert.h>\nvolatile int x;\n\
    void *t(void *arg) { for (int i = 0; i < 3; i++) { int r = x; x = r + 1; } return 0; }\n\
    int main(void) { pthread_t a, b, c; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
    pthread_create(&c, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);\n\
    assert(x > LIMIT); return 0; }\n";
/// Two numbers that a solver looks long for.
const FACTORS: &str = "#include <pthread.h>\n#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    volatile unsigned long a, b;\nvoid *t(void *arg) { a = __VERIFIER_nondet_uint(); return 0; }\n\
    void *u(void *arg) { b = __VERIFIER_nondet_uint(); return 0; }\n\
    int main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0);\n\
    unsigned long r = a, s = b; assert(r <= 1 || s <= 1 || r * s != 1000000016000000063UL); return 0; }\n";
/// What is waited for takes less.
const LONG: Duration = Duration::from_secs(120);

/// A Slurm that was started for this run.
struct Started {
    starter: PathBuf,
    folder: PathBuf,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = Command::new(&self.starter).arg(&self.folder).arg("stop").status();
    }
}

/// `starter`: a program that starts Slurm as `STARTER DIR start` and prints `export SLURM_CONF=FILE`; without one, Slurm has to run.
pub fn run(starter: Option<&str>) -> Result<(), String> {
    let norn = Norn::build()?;
    let folder = root().join("target").join("slurm");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut slurm = Slurm { norn, folder: folder.clone(), configuration: None };
    let _started = match starter {
        None => None,
        Some(starter) => {
            let started = Started { starter: starter.into(), folder: folder.join("state") };
            slurm.configuration = Some(start(&started)?);
            Some(started)
        }
    };
    slurm.tool("sinfo", &[])?;
    slurm.write("counters.c", COUNTERS)?;
    slurm.write("factors.c", FACTORS)?;
    for (limit, model) in [("LIMIT=1", "sc"), ("LIMIT=2", "sc"), ("LIMIT=1", "tso"), ("LIMIT=2", "pso")] {
        slurm.agrees(&["-m", model, "--rounds", "3", "--unwind", "3", "-D", limit, "counters.c"])?;
    }
    slurm.replaces()
}

fn start(started: &Started) -> Result<String, String> {
    let output = Command::new(&started.starter).arg(&started.folder).arg("start").output();
    let output = output.map_err(|error| format!("cannot run '{}': {error}", started.starter.display()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let configuration = said.lines().find_map(|line| line.strip_prefix("export SLURM_CONF="));
    configuration
        .map(str::to_owned)
        .ok_or_else(|| format!("Slurm did not start: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

struct Slurm {
    norn: Norn,
    folder: PathBuf,
    configuration: Option<String>,
}

impl Slurm {
    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        fs::write(self.folder.join(name), text).map_err(|error| format!("cannot write '{name}': {error}"))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null());
        if let Some(configuration) = &self.configuration {
            command.env("SLURM_CONF", configuration);
        }
        command
    }

    fn tool(&self, name: &str, args: &[&str]) -> Result<String, String> {
        let output = self.command(Path::new(name)).args(args).output();
        let output = output.map_err(|error| format!("cannot run '{name}': {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => Err(format!("'{name}' failed: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    fn check(&self, how: &[&str], options: &[&str]) -> Result<Run, String> {
        let begun = Instant::now();
        let output = self.command(self.norn.path()).arg("check").args(how).args(options).output();
        let output = output.map_err(|error| format!("cannot run norn: {error}"))?;
        Ok(Run { output, time: begun.elapsed() })
    }

    /// Nothing waits or runs, soon.
    fn is_idle(&self) -> Result<(), String> {
        wait("the queue should be empty", || Ok(self.tool("squeue", &["--noheader"])?.is_empty()))
    }

    fn agrees(&self, options: &[&str]) -> Result<(), String> {
        let local = self.check(&["-e", "rounds"], options)?;
        let here = self.check(&["--on", "slurm", "--tiles", "12"], options)?;
        let (expected, found) = (last(&local), last(&here));
        println!("{found}  ({:.1} s, {:.1} s without pieces)", here.time.as_secs_f64(), local.time.as_secs_f64());
        if expected != found || local.output.status != here.output.status {
            return Err(format!("'{}' without pieces: {expected}\n{}", options.join(" "), here.summary()));
        }
        self.is_idle()
    }

    /// One task is killed while it runs, and another does its work.
    fn replaces(&self) -> Result<(), String> {
        let mut command = self.command(self.norn.path());
        command.args(["check", "--on", "slurm", "--tiles", "2", "--tiles-dir", "killed", "--timeout", "20"]);
        command.args(["--rounds", "1", "--unwind", "1", "factors.c"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| format!("cannot run norn: {error}"))?;
        let task = || self.tool("squeue", &["--noheader", "--array", "--states=RUNNING", "--format=%F_%K"]);
        // One of the two is easy.
        wait("one task should be left", || {
            Ok(self.folder.join("killed/answer-0.json").exists() && task()?.ends_with("_1"))
        })?;
        self.tool("scancel", &["--signal=KILL", &task()?])?;
        let output = child.wait_with_output().map_err(|error| format!("norn did not end: {error}"))?;
        let run = Run { output, time: Duration::ZERO };
        let noted = String::from_utf8_lossy(&run.output.stderr).into_owned();
        println!("{}  (after a task was killed)", last(&run));
        let expected = "norn: unknown (sc): tile 1 of 2: the time limit was reached";
        if !noted.contains("tile 1 and is submitted again") || last(&run) != expected {
            return Err(format!("a task that was killed should be replaced: {noted}"));
        }
        self.is_idle()
    }
}

fn last(run: &Run) -> String {
    String::from_utf8_lossy(&run.output.stdout).lines().last().unwrap_or_default().to_owned()
}

fn wait(what: &str, holds: impl Fn() -> Result<bool, String>) -> Result<(), String> {
    let begun = Instant::now();
    while !holds()? {
        if begun.elapsed() > LONG {
            return Err(format!("{what}, after {} s", LONG.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

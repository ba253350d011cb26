//! Random single-threaded C programs, compiled and run beside `norn run`: both have to print the same checksum.
//!
//! csmith writes programs without undefined behaviour, so whatever a C compiler makes of one is what it means. Programs
//! that do not end soon when compiled are skipped (csmith does not see to it that a program ends), and so are those
//! that fail there: nothing can be compared.

use crate::norn::{Norn, Run, root};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A compiled program that takes longer is skipped: an interpreter would need minutes.
const LONGEST_COMPILED_RUN: Duration = Duration::from_secs(2);
/// Where the runtime headers of csmith lie; CSMITH_INCLUDE says otherwise.
const HEADERS: [&str; 3] = ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/include"];

pub struct Plan {
    /// With constants turned into inputs, for the engines that solve formulas.
    pub inputs: bool,
    pub count: u64,
    pub seed: u64,
    pub timeout: Duration,
}

impl Plan {
    /// Reads `--inputs`, `--count N`, `--seed S` and `--timeout SECONDS`.
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { inputs: false, count: 100, seed: 1, timeout: Duration::from_secs(20) };
        let mut words = words.iter();
        while let Some(&option) = words.next() {
            if option == "--inputs" {
                plan.inputs = true;
                plan.timeout = Duration::from_secs(5);
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{option} needs a number"))?;
            let number = value.parse::<u64>().map_err(|_| format!("'{value}' is not a number"))?;
            match option {
                "--count" => plan.count = number,
                "--seed" => plan.seed = number,
                "--timeout" => plan.timeout = Duration::from_secs(number),
                _ => return Err(format!("'{option}' is not an option of csmith")),
            }
        }
        Ok(plan)
    }
}

/// What became of one program.
enum Fate {
    Same,
    /// Nothing to compare with.
    Skipped,
    /// Both checksums.
    Different(String),
    /// Norn did not get to the end.
    NoAnswer(String),
}

pub fn run(plan: &Plan) -> Result<(), String> {
    if plan.inputs {
        return crate::csmith_inputs::run(plan);
    }
    let Some(headers) = installed()? else { return Ok(()) };
    let norn = Norn::build()?;
    let folder = root().join("target").join("csmith");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let start = Instant::now();
    let mut in_norn = Duration::ZERO;
    let mut slowest = (Duration::ZERO, 0);
    let (mut same, mut skipped, mut failed) = (0, 0, 0);
    for seed in plan.seed..plan.seed.saturating_add(plan.count) {
        let program = Program::generate(&folder, seed)?;
        let (fate, time) = program.compare(&norn, &headers, plan.timeout)?;
        in_norn += time;
        slowest = slowest.max((time, seed));
        match fate {
            Fate::Same => same += 1,
            Fate::Skipped => skipped += 1,
            Fate::Different(what) | Fate::NoAnswer(what) => {
                failed += 1;
                println!("FAILED  seed {seed}: {what}");
                continue;
            }
        }
        program.remove();
    }
    println!(
        "csmith: {same} same, {failed} failed, {skipped} skipped; {:.1} s, of which norn {:.1} s (slowest {:.1} s, seed {})",
        start.elapsed().as_secs_f64(),
        in_norn.as_secs_f64(),
        slowest.0.as_secs_f64(),
        slowest.1,
    );
    match failed {
        0 if same == 0 && plan.count > 0 => Err("no program could be compared".to_owned()),
        0 => Ok(()),
        n => Err(format!("{n} failures; the programs are in {}", folder.display())),
    }
}

/// The folder of csmith's headers; without csmith there is nothing to do, except where it has to be there.
pub fn installed() -> Result<Option<PathBuf>, String> {
    let found = headers().filter(|_| has_csmith());
    if found.is_none() {
        let message = "csmith and its headers are not installed (Debian: csmith and libcsmith-dev)";
        if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
            return Err(message.to_owned());
        }
        println!("csmith: {message}; nothing to run");
    }
    Ok(found)
}

/// A small program, as text: formulas of large ones take too long.
pub fn generate_small(folder: &Path, seed: u64) -> Result<String, String> {
    const SMALL: [&str; 14] = [
        "--no-argc",
        "--max-funcs",
        "3",
        "--max-block-depth",
        "3",
        "--max-block-size",
        "3",
        "--max-expr-complexity",
        "4",
        "--max-array-dim",
        "2",
        "--max-array-len-per-dim",
        "4",
        "--no-volatiles",
    ];
    let mut command = Command::new("csmith");
    command.args(SMALL).arg("--seed").arg(seed.to_string()).current_dir(folder);
    let done = command.output().map_err(|e| format!("cannot run csmith: {e}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!("csmith failed for seed {seed}")),
    }
}

fn has_csmith() -> bool {
    let version = Command::new("csmith").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

fn headers() -> Option<PathBuf> {
    let said = std::env::var_os("CSMITH_INCLUDE").map(PathBuf::from);
    let usual = HEADERS.iter().map(PathBuf::from);
    said.into_iter().chain(usual).find(|folder| folder.join("csmith.h").is_file())
}

/// A generated program, in a file.
struct Program {
    source: PathBuf,
    binary: PathBuf,
}

impl Program {
    fn generate(folder: &Path, seed: u64) -> Result<Program, String> {
        let source = folder.join(format!("{seed}.c"));
        let mut command = Command::new("csmith");
        // Of moderate size. The arguments of main are nondeterministic for Norn, so main takes none.
        command.args(["--no-argc", "--max-funcs", "7", "--max-block-depth", "4"]);
        // Each kind of program in its turn. Builtin functions are left out: csmith asks for leading zeros of 0.
        if seed % 4 == 3 {
            command.arg("--float");
        }
        if seed.is_multiple_of(3) {
            command.arg("--no-packed-struct");
        }
        command.arg("--seed").arg(seed.to_string()).arg("--output").arg(&source);
        // It leaves a file about the platform where it runs.
        command.current_dir(folder);
        let done = command.output().map_err(|e| format!("cannot run csmith: {e}"))?;
        if !done.status.success() {
            return Err(format!("csmith failed for seed {seed}: {}", String::from_utf8_lossy(&done.stderr).trim()));
        }
        let binary = source.with_extension("exe");
        Ok(Program { source, binary })
    }

    fn remove(&self) {
        // What is left behind does no harm.
        let _ = fs::remove_file(&self.source);
        let _ = fs::remove_file(&self.binary);
    }

    /// What became of it, and how long Norn took.
    fn compare(&self, norn: &Norn, headers: &Path, timeout: Duration) -> Result<(Fate, Duration), String> {
        let Some(expected) = self.compiled(headers)? else { return Ok((Fate::Skipped, Duration::ZERO)) };
        let args = ["run", "-I", &headers.display().to_string(), &self.source.display().to_string(), "--timeout"]
            .map(str::to_owned)
            .into_iter()
            .chain([timeout.as_secs().to_string()])
            .collect::<Vec<_>>();
        let run = norn.run(&args)?;
        Ok((judge(&run, &expected), run.time))
    }

    /// What the compiled program prints, if it ends soon and well.
    fn compiled(&self, headers: &Path) -> Result<Option<String>, String> {
        let mut cc = Command::new("cc");
        cc.args(["-fwrapv", "-w", "-O0", "-I"]).arg(headers).arg(&self.source).arg("-o").arg(&self.binary).arg("-lm");
        let built = cc.output().map_err(|e| format!("cannot run cc: {e}"))?;
        if !built.status.success() {
            let why = String::from_utf8_lossy(&built.stderr);
            return Err(format!("cc refuses {}: {}", self.source.display(), why.trim()));
        }
        let cannot = |e: std::io::Error| format!("cannot run {}: {e}", self.binary.display());
        let mut child = Command::new(&self.binary).stdout(Stdio::piped()).spawn().map_err(cannot)?;
        let start = Instant::now();
        // It prints one line, which fits into the pipe.
        let status = loop {
            match child.try_wait().map_err(cannot)? {
                Some(status) => break status,
                None if start.elapsed() > LONGEST_COMPILED_RUN => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ok(None);
                }
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let mut text = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut text).map_err(cannot)?;
        }
        Ok(status.success().then(|| checksum(&text)))
    }
}

fn judge(run: &Run, expected: &str) -> Fate {
    let stdout = String::from_utf8_lossy(&run.output.stdout);
    let stderr = String::from_utf8_lossy(&run.output.stderr);
    let last = stderr.lines().last().unwrap_or("");
    if !(run.output.status.success() && last.contains("ended with status 0")) {
        return Fate::NoAnswer(
            run.output.status.code().map_or(format!("killed: {last}"), |c| format!("exit {c}: {last}")),
        );
    }
    match checksum(&stdout) {
        found if found == expected => Fate::Same,
        found => Fate::Different(format!("norn has '{found}', cc has '{expected}'")),
    }
}

fn checksum(text: &str) -> String {
    text.lines().find(|line| line.starts_with("checksum")).unwrap_or("").to_owned()
}

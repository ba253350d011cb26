//! `norn check --backend "TOOL OPTIONS"`: the sequential program is given to another verifier, and what that one says is
//! passed on as its word. Norn has not replayed it.

use crate::args::{CheckArgs, Reader, SequentialBounds};
use crate::commands::sequentialize::{self, translate};
use crate::exit::Exit;
use crate::frontend;
use crate::watch;
use norn_ir::program::Program;
use norn_report::visible;
use norn_verdict::limits::{Exceeded, StopToken};
use norn_verdict::model::Model;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Of what a tool says.
const MAX_SAID_BYTES: u64 = 64 << 20;

/// What a tool said.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Safe,
    Unsafe,
    /// No verdict, and why one thinks so.
    Nothing(String),
}

/// Asks the tool about each model.
pub fn run(args: &CheckArgs, command: &str, program: &Program, stop: &StopToken) -> Exit {
    let mut words = command.split_whitespace();
    let Some(tool) = words.next() else {
        return frontend::fail("--backend: the name of a verifier is missing", Exit::Usage);
    };
    let options = words.collect::<Vec<_>>();
    let name = Path::new(tool).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut bounds = SequentialBounds { bits: args.rounds.bits, ..SequentialBounds::default() };
    bounds.rounds = args.rounds.limit.unwrap_or(bounds.rounds);
    let mut worst = Exit::Fine;
    for model in args.models.list() {
        let deadline = watch::begin_task(args.limits.timeout, args.limits.memory());
        let folder = match PrivateFolder::new() {
            Ok(folder) => folder,
            Err(error) => return frontend::fail(&format!("--backend: cannot make a folder: {error}"), Exit::Unwritten),
        };
        let file = folder.0.join(format!("norn-{model}.c"));
        let shown = file.display().to_string();
        let sequential = match translate(program, model, &args.unwind, &bounds, reader(&name), shown) {
            Ok(sequential) => sequential,
            Err(refusal) => return sequentialize::fail(program, &refusal),
        };
        let written = frontend::write_by(&file, |out| sequential.write_to(out));
        if written != Exit::Fine {
            return written;
        }
        let mut command = Command::new(tool);
        command.args(&options).arg(&file).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // From here on nobody else ends the run: the tool and the folder have to go first.
        watch::end_task();
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let message = format!("--backend: cannot run '{tool}': {error}; is it installed?");
                return frontend::fail(&message, Exit::Usage);
            }
        };
        let word = listen(child, deadline, stop);
        let printed = frontend::print(&line(args, &name, model, &word, &bounds));
        if printed != Exit::Fine {
            return printed;
        }
        if stop.is_stopped() {
            return Exit::Interrupted;
        }
        worst = match (worst, word) {
            (Exit::Unsafe, _) | (_, Word::Unsafe) => Exit::Unsafe,
            (Exit::Unknown, _) | (_, Word::Nothing(_)) => Exit::Unknown,
            (_, Word::Safe) => worst,
        };
        if args.require_proof && worst == Exit::Fine {
            worst = Exit::Unknown;
        }
    }
    worst
}

fn line(args: &CheckArgs, name: &str, model: Model, word: &Word, bounds: &SequentialBounds) -> String {
    let rounds = bounds.rounds;
    let unwind = sequentialize::default_unwind(&args.unwind);
    let memory = match model {
        Model::Sc => String::new(),
        _ => format!(", {} timestamps, {} nodes", bounds.timestamps, bounds.nodes.unwrap_or(norn_emit::DEFAULT_NODES)),
    };
    let verdict = match word {
        Word::Safe => "safe",
        Word::Unsafe => "unsafe",
        Word::Nothing(_) => "unknown",
    };
    if args.json {
        let value = serde_json::json!({
            "verdict": verdict, "complete": false, "model": model.to_string(), "engine": name, "replayed": false,
            "bounds": [{ "kind": "rounds", "value": rounds }, { "kind": "unwind", "value": unwind }],
        });
        return visible::json(&value) + "\n";
    }
    let shown = visible::visible(name);
    match word {
        Word::Nothing(why) => {
            format!("norn: unknown ({model}): '{shown}' gave no verdict: {}\n", visible::visible(why))
        }
        _ => format!(
            "norn: '{shown}' says {verdict} ({model}) up to {rounds} rounds, unwind {unwind}{memory}; norn has not replayed it\n"
        ),
    }
}

/// The conventions that a tool of this name knows.
fn reader(name: &str) -> Reader {
    match name {
        "cbmc" => Reader::Cbmc,
        "esbmc" => Reader::Esbmc,
        "norn" => Reader::Norn,
        _ => Reader::Svcomp,
    }
}

/// Waits for the tool, until then at most, and reads what it says.
fn listen(mut child: Child, deadline: Instant, stop: &StopToken) -> Word {
    let mut output = child.stdout.take().expect("the output should be a pipe");
    let reading = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error counts.
        let _ = output.by_ref().take(MAX_SAID_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut output, &mut io::sink());
        String::from_utf8_lossy(&bytes).into_owned()
    });
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if Instant::now() < deadline && !stop.is_stopped() => {
                std::thread::sleep(Duration::from_millis(10))
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                let why = if stop.is_stopped() { Exceeded::Interrupted } else { Exceeded::Time };
                return Word::Nothing(why.reason().to_owned());
            }
        }
    }
    reading.join().map_or_else(|_| Word::Nothing("its output could not be read".to_owned()), |text| word(&text))
}

/// CBMC's and ESBMC's last words, SV-COMP's, and Norn's.
fn word(output: &str) -> Word {
    for line in output.lines().rev().map(str::trim) {
        let last = line.rsplit([' ', ':']).next().unwrap_or_default();
        if line.contains("VERIFICATION FAILED") || line.starts_with("norn: unsafe") || last.starts_with("FALSE") {
            // What is not supported is asserted not to be reached, which is no violation.
            let only_unsupported = output.contains("not supported: ") && !output.contains("assertion failed");
            if only_unsupported {
                return Word::Nothing("something that is not supported can be reached".to_owned());
            }
            return Word::Unsafe;
        }
        if line.contains("VERIFICATION SUCCESSFUL") || line.starts_with("norn: safe") || last == "TRUE" {
            return Word::Safe;
        }
    }
    Word::Nothing(match output.lines().rev().map(str::trim).find(|line| !line.is_empty()) {
        Some(last) => format!("its last line is '{last}'"),
        None => "it said nothing".to_owned(),
    })
}

/// A folder of our own in that for temporary files, which goes with all that is in it when it is not needed any more.
///
/// Others can write to the folder around it. So it is made, never taken over (making a folder fails if there is anything of
/// its name, also a link), its name cannot be foreseen, and nobody else may look into it.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn new() -> io::Result<PrivateFolder> {
        const ATTEMPTS: u32 = 16;
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..ATTEMPTS {
            // The keys of hash tables are random.
            let number = RandomState::new().hash_one((std::process::id(), attempt));
            let path = std::env::temp_dir().join(format!("norn-{number:016x}"));
            match builder.create(&path) {
                Ok(()) => return Ok(PrivateFolder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // Somebody may have been faster.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_private_and_go() {
        let (one, other) = (PrivateFolder::new().expect("a folder"), PrivateFolder::new().expect("another"));
        assert_ne!(one.0, other.0);
        fs::write(one.0.join("x.c"), "int x;").expect("it should be ours");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&one.0).expect("it").permissions()) & 0o777,
            0o700
        );
        let path = one.0.clone();
        drop(one);
        assert!(!path.exists());
    }

    #[test]
    fn verdicts_of_other_tools_are_understood() {
        assert_eq!(word("Runtime\n** 1 of 3 failed\nVERIFICATION FAILED\n"), Word::Unsafe);
        assert_eq!(word("VERIFICATION SUCCESSFUL\n"), Word::Safe);
        assert_eq!(word("Verification result: FALSE(unreach-call)\nbye\n"), Word::Unsafe);
        assert_eq!(word("Verification result: TRUE\n"), Word::Safe);
        assert_eq!(word("norn: safe (sc) up to 3 rounds\n"), Word::Safe);
        assert_eq!(word("PARSING ERROR\n"), Word::Nothing("its last line is 'PARSING ERROR'".to_owned()));
        assert_eq!(word("\n"), Word::Nothing("it said nothing".to_owned()));
        let unsupported = word("[x] not supported: asm: FAILURE\nVERIFICATION FAILED\n");
        assert_eq!(unsupported, Word::Nothing("something that is not supported can be reached".to_owned()));
    }
}

//! `norn check --backend "TOOL OPTIONS"`: the sequential program is given to another verifier, and what that one says is
//! passed on as its word. Norn has not replayed it.
//!
//! The sequential program has the executions within bounds only. So what the tool calls safe is unknown, unless the user gave all of
//! them; and what it calls safe under a model is unknown if it calls the program unsafe under a stronger one.

use crate::args::{CheckArgs, Reader, SequentialBounds, Unwind};
use crate::commands::sequentialize::{self, translate};
use crate::exit::Exit;
use crate::json_output;
use crate::output;
use crate::owned::{PrivateFolder, Tool};
use crate::watch::{self, LastWords};
use norn_ir::program::Program;
use norn_report::visible;
use norn_verdict::limits::{Exceeded, StopToken};
use norn_verdict::model::Model;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Of what a tool says.
const MAX_SAID_BYTES: u64 = 64 << 20;
/// How long what a tool said may take to arrive after its end.
const AFTER_END: Duration = Duration::from_secs(1);

/// What a tool said.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Safe,
    Unsafe,
    /// No verdict, and why one thinks so.
    Nothing(String),
}

/// Whom is asked, within which bounds, and how the answer is shown.
#[derive(Clone)]
struct Question {
    name: String,
    rounds: u32,
    unwind: u32,
    timestamps: u32,
    nodes: u32,
    /// The user gave the rounds and the bound on loops.
    are_given: bool,
    require_proof: bool,
    as_json: bool,
}

/// Asks the tool about each model.
pub fn run(args: &CheckArgs, command: &str, program: &Program, stop: &StopToken) -> Exit {
    let mut words = command.split_whitespace();
    let Some(tool) = words.next() else {
        return output::fail("--backend: the name of a verifier is missing", Exit::Usage);
    };
    let options = words.collect::<Vec<_>>();
    let name = Path::new(tool).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut bounds = SequentialBounds { bits: args.rounds.bits, ..SequentialBounds::default() };
    bounds.rounds = args.rounds.limit.unwrap_or(bounds.rounds);
    let question = Question {
        rounds: bounds.rounds,
        unwind: sequentialize::default_unwind(&args.unwind),
        timestamps: bounds.timestamps,
        nodes: bounds.nodes.unwrap_or(norn_emit::DEFAULT_NODES),
        are_given: args.rounds.limit.is_some() && args.unwind.iter().any(|u| matches!(u, Unwind::Default(_))),
        require_proof: args.require_proof,
        as_json: args.json,
        name,
    };
    let models = args.models.list();
    let mut said: Vec<(Model, Word)> = Vec::new();
    for &model in &models {
        let deadline = watch::begin_task(args.limits.timeout, args.limits.memory());
        question.leave_last_words(&models, &said);
        let folder = match PrivateFolder::new() {
            Ok(folder) => folder,
            Err(error) => return output::fail(&format!("--backend: cannot make a folder: {error}"), Exit::Unwritten),
        };
        let file = folder.path().join(format!("norn-{model}.c"));
        let shown = file.display().to_string();
        let sequential = match translate(program, model, &args.unwind, &bounds, reader(&question.name), shown) {
            Ok(sequential) => sequential,
            Err(refusal) => {
                sequentialize::fail(program, &refusal);
                said.push((model, Word::Nothing("the program cannot be translated for it".to_owned())));
                continue;
            }
        };
        let written = output::write_by(&file, |out| sequential.write_to(out));
        if written != Exit::Fine {
            return written;
        }
        let mut command = Command::new(tool);
        command.args(&options).arg(&file).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // From here on the time is looked at here.
        watch::end_task();
        let tool = match Tool::start(&mut command) {
            Ok(tool) => tool,
            Err(error) => {
                let message = format!("--backend: cannot run '{tool}': {error}; is it installed?");
                return output::fail(&message, Exit::Usage);
            }
        };
        said.push((model, listen(tool, deadline, stop)));
        if stop.is_stopped() {
            break;
        }
    }
    let (text, exit) = question.answer(&models, &said, Exceeded::Interrupted.reason());
    match output::print(&text) {
        Exit::Fine if stop.is_stopped() => Exit::Interrupted,
        Exit::Fine => exit,
        failed => failed,
    }
}

impl Question {
    /// If the work has to end.
    fn leave_last_words(&self, models: &[Model], said: &[(Model, Word)]) {
        let (question, models, said) = (self.clone(), models.to_vec(), said.to_vec());
        watch::last_words(move |exceeded| {
            let (output, exit) = question.answer(&models, &said, exceeded.reason());
            LastWords { output, exit: Some(exit), ..LastWords::default() }
        });
    }

    /// What is shown, and the status that says most. What was not asked is unknown for the reason given.
    fn answer(&self, models: &[Model], said: &[(Model, Word)], why_not_asked: &str) -> (String, Exit) {
        let nothing = Word::Nothing(why_not_asked.to_owned());
        let mut exit = Exit::Fine;
        let (mut text, mut values) = (String::new(), Vec::new());
        for &model in models {
            let word = said.iter().find(|(of, _)| *of == model).map_or(&nothing, |(_, word)| word);
            let stronger = said.iter().find(|(of, word)| *of < model && *word == Word::Unsafe).map(|(of, _)| *of);
            let reason = self.doubt(model, word, stronger);
            exit = match word {
                _ if exit == Exit::Unsafe => exit,
                Word::Unsafe => Exit::Unsafe,
                _ if reason.is_some() => Exit::Unknown,
                _ => exit,
            };
            text += &self.line(model, word, reason.as_deref());
            values.push(self.value(model, word, reason.as_deref()));
        }
        (if self.as_json { json_output::text(values) } else { text }, exit)
    }

    /// Why a word is no verdict, if it is none.
    fn doubt(&self, model: Model, word: &Word, unsafe_under: Option<Model>) -> Option<String> {
        match word {
            Word::Unsafe => None,
            Word::Nothing(why) => Some(why.clone()),
            Word::Safe => match unsafe_under {
                Some(stronger) => Some(format!("but unsafe under {stronger}, whose executions are among these")),
                None if self.require_proof => Some("a proof is required".to_owned()),
                // There is no option for the bounds of the memory.
                None if !self.are_given || model != Model::Sc => Some("larger bounds were not tried".to_owned()),
                None => None,
            },
        }
    }

    fn line(&self, model: Model, word: &Word, doubt: Option<&str>) -> String {
        let Question { rounds, unwind, timestamps, nodes, .. } = self;
        let name = visible::visible(&self.name);
        let memory = match model {
            Model::Sc => String::new(),
            _ => format!(", {timestamps} timestamps, {nodes} nodes"),
        };
        let within = format!("up to {rounds} rounds, unwind {unwind}{memory}");
        match (word, doubt) {
            (Word::Unsafe, _) => format!("norn: '{name}' says unsafe ({model}) {within}; norn has not replayed it\n"),
            (Word::Safe, None) => format!("norn: '{name}' says safe ({model}) {within}; norn has not replayed it\n"),
            (Word::Safe, Some(doubt)) => format!("norn: unknown ({model}): '{name}' says safe {within}; {doubt}\n"),
            (Word::Nothing(why), _) => {
                format!("norn: unknown ({model}): '{name}' gave no verdict: {}\n", visible::visible(why))
            }
        }
    }

    fn value(&self, model: Model, word: &Word, doubt: Option<&str>) -> Value {
        let verdict = match (word, doubt) {
            (Word::Unsafe, _) => "unsafe",
            (Word::Safe, None) => "safe",
            _ => "unknown",
        };
        json!({
            "verdict": verdict, "complete": false, "model": model.to_string(), "engine": self.name, "replayed": false,
            "reason": doubt,
            "bounds": [{ "kind": "rounds", "value": self.rounds }, { "kind": "unwind", "value": self.unwind }],
        })
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
fn listen(mut tool: Tool, deadline: Instant, stop: &StopToken) -> Word {
    let mut output = tool.child.stdout.take().expect("the output should be a pipe");
    let (sender, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error counts.
        let _ = output.by_ref().take(MAX_SAID_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut output, &mut io::sink());
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let status = loop {
        match tool.ended() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline && !stop.is_stopped() => {
                std::thread::sleep(Duration::from_millis(10))
            }
            _ => {
                tool.end();
                let why = if stop.is_stopped() { Exceeded::Interrupted } else { Exceeded::Time };
                return Word::Nothing(why.reason().to_owned());
            }
        }
    };
    // What it has started and left behind may keep its output open.
    tool.end();
    match said.recv_timeout(AFTER_END) {
        Ok(text) => ended_well(word(&text), status),
        Err(_) => Word::Nothing("its output could not be read".to_owned()),
    }
}

/// The word of a tool that ended so. What failed after all has no proof; what was killed has said nothing.
fn ended_well(word: Word, status: ExitStatus) -> Word {
    match word {
        Word::Safe if !status.success() => Word::Nothing(format!("it says safe, but ended with {status}")),
        Word::Unsafe if status.code().is_none() => Word::Nothing(format!("it says unsafe, but ended with {status}")),
        word => word,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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

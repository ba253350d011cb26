//! `--witness`: the file that other tools can check.

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::frontend::Compiled;
use crate::input;
use crate::output;
use norn_ir::program::Program;
use norn_report::format::{Answer, Finding, Format};
use norn_report::visible::visible;
use norn_validate::blames;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Counterexample, Outcome, Verdict};
use norn_verdict::property::Property;
use norn_witness::write::{Form, Task};
use std::path::Path;

/// The variable that reproducible builds use for times in files.
const TIME: &str = "SOURCE_DATE_EPOCH";

/// Writes the witness, or says why there is none.
pub fn write(path: &Path, args: &CheckArgs, verdicts: &[Verdict], asked: &Property, compiled: &Compiled) -> Exit {
    match text(path, args, verdicts, asked, compiled) {
        Ok(text) => output::write(path, &text),
        Err(reason) => {
            output::say(&format!("note: '{}' is not written: {reason}\n", visible(&path.display().to_string())));
            Exit::Fine
        }
    }
}

fn text(
    path: &Path,
    args: &CheckArgs,
    verdicts: &[Verdict],
    asked: &Property,
    compiled: &Compiled,
) -> Result<String, String> {
    let Some(verdict) = verdicts.iter().find(|verdict| verdict.model == Model::Sc) else {
        return Err("witnesses are about sequential consistency only, see -m sc".to_owned());
    };
    let (program, checks): (&Program, _) = (&compiled.program, asked.checks);
    let files = files(args, compiled)?;
    let property = match &args.property {
        Some(property) => Some(input::read(property)?),
        None => None,
    };
    let texts = compiled.texts();
    let task = Task {
        form: Form::of(&path.to_string_lossy()),
        files: &files,
        texts: &texts,
        checks,
        property: property.as_deref(),
        entry: &asked.entry,
        time: std::env::var(TIME).ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(0),
        blames: &|found: &Counterexample| blames(program, checks, found),
    };
    let finding = Finding { answer: Answer::Safety(verdict), cycle: &[], about: None };
    let text = compiled.with_sources(|sources| task.render(&[finding], sources));
    text.ok_or_else(|| {
        match &verdict.outcome {
            Outcome::Unsafe(_) => "the program goes wrong in a text that is not the user's",
            Outcome::Safe { .. } if verdict.outcome.is_complete() => "what is safe is so under assumptions only",
            _ => "the verdict under sc is neither unsafe nor safe for all executions",
        }
        .to_owned()
    })
}

/// The files of the program with their contents: those that were named, or those that it has code of.
fn files(args: &CheckArgs, compiled: &Compiled) -> Result<Vec<(String, Vec<u8>)>, String> {
    let named = args.c.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let names = match named.is_empty() {
        true => compiled.texts().files.into_iter().map(|file| file.name).collect(),
        false => named,
    };
    let read = |name: String| match norn_ir::read::read(Path::new(&name), norn_witness::read::MOST_BYTES * 4) {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(format!("'{}': {error}", visible(&name))),
    };
    names.into_iter().map(read).collect()
}

//! Patches: a unified diff for `patch -p0`, shown, written to a file, or applied.

use crate::exit::Exit;
use crate::output;
use norn_repair::{Choice, Problem, edit};
use norn_report::visible::visible_lines;
use std::path::{Path, PathBuf};

/// What changes in which files.
pub struct Patch {
    files: Vec<PatchedFile>,
}

struct PatchedFile {
    path: PathBuf,
    diff: String,
    after: String,
}

impl Patch {
    pub fn of(problem: &Problem, chosen: &[Choice]) -> Patch {
        let file = |(path, text, edits): (PathBuf, std::sync::Arc<str>, Vec<edit::Edit>)| {
            let diff = edit::unified(&path.display().to_string(), &text, &edits);
            PatchedFile { path, diff, after: edit::apply(&text, &edits) }
        };
        Patch { files: problem.edits(chosen).into_iter().map(file).collect() }
    }

    /// The diff, byte for byte.
    pub fn text(&self) -> String {
        self.files.iter().map(|file| file.diff.as_str()).collect()
    }
}

/// The diff as it can be shown.
pub fn as_text(patch: &Patch) -> String {
    let text = patch.text();
    let shown = visible_lines(&text);
    match shown == text {
        true => text,
        // What was escaped would not apply.
        false => format!("{shown}\nnote: some characters of this patch are shown as escapes; -o writes it as it is.\n"),
    }
}

/// Prints what there is to say, and writes the patch where it was asked for.
pub fn deliver(patch: &Patch, in_place: bool, diff_file: Option<&Path>, said: &str) -> Result<Exit, Exit> {
    if let Some(path) = diff_file {
        written(output::write(path, &patch.text()))?;
    }
    if in_place {
        for file in &patch.files {
            written(output::write(&file.path, &file.after))?;
        }
    }
    written(output::print(said))
}

fn written(exit: Exit) -> Result<Exit, Exit> {
    if exit == Exit::Fine { Ok(exit) } else { Err(exit) }
}

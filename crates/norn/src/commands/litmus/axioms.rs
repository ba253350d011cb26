//! Tests under models that are axioms: asked of the enumerator of execution graphs.

use super::Answer;
use crate::litmus_model::LitmusModel;
use norn_cat::Model;
use norn_graph::answer::{self, Finals};
use norn_graph::picture;
use norn_ir::diag::Diagnostic;
use norn_ir::read::read;
use norn_ir::source::{Loc, SourceMap};
use norn_litmus::graph::{GraphTest, Language};
use norn_report::visible::{visible, visible_lines};
use norn_verdict::limits::Limits;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Reads the axioms of a model, if it has any.
pub fn load(model: &LitmusModel, sources: &mut SourceMap) -> Result<Option<Model>, Diagnostic> {
    match model {
        LitmusModel::Machine(_) => Ok(None),
        LitmusModel::Builtin(name) => {
            let found = norn_graph::model::builtin(sources, name);
            found.unwrap_or_else(|| Err(Diagnostic::error(Loc::NONE, format!("there is no model '{name}'")))).map(Some)
        }
        LitmusModel::File(path) => load_file(path, sources).map(Some),
    }
}

/// A file, or the model of that name that comes with Norn if there is no such file.
fn load_file(path: &Path, sources: &mut SourceMap) -> Result<Model, Diagnostic> {
    let shown = path.display().to_string();
    let text = match read_text(path) {
        Ok(text) => text,
        Err(reason) => {
            let is_plain = path.parent().is_none_or(|folder| folder.as_os_str().is_empty());
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let known = if is_plain && !path.exists() { norn_graph::model::builtin(sources, &name) } else { None };
            return known
                .unwrap_or_else(|| Err(Diagnostic::error(Loc::NONE, format!("cannot read '{shown}': {reason}"))));
        }
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    norn_graph::model::load(sources, &shown, text, &mut |name| read_text(&folder.join(name)))
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read(path, norn_cat::MAX_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// Complains if the model says nothing of tests in that language.
pub fn refuse_language(name: &LitmusModel, model: &Model, test: &GraphTest) -> Option<Diagnostic> {
    let language = test.language;
    let (speaks, help) = match name {
        LitmusModel::Builtin("armv8") => (language == Language::AArch64, "it is the model of AArch64"),
        LitmusModel::Builtin("riscv") => (language == Language::RiscV, "it is the model of RISC-V"),
        LitmusModel::Builtin("rc11") => {
            (matches!(language, Language::C11 | Language::C), "it is the model of C11's atomics")
        }
        LitmusModel::Builtin("lkmm") => {
            (matches!(language, Language::Kernel | Language::C), "it is the model of the kernel's C")
        }
        // Without the tags that the model looks at, fences would order nothing.
        _ if model.mentions("FullFence") || model.mentions("StoreFence") => {
            let speaks = matches!(language, Language::Ppc | Language::X86);
            (speaks, "it looks at FullFence or StoreFence, which only fences of PPC and X86 are")
        }
        _ => (true, ""),
    };
    let message = || format!("{name} says nothing of tests in {}", language.name());
    (!speaks).then(|| Diagnostic::unsupported(test.header, message()).help(help))
}

/// What a test answers, and the graphs that show it if they are asked for: as text, and for Graphviz.
pub struct Found {
    pub answer: Answer,
    pub picture: String,
    pub dot: String,
}

pub fn answer(test: &GraphTest, name: &LitmusModel, model: &Model, limits: &Limits) -> Result<Found, String> {
    let answer = answer::ask(&test.test, model, limits)
        .map_err(|mismatch| format!("{}: an execution was not confirmed: {mismatch}", test.test.name))?;
    Ok(match answer {
        answer::Answer::Forbid => Found { answer: Answer::Forbid, picture: String::new(), dot: String::new() },
        answer::Answer::Unknown(reason) => {
            Found { answer: Answer::Unknown(reason), picture: String::new(), dot: String::new() }
        }
        answer::Answer::Allow(witness) => {
            let title = format!("{} ({name})", test.test.name);
            let picture =
                format!("Execution of {}\n{}\n", visible(&title), visible_lines(&picture::text(&test.test, &witness)));
            Found { answer: Answer::Allow, picture, dot: picture::dot(&title, &test.test, &witness) }
        }
    })
}

/// herd's table: every final state of the observed locations and registers.
pub fn final_states(test: &GraphTest, name: &LitmusModel, model: &Model, limits: &Limits) -> Result<String, String> {
    let Finals { lines, incomplete } = answer::states(&test.test, model, limits)
        .map_err(|mismatch| format!("{}: an execution was not confirmed: {mismatch}", test.test.name))?;
    let observed = &test.test.observed;
    let show = |values: &Vec<u64>| {
        let parts = observed.iter().zip(values).map(|(column, &value)| {
            let value = match test.test.program.cell_at(value) {
                Some(cell) => test.test.program.cells[cell.index()].name.clone(),
                None if column.signed => (value as i64).to_string(),
                None => value.to_string(),
            };
            format!("{}={};", visible(&column.label), visible(&value))
        });
        parts.collect::<Vec<_>>().join(" ")
    };
    let lines: BTreeSet<String> = lines.iter().map(show).collect();
    let mut text = format!("Test {} ({name})\nStates {}\n", visible(&test.test.name), lines.len());
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if let Some(incomplete) = incomplete {
        let _ = writeln!(text, "(not all: {})", visible(&incomplete));
    }
    let _ = writeln!(text, "Condition {:?} ({})\n", test.test.quantifier, visible(&test.condition));
    Ok(text)
}

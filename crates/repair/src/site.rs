//! Sites: where a program can be made stronger, and the programs that choices make.

use crate::edit::{self, Change};
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind};
use norn_ir::program::Program;
use norn_ir::span::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// An instruction of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InstrAt {
    pub function: FuncId,
    pub block: BlockId,
    pub index: usize,
}

/// One way to make a site stronger than it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// In words, such as `full fence`.
    pub name: String,
    pub cost: u64,
    /// The instructions that become others.
    pub effects: Vec<(InstrAt, InstrKind)>,
    /// What it is in the text. `None`: as the text is.
    pub change: Option<Change>,
}

/// A place that can be stronger or weaker.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    pub file: PathBuf,
    /// Of the text as it is.
    pub line: usize,
    /// Where its instructions stand in traces.
    pub span: Span,
    /// From weak to strong: each excludes what those before it do. Without any of them the site is as in the base.
    pub levels: Vec<Level>,
}

/// A level of a site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Choice {
    pub site: usize,
    pub level: usize,
}

/// What can be chosen.
pub struct Problem {
    /// The program with all sites at their weakest. It has marks: compiler fences, one where each gap is.
    pub base: Program,
    pub marks: BTreeSet<InstrAt>,
    pub sites: Vec<Site>,
    /// What the text has when nothing is chosen; a level without a change takes that back.
    pub weakest: Vec<Option<Change>>,
    /// The texts of the files.
    pub texts: BTreeMap<PathBuf, Arc<str>>,
}

impl Problem {
    pub fn cost(&self, choice: Choice) -> u64 {
        self.level(choice).cost
    }

    pub fn level(&self, choice: Choice) -> &Level {
        &self.sites[choice.site].levels[choice.level]
    }

    /// The program with these levels, and with its marks.
    pub fn marked(&self, chosen: &[Choice]) -> Program {
        let mut program = self.base.clone();
        let mut sorted = chosen.to_vec();
        sorted.sort();
        for choice in sorted {
            for (at, kind) in &self.level(choice).effects {
                program.functions[at.function.index()].blocks[at.block.index()].instrs[at.index].kind = kind.clone();
            }
        }
        program
    }

    /// The program with these levels.
    pub fn program(&self, chosen: &[Choice]) -> Program {
        let mut program = self.marked(chosen);
        for at in self.marks.iter().rev() {
            let instrs = &mut program.functions[at.function.index()].blocks[at.block.index()].instrs;
            if matches!(instrs[at.index].kind, InstrKind::Fence(FenceKind::Compiler)) {
                instrs.remove(at.index);
            }
        }
        program
    }

    /// What the choice does to the files that it changes: the name, the text as it is, and the edits.
    pub fn edits(&self, chosen: &[Choice]) -> Vec<(PathBuf, Arc<str>, Vec<edit::Edit>)> {
        let mut changes: BTreeMap<&PathBuf, Vec<&Change>> = BTreeMap::new();
        for (index, (site, weakest)) in self.sites.iter().zip(&self.weakest).enumerate() {
            let choice = chosen.iter().filter(|choice| choice.site == index).max();
            let change = match choice {
                Some(&choice) => self.level(choice).change.as_ref(),
                None => weakest.as_ref(),
            };
            changes.entry(&site.file).or_default().extend(change);
        }
        let edited = changes.into_iter().filter(|(_, changes)| !changes.is_empty());
        edited
            .map(|(file, changes)| {
                let text = self.texts[file].clone();
                let edits = edit::edits(&text, &changes);
                (file.clone(), text, edits)
            })
            .collect()
    }

    /// The texts of the files that the choice changes, afterwards.
    pub fn edited(&self, chosen: &[Choice]) -> BTreeMap<PathBuf, Arc<str>> {
        let applied =
            |(file, text, edits): (PathBuf, Arc<str>, Vec<edit::Edit>)| (file, edit::apply(&text, &edits).into());
        self.edits(chosen).into_iter().map(applied).collect()
    }
}

//! Sites: where a program can be stronger or weaker, and the programs that choices make.

use crate::edit::{self, Change};
use crate::strength::Effect;
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

/// One way to have a site stronger than it is in the base.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// In words, such as `full fence`.
    pub name: String,
    pub cost: u64,
    /// The instructions that become stronger.
    pub effects: Vec<(InstrAt, Effect)>,
    /// Other levels of the site that do nothing that this one does not do.
    pub covers: Vec<usize>,
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
    pub spans: Vec<Span>,
    /// A level comes after those that it covers. Every two have one that covers both or is one of them. Without any the
    /// site is as in the base.
    pub levels: Vec<Level>,
}

impl Site {
    fn is_covered(&self, level: usize, by: usize) -> bool {
        level == by || self.levels[by].covers.contains(&level)
    }
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

    /// What the search goes by: the cost, and of several sets of one cost the smallest.
    pub fn weight(&self, choice: Choice) -> u64 {
        let sites = u64::try_from(self.sites.len()).unwrap_or(u64::MAX);
        self.cost(choice).saturating_mul(sites.saturating_add(1)).saturating_add(1)
    }

    pub fn cost_of(&self, chosen: &[Choice]) -> u64 {
        chosen.iter().fold(0, |sum, &choice| sum.saturating_add(self.cost(choice)))
    }

    pub fn level(&self, choice: Choice) -> &Level {
        &self.sites[choice.site].levels[choice.level]
    }

    /// Whether some of the choices does all that this one does.
    pub fn is_covered(&self, choice: Choice, by: &[Choice]) -> bool {
        let site = &self.sites[choice.site];
        by.iter().any(|other| other.site == choice.site && site.is_covered(choice.level, other.level))
    }

    /// Whether choices meet a clause.
    pub fn meets(&self, chosen: &[Choice], clause: &[Choice]) -> bool {
        clause.iter().any(|&choice| self.is_covered(choice, chosen))
    }

    /// One choice for each site, which does what all choices for it do.
    pub fn one_each(&self, chosen: &[Choice]) -> Vec<Choice> {
        let mut by_site: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for choice in chosen {
            by_site.entry(choice.site).or_default().push(choice.level);
        }
        let one = |(site, levels): (usize, Vec<usize>)| {
            let all = &self.sites[site];
            let covers_all = |&by: &usize| levels.iter().all(|&level| all.is_covered(level, by));
            let level = (0..all.levels.len()).find(covers_all).unwrap_or(all.levels.len() - 1);
            Choice { site, level }
        };
        by_site.into_iter().map(one).collect()
    }

    /// The program with these levels, and with its marks.
    pub fn marked(&self, chosen: &[Choice]) -> Program {
        let mut program = self.base.clone();
        for (at, effect) in chosen.iter().flat_map(|&choice| &self.level(choice).effects) {
            let block = &mut program.functions[at.function.index()].blocks[at.block.index()];
            effect.strengthen(&mut block.instrs[at.index].kind);
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
        let chosen = self.one_each(chosen);
        let mut changes: BTreeMap<&PathBuf, Vec<&Change>> = BTreeMap::new();
        for (index, (site, weakest)) in self.sites.iter().zip(&self.weakest).enumerate() {
            let change = match chosen.iter().find(|choice| choice.site == index) {
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

//! What can be made stronger: gaps in which a fence can stand, and orders that are there.
//!
//! The gaps are marked and the text is read again ([`crate::draft`]). Without its marks the program has to be the one that the
//! text as it is stands for. Where it is not, macros are at work, and the gaps that make the difference are left out.

use crate::code::{Code, Texts, comparable};
use crate::draft::{Draft, draft, fitting};
use crate::edit::Change;
use crate::gaps::{self, Gap};
use crate::orders::{Kind, Ordered};
use crate::places::{Looked, Place, places};
use crate::scan;
use crate::site::{InstrAt, Level, Problem, Site};
use crate::strength::{Effect, order_of_fence};
use norn_ir::instr::FenceKind;
use norn_ir::program::Program;
use norn_verdict::model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// How often the text is read again, at most, to find out which gaps are none.
const MOST_READS: usize = 100;

/// What things cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    pub full: u64,
    pub release: u64,
    /// Of each step from a plain access to a relaxed one, from there to acquire or release, and so on.
    pub order: u64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs { full: 10, release: 2, order: 1 }
    }
}

impl Costs {
    /// Ten times as much in each loop.
    pub fn in_loops(cost: u64, loops: u32) -> u64 {
        cost.saturating_mul(10_u64.saturating_pow(loops.min(9)))
    }

    pub fn of_fence(&self, kind: FenceKind) -> u64 {
        match kind {
            FenceKind::Full | FenceKind::Call => self.full,
            FenceKind::Release | FenceKind::StoreStore | FenceKind::Acquire => self.release,
            FenceKind::AcqRel => self.release.saturating_mul(2).min(self.full),
            FenceKind::LoadLoad | FenceKind::Compiler => 0,
        }
    }
}

/// What may be inserted, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds {
    pub fences: bool,
    /// Stronger orders of accesses that have one.
    pub orders: bool,
    /// Orders of accesses that have none.
    pub atomics: bool,
    /// Also in the files of the system's.
    pub library: bool,
}

/// How fences are called.
pub fn fence_name(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full | FenceKind::Call => "full fence",
        FenceKind::Release => "release fence",
        FenceKind::StoreStore => "store-store fence",
        FenceKind::Acquire => "acquire fence",
        FenceKind::AcqRel => "acquire and release fence",
        FenceKind::LoadLoad | FenceKind::Compiler => "fence",
    }
}

/// The statement that a fence is.
pub fn fence_statement(kind: FenceKind) -> String {
    let order = order_of_fence(kind).map_or("relaxed", crate::strength::word).to_uppercase();
    format!("__atomic_thread_fence(__ATOMIC_{order});")
}

/// The problem of what to insert. `None`: the program is not C, or not the same twice.
pub fn problem(code: &Code, kinds: Kinds, model: Model, races: bool, costs: Costs) -> Option<Problem> {
    let gaps = if kinds.fences { gaps::gaps(code, kinds.library) } else { Vec::new() };
    let (places, mut texts) = match kinds.orders || kinds.atomics {
        true => places(code, Looked { fences: kinds.orders, operators: kinds.atomics, library: kinds.library }),
        false => Default::default(),
    };
    let places = places.into_iter().filter(|place| kinds.orders || place.is_operator()).collect::<Vec<Place>>();
    texts.extend(texts_of(code, &gaps));
    let gaps = gaps.into_iter().filter(|gap| texts.contains_key(&gap.file)).collect::<Vec<_>>();
    let plain = comparable(code.read(&Texts::new())?.program);
    let is_fine = |gaps: &[Gap]| {
        let read = draft(code, &texts, gaps, &[]);
        read.is_some_and(|draft| is_same(&unsited(&draft, &texts), &plain))
    };
    let gaps = fitting(gaps, &mut |gaps| is_fine(gaps), &mut { MOST_READS });
    let draft = draft(code, &texts, &gaps, &[])?;
    let mut problem = unsited(&draft, &texts);
    if !is_same(&problem, &plain) {
        return None;
    }
    for (gap, instrs) in gaps.iter().zip(draft.marks()) {
        problem.sites.extend(site(&problem, gap, &instrs, model, races, costs));
    }
    let ordered = Ordered { code, texts: &texts, gaps: &gaps, base: &problem.base, costs };
    for (place, order) in ordered.places(places) {
        problem.sites.extend(ordered.stronger(&place, &order));
    }
    problem.weakest = vec![None; problem.sites.len()];
    Some(problem)
}

/// The problem of which fences and orders are not needed. `None`: as above.
pub fn to_relax(code: &Code, library: bool, costs: Costs) -> Option<Problem> {
    let (places, texts) = places(code, Looked { fences: true, operators: true, library });
    let program = code.read(&Texts::new())?.program;
    let base = program.clone();
    let mut problem =
        Problem { base: program, marks: BTreeSet::new(), sites: Vec::new(), weakest: Vec::new(), texts: texts.clone() };
    let ordered = Ordered { code, texts: &texts, gaps: &[], base: &base, costs };
    for (place, order) in ordered.places(places) {
        let Some((site, weakest)) = ordered.weaker(&place, &order) else { continue };
        for &(at, part) in &order.parts {
            let block = &mut problem.base.functions[at.function.index()].blocks[at.block.index()];
            crate::strength::weaken(&mut block.instrs[at.index].kind, part);
            if order.kind == Kind::Fence {
                problem.marks.insert(at);
            }
        }
        problem.sites.push(site);
        problem.weakest.push(Some(weakest));
    }
    Some(problem)
}

/// The program of a draft, without sites.
fn unsited(draft: &Draft, texts: &BTreeMap<PathBuf, Arc<str>>) -> Problem {
    Problem {
        marks: draft.marks().into_iter().flatten().collect(),
        base: draft.read.program.clone(),
        sites: Vec::new(),
        weakest: Vec::new(),
        texts: texts.clone(),
    }
}

/// The site of a gap, if its mark is in the program.
fn site(problem: &Problem, gap: &Gap, instrs: &[InstrAt], model: Model, races: bool, costs: Costs) -> Option<Site> {
    let first = instrs.first()?;
    let block = &problem.base.functions[first.function.index()].blocks[first.block.index()];
    let level = |kind: FenceKind, covers: Vec<usize>| Level {
        name: fence_name(kind).to_owned(),
        cost: Costs::in_loops(costs.of_fence(kind), gap.loops),
        effects: instrs.iter().map(|&at| (at, Effect::Fence(kind))).collect(),
        covers,
        change: Some(Change::Insert { gap: gap.clone(), statement: fence_statement(kind) }),
    };
    // Where stores stay in order a release fence does nothing; what else it does matters to data races only.
    let levels = match (races, model) {
        (true, _) => vec![
            level(FenceKind::Acquire, vec![]),
            level(FenceKind::Release, vec![]),
            level(FenceKind::AcqRel, vec![0, 1]),
            level(FenceKind::Full, vec![0, 1, 2]),
        ],
        (false, Model::Tso) => vec![level(FenceKind::Full, vec![])],
        (false, _) => vec![level(FenceKind::Release, vec![]), level(FenceKind::Full, vec![0])],
    };
    Some(Site {
        file: gap.file.clone(),
        line: scan::line_number(&problem.texts[&gap.file], gap.at),
        spans: vec![block.instrs[first.index].span],
        levels,
    })
}

/// Whether the program without its marks is the one without places.
fn is_same(problem: &Problem, plain: &Program) -> bool {
    comparable(problem.program(&[])) == *plain
}

/// The texts of the files that have gaps.
fn texts_of(code: &Code, gaps: &[Gap]) -> BTreeMap<PathBuf, Arc<str>> {
    let files = gaps.iter().map(|gap| &gap.file).collect::<BTreeSet<_>>();
    files.into_iter().filter_map(|file| Some((file.clone(), code.text_of(file)?))).collect()
}

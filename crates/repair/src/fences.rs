//! Gaps as sites: which of them are in the program, and what a fence there does to it.
//!
//! Each gap gets a mark, a call that is a fence for compilers only and does nothing at run time; the marked text is read,
//! and the marks are found in the IR by their places. What a fence does is then certain: it stands where the mark
//! stands. Without its marks the program has to be the one that the text as it is stands for. Where it is not, macros are
//! at work, and the gaps that make the difference are left out.

use crate::code::{Code, Read, Texts, forget_places, sources_named};
use crate::edit::Change;
use crate::gaps::{Gap, GapKind};
use crate::scan;
use crate::site::{InstrAt, Level, Problem, Site};
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind};
use norn_ir::number::narrow;
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_verdict::model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// A file larger than this is no text that anybody would edit by hand.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// How often the text is read again, at most, to find out which gaps are none.
const MOST_READS: usize = 100;
const MARK: &str = "__atomic_signal_fence(5);";
const FULL: &str = "__atomic_thread_fence(__ATOMIC_SEQ_CST);";
const RELEASE: &str = "__atomic_thread_fence(__ATOMIC_RELEASE);";

/// What things cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    pub full: u64,
    pub release: u64,
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
}

/// The problem of where fences belong. `None`: the program is not C, or not the same twice.
pub fn problem(code: &Code, gaps: Vec<Gap>, model: Model, costs: Costs) -> Option<Problem> {
    let texts = texts(&gaps);
    let gaps = gaps.into_iter().filter(|gap| texts.contains_key(&gap.file)).collect::<Vec<_>>();
    let mut plain = code.read(&Texts::new())?.program;
    forget_places(&mut plain);
    let mut reads = 0;
    let gaps = fitting(code, &texts, &plain, gaps, &mut reads);
    let (read, spots) = marked(code, &texts, &gaps)?;
    let by_gap = instructions(&read, &spots);
    let mut problem = Problem {
        marks: by_gap.iter().flatten().copied().collect(),
        base: read.program,
        sites: Vec::new(),
        weakest: Vec::new(),
        texts: texts.clone(),
    };
    if !is_same(&problem, &plain) {
        return None;
    }
    for (gap, instrs) in gaps.into_iter().zip(by_gap) {
        if instrs.is_empty() {
            continue;
        }
        let span = instr(&problem.base, instrs[0]);
        let line = scan::line_number(&texts[&gap.file], gap.at);
        let level = |name: &str, cost, kind, statement: &str| Level {
            name: name.to_owned(),
            cost: Costs::in_loops(cost, gap.loops),
            effects: instrs.iter().map(|&at| (at, InstrKind::Fence(kind))).collect(),
            change: Some(Change::Insert { gap: gap.clone(), statement: statement.to_owned() }),
        };
        let full = level("full fence", costs.full, FenceKind::Full, FULL);
        let release = level("release fence", costs.release, FenceKind::Release, RELEASE);
        // Where stores stay in order such a fence does nothing.
        let levels = if model == Model::Tso { vec![full] } else { vec![release, full] };
        problem.sites.push(Site { file: gap.file.clone(), line, span, levels });
        problem.weakest.push(None);
    }
    Some(problem)
}

fn instr(program: &Program, at: InstrAt) -> Span {
    program.functions[at.function.index()].blocks[at.block.index()].instrs[at.index].span
}

/// The texts of the files that have gaps. What is not UTF-8, or begins with a mark of it, has no places to count in.
fn texts(gaps: &[Gap]) -> BTreeMap<PathBuf, Arc<str>> {
    let files = gaps.iter().map(|gap| &gap.file).collect::<BTreeSet<_>>();
    let text = |file: &PathBuf| {
        let bytes = norn_ir::read::read(file, MAX_FILE_BYTES).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.starts_with('\u{FEFF}'))?;
        Some((file.clone(), text.into()))
    };
    files.into_iter().filter_map(text).collect()
}

/// Where a mark stands in the marked text: the file, and the byte.
type Spot = (PathBuf, usize);

/// The marked text, read, and where the marks are, one for each gap.
fn marked(code: &Code, texts: &Texts, gaps: &[Gap]) -> Option<(Read, Vec<Spot>)> {
    let mut marked = Texts::new();
    let mut spots = vec![Spot::default(); gaps.len()];
    for (file, text) in texts {
        // What comes at which byte, in the order in which it is written there.
        let mut pieces: Vec<(usize, u8, String, Option<usize>)> = Vec::new();
        for (index, gap) in gaps.iter().enumerate().filter(|(_, gap)| gap.file == *file) {
            match gap.kind {
                GapKind::Between | GapKind::End { .. } => pieces.push((gap.at, 1, format!("{MARK} "), Some(index))),
                GapKind::Braced { end, after } => {
                    pieces.push((gap.at, 2, "{ ".to_owned(), None));
                    let at = if after { end } else { gap.at };
                    pieces.push((at, if after { 0 } else { 3 }, format!("{MARK} "), Some(index)));
                    pieces.push((end, 0, " }".to_owned(), None));
                }
            }
        }
        pieces.sort_by_key(|&(at, rank, _, index)| (at, rank, index.is_none()));
        let mut result = String::with_capacity(text.len() + pieces.len() * 40);
        let mut written = 0;
        for (at, _, piece, index) in pieces {
            result.push_str(&text[written..at]);
            written = at;
            if let Some(index) = index {
                spots[index] = (file.clone(), result.len());
            }
            result.push_str(&piece);
        }
        result.push_str(&text[written..]);
        marked.insert(file.clone(), result.into());
    }
    Some((code.read(&marked)?, spots))
}

/// By mark, the instructions that it is: none if it is not in the program, several if its file is included several times.
fn instructions(read: &Read, spots: &[Spot]) -> Vec<Vec<InstrAt>> {
    let mut by_place: BTreeMap<(&str, u32, u32), Vec<InstrAt>> = BTreeMap::new();
    for (f, function) in read.program.functions.iter().enumerate() {
        for (b, block) in function.blocks.iter().enumerate() {
            for (index, instr) in block.instrs.iter().enumerate() {
                if matches!(instr.kind, InstrKind::Fence(FenceKind::Compiler)) {
                    let Span { file, line, column } = instr.span;
                    let at = InstrAt { function: FuncId::new(f), block: BlockId::new(b), index };
                    by_place.entry((read.program.file(file), line, column)).or_default().push(at);
                }
            }
        }
    }
    let of = |(file, at): &Spot| {
        let sources = sources_named(&read.sources, &file.display().to_string());
        let mut found: Vec<InstrAt> = Vec::new();
        for source in sources {
            let loc = read.sources.start(source).offset(narrow(*at));
            let Some(place) = read.sources.presumed(loc) else { continue };
            found.extend(by_place.get(&(place.file, place.line, place.column)).into_iter().flatten());
        }
        found.sort();
        found.dedup();
        found
    };
    spots.iter().map(of).collect()
}

/// Whether the program without its marks is the one without places.
fn is_same(problem: &Problem, plain: &Program) -> bool {
    let mut program = problem.program(&[]);
    forget_places(&mut program);
    program == *plain
}

/// The gaps in which a mark changes nothing.
fn fitting(code: &Code, texts: &Texts, plain: &Program, gaps: Vec<Gap>, reads: &mut usize) -> Vec<Gap> {
    *reads += 1;
    let fits = *reads <= MOST_READS
        && marked(code, texts, &gaps).is_some_and(|(read, spots)| {
            let marks = instructions(&read, &spots).into_iter().flatten().collect();
            let problem =
                Problem { base: read.program, marks, sites: Vec::new(), weakest: Vec::new(), texts: BTreeMap::new() };
            is_same(&problem, plain)
        });
    if fits {
        return gaps;
    }
    if gaps.len() <= 1 || *reads > MOST_READS {
        return Vec::new();
    }
    let (mut first, mut second) = (gaps, Vec::new());
    second.extend(first.drain(first.len() / 2..));
    let mut all = fitting(code, texts, plain, first, reads);
    all.extend(fitting(code, texts, plain, second, reads));
    all
}

//! Drafts: the user's text with marks in gaps and with edits of places, read again as a program.
//!
//! A mark is a call that is a fence for compilers only and does nothing at run time. The marks are found in the IR by their
//! places, so what a fence does is certain: it stands where the mark stands.

use crate::code::{Code, Read, Texts, sources_named};
use crate::edit::Edit;
use crate::gaps::{Gap, GapKind};
use crate::site::InstrAt;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind};
use norn_ir::number::narrow;
use norn_ir::span::Span;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MARK: &str = "__atomic_signal_fence(5);";

/// Where a mark stands in the text of a draft: the file, and the byte.
pub type Spot = (PathBuf, usize);

/// A draft that was read, and where its marks are, one for each gap.
pub struct Draft {
    pub read: Read,
    spots: Vec<Spot>,
}

/// The program of the texts with marks and edits. `None`: it is not C.
pub fn draft(
    code: &Code,
    texts: &BTreeMap<PathBuf, Arc<str>>,
    gaps: &[Gap],
    edits: &[(PathBuf, Edit)],
) -> Option<Draft> {
    let mut written = Texts::new();
    let mut spots = vec![Spot::default(); gaps.len()];
    for (file, text) in texts {
        written.insert(file.clone(), with_marks(file, text, gaps, edits, &mut spots).into());
    }
    Some(Draft { read: code.read(&written)?, spots })
}

/// Text that comes at a byte, in place of what is there up to another.
struct Piece {
    at: usize,
    /// Of several at one byte, those with the lower rank come first.
    rank: u8,
    until: usize,
    text: String,
    /// It is the mark of this gap.
    mark: Option<usize>,
}

fn with_marks(file: &Path, text: &str, gaps: &[Gap], edits: &[(PathBuf, Edit)], spots: &mut [Spot]) -> String {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut add = |at: usize, rank: u8, text: String, mark: Option<usize>| {
        pieces.push(Piece { at, rank, until: at, text, mark });
    };
    for (index, gap) in gaps.iter().enumerate().filter(|(_, gap)| gap.file == *file) {
        match gap.kind {
            GapKind::Between | GapKind::End { .. } => add(gap.at, 1, format!("{MARK} "), Some(index)),
            GapKind::Braced { end, after } => {
                add(gap.at, 2, "{ ".to_owned(), None);
                let at = if after { end } else { gap.at };
                add(at, if after { 0 } else { 3 }, format!("{MARK} "), Some(index));
                add(end, 0, " }".to_owned(), None);
            }
        }
    }
    for (_, edit) in edits.iter().filter(|(other, _)| other == file) {
        pieces.push(Piece { at: edit.start, rank: 4, until: edit.end, text: edit.text.clone(), mark: None });
    }
    pieces.sort_by_key(|piece| (piece.at, piece.rank, piece.mark.is_none()));
    let mut result = String::with_capacity(text.len() + pieces.len() * 40);
    let mut written = 0;
    for piece in pieces {
        // What another edit has taken away is not there any more.
        if piece.at < written {
            continue;
        }
        result.push_str(&text[written..piece.at]);
        written = piece.until;
        if let Some(index) = piece.mark {
            spots[index] = (file.to_owned(), result.len());
        }
        result.push_str(&piece.text);
    }
    result.push_str(&text[written..]);
    result
}

impl Draft {
    /// By gap, the instructions that its mark is: none if it is not in the program, several if its file is included several
    /// times.
    pub fn marks(&self) -> Vec<Vec<InstrAt>> {
        let read = &self.read;
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
        self.spots.iter().map(of).collect()
    }
}

/// The items of a list that are as they should be together with all others that are kept. Each time that some are not, they are
/// looked at in halves; when `reads` is used up, the rest is left out.
pub fn fitting<T: Clone>(items: Vec<T>, fits: &mut dyn FnMut(&[T]) -> bool, reads: &mut usize) -> Vec<T> {
    let mut kept = Vec::new();
    add_fitting(&mut kept, items, fits, reads);
    kept
}

fn add_fitting<T: Clone>(kept: &mut Vec<T>, mut items: Vec<T>, fits: &mut dyn FnMut(&[T]) -> bool, reads: &mut usize) {
    if items.is_empty() || *reads == 0 {
        return;
    }
    *reads -= 1;
    let before = kept.len();
    kept.extend(items.iter().cloned());
    if fits(kept) {
        return;
    }
    kept.truncate(before);
    if items.len() == 1 {
        return;
    }
    let second = items.split_off(items.len() / 2);
    add_fitting(kept, items, fits, reads);
    add_fitting(kept, second, fits, reads);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut fits =
            |items: &[u32]| items.iter().all(|item| item % 7 != 0) && !(items.contains(&2) && items.contains(&4));
        let kept = fitting((1..=20).collect(), &mut fits, &mut 100);
        assert_eq!(kept, [1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20]);
        assert_eq!(fitting((1..=20).collect(), &mut fits, &mut 0), [0; 0]);
    }
}

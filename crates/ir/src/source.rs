//! Source texts and positions in them.
//!
//! Every text that the front end reads (files, built-in headers, command-line macros) is added to one
//! [`SourceMap`] and occupies its own range of a single address space, so that a position is one `u32` ([`Loc`]).
//! The map knows two positions for a `Loc`: the *physical* one (the text it was read from, for excerpts) and the
//! *presumed* one (what `#line` directives and the line markers of preprocessed files say, for verdicts and traces).
//! The map holds text only; reading files is the caller's business.

use crate::number::narrow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A position: an offset into the address space of a [`SourceMap`]. `Loc::NONE` is no position at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Loc(pub u32);

impl Loc {
    pub const NONE: Loc = Loc(0);

    /// The position `bytes` further on in the same text.
    pub fn offset(self, bytes: u32) -> Loc {
        Loc(self.0 + bytes)
    }
}

impl fmt::Debug for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

crate::ids! {
    /// A text known to a [`SourceMap`].
    SourceId = "source";
}

/// What a `#line` directive or line marker says: from `start` on, lines count from `line` in file `name`.
#[derive(Clone, Debug)]
struct LineMark {
    /// Offset within the text of the first byte of the line that follows the directive.
    start: u32,
    /// That line as the text itself counts.
    physical: u32,
    line: u32,
    name: u32,
    system: bool,
}

#[derive(Debug)]
struct Source {
    name: u32,
    text: Arc<str>,
    /// The first `Loc` of this text; its last is `base + text.len()`.
    base: u32,
    line_starts: Vec<u32>,
    marks: Vec<LineMark>,
    /// A built-in header or model: its code is the library's, not the user's.
    builtin: bool,
}

/// A position for people: file name, line and column, both from 1. Columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

/// A physical line of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    pub source: SourceId,
    /// The positions of the line, with that of its line break.
    pub positions: Range<Loc>,
    /// The file and line that the text presumes to be, honouring `#line` and line markers.
    pub file: &'a str,
    pub number: u32,
}

/// All texts of one run and the names of the files they came from.
#[derive(Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
    names: Vec<Arc<str>>,
    name_ids: HashMap<Arc<str>, u32>,
}

/// The text does not fit into the map's 4 GiB address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text under the name to be shown for it.
    pub fn add(&mut self, name: &str, text: String, builtin: bool) -> Result<SourceId, TooLarge> {
        let text: Arc<str> = text.into();
        let base = self.sources.last().map_or(1, |s| s.base + narrow(s.text.len()) + 1);
        if u32::try_from(text.len()).ok().and_then(|n| base.checked_add(n)).is_none_or(|end| end >= u32::MAX - 1) {
            return Err(TooLarge);
        }
        let line_starts = line_starts(text.as_bytes());
        let name = self.intern(name);
        self.sources.push(Source { name, text, base, line_starts, marks: Vec::new(), builtin });
        Ok(SourceId::new(self.sources.len() - 1))
    }

    fn intern(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let id = narrow(self.names.len());
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.name_ids.insert(name, id);
        id
    }

    pub fn text(&self, id: SourceId) -> &str {
        &self.sources[id.0 as usize].text
    }

    /// The text, shared: it can be read while the map changes.
    pub fn shared_text(&self, id: SourceId) -> Arc<str> {
        self.sources[id.0 as usize].text.clone()
    }

    pub fn name(&self, id: SourceId) -> &str {
        &self.names[self.sources[id.0 as usize].name as usize]
    }

    pub fn start(&self, id: SourceId) -> Loc {
        Loc(self.sources[id.0 as usize].base)
    }

    pub fn is_builtin(&self, id: SourceId) -> bool {
        self.sources[id.0 as usize].builtin
    }

    /// Records that the line beginning at `start` is line `line` of file `name` (or of the same file if `None`).
    /// A text that is included again may bring its marks again; the later one of two at the same place holds.
    pub fn add_line_mark(&mut self, start: Loc, line: u32, name: Option<&str>, system: bool) {
        let Some(id) = self.source_of(start) else { return };
        let s = &self.sources[id.0 as usize];
        let start = start.0 - s.base;
        let at = s.marks.partition_point(|m| m.start < start);
        let inherited = at.checked_sub(1).map_or(s.name, |before| s.marks[before].name);
        let name = match name {
            None => inherited,
            Some(name) if *self.names[inherited as usize] == *name => inherited,
            Some(name) => self.intern(name),
        };
        let s = &self.sources[id.0 as usize];
        let physical = narrow(s.line_starts.partition_point(|&begin| begin <= start));
        let mark = LineMark { start, physical, line, name, system };
        let marks = &mut self.sources[id.0 as usize].marks;
        match marks.get_mut(at) {
            Some(same) if same.start == start => *same = mark,
            _ => marks.insert(at, mark),
        }
    }

    /// The text that a position lies in.
    pub fn source_of(&self, loc: Loc) -> Option<SourceId> {
        if loc == Loc::NONE {
            return None;
        }
        let i = self.sources.partition_point(|s| s.base <= loc.0);
        (i > 0).then(|| SourceId::new(i - 1))
    }

    /// Where the text really stands, with the index of its line for [`SourceMap::line_text`].
    pub fn physical(&self, loc: Loc) -> Option<(SourceId, Position<'_>)> {
        let id = self.source_of(loc)?;
        let s = &self.sources[id.0 as usize];
        let offset = (loc.0 - s.base).min(narrow(s.text.len()));
        let line = narrow(s.line_starts.partition_point(|&start| start <= offset));
        let column = column_of(&s.text, s.line_starts[line as usize - 1], offset);
        Some((id, Position { file: &self.names[s.name as usize], line, column }))
    }

    /// How many bytes of its physical line stand before a position.
    pub fn offset_in_line(&self, loc: Loc) -> usize {
        (loc.0 - self.line_around(loc).start.0) as usize
    }

    /// The positions of the physical line that a position lies on, with that of its line break.
    pub fn line_around(&self, loc: Loc) -> Range<Loc> {
        self.line(loc).map_or(loc..loc, |line| line.positions)
    }

    /// The line that a position lies on.
    pub fn line(&self, loc: Loc) -> Option<Line<'_>> {
        let source = self.source_of(loc)?;
        let s = &self.sources[source.0 as usize];
        let offset = loc.0 - s.base;
        let line = s.line_starts.partition_point(|&start| start <= offset);
        let end = s.line_starts.get(line).map_or(narrow(s.text.len()) + 1, |&next| next);
        let positions = Loc(s.base + s.line_starts[line - 1])..Loc(s.base + end);
        let (name, number) = match s.marks.partition_point(|m| m.start <= offset).checked_sub(1) {
            Some(i) => (s.marks[i].name, s.marks[i].line.saturating_add(narrow(line) - s.marks[i].physical)),
            None => (s.name, narrow(line)),
        };
        Some(Line { source, positions, file: &self.names[name as usize], number })
    }

    /// Where the text says that it stands, honouring `#line` and line markers.
    pub fn presumed(&self, loc: Loc) -> Option<Position<'_>> {
        let column = self.physical(loc)?.1.column;
        let (file, line) = self.presumed_line(loc)?;
        Some(Position { file, line, column })
    }

    /// File and line of [`SourceMap::presumed`], without the time that it takes to count columns.
    pub fn presumed_line(&self, loc: Loc) -> Option<(&str, u32)> {
        self.line(loc).map(|line| (line.file, line.number))
    }

    /// Whether a position lies in a built-in text or in one that a line marker calls a system header.
    pub fn in_system_header(&self, loc: Loc) -> bool {
        let Some(id) = self.source_of(loc) else { return false };
        let s = &self.sources[id.0 as usize];
        let i = s.marks.partition_point(|m| m.start <= loc.0 - s.base);
        s.builtin || (i > 0 && s.marks[i - 1].system)
    }

    /// The text of the line that presumes to be this one; if several do, the last.
    pub fn presumed_line_text(&self, file: &str, line: u32) -> Option<&str> {
        let (id, line) = self.line_presumed_as(file, line)?;
        Some(self.line_text(id, line))
    }

    /// The text, and the physical line in it, that presumes to be this one; if several do, the last.
    pub fn line_presumed_as(&self, file: &str, line: u32) -> Option<(SourceId, u32)> {
        let name = narrow(self.names.iter().position(|n| **n == *file)?);
        for (index, source) in self.sources.iter().enumerate().rev() {
            let id = SourceId::new(index);
            let last_line = narrow(source.line_starts.len());
            // Stretches of lines that count alike: before the first mark, and after each.
            let mut end = last_line + 1;
            let starts = source.marks.iter().rev().map(|mark| (mark.physical, mark.line, mark.name));
            for (physical, presumed, mark_name) in starts.chain([(1, 1, source.name)]) {
                if mark_name == name && line >= presumed && physical + (line - presumed) < end {
                    return Some((id, physical + (line - presumed)));
                }
                end = physical;
            }
        }
        None
    }

    /// The text of physical line `line` (from 1), without its line break.
    pub fn line_text(&self, id: SourceId, line: u32) -> &str {
        let s = &self.sources[id.0 as usize];
        let Some(&start) = s.line_starts.get(line as usize - 1) else { return "" };
        let end = s.line_starts.get(line as usize).map_or(s.text.len(), |&e| e as usize);
        s.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// Where the lines of a text begin. Eight bytes are looked at together: this sees every byte of every text.
fn line_starts(bytes: &[u8]) -> Vec<u32> {
    const LOW: u64 = u64::from_ne_bytes([0x7F; 8]);
    const BREAKS: u64 = u64::from_ne_bytes([b'\n'; 8]);
    let mut starts = Vec::with_capacity(bytes.len() / 24 + 1);
    starts.push(0);
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        // A byte of `other` is zero for a line break, and only then is the upper bit of that byte of `found` set.
        let other = u64::from_le_bytes(*word) ^ BREAKS;
        let mut found = !(((other & LOW) + LOW) | other | LOW);
        while found != 0 {
            starts.push(narrow(i) * 8 + found.trailing_zeros() / 8 + 1);
            found &= found - 1;
        }
    }
    let rest_start = narrow(words.len()) * 8;
    starts.extend((1..).zip(rest).filter(|(_, byte)| **byte == b'\n').map(|(i, _)| rest_start + i));
    starts
}

/// Column of `offset` in the line that begins at `line_start`: one more than the characters between them.
fn column_of(text: &str, line_start: u32, offset: u32) -> u32 {
    let bytes = &text.as_bytes()[line_start as usize..offset as usize];
    narrow(bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count()) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_physical_or_presumed() {
        let mut map = SourceMap::new();
        let a = map.add("a.c", "one\ntwo\n".into(), false).unwrap();
        let b = map.add("b.i", "x\n# 10 \"c.c\"\nü y\nz\n".into(), false).unwrap();
        let at = |map: &SourceMap, id, n| map.start(id).offset(narrow(map.text(id).find(n).unwrap()));
        map.add_line_mark(at(&map, b, "ü"), 10, Some("c.c"), false);
        let two = at(&map, a, "two");
        assert_eq!(map.presumed(two), Some(Position { file: "a.c", line: 2, column: 1 }));
        let y = at(&map, b, "y");
        assert_eq!(map.physical(y).unwrap().1, Position { file: "b.i", line: 3, column: 3 });
        assert_eq!(map.presumed(y), Some(Position { file: "c.c", line: 10, column: 3 }));
        let z = at(&map, b, "z");
        assert_eq!(map.presumed(z), Some(Position { file: "c.c", line: 11, column: 1 }));
        assert_eq!(map.presumed(map.start(b)), Some(Position { file: "b.i", line: 1, column: 1 }));
        assert_eq!(map.offset_in_line(y), 3);
        assert_eq!(map.line_around(y), at(&map, b, "ü")..z);
        assert_eq!(map.line_text(b, 3), "ü y");
        assert_eq!(map.presumed_line_text("c.c", 11), Some("z"));
        assert_eq!(map.presumed_line_text("b.i", 1), Some("x"));
        assert_eq!(map.presumed_line_text("a.c", 2), Some("two"));
        assert_eq!(map.presumed_line_text("c.c", 9), None);
        assert_eq!(map.presumed_line_text("c.c", 99), None);
        assert_eq!(map.physical(Loc::NONE), None);
    }

    #[test]
    fn lines_begin_after_line_breaks() {
        let alphabet = ["\n", "\n\n", "x", "\u{B}", "\r\n", "\u{8a}", "\u{10a}", "ten bytes.", "\t"];
        // All sequences of pieces up to some length, one after the other.
        for number in 0..3000 {
            let pieces = std::iter::successors(Some(number), |n| Some(n / 9).filter(|n| *n > 0));
            let text: String = pieces.map(|n| alphabet[n % 9]).collect::<String>() + "end\n";
            let expected: Vec<u32> =
                [0].into_iter().chain(text.match_indices('\n').map(|(i, _)| narrow(i) + 1)).collect();
            assert_eq!(line_starts(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn marks_may_come_again_and_out_of_order() {
        let mut map = SourceMap::new();
        let id = map.add("a.h", "1\n2\n3\n".into(), true).unwrap();
        let line = |n: u32| map.start(id).offset(2 * (n - 1));
        let (first, second, third) = (line(1), line(2), line(3));
        map.add_line_mark(third, 30, None, false);
        map.add_line_mark(second, 20, Some("b.h"), false);
        map.add_line_mark(third, 31, None, false);
        assert_eq!(map.presumed_line(first), Some(("a.h", 1)));
        assert_eq!(map.presumed_line(second), Some(("b.h", 20)));
        assert_eq!(map.presumed_line(third), Some(("b.h", 31)));
    }
}

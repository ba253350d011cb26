//! Which values terms can have: signed intervals.
//!
//! What a read can see is what the writes to its cells can write, and that depends on other reads. The circle is cut by
//! counting: each write happens at most once, and the value that it writes depends only on reads that come before it,
//! each of which saw an earlier write. So a value is the end of a chain of at most as many writes as there are, and as
//! many passes over the terms as there are writes see all chains, whether or not the intervals have settled by then. A
//! counter that each of ten writes may increase stays below eleven, and `x += y` beside `y += x` stays below a Fibonacci
//! number. Where that would take too long, the intervals that have not settled become as wide as their cells.
//!
//! With a limit on the width, variables are taken to have values of that many bits only (signed). This leaves
//! executions out, and adds none, as long as a limited read still has to see what memory holds: each of them that matters has
//! its equation ([`crate::needed`]), so an execution in which it would see a larger value is excluded. Then what is
//! said here of terms holds by induction along an execution: memory holds what executed writes wrote, and those were
//! computed from reads whose values are in their ranges. A read whose range is empty cannot see anything: it is not
//! executed.
//!
//! The bits of a float are no number, and few of its bits are no small value. So variables that floating-point
//! operations take are not limited, nor are others that see the same cells.

use norn_logic::{Node, Term, Terms};
use norn_symex::{CellId, EventKind, Symbolic};
use std::collections::BTreeMap;

/// All values from `low` to `high`, of a bit-vector taken as signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: i128,
    pub high: i128,
}

/// The range of each bit-vector term.
pub struct Ranges {
    of: Vec<Range>,
    /// By term: a variable that could have more values than the limit on the width allows.
    limited: Vec<bool>,
}

/// Term evaluations that are worth their while.
const PATIENCE: usize = 20_000_000;

impl Ranges {
    /// `limit`: the most bits of a variable's value.
    pub fn new(symbolic: &Symbolic, limit: Option<u32>) -> Ranges {
        let readers = readers(symbolic);
        let floats = floats(symbolic, &readers);
        let mut cells: Vec<Range> = Vec::new();
        let mut ranges = Ranges { of: Vec::new(), limited: Vec::new() };
        let writes = symbolic.events.iter().filter(|event| matches!(event.kind, EventKind::Write { .. })).count();
        let passes = (PATIENCE / symbolic.terms.len().max(1)).clamp(2, writes.max(1) + 1);
        for pass in 0.. {
            ranges = Ranges::pass(symbolic, limit, &readers, &floats, &cells);
            let next = contents(symbolic, &ranges);
            if next == cells || pass > writes {
                break;
            }
            let widen = pass >= passes;
            let grown = |(cell, range): (usize, Range)| {
                let changed = cells.get(cell) != Some(&range);
                if widen && changed { Range::of_width(symbolic.cells[cell].width) } else { range }
            };
            cells = next.into_iter().enumerate().map(grown).collect();
        }
        ranges
    }

    pub fn of(&self, term: Term) -> Range {
        self.of[term.index()]
    }

    /// Whether some variable is limited.
    pub fn any_limited(&self) -> bool {
        self.limited.contains(&true)
    }

    /// Whether the limit on the width leaves values of this variable out.
    pub fn is_limited(&self, variable: Term) -> bool {
        self.limited[variable.index()]
    }

    fn pass(
        symbolic: &Symbolic,
        limit: Option<u32>,
        readers: &BTreeMap<usize, Vec<CellId>>,
        floats: &[bool],
        cells: &[Range],
    ) -> Ranges {
        let terms = &symbolic.terms;
        let mut ranges = Ranges { of: Vec::with_capacity(terms.len()), limited: vec![false; terms.len()] };
        for (index, &is_float) in floats.iter().enumerate() {
            let term = terms.at(index);
            let width = terms.width(term);
            let range = match terms.node(term) {
                _ if width == 0 => Range::EMPTY,
                Node::Variable(_) => {
                    let all = match readers.get(&index) {
                        Some(targets) => {
                            let seen = targets.iter().filter_map(|cell| cells.get(cell.index()).copied());
                            seen.reduce(Range::union).unwrap_or(Range::EMPTY)
                        }
                        None => Range::of_width(width),
                    };
                    let cut = limited(all, width, limit.filter(|_| !is_float));
                    ranges.limited[index] = cut != all;
                    cut
                }
                node => ranges.of_node(terms, &node, width),
            };
            ranges.of.push(range);
        }
        ranges
    }

    fn of_node(&self, terms: &Terms, node: &Node, width: u32) -> Range {
        let of = |term: Term| self.of[term.index()];
        // Nothing comes of nothing: a read that no write reaches yet in this pass.
        if node.operands().any(|operand| terms.width(operand) > 0 && of(operand).is_empty()) {
            return match *node {
                Node::Ite(_, a, b) => of(a).union(of(b)),
                _ => Range::EMPTY,
            };
        }
        let within = |low: i128, high: i128| Range { low, high }.within(width);
        let range = match *node {
            Node::Bits(value) => {
                let value = signed(value, width);
                Range { low: value, high: value }
            }
            Node::Ite(_, a, b) => of(a).union(of(b)),
            Node::Add(a, b) => within(of(a).low + of(b).low, of(a).high + of(b).high),
            Node::Sub(a, b) => within(of(a).low - of(b).high, of(a).high - of(b).low),
            Node::Mul(a, b) => {
                let ends =
                    [of(a).low * of(b).low, of(a).low * of(b).high, of(a).high * of(b).low, of(a).high * of(b).high];
                let (low, high) = ends.into_iter().fold((ends[0], ends[0]), |(l, h), e| (l.min(e), h.max(e)));
                within(low, high)
            }
            // Division by zero gives 0, or leaves the dividend as the remainder.
            Node::Udiv(a, b) | Node::Urem(a, b) if of(a).low >= 0 && of(b).low >= 0 => Range { low: 0, ..of(a) },
            Node::BitAnd(a, b) => match (of(a).low >= 0, of(b).low >= 0) {
                (true, true) => Range { low: 0, high: of(a).high.min(of(b).high) },
                (true, false) => Range { low: 0, ..of(a) },
                (false, true) => Range { low: 0, ..of(b) },
                (false, false) => of(a).union(of(b)).rounded(),
            },
            Node::BitOr(a, b) | Node::BitXor(a, b) => {
                let both = of(a).union(of(b)).rounded();
                if of(a).low >= 0 && of(b).low >= 0 { Range { low: 0, ..both } } else { both }
            }
            Node::BitNot(a) => Range { low: -1 - of(a).high, high: -1 - of(a).low },
            Node::Lshr(a, _) if of(a).low >= 0 => Range { low: 0, ..of(a) },
            Node::Ashr(a, _) => Range { low: of(a).low.min(0), high: of(a).high.max(-1) },
            Node::Zext(a) if of(a).low >= 0 => of(a),
            Node::Zext(a) => Range { low: 0, high: (1 << terms.width(a)) - 1 },
            Node::Sext(a) => of(a),
            Node::Extract(a, 0) => of(a).within(width),
            Node::Extract(a, low) if of(a).low >= 0 => within(0, of(a).high >> low),
            Node::Concat(high, low) => {
                let by = terms.width(low);
                Range { low: of(high).low << by, high: (of(high).high << by) + ((1 << by) - 1) }
            }
            _ => Range::of_width(width),
        };
        let known = terms.known(terms.at(self.of.len()));
        match known.sign(width) {
            // What is known bit by bit may say more.
            Some(false) => {
                let (least, greatest) = (i128::from(known.least()), i128::from(known.greatest(width)));
                Range { low: range.low.max(least), high: range.high.min(greatest) }
            }
            _ => range,
        }
    }
}

impl Range {
    const EMPTY: Range = Range { low: 1, high: 0 };

    /// All signed numbers of `width` bits.
    pub fn of_width(width: u32) -> Range {
        Range { low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The bits that a signed number in this range needs.
    pub fn width(self) -> u32 {
        let bits = |value: i128| 129 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
        if self.is_empty() { 1 } else { bits(self.low).max(bits(self.high)) }
    }

    fn union(self, other: Range) -> Range {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Range { low: self.low.min(other.low), high: self.high.max(other.high) },
        }
    }

    /// The range, or all of the width if the value wraps around.
    fn within(self, width: u32) -> Range {
        let all = Range::of_width(width);
        if self.low < all.low || self.high > all.high { all } else { self }
    }

    /// All values of the bits that this range needs.
    fn rounded(self) -> Range {
        Range::of_width(self.width())
    }
}

/// The values of a variable that have no more bits than the limit allows.
fn limited(range: Range, width: u32, limit: Option<u32>) -> Range {
    let Some(limit) = limit.filter(|&limit| limit < width) else { return range };
    let allowed = Range::of_width(limit);
    let cut = Range { low: range.low.max(allowed.low), high: range.high.min(allowed.high) };
    if cut.is_empty() { Range::EMPTY } else { cut }
}

/// The value of `width` bits, taken as signed.
pub fn signed(value: u64, width: u32) -> i128 {
    let unused = 64 - width;
    i128::from(((value << unused) as i64) >> unused)
}

/// The cells that each variable is read from, by the number of its node.
fn readers(symbolic: &Symbolic) -> BTreeMap<usize, Vec<CellId>> {
    let mut readers: BTreeMap<usize, Vec<CellId>> = BTreeMap::new();
    for event in &symbolic.events {
        if let EventKind::Read { targets, value, .. } = &event.kind
            && matches!(symbolic.terms.node(*value), Node::Variable(_))
        {
            readers.entry(value.index()).or_default().extend(targets.iter().map(|target| target.0));
        }
    }
    readers
}

/// By term: a variable that an operation takes as a float, or that is read from a cell which holds floats.
fn floats(symbolic: &Symbolic, readers: &BTreeMap<usize, Vec<CellId>>) -> Vec<bool> {
    use norn_logic::Conversion::{SignedToFloat, UnsignedToFloat};
    let terms = &symbolic.terms;
    let mut found = vec![false; terms.len()];
    // Operands come before what is made of them.
    for index in (0..terms.len()).rev() {
        match terms.node(terms.at(index)) {
            Node::Float(_, a, b) => [a, b].into_iter().for_each(|term| found[term.index()] = true),
            Node::Convert(SignedToFloat | UnsignedToFloat, _) => {}
            Node::Convert(_, a) => found[a.index()] = true,
            Node::Ite(_, a, b) if found[index] => [a, b].into_iter().for_each(|term| found[term.index()] = true),
            _ => {}
        }
    }
    let mut holds = vec![false; symbolic.cells.len()];
    for (variable, cells) in readers {
        cells.iter().for_each(|cell| holds[cell.index()] |= found[*variable]);
    }
    for (variable, cells) in readers {
        found[*variable] |= cells.iter().any(|cell| holds[cell.index()]);
    }
    found
}

/// What the cells can hold, given the ranges of the values that are written.
fn contents(symbolic: &Symbolic, ranges: &Ranges) -> Vec<Range> {
    let mut cells: Vec<Range> = symbolic.cells.iter().map(|cell| ranges.of(cell.initial)).collect();
    for event in &symbolic.events {
        if let EventKind::Write { targets, value, .. } = &event.kind {
            for &(cell, _) in targets {
                cells[cell.index()] = cells[cell.index()].union(ranges.of(*value));
            }
        }
    }
    cells
}

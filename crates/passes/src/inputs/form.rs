//! How a value depends on the input.

use norn_ir::instr::{BinaryOp, CastOp, CompareOp};
use norn_ir::number::narrow_to;

use super::set::{Set, mask};

/// Beyond that a value is not followed.
const MOST_PIECES: usize = 16;

#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// On each piece, the input (as a number from 0) plus a constant.
    Line(Vec<Piece>),
    /// Constant on each of these sets, which together are all inputs.
    Table(Vec<(Set, u64)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub low: u64,
    pub high: u64,
    pub plus: i128,
}

impl Piece {
    /// The part of the inputs whose value is between these.
    fn between(self, low: i128, high: i128) -> Option<Piece> {
        let low = (low - self.plus).max(i128::from(self.low));
        let high = (high - self.plus).min(i128::from(self.high));
        (low <= high).then(|| Piece { low: narrow_to(low), high: narrow_to(high), plus: self.plus })
    }
}

impl Form {
    /// The input itself.
    pub fn input(bits: u32) -> Form {
        Form::Line(vec![Piece { low: 0, high: mask(bits), plus: 0 }])
    }

    /// The pieces with the first value of each part, or the value.
    pub fn constant_on(&self, set: &Set) -> Option<u64> {
        match self {
            Form::Line(pieces) => {
                let [only] = set.members(1)?[..] else { return None };
                let piece = pieces.iter().find(|piece| piece.low <= only && only <= piece.high)?;
                Some(narrow_to(i128::from(only) + piece.plus))
            }
            Form::Table(rows) => {
                let mut values = rows.iter().filter(|row| !row.0.and(set).is_empty()).map(|row| row.1);
                let first = values.next()?;
                values.all(|value| value == first).then_some(first)
            }
        }
    }

    /// The value after a cast between integers, if it can be followed. `from` and `to` are widths.
    pub fn cast(&self, op: CastOp, from: u32, to: u32) -> Option<Form> {
        match (self, op) {
            (_, CastOp::ZeroExtend) => Some(self.clone()),
            (Form::Line(_), CastOp::Truncate) => self.low_bits(to),
            (Form::Line(pieces), CastOp::SignExtend) => {
                let half = 1i128 << (from - 1);
                let negative = (1i128 << to) - (1i128 << from);
                let parts = pieces.iter().flat_map(|piece| {
                    let upper = piece.between(half, 2 * half - 1);
                    let upper = upper.map(|p| Piece { plus: p.plus + negative, ..p });
                    piece.between(0, half - 1).into_iter().chain(upper)
                });
                line(parts.collect())
            }
            (Form::Table(_), CastOp::Truncate) => Some(self.map(|value| value & mask(to))),
            (Form::Table(_), CastOp::SignExtend) => Some(self.map(|value| {
                let negative = value >> (from - 1) & 1 != 0;
                if negative { (value | !mask(from)) & mask(to) } else { value }
            })),
            _ => None,
        }
    }

    /// The value modulo a power of two.
    pub fn low_bits(&self, bits: u32) -> Option<Form> {
        let Form::Line(pieces) = self else { return None };
        let size = 1i128 << bits;
        let mut parts = Vec::new();
        for piece in pieces {
            let (low, high) = (i128::from(piece.low) + piece.plus, i128::from(piece.high) + piece.plus);
            for turn in low / size..=high / size {
                if parts.len() > MOST_PIECES {
                    return None;
                }
                let part = piece.between(turn * size, (turn + 1) * size - 1);
                parts.extend(part.map(|p| Piece { plus: p.plus - turn * size, ..p }));
            }
        }
        line(parts)
    }

    fn map(&self, f: impl Fn(u64) -> u64) -> Form {
        match self {
            Form::Table(rows) => Form::Table(rows.iter().map(|(set, value)| (set.clone(), f(*value))).collect()),
            Form::Line(_) => self.clone(),
        }
    }

    /// A comparison with a constant, which stands on the left if so said. `bits` is the width of both.
    pub fn compare(&self, op: CompareOp, constant: u64, on_left: bool, bits: u32) -> Option<Form> {
        let truth = holds(op, constant, on_left, bits)?;
        match self {
            Form::Line(pieces) => {
                let parts = pieces.iter().flat_map(|piece| {
                    truth.iter().filter_map(|&(low, high)| piece.between(low, high)).map(|p| (p.low, p.high))
                });
                let yes = Set::of(parts.collect());
                let no = Set::of(pieces.iter().map(|p| (p.low, p.high)).collect()).without(&yes);
                Some(Form::Table(vec![(no, 0), (yes, 1)]))
            }
            Form::Table(_) => Some(self.map(|value| {
                let value = i128::from(value);
                u64::from(truth.iter().any(|&(low, high)| low <= value && value <= high))
            })),
        }
    }

    /// The inputs for which the value is this.
    pub fn inputs_of(&self, value: u64) -> Set {
        match self {
            Form::Line(pieces) => {
                let value = i128::from(value);
                Set::of(pieces.iter().filter_map(|p| p.between(value, value)).map(|p| (p.low, p.high)).collect())
            }
            Form::Table(rows) => {
                rows.iter().filter(|row| row.1 == value).fold(Set::default(), |all, row| all.or(&row.0))
            }
        }
    }

    /// The rows of a table with the same value in one.
    pub fn rows(&self) -> Vec<(u64, Set)> {
        let Form::Table(rows) = self else { return Vec::new() };
        let mut values: Vec<u64> = rows.iter().map(|row| row.1).collect();
        values.sort_unstable();
        values.dedup();
        values.into_iter().map(|value| (value, self.inputs_of(value))).collect()
    }

    /// One input of the set for each value that a remainder or mask by a small constant gives; `None` if they are more
    /// than `most`.
    pub fn reduced(&self, op: BinaryOp, constant: u64, bits: u32, set: &Set, most: usize) -> Option<Vec<u64>> {
        let Form::Line(pieces) = self else { return None };
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        // Among so many neighbours on one side of zero every value comes.
        let neighbours = match op {
            BinaryOp::And if constant < 64 => 64,
            BinaryOp::RemUnsigned if (1..=most as u64).contains(&constant) => constant,
            BinaryOp::RemSigned if (1..=most as i64).contains(&signed(constant)) => constant,
            _ => return None,
        };
        let half = 1i128 << (bits - 1);
        let mut results = Vec::new();
        let mut inputs = Vec::new();
        let sides = pieces.iter().flat_map(|p| [p.between(0, half - 1), p.between(half, 2 * half - 1)]).flatten();
        for side in sides {
            for (low, high) in set.and(&Set::of(vec![(side.low, side.high)])).intervals() {
                for input in low..=high.min(low.saturating_add(neighbours - 1)) {
                    let value = narrow_to(i128::from(input) + side.plus);
                    let result = match op {
                        BinaryOp::And => value & constant,
                        BinaryOp::RemUnsigned => value % constant,
                        _ => (signed(value) % signed(constant)) as u64,
                    };
                    if !results.contains(&result) {
                        results.push(result);
                        inputs.push(input);
                    }
                }
            }
            if results.len() > most {
                return None;
            }
        }
        Some(inputs)
    }
}

fn line(pieces: Vec<Piece>) -> Option<Form> {
    (pieces.len() <= MOST_PIECES).then_some(Form::Line(pieces))
}

/// A value that depends on two others, each a table or constant.
pub fn combine(a: &Form, b: &Form, f: impl Fn(u64, u64) -> u64) -> Option<Form> {
    let (Form::Table(a), Form::Table(b)) = (a, b) else { return None };
    let mut rows: Vec<(Set, u64)> = Vec::new();
    for (set, x) in a {
        for (other, y) in b {
            let both = set.and(other);
            if both.is_empty() {
                continue;
            }
            let value = f(*x, *y);
            match rows.iter_mut().find(|row| row.1 == value) {
                Some(row) => row.0 = row.0.or(&both),
                None => rows.push((both, value)),
            }
        }
    }
    Some(Form::Table(rows))
}

/// The numbers, from 0, for which a comparison with a constant is true.
fn holds(op: CompareOp, constant: u64, on_left: bool, bits: u32) -> Option<Vec<(i128, i128)>> {
    let top = i128::from(mask(bits));
    let half = (top + 1) / 2;
    let constant = i128::from(constant);
    let is_signed = matches!(op, CompareOp::LtSigned | CompareOp::LeSigned);
    // Signed numbers are in order if those with the highest bit come first.
    let key = if is_signed { (constant + half) % (top + 1) } else { constant };
    let found = match (op, on_left) {
        (CompareOp::Eq, _) => vec![(constant, constant)],
        (CompareOp::Ne, _) => vec![(0, constant - 1), (constant + 1, top)],
        (CompareOp::LtSigned | CompareOp::LtUnsigned, false) => vec![(0, key - 1)],
        (CompareOp::LeSigned | CompareOp::LeUnsigned, false) => vec![(0, key)],
        (CompareOp::LtSigned | CompareOp::LtUnsigned, true) => vec![(key + 1, top)],
        (CompareOp::LeSigned | CompareOp::LeUnsigned, true) => vec![(key, top)],
        _ => return None,
    };
    let back = |(low, high): (i128, i128)| {
        let negative = (low + half, high.min(half - 1) + half);
        let positive = (low.max(half) - half, high - half);
        if is_signed { [negative, positive] } else { [(low, high), (0, -1)] }
    };
    Some(found.into_iter().flat_map(back).filter(|(low, high)| low <= high).collect())
}

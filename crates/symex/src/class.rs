//! The values that the cells of a class can hold, and their encoding in few bits.
//!
//! Bits that never change are left out, and so are leading copies of the sign. A pointer is the number of a place in a
//! list, as long as all places are known and few; else its address. Where memory may be indeterminate, one more value
//! stands for that.
//!
//! An execution of the threads rests on what the classes are assumed to hold and finds out what they would hold then. If
//! that is covered by the assumption, the assumption is true of all executions: the first value that breaks it would have
//! been computed from values that do not.
//!
//! What ranges of numbers tell about a class comes from `facts`, since it takes several classes together.

use norn_logic::terms::{Known, Term, Terms};

use crate::event::{Encoding, Member, ObjectId};
use crate::range::Range;
use crate::value::{Grid, Place, Pointer};

/// A value that is put into a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    Indeterminate,
    /// What is known of the bits.
    Bits(Known),
    Member(Member),
    /// A pointer into the object, or a number, that is not known before.
    Somewhere(Option<ObjectId>),
    /// A number that is not known before; as a pointer it points nowhere in particular.
    Number,
}

#[derive(Clone, Debug)]
pub struct Class {
    /// Bits of the values in memory.
    bits: u32,
    /// It is accessed as a pointer, or as something else.
    pub pointers: bool,
    pub others: bool,
    members: Vec<Member>,
    /// The list of members is not complete.
    wide: bool,
    /// The objects that a pointer may point into if `wide` holds.
    pub objects: Vec<ObjectId>,
    indeterminate: bool,
    /// The number of executions in which the class has grown.
    growths: u32,
    /// The range of numbers that the last execution found.
    last_range: Option<Range>,
    /// How values are written in cells; stays the same during one execution.
    shape: Encoding,
    /// Nothing was found so far: the shape stands for nothing.
    is_empty: bool,
    /// What is known of all that was put into the cells during one execution.
    found: Option<Known>,
}

/// What an execution found about a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    Nothing,
    First,
    More,
}

/// A class that grows more often than this is described by its range only, if it has one; than these, by its leading zeros
/// only, and then not at all.
const FEW_GROWTHS: u32 = 2;
const SOME_GROWTHS: u32 = 4;
const MOST_GROWTHS: u32 = 7;
const MOST_MEMBERS: usize = 64;
/// The 64-bit value that is taken for indeterminate content where no other is left; not one that programs use.
const MARK: u64 = 0x9e3d_51c7_6b08_f2a5;

impl Class {
    pub fn new(bits: u32) -> Class {
        Class {
            bits,
            pointers: false,
            others: false,
            members: Vec::new(),
            wide: false,
            objects: Vec::new(),
            indeterminate: false,
            growths: 0,
            last_range: None,
            shape: Encoding::Bits { varying: 0, ones: 0, indeterminate: false },
            is_empty: true,
            found: None,
        }
    }

    /// Before an execution.
    pub fn begin(&mut self) {
        self.found = None;
        if self.uses_members() {
            self.shape = Encoding::Members { members: self.members.clone(), indeterminate: self.indeterminate };
        }
    }

    /// After an execution, with the range of numbers that it found: whether that is the first that was found, or more than
    /// was assumed.
    pub fn news(&self, range: Option<Range>) -> News {
        match self.wanted(range) {
            Some(wanted) if self.is_empty && self.shape != wanted => News::First,
            Some(wanted) if !self.is_empty && join(&self.shape, &wanted, self.bits) != self.shape => News::More,
            _ => News::Nothing,
        }
    }

    /// After an execution, likewise: the assumptions of the next one. What was found is covered by them, or more if it is
    /// widened.
    pub fn end(&mut self, range: Option<Range>, widen: bool) {
        let news = self.news(range);
        let Some(wanted) = self.wanted(range) else { return };
        if std::mem::take(&mut self.is_empty) {
            self.shape = wanted;
        } else if news == News::More {
            self.growths += 1;
            let is_settled = widen || range == self.last_range;
            let wanted = match range.filter(|range| range.fits(self.bits)) {
                // What is known of bits grows bit by bit with a counter; its range does not.
                Some(range) if self.growths > FEW_GROWTHS && is_settled => by_range(range, self.indeterminate),
                _ => wanted,
            };
            let joined = join(&self.shape, &wanted, self.bits);
            self.shape = if widen { widened(joined, self.growths, self.bits) } else { joined };
        }
        self.last_range = range;
    }

    /// How what was found would be written, if it is not as members.
    fn wanted(&self, range: Option<Range>) -> Option<Encoding> {
        if self.uses_members() {
            return None;
        }
        let range = range.filter(|range| range.fits(self.bits));
        let whole = mask(self.bits);
        let indeterminate = self.indeterminate;
        let known = self.found.or(indeterminate.then_some(Known { zeros: whole, ones: 0 }))?;
        let (mut zeros, ones) = (known.zeros & whole, known.ones & whole);
        match range {
            Some(range) if range.low >= 0 => zeros |= whole & !mask(range.unsigned_bits()),
            Some(range) if range.signed_bits() < (whole & !(zeros | ones)).count_ones() => {
                return Some(Encoding::Signed { bits: range.signed_bits(), indeterminate });
            }
            _ => {}
        }
        Some(Encoding::Bits { varying: whole & !(zeros | ones), ones: ones & !zeros, indeterminate })
    }

    /// Whether pointers are to be written as members.
    fn uses_members(&self) -> bool {
        self.pointers && !self.others && !self.wide
    }

    /// One access may touch both: whether either is to be written in another way from now on.
    pub fn absorb(&mut self, other: &Class) -> bool {
        self.bits = self.bits.max(other.bits);
        self.pointers |= other.pointers;
        self.others |= other.others;
        self.wide |= other.wide;
        self.indeterminate |= other.indeterminate;
        self.growths = self.growths.max(other.growths);
        self.found = match (self.found, other.found) {
            (Some(a), Some(b)) => Some(common(a, b)),
            (a, b) => a.or(b),
        };
        for &member in &other.members {
            self.add_member(member);
        }
        for &object in &other.objects {
            self.add_object(object);
        }
        let joined = match (self.is_empty, other.is_empty) {
            (true, _) => other.shape.clone(),
            (_, true) => self.shape.clone(),
            _ => join(&self.shape, &other.shape, self.bits),
        };
        let changes = joined != self.shape || joined != other.shape;
        self.is_empty &= other.is_empty;
        self.shape = joined;
        changes
    }

    /// Notes that it is accessed as a pointer or not; whether that is new.
    pub fn accessed(&mut self, as_pointer: bool) -> bool {
        let flag = if as_pointer { &mut self.pointers } else { &mut self.others };
        // A class of numbers is as it was made.
        !std::mem::replace(flag, true) && (as_pointer || self.pointers)
    }

    /// Whether that is new.
    pub fn add(&mut self, content: &Content) -> bool {
        match *content {
            Content::Indeterminate => !std::mem::replace(&mut self.indeterminate, true),
            Content::Bits(known) => {
                self.found = Some(self.found.map_or(known, |old| common(old, known)));
                false
            }
            Content::Member(member) => self.add_member(member),
            Content::Somewhere(object) => {
                let grown = !std::mem::replace(&mut self.wide, true);
                let more = object.is_some_and(|object| self.add_object(object));
                more || grown
            }
            Content::Number if self.pointers => !std::mem::replace(&mut self.wide, true),
            Content::Number => false,
        }
    }

    fn add_member(&mut self, member: Member) -> bool {
        let mut grown = false;
        if self.members.len() <= MOST_MEMBERS && !self.members.contains(&member) {
            self.members.push(member);
            // Nobody asks for the members of a value that is not a pointer.
            grown = self.uses_members();
            self.wide |= self.members.len() > MOST_MEMBERS;
        }
        if let Some(object) = member.object {
            grown |= self.add_object(object) && !self.uses_members();
        }
        grown
    }

    fn add_object(&mut self, object: ObjectId) -> bool {
        match self.objects.binary_search(&object) {
            Ok(_) => false,
            Err(at) => {
                self.objects.insert(at, object);
                true
            }
        }
    }

    pub fn encoding(&self) -> &Encoding {
        &self.shape
    }

    /// The width of a cell in bits.
    pub fn width(&self) -> u32 {
        match &self.shape {
            Encoding::Bits { varying, indeterminate, .. } => {
                (varying.count_ones() + u32::from(*indeterminate)).clamp(1, 64)
            }
            Encoding::Signed { bits, indeterminate } => bits + u32::from(*indeterminate),
            Encoding::Members { members, indeterminate } => {
                let values = members.len() + usize::from(*indeterminate);
                usize::BITS - values.saturating_sub(1).leading_zeros().min(usize::BITS - 1)
            }
        }
    }

    /// Whether there is only one value.
    pub fn is_constant(&self) -> bool {
        match &self.shape {
            Encoding::Bits { varying, indeterminate, .. } => *varying == 0 && !indeterminate,
            Encoding::Signed { .. } => false,
            Encoding::Members { members, indeterminate } => members.len() + usize::from(*indeterminate) <= 1,
        }
    }

    /// Whether pointers are written as members, so that they keep their objects.
    pub fn has_members(&self) -> bool {
        matches!(self.shape, Encoding::Members { .. })
    }

    pub fn is_indeterminate(&self) -> bool {
        match self.shape {
            Encoding::Bits { indeterminate, .. }
            | Encoding::Signed { indeterminate, .. }
            | Encoding::Members { indeterminate, .. } => indeterminate,
        }
    }

    /// The numbers that its values stand for.
    pub fn range(&self) -> Option<Range> {
        match self.shape {
            Encoding::Bits { varying, ones, .. } => {
                let most = i64::try_from(varying | ones).ok().filter(|most| most >> (self.bits - 1) == 0)?;
                Some(Range { low: ones as i64, high: most })
            }
            Encoding::Signed { bits, .. } => Some(Range::signed(bits)),
            Encoding::Members { .. } => None,
        }
    }

    /// Whether all values are taken, so that one of them stands for indeterminate content as well.
    pub fn is_too_wide(&self) -> bool {
        matches!(self.shape, Encoding::Bits { varying: u64::MAX, indeterminate: true, .. })
    }

    pub fn value_bits(&self) -> u32 {
        self.bits
    }

    /// The value that stands for indeterminate content.
    pub fn indeterminate(&self, terms: &mut Terms) -> Term {
        let width = self.width();
        match &self.shape {
            Encoding::Bits { .. } if self.is_too_wide() => terms.bits(width, MARK),
            Encoding::Bits { .. } | Encoding::Signed { .. } => terms.bits(width, 1 << (width - 1)),
            Encoding::Members { members, .. } => terms.bits(width, members.len() as u64),
        }
    }

    /// Bits as a value of a cell.
    pub fn encode_bits(&self, terms: &mut Terms, value: Term) -> Term {
        let width = self.width();
        let packed = match self.shape {
            Encoding::Members { .. } => None,
            Encoding::Signed { bits, .. } => Some(terms.extract(value, 0, bits)),
            Encoding::Bits { varying, .. } => {
                let mut packed: Option<Term> = None;
                for (low, length) in runs(varying) {
                    let part = terms.extract(value, low, length);
                    packed = Some(packed.map_or(part, |lower| terms.concat(part, lower)));
                }
                packed
            }
        };
        match packed {
            None => terms.bits(width, 0),
            Some(packed) if terms.width(packed) < width => terms.zext(packed, width),
            Some(packed) => packed,
        }
    }

    /// The number of a member, as a value of a cell.
    pub fn encode_member(&self, terms: &mut Terms, member: Member) -> Term {
        let width = self.width();
        let index = match &self.shape {
            Encoding::Members { members, .. } => members.iter().position(|&m| m == member).unwrap_or(0),
            Encoding::Bits { .. } | Encoding::Signed { .. } => 0,
        };
        terms.bits(width, index as u64)
    }

    /// Whether a value of a cell stands for indeterminate content.
    pub fn is_indeterminate_value(&self, terms: &mut Terms, value: Term) -> Term {
        if !self.is_indeterminate() {
            return Term::FALSE;
        }
        match &self.shape {
            Encoding::Bits { .. } if self.is_too_wide() => {
                let mark = terms.bits(64, MARK);
                terms.eq(value, mark)
            }
            Encoding::Bits { .. } | Encoding::Signed { .. } => {
                let top = terms.extract(value, terms.width(value) - 1, 1);
                terms.to_bool(top)
            }
            Encoding::Members { members, .. } => {
                let number = terms.bits(terms.width(value), members.len() as u64);
                terms.eq(value, number)
            }
        }
    }

    /// The bits that a value of a cell stands for.
    pub fn decode_bits(&self, terms: &mut Terms, value: Term) -> Term {
        let (varying, ones) = match self.shape {
            Encoding::Members { .. } => return terms.bits(self.bits, 0),
            Encoding::Signed { bits, .. } => {
                let number = terms.extract(value, 0, bits);
                return terms.sext(number, self.bits);
            }
            Encoding::Bits { varying, ones, .. } => (varying, ones),
        };
        let mut parts = Vec::new();
        let (mut at, mut taken) = (0, 0);
        for (low, length) in runs(varying) {
            if low > at {
                parts.push(terms.bits(low - at, ones >> at));
            }
            parts.push(terms.extract(value, taken, length));
            taken += length;
            at = low + length;
        }
        if at < self.bits {
            parts.push(terms.bits(self.bits - at, ones >> at));
        }
        parts.into_iter().reduce(|low, high| terms.concat(high, low)).unwrap_or_else(|| terms.bits(self.bits, 0))
    }

    /// The pointer that a value of a cell stands for, if it is written as a member.
    pub fn decode_members(&self, terms: &mut Terms, value: Term, pointer_bits: u32) -> Option<Pointer> {
        let Encoding::Members { members, .. } = &self.shape else { return None };
        if members.is_empty() {
            return Some(Pointer::number(terms.bits(pointer_bits, 0)));
        }
        let width = terms.width(value);
        let mut places = Vec::with_capacity(members.len());
        let mut others = Term::FALSE;
        for (i, member) in members.iter().enumerate() {
            // One of them it is: the last needs no test.
            let condition = if i + 1 == members.len() {
                !others
            } else {
                let number = terms.bits(width, i as u64);
                terms.eq(value, number)
            };
            others = terms.or(others, condition);
            let offset = terms.bits(pointer_bits, member.offset);
            let grid = Grid::constant(member.offset as i64);
            places.push(Place { condition, object: member.object, offset, grid });
        }
        Pointer::from_places(terms, places)
    }
}

/// An encoding that covers both.
fn join(a: &Encoding, b: &Encoding, bits: u32) -> Encoding {
    use Encoding::{Bits, Members, Signed};
    let whole = mask(bits);
    match (a, b) {
        (Bits { varying, ones, indeterminate }, Bits { varying: v, ones: o, indeterminate: i }) => {
            let varying = (varying | v | (ones ^ o)) & whole;
            Bits { varying, ones: ones & !varying, indeterminate: indeterminate | i }
        }
        (&Signed { bits: n, indeterminate }, &Signed { bits: m, indeterminate: i }) => {
            Signed { bits: n.max(m), indeterminate: indeterminate | i }
        }
        (&Signed { bits: n, indeterminate }, &Bits { varying, ones, indeterminate: i })
        | (&Bits { varying, ones, indeterminate: i }, &Signed { bits: n, indeterminate }) => {
            let used = 64 - (varying | ones).leading_zeros();
            let indeterminate = indeterminate | i;
            if used < bits && used.max(n) + 1 < bits {
                Signed { bits: n.max(used + 1), indeterminate }
            } else {
                Bits { varying: whole, ones: 0, indeterminate }
            }
        }
        // Pointers that are numbers as well start over with what is found of their bits.
        (Members { .. }, Members { .. }) => a.clone(),
        (Members { .. }, other) | (other, Members { .. }) => other.clone(),
    }
}

fn by_range(range: Range, indeterminate: bool) -> Encoding {
    if range.low < 0 {
        return Encoding::Signed { bits: range.signed_bits(), indeterminate };
    }
    Encoding::Bits { varying: mask(range.unsigned_bits()), ones: 0, indeterminate }
}

fn widened(encoding: Encoding, growths: u32, bits: u32) -> Encoding {
    if growths <= SOME_GROWTHS {
        return encoding;
    }
    let whole = mask(bits);
    match encoding {
        Encoding::Bits { varying, ones, indeterminate } => {
            let used = 64 - (varying | ones).leading_zeros();
            let kept = [8, 16, 32, 48].into_iter().find(|&kept| kept >= used && growths <= MOST_GROWTHS);
            Encoding::Bits { varying: whole & kept.map_or(u64::MAX, mask), ones: 0, indeterminate }
        }
        Encoding::Signed { indeterminate, .. } => Encoding::Bits { varying: whole, ones: 0, indeterminate },
        Encoding::Members { .. } => encoding,
    }
}

pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn common(a: Known, b: Known) -> Known {
    Known { zeros: a.zeros & b.zeros, ones: a.ones & b.ones }
}

/// The runs of ones: where each begins and how long it is.
fn runs(bits: u64) -> impl Iterator<Item = (u32, u32)> {
    let mut left = bits;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let low = left.trailing_zeros();
        let length = (left >> low).trailing_ones();
        left &= !(mask(length) << low);
        Some((low, length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_differ_vary_where_they_do() {
        let constant = |ones: u64| Encoding::Bits { varying: 0, ones, indeterminate: false };
        let Encoding::Bits { varying, ones, .. } = join(&constant(0b1100), &constant(0b1010), 8) else {
            panic!("bits should stay bits")
        };
        assert_eq!((varying, ones), (0b0110, 0b1000));
    }
}

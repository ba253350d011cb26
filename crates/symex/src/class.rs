//! What the cells of a class can hold, and how that is written down in few bits.
//!
//! Bits that never change are left out. A pointer is the number of a place in a list, as long as all places are known
//! and few; else its address. Where memory may be indeterminate, one more value stands for that.

use norn_logic::terms::{Known, Term, Terms};

use crate::event::{Encoding, Member, ObjectId};
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
    /// Of the values in memory.
    bits: u32,
    /// It is accessed as a pointer, or as something else.
    pub pointers: bool,
    pub others: bool,
    known: Option<Known>,
    /// What was known when the shape was fixed.
    settled: Option<Known>,
    members: Vec<Member>,
    /// The members are not all.
    wide: bool,
    /// Those that a wide pointer may point into.
    pub objects: Vec<ObjectId>,
    indeterminate: bool,
    /// From how many executions to the next it grew.
    growths: u32,
    /// How values are written in cells; stays the same during one execution.
    shape: Encoding,
}

/// A class that grows more often loses what is known of it.
const MOST_GROWTHS: u32 = 4;
const UNKNOWN: Known = Known { zeros: 0, ones: 0 };
const MOST_MEMBERS: usize = 64;

impl Class {
    pub fn new(bits: u32) -> Class {
        Class {
            bits,
            pointers: false,
            others: false,
            known: None,
            settled: None,
            members: Vec::new(),
            wide: false,
            objects: Vec::new(),
            indeterminate: false,
            growths: 0,
            shape: Encoding::Members { members: Vec::new(), indeterminate: false },
        }
    }

    /// Fixes the shape for an execution.
    pub fn settle(&mut self) {
        if self.known != self.settled {
            self.growths += 1;
            if self.growths > MOST_GROWTHS {
                self.known = Some(UNKNOWN);
            }
            self.settled = self.known;
        }
        self.shape = if self.uses_members() {
            Encoding::Members { members: self.members.clone(), indeterminate: self.indeterminate }
        } else {
            let known = self.known.unwrap_or(Known { zeros: mask(self.bits), ones: 0 });
            let varying = mask(self.bits) & !(known.zeros | known.ones);
            Encoding::Bits { varying, ones: known.ones & mask(self.bits), indeterminate: self.indeterminate }
        };
    }

    /// Whether values are and will be written in the same way.
    pub fn is_like(&self, other: &Class) -> bool {
        let next = |class: &Class| {
            let mut class = class.clone();
            class.settle();
            class.shape
        };
        self.shape == other.shape && next(self) == next(other) && self.objects == other.objects
    }

    pub fn absorb(&mut self, other: &Class) {
        self.bits = self.bits.max(other.bits);
        self.pointers |= other.pointers;
        self.others |= other.others;
        self.wide |= other.wide;
        self.indeterminate |= other.indeterminate;
        self.growths = self.growths.max(other.growths);
        self.known = match (self.known, other.known) {
            (Some(a), Some(b)) => Some(common(a, b)),
            (a, b) => a.or(b),
        };
        for &member in &other.members {
            self.add_member(member);
        }
        for &object in &other.objects {
            self.add_object(object);
        }
    }

    /// Notes that it is accessed as a pointer or not; whether that is new.
    pub fn accessed(&mut self, as_pointer: bool) -> bool {
        let flag = if as_pointer { &mut self.pointers } else { &mut self.others };
        !std::mem::replace(flag, true)
    }

    /// Whether that is new.
    pub fn add(&mut self, content: &Content) -> bool {
        match *content {
            Content::Indeterminate => !std::mem::replace(&mut self.indeterminate, true),
            Content::Bits(known) => self.add_known(known),
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

    fn add_known(&mut self, known: Known) -> bool {
        let joined = match (self.known, self.growths > MOST_GROWTHS) {
            (_, true) => UNKNOWN,
            (Some(old), _) => common(old, known),
            (None, _) => known,
        };
        let grown = self.known != Some(joined);
        self.known = Some(joined);
        grown && !self.uses_members()
    }

    /// Whether pointers are to be written as members.
    fn uses_members(&self) -> bool {
        self.pointers && !self.others && !self.wide
    }

    fn add_member(&mut self, member: Member) -> bool {
        let mut grown = false;
        if self.members.len() <= MOST_MEMBERS && !self.members.contains(&member) {
            self.members.push(member);
            // Of what is no pointer, nobody asks for members.
            grown = self.uses_members();
            if self.members.len() > MOST_MEMBERS && !self.wide {
                self.wide = true;
            }
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

    /// How wide the values in cells are.
    pub fn width(&self) -> u32 {
        match &self.shape {
            Encoding::Bits { varying, indeterminate, .. } => {
                (varying.count_ones() + u32::from(*indeterminate)).clamp(1, 64)
            }
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
            Encoding::Members { members, indeterminate } => members.len() + usize::from(*indeterminate) <= 1,
        }
    }

    /// Whether pointers are written as members, so that they keep their objects.
    pub fn has_members(&self) -> bool {
        matches!(self.shape, Encoding::Members { .. })
    }

    pub fn is_indeterminate(&self) -> bool {
        match self.shape {
            Encoding::Bits { indeterminate, .. } | Encoding::Members { indeterminate, .. } => indeterminate,
        }
    }

    /// Whether 64 bits are not enough.
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
            Encoding::Bits { .. } => terms.bits(width, 1 << (width - 1)),
            Encoding::Members { members, .. } => terms.bits(width, members.len() as u64),
        }
    }

    /// Bits as a value of a cell.
    pub fn encode_bits(&self, terms: &mut Terms, value: Term) -> Term {
        let width = self.width();
        let Encoding::Bits { varying, .. } = self.shape else { return terms.bits(width, 0) };
        let mut packed: Option<Term> = None;
        for (low, length) in runs(varying) {
            if low + length > terms.width(value) {
                break;
            }
            let part = terms.extract(value, low, length);
            packed = Some(packed.map_or(part, |lower| terms.concat(part, lower)));
        }
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
            Encoding::Bits { .. } => 0,
        };
        terms.bits(width, index as u64)
    }

    /// Whether a value of a cell stands for indeterminate content.
    pub fn is_indeterminate_value(&self, terms: &mut Terms, value: Term) -> Term {
        if !self.is_indeterminate() {
            return Term::FALSE;
        }
        match &self.shape {
            Encoding::Bits { .. } => {
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
        let Encoding::Bits { varying, ones, .. } = self.shape else { return terms.bits(self.bits, 0) };
        let mut parts = Vec::new();
        let (mut at, mut taken) = (0, 0);
        for (low, length) in runs(varying) {
            if low > at {
                parts.push(terms.bits(low - at, ones >> at));
            }
            if taken + length > terms.width(value) {
                break;
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

//! What registers and private memory hold: bits, or a pointer with the objects that it may point into.
//!
//! A pointer is a list of places that exclude each other, one of which it is. It has no address of its own: that is made
//! from the places where a program asks for it.

use std::rc::Rc;

use norn_logic::terms::{Term, Terms};

use crate::event::ObjectId;

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A Boolean or a bit-vector term.
    Bits(Term),
    Pointer(Pointer),
}

/// Never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Pointer(Rc<[Place]>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The pointer is this place iff this holds.
    pub condition: Term,
    /// `None`: a number, which includes null and the addresses of functions.
    pub object: Option<ObjectId>,
    /// As wide as a pointer: the offset in the object, or the number.
    pub offset: Term,
    /// What is known of the offset.
    pub grid: Grid,
}

/// The offsets `first + n * step`, taken as signed; a single one if `step` is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    pub first: i64,
    pub step: u64,
}

/// More offsets in one object than this become one symbolic offset.
const MOST_OFFSETS: usize = 16;
/// More pairs of places than this are compared by address.
const MOST_PAIRS: usize = 256;

impl Grid {
    pub const ANY: Grid = Grid { first: 0, step: 1 };

    pub fn constant(offset: i64) -> Grid {
        Grid { first: offset, step: 0 }
    }

    fn plus(self, other: Grid) -> Grid {
        Grid { first: self.first.wrapping_add(other.first), step: gcd(self.step, other.step) }.normal()
    }

    fn join(self, other: Grid) -> Grid {
        let step = gcd(gcd(self.step, other.step), self.first.abs_diff(other.first));
        Grid { first: self.first, step }.normal()
    }

    fn normal(self) -> Grid {
        match i64::try_from(self.step) {
            Ok(0) => self,
            Ok(step) => Grid { first: self.first.rem_euclid(step), step: self.step },
            Err(_) => Grid::ANY,
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Pointer {
    pub fn places(&self) -> &[Place] {
        &self.0
    }

    pub fn number(number: Term) -> Pointer {
        let place = Place { condition: Term::TRUE, object: None, offset: number, grid: Grid::ANY };
        Pointer(Rc::new([place]))
    }

    pub fn object(terms: &mut Terms, width: u32, object: ObjectId, offset: u64) -> Pointer {
        let place = Place {
            condition: Term::TRUE,
            object: Some(object),
            offset: terms.bits(width, offset),
            grid: Grid::constant(sign_extended(offset, width)),
        };
        Pointer(Rc::new([place]))
    }

    /// A pointer made of places that exclude each other and of which one holds. `None` if there are no places.
    pub fn from_places(terms: &mut Terms, places: Vec<Place>) -> Option<Pointer> {
        let mut merged: Vec<Place> = Vec::with_capacity(places.len());
        for place in places {
            if place.condition == Term::FALSE {
                continue;
            }
            let same = |p: &&mut Place| p.object == place.object && p.offset == place.offset;
            match merged.iter_mut().find(same) {
                Some(known) => known.condition = terms.or(known.condition, place.condition),
                None => merged.push(place),
            }
        }
        if let [only] = &mut merged[..] {
            only.condition = Term::TRUE;
        }
        if merged.len() > MOST_OFFSETS {
            merged = by_object(terms, &merged);
        }
        (!merged.is_empty()).then(|| Pointer(merged.into()))
    }

    pub fn ite(terms: &mut Terms, condition: Term, then: &Pointer, otherwise: &Pointer) -> Pointer {
        if then == otherwise || condition == Term::TRUE {
            return then.clone();
        }
        if condition == Term::FALSE {
            return otherwise.clone();
        }
        let mut places = Vec::with_capacity(then.0.len() + otherwise.0.len());
        let same = |a: &Place, b: &Place| a.object == b.object && a.offset == b.offset;
        for place in then.0.iter() {
            let other = otherwise.0.iter().find(|p| same(p, place)).map_or(Term::FALSE, |p| p.condition);
            places.push(Place { condition: terms.ite(condition, place.condition, other), ..*place });
        }
        for place in otherwise.0.iter().filter(|place| !then.0.iter().any(|p| same(p, place))) {
            let condition = terms.and(!condition, place.condition);
            places.push(Place { condition, ..*place });
        }
        Pointer::from_places(terms, places).unwrap_or_else(|| then.clone())
    }

    /// The pointer moved by `bytes`, a term of which `grid` tells what is known.
    pub fn plus(&self, terms: &mut Terms, bytes: Term, grid: Grid) -> Pointer {
        let width = terms.width(bytes);
        let moved = |place: &Place, terms: &mut Terms| {
            let offset = terms.add(place.offset, bytes);
            let grid = match terms.as_bits(offset) {
                Some(constant) => Grid::constant(sign_extended(constant, width)),
                None => place.grid.plus(grid),
            };
            Place { offset, grid, ..*place }
        };
        let places = self.0.iter().map(|place| moved(place, terms)).collect();
        Pointer::from_places(terms, places).unwrap_or_else(|| self.clone())
    }

    pub fn address(&self, terms: &mut Terms, base: &dyn Fn(ObjectId) -> u64) -> Term {
        let mut address = None;
        for place in self.0.iter().rev() {
            let here = place.address(terms, base);
            address = Some(match address {
                None => here,
                Some(rest) => terms.ite(place.condition, here, rest),
            });
        }
        address.expect("a pointer should have a place")
    }

    /// Whether two pointers are the same address.
    pub fn equals(&self, terms: &mut Terms, other: &Pointer, base: &dyn Fn(ObjectId) -> u64) -> Term {
        if self == other {
            return Term::TRUE;
        }
        if self.0.len() * other.0.len() > MOST_PAIRS {
            let (a, b) = (self.address(terms, base), other.address(terms, base));
            return terms.eq(a, b);
        }
        let mut any = Term::FALSE;
        for a in self.0.iter() {
            for b in other.0.iter() {
                let same = if a.object.is_some() && a.object == b.object {
                    terms.eq(a.offset, b.offset)
                } else {
                    let (x, y) = (a.address(terms, base), b.address(terms, base));
                    terms.eq(x, y)
                };
                let conditions = terms.and(a.condition, b.condition);
                let both = terms.and(conditions, same);
                any = terms.or(any, both);
            }
        }
        any
    }

    /// The difference in bytes.
    pub fn minus(&self, terms: &mut Terms, other: &Pointer, base: &dyn Fn(ObjectId) -> u64) -> Term {
        if let ([a], [b]) = (&self.0[..], &other.0[..])
            && a.object == b.object
        {
            return terms.sub(a.offset, b.offset);
        }
        let (a, b) = (self.address(terms, base), other.address(terms, base));
        terms.sub(a, b)
    }

    /// The pointer without the places that are not `possible`; if none is, the pointer as it is.
    pub fn only(&self, terms: &mut Terms, possible: impl Fn(ObjectId) -> bool) -> Pointer {
        let kept = |place: &&Place| place.object.is_none_or(&possible);
        let mut places: Vec<Place> = self.0.iter().filter(kept).copied().collect();
        if places.len() == self.0.len() {
            return self.clone();
        }
        // One of the rest it is.
        if let Some((last, others)) = places.split_last_mut() {
            last.condition = !terms.any(others.iter().map(|place| place.condition));
        }
        Pointer::from_places(terms, places).unwrap_or_else(|| self.clone())
    }

    pub fn has_objects(&self) -> bool {
        self.0.iter().any(|place| place.object.is_some())
    }
}

impl Place {
    pub fn address(&self, terms: &mut Terms, base: &dyn Fn(ObjectId) -> u64) -> Term {
        match self.object {
            None => self.offset,
            Some(object) => {
                let width = terms.width(self.offset);
                let base = terms.bits(width, base(object));
                terms.add(self.offset, base)
            }
        }
    }
}

pub fn sign_extended(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// One place per object.
fn by_object(terms: &mut Terms, places: &[Place]) -> Vec<Place> {
    let mut merged: Vec<Place> = Vec::new();
    for place in places {
        match merged.iter_mut().find(|p| p.object == place.object) {
            None => merged.push(*place),
            Some(known) => {
                known.offset = terms.ite(place.condition, place.offset, known.offset);
                known.condition = terms.or(known.condition, place.condition);
                known.grid = known.grid.join(place.grid);
            }
        }
    }
    merged
}

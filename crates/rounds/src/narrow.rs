//! Terms with only as many bits as their values need.
//!
//! The terms of an event list are as wide as their C types. Here each is built anew with the width of its range
//! ([`crate::ranges`]): the original is the sign extension of the narrow one. Sums, products and bitwise operations need the
//! low bits of their operands only; comparisons keep their meaning under sign extension, the unsigned ones too. Divisions
//! and shifts by variable amounts are done at full width unless their operands are known not to be negative; operations on
//! floats always are.

use crate::ranges::{Range, Ranges, signed};
use norn_ir::number::low_64;
use norn_logic::{Node, Sort, Term, Terms};

/// The terms of a formula, and those of the event list that have been built in it.
pub struct Narrow<'a> {
    pub terms: Terms,
    source: &'a Terms,
    ranges: Ranges,
    built: Vec<Option<Term>>,
    /// By term of the event list: one that was asked for as a condition.
    asked: Vec<bool>,
}

impl<'a> Narrow<'a> {
    pub fn new(source: &'a Terms, ranges: Ranges) -> Narrow<'a> {
        Narrow {
            terms: Terms::new(),
            source,
            ranges,
            built: vec![None; source.len()],
            asked: vec![false; source.len()],
        }
    }

    /// Some variable was limited to fewer values than it can have.
    pub fn is_limited(&self) -> bool {
        self.ranges.any_limited()
    }

    /// A variable of the event list was limited to fewer values than it can have.
    pub fn is_limited_variable(&self, variable: Term) -> bool {
        self.ranges.is_limited(variable)
    }

    /// A variable of the event list has no value at all.
    pub fn is_impossible(&self, variable: Term) -> bool {
        self.ranges.is_limited(variable) && self.ranges.of(variable).is_empty()
    }

    /// The most bits that a variable of the event list needs.
    pub fn widest(&self) -> u32 {
        let terms = (0..self.source.len()).map(|index| self.source.at(index));
        let variables =
            terms.filter(|&term| matches!(self.source.node(term), Node::Variable(_)) && self.source.width(term) > 0);
        variables.map(|term| self.ranges.of(term).width().min(self.source.width(term))).max().unwrap_or(0)
    }

    /// The Boolean terms of the event list that were asked for.
    pub fn conditions(&self) -> impl Iterator<Item = Term> {
        let terms = (0..self.source.len()).map(|index| self.source.at(index));
        terms.zip(&self.asked).filter(|(_, asked)| **asked).map(|(term, _)| term)
    }

    /// A Boolean term.
    pub fn bool(&mut self, term: Term) -> Term {
        self.asked[term.index()] = true;
        self.build(term);
        self.done(term)
    }

    /// A bit-vector term, as wide as its values need.
    pub fn bits(&mut self, term: Term) -> Term {
        self.build(term);
        self.done(term)
    }

    /// The low bits of a term that is built, or its sign extension.
    pub fn resize(&mut self, term: Term, width: u32) -> Term {
        let has = self.terms.width(term);
        if width <= has { self.terms.extract(term, 0, width) } else { self.terms.sext(term, width) }
    }

    /// The value of a variable of the event list, given the values of the variables here. One that was never needed is 0.
    pub fn value_of(&self, variable: Term, value: &dyn Fn(Term) -> u64) -> u64 {
        let Some(built) = self.built[variable.index()] else { return 0 };
        let width = self.terms.width(built);
        let found = self.terms.evaluate(built, &mut Default::default(), value);
        if width == 0 { found } else { low_64(signed(found, width)) & mask(self.source.width(variable)) }
    }

    /// The variable here that stands for a variable of the event list, and its value; nothing if there is none. An error if
    /// the value is not one that it can have.
    pub fn narrowed(&self, variable: Term, value: u64) -> Result<Option<(Term, u64)>, ()> {
        let Some(built) = self.built[variable.index()] else { return Ok(None) };
        let fits = self.value_of(variable, &|_| value) == value;
        match self.terms.node(built) {
            _ if !fits => Err(()),
            Node::Variable(_) => Ok(Some((built, value))),
            Node::Zext(below) => Ok(Some((below, value))),
            _ => Ok(None),
        }
    }

    fn done(&self, term: Term) -> Term {
        let built = self.built[term.index()].expect("a term should be built after its operands");
        if term.is_negated() { !built } else { built }
    }

    /// Builds a term and all that it is made of, without recursion.
    fn build(&mut self, term: Term) {
        let mut pending = vec![term.positive()];
        while let Some(&next) = pending.last() {
            if self.built[next.index()].is_some() {
                pending.pop();
                continue;
            }
            let node = self.source.node(next);
            let before = pending.len();
            pending.extend(node.operands().map(Term::positive).filter(|operand| self.built[operand.index()].is_none()));
            if pending.len() == before {
                let built = self.translate(next, &node);
                self.built[next.index()] = Some(built);
                pending.pop();
            }
        }
    }

    fn translate(&mut self, term: Term, node: &Node) -> Term {
        let width = self.source.width(term);
        if width == 0 {
            return self.translate_bool(node);
        }
        let range = self.ranges.of(term);
        let narrow = range.width().min(width);
        if range.low == range.high {
            return self.terms.bits(narrow, low_64(range.low));
        }
        match *node {
            Node::Bits(value) => self.terms.bits(narrow, value),
            Node::Variable(_) => self.variable(range, narrow),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.done(c), self.at(a, narrow), self.at(b, narrow));
                self.terms.ite(c, a, b)
            }
            Node::Add(a, b) => self.binary(narrow, a, b, Terms::add),
            Node::Sub(a, b) => self.binary(narrow, a, b, Terms::sub),
            Node::Mul(a, b) => self.binary(narrow, a, b, Terms::mul),
            Node::BitAnd(a, b) => self.binary(narrow, a, b, Terms::bit_and),
            Node::BitOr(a, b) => self.binary(narrow, a, b, Terms::bit_or),
            Node::BitXor(a, b) => self.binary(narrow, a, b, Terms::bit_xor),
            Node::BitNot(a) => {
                let a = self.at(a, narrow);
                self.terms.bit_not(a)
            }
            Node::Udiv(a, b) => self.divide(narrow, width, a, b, Terms::udiv),
            Node::Urem(a, b) => self.divide(narrow, width, a, b, Terms::urem),
            Node::Shl(a, b) => self.wide(narrow, width, a, b, Terms::shl),
            Node::Lshr(a, b) => self.wide(narrow, width, a, b, Terms::lshr),
            Node::Ashr(a, b) => self.wide(narrow, width, a, b, Terms::ashr),
            Node::Zext(a) if self.ranges.of(a).low >= 0 => self.at(a, narrow),
            Node::Zext(a) => {
                let whole = self.at(a, self.source.width(a));
                let extended = self.terms.zext(whole, width);
                self.resize(extended, narrow)
            }
            Node::Sext(a) => self.at(a, narrow),
            Node::Extract(a, low) => {
                let upto = self.at(a, low + narrow);
                self.terms.extract(upto, low, narrow)
            }
            Node::Concat(high, low) => {
                let low_width = self.source.width(low);
                if narrow <= low_width {
                    return self.at(low, narrow);
                }
                let (high, low) = (self.at(high, narrow - low_width), self.at(low, low_width));
                self.terms.concat(high, low)
            }
            // The bits of a float are no number.
            Node::Float(op, a, b) => {
                let (a, b) = (self.at(a, width), self.at(b, width));
                let whole = self.terms.float(op, a, b);
                self.resize(whole, narrow)
            }
            Node::Convert(conversion, a) => {
                let a = self.at(a, self.source.width(a));
                let whole = self.terms.convert(conversion, a, width);
                self.resize(whole, narrow)
            }
            Node::True
            | Node::Not(_)
            | Node::And(..)
            | Node::Xor(..)
            | Node::Eq(..)
            | Node::Ult(..)
            | Node::Slt(..) => {
                unreachable!("a bit-vector term should not be Boolean")
            }
        }
    }

    fn translate_bool(&mut self, node: &Node) -> Term {
        match *node {
            Node::True => Term::TRUE,
            Node::Variable(_) => self.terms.fresh(Sort::Bool),
            Node::Not(a) => !self.done(a),
            Node::And(a, b) => {
                let (a, b) = (self.done(a), self.done(b));
                self.terms.and(a, b)
            }
            Node::Xor(a, b) => {
                let (a, b) = (self.done(a), self.done(b));
                self.terms.xor(a, b)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.done(c), self.done(a), self.done(b));
                self.terms.ite(c, a, b)
            }
            Node::Eq(a, b) => self.compare(a, b, Terms::eq),
            Node::Ult(a, b) => self.compare(a, b, Terms::ult),
            Node::Slt(a, b) => self.compare(a, b, Terms::slt),
            _ => unreachable!("a Boolean term should not be a bit-vector"),
        }
    }

    /// A value that is never negative has a sign bit that is known.
    fn variable(&mut self, range: Range, narrow: u32) -> Term {
        if range.low >= 0 && narrow > 1 {
            let below = self.terms.fresh(Sort::Bits(narrow - 1));
            self.terms.zext(below, narrow)
        } else {
            self.terms.fresh(Sort::Bits(narrow))
        }
    }

    fn at(&mut self, term: Term, width: u32) -> Term {
        let built = self.done(term);
        self.resize(built, width)
    }

    fn binary(&mut self, width: u32, a: Term, b: Term, make: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let (a, b) = (self.at(a, width), self.at(b, width));
        make(&mut self.terms, a, b)
    }

    fn compare(&mut self, a: Term, b: Term, make: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let width = self.terms.width(self.done(a)).max(self.terms.width(self.done(b)));
        if width == 0 {
            let (a, b) = (self.done(a), self.done(b));
            return make(&mut self.terms, a, b);
        }
        self.binary(width, a, b, make)
    }

    /// At full width.
    fn wide(&mut self, narrow: u32, width: u32, a: Term, b: Term, make: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let whole = self.binary(width, a, b, make);
        self.resize(whole, narrow)
    }

    fn divide(&mut self, narrow: u32, width: u32, a: Term, b: Term, make: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let is_natural = self.ranges.of(a).low >= 0 && self.ranges.of(b).low >= 0;
        let needed = self.terms.width(self.done(a)).max(self.terms.width(self.done(b)));
        self.wide(narrow, if is_natural { needed } else { width }, a, b, make)
    }
}

fn mask(width: u32) -> u64 {
    if width == 0 { 1 } else { u64::MAX >> (64 - width) }
}

//! Initialisers: what each part of an object starts with.
//!
//! A braced list is walked together with the type (C11 6.7.9): an item without designators initialises the next
//! member or element, braces may be left out around sub-aggregates, a designator says where to go on. The result is a
//! flat list of parts with their offsets.

use super::Checker;
use super::aggregate::{Cursor, shared_in};
use super::convert::Context;
use super::primary::string_bytes;
use crate::ast::{self, Initializer, InitializerList, StringLiteral};
use crate::ctype::{ArrayLength, BitField, QualType, Type, TypeId};
use crate::tree::{Expr, Init, InitPart, InitValue};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More parts than this in one initialiser are not handled (`[0 ... 1000000000] = 1`).
const MAX_PARTS: usize = 1 << 20;

/// The parts of an aggregate, in order of evaluation.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) list: Vec<InitPart>,
    /// A designator was used, so that a part may have been initialised twice.
    pub(super) designated: bool,
    /// Stretches of bytes that an initialiser for a whole aggregate claims: it replaces the parts before `position`.
    claims: Vec<Claim>,
    /// The member that was initialised last, by offset and type of the union.
    pub(super) active: BTreeMap<(u64, TypeId), u64>,
    too_many: bool,
}

struct Claim {
    position: usize,
    start: u64,
    end: u64,
}

impl Parts {
    /// From here on, what earlier parts said about these bytes does not count.
    pub(super) fn claim(&mut self, start: u64, size: u64) {
        if self.designated {
            self.claims.push(Claim { position: self.list.len(), start, end: start.saturating_add(size) });
        }
    }
}

/// A member or element that an initialiser is for.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) ty: QualType,
    pub(super) offset: u64,
    pub(super) bits: Option<BitField>,
}

impl Checker<'_> {
    /// Checks the initialiser of an object of type `ty`. Also returns the type, completed if it was `T[]`.
    pub(super) fn initializer(&mut self, initializer: &Initializer, ty: QualType, loc: Loc) -> (Init, QualType) {
        match initializer {
            Initializer::List(list) => self.initializer_list(list, ty, loc),
            Initializer::Expr(e) if matches!(self.kind(ty), Type::Array { .. }) => self.array_from(e, ty, loc),
            Initializer::Expr(e) => {
                let value = self.expr(e);
                (Init::Expr(self.convert_to(value, ty, Context::Initialising)), ty)
            }
        }
    }

    /// An array initialised by something without braces: a string, or (GNU) a compound literal.
    fn array_from(&mut self, e: &ast::Expr, ty: QualType, loc: Loc) -> (Init, QualType) {
        if let ast::ExprKind::CompoundLiteral(_, list) = &e.kind {
            return self.initializer_list(list, ty, loc);
        }
        if let Some(literal) = self.literal_text(e)
            && self.takes_string(ty, literal)
        {
            let mut parts = Parts::default();
            let length = self.string_part(literal, Target { ty, offset: 0, bits: None }, &mut parts);
            return (Init::List(parts.list), self.with_length(ty, length));
        }
        let error = self.expr(e);
        if !self.is_error(error.ty) {
            self.error(e.loc, "an array is initialised by a list in braces or, if it holds characters, by a string");
        }
        (Init::Expr(self.error_expr(loc)), QualType::unqualified(TypeId::ERROR))
    }

    /// The initialiser `{ … }` of an object of type `ty`, which is completed if it is `T[]`.
    pub(super) fn initializer_list(&mut self, list: &InitializerList, ty: QualType, loc: Loc) -> (Init, QualType) {
        if self.is_error(ty) {
            return (Init::Expr(self.error_expr(loc)), ty);
        }
        if !matches!(self.kind(ty), Type::Array { .. } | Type::Record(_) | Type::Vector { .. }) {
            return (Init::Expr(self.braced_scalar(list, ty)), ty);
        }
        if self.is_record(ty) && self.size_of(ty).is_none() {
            let text = self.text(ty);
            self.error(loc, format!("an object of the incomplete type {text} cannot be initialised"));
            return (Init::Expr(self.error_expr(loc)), QualType::unqualified(TypeId::ERROR));
        }
        let mut parts = Parts::default();
        let length = self.braced(list, Target { ty, offset: 0, bits: None }, &mut parts);
        if parts.too_many {
            self.report(Diagnostic::unsupported(loc, format!("an initialiser with more than {MAX_PARTS} parts")));
        }
        let list = if parts.designated { without_overridden(self, parts) } else { parts.list };
        (Init::List(list), self.with_length(ty, length))
    }

    /// `T[]` with its length; other types stay as they are.
    fn with_length(&mut self, ty: QualType, length: u64) -> QualType {
        match *self.kind(ty) {
            Type::Array { element, length: ArrayLength::Unknown } => {
                let length = ArrayLength::Known(length);
                QualType::unqualified(self.types.intern(Type::Array { element, length }))
            }
            _ => ty,
        }
    }

    /// `{ value }` for a scalar.
    fn braced_scalar(&mut self, list: &InitializerList, ty: QualType) -> Expr {
        let mut list = list;
        loop {
            let Some(item) = list.items.first() else {
                self.error(list.loc, "a scalar cannot be initialised by an empty list");
                let zero = self.int_constant(0, self.int_type(), list.loc);
                return self.converted(zero, ty);
            };
            if let Some(second) = list.items.get(1) {
                self.warn(second.loc, "there are more initialisers than there is to initialise");
            }
            if !item.designators.is_empty() {
                self.error(item.loc, "only structs, unions and arrays have parts to designate");
                return self.error_expr(item.loc);
            }
            match &item.initializer {
                Initializer::Expr(e) => {
                    let value = self.expr(e);
                    return self.convert_to(value, ty, Context::Initialising);
                }
                Initializer::List(inner) => list = inner,
            }
        }
    }

    /// A list in braces for a part of any type. Returns the number of elements of an array.
    pub(super) fn braced(&mut self, list: &InitializerList, target: Target, parts: &mut Parts) -> u64 {
        match *self.kind(target.ty) {
            Type::Array { .. } => {
                if let [item] = &list.items[..]
                    && item.designators.is_empty()
                    && let Initializer::Expr(e) = &item.initializer
                    && let Some(literal) = self.literal_text(e)
                    && self.takes_string(target.ty, literal)
                {
                    return self.string_part(literal, target, parts);
                }
            }
            Type::Record(_) | Type::Vector { .. } => {}
            Type::Error => return 0,
            _ => {
                let value = self.braced_scalar(list, target.ty);
                self.part(target, InitValue::Expr(value), parts);
                return 0;
            }
        }
        let mut cursor = Cursor::new(&list.items);
        let length = self.fill(target, &mut cursor, parts, true, None);
        if let Some(item) = cursor.item() {
            self.warn(item.loc, "there are more initialisers than there is to initialise");
        }
        length
    }

    pub(super) fn part(&mut self, target: Target, value: InitValue, parts: &mut Parts) {
        if parts.list.len() >= MAX_PARTS {
            parts.too_many = true;
            return;
        }
        let Target { ty, offset, bits } = target;
        parts.list.push(InitPart { offset, bits, ty, value });
    }

    /// Whether an array is one that a string literal of this kind can initialise.
    pub(super) fn takes_string(&self, ty: QualType, literal: &StringLiteral) -> bool {
        let Type::Array { element, .. } = self.kind(ty) else { return false };
        let unit = QualType::unqualified(self.string_element(literal.kind));
        matches!(self.kind(*element), Type::Int(_)) && self.size_of(*element) == self.size_of(unit)
    }

    /// A string for a character array. Returns the length that the array has if the string decides it.
    pub(super) fn string_part(&mut self, literal: &StringLiteral, target: Target, parts: &mut Parts) -> u64 {
        let Type::Array { element, length } = *self.kind(target.ty) else { return 0 };
        let mut units = &literal.units[..];
        let whole = units.len() as u64 + 1;
        if let ArrayLength::Known(length) = length
            && whole > length + 1
        {
            self.warn(literal.loc, format!("the string does not fit into an array of {length} characters"));
            units = &units[..usize::try_from(length).unwrap_or(usize::MAX).min(units.len())];
        }
        let bytes = string_bytes(units, self.size_of(element).unwrap_or(1));
        let length = match length {
            ArrayLength::Known(n) => n,
            _ => whole,
        };
        let ty = self.with_length(target.ty, length);
        self.part(Target { ty, ..target }, InitValue::Bytes(bytes), parts);
        length
    }
}

/// Drops parts that later parts overwrite as a whole.
fn without_overridden(checker: &Checker<'_>, mut parts: Parts) -> Vec<InitPart> {
    let mut covered = Covered::default();
    let mut overridden = vec![false; parts.list.len()];
    for (position, part) in parts.list.iter().enumerate().rev() {
        while let Some(claim) = parts.claims.pop_if(|claim| claim.position > position) {
            covered.add(claim.start * 8, claim.end.saturating_mul(8));
        }
        let start = part.offset * 8;
        let (start, end) = match part.bits {
            Some(bits) => (start + u64::from(bits.start), start + u64::from(bits.start + bits.width)),
            None => (start, start + checker.size_of(part.ty).unwrap_or(0) * 8),
        };
        overridden[position] = covered.add(start, end);
    }
    // The first element of a range evaluates the value for all: without it, the next one does.
    let mut orphans = FxHashMap::default();
    let mut kept = Vec::with_capacity(parts.list.len());
    for (mut part, overridden) in parts.list.into_iter().zip(overridden) {
        match &part.value {
            InitValue::Expr(e) if overridden => {
                if let Some((var, true)) = shared_in(e)
                    && let InitValue::Expr(e) = part.value
                {
                    orphans.insert(var, e);
                }
            }
            _ if overridden => {}
            InitValue::Expr(e) => {
                if let Some((var, false)) = shared_in(e)
                    && let Some(first) = orphans.remove(&var)
                {
                    part.value = InitValue::Expr(first);
                }
                kept.push(part);
            }
            InitValue::Bytes(_) => kept.push(part),
        }
    }
    kept
}

/// Disjoint stretches of bits that later parts cover: start to end.
#[derive(Default)]
struct Covered(BTreeMap<u64, u64>);

impl Covered {
    /// Adds a stretch. True if all of it was covered before.
    fn add(&mut self, start: u64, end: u64) -> bool {
        let before = self.0.range(..=start).next_back().map(|(&s, &e)| (s, e));
        if before.is_some_and(|(_, e)| e >= end) && end > start {
            return true;
        }
        let (mut new_start, mut new_end) = (start, end);
        if let Some((s, e)) = before
            && e >= start
        {
            new_start = s;
            new_end = new_end.max(e);
        }
        while let Some((&s, &e)) = self.0.range(new_start..=new_end).next() {
            self.0.remove(&s);
            new_end = new_end.max(e);
        }
        self.0.insert(new_start, new_end);
        false
    }
}

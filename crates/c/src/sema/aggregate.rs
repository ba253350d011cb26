//! The walk over a braced initialiser list and the type that it initialises; see `init`.

use super::Checker;
use super::convert::Context;
use super::init::{Parts, Target};
use super::member::find_member;
use crate::ast::{Designator, Initializer, InitializerItem};
use crate::ctype::{ArrayLength, QualType, Type};
use crate::tree::{Expr, ExprKind, Init, InitPart, InitValue, Size, VarId};
use norn_ir::number::{narrow_to, to_usize};
use norn_ir::source::Loc;

/// A position in a braced list.
pub(super) struct Cursor<'i> {
    items: &'i [InitializerItem],
    position: usize,
    /// The designators of the current item have led here already.
    designated: bool,
    /// The current item's expression, if it had to be checked to see what it initialises.
    checked: Option<Expr>,
}

impl<'i> Cursor<'i> {
    pub(super) fn new(items: &'i [InitializerItem]) -> Cursor<'i> {
        Cursor { items, position: 0, designated: false, checked: None }
    }

    pub(super) fn item(&self) -> Option<&'i InitializerItem> {
        self.items.get(self.position)
    }

    fn advance(&mut self) {
        self.position += 1;
        self.designated = false;
        self.checked = None;
    }
}

/// Where a designator leads.
struct Designated {
    target: Target,
    /// The positions of the first and last element that it stands for.
    first: u64,
    last: u64,
    /// False if the target is an anonymous member that has the designated one inside.
    consumed: bool,
}

impl Checker<'_> {
    /// Initialises the parts of an array, struct or union from the items at the cursor until it is full. Without
    /// braces of its own it also ends before an item with designators: those belong to the list in braces. `path` are
    /// designators of the current item that lead on from here. Returns how many elements an array has at least.
    pub(super) fn fill(
        &mut self,
        whole: Target,
        cursor: &mut Cursor<'_>,
        parts: &mut Parts,
        braced: bool,
        path: Option<&[Designator]>,
    ) -> u64 {
        let mut path = path;
        let mut position = 0;
        let mut length = 0;
        while let Some(item) = cursor.item() {
            let designators = match path.take() {
                Some(path) => path,
                None if cursor.designated || item.designators.is_empty() => &[],
                None if braced => &item.designators[..],
                None => break,
            };
            let Some((first, rest)) = designators.split_first() else {
                let Some(target) = self.child(whole, position) else {
                    // What is too much is left out, but a designator after it counts.
                    if braced {
                        self.left_out(item);
                        cursor.advance();
                        continue;
                    }
                    break;
                };
                self.choose_member(whole, position, parts);
                let before = (cursor.position, parts.list.len());
                self.element(target, cursor, parts);
                position += 1;
                length = length.max(position);
                // Elements without any content take nothing; there may be very many of them.
                let is_array = matches!(self.kind(whole.ty), Type::Array { .. });
                if is_array && before == (cursor.position, parts.list.len()) {
                    break;
                }
                continue;
            };
            parts.designated = true;
            cursor.designated = true;
            let Some(found) = self.designate(whole, first, item.loc) else {
                cursor.advance();
                continue;
            };
            self.choose_member(whole, found.first, parts);
            let start = parts.list.len();
            let rest = if found.consumed { rest } else { designators };
            if rest.is_empty() {
                if let Initializer::List(_) = item.initializer {
                    self.claim(found.target, found.last - found.first + 1, parts);
                }
                self.element(found.target, cursor, parts);
            } else if matches!(self.kind(found.target.ty), Type::Array { .. } | Type::Record(_)) {
                self.fill(found.target, cursor, parts, false, Some(rest));
            } else {
                let text = self.text(found.target.ty);
                self.error(item.loc, format!("{text} has no parts to designate"));
                cursor.advance();
            }
            self.repeat(&found, start, parts);
            position = found.last + 1;
            length = length.max(position);
        }
        length
    }

    /// An item for which there is nothing left to initialise.
    fn left_out(&mut self, item: &InitializerItem) {
        self.warn(item.loc, "there are more initialisers than there is to initialise");
        let mut pending = vec![&item.initializer];
        while let Some(initializer) = pending.pop() {
            match initializer {
                Initializer::Expr(e) => {
                    self.unevaluated_expr(e);
                }
                Initializer::List(list) => pending.extend(list.items.iter().map(|item| &item.initializer)),
            }
        }
    }

    /// A list in braces is for all of its aggregate, also for what it does not mention.
    fn claim(&self, target: Target, count: u64, parts: &mut Parts) {
        if target.bits.is_none() {
            let size = self.size_of(target.ty).unwrap_or(0);
            parts.claim(target.offset, size.saturating_mul(count));
        }
    }

    /// A union has one member at a time: another one than before replaces all that was said about it.
    fn choose_member(&self, whole: Target, member: u64, parts: &mut Parts) {
        if let Type::Record(id) = *self.kind(whole.ty)
            && self.types.record(id).is_union
            && parts.active.insert((whole.offset, whole.ty.ty), member).is_some_and(|before| before != member)
        {
            parts.claim(whole.offset, self.size_of(whole.ty).unwrap_or(0));
        }
    }

    /// The part of an aggregate that is initialised after `position` others.
    fn child(&mut self, whole: Target, position: u64) -> Option<Target> {
        match *self.kind(whole.ty) {
            Type::Array { element, length } => {
                if let ArrayLength::Known(length) = length
                    && position >= length
                {
                    return None;
                }
                let offset = whole.offset + position * self.size_of(element).unwrap_or(0);
                Some(Target { ty: element, offset, bits: None })
            }
            Type::Vector { element, length } => {
                let ty = QualType::unqualified(element);
                let offset = whole.offset + position * self.size_of(ty).unwrap_or(0);
                (position < length).then_some(Target { ty, offset, bits: None })
            }
            Type::Record(id) => {
                let record = self.types.record(id);
                if record.is_union && position > 0 {
                    return None;
                }
                let field = record.body.as_ref()?.fields.get(to_usize(position))?;
                Some(Target { ty: field.ty, offset: whole.offset + field.offset, bits: field.bits })
            }
            _ => None,
        }
    }

    fn designate(&mut self, whole: Target, designator: &Designator, loc: Loc) -> Option<Designated> {
        match designator {
            Designator::Field(name, at) => {
                let Type::Record(id) = *self.kind(whole.ty) else {
                    let message =
                        format!("'.{}' designates a member, but {} has none", self.name(*name), self.text(whole.ty));
                    self.error(*at, message);
                    return None;
                };
                if find_member(self.types, whole.ty.ty, *name).is_none() {
                    self.no_member(whole.ty, *name, *at);
                    return None;
                }
                let fields = &self.types.record(id).body.as_ref()?.fields;
                let index = fields.iter().position(|f| {
                    f.name == Some(*name) || (f.name.is_none() && find_member(self.types, f.ty.ty, *name).is_some())
                })?;
                let field = &fields[index];
                let target = Target { ty: field.ty, offset: whole.offset + field.offset, bits: field.bits };
                let index = index as u64;
                Some(Designated { target, first: index, last: index, consumed: field.name.is_some() })
            }
            Designator::Index(e) => {
                let index = self.required_int(e, "the index of a designator")?;
                self.designated_elements(whole, index, index, e.loc)
            }
            Designator::Range(low, high) => {
                let first = self.required_int(low, "the index of a designator")?;
                let last = self.required_int(high, "the index of a designator")?;
                if last < first {
                    self.error(loc, "this range of elements is empty");
                    return None;
                }
                self.designated_elements(whole, first, last, low.loc)
            }
        }
    }

    fn designated_elements(&mut self, whole: Target, first: i128, last: i128, loc: Loc) -> Option<Designated> {
        let Type::Array { element, length } = *self.kind(whole.ty) else {
            let text = self.text(whole.ty);
            self.error(loc, format!("an index designates an element, but {text} is not an array"));
            return None;
        };
        let size = self.size_of(element).unwrap_or(0);
        let limit = match length {
            ArrayLength::Known(n) => i128::from(n),
            _ => i128::from(super::max_object_size(self.target) / size.max(1)),
        };
        if first < 0 || last >= limit {
            self.error(loc, format!("the index {last} is outside of the array"));
            return None;
        }
        let (first, last) = (narrow_to(first), narrow_to(last));
        let target = Target { ty: element, offset: whole.offset + first * size, bits: None };
        Some(Designated { target, first, last, consumed: true })
    }

    /// Initialises one part from the item at the cursor, or from several if it has no braces of its own.
    fn element(&mut self, target: Target, cursor: &mut Cursor<'_>, parts: &mut Parts) {
        let Some(item) = cursor.item() else { return };
        let e = match &item.initializer {
            Initializer::List(list) => {
                self.claim(target, 1, parts);
                self.braced(list, target, parts);
                cursor.advance();
                return;
            }
            Initializer::Expr(e) => e,
        };
        match self.kind(target.ty) {
            Type::Array { .. } => {
                if let Some(literal) = self.literal_text(e)
                    && self.takes_string(target.ty, literal)
                {
                    self.string_part(literal, target, parts);
                    cursor.advance();
                } else {
                    self.fill(target, cursor, parts, false, None);
                }
            }
            Type::Record(_) | Type::Vector { .. } => {
                let checked = match cursor.checked.take() {
                    Some(checked) => checked,
                    None => self.expr(e),
                };
                if self.is_error(checked.ty) {
                    cursor.advance();
                } else if self.compatible(checked.ty.ty, target.ty.ty)
                    || self.have_same_bits(checked.ty, target.ty) && self.is_vector(checked.ty)
                {
                    let value = self.convert_to(checked, target.ty, Context::Initialising);
                    self.part(target, InitValue::Expr(value), parts);
                    cursor.advance();
                } else {
                    cursor.checked = Some(checked);
                    self.fill(target, cursor, parts, false, None);
                }
            }
            _ => {
                let checked = match cursor.checked.take() {
                    Some(checked) => checked,
                    None => self.expr(e),
                };
                let value = self.convert_to(checked, target.ty, Context::Initialising);
                self.part(target, InitValue::Expr(value), parts);
                cursor.advance();
            }
        }
    }

    /// Copies the parts of the first element of a range to the others. The initialiser is evaluated once.
    fn repeat(&mut self, found: &Designated, start: usize, parts: &mut Parts) {
        if found.last == found.first {
            return;
        }
        let size = self.size_of(found.target.ty).unwrap_or(0);
        let end = parts.list.len();
        for i in start..end {
            if let InitValue::Expr(e) = &mut parts.list[i].value
                && copied(e).is_none()
            {
                let value = std::mem::replace(e, self.error_expr(e.loc));
                let shared = self.shared(value);
                parts.list[i].value = InitValue::Expr(shared);
            }
        }
        for step in 1..=found.last - found.first {
            for i in start..end {
                let part = &parts.list[i];
                let value = match &part.value {
                    InitValue::Bytes(bytes) => InitValue::Bytes(bytes.clone()),
                    InitValue::Expr(e) => match copied(e) {
                        Some(e) => InitValue::Expr(e),
                        None => continue,
                    },
                };
                let InitPart { offset, bits, ty, .. } = *part;
                let before = parts.list.len();
                self.part(Target { ty, offset: offset + step * size, bits }, value, parts);
                if parts.list.len() == before {
                    return;
                }
            }
        }
    }

    /// A value that is evaluated here and can be had again from a temporary.
    fn shared(&mut self, value: Expr) -> Expr {
        let (ty, loc) = (value.ty, value.loc);
        match self.temporary(ty, loc) {
            Some(var) => {
                let kind = ExprKind::CompoundLiteral(var, Box::new(Init::Expr(value)));
                self.load(Expr { kind, ty, loc })
            }
            None => self.error_expr(loc),
        }
    }
}

/// The temporary that holds the value of a range's elements, if `e` is such a value, and whether `e` fills it.
pub(super) fn shared_in(e: &Expr) -> Option<(VarId, bool)> {
    let ExprKind::Load(place) = &e.kind else { return None };
    match &place.kind {
        ExprKind::CompoundLiteral(var, init) if matches!(**init, Init::Expr(_)) => Some((*var, true)),
        ExprKind::Var(var) => Some((*var, false)),
        _ => None,
    }
}

/// The same value once more, if that needs no evaluation: a constant, or what a temporary holds.
fn copied(e: &Expr) -> Option<Expr> {
    let inner = |e: &Expr| copied(e).map(Box::new);
    let kind = match &e.kind {
        ExprKind::Int(bits) => ExprKind::Int(*bits),
        ExprKind::Float(value) => ExprKind::Float(*value),
        ExprKind::Function(id) => ExprKind::Function(*id),
        ExprKind::AddressOf(place) => ExprKind::AddressOf(Box::new(copied_object(place)?)),
        ExprKind::Convert(e) => ExprKind::Convert(inner(e)?),
        ExprKind::PointerAdd { pointer, index, size: Size::Const(size), subtract } => ExprKind::PointerAdd {
            pointer: inner(pointer)?,
            index: inner(index)?,
            size: Size::Const(*size),
            subtract: *subtract,
        },
        ExprKind::Load(place) => match &place.kind {
            ExprKind::CompoundLiteral(var, init) if matches!(**init, Init::Expr(_)) => {
                let place = Expr { kind: ExprKind::Var(*var), ty: place.ty, loc: place.loc };
                ExprKind::Load(Box::new(place))
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(Expr { kind, ty: e.ty, loc: e.loc })
}

fn copied_object(place: &Expr) -> Option<Expr> {
    let kind = match &place.kind {
        ExprKind::Object(id) => ExprKind::Object(*id),
        ExprKind::Member { base, offset, bits } => {
            ExprKind::Member { base: Box::new(copied_object(base)?), offset: *offset, bits: *bits }
        }
        _ => return None,
    };
    Some(Expr { kind, ty: place.ty, loc: place.loc })
}

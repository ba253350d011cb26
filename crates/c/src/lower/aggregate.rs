//! Structs, unions and arrays: values of record type are known by the address of an object that holds them; copying and
//! clearing go member by member.
//!
//! An object is split into pieces, the scalars at their offsets; padding is skipped and the unit of bit-fields is one
//! piece. A union whose members agree on the pieces has those; any other union is bytes. Large arrays are copied and
//! cleared by calling a small loop (see `helpers`).

use super::function::FunctionBuilder;
use super::helpers::Helper;
use super::layout::Layouts;
use crate::tree::{Expr, ExprKind};
use norn_ir::ids::TypeId;
use norn_ir::instr::{Access, Callee, InstrKind, Operand, Order};
use norn_ir::types::{Field, Shape, Target, Ty};

/// More stores than this become a loop.
const UNROLLED: usize = 128;

/// A scalar inside an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub offset: u64,
    pub ty: Ty,
}

/// What the pieces are for. Clearing a union may choose any member that covers it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Copy,
    Clear,
}

impl<'a> FunctionBuilder<'_, 'a> {
    /// The address of an object with the value of an expression of record type. The object may be the one that the
    /// expression names, so it has to be copied before anything else is evaluated.
    pub fn aggregate(&mut self, e: &'a Expr) -> Operand {
        self.deeper(e, |f| f.aggregate_inner(e), |f| f.constant(Ty::Ptr, 0))
    }

    fn aggregate_inner(&mut self, e: &'a Expr) -> Operand {
        match &e.kind {
            ExprKind::Load(place) if place.ty.qualifiers.is_atomic => {
                let from = self.address(place);
                self.set_loc(e.loc);
                let ty = self.p.layouts.ir_type(e.ty.ty);
                let to = Operand::Local(self.function_temporary("temporary", ty), 0);
                self.section(|f| f.copy_object(ty, to, from, false));
                to
            }
            ExprKind::Load(place) => self.address(place),
            ExprKind::Convert(inner) => self.aggregate(inner),
            ExprKind::Call { callee, args } => {
                let ty = self.p.layouts.ir_type(e.ty.ty);
                let to = Operand::Local(self.function_temporary("result", ty), 0);
                self.call_into(e, callee, args, Some(to));
                to
            }
            ExprKind::Assign(place, value) => self.aggregate_assignment(e, place, value),
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.aggregate(b)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let dst = self.register(Ty::Ptr);
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(condition, yes, no);
                self.start_branch(yes);
                let address = self.aggregate(then);
                self.assign(dst, address);
                self.goto(end);
                self.start_branch(no);
                let address = self.aggregate(otherwise);
                self.assign(dst, address);
                self.start(end);
                Operand::Reg(dst)
            }
            ExprKind::StatementExpr { block, value: Some(value) } => {
                // The object ends with the block, so its value moves out first.
                let ty = self.p.layouts.ir_type(e.ty.ty);
                let to = Operand::Local(self.function_temporary("temporary", ty), 0);
                self.statement_expr(block, |f| {
                    let from = f.aggregate(value);
                    f.copy_object(ty, to, from, false);
                });
                to
            }
            ExprKind::Builtin(builtin) => self.aggregate_builtin(e, builtin),
            ExprKind::Var(_)
            | ExprKind::Object(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..) => self.address(e),
            _ => {
                self.unsupported_type(e);
                self.constant(Ty::Ptr, 0)
            }
        }
    }

    pub fn aggregate_assignment(&mut self, e: &'a Expr, place: &'a Expr, value: &'a Expr) -> Operand {
        let to = self.address(place);
        let to = self.hold(to);
        let from = self.aggregate(value);
        let to = self.release(to);
        self.set_loc(e.loc);
        let ty = self.p.layouts.ir_type(place.ty.ty);
        let volatile = place.ty.qualifiers.is_volatile;
        if place.ty.qualifiers.is_atomic {
            self.section(|f| f.copy_object(ty, to, from, volatile));
        } else {
            self.copy_object(ty, to, from, volatile);
        }
        to
    }

    /// Copies an object of the given type, member by member.
    pub fn copy_object(&mut self, ty: TypeId, to: Operand, from: Operand, volatile: bool) {
        let access = Access { order: Order::Plain, volatile };
        if let Some(pieces) = pieces(&self.p.layouts, self.p.target, ty, Purpose::Copy) {
            for Piece { offset, ty } in pieces {
                let source = self.offset(from, offset);
                let value = self.load_at(ty, source, access);
                let target = self.offset(to, offset);
                self.store_at(ty, target, value, access);
            }
            return;
        }
        for (part, offset, count) in self.parts(ty) {
            let (to, from) = (self.offset(to, offset), self.offset(from, offset));
            match count {
                None => self.copy_object(part, to, from, volatile),
                Some(count) => {
                    let helper = self.p.helper(Helper::Copy(part));
                    let count = self.pointer_int(count as i64);
                    let args = vec![to, from, count];
                    self.emit(InstrKind::Call { dst: None, callee: Callee::Direct(helper), args });
                }
            }
        }
    }

    /// Sets an object of the given type to zero, member by member.
    pub fn clear_object(&mut self, ty: TypeId, to: Operand) {
        if let Some(pieces) = self.clearing_pieces(ty) {
            for Piece { offset, ty } in pieces {
                let target = self.offset(to, offset);
                let zero = self.constant(ty, 0);
                self.store(ty, target, zero);
            }
            return;
        }
        for (part, offset, count) in self.parts(ty) {
            let to = self.offset(to, offset);
            match count {
                None => self.clear_object(part, to),
                Some(count) => self.clear_many(part, to, count),
            }
        }
    }

    /// Sets several objects of one type to zero.
    pub fn clear_many(&mut self, element: TypeId, to: Operand, count: u64) {
        let helper = self.p.helper(Helper::Clear(element));
        let count = self.pointer_int(count as i64);
        self.emit(InstrKind::Call { dst: None, callee: Callee::Direct(helper), args: vec![to, count] });
    }

    /// The pieces that clear an object, if they are not too many.
    pub fn clearing_pieces(&self, ty: TypeId) -> Option<Vec<Piece>> {
        pieces(&self.p.layouts, self.p.target, ty, Purpose::Clear)
    }

    /// The parts of an object with too many pieces: smaller objects, and arrays with the number of their elements.
    fn parts(&mut self, ty: TypeId) -> Vec<(TypeId, u64, Option<u64>)> {
        let layout = self.p.layouts.get(ty).clone();
        match layout.shape {
            Shape::Array { element, length } => vec![(element, 0, Some(length))],
            Shape::Record(record) if !record.is_union => {
                let mut parts: Vec<(TypeId, u64, Option<u64>)> = Vec::new();
                let mut end = 0;
                for field in &record.fields {
                    // Bit-fields share their unit.
                    if field.bits.is_some() && field.offset < end {
                        continue;
                    }
                    end = field.offset + self.p.layouts.get(field.ty).size;
                    parts.push((field.ty, field.offset, None));
                }
                parts
            }
            _ => {
                let bytes = self.p.layouts.byte_array(layout.size);
                let Shape::Array { element, .. } = self.p.layouts.get(bytes).shape else { return Vec::new() };
                vec![(element, 0, Some(layout.size))]
            }
        }
    }
}

/// The pieces of a type in order of offset, or `None` if there are too many.
fn pieces(layouts: &Layouts<'_>, target: Target, ty: TypeId, purpose: Purpose) -> Option<Vec<Piece>> {
    let mut collector = Collector { layouts, target, purpose };
    let mut found = Vec::new();
    collector.collect(ty, 0, &mut found)?;
    Some(found)
}

struct Collector<'l, 'a> {
    layouts: &'l Layouts<'a>,
    target: Target,
    purpose: Purpose,
}

impl Collector<'_, '_> {
    fn collect(&mut self, ty: TypeId, base: u64, out: &mut Vec<Piece>) -> Option<()> {
        let layout = self.layouts.get(ty);
        match &layout.shape {
            Shape::Scalar { ty, .. } => out.push(Piece { offset: base, ty: *ty }),
            Shape::Array { element, length } => {
                let size = self.layouts.get(*element).size;
                if size == 0 {
                    return Some(());
                }
                for i in 0..*length {
                    self.collect(*element, base + i * size, out)?;
                }
            }
            Shape::Record(record) if record.is_union => self.union(&record.fields, layout.size, base, out)?,
            Shape::Record(record) => {
                let first = out.len();
                for field in record.fields.iter().filter(|f| f.bits.is_none()) {
                    self.collect(field.ty, base + field.offset, out)?;
                }
                for field in record.fields.iter().filter(|f| f.bits.is_some()) {
                    self.unit(field, base, first, out);
                }
                out[first..].sort_by_key(|piece| piece.offset);
            }
            Shape::Bytes => self.bytes(layout.size, base, out)?,
        }
        (out.len() <= UNROLLED).then_some(())
    }

    fn bytes(&self, size: u64, base: u64, out: &mut Vec<Piece>) -> Option<()> {
        if size > UNROLLED as u64 {
            return None;
        }
        out.extend((0..size).map(|i| Piece { offset: base + i, ty: Ty::I8 }));
        Some(())
    }

    /// The storage unit of a bit-field, once; where it overlaps other members, the bytes that are left.
    fn unit(&self, field: &Field, base: u64, first: usize, out: &mut Vec<Piece>) {
        let (start, size) = (base + field.offset, self.layouts.get(field.ty).size);
        let covers = |pieces: &[Piece], from: u64, to: u64| {
            pieces.iter().any(|p| p.offset < to && from < p.offset + p.ty.size(self.target))
        };
        if !covers(&out[first..], start, start + size) {
            let ty = Ty::int_of_size(size).unwrap_or(Ty::I8);
            out.push(Piece { offset: start, ty });
            return;
        }
        for offset in start..start + size {
            if !covers(&out[first..], offset, offset + 1) {
                out.push(Piece { offset, ty: Ty::I8 });
            }
        }
    }

    fn union(&mut self, members: &[Field], size: u64, base: u64, out: &mut Vec<Piece>) -> Option<()> {
        let mut layouts: Vec<Vec<Piece>> = Vec::new();
        for member in members.iter().filter(|m| self.layouts.get(m.ty).size > 0) {
            let mut found = Vec::new();
            if self.collect(member.ty, base + member.offset, &mut found).is_none() {
                return self.bytes(size, base, out);
            }
            layouts.push(found);
        }
        let full = |pieces: &[Piece]| pieces.iter().map(|p| p.ty.size(self.target)).sum::<u64>() == size;
        let same = |a: &[Piece], b: &[Piece]| {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.offset == b.offset && a.ty.size(self.target) == b.ty.size(self.target))
        };
        let chosen = match self.purpose {
            Purpose::Clear => layouts.iter().filter(|l| full(l)).min_by_key(|l| l.len()),
            // A pointer keeps what it points to only if it is copied as one.
            Purpose::Copy if layouts.windows(2).all(|w| same(&w[0], &w[1])) => {
                layouts.iter().filter(|l| full(l)).max_by_key(|l| l.iter().filter(|p| p.ty == Ty::Ptr).count())
            }
            Purpose::Copy => None,
        };
        match chosen {
            Some(chosen) => out.extend_from_slice(chosen),
            None => self.bytes(size, base, out)?,
        }
        Some(())
    }
}

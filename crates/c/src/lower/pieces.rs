//! The pieces that objects are copied and cleared by: the scalars at their offsets.
//!
//! The unit of bit-fields is one piece, or bytes. A union whose members agree on the pieces has those; any other union
//! is bytes. Padding is left out of assignments, which give it no particular value, but `memcpy` and its kin are for all bytes.

use super::ir_types::{EXTENDED, Layouts};
use norn_ir::ids::TypeId;
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
pub enum Purpose {
    Copy,
    Clear,
}

/// How much of an object is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Extent {
    /// The members.
    Members,
    /// All bytes, padding too.
    Bytes,
}

/// A part of an object with too many pieces.
pub enum Part {
    Piece(Piece),
    Object {
        ty: TypeId,
        offset: u64,
    },
    /// An array.
    Objects {
        ty: TypeId,
        offset: u64,
        count: u64,
    },
}

impl Part {
    pub fn offset(&self) -> u64 {
        match *self {
            Part::Piece(Piece { offset, .. }) | Part::Object { offset, .. } | Part::Objects { offset, .. } => offset,
        }
    }
}

/// The parts of an object with too many pieces, in order of offset.
pub fn parts(layouts: &mut Layouts<'_>, ty: TypeId, extent: Extent) -> Vec<Part> {
    let layout = layouts.get(ty).clone();
    match layout.shape {
        Shape::Array { element, length } => vec![Part::Objects { ty: element, offset: 0, count: length }],
        Shape::Record(record) if !record.is_union => {
            let members = record.fields.iter().filter(|field| field.bits.is_none());
            let mut parts: Vec<Part> =
                members.map(|field| Part::Object { ty: field.ty, offset: field.offset }).collect();
            let between = between(layouts, &record.fields, layout.size, extent);
            parts.extend(between.into_iter().map(Part::Piece));
            parts.sort_by_key(Part::offset);
            parts
        }
        _ => {
            let bytes = layouts.byte_array(layout.size);
            let Shape::Array { element, .. } = layouts.get(bytes).shape else { return Vec::new() };
            vec![Part::Objects { ty: element, offset: 0, count: layout.size }]
        }
    }
}

/// The last piece of padding, if an object ends with padding.
pub fn tail(layouts: &Layouts<'_>, ty: TypeId) -> Option<Piece> {
    let layout = layouts.get(ty);
    let inner = |ty: TypeId, at: u64| tail(layouts, ty).map(|piece| Piece { offset: at + piece.offset, ..piece });
    match &layout.shape {
        Shape::Array { element, length } => inner(*element, length.checked_sub(1)? * layouts.get(*element).size),
        Shape::Record(record) if record.name == EXTENDED => None,
        Shape::Record(record) if !record.is_union => {
            let end = |field: &&Field| field.offset + layouts.get(field.ty).size;
            let last = record.fields.iter().filter(|field| end(field) > field.offset).max_by_key(end)?;
            if end(&last) == layout.size {
                return inner(last.ty, last.offset);
            }
            let mut pieces = Vec::new();
            padding(end(&last), layout.size, &mut pieces);
            pieces.pop()
        }
        // A union is copied by bytes, or by a member that covers it.
        Shape::Record(_) | Shape::Scalar { .. } | Shape::Bytes => None,
    }
}

/// What stands between the members of a struct: the units of bit-fields, each byte once, and padding if it is wanted.
fn between(layouts: &Layouts<'_>, fields: &[Field], size: u64, extent: Extent) -> Vec<Piece> {
    let mut pieces = Vec::new();
    // What is taken: stretches in order, which do not overlap.
    let mut taken: Vec<(u64, u64)> = Vec::new();
    let end = |field: &Field| field.offset + layouts.get(field.ty).size;
    let free = |taken: &[(u64, u64)], from: u64, to: u64| {
        let after = taken.partition_point(|&(_, end)| end <= from);
        (after, taken.get(after).is_none_or(|&(start, _)| start >= to))
    };
    let take = |from: u64, to: u64, taken: &mut Vec<(u64, u64)>| {
        let (at, is_free) = free(taken, from, to);
        if is_free {
            taken.insert(at, (from, to));
        }
        is_free
    };
    for member in fields.iter().filter(|field| field.bits.is_none() && end(field) > field.offset) {
        take(member.offset, end(member), &mut taken);
    }
    for unit in fields.iter().filter(|field| field.bits.is_some()) {
        let whole = match layouts.get(unit.ty).shape {
            Shape::Scalar { ty, .. } => Some(ty),
            _ => None,
        };
        if let Some(ty) = whole
            && take(unit.offset, end(unit), &mut taken)
        {
            pieces.push(Piece { offset: unit.offset, ty });
            continue;
        }
        for offset in unit.offset..end(unit) {
            if take(offset, offset + 1, &mut taken) {
                pieces.push(Piece { offset, ty: Ty::I8 });
            }
        }
    }
    if extent == Extent::Bytes {
        let mut at = 0;
        for (start, next) in taken.into_iter().chain([(size, size)]) {
            padding(at, start, &mut pieces);
            at = at.max(next);
        }
    }
    pieces
}

/// Padding as integers, as wide as their alignment allows.
fn padding(mut at: u64, end: u64, out: &mut Vec<Piece>) {
    while at < end {
        let sizes = [(8, Ty::I64), (4, Ty::I32), (2, Ty::I16)];
        let fits = |&(size, _): &(u64, Ty)| at.is_multiple_of(size) && at + size <= end;
        let (size, ty) = sizes.into_iter().find(fits).unwrap_or((1, Ty::I8));
        out.push(Piece { offset: at, ty });
        at += size;
    }
}

/// The pieces of a type in order of offset, or `None` if there are too many.
pub fn pieces(
    layouts: &Layouts<'_>,
    target: Target,
    ty: TypeId,
    purpose: Purpose,
    extent: Extent,
) -> Option<Vec<Piece>> {
    let mut collector = Collector { layouts, target, purpose, extent };
    let mut found = Vec::new();
    collector.collect(ty, 0, &mut found)?;
    Some(found)
}

struct Collector<'l, 'a> {
    layouts: &'l Layouts<'a>,
    target: Target,
    purpose: Purpose,
    extent: Extent,
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
                let between = between(self.layouts, &record.fields, layout.size, self.extent);
                out.extend(between.into_iter().map(|piece| Piece { offset: base + piece.offset, ..piece }));
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

//! The definition of structs and unions, and their layout as GCC lays them out on x86.
//!
//! Bit-fields follow the System V ABI: one never crosses more units of its declared type than that type has, a zero
//! width moves on to the next unit, and named ones raise the record's alignment. Which bytes are accessed for a
//! bit-field is chosen when the whole record is known: never bytes of a member that is not a neighbouring bit-field,
//! because C11 makes those a different memory location.

use super::Checker;
use super::abi::max_object_size;
use super::rules::Declared;
use super::types::Base;
use crate::ast;
use crate::ctype::{ArrayLength, BitField, QualType, RecordBody, RecordField, RecordId, Type};
use crate::intern::Symbol;
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Positions in records end here, so that sums of them do not overflow.
const MOST_BITS: u64 = 1 << 62;

/// A record while its members are being placed. Positions are in bits.
struct Layout {
    is_union: bool,
    packed: bool,
    pack: Option<u64>,
    /// The first free bit (of a struct) or the end of the largest member (of a union).
    end: u64,
    align: u64,
    fields: Vec<Placed>,
    /// Stretches of neighbouring bit-fields: the bytes from the end of the member before to the start of the next.
    runs: Vec<(u64, u64)>,
    /// Whether the last member was a bit-field, so that the last run is still open.
    run_open: bool,
}

struct Placed {
    name: Option<Symbol>,
    ty: QualType,
    position: u64,
    /// A bit-field's width, declared bytes and run.
    bits: Option<(u32, u64, usize)>,
    loc: Loc,
}

impl Checker<'_> {
    pub(super) fn define_record(&mut self, id: RecordId, specifier: &ast::RecordSpecifier, members: &[ast::Member]) {
        let record = self.types.record(id);
        if record.body.is_some() {
            let keyword = if specifier.is_union { "union" } else { "struct" };
            let name = specifier.tag.map_or("", |t| self.name(t)).to_owned();
            let earlier = record.loc;
            self.report(
                Diagnostic::error(specifier.loc, format!("'{keyword} {name}' is defined twice"))
                    .also(earlier, "the first definition"),
            );
            return;
        }
        for attribute in &specifier.attributes {
            self.check_arguments(attribute);
        }
        let mut layout = Layout {
            is_union: specifier.is_union,
            packed: specifier.attributes.iter().any(|a| a.name == self.words.packed),
            pack: specifier.pack,
            end: 0,
            align: 1,
            fields: Vec::new(),
            runs: Vec::new(),
            run_open: false,
        };
        let mut names = FxHashMap::default();
        for (index, member) in members.iter().enumerate() {
            match member {
                ast::Member::StaticAssert(assertion) => self.static_assert(assertion),
                ast::Member::Field { specifiers, declarators, loc } => {
                    let base = self.specifiers(specifiers, false);
                    let packed = specifiers.attributes.iter().any(|a| a.name == self.words.packed);
                    self.check_specifiers(specifiers, base.ty, Declared::Member);
                    if !specifiers.alignments.is_empty() && declarators.iter().any(|d| d.bits.is_some()) {
                        self.error(*loc, "'_Alignas' is not for bit-fields");
                    }
                    if declarators.is_empty() {
                        let anonymous = matches!(&specifiers.ty, ast::TypeSpecifier::Record(r)
                            if r.tag.is_none() && r.members.is_some());
                        self.anonymous_member(&mut layout, &mut names, base, anonymous, *loc);
                    }
                    for (d, declarator) in declarators.iter().enumerate() {
                        let last = index + 1 == members.len() && d + 1 == declarators.len();
                        self.member(&mut layout, &mut names, base, packed, declarator, last);
                    }
                }
            }
        }
        let align = self.attribute_align(None, &specifier.attributes);
        layout.align = layout.align.max(align.unwrap_or(1));
        let body = self.finished(layout, specifier.loc);
        if specifier.attributes.iter().any(|a| a.name == self.words.transparent_union) {
            self.transparent_unions.insert(id);
        }
        if body.fields.iter().any(|f| self.is_read_only(f.ty)) {
            self.const_records.insert(id);
        }
        let record = &mut self.types.records[id.0 as usize];
        record.body = Some(body);
        record.loc = specifier.loc;
    }

    fn anonymous_member(
        &mut self,
        layout: &mut Layout,
        names: &mut FxHashMap<Symbol, Loc>,
        base: Base,
        anonymous: bool,
        loc: Loc,
    ) {
        let body = self.types.record_body(base.ty.ty).filter(|_| anonymous);
        let Some(body) = body else {
            if !self.is_error(base.ty) {
                self.warn(loc, "this declaration declares no member");
            }
            return;
        };
        let mut inner = Vec::new();
        member_names(self.types, body, &mut inner);
        for (name, at) in inner {
            self.member_name(names, name, at);
        }
        let align = self.types.member_align_of(base.ty, self.target);
        let size = self.size_of(base.ty).unwrap_or(0);
        let align = layout.effective_align(align, base.align, false);
        layout.place(None, base.ty, size, align, loc);
    }

    fn member_name(&mut self, names: &mut FxHashMap<Symbol, Loc>, name: Symbol, loc: Loc) {
        if let Some(earlier) = names.insert(name, loc) {
            let message = format!("there are two members named '{}'", self.name(name));
            self.report(Diagnostic::error(loc, message).also(earlier, "the first one"));
        }
    }

    fn member(
        &mut self,
        layout: &mut Layout,
        names: &mut FxHashMap<Symbol, Loc>,
        base: Base,
        packed: bool,
        field: &ast::FieldDeclarator,
        last: bool,
    ) {
        let declarator = &field.declarator;
        let loc = declarator.loc;
        let ty = self.derived(base.ty, &declarator.derivations, loc);
        let ty = self.type_attributes(ty, &declarator.attributes);
        if let Some(name) = declarator.name {
            self.member_name(names, name, loc);
        }
        if self.is_error(ty) {
            return;
        }
        let packed = packed || declarator.attributes.iter().any(|a| a.name == self.words.packed);
        let asked = self.attribute_align(base.align, &declarator.attributes);
        let align = self.types.member_align_of(ty, self.target);
        if let Some(bits) = &field.bits {
            if let Some(width) = self.bit_width(bits, ty, declarator.name.is_some()) {
                let size = self.size_of(ty).unwrap_or(4);
                layout.place_bits(declarator.name, ty, (width, size), align, packed, loc);
            }
            return;
        }
        let size = match *self.kind(ty) {
            Type::Array { length: ArrayLength::Unknown, .. } => {
                if layout.is_union || layout.fields.is_empty() {
                    let place = if layout.is_union { "in a union" } else { "as the only member of a struct" };
                    self.error(loc, format!("an array of unknown length cannot stand {place}"));
                } else if !last {
                    self.error(loc, "an array of unknown length can only be the last member of a struct");
                }
                0
            }
            _ if self.types.is_vla(ty.ty) => {
                let message = "a member that is a variable-length array";
                match self.function {
                    Some(_) => self.report(Diagnostic::unsupported(loc, message)),
                    None => self.error(loc, message),
                }
                return;
            }
            _ => match self.size_of(ty) {
                Some(size) => size,
                None => {
                    let text = self.text(ty);
                    let what = if matches!(self.kind(ty), Type::Function(_)) { "" } else { "incomplete " };
                    self.error(loc, format!("a member cannot have the {what}type {text}"));
                    return;
                }
            },
        };
        let align = layout.effective_align(align, asked, packed);
        layout.place(declarator.name, ty, size, align, loc);
    }

    fn bit_width(&mut self, e: &ast::Expr, ty: QualType, named: bool) -> Option<u32> {
        if !self.is_integer(ty) {
            let text = self.text(ty);
            self.error(e.loc, format!("a bit-field must have an integer type, not {text}"));
            return None;
        }
        if ty.qualifiers.is_atomic {
            self.error(e.loc, "a bit-field cannot be atomic");
        }
        let width = self.required_int(e, "the width of a bit-field")?;
        let limit = i128::from(self.size_of(ty).unwrap_or(4) * 8);
        let limit = if matches!(self.kind(ty), Type::Bool) { 1 } else { limit };
        if width < 0 || width > limit || (width == 0 && named) {
            let text = self.text(ty);
            self.error(e.loc, format!("a bit-field of type {text} cannot be {width} bits wide"));
            return None;
        }
        Some(narrow(width))
    }

    fn finished(&mut self, mut layout: Layout, loc: Loc) -> RecordBody {
        layout.close_run(None);
        let size = layout.end.div_ceil(8).next_multiple_of(layout.align);
        if size > max_object_size(self.target) {
            self.error(loc, "the type is larger than the address space");
        } else if layout.end >= MOST_BITS {
            // Its size and the places of its members were cut.
            self.report(Diagnostic::unsupported(loc, "a type of 2^59 bytes or more"));
        }
        let mut fields = Vec::with_capacity(layout.fields.len());
        let locations = layout.locations();
        for placed in layout.fields {
            let (mut offset, mut bits) = (placed.position / 8, None);
            if let Some((width, declared, run)) = placed.bits {
                if placed.name.is_none() {
                    continue;
                }
                let (low, high) = layout.runs[run];
                let high = high.min(size);
                let (at, field) = unit_of_all((placed.position, width), declared, &locations[run], low, high)
                    .or_else(|| unit(placed.position, width, declared, low, high))
                    .unwrap_or_else(|| bytes(placed.position, width));
                (offset, bits) = (at, Some(field));
            }
            fields.push(RecordField { name: placed.name, ty: placed.ty, offset, bits, loc: placed.loc });
        }
        RecordBody { fields, size, align: layout.align }
    }
}

impl Layout {
    /// The alignment of a member after `packed` and `#pragma pack`, and with what was asked for explicitly.
    fn effective_align(&self, align: u64, asked: Option<u64>, packed: bool) -> u64 {
        let natural = if packed || self.packed { 1 } else { align };
        let align = natural.max(asked.unwrap_or(1));
        self.pack.map_or(align, |pack| align.min(pack))
    }

    fn place(&mut self, name: Option<Symbol>, ty: QualType, size: u64, align: u64, loc: Loc) {
        self.align = self.align.max(align);
        let size = size.saturating_mul(8).min(MOST_BITS);
        let position = if self.is_union { 0 } else { self.end.next_multiple_of(align * 8) };
        self.close_run(Some(position / 8));
        self.end = self.end.max(position + size).min(MOST_BITS);
        self.fields.push(Placed { name, ty, position, bits: None, loc });
    }

    /// A bit-field, given its width and the bytes of its declared type.
    fn place_bits(
        &mut self,
        name: Option<Symbol>,
        ty: QualType,
        (width, size): (u32, u64),
        align: u64,
        packed: bool,
        loc: Loc,
    ) {
        let packed = packed || self.packed;
        if width == 0 {
            let align = self.pack.map_or(align, |pack| align.min(pack));
            if !self.is_union {
                self.end = self.end.next_multiple_of(align * 8);
            }
            self.close_run(Some(self.end / 8));
            return;
        }
        let align = self.effective_align(align, None, packed);
        let mut position = if self.is_union { 0 } else { self.end };
        if !packed {
            let unit = align * 8;
            let units = (position % unit + u64::from(width)).div_ceil(unit);
            if units > (size * 8) / unit {
                position = position.next_multiple_of(unit);
            }
        }
        if name.is_some() {
            self.align = self.align.max(align);
        }
        if !self.run_open || self.is_union {
            let low = if self.is_union { 0 } else { self.end.div_ceil(8) };
            self.runs.push((low, u64::MAX));
            self.run_open = true;
        }
        self.end = self.end.max(position + u64::from(width));
        self.fields.push(Placed { name, ty, position, bits: Some((width, size, self.runs.len() - 1)), loc });
    }

    /// The bits of each run, from its first field to its last.
    fn locations(&self) -> Vec<Range<u64>> {
        let mut locations = vec![0..0; self.runs.len()];
        for placed in &self.fields {
            if let Some((width, _, run)) = placed.bits {
                let location = &mut locations[run];
                if location.end == 0 {
                    location.start = placed.position;
                }
                location.end = location.end.max(placed.position + u64::from(width));
            }
        }
        locations
    }

    /// The bit-fields before the given byte have no further neighbours.
    fn close_run(&mut self, at: Option<u64>) {
        if self.run_open && !self.is_union {
            if let (Some(run), Some(at)) = (self.runs.last_mut(), at) {
                run.1 = at;
            }
            self.run_open = false;
        }
    }
}

/// The storage unit that holds all fields of a run, if there is one. They are one memory location, and a single access
/// says so also where a field fills bytes of its own.
fn unit_of_all(
    (position, width): (u64, u32),
    declared: u64,
    run: &Range<u64>,
    low: u64,
    high: u64,
) -> Option<(u64, BitField)> {
    let bits = u32::try_from(run.end - run.start).ok().filter(|bits| *bits <= 64)?;
    let (offset, all) = unit(run.start, bits, declared, low, high)?;
    Some((offset, BitField { unit: all.unit, start: narrow(position - offset * 8), width }))
}

/// The storage unit of one bit-field: its declared type's where that lies between `low` and `high`, else the smallest
/// aligned one that holds the field, else the smallest one at all.
fn unit(position: u64, width: u32, declared: u64, low: u64, high: u64) -> Option<(u64, BitField)> {
    let last = position + u64::from(width);
    let field = |offset: u64, unit: u64| {
        let fits = offset >= low && offset + unit <= high && offset * 8 <= position && (offset + unit) * 8 >= last;
        fits.then(|| (offset, BitField { unit, start: narrow(position - offset * 8), width }))
    };
    let aligned = [declared.min(8), 1, 2, 4, 8].into_iter().find_map(|size| field(position / 8 / size * size, size));
    aligned
        .or_else(|| [1, 2, 4, 8].into_iter().find_map(|size| field(position / 8, size)))
        .or_else(|| [1, 2, 4, 8].into_iter().find_map(|size| field(high.checked_sub(size)?, size)))
}

/// The bytes that hold a bit-field: no single access has room among its neighbours.
fn bytes(position: u64, width: u32) -> (u64, BitField) {
    let (first, end) = (position / 8, (position + u64::from(width)).div_ceil(8));
    (first, BitField { unit: end - first, start: (position % 8) as u32, width })
}

/// The names of a record's members, those of anonymous members included.
fn member_names(types: &crate::ctype::Types, body: &RecordBody, out: &mut Vec<(Symbol, Loc)>) {
    for field in &body.fields {
        match field.name {
            Some(name) => out.push((name, field.loc)),
            None => {
                if let Some(body) = types.record_body(field.ty.ty) {
                    member_names(types, body, out);
                }
            }
        }
    }
}

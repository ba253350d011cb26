//! Layouts as C types: scalars, arrays and records that a C compiler lays out the same way. What it would lay out
//! otherwise (packed records, storage units of bit-fields that overlap) becomes bytes with the right alignment.
//!
//! Floats live in memory as the integers of their bits, so that the shared memory abstractions know integers and
//! addresses only.

use crate::names::Names;
use crate::text::digits;
use norn_ir::ids::TypeId;
use norn_ir::program::Program;
use norn_ir::types::{Field, Shape, Ty};
use std::fmt::Write;
use std::sync::Arc;

/// The C type that memory holds a scalar in.
pub fn cell_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool | Ty::I8 => "u8",
        Ty::I16 => "u16",
        Ty::I32 | Ty::F32 => "u32",
        Ty::I64 | Ty::F64 => "u64",
        Ty::Ptr => "address",
    }
}

/// The C types of the objects of a program.
pub struct Layouts<'p> {
    program: &'p Program,
    /// By type; only those that objects have, and their parts.
    made: Vec<Option<CType>>,
    names: Names<'static>,
}

struct CType {
    /// `u32`, `struct node`, …; an array has the type of its innermost elements.
    base: String,
    /// The lengths of an array of arrays, outermost first.
    lengths: Vec<u64>,
    /// Whether members can be named in C.
    is_named: bool,
    /// Names of the members of a record, by field.
    members: Vec<Arc<str>>,
    /// As a C compiler has it.
    align: u64,
    /// Of a record.
    definition: String,
}

impl CType {
    fn plain(base: String, lengths: Vec<u64>, is_named: bool, align: u64) -> CType {
        CType { base, lengths, is_named, members: Vec::new(), align, definition: String::new() }
    }
}

impl<'p> Layouts<'p> {
    pub fn new(program: &'p Program) -> Layouts<'p> {
        let made = program.types.iter().map(|_| None).collect();
        Layouts { program, made, names: Names::default() }
    }

    /// Finds the C type for the type of an object. Only then the others can be asked for.
    pub fn add(&mut self, id: TypeId) {
        if self.made[id.index()].is_some() {
            return;
        }
        let layout = self.program.ty(id);
        let made = match &layout.shape {
            Shape::Scalar { ty, .. } if ty.size(self.program.target) == layout.size => {
                CType::plain(cell_type(*ty).to_owned(), Vec::new(), true, layout.align)
            }
            Shape::Array { element, length } if *length > 0 && self.program.ty(*element).size > 0 => {
                self.add(*element);
                let element = self.of(*element);
                let lengths = [*length].into_iter().chain(element.lengths.iter().copied()).collect();
                CType::plain(element.base.clone(), lengths, element.is_named, element.align)
            }
            Shape::Record(_) => self.record(id).unwrap_or_else(|| self.bytes(id)),
            _ => self.bytes(id),
        };
        self.made[id.index()] = Some(made);
    }

    fn of(&self, id: TypeId) -> &CType {
        self.made[id.index()].as_ref().expect("the types of objects should have been added")
    }

    /// Adds the definitions of the records that a type needs, in an order that C accepts. `defined`: by type.
    pub fn define(&self, text: &mut String, id: TypeId, defined: &mut [bool]) {
        if std::mem::replace(&mut defined[id.index()], true) || !self.of(id).is_named {
            return;
        }
        match &self.program.ty(id).shape {
            Shape::Array { element, .. } => self.define(text, *element, defined),
            Shape::Record(record) => {
                record.fields.iter().for_each(|field| self.define(text, field.ty, defined));
                text.push_str(&self.of(id).definition);
            }
            Shape::Scalar { .. } | Shape::Bytes => {}
        }
    }

    /// `TYPE NAME` or `TYPE NAME[N]`.
    pub fn declare(&self, ty: TypeId, name: &str) -> String {
        let made = self.of(ty);
        let lengths = made.lengths.iter().map(|length| format!("[{length}]")).collect::<String>();
        format!("{} {name}{lengths}", made.base)
    }

    /// The lvalue for the scalar `ty` at an offset of an object, if C can name it so.
    pub fn lvalue(&self, object: &str, ty: TypeId, offset: u64, scalar: Ty) -> Option<String> {
        let mut text = String::new();
        self.add_lvalue(&mut text, object, ty, offset, scalar).then_some(text)
    }

    /// Adds that lvalue to a text; tells whether there is one.
    pub fn add_lvalue(&self, text: &mut String, object: &str, ty: TypeId, offset: u64, scalar: Ty) -> bool {
        let begin = text.len();
        text.push_str(object);
        let is_lvalue = self.add_members(text, ty, offset, scalar).is_some();
        if !is_lvalue {
            text.truncate(begin);
        }
        is_lvalue
    }

    /// Adds the way from an object to a scalar in it, as far as C can name it.
    fn add_members(&self, text: &mut String, mut ty: TypeId, mut offset: u64, scalar: Ty) -> Option<()> {
        // Parts have smaller ids than what they are part of, so this ends.
        loop {
            let made = self.of(ty);
            let layout = self.program.ty(ty);
            if !made.is_named {
                return None;
            }
            match &layout.shape {
                Shape::Scalar { ty: found, .. } => {
                    let fits = offset == 0 && cell_type(*found) == cell_type(scalar);
                    return fits.then_some(());
                }
                Shape::Array { element, length } => {
                    let stride = self.program.ty(*element).size;
                    let index = offset.checked_div(stride).filter(|index| index < length)?;
                    text.push('[');
                    digits(text, index);
                    text.push(']');
                    (ty, offset) = (*element, offset % stride);
                }
                Shape::Record(record) => {
                    let holds = |field: &Field| {
                        field.offset <= offset && offset < field.offset + self.program.ty(field.ty).size
                    };
                    let at = record.fields.iter().position(holds)?;
                    let field = &record.fields[at];
                    text.extend([".", &made.members[at]]);
                    (ty, offset) = (field.ty, offset - field.offset);
                }
                Shape::Bytes => return None,
            }
        }
    }

    /// A record, if C lays it out like this.
    fn record(&mut self, id: TypeId) -> Option<CType> {
        let layout = self.program.ty(id);
        let Shape::Record(record) = &layout.shape else { return None };
        let mut end = 0;
        let mut align = 1;
        let mut names = Names::default();
        let mut members: Vec<Arc<str>> = Vec::new();
        let mut body = String::new();
        for (i, field) in record.fields.iter().enumerate() {
            let part = self.program.ty(field.ty);
            let before = i.checked_sub(1).map(|i| &record.fields[i]);
            if let Some(before) =
                before.filter(|b| b.bits.is_some() && field.bits.is_some() && b.offset == field.offset)
            {
                // Bit-fields of one storage unit.
                if before.ty != field.ty {
                    return None;
                }
                members.push(members[i - 1].clone());
                continue;
            }
            self.add(field.ty);
            let part_align = self.of(field.ty).align.max(1);
            let start = if record.is_union { 0 } else { u64::next_multiple_of(end, part_align) };
            if start != field.offset || part.size == 0 {
                return None;
            }
            end = if record.is_union { end.max(part.size) } else { start + part.size };
            align = align.max(part_align);
            let name = names.make(if field.name.is_empty() { "part" } else { &field.name });
            let declared = self.declare(field.ty, &name);
            writeln!(body, "    {declared};").expect("writing to a string should not fail");
            members.push(name);
        }
        if record.fields.is_empty() || align != layout.align || end.next_multiple_of(align) != layout.size {
            return None;
        }
        let kind = if record.is_union { "union" } else { "struct" };
        let name = self.names.make(if record.name.is_empty() { "record" } else { &record.name });
        let base = format!("{kind} {name}");
        let definition = format!("{base} {{\n{body}}};\n");
        Some(CType { base, lengths: Vec::new(), is_named: true, members, align, definition })
    }

    /// Bytes of the size and alignment of a type.
    fn bytes(&mut self, id: TypeId) -> CType {
        let layout = self.program.ty(id);
        let size = layout.size.max(1);
        let fits = |unit: &u64| layout.align.is_multiple_of(*unit) && size.is_multiple_of(*unit);
        let unit = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
        let base = format!("u{}", unit * 8);
        CType::plain(base, vec![size / unit], false, unit)
    }
}

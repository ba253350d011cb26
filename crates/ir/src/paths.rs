//! What stands at an offset of an object, in the words of C, for traces.
//!
//! Best effort, and never an error: where the types do not tell (padding, raw bytes, several bit-fields in one unit, a
//! place past the end) the path ends in the remaining offset in bytes. Of a union's members the first scalar of the
//! wanted size is named, else the first that is large enough.

use std::fmt::Write;

use crate::ids::TypeId;
use crate::program::Program;
use crate::types::{Field, Record, Shape};

impl Program {
    /// The path from an object of type `ty` to the `size` bytes at `offset`, to be appended to the object's name:
    /// `.array[1].next`, `[2]+3`, or nothing for the object as a whole. With size 0 it is the path to the outermost
    /// part that begins there.
    pub fn path_of(&self, ty: TypeId, offset: u64, size: u64) -> String {
        let mut path = String::new();
        let mut ty = ty;
        let mut offset = offset;
        // An array without elements at the end of a record goes on as long as its memory does.
        let mut is_flexible = false;
        // Parts have smaller ids than what they are part of, so this ends even where validation has not been.
        while let Some(found) = self.types.get(ty.index()) {
            let is_whole = offset == 0 && (size == 0 || size >= found.size) && !is_flexible;
            let part = match &found.shape {
                _ if is_whole => break,
                Shape::Scalar { .. } | Shape::Bytes => None,
                Shape::Array { element, length } => self.element(*element, *length, offset, size, is_flexible),
                Shape::Record(record) => self.field(record, offset, size),
            };
            let Some(part) = part.filter(|part| part.ty < ty) else { break };
            path.push_str(&part.step);
            ty = part.ty;
            offset = part.offset;
            is_flexible = part.is_flexible;
        }
        if offset != 0 {
            write!(path, "+{offset}").expect("writing to a string should not fail");
        }
        path
    }

    fn element(&self, element: TypeId, length: u64, offset: u64, size: u64, is_flexible: bool) -> Option<Part> {
        let stride = self.types.get(element.index())?.size;
        let index = offset.checked_div(stride)?;
        let within = offset % stride;
        if index >= length && !is_flexible || within.checked_add(size)? > stride {
            return None;
        }
        Some(Part { step: format!("[{index}]"), ty: element, offset: within, is_flexible: false })
    }

    fn field(&self, record: &Record, offset: u64, size: u64) -> Option<Part> {
        let holds = |field: &&Field| {
            let end = self.types.get(field.ty.index()).and_then(|ty| field.offset.checked_add(ty.size));
            let wanted_end = offset.checked_add(size.max(1));
            field.offset <= offset && end.zip(wanted_end).is_some_and(|(end, wanted)| wanted <= end)
        };
        let is_exact = |field: &&Field| {
            let ty = self.types.get(field.ty.index());
            ty.is_some_and(|ty| ty.size == size && matches!(ty.shape, Shape::Scalar { .. }))
        };
        let mut holding = record.fields.iter().filter(holds);
        let field = if record.is_union {
            holding.clone().find(is_exact).or_else(|| holding.next())
        } else {
            let first = holding.next();
            // Bit-fields that share a unit cannot be told apart by an offset.
            if holding.next().is_some() {
                return None;
            }
            first
        };
        let flexible = || {
            let last = record.fields.last()?;
            let ty = self.types.get(last.ty.index())?;
            (matches!(ty.shape, Shape::Array { length: 0, .. }) && last.offset <= offset).then_some(last)
        };
        let (field, is_flexible) = match field {
            Some(field) => (field, false),
            None => (flexible()?, true),
        };
        // The members of an anonymous struct or union are named as if they were the outer one's.
        let step = if field.name.is_empty() { String::new() } else { format!(".{}", field.name) };
        Some(Part { step, ty: field.ty, offset: offset - field.offset, is_flexible })
    }
}

/// One step down.
struct Part {
    step: String,
    ty: TypeId,
    /// What is left of the offset.
    offset: u64,
    is_flexible: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    const TYPES: &str = r#"norn-ir 1
target lp64
entry f0
type t0 = i32 signed
type t1 = i8 char
type t2 = struct "Item" size 8 align 4 {
  0: t0 "value"
  4: t0 "next"
}
type t3 = array 3 * t2
type t4 = struct "Stack" size 40 align 8 {
  0: t0 "head"
  4: t1 "mark"
  8: t3 "array"
  32: t0 "a" bits 0 width 3
  32: t0 "b" bits 3 width 4
}
type t5 = union "" size 8 align 4 {
  0: t2 "item"
  0: t0 "number"
}
type t6 = array 0 * t0
type t7 = struct "Message" size 12 align 4 {
  0: t0 "length"
  4: t5 ""
  12: t6 "data"
}
type t8 = array 2 * t0
type t9 = array 2 * t8
type t10 = bytes size 8 align 1
"#;

    fn check(ty: u32, offset: u64, size: u64, expected: &str) {
        let program = parse(TYPES).expect("the types should parse");
        assert_eq!(program.path_of(TypeId(ty), offset, size), expected, "t{ty} at {offset}, {size} bytes");
    }

    #[test]
    fn members_and_elements() {
        check(0, 0, 4, "");
        check(4, 0, 40, "");
        check(4, 0, 4, ".head");
        check(4, 20, 4, ".array[1].next");
        check(4, 16, 8, ".array[1]");
        check(4, 16, 0, ".array[1]");
        check(9, 12, 4, "[1][1]");
    }

    #[test]
    fn what_has_no_name_is_an_offset() {
        check(4, 2, 1, ".head+2");
        check(4, 5, 1, "+5");
        check(4, 32, 4, "+32");
        check(4, 48, 4, "+48");
        check(9, 4, 8, "+4");
        check(10, 3, 1, "+3");
        check(99, 3, 1, "+3");
    }

    #[test]
    fn unions_and_flexible_arrays() {
        check(5, 0, 4, ".number");
        check(5, 4, 4, ".item.next");
        check(7, 4, 4, ".number");
        check(7, 8, 4, ".item.next");
        check(7, 12, 4, ".data[0]");
        check(7, 20, 4, ".data[2]");
        check(7, 21, 4, ".data+9");
    }
}

//! Types as text, the way C writes them, for messages.

use crate::ast::Qualifiers;
use crate::ctype::{ArrayLength, FloatType, IntType, QualType, Type, TypeId, Types};
use crate::intern::Interner;

/// Types with more parts are cut short: shared parts can make their text exponentially long.
const MAX_PARTS: u32 = 60;

/// A type as C would write it without a name.
pub fn type_text(types: &Types, symbols: &Interner, ty: QualType) -> String {
    declaration_text(types, symbols, ty, "")
}

/// A declaration of `name` with the type.
pub fn declaration_text(types: &Types, symbols: &Interner, ty: QualType, name: &str) -> String {
    render(types, symbols, ty, name.to_owned(), &mut MAX_PARTS.clone())
}

fn render(types: &Types, symbols: &Interner, ty: QualType, inner: String, parts: &mut u32) -> String {
    if *parts == 0 {
        return format!("…{inner}");
    }
    *parts -= 1;
    match types.get(ty.ty) {
        Type::Pointer(pointee) => {
            let qualifiers = qualifier_text(ty.qualifiers);
            let space = if qualifiers.is_empty() || inner.is_empty() { "" } else { " " };
            let pointer = format!("*{qualifiers}{space}{inner}");
            let pointer = match types.get(pointee.ty) {
                Type::Array { .. } | Type::Function(_) => format!("({pointer})"),
                _ => pointer,
            };
            render(types, symbols, *pointee, pointer, parts)
        }
        Type::Array { element, length } => {
            let length = match length {
                ArrayLength::Known(n) => n.to_string(),
                ArrayLength::Unknown => String::new(),
                ArrayLength::Variable(_) => "*".to_owned(),
            };
            render(types, symbols, *element, format!("{inner}[{length}]"), parts)
        }
        Type::Function(function) => {
            let mut params: Vec<String> =
                function.params.iter().map(|&p| render(types, symbols, p, String::new(), parts)).collect();
            if function.variadic {
                params.push("...".to_owned());
            }
            if params.is_empty() && function.prototyped {
                params.push("void".to_owned());
            }
            render(types, symbols, function.result, format!("{inner}({})", params.join(", ")), parts)
        }
        _ => {
            let qualifiers = qualifier_text(ty.qualifiers);
            let mut text = base_text(types, symbols, ty.ty);
            if !qualifiers.is_empty() {
                text = format!("{qualifiers} {text}");
            }
            if !inner.is_empty() {
                text.push(' ');
                text.push_str(&inner);
            }
            text
        }
    }
}

fn base_text(types: &Types, symbols: &Interner, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Bool => "_Bool".to_owned(),
        Type::Int(int) => int_text(*int).to_owned(),
        Type::Float(FloatType::Float) => "float".to_owned(),
        Type::Float(FloatType::Double) => "double".to_owned(),
        Type::Float(FloatType::LongDouble) => "long double".to_owned(),
        Type::Record(id) => {
            let record = types.record(*id);
            let keyword = if record.is_union { "union" } else { "struct" };
            tagged(keyword, record.tag.map(|t| symbols.name(t)))
        }
        Type::Enum(id) => tagged("enum", types.enumeration(*id).tag.map(|t| symbols.name(t))),
        Type::Complex(part) => format!("_Complex {}", base_text(types, symbols, *part)),
        Type::Vector { element, length } => format!("vector of {length} {}", base_text(types, symbols, *element)),
        Type::Half => "_Float16".to_owned(),
        Type::Quad => "_Float128".to_owned(),
        _ => "?".to_owned(),
    }
}

fn tagged(keyword: &str, tag: Option<&str>) -> String {
    match tag {
        Some(tag) => format!("{keyword} {tag}"),
        None => format!("{keyword} <anonymous>"),
    }
}

fn int_text(int: IntType) -> &'static str {
    match int {
        IntType::Char => "char",
        IntType::SignedChar => "signed char",
        IntType::UnsignedChar => "unsigned char",
        IntType::Short => "short",
        IntType::UnsignedShort => "unsigned short",
        IntType::Int => "int",
        IntType::UnsignedInt => "unsigned int",
        IntType::Long => "long",
        IntType::UnsignedLong => "unsigned long",
        IntType::LongLong => "long long",
        IntType::UnsignedLongLong => "unsigned long long",
        IntType::Int128 => "__int128",
        IntType::UnsignedInt128 => "unsigned __int128",
    }
}

fn qualifier_text(qualifiers: Qualifiers) -> String {
    let all = [
        (qualifiers.is_const, "const"),
        (qualifiers.is_volatile, "volatile"),
        (qualifiers.is_restrict, "restrict"),
        (qualifiers.is_atomic, "_Atomic"),
    ];
    let present: Vec<&str> = all.iter().filter(|(on, _)| *on).map(|(_, text)| *text).collect();
    present.join(" ")
}

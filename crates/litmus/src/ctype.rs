//! The types that litmus files name: integers and pointers to them. Qualifiers and `_Atomic` are read and dropped,
//! since every access says for itself how it is made.

use norn_ir::types::{Display, Ty};

use crate::token::{Cursor, Parsed, TokenKind};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct CType {
    /// An integer type.
    base: Ty,
    signed: bool,
    /// How many times it has to be dereferenced to reach the integer.
    stars: u8,
}

impl CType {
    pub const INT: CType = CType { base: Ty::I32, signed: true, stars: 0 };
    pub const LONG: CType = CType { base: Ty::I64, signed: true, stars: 0 };

    pub fn integer(base: Ty, signed: bool) -> CType {
        CType { base, signed, stars: 0 }
    }

    pub fn pointer_to(self) -> CType {
        CType { stars: self.stars.saturating_add(1), ..self }
    }

    /// What a pointer of this type points to.
    pub fn target(self) -> Option<CType> {
        self.stars.checked_sub(1).map(|stars| CType { stars, ..self })
    }

    pub fn is_pointer(self) -> bool {
        self.stars > 0
    }

    /// Pointers are not.
    pub fn is_signed(self) -> bool {
        self.signed && !self.is_pointer()
    }

    /// The scalar that a register of this type holds.
    pub fn ty(self) -> Ty {
        if self.is_pointer() { Ty::Ptr } else { self.base }
    }

    pub fn display(self) -> Display {
        match (self.is_pointer(), self.signed) {
            (true, _) => Display::Pointer,
            (false, true) => Display::Signed,
            (false, false) => Display::Unsigned,
        }
    }
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "volatile" | "_Atomic" | "atomic" | "ATOMIC" | "__rcu" | "static")
}

/// The integer type that a word names, and whether it is signed.
pub(crate) fn named(word: &str) -> Option<(Ty, bool)> {
    let plain = word.strip_prefix("atomic_").unwrap_or(word);
    Some(match plain {
        "int" | "int32_t" | "atomic_t" | "t" | "spinlock_t" | "mutex_t" | "mtx_t" | "void" => (Ty::I32, true),
        "uint" | "uint32_t" | "u32" => (Ty::I32, false),
        "char" | "int8_t" | "schar" => (Ty::I8, true),
        "uint8_t" | "uchar" | "bool" | "_Bool" | "u8" => (Ty::I8, false),
        "short" | "int16_t" => (Ty::I16, true),
        "uint16_t" | "ushort" | "u16" => (Ty::I16, false),
        "long" | "llong" | "int64_t" | "intptr_t" | "ptrdiff_t" | "ssize_t" | "atomic64_t" | "long_t" => {
            (Ty::I64, true)
        }
        "ulong" | "ullong" | "uint64_t" | "uintptr_t" | "size_t" | "u64" => (Ty::I64, false),
        _ => return None,
    })
}

/// Reads a type with its stars, if one stands here.
pub(crate) fn parse(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<CType>> {
    let mut found: Option<(Ty, bool)> = None;
    let mut signed = None;
    let mut any = false;
    while cursor.peek().kind == TokenKind::Word {
        let token = cursor.peek();
        let word = token.text;
        // `0:t` and `t = 1` are a register and a location called `t`, not the type behind `atomic_t`.
        if word == "t" || (named(word).is_some() && !names_type(cursor)) {
            break;
        }
        if is_qualifier(word) {
            cursor.bump();
            if matches!(word, "_Atomic" | "atomic") && (cursor.eat("(") || cursor.eat("<")) {
                found = parse(cursor)?.map(|ty| (ty.ty(), ty.signed));
                if !cursor.eat(")") {
                    cursor.expect(">", "after the type")?;
                }
            }
        } else if word == "unsigned" || word == "signed" {
            signed = Some(word == "signed");
            cursor.bump();
        } else if word == "struct" {
            return Err(cursor.file.unsupported_at(token, "structures are not supported in litmus tests"));
        } else if let Some(next) = named(word) {
            // `long int`, `short int`, `long long`: the word that is not `int` decides.
            found = match found {
                Some(known) if word == "int" => Some(known),
                _ => Some(next),
            };
            cursor.bump();
        } else {
            break;
        }
        any = true;
    }
    if !any {
        return Ok(None);
    }
    let (base, sign) = found.unwrap_or((Ty::I32, true));
    let mut ty = CType { base, signed: signed.unwrap_or(sign), stars: 0 };
    loop {
        if cursor.eat("*") {
            ty = ty.pointer_to();
        } else if cursor.peek().kind == TokenKind::Word && is_qualifier(cursor.peek().text) {
            cursor.bump();
        } else {
            return Ok(Some(ty));
        }
    }
}

/// A location may have the name of a type: what follows tells.
fn names_type(cursor: &Cursor<'_, '_>) -> bool {
    let next = cursor.peek_at(1);
    !["=", ";", "[", "}"].iter().any(|p| next.is(p)) || cursor.peek().text == "int" && next.is("[")
}

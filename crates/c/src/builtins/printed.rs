//! What `printf` and its kin write, where the format and its strings are literals.

use super::Call;
use crate::ast;
use crate::tree::{Expr, PrintedLength, PrintedNumber};

/// A part of an output.
pub(super) enum Piece {
    Text(Vec<u8>),
    /// The argument with this place among those after the format.
    Character(usize),
    /// A number of so many bytes.
    Number {
        number: PrintedNumber,
        is_upper: bool,
        size: u64,
    },
}

impl Call<'_, '_, '_> {
    /// The length of an output with the format at argument `first`, if that is of pieces. `args` are the promoted
    /// arguments after it.
    pub(super) fn printed_length(&self, first: usize, args: &[Expr]) -> Option<PrintedLength> {
        let mut length = PrintedLength { text: 0, numbers: Vec::new() };
        for piece in self.pieces(first, args)? {
            match piece {
                Piece::Text(text) => length.text += text.len() as u64,
                Piece::Character(_) => length.text += 1,
                Piece::Number { number, .. } => length.numbers.push(number),
            }
        }
        Some(length)
    }

    /// The pieces of an output, if its format is of text, characters, literal strings and plain integers only.
    pub(super) fn pieces(&self, first: usize, args: &[Expr]) -> Option<Vec<Piece>> {
        let format = self.text(first)?;
        let is_plain = |arg: &Expr| self.checker.is_integer(arg.ty) || self.checker.is_pointer(arg.ty);
        if !args.iter().all(|arg| is_plain(arg) && self.checker.size_of(arg.ty).is_some_and(|size| size <= 8)) {
            return None;
        }
        let mut pieces = Vec::new();
        let mut given = 0..args.len();
        let mut rest = format.into_iter().peekable();
        while let Some(c) = rest.next() {
            if c != b'%' {
                add_text(&mut pieces, &[c]);
                continue;
            }
            let mut modifier = Vec::new();
            while let Some(c) = rest.next_if(|c| b"lzjt".contains(c)) {
                modifier.push(c);
            }
            let conversion = rest.next()?;
            let base = match conversion {
                b'%' if modifier.is_empty() => {
                    add_text(&mut pieces, b"%");
                    continue;
                }
                b'c' if modifier.is_empty() => {
                    pieces.push(Piece::Character(given.next()?));
                    continue;
                }
                b's' if modifier.is_empty() => {
                    add_text(&mut pieces, &self.text(first + 1 + given.next()?)?);
                    continue;
                }
                b'd' | b'i' | b'u' => 10,
                b'x' | b'X' => 16,
                b'o' => 8,
                _ => return None,
            };
            let size = match &modifier[..] {
                [] => 4,
                b"ll" => 8,
                b"j" => 8,
                b"l" | b"z" | b"t" => self.checker.target.pointer_size(),
                _ => return None,
            };
            let arg = given.next()?;
            if self.checker.is_pointer(args[arg].ty) || self.checker.size_of(args[arg].ty) != Some(size) {
                return None;
            }
            let number = PrintedNumber { arg, base, signed: matches!(conversion, b'd' | b'i') };
            pieces.push(Piece::Number { number, is_upper: conversion == b'X', size });
        }
        Some(pieces)
    }

    /// Whether it is known what an output with the format at argument `first` does with its arguments: the format is a literal,
    /// or one of two that do the same.
    pub(super) fn has_known_format(&self, first: usize) -> bool {
        self.formats(first).is_some()
    }

    /// The places, among the arguments after the format, of strings that an output reads, or what there is no meaning for.
    pub(super) fn strings(&self, first: usize) -> Result<Vec<usize>, &'static str> {
        let formats = self.formats(first).ok_or("an output whose format is not a literal")?;
        strings(&formats[0]).ok_or("a conversion '%n', or one that names its argument")
    }

    /// The literals that the format may be; they treat the arguments alike.
    fn formats(&self, first: usize) -> Option<Vec<Vec<u8>>> {
        let mut formats = Vec::new();
        let mut pending = vec![self.args.get(first)?];
        while let Some(format) = pending.pop() {
            match &format.kind {
                ast::ExprKind::Conditional { then: Some(then), otherwise, .. } => pending.extend([&**then, otherwise]),
                _ => formats.push(self.literal(format)?),
            }
        }
        let treated = strings(&formats[0]);
        formats.iter().all(|format| strings(format) == treated).then_some(formats)
    }

    /// The text of an argument that is a string literal.
    fn text(&self, i: usize) -> Option<Vec<u8>> {
        self.literal(self.args.get(i)?)
    }

    /// The text of a string literal up to its first zero. Its characters are bytes.
    fn literal(&self, e: &ast::Expr) -> Option<Vec<u8>> {
        let units = &self.checker.literal_text(e)?.units;
        units.split(|&unit| unit == 0).next()?.iter().map(|&unit| u8::try_from(unit).ok()).collect()
    }
}

/// Which arguments of a format are strings, without a precision, that are read; `None` if one is written to, or if the format
/// says which one it takes.
fn strings(format: &[u8]) -> Option<Vec<usize>> {
    let mut strings = Vec::new();
    let mut arg = 0;
    let mut rest = format.iter();
    while rest.by_ref().any(|&c| c == b'%') {
        let mut is_cut = false;
        for &c in rest.by_ref() {
            match c {
                b'.' => is_cut = true,
                b'*' => arg += 1,
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'0'..=b'9' | b'h' | b'l' | b'j' | b'z' | b't' | b'q' | b'L' => {}
                b'%' | b'm' => break,
                b'n' | b'$' => return None,
                _ => {
                    if c == b's' && !is_cut {
                        strings.push(arg);
                    }
                    arg += 1;
                    break;
                }
            }
        }
    }
    Some(strings)
}

fn add_text(pieces: &mut Vec<Piece>, more: &[u8]) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.extend(more),
        _ => pieces.push(Piece::Text(more.to_vec())),
    }
}

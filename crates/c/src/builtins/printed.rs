//! What `printf` and its kin write, where the format and its strings are literals.

use super::Call;
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

    /// The text of an argument that is a string literal, up to its first zero. Its characters are bytes.
    fn text(&self, i: usize) -> Option<Vec<u8>> {
        let units = &self.checker.literal_text(self.args.get(i)?)?.units;
        units.split(|&unit| unit == 0).next()?.iter().map(|&unit| u8::try_from(unit).ok()).collect()
    }
}

fn add_text(pieces: &mut Vec<Piece>, more: &[u8]) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.extend(more),
        _ => pieces.push(Piece::Text(more.to_vec())),
    }
}

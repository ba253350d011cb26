//! How many characters `printf` and its kin write, where the format and its strings are literals.

use super::Call;
use crate::tree::{Expr, PrintedLength, PrintedNumber};

impl Call<'_, '_, '_> {
    /// The length of an output with the format at argument `first`, if the format is of text, characters, literal strings
    /// and plain integers only. `args` are the promoted arguments after it.
    pub(super) fn printed_length(&self, first: usize, args: &[Expr]) -> Option<PrintedLength> {
        let format = self.text(first)?;
        let is_plain = |arg: &Expr| self.checker.is_integer(arg.ty) || self.checker.is_pointer(arg.ty);
        if !args.iter().all(|arg| is_plain(arg) && self.checker.size_of(arg.ty).is_some_and(|size| size <= 8)) {
            return None;
        }
        let mut length = PrintedLength { text: 0, numbers: Vec::new() };
        let mut given = 0..args.len();
        let mut rest = format.iter().map(|&unit| u8::try_from(unit).unwrap_or(0)).peekable();
        while let Some(c) = rest.next() {
            if c != b'%' {
                length.text += 1;
                continue;
            }
            let mut modifier = Vec::new();
            while let Some(c) = rest.next_if(|c| b"lzjt".contains(c)) {
                modifier.push(c);
            }
            let conversion = rest.next()?;
            let base = match conversion {
                b'%' if modifier.is_empty() => {
                    length.text += 1;
                    continue;
                }
                b'c' if modifier.is_empty() => {
                    given.next()?;
                    length.text += 1;
                    continue;
                }
                b's' if modifier.is_empty() => {
                    length.text += self.text(first + 1 + given.next()?)?.len() as u64;
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
            length.numbers.push(PrintedNumber { arg, base, signed: matches!(conversion, b'd' | b'i') });
        }
        Some(length)
    }

    /// The text of an argument that is a string literal, up to its first zero.
    fn text(&self, i: usize) -> Option<&[u32]> {
        let units = &self.checker.literal_text(self.args.get(i)?)?.units;
        units.split(|&unit| unit == 0).next()
    }
}

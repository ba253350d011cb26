//! `snprintf` and `sprintf` with a literal format of text, characters, literal strings and plain integers: a chain of
//! calls of the models of these pieces, so that no engine has to follow the model that reads a format. Everything else
//! is left to that model.

use super::Call;
use super::printed::Piece;
use crate::ctype::{FunctionType, IntType, QualType, Type, TypeId};
use crate::tree::{Expr, VarId};

/// Longer outputs are left to the general model.
const MOST_CALLS: usize = 24;
/// So many characters of text fit into one number.
const CHUNK: usize = 8;
/// What is added to the base of a number to say more about it; the model knows these.
const SIGNED: i128 = 32;
const NARROW: i128 = 64;
const UPPER: i128 = 128;

impl Call<'_, '_, '_> {
    /// The arguments are checked once, since such calls may be nested deeply.
    pub(super) fn formatted(&mut self, name: &str) -> Expr {
        let first = if name == "snprintf" { 2 } else { 1 };
        let mut args = Vec::new();
        for (i, arg) in self.args.iter().enumerate() {
            let value = self.checker.expr(arg);
            let value = self.checker.value_of(value);
            args.push(if i > first { self.checker.default_promoted(value) } else { value });
        }
        let fits = args.len() > first
            && self.checker.is_pointer(args[0].ty)
            && (first == 1 || self.checker.is_integer(args[1].ty));
        let pieces = if fits { self.pieces(first, &args[first + 1..]) } else { None };
        match pieces.filter(|pieces| pieces.iter().map(calls).sum::<usize>() <= MOST_CALLS) {
            Some(pieces) => self.in_pieces(first, args, &pieces).unwrap_or_else(|| self.checker.error_expr(self.loc)),
            None => {
                let symbol = self.checker.session.symbols.intern(name);
                self.checker.call_checked(self.declared, symbol, args, self.loc)
            }
        }
    }

    fn in_pieces(&mut self, first: usize, args: Vec<Expr>, pieces: &[Piece]) -> Option<Expr> {
        let (size_type, int, pointer) = (self.checker.size_type(), self.checker.int_type(), self.void_pointer());
        let wide = of_int(IntType::UnsignedLongLong);
        // All arguments are evaluated before anything is written.
        let (mut fills, mut kept) = (Vec::new(), Vec::new());
        for (i, value) in args.into_iter().enumerate() {
            let value = match i {
                0 => self.checker.converted(value, pointer),
                1 if first == 2 => self.checker.converted(value, size_type),
                _ => value,
            };
            let (fill, var) = self.keep(value)?;
            fills.push(fill);
            kept.push(var);
        }
        let values = &kept[first + 1..];
        let target = (kept[0], (first == 2).then_some(kept[1]));
        let mut at = self.constant(0, size_type);
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    for chunk in text.chunks(CHUNK) {
                        let characters = chunk.iter().rev().fold(0, |all, &c| all << 8 | i128::from(c));
                        let more = [self.constant(characters, wide), self.constant(chunk.len() as i128, int)];
                        at = self.put("__norn_put_text", target, at, more);
                    }
                }
                Piece::Character(arg) => {
                    let value = self.kept(values[*arg]);
                    let more = [self.checker.converted(value, wide), self.constant(1, int)];
                    at = self.put("__norn_put_text", target, at, more);
                }
                Piece::Number { number, is_upper, size } => {
                    let of_size = match (size, number.signed) {
                        (8, true) => IntType::LongLong,
                        (8, false) => IntType::UnsignedLongLong,
                        (_, true) => IntType::Int,
                        (_, false) => IntType::UnsignedInt,
                    };
                    let value = self.kept(values[number.arg]);
                    let value = self.checker.converted(value, of_int(of_size));
                    let flag = |holds: bool, flag: i128| if holds { flag } else { 0 };
                    let flags = flag(number.signed, SIGNED) + flag(*size < 8, NARROW) + flag(*is_upper, UPPER);
                    let more =
                        [self.checker.converted(value, wide), self.constant(i128::from(number.base) + flags, int)];
                    at = self.put("__norn_put_number", target, at, more);
                }
            }
        }
        let more = [self.constant(0, wide), self.constant(0, int)];
        let length = self.put("__norn_put_end", target, at, more);
        let result = self.checker.converted(length, int);
        Some(fills.into_iter().rev().fold(result, |rest, fill| self.checker.comma(fill, rest)))
    }

    /// `function(to, size, at, number, how)`, which says where the next piece goes.
    fn put(&mut self, function: &str, target: (VarId, Option<VarId>), at: Expr, more: [Expr; 2]) -> Expr {
        let (size_type, int, pointer) = (self.checker.size_type(), self.checker.int_type(), self.void_pointer());
        let size = match target.1 {
            Some(size) => self.kept(size),
            None => self.constant(i128::from(i32::MAX), size_type),
        };
        let params = vec![pointer, size_type, size_type, of_int(IntType::UnsignedLongLong), int];
        let ty = FunctionType { result: size_type, params, variadic: false, prototyped: true };
        let ty = self.checker.types.intern(Type::Function(ty));
        let name = self.checker.session.symbols.intern(function);
        let id = self.checker.linked_function(name, ty, self.loc);
        let [number, how] = more;
        self.checker.call_checked(Some(id), name, vec![self.kept(target.0), size, at, number, how], self.loc)
    }

    fn constant(&self, value: i128, ty: QualType) -> Expr {
        self.checker.int_constant(value, ty, self.loc)
    }
}

/// How many calls a piece becomes.
fn calls(piece: &Piece) -> usize {
    match piece {
        Piece::Text(text) => text.len().div_ceil(CHUNK),
        _ => 1,
    }
}

fn of_int(ty: IntType) -> QualType {
    QualType::unqualified(TypeId::of_int(ty))
}

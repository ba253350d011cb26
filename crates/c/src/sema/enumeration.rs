//! Enumerations: the values of their enumerators and the integer type behind them.

use super::Checker;
use super::scope::Entity;
use crate::ast;
use crate::ctype::{EnumId, IntType, QualType, TypeId};
use norn_ir::diag::Diagnostic;
use norn_ir::number::low_64;

impl Checker<'_> {
    pub(super) fn define_enum(&mut self, id: EnumId, specifier: &ast::EnumSpecifier, enumerators: &[ast::Enumerator]) {
        let earlier = self.types.enumeration(id);
        if earlier.underlying.is_some() {
            let name = specifier.tag.map_or("", |t| self.name(t)).to_owned();
            let earlier = earlier.loc;
            self.report(
                Diagnostic::error(specifier.loc, format!("'enum {name}' is defined twice"))
                    .also(earlier, "the first definition"),
            );
            return;
        }
        let mut next: i128 = 0;
        let int = self.int_type();
        let mut ty = int;
        let (mut least, mut greatest) = (0, 0);
        let mut large = Vec::new();
        for enumerator in enumerators {
            let value = match &enumerator.value {
                Some(e) => {
                    let (value, own) = self.required_typed_int(e, "an enumerator's value").unwrap_or((next, ty));
                    ty = if self.fits(value, int) { int } else { own };
                    value
                }
                None => {
                    // GCC goes on in the type of the enumerator before, which is `int` where that suffices.
                    if !self.fits(next, ty) {
                        self.error(
                            enumerator.loc,
                            "the value after that of the enumerator before does not fit its type",
                        );
                    }
                    next
                }
            };
            next = value.saturating_add(1);
            least = least.min(value);
            greatest = greatest.max(value);
            let ty = self.enumerator_type(value);
            if ty != TypeId::INT {
                large.push((enumerator.name, low_64(value), enumerator.loc));
            }
            if let Some(earlier) = self.scopes.name_here(enumerator.name) {
                let message = format!("'{}' is declared twice", self.name(enumerator.name));
                self.report(Diagnostic::error(enumerator.loc, message).also(earlier.loc, "declared here before"));
                continue;
            }
            self.scopes.bind(enumerator.name, Entity::Constant(low_64(value), ty), enumerator.loc);
        }
        let underlying = self.enum_type(least, greatest, specifier);
        let definition = &mut self.types.enums[id.0 as usize];
        definition.underlying = Some(underlying);
        definition.loc = specifier.loc;
        for (name, bits, loc) in large {
            self.scopes.rebind(name, Entity::Constant(bits, TypeId::of_int(underlying)), loc);
        }
    }

    /// Enumerators are `int` where they fit, as C says. Others have a type that holds them until the enumeration is
    /// complete, and then the one behind the enumeration.
    fn enumerator_type(&self, value: i128) -> TypeId {
        let candidates = [TypeId::INT, TypeId::UNSIGNED_INT, TypeId::LONG, TypeId::LONG_LONG];
        let fitting = candidates.into_iter().find(|&ty| self.fits(value, QualType::unqualified(ty)));
        fitting.unwrap_or(TypeId::UNSIGNED_LONG_LONG)
    }

    /// As GCC chooses: unsigned unless there is a negative value, `int` size unless that is too small.
    fn enum_type(&self, least: i128, greatest: i128, specifier: &ast::EnumSpecifier) -> IntType {
        let fits = |int: IntType| {
            let ty = QualType::unqualified(TypeId::of_int(int));
            self.fits(least, ty) && self.fits(greatest, ty)
        };
        let packed = specifier.attributes.iter().any(|a| a.name == self.words.packed);
        let small: &[IntType] = match (packed, least < 0) {
            (false, _) => &[],
            (true, true) => &[IntType::SignedChar, IntType::Short],
            (true, false) => &[IntType::UnsignedChar, IntType::UnsignedShort],
        };
        let large: &[IntType] = match least < 0 {
            true => &[IntType::Int, IntType::Long, IntType::LongLong],
            false => &[IntType::UnsignedInt, IntType::UnsignedLong, IntType::UnsignedLongLong],
        };
        small.iter().chain(large).copied().find(|&int| fits(int)).unwrap_or(IntType::LongLong)
    }
}

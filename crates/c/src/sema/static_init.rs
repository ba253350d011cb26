//! Initialisers of objects with static storage: every part is a constant, in order of offset, without overlap.

use super::Checker;
use super::abi::float_size;
use super::constant::Value;
use crate::ctype::{BitField, FloatType, QualType, Type};
use crate::tree::walk::{Node, preorder};
use crate::tree::{Builtin, ConstInit, ConstValue, Definition, Expr, ExprKind, Init, InitValue};
use norn_ir::diag::Diagnostic;
use norn_ir::number::{low_64, narrow_to, nearest_f32, to_usize};
use std::collections::BTreeMap;

/// The parts of an object's content so far, by offset; they do not overlap.
#[derive(Default)]
struct Image {
    parts: BTreeMap<u64, ConstValue>,
    pointer_size: u64,
}

impl Checker<'_> {
    /// The constant parts of an initialiser; what is not constant is reported.
    pub(super) fn static_init(&mut self, init: Init, ty: QualType) -> Vec<ConstInit> {
        let mut image = Image { parts: BTreeMap::new(), pointer_size: self.target.pointer_size() };
        match init {
            Init::Expr(e) => self.static_part(&mut image, 0, None, ty, &e),
            Init::List(parts) => {
                for part in parts {
                    match part.value {
                        InitValue::Bytes(bytes) if bytes.is_empty() => {}
                        InitValue::Bytes(bytes) => image.put(part.offset, ConstValue::Bytes(bytes)),
                        InitValue::Expr(e) => self.static_part(&mut image, part.offset, part.bits, part.ty, &e),
                    }
                }
            }
        }
        image.parts.into_iter().map(|(offset, value)| ConstInit { offset, value }).collect()
    }

    fn static_part(&mut self, image: &mut Image, offset: u64, bits: Option<BitField>, ty: QualType, e: &Expr) {
        if self.is_error(e.ty) {
            return;
        }
        if let ExprKind::Builtin(builtin) = &e.kind
            && let Builtin::Unsupported(what) = &**builtin
        {
            self.report(Diagnostic::unsupported(e.loc, what.clone()));
            return;
        }
        let e = self.chosen(e);
        if let (ExprKind::Elements(elements), Some((element, _))) = (&e.kind, self.elements_of(ty)) {
            let size = self.size_of(element).unwrap_or(0);
            for (i, e) in elements.iter().enumerate() {
                self.static_part(image, offset + i as u64 * size, None, element, e);
            }
            return;
        }
        if self.is_record(ty) || self.elements_of(ty).is_some() {
            self.static_copy(image, offset, e);
            return;
        }
        if bits.is_none() && self.static_literal(image, offset, ty, e) {
            return;
        }
        let value = match self.evaluate_initialiser(e) {
            Ok(value) => value,
            Err(problem) if self.has_long_double(e) => {
                self.report(Diagnostic::unsupported(problem.loc, "a constant of type 'long double' that is computed"));
                return;
            }
            Err(problem) => {
                let message = format!("the initialiser of a static object must be constant: {}", problem.message);
                self.error(problem.loc, message);
                return;
            }
        };
        let size = self.size_of(ty).unwrap_or(0);
        match value {
            Value::Int(n) => match bits {
                Some(field) => image.put_bits(offset, field, n),
                None if self.is_wide(ty) => {
                    image.put(offset, ConstValue::Int { size: 8, bits: low_64(n) });
                    image.put(offset + 8, ConstValue::Int { size: 8, bits: (n >> 64) as u64 });
                }
                None => image.put(offset, ConstValue::Int { size, bits: self.cut(low_64(n), ty) }),
            },
            Value::Float(value) if matches!(self.kind(ty), Type::Float(FloatType::LongDouble)) => {
                image.put(offset, ConstValue::Bytes(x87_bytes(value).to_vec()));
            }
            Value::Float(value) => {
                let size = match self.kind(ty) {
                    Type::Float(float) => float_size(*float, self.target).min(8),
                    _ => 8,
                };
                image.put(offset, ConstValue::Float { size, value });
            }
            Value::Object(..) | Value::Function(_) if size != self.target.pointer_size() || bits.is_some() => {
                self.error(e.loc, "the initialiser of a static object must be constant: an address does not fit here");
            }
            Value::Object(id, at) => image.put(offset, ConstValue::Object(id, at)),
            Value::Function(id) => image.put(offset, ConstValue::Function(id)),
        }
    }

    /// Whether a `long double` is among the operands of an expression.
    fn has_long_double(&self, e: &Expr) -> bool {
        let mut found = false;
        preorder(Node::Expr(e), |node| {
            found |= matches!(node, Node::Expr(e) if self.is_long_double(e.ty));
            !found
        });
        found
    }

    /// The branch that a conditional expression comes to, where that is known.
    fn chosen<'e>(&self, e: &'e Expr) -> &'e Expr {
        match &e.kind {
            ExprKind::Conditional { condition, then, otherwise } => match self.evaluate_initialiser(condition) {
                Ok(Value::Int(0)) => self.chosen(otherwise),
                Ok(Value::Int(_)) => self.chosen(then),
                _ => e,
            },
            _ => e,
        }
    }

    /// A scalar that is given by a compound literal of its own type, which GNU C allows.
    fn static_literal(&mut self, image: &mut Image, offset: u64, ty: QualType, e: &Expr) -> bool {
        let ExprKind::Load(place) = &e.kind else { return false };
        if place.ty.ty != ty.ty {
            return false;
        }
        match &place.kind {
            ExprKind::Object(id) if self.unit.objects[id.0 as usize].name.is_none() => {
                if let Definition::Initialised(parts) = &self.unit.objects[id.0 as usize].definition {
                    parts.iter().for_each(|part| image.put(offset + part.offset, part.value.clone()));
                }
                true
            }
            ExprKind::CompoundLiteral(_, init) => match &**init {
                Init::Expr(e) => {
                    self.static_part(image, offset, None, ty, e);
                    true
                }
                Init::List(_) => false,
            },
            _ => false,
        }
    }

    /// A struct or union given as a whole: GNU C allows a compound literal and a `const` object, whose parts are known.
    fn static_copy(&mut self, image: &mut Image, offset: u64, e: &Expr) {
        if let ExprKind::Load(place) = &e.kind {
            match &place.kind {
                ExprKind::Object(id) if self.unit.objects[id.0 as usize].name.is_none() => {
                    if let Definition::Initialised(parts) = &self.unit.objects[id.0 as usize].definition {
                        for part in parts {
                            image.put(offset + part.offset, part.value.clone());
                        }
                    }
                    return;
                }
                ExprKind::CompoundLiteral(_, init) => {
                    if let Init::List(parts) = &**init {
                        for part in parts {
                            match &part.value {
                                InitValue::Bytes(bytes) => {
                                    image.put(offset + part.offset, ConstValue::Bytes(bytes.clone()));
                                }
                                InitValue::Expr(e) => {
                                    self.static_part(image, offset + part.offset, part.bits, part.ty, e);
                                }
                            }
                        }
                        return;
                    }
                }
                _ => {}
            }
            if let Some(parts) = self.known_copy(place) {
                for (at, value) in parts {
                    image.put(offset + at, value);
                }
                return;
            }
        }
        self.error(
            e.loc,
            "the initialiser of a static object must be constant: this value is only known when the program runs",
        );
    }
}

impl ConstValue {
    /// How many bytes it fills.
    pub(super) fn size(&self, pointer_size: u64) -> u64 {
        match self {
            ConstValue::Int { size, .. } | ConstValue::Float { size, .. } => *size,
            ConstValue::Bytes(bytes) => bytes.len() as u64,
            ConstValue::Object(..) | ConstValue::Function(_) => pointer_size,
        }
    }
}

impl Image {
    fn size(&self, value: &ConstValue) -> u64 {
        value.size(self.pointer_size)
    }

    /// Sets a part; what it overlaps keeps its other bytes.
    fn put(&mut self, offset: u64, value: ConstValue) {
        let end = offset + self.size(&value);
        for (start, bytes) in self.take(offset, end) {
            self.restore(start, &bytes, offset, end);
        }
        self.parts.insert(offset, value);
    }

    /// Sets bits of a unit and keeps its others. The unit may have 17 bytes: a field of 128 bits need not be aligned.
    fn put_bits(&mut self, offset: u64, field: BitField, number: i128) {
        let end = offset + field.unit;
        let mut unit = vec![0u8; to_usize(field.unit)];
        for (start, bytes) in self.take(offset, end) {
            for (i, byte) in bytes.iter().enumerate() {
                let at = start + i as u64;
                if at >= offset && at < end {
                    unit[to_usize(at - offset)] = *byte;
                }
            }
            self.restore(start, &bytes, offset, end);
        }
        for bit in 0..field.width {
            let at = field.start + bit;
            let (byte, mask) = (&mut unit[at as usize / 8], 1 << (at % 8));
            *byte = if number >> bit & 1 != 0 { *byte | mask } else { *byte & !mask };
        }
        let value = if matches!(field.unit, 1 | 2 | 4 | 8) {
            let bits = unit.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            ConstValue::Int { size: field.unit, bits }
        } else {
            ConstValue::Bytes(unit)
        };
        self.parts.insert(offset, value);
    }

    /// Removes the parts that overlap a stretch of bytes and returns their bytes. An address has none.
    fn take(&mut self, offset: u64, end: u64) -> Vec<(u64, Vec<u8>)> {
        let mut starts: Vec<u64> = self.parts.range(offset..end).map(|(&start, _)| start).collect();
        if let Some((&start, value)) = self.parts.range(..offset).next_back()
            && start + self.size(value) > offset
        {
            starts.push(start);
        }
        let mut taken = Vec::with_capacity(starts.len());
        for start in starts {
            if let Some(value) = self.parts.remove(&start) {
                taken.push((start, bytes_of(&value)));
            }
        }
        taken
    }

    /// Puts back what a removed part had outside of a stretch of bytes.
    fn restore(&mut self, start: u64, bytes: &[u8], offset: u64, end: u64) {
        if start < offset {
            let before = bytes.len().min(to_usize(offset - start));
            if before > 0 {
                self.parts.insert(start, ConstValue::Bytes(bytes[..before].to_vec()));
            }
        }
        let skip = to_usize(end.saturating_sub(start));
        if skip < bytes.len() {
            self.parts.insert(end.max(start), ConstValue::Bytes(bytes[skip..].to_vec()));
        }
    }
}

fn bytes_of(value: &ConstValue) -> Vec<u8> {
    match value {
        ConstValue::Int { size, bits } => bits.to_le_bytes()[..to_usize(*size)].to_vec(),
        ConstValue::Float { size: 4, value } => nearest_f32(*value).to_le_bytes().to_vec(),
        ConstValue::Float { value, .. } => value.to_le_bytes().to_vec(),
        ConstValue::Bytes(bytes) => bytes.clone(),
        ConstValue::Object(..) | ConstValue::Function(_) => Vec::new(),
    }
}

/// A number in the format of the x87: 64 bits of mantissa with an explicit leading one, 15 bits of exponent, the sign. Every
/// `double` has one; a literal with more digits than that is rounded first, which only its bytes could tell.
pub(crate) fn x87_bytes(value: f64) -> [u8; 10] {
    let bits = value.to_bits();
    let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let (exponent, mantissa) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => {
            let shift = fraction.leading_zeros();
            (16383 - 1022 - u64::from(shift) + 11, fraction << shift)
        }
        (0x7ff, _) => (0x7fff, 1 << 63 | fraction << 11),
        _ => (exponent + 16383 - 1023, 1 << 63 | fraction << 11),
    };
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
    bytes[8..].copy_from_slice(&narrow_to::<u16>(sign << 15 | exponent).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::x87_bytes;

    #[test]
    fn long_doubles_have_the_bytes_of_the_x87() {
        let check = |value: f64, head: u16, mantissa: u64| {
            let mut bytes = mantissa.to_le_bytes().to_vec();
            bytes.extend(head.to_le_bytes());
            assert_eq!(x87_bytes(value).to_vec(), bytes, "{value}");
        };
        check(0.0, 0, 0);
        check(-0.0, 0x8000, 0);
        check(1.0, 0x3fff, 1 << 63);
        check(-2.5, 0xc000, 0xa << 60);
        check(f64::INFINITY, 0x7fff, 1 << 63);
        check(f64::MIN_POSITIVE, 0x3c01, 1 << 63);
        // The smallest number, 2^-1074.
        check(f64::from_bits(1), 0x3fff - 1074, 1 << 63);
        check(f64::from_bits(3), 0x3fff - 1073, 3 << 62);
    }
}

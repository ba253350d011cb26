//! Values of literals: numbers, character constants and strings, from their spelling.
//!
//! Integers are given a value and what their suffix says; which type that makes is the type checker's business.
//! Decimal floating types are not known.

mod extended;
#[cfg(test)]
mod tests;

pub use extended::Extended;

use norn_ir::number::narrow_to;

/// A number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int {
        value: u64,
        unsigned: bool,
        /// 0 without suffix, 1 for `l`, 2 for `ll`.
        long_rank: u8,
        /// Written in decimal, so that only `u` can make it unsigned.
        decimal: bool,
    },
    Float {
        /// Of a `long double`, the nearest `double`.
        value: f64,
        kind: FloatKind,
        /// Of a `long double`, the number itself; `None` if it has very many digits.
        extended: Option<Extended>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
    /// `_Float128`.
    Quad,
}

/// What the prefix of a character constant or string says about its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CharKind {
    /// `char`: no prefix.
    Plain,
    /// `wchar_t`: `L`.
    Wide,
    /// `char16_t`: `u`.
    U16,
    /// `char32_t`: `U`.
    U32,
    /// `char` in UTF-8: `u8`.
    U8,
}

impl CharKind {
    /// The greatest value of an element.
    fn max(self) -> u32 {
        match self {
            CharKind::Plain | CharKind::U8 => 0xFF,
            CharKind::U16 => 0xFFFF,
            CharKind::Wide | CharKind::U32 => u32::MAX,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharConstant {
    pub value: i64,
    pub kind: CharKind,
}

/// One string literal, without the zero at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringPiece {
    pub kind: CharKind,
    /// Elements: bytes, UTF-16 or UTF-32 units.
    pub units: Vec<u32>,
}

/// The value of a preprocessing number, and whether its suffix makes it imaginary. The error is a message for a diagnostic.
pub fn number(text: &str) -> Result<(Number, bool), String> {
    let is_imaginary = |c: char| matches!(c, 'i' | 'I' | 'j' | 'J');
    // It may stand before or after the rest of the suffix.
    let end = text.find(is_imaginary);
    match end {
        Some(at) if !text[at + 1..].contains(is_imaginary) => {
            let real = format!("{}{}", &text[..at], &text[at + 1..]);
            Ok((real_number(&real)?, true))
        }
        _ => Ok((real_number(text)?, false)),
    }
}

fn real_number(text: &str) -> Result<Number, String> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let exponent = if radix == 16 { 'p' } else { 'e' };
    if radix != 2 && digits.contains(['.', exponent]) {
        return float(text, radix == 16, digits);
    }
    let end = digits.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    // In `lL` the two must have the same case, which the lowered text no longer shows.
    let mixed_case = text.contains("lL") || text.contains("Ll");
    let (unsigned, long_rank) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" if !mixed_case => (false, 2),
        "ull" | "llu" if !mixed_case => (true, 2),
        // A decimal number with the suffix of a floating one (`1f`) is neither.
        _ => return Err(format!("'{}' is not a suffix of a number, in '{text}'", &text[text.len() - suffix.len()..])),
    };
    if digits.is_empty() {
        return Err(format!("'{text}' has no digits"));
    }
    let mut value: u64 = 0;
    for c in digits.chars() {
        let Some(digit) = c.to_digit(radix) else {
            let name = if radix == 2 { "binary" } else { "octal" };
            return Err(format!("'{c}' is not a digit of the {name} number '{text}'"));
        };
        let next = value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(digit)));
        value = next.ok_or_else(|| format!("the number '{text}' does not fit in 64 bits"))?;
    }
    Ok(Number::Int { value, unsigned, long_rank, decimal: radix == 10 })
}

/// A floating number; `digits` is in lower case and without `0x`.
fn float(text: &str, hex: bool, digits: &str) -> Result<Number, String> {
    let invalid = || format!("'{text}' is not a number");
    let radix = if hex { 16 } else { 10 };
    let mantissa_end = digits.find(|c: char| !c.is_digit(radix) && c != '.').unwrap_or(digits.len());
    let (mantissa, rest) = digits.split_at(mantissa_end);
    if mantissa.matches('.').count() > 1 || !mantissa.contains(|c: char| c.is_digit(radix)) {
        return Err(invalid());
    }
    let (exponent, suffix) = match rest.strip_prefix(if hex { 'p' } else { 'e' }) {
        Some(rest) => {
            let signless = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            let count = signless.find(|c: char| !c.is_ascii_digit()).unwrap_or(signless.len());
            if count == 0 {
                return Err(format!("the exponent of '{text}' has no digits"));
            }
            let (exponent, suffix) = rest.split_at(rest.len() - signless.len() + count);
            (Some(exponent), suffix)
        }
        None if hex => return Err(format!("the hexadecimal floating number '{text}' has no exponent")),
        None => (None, rest),
    };
    let kind = match suffix {
        "f" | "f32" => FloatKind::Float,
        "" | "f64" | "f32x" | "d" => FloatKind::Double,
        "l" | "w" | "f64x" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Quad,
        _ => return Err(format!("'{suffix}' is not a suffix of a number, in '{text}'")),
    };
    let value = if hex {
        hex_float(mantissa, exponent.unwrap_or("0"), kind == FloatKind::Float)
    } else {
        let decimal = format!("{mantissa}e{}", exponent.unwrap_or("0"));
        // Rounded once: a `float` is not a rounded `double`.
        let value = match kind {
            FloatKind::Float => decimal.parse::<f32>().map(f64::from),
            _ => decimal.parse::<f64>(),
        };
        value.map_err(|_| invalid())?
    };
    let extended = match kind {
        FloatKind::LongDouble => extended::extended(mantissa, exponent.unwrap_or("0"), radix),
        _ => None,
    };
    Ok(Number::Float { value, kind, extended })
}

/// The value of a hexadecimal mantissa with a decimal exponent of two, rounded to nearest, ties to even.
fn hex_float(mantissa: &str, exponent: &str, single: bool) -> f64 {
    // An exponent that does not fit is as good as infinite; sums below stay within i64.
    let clamped = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let mut exponent = clamped.clamp(-(1 << 40), 1 << 40);
    let mut bits: u128 = 0;
    let mut sticky = false;
    let mut fraction = false;
    for c in mantissa.chars() {
        let Some(digit) = c.to_digit(16) else {
            fraction = true;
            continue;
        };
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            exponent -= if fraction { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if fraction { 0 } else { 4 };
        }
    }
    if bits == 0 {
        return 0.0;
    }
    let (precision, min_exponent, max_exponent) = if single { (24, -149, 128) } else { (53, -1074, 1024) };
    // The value is `bits * 2^exponent`. Keep `precision` bits, fewer below the smallest normal number.
    let width = i64::from(128 - bits.leading_zeros());
    let drop = (width - precision).max(min_exponent - exponent);
    if drop > 0 {
        let dropped = u32::try_from(drop).unwrap_or(u32::MAX);
        let (kept, rest, half) = match dropped {
            0..=127 => (bits >> dropped, bits & ((1 << dropped) - 1), 1 << (dropped - 1)),
            128 => (0, bits, 1 << 127),
            // Less than half of the smallest number.
            _ => return 0.0,
        };
        let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
        bits = kept + u128::from(up);
        exponent += drop;
    }
    let width = i64::from(128 - bits.leading_zeros());
    if width + exponent > max_exponent {
        return f64::INFINITY;
    }
    // At most 53 bits are left, so that the product is exact; 2^exponent itself may need two factors.
    let half = exponent / 2;
    bits as f64 * power_of_two(half) * power_of_two(exponent - half)
}

/// 2^n for an n that `f64` has as a normal number.
fn power_of_two(n: i64) -> f64 {
    let biased = u64::try_from((n + 1023).clamp(1, 2046)).unwrap_or(1);
    f64::from_bits(biased << 52)
}

/// The value of a character constant, as GCC has it: a plain one is of type `int`, `'ab'` is `'a' * 256 + 'b'`.
pub fn char_constant(text: &str) -> Result<CharConstant, String> {
    let (kind, units) = units(text, '\'')?;
    let value = match (kind, units.as_slice()) {
        (_, []) => return Err("the character constant is empty".to_owned()),
        // `char` is signed.
        (CharKind::Plain, [unit]) => i64::from(narrow_to::<u8>(*unit) as i8),
        (CharKind::Plain, [..]) if units.len() <= 4 => {
            i64::from(units.iter().fold(0u32, |value, unit| value << 8 | unit) as i32)
        }
        (CharKind::Wide, [unit]) => i64::from(*unit as i32),
        (_, [unit]) => i64::from(*unit),
        _ => return Err(format!("the character constant {text} has too many characters")),
    };
    Ok(CharConstant { value, kind })
}

/// The elements of a string literal.
pub fn string(text: &str) -> Result<StringPiece, String> {
    let (kind, units) = units(text, '"')?;
    Ok(StringPiece { kind, units })
}

/// The text that the elements of a string literal spell, for names and messages. What is no character becomes U+FFFD.
pub fn spelt(kind: CharKind, units: &[u32]) -> String {
    match kind {
        CharKind::Plain | CharKind::U8 => {
            let bytes: Vec<u8> = units.iter().map(|&unit| narrow_to(unit)).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        CharKind::U16 => {
            let units = units.iter().map(|&unit| narrow_to(unit));
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        CharKind::Wide | CharKind::U32 => {
            units.iter().map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
    }
}

/// Prefix and elements of a literal between `quote`s.
fn units(text: &str, quote: char) -> Result<(CharKind, Vec<u32>), String> {
    let start = text.find(quote).ok_or("the literal has no quotes")?;
    let kind = match &text[..start] {
        "" => CharKind::Plain,
        "L" => CharKind::Wide,
        "u" => CharKind::U16,
        "U" => CharKind::U32,
        "u8" => CharKind::U8,
        prefix => return Err(format!("'{prefix}' is not a prefix of a literal")),
    };
    let inner = text[start + 1..].strip_suffix(quote).ok_or("the literal is not closed")?;
    let mut units = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            escape(kind, &mut rest, &mut units)?;
        } else {
            push_char(kind, c, &mut units);
        }
    }
    Ok((kind, units))
}

fn push_char(kind: CharKind, c: char, units: &mut Vec<u32>) {
    match kind {
        CharKind::Plain | CharKind::U8 => units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        CharKind::U16 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit))),
        CharKind::Wide | CharKind::U32 => units.push(c as u32),
    }
}

/// An escape sequence, its backslash already read.
fn escape(kind: CharKind, rest: &mut &str, units: &mut Vec<u32>) -> Result<(), String> {
    let c = rest.chars().next().ok_or("the literal ends in a backslash")?;
    let digits = |from: usize, most: usize, radix: u32| {
        rest[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count()
    };
    let mut used = c.len_utf8();
    match c {
        'u' | 'U' => {
            let wanted = if c == 'u' { 4 } else { 8 };
            if digits(1, wanted, 16) < wanted {
                return Err(format!("'\\{c}' needs {wanted} hexadecimal digits"));
            }
            used += wanted;
            let name = &rest[..used];
            let code = u32::from_str_radix(&rest[1..used], 16).ok().and_then(char::from_u32);
            // The characters of C itself are written plainly.
            let code = code.filter(|&c| c >= '\u{A0}' || ['$', '@', '`'].contains(&c));
            let code = code.ok_or_else(|| format!("'\\{name}' is not a character"))?;
            push_char(kind, code, units);
        }
        'x' | '0'..='7' => {
            let (from, most, radix) = if c == 'x' { (1, usize::MAX, 16) } else { (0, 3, 8) };
            let count = digits(from, most, radix);
            if count == 0 {
                return Err("'\\x' needs hexadecimal digits".to_owned());
            }
            used = from + count;
            let value = rest[from..used].chars().filter_map(|c| c.to_digit(radix)).try_fold(0u32, |value, digit| {
                value.checked_mul(radix)?.checked_add(digit).filter(|&value| value <= kind.max())
            });
            units.push(value.ok_or_else(|| format!("the escape '\\{}' is out of range", &rest[..used]))?);
        }
        'n' => units.push(10),
        't' => units.push(9),
        'r' => units.push(13),
        'a' => units.push(7),
        'b' => units.push(8),
        'f' => units.push(12),
        'v' => units.push(11),
        'e' | 'E' => units.push(27),
        // An unknown escape is the character itself, as in GCC.
        _ => push_char(kind, c, units),
    }
    *rest = &rest[used..];
    Ok(())
}

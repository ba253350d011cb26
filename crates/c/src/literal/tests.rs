use super::*;

fn int(value: u64, unsigned: bool, long_rank: u8, decimal: bool) -> Number {
    Number::Int { value, unsigned, long_rank, decimal }
}

#[test]
fn integers() {
    let check = |text: &str, expected| assert_eq!(number(text), Ok((expected, false)), "{text}");
    check("0", int(0, false, 0, false));
    check("1234567890", int(1_234_567_890, false, 0, true));
    check("0777", int(0o777, false, 0, false));
    check("0xDeadBeef", int(0xDEAD_BEEF, false, 0, false));
    check("0b101", int(5, false, 0, false));
    check("0B11u", int(3, true, 0, false));
    check("18446744073709551615", int(u64::MAX, false, 0, true));
    for (suffix, unsigned, rank) in [
        ("u", true, 0),
        ("U", true, 0),
        ("l", false, 1),
        ("L", false, 1),
        ("ul", true, 1),
        ("Lu", true, 1),
        ("ll", false, 2),
        ("LL", false, 2),
        ("uLL", true, 2),
        ("llU", true, 2),
    ] {
        check(&format!("7{suffix}"), int(7, unsigned, rank, true));
    }
}

#[test]
fn imaginary_numbers() {
    assert_eq!(number("3i"), Ok((int(3, false, 0, true), true)));
    assert_eq!(number("3uLj"), Ok((int(3, true, 1, true), true)));
    assert_eq!(number("0x1Iu"), Ok((int(1, true, 0, false), true)));
    assert!(matches!(number("1.5if"), Ok((Number::Float { value: 1.5, kind: FloatKind::Float, .. }, true))));
    assert!(number("3ij").is_err());
}

#[test]
fn long_doubles_are_the_nearest_of_the_x87() {
    let check = |text: &str, mantissa: u64, head: u16| {
        let Ok((Number::Float { extended, .. }, false)) = number(text) else { panic!("{text} should be a number") };
        assert_eq!(extended, Some(Extended { mantissa, head }), "{text}");
    };
    check("0.0L", 0, 0);
    check("1.0L", 1 << 63, 16383);
    check("2.5L", 0xa << 60, 16384);
    check("0.1L", 0xcccc_cccc_cccc_cccd, 16379);
    check("3.14159265358979323846264338327950288L", 0xc90f_daa2_2168_c235, 16384);
    check("1e4932L", 0xd72c_b2a9_5c7e_f6cd, 0x7ffe);
    check("1e5000L", 1 << 63, 0x7fff);
    check("1e-5000L", 0, 0);
    check("3.6e-4951L", 1, 0);
    check("0x1p-16445L", 1, 0);
    check("0x1p-16446L", 0, 0);
    check("0x1.8p-16445L", 2, 0);
    check("0x1p-16382L", 1 << 63, 1);
    check("0x1.fffffffffffffffep16383L", u64::MAX, 0x7ffe);
    check("0x1.ffffffffffffffffp16383L", 1 << 63, 0x7fff);
    check("18446744073709551615.5L", 1 << 63, 16383 + 64);
}

#[test]
fn wrong_numbers() {
    let check = |text: &str, expected: &str| assert_eq!(number(text), Err(expected.to_owned()));
    check("18446744073709551616", "the number '18446744073709551616' does not fit in 64 bits");
    check("0x10000000000000000", "the number '0x10000000000000000' does not fit in 64 bits");
    check("089", "'8' is not a digit of the octal number '089'");
    check("0b12", "'2' is not a digit of the binary number '0b12'");
    check("0x", "'0x' has no digits");
    check("12abc", "'abc' is not a suffix of a number, in '12abc'");
    check("1lL", "'lL' is not a suffix of a number, in '1lL'");
    check("1f", "'f' is not a suffix of a number, in '1f'");
    check("1lul", "'lul' is not a suffix of a number, in '1lul'");
    check("1.5x", "'x' is not a suffix of a number, in '1.5x'");
    check("1.2.3", "'1.2.3' is not a number");
    check("1e", "the exponent of '1e' has no digits");
    check("1e+", "the exponent of '1e+' has no digits");
    check("0x1.8", "the hexadecimal floating number '0x1.8' has no exponent");
    check("0x.p1", "'0x.p1' is not a number");
    check("0x1e+3", "'+3' is not a suffix of a number, in '0x1e+3'");
    check("1é", "'é' is not a suffix of a number, in '1é'");
}

#[test]
fn floats() {
    let check = |text: &str, value: f64, kind| {
        let Ok((Number::Float { value: found, kind: found_kind, .. }, false)) = number(text) else {
            panic!("{text} should be a floating number, not {:?}", number(text));
        };
        assert_eq!((found.to_bits(), found_kind), (value.to_bits(), kind), "{text}: {found}");
    };
    use FloatKind::*;
    check("1.5", 1.5, Double);
    check(".5", 0.5, Double);
    check("5.", 5.0, Double);
    check("1e10", 1e10, Double);
    check("08.5", 8.5, Double);
    check("1.E-3L", 1e-3, LongDouble);
    check("0.1f", f64::from(0.1f32), Float);
    check("0.1F", f64::from(0.1f32), Float);
    check("1.0f128", 1.0, Quad);
    check("1.0q", 1.0, Quad);
    check("1e400", f64::INFINITY, Double);
    check("1e-400", 0.0, Double);
    check("0x1p3", 8.0, Double);
    check("0x.8p1", 1.0, Double);
    check("0x1.8P-1f", 0.75, Float);
    check("0x1.fffffffffffffp1023", f64::MAX, Double);
    check("0x1p1024", f64::INFINITY, Double);
    check("0x1p-1074", f64::from_bits(1), Double);
    check("0x1p-1075", 0.0, Double);
    check("0x1.8p-1075", f64::from_bits(1), Double);
    check("0x3p-1075", f64::from_bits(2), Double);
    check("0x1p-1022", f64::MIN_POSITIVE, Double);
    check("0x1.00000000000008p0", 1.0, Double);
    check("0x1.00000000000018p0", f64::from_bits(1.0f64.to_bits() + 2), Double);
    check("0x1.000000000000080000000000000000000000000000001p0", f64::from_bits(1.0f64.to_bits() + 1), Double);
    check("0x1.000001p0f", 1.0, Float);
    check("0x1.fffffep127f", f64::from(f32::MAX), Float);
    check("0x1p128f", f64::INFINITY, Float);
    check("0x0p99999999999999999999", 0.0, Double);
    check("0x1p99999999999999999999", f64::INFINITY, Double);
    check("0x1p-99999999999999999999", 0.0, Double);
}

#[test]
fn characters() {
    let check = |text: &str, value: i64, kind| {
        assert_eq!(char_constant(text), Ok(CharConstant { value, kind }), "{text}");
    };
    use CharKind::*;
    check("'a'", 97, Plain);
    check(r"'\n'", 10, Plain);
    check(r"'\''", 39, Plain);
    check(r"'\0'", 0, Plain);
    check(r"'\377'", -1, Plain);
    check(r"'\x80'", -128, Plain);
    check(r"'\e'", 27, Plain);
    check(r"'\1234'", (0o123 << 8) | 0x34, Plain);
    check("'ab'", 0x6162, Plain);
    check("'abcd'", 0x6162_6364, Plain);
    check(r"'\377\377\377\377'", -1, Plain);
    check("'é'", 0xC3A9, Plain);
    check("L'é'", 0xE9, Wide);
    check(r"L'\xffffffff'", -1, Wide);
    check(r"u'\u20ac'", 0x20AC, U16);
    check("U'\u{1F600}'", 0x1F600, U32);
    check(r"u8'\xff'", 255, U8);
}

#[test]
fn wrong_characters() {
    let check = |text: &str, expected: &str| assert_eq!(char_constant(text), Err(expected.to_owned()));
    check("''", "the character constant is empty");
    check("'abcde'", "the character constant 'abcde' has too many characters");
    check("L'ab'", "the character constant L'ab' has too many characters");
    check(r"'\x'", "'\\x' needs hexadecimal digits");
    check(r"'\x100'", "the escape '\\x100' is out of range");
    check(r"'\400'", "the escape '\\400' is out of range");
    check(r"'\u12'", "'\\u' needs 4 hexadecimal digits");
    check(r"'\ud800'", "'\\ud800' is not a character");
    check(r"'\u0041'", "'\\u0041' is not a character");
    check(r"'\'", "the literal ends in a backslash");
    check("'", "the literal is not closed");
    check("a", "the literal has no quotes");
}

#[test]
fn strings() {
    let check = |text: &str, kind, units: &[u32]| {
        assert_eq!(string(text), Ok(StringPiece { kind, units: units.to_vec() }), "{text}");
    };
    use CharKind::*;
    check("\"\"", Plain, &[]);
    check("\"aé\"", Plain, &[97, 0xC3, 0xA9]);
    check(r#""\101\x41\t\"\\\?\q""#, Plain, &[65, 65, 9, 34, 92, 63, 113]);
    check(r#""\u00e9""#, Plain, &[0xC3, 0xA9]);
    check("L\"é\u{1F600}\"", Wide, &[0xE9, 0x1F600]);
    check("u\"\u{1F600}\"", U16, &[0xD83D, 0xDE00]);
    check(r#"U"\U0001F600""#, U32, &[0x1F600]);
    check("u8\"é\"", U8, &[0xC3, 0xA9]);
    assert!(string("\"").is_err());
}

#[test]
fn strings_spell_texts() {
    let check = |literal: &str, text: &str| {
        let piece = string(literal).unwrap();
        assert_eq!(spelt(piece.kind, &piece.units), text, "{literal}");
    };
    for prefix in ["", "u8", "L", "u", "U"] {
        check(&format!("{prefix}\"aé≤\u{1F600}\""), "aé≤\u{1F600}");
    }
    check(r#""\377""#, "\u{FFFD}");
    check(r#"u"\xD83D!""#, "\u{FFFD}!");
    check(r#"L"\xFFFFFFFF""#, "\u{FFFD}");
}

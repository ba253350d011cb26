//! Classes of characters.

pub const IDENT_START: u8 = 1;
pub const IDENT: u8 = 2;
pub const DIGIT: u8 = 4;
/// White space within a line.
pub const BLANK: u8 = 8;
/// What matters in a group that is skipped: line breaks, quotes, comments and backslashes.
pub const SKIP_STOP: u8 = 16;
/// What white space, a comment or a line splice may begin with.
pub const GAP: u8 = 32;

/// The classes of each byte. Bytes outside ASCII have none: they are decoded first.
pub static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 128 {
        let byte = norn_ir::number::low_8(i as u64);
        table[i] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => IDENT_START | IDENT,
            b'0'..=b'9' => DIGIT | IDENT,
            b' ' | b'\t' | b'\r' | 0x0B | 0x0C => BLANK | GAP,
            b'\n' | b'/' | b'\\' => SKIP_STOP | GAP,
            b'"' | b'\'' => SKIP_STOP,
            _ => 0,
        };
        i += 1;
    }
    table
}

/// The characters outside ASCII that identifiers may contain (C11, annex D.1).
#[rustfmt::skip]
const IDENTIFIER_RANGES: &[(u32, u32)] = &[
    (0xA8, 0xA8), (0xAA, 0xAA), (0xAD, 0xAD), (0xAF, 0xAF), (0xB2, 0xB5), (0xB7, 0xBA), (0xBC, 0xBE), (0xC0, 0xD6),
    (0xD8, 0xF6), (0xF8, 0x167F), (0x1681, 0x180D), (0x180F, 0x1FFF), (0x200B, 0x200D), (0x202A, 0x202E),
    (0x203F, 0x2040), (0x2054, 0x2054), (0x2060, 0x218F), (0x2460, 0x24FF), (0x2776, 0x2793), (0x2C00, 0x2DFF),
    (0x2E80, 0x2FFF), (0x3004, 0x3007), (0x3021, 0x302F), (0x3031, 0xD7FF), (0xF900, 0xFD3D), (0xFD40, 0xFDCF),
    (0xFDF0, 0xFE44), (0xFE47, 0xFFFC), (0x10000, 0x1FFFD), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD),
    (0x40000, 0x4FFFD), (0x50000, 0x5FFFD), (0x60000, 0x6FFFD), (0x70000, 0x7FFFD), (0x80000, 0x8FFFD),
    (0x90000, 0x9FFFD), (0xA0000, 0xAFFFD), (0xB0000, 0xBFFFD), (0xC0000, 0xCFFFD), (0xD0000, 0xDFFFD),
    (0xE0000, 0xEFFFD),
];

/// Of these, the combining characters that may not come first (annex D.2).
const NOT_FIRST: &[(u32, u32)] = &[(0x300, 0x36F), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)];

/// Whether a character outside ASCII may stand in an identifier. U+FFFD, which stands for bytes that could not be
/// decoded, may not, though annex D has it.
pub fn in_identifier(c: char, first: bool) -> bool {
    let within = |ranges: &[(u32, u32)]| ranges.iter().any(|&(low, high)| (low..=high).contains(&(c as u32)));
    within(IDENTIFIER_RANGES) && !(first && within(NOT_FIRST))
}

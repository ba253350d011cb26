//! Random changes to texts: bytes, tokens, lines, numbers, nesting, pieces of another text.

use norn_ir::number::low_8;
use norn_testing::Random;

/// Numbers at the ends of ranges, and what is no number.
pub const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "127",
    "128",
    "255",
    "256",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "0x7fffffffffffffffULL",
    "0xffffffffffffffffffff",
    "1e300",
    "1e999",
    "-0",
    "0.5",
    "1.0e-400L",
    "nan",
    "inf",
    "'\\777'",
    "1000000",
    "077777777777777777777777",
    "3u",
    "64",
    "63",
    "31",
    "32",
    "33",
    "10000000",
];

const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "#",
    "##",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "//",
    "\n",
    "...",
    "0x",
    "struct",
    "int",
    "typedef",
    "sizeof(",
    "_Atomic",
    "_Atomic(int)",
    "return",
    "goto x;",
    "x:",
    "case 1:",
    "#if 1\n",
    "#endif\n",
    "#define F(",
    "#include <pthread.h>\n",
    "#line 5 \"a\\nb\"\n",
    "-1",
    "1u << 99",
    "1e999",
    "0b2",
    "__attribute__((",
    "({",
    "})",
    "__typeof__(",
    "->",
    "?:",
    "<<=",
    "\0",
    "\u{fc}",
    "\x1b[2J",
    "\u{202e}",
    "[-1]",
    "static",
    "extern",
    "void",
    "enum {",
    "union",
    "default:",
    "break;",
    "continue;",
    ".x =",
    "_Generic(",
    "__builtin_va_arg(",
    "restrict",
    "const",
    "volatile",
    "inline",
    "_Thread_local",
    "long",
    "unsigned",
    "short",
    "char",
    "double",
    "float",
    "_Bool",
    "__int128",
    "_Complex",
    "asm(\"\");",
    "__asm__ volatile(\"mfence\" ::: \"memory\");",
    "while (1)",
    "for (;;)",
    "do",
    "if (x)",
    "else",
    "switch (x)",
    "assert(0);",
    "abort();",
    "exit(1);",
    "malloc(1)",
    "free(p);",
    "pthread_exit(0);",
    "main()",
    "__VERIFIER_nondet_int()",
    "__VERIFIER_assume(0);",
    "__VERIFIER_atomic_begin();",
    "__VERIFIER_atomic_end();",
    "*(int *)0",
    "(char)",
    "(void *)",
    "!",
    "~",
    "%",
    "/ 0",
    "++",
    "--",
    "&&",
    "||",
    "^=",
    "_Static_assert(1, \"\");",
    "_Alignas(8)",
    "__extension__",
    "__func__",
    "L\"x\"",
    "u8\"\\xff\"",
    "exists",
    "forall",
    "~exists",
    "/\\",
    "\\/",
    "0:r1=1",
    "P9",
    "|",
    "lwsync",
    "stw r1,0(r2)",
    "MOV [x],$1",
    "MFENCE",
];

/// A text, changed a little.
pub fn mutate(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = if text.is_empty() { b" ".to_vec() } else { text.to_vec() };
    // Many of these still mean something, and come as far as the engines.
    if random.one_in(2) {
        (0..=random.index(3)).for_each(|_| change_meaning(&mut bytes, random));
        return bytes;
    }
    // Half of all get one change: those come furthest.
    let changes = if random.one_in(2) { 1 } else { 1 + random.index(6) };
    for _ in 0..changes {
        change(&mut bytes, other, random);
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.index(bytes.len());
    match random.index(20) {
        0 => bytes[at] ^= 1 << random.index(8),
        1 => bytes[at] = low_8(random.number()),
        2 => bytes.truncate(at.max(1)),
        3 | 4 => insert(bytes, at, random.pick(FRAGMENTS).as_bytes()),
        5 => {
            let other_at = random.index(other.len());
            let end = (other_at + 1 + random.index(400)).min(other.len());
            insert(bytes, at, &other[other_at.min(end)..end]);
        }
        6 => {
            // The beginning of one, the end of the other.
            let other_at = random.index(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[other_at.min(other.len())..]);
        }
        7 => nest(bytes, at, random),
        8 => insert(bytes, at, &[0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80][random.index(5)..]),
        9 | 10 => change_number(bytes, at, random),
        11 | 12 => change_lines(bytes, at, random),
        13 => {
            // Names change places: types and declarations stop fitting.
            let (one, two) = (token_at(bytes, at), token_at(bytes, random.index(bytes.len())));
            let copy = bytes[two].to_vec();
            bytes.splice(one, copy);
        }
        14 | 15 => {
            let token = token_at(bytes, at);
            drop(bytes.drain(token));
        }
        16 => {
            let token = token_at(bytes, at);
            let mut copy = bytes[token.clone()].to_vec();
            copy.push(b' ');
            insert(bytes, token.start, &copy);
        }
        17 => {
            let token = token_at(bytes, at);
            let fragment = random.pick(FRAGMENTS).bytes();
            bytes.splice(token, fragment);
        }
        _ => swap_tokens(bytes, at, random),
    }
}

/// A word becomes another word of the text, a number another number, an operator another operator; lines go or come again.
fn change_meaning(bytes: &mut Vec<u8>, random: &mut Random) {
    const OPERATORS: &[&str] = &[
        "+", "-", "*", "&", "|", "<", ">", "=", "!", "==", "!=", "<=", "&&", "||", "<<", ">>", "%", "/", "^", "+=",
        "-=",
    ];
    const LIKE: &[&[&str]] = &[
        &["+", "-", "/", "%", "^", "|"],
        &["<", ">", "<=", ">=", "==", "!="],
        &["&&", "||"],
        &["=", "+=", "-=", "|=", "^=", "&=", "*="],
        &["++", "--"],
    ];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_operator = |byte: &u8| b"+-*&|<>=!%/^".contains(byte);
    let at = random.index(bytes.len());
    let next = |bytes: &[u8], at: usize, wanted: &dyn Fn(&u8) -> bool| {
        let start = (at..bytes.len()).chain(0..at).find(|&i| wanted(&bytes[i]))?;
        let end = (start..bytes.len()).find(|&i| !wanted(&bytes[i])).unwrap_or(bytes.len());
        Some(start..end)
    };
    match random.index(8) {
        0 => {
            let other = random.index(bytes.len());
            if let (Some(one), Some(two)) = (next(bytes, at, &is_word), next(bytes, other, &is_word)) {
                let copy = bytes[two].to_vec();
                bytes.splice(one, copy);
            }
        }
        1..=3 => change_number(bytes, at, random),
        4..=6 => {
            if let Some(token) = next(bytes, at, &is_operator) {
                let alike = LIKE.iter().find(|like| like.iter().any(|other| other.as_bytes() == &bytes[token.clone()]));
                let other = random.pick(alike.unwrap_or(&OPERATORS));
                bytes.splice(token, other.bytes());
            }
        }
        _ => change_lines(bytes, at, random),
    }
    if bytes.is_empty() {
        bytes.push(b' ');
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The word, the number, the sign or the blanks at a place.
fn token_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let sort = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() || b == b'_' => 0,
        b if b.is_ascii_whitespace() => 1,
        b => u32::from(b) + 2,
    };
    let wanted = sort(bytes[at]);
    let start = (0..at).rev().find(|&i| sort(bytes[i]) != wanted).map_or(0, |i| i + 1);
    let end = (at..bytes.len()).find(|&i| sort(bytes[i]) != wanted).unwrap_or(bytes.len());
    start..end
}

fn swap_tokens(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let one = token_at(bytes, at);
    let two = token_at(bytes, random.index(bytes.len()));
    let (first, second) = if one.start <= two.start { (one, two) } else { (two, one) };
    if first.end > second.start {
        return;
    }
    let (a, b) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
    bytes.splice(second, a);
    bytes.splice(first, b);
}

fn change_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let from_here = (at..bytes.len()).chain(0..at).find(|&i| bytes[i].is_ascii_digit());
    if let Some(digit) = from_here {
        let token = token_at(bytes, digit);
        bytes.splice(token, random.pick(NUMBERS).bytes());
    }
}

fn change_lines(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let start = (0..at).rev().find(|&i| bytes[i] == b'\n').map_or(0, |i| i + 1);
    let mut end = start;
    for _ in 0..=random.index(4) {
        end = (end..bytes.len()).find(|&i| bytes[i] == b'\n').map_or(bytes.len(), |i| i + 1);
    }
    let lines = bytes[start..end].to_vec();
    match random.index(3) {
        0 => drop(bytes.drain(start..end)),
        1 => insert(bytes, start, &lines),
        _ => {
            drop(bytes.drain(start..end));
            let to = random.index(bytes.len() + 1);
            insert(bytes, to, &lines);
        }
    }
}

/// Something again and again, sometimes very often.
fn nest(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    const OPEN: &[&str] = &[
        "(",
        "{",
        "[",
        "*",
        "-",
        "!",
        "if (1) ",
        "while (0) ",
        "struct {",
        "int (*",
        "1 ? ",
        "f(",
        "&",
        "#if 1\n",
        "({ ",
        "/\\ (",
        "0 + ",
    ];
    let times = [3, 10, 100, 1000, 20_000][random.index(5)];
    let piece = match random.one_in(3) {
        true => {
            let token = token_at(bytes, at);
            let mut copy = bytes[token].to_vec();
            copy.truncate(40);
            copy
        }
        false => random.pick(OPEN).as_bytes().to_vec(),
    };
    let all = piece.repeat(times.min(200_000 / piece.len().max(1)));
    insert(bytes, at, &all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_c::driver::{self, compile};

    /// Many inputs are refused where they stand, but enough come as far as the engines.
    #[test]
    fn some_mutated_programs_still_are_programs() {
        let text = std::fs::read(crate::norn::root().join("examples/dekker.c")).expect("the example is there");
        let accepted = (0..200).filter(|&number| {
            let bytes = mutate(&text, &text, &mut Random::new(number));
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let input = driver::Input::Text { name: "a.c".to_owned(), text };
            let compiled = compile(norn_c::session::Options::default(), None, vec![input]);
            compiled.program.is_some()
        });
        let accepted = accepted.count();
        assert!((40..160).contains(&accepted), "{accepted} of 200 are accepted");
    }
}

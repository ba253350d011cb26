//! The front end survives anything: seeded mutations of the example programs neither panic nor hang it, and what is
//! accepted is valid IR (the driver checks that itself and would end with status 6).

mod support;

use norn_c::driver::{Input, compile};
use norn_c::session::Options;
use norn_ir::number::low_8;
use norn_testing::{Random, measured};
use std::fs;
use std::time::Duration;

/// Fragments that upset parsers.
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
    "return",
    "goto x;",
    "case 1:",
    "#if 1\n",
    "#endif\n",
    "#define F(",
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
    "\u{0}",
    "\u{fc}",
    "[-1]",
    "static",
    "extern",
    "void",
    "enum {",
    "union",
    "default:",
    "break;",
    ".x =",
    "_Generic(",
    "__builtin_va_arg(",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.index(3) {
        let at = random.index(bytes.len());
        let end = (at + 1 + random.index(20)).min(bytes.len());
        match random.index(5) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                let to = random.index(bytes.len());
                bytes.splice(to..to, copy);
            }
            2 => bytes[at] = low_8(random.number()),
            3 => bytes.truncate(at.max(1)),
            _ => {
                let fragment = random.pick(FRAGMENTS);
                bytes.splice(at..at, fragment.bytes());
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_examples_neither_panic_nor_hang() {
    let folder = support::project().join("examples");
    let mut names = fs::read_dir(folder).expect("examples").map(|e| e.expect("entry").path()).collect::<Vec<_>>();
    names.retain(|path| path.extension().is_some_and(|e| e == "c"));
    names.sort();
    assert!(names.len() >= 12, "there should be a dozen examples");
    let mut random = Random::new(0x6e6f_726e);
    let (mut accepted, mut rejected) = (0, 0);
    for path in names {
        let text = fs::read_to_string(&path).expect("an example is text");
        for round in 0..60 {
            let mutated = mutate(&text, &mut random);
            let input = Input::Text { name: "mutated.c".to_owned(), text: mutated.clone() };
            let (compiled, took) = measured(|| compile(Options::default(), None, vec![input]));
            assert!(took < Duration::from_secs(5), "{} round {round} took too long:\n{mutated}", path.display());
            match compiled.program {
                Some(_) => accepted += 1,
                None => {
                    assert!(!compiled.diagnostics.is_empty(), "a rejection should say why:\n{mutated}");
                    rejected += 1;
                }
            }
        }
    }
    assert!(accepted > 20 && rejected > 100, "mutations should be of both kinds: {accepted} and {rejected}");
}

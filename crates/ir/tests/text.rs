//! The text form: what is printed is read back as the same program, and no text makes the parser panic.

mod support;

use norn_ir::parse::parse;
use norn_ir::program::Program;
use support::Generator;

const SAMPLE: &str = include_str!("sample.norn");

fn check_round_trip(program: &Program) {
    let text = program.to_string();
    let read = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&read, program, "{text}");
    assert_eq!(read.to_string(), text);
}

#[test]
fn the_sample_is_printed_as_it_was_written() {
    let program = parse(SAMPLE).unwrap_or_else(|error| panic!("sample.norn:{error}"));
    assert_eq!(program.to_string(), SAMPLE);
}

#[test]
fn the_sample_is_valid() {
    let program = parse(SAMPLE).unwrap_or_else(|error| panic!("sample.norn:{error}"));
    if let Err(found) = norn_ir::validate::validate(&program) {
        panic!("{}", found.iter().map(|i| format!("{i}\n")).collect::<String>());
    }
}

#[test]
fn random_programs_survive() {
    for seed in 0..1000 {
        check_round_trip(&Generator::new(seed).program());
    }
}

/// Bytes replaced, removed, repeated, lines swapped: what still parses must survive too.
#[test]
fn damaged_texts_do_not_panic() {
    let mut still_parsed = 0;
    for seed in 0..4000 {
        let mut random = Generator::new(seed);
        let text = if seed % 2 == 0 { SAMPLE.to_owned() } else { random.program().to_string() };
        let mut bytes = text.into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.index(bytes.len());
            let end = (at + random.index(12)).min(bytes.len());
            match random.below(5) {
                0 => bytes[at] = random.pick(b"\"\\{}()!:,=*-+/0129rbglft .\n\xff\xc3"),
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let copy = bytes[at..end].to_vec();
                    let to = random.index(bytes.len());
                    bytes.splice(to..to, copy);
                }
                3 => bytes[at] = bytes[at].wrapping_add(1),
                _ => bytes.truncate(end.max(1)),
            }
        }
        if let Ok(program) = parse(&String::from_utf8_lossy(&bytes)) {
            still_parsed += 1;
            let _ = norn_ir::validate::validate(&program);
            check_round_trip(&program);
        }
    }
    assert!(still_parsed > 100, "only {still_parsed} damaged texts reached the second half of the test");
}

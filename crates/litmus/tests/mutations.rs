//! Damaged files: whatever happens to a test, it is read to a valid program or refused with a place in the file. As a
//! program of execution graphs it has an answer, or a reason why not.

use norn_graph::answer::{Answer, ask};
use norn_graph::model;
use norn_ir::diag::Diagnostic;
use norn_ir::source::SourceMap;
use norn_ir::validate::validate;
use norn_litmus::graph;
use norn_testing::{Random, golden};
use norn_verdict::limits::Limits;

fn check(text: String) {
    let mut sources = SourceMap::new();
    match norn_litmus::parse(&mut sources, "mutant", text.clone()) {
        Ok(test) => {
            if let Err(invalid) = validate(&test.program) {
                panic!("{}\n{text}\n{}", invalid[0], test.program);
            }
        }
        Err(diagnostics) => has_places(&diagnostics, &text),
    }
    check_graphs(&text);
}

fn has_places(diagnostics: &[Diagnostic], text: &str) {
    assert!(!diagnostics.is_empty(), "refused without a reason:\n{text}");
    for diagnostic in diagnostics {
        assert!(!diagnostic.labels.is_empty(), "no place: {}\n{text}", diagnostic.message);
    }
}

/// Whatever is asked of the graphs, an execution that is found is confirmed.
fn check_graphs(text: &str) {
    let mut sources = SourceMap::new();
    match graph::parse(&mut sources, "mutant", text.to_owned()) {
        Ok(test) => {
            let model = model::builtin(&mut sources, "sc").expect("a model").expect("a right one");
            let limits = Limits::for_seconds(0.05);
            match ask(&test.test, &model, &limits) {
                Ok(Answer::Allow(_) | Answer::Forbid) => {}
                Ok(Answer::Unknown(reason)) => assert!(!reason.is_empty(), "{text}"),
                Err(mismatch) => panic!("{mismatch}\n{text}"),
            }
        }
        Err(diagnostics) => has_places(&diagnostics, text),
    }
}

fn mutate(text: &str, random: &mut Random, scraps: &[&str]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.index(4) {
        let at = random.index(bytes.len());
        match random.index(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + 1 + random.index(12)).min(bytes.len()))),
            2 => {
                let scrap = scraps[random.index(scraps.len())];
                drop(bytes.splice(at..at, scrap.bytes()));
            }
            3 if at < bytes.len() => bytes[at] = b" \n(){}[];:|,=~$%*&0123456789xrP\"/\\\x00\xff"[random.index(36)],
            4 => {
                let copied = bytes[at..(at + random.index(40)).min(bytes.len())].to_vec();
                let to = random.index(bytes.len());
                drop(bytes.splice(to..to, copied));
            }
            5 => {
                let other = random.index(bytes.len());
                if at < bytes.len() && other < bytes.len() {
                    bytes.swap(at, other);
                }
            }
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split(|&b| b == b'\n').collect();
                let (a, b) = (random.index(lines.len()), random.index(lines.len()));
                lines.swap(a, b);
                bytes = lines.join(&b'\n');
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_files() {
    let folder = |name: &str| golden::inputs(&format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR")), "litmus");
    let texts: Vec<String> = folder("accepted").chain(folder("graphs")).map(|(_, text)| text).collect();
    let scraps: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive([' ', ';', '\n'])).collect();
    let mut random = Random::new(1);
    for _ in 0..4000 {
        let text = &texts[random.index(texts.len())];
        check(mutate(text, &mut random, &scraps));
    }
}

#[test]
fn deep_nesting() {
    let deep = 100_000;
    let ppc = |condition: String| format!("PPC deep {{ }} P0 ; nop ; exists {condition}");
    check(ppc("(".repeat(deep)));
    check(ppc("~".repeat(deep)));
    check(ppc(format!("{}x=1", "x=1 => ".repeat(deep))));
    check(ppc("(* ".repeat(deep)));
    let c = |body: String| format!("C deep {{ }} P0(int *x) {{ {body} }} exists (x=1)");
    check(c(format!("*x = {}1;", "1 + ".repeat(deep))));
    check(c(format!("*x = {}1;", "(".repeat(deep))));
    check(c(format!("*x = {}1;", "-".repeat(deep))));
    check(c(format!("int {}y;", "*".repeat(deep))));
    check(c("if (1) ".repeat(deep)));
    check(c("{ ".repeat(deep)));
    check(c(format!("if (1) ; {}", "else if (1) ; ".repeat(deep))));
}

/// Long, not deep: must be read (or refused) in time that grows with the length.
#[test]
fn long_files() {
    let many = 20_000;
    let conjunction = vec!["x=1"; many].join(" /\\ ");
    check(format!("PPC long {{ 0:r2=x; }} P0 ; nop ; exists ({conjunction})"));
    check(format!("PPC long {{ 0:r2=x; }} P0 ; {} exists (x=1)", "lwz r1,0(r2) ; add r3,r3,r1 ; ".repeat(many)));
    let labels: String =
        (0..many).map(|i| format!("L{i}: addi r1,r1,1 ; cmpw r1,r4 ; bne L{} ; ", (i * 7) % many)).collect();
    check(format!("PPC long {{ 0:r2=x; }} P0 ; {labels} stw r1,0(r2) ; exists (0:r1=1)"));
    let columns: Vec<String> = (0..many).map(|i| format!("P{i}")).collect();
    check(format!("PPC long {{ }} {} ; exists (true)", columns.join(" | ")));
    let locations: String = (0..many).map(|i| format!("x{i}=x{};", i + 1)).collect();
    check(format!("PPC long {{ {locations} }} P0 ; nop ; exists (x0=1)"));
    let adds = "LOCK ADD [x],$1 ; ADD EAX,[x] ; ".repeat(many);
    check(format!("X86 long {{ }} P0 ; {adds} exists (x=1)"));
    let statements = "int r = *x; if (r) *x = r + 1; ".repeat(many);
    check(format!("C long {{ }} P0(int *x) {{ {statements} }} exists (x=1)"));
}

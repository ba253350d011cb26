//! Nondeterministic values: trying the few that matter finds what trying all of them finds.

use norn_engine::{Engine, Query};
use norn_ir::ids::GlobalId;
use norn_ir::number::narrow;
use norn_ir::program::Storage;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_stateless::{Stateless, explore};
use norn_testing::{Random, prepare};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeSet;

const HEAD: &str = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n\
    extern unsigned char __VERIFIER_nondet_uchar(void);\nextern signed char __VERIFIER_nondet_char(void);\n\
    extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\nint g, h;\n\
    void check(int c) { if (!c) abort(); }\nint fetch(void) { return __VERIFIER_nondet_uchar(); }\n\
    signed char byte(void) { return __VERIFIER_nondet_char(); }\n";

/// A thread and main run statements. Whether the engine could decide; if so, it is right.
fn is_decided(statements: [&str; 2]) -> bool {
    let [thread, main] = statements;
    let text = format!(
        "{HEAD}void *t(void *arg) {{ {thread} return 0; }}\n\
         int main(void) {{ pthread_t id; pthread_create(&id, 0, t, 0); {main} return 0; }}\n"
    );
    let program = prepare(&text);
    let observed: Vec<GlobalId> = (0..program.globals.len())
        .map(GlobalId::new)
        .filter(|&id| program.global(id).storage == Storage::Static && !program.global(id).private)
        .collect();
    let every_byte: Vec<u64> = (0..256).collect();
    let (model, checks) = (Model::Tso, Checks::default());
    let limits = Limits::for_seconds(20.0);
    let query = Query { program: &program, model, checks, bounds: None, limits: &limits };
    let mut finals = BTreeSet::new();
    let found = explore(&query, &mut |executor| {
        finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
    });
    if found.incomplete.is_some() {
        return false;
    }
    let limits = Limits::for_seconds(20.0);
    let question =
        Question { program: &program, model, checks, limits: &limits, domain: Some(&every_byte), observed: &observed };
    let expected = states::explore(&question);
    assert_eq!(expected.incomplete, None, "{statements:?}");
    let outcome =
        Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{statements:?}: {mismatch}")).outcome;
    assert_eq!(expected.violation.is_some(), matches!(outcome, Outcome::Unsafe(_)), "{statements:?}: {outcome:?}");
    if expected.violation.is_none() {
        assert_eq!(finals, expected.finals, "{statements:?}");
    }
    true
}

#[test]
fn what_can_be_decided() {
    for statement in [
        "unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c > 3 && c < 9); g = c;",
        "signed char c = __VERIFIER_nondet_char(); __VERIFIER_assume(c >= -2 && c <= 2); g = c;",
        "signed char c = __VERIFIER_nondet_char(); if (c < -3 || c > 1) return 0; g = c;",
        "unsigned char c = __VERIFIER_nondet_uchar(); check(c == 7 || c == 9); g = c;",
        "unsigned char c = __VERIFIER_nondet_uchar(); g = c % 5;",
        "signed char c = __VERIFIER_nondet_char(); g = c % 5;",
        "signed char c = __VERIFIER_nondet_char(); if (c > -2) g = c % 3; else h = c & 6;",
        "unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c > 100); g = c % 7;",
        "if (__VERIFIER_nondet_uchar()) g = 1; else h = 1;",
        "while (g < 1) { if (__VERIFIER_nondet_uchar() > 9) g++; else g += 2; }",
        "switch (__VERIFIER_nondet_char()) { case -1: g = 3; break; case 2: g = 4; break; default: h = 5; }",
        "g = fetch() % 3; h = fetch() & 1;",
        "int n = fetch(); __VERIFIER_assume(n < 4); g = n; n = fetch(); __VERIFIER_assume(n > 250); h = n;",
        "int b = byte() > 5; g = b; h = !b;",
        "unsigned char c = __VERIFIER_nondet_uchar(); int low = c < 5; if (c == 3) h = 1; g = low;",
        "unsigned char c = __VERIFIER_nondet_uchar(); assert(c != 77 || g == 0); h = 1;",
        "unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c > 9 && c < 8); g = c;",
        "unsigned char c = __VERIFIER_nondet_uchar(); g = 1; __VERIFIER_assume(c == 5); h = c;",
    ] {
        assert!(is_decided([statement, "g = 1;"]), "{statement}");
    }
}

#[test]
fn what_has_too_many_values() {
    for statement in [
        "g = __VERIFIER_nondet_uchar();",
        "unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c > 3); g = c;",
        "unsigned char c = __VERIFIER_nondet_uchar(); g = c % 5; h = c;",
        "unsigned char c = __VERIFIER_nondet_uchar(); g = c % 100;",
        "int n = fetch(); h = n; __VERIFIER_assume(n < 4); g = n;",
    ] {
        assert!(!is_decided([statement, "g = 1;"]), "{statement}");
    }
    let program = prepare(&format!("{HEAD}int main(void) {{\n  g = 1;\n  g = __VERIFIER_nondet_int();\n}}\n"));
    let limits = Limits::none();
    let query = Query { program: &program, model: Model::Sc, checks: Checks::default(), bounds: None, limits: &limits };
    let Outcome::Unknown(Undecided { why, place }) =
        Stateless.run(&query, &Reference).expect("it should replay").outcome
    else {
        panic!("unknown")
    };
    assert_eq!(why, Why::TooManyValues { source: "__VERIFIER_nondet_int".to_owned() });
    assert_eq!(place.map(|span| span.line), Some(narrow(HEAD.lines().count()) + 3));
}

/// At one position a thread may ask in different places, with different values.
#[test]
fn places_have_their_own_values() {
    let asks = "if (h) { int n = fetch(); __VERIFIER_assume(n > 253); g = n; } else { g = fetch() % 2; }";
    assert!(is_decided([asks, "h = 1;"]));
    assert!(is_decided(["h = 1;", asks]));
    let program = prepare(&format!(
        "{HEAD}void *t(void *arg) {{ if (h) {{ int n = fetch(); __VERIFIER_assume(n > 253); assert(n != 255); }}\n\
         else g = fetch() % 2; return 0; }}\n\
         int main(void) {{ pthread_t id; pthread_create(&id, 0, t, 0); h = 1; return 0; }}\n"
    ));
    let limits = Limits::for_seconds(20.0);
    let query = Query { program: &program, model: Model::Sc, checks: Checks::default(), bounds: None, limits: &limits };
    assert!(matches!(Stateless.run(&query, &Reference).expect("it should replay").outcome, Outcome::Unsafe(_)));
}

#[test]
fn generated_conditions() {
    let mut random = Random::new(7);
    let mut decided = 0;
    for _ in 0..30 {
        let mut statement = String::new();
        for _ in 0..1 + random.below(2) {
            let (a, b) = (random.below(12) as i64 - 4, random.below(12) as i64 - 4);
            let op = ["<", "<=", "==", "!=", ">", ">="];
            let (first, second) = (op[random.index(6)], op[random.index(6)]);
            let join = ["&&", "||"][random.index(2)];
            let (ty, source) =
                [("signed char", "byte()"), ("unsigned char", "fetch()"), ("int", "byte()")][random.index(3)];
            let condition = format!("c {first} {a} {join} c {second} {b}");
            let body = match random.below(4) {
                0 => format!("__VERIFIER_assume({condition}); g = c;"),
                1 => format!("if ({condition}) g = c; else h = 1;"),
                2 => format!("if ({condition}) g = c % 3; else h = c & 3;"),
                _ => format!("check({condition}); if (c == {b}) g = 9; else h = c % 4;"),
            };
            statement += &format!("{{ {ty} c = {source}; {body} }} ");
        }
        decided += u32::from(is_decided([&statement, "g = 1;"]));
    }
    assert!(decided >= 8, "the programs tell little: {decided}");
}

//! Few bits at first leave executions out and add none: random programs with small and large numbers, from some number of bits
//! on, against the reference machine.

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_rounds::Rounds;
use norn_testing::{Random, checked, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::fmt::Write;

fn compile(text: &str) -> Prepared {
    norn_testing::prepare(&format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n{text}"
    ))
}

/// The engine says what the machine says, whatever the number of bits to begin with; whether that is a violation.
fn check(text: &str, model: Model) -> bool {
    let program = &compile(text);
    let (checks, limits) = (Checks::default(), Limits::none());
    let question = Question { program, model, checks, limits: &limits, domain: None, observed: &[] };
    let expected = states::explore(&question);
    assert!(expected.incomplete.is_none(), "{:?}\n{text}", expected.incomplete);
    let is_violated = expected.violation.is_some();
    for bits in [None, Some(1), Some(3), Some(9)] {
        let bounds = Bounds::default();
        let (bounds, rounds, certify) = (Some(&bounds), None, false);
        let query = Query { program, model, checks, bounds, limits: &limits };
        let engine = Rounds { rounds, thread_order: Vec::new(), bits, certify };
        let found = engine
            .run(&query, &Reference)
            .unwrap_or_else(|mismatch| panic!("{model} {bits:?}: {mismatch}\n{text}"))
            .outcome;
        match found {
            Outcome::Unsafe(_) => assert!(is_violated, "{model} {bits:?}: there is no violation\n{text}"),
            Outcome::Safe { .. } => assert!(!is_violated, "{model} {bits:?}: the violation is missed\n{text}"),
            other => panic!("{model} {bits:?}: {other:?}\n{text}"),
        }
    }
    is_violated
}

/// Numbers around the ends of what few bits hold, and far away from them.
fn number(random: &mut Random) -> &'static str {
    const NUMBERS: [&str; 16] = [
        "0",
        "1",
        "-1",
        "2",
        "3",
        "7",
        "8",
        "-8",
        "-9",
        "255",
        "256",
        "-1000",
        "2147483647",
        "4294967295",
        "1L << 40",
        "-(1L << 40)",
    ];
    NUMBERS[random.index(NUMBERS.len())]
}

fn statement(random: &mut Random) -> String {
    let place = ["x", "y", "a"][random.index(3)];
    let other = ["x", "y", "a"][random.index(3)];
    let value = number(random);
    let compare = ["==", "!=", "<", ">="][random.index(4)];
    match random.below(9) {
        0 => format!("{place} = {value};"),
        1 => format!("{place} = {other} ^ ({value});"),
        2 => format!("{place} += {value};"),
        3 => format!("a += {value};"),
        4 => format!("if ({place} {compare} ({value})) {other} = {};", number(random)),
        5 => format!("{place} = {other} {compare} ({value}) ? {other} : {};", number(random)),
        6 => format!("__VERIFIER_atomic_begin(); {place} = {other} * 3; __VERIFIER_atomic_end();"),
        7 => format!("{place} = (unsigned short){other} + {};", number(random)),
        _ => format!("{{ long e = {value}; atomic_compare_exchange_strong(&a, &e, {}); }}", number(random)),
    }
}

fn program(random: &mut Random) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "long x = {};\nunsigned y = {};", number(random), number(random));
    let _ = writeln!(text, "atomic_long a = {};", number(random));
    for thread in 0..2 {
        let statements: Vec<String> = (0..1 + random.below(2)).map(|_| statement(random)).collect();
        let _ = writeln!(text, "void *t{thread}(void *arg) {{\n  {}\n  return 0;\n}}", statements.join("\n  "));
    }
    text.push_str("int main(void) {\n  pthread_t p, q;\n");
    text.push_str("  pthread_create(&p, 0, t0, 0);\n  pthread_create(&q, 0, t1, 0);\n");
    if random.below(3) > 0 {
        text.push_str("  pthread_join(p, 0);\n  pthread_join(q, 0);\n");
    }
    let place = ["x", "y", "a", "x + y", "x - a"][random.index(5)];
    let compare = ["==", "!=", "!=", "<", ">="][random.index(5)];
    let _ = writeln!(text, "  assert({place} {compare} ({}));\n  return 0;\n}}", number(random));
    text
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
#[test]
fn small_and_large_numbers() {
    let (count, seed) = (setting("NORN_TEST_PROGRAMS").unwrap_or(120), setting("NORN_TEST_SEED").unwrap_or(0));
    let mut violations = 0;
    for index in 0..count {
        let mut random = Random::new(77_000 + seed + index);
        let text = program(&mut random);
        let model = Model::ALL[random.index(3)];
        violations += u64::from(checked(&format!("program {index}"), &text, |text| check(text, model)));
    }
    assert!(violations * 5 > count && violations * 10 < 9 * count, "{violations} of {count} programs are violated");
}

#[test]
fn a_number_that_no_small_width_holds() {
    let program = |result: &str| {
        format!(
            "atomic_long big = 1L << 40;\nvoid *t(void *arg) {{ big++; return 0; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); big++; pthread_join(p, 0);\n\
             assert(big == (1L << 40) + {result}); }}"
        )
    };
    assert!(!check(&program("2"), Model::Sc));
    assert!(check(&program("1"), Model::Sc));
}

#[test]
fn a_number_that_is_never_the_small_one() {
    // With few bits `x` could only be 0, and then the variable is gone from the condition.
    let program = |limit: &str| {
        format!(
            "int x;\nvoid *t(void *arg) {{ x = 1000; return 0; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(x {limit}); }}"
        )
    };
    assert!(!check(&program(">= 8"), Model::Sc));
    assert!(!check(&program("== 1000"), Model::Sc));
    assert!(check(&program("< 8"), Model::Sc));
}

/// The verdict for what is read from a variable that another thread changes from one number to another.
fn changed(from: &str, to: &str, claim: &str) -> bool {
    let text = format!(
        "unsigned x = {from};\nvoid *t(void *arg) {{ x = {to}; return 0; }}\n\
         int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); unsigned r = x; assert({claim}); return 0; }}"
    );
    check(&text, Model::Sc)
}

#[test]
fn divisions_of_numbers_with_their_highest_bit_set() {
    // A few bits hold 0 and -1, but not what the unsigned division of the latter gives.
    assert!(!changed("0", "-1", "r / 2 == 0 || r / 2 == 0x7fffffff"));
    assert!(changed("0", "-1", "r / 2 < 0x7fffffff"));
    assert!(!changed("0", "-1", "r % 7 == 0 || r % 7 == 3"));
    assert!(changed("0", "-1", "r % 7 != 3"));
    assert!(!changed("1", "-1", "7 / r == 7 || 7 / r == 0"));
    assert!(changed("1", "-1", "7 / r != 0"));
}

#[test]
fn numbers_that_wrap_below_the_least() {
    // One less than the least is the greatest, whose complement is the least again.
    assert!(!changed("0", "0x80000000", "(unsigned long)~(r - 1) <= 0x80000000"));
    assert!(changed("0", "0x80000000", "(unsigned long)~(r - 1) != 0x80000000"));
    // Of -200 a byte keeps 56.
    assert!(!changed("0", "-200", "(unsigned)-(signed char)r / 3 == 0 || (unsigned)-(signed char)r / 3 == 1431655746"));
    assert!(changed("0", "-200", "(unsigned)-(signed char)r / 3 != 1431655746"));
}

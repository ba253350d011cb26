//! Random small programs: what the engine says about a final state is what exhaustive enumeration says, under every
//! model and in both encodings.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

use norn_engine::{Engine, Prepared, Query};
use norn_events::{Encoding, Events};
use norn_ir::ids::GlobalId;
use norn_ir::number::toward_zero;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_testing::programs::{Shape, joined, program};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::BTreeSet;

/// Final values of x, y, a and what the threads saw.
type Final = [i32; 6];

/// All inputs that programs go on with. (The enumerator tries no others.)
const DOMAIN: [u64; 3] = [0, 1, 2];

const PICK: &str = "extern int __VERIFIER_nondet_int(void);\nstatic int pick(void) {\n  int v = __VERIFIER_nondet_int();\n  \
    __VERIFIER_assume(v >= 0 && v <= 2);\n  return v;\n}\n";

/// The program with inputs in the place of constants that are written.
fn with_inputs(text: &str) -> String {
    let mut text = text.replacen("void *t0", &format!("{PICK}void *t0"), 1);
    for value in 1..=3 {
        for (from, to) in
            [("x = #;", "x = pick();"), ("y = #;", "y = pick();"), ("(&a, #", "(&a, pick()"), ("&e, #", "&e, pick()")]
        {
            text = text.replace(&from.replace('#', &value.to_string()), to);
        }
    }
    text
}

fn claim(excluded: Final) -> String {
    let [x, y, a, s0, s1, s2] = excluded;
    format!("assert(!(x == {x} && y == {y} && a == {a} && seen[0] == {s0} && seen[1] == {s1} && seen[2] == {s2}));")
}

/// All final states, or nothing if there are too many.
fn finals(program: &Prepared, model: Model) -> Option<BTreeSet<Final>> {
    let global = |name: &str| {
        let found = program.globals.iter().position(|global| global.name == name);
        GlobalId::new(found.expect("the generator should declare it"))
    };
    let observed = ["x", "y", "a", "seen"].map(global);
    let limits = at_most(1 << 18);
    let checks = Checks::default();
    // Other inputs are memory that was never written, which may be anything.
    let picks = program.functions.iter().any(|function| function.name == "pick");
    let domain = picks.then_some(&DOMAIN[..]);
    let found = states::explore(&Question { program, model, checks, limits: &limits, domain, observed: &observed });
    if found.incomplete.is_some() || found.violation.is_some() {
        return None;
    }
    let number = |bytes: &[u8]| i32::from_le_bytes(bytes[..4].try_into().expect("an int should have four bytes"));
    let state = |state: &Vec<Vec<u8>>| {
        let seen = |i: usize| number(&state[3][4 * i..]);
        [number(&state[0]), number(&state[1]), number(&state[2]), seen(0), seen(1), seen(2)]
    };
    Some(found.finals.iter().map(state).collect())
}

fn is_unsafe(program: &Prepared, model: Model, encoding: Encoding, checks: Checks) -> Option<bool> {
    let limits = Limits::for_seconds(60.0);
    let bounds = Bounds { default: 2, ..Bounds::default() };
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let events = Events { encoding, certify: true };
    match events.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model} {encoding:?}: {mismatch}")).outcome {
        Outcome::Unsafe(_) => Some(true),
        Outcome::Safe { bounds } => {
            assert!(bounds.iter().all(|bound| bound.exhausted), "{model} {encoding:?}: the program has no loops");
            Some(false)
        }
        Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => {
            assert!(
                reason.to_string().contains("there may be an object at the address"),
                "{model} {encoding:?}: {reason}"
            );
            None
        }
    }
}

fn check(text: &str, random: &mut Random) -> bool {
    // With a claim that always holds: an object that main does not look at may be private to a thread, and private
    // accesses order nothing.
    let plain = prepare(&joined(text, &claim([-1; 6])));
    let Some(sets) = Model::ALL.into_iter().map(|model| finals(&plain, model)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    // States that tell the models apart, some others, and some that are never reached.
    let mut asked: Vec<Final> = Vec::new();
    asked.extend(sets[2].difference(&sets[1]).take(2));
    asked.extend(sets[1].difference(&sets[0]).take(2));
    asked.extend(sets[0].iter().nth(random.index(sets[0].len().max(1))));
    for state in sets[2].iter().take(2) {
        let mut other = *state;
        other[random.index(6)] += 1;
        asked.push(other);
    }
    for state in asked {
        let program = prepare(&joined(text, &claim(state)));
        for (model, set) in Model::ALL.into_iter().zip(&sets) {
            // An exit ends the program in states that no claim is made about.
            let reached = match text.contains("exit") {
                true => finals(&program, model).is_none(),
                false => set.contains(&state),
            };
            for encoding in [Encoding::Order, Encoding::Clocks] {
                let found = is_unsafe(&program, model, encoding, Checks::default());
                if let Some(found) = found {
                    assert_eq!(found, reached, "{model} {encoding:?} {state:?}");
                }
            }
        }
    }
    true
}

fn check_random(count: u64, seed: u64, shape: Shape) {
    check_each(count, seed, |random| program(random, shape));
}

fn check_each(count: u64, seed: u64, generate: impl Fn(&mut Random) -> String) {
    let seed = seed + setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    let mut enumerated = 0;
    for number in 0..count {
        let mut random = Random::new(seed + number);
        let text = generate(&mut random);
        let again = |text: &str| check(text, &mut Random::new(seed + number + 77));
        enumerated += u64::from(checked(&format!("program {number}"), &text, again));
    }
    assert!(enumerated * 4 >= count, "only {enumerated} of {count} programs could be enumerated");
}

#[test]
fn accesses_and_fences() {
    check_random(12, 1000, Shape { threads: (2, 3), statements: (2, 4), library: false, ends: false, inputs: false });
}

#[test]
fn locks_and_memory() {
    check_random(8, 5000, Shape { threads: (2, 3), statements: (1, 3), library: true, ends: false, inputs: false });
}

#[test]
fn inputs_everywhere() {
    let shape = Shape { threads: (2, 2), statements: (2, 3), library: false, ends: true, inputs: true };
    check_each(8, 13000, |random| {
        loop {
            let text = with_inputs(&program(random, shape));
            if text.matches("pick()").count() > 2 {
                return text;
            }
        }
    });
}

/// How many copies of threads were found, and how many models show a violation.
fn check_copies(text: &str) -> (u64, u64) {
    let program = prepare(text);
    let (mut copies, mut violations) = (0u64, 0u64);
    for model in Model::ALL {
        let limits = at_most(1 << 18);
        let checks = Checks::default();
        let question = Question { program: &program, model, checks, limits: &limits, domain: None, observed: &[] };
        let found = states::explore(&question);
        if found.violation.is_none() && found.incomplete.is_some() {
            continue;
        }
        violations += u64::from(found.violation.is_some());
        for encoding in [Encoding::Order, Encoding::Clocks] {
            let bounds = Bounds { default: 2, ..Bounds::default() };
            let limits = Limits::for_seconds(60.0);
            let (bounds, limits) = (&bounds, &limits);
            let query = Query { program: &program, model, checks, bounds: Some(bounds), limits };
            let verdict = Events { encoding, certify: true }
                .run(&query, &Reference)
                .unwrap_or_else(|e| panic!("{model} {encoding:?}: {e}"));
            copies += verdict.stats.0.get("copies of threads").map_or(0, |&copies| toward_zero::<u64>(copies));
            let is_unsafe = matches!(verdict.outcome, Outcome::Unsafe(_));
            let is_safe = matches!(verdict.outcome, Outcome::Safe { .. });
            assert!(is_unsafe || is_safe, "{model} {encoding:?}");
            assert_eq!(is_unsafe, found.violation.is_some(), "{model} {encoding:?}");
        }
    }
    (copies, violations)
}

/// Several threads of one function, whose order does not matter to anybody: both encodings, of which only one knows that,
/// find what the enumerator finds.
#[test]
fn copies_of_a_thread() {
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(12);
    let (mut copies, mut violations) = (0u64, 0u64);
    for seed in 0..count {
        let mut random = Random::new(17000 + setting("NORN_TEST_SEED").unwrap_or(0) + seed);
        let shape = Shape { threads: (1, 1), statements: (1, 3), library: false, ends: true, inputs: true };
        let text = program(&mut random, shape);
        let (thread, _) = text.split_once("int main(void) {").expect("the generator should write a main function");
        let [x, r, kind] = [3, 4, 3].map(|below| random.below(below));
        let excluded = if kind == 0 { format!("x == {x} && r == {r}") } else { format!("r == {}", 1 + r) };
        let claim = format!("  seen[0] = r;\n  assert(!({excluded}));");
        let mut text = thread.replace("  seen[0] = r;", &claim) + "int main(void) {\n  pthread_t id;\n";
        for _ in 0..2 + random.below(2) {
            text += "  pthread_create(&id, 0, t0, 0);\n";
            if random.below(3) == 0 {
                text += "  x = 2;\n";
            }
        }
        let found = checked(&format!("program {seed}"), &(text + "  return 0;\n}\n"), check_copies);
        copies += found.0;
        violations += found.1;
    }
    assert!(copies > count && violations > count / 4, "{copies} copies, {violations} violations");
}

#[test]
fn stops_and_inputs() {
    check_random(8, 9000, Shape { threads: (2, 3), statements: (2, 3), library: false, ends: true, inputs: true });
}

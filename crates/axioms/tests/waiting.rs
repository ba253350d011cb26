//! Rounds of loops that only wait may be left out, and nothing else is lost with them.
//!
//! Under a model that Norn does not know, updates that wait are rounds like any other, so the same text, read as a user's
//! model, is the judge: what it finds in a few rounds has to be found without them.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

mod support;

use norn_axioms::answer::{Outcome, Question};
use norn_cat::Model;
use norn_engine::GivenBounds;
use norn_ir::source::SourceMap;
use norn_testing::{Random, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::Checks;
use support::{HEAD, model, threads, verdict};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "armv8", "riscv", "rc11"];

/// The same model, as if a user had written it.
fn written(name: &str) -> Model {
    let text = norn_cat::builtin::text(name).expect("the model should be there");
    let mut folder = |_: &str| Err("it includes what comes with Norn".to_owned());
    let read = norn_graph::model::load(&mut SourceMap::default(), "mine.cat", text.to_owned(), &mut folder);
    read.expect("it should be a model")
}

/// Whether the program is violated within so many rounds of each loop.
fn is_violated(source: &str, model: &Model, rounds: u32) -> bool {
    let program = prepare(&format!("{HEAD}{source}"));
    let (given, limits) = (GivenBounds::of_all_loops(rounds), Limits::none());
    let question = Question { program: &program, model, checks: Checks::default(), given: &given, limits: &limits };
    let answer = question.answer().unwrap_or_else(|mismatch| panic!("{mismatch}\n{source}"));
    match answer.outcome {
        Outcome::Unsafe(_) => true,
        Outcome::Safe { .. } => false,
        Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => panic!("{undecided}\n{source}"),
    }
}

const ORDERS: [&str; 4] = ["relaxed", "acquire", "acq_rel", "seq_cst"];

/// A loop that waits for a place, with an update.
fn waits(random: &mut Random, place: &str) -> String {
    let order = random.pick(&ORDERS);
    let read = random.pick(&["relaxed", "acquire", "seq_cst"]);
    let other = if place == "l" { "k" } else { "l" };
    match random.below(6) {
        0 | 1 => format!("while (swap({place}, 1, {order})) ;"),
        2 => format!("while (swap({place}, 1, {order})) while (ld({place}, {read})) ;"),
        3 => format!("while (swap({place}, 1, {order})) if (ld({other}, {read}) == 2) break;"),
        4 => format!("while (atomic_fetch_or_explicit(&{place}, 1, memory_order_{order}) & 1) ;"),
        _ => format!("for (;;) {{ if (ld({other}, {read}) == 2) break; if (!swap({place}, 1, {order})) break; }}"),
    }
}

/// What a thread does besides.
fn does(random: &mut Random, thread: usize) -> String {
    let place = random.pick(&["l", "k", "x", "y"]);
    let store = random.pick(&["relaxed", "release", "seq_cst"]);
    let read = random.pick(&["relaxed", "acquire", "seq_cst"]);
    match random.below(8) {
        0 | 1 => format!("st({}, 0, {store});", random.pick(&["l", "k"])),
        2 => format!("st({place}, {}, {store});", random.below(3)),
        3 => format!("r{thread} = ld({place}, {read});"),
        4 => format!("r{thread} = r{thread} * 3 + ld(x, {read});"),
        5 => format!("if (ld({place}, {read})) st(y, 1, {store});"),
        6 => format!("fence({});", random.pick(&["acquire", "release", "seq_cst"])),
        _ => format!("r{thread} = ld(a[ld({place}, {read}) & 1], relaxed);"),
    }
}

/// A program, and the rounds that are enough to look at.
fn program(random: &mut Random) -> (String, u32) {
    let count = if random.one_in(5) { 3 } else { 2 };
    let mut bodies = Vec::new();
    for thread in 0..count {
        let mut body = String::new();
        let waiting = random.index(3);
        for at in 0..1 + random.index(3) {
            if at == waiting {
                let place = random.pick(&["l", "k"]);
                body += &waits(random, place);
            }
            body += &does(random, thread);
        }
        bodies.push(body);
    }
    let start = |random: &mut Random| random.below(3);
    let globals = format!("var l = {}, k = {}, x, y, a[2]; int r0, r1, r2;", start(random), start(random));
    // Somebody lets go, or nothing would ever come after the loops.
    bodies[count - 1] += &format!("st(l, 0, {});", random.pick(&["relaxed", "release"]));
    bodies[0].insert_str(0, &format!("st(k, 0, {});", random.pick(&["relaxed", "release"])));
    let claim = |random: &mut Random| {
        let place = random.pick(&["r0", "r1", "x", "y", "l", "k"]);
        format!("{place} {} {}", random.pick(&["==", "!="]), random.below(2))
    };
    let wanted = match random.one_in(3) {
        true => claim(random),
        false => format!("!({} && {})", claim(random), claim(random)),
    };
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    (threads(&globals, &bodies, &wanted), if count == 2 { 2 } else { 1 })
}

#[test]
fn what_some_rounds_show_is_found_without_them() {
    let mut random = Random::new(setting("NORN_TEST_SEED").unwrap_or(1));
    let all: Vec<(Model, Model)> = MODELS.iter().map(|name| (model(name), written(name))).collect();
    let (mut violated, mut right) = (0, 0);
    for number in 0..setting("NORN_TEST_PROGRAMS").unwrap_or(5) {
        let (source, rounds) = program(&mut random);
        for ((own, written), name) in all.iter().zip(MODELS) {
            let found = is_violated(&source, own, rounds);
            let expected = is_violated(&source, written, rounds);
            assert_eq!(found, expected, "program {number}, {name}:\n{source}");
            *if found { &mut violated } else { &mut right } += 1;
        }
    }
    assert!(violated > 0 && right > 0, "{violated} violated, {right} right");
}

/// An idle round may be one side of a data race, which the round that leaves the loop is not.
#[test]
fn data_races_of_rounds_that_wait_are_found() {
    let racing = |start: &str, writes: &str, waits: &str| {
        let text = format!("{start} int z;");
        threads(&text, &[waits, writes], "1")
    };
    let stores = "x = 1; __atomic_store_n(&x, 0, __ATOMIC_RELEASE);";
    let plain = racing("int x = 1;", stores, "while (__atomic_load_n(&x, __ATOMIC_ACQUIRE)) ;");
    assert_eq!(verdict("rc11", &plain), "unsafe: data race");
    let first = racing("var x = 1;", "atomic_init(&x, 1); st(x, 0, release);", "while (ld(x, acquire)) ;");
    assert_eq!(verdict("rc11", &first), "unsafe: data race");
    let swaps = "while (__atomic_exchange_n(&x, 1, __ATOMIC_ACQUIRE)) ;";
    assert_eq!(verdict("rc11", &racing("int x = 1;", stores, swaps)), "unsafe: data race");
    // The load may come while the other thread still swaps, never after.
    let loads = racing("int x = 1;", "z = x; __atomic_store_n(&x, 0, __ATOMIC_RELEASE);", swaps);
    assert_eq!(verdict("rc11", &loads), "unsafe: data race");
    // On the heap, and by a function that others call.
    let heap = "int *p; void put(void) { *p = 1; } void *t(void *a) { while (__atomic_load_n(p, __ATOMIC_ACQUIRE)) ; return 0; }\n\
                int main(void) { p = malloc(sizeof *p); put(); pthread_t h; pthread_create(&h, 0, t, 0); AGAIN\n\
                __atomic_store_n(p, 0, __ATOMIC_RELEASE); pthread_join(h, 0); }";
    assert_eq!(verdict("rc11", &heap.replace("AGAIN", "put();")), "unsafe: data race");
    // What is done before there are threads is no race, and costs nothing.
    assert_eq!(verdict("rc11", &heap.replace("AGAIN", "")), "safe");
}

/// An update that changes the value does not wait: here the first one alone writes what the other thread reads.
#[test]
fn updates_that_change_the_value_are_rounds() {
    let waits = "while (swap(l, 1, acquire)) ;";
    let found = |start: u32, wanted: &str| {
        let text = format!("var l = {start}; int r;");
        MODELS.map(|name| verdict(name, &threads(&text, &[waits, "r = ld(l, relaxed); st(l, 0, relaxed);"], wanted)))
    };
    assert_eq!(found(2, "r != 1"), ["unsafe: assertion failed"; 6]);
    assert_eq!(found(1, "r == 1"), ["safe"; 6]);
}

//! On random programs: a shorter story is one of the same violation, has no more switches, has the fewest where all executions can be
//! looked at, and cannot be made shorter once more.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

mod support;

use norn_testing::programs::{self, Shape};
use norn_testing::switches::fewest;
use norn_testing::{Random, checked, compile, setting};
use norn_verdict::claim::Expected;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use support::{found, shortened};

/// How many stories were compared, and how many of them with all executions.
#[derive(Default)]
struct Compared {
    stories: usize,
    exact: usize,
    switches: (usize, usize),
}

fn check(text: &str, checks: Checks, compared: &mut Compared) {
    let program = compile(text);
    for model in Model::ALL {
        for seeds in [0..40, 1000..1040] {
            let Some(first) = found(&program, model, checks, seeds) else { continue };
            let shorter = shortened(&program, checks, &first);
            let story = &shorter.counterexample;
            let place =
                |found: &norn_verdict::outcome::Counterexample| (found.violation().kind, found.violation().span);
            assert_eq!(place(story), place(&first), "{model}\n{text}");
            let (before, after) = (first.trace().switches(), story.trace().switches());
            assert!(after <= before, "{model}: {before} became {after}\n{text}");
            let again = shortened(&program, checks, story);
            let (once, twice) = (story.schedule().to_string(), again.counterexample.schedule().to_string());
            assert_eq!(once, twice, "{model}: it should not change any more\n{text}");
            compared.stories += 1;
            compared.switches.0 += before;
            compared.switches.1 += after;
            let has_inputs = story.schedule().inputs.iter().any(|(_, values)| values.iter().any(|&value| value != 0));
            if has_inputs || !shorter.is_fewest {
                continue;
            }
            if let Some(least) = fewest(&program, model, checks, Expected::from(first.violation())) {
                assert_eq!(after, least, "{model}\n{text}\n{}", story.schedule());
                compared.exact += 1;
            }
        }
    }
}

fn check_programs(seed: u64, count: u64, checks: Checks, make: impl Fn(&mut Random) -> String) -> Compared {
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    let seed = setting("NORN_TEST_SEED").unwrap_or(seed);
    let mut compared = Compared::default();
    for number in 0..count {
        let text = make(&mut Random::new(seed.wrapping_add(number)));
        checked(&format!("program {number}"), &text, |text| check(text, checks, &mut Compared::default()));
        check(&text, checks, &mut compared);
    }
    let Compared { stories, exact, switches } = &compared;
    println!("{stories} stories, {exact} of them exact, {} switches became {}", switches.0, switches.1);
    compared
}

#[test]
fn assertions() {
    let compared = check_programs(1, 60, Checks::usual(), |random| {
        let shape = Shape { threads: (2, 3), statements: (2, 4), library: false, ends: false, inputs: true };
        let text = programs::program(random, shape);
        let (one, other) = (random.below(4), random.below(6));
        programs::joined(&text, &format!("assert(!(x == {one} && seen[0] + seen[1] == {other}));"))
    });
    assert!(compared.exact >= 20, "too few were compared: {}", compared.exact);
}

#[test]
fn memory_locks_and_deadlocks() {
    let checks = Checks { deadlock: true, overflow: true, ..Checks::usual() };
    let compared = check_programs(7000, 70, checks, |random| {
        let shape = Shape { threads: (2, 3), statements: (2, 4), library: true, ends: true, inputs: true };
        programs::program(random, shape)
    });
    assert!(compared.stories >= 12, "too few were compared: {}", compared.stories);
}

#[test]
fn data_races() {
    let checks = Checks { data_race: true, ..Checks::usual() };
    let compared = check_programs(9000, 40, checks, |random| {
        let shape = Shape { threads: (2, 3), statements: (2, 3), library: true, ends: false, inputs: false };
        programs::program(random, shape).replace("volatile int x, y;", "int x, y;")
    });
    assert!(compared.stories >= 12, "too few were compared: {}", compared.stories);
}

//! Formulas grow linearly with the number of rounds, and what threads compute by themselves is in them once.

use norn_passes::unwind::Bounds;
use norn_rounds::sizes;
use norn_testing::prepare;
use norn_verdict::model::Model;

const FIBONACCI: &str = include_str!("growth/fibonacci.c");
const COUNTERS: &str = include_str!("growth/counters.c");
const MUTUAL_EXCLUSION: &str = include_str!("growth/mutual_exclusion.c");

/// Variables and clauses for 1 to 8 rounds.
fn sizes_of(text: &str, unwind: u32, model: Model) -> Vec<(usize, usize)> {
    let bounds = Bounds { default: unwind, ..Bounds::default() };
    sizes(prepare(text).code(), &bounds, model, 8).expect("it should be executed")
}

/// What each round adds to the one before it.
fn steps(sizes: &[(usize, usize)]) -> Vec<(usize, usize)> {
    sizes.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)).collect()
}

#[test]
fn each_round_adds_the_same() {
    for (text, unwind) in [(FIBONACCI, 6), (COUNTERS, 4), (MUTUAL_EXCLUSION, 2)] {
        for model in Model::ALL {
            let steps = steps(&sizes_of(text, unwind, model));
            // The first round folds away in part.
            assert!(steps[1..].windows(2).all(|pair| pair[0] == pair[1]), "{model}: {steps:?}");
        }
    }
}

#[test]
fn local_computation_is_encoded_once() {
    // What is computed has to matter.
    let short = COUNTERS.replace("assert(sum == 6", "assert(mixed[0] != 1 && mixed[1] != 2 && sum == 6");
    let long = short.replace("n < 4", "n < 8");
    assert!(short != COUNTERS && long != short);
    for model in Model::ALL {
        let (short, long) = (sizes_of(&short, 8, model), sizes_of(&long, 8, model));
        assert!(long[0].0 > short[0].0 + 100, "there is more to compute: {} and {}", long[0].0, short[0].0);
        assert_eq!(steps(&long)[1..], steps(&short)[1..], "{model}");
    }
}

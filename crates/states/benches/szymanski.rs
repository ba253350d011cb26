//! States per second and bytes per state on Szymanski's algorithm for three threads, and what each reduction is worth
//! there: `cargo bench -p norn-states`.

#![allow(clippy::print_stdout)]

use norn_engine::{Prepared, Query};
use norn_states::{Ended, Explored, Reductions, States, explore};
use norn_testing::prepare;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

const SZYMANSKI: &str = include_str!("szymanski.c");
const STATES_PER_SECOND: f64 = 500_000.0;
const BYTES_PER_STATE: f64 = 100.0;

fn measure(program: &Prepared, model: Model, reductions: Reductions) -> (Explored, f64) {
    let limits = Limits::for_seconds(30.0);
    let checks = Checks::default();
    let query = Query { program, model, checks, bounds: None, limits: &limits };
    let engine = States { reductions, shortest: false };
    let start = processor_seconds();
    let explored = explore(engine, &query, &mut |_| {});
    (explored, processor_seconds() - start)
}

/// What this thread has had of the processor: others may be using the machine.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

fn line(name: &str, model: Model, (explored, seconds): &(Explored, f64)) {
    let counts = &explored.found.counts;
    let states = counts.states as f64;
    let ended = match explored.found.ended {
        Ended::Everything => "",
        Ended::Violation(..) => "  unsafe",
        _ => "  gave up",
    };
    println!(
        "{name:<28} {model:>4} {:>10} {:>12} {:>9.3} {:>12.0} {:>8.1} {:>10}{ended}",
        counts.states,
        counts.transitions,
        seconds,
        states / seconds,
        counts.bytes as f64 / states,
        counts.depth
    );
}

fn main() {
    println!(
        "{:<28} {:>4} {:>10} {:>12} {:>9} {:>12} {:>8} {:>10}",
        "Szymanski, three threads", "", "states", "transitions", "seconds", "states/s", "bytes", "depth"
    );
    let plain = prepare(SZYMANSKI);
    let fenced = prepare(&format!("#define FENCED\n{SZYMANSKI}"));
    // The first run warms up.
    let runs: Vec<_> = (0..40).map(|_| measure(&plain, Model::Sc, Reductions::ALL)).collect();
    let best = runs.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("there should be a run");
    line("all reductions", Model::Sc, &best);
    let counts = &best.0.found.counts;
    let (speed, size) = (counts.states as f64 / best.1, counts.bytes as f64 / counts.states as f64);
    let all = Reductions::ALL;
    let variants = [
        ("all reductions", all),
        ("dead registers kept", Reductions { live_only: false, ..all }),
        ("objects not renamed", Reductions { rename: false, ..all }),
        ("not collapsed", Reductions { collapse: false, ..all }),
        ("stores not merged", Reductions { merge_stores: false, ..all }),
        ("no persistent steps", Reductions { persistent: false, ..all }),
        ("no reduction", Reductions::NONE),
    ];
    for (name, reductions) in variants {
        line(name, Model::Sc, &measure(&plain, Model::Sc, reductions));
    }
    for model in [Model::Tso, Model::Pso] {
        for (name, reductions) in variants {
            line(&format!("fenced, {name}"), model, &measure(&fenced, model, reductions));
        }
    }
    let verdict = |holds: bool| if holds { "holds" } else { "MISSED" };
    println!("at least {STATES_PER_SECOND} states per second: {}", verdict(speed >= STATES_PER_SECOND));
    println!("at most {BYTES_PER_STATE} bytes per state: {}", verdict(size <= BYTES_PER_STATE));
}

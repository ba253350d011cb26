//! How the formula grows with the number of rounds. Local computation is encoded once, memory once per round, so that each
//! further round adds about the same.

use norn_passes::unwind::Bounds;
use norn_rounds::sizes;
use norn_testing::prepare;
use norn_verdict::model::Model;

const PROGRAMS: [(&str, &str, u32); 3] = [
    ("fibonacci", include_str!("../../../crates/rounds/tests/growth/fibonacci.c"), 6),
    ("counters", include_str!("../../../crates/rounds/tests/growth/counters.c"), 4),
    ("mutual_exclusion", include_str!("../../../crates/rounds/tests/growth/mutual_exclusion.c"), 2),
];

pub fn print() {
    println!(
        "{:18}{:7}{:>7}{:>11}{:>11}{:>9}{:>9}",
        "program", "model", "rounds", "variables", "clauses", "more", "more"
    );
    for (name, text, unwind) in PROGRAMS {
        let program = prepare(text);
        for model in Model::ALL {
            let bounds = Bounds { default: unwind, ..Bounds::default() };
            let sizes = sizes(program.code(), &bounds, model, 8).expect("it should be executed");
            let mut before = None;
            for (rounds, size) in (1..).zip(sizes) {
                let (variables, clauses) = before.map_or((0, 0), |(v, c)| (size.0 - v, size.1 - c));
                println!("{name:18}{model:7}{rounds:7}{:11}{:11}{variables:9}{clauses:9}", size.0, size.1);
                before = Some(size);
            }
        }
    }
}

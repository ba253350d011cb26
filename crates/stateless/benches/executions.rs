//! Executions per second, and the executor's steps per second with undoing, on a small program full of races:
//! `cargo bench -p norn-stateless`.

#![allow(clippy::print_stdout)]

use norn_engine::{Prepared, Query};
use norn_exec::{Executor, compile};
use norn_stateless::explore;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::time::Instant;

/// Two threads add to one another's variables, five times; main looks at both meanwhile.
const RACES: &str = "#include <pthread.h>\n#include <assert.h>\nvolatile int a = 1, b = 1;\n\
    void *left(void *arg) { for (int n = 0; n < 5; n++) a += b; return 0; }\n\
    void *right(void *arg) { for (int n = 0; n < 5; n++) b += a; return 0; }\n\
    int main(void) { pthread_t l, r; pthread_create(&l, 0, left, 0); pthread_create(&r, 0, right, 0);\n\
    int most = a; assert(most < 1000); most = b; assert(most < 1000); return 0; }";

fn main() {
    let program = norn_testing::prepare(RACES);
    for model in Model::ALL {
        let limits = Limits::none();
        let query = Query { program: &program, model, checks: Checks::default(), bounds: None, limits: &limits };
        let start = Instant::now();
        let found = explore(&query, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        let count = found.counts.complete + found.counts.blocked;
        println!("{model}: {count} executions in {seconds:.3} s, {:.0} per second", count as f64 / seconds);
        println!("{model}: {:.1} million steps and undoings per second", steps(&program, model) / 1e6);
    }
}

/// Runs the program to its end and back, again and again.
fn steps(program: &Prepared, model: Model) -> f64 {
    const ROUNDS: usize = 100_000;
    let code = compile(program, None);
    let mut executor = Executor::new(program.code(), &code, model, Checks::default()).expect("there should be room");
    executor.start().expect("it should run");
    let begin = executor.mark();
    let mut count = 0u64;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for number in executor.numbers() {
            let thread = executor.identity(number);
            while executor.can_step(thread) {
                executor.step(thread).expect("it should run");
                count += 1;
                let commit = executor.commits(thread).next();
                if let Some(step) = commit {
                    executor.commit(thread, step).expect("it should reach memory");
                    count += 1;
                }
            }
        }
        executor.undo_to(begin);
    }
    count as f64 / start.elapsed().as_secs_f64()
}

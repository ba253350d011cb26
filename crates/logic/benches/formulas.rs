//! What terms, translation and the solver cost on small formulas, in processor time: `cargo bench -p norn-logic`. Options of
//! CaDiCaL, and `certify=1`, can be tried as in `cargo bench -p norn-logic --bench formulas -- elim=0`.

#![allow(clippy::print_stdout)]

use norn_logic::{Answer, Blaster, CaDiCaL, Dimacs, Options, Sat, Sort, Term, Terms};
use norn_verdict::limits::Limits;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let mut options = Options::default();
    for argument in std::env::args() {
        let Some((name, value)) = argument.split_once('=') else { continue };
        let value = value.parse().expect("the value of an option should be a number");
        match name {
            "certify" => options.certify = value != 0,
            _ => options = options.with(name, value),
        }
    }
    report("start and drop a solver", 200, || drop(black_box(CaDiCaL::new())));
    report("solve one clause", 200, || solve(&options, |terms| terms.fresh(Sort::Bool)));
    report("8 steps of a program, safe", 20, || solve(&options, |terms| program(terms, 8, false)));
    report("8 steps of a program, unsafe", 20, || solve(&options, |terms| program(terms, 8, true)));
    report("40 steps of a program, safe", 5, || solve(&options, |terms| program(terms, 40, false)));
    report("40 steps of a program, unsafe", 5, || solve(&options, |terms| program(terms, 40, true)));
    report("multiplication distributes at 5 bits", 3, || solve(&options, |terms| distributes(terms, 5)));
    report("division and multiplication at 10 bits", 3, || solve(&options, |terms| divides(terms, 10)));
    report("terms of 10,000 steps", 20, || {
        let mut terms = Terms::new();
        black_box(program(&mut terms, 10_000, false));
    });
    let mut terms = Terms::new();
    let claim = program(&mut terms, 10_000, false);
    println!("  {} terms", terms.len());
    report("clauses of 10,000 steps", 3, || {
        let mut blaster = Blaster::new(Dimacs::new());
        blaster.assert(&terms, claim);
        black_box(blaster.sink().len());
    });
    let mut blaster = Blaster::new(Dimacs::new());
    blaster.assert(&terms, claim);
    println!("  {} variables, {} clauses", blaster.sink().variables(), blaster.sink().len());
}

fn report(name: &str, times: u32, mut run: impl FnMut()) {
    run();
    let (start, used) = (Instant::now(), processor_time());
    for _ in 0..times {
        run();
    }
    let spent = match (used, processor_time()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    };
    println!("{name:<45} {:>10.1} us", spent.as_secs_f64() * 1e6 / f64::from(times));
}

/// Time on a processor of this thread, where the system tells it: other work on the machine does not count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn solve(options: &Options, claim: impl Fn(&mut Terms) -> Term) {
    let mut terms = Terms::new();
    let claim = claim(&mut terms);
    let mut blaster = Blaster::new(CaDiCaL::with_options(options).expect("the options should exist"));
    blaster.assert(&terms, claim);
    let answer = blaster.sink_mut().solve(&[], &Limits::for_seconds(30.0));
    if matches!(answer, Answer::Stopped(_)) {
        println!("  (stopped)");
    }
}

/// A counter that conditions raise and lower, a state machine and an array of four cells, as unrolled programs have them; the
/// claim is that the counter passes its bound.
fn program(terms: &mut Terms, steps: usize, reachable: bool) -> Term {
    let zero = terms.bits(32, 0);
    let one = terms.bits(32, 1);
    let (mut counter, mut state) = (zero, zero);
    let mut cells = [zero; 4];
    let bound = terms.bits(32, if reachable { steps as u64 / 4 } else { steps as u64 });
    for _ in 0..steps {
        let (input, index) = (terms.fresh(Sort::Bits(32)), terms.fresh(Sort::Bits(2)));
        let guard = terms.ult(input, bound);
        let raised = terms.add(counter, one);
        let small = terms.slt(counter, bound);
        let taken = terms.and(guard, small);
        counter = terms.ite(taken, raised, counter);
        for (number, cell) in cells.iter_mut().enumerate() {
            let number = terms.bits(2, number as u64);
            let here = terms.eq(index, number);
            let written = terms.and(here, taken);
            *cell = terms.ite(written, input, *cell);
        }
        let next = terms.bits(32, 3);
        let is_zero = terms.eq(state, zero);
        let moved = terms.ite(is_zero, next, zero);
        state = terms.ite(guard, moved, state);
    }
    let passes = terms.slt(bound, counter);
    let reaches = terms.eq(counter, bound);
    let three = terms.bits(32, 3);
    let in_state = terms.eq(state, three);
    let odd = terms.eq(cells[1], bound);
    let claim = if reachable { terms.and(reaches, in_state) } else { passes };
    let other = terms.or(odd, in_state);
    if reachable { terms.and(claim, !odd) } else { terms.and(claim, other) }
}

fn distributes(terms: &mut Terms, width: u32) -> Term {
    let (x, y, z) = (terms.fresh(Sort::Bits(width)), terms.fresh(Sort::Bits(width)), terms.fresh(Sort::Bits(width)));
    let (sum, left, right) = (terms.add(y, z), terms.mul(x, y), terms.mul(x, z));
    let (product, parts) = (terms.mul(x, sum), terms.add(left, right));
    terms.ne(product, parts)
}

fn divides(terms: &mut Terms, width: u32) -> Term {
    let (x, y) = (terms.fresh(Sort::Bits(width)), terms.fresh(Sort::Bits(width)));
    let (quotient, remainder) = (terms.udiv(x, y), terms.urem(x, y));
    let zero = terms.bits(width, 0);
    let product = terms.mul(quotient, y);
    let sum = terms.add(product, remainder);
    let (wrong, divisor) = (terms.eq(sum, x), terms.ne(y, zero));
    let limit = terms.bits(width, 40);
    let small = terms.ult(remainder, limit);
    let large = terms.ult(limit, quotient);
    terms.all([wrong, divisor, !small, large])
}

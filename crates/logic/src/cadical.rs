//! CaDiCaL behind [`Sat`].
//!
//! The bindings of `cadical-sys` are safe, so there is no unsafe code here.

use crate::clauses::{ClauseSink, Lit};
use crate::sat::{Answer, Sat, SatStats};
use cadical_sys::{CaDiCal, Status, Terminator};
use norn_verdict::limits::{Exceeded, Limits};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How often the clock and the memory of the process are looked at.
const WATCH_INTERVAL: Duration = Duration::from_millis(5);

/// What to tell CaDiCaL before the first clause.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Another seed is another search; 0 is the default one.
    pub seed: i32,
    /// Names and values of CaDiCaL's own options.
    pub settings: Vec<(String, i32)>,
}

impl Options {
    pub fn with(mut self, name: &str, value: i32) -> Options {
        self.settings.push((name.to_owned(), value));
        self
    }
}

/// A name that is no option of CaDiCaL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownOption(pub String);

pub struct CaDiCaL {
    /// Reading values needs exclusive access, though it changes nothing that can be seen.
    solver: RefCell<CaDiCal>,
    variables: i32,
    clauses: u64,
    stopped: Rc<Cell<Option<Exceeded>>>,
    scratch: Vec<i32>,
}

impl Default for CaDiCaL {
    fn default() -> CaDiCaL {
        CaDiCaL::new()
    }
}

impl CaDiCaL {
    pub fn new() -> CaDiCaL {
        CaDiCaL {
            solver: RefCell::new(CaDiCal::new()),
            variables: 0,
            clauses: 0,
            stopped: Rc::default(),
            scratch: Vec::new(),
        }
    }

    pub fn with_options(options: &Options) -> Result<CaDiCaL, UnknownOption> {
        let solver = CaDiCaL::new();
        {
            let mut inner = solver.solver.borrow_mut();
            let seed = [("seed".to_owned(), options.seed)];
            for (name, value) in seed.iter().chain(&options.settings) {
                if !inner.set(name, *value) {
                    return Err(UnknownOption(name.clone()));
                }
            }
        }
        Ok(solver)
    }

    /// Lets the solver try this literal first if it decides on its variable: a hint.
    pub fn phase(&mut self, literal: Lit) {
        self.solver.get_mut().phase(literal.dimacs());
    }
}

impl ClauseSink for CaDiCaL {
    fn new_var(&mut self) -> Lit {
        self.variables = self.variables.checked_add(1).expect("there should be fewer than 2^31 variables");
        Lit::from_dimacs(self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        self.scratch.clear();
        self.scratch.extend(literals.iter().map(|literal| literal.dimacs()));
        self.solver.get_mut().clause6(&self.scratch);
    }
}

impl Sat for CaDiCaL {
    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        if let Some(exceeded) = limits.exceeded() {
            return Answer::Stopped(exceeded);
        }
        let solver = self.solver.get_mut();
        for assumption in assumptions {
            solver.assume(assumption.dimacs());
        }
        self.stopped.set(None);
        let next_look = Instant::now() + WATCH_INTERVAL;
        solver.connect_terminator(Watch { limits: limits.clone(), next_look, stopped: Rc::clone(&self.stopped) });
        let status = solver.solve();
        solver.disconnect_terminator();
        match status {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => {
                let exceeded = self.stopped.get();
                Answer::Stopped(exceeded.expect("the solver should give up only when it is told to"))
            }
        }
    }

    fn value(&self, literal: Lit) -> bool {
        self.solver.borrow_mut().val(literal.dimacs()) == literal.dimacs()
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.borrow_mut().failed(assumption.dimacs())
    }

    fn stats(&self) -> SatStats {
        let solver = self.solver.borrow();
        let count = |name| u64::try_from(solver.get_statistic_value(name)).unwrap_or(0);
        SatStats {
            variables: self.variables as u64,
            clauses: self.clauses,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
        }
    }
}

/// Stops the search when a limit is reached.
struct Watch {
    limits: Limits,
    next_look: Instant,
    stopped: Rc<Cell<Option<Exceeded>>>,
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        if self.limits.stop.is_stopped() {
            self.stopped.set(Some(Exceeded::Interrupted));
        } else {
            let now = Instant::now();
            if now >= self.next_look {
                self.next_look = now + WATCH_INTERVAL;
                self.stopped.set(self.limits.exceeded());
            }
        }
        self.stopped.get().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One more pigeon than there are holes: hard for a solver that only resolves.
    fn pigeons(solver: &mut impl ClauseSink, holes: usize) {
        let places: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| solver.new_var()).collect()).collect();
        for (pigeon, place) in places.iter().enumerate() {
            solver.clause(place);
            for other in &places[..pigeon] {
                for (&here, &there) in place.iter().zip(other) {
                    solver.clause(&[!here, !there]);
                }
            }
        }
    }

    #[test]
    fn models_and_assumptions() {
        let mut solver = CaDiCaL::new();
        let (a, b, c) = (solver.new_var(), solver.new_var(), solver.new_var());
        solver.clause(&[a, b]);
        solver.clause(&[!a, c]);
        assert_eq!(solver.solve(&[!b], &Limits::none()), Answer::Sat);
        assert!(solver.value(a) && solver.value(!b) && solver.value(c));
        assert_eq!(solver.solve(&[!c, !b], &Limits::none()), Answer::Unsat);
        assert!(solver.failed(!c) && solver.failed(!b));
        assert_eq!(solver.solve(&[], &Limits::none()), Answer::Sat);
        solver.clause(&[!b]);
        solver.clause(&[!c]);
        assert_eq!(solver.solve(&[], &Limits::none()), Answer::Unsat);
        assert_eq!((solver.stats().variables, solver.stats().clauses), (3, 4));
    }

    #[test]
    fn variables_that_no_clause_mentions_have_a_value() {
        let mut solver = CaDiCaL::new();
        let (a, b) = (solver.new_var(), solver.new_var());
        assert_eq!(solver.solve(&[b], &Limits::none()), Answer::Sat);
        assert!(solver.value(b));
        assert_ne!(solver.value(a), solver.value(!a));
    }

    #[test]
    fn phases_choose_among_models() {
        // Only hints: what is simplified away before the search has no phase.
        let mut options = Options::default();
        for simplification in ["lucky", "fastelim", "elim", "decompose", "congruence", "probe"] {
            options = options.with(simplification, 0);
        }
        for positive in [true, false] {
            let mut solver = CaDiCaL::with_options(&options).unwrap();
            let (a, b) = (solver.new_var(), solver.new_var());
            solver.clause(&[a, b]);
            solver.clause(&[!a, !b]);
            solver.phase(a.negate_if(!positive));
            solver.phase(b.negate_if(positive));
            assert_eq!(solver.solve(&[], &Limits::none()), Answer::Sat);
            assert_eq!(solver.value(a), positive);
        }
    }

    #[test]
    fn a_search_stops_at_its_deadline_and_can_go_on() {
        let mut solver = CaDiCaL::new();
        pigeons(&mut solver, 12);
        let start = Instant::now();
        assert_eq!(solver.solve(&[], &Limits::for_seconds(0.1)), Answer::Stopped(Exceeded::Time));
        assert!(start.elapsed() < Duration::from_secs(5), "the solver should look at the clock");
        assert!(solver.stats().conflicts > 0);
        assert_eq!(solver.solve(&[], &Limits::for_seconds(0.1)), Answer::Stopped(Exceeded::Time));
    }

    #[test]
    fn a_search_can_be_interrupted() {
        let mut solver = CaDiCaL::new();
        pigeons(&mut solver, 12);
        let limits = Limits::none();
        let stop = limits.stop.clone();
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stop.stop();
        });
        assert_eq!(solver.solve(&[], &limits), Answer::Stopped(Exceeded::Interrupted));
        other.join().unwrap();
    }

    #[test]
    fn memory_is_watched() {
        let mut solver = CaDiCaL::new();
        pigeons(&mut solver, 12);
        let used = norn_verdict::limits::resident_bytes().unwrap();
        let limits = Limits { memory: Some(used + (8 << 20)), ..Limits::for_seconds(60.0) };
        // Touched page by page, so that it is resident, after the search has begun.
        let hog = std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            let hog = vec![1u8; 256 << 20];
            std::thread::sleep(Duration::from_millis(500));
            hog[hog.len() / 2]
        });
        assert_eq!(solver.solve(&[], &limits), Answer::Stopped(Exceeded::Memory));
        hog.join().unwrap();
    }

    #[test]
    fn options_are_checked_by_name() {
        assert_eq!(
            CaDiCaL::with_options(&Options::default().with("elim", 0).with("nonsense", 1)).err(),
            Some(UnknownOption("nonsense".to_owned()))
        );
        let mut solver = CaDiCaL::with_options(&Options { seed: 5, ..Options::default() }.with("elim", 0)).unwrap();
        pigeons(&mut solver, 5);
        assert_eq!(solver.solve(&[], &Limits::none()), Answer::Unsat);
    }
}

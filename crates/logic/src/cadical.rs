//! CaDiCaL behind [`Sat`].
//!
//! The bindings of `cadical-sys` are safe, so there is no unsafe code here.
//!
//! What CaDiCaL costs (`cargo bench -p norn-logic`, processor time): making, filling and dropping a solver for one
//! clause takes 25 to 40 µs, so that nothing is gained by keeping one. Formulas of a few thousand clauses take 1 ms
//! with any of the options that were tried (`inprocessing`, `inprobing`, `elim`, `fastelim`, `lucky`, `congruence`,
//! `decompose`, `vivify`, `ternary`, `sweep`, `walk`, `probe`, `stabilize` off): differences are within the noise, so
//! the defaults stay. `preprocesslight` on is up to ten times slower there. Checking the proof costs a third up to as
//! much again as solving.
//!
//! CaDiCaL reads its options from environment variables `CADICAL_…`, too; that is the one way in which the environment can change a
//! search, though never a verdict.

use crate::clauses::{ClauseSink, Dimacs, Lit};
use crate::proof::{Certificate, Checker, Damage, Step};
use crate::propagator::{Adapter, Observed, Panic, Propagator};
use crate::sat::{Answer, Sat, SatStats};
use crate::trace::Tracer;
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
    /// Checks the proof while it is made, for [`CaDiCaL::certificate`].
    pub certify: bool,
    /// Writes the proof to this file, too, in the format that CaDiCaL's options choose (DRAT unless told otherwise).
    pub proof_file: Option<String>,
    /// Names and values of CaDiCaL's own options.
    pub settings: Vec<(String, i32)>,
}

impl Options {
    pub fn with(mut self, name: &str, value: i32) -> Options {
        self.settings.push((name.to_owned(), value));
        self
    }
}

/// Why [`Options`] cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// CaDiCaL has no option of this name, or not with this value.
    Setting(String),
    /// The file cannot be written.
    ProofFile(String),
}

pub struct CaDiCaL {
    /// Reading values needs exclusive access, though it changes nothing that can be seen.
    solver: RefCell<CaDiCal>,
    variables: i32,
    clauses: u64,
    /// How many variables there were when the solver last ran: it may have eliminated these.
    solved_variables: i32,
    assumptions: Vec<Lit>,
    stopped: Rc<Cell<Option<Exceeded>>>,
    panic: Panic,
    observed: Option<Rc<RefCell<Observed>>>,
    checker: Option<Rc<RefCell<Checker>>>,
    /// All clauses as they were given, if proofs are checked.
    given: Option<Dimacs>,
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
            solved_variables: 0,
            assumptions: Vec::new(),
            stopped: Rc::default(),
            panic: Panic::default(),
            observed: None,
            checker: None,
            given: None,
            scratch: Vec::new(),
        }
    }

    pub fn with_options(options: &Options) -> Result<CaDiCaL, OptionError> {
        let mut solver = CaDiCaL::new();
        let inner = solver.solver.get_mut();
        let seed = [("seed".to_owned(), options.seed)];
        for (name, value) in seed.iter().chain(&options.settings) {
            if !inner.set(name, *value) {
                return Err(OptionError::Setting(name.clone()));
            }
        }
        if let Some(file) = &options.proof_file
            && !inner.trace_proof2(file)
        {
            return Err(OptionError::ProofFile(file.clone()));
        }
        if options.certify {
            let checker = Rc::new(RefCell::new(Checker::new()));
            solver.checker = Some(Rc::clone(&checker));
            solver.given = Some(Dimacs::new());
            let follow = move |step: Step<'_>| {
                // The checker remembers damage until a certificate is asked for.
                let _ = checker.borrow_mut().step(step);
            };
            inner.connect_proof_tracer1(Tracer(follow), true, false);
        }
        Ok(solver)
    }

    /// Lets a propagator take part in the search, over these variables. To be called before the solver first runs, since
    /// afterwards it may have eliminated variables.
    pub fn connect(&mut self, propagator: Box<dyn Propagator>, observed: &[Lit]) {
        assert!(self.observed.is_none(), "only one propagator should be connected");
        let state = Rc::new(RefCell::new(Observed::default()));
        let adapter = Adapter::new(propagator, Rc::clone(&state), Rc::clone(&self.panic), self.checker.clone());
        self.solver.get_mut().connect_external_propagator(adapter);
        self.observed = Some(state);
        self.observe(observed);
    }

    /// Lets the propagator see more variables. They must be new since the solver last ran.
    pub fn observe(&mut self, literals: &[Lit]) {
        let state = self.observed.as_ref().expect("a propagator should be connected before variables are observed");
        let solver = self.solver.get_mut();
        for literal in literals {
            let is_new = state.borrow_mut().add(*literal);
            assert!(
                !is_new || literal.variable() > self.solved_variables as u32,
                "variable {} should be observed before the solver runs",
                literal.variable()
            );
            solver.add_observed_var(literal.dimacs().abs());
        }
        self.rethrow();
    }

    /// The checked refutation of the formula, under the assumptions of the last [`Sat::solve`], which must have been
    /// [`Answer::Unsat`] by a solver with [`Options::certify`].
    pub fn certificate(&mut self) -> Result<Certificate, Damage> {
        let checker = self.checker.as_ref().expect("a certificate should be asked for only where proofs are checked");
        self.solver.get_mut().conclude();
        checker.borrow().certificate(&self.assumptions)
    }

    /// The clauses so far, as they were given: kept by a solver with [`Options::certify`].
    pub fn given(&self) -> Option<&Dimacs> {
        self.given.as_ref()
    }

    /// Goes on with a panic of the propagator, now that no C++ code is on the stack.
    fn rethrow(&self) {
        let payload = self.panic.borrow_mut().take();
        if let Some(payload) = payload {
            std::panic::resume_unwind(payload);
        }
    }

    /// Lets the solver try this literal first if it decides on its variable: a hint.
    pub fn phase(&mut self, literal: Lit) {
        self.solver.get_mut().phase(literal.dimacs());
    }
}

impl ClauseSink for CaDiCaL {
    fn new_var(&mut self) -> Lit {
        self.variables = self.variables.checked_add(1).expect("there should be fewer than 2^31 variables");
        if let Some(given) = &mut self.given {
            given.new_var();
        }
        Lit::from_dimacs(self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        if let Some(given) = &mut self.given {
            given.clause(literals);
        }
        if let Some(checker) = &self.checker {
            checker.borrow_mut().expect(literals);
        }
        self.scratch.clear();
        self.scratch.extend(literals.iter().map(|literal| literal.dimacs()));
        self.solver.get_mut().clause6(&self.scratch);
    }
}

impl CaDiCaL {
    /// Like [`Sat::solve`], but gives up (`None`) after `conflicts` conflicts, a limit that is the same on every
    /// computer. The limit holds for this one question.
    pub fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits, conflicts: u32) -> Option<Answer> {
        let known = self.solver.get_mut().limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
        debug_assert!(known, "conflicts should be something to limit");
        self.answer(assumptions, limits)
    }

    /// `None` if a limit of the solver's own was reached.
    fn answer(&mut self, assumptions: &[Lit], limits: &Limits) -> Option<Answer> {
        if let Some(exceeded) = limits.exceeded() {
            return Some(Answer::Stopped(exceeded));
        }
        let solver = self.solver.get_mut();
        for assumption in assumptions {
            solver.assume(assumption.dimacs());
        }
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        self.solved_variables = self.variables;
        self.stopped.set(None);
        let next_look = Instant::now() + WATCH_INTERVAL;
        let (stopped, panic) = (Rc::clone(&self.stopped), Rc::clone(&self.panic));
        solver.connect_terminator(Watch { limits: limits.clone(), next_look, stopped, panic });
        let status = solver.solve();
        solver.disconnect_terminator();
        self.rethrow();
        match status {
            Status::SATISFIABLE => Some(Answer::Sat),
            Status::UNSATISFIABLE => Some(Answer::Unsat),
            Status::UNKNOWN => self.stopped.get().map(Answer::Stopped),
        }
    }
}

impl Sat for CaDiCaL {
    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.answer(assumptions, limits).expect("the solver should give up only when it is told to")
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
    panic: Panic,
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        if self.panic.borrow().is_some() {
            return true;
        }
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
pub(crate) mod tests {
    use super::*;

    /// One more pigeon than there are holes: hard for a solver that only resolves.
    pub(crate) fn pigeons(solver: &mut impl ClauseSink, holes: usize) {
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
        // Touched page by page, so that it is resident, after the search has begun and until it ends.
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let hog = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            let hog = vec![1u8; 256 << 20];
            let _ = wait.recv();
            hog[hog.len() / 2]
        });
        assert_eq!(solver.solve(&[], &limits), Answer::Stopped(Exceeded::Memory));
        drop(done);
        hog.join().unwrap();
    }

    #[test]
    fn options_are_checked_by_name() {
        assert_eq!(
            CaDiCaL::with_options(&Options::default().with("elim", 0).with("nonsense", 1)).err(),
            Some(OptionError::Setting("nonsense".to_owned()))
        );
        let mut solver = CaDiCaL::with_options(&Options { seed: 5, ..Options::default() }.with("elim", 0)).unwrap();
        pigeons(&mut solver, 5);
        assert_eq!(solver.solve(&[], &Limits::none()), Answer::Unsat);
    }
}

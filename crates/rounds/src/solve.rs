//! One question to the solver: K rounds, at some width.

use crate::encode::{Encoding, Formula};
use crate::watch::Watch;
use norn_logic::{Answer, Blaster, CaDiCaL, ClauseSink, Damage, Lit, Options, Sat, SatStats, Term};
use norn_symex::schedule::Move;
use norn_symex::{Check, EventId, Finding, SectionKind};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::{Assumption, Reached, Violation};
use std::collections::BTreeSet;

/// A formula in the solver.
pub struct Question<'e, 'a> {
    pub encoding: &'e mut Encoding<'a>,
    pub formula: Formula,
    pub blaster: Blaster<CaDiCaL>,
    certify: bool,
    /// Steps of proofs that were checked.
    pub proved: u64,
    /// Why a proof is none.
    pub damage: Option<Damage>,
}

impl<'e, 'a> Question<'e, 'a> {
    /// `certify`: proofs are checked.
    pub fn new(
        encoding: &'e mut Encoding<'a>,
        rounds: u32,
        certify: bool,
        limits: &Limits,
    ) -> Result<Question<'e, 'a>, Exceeded> {
        let mut watch = Watch::new(limits);
        let formula = encoding.formula(rounds, &mut watch)?;
        let options = Options { certify, ..Options::default() };
        let solver = CaDiCaL::with_options(&options).expect("the solver should have the options that it is given");
        let mut blaster = Blaster::new(solver);
        assert_formula(encoding, &formula, &mut blaster, &mut watch)?;
        Ok(Question { encoding, formula, blaster, certify, proved: 0, damage: None })
    }

    /// Looks for an execution with a violation and nothing undefined. `None`: not found within this number of
    /// conflicts.
    pub fn violation(&mut self, limits: &Limits, conflicts: Option<u32>) -> Option<Answer> {
        let terms = &mut self.encoding.narrow.terms;
        let violation = self.formula.violation(self.encoding.symbolic, terms);
        let undefined = self.formula.undefined(self.encoding.symbolic, terms);
        let excluded = self.formula.excluded(self.encoding.symbolic, terms);
        let wanted = terms.all([violation, !undefined, !excluded]);
        let answer = match (conflicts, self.switch(wanted)) {
            (_, None) => return Some(Answer::Unsat),
            (None, Some(switch)) => Some(self.blaster.sink_mut().solve(&[switch], limits)),
            (Some(conflicts), Some(switch)) => self.blaster.sink_mut().solve_within(&[switch], limits, conflicts),
        };
        self.look_at_proof(answer);
        answer
    }

    /// Looks for an execution in which something has no meaning; gives the number of a check.
    pub fn undefined(&mut self, limits: &Limits) -> Result<Option<usize>, Exceeded> {
        let terms = &mut self.encoding.narrow.terms;
        let undefined = self.formula.undefined(self.encoding.symbolic, terms);
        let excluded = self.formula.excluded(self.encoding.symbolic, terms);
        let wanted = terms.and(undefined, !excluded);
        match self.ask(wanted, limits) {
            Answer::Unsat => Ok(None),
            Answer::Stopped(exceeded) => Err(exceeded),
            Answer::Sat => {
                let checks = self.encoding.symbolic.checks.iter().enumerate();
                let undefined = checks.filter(|(_, check)| check.what.is_undefined());
                let holds = self.values();
                let found = undefined.map(|(index, _)| index).find(|&index| holds(self.formula.checks[index]));
                Ok(found)
            }
        }
    }

    /// Which cuts are reached in some execution.
    pub fn cuts(&mut self, limits: &Limits) -> Result<Vec<bool>, Exceeded> {
        let terms = &mut self.encoding.narrow.terms;
        let excluded = self.formula.excluded(self.encoding.symbolic, terms);
        self.possible(&self.formula.cuts.clone(), !excluded, limits)
    }

    /// What executions come to.
    pub fn marks(&mut self, limits: &Limits) -> Result<Reached, Exceeded> {
        let symbolic = self.encoding.symbolic;
        let excluded = self.formula.excluded(symbolic, &mut self.encoding.narrow.terms);
        let possible = self.possible(&self.formula.marks.clone(), !excluded, limits)?;
        let mut reached = Reached::default();
        symbolic.marks.iter().zip(possible).filter(|found| found.1).for_each(|found| found.0.note(&mut reached));
        Ok(reached)
    }

    /// What is assumed not to happen, and would happen in some execution.
    pub fn assumptions(&mut self, limits: &Limits) -> Result<BTreeSet<Assumption>, Exceeded> {
        let symbolic = self.encoding.symbolic;
        let mut needed = BTreeSet::new();
        for excluded in [false, true] {
            let of = |check: &Check| check.what.assumption().filter(|_| check.what.is_excluded() == excluded);
            let checks = symbolic.checks.iter().zip(&self.formula.checks);
            let (assumed, terms): (Vec<Assumption>, Vec<Term>) =
                checks.filter_map(|(check, &term)| Some((of(check)?, term))).unzip();
            let terms_of = &mut self.encoding.narrow.terms;
            let given = match excluded {
                true => Term::TRUE,
                false => !self.formula.excluded(symbolic, terms_of),
            };
            let possible = self.possible(&terms, given, limits)?;
            needed.extend(assumed.into_iter().zip(possible).filter(|found| found.1).map(|found| found.0));
        }
        Ok(needed)
    }

    /// Which of some terms hold in some execution for which another holds.
    fn possible(&mut self, wanted: &[Term], given: Term, limits: &Limits) -> Result<Vec<bool>, Exceeded> {
        let mut possible = vec![false; wanted.len()];
        loop {
            let open: Vec<Term> = wanted.iter().zip(&possible).filter(|(_, is)| !**is).map(|(&term, _)| term).collect();
            let terms = &mut self.encoding.narrow.terms;
            let any = terms.any(open);
            let asked = terms.and(any, given);
            match self.ask(asked, limits) {
                Answer::Unsat => return Ok(possible),
                Answer::Stopped(exceeded) => return Err(exceeded),
                Answer::Sat => {
                    let holds = self.values();
                    let now: Vec<bool> = wanted.iter().map(|&term| holds(term)).collect();
                    possible.iter_mut().zip(now).for_each(|(possible, now)| *possible |= now);
                }
            }
        }
    }

    /// What happens in the model, slot by slot. Stores that are committed in the slot in which they are run are committed
    /// at once, those of earlier rounds at its beginning; after the last round all that is left.
    pub fn moves(&self) -> Vec<Move> {
        let (symbolic, plan) = (self.encoding.symbolic, self.encoding.plan);
        let holds = self.values();
        let executed = self.source_holds();
        let mut moves = Vec::new();
        let mut waiting: Vec<Vec<EventId>> = vec![Vec::new(); symbolic.threads.len()];
        for round in 1..=self.formula.last {
            for &thread in self.encoding.order {
                let waiting = &mut waiting[thread.0 as usize];
                let is_committed = |store: EventId| holds(self.encoding.committed(store, round));
                moves.extend(waiting.iter().filter(|&&store| is_committed(store)).map(|&store| Move::Commit(store)));
                waiting.retain(|&store| !is_committed(store));
                for atom in &plan.threads[thread.0 as usize].atoms {
                    let now = holds(self.encoding.started(atom.unit, round))
                        && !holds(self.encoding.started(atom.unit, round - 1));
                    if !now || !executed(atom.guard) {
                        continue;
                    }
                    moves.push(match atom.section {
                        Some(section) => Move::RunSection(section),
                        None => Move::Run(atom.events.start),
                    });
                    let stores = atom.events.into_iter().filter(|&id| plan.has_commit(id));
                    // The parts of one access are one store.
                    let is_group = atom.section.is_some_and(|id| symbolic.section(id).kind == SectionKind::Group);
                    let executed_stores = stores.filter(|&id| executed(symbolic.event(id).guard));
                    for store in executed_stores.take(if is_group { 1 } else { usize::MAX }) {
                        if plan.is_prelude(store) || is_committed(store) {
                            moves.push(Move::Commit(store));
                        } else {
                            waiting.push(store);
                        }
                    }
                }
            }
        }
        for &thread in self.encoding.order {
            moves.extend(waiting[thread.0 as usize].iter().map(|&store| Move::Commit(store)));
        }
        moves
    }

    /// The value of a variable of the event list in the model.
    pub fn value(&self) -> impl Fn(Term) -> u64 {
        let solver = self.blaster.sink();
        move |variable| {
            let of = |variable: Term| {
                let terms = &self.encoding.narrow.terms;
                self.blaster.variable_value(terms, variable, &|literal| solver.value(literal))
            };
            self.encoding.narrow.value_of(variable, &of)
        }
    }

    /// The violations of the model, as the checks of the event list tell them.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        let holds = self.values();
        let checks = self.encoding.symbolic.checks.iter().zip(&self.formula.checks);
        checks.filter_map(move |(check, &term)| match &check.what {
            Finding::Violation(violation) if holds(term) => Some(violation),
            _ => None,
        })
    }

    pub fn stats(&self) -> SatStats {
        self.blaster.sink().stats()
    }

    fn ask(&mut self, wanted: Term, limits: &Limits) -> Answer {
        let Some(switch) = self.switch(wanted) else { return Answer::Unsat };
        let answer = self.blaster.sink_mut().solve(&[switch], limits);
        self.look_at_proof(Some(answer));
        answer
    }

    /// Checks the proof of a refutation.
    fn look_at_proof(&mut self, answer: Option<Answer>) {
        if !self.certify || answer != Some(Answer::Unsat) {
            return;
        }
        match self.blaster.sink_mut().certificate() {
            Ok(certificate) => self.proved = certificate.derived,
            Err(damage) => self.damage = self.damage.or(Some(damage)),
        }
    }

    /// A literal that makes a term hold, unless nothing can.
    fn switch(&mut self, wanted: Term) -> Option<Lit> {
        if wanted == Term::FALSE {
            return None;
        }
        let switch = self.blaster.sink_mut().new_var();
        self.blaster.assert_if(&self.encoding.narrow.terms, switch, wanted);
        Some(switch)
    }

    /// Whether a term of the formula holds in the model.
    fn values(&self) -> impl Fn(Term) -> bool {
        let solver = self.blaster.sink();
        let memo = std::cell::RefCell::new(norn_logic::Memo::default());
        move |term| {
            let terms = &self.encoding.narrow.terms;
            let variable =
                |variable: Term| self.blaster.variable_value(terms, variable, &|literal| solver.value(literal));
            terms.holds(term, &mut memo.borrow_mut(), &variable)
        }
    }

    /// Whether a term of the event list holds in the model.
    fn source_holds(&self) -> impl Fn(Term) -> bool {
        let memo = std::cell::RefCell::new(norn_logic::Memo::default());
        move |term| self.encoding.symbolic.terms.holds(term, &mut memo.borrow_mut(), &self.value())
    }
}

/// Adds a formula to a sink.
pub fn assert_formula<S: ClauseSink>(
    encoding: &mut Encoding<'_>,
    formula: &Formula,
    blaster: &mut Blaster<S>,
    watch: &mut Watch<'_>,
) -> Result<(), Exceeded> {
    let terms = &mut encoding.narrow.terms;
    for clause in &formula.clauses {
        let assertion = terms.any(clause.iter().copied());
        blaster.assert(terms, assertion);
        watch.note()?;
    }
    for &(a, b, condition) in &formula.equations {
        let conditions: Vec<_> = condition.into_iter().map(|condition| blaster.lit(terms, condition)).collect();
        blaster.equal_if(terms, &conditions, a, b);
        watch.note()?;
    }
    Ok(())
}

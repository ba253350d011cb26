//! Whether an execution of the machine in K rounds is a model of the formula for K rounds.
//!
//! All is evaluated, nothing solved. The execution says in which round each unit was run and each store committed, and what was
//! read and asked for; every clause that the solver was given has to hold under that, with what follows from it by the clauses
//! themselves. A value that does not fit into the bits that its range has is as wrong as a clause that does not hold.
//!
//! *Units.* The machine may interrupt a thread anywhere. A unit is run in the round of its first step: the steps behind it that
//! came later are among those that `plan` moves to the left, and fences and joins before it among those that it moves to the
//! right. So what `plan` says of them is checked too. Of a thread that has not ended, units without a step of the execution are not
//! run. What neither is executed nor holds anybody up (units between, stores that are not executed) is left to the clauses.

use crate::solve::Question;
use norn_follow::Followed;
use norn_logic::satisfied::{Assignment, Clauses, Violated};
use norn_logic::{Term, Terms};
use norn_symex::EventId;

#[cfg(test)]
mod tests;

type Checked<T> = Result<T, String>;

impl Question<'_, '_> {
    /// Why the execution is not a model, if it is none.
    pub fn is_model(&self, clauses: &Clauses<'_>, followed: &Followed) -> Checked<()> {
        let mut assignment = Assignment::default();
        self.set_variables(followed, &mut assignment)?;
        self.set_units(followed, &mut assignment)?;
        self.set_commits(followed, &mut assignment)?;
        let extended = clauses.extend(&mut assignment);
        extended.map(|_| ()).map_err(|violated| match violated {
            Violated::Literal(literal) => format!("literal {literal:?} has to be true and false"),
            Violated::Clause(clause) => format!("the clause {clause:?} does not hold"),
        })
    }

    fn give(&self, assignment: &mut Assignment, variable: Term, value: u64, what: &dyn Fn() -> String) -> Checked<()> {
        let terms: &Terms = &self.encoding.narrow.terms;
        for (bit, &literal) in self.blaster.variable_lits(terms, variable.positive()).iter().enumerate() {
            assignment.set(literal, value >> bit & 1 == 1).map_err(|_| what())?;
        }
        Ok(())
    }

    fn set_variables(&self, followed: &Followed, assignment: &mut Assignment) -> Checked<()> {
        for (&variable, &value) in &followed.values {
            let what = || format!("{} cannot be {value}", self.encoding.symbolic.show(variable));
            if let Some((built, value)) = self.encoding.narrow.narrowed(variable, value).map_err(|()| what())? {
                self.give(assignment, built, value, &what)?;
            }
        }
        Ok(())
    }

    /// A term of the rounds: the same from `since` on.
    fn set_rounds(
        &self,
        assignment: &mut Assignment,
        since: Option<u32>,
        term: &dyn Fn(u32) -> Term,
        what: &dyn Fn() -> String,
    ) -> Checked<()> {
        for round in 1..=self.formula.last {
            let value = since.is_some_and(|since| round >= since);
            match self.encoding.narrow.terms.as_bool(term(round)) {
                Some(constant) if constant != value => return Err(what()),
                Some(_) => {}
                None => self.give(assignment, term(round), u64::from(value), what)?,
            }
        }
        Ok(())
    }

    fn set_units(&self, followed: &Followed, assignment: &mut Assignment) -> Checked<()> {
        let (symbolic, plan) = (self.encoding.symbolic, self.encoding.plan);
        let mut since: Vec<Option<u32>> = vec![None; plan.units.len()];
        for (&event, &round) in followed.ran.iter().filter(|(event, _)| symbolic.event(**event).visible) {
            let since = &mut since[plan.unit_of(event).index()];
            *since = Some(since.map_or(round, |before| before.min(round)));
        }
        for (thread, ended) in plan.threads.iter().zip(&followed.ended) {
            let last = thread.units.iter().rev().find(|unit| since[unit.index()].is_some());
            for unit in thread.units.iter().filter(|unit| !plan.units[unit.index()].is_first) {
                let is_behind = last.is_none_or(|last| unit > last);
                if since[unit.index()].is_none() && (*ended || !is_behind) {
                    continue;
                }
                let started = |round: u32| self.encoding.started(unit, round);
                let what = || format!("{unit:?} cannot begin in round {:?}", since[unit.index()]);
                self.set_rounds(assignment, since[unit.index()], &started, &what)?;
            }
        }
        Ok(())
    }

    fn set_commits(&self, followed: &Followed, assignment: &mut Assignment) -> Checked<()> {
        let (symbolic, plan) = (self.encoding.symbolic, self.encoding.plan);
        let executed = |id: &EventId| plan.is_buffered(*id) && followed.executed[id.index()];
        for id in symbolic.event_ids().filter(executed) {
            let since = followed.committed.get(&id).copied();
            let what = || format!("{id:?} cannot be committed in round {since:?}");
            self.set_rounds(assignment, since, &|round| self.encoding.committed(id, round), &what)?;
        }
        Ok(())
    }
}

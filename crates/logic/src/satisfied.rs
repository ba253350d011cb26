//! Whether clauses hold under given values of some variables, without a search: the values of the other variables
//! follow from the clauses themselves.
//!
//! The values of a formula's inputs decide its gates: the clauses of a gate are unit under values of its inputs. So a
//! gate needs no definition besides its clauses, and a clause that is wrong is found no matter what it was meant to be.
//! Literals that need only imply their term (see [`crate::blast`]) may be left open; they occur in one polarity among
//! the clauses that are not satisfied yet, and get that value. Nothing is ever guessed: a clause that is false at the
//! end is false under every extension of the values.

use crate::clauses::{Dimacs, Lit};
use norn_ir::number::narrow;

/// Values of some variables.
#[derive(Clone, Default)]
pub struct Assignment {
    /// By variable: 1 for true, -1 for false, 0 for open.
    values: Vec<i8>,
}

/// Two demands on one literal, or a clause that cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violated {
    /// The literal was given the opposite value before.
    Literal(Lit),
    Clause(Vec<i32>),
}

impl Assignment {
    pub fn value(&self, literal: Lit) -> Option<bool> {
        let value = self.values.get(literal.variable() as usize).copied().unwrap_or(0);
        (value != 0).then_some((value > 0) != literal.is_negative())
    }

    pub fn holds(&self, literal: Lit) -> bool {
        self.value(literal) == Some(true)
    }

    pub fn set(&mut self, literal: Lit, value: bool) -> Result<(), Violated> {
        match self.value(literal) {
            Some(before) if before != value => Err(Violated::Literal(literal)),
            Some(_) => Ok(()),
            None => {
                let index = literal.variable() as usize;
                if self.values.len() <= index {
                    self.values.resize(index + 1, 0);
                }
                self.values[index] = if value != literal.is_negative() { 1 } else { -1 };
                Ok(())
            }
        }
    }

    fn of(&self, literal: i32) -> i32 {
        let value = i32::from(self.values[literal.unsigned_abs() as usize]);
        value * literal.signum()
    }
}

/// The clauses of a formula, ready to be looked at again and again.
pub struct Clauses<'a> {
    clauses: Vec<&'a [i32]>,
    variables: usize,
}

impl<'a> Clauses<'a> {
    pub fn new(formula: &'a Dimacs) -> Clauses<'a> {
        Clauses { clauses: formula.clauses().collect(), variables: formula.variables() }
    }

    pub fn len(&self) -> usize {
        self.clauses.len()
    }

    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Adds the values that follow from the clauses. Returns the number of clauses that are open in the end: 0 if all
    /// hold.
    pub fn extend(&self, assignment: &mut Assignment) -> Result<usize, Violated> {
        assignment.values.resize(assignment.values.len().max(self.variables + 1), 0);
        let mut pending: Vec<u32> = (0..narrow(self.clauses.len())).collect();
        loop {
            self.propagate(assignment, &mut pending)?;
            if pending.is_empty() || !self.take_pure(assignment, &pending) {
                return Ok(pending.len());
            }
        }
    }

    /// Until no clause says more, forwards and backwards in turn. What is satisfied is taken out of `pending`.
    fn propagate(&self, assignment: &mut Assignment, pending: &mut Vec<u32>) -> Result<(), Violated> {
        loop {
            let mut changed = false;
            let mut wrong = None;
            pending.retain(|&clause| {
                let mut open = None;
                let mut more = false;
                for &literal in self.clauses[clause as usize] {
                    match assignment.of(literal) {
                        1 => return false,
                        0 if open.is_some_and(|other| other != literal) => more = true,
                        0 => open = Some(literal),
                        _ => {}
                    }
                }
                match open {
                    _ if more => return true,
                    None => wrong = wrong.or(Some(clause)),
                    Some(unit) => {
                        assignment.values[unit.unsigned_abs() as usize] = unit.signum() as i8;
                        changed = true;
                    }
                }
                false
            });
            if let Some(clause) = wrong {
                return Err(Violated::Clause(self.clauses[clause as usize].to_vec()));
            }
            if !changed {
                return Ok(());
            }
            pending.reverse();
        }
    }

    /// Gives variables that occur in one polarity only that value. Whether there were any.
    fn take_pure(&self, assignment: &mut Assignment, pending: &[u32]) -> bool {
        const BOTH: i8 = 2;
        let mut seen = vec![0i8; assignment.values.len()];
        let open = pending.iter().flat_map(|&clause| self.clauses[clause as usize]);
        for &literal in open.filter(|&&literal| assignment.of(literal) == 0) {
            let seen = &mut seen[literal.unsigned_abs() as usize];
            let now = literal.signum() as i8;
            *seen = if *seen == 0 || *seen == now { now } else { BOTH };
        }
        let mut found = false;
        for (value, seen) in assignment.values.iter_mut().zip(seen) {
            if seen != 0 && seen != BOTH {
                *value = seen;
                found = true;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast::Blaster;
    use crate::clauses::ClauseSink;
    use crate::terms::{Memo, Sort, Terms};

    #[test]
    fn gates_follow_from_their_inputs() {
        let mut terms = Terms::new();
        let (x, y) = (terms.fresh(Sort::Bits(8)), terms.fresh(Sort::Bits(8)));
        let p = terms.fresh(Sort::Bool);
        let (sum, product) = (terms.add(x, y), terms.mul(x, y));
        let (less, same) = (terms.ult(sum, product), terms.eq(x, y));
        let either = terms.or(less, same);
        let asserted = terms.or(either, p);
        let mut blaster = Blaster::new(Dimacs::new());
        blaster.assert(&terms, asserted);
        blaster.bits(&terms, product);
        for (a, b) in [(3u64, 7u64), (200, 9), (5, 5), (0, 1)] {
            let mut assignment = Assignment::default();
            let holds = terms.holds(either, &mut Memo::default(), &|v| if v == x { a } else { b });
            for (variable, value) in [(x, a), (y, b), (p, 0)] {
                for (bit, &literal) in blaster.variable_lits(&terms, variable).iter().enumerate() {
                    assignment.set(literal, value >> bit & 1 == 1).expect("each has one value");
                }
            }
            let clauses = Clauses::new(blaster.sink());
            let extended = clauses.extend(&mut assignment);
            assert_eq!(extended.is_ok(), holds, "{a} {b}");
            assert!(!holds || extended == Ok(0));
        }
    }

    #[test]
    fn a_clause_too_many_is_found() {
        let mut formula = Dimacs::new();
        let lits: Vec<Lit> = (0..5).map(|_| formula.new_var()).collect();
        // A chain that has to be followed backwards, and what only may hold.
        (0..3).for_each(|i| formula.clause(&[!lits[i + 1], lits[i]]));
        formula.clause(&[lits[4], lits[2]]);
        let mut values = Assignment::default();
        values.set(lits[3], true).expect("it is open");
        assert_eq!(values.set(!lits[3], true), Err(Violated::Literal(!lits[3])));
        assert_eq!(Clauses::new(&formula).extend(&mut values.clone()), Ok(0));
        formula.clause(&[!lits[0], !lits[2]]);
        assert!(matches!(Clauses::new(&formula).extend(&mut values), Err(Violated::Clause(_))));
    }
}

//! Checks a solver's proof that there is no model, step by step, while it is made or afterwards.
//!
//! The format is LRAT (Cruz-Filipe and others, "Efficient Certified RAT Verification", 2017) without RAT: a derived clause comes with
//! the clauses that refute its negation by unit propagation, in order, so that a check is linear in their size. Clauses that are
//! taken away to be restored later, as incremental solving does, are remembered.
//!
//! The checker knows no solver. It is told which clauses were given, and accepts no other original clause; clauses that
//! a propagator added are kept apart, for the caller to justify each of them. The certificate is about the formula, not
//! about how the formula was made.

use crate::clauses::Lit;
use rustc_hash::FxHashMap;
use std::fmt;

#[cfg(test)]
mod tests;

/// The number of a clause in a proof.
pub type ClauseId = i64;

/// One step of a proof. Literals are numbered as in DIMACS.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A clause that was given last, see [`Checker::expect`].
    Original {
        id: ClauseId,
        clause: &'a [i32],
    },
    /// A clause that follows from others.
    Derived {
        id: ClauseId,
        clause: &'a [i32],
        hints: &'a [ClauseId],
    },
    /// A clause is about to be deleted, but may be restored.
    Weakened {
        id: ClauseId,
    },
    Restored {
        id: ClauseId,
        clause: &'a [i32],
    },
    Deleted {
        id: ClauseId,
    },
    /// A clause that follows from others and ends a query: no model has all assumptions, of which it holds the negations.
    Conclusion {
        clause: &'a [i32],
        hints: &'a [ClauseId],
    },
}

/// What is wrong with a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// An original clause that was not given.
    NotGiven(ClauseId),
    /// A clause that does not follow from its hints.
    NotImplied(ClauseId),
    /// The number of a new clause names another clause already.
    Reused(ClauseId),
    /// A restored clause was not taken away before, or not in this form.
    NotRestorable(ClauseId),
    /// The proof ends before it has refuted the formula under the assumptions.
    Unfinished,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NotGiven(id) => write!(f, "the proof's clause {id} is not of the formula"),
            Damage::NotImplied(id) => write!(f, "the proof's clause {id} does not follow"),
            Damage::Reused(id) => write!(f, "the proof's number {id} is used twice"),
            Damage::NotRestorable(id) => write!(f, "the proof restores clause {id}, which was not taken away"),
            Damage::Unfinished => write!(f, "the proof does not refute the formula"),
        }
    }
}

/// Follows a proof.
#[derive(Default)]
pub struct Checker {
    live: FxHashMap<ClauseId, Box<[i32]>>,
    weakened: FxHashMap<ClauseId, Box<[i32]>>,
    /// The clause that was given last, in order and without repetition.
    expected: Option<Box<[i32]>>,
    from_propagator: Vec<Box<[Lit]>>,
    /// By literal: the number of the check in which it was true last.
    true_in: Vec<u32>,
    check: u32,
    /// The literals of the last conclusion; empty once the formula itself is refuted.
    conclusion: Option<Box<[i32]>>,
    damage: Option<Damage>,
    derived: u64,
}

/// A proof that was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// How many derived clauses were checked.
    pub derived: u64,
    /// The clauses that a propagator added: the refutation holds if these do.
    pub from_propagator: Vec<Box<[Lit]>>,
}

impl Checker {
    pub fn new() -> Checker {
        Checker::default()
    }

    /// A clause of the formula is given: the next original clause must be this one.
    pub fn expect(&mut self, clause: &[Lit]) {
        self.expected = Some(normal(clause.iter().map(|literal| literal.dimacs())));
    }

    /// A propagator adds a clause: the next original clause must be this one.
    pub fn expect_from_propagator(&mut self, clause: &[Lit]) {
        self.expect(clause);
        self.from_propagator.push(clause.into());
    }

    /// Follows one step. After damage, every step fails.
    pub fn step(&mut self, step: Step) -> Result<(), Damage> {
        let followed = match self.damage {
            Some(damage) => Err(damage),
            None => self.follow(step),
        };
        self.damage = followed.err();
        followed
    }

    /// Whether the proof so far refutes the formula under these assumptions.
    pub fn certificate(&self, assumptions: &[Lit]) -> Result<Certificate, Damage> {
        if let Some(damage) = self.damage {
            return Err(damage);
        }
        let refuted = self.conclusion.as_ref().is_some_and(|clause| {
            clause.iter().all(|&literal| assumptions.iter().any(|assumption| assumption.dimacs() == -literal))
        });
        if !refuted {
            return Err(Damage::Unfinished);
        }
        Ok(Certificate { derived: self.derived, from_propagator: self.from_propagator.clone() })
    }

    fn follow(&mut self, step: Step) -> Result<(), Damage> {
        match step {
            Step::Original { id, clause } => {
                let clause = normal(clause.iter().copied());
                match self.expected.take() {
                    Some(expected) if expected == clause => self.insert(id, clause),
                    _ => Err(Damage::NotGiven(id)),
                }
            }
            Step::Derived { id, clause, hints } => {
                self.check(id, clause, hints)?;
                self.insert(id, normal(clause.iter().copied()))
            }
            Step::Weakened { id } => match self.live.get(&id) {
                Some(clause) => {
                    self.weakened.insert(id, clause.clone());
                    Ok(())
                }
                None => Err(Damage::NotRestorable(id)),
            },
            Step::Restored { id, clause } => {
                let clause = normal(clause.iter().copied());
                match self.weakened.remove(&id) {
                    Some(before) if before == clause => {
                        self.live.insert(id, clause);
                        Ok(())
                    }
                    _ => Err(Damage::NotRestorable(id)),
                }
            }
            // Fewer clauses prove less: deleting cannot make a wrong proof right.
            Step::Deleted { id } => {
                self.live.remove(&id);
                Ok(())
            }
            Step::Conclusion { clause, hints } => {
                self.check(0, clause, hints)?;
                self.conclude(normal(clause.iter().copied()));
                Ok(())
            }
        }
    }

    fn insert(&mut self, id: ClauseId, clause: Box<[i32]>) -> Result<(), Damage> {
        if clause.is_empty() {
            self.conclude(clause.clone());
        }
        match self.live.insert(id, clause) {
            Some(_) => Err(Damage::Reused(id)),
            None => Ok(()),
        }
    }

    fn conclude(&mut self, clause: Box<[i32]>) {
        // Once there is no model at all, there is none under any assumptions.
        if self.conclusion.as_ref().is_none_or(|before| !before.is_empty()) {
            self.conclusion = Some(clause);
        }
    }

    /// Whether the hints refute the negation of the clause by unit propagation.
    fn check(&mut self, id: ClauseId, clause: &[i32], hints: &[ClauseId]) -> Result<(), Damage> {
        self.derived += 1;
        self.check = self.check.checked_add(1).unwrap_or_else(|| {
            self.true_in.fill(0);
            1
        });
        for &literal in clause {
            if self.is_true(literal) {
                // A clause that contains a literal and its negation always holds.
                return Ok(());
            }
            self.make_true(-literal);
        }
        for hint in hints {
            // A hint that is missing or not unit proves nothing, and is not needed if the others reach a conflict.
            let Some(hint) = self.live.get(hint) else { continue };
            let mut open = hint.iter().copied().filter(|&literal| !self.is_true(-literal));
            match (open.next(), open.next()) {
                (None, _) => return Ok(()),
                (Some(unit), None) => self.make_true(unit),
                _ => {}
            }
        }
        Err(Damage::NotImplied(id))
    }

    fn is_true(&self, literal: i32) -> bool {
        self.true_in.get(position(literal)).is_some_and(|&check| check == self.check)
    }

    fn make_true(&mut self, literal: i32) {
        let position = position(literal);
        if self.true_in.len() <= position {
            self.true_in.resize(position + 1, 0);
        }
        self.true_in[position] = self.check;
    }
}

/// Where a literal stands in tables by literal.
fn position(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

/// A clause in order and without repetition.
fn normal(clause: impl Iterator<Item = i32>) -> Box<[i32]> {
    let mut clause: Vec<i32> = clause.collect();
    clause.sort_unstable();
    clause.dedup();
    clause.into_boxed_slice()
}

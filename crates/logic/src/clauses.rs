//! Literals, and where clauses go: encoders write into a [`ClauseSink`] and see no solver.

use std::fmt;
use std::num::NonZeroI32;
use std::ops::Not;

/// A variable or its negation, numbered as in DIMACS: never 0, and negative for a negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(NonZeroI32);

impl Lit {
    pub fn from_dimacs(number: i32) -> Lit {
        let literal = NonZeroI32::new(number).filter(|_| number != i32::MIN);
        Lit(literal.unwrap_or_else(|| panic!("a literal should not be {number}")))
    }

    pub fn dimacs(self) -> i32 {
        self.0.get()
    }

    pub fn is_negative(self) -> bool {
        self.0.is_negative()
    }

    /// The number of its variable, from 1 on.
    pub fn variable(self) -> u32 {
        self.0.unsigned_abs().get()
    }

    /// The literal, negated if `negate` holds.
    pub fn negate_if(self, negate: bool) -> Lit {
        if negate { !self } else { self }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Takes clauses over variables that it hands out.
pub trait ClauseSink {
    /// A new variable, as a positive literal.
    fn new_var(&mut self) -> Lit;

    /// Adds the disjunction of these literals.
    fn clause(&mut self, literals: &[Lit]);
}

/// An encoder may borrow its sink.
impl<S: ClauseSink + ?Sized> ClauseSink for &mut S {
    fn new_var(&mut self) -> Lit {
        (**self).new_var()
    }

    fn clause(&mut self, literals: &[Lit]) {
        (**self).clause(literals);
    }
}

/// A sink that keeps the formula, to be written as a DIMACS file.
#[derive(Clone, Default)]
pub struct Dimacs {
    variables: i32,
    clauses: usize,
    /// The literals of all clauses, each clause ended by 0.
    literals: Vec<i32>,
}

impl Dimacs {
    pub fn new() -> Dimacs {
        Dimacs::default()
    }

    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.clauses
    }

    pub fn is_empty(&self) -> bool {
        self.clauses == 0
    }

    /// The clauses, in the order in which they came.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        self.literals.split_inclusive(|&literal| literal == 0).map(|clause| &clause[..clause.len() - 1])
    }
}

impl ClauseSink for Dimacs {
    fn new_var(&mut self) -> Lit {
        self.variables = self.variables.checked_add(1).expect("there should be fewer than 2^31 variables");
        Lit::from_dimacs(self.variables)
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.literals.extend(literals.iter().map(|literal| literal.dimacs()));
        self.literals.push(0);
        self.clauses += 1;
    }
}

/// The text of the DIMACS file.
impl fmt::Display for Dimacs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "p cnf {} {}", self.variables, self.clauses)?;
        for clause in self.clauses() {
            for literal in clause {
                write!(f, "{literal} ")?;
            }
            writeln!(f, "0")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_written_as_dimacs() {
        let mut formula = Dimacs::new();
        let (a, b) = (formula.new_var(), formula.new_var());
        formula.clause(&[a, !b]);
        formula.clause(&[]);
        assert_eq!(formula.to_string(), "p cnf 2 2\n1 -2 0\n0\n");
    }
}

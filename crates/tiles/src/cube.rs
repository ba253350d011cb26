//! Which choices belong to a piece.
//!
//! A schedule of the engine `rounds` says for each thread and each round how many of the thread's *units* have begun by the
//! end of the round ([`Space`]). Every statement *"the u-th unit of thread t has begun by the end of round r"* is true or
//! false of every schedule. A [`Cube`] is a list of such statements and denials, and a schedule belongs to it if all of them
//! hold. Statements about one thread and one round bound its position from below and from above: they are the windows for
//! context switches of VeriSmart.
//!
//! *Why pieces cover everything, once.* Take any schedule and a binary tree whose inner nodes each ask one statement: the
//! answers lead to exactly one leaf. So the leaves of a tree are a partition of all schedules, whatever the statements are,
//! whatever they mean to the engine, and whether or not some leaf can be reached at all. [`is_partition`] checks that a list
//! of cubes is the leaves of a tree, without knowing who made them: all cubes of a subtree begin with the same statement,
//! some affirm it and some deny it, and the rest of either are the leaves of a tree again; one cube alone says nothing more.
//! An engine needs to promise one thing only: that it looks at all schedules for which the literals of its cube hold.

use serde::{Deserialize, Serialize};

/// The positions that threads can have: which statements there are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// How many units of each thread a switch can stand before.
    pub units: Vec<u32>,
    /// The number of the last round. In the first only the entry thread, number 0, has a turn.
    pub last: u32,
}

/// That a unit of a thread has begun by the end of a round, or that it has not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, bool)", into = "(u32, u32, u32, bool)")]
pub struct Literal {
    pub thread: u32,
    /// From 1.
    pub unit: u32,
    /// From 1.
    pub round: u32,
    pub begun: bool,
}

impl From<(u32, u32, u32, bool)> for Literal {
    fn from((thread, unit, round, begun): (u32, u32, u32, bool)) -> Literal {
        Literal { thread, unit, round, begun }
    }
}

impl From<Literal> for (u32, u32, u32, bool) {
    fn from(literal: Literal) -> (u32, u32, u32, bool) {
        (literal.thread, literal.unit, literal.round, literal.begun)
    }
}

impl Literal {
    fn statement(self) -> (u32, u32, u32) {
        (self.thread, self.unit, self.round)
    }
}

/// Literals in the order of the tree, from its root.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cube(pub Vec<Literal>);

impl Cube {
    /// With one literal more.
    pub fn and(&self, literal: Literal) -> Cube {
        let mut literals = self.0.clone();
        literals.push(literal);
        Cube(literals)
    }

    /// Whether all statements are about units and rounds that there are.
    pub fn fits(&self, space: &Space) -> bool {
        self.0.iter().all(|literal| {
            let units = space.units.get(literal.thread as usize).copied().unwrap_or(0);
            (1..=units).contains(&literal.unit) && (1..=space.last).contains(&literal.round)
        })
    }

    /// Whether a schedule belongs to it; `begun` says how many units of a thread have begun by the end of a round.
    pub fn has(&self, begun: impl Fn(u32, u32) -> u32) -> bool {
        self.0.iter().all(|literal| (begun(literal.thread, literal.round) >= literal.unit) == literal.begun)
    }
}

/// Whether the cubes are the leaves of one tree, so that every schedule belongs to exactly one of them.
pub fn is_partition(cubes: &[&Cube]) -> bool {
    let mut pending = vec![(cubes.to_vec(), 0)];
    while let Some((cubes, depth)) = pending.pop() {
        let first: Option<Vec<Literal>> = cubes.iter().map(|cube| cube.0.get(depth).copied()).collect();
        match first {
            // Somebody says nothing more: nobody else may be here.
            None if cubes.len() == 1 => {}
            None => return false,
            Some(literals) => {
                let Some(statement) = literals.first().map(|literal| literal.statement()) else { return false };
                if literals.iter().any(|literal| literal.statement() != statement) {
                    return false;
                }
                let (yes, no): (Vec<&Cube>, Vec<&Cube>) = cubes.iter().partition(|cube| cube.0[depth].begun);
                pending.extend([(yes, depth + 1), (no, depth + 1)]);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubes(texts: &[&str]) -> Vec<Cube> {
        let literal = |word: &str| {
            let (begun, number) = (word.starts_with('+'), word[1..].parse().expect("a number"));
            Literal { thread: 0, unit: number, round: 1, begun }
        };
        texts.iter().map(|text| Cube(text.split_whitespace().map(literal).collect())).collect()
    }

    fn check(texts: &[&str], expected: bool) {
        let cubes = cubes(texts);
        assert_eq!(is_partition(&cubes.iter().collect::<Vec<_>>()), expected, "{texts:?}");
    }

    #[test]
    fn leaves_of_a_tree_are_a_partition() {
        check(&[""], true);
        check(&["+1", "-1"], true);
        check(&["-1 +3", "+1 -2", "-1 -3", "+1 +2"], true);
    }

    #[test]
    fn anything_else_is_none() {
        check(&[], false);
        check(&["", ""], false);
        check(&["+1"], false);
        check(&["+1", "+1", "-1"], false);
        check(&["+1", "-2"], false);
        check(&["", "+1", "-1"], false);
        check(&["+1 +2", "+1 -2"], false);
        check(&["+1 +2", "+1 -2", "-1 +2"], false);
        check(&["+1 +2", "+1 -2", "-1", "-1"], false);
    }
}

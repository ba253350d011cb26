//! Guards: the conditions under which points of a program are reached.
//!
//! A guard is a path in a tree of conditions. Branching adds a condition or its negation, an assumption adds one. Where
//! paths meet, siblings with complementary conditions give back their parent, so that behind an `if` the guard is what it
//! was before, whatever happened in between. The same tree tells which value a variable has where paths meet: a choice
//! between two subtrees needs only the condition in which they differ.

use std::collections::HashMap;

use norn_logic::terms::{Term, Terms};

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

struct Node {
    parent: Guard,
    depth: u32,
    /// The condition that it adds.
    condition: Term,
    /// All conditions from the root on.
    term: Term,
}

/// All guards of one thread.
pub struct Guards {
    nodes: Vec<Node>,
    children: HashMap<(Guard, Term), Guard>,
}

impl Guard {
    pub const ROOT: Guard = Guard(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Guards {
    /// A tree whose root holds under the given condition.
    pub fn new(root: Term) -> Guards {
        let node = Node { parent: Guard::ROOT, depth: 0, condition: root, term: root };
        Guards { nodes: vec![node], children: HashMap::new() }
    }

    pub fn term(&self, guard: Guard) -> Term {
        self.nodes[guard.index()].term
    }

    /// `guard` and `condition`; `None` if that cannot hold.
    pub fn and(&mut self, terms: &mut Terms, guard: Guard, condition: Term) -> Option<Guard> {
        match terms.as_bool(condition) {
            Some(true) => return Some(guard),
            Some(false) => return None,
            None => {}
        }
        if let Some(&child) = self.children.get(&(guard, condition)) {
            return Some(child);
        }
        let Node { depth, term, .. } = self.nodes[guard.index()];
        let term = terms.and(term, condition);
        if term == Term::FALSE {
            return None;
        }
        let child = Guard(self.nodes.len() as u32);
        self.nodes.push(Node { parent: guard, depth: depth + 1, condition, term });
        self.children.insert((guard, condition), child);
        Some(child)
    }

    /// Whether a path to `guard` leads through `ancestor`, so that the one implies the other.
    pub fn implies(&self, guard: Guard, ancestor: Guard) -> bool {
        let mut at = guard;
        while self.nodes[at.index()].depth > self.nodes[ancestor.index()].depth {
            at = self.nodes[at.index()].parent;
        }
        at == ancestor
    }

    /// One of the guards holds. They should exclude each other.
    pub fn join(&mut self, terms: &mut Terms, guards: &[Guard]) -> Option<Guard> {
        let mut open: Vec<Guard> = guards.to_vec();
        self.merge_siblings(terms, &mut open);
        let (&first, rest) = open.split_first()?;
        if rest.is_empty() {
            return Some(first);
        }
        let common = rest.iter().fold(first, |a, &b| self.common(a, b));
        let parts: Vec<Term> = open.iter().map(|&guard| self.from(terms, common, guard)).collect();
        let any = terms.any(parts);
        self.and(terms, common, any)
    }

    /// Replaces siblings with complementary conditions by their parent, from the deepest upwards.
    fn merge_siblings(&self, terms: &Terms, open: &mut Vec<Guard>) {
        open.sort_unstable();
        open.dedup();
        loop {
            let sibling = |&guard: &Guard| {
                let node = &self.nodes[guard.index()];
                let other = self.children.get(&(node.parent, terms.not(node.condition)))?;
                (guard != Guard::ROOT && guard < *other && open.binary_search(other).is_ok()).then_some((
                    guard,
                    *other,
                    node.parent,
                ))
            };
            let Some((one, other, parent)) = open.iter().rev().find_map(sibling) else { return };
            open.retain(|&guard| guard != one && guard != other);
            if let Err(at) = open.binary_search(&parent) {
                open.insert(at, parent);
            }
        }
    }

    /// The deepest guard that both imply.
    fn common(&self, a: Guard, b: Guard) -> Guard {
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.nodes[a.index()].depth >= self.nodes[b.index()].depth {
                a = self.nodes[a.index()].parent;
            } else {
                b = self.nodes[b.index()].parent;
            }
        }
        a
    }

    /// What `guard` adds to `ancestor`.
    fn from(&self, terms: &mut Terms, ancestor: Guard, guard: Guard) -> Term {
        let mut at = guard;
        let mut term = Term::TRUE;
        while at != ancestor {
            let node = &self.nodes[at.index()];
            term = terms.and(node.condition, term);
            at = node.parent;
        }
        term
    }

    /// Puts together what holds under each of several guards that exclude each other: `choose(terms, condition, a, b)` is
    /// `a` if the condition holds, else `b`.
    pub fn merge<T>(&self, terms: &mut Terms, parts: Vec<(Guard, T)>) -> Merge<T> {
        let root = match parts.split_first() {
            Some((first, rest)) => rest.iter().fold(first.0, |a, b| self.common(a, b.0)),
            None => Guard::ROOT,
        };
        let (guards, values): (Vec<Guard>, Vec<T>) = parts.into_iter().unzip();
        let mut paths: Vec<(Vec<Guard>, usize)> =
            guards.iter().enumerate().map(|(i, &g)| (self.path(root, g), i)).collect();
        // In this order the parts of each subtree are neighbours.
        paths.sort();
        let shared = |a: &[Guard], b: &[Guard]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let mut open: Vec<Part> = Vec::new();
        let mut steps = Vec::new();
        for (path, index) in paths {
            let shares = open.last().map_or(0, |last| shared(&last.path, &path));
            while open.len() > 1 && open.last().is_some_and(|last| last.shares > shares) {
                self.merge_last(terms, root, &mut open, &mut steps);
            }
            open.push(Part { shares, members: vec![guards[index]], path, index });
        }
        while open.len() > 1 {
            self.merge_last(terms, root, &mut open, &mut steps);
        }
        Merge { values: values.into_iter().map(Some).collect(), steps }
    }

    fn merge_last(&self, terms: &mut Terms, root: Guard, open: &mut Vec<Part>, steps: &mut Vec<(Term, usize, usize)>) {
        let (Some(later), Some(mut before)) = (open.pop(), open.pop()) else { return };
        let at = later.shares;
        let condition = |path: &[Guard]| path.get(at).map(|guard| self.nodes[guard.index()].condition);
        // A part that is a child of the common point, and nothing below, is told by the child's condition.
        let is_child = |part: &Part| part.members.len() == 1 && part.path.len() == at + 1;
        let (a, b) = (condition(&before.path), condition(&later.path));
        let step = match (a, b) {
            (Some(a), Some(b)) if terms.not(a) == b => (a, before.index, later.index),
            (Some(a), _) if is_child(&before) => (a, before.index, later.index),
            (_, Some(b)) if is_child(&later) => (b, later.index, before.index),
            _ => {
                let common = at.checked_sub(1).map_or(root, |last| before.path[last]);
                let parts: Vec<Term> = before.members.iter().map(|&guard| self.from(terms, common, guard)).collect();
                (terms.any(parts), before.index, later.index)
            }
        };
        steps.push(step);
        before.index = step.1;
        before.members.extend(later.members);
        open.push(before);
    }

    /// The guards on the way from `ancestor` (which is left out) to `guard`.
    fn path(&self, ancestor: Guard, guard: Guard) -> Vec<Guard> {
        let mut path = Vec::new();
        let mut at = guard;
        while at != ancestor {
            path.push(at);
            at = self.nodes[at.index()].parent;
        }
        path.reverse();
        path
    }
}

/// Guards whose values wait to be merged with those of their neighbour.
struct Part {
    /// How much of its path it has in common with the part before it.
    shares: usize,
    path: Vec<Guard>,
    members: Vec<Guard>,
    /// Where its value is.
    index: usize,
}

/// Values that are to be put together, and in which order.
pub struct Merge<T> {
    values: Vec<Option<T>>,
    /// A condition, the value if it holds and the value if not; the former takes the result.
    steps: Vec<(Term, usize, usize)>,
}

impl<T> Merge<T> {
    /// `choose(condition, a, b)` is `a` if the condition holds, else `b`. `None` if there are no values.
    pub fn with(mut self, mut choose: impl FnMut(Term, T, T) -> T) -> Option<T> {
        let mut last = 0;
        for (condition, then, otherwise) in self.steps {
            let (a, b) = (self.values[then].take()?, self.values[otherwise].take()?);
            self.values[then] = Some(choose(condition, a, b));
            last = then;
        }
        self.values.get_mut(last)?.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_logic::terms::Sort;

    fn vars(terms: &mut Terms, n: usize) -> Vec<Term> {
        (0..n).map(|_| terms.fresh(Sort::Bool)).collect()
    }

    #[test]
    fn both_sides_of_a_branch_give_back_what_was_before() {
        let mut terms = Terms::new();
        let v = vars(&mut terms, 2);
        let mut guards = Guards::new(Term::TRUE);
        let mut and = |guards: &mut Guards, g, t| guards.and(&mut terms, g, t).expect("it can hold");
        let yes = and(&mut guards, Guard::ROOT, v[0]);
        let no = and(&mut guards, Guard::ROOT, !v[0]);
        let inner = and(&mut guards, yes, v[1]);
        let other = and(&mut guards, yes, !v[1]);
        assert_eq!(guards.join(&mut terms, &[inner, no, other]), Some(Guard::ROOT));
        assert_eq!(guards.join(&mut terms, &[inner, other]), Some(yes));
        let some = guards.join(&mut terms, &[inner, no]).expect("it can hold");
        let wanted = terms.or(v[1], !v[0]);
        assert_eq!(guards.term(some), wanted);
        assert!(guards.implies(inner, yes) && !guards.implies(yes, inner) && !guards.implies(no, yes));
    }

    #[test]
    fn values_are_chosen_by_the_conditions_that_differ() {
        let mut terms = Terms::new();
        let v = vars(&mut terms, 3);
        let mut guards = Guards::new(Term::TRUE);
        let mut and = |guards: &mut Guards, g, t| guards.and(&mut terms, g, t).expect("it can hold");
        let yes = and(&mut guards, Guard::ROOT, v[0]);
        let no = and(&mut guards, Guard::ROOT, !v[0]);
        let a = and(&mut guards, yes, v[1]);
        let b = and(&mut guards, yes, !v[1]);
        let b_further = and(&mut guards, b, v[2]);
        let parts = vec![(no, "n".to_owned()), (b_further, "b".to_owned()), (a, "a".to_owned())];
        let name = |t: Term| v.iter().position(|&x| x == t.positive()).map_or(9, |i| i).to_string();
        let choose = |c: Term, x: String, y: String| {
            let (x, y) = if c.is_negated() { (y, x) } else { (x, y) };
            format!("({}?{x}:{y})", name(c))
        };
        assert_eq!(guards.merge(&mut terms, parts).with(choose), Some("(0?(1?a:b):n)".to_owned()));
    }

    #[test]
    fn what_reaches_a_point_on_several_ways_is_told_by_all_of_them() {
        // if (c || d) yes; else no;
        let mut terms = Terms::new();
        let v = vars(&mut terms, 2);
        let mut guards = Guards::new(Term::TRUE);
        let and = |terms: &mut Terms, guards: &mut Guards, g, t| guards.and(terms, g, t).expect("it can hold");
        let c = and(&mut terms, &mut guards, Guard::ROOT, v[0]);
        let not_c = and(&mut terms, &mut guards, Guard::ROOT, !v[0]);
        let d = and(&mut terms, &mut guards, not_c, v[1]);
        let no = and(&mut terms, &mut guards, not_c, !v[1]);
        let yes = guards.join(&mut terms, &[c, d]).expect("it can hold");
        assert_eq!(guards.join(&mut terms, &[yes, no]), Some(Guard::ROOT));
        let either = terms.or(v[0], v[1]);
        let (one, two) = (terms.bits(8, 1), terms.bits(8, 2));
        let merge = guards.merge(&mut terms, vec![(no, two), (yes, one)]);
        let value = merge.with(|condition, a, b| terms.ite(condition, a, b));
        assert_eq!(value, Some(terms.ite(either, one, two)));
    }
}

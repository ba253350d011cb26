//! Guards: the conditions under which points of a program are reached.
//!
//! A guard is a path in a tree of conditions. Branching adds a condition or its negation, an assumption adds one. Where
//! paths meet, siblings with complementary conditions give back their parent, so that behind an `if` the guard is what
//! it was before, no matter how many branches lie between. The same tree tells which value a variable has where paths
//! meet: a choice between two subtrees needs only the condition in which they differ.
//!
//! Why this is right for every control-flow graph whose jumps go forward:
//!
//! 1. *A guard is exact*: it holds iff the execution gets to the point. The root does. A node is its parent and its condition
//!    (`and`), so both sides of a branch are exact if the point before it is. `join` gives exactly the disjunction of
//!    what meets: complementary siblings are their parent, and everything else is said anew below the deepest
//!    common guard, as the disjunction of all conditions from there on. Nothing is taken from the shape of the graph.
//! 2. *What meets excludes one another*: an execution leaves each block by one edge and comes to no block twice, so it
//!    comes to a block by at most one of its edges, and by 1 the guards of the edges say so.
//! 3. *A choice between two sets of guards that meet* needs a condition that every guard of the one set implies and every
//!    guard of the other excludes (`Guards::choose`). There are two: the conditions of two siblings that are complementary,
//!    **if all guards of either set lie below its sibling**; and the disjunction of all guards of one set, by 2.
//!
//! Beware of the first: the tree is not the tree of branches. After a join that gives no parent back, a node has more than
//! two children, which overlap. In `if (a) { if (b) return 1; } else { if (c) return 2; } return 3;` the last point is a
//! third child of the root beside `a` and `!a`. A set that has guards of both `!a` and the third is not below `!a`, and `a` does not
//! tell it from `a && b`. So a set knows the deepest guard that all its members lie below (`Part::path`), and no more.
//!
//! Debug builds check 2 and 3 at every join, on sampled values of all variables (`Samples`).

use std::collections::HashMap;

use norn_ir::number::narrow;
use norn_logic::terms::{Term, Terms};
#[cfg(debug_assertions)]
use samples::Samples;

#[cfg(debug_assertions)]
mod samples;
#[cfg(test)]
mod tests;

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
    /// If paths met here: the guards of which one holds iff this one does.
    met: Vec<Guard>,
}

/// More guards than that are not looked at, to keep joins cheap.
const MOST_TAKEN_APART: usize = 32;

/// All guards of one thread.
pub struct Guards {
    nodes: Vec<Node>,
    children: HashMap<(Guard, Term), Guard>,
    #[cfg(debug_assertions)]
    samples: Samples,
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
        let node = Node { parent: Guard::ROOT, depth: 0, condition: root, term: root, met: Vec::new() };
        Guards {
            nodes: vec![node],
            children: HashMap::new(),
            #[cfg(debug_assertions)]
            samples: Samples::new(),
        }
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
        let &Node { depth, term, .. } = &self.nodes[guard.index()];
        let term = terms.and(term, condition);
        if term == Term::FALSE {
            return None;
        }
        let child = Guard(narrow(self.nodes.len()));
        self.nodes.push(Node { parent: guard, depth: depth + 1, condition, term, met: Vec::new() });
        self.children.insert((guard, condition), child);
        Some(child)
    }

    /// Whether the path to `guard` leads through `ancestor`, so that `guard` implies `ancestor`.
    pub fn implies(&self, guard: Guard, ancestor: Guard) -> bool {
        let mut at = guard;
        while self.nodes[at.index()].depth > self.nodes[ancestor.index()].depth {
            at = self.nodes[at.index()].parent;
        }
        at == ancestor
    }

    /// The guard that holds iff one of the guards does. They should exclude each other.
    pub fn join(&mut self, terms: &mut Terms, guards: &[Guard]) -> Option<Guard> {
        let joined = self.disjunction(terms, guards);
        #[cfg(debug_assertions)]
        self.samples.check_join(terms, &self.nodes, guards, joined);
        joined
    }

    fn disjunction(&mut self, terms: &mut Terms, guards: &[Guard]) -> Option<Guard> {
        let mut open: Vec<Guard> = guards.to_vec();
        self.merge_siblings(terms, &mut open);
        if open.len() > 1 {
            // Paths that met before, and had left their siblings out, may find them now.
            let mut apart = self.taken_apart(&open);
            self.merge_siblings(terms, &mut apart);
            if apart.len() < open.len() {
                open = apart;
            }
        }
        let (&first, rest) = open.split_first()?;
        if rest.is_empty() {
            return Some(first);
        }
        let common = rest.iter().fold(first, |a, &b| self.common(a, b));
        let parts: Vec<Term> = open.iter().map(|&guard| self.from(terms, common, guard)).collect();
        let any = terms.any(parts);
        let joined = self.and(terms, common, any)?;
        if joined != common && self.nodes[joined.index()].met.is_empty() {
            self.nodes[joined.index()].met = open;
        }
        Some(joined)
    }

    /// The guards, with those that met instead of where they met.
    fn taken_apart(&self, guards: &[Guard]) -> Vec<Guard> {
        let mut waiting = guards.to_vec();
        let mut apart = Vec::new();
        while let Some(guard) = waiting.pop() {
            match &self.nodes[guard.index()].met[..] {
                [] => apart.push(guard),
                met if waiting.len() + apart.len() < MOST_TAKEN_APART => waiting.extend(met),
                _ => apart.push(guard),
            }
        }
        apart
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

    /// Merges values, each of which holds under one of several guards that exclude each other.
    pub fn merge<T>(&mut self, terms: &mut Terms, parts: Vec<(Guard, T)>) -> Merge<T> {
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
            self.close(terms, root, &mut open, &mut steps, shares + 1);
            open.push(Part { shares, members: vec![guards[index]], path, index });
        }
        self.close(terms, root, &mut open, &mut steps, 0);
        #[cfg(debug_assertions)]
        self.samples.check_merge(terms, &self.nodes, &guards, &steps);
        Merge { values: values.into_iter().map(Some).collect(), steps }
    }

    /// Merges the last parts, the deepest subtree first, as long as they share `least` guards or more with the part before them.
    fn close(&self, terms: &mut Terms, root: Guard, open: &mut Vec<Part>, steps: &mut Vec<Step>, least: usize) {
        while open.len() > 1
            && let Some(at) = open.last().map(|last| last.shares).filter(|&shares| shares >= least)
        {
            // The children of one node, or what is left of their subtrees; the node itself is the first of them if it is there.
            let others = open.iter().rev().take_while(|part| part.shares == at).count();
            let first = (open.len() - 1).saturating_sub(others);
            let siblings = open.split_off(first);
            let shares = siblings[0].shares;
            let node = at.checked_sub(1).map_or(root, |last| siblings[0].path[last]);
            let merged = self.merge_children(terms, (node, at), siblings, steps);
            open.push(Part { shares, ..merged });
        }
    }

    /// Merges parts below one node, complementary neighbours first.
    fn merge_children(
        &self,
        terms: &mut Terms,
        node: (Guard, usize),
        siblings: Vec<Part>,
        steps: &mut Vec<Step>,
    ) -> Part {
        let mut paired: Vec<Part> = Vec::with_capacity(siblings.len());
        let mut by_condition: HashMap<Term, usize> = HashMap::new();
        for part in siblings {
            let condition = self.condition_at(&part, node.1);
            match condition.and_then(|condition| by_condition.remove(&terms.not(condition))) {
                Some(other) => {
                    let before = std::mem::take(&mut paired[other]);
                    paired[other] = self.choose(terms, node, before, part, steps);
                }
                None => {
                    if let Some(condition) = condition {
                        by_condition.insert(condition, paired.len());
                    }
                    paired.push(part);
                }
            }
        }
        let last = paired.pop().unwrap_or_default();
        paired.into_iter().rev().fold(last, |later, before| self.choose(terms, node, before, later, steps))
    }

    /// What all of a part implies that lies at this place of the way down.
    fn condition_at(&self, part: &Part, at: usize) -> Option<Term> {
        part.path.get(at).map(|guard| self.nodes[guard.index()].condition)
    }

    /// Merges two parts below one node.
    fn choose(
        &self,
        terms: &mut Terms,
        (node, at): (Guard, usize),
        mut before: Part,
        later: Part,
        steps: &mut Vec<Step>,
    ) -> Part {
        let (a, b) = (self.condition_at(&before, at), self.condition_at(&later, at));
        let complementary = matches!((a, b), (Some(a), Some(b)) if terms.not(a) == b);
        let step = match a {
            Some(condition) if complementary => Step { condition, then: before.index, otherwise: later.index },
            _ => {
                // The one that is said in fewer words.
                let size = |part: &Part| (part.members.len(), part.path.len());
                let (then, otherwise) =
                    if size(&later) < size(&before) { (&later, &before) } else { (&before, &later) };
                let members: Vec<Term> = then.members.iter().map(|&guard| self.from(terms, node, guard)).collect();
                Step { condition: terms.any(members), then: then.index, otherwise: otherwise.index }
            }
        };
        steps.push(step);
        let is_child = |part: &Part| part.path.len() == at + 1 && part.members == part.path[at..];
        if complementary && is_child(&before) && is_child(&later) {
            before.members = vec![node];
        } else {
            before.members.extend(later.members);
        }
        before.path.truncate(at);
        before.index = step.then;
        before
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

/// Guards whose values wait to be merged with those of their neighbours.
#[derive(Default)]
struct Part {
    /// How much of its path it has in common with the part before it.
    shares: usize,
    /// The way from the root of the merge to the deepest guard that all members lie below.
    path: Vec<Guard>,
    /// One of them holds if the part is meant.
    members: Vec<Guard>,
    /// Where its value is.
    index: usize,
}

/// A choice between two values; the result takes the place of the first.
#[derive(Clone, Copy)]
struct Step {
    condition: Term,
    then: usize,
    otherwise: usize,
}

/// Values that are to be put together, and in which order.
pub struct Merge<T> {
    values: Vec<Option<T>>,
    steps: Vec<Step>,
}

impl<T> Merge<T> {
    /// `choose(condition, a, b)` is `a` if the condition holds, else `b`. `None` if there are no values.
    pub fn with(mut self, mut choose: impl FnMut(Term, T, T) -> T) -> Option<T> {
        let mut last = 0;
        for Step { condition, then, otherwise } in self.steps {
            let (a, b) = (self.values[then].take()?, self.values[otherwise].take()?);
            self.values[then] = Some(choose(condition, a, b));
            last = then;
        }
        self.values.get_mut(last)?.take()
    }
}

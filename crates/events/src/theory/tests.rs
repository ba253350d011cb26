//! The theory against its definition: the edges that the true literals bring about, looked at all at once.

use super::*;
use crate::from_reads::{FromRead, Rival};
use crate::order::Skeleton;
use norn_symex::{EventId, ThreadId};
use norn_testing::Random;

/// A theory, and what it was made from.
struct Case {
    skeleton: Skeleton,
    edges: Vec<Edge>,
    from_reads: FromReads,
    /// Sources, and that they happen.
    needed: Vec<(Lit, Lit)>,
    truth: Lit,
    variables: i32,
}

impl Case {
    fn new_variable(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(self.variables)
    }

    /// Threads that read and write one cell, with an order of any two writes, a source of each read, and writes that need not
    /// happen.
    fn random(random: &mut Random) -> Case {
        let truth = Lit::from_dimacs(1);
        let (skeleton, from_reads) = (Skeleton::default(), FromReads::default());
        let mut case = Case { skeleton, edges: Vec::new(), from_reads, needed: Vec::new(), truth, variables: 1 };
        let mut writes: Vec<(EventId, Node, Lit)> = Vec::new();
        let mut reads: Vec<(EventId, Node)> = Vec::new();
        for thread in 0..2 + random.index(2) {
            let chain = case.skeleton.new_chain();
            for _ in 0..1 + random.index(4) {
                let event = EventId::new(case.from_reads.threads.len());
                case.from_reads.threads.push(ThreadId::new(thread));
                let node = case.skeleton.new_node(chain);
                if random.one_in(2) {
                    reads.push((event, node));
                } else {
                    let happens = if random.one_in(2) { truth } else { case.new_variable() };
                    writes.push((event, node, happens));
                }
            }
        }
        for (number, &(second, to, _)) in writes.iter().enumerate() {
            for &(first, from, _) in &writes[..number] {
                if case.from_reads.threads[first.index()] != case.from_reads.threads[second.index()] {
                    let label = case.new_variable();
                    case.edges.push(Edge { from, to, label });
                    case.edges.push(Edge { from: to, to: from, label: !label });
                    case.from_reads.orders.insert((first, second), label);
                    case.from_reads.orders.insert((second, first), !label);
                }
            }
        }
        for &(_, node) in &reads {
            let mut sources = vec![(None, case.new_variable())];
            for &(write, from, happens) in &writes {
                let label = case.new_variable();
                case.needed.push((label, happens));
                sources.push((Some(write), label));
                case.edges.push(Edge { from, to: node, label });
            }
            let rivals = writes.iter().map(|&(write, node, happens)| Rival { write, node, happens }).collect();
            case.from_reads.reads.push(FromRead { node, sources, rivals });
        }
        case
    }

    fn theory(&self) -> Theory {
        let graph = OrderGraph::new(&self.skeleton).expect("chains have no cycle");
        Theory::new(graph, self.edges.clone(), self.from_reads.clone(), self.truth)
    }

    /// Whether the edges that these literals bring about have a cycle.
    fn is_cyclic(&self, literals: &[Lit]) -> bool {
        let holds = |literal: Lit| literal == self.truth || literals.contains(&literal);
        let labelled = self.edges.iter().filter(|edge| holds(edge.label)).map(|edge| (edge.from, edge.to));
        let derived = self.from_reads.edges(self.truth, &holds);
        let mut edges: Vec<(Node, Node)> =
            self.skeleton.edges().iter().copied().chain(labelled).chain(derived).collect();
        // Whoever has no predecessor is no part of a cycle.
        loop {
            let before = edges.len();
            let ends: Vec<Node> = edges.iter().map(|edge| edge.1).collect();
            edges.retain(|edge| ends.contains(&edge.0));
            if edges.len() == before {
                return before > 0;
            }
        }
    }

    /// A clause of the theory forbids nothing but cycles.
    fn check_clause(&self, clause: &[Lit]) {
        let denied: Vec<Lit> = clause.iter().map(|&literal| !literal).collect();
        assert!(self.is_cyclic(&denied), "{clause:?} should follow from the order");
    }
}

/// A solver that decides at random, and goes back as far as it likes.
struct Driver<'a> {
    case: &'a Case,
    theory: Theory,
    /// By level, the literals that were assigned there.
    levels: Vec<Vec<Lit>>,
    /// What the theory implied, with the level.
    implied: Vec<(usize, Lit)>,
}

impl Driver<'_> {
    fn is_assigned(&self, literal: Lit) -> bool {
        self.levels.iter().flatten().any(|other| other.variable() == literal.variable())
    }

    fn assign(&mut self, literal: Lit) {
        self.levels.last_mut().expect("level 0 is always there").push(literal);
        self.theory.assigned(&[literal]);
    }

    /// What is read happens; the formula sees to that.
    fn decide(&mut self, literal: Lit) {
        self.levels.push(Vec::new());
        self.theory.new_level();
        let needed = self.case.needed.iter().find(|needed| needed.0 == literal).map(|needed| needed.1);
        match needed {
            Some(happens) if self.levels.iter().flatten().any(|&held| held == !happens) => self.assign(!literal),
            Some(happens) if !self.is_assigned(happens) => {
                self.assign(happens);
                self.assign(literal);
            }
            _ => self.assign(literal),
        }
    }

    fn check_reason(&mut self, literal: Lit) {
        let mut clause = Vec::new();
        self.theory.reason(literal, &mut clause);
        assert!(clause.contains(&literal));
        let denied = |other: &Lit| *other == literal || self.levels.iter().flatten().any(|held| *held == !*other);
        assert!(clause.iter().all(denied), "{clause:?} should be a reason under {:?}", self.levels);
        self.case.check_clause(&clause);
    }

    /// False on a conflict.
    fn propagate(&mut self) -> bool {
        while let Some(literal) = self.theory.propagate() {
            assert!(!self.is_assigned(literal), "the theory was told of {literal:?}");
            self.check_reason(literal);
            self.implied.push((self.levels.len() - 1, literal));
            self.assign(literal);
        }
        let mut clause = Vec::new();
        if !self.theory.add_clause(&mut clause) {
            return true;
        }
        let is_false = |literal: &Lit| self.levels.iter().flatten().any(|held| *held == !*literal);
        assert!(clause.iter().all(is_false), "{clause:?} should be false under {:?}", self.levels);
        self.case.check_clause(&clause);
        false
    }

    fn backtrack(&mut self, level: usize) {
        for i in 0..self.implied.len() {
            self.check_reason(self.implied[i].1);
        }
        self.levels.truncate(level + 1);
        self.implied.retain(|implied| implied.0 <= level);
        self.theory.backtrack(level);
    }
}

#[test]
fn random_assignments_are_judged_as_defined() {
    let mut random = Random::new(2024);
    let (mut conflicts, mut models, mut implied) = (0, 0, 0);
    for _ in 0..400 {
        let case = Case::random(&mut random);
        let theory = case.theory();
        assert!(!theory.is_contradiction());
        let mut driver = Driver { case: &case, theory, levels: vec![vec![case.truth]], implied: Vec::new() };
        for _ in 0..60 {
            let fits = driver.propagate();
            implied += driver.implied.len();
            let open: Vec<i32> =
                (2..=case.variables).filter(|&variable| !driver.is_assigned(Lit::from_dimacs(variable))).collect();
            if !fits || open.is_empty() {
                let assigned: Vec<Lit> = driver.levels.iter().flatten().copied().collect();
                if fits {
                    models += 1;
                    assert!(!case.is_cyclic(&assigned), "{assigned:?} should be a conflict");
                } else {
                    conflicts += 1;
                }
                if driver.levels.len() == 1 {
                    break;
                }
                let level = random.index(driver.levels.len() - 1);
                driver.backtrack(level);
                continue;
            }
            let literal = Lit::from_dimacs(random.pick(&open)).negate_if(random.one_in(2));
            driver.decide(literal);
        }
    }
    assert!(
        conflicts > 500 && models > 500 && implied > 5000,
        "{conflicts} conflicts, {models} models, {implied} implied"
    );
}

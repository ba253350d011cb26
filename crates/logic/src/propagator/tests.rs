//! A propagator for acyclic graphs against the clauses that forbid each cycle.

use super::Propagator;
use crate::cadical::{CaDiCaL, Options};
use crate::clauses::{ClauseSink, Lit};
use crate::sat::{Answer, Sat};
use norn_ir::number::narrow_to;
use norn_testing::Random;
use norn_verdict::limits::Limits;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

const NODES: usize = 6;

/// How much the propagator does by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Style {
    /// Looks at complete assignments only.
    Models,
    /// Finds cycles as soon as they close.
    Conflicts,
    /// Excludes edges that would close a cycle, with a reason when asked.
    Propagations,
    /// That, and decides on edges itself.
    Decisions,
}

/// The chosen edges of a graph form no cycle.
struct Acyclic {
    style: Style,
    edges: Vec<(Lit, usize, usize)>,
    /// Edges whose literal is assigned, with its value, in order.
    trail: Vec<(usize, bool)>,
    levels: Vec<usize>,
    clause: Option<Vec<Lit>>,
    reasons: u32,
}

impl Acyclic {
    fn new(style: Style, edges: Vec<(Lit, usize, usize)>) -> Acyclic {
        Acyclic { style, edges, trail: Vec::new(), levels: Vec::new(), clause: None, reasons: 0 }
    }

    fn edge(&self, literal: Lit) -> usize {
        self.edges.iter().position(|(edge, ..)| edge.variable() == literal.variable()).unwrap()
    }

    fn is_assigned(&self, edge: usize) -> bool {
        self.trail.iter().any(|&(other, _)| other == edge)
    }

    /// Edges of a path that uses the first so many assignments.
    fn path(&self, from: usize, to: usize, assignments: usize) -> Option<Vec<usize>> {
        let mut reached = vec![(from, Vec::new())];
        let mut next = 0;
        while next < reached.len() {
            let (node, path) = reached[next].clone();
            if node == to {
                return Some(path);
            }
            next += 1;
            for &(edge, value) in &self.trail[..assignments] {
                let (_, start, end) = self.edges[edge];
                if value && start == node && !reached.iter().any(|(other, _)| *other == end) {
                    let mut path: Vec<usize> = path.clone();
                    path.push(edge);
                    reached.push((end, path));
                }
            }
        }
        None
    }

    /// The clause that forbids an edge together with the path back.
    fn cycle_clause(&self, edge: usize, assignments: usize) -> Option<Vec<Lit>> {
        let (literal, from, to) = self.edges[edge];
        let mut clause: Vec<Lit> =
            self.path(to, from, assignments)?.into_iter().map(|edge| !self.edges[edge].0).collect();
        clause.push(!literal);
        Some(clause)
    }
}

impl Propagator for Acyclic {
    fn assigned(&mut self, literals: &[Lit]) {
        for &literal in literals {
            let edge = self.edge(literal);
            assert!(!self.is_assigned(edge), "an assignment should be seen once");
            self.trail.push((edge, !literal.is_negative()));
            if self.style != Style::Models && !literal.is_negative() && self.clause.is_none() {
                self.clause = self.cycle_clause(edge, self.trail.len());
            }
        }
    }

    fn new_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    fn backtrack(&mut self, level: usize) {
        self.trail.truncate(self.levels[level]);
        self.levels.truncate(level);
        // Not needed any more where it was found; found again if it is.
        self.clause = None;
    }

    fn propagate(&mut self) -> Option<Lit> {
        if !matches!(self.style, Style::Propagations | Style::Decisions) {
            return None;
        }
        let open = (0..self.edges.len()).filter(|&edge| !self.is_assigned(edge));
        let excluded = open.filter(|&edge| self.cycle_clause(edge, self.trail.len()).is_some());
        excluded.map(|edge| !self.edges[edge].0).next()
    }

    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.reasons += 1;
        let edge = self.edge(literal);
        // Only what was assigned before the literal counts.
        let before = self.trail.iter().position(|&(other, _)| other == edge).unwrap_or(self.trail.len());
        clause.extend(self.cycle_clause(edge, before).unwrap());
    }

    fn add_clause(&mut self, clause: &mut Vec<Lit>) -> bool {
        match self.clause.take() {
            Some(found) => {
                clause.extend(found);
                true
            }
            None => false,
        }
    }

    fn decide(&mut self) -> Option<Lit> {
        // Every edge in turn, assigned or not.
        (self.style == Style::Decisions).then(|| self.edges[self.trail.len() % self.edges.len()].0)
    }

    fn accepts(&mut self, model: &[Lit]) -> bool {
        assert_eq!(model.len(), self.edges.len(), "the model should be of all observed variables");
        let trail = self.trail.clone();
        self.trail = model.iter().map(|&literal| (self.edge(literal), !literal.is_negative())).collect();
        let chosen = model.iter().filter(|literal| !literal.is_negative());
        let clause =
            chosen.map(|&literal| self.edge(literal)).find_map(|edge| self.cycle_clause(edge, self.trail.len()));
        self.trail = trail;
        assert!(clause.is_none() || self.style == Style::Models, "a cycle should have been found before");
        self.clause = clause;
        self.clause.is_none()
    }
}

fn edges(solver: &mut CaDiCaL) -> Vec<(Lit, usize, usize)> {
    let pairs = (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to))).filter(|(from, to)| from != to);
    pairs.map(|(from, to)| (solver.new_var(), from, to)).collect()
}

/// Random clauses over the edges, the same for the same seed.
fn random_clauses(edges: &[(Lit, usize, usize)], random: &mut Random) -> Vec<Vec<Lit>> {
    (0..16 + random.index(20))
        .map(|_| {
            // Mostly positive, so that edges must be chosen.
            let mut literal = || edges[random.index(edges.len())].0.negate_if(random.index(10) == 0);
            vec![literal(), literal()]
        })
        .collect()
}

/// Forbids each cycle by a clause.
fn forbid_cycles(solver: &mut CaDiCaL, edges: &[(Lit, usize, usize)]) {
    fn extend(path: &mut Vec<usize>, solver: &mut CaDiCaL, edges: &[(Lit, usize, usize)]) {
        let edge =
            |from: usize, to: usize| edges.iter().find(|&&(_, start, end)| (start, end) == (from, to)).unwrap().0;
        if path.len() > 1 {
            let clause: Vec<Lit> =
                (0..path.len()).map(|index| !edge(path[index], path[(index + 1) % path.len()])).collect();
            solver.clause(&clause);
        }
        for node in path[0] + 1..NODES {
            if !path.contains(&node) {
                path.push(node);
                extend(path, solver, edges);
                path.pop();
            }
        }
    }
    for first in 0..NODES {
        extend(&mut vec![first], solver, edges);
    }
}

fn check(style: Style) -> u32 {
    let (mut refuted, mut reasons) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut reference = CaDiCaL::new();
        let graph = edges(&mut reference);
        forbid_cycles(&mut reference, &graph);
        let mut options = Options { certify: true, seed: narrow_to(seed), ..Options::default() };
        if seed % 2 == 1 {
            // Everything that changes the trail or the variables, as often as can be.
            for (name, value) in [
                ("chronoalways", 1),
                ("restartint", 2),
                ("inprobeint", 1),
                ("elimint", 1),
                ("compactint", 1),
                ("reduceint", 10),
            ] {
                options = options.with(name, value);
            }
        }
        let mut solver = CaDiCaL::with_options(&options).unwrap();
        assert_eq!(graph, edges(&mut solver));
        let propagator = Rc::new(RefCell::new(Acyclic::new(style, graph.clone())));
        let observed: Vec<Lit> = graph.iter().map(|&(literal, ..)| literal).collect();
        let clauses = random_clauses(&graph, &mut random);
        // Some before, some after, so that the propagator hears of both.
        for clause in &clauses[..clauses.len() / 2] {
            solver.clause(clause);
        }
        solver.connect(Box::new(Rc::clone(&propagator)), &observed);
        for clause in &clauses[clauses.len() / 2..] {
            solver.clause(clause);
        }
        for clause in &clauses {
            reference.clause(clause);
        }
        for assumption in [None, Some(graph[random.index(graph.len())].0), None] {
            let assumptions: Vec<Lit> = assumption.into_iter().collect();
            let expected = reference.solve(&assumptions, &Limits::none());
            assert_eq!(solver.solve(&assumptions, &Limits::none()), expected, "{style:?}, seed {seed}");
            if expected == Answer::Unsat {
                refuted += 1;
                let certificate = solver.certificate().unwrap();
                for clause in &certificate.from_propagator {
                    assert!(is_cycle(clause, &graph), "{clause:?} should be a cycle");
                }
            }
        }
        reasons += propagator.borrow().reasons;
    }
    assert!((60..400).contains(&refuted), "both answers should be common, but {refuted} were refutations");
    reasons
}

/// Whether a clause says that the edges of one cycle are not all there.
fn is_cycle(clause: &[Lit], edges: &[(Lit, usize, usize)]) -> bool {
    let ends = |literal: Lit| edges.iter().find(|(edge, ..)| *edge == !literal).map(|&(_, from, to)| (from, to));
    let Some(parts) = clause.iter().map(|&literal| ends(literal)).collect::<Option<Vec<_>>>() else { return false };
    let mut node = parts[0].0;
    for _ in 0..parts.len() {
        match parts.iter().find(|(from, _)| *from == node) {
            Some(&(_, to)) => node = to,
            None => return false,
        }
    }
    node == parts[0].0
}

#[test]
fn a_propagator_that_checks_models_agrees_with_clauses() {
    assert_eq!(check(Style::Models), 0);
}

#[test]
fn a_propagator_that_finds_conflicts_agrees_with_clauses() {
    assert_eq!(check(Style::Conflicts), 0);
}

#[test]
fn a_propagator_that_propagates_agrees_with_clauses() {
    assert!(check(Style::Propagations) > 0, "reasons should be asked for");
}

#[test]
fn a_propagator_that_decides_agrees_with_clauses() {
    check(Style::Decisions);
}

/// Does something wrong.
struct Wrong(fn(&mut Vec<Lit>) -> Option<Lit>);

impl Propagator for Wrong {
    fn assigned(&mut self, _: &[Lit]) {}
    fn new_level(&mut self) {}
    fn backtrack(&mut self, _: usize) {}
    fn propagate(&mut self) -> Option<Lit> {
        self.0(&mut Vec::new())
    }
    fn reason(&mut self, _: Lit, clause: &mut Vec<Lit>) {
        self.0(clause);
    }
    fn add_clause(&mut self, _: &mut Vec<Lit>) -> bool {
        false
    }
    fn accepts(&mut self, _: &[Lit]) -> bool {
        true
    }
}

/// The message of the panic that a wrong propagator ends in.
fn panic_of(wrong: fn(&mut Vec<Lit>) -> Option<Lit>) -> String {
    let mut solver = CaDiCaL::new();
    let (a, b) = (solver.new_var(), solver.new_var());
    solver.clause(&[a, b]);
    solver.connect(Box::new(Wrong(wrong)), &[a, b]);
    let payload = catch_unwind(AssertUnwindSafe(|| solver.solve(&[], &Limits::none()))).unwrap_err();
    // The solver itself is still in order.
    assert_eq!(solver.stats().clauses, 1);
    payload.downcast_ref::<String>().cloned().or(payload.downcast_ref::<&str>().map(|text| text.to_string())).unwrap()
}

#[test]
fn a_panic_in_a_propagator_reaches_the_caller() {
    assert_eq!(panic_of(|_| panic!("as asked for")), "as asked for");
    let unobserved = panic_of(|_| Some(Lit::from_dimacs(7)));
    assert!(unobserved.contains("observed variables, not 7"), "{unobserved}");
    let without = panic_of(|_| Some(Lit::from_dimacs(1)));
    assert!(without.contains("should contain the literal 1"), "{without}");
}

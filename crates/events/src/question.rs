//! The formula of one bounded program under one model, and the questions that are asked about it.

use crate::clocks::Clocks;
use crate::encode::{Encoded, Encoding as Encode, Formula};
use crate::engine::{Encoding, Figures};
use crate::layout::Layout;
use crate::models;
use crate::order::{Node, OrderGraph};
use crate::pairs::{Facts, Pairs};
use crate::schedule::{linear_order, schedule};
use crate::theory::{Edge, Theory};
use crate::variables::Variables;
use norn_ir::program::Program;
use norn_logic::{Answer, Blaster, CaDiCaL, ClauseSink, Lit, Memo, Sat, Term};
use norn_symex::{Finding, Symbolic};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::schedule::Schedule;

pub struct Formulated {
    layout: Layout,
    /// Edges with labels; none if the order is in clocks.
    edges: Vec<Edge>,
    clocks: Option<Clocks>,
    blaster: Blaster<CaDiCaL>,
    encoded: Encoded,
    /// If it is false, nothing undefined is met.
    undefined: Lit,
    pairs: (usize, usize),
}

pub enum Question {
    /// Something is violated and nothing undefined is met.
    Violated,
    Undefined,
    /// One of these is reached.
    Cut(Vec<usize>),
}

pub enum Asked {
    Yes,
    No,
    Stopped(Exceeded),
    /// The answer was no, but its proof did not pass.
    NotProved(String),
}

impl Formulated {
    /// `None` if the fixed order has a cycle, which no list of events should have.
    pub fn new(symbolic: &mut Symbolic, model: Model, encoding: Encoding, _certify: bool) -> Option<Formulated> {
        let layout = Layout::new(symbolic, models::relaxed(model));
        let graph = OrderGraph::new(&layout.skeleton)?;
        let facts = Facts { layout: &layout, graph: (encoding == Encoding::Order).then_some(&graph) };
        let pairs = Pairs::new(symbolic, &facts);
        let mut blaster = Blaster::new(CaDiCaL::new());
        let mut formula = Formula::new(&mut blaster);
        let mut clocks = None;
        let mut variables = Variables::new(&graph);
        let mut encode = Encode {
            symbolic,
            layout: &layout,
            facts,
            pairs: &pairs,
            orders: &mut variables,
            encoded: Encoded::default(),
        };
        if encoding == Encoding::Clocks {
            let clocks = clocks.insert(Clocks::new(&mut formula, &layout));
            clocks.succ(&mut formula, &layout);
            clocks.unique(&mut formula, &layout, encode.symbolic);
            encode.orders = clocks;
        }
        encode.all(&mut formula);
        let encoded = encode.encoded;
        let undefined = formula.fresh();
        for (check, &literal) in symbolic.checks.iter().zip(&encoded.checks) {
            if matches!(check.what, Finding::Undefined(_)) {
                formula.clause(&[undefined, !literal]);
            }
        }
        let edges = variables.edges;
        let pairs = (pairs.candidates, pairs.kept);
        Some(Formulated { layout, edges, clocks, blaster, encoded, undefined, pairs })
    }

    pub fn ask(&mut self, symbolic: &Symbolic, question: &Question, limits: &Limits) -> Asked {
        let truth = self.blaster.truth();
        let is_violation = |check: &usize| matches!(symbolic.checks[*check].what, Finding::Violation(_));
        let all = 0..symbolic.checks.len();
        let mut wanted: Vec<Lit> = match question {
            Question::Violated => all.filter(is_violation).map(|check| self.encoded.checks[check]).collect(),
            Question::Undefined => all.filter(|c| !is_violation(c)).map(|check| self.encoded.checks[check]).collect(),
            Question::Cut(cuts) => cuts.iter().map(|&cut| self.encoded.cuts[cut]).collect(),
        };
        wanted.retain(|&literal| literal != !truth);
        if wanted.is_empty() {
            return Asked::No;
        }
        let active = self.blaster.sink_mut().new_var();
        wanted.push(!active);
        self.blaster.sink_mut().clause(&wanted);
        let mut assumptions = vec![active];
        if matches!(question, Question::Violated) {
            assumptions.push(!self.undefined);
        }
        loop {
            match self.blaster.sink_mut().solve(&assumptions, limits) {
                Answer::Unsat => return Asked::No,
                Answer::Stopped(exceeded) => return Asked::Stopped(exceeded),
                Answer::Sat => {}
            }
            match self.find_cycle() {
                None => return Asked::Yes,
                Some(clause) => self.blaster.sink_mut().clause(&clause),
            }
        }
    }

    fn find_cycle(&mut self) -> Option<Vec<Lit>> {
        let graph = OrderGraph::new(&self.layout.skeleton)?;
        let mut theory = Theory::new(graph, self.edges.clone());
        for literal in theory.observed() {
            theory.assign(literal.negate_if(!self.blaster.sink().value(literal)));
        }
        while theory.propagate().is_some() {}
        theory.take_conflict()
    }

    /// Which checks hold in the model.
    pub fn true_checks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.encoded.checks.len()).filter(|&check| self.blaster.sink().value(self.encoded.checks[check]))
    }

    pub fn is_cut(&self, cut: usize) -> bool {
        self.blaster.sink().value(self.encoded.cuts[cut])
    }

    /// The execution of the model.
    pub fn schedule(&self, program: &Program, model: Model, symbolic: &Symbolic) -> Schedule {
        let sat = self.blaster.sink();
        let mut memo = Memo::default();
        let variable = |term: Term| self.blaster.variable_value(&symbolic.terms, term, &|literal| sat.value(literal));
        let mut value = |term: Term| symbolic.terms.evaluate(term, &mut memo, &variable);
        let order = self.order();
        schedule(program, model, symbolic, &self.layout, &order, &mut value)
    }

    /// The value of a term in the model.
    #[cfg(test)]
    pub fn value(&self, symbolic: &Symbolic, term: Term) -> u64 {
        let sat = self.blaster.sink();
        let variable = |term: Term| self.blaster.variable_value(&symbolic.terms, term, &|literal| sat.value(literal));
        symbolic.terms.evaluate(term, &mut Memo::default(), &variable)
    }

    fn order(&self) -> Vec<Node> {
        let sat = self.blaster.sink();
        if let Some(clocks) = &self.clocks {
            return clocks.order(&|literal| sat.value(literal));
        }
        let active = self.edges.iter().filter(|edge| sat.value(edge.label)).map(|edge| (edge.from, edge.to));
        let edges: Vec<(Node, Node)> = self.layout.skeleton.edges().iter().copied().chain(active).collect();
        let order = linear_order(self.layout.skeleton.node_count(), &edges, &self.layout.threads);
        order.expect("the order of a model should have no cycle")
    }

    pub fn figures(&self, symbolic: &Symbolic, figures: &mut Figures) {
        let stats = self.blaster.sink().stats();
        figures.set("events", symbolic.events.len() as f64);
        figures.set("pairs before pruning", self.pairs.0 as f64);
        figures.set("pairs", self.pairs.1 as f64);
        figures.set("variables", stats.variables as f64);
        figures.set("clauses", stats.clauses as f64);
        figures.set("conflicts", stats.conflicts as f64);
        figures.set("propagations", stats.propagations as f64);
        if stats.conflicts > 0 {
            figures.set("propagations per conflict", stats.propagations as f64 / stats.conflicts as f64);
        }
    }
}

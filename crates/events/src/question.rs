//! The formula of one bounded program under one model, and the questions that are asked about it.

use crate::certify;
use crate::clocks::Clocks;
use crate::encode::{Encoded, Encoding as Encode, Formula};
use crate::engine::{Encoding, Figures};
use crate::fixed_order::FixedOrder;
use crate::from_reads::FromReads;
use crate::models;
use crate::order::{Node, OrderGraph};
use crate::pairs::{Facts, Pairs};
use crate::races;
use crate::schedule::{linear_order, moves};
use crate::symmetry;
use crate::theory::{Edge, Theory};
use crate::variables::Variables;
use norn_logic::cadical::Options;
use norn_logic::{Answer, Blaster, CaDiCaL, ClauseSink, Lit, Propagator, Sat, Term};
use norn_symex::{Condition, Finding, Symbolic};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::Violation;
use norn_verdict::schedule::Schedule;
use std::cell::RefCell;
use std::rc::Rc;

pub struct Formulated {
    pub fixed: FixedOrder,
    /// Edges with labels; none if the order is in clocks.
    pub edges: Vec<Edge>,
    /// Literals for the first node coming before the second.
    pub orders: Vec<(Node, Node, Lit)>,
    /// First steps of copies of threads, in the order that is looked at.
    pub ordered: Vec<(Node, Node)>,
    pub clocks: Option<Clocks>,
    pub blaster: Blaster<CaDiCaL>,
    pub encoded: Encoded,
    /// If it is false, nothing undefined is met.
    pub undefined: Lit,
    /// If it is false, no bound cuts a section in two.
    pub halved: Lit,
    /// If it is false, nothing is done that is assumed not to happen.
    pub excluded: Lit,
    /// If it is true, there is a data race.
    pub race: Lit,
    pairs: (usize, usize),
    theory: Option<Rc<RefCell<Theory>>>,
    pub from_reads: FromReads,
    certify: bool,
    /// Steps of proofs that were checked.
    pub proved: u64,
}

/// With more reads, sources and other writes than this, the theory derives what clauses would say.
const MANY_TRIPLES: usize = if cfg!(test) { 5 } else { 20_000 };
/// With fewer events and terms than this, simplifying the formula takes longer than it saves. A sequential program has
/// no events, but its terms can be hard enough: its formulas take two to three times as long without.
const FEW_EVENTS: usize = 200;
const FEW_TERMS: usize = 2_000;

pub enum Question {
    /// Something is violated and nothing undefined is met.
    Violated,
    /// There is a data race, and nothing undefined is met.
    Race,
    Undefined,
    /// One of these checks, which are assumptions, does not hold.
    Assumed(Vec<usize>),
    /// One of these is reached.
    Cut(Vec<usize>),
    /// One of these is reached.
    Mark(Vec<usize>),
}

pub enum Asked {
    Yes,
    No,
    Stopped(Exceeded),
    /// The answer was no, but its proof did not pass.
    NotProved(String),
}

/// What is made of an event list.
#[derive(Clone, Copy)]
pub struct Form {
    pub encoding: Encoding,
    /// For questions about data races. What they need makes the others harder.
    pub races: bool,
    pub certify: bool,
}

impl Formulated {
    pub fn new(symbolic: &mut Symbolic, model: Model, form: Form, limits: &Limits) -> Result<Formulated, Exceeded> {
        Formulated::with_propagator(symbolic, model, form, limits, |theory| Box::new(theory))
    }

    /// With something between the solver and the theory: for tests.
    pub fn with_propagator(
        symbolic: &mut Symbolic,
        model: Model,
        Form { encoding, races: with_races, certify }: Form,
        limits: &Limits,
        propagator: impl FnOnce(Rc<RefCell<Theory>>) -> Box<dyn Propagator>,
    ) -> Result<Formulated, Exceeded> {
        let mut fixed = FixedOrder::new(symbolic, models::relaxed(model));
        // The other encoding is the paper's, and a check on this one. Data races are about an order of their own, which the
        // order of copies says nothing about.
        let mut ordered = Vec::new();
        if encoding == Encoding::Order && !with_races {
            ordered = symmetry::first_steps(symbolic, &fixed);
            ordered.iter().for_each(|&(first, second)| fixed.skeleton.fix(first, second));
        }
        let graph = OrderGraph::new(&fixed.skeleton).expect("program order, creations and joins should have no cycle");
        let facts = Facts { fixed: &fixed, graph: (encoding == Encoding::Order).then_some(&graph) };
        let pairs = Pairs::new(symbolic, &facts, limits)?;
        // Chronological backtracking keeps levels that the theory would rather see undone: a tenth to a fifth more conflicts.
        let mut options = Options { certify, ..Options::default() }.with("chrono", 0);
        if symbolic.events.len() < FEW_EVENTS && symbolic.terms.len() < FEW_TERMS {
            for simplification in ["elim", "subsume", "probe", "lucky", "walk"] {
                options = options.with(simplification, 0);
            }
        }
        let solver = CaDiCaL::with_options(&options).expect("the solver should have the options that it is given");
        let mut blaster = Blaster::new(solver);
        let mut formula = Formula::new(&mut blaster);
        let mut clocks = None;
        let mut variables = Variables::new(&graph);
        let mut encode = Encode {
            symbolic,
            fixed: &fixed,
            facts,
            pairs: &pairs,
            orders: &mut variables,
            derive: encoding == Encoding::Order && pairs.triples() > MANY_TRIPLES,
            encoded: Encoded::default(),
        };
        if encoding == Encoding::Clocks {
            let clocks = clocks.insert(Clocks::new(&mut formula, &fixed));
            clocks.succ(&mut formula, &fixed);
            clocks.unique(&mut formula, &fixed, encode.symbolic);
            encode.orders = clocks;
        }
        encode.all(&mut formula, limits)?;
        let mut race = !formula.truth;
        if with_races {
            let mut context = races::Context {
                symbolic: encode.symbolic,
                fixed: &fixed,
                facts: &encode.facts,
                sources: &encode.encoded.sources,
                orders: encode.orders,
            };
            race = races::encode(&mut formula, &mut context);
        }
        let mut encoded = encode.encoded;
        let from_reads = std::mem::take(&mut encoded.from_reads);
        let (undefined, excluded) = (formula.fresh(), formula.fresh());
        for (check, &literal) in symbolic.checks.iter().zip(&encoded.checks) {
            if check.what.is_undefined() {
                formula.clause(&[undefined, !literal]);
            }
            if check.what.is_excluded() {
                formula.clause(&[excluded, !literal]);
            }
        }
        let halved = formula.fresh();
        for (cut, &literal) in symbolic.cuts.iter().zip(&encoded.cuts) {
            if cut.in_section {
                formula.clause(&[halved, !literal]);
            }
        }
        let orders = variables.orders();
        let edges = variables.edges;
        let pairs = (pairs.candidates, pairs.kept);
        let mut theory = None;
        if encoding == Encoding::Order {
            let new = Theory::new(graph, edges.clone(), from_reads.clone(), blaster.truth());
            if new.is_contradiction() {
                blaster.sink_mut().clause(&[]);
            }
            let new = Rc::new(RefCell::new(new));
            let observed = new.borrow().observed();
            blaster.sink_mut().connect(propagator(Rc::clone(&new)), &observed);
            theory = Some(new);
        }
        Ok(Formulated {
            fixed,
            edges,
            orders,
            ordered,
            clocks,
            blaster,
            encoded,
            undefined,
            halved,
            excluded,
            race,
            pairs,
            theory,
            from_reads,
            certify,
            proved: 0,
        })
    }

    pub fn ask(&mut self, symbolic: &Symbolic, question: &Question, limits: &Limits) -> Asked {
        let truth = self.blaster.truth();
        let is_violation = |check: &usize| matches!(symbolic.checks[*check].what, Finding::Violation(_));
        let is_undefined = |check: &usize| symbolic.checks[*check].what.is_undefined();
        let all = 0..symbolic.checks.len();
        let mut wanted: Vec<Lit> = match question {
            Question::Violated => all.filter(is_violation).map(|check| self.encoded.checks[check]).collect(),
            Question::Race => vec![self.race],
            Question::Undefined => all.filter(is_undefined).map(|check| self.encoded.checks[check]).collect(),
            Question::Assumed(checks) => checks.iter().map(|&check| self.encoded.checks[check]).collect(),
            Question::Mark(marks) => marks.iter().map(|&mark| self.encoded.marks[mark]).collect(),
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
        if matches!(question, Question::Violated | Question::Race) {
            assumptions.push(!self.undefined);
        }
        if !matches!(question, Question::Cut(_)) {
            assumptions.push(!self.halved);
        }
        let is_about_excluded =
            |checks: &[usize]| checks.iter().any(|&check| symbolic.checks[check].what.is_excluded());
        if !matches!(question, Question::Assumed(checks) if is_about_excluded(checks)) {
            assumptions.push(!self.excluded);
        }
        match self.blaster.sink_mut().solve(&assumptions, limits) {
            Answer::Sat => Asked::Yes,
            Answer::Unsat if self.certify => self.certified(),
            Answer::Unsat => Asked::No,
            Answer::Stopped(exceeded) => Asked::Stopped(exceeded),
        }
    }

    /// Checks the solver's proof, and that each clause of the propagator is a cycle of the order graph.
    fn certified(&mut self) -> Asked {
        let certificate = match self.blaster.sink_mut().certificate() {
            Ok(certificate) => certificate,
            Err(damage) => return Asked::NotProved(format!("the solver's proof is wrong: {damage}")),
        };
        self.proved = certificate.derived;
        let checker = certify::Cycles::new(&self.fixed.skeleton, &self.edges, &self.from_reads, self.blaster.truth());
        let is_cycle = |clause: &[Lit]| checker.forbidden_by(clause);
        // What the theory found before the search was given as an empty clause.
        let is_contradiction = self.theory.as_ref().is_some_and(|theory| theory.borrow().is_contradiction());
        let is_justified = !is_contradiction || is_cycle(&[]);
        match is_justified && certificate.from_propagator.iter().all(|clause| is_cycle(clause)) {
            true => Asked::No,
            false => Asked::NotProved("a clause of the order is no cycle".to_owned()),
        }
    }

    /// Which checks hold in the model.
    pub fn true_checks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.encoded.checks.len()).filter(|&check| self.blaster.sink().value(self.encoded.checks[check]))
    }

    pub fn is_true_check(&self, check: usize) -> bool {
        self.blaster.sink().value(self.encoded.checks[check])
    }

    pub fn is_mark(&self, mark: usize) -> bool {
        self.blaster.sink().value(self.encoded.marks[mark])
    }

    pub fn is_cut(&self, cut: usize) -> bool {
        self.blaster.sink().value(self.encoded.cuts[cut])
    }

    /// The violations that the execution of the model may hold. The literals of checks say less: each implies that its
    /// check fails, and is not implied by it.
    pub fn violations<'s>(&self, symbolic: &'s Symbolic) -> Vec<&'s Violation> {
        let sat = self.blaster.sink();
        let variable = |term: Term| self.blaster.variable_value(&symbolic.terms, term, &|literal| sat.value(literal));
        let mut memo = norn_logic::Memo::default();
        let mut violations = Vec::new();
        for check in &symbolic.checks {
            let Finding::Violation(violation) = &check.what else { continue };
            let may_fail = match check.violated {
                Condition::Term(term) => symbolic.terms.evaluate(term, &mut memo, &variable) != 0,
                Condition::AfterEnd { .. } => true,
            };
            if may_fail {
                violations.push(violation);
            }
        }
        violations
    }

    /// The execution of the model, for the program with this fingerprint.
    pub fn schedule(&self, program: u64, model: Model, symbolic: &Symbolic) -> Schedule {
        let sat = self.blaster.sink();
        let variable = |term: Term| self.blaster.variable_value(&symbolic.terms, term, &|literal| sat.value(literal));
        let executed = symbolic.steps(&variable).executed;
        let moves = moves(symbolic, &self.fixed, &self.order(), &executed);
        symbolic.schedule(model, program, &moves, &variable)
    }

    /// The value of a term in the model.
    #[cfg(test)]
    pub fn value(&self, symbolic: &Symbolic, term: Term) -> u64 {
        let sat = self.blaster.sink();
        let variable = |term: Term| self.blaster.variable_value(&symbolic.terms, term, &|literal| sat.value(literal));
        symbolic.terms.evaluate(term, &mut norn_logic::Memo::default(), &variable)
    }

    fn order(&self) -> Vec<Node> {
        let sat = self.blaster.sink();
        if let Some(clocks) = &self.clocks {
            return clocks.order(&|literal| sat.value(literal));
        }
        let active = self.edges.iter().filter(|edge| sat.value(edge.label)).map(|edge| (edge.from, edge.to));
        let derived = self.from_reads.edges(self.blaster.truth(), &|literal| sat.value(literal));
        let fixed = self.fixed.skeleton.edges().iter().copied();
        let edges: Vec<(Node, Node)> = fixed.chain(active).chain(derived).collect();
        let order = linear_order(self.fixed.skeleton.node_count(), &edges, &self.fixed.threads);
        order.expect("the order of a model should have no cycle")
    }

    pub fn figures(&self, symbolic: &Symbolic, figures: &mut Figures) {
        let stats = self.blaster.sink().stats();
        figures.set("events", symbolic.events.len() as f64);
        figures.set("terms", symbolic.terms.len() as f64);
        figures.set("pairs before pruning", self.pairs.0 as f64);
        figures.set("pairs", self.pairs.1 as f64);
        figures.set("variables", stats.variables as f64);
        figures.set("clauses", stats.clauses as f64);
        figures.set("conflicts", stats.conflicts as f64);
        figures.set("propagations", stats.propagations as f64);
        if let Some(theory) = &self.theory {
            let counts = theory.borrow().counts;
            figures.set("copies of threads", self.ordered.len() as f64);
            figures.set("cycles", counts.conflicts as f64);
            figures.set("edges ruled out", counts.implied as f64);
            figures.set("edges explained", counts.explained as f64);
            figures.set("clauses of the theory", (counts.conflicts + counts.explained) as f64);
            figures.set("labelled edges", self.edges.len() as f64);
            figures.set("nodes", self.fixed.skeleton.node_count() as f64);
        }
        if stats.conflicts > 0 {
            figures.set("propagations per conflict", stats.propagations as f64 / stats.conflicts as f64);
        }
    }
}

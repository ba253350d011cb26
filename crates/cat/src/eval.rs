//! The evaluator: the values of a model's definitions on one execution, and which checks it fails.
//!
//! It works in stages, so that a search that has chosen the events need not evaluate again what depends on these alone
//! whenever it chooses another coherence order.

use crate::model::{Check, Model, Node, Op, Stage, Type};
use crate::relation::{Relation, Set};
use crate::tree::{Binary, Test, Unary};

/// What an execution knows about its events.
pub trait Execution {
    fn events(&self) -> usize;
    /// The events of a set of the vocabulary.
    fn set(&self, name: &str) -> Set;
    /// One of [`crate::model::RELATIONS`] or [`crate::model::FROM_READS`], of a stage that has been chosen.
    fn relation(&self, name: &str) -> Relation;
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Set(Set),
    Relation(Relation),
}

impl Value {
    fn set(&self) -> &Set {
        match self {
            Value::Set(set) => set,
            Value::Relation(_) => unreachable!("the checker gives sets where sets should be"),
        }
    }

    fn relation(&self) -> &Relation {
        match self {
            Value::Relation(relation) => relation,
            Value::Set(_) => unreachable!("the checker gives relations where relations should be"),
        }
    }
}

/// A check that an execution does not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure<'m> {
    pub check: &'m Check,
    /// Events that show it: a cycle, or the ends of a pair.
    pub events: Vec<usize>,
}

/// The values of a model's definitions, stage by stage.
pub struct Evaluation<'m> {
    model: &'m Model,
    values: Vec<Option<Value>>,
}

impl<'m> Evaluation<'m> {
    pub fn new(model: &'m Model) -> Evaluation<'m> {
        Evaluation { model, values: vec![None; model.nodes.len()] }
    }

    /// What the values on an execution of that many events take, in bytes, at most.
    pub fn bytes(&self, events: usize) -> u64 {
        let needed = self.model.nodes.iter().filter(|info| info.needed).count() as u64;
        let relation = (events as u64).saturating_mul(events.div_ceil(64) as u64).saturating_mul(8);
        needed.saturating_mul(relation)
    }

    /// Evaluates all that belongs to a stage, anew if it has been before. The stages before it stay as they are.
    pub fn advance(&mut self, stage: Stage, execution: &dyn Execution) {
        for index in 0..self.model.nodes.len() {
            let info = &self.model.nodes[index];
            if info.stage != stage || info.inside.is_some() || !info.needed {
                continue;
            }
            if let Op::Fix { group, index: 0 } = info.op {
                self.fixpoint(group, execution);
            }
            let value = self.value(Node::new(index), execution);
            self.values[index] = Some(value);
        }
    }

    /// The first check of that stage that forbids the execution.
    pub fn failure(&self, stage: Stage) -> Option<Failure<'m>> {
        self.failure_among(stage, &|_: &Check| true)
    }

    /// The same among some of the checks.
    pub fn failure_among(&self, stage: Stage, chosen: &dyn Fn(&Check) -> bool) -> Option<Failure<'m>> {
        let checks = self.model.checks.iter().filter(|check| check.stage == stage && !check.flag && chosen(check));
        checks.filter_map(|check| self.fails(check)).next()
    }

    /// The names of the flags that the execution raises, after all stages.
    pub fn flags(&self) -> Vec<&'m str> {
        let raised = self.model.checks.iter().filter(|check| check.flag && self.fails(check).is_none());
        raised.map(|check| check.name.as_str()).collect()
    }

    /// The flags that the execution raises, with the events that show it, after all stages.
    pub fn raised(&self) -> Vec<Failure<'m>> {
        let flags = self.model.checks.iter().filter(|check| check.flag && self.fails(check).is_none());
        flags.map(|check| Failure { check, events: self.shown_by(check).unwrap_or_default() }).collect()
    }

    fn fails(&self, check: &'m Check) -> Option<Failure<'m>> {
        match (self.shown_by(check), check.negated) {
            (Some(events), false) => Some(Failure { check, events }),
            (None, true) => Some(Failure { check, events: Vec::new() }),
            _ => None,
        }
    }

    /// Events that show that what a check tests does not hold, whether or not it is negated.
    fn shown_by(&self, check: &Check) -> Option<Vec<usize>> {
        let value = self.values[check.node.index()].as_ref().expect("what a check needs should have a value");
        match (check.test, value) {
            (Test::Acyclic, value) => value.relation().cycle(),
            (Test::Irreflexive, value) => {
                let relation = value.relation();
                (0..relation.events()).find(|&event| relation.has(event, event)).map(|event| vec![event])
            }
            (Test::Empty, Value::Set(set)) => set.members().next().map(|event| vec![event]),
            (Test::Empty, Value::Relation(relation)) => relation.pairs().next().map(|(a, b)| vec![a, b]),
        }
    }

    /// From the empty relations up, until nothing is added.
    fn fixpoint(&mut self, group: usize, execution: &dyn Execution) {
        let model = self.model;
        let group = &model.groups[group];
        for &variable in &group.variables {
            self.values[variable.index()] = Some(Value::Relation(Relation::empty(execution.events())));
        }
        loop {
            for &node in &group.inner {
                if !matches!(model.node(node).op, Op::Variable { .. }) {
                    self.values[node.index()] = Some(self.value(node, execution));
                }
            }
            let mut grew = false;
            for (variable, body) in group.variables.iter().zip(&group.bodies) {
                let value = self.values[body.index()].clone();
                grew |= value != self.values[variable.index()];
                self.values[variable.index()] = value;
            }
            if !grew {
                return;
            }
        }
    }

    fn of(&self, node: Node) -> &Value {
        self.values[node.index()].as_ref().expect("operands should come before what they are operands of")
    }

    fn value(&self, node: Node, execution: &dyn Execution) -> Value {
        let events = execution.events();
        let info = self.model.node(node);
        match &info.op {
            Op::Set(name) => Value::Set(execution.set(name)),
            Op::Relation(name) => Value::Relation(execution.relation(name)),
            Op::EmptySet => Value::Set(Set::empty(events)),
            Op::EmptyRelation => Value::Relation(Relation::empty(events)),
            Op::AllEvents => Value::Set(Set::all(events)),
            Op::Unary(Unary::Complement, inner) if info.ty == Type::Set => {
                Value::Set(self.of(*inner).set().complement())
            }
            Op::Unary(Unary::Identity, inner) => Value::Relation(self.of(*inner).set().identity()),
            Op::Unary(op, inner) => {
                let inner = self.of(*inner).relation();
                Value::Relation(match op {
                    Unary::Complement => inner.complement(),
                    Unary::Closure => inner.closure(),
                    Unary::ReflexiveClosure => inner.closure().reflexive(),
                    Unary::Reflexive => inner.reflexive(),
                    Unary::Inverse => inner.inverse(),
                    Unary::Identity => unreachable!("it is above"),
                })
            }
            Op::Domain(inner) => Value::Set(self.of(*inner).relation().domain()),
            Op::Range(inner) => Value::Set(self.of(*inner).relation().range()),
            Op::Binary(op, lhs, rhs) => binary(*op, self.of(*lhs), self.of(*rhs)),
            Op::Variable { .. } => unreachable!("a variable has its value from its group"),
            Op::Fix { group, index } => self.of(self.model.groups[*group].variables[*index]).clone(),
        }
    }
}

fn binary(op: Binary, lhs: &Value, rhs: &Value) -> Value {
    match (op, lhs, rhs) {
        (Binary::Product, ..) => Value::Relation(lhs.set().product(rhs.set())),
        (Binary::Compose, ..) => Value::Relation(lhs.relation().compose(rhs.relation())),
        (Binary::Union, Value::Set(a), _) => Value::Set(a.union(rhs.set())),
        (Binary::Intersection, Value::Set(a), _) => Value::Set(a.intersection(rhs.set())),
        (Binary::Difference, Value::Set(a), _) => Value::Set(a.difference(rhs.set())),
        (Binary::Union, Value::Relation(a), _) => Value::Relation(a.union(rhs.relation())),
        (Binary::Intersection, Value::Relation(a), _) => Value::Relation(a.intersection(rhs.relation())),
        (Binary::Difference, Value::Relation(a), _) => Value::Relation(a.difference(rhs.relation())),
    }
}

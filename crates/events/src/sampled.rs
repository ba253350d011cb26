//! Whether an execution of the machine is a model of the formula: what it read, in which order its nodes stand, and what follows.
//!
//! All is evaluated, nothing solved. The execution gives a value to each variable of the event list, a source to each
//! read, and a linear order of the nodes (those of events that are not executed stand where the fixed edges let them). These
//! are the inputs of the formula; every clause that the solver was given has to hold under them, and every edge that their
//! literals bring about has to go forwards, which is all that the theory asks for. So a guard that is too strong, a source that was left out, an order that
//! cannot be, a value that does not fit: each shows in some execution that touches it.
//!
//! Copies of threads are told apart by the order of their first steps only: the sampler keeps to it, as the formula does. Of an
//! execution that ends before its threads do (`exit`) only what has happened is looked at.

use crate::fixed_order::UnitKind;
use crate::order::Node;
use crate::pairs::Source;
use crate::question::Formulated;
use crate::schedule::linear_order;
use norn_follow::Followed;
use norn_logic::satisfied::{Assignment, Clauses, Violated};
use norn_logic::{Lit, Memo, Node as TermNode, Term};
use norn_symex::schedule::Move;
use norn_symex::{EventId, EventKind, EventRange, Symbolic, ThreadId};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

type Checked<T> = Result<T, String>;

impl Formulated {
    /// Threads that are copies of one another, as the formula orders their first steps.
    pub fn ordered_threads(&self) -> Vec<(ThreadId, ThreadId)> {
        let thread = |node: Node| self.fixed.threads.iter().position(|range| range.contains(&node));
        let pairs = self.ordered.iter().filter_map(|&(first, then)| Some((thread(first)?, thread(then)?)));
        pairs.map(|(first, then)| (ThreadId::new(first), ThreadId::new(then))).collect()
    }

    /// Why the execution is not a model, if it is none. Else how many clauses were left open, since they are about what has not
    /// happened.
    pub fn is_model(&self, symbolic: &Symbolic, clauses: &Clauses<'_>, followed: &Followed) -> Checked<usize> {
        let order = Order::new(self, symbolic, followed)?;
        if self.ordered.iter().any(|&(first, then)| order.is_swapped(first, then)) {
            return Ok(0);
        }
        let mut assignment = Assignment::default();
        let set = |assignment: &mut Assignment, literal: Lit, value: bool, what: &dyn Fn() -> String| {
            assignment.set(literal, value).map_err(|_| what())
        };
        self.set_variables(symbolic, followed, &mut assignment)?;
        for (read, sources) in &self.encoded.sources {
            if !followed.executed[read.index()] {
                if followed.is_complete && sources.len() > 1 {
                    for &(_, literal) in sources {
                        set(&mut assignment, literal, false, &|| format!("{read:?} has to read something"))?;
                    }
                }
                continue;
            }
            let source = followed.sources.get(read).copied().flatten().map_or(Source::Initial, Source::Write);
            if !sources.iter().any(|&(other, _)| other == source) {
                return Err(format!("{read:?} reads from {source:?}, which is not among its sources {sources:?}"));
            }
            for &(other, literal) in sources {
                let what = || format!("{read:?} cannot read from {source:?}");
                set(&mut assignment, literal, other == source, &what)?;
            }
        }
        if let Some(event) = self.unknown_read(symbolic, followed) {
            return Err(format!("{event:?} is read, but not in the formula"));
        }
        for &(first, then, literal) in &self.orders {
            if order.is_known(first) && order.is_known(then) {
                let value = order.is_before(first, then);
                set(&mut assignment, literal, value, &|| format!("{first:?} and {then:?} have another order"))?;
            }
        }
        if let Some(clocks) = &self.clocks {
            if !followed.is_complete {
                return Ok(clauses.len());
            }
            for (literal, value) in clocks.at(&order.places) {
                set(&mut assignment, literal, value, &|| "a clock has another time".to_owned())?;
            }
        }
        for literal in [self.undefined, self.halved, self.excluded, self.race] {
            set(&mut assignment, literal, false, &|| {
                "something undefined or assumed not to happen, half a section or a race is met".to_owned()
            })?;
        }
        let open = clauses.extend(&mut assignment).map_err(|violated| match violated {
            Violated::Literal(literal) => format!("literal {literal:?} has to be true and false"),
            Violated::Clause(clause) => format!("the clause {clause:?} does not hold"),
        })?;
        self.goes_forwards(&assignment, &order)?;
        Ok(open)
    }

    fn set_variables(&self, symbolic: &Symbolic, followed: &Followed, assignment: &mut Assignment) -> Checked<()> {
        let terms = &symbolic.terms;
        let mut give = |variable: Term, value: u64| {
            for (bit, &literal) in self.blaster.variable_lits(terms, variable).iter().enumerate() {
                let set = assignment.set(literal, value >> bit & 1 == 1);
                set.map_err(|_| format!("{} cannot be {value}", symbolic.show(variable)))?;
            }
            Ok::<(), String>(())
        };
        for (&variable, &value) in &followed.values {
            give(variable, value)?;
        }
        if followed.is_complete {
            // Who has not gone on waits for ever.
            let variables = (0..terms.len()).map(|index| terms.at(index));
            let waits =
                variables.filter(|&term| matches!(terms.node(term), TermNode::Variable(_)) && terms.is_bool(term));
            // What is not executed may read anything, and inputs that nobody asks for may be anything.
            let reads = symbolic.event_ids().filter(|id| !self.encoded.defined.contains(id));
            let read = reads.filter_map(|id| match symbolic.event(id).kind {
                EventKind::Read { value, .. } if !followed.executed[id.index()] => Some(value),
                _ => None,
            });
            let asked = symbolic.threads.iter().flat_map(|thread| thread.inputs.iter().map(|input| input.value));
            let is_variable = |term: &Term| matches!(terms.node(*term), TermNode::Variable(_));
            let open: Vec<Term> = waits.chain(read).chain(asked).filter(is_variable).collect();
            for variable in open.into_iter().filter(|variable| !followed.values.contains_key(variable)) {
                give(variable, 0)?;
            }
        }
        Ok(())
    }

    /// A read that was executed and that the formula does not know.
    fn unknown_read(&self, symbolic: &Symbolic, followed: &Followed) -> Option<EventId> {
        let known: BTreeSet<EventId> = self.encoded.sources.iter().map(|(read, _)| *read).collect();
        followed
            .sources
            .keys()
            .copied()
            .find(|read| !known.contains(read) && symbolic.event(*read).guard != Term::FALSE)
    }

    /// Every edge whose literal holds.
    fn goes_forwards(&self, assignment: &Assignment, order: &Order) -> Checked<()> {
        let holds = |literal: Lit| assignment.holds(literal);
        let labelled = self.edges.iter().filter(|edge| holds(edge.label)).map(|edge| (edge.from, edge.to));
        let derived = self.from_reads.edges(self.blaster.truth(), &holds);
        match labelled.chain(derived).find(|&(from, to)| order.is_swapped(from, to) || from == to) {
            Some((from, to)) => Err(format!("{from:?} comes after {to:?}, which the formula forbids")),
            None => Ok(()),
        }
    }
}

/// Where the nodes stand.
struct Order {
    places: Vec<u32>,
    /// By node: the execution says where it stands, or, if it is complete, it may stand anywhere that the fixed edges allow.
    is_known: Vec<bool>,
}

impl Order {
    fn new(formula: &Formulated, symbolic: &Symbolic, followed: &Followed) -> Checked<Order> {
        let fixed = &formula.fixed;
        let count = fixed.skeleton.node_count();
        let mut buffered = vec![false; count];
        for unit in fixed.units.iter().flatten() {
            if let (Some(node), true) = (unit.node, unit.buffered) {
                let events = match unit.what {
                    UnitKind::Event(event) => EventRange::one(event),
                    UnitKind::Section(section) => symbolic.section(section).events,
                };
                buffered[node.index()] = events.into_iter().any(|event| followed.executed[event.index()]);
            }
        }
        let mut placed = Vec::new();
        let mut is_placed = vec![false; count];
        for &next in &followed.moves {
            let (event, is_commit) = match next {
                Move::Run(event) => (event, false),
                Move::Commit(event) => (event, true),
                Move::RunSection(_) => continue,
            };
            let Some(node) = fixed.nodes[event.index()] else { continue };
            let is_here = is_commit == buffered[node.index()];
            if is_here && !std::mem::replace(&mut is_placed[node.index()], true) {
                placed.push(node);
            }
        }
        let mut memo = Memo::default();
        let value = |variable: Term| followed.values.get(&variable).copied().unwrap_or(0);
        let mut holds = |term: Term| symbolic.terms.holds(term, &mut memo, &value);
        let conditional = fixed.conditional.iter().filter(|edge| holds(edge.2)).map(|&(from, to, _)| (from, to));
        let mut edges: Vec<(Node, Node)> = conditional.collect();
        edges.extend(fixed.skeleton.edges().iter().copied().filter(|edge| !formula.ordered.contains(edge)));
        edges.extend(placed.windows(2).map(|pair| (pair[0], pair[1])));
        let order = linear_order(count, &edges, &fixed.threads)
            .ok_or_else(|| "the order of program, fences and joins contradicts that of the execution".to_owned())?;
        let mut places = vec![0; count];
        for (place, node) in (0..).zip(&order) {
            places[node.index()] = place;
        }
        let is_known = is_placed.into_iter().map(|is_placed| is_placed || followed.is_complete).collect();
        Ok(Order { places, is_known })
    }

    fn is_known(&self, node: Node) -> bool {
        self.is_known[node.index()]
    }

    fn is_before(&self, first: Node, then: Node) -> bool {
        self.places[first.index()] < self.places[then.index()]
    }

    /// The second is known to come first.
    fn is_swapped(&self, first: Node, then: Node) -> bool {
        self.is_known(first) && self.is_known(then) && self.is_before(then, first)
    }
}

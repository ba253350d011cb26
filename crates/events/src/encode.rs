//! The axioms as clauses: who reads from whom, and what that says about the order.
//!
//! For each read and each write that it may read from there is a literal X(r,w), and each executed read has one. It
//! implies that both are to the same cell and executed, that the values agree, and, if the write is another
//! thread's, that it comes before the read. For every other write w' to that cell that is executed, either w' comes before w
//! or the read before w': `co` and `fr` in one clause. For an own earlier w' the latter cannot be, whether or not w' has
//! left the store buffer: so a read never looks past the own thread's last write. (Per cell, `po-loc` and `rf`, `co`, `fr`
//! then have no cycle without the global order having one, so that one graph is enough.)
//!
//! A read with one source that always comes before it has that source's value: its variable stands for the written term,
//! without clauses. (Such definitions are not circular. What is written depends on reads that come before the write in its
//! thread, which come before the defined read in the order of nodes, or in the thread; and that order has no cycle.) Where a
//! read that takes its value from w certainly has to come before w', the literal of the pair labels that edge.
//!
//! How two nodes are ordered is a literal too. Where it comes from is the encoding's choice ([`Orders`]): order variables
//! whose cycles a propagator forbids, or clocks.

use crate::fixed_order::FixedOrder;
use crate::from_reads::{FromRead, FromReads, Rival};
use crate::order::Node;
use crate::pairs::{Facts, Fixed, Pairs, Read, Source, initial_value};
use norn_logic::{Blaster, ClauseSink, Lit, Term};
use norn_symex::{CellId, Condition, EventId, EventKind, ObjectId, Symbolic};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::pace::Pace;
use std::collections::{BTreeMap, BTreeSet};

/// The clauses of a formula, with what is constant taken out.
pub struct Formula<'a, S: ClauseSink> {
    pub blaster: &'a mut Blaster<S>,
    pub truth: Lit,
}

impl<'a, S: ClauseSink> Formula<'a, S> {
    pub fn new(blaster: &'a mut Blaster<S>) -> Formula<'a, S> {
        let truth = blaster.truth();
        Formula { blaster, truth }
    }

    pub fn lit(&mut self, symbolic: &Symbolic, term: Term) -> Lit {
        self.blaster.lit(&symbolic.terms, term)
    }

    pub fn fresh(&mut self) -> Lit {
        self.blaster.sink_mut().new_var()
    }

    pub fn clause(&mut self, literals: &[Lit]) {
        if literals.contains(&self.truth) {
            return;
        }
        let open: Vec<Lit> = literals.iter().copied().filter(|&literal| literal != !self.truth).collect();
        self.blaster.sink_mut().clause(&open);
    }

    /// A literal that holds iff both do.
    pub fn both(&mut self, a: Lit, b: Lit) -> Lit {
        self.blaster.both(a, b)
    }
}

/// Where literals about the order come from.
pub trait Orders<S: ClauseSink> {
    /// A literal that decides which of two nodes comes first. It may be asked for more than once.
    fn decided(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit;
    /// A literal that implies that the first node comes before the second; false is always allowed.
    fn implied(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit;
    /// If the condition holds, the first node comes before the second.
    fn order_if(&mut self, formula: &mut Formula<'_, S>, condition: Lit, first: Node, second: Node);
}

/// What became of the events, as literals.
#[derive(Default)]
pub struct Encoded {
    /// For each read its sources.
    pub sources: Vec<(EventId, Vec<(Source, Lit)>)>,
    /// By check: it is violated.
    pub checks: Vec<Lit>,
    /// By cut: it is reached.
    pub cuts: Vec<Lit>,
    pub marks: Vec<Lit>,
    /// What is left to the theory.
    pub from_reads: FromReads,
    /// Reads whose values stand for what was written.
    pub defined: BTreeSet<EventId>,
}

/// What is encoded.
pub struct Encoding<'a, S: ClauseSink> {
    pub symbolic: &'a mut Symbolic,
    pub fixed: &'a FixedOrder,
    pub facts: Facts<'a>,
    pub pairs: &'a Pairs,
    pub orders: &'a mut dyn Orders<S>,
    /// Leave to the theory what reads say about the order of other writes, instead of a clause for each read, source and
    /// other write.
    pub derive: bool,
    pub encoded: Encoded,
}

impl<S: ClauseSink> Encoding<'_, S> {
    pub fn all(&mut self, formula: &mut Formula<'_, S>, limits: &Limits) -> Result<(), Exceeded> {
        let mut pace = Pace::by_clock();
        self.define_reads(formula);
        for constraint in self.symbolic.constraints.clone() {
            pace.look(limits)?;
            formula.blaster.assert(&self.symbolic.terms, constraint);
        }
        for &(from, to, condition) in &self.fixed.conditional {
            let condition = formula.lit(self.symbolic, condition);
            self.orders.order_if(formula, condition, from, to);
        }
        // Which pairs of writes need an order has to be known before reads are ordered with writes.
        if self.derive {
            self.decide_all_writes(formula, limits)?;
        }
        for read in &self.pairs.reads {
            pace.look(limits)?;
            if !self.derive {
                self.decide_writes(formula, read);
            }
        }
        for read in &self.pairs.reads {
            pace.look(limits)?;
            self.read(formula, read);
        }
        self.checks(formula, limits)
    }

    /// Reads that have their value from one certain place. To be done before anything is translated.
    fn define_reads(&mut self, formula: &mut Formula<'_, S>) {
        if self.facts.graph.is_none() {
            return;
        }
        for read in &self.pairs.reads {
            let &[(source, _)] = &read.sources[..] else { continue };
            let EventKind::Read { value, .. } = self.symbolic.event(read.event).kind else { continue };
            if !matches!(self.symbolic.terms.node(value), norn_logic::Node::Variable(_)) {
                continue;
            }
            let is_earlier = match source {
                Source::Initial => true,
                Source::Write(write) => self.facts.read_write(self.symbolic, read.event, write) == Fixed::After,
            };
            if is_earlier {
                let written = self.written(read.event, source);
                formula.blaster.define(&self.symbolic.terms, value, written);
                self.encoded.defined.insert(read.event);
            }
        }
    }

    /// What a read gets from a source.
    fn written(&mut self, read: EventId, source: Source) -> Term {
        match source {
            Source::Initial => initial_value(self.symbolic, read),
            Source::Write(write) => {
                let EventKind::Write { value, .. } = self.symbolic.event(write).kind else {
                    unreachable!("only writes are sources")
                };
                value
            }
        }
    }

    /// Every two writes of different threads to one cell that some read could see: not cell by cell and read by read.
    fn decide_all_writes(&mut self, formula: &mut Formula<'_, S>, limits: &Limits) -> Result<(), Exceeded> {
        self.encoded.from_reads.threads = self.symbolic.events.iter().map(|event| event.thread).collect();
        let mut writes: BTreeMap<CellId, BTreeSet<EventId>> = BTreeMap::new();
        for read in &self.pairs.reads {
            for &(cell, _) in self.symbolic.event(read.event).targets() {
                let touching =
                    |write: &EventId| self.symbolic.event(*write).targets().iter().any(|&(other, _)| other == cell);
                writes.entry(cell).or_default().extend(read.rivals.iter().map(|rival| rival.0).filter(touching));
            }
        }
        let mut pace = Pace::by_clock();
        for list in writes.values().flat_map(|list| list.iter().map(move |a| (a, list))) {
            pace.look(limits)?;
            let (&a, list) = list;
            for &b in list.range(a..) {
                if self.symbolic.event(a).thread == self.symbolic.event(b).thread {
                    continue;
                }
                let order = match self.facts.writes(self.symbolic, a, b) {
                    Fixed::Before => formula.truth,
                    Fixed::After => !formula.truth,
                    Fixed::Open => self.orders.decided(formula, self.fixed.node(a), self.fixed.node(b)),
                };
                self.encoded.from_reads.orders.insert((a, b), order);
                self.encoded.from_reads.orders.insert((b, a), !order);
            }
        }
        Ok(())
    }

    fn decide_writes(&mut self, formula: &mut Formula<'_, S>, read: &Read) {
        for &(source, _) in &read.sources {
            let Source::Write(write) = source else { continue };
            for &(rival, _) in &read.rivals {
                if rival != write && self.facts.writes(self.symbolic, rival, write) == Fixed::Open {
                    self.orders.decided(formula, self.fixed.node(rival), self.fixed.node(write));
                }
            }
        }
    }

    fn read(&mut self, formula: &mut Formula<'_, S>, read: &Read) {
        let event = self.symbolic.event(read.event);
        let EventKind::Read { value, .. } = event.kind else { unreachable!("only reads have sources") };
        let (thread, guard) = (event.thread, event.guard);
        let executed = formula.lit(self.symbolic, guard);
        let node = self.fixed.node(read.event);
        let literals: Vec<Lit> = match read.sources.len() {
            1 => vec![executed],
            n => (0..n).map(|_| formula.fresh()).collect(),
        };
        if literals[..] != [executed] {
            let mut some = vec![!executed];
            some.extend(&literals);
            formula.clause(&some);
            self.at_most_one(formula, &literals);
        }
        // What is left to the theory needs no clause.
        let is_clause = |&&(rival, _): &&(EventId, Term)| {
            !self.derive || self.facts.read_write(self.symbolic, read.event, rival) != Fixed::Open
        };
        let rivals: Vec<(EventId, Term)> = read.rivals.iter().filter(is_clause).copied().collect();
        for (&(source, same), &literal) in read.sources.iter().zip(&literals) {
            if literal != executed {
                formula.clause(&[!literal, executed]);
            }
            if let Source::Write(write) = source {
                let (writer, happens) = (self.symbolic.event(write).thread, self.symbolic.event(write).guard);
                let happens = formula.lit(self.symbolic, happens);
                formula.clause(&[!literal, happens]);
                let same = formula.lit(self.symbolic, same);
                formula.clause(&[!literal, same]);
                if writer != thread {
                    self.orders.order_if(formula, literal, self.fixed.node(write), node);
                }
            }
            if self.encoded.defined.contains(&read.event) {
                formula.blaster.mention(&self.symbolic.terms, value);
            } else {
                let written = self.written(read.event, source);
                formula.blaster.equal_if(&self.symbolic.terms, &[literal], value, written);
            }
            self.no_write_between(formula, (read.event, &rivals), source, literal);
        }
        if self.derive {
            self.leave_to_theory(formula, read, &literals);
        }
        let sources = read.sources.iter().map(|&(source, _)| source).zip(literals).collect();
        self.encoded.sources.push((read.event, sources));
    }

    /// Follows from the order; for few sources it is worth saying.
    fn at_most_one(&mut self, formula: &mut Formula<'_, S>, literals: &[Lit]) {
        const FEW: usize = 8;
        if literals.len() > FEW {
            return;
        }
        for (i, &a) in literals.iter().enumerate() {
            for &b in &literals[i + 1..] {
                formula.clause(&[!a, !b]);
            }
        }
    }

    fn leave_to_theory(&mut self, formula: &mut Formula<'_, S>, read: &Read, literals: &[Lit]) {
        let mut rivals = Vec::new();
        for &(write, meets) in &read.rivals {
            if self.facts.read_write(self.symbolic, read.event, write) == Fixed::Open {
                let happens = formula.lit(self.symbolic, meets);
                rivals.push(Rival { write, node: self.fixed.node(write), happens });
            }
        }
        let mut sources = Vec::new();
        for (&(source, _), &literal) in read.sources.iter().zip(literals) {
            let Source::Write(write) = source else {
                sources.push((None, literal));
                continue;
            };
            sources.push((Some(write), literal));
        }
        self.encoded.from_reads.reads.push(FromRead { node: self.fixed.node(read.event), sources, rivals });
    }

    /// If the read takes this source, every other write to the cell comes before the source or after the read.
    fn no_write_between(
        &mut self,
        formula: &mut Formula<'_, S>,
        (read, rivals): (EventId, &[(EventId, Term)]),
        source: Source,
        literal: Lit,
    ) {
        let node = self.fixed.node(read);
        // Behind a write that is certainly to this cell, later ones of the same thread need no clause.
        let mut settled = None;
        for &(rival, meets) in rivals {
            if source == Source::Write(rival) {
                continue;
            }
            let thread = self.symbolic.event(rival).thread;
            let order = match source {
                Source::Initial => Fixed::After,
                Source::Write(write) => self.facts.writes(self.symbolic, rival, write),
            };
            let earlier = match (order, source) {
                (Fixed::Before, _) => continue,
                (Fixed::Open, Source::Write(write)) => {
                    self.orders.decided(formula, self.fixed.node(rival), self.fixed.node(write))
                }
                _ => !formula.truth,
            };
            if earlier == !formula.truth && settled == Some(thread) {
                continue;
            }
            let is_certain = earlier == !formula.truth && meets == Term::TRUE;
            let later = match self.facts.read_write(self.symbolic, read, rival) {
                Fixed::Before => continue,
                Fixed::After => !formula.truth,
                Fixed::Open if is_certain => {
                    self.orders.order_if(formula, literal, node, self.fixed.node(rival));
                    settled = Some(thread);
                    continue;
                }
                Fixed::Open => self.orders.implied(formula, node, self.fixed.node(rival)),
            };
            let happens = formula.lit(self.symbolic, meets);
            formula.clause(&[!literal, !happens, earlier, later]);
        }
    }

    /// Whether an event that is executed ends the life of an object.
    fn ends(&mut self, event: EventId, object: ObjectId) -> Term {
        let EventKind::EndLife(ended) = &self.symbolic.events[event.index()].kind else { return Term::FALSE };
        let conditions: Vec<Term> = ended.iter().filter(|ended| ended.0 == object).map(|ended| ended.1).collect();
        self.symbolic.terms.any(conditions)
    }

    fn checks(&mut self, formula: &mut Formula<'_, S>, limits: &Limits) -> Result<(), Exceeded> {
        let mut pace = Pace::by_clock();
        for i in 0..self.symbolic.checks.len() {
            pace.look(limits)?;
            let literal = match self.symbolic.checks[i].violated {
                Condition::Term(term) => formula.lit(self.symbolic, term),
                Condition::AfterEnd { access, end, object } => {
                    let mut touches = Term::FALSE;
                    for (cell, condition) in self.symbolic.event(access).targets().to_vec() {
                        if self.symbolic.cell(cell).object == object {
                            touches = self.symbolic.terms.or(touches, condition);
                        }
                    }
                    // To end a life twice is wrong too.
                    let again = self.ends(access, object);
                    let touches = self.symbolic.terms.or(touches, again);
                    let ends = self.ends(end, object);
                    let guards = [self.symbolic.event(access).guard, self.symbolic.event(end).guard];
                    let both = self.symbolic.terms.all([guards[0], guards[1], touches, ends]);
                    let both = formula.lit(self.symbolic, both);
                    let (end, access) = (self.fixed.node(end), self.fixed.node(access));
                    let ended = match self.facts.nodes(end, access) {
                        Fixed::Before => formula.truth,
                        Fixed::After => !formula.truth,
                        Fixed::Open => self.orders.decided(formula, end, access),
                    };
                    formula.both(both, ended)
                }
            };
            self.encoded.checks.push(literal);
        }
        for cut in self.symbolic.cuts.clone() {
            pace.look(limits)?;
            let literal = formula.lit(self.symbolic, cut.guard);
            self.encoded.cuts.push(literal);
        }
        for mark in self.symbolic.marks.clone() {
            pace.look(limits)?;
            let literal = formula.lit(self.symbolic, mark.guard);
            self.encoded.marks.push(literal);
        }
        Ok(())
    }
}

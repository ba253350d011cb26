//! Threads that are copies of one another: of their executions that differ in who does what, one is enough.
//!
//! Let threads t1, t2, … be created by one thread in this order and do the same things, with the same arguments, and let
//! nobody else tell them apart (nobody waits for them or looks at their numbers). Then it may be assumed that their first
//! steps come in the order of their creation. For take any execution and number the threads by the order of their first
//! steps instead, those without a step last: everything is as it was, but who was created when. The thread that now has
//! number k took its first step when k of them had taken theirs, so when k had been created; the k-th creation comes
//! before that step, and so before all its steps. (Not so for data races: whom a creation comes before matters to them, since
//! what the creator did before it happens before all that the new thread does.)
//!
//! That the threads do the same is checked, not assumed: their events, inputs, checks and cuts are compared one by one,
//! with the variables of one thread in the place of those of the other; the constraints must come in such pairs, and
//! nothing else may mention these variables. What cannot be seen to be the same is taken as different.

use crate::fixed_order::{FixedOrder, Unit, UnitKind, implies};
use crate::order::Node;
use norn_logic::{Node as TermNode, Term, Terms};
use norn_symex::{Condition, Event, EventId, EventKind, Section, Symbolic, ThreadId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Nodes of which the first comes before the second in the executions that are left.
pub fn first_steps(symbolic: &mut Symbolic, fixed: &FixedOrder) -> Vec<(Node, Node)> {
    let mut groups: BTreeMap<(ThreadId, norn_ir::ids::FuncId), Vec<(EventId, ThreadId)>> = BTreeMap::new();
    for id in ThreadId::all(symbolic.threads.len()).skip(1) {
        let thread = symbolic.thread(id);
        if let (Some((creator, event)), Term::TRUE) = (thread.creator, thread.start) {
            let is_single = matches!(&symbolic.event(event).kind, EventKind::Create(created) if created.len() == 1);
            if is_single && symbolic.event(event).guard == Term::TRUE {
                groups.entry((creator, thread.function)).or_default().push((event, id));
            }
        }
    }
    let mut ordered = Vec::new();
    for mut group in groups.into_values() {
        group.sort_unstable();
        for pair in group.windows(2) {
            let [(_, a), (_, b)] = *pair else { continue };
            if is_copy(symbolic, a, b)
                && let (Some(first), Some(second)) = (first_step(symbolic, fixed, a), first_step(symbolic, fixed, b))
            {
                ordered.push((first, second));
            }
        }
    }
    ordered
}

/// The place of a thread's first step, if that comes before all its other steps and is taken if any of them is.
fn first_step(symbolic: &mut Symbolic, fixed: &FixedOrder, thread: ThreadId) -> Option<Node> {
    let units = &fixed.units[thread.0 as usize];
    let &Unit { what, node, buffered } = units.iter().find(|unit| unit.node.is_some())?;
    let guard = match what {
        UnitKind::Event(event) => symbolic.event(event).guard,
        UnitKind::Section(section) => symbolic.section(section).guard,
    };
    let Symbolic { terms, events, threads, .. } = symbolic;
    let mut own = threads[thread.index()].events.into_iter();
    let is_first = own.all(|event| implies(terms, events[event.index()].guard, guard));
    node.filter(|_| !buffered && is_first)
}

/// Whether two threads do the same, and nobody can tell them apart.
fn is_copy(symbolic: &Symbolic, a: ThreadId, b: ThreadId) -> bool {
    let (one, other) = (Parts::of(symbolic, a), Parts::of(symbolic, b));
    let terms = &symbolic.terms;
    let (of_one, of_other) = (terms.variables(one.roots()), terms.variables(other.roots()));
    let without = |all: &[Term], others: &[Term]| -> Vec<Term> {
        all.iter().copied().filter(|variable| others.binary_search(variable).is_err()).collect()
    };
    let (from, to) = (without(&of_one, &of_other), without(&of_other, &of_one));
    if from.len() != to.len() {
        return false;
    }
    let mut renaming = Renaming::new(terms, &from, &to);
    one.same(&other, &mut renaming) && others_do_not_tell(symbolic, [a, b], &mut renaming)
}

/// Whether constraints come in pairs and nothing else mentions the variables of either.
fn others_do_not_tell(symbolic: &Symbolic, pair: [ThreadId; 2], renaming: &mut Renaming<'_>) -> bool {
    let mut constraints = [Vec::new(), Vec::new()];
    for &constraint in &symbolic.constraints {
        match renaming.mentions(constraint) {
            [false, false] => {}
            [true, false] => constraints[0].push(constraint),
            [false, true] => constraints[1].push(constraint),
            [true, true] => return false,
        }
    }
    let [ours, theirs] = constraints;
    if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(|(&a, &b)| renaming.same(a, b)) {
        return false;
    }
    let others = ThreadId::all(symbolic.threads.len()).filter(|thread| !pair.contains(thread));
    let mut roots: Vec<Term> = others.flat_map(|thread| Parts::of(symbolic, thread).roots()).collect();
    roots.extend(symbolic.cells.iter().map(|cell| cell.initial));
    roots.extend(symbolic.threads.iter().flat_map(|thread| [thread.start, thread.number]));
    roots.extend(symbolic.joined.iter().map(|&(_, result)| result));
    let waits_for_them = |event: &Event| match &event.kind {
        EventKind::Join(joined) => joined.iter().any(|(thread, _)| pair.contains(thread)),
        _ => false,
    };
    roots.into_iter().all(|root| renaming.mentions(root) == [false, false])
        && !symbolic.events.iter().any(waits_for_them)
        && !symbolic.checks.iter().any(|check| match check.violated {
            Condition::Term(_) => false,
            // It is about two threads.
            Condition::AfterEnd { access, end, .. } => {
                [access, end].into_iter().any(|event| pair.contains(&symbolic.event(event).thread))
            }
        })
}

/// All that belongs to a thread.
struct Parts<'a> {
    symbolic: &'a Symbolic,
    thread: ThreadId,
    start: EventId,
    sections: Vec<&'a Section>,
}

impl<'a> Parts<'a> {
    fn of(symbolic: &'a Symbolic, thread: ThreadId) -> Parts<'a> {
        let sections = symbolic.sections.iter().filter(|section| section.thread == thread).collect();
        Parts { symbolic, thread, start: symbolic.thread(thread).events.start, sections }
    }

    /// The place of an event among those of the thread.
    fn place(&self, event: EventId) -> usize {
        event.index() - self.start.index()
    }

    fn events(&self) -> &'a [Event] {
        let range = &self.symbolic.thread(self.thread).events;
        &self.symbolic.events[range.indices()]
    }

    fn roots(&self) -> Vec<Term> {
        let mut roots = Vec::new();
        for event in self.events() {
            roots.push(event.guard);
            roots.extend(event.targets().iter().map(|target| target.1));
            match &event.kind {
                EventKind::Read { value, .. } | EventKind::Write { value, .. } => roots.push(*value),
                EventKind::Create(list) | EventKind::Join(list) => roots.extend(list.iter().map(|entry| entry.1)),
                EventKind::EndLife(list) => roots.extend(list.iter().map(|entry| entry.1)),
                EventKind::Fence(_) | EventKind::Step => {}
            }
        }
        roots.extend(self.sections.iter().map(|section| section.guard));
        roots.extend(self.symbolic.thread(self.thread).inputs.iter().flat_map(|input| [input.guard, input.value]));
        roots.extend(self.violations().map(|(_, _, violated)| violated));
        roots.extend(self.symbolic.cuts.iter().filter(|cut| cut.thread == self.thread).map(|cut| cut.guard));
        roots
    }

    /// Checks of conditions: what, where, and the condition.
    fn violations(&self) -> impl Iterator<Item = (&'a norn_symex::Finding, usize, Term)> + '_ {
        let own = self.symbolic.checks.iter().filter(|check| check.thread == self.thread);
        own.filter_map(|check| match check.violated {
            Condition::Term(term) => Some((&check.what, self.place(check.position), term)),
            Condition::AfterEnd { .. } => None,
        })
    }

    fn same(&self, other: &Parts<'_>, renaming: &mut Renaming<'_>) -> bool {
        self.events().len() == other.events().len()
            && self.events().iter().zip(other.events()).all(|(a, b)| self.same_event(a, other, b, renaming))
            && self.sections.len() == other.sections.len()
            && self.sections.iter().zip(&other.sections).all(|(a, b)| {
                let places = (self.place(a.events.start), self.place(a.events.end));
                let same_place = places == (other.place(b.events.start), other.place(b.events.end));
                a.kind == b.kind && same_place && renaming.same(a.guard, b.guard)
            })
            && self.same_rest(other, renaming)
    }

    fn same_event(&self, a: &Event, other: &Parts<'_>, b: &Event, renaming: &mut Renaming<'_>) -> bool {
        let number = |parts: &Parts<'_>, event: &Event| {
            let own = |section: norn_symex::SectionId| {
                parts.sections.iter().position(|own| std::ptr::eq(*own, parts.symbolic.section(section)))
            };
            event.section.map(own)
        };
        let same_kind = match (&a.kind, &b.kind) {
            (EventKind::Read { value: v, access: x, .. }, EventKind::Read { value: w, access: y, .. })
            | (EventKind::Write { value: v, access: x, .. }, EventKind::Write { value: w, access: y, .. }) => {
                x == y && renaming.same(*v, *w)
            }
            (EventKind::Fence(x), EventKind::Fence(y)) => x == y,
            (EventKind::Step, EventKind::Step) => true,
            _ => false,
        };
        let targets = (a.targets(), b.targets());
        same_kind
            && targets.0.len() == targets.1.len()
            && targets.0.iter().zip(targets.1).all(|(x, y)| x.0 == y.0 && renaming.same(x.1, y.1))
            && a.visible == b.visible
            && number(self, a) == number(other, b)
            && renaming.same(a.guard, b.guard)
    }

    fn same_rest(&self, other: &Parts<'_>, renaming: &mut Renaming<'_>) -> bool {
        let inputs = [self, other].map(|parts| &parts.symbolic.thread(parts.thread).inputs);
        let same_inputs = inputs[0].len() == inputs[1].len()
            && inputs[0].iter().zip(inputs[1]).all(|(a, b)| {
                let same_place = self.place(a.position) == other.place(b.position);
                same_place && renaming.same(a.guard, b.guard) && renaming.same(a.value, b.value)
            });
        let checks = (self.violations().collect::<Vec<_>>(), other.violations().collect::<Vec<_>>());
        let same_checks = checks.0.len() == checks.1.len()
            && checks.0.iter().zip(&checks.1).all(|(a, b)| a.0 == b.0 && a.1 == b.1 && renaming.same(a.2, b.2));
        let cuts = [self, other].map(|parts| {
            let own = parts.symbolic.cuts.iter().filter(|cut| cut.thread == parts.thread);
            own.map(|cut| ((cut.span, cut.bound, parts.place(cut.position)), cut.guard)).collect::<Vec<_>>()
        });
        let same_cuts = cuts[0].len() == cuts[1].len()
            && cuts[0].iter().zip(&cuts[1]).all(|(a, b)| a.0 == b.0 && renaming.same(a.1, b.1));
        same_inputs && same_checks && same_cuts
    }
}

/// The variables of one thread in the place of another's.
struct Renaming<'a> {
    terms: &'a Terms,
    renamed: FxHashMap<Term, Term>,
    /// By node: whether it mentions variables of the first, of the second.
    mentions: Vec<[bool; 2]>,
    known: FxHashMap<(Term, Term), bool>,
    /// Comparisons that are left.
    left: usize,
}

impl<'a> Renaming<'a> {
    fn new(terms: &'a Terms, from: &[Term], to: &[Term]) -> Renaming<'a> {
        let mut mentions = vec![[false; 2]; terms.len()];
        from.iter().for_each(|variable| mentions[variable.index()][0] = true);
        to.iter().for_each(|variable| mentions[variable.index()][1] = true);
        // What a term is made of has smaller numbers.
        for index in 0..terms.len() {
            for operand in terms.node(terms.at(index)).operands() {
                let of_operand = mentions[operand.index()];
                let own = &mut mentions[index];
                *own = [own[0] | of_operand[0], own[1] | of_operand[1]];
            }
        }
        let renamed = from.iter().copied().zip(to.iter().copied()).collect();
        Renaming { terms, renamed, mentions, known: FxHashMap::default(), left: 4 * terms.len() }
    }

    fn mentions(&self, term: Term) -> [bool; 2] {
        self.mentions[term.index()]
    }

    /// Whether the first term, renamed, is the second.
    fn same(&mut self, a: Term, b: Term) -> bool {
        const DEEPEST: u32 = 400;
        self.same_within(a, b, DEEPEST)
    }

    fn same_within(&mut self, a: Term, b: Term, depth: u32) -> bool {
        if self.mentions(a) == [false; 2] && self.mentions(b) == [false; 2] {
            return a == b;
        }
        if a.is_negated() != b.is_negated() || self.terms.sort(a) != self.terms.sort(b) {
            return false;
        }
        let (a, b) = (a.positive(), b.positive());
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        if depth == 0 || self.left == 0 {
            return false;
        }
        self.left -= 1;
        let (x, y) = (self.terms.node(a), self.terms.node(b));
        let same = match (x, y) {
            (TermNode::Variable(_), _) => self.renamed.get(&a) == Some(&b),
            _ if std::mem::discriminant(&x) != std::mem::discriminant(&y) => false,
            (TermNode::Extract(_, i), TermNode::Extract(_, j)) if i != j => false,
            (TermNode::Float(i, ..), TermNode::Float(j, ..)) if i != j => false,
            (TermNode::Convert(i, _), TermNode::Convert(j, _)) if i != j => false,
            _ => {
                let (ours, theirs): (Vec<Term>, Vec<Term>) = (x.operands().collect(), y.operands().collect());
                let mut all = |theirs: &mut dyn Iterator<Item = &Term>| {
                    ours.iter().zip(theirs).all(|(&a, &b)| self.same_within(a, b, depth - 1))
                };
                all(&mut theirs.iter()) || (is_commutative(x) && all(&mut theirs.iter().rev()))
            }
        };
        self.known.insert((a, b), same);
        same
    }
}

fn is_commutative(node: TermNode) -> bool {
    use TermNode::{Add, And, BitAnd, BitOr, BitXor, Eq, Mul, Xor};
    matches!(node, And(..) | Xor(..) | Eq(..) | Add(..) | Mul(..) | BitAnd(..) | BitOr(..) | BitXor(..))
}

//! The search for an execution that a witness describes.
//!
//! A configuration is a state of the machine, a node of the witness, whom its names mean, and what threads have come to since
//! their last visible steps. Those that are furthest along in the witness are looked at first, by turns the newest of them and the
//! one that has come there with the fewest steps: a witness that tells much is followed at once, and one that tells little is
//! completed in depth as in breadth.

use crate::evaluate::Context;
use crate::guards::Guards;
use crate::watch::{Seen, Watch};
use crate::{Given, Question};
use norn_ir::address::NOWHERE;
use norn_ir::instr::NondetSource;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_machine::encode::number;
use norn_machine::state::Status;
use norn_machine::{Choice, Inputs, Machine, Request, State, Stop, confirm};
use norn_verdict::claim::{Claim, Mismatch, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Counterexample, Violation};
use norn_verdict::schedule::{Schedule, Step, ThreadName, fingerprint};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use norn_witness::automaton::{Automaton, Target, What};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet, VecDeque};
use std::rc::Rc;

/// What became of a witness.
#[derive(Debug)]
pub enum Answer {
    /// The reference machine has replayed the execution.
    Confirmed(Box<Counterexample>),
    /// No execution that the witness allows goes wrong where it says.
    Refuted,
    Open(Undecided),
}

/// Whom the witness's names mean.
type Bound = Rc<Vec<Option<ThreadIndex>>>;
/// By thread, what it has come to since its last visible step.
type Pending = Vec<Vec<Noticed>>;

/// Something that was seen, and the node of the witness at that time.
#[derive(Clone, Debug)]
struct Noticed {
    seen: Rc<Seen>,
    since: usize,
}

#[derive(Clone)]
struct Config {
    state: Rc<State>,
    node: usize,
    bound: Bound,
    pending: Pending,
    /// How it was reached.
    way: Option<usize>,
    /// Of a schedule that is followed: the steps taken, and the inputs.
    steps: usize,
    taken: Rc<BTreeMap<ThreadName, usize>>,
    /// Steps since an edge of the witness was taken.
    idle: u32,
}

struct Link {
    before: Option<usize>,
    step: Option<Step>,
    inputs: Vec<(ThreadName, u64)>,
}

pub struct Search<'a> {
    question: Question<'a>,
    guards: &'a Guards<'a>,
    machine: Machine<'a>,
    /// If the search is along a schedule only.
    guide: Option<&'a Schedule>,
    distances: Vec<Option<u32>>,
    alive: BTreeMap<usize, Rc<[bool]>>,
    numbers: Vec<i128>,
    links: Vec<Link>,
    configs: Vec<Option<Config>>,
    oldest: BinaryHeap<Reverse<(u32, u32, usize)>>,
    newest: BinaryHeap<(Reverse<u32>, usize)>,
    seen: HashSet<Box<[u8]>, std::hash::BuildHasherDefault<std::hash::DefaultHasher>>,
    bytes: Vec<u8>,
    open: Option<Undecided>,
    found: Option<(Schedule, Violation)>,
    rounds: u64,
    begun: bool,
}

/// More nodes than this, and what can still be stood at is not computed for each.
const MANY_NODES: usize = 2_000;
/// So many steps without an edge count as much as an edge that is still to come.
const PATIENCE: u32 = 3;
/// Configurations between two looks at the limits.
const BETWEEN_LOOKS: u64 = 64;

impl<'a> Search<'a> {
    pub fn new(question: Question<'a>, guards: &'a Guards<'a>) -> Search<'a> {
        let mut machine = Machine::new(question.program, Model::Sc, question.checks);
        machine.goes_on_beside = true;
        Search {
            question,
            guards,
            machine,
            guide: None,
            distances: question.automaton.distances(),
            alive: BTreeMap::new(),
            numbers: question.automaton.numbers(),
            links: Vec::new(),
            configs: Vec::new(),
            oldest: BinaryHeap::new(),
            newest: BinaryHeap::new(),
            seen: HashSet::default(),
            bytes: Vec::new(),
            open: None,
            found: None,
            rounds: 0,
            begun: false,
        }
    }

    /// Only along this schedule.
    pub fn along(question: Question<'a>, guards: &'a Guards<'a>, schedule: &'a Schedule) -> Search<'a> {
        Search { guide: Some(schedule), ..Search::new(question, guards) }
    }

    /// Searches until there is an answer or a limit is reached; then it can be asked to go on.
    pub fn run(&mut self, limits: &Limits) -> Result<Answer, Mismatch> {
        if !self.begun {
            self.begun = true;
            self.begin();
        }
        while self.found.is_none() {
            if self.rounds.is_multiple_of(BETWEEN_LOOKS)
                && let Some(exceeded) = limits.exceeded()
            {
                return Ok(Answer::Open(Undecided::limit(exceeded)));
            }
            let Some(config) = self.next() else { break };
            self.expand(&config);
        }
        match (self.found.take(), self.open.clone()) {
            (Some((schedule, violation)), _) => self.confirmed(schedule, &violation),
            (None, Some(open)) => Ok(Answer::Open(open)),
            (None, None) => Ok(Answer::Refuted),
        }
    }

    fn confirmed(&mut self, schedule: Schedule, violation: &Violation) -> Result<Answer, Mismatch> {
        let claim = Claim { schedule, expected: vec![violation.into()] };
        match confirm(self.question.program, self.question.checks, claim) {
            Ruling::Holds(found) => Ok(Answer::Confirmed(found)),
            Ruling::Open(open) => Ok(Answer::Open(open)),
            Ruling::Fails(mismatch) => Err(mismatch),
        }
    }

    /// How many configurations there were.
    pub fn configurations(&self) -> usize {
        self.configs.len()
    }

    fn automaton(&self) -> &'a Automaton {
        self.question.automaton
    }

    /// The configuration that is looked at next.
    fn next(&mut self) -> Option<Config> {
        self.rounds += 1;
        loop {
            let index = match self.rounds.is_multiple_of(2) {
                true => self.oldest.pop().map(|Reverse((_, _, index))| index),
                false => self.newest.pop().map(|(_, index)| index),
            };
            if let Some(config) = self.configs[index?].take() {
                return Some(config);
            }
        }
    }

    fn begin(&mut self) {
        let automaton = self.automaton();
        let mut bound = vec![None; automaton.threads.len()];
        if let Some(main) = automaton.main {
            bound[main] = Some(ThreadIndex::MAIN);
        }
        let bound: Bound = Rc::new(bound);
        let alive = self.alive(automaton.start);
        let start = automaton.start;
        let guards = self.guards;
        let mut waiting: Vec<Vec<u64>> = vec![Vec::new()];
        let guide = self.guide;
        while let Some(values) = waiting.pop() {
            let mut watch = Watch::new(guards, &alive);
            let mut inputs = Script::new(values, guide, &BTreeMap::new());
            let result = self.machine.initial(&mut watch, &mut inputs);
            self.note(watch.overflowed);
            let Script { values, taken, given, .. } = inputs;
            if let Err(Stop::NeedInput(request)) = &result {
                self.branch(request, values, &mut waiting);
                continue;
            }
            let link = Link { before: None, step: None, inputs: taken };
            let pending = added(&[], &watch, start, None);
            let Ok(nothing) = self.machine.unsettled() else {
                self.open = Some(Undecided::new(Why::too_large("the program's objects do not fit into memory")));
                return;
            };
            let config = Config {
                state: Rc::new(nothing),
                node: start,
                bound: bound.clone(),
                pending,
                way: None,
                steps: 0,
                taken: Rc::new(given),
                idle: 0,
            };
            self.reached(result, link, config, &watch, None);
        }
    }

    /// What can happen next.
    fn expand(&mut self, config: &Config) {
        self.take_edges(config);
        let choices = match self.guide {
            None => self.machine.candidates(&config.state),
            Some(schedule) => {
                schedule.steps.get(config.steps).and_then(|step| choice(&config.state, step)).into_iter().collect()
            }
        };
        let mut goes_on = false;
        for choice in choices {
            goes_on |= self.attempt(config, choice);
        }
        if !goes_on {
            self.rest(config);
        }
    }

    /// Nothing happens any more: is that wrong?
    fn rest(&mut self, config: &Config) {
        let machine = &self.machine;
        let violation = if machine.checks.deadlock && machine.is_deadlock(&config.state) {
            machine.deadlock(&config.state)
        } else {
            match machine.leak(&config.state) {
                Some(leak) => leak,
                None => return,
            }
        };
        let blame = Blamed { thread: None, spans: vec![violation.span], race: None };
        if self.accepts(config, &config.pending, &blame, &violation, Some(&config.state)) {
            let link = Link { before: config.way, step: None, inputs: Vec::new() };
            self.found = Some((self.schedule(link), violation));
        }
    }

    /// Edges of the witness that can be taken now.
    fn take_edges(&mut self, config: &Config) {
        for taken in self.moves(config.node, &config.bound, &config.pending, Some(&config.state)) {
            let (node, bound, pending) = taken;
            self.push(Config { node, bound, pending, idle: 0, ..config.clone() });
        }
    }

    /// What becomes of a node and its company by taking an edge.
    fn moves(
        &self,
        node: usize,
        bound: &Bound,
        pending: &Pending,
        state: Option<&State>,
    ) -> Vec<(usize, Bound, Pending)> {
        let automaton = self.automaton();
        let mut moves = Vec::new();
        for edge in automaton.edges.iter().filter(|edge| edge.from == node) {
            if let Some(to) = edge.to.filter(|_| self.guards.is_free(edge)) {
                moves.push((to, bound.clone(), pending.clone()));
            }
        }
        for (thread, list) in pending.iter().enumerate() {
            let owner = ThreadIndex::new(thread);
            for (at, noticed) in list.iter().enumerate() {
                for &(index, held) in &noticed.seen.edges {
                    let edge = &automaton.edges[index];
                    let Some(to) = edge.to.filter(|_| edge.from == node) else { continue };
                    if self.passes_avoided(&list[..at], node, bound, owner) {
                        continue;
                    }
                    let Some(bound) = self.named(edge.guard.thread, owner, bound) else { continue };
                    if !held && !self.holds_now(index, owner, &noticed.seen, state) {
                        continue;
                    }
                    let Some(bound) = self.named_child(&edge.guard.what, noticed.seen.created, &bound) else {
                        continue;
                    };
                    let mut pending = pending.clone();
                    let kept = at + usize::from(noticed.seen.created.is_some());
                    pending[thread].drain(..kept);
                    moves.push((to, bound, pending));
                }
            }
        }
        moves
    }

    /// Whether a constraint holds that did not when the thread came to the place.
    fn holds_now(&self, edge: usize, thread: ThreadIndex, seen: &Seen, state: Option<&State>) -> bool {
        let (Some(state), Some(frame)) = (state, &seen.frame) else { return false };
        let machine = &self.machine;
        let context = Context { machine, memory: &state.memory, frame: Some(frame), thread, result: None };
        let constraint = self.automaton().edges[edge].guard.constraint.as_ref();
        constraint.is_none_or(|constraint| context.holds(constraint) != Some(false))
    }

    /// The names if this one means this thread; `None` if it cannot.
    fn named(&self, name: Option<usize>, thread: ThreadIndex, bound: &Bound) -> Option<Bound> {
        let Some(name) = name else { return Some(bound.clone()) };
        match bound[name] {
            Some(known) => (known == thread).then(|| bound.clone()),
            None if bound.contains(&Some(thread)) => None,
            None => {
                let mut bound = bound.clone();
                Rc::make_mut(&mut bound)[name] = Some(thread);
                Some(bound)
            }
        }
    }

    /// A creation gives a name to the new thread.
    fn named_child(&self, what: &What, created: Option<ThreadIndex>, bound: &Bound) -> Option<Bound> {
        match (what, created) {
            // A name may be given again, when its thread has ended.
            (What::Creates(name), Some(created)) => {
                let mut bound = bound.clone();
                Rc::make_mut(&mut bound)[*name] = Some(created);
                Some(bound)
            }
            (What::Calls, Some(created)) if self.automaton().named_in_order && !bound.contains(&Some(created)) => {
                let number = |name: &usize| self.automaton().threads[*name].parse::<u32>().ok();
                let open = (0..bound.len()).filter(|&name| bound[name].is_none());
                match open.min_by_key(number) {
                    Some(name) => self.named(Some(name), created, bound),
                    None => Some(bound.clone()),
                }
            }
            _ => Some(bound.clone()),
        }
    }

    /// Whether something other than a spurious wake-up can happen.
    fn attempt(&mut self, config: &Config, choice: Choice) -> bool {
        let thread = choice.thread();
        if self.is_avoided(config, thread) {
            return true;
        }
        let alive = self.alive(config.node);
        let guards = self.guards;
        let mut goes_on = false;
        let mut waiting: Vec<Vec<u64>> = vec![Vec::new()];
        let step = step_of(&config.state, choice);
        while let Some(values) = waiting.pop() {
            let mut watch = Watch::new(guards, &alive);
            let mut inputs = Script::new(values, self.guide, &config.taken);
            let mut next = (*config.state).clone();
            let result = self.machine.step(&mut next, choice, &mut watch, &mut inputs);
            self.note(watch.overflowed);
            let Script { values, taken, given, .. } = inputs;
            match &result {
                Err(Stop::NeedInput(request)) => {
                    self.branch(request, values, &mut waiting);
                    continue;
                }
                Err(Stop::NotEnabled) => continue,
                Err(Stop::Cut { .. }) => {
                    self.open.get_or_insert_with(|| Undecided::new(Why::NothingTried("a bound was reached".into())));
                    goes_on = true;
                    continue;
                }
                _ => {}
            }
            goes_on |= !matches!(&result, Ok(taken) if taken.spurious);
            let link = Link { before: config.way, step: Some(step.clone()), inputs: taken };
            let pending = added(&config.pending, &watch, config.node, Some(thread));
            let after = Config {
                state: config.state.clone(),
                node: config.node,
                bound: config.bound.clone(),
                pending,
                way: config.way,
                steps: config.steps + 1,
                taken: Rc::new(given),
                idle: config.idle + 1,
            };
            self.reached(result.map(|_| next), link, after, &watch, Some(&config.state));
        }
        goes_on
    }

    /// What a step led to.
    fn reached(
        &mut self,
        result: Result<State, Stop>,
        link: Link,
        after: Config,
        watch: &Watch<'_>,
        before: Option<&State>,
    ) {
        match result {
            Ok(state) => {
                if let Some(doubt) = state.threads.iter().find_map(|thread| thread.doubt.clone()) {
                    self.open.get_or_insert(doubt);
                }
                if state.threads.iter().any(|thread| thread.cut_at.is_some()) {
                    self.open.get_or_insert_with(|| Undecided::new(Why::NothingTried("a bound was reached".into())));
                }
                self.links.push(link);
                let way = Some(self.links.len() - 1);
                self.push(Config { state: Rc::new(state), way, ..after });
            }
            Err(Stop::Violation(violation)) if self.found.is_none() => {
                let (thread, spans) = match watch.last() {
                    Some((thread, spans)) => (Some(thread), spans.to_vec()),
                    None => (None, Vec::new()),
                };
                let spans = spans.into_iter().chain([violation.span]).collect();
                let blame = Blamed { thread, spans, race: watch.race() };
                if self.accepts(&after, &after.pending, &blame, &violation, before) {
                    self.found = Some((self.schedule(link), violation));
                }
            }
            Err(Stop::Undecided(undecided)) => {
                self.open.get_or_insert(undecided);
            }
            Err(_) => {}
        }
    }

    /// Whether the witness may have come to an end that this violation is.
    fn accepts(
        &self,
        config: &Config,
        pending: &Pending,
        blame: &Blamed,
        violation: &Violation,
        state: Option<&State>,
    ) -> bool {
        const MOST: usize = 10_000;
        if !self.question.kinds.contains(&violation.kind) {
            return false;
        }
        let mut waiting = vec![(config.node, config.bound.clone(), pending.clone())];
        let mut looked_at = 0;
        while let Some((node, bound, pending)) = waiting.pop() {
            let ends = self.automaton().ends.iter().filter(|end| end.at == node);
            if ends.into_iter().any(|end| self.is_end(&end.targets, &bound, blame)) {
                return true;
            }
            looked_at += 1;
            if looked_at > MOST {
                return false;
            }
            waiting.extend(self.moves(node, &bound, &pending, state));
        }
        false
    }

    fn is_end(&self, targets: &[Target], bound: &Bound, blame: &Blamed) -> bool {
        let own = (blame.thread, &blame.spans[..]);
        match targets {
            [] => true,
            [one] => {
                self.is_target(one, bound, own).is_some()
                    || blame
                        .race
                        .is_some_and(|(thread, span)| self.is_target(one, bound, (Some(thread), &[span])).is_some())
            }
            [one, other] => blame.race.is_some_and(|(thread, span)| {
                let earlier = (Some(thread), &[span][..]);
                let are = |a: &Target, b: &Target| {
                    let bound = self.is_target(a, bound, earlier)?;
                    self.is_target(b, &bound, own)
                };
                are(one, other).or_else(|| are(other, one)).is_some()
            }),
            _ => false,
        }
    }

    /// The names, if a target is this thread at one of these places.
    fn is_target(
        &self,
        target: &Target,
        bound: &Bound,
        (thread, spans): (Option<ThreadIndex>, &[Span]),
    ) -> Option<Bound> {
        let is_there = spans.iter().any(|&span| self.guards.is_at(&target.place, span, &What::Reaches));
        if !is_there {
            return None;
        }
        match thread {
            Some(thread) => self.named(target.thread, thread, bound),
            None => Some(bound.clone()),
        }
    }

    /// Whether the thread has done what is to be avoided, and cannot have done it at another time.
    fn is_avoided(&self, config: &Config, thread: ThreadIndex) -> bool {
        let list = config.pending.get(thread.index()).map(Vec::as_slice).unwrap_or_default();
        self.passes_avoided(list, config.node, &config.bound, thread)
    }

    /// The same for a part of what it has come to.
    fn passes_avoided(&self, list: &[Noticed], node: usize, bound: &Bound, thread: ThreadIndex) -> bool {
        let automaton = self.automaton();
        let avoids = |node: usize, seen: &Seen| {
            seen.edges.iter().any(|&(index, held)| {
                let edge = &automaton.edges[index];
                let is_meant = edge.guard.thread.is_none_or(|name| bound[name] == Some(thread));
                edge.from == node && edge.to.is_none() && held && is_meant && is_clear(edge.guard.constraint.as_ref())
            })
        };
        list.iter().any(|noticed| (noticed.since..=node).all(|node| avoids(node, &noticed.seen)))
    }

    fn push(&mut self, config: Config) {
        let Some(Some(distance)) = self.distances.get(config.node).copied() else { return };
        self.bytes.clear();
        self.machine.encode(&config.state, &mut self.bytes);
        encode(&config, self.guide.is_some(), &mut self.bytes);
        if !self.seen.insert(self.bytes[..].into()) {
            return;
        }
        let index = self.configs.len();
        // Who has not come further for a while is on a wrong way.
        self.oldest.push(Reverse((distance + config.idle / PATIENCE, config.idle, index)));
        self.newest.push((Reverse(distance), index));
        self.configs.push(Some(config));
    }

    /// By node, whether it can be stood at from here on.
    fn alive(&mut self, node: usize) -> Rc<[bool]> {
        let automaton = self.automaton();
        if automaton.nodes > MANY_NODES {
            return Rc::new([]);
        }
        let compute = || {
            let mut alive = vec![false; automaton.nodes];
            alive[node] = true;
            let mut waiting = VecDeque::from([node]);
            while let Some(node) = waiting.pop_front() {
                for to in automaton.edges.iter().filter(|edge| edge.from == node).filter_map(|edge| edge.to) {
                    if !std::mem::replace(&mut alive[to], true) {
                        waiting.push_back(to);
                    }
                }
            }
            Rc::from(alive)
        };
        self.alive.entry(node).or_insert_with(compute).clone()
    }

    fn note(&mut self, overflowed: bool) {
        if overflowed {
            self.open.get_or_insert_with(|| Undecided::new(Why::too_large("a step comes to too much of the witness")));
        }
    }

    /// The values to try where one is missing.
    fn branch(&mut self, request: &Request, values: Vec<u64>, waiting: &mut Vec<Vec<u64>>) {
        const MOST_VALUES: usize = 10_000;
        let target = self.question.program.target;
        let mut domain = vec![0, 1];
        if request.ty != Ty::Bool {
            self.open.get_or_insert_with(|| Undecided::new(Why::SomeValuesOnly));
            if request.ty == Ty::Ptr && matches!(request.source, NondetSource::Uninitialised(_)) {
                domain.push(NOWHERE);
            } else {
                let cut = |&number: &i128| request.ty.truncate(norn_ir::number::low_64(number), target);
                domain.extend(self.numbers.iter().map(cut));
            }
            domain.sort_unstable();
            domain.dedup();
        }
        if values.len() > MOST_VALUES {
            self.open = Some(Undecided::new(Why::too_large("one step asks for too many nondeterministic values")));
            return;
        }
        // What the witness mentions comes first.
        for value in domain {
            let mut longer = values.clone();
            longer.push(value);
            waiting.push(longer);
        }
    }

    fn schedule(&self, last: Link) -> Schedule {
        let mut links = vec![&last];
        while let Some(before) = links.last().and_then(|link| link.before) {
            links.push(&self.links[before]);
        }
        let mut steps = Vec::new();
        let mut inputs: BTreeMap<ThreadName, Vec<u64>> = BTreeMap::new();
        for link in links.into_iter().rev() {
            steps.extend(link.step.clone());
            for (thread, value) in &link.inputs {
                inputs.entry(thread.clone()).or_default().push(*value);
            }
        }
        let program = fingerprint(self.question.program);
        Schedule { model: Model::Sc, program, steps, inputs: inputs.into_iter().collect() }
    }
}

/// Who did something wrong.
struct Blamed {
    thread: Option<ThreadIndex>,
    spans: Vec<Span>,
    race: Option<(ThreadIndex, Span)>,
}

/// A constraint that is not understood does not rule anything out.
fn is_clear(constraint: Option<&norn_witness::constraint::Constraint>) -> bool {
    !matches!(constraint, Some(norn_witness::constraint::Constraint::Unclear(_)))
}

/// What threads have come to, with what a step has shown. The one that took it has begun anew.
fn added(before: &[Vec<Noticed>], watch: &Watch<'_>, node: usize, stepped: Option<ThreadIndex>) -> Pending {
    let mut pending = before.to_vec();
    if let Some(list) = stepped.and_then(|thread| pending.get_mut(thread.index())) {
        list.clear();
    }
    for (thread, seen) in &watch.seen {
        if pending.len() <= thread.index() {
            pending.resize(thread.index() + 1, Vec::new());
        }
        pending[thread.index()].push(Noticed { seen: Rc::new(seen.clone()), since: node });
    }
    pending
}

fn step_of(state: &State, choice: Choice) -> Step {
    let thread = &state.threads[choice.thread().index()];
    match choice {
        Choice::Run(_) => Step::Run { thread: (*thread.name).clone(), step: thread.steps.next() },
        Choice::Commit { step, .. } => Step::Commit { thread: (*thread.name).clone(), step },
    }
}

fn choice(state: &State, step: &Step) -> Option<Choice> {
    let (Step::Run { thread, .. } | Step::Commit { thread, .. }) = step;
    let thread = state.thread_named(thread)?;
    Some(match *step {
        Step::Run { .. } if state.threads[thread.index()].status != Status::Ready => return None,
        Step::Run { .. } => Choice::Run(thread),
        Step::Commit { step, .. } => Choice::Commit { thread, step },
    })
}

fn encode(config: &Config, is_guided: bool, out: &mut Vec<u8>) {
    let optional = |thread: Option<ThreadIndex>| thread.map_or(0, |thread| u64::from(thread.0) + 1);
    number(out, config.node as u64);
    if is_guided {
        number(out, config.steps as u64);
    }
    for &bound in config.bound.iter() {
        number(out, optional(bound));
    }
    number(out, config.pending.len() as u64);
    for list in &config.pending {
        number(out, list.len() as u64);
        for Noticed { seen, since } in list {
            // Since when matters only to what is to be avoided, and little: an earlier time allows more.
            number(out, *since as u64);
            number(out, seen.edges.len() as u64);
            for &(edge, held) in &seen.edges {
                number(out, edge as u64 * 2 + u64::from(held));
            }
            number(out, optional(seen.created));
            match &seen.frame {
                None => out.push(0),
                Some(frame) => {
                    out.push(1);
                    number(out, u64::from(frame.function.0));
                    frame.registers.iter().for_each(|value| number(out, value.bits));
                    for local in &frame.locals {
                        let place = local
                            .map_or((0, 0, 0), |l| (u64::from(l.arena) + 1, u64::from(l.index), u64::from(l.life)));
                        [place.0, place.1, place.2].into_iter().for_each(|n| number(out, n));
                    }
                }
            }
        }
    }
}

/// Inputs: those of the schedule that is followed, or a list that is tried.
struct Script<'a> {
    values: Vec<u64>,
    taken: Vec<(ThreadName, u64)>,
    guide: Option<&'a Schedule>,
    given: BTreeMap<ThreadName, usize>,
}

impl<'a> Script<'a> {
    fn new(values: Vec<u64>, guide: Option<&'a Schedule>, given: &BTreeMap<ThreadName, usize>) -> Script<'a> {
        Script { values, taken: Vec::new(), guide, given: given.clone() }
    }
}

impl Inputs for Script<'_> {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let value = match self.guide {
            Some(schedule) => {
                let mut given = Given::new(schedule, std::mem::take(&mut self.given));
                let value = given.next(name, request);
                self.given = given.taken;
                value?
            }
            None => *self.values.get(self.taken.len())?,
        };
        self.taken.push((name.clone(), value));
        Some(value)
    }
}

//! Each thing that happens to shared memory is matched with the next event of its thread whose guard holds.
//!
//! What a read sees is taken from the machine. Guards, targets and written values are then what the list's terms say: they depend only
//! on what was read before, so that each is known when it is needed.

use crate::told::{Told, What};
use norn_ir::program::Program;
use norn_logic::{Memo, Node, Partial, Sort, Term};
use norn_symex::schedule::Move;
use norn_symex::{CellId, Check, Condition, EventId, EventKind, Finding, Symbolic, ThreadId};
use norn_verdict::schedule::StepNumber;
use norn_verdict::trace::ThreadIndex;
use std::collections::{BTreeMap, BTreeSet};

pub type Done<T> = Result<T, String>;

/// What came of something that the machine told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    Matched,
    /// The thread goes on where the event list does not.
    Beyond,
}

/// What one store writes: its events, their cells and contents.
pub type Stores = Vec<(EventId, CellId, u64)>;

pub struct Follower<'a> {
    pub program: &'a Program,
    pub symbolic: &'a Symbolic,
    known: Partial,
    /// Values of variables.
    pub values: BTreeMap<Term, u64>,
    /// By number in the machine.
    pub threads: Vec<ThreadId>,
    /// By thread: the next event, the next input, values that the machine took as inputs.
    pub next: Vec<EventId>,
    next_input: Vec<usize>,
    pending: Vec<Vec<u64>>,
    /// By thread: it goes on where the list does not, and is not followed there.
    pub is_beyond: Vec<bool>,
    /// What was written last and by whom.
    pub memory: BTreeMap<CellId, (EventId, u64)>,
    /// By thread and step of the machine: what a buffered store will write.
    pub buffered: BTreeMap<(ThreadIndex, StepNumber), Stores>,
    /// Events that were executed, with the machine's step.
    pub matched: BTreeMap<EventId, Option<StepNumber>>,
    /// The write that each executed read took its value from; `None` for what was there before all writes.
    pub sources: BTreeMap<EventId, Option<EventId>>,
    /// What happened, in order.
    pub moves: Vec<Move>,
    /// The time as the sampler counts it, and when events were executed and stores committed.
    pub now: u32,
    pub ran: BTreeMap<EventId, u32>,
    pub committed: BTreeMap<EventId, u32>,
    /// By thread: all inputs that the machine asked for.
    pub asked: Vec<Vec<u64>>,
}

impl<'a> Follower<'a> {
    pub fn new(program: &'a Program, symbolic: &'a Symbolic) -> Follower<'a> {
        let count = symbolic.threads.len();
        Follower {
            program,
            symbolic,
            known: Partial::new(),
            values: BTreeMap::new(),
            threads: vec![ThreadId(0)],
            next: symbolic.threads.iter().map(|thread| thread.events.start).collect(),
            next_input: vec![0; count],
            pending: vec![Vec::new(); count],
            is_beyond: vec![false; count],
            memory: BTreeMap::new(),
            buffered: BTreeMap::new(),
            matched: BTreeMap::new(),
            sources: BTreeMap::new(),
            moves: Vec::new(),
            now: 0,
            ran: BTreeMap::new(),
            committed: BTreeMap::new(),
            asked: vec![Vec::new(); count],
        }
    }

    pub fn give(&mut self, variable: Term, value: u64) {
        if self.values.insert(variable, value).is_none() {
            self.symbolic.terms.give(&mut self.known, variable, value);
        }
    }

    /// The value of a term, if it is known.
    pub fn decided(&mut self, term: Term) -> Option<u64> {
        self.symbolic.terms.decided(term, &mut self.known)
    }

    /// The value of a term; where it is open, Booleans are what `open` says (that steps are taken) and what was not read is 0.
    pub fn evaluate(&mut self, term: Term, open: u64) -> u64 {
        self.decided(term).unwrap_or_else(|| self.evaluate_with(term, open, 0))
    }

    fn evaluate_with(&self, term: Term, open: u64, unread: u64) -> u64 {
        self.symbolic.terms.evaluate(term, &mut Memo::default(), &|variable| {
            let unknown = if self.symbolic.terms.sort(variable) == Sort::Bool { open } else { unread };
            self.values.get(&variable).copied().unwrap_or(unknown)
        })
    }

    /// Whether the value depends on reads that have not happened.
    pub fn is_open(&mut self, term: Term, open: u64) -> bool {
        let differs = |this: &Self| this.evaluate_with(term, open, 0) != this.evaluate_with(term, open, u64::MAX);
        self.decided(term).is_none() && differs(self) && {
            self.take_definitions();
            differs(self)
        }
    }

    pub fn unknown(&self, term: Term) -> Vec<Term> {
        let mut variables = self.symbolic.terms.variables([term]);
        variables.retain(|variable| !self.values.contains_key(variable));
        variables
    }

    /// Variables that a constraint makes equal to what is known by now, such as the sizes of objects.
    fn take_definitions(&mut self) {
        loop {
            let before = self.values.len();
            for &constraint in &self.symbolic.constraints {
                self.take_definition(constraint);
            }
            if self.values.len() == before {
                return;
            }
        }
    }

    fn take_definition(&mut self, mut holds: Term) {
        loop {
            match self.symbolic.terms.node(holds) {
                Node::Not(inner) => {
                    let Node::And(a, b) = self.symbolic.terms.node(inner) else { return };
                    holds = match (self.decided(a), self.decided(b)) {
                        (Some(1), None) => !b,
                        (None, Some(1)) => !a,
                        _ => return,
                    };
                }
                Node::Eq(a, b) => {
                    for (variable, other) in [(a, b), (b, a)] {
                        if matches!(self.symbolic.terms.node(variable), Node::Variable(_))
                            && self.decided(variable).is_none()
                            && let Some(value) = self.decided(other)
                        {
                            self.give(variable, value);
                        }
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    pub fn take_inputs(&mut self, thread: ThreadId, position: EventId) -> Done<()> {
        let t = thread.0 as usize;
        while let Some(&input) = self.symbolic.threads[t].inputs.get(self.next_input[t])
            && input.position <= position
        {
            if self.evaluate(input.guard, 1) == 1 {
                if self.pending[t].is_empty() {
                    return Err(format!("the machine did not ask for {input:?}"));
                }
                let value = self.pending[t].remove(0);
                self.give(input.value, value);
            }
            self.next_input[t] += 1;
        }
        Ok(())
    }

    /// The next event of a thread whose guard holds; `None` where the thread goes on behind a bound.
    fn next_event(&mut self, thread: ThreadId, step: Option<StepNumber>) -> Done<Option<EventId>> {
        let t = thread.0 as usize;
        loop {
            let id = self.next[t];
            self.take_inputs(thread, id)?;
            if id >= self.symbolic.threads[t].events.end {
                if self.is_cut(thread) {
                    self.is_beyond[t] = true;
                    return Ok(None);
                }
                return Err("no event is left".to_owned());
            }
            let guard = self.symbolic.event(id).guard;
            if self.is_open(guard, 1) {
                return Err(format!("{id:?} depends on a value that was not read: {:?}", self.symbolic.event(id)));
            }
            if self.evaluate(guard, 1) == 1 {
                if self.decided(guard).is_none() {
                    // What is open is whether a step that may wait is taken.
                    for variable in self.unknown(guard) {
                        if self.symbolic.terms.sort(variable) == Sort::Bool {
                            self.give(variable, 1);
                        }
                    }
                }
                self.next[t] = id.next();
                self.matched.insert(id, step);
                self.ran.insert(id, self.now);
                self.moves.push(Move::Run(id));
                return Ok(Some(id));
            }
            self.next[t] = id.next();
        }
    }

    /// Whether the thread goes on where the event list does not: behind a bound, where it sees no meaning, or
    /// where it is assumed not to go on.
    pub fn is_cut(&mut self, thread: ThreadId) -> bool {
        let symbolic = self.symbolic;
        let stops = |check: &&Check| {
            check.thread == thread && matches!(check.what, Finding::Undefined(_) | Finding::Assumed { .. })
        };
        let conditions = symbolic.checks.iter().filter(stops).filter_map(|check| match check.violated {
            Condition::Term(violated) => Some(violated),
            Condition::AfterEnd { .. } => None,
        });
        let cuts = symbolic.cuts.iter().filter(|cut| cut.thread == thread).map(|cut| cut.guard);
        cuts.chain(conditions).any(|condition| self.evaluate(condition, 1) == 1)
    }

    pub fn happens(&mut self, told: &Told) -> Done<Heard> {
        if let What::Commit { step } = told.what {
            let writes = self.buffered.remove(&(told.thread, step)).ok_or("there is no such store")?;
            self.moves.push(Move::Commit(writes[0].0));
            self.commit(writes);
            return Ok(Heard::Matched);
        }
        let thread = *self.threads.get(told.thread.index()).ok_or("there is no such thread")?;
        if self.is_beyond[thread.0 as usize] {
            return Ok(Heard::Beyond);
        }
        match &told.what {
            What::Input { value } => {
                self.pending[thread.0 as usize].push(*value);
                self.asked[thread.0 as usize].push(*value);
            }
            What::Read { place, value, forwarded } => {
                let own = forwarded.and_then(|step| self.buffered.get(&(told.thread, step)).cloned());
                self.read(thread, told.step, place, *value, own)?;
            }
            What::Write { place, value, buffered } => {
                let written = self.write(thread, told.step, place, *value)?;
                match (buffered, told.step) {
                    (true, Some(step)) => {
                        if !written.is_empty() {
                            self.buffered.insert((told.thread, step), written);
                        }
                    }
                    _ => self.commit(written),
                }
            }
            What::Update { place, old, new } => {
                self.read(thread, told.step, place, *old, None)?;
                if let Some(new) = new {
                    let written = self.write(thread, told.step, place, *new)?;
                    self.commit(written);
                }
            }
            What::Fence => {
                self.expect(thread, told.step, |kind| matches!(kind, EventKind::Fence(_)))?;
            }
            What::Ends => {
                self.expect(thread, told.step, |kind| matches!(kind, EventKind::EndLife(_)))?;
            }
            What::Create { thread: number } => self.create(thread, told.step, *number)?,
            What::Join { thread: other } => self.join(thread, *other)?,
            What::Commit { .. } => {}
        }
        Ok(if self.is_beyond[thread.0 as usize] { Heard::Beyond } else { Heard::Matched })
    }

    fn commit(&mut self, writes: Stores) {
        for (id, cell, content) in writes {
            self.memory.insert(cell, (id, content));
            self.committed.insert(id, self.now);
        }
    }

    pub fn expect(
        &mut self,
        thread: ThreadId,
        step: Option<StepNumber>,
        fits: fn(&EventKind) -> bool,
    ) -> Done<Option<EventId>> {
        match self.next_event(thread, step)? {
            Some(id) if !fits(&self.symbolic.event(id).kind) => Err(format!("{id:?} is {:?}", self.symbolic.event(id))),
            found => Ok(found),
        }
    }

    fn create(&mut self, thread: ThreadId, step: Option<StepNumber>, number: ThreadIndex) -> Done<()> {
        let Some(id) = self.expect(thread, step, |kind| matches!(kind, EventKind::Create(_)))? else { return Ok(()) };
        let symbolic = self.symbolic;
        let EventKind::Create(children) = &symbolic.event(id).kind else { return Ok(()) };
        let child = children.iter().find(|child| self.evaluate(child.1, 0) == 1).ok_or("no thread is created")?.0;
        if self.threads.len() != number.index() {
            return Err("threads come in order".to_owned());
        }
        self.threads.push(child);
        let own = symbolic.thread(child).number;
        for variable in self.unknown(own) {
            self.give(variable, u64::from(number.0));
        }
        let found = self.evaluate(own, 0);
        if found == u64::from(number.0) { Ok(()) } else { Err(format!("its number is {found}")) }
    }

    fn join(&mut self, thread: ThreadId, other: ThreadIndex) -> Done<()> {
        if let Some(&joined) = self.threads.get(other.index()) {
            self.take_inputs(joined, self.symbolic.thread(joined).events.end)?;
            // It came to its end behind a bound: in the list nobody sees that.
            if self.is_beyond[joined.0 as usize]
                || (self.evaluate(self.symbolic.thread(joined).ended, 1) != 1 && self.is_cut(joined))
            {
                self.is_beyond[joined.0 as usize] = true;
                self.is_beyond[thread.0 as usize] = true;
                return Ok(());
            }
        }
        let Some(id) = self.expect(thread, None, |kind| matches!(kind, EventKind::Join(_)))? else { return Ok(()) };
        let symbolic = self.symbolic;
        let EventKind::Join(targets) = &symbolic.event(id).kind else { return Ok(()) };
        let joined = targets.iter().find(|target| self.evaluate(target.1, 0) == 1).ok_or("no thread is joined")?.0;
        if self.threads.get(other.index()) != Some(&joined) {
            return Err(format!("it joins {joined:?}"));
        }
        let ended = symbolic.thread(joined).ended;
        if self.evaluate(ended, 1) != 1 {
            return Err(format!("{joined:?} has not ended"));
        }
        self.take_steps(ended);
        if let Some(&(_, variable)) = symbolic.joined.iter().find(|join| join.0 == id)
            && symbolic.terms.as_bits(variable).is_none()
        {
            let result = symbolic.thread(joined).result.ok_or("it returns nothing")?;
            let value = self.evaluate(result, 1);
            self.give(variable, value);
        }
        Ok(())
    }

    /// What holds, holds because steps that may wait were taken.
    pub fn take_steps(&mut self, term: Term) {
        if self.decided(term).is_none() {
            let open: BTreeSet<Term> = self.unknown(term).into_iter().collect();
            for variable in open.into_iter().filter(|&variable| self.symbolic.terms.sort(variable) == Sort::Bool) {
                self.give(variable, 1);
            }
        }
    }
}

//! Follows executions of the reference machine through an event list.
//!
//! Whatever the machine does has to be foreseen: each thing that happens to shared memory is matched with the next event of
//! its thread whose guard holds, and the values have to be the same. What a read sees is taken from the machine, so that
//! this needs no solver and no memory model. At the end the numbers of the steps, the constraints and the findings are
//! compared.

use std::collections::{BTreeMap, HashMap};

use norn_ir::instr::FenceKind;
use norn_ir::program::Program;
use norn_logic::terms::{Memo, Sort, Term};
use norn_machine::observe::{Happening, Observer, Scene, Spot};
use norn_machine::{Choice, Inputs, Machine, Request, State, Stop};
use norn_symex::schedule::Move;
use norn_symex::{CellId, Condition, EventId, EventKind, Finding, SectionKind, Symbolic, ThreadId};
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::schedule::{Step, ThreadName};

/// What the machine tells, in order.
#[derive(Clone, Debug)]
struct Told {
    thread: usize,
    step: Option<u32>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Read { place: Place, value: u64, forwarded: Option<u32> },
    Write { place: Place, value: u64, buffered: bool },
    Update { place: Place, old: u64, new: Option<u64> },
    Commit { step: u32 },
    Fence,
    Create { thread: usize },
    Join { thread: usize },
    Ends,
    Input { value: u64 },
}

#[derive(Clone, PartialEq, Debug)]
struct Place {
    /// Whether it is a global; addresses of others are not compared.
    global: Option<u32>,
    offset: u64,
    size: u64,
}

#[derive(Default)]
struct Listener {
    told: Vec<Told>,
}

fn place(scene: &Scene<'_>, spot: Spot) -> Place {
    let kind = scene.state.memory.object(spot.object).info.kind;
    let global = match kind {
        norn_machine::memory::ObjectKind::Global(id) => Some(id.0),
        _ => None,
    };
    Place { global, offset: spot.offset, size: spot.size }
}

impl Observer for Listener {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        let what = match *what {
            Happening::Read { spot, value, forwarded } => {
                What::Read { place: place(scene, spot), value: value.bits, forwarded }
            }
            Happening::Write { spot, value, buffered } => {
                What::Write { place: place(scene, spot), value: value.bits, buffered }
            }
            Happening::Update { spot, old, new } => {
                What::Update { place: place(scene, spot), old: old.bits, new: new.map(|v| v.bits) }
            }
            Happening::Commit { step, .. } => What::Commit { step },
            Happening::Fence(FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler) => return,
            // Inside a section a fence orders nothing.
            Happening::Fence(_) if scene.step.is_some() => return,
            Happening::Fence(_) => What::Fence,
            Happening::Create { thread } => What::Create { thread },
            Happening::Join { thread } => What::Join { thread },
            Happening::ObjectEnds { object, .. } if scene.state.memory.object(object).is_shared() => {
                if let Some(Told { thread, step, what: What::Ends }) = self.told.last()
                    && *thread == scene.thread
                    && *step == scene.step
                {
                    return;
                }
                What::Ends
            }
            Happening::Input { value, .. } => What::Input { value },
            _ => return,
        };
        self.told.push(Told { thread: scene.thread, step: scene.step, what });
    }
}

/// Small numbers, by seed.
struct Few(crate::generate::Random);

impl Inputs for Few {
    fn next(&mut self, _name: &ThreadName, request: &Request) -> Option<u64> {
        let value = self.0.below(4);
        Some(if request.ty == norn_ir::types::Ty::Bool { value & 1 } else { value })
    }
}

/// One random execution of the machine, followed through the event list.
pub fn follow(
    program: &Program,
    symbolic: &Symbolic,
    model: Model,
    checks: Checks,
    seed: u64,
    most: usize,
) -> Result<(), String> {
    let machine = Machine::new(program, model, checks);
    let mut random = crate::generate::Random::new(seed);
    let mut listener = Listener::default();
    let mut inputs = Few(crate::generate::Random::new(seed ^ 77));
    let mut end = None;
    let mut taken_steps = Vec::new();
    match machine.initial(&mut listener, &mut inputs) {
        Err(stop) => end = Some(stop),
        Ok(mut state) => {
            for _ in 0..most {
                let mut choices = machine.candidates(&state);
                let mut taken = false;
                while !choices.is_empty() && !taken {
                    let choice = choices.swap_remove(random.below(choices.len() as u64) as usize);
                    let step = step_of(&state, choice);
                    taken = try_step(&machine, &mut state, choice, &mut listener, &mut inputs, &mut end);
                    if taken {
                        taken_steps.push(step);
                    }
                }
                if !taken || end.is_some() {
                    break;
                }
            }
        }
    }
    let mut follower = Follower::new(program, symbolic);
    for (index, told) in listener.told.iter().enumerate() {
        if follower.beyond_bounds {
            break;
        }
        follower.happens(told).map_err(|error| format!("{index}: {told:?}: {error}"))?;
    }
    follower.finish(end.as_ref())?;
    follower.schedule(model, &taken_steps)
}

fn step_of(state: &State, choice: Choice) -> Step {
    let thread = (*state.threads[choice.thread()].name).clone();
    match choice {
        Choice::Run(index) => Step::Run { thread, step: state.threads[index].steps + 1 },
        Choice::Commit { step, .. } => Step::Commit { thread, step },
    }
}

fn try_step(
    machine: &Machine<'_>,
    state: &mut State,
    choice: Choice,
    listener: &mut Listener,
    inputs: &mut Few,
    end: &mut Option<Stop>,
) -> bool {
    let mut copy = state.clone();
    let told = listener.told.len();
    match machine.step(&mut copy, choice, listener, inputs) {
        Ok(_) => {
            *state = copy;
            true
        }
        Err(Stop::NotEnabled | Stop::Cut { .. }) => {
            listener.told.truncate(told);
            false
        }
        Err(stop) => {
            *end = Some(stop);
            true
        }
    }
}

struct Follower<'a> {
    program: &'a Program,
    symbolic: &'a Symbolic,
    values: HashMap<Term, u64>,
    /// By number in the machine.
    threads: Vec<ThreadId>,
    /// By thread: the next event, the next input, values that the machine took as inputs.
    next: Vec<u32>,
    next_input: Vec<usize>,
    pending: Vec<Vec<u64>>,
    memory: HashMap<CellId, u64>,
    /// By thread and step of the machine: what a buffered store will write.
    buffered: BTreeMap<(usize, u32), Stores>,
    /// Events that were executed, with the machine's step.
    matched: BTreeMap<EventId, Option<u32>>,
    /// A thread of the machine went beyond a bound.
    beyond_bounds: bool,
    /// What an engine would say about the execution.
    moves: Vec<Move>,
    /// By thread: all inputs that the machine asked for.
    asked: Vec<Vec<u64>>,
}

type Done<T> = Result<T, String>;

/// What one store writes: its events, their cells and contents.
type Stores = Vec<(EventId, CellId, u64)>;

impl<'a> Follower<'a> {
    fn new(program: &'a Program, symbolic: &'a Symbolic) -> Follower<'a> {
        let count = symbolic.threads.len();
        Follower {
            program,
            symbolic,
            values: HashMap::new(),
            threads: vec![ThreadId(0)],
            next: symbolic.threads.iter().map(|thread| thread.events.start).collect(),
            next_input: vec![0; count],
            pending: vec![Vec::new(); count],
            memory: HashMap::new(),
            buffered: BTreeMap::new(),
            matched: BTreeMap::new(),
            beyond_bounds: false,
            moves: Vec::new(),
            asked: vec![Vec::new(); count],
        }
    }

    /// The value of a term; Booleans that are not known yet are what `open` says (that steps are taken).
    fn evaluate(&self, term: Term, open: u64) -> u64 {
        self.evaluate_with(term, open, 0)
    }

    fn evaluate_with(&self, term: Term, open: u64, unread: u64) -> u64 {
        self.symbolic.terms.evaluate(term, &mut Memo::default(), &|variable| {
            let unknown = if self.symbolic.terms.sort(variable) == Sort::Bool { open } else { unread };
            self.values.get(&variable).copied().unwrap_or(unknown)
        })
    }

    /// Whether the value depends on reads that have not happened.
    fn is_open(&self, term: Term, open: u64) -> bool {
        self.evaluate_with(term, open, 0) != self.evaluate_with(term, open, u64::MAX)
    }

    fn unknown(&self, term: Term) -> Vec<Term> {
        let mut variables = self.symbolic.terms.variables([term]);
        variables.retain(|variable| !self.values.contains_key(variable));
        variables
    }

    fn take_inputs(&mut self, thread: ThreadId, position: EventId) -> Done<()> {
        let t = thread.0 as usize;
        while let Some(input) = self.symbolic.threads[t].inputs.get(self.next_input[t])
            && input.position <= position
        {
            if self.evaluate(input.guard, 1) == 1 {
                if self.pending[t].is_empty() {
                    return Err(format!("the machine did not ask for {input:?}"));
                }
                let value = self.pending[t].remove(0);
                self.values.insert(input.value, value);
            }
            self.next_input[t] += 1;
        }
        Ok(())
    }

    /// The next event of a thread whose guard holds.
    fn next_event(&mut self, thread: ThreadId, step: Option<u32>) -> Done<EventId> {
        let t = thread.0 as usize;
        loop {
            let id = EventId(self.next[t]);
            self.take_inputs(thread, id)?;
            if self.next[t] >= self.symbolic.threads[t].events.end {
                if self.is_cut(thread) {
                    self.beyond_bounds = true;
                    return Ok(id);
                }
                return Err("no event is left".to_owned());
            }
            let guard = self.symbolic.event(id).guard;
            if self.is_open(guard, 1) {
                return Err(format!("{id:?} depends on a value that was not read: {:?}", self.symbolic.event(id)));
            }
            if self.evaluate(guard, 1) == 1 {
                // What is open is whether a step that may wait is taken.
                for variable in self.unknown(guard) {
                    if self.symbolic.terms.sort(variable) == Sort::Bool {
                        self.values.insert(variable, 1);
                    }
                }
                self.next[t] += 1;
                self.matched.insert(id, step);
                self.moves.push(Move::Run(id));
                return Ok(id);
            }
            self.next[t] += 1;
        }
    }

    /// Whether the thread goes on where the event list does not: behind a bound, or where it sees no meaning.
    fn is_cut(&self, thread: ThreadId) -> bool {
        let undefined = |check: &norn_symex::Check| match (check.violated, &check.what) {
            (Condition::Term(violated), Finding::Undefined(_) | Finding::Assumed { .. }) => {
                check.thread == thread && self.evaluate(violated, 1) == 1
            }
            _ => false,
        };
        self.symbolic.cuts.iter().any(|cut| cut.thread == thread && self.evaluate(cut.guard, 1) == 1)
            || self.symbolic.checks.iter().any(undefined)
    }

    fn happens(&mut self, told: &Told) -> Done<()> {
        if let What::Commit { step } = told.what {
            let writes = self.buffered.remove(&(told.thread, step)).ok_or("there is no such store")?;
            self.moves.push(Move::Commit(writes[0].0));
            self.memory.extend(writes.into_iter().map(|(_, cell, content)| (cell, content)));
            return Ok(());
        }
        let thread = *self.threads.get(told.thread).ok_or("there is no such thread")?;
        if let What::Input { value } = told.what {
            self.pending[thread.0 as usize].push(value);
            self.asked[thread.0 as usize].push(value);
            return Ok(());
        }
        match &told.what {
            What::Read { place, value, forwarded } => {
                let own = forwarded.and_then(|step| self.buffered.get(&(told.thread, step)).cloned());
                self.read(thread, told.step, place, *value, own)
            }
            What::Write { place, value, buffered } => {
                let written = self.write(thread, told.step, place, *value)?;
                match (buffered, told.step) {
                    (true, Some(step)) => {
                        self.buffered.insert((told.thread, step), written);
                    }
                    _ => self.memory.extend(written.into_iter().map(|(_, cell, content)| (cell, content))),
                }
                Ok(())
            }
            What::Update { place, old, new } => {
                self.read(thread, told.step, place, *old, None)?;
                if let Some(new) = new {
                    let written = self.write(thread, told.step, place, *new)?;
                    self.memory.extend(written.into_iter().map(|(_, cell, content)| (cell, content)));
                }
                Ok(())
            }
            What::Fence => self.expect(thread, told.step, |kind| matches!(kind, EventKind::Fence(_))).map(|_| ()),
            What::Ends => self.expect(thread, told.step, |kind| matches!(kind, EventKind::EndLife(_))).map(|_| ()),
            What::Create { thread: number } => self.create(thread, told.step, *number),
            What::Join { thread: other } => self.join(thread, *other),
            What::Commit { .. } | What::Input { .. } => Ok(()),
        }
    }

    fn expect(&mut self, thread: ThreadId, step: Option<u32>, fits: fn(&EventKind) -> bool) -> Done<EventId> {
        let id = self.next_event(thread, step)?;
        if self.beyond_bounds || fits(&self.symbolic.event(id).kind) {
            return Ok(id);
        }
        Err(format!("{id:?} is {:?}", self.symbolic.event(id)))
    }

    /// The cell that an event touches.
    fn target(&self, id: EventId) -> Done<CellId> {
        let targets = self.symbolic.event(id).targets();
        let chosen: Vec<CellId> =
            targets.iter().filter(|target| self.evaluate(target.1, 0) == 1).map(|t| t.0).collect();
        match chosen[..] {
            [cell] => Ok(cell),
            _ => Err(format!("{id:?} touches {} cells", chosen.len())),
        }
    }

    /// The events of one access, with their cells: one, or one for each byte.
    fn access(
        &mut self,
        thread: ThreadId,
        step: Option<u32>,
        place: &Place,
        is_read: bool,
    ) -> Done<Vec<(EventId, CellId)>> {
        let mut events = Vec::new();
        let mut at = place.offset;
        while at < place.offset + place.size {
            let fits: fn(&EventKind) -> bool = match is_read {
                true => |kind| matches!(kind, EventKind::Read { .. }),
                false => |kind| matches!(kind, EventKind::Write { .. }),
            };
            let id = self.expect(thread, step, fits)?;
            if self.beyond_bounds {
                return Ok(events);
            }
            let cell = self.target(id)?;
            let found = self.symbolic.cell(cell);
            if found.offset != at {
                return Err(format!("{id:?} touches {} at {}", found.name, found.offset));
            }
            if let Some(global) = place.global
                && !found.name.starts_with(&self.program.globals[global as usize].name)
            {
                return Err(format!("{id:?} touches {}", found.name));
            }
            events.push((id, cell));
            at += found.size;
        }
        Ok(events)
    }

    fn read(
        &mut self,
        thread: ThreadId,
        step: Option<u32>,
        place: &Place,
        value: u64,
        own: Option<Stores>,
    ) -> Done<()> {
        for (id, cell) in self.access(thread, step, place, true)? {
            let forwarded = own.as_ref().map(|own| own.iter().find(|store| store.1 == cell).map(|store| store.2));
            let content = match forwarded {
                Some(content) => content.ok_or("the store does not cover the cell")?,
                None => match self.memory.get(&cell) {
                    Some(&content) => content,
                    None => self.evaluate(self.symbolic.cell(cell).initial, 0),
                },
            };
            let EventKind::Read { value: variable, .. } = self.symbolic.event(id).kind else { continue };
            match self.symbolic.terms.as_bits(variable) {
                Some(constant) if constant != content => {
                    return Err(format!("it should read {constant}, not {content}"));
                }
                Some(_) => {}
                None => {
                    self.values.insert(variable, content);
                }
            }
            self.compare(cell, content, place, value)?;
        }
        Ok(())
    }

    /// Whether a cell's content stands for the machine's value.
    fn compare(&self, cell: CellId, content: u64, place: &Place, value: u64) -> Done<()> {
        let found = self.symbolic.cell(cell);
        let mask = if found.size == 8 { u64::MAX } else { (1 << (found.size * 8)) - 1 };
        if found.size < place.size && place.size == 8 && value >> 24 != 0 {
            // A byte of what may be an address.
            return Ok(());
        }
        let expected = value >> ((found.offset - place.offset) * 8) & mask;
        // Addresses are compared where they are numbers.
        let held = match (found.encoding.bits(content), found.encoding.member(content)) {
            (Some(bits), _) if bits >> 24 == 0 || expected >> 24 == 0 => bits,
            (_, Some(member)) if member.object.is_none() => member.offset,
            (_, Some(_)) if expected == 0 => return Err("a null pointer was not foreseen".to_owned()),
            _ => return Ok(()),
        };
        if held == expected { Ok(()) } else { Err(format!("{} holds {held}, not {expected}", found.name)) }
    }

    fn write(&mut self, thread: ThreadId, step: Option<u32>, place: &Place, value: u64) -> Done<Stores> {
        let mut written = Vec::new();
        for (id, cell) in self.access(thread, step, place, false)? {
            let EventKind::Write { value: term, .. } = self.symbolic.event(id).kind else { continue };
            self.take_inputs(thread, id)?;
            if self.is_open(term, 0) {
                return Err(format!("{id:?} writes what is not known"));
            }
            let content = self.evaluate(term, 0);
            self.compare(cell, content, place, value)?;
            written.push((id, cell, content));
        }
        Ok(written)
    }

    fn create(&mut self, thread: ThreadId, step: Option<u32>, number: usize) -> Done<()> {
        let id = self.expect(thread, step, |kind| matches!(kind, EventKind::Create(_)))?;
        let EventKind::Create(children) = &self.symbolic.event(id).kind else { return Ok(()) };
        let child = children.iter().find(|child| self.evaluate(child.1, 0) == 1).ok_or("no thread is created")?.0;
        if self.threads.len() != number {
            return Err("threads come in order".to_owned());
        }
        self.threads.push(child);
        let own = self.symbolic.thread(child).number;
        for variable in self.unknown(own) {
            self.values.insert(variable, number as u64);
        }
        let found = self.evaluate(own, 0);
        if found == number as u64 { Ok(()) } else { Err(format!("its number is {found}")) }
    }

    fn join(&mut self, thread: ThreadId, other: usize) -> Done<()> {
        let id = self.expect(thread, None, |kind| matches!(kind, EventKind::Join(_)))?;
        let EventKind::Join(targets) = &self.symbolic.event(id).kind else { return Ok(()) };
        let joined = targets.iter().find(|target| self.evaluate(target.1, 0) == 1).ok_or("no thread is joined")?.0;
        if self.threads.get(other) != Some(&joined) {
            return Err(format!("it joins {joined:?}"));
        }
        self.take_inputs(joined, EventId(self.symbolic.thread(joined).events.end))?;
        if self.evaluate(self.symbolic.thread(joined).ended, 1) != 1 {
            return Err(format!("{joined:?} has not ended"));
        }
        if let Some(&(_, variable)) = self.symbolic.joined.iter().find(|join| join.0 == id)
            && self.symbolic.terms.as_bits(variable).is_none()
        {
            let result = self.symbolic.thread(joined).result.ok_or("it returns nothing")?;
            let value = self.evaluate(result, 1);
            self.values.insert(variable, value);
        }
        Ok(())
    }

    /// Whether a thread has executed everything before a position.
    fn reached(&self, thread: ThreadId, position: EventId) -> bool {
        if !self.threads.contains(&thread) {
            return false;
        }
        let events = self.symbolic.thread(thread).events.start..position.0;
        events
            .map(EventId)
            .all(|id| self.matched.contains_key(&id) || self.evaluate(self.symbolic.event(id).guard, 0) == 0)
    }

    fn finish(&mut self, end: Option<&Stop>) -> Done<()> {
        if self.beyond_bounds {
            return Ok(());
        }
        // Inputs that are asked for behind the last event.
        for t in 0..self.threads.len() {
            let thread = self.threads[t];
            let end = self.symbolic.thread(thread).events.end;
            loop {
                let position = EventId(self.next[thread.0 as usize].min(end));
                if !self.reached(thread, position) || self.take_inputs(thread, position).is_err() || position.0 == end {
                    break;
                }
                if self.evaluate(self.symbolic.event(position).guard, 0) == 1 {
                    break;
                }
                self.next[thread.0 as usize] += 1;
            }
        }
        let values = self.values.clone();
        let steps = self.symbolic.steps(&|variable| values.get(&variable).copied().unwrap_or(0));
        for (&id, &step) in &self.matched {
            if steps.numbers[id.index()] != step.unwrap_or(0) {
                let event = self.symbolic.event(id);
                return Err(format!("{id:?} is step {step:?}, not {}: {event:?}", steps.numbers[id.index()]));
            }
        }
        for &constraint in &self.symbolic.constraints {
            if self.unknown(constraint).is_empty() && self.evaluate(constraint, 0) == 0 {
                return Err(format!("a constraint does not hold: {}", self.symbolic.show(constraint)));
            }
        }
        self.findings(end)
    }

    /// The schedule that an engine would give is the one that the machine ran.
    fn schedule(&self, model: Model, taken: &[Step]) -> Done<()> {
        if self.beyond_bounds {
            return Ok(());
        }
        let variable = |term: Term| self.values.get(&term).copied().unwrap_or(0);
        let schedule = self.symbolic.schedule(model, 0, &self.moves, &variable);
        // Steps that touch no shared memory are not told, and so no moves.
        let mut rest = taken.iter();
        if let Some(lost) = schedule.steps.iter().find(|step| !rest.any(|other| other == *step)) {
            return Err(format!("the machine did not take {lost:?} of {schedule} but {taken:?}"));
        }
        let names = self.symbolic.names(&variable);
        for (thread, asked) in self.asked.iter().enumerate() {
            let Some(name) = names[thread].clone() else { continue };
            let given = schedule.inputs.iter().find(|inputs| inputs.0 == name).map_or(&[][..], |inputs| &inputs.1);
            // What an event list says behind the last step does not matter, nor what the machine asked for in vain.
            let common = asked.len().min(given.len());
            if asked[..common] != given[..common] {
                return Err(format!("{name} asks for {asked:?}, not {given:?}"));
            }
        }
        Ok(())
    }

    fn findings(&self, end: Option<&Stop>) -> Done<()> {
        let found = |check: &&norn_symex::Check| match check.violated {
            Condition::Term(violated) => {
                // The step in which it is found out is not told by the machine.
                let position = match check.position.0.checked_sub(1).map(EventId) {
                    Some(before) if matches!(self.symbolic.event(before).kind, EventKind::Step) => before,
                    _ => check.position,
                };
                self.evaluate(violated, 1) == 1
                    && (self.reached(check.thread, position) || self.in_section(check.position))
            }
            Condition::AfterEnd { .. } => false,
        };
        let reached: Vec<&norn_symex::Check> = self.symbolic.checks.iter().filter(found).collect();
        match end {
            Some(Stop::Violation(violation)) => {
                let fits = |check: &&norn_symex::Check| matches!(&check.what, Finding::Violation(v) if v.kind == violation.kind && v.span == violation.span);
                let after_end =
                    |check: &norn_symex::Check| matches!(check.violated, Condition::AfterEnd { .. }) && fits(&check);
                if reached.iter().any(fits) || self.symbolic.checks.iter().any(after_end) {
                    return Ok(());
                }
                Err(format!("{violation:?} was not foreseen: {reached:?}"))
            }
            Some(Stop::Unsupported { reason, .. }) => {
                let fits = |check: &&norn_symex::Check| matches!(check.what, Finding::Undefined(_));
                let after_end =
                    |check: &norn_symex::Check| matches!(check.violated, Condition::AfterEnd { .. }) && fits(&check);
                if reached.iter().any(fits) || self.symbolic.checks.iter().any(after_end) {
                    return Ok(());
                }
                Err(format!("'{reason}' was not foreseen: {reached:?}"))
            }
            _ => {
                // Where it is assumed not to happen, the machine just stops the thread.
                let wrong =
                    reached.iter().find(|check| check.what.assumption().is_none() && self.evaluate_closed(check));
                wrong.map_or(Ok(()), |check| Err(format!("the machine does not see {check:?}")))
            }
        }
    }

    /// Whether a check is violated without any assumption about steps that were not taken.
    fn evaluate_closed(&self, check: &norn_symex::Check) -> bool {
        match check.violated {
            Condition::Term(violated) => self.evaluate(violated, 0) == 1 && self.reached(check.thread, check.position),
            Condition::AfterEnd { .. } => false,
        }
    }

    fn in_section(&self, position: EventId) -> bool {
        self.symbolic.sections.iter().any(|section| {
            section.kind != SectionKind::Group && section.events.start <= position.0 && position.0 <= section.events.end
        })
    }
}

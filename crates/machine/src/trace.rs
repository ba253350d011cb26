//! The observer that writes down a trace for people.
//!
//! For each byte of shared memory it remembers which event wrote it, and for each buffered store its event, so that a
//! read can say where its value came from.

use crate::machine::Machine;
use crate::memory::ObjectRef;
use crate::observe::{Happening, Observer, Scene, Spot};
use crate::print;
use crate::state::State;
use norn_ir::instr::{NondetSource, Stream};
use norn_ir::types::{Display, Ty};
use norn_verdict::place::Value;
use norn_verdict::schedule::StepNumber;
use norn_verdict::trace::{Event, EventIndex, EventKind, ReadFrom, ThreadIndex, ThreadInfo, Trace};
use std::collections::BTreeMap;

/// Text that the program printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    pub stream: Stream,
    pub text: String,
}

#[derive(Default)]
pub struct TraceBuilder {
    pub trace: Trace,
    pub output: Vec<Printed>,
    writers: BTreeMap<(ObjectRef, u64), EventIndex>,
    /// Events of buffered stores, by thread and step.
    buffered: BTreeMap<(ThreadIndex, StepNumber), EventIndex>,
}

impl TraceBuilder {
    pub fn new(machine: &Machine<'_>) -> TraceBuilder {
        let mut builder = TraceBuilder::default();
        let function = machine.program.function(machine.program.entry).name.clone();
        builder.trace.threads.push(ThreadInfo { name: Default::default(), function });
        builder
    }

    fn written(&mut self, spot: Spot, event: EventIndex) {
        for at in spot.offset..spot.offset + spot.size {
            self.writers.insert((spot.object, at), event);
        }
    }

    /// The one write that all bytes come from.
    fn writer(&self, spot: Spot) -> ReadFrom {
        let of = |at: u64| self.writers.get(&(spot.object, at)).copied();
        let first = of(spot.offset);
        let same = (spot.offset..spot.offset + spot.size).all(|at| of(at) == first);
        match first {
            Some(event) if same => ReadFrom::Event { event, forwarded: false },
            _ => ReadFrom::Initial,
        }
    }
}

impl Observer for TraceBuilder {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        let Scene { machine, state, thread, step } = *scene;
        let next = EventIndex::new(self.trace.events.len());
        let location = |spot: Spot| machine.location_of(state, spot.object, spot.offset, spot.size);
        let shown = |spot: Spot, value| machine.value_at(state, spot, value);
        let mut step = step;
        let kind = match *what {
            Happening::Read { spot, value, forwarded } => {
                let own = forwarded.and_then(|step| self.buffered.get(&(thread, step)));
                let from = match own {
                    Some(&event) => ReadFrom::Event { event, forwarded: true },
                    None => self.writer(spot),
                };
                EventKind::Read { location: location(spot), value: shown(spot, value), from }
            }
            Happening::Write { spot, value, buffered } => {
                match (buffered, step) {
                    (true, Some(step)) => {
                        self.buffered.insert((thread, step), next);
                    }
                    _ => self.written(spot, next),
                }
                EventKind::Write { location: location(spot), value: shown(spot, value), buffered }
            }
            Happening::Update { spot, old, new } => {
                let from = self.writer(spot);
                if new.is_some() {
                    self.written(spot, next);
                }
                let new = new.map(|new| shown(spot, new));
                EventKind::Update { location: location(spot), old: shown(spot, old), new, from }
            }
            Happening::Commit { spot, value, step: store } => {
                let write = self.buffered.remove(&(thread, store)).expect("a commit should follow its store");
                self.written(spot, write);
                let made = &self.trace.events[write.index()];
                let event = Event {
                    thread,
                    step: Some(store),
                    span: made.span,
                    library: made.library.clone(),
                    kind: EventKind::Commit { location: location(spot), value: shown(spot, value), write },
                };
                self.trace.events.push(event);
                return;
            }
            Happening::Fence(kind) => EventKind::Fence(kind),
            Happening::Create { thread: created } => {
                let created_thread = &state.threads[created.index()];
                let function = machine.program.function(created_thread.start).name.clone();
                self.trace.threads.push(ThreadInfo { name: (*created_thread.name).clone(), function });
                EventKind::Create { thread: created }
            }
            Happening::Join { thread } => EventKind::Join { thread },
            Happening::WakesUp => EventKind::WakesUp,
            Happening::Call { function } => {
                EventKind::Call { function: machine.program.function(function).name.clone() }
            }
            Happening::ObjectEnds { object, by_free } => {
                self.writers.retain(|&(of, _), _| of != object);
                if !by_free {
                    return;
                }
                EventKind::Free { object: machine.object_of(state, object) }
            }
            Happening::Input { source, ty, value } => {
                step = None;
                let (NondetSource::Input(name) | NondetSource::Uninitialised(name)) = source;
                EventKind::Input { source: name.clone(), value: input_value(machine, state, ty, value) }
            }
            // That the thread stops is told next.
            Happening::Assumed(_) | Happening::Checks { .. } => return,
            Happening::ThreadEnds { stopped } => EventKind::End { stopped },
            Happening::Exit { status } => EventKind::Exit { status },
            Happening::Print { stream, format, args } => {
                let text = print::format(&state.memory, machine.program.target, format, args);
                self.output.push(Printed { stream, text });
                return;
            }
        };
        let place = state.threads[thread.index()].place(machine.program);
        let library = place.library.map(|function| machine.program.function(function).name.clone());
        self.trace.events.push(Event { thread, step, span: place.span, library, kind });
    }
}

fn input_value(machine: &Machine<'_>, state: &State, ty: Ty, bits: u64) -> Value {
    let value = if ty == Ty::Ptr { state.memory.pointer_from(bits) } else { crate::eval::Value::int(bits) };
    machine.value_of(state, ty, Display::Signed, value)
}

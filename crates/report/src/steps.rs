//! A trace as the steps that a reader follows one by one, each with what it does to memory and to store buffers.
//!
//! A step of the library is one: its name, and what it changed of the user's own. What a call does besides (calling, having
//! an empty store buffer) is no step of a story.

use crate::rows::describe;
use crate::value::Writer;
use norn_ir::instr::FenceKind;
use norn_ir::program::{Origin, Program};
use norn_ir::span::Span;
use norn_verdict::place::{Location, Value};
use norn_verdict::robustness::CycleEdge;
use norn_verdict::trace::{Event, EventIndex, EventKind, ReadFrom, Trace};

/// A step of a story.
pub(crate) struct Step<'a> {
    /// The number of its first event, as tables number events.
    pub number: usize,
    pub event: &'a Event,
    /// What happened, in words.
    pub text: String,
    pub effects: Vec<Effect<'a>>,
}

/// What a step does to memory or to a store buffer.
pub(crate) enum Effect<'a> {
    /// Reads what a step wrote; without one, the initial value.
    Reads { location: &'a Location, value: &'a Value, from: Option<EventIndex>, forwarded: bool },
    /// Memory holds this from now on.
    Sets { location: &'a Location, value: &'a Value },
    /// A store enters the buffer of the thread.
    Enters { store: EventIndex, location: &'a Location, value: &'a Value },
    /// It leaves the buffer, and memory holds it from now on.
    Leaves { store: EventIndex, location: &'a Location, value: &'a Value },
}

/// The steps of a trace, and for each event the step that it belongs to or that comes after it.
pub(crate) struct Story<'a> {
    pub steps: Vec<Step<'a>>,
    pub step_of: Vec<usize>,
}

impl<'a> Story<'a> {
    pub fn new(trace: &'a Trace, program: &Program) -> Story<'a> {
        let mut story = Story { steps: Vec::new(), step_of: Vec::new() };
        for (index, event) in trace.events.iter().enumerate() {
            let joined = story.add(trace, program, index, event);
            story.step_of.push(if joined { story.steps.len() - 1 } else { story.steps.len() });
        }
        story
    }

    /// Whether the event became part of the last step.
    fn add(&mut self, trace: &'a Trace, program: &Program, index: usize, event: &'a Event) -> bool {
        let id = EventIndex::new(index);
        let mut effects = effects(id, event);
        let is_notable = match event.kind {
            EventKind::Call { .. } | EventKind::Fence(FenceKind::Call | FenceKind::Compiler) => return false,
            EventKind::Create { .. }
            | EventKind::Join { .. }
            | EventKind::End { .. }
            | EventKind::Exit { .. }
            | EventKind::Commit { .. }
            | EventKind::Input { .. }
            | EventKind::WakesUp => true,
            _ => event.library.is_none(),
        };
        let (number, function) = (index + 1, event.library.as_deref().unwrap_or_default());
        if is_notable {
            self.steps.push(Step { number, event, text: describe(event, Writer::new(program, trace)), effects });
            return true;
        }
        let write = Writer::new(program, trace);
        let change = effects.iter().find_map(|effect| match effect {
            Effect::Sets { location, value } | Effect::Enters { location, value, .. } => {
                Some((write.location(location), write.value(value)))
            }
            Effect::Reads { .. } | Effect::Leaves { .. } => None,
        });
        // How a mutex looks inside is nobody's business.
        let change = change.filter(|(place, _)| !is_inside(place)).map(|(place, value)| format!("{place} = {value}"));
        let is_same = |last: &&mut Step<'_>| {
            let first = last.event;
            first.thread == event.thread && first.step == event.step && first.library == event.library
        };
        match self.steps.last_mut().filter(|_| event.step.is_some()).filter(is_same) {
            Some(last) => {
                last.effects.append(&mut effects);
                if let Some(change) = change {
                    last.text += if last.text == function { ": " } else { ", " };
                    last.text += &change;
                }
            }
            None => {
                let text = change.map_or(function.to_owned(), |change| format!("{function}: {change}"));
                self.steps.push(Step { number, event, text, effects });
            }
        }
        true
    }

    /// The step that an event belongs to.
    pub fn step_of(&self, event: EventIndex) -> Option<usize> {
        self.step_of.get(event.index()).copied().filter(|&step| step < self.steps.len())
    }

    /// The steps at the ends of an edge of a cycle, if both are told.
    pub fn ends(&self, edge: &CycleEdge) -> Option<(usize, usize)> {
        Some((self.step_of(edge.from.event?)?, self.step_of(edge.to.event?)?))
    }
}

/// Whether a place is inside an object of the library's, such as a mutex.
pub(crate) fn is_inside(place: &str) -> bool {
    place.contains(".__")
}

/// The name of the function that a place of the user's code belongs to.
pub(crate) fn function_at(program: &Program, span: Span) -> Option<&str> {
    let begins_before = |other: Span| other.file == span.file && (1..=span.line).contains(&other.line);
    let functions = program.functions.iter().filter(|f| f.origin == Origin::User && begins_before(f.span));
    functions.max_by_key(|function| function.span.line).map(|function| &function.name[..])
}

fn effects(id: EventIndex, event: &Event) -> Vec<Effect<'_>> {
    let source = |from: &ReadFrom| match *from {
        ReadFrom::Initial => (None, false),
        ReadFrom::Event { event, forwarded } => (Some(event), forwarded),
    };
    match &event.kind {
        EventKind::Read { location, value, from } => {
            let (from, forwarded) = source(from);
            vec![Effect::Reads { location, value, from, forwarded }]
        }
        EventKind::Write { location, value, buffered: true } => vec![Effect::Enters { store: id, location, value }],
        EventKind::Write { location, value, .. } => vec![Effect::Sets { location, value }],
        EventKind::Update { location, old, new, from } => {
            let (from, forwarded) = source(from);
            let read = Effect::Reads { location, value: old, from, forwarded };
            let set = new.as_ref().map(|value| Effect::Sets { location, value });
            std::iter::once(read).chain(set).collect()
        }
        EventKind::Commit { location, value, write } => vec![Effect::Leaves { store: *write, location, value }],
        _ => Vec::new(),
    }
}

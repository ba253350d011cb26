//! Why an execution comes to its violation, in a few sentences.

use crate::Sources;
use crate::heap::HeapNames;
use crate::steps::function_at;
use crate::table::{WIDEST, wrap};
use crate::value::Writer;
use crate::visible::{visible, visible_up_to};
use norn_ir::instr::FenceKind;
use norn_verdict::trace::{Event, EventIndex, EventKind, ThreadIndex, Trace};
use norn_verdict::why::{Between, Delay, Why};

/// The sentences, one for each line.
pub fn lines(why: &Why, trace: &Trace, sources: &Sources<'_>) -> Vec<String> {
    let heap = HeapNames::new(trace, sources.program);
    let teller = Teller { trace, heap: &heap, sources };
    let mut lines = why.delays.iter().filter_map(|delay| teller.delay(delay)).collect::<Vec<_>>();
    lines.extend(why.between.iter().filter_map(|between| teller.between(between)));
    if why.delays.is_empty() && why.between.is_empty() {
        lines.extend(teller.order());
    }
    if let Some(fence) = &why.fence {
        let kind = match fence.kind {
            FenceKind::Full | FenceKind::Call => "full",
            _ => "release",
        };
        let place = teller.sources.place(fence.after);
        lines.push(format!("With a {kind} fence after {place} this execution is not possible (it was tried)."));
    }
    lines
}

/// The same as text of this width, with an empty line after it.
pub fn paragraph(why: &Why, trace: &Trace, sources: &Sources<'_>, width: usize) -> String {
    let mut text = String::new();
    for sentence in lines(why, trace, sources) {
        for (number, line) in
            wrap(&visible_up_to(&sentence, LONGEST), width.min(WIDEST).saturating_sub(2)).iter().enumerate()
        {
            text += &format!("{}{line}\n", if number > 0 { "  " } else { "" });
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The most characters of a sentence; longer ones are cut.
const LONGEST: usize = 2000;

struct Teller<'a> {
    trace: &'a Trace,
    heap: &'a HeapNames,
    sources: &'a Sources<'a>,
}

impl Teller<'_> {
    fn event(&self, event: EventIndex) -> Option<&Event> {
        self.trace.event(event)
    }

    fn thread(&self, thread: ThreadIndex) -> String {
        let thread = self.trace.thread(thread);
        thread.map_or_else(String::new, |thread| match thread.name.0.is_empty() {
            true => thread.name.to_string(),
            false => format!("{} ({})", thread.name, visible(&thread.function)),
        })
    }

    /// The place of an event, with its function if that is not where its thread began.
    fn place(&self, event: &Event) -> String {
        let place = self.sources.place(event.span);
        let function = function_at(self.sources.program, event.span);
        let begins = self.trace.thread(event.thread).map(|thread| &thread.function[..]);
        match function.filter(|function| Some(*function) != begins) {
            Some(function) => format!("{place}, in {}", visible(function)),
            None => place,
        }
    }

    /// What is accessed, with the value that was read or written.
    fn access(&self, event: &Event) -> Option<String> {
        let write = Writer { heap: Some(self.heap), ..Writer::new(self.sources.program, self.trace) };
        let (location, value) = match &event.kind {
            EventKind::Read { location, value, .. }
            | EventKind::Write { location, value, .. }
            | EventKind::Commit { location, value, .. } => (location, value),
            EventKind::Update { location, old, new, .. } => (location, new.as_ref().unwrap_or(old)),
            _ => return None,
        };
        let place = write.location(location);
        Some(visible(&format!("{place} = {}", write.value(value))).into_owned())
    }

    /// The name of what is accessed.
    fn name(&self, event: &Event) -> Option<String> {
        let access = self.access(event)?;
        access.split(" = ").next().map(str::to_owned)
    }

    fn verb(&self, event: &Event) -> &'static str {
        match event.kind {
            EventKind::Read { .. } | EventKind::Update { new: None, .. } => "reads",
            EventKind::Update { .. } => "updates",
            _ => "writes",
        }
    }

    /// What an event does, in the words of the library function if it is inside of one.
    fn does(&self, event: &Event) -> Option<String> {
        match &event.library {
            Some(function) => Some(format!("calls {}", visible(function))),
            None => Some(format!("{} {}", self.verb(event), self.access(event)?)),
        }
    }

    fn delay(&self, delay: &Delay) -> Option<String> {
        let store = self.event(delay.store)?;
        let past = self.event(delay.past?)?;
        let (thread, place) = (self.thread(store.thread), self.place(store));
        let past_line = self.sources.place(past.span);
        let made = format!("{thread} writes {} at {place}, but ", self.access(store)?);
        let overtaken = match past.kind {
            EventKind::Read { .. } => {
                format!("reads {} at {past_line} before that store reaches memory", self.name(past)?)
            }
            _ => format!("its later store {} ({past_line}) reaches memory first", self.access(past)?),
        };
        let unseen = delay.unseen_by.and_then(|event| self.event(event)).and_then(|reader| {
            Some(format!(
                "; {} still reads {} at {}",
                self.thread(reader.thread),
                self.access(reader)?,
                self.place(reader)
            ))
        });
        Some(format!("{made}{overtaken}{}.", unseen.unwrap_or_default()))
    }

    fn between(&self, between: &Between) -> Option<String> {
        let (before, other, after) =
            (self.event(between.before)?, self.event(between.other)?, self.event(between.after)?);
        let did = |event: &Event| Some(format!("{} at {}", self.does(event)?, self.place(event)));
        Some(format!(
            "{} {}; then {} {}; only then {} {}.",
            self.thread(before.thread),
            did(before)?,
            self.thread(other.thread),
            did(other)?,
            self.thread(after.thread),
            did(after)?
        ))
    }

    /// If nobody is interrupted, the order of the threads is all there is to say.
    fn order(&self) -> Option<String> {
        let mut threads: Vec<ThreadIndex> = Vec::new();
        for event in self.trace.events.iter().filter(|event| event.kind.is_turn()) {
            if threads.last() != Some(&event.thread) {
                threads.push(event.thread);
            }
        }
        let names = threads.iter().map(|&thread| self.thread(thread)).collect::<Vec<_>>();
        (threads.len() > 1)
            .then(|| format!("No store has to wait: it is enough that turns are in the order {}.", names.join(", ")))
    }
}

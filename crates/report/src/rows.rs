//! What happened in an execution, row by row, as tables show it.

use crate::value::Writer;
use norn_ir::instr::FenceKind;
use norn_verdict::place::{Location, Value};
use norn_verdict::trace::{Event, EventIndex, EventKind, ReadFrom, ThreadIndex, Trace};

/// One row of a table: an event, a step of a library function as a whole, or all that comes before the first thread.
pub(crate) struct Row<'a> {
    /// Of the event, from 1.
    pub number: usize,
    /// Of the last event that it stands for.
    pub last: usize,
    pub event: &'a Event,
    pub text: String,
}

impl Row<'_> {
    /// It stands for many events, which have no one place.
    pub fn is_fold(&self) -> bool {
        self.number != self.last
    }
}

/// What a reader wants to see: a step inside a library function is one row with the function's name and what it changed
/// of the user's own; what a call does besides (calling, having an empty store buffer) is left out. A store that reaches memory before
/// anything else happens says so itself.
pub(crate) fn rows<'a>(trace: &'a Trace, write: Writer<'_>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut arrived = None;
    for (i, event) in trace.events.iter().enumerate().filter(|(_, event)| event.kind.is_shown()) {
        let number = i + 1;
        match (&event.kind, &event.library) {
            (EventKind::Commit { write, .. }, _) if Some(*write) == arrived => {}
            (EventKind::Create { .. } | EventKind::Join { .. } | EventKind::End { .. } | EventKind::Exit { .. }, _)
            | (EventKind::Commit { .. } | EventKind::Input { .. } | EventKind::WakesUp, _)
            | (_, None) => {
                let mut text = describe(event, write);
                if let EventKind::Write { location, value, buffered: true } = &event.kind
                    && arrives_at_once(trace, i)
                {
                    text = format!("writes {} = {} (at once in memory)", write.location(location), write.value(value));
                    arrived = Some(EventIndex::new(i));
                }
                rows.push(Row { number, last: number, event, text });
            }
            (kind, Some(function)) => {
                let change = match kind {
                    EventKind::Write { location, value, .. } => Some((location, value)),
                    EventKind::Update { location, new: Some(new), .. } => Some((location, new)),
                    _ => None,
                };
                // How a mutex looks inside is nobody's business.
                let change = change.map(|(location, value)| (write.location(location), write.value(value)));
                let change = change.filter(|(l, _)| !l.contains(".__")).map(|(l, v)| format!("{l} = {v}"));
                let same_step = |row: &Row<'_>| {
                    let first = row.event;
                    first.thread == event.thread && first.step == event.step && first.library == event.library
                };
                let row = |text| Row { number, last: number, event, text };
                match (rows.last_mut().filter(|row| event.step.is_some() && same_step(row)), change) {
                    (Some(row), Some(change)) if row.text == *function => row.text += &format!(": {change}"),
                    (Some(row), Some(change)) => row.text += &format!(", {change}"),
                    (Some(_), None) => {}
                    (None, Some(change)) => rows.push(row(format!("{function}: {change}"))),
                    (None, None) => rows.push(row(function.clone())),
                }
            }
        }
    }
    rows
}

/// Whether nothing that is shown comes between a store and its arrival in memory.
fn arrives_at_once(trace: &Trace, store: usize) -> bool {
    let next = trace.events[store + 1..].iter().find(|event| event.kind.is_shown());
    next.is_some_and(|next| matches!(next.kind, EventKind::Commit { write, .. } if write.index() == store))
}

/// The rows with what main does before the first thread starts as one, if it is more than a little.
pub(crate) fn folded<'a>(rows: Vec<Row<'a>>, write: Writer<'_>) -> Vec<Row<'a>> {
    const LITTLE: usize = 4;
    const MOST_CHANGES: usize = 8;
    let is_create = |row: &Row<'_>| matches!(row.event.kind, EventKind::Create { .. });
    let count = rows.iter().position(is_create).unwrap_or(0);
    if count < LITTLE || rows[..count].iter().any(|row| row.event.thread != ThreadIndex::MAIN) {
        return rows;
    }
    let mut changes: Vec<(String, String)> = Vec::new();
    for row in &rows[..count] {
        let change = match &row.event.kind {
            EventKind::Write { location, value, .. } | EventKind::Update { location, new: Some(value), .. } => {
                (write.location(location), write.value(value))
            }
            EventKind::Input { source, value } => (source.clone(), write.value(value)),
            _ => continue,
        };
        if !change.0.contains(".__") {
            changes.retain(|other| other.0 != change.0);
            changes.push(change);
        }
    }
    let more = changes.len().saturating_sub(MOST_CHANGES);
    let shown = changes[more..].iter().map(|(place, value)| format!("{place} = {value}")).collect::<Vec<_>>();
    let told = match (shown.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", shown.join(", ")),
        (false, more) => format!(": {} and {more} more", shown.join(", ")),
    };
    let text = format!("{count} steps before the first thread starts{told}");
    let first = Row { number: rows[0].number, last: rows[count - 1].number, event: rows[0].event, text };
    std::iter::once(first).chain(rows.into_iter().skip(count)).collect()
}

/// What happened, in a few words.
pub fn describe(event: &Event, write: Writer<'_>) -> String {
    let trace = write.trace;
    let (at, shown) = (|location: &Location| write.location(location), |value: &Value| write.value(value));
    let from = |from: &ReadFrom| match from {
        ReadFrom::Initial => "the initial value".to_owned(),
        ReadFrom::Event { event, forwarded: true } => format!("#{}, still in its own store buffer", event.number()),
        ReadFrom::Event { event, .. } => format!("#{}", event.number()),
    };
    let thread =
        |index: ThreadIndex| trace.thread(index).map_or_else(String::new, |t| format!("{} ({})", t.name, t.function));
    match &event.kind {
        EventKind::Read { location, value, from: source } => {
            format!("reads {} = {} (from {})", at(location), shown(value), from(source))
        }
        EventKind::Write { location, value, buffered: true } => {
            format!("writes {} = {} (into its store buffer)", at(location), shown(value))
        }
        EventKind::Write { location, value, .. } => format!("writes {} = {}", at(location), shown(value)),
        EventKind::Update { location, old, new: Some(new), from: source } => {
            format!("updates {} from {} to {} (read from {})", at(location), shown(old), shown(new), from(source))
        }
        EventKind::Update { location, old, from: source, .. } => {
            format!("compares {} = {} and leaves it (from {})", at(location), shown(old), from(source))
        }
        EventKind::Commit { location, value, write: store } => {
            format!("store of #{} reaches memory: {} = {}", store.number(), at(location), shown(value))
        }
        EventKind::Fence(kind) => fence(*kind).to_owned(),
        EventKind::Create { thread: t } => format!("creates {}", thread(*t)),
        EventKind::Join { thread: t } => format!("joins {}", thread(*t)),
        EventKind::WakesUp => "stops waiting without cause (as in a spurious wake-up)".to_owned(),
        EventKind::Call { function } => format!("calls {function}"),
        EventKind::Free { object } => format!("frees {}", write.object(object)),
        EventKind::Input { source, value } => format!("{source} gives {}", shown(value)),
        EventKind::End { stopped: true } => "stops: an assumption does not hold".to_owned(),
        EventKind::End { .. } => "ends".to_owned(),
        EventKind::Exit { status: Some(status) } => format!("ends the program with status {status}"),
        EventKind::Exit { status: None } => "aborts the program".to_owned(),
    }
}

fn fence(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "full fence",
        FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore => "store-store fence",
        FenceKind::Acquire | FenceKind::LoadLoad => "load fence",
        FenceKind::Compiler => "compiler fence",
        FenceKind::Call => "store buffer is empty",
    }
}

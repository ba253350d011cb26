//! A counterexample as a list of moves: the part of an execution that formats of witnesses can say.
//!
//! These are the creations of threads, what calls gave, and what shared variables held where they were read. A variable is
//! told at the begin of the statement that reads it, where formats evaluate it; so only if it still held the same at the read.

use crate::text::{Line, Point, Texts};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::outcome::Counterexample;
use norn_verdict::place::{Location, ObjectKind, Value};
use norn_verdict::trace::{Event, EventKind, ThreadIndex};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    pub moves: Vec<Move>,
    /// Where it goes wrong; of a data race, both accesses.
    pub targets: Vec<Target>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    pub thread: ThreadIndex,
    pub line: Line,
    pub what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// Of a call, where its parenthesis closes.
    Creates {
        thread: ThreadIndex,
        function: String,
        at: Point,
    },
    Returns {
        function: String,
        value: String,
        at: Point,
    },
    /// The variable has this value.
    Holds {
        variable: String,
        value: String,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub thread: Option<ThreadIndex>,
    pub line: Line,
}

/// Who is to blame for a violation: a thread, and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blame {
    pub thread: Option<ThreadIndex>,
    pub span: Span,
}

/// `None` if it goes wrong outside of the texts.
pub fn story(found: &Counterexample, blames: &[Blame], program: &Program, texts: &Texts) -> Option<Story> {
    let target = |blame: &Blame| Some(Target { thread: blame.thread, line: texts.line(blame.span)? });
    let targets = blames.iter().map(target).collect::<Option<Vec<_>>>()?;
    let events = &found.trace().events;
    let mut moves = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Some(line) = texts.line(event.span) else { continue };
        let closing = || texts.closing_parenthesis(event.span).unwrap_or(Point { line: line.number, column: None });
        let what = match &event.kind {
            EventKind::Create { thread } => {
                let function = found.trace().thread(*thread).map_or_else(String::new, |info| info.function.clone());
                Some(What::Creates { thread: *thread, function, at: closing() })
            }
            EventKind::Input { source, value } if event.library.is_none() && is_called(source, line, texts) => {
                number(value).map(|value| What::Returns { function: source.clone(), value, at: closing() })
            }
            EventKind::Read { location, value, .. } | EventKind::Update { location, old: value, .. }
                if event.library.is_none() && held_since_begin(events, index) =>
            {
                variable(location, program).and_then(|variable| Some(What::Holds { variable, value: number(value)? }))
            }
            _ => None,
        };
        if let Some(what) = what {
            moves.push((begin(events, index, &what), Move { thread: event.thread, line, what }));
        }
    }
    // What a statement reads is told where it begins.
    moves.sort_by_key(|(begin, _)| *begin);
    Some(Story { moves: moves.into_iter().map(|(_, made)| made).collect(), targets })
}

/// Whether a value comes from a call that stands on the line, and not from a variable that nobody has set.
fn is_called(source: &str, line: Line, texts: &Texts) -> bool {
    source.contains("nondet") && texts.text(line).contains(source)
}

/// The event of the thread with which the statement of an event begins, as far as lines tell.
fn begin(events: &[Event], index: usize, what: &What) -> usize {
    if !matches!(what, What::Holds { .. }) {
        return index;
    }
    let event = &events[index];
    let mut begin = index;
    for (at, before) in events[..index].iter().enumerate().rev() {
        if before.thread == event.thread && before.step.is_some() {
            if before.span.line != event.span.line || before.library.is_some() {
                break;
            }
            begin = at;
        }
    }
    begin
}

/// Whether nobody has written what an event reads since its statement began.
fn held_since_begin(events: &[Event], index: usize) -> bool {
    let (EventKind::Read { location, .. } | EventKind::Update { location, .. }) = &events[index].kind else {
        return false;
    };
    let what = What::Holds { variable: String::new(), value: String::new() };
    let begin = begin(events, index, &what);
    !events[begin..index].iter().any(|event| match &event.kind {
        EventKind::Write { location: other, .. } | EventKind::Update { location: other, new: Some(_), .. } => {
            other.object == location.object
                && other.offset < location.offset + location.size
                && location.offset < other.offset + other.size
        }
        _ => false,
    })
}

/// A global variable, or a part of one, as C writes it.
fn variable(location: &Location, program: &Program) -> Option<String> {
    let ObjectKind::Global(id) = location.object.kind else { return None };
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name(&program.global(id).name) {
        // A static variable of a function, or a literal.
        return None;
    }
    let written = location.written(program, &|_| None);
    let is_path = written.split(['.', '[', ']']).all(is_name) && !written.contains("..");
    is_path.then_some(written)
}

fn number(value: &Value) -> Option<String> {
    use norn_ir::types::Display;
    let Value::Number { ty, display, bits } = *value else { return None };
    let width = match ty {
        Ty::Bool | Ty::I8 => 8,
        Ty::I16 => 16,
        Ty::I32 => 32,
        Ty::I64 => 64,
        Ty::F32 | Ty::F64 | Ty::Ptr => return None,
    };
    Some(match display {
        Display::Unsigned | Display::Bool => bits.to_string(),
        Display::Signed | Display::Char => {
            let unused = 64 - width;
            let signed = ((bits << unused) as i64) >> unused;
            // The smallest number has no literal of its own in C.
            if signed == i64::MIN { return None } else { signed.to_string() }
        }
        Display::Float | Display::Pointer => return None,
    })
}

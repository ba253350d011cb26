//! Names for what a program allocates: `node#2`, the second `struct node` that an execution tells of, with a legend that says where it
//! comes from.

use crate::Sources;
use crate::steps::function_at;
use crate::visible::visible;
use norn_ir::program::Program;
use norn_ir::types::Shape;
use norn_verdict::place::{Location, Object, ObjectKind, Pointer, Value};
use norn_verdict::trace::{EventKind, ThreadIndex, Trace};

/// The objects of known structures, in the order in which the execution tells of them.
pub struct HeapNames(Vec<Named>);

struct Named {
    object: Object,
    /// Of the structure.
    tag: String,
    /// Among those of the same structure, from 1.
    number: usize,
}

impl HeapNames {
    pub fn new(trace: &Trace, program: &Program) -> HeapNames {
        let mut names = HeapNames(Vec::new());
        for event in &trace.events {
            each_object(&event.kind, &mut |object| names.add(object, program));
        }
        names
    }

    fn add(&mut self, object: &Object, program: &Program) {
        let Some(tag) = tag(object, program) else { return };
        if self.0.iter().any(|named| named.object == *object) {
            return;
        }
        let number = self.0.iter().filter(|named| named.tag == tag).count() + 1;
        self.0.push(Named { object: *object, tag: tag.to_owned(), number });
    }

    fn named(&self, object: &Object) -> Option<&Named> {
        self.0.iter().find(|named| named.object == *object)
    }

    /// For example `node#2`.
    pub fn object(&self, object: &Object) -> Option<String> {
        self.named(object).map(|named| format!("{}#{}", named.tag, named.number))
    }

    /// For example `node#2->next`, or `node#2[3].next` in an array.
    pub fn location(&self, location: &Location, program: &Program) -> Option<String> {
        let name = self.object(&location.object)?;
        let (ty, index, within) = location.object.element(program, location.offset)?;
        let path = program.path_of(ty, within, location.size);
        Some(match (index, path.strip_prefix('.')) {
            (Some(index), _) => format!("{name}[{index}]{path}"),
            (None, Some(field)) => format!("{name}->{field}"),
            (None, None) if path.is_empty() && location.size > 0 => format!("*{name}"),
            (None, None) => format!("{name}{path}"),
        })
    }

    /// One line for each of the names.
    pub fn legend(&self, trace: &Trace, sources: &Sources<'_>) -> Vec<String> {
        let line = |named: &Named| {
            let Named { object, tag, number } = named;
            let made_in = function_at(sources.program, object.made_at);
            let same =
                |other: &&Named| other.tag == *tag && function_at(sources.program, other.object.made_at) == made_in;
            let ordinal = self.0.iter().filter(same).position(|other| other.object == *object).map_or(0, |at| at + 1);
            let thread = trace.name(object.owner).filter(|_| object.owner != ThreadIndex::MAIN);
            let by = thread.map_or_else(String::new, |thread| format!(" in {thread}"));
            let place = sources.place(object.made_at);
            let from = made_in.map_or_else(String::new, |function| format!(" from {}", visible(function)));
            format!("{0}#{number} is the {1} {0}{from} ({place}){by}", visible(tag), self::ordinal(ordinal))
        };
        self.0.iter().map(line).collect()
    }
}

fn ordinal(number: usize) -> String {
    const WORDS: [&str; 9] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
    match number.checked_sub(1).and_then(|at| WORDS.get(at)) {
        Some(word) => (*word).to_owned(),
        None => format!("{number}th"),
    }
}

/// The name of the structure that memory of the heap holds, if it is known and has one.
fn tag<'a>(object: &Object, program: &'a Program) -> Option<&'a str> {
    if !matches!(object.kind, ObjectKind::Heap { .. }) {
        return None;
    }
    match &program.ty(object.ty?).shape {
        Shape::Record(record) if !record.name.is_empty() => Some(&record.name),
        _ => None,
    }
}

fn each_object(kind: &EventKind, f: &mut impl FnMut(&Object)) {
    let value = |value: &Value, f: &mut dyn FnMut(&Object)| {
        if let Value::Pointer(Pointer::To { object, .. }) = value {
            f(object);
        }
    };
    match kind {
        EventKind::Read { location, value: read, .. }
        | EventKind::Write { location, value: read, .. }
        | EventKind::Commit { location, value: read, .. } => {
            f(&location.object);
            value(read, f);
        }
        EventKind::Update { location, old, new, .. } => {
            f(&location.object);
            value(old, f);
            if let Some(new) = new {
                value(new, f);
            }
        }
        EventKind::Free { object } => f(object),
        EventKind::Input { value: given, .. } => value(given, f),
        _ => {}
    }
}

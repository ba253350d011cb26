//! Small event lists by hand, with the number of rounds that their outcomes need.

use crate::encode::Encoding;
use crate::plan::Plan;
use crate::solve::Question;
use norn_ir::ids::FuncId;
use norn_ir::instr::{Access, FenceKind, Order};
use norn_ir::span::Span;
use norn_logic::{Answer, Sort, Term, Terms};
use norn_symex::{
    Cell, CellId, Check, Condition, Event, EventId, EventKind, EventRange, Finding, Object, ObjectId, Section,
    SectionId, SectionKind, Symbolic, Thread, ThreadId,
};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Violation, ViolationKind};

/// What a thread of a test does, in the words of litmus tests: `Wx1` writes 1 to x, `Rx` reads it, `Ux1` exchanges it for 1,
/// `F` and `S` are a full and a store-store fence.
fn program(threads: &[&str], outcome: &str) -> Symbolic {
    let mut builder = Builder { terms: Terms::new(), events: Vec::new(), sections: Vec::new(), reads: Vec::new() };
    let main = ThreadId(0);
    let others = || ThreadId::all(threads.len() + 1).skip(1);
    for created in others() {
        builder.event(main, EventKind::Create(vec![(created, Term::TRUE)]), None);
    }
    for joined in others() {
        builder.event(main, EventKind::Join(vec![(joined, Term::TRUE)]), None);
    }
    let mut found = vec![thread(None, EventRange::new(EventId(0), EventId::new(2 * threads.len())))];
    for (index, text) in threads.iter().enumerate() {
        let start = EventId::new(builder.events.len());
        text.split_whitespace().for_each(|word| builder.word(ThreadId::new(index + 1), word));
        let events = EventRange::new(start, EventId::new(builder.events.len()));
        found.push(thread(Some((main, EventId::new(index))), events));
    }
    let wanted = outcome.chars().filter(char::is_ascii_digit).map(|digit| u64::from(digit) - u64::from('0'));
    let mut violated = Term::TRUE;
    for (value, read) in wanted.zip(builder.reads.clone()) {
        let value = builder.terms.bits(32, value);
        let is_value = builder.terms.eq(read, value);
        violated = builder.terms.and(violated, is_value);
    }
    let violation = Violation { kind: ViolationKind::Assertion, span: Span::NONE, message: String::new() };
    let check = Check {
        what: Finding::Violation(violation),
        thread: main,
        position: EventId::new(2 * threads.len()),
        violated: Condition::Term(violated),
        span: Span::NONE,
    };
    let zero = builder.terms.bits(32, 0);
    let encoding = norn_symex::Encoding::Bits { varying: u64::from(u32::MAX), ones: 0, indeterminate: false };
    let cell = |name: &str| Cell {
        object: ObjectId(0),
        offset: 0,
        size: 4,
        width: 32,
        initial: zero,
        encoding: encoding.clone(),
        name: name.to_owned(),
    };
    Symbolic {
        terms: builder.terms,
        threads: found,
        events: builder.events,
        sections: builder.sections,
        cells: ["x", "y", "z"].map(cell).to_vec(),
        objects: vec![Object { name: "all".to_owned(), maker: None, shared: true }],
        checks: vec![check],
        cuts: Vec::new(),
        marks: Vec::new(),
        constraints: Vec::new(),
        joined: Vec::new(),
        watches_addresses: None,
        guesses_number: None,
        observer: None,
        moments: Vec::new(),
        stats: Default::default(),
    }
}

fn thread(creator: Option<(ThreadId, EventId)>, events: EventRange) -> Thread {
    Thread {
        function: FuncId::new(0),
        creator,
        start: Term::TRUE,
        ended: Term::TRUE,
        events,
        inputs: Vec::new(),
        number: Term::TRUE,
        result: None,
    }
}

struct Builder {
    terms: Terms,
    events: Vec<Event>,
    sections: Vec<Section>,
    reads: Vec<Term>,
}

impl Builder {
    fn event(&mut self, thread: ThreadId, kind: EventKind, section: Option<SectionId>) {
        self.events.push(Event { thread, kind, guard: Term::TRUE, section, visible: true, span: Span::NONE });
    }

    fn word(&mut self, thread: ThreadId, word: &str) {
        let letter = |at: usize| word.as_bytes().get(at).copied().unwrap_or_default();
        let targets = vec![(CellId(u32::from(letter(1).wrapping_sub(b'x'))), Term::TRUE)];
        let order = if word.ends_with('r') { Order::Release } else { Order::Plain };
        let access = Access { order, volatile: false };
        let written = self.terms.bits(32, u64::from(letter(2).wrapping_sub(b'0')));
        match letter(0) {
            b'W' => self.event(thread, EventKind::Write { targets, value: written, access }, None),
            b'R' => {
                let value = self.terms.fresh(Sort::Bits(32));
                self.reads.push(value);
                self.event(thread, EventKind::Read { targets, value, access }, None);
            }
            b'U' => {
                let id = SectionId::new(self.sections.len());
                let start = EventId::new(self.events.len());
                let (kind, guard, span) = (SectionKind::Rmw, Term::TRUE, Span::NONE);
                self.sections.push(Section {
                    thread,
                    kind,
                    events: EventRange::new(start, start.next().next()),
                    guard,
                    span,
                });
                let value = self.terms.fresh(Sort::Bits(32));
                self.reads.push(value);
                self.event(thread, EventKind::Read { targets: targets.clone(), value, access }, Some(id));
                self.event(thread, EventKind::Write { targets, value: written, access }, Some(id));
            }
            b'F' => self.event(thread, EventKind::Fence(FenceKind::Full), None),
            b'S' => self.event(thread, EventKind::Fence(FenceKind::StoreStore), None),
            other => panic!("there is no '{}'", other as char),
        }
    }
}

/// The fewest rounds in which all reads see these values, under each model; 0 if none are enough.
fn check(threads: &[&str], outcome: &str, expected: [u32; 3]) {
    let symbolic = program(threads, outcome);
    let order = crate::examine::thread_order(&symbolic, &[]);
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        for limit in [None, Some(3)] {
            let plan = Plan::new(&symbolic, model);
            let enough = plan.enough_rounds(&order);
            let mut encoding = Encoding::new(&symbolic, &plan, model, &order, limit);
            let found = (1..=enough).find(|&rounds| {
                let question = Question::new(&mut encoding, rounds, false, &Limits::none());
                question.expect("there is no limit").violation(&Limits::none(), None) == Some(Answer::Sat)
            });
            assert_eq!(found.unwrap_or(0), expected, "{threads:?} {outcome} {model} of {enough} rounds");
        }
    }
}

#[test]
fn store_buffering() {
    check(&["Wx1 Ry", "Wy1 Rx"], "0 1", [1, 1, 1]);
    check(&["Wx1 Ry", "Wy1 Rx"], "0 0", [0, 2, 2]);
    check(&["Wx1 F Ry", "Wy1 F Rx"], "0 0", [0, 0, 0]);
    check(&["Wx1 S Ry", "Wy1 S Rx"], "0 0", [0, 2, 2]);
    check(&["Ux1 Ry", "Uy1 Rx"], "0 0 0 0", [0, 0, 0]);
    check(&["Wx1 Uz1 Ry", "Wy1 Uz1 Rx"], "0 0 1 0", [0, 0, 0]);
}

#[test]
fn message_passing() {
    check(&["Wx1 Wy1", "Ry Rx"], "1 1", [1, 1, 1]);
    check(&["Wx1 Wy1", "Ry Rx"], "1 0", [0, 0, 2]);
    check(&["Wx1 S Wy1", "Ry Rx"], "1 0", [0, 0, 0]);
    check(&["Wx1 Wy1r", "Ry Rx"], "1 0", [0, 0, 0]);
    check(&["Wx1 Wz1 F Wz2 Wy1", "Ry Rx"], "1 0", [0, 0, 0]);
}

#[test]
fn own_stores_are_seen() {
    check(&["Wx1 Rx"], "1", [1, 1, 1]);
    check(&["Wx1 Rx"], "0", [0, 0, 0]);
    // n6: the own store is seen before the others' are.
    check(&["Wx1 Rx Ry", "Wy2 Wx2 F Rx"], "1 0 1", [0, 2, 2]);
    // n5: each first its own store, then the other's.
    check(&["Wx1 Rx Rx", "Wx2 Rx Rx"], "1 2 2 1", [0, 0, 0]);
    check(&["Wx1 Rx Rx", "Wx2 Rx Rx"], "1 2 2 2", [2, 2, 2]);
    // What was committed earlier may have been overwritten; an own store that comes later is not seen.
    check(&["Wx1 Ry Rx Wx3", "Wx2 Wy1"], "1 2", [2, 2, 2]);
    check(&["Wx1 Ry Rx Wx3", "Wx2 Wy1"], "1 3", [0, 0, 0]);
}

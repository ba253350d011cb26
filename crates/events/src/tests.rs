//! The axioms against store buffers: small lists of events made by hand, and a machine for them of a few lines. What the
//! reads of an execution can see is the same, under each model and in both encodings.

use crate::engine::Encoding;
use crate::question::{Asked, Form, Formulated, Question};
use norn_ir::ids::FuncId;
use norn_ir::instr::{Access, FenceKind, Order};
use norn_ir::number::{narrow, to_usize};
use norn_ir::span::Span;
use norn_logic::{Lit, Propagator, Sort, Term, Terms};
use norn_symex::{
    Cell, CellId, Check, Condition, Event, EventId, EventKind, EventRange, Finding, Object, ObjectId, Section,
    SectionId, SectionKind, Stats, Symbolic, Thread, ThreadId,
};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Violation, ViolationKind};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Write(usize, u64),
    Release(usize, u64),
    Read(usize),
    Full,
    StoreStore,
    /// Reads and adds.
    Add(usize, u64),
    /// Reads both in one step, through the buffer.
    ReadBoth,
    /// Writes only if the thread's last read, which there should be, saw 1.
    IfOne(usize, u64),
}

const CELLS: usize = 2;
const WIDTH: u32 = 3;

/// Main creates a thread for each list.
fn symbolic(threads: &[Vec<Op>]) -> (Symbolic, Vec<Term>) {
    let mut terms = Terms::new();
    let zero = terms.bits(WIDTH, 0);
    let mut build = Build {
        terms,
        events: Vec::new(),
        sections: Vec::new(),
        seen: Vec::new(),
        constraints: Vec::new(),
        thread: ThreadId(0),
    };
    let mut list = vec![thread(None, EventRange::new(EventId(0), EventId::new(threads.len())))];
    for created in ThreadId::all(threads.len() + 1).skip(1) {
        build.event(EventKind::Create(vec![(created, Term::TRUE)]), Term::TRUE, None);
    }
    for (number, ops) in threads.iter().enumerate() {
        build.thread = ThreadId::new(number + 1);
        let start = EventId::new(build.events.len());
        for &op in ops {
            build.op(op);
        }
        let events = EventRange::new(start, EventId::new(build.events.len()));
        list.push(thread(Some((ThreadId(0), EventId::new(number))), events));
    }
    let cells = (0..CELLS).map(|i| Cell {
        object: ObjectId(0),
        offset: 4 * i as u64,
        size: 4,
        width: WIDTH,
        initial: zero,
        encoding: norn_symex::Encoding::Signed { bits: WIDTH, indeterminate: false },
        name: format!("x{i}"),
    });
    let object = Object { name: "x".to_owned(), maker: None, shared: true };
    let symbolic = Symbolic {
        terms: build.terms,
        threads: list,
        events: build.events,
        sections: build.sections,
        cells: cells.collect(),
        objects: vec![object],
        checks: Vec::new(),
        cuts: Vec::new(),
        marks: Vec::new(),
        constraints: build.constraints,
        joined: Vec::new(),
        watches_addresses: None,
        guesses_number: None,
        observer: None,
        moments: Vec::new(),
        stats: Stats::default(),
    };
    (symbolic, build.seen)
}

fn thread(creator: Option<(ThreadId, EventId)>, events: EventRange) -> Thread {
    let number = Term::TRUE;
    let function = FuncId::new(0);
    let (start, ended, result) = (Term::TRUE, Term::TRUE, None);
    Thread { function, creator, start, ended, events, inputs: Vec::new(), number, result }
}

struct Build {
    terms: Terms,
    events: Vec<Event>,
    sections: Vec<Section>,
    seen: Vec<Term>,
    constraints: Vec<Term>,
    thread: ThreadId,
}

impl Build {
    fn event(&mut self, kind: EventKind, guard: Term, section: Option<SectionId>) {
        let visible = matches!(kind, EventKind::Read { .. } | EventKind::Write { .. });
        self.events.push(Event { thread: self.thread, kind, guard, section, visible, span: Span::NONE });
    }

    fn read(&mut self, cell: usize, section: Option<SectionId>) -> Term {
        let value = self.terms.fresh(Sort::Bits(WIDTH));
        let targets = vec![(CellId::new(cell), Term::TRUE)];
        self.event(EventKind::Read { targets, value, access: Access::PLAIN }, Term::TRUE, section);
        self.seen.push(value);
        value
    }

    fn write(&mut self, cell: usize, value: Term, order: Order, guard: Term, section: Option<SectionId>) {
        let access = Access { order, volatile: false };
        // A second target that is never meant keeps the way of several targets tested.
        let mut targets = vec![(CellId::new(cell), Term::TRUE)];
        if self.events.len().is_multiple_of(3) {
            let never = self.terms.fresh(Sort::Bool);
            let other = CellId((narrow(cell) + 1) % narrow(CELLS));
            targets = vec![(CellId::new(cell), !never), (other, never)];
            self.constraints.push(!never);
            return self.event(EventKind::Write { targets, value, access }, guard, section);
        }
        self.event(EventKind::Write { targets, value, access }, guard, section);
    }

    fn section(&mut self, kind: SectionKind, body: impl FnOnce(&mut Build, SectionId)) {
        let id = SectionId::new(self.sections.len());
        let start = EventId::new(self.events.len());
        let (thread, guard) = (self.thread, Term::TRUE);
        self.sections.push(Section { thread, kind, events: EventRange::new(start, start), guard, span: Span::NONE });
        body(self, id);
        self.sections[id.index()].events.end = EventId::new(self.events.len());
    }

    fn op(&mut self, op: Op) {
        match op {
            Op::Write(cell, value) => {
                let value = self.terms.bits(WIDTH, value);
                self.write(cell, value, Order::Plain, Term::TRUE, None);
            }
            Op::Release(cell, value) => {
                let value = self.terms.bits(WIDTH, value);
                self.write(cell, value, Order::Release, Term::TRUE, None);
            }
            Op::Read(cell) => {
                self.read(cell, None);
            }
            Op::Full => self.event(EventKind::Fence(FenceKind::Full), Term::TRUE, None),
            Op::StoreStore => self.event(EventKind::Fence(FenceKind::StoreStore), Term::TRUE, None),
            Op::Add(cell, value) => self.section(SectionKind::Rmw, |build, id| {
                let old = build.read(cell, Some(id));
                let value = build.terms.bits(WIDTH, value);
                let new = build.terms.add(old, value);
                build.write(cell, new, Order::SeqCst, Term::TRUE, Some(id));
            }),
            Op::ReadBoth => self.section(SectionKind::Read, |build, id| {
                build.read(0, Some(id));
                build.read(1, Some(id));
            }),
            Op::IfOne(cell, value) => {
                let seen = *self.seen.last().expect("there should be a read before");
                let one = self.terms.bits(WIDTH, 1);
                let guard = self.terms.eq(seen, one);
                let value = self.terms.bits(WIDTH, value);
                self.write(cell, value, Order::Plain, guard, None);
            }
        }
    }
}

/// How far a thread is, its pending writes (cell, value, epoch), and its epoch.
type Runner = (usize, Vec<(usize, u64, u32)>, u32);

/// What a run can look like in between.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: [u64; CELLS],
    threads: Vec<Runner>,
    seen: Vec<Vec<u64>>,
}

/// Everything that the reads can see, thread by thread.
fn outcomes(threads: &[Vec<Op>], model: Model) -> BTreeSet<Vec<u64>> {
    let start = State {
        memory: [0; CELLS],
        threads: vec![(0, Vec::new(), 0); threads.len()],
        seen: vec![Vec::new(); threads.len()],
    };
    let mut known = BTreeSet::from([start.clone()]);
    let mut waiting = vec![start];
    let mut found = BTreeSet::new();
    while let Some(state) = waiting.pop() {
        let mut next = Vec::new();
        for (t, (at, buffer, _)) in state.threads.iter().enumerate() {
            for i in 0..buffer.len() {
                let (cell, value, epoch) = buffer[i];
                let waits = |&(c, _, e): &(usize, u64, u32)| model == Model::Tso || c == cell || e < epoch;
                if !buffer[..i].iter().any(waits) {
                    let mut copy = state.clone();
                    copy.memory[cell] = value;
                    copy.threads[t].1.remove(i);
                    next.push(copy);
                }
            }
            if let Some(&op) = threads[t].get(*at) {
                next.extend(run(&state, t, op, model));
            }
        }
        if next.is_empty() {
            found.insert(state.seen.concat());
        }
        for state in next {
            if known.insert(state.clone()) {
                waiting.push(state);
            }
        }
    }
    found
}

fn run(state: &State, t: usize, op: Op, model: Model) -> Option<State> {
    let mut state = state.clone();
    let thread = &mut state.threads[t];
    thread.0 += 1;
    let memory = state.memory;
    let look = |buffer: &[(usize, u64, u32)], cell: usize| {
        buffer.iter().rfind(|entry| entry.0 == cell).map_or(memory[cell], |entry| entry.1)
    };
    let mut store = |thread: &mut Runner, cell: usize, value: u64| {
        if model == Model::Sc {
            state.memory[cell] = value;
        } else {
            let epoch = thread.2;
            thread.1.push((cell, value, epoch));
        }
    };
    match op {
        Op::Write(cell, value) => store(thread, cell, value),
        Op::Release(cell, value) => {
            thread.2 += 1;
            store(thread, cell, value);
        }
        Op::Read(cell) => state.seen[t].push(look(&thread.1, cell)),
        Op::ReadBoth => state.seen[t].extend([look(&thread.1, 0), look(&thread.1, 1)]),
        Op::Full if !thread.1.is_empty() => return None,
        Op::Full => {}
        Op::StoreStore => thread.2 += 1,
        Op::Add(..) if !thread.1.is_empty() => return None,
        Op::Add(cell, value) => {
            state.seen[t].push(memory[cell]);
            state.memory[cell] = (memory[cell] + value) % 8;
        }
        Op::IfOne(cell, value) => {
            if state.seen[t].last() == Some(&1) {
                store(thread, cell, value);
            }
        }
    }
    Some(state)
}

/// Makes this the violation that is asked for.
fn ask_for(symbolic: &mut Symbolic, wanted: Term) {
    let violation = Violation { kind: ViolationKind::Assertion, span: Span::NONE, message: String::new() };
    symbolic.checks.push(Check {
        what: Finding::Violation(violation),
        thread: ThreadId(0),
        position: EventId::new(symbolic.events.len()),
        violated: Condition::Term(wanted),
        span: Span::NONE,
    });
}

/// Everything that the formula allows the reads to see.
fn allowed(threads: &[Vec<Op>], model: Model, encoding: Encoding) -> BTreeSet<Vec<u64>> {
    let mut found: BTreeSet<Vec<u64>> = BTreeSet::new();
    loop {
        let (mut symbolic, seen) = symbolic(threads);
        let mut new = Term::TRUE;
        for outcome in &found {
            let mut same = Term::TRUE;
            for (&value, &read) in outcome.iter().zip(&seen) {
                let value = symbolic.terms.bits(WIDTH, value);
                let equal = symbolic.terms.eq(read, value);
                same = symbolic.terms.and(same, equal);
            }
            new = symbolic.terms.and(new, !same);
        }
        ask_for(&mut symbolic, new);
        let mut formula =
            Formulated::new(&mut symbolic, model, Form { encoding, races: false, certify: false }, &Limits::none())
                .unwrap_or_else(|_| panic!("nothing should stop it"));
        match formula.ask(&symbolic, &Question::Violated, &Limits::none()) {
            Asked::Yes => {
                let outcome = seen.iter().map(|&read| formula.value(&symbolic, read)).collect();
                assert!(found.insert(outcome), "each outcome should be found once");
            }
            Asked::No => return found,
            Asked::Stopped(_) | Asked::NotProved(_) => panic!("nothing should stop the search"),
        }
    }
}

fn check(threads: &[Vec<Op>]) {
    for model in Model::ALL {
        let expected = outcomes(threads, model);
        for encoding in [Encoding::Order, Encoding::Clocks] {
            let allowed = allowed(threads, model, encoding);
            let missing: Vec<_> = expected.difference(&allowed).collect();
            let wrong: Vec<_> = allowed.difference(&expected).collect();
            assert!(
                missing.is_empty() && wrong.is_empty(),
                "{model} {encoding:?} {threads:?}: missing {missing:?}, wrong {wrong:?}"
            );
        }
    }
}

/// Leaves out a literal of the first so many clauses of the theory.
struct Liar {
    honest: std::rc::Rc<std::cell::RefCell<crate::theory::Theory>>,
    lies: u32,
    told: std::rc::Rc<std::cell::Cell<u32>>,
}

impl Liar {
    fn shorten(&mut self, clause: &mut Vec<Lit>, kept: Option<Lit>) {
        let other = clause.iter().position(|&literal| Some(literal) != kept);
        if let (Some(other), true) = (other, self.told.get() < self.lies && clause.len() > 1) {
            clause.remove(other);
            self.told.set(self.told.get() + 1);
        }
    }
}

impl Propagator for Liar {
    fn assigned(&mut self, literals: &[Lit]) {
        self.honest.assigned(literals);
    }

    fn new_level(&mut self) {
        self.honest.new_level();
    }

    fn backtrack(&mut self, level: usize) {
        self.honest.backtrack(level);
    }

    fn propagate(&mut self) -> Option<Lit> {
        self.honest.propagate()
    }

    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.honest.reason(literal, clause);
        self.shorten(clause, Some(literal));
    }

    fn add_clause(&mut self, clause: &mut Vec<Lit>) -> bool {
        let is_new = self.honest.add_clause(clause);
        if is_new {
            self.shorten(clause, None);
        }
        is_new
    }

    fn accepts(&mut self, model: &[Lit]) -> bool {
        self.honest.accepts(model)
    }
}

/// Whether some thread can see all these values, with a theory that leaves out literals of so many clauses.
fn certified(threads: &[Vec<Op>], model: Model, outcome: &[u64], lies: u32) -> (Asked, u32) {
    let (mut symbolic, seen) = symbolic(threads);
    let mut wanted = Term::TRUE;
    for (&value, &read) in outcome.iter().zip(&seen) {
        let value = symbolic.terms.bits(WIDTH, value);
        let equal = symbolic.terms.eq(read, value);
        wanted = symbolic.terms.and(wanted, equal);
    }
    ask_for(&mut symbolic, wanted);
    let told = std::rc::Rc::new(std::cell::Cell::new(0));
    let counter = std::rc::Rc::clone(&told);
    let form = Form { encoding: Encoding::Order, races: false, certify: true };
    let formula = Formulated::with_propagator(&mut symbolic, model, form, &Limits::none(), |honest| {
        Box::new(Liar { honest, lies, told: counter })
    });
    let mut formula = formula.unwrap_or_else(|_| panic!("nothing should stop it"));
    let asked = formula.ask(&symbolic, &Question::Violated, &Limits::none());
    (asked, told.get())
}

/// A proof that leans on a clause which is no cycle is refused, however the search came to it.
#[test]
fn wrong_clauses_of_the_theory_are_refused() {
    let buffering = [vec![Op::Write(0, 1), Op::Read(1)], vec![Op::Write(1, 1), Op::Read(0)]];
    let passing = [vec![Op::Write(0, 1), Op::Write(1, 1)], vec![Op::Read(1), Op::Read(0)]];
    let counting = [vec![Op::Add(0, 1), Op::Add(0, 1)], vec![Op::Add(0, 1), Op::Read(0)]];
    let mut refused = 0;
    for (threads, model, outcome) in [
        (&buffering, Model::Sc, &[0, 0][..]),
        (&passing, Model::Sc, &[1, 0]),
        (&passing, Model::Tso, &[1, 0]),
        (&counting, Model::Tso, &[0, 0, 1, 2]),
        (&counting, Model::Pso, &[0, 1, 1, 3]),
    ] {
        assert!(!outcomes(threads, model).contains(outcome), "{threads:?} {outcome:?} should be forbidden");
        assert!(matches!(certified(threads, model, outcome, 0), (Asked::No, 0)), "{threads:?} {model}");
        for lies in 1..4 {
            match certified(threads, model, outcome, lies) {
                (Asked::NotProved(_), told) if told > 0 => refused += 1,
                (Asked::No, 0) => {}
                (_, told) => panic!("{threads:?} {model}: {told} wrong clauses should be noticed"),
            }
        }
    }
    assert!(refused > 3, "the theory should have been needed");
}

#[test]
fn store_buffering() {
    let threads = [vec![Op::Write(0, 1), Op::Read(1)], vec![Op::Write(1, 1), Op::Read(0)]];
    check(&threads);
    assert!(!outcomes(&threads, Model::Sc).contains(&vec![0, 0]));
    assert!(outcomes(&threads, Model::Tso).contains(&vec![0, 0]));
}

#[test]
fn message_passing() {
    check(&[vec![Op::Write(0, 1), Op::Write(1, 1)], vec![Op::Read(1), Op::Read(0)]]);
    check(&[vec![Op::Write(0, 1), Op::StoreStore, Op::Write(1, 1)], vec![Op::Read(1), Op::Read(0)]]);
    check(&[vec![Op::Write(0, 1), Op::Release(1, 1)], vec![Op::Read(1), Op::Read(0)]]);
}

#[test]
fn reads_of_own_writes() {
    check(&[vec![Op::Write(0, 1), Op::Read(0), Op::Read(1)], vec![Op::Write(1, 1), Op::Read(1), Op::Read(0)]]);
    check(&[vec![Op::Write(0, 1), Op::Read(0), Op::Write(0, 2), Op::Read(0)], vec![Op::Write(0, 3), Op::Read(0)]]);
}

#[test]
fn random_lists() {
    let mut numbers = norn_testing::Random::new(42);
    let mut random = |n: u64| numbers.below(n);
    let count = norn_testing::setting("NORN_TEST_PROGRAMS").unwrap_or(40);
    for _ in 0..count {
        let threads = 2 + to_usize(random(2));
        let mut lists = vec![Vec::new(); threads];
        for list in &mut lists {
            for _ in 0..1 + random(if threads == 2 { 4 } else { 3 }) {
                let (cell, value) = (to_usize(random(2)), 1 + random(2));
                match random(13) {
                    0..=3 => list.push(Op::Write(cell, value)),
                    4..=6 => list.push(Op::Read(cell)),
                    7 => list.push(Op::Release(cell, value)),
                    8 => list.push(Op::Full),
                    9 => list.push(Op::StoreStore),
                    10 => list.push(Op::Add(cell, value)),
                    11 => list.push(Op::ReadBoth),
                    _ => list.extend([Op::Read(cell), Op::IfOne(1 - cell, value)]),
                }
            }
        }
        check(&lists);
    }
}

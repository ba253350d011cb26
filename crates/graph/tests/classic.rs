//! The classic shapes under every model, with fences and dependencies that forbid them and without.
//!
//! Programs are written as text: threads between `|`, instructions between `;`. `r = x` and `x = 1` access memory,
//! `r = x.A` with a tag; `x = 1.L.W` has two. A fence is its tags: `DMB.FULL`. `r = x @addr q`, `x = 1 @data q` and
//! `if q` make dependencies on a register that do not change what is computed.

use norn_cat::Model;
use norn_graph::answer::{Answer, ask, states};
use norn_graph::confirm::{Claim, EventId, confirm};
use norn_graph::model;
use norn_graph::program::{BinaryOp, Cell, Expr, Instr, Label, Program, Reg, Tags, Thread, Width};
use norn_graph::test::{Condition, Observed, Quantifier, Term, Test};
use norn_ir::source::{Loc, SourceMap};
use norn_verdict::limits::Limits;

const W: Width = Width::W32;

fn cell(program: &mut Program, name: &str) -> Cell {
    let known = program.cells.iter().position(|cell| cell.name == name);
    known.map_or_else(|| program.location(name, W, None), Cell::new)
}

fn register(thread: &mut Thread, name: &str) -> Reg {
    let known = thread.registers.iter().position(|register| register.name == name);
    known.map_or_else(|| thread.register(name, 0), Reg::new)
}

fn is_register(word: &str) -> bool {
    word.starts_with('r')
}

/// 0, but it depends on the register.
fn zero(reg: Reg) -> Expr {
    Expr::binary(BinaryOp::Xor, Expr::Reg(reg), Expr::Reg(reg))
}

fn instruction(text: &str, program: &mut Program, thread: &mut Thread) {
    let mut words = text.split_whitespace();
    let first = words.next().expect("an instruction");
    if first == "if" {
        let condition = Expr::Reg(register(thread, words.next().expect("a register")));
        let target = Label::new(thread.code.len());
        thread.push(Instr::Branch { condition, target, until: None }, Loc::NONE);
        thread.push(Instr::Label(target), Loc::NONE);
        return;
    }
    if words.next().is_none() {
        let tags = Tags::of(&first.split('+').collect::<Vec<_>>());
        thread.push(Instr::Fence { addr: None, tags }, Loc::NONE);
        return;
    }
    let mut rest = words;
    let right = rest.next().expect("a right side");
    let mut parts = right.split('.');
    let right = parts.next().expect("a word");
    let tags = Tags::of(&parts.collect::<Vec<_>>());
    let (mut addr_extra, mut data_extra) = (None, None);
    while let Some(kind) = rest.next() {
        let reg = zero(register(thread, rest.next().expect("a register")));
        if kind == "@addr" { addr_extra = Some(reg) } else { data_extra = Some(reg) }
    }
    let plus = |base: Expr, extra: Option<Expr>| match extra {
        Some(extra) => Expr::binary(BinaryOp::Add, base, extra),
        None => base,
    };
    let address = |program: &mut Program, name: &str| {
        let cell = cell(program, name);
        Expr::Const(program.cells[cell.index()].address)
    };
    let instr = if is_register(first) {
        let addr = plus(address(program, right), addr_extra);
        Instr::Load { dst: register(thread, first), addr, width: W, tags, exclusive: false }
    } else {
        let addr = plus(address(program, first), addr_extra);
        let value = match right.parse() {
            Ok(number) => Expr::Const(number),
            Err(_) => Expr::Reg(register(thread, right)),
        };
        Instr::Store { addr, value: plus(value, data_extra), width: W, tags }
    };
    thread.push(instr, Loc::NONE);
}

/// `condition`: `0:r1=1 x=2`, all of which hold.
fn test(code: &str, condition: &str) -> Test {
    let mut program = Program::default();
    for text in code.split('|') {
        let mut thread = Thread::default();
        for text in text.split(';').map(str::trim).filter(|text| !text.is_empty()) {
            instruction(text, &mut program, &mut thread);
        }
        program.threads.push(thread);
    }
    let mut parts = Vec::new();
    let mut observed = Vec::new();
    for part in condition.split_whitespace() {
        let (place, value) = part.split_once('=').expect("an equation");
        let term = match place.split_once(':') {
            Some((thread, name)) => {
                let thread = thread.parse().expect("a thread");
                Term::Register { thread, reg: register(&mut program.threads[thread], name) }
            }
            None => Term::Cell(cell(&mut program, place)),
        };
        parts.push(Condition::Equal(term, Term::Const(value.parse().expect("a number")), W));
        observed.push(Observed { label: place.to_owned(), term, width: W, signed: true });
    }
    let condition = Condition::And(parts);
    Test { name: "test".to_owned(), program, filter: None, quantifier: Quantifier::Exists, condition, observed }
}

fn builtin(name: &str) -> Model {
    let mut sources = SourceMap::new();
    model::builtin(&mut sources, name).expect("a model").unwrap_or_else(|error| panic!("{name}: {}", error.message))
}

fn own(text: &str) -> Model {
    let mut sources = SourceMap::new();
    model::load(&mut sources, "own.cat", text.to_owned(), &mut |_| Err("none".to_owned()))
        .unwrap_or_else(|error| panic!("{}", error.message))
}

fn allows(model: &Model, test: &Test) -> bool {
    match ask(test, model, &Limits::none()).unwrap_or_else(|mismatch| panic!("{mismatch}")) {
        Answer::Allow(_) => true,
        Answer::Forbid => false,
        Answer::Unknown(reason) => panic!("unknown: {reason}"),
    }
}

/// The models among `names` that allow the test, as in `sc tso`.
#[track_caller]
fn check(names: &str, code: &str, condition: &str, allowed: &str) {
    let test = test(code, condition);
    let found: Vec<&str> = names.split_whitespace().filter(|name| allows(&builtin(name), &test)).collect();
    assert_eq!(found.join(" "), allowed, "{code} ? {condition}");
}

const STORES: &str = "sc tso pso";
const MACHINES: &str = "sc tso pso armv8 riscv";
const MP: &str = "1:r1=1 1:r2=0";
const SB: &str = "0:r1=0 1:r1=0";
const LB: &str = "0:r1=1 1:r1=1";

#[test]
fn without_fences() {
    check(MACHINES, "x = 1; y = 1 | r1 = y; r2 = x", MP, "pso armv8 riscv");
    check(MACHINES, "x = 1; r1 = y | y = 1; r1 = x", SB, "tso pso armv8 riscv");
    check(MACHINES, "r1 = x; y = 1 | r1 = y; x = 1", LB, "armv8 riscv");
    check(MACHINES, "x = 1; y = 2 | y = 1; x = 2", "x=1 y=1", "pso armv8 riscv");
    check(MACHINES, "x = 1; y = 1 | y = 2; r1 = x", "y=2 1:r1=0", "tso pso armv8 riscv");
    check(MACHINES, "x = 2; y = 1 | r1 = y; x = 1", "1:r1=1 x=2", "pso armv8 riscv");
    let iriw = "x = 1 | y = 1 | r1 = x; r2 = y | r1 = y; r2 = x";
    check(MACHINES, iriw, "2:r1=1 2:r2=0 3:r1=1 3:r2=0", "armv8 riscv");
}

#[test]
fn coherence_of_one_location() {
    let all = "sc tso pso armv8 riscv rc11 lkmm";
    check(all, "x = 1 | r1 = x; r2 = x", "1:r1=1 1:r2=0", "");
    check(all, "x = 1; x = 2", "x=1", "");
    check(all, "x = 1; r1 = x", "0:r1=0", "");
    check(all, "r1 = x; x = 1", "0:r1=1", "");
    check(all, "x = 1 | x = 2; r1 = x", "1:r1=1 x=2", "");
    check(all, "r1 = x; x = 1 | x = 2", "0:r1=2 x=2", "");
    check(all, "x = 1 | x = 2; r1 = x", "1:r1=1 x=1", all);
    check(all, "x = 1 | x = 2 | r1 = x; r2 = x | r1 = x; r2 = x", "2:r1=1 2:r2=2 3:r1=2 3:r2=1", "");
}

#[test]
fn fences_of_stores() {
    check(STORES, "x = 1; FullFence; r1 = y | y = 1; FullFence; r1 = x", SB, "");
    check(STORES, "x = 1; StoreFence; r1 = y | y = 1; FullFence; r1 = x", SB, "tso pso");
    check(STORES, "x = 1; StoreFence; y = 1 | r1 = y; r2 = x", MP, "");
    // A read may find the own write early.
    let early = "x = 1; r1 = x; r2 = y | y = 1; r1 = y; r2 = x";
    check(STORES, early, "0:r1=1 0:r2=0 1:r1=1 1:r2=0", "tso pso");
}

#[test]
fn arm() {
    let arm = |code: &str, condition: &str, allowed: bool| {
        check("armv8", code, condition, if allowed { "armv8" } else { "" });
    };
    arm("x = 1; DMB.FULL; y = 1 | r1 = y; r2 = x", MP, true);
    arm("x = 1; y = 1 | r1 = y; DMB.FULL; r2 = x", MP, true);
    arm("x = 1; DMB.FULL; y = 1 | r1 = y; DMB.FULL; r2 = x", MP, false);
    arm("x = 1; DMB.ST; y = 1 | r1 = y; DMB.LD; r2 = x", MP, false);
    arm("x = 1; DMB.LD; y = 1 | r1 = y; DMB.LD; r2 = x", MP, true);
    arm("x = 1; DMB.ST; y = 1 | r1 = y; DMB.ST; r2 = x", MP, true);
    arm("x = 1; y = 1.L | r1 = y.A; r2 = x", MP, false);
    arm("x = 1; y = 1.L | r1 = y.Q; r2 = x", MP, false);
    arm("x = 1; y = 1.L | r1 = y; r2 = x @addr r1", MP, false);
    arm("x = 1; y = 1.L | r1 = y; if r1; r2 = x", MP, true);
    arm("x = 1; y = 1.L | r1 = y; if r1; ISB; r2 = x", MP, false);
    arm("x = 1; y = 1.L | r1 = y; ISB; r2 = x", MP, true);
    arm("r1 = x; y = 1 @data r1 | r1 = y; x = 1 @addr r1", LB, false);
    arm("r1 = x; if r1; y = 1 | r1 = y; x = 1 @data r1", LB, false);
    arm("r1 = x; y = 1 @data r1 | r1 = y; x = 1", LB, true);
    // A release and an acquire after it stay in order, unless the acquire is the weaker one.
    arm("x = 1.L; r1 = y.A | y = 1.L; r1 = x.A", SB, false);
    arm("x = 1.L; r1 = y.Q | y = 1.L; r1 = x.A", SB, true);
    // Other threads see a write all at once.
    let wrc = "x = 1 | r1 = x; y = 1 @data r1 | r1 = y; r2 = x @addr r1";
    arm(wrc, "1:r1=1 2:r1=1 2:r2=0", false);
    let iriw = "x = 1 | y = 1 | r1 = x; r2 = y @addr r1 | r1 = y; r2 = x @addr r1";
    arm(iriw, "2:r1=1 2:r2=0 3:r1=1 3:r2=0", false);
}

#[test]
fn risc_v() {
    let riscv = |code: &str, condition: &str, allowed: bool| {
        check("riscv", code, condition, if allowed { "riscv" } else { "" });
    };
    riscv("x = 1; Fence.w.w; y = 1 | r1 = y; Fence.r.r; r2 = x", MP, false);
    riscv("x = 1; Fence.w.r; y = 1 | r1 = y; Fence.r.r; r2 = x", MP, true);
    riscv("x = 1; Fence.rw.w; y = 1 | r1 = y; Fence.r.rw; r2 = x", MP, false);
    riscv("x = 1; Fence.tso; y = 1 | r1 = y; Fence.tso; r2 = x", MP, false);
    riscv("x = 1; Fence.tso; r1 = y | y = 1; Fence.tso; r1 = x", SB, true);
    riscv("x = 1; Fence.rw.rw; r1 = y | y = 1; Fence.rw.rw; r1 = x", SB, false);
    riscv("x = 1; y = 1.RL | r1 = y.AQ; r2 = x", MP, false);
    riscv("x = 1; y = 1.RL | r1 = y; r2 = x", MP, true);
    // The annotations of atomics are stronger than those of other accesses.
    riscv("x = 1.RL.X; r1 = y.AQ.X | y = 1.RL.X; r1 = x.AQ.X", SB, false);
    riscv("x = 1.RL; r1 = y.AQ | y = 1.RL; r1 = x.AQ", SB, true);
    riscv("x = 1.RL.X; r1 = y.AQ | y = 1.RL.X; r1 = x.AQ", SB, true);
    riscv("r1 = x; y = 1 @data r1 | r1 = y; if r1; x = 1", LB, false);
    riscv("r1 = x; r2 = z @addr r1; y = 1 | r1 = y; x = 1 @data r1", LB, false);
    riscv("r1 = x; r2 = z; y = 1 | r1 = y; x = 1 @data r1", LB, true);
}

#[test]
fn c11() {
    let rc11 = |code: &str, condition: &str, allowed: bool| {
        check("rc11", code, condition, if allowed { "rc11" } else { "" });
    };
    rc11("x = 1.NA; y = 1.REL | r1 = y.ACQ; r2 = x.NA", MP, false);
    rc11("x = 1.NA; y = 1.RLX | r1 = y.ACQ; r2 = x.NA", MP, true);
    rc11("x = 1.NA; y = 1.REL | r1 = y.RLX; r2 = x.NA", MP, true);
    rc11("x = 1.RLX; REL; y = 1.RLX | r1 = y.RLX; ACQ; r2 = x.RLX", MP, false);
    // A later relaxed write to the location goes on with the release.
    rc11("x = 1.RLX; y = 1.REL; y = 2.RLX | r1 = y.ACQ; r2 = x.RLX", "1:r1=2 1:r2=0", false);
    rc11("x = 1.SC; r1 = y.SC | y = 1.SC; r1 = x.SC", SB, false);
    rc11("x = 1.REL; r1 = y.ACQ | y = 1.REL; r1 = x.ACQ", SB, true);
    rc11("x = 1.RLX; SC; r1 = y.RLX | y = 1.RLX; SC; r1 = x.RLX", SB, false);
    rc11("r1 = x.RLX; y = 1.RLX | r1 = y.RLX; x = 1.RLX", LB, false);
    let iriw = |kind: &str, order: &str| {
        format!("x = 1.{kind} | y = 1.{kind} | r1 = x.{order}; r2 = y.{order} | r1 = y.{order}; r2 = x.{order}")
    };
    rc11(&iriw("SC", "SC"), "2:r1=1 2:r2=0 3:r1=1 3:r2=0", false);
    rc11(&iriw("REL", "ACQ"), "2:r1=1 2:r2=0 3:r1=1 3:r2=0", true);
}

#[test]
fn kernel() {
    let lkmm = |code: &str, condition: &str, allowed: bool| {
        check("lkmm", code, condition, if allowed { "lkmm" } else { "" });
    };
    lkmm("x = 1.Once; Wmb; y = 1.Once | r1 = y.Once; Rmb; r2 = x.Once", MP, false);
    lkmm("x = 1.Once; Wmb; y = 1.Once | r1 = y.Once; r2 = x.Once", MP, true);
    lkmm("x = 1.Once; y = 1.Release | r1 = y.Acquire; r2 = x.Once", MP, false);
    lkmm("x = 1.Once; Mb; r1 = y.Once | y = 1.Once; Mb; r1 = x.Once", SB, false);
    lkmm("x = 1.Once; Wmb; r1 = y.Once | y = 1.Once; Mb; r1 = x.Once", SB, true);
    lkmm("r1 = x.Once; y = 1.Once @data r1 | r1 = y.Once; if r1; x = 1.Once", LB, false);
    lkmm("r1 = x.Once; y = 1.Once | r1 = y.Once; if r1; x = 1.Once", LB, true);
    // A grace period waits for the critical section.
    let section = |before: &str, after: &str| {
        format!("Rcu-lock; r1 = {before}.Once; r2 = {after}.Once; Rcu-unlock | x = 1.Once; Sync-rcu; y = 1.Once")
    };
    lkmm(&section("y", "x"), "0:r1=1 0:r2=0", false);
    lkmm(&section("x", "y"), "0:r1=0 0:r2=1", false);
    lkmm("r1 = y.Once; r2 = x.Once | x = 1.Once; Sync-rcu; y = 1.Once", "0:r1=1 0:r2=0", true);
    // What is behind an inner section is inside the outer one.
    let nested =
        "Rcu-lock; Rcu-lock; Rcu-unlock; r1 = y.Once; r2 = x.Once; Rcu-unlock | x = 1.Once; Sync-rcu; y = 1.Once";
    lkmm(nested, "0:r1=1 0:r2=0", false);
    let behind = "Rcu-lock; Rcu-unlock; r1 = y.Once; r2 = x.Once | x = 1.Once; Sync-rcu; y = 1.Once";
    lkmm(behind, "0:r1=1 0:r2=0", true);
    let between =
        "Rcu-lock; Rcu-unlock; r1 = y.Once; r2 = x.Once; Rcu-lock; Rcu-unlock | x = 1.Once; Sync-rcu; y = 1.Once";
    lkmm(between, "0:r1=1 0:r2=0", true);
}

/// What a compiler may make of plain accesses is bounded by the marked ones around.
#[test]
fn plain_accesses_of_the_kernel() {
    let lkmm = |code: &str, condition: &str, allowed: bool| {
        check("lkmm", code, condition, if allowed { "lkmm" } else { "" });
    };
    lkmm("x = 1.Plain; Wmb; y = 1.Once | r1 = y.Acquire; r2 = x.Plain", MP, false);
    lkmm("x = 1.Plain; Mb; y = 1.Once | r1 = y.Once; Rmb; r2 = x.Plain", MP, false);
    lkmm("x = 1.Plain; y = 1.Once | r1 = y.Acquire; r2 = x.Plain", MP, true);
    lkmm("x = 1.Plain; y = 1.Release | r1 = y.Once; r2 = x.Plain", MP, true);
    lkmm("x = 1.Plain; y = 1.Release | r1 = y.Acquire; x = 2.Plain", "1:r1=1 x=1", false);
    lkmm("x = 1.Plain; y = 1.Release | r1 = y.Once; x = 2.Plain", "1:r1=1 x=1", true);
    lkmm("r1 = x.Plain; y = 1.Release | r1 = y.Acquire; x = 1.Plain", LB, false);
    lkmm("r1 = x.Plain; y = 1.Release | r1 = y.Once; x = 1.Plain @addr r1", LB, false);
    lkmm("r1 = x.Plain; y = 1.Release | r1 = y.Once; x = 1.Plain @data r1", LB, true);
}

/// Values that come from nowhere are found where a model lets them be.
#[test]
fn values_out_of_thin_air() {
    let circle = "r1 = x; y = r1 | r1 = y; x = r1";
    let lenient = own("acyclic po-loc | rf | co | fr as coherence");
    let strict = own("acyclic po-loc | rf | co | fr as coherence acyclic data | rf as thin-air");
    for value in ["1", "42"] {
        let test = test(circle, &format!("0:r1={value} 1:r1={value}"));
        assert!(allows(&lenient, &test) && !allows(&strict, &test), "{value}");
    }
    assert!(!allows(&lenient, &test(circle, "0:r1=1 1:r1=2")));
    assert!(!allows(&lenient, &test("r1 = x; y = 1 | r1 = y; x = r1", "0:r1=2")));
    let states = states(&test(circle, "0:r1=1"), &lenient, &Limits::none()).expect("confirmed states");
    assert_eq!(states.lines.len(), 2, "0 and one more: {:?}", states.lines);
}

#[test]
fn a_dropped_axiom_is_seen() {
    let mp = test("x = 1; y = 1 | r1 = y; r2 = x", MP);
    let corr = test("x = 1 | r1 = x; r2 = x", "1:r1=1 1:r2=0");
    assert!(!allows(&own("acyclic po | rf | co | fr"), &mp));
    assert!(allows(&own("acyclic po-loc | rf | co | fr"), &mp));
    assert!(!allows(&own("acyclic po-loc | rf | co | fr"), &corr));
    // Nothing is coherent unless the model says so.
    assert!(allows(&own("acyclic po-loc | rf | co"), &corr));
    assert!(allows(&own("empty rmw"), &test("r1 = x; x = 1", "0:r1=1")));
}

/// `r = x; x = r + 1` in one step, by two threads.
fn counters(exclusive: bool) -> Test {
    let mut program = Program::default();
    let x = program.location("x", W, None);
    let addr = || Expr::Const(program.cells[x.index()].address);
    let mut threads = Vec::new();
    for _ in 0..2 {
        let mut thread = Thread::default();
        let (old, status) = (thread.register("r1", 0), thread.register("r2", 0));
        let value = Expr::binary(BinaryOp::Add, Expr::Reg(old), Expr::Const(1));
        let none = Tags::none;
        if exclusive {
            thread.push(Instr::Load { dst: old, addr: addr(), width: W, tags: none(), exclusive: true }, Loc::NONE);
            let tags = none();
            let store = Instr::StoreExclusive { status, addr: addr(), value, width: W, tags, status_depends: false };
            thread.push(store, Loc::NONE);
        } else {
            let (read, write, otherwise) = (none(), none(), none());
            let rmw = Instr::Rmw { old, addr: addr(), width: W, when: None, value, read, write, otherwise };
            thread.push(rmw, Loc::NONE);
        }
        threads.push(thread);
    }
    program.threads = threads;
    let observed = vec![Observed { label: "x".to_owned(), term: Term::Cell(x), width: W, signed: true }];
    let condition = Condition::Equal(Term::Cell(x), Term::Const(1), W);
    Test { name: "counters".to_owned(), program, filter: None, quantifier: Quantifier::Exists, condition, observed }
}

#[test]
fn steps_that_read_and_write_are_atomic() {
    for name in ["sc", "tso", "pso", "armv8", "riscv", "rc11", "lkmm"] {
        let finals = states(&counters(false), &builtin(name), &Limits::none()).expect("confirmed states");
        assert_eq!(finals.lines.into_iter().collect::<Vec<_>>(), [vec![2]], "{name}");
        assert_eq!(finals.incomplete, None);
        // An exclusive store may fail.
        let finals = states(&counters(true), &builtin(name), &Limits::none()).expect("confirmed states");
        assert_eq!(finals.lines.into_iter().collect::<Vec<_>>(), [vec![0], vec![1], vec![2]], "{name}");
    }
    let torn = own("acyclic po-loc | rf | co | fr");
    let finals = states(&counters(false), &torn, &Limits::none()).expect("confirmed states");
    assert_eq!(finals.lines.into_iter().collect::<Vec<_>>(), [vec![1], vec![2]]);
}

#[test]
fn claims_that_are_wrong_are_not_confirmed() {
    let test = test("x = 1; y = 1 | r1 = y; r2 = x", MP);
    let wanted = test.wanted();
    let id = |thread, index| EventId { thread, index };
    let claim = Claim {
        answers: vec![Vec::new(), vec![1, 0]],
        reads_from: vec![(id(1, 0), Some(id(0, 1))), (id(1, 1), None)],
        coherence: vec![vec![id(0, 0)], vec![id(0, 1)]],
    };
    let weak = builtin("pso");
    assert!(confirm(&test.program, &weak, &wanted, claim.clone()).is_ok());
    let refuse = |claim: Claim, reason: &str| {
        let mismatch = confirm(&test.program, &weak, &wanted, claim).expect_err(reason);
        assert!(mismatch.0.contains(reason), "{mismatch} should say '{reason}'");
    };
    let strong = confirm(&test.program, &builtin("sc"), &wanted, claim.clone()).expect_err("forbidden");
    assert!(strong.0.contains("check 'sc'"), "{strong}");
    refuse(Claim { answers: vec![Vec::new(), vec![1]], ..claim.clone() }, "does not end");
    refuse(Claim { answers: vec![Vec::new(), vec![1, 0, 0]], ..claim.clone() }, "asks less");
    refuse(Claim { answers: vec![Vec::new(), vec![1, 1]], ..claim.clone() }, "cannot read from");
    refuse(Claim { answers: vec![Vec::new()], ..claim.clone() }, "another program");
    refuse(Claim { reads_from: claim.reads_from[..1].to_vec(), ..claim.clone() }, "reads from nothing");
    let from_y = vec![(id(1, 0), Some(id(0, 1))), (id(1, 1), Some(id(0, 1)))];
    refuse(Claim { reads_from: from_y, ..claim.clone() }, "cannot read from");
    let from_nobody = vec![(id(1, 0), Some(id(0, 7))), (id(1, 1), None)];
    refuse(Claim { reads_from: from_nobody, ..claim.clone() }, "there is no event");
    refuse(Claim { coherence: vec![Vec::new(), vec![id(0, 1)]], ..claim.clone() }, "order of the writes to 'x'");
    refuse(
        Claim { coherence: vec![vec![id(0, 0)], vec![id(0, 1), id(0, 1)]], ..claim.clone() },
        "order of the writes to 'y'",
    );
    let other =
        Claim { answers: vec![Vec::new(), vec![0, 0]], reads_from: vec![(id(1, 0), None), (id(1, 1), None)], ..claim };
    refuse(other, "final state");
}

/// The test, with the instructions of a thread from `first` on in a loop that `condition` on `r1` goes on.
fn looping(mut test: Test, thread: usize, first: usize, op: BinaryOp, number: u64) -> Test {
    let (again, thread) = (Label::new(9), &mut test.program.threads[thread]);
    let condition = Expr::binary(op, Expr::Reg(register(thread, "r1")), Expr::Const(number));
    thread.code.insert(first, norn_graph::program::Step { instr: Instr::Label(again), loc: Loc::NONE });
    thread.push(Instr::Branch { condition, target: again, until: None }, Loc::NONE);
    test
}

/// Rounds in which a thread only waits need not be followed; nothing is lost by that.
#[test]
fn waiting_is_short() {
    let tests = [
        looping(test("x = 1; y = 1.L | r1 = y.A", "1:r1=1"), 1, 0, BinaryOp::Equal, 0),
        looping(test("x = 1 | x = 2 | r2 = x; r1 = x", "2:r1=2 2:r2=1"), 2, 0, BinaryOp::NotEqual, 2),
        looping(test("x = 1; x = 2 | r2 = x; r1 = x", "1:r1=1 1:r2=1"), 1, 1, BinaryOp::Equal, 0),
        looping(test("x = 1 | r1 = x @addr r1; r2 = y @addr r1", "1:r1=1 1:r2=0"), 1, 0, BinaryOp::Equal, 0),
    ];
    for name in ["sc", "tso", "armv8", "riscv", "rc11", "lkmm"] {
        let short = builtin(name);
        // Profits from reads in theory, so that all rounds are followed.
        let long = own(&format!("include \"{name}.cat\" empty id & (po \\ (po ; po)) as nothing"));
        assert!(short.ignores_lost_reads() && !long.ignores_lost_reads());
        for test in &tests {
            let found = states(test, &short, &Limits::none()).expect("confirmed states");
            let all = states(test, &long, &Limits::none()).expect("confirmed states");
            assert_eq!((&found.lines, found.incomplete), (&all.lines, None), "{name}: {test:?}");
            assert!(all.incomplete.is_some_and(|reason| reason.contains("loop")));
        }
    }
    let endless = looping(test("x = 1 | r1 = x", "1:r1=7"), 1, 0, BinaryOp::NotEqual, 7);
    assert!(!allows(&builtin("armv8"), &endless));
}

/// A loop that counts does not only wait.
#[test]
fn counting_is_not_waiting() {
    let mut counting = test("r1 = x | x = 1", "0:r2=3");
    let (again, thread) = (Label::new(9), &mut counting.program.threads[0]);
    let counter = register(thread, "r2");
    let one_more = Expr::binary(BinaryOp::Add, Expr::Reg(counter), Expr::Const(1));
    let head = [Instr::Label(again), Instr::Assign { dst: counter, value: one_more }];
    let head = head.map(|instr| norn_graph::program::Step { instr, loc: Loc::NONE });
    thread.code.splice(0..0, head);
    let condition = Expr::binary(BinaryOp::Less, Expr::Reg(counter), Expr::Const(3));
    thread.push(Instr::Branch { condition, target: again, until: None }, Loc::NONE);
    assert!(allows(&builtin("sc"), &counting));
}

/// What the status of an exclusive store depends on is not the same everywhere.
#[test]
fn a_status_may_depend_on_its_store() {
    let depends = own("acyclic po-loc | rf | co | fr empty [W] ; addr as status");
    for status_depends in [false, true] {
        let mut test = counters(true);
        let thread = &mut test.program.threads[0];
        let (status, found) = (register(thread, "r2"), register(thread, "r3"));
        let Instr::StoreExclusive { status_depends: flag, addr, .. } = &mut thread.code[1].instr else {
            panic!("a store")
        };
        *flag = status_depends;
        let addr = Expr::binary(BinaryOp::Add, addr.clone(), zero(status));
        thread.push(Instr::Load { dst: found, addr, width: W, tags: Tags::none(), exclusive: false }, Loc::NONE);
        let both = Term::Register { thread: 0, reg: status };
        test.condition = Condition::Equal(both, Term::Const(0), W);
        assert_eq!(allows(&depends, &test), !status_depends);
    }
}

/// An access of several parts is as many events, and one step where the model says so.
#[test]
fn accesses_of_several_parts() {
    let (high, low) = (5, 7);
    let question = |width: Width, offset: u64, value: u64| {
        let mut program = Program::default();
        let x = program.divided_location("x", Width::W64, W, None);
        let address = program.cells[x.index()].address;
        let (mut writer, mut reader) = (Thread::default(), Thread::default());
        let (addr, tags) = (Expr::Const(address), Tags::none());
        writer.push(
            Instr::Store { addr, value: Expr::Const(high << 32 | low), width: Width::W64, tags: tags.clone() },
            Loc::NONE,
        );
        let dst = reader.register("r1", 0);
        let addr = Expr::Const(address + offset);
        reader.push(Instr::Load { dst, addr, width, tags, exclusive: false }, Loc::NONE);
        program.threads = vec![writer, reader];
        let condition = Condition::And(vec![
            Condition::Equal(Term::Register { thread: 1, reg: dst }, Term::Const(value), Width::W64),
            Condition::Equal(Term::Cells { first: x, count: 2, unit: W }, Term::Const(high << 32 | low), Width::W64),
        ]);
        let (name, observed) = ("parts".to_owned(), Vec::new());
        Test { name, program, filter: None, quantifier: Quantifier::Exists, condition, observed }
    };
    let torn = own("acyclic po-loc | rf | co | fr");
    for (name, model) in [("armv8", builtin("armv8")), ("riscv", builtin("riscv")), ("torn", torn)] {
        assert!(allows(&model, &question(W, 4, high)) && allows(&model, &question(W, 0, low)), "{name}");
        assert!(!allows(&model, &question(W, 4, low)) && !allows(&model, &question(W, 0, high)), "{name}");
        assert!(allows(&model, &question(Width::W64, 0, high << 32 | low)), "{name}");
        assert_eq!(allows(&model, &question(Width::W64, 0, high << 32)), name == "torn", "{name}");
    }
}

#[test]
fn loops_and_parts_of_cells_are_unknown() {
    let unknown = |test: &Test| match ask(test, &builtin("armv8"), &Limits::none()) {
        Ok(Answer::Unknown(reason)) => reason,
        other => panic!("{other:?} should be unknown"),
    };
    let writing = looping(test("x = 1 | y = 1; r1 = x", "1:r1=7"), 1, 0, BinaryOp::NotEqual, 7);
    assert!(unknown(&writing).contains("loop"));
    let mut partial = test("x = 1 | r1 = x", "1:r1=7");
    let Instr::Load { width, .. } = &mut partial.program.threads[1].code[0].instr else { panic!("a load") };
    *width = Width::W8;
    assert!(unknown(&partial).contains("part of a location"));
}

/// A thread that accesses no location has no final state; what it wrote before can be read all the same.
#[test]
fn accesses_outside_of_all_locations_lead_nowhere() {
    let beyond = |condition: &str| {
        let mut test = test("y = 7; r1 = x; r2 = x | x = 1", condition);
        let Instr::Load { addr, .. } = &mut test.program.threads[0].code[2].instr else { panic!("a load") };
        let base = addr.clone();
        let offset = Expr::binary(BinaryOp::Sub, Expr::Reg(Reg::new(0)), Expr::Const(1));
        let offset = Expr::binary(BinaryOp::Mul, offset, Expr::Const(64));
        *addr = Expr::binary(BinaryOp::Add, base, offset);
        test
    };
    assert!(allows(&builtin("sc"), &beyond("0:r1=1 y=7")));
    assert!(!allows(&builtin("sc"), &beyond("0:r1=0")));
}

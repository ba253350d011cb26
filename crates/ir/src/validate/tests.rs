//! One broken program per way to break an invariant.

use super::{AnyId, Expected, Invalid, LIMIT, Place, Reason, validate};
use crate::ids::{BlockId, FileId, FuncId, GlobalId, LocalId, Reg, TypeId};
use crate::instr::{CastOp, Order};
use crate::number::to_usize;
use crate::parse::parse;
use crate::types::Ty;

fn findings(text: &str) -> Vec<Invalid> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    validate(&program).err().unwrap_or_default()
}

fn check(text: &str, expected: &[Reason]) {
    let found: Vec<Reason> = findings(text).into_iter().map(|invalid| invalid.reason).collect();
    assert_eq!(found, expected, "{text}");
}

/// A program with these types, globals and functions beside `main`.
fn with_items(items: &str) -> String {
    format!("norn-ir 1\ntarget lp64\nentry f0\nfunction f0 \"main\" () {{\nb0:\n  return\n}}\n{items}")
}

fn check_items(items: &str, expected: Reason) {
    check(&with_items(items), &[expected]);
}

/// A program whose `main` has these blocks. All registers but `r9` are assigned, `l0` is not entered.
fn with_body(body: &str) -> String {
    format!(
        r#"norn-ir 1
target lp64
entry f0
type t0 = i32 signed
global g0 "variable": t0
global g1 "constant": t0 constant
function f0 "main" () -> i32 {{
  r0: i32
  r1: i64
  r2: bool
  r3: ptr
  r4: f64
  r5: i8
  r6: f32
  r9, r8, r7: i32
  l0: t0 "local"
b0:
  r0 = copy 0
  r1 = copy 0
  r2 = copy true
  r3 = copy null
  r4 = copy 0.0
  r5 = copy 0
  r6 = copy 0.0
  goto b1
{body}
}}
function f1 "callee" (r0, r1) -> ptr {{
  r0: i32
  r1: bool
b0:
  return null
}}
function f2 "lock" () {{
b0:
  begin atomic
  await true
  end
  return
}}
function f3 "indirectly" () {{
b0:
  call f2()
  return
}}
function f4 "harmless" () {{
b0:
  return
}}
function f5 "leaver" () {{
b0:
  thread_exit null
}}
"#
    )
}

/// `main` consists of one block with these instructions and a return.
fn check_line(line: &str, expected: Reason) {
    check(&with_body(&format!("b1:\n  {line}\n  return 0")), &[expected]);
}

fn check_body(body: &str, expected: Reason) {
    check(&with_body(body), &[expected]);
}

fn wrong(expected: Ty, found: Ty) -> Reason {
    Reason::WrongType { expected: Expected::Exactly(expected), found }
}

fn no_such(id: impl Into<AnyId>) -> Reason {
    Reason::NoSuchId(id.into())
}

#[test]
fn fine_programs_pass() {
    check(&with_items(""), &[]);
    check(&with_body("b1:\n  return 0"), &[]);
    // What is not reached may read what is not assigned.
    check(&with_body("b1:\n  return 0\nb2:\n  return r9"), &[]);
    // Scopes and sections in a loop, left on both ways out.
    check(
        &with_body(
            "b1:\n  enter l0\n  store i32 l0, 1\n  begin atomic\n  r9 = load l0\n  call f4()\n  branch r2, b2, b3\n\
             b2:\n  end\n  leave l0\n  r8 = add r9, 1\n  goto b1\n\
             b3:\n  end\n  leave l0\n  begin read\n  r8 = load g0\n  end\n  return r9",
        ),
        &[],
    );
}

#[test]
fn ids_refer_to_something() {
    check_line("r10 = self", no_such(Reg(10)));
    check_line("r0 = load g2", no_such(GlobalId(2)));
    check_line("enter l1", no_such(LocalId(1)));
    check_line("r3 = copy l1", no_such(LocalId(1)));
    check_line("r3 = copy f6", no_such(FuncId(6)));
    check_line("call f6()", no_such(FuncId(6)));
    check_line("r3 = alloc heap 4 t1", no_such(TypeId(1)));
    check_line("fence full !0:1:1\n  fence full !none", no_such(FileId(0)));
    check_body("b1:\n  goto b7", no_such(BlockId(7)));
    check_items("global g0 \"x\": t0", no_such(TypeId(0)));
    check_items("type t0 = ptr pointer\nglobal g0 \"x\": t0 {\n0: g1\n}", no_such(GlobalId(1)));
    check_items("type t0 = ptr pointer\nglobal g0 \"x\": t0 {\n0: f1\n}", no_such(FuncId(1)));
    check_items("function f1 \"f\" (r0) {\nb0:\n  return\n}", no_such(Reg(0)));
    check_items("function f1 \"f\" () {\nl0: t0 \"x\"\nb0:\n  return\n}", no_such(TypeId(0)));
    check("norn-ir 1\ntarget lp64\nentry f0", &[no_such(FuncId(0))]);
}

#[test]
fn types_fit() {
    check_items("type t0 = array 2 * t0 size 8 align 4", Reason::TypeNotBefore(TypeId(0)));
    check_items("type t0 = struct \"s\" size 8 align 4 {\n0: t1 \"x\"\n}", Reason::TypeNotBefore(TypeId(1)));
    check_items("type t0 = i32 signed size 2 align 2", Reason::WrongTypeSize);
    check_items("type t0 = i32 signed\ntype t1 = array 2 * t0 size 9 align 4", Reason::WrongTypeSize);
    check_items("type t0 = i32 signed size 4 align 3", Reason::WrongAlignment(3));
    check_items(
        "type t0 = i32 signed\ntype t1 = struct \"\" size 4 align 4 {\n1: t0 \"x\"\n}",
        Reason::FieldOutside(0),
    );
    check_items(
        "type t0 = i8 signed\ntype t1 = struct \"\" size 4 align 4 {\n1: t0 \"x\" bits 5 width 4\n}",
        Reason::BitsOutside(0),
    );
    check_items("type t0 = bool bool", Reason::BoolInMemory);
}

#[test]
fn names_are_unique() {
    let name = |name: &str| Reason::DuplicateName(name.to_owned());
    check_items("type t0 = i8 char\nglobal g0 \"x\": t0\nglobal g1 \"x\": t0", name("x"));
    check_items("function f1 \"main\" () {\nb0:\n  return\n}", name("main"));
}

#[test]
fn initial_values_fit() {
    let items = |init: &str| format!("type t0 = bytes size 16 align 8\nglobal g0 \"x\": t0 {{\n{init}\n}}");
    check_items(&items("0: i32 1\n2: i32 1"), Reason::InitOverlaps(1));
    check_items(&items("0: bytes \"abc\"\n2: g0"), Reason::InitOverlaps(1));
    check_items(&items("4: i32 1\n0: i32 1"), Reason::InitOverlaps(1));
    check_items(&items("9: f0"), Reason::InitOutside(0));
    check_items(&items("18446744073709551615: i32 1"), Reason::InitOutside(0));
    check_items(&items("0: i8 256"), Reason::ConstantTooWide { ty: Ty::I8, bits: 256 });
    check_items(&items("0: true"), Reason::BoolInMemory);
    check(&with_items(&items("0: i32 1\n4: i32 1\n8: g0")), &[]);
}

#[test]
fn functions_have_a_proper_frame() {
    check(
        "norn-ir 1\ntarget lp64\nentry f0\nfunction f0 \"main\" (r0) {\nr0: i32\nb0:\n  return\n}",
        &[Reason::EntryHasParameters],
    );
    check_items("function f1 \"f\" () {\n}", Reason::NoBlocks);
    check_items("function f1 \"f\" (r0, r0) {\nr0: i32\nb0:\n  return\n}", Reason::DuplicateParameter(Reg(0)));
    check_body("b1:\n  goto b0", Reason::JumpToEntry);
}

#[test]
fn types_agree() {
    let integer = |found| Reason::WrongType { expected: Expected::Integer, found };
    let float = |found| Reason::WrongType { expected: Expected::Float, found };
    check_line("r0 = copy r1", wrong(Ty::I32, Ty::I64));
    check_line("r0 = add r0, i64 1", wrong(Ty::I32, Ty::I64));
    check_line("r3 = add r3, r3", integer(Ty::Ptr));
    check_line("r0 = add.f r0, r0", float(Ty::I32));
    check_line("r2 = shl r2, r2", integer(Ty::Bool));
    check_line("r3 = xor r3, r3", Reason::WrongType { expected: Expected::IntegerOrBool, found: Ty::Ptr });
    check_line("r0 = eq i32 r0, r0", wrong(Ty::Bool, Ty::I32));
    check_line("r2 = eq i32 r0, r1", wrong(Ty::I32, Ty::I64));
    check_line("r2 = eq f64 r4, r4", Reason::WrongType { expected: Expected::Comparable, found: Ty::F64 });
    check_line("r2 = lt.s ptr r3, r3", integer(Ty::Ptr));
    check_line("r2 = lt.u bool r2, r2", Reason::WrongType { expected: Expected::IntegerOrPointer, found: Ty::Bool });
    check_line("r2 = lt.f i32 r0, r0", float(Ty::I32));
    check_line("r0 = neg.f r0", float(Ty::I32));
    check_line("r4 = popcount r4", integer(Ty::F64));
    check_line("r0 = select r0, r0, r0", wrong(Ty::Bool, Ty::I32));
    check_line("r0 = select r2, r0, r1", wrong(Ty::I32, Ty::I64));
    check_line("r3 = ptr_add r3, r0 * 4", wrong(Ty::I64, Ty::I32));
    check_line("r3 = ptr_add r1, r1 * 4", wrong(Ty::Ptr, Ty::I64));
    check_line("r0 = ptr_diff r3, r3", wrong(Ty::I64, Ty::I32));
    check_line("r0 = load r1", wrong(Ty::Ptr, Ty::I64));
    check_line("store i32 g0, r1", wrong(Ty::I32, Ty::I64));
    check_line("r4 = rmw add g0, r4 relaxed", integer(Ty::F64));
    check_line("r0 = rmw add g0, r1 relaxed", wrong(Ty::I32, Ty::I64));
    check_line("r0, r2 = compare_exchange g0, r1, r0 relaxed relaxed", wrong(Ty::I32, Ty::I64));
    check_line("r0, r5 = compare_exchange g0, r0, r0 relaxed relaxed", wrong(Ty::Bool, Ty::I8));
    check_line("assume r0", wrong(Ty::Bool, Ty::I32));
    check_line("assert r0 assertion \"\"", wrong(Ty::Bool, Ty::I32));
    check_line("call *r1()", wrong(Ty::Ptr, Ty::I64));
    check_line("r0 = spawn f4()", wrong(Ty::I64, Ty::I32));
    check_line("r1 = spawn r1()", wrong(Ty::Ptr, Ty::I64));
    check_line("r1 = join r1", wrong(Ty::Ptr, Ty::I64));
    check_line("join r0", wrong(Ty::I64, Ty::I32));
    check_line("r0 = self", wrong(Ty::I64, Ty::I32));
    check_line("r3 = alloc heap r0", wrong(Ty::I64, Ty::I32));
    check_line("r1 = alloc heap r1", wrong(Ty::Ptr, Ty::I64));
    check_line("free heap r1", wrong(Ty::Ptr, Ty::I64));
    check_line("sync acquire r1", wrong(Ty::Ptr, Ty::I64));
    check_line("r0 = object_size r3", wrong(Ty::I64, Ty::I32));
    check_line("print stdout g0, i32 r1", wrong(Ty::I32, Ty::I64));
    check_body("b1:\n  branch r0, b2, b2\nb2:\n  stop", wrong(Ty::Bool, Ty::I32));
    check_body("b1:\n  switch i32 r1, else b2\nb2:\n  stop", wrong(Ty::I32, Ty::I64));
    check_body("b1:\n  switch ptr r3, else b2\nb2:\n  stop", integer(Ty::Ptr));
    check_body("b1:\n  thread_exit r1", wrong(Ty::Ptr, Ty::I64));
    check_body("b1:\n  exit r1", wrong(Ty::I32, Ty::I64));
}

#[test]
fn casts_are_legal() {
    let illegal = |line: &str, op, from, to| check_line(line, Reason::IllegalCast { op, from, to });
    illegal("r5 = extend.u i32 r0", CastOp::ZeroExtend, Ty::I32, Ty::I8);
    illegal("r0 = extend.s bool r2", CastOp::SignExtend, Ty::Bool, Ty::I32);
    illegal("r2 = truncate i32 r0", CastOp::Truncate, Ty::I32, Ty::Bool);
    illegal("r0 = ptr_to_int ptr r3", CastOp::PtrToInt, Ty::Ptr, Ty::I32);
    illegal("r3 = int_to_ptr i32 r0", CastOp::IntToPtr, Ty::I32, Ty::Ptr);
    illegal("r0 = to_float.s i32 r0", CastOp::SignedToFloat, Ty::I32, Ty::I32);
    illegal("r4 = to_int.u f64 r4", CastOp::FloatToUnsigned, Ty::F64, Ty::F64);
    illegal("r4 = to_float.f f64 r4", CastOp::FloatToFloat, Ty::F64, Ty::F64);
    check_line("r0 = truncate i64 r5", wrong(Ty::I64, Ty::I8));
}

#[test]
fn constants_are_cut() {
    check_line("r5 = copy 256", Reason::ConstantTooWide { ty: Ty::I8, bits: 256 });
    check_line("r2 = copy bool 2", Reason::ConstantTooWide { ty: Ty::Bool, bits: 2 });
    let switch = |cases: &str| format!("b1:\n  switch i8 r5, {cases}, else b2\nb2:\n  stop");
    check_body(&switch("511: b2"), Reason::ConstantTooWide { ty: Ty::I8, bits: 511 });
    check_body(&switch("-1: b2, 1: b2, 255: b2"), Reason::DuplicateCase(255));
}

#[test]
fn a_bool_stays_in_registers() {
    check_line("r2 = load r3", Reason::BoolInMemory);
    check_line("store bool g0, r2", Reason::BoolInMemory);
    check_line("r2 = rmw exchange g0, r2 relaxed", Reason::BoolInMemory);
    check_line("r2, r2 = compare_exchange g0, r2, r2 relaxed relaxed", Reason::BoolInMemory);
}

#[test]
fn calls_fit_their_callee() {
    check_line("call f1(r0)", Reason::WrongArgumentCount { expected: 2, found: 1 });
    check_line("call f1(r1, r2)", Reason::WrongArgument { index: 0, expected: Ty::I32, found: Ty::I64 });
    check_line("r0 = call f1(r0, r2)", Reason::WrongResult { expected: Some(Ty::Ptr), found: Some(Ty::I32) });
    check_line("r0 = call f4()", Reason::WrongResult { expected: None, found: Some(Ty::I32) });
    check_body("b1:\n  return", Reason::WrongResult { expected: Some(Ty::I32), found: None });
    check_body("b1:\n  return r1", Reason::WrongResult { expected: Some(Ty::I32), found: Some(Ty::I64) });
    check_items(
        "function f1 \"f\" () {\nb0:\n  return null\n}",
        Reason::WrongResult { expected: None, found: Some(Ty::Ptr) },
    );
}

#[test]
fn orders_suit_the_access() {
    check_line("r0 = load g0 release", Reason::WrongOrder(Order::Release));
    check_line("store i32 g0, 1 acquire", Reason::WrongOrder(Order::Acquire));
    check_line("r0 = rmw add g0, 1 plain", Reason::WrongOrder(Order::Plain));
    check_line("r0, r2 = compare_exchange g0, 1, 2 relaxed acq_rel", Reason::WrongOrder(Order::AcqRel));
}

#[test]
fn registers_are_assigned_first() {
    let unassigned = || Reason::Unassigned(Reg(9));
    check_line("r9 = add r9, 1", unassigned());
    check_body("b1:\n  return r9", unassigned());
    // On one of two paths only.
    check_body("b1:\n  branch r2, b2, b3\nb2:\n  r9 = copy 1\n  goto b3\nb3:\n  return r9", unassigned());
    // Only from the second round of the loop on.
    check_body("b1:\n  store i32 g0, r9\n  r9 = copy 1\n  branch r2, b1, b2\nb2:\n  return r9", unassigned());
    check(
        &with_body(
            "b1:\n  branch r2, b2, b3\nb2:\n  r9 = copy 1\n  goto b4\nb3:\n  r9 = copy 2\n  goto b4\nb4:\n  return r9",
        ),
        &[],
    );
}

/// More registers than the solver takes at a time.
#[test]
fn many_registers_are_told_apart() {
    let list = |separator: &str, f: fn(usize) -> String| (0..300).map(f).collect::<Vec<_>>().join(separator);
    let text = format!(
        "norn-ir 1\ntarget lp64\nentry f0\nfunction f0 \"main\" () {{\n{}: i32\nb0:\n{}\n  goto b1\nb1:\n{}\n  return\n}}",
        list(", ", |i| format!("r{i}")),
        list("\n", |i| if i % 97 == 5 { String::new() } else { format!("  r{i} = copy 1") }),
        list("\n", |i| format!("  r{i} = copy r{i}")),
    );
    check(&text, &[5, 102, 199, 296].map(|i| Reason::Unassigned(Reg(i))));
}

#[test]
fn locals_are_used_in_their_scope() {
    let local = LocalId(0);
    check_line("store i32 l0, 1", Reason::NotEntered(local));
    check_line("enter l0\n  leave l0\n  r3 = copy l0", Reason::NotEntered(local));
    check_line("leave l0", Reason::NotEntered(local));
    check_line("enter l0\n  enter l0", Reason::EnteredTwice(local));
    check_body("b1:\n  enter l0\n  branch r2, b1, b2\nb2:\n  stop", Reason::EnteredTwice(local));
    check_body(
        "b1:\n  branch r2, b2, b3\nb2:\n  enter l0\n  goto b3\nb3:\n  r0 = load l0\n  stop",
        Reason::NotEntered(local),
    );
    check_body(
        "b1:\n  enter l0\n  branch r2, b2, b3\nb2:\n  leave l0\n  goto b3\nb3:\n  r0 = load l0\n  stop",
        Reason::NotEntered(local),
    );
    check_body("b1:\n  thread_exit l0", Reason::NotEntered(local));
}

#[test]
fn sections_are_clear() {
    check_line("begin atomic\n  begin read\n  end", Reason::SectionNested);
    check_line("end", Reason::SectionNotOpen);
    check_line("begin read", Reason::SectionLeftOpen);
    check_line("await r2", Reason::AwaitOutsideSection);
    check_body("b1:\n  begin atomic\n  thread_exit null", Reason::SectionLeftOpen);
    check_body("b1:\n  branch r2, b2, b3\nb2:\n  begin atomic\n  goto b3\nb3:\n  stop", Reason::SectionUnclear);
    check_body(
        "b1:\n  branch r2, b2, b3\nb2:\n  begin atomic\n  goto b4\nb3:\n  begin read\n  goto b4\nb4:\n  end\n  return 0",
        Reason::SectionUnclear,
    );
}

#[test]
fn sections_hold_no_thread_operations() {
    check_line("begin atomic\n  r1 = spawn f4()\n  end", Reason::SpawnInSection);
    check_line("begin atomic\n  join r1\n  end", Reason::JoinInSection);
    check_line("begin atomic\n  call f2()\n  end", Reason::CallInSection(FuncId(2)));
    check_line("begin atomic\n  call f3()\n  end", Reason::CallInSection(FuncId(3)));
    check_line("begin atomic\n  call f5()\n  end", Reason::CallInSection(FuncId(5)));
}

#[test]
fn read_sections_only_read() {
    for line in [
        "store i32 g0, 1",
        "r0 = rmw add g0, 1 relaxed",
        "r0, r2 = compare_exchange g0, 1, 2 relaxed relaxed",
        "fence full",
        "r3 = alloc heap 4",
        "free heap null",
        "call f4()",
        "call *r3()",
    ] {
        check_line(&format!("begin read\n  {line}\n  end"), Reason::NotARead);
        check(&with_body(&format!("b1:\n  begin atomic\n  {line}\n  end\n  return 0")), &[]);
    }
}

#[test]
fn findings_say_where() {
    let (function, block) = (FuncId(0), BlockId(1));
    let found = findings(&with_body("b1:\n  fence full\n  assume r0\n  return r9"));
    assert_eq!(found[0].place, Place::Instr { function, block, index: 1 });
    assert_eq!(found[0].to_string(), "f0, b1, instruction 1: expected bool, found i32");
    let found = findings(&with_body("b1:\n  return r9"));
    assert_eq!(found[0].place, Place::Terminator { function, block });
    assert_eq!(found[0].to_string(), "f0, b1, terminator: r9 may not have been assigned");
}

#[test]
fn the_list_of_findings_ends() {
    let body = format!("b1:\n{}  return 0", "  assume r0\n".repeat(2 * LIMIT));
    assert_eq!(findings(&with_body(&body)).len(), LIMIT);
}

/// What happens in a block of a random function.
#[derive(Clone, Copy)]
enum Step {
    Enter,
    Leave,
    Mention,
    Assign,
    Read,
}

/// Whether walking through all states of the function finds a wrong event: of the local object, of the register.
fn walk(blocks: &[(Vec<Step>, Vec<usize>)]) -> (bool, bool) {
    let mut seen = std::collections::BTreeSet::new();
    let mut work = vec![(0, false, false)];
    let mut wrong = (false, false);
    while let Some(state) = work.pop() {
        if !seen.insert(state) {
            continue;
        }
        let (block, mut inside, mut assigned) = state;
        for step in &blocks[block].0 {
            match step {
                Step::Enter => wrong.0 |= std::mem::replace(&mut inside, true),
                Step::Leave => wrong.0 |= !std::mem::replace(&mut inside, false),
                Step::Mention => wrong.0 |= !inside,
                Step::Assign => assigned = true,
                Step::Read => wrong.1 |= !assigned,
            }
        }
        work.extend(blocks[block].1.iter().map(|&next| (next, inside, assigned)));
    }
    wrong
}

/// The quick questions and the solver against an exhaustive walk, on random graphs.
#[test]
fn paths_are_followed_exactly() {
    let mut seed: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut below = |bound: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) % bound
    };
    let mut counts = [[0; 2]; 2];
    for _ in 0..3000 {
        let count = 2 + to_usize(below(6));
        let blocks: Vec<(Vec<Step>, Vec<usize>)> = (0..count)
            .map(|i| {
                // Few events, so that a good part of the functions is right.
                let steps = (0..below(3)).map(|_| match below(7) {
                    0 => Step::Enter,
                    1 => Step::Leave,
                    2 => Step::Mention,
                    3 | 4 => Step::Assign,
                    _ => Step::Read,
                });
                let mut steps: Vec<Step> = steps.collect();
                if i == 0 && below(2) == 0 {
                    steps.splice(0..0, [Step::Assign, Step::Enter]);
                }
                (steps, (0..below(3)).map(|_| 1 + to_usize(below(count as u64 - 1))).collect())
            })
            .collect();
        let mut text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nfunction f0 \"main\" () {\n\
                        r0: bool\nr1: i32\nr2: ptr\nl0: t0 \"x\"\n"
            .to_owned();
        for (i, (steps, next)) in blocks.iter().enumerate() {
            text += &format!("b{i}:\n");
            for step in steps {
                text += match step {
                    Step::Enter => "  enter l0\n",
                    Step::Leave => "  leave l0\n",
                    Step::Mention => "  r2 = copy l0\n",
                    Step::Assign => "  r1 = copy 1\n",
                    Step::Read => "  r0 = eq i32 r1, 1\n",
                };
            }
            text += &match next[..] {
                [] => "  return\n".to_owned(),
                [one] => format!("  goto b{one}\n"),
                [one, other, ..] => format!("  branch true, b{one}, b{other}\n"),
            };
        }
        text += "}\n";
        let found = findings(&text);
        let unassigned = found.iter().any(|invalid| matches!(invalid.reason, Reason::Unassigned(_)));
        let scope = |reason: &Reason| matches!(reason, Reason::NotEntered(_) | Reason::EnteredTwice(_));
        let misused = found.iter().any(|invalid| scope(&invalid.reason));
        assert_eq!((misused, unassigned), walk(&blocks), "{text}");
        counts[0][usize::from(misused)] += 1;
        counts[1][usize::from(unassigned)] += 1;
    }
    assert!(counts.as_flattened().iter().all(|&n| n > 300), "one-sided: {counts:?}");
}

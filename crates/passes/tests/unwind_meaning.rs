//! What a bound means: exact counts for loops of every shape, and a comparison of all paths of small random programs
//! with a direct reading of the definition that knows nothing of the pass.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Callee, InstrKind, TerminatorKind};
use norn_ir::parse::parse;
use norn_ir::program::{Function, Program};
use norn_ir::validate::validate;
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::{BoundAt, Bounded, Bounds, CutCause, TooLargeCause, unwind};
use norn_testing::Random;

fn program(body: &str) -> Program {
    let header = "norn-ir 1\ntarget lp64\nentry f0\nfile 0 \"a.c\"\nfile 1 \"dir/b.c\"\ntype t0 = i32 signed\n";
    let program = parse(&format!("{header}{body}")).unwrap_or_else(|e| panic!("{e}\n{header}{body}"));
    assert_eq!(validate(&program), Ok(()));
    program
}

fn bounded(program: &Program, default: u32) -> Bounded {
    let bounded =
        unwind(program, &Bounds { default, library: 3, ..Bounds::default() }).expect("should not be too large");
    assert_eq!(validate(&bounded.program), Ok(()));
    for function in &bounded.program.functions {
        for id in function.block_ids() {
            let block = function.block(id);
            assert!(block.terminator.kind.successors().all(|next| next > id), "jumps should go forward");
            for instr in &block.instrs {
                let is_left = matches!(block.terminator.kind, TerminatorKind::Unsupported(_));
                let is_call = matches!(instr.kind, InstrKind::Call { .. });
                assert!(!is_call || is_left, "only what is left of a call through a pointer should be a call");
            }
        }
    }
    bounded
}

/// How often a `fence compiler` runs at most, and how many cuts there are.
fn check(body: &str, bound: u32, runs: usize, cuts: usize) {
    let bounded = bounded(&program(body), bound);
    let function = bounded.program.function(bounded.program.entry);
    let mut longest = vec![0; function.blocks.len()];
    let mut most = 0;
    for id in function.block_ids() {
        let block = function.block(id);
        let count = block.instrs.iter().filter(|instr| matches!(instr.kind, InstrKind::Fence(_))).count();
        let total: usize = longest[id.index()] + count;
        most = most.max(total);
        for next in block.terminator.kind.successors() {
            longest[next.index()] = longest[next.index()].max(total);
        }
    }
    assert_eq!((most, bounded.cuts.len()), (runs, cuts), "{}", bounded.program);
    for cut in &bounded.cuts {
        assert_eq!(bounded.program.function(cut.function).block(cut.block).terminator.kind, TerminatorKind::Stop);
    }
}

fn main_of(blocks: &str) -> String {
    format!("function f0 \"main\" () {{\nb0:\n goto b1\n{blocks}\n}}\n")
}

#[test]
fn the_copy_for_the_latest_bounds_is_kept() {
    let text = main_of("b1:\n fence compiler\n branch true, b1, b2\nb2:\n return");
    let code = Analysed::new(program(&text));
    let bounds = |default: u32| Bounds { default, ..Bounds::default() };
    let unwound = |default: u32| code.unwound(&bounds(default)).expect("should not be too large");
    let first = unwound(3);
    assert!(Arc::ptr_eq(&first, &unwound(3)), "the same bounds should give the same copy");
    let old = Arc::downgrade(&first);
    drop(first);
    assert_eq!(Ok(unwound(4)), unwind(&code, &bounds(4)).map(Arc::new));
    assert!(old.upgrade().is_none(), "a copy for other bounds should be gone");
    // A copy that is too large to be kept is found anew.
    let first = unwound(1 << 17);
    assert!(!Arc::ptr_eq(&first, &unwound(1 << 17)));
}

#[test]
fn a_while_loop() {
    let text = main_of("b1:\n branch true, b2, b3\nb2:\n fence compiler\n goto b1\nb3:\n return");
    // The body runs once per back edge, and once more before the edge that is cut.
    check(&text, 0, 1, 1);
    check(&text, 1, 2, 1);
    check(&text, 5, 6, 1);
}

#[test]
fn a_do_while_loop() {
    let text = main_of("b1:\n fence compiler\n branch true, b1, b2\nb2:\n return");
    check(&text, 0, 1, 1);
    check(&text, 3, 4, 1);
}

#[test]
fn back_edges_of_one_loop_count_together() {
    let text = main_of("b1:\n fence compiler\n branch true, b1, b2\nb2:\n branch true, b1, b3\nb3:\n return");
    check(&text, 2, 3, 1);
}

#[test]
fn nested_loops_count_per_entry() {
    let text = main_of(
        "b1:\n branch true, b2, b5\nb2:\n branch true, b3, b4\nb3:\n fence compiler\n goto b2\nb4:\n goto b1\nb5:\n return",
    );
    // Each of the N + 1 rounds of the outer loop enters the inner loop anew; the inner cut is one per such round. The
    // body that leads into a cut belongs to a path that ends there, so only the last round has N + 1 of them.
    check(&text, 0, 1, 2);
    check(&text, 2, 7, 4);
}

#[test]
fn a_goto_loop_with_two_entries() {
    let text =
        main_of("b1:\n branch true, b2, b3\nb2:\n fence compiler\n goto b3\nb3:\n branch true, b2, b4\nb4:\n return");
    check(&text, 0, 1, 1);
    check(&text, 2, 3, 1);
}

#[test]
fn an_endless_loop_has_only_cuts() {
    check(&main_of("b1:\n fence compiler\n goto b1"), 4, 5, 1);
}

#[test]
fn recursion_counts_active_calls() {
    let text = "function f0 \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 \"f\" () {\nb0:\n fence compiler\n branch true, b1, \
         b2\nb1:\n call f1()\n goto b2\nb2:\n return\n}\n";
    check(text, 0, 1, 1);
    check(text, 3, 4, 1);
    // Calls that are over do not count.
    let twice = "function f0 \"main\" () {\nb0:\n call f1()\n call f1()\n return\n}\nfunction f1 \"f\" () {\nb0:\n fence compiler\n \
         return\n}\n";
    check(twice, 0, 2, 0);
    let mutual = "function f0 \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 \"f\" () {\nb0:\n fence compiler\n call f2()\n \
         return\n}\nfunction f2 \"g\" () {\nb0:\n fence compiler\n call f1()\n return\n}\n";
    check(mutual, 1, 4, 1);
}

#[test]
fn the_library_has_its_own_bound() {
    let text = "function f0 \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 \"f\" () library {\nb0:\n goto b1\nb1:\n fence compiler\n \
         branch true, b1, b2\nb2:\n return\n}\n";
    check(text, 0, 4, 1);
}

#[test]
fn a_bound_for_one_line() {
    let text = "function f0 \"main\" () {\nb0:\n goto b1\nb1:\n fence compiler !1:7:2\n branch true, b1, b2 !1:8:1\nb2:\n branch true, b2, \
         b3 !1:9:3\nb3:\n return\n}\n";
    let program = program(text);
    let at = vec![
        BoundAt { file: "b.c".into(), line: 7, bound: 4 },
        BoundAt { file: "/b.c".into(), line: 9, bound: 5 },
        BoundAt { file: "a.c".into(), line: 9, bound: 6 },
    ];
    let named = Bounds { default: 2, at, ..Bounds::default() };
    let bounded = unwind(&program, &named).expect("should not be too large");
    let bounds: Vec<(u32, u32)> = bounded.cuts.iter().map(|cut| (cut.span.line, cut.bound)).collect();
    assert_eq!(bounds, [(9, 2), (7, 4)]);
    let unused: Vec<&str> = named.unused(&program).into_iter().map(|at| at.file.as_str()).collect();
    assert_eq!(unused, ["/b.c", "a.c"]);
}

#[test]
fn what_explodes_is_named() {
    let text = main_of("b1:\n fence compiler\n branch true, b1, b2\nb2:\n return");
    let bounds = Bounds { default: u32::MAX, max_instructions: 1000, ..Bounds::default() };
    let error = unwind(&program(&text), &bounds).expect_err("should be too large");
    assert!(matches!(error.cause, TooLargeCause::Loop(FuncId(0), _)), "{error:?}");
    let text = "function f0 \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 \"f\" () {\nb0:\n call f1()\n call f1()\n return\n}\n";
    let bounds = Bounds { default: 100, max_instructions: 1000, ..Bounds::default() };
    let text = text.replace(
        "call f1()\n call f1()\n return",
        "branch true, b1, b2\nb1:\n call f1()\n call f1()\n goto b2\nb2:\n return",
    );
    let error = unwind(&program(&text), &bounds).expect_err("should be too large");
    assert_eq!(error.cause, TooLargeCause::Function(FuncId(1)));
}

/// How a path ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Return,
    Loop(FuncId, BlockId),
    Recursion(FuncId),
}

type Path = (Vec<Site>, End);

/// All paths of the bounded program, as the fences of the original that they pass.
fn paths_of_bounded(original: &Program, bounded: &Bounded) -> BTreeSet<Path> {
    let entry = bounded.program.entry;
    let function = bounded.program.function(entry);
    let mut paths = BTreeSet::new();
    let mut work = vec![(BlockId(0), Vec::new())];
    while let Some((id, mut path)) = work.pop() {
        let block = function.block(id);
        for (index, instr) in block.instrs.iter().enumerate() {
            if matches!(instr.kind, InstrKind::Fence(_)) {
                path.push(bounded.origins.site(Site::new(entry, id, index)));
            }
        }
        match &block.terminator.kind {
            TerminatorKind::Return(_) => {
                paths.insert((path, End::Return));
            }
            TerminatorKind::Stop => {
                let cut = bounded.cuts.iter().find(|cut| cut.block == id).expect("a stop should be a cut");
                let end = match cut.cause {
                    CutCause::Loop(f, l) => End::Loop(f, norn_passes::loops::loops(original.function(f)).get(l).header),
                    CutCause::Recursion(f) => End::Recursion(f),
                };
                paths.insert((path, end));
            }
            kind => work.extend(kind.successors().map(|next| (next, path.clone()))),
        }
    }
    paths
}

/// The loops of a function, straight from the definition: for each target of an edge to a block on the current path of
/// a depth-first search, the blocks found below it that are on a cycle with it among those found below it.
struct NaiveLoops {
    members: BTreeMap<BlockId, BTreeSet<BlockId>>,
}

impl NaiveLoops {
    fn new(function: &Function) -> NaiveLoops {
        let mut below: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        let mut headers = BTreeSet::new();
        search(function, &mut vec![BlockId(0)], &mut below, &mut headers);
        let reach = |from: BlockId, within: &BTreeSet<BlockId>| {
            let mut found = BTreeSet::new();
            let mut work = vec![from];
            while let Some(id) = work.pop() {
                for next in function.block(id).terminator.kind.successors() {
                    if within.contains(&next) && found.insert(next) {
                        work.push(next);
                    }
                }
            }
            found
        };
        let member = |&header: &BlockId| {
            let within = &below[&header];
            let found = reach(header, within).into_iter().filter(|&id| reach(id, within).contains(&header)).collect();
            (header, found)
        };
        NaiveLoops { members: headers.iter().map(member).collect() }
    }
}

fn search(
    function: &Function,
    path: &mut Vec<BlockId>,
    below: &mut BTreeMap<BlockId, BTreeSet<BlockId>>,
    headers: &mut BTreeSet<BlockId>,
) {
    let at = *path.last().expect("the path should not be empty");
    below.insert(at, BTreeSet::new());
    for &above in path.iter() {
        below.get_mut(&above).expect("the path was found").insert(at);
    }
    for next in function.block(at).terminator.kind.successors() {
        if path.contains(&next) {
            headers.insert(next);
        } else if !below.contains_key(&next) {
            path.push(next);
            search(function, path, below, headers);
            path.pop();
        }
    }
}

#[derive(Clone)]
struct Frame {
    function: FuncId,
    block: BlockId,
    index: usize,
    /// How often each loop that control is in has gone back, by header.
    counts: BTreeMap<BlockId, u32>,
}

/// All paths of the original under the bound, or `None` if there are too many to compare.
fn paths_by_definition(program: &Program, bound: u32) -> Option<BTreeSet<Path>> {
    let loops: Vec<NaiveLoops> = program.functions.iter().map(NaiveLoops::new).collect();
    let enter = |function| Frame { function, block: BlockId(0), index: 0, counts: BTreeMap::new() };
    let mut paths = BTreeSet::new();
    let mut work = vec![(vec![enter(program.entry)], Vec::new())];
    let mut steps = 0;
    while let Some((mut stack, mut path)) = work.pop() {
        steps += 1;
        if steps > 20_000 {
            return None;
        }
        let Some(frame) = stack.last_mut() else {
            paths.insert((path, End::Return));
            continue;
        };
        let block = program.function(frame.function).block(frame.block);
        if let Some(instr) = block.instrs.get(frame.index) {
            let site = Site::new(frame.function, frame.block, frame.index);
            frame.index += 1;
            match instr.kind {
                InstrKind::Fence(_) => path.push(site),
                InstrKind::Call { callee: Callee::Direct(callee), .. } => {
                    if stack.iter().filter(|frame| frame.function == callee).count() > bound as usize {
                        paths.insert((path, End::Recursion(callee)));
                        continue;
                    }
                    stack.push(enter(callee));
                }
                _ => panic!("there should be fences and calls only"),
            }
            work.push((stack, path));
            continue;
        }
        if let TerminatorKind::Return(_) = block.terminator.kind {
            stack.pop();
            work.push((stack, path));
            continue;
        }
        for next in block.terminator.kind.successors() {
            let mut stack = stack.clone();
            let frame = stack.last_mut().expect("a frame jumps");
            let from = std::mem::replace(&mut frame.block, next);
            frame.index = 0;
            let mut end = None;
            for (&header, members) in &loops[frame.function.index()].members {
                if !members.contains(&next) {
                    frame.counts.remove(&header);
                } else if !members.contains(&from) {
                    frame.counts.insert(header, 0);
                } else if next == header {
                    let count = frame.counts.get_mut(&header).expect("a loop that control is in should have a count");
                    *count += 1;
                    if *count > bound {
                        end = Some(End::Loop(frame.function, header));
                    }
                }
            }
            match end {
                Some(end) => {
                    paths.insert((path.clone(), end));
                }
                None => work.push((stack, path.clone())),
            }
        }
    }
    Some(paths)
}

fn random_program(random: &mut Random) -> Program {
    let functions = 1 + random.below(3);
    let mut text = String::new();
    for f in 0..functions {
        text += &format!("function f{f} \"f{f}\" () {{\n");
        let blocks = 2 + random.below(6);
        for b in 0..blocks {
            text += &format!("b{b}:\n fence compiler\n");
            if functions > 1 && random.below(4) == 0 {
                text += &format!(" call f{}()\n fence compiler\n", random.below(functions));
            }
            let mut target = || 1 + random.below(blocks - 1);
            let (first, second) = (target(), target());
            text += &match random.below(5) {
                0 => " return\n".to_owned(),
                1 => format!(" goto b{first}\n"),
                _ => format!(" branch true, b{first}, b{second}\n"),
            };
        }
        text += "}\n";
    }
    program(&text)
}

#[test]
fn random_programs_have_the_paths_of_the_definition() {
    let mut random = Random::new(1);
    let (mut compared, mut cut) = (0, 0);
    for _ in 0..1500 {
        let program = random_program(&mut random);
        for bound in 0..3 {
            let Some(expected) = paths_by_definition(&program, bound) else { continue };
            let bounded = bounded(&program, bound);
            assert_eq!(paths_of_bounded(&program, &bounded), expected, "bound {bound}\n{program}\n{}", bounded.program);
            compared += 1;
            cut += usize::from(!bounded.cuts.is_empty());
        }
    }
    assert!(compared > 2000 && cut > 1000, "only {compared} programs compared, {cut} with cuts");
}

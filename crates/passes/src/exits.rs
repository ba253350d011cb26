//! Ends the life of every object on the frame on every way out of its scope, one instruction each.
//!
//! Lowering emits the exits of blocks and jumps as it goes. What it leaves open is closed here: the objects that are live
//! at a return, and those that a jump out of the middle of an expression (`f(s, ({ break; 1; }))`) leaves behind. The
//! function in which the program starts keeps its frame: its return ends a thread whose objects others may still use.
//!
//! An object counts as live at a point if it is live on every way there; on an edge that comes with more, the rest ends.

use norn_ir::ids::{BlockId, LocalId};
use norn_ir::instr::{Instr, InstrKind, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function};

/// Locals are looked at in groups of as many as a word has bits.
const GROUP: usize = 64;

pub fn close_scopes(function: &mut Function, keeps_frame: bool) {
    let count = function.locals.len();
    for first in (0..count).step_by(GROUP) {
        close_group(function, first, keeps_frame);
    }
}

fn close_group(function: &mut Function, first: usize, keeps_frame: bool) {
    let live_in = live_at_start(function, first);
    for index in 0..live_in.len() {
        let live_out = after(&function.blocks[index], first, live_in[index]);
        if live_out == 0 {
            continue;
        }
        let terminator = &function.blocks[index].terminator;
        let span = terminator.span;
        if matches!(terminator.kind, TerminatorKind::Return(_)) {
            if !keeps_frame {
                function.blocks[index].instrs.extend(exits(live_out, first, span));
            }
            continue;
        }
        let successors: Vec<BlockId> = terminator.kind.successors().collect();
        let left_open = |to: BlockId| live_out & !live_in.get(to.index()).copied().unwrap_or(0);
        if let [only] = successors[..] {
            function.blocks[index].instrs.extend(exits(left_open(only), first, span));
            continue;
        }
        for to in successors.into_iter().filter(|&to| left_open(to) != 0) {
            let between = BlockId::new(function.blocks.len());
            let instrs = exits(left_open(to), first, span).collect();
            function.blocks.push(Block { instrs, terminator: Terminator { kind: TerminatorKind::Goto(to), span } });
            function.blocks[index].terminator.kind.map_successors(|old| if old == to { between } else { old });
        }
    }
}

fn exits(live: u64, first: usize, span: norn_ir::span::Span) -> impl Iterator<Item = Instr> {
    let locals = (0..GROUP).rev().filter(move |bit| live >> bit & 1 == 1).map(move |bit| LocalId::new(first + bit));
    locals.map(move |local| Instr { kind: InstrKind::LocalExit(local), span })
}

/// The objects of the group that are live at the start of each block, whichever way it is reached.
fn live_at_start(function: &Function, first: usize) -> Vec<u64> {
    let mut live = vec![u64::MAX; function.blocks.len()];
    live[Function::ENTRY.index()] = 0;
    let mut pending = vec![Function::ENTRY];
    let mut seen = vec![false; function.blocks.len()];
    while let Some(block) = pending.pop() {
        let out = after(function.block(block), first, live[block.index()]);
        for to in function.block(block).terminator.kind.successors() {
            let met = live[to.index()] & out;
            let is_new = !std::mem::replace(&mut seen[to.index()], true);
            if is_new || met != live[to.index()] {
                live[to.index()] = met;
                pending.push(to);
            }
        }
    }
    // What is never reached is left as it is.
    for (live, seen) in live.iter_mut().zip(&seen).skip(1) {
        if !seen {
            *live = 0;
        }
    }
    live
}

fn after(block: &Block, first: usize, live: u64) -> u64 {
    let bit = |local: LocalId| match local.index().checked_sub(first) {
        Some(offset) if offset < GROUP => 1u64 << offset,
        _ => 0,
    };
    block.instrs.iter().fold(live, |live, instr| match instr.kind {
        InstrKind::LocalEnter(local) => live | bit(local),
        InstrKind::LocalExit(local) => live & !bit(local),
        _ => live,
    })
}

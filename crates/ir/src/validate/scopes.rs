//! Invariant 13: local objects are mentioned between enter and leave.

use super::flood::{Flood, GROUP, Word};
use super::flow::{Paths, Transfer, solve};
use super::{Findings, Place, Reason, Site};
use crate::ids::{BlockId, LocalId};
use crate::instr::{InstrKind, Operand};
use crate::program::Function;

/// Two bits per object: it may be inside its scope, it may be outside.
const PER_GROUP: usize = GROUP / 2;

/// What happens to a local object.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Enter,
    Leave,
    Mention,
}

struct ScopeEvent {
    local: LocalId,
    what: Scope,
    block: BlockId,
    place: Place,
}

pub(super) fn check(site: Site<'_>, paths: &Paths, flood: &mut Flood, findings: &mut Findings) {
    let groups = site.function.locals.len().div_ceil(PER_GROUP);
    let mut events: Vec<Vec<ScopeEvent>> = Vec::new();
    events.resize_with(groups, Vec::new);
    for_each_scope_event(site, &paths.order, |event| events[event.local.index() / PER_GROUP].push(event));
    for events in &events {
        if !findings.is_full() && is_suspicious(site.function, paths, flood, events) {
            report(site.function, paths, events, findings);
        }
    }
}

/// What the events of a group say about a block that they are in.
#[derive(Default)]
struct Summary {
    /// Objects that their first event needs to find inside (outside) their scope.
    needs_inside: Word,
    needs_outside: Word,
    /// Objects that the block enters or leaves, and those of them that are inside afterwards.
    changed: Word,
    inside: Word,
    /// Some event of the block goes wrong on every path to the block.
    is_wrong: bool,
}

fn summarise(events: &[ScopeEvent]) -> Summary {
    let mut summary = Summary::default();
    for event in events {
        let bit = scope_bits(event.local).0;
        if (summary.needs_inside | summary.needs_outside) & bit != 0 {
            summary.is_wrong |= (summary.inside & bit != 0) == (event.what == Scope::Enter);
        } else if event.what == Scope::Enter {
            summary.needs_outside |= bit;
        } else {
            summary.needs_inside |= bit;
        }
        match event.what {
            Scope::Enter | Scope::Mention => summary.inside |= bit,
            Scope::Leave => summary.inside &= !bit,
        }
        if event.what != Scope::Mention {
            summary.changed |= bit;
        }
    }
    summary
}

/// Whether the group has an event that some path makes wrong. Being inside is followed forwards from each enter; the
/// need to be inside backwards from each leave or mention. Neither goes beyond the scope if all is well.
fn is_suspicious(function: &Function, paths: &Paths, flood: &mut Flood, events: &[ScopeEvent]) -> bool {
    let by_block = events.chunk_by(|a, b| a.block == b.block);
    let mut summaries: Vec<(BlockId, Summary)> = by_block.map(|e| (e[0].block, summarise(e))).collect();
    summaries.sort_by_key(|(block, _)| *block);
    let summary = |block| summaries.binary_search_by_key(&block, |(b, _)| *b).ok().map(|i| &summaries[i].1);
    let per_block = |bits: fn(&Summary) -> Word| -> Vec<(BlockId, Word)> {
        summaries.iter().map(|(block, summary)| (*block, bits(summary))).collect()
    };
    let changes = per_block(|s| s.changed);
    let starts_outside = summary(Function::ENTRY).is_none_or(|s| s.needs_inside == 0);
    let mut suspicious = !starts_outside || summaries.iter().any(|(_, summary)| summary.is_wrong);
    let forth = |block: BlockId| function.block(block).terminator.kind.successors();
    flood.run(&per_block(|s| s.changed & s.inside), &changes, forth, |block, bits, _| {
        suspicious |= summary(block).is_some_and(|s| s.needs_outside & bits != 0);
    });
    let back = |block: BlockId| paths.predecessors[block.index()].iter().copied();
    flood.run(&per_block(|s| s.needs_inside), &changes, back, |block, bits, passing| {
        suspicious |= summary(block).is_some_and(|s| s.changed & !s.inside & bits != 0);
        suspicious |= block == Function::ENTRY && passing != 0;
    });
    suspicious
}

/// Finds the events that some path makes wrong.
fn report(function: &Function, paths: &Paths, events: &[ScopeEvent], findings: &mut Findings) {
    let outside_everywhere = (Word::MAX / 3) << 1;
    let mut transfer = vec![Transfer::default(); function.blocks.len()];
    for event in events.iter().filter(|event| event.what != Scope::Mention) {
        let (inside, outside) = scope_bits(event.local);
        let (set, clear) = if event.what == Scope::Enter { (inside, outside) } else { (outside, inside) };
        let transfer = &mut transfer[event.block.index()];
        transfer.set = (transfer.set & !clear) | set;
        transfer.clear = (transfer.clear & !set) | clear;
    }
    let before = solve(function, &paths.order, outside_everywhere, &transfer);
    let mut at = None;
    let mut state = 0;
    for event in events {
        if at != Some(event.block) {
            at = Some(event.block);
            state = before[event.block.index()];
        }
        let (inside, outside) = scope_bits(event.local);
        match event.what {
            Scope::Enter => {
                if state & inside != 0 {
                    findings.add(event.place, Reason::EnteredTwice(event.local));
                }
                state = (state & !outside) | inside;
            }
            Scope::Leave | Scope::Mention => {
                if state & outside != 0 {
                    findings.add(event.place, Reason::NotEntered(event.local));
                }
                if event.what == Scope::Leave {
                    state = (state & !inside) | outside;
                }
            }
        }
    }
}

fn scope_bits(local: LocalId) -> (Word, Word) {
    let shift = local.index() * 2 % GROUP;
    (1 << shift, 2 << shift)
}

fn for_each_scope_event(site: Site<'_>, order: &[BlockId], mut f: impl FnMut(ScopeEvent)) {
    for &block in order {
        let mention = |operand: Operand, place: Place, f: &mut dyn FnMut(ScopeEvent)| {
            if let Some(local) = operand.local() {
                f(ScopeEvent { local, what: Scope::Mention, block, place });
            }
        };
        for (i, instr) in site.function.block(block).instrs.iter().enumerate() {
            let place = site.instr(block, i);
            match instr.kind {
                InstrKind::LocalEnter(local) => f(ScopeEvent { local, what: Scope::Enter, block, place }),
                InstrKind::LocalExit(local) => f(ScopeEvent { local, what: Scope::Leave, block, place }),
                _ => instr.kind.for_each_operand(|operand| mention(operand, place, &mut f)),
            }
        }
        let terminator = &site.function.block(block).terminator;
        terminator.kind.for_each_operand(|operand| mention(operand, site.terminator(block), &mut f));
    }
}

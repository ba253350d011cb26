//! For which loops idle iterations can be left out when data races are looked for.
//!
//! An idle iteration that is left out takes away edges of happens-before, but never adds one: what others read from its
//! writes (of the value that was there) they then read from the write before, which gave them no more. So a race
//! between two accesses that are left is still one. What has to be looked at are races of accesses in the iterations that
//! are left out, with what another thread did before or does later:
//!
//! - If the only access to shared memory in the loop is one instruction, then the iterations of one stay make the same
//!   access: they begin alike. The last of them, which stays, is later than the others and knows no more of other
//!   threads than the first (since nothing was acquired in between), so it races with whatever they race with.
//! - Otherwise all accesses in the loop have to be atomic, to objects that are accessed atomically everywhere. Then they
//!   are part of no race.
//!
//! Only in the form *once*: an await would hide an iteration that fails for ever, and its section makes accesses atomic.

use norn_ir::ids::FuncId;
use norn_ir::instr::{Instr, InstrKind, Operand, Order};
use norn_ir::program::Function;

use super::body::Body;
use super::calls::Inlined;
use super::effects::{Effects, Visibility};

/// Whether data races are the same without the idle iterations of a loop.
pub fn keeps_races(id: FuncId, function: &Function, body: &Body, effects: &Effects<'_>) -> bool {
    let mut shared: Vec<(Operand, Order)> = Vec::new();
    for instr in body.blocks.iter().flat_map(|&block| &function.block(block).instrs) {
        let (addr, order) = match instr.kind {
            InstrKind::Load { addr, access, .. } => (addr, access.order),
            InstrKind::Rmw { addr, order, .. } | InstrKind::CompareExchange { addr, order, .. } => {
                (addr, order.join(Order::Relaxed))
            }
            _ if is_simple(instr) => continue,
            _ => return false,
        };
        if effects.visibility(id, function, addr, &Inlined::default()) != Visibility::Silent {
            shared.push((addr, order));
        }
    }
    let never_races = |&(addr, order): &(Operand, Order)| order != Order::Plain && effects.is_always_atomic(id, addr);
    shared.len() <= 1 || shared.iter().all(never_races)
}

/// What neither accesses shared memory nor makes iterations differ.
fn is_simple(instr: &Instr) -> bool {
    match instr.kind {
        InstrKind::Fence(_)
        | InstrKind::Assume { .. }
        | InstrKind::Assert { .. }
        | InstrKind::ThreadSelf { .. }
        | InstrKind::LocalEnter(_)
        | InstrKind::LocalExit(_)
        // An idle iteration stores to locals of its own only.
        | InstrKind::Store { .. }
        | InstrKind::Print { .. } => true,
        _ => instr.kind.only_computes(),
    }
}

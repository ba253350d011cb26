//! Updates that only wait: `while (atomic_exchange_explicit(&locked, 1, memory_order_acquire)) ;`.
//!
//! An update *waits* if it acquires, writes the value that it has read, and has read it from another thread, or the initial
//! one. A round of a loop with such updates may be left out if nothing else of it matters. For let u be the update and w
//! what it reads from. Atomicity puts u right behind w in the order of the writes. Take u away, and let whoever reads from
//! u read from w: the values are the same, and the execution is still allowed by the models that come with Norn.
//!
//! - What is gone orders nothing any more. What is new are edges w → r, for the reads r of u. In another thread, r came
//!   after w before, too: w → u → r, since the two halves of an update are ordered. In the same thread, r and all that
//!   follows it come after u's read, since u acquires.
//! - An edge from r to the writes behind w was one from r to the writes behind u, which are the same.
//! - `armv8` and `riscv` order two accesses of a thread to one place if no write of the thread is between them, which may be
//!   so once u is gone. The first came before w or u, by coherence, and the second comes after u, which acquires.
//! - `rc11`: what synchronized by way of u does so by way of w, if w releases: u was part of w's release sequence.
//! - Data races: more of them. They are those of an execution of the program.
//!
//! Taken away one by one, the updates of all such rounds are gone. This is an argument about the models that come with
//! Norn, not about any text in herd's language, so under other models such updates are rounds like any other.

use norn_cat::Model;
use norn_ir::instr::Order;

use crate::event::{Answer, Event, Source};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "armv8", "riscv", "rc11"];

pub fn may_be_left_out(model: &Model) -> bool {
    model.builtin.is_some_and(|name| MODELS.contains(&name))
}

/// Whether the read and the write of an update of `thread` only wait.
pub fn waits(thread: usize, answers: &[Answer], read: &Event, write: &Event) -> bool {
    let acquires = matches!(read.order, Order::Acquire | Order::AcqRel | Order::SeqCst);
    let is_same =
        read.value.bits.is_some() && (read.value.bits, read.value.object) == (write.value.bits, write.value.object);
    let is_foreign = match read.asked.and_then(|asked| answers.get(asked)) {
        Some(Answer::Source(Some(Source::Event(id)))) => id.thread != thread,
        Some(Answer::Source(Some(Source::Initial))) => true,
        _ => false,
    };
    acquires && is_same && is_foreign
}

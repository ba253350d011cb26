//! States as bytes: if two states have the same encoding, the program goes on from them in the same ways.
//!
//! Soundness needs that direction. The other one, that equal futures give equal bytes, is attempted only. The encoding
//! leaves out numbers of steps, which only name steps, and constant objects, which never change. Epochs are numbered
//! anew from 0, the times of vector clocks too. An object's address follows from the kinds and sizes of the objects
//! before it in its arena.

use crate::eval::Value;
use crate::machine::Machine;
use crate::memory::{Memory, Object, ObjectKind, ObjectRef};
use crate::race::{Clock, Follows};
use crate::state::{Frame, State, Status, Thread};
use norn_ir::number::low_8;
use norn_ir::types::Ty;
use norn_verdict::trace::ThreadIndex;

/// A number in as many groups of 7 bits as it needs.
pub fn number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(low_8(n) | 0x80);
        n >>= 7;
    }
    out.push(low_8(n));
}

/// A place for objects.
pub fn place(out: &mut Vec<u8>, object: ObjectRef) {
    number(out, u64::from(object.arena) + 1);
    number(out, u64::from(object.index));
}

/// An object. Objects whose place was given to another object are not told apart: they are gone for good.
fn object(out: &mut Vec<u8>, memory: &Memory, object: Option<ObjectRef>) {
    match object {
        None => out.push(0),
        Some(object) => {
            place(out, object);
            out.push(u8::from(memory.is_replaced(object)));
        }
    }
}

fn value(out: &mut Vec<u8>, memory: &Memory, ty: Ty, value: Value) {
    number(out, value.bits);
    if ty == Ty::Ptr {
        object(out, memory, value.object);
    }
}

impl Machine<'_> {
    /// Appends the encoding of a state.
    pub fn encode(&self, state: &State, out: &mut Vec<u8>) {
        match state.exited {
            None => out.push(if state.main_returned { 3 } else { 0 }),
            // Nothing happens any more, but memory still tells final states apart.
            Some(exit) => {
                out.push(if exit.status.is_some() { 1 } else { 2 });
                number(out, u64::from(exit.status.unwrap_or(0) as u32));
            }
        }
        number(out, state.threads.len() as u64);
        for thread in &state.threads {
            self.thread(out, &state.memory, thread);
        }
        for (arena, content) in state.memory.arenas.iter().enumerate() {
            if arena > 0 {
                number(out, content.objects.len() as u64);
            }
            for object in content.objects.iter().filter(|object| !object.is_constant()) {
                encode_object(out, &state.memory, object);
            }
        }
        if let Some(races) = &state.races {
            let is_over = |status| matches!(status, Status::Ended | Status::Stopped | Status::Circling);
            let running = |t: ThreadIndex| !is_over(state.threads[t.index()].status);
            let entries = state.threads.iter().flat_map(|thread| &thread.buffer);
            let buffered: Vec<&Clock> = entries.filter_map(|entry| entry.message.as_deref()).collect();
            number(out, buffered.len() as u64);
            races.encode(running, &buffered, out);
        }
    }

    fn thread(&self, out: &mut Vec<u8>, memory: &Memory, thread: &Thread) {
        match thread.status {
            Status::Fresh => out.push(0),
            Status::Ready => out.push(1),
            Status::WaitsForBuffer => out.push(2),
            Status::Stopped => out.push(3),
            Status::Circling => out.push(6),
            Status::Ended => {
                out.push(4);
                value(out, memory, Ty::Ptr, thread.result);
            }
            Status::WaitsForThread(other) => {
                out.push(5);
                number(out, u64::from(other.0));
            }
        }
        number(out, thread.buffer.len() as u64);
        let mut rank = 0u64;
        for (i, entry) in thread.buffer.iter().enumerate() {
            // Epochs never fall along a buffer.
            rank += u64::from(i > 0 && entry.epoch > thread.buffer[i - 1].epoch);
            out.push(u8::from(entry.moot));
            number(out, rank);
            // A moot store leaves the buffer in its turn and changes nothing, whatever it holds.
            if entry.moot {
                continue;
            }
            object(out, memory, Some(entry.object));
            number(out, entry.offset);
            out.push(entry.ty as u8);
            value(out, memory, entry.ty, entry.value);
            out.push(u8::from(entry.message.is_some()) * 2 + u8::from(entry.follows == Follows::Own));
        }
        out.push(u8::from(thread.buffer.last().is_some_and(|last| last.epoch < thread.epoch)));
        let older = |freed| thread.buffer.iter().filter(|entry| entry.step < freed).count() as u64;
        let mut withheld: Vec<_> = thread.withheld.iter().map(|&(object, freed)| (older(freed), object)).collect();
        withheld.sort_unstable();
        number(out, withheld.len() as u64);
        for (older, object) in withheld {
            number(out, older);
            place(out, object);
        }
        if matches!(thread.status, Status::Stopped | Status::Circling) {
            return;
        }
        number(out, u64::from(thread.children));
        number(out, thread.frames.len() as u64);
        for frame in &thread.frames {
            self.frame(out, memory, frame);
        }
    }

    pub(crate) fn frame(&self, out: &mut Vec<u8>, memory: &Memory, frame: &Frame) {
        let function = self.program.function(frame.function);
        number(out, u64::from(frame.function.0));
        number(out, u64::from(frame.block.0));
        number(out, u64::from(frame.index));
        for (register, &content) in function.registers.iter().zip(&frame.registers) {
            value(out, memory, register.ty, content);
        }
        for &local in &frame.locals {
            object(out, memory, local);
        }
        number(out, frame.allocations.len() as u64);
        for &allocation in &frame.allocations {
            object(out, memory, Some(allocation));
        }
    }
}

fn encode_object(out: &mut Vec<u8>, memory: &Memory, content: &Object) {
    match content.info.kind {
        // The kinds and numbers of these are the same in all states.
        ObjectKind::Global(_) | ObjectKind::Constant(_) | ObjectKind::ThreadLocal(_) => {}
        ObjectKind::Local { depth, function, local } => {
            out.push(1);
            number(out, u64::from(depth));
            number(out, u64::from(function.0));
            number(out, u64::from(local.0));
        }
        ObjectKind::Heap { .. } | ObjectKind::Stack { .. } => {
            out.push(if matches!(content.info.kind, ObjectKind::Heap { .. }) { 2 } else { 3 });
            out.push(u8::from(content.info.private));
            number(out, content.info.size);
        }
    }
    if content.info.private {
        number(out, content.toucher.map_or(0, |t| u64::from(t.0) + 1));
        out.push(u8::from(content.made_of_number));
    }
    if !content.alive {
        out.push(0);
        return;
    }
    match content.initialised() {
        None => out.push(1),
        Some(flags) => {
            out.push(2);
            let pack = |chunk: &[bool]| chunk.iter().enumerate().fold(0, |byte, (i, &f)| byte | u8::from(f) << i);
            out.extend(flags.chunks(8).map(pack));
        }
    }
    bytes(out, content.bytes());
    number(out, content.pointers().len() as u64);
    for &(offset, target) in content.pointers() {
        number(out, offset);
        object(out, memory, Some(target));
    }
}

/// Large objects are mostly zeros.
fn bytes(out: &mut Vec<u8>, content: &[u8]) {
    const SMALL: usize = 64;
    if content.len() <= SMALL {
        out.extend_from_slice(content);
        return;
    }
    for (i, chunk) in content.chunks(SMALL).enumerate() {
        if chunk.iter().any(|&b| b != 0) {
            number(out, i as u64 + 1);
            out.extend_from_slice(chunk);
        }
    }
    out.push(0);
}

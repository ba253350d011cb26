//! Pointers that are made of numbers.
//!
//! A pointer keeps its object through registers and memory. Where a number is taken as a pointer (a cast, bytes that
//! were written one by one), the object is the one at that address. The analysis of pointers follows numbers through
//! arithmetic and memory, but not through branches: a loop that counts up to each byte of an address, and writes what it
//! counted, makes a pointer that it knows nothing of. Private objects and the reductions of the engines rest on that
//! analysis, so an execution of several threads ends without a verdict where such a pointer appears.

use crate::executor::{Done, Executor};
use crate::memory::{Declared, Value};
use crate::op::Scalar;
use crate::state::ThreadIdentity;
use norn_ir::address::function_at;
use norn_ir::ids::Reg;
use norn_ir::instr::Operand;

impl Executor<'_> {
    /// A number as a value of this type, for a register of the innermost function of the thread.
    pub(crate) fn made_of(&self, thread: ThreadIdentity, bits: u64, ty: Scalar, dst: u32) -> Done<Value> {
        if !ty.is_pointer() {
            return Ok(Value::int(bits));
        }
        let value = self.pointer_from(bits);
        match self.declared_at(value) {
            Some(declared) if self.may_create && !self.is_expected(thread, dst, declared, value) => {
                Err(self.no_meaning(thread, "a pointer that branches put together from numbers"))
            }
            _ => Ok(value),
        }
    }

    fn declared_at(&self, value: Value) -> Option<Declared> {
        match self.memory.objects.get(value.object as usize) {
            Some(object) => Some(object.declared),
            None => function_at(value.bits, self.code.functions.len()).map(Declared::Function),
        }
    }

    /// Whether the analysis of pointers knows that the register may point there. A register that may hold any number may point to
    /// all objects that threads share; private ones are told by what it may point to alone.
    fn is_expected(&self, thread: ThreadIdentity, dst: u32, declared: Declared, value: Value) -> bool {
        let frame = self.threads[thread.index()].frames.last().expect("a running thread should have a frame");
        let function = self.code.functions[frame.function as usize].id;
        let targets = self.program.points_to().targets(function, Operand::Reg(Reg(dst)));
        let is_shared = self.memory.objects.get(value.object as usize).is_some_and(|object| object.shared);
        targets.objects.binary_search(&declared).is_ok() || targets.number && is_shared
    }
}

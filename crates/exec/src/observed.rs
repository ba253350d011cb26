//! Whether an execution has depended on the addresses of local and allocated objects. These addresses follow from the
//! number of objects that a thread made before; as long as no address is looked at as a number, a search may rename the
//! objects.
//!
//! Global and thread-local objects have the same address in every execution and do not count.

use crate::arith;
use crate::executor::Executor;
use crate::memory::{Kind, Memory, OPEN, Object, Value};
use crate::op::{NONE, Scalar, UNKNOWN};
use norn_ir::address::NULL_PAGE;
use norn_ir::instr::{CompareOp, RmwOp};
use norn_ir::number::narrow;

impl Executor<'_> {
    /// Whether the address of a local or allocated object was observed as a number, in any step so far; undoing steps
    /// does not change it.
    pub fn address_observed(&self) -> bool {
        self.observed.get()
    }

    fn moves(&self, value: Value) -> Option<&Object> {
        let object = self.memory.objects.get(value.object as usize)?;
        matches!(object.kind, Kind::Local | Kind::Heap | Kind::Stack).then_some(object)
    }

    /// The value is used as a number.
    pub(crate) fn observe(&self, value: Value) {
        if self.moves(value).is_some() {
            self.observed.set(true);
        }
    }

    /// A number taken as an address.
    pub(crate) fn pointer_from(&self, bits: u64) -> Value {
        let value = self.memory.pointer_from(bits);
        self.observe(value);
        value
    }

    /// Two pointers are compared or subtracted.
    pub(crate) fn observe_pair(&self, equality: bool, lhs: Value, rhs: Value) {
        if lhs.object == rhs.object {
            return;
        }
        // Whether two valid pointers to different objects are equal does not depend on where the objects lie.
        let harmless = |value: Value| match self.memory.objects.get(value.object as usize) {
            Some(object) => value.bits.wrapping_sub(object.base) <= u64::from(object.size),
            None => value.bits < NULL_PAGE || self.memory.arena_of(value.bits).is_none(),
        };
        if !(equality && harmless(lhs) && harmless(rhs)) {
            self.observe(lhs);
            self.observe(rhs);
        }
    }

    pub(crate) fn observe_compare(&self, op: CompareOp, ty: Scalar, lhs: Value, rhs: Value) -> bool {
        if ty.is_pointer() {
            self.observe_pair(matches!(op, CompareOp::Eq | CompareOp::Ne), lhs, rhs);
        }
        arith::compare(op, ty, lhs.bits, rhs.bits)
    }

    /// A read-modify-write of a pointer does more to it than add or replace.
    pub(crate) fn observe_update(&self, op: RmwOp, ty: Scalar, old: Value, operand: Value) {
        if ty.is_pointer() && !matches!(op, RmwOp::Exchange) {
            self.observe(operand);
            if !matches!(op, RmwOp::Add | RmwOp::Sub) {
                self.observe(old);
            }
        }
    }

    /// Memory is read as something else than it was written as; a pointer that was never set is then a value that is used.
    pub(crate) fn observe_bytes(&self, object: u32, at: u32, ty: Scalar) {
        let info = &self.memory.objects[object as usize];
        if info.provenance == NONE {
            return;
        }
        let pointer_size = narrow(self.memory.target().pointer_size());
        let offset = at - info.start;
        for near in offset.saturating_sub(pointer_size - 1)..offset + u32::from(ty.size) {
            let known = self.memory.provenance[(info.provenance + near) as usize];
            if known != 0 && known != OPEN && !(near == offset && ty.is_pointer()) {
                let pointer = Memory::marked(0, known);
                self.observe(pointer);
                self.used_unknown.set(self.used_unknown.get() || pointer.object == UNKNOWN);
            }
        }
    }
}

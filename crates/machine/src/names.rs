//! Objects, places in memory and values of a state as the data of a trace, and as text for messages.

use crate::eval::Value;
use crate::machine::Machine;
use crate::memory::{ObjectKind, ObjectRef};
use crate::observe::Spot;
use crate::state::State;
use norn_ir::address::function_at;
use norn_ir::ids::{GlobalId, TypeId};
use norn_ir::types::{Display, Shape, Ty};
use norn_verdict::place;
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::ThreadIndex;

impl Machine<'_> {
    /// The object that a global is; of a thread-local one, the thread's instance.
    pub fn global(&self, id: GlobalId, thread: ThreadIndex) -> ObjectRef {
        self.globals.object(id, thread)
    }

    pub fn object_of(&self, state: &State, object: ObjectRef) -> place::Object {
        let info = &state.memory.object(object).info;
        let kind = match info.kind {
            ObjectKind::Global(id) | ObjectKind::Constant(id) => place::ObjectKind::Global(id),
            ObjectKind::ThreadLocal(id) => place::ObjectKind::ThreadLocal(id),
            ObjectKind::Local { function, local, .. } => place::ObjectKind::Local { function, local },
            ObjectKind::Heap { number } => place::ObjectKind::Heap { number },
            ObjectKind::Stack { number } => place::ObjectKind::Stack { number },
        };
        // The first arena is that of the globals.
        let owner = ThreadIndex(object.arena.saturating_sub(1));
        place::Object { kind, owner, ty: info.ty, size: info.size, made_at: info.span }
    }

    pub fn object_name(&self, state: &State, object: ObjectRef) -> String {
        self.object_of(state, object).written(self.program, &|thread| thread_name(state, thread))
    }

    /// Some bytes of an object.
    pub fn location_of(&self, state: &State, object: ObjectRef, offset: u64, size: u64) -> place::Location {
        place::Location { object: self.object_of(state, object), offset, size }
    }

    /// The name of `size` bytes of an object.
    pub fn location(&self, state: &State, object: ObjectRef, offset: u64, size: u64) -> String {
        self.location_of(state, object, offset, size).written(self.program, &|thread| thread_name(state, thread))
    }

    /// A value that is, was or will be at a place.
    pub fn value_at(&self, state: &State, spot: Spot, value: Value) -> place::Value {
        let element = self.object_of(state, spot.object).element(self.program, spot.offset);
        let scalar = element.and_then(|(ty, _, within)| self.scalar_at(ty, within, spot.ty));
        let display = scalar.unwrap_or(match spot.ty {
            Ty::Ptr => Display::Pointer,
            Ty::F32 | Ty::F64 => Display::Float,
            _ => Display::Signed,
        });
        self.value_of(state, spot.ty, display, value)
    }

    /// How the scalar at an offset of a type is written, if there is one of this kind.
    fn scalar_at(&self, ty: TypeId, offset: u64, wanted: Ty) -> Option<Display> {
        let (mut ty, mut offset) = (ty, offset);
        // Parts have smaller ids, so this ends.
        loop {
            let found = self.program.types.get(ty.index())?;
            let (part, within) = match &found.shape {
                Shape::Scalar { ty, display } => return (*ty == wanted && offset == 0).then_some(*display),
                Shape::Bytes => return None,
                Shape::Array { element, .. } => (*element, offset % self.program.ty(*element).size.max(1)),
                Shape::Record(record) => {
                    let holds = |f: &&norn_ir::types::Field| {
                        f.offset <= offset && offset < f.offset + self.program.ty(f.ty).size
                    };
                    let field = record.fields.iter().find(holds)?;
                    (field.ty, offset - field.offset)
                }
            };
            if part >= ty {
                return None;
            }
            (ty, offset) = (part, within);
        }
    }

    pub fn value_of(&self, state: &State, ty: Ty, display: Display, value: Value) -> place::Value {
        match ty {
            Ty::Ptr => place::Value::Pointer(self.pointer_of(state, value)),
            _ => place::Value::Number { ty, display, bits: value.bits },
        }
    }

    fn pointer_of(&self, state: &State, value: Value) -> place::Pointer {
        if value.bits == 0 {
            return place::Pointer::Null;
        }
        if let Some(object) = value.object {
            let info = &state.memory.object(object).info;
            let offset = value.bits.wrapping_sub(info.base);
            if offset <= info.size {
                return place::Pointer::To { object: self.object_of(state, object), offset };
            }
        }
        match function_at(value.bits, self.program.functions.len()) {
            Some(function) => place::Pointer::Function(function),
            None => place::Pointer::Number(value.bits),
        }
    }
}

fn thread_name(state: &State, thread: ThreadIndex) -> Option<ThreadName> {
    state.threads.get(thread.index()).map(|thread| (*thread.name).clone())
}

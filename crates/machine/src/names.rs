//! Places in memory and values, as people write them.
//!
//! `x`, `stack.array[1].next`; `*malloc#1.next` for the first object that main allocated, `*main.1:malloc#2` for the
//! second of another thread; an instance of a thread-local object and a local of another thread than main come with the
//! thread's name, as in `main.1:x`.

use crate::eval::{Value, signed};
use crate::machine::Machine;
use crate::memory::{Object, ObjectKind, ObjectRef};
use crate::observe::Spot;
use crate::state::State;
use norn_ir::address::function_at;
use norn_ir::ids::TypeId;
use norn_ir::types::{Display, Shape, Ty};

impl Machine<'_> {
    pub fn object_name(&self, state: &State, object: ObjectRef) -> String {
        let program = self.program;
        let owner = match object.arena {
            0 | 1 => String::new(),
            n => format!("{}:", state.threads[n as usize - 1].name),
        };
        match state.memory.object(object).info.kind {
            ObjectKind::Global(id) | ObjectKind::Constant(id) => program.global(id).name.clone(),
            ObjectKind::ThreadLocal(id) => format!("{owner}{}", program.global(id).name),
            ObjectKind::Local { function, local, .. } => {
                format!("{owner}{}", program.function(function).local(local).name)
            }
            ObjectKind::Heap { number } => format!("*{owner}malloc#{number}"),
            ObjectKind::Stack { number } => format!("*{owner}alloca#{number}"),
        }
    }

    /// The name of `size` bytes of an object.
    pub fn location(&self, state: &State, object: ObjectRef, offset: u64, size: u64) -> String {
        let found = state.memory.object(object);
        let name = self.object_name(state, object);
        match self.element(found, offset) {
            Some((ty, index, within)) => {
                let index = index.map_or(String::new(), |index| format!("[{index}]"));
                format!("{name}{index}{}", self.program.path_of(ty, within, size))
            }
            None if offset == 0 => name,
            None => format!("{name}+{offset}"),
        }
    }

    /// The type of the part of an object that holds `offset`: an allocation is an array of its type.
    fn element(&self, object: &Object, offset: u64) -> Option<(TypeId, Option<u64>, u64)> {
        let ty = object.info.ty?;
        let size = self.program.ty(ty).size;
        let is_array = matches!(object.info.kind, ObjectKind::Heap { .. } | ObjectKind::Stack { .. })
            && size > 0
            && object.info.size / 2 >= size;
        Some(if is_array { (ty, Some(offset / size), offset % size) } else { (ty, None, offset) })
    }

    pub fn value_text(&self, state: &State, spot: Spot, value: Value) -> String {
        let found = state.memory.object(spot.object);
        let scalar = self.element(found, spot.offset).and_then(|(ty, _, within)| self.scalar_at(ty, within, spot.ty));
        let display = scalar.unwrap_or(match spot.ty {
            Ty::Ptr => Display::Pointer,
            Ty::F32 | Ty::F64 => Display::Float,
            _ => Display::Signed,
        });
        self.show(state, spot.ty, display, value)
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

    pub fn show(&self, state: &State, ty: Ty, display: Display, value: Value) -> String {
        let width = ty.bits(self.program.target);
        let bits = value.bits;
        match (ty, display) {
            (Ty::F32, _) => f32::from_bits(bits as u32).to_string(),
            (Ty::F64, _) => f64::from_bits(bits).to_string(),
            (Ty::Ptr, _) => self.pointer_text(state, value),
            (Ty::Bool, _) | (_, Display::Bool) => (if bits == 0 { "false" } else { "true" }).to_owned(),
            (_, Display::Char) if (0x20..0x7f).contains(&bits) => format!("'{}'", bits as u8 as char),
            (_, Display::Unsigned) => bits.to_string(),
            _ => signed(bits, width).to_string(),
        }
    }

    fn pointer_text(&self, state: &State, value: Value) -> String {
        if value.bits == 0 {
            return "null".to_owned();
        }
        if let Some(object) = value.object {
            let info = &state.memory.object(object).info;
            let offset = value.bits.wrapping_sub(info.base);
            if offset <= info.size {
                let place = self.location(state, object, offset, 0);
                // The address of what a pointer points to is the pointer.
                return place.strip_prefix('*').map_or_else(|| format!("&{place}"), str::to_owned);
            }
        }
        match function_at(value.bits, self.program.functions.len()) {
            Some(function) => self.program.function(function).name.clone(),
            None => format!("{:#x}", value.bits),
        }
    }
}

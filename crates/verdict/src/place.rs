//! Objects of an execution, places in them, and the values found there.
//!
//! A place is written as people write it: `x`, `stack.array[1].next`; `*malloc#1.next` for the first object that main
//! allocated, `*main.1:malloc#2` for the second of another thread; an instance of a thread-local object and a local of
//! another thread than main come with the thread's name, as in `main.1:x`.

use crate::schedule::ThreadName;
use crate::trace::ThreadIndex;
use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::{Display, Ty};
use serde::{Deserialize, Serialize};

/// An object of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Object {
    pub kind: ObjectKind,
    /// The thread that it belongs to; main for what belongs to none.
    pub owner: ThreadIndex,
    /// What it is, if that is known: an allocation is an array of it.
    pub ty: Option<TypeId>,
    /// In bytes.
    pub size: u64,
    /// Where it was declared or allocated, in the user's code.
    pub made_at: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ObjectKind {
    Global(GlobalId),
    ThreadLocal(GlobalId),
    Local {
        function: FuncId,
        local: LocalId,
    },
    /// The `number`-th that its owner allocated, from 1.
    Heap {
        number: u32,
    },
    /// A variable-length array or what `alloca` gave, likewise.
    Stack {
        number: u32,
    },
}

/// Some bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Location {
    pub object: Object,
    pub offset: u64,
    /// 0 for a place that is pointed to, without saying how much of it.
    pub size: u64,
}

/// A value that was read, written or given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Value {
    /// An integer, a truth value or a floating-point number: its bits, and how a person writes it.
    Number {
        ty: Ty,
        display: Display,
        bits: u64,
    },
    Pointer(Pointer),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Pointer {
    Null,
    /// Into an object or just behind it.
    To {
        object: Object,
        offset: u64,
    },
    Function(FuncId),
    /// A number that is no address of anything.
    Number(u64),
}

impl Object {
    /// `name` gives the names of threads.
    pub fn written(&self, program: &Program, name: &dyn Fn(ThreadIndex) -> Option<ThreadName>) -> String {
        let owner = match self.owner {
            ThreadIndex::MAIN => String::new(),
            thread => name(thread).map_or_else(String::new, |name| format!("{name}:")),
        };
        match self.kind {
            ObjectKind::Global(id) => program.global(id).name.clone(),
            ObjectKind::ThreadLocal(id) => format!("{owner}{}", program.global(id).name),
            ObjectKind::Local { function, local } => {
                format!("{owner}{}", program.function(function).local(local).name)
            }
            ObjectKind::Heap { number } => format!("*{owner}malloc#{number}"),
            ObjectKind::Stack { number } => format!("*{owner}alloca#{number}"),
        }
    }

    /// The type of the part that holds `offset`, with its index if the object is an array of it, and the offset within.
    pub fn element(&self, program: &Program, offset: u64) -> Option<(TypeId, Option<u64>, u64)> {
        let ty = self.ty?;
        let size = program.ty(ty).size;
        let is_array = matches!(self.kind, ObjectKind::Heap { .. } | ObjectKind::Stack { .. })
            && size > 0
            && self.size / 2 >= size;
        Some(if is_array { (ty, Some(offset / size), offset % size) } else { (ty, None, offset) })
    }
}

impl Location {
    /// `name` gives the names of threads.
    pub fn written(&self, program: &Program, name: &dyn Fn(ThreadIndex) -> Option<ThreadName>) -> String {
        let object = self.object.written(program, name);
        match self.object.element(program, self.offset) {
            Some((ty, index, within)) => {
                let index = index.map_or(String::new(), |index| format!("[{index}]"));
                format!("{object}{index}{}", program.path_of(ty, within, self.size))
            }
            None if self.offset == 0 => object,
            None => format!("{object}+{}", self.offset),
        }
    }
}

//! Values that may not be known yet, and where they come from.

use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
use norn_ir::span::Span;
use norn_passes::Site;

/// The events of the own thread that a value depends on by the text of the program: bit n is event n.
pub type Taint = u128;

/// Events that a thread may have: as many as a [`Taint`] has bits.
pub const MAX_EVENTS: usize = 128;

/// An object, by whose it is and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId {
    /// 0 for the program's objects, n + 1 for those of thread n.
    pub owner: u32,
    pub index: u32,
}

/// What a register or a place in memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// `None`: it depends on a read of which nobody has said yet what it reads from.
    pub bits: Option<u64>,
    /// What a pointer points into.
    pub object: Option<ObjectId>,
    pub taint: Taint,
}

impl Value {
    pub fn int(bits: u64) -> Value {
        Value { bits: Some(bits), object: None, taint: 0 }
    }

    pub fn unknown() -> Value {
        Value::default()
    }

    /// The same, depending on these events, too.
    pub fn with(self, taint: Taint) -> Value {
        Value { taint: self.taint | taint, ..self }
    }

    /// The same, depending on nothing: for what passes to another thread.
    pub fn bare(self) -> Value {
        Value { taint: 0, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Global(GlobalId),
    ThreadLocal(GlobalId),
    Local {
        function: FuncId,
        local: LocalId,
    },
    /// The `number`-th of its thread, from 1.
    Heap {
        number: u32,
        site: Site,
    },
    Stack {
        number: u32,
        site: Site,
    },
}

/// What is fixed about an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectInfo {
    pub kind: ObjectKind,
    pub base: u64,
    pub size: u64,
    /// Only one thread can reach it, so accesses to it are no events.
    pub private: bool,
    pub constant: bool,
    /// It begins as zeros; else its content is indeterminate at first.
    pub zeroed: bool,
    pub ty: Option<TypeId>,
    pub span: Span,
}

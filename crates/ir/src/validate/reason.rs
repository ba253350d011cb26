//! What can be wrong, as data.

use std::fmt;

use crate::ids::{BlockId, FileId, FuncId, GlobalId, LocalId, Reg, TypeId};
use crate::instr::{CastOp, Order};
use crate::types::Ty;

/// One thing that is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    pub place: Place,
    pub reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Program,
    Type(TypeId),
    Global(GlobalId),
    Function(FuncId),
    /// `index` counts the instructions of the block from 0.
    Instr {
        function: FuncId,
        block: BlockId,
        index: usize,
    },
    Terminator {
        function: FuncId,
        block: BlockId,
    },
}

macro_rules! any_id {
    ($($variant:ident($id:ty),)*) => {
        /// An id of any kind.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum AnyId {
            $($variant($id),)*
        }

        $(impl From<$id> for AnyId {
            fn from(id: $id) -> AnyId {
                AnyId::$variant(id)
            }
        })*

        impl fmt::Display for AnyId {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(AnyId::$variant(id) => id.fmt(f),)*
                }
            }
        }
    };
}

any_id! {
    Reg(Reg),
    Block(BlockId),
    Local(LocalId),
    Global(GlobalId),
    Func(FuncId),
    Type(TypeId),
    File(FileId),
}

/// The types that an operand or destination may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Exactly(Ty),
    Integer,
    Float,
    /// Integer, `Ptr` or `Bool`.
    Comparable,
    IntegerOrPointer,
    IntegerOrBool,
    /// Anything but `Bool`.
    InMemory,
}

impl Expected {
    pub fn admits(self, ty: Ty) -> bool {
        match self {
            Expected::Exactly(expected) => ty == expected,
            Expected::Integer => ty.is_int(),
            Expected::Float => ty.is_float(),
            Expected::Comparable => !ty.is_float(),
            Expected::IntegerOrPointer => ty.is_int() || ty == Ty::Ptr,
            Expected::IntegerOrBool => ty.is_int() || ty == Ty::Bool,
            Expected::InMemory => ty != Ty::Bool,
        }
    }
}

/// The number in brackets is that of the invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// (1)
    NoSuchId(AnyId),
    /// (2) A type refers to one that does not come before it.
    TypeNotBefore(TypeId),
    /// (2)
    WrongTypeSize,
    WrongAlignment(u64),
    /// (2) The field with this index does not lie inside its record.
    FieldOutside(usize),
    /// (2) The bits of the field with this index do not lie inside an integer.
    BitsOutside(usize),
    /// (2, 9)
    BoolInMemory,
    /// (3) Another object or function has the same name.
    DuplicateName(String),
    /// (4) The initial value with this index.
    InitOutside(usize),
    InitOverlaps(usize),
    /// (5)
    EntryHasParameters,
    /// (6)
    NoBlocks,
    JumpToEntry,
    DuplicateParameter(Reg),
    /// (7)
    WrongType {
        expected: Expected,
        found: Ty,
    },
    IllegalCast {
        op: CastOp,
        from: Ty,
        to: Ty,
    },
    /// (8)
    ConstantTooWide {
        ty: Ty,
        bits: u64,
    },
    DuplicateCase(u64),
    /// (10)
    WrongArgumentCount {
        expected: usize,
        found: usize,
    },
    WrongArgument {
        index: usize,
        expected: Ty,
        found: Ty,
    },
    WrongResult {
        expected: Option<Ty>,
        found: Option<Ty>,
    },
    /// (11)
    WrongOrder(Order),
    /// (12)
    Unassigned(Reg),
    /// (13)
    NotEntered(LocalId),
    EnteredTwice(LocalId),
    /// (14)
    SectionUnclear,
    SectionNested,
    SectionNotOpen,
    SectionLeftOpen,
    AwaitOutsideSection,
    /// (15)
    SpawnInSection,
    JoinInSection,
    CallInSection(FuncId),
    /// (16)
    NotARead,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Program => write!(f, "program")?,
            Place::Type(id) => write!(f, "{id}")?,
            Place::Global(id) => write!(f, "{id}")?,
            Place::Function(id) => write!(f, "{id}")?,
            Place::Instr { function, block, index } => write!(f, "{function}, {block}, instruction {index}")?,
            Place::Terminator { function, block } => write!(f, "{function}, {block}, terminator")?,
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for Invalid {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Exactly(ty) => ty.name(),
            Expected::Integer => "an integer",
            Expected::Float => "a float",
            Expected::Comparable => "an integer, ptr or bool",
            Expected::IntegerOrPointer => "an integer or ptr",
            Expected::IntegerOrBool => "an integer or bool",
            Expected::InMemory => "anything but bool",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = |ty: &Option<Ty>| ty.map_or("nothing", Ty::name);
        match self {
            Reason::NoSuchId(id) => write!(f, "there is no {id}"),
            Reason::TypeNotBefore(id) => write!(f, "refers to {id}, which does not come before it"),
            Reason::WrongTypeSize => write!(f, "the size does not fit what the type holds"),
            Reason::WrongAlignment(align) => write!(f, "the alignment {align} is no power of two"),
            Reason::FieldOutside(i) => write!(f, "field {i} does not lie inside the record"),
            Reason::BitsOutside(i) => write!(f, "the bits of field {i} do not lie inside an integer"),
            Reason::BoolInMemory => write!(f, "a bool does not live in memory"),
            Reason::DuplicateName(name) => write!(f, "the name '{}' is taken", name.escape_debug()),
            Reason::InitOutside(i) => write!(f, "initial value {i} does not lie inside the object"),
            Reason::InitOverlaps(i) => write!(f, "initial value {i} does not come after the one before it"),
            Reason::EntryHasParameters => write!(f, "the entry function takes parameters"),
            Reason::NoBlocks => write!(f, "the function has no block"),
            Reason::JumpToEntry => write!(f, "jumps to the first block of the function"),
            Reason::DuplicateParameter(reg) => write!(f, "{reg} receives two arguments"),
            Reason::WrongType { expected, found } => write!(f, "expected {expected}, found {}", found.name()),
            Reason::IllegalCast { op, from, to } => {
                write!(f, "{} does not go from {} to {}", op.mnemonic(), from.name(), to.name())
            }
            Reason::ConstantTooWide { ty, bits } => write!(f, "{bits:#x} does not fit into {}", ty.name()),
            Reason::DuplicateCase(bits) => write!(f, "the case {bits:#x} comes twice"),
            Reason::WrongArgumentCount { expected, found } => {
                write!(f, "the callee takes {expected} arguments, the call gives {found}")
            }
            Reason::WrongArgument { index, expected, found } => {
                write!(f, "argument {index} should be {}, found {}", expected.name(), found.name())
            }
            Reason::WrongResult { expected, found } => {
                write!(f, "the function returns {}, found {}", result(expected), result(found))
            }
            Reason::WrongOrder(order) => write!(f, "such an access cannot be {}", order.mnemonic()),
            Reason::Unassigned(reg) => write!(f, "{reg} may not have been assigned"),
            Reason::NotEntered(id) => write!(f, "{id} may not have been entered"),
            Reason::EnteredTwice(id) => write!(f, "{id} may have been entered already"),
            Reason::SectionUnclear => write!(f, "begins inside a section or not, depending on the path"),
            Reason::SectionNested => write!(f, "a section begins inside a section"),
            Reason::SectionNotOpen => write!(f, "no section ends here"),
            Reason::SectionLeftOpen => write!(f, "leaves the function or ends the thread inside a section"),
            Reason::AwaitOutsideSection => write!(f, "await outside of a section"),
            Reason::SpawnInSection => write!(f, "spawn inside a section"),
            Reason::JoinInSection => write!(f, "join inside a section"),
            Reason::CallInSection(id) => {
                write!(f, "inside a section, calls {id}, which has a section, spawns, joins or ends the thread")
            }
            Reason::NotARead => write!(f, "does more than read, inside a read section"),
        }
    }
}

//! A whole program: objects, functions and where it starts.

use crate::ids::{BlockId, FileId, FuncId, GlobalId, LocalId, Reg, TypeId};
use crate::instr::{Const, Instr, Terminator};
use crate::span::Span;
use crate::types::{Target, Ty, Type};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub target: Target,
    /// Freed heap memory may be given out again, so that an old pointer to it reaches the new object. Every heap `Alloc` is a
    /// visible step then, and chooses.
    pub reuses_memory: bool,
    /// Names of source files, for spans.
    pub files: Vec<String>,
    pub types: Vec<Type>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// The function in which thread 0 starts. It takes no parameters.
    pub entry: FuncId,
}

/// Whether code or an object is the user's or the library's. `--unwind` does not count loops of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Origin {
    User,
    Library,
}

/// How long a global object lives and who may change it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    Static,
    /// One instance per thread, initialised when the thread starts.
    Thread,
    /// Never changes: string literals and objects defined `const`. Reading it is no step, writing it a violation.
    Constant,
}

/// An object that lives as long as the program or its thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// The name in C; unique among globals (static names are kept apart by the front end).
    pub name: String,
    pub ty: TypeId,
    pub storage: Storage,
    /// The initial values that differ from zero, in order of offset and without overlap.
    pub init: Vec<Init>,
    /// Only one thread can reach the object, so accesses to it are no steps. Set by escape analysis.
    pub private: bool,
    pub origin: Origin,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Init {
    pub offset: u64,
    pub value: InitValue,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InitValue {
    Const(Const),
    /// The address of another global object, plus an offset.
    Global(GlobalId, i64),
    Func(FuncId),
    Bytes(Vec<u8>),
}

/// An object on a function's frame, live between `LocalEnter` and `LocalExit`.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    /// The name in C, or a made-up one for a temporary; need not be unique.
    pub name: String,
    pub ty: TypeId,
    /// See [`Global::private`].
    pub private: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Unique among functions.
    pub name: String,
    /// The registers that receive the arguments. Aggregates are passed as the address of a copy that the caller made;
    /// an aggregate is returned into an object whose address is the first argument; the variable arguments of a
    /// variadic function come as the address of an array of 8-byte slots, the last argument.
    pub params: Vec<Reg>,
    pub result: Option<Ty>,
    pub registers: Vec<Register>,
    pub locals: Vec<Local>,
    /// The first block is where the function starts; no block jumps to it.
    pub blocks: Vec<Block>,
    pub origin: Origin,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Register {
    pub ty: Ty,
    /// The C variable that the register holds; empty for an intermediate value.
    pub name: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub instrs: Vec<Instr>,
    pub terminator: Terminator,
}

impl Program {
    /// A program without anything in it. It does not validate: there is no function to start in.
    pub fn empty() -> Program {
        Program {
            target: Target::default(),
            reuses_memory: false,
            files: Vec::new(),
            types: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            entry: FuncId(0),
        }
    }

    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(FuncId::new)
    }

    pub fn file(&self, id: FileId) -> &str {
        self.files.get(id.index()).map_or("", |n| n)
    }
}

impl Function {
    pub const ENTRY: BlockId = BlockId(0);

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    pub fn ty(&self, reg: Reg) -> Ty {
        self.registers[reg.index()].ty
    }

    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }
}

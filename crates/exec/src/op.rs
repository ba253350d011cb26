//! The dense form of a program: one array of operations, jumps as indices into it.

use norn_ir::ids::FuncId;
use norn_ir::instr::{
    BinaryOp, CastOp, CompareOp, FenceKind, NondetSource, Order, RmwOp, SectionKind, SyncKind, UnaryOp,
};
use norn_ir::program::Origin;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_passes::unwind::CutCause;
use norn_verdict::outcome::ViolationKind;

/// Stands for "no register", "no object" and the like.
pub const NONE: u32 = u32::MAX;
/// Stands in the place of an object: nothing is known about the value.
pub const UNKNOWN: u32 = u32::MAX - 1;

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    Reg(u32),
    Imm(u64),
    /// An index into [`Code::pointers`].
    Pointer(u32),
    /// A thread-local object and an offset, by index into [`Code::thread_pointers`].
    ThreadPointer(u32),
    /// A local object and an offset, by index into [`Code::local_pointers`].
    Local(u32),
}

/// A scalar type: the properties that arithmetic needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    pub ty: Ty,
    pub width: u8,
    pub size: u8,
}

impl Scalar {
    pub fn cut(self, bits: u64) -> u64 {
        if self.width == 64 { bits } else { bits & ((1 << self.width) - 1) }
    }

    pub fn is_pointer(self) -> bool {
        self.ty == Ty::Ptr
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    Copy {
        dst: u32,
        src: Src,
    },
    Binary {
        dst: u32,
        op: BinaryOp,
        ty: Scalar,
        lhs: Src,
        rhs: Src,
    },
    Compare {
        dst: u32,
        op: CompareOp,
        ty: Scalar,
        lhs: Src,
        rhs: Src,
    },
    Unary {
        dst: u32,
        op: UnaryOp,
        ty: Scalar,
        src: Src,
    },
    Cast {
        dst: u32,
        op: CastOp,
        from: Scalar,
        to: Scalar,
        src: Src,
    },
    Select {
        dst: u32,
        cond: Src,
        then: Src,
        otherwise: u32,
    },
    PtrAdd {
        dst: u32,
        base: Src,
        index: Src,
        scale: u32,
    },
    PtrDiff {
        dst: u32,
        lhs: Src,
        rhs: Src,
    },
    Load {
        dst: u32,
        ty: Scalar,
        order: Order,
        addr: Src,
    },
    Store {
        ty: Scalar,
        order: Order,
        addr: Src,
        value: Src,
    },
    Rmw {
        dst: u32,
        op: RmwOp,
        ty: Scalar,
        order: Order,
        addr: Src,
        value: Src,
    },
    /// The register of success, the desired value and the orders of success and failure are in [`Code::exchanges`].
    CompareExchange {
        dst: u32,
        ty: Scalar,
        addr: Src,
        expected: Src,
        more: u32,
    },
    Fence(FenceKind),
    SectionBegin {
        kind: SectionKind,
        may_block: bool,
        /// A spurious wake-up is possible.
        may_wake: bool,
    },
    SectionEnd,
    Await {
        cond: Src,
        spurious: bool,
    },
    Assume {
        cond: Src,
    },
    Assert {
        cond: Src,
        message: u32,
    },
    Nondet {
        dst: u32,
        ty: Scalar,
        source: u32,
    },
    /// Callee and arguments are in [`Code::calls`].
    Call(u32),
    Spawn(u32),
    Join {
        dst: u32,
        thread: Src,
    },
    ThreadSelf {
        dst: u32,
    },
    LocalEnter(u32),
    LocalExit(u32),
    Alloc {
        dst: u32,
        size: Src,
        align: Src,
        zeroed: bool,
        heap: bool,
        private: bool,
    },
    Free {
        addr: Src,
        heap: bool,
    },
    ObjectSize {
        dst: u32,
        addr: Src,
    },
    /// A mark for data races.
    Sync {
        kind: SyncKind,
        addr: Src,
    },
    /// Output: nothing here.
    Nothing,

    Jump(u32),
    JumpBack(u32),
    Branch {
        cond: Src,
        then: u32,
        otherwise: u32,
    },
    Switch {
        value: Src,
        table: u32,
    },
    Return(Option<Src>),
    ThreadExit(Src),
    Exit(Src),
    Abort,
    Stop,
    Unsupported(u32),
    /// The loop of this number within its function is entered.
    LoopEnters(u32),
    /// A back edge of the loop: stops the thread where the bound is exceeded.
    LoopRepeats {
        number: u32,
        bound: u32,
        cut: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Call {
    pub dst: u32,
    pub callee: Target,
    pub args: Vec<(Src, Ty)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Direct(u32),
    Indirect(Src),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub id: FuncId,
    pub start: u32,
    pub params: Vec<(u32, Scalar)>,
    pub result: Option<Ty>,
    pub register_types: Vec<Scalar>,
    pub locals: Vec<LocalInfo>,
    pub loops: u32,
    pub origin: Origin,
    /// How many calls of the function may be active when it is called once more, and the cut for a deeper recursion.
    pub recursion: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub struct LocalInfo {
    pub size: u64,
    pub align: u64,
    pub private: bool,
    /// A pointer to the local may be left over when its scope begins again.
    pub dangles: bool,
}

#[derive(Clone, Debug)]
pub struct Switch {
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

/// A loop or a recursion that a bound cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    pub cause: CutCause,
    pub bound: u32,
    pub span: Span,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
    pub functions: Vec<Function>,
    pub calls: Vec<Call>,
    pub switches: Vec<Switch>,
    pub exchanges: Vec<(u32, Src, Order, Order)>,
    pub selects: Vec<Src>,
    pub scales: Vec<i64>,
    pub messages: Vec<(ViolationKind, String)>,
    pub sources: Vec<NondetSource>,
    pub reasons: Vec<String>,
    /// Global objects by number, and offsets.
    pub pointers: Vec<(u32, i64)>,
    pub thread_pointers: Vec<(u32, i64)>,
    pub local_pointers: Vec<(u32, i64)>,
    pub cuts: Vec<Cut>,
    /// Where in the program the operations are that ask for nondeterministic values, ascending.
    pub inputs: Vec<(u32, Site)>,
    /// Likewise those that allocate.
    pub allocations: Vec<(u32, Site)>,
    pub entry: u32,
}

impl Code {
    /// Which instruction asks for a nondeterministic value at an operation, if one does.
    pub fn input_at(&self, op: u32) -> Option<Site> {
        let found = self.inputs.binary_search_by_key(&op, |input| input.0).ok()?;
        Some(self.inputs[found].1)
    }

    /// Which instruction allocates at an operation, if one does.
    pub fn allocation_at(&self, op: u32) -> Option<Site> {
        let found = self.allocations.binary_search_by_key(&op, |allocation| allocation.0).ok()?;
        Some(self.allocations[found].1)
    }
}

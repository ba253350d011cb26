//! Instructions and terminators.
//!
//! Registers are typed, belong to a function and may be assigned more than once. Everything that another thread could
//! notice is an instruction of its own: each access to memory, fence, read-modify-write, atomic section, thread
//! operation, await. So is everything that a checker must decide: assume, assert, nondet. The reference machine defines
//! what the instructions do under each memory model; the comments here say what they stand for.

use crate::address::ALLOC_ALIGN;
use crate::ids::{BlockId, FuncId, GlobalId, LocalId, Reg, TypeId};
use crate::span::Span;
use crate::types::{Target, Ty};
use serde::{Deserialize, Serialize};

/// An instruction and the place in the source that it was made for.
#[derive(Clone, PartialEq, Debug)]
pub struct Instr {
    pub kind: InstrKind,
    pub span: Span,
}

/// A value that needs no instruction to compute it: a register, a constant or an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Reg(Reg),
    Const(Const),
    /// The address of a global object plus a byte offset. Of a thread-local object: the current thread's instance.
    Global(GlobalId, i64),
    /// The address of the live instance of an object on the frame plus a byte offset.
    Local(LocalId, i64),
    /// The address of a function.
    Func(FuncId),
}

/// A constant: its bits, cut to the width of its type. Floats are given by their IEEE bits, `Ptr` by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
// So that an operand has 16 bytes, not 24: programs are made of operands, and are copied often.
#[repr(Rust, packed(4))]
pub struct Const {
    pub ty: Ty,
    pub bits: u64,
}

impl Const {
    pub const NULL: Const = Const { ty: Ty::Ptr, bits: 0 };
    pub const TRUE: Const = Const { ty: Ty::Bool, bits: 1 };
    pub const FALSE: Const = Const { ty: Ty::Bool, bits: 0 };

    /// The alignment of an allocation that asks for none.
    pub fn usual_alignment(target: Target) -> Const {
        Const { ty: target.pointer_int(), bits: ALLOC_ALIGN }
    }
}

/// The memory order of an access; `Plain` if it is not atomic. Orders are not in a line: neither acquire nor release is the
/// stronger one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    /// The weakest order that is as strong as both.
    pub fn join(self, other: Order) -> Order {
        use Order::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
        match (self, other) {
            (a, b) if a == b => a,
            (SeqCst, _) | (_, SeqCst) => SeqCst,
            (Plain, order) | (order, Plain) => order,
            (Relaxed, order) | (order, Relaxed) => order,
            (Acquire | Release | AcqRel, _) => AcqRel,
        }
    }

    /// Whether the access orders anything but itself.
    pub fn synchronises(self) -> bool {
        !matches!(self, Order::Plain | Order::Relaxed)
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub order: Order,
    pub volatile: bool,
}

impl Access {
    pub const PLAIN: Access = Access { order: Order::Plain, volatile: false };
}

/// Arithmetic on two operands of the destination's type. Integer results wrap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Signed `+`, `-`, `*` of C: they wrap too, but wrapping is a violation when overflow is checked.
    AddSigned,
    SubSigned,
    MulSigned,
    /// Division by zero is a violation. The smallest value divided by −1 wraps (a violation when overflow is checked).
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    And,
    Or,
    Xor,
    /// The shift amount is taken modulo the width in bits (an amount outside the width is a violation when overflow is
    /// checked).
    Shl,
    /// `<<` of C on a signed number: a negative number and a result that does not fit are violations as well when overflow is
    /// checked.
    ShlSigned,
    ShrSigned,
    ShrUnsigned,
    FAdd,
    FSub,
    FMul,
    FDiv,
}

/// Comparison of two operands of one type; the destination is `Bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `Eq` and `Ne` are for integers, `Bool` and `Ptr`.
    Eq,
    Ne,
    LtSigned,
    LeSigned,
    /// The unsigned ones are for pointers too.
    LtUnsigned,
    LeUnsigned,
    /// Ordered comparisons of floats: false on NaN, but `FNe` is true on NaN.
    FEq,
    FNe,
    FLt,
    FLe,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    FNeg,
    /// Number of bits set.
    PopCount,
    /// Number of leading (trailing) zeros; of 0 it is the width.
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// To a wider integer. `ZeroExtend` also takes `Bool`.
    ZeroExtend,
    SignExtend,
    /// To a narrower integer.
    Truncate,
    /// Between a pointer and the integer of the same width. `PtrToInt` makes the address observable as a number.
    PtrToInt,
    IntToPtr,
    SignedToFloat,
    UnsignedToFloat,
    /// Rounds towards zero. Out of range the result is the smallest value of the destination, as on x86.
    FloatToSigned,
    FloatToUnsigned,
    /// Between `F32` and `F64`.
    FloatToFloat,
}

/// The operation of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FenceKind {
    /// `mfence`, `sync`, `atomic_thread_fence(seq_cst)`, `__sync_synchronize`: own stores before are in memory.
    Full,
    /// `atomic_thread_fence(release)` and `(acq_rel)`: a store-store fence that also takes part in C11 happens-before.
    Release,
    AcqRel,
    Acquire,
    /// `sfence`, `lwsync`, `eieio`.
    StoreStore,
    /// `lfence`, `isync`: orders nothing that the models reorder.
    LoadLoad,
    /// `atomic_signal_fence`, `asm("" ::: "memory")`: nothing at run time.
    Compiler,
    /// A synchronising call of POSIX 4.12: like `Full`.
    Call,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SectionKind {
    /// One step, like a read-modify-write: own buffers are empty before and after.
    Atomic,
    /// An atomic section of a library model: its accesses to synchronisation objects are not the program's own, and
    /// what it orders for data races is said by its `Sync` instructions alone.
    Library,
    /// One step that only reads shared memory, through the own buffers, and fences nothing: a spin loop's test.
    Read,
}

/// What an assertion stands for; decides how the violation is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// `assert` and its kin.
    Assertion,
    /// `reach_error` or `__VERIFIER_error` was called.
    ErrorCall,
    /// The label `ERROR` was reached.
    ErrorLabel,
    /// A mutex or another synchronisation object was misused; the message says how.
    Misuse,
}

/// Where a nondeterministic value comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NondetSource {
    /// The named function, such as `__VERIFIER_nondet_int` or `rand`.
    Input(String),
    /// The named variable was not initialised (the register holds the variable).
    Uninitialised(String),
}

impl NondetSource {
    /// The name of the input by which a weak compare-exchange fails for no reason. No function has it.
    pub const SPURIOUS_FAILURE: &'static str = "spurious failure";

    /// Whether this value of the input makes something fail or wake up for no reason, which does not happen for ever: a weak
    /// compare-exchange or `mtx_trylock` fails, a wait ends without a signal though its time is not over.
    pub fn is_spurious(&self, value: u64) -> bool {
        match self {
            NondetSource::Input(name) if name == NondetSource::SPURIOUS_FAILURE || name == "busy" => value != 0,
            NondetSource::Input(name) => name == "timeout" && value == 0,
            NondetSource::Uninitialised(_) => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    Direct(FuncId),
    /// Through a function's address.
    Indirect(Operand),
}

/// Which memory `Alloc` makes and `Free` ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocKind {
    /// `malloc` and its kin.
    Heap,
    /// A variable-length array or `alloca`: ends with its scope, at the latest with its function.
    Stack,
}

/// A point of C11 happens-before that is not an atomic access: unlocking releases, locking acquires. Matters to the
/// detection of data races only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncKind {
    Acquire,
    Release,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// The arguments of an output.
#[derive(Clone, PartialEq, Debug)]
pub enum PrintArgs {
    Values(Vec<(Ty, Operand)>),
    /// The address of the first of the 8-byte slots in which they are (`va_list`).
    List(Operand),
}

impl PrintArgs {
    /// The operands that are looked at.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + '_ {
        let (values, list) = match self {
            PrintArgs::Values(values) => (values.as_slice(), None),
            PrintArgs::List(list) => (&[][..], Some(*list)),
        };
        values.iter().map(|&(_, value)| value).chain(list)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum InstrKind {
    /// `dst = src`.
    Copy {
        dst: Reg,
        src: Operand,
    },
    Binary {
        dst: Reg,
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
    },
    /// `ty` is the type of the operands.
    Compare {
        dst: Reg,
        op: CompareOp,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    Unary {
        dst: Reg,
        op: UnaryOp,
        src: Operand,
    },
    /// `from` is the type of the source; the destination's type is its register's.
    Cast {
        dst: Reg,
        op: CastOp,
        from: Ty,
        src: Operand,
    },
    Select {
        dst: Reg,
        cond: Operand,
        then: Operand,
        otherwise: Operand,
    },
    /// `dst = base + index * scale` bytes; `index` is as wide as a pointer and signed.
    PtrAdd {
        dst: Reg,
        base: Operand,
        index: Operand,
        scale: i64,
    },
    /// `dst = lhs - rhs` in bytes, as wide as a pointer; both point into one object.
    PtrDiff {
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    },

    /// Reads a value of the destination's type.
    Load {
        dst: Reg,
        addr: Operand,
        access: Access,
    },
    Store {
        ty: Ty,
        addr: Operand,
        value: Operand,
        access: Access,
    },
    /// `dst` is the value before.
    Rmw {
        dst: Reg,
        op: RmwOp,
        addr: Operand,
        value: Operand,
        order: Order,
    },
    /// `dst` is the value before; `success` (`Bool`) tells whether it equalled `expected` and `desired` was written.
    CompareExchange {
        dst: Reg,
        success: Reg,
        addr: Operand,
        expected: Operand,
        desired: Operand,
        order: Order,
        failure: Order,
    },
    Fence(FenceKind),

    /// Everything up to the matching `SectionEnd` is one step of its thread.
    SectionBegin(SectionKind),
    SectionEnd,
    /// Inside a section: the section is enabled only when `cond` holds here. With `spurious` the step is possible all
    /// the same, but does not count as enabled when looking for deadlocks: it may happen, but nobody can rely on it
    /// (spurious wake-ups; a lock that may report that it would block for ever). A time limit is certain to pass, so it
    /// is not `spurious`.
    Await {
        cond: Operand,
        spurious: bool,
    },
    /// If `cond` does not hold, the thread stops for ever (inside a section: the section is not enabled).
    Assume {
        cond: Operand,
    },
    /// If `cond` does not hold, the property is violated.
    Assert {
        cond: Operand,
        property: Property,
        message: String,
    },
    /// Any value of the destination's type.
    Nondet {
        dst: Reg,
        source: NondetSource,
    },

    Call {
        dst: Option<Reg>,
        callee: Callee,
        args: Vec<Operand>,
    },
    /// Starts a thread that calls `start` with `args`; `dst` (as wide as a pointer) is its number. `main` is 0, threads
    /// count up in the order of creation.
    Spawn {
        dst: Reg,
        start: Operand,
        args: Vec<Operand>,
    },
    /// Waits for the end of the thread with the given number; `dst` (`Ptr`) is what it returned.
    Join {
        dst: Option<Reg>,
        thread: Operand,
    },
    /// The number of the current thread, as wide as a pointer.
    ThreadSelf {
        dst: Reg,
    },

    /// The scope of an object on the frame begins: a new instance with indeterminate content.
    LocalEnter(LocalId),
    /// The scope ends. A function's return ends the scopes that are still open (the entry function's stay alive).
    LocalExit(LocalId),
    /// `size` bytes of new memory, as wide as a pointer, at a multiple of `align` (also as wide; see
    /// [`crate::address::alignment`]); `ty` is what the source says about its content: an array of as many `ty` as fit.
    /// `private` is set by escape analysis.
    Alloc {
        dst: Reg,
        size: Operand,
        align: Operand,
        zeroed: bool,
        kind: AllocKind,
        ty: Option<TypeId>,
        private: bool,
    },
    /// A null pointer is ignored.
    Free {
        addr: Operand,
        kind: AllocKind,
    },
    /// The size in bytes of the heap object that `addr` points to, as wide as a pointer.
    ObjectSize {
        dst: Reg,
        addr: Operand,
    },
    Sync {
        kind: SyncKind,
        addr: Operand,
    },
    /// Output of the printf family: only `run` shows it, no engine takes it for a step. The text of the format and of
    /// `%s` arguments is read from memory without being an access.
    Print {
        stream: Stream,
        format: Operand,
        args: PrintArgs,
    },
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TerminatorKind {
    Goto(BlockId),
    /// `cond` is `Bool`.
    Branch {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    /// The cases' values are cut to the width of `ty` and pairwise different.
    Switch {
        ty: Ty,
        value: Operand,
        cases: Vec<(u64, BlockId)>,
        default: BlockId,
    },
    Return(Option<Operand>),
    /// The thread ends with this value (`Ptr`), from any depth of calls.
    ThreadExit(Operand),
    /// The program ends with this status (`I32`).
    Exit(Operand),
    /// The program ends abnormally, which violates nothing.
    Abort,
    /// The thread stops for ever; others go on.
    Stop,
    /// C gives no meaning to reaching this point, and the front end knows that it is not reached (after a call that
    /// does not return).
    Unreachable,
    /// Norn cannot say what happens here; reaching it makes the verdict unknown, for the reason given.
    Unsupported(String),
}

#[cfg(test)]
mod tests {
    use super::Order::{self, AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};

    #[test]
    fn orders_form_a_lattice() {
        let all: [Order; 6] = [Plain, Relaxed, Acquire, Release, AcqRel, SeqCst];
        for a in all {
            assert_eq!((a.join(a), a.join(Plain), a.join(SeqCst)), (a, a, SeqCst));
            for b in all {
                assert_eq!(a.join(b), b.join(a));
                for c in all {
                    assert_eq!(a.join(b).join(c), a.join(b.join(c)));
                }
            }
        }
        assert_eq!(Acquire.join(Release), AcqRel);
        assert_eq!(Relaxed.join(Release), Release);
    }
}

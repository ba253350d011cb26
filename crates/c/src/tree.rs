//! The typed tree: a checked translation unit, with every conversion explicit. `sema` makes it, `lower` reads it.
//!
//! Expressions come in two sorts. A **place** denotes an object or a part of one: `Var`, `Object`, `Deref`, `Member` of
//! a place, `CompoundLiteral`. Every other expression is a **value**. A place becomes a value by `Load` (which is an access
//! to memory) or `AddressOf` (which is none). Arrays and functions are never loaded: decay is `AddressOf` with the type
//! of the decayed pointer. Values of struct and union type exist (`Load` of such a place, calls, assignments, …) and
//! `Member` may take one as its base.
//!
//! The types of values are unqualified; the type of a place tells whether accesses to it are volatile or atomic.

pub mod walk;

use crate::ctype::{BitField, QualType, TypeId, VlaId};
use crate::intern::Symbol;
use norn_ir::instr::{FenceKind, Order, Property, RmwOp, Stream};
use norn_ir::source::Loc;

/// A checked translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    pub objects: Vec<Object>,
    pub functions: Vec<Function>,
}

norn_ir::ids! {
    /// An object with static or thread storage, by its index in [`Unit::objects`].
    ObjectId = "object";
    /// A function, by its index in [`Unit::functions`].
    FunctionId = "function";
    /// A variable with automatic storage, by its index in [`Body::vars`].
    VarId = "variable";
    /// A named label, by its index in [`Body::labels`].
    LabelId = "label";
    /// A `case` or `default` label, by its position among those of its function.
    CaseId = "case";
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// The same name in another unit means the same thing.
    External,
    /// `static`, string literals, static locals.
    Internal,
}

/// What a declaration says about how its symbol is linked.
#[derive(Clone, Default, Debug)]
pub struct Symbolic {
    /// Another definition wins over it; without any definition its address is null.
    pub weak: bool,
    /// It is the same thing as what has this name in the unit.
    pub alias: Option<(String, Loc)>,
}

/// A file-scope variable, static local, string literal or file-scope compound literal.
#[derive(Debug)]
pub struct Object {
    /// The name in C, or the one that `asm("name")` gives; `function.name` for static locals; `None` for literals.
    pub name: Option<String>,
    pub symbolic: Symbolic,
    pub ty: QualType,
    /// At least that of the type (`_Alignas`, `aligned`).
    pub align: u64,
    pub linkage: Linkage,
    pub thread_local: bool,
    /// String literals and objects whose type is `const` (all the way into arrays) and not `volatile`.
    pub constant: bool,
    pub definition: Definition,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Definition {
    /// `extern int x;`
    Declared,
    /// `int x;` at file scope: zero unless another declaration initialises it.
    Tentative,
    Initialised(Vec<ConstInit>),
}

/// A part of a static initialiser; what is not covered is zero. In order of offset, without overlap; bit-fields of one
/// unit are already joined. The elements of a flexible array lie beyond the size of the object's type.
#[derive(Debug)]
pub struct ConstInit {
    pub offset: u64,
    pub value: ConstValue,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ConstValue {
    /// The low `size` bytes.
    Int {
        size: u64,
        bits: u64,
    },
    /// `size` 4 is a float, 8 a double; a long double is an 8-byte double in its larger slot.
    Float {
        size: u64,
        value: f64,
    },
    Bytes(Vec<u8>),
    /// Pointer-sized.
    Object(ObjectId, i64),
    Function(FunctionId),
}

/// A function that was declared, defined or implicitly declared by a call.
#[derive(Debug)]
pub struct Function {
    /// The name in C, or the one that `asm("name")` gives.
    pub name: Symbol,
    pub symbolic: Symbolic,
    /// Of function type.
    pub ty: TypeId,
    pub linkage: Linkage,
    pub inline: bool,
    /// The body is for inlining only, another definition may follow (`extern inline` with the attribute `gnu_inline`).
    pub inline_only: bool,
    pub noreturn: bool,
    /// Runs before the entry; functions with smaller numbers run first.
    pub constructor: Option<u32>,
    /// Runs when the program exits; functions with smaller numbers run last.
    pub destructor: Option<u32>,
    pub body: Option<Body>,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct Body {
    pub params: Vec<VarId>,
    pub vars: Vec<Var>,
    pub labels: Vec<Label>,
    /// The labels whose addresses are taken, and the object that stands for them: the address of each is that of a byte of it.
    pub label_addresses: Vec<LabelId>,
    pub label_object: Option<ObjectId>,
    /// What nested functions see of this one.
    pub frame: Option<Frame>,
    /// How many case labels there are.
    pub cases: u32,
    /// The variables that hold the lengths (in elements, `size_t`) of variable-length array types.
    pub vla_lengths: Vec<(VlaId, VarId)>,
    pub block: Stmt,
    /// Of the closing brace.
    pub end: Loc,
}

/// An array of pointers through which nested functions reach the variables of a function. The first is for the frame of the
/// function around it.
#[derive(Debug)]
pub struct Frame {
    /// The array.
    pub var: VarId,
    /// The variables that the other pointers are for.
    pub slots: Vec<VarId>,
    /// The parameter with the frame of the function around, in a nested function.
    pub chain: Option<VarId>,
    /// Objects that hold the frame while a pointer to a nested function may be used; null again when the function returns.
    pub claims: Vec<ObjectId>,
}

#[derive(Debug)]
pub struct Var {
    /// `None` for one that the checker made up.
    pub name: Option<Symbol>,
    pub ty: QualType,
    /// Must live in memory: its address is taken (arrays, structs and unions live in memory anyway).
    pub address_taken: bool,
    /// The alignment that was asked for beyond that of the type; 1 if none was.
    pub align: u64,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct Label {
    pub name: Symbol,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum StmtKind {
    Nop,
    /// A scope: the variables declared in it (parameters are not listed), in order of declaration.
    Block {
        vars: Vec<VarId>,
        stmts: Vec<Stmt>,
    },
    Expr(Expr),
    /// The declaration of a variable with an initialiser is reached.
    Init(VarId, Init),
    /// The declaration of a variable with GNU's attribute `cleanup` was reached: from here on the expression is evaluated
    /// whenever the innermost block is left.
    Cleanup(Expr),
    /// The declaration of a variable-length array is reached: its object is made, `size` bytes (`size_t`) large.
    Vla {
        var: VarId,
        size: Expr,
    },
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        condition: Expr,
    },
    /// `init` is a surrounding block's business. A missing condition is true.
    For {
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    /// Case labels stand in the body as `Case`. The values are those of the promoted type of `value`, ranges inclusive.
    Switch {
        value: Expr,
        cases: Vec<SwitchCase>,
        default: Option<CaseId>,
        body: Box<Stmt>,
    },
    /// The place of a case or default label.
    Case(CaseId),
    /// The place of a named label.
    Label(LabelId),
    Goto(LabelId),
    /// GNU `goto *e`: to the label of the function whose address the value is.
    GotoComputed(Expr),
    Break,
    Continue,
    Return(Option<Expr>),
    /// `asm` that is a fence.
    Fence(FenceKind),
    /// Valid C that Norn cannot handle, at this point; the text names the construct.
    Unsupported(String),
}

#[derive(Debug)]
pub struct SwitchCase {
    pub low: i128,
    pub high: i128,
    pub target: CaseId,
}

/// What an automatic object starts with.
#[derive(Debug)]
pub enum Init {
    /// A scalar's value, or a struct or union to copy.
    Expr(Expr),
    /// The parts of an aggregate in order of evaluation; what they leave out is zero.
    List(Vec<InitPart>),
}

#[derive(Debug)]
pub struct InitPart {
    pub offset: u64,
    pub bits: Option<BitField>,
    /// Of the part.
    pub ty: QualType,
    pub value: InitValue,
}

#[derive(Debug)]
pub enum InitValue {
    Expr(Expr),
    /// A character array initialised by a string: its bytes, as many as the array has or fewer (the rest is zero).
    Bytes(Vec<u8>),
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: QualType,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum ExprKind {
    // ---- places
    Var(VarId),
    Object(ObjectId),
    /// What a pointer value points to.
    Deref(Box<Expr>),
    /// A member: `offset` bytes into the base, which is a place (then so is this) or a value of record type.
    Member {
        base: Box<Expr>,
        offset: u64,
        bits: Option<BitField>,
    },
    /// Evaluated where it stands: initialises the made-up variable, then denotes it.
    CompoundLiteral(VarId, Box<Init>),

    // ---- values
    /// Of integer, `_Bool` or pointer type; the value cut to the width of its type.
    Int(u64),
    Float(f64),
    /// A complex number or a vector, by the values of its elements.
    Elements(Vec<Expr>),
    /// The address of a function (of pointer-to-function type).
    Function(FunctionId),
    Load(Box<Expr>),
    AddressOf(Box<Expr>),
    /// Between arithmetic and pointer types, to `_Bool`, or to `void`: what it does follows from the two types.
    Convert(Box<Expr>),
    /// The lowest bits of an integer, as many as the number says, extended to its type again by its sign or by zeros: a value in the type
    /// of a bit-field that is wider than `int`.
    Reduced(Box<Expr>, u32),
    /// Arithmetic negation and bitwise complement, in the type of the expression.
    Negate(Box<Expr>),
    BitNot(Box<Expr>),
    /// `!e`: 1 if the scalar is zero, else 0.
    Not(Box<Expr>),
    /// Both operands have the type of the expression (of a shift: only the left one).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Both operands have one arithmetic or pointer type; the result is `int`.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `pointer + index * size`, or minus; the index is `ptrdiff_t`.
    PointerAdd {
        pointer: Box<Expr>,
        index: Box<Expr>,
        size: Size,
        subtract: bool,
    },
    /// `(lhs - rhs) / size`, of type `ptrdiff_t`.
    PointerDiff {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
        size: Size,
    },
    /// The operands are scalars of any type; the result is `int`.
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// The condition is a scalar; the branches have the type of the expression.
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    /// The place on the left; the value, of its type, on the right. Denotes the value assigned.
    Assign(Box<Expr>, Box<Expr>),
    /// `place op= operand`, `++` and `--`: the place is evaluated once.
    Update {
        place: Box<Expr>,
        update: Update,
        result: UpdateResult,
    },
    Call {
        callee: Callee,
        args: Vec<Expr>,
    },
    Builtin(Box<Builtin>),
    /// `({ …; value; })`. The value, if any, is evaluated inside the block's scope, after its statements.
    StatementExpr {
        block: Box<Stmt>,
        value: Option<Box<Expr>>,
    },
}

/// A number of bytes: of a complete type, or computed (`size_t`) for variable-length arrays.
#[derive(Debug)]
pub enum Size {
    Const(u64),
    Computed(Box<Expr>),
}

#[derive(Debug)]
pub enum Update {
    /// The place's value is converted to `compute`, combined with the operand, and converted back. The operand has
    /// type `compute` (of a shift: any integer type).
    Arithmetic { op: BinaryOp, operand: Box<Expr>, compute: QualType },
    /// The place holds a pointer; the operand is `ptrdiff_t`.
    Pointer { operand: Box<Expr>, size: Size, subtract: bool },
}

/// Whether an update denotes the value before or after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateResult {
    Old,
    New,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Debug)]
pub enum Callee {
    Direct(FunctionId),
    /// The pointer's value; it has pointer-to-function type.
    Pointer(Box<Expr>),
}

/// What has no C body: intrinsics of the models (`__norn_…`), SV-COMP's functions, atomic operations, compiler
/// built-ins. Arguments are values, already converted. A function of this kind that the program only declares is
/// recognised by its name; see `builtins`.
#[derive(Debug)]
pub enum Builtin {
    // ---- atomic accesses; `pointer` points to a scalar of the type of the value
    AtomicLoad {
        pointer: Expr,
        order: Order,
    },
    AtomicStore {
        pointer: Expr,
        value: Expr,
        order: Order,
    },
    /// `fetch_op` or `op_fetch`. `operand` has the pointee's type; for a pointer pointee it is `ptrdiff_t` bytes.
    AtomicUpdate {
        op: RmwOp,
        pointer: Expr,
        operand: Expr,
        order: Order,
        result: UpdateResult,
    },
    AtomicCompareExchange {
        pointer: Expr,
        expected: Expected,
        desired: Expr,
        success: Order,
        failure: Order,
        /// True: denotes whether it succeeded (of the expression's type); false: the value before.
        returns_success: bool,
        /// May fail although the value is the expected one.
        weak: bool,
    },
    Fence(FenceKind),

    // ---- sections, waiting, threads
    SectionBegin,
    SectionEnd,
    Await {
        condition: Expr,
        spurious: bool,
    },
    ThreadSelf,
    /// The start function's address and its arguments; denotes the number of the new thread.
    Spawn {
        start: Expr,
        args: Vec<Expr>,
    },
    /// Denotes what the thread returned (`void *`).
    Join(Expr),
    ThreadExit(Expr),
    Acquire(Expr),
    Release(Expr),

    // ---- verification
    Assume(Expr),
    /// Violated if the condition (a scalar) is zero.
    Assert {
        condition: Expr,
        property: Property,
        message: String,
    },
    /// Any value of the expression's type; the name is that of the function called.
    Nondet(String),
    /// Reaching it makes the verdict unknown.
    Unsupported(String),
    /// 1 if a function of this name is part of the program, else 0. Lets models leave out what nobody uses.
    IsLinked(String),

    // ---- the program as a whole
    Exit(Expr),
    Abort,
    Unreachable,
    /// As many objects as `count` says, or one. `element` is what the source says about the content, if it says anything.
    Alloc {
        size: Expr,
        count: Option<Expr>,
        align: Option<Expr>,
        zeroed: bool,
        element: Option<QualType>,
    },
    /// `alloca`: ends with the function.
    StackAlloc(Expr),
    Free(Expr),
    ObjectSize(Expr),
    /// Variable arguments are promoted.
    Print {
        stream: Stream,
        format: Expr,
        args: Vec<Expr>,
        length: Option<PrintedLength>,
        /// Which of the arguments are strings that are read.
        strings: Vec<usize>,
    },
    /// Output of arguments in 8-byte slots.
    PrintList {
        stream: Stream,
        format: Expr,
        list: Expr,
    },
    /// A call whose argument `first` is a format that is not known. Where nobody asks for the result, another function is called
    /// with the arguments from there on, which writes without counting.
    FormattedCall {
        call: Expr,
        uncounted: Callee,
        first: usize,
    },

    // ---- variable arguments; `list` is a place of type `va_list`, which is a pointer to the next 8-byte slot
    VaStart(Expr),
    VaCopy {
        to: Expr,
        from: Expr,
    },
    /// The expression's type is that of the argument; scalars and records alike.
    VaArg(Expr),

    // ---- arithmetic; operand and result types as in the expression
    PopCount(Expr),
    LeadingZeros(Expr),
    TrailingZeros(Expr),
    ByteSwap(Expr),
    /// `__builtin_{add,sub,mul}_overflow`: stores the wrapped result through the pointer; denotes whether it wrapped.
    OverflowArithmetic {
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        result: Expr,
    },

    /// A copy (`memcpy`, `memmove` of a constant size) of one whole object of the given type, by its scalars and padding.
    CopyObject {
        to: Expr,
        from: Expr,
        ty: QualType,
        may_overlap: bool,
    },
    /// `memset(pointer, 0, …)` of whole objects: `count` objects of the given type become zero, padding too.
    ZeroObject {
        pointer: Expr,
        ty: QualType,
        count: u64,
    },
}

/// How much an output writes, where the format tells.
#[derive(Debug)]
pub struct PrintedLength {
    pub text: u64,
    pub numbers: Vec<PrintedNumber>,
}

/// A number that is written as it is, without a width or flags.
#[derive(Debug)]
pub struct PrintedNumber {
    /// The number's place among the arguments.
    pub arg: usize,
    pub base: u64,
    pub signed: bool,
}

/// What a compare-and-exchange compares with.
#[derive(Debug)]
pub enum Expected {
    Value(Expr),
    /// Points to it; receives the value found if that differs.
    Pointer(Expr),
}

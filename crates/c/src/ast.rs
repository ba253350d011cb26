//! The syntax tree: what the parser understood, before names and types are resolved.
//!
//! The parser keeps just enough scope information to tell typedef names from other identifiers. Everything else (what
//! a name refers to, what type an expression has, whether a declaration makes sense) is the business of `sema`.
//! Deep nesting is limited by the parser (`parse::MAX_DEPTH`), so that every later stage may recurse over the tree.

use crate::intern::Symbol;
use crate::literal::{self, CharKind};
use norn_ir::source::Loc;

#[derive(Debug)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
}

/// A declaration outside of functions.
#[derive(Debug)]
pub enum Item {
    Function(Box<FunctionDefinition>),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// `asm("…");` at file scope.
    Asm(StringLiteral),
}

#[derive(Debug)]
pub struct FunctionDefinition {
    pub specifiers: Specifiers,
    /// Its last derivation is the function's own function derivation.
    pub declarator: Declarator,
    /// The declarations between the parameter list and the body of a K&R definition.
    pub old_style_params: Vec<Declaration>,
    pub body: Block,
}

#[derive(Debug)]
pub struct Declaration {
    pub specifiers: Specifiers,
    pub declarators: Vec<InitDeclarator>,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub initializer: Option<Initializer>,
    /// `int x asm("name")`.
    pub asm_label: Option<Symbol>,
}

#[derive(Debug)]
pub struct StaticAssert {
    pub condition: Expr,
    pub message: Option<StringLiteral>,
    pub loc: Loc,
}

/// Declaration specifiers: everything before the first declarator.
#[derive(Debug)]
pub struct Specifiers {
    pub storage: Option<StorageClass>,
    pub thread_local: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub ty: TypeSpecifier,
    pub qualifiers: Qualifiers,
    pub alignments: Vec<Alignment>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Debug)]
pub enum TypeSpecifier {
    Basic(BasicType),
    /// `_Complex` and the type of its parts.
    Complex(BasicType),
    Record(Box<RecordSpecifier>),
    Enum(Box<EnumSpecifier>),
    Typedef(Symbol),
    TypeofExpr(Box<Expr>),
    TypeofType(Box<TypeName>),
    /// `_Atomic(T)`.
    Atomic(Box<TypeName>),
    /// `__auto_type`: the initialiser's type.
    Auto,
    /// No type was written: `int`, with a warning.
    ImplicitInt,
}

/// The arithmetic types and `void`, however their keywords were ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BasicType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float,
    Double,
    LongDouble,
    /// `_Float16` and `_Float128`: named so that they can be reported as unsupported where they are used.
    Half,
    Quad,
}

#[derive(Debug)]
pub struct RecordSpecifier {
    pub is_union: bool,
    pub tag: Option<Symbol>,
    /// `None` for a mere reference `struct s`.
    pub members: Option<Vec<Member>>,
    pub attributes: Vec<Attribute>,
    /// The alignment that `#pragma pack` set, if any.
    pub pack: Option<u64>,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Member {
    Field { specifiers: Specifiers, declarators: Vec<FieldDeclarator>, loc: Loc },
    StaticAssert(StaticAssert),
}

/// A member's declarator. A member without any declarators is an anonymous struct or union.
#[derive(Debug)]
pub struct FieldDeclarator {
    pub declarator: Declarator,
    pub bits: Option<Expr>,
}

#[derive(Debug)]
pub struct EnumSpecifier {
    pub tag: Option<Symbol>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct Enumerator {
    pub name: Symbol,
    pub value: Option<Expr>,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Alignment {
    Type(TypeName),
    Expr(Expr),
}

/// `__attribute__((name(args)))`. Arguments that are not expressions are dropped.
#[derive(Debug)]
pub struct Attribute {
    /// Without surrounding underscores: `__packed__` is `packed`.
    pub name: Symbol,
    /// A first argument that is a lone identifier, such as the `SI` of `mode(SI)`.
    pub ident: Option<Symbol>,
    pub args: Vec<Expr>,
    pub loc: Loc,
}

/// A declared name and how its type derives from the specifiers' type.
///
/// The derivations are in the order in which they apply to the specifiers' type: `int *a[3]` has `[Pointer, Array]`
/// (from `int` to pointer to `int` to array of that), `int (*f)(void)` has `[Function, Pointer]`. So the last one is
/// the outermost: of a function definition it is `Function`.
#[derive(Debug)]
pub struct Declarator {
    /// `None` in an abstract declarator.
    pub name: Option<Symbol>,
    pub derivations: Vec<Derivation>,
    pub attributes: Vec<Attribute>,
    /// Of the name, or of where it would stand.
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Derivation {
    Pointer(Qualifiers),
    Array { qualifiers: Qualifiers, is_static: bool, size: ArraySize, loc: Loc },
    Function(Parameters),
}

#[derive(Debug)]
pub enum ArraySize {
    /// `[]`
    Unknown,
    /// `[*]`
    Star,
    Expr(Box<Expr>),
}

#[derive(Debug)]
pub enum Parameters {
    /// `()`: nothing is known.
    Unknown,
    /// `(void)`, `(int x, …)`.
    Prototype { params: Vec<Parameter>, variadic: bool },
    /// `(a, b)` of a K&R definition.
    Names(Vec<(Symbol, Loc)>),
}

#[derive(Debug)]
pub struct Parameter {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct TypeName {
    pub specifiers: Specifiers,
    /// Abstract.
    pub declarator: Declarator,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Initializer {
    Expr(Expr),
    List(InitializerList),
}

#[derive(Debug)]
pub struct InitializerList {
    pub items: Vec<InitializerItem>,
    pub loc: Loc,
}

#[derive(Debug)]
pub struct InitializerItem {
    /// `.a[3] =`, or empty.
    pub designators: Vec<Designator>,
    pub initializer: Initializer,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum Designator {
    Field(Symbol, Loc),
    Index(Expr),
    /// GNU `[lo ... hi]`.
    Range(Expr, Expr),
}

/// `{ … }` with its declarations and statements.
#[derive(Debug)]
pub struct Block {
    pub items: Vec<BlockItem>,
    /// GNU `__label__ a, b;` at its beginning: labels that are visible in this block only.
    pub local_labels: Vec<(Symbol, Loc)>,
    pub loc: Loc,
    /// Of the closing brace.
    pub end: Loc,
}

#[derive(Debug)]
pub enum BlockItem {
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    Statement(Stmt),
    /// GNU: a function inside of a function.
    Function(Box<FunctionDefinition>),
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum StmtKind {
    Null,
    Expr(Expr),
    Block(Block),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        condition: Expr,
    },
    /// In a box, like `Asm`: statements are many, and each takes the room of the largest kind.
    For(Box<For>),
    Goto(Symbol),
    /// GNU `goto *expr`.
    GotoComputed(Expr),
    Continue,
    Break,
    Return(Option<Expr>),
    /// One or more labels in a row and the statement they label (`Null` before a closing brace).
    Labeled {
        labels: Vec<Label>,
        body: Box<Stmt>,
    },
    Asm(Box<AsmStatement>),
}

#[derive(Debug)]
pub struct For {
    pub init: ForInit,
    pub condition: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Box<Stmt>,
}

#[derive(Debug)]
pub enum ForInit {
    None,
    Expr(Expr),
    Declaration(Declaration),
}

#[derive(Debug)]
pub struct Label {
    pub kind: LabelKind,
    pub loc: Loc,
}

#[derive(Debug)]
pub enum LabelKind {
    Name(Symbol),
    Case(Expr),
    /// GNU `case lo ... hi:`.
    CaseRange(Expr, Expr),
    Default,
}

/// `asm volatile ("template" : outputs : inputs : clobbers)`.
#[derive(Debug)]
pub struct AsmStatement {
    pub template: StringLiteral,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub clobbers: Vec<StringLiteral>,
    /// Where an `asm goto` may jump.
    pub labels: Vec<(Symbol, Loc)>,
    pub is_goto: bool,
    /// Written so, or because there are no outputs.
    pub is_volatile: bool,
}

#[derive(Debug)]
pub struct AsmOperand {
    pub name: Option<Symbol>,
    pub constraint: StringLiteral,
    pub expr: Expr,
}

/// Adjacent string literals, joined. The units are bytes for plain and `u8` strings, code units otherwise; the
/// terminating zero is not included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    pub kind: StringKind,
    pub units: Vec<u32>,
    pub loc: Loc,
}

impl StringLiteral {
    /// What it spells, for names and messages.
    pub fn text(&self) -> String {
        let kind = match self.kind {
            StringKind::Plain => CharKind::Plain,
            StringKind::Wide => CharKind::Wide,
            StringKind::Char16 => CharKind::U16,
            StringKind::Char32 => CharKind::U32,
        };
        literal::spelt(kind, &self.units)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StringKind {
    Plain,
    Wide,
    Char16,
    Char32,
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Of the operator for binary expressions, else of the first token.
    pub loc: Loc,
}

#[derive(Debug)]
pub enum ExprKind {
    Ident(Symbol),
    /// Spelled as written; see `literal::number`.
    Number(Symbol),
    /// Spelled as written; see `literal::char_constant`.
    Char(Symbol),
    Str(StringLiteral),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `None` for plain `=`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `then` is missing in GNU `a ?: b`.
    Conditional {
        condition: Box<Expr>,
        then: Option<Box<Expr>>,
        otherwise: Box<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    Cast(Box<TypeName>, Box<Expr>),
    CompoundLiteral(Box<TypeName>, InitializerList),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// `base.name`
    Member(Box<Expr>, Symbol),
    /// `base->name`
    Arrow(Box<Expr>, Symbol),
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    Generic {
        control: Box<Expr>,
        cases: Vec<GenericCase>,
    },
    /// GNU `({ … })`.
    StatementExpr(Block),
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, .a.b[i])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    ChooseExpr(Box<Expr>, Box<Expr>, Box<Expr>),
    /// GNU `&&label`.
    LabelAddress(Symbol),
}

#[derive(Debug)]
pub struct GenericCase {
    /// `None` for `default`.
    pub ty: Option<TypeName>,
    pub value: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    /// `__real__`, `__imag__`.
    Real,
    Imag,
    /// `__extension__`: no effect.
    Extension,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

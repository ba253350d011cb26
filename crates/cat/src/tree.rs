//! The text of a model as a tree.

use norn_ir::source::Loc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unary {
    Complement,
    Closure,
    ReflexiveClosure,
    Reflexive,
    Inverse,
    /// `[S]`.
    Identity,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Union,
    Intersection,
    Difference,
    Compose,
    Product,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExprKind {
    Name(String),
    /// `0` or `{}`.
    Empty,
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Apply(String, Vec<Expr>),
    /// The first, or the second if the first names what is not defined.
    Try(Box<Expr>, Box<Expr>),
    Let(Vec<Binding>, Box<Expr>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Binding {
    pub name: String,
    /// `None` for what is no function.
    pub parameters: Option<Vec<String>>,
    pub body: Expr,
    pub loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Acyclic,
    Irreflexive,
    Empty,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    Let { recursive: bool, bindings: Vec<Binding>, loc: Loc },
    Check { test: Test, negated: bool, flag: bool, body: Expr, name: Option<String>, loc: Loc },
    Include { name: String, loc: Loc },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct File {
    pub title: Option<String>,
    pub statements: Vec<Statement>,
}

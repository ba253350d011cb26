//! The syntax tree of a thread of a C litmus test.

use crate::ctype::CType;
use crate::token::Token;

pub(crate) struct Expr<'a> {
    pub kind: ExprKind<'a>,
    /// The token that it is best pointed at by.
    pub token: Token<'a>,
    /// Of the tree below it.
    pub depth: u32,
}

pub(crate) enum ExprKind<'a> {
    Number(i64),
    Name,
    Deref(Box<Expr<'a>>),
    /// `p[i]`
    Element(Box<Expr<'a>>, Box<Expr<'a>>),
    AddressOf(Box<Expr<'a>>),
    Negate(Box<Expr<'a>>),
    Complement(Box<Expr<'a>>),
    Not(Box<Expr<'a>>),
    Cast(CType, Box<Expr<'a>>),
    /// The operator's text.
    Binary(&'a str, Box<Expr<'a>>, Box<Expr<'a>>),
    /// The function is `token`.
    Call(Vec<Expr<'a>>),
}

pub(crate) struct Stmt<'a> {
    pub kind: StmtKind<'a>,
    pub token: Token<'a>,
}

pub(crate) enum StmtKind<'a> {
    Declare {
        ty: CType,
        name: Token<'a>,
        value: Option<Expr<'a>>,
    },
    /// With the operator of a compound assignment.
    Assign {
        target: Expr<'a>,
        op: Option<&'a str>,
        value: Expr<'a>,
    },
    Expr(Expr<'a>),
    If {
        cond: Expr<'a>,
        then: Vec<Stmt<'a>>,
        otherwise: Vec<Stmt<'a>>,
    },
    While {
        cond: Expr<'a>,
        body: Vec<Stmt<'a>>,
    },
    DoWhile {
        body: Vec<Stmt<'a>>,
        cond: Expr<'a>,
    },
    Break,
    Continue,
    Return,
}

pub(crate) struct Param<'a> {
    pub ty: CType,
    pub name: Token<'a>,
}

pub(crate) struct Thread<'a> {
    pub token: Token<'a>,
    pub params: Vec<Param<'a>>,
    pub body: Vec<Stmt<'a>>,
}

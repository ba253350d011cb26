//! Calls and statements that are not ordinary C: functions that the checker knows by name, and `asm`.

use crate::ast;
use crate::intern::Symbol;
use crate::sema::Checker;
use crate::tree::{Expr, FunctionId, StmtKind};
use norn_ir::source::Loc;

/// Checks a call of a function that Norn knows by its name; `None` if it is an ordinary one. `declared` is the function
/// that the name refers to, if it was declared.
pub(crate) fn call(
    _checker: &mut Checker<'_>,
    _name: Symbol,
    _args: &[ast::Expr],
    _loc: Loc,
    _declared: Option<FunctionId>,
) -> Option<Expr> {
    None
}

/// Checks an `asm` statement.
pub(crate) fn asm(_checker: &mut Checker<'_>, _asm: &ast::AsmStatement, _loc: Loc) -> StmtKind {
    StmtKind::Unsupported("inline assembly".to_owned())
}

//! Calls and statements that are not ordinary C: functions that the checker knows by name, and `asm`.

use crate::ast;
use crate::intern::Symbol;
use crate::sema::Checker;
use crate::tree::{Expr, FunctionId, StmtKind};
use norn_ir::source::Loc;

/// Checks a call of a function that Norn knows by its name; `None` if it is an ordinary one. `declared` is the function
/// that the name refers to, if it was declared.
pub(crate) fn call(
    checker: &mut Checker<'_>,
    name: Symbol,
    args: &[ast::Expr],
    loc: Loc,
    _declared: Option<FunctionId>,
) -> Option<Expr> {
    if checker.name(name) == "__builtin_constant_p"
        && let [arg] = args
    {
        let constant = checker.constant_int(arg).is_some();
        return Some(checker.int_constant(i128::from(constant), checker.int_type(), loc));
    }
    None
}

/// Checks an `asm` statement.
pub(crate) fn asm(_checker: &mut Checker<'_>, _asm: &ast::AsmStatement, _loc: Loc) -> StmtKind {
    StmtKind::Unsupported("inline assembly".to_owned())
}

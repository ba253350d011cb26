//! Folding while the tree is built.

use super::correct;
use crate::tree::{ExprKind, StmtKind};

/// Whether the expression that a function returns was folded, and to what.
fn folds(expression: &str, expected: Option<u64>) {
    let checked = correct(&format!("int x; long f(void) {{ return (long)({expression}); }}"));
    let body = checked.unit.functions[0].body.as_ref().expect("a body");
    let StmtKind::Block { stmts, .. } = &body.block.kind else { panic!("a block") };
    let StmtKind::Return(Some(value)) = &stmts[0].kind else { panic!("a return") };
    let folded = match value.kind {
        ExprKind::Int(bits) => Some(bits),
        _ => None,
    };
    assert_eq!(folded, expected, "{expression}");
}

#[test]
fn constants_are_folded() {
    folds("2 + 3 * 4 - (7 & 5) / 2", Some(12));
    folds("-7 / 2", Some(-3i64 as u64));
    folds("0xffffffffu + 1", Some(0));
    folds("(char)255", Some(u64::MAX));
    folds("1 < 2 && !0", Some(1));
    folds("1 ? 2 : 3", Some(2));
    folds("(int)(2.5 * 2)", Some(5));
    folds("sizeof(x++)", Some(4));
}

#[test]
fn what_later_checks_must_see_stays() {
    folds("2147483647 + 1", None);
    folds("-(-2147483647 - 1)", None);
    folds("1 / 0", None);
    folds("1 << 32", None);
    folds("(int)1e20", None);
    folds("0 && x", None);
}

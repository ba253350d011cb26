//! Walks over the typed tree without recursion: what a body mentions, whether it has labels, which variables it uses.

use crate::tree::{Builtin, Callee, Expected, Expr, ExprKind, Init, InitPart, InitValue, Size, Stmt, StmtKind, Update};

/// A statement or expression of the tree.
#[derive(Clone, Copy)]
pub enum Node<'a> {
    Stmt(&'a Stmt),
    Expr(&'a Expr),
}

/// Visits `root` and all below it, parents first and in the order of the source, until `visit` says stop (`false`).
pub fn preorder<'a>(root: Node<'a>, mut visit: impl FnMut(Node<'a>) -> bool) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if !visit(node) {
            return;
        }
        let first = stack.len();
        children(node, &mut |child| stack.push(child));
        stack[first..].reverse();
    }
}

/// The nodes directly below one, in the order of the source.
pub fn children<'a>(node: Node<'a>, push: &mut impl FnMut(Node<'a>)) {
    match node {
        Node::Stmt(stmt) => of_stmt(stmt, push),
        Node::Expr(expr) => of_expr(expr, push),
    }
}

fn of_stmt<'a>(stmt: &'a Stmt, push: &mut impl FnMut(Node<'a>)) {
    match &stmt.kind {
        StmtKind::Block { stmts, .. } => stmts.iter().for_each(|s| push(Node::Stmt(s))),
        StmtKind::Expr(e)
        | StmtKind::Cleanup(e)
        | StmtKind::Vla { size: e, .. }
        | StmtKind::GotoComputed(e)
        | StmtKind::Return(Some(e)) => push(Node::Expr(e)),
        StmtKind::Init(_, init) => of_init(init, push),
        StmtKind::If { condition, then, otherwise } => {
            push(Node::Expr(condition));
            push(Node::Stmt(then));
            otherwise.iter().for_each(|s| push(Node::Stmt(s)));
        }
        StmtKind::While { condition, body } | StmtKind::Switch { value: condition, body, .. } => {
            push(Node::Expr(condition));
            push(Node::Stmt(body));
        }
        StmtKind::DoWhile { body, condition } => {
            push(Node::Stmt(body));
            push(Node::Expr(condition));
        }
        StmtKind::For { condition, step, body } => {
            condition.iter().for_each(|e| push(Node::Expr(e)));
            push(Node::Stmt(body));
            step.iter().for_each(|e| push(Node::Expr(e)));
        }
        StmtKind::Nop
        | StmtKind::Case(_)
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None)
        | StmtKind::Fence(_)
        | StmtKind::Unsupported(_) => {}
    }
}

fn of_init<'a>(init: &'a Init, push: &mut impl FnMut(Node<'a>)) {
    match init {
        Init::Expr(e) => push(Node::Expr(e)),
        Init::List(parts) => {
            for InitPart { value, .. } in parts {
                if let InitValue::Expr(e) = value {
                    push(Node::Expr(e));
                }
            }
        }
    }
}

fn of_size<'a>(size: &'a Size, push: &mut impl FnMut(Node<'a>)) {
    if let Size::Computed(e) = size {
        push(Node::Expr(e));
    }
}

fn of_expr<'a>(expr: &'a Expr, push: &mut impl FnMut(Node<'a>)) {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Object(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
        ExprKind::Deref(e)
        | ExprKind::Member { base: e, .. }
        | ExprKind::Load(e)
        | ExprKind::AddressOf(e)
        | ExprKind::Convert(e)
        | ExprKind::Reduced(e, _)
        | ExprKind::Negate(e)
        | ExprKind::BitNot(e)
        | ExprKind::Not(e) => push(Node::Expr(e)),
        ExprKind::Elements(elements) => elements.iter().for_each(|e| push(Node::Expr(e))),
        ExprKind::CompoundLiteral(_, init) => of_init(init, push),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign(a, b) => {
            push(Node::Expr(a));
            push(Node::Expr(b));
        }
        ExprKind::PointerAdd { pointer: a, index: b, size, .. } | ExprKind::PointerDiff { lhs: a, rhs: b, size } => {
            push(Node::Expr(a));
            push(Node::Expr(b));
            of_size(size, push);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            push(Node::Expr(condition));
            push(Node::Expr(then));
            push(Node::Expr(otherwise));
        }
        ExprKind::Update { place, update, .. } => {
            push(Node::Expr(place));
            match update {
                Update::Arithmetic { operand, .. } => push(Node::Expr(operand)),
                Update::Pointer { operand, size, .. } => {
                    push(Node::Expr(operand));
                    of_size(size, push);
                }
            }
        }
        ExprKind::Call { callee, args } => {
            if let Callee::Pointer(e) = callee {
                push(Node::Expr(e));
            }
            args.iter().for_each(|e| push(Node::Expr(e)));
        }
        ExprKind::Builtin(builtin) => of_builtin(builtin, push),
        ExprKind::StatementExpr { block, value } => {
            push(Node::Stmt(block));
            value.iter().for_each(|e| push(Node::Expr(e)));
        }
    }
}

fn of_builtin<'a>(builtin: &'a Builtin, push: &mut impl FnMut(Node<'a>)) {
    match builtin {
        Builtin::AtomicLoad { pointer: e, .. }
        | Builtin::Await { condition: e, .. }
        | Builtin::Join(e)
        | Builtin::ThreadExit(e)
        | Builtin::Acquire(e)
        | Builtin::Release(e)
        | Builtin::Assume(e)
        | Builtin::Assert { condition: e, .. }
        | Builtin::Exit(e)
        | Builtin::StackAlloc(e)
        | Builtin::Free(e)
        | Builtin::ObjectSize(e)
        | Builtin::VaStart(e)
        | Builtin::VaArg(e)
        | Builtin::PopCount(e)
        | Builtin::LeadingZeros(e)
        | Builtin::TrailingZeros(e)
        | Builtin::ByteSwap(e)
        | Builtin::FormattedCall { call: e, .. }
        | Builtin::ZeroObject { pointer: e, .. } => push(Node::Expr(e)),
        Builtin::Alloc { size, count, align, .. } => {
            push(Node::Expr(size));
            count.iter().chain(align).for_each(|e| push(Node::Expr(e)));
        }
        Builtin::AtomicStore { pointer: a, value: b, .. }
        | Builtin::AtomicUpdate { pointer: a, operand: b, .. }
        | Builtin::VaCopy { to: a, from: b }
        | Builtin::PrintList { format: a, list: b, .. }
        | Builtin::CopyObject { to: a, from: b, .. } => {
            push(Node::Expr(a));
            push(Node::Expr(b));
        }
        Builtin::AtomicCompareExchange { pointer, expected, desired, .. } => {
            push(Node::Expr(pointer));
            let (Expected::Value(e) | Expected::Pointer(e)) = expected;
            push(Node::Expr(e));
            push(Node::Expr(desired));
        }
        Builtin::Spawn { start: first, args } | Builtin::Print { format: first, args, .. } => {
            push(Node::Expr(first));
            args.iter().for_each(|e| push(Node::Expr(e)));
        }
        Builtin::OverflowArithmetic { lhs, rhs, result, .. } => {
            push(Node::Expr(lhs));
            push(Node::Expr(rhs));
            push(Node::Expr(result));
        }
        Builtin::Fence(_)
        | Builtin::SectionBegin
        | Builtin::SectionEnd
        | Builtin::ThreadSelf
        | Builtin::Nondet(_)
        | Builtin::Unsupported(_)
        | Builtin::IsLinked(_)
        | Builtin::Abort
        | Builtin::Unreachable => {}
    }
}

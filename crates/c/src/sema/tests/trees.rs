//! The shape of the typed tree: what is a place, what is loaded, which variables have their address taken.

use super::correct;
use crate::tree::{Expr, ExprKind, StmtKind, Update, UpdateResult};

/// Checks `text` inside of a function and hands its last statement's expression to `test`.
fn last(text: &str, test: impl Fn(&Expr)) {
    let checked = correct(&format!("struct s {{ int a; unsigned b : 3; }} gs, *gp; int gi; void f(void) {{ {text} }}"));
    let body = checked.unit.functions[0].body.as_ref().expect("a body");
    let StmtKind::Block { stmts, .. } = &body.block.kind else { panic!("a block") };
    let Some(StmtKind::Expr(e)) = stmts.last().map(|s| &s.kind) else { panic!("an expression: {stmts:?}") };
    test(e);
}

#[test]
fn places_and_values() {
    last("gi;", |e| assert!(matches!(&e.kind, ExprKind::Load(p) if matches!(p.kind, ExprKind::Object(_)))));
    last("gi = gi;", |e| {
        let ExprKind::Assign(place, value) = &e.kind else { panic!("{e:?}") };
        assert!(matches!(place.kind, ExprKind::Object(_)) && matches!(value.kind, ExprKind::Load(_)));
    });
    last("gp->a = 1;", |e| {
        let ExprKind::Assign(place, _) = &e.kind else { panic!("{e:?}") };
        let ExprKind::Member { base, offset: 0, bits: None } = &place.kind else { panic!("{e:?}") };
        assert!(matches!(&base.kind, ExprKind::Deref(p) if matches!(p.kind, ExprKind::Load(_))));
    });
    last("*&gi = 2;", |e| {
        assert!(matches!(&e.kind, ExprKind::Assign(p, _) if matches!(p.kind, ExprKind::Object(_))));
    });
    // A struct that nobody uses is not read.
    last("gs;", |e| assert!(matches!(&e.kind, ExprKind::Convert(_))));
    last("int a[3]; a[1];", |e| {
        let ExprKind::Load(place) = &e.kind else { panic!("{e:?}") };
        let ExprKind::Deref(sum) = &place.kind else { panic!("{e:?}") };
        assert!(
            matches!(&sum.kind, ExprKind::PointerAdd { pointer, .. } if matches!(pointer.kind, ExprKind::AddressOf(_)))
        );
    });
}

#[test]
fn updates() {
    last("gi++;", |e| {
        let ExprKind::Update { update: Update::Arithmetic { compute, .. }, result: UpdateResult::Old, .. } = &e.kind
        else {
            panic!("{e:?}")
        };
        assert_eq!(compute.ty, crate::ctype::TypeId::INT);
    });
    last("unsigned char c = 1; c += 300u;", |e| {
        let ExprKind::Update { update: Update::Arithmetic { compute, .. }, result: UpdateResult::New, .. } = &e.kind
        else {
            panic!("{e:?}")
        };
        assert_eq!((compute.ty, e.ty.ty), (crate::ctype::TypeId::UNSIGNED_INT, crate::ctype::TypeId::UNSIGNED_CHAR));
    });
    last("--gp;", |e| {
        assert!(matches!(&e.kind, ExprKind::Update { update: Update::Pointer { subtract: true, .. }, .. }));
    });
    last("gs.b |= 1;", |e| {
        let ExprKind::Update { place, update: Update::Arithmetic { compute, .. }, .. } = &e.kind else {
            panic!("{e:?}")
        };
        assert!(matches!(place.kind, ExprKind::Member { bits: Some(_), .. }));
        assert_eq!(compute.ty, crate::ctype::TypeId::INT);
    });
}

/// Expects which of the variables of a function have their address taken.
fn address_taken(text: &str, expected: &str) {
    let checked = correct(&format!("void g(void *); void f(void) {{ {text} }}"));
    let body = checked.unit.functions[1].body.as_ref().expect("a body");
    let taken: Vec<&str> = body
        .vars
        .iter()
        .filter(|v| v.address_taken)
        .map(|v| v.name.map_or("?", |n| checked.session.symbols.name(n)))
        .collect();
    assert_eq!(taken.join(" "), expected, "in: {text}");
}

#[test]
fn addresses() {
    address_taken("int a = 1, b = 2; g(&b); a = b;", "b");
    address_taken("int a; int b = sizeof(&a); (void)b;", "");
    address_taken("struct { int x; } s; s.x = 1; (void)s;", "");
    address_taken("struct { int x; } s, t; g(&s.x); t = s;", "s");
    address_taken("int a[2]; a[0] = 1;", "a");
    address_taken("g((int[]){ 1 });", "?");
}

#[test]
fn blocks_list_their_variables() {
    let checked =
        correct("int f(int p) { int a; { int b; (void)b; } for (int i = 0; i < 3; i++) a = p ?: 1; return a; }");
    let body = checked.unit.functions[0].body.as_ref().expect("a body");
    let StmtKind::Block { vars, stmts } = &body.block.kind else { panic!("a block") };
    let name = |v: &crate::tree::VarId| {
        body.vars[v.0 as usize].name.map_or("?".to_owned(), |n| checked.session.symbols.name(n).to_owned())
    };
    assert_eq!(vars.iter().map(name).collect::<Vec<_>>(), ["a"]);
    assert_eq!(body.params.iter().map(name).collect::<Vec<_>>(), ["p"]);
    let StmtKind::Block { vars, .. } = &stmts[1].kind else { panic!("the loop's scope: {stmts:?}") };
    assert_eq!(vars.iter().map(name).collect::<Vec<_>>(), ["i", "?"]);
}

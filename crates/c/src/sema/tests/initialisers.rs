//! Static initialisers with addresses, and the parts of automatic objects.

use super::correct;
use crate::tree::{Init, InitValue, StmtKind};

/// Expects the parts of the object `x`.
fn parts(text: &str, expected: &str) {
    assert_eq!(correct(text).parts("x"), expected, "in: {text}");
}

#[test]
fn address_constants() {
    parts("int a[10]; int *x = &a[3];", "0: Object(object0, 12)");
    parts("int a[10]; int *x = a + 2;", "0: Object(object0, 8)");
    parts("int a; char *x = (char *)&a + 1;", "0: Object(object0, 1)");
    parts("struct { int b; struct { int c[4]; } d[2]; } a; int *x = &a.d[1].c[2];", "0: Object(object0, 28)");
    parts("int f(void); int (*x)(void) = f;", "0: Function(function0)");
    parts("int f(void); int (*x[2])(void) = { 0, &f };", "0: Int { size: 8, bits: 0 }, 8: Function(function0)");
    parts("const char *x = \"ab\" + 1;", "0: Object(object1, 1)");
    parts("int a; unsigned long x = (unsigned long)&a + 3;", "0: Object(object0, 3)");
    parts("struct s { int a, b; }; int x = (long)&((struct s *)0)->b;", "0: Int { size: 4, bits: 4 }");
    parts("int a[3]; long x = &a[2] - &a[0];", "0: Int { size: 8, bits: 2 }");
    parts("int a; _Bool x = &a;", "0: Int { size: 1, bits: 1 }");
    parts("int a; int *x = 1 ? &a : 0;", "0: Object(object0, 0)");
    parts("struct s { int *p; } *x = &(struct s){ 0 };", "0: Object(object1, 0)");
    parts("void *x = &x;", "0: Object(object0, 0)");
    parts("int (*x)[2] = (int[][2]){ { 1, 2 }, { 3 } };", "0: Object(object1, 0)");
}

#[test]
fn bit_fields_are_joined_and_later_parts_win() {
    parts("struct { unsigned a : 4, b : 4; } x = { 1, 2 };", "0: Int { size: 4, bits: 33 }");
    parts("int x[2] = { 1, 2, [0] = 3 };", "0: Int { size: 4, bits: 3 }, 4: Int { size: 4, bits: 2 }");
    parts("union { int a; char b; } x = { .a = 1, .b = 2 };", "0: Int { size: 1, bits: 2 }");
    parts("char x[2][3] = { \"ab\", [0][1] = 'z' };", "0: Bytes([97]), 1: Int { size: 1, bits: 122 }");
}

#[test]
fn braces_initialise_the_whole_aggregate() {
    let members = "struct { struct { int a, b; } s; union { long l; struct { char c, d; } t; } u; } x";
    parts(&format!("{members} = {{ .s.b = 1, .s = {{ 2 }} }};"), "0: Int { size: 4, bits: 2 }");
    parts(
        &format!("{members} = {{ .s.b = 1, .s.a = 2, .u.l = -1, .s = {{ 3 }} }};"),
        "0: Int { size: 4, bits: 3 }, 8: Int { size: 8, bits: 18446744073709551615 }",
    );
    parts(
        &format!("{members} = {{ .u.l = -1, .u.t.c = 4, .u.t.d = 5 }};"),
        "8: Int { size: 1, bits: 4 }, 9: Int { size: 1, bits: 5 }",
    );
    parts(
        "struct { int a, b; } x[3] = { [1].b = 1, [0 ... 2] = { 7 } };",
        "0: Int { size: 4, bits: 7 }, 8: Int { size: 4, bits: 7 }, 16: Int { size: 4, bits: 7 }",
    );
}

/// The parts that a local variable starts with, as `offset(value)`.
fn local(text: &str, expected: &str) {
    let checked = correct(&format!("int g(void); void f(int a, int b) {{ {text} }}"));
    let body = checked.unit.functions[1].body.as_ref().expect("a body");
    let StmtKind::Block { stmts, .. } = &body.block.kind else { panic!("a block") };
    let Some(StmtKind::Init(_, Init::List(parts))) = stmts.last().map(|s| &s.kind) else { panic!("a list: {stmts:?}") };
    let shown: Vec<String> = parts
        .iter()
        .map(|p| match &p.value {
            InitValue::Bytes(bytes) => format!("{}({})", p.offset, String::from_utf8_lossy(bytes)),
            InitValue::Expr(e) => {
                let text = format!("{:?}", e.kind);
                format!("{}({})", p.offset, &text[..text.find(['(', ' ']).unwrap_or(text.len())])
            }
        })
        .collect();
    assert_eq!(shown.join(" "), expected, "in: {text}");
}

#[test]
fn a_range_keeps_its_value_when_its_first_element_is_overridden() {
    let text = "void f(int a) { int x[4] = { [1 ... 3] = a * 2, [0 ... 1] = a }; }";
    let shown = format!("{:?}", correct(text).unit);
    assert_eq!(shown.matches("Mul").count(), 1, "the product should still be computed");
    local("int x[3] = { [0 ... 2] = g(), [0] = 1 };", "4(Load) 8(Load) 0(Int)");
}

#[test]
fn automatic_objects() {
    local("int x[3] = { a, 5 };", "0(Load) 4(Int)");
    local("struct { int p; struct { int q, r; } s; int t; } x = { a, b, g(), 4 };", "0(Load) 4(Load) 8(Call) 12(Int)");
    local("struct { int p; struct { int q, r; } s; int t; } x = { .s.r = a, 4 };", "8(Load) 12(Int)");
    local(
        "struct t { int q, r; } y; struct { int p; struct t s; int u; } x = { a, y, b };",
        "0(Load) 4(Load) 12(Load)",
    );
    local("char x[8] = \"hey\";", "0(hey)");
    local("char x[][4] = { \"ab\", { 'c' } };", "0(ab) 4(Int)");
    local("int x[4] = { [0 ... 2] = g() };", "0(Load) 4(Load) 8(Load)");
    local("int x[2] = { g(), [0] = a };", "0(Load)");
    local("struct { struct { int a, b; }; int c; } x = { .b = 1, 2 };", "4(Int) 8(Int)");
    local("union { char c; int i; } x[2] = { 'a', { .i = 5 } };", "0(Int) 4(Int)");
    local("int x[2][2][2] = { { { 1, 2 }, 3, 4 }, 5, 6, 7 };", "0(Int) 4(Int) 8(Int) 12(Int) 16(Int) 20(Int) 24(Int)");
}

#[test]
fn huge_ranges_are_refused() {
    let checked = super::check("int x[1 << 24] = { [0 ... (1 << 24) - 1] = 1 };");
    assert_eq!(
        checked.messages(norn_ir::diag::Severity::Unsupported),
        ["1:5: an initialiser with more than 1048576 parts"]
    );
    // Elements without any content take no time.
    super::check("struct e {}; struct e x[1ull << 40] = { 1 };");
}

//! Typedef names and what hides them.

use super::{check, check_body, check_errors};

/// The text after a typedef of `T`.
#[track_caller]
fn check_after_typedef(text: &str, expected: &str) {
    check(&format!("typedef int T; {text}"), &format!("(decl typedef int; T)\n{expected}"));
}

#[test]
fn a_variable_hides_a_type() {
    check_after_typedef(
        "void f(void) { T T = sizeof(T); T * T; }",
        "(fn void f fn(void) {(decl 'T; T = (sizeof T)) (Mul T T)})",
    );
    check_after_typedef(
        "void f(void) { { int T; T = 1; } T x; }",
        "(fn void f fn(void) {{(decl int; T) (= T 1)} (decl 'T; x)})",
    );
    check_after_typedef(
        "void f(void) { unsigned T; T + 1; }",
        "(fn void f fn(void) {(decl unsignedint; T) (Add T 1)})",
    );
    check_after_typedef("void f(void) { T(x); (T)(x); }", "(fn void f fn(void) {(decl 'T; x) (cast <'T> x)})");
}

#[test]
fn a_parameter_hides_a_type_in_the_body_only() {
    check_after_typedef("void f(int T) { T * 2; } T x;", "(fn void f fn(int T) {(Mul T 2)})\n(decl 'T; x)");
    check_after_typedef(
        "void f(a) int a; { int T; T * 2; } T x;",
        "(fn void f fn(names a) (decl int; a) {(decl int; T) (Mul T 2)})\n(decl 'T; x)",
    );
}

#[test]
fn an_enumerator_hides_a_type() {
    check_after_typedef(
        "void f(void) { enum { T = sizeof(T) }; T * 2; }",
        "(fn void f fn(void) {(decl enum {T=(sizeof <'T>)}) (Mul T 2)})",
    );
}

#[test]
fn members_tags_and_labels_hide_nothing() {
    check_after_typedef("struct T { T T; } x; T y;", "(decl struct T {('T; T)}; x)\n(decl 'T; y)");
    check_after_typedef(
        "void f(void) { T: ; T x; goto T; }",
        "(fn void f fn(void) {(T: (null)) (decl 'T; x) (goto T)})",
    );
}

#[test]
fn a_for_statement_is_a_scope() {
    check_after_typedef(
        "void f(void) { for (T T = 0; T < 1; T++) T; T x; }",
        "(fn void f fn(void) {(for (decl 'T; T = 0) (Lt T 1) (PostIncrement T) T) (decl 'T; x)})",
    );
}

#[test]
fn local_types() {
    check_body(
        "typedef int U; U x; { typedef char U; U y; }",
        "(decl typedef int; U) (decl 'U; x) {(decl typedef char; U) (decl 'U; y)}",
    );
    check_body("{ typedef int V; } int V; V * 2;", "{(decl typedef int; V)} (decl int; V) (Mul V 2)");
    check_after_typedef("typedef int T; T x;", "(decl typedef int; T)\n(decl 'T; x)");
}

#[test]
fn prototype_scope_ends_with_the_prototype() {
    check_after_typedef(
        "void f(int T, int x[sizeof(T)]); T y;",
        "(decl void; f fn(int T, int x [(sizeof T)]))\n(decl 'T; y)",
    );
}

#[test]
fn the_types_that_the_compiler_knows() {
    check("__builtin_va_list x;", "(decl '__builtin_va_list; x)");
    check(
        "typedef __builtin_va_list va_list; va_list y;",
        "(decl typedef '__builtin_va_list; va_list)\n(decl 'va_list; y)",
    );
}

#[test]
fn a_type_is_no_expression() {
    check_errors("typedef int T; int x = 1 + T;", &["1:28: expected an expression, found the type 'T'"]);
}

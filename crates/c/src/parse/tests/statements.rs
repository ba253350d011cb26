use super::{check_body, check_errors};

#[test]
fn control_flow() {
    check_body("if (a) b; else if (c) d; else { }", "(if a b (if c d {}))");
    check_body("if (a) if (b) c; else d;", "(if a (if b c d))");
    check_body("while (a) { break; continue; }", "(while a {(break) (continue)})");
    check_body("do a; while (b);", "(do a b)");
    check_body(
        "for (;;) ; for (a; b; c) d; for (int i = 0, j; ; ) ;",
        "(for - - - (null)) (for a b c d) (for (decl int; i = 0; j) - - (null))",
    );
    check_body("return; return 1;", "(return -) (return 1)");
}

#[test]
fn switches_and_labels() {
    check_body(
        "switch (a) { case 1: case 2 ... 4: b; default: ; }",
        "(switch a {(case 1: case 2...4: b) (default: (null))})",
    );
    check_body("a: b: c: x; d: }  void g(void) {", "(a: b: c: x) (d: (null))})\n(fn void g fn(void) {");
    check_body("a: int x; case 1: { }", "(a: (null)) (decl int; x) (case 1: {})");
    check_body("goto a; goto *b; x = &&a; a: __attribute__((unused)) ;", "(goto a) (goto* b) (= x (&& a)) (a: (null))");
    check_body("({ __label__ a, b; __label__ c; a: 1; });", "(stmt {(labels a b c) (a: 1)})");
}

#[test]
fn attributes_on_statements() {
    check_body(
        "switch (a) { case 1: b; __attribute__((fallthrough)); default: ; }",
        "(switch a {(case 1: b) (null) (default: (null))})",
    );
    check_body(
        "__attribute__((unused)) int x; __extension__ int y; __extension__ 1;",
        "(decl @unused int; x) (decl int; y) (Extension 1)",
    );
}

#[test]
fn asm_statements() {
    check_body(
        "asm(\"nop\"); __asm__ __volatile__ (\"\" ::: \"memory\");",
        "(asm \"nop\" :  :  : ) (asm \"\" :  :  : \"memory\")",
    );
    check_body(
        "asm volatile (\"x\" \"y\" : \"=r\"(a), [n] \"+m\"(*b) : \"0\"(c + 1) : \"cc\", \"memory\");",
        "(asm \"xy\" : \"=r\"(a) [n]\"+m\"((Deref b)) : \"0\"((Add c 1)) : \"cc\" \"memory\")",
    );
    check_body(
        "asm volatile inline (\"\" : : \"r\"(x)); asm goto (\"jmp\" : : : : l1, l2); l1: l2: ;",
        "(asm \"\" :  : \"r\"(x) : ) (asm goto \"jmp\" :  :  : ) (l1: l2: (null))",
    );
}

#[test]
fn functions_may_be_nested() {
    check_errors("void f(void) { int g(int x) { return x; } g(1); }", &[]);
}

#[test]
fn declarations_need_blocks() {
    check_errors(
        "typedef int T; void f(void) { if (a) int x; if (b) T y; c; }",
        &[
            "1:38: a declaration cannot stand here without braces around it",
            "1:52: a declaration cannot stand here without braces around it",
        ],
    );
}

use super::{check_errors, parse_text};
use crate::session::MAX_ERRORS;

#[test]
fn missing_semicolons() {
    check_errors("int x\nint y;", &["1:6: expected ';' after this declaration"]);
    check_errors("void f(void) { a = 1\n b = 2; }", &["1:21: expected ';' after this expression"]);
    check_errors("void f(void) { return 1 }", &["1:24: expected ';' after 'return'"]);
    check_errors("void f(void) { a = 1 if (b) ; }", &["1:21: expected ';' after this expression"]);
    check_errors("struct s { int a\n int b; };", &["1:17: expected ';' after this member"]);
    check_errors(
        "struct s { int a; }\nint main(void) { }",
        &["1:20: expected ';' after the closing brace of the type"],
    );
    check_errors(
        "struct s { int a; }\nstruct t { int a; };",
        &["1:20: expected ';' after the closing brace of the type"],
    );
    check_errors("void f(void) { do a; while (b) c; }", &["1:31: expected ';' after 'do … while (…)'"]);
}

#[test]
fn several_errors_without_cascades() {
    check_errors(
        "int a = ;\nvoid f(void) { x = ; y = (1; z; }\nint g(void) { return 1 + ; }\nint b;",
        &[
            "1:9: expected an expression, found ';'",
            "2:20: expected an expression, found ';'",
            "2:28: expected ')', found ';' also 2:26: to match this '('",
            "3:26: expected an expression, found ';'",
        ],
    );
    check_errors(
        "int f(int x { return x; }\nint g(void) { return 0; }",
        &["1:13: expected ')', found '{' also 1:6: to match this '('"],
    );
}

#[test]
fn errors_are_limited() {
    let (_, findings) = parse_text(&"int = 1;\n".repeat(100));
    assert_eq!(findings.lines().count(), MAX_ERRORS);
}

#[test]
fn unknown_types() {
    check_errors(
        "foo x;\nfoo y;\nfoo *f(foo a);",
        &["1:1: unknown type name 'foo' help: perhaps an '#include' or a typedef is missing"],
    );
    check_errors(
        "pthread_t t;",
        &[
            "1:1: unknown type name 'pthread_t' help: 'pthread_t' is declared in <pthread.h>: add '#include <pthread.h>'",
        ],
    );
    check_errors(
        "void f(void) { uint32_t *x = 0; }",
        &["1:16: unknown type name 'uint32_t' help: 'uint32_t' is declared in <stdint.h>: add '#include <stdint.h>'"],
    );
    check_errors(
        "void f(size_t n, bool b);",
        &[
            "1:8: unknown type name 'size_t' help: 'size_t' is declared in <stddef.h>: add '#include <stddef.h>'",
            "1:18: unknown type name 'bool' help: 'bool' is declared in <stdbool.h>: add '#include <stdbool.h>'",
        ],
    );
    check_errors(
        "int f(size_t);",
        &["1:7: unknown type name 'size_t' help: 'size_t' is declared in <stddef.h>: add '#include <stddef.h>'"],
    );
    check_errors(
        "static const atomic_int x;",
        &[
            "1:14: unknown type name 'atomic_int' help: 'atomic_int' is declared in <stdatomic.h>: add '#include <stdatomic.h>'",
        ],
    );
    check_errors(
        "struct s { FILE *f; };",
        &["1:12: unknown type name 'FILE' help: 'FILE' is declared in <stdio.h>: add '#include <stdio.h>'"],
    );
    check_errors(
        "void f(void) { x = (foo *) y; z = (bar) y; for (baz i = 0; ; ) ; n = sizeof(qux *); }",
        &[
            "1:21: unknown type name 'foo' help: perhaps an '#include' or a typedef is missing",
            "1:36: unknown type name 'bar' help: perhaps an '#include' or a typedef is missing",
            "1:49: unknown type name 'baz' help: perhaps an '#include' or a typedef is missing",
            "1:77: unknown type name 'qux' help: perhaps an '#include' or a typedef is missing",
        ],
    );
    check_errors(
        "EXPORT int f(void);",
        &["1:1: unknown type name 'EXPORT' help: perhaps an '#include' or a typedef is missing"],
    );
}

#[test]
fn undefined_macros() {
    check_errors("LICENSE(\"GPL\");\nint x;", &["1:9: 'LICENSE' is used like a macro, but no such macro is defined"]);
    check_errors("DEFINE_LOCK(x);\nint x;", &["1:1: 'DEFINE_LOCK' is used like a macro, but no such macro is defined"]);
}

#[test]
fn unbalanced_brackets() {
    check_errors(
        "void f(void) {\n if (a) {\n b;\n}\n",
        &["1:14: this '{' is never closed also 5:1: the file ends here"],
    );
    check_errors(
        "void f(void) {\n if (a) {\n}\nvoid g(void) {\n}\n",
        &["1:14: this '{' is never closed also 4:1: a function begins here, inside of it also 6:1: the file ends here"],
    );
    check_errors("void f(void) { } }\nint x;", &["1:18: this '}' closes nothing"]);
    check_errors(
        "void f(void) { g(1, 2; h[3; }",
        &[
            "1:22: expected ')', found ';' also 1:17: to match this '('",
            "1:27: expected ']', found ';' also 1:25: to match this '['",
        ],
    );
    check_errors(
        "void f(void) { if a) b; while (c; d; }",
        &["1:19: expected '(' after 'if', found 'a'", "1:33: expected ')', found ';' also 1:31: to match this '('"],
    );
    check_errors("int x[] = { 1, 2;\nint y;", &["1:17: expected '}', found ';' also 1:11: to match this '{'"]);
}

#[test]
fn declarations_that_were_left_open() {
    check_errors(
        "struct s {\n int x;\nextern int f(void);\nextern int g(void);\n",
        &["2:8: expected '}', found 'extern' also 1:10: to match this '{'"],
    );
    check_errors("int f(int x;\nint g(int x);\n", &["1:12: expected ')', found ';' also 1:6: to match this '('"]);
}

#[test]
fn misplaced_statements() {
    check_errors(
        "void f(void) { else a; }",
        &["1:16: 'else' without an 'if' help: an 'if' that governs several statements needs braces around them"],
    );
    check_errors(
        "return 1;",
        &["1:1: a 'return' statement outside of a function help: perhaps a '}' too many closed the function before it"],
    );
    check_errors(
        "void f(void) { do a; b; }",
        &["1:22: expected 'while' after the body of 'do', found 'b' also 1:16: this 'do'"],
    );
}

#[test]
fn stray_hashes() {
    check_errors(
        "int x; ## int y;",
        &[
            "1:8: stray '##' in the program help: a directive must begin its line; preprocessing is done by the time macros are expanded",
        ],
    );
    check_errors(
        "void f(void) { a; # b; c; }",
        &[
            "1:19: stray '#' in the program help: a directive must begin its line; preprocessing is done by the time macros are expanded",
        ],
    );
}

#[test]
fn cplusplus() {
    let help = "help: Norn reads C; in headers for both languages guard it by '#ifdef __cplusplus'";
    for (text, word) in [
        ("class C { public: int x; };", "'class'"),
        ("namespace n { int x; }", "'namespace'"),
        ("template <typename T> T f(T x);", "'template'"),
        ("using namespace std;", "'using'"),
        ("extern \"C\" { int f(void); }", "'extern \"C\"'"),
    ] {
        check_errors(text, &[&format!("1:1: this looks like C++: {word} is not C {help}")]);
    }
    check_errors("int class, using, template;", &[]);
}

#[test]
fn the_empty_text_and_texts_without_sense() {
    check_errors("", &[]);
    check_errors("}", &["1:1: this '}' closes nothing"]);
    check_errors("(", &["1:1: expected a declaration, found '('"]);
    check_errors("int", &["1:4: expected a name to declare, found the end of the file"]);
    check_errors("struct", &["1:7: expected a tag or '{' after 'struct', found the end of the file"]);
}

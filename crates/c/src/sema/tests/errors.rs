//! What is not C, and what is said about it.

use super::{check, correct};
use norn_ir::diag::Severity;

/// Expects exactly these errors (`line:column: message [help]`).
fn errors(text: &str, expected: &[&str]) {
    assert_eq!(check(text).messages(Severity::Error), expected, "in: {text}");
}

/// Expects exactly these warnings and no errors.
fn warnings(text: &str, expected: &[&str]) {
    let checked = correct(text);
    assert_eq!(checked.messages(Severity::Warning), expected, "in: {text}");
}

#[test]
fn undeclared_names() {
    errors(
        "int counter; int f(void) { return conter; }",
        &["1:35: 'conter' is not declared [did you mean 'counter'?]"],
    );
    errors(
        "void *f(void) { return NULL; }",
        &["1:24: 'NULL' is not declared [it is declared in <stddef.h>: add '#include <stddef.h>']"],
    );
    // Said once, and nothing follows from it.
    errors("int f(void) { xyzzy + 1; xyzzy->a.b[3](4); return *xyzzy; }", &["1:15: 'xyzzy' is not declared"]);
}

#[test]
fn members() {
    errors(
        "struct s { int first, second; } s; int f(struct s *p) { return s.frist + p->secnd; }",
        &[
            "1:64: 'struct s' has no member 'frist' [did you mean 'first'?]",
            "1:74: 'struct s' has no member 'secnd' [did you mean 'second'?]",
        ],
    );
    errors(
        "struct s { int a; } s, *p; int f(void) { return p.a + s->a; }",
        &[
            "1:49: '.a' needs a struct or union, but this has type 'struct s *' [it is a pointer: write '->a']",
            "1:55: '->a' needs a pointer, but this has type 'struct s' [it is not a pointer: write '.a']",
        ],
    );
    errors(
        "struct s; int f(struct s *p) { return p->a; }",
        &["1:39: 'struct s' has no members here: it is an incomplete type"],
    );
}

#[test]
fn calls() {
    errors("int x; int f(void) { return x(1); }", &["1:29: 'x' is called, but it is no function: it has type 'int'"]);
    errors(
        "int g(int a, char *b); int f(void) { return g(1) + g(1, 0, 2); }",
        &[
            "1:45: 'g' takes 2 arguments, but is called with 1 [its declaration is 'int g(int, char *)']",
            "1:52: 'g' takes 2 arguments, but is called with 3 [its declaration is 'int g(int, char *)']",
        ],
    );
    errors(
        "void g(const char *, ...); void f(void) { g(); }",
        &["1:43: 'g' takes at least 1 argument, but is called with 0 [its declaration is 'void g(const char *, ...)']"],
    );
    errors(
        "struct s { int a; }; void g(struct s); void f(void) { g(3); }",
        &["1:57: passing argument 1: a value of type 'int' does not convert to 'struct s'"],
    );
    warnings(
        "int f(void) { return g(1) + g(2); }",
        &["1:22: 'g' is called without a declaration ['int g()' is assumed]"],
    );
}

#[test]
fn assignments() {
    errors(
        "const int x = 1; void f(int a) { 3 = a; x = a; a + 1 = 2; x++; }",
        &[
            "1:36: what stands on the left does not denote an object that can be changed",
            "1:43: 'x' is const and cannot be changed",
            "1:54: what stands on the left does not denote an object that can be changed",
            "1:59: 'x' is const and cannot be changed",
        ],
    );
    errors(
        "struct s { int a; const int b; } x, y; int a[3], b[3]; void f(void) { x = y; a = b; f() = 1; }",
        &[
            "1:73: 'x' has a const member and cannot be changed as a whole",
            "1:80: an array cannot be assigned as a whole",
            "1:89: what stands on the left does not denote an object that can be changed",
        ],
    );
    errors(
        "void f(int *p) { void g(void); int x = g(); p = 1.5; }",
        &[
            "1:40: initialising needs a value, but this expression has type 'void'",
            "1:49: assigning: a value of type 'double' does not convert to 'int *'",
        ],
    );
    warnings(
        "void f(int *p, char *q, long n, const int *r) { p = q; p = n; n = p; p = 0; p = r; p = (void *)q; _Bool b = p; }",
        &[
            "1:53: assigning: incompatible pointer types 'char *' and 'int *'",
            "1:60: assigning: integer 'long' becomes pointer 'int *' without a cast",
            "1:67: assigning: pointer 'int *' becomes integer 'long' without a cast",
        ],
    );
}

#[test]
fn operands() {
    errors(
        "struct s { int a; } s; void f(int x, int *p, double d) { *x; s + 1; d % 2; p * 2; ~d; -p; !s; p + p; x[x]; &3; &(x + 1); }",
        &[
            "1:58: '*' needs a pointer, but its operand has type 'int'",
            "1:64: '+' cannot be applied to values of type 'struct s' and 'int'",
            "1:71: '%' cannot be applied to values of type 'double' and 'int'",
            "1:78: '*' cannot be applied to values of type 'int *' and 'int'",
            "1:83: '~' cannot be applied to a value of type 'double'",
            "1:87: '-' cannot be applied to a value of type 'int *'",
            "1:92: the operand of '!' must be a number or a pointer, but has type 'struct s'",
            "1:97: '+' cannot be applied to values of type 'int *' and 'int *'",
            "1:102: only arrays and pointers can be indexed, not 'int'",
            "1:108: '&' needs an object, but its operand is only a value",
            "1:112: '&' needs an object, but its operand is only a value",
        ],
    );
    errors(
        "struct s { int a; } s; void f(int x) { if (s) x = 1; x ? s : 1; (struct s)x; (int)s; switch (s) {} }",
        &[
            "1:44: the condition must be a number or a pointer, but has type 'struct s'",
            "1:54: the branches of '?:' have types 'struct s' and 'int', which do not fit together",
            "1:65: a value of type 'int' cannot be cast to 'struct s'",
            "1:78: a value of type 'struct s' cannot be cast to 'int'",
            "1:94: the value of a 'switch' must be an integer, but has type 'struct s'",
        ],
    );
    warnings(
        "int f(int *p, char *q, int x) { return (p == q) + (p == x) + (p == 0) + (p == (void *)q); }",
        &[
            "1:43: pointers of different types 'int *' and 'char *' are compared",
            "1:54: a pointer is compared with an integer of type 'int'",
        ],
    );
}

#[test]
fn declarations() {
    errors(
        "int x; char x; int f(int); int f(char); int g(void) { return 1; } int g(void) { return 2; }",
        &[
            "1:13: 'x' is declared again as 'char'; it was 'int'",
            "1:32: 'f' is declared again as 'int (char)'; it was 'int (int)'",
            "1:71: 'g' is defined twice",
        ],
    );
    errors(
        "int a = 1; int a = 2; static int b; int b; int c; static int c; int d; int d(void); typedef int e; int e;",
        &[
            "1:16: 'a' is initialised twice",
            "1:41: 'b' is declared again without 'static'",
            "1:62: 'c' is declared again as 'static'; it was not",
            "1:76: 'd' is declared again as a function; it was an object",
            "1:104: 'e' is declared again as something else",
        ],
    );
    errors(
        "struct s x; void y; int z[]; struct t { struct t t; int a; char a; }; struct t { int b; }; union t u;",
        &[
            "1:18: the variable 'y' cannot have type 'void'",
            "1:50: a member cannot have the incomplete type 'struct t'",
            "1:65: there are two members named 'a'",
            "1:71: 'struct t' is defined twice",
            "1:92: 't' was declared as a different kind of tag",
            "1:10: the variable 'x' has the incomplete type 'struct s'",
        ],
    );
    // A call declares a function in its block, and in no block around it.
    errors(
        "int f(void) { { called(); } int called; return called = 0; } int g(void) { other(); int other; return other; }",
        &["1:89: 'other' is declared again in the same scope"],
    );
    errors(
        "enum e { A, B, A }; enum e { C }; void f(int p, int p) { int a; int a; int p; struct s q; int r[]; }",
        &[
            "1:16: 'A' is declared twice",
            "1:21: 'enum e' is defined twice",
            "1:53: there are two parameters named 'p'",
            "1:69: 'a' is declared again in the same scope",
            "1:76: 'p' is declared again in the same scope",
            "1:88: the variable 'q' has the incomplete type 'struct s'",
            "1:95: the length of the array 'r' is not known",
        ],
    );
    errors(
        "int f(void)[3]; int a[2](void); void b[3]; int c[-1]; int d[1.5]; int e[4611686018427387904]; int n; int g[n];",
        &[
            "1:5: a function cannot return 'int [3]'",
            "1:22: an array cannot have elements of type 'int (void)'",
            "1:39: an array cannot have elements of type 'void'",
            "1:50: an array cannot have a negative length (-1)",
            "1:61: the length of an array must be an integer, but has type 'double'",
            "1:73: the array is larger than the address space",
            "1:108: the length of an array outside of functions must be constant: the value of an object is only known when the program runs",
        ],
    );
}

#[test]
fn statements() {
    errors(
        "void f(int x) { break; continue; case 1: default: goto nowhere; here: here: switch (x) { case 1: case 1: default: default: case x: ; } }",
        &[
            "1:17: 'break' outside of a loop or 'switch'",
            "1:24: 'continue' outside of a loop",
            "1:34: 'case' outside of a 'switch'",
            "1:42: 'default' outside of a 'switch'",
            "1:71: there are two labels named 'here'",
            "1:115: there are two 'default' labels in one 'switch'",
            "1:129: the value of a case must be constant: the value of an object is only known when the program runs",
            "1:98: there are two cases for the value 1",
            "1:51: there is no label 'nowhere' in this function",
        ],
    );
    errors(
        "void f(int x) { switch (x) { case 1 ... 5: case 5 ... 7: case 8: ; } }",
        &["1:44: there are two cases for the value 5"],
    );
    warnings(
        "int f(void) { return; } void g(void) { return 1; } void h(void) { return g(); }",
        &[
            "1:15: 'f' returns without the value that it should return",
            "1:40: 'g' returns a value, but its result type is 'void'",
        ],
    );
}

#[test]
fn constants() {
    errors("_Static_assert(0, L\"größe ≤ 3\");", &["1:1: static assertion failed: größe ≤ 3"]);
    errors(
        "_Static_assert(sizeof(int) == 8, \"ints are small\"); int a[1 / 0]; enum { E = 1 << 40, F = 5 % 0 }; struct s { int b : 40; int c : -1; int d : 0; float e : 3; };",
        &[
            "1:1: static assertion failed: ints are small",
            "1:61: the length of an array outside of functions must be constant: division by zero",
            "1:80: an enumerator's value must be constant: a shift by more bits than the type has, or by a negative number",
            "1:93: an enumerator's value must be constant: division by zero",
            "1:119: a bit-field of type 'int' cannot be 40 bits wide",
            "1:131: a bit-field of type 'int' cannot be -1 bits wide",
            "1:143: a bit-field of type 'int' cannot be 0 bits wide",
            "1:156: a bit-field must have an integer type, not 'float'",
        ],
    );
    errors(
        "int x; int y = x; int g(void); int z = g(); void f(int a) { static int b = 3, c = b, *d = &a; } _Thread_local int t; int *p = &t; char q = (char)&x;",
        &[
            "1:16: the initialiser of a static object must be constant: the value of an object is only known when the program runs",
            "1:40: the initialiser of a static object must be constant: a function is called",
            "1:83: the initialiser of a static object must be constant: the value of an object is only known when the program runs",
            "1:92: the initialiser of a static object must be constant: the address of a local object is only known when the program runs",
            "1:128: the initialiser of a static object must be constant: every thread has its own instance of the object",
            "1:140: the initialiser of a static object must be constant: an address does not fit into this type",
        ],
    );
}

#[test]
fn initialisers() {
    errors(
        "struct s { int a, b; } x = { .c = 1, [2] = 3 }; int y[2] = { [5] = 1, .a = 2 }; int z = { .a = 1 }; int w[2] = 3; struct t v = { 1 };",
        &[
            "1:31: 'struct s' has no member 'c'",
            "1:39: an index designates an element, but 'struct s' is not an array",
            "1:63: the index 5 is outside of the array",
            "1:72: '.a' designates a member, but 'int [2]' has none",
            "1:91: only structs, unions and arrays have parts to designate",
            "1:112: an array is initialised by a list in braces or, if it holds characters, by a string",
            "1:124: an object of the incomplete type 'struct t' cannot be initialised",
        ],
    );
    warnings(
        "int x[2] = { 1, 2, 3 }; int y = { 1, 2 }; char z[2] = \"abc\"; char w[3] = \"abc\";",
        &[
            "1:20: there are more initialisers than there is to initialise",
            "1:38: there are more initialisers than there is to initialise",
            "1:55: the string does not fit into an array of 2 characters",
        ],
    );
}

#[test]
fn warnings_from_system_headers_are_not_shown() {
    warnings(
        "# 1 \"/usr/include/x.h\" 1 3\nint f(void) { return; }\n# 2 \"test.c\"\nint g(void) { return; }",
        &["2:15: 'g' returns without the value that it should return"],
    );
}

#[test]
fn the_number_of_errors_is_limited() {
    let text = format!("void f(void) {{ {} }}", (0..1000).map(|i| format!("undeclared{i}; ")).collect::<String>());
    assert_eq!(check(&text).messages(Severity::Error).len(), crate::session::MAX_ERRORS);
}

#[test]
fn types_that_unfold_exponentially() {
    let mut text = String::from("typedef int (*f0)[]; typedef int (*g0)[3]; struct s0 { int a; };");
    for i in 0..60 {
        let n = i + 1;
        text.push_str(&format!("typedef void (*f{n})(f{i}, f{i}); typedef void (*g{n})(g{i}, g{i});"));
        text.push_str(&format!("struct s{n} {{ struct s{i} a, b; }};"));
    }
    text.push_str("extern f60 x; extern g60 x; int y = x.a; void f(struct s55 *p) { *p = *p; }");
    assert_eq!(check(&text).messages(Severity::Error).len(), 1);
}

/// Sizes are counted in bits, which end before the address space does.
#[test]
fn records_too_large_to_lay_out_are_not_cut() {
    let text = "struct s { char a[0x800000000000000]; int b; }; union u { int a; char b[0x800000000000001]; }; \
        struct t { char a[0x7fffffffffffff0]; };";
    let expected = ["1:1: a type of 2^59 bytes or more", "1:49: a type of 2^59 bytes or more"];
    assert_eq!(check(text).messages(Severity::Unsupported), expected);
}

#[test]
fn attributes_that_run_code() {
    errors(
        "void g(void) { int x __attribute__((cleanup)) = 1; }",
        &["1:37: the attribute 'cleanup' needs the name of a function"],
    );
    errors(
        "__attribute__((destructor(70000))) static void g(void) {}",
        &["1:16: the priority of a destructor must be a number from 0 to 65535"],
    );
}

#[test]
fn an_unknown_type_is_reported_once() {
    errors(
        "intt x; intt f(intt y) { return y; }",
        &["1:1: unknown type name 'intt' [perhaps an '#include' or a typedef is missing]"],
    );
}

#[test]
fn outputs_of_asm_that_are_cast() {
    errors("void f(unsigned long x) { asm(\"mov $5, %0\" : \"=r\"((unsigned long long)x)); }", &[]);
    errors(
        "void f(unsigned short s) { asm(\"mov $5, %0\" : \"=r\"((long)s)); }",
        &["1:52: the output of an 'asm' statement is 'unsigned short', and cannot be cast to 'long'"],
    );
    errors("void f(void) { asm(\"mov $5, %0\" : \"=r\"((long)(1 + 2))); }", &["1:49: this does not denote an object"]);
}

use super::{check, check_body, check_errors};

#[test]
fn arithmetic_types_in_any_order() {
    check(
        "unsigned a; long int unsigned long b; char signed c;",
        "(decl unsignedint; a)\n(decl unsignedlonglong; b)\n(decl signedchar; c)",
    );
    check(
        "long double d; _Float128 q; double _Complex z; unsigned __int128 w;",
        "(decl longdouble; d)\n(decl quad; q)\n(decl complex double; z)\n(decl unsignedint128; w)",
    );
    check("__uint128_t a; __int128_t b;", "(decl unsignedint128; a)\n(decl int128; b)");
    check("signed x; short int y; _Bool z;", "(decl int; x)\n(decl short; y)\n(decl bool; z)");
    check_errors("short float x;", &["1:7: 'float' cannot be combined with the type before it"]);
    check_errors("long long long x;", &["1:11: 'long' cannot be combined with the type before it"]);
}

#[test]
fn derivations_apply_in_order() {
    check("int *a[3];", "(decl int; a ptr [3])");
    check("int (*a)[3];", "(decl int; a [3] ptr)");
    check("int a[2][3];", "(decl int; a [3] [2])");
    check("int (*f)(void);", "(decl int; f fn(void) ptr)");
    check("int *(*f(int))[4];", "(decl int; f ptr [4] ptr fn(int _))");
    check(
        "void (*signal(int sig, void (*func)(int)))(int);",
        "(decl void; signal fn(int _) ptr fn(int sig, void func fn(int _) ptr))",
    );
    check("char *const *volatile p;", "(decl char; p ptr const ptr volatile)");
    check("int (((x)));", "(decl int; x)");
}

#[test]
fn arrays_in_parameters() {
    check(
        "void f(int n, int a[static const 3], int b[*], int c[restrict], int d[n]);",
        "(decl void; f fn(int n, int a [static const 3], int b [*], int c [restrict], int d [n]))",
    );
}

#[test]
fn parameters() {
    check("int f();", "(decl int; f fn())");
    check("int f(const char *, ...);", "(decl int; f fn(const char _ ptr, ...))");
    check("int f(void *);", "(decl int; f fn(void _ ptr))");
    check(
        "typedef int T; int f(T), g(int (T)), h(int T), i(int (*)(T));",
        "(decl typedef int; T)\n(decl int; f fn('T _); g fn(int _ fn('T _)); h fn(int T); i fn(int _ fn('T _) ptr))",
    );
    check_errors(
        "int f(int n; int a[n]);",
        &["1:12: unsupported: parameters that are declared before the parameter list are not supported"],
    );
}

#[test]
fn storage_and_qualifiers() {
    check(
        "extern __thread int x; static inline _Noreturn void f(void);",
        "(decl extern thread int; x)\n(decl static inline noreturn void; f fn(void))",
    );
    check(
        "_Atomic int a; _Atomic(int *) b; int *_Atomic c; const volatile int d;",
        "(decl atomic int; a)\n(decl atomic(int ptr); b)\n(decl int; c ptr atomic)\n(decl const volatile int; d)",
    );
    check("_Alignas(16) int x; _Alignas(long) char y;", "(decl align(16) int; x)\n(decl align(long) char; y)");
    check_errors("static extern int x;", &["1:8: more than one storage class in a declaration"]);
}

#[test]
fn records() {
    check("struct s;", "(decl struct s)");
    check("struct s { int a, *b; } x, *y;", "(decl struct s {(int; a; b ptr)}; x; y ptr)");
    check(
        "union u { int a : 3; unsigned : 0; int : 2, b : 1; };",
        "(decl union u {(int; a bits 3) (unsignedint; _ bits 0) (int; _ bits 2; b bits 1)})",
    );
    check(
        "struct { struct { int a; }; union { int b; }; char c[]; } x;",
        "(decl struct {(struct {(int; a)}) (union {(int; b)}) (char; c [])}; x)",
    );
    check(
        "struct e {}; struct t { ; _Static_assert(1, \"m\"); __extension__ int x; ; };",
        "(decl struct e {})\n(decl struct t {(static_assert 1 \"m\") (int; x)})",
    );
}

#[test]
fn enums() {
    check("enum e { A, B = 3, C, };", "(decl enum e {A B=3 C})");
    check("enum e x; enum { A __attribute__((deprecated)) = 1 } y;", "(decl enum e; x)\n(decl enum {A=1}; y)");
    check_errors("enum e {};", &["1:9: expected the name of an enumerator, found '}'"]);
}

#[test]
fn packing() {
    check(
        "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(push)\n#pragma pack(4)\nstruct b { int x; };\n#pragma pack(pop)\nstruct c { int x; };\n#pragma pack(pop)\nstruct d { int x; };\n",
        "(decl struct a {(int; x)} pack=1)\n(decl struct b {(int; x)} pack=4)\n(decl struct c {(int; x)} pack=1)\n(decl struct d {(int; x)})",
    );
    check(
        "#pragma pack(push, here, 2)\n#pragma pack(push, 8)\n#pragma pack(pop, here)\n#pragma pack(2)\n#pragma pack()\nstruct a { };",
        "(decl struct a {})",
    );
    check_errors(
        "#pragma pack(3)\n#pragma pack(pop)\n",
        &[
            "1:2: warning: '#pragma pack' is ignored: the alignment is none of 1, 2, 4, 8 and 16",
            "2:2: warning: '#pragma pack' is ignored: there is no matching 'push'",
        ],
    );
}

#[test]
fn attributes_everywhere() {
    check(
        "__attribute__((packed)) struct __attribute__((aligned(8))) s { int a __attribute__((x)); } __attribute__((__packed__, may_alias)) v __attribute__((section(\"d\")));",
        "(decl @packed struct s {(int; a @x)} @aligned(8) @packed @may_alias; v @section(\"d\"))",
    );
    check(
        "int f(int a __attribute__((unused)), void *__attribute__((y)) b) __attribute__((__nonnull__(1, 2))) __attribute__((const));",
        "(decl int; f fn(int a @unused, void b ptr @y) @nonnull(1 2) @const)",
    );
    check(
        "typedef int word __attribute__((mode(SI))); int p(const char *, ...) __attribute__((format(printf, 1, 2)));",
        "(decl typedef int; word @mode:SI)\n(decl int; p fn(const char _ ptr, ...) @format:printf(1 2))",
    );
    check("int (__attribute__((a)) *f)(void), __attribute__((b)) x;", "(decl int; f fn(void) ptr @a; x @b)");
    check("__attribute__((x));", "");
    check("static __attribute__((noinline)) int f(void) { }", "(fn static @noinline int f fn(void) {})");
    check("int x __attribute__(()), y __attribute__((, a(int *, (3)),));", "(decl int; x; y @a(3))");
    check("enum __attribute__((packed)) e { A } __attribute__((b));", "(decl enum e {A} @packed @b)");
}

#[test]
fn asm_labels() {
    check(
        "extern int f(int) __asm__(\"\" \"g\") __attribute__((nothrow)); asm(\"nop\"); __extension__ asm(\"x\");",
        "(decl extern int; f fn(int _) @nothrow asm:g)\n(asm)\n(asm)",
    );
}

#[test]
fn typeof_and_auto() {
    check(
        "int x; typeof(x) y; __typeof__(int *) z; __auto_type w = 1;",
        "(decl int; x)\n(decl typeof(x); y)\n(decl typeof(int ptr); z)\n(decl __auto_type; w = 1)",
    );
}

#[test]
fn static_assertions() {
    check(
        "_Static_assert(sizeof(int) == 4, \"int\"); _Static_assert(1); __extension__ _Static_assert(2);",
        "(static_assert (Eq (sizeof <int>) 4) \"int\")\n(static_assert 1)\n(static_assert 2)",
    );
    check_body(
        "_Static_assert(1, \"a\"); __extension__ _Static_assert(2);",
        "(static_assert 1 \"a\") (static_assert 2)",
    );
}

#[test]
fn old_style_functions() {
    check("int f(a, b) int a; char *b; { }", "(fn int f fn(names a b) (decl int; a) (decl char; b ptr) {})");
    check("main() { }", "(fn implicit main fn() {})");
    check("f(a) { }", "(fn implicit f fn(names a) {})");
    check("static x; y = 3; *p;", "(decl static implicit; x)\n(decl implicit; y = 3)\n(decl implicit; p ptr)");
}

#[test]
fn initializers() {
    check("int a[] = { 1, 2, }, b[3] = {}, c = { 0 };", "(decl int; a [] = {1 2}; b [3] = {}; c = {0})");
    check(
        "struct s x = { .a = 1, .b.c[2] = 3, [0 ... 4] = 5, [6] 7, d: 8, { 9 } };",
        "(decl struct s; x = {.a=1 .b.c[2]=3 [0...4]=5 [6]=7 .d=8 {9}})",
    );
}

#[test]
fn things_without_meaning() {
    check(";;int x;;", "(decl int; x)");
    check("int; typedef int T; T; const;", "(decl int)\n(decl typedef int; T)\n(decl 'T)\n(decl const implicit)");
}

#[test]
fn words_of_later_standards_are_names() {
    check("int bool, true, false, nullptr, constexpr;", "(decl int; bool; true; false; nullptr; constexpr)");
}

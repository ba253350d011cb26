//! Declarations: linkage, merging, scopes, storage.

use super::{check, correct};
use crate::ctype::QualType;
use crate::sema::declaration_text;
use crate::tree::{Definition, Linkage};
use norn_ir::diag::Severity;

/// Expects an object or function to end up with the given declaration.
fn declares(text: &str, name: &str, expected: &str) {
    let checked = correct(text);
    let function = checked.unit.functions.iter().find(|f| checked.session.symbols.name(f.name) == name);
    let ty = match function {
        Some(function) => QualType::unqualified(function.ty),
        None => checked.object(name).ty,
    };
    assert_eq!(declaration_text(&checked.types, &checked.session.symbols, ty, name), expected, "in: {text}");
}

#[test]
fn declarators() {
    declares("int *x[3];", "x", "int *x[3]");
    declares("int (*x)[3];", "x", "int (*x)[3]");
    declares("int (*(*x)(int, char *))[3];", "x", "int (*(*x)(int, char *))[3]");
    declares("const char *const x[2];", "x", "const char *const x[2]");
    declares("typedef int t[3]; const t x;", "x", "const int x[3]");
    declares("void f(int a[const 3], int g(void), const int c);", "f", "void f(int *, int (*)(void), int)");
    declares("int f();", "f", "int f()");
    declares("int f(a, b) char b; { return b; }", "f", "int f(int, char)");
    declares("_Atomic(int) x; ", "x", "_Atomic int x");
    declares("int y; typeof(y) *x;", "x", "int *x");
    declares("int n; typeof(&n + 1) x;", "x", "int *x");
    declares("__auto_type x = 1.5f;", "x", "float x");
}

#[test]
fn redeclarations_merge() {
    declares("extern int x[]; int x[5]; extern int x[];", "x", "int x[5]");
    declares("int f(); int f(int a, char *b);", "f", "int f(int, char *)");
    declares(
        "int (*f(int (*)[], int (*)[3]))(void); int (*f(int (*)[4], int (*)[]))(void);",
        "f",
        "int (*f(int (*)[4], int (*)[3]))(void)",
    );
    declares("int x[] = { 1, 2, 3 };", "x", "int x[3]");
    declares("char x[] = \"abc\";", "x", "char x[4]");
    declares("int x[];", "x", "int x[1]");
}

#[test]
fn linkage_and_definitions() {
    let checked = correct(
        "static int a; extern int a; extern int b; int c; int c; int d = 0; extern int e = 5; \
         static int f(void); int f(void) { extern int b; static const int g = 3; return b + g; } inline int h(void) { return 0; } \
         _Thread_local int i; __attribute__((noreturn)) void j(void); const volatile int k = 1;",
    );
    assert_eq!(checked.object("a").linkage, Linkage::Internal);
    assert!(matches!(checked.object("a").definition, Definition::Tentative));
    assert!(matches!(checked.object("b").definition, Definition::Declared));
    assert_eq!(checked.unit.objects.iter().filter(|o| o.name.as_deref() == Some("b")).count(), 1);
    assert!(matches!(checked.object("c").definition, Definition::Tentative));
    assert!(matches!(checked.object("e").definition, Definition::Initialised(_)));
    assert_eq!(checked.object("f.g").linkage, Linkage::Internal);
    assert!(checked.object("f.g").constant && !checked.object("k").constant && !checked.object("c").constant);
    assert!(checked.object("i").thread_local);
    let function = |name: &str| {
        checked.unit.functions.iter().find(|f| checked.session.symbols.name(f.name) == name).expect("a function")
    };
    assert_eq!(function("f").linkage, Linkage::Internal);
    assert!(function("h").inline && function("j").noreturn && function("j").body.is_none());
}

#[test]
fn scopes() {
    correct(
        "typedef int T; enum { A = 1 }; struct s { int a; }; \
         int f(T T) { struct s { char b; } x; enum { A = 2 }; { int T = A; T = x.b; } _Static_assert(A == 2, \"\"); return T; } \
         _Static_assert(A == 1, \"\"); int g(struct s *p) { return p->a; } T h; \
         int i(void) { int h(void); for (int h = 0; h < 3; h++) { int h = 5; (void)h; } return 0; }"
            .replace("int h(void); ", "")
            .as_str(),
    );
}

#[test]
fn function_that_is_called_before_it_is_declared() {
    let checked =
        check("int f(void) { return g(1); } void g(int x) { } int h(void) { return k(); } int k(void) { return 1; }");
    assert_eq!(checked.messages(Severity::Error), [] as [&str; 0]);
    assert_eq!(checked.unit.functions.len(), 4);
}

#[test]
fn gnu_and_c11_constructs_are_accepted() {
    correct(
        "typedef union { int *i; void *v; } arg __attribute__((transparent_union)); union u2 { int *i; const char *c; } __attribute__((transparent_union)); \
         int given(arg); int give(int *p) { return given(p) + given((void *)0) + given(0); } \
         int take(union u2 u); int use(int *p) { return take(p) + take(\"x\") + take(0); } \
         void labels(int n) { { __label__ l; if (n) goto l; l: ; } { __label__ l; goto l; l: ; } } \
         int vla(int n, int a[n][n], int (*b)[n]) { int c[n][3]; typedef char T[n]; return sizeof c + sizeof(T) + sizeof(int[n]) + a[1][2] + b[0][1]; } \
         int proto(int n, int a[n][*]); void *arith(void *p) { p += 4; return p + 1; } \
         const char *name(void) { return __func__[0] ? __FUNCTION__ : __PRETTY_FUNCTION__; } \
         int stmt_expr(void) { return ({ int x = 1; x + 1; }) + ({ 3; }); } \
         struct flex { int n; int d[]; }; static struct flex fx = { 2, { 1, 2 } }; \
         int sw(int x) { switch (x) { case 1 ... 3: return 1; default: return 0; } } \
         struct fwd *fwd_ptr; enum later; enum later *lp; enum later { L1 }; \
         int elvis(int a) { return a ?: 5; } struct ret { int a[3]; } mk(void); int rv(void) { return mk().a[1]; } \
         int old(a, b) int a; char *b; { return a + *b; } int call_old(void) { return old(1, \"x\"); } \
         _Atomic int at; void atom(void) { at++; at = at + 1; } \
         int cmp(void) { return (int){ 3 } + ((struct ret){ { 1, 2, 3 } }).a[0] + *(int[]){ 1, 2 }; }",
    );
}

#[test]
fn unsupported_constructs_matter_only_where_they_are_reached() {
    let checked = correct(
        "_Float16 half; __int128 wide; _Complex double c; _Float128 quad; \
         void f(int x) { half = x; half++; c = c / c; quad = quad + x; half = half + x; switch (wide) { case 1: ; } } \
         struct holds { _Float16 b; }; int g(struct holds *h) { return h->b == 3 ? 1 : (int)h->b; }",
    );
    assert!(format!("{:?}", checked.unit).matches("Unsupported").count() >= 7);
}

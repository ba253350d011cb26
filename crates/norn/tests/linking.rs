//! Programs of several files: which definition a name means.

mod support;

use support::Folder;

/// Checks two files in both orders; the programs check themselves.
fn check(test: &str, first: &str, second: &str, expected: [i32; 2]) {
    let folder = Folder::new(&format!("linking_{test}"));
    folder.write("a.c", format!("#include <assert.h>\n{first}"));
    folder.write("b.c", second);
    for (files, expected) in [["a.c", "b.c"], ["b.c", "a.c"]].into_iter().zip(expected) {
        let run = folder.norn(&["check", "-m", "sc", files[0], files[1]]);
        assert_eq!(run.status(), expected, "{files:?}: {}{}", run.stdout(), run.stderr());
    }
}

#[test]
fn a_label_is_the_name_that_is_linked() {
    check(
        "labels",
        "extern int f(void) asm(\"g\"); extern int x asm(\"y\"); int y;\
         extern int z asm(\"here\"); int here = 3;\
         int main(void) { assert(f() == 2); assert(x == 7); assert(&x == &y); assert(z == 3); assert(&z == &here); }",
        "int f(void) { return 1; } int g(void) { return 2; } int x = 5, y = 7;",
        [0, 0],
    );
}

#[test]
fn a_label_decides_about_library_functions() {
    check(
        "library",
        "extern void *malloc(unsigned long) asm(\"mine\"); extern unsigned long length(const char *) asm(\"strlen\");\
         extern long strtol(const char *, char **, int) asm(\"__isoc23_strtol\"); extern char c;\
         int main(void) { assert(malloc(1) == &c); assert(length(\"abc\") == 3); assert(strtol(\"12\", 0, 10) == 12); }",
        "char c; void *mine(unsigned long n) { return &c; }",
        [0, 0],
    );
    check(
        "unknown",
        "int f(void) asm(\"nowhere\"); int main(void) { return f(); }",
        "int f(void) { return 0; }",
        [5, 5],
    );
}

#[test]
fn a_definition_wins_over_a_weak_one() {
    check(
        "weak",
        "int f(void) __attribute__((weak)); int f(void) { return 1; }\
         int x __attribute__((weak)) = 1; int only __attribute__((weak)) = 4;\
         int main(void) { assert(f() == 2); assert(x == 3); assert(only == 4); }",
        "int f(void) { return 2; } int x = 3;",
        [0, 0],
    );
    check(
        "weak_twice",
        "__attribute__((weak)) int f(void) { return 1; } int main(void) { assert(f() == 1); }",
        "__attribute__((weak)) int f(void) { return 2; }",
        [0, 10],
    );
    check("strong_twice", "int f(void) { return 1; } int main(void) { }", "int f(void) { return 2; }", [2, 2]);
}

#[test]
fn a_weak_function_without_definition_is_null() {
    check(
        "null",
        "int f(void) __attribute__((weak)); int (*p)(void) = f;\
         int main(void) { assert(!f); assert(!p); assert(f == 0); if (f) f(); }",
        "int other;",
        [0, 0],
    );
    check(
        "library_is_there",
        "void abort(void) __attribute__((weak));\
         int main(void) { assert(abort); }",
        "int other;",
        [0, 0],
    );
    check("no_object", "extern int x __attribute__((weak)); int main(void) { assert(!&x); }", "int y;", [5, 5]);
}

#[test]
fn an_alias_is_its_target() {
    check(
        "alias",
        "int x = 1; extern int y __attribute__((alias(\"x\")));\
         int f(void) { return x; } int g(void) __attribute__((alias(\"f\")));\
         static int h(void) { return 8; } int k(void) __attribute__((alias(\"h\"))); int other(void);\
         int main(void) { y = 4; assert(x == 4); assert(g() == 4); assert(f == g); assert(other() == 12); }",
        "extern int y; int k(void); int other(void) { return y + k(); }",
        [0, 0],
    );
    check(
        "alias_of_a_name_outside_ascii",
        "int größe(void) { return 7; } int g(void) __attribute__((alias(\"größe\"))); int other(void);\
         int main(void) { assert(other() == 7); }",
        "int g(void); int other(void) { return g(); }",
        [0, 0],
    );
    // Which one a weak alias and another definition make is not decided.
    check(
        "weak_alias",
        "int f(void) { return 1; } int g(void) __attribute__((weak, alias(\"f\"))); int main(void) { return g(); }",
        "int g(void) { return 2; }",
        [5, 5],
    );
    check(
        "no_target",
        "int g(void) __attribute__((alias(\"f\"))); int main(void) { }",
        "int f(void) { return 1; }",
        [2, 2],
    );
}

//! What is nested is checked once, also where the meaning of an operand decides how it is taken.

use super::check;
use norn_ir::diag::Severity;

/// So deep that checking an operand twice would never end.
const DEPTH: usize = 60;

fn nested(before: &str, open: &str, core: &str, close: &str, after: &str) {
    let text = format!("{before}{}{core}{}{after}", open.repeat(DEPTH), close.repeat(DEPTH));
    let problems = check(&text).messages(Severity::Error);
    assert!(problems.is_empty(), "{open}…: {problems:#?}");
}

const COPY: &str =
    "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long); int a[4], b[4];";

#[test]
fn nested_copies_are_checked_once() {
    let before = format!("{COPY} int main(void) {{ ");
    nested(&before, "memcpy(", "a", ", b, 4)", "; return 0; }");
    nested(&before, "memset(", "a", ", 0, 4)", "; return 0; }");
    nested(&before, "memcpy(a, ", "b", ", 4)", "; return 0; }");
    nested(&before, "__builtin_memcpy(", "a", ", b, 4)", "; return 0; }");
}

#[test]
fn nested_operands_of_built_in_functions_are_checked_once() {
    let before = "int x; int main(void) { return ";
    nested(before, "__atomic_load_n(&x, ", "x", ")", "; }");
    nested(before, "__atomic_fetch_add(&x, ", "x", ", 5)", "; }");
    nested(before, "__atomic_is_lock_free(", "x", ", 0)", "; }");
    nested(before, "__sync_fetch_and_add(&x, ", "x", ")", "; }");
    nested(before, "__builtin_expect(", "x", ", 1)", "; }");
    nested(before, "__builtin_ffs(", "x", ")", "; }");
    nested(before, "__builtin_constant_p(", "x", ")", "; }");
}

#[test]
fn nested_initialisers_without_a_type_are_checked_once() {
    nested("int x; int main(void) { return ", "({ __auto_type y = ", "x", "; y; })", "; }");
    nested("int x; int main(void) { return ", "x ?: (", "x", ")", "; }");
    nested(
        "struct s { int a; } x; struct s f(struct s); int main(void) { struct s y = ",
        "f(",
        "x",
        ")",
        "; return y.a; }",
    );
}

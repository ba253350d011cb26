//! Every kind of nesting, up to the limit and beyond.

use super::super::MAX_DEPTH;
use super::{findings, parse_session};

/// What the front end runs on.
const STACK: usize = 512 << 20;

/// `open` and `close`, many times, around `core`.
struct Nest {
    name: &'static str,
    before: &'static str,
    open: &'static str,
    core: &'static str,
    close: &'static str,
    after: &'static str,
}

#[rustfmt::skip]
const NESTS: &[Nest] = &[
    Nest { name: "parentheses", before: "int x = ", open: "(", core: "1", close: ")", after: ";" },
    Nest { name: "prefix operators", before: "int x = ", open: "- ", core: "1", close: "", after: ";" },
    Nest { name: "casts", before: "int x = ", open: "(int)", core: "1", close: "", after: ";" },
    Nest { name: "sizeof", before: "int x = ", open: "sizeof ", core: "1", close: "", after: ";" },
    Nest { name: "left chain", before: "int x = ", open: "1 + ", core: "1", close: "", after: ";" },
    Nest { name: "mixed chain", before: "int x = ", open: "1 + 1 * ", core: "1", close: "", after: ";" },
    Nest { name: "right chain", before: "int x = ", open: "a = ", core: "1", close: "", after: ";" },
    Nest { name: "conditionals", before: "int x = ", open: "a ? b : ", core: "1", close: "", after: ";" },
    Nest { name: "inner conditionals", before: "int x = ", open: "a ? ", core: "1", close: " : b", after: ";" },
    Nest { name: "commas", before: "int x = (", open: "a, ", core: "1", close: "", after: ");" },
    Nest { name: "calls of calls", before: "int x = f", open: "()", core: "", close: "", after: ";" },
    Nest { name: "calls in calls", before: "int x = ", open: "f(", core: "1", close: ")", after: ";" },
    Nest { name: "subscripts", before: "int x = a", open: "[1]", core: "", close: "", after: ";" },
    Nest { name: "inner subscripts", before: "int x = ", open: "a[", core: "1", close: "]", after: ";" },
    Nest { name: "members", before: "int x = a", open: ".b", core: "", close: "", after: ";" },
    Nest { name: "statement expressions", before: "int x = ", open: "({ ", core: "1;", close: "});", after: ";" },
    Nest { name: "generic selections", before: "int x = ", open: "_Generic(", core: "1", close: ", int: 1)", after: ";" },
    Nest { name: "compound literals", before: "int x = ", open: "(int){", core: "1", close: "}", after: ";" },
    Nest { name: "types", before: "int x = ", open: "sizeof(int[", core: "1", close: "])", after: ";" },
    Nest { name: "typeof", before: "", open: "typeof(", core: "int", close: ")", after: " x;" },
    Nest { name: "atomics", before: "", open: "_Atomic(", core: "int", close: ")", after: " x;" },
    Nest { name: "blocks", before: "void f(void) { ", open: "{", core: ";", close: "}", after: "}" },
    Nest { name: "loops", before: "void f(void) { ", open: "while (1) ", core: ";", close: "", after: "}" },
    Nest { name: "ifs", before: "void f(void) { ", open: "if (1) ", core: ";", close: "", after: "}" },
    Nest { name: "else ifs", before: "void f(void) { ", open: "if (1) ; else ", core: ";", close: "", after: "}" },
    Nest { name: "dos", before: "void f(void) { ", open: "do ", core: ";", close: " while (1);", after: "}" },
    Nest { name: "nested functions", before: "void f(void) { ", open: "int g(void) {", core: ";", close: "}", after: "}" },
    Nest { name: "labels and blocks", before: "void f(void) { ", open: "a: {", core: ";", close: "}", after: "}" },
    Nest { name: "initialisers", before: "int x = ", open: "{", core: "1", close: "}", after: ";" },
    Nest { name: "declarators", before: "int ", open: "(", core: "x", close: ")", after: ";" },
    Nest { name: "pointers", before: "int ", open: "*", core: "x", close: "", after: ";" },
    Nest { name: "arrays", before: "int x", open: "[1]", core: "", close: "", after: ";" },
    Nest { name: "functions", before: "int f", open: "()", core: "", close: "", after: ";" },
    Nest { name: "parameters", before: "int ", open: "f(int ", core: "x", close: ")", after: ";" },
    Nest { name: "abstract parameters", before: "int f(int ", open: "(int ", core: "", close: ")", after: ");" },
    Nest { name: "records", before: "", open: "struct {", core: "int x;", close: "} x;", after: "" },
    Nest { name: "enums", before: "", open: "enum { A = sizeof(", core: "int", close: ") }", after: ";" },
    Nest { name: "attributes", before: "int x ", open: "__attribute__((a(sizeof(int ", core: "", close: "))))", after: ";" },
    Nest { name: "designators", before: "int x = ", open: "(int[]){ [", core: "1", close: "] = 1 }", after: ";" },
];

/// The findings in `count` levels of nesting, one per line.
fn nest(nest: &Nest, count: u32) -> String {
    let times = count as usize;
    let text = [nest.before, &nest.open.repeat(times), nest.core, &nest.close.repeat(times), nest.after].concat();
    findings(&parse_session(&text).0)
}

fn on_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(test).expect("a thread should start");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn moderate_nesting_is_fine() {
    on_large_stack(|| {
        for kind in NESTS.iter().filter(|n| n.name != "nested functions") {
            // Every level counts for a few at most.
            let found = nest(kind, MAX_DEPTH / 8);
            assert_eq!(found, "", "{}", kind.name);
        }
    });
}

#[test]
fn chains_may_be_long() {
    on_large_stack(|| {
        let names = ["left chain", "right chain", "commas", "conditionals", "calls of calls", "subscripts", "members"];
        for kind in NESTS.iter().filter(|n| names.contains(&n.name)) {
            assert_eq!(nest(kind, 4000), "", "{}", kind.name);
        }
        let text = format!("void f(void) {{ while (1) {{ if (a) x = {}1; }} }}", "1 + ".repeat(4000));
        assert_eq!(findings(&parse_session(&text).0), "");
    });
}

#[test]
fn nesting_beyond_the_limit_is_one_error() {
    on_large_stack(|| {
        for kind in NESTS {
            let found = nest(kind, 100_000);
            let errors: Vec<_> = found.lines().filter(|l| !l.contains("unsupported")).collect();
            assert_eq!(errors.len(), 1, "{}: {errors:?}", kind.name);
            assert!(errors[0].contains("nested too deeply"), "{}: {errors:?}", kind.name);
        }
    });
}

#[test]
fn a_long_program_is_not_deep() {
    let text = "int f(int x) { if (x) return x + 1; return f(x - 1); }\n".repeat(10_000);
    let (session, unit) = parse_session(&text);
    assert_eq!((unit.items.len(), findings(&session).as_str()), (10_000, ""));
}

//! Inputs that are made to break things: each ends soon and says why.

use super::{check, messages, run};
use crate::session::Options;

#[track_caller]
fn check_stops(input: &str, message: &str) {
    let (session, _) = run(Options::default(), "t.c", input);
    assert_eq!(messages(&session), [message]);
}

const TOO_MANY: &str = "macro expansion makes more than 20000000 tokens";

fn nested(call: &str, inner: &str, depth: usize) -> String {
    format!("{}{inner}{}", call.repeat(depth), ")".repeat(depth))
}

#[test]
fn expansions_that_explode() {
    check_stops(&format!("#define d(x) x x\n{}", nested("d(", "a", 60)), TOO_MANY);
    // Spellings count too.
    check_stops(&format!("#define d(x) e(x,x)\n#define e(a,b) a##b\n{}", nested("d(", "a", 60)), TOO_MANY);
    check_stops(&format!("#define s(x) #x\n#define t(x) s(x)\n{}", nested("t(", "\"\"", 60)), TOO_MANY);
}

#[test]
fn deep_nesting() {
    check_stops(
        &format!("#define f(x) x\n{}", nested("f(", "1", 1000)),
        "macro calls are nested more than 300 deep in arguments",
    );
    check(&format!("#define f(x) x\n{}", nested("f(", "1", 250)), "1");
    for deep in [nested("(", "1", 100_000), "1?".repeat(100_000) + "1" + &":1".repeat(100_000)] {
        check_stops(&format!("#if {deep}\n#endif"), "the expression is nested more than 500 deep");
    }
    check(&format!("#if {}1\nyes\n#endif", "!".repeat(100_000)), "yes");
    check(&format!("#if {}\nyes\n#endif", nested("(", "1", 400)), "yes");
    check(&format!("{}x\n{}", "#if 1\n".repeat(50_000), "#endif\n".repeat(50_000)), "x");
}

#[test]
fn long_chains_of_macros_do_not_nest() {
    let chain: String = (0..50_000).map(|i| format!("#define c{i} c{}\n", i + 1)).collect();
    check(&(chain + "c0"), "c50000");
    let calls: String = (0..20_000).map(|i| format!("#define c{i}(x) c{}(x)\n", i + 1)).collect();
    check(&(calls + "c0(1)"), "c20000 ( 1 )");
}

#[test]
fn many_errors_end_the_run() {
    let (session, _) = run(Options::default(), "t.c", &"#bogus\n#if 1 +\n#endif\n".repeat(10_000));
    assert_eq!(session.diagnostics.len(), crate::session::MAX_ERRORS);
}

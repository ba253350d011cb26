mod support;
use support::{shown, threads, verdict};

#[test]
fn first() {
    let mp = threads("var x, y; int r0, r1;", &["st(x, 1, relaxed); st(y, 1, relaxed);", "r0 = ld(y, relaxed); r1 = ld(x, relaxed);"], "!(r0 == 1 && r1 == 0)");
    for model in ["sc", "tso", "pso", "armv8", "riscv", "rc11"] {
        println!("{model}: {}", verdict(model, &mp));
        println!("{}", shown(model, &mp));
    }
}

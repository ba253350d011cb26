//! Litmus tests with their exact sets of outcomes under each model.

use crate::testing::{check_finals, finals, function, text, threads, threads_and};
use norn_verdict::model::Model;

#[test]
fn store_buffering() {
    let sb = |fence: &str| {
        threads(
            "x y a b",
            &[
                &format!("store i32 g0, 1\n{fence}\nr0 = load g1\nstore i32 g2, r0"),
                &format!("store i32 g1, 1\n{fence}\nr0 = load g0\nstore i32 g3, r0"),
            ],
        )
    };
    check_finals(&sb(""), "a b", ["0 1, 1 0, 1 1", "0 0, 0 1, 1 0, 1 1", "0 0, 0 1, 1 0, 1 1"]);
    for fence in ["full", "call"] {
        check_finals(&sb(&format!("fence {fence}")), "a b", ["0 1, 1 0, 1 1"; 3]);
    }
    for fence in ["acquire", "release", "acq_rel", "store_store", "load_load", "compiler"] {
        let all = "0 0, 0 1, 1 0, 1 1";
        check_finals(&sb(&format!("fence {fence}")), "a b", ["0 1, 1 0, 1 1", all, all]);
    }
    // A read-modify-write, also a failing one and one of another object, and an atomic section empty the buffer.
    check_finals(&sb("r1 = rmw add g3, 0 relaxed"), "a b", ["0 1, 1 0, 1 1"; 3]);
    check_finals(&sb("r1, r4 = compare_exchange g2, 9, 9 relaxed relaxed"), "a b", ["0 1, 1 0, 1 1"; 3]);
    check_finals(&sb("begin atomic\nend"), "a b", ["0 1, 1 0, 1 1"; 3]);
    // A section that only reads does not.
    let all = "0 0, 0 1, 1 0, 1 1";
    check_finals(&sb("begin read\nend"), "a b", ["0 1, 1 0, 1 1", all, all]);
}

#[test]
fn sequentially_consistent_stores_are_not_buffered() {
    let sb = |order: &str| {
        threads(
            "x y a b",
            &[
                &format!("store i32 g0, 1 {order}\nr0 = load g1 seq_cst\nstore i32 g2, r0"),
                &format!("store i32 g1, 1 {order}\nr0 = load g0 seq_cst\nstore i32 g3, r0"),
            ],
        )
    };
    check_finals(&sb("seq_cst"), "a b", ["0 1, 1 0, 1 1"; 3]);
    let all = "0 0, 0 1, 1 0, 1 1";
    check_finals(&sb("release"), "a b", ["0 1, 1 0, 1 1", all, all]);
}

#[test]
fn message_passing() {
    let mp = |between: &str, order: &str| {
        threads(
            "x y a b",
            &[
                &format!("store i32 g0, 1\n{between}\nstore i32 g1, 1 {order}"),
                "r0 = load g1\nr1 = load g0\nstore i32 g2, r0\nstore i32 g3, r1",
            ],
        )
    };
    let strong = "0 0, 0 1, 1 1";
    let weak = "0 0, 0 1, 1 0, 1 1";
    check_finals(&mp("", "plain"), "a b", [strong, strong, weak]);
    check_finals(&mp("", "relaxed"), "a b", [strong, strong, weak]);
    check_finals(&mp("", "release"), "a b", [strong; 3]);
    for fence in ["release", "acq_rel", "store_store", "full"] {
        check_finals(&mp(&format!("fence {fence}"), "relaxed"), "a b", [strong; 3]);
    }
    check_finals(&mp("fence acquire", "relaxed"), "a b", [strong, strong, weak]);
}

#[test]
fn a_release_store_holds_back_only_what_comes_before_it() {
    // y may overtake the releasing z, but not x.
    let program = threads(
        "x y z a b c",
        &[
            "store i32 g0, 1\nstore i32 g2, 1 release\nstore i32 g1, 1",
            "r0 = load g1\nr1 = load g2\nr2 = load g0\nstore i32 g3, r0\nstore i32 g4, r1\nstore i32 g5, r2",
        ],
    );
    let sc = "0 0 0, 0 0 1, 0 1 1, 1 1 1";
    check_finals(&program, "a b c", [sc, sc, "0 0 0, 0 0 1, 0 1 1, 1 0 1, 1 1 1"]);
}

#[test]
fn load_buffering_needs_a_weaker_model() {
    let program = threads(
        "x y a b",
        &["r0 = load g0\nstore i32 g1, 1\nstore i32 g2, r0", "r0 = load g1\nstore i32 g0, 1\nstore i32 g3, r0"],
    );
    check_finals(&program, "a b", ["0 0, 0 1, 1 0"; 3]);
}

#[test]
fn two_plus_two_writes() {
    let program = threads("x y", &["store i32 g0, 1\nstore i32 g1, 2", "store i32 g1, 1\nstore i32 g0, 2"]);
    check_finals(&program, "x y", ["1 2, 2 1, 2 2", "1 2, 2 1, 2 2", "1 1, 1 2, 2 1, 2 2"]);
}

#[test]
fn independent_reads_of_independent_writes_agree() {
    let program = threads(
        "x y a b c d",
        &[
            "store i32 g0, 1",
            "store i32 g1, 1",
            "r0 = load g0\nr1 = load g1\nstore i32 g2, r0\nstore i32 g3, r1",
            "r0 = load g1\nr1 = load g0\nstore i32 g4, r0\nstore i32 g5, r1",
        ],
    );
    let all_but_one = (0..16)
        .map(|n| format!("{} {} {} {}", n >> 3 & 1, n >> 2 & 1, n >> 1 & 1, n & 1))
        .filter(|line| line != "1 0 1 0")
        .collect::<Vec<_>>()
        .join(", ");
    check_finals(&program, "a b c d", [&all_but_one; 3]);
}

#[test]
fn reads_of_one_location_do_not_go_back() {
    let program =
        threads("x a b", &["store i32 g0, 1", "r0 = load g0\nr1 = load g0\nstore i32 g1, r0\nstore i32 g2, r1"]);
    check_finals(&program, "a b", ["0 0, 0 1, 1 1"; 3]);
    // Nor do the writes of one thread to one location, under any model.
    let program = threads(
        "x a b",
        &["store i32 g0, 1\nstore i32 g0, 2", "r0 = load g0\nr1 = load g0\nstore i32 g1, r0\nstore i32 g2, r1"],
    );
    check_finals(&program, "a b", ["0 0, 0 1, 0 2, 1 1, 1 2, 2 2"; 3]);
}

#[test]
fn own_stores_are_forwarded() {
    // n6 of the x86 papers: x=1 is read early by its own thread.
    let program = threads(
        "x y a b",
        &[
            "store i32 g0, 1\nr0 = load g0\nr1 = load g1\nstore i32 g2, r0\nstore i32 g3, r1",
            "store i32 g1, 2\nstore i32 g0, 2",
        ],
    );
    let found = finals(&program, Model::Sc, "x a b");
    assert!(!found.contains(&vec![1, 1, 0]), "{found:?}");
    for model in [Model::Tso, Model::Pso] {
        let found = finals(&program, model, "x a b");
        assert!(found.contains(&vec![1, 1, 0]), "{model}: {found:?}");
    }
    // n5: each sees its own store first and the other's afterwards, which coherence forbids.
    let program = threads(
        "x a b c d",
        &[
            "store i32 g0, 1\nr0 = load g0\nr1 = load g0\nstore i32 g1, r0\nstore i32 g2, r1",
            "store i32 g0, 2\nr0 = load g0\nr1 = load g0\nstore i32 g3, r0\nstore i32 g4, r1",
        ],
    );
    for model in Model::ALL {
        let found = finals(&program, model, "a b c d");
        assert!(!found.contains(&vec![1, 2, 2, 1]), "{model}: {found:?}");
        assert!(found.contains(&vec![1, 2, 2, 2]), "{model}: {found:?}");
    }
}

#[test]
fn read_modify_writes_lose_nothing() {
    let program = threads("x", &["r0 = rmw add g0, 1 relaxed"; 3]);
    check_finals(&program, "x", ["3"; 3]);
    let program = threads("x", &["r0 = load g0\nr0 = add r0, 1\nstore i32 g0, r0"; 2]);
    check_finals(&program, "x", ["1, 2"; 3]);
    let program = threads(
        "x a b",
        &[
            "r0, r4 = compare_exchange g0, 0, 5 seq_cst relaxed\nr1 = extend.u bool r4\nstore i32 g1, r1",
            "r0, r4 = compare_exchange g0, 0, 6 seq_cst relaxed\nr1 = extend.u bool r4\nstore i32 g2, r1",
        ],
    );
    check_finals(&program, "x a b", ["5 1 0, 6 0 1"; 3]);
}

#[test]
fn joins_wait_for_the_buffer() {
    let program = threads_and("x a", &["store i32 g0, 1"], "r0 = load g0\nstore i32 g1, r0");
    check_finals(&program, "a", ["1"; 3]);
}

#[test]
fn creation_waits_for_the_buffer() {
    let program = text(&format!(
        "global g0 \"x\": t0\nglobal g1 \"a\": t0\n{}{}",
        function(0, "main", "store i32 g0, 1\nr7 = spawn f1()\njoin r7"),
        function(1, "t", "r0 = load g0\nstore i32 g1, r0"),
    ));
    check_finals(&program, "a", ["1"; 3]);
}

#[test]
fn mixed_sizes() {
    // A byte of the own buffered int is forwarded; an int over a buffered byte waits for it.
    let program = threads(
        "x a b",
        &["store i32 g0, 0x10203\nr9 = load g0+1\nr0 = extend.u i8 r9\nstore i32 g1, r0\n\
           store i8 g0+3, 1\nr1 = load g0\nstore i32 g2, r1"],
    );
    check_finals(&program, "a b", ["2 16843267"; 3]);
    // Own stores that share a byte keep their order under PSO; others may pass one another.
    let program = threads(
        "x y a b",
        &[
            "store i32 g0, 0x0101\nstore i8 g0+1, 2\nstore i32 g1, 1",
            "r0 = load g1\nr1 = load g0\nstore i32 g2, r0\nstore i32 g3, r1",
        ],
    );
    let strong = "0 0, 0 257, 0 513, 1 513";
    check_finals(&program, "a b", [strong, strong, "0 0, 0 257, 0 513, 1 0, 1 257, 1 513"]);
}

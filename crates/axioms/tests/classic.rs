//! The classic shapes as C programs: what each model says of them, and why.

mod support;

use support::{threads, verdict};

const MODELS: [&str; 6] = ["sc", "tso", "pso", "armv8", "riscv", "rc11"];

/// The models under which the assertion can fail; it holds under the others, and that is proved.
#[track_caller]
fn fails(globals: &str, bodies: &[&str], wanted: &str, models: &[&str]) {
    let program = threads(globals, bodies, wanted);
    for model in MODELS {
        let expected = if models.contains(&model) { "unsafe: assertion failed" } else { "safe" };
        assert_eq!(verdict(model, &program), expected, "under {model}:\n{program}");
    }
}

#[test]
fn message_passing() {
    let globals = "var x, y; int r0, r1;";
    let seen = "!(r0 == 1 && r1 == 0)";
    let relaxed = "r0 = ld(y, relaxed); r1 = ld(x, relaxed);";
    // Two stores may pass each other under PSO, two loads as well under the others.
    let weak = ["pso", "armv8", "riscv", "rc11"];
    fails(globals, &["st(x, 1, relaxed); st(y, 1, relaxed);", relaxed], seen, &weak);
    let release = "st(x, 1, relaxed); st(y, 1, release);";
    fails(globals, &[release, "r0 = ld(y, acquire); r1 = ld(x, relaxed);"], seen, &[]);
    // The loads are in order where there is no buffer for loads.
    fails(globals, &[release, relaxed], seen, &["armv8", "riscv", "rc11"]);
    let fenced = "st(x, 1, relaxed); fence(release); st(y, 1, relaxed);";
    fails(globals, &[fenced, "r0 = ld(y, relaxed); fence(acquire); r1 = ld(x, relaxed);"], seen, &[]);
    // The other sides alone are not enough.
    fails(
        globals,
        &["st(x, 1, relaxed); st(y, 1, relaxed);", "r0 = ld(y, acquire); r1 = ld(x, relaxed);"],
        seen,
        &weak,
    );
}

#[test]
fn dependencies_order_on_processors_only() {
    let globals = "var x[2], y; int r0, r1;";
    let (release, seen) = ("st(x[0], 1, relaxed); st(y, 1, release);", "!(r0 == 1 && r1 == 0)");
    // An address dependency orders two loads on processors; C11 has none.
    fails(globals, &[release, "r0 = ld(y, relaxed); r1 = ld(x[r0 & 0], relaxed);"], seen, &["rc11"]);
    // A branch does not: the load behind it may be done before.
    let branch = "r1 = 1; r0 = ld(y, relaxed); if (r0) r1 = ld(x[0], relaxed);";
    fails(globals, &[release, branch], seen, &["armv8", "riscv", "rc11"]);
    // A dependency through memory that only the thread has, and through a function.
    let private = "int own[2]; own[0] = ld(y, relaxed); own[1] = own[0] & 0; r0 = own[0]; r1 = ld(x[own[1]], relaxed);";
    fails(globals, &[release, private], seen, &["rc11"]);
}

#[test]
fn store_buffering() {
    let (globals, seen) = ("var x, y; int r0, r1;", "!(r0 == 0 && r1 == 0)");
    let both = |store: &str, load: &str| {
        [("x", "y", "r0"), ("y", "x", "r1")]
            .map(|(mine, other, reg)| format!("{}; {reg} = {};", store.replace('#', mine), load.replace('#', other)))
    };
    let check = |store: &str, load: &str, models: &[&str]| {
        let [first, second] = both(store, load);
        fails(globals, &[&first, &second], seen, models);
    };
    let all = ["tso", "pso", "armv8", "riscv", "rc11"];
    check("st(#, 1, relaxed)", "ld(#, relaxed)", &all);
    // Release and acquire do not order a store before a load.
    check("st(#, 1, release)", "ld(#, acquire)", &all);
    check("st(#, 1, seq_cst)", "ld(#, seq_cst)", &[]);
    check("st(#, 1, relaxed); fence(seq_cst)", "ld(#, relaxed)", &[]);
    check("st(#, 1, relaxed); fence(acq_rel)", "ld(#, relaxed)", &["tso", "pso", "riscv", "rc11"]);
    // An exchange waits for the buffer on x86, and is a barrier on processors if it acquires and releases. In C11 it is none.
    check("swap(#, 1, acq_rel)", "ld(#, relaxed)", &["rc11"]);
    check("swap(#, 1, relaxed)", "ld(#, relaxed)", &["armv8", "riscv", "rc11"]);
}

#[test]
fn load_buffering() {
    let (globals, seen) = ("var x, y; int r0, r1;", "!(r0 == 1 && r1 == 1)");
    let relaxed = "r0 = ld(x, relaxed); st(y, 1, relaxed);";
    // Only processors let a store pass an earlier load. RC11 forbids all of these, so that it has no values out of thin air.
    fails(globals, &[relaxed, "r1 = ld(y, relaxed); st(x, 1, relaxed);"], seen, &["armv8", "riscv"]);
    let data = "r1 = ld(y, relaxed); st(x, (r1 & 0) + 1, relaxed);";
    fails(globals, &[relaxed, data], seen, &["armv8", "riscv"]);
    // Dependencies on both sides forbid it, whether they are of the value, of control or of an address.
    fails(globals, &["r0 = ld(x, relaxed); st(y, (r0 & 0) + 1, relaxed);", data], seen, &[]);
    let branch = "r1 = ld(y, relaxed); if (r1) st(x, 1, relaxed); else st(x, 1, relaxed);";
    fails(globals, &["r0 = ld(x, relaxed); st(y, (r0 & 0) + 1, relaxed);", branch], seen, &[]);
    // The value comes out of thin air.
    fails(
        globals,
        &["r0 = ld(x, relaxed); st(y, r0, relaxed);", "r1 = ld(y, relaxed); st(x, r1, relaxed);"],
        seen,
        &[],
    );
}

#[test]
fn independent_reads_of_independent_writes() {
    let (globals, seen) = ("var x, y; int r0, r1, r2, r3;", "!(r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0)");
    let bodies = |store: &str, load: &str| {
        [
            format!("st(x, 1, {store});"),
            format!("st(y, 1, {store});"),
            format!("r0 = ld(x, {load}); r1 = ld(y, {load});"),
            format!("r2 = ld(y, {load}); r3 = ld(x, {load});"),
        ]
    };
    let check = |store: &str, load: &str, models: &[&str]| {
        let bodies = bodies(store, load);
        fails(globals, &bodies.each_ref().map(String::as_str), seen, models);
    };
    check("relaxed", "relaxed", &["armv8", "riscv", "rc11"]);
    // A write reaches all other threads at once on these processors, so loads in order are enough. C11 promises less.
    check("release", "acquire", &["rc11"]);
    check("seq_cst", "seq_cst", &[]);
}

#[test]
fn writes_to_two_places() {
    let globals = "var x, y;";
    let seen = "!(x == 1 && y == 1)";
    let both = |order: &str| {
        [format!("st(x, 1, relaxed); st(y, 2, {order});"), format!("st(y, 1, relaxed); st(x, 2, {order});")]
    };
    let check = |order: &str, models: &[&str]| {
        let [first, second] = both(order);
        fails(globals, &[&first, &second], seen, models);
    };
    check("relaxed", &["pso", "armv8", "riscv", "rc11"]);
    // Release orders stores on machines. C11 gives it a meaning only together with a read.
    check("release", &["rc11"]);
}

#[test]
fn one_place_is_coherent() {
    let writer = "st(x, 1, relaxed); st(x, 2, relaxed);";
    fails("var x; int r0, r1;", &[writer, "r0 = ld(x, relaxed); r1 = ld(x, relaxed);"], "r0 <= r1", &[]);
    fails("var x;", &["add(x, 1, relaxed);", "add(x, 1, relaxed);", "add(x, 1, relaxed);"], "x == 3", &[]);
    fails("var x;", &["st(x, ld(x, relaxed) + 1, relaxed);", "add(x, 1, relaxed);"], "x == 2", &MODELS);
}

#[test]
fn plain_accesses_race_in_c11() {
    let racy = threads("int x; int r0;", &["x = 1;", "r0 = x;"], "r0 <= 1");
    for model in MODELS {
        let expected = if model == "rc11" { "unsafe: data race" } else { "safe" };
        assert_eq!(verdict(model, &racy), expected, "under {model}");
    }
    // A flag without order does not help, and one with order does.
    let flag = |store: &str, load: &str| {
        let reader = format!("if (ld(f, {load})) r0 = x;");
        threads("int x; var f; int r0;", &[&format!("x = 1; st(f, 1, {store});"), &reader], "r0 <= 1")
    };
    assert_eq!(verdict("rc11", &flag("relaxed", "relaxed")), "unsafe: data race");
    assert_eq!(verdict("rc11", &flag("release", "relaxed")), "unsafe: data race");
    assert_eq!(verdict("rc11", &flag("release", "acquire")), "safe");
}

#[test]
fn threads_and_locks_order() {
    let locked = "pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);";
    fails("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int c;", &[locked, locked], "c == 2", &[]);
    let tried = "if (pthread_mutex_trylock(&m) == 0) { c++; n[0]++; pthread_mutex_unlock(&m); }";
    fails("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int c, n[1];", &[tried, locked], "c == n[0] + 1", &[]);
    // Without a lock an update is lost; in C11 that is a race besides.
    let lost = threads("int c;", &["c++;", "c++;"], "c == 2");
    for model in MODELS {
        let expected = if model == "rc11" { "unsafe: data race" } else { "unsafe: assertion failed" };
        assert_eq!(verdict(model, &lost), expected, "under {model}");
    }
    // What a lock does not cover stays open: store buffering beside two locks.
    let aside = |mine: &str, other: &str, reg: &str| {
        format!(
            "st({mine}, 1, relaxed); pthread_mutex_lock(&{mine}m); pthread_mutex_unlock(&{mine}m); {reg} = ld({other}, relaxed);"
        )
    };
    let globals =
        "pthread_mutex_t xm = PTHREAD_MUTEX_INITIALIZER, ym = PTHREAD_MUTEX_INITIALIZER; var x, y; int r0, r1;";
    let bodies = [aside("x", "y", "r0"), aside("y", "x", "r1")];
    fails(globals, &bodies.each_ref().map(String::as_str), "!(r0 == 0 && r1 == 0)", &["armv8", "riscv", "rc11"]);
}

//! Locks and their kin that people write by hand: right as they are, and wrong with one order taken away.
//!
//! Each protects a plain counter (or data that belong together). A lock is right if it excludes, and if what one thread has
//! done under it is seen by the next: the store that gives it up releases, the read that takes it acquires. Without one
//! of the two, processors may let an access of the critical section out of it, so that an update is lost; C11 has a race.

mod support;

use support::{threads, verdict};

/// Whether a program is right under some models.
#[track_caller]
fn is_right(program: &str, models: &[&str]) {
    for model in models {
        assert_eq!(verdict(model, program), "safe", "under {model}:\n{program}");
    }
}

/// Wrong on both processors, and in C11 by a race or by the assertion.
#[track_caller]
fn is_wrong(program: &str) {
    for model in ["armv8", "riscv", "rc11"] {
        let found = verdict(model, program);
        assert!(found.starts_with("unsafe"), "{found} under {model}:\n{program}");
    }
}

const WEAK: [&str; 3] = ["armv8", "riscv", "rc11"];

/// A lock with the orders of its parts, for two threads that count.
#[track_caller]
fn excludes(globals: &str, lock: &str, unlock: &str, orders: (&str, &str)) {
    let program = |take: &str, give: &str| {
        let body = format!("{} c++; {}", lock.replace("TAKE", take), unlock.replace("GIVE", give));
        let bodies: Vec<String> = (0..2).map(|me| body.replace("ME", &me.to_string())).collect();
        threads(&format!("int c; {globals}"), &[&bodies[0], &bodies[1]], "c == 2")
    };
    let (take, give) = orders;
    is_right(&program(take, give), &WEAK);
    is_wrong(&program("relaxed", give));
    is_wrong(&program(take, "relaxed"));
}

#[test]
fn ticket_lock() {
    let lock = "int t = add(next, 1, relaxed); while (ld(serving, TAKE) != t) ;";
    excludes("var next, serving;", lock, "st(serving, t + 1, GIVE);", ("acquire", "release"));
}

#[test]
fn compare_and_swap_lock() {
    let lock = "int e = 0; while (!atomic_compare_exchange_strong_explicit(&l, &e, 1, memory_order_TAKE, \
                memory_order_relaxed)) e = 0;";
    excludes("var l;", lock, "st(l, 0, GIVE);", ("acquire", "release"));
}

#[test]
fn exchange_lock() {
    excludes("var l;", "while (swap(l, 1, TAKE)) ;", "st(l, 0, GIVE);", ("acquire", "release"));
    let spins = "while (swap(l, 1, TAKE)) while (ld(l, relaxed)) ;";
    excludes("var l;", spins, "st(l, 0, GIVE);", ("acquire", "release"));
    let flag = "while (atomic_flag_test_and_set_explicit(&l, memory_order_TAKE)) ;";
    let clear = "atomic_flag_clear_explicit(&l, memory_order_GIVE);";
    excludes("atomic_flag l = ATOMIC_FLAG_INIT;", flag, clear, ("acquire", "release"));
    // Three threads, and a lock that is made before they are.
    let body = "while (swap(l, 1, acquire)) ; c++; st(l, 0, release);";
    is_right(&threads("int c; var l;", &[body; 3], "c == 3"), &WEAK);
}

#[test]
fn test_and_test_and_set_lock() {
    let lock = "for (;;) { while (ld(l, relaxed)) ; int e = 0; if (atomic_compare_exchange_strong_explicit(&l, &e, 1, \
                memory_order_TAKE, memory_order_relaxed)) break; }";
    excludes("var l;", lock, "st(l, 0, GIVE);", ("acquire", "release"));
}

#[test]
fn queue_lock_of_craig_landin_and_hagersten() {
    let globals = "struct node { var locked; } nodes[3]; _Atomic(struct node *) tail = &nodes[2];";
    let lock = "struct node *own = &nodes[ME]; st(own->locked, 1, relaxed); \
                struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel); \
                while (ld(before->locked, TAKE)) ;";
    excludes(globals, lock, "st(own->locked, 0, GIVE);", ("acquire", "release"));
}

#[test]
fn queue_lock_of_mellor_crummey_and_scott() {
    let globals = "struct node { _Atomic(struct node *) next; var locked; } nodes[2]; _Atomic(struct node *) tail;";
    let lock = "struct node *own = &nodes[ME]; st(own->locked, 1, relaxed); \
                struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel); \
                if (before) { st(before->next, own, release); while (ld(own->locked, TAKE)) ; }";
    let unlock = "struct node *after = ld(own->next, acquire); \
                  if (!after) { struct node *e = own; if (atomic_compare_exchange_strong_explicit(&tail, &e, 0, \
                  memory_order_release, memory_order_relaxed)) return 0; while (!(after = ld(own->next, acquire))) ; } \
                  st(after->locked, 0, GIVE);";
    excludes(globals, lock, unlock, ("acquire", "release"));
}

/// A lock that gives up: the state is that of a mutex on futexes, without those who wait.
#[test]
fn lock_that_gives_up() {
    let program = |take: &str, give: &str| {
        let body = format!(
            "int e = 0; if (atomic_compare_exchange_strong_explicit(&l, &e, 1, memory_order_{take}, memory_order_relaxed)) \
             {{ c++; add(n, 1, relaxed); swap(l, 0, {give}); }}"
        );
        threads("int c; var l, n;", &[&body, &body], "c == n")
    };
    is_right(&program("acquire", "release"), &WEAK);
    is_wrong(&program("relaxed", "release"));
    is_wrong(&program("acquire", "relaxed"));
}

/// Two flags and a turn. What counts is the order of a store before a load of another place, which only sequential
/// consistency gives; so the buffer of x86 breaks it, too.
#[test]
fn petersons_lock() {
    let program = |order: &str, load: &str| {
        let body = |me: usize| {
            let other = 1 - me;
            format!(
                "st(flag[{me}], 1, {order}); st(turn, {other}, {order}); \
                 while (ld(flag[{other}], {load}) && ld(turn, {load}) == {other}) ; c++; st(flag[{me}], 0, release);"
            )
        };
        threads("int c; var flag[2], turn;", &[&body(0), &body(1)], "c == 2")
    };
    is_right(&program("seq_cst", "seq_cst"), &["sc", "tso", "armv8", "riscv", "rc11"]);
    is_right(&program("release", "acquire"), &["sc"]);
    is_wrong(&program("release", "acquire"));
    assert_eq!(verdict("tso", &program("release", "acquire")), "unsafe: assertion failed");
}

/// A reader takes what it has read only if no writer was there meanwhile.
#[test]
fn sequence_lock() {
    let program = |before: &str, after: &str, take: &str, give: &str| {
        let writer = format!("st(s, 1, relaxed); {before} st(a, 1, relaxed); st(b, 1, relaxed); st(s, 2, {give});");
        let reader = format!(
            "int first = ld(s, {take}); int x = ld(a, relaxed), y = ld(b, relaxed); {after} int last = ld(s, relaxed); \
             if (first == last && first % 2 == 0) assert(x == y);"
        );
        threads("var s, a, b;", &[&writer, &reader], "1")
    };
    let (before, after) = ("fence(release);", "fence(acquire);");
    is_right(&program(before, after, "acquire", "release"), &WEAK);
    is_wrong(&program("", after, "acquire", "release"));
    is_wrong(&program(before, "", "acquire", "release"));
    is_wrong(&program(before, after, "relaxed", "release"));
    is_wrong(&program(before, after, "acquire", "relaxed"));
}

/// What is made once is seen whole by whoever sees that it is there.
#[test]
fn double_checked_locking() {
    let program = |take: &str, give: &str| {
        let body = format!(
            "if (!ld(there, {take})) {{ pthread_mutex_lock(&m); if (!ld(there, relaxed)) {{ made = 7; st(there, 1, {give}); }} \
             pthread_mutex_unlock(&m); }} assert(made == 7);"
        );
        threads("int made; var there; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", &[&body, &body], "1")
    };
    is_right(&program("acquire", "release"), &WEAK);
    is_wrong(&program("relaxed", "release"));
    is_wrong(&program("acquire", "relaxed"));
}

/// One producer, one consumer, one slot: the slot is not written again before it was read.
#[test]
fn slot_that_is_handed_over() {
    let program = |put: &str, seen: &str, took: &str| {
        let producer = format!("slot = 1; st(full, 1, {put}); while (ld(full, acquire)) ; slot = 2;");
        let consumer = format!("while (!ld(full, {seen})) ; int v = slot; st(full, 0, {took}); assert(v == 1);");
        threads("int slot; var full;", &[&producer, &consumer], "slot == 2")
    };
    is_right(&program("release", "acquire", "release"), &WEAK);
    is_wrong(&program("relaxed", "acquire", "release"));
    is_wrong(&program("release", "relaxed", "release"));
    // The load of the slot is done before the store: no processor lets a store pass what it depends on for control, but this
    // one depends on nothing.
    is_wrong(&program("release", "acquire", "relaxed"));
}

/// The last who lets go of an object sees what all others did with it.
#[test]
fn counted_references() {
    let program = |order: &str| {
        let body = |place: &str| format!("{place} = 1; if (add(count, -1, {order}) == 1) assert(a == 1 && b == 1);");
        threads("int a, b; var count = 2;", &[&body("a"), &body("b")], "1")
    };
    is_right(&program("acq_rel"), &WEAK);
    is_wrong(&program("relaxed"));
    is_wrong(&program("release"));
    is_wrong(&program("acquire"));
}

//! Sections, blocking, stopping, lives of objects, silent loops and data races.

use crate::testing::{
    DEADLOCK, MEMORY, RACE, REGISTERS, check_finals, explore, function, kind, text, threads, threads_and, violation,
};
use norn_ir::program::Program;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, ViolationKind};

const NONE: Checks = Checks::DEFAULT;

/// The kind of violation under every model.
fn check(program: &Program, checks: Checks, expected: Option<ViolationKind>) {
    for model in Model::ALL {
        assert_eq!(kind(program, model, checks), expected, "{model}");
    }
}

fn check_kinds(program: &Program, checks: Checks, expected: [Option<ViolationKind>; 3]) {
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        assert_eq!(kind(program, model, checks), expected, "{model}");
    }
}

// Sections and waiting.

const LOCK: &str = "begin atomic\nr0 = load g0\nr4 = eq i32 r0, 0\nawait r4\nstore i32 g0, 1\nend";
const UNLOCK: &str = "begin atomic\nstore i32 g0, 0\nend";

#[test]
fn a_lock_made_of_sections_excludes() {
    let body = format!("{LOCK}\nr1 = load g1\nr1 = add r1, 1\nstore i32 g1, r1\n{UNLOCK}");
    check_finals(&threads("lock x", &[&body, &body]), "x lock", ["2 0"; 3]);
}

#[test]
fn locks_taken_in_different_order_deadlock() {
    let take = |a: u32, b: u32| {
        [a, b].map(|g| LOCK.replace("g0", &format!("g{g}"))).join("\n")
            + "\n"
            + &[a, b].map(|g| UNLOCK.replace("g0", &format!("g{g}"))).join("\n")
    };
    let program = threads("a b", &[&take(0, 1), &take(1, 0)]);
    check(&program, DEADLOCK, Some(ViolationKind::Deadlock));
    check(&program, NONE, None);
    let message = violation(&program, Model::Sc, DEADLOCK).expect("a deadlock").violation.message;
    assert!(message.contains("main.1 waits at test.c:") && message.contains("main.2 waits"), "{message}");
    check(&threads("a b", &[&take(0, 1), &take(0, 1)]), DEADLOCK, None);
}

#[test]
fn a_lost_wake_up_is_a_deadlock_even_if_wake_ups_can_be_spurious() {
    // The waiter looks at the flag, and only then announces that it waits.
    let waiter = |spurious: &str| {
        format!(
            "b0:\nr0 = load g0\nr4 = eq i32 r0, 0\nbranch r4, b1, b2\n\
             b1:\nbegin atomic\nr1 = load g1\nr5 = ne i32 r1, 0\nawait r5 {spurious}\nend\ngoto b2\nb2:\nreturn"
        )
    };
    let signaller = "begin atomic\nstore i32 g1, 0\nend\nstore i32 g0, 1";
    for spurious in ["", "spurious"] {
        check(&threads("flag signal", &[&waiter(spurious), signaller]), DEADLOCK, Some(ViolationKind::Deadlock));
    }
    let remembered = "begin atomic\nstore i32 g1, 1\nend\nstore i32 g0, 1";
    check(&threads("flag signal", &[&waiter(""), remembered]), DEADLOCK, None);
}

#[test]
fn a_spurious_wake_up_is_a_possible_step() {
    let body = "begin atomic\nawait false spurious\nend\nstore i32 g0, 1";
    check_finals(&threads("x", &[body]), "x", ["1"; 3]);
    check_finals(&threads("x", &["begin atomic\nr4 = copy false\nawait true\nend\nstore i32 g0, 1"]), "x", ["1"; 3]);
}

#[test]
fn no_deadlock_once_main_has_returned() {
    let waits = "begin atomic\nawait false\nend";
    let joined = threads("x", &[waits]);
    check(&joined, DEADLOCK, Some(ViolationKind::Deadlock));
    let main = function(0, "main", "r7 = spawn f1()");
    check(&text(&format!("{main}{}", function(1, "t", waits))), DEADLOCK, None);
    let main = function(0, "main", "b0:\nr7 = spawn f1()\nthread_exit null");
    check(&text(&format!("{main}{}", function(1, "t", waits))), DEADLOCK, Some(ViolationKind::Deadlock));
    check(&text(&format!("{main}{}", function(1, "t", ""))), DEADLOCK, None);
    // Nor while a thread was stopped: its step might have been the one that is waited for.
    check(&threads("x", &[waits, "assume false"]), DEADLOCK, None);
}

#[test]
fn a_section_is_one_step() {
    let twice = "begin atomic\nstore i32 g0, 1\nstore i32 g0, 2\nend";
    let read = "r0 = load g0\nstore i32 g1, r0";
    check_finals(&threads("x a", &[twice, read]), "a", ["0, 2"; 3]);
    let both = "begin read\nr0 = load g0\nr1 = load g1\nend\nstore i32 g2, r0\nstore i32 g3, r1";
    let writes = "store i32 g0, 1\nstore i32 g1, 1";
    let sc = "0 0, 1 0, 1 1";
    check_finals(&threads("x y a b", &[writes, both]), "a b", [sc, sc, "0 0, 0 1, 1 0, 1 1"]);
    // A read section looks through its own buffer.
    let own = "store i32 g0, 1\nbegin read\nr0 = load g0\nend\nstore i32 g1, r0";
    check_finals(&threads("x a", &[own]), "a", ["1"; 3]);
}

#[test]
fn a_section_whose_assumption_fails_is_not_enabled() {
    let body = "begin atomic\nr0 = load g0\nr4 = eq i32 r0, 1\nassume r4\nstore i32 g0, 2\nend";
    check_finals(&threads("x", &[body, "store i32 g0, 1"]), "x", ["2"; 3]);
}

// Stopping.

#[test]
fn a_failed_assumption_stops_its_own_thread_only() {
    // Ending the execution at the assumption would hide the assertion in those where it is reached first.
    let waits = "r0 = load g0\nr4 = eq i32 r0, 1\nassume r4";
    let fails = "store i32 g0, 1\nassert false assertion \"never\"";
    check(&threads("f", &[waits, fails]), NONE, Some(ViolationKind::Assertion));
    let stops = "assume false\nassert false assertion \"never\"";
    check(&threads("f", &[stops]), NONE, None);
}

#[test]
fn exit_ends_everything_and_is_a_step() {
    let late = "r0 = load g0\nr4 = eq i32 r0, 0\nassert r4 assertion \"x is 0\"";
    let exits = "b0:\nexit 3";
    let program = text(&format!(
        "global g0 \"x\": t0\n{}{}{}",
        function(0, "main", "r7 = spawn f1()\nr8 = spawn f2()"),
        function(1, "reader", late),
        function(2, "leaver", exits)
    ));
    check(&program, NONE, None);
    let found = explore(&program, Model::Sc, NONE, &[]);
    // Reading comes before leaving, or not at all; before and after the reader was created, and the leaver.
    assert_eq!(found.states, 7);
}

#[test]
fn threads_that_are_created_for_ever_get_their_turns() {
    let creates = "b0:\ngoto b1\nb1:\nr7 = spawn f1()\ngoto b1";
    let raises = "b0:\nr0 = load g0\nr1 = add r0, 1\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\n\
                  b1:\nassert false assertion \"\"\nreturn\nb2:\nstore i32 g0, r1\nreturn";
    let program = text(&format!("global g0 \"x\": t0\n{}{}", function(0, "main", creates), function(1, "t", raises)));
    check(&program, NONE, Some(ViolationKind::Assertion));
    // Without a bug the search would go on to the last thread that there can be.
    let quiet = text(&format!("{}{}", function(0, "main", creates), function(1, "t", "")));
    let found = explore(&quiet, Model::Sc, NONE, &[]);
    let reason = found.incomplete.expect("there is a limit").to_string();
    assert!(reason.starts_with("there are more than"), "{reason}");
}

#[test]
fn silent_loops_stop_or_end() {
    let forever = "b0:\nr0 = copy 0\ngoto b1\nb1:\nr0 = add r0, 0\ngoto b1";
    check(&threads("x", &[forever, "store i32 g0, 1"]), DEADLOCK, None);
    let long = "b0:\nr0 = copy 0\ngoto b1\nb1:\nr0 = add r0, 1\nr4 = lt.s i32 r0, 1000\nbranch r4, b1, b2\n\
                b2:\nassert false assertion \"after\"\nreturn";
    check(&threads("x", &[long]), NONE, Some(ViolationKind::Assertion));
    let endless = "b0:\nr7 = copy 0\ngoto b1\nb1:\nr7 = add r7, 1\ngoto b1";
    let found = explore(&threads("x", &[endless]), Model::Sc, NONE, &[]);
    let reason = found.incomplete.expect("it should not be decided").to_string();
    assert!(reason.contains("instructions without a visible step"), "{reason}");
    let in_section = "b0:\nbegin atomic\nr0 = copy 0\ngoto b1\nb1:\nr0 = add r0, 0\nr4 = copy true\n\
                              branch r4, b1, b2\nb2:\nend\nreturn";
    check(&threads("x", &[in_section]), DEADLOCK, Some(ViolationKind::Deadlock));
}

#[test]
fn spinning_is_decided() {
    let spin = "b0:\ngoto b1\nb1:\nr0 = load g0\nr4 = eq i32 r0, 0\nbranch r4, b1, b2\nb2:\nr1 = load g1\nstore i32 g2, r1\nreturn";
    let program = threads("flag x a", &[spin, "store i32 g1, 1\nstore i32 g0, 1"]);
    check_finals(&program, "a", ["1", "1", "0, 1"]);
}

// Lives of objects.

fn with_heap(first: &str, second: &str) -> Program {
    let thread = |id: usize, body: &str| function(id, &format!("t{id}"), body);
    text(&format!(
        "global g0 \"p\": t1\nglobal g1 \"done\": t0\n\
         function f0 \"main\" () {{\n{REGISTERS}r10, r11: i64\nb0:\nr6 = alloc heap 4 t0\nstore i32 r6, 0\nstore ptr g0, r6\n\
         r10 = spawn f1()\nr11 = spawn f2()\njoin r10\njoin r11\nreturn\n}}\n{}{}",
        thread(1, first),
        thread(2, second)
    ))
}

#[test]
fn use_after_free() {
    let program = with_heap("r6 = load g0\nr0 = load r6", "r6 = load g0\nfree heap r6");
    check(&program, MEMORY, Some(ViolationKind::UseAfterFree));
    let found = explore(&program, Model::Sc, NONE, &[]);
    assert_eq!(found.violation, None);
    let assumed: Vec<_> = found.noted.assumptions.iter().map(|assumption| assumption.kind).collect();
    assert_eq!((found.incomplete, assumed), (None, vec![ViolationKind::UseAfterFree]));
    check(
        &with_heap("r6 = load g0\nfree heap r6", "r6 = load g0\nfree heap r6"),
        MEMORY,
        Some(ViolationKind::DoubleFree),
    );
    check(&with_heap("r6 = load g0\nr6 = ptr_add r6, 1 * 2\nfree heap r6", ""), MEMORY, Some(ViolationKind::BadFree));
    check(&with_heap("free heap g1", ""), MEMORY, Some(ViolationKind::BadFree));
    check(&with_heap("free heap null", ""), MEMORY, None);
}

#[test]
fn a_store_that_commits_into_freed_memory_is_a_use_after_free() {
    // The handshake orders the store before the free, but under PSO not its commit.
    let writes = "r6 = load g0\nstore i32 r6, 7\nstore i32 g1, 1";
    let frees = "r6 = load g0\nr0 = load g1\nr4 = eq i32 r0, 1\nassume r4\nfree heap r6";
    let use_after_free = Some(ViolationKind::UseAfterFree);
    check_kinds(&with_heap(writes, frees), MEMORY, [None, None, use_after_free]);
    // An own pending store is waited for.
    check(&with_heap("r6 = load g0\nstore i32 r6, 7\nfree heap r6", ""), MEMORY, None);
}

#[test]
fn invalid_accesses() {
    let one = |body: &str| threads("x y", &[body]);
    check(&one("r0 = load null"), MEMORY, Some(ViolationKind::NullPointer));
    check(&one("r0 = load g0+4"), MEMORY, Some(ViolationKind::OutOfBounds));
    check(&one("r0 = load g0-1"), MEMORY, Some(ViolationKind::OutOfBounds));
    check(&one("r6 = int_to_ptr i64 123456789\nr0 = load r6"), MEMORY, Some(ViolationKind::InvalidPointer));
    check(&one("r7 = ptr_to_int ptr g1\nr6 = int_to_ptr i64 r7\nstore i32 r6, 1"), MEMORY, None);
    check(&one("r0 = load f0"), MEMORY, Some(ViolationKind::InvalidPointer));
    check(&one("call *null()"), MEMORY, Some(ViolationKind::NullPointer));
    let constant = text(&format!(
        "global g0 \"c\": t0 constant {{\n0: i32 5\n}}\nglobal g1 \"p\": t1 {{\n0: g0\n}}\n{}",
        function(0, "main", "r6 = load g1\nr0 = load r6\nr4 = eq i32 r0, 5\nassert r4 assertion \"\"\nstore i32 r6, 1")
    ));
    check(&constant, MEMORY, Some(ViolationKind::WriteToConstant));
}

#[test]
fn locals_end_with_their_scopes() {
    let publish = |after: &str| {
        text(&format!(
            "global g0 \"p\": t1\nfunction f0 \"main\" () {{\n{REGISTERS}b0:\ncall f1()\n{after}\nreturn\n}}\n\
             function f1 \"f\" () {{\n{REGISTERS}l0: t0 \"x\"\nb0:\nenter l0\nstore i32 l0, 1\nstore ptr g0, l0\nreturn\n}}\n"
        ))
    };
    check(&publish("r6 = load g0\nr0 = load r6"), MEMORY, Some(ViolationKind::UseAfterFree));
    check(&publish(""), MEMORY, None);
    // The frame of main stays alive when main returns.
    let main_local = text(&format!(
        "global g0 \"a\": t0\nfunction f0 \"main\" () {{\n{REGISTERS}l0: t0 \"x\"\nb0:\nenter l0\nstore i32 l0, 5\n\
         r7 = spawn f1(l0)\nreturn\n}}\nfunction f1 \"t\" (r6) {{\n{REGISTERS}b0:\nr0 = load r6\nstore i32 g0, r0\nreturn\n}}\n"
    ));
    check(&main_local, MEMORY, None);
    check_finals(&main_local, "a", ["5"; 3]);
}

#[test]
fn memory_that_is_not_initialised_is_an_input() {
    let program = text(&format!(
        "global g0 \"a\": t0\nfunction f0 \"main\" () {{\n{REGISTERS}l0: t0 \"x\" private\nb0:\nenter l0\nr0 = load l0\n\
         r1 = load l0\nr2 = sub r0, r1\nstore i32 g0, r2\nreturn\n}}\n"
    ));
    // Two reads need not agree.
    check_finals(&program, "a", ["-2, -1, 0, 1, 2"; 3]);
}

#[test]
fn memory_may_stay_allocated() {
    check(&with_heap("", ""), MEMORY, None);
}

#[test]
fn arithmetic_is_checked() {
    check(&threads("x", &["r0 = load g0\nr1 = div.s 1, r0"]), NONE, Some(ViolationKind::DivisionByZero));
    let overflow = Checks { overflow: true, ..NONE };
    let adds = threads("x", &["r0 = load g0\nr1 = add.s 0x7fffffff, 1"]);
    check(&adds, overflow, Some(ViolationKind::Overflow));
    check(&adds, NONE, None);
    for op in ["div.s", "rem.s"] {
        let divides =
            |dividend: &str| threads("x", &[&format!("r0 = load g0\nr1 = sub r0, 1\nr2 = {op} {dividend}, r1")]);
        check(&divides("0x80000000"), NONE, Some(ViolationKind::DivisionOverflow));
        check(&divides("0x80000000"), overflow, Some(ViolationKind::Overflow));
        check(&divides("0x80000001"), overflow, None);
    }
}

#[test]
fn private_objects_are_private() {
    let program = text(&format!(
        "global g0 \"x\": t0 private\n{}{}",
        function(0, "main", "r7 = spawn f1()\nstore i32 g0, 1"),
        function(1, "t", "store i32 g0, 2")
    ));
    let caught = std::panic::catch_unwind(|| explore(&program, Model::Sc, NONE, &[]));
    let panic = caught.expect_err("an object that two threads touch should not pass for a private one");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("'x' should be touched by one thread only"), "{message}");
}

#[test]
fn violations_in_the_library_are_shown_where_it_was_called() {
    let program = text(
        "function f0 \"main\" () {\nb0:\ncall f1() !0:7:3\nreturn\n}\n\
         function f1 \"pthread_mutex_unlock\" () library {\nb0:\ncall f2() !0:100:1\nreturn\n}\n\
         function f2 \"helper\" () library {\nb0:\nassert false misuse \"the mutex is not locked\" !0:200:1\nreturn\n}\n",
    );
    let violation = violation(&program, Model::Sc, NONE).expect("a misuse").violation;
    assert_eq!((violation.kind, violation.span.line), (ViolationKind::Misuse, 7));
    assert_eq!(violation.message, "the mutex is not locked (in 'pthread_mutex_unlock')");
}

// Data races.

fn races(first: &str, second: &str) -> Option<ViolationKind> {
    // Under SC, where nothing is hidden by the buffers.
    kind(&threads("x y z", &[first, second]), Model::Sc, RACE)
}

const RACES: Option<ViolationKind> = Some(ViolationKind::DataRace);

#[test]
fn conflicting_plain_accesses_race() {
    assert_eq!(races("store i32 g0, 1", "store i32 g0, 2"), RACES);
    assert_eq!(races("store i32 g0, 1", "r0 = load g0"), RACES);
    assert_eq!(races("r0 = load g0", "r0 = load g0"), None);
    assert_eq!(races("store i32 g0, 1", "store i32 g1, 1"), None);
    assert_eq!(races("store i32 g0, 1", "r9 = load g0+3"), RACES);
    assert_eq!(races("store i8 g0, 1", "r9 = load g0+1"), None);
    assert_eq!(races("store i32 g0, 1 relaxed", "r0 = load g0 relaxed"), None);
    assert_eq!(races("store i32 g0, 1 relaxed", "r0 = load g0"), RACES);
    assert_eq!(races("store i32 g0, 1 volatile", "r0 = load g0 volatile"), RACES);
    let program = threads("x", &["store i32 g0, 1", "r0 = load g0"]);
    for model in Model::ALL {
        let message = violation(&program, model, RACE).expect("a race").violation.message;
        assert!(message.contains("write of 'x' by main.1") && message.contains("read by main.2"), "{message}");
    }
}

#[test]
fn creation_and_join_order_accesses() {
    let program = threads_and("x", &["store i32 g0, 1"], "r0 = load g0");
    check(&program, RACE, None);
    let early = text(&format!(
        "global g0 \"x\": t0\n{}{}",
        function(0, "main", "store i32 g0, 1\nr7 = spawn f1()\nr0 = load g0\njoin r7"),
        function(1, "t", "r0 = load g0")
    ));
    check(&early, RACE, None);
    let late = text(&format!(
        "global g0 \"x\": t0\n{}{}",
        function(0, "main", "r7 = spawn f1()\nstore i32 g0, 1\njoin r7"),
        function(1, "t", "r0 = load g0")
    ));
    check(&late, RACE, RACES);
}

/// `x` is written, `y` tells; whoever is told reads `x`.
fn told(write: &str, read: &str) -> Option<ViolationKind> {
    let reader = format!("b0:\n{read}\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\nb1:\nr1 = load g0\nreturn\nb2:\nreturn");
    races(&format!("store i32 g0, 1\n{write}"), &reader)
}

#[test]
fn release_and_acquire_order_accesses() {
    assert_eq!(told("store i32 g1, 1 release", "r0 = load g1 acquire"), None);
    assert_eq!(told("store i32 g1, 1 seq_cst", "r0 = load g1 seq_cst"), None);
    assert_eq!(told("store i32 g1, 1 relaxed", "r0 = load g1 acquire"), RACES);
    assert_eq!(told("store i32 g1, 1 release", "r0 = load g1 relaxed"), RACES);
    assert_eq!(told("fence release\nstore i32 g1, 1 relaxed", "r0 = load g1 relaxed\nfence acquire"), None);
    assert_eq!(told("fence full\nstore i32 g1, 1 relaxed", "r0 = load g1 relaxed\nfence full"), None);
    assert_eq!(told("fence acquire\nstore i32 g1, 1 relaxed", "r0 = load g1 relaxed\nfence acquire"), RACES);
    assert_eq!(told("fence release\nstore i32 g1, 1 relaxed", "r0 = load g1 relaxed\nfence release"), RACES);
    assert_eq!(told("fence store_store\nstore i32 g1, 1 relaxed", "r0 = load g1 acquire"), RACES);
    // What is written after the release is not released.
    assert_eq!(told("store i32 g1, 1 release\nstore i32 g0, 2", "r0 = load g1 acquire"), RACES);
    // A read-modify-write passes the message on, a store does not.
    let write = "store i32 g1, 2 release";
    let reader =
        "b0:\nr0 = load g1 acquire\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\nb1:\nr1 = load g0\nreturn\nb2:\nreturn";
    let between = |body: &str| threads("x y", &[&format!("store i32 g0, 1\n{write}"), body, reader]);
    let passes = "r0, r4 = compare_exchange g1, 2, 1 relaxed relaxed";
    check(&between(passes), RACE, None);
    let stores = "b0:\nr0 = load g1 relaxed\nr4 = eq i32 r0, 2\nbranch r4, b1, b2\nb1:\nstore i32 g1, 1 relaxed\nreturn\nb2:\nreturn";
    check(&between(stores), RACE, RACES);
}

#[test]
fn the_releasing_thread_goes_on_with_its_sequence() {
    // A later store of the same thread, even where others have read and written in between.
    let later = "store i32 g1, 3 release\nstore i32 g1, 1 relaxed";
    assert_eq!(told(later, "r0 = load g1 acquire"), None);
    assert_eq!(told("fence release\nstore i32 g1, 3 relaxed\nstore i32 g1, 1 relaxed", "r0 = load g1 acquire"), None);
    // What the newer one of a fence and a release told counts.
    let write = "fence release\nstore i32 g0, 2\nstore i32 g1, 3 release\nstore i32 g1, 1 relaxed";
    assert_eq!(told(write, "r0 = load g1 acquire"), None);
    // Nothing is carried from another location, or to what was stored before.
    assert_eq!(told("store i32 g2, 1 release\nstore i32 g1, 1 relaxed", "r0 = load g1 acquire"), RACES);
    assert_eq!(told("store i32 g1, 1 relaxed\nstore i32 g1, 3 release", "r0 = load g1 acquire"), RACES);
    let reader =
        "b0:\nr0 = load g1 acquire\nr4 = eq i32 r0, 1\nbranch r4, b1, b2\nb1:\nr1 = load g0\nreturn\nb2:\nreturn";
    let beside = |body: &str| threads("x y", &[&format!("store i32 g0, 1\n{later}"), body, reader]);
    // A store of another thread breaks the sequence, a read-modify-write does not.
    check(&beside("store i32 g1, 4 relaxed"), RACE, RACES);
    check(&beside("r0, r4 = compare_exchange g1, 3, 5 relaxed relaxed"), RACE, None);
}

#[test]
fn locks_and_sections_order_accesses() {
    let locked = |access: &str| format!("{LOCK}\nsync acquire g0\n{access}\nsync release g0\n{UNLOCK}");
    let in_library = |access: &str| {
        // The lock's own accesses are those of the library, which synchronise through `sync` alone.
        let lock = format!("{LOCK}\nsync acquire g0");
        let unlock = format!("sync release g0\n{UNLOCK}");
        text(&format!(
            "global g0 \"lock\": t0\nglobal g1 \"x\": t0\n{}{}{}{}",
            function(0, "main", "r7 = spawn f1()\nr8 = spawn f1()"),
            function(1, "t", &format!("call f2()\n{access}\ncall f3()")),
            function(2, "lock", &lock).replace("() {", "() library {"),
            function(3, "unlock", &unlock).replace("() {", "() library {")
        ))
    };
    assert_eq!(races(&locked("store i32 g1, 1"), &locked("r1 = load g1")), None);
    check(&in_library("r0 = load g1\nstore i32 g1, 1"), RACE, None);
    let unlocked = |body: &str| {
        text(&format!(
            "global g0 \"lock\": t0\nglobal g1 \"x\": t0\n{}{}{}",
            function(0, "main", "r7 = spawn f1()\nr8 = spawn f1()"),
            function(1, "t", &format!("call f2()\n{body}")),
            function(2, "touch", "begin atomic\nr0 = load g0\nstore i32 g0, 1\nend").replace("() {", "() library {"),
        ))
    };
    check(&unlocked("store i32 g1, 1"), RACE, RACES);
    // Sections of the user are atomic among themselves, not against plain accesses.
    let section = "begin atomic\nr0 = load g0\nstore i32 g0, 1\nend";
    assert_eq!(races(section, section), None);
    assert_eq!(races(section, "store i32 g0, 2"), RACES);
    assert_eq!(told("begin atomic\nstore i32 g1, 1\nend", "begin atomic\nr0 = load g1\nend"), None);
}

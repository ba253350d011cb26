//! C litmus tests: what the functions of C11 and of the Linux kernel mean, and what variables of threads mean. The answers
//! are under SC, TSO and PSO.

mod support;

use support::Folder;

/// Runs tests, each a text and its answers such as `Forbid Allow Allow`.
fn check(folder: &str, tests: &[(String, &str)]) {
    let folder = Folder::new(folder);
    let mut expected = String::new();
    for (i, (test, answers)) in tests.iter().enumerate() {
        folder.write(&format!("t{i:02}.litmus"), test);
        let [sc, tso, pso] = answers.split(' ').collect::<Vec<_>>()[..] else { panic!("three answers: {answers}") };
        expected += &format!("t{i:02}  sc {sc}  tso {tso}  pso {pso}\n");
    }
    let run = folder.norn(&["litmus", "-m", "sc,tso,pso", "."]);
    assert_eq!(run.stderr(), "");
    let found = run.stdout();
    for (i, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "\n{}", tests[i].0);
    }
    assert_eq!(found, expected);
}

/// A test with the code of threads that share `x` and `y`.
fn test(threads: &[&str], condition: &str) -> String {
    let function = |(i, code): (usize, &&str)| format!("P{i}(int *x, int *y) {{ {code} }}\n");
    let functions: String = threads.iter().enumerate().map(function).collect();
    format!("C test\n{{ }}\n{functions}\n{condition}\n")
}

const ALL: &str = "Allow Allow Allow";
const NONE: &str = "Forbid Forbid Forbid";
const BUFFERED: &str = "Forbid Allow Allow";
const PSO: &str = "Forbid Forbid Allow";

/// Two threads write one location and read the other; both read 0.
#[test]
fn what_orders_a_store_before_a_load() {
    let both = |between: &str| {
        let left = format!("WRITE_ONCE(*x, 1); {between} int r0 = READ_ONCE(*y);");
        let right = format!("WRITE_ONCE(*y, 1); {between} int r0 = READ_ONCE(*x);");
        test(&[&left, &right], "exists (0:r0=0 /\\ 1:r0=0)")
    };
    let mut tests = Vec::new();
    for fence in [
        "smp_mb();",
        "mb();",
        "smp_mb__after_spinlock();",
        "__sync_synchronize();",
        "atomic_thread_fence(memory_order_seq_cst);",
    ] {
        tests.push((both(fence), NONE));
    }
    for other in [
        "",
        "barrier();",
        "smp_rmb();",
        "smp_wmb();",
        "smp_read_barrier_depends();",
        "atomic_thread_fence(memory_order_acq_rel);",
        "atomic_signal_fence(memory_order_seq_cst);",
    ] {
        tests.push((both(other), BUFFERED));
    }
    // A read-modify-write of another location is a full barrier; one that only reads the own store is not needed.
    for update in [
        "int z = 0; xchg(&z, 1);",
        "int z = 0; xchg_relaxed(&z, 1);",
        "int z = 0; r9 = atomic_add_return(1, &z);",
        "int z = 0; atomic_inc(&z);",
        "int z = 0; r9 = cmpxchg(&z, 0, 1);",
        "int z = 0; r9 = atomic_fetch_add(&z, 1);",
    ] {
        tests.push((both(update), NONE));
    }
    let stores = |store: &str| {
        let [left, right] = [["x", "y"], ["y", "x"]]
            .map(|[to, from]| format!("{} r0 = READ_ONCE(*{from});", store.replace("LOCATION", to)));
        test(&[&left, &right], "exists (0:r0=0 /\\ 1:r0=0)")
    };
    tests.push((stores("smp_store_mb(*LOCATION, 1);"), NONE));
    tests.push((stores("atomic_store(LOCATION, 1);"), NONE));
    tests.push((stores("atomic_store_explicit(LOCATION, 1, memory_order_seq_cst);"), NONE));
    tests.push((stores("atomic_store_explicit(LOCATION, 1, memory_order_release);"), BUFFERED));
    tests.push((stores("smp_store_release(LOCATION, 1);"), BUFFERED));
    tests.push((stores("atomic_set_release(LOCATION, 1);"), BUFFERED));
    tests.push((stores("*LOCATION = 1;"), BUFFERED));
    tests.push((stores("spin_unlock(LOCATION); WRITE_ONCE(*LOCATION, 1);"), BUFFERED));
    tests.push((stores("WRITE_ONCE(*LOCATION, 1); int r8; if (spin_trylock(&r8)) r7 = 1;"), NONE));
    check("litmus_store_load", &tests);
}

/// A thread writes data and then a flag; another sees the flag and not the data.
#[test]
fn what_orders_two_stores() {
    let reader = "int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x);";
    let writer = |code: &str| test(&[code, reader], "exists (1:r0=1 /\\ 1:r1=0)");
    check(
        "litmus_two_stores",
        &[
            (writer("WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1);"), PSO),
            (writer("*x = 1; *y = 1;"), PSO),
            (writer("atomic_set(x, 1); atomic_set(y, 1);"), PSO),
            (writer("*x = 1; smp_rmb(); *y = 1;"), PSO),
            (writer("*x = 1; barrier(); *y = 1;"), PSO),
            (writer("*x = 1; smp_wmb(); *y = 1;"), NONE),
            (writer("*x = 1; wmb(); *y = 1;"), NONE),
            (writer("*x = 1; smp_mb(); *y = 1;"), NONE),
            (writer("*x = 1; atomic_thread_fence(memory_order_release); *y = 1;"), NONE),
            (writer("*x = 1; smp_store_release(y, 1);"), NONE),
            (writer("*x = 1; rcu_assign_pointer(*y, 1);"), NONE),
            (writer("*x = 1; spin_lock(y);"), NONE),
            (writer("*x = 1; xchg_release(y, 1);"), NONE),
        ],
    );
}

/// One thread alone: the values that functions return and leave behind. `forall` is forbidden if they are always these.
#[test]
fn values() {
    let alone = |code: &str, values: &str| (test(&[code], &format!("forall ({values})")), NONE);
    check(
        "litmus_values",
        &[
            alone("int r0 = atomic_add_return(3, x); int r1 = atomic_fetch_add(3, x);", "0:r0=3 /\\ 0:r1=3 /\\ x=6"),
            alone("int r0 = atomic_fetch_add(x, 3); int r1 = atomic_sub_return(1, x);", "0:r0=0 /\\ 0:r1=2"),
            alone("int r0 = 5; r1 = atomic_fetch_sub(r0, x); r2 = atomic_fetch_sub(x, r0);", "0:r2=-5 /\\ x=-10"),
            alone("char c = 2; short s = 3; atomic_fetch_or(c, x); atomic_fetch_xor(x, s);", "x=1"),
            alone(
                "r0 = atomic_fetch_and_relaxed(6, x); atomic_or(9, x); r1 = atomic_fetch_or(4, x);",
                "0:r1=9 /\\ x=13",
            ),
            alone("atomic_inc(x); r0 = atomic_inc_return(x); r1 = atomic_fetch_inc(x);", "0:r0=2 /\\ 0:r1=2 /\\ x=3"),
            alone("atomic_dec(x); r0 = atomic_dec_return_acquire(x); atomic_xor(1, x);", "0:r0=-2 /\\ x=-1"),
            alone("*x = 2; r0 = atomic_dec_and_test(x); r1 = atomic_dec_and_test(x);", "0:r0=0 /\\ 0:r1=1 /\\ x=0"),
            alone("*x = 5; r0 = atomic_sub_and_test(5, x); r1 = atomic_inc_and_test(x);", "0:r0=1 /\\ 0:r1=0"),
            alone(
                "r0 = cmpxchg(x, 1, 2); r1 = cmpxchg(x, 0, 3); r2 = atomic_cmpxchg_acquire(x, 3, 4);",
                "0:r0=0 /\\ 0:r1=0 /\\ 0:r2=3 /\\ x=4",
            ),
            alone("r0 = xchg(x, 1); r1 = atomic_xchg_release(x, 2);", "0:r0=0 /\\ 0:r1=1 /\\ x=2"),
            alone("r0 = cmpxchg(x, xchg(x, 1), xchg(x, 2));", "0:r0=2 /\\ x=2"),
            alone(
                "r0 = atomic_add_unless(x, 5, 0); r1 = atomic_add_unless(x, 5, 1); r2 = atomic_inc_not_zero(x);",
                "0:r0=0 /\\ 0:r1=1 /\\ 0:r2=1 /\\ x=6",
            ),
            alone(
                "int e = 1; r0 = atomic_compare_exchange_strong(x, &e, 7); r1 = e; r2 = SCAS(x, &e, 7);",
                "0:r0=0 /\\ 0:r1=0 /\\ 0:r2=1 /\\ 0:e=0 /\\ x=7",
            ),
            alone(
                "r0 = spin_is_locked(x); spin_lock(x); r1 = spin_is_locked(x); r2 = spin_trylock(x); spin_unlock(x);",
                "0:r0=0 /\\ 0:r1=1 /\\ 0:r2=0 /\\ x=0",
            ),
            alone(
                "r0 = atomic_exchange(x, 4); atomic_init(y, 2); r1 = atomic_load(x) * atomic_read_acquire(y);",
                "0:r0=0 /\\ 0:r1=8",
            ),
            alone("atomic_fetch_add_explicit(x, 9, memory_order_relaxed); r1 = smp_load_acquire(x);", "0:r1=9"),
        ],
    );
}

/// Two threads at once: what is one step.
#[test]
fn what_is_atomic() {
    let both = |code: &str, condition: &str| test(&[code, code], condition);
    check(
        "litmus_atomic",
        &[
            (both("*x = *x + 1;", "exists (x=1)"), ALL),
            (both("(*x)++;", "exists (x=1)"), ALL),
            (both("atomic_inc(x);", "exists (x=1)"), NONE),
            (both("r0 = atomic_add_return_relaxed(1, x);", "exists (0:r0=1:r0)"), NONE),
            (both("r0 = atomic_dec_and_test(x);", "exists (x!=-2)"), NONE),
            (both("spin_lock(y); *x = *x + 1; spin_unlock(y);", "exists (x!=2 \\/ y!=0)"), NONE),
            (both("lock(y); *x = *x + 1; unlock(y);", "exists (x=1)"), NONE),
            (both("if (spin_trylock(y)) { r0 = 1; }", "exists (0:r0=1:r0)"), NONE),
            (both("r0 = atomic_add_unless(x, 1, 1);", "exists (x!=1 \\/ 0:r0=1:r0)"), NONE),
            // Weak comparisons may fail for no reason, strong ones may not.
            (both("int e = 0; r0 = WCAS(x, &e, 1);", "exists (x=0)"), ALL),
            (both("int e = 0; r0 = SCAS(x, &e, 1);", "exists (x=0 \\/ 0:r0=1:r0)"), NONE),
        ],
    );
}

/// Variables belong to the whole thread and are 0 before they are assigned.
#[test]
fn variables() {
    let alone = |code: &str, values: &str| (test(&[code], &format!("forall ({values})")), NONE);
    let state = |state: &str, code: &str, condition: &str| {
        format!("C test\n{{ {state} }}\nP0(intptr_t *x, intptr_t *y) {{ {code} }}\n{condition}\n")
    };
    check(
        "litmus_variables",
        &[
            alone("int r0; if (*x) r0 = 1; int r1 = r0;", "0:r0=0 /\\ 0:r1=0"),
            alone("if (*x == 0) { int r0 = 1; } else { int r0 = 2; } r1 = r0;", "0:r0=1 /\\ 0:r1=1"),
            alone("{ int r0 = 1; { int r0 = 2; } r1 = r0; }", "0:r0=2 /\\ 0:r1=2"),
            alone("r0 = 1; if (r0) { r0 = 2; return; } r0 = 3;", "0:r0=2"),
            alone("for (int i = 0, j = 5; i < 3; i++) { if (i == 1) continue; r0 += i + j; }", "0:r0=12 /\\ 0:i=3"),
            alone("int r0; while (1) { r0++; if (r0 == 4) break; }", "0:r0=4"),
            alone("switch (*x) { case 0: r0 = 1; case 1: r1 = 2; break; default: r2 = 3; }", "0:r1=2 /\\ 0:r2=0"),
            alone("r0 = 3; again: if (--r0) goto again; int *r1 = x;", "0:r0=0 /\\ 0:r1=x"),
            alone("char r0 = 300; unsigned char r1 = -1; r2 = sizeof(atomic_int);", "0:r0=44 /\\ 0:r1=255 /\\ 0:r2=4"),
            (state("0:r0 = 5; 0:r1 = -6", "int r0; r2 = r0 + r1;", "forall (0:r0=5 /\\ 0:r1=-6 /\\ 0:r2=-1)"), NONE),
            (
                state("x = z; y = 3;", "intptr_t r0 = *x; *(intptr_t *)r0 = *y;", "forall (0:r0=z /\\ z=3 /\\ x=z)"),
                NONE,
            ),
            (state("x = z;", "intptr_t r0 = (intptr_t)y; *x = r0;", "exists (0:r0=z \\/ x=z \\/ 0:r0=x)"), NONE),
        ],
    );
}

/// A finding shows the line of the file.
#[test]
fn findings_show_the_line() {
    let folder = Folder::new("litmus_findings");
    folder.write("t.litmus", "C t\n{ }\n\nP0(int *x) {\n  (* café *) rcu_read_lock();\n}\nexists (x=1)\n");
    let run = folder.norn(&["litmus", "t.litmus"]);
    assert_eq!(run.status(), 2);
    let expected = ["t.litmus:5:14", "  (* café *) rcu_read_lock();", "rcu_read_lock", "^^^^^^^^^^^^^"];
    for part in expected {
        assert!(run.stderr().contains(part), "'{part}' should be shown:\n{}", run.stderr());
    }
}

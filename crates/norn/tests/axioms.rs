//! Litmus tests under models that are axioms: a test of each language for each thing that a model orders, the answers of
//! the command, pictures, and models that users write.

mod support;

use support::{Folder, Run};

/// An assembly test: the initial state, the instructions of each thread, the condition.
fn assembly(arch: &str, state: &str, threads: &[&[&str]], condition: &str) -> String {
    let rows = threads.iter().map(|code| code.len()).max().unwrap_or(0);
    let mut text = format!("{arch} test\n{{ {state} }}\n");
    let row = |cells: Vec<String>| format!(" {} ;\n", cells.join(" | "));
    text += &row((0..threads.len()).map(|thread| format!("P{thread}")).collect());
    for at in 0..rows {
        text += &row(threads.iter().map(|code| code.get(at).copied().unwrap_or_default().to_owned()).collect());
    }
    text + condition + "\n"
}

/// A C test whose threads share `x`, `y`, `z` and the lock `s`.
fn c(threads: &[&str], condition: &str) -> String {
    let parameters = "atomic_int *x, atomic_int *y, atomic_int *z, spinlock_t *s, struct srcu_struct *ss";
    let function = |(i, code): (usize, &&str)| format!("P{i}({parameters}) {{ {code} }}\n");
    let functions: String = threads.iter().enumerate().map(function).collect();
    format!("C test\n{{ }}\n{functions}\n{condition}\n")
}

/// Runs tests under a model, each with whether it is allowed.
#[track_caller]
fn check(folder: &str, model: &str, tests: &[(String, bool)]) {
    let folder = Folder::new(folder);
    let mut table = format!("test\t{model}\n");
    for (i, (test, allowed)) in tests.iter().enumerate() {
        folder.write(&format!("t{i:02}.litmus"), test);
        table += &format!("t{i:02}\t{}\n", if *allowed { "Allow" } else { "Forbid" });
    }
    folder.write("expected.tsv", table);
    let run = folder.norn(&["litmus", "-m", model, "--expect", "expected.tsv", "."]);
    let expected = format!("norn: {} answers compared, 0 different, 0 unknown\n", tests.len());
    assert_eq!((run.stdout(), run.stderr(), run.status()), (expected, String::new(), 0));
}

#[test]
fn aarch64() {
    let state = "0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x";
    let mp = |first: &[&str], second: &[&str]| {
        let (mut left, mut right) = (vec!["MOV W0,#1", "STR W0,[X1]", "MOV W2,#1"], vec![]);
        left.extend(first);
        right.extend(second);
        assembly("AArch64", state, &[&left, &right], "exists (1:X0=1 /\\ 1:X2=0)")
    };
    let sb = |first: &[&str], second: &[&str]| {
        let (mut left, mut right) = (vec!["MOV W0,#1"], vec!["MOV W0,#1"]);
        left.extend(first);
        right.extend(second);
        assembly("AArch64", state, &[&left, &right], "exists (0:X2=0 /\\ 1:X2=0)")
    };
    let (store, load) = ("STR W2,[X3]", "LDR W2,[X3]");
    let tests = [
        (mp(&[store], &["LDR W0,[X1]", load]), true),
        (mp(&["DMB ISHST", store], &["LDR W0,[X1]", "DMB ISHLD", load]), false),
        (mp(&["DMB ISHLD", store], &["LDR W0,[X1]", "DMB ISHLD", load]), true),
        (mp(&["STLR W2,[X3]"], &["LDAR W0,[X1]", load]), false),
        (mp(&["STLR W2,[X3]"], &["LDAPR W0,[X1]", load]), false),
        (mp(&["STLR W2,[X3]"], &["LDR W0,[X1]", "EOR W4,W0,W0", "LDR W2,[X3,W4,SXTW]"]), false),
        (mp(&["STLR W2,[X3]"], &["LDR W0,[X1]", "CBNZ W0,L", "L:", load]), true),
        (mp(&["STLR W2,[X3]"], &["LDR W0,[X1]", "CBNZ W0,L", "L:", "ISB", load]), false),
        (mp(&["STLR W2,[X3]"], &["LDR W0,[X1]", "DSB SY", load]), false),
        (sb(&["STR W0,[X1]", load], &["STR W0,[X1]", load]), true),
        (sb(&["STR W0,[X1]", "DMB SY", load], &["STR W0,[X1]", "DMB SY", load]), false),
        (sb(&["STLR W0,[X1]", "LDAR W2,[X3]"], &["STLR W0,[X1]", "LDAR W2,[X3]"]), false),
        (sb(&["STLR W0,[X1]", "LDAPR W2,[X3]"], &["STLR W0,[X1]", "LDAPR W2,[X3]"]), true),
        (sb(&["SWPAL W0,W4,[X1]", load], &["SWPAL W0,W4,[X1]", load]), false),
        (sb(&["SWP W0,W4,[X1]", load], &["SWP W0,W4,[X1]", load]), true),
    ];
    check("axioms_aarch64", "armv8", &tests);
    // Two threads count; an exclusive store fails if somebody else was there.
    let count = ["LDXR W0,[X1]", "ADD W0,W0,#1", "STXR W2,W0,[X1]"];
    let state = "0:X1=x; 1:X1=x";
    let condition = "exists (x=1 /\\ 0:X2=0 /\\ 1:X2=0)";
    let exclusive = assembly("AArch64", state, &[&count, &count], condition);
    let either = assembly("AArch64", state, &[&count, &count], "exists (x=1 /\\ 0:X2=0 /\\ 1:X2=1)");
    let add = ["MOV W0,#1", "LDADD W0,W2,[X1]"];
    let atomic = assembly("AArch64", state, &[&add, &add], "exists (0:X2=1:X2)");
    check("axioms_aarch64_atomic", "armv8", &[(exclusive, false), (either, true), (atomic, false)]);
}

/// An access of several parts of a location is one step, also beside accesses of the parts.
#[test]
fn several_sizes() {
    let state = "uint64_t x; uint64_t 1:X0; 0:X0=0x100000001; 0:X2=1; 0:X1=x; 1:X1=x";
    let arm = |left: &[&str], right: &[&str], condition: &str| assembly("AArch64", state, &[left, right], condition);
    let (low, high) = ("STR W2,[X1]", "STR W2,[X1,#4]");
    let later_only = "exists (1:X0=0x100000000)";
    let tests = [
        (arm(&["STR X0,[X1]"], &["LDR X0,[X1]"], later_only), false),
        (arm(&["STR X0,[X1]"], &["LDR W0,[X1,#4]", "LDR W3,[X1]"], "exists (1:X0=1 /\\ 1:X3=0)"), true),
        (arm(&["STR X0,[X1]"], &["LDR W0,[X1,#4]", "DMB LD", "LDR W3,[X1]"], "exists (1:X0=1 /\\ 1:X3=0)"), false),
        (arm(&[low, high], &["LDR X0,[X1]"], later_only), true),
        (arm(&[low, "DMB ST", high], &["LDR X0,[X1]"], later_only), false),
        (arm(&[high], &["STR X0,[X1]", "LDR X0,[X1]"], "exists (x=0 /\\ 1:X0=0x100000000)"), false),
        (arm(&[high], &["STR X0,[X1]", "LDR W3,[X1,#4]"], "exists (x=0x100000000 /\\ 1:X3=0)"), true),
        (arm(&["STRB W2,[X1,#7]"], &["LDR X0,[X1]"], "exists (1:X0=0x100000000000000)"), true),
        (arm(&["STRB W2,[X1,#7]"], &["LDRH W0,[X1,#6]"], "forall (1:X0=0 \\/ 1:X0=0x100)"), false),
    ];
    check("axioms_sizes_aarch64", "armv8", &tests);
    let state = "uint64_t x; uint64_t 1:x5; 0:x5=0x100000001; 0:x7=1; 0:x6=x; 1:x6=x";
    let riscv = |left: &[&str], right: &[&str], condition: &str| assembly("RISCV", state, &[left, right], condition);
    let later_only = "exists (1:x5=0x100000000)";
    let tests = [
        (riscv(&["sd x5,0(x6)"], &["ld x5,0(x6)"], later_only), false),
        (riscv(&["sw x7,0(x6)", "sw x7,4(x6)"], &["ld x5,0(x6)"], later_only), true),
        (riscv(&["sw x7,0(x6)", "fence w,w", "sw x7,4(x6)"], &["ld x5,0(x6)"], later_only), false),
    ];
    check("axioms_sizes_riscv", "riscv", &tests);
    // Half of a location is refused where nobody says what it means.
    let folder = Folder::new("axioms_sizes_refused");
    folder.write("t.litmus", assembly("PPC", "0:r1=x", &[&["stw r2,0(r1)", "lhz r3,2(r1)"]], "exists (0:r3=1)"));
    let run = folder.norn(&["litmus", "-m", "sc.cat", "t.litmus"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("accesses of several sizes to one location"), "{}", run.stderr());
}

#[test]
fn risc_v() {
    let state = "0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x";
    let test = |left: &[&str], right: &[&str], condition: &str| {
        let one = ["ori x5,x0,1"];
        assembly("RISCV", state, &[&[&one, left].concat(), &[&one, right].concat()], condition)
    };
    let mp = |left: &[&str], right: &[&str]| test(left, right, "exists (1:x7=1 /\\ 1:x9=0)");
    let sb = |left: &[&str], right: &[&str]| test(left, right, "exists (0:x9=0 /\\ 1:x9=0)");
    let (sx, sy, ly, lx) = ("sw x5,0(x6)", "sw x5,0(x8)", "lw x7,0(x6)", "lw x9,0(x8)");
    let swap = "amoswap.w x7,x5,(x6)";
    let tests = [
        (mp(&[sx, sy], &[ly, lx]), true),
        (mp(&[sx, "fence w,w", sy], &[ly, "fence r,r", lx]), false),
        (mp(&[sx, "fence r,w", sy], &[ly, "fence r,r", lx]), true),
        (mp(&[sx, "fence.tso", sy], &[ly, "xor x7,x7,x7", "add x10,x8,x7", "lw x9,0(x10)", "ori x7,x0,1"]), true),
        (mp(&[sx, "amoswap.w.rl x0,x5,(x8)"], &["lr.w.aq x7,(x6)", lx]), false),
        (mp(&[sx, "amoswap.w x0,x5,(x8)"], &["lr.w.aq x7,(x6)", lx]), true),
        (sb(&[sx, lx], &[sx, lx]), true),
        (sb(&[sx, "fence rw,rw", lx], &[sx, "fence w,r", lx]), false),
        (sb(&[sx, "fence.tso", lx], &[sx, "fence.tso", lx]), true),
        // An atomic is a read and a write at once.
        (sb(&[swap, "fence.tso", lx], &[swap, "fence.tso", lx]), false),
        (sb(&[swap, "fence r,r", lx], &[swap, "fence r,r", lx]), false),
        (sb(&[swap, lx], &[swap, lx]), true),
        (sb(&["amoswap.w.aq x7,x5,(x6)", lx], &["amoswap.w.aq x7,x5,(x6)", lx]), false),
    ];
    check("axioms_riscv", "riscv", &tests);
    let count = ["lr.w x5,(x6)", "addi x5,x5,1", "sc.w x7,x5,(x6)"];
    let state = "0:x6=x; 1:x6=x";
    let both = assembly("RISCV", state, &[&count, &count], "exists (x=1 /\\ 0:x7=0 /\\ 1:x7=0)");
    let one = assembly("RISCV", state, &[&count, &count], "exists (x=1 /\\ 0:x7=0 /\\ 1:x7=1)");
    check("axioms_riscv_atomic", "riscv", &[(both, false), (one, true)]);
}

#[test]
fn c11() {
    let store = |order: &str, to: &str| format!("atomic_store_explicit({to}, 1, memory_order_{order});");
    let load =
        |order: &str, from: &str, to: &str| format!("int {to} = atomic_load_explicit({from}, memory_order_{order});");
    let fence = |order: &str| format!("atomic_thread_fence(memory_order_{order});");
    let mp = |first: &str, second: &str, third: &str, fourth: &str| {
        c(&[&format!("{first}{second}"), &format!("{third}{fourth}")], "exists (1:r0=1 /\\ 1:r1=0)")
    };
    let sb = |first: &str, second: &str| {
        let (left, right) = (format!("{first}{second}"), format!("{first}{second}"));
        let right = right.replace("(x,", "(t,").replace("(y,", "(x,").replace("(t,", "(y,");
        c(&[&left, &right], "exists (0:r0=0 /\\ 1:r0=0)")
    };
    let plain_x = "*x = 1;".to_owned();
    let relaxed = |to: &str| store("relaxed", to);
    let tests = [
        (mp(&relaxed("x"), &relaxed("y"), &load("relaxed", "y", "r0"), &load("relaxed", "x", "r1")), true),
        (mp(&plain_x, &store("release", "y"), &load("acquire", "y", "r0"), "int r1 = *x;"), false),
        (mp(&relaxed("x"), &store("release", "y"), &load("relaxed", "y", "r0"), &load("relaxed", "x", "r1")), true),
        (
            mp(
                &relaxed("x"),
                &(fence("release") + &relaxed("y")),
                &(load("relaxed", "y", "r0") + &fence("acquire")),
                &load("relaxed", "x", "r1"),
            ),
            false,
        ),
        (sb(&store("seq_cst", "x"), &load("seq_cst", "y", "r0")), false),
        (sb(&store("release", "x"), &load("acquire", "y", "r0")), true),
        (sb(&relaxed("x"), &(fence("seq_cst") + &load("relaxed", "y", "r0"))), false),
        (sb(&relaxed("x"), &(fence("acq_rel") + &load("relaxed", "y", "r0"))), true),
        (sb("atomic_store(x, 1);", "int r0 = atomic_load(y);"), false),
        (
            c(
                &[
                    "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);",
                    "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);",
                ],
                "exists (0:r0=1:r0)",
            ),
            false,
        ),
    ];
    check("axioms_c11", "rc11", &tests);
    let both = |code: &str, condition: &str| c(&[code, code], condition);
    let exchange = |name: &str, orders: &str| format!("int e = 0; int r0 = {name}(x, &e, 1{orders});");
    let (relaxed, strong) = (", memory_order_relaxed, memory_order_relaxed", "atomic_compare_exchange_strong");
    let tests = [
        (both(&exchange(strong, ""), "exists (0:r0=1:r0)"), false),
        (both(&exchange(&format!("{strong}_explicit"), relaxed), "exists (0:r0=1:r0)"), false),
        (both(&exchange("SCAS", ""), "exists (x=0)"), false),
        // Weak ones may fail for no reason.
        (both(&exchange("atomic_compare_exchange_weak", ""), "exists (x=0 /\\ 0:e=0)"), true),
        (both(&exchange("WCAS", ""), "exists (0:r0=1 /\\ 1:r0=1)"), false),
        (both("mtx_lock(s); *x = *x + 1; mtx_unlock(s);", "exists (x=1)"), false),
    ];
    check("axioms_c11_exchange", "rc11", &tests);
}

#[test]
fn kernel() {
    let mp = |between: &str, after: &str| {
        let left = format!("WRITE_ONCE(*x, 1); {between} WRITE_ONCE(*y, 1);");
        let right = format!("int r0 = READ_ONCE(*y); {after} int r1 = READ_ONCE(*x);");
        c(&[&left, &right], "exists (1:r0=1 /\\ 1:r1=0)")
    };
    let sb = |between: &str| {
        let left = format!("WRITE_ONCE(*x, 1); {between} int r0 = READ_ONCE(*y);");
        let right = format!("WRITE_ONCE(*y, 1); {between} int r0 = READ_ONCE(*x);");
        c(&[&left, &right], "exists (0:r0=0 /\\ 1:r0=0)")
    };
    let lb = |left: &str, right: &str| c(&[left, right], "exists (0:r0=1 /\\ 1:r0=1)");
    let section = |inside: &str| {
        c(&[inside, "WRITE_ONCE(*x, 1); synchronize_rcu(); WRITE_ONCE(*y, 1);"], "exists (0:r0=1 /\\ 0:r1=0)")
    };
    let sleepable = |index: &str| {
        let left = format!(
            "int i = srcu_read_lock({index}); int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x); srcu_read_unlock({index}, i);"
        );
        c(&[&left, "WRITE_ONCE(*x, 1); synchronize_srcu(ss); WRITE_ONCE(*y, 1);"], "exists (0:r0=1 /\\ 0:r1=0)")
    };
    let tests = [
        (mp("", ""), true),
        (mp("smp_wmb();", "smp_rmb();"), false),
        (mp("smp_rmb();", "smp_rmb();"), true),
        (mp("smp_mb();", "barrier();"), true),
        (sb("smp_mb();"), false),
        (sb("smp_wmb();"), true),
        (sb("synchronize_rcu();"), false),
        (sb("int t = xchg(z, 1);"), false),
        (sb("int t = xchg_relaxed(z, 1);"), true),
        (sb("atomic_inc(z);"), true),
        (sb("atomic_inc(z); smp_mb__after_atomic();"), false),
        // One that fails is no barrier by itself.
        (sb("int t = cmpxchg(z, 5, 6);"), true),
        (sb("int t = cmpxchg(z, 5, 6); smp_mb__after_atomic();"), false),
        (lb("int r0 = READ_ONCE(*x); WRITE_ONCE(*y, r0);", "int r0 = READ_ONCE(*y); WRITE_ONCE(*x, r0);"), false),
        (lb("int r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1);", "int r0 = READ_ONCE(*y); WRITE_ONCE(*x, r0);"), true),
        // Behind the end of the `if` nothing is controlled by it, so that 1 may come from nowhere.
        (
            lb(
                "int r0 = 1; if (READ_ONCE(*x) == 0) r0 = 0; WRITE_ONCE(*y, r0);",
                "int r0 = READ_ONCE(*y); WRITE_ONCE(*x, r0);",
            ),
            true,
        ),
        (section("rcu_read_lock(); int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x); rcu_read_unlock();"), false),
        (section("rcu_read_lock(); rcu_read_unlock(); int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x);"), true),
        (sleepable("ss"), false),
        (section("rcu_read_lock(); int r0 = rcu_dereference_check(*y, 1); int r1 = *x; rcu_read_unlock();"), false),
        // Who waits sees what was written before.
        (
            c(
                &[
                    "WRITE_ONCE(*x, 1); smp_store_release(y, 1);",
                    "while (smp_load_acquire(y) == 0) cpu_relax(); int r0 = READ_ONCE(*x);",
                ],
                "exists (1:r0=0)",
            ),
            false,
        ),
        // Who holds a lock sees what the holder before has done.
        (
            c(
                &[
                    "spin_lock(s); *x = 1; *y = 1; spin_unlock(s);",
                    "spin_lock(s); int r0 = *y; int r1 = *x; spin_unlock(s);",
                ],
                "exists (1:r0=1 /\\ 1:r1=0)",
            ),
            false,
        ),
    ];
    check("axioms_kernel", "lkmm", &tests);
}

/// The models with machines, as axioms: the same answers on PPC and X86.
#[test]
fn machines_and_their_axioms_agree() {
    let folder = Folder::new("axioms_machines");
    let ppc = |left: &[&str], right: &[&str], condition: &str| {
        assembly("PPC", "0:r1=x; 0:r2=y; 1:r1=y; 1:r2=x; 0:r4=1; 1:r4=1", &[left, right], condition)
    };
    let (mp, sb) = ("exists (1:r3=1 /\\ 1:r5=0)", "exists (0:r3=0 /\\ 1:r3=0)");
    let x86 = |left: &[&str], right: &[&str]| assembly("X86", "", &[left, right], "exists (0:EAX=0 /\\ 1:EAX=0)");
    let try_exchange = "lock cmpxchg [z],EBX";
    let swap = ["lwarx r3,r0,r1", "stwcx. r4,r0,r1", "bne L"];
    let locked = [&["L:"][..], &swap, &["lwz r3,0(r2)"]].concat();
    let tests = [
        ppc(&["stw r4,0(r1)", "stw r4,0(r2)"], &["lwz r3,0(r1)", "lwz r5,0(r2)"], mp),
        ppc(&["stw r4,0(r1)", "lwsync", "stw r4,0(r2)"], &["lwz r3,0(r1)", "lwz r5,0(r2)"], mp),
        ppc(&["stw r4,0(r1)", "lwz r3,0(r2)"], &["stw r4,0(r1)", "lwz r3,0(r2)"], sb),
        ppc(&["stw r4,0(r1)", "sync", "lwz r3,0(r2)"], &["stw r4,0(r1)", "sync", "lwz r3,0(r2)"], sb),
        ppc(&["stw r4,0(r1)", "lwsync", "lwz r3,0(r2)"], &["stw r4,0(r1)", "sync", "lwz r3,0(r2)"], sb),
        ppc(&locked, &locked, sb),
        x86(&["MOV [x],$1", "MOV EAX,[y]"], &["MOV [y],$1", "MOV EAX,[x]"]),
        x86(&["MOV [x],$1", "MFENCE", "MOV EAX,[y]"], &["MOV [y],$1", "MFENCE", "MOV EAX,[x]"]),
        x86(&["MOV EBX,$1", "XCHG [x],EBX", "MOV EAX,[y]"], &["MOV EBX,$1", "XCHG [y],EBX", "MOV EAX,[x]"]),
        // One that fails waits for the own writes, too.
        x86(
            &["MOV EAX,$5", "MOV [x],$1", try_exchange, "MOV EAX,[y]"],
            &["MOV EAX,$5", "MOV [y],$1", try_exchange, "MOV EAX,[x]"],
        ),
    ];
    for (i, test) in tests.iter().enumerate() {
        folder.write(&format!("t{i}.litmus"), test);
    }
    let run = folder.norn(&["litmus", "-m", "sc,sc.cat,tso,tso.cat,pso,pso.cat", "."]);
    assert_eq!((run.stderr(), run.status()), (String::new(), 0));
    for (line, test) in run.stdout().lines().zip(&tests) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert_eq!(words.len(), 12, "{line}");
        for pair in words.chunks(4) {
            assert_eq!(pair[1], pair[3], "{line}\n{test}");
        }
    }
    let answers: Vec<String> = run.stdout().lines().map(|line| line.matches("Allow").count().to_string()).collect();
    assert_eq!(answers.join(" "), "2 0 4 0 4 0 4 0 0 0");
}

/// Store buffering for X86.
const SB: &str = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                  exists (0:EAX=0 /\\ 1:EAX=0)\n";

#[test]
fn an_execution_shows_what_is_allowed() {
    let folder = Folder::new("axioms_pictures");
    folder.write("SB.litmus", SB);
    let run = folder.norn(&["litmus", "-m", "tso.cat", "--graph", "--dot", "out.dot", "--states", "SB.litmus"]);
    let expected = "\
Test SB (tso.cat)
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Condition Exists (0:EAX=0 /\\ 1:EAX=0)

Execution of SB (tso.cat)
P0
  a: write x = 1
  b: read y = 0, the initial value
P1
  c: write y = 1
  d: read x = 0, the initial value
order of writes
  x: initial 0, a = 1
  y: initial 0, c = 1
finally
  0:EAX = 0, 1:EAX = 0

SB  tso.cat Allow
";
    assert_eq!((run.stdout(), run.stderr(), run.status()), (expected.to_owned(), String::new(), 0));
    let dot = std::fs::read_to_string(folder.path("out.dot")).expect("a graph");
    for part in
        ["digraph \"SB (tso.cat)\" {", "label=\"a: write x = 1\"", "label=\"rf\"", "label=\"co\"", "label=\"fr\""]
    {
        assert!(dot.contains(part), "'{part}' should be in\n{dot}");
    }
    // What a model says besides.
    folder.write("race.litmus", c(&["*x = 1;", "int r0 = *x;"], "exists (1:r0=1)").replace("C test", "C race"));
    let race = folder.norn(&["litmus", "-m", "rc11", "--graph", "race.litmus"]).stdout();
    assert!(race.contains("  b: read x = 1 (NA Plain), from a\n") && race.contains("flags\n  race\n"), "{race}");
    let forbidden = folder.norn(&["litmus", "-m", "sc.cat", "--graph", "SB.litmus"]);
    assert_eq!(forbidden.stdout(), "SB  sc.cat Forbid\n");
}

fn with_model(folder: &Folder, model: &str) -> Run {
    folder.write("my.cat", model);
    folder.norn(&["litmus", "-m", "my.cat", "--timeout", "10", "SB.litmus"])
}

#[test]
fn users_write_models() {
    let folder = Folder::new("axioms_models");
    folder.write("SB.litmus", SB);
    folder.write("base.cat", "let com = rf | co | fr");
    let answer = |model: &str| with_model(&folder, model).stdout();
    assert_eq!(answer("include \"base.cat\" acyclic po | com"), "SB  my.cat Forbid\n");
    assert_eq!(answer("include \"base.cat\" acyclic po-loc | com"), "SB  my.cat Allow\n");
    assert_eq!(answer("include \"tso.cat\""), "SB  my.cat Allow\n");
    assert_eq!(answer("\"TSO\" include \"tso.cat\" empty [W] ; po ; [R]"), "SB  my.cat Forbid\n");
    // In the manner of herd's own.
    let herd = "\"X86\" include \"x86fences.cat\" include \"filters.cat\" include \"cos.cat\"\n\
                let com = rf | fr | co acyclic po-loc | com empty rmw & (fre ; coe)\n\
                let implied = MA(WR(po)) | AM(WR(po)) let none = try fencerel(NOTHING) with 0\n\
                acyclic mfence | implied | none | WW(po) | RM(po) | rfe | fr | co as tso";
    assert_eq!(answer(herd), "SB  my.cat Allow\n");
    assert_eq!(answer(&herd.replace("RM(po)", "MM(po)")), "SB  my.cat Forbid\n");
    // The name of a file in a table is that of the file, or that without its ending.
    for column in ["my.cat", "my"] {
        folder.write("expected.tsv", format!("test\t{column}\nSB\tAllow\n"));
        let run = folder.norn(&["litmus", "-m", "my.cat", "--expect", "expected.tsv", "SB.litmus"]);
        assert_eq!(run.status(), 10);
        let expected = "SB  my.cat Forbid  DIFFERENT: my.cat should be Allow\n\
                        norn: 1 answers compared, 1 different, 0 unknown\n";
        assert_eq!(run.stdout(), expected);
    }
}

#[test]
fn mistakes_in_models_have_places() {
    let folder = Folder::new("axioms_mistakes");
    folder.write("SB.litmus", SB);
    let refused = |model: &str, parts: &[&str]| {
        let run = with_model(&folder, model);
        assert_eq!((run.status(), run.stdout()), (2, String::new()), "{model}");
        for part in parts {
            assert!(run.stderr().contains(part), "'{part}' should be in\n{}", run.stderr());
        }
    };
    refused("acyclic po |\n  rx", &["my.cat:2:3", "'rx' is not defined", "^^"]);
    refused("acyclic (po", &["my.cat:1:12", "to close the parenthesis"]);
    refused("acyclic W", &["my.cat:1:9", "this is a set of events"]);
    refused("let rec a = po \\ a acyclic a", &["my.cat:1:16", "not monotone"]);
    refused("include \"../SB.litmus\" acyclic po", &["my.cat:1:9", "by their plain names"]);
    refused("include \"/etc/passwd\" acyclic po", &["my.cat:1:9", "by their plain names"]);
    refused("include \"none.cat\" acyclic po", &["my.cat:1:9", "cannot read 'none.cat'"]);
    refused("include \"my.cat\" acyclic po", &["my.cat:1:9"]);
    refused("let a = po", &["forbids nothing"]);
    refused("", &["forbids nothing"]);
    refused(&format!("acyclic {}", "(".repeat(100_000)), &["levels deep"]);
    refused(&format!("acyclic po{}", "|po".repeat(100_000)), &["operators"]);
    refused(&"acyclic po\n".repeat(50_000), &["statements"]);
    refused("acyclic \u{202e}po", &["my.cat:1:9", "unexpected character"]);
    folder.write("latin.cat", b"acyclic po | \xe9");
    let run = folder.norn(&["litmus", "-m", "latin.cat", "SB.litmus"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("it is not UTF-8 text"), "{}", run.stderr());
    for (model, status, message) in [
        ("missing.cat", 2, "cannot read 'missing.cat': no such file or directory"),
        ("../armv8.cat", 2, "cannot read '../armv8.cat'"),
        (".", 1, "there are sc, tso, pso, armv8"),
        ("arm", 1, "there are sc, tso, pso, armv8"),
    ] {
        let run = folder.norn(&["litmus", "-m", model, "SB.litmus"]);
        assert_eq!(run.status(), status, "{model}");
        assert!(run.stderr().contains(message), "'{message}' should be in\n{}", run.stderr());
    }
}

/// A model can be a lot of work, but not more than the time of the test.
#[test]
fn models_cannot_run_for_ever() {
    let folder = Folder::new("axioms_hostile");
    folder.write("SB.litmus", SB);
    let cells: String =
        (0..60).map(|n| format!("stw r1,{}(r2) | stw r1,{}(r2) | lwz r1,{}(r2) ;\n", 4 * n, 4 * n, 4 * n)).collect();
    folder.write(
        "many.litmus",
        format!("PPC many\n{{ int a[60]; 0:r2=a; 1:r2=a; 2:r2=a; 0:r1=1; 1:r1=2; }}\n P0 | P1 | P2 ;\n{cells}exists (2:r1=3)\n"),
    );
    let mut doubling = "let f0(x) = x ; po | po ; x\n".to_owned();
    for n in 1..60 {
        doubling += &format!("let f{n}(x) = f{}(x | rf) | f{}(x | co)\n", n - 1, n - 1);
    }
    let run = with_model(&folder, &format!("{doubling}acyclic f59(po)"));
    assert_eq!(run.status(), 2, "{}", run.stderr());
    // Many definitions, each of them needed, on many events.
    let wide: String = (0..3000).map(|n| format!("let d{n} = po ; d{} ; rf\n", n - 1)).collect();
    let wide = wide.replace("d-1", "co");
    folder.write("wide.cat", format!("{wide}empty d2999 & 0 acyclic d2999 | po"));
    let row =
        |n: usize| ["stw r1,0(r2)"; 12].map(|store| store.replace("0(", &format!("{}(", 4 * n))).join(" | ") + " ;\n";
    let state: String = (0..12).map(|thread| format!("{thread}:r2=a; {thread}:r1={thread}; ")).collect();
    let names: Vec<String> = (0..12).map(|thread| format!("P{thread}")).collect();
    let rows: String = (0..100).map(row).collect();
    folder.write(
        "large.litmus",
        format!("PPC large\n{{ int a[100]; {state} }}\n {} ;\n{rows}exists (a[0]=3)\n", names.join(" | ")),
    );
    let run = folder.norn(&["litmus", "-m", "wide.cat", "--timeout", "5", "large.litmus"]);
    assert_eq!((run.status(), run.stderr()), (5, String::new()), "{}", run.stdout());
    assert!(run.stdout().contains("too many events"), "{}", run.stdout());
    // Recursion that is as slow as can be, and no check that would cut the search.
    folder.write("slow.cat", "let rec a = po | a ; po | rf | a ; rf and b = a | b ; co | fr ; b ~empty b | a | po");
    let run = folder.norn(&["litmus", "-m", "slow.cat", "--timeout", "1", "many.litmus"]);
    assert_eq!(run.status(), 5, "{}{}", run.stdout(), run.stderr());
    assert!(run.stdout().starts_with("many  slow.cat Unknown"), "{}", run.stdout());
}

#[test]
fn tests_in_other_languages_are_refused() {
    let folder = Folder::new("axioms_languages");
    folder.write("SB.litmus", SB);
    folder.write("arm.litmus", assembly("AArch64", "0:X1=x", &[&["LDR W0,[X1]"]], "exists (0:X0=0)"));
    folder.write("expected.tsv", "test\tarmv8\nSB\tAllow\narm\tAllow\n");
    let run = folder.norn(&["litmus", "-m", "armv8", "--expect", "expected.tsv", "."]);
    assert_eq!(run.status(), 2);
    let expected = "1 refused: armv8 says nothing of tests in X86\n\
                    norn: 1 answers compared, 0 different, 0 unknown, 1 tests refused\n";
    assert_eq!(run.stdout(), expected);
    assert!(run.stderr().contains("it is the model of AArch64"), "{}", run.stderr());
    assert!(run.stderr().contains("SB.litmus:1:1"), "{}", run.stderr());
    // Barriers of other architectures are no fences to the axioms of TSO.
    let run = folder.norn(&["litmus", "-m", "tso.cat", "arm.litmus"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("it looks at FullFence"), "{}", run.stderr());
    let run = folder.norn(&["litmus", "-m", "sc.cat", "arm.litmus", "SB.litmus"]);
    assert_eq!((run.stdout(), run.status()), ("arm  sc.cat Allow\nSB  sc.cat Forbid\n".to_owned(), 0));
    let run = folder.norn(&["litmus", "-m", "tso", "arm.litmus"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("-m armv8"), "{}", run.stderr());
}

//! Each rule of escape analysis, with a case where the object is private and one where it is not.

use norn_ir::ids::GlobalId;
use norn_ir::instr::InstrKind;
use norn_ir::parse::parse;
use norn_ir::validate::validate;
use norn_passes::escape::mark_private;

/// `expected` names what is private: globals and locals by name, allocations as `function.alloc`.
fn check(text: &str, expected: &[&str]) {
    let header =
        "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\ntype t1 = ptr pointer\ntype t2 = i64 signed\n";
    let mut program = parse(&format!("{header}{text}")).expect("the text should parse");
    assert_eq!(validate(&program), Ok(()));
    let report = mark_private(&mut program);
    assert_eq!(validate(&program), Ok(()));
    let mut private = Vec::new();
    for g in 0..program.globals.len() {
        let global = program.global(GlobalId::new(g));
        private.extend(global.private.then(|| global.name.clone()));
    }
    for function in &program.functions {
        private.extend(function.locals.iter().filter(|local| local.private).map(|local| local.name.clone()));
        for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
            if matches!(instr.kind, InstrKind::Alloc { private: true, .. }) {
                private.push(format!("{}.alloc", function.name));
            }
        }
    }
    assert_eq!(private, expected, "{program}");
    assert_eq!(report.globals.private + report.locals.private + report.allocs.private, expected.len());
}

/// A thread that does nothing, started twice in a loop so that its number is not known.
const IDLE: &str = "function f1 \"idle\" (r0) -> ptr {\n r0: ptr\nb0:\n return null\n}\n";

/// `main` with one local `x` and the instructions given, before it starts `f1` with `argument` any number of times.
fn main_spawning(instrs: &str, argument: &str) -> String {
    format!(
        "function f0 \"main\" () {{\n r0: i64 \"t\"\n r1: i32\n r2: ptr\n r3: i64\n r4: bool\n l0: t0 \"x\"\n l1: t1 \"box\"\nb0:\n \
         enter l0\n enter l1\n {instrs}\n goto b1\nb1:\n r0 = spawn f1({argument})\n branch true, b1, b2\nb2:\n return\n}}\n"
    )
}

/// A thread that runs the instructions; `r0` is its argument.
fn worker(instrs: &str) -> String {
    format!(
        "function f1 \"worker\" (r0) -> ptr {{\n r0: ptr\n r1: i32\n r2: ptr\n r3: i64\n l0: t0 \"y\"\n l1: t1 \"slot\"\nb0:\n \
         enter l0\n enter l1\n {instrs}\n}}\n"
    )
}

#[test]
fn without_threads_everything_is_private() {
    check(
        "global g0 \"p\": t1\nglobal g1 \"tls\": t0 thread\nfunction f0 \"main\" () {\n r0: ptr\n l0: t0 \"x\"\nb0:\n enter l0\n \
         store ptr g0, l0\n r0 = alloc heap 4\n store ptr g0, r0\n store i32 g1, 1\n return\n}\n",
        &["p", "tls", "x", "main.alloc"],
    );
}

#[test]
fn locals_that_stay_at_home_are_private() {
    let body = worker("store i32 l0, 1\n store ptr l1, l0\n r2 = load l1\n store i32 r2, 2\n return null");
    check(&(main_spawning("store i32 l0, 1", "null") + &body), &["x", "box", "y", "slot"]);
}

#[test]
fn a_pointer_stored_in_a_shared_global() {
    let text = |use_global: &str| {
        let body = worker(&format!("store ptr g0, l0\n {use_global}\n return null"));
        format!("global g0 \"p\": t1\n{}{body}", main_spawning("", "null"))
    };
    check(&text("r2 = load g0\n store i32 r2, 1"), &["x", "box", "slot"]);
    // Nobody needs to read it: other threads could.
    check(&text(""), &["x", "box", "slot"]);
}

#[test]
fn a_pointer_stored_in_a_global_of_one_thread() {
    let text = format!("global g0 \"p\": t1\n{}{IDLE}", main_spawning("store ptr g0, l0\n store i32 l0, 1", "null"));
    check(&text, &["p", "x", "box"]);
}

#[test]
fn a_pointer_stored_in_a_heap_object_that_a_global_leads_to() {
    let text = |publish: &str| {
        let body = worker(&format!("r2 = alloc heap 8\n store ptr r2, l0\n {publish}\n return null"));
        format!("global g0 \"p\": t1\n{}{body}", main_spawning("", "null"))
    };
    check(&text("store ptr g0, r2"), &["x", "box", "slot"]);
    check(&text(""), &["p", "x", "box", "y", "slot", "worker.alloc"]);
}

#[test]
fn a_pointer_passed_to_a_thread() {
    let body = worker("r1 = load r0\n return null");
    check(&(main_spawning("", "l0") + &body), &["box", "y", "slot"]);
    // What the thread never touches stays with its maker, wherever the address goes.
    check(&(main_spawning("store i32 l0, 1", "l0") + IDLE), &["x", "box"]);
    // What is reached through the argument.
    let body = worker("r2 = load r0\n store i32 r2, 1\n return null");
    check(&(main_spawning("store ptr l1, l0", "l1") + &body), &["y", "slot"]);
}

#[test]
fn an_object_of_a_thread_that_it_passes_to_a_thread() {
    let text = "function f0 \"main\" () {\n r0: i64\nb0:\n r0 = spawn f1(null)\n return\n}\n\
         function f1 \"child\" (r0) -> ptr {\n r0: ptr\n r1: i64\n r2: bool\n l0: t0 \"mine\"\n l1: t0 \"kept\"\nb0:\n enter l0\n \
         enter l1\n store i32 l1, 1\n r2 = ne ptr r0, null\n branch r2, b1, b2\nb1:\n store i32 r0, 1\n return null\nb2:\n \
         r1 = spawn f1(l0)\n return null\n}\n";
    check(text, &["kept"]);
}

#[test]
fn a_pointer_laundered_through_an_integer() {
    let body = worker("r2 = load g0\n store i32 r2, 1\n return null");
    let globals = "global g0 \"n\": t2\n";
    let launder = "r3 = ptr_to_int ptr l0\n r3 = xor r3, 255\n store i64 g0, r3";
    check(&format!("{globals}{}{body}", main_spawning(launder, "null")), &["box", "y", "slot"]);
    // By way of branches no data flows, but the address was made a number, and a number is made a pointer.
    let compare = "r3 = ptr_to_int ptr l0\n r4 = lt.s i64 r3, 7\n r1 = select r4, 1, 2\n store i32 g0, r1";
    let conjure = worker("r3 = load g0\n r2 = int_to_ptr i64 r3\n store i32 r2, 1\n return null");
    check(&format!("{globals}{}{conjure}", main_spawning(compare, "null")), &["box", "y", "slot"]);
    // Numbers alone harm nobody.
    let number = "r3 = copy 5\n store i32 l0, 1\n store i64 g0, r3";
    check(&format!("{globals}{}{conjure}", main_spawning(number, "null")), &["x", "box", "y", "slot"]);
}

#[test]
fn a_pointer_copied_byte_by_byte() {
    let main = "function f0 \"main\" () {\n r0: i64\n r1: i8\n l0: t0 \"x\"\n l1: t1 \"box\"\nb0:\n enter l0\n enter l1\n store ptr \
         l1, l0\n r1 = load l1+1\n store i8 g0+1, r1\n goto b1\nb1:\n r0 = spawn f1(null)\n branch true, b1, b2\nb2:\n return\n}\n";
    let body = worker("r2 = load g0\n store i32 r2, 1\n return null");
    check(&format!("global g0 \"p\": t1\n{main}{body}"), &["box", "y", "slot"]);
}

#[test]
fn a_pointer_returned_by_a_thread() {
    let main = |use_result: &str| {
        format!(
            "function f0 \"main\" () {{\n r0: i64\n r1: ptr\nb0:\n goto b1\nb1:\n r0 = spawn f1(null)\n branch true, b1, b2\nb2:\n r1 = \
             join r0\n {use_result}\n return\n}}\n"
        )
    };
    let body = worker("r2 = alloc heap 4\n store i32 l0, 1\n return r2");
    check(&(main("store i32 r1, 1") + &body), &["y", "slot"]);
    let exits = worker("r2 = alloc heap 4\n store i32 l0, 1\n thread_exit r2");
    check(&(main("store i32 r1, 1") + &exits), &["y", "slot"]);
    let keeps = worker("r2 = alloc heap 4\n store i32 l0, 1\n return null");
    check(&(main("store i32 r1, 1") + &keeps), &["y", "slot", "worker.alloc"]);
}

#[test]
fn a_global_used_by_main_only() {
    let text = |body: &str| format!("global g0 \"g\": t0\n{}{body}", main_spawning("store i32 g0, 1", "null"));
    check(&text(IDLE), &["g", "x", "box"]);
    check(&text(&worker("r1 = load g0\n return null")), &["x", "box", "y", "slot"]);
    for touch in
        ["free heap g0", "r3 = object_size g0", "sync release g0", "print stdout g0", "print stdout null, ptr g0"]
    {
        check(&text(&worker(&format!("{touch}\n return null"))), &["x", "box", "y", "slot"]);
    }
    // To have the address is not to touch.
    check(&text(&worker("r2 = copy g0\n return null")), &["g", "x", "box", "y", "slot"]);
}

#[test]
fn a_global_used_by_a_helper() {
    let helper = "function f2 \"helper\" () {\nb0:\n store i32 g0, 1\n return\n}\n";
    let text = |main: &str, body: &str| format!("global g0 \"g\": t0\n{}{body}{helper}", main_spawning(main, "null"));
    check(&text("call f2()", IDLE), &["g", "x", "box"]);
    check(&text("call f2()", &worker("call f2()\n return null")), &["x", "box", "y", "slot"]);
}

#[test]
fn a_global_used_through_a_function_pointer() {
    let helper = "function f2 \"helper\" () {\nb0:\n store i32 g0, 1\n return\n}\n";
    let text = |main: &str, body: &str| {
        format!("global g0 \"g\": t0\nglobal g1 \"hook\": t1\n{}{body}{helper}", main_spawning(main, "null"))
    };
    let main = "store ptr g1, f2\n store i32 g0, 1";
    check(&text(main, &worker("r2 = load g1\n call *r2()\n return null")), &["x", "box", "y", "slot"]);
    check(&text(main, &worker("r2 = load g1\n return null")), &["g", "x", "box", "y", "slot"]);
}

#[test]
fn a_start_function_through_a_pointer() {
    let text = "global g0 \"g\": t0\nglobal g1 \"start\": t1 {\n 0: f1\n}\nfunction f0 \"main\" () {\n r0: i64\n r1: ptr\nb0:\n \
         store i32 g0, 1\n r1 = load g1\n r0 = spawn r1(null)\n return\n}\n";
    check(&(text.to_owned() + &worker("r1 = load g0\n return null")), &["start", "y", "slot"]);
    check(&(text.to_owned() + IDLE), &["g", "start"]);
}

#[test]
fn a_thread_that_runs_once_is_one_thread() {
    let main = |code: &str| format!("global g0 \"g\": t0\nfunction f0 \"main\" () {{\n r0: i64\nb0:\n {code}\n}}\n");
    let body = worker("store i32 g0, 1\n return null");
    check(&(main("r0 = spawn f1(null)\n return") + &body), &["g", "y", "slot"]);
    check(&(main("r0 = spawn f1(null)\n r0 = spawn f1(null)\n return") + &body), &["y", "slot"]);
    check(&(main("goto b1\nb1:\n r0 = spawn f1(null)\n branch true, b1, b2\nb2:\n return") + &body), &["y", "slot"]);
    check(&(main("r0 = spawn f1(null)\n store i32 g0, 2\n return") + &body), &["y", "slot"]);
    let starter = "function f2 \"starter\" () {\n r0: i64\nb0:\n r0 = spawn f1(null)\n return\n}\n";
    check(&(main("call f2()\n return") + &body + starter), &["g", "y", "slot"]);
    check(&(main("call f2()\n call f2()\n return") + &body + starter), &["y", "slot"]);
}

#[test]
fn calls_of_the_library_are_kept_apart() {
    // Two threads from one wrapper: each touches its own global, and its own argument.
    let text = |second: &str| {
        format!(
            "global g0 \"a\": t0\nglobal g1 \"b\": t0\nfunction f0 \"main\" () {{\nb0:\n call f1(f2, g0)\n call f1({second}, g1)\n \
             return\n}}\nfunction f1 \"create\" (r0, r1) library {{\n r0, r1: ptr\n r2: i64\nb0:\n r2 = spawn r0(r1)\n return\n}}\n\
             function f2 \"one\" (r0) -> ptr {{\n r0: ptr\nb0:\n store i32 r0, 1\n return null\n}}\n\
             function f3 \"two\" (r0) -> ptr {{\n r0: ptr\nb0:\n store i32 r0, 1\n return null\n}}\n"
        )
    };
    check(&text("f3"), &["a", "b"]);
    check(&text("f2"), &[]);
}

#[test]
fn thread_locals() {
    let text =
        |body: &str| format!("global g0 \"tls\": t0 thread\nglobal g1 \"p\": t1\n{}{body}", main_spawning("", "null"));
    check(&text(&worker("store i32 g0, 1\n return null")), &["tls", "p", "x", "box", "y", "slot"]);
    check(
        &text(&worker("store ptr g1, g0\n r2 = load g1\n store i32 r2, 1\n return null")),
        &["x", "box", "y", "slot"],
    );
}

/// What a fence writes to is a step, even if it is on the stack.
#[test]
fn what_fences_write_to_is_not_private() {
    let written = |instr: &str| main_spawning(instr, "null") + IDLE;
    check(&written("store i32 l0, 1"), &["x", "box"]);
    check(&written("store i32 l0, 1 relaxed"), &["x", "box"]);
    check(&written("store i32 l0, 1 release"), &["box"]);
    check(&written("store i32 l0, 1 seq_cst"), &["box"]);
    check(&written("r1 = rmw add l0, 1 relaxed"), &["box"]);
    check(&written("r1, r4 = compare_exchange l0, 0, 1 relaxed relaxed"), &["box"]);
}

/// What is stored in memory that another thread may be given is reached by that thread.
#[test]
fn stored_in_reused_memory() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\nvoid *t(void *a) { int x = 1; int **p = malloc(sizeof *p); *p = &x;\n\
        free(p); x = 2; return 0; }\nint main(void) { pthread_t id; pthread_create(&id, 0, t, 0); pthread_create(&id, 0, t, 0); }";
    for reuses_memory in [false, true] {
        let mut program = norn_testing::compile_unmarked(text);
        program.reuses_memory = reuses_memory;
        mark_private(&mut program);
        let mut locals = program.functions.iter().flat_map(|function| &function.locals);
        let x = locals.find(|local| local.name == "x").expect("the local should be there");
        assert_eq!(x.private, !reuses_memory);
    }
}

//! `norn check` under models that are axioms: what is printed and written, and what is refused.

mod support;

use serde_json::Value;
use support::Folder;

const MESSAGE: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
    void *put(void *unused) {\n  atomic_store_explicit(&x, 1, memory_order_relaxed);\n\
    \x20 atomic_store_explicit(&y, 1, ORDER);\n  return 0;\n}\nint main(void) {\n  pthread_t t;\n\
    \x20 pthread_create(&t, 0, put, 0);\n  if (atomic_load_explicit(&y, memory_order_acquire))\n\
    \x20   assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);\n  return 0;\n}\n";

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn an_execution_graph_shows_the_violation() {
    let folder = Folder::new("graphs_message");
    folder.write("mp.c", MESSAGE);
    let run = folder.norn(&["check", "-m", "armv8", "-D", "ORDER=memory_order_relaxed", "--dot", "mp.dot", "mp.c"]);
    let said = run.stdout();
    assert_eq!(run.status(), 10, "{said}{}", run.stderr());
    assert_eq!(last_line(&said), "norn: unsafe (armv8): assertion failed at mp.c:14");
    for part in
        ["mp.c:6", "write x = 1 (relaxed)", "read y = 1 (acquire), from", "read x = 0 (relaxed), the initial value"]
    {
        assert!(said.contains(part), "'{part}' is missing:\n{said}");
    }
    let dot = std::fs::read_to_string(folder.path("mp.dot")).expect("the file should be written");
    assert!(dot.starts_with("digraph") && dot.contains("label=\"rf\""), "{dot}");
    let run = folder.norn(&["check", "-marmv8,riscv,rc11,pso.cat", "-D", "ORDER=memory_order_release", "mp.c"]);
    let safe = ["armv8", "riscv", "rc11", "pso.cat"].map(|model| format!("norn: safe ({model})\n")).concat();
    assert_eq!((run.stdout(), run.status()), (safe, 0), "{}", run.stderr());
}

#[test]
fn json_has_the_graph() {
    let folder = Folder::new("graphs_json");
    folder.write("mp.c", MESSAGE);
    let run = folder.norn(&["check", "-m", "rc11,tso.cat", "--json", "-D", "ORDER=memory_order_relaxed", "mp.c"]);
    assert_eq!(run.status(), 10, "{}", run.stderr());
    let object: Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
    assert_eq!(object["models"], serde_json::json!(["rc11", "tso.cat"]));
    assert_eq!((object["verdict"].as_str(), object["engine"].as_str()), (Some("unsafe"), Some("graphs")));
    let events = object["graph"]["events"].as_array().expect("there should be events");
    assert!(events.iter().any(|event| event["from"]["initial"] == true && event["location"]["line"] == 14), "{object}");
    assert_eq!(object["others"][0]["verdict"], "safe");
}

#[test]
fn what_is_not_answered_is_unknown_or_refused() {
    let folder = Folder::new("graphs_refused");
    folder.write("mp.c", MESSAGE);
    folder.write("own.cat", "acyclic po | rf | co | fr\nempty rmw & (fre ; coe)\n");
    folder.write("bad.cat", "acyclic nothing\n");
    let order = "-DORDER=memory_order_relaxed";
    let check = |options: &[&str], status: i32, part: &str| {
        let run = folder.norn(&[&["check", order, "mp.c"], options].concat());
        let said = run.stdout() + &run.stderr();
        assert!(run.status() == status && said.contains(part), "{options:?}: {}\n{said}", run.status());
    };
    check(&["-m", "own.cat"], 0, "norn: safe (own.cat)");
    check(&["-m", "bad.cat"], 2, "nothing");
    check(&["-m", "missing/none.cat"], 2, "cannot read");
    check(&["-m", "sc,armv8"], 1, "does not go together with sc, tso and pso");
    check(&["-m", "armv8", "-e", "events"], 1, "-e");
    check(&["-m", "armv8", "--cross-check"], 1, "--cross-check");
    check(&["-m", "armv8", "--html", "a.html"], 1, "--html");
    check(&["-m", "lkmm"], 1, "the kernel's C");
    check(&["-m", "armv8", "--deadlock"], 5, "norn: unknown (armv8): this engine does not look for deadlocks");
    check(&["-m", "armv8", "--data-race"], 5, "norn: unknown (armv8): this engine does not look for data races");
    check(&["-m", "rc11", "--data-race"], 10, "norn: unsafe (rc11): assertion failed");
}

#[test]
fn bounds_that_nobody_gave_prove_nothing() {
    let folder = Folder::new("graphs_bounds");
    let lock = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int l;\nint c;\nvoid *t(void *unused) {\n\
        \x20 while (atomic_exchange_explicit(&l, 1, memory_order_relaxed))\n    ;\n  c++;\n\
        \x20 atomic_store_explicit(&l, 0, memory_order_release);\n  return 0;\n}\n\
        int main(void) {\n  pthread_t a;\n  pthread_create(&a, 0, t, 0);\n  t(0);\n  return 0;\n}\n";
    folder.write("lock.c", lock);
    let run = folder.norn(&["check", "-m", "armv8", "--unwind", "1", "lock.c"]);
    assert_eq!((last_line(&run.stdout()), run.status()), ("norn: safe (armv8) up to unwind 1 at lock.c:6", 0));
    let run = folder.norn(&["check", "-m", "armv8", "--unwind", "1", "--require-proof", "lock.c"]);
    assert_eq!(run.status(), 5, "{}", run.stdout());
    let run = folder.norn(&["check", "-m", "armv8", "--timeout", "5", "lock.c"]);
    assert_eq!(run.status(), 5, "{}", run.stdout());
    // Rounds that only wait need no bound.
    folder.write("acquires.c", lock.replace("relaxed", "acquire"));
    let run = folder.norn(&["check", "-m", "armv8", "acquires.c"]);
    assert_eq!((last_line(&run.stdout()), run.status()), ("norn: safe (armv8)", 0));
    let mixed = "#include <pthread.h>\nunion { int i; char c[4]; } u;\nvoid *t(void *unused) {\n  u.c[1] = 1;\n  return 0;\n}\n\
        int main(void) {\n  pthread_t a;\n  pthread_create(&a, 0, t, 0);\n  u.i = 2;\n  return 0;\n}\n";
    folder.write("mixed.c", mixed);
    let run = folder.norn(&["check", "-m", "armv8", "mixed.c"]);
    let expected = "norn: unknown (armv8): accesses of several sizes to one place at mixed.c:4";
    assert_eq!((last_line(&run.stdout()), run.status()), (expected, 5));
}

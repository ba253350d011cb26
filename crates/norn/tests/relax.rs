//! `norn relax` as a user and a script see it.

mod support;

use std::fs;
use support::patching::{compiles, last, patch};
use support::{Folder, project};

/// What stays, as `line kind, line kind`.
fn needed(value: &serde_json::Value) -> String {
    let places = value["needed"].as_array().map(Vec::as_slice).unwrap_or_default();
    let place = |place: &serde_json::Value| format!("{} {}", place["line"], place["kind"].as_str().unwrap_or_default());
    places.iter().map(place).collect::<Vec<_>>().join(", ")
}

/// Every program says in its first lines what it needs, and the patch leaves that.
#[test]
fn known_algorithms_need_the_orders_that_they_say() {
    let folder = Folder::new("known_orders");
    let mut checked = 0;
    let programs = fs::read_dir(project().join("crates/norn/tests/relax")).expect("the programs");
    for file in programs.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(file.path()).expect("a program");
        for line in text.lines().filter_map(|line| line.strip_prefix("// relax ")) {
            let (options, expected) = line.split_once(": ").expect("options and what they give");
            folder.write(&name, &text);
            let words =
                ["relax", "--json"].into_iter().chain(options.split(' ')).chain([name.as_str()]).collect::<Vec<_>>();
            let run = folder.norn(&words);
            let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
            let found = format!("cost {} instead of {}; {}", value["cost"], value["cost_before"], needed(&value));
            assert_eq!((found.trim_end(), run.status()), (expected, 0), "{name} {options}: {}", run.stderr());
            assert_eq!((&value["at_least"], &value["minimal"]), (&value["cost"], &true.into()), "{name} {options}");
            let why = value["needed"].as_array().expect("a list").iter().all(|place| place["why"].is_string());
            assert!(why, "{name} {options}: {}", run.stdout());
            patch(&folder, value["patch"].as_str().expect("a patch"));
            compiles(&folder, &name);
            let again = folder.norn(&[&["relax"], &words[2..]].concat());
            assert!(last(&again).starts_with("norn: nothing to relax"), "{words:?}: {}", again.stdout());
            checked += 1;
        }
    }
    assert!(checked >= 12, "{checked}");
}

#[test]
fn the_patch_is_one_that_people_would_write() {
    let folder = Folder::new("patch_of_relax");
    let text = fs::read_to_string(project().join("crates/norn/tests/relax/message.c")).expect("a program");
    folder.write("message.c", &text);
    let run = folder.norn(&["relax", "-m", "pso", "message.c"]);
    let diff = "-    data = 1;";
    assert!(!run.stdout().contains(diff), "{}", run.stdout());
    let expected = "     data = 1;\n-    ready = 1;\n+    atomic_store_explicit(&ready, 1, memory_order_release);\n     return unused;\n";
    assert!(run.stdout().contains(expected), "{}", run.stdout());
    let load = "-    if (atomic_load(&ready)) {\n+    if (atomic_load_explicit(&ready, memory_order_relaxed)) {\n";
    assert!(run.stdout().contains(load), "{}", run.stdout());
    let why = "message.c:17: release store stays (cost 1), or main.1 writes ready (message.c:17) before its write to data \
               (message.c:16) is in memory: assertion failed at message.c:27\n";
    assert!(run.stdout().contains(why), "{}", run.stdout());
    assert_eq!(last(&run), "norn: relaxed (pso): 2 places, cost 1 instead of 4");
    assert_eq!(fs::read_to_string(folder.path("message.c")).expect("the file"), text, "nothing should be written");
    let run = folder.norn(&["relax", "-m", "pso", "-i", "--html", "page.html", "message.c"]);
    assert_eq!(run.status(), 0);
    assert_eq!(last(&folder.norn(&["check", "-m", "pso", "message.c"])), "norn: safe (pso)");
    let page = fs::read_to_string(folder.path("page.html")).expect("the page");
    assert!(page.contains("release store stays (cost 1)") && page.contains("unsafe (pso)"), "{page}");
}

#[test]
fn what_cannot_be_relaxed_is_said() {
    let folder = Folder::new("what_cannot_be_relaxed");
    let check = |name: &str, text: &str, options: &[&str], status: i32, expected: &str| {
        folder.write(name, text);
        let run = folder.norn(&[&["relax", name], options].concat());
        assert_eq!((last(&run).as_str(), run.status()), (expected, status), "{}{}", run.stdout(), run.stderr());
        assert_eq!(fs::read_to_string(folder.path(name)).expect("the file"), text);
        assert!(!run.stdout().contains("@@"), "{}", run.stdout());
    };
    let head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint a, b;\n";
    let program = |order: &str| {
        let store = |name: &str| format!("atomic_store_explicit(&{name}, 1, memory_order_{order});");
        let load = |name: &str| format!("atomic_load_explicit(&{name}, memory_order_relaxed);");
        format!(
            "{head}void *t(void *v) {{ {} b = {} return v; }}\nint main(void) {{\npthread_t p;\npthread_create(&p, 0, t, 0);\n{}\n\
             a = {}\npthread_join(p, 0);\nassert(a || b);\n}}\n",
            store("y"),
            load("x"),
            store("x"),
            load("y")
        )
    };
    let wrong = "norn: unsafe (tso): assertion failed at wrong.c:13; nothing is relaxed";
    check("wrong.c", &program("release"), &["-m", "tso"], 10, wrong);
    check("right.c", &program("seq_cst"), &["-m", "tso"], 0, "norn: nothing to relax (tso)");
    check("right.c", &program("seq_cst"), &["--timeout", "0"], 5, "norn: unknown (pso): the time limit was reached");
    check("none.c", "int main(void) { return 0; }\n", &[], 0, "norn: nothing to relax (pso)");
    check("broken.c", "int main(void) { return x; }\n", &[], 2, "");
    // An order that a function is given is no order of an access in the text.
    let passed = "#include <stdatomic.h>\natomic_int x;\nvoid set(int order) { atomic_store_explicit(&x, 1, order); }\n\
                  int main(void) { set(memory_order_seq_cst); return 0; }\n";
    check("passed.c", passed, &[], 0, "norn: nothing to relax (pso)");
}

#[test]
fn text_that_is_hard_to_relax() {
    let folder = Folder::new("text_that_is_hard_to_relax");
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n_Atomic int x; atomic_int *p = &x; struct { atomic_int f; } s, *q = &s;\n";
    let main = "int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); t(0); return 0; }\n";
    let bodies = [
        (
            "windows",
            "void *t(void *v) {\r\n    atomic_store(&x, 1);\r\n    __sync_synchronize();\r\n    return v;\r\n}\r\n",
            12,
        ),
        ("old_style", "void *t(v) void *v; { x = 1; return v; }\n", 2),
        ("no_braces", "void *t(void *v) { if (v) __sync_synchronize(); else x = 2; return v; }\n", 12),
        ("label", "void *t(void *v) { goto out; out: __sync_synchronize(); return v; }\n", 10),
        ("pointer", "void *t(void *v) { *p = 1; q->f = *p; s . f = 3; return v; }\n", 6),
        (
            "macro",
            "#define PUT(o, value) atomic_store_explicit(o, value, memory_order_seq_cst)\nvoid *t(void *v) { PUT(&x, 1); PUT(p, 2); return v; }\n",
            2,
        ),
        (
            "macro_with_order",
            "#define PUT(o, m) atomic_store_explicit(&o, 1, memory_order_##m)\nvoid *t(void *v) { PUT(x, seq_cst); return v; }\n",
            0,
        ),
        (
            "macro_of_fence",
            "#define mb() __sync_synchronize()\nvoid *t(void *v) { mb(); x = 1; mb(); return v; }\n",
            22,
        ),
        (
            "nested",
            "void *t(void *v) { atomic_store(&x, atomic_load(&s.f) + atomic_fetch_add(&x, 1)); return v; }\n",
            7,
        ),
        ("swap", "void *t(void *v) { int e = 0; atomic_compare_exchange_strong(&x, &e, 1); return v; }\n", 3),
        (
            "swap_explicit",
            "void *t(void *v) { int e = 0; atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_acquire); return v; }\n",
            3,
        ),
        (
            "comments",
            "void *t(void *v) { atomic_store(/* , */ &x, 1 /* memory_order_seq_cst) */); /* atomic_store(&x, 1) */ return v; }\n",
            2,
        ),
        (
            "flag",
            "atomic_flag f; void *t(void *v) { if (!atomic_flag_test_and_set(&f)) atomic_flag_clear(&f); return v; }\n",
            5,
        ),
        (
            "gnu",
            "void *t(void *v) { __atomic_store_n(p, 1, __ATOMIC_SEQ_CST); return (void *)(long)__atomic_load_n(p, __ATOMIC_ACQUIRE); }\n",
            3,
        ),
    ];
    for (name, body, cost) in bodies {
        let file = format!("{name}.c");
        folder.write(&file, format!("{head}{body}{main}"));
        let run = folder.norn(&["relax", "-m", "pso", "--json", &file]);
        let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
        let found = (value["cost"].as_u64(), value["cost_before"].as_u64());
        assert_eq!(found, (Some(0), Some(cost)), "{name}: {}{}", run.stdout(), run.stderr());
        if cost > 0 {
            patch(&folder, value["patch"].as_str().expect("a patch"));
        }
        compiles(&folder, &file);
        let again = folder.norn(&["relax", "-m", "pso", &file]);
        assert_eq!(last(&again), "norn: nothing to relax (pso)", "{name}: {}", again.stdout());
    }
}

#[test]
fn several_files_and_headers_are_relaxed_together() {
    let folder = Folder::new("several_files");
    folder.write(
        "set.h",
        "#include <stdatomic.h>\nextern atomic_int x;\nstatic inline void set(void) {\n    atomic_store(&x, 1);\n}\n",
    );
    folder.write("a.c", "#include <pthread.h>\n#include \"set.h\"\natomic_int x;\nvoid *t(void *v);\nint main(void) {\n    pthread_t p;\n    pthread_create(&p, 0, t, 0);\n    set();\n}\n");
    folder.write("b.c", "#include \"set.h\"\nvoid *t(void *v) {\n    set();\n    x = 2;\n    return v;\n}\n");
    let run = folder.norn(&["relax", "-o", "fix.patch", "a.c", "b.c"]);
    assert_eq!(last(&run), "norn: relaxed (pso): 2 places, cost 0 instead of 4", "{}{}", run.stdout(), run.stderr());
    patch(&folder, &fs::read_to_string(folder.path("fix.patch")).expect("the patch"));
    let text = fs::read_to_string(folder.path("set.h")).expect("the header");
    assert!(text.contains("    atomic_store_explicit(&x, 1, memory_order_relaxed);\n"), "{text}");
    assert_eq!(last(&folder.norn(&["relax", "a.c", "b.c"])), "norn: nothing to relax (pso)");
}

//! `norn repair` as a user and a script see it.

mod support;

use norn_ir::number::to_usize;
use std::fs;
use support::patching::{compiles, last, patch};
use support::{Folder, project};

const DOOR: &str = "#include <assert.h>\n#include <pthread.h>\nvolatile int flag[2], inside;\n\
                    void *enter(void *arg) {\n    int me = arg != 0;\n    flag[me] = 1;\n    if (!flag[!me])\n        \
                    assert(++inside == 1);\n    return 0;\n}\n\
                    int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, enter, 0);\n    \
                    enter(&thread);\n}\n";

#[test]
fn a_fence_goes_where_it_is_needed() {
    let folder = Folder::new("a_fence_goes_where_it_is_needed");
    folder.write("door.c", DOOR);
    let run = folder.norn(&["repair", "-m", "tso", "door.c"]);
    let expected = "--- door.c\n+++ door.c\n@@ -4,6 +4,7 @@\n void *enter(void *arg) {\n     int me = arg != 0;\n     \
                    flag[me] = 1;\n+    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n     if (!flag[!me])\n         \
                    assert(++inside == 1);\n     return 0;\n\n\
                    door.c:7: full fence (cost 10), or main reads flag[0] (door.c:7) before its write to flag[1] \
                    (door.c:6) is in memory: assertion failed at door.c:8\n\n\
                    The patched text was checked by ENGINES.\n\
                    norn: repaired (tso): 1 insertion, cost 10\n";
    let stdout = run.stdout();
    // Which engines answer first is a matter of their turns, but they are two.
    let checked = stdout.lines().find_map(|line| line.strip_prefix("The patched text was checked by "));
    let engines = checked.and_then(|words| words.strip_suffix('.')).expect("somebody should have checked it");
    assert!(engines.split_once(" and by ").is_some_and(|(one, other)| one != other), "{engines}");
    assert_eq!((stdout.replace(engines, "ENGINES").as_str(), run.status()), (expected, 0), "{}", run.stderr());
    assert_eq!(fs::read_to_string(folder.path("door.c")).expect("the file"), DOOR, "nothing should be written");
    patch(&folder, &run.stdout());
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "door.c"])), "norn: safe (tso)");
    let again = folder.norn(&["repair", "-m", "tso", "door.c"]);
    assert_eq!((again.stdout().as_str(), again.status()), ("norn: nothing to repair (tso)\n", 0));
}

#[test]
fn files_are_written_where_that_is_asked_for() {
    let folder = Folder::new("files_are_written");
    folder.write("door.c", DOOR);
    let run = folder.norn(&["repair", "-m", "tso,pso", "-o", "fix.patch", "door.c"]);
    assert_eq!((last(&run).as_str(), run.status()), ("norn: repaired (pso): 1 insertion, cost 10", 0));
    let diff = fs::read_to_string(folder.path("fix.patch")).expect("the patch");
    assert!(run.stdout().starts_with(&diff) && diff.contains("\n+    __atomic_thread_fence"), "{diff}");
    assert_eq!(fs::read_to_string(folder.path("door.c")).expect("the file"), DOOR);
    assert_eq!(folder.norn(&["repair", "-i", "door.c"]).status(), 0);
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "door.c"])), "norn: safe (tso)");
    compiles(&folder, "door.c");
}

/// Every program says in its first lines what it costs to repair it, and the patch is one.
#[test]
fn known_algorithms_need_as_many_fences_as_they_say() {
    let folder = Folder::new("known_algorithms");
    let mut checked = 0;
    let mut files =
        fs::read_dir(project().join("crates/norn/tests/repair")).expect("the programs").flatten().collect::<Vec<_>>();
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(file.path()).expect("a program");
        for line in text.lines().filter_map(|line| line.strip_prefix("// repair ")) {
            let (options, expected) = line.split_once(": ").expect("options and what they give");
            folder.write(&name, &text);
            let mut words = vec!["repair"];
            words.extend(options.split(' '));
            words.push(&name);
            let run = folder.norn(&words);
            let model = words[2];
            let (expected, found) = match expected {
                "nothing" => (format!("norn: nothing to repair ({model})"), last(&run)),
                needed => (format!("norn: repaired ({model}): {needed}"), last(&run)),
            };
            let found = found.split(" up to ").next().unwrap_or_default();
            assert_eq!((found, run.status()), (expected.as_str(), 0), "{words:?}: {}", run.stderr());
            checked += 1;
            if expected.starts_with("norn: nothing") {
                continue;
            }
            patch(&folder, &run.stdout());
            compiles(&folder, &name);
            // What was repaired is right, and nothing less is.
            let again = folder.norn(&words);
            assert!(last(&again).starts_with("norn: nothing to repair"), "{words:?}: {}", again.stdout());
        }
    }
    assert!(checked >= 50, "{checked}");
}

#[test]
fn what_no_fence_helps_is_said() {
    let folder = Folder::new("what_no_fence_helps");
    let check = |name: &str, text: &str, options: &[&str], status: i32, expected: &str| {
        folder.write(name, text);
        let run = folder.norn(&[&["repair", name], options].concat());
        assert_eq!((last(&run).as_str(), run.status()), (expected, status), "{}{}", run.stdout(), run.stderr());
        assert_eq!(fs::read_to_string(folder.path(name)).expect("the file"), text);
        assert!(!run.stdout().contains("@@"), "{}", run.stdout());
    };
    let frame = |thread: &str, main: &str, end: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y; int a, b;\nvoid *t(void *v) {{\n{thread}\nreturn v;\n}}\n\
             int main(void) {{\npthread_t p;\npthread_create(&p, 0, t, 0);\n{main}\npthread_join(p, 0);\nassert({end});\n}}\n"
        )
    };
    let lost = frame("x++;", "x++;", "x == 2");
    check("sc.c", &lost, &[], 10, "norn: unsafe (sc): assertion failed at sc.c:13; no fence can help");
    let inside = frame("b = (y = 1, x);", "a = (x = 1, y);", "a || b");
    let expected = "norn: unsafe (tso): assertion failed at inside.c:13; no fence between statements of the user's code excludes this";
    check("inside.c", &inside, &[], 10, expected);
    // Within bounds that hide the bug there is nothing to repair, and the bounds are said.
    let hidden = frame("for (int i = 0; i < 3; i++) ;\ny = 1;\nb = x;", "x = 1;\na = y;", "a || b");
    check("hidden.c", &hidden, &["--unwind", "1"], 0, "norn: nothing to repair (tso) up to unwind 1 at hidden.c:5");
    check("soon.c", &inside, &["--timeout", "0"], 5, "norn: unknown (tso): the time limit was reached");
    check("broken.c", "int main(void) { return x; }\n", &[], 2, "");
    check(
        "unsupported.c",
        &frame("", "void f(void); f();", "1"),
        &[],
        5,
        "norn: unknown (tso): call to the undefined function 'f' at unsupported.c:11",
    );
}

#[test]
fn costs_decide() {
    let folder = Folder::new("costs_decide");
    let text = "#include <assert.h>\n#include <pthread.h>\nvolatile int data, ready;\nvoid *t(void *v) {\n    data = 1;\n    ready = 1;\n    return v;\n}\n\
                int main(void) {\n    pthread_t p;\n    pthread_create(&p, 0, t, 0);\n    if (ready)\n        assert(data == 1);\n}\n";
    folder.write("a.c", text);
    let check = |cost: &[&str], kind: &str, expected: &str| {
        let run = folder.norn(&[&["repair", "-m", "pso", "a.c"], cost].concat());
        assert_eq!(last(&run), expected);
        assert!(run.stdout().contains(&format!("a.c:6: {kind} fence")), "{}", run.stdout());
    };
    check(&[], "release", "norn: repaired (pso): 1 insertion, cost 2");
    check(&["--cost", "full=1,release=3"], "full", "norn: repaired (pso): 1 insertion, cost 1");
    for wrong in ["full=0", "full", "order=0", "release=x", "fence=1"] {
        assert_eq!(folder.norn(&["repair", "--cost", wrong, "a.c"]).status(), 1, "{wrong}");
    }
    assert_eq!(folder.norn(&["repair", "-m", "sc", "a.c"]).status(), 1);
    assert_eq!(folder.norn(&["repair", "--termination", "a.c"]).status(), 1);
}

#[test]
fn text_that_is_hard_to_patch() {
    let folder = Folder::new("text_that_is_hard_to_patch");
    let head = "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y; int a, b;\n";
    let main = "int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); x = 1; a = y; pthread_join(p, 0); assert(a || b); }";
    let bodies = [
        ("one_line", "void *t(void *v) { y = 1; b = x; return v; }\n"),
        (
            "no_braces",
            "void *t(void *v) {\n    if (!v)\n        y = 1;\n    else y = 1;\n    b = x;\n    return v;\n}\n",
        ),
        (
            "at_the_end",
            "void store(void) { y = 1; }\nvoid *t(void *v) { store(); if (y) b = x; else b = 1; return v; }\n",
        ),
        (
            "in_a_loop",
            "void *t(void *v) {\n    for (int i = 0; i < 2; i++) if (i) b = x; else y = 1;\n    return v;\n}\n",
        ),
        ("label", "void *t(void *v) {\n    y = 1;\n    goto out;\nout: b = x;\n    return v;\n}\n"),
        ("macro", "#define BODY y = 1;\n#define LAST b = x\nvoid *t(void *v) { if (!v) { BODY LAST; } return v; }\n"),
        (
            "macro_without_braces",
            "#define SET(v) do { v = 1; } while (0)\nvoid *t(void *v) {\n    if (!v)\n        SET(y);\n    b = x;\n    return v;\n}\n",
        ),
        (
            "switch",
            "void *t(void *v) {\n    switch (v != 0) {\n    case 0: y = 1;\n    default: b = x;\n    }\n    return v;\n}\n",
        ),
        ("windows", "void *t(void *v) {\r\n    y = 1;\r\n    b = x;\r\n    return v;\r\n}\r\n"),
        ("comments", "void *t(void *v) { /* { */ y = 1; /* ; */ b = x; // }\n    return v; }\n"),
    ];
    for (name, body) in bodies {
        let file = format!("{name}.c");
        folder.write(&file, format!("{head}{body}{main}\n"));
        let run = folder.norn(&["repair", "-m", "tso", &file]);
        assert!(
            last(&run).starts_with("norn: repaired (tso): 2 insertions, cost "),
            "{name}: {}{}",
            run.stdout(),
            run.stderr()
        );
        assert_eq!(folder.norn(&["repair", "-i", &file]).status(), 0, "{name}");
        compiles(&folder, &file);
        let checked = folder.norn(&["check", "-m", "tso", &file]);
        assert_eq!(last(&checked), "norn: safe (tso)", "{name}: {}", run.stdout());
    }
}

#[test]
fn headers_of_the_users_are_repaired_too() {
    let folder = Folder::new("headers_are_repaired");
    folder.write("lock.h", "static volatile int flag[2], inside;\nstatic int enter(int me) {\n    flag[me] = 1;\n    return !flag[!me];\n}\n");
    let main = "#include <assert.h>\n#include <pthread.h>\n#include \"lock.h\"\nvoid *t(void *v) {\n    if (enter(v != 0))\n        assert(++inside == 1);\n    return v;\n}\n\
                int main(void) {\n    pthread_t p;\n    pthread_create(&p, 0, t, 0);\n    t(&p);\n}\n";
    folder.write("main.c", main);
    let run = folder.norn(&["repair", "main.c"]);
    assert!(run.stdout().starts_with("--- lock.h\n+++ lock.h\n"), "{}{}", run.stdout(), run.stderr());
    patch(&folder, &run.stdout());
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "main.c"])), "norn: safe (tso)");
}

/// Of atomic accesses the order can be stronger, which costs less than a fence; plain ones become atomic where that is asked for.
#[test]
fn orders_are_made_stronger() {
    let folder = Folder::new("orders_are_made_stronger");
    let text = fs::read_to_string(project().join("crates/norn/tests/repair/chase_lev.c")).expect("a program");
    folder.write("deque.c", &text);
    let run = folder.norn(&["repair", "-m", "pso", "deque.c"]);
    assert_eq!(last(&run), "norn: repaired (pso): 2 insertions, cost 3");
    assert!(run.stdout().contains("deque.c:19: release store (cost 1), or main writes bottom"), "{}", run.stdout());
    assert!(run.stdout().contains("deque.c:25: seq_cst store (cost 2), or main reads top"), "{}", run.stdout());
    let run = folder.norn(&["repair", "-m", "tso", "--cost", "full=3,order=2", "deque.c"]);
    assert_eq!(last(&run), "norn: repaired (tso): 1 insertion, cost 3");
    let run = folder.norn(&["repair", "-m", "tso", "--with", "orders", "--cost", "full=3,order=2", "deque.c"]);
    assert_eq!(last(&run), "norn: repaired (tso): 1 insertion, cost 4");
    folder.write("door.c", DOOR);
    let run = folder.norn(&["repair", "-m", "tso", "--with", "fences,atomics", "--html", "page.html", "door.c"]);
    assert_eq!(last(&run), "norn: repaired (tso): 1 insertion, cost 3");
    assert!(run.stdout().contains("+    __atomic_store_n(&flag[me], 1, __ATOMIC_SEQ_CST);\n"), "{}", run.stdout());
    patch(&folder, &run.stdout());
    compiles(&folder, "door.c");
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "door.c"])), "norn: safe (tso)");
    assert!(fs::read_to_string(folder.path("page.html")).expect("the page").contains("atomic seq_cst store"));
}

/// What is free of data races only with both needs both.
#[test]
fn data_races_are_repaired_by_atomic_accesses() {
    let folder = Folder::new("data_races_are_repaired");
    let text = "#include <pthread.h>\nint data, ready, out;\nvoid *t(void *v) {\n    data = 1;\n    ready = 1;\n    return v;\n}\n\
                int main(void) {\n    pthread_t p;\n    pthread_create(&p, 0, t, 0);\n    if (ready)\n        out = data;\n}\n";
    folder.write("a.c", text);
    let run = folder.norn(&["repair", "--data-race", "a.c"]);
    assert_eq!(run.status(), 10, "{}", run.stdout());
    let run = folder.norn(&["repair", "--data-race", "--with", "atomics", "-i", "a.c"]);
    assert_eq!(last(&run), "norn: repaired (tso): 2 insertions, cost 4", "{}", run.stdout());
    assert!(run.stdout().contains("+    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))\n"), "{}", run.stdout());
    compiles(&folder, "a.c");
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "--data-race", "a.c"])), "norn: safe (tso)");
}

#[test]
fn fences_stand_in_library_code_only_if_asked_for() {
    let folder = Folder::new("library_code");
    let head = "#include <assert.h>\n#include <pthread.h>\n";
    let lock = "# 1 \"/usr/include/lock.h\" 1 3\nstatic volatile int flag[2], inside;\nstatic int enter(int me) {\n    flag[me] = 1;\n    return !flag[!me];\n}\n";
    let main = "# 3 \"main.c\" 2\nvoid *t(void *v) {\n    if (enter(v != 0))\n        assert(++inside == 1);\n    return v;\n}\n\
                int main(void) {\n    pthread_t p;\n    pthread_create(&p, 0, t, 0);\n    t(&p);\n}\n";
    folder.write("main.c", format!("{head}{lock}{main}"));
    let run = folder.norn(&["repair", "main.c"]);
    let expected = "norn: unsafe (tso): assertion failed at main.c:5; no fence between statements of the user's code excludes this";
    assert_eq!((last(&run).as_str(), run.status()), (expected, 10), "{}", run.stderr());
    let run = folder.norn(&["repair", "--library", "main.c"]);
    assert_eq!(last(&run), "norn: repaired (tso): 1 insertion, cost 10", "{}", run.stdout());
    assert!(run.stdout().contains("     flag[me] = 1;\n+    __atomic_thread_fence"), "{}", run.stdout());
}

#[test]
fn json_has_everything() {
    let folder = Folder::new("json_has_everything");
    folder.write("door.c", DOOR);
    let run = folder.norn(&["repair", "--json", "door.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
    assert_eq!((&value["verdict"], &value["model"], &value["cost"]), (&"repaired".into(), &"tso".into(), &10.into()));
    let insertion = &value["insertions"][0];
    assert_eq!((&insertion["file"], &insertion["kind"]), (&"door.c".into(), &"full fence".into()));
    assert_eq!(insertion["line"].as_u64().map(to_usize), Some(7));
    assert!(insertion["why"].as_str().is_some_and(|why| why.contains("flag[1]")), "{insertion}");
    patch(&folder, value["patch"].as_str().expect("the patch"));
    assert_eq!(last(&folder.norn(&["check", "-m", "tso", "door.c"])), "norn: safe (tso)");
}

//! Headers, models and the example programs are C that a C compiler accepts, without a warning, for both targets.

use norn_c::library;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGETS: [&str; 2] = ["-m64", "-m32"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/library").join(name)
}

/// Feeds a text to the machine's C compiler, which finds no other headers than ours. What it has to say must be nothing.
fn check(what: &str, text: &str, target: &str) {
    let mut compiler = Command::new("cc")
        .args([
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-ffreestanding",
            "-nostdinc",
            "-msse2",
            "-fsyntax-only",
            target,
        ])
        .arg("-I")
        .arg(folder("headers"))
        .args(["-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C compiler named 'cc' should be installed");
    let mut input = compiler.stdin.take().expect("the input is a pipe");
    std::io::Write::write_all(&mut input, text.as_bytes()).expect("the compiler should read its input");
    drop(input);
    let output = compiler.wait_with_output().expect("the compiler should end");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{what} with {target}:\n{said}");
}

#[test]
fn each_header_stands_alone_and_twice() {
    for target in TARGETS {
        for name in library::header_names() {
            let text = format!("#define _GNU_SOURCE\n#include <{name}>\n#include <{name}>\nextern int something;\n");
            check(name, &text, target);
        }
    }
}

#[test]
fn all_headers_agree() {
    // iso646.h turns words such as `and` into operators, which no other header has to expect.
    let mut names: Vec<_> = library::header_names().filter(|name| *name != "iso646.h").collect();
    for order in ["sorted", "reversed"] {
        let text = names.iter().fold(String::new(), |mut text, name| {
            let _ = writeln!(text, "#include <{name}>");
            text
        });
        for target in TARGETS {
            check(order, &text, target);
        }
        names.reverse();
    }
}

#[test]
fn each_model_compiles() {
    for target in TARGETS {
        for name in library::model_names() {
            let text = library::model_text(name).expect("a listed model has a text");
            check(name, text, target);
            // Behind the public headers, so that definitions and declarations agree.
            let behind = [
                "pthread",
                "threads",
                "semaphore",
                "stdlib",
                "stdio",
                "string",
                "time",
                "unistd",
                "sched",
                "errno",
                "stdint",
            ];
            let includes = String::from("#define _GNU_SOURCE\n")
                + &behind.map(|header| format!("#include <{header}.h>\n")).concat();
            check(name, &(includes + text), target);
        }
    }
}

#[test]
fn atomics_and_assertions_can_be_used_as_expressions() {
    let text = r#"
        #include <assert.h>
        #include <stdatomic.h>
        #include <x86intrin.h>
        static _Atomic int number;
        static atomic_bool truth;
        static atomic_flag flag = ATOMIC_FLAG_INIT;
        static long long *_Atomic pointer;
        _Static_assert(__norn_atomic_unit(&number) == 1, "counts numbers");
        _Static_assert(__norn_atomic_unit(&pointer) == 8, "counts elements");
        int use(int e);
        int use(int e) {
            atomic_init(&number, 3);
            atomic_fetch_add(&pointer, 1);
            atomic_store_explicit(&truth, 1, memory_order_release);
            atomic_thread_fence(memory_order_seq_cst);
            return assert(e), _mm_mfence(), _mm_pause(), atomic_compare_exchange_strong(&number, &e, 1)
                + atomic_fetch_sub_explicit(&number, -1, memory_order_relaxed) + atomic_flag_test_and_set(&flag)
                + atomic_load(&truth);
        }
    "#;
    for target in TARGETS {
        check("atomics", text, target);
    }
}

/// The lines `// expect [OPTIONS]: sc VERDICT, tso VERDICT, pso VERDICT` of an example, as options and verdicts.
fn expectations(text: &str) -> Vec<(&str, Vec<&str>)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("// expect"));
    lines
        .filter_map(|line| line.split_once(": "))
        .map(|(options, verdicts)| (options, verdicts.split(", ").collect()))
        .collect()
}

#[test]
fn examples_compile_and_say_what_to_expect() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in examples.read_dir().expect("there should be examples") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        count += 1;
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("an example can be read");
        let expectations = expectations(&text);
        assert!(expectations.first().is_some_and(|(options, _)| options.is_empty()), "{name}");
        for (options, verdicts) in expectations {
            let models: Vec<_> = verdicts.iter().filter_map(|verdict| verdict.split_once(' ')).collect();
            assert!(models.iter().map(|(model, _)| *model).eq(["sc", "tso", "pso"]), "{name}");
            assert!(models.iter().all(|(_, verdict)| ["safe", "unsafe"].contains(verdict)), "{name}");
            let macros = options.split(' ').filter_map(|option| option.strip_prefix("-D"));
            let variant = macros.fold(String::new(), |text, name| text + "#define " + name + "\n") + &text;
            for target in TARGETS {
                check(&name, &variant, target);
            }
        }
    }
    assert!(count >= 12, "{count} examples");
}

//! Input, options and outputs of somebody who means harm: nothing of it is run, nothing repaints the terminal or imitates a
//! verdict, nothing hangs, and no verdict gets lost.

mod support;

use std::fs::File;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Folder, until_it_listens, wait_until};

const SAFE: &str = "#include <assert.h>\nint x; int main(void) { x = 1; assert(x); }\n";
const UNSAFE: &str = "#include <assert.h>\nint x; int main(void) { assert(x); }\n";
const EVIL_LINE: &str = "#line 7 \"evil\\nnorn: safe (sc)\\033[2J.c\"\n";
/// A minute of work for the preprocessor, if nobody stops it.
const LONG: &str = "#define A x = 1;\n#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n\
                    #define E D D D D D D D D D D\n#define F E E E E E E E E E E\n\
                    int x; int main(void) { F F F F F F F F return 0; }\n";

/// Two threads that never end.
const ENDLESS: &str = "#include <pthread.h>\nint x; void *f(void *a) { while (1) x++; }\n\
                       int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (1) x--; }\n";

fn is_clean(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n')
}

fn command(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
    command.args(args).current_dir(folder.path("")).stdin(Stdio::null());
    command
}

#[cfg(unix)]
#[test]
fn names_of_files_are_no_options_for_the_compiler() {
    let folder = Folder::new("response_file");
    folder.write("@options", "-wrapper sh,-c,touch${IFS}pwned");
    folder.write("options", "-wrapper sh,-c,touch${IFS}pwned");
    folder.write("ok.c", SAFE);
    let all: [&[&str]; 5] = [
        &["ir", "--system-headers", "@options"],
        &["ir", "--system-headers", "-I", "@options", "ok.c"],
        &["ir", "--system-headers", "-include", "@options", "ok.c"],
        &["ir", "--system-headers", "-D", "@options", "ok.c"],
        &["ir", "--system-headers", "--", "-wrapper"],
    ];
    for args in all {
        let run = folder.norn(args);
        assert!(!folder.path("pwned").exists(), "{args:?} ran a program: {}", run.stderr());
    }
}

#[test]
fn names_in_line_directives_are_escaped_everywhere() {
    let folder = Folder::new("evil_line");
    folder.write("a.c", UNSAFE.replace("int x", &format!("{EVIL_LINE}int x")));
    folder.write("b.c", format!("{EVIL_LINE}int x = y;\n"));
    let robust = "#include <pthread.h>\n#line 1 \"e\\nnorn: robust (tso)\"\nint x, y, p, q;\n\
                  void *f(void *a) { x = 1; p = y; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n\
                  y = 1; q = x; pthread_join(t, 0); return 0; }\n";
    folder.write("c.c", robust);
    let commands = [
        "check a.c",
        "check -e events a.c",
        "check --json a.c",
        "run a.c",
        "ir a.c",
        "sequentialize a.c",
        "check b.c",
        "robust -m tso c.c",
        "robust -m tso --json c.c",
        "check --show-loops a.c",
        "check --unwind a.c:1=2 a.c",
    ];
    for line in commands {
        let run = folder.norn(&line.split(' ').collect::<Vec<_>>());
        let said = run.stdout() + &run.stderr();
        assert!(is_clean(&said), "{line}: {said:?}");
        assert!(said.lines().all(|l| l != "norn: safe (sc)" && l != "norn: robust (tso)"), "{line}: {said}");
        assert!(line.contains("loops") || line.contains("unwind") || said.contains("e"), "{line}: {said}");
    }
    let last = folder.norn(&["check", "a.c"]).stdout().lines().last().map(str::to_owned);
    assert_eq!(last.as_deref(), Some("norn: unsafe (sc): assertion failed at evil\\nnorn: safe (sc)\\x1b[2J.c:7"));
}

#[cfg(unix)]
#[test]
fn names_of_files_and_words_of_the_command_line_are_escaped() {
    let folder = Folder::new("evil_names");
    let name = "x\nnorn: safe (sc)\u{1b}[2J.c";
    folder.write(name, UNSAFE);
    folder.write("x\nnorn: 3 answers compared\u{1b}[2J.litmus", "PPC x\n{}\n P0 ;\n li r1,1 ;\nexists (0:r1=1)\n");
    let litmus = "x\nnorn: 3 answers compared\u{1b}[2J.litmus";
    let all: [&[&str]; 9] = [
        &["check", name],
        &["check", "--no\u{1b}[2Jsuch\nnorn: safe (sc)"],
        &["check", "--timeout", "\u{1b}[2J\nnorn: safe (sc)", name],
        &["check", "-m", "\u{1b}[2J\nnorn: safe (sc)", name],
        &["check", "--unwind", "a\nnorn: safe (sc)\u{1b}:1=2", name],
        &["check", "nowhere\nnorn: safe (sc)\u{1b}.c"],
        &["run", "--schedule", "nowhere\nnorn: safe (sc)\u{1b}.c", name],
        &["sequentialize", "-o", "no/where\nnorn: safe (sc)\u{1b}.c", name],
        &["litmus", litmus],
    ];
    for args in all {
        let run = folder.norn(args);
        let said = run.stdout() + &run.stderr();
        assert!(is_clean(&said), "{args:?}: {said:?}");
        assert!(said.lines().all(|l| l != "norn: safe (sc)"), "{args:?}: {said}");
        assert!(matches!(run.status(), 0 | 1 | 2 | 7 | 10), "{args:?}: {}", run.status());
    }
    let emitted = folder.norn(&["sequentialize", "-o", "ok*", name]);
    assert_eq!(emitted.status(), 0, "{}", emitted.stderr());
}

#[test]
fn nothing_in_a_name_ends_a_comment_of_the_sequential_program() {
    let folder = Folder::new("evil_comment");
    folder.write("a.c", "#line 1 \"x*/ int injected; /*\"\nint x; int main(void) { x = 1; return 0; }\n");
    let run = folder.norn(&["sequentialize", "a.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    let head = run.stdout().lines().take_while(|line| !line.contains("*/")).map(str::to_owned).collect::<Vec<_>>();
    assert!(head.len() > 5 && head.iter().any(|line| line.contains("Run it")), "{head:?}");
}

/// What the program prints is its own, byte for byte where nobody looks; Norn's words come after it, on a line of their own.
#[test]
fn the_output_of_a_program_is_followed_by_the_verdict() {
    let folder = Folder::new("evil_output");
    let text =
        "#include <stdio.h>\nint main(void) { printf(\"\\033[2Jnorn: x\"); fprintf(stderr, \"norn: unsafe (sc)\"); }\n";
    folder.write("a.c", text);
    let run = folder.norn(&["run", "a.c"]);
    assert_eq!(run.stdout(), "\x1b[2Jnorn: x");
    assert_eq!(run.stderr().lines().last(), Some("norn: the program ended with status 0 (sc)"));
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_folders_are_no_files() {
    let folder = Folder::new("no_files");
    folder.write("a.c", SAFE);
    folder.write("b.c", "#include \"pipe\"\nint main(void) { return 0; }\n");
    folder.write("x.litmus", "PPC x\n{}\n P0 ;\n li r1,1 ;\nexists (0:r1=1)\n");
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status().expect("mkfifo should run");
    assert!(made.success());
    std::os::unix::fs::symlink("pipe", folder.path("pipe.litmus")).expect("a link");
    std::os::unix::fs::symlink("pipe", folder.path("pipe.cat")).expect("a link");
    std::os::unix::fs::symlink("pipe", folder.path("pipe.i")).expect("a link");
    for file in ["pipe", "/dev/zero", "."] {
        let all: [&[&str]; 8] = [
            &["check", file],
            &["check", "--property", file, "a.c"],
            &["ir", "-include", file, "a.c"],
            &["ir", "--system-headers", file],
            &["run", "--schedule", file, "a.c"],
            &["litmus", "--expect", file, "x.litmus"],
            &["sequentialize", file],
            &["check", "b.c"],
        ];
        for args in all {
            let start = Instant::now();
            let run = folder.norn(args);
            assert_eq!(run.status(), 2, "{args:?}: {}", run.stderr());
            let says = ["is a pipe", "is a device", "is a directory", "cannot find '.'"];
            assert!(says.iter().any(|s| run.stderr().contains(s)), "{args:?}: {}", run.stderr());
            assert!(start.elapsed() < Duration::from_secs(20), "{args:?}");
        }
    }
    assert_eq!(folder.norn(&["litmus", "pipe.litmus"]).status(), 2);
    assert_eq!(folder.norn(&["litmus", "-m", "pipe.cat", "x.litmus"]).status(), 2);
    assert_eq!(folder.norn(&["litmus", "/dev/zero"]).status(), 2);
    assert_eq!(folder.norn(&["ir", "pipe.i"]).status(), 2);
}

#[cfg(unix)]
#[test]
fn files_without_end_are_not_read_to_their_end() {
    let folder = Folder::new("huge_files");
    folder.write("a.c", SAFE);
    for name in ["huge", "huge.cat"] {
        let huge = File::create(folder.path(name)).and_then(|file| file.set_len(1 << 40));
        huge.expect("a file with a hole should be made");
    }
    let all: [&[&str]; 5] = [
        &["check", "huge"],
        &["run", "--schedule", "huge", "a.c"],
        &["litmus", "huge"],
        &["litmus", "--expect", "huge", "."],
        &["litmus", "-m", "huge.cat", "."],
    ];
    for args in all {
        let run = folder.norn(args);
        assert_eq!(run.status(), 2, "{args:?}: {}", run.stderr());
        assert!(run.stderr().contains("MiB"), "{args:?}: {}", run.stderr());
    }
}

#[test]
fn options_at_the_ends_of_their_ranges() {
    let folder = Folder::new("ranges");
    folder.write(
        "a.c",
        "#include <assert.h>\nint x; int main(void) { for (int i = 0; i < 3; i++) x++; assert(x == 3); }\n",
    );
    folder.write("x.litmus", "PPC x\n{}\n P0 ;\n li r1,1 ;\nexists (0:r1=1)\n");
    let most = u64::MAX.to_string();
    let far = u32::MAX.to_string();
    let wrong = ["", "-1", "nan", "inf", "1e300", "0x10", "99999999999999999999999"];
    let options = ["--memory", "--unwind", "--rounds", "--bits", "--executions", "--thread-order"];
    for option in options {
        for value in wrong {
            let run = folder.norn(&["check", &format!("{option}={value}"), "a.c"]);
            assert_eq!(run.status(), 1, "{option} '{value}': {}", run.stderr());
        }
    }
    for value in &wrong[..6] {
        assert_eq!(folder.norn(&["check", &format!("--timeout={value}"), "a.c"]).status(), 1, "{value}");
        assert_eq!(folder.norn(&["run", &format!("--seed={value}"), "a.c"]).status(), 1, "{value}");
        assert_eq!(folder.norn(&["litmus", &format!("-j={value}"), "x.litmus"]).status(), 1, "{value}");
    }
    let fine: [&[&str]; 11] = [
        &["check", "--timeout", &most, "a.c"],
        &["check", "--timeout", "99999999999999999999999", "a.c"],
        &["check", "--memory", &most, "a.c"],
        &["check", "--unwind", &far, "a.c"],
        &["check", "--unwind", &format!("a.c:2={far}"), "a.c"],
        &["check", "-e", "rounds", "--rounds", &far, "a.c"],
        &["check", "-e", "stateless", "--executions", &most, "a.c"],
        &["run", "--seed", &most, "--max-steps", &most, "--timeout", &most, "a.c"],
        &["litmus", "-j", &most, "--timeout", &most, "x.litmus"],
        &["sequentialize", "--locations", &far, "--mallocs", &far, "a.c"],
        &["check", "--bits", "64", "-e", "rounds", "a.c"],
    ];
    for args in fine {
        let run = folder.norn(args);
        assert_eq!(run.status(), 0, "{args:?}: {}", run.stderr());
    }
    assert_eq!(folder.norn(&["run", "--max-steps", "0", "a.c"]).status(), 5);
    // Something so small may be decided before anybody looks.
    assert!(matches!(folder.norn(&["check", "--timeout", "0", "a.c"]).status(), 0 | 5));
    assert!(matches!(folder.norn(&["check", "--memory", "0", "a.c"]).status(), 0 | 5));
    assert_eq!(folder.norn(&["litmus", "-j", "0", "x.litmus"]).status(), 1);
    assert_eq!(folder.norn(&["check", "--unwind", "a.c:99=1", "a.c"]).status(), 1);
}

#[test]
fn tables_are_as_wide_as_somebody_can_read() {
    let folder = Folder::new("columns");
    folder.write("a.c", UNSAFE);
    for columns in ["0", "1", "100000000", "18446744073709551615", "-1", "x", ""] {
        let output = command(&folder, &["check", "a.c"]).env("COLUMNS", columns).output().expect("norn should run");
        assert_eq!(output.status.code(), Some(10), "COLUMNS={columns}");
        assert!(output.stdout.len() < 100_000, "COLUMNS={columns}: {} bytes", output.stdout.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_a_status_of_its_own() {
    let folder = Folder::new("full");
    folder.write("a.c", UNSAFE);
    folder.write("x.litmus", "PPC x\n{}\n P0 ;\n li r1,1 ;\nexists (0:r1=1)\n");
    let full = || File::options().write(true).open("/dev/full").expect("/dev/full");
    let lines = [
        "check a.c",
        "check --json a.c",
        "run a.c",
        "ir a.c",
        "sequentialize a.c",
        "litmus x.litmus",
        "--help",
        "--version",
        "check --help",
        "check --show-loops a.c",
    ];
    for line in lines {
        let mut command = command(&folder, &line.split(' ').collect::<Vec<_>>());
        let output = command.stdout(full()).output().expect("norn should run");
        // `run` says nothing there, unless the program does.
        let expected = if line.starts_with("run") { 10 } else { 7 };
        assert_eq!(output.status.code(), Some(expected), "{line}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{line}");
    }
    for line in [
        "check --schedule-out /dev/full a.c",
        "sequentialize -o /dev/full a.c",
        "sequentialize --for cc -o b.c --choices-out /dev/full a.c",
    ] {
        let run = folder.norn(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.status(), 7, "{line}");
        assert!(
            !line.starts_with("check") || run.stdout().contains("norn: unsafe (sc)"),
            "{line}: the verdict is lost"
        );
    }
    // Diagnostics that cannot be shown do not change what is found.
    let output = command(&folder, &["check", "--stats", "a.c"]).stderr(full()).output().expect("norn should run");
    assert_eq!(output.status.code(), Some(10));
    // Nobody reads.
    let mut child =
        command(&folder, &["ir", "a.c"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("norn");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("norn should end").code(), Some(7));
}

#[test]
fn the_time_limit_holds_for_reading_too() {
    let folder = Folder::new("long_reading");
    folder.write("a.c", LONG);
    for args in [
        &["check", "--timeout", "0.2", "a.c"][..],
        &["robust", "--timeout", "0.2", "a.c"],
        &["run", "--timeout", "0.2", "a.c"],
        &["sequentialize", "--timeout", "0.2", "a.c"],
    ] {
        let (run, took) = folder.norn_measured(args);
        let said = run.stdout() + &run.stderr();
        assert_eq!(run.status(), 5, "{args:?}: {said}");
        assert!(said.contains("the time limit was reached"), "{args:?}: {said}");
        assert!(took < Duration::from_millis(1200), "{args:?}: {took:?}");
    }
    let run = folder.norn(&["check", "--json", "-m", "sc,tso", "--timeout", "0.2", "a.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    let verdicts = support::verdicts(&value);
    assert_eq!(verdicts.iter().map(|v| &v["verdict"]).collect::<Vec<_>>(), ["unknown", "unknown"]);
}

#[cfg(unix)]
#[test]
fn signals_end_every_command() {
    let folder = Folder::new("signals");
    folder.write("a.c", LONG);
    folder.write("b.c", ENDLESS);
    let wait = |mut child: Child| {
        let status = child.wait().expect("norn should end");
        let mut said = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (status.code(), said)
    };
    for (line, prints) in [
        ("ir a.c", ""),
        ("sequentialize a.c", ""),
        ("check a.c", "norn: unknown (sc): interrupted\n"),
        ("run --max-steps 99999999999 b.c", ""),
    ] {
        for signal in ["-INT", "-TERM"] {
            let words = line.split(' ').collect::<Vec<_>>();
            let child = command(&folder, &words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("norn");
            until_it_listens(&child);
            std::thread::sleep(Duration::from_millis(300));
            let start = Instant::now();
            Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
            assert_eq!(wait(child), (Some(130), prints.to_owned()), "{line} {signal}");
            assert!(start.elapsed() < Duration::from_secs(2), "{line} {signal}");
        }
    }
}

#[test]
fn nothing_is_echoed_at_length() {
    let folder = Folder::new("long_texts");
    let long = "z".repeat(10 << 20);
    let number = "9".repeat(10 << 20);
    let texts = [
        format!("int main(void) {{ return {long}; }}\n"),
        format!("int main(void) {{ return {number}; }}\n"),
        format!("int main(void) {{ return \"{long}\" + {{; }}\n"),
        format!("#include \"{long}\"\n"),
        format!("#error {long}\n"),
        format!("#line 3 \"{long}\"\nint main(void) {{ return y; }}\n"),
        format!("int {long}(void); int main(void) {{ return {long}(); }}\n"),
        format!("#include <assert.h>\nint {long}; int main(void) {{ assert({long}); }}\n"),
        format!("#include <assert.h>\n#line 3 \"{long}\"\nint x; int main(void) {{ assert(x); }}\n"),
    ];
    for text in texts {
        let start = text[..60].to_owned();
        folder.write("a.c", text);
        let run = folder.norn(&["check", "--timeout", "20", "a.c"]);
        assert!(
            run.stdout().len() + run.stderr().len() < 20_000,
            "{start}: {} bytes",
            run.stdout().len() + run.stderr().len()
        );
        assert!(matches!(run.status(), 2 | 5 | 10), "{start}: {}", run.status());
    }
}

#[test]
fn many_findings_are_bounded() {
    let folder = Folder::new("many_findings");
    folder.write("errors.c", "int f(void) { return y; }\n".repeat(20_000));
    let calls = (0..5_000).map(|i| format!("  g{i}();\n")).collect::<String>();
    folder.write("warnings.c", format!("int main(void) {{\n{calls}  return 0;\n}}\n"));
    for name in ["errors.c", "warnings.c"] {
        let run = folder.norn(&["check", "--timeout", "20", name]);
        assert!(run.stderr().len() < 200_000, "{name}: {} bytes", run.stderr().len());
        assert!(matches!(run.status(), 2 | 5), "{name}: {}", run.status());
    }
    assert!(folder.norn(&["ir", "warnings.c"]).stderr().contains("the others are not shown"));
}

/// Files that are used again: what they hold is expanded, not their names.
#[test]
fn bombs_of_includes_and_macros_are_bounded() {
    let folder = Folder::new("bombs");
    for i in 0..30 {
        folder.write(&format!("h{i}.h"), format!("#include \"h{}.h\"\n#include \"h{}.h\"\n", i + 1, i + 1));
    }
    folder.write("h30.h", "int x;\n");
    folder.write("includes.c", "#include \"h0.h\"\nint main(void) { return 0; }\n");
    let text = "x".repeat(1000);
    let arguments = (0..40).map(|i| format!("#define A{}(a) A{i}(a a)\n", i + 1)).collect::<String>();
    folder.write("macros.c", format!("#define A0(a) a\n{arguments}int main(void) {{ A40({text}); return 0; }}\n"));
    let pasted = (0..40).map(|i| format!("#define P{}(a) P{i}(a##a)\n", i + 1)).collect::<String>();
    folder.write("paste.c", format!("#define P0(a) a\n{pasted}int P40(abcdefgh);\nint main(void) {{ return 0; }}\n"));
    let strings = (0..40).map(|i| format!("#define S{} S{i} S{i}\n", i + 1)).collect::<String>();
    folder.write("strings.c", format!("#define S0 \"abc\"\n{strings}char *s = S40;\nint main(void) {{ return 0; }}\n"));
    for name in ["includes.c", "macros.c", "paste.c", "strings.c"] {
        let start = Instant::now();
        let run = folder.norn(&["check", "--timeout", "5", "--memory", "4000", name]);
        assert!(matches!(run.status(), 2 | 5), "{name}: {} {}", run.status(), run.stderr());
        assert!(start.elapsed() < Duration::from_secs(8), "{name}: {:?}", start.elapsed());
    }
}

/// The tool is ended when its time is over or a signal comes, and nothing is left behind.
#[cfg(unix)]
#[test]
fn a_backend_leaves_nothing_behind() {
    let folder = Folder::new("backend");
    folder.write("a.c", SAFE);
    let tool = folder.write("tool", "#!/bin/sh\nls -ld \"$(dirname \"$1\")\" > seen\nexec sleep 600\n");
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script");
    std::fs::create_dir(folder.path("tmp")).expect("a folder");
    let with_tool = |more: &[&str]| {
        let backend = tool.display().to_string();
        let mut command = command(&folder, &[&["check", "--backend", &backend, "a.c"], more].concat());
        command.env("TMPDIR", folder.path("tmp"));
        command
    };
    let start = Instant::now();
    let output = with_tool(&["--timeout", "1"]).output().expect("norn should run");
    assert_eq!(output.status.code(), Some(5));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    std::fs::remove_file(folder.path("seen")).expect("the tool should have been run");
    let child = with_tool(&[]).stdout(Stdio::null()).spawn().expect("norn");
    let seen = || std::fs::read_to_string(folder.path("seen")).unwrap_or_default();
    wait_until("the tool should be run", || seen().ends_with('\n'));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
    let mut child = child;
    assert_eq!(child.wait().expect("norn should end").code(), Some(130));
    assert!(seen().starts_with("drwx------"), "{}", seen());
    let left = std::fs::read_dir(folder.path("tmp")).expect("a folder").count();
    assert_eq!(left, 0, "temporary files are left");
}

/// The system may allow less memory than Norn would take: that is an answer too, not an abort.
#[test]
fn a_limit_of_the_system_on_memory_ends_in_unknown() {
    let folder = Folder::new("hostile-address-space");
    folder.write(
        "a.c",
        "#include <pthread.h>\n#include <assert.h>\nint x, y;\n\
         void *t(void *p) { while (1) { x++; y += x; } }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); assert(y >= 0 || y < 0); }\n",
    );
    for kilobytes in [200_000, 700_000, 2_000_000] {
        for engine in ["states", "enumerate", "events"] {
            let norn = env!("CARGO_BIN_EXE_norn");
            let line = format!("ulimit -v {kilobytes}; exec '{norn}' check --timeout 4 -e {engine} a.c");
            let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).output();
            let output = output.expect("a shell should start");
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(5), "{kilobytes} {engine}: {said}{output:?}");
            assert!(said.contains("norn: unknown (sc): "), "{kilobytes} {engine}: {said}");
        }
    }
}

/// What a hostile name breaks in a file beside the output: the element or the quotes that it stands in, or the terminal.
#[test]
fn names_break_no_page_no_graph_and_no_log() {
    let folder = Folder::new("evil_formats");
    let long = "n".repeat(10_000);
    let program = format!(
        "#line 1 \"</script><script>alert(1)</script><!--\\\"\\n\\033[2J&amp;.c\"\n#include <pthread.h>\n#include <assert.h>\n\
         int x, y, \u{5d0}\u{5d1}; void *f_{long}(void *a) {{ x = 1; \u{5d0}\u{5d1} = y; /* </script>\u{202e} */ return a; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, f_{long}, 0); y = 1; int seen = x;\n\
         pthread_join(t, 0); assert(seen || \u{5d0}\u{5d1} || !\"</script>\\\"<b>'\"); return 0; }}\n"
    );
    folder.write("a.c", program);
    let run = folder.norn(&["check", "-m", "tso", "--html", "a.html", "--sarif", "a.sarif", "--dot", "a.dot", "a.c"]);
    assert_eq!(run.status(), 10, "{}{}", run.stdout(), run.stderr());
    assert!(is_clean(&(run.stdout() + &run.stderr())));
    let last = run.stdout().lines().last().map(str::to_owned).unwrap_or_default();
    assert!(last.starts_with("norn: unsafe (tso): assertion failed at </script>"), "{last}");
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect("the file should be written");
    let (page, log, graph) = (read("a.html"), read("a.sarif"), read("a.dot"));
    for (name, text) in [("page", &page), ("log", &log), ("graph", &graph)] {
        assert!(is_clean(text), "{name}");
        assert!(!text.contains(['\u{202e}', '\u{2028}']), "{name}");
        assert!(text.len() < 1_000_000, "{name} has {} bytes", text.len());
    }
    // Two script elements of Norn's, both closed, and no other tag that the program brought along.
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(
        !page.contains("<!--") && !page.contains("<b>") && !page.contains("alert(1)</"),
        "a name got into the markup"
    );
    assert!(serde_json::from_str::<serde_json::Value>(&log).is_ok());
    for line in graph.lines() {
        let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert!(quotes % 2 == 0, "{line}");
    }
}

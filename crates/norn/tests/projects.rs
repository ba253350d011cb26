//! Projects: files, options and what is linked, from a database of compile commands.

mod support;

use serde_json::json;
use support::{Folder, Run};

const MAIN: &str = "#include <assert.h>\n#include <pthread.h>\n#include \"count.h\"\n\
    static void *up(void *unused) { count_up(); return unused; }\n\
    int main(void) {\n    pthread_t t; pthread_create(&t, 0, up, 0);\n    count_up(); pthread_join(t, 0);\n\
    assert(count_get() == STEPS);\n}\n";
const COUNT: &str = "#include \"count.h\"\n#include <pthread.h>\n#ifdef LOCKED\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n#define LOCK pthread_mutex_lock(&m)\n\
    #define UNLOCK pthread_mutex_unlock(&m)\n#else\n#define LOCK (void)0\n#define UNLOCK (void)0\n#endif\n\
    static int count;\nvoid count_up(void) { LOCK; count++; UNLOCK; }\nint count_get(void) { return count; }\n";

/// A project with a library in `src`, a header in `inc`, two programs in `app`, and a file that is not C.
fn project(test: &str) -> Folder {
    let folder = Folder::new(&format!("projects_{test}"));
    for name in ["src", "inc", "app", "build", "my inc"] {
        std::fs::create_dir_all(folder.path(name)).expect("the folder should be made");
    }
    folder.write("inc/count.h", "void count_up(void);\nint count_get(void);\n");
    folder.write("src/count.c", COUNT);
    folder.write("app/two.c", MAIN);
    folder.write("app/other.c", "int main(void) { return 0; }\n");
    folder.write("app/broken.c", "#include <no/such.h>\nint unrelated(void) { return count_get(); }\n");
    folder.write("src/more.cc", "class C {};\n");
    folder
}

fn root(folder: &Folder) -> String {
    folder.path("").canonicalize().expect("the folder should be there").display().to_string()
}

fn database(folder: &Folder, count_flags: &str) {
    let root = root(folder);
    let commands = json!([
        { "directory": format!("{root}/build"), "file": "../src/count.c",
          "command": format!("cc -I../inc {count_flags} -O2 -Wall -march=native -MD -MF x.d -c -o count.o ../src/count.c") },
        { "directory": format!("{root}/app"), "file": format!("{root}/app/two.c"),
          "arguments": ["cc", "-I", "../inc", "-DSTEPS=2", "-c", "two.c", "-o", "two.o"] },
        { "directory": root, "file": "app/other.c", "command": "cc -c app/other.c" },
        { "directory": root, "file": "app/broken.c", "command": "cc -c app/broken.c" },
        { "directory": root, "file": "src/more.cc", "command": "c++ -c src/more.cc" },
    ]);
    folder.write("build/compile_commands.json", commands.to_string());
}

fn last_line(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn files_and_options_come_from_the_database() {
    let folder = project("options");
    database(&folder, "-DLOCKED");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!((run.status(), last_line(&run).as_str()), (0, "norn: safe (sc)"), "{}", run.stderr());
    // The file that is not C and the one that cannot be read are named; nothing needs them.
    let said = run.stderr();
    assert!(said.contains("left out") && said.contains("app/broken.c:1: cannot find the header 'no/such.h'"), "{said}");
    assert!(said.contains("src/more.cc (cannot read 'src/more.cc': it is not a C file)"), "{said}");
    database(&folder, "-DUNLOCKED");
    let run = folder.norn(&["check", "--compile-commands", "build/compile_commands.json", "app/two.c"]);
    assert_eq!(last_line(&run), "norn: unsafe (sc): assertion failed at app/two.c:8", "{}", run.stderr());
    assert!(run.stdout().contains("void count_up(void)"), "{}", run.stdout());
    // The command line has the last word.
    let run = folder.norn(&["check", "--compile-commands", "build", "-DLOCKED", "app/two.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    let run = folder.norn(&["check", "--compile-commands", "build", "-DLOCKED", "-USTEPS", "-DSTEPS=3", "app/two.c"]);
    assert_eq!(run.status(), 10, "{}", run.stderr());
}

#[test]
fn every_command_that_reads_c_knows_projects() {
    let folder = project("commands");
    database(&folder, "-DLOCKED");
    for command in [&["run"][..], &["ir"], &["robust"], &["sequentialize", "--for", "cbmc"]] {
        let run = folder.norn(&[command, &["--compile-commands", "build", "app/two.c"]].concat());
        assert_eq!(run.status(), 0, "{command:?}: {}", run.stderr());
    }
}

#[test]
fn several_mains_are_a_question() {
    let folder = project("mains");
    database(&folder, "");
    let run = folder.norn(&["check", "--compile-commands", "build"]);
    let said = run.stderr();
    assert_eq!(run.status(), 2, "{said}");
    assert!(said.contains("error: 2 files define 'main': app/two.c, app/other.c"), "{said}");
    assert!(said.contains("help: name the file that is meant in the command line"), "{said}");
    // Another entry is not ambiguous.
    let run = folder.norn(&["check", "--compile-commands", "build", "--entry", "count_up"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    let run = folder.norn(&["check", "--compile-commands", "build", "--entry", "nowhere"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("no function 'nowhere' in any file that can be read"), "{}", run.stderr());
}

#[test]
fn a_file_that_is_needed_is_not_left_out() {
    let folder = project("needed");
    database(&folder, "");
    folder.write("src/count.c", format!("{COUNT}\nint wrong = ;\n"));
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    let said = run.stderr();
    assert_eq!(run.status(), 2, "{said}");
    assert!(said.contains("'count_up' is needed and seems to be defined in 'src/count.c'"), "{said}");
    assert!(said.contains("int wrong = ;"), "{said}");
    // What no file defines makes the verdict unknown where it is reached, by name.
    folder.write("src/count.c", "int other;\n");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!(run.status(), 5, "{}", run.stderr());
    assert!(last_line(&run).contains("'count_up'"), "{}", run.stdout());
    // A definition that cannot be read would win over a weak one.
    folder.write("src/count.c", "__attribute__((weak)) void count_up(void) { } int count_get(void) { return 2; }\n");
    folder.write("app/broken.c", "#include <no/such.h>\nvoid count_up(void)\n{\n}\n");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!(run.status(), 2, "{}", run.stderr());
    folder.write("app/broken.c", "#include <no/such.h>\nvoid count_down(void)\n{ count_up(); }\n");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
}

/// A strong definition in another file wins over a weak one, and two strong ones are a question.
#[test]
fn definitions_are_chosen_as_linkers_do() {
    let folder = project("chosen");
    folder.write("a.c", "#include <assert.h>\nint f(void); int g(void);\nint main(void) { assert(f() + g() == 5); }\n");
    folder.write("weak.c", "__attribute__((weak)) int f(void) { return 1; } int g(void) { return 2; }\n");
    folder.write("strong.c", "int f(void) { return 3; } int unused(void) { extern int nowhere; return nowhere; }\n");
    let entry = |file: &str| json!({ "directory": ".", "file": file, "command": format!("cc -c {file}") });
    folder.write("compile_commands.json", json!([entry("weak.c"), entry("a.c"), entry("strong.c")]).to_string());
    let run = folder.norn(&["check", "--compile-commands", "."]);
    assert_eq!(run.status(), 0, "{}{}", run.stdout(), run.stderr());
    folder.write("again.c", "int f(void) { return 4; }\n");
    let all = json!([entry("weak.c"), entry("a.c"), entry("strong.c"), entry("again.c")]);
    folder.write("compile_commands.json", all.to_string());
    let run = folder.norn(&["check", "--compile-commands", "."]);
    assert_eq!(run.status(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("2 files define 'f': strong.c, again.c"), "{}", run.stderr());
    let run = folder.norn(&["check", "--compile-commands", ".", "a.c", "strong.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
}

/// A harness of one's own need not be part of the build.
#[test]
fn a_file_beside_the_database_is_read_as_its_neighbours_are() {
    let folder = project("harness");
    database(&folder, "-DLOCKED");
    folder.write("app/harness.c", MAIN);
    let run = folder.norn(&["check", "--compile-commands", "build", "app/harness.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
    let note = "note: 'app/harness.c' is not in 'build/compile_commands.json': it is read as 'app/two.c' is";
    assert!(run.stderr().contains(note), "{}", run.stderr());
}

#[test]
fn paths_with_blanks_and_quotes_are_found() {
    let folder = project("blanks");
    folder.write("my inc/count.h", "#define STEPS 2\nvoid count_up(void);\nint count_get(void);\n");
    let root = root(&folder);
    let commands = json!([
        { "directory": root, "file": "src/count.c", "command": r#"cc "-Imy inc" '-DLOCKED="a b"' -c src/count.c"# },
        { "directory": root, "file": "app/two.c", "command": r"cc -iquote my\ inc -c app/two.c" },
    ]);
    folder.write("compile_commands.json", commands.to_string());
    let run = folder.norn(&["check", "--compile-commands", "."]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
}

/// Options that change what a program means are not passed over.
#[test]
fn what_changes_the_meaning_is_refused_where_it_is_needed() {
    let folder = project("meaning");
    database(&folder, "-funsigned-char");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!(run.status(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("'-funsigned-char', which is not understood"), "{}", run.stderr());
    database(&folder, "-m32");
    let run = folder.norn(&["check", "--compile-commands", "build", "app/two.c"]);
    assert_eq!(run.status(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("another size of pointers"), "{}", run.stderr());
    let run = folder.norn(&["check", "--compile-commands", "build", "app/other.c"]);
    assert_eq!(run.status(), 0, "{}", run.stderr());
}

#[test]
fn bad_databases_are_explained() {
    let folder = Folder::new("projects_bad");
    let deep = "[".repeat(100_000);
    for (text, expected) in [
        ("", "is not JSON"),
        ("{}", "is not a list of compile commands"),
        ("[]", "lists no files"),
        ("[1]", "entry 1: it is not an object"),
        (deep.as_str(), "is not JSON"),
        ("[{\"file\": 3}]", "'file' is not a text"),
        ("[{\"command\": \"cc\"}]", "there is no 'file'"),
        ("[{\"file\": \"a.c\"}]", "there is neither 'command' nor 'arguments'"),
        ("[{\"file\": \"a.c\", \"arguments\": [1]}]", "'arguments' is not a list of texts"),
        ("[{\"file\": \"a.c\", \"arguments\": \"cc\"}]", "'arguments' is not a list of texts"),
        ("[{\"file\": \"a.c\", \"command\": \"cc 'x\"}]", "a quote in 'command' is not closed"),
        ("[{\"file\": \"a\\u0000.c\", \"command\": \"cc\"}]", "'file' is not a text"),
        ("[{\"file\": \"no.c\", \"command\": \"cc\"}]", "no function 'main' in any file that can be read"),
        ("[{\"file\": \"x\\u001b[2J.cc\", \"command\": \"cc\"}]", "no function 'main'"),
        ("\u{feff}[", "is not JSON"),
    ] {
        folder.write("compile_commands.json", text);
        let run = folder.norn(&["check", "--compile-commands", "."]);
        assert_eq!(run.status(), 2, "{text:.60}: {}", run.stderr());
        assert!(run.stderr().contains(expected), "{text:.60}: {}", run.stderr());
        assert!(!run.stderr().contains('\x1b'), "{text:.60}");
    }
    folder.write("compile_commands.json", b"\xff\xfe[");
    assert_eq!(folder.norn(&["ir", "--compile-commands", "compile_commands.json"]).status(), 2);
    let run = folder.norn(&["ir", "--compile-commands", "nowhere"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("CMAKE_EXPORT_COMPILE_COMMANDS"), "{}", run.stderr());
}

/// With the headers of the system, macros are shown as they were written, and nothing is said about those headers.
#[test]
fn headers_of_the_system_keep_macros_as_written() {
    let folder = Folder::new("projects_system");
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdatomic.h>\n\
        #include <sys/epoll.h>\n#define TWICE(x) ((x) + (x))\nint x; atomic_int a;\n\
        void *t(void *p) { x = TWICE(1); atomic_fetch_add(&a, 1); return p; }\n\
        int main(void) {\n    pthread_t h;\n    pthread_create(&h, 0, t, 0);\n    assert(TWICE(x) == 0);\n}\n";
    folder.write("a.c", text);
    let run = folder.norn(&["check", "--system-headers", "a.c"]);
    assert_eq!((run.status(), run.stderr().as_str()), (10, ""), "{}", run.stdout());
    let said = run.stdout();
    assert!(said.contains("a.c:12: assertion failed: TWICE(x) == 0\n    assert(TWICE(x) == 0);"), "{said}");
    assert!(said.contains("x = TWICE(1);"), "{said}");
    // Line, column and text of what is wrong are those of the file.
    folder.write("b.c", "#include <stdio.h>\nint main(void) { printf(\"%d\", TWICE); }\n");
    let run = folder.norn(&["check", "--system-headers", "b.c"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("--> b.c:2:31"), "{}", run.stderr());
}

/// A missing header of the project is looked for; for one of the system there is a command to try.
#[test]
fn missing_headers_come_with_what_to_do() {
    let folder = project("missing");
    folder.write("CMakeLists.txt", "");
    folder.write("app/a.c", "#include \"count.h\"\nint main(void) { return 0; }\n");
    let run = folder.norn(&["check", "app/a.c"]);
    assert!(run.stderr().contains("help: it is found with '-I ./inc'"), "{}", run.stderr());
    folder.write("app/b.c", "#include <some/system.h>\nint main(void) { return 0; }\n");
    let run = folder.norn(&["check", "-m", "tso", "app/b.c"]);
    assert_eq!(run.status(), 2);
    let command = "try: norn check --system-headers -m tso app/b.c";
    assert!(run.stderr().contains(command), "{}", run.stderr());
    let run = folder.norn(&["check", "--system-headers", "app/b.c"]);
    assert!(!run.stderr().contains("--system-headers"), "{}", run.stderr());
    // Nothing outside of the project is found, nor through what is no plain name.
    folder.write("app/c.c", "#include \"../../count.h\"\nint main(void) { return 0; }\n");
    let run = folder.norn(&["check", "app/c.c"]);
    assert!(!run.stderr().contains("it is found"), "{}", run.stderr());
}

/// An unknown verdict says what to do next, as text and as JSON.
#[test]
fn unknown_verdicts_come_with_what_to_do() {
    let folder = Folder::new("projects_advice");
    folder.write("a.c", "int missing(void);\nint main(void) { return missing(); }\n");
    let run = folder.norn(&["check", "a.c"]);
    let said = run.stderr();
    assert!(said.lines().any(|line| line.starts_with("help: keep the harness from it, or give what is")), "{said}");
    assert!(run.stdout().starts_with("norn: unknown (sc)"), "{}", run.stdout());
    let run = folder.norn(&["check", "--json", "a.c"]);
    let verdict: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
    assert!(verdict["advice"][0].as_str().is_some_and(|advice| advice.contains("--undefined-as-nondet")), "{verdict}");
    let run = folder.norn(&["check", "--deadlock", "-e", "rounds", "--undefined-as-nondet", "a.c"]);
    assert!(run.stderr().contains("help: ask -e auto or -e states"), "{}", run.stderr());
    let run = folder.norn(&["check", "--undefined-as-nondet", "a.c"]);
    assert!(run.status() == 0 && !run.stderr().contains("help:"), "{}", run.stderr());
}

/// A harness that cannot fail is told from one that does not.
#[test]
fn a_harness_that_shows_nothing_is_told() {
    let folder = Folder::new("projects_harness_notes");
    let notes = |program: &str, options: &[&str]| {
        folder.write(
            "a.c",
            format!("#include <assert.h>\n#include <pthread.h>\nvoid __VERIFIER_assume(int);\n{program}"),
        );
        let run = folder.norn(&[&["check", "-e", "states"], options, &["a.c"]].concat());
        assert_eq!(run.status(), 0, "{}{}", run.stdout(), run.stderr());
        let said = run.stdout();
        let notes = said.lines().filter(|line| line.starts_with("note: ") && !line.contains("race"));
        notes.map(|note| note.split([':', '(']).nth(1).unwrap_or_default().trim().to_owned()).collect::<Vec<_>>()
    };
    let threads = "int x; void *t(void *a) { x = 1; return a; } void *u(void *a) { x = 2; return a; }\n\
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); START pthread_join(h, 0);\n";
    let with = |start: &str, end: &str| format!("{}{end} }}\n", threads.replace("START", start));
    let both = "pthread_create(&h, 0, u, 0);";
    assert_eq!(notes(&with(both, "assert(x);"), &[]), [] as [&str; 0]);
    assert_eq!(notes(&with("", "assert(x);"), &[]), ["'u'"]);
    assert_eq!(notes(&with(both, ""), &[]), ["nothing is asserted"]);
    // Who asks for more than the default is told nothing.
    assert_eq!(notes(&with(both, ""), &["--deadlock"]), [] as [&str; 0]);
    let never = with(both, "__VERIFIER_assume(x == 3); assert(x == 4);");
    assert_eq!(notes(&never, &[]), ["no execution comes to an assertion"]);
}

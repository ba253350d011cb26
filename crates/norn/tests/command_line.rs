//! `argc` and `argv`: any command line, within bounds that the verdict names.

mod support;

use support::Folder;

/// What engines say about the body of a `main` after `norn: `.
fn check(name: &str, body: &str, engines: &[&str], expected: &str) {
    let folder = Folder::new(name);
    let prelude = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n";
    let text = match body.contains("main(") {
        true => format!("{prelude}{body}"),
        false => format!("{prelude}int main(int argc, char *argv[]) {{ {body} return 0; }}"),
    };
    folder.write("words.c", &text);
    for engine in engines {
        let run = folder.norn(&["check", "-e", engine, "--timeout", "60", "words.c"]);
        let stdout = run.stdout();
        let last = stdout.lines().last().unwrap_or_default().strip_prefix("norn: ").unwrap_or_default();
        assert!(last.starts_with(expected), "{name}, {engine}: {last}\n{}", run.stderr());
    }
}

const SYMBOLIC: [&str; 2] = ["events", "rounds"];
const BUG: &str = "unsafe (sc): assertion failed";
const BOUNDED: &str = "unknown (sc): no violation up to unwind 11 at <norn>/argument.c:";

#[test]
fn words_are_any_text() {
    check("number", "if (argc > 1) assert(atoi(argv[1]) != 137);", &["events"], BUG);
    check("negative", "if (argc > 1) assert(strtol(argv[1], 0, 10) != -2000000001);", &["events"], BUG);
    check("word", "if (argc == 3) assert(strcmp(argv[2], \"bug\"));", &SYMBOLIC, BUG);
    check("longest", "if (argc == 2) assert(strlen(argv[1]) != 11);", &SYMBOLIC, BUG);
    check("many", "if (argc == 4) assert(argv[3][0] != 'q');", &SYMBOLIC, BUG);
    check("empty", "assert(argv[0][0]);", &SYMBOLIC, BUG);
    let thread = "char **words; void *t(void *a) { assert(words[1][0] != 'k'); return 0; }\n\
                  int main(int argc, char **argv) { pthread_t h; if (argc != 2) return 0;\n\
                  words = argv; pthread_create(&h, 0, t, 0); }";
    check("thread", thread, &SYMBOLIC, BUG);
}

#[test]
fn words_stay_as_they_are_and_end_with_null() {
    check("stable", "if (argc == 2) assert(argv[1][0] == argv[1][0] && argv[2] == 0);", &["events"], BOUNDED);
    check("changed", "if (argc == 2) { argv[1][0] = 'x'; assert(argv[1][0] == 'x'); }", &["events"], BOUNDED);
    check("each", "for (int i = 0; i < argc; i++) assert(argv[i] != 0);", &["events"], BOUNDED);
    check("no_null", "assert(argv[argc] != 0);", &SYMBOLIC, BUG);
    check("moved", "argv++; argc--; if (argc == 1) assert(argv[0][0] != 'x');", &SYMBOLIC, BUG);
    let recursive = "int main(int argc, char **argv) { if (argc == 3) return main(2, argv + 1);\n\
                     if (argc == 2) assert(argv[1][0] != 'z'); return 0; }";
    check("recursive", recursive, &["events"], BUG);
}

/// One execution is started without arguments, whatever the seed.
#[test]
fn a_run_has_no_arguments() {
    let folder = Folder::new("run_arguments");
    let text = "#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%d %s %d\\n\", argc, argv[0], argv[1] == 0); return 0; }";
    folder.write("words.c", text);
    for seed in ["1", "2", "3"] {
        assert_eq!(folder.norn(&["run", "--seed", seed, "words.c"]).stdout(), "1 program 1\n");
    }
}

/// What stands behind `--args` is the program's, whatever it looks like.
#[test]
fn words_may_be_given() {
    let folder = Folder::new("given_arguments");
    let text = "#include <stdio.h>\nint main(int argc, char **argv) { argv[1][0]++; \
                for (int i = 0; i < argc; i++) printf(\"%s|\", argv[i]); printf(\"%d\\n\", argv[argc] == 0); return 0; }";
    folder.write("words.c", text);
    let words = ["--json", "-O2", "--", "\"\\n??/", "größer", ""];
    let run = folder.norn(&[&["run", "words.c", "--args"][..], &words].concat());
    assert_eq!(run.stdout(), "program|.-json|-O2|--|\"\\n??/|größer||1\n");
    folder.write("number.c", "#include <assert.h>\n#include <stdlib.h>\nint main(int argc, char **argv) { assert(argc == 2 && atoi(argv[1]) == 3); }");
    for engine in ["states", "stateless", "events", "enumerate"] {
        for (words, status) in [(&["3"][..], 0), (&["4"], 10), (&[], 10), (&["3", "3"], 10)] {
            let run = folder.norn(&[&["check", "-e", engine, "number.c", "--args"][..], words].concat());
            assert_eq!(run.status(), status, "{engine} {words:?}: {}", run.stderr());
        }
    }
}

/// What is longer, or more, is not said to be safe.
#[test]
fn longer_command_lines_are_a_bound() {
    check("long", "if (argc == 2) assert(strlen(argv[1]) < 20);", &["events"], BOUNDED);
    check("words", "if (argc > 20) assert(argv[20] == 0);", &["events"], "unknown (sc): no violation up to unwind 11");
    check("count", "assert(argc != 1000);", &["events", "rounds", "stateless", "states"], BUG);
}

/// Where nobody looks at the words, they cost nothing: engines that run programs decide those that do not.
#[test]
fn words_that_are_not_looked_at_do_not_matter() {
    let engines = ["events", "rounds", "stateless", "states"];
    let sometimes = "int x; void *t(void *a) { x = 1; return 0; }\n\
                     int main(int argc, char **argv) { pthread_t h; int n = 0; if (argc == 3) n = atoi(argv[1]);\n\
                     pthread_create(&h, 0, t, 0); assert(n || x == 0); }";
    check("sometimes", sometimes, &engines, BUG);
    let never = "int x; int main(int argc, char **argv) { (void)sizeof argv[1]; if (argc == 3) x = 1; assert(x < 2); }";
    check("never", never, &engines, "safe (sc)");
    check("concrete", "assert(argv[0][0] != 'k');", &["stateless", "states"], "unknown (sc): the value of 'arg");
}

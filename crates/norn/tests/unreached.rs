//! A verdict within bounds says what no execution within them came to: else bounds could make it empty.

mod support;

use support::Folder;

const ENGINES: [&str; 5] = ["events", "rounds", "stateless", "states", "enumerate"];

/// The notes of each engine about a program, without those about data races.
fn check(name: &str, program: &str, options: &[&str], expected: &[&str]) {
    let folder = Folder::new(&format!("unreached_{name}"));
    folder.write("a.c", format!("#include <pthread.h>\n#include <assert.h>\nvoid reach_error(void);\n{program}"));
    for engine in ENGINES {
        let args = [&["check", "-e", engine], options, &["a.c"]].concat();
        let run = folder.norn(&args);
        let stdout = run.stdout();
        let notes =
            stdout.lines().filter_map(|line| line.strip_prefix("note: ")).filter(|note| !note.contains("races"));
        assert_eq!(notes.collect::<Vec<_>>(), expected, "{args:?}\n{stdout}{}", run.stderr());
        assert!(stdout.lines().last().is_some_and(|last| last.starts_with("norn: safe (sc)")), "{args:?}\n{stdout}");
    }
}

/// Main fills a buffer before it starts the consumer.
const FILLS: &str = "int buffer[4], sum;\n\
    void *consumer(void *a) { for (int i = 0; i < 4; i++) sum += buffer[i];\n\
      assert(sum == 4);\n\
      return 0; }\n\
    int main(void) { pthread_t h;\n\
      for (int i = 0; i < 4; i++) buffer[i] = 1;\n\
      pthread_create(&h, 0, consumer, 0); }\n";

#[test]
fn a_thread_that_is_never_started_is_told() {
    let notes = [
        "thread function 'consumer' (a.c:5) is never started within these bounds.",
        "no execution within these bounds reaches the assertion at a.c:6.",
    ];
    check("thread", FILLS, &["--unwind", "2"], &notes);
    check("enough", FILLS, &["--unwind", "4"], &[]);
    // Started, but it does not come to the assertion.
    let starts = FILLS.replace("i < 4; i++) buffer", "i < 2; i++) buffer");
    check(
        "started",
        &starts,
        &["--unwind", "3"],
        &["no execution within these bounds reaches the assertion at a.c:6."],
    );
}

/// An error function is not called in a safe program; what counts is whether it could have been.
#[test]
fn a_decision_about_an_error_function_is_told() {
    let program = "int x; void *t(void *a) { x = 1; return 0; }\n\
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); int n = 0;\n\
          while (n < 5) n = n + 1 + 0 * x;\n\
          if (x > 1)\n\
            reach_error();\n\
          return 0; }\n";
    let note = "no execution within these bounds reaches the decision about the error function at a.c:8.";
    check("decision", program, &["--unwind", "3"], &[note]);
    check("decided", program, &["--unwind", "5"], &[]);
    // Bounded, and reached.
    let other = program.replace("return 0; }\n", "for (;;) n ^= 1 + 0 * x; }\n").replacen(
        "for (;;) n ^= 1 + 0 * x; }",
        "return 0; }",
        1,
    );
    check("reached", &other, &["--unwind", "5"], &[]);
}

/// A loop of ten rounds, which a bound of 3 cuts.
const LOOP: &str = "for (int i = 0; i < 10; i++) g++;\n";

/// `assert` is a branch to a place that no execution comes to if it holds. What counts is the branch.
const ASSERTIONS: [&str; 7] = [
    "assert(g < 20);\n",
    "assert(g < 20 && g >= 0);\n",
    "assert(g < 0 || g >= 0);\n",
    "for (int j = 0; j < 2; j++) assert(g < 20 + j);\n",
    "holds(g < 20);\n",
    "HOLDS(g < 20);\n",
    "if (g == 20) __assert_fail(\"a\", \"b\", 3, \"f\");\n",
];

fn with_assertions(before: &str, after: &str) -> String {
    format!(
        "int g; static void holds(int c) {{ assert(c); }}\n#define HOLDS(c) do {{ assert(c); }} while (0)\n\
         int main(void) {{\n{before}{LOOP}{after}return 0; }}\n"
    )
}

#[test]
fn an_assertion_that_holds_is_reached() {
    check("holds", &with_assertions(&ASSERTIONS.concat(), ""), &["--unwind", "3"], &[]);
}

#[test]
fn an_assertion_behind_a_cut_loop_is_told() {
    let places = ["a.c:4", "a.c:8", "a.c:9", "a.c:10", "a.c:11", "a.c:13", "a.c:14"];
    let notes = places.map(|place| format!("no execution within these bounds reaches the assertion at {place}."));
    let notes = notes.iter().map(String::as_str).collect::<Vec<_>>();
    check("behind", &with_assertions("", &ASSERTIONS.concat()), &["--unwind", "3"], &notes);
}

/// Such an assertion decides nothing. It is told if a loop keeps executions from it, not if a branch does.
#[test]
fn a_constant_assertion_is_a_point_itself() {
    for condition in ["0", "!\"not here\"", "0 && \"g\""] {
        let behind = with_assertions("", &format!("assert({condition});\n"));
        let note = "no execution within these bounds reaches the assertion at a.c:8.";
        check("constant", &behind, &["--unwind", "3"], &[note]);
    }
    check("guarded", &with_assertions("if (g == 7) assert(0);\n", ""), &["--unwind", "3"], &[]);
}

/// The loop has no other way out than the violation, and goes on for ever.
#[test]
fn a_decision_in_an_endless_loop_is_reached() {
    for violation in
        ["assert(g < 2);", "if (g == 2) reach_error();", "if (g == 2) __assert_fail(\"a\", \"b\", 3, \"f\");"]
    {
        let program = format!("volatile int g; int main(void) {{ int n = 0; for (;;) {{ {violation} n++; }} }}\n");
        check("endless", &program, &["--unwind", "3"], &[]);
    }
}

#[test]
fn json_tells_it_too() {
    let folder = Folder::new("unreached_json");
    folder.write("a.c", format!("#include <pthread.h>\n#include <assert.h>\nvoid reach_error(void);\n{FILLS}"));
    let run = folder.norn(&["check", "--json", "--unwind", "2", "a.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
    assert_eq!(value["unreached"][0]["what"], "thread function 'consumer'");
    assert_eq!(value["unreached"][1]["what"], "the assertion");
    assert_eq!(value["unreached"][1]["location"]["line"], 6);
    assert_eq!(value["notes"].as_array().map(Vec::len), Some(2));
}

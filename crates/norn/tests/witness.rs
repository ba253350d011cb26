//! Witnesses of SV-COMP: what `norn check --witness` writes keeps to the formats and is confirmed by `norn validate`, what is
//! changed is refuted, and files of anybody are read or refused with their place.

mod support;

use support::{Folder, Run, project};

fn example(name: &str) -> String {
    project().join("examples").join(name).display().to_string()
}

/// The examples that are unsafe under sequential consistency, with the options that make them so.
const UNSAFE: [(&str, &[&str], &[&str]); 8] = [
    ("message_passing.c", &[], &["--data-race"]),
    ("double_checked_locking.c", &[], &["--data-race"]),
    ("locked_counter.c", &["-DPEEK"], &["--data-race"]),
    ("spinlock.c", &["-DRELAXED"], &["--data-race"]),
    ("producer_consumer.c", &[], &[]),
    ("slot_stack.c", &["-DUNVERSIONED"], &[]),
    ("bounded_queue.c", &["-DWAIT_ONCE"], &[]),
    ("philosophers.c", &[], &["--deadlock"]),
];

fn last(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

/// Writes a witness of a program of the folder, and reads it.
fn witness(folder: &Folder, name: &str, words: &[&str]) -> String {
    let _ = std::fs::remove_file(folder.path(name));
    let run = folder.norn(&[&["check", "--witness", name], words].concat());
    std::fs::read_to_string(folder.path(name)).unwrap_or_else(|_| panic!("{words:?}: {}{}", run.stdout(), run.stderr()))
}

fn validated(folder: &Folder, words: &[&str], text: &str) -> Run {
    folder.write("w", text);
    folder.norn(&[&["validate"], words, &["w"]].concat())
}

/// Keys and values that the schema of YAML witnesses asks for.
fn keeps_to_the_yaml_schema(text: &str) {
    let value_of = |key: &str| {
        let line = text
            .lines()
            .map(|line| line.trim_start_matches([' ', '-']))
            .find(|line| line.starts_with(&format!("{key}:")));
        line.unwrap_or_else(|| panic!("{key} should be there:\n{text}"))
            .split_once(':')
            .map_or("", |(_, value)| value.trim())
    };
    let is_violation = value_of("entry_type") == "violation_sequence";
    assert!(is_violation || value_of("entry_type") == "invariant_set");
    assert!(["\"2.2\"", "\"2.0\""].contains(&value_of("format_version")));
    let uuid = value_of("uuid").split('-').map(str::len).collect::<Vec<_>>();
    assert_eq!(uuid, [8, 4, 4, 4, 12]);
    assert_eq!(value_of("creation_time"), "1970-01-01T00:00:00Z");
    assert!(["LP64", "ILP32"].contains(&value_of("data_model")));
    assert_eq!(value_of("language"), "C");
    assert!(value_of("specification").starts_with("\"CHECK( init(main()), LTL("));
    for key in ["metadata", "producer", "name", "version", "task", "input_files", "input_file_hashes", "content"] {
        value_of(key);
    }
    if !is_violation {
        return;
    }
    let segments = text.split("- segment:").skip(1).collect::<Vec<_>>();
    for (at, segment) in segments.iter().enumerate() {
        let waypoints = segment.split("- waypoint:").skip(1).collect::<Vec<_>>();
        let is_last = at + 1 == segments.len();
        assert!(waypoints.len() == 1 || is_last && waypoints.len() == 2, "{segment}");
        for waypoint in waypoints {
            let kinds = ["assumption", "branching", "function_enter", "function_return", "target"];
            let kind = kinds.into_iter().find(|kind| waypoint.contains(&format!("type: {kind}\n"))).expect("a type");
            assert_eq!(kind == "target", is_last, "{waypoint}");
            assert!(waypoint.contains("action: follow\n") && waypoint.contains("file_name: "));
            let has_constraint = ["assumption", "branching", "function_return"].contains(&kind);
            assert_eq!(waypoint.contains("constraint:"), has_constraint, "{waypoint}");
            for key in ["line: ", "column: ", "thread_id: "] {
                if let Some((_, rest)) = waypoint.split_once(key) {
                    let number = rest.lines().next().unwrap_or_default();
                    assert!(number.parse::<u32>().is_ok(), "{key}{number}");
                }
            }
        }
    }
}

/// Likewise for GraphML: every datum has a key that is declared, and the header has what it must.
fn keeps_to_the_graphml_schema(text: &str) {
    let declared = |key: &str| text.contains(&format!(" id=\"{key}\""));
    for datum in text.split("<data key=\"").skip(1) {
        let key = datum.split('"').next().unwrap_or_default();
        assert!(declared(key), "{key}");
    }
    let value_of = |key: &str| {
        let after = text.split_once(&format!("<data key=\"{key}\">")).unwrap_or_else(|| panic!("{key}:\n{text}")).1;
        after.split('<').next().unwrap_or_default().to_owned()
    };
    assert!(["violation_witness", "correctness_witness"].contains(&value_of("witness-type").as_str()));
    assert_eq!(value_of("sourcecodelang"), "C");
    assert!(["32bit", "64bit"].contains(&value_of("architecture").as_str()));
    let hash = value_of("programhash");
    assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
    assert_eq!(value_of("creationtime"), "1970-01-01T00:00:00Z");
    for key in ["producer", "specification", "programfile"] {
        value_of(key);
    }
    assert_eq!(text.matches("<data key=\"entry\">true</data>").count(), 1);
    let nodes = text.matches("<node id=").count();
    assert_eq!(text.matches("<edge source=").count(), nodes - 1, "the path has an edge between any two nodes");
}

#[test]
fn what_is_written_is_confirmed() {
    let folder = Folder::new("witness_examples");
    for (file, macros, properties) in UNSAFE {
        let file = example(file);
        let program = [macros, &[file.as_str()]].concat();
        let words = [&["-m", "tso,sc"], properties, &program[..]].concat();
        for name in ["w.yml", "w.graphml"] {
            let text = witness(&folder, name, &words);
            if name == "w.yml" {
                keeps_to_the_yaml_schema(&text)
            } else {
                keeps_to_the_graphml_schema(&text)
            }
            assert_eq!(witness(&folder, name, &words), text, "same input, same output");
            let run = folder.norn(&[&["validate"], &program[..], &[name]].concat());
            assert_eq!(run.status(), 10, "{words:?} {name}: {}{}\n{text}", run.stdout(), run.stderr());
            assert!(last(&run).starts_with("norn: confirmed (sc): "), "{}", last(&run));
        }
    }
}

#[test]
fn the_format_knows_no_weak_memory() {
    let folder = Folder::new("witness_weak");
    let run = folder.norn(&["check", "-m", "tso", "--witness", "w.yml", &example("dekker.c")]);
    assert_eq!(run.status(), 10);
    assert!(run.stderr().contains("note: 'w.yml' is not written: witnesses are about sequential consistency only"));
    assert!(!folder.path("w.yml").exists());
    let run = folder.norn(&["check", "--unwind", "1", "--witness", "w.yml", &example("peterson.c")]);
    assert!(run.stderr().contains("is not written") || run.stdout().contains("norn: safe (sc)\n"), "{}", run.stderr());
}

/// A number that is guessed, a value that another thread passes on, and an assertion.
const PROGRAM: &str = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int turn, box;
void *give(void *arg) {
    box = 7;
    turn = 1;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    int guess = turn;
    if (guess == 1)
        assert(box == 0);
    return 0;
}
";

#[test]
fn what_is_changed_is_refuted() {
    let folder = Folder::new("witness_changed");
    folder.write("a.c", PROGRAM);
    let yaml = witness(&folder, "w.yml", &["a.c"]);
    let graph = witness(&folder, "w.graphml", &["a.c"]);
    for text in [&yaml, &graph] {
        assert_eq!(last(&validated(&folder, &["a.c"], text)), "norn: confirmed (sc): assertion failed at a.c:15");
    }
    let changes = [
        (&yaml, "turn == 1", "turn == 2"),
        (&yaml, "box == 7", "box == 0"),
        // A line that main never comes to.
        (&yaml, "line: 13", "line: 6"),
        // Another place of the violation, an empty line and one where nothing goes wrong.
        (&yaml, "line: 15\n", "line: 9\n"),
        (
            &yaml,
            "type: target\n            action: follow\n            thread_id: 0",
            "type: target\n            action: follow\n            thread_id: 1",
        ),
        (
            &yaml,
            "type: function_enter\n            action: follow\n            thread_id: 0",
            "type: function_enter\n            action: follow\n            thread_id: 1",
        ),
        (&graph, "turn == 1", "turn == 2"),
        (&graph, "<data key=\"startline\">13</data>", "<data key=\"startline\">6</data>"),
        (&graph, "<data key=\"enterFunction\">give</data>", "<data key=\"enterFunction\">main</data>"),
        // The race comes before what the path is about.
        (&graph, "LTL(G assert)", "LTL(G ! data-race)"),
    ];
    for (text, from, to) in changes {
        let changed = text.replace(from, to);
        assert_ne!(&changed, text, "{from} should be there:\n{text}");
        let run = validated(&folder, &["a.c"], &changed);
        assert!(last(&run).starts_with("norn: refuted (sc): "), "{from} -> {to}: {}{}", run.stdout(), run.stderr());
        assert_eq!(run.status(), 0);
    }
}

/// A witness by hand, as another tool might write it: no columns, no thread of the target, blocks of another shape.
fn by_hand(specification: &str, content: &str) -> String {
    format!(
        "---\n# by hand\n- content:\n{content}  entry_type: 'violation_sequence'\n  metadata:\n    format_version: '2.1'\n    \
         task: {{specification: \"{specification}\", data_model: LP64}}\n"
    )
}

#[test]
fn what_is_left_open_is_searched_for() {
    let folder = Folder::new("witness_open");
    folder.write("a.c", PROGRAM);
    let target = |line: u32| {
        format!(
            "  - segment:\n    - waypoint:\n        action: follow\n        type: target\n        location: {{file_name: a.c, line: {line}}}\n"
        )
    };
    let check = |content: &str, expected: &str| {
        let run = validated(&folder, &["a.c"], &by_hand("CHECK( init(main()), LTL(G assert) )", content));
        assert!(last(&run).starts_with(expected), "{content}\n{}{}", run.stdout(), run.stderr());
    };
    check(&target(15), "norn: confirmed (sc): assertion failed at a.c:15");
    check(&target(14), "norn: refuted (sc)");
    let waypoint = |action: &str, kind: &str, line: u32, constraint: &str| {
        format!(
            "    - waypoint:\n        action: {action}\n        type: {kind}\n        location: {{file_name: x/a.c, line: {line}}}\n        \
             constraint: {{value: \"{constraint}\", format: c_expression}}\n"
        )
    };
    let segment = |waypoint: &str| format!("  - segment:\n{waypoint}");
    let taken = segment(&waypoint("follow", "branching", 14, "true"));
    let not_taken = segment(&waypoint("follow", "branching", 14, "false"));
    check(&(taken + &target(15)), "norn: confirmed");
    check(&(not_taken + &target(15)), "norn: refuted");
    let local = segment(&waypoint("follow", "assumption", 14, "guess == 1 && box != 0"));
    check(&(local + &target(15)), "norn: confirmed");
    let local = segment(&waypoint("follow", "assumption", 14, "guess == 0"));
    check(&(local + &target(15)), "norn: refuted");
    // What is not understood rules nothing out.
    let unclear = segment(&waypoint("follow", "assumption", 14, "*&guess == 5"));
    check(&(unclear + &target(15)), "norn: confirmed");
    let avoided = segment(&(waypoint("avoid", "assumption", 14, "1") + &waypoint("follow", "assumption", 15, "1")));
    check(&(avoided + &target(15)), "norn: refuted");
}

#[test]
fn inputs_are_those_of_the_witness() {
    let folder = Folder::new("witness_inputs");
    let program = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {\n  int n =\n    __VERIFIER_nondet_int(\n    );\n  if (n * 3 == 12345 * 3)\n    reach_error();\n}\n";
    folder.write("a.c", program);
    let text = witness(&folder, "w.yml", &["a.c"]);
    assert!(
        text.contains("value: \"\\\\result == 12345\"") && text.contains("line: 5\n              column: 5"),
        "{text}"
    );
    assert!(text.contains("G ! call(reach_error())"));
    for name in ["w.yml", "w.graphml"] {
        let text = witness(&folder, name, &["a.c"]);
        assert_eq!(last(&validated(&folder, &["a.c"], &text)), "norn: confirmed (sc): error function called at a.c:7");
        // Other values were not all tried, and the program is not safe.
        let run = validated(&folder, &["a.c"], &text.replace("12345", "54321"));
        assert!(last(&run).starts_with("norn: unknown (sc): "), "{}", last(&run));
        assert_eq!(run.status(), 5);
    }
    let run = folder.norn(&["validate", "--memory-leak", "a.c", "w.yml"]);
    assert!(last(&run).starts_with("norn: confirmed"), "{}{}", run.stdout(), run.stderr());
    folder.write("a.c", program.replace("12345", "12346"));
    let run = folder.norn(&["validate", "a.c", "w.yml"]);
    assert!(run.stdout().contains("note: the witness is about another version of 'a.c'."), "{}", run.stdout());
}

#[test]
fn what_is_safe_has_a_witness_without_invariants() {
    let folder = Folder::new("witness_safe");
    folder.write("a.c", "#include <assert.h>\nint main(void) { assert(1 + 1 == 2); }\n");
    for name in ["w.yml", "w.graphml"] {
        let text = witness(&folder, name, &["a.c"]);
        if name == "w.yml" {
            keeps_to_the_yaml_schema(&text)
        } else {
            keeps_to_the_graphml_schema(&text)
        }
        let run = validated(&folder, &["a.c"], &text);
        assert_eq!((last(&run).as_str(), run.status()), ("norn: confirmed (sc): safe", 0), "{}", run.stderr());
    }
    let text = std::fs::read_to_string(folder.path("w.yml")).expect("it was read before");
    let _ = witness(&folder, "w.yml", &["a.c"]);
    let text = if text.contains("invariant_set") { text } else { panic!("{text}") };
    folder.write("b.c", "#include <assert.h>\nint main(void) { assert(1 + 1 == 3); }\n");
    let run = validated(&folder, &["b.c"], &text);
    assert_eq!((last(&run).as_str(), run.status()), ("norn: refuted (sc): assertion failed at b.c:2", 10));
    let invariant = "  content:\n    - invariant:\n        type: loop_invariant\n        value: '1'\n";
    let run = validated(&folder, &["a.c"], &text.replace("  content: []\n", invariant));
    assert!(last(&run).contains("unknown (sc): the program is safe, but invariants of witnesses are not supported"));
    // What is safe only if accesses are valid is not proved.
    let assumes = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint a[2];\nint main(void) {\n\
        int i = __VERIFIER_nondet_int();\nif (i == 5) a[i] = 1;\nassert(1 + 1 == 2); }\n";
    folder.write("assumes.c", assumes);
    let run = validated(&folder, &["--only-assertions", "assumes.c"], &text);
    assert!(last(&run).contains("unknown (sc): the program is safe only within"), "{}{}", run.stdout(), run.stderr());
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let folder = Folder::new("witness_wrong");
    folder.write("a.c", PROGRAM);
    let yaml = witness(&folder, "w.yml", &["a.c"]);
    let refused = |text: &str, place: &str| {
        let run = validated(&folder, &["a.c"], text);
        assert_eq!(run.status(), 2, "{}{}", run.stdout(), run.stderr());
        assert!(run.stderr().contains(place), "{place}: {}", run.stderr());
    };
    refused("", "w:1:1: the file is empty");
    refused("hello", "w:1:1: a list of entries is expected");
    refused("- a: &b [*b, *b]\n", "w:1:6: anchors and aliases");
    refused("<!DOCTYPE x [<!ENTITY a \"b\">]>\n<graphml/>", "w:1:1: document types");
    refused("<graphml>\n </graph>", "w:2:4: '</graphml>'");
    refused(&yaml.replace("type: target", "type: goal"), "waypoints of the type 'goal'");
    refused(&yaml.replace("action: follow", "action: ignore"), "the action 'ignore'");
    refused(&yaml.replace("thread_id: 0", "thread_id: zero"), "'zero' is not the number of a thread");
    refused(&yaml.replace("format_version: \"2.2\"", "format_version: \"3.0\""), "the format 3.0");
    refused(&yaml.replace("LTL(G assert)", "LTL(G bliss)"), "a property that Norn does not know");
    refused(&yaml.replace("init(main())", "init(start())"), "give --entry start");
    refused("\u{1b}[31m: 1\n", "a list");
    assert!(!folder.norn(&["validate", "a.c", "w"]).stderr().contains('\u{1b}'));
    folder.write("w", [0xff, 0xfe, 0x00]);
    let run = folder.norn(&["validate", "a.c", "w"]);
    assert!(run.status() == 2 && run.stderr().contains("not UTF-8"));
    assert_eq!(folder.norn(&["validate", "a.c"]).status(), 1);
    assert_eq!(folder.norn(&["validate", "a.c", "."]).status(), 2);
}

/// Any change of a byte or cut gets an answer that is documented, soon.
#[test]
fn mutated_witnesses_get_an_answer() {
    let folder = Folder::new("witness_mutated");
    folder.write("a.c", PROGRAM);
    let mut random = norn_testing::Random::new(1);
    for name in ["w.yml", "w.graphml"] {
        let text = witness(&folder, name, &["a.c"]).into_bytes();
        for _ in 0..40 {
            let mut mutated = text.clone();
            for _ in 0..=random.index(3) {
                let at = random.index(mutated.len());
                match random.index(4) {
                    0 => mutated.truncate(at.max(1)),
                    1 => mutated[at] = b" -:\"'[]{}<>&#|\n09a"[random.index(18)],
                    2 => {
                        mutated.remove(at);
                    }
                    _ => {
                        let piece = mutated[at..(at + 40).min(mutated.len())].to_vec();
                        mutated.splice(at..at, piece);
                    }
                }
            }
            folder.write("w", &mutated);
            let run = folder.norn(&["validate", "--timeout", "20", "a.c", "w"]);
            let shown = String::from_utf8_lossy(&mutated);
            assert!([0, 2, 5, 10].contains(&run.status()), "{}\n{}\n{shown}", run.status(), run.stderr());
            let is_answer = ["confirmed", "refuted", "unknown"]
                .iter()
                .any(|word| last(&run).starts_with(&format!("norn: {word} (sc): ")));
            assert!(run.status() == 2 || is_answer, "{}\n{shown}", run.stdout());
        }
    }
}

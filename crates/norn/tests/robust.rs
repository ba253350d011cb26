//! `norn robust` as a user and a script see it.

mod support;

use norn_ir::number::to_usize;
use support::{Folder, project};

const STORES: &str = "#include <pthread.h>\nvolatile int x, y;\n\
                      void *t(void *a) {\n  y = 1;\n  return (void *)(long)x;\n}\n\
                      int main(void) {\n  pthread_t p;\n  pthread_create(&p, 0, t, 0);\n  x = 1;\n  return y;\n}\n";

#[test]
fn a_cycle_is_shown_edge_by_edge() {
    let folder = Folder::new("a_cycle_is_shown");
    folder.write("sb.c", STORES);
    let run = folder.norn(&["robust", "-m", "tso", "sb.c"]);
    let stdout = run.stdout();
    assert_eq!(run.status(), 10, "{}", run.stderr());
    let line = "norn: not robust (tso): cycle of 4 accesses at sb.c:10, sb.c:11, sb.c:4, sb.c:5";
    assert_eq!(stdout.lines().last(), Some(line), "{stdout}");
    let cycle = stdout.split("in a circle (shortest found):\n").nth(1).expect("the cycle in words");
    let edges = cycle.lines().filter_map(|line| line.split('(').next_back()?.strip_suffix(')'));
    assert_eq!(edges.filter(|name| name.len() == 2).collect::<Vec<_>>(), ["po", "fr", "po", "fr"], "{cycle}");
    assert!(stdout.contains("store of #"), "the table should show when stores reach memory:\n{stdout}");
}

#[test]
fn the_cycle_is_in_json() {
    let folder = Folder::new("the_cycle_is_in_json");
    folder.write("sb.c", STORES);
    let run = folder.norn(&["robust", "-m", "tso,pso", "--json", "sb.c"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
    assert_eq!(run.status(), 10);
    let verdicts = support::verdicts(&value);
    assert_eq!(verdicts.len(), 2);
    for (value, model) in verdicts.iter().zip(["tso", "pso"]) {
        assert_eq!((&value["verdict"], &value["model"]), (&"not robust".into(), &model.into()));
        let cycle = value["cycle"].as_array().expect("a cycle");
        assert_eq!(cycle.len(), 4);
        for edge in cycle {
            let event = to_usize(edge["from"]["event"].as_u64().expect("a number"));
            assert_eq!(value["trace"]["events"][event - 1]["location"], edge["from"]["location"]);
        }
    }
}

#[test]
fn robust_programs_and_bounds() {
    let folder = Folder::new("robust_programs");
    let fenced = STORES.replace("= 1;", "= 1; __sync_synchronize();");
    folder.write("fenced.c", &fenced);
    let check = |args: &[&str], status: i32, last: &str| {
        let run = folder.norn(&[&["robust"], args].concat());
        assert_eq!((run.stdout().lines().last(), run.status()), (Some(last), status), "{args:?}: {}", run.stderr());
    };
    check(&["-m", "tso", "fenced.c"], 0, "norn: robust (tso)");
    check(&["-m", "tso,pso", "fenced.c"], 0, "norn: robust (pso)");
    folder.write("loop.c", fenced.replace("return y;", "while (y) ;"));
    let bounded = "norn: robust (tso) up to unwind 2 at loop.c:11";
    check(&["--unwind", "2", "loop.c"], 0, bounded);
    check(&["--unwind", "2", "--require-proof", "loop.c"], 5, bounded);
    let cut = "norn: unknown (tso): 1 execution was explored, an estimated 50.00 % of the search";
    check(&["--executions", "1", "fenced.c"], 5, cut);
    assert_eq!(folder.norn(&["robust", "-m", "sc", "fenced.c"]).status(), 1);
}

#[test]
fn message_passing_is_robust_under_tso_only() {
    let folder = Folder::new("message_passing_robust");
    let example = project().join("examples/message_passing.c").display().to_string();
    let status = |options: &[&str]| folder.norn(&[&["robust"], options, &[&example]].concat()).status();
    assert_eq!((status(&["-m", "tso"]), status(&["-m", "pso"])), (0, 10));
}

/// A cycle is one whatever its threads do behind it, also where that has no meaning.
#[test]
fn what_is_unsupported_behind_a_cycle_does_not_matter() {
    let folder = Folder::new("unsupported_behind_a_cycle");
    let left = "#include <pthread.h>\nint x, y, p, q;\nvoid unknown(void);\n\
                void *left(void *a) { x = 1; p = y; unknown(); return a; }\n\
                void *right(void *a) { y = 1; q = x; unknown(); return a; }\n\
                int main(void) { pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0); return 0; }\n";
    folder.write("a.c", left);
    for model in ["tso", "pso"] {
        let run = folder.norn(&["robust", "-m", model, "a.c"]);
        assert_eq!(run.status(), 10, "{model}: {}", run.stderr());
    }
}

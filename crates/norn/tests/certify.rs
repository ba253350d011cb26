//! `--certify` and `--require-proof`: what a SAT solver calls safe is compared with the machine.

mod support;

use support::{Folder, project};

const SAFE: &str = "#include <assert.h>\n#include <pthread.h>\nint nondet_int(void);\nint x;\n\
    void *t(void *a) { int v = nondet_int(); if (v & 1) { if (v > 100) x = 1; } else { if (v < 0) x = 2; } return 0; }\n\
    int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); int r = x; assert(r >= 0 && r < 3); }";

/// How many executions were compared, as JSON says.
fn compared(folder: &Folder, options: &[&str]) -> Option<f64> {
    let run = folder.norn(&[&["check", "--json", "safe.c"], options].concat());
    assert_eq!(run.status(), 0, "{options:?}: {} {}", run.stdout(), run.stderr());
    let text = run.stdout();
    let (_, rest) = text.split_once("\"executions checked\":")?;
    rest.trim_start().split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

#[test]
fn json_says_how_many_executions_were_compared() {
    let folder = Folder::new("certify_json");
    folder.write("safe.c", SAFE);
    for engine in ["events", "rounds"] {
        for model in ["sc", "tso", "pso"] {
            let options = ["-e", engine, "-m", model];
            assert_eq!(compared(&folder, &options), None, "{engine} {model}");
            let certified = compared(&folder, &[&options[..], &["--certify"]].concat());
            assert!(certified.is_some_and(|count| count >= 20.0), "{engine} {model}: {certified:?}");
            let required = compared(&folder, &[&options[..], &["--require-proof"]].concat());
            assert!(required.is_some_and(|count| count >= 20.0), "{engine} {model}: {required:?}");
        }
    }
    let stats = folder.norn(&["check", "-e", "rounds", "--certify", "--stats", "safe.c"]);
    assert!(stats.stderr().contains("check seconds") && stats.stderr().contains("proof steps"), "{}", stats.stderr());
}

/// Every example, every model, both engines: the verdict is the same, and nothing is left out.
#[test]
fn examples_are_certified() {
    let folder = Folder::new("certify_examples");
    for example in ["locked_counter.c", "message_passing.c", "peterson.c", "producer_consumer.c", "slot_stack.c"] {
        let path = project().join("examples").join(example).display().to_string();
        for engine in ["events", "rounds"] {
            for model in ["sc", "tso", "pso"] {
                let mut args = vec!["check", "-e", engine, "-m", model, "--unwind", "2", &path];
                if engine == "rounds" {
                    args.extend(["--rounds", "2"]);
                }
                let (plain, certified) = (folder.norn(&args), folder.norn(&[&args[..], &["--certify"]].concat()));
                assert_eq!(certified.status(), plain.status(), "{example} {engine} {model}: {}", certified.stderr());
                assert_eq!(
                    certified.stdout().lines().last(),
                    plain.stdout().lines().last(),
                    "{example} {engine} {model}"
                );
            }
        }
    }
}

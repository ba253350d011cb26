//! `--jobs`: engines that run side by side give the verdicts of those that take turns, within the limits of all.

mod support;

use std::time::{Duration, Instant};
use support::{Folder, Run, project};

/// Two threads that count for ever: nobody can decide it, and some engines need much memory.
const ENDLESS: &str = "#include <pthread.h>\n#include <assert.h>\nunsigned long x, y, z;\n\
    void *t(void *p) { for (;;) { x++; y += x; } return p; }\nvoid *u(void *p) { for (;;) { z++; y += z; } return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0); pthread_join(a, 0); assert(0); }\n";

fn last(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn verdicts_of_examples_do_not_depend_on_jobs() {
    let folder = Folder::new("verdicts_of_examples_do_not_depend_on_jobs");
    let mut compared = 0;
    for example in std::fs::read_dir(project().join("examples")).expect("examples") {
        let path = example.expect("an example").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let path = path.display().to_string();
        for options in [&["-m", "sc,tso,pso"][..], &["-m", "pso", "--no-attack"], &["-m", "tso", "--deadlock"]] {
            let with = |jobs| folder.norn(&[&["check", "--jobs", jobs][..], options, &[&path]].concat());
            let lines = |jobs| {
                let run = with(jobs);
                let verdicts =
                    run.stdout().lines().filter(|line| line.starts_with("norn: ")).map(str::to_owned).collect();
                let verdicts: Vec<String> = verdicts;
                (
                    run.status(),
                    verdicts.iter().map(|line| line.split(')').next().map(str::to_owned)).collect::<Vec<_>>(),
                )
            };
            assert_eq!(lines("1"), lines("3"), "{path} {options:?}");
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} runs were compared");
}

#[test]
fn the_time_limit_holds_for_all_together() {
    let folder = Folder::new("the_time_limit_holds_for_all_together");
    folder.write("endless.c", ENDLESS);
    for jobs in ["1", "2", "8"] {
        let begun = Instant::now();
        let run = folder.norn(&["check", "--jobs", jobs, "--timeout", "2", "endless.c"]);
        assert_eq!((run.status(), last(&run).contains("limit was reached")), (5, true), "{}", run.stdout());
        let took = begun.elapsed();
        assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(8), "{jobs} jobs took {took:?}");
    }
}

#[test]
fn the_memory_limit_holds_for_all_together() {
    let folder = Folder::new("the_memory_limit_holds_for_all_together");
    folder.write("endless.c", ENDLESS);
    for jobs in ["1", "4"] {
        let run = folder.norn(&["check", "--jobs", jobs, "--memory", "100", "--timeout", "6", "endless.c"]);
        assert_eq!((run.status(), last(&run).contains("limit was reached")), (5, true), "{}", run.stdout());
    }
}

#[test]
fn jobs_are_at_least_one() {
    let folder = Folder::new("jobs_are_at_least_one");
    folder.write("fine.c", "int main(void) { return 0; }\n");
    for wrong in ["0", "-1", "many", ""] {
        let run = folder.norn(&["check", &format!("--jobs={wrong}"), "fine.c"]);
        assert_eq!(run.status(), 1, "{wrong}");
        assert!(run.stderr().contains("is not a number of engines, 1 or more"), "{}", run.stderr());
    }
    assert_eq!(folder.norn(&["check", "-j1", "fine.c"]).status(), 0);
}

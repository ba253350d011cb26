//! Work in pieces: what `norn gather` says is what `norn check` says, and nothing in a folder makes it say more.

mod support;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Folder, Run, project, until_it_listens, wait_until};

/// Safe, and with some work to do: three threads that count by load and store.
const COUNTERS: &str = "#include <pthread.h>\n#include <assert.h>\nvolatile int x;\n\
    void *t(void *arg) { for (int i = 0; i < 2; i++) { int r = x; x = r + 1; } return 0; }\n\
    int main(void) { pthread_t a, b, c; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
    pthread_create(&c, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);\n\
    assert(x != LIMIT); return 0; }\n";

/// A formula that takes a solver long: a number with two factors, in several threads.
const HARD: &str = "#include <pthread.h>\n#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nvolatile unsigned long a, b;\n\
    void *t(void *arg) { a = __VERIFIER_nondet_uint(); return 0; }\nvoid *u(void *arg) { b = __VERIFIER_nondet_uint(); return 0; }\n\
    int main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0);\n\
    unsigned long r = a, s = b; assert(r <= 1 || s <= 1 || r * s != 1000000016000000063UL); return 0; }\n";

const BOUNDS: [&str; 4] = ["--rounds", "2", "--unwind", "2"];

fn last(run: &Run) -> String {
    run.stdout().lines().last().unwrap_or_default().to_owned()
}

/// Cuts, works on all pieces, gathers.
fn in_pieces(folder: &Folder, tiles: &str, options: &[&str]) -> Run {
    let _ = fs::remove_dir_all(folder.path("tiles"));
    let split = folder.norn(&[&["split", "--tiles", tiles, "-o", "tiles"], &BOUNDS[..], options].concat());
    assert_eq!(split.status(), 0, "{options:?}: {}{}", split.stdout(), split.stderr());
    work(folder, 0..number_of_tiles(folder));
    folder.norn(&["gather", "tiles"])
}

fn number_of_tiles(folder: &Folder) -> u32 {
    let is_there = |tile: &u32| folder.path(&format!("tiles/tile-{tile}.json")).exists();
    (0..).find(|tile| !is_there(tile)).expect("they come to an end")
}

fn work(folder: &Folder, tiles: impl IntoIterator<Item = u32>) {
    for tile in tiles {
        let run = folder.norn(&["work", "tiles", &tile.to_string()]);
        assert_eq!(run.status(), 0, "{tile}: {}{}", run.stdout(), run.stderr());
    }
}

/// A folder with the pieces of a safe program, all answered.
fn answered(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("c.c", COUNTERS);
    let run = in_pieces(&folder, "4", &["-D", "LIMIT=0", "c.c"]);
    assert_eq!((run.status(), last(&run).as_str()), (0, "norn: safe (sc) up to 2 rounds"), "{}", run.stderr());
    folder
}

/// The pieces do not say safe any more, and say this instead.
fn refused(folder: &Folder, status: i32, words: &str) {
    let run = folder.norn(&["gather", "tiles"]);
    let said = run.stdout() + &run.stderr();
    assert_eq!(run.status(), status, "{words}: {said}");
    assert!(said.contains(words), "{words}: {said}");
    assert!(!run.stdout().contains("norn: safe"), "{said}");
}

#[test]
fn pieces_say_what_a_run_without_them_says() {
    let folder = Folder::new("tiles_agree");
    let mut unsafe_ones = 0;
    for example in ["dekker.c", "peterson.c", "store_buffering.c", "spinlock.c", "seqlock.c", "message_passing.c"] {
        let path = project().join("examples").join(example).display().to_string();
        for model in ["sc", "tso", "pso"] {
            let options = ["-m", model, &path];
            let whole = folder.norn(&[&["check", "-e", "rounds"], &BOUNDS[..], &options].concat());
            let pieces = in_pieces(&folder, "6", &options);
            assert_eq!((last(&pieces), pieces.status()), (last(&whole), whole.status()), "{example} {model}");
            unsafe_ones += u32::from(whole.status() == 10);
        }
    }
    assert!((4..14).contains(&unsafe_ones), "{unsafe_ones}");
}

#[test]
fn notes_assumptions_and_bounds_are_the_same() {
    let folder = Folder::new("tiles_notes");
    folder.write(
        "n.c",
        "#include <pthread.h>\n#include <assert.h>\nvolatile int x, *volatile p;\n\
         void *t(void *arg) { if (x == 2) *p = 1; while (x < 9) x++; assert(x != 100); return 0; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }\n",
    );
    for options in [
        &["--only-assertions", "n.c"][..],
        &["n.c"],
        &["--data-race", "n.c"],
        &["-m", "pso", "--only-assertions", "n.c"],
    ] {
        let whole = folder.norn(&[&["check", "-e", "rounds"], &BOUNDS[..], options].concat());
        if options.contains(&"--data-race") {
            let split = folder.norn(&[&["split", "--tiles", "3", "-o", "none"], &BOUNDS[..], options].concat());
            assert_eq!((split.status(), split.stdout()), (whole.status(), whole.stdout()), "{options:?}");
            continue;
        }
        let pieces = in_pieces(&folder, "5", options);
        assert_eq!((last(&pieces), pieces.status()), (last(&whole), whole.status()), "{options:?}");
        if whole.status() == 0 {
            assert_eq!(pieces.stdout(), whole.stdout(), "{options:?}");
            assert!(whole.stdout().contains("assuming"), "{}", whole.stdout());
        }
    }
}

#[test]
fn sources_are_not_needed_after_cutting() {
    let folder = Folder::new("tiles_sources");
    folder.write("c.c", COUNTERS);
    let split = ["split", "--tiles", "3", "-o", "tiles", "--rounds", "3", "--unwind", "2", "-D", "LIMIT=4", "c.c"];
    assert_eq!(folder.norn(&split).status(), 0);
    fs::remove_file(folder.path("c.c")).expect("it should go");
    work(&folder, 0..3);
    let run = folder.norn(&["gather", "--schedule-out", "bug.sched", "--html", "bug.html", "tiles"]);
    assert_eq!((run.status(), last(&run).as_str()), (10, "norn: unsafe (sc): assertion failed at c.c:7"));
    assert!(run.stdout().contains("pthread_join(b, 0);"), "{}", run.stdout());
    folder.write("c.c", COUNTERS);
    assert!(folder.path("bug.html").exists());
    let replayed = folder.norn(&["run", "--schedule", "bug.sched", "-D", "LIMIT=4", "c.c"]);
    assert_eq!(replayed.status(), 10, "{}", replayed.stderr());
}

#[test]
fn one_piece_is_enough_for_unsafe() {
    let folder = Folder::new("tiles_one");
    folder.write("c.c", COUNTERS);
    let split = ["split", "--tiles", "5", "-o", "tiles", "--rounds", "3", "--unwind", "2", "-D", "LIMIT=5", "c.c"];
    assert_eq!(folder.norn(&split).status(), 0);
    let found = (0..5).find(|tile| {
        work(&folder, [*tile]);
        folder.norn(&["gather", "tiles"]).status() == 10
    });
    assert!(found.is_some());
    let run = folder.norn(&["gather", "--json", "tiles"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout()).expect("it should be JSON");
    assert_eq!(value["tiles"]["unsafe"], serde_json::json!([found]));
    assert_eq!(value["tiles"]["number"], 5);
}

#[test]
fn what_is_missing_is_named() {
    let folder = answered("tiles_missing");
    fs::remove_file(folder.path("tiles/answer-2.json")).expect("it should be there");
    refused(&folder, 5, "norn: unknown (sc): tile 2 of 4 has no answer");
    fs::remove_file(folder.path("tiles/tile-0.json")).expect("it should be there");
    refused(&folder, 5, "norn: unknown (sc): tiles 0, 2 of 4 have no answer");
    for tile in 1..4 {
        fs::remove_file(folder.path(&format!("tiles/tile-{tile}.json"))).expect("it should be there");
    }
    refused(&folder, 2, "there are no pieces");
    fs::remove_dir_all(folder.path("tiles")).expect("it should be there");
    refused(&folder, 2, "no such file or directory");
    folder.write("tiles", "");
    refused(&folder, 2, "not a folder");
}

/// A change to one file, and what is said about it.
fn check_change(folder: &Folder, file: &str, words: &str, change: impl FnOnce(&std::path::Path)) {
    let path = folder.path("tiles").join(file);
    let before = fs::read(&path).expect("it should be there");
    change(&path);
    refused(folder, 2, words);
    if path.is_dir() {
        fs::remove_dir(&path).expect("it should go");
    } else {
        fs::remove_file(&path).expect("it should go");
    }
    fs::write(&path, before).expect("it should be ours");
}

#[test]
fn files_that_are_wrong_are_named() {
    let folder = answered("tiles_wrong");
    let text = |name: &str| fs::read_to_string(folder.path("tiles").join(name)).expect("it should be there");
    for (file, other) in [("tile-1.json", "tile-2.json"), ("answer-1.json", "answer-2.json")] {
        let own = text(file);
        let put = |text: String| move |path: &std::path::Path| fs::write(path, text).expect("it should be ours");
        check_change(&folder, file, "cut off", put(own[..own.len() / 2].to_owned()));
        check_change(&folder, file, "cut off", put(String::new()));
        check_change(&folder, file, "it is not a", put("\0\u{1b}[2J".to_owned()));
        check_change(&folder, file, "of version 9", put(own.replacen("\":1,", "\":9,", 1)));
        check_change(&folder, file, "not 1", put(text(other)));
        check_change(
            &folder,
            file,
            "was changed",
            put(own.replace("\"exhausted\":false", "\"exhausted\":true").replace("\"rounds\":2", "\"rounds\":3")),
        );
        check_change(&folder, file, "not UTF-8", |path| fs::write(path, b"{\"\xff\":1}").expect("it should be ours"));
        check_change(&folder, file, "it is not a", put(format!("{}{}", "[".repeat(5000), "]".repeat(5000))));
        check_change(
            &folder,
            file,
            "it is not a",
            put(format!("{{\"norn_answer\":1,\"norn_piece\":1,\"a\":{}}}", "9".repeat(100_000))),
        );
        #[cfg(unix)]
        {
            check_change(&folder, file, "symbolic link", |path| {
                fs::remove_file(path).expect("it should go");
                std::os::unix::fs::symlink(other, path).expect("a link");
            });
            check_change(&folder, file, "symbolic link", |path| {
                fs::remove_file(path).expect("it should go");
                std::os::unix::fs::symlink("/dev/zero", path).expect("a link");
            });
            check_change(&folder, file, "it is a pipe", |path| {
                fs::remove_file(path).expect("it should go");
                assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo should run").success());
            });
            check_change(&folder, file, "has more than 256 MiB", |path| {
                fs::File::options().write(true).open(path).expect("it is ours").set_len(1 << 40).expect("a hole");
            });
        }
        check_change(&folder, file, "it is a directory", |path| {
            fs::remove_file(path).expect("it should go");
            fs::create_dir(path).expect("a folder");
        });
    }
    // All is well again; names that are no numbers of pieces do not matter.
    folder.write("tiles/tile-007.json", "");
    folder.write("tiles/answer-x.json", "");
    folder.write("tiles/.answer-1.json.0123", "half of an ans");
    assert_eq!(folder.norn(&["gather", "tiles"]).status(), 0);
    folder.write("tiles/tile-4.json", text("tile-3.json"));
    refused(&folder, 2, "it is piece 3, not 4");
}

#[test]
fn answers_and_pieces_of_other_questions_are_refused() {
    let folder = answered("tiles_foreign");
    let read = |name: &str| fs::read(folder.path("tiles").join(name)).expect("it should be there");
    let (piece, answer) = (read("tile-1.json"), read("answer-1.json"));
    // The same program under another model, with another bound, and another program that is not safe.
    for options in [&["-m", "tso", "-D", "LIMIT=0"][..], &["--unwind", "1", "-D", "LIMIT=0"], &["-D", "LIMIT=3"]] {
        let run = in_pieces(&folder, "4", &[options, &["c.c"]].concat());
        assert_ne!(last(&run), "");
        let answers = read("answer-1.json");
        folder.write("tiles/answer-1.json", &answer);
        refused(&folder, 2, "it answers another question");
        folder.write("tiles/answer-1.json", answers);
        folder.write("tiles/tile-1.json", &piece);
        refused(&folder, 2, "another question");
    }
    let other = in_pieces(&folder, "5", &["-D", "LIMIT=0", "c.c"]);
    assert_eq!(other.status(), 0);
    folder.write("tiles/tile-1.json", &piece);
    refused(&folder, 2, "one of 4");
}

#[test]
fn claims_that_do_not_replay_are_refused() {
    let folder = Folder::new("tiles_claims");
    folder.write("c.c", COUNTERS);
    let run = in_pieces(&folder, "1", &["-D", "LIMIT=3", "c.c"]);
    assert_eq!(run.status(), 10, "{}", run.stdout());
    let path = folder.path("tiles/answer-0.json");
    let answer = fs::read_to_string(&path).expect("it should be there");
    // Somebody who knows how fingerprints are made.
    let forge = |change: &dyn Fn(&str) -> String| {
        let mut value: serde_json::Value = serde_json::from_str(&answer).expect("it should be JSON");
        let schedule = change(value["said"]["unsafe"]["schedule"].as_str().expect("a schedule"));
        value["said"]["unsafe"]["schedule"] = schedule.into();
        let prints = format!("{{\"question\":{},\"piece\":{}}}", value["prints"]["question"], value["prints"]["piece"]);
        let said = &value["said"]["unsafe"];
        let expected = &said["expected"][0];
        let span = &expected["span"];
        let said = format!(
            "{{\"unsafe\":{{\"schedule\":{},\"expected\":[{{\"kind\":{},\"span\":{{\"file\":{},\"line\":{},\"column\":{}}}}}]}}}}",
            said["schedule"], expected["kind"], span["file"], span["line"], span["column"]
        );
        value["own"] = fingerprint(&format!("[{prints},{said}]")).into();
        fs::write(&path, value.to_string()).expect("it should be ours");
    };
    forge(&|schedule| schedule.to_owned());
    assert_eq!(folder.norn(&["gather", "tiles"]).status(), 10);
    forge(&|schedule| {
        schedule.lines().filter(|line| !line.contains("main.2")).map(|line| format!("{line}\n")).collect()
    });
    refused(&folder, 2, "its violation is none");
    forge(&|schedule| schedule.replace("model sc", "model pso"));
    refused(&folder, 2, "its schedule is one under pso");
    forge(&|_| "nonsense".to_owned());
    refused(&folder, 2, "its schedule cannot be read");
    forge(&|schedule| schedule.replacen("program ", "program 1", 1));
    refused(&folder, 2, "");
}

/// FNV-1a of 128 bits, once more.
fn fingerprint(text: &str) -> String {
    let step = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    format!("{:032x}", text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step))
}

#[test]
fn a_worker_that_is_killed_leaves_no_answer() {
    let folder = Folder::new("tiles_killed");
    folder.write("h.c", HARD);
    let split = folder.norn(&["split", "--tiles", "2", "-o", "tiles", "--rounds", "1", "--unwind", "1", "h.c"]);
    assert_eq!(split.status(), 0, "{}", split.stderr());
    let start = || -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command.args(["work", "tiles", "1"]).current_dir(folder.path("")).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("norn should start")
    };
    // Killed, or told to end: both leave nothing.
    for signal in ["-KILL", "-TERM"] {
        let mut child = start();
        until_it_listens(&child);
        std::thread::sleep(Duration::from_millis(300));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
        let status = child.wait().expect("norn should end");
        assert!(status.code().is_none_or(|code| code == 130), "{status}");
        assert!(!folder.path("tiles/answer-1.json").exists(), "{signal}");
    }
    // A limit is an answer that leaves the piece open, and is replaced.
    for _ in 0..2 {
        let run = folder.norn(&["work", "--timeout", "0.5", "tiles", "1"]);
        assert_eq!(
            (run.status(), last(&run).as_str()),
            (0, "norn: tile 1 of 2 (sc): unknown: the time limit was reached")
        );
    }
    refused(&folder, 5, "tile 0 of 2 has no answer; tile 1 of 2: the time limit was reached");
    let names: Vec<_> =
        fs::read_dir(folder.path("tiles")).expect("a folder").map(|entry| entry.expect("it").file_name()).collect();
    assert_eq!(names.len(), 3, "nothing else is left behind: {names:?}");
}

#[test]
fn a_piece_can_be_asked_again() {
    let folder = answered("tiles_again");
    let path = folder.path("tiles/answer-3.json");
    let before = fs::read(&path).expect("it should be there");
    let run = folder.norn(&["work", "tiles", "3"]);
    assert_eq!(last(&run), "norn: tile 3 of 4 (sc): no violation, as was answered before");
    assert_eq!(fs::read(&path).expect("it should be there"), before);
    for broken in [&b""[..], b"{}", &before[..before.len() - 10]] {
        folder.write("tiles/answer-3.json", broken);
        work(&folder, [3]);
        assert_eq!(folder.norn(&["gather", "tiles"]).status(), 0);
    }
    let run = folder.norn(&["work", "--again", "tiles", "3"]);
    assert_eq!(last(&run), "norn: tile 3 of 4 (sc): no violation");
    // Two at once.
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_norn"))
            .args(["work", "--again", "tiles", "3"])
            .current_dir(folder.path(""))
            .spawn()
    };
    let both = [start(), start()];
    for child in both {
        assert!(child.expect("norn should start").wait().expect("norn should end").success());
    }
    assert_eq!(folder.norn(&["gather", "tiles"]).status(), 0);
    assert_eq!(folder.norn(&["work", "tiles", "4"]).status(), 2);
    assert_eq!(folder.norn(&["work", "nowhere", "0"]).status(), 2);
}

#[test]
fn what_cannot_be_cut_is_wrong_usage() {
    let folder = Folder::new("tiles_usage");
    folder.write("c.c", COUNTERS);
    let check = |options: &[&str], words: &str| {
        for command in [&["split", "-o", "tiles"][..], &["check", "--on", "local"]] {
            let run = folder.norn(&[command, &["--tiles", "4", "-D", "LIMIT=0", "c.c"], options].concat());
            assert_eq!(run.status(), 1, "{options:?}: {}{}", run.stdout(), run.stderr());
            assert!(run.stderr().contains(words), "{options:?}: {}", run.stderr());
            assert!(!folder.path("tiles").exists());
        }
    };
    for engine in ["states", "stateless", "events", "enumerate", "sample"] {
        check(&["-e", engine, "--unwind", "2"], &format!("questions to '{engine}' cannot be cut"));
    }
    check(&["--unwind", "2"], "give --rounds N");
    check(&["--rounds", "2"], "give --unwind N");
    check(&["--rounds", "2", "--unwind", "c.c:4=2"], "give --unwind N");
    check(&["--rounds", "2", "--unwind", "2", "-m", "sc,tso"], "give one model");
    check(&["--rounds", "2", "--unwind", "2", "-m", "rc11"], "");
    check(&["--rounds", "2", "--unwind", "2", "--executions", "9"], "executions");
    check(&["--rounds", "2", "--unwind", "2", "--on", "pbs"], "");
    for tiles in ["0", "100001", "-1", "x"] {
        let run = folder.norn(&["split", "-o", "tiles", "--rounds", "2", "--unwind", "2", "--tiles", tiles, "c.c"]);
        assert_eq!(run.status(), 1, "{tiles}");
    }
    assert_eq!(in_pieces(&folder, "2", &["-D", "LIMIT=0", "c.c"]).status(), 0);
    let again = folder.norn(&[&["split", "--tiles", "2", "-o", "tiles", "-D", "LIMIT=0", "c.c"], &BOUNDS[..]].concat());
    assert_eq!(again.status(), 1, "{}", again.stderr());
    let on = ["check", "--on", "local", "--tiles", "2", "--tiles-dir", "tiles", "-D", "LIMIT=1", "c.c"];
    let other = folder.norn(&[&on, &BOUNDS[..]].concat());
    assert_eq!(other.status(), 1, "{}", other.stderr());
    assert!(other.stderr().contains("pieces of another question"), "{}", other.stderr());
}

#[test]
fn a_job_of_kubernetes_has_an_index_for_each_piece() {
    let folder = Folder::new("tiles_kubernetes");
    folder.write("c.c", COUNTERS);
    let split = ["split", "--kubernetes", "--tiles", "12", "-o", "tiles", "-D", "LIMIT=0", "c.c"];
    assert_eq!(folder.norn(&[&split, &BOUNDS[..]].concat()).status(), 0);
    let text = fs::read_to_string(folder.path("tiles/job.yaml")).expect("a manifest");
    assert!(text.contains("completions: 12\n"), "{text}");
}

#[test]
fn pieces_here_are_worked_on_side_by_side() {
    let folder = Folder::new("tiles_local");
    folder.write("c.c", COUNTERS);
    for (limit, status) in [("LIMIT=0", 0), ("LIMIT=4", 10)] {
        let options = ["-D", limit, "--rounds", "3", "--unwind", "2", "c.c"];
        let whole = folder.norn(&[&["check", "-e", "rounds"], &options[..]].concat());
        let run = folder.norn(&[&["check", "--on", "local", "-j", "2", "--tiles", "6"], &options[..]].concat());
        assert_eq!((run.status(), last(&run)), (status, last(&whole)), "{}", run.stderr());
        // Only what was there before.
        assert_eq!(fs::read_dir(folder.path("")).expect("a folder").count(), 1);
    }
}

#[cfg(unix)]
mod schedulers {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Programs with the names of Slurm's, in a folder: `sbatch` runs the tasks that the file `runs` lets it run, `squeue` says what is
    /// left, `scancel` notes that it was called.
    fn slurm(test: &str, sbatch: &str) -> Folder {
        let folder = Folder::new(&format!("tiles_{test}"));
        folder.write("c.c", COUNTERS);
        fs::create_dir(folder.path("bin")).expect("a folder");
        let script = |name: &str, text: &str| {
            let path = folder.write(&format!("bin/{name}"), format!("#!/bin/sh\n{text}"));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script");
        };
        // The tasks 0-3, 7 as words.
        let tasks = "cat > script\nfor word in \"$@\"; do case $word in --array=*) array=${word#--array=};; esac; done\n\
            echo \"$array\" >> submitted\ntasks=\nfor part in $(echo $array | tr , ' '); do\n\
            tasks=\"$tasks $(seq ${part%-*} ${part#*-} | tr '\\n' ' ')\"; done\n";
        script("sbatch", &format!("{tasks}{sbatch}\necho 77"));
        script("squeue", "cat queue 2>/dev/null; exit 0");
        script("scancel", "echo \"$@\" >> cancelled; rm -f queue");
        folder
    }

    fn check(folder: &Folder, limit: &str) -> Run {
        let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command.args([
            "check",
            "--on",
            "slurm:big",
            "--tiles",
            "4",
            "--tiles-dir",
            "tiles",
            "--rounds",
            "3",
            "--unwind",
            "2",
        ]);
        command.args(["-D", limit, "c.c"]).current_dir(folder.path("")).env("PATH", path);
        Run::of(command.output().expect("norn should start"))
    }

    fn lines(folder: &Folder, file: &str) -> Vec<String> {
        fs::read_to_string(folder.path(file)).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    const RUN: &str = "for task in $tasks; do SLURM_ARRAY_TASK_ID=$task sh script > /dev/null 2>&1; done";

    #[test]
    fn tasks_that_end_well_make_the_verdict() {
        let folder = slurm("slurm_well", RUN);
        let run = check(&folder, "LIMIT=0");
        assert_eq!((run.status(), last(&run).as_str()), (0, "norn: safe (sc) up to 3 rounds"), "{}", run.stderr());
        assert_eq!(lines(&folder, "submitted"), ["0-3"]);
        // Answers that are there are not asked for again.
        assert_eq!(check(&folder, "LIMIT=0").status(), 0);
        assert_eq!(lines(&folder, "submitted"), ["0-3"]);
        fs::remove_file(folder.path("tiles/answer-1.json")).expect("it should be there");
        fs::remove_file(folder.path("tiles/answer-3.json")).expect("it should be there");
        assert_eq!(check(&folder, "LIMIT=0").status(), 0);
        assert_eq!(lines(&folder, "submitted"), ["0-3", "1,3"]);
    }

    #[test]
    fn tasks_that_die_are_submitted_again() {
        // Task 2 dies twice.
        let some = "for task in $tasks; do\nif test $task = 2 -a $(wc -l < submitted) -lt 3; then continue; fi\n\
            SLURM_ARRAY_TASK_ID=$task sh script > /dev/null 2>&1; done";
        let folder = slurm("slurm_dies", some);
        let run = check(&folder, "LIMIT=0");
        assert_eq!((run.status(), last(&run).as_str()), (0, "norn: safe (sc) up to 3 rounds"), "{}", run.stderr());
        assert_eq!(lines(&folder, "submitted"), ["0-3", "2", "2"]);
    }

    #[test]
    fn tasks_that_always_die_are_named() {
        let some = "for task in $tasks; do\ncase $task in 1|2) continue;; esac\n\
            SLURM_ARRAY_TASK_ID=$task sh script > /dev/null 2>&1; done";
        let folder = slurm("slurm_always", some);
        let run = check(&folder, "LIMIT=0");
        let expected = "norn: unknown (sc): tiles 1, 2 of 4 have no answer; their jobs ended 3 times without one";
        assert_eq!((run.status(), last(&run).as_str()), (5, expected), "{}", run.stderr());
        assert_eq!(lines(&folder, "submitted"), ["0-3", "1,2", "1,2"]);
        assert!(
            run.stderr().contains("is submitted again") && run.stderr().contains("is given up"),
            "{}",
            run.stderr()
        );
    }

    #[test]
    fn a_violation_ends_the_others() {
        // Tasks run one after the other until one has a violation; the others wait for ever.
        let some = "for task in $tasks; do\nSLURM_ARRAY_TASK_ID=$task sh script > said 2>&1\n\
            if grep -q violation: said; then break; fi; done\nseq 0 3 | sed 's/.*/77 & PENDING/' > queue";
        let folder = slurm("slurm_cancel", some);
        let run = check(&folder, "LIMIT=4");
        assert_eq!(
            (run.status(), last(&run).as_str()),
            (10, "norn: unsafe (sc): assertion failed at c.c:7"),
            "{}",
            run.stderr()
        );
        assert_eq!(lines(&folder, "cancelled"), ["77"]);
    }

    #[test]
    fn an_interrupt_cancels_all() {
        let folder = slurm("slurm_interrupt", "seq 0 3 | sed 's/.*/77 & RUNNING/' > queue");
        let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command
            .args(["check", "--on", "slurm", "--tiles", "4", "--rounds", "3", "--unwind", "2", "-D", "LIMIT=0", "c.c"]);
        command.current_dir(folder.path("")).env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().expect("norn should start");
        wait_until("the jobs should be submitted", || folder.path("queue").exists());
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
        let output = child.wait_with_output().expect("norn should end");
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "norn: unknown (sc): interrupted\n");
        assert!(!lines(&folder, "cancelled").is_empty());
    }

    #[test]
    fn a_scheduler_that_is_not_there_is_wrong_usage() {
        let folder = slurm("slurm_none", "exit 1");
        let run = check(&folder, "LIMIT=0");
        assert_eq!(run.status(), 1, "{}", run.stdout());
        assert!(run.stderr().contains("'sbatch' failed"), "{}", run.stderr());
    }

    /// A worker is killed in the middle of its work, and its piece is worked on again.
    #[test]
    fn a_worker_that_is_killed_is_replaced() {
        let folder = Folder::new("tiles_replaced");
        folder.write("h.c", HARD);
        let mut command = Command::new(env!("CARGO_BIN_EXE_norn"));
        command.args(["check", "--on", "local", "-j", "1", "--tiles", "2", "--tiles-dir", "tiles", "--timeout", "3"]);
        command.args(["--rounds", "1", "--unwind", "1", "h.c"]).current_dir(folder.path(""));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("norn should start");
        // Of the piece that is not easy.
        let worker = || {
            let listed = Command::new("ps").args(["-o", "pid=,args=", "--ppid", &child.id().to_string()]).output();
            let listed = String::from_utf8_lossy(&listed.expect("ps should run").stdout).into_owned();
            let found = listed.lines().find(|line| line.trim_end().ends_with("tiles 1"))?;
            found.split_whitespace().next().map(str::to_owned)
        };
        wait_until("a worker should start", || worker().is_some());
        let (first, start) = (worker().expect("it was there"), Instant::now());
        assert!(Command::new("kill").args(["-KILL", &first]).status().expect("kill").success());
        wait_until("another should start", || worker().is_some_and(|other| other != first));
        assert!(start.elapsed() < Duration::from_secs(3));
        let output = child.wait_with_output().expect("norn should end");
        let (said, noted) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(noted.contains("is submitted again"), "{noted}");
        assert_eq!(said.lines().last(), Some("norn: unknown (sc): tile 1 of 2: the time limit was reached"), "{noted}");
    }
}

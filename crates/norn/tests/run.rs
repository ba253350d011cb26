//! What C means: the programs in `tests/run` print what stands beside them, compiled and in `norn run`.
//!
//! The compiler is asked too, so that an expectation cannot be a mistake of ours. A program there must not depend on
//! what C leaves open, such as the order in which arguments are evaluated.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Folder;

/// The programs, in order of their names.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let files = fs::read_dir(folder).expect("the programs should be there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file should be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(!files.is_empty(), "there should be programs");
    files
}

fn expected(program: &Path) -> String {
    fs::read_to_string(program.with_extension("out")).expect("the expected output should lie beside the program")
}

#[test]
fn norn_prints_what_is_expected() {
    let folder = Folder::new("run_norn");
    for program in programs() {
        let name = program.display();
        let run = folder.norn(&["run", &name.to_string()]);
        assert_eq!(run.stdout(), expected(&program), "{name}: {}", run.stderr());
        assert_eq!(
            (run.status(), run.stderr().as_str()),
            (0, "norn: the program ended with status 0 (sc)\n"),
            "{name}"
        );
    }
}

/// Signed arithmetic wraps for Norn, and so it has to for the compiler.
#[test]
fn the_compiler_prints_what_is_expected() {
    let folder = Folder::new("run_cc");
    let binary = folder.write("program", "");
    for program in programs() {
        let name = program.display();
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-fwrapv", "-w", "-O0", "-o"]).arg(&binary).arg(&program).arg("-lm");
        assert!(cc.status().expect("cc should start").success(), "{name} should compile");
        let run = Command::new(&binary).output().expect("the program should start");
        assert_eq!(String::from_utf8_lossy(&run.stdout), expected(&program), "{name}");
        assert!(run.status.success(), "{name}");
    }
}

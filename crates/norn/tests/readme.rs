//! The README shows what Norn says: its first program is checked by the command below it, and the output is compared.
//! `NORN_BLESS=1` writes the output into the README instead.

mod support;

use std::fs;
use std::process::Command;
use support::{Folder, project};

/// The inside of the first block that begins so, and where it stands.
fn block<'a>(text: &'a str, begin: &str) -> (usize, &'a str) {
    let start = text.find(begin).unwrap_or_else(|| panic!("the README should have a block '{begin}'")) + begin.len();
    let length = text[start..].find("```").expect("a block should end");
    (start, &text[start..start + length])
}

#[test]
fn the_first_example_gets_the_output_shown() {
    let path = project().join("README.md");
    let readme = fs::read_to_string(&path).expect("the README is there");
    let (_, program) = block(&readme, "```c\n");
    let (start, shown) = block(&readme, "```\n$ norn ");
    let (command, output) = shown.split_once('\n').expect("a command and its output");
    let words = command.split_whitespace().collect::<Vec<_>>();
    let folder = Folder::new("the_first_example");
    folder.write(words.last().expect("a file"), program);
    let mut norn = Command::new(env!("CARGO_BIN_EXE_norn"));
    norn.args(words).current_dir(folder.path("")).env("COLUMNS", "100");
    let run = norn.output().expect("norn should start");
    let said = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(10), "{said}{}", String::from_utf8_lossy(&run.stderr));
    if std::env::var_os("NORN_BLESS").is_some() {
        let start = start + command.len() + 1;
        let (before, after) = (&readme[..start], &readme[start + output.len()..]);
        fs::write(path, format!("{before}{said}{after}")).expect("the README should be written");
        return;
    }
    assert_eq!(said, output, "the README shows another output (NORN_BLESS=1 accepts this one)");
}

/// The two commands that a newcomer types.
#[test]
fn the_commands_to_begin_with_are_there() {
    let readme = fs::read_to_string(project().join("README.md")).expect("the README is there");
    for command in ["cargo run --release -- check -m tso examples/store_buffering.c", "cargo test --workspace"] {
        assert!(readme.lines().any(|line| line == command), "the README should have the line '{command}'");
    }
}

/// The page about harnesses shows parts of an example, and verdicts that Norn gives.
#[test]
fn the_page_about_harnesses_is_about_the_example() {
    let page = fs::read_to_string(project().join("docs/harness.md")).expect("the page is there");
    let example = fs::read_to_string(project().join("examples/work_stealing.c")).expect("the example is there");
    let blocks = page.split("```").skip(1).step_by(2).collect::<Vec<_>>();
    for part in blocks.iter().filter_map(|block| block.strip_prefix("c\n")) {
        assert!(example.contains(part), "the example does not have this part:\n{part}");
    }
    let mut compared = 0;
    for run in blocks.iter().flat_map(|block| block.split("$ norn ").skip(1)) {
        let (command, shown) = run.split_once('\n').expect("a command ends with its line");
        let shown = shown.lines().collect::<Vec<_>>();
        if shown.is_empty() {
            continue;
        }
        let words = command.split_whitespace().take_while(|&word| word != "|");
        let run = Command::new(env!("CARGO_BIN_EXE_norn")).args(words).current_dir(project()).output();
        let said = String::from_utf8_lossy(&run.expect("norn should start").stdout).into_owned();
        let verdicts = said.lines().filter(|line| line.starts_with("norn: ")).collect::<Vec<_>>();
        assert_eq!(verdicts, shown, "{command}");
        compared += 1;
    }
    assert!(compared >= 3, "the page should show verdicts");
}

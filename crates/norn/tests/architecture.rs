//! `ARCHITECTURE.md` names only crates and files that exist, and every crate of the project.

mod support;

use std::collections::BTreeSet;
use std::fs;
use support::project;

#[test]
fn the_architecture_page_names_what_is_there() {
    let text = fs::read_to_string(project().join("ARCHITECTURE.md")).expect("the page is there");
    let quoted = text.split('`').skip(1).step_by(2).collect::<BTreeSet<_>>();
    let paths =
        quoted.iter().filter(|q| q.starts_with("crates/") || q.starts_with("xtask") || q.starts_with("examples"));
    let missing = paths.filter(|path| !project().join(path).exists()).collect::<Vec<_>>();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
    for entry in fs::read_dir(project().join("crates")).expect("crates") {
        let path = format!("crates/{}", entry.expect("an entry").file_name().display());
        assert!(quoted.contains(path.as_str()), "ARCHITECTURE.md should say what '{path}' is for");
    }
}

/// Which crates each crate may use. A new edge is a design change and belongs into the table of ARCHITECTURE.md.
#[test]
fn crates_use_only_what_the_table_allows() {
    let text = fs::read_to_string(project().join("ARCHITECTURE.md")).expect("the page is there");
    let rows = text.lines().filter(|line| line.starts_with("| `crates/")).collect::<Vec<_>>();
    assert!(rows.len() >= 5, "there should be a table of crates");
    for row in rows {
        let cells = row.split('|').map(str::trim).collect::<Vec<_>>();
        let (path, allowed) = (cells[1].trim_matches('`'), cells[3]);
        let manifest = fs::read_to_string(project().join(path).join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next();
        for used in dependencies.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("norn-")) {
            let name = used.split(['.', ' ', '=']).next().unwrap_or_default();
            let fine = allowed == "all" || allowed.split(',').any(|a| a.trim().trim_matches('`') == name);
            assert!(fine, "{path} uses '{name}', which the table does not allow ({allowed})");
        }
    }
}

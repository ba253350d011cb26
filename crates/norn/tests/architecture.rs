//! The pages (`ARCHITECTURE.md`, `CONTRIBUTING.md`, `README.md`, `docs`) name only what exists, and the crates keep to
//! the map.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::project;

/// A page with its place in the project.
struct Page {
    name: String,
    /// Without blocks of code.
    text: String,
}

fn read(name: &str) -> String {
    fs::read_to_string(project().join(name)).unwrap_or_else(|e| panic!("'{name}' should be readable: {e}"))
}

fn pages() -> Vec<Page> {
    let mut names = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(str::to_owned).to_vec();
    let in_docs = files_below(&project().join("docs"), "md");
    names.extend(in_docs.iter().map(|path| relative(path)));
    let page = |name: String| {
        let text = without_code_blocks(&read(&name));
        Page { name, text }
    };
    names.into_iter().map(page).collect()
}

fn without_code_blocks(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(project()).expect("a path in the project").display().to_string()
}

/// All files with this extension, sorted.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

/// `crates/norn/tests/check.rs` or `docs`; `crates/norn/tests/check.rs::limits_end_in_unknown` is a function in a file.
fn is_path_there(path: &str) -> bool {
    let (file, function) = path.split_once("::").map_or((path, None), |(file, function)| (file, Some(function)));
    let place = project().join(file);
    match function {
        None => place.exists(),
        Some(name) => fs::read_to_string(place).is_ok_and(|text| text.contains(&format!("fn {name}("))),
    }
}

/// `norn_passes::spin`: modules as far as there are files, then a word in the last of these.
fn is_module_there(path: &str) -> bool {
    let mut parts = path.split("::");
    let name = parts.next().and_then(|name| name.strip_prefix("norn_")).unwrap_or_default();
    let mut folder = project().join("crates").join(name).join("src");
    let Ok(mut text) = fs::read_to_string(folder.join("lib.rs")) else { return false };
    for part in parts {
        let files = [folder.join(part).with_extension("rs"), folder.join(part).join("mod.rs")];
        match files.iter().find_map(|file| fs::read_to_string(file).ok()) {
            Some(inner) => text = inner,
            None if has_word(&text, part) => {}
            None => return false,
        }
        folder = folder.join(part);
    }
    true
}

/// Whether a quotation is a path in the project, and not a command or a pattern.
fn is_path(quotation: &str) -> bool {
    let roots = ["crates/", "xtask/", "examples/", "docs/", ".ci/"];
    let is_plain = !quotation.contains([' ', '*', '…', '<']) && !quotation.contains("/NAME");
    let is_root = ["xtask", "examples", "docs", ".ci"].contains(&quotation);
    is_plain && (is_root || roots.iter().any(|root| quotation.starts_with(root)))
}

fn is_module(quotation: &str) -> bool {
    quotation.starts_with("norn_") && quotation.contains("::") && !quotation.contains(' ')
}

#[test]
fn the_pages_name_what_is_there() {
    let sources = ["crates", "xtask"].iter().flat_map(|folder| files_below(&project().join(folder), "rs"));
    let sources = sources.map(|path| relative(&path)).collect::<Vec<_>>();
    let is_source = |name: &str| sources.iter().any(|path| path.ends_with(&format!("/{name}")));
    let mut missing = Vec::new();
    for page in pages() {
        for quotation in quoted(&page.text) {
            let is_there = match quotation {
                _ if is_path(quotation) => is_path_there(quotation),
                _ if is_module(quotation) => is_module_there(quotation),
                // A file by its last name alone.
                _ if quotation.ends_with(".rs") && !quotation.contains(' ') => is_source(quotation),
                _ => true,
            };
            if !is_there {
                missing.push(format!("{}: {quotation}", page.name));
            }
        }
        let folder = project().join(&page.name);
        for link in page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.contains("://") && !target.is_empty() && !folder.with_file_name(target).exists() {
                missing.push(format!("{}: link to {link}", page.name));
            }
        }
    }
    assert!(missing.is_empty(), "the pages name what is not there:\n{}", missing.join("\n"));
}

#[test]
fn the_map_has_every_crate_and_the_list_every_page() {
    let text = read("ARCHITECTURE.md");
    let quoted = quoted(&text);
    for entry in fs::read_dir(project().join("crates")).expect("crates") {
        let path = format!("crates/{}", entry.expect("an entry").file_name().display());
        assert!(quoted.contains(path.as_str()), "ARCHITECTURE.md should say what '{path}' is for");
    }
    for page in files_below(&project().join("docs"), "md") {
        let path = relative(&page);
        assert!(text.contains(&format!("({path})")), "ARCHITECTURE.md should have a link to '{path}'");
    }
}

/// Which crates each crate may use. A new edge is a design change and belongs into the table of ARCHITECTURE.md.
#[test]
fn crates_use_only_what_the_table_allows() {
    let text = read("ARCHITECTURE.md");
    let map = text.split("\n## ").find(|section| section.starts_with("Map\n")).expect("a section for the map");
    let rows = map.lines().filter(|line| line.starts_with("| `crates/")).collect::<Vec<_>>();
    assert!(rows.len() >= 5, "there should be a table of crates");
    for row in rows {
        let cells = row.split('|').map(str::trim).collect::<Vec<_>>();
        let (path, allowed) = (cells[1].trim_matches('`'), cells[3]);
        let manifest = read(&format!("{path}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next();
        for used in dependencies.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("norn-")) {
            let name = used.split(['.', ' ', '=']).next().unwrap_or_default();
            let fine = allowed == "all" || allowed.split(',').any(|a| a.trim().trim_matches('`') == name);
            assert!(fine, "{path} uses '{name}', which the table does not allow ({allowed})");
        }
    }
}

/// Texts that may stand in one file of the crates only, because the thing behind them happens in one place.
#[test]
fn some_things_happen_in_one_place_only() {
    let places = [
        ("Counterexample::replayed(", "crates/machine/src/replay.rs"),
        ("CyclicTrace::replayed(", "crates/machine/src/cycle.rs"),
        ("Ok(Witness {", "crates/graph/src/confirm.rs"),
        ("Ok(Confirmed {", "crates/axioms/src/confirm.rs"),
        ("File::open(", "crates/ir/src/read.rs"),
        ("annotate_snippets::", "crates/norn/src/render.rs"),
    ];
    let sources = files_below(&project().join("crates"), "rs").into_iter().map(|path| relative(&path));
    let sources = sources.filter(|path| path.split('/').nth(2) == Some("src")).collect::<Vec<_>>();
    for (text, place) in places {
        let with_text = sources.iter().filter(|path| read(path).contains(text)).collect::<Vec<_>>();
        assert_eq!(with_text, [place], "'{text}' belongs into '{place}' only");
    }
}

/// The manual lists the functions that have models: all of them, and no others.
#[test]
fn the_manual_lists_the_models() {
    let table = read("crates/c/src/library/models.rs");
    let in_table =
        table.split('"').skip(1).step_by(2).filter(|name| !name.starts_with('_') && !name.contains(['.', '/']));
    let manual = read("docs/manual.md");
    let section = manual.split("### Modelled functions").nth(1).and_then(|rest| rest.split("Atomic operations").next());
    let listed = quoted(section.expect("a list of functions"));
    assert_eq!(in_table.collect::<BTreeSet<_>>(), listed);
}

/// The README's table of engines and properties says what the capabilities of the engines say.
#[test]
fn the_table_of_engines_is_what_they_can_do() {
    use norn_engine::capabilities::{ALL, Ability, Capabilities, Property};
    let readme = read("README.md");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let row = |first: &str| {
        let line = readme.lines().find(|line| line.starts_with(&format!("| {first} |")));
        cells(line.unwrap_or_else(|| panic!("the README should have a row '{first}'")))
    };
    let names: Vec<String> = ALL.iter().map(|engine| format!("`{}`", engine.name)).collect();
    assert_eq!(row("property")[1..], names);
    let said = |engine: &Capabilities, ability: Ability| match ability {
        Ability::No => "no",
        _ if !engine.says_safe => "finds some",
        Ability::Decides => "yes",
    };
    let rows = [
        ("`--deadlock`", Property::Deadlock),
        ("`--data-race`", Property::DataRace),
        ("`--termination`", Property::Termination),
        ("`--memory-leak`", Property::MemoryLeak),
    ];
    for (first, property) in rows {
        let expected: Vec<&str> = ALL.iter().map(|engine| said(engine, engine.ability(property))).collect();
        assert_eq!(row(first)[1..], expected, "{first}");
    }
    let reuse =
        |engine: &&Capabilities| said(engine, if engine.reuses_memory { Ability::Decides } else { Ability::No });
    assert_eq!(row("all that with `--reuse-memory`")[1..], ALL.iter().map(reuse).collect::<Vec<_>>());
}

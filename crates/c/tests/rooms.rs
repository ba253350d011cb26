//! Data flows one way through the front end: no module names one of a later stage.

use std::fs;
use std::path::Path;

/// The stages in order, each with its modules.
const STAGES: [&[&str]; 8] = [
    &["intern", "library", "session", "spelling"],
    &["lex", "literal", "token"],
    &["pp"],
    &["ast", "parse"],
    &["builtins", "ctype", "sema", "tree"],
    &["link"],
    &["lower"],
    &["driver"],
];

fn stage_of(module: &str) -> usize {
    let stage = STAGES.iter().position(|stage| stage.contains(&module));
    stage.unwrap_or_else(|| panic!("the module '{module}' should belong to a stage"))
}

/// The modules that a text names by their paths from the root.
fn named(text: &str) -> Vec<&str> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut found = Vec::new();
    for rest in text.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            // A list, of which each part may have lists of its own.
            Some(list) => {
                let mut depth = 0;
                let is_outside = |c: char| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth < 0 || depth == 0 && c == ','
                };
                let end = list.find(';').unwrap_or(list.len());
                let parts = list[..end].split(is_outside).map(str::trim);
                found.extend(parts.map(|part| &part[..word(part)]).filter(|part| !part.is_empty() && *part != "self"));
            }
            None => found.push(&rest[..word(rest)]),
        }
    }
    found
}

fn check(folder: &Path, module: Option<&str>, wrong: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let module = module.unwrap_or(&name);
        if path.is_dir() {
            check(&path, Some(module), wrong);
        } else if path.extension().is_some_and(|extension| extension == "rs") && module != "lib" {
            let text = fs::read_to_string(&path).expect("a source");
            let later = named(&text).into_iter().filter(|other| stage_of(other) > stage_of(module));
            wrong.extend(later.map(|other| format!("{} names '{other}'", path.display())));
        }
    }
}

#[test]
fn no_stage_names_a_later_one() {
    let mut wrong = Vec::new();
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut wrong);
    assert!(wrong.is_empty(), "data should flow one way: {wrong:#?}");
}

#[test]
fn names_are_found_in_paths_and_lists() {
    let text = "use crate::pp; use crate::{ast, link::{self, Linked}, sema}; fn f() { crate::lower::g() }";
    assert_eq!(named(text), ["pp", "ast", "link", "sema", "lower"]);
}

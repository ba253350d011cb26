//! Litmus files and what they become: `accepted/*.litmus` with the program beside each, `refused/*.litmus` with the
//! diagnostics beside each. `NORN_BLESS=1` writes what is expected anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use norn_ir::diag::Diagnostic;
use norn_ir::source::SourceMap;
use norn_ir::validate::validate;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = folder.read_dir().expect("the folder of tests should be there");
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "litmus"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} is empty", folder.display());
    found
}

/// Checks each file against the file beside it with another extension.
fn check(folder: &str, extension: &str, render: impl Fn(&str, String) -> String) {
    let mut failures = String::new();
    for path in files(folder) {
        let name = path.file_name().and_then(|n| n.to_str()).expect("the name should be text").to_owned();
        let text = std::fs::read_to_string(&path).expect("the test should be readable");
        let found = render(&name, text);
        let expected_path = path.with_extension(extension);
        if std::env::var_os("NORN_BLESS").is_some() {
            std::fs::write(&expected_path, found).expect("the expectation should be writable");
            continue;
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if found != expected {
            let _ = writeln!(failures, "{name}: expected\n{expected}\nfound\n{found}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let place = diagnostic.labels.first().and_then(|label| Some((sources.physical(label.loc)?.1, label.len)));
        if let Some((position, length)) = place {
            let _ = write!(text, "{}:{}+{length}: ", position.line, position.column);
        }
        let _ = writeln!(text, "{:?}: {}", diagnostic.severity, diagnostic.message);
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(text, "  help: {help}");
        }
    }
    text
}

#[test]
fn accepted() {
    check("accepted", "norn", |name, text| {
        let mut sources = SourceMap::new();
        match norn_litmus::parse(&mut sources, name, text) {
            Ok(test) => {
                let invalid = validate(&test.program).err().unwrap_or_default();
                assert!(invalid.is_empty(), "{name}: {}\n{}", invalid[0], test.program);
                let labels: Vec<&str> = test.observed.iter().map(|o| o.label.as_str()).collect();
                let head =
                    format!("// {:?} {:?} {}\n// {}\n", test.arch, test.quantifier, test.condition, labels.join(" "));
                head + &test.program.to_string()
            }
            Err(diagnostics) => panic!("{name}: {}", show(&sources, &diagnostics)),
        }
    });
}

#[test]
fn refused() {
    check("refused", "txt", |name, text| {
        let mut sources = SourceMap::new();
        match norn_litmus::parse(&mut sources, name, text) {
            Ok(test) => panic!("{name} was read:\n{}", test.program),
            Err(diagnostics) => show(&sources, &diagnostics),
        }
    });
}

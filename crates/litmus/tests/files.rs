//! Litmus files and what they become: `accepted/*.litmus` with the program beside each, `refused/*.litmus` with the
//! diagnostics beside each.

use std::fmt::Write;

use norn_ir::diag::Diagnostic;
use norn_ir::source::SourceMap;
use norn_ir::validate::validate;
use norn_testing::golden;

/// Checks each file against the file beside it with another extension.
fn check(folder: &str, extension: &str, render: impl Fn(&str, String) -> String) {
    let inputs = golden::inputs(&format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR")), "litmus");
    golden::check(inputs.map(|(path, text)| (path.with_extension(extension), render(&golden::name(&path), text))));
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

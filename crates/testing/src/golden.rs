//! Expectations in files. What is found is compared with the file; `NORN_BLESS=1 cargo test …` writes the files instead,
//! for a person to review.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder with this extension and their texts, in the order of their names. There has to be one.
pub fn inputs(folder: &str, extension: &str) -> impl Iterator<Item = (PathBuf, String)> + use<> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    assert!(!paths.is_empty(), "there should be files '*.{extension}' in {folder}");
    paths.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, text)
    })
}

/// The name of a file without its folder.
pub fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Compares each text with what its file holds; with `NORN_BLESS=1` in the environment the file is written instead.
#[track_caller]
pub fn check(found: impl IntoIterator<Item = (PathBuf, String)>) {
    let bless = std::env::var_os("NORN_BLESS").is_some_and(|value| value == "1");
    let mut differences = String::new();
    for (path, found) in found {
        if bless {
            fs::write(&path, &found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            continue;
        }
        if let Some(difference) = difference(&fs::read_to_string(&path).unwrap_or_default(), &found) {
            let _ = writeln!(differences, "{}: {difference}", path.display());
        }
    }
    assert!(differences.is_empty(), "different from what is expected (NORN_BLESS=1 accepts it):\n{differences}");
}

/// The first lines in which two texts differ.
fn difference(expected: &str, found: &str) -> Option<String> {
    const SHOWN: usize = 12;
    if expected == found {
        return None;
    }
    let same = expected.lines().zip(found.lines()).take_while(|(expected, found)| expected == found).count();
    let part = |text: &str| text.lines().skip(same).take(SHOWN).collect::<Vec<_>>().join("\n");
    Some(format!("line {}, expected\n{}\nfound\n{}", same + 1, part(expected), part(found)))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_difference_is_shown() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\nd\n").as_deref(), Some("line 2, expected\nb\nfound\nc\nd"));
        assert_eq!(difference("a\n", "a").as_deref(), Some("line 2, expected\n\nfound\n"));
    }
}

//! A copy of the project with all faults in it, each behind a switch.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::list::Fault;

/// The environment variable that turns a fault on, by its number.
pub const SWITCH: &str = "NORN_MUTANT";

/// The environment variable that names a file: the number of each fault that is come to is written there.
pub const REACHED: &str = "NORN_MUTANTS_REACHED";

const SWITCHES: &str = r#"//! Which fault is on, and which ones are come to.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static SEEN: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

pub fn active(number: u32) -> bool {
    static CHOSEN: OnceLock<(Option<u32>, Option<std::ffi::OsString>)> = OnceLock::new();
    let (chosen, reached) = CHOSEN.get_or_init(|| {
        let chosen = std::env::var("NORN_MUTANT").ok().and_then(|number| number.parse().ok());
        (chosen, std::env::var_os("NORN_MUTANTS_REACHED"))
    });
    if let Some(path) = reached
        && !SEEN[number as usize].swap(true, Ordering::Relaxed)
        && let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path)
    {
        let _ = file.write_all(format!("{number}\n").as_bytes());
    }
    *chosen == Some(number)
}
"#;

/// A place in a file that is to become a switch.
struct Place<'a> {
    from: usize,
    to: usize,
    number: usize,
    fault: &'a Fault,
}

/// Copies the project and plants the faults. The copy keeps what it has built before.
pub fn plant(faults: &[Fault], from: &Path, to: &Path) -> Result<PathBuf, String> {
    let mut by_file: BTreeMap<&str, Vec<(usize, &Fault)>> = BTreeMap::new();
    for (number, fault) in faults.iter().enumerate() {
        by_file.entry(&fault.path).or_default().push((number, fault));
    }
    let mut wrong = Vec::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (&path, faults) in &by_file {
        match fs::read_to_string(from.join(path)) {
            Ok(text) => match switched(&text, faults) {
                Ok(text) => {
                    texts.insert(path.to_owned(), text);
                }
                Err(what) => wrong.push(what),
            },
            Err(e) => wrong.push(format!("cannot read {path}: {e}")),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    texts.insert("crates/mutants/src/lib.rs".to_owned(), SWITCHES.to_owned());
    let manifest = "[package]\nname = \"mutants\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    texts.insert("crates/mutants/Cargo.toml".to_owned(), manifest.to_owned());
    let crates: BTreeSet<&str> = faults.iter().map(Fault::crate_name).collect();
    for name in crates {
        let path = format!("crates/{name}/Cargo.toml");
        let text = fs::read_to_string(from.join(&path)).map_err(|e| format!("cannot read {path}: {e}"))?;
        texts.insert(path, text.replacen("[dependencies]", "[dependencies]\nmutants = { path = \"../mutants\" }", 1));
    }
    let tracked = tracked(from)?;
    let kept: BTreeSet<PathBuf> = tracked.iter().chain(texts.keys()).map(|path| to.join(path)).collect();
    remove_others(to, &kept)?;
    for path in tracked {
        let bytes = match texts.remove(&path) {
            Some(text) => text.into_bytes(),
            None => fs::read(from.join(&path)).map_err(|e| format!("cannot read {path}: {e}"))?,
        };
        write_if_new(&to.join(&path), &bytes)?;
    }
    for (path, text) in texts {
        write_if_new(&to.join(path), text.as_bytes())?;
    }
    Ok(to.to_owned())
}

/// What is gone from the project goes from the copy, too, which keeps what it has built and how it was built.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<(), String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_built = ["target", "Cargo.lock"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_built {
            remove_others(&path, kept)?;
        } else if !is_built && !kept.contains(&path) {
            fs::remove_file(&path).map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// A file that did not change keeps its time, so that it is not compiled again.
fn write_if_new(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().ok_or("a file should lie in a folder")?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// The files of the project.
fn tracked(from: &Path) -> Result<Vec<String>, String> {
    let output =
        Command::new("git").arg("ls-files").current_dir(from).output().map_err(|e| format!("cannot run git: {e}"))?;
    let exists = |path: &&str| from.join(path).is_file();
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter(exists).map(str::to_owned).collect())
}

/// The text with a switch in the place of each fault.
fn switched(text: &str, faults: &[(usize, &Fault)]) -> Result<String, String> {
    let mut places = Vec::new();
    for &(number, fault) in faults {
        let (from, to) = find(text, fault).map_err(|what| format!("{}: {what} in {}", fault.name, fault.path))?;
        places.push(Place { from, to, number, fault });
    }
    places.sort_by_key(|place| (place.from, std::cmp::Reverse(place.to)));
    let mut out = String::new();
    let end = write(&mut out, text, 0, text.len(), &places);
    out.push_str(&text[end..]);
    Ok(out)
}

/// Writes the text of a stretch with its switches, of which one may lie within another.
fn write(out: &mut String, text: &str, from: usize, to: usize, places: &[Place]) -> usize {
    let mut at = from;
    let mut next = 0;
    while let Some(place) = places.get(next) {
        let inside = places[next + 1..].iter().take_while(|inner| inner.to <= place.to).count();
        out.push_str(&text[at..place.from]);
        let statement = text[place.from..place.to].trim_end().ends_with([';', '}']);
        let new = place.fault.new.join("\n");
        out.push_str(if statement { "" } else { "(" });
        out.push_str(&format!("if mutants::active({}) {{ {new} }} else {{ ", place.number));
        write(out, text, place.from, place.to, &places[next + 1..next + 1 + inside]);
        out.push_str(if statement { " }" } else { " })" });
        at = place.to;
        next += 1 + inside;
    }
    out.push_str(&text[at..to]);
    to
}

/// Where what is to be replaced stands.
fn find(text: &str, fault: &Fault) -> Result<(usize, usize), String> {
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .collect();
    let wanted: Vec<String> = fault.old.iter().map(|line| line.replace(['«', '»'], "").trim().to_owned()).collect();
    if wanted.is_empty() {
        return Err("nothing to replace".to_owned());
    }
    let matches = |window: &[(usize, &str)]| window.iter().zip(&wanted).all(|(line, wanted)| line.1.trim() == wanted);
    let found: Vec<usize> =
        (0..lines.len().saturating_sub(wanted.len() - 1)).filter(|&i| matches(&lines[i..i + wanted.len()])).collect();
    let [first] = found[..] else { return Err(format!("the text stands there {} times, not once,", found.len())) };
    let mark = |wanted: char| {
        let (line, column) = fault.old.iter().enumerate().find_map(|(i, line)| Some((i, line.find(wanted)?)))?;
        // The other mark may come before this one in the same line.
        let before =
            fault.old[line][..column].chars().filter(|c| ['«', '»'].contains(c)).map(char::len_utf8).sum::<usize>();
        let (start, whole) = lines[first + line];
        let indent = whole.len() - whole.trim_start().len();
        Some(start + indent + column - before)
    };
    match (mark('«'), mark('»')) {
        (Some(from), Some(to)) if from < to => Ok((from, to)),
        _ => Err("no « and » around what is replaced".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(name: &str, old: &[&str], new: &str) -> Fault {
        let old = old.iter().map(|line| (*line).to_owned()).collect();
        Fault { name: name.to_owned(), old, new: vec![new.to_owned()], ..Fault::default() }
    }

    #[test]
    fn faults_become_switches_also_one_within_another() {
        let text = "fn f() {\n    let x = a + g(b);\n    drop(x);\n}\n";
        let whole = fault("whole", &["let x = «a + g(b)»;"], "a");
        let inner = fault("inner", &["let x = a + «g(b)»;"], "b");
        let dropped = fault("dropped", &["«drop(x);»", "}"], "");
        let switched = switched(text, &[(0, &whole), (1, &inner), (2, &dropped)]);
        let wanted = "fn f() {\n    let x = (if mutants::active(0) { a } else { a + \
                      (if mutants::active(1) { b } else { g(b) }) });\n    \
                      if mutants::active(2) {  } else { drop(x); }\n}\n";
        assert_eq!(switched.as_deref(), Ok(wanted));
    }

    #[test]
    fn a_text_that_is_not_there_once_is_refused() {
        let text = "x;\nx;\n";
        assert!(switched(text, &[(0, &fault("twice", &["«x;»"], ""))]).is_err());
        assert!(switched(text, &[(0, &fault("never", &["«y;»"], ""))]).is_err());
        assert!(switched(text, &[(0, &fault("unmarked", &["x;", "x;"], ""))]).is_err());
    }
}

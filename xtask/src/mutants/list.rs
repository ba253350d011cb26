//! The lists of faults, one file for each crate:
//!
//! ```text
//! # a comment
//! @ guard-join-drops-a-path crates/symex/src/guard.rs
//! ? a join forgets one of the paths that meet
//! - let any = «terms.any(parts)»;
//! + terms.any(parts.into_iter().skip(1))
//! ! why no test can see it (only for survivors)
//! ```
//!
//! The lines with `-` stand together, once, in the file (white space at their ends does not count); what is between the marks is
//! an expression or whole statements, and is replaced by the lines with `+`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[derive(Debug, Default)]
pub struct Fault {
    pub name: String,
    /// Of the file, from the root of the project.
    pub path: String,
    pub meaning: String,
    pub old: Vec<String>,
    pub new: Vec<String>,
    /// Why it is no harm that no test sees it.
    pub explanation: Option<String>,
}

impl Fault {
    /// The crate that it is in: `symex`.
    pub fn crate_name(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }
}

pub fn read(folder: &Path) -> Result<Vec<Fault>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "txt")) {
        let text = fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        faults.extend(parse(&text).map_err(|(line, what)| format!("{}:{line}: {what}", file.display()))?);
    }
    let mut names = BTreeSet::new();
    match faults.iter().find(|fault| !names.insert(fault.name.clone())) {
        Some(twice) => Err(format!("two faults are called {}", twice.name)),
        None => Ok(faults),
    }
}

fn parse(text: &str) -> Result<Vec<Fault>, (usize, String)> {
    let mut faults: Vec<Fault> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fail = |what: &str| (number + 1, what.to_owned());
        let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let rest = rest.trim();
        match mark {
            "" | "#" => {}
            "@" => {
                let (name, path) = rest.split_once(' ').ok_or_else(|| fail("a fault has a name and a file"))?;
                faults.push(Fault { name: name.to_owned(), path: path.trim().to_owned(), ..Fault::default() });
            }
            _ => {
                let fault = faults.last_mut().ok_or_else(|| fail("a fault begins with '@'"))?;
                match mark {
                    "?" => fault.meaning = rest.to_owned(),
                    "-" => fault.old.push(rest.to_owned()),
                    "+" => fault.new.push(rest.to_owned()),
                    "!" => fault.explanation = Some(rest.to_owned()),
                    _ => return Err(fail("a line begins with one of # @ ? - + !")),
                }
            }
        }
    }
    Ok(faults)
}

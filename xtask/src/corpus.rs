//! The corpus of programs with known verdicts. It is not part of the project; without it there is nothing to gate.

use crate::norn::root;
use std::fs;
use std::path::{Path, PathBuf};

/// One program of a set, with the options that the set prescribes.
pub struct Program {
    /// As named in the set.
    pub name: String,
    /// For norn: options and the file.
    pub args: Vec<String>,
}

/// Where the corpus lies, if it is there.
pub fn folder() -> Option<PathBuf> {
    let path = std::env::var_os("NORN_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    path.is_dir().then_some(path)
}

/// The rows of a set: `tacas15` (each fence variant is one) or `svcomp15`.
pub fn set(corpus: &Path, name: &str) -> Result<Vec<Program>, String> {
    let folder = corpus.join(name);
    let table = folder.join("expected.tsv");
    let text = fs::read_to_string(&table).map_err(|e| format!("cannot read {}: {e}", table.display()))?;
    let mut lines = text.lines();
    let columns = lines.next().unwrap_or_default().split('\t').collect::<Vec<_>>();
    let column = |name: &str| columns.iter().position(|c| *c == name);
    let file = column("file").ok_or("expected.tsv should have a column 'file'")?;
    let defines = column("defines");
    let mut programs = Vec::new();
    for line in lines {
        let cells = line.split('\t').collect::<Vec<_>>();
        let define = defines.and_then(|d| cells.get(d).copied()).filter(|d| *d != "-");
        let mut args = Vec::new();
        if name.starts_with("svcomp") {
            args.push("--32".to_owned());
        }
        args.extend(define.map(|d| format!("-D{d}")));
        args.push(folder.join(cells[file]).display().to_string());
        let name = define.map_or_else(|| cells[file].to_owned(), |d| format!("{} -D{d}", cells[file]));
        programs.push(Program { name, args });
    }
    Ok(programs)
}

/// The C files of a folder, in the order of their names.
pub fn files(corpus: &Path, name: &str) -> Result<Vec<Program>, String> {
    let folder = corpus.join(name);
    let entries = fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "i"));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(paths.into_iter().map(|p| Program { name: name(&p), args: vec![p.display().to_string()] }).collect())
}

//! The corpus of programs with known verdicts. It is not part of the project; without it there is nothing to gate.

use std::fs;
use std::path::{Path, PathBuf};

pub use norn_testing::corpus::folder;

/// One program of a set, with the options that the set prescribes.
#[derive(Clone, Default)]
pub struct Program {
    /// The file, and what is defined for it.
    pub name: String,
    /// As named in the set.
    pub file: String,
    /// The bound on loops that the set gives.
    pub unwind: Option<String>,
    /// The known verdict for each model that the set speaks about.
    pub expected: Vec<(&'static str, String)>,
    /// For norn: options and the file.
    pub args: Vec<String>,
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
    let (defines, bits) = (column("defines"), column("bits"));
    let unwind = column("unwind");
    let models = ["sc", "tso", "pso"].into_iter().filter_map(|m| Some((m, column(m)?))).collect::<Vec<_>>();
    let mut programs = Vec::new();
    for line in lines {
        let cells = line.split('\t').collect::<Vec<_>>();
        let cell = |column: Option<usize>| column.and_then(|c| cells.get(c).copied()).filter(|text| *text != "-");
        let Some(file) = cell(Some(file)) else { continue };
        let define = cell(defines);
        let mut args = Vec::new();
        if name.starts_with("svcomp") && cell(bits) != Some("64") {
            args.push("--32".to_owned());
        }
        args.extend(define.map(|d| format!("-D{d}")));
        args.push(folder.join(file).display().to_string());
        let name = define.map_or_else(|| file.to_owned(), |d| format!("{file} -D{d}"));
        let expected = models.iter().filter_map(|&(model, c)| Some((model, cell(Some(c))?.to_owned()))).collect();
        programs.push(Program { name, file: file.to_owned(), unwind: cell(unwind).map(str::to_owned), expected, args });
    }
    Ok(programs)
}

/// The C files of a folder, in the order of their names; nothing is known about them.
pub fn files(corpus: &Path, name: &str) -> Result<Vec<Program>, String> {
    let program = |path: PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let args = vec![path.display().to_string()];
        Program { name: file.clone(), file, unwind: None, expected: Vec::new(), args }
    };
    Ok(files_ending(&corpus.join(name), &["c", "i"])?.into_iter().map(program).collect())
}

/// The files of a folder with one of these extensions, in the order of their names.
pub fn files_ending(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    paths.retain(|path| path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)));
    paths.sort();
    Ok(paths)
}

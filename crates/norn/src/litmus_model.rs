//! The memory models that litmus tests and programs are checked under: those with a machine, and those that are axioms.

use norn_verdict::model::Model;
use std::fmt;
use std::path::{Path, PathBuf};

/// What `-m` names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LitmusModel {
    /// SC, TSO or PSO as machines.
    Machine(Model),
    /// Axioms that come with Norn.
    Builtin(&'static str),
    /// Axioms in a file.
    File(PathBuf),
}

impl LitmusModel {
    /// As a table of expected answers may call it; the first that it has.
    pub fn columns(&self) -> Vec<String> {
        match self {
            LitmusModel::File(path) => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                vec![self.to_string(), stem]
            }
            other => vec![other.to_string()],
        }
    }
}

impl fmt::Display for LitmusModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LitmusModel::Machine(model) => write!(f, "{model}"),
            LitmusModel::Builtin(name) => f.write_str(name),
            LitmusModel::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                f.write_str(&norn_report::visible::visible(&name))
            }
        }
    }
}

impl std::str::FromStr for LitmusModel {
    type Err = String;

    fn from_str(text: &str) -> Result<LitmusModel, String> {
        if let Ok(model) = text.parse() {
            return Ok(LitmusModel::Machine(model));
        }
        if let Some(name) = norn_graph::model::names().find(|name| *name == text) {
            return Ok(LitmusModel::Builtin(name));
        }
        if Path::new(text).extension().is_some_and(|extension| extension == "cat") {
            return Ok(LitmusModel::File(PathBuf::from(text)));
        }
        Err(format!("there are sc, tso, pso, {}, and files that end in .cat", axioms().collect::<Vec<_>>().join(", ")))
    }
}

/// The names of the models that come as axioms and have no machine.
fn axioms() -> impl Iterator<Item = &'static str> {
    norn_graph::model::names().filter(|name| name.parse::<Model>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_names_or_files() {
        let parse = |text: &str| text.parse::<LitmusModel>();
        assert_eq!(parse("tso"), Ok(LitmusModel::Machine(Model::Tso)));
        assert_eq!(parse("armv8"), Ok(LitmusModel::Builtin("armv8")));
        assert_eq!(parse("a/b.cat"), Ok(LitmusModel::File(PathBuf::from("a/b.cat"))));
        assert_eq!(parse("a/tso.cat").expect("a file").columns(), ["tso.cat", "tso"]);
        assert_eq!(
            parse("arm"),
            Err("there are sc, tso, pso, armv8, riscv, rc11, lkmm, and files that end in .cat".to_owned())
        );
        assert!(parse("").is_err() && parse(".cat").is_err());
    }
}

//! Tables of expected answers: tab-separated, with a column `test` and one per model.
//!
//! A test is named by its file without the extension; where files in several folders have the same name, by the last
//! folders of its path, too: `rmw/SB`.

use crate::input;
use crate::litmus_model::LitmusModel;
use std::collections::HashMap;
use std::path::{Component, Path};

/// The expected answers under some models.
pub struct Expectations {
    /// Per test, in the order of the models; `None` where the table has no column for one.
    rows: HashMap<String, Vec<Option<String>>>,
}

impl Expectations {
    pub fn read(path: &Path, models: &[LitmusModel]) -> Result<Expectations, String> {
        let shown = path.display();
        let text = input::read(path).map_err(|e| format!("cannot read '{shown}': {e}"))?;
        let wrong = |message| format!("'{shown}' is not a table of expectations: {message}");
        Expectations::parse(&text, models).map_err(wrong)
    }

    fn parse(text: &str, models: &[LitmusModel]) -> Result<Expectations, String> {
        let mut lines = text.lines();
        let columns = lines.next().unwrap_or_default().split('\t').collect::<Vec<_>>();
        let column = |name: &str| columns.iter().position(|c| *c == name);
        let test = column("test").ok_or("line 1 should name a column 'test'")?;
        let of_models = models.iter().map(|model| model.columns().iter().find_map(|name| column(name)));
        let of_models = of_models.collect::<Vec<_>>();
        let mut rows = HashMap::new();
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let cells = line.split('\t').collect::<Vec<_>>();
            let cell = |i: usize| cells.get(i).copied().ok_or(format!("line {} has too few columns", number + 2));
            let mut answers = Vec::new();
            for column in &of_models {
                let answer = column.map(cell).transpose()?;
                if let Some(answer) = answer.filter(|answer| !matches!(*answer, "Allow" | "Forbid")) {
                    return Err(format!("line {}: '{answer}' is neither Allow nor Forbid", number + 2));
                }
                answers.push(answer.map(str::to_owned));
            }
            rows.insert(cell(test)?.to_owned(), answers);
        }
        Ok(Expectations { rows })
    }

    /// What the table says of the test in that file, under the model of that number.
    pub fn of(&self, file: &Path, model: usize) -> Option<&str> {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).with_extension("");
        let parts = file.components().filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        });
        let parts = parts.collect::<Vec<_>>();
        // The longest name first.
        let row = (0..parts.len()).find_map(|start| self.rows.get(&parts[start..].join("/")))?;
        row.get(model)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_verdict::model::Model;

    fn parse(text: &str) -> Result<Expectations, String> {
        let file = |name: &str| LitmusModel::File(name.into());
        let models = [LitmusModel::Machine(Model::Sc), LitmusModel::Machine(Model::Tso), file("a/tso.cat")];
        Expectations::parse(text, &models)
    }

    #[test]
    fn tables_are_read_by_their_columns() {
        let table = parse("tso\ttest\nAllow\tSB\n\nForbid\tMP\n").expect("a table");
        assert_eq!(table.of(Path::new("SB.litmus"), 1), Some("Allow"));
        assert_eq!(table.of(Path::new("MP.litmus"), 1), Some("Forbid"));
        assert_eq!(table.of(Path::new("MP.litmus"), 2), Some("Forbid"));
        assert_eq!(table.of(Path::new("MP.litmus"), 0), None);
        assert!(parse("name\tsc\n").is_err());
        assert!(parse("test\tsc\nSB\tMaybe\n").is_err_and(|e| e.contains("line 2")));
        assert!(parse("test\tsc\nSB\n").is_err_and(|e| e.contains("line 2")));
    }

    #[test]
    fn tests_are_named_by_the_end_of_their_path() {
        let table = parse("test\tsc\nSB\tAllow\nrmw/SB\tForbid\nSB+a.b\tForbid\n").expect("a table");
        let of = |file: &str| table.of(Path::new(file), 0);
        assert_eq!(of("SB.litmus"), Some("Allow"));
        assert_eq!(of("/x/rmw/SB.litmus"), Some("Forbid"));
        assert_eq!(of("../plain/SB.litmus"), Some("Allow"));
        assert_eq!(of("SB+a.b.litmus"), Some("Forbid"));
        assert_eq!(of("rmw.litmus"), None);
    }
}

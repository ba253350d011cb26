//! Tables of expected answers: tab-separated, with a column `test` and one per model.

use crate::input;
use norn_verdict::model::Model;
use std::collections::HashMap;
use std::path::Path;

pub struct Expectations(HashMap<(String, Model), String>);

impl Expectations {
    pub fn read(path: &Path) -> Result<Expectations, String> {
        let shown = path.display();
        let text = input::read(path).map_err(|e| format!("cannot read '{shown}': {e}"))?;
        Expectations::parse(&text).map_err(|message| format!("'{shown}' is not a table of expectations: {message}"))
    }

    fn parse(text: &str) -> Result<Expectations, String> {
        let mut lines = text.lines();
        let columns = lines.next().unwrap_or_default().split('\t').collect::<Vec<_>>();
        let test = columns.iter().position(|c| *c == "test").ok_or("line 1 should name a column 'test'")?;
        let models = columns.iter().enumerate().filter_map(|(i, c)| Some((i, c.parse::<Model>().ok()?)));
        let models = models.collect::<Vec<_>>();
        let mut table = HashMap::new();
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let cells = line.split('\t').collect::<Vec<_>>();
            let cell = |i: usize| cells.get(i).copied().ok_or(format!("line {} has too few columns", number + 2));
            for &(i, model) in &models {
                let answer = cell(i)?;
                if !matches!(answer, "Allow" | "Forbid") {
                    return Err(format!("line {}: '{answer}' is neither Allow nor Forbid", number + 2));
                }
                table.insert((cell(test)?.to_owned(), model), answer.to_owned());
            }
        }
        Ok(Expectations(table))
    }

    pub fn of(&self, test: &str, model: Model) -> Option<&str> {
        self.0.get(&(test.to_owned(), model)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_by_their_columns() {
        let table = Expectations::parse("tso\ttest\nAllow\tSB\n\nForbid\tMP\n").expect("a table");
        assert_eq!(table.of("SB", Model::Tso), Some("Allow"));
        assert_eq!(table.of("MP", Model::Tso), Some("Forbid"));
        assert_eq!(table.of("MP", Model::Sc), None);
        assert!(Expectations::parse("name\tsc\n").is_err());
        assert!(Expectations::parse("test\tsc\nSB\tMaybe\n").is_err_and(|e| e.contains("line 2")));
        assert!(Expectations::parse("test\tsc\nSB\n").is_err_and(|e| e.contains("line 2")));
    }
}

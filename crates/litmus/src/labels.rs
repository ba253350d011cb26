//! Labels of a thread in assembly: mentioned anywhere, defined once.

use std::collections::HashMap;

use norn_ir::diag::Diagnostic;

use crate::token::{File, Token};

norn_ir::ids! {
    LabelId = "label";
}

struct Label<'a> {
    defined: bool,
    /// The first mention.
    token: Option<Token<'a>>,
}

#[derive(Default)]
pub(crate) struct Labels<'a> {
    labels: Vec<Label<'a>>,
    by_name: HashMap<&'a str, LabelId>,
}

impl<'a> Labels<'a> {
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// A label that the test does not know.
    pub fn fresh(&mut self) -> LabelId {
        self.labels.push(Label { defined: true, token: None });
        LabelId::new(self.labels.len() - 1)
    }

    pub fn mention(&mut self, token: Token<'a>) -> LabelId {
        if let Some(&id) = self.by_name.get(token.text) {
            return id;
        }
        let id = LabelId::new(self.labels.len());
        self.labels.push(Label { defined: false, token: Some(token) });
        self.by_name.insert(token.text, id);
        id
    }

    pub fn define(&mut self, token: Token<'a>, file: &File<'_>) -> Result<LabelId, Diagnostic> {
        let id = self.mention(token);
        let label = &mut self.labels[id.index()];
        if label.defined {
            return Err(file.error_at(token, format!("the label '{}' is defined twice", token.text)));
        }
        label.defined = true;
        Ok(id)
    }

    pub fn report_undefined(&self, file: &File<'_>, found: &mut Vec<Diagnostic>) {
        for token in self.labels.iter().filter(|l| !l.defined).filter_map(|l| l.token) {
            found.push(
                file.error_at(token, format!("the label '{}' is not defined in this thread", token.text))
                    .help(format!("write '{}:' before the instruction to jump to", token.text)),
            );
        }
    }
}

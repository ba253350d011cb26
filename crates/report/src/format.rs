//! Formats for other tools and for browsers: files made of everything that one run found out.

use crate::Sources;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use norn_verdict::robustness::{CycleEdge, Robustness, RobustnessVerdict};
use norn_verdict::trace::Trace;

/// An answer about one model.
#[derive(Clone, Copy)]
pub enum Answer<'a> {
    Safety(&'a Verdict),
    Robustness(&'a RobustnessVerdict),
}

/// An answer, with what else is known of its execution.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    pub answer: Answer<'a>,
    /// Why its execution is none of sequential consistency; nothing if it is one, or if there is none.
    pub cycle: &'a [CycleEdge],
    /// What the execution is shown for.
    pub about: Option<&'a str>,
}

impl<'a> Finding<'a> {
    pub fn model(&self) -> Model {
        match self.answer {
            Answer::Safety(verdict) => verdict.model,
            Answer::Robustness(verdict) => verdict.model,
        }
    }

    /// The execution that shows what is wrong.
    pub fn trace(&self) -> Option<&'a Trace> {
        match self.answer {
            Answer::Safety(Verdict { outcome: Outcome::Unsafe(found), .. }) => Some(found.trace()),
            Answer::Robustness(RobustnessVerdict { outcome: Robustness::NotRobust(cyclic), .. }) => {
                Some(cyclic.trace())
            }
            _ => None,
        }
    }

    /// Why the execution comes to its violation, in sentences, if that is known.
    pub fn reasons(&self, sources: &Sources<'_>) -> Vec<String> {
        match (self.answer, self.trace()) {
            (Answer::Safety(Verdict { remarks, .. }), Some(trace)) => {
                let lines = remarks.why.as_ref().map(|why| crate::why::lines(why, trace, sources));
                lines.unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The verdict in one line, as it is printed.
    pub fn line(&self, sources: &Sources<'_>) -> String {
        match self.answer {
            Answer::Safety(verdict) => crate::line::verdict_line(verdict, sources),
            Answer::Robustness(verdict) => crate::robust::verdict_line(verdict, sources),
        }
    }
}

/// A file that can be made of a run's findings, one for each model, or each change of the text, in the order in which they were asked for.
pub trait Format {
    /// The whole text of the file; `None` if these findings have nothing that it could say.
    fn render(&self, findings: &[Finding<'_>], sources: &Sources<'_>) -> Option<String>;
}

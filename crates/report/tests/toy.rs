//! What an output format costs: one function from a verdict and the sources to a text. This one is a line for a
//! spreadsheet.

use norn_ir::program::Program;
use norn_report::{Sources, visible::visible};
use norn_verdict::limits::Exceeded;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Why};

fn spreadsheet(verdict: &Verdict, sources: &Sources<'_>) -> String {
    let (name, detail) = match &verdict.outcome {
        Outcome::Unsafe(found) => ("unsafe", sources.place(found.violation().span)),
        Outcome::Safe { .. } => ("safe", String::new()),
        Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => ("unknown", undecided.to_string()),
    };
    format!("{};{name};{}", verdict.model, visible(&detail))
}

#[test]
fn a_format_needs_only_public_data() {
    let program = Program::empty();
    let sources = Sources { program: &program, line_text: &|_, _| None };
    let line = |outcome| spreadsheet(&Verdict::new(Model::Tso, "test", outcome, Stats::default()), &sources);
    assert_eq!(line(Outcome::Safe { bounds: Vec::new() }), "tso;safe;");
    let time = Undecided::limit(Exceeded::Time);
    assert_eq!(line(Outcome::Unknown(time)), "tso;unknown;the time limit was reached");
    let hostile = Undecided::new(Why::no_meaning("\u{1b}[2J"));
    assert!(!line(Outcome::Unknown(hostile)).contains('\u{1b}'));
}

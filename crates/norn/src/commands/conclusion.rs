//! What `norn check` says in the end: the verdicts of all models that were asked for, so that none contradicts another and none
//! says more than was asked.
//!
//! The last words of a run that has to end are made in the same way, before the work begins that may be ended.

use crate::args::CheckArgs;
use crate::asking::given_bounds;
use crate::exit::Exit;
use crate::frontend::Compiled;
use crate::harness::note_harness;
use crate::json_output;
use crate::output;
use crate::reach::note_unreached;
use crate::watch::{self, LastWords};
use crate::witness;
use norn_ir::program::Program;
use norn_machine::nested::{Contradiction, reconcile};
use norn_passes::points::{Point, points};
use norn_portfolio::given::covers_all;
use norn_report::visible::visible;
use norn_report::{Sources, json, line, table, why};
use norn_verdict::advice::advice;
use norn_verdict::limits::Exceeded;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::property::Property;
use norn_verdict::undecided::{Undecided, Why};
use serde_json::Value;
use std::cell::OnceCell;

/// Who gave no verdict.
const NOBODY: &str = "none";

/// What is said about one model.
#[derive(Clone)]
pub enum Part {
    Text(String),
    Json(Value),
    /// It is unknown, for a reason that has no place and is not known yet.
    Open(Model),
}

/// The text for standard output. What is open is so for this reason.
pub fn output(parts: &[Part], why: &Why, as_json: bool) -> String {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let mut text = String::new();
    let mut values = Vec::new();
    for part in parts {
        match part {
            Part::Text(said) => text += said,
            Part::Json(value) => values.push(value.clone()),
            Part::Open(model) if as_json => values.push(json::verdict(&unknown(*model, why.clone()), &sources)),
            Part::Open(model) => text += &(line::verdict_line(&unknown(*model, why.clone()), &sources) + "\n"),
        }
    }
    if as_json { json_output::text(values) } else { text }
}

fn unknown(model: Model, why: Why) -> Verdict {
    let outcome = Outcome::Unknown(Undecided::new(why));
    Verdict::new(model, NOBODY, outcome, Stats::default())
}

/// Makes out of verdicts what is shown, and shows it.
pub struct Conclusion<'a> {
    args: &'a CheckArgs,
    asked: &'a Property,
    compiled: &'a Compiled,
    models: &'a [Model],
    /// How many models have been shown; with JSON none until all are.
    shown: usize,
    /// With what status the process would end, by what was shown last.
    exit: Exit,
    points: OnceCell<Vec<Point>>,
}

impl<'a> Conclusion<'a> {
    pub fn new(
        args: &'a CheckArgs,
        asked: &'a Property,
        compiled: &'a Compiled,
        models: &'a [Model],
    ) -> Conclusion<'a> {
        Conclusion { args, asked, compiled, models, shown: 0, exit: Exit::Unknown, points: OnceCell::new() }
    }

    /// One verdict for each model that was asked for, out of those of the first ones.
    fn conclude(&self, verdicts: &[Verdict]) -> Result<Vec<Verdict>, Exit> {
        let program = &self.compiled.program;
        let open = &self.models[verdicts.len()..];
        let mut all = verdicts.to_vec();
        all.extend(open.iter().map(|&model| unknown(model, Exceeded::Interrupted.into())));
        let given = given_bounds(&self.args.unwind);
        let covers = |outcome: &Outcome| covers_all(outcome, &given);
        reconcile(program, self.asked.checks, &mut all, covers).map_err(|found| report_contradiction(&all, found))?;
        for verdict in &mut all {
            enough(self.args.require_proof, verdict);
            let points = || &self.points.get_or_init(|| points(program))[..];
            self.compiled.with_sources(|sources| {
                note_unreached(sources, points, verdict);
                note_harness(sources, self.asked.checks, points, verdict);
            });
        }
        Ok(all)
    }

    /// What is said of the verdicts from now on, if the work has to end: what has not been shown, and the status for all.
    pub fn leave_last_words(&self, verdicts: &[Verdict]) -> Result<(), Exit> {
        let all = self.conclude(verdicts)?;
        self.leave(&all);
        Ok(())
    }

    /// Writes the files that were asked for, as far as there are verdicts.
    pub fn write_files(&self, verdicts: &[Verdict]) -> Result<Exit, Exit> {
        let all = self.conclude(verdicts)?;
        let written = self.args.files.write(&all[..verdicts.len()], self.asked.checks, self.compiled);
        Ok(match &self.args.witness {
            Some(path) if verdicts.len() == self.models.len() && written == Exit::Fine => {
                witness::write(path, self.args, &all, self.asked, self.compiled)
            }
            _ => written,
        })
    }

    fn leave(&self, all: &[Verdict]) {
        let parts = self.parts(&all[self.shown..]);
        let (as_json, exit) = (self.args.json, Some(overall(all)));
        let error = help(all[self.shown..].iter().map(|verdict| &verdict.outcome), as_json);
        let is_open = parts.iter().any(|part| matches!(part, Part::Open(_)));
        watch::last_words(move |exceeded| LastWords {
            error: match is_open {
                true => help(std::iter::once(&Outcome::Unknown(Undecided::limit(exceeded))), as_json),
                false => error.clone(),
            },
            output: if parts.is_empty() { String::new() } else { output(&parts, &exceeded.into(), as_json) },
            exit,
        });
    }

    fn parts(&self, verdicts: &[Verdict]) -> Vec<Part> {
        let part = |verdict: &Verdict, sources: &Sources<'_>| match verdict.engine {
            NOBODY => Part::Open(verdict.model),
            _ if self.args.json => Part::Json(json::verdict(verdict, sources)),
            _ => Part::Text(text(verdict, sources)),
        };
        self.compiled.with_sources(|sources| verdicts.iter().map(|verdict| part(verdict, sources)).collect())
    }

    /// Shows the verdicts up to this number of models that have not been shown, and says with what status the process ends if
    /// these are all. With JSON there is one text for all. The models that have no verdict were not come to: that was interrupted.
    pub fn show(&mut self, verdicts: &[Verdict], up_to: usize) -> Result<Exit, Exit> {
        let is_due = up_to > self.shown && (!self.args.json || up_to == self.models.len());
        if !is_due {
            return Ok(self.exit);
        }
        let all = self.conclude(verdicts)?;
        let text = output(&self.parts(&all[self.shown..up_to]), &Exceeded::Interrupted.into(), self.args.json);
        // What has been said is not said again.
        let _speaking = watch::speak();
        output::say(&help(all[self.shown..up_to].iter().map(|verdict| &verdict.outcome), self.args.json));
        match output::print_now(&text) {
            Exit::Fine => {}
            failed => return Err(failed),
        }
        self.shown = up_to;
        self.exit = overall(&all);
        self.leave(&all);
        Ok(self.exit)
    }
}

/// What is safe may still not be what was asked for.
fn enough(require_proof: bool, verdict: &mut Verdict) {
    let Outcome::Safe { bounds } = &mut verdict.outcome else { return };
    let is_bounded = bounds.iter().any(|bound| !bound.exhausted);
    if require_proof && is_bounded {
        let bounds = std::mem::take(bounds);
        verdict.outcome =
            Outcome::Limited { bounds, undecided: Undecided::new(Why::NotProved("a proof is required".into())) };
    }
}

/// Every execution under a model is one under a weaker model, but two verdicts say otherwise.
fn report_contradiction(verdicts: &[Verdict], found: Contradiction) -> Exit {
    let of = |at: usize| (verdicts[at].engine, verdicts[at].model);
    let ((violated, stronger), (safe, weaker)) = (of(found.violated), of(found.safe));
    let message = format!(
        "internal error: '{violated}' found a violation under {stronger}, which is one under {weaker} too, where '{safe}' \
         says safe"
    );
    output::fail(&message, Exit::Internal)
}

/// The verdict with its counterexample, for people.
pub fn text(verdict: &Verdict, sources: &Sources<'_>) -> String {
    let mut text = String::new();
    match &verdict.outcome {
        Outcome::Unsafe(counterexample) => {
            let width = output::width();
            if let Some(why) = &verdict.remarks.why {
                text += &why::paragraph(why, counterexample.trace(), sources, width);
            }
            text += &table::counterexample(counterexample, sources, width);
            text.push('\n');
        }
        Outcome::Safe { .. } | Outcome::Limited { .. } | Outcome::Unknown(_) => {}
    }
    text.extend(verdict.remarks.notes.iter().map(|note| format!("note: {note}.\n")));
    text + &line::verdict_line(verdict, sources) + "\n"
}

/// What to do about unknown verdicts, one line each; with JSON it is part of that.
pub fn help<'a>(outcomes: impl Iterator<Item = &'a Outcome>, as_json: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for advice in outcomes.filter(|_| !as_json).map(advice).filter(|advice| !advice.is_empty()) {
        let advice = advice.iter().map(|advice| visible(&advice.to_string()).into_owned()).collect::<Vec<_>>();
        let line = format!("help: {}\n", advice.join("; or "));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.concat()
}

/// The status that says most: unsafe, then unknown, then safe.
pub fn overall(verdicts: &[Verdict]) -> Exit {
    let is_open = |v: &Verdict| matches!(v.outcome, Outcome::Limited { .. } | Outcome::Unknown(_));
    if verdicts.iter().any(|v| matches!(v.outcome, Outcome::Unsafe(_))) {
        Exit::Unsafe
    } else if verdicts.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Command};
    use norn_machine::enumerate::{Question, states};
    use norn_verdict::limits::Limits;
    use norn_verdict::outcome::{Bound, BoundKind};

    /// What is concluded from verdicts about a program, by the options.
    fn concluded(
        name: &str,
        program: &str,
        options: &[&str],
        verdicts: impl FnOnce(&Program) -> Vec<Verdict>,
    ) -> Vec<String> {
        let file = std::env::temp_dir().join(format!("norn-conclusion-{}-{name}.c", std::process::id()));
        std::fs::write(&file, program).expect("the file should be written");
        let words = [&["norn", "check"], options].concat().into_iter().map(Into::into);
        let Ok(cli) = args::parse(words.chain([file.clone().into_os_string()])) else {
            panic!("the options should fit")
        };
        let Command::Check(args) = &cli.command else { panic!("it should be a check") };
        let Ok(compiled) = crate::frontend::compile(&args.c, crate::frontend::Decisions::Marked) else {
            panic!("the program should compile")
        };
        std::fs::remove_file(file).expect("the file should go");
        let asked = Property { checks: args.checks.checks(), entry: "main".to_owned() };
        let models = args.models.list();
        let conclusion = Conclusion::new(args, &asked, &compiled, &models);
        let Ok(all) = conclusion.conclude(&verdicts(&compiled.program)) else { panic!("nothing is contradicted") };
        // As the last words would have it.
        let said = output(&conclusion.parts(&all), &Exceeded::Time.into(), false);
        said.lines().filter(|line| line.starts_with("norn: ")).map(str::to_owned).collect()
    }

    #[test]
    fn last_words_do_not_say_more_than_was_asked() {
        let bound = Bound { kind: BoundKind::Rounds, value: 1, exhausted: false };
        let safe = Verdict::new(Model::Sc, "test", Outcome::Safe { bounds: vec![bound] }, Stats::default());
        let all =
            |options: &[&str]| concluded("more", "int main(void) { return 0; }\n", options, |_| vec![safe.clone()]);
        let open = "norn: unknown (tso): the time limit was reached";
        assert_eq!(all(&["-m", "sc,tso"]), ["norn: safe (sc) up to 1 rounds", open]);
        let required = "norn: unknown (sc): no violation up to 1 rounds; a proof is required";
        assert_eq!(all(&["-m", "sc,tso", "--require-proof"]), [required, open]);
    }

    #[test]
    fn last_words_do_not_contradict_one_another() {
        let program = "#include <assert.h>\nint x; int main(void) { assert(x); }\n";
        let verdicts = |program: &Program| {
            let limits = Limits::none();
            let checks = Default::default();
            let question = Question { program, model: Model::Sc, checks, limits: &limits, domain: None, observed: &[] };
            let found = states::verdict(&question).expect("it should replay");
            vec![unknown(Model::Tso, Exceeded::Time.into()), found]
        };
        let said = concluded("contradict", program, &["-m", "tso,sc,pso"], verdicts);
        let kinds = said.iter().map(|line| line.split(": ").nth(1)).collect::<Vec<_>>();
        assert_eq!(kinds, [Some("unsafe (tso)"), Some("unsafe (sc)"), Some("unsafe (pso)")]);
    }
}

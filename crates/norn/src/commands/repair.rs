//! `norn repair`: which fences make the program right?

use crate::args::RepairArgs;
use crate::asking::given_bounds;
use crate::commands::patch::{Patch, as_text, deliver};
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Decisions, Failure};
use crate::limits;
use crate::loops;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_engine::GivenBounds;
use norn_ir::program::Program;
use norn_portfolio::Options;
use norn_repair::fences;
use norn_repair::gaps::gaps;
use norn_repair::{Answer, Asked, Choice, Code, Problem, Question, Repair, Said, Shown, confirm, search, story};
use norn_report::repair::{self, Outcome, verdict_line};
use norn_report::visible::visible;
use norn_report::{Sources, table};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::undecided::{Undecided, Why};
use serde_json::{Value, json};

pub fn run(args: &RepairArgs) -> Exit {
    if args.robust && args.c.reuse_memory {
        return output::fail("--reuse-memory: robustness is decided only where memory is not reused", Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    leave_last_words(args);
    let code = match frontend::code(&args.c) {
        Ok(code) => code,
        Err(failure) => return failure.into(),
    };
    let compiled = match frontend::compile_code(code.clone(), Decisions::Unmarked) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => return unsupported(args, &reason),
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    let stop = watch::stop_token();
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, &stop, &line);
    let exit = repaired(args, &code, &compiled, &limits, &line);
    match exit {
        Ok(_) | Err(_) if stop.is_stopped() => Exit::Interrupted,
        Ok(exit) | Err(exit) => exit,
    }
}

fn unsupported(args: &RepairArgs, reason: &str) -> Exit {
    let printed = output::print(&unknown(args.model(), &Why::no_meaning(reason.to_owned()), args.json));
    if printed == Exit::Fine { Exit::Unknown } else { printed }
}

fn unknown(model: Model, why: &Why, as_json: bool) -> String {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let undecided = Undecided::new(why.clone());
    let outcome = Outcome::Unknown { undecided: &undecided, bounds: &[] };
    match as_json {
        true => output::json_text(vec![json!({
            "verdict": "unknown", "model": model.name(), "reason": undecided.to_string(), "insertions": [], "patch": "",
        })]),
        false => verdict_line(model, &outcome, &sources) + "\n",
    }
}

fn leave_last_words(args: &RepairArgs) {
    let (model, as_json) = (args.model(), args.json);
    watch::last_words(move |exceeded| LastWords {
        output: unknown(model, &exceeded.into(), as_json),
        ..LastWords::default()
    });
}

/// All that is asked, and what is known about the program.
struct Task<'a> {
    args: &'a RepairArgs,
    compiled: &'a Compiled,
    code: &'a Code,
    question: Question<'a>,
}

fn repaired(
    args: &RepairArgs,
    code: &Code,
    compiled: &Compiled,
    limits: &Limits,
    line: &ProgressLine,
) -> Result<Exit, Exit> {
    let given: GivenBounds = given_bounds(&args.unwind);
    let options = Options { sampling: true, ..Options::default() };
    let model = args.model();
    let asked = if args.robust { Asked::Robust } else { Asked::Safe(args.checks.checks()) };
    let question = Question { model, asked, given: &given, options: &options, limits: limits.clone() };
    let task = Task { args, compiled, code, question };
    let contradicted = |mismatch: Mismatch| {
        line.clear();
        output::fail(&format!("internal error: {mismatch}"), Exit::Internal)
    };
    if !args.robust {
        let question = Question { model: Model::Sc, ..task.question.clone() };
        let program = Program::clone(&compiled.program);
        if let Said::Wrong { schedule, .. } = question.ask(program, None).map_err(contradicted)? {
            watch::end_task();
            line.clear();
            return match question.shows(&compiled.program, &schedule) {
                Some(shown) => task.wrong(&shown, Model::Sc, "; no fence can help"),
                None => Err(contradicted(Mismatch::Refused("the violation does not show again".to_owned()))),
            };
        }
    }
    let Some(problem) = fences::problem(code, gaps(code), model, args.costs()) else {
        return Err(output::fail("internal error: the program cannot be read again with marks", Exit::Internal));
    };
    match search(&task.question, &problem).map_err(contradicted)? {
        Answer::Found(found) => {
            let confirmed = match found.chosen.is_empty() {
                true => None,
                false => confirm(&task.question, task.code, &problem, &found).map_err(contradicted)?,
            };
            watch::end_task();
            line.clear();
            task.found(&problem, &found, confirmed)
        }
        Answer::Hopeless { shown, .. } => {
            watch::end_task();
            line.clear();
            let but = match problem.sites.is_empty() {
                true => "; there is no place for a fence in the user's code",
                false => "; no fence between statements of the user's code excludes this",
            };
            task.wrong(&shown, model, but)
        }
        Answer::Open { tried, undecided, bounds } => {
            watch::end_task();
            line.clear();
            let patch = Patch::of(&problem, &tried.chosen);
            let outcome = Outcome::Unknown { undecided: &undecided, bounds: &bounds };
            let last = task.compiled.with_sources(|sources| verdict_line(model, &outcome, sources));
            let note = format!(
                "note: no fences of less cost than {} are enough. Whether these are ({}, cost {}) is not known.\n",
                tried.cost,
                insertions(tried.chosen.len()),
                tried.cost
            );
            let text = match args.json {
                true => output::json_text(vec![json!({
                    "verdict": "unknown",
                    "model": model.name(),
                    "reason": undecided.to_string(),
                    "bounds": repair::bounds(&bounds),
                    "cost": tried.cost,
                    "insertions": tried.chosen.iter().map(|&choice| task.insertion(&problem, choice, None)).collect::<Vec<_>>(),
                    "patch": patch.text(),
                })]),
                false if tried.chosen.is_empty() => format!("{last}\n"),
                false => format!("{}\n{note}{last}\n", as_text(&patch)),
            };
            match output::print(&text) {
                Exit::Fine => Ok(Exit::Unknown),
                failed => Err(failed),
            }
        }
    }
}

fn insertions(count: usize) -> String {
    format!("{count} insertion{}", if count == 1 { "" } else { "s" })
}

impl Task<'_> {
    fn model(&self) -> Model {
        self.question.model
    }

    /// What is wrong, and that nothing helps.
    fn wrong(&self, shown: &Shown, model: Model, but: &str) -> Result<Exit, Exit> {
        let text = self.compiled.with_sources(|sources| {
            let outcome = Outcome::Wrong { violation: shown.violation.as_ref(), but };
            let line = verdict_line(model, &outcome, sources);
            if self.args.json {
                return output::json_text(vec![json!({
                    "verdict": if shown.violation.is_some() { "unsafe" } else { "not robust" },
                    "model": model.name(),
                    "reason": but.trim_start_matches("; "),
                    "insertions": [],
                    "patch": "",
                    "trace": repair::trace(&shown.trace, sources),
                })]);
            }
            let table = match &shown.violation {
                Some(violation) => table::violated(&shown.trace, violation, sources, output::width()),
                None => table::table(&shown.trace, sources, output::width()),
            };
            format!("{table}\n{line}\n")
        });
        match output::print(&text) {
            Exit::Fine => Ok(Exit::Unsafe),
            failed => Err(failed),
        }
    }

    /// The patch, why each insertion is needed, and the verdict.
    fn found(&self, problem: &Problem, found: &Repair, confirmed: Option<&'static str>) -> Result<Exit, Exit> {
        let patch = Patch::of(problem, &found.chosen);
        let model = self.model();
        let what = match found.chosen.len() {
            0 => format!("nothing to repair ({model})"),
            count => format!("repaired ({model}): {}, cost {}", insertions(count), found.cost),
        };
        let outcome = Outcome::Done { what, bounds: &found.bounds };
        let line = self.compiled.with_sources(|sources| verdict_line(model, &outcome, sources));
        let text = if self.args.json {
            output::json_text(vec![json!({
                "verdict": if found.chosen.is_empty() { "nothing to repair" } else { "repaired" },
                "model": model.name(),
                "engine": found.engine,
                "confirmed_by": confirmed,
                "bounds": repair::bounds(&found.bounds),
                "cost": found.cost,
                "insertions": found.chosen.iter().map(|&choice| self.insertion(problem, choice, Some(found))).collect::<Vec<_>>(),
                "patch": patch.text(),
            })])
        } else {
            let reasons = found.chosen.iter().map(|&choice| self.reason(problem, found, choice)).collect::<String>();
            let checked = match (found.chosen.is_empty(), confirmed) {
                (true, _) => String::new(),
                (false, Some(other)) => format!("The patched text was checked by {} and by {other}.\n", found.engine),
                (false, None) => {
                    format!("The patched text was checked by {}; no other engine decides it.\n", found.engine)
                }
            };
            let blank = if found.chosen.is_empty() { "" } else { "\n" };
            format!("{}{blank}{reasons}{blank}{checked}{line}\n", as_text(&patch))
        };
        deliver(&patch, self.args.in_place, self.args.output.as_deref(), &text)
    }

    /// For example `a.c:7: full fence, or main.1 reads x (a.c:7) before its write to y (a.c:6) is in memory: assertion failed
    /// at a.c:9`.
    fn reason(&self, problem: &Problem, found: &Repair, choice: Choice) -> String {
        let (site, level) = (&problem.sites[choice.site], problem.level(choice));
        let place = format!("{}:{}", visible(&site.file.display().to_string()), site.line);
        let reason = self.why(problem, found, choice);
        format!(
            "{place}: {} (cost {}){}\n",
            level.name,
            level.cost,
            reason.map(|why| format!(", or {why}")).unwrap_or_default()
        )
    }

    fn why(&self, problem: &Problem, found: &Repair, choice: Choice) -> Option<String> {
        let story = story(problem, found, choice)?;
        let sources = Sources { program: &problem.base, line_text: &|_, _| None };
        let shown = &story.execution.shown;
        let end = match &shown.violation {
            Some(violation) => format!("{} at {}", violation.kind.phrase(), sources.place(violation.span)),
            None => "sequential consistency has no such execution".to_owned(),
        };
        let delay = story.delay.map(|delay| repair::delay(&shown.trace, delay.store, delay.past, &sources));
        Some(delay.map_or_else(|| end.clone(), |delay| format!("{delay}: {end}")))
    }

    fn insertion(&self, problem: &Problem, choice: Choice, found: Option<&Repair>) -> Value {
        let (site, level) = (&problem.sites[choice.site], problem.level(choice));
        json!({
            "file": site.file.display().to_string(),
            "line": site.line,
            "kind": level.name,
            "cost": level.cost,
            "why": found.and_then(|found| self.why(problem, found, choice)),
        })
    }
}

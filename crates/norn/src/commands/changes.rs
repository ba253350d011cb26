//! What `norn repair` and `norn relax` have in common: a program that is to be changed, a question, and what is said about
//! each fence and each order.

use crate::args::ChangeArgs;
use crate::asking::given_bounds;
use crate::commands::patch::{Patch, as_text, deliver};
use crate::exit::Exit;
use crate::files::write_page;
use crate::frontend::{self, Compiled, Decisions, Failure};
use crate::json_output;
use crate::limits;
use crate::loops;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_engine::GivenBounds;
use norn_ir::program::Program;
use norn_portfolio::Options;
use norn_repair::{Asked, Choice, Code, Confirmed, Problem, Question, Repair, Shown, evidence, story};
use norn_report::repair::{self, Outcome, verdict_line};
use norn_report::visible::visible;
use norn_report::{Sources, table};
use norn_verdict::claim::Mismatch;
use norn_verdict::model::Model;
use norn_verdict::outcome::Bound;
use norn_verdict::undecided::{Undecided, Why};
use serde_json::{Value, json};

/// Reads the program, limits the run, and lets a command do the rest.
pub fn run(args: &ChangeArgs, model: Model, work: impl FnOnce(&Task<'_>) -> Result<Exit, Exit>) -> Exit {
    if args.robust && args.c.reuse_memory {
        return output::fail("--reuse-memory: robustness is decided only where memory is not reused", Exit::Usage);
    }
    if args.checks.checks().termination {
        return output::fail("--termination: it is not known which fences make a program end", Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    let as_json = args.json;
    watch::last_words(move |exceeded| LastWords {
        output: unknown(model, &exceeded.into(), as_json),
        ..LastWords::default()
    });
    let code = match frontend::code(&args.c) {
        Ok(code) => code,
        Err(failure) => return failure.into(),
    };
    let compiled = match frontend::compile_code(code.clone(), Decisions::Unmarked) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => {
            let printed = output::print(&unknown(model, &Why::no_meaning(reason), args.json));
            return if printed == Exit::Fine { Exit::Unknown } else { printed };
        }
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    let stop = watch::stop_token();
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, &stop, &line);
    let given: GivenBounds = given_bounds(&args.unwind);
    let options = Options { sampling: true, ..Options::default() };
    let asked = if args.robust { Asked::Robust } else { Asked::Safe(args.checks.checks()) };
    let question = Question { model, asked, given: &given, options: &options, limits };
    match work(&Task { args, compiled: &compiled, code: &code, question, line: &line }) {
        Ok(_) | Err(_) if stop.is_stopped() => Exit::Interrupted,
        Ok(exit) | Err(exit) => exit,
    }
}

fn unknown(model: Model, why: &Why, as_json: bool) -> String {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let undecided = Undecided::new(why.clone());
    let outcome = Outcome::Unknown { undecided: &undecided, bounds: &[] };
    match as_json {
        true => json_output::text(vec![json!({
            "verdict": "unknown", "model": model.name(), "reason": undecided.to_string(), "patch": "",
        })]),
        false => verdict_line(model, &outcome, &sources) + "\n",
    }
}

/// All that is asked, and what is known about the program.
pub struct Task<'a> {
    pub args: &'a ChangeArgs,
    pub compiled: &'a Compiled,
    pub code: &'a Code,
    pub question: Question<'a>,
    line: &'a ProgressLine,
}

/// What a command says when it is done, besides the patch.
pub struct Said {
    /// As JSON has it.
    pub verdict: &'static str,
    /// As the last line has it.
    pub what: String,
    /// How the places are called in JSON.
    pub places: &'static str,
    /// Between a place and why: `or`, or that it stays.
    pub stays: &'static str,
    /// Further keys.
    pub more: Vec<(&'static str, Value)>,
}

impl Task<'_> {
    pub fn model(&self) -> Model {
        self.question.model
    }

    /// From now on there is something to say.
    pub fn done(&self) {
        watch::end_task();
        self.line.clear();
    }

    pub fn contradicted(&self, mismatch: &Mismatch) -> Exit {
        self.line.clear();
        output::fail(&format!("internal error: {mismatch}"), Exit::Internal)
    }

    /// What is wrong, and that nothing helps.
    pub fn wrong(&self, shown: &Shown, model: Model, but: &str) -> Result<Exit, Exit> {
        self.done();
        let text = self.compiled.with_sources(|sources| {
            let outcome = Outcome::Wrong { violation: shown.violation.as_ref(), but };
            let line = verdict_line(model, &outcome, sources);
            if self.args.json {
                return json_output::text(vec![json!({
                    "verdict": if shown.violation.is_some() { "unsafe" } else { "not robust" },
                    "model": model.name(),
                    "reason": but.trim_start_matches("; "),
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

    /// That it is not known. `tried`: a problem, and what may be enough for it.
    pub fn open(
        &self,
        undecided: &Undecided,
        bounds: &[Bound],
        tried: Option<(&Problem, &[Choice])>,
    ) -> Result<Exit, Exit> {
        self.done();
        let model = self.model();
        let outcome = Outcome::Unknown { undecided, bounds };
        let last = self.compiled.with_sources(|sources| verdict_line(model, &outcome, sources));
        let tried = tried.filter(|(_, chosen)| !chosen.is_empty());
        let patch = tried.map(|(problem, chosen)| Patch::of(problem, chosen));
        let cost = tried.map(|(problem, chosen)| problem.cost_of(chosen));
        let text = match (self.args.json, &patch, cost) {
            (true, ..) => json_output::text(vec![json!({
                "verdict": "unknown",
                "model": model.name(),
                "reason": undecided.to_string(),
                "bounds": repair::bounds(bounds),
                "at_least": cost,
                "patch": patch.map(|patch| patch.text()).unwrap_or_default(),
            })]),
            (false, Some(patch), Some(cost)) => format!(
                "{}\nnote: nothing that costs less than {cost} is enough. Whether this patch is, is not known.\n{last}\n",
                as_text(patch)
            ),
            _ => format!("{last}\n"),
        };
        match output::print(&text) {
            Exit::Fine => Ok(Exit::Unknown),
            failed => Err(failed),
        }
    }

    /// The patch, why each place is needed, and the verdict.
    pub fn found(
        &self,
        problem: &Problem,
        found: &Repair,
        confirmed: Option<&Confirmed>,
        said: &Said,
    ) -> Result<Exit, Exit> {
        self.done();
        let patch = Patch::of(problem, &found.chosen);
        let model = self.model();
        let outcome = Outcome::Done { what: said.what.clone(), bounds: &found.bounds };
        let line = self.compiled.with_sources(|sources| verdict_line(model, &outcome, sources));
        let patched = patch.text();
        let text = if self.args.json {
            let places = found.chosen.iter().map(|&choice| self.place(problem, choice, found)).collect::<Vec<_>>();
            let mut value = json!({
                "verdict": said.verdict,
                "model": model.name(),
                "engine": found.engine,
                "confirmed_by": confirmed.map(|other| other.engine),
                "bounds": repair::bounds(&found.bounds),
                "cost": found.cost,
                "at_least": found.at_least,
                "minimal": found.is_minimal,
                said.places: places,
                "patch": patched,
            });
            for (key, more) in &said.more {
                value[*key] = more.clone();
            }
            json_output::text(vec![value])
        } else {
            let reasons =
                found.chosen.iter().map(|&choice| self.reason(problem, found, choice, said)).collect::<String>();
            let checked = match (patched.is_empty(), confirmed) {
                (true, _) => String::new(),
                (false, Some(other)) => {
                    format!("The patched text was checked by {} and by {}.\n", found.engine, checker(other))
                }
                (false, None) => {
                    format!("The patched text was checked by {}; no other engine decides it.\n", found.engine)
                }
            };
            let note = match (found.is_least(), found.is_minimal) {
                (true, _) => String::new(),
                (false, true) => format!(
                    "note: none of this can be less if the rest stays as it is. Nothing that costs less than {} is \
                     enough; whether something that costs less than {} is, is not known.\n",
                    found.at_least, found.cost
                ),
                (false, false) => format!(
                    "note: this is the best found in the time that was given. Nothing that costs less than {} is \
                     enough; whether something that costs less than {} is, is not known.\n",
                    found.at_least, found.cost
                ),
            };
            let parts = [as_text(&patch), reasons, checked + &note].into_iter().filter(|part| !part.is_empty());
            let above = parts.collect::<Vec<_>>().join("\n");
            format!("{above}{line}\n")
        };
        self.write_page(problem, found, said)?;
        deliver(&patch, self.args.in_place, self.args.output.as_deref(), &text)
    }

    fn write_page(&self, problem: &Problem, found: &Repair, said: &Said) -> Result<(), Exit> {
        let Some(path) = &self.args.html else { return Ok(()) };
        let mut shown = Vec::new();
        for &choice in &found.chosen {
            if let Some((evidence, _)) = evidence(&self.question, problem, found, choice) {
                shown.push((self.reason(problem, found, choice, said).trim_end().to_owned(), evidence));
            }
        }
        match write_page(path, &shown, &problem.base, self.compiled) {
            Exit::Fine => Ok(()),
            failed => Err(failed),
        }
    }

    /// For example `a.c:7: full fence (cost 10), or main.1 reads x (a.c:7) before its write to y (a.c:6) is in memory: assertion
    /// failed at a.c:9`.
    fn reason(&self, problem: &Problem, found: &Repair, choice: Choice, said: &Said) -> String {
        let (site, level) = (&problem.sites[choice.site], problem.level(choice));
        let place = format!("{}:{}", visible(&site.file.display().to_string()), site.line);
        let why = self.why(problem, found, choice).map(|why| format!(", or {why}")).unwrap_or_default();
        format!("{place}: {}{} (cost {}){why}\n", level.name, said.stays, level.cost)
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

    fn place(&self, problem: &Problem, choice: Choice, found: &Repair) -> Value {
        let (site, level) = (&problem.sites[choice.site], problem.level(choice));
        json!({
            "file": site.file.display().to_string(),
            "line": site.line,
            "kind": level.name,
            "cost": level.cost,
            "why": self.why(problem, found, choice),
        })
    }
}

/// Who has checked it, and within which bounds.
fn checker(confirmed: &Confirmed) -> String {
    format!("{}{}", confirmed.engine, repair::within(&confirmed.bounds))
}

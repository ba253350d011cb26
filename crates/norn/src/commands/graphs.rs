//! `norn check` under models that are axioms: execution graphs of the program.

use super::litmus::load;
use crate::args::{CheckArgs, Engine};
use crate::asking::given_bounds;
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Decisions, Failure};
use crate::json_output;
use crate::limits;
use crate::litmus_model::LitmusModel;
use crate::loops;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_axioms::answer::{Answer, Outcome, Question};
use norn_axioms::event::Kind;
use norn_axioms::memory::Base;
use norn_axioms::picture::{Picture, picture};
use norn_cat::Model;
use norn_engine::capabilities::GRAPHS;
use norn_ir::program::Program;
use norn_ir::source::SourceMap;
use norn_report::line::{Said, said_of};
use norn_report::visible::visible_lines;
use norn_report::{Sources, json};
use norn_verdict::outcome::Checks;
use norn_verdict::undecided::{Undecided, Why};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// Why the options do not fit together with a model that is axioms, if there is one.
pub fn misplaced_option(args: &CheckArgs) -> Option<String> {
    let axioms = args.models.axioms();
    let first = axioms.first()?;
    let rounds = &args.rounds;
    let others = [
        (!args.models.list().is_empty(), "sc, tso and pso, which are machines"),
        (args.engine != Engine::Auto, "-e, whose engines know sc, tso and pso"),
        (args.cross_check, "--cross-check"),
        (args.shortest, "--shortest"),
        (args.events.certify, "--certify"),
        (rounds.limit.is_some() || rounds.bits.is_some() || !rounds.thread_order.is_empty(), "an option about rounds"),
        (args.backend.is_some(), "--backend"),
        (args.schedule_out.is_some(), "--schedule-out"),
    ];
    let given = others.iter().find(|(is_given, _)| *is_given).map(|(_, what)| *what);
    let other = given.or(args.files.graph_alone().err())?;
    Some(format!("{first} is a model of axioms, which does not go together with {other}"))
}

/// Checks one model after the other.
pub fn run(args: &CheckArgs, checks: Checks) -> Exit {
    let names = args.models.axioms();
    let mut sources = SourceMap::new();
    let mut models: Vec<(LitmusModel, Model)> = Vec::new();
    for name in names {
        match load(&name, &mut sources) {
            Ok(Some(model)) => models.push((name, model)),
            Ok(None) => {}
            Err(diagnostic) => {
                output::show(&[diagnostic], &sources);
                return Exit::BadInput;
            }
        }
    }
    let open: Vec<String> = models.iter().map(|(name, _)| name.to_string()).collect();
    leave_last_words(args.json, &[], &open);
    let compiled = match frontend::compile(&args.c, Decisions::Unmarked) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => {
            let parts: Vec<Part> =
                open.iter().map(|name| unknown(name, Why::no_meaning(reason.clone()), args.json)).collect();
            let printed = output::print(&together(&parts, args.json));
            return if printed == Exit::Fine { Exit::Unknown } else { printed };
        }
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut exit = Exit::Fine;
    let mut unwritten = false;
    for (at, (name, model)) in models.iter().enumerate() {
        leave_last_words(args.json, &parts, &open[at..]);
        let name = name.to_string();
        let (part, dot) = match check(args, &compiled, &name, model, checks) {
            Ok(found) => found,
            Err(message) => return output::fail(&message, Exit::Internal),
        };
        if let (Some(dot), Ok(Some(path))) = (dot, args.files.graph_alone()) {
            unwritten |= output::write(path, &dot) != Exit::Fine;
        }
        exit = match (exit, part.exit) {
            (Exit::Unsafe, _) | (_, Exit::Unsafe) => Exit::Unsafe,
            (Exit::Unknown, _) | (_, Exit::Unknown) => Exit::Unknown,
            _ => exit,
        };
        parts.push(part);
        if watch::stop_token().is_stopped() {
            let reason = norn_verdict::limits::Exceeded::Interrupted;
            parts.extend(open[at + 1..].iter().map(|name| unknown(name, reason.into(), args.json)));
            exit = Exit::Interrupted;
            break;
        }
    }
    watch::end_task();
    match output::print(&together(&parts, args.json)) {
        Exit::Fine if unwritten => Exit::Unwritten,
        Exit::Fine => exit,
        failed => failed,
    }
}

/// What is said about one model.
#[derive(Clone)]
struct Part {
    text: String,
    value: Value,
    exit: Exit,
}

fn together(parts: &[Part], as_json: bool) -> String {
    match as_json {
        true => json_output::text(parts.iter().map(|part| part.value.clone()).collect()),
        false => parts.iter().map(|part| part.text.as_str()).collect(),
    }
}

/// If the work has to end: what was said, and that the others are unknown.
fn leave_last_words(as_json: bool, parts: &[Part], open: &[String]) {
    let (parts, open) = (parts.to_vec(), open.to_vec());
    watch::last_words(move |exceeded| {
        let mut all = parts.clone();
        all.extend(open.iter().map(|name| unknown(name, exceeded.into(), as_json)));
        let is_unsafe = parts.iter().any(|part| part.exit == Exit::Unsafe);
        let exit = Some(if is_unsafe { Exit::Unsafe } else { Exit::Unknown });
        LastWords { output: together(&all, as_json), exit, ..LastWords::default() }
    });
}

fn unknown(name: &str, why: Why, as_json: bool) -> Part {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let undecided = Undecided::new(why);
    let said = Said::Unknown(&undecided);
    let value = match as_json {
        true => json::said_of((name, GRAPHS.name), said, &[], &BTreeMap::new(), Value::Null, &sources),
        false => Value::Null,
    };
    Part { text: said_of(name, said, &[], &sources) + "\n", value, exit: Exit::Unknown }
}

/// The answer under one model, and its execution for Graphviz.
fn check(
    args: &CheckArgs,
    compiled: &Compiled,
    name: &str,
    model: &Model,
    checks: Checks,
) -> Result<(Part, Option<String>), String> {
    let start = Instant::now();
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, &watch::stop_token(), &line);
    let given = given_bounds(&args.unwind);
    let question = Question { program: &compiled.program, model, checks, given: &given, limits: &limits };
    let answer = question.answer();
    watch::end_task();
    line.clear();
    let mut answer =
        answer.map_err(|mismatch| format!("internal error: an execution was not confirmed: {mismatch}"))?;
    if args.require_proof {
        answer = proved(answer);
    }
    let Answer { outcome, assumptions, executions, steps } = answer;
    let exact = |count: u64| u32::try_from(count).map_or(f64::INFINITY, f64::from);
    let seconds = start.elapsed().as_secs_f64();
    let stats = BTreeMap::from([("executions", exact(executions)), ("steps", exact(steps)), ("seconds", seconds)]);
    if args.stats {
        output::print_stats(&compiled.times, &norn_verdict::outcome::Stats(stats.clone()));
    }
    Ok(compiled.with_sources(|sources| {
        let (said, exit) = match &outcome {
            Outcome::Unsafe(witness) => (Said::Unsafe(witness.violation()), Exit::Unsafe),
            Outcome::Safe { bounds } => (Said::Safe(bounds), Exit::Fine),
            Outcome::Limited { bounds, undecided } => (Said::Limited(bounds, undecided), Exit::Unknown),
            Outcome::Unknown(undecided) => (Said::Unknown(undecided), Exit::Unknown),
        };
        let drawn = match &outcome {
            Outcome::Unsafe(witness) => Base::new(&compiled.program).ok().map(|base| picture(witness, &base)),
            _ => None,
        };
        let place = |span| sources.place(span);
        let last = said_of(name, said, &assumptions, sources);
        let mut text = String::new();
        if let (Some(drawn), Said::Unsafe(violation)) = (&drawn, said) {
            text += &visible_lines(&drawn.text(&place));
            let message = if violation.message.is_empty() { String::new() } else { format!(": {}", violation.message) };
            let at = place(violation.span);
            text += &visible_lines(&format!("{}{message}, at {at}\n\n", violation.kind.phrase()));
        }
        let graph = drawn.as_ref().map_or(Value::Null, |drawn| data(drawn, sources));
        let value = match args.json {
            true => json::said_of((name, GRAPHS.name), said, &assumptions, &stats, graph, sources),
            false => Value::Null,
        };
        let dot = drawn.map(|drawn| drawn.dot(&last, &place));
        (Part { text: text + &last + "\n", value, exit }, dot)
    }))
}

/// What is safe within bounds may not be enough.
fn proved(answer: Answer) -> Answer {
    let outcome = match answer.outcome {
        Outcome::Safe { bounds } if bounds.iter().any(|bound| !bound.exhausted) => {
            Outcome::Limited { bounds, undecided: Undecided::new(Why::NotProved("a proof is required".into())) }
        }
        outcome => outcome,
    };
    Answer { outcome, ..answer }
}

fn data(drawn: &Picture, sources: &Sources<'_>) -> Value {
    let threads = drawn.threads.iter().map(|thread| json!({ "name": thread.name, "function": thread.function }));
    let events = drawn.events.iter().map(|event| {
        let from = match event.from {
            None => Value::Null,
            Some(None) => json!({ "initial": true }),
            Some(Some(from)) => json!({ "event": from }),
        };
        json!({
            "number": event.number,
            "thread": drawn.threads[event.thread].name,
            "kind": match event.kind { Kind::Read => "read", Kind::Write => "write", Kind::Fence => "fence" },
            "text": event.text,
            "location": json::location(event.span, sources),
            "library": event.library,
            "from": from,
            "one_step_with": event.step,
            "address_by": event.addr,
            "value_by": event.data,
            "control_by": event.ctrl,
        })
    });
    let orders = drawn.orders.iter().map(|(place, order)| json!({ "object": place, "writes": order }));
    json!({
        "threads": threads.collect::<Vec<_>>(), "events": events.collect::<Vec<_>>(), "orders": orders.collect::<Vec<_>>(),
    })
}

//! Asks the engines about a text, without starting a process for each.

use norn_c::driver::{self, Input};
use norn_c::session::Options;
use norn_engine::{Engine as _, Prepared, Query};
use norn_events::{Encoding, Events};
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_portfolio::enumerate::Enumerate;
use norn_rounds::Rounds;
use norn_stateless::Stateless;
use norn_states::States;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Engine {
    Events,
    Clocks,
    Rounds,
    States,
    Stateless,
    Enumerate,
}

impl Engine {
    pub const ALL: [Engine; 6] =
        [Engine::Events, Engine::Rounds, Engine::States, Engine::Stateless, Engine::Enumerate, Engine::Clocks];

    /// Whether inputs with many values are no obstacle.
    pub fn is_symbolic(self) -> bool {
        matches!(self, Engine::Events | Engine::Clocks | Engine::Rounds)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Unsafe,
    Safe,
    /// Within bounds that are not enough.
    Bounded,
    Unknown(String),
    /// An internal error: a claim that does not replay, or a panic.
    Broken(String),
}

/// The program of a text.
pub fn compile(text: &str, include: Option<&Path>) -> Result<Prepared, String> {
    let options = Options { include_dirs: include.map(Path::to_owned).into_iter().collect(), ..Options::default() };
    let input = Input::Text { name: "flow.c".to_owned(), text: text.to_owned() };
    let compiled = catch_unwind(|| driver::compile(options, None, vec![input]))
        .map_err(|panic| format!("the front end panics: {}", said(&*panic)))?;
    let Some(program) = compiled.program else {
        let why = compiled.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>();
        return Err(format!("not accepted: {}", why.join("; ")));
    };
    Ok(Prepared::new(program))
}

/// The loops of generated programs are short: a bound that suffices for all of them.
const UNWIND: u32 = 12;
/// Bytes that a search may use.
const MEMORY: u64 = 3 << 30;

/// How far loops are followed by engines that need to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As far as loops of the generator go.
    Short,
    /// Further and further.
    Growing,
}

pub fn ask(program: &Prepared, engine: Engine, model: Model, checks: Checks, form: Form, seconds: f64) -> Answer {
    let limits = Limits { memory: Some(MEMORY), ..Limits::for_seconds(seconds) };
    let bounds = Bounds { default: UNWIND, ..Bounds::default() };
    let needs_bounds = matches!(engine, Engine::Events | Engine::Clocks | Engine::Rounds);
    let bounds = (needs_bounds && form == Form::Short).then_some(&bounds);
    let query = Query { program, model, checks, bounds, limits: &limits };
    let events = |encoding| Events { encoding, certify: false };
    let asked = catch_unwind(AssertUnwindSafe(|| match engine {
        Engine::Events => events(Encoding::Order).run(&query, &Reference),
        Engine::Clocks => events(Encoding::Clocks).run(&query, &Reference),
        Engine::Rounds => Rounds::default().run(&query, &Reference),
        Engine::States => States::default().run(&query, &Reference),
        Engine::Stateless => Stateless.run(&query, &Reference),
        Engine::Enumerate => Enumerate.run(&query, &Reference),
    }));
    match asked {
        Err(panic) => Answer::Broken(format!("panics: {}", said(&*panic))),
        Ok(Err(mismatch)) => Answer::Broken(format!("its counterexample does not replay: {mismatch}")),
        Ok(Ok(verdict)) => match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Unsafe,
            Outcome::Safe { ref bounds } if bounds.iter().all(|bound| bound.exhausted) => Answer::Safe,
            Outcome::Safe { .. } | Outcome::Limited { .. } => Answer::Bounded,
            Outcome::Unknown(reason) => Answer::Unknown(reason.to_string()),
        },
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

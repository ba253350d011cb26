//! Asks the engines about a text, without starting a process for each.

use norn_c::driver::{self, Input};
use norn_c::session::Options;
use norn_ir::program::Program;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
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

/// The program of a text, with private objects marked.
pub fn compile(text: &str, include: Option<&Path>) -> Result<Program, String> {
    let options = Options { include_dirs: include.map(Path::to_owned).into_iter().collect(), ..Options::default() };
    let input = Input::Text { name: "flow.c".to_owned(), text: text.to_owned() };
    let compiled = catch_unwind(|| driver::compile(options, None, vec![input]))
        .map_err(|panic| format!("the front end panics: {}", said(&*panic)))?;
    let Some(mut program) = compiled.program else {
        let why = compiled.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>();
        return Err(format!("not accepted: {}", why.join("; ")));
    };
    norn_passes::escape::mark_private(&mut program);
    Ok(program)
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

pub fn ask(program: &Program, engine: Engine, model: Model, checks: Checks, form: Form, seconds: f64) -> Answer {
    let limits = Limits { memory: Some(MEMORY), ..Limits::for_seconds(seconds) };
    let limits = &limits;
    let bounds = Bounds { default: UNWIND, ..Bounds::default() };
    let asked = catch_unwind(AssertUnwindSafe(|| match engine {
        Engine::Events | Engine::Clocks => norn_events::verdict(&norn_events::Task {
            program,
            model,
            checks,
            bounds: &bounds,
            grow: form == Form::Growing,
            limits,
            encoding: match engine {
                Engine::Clocks => norn_events::Encoding::Clocks,
                _ => norn_events::Encoding::Order,
            },
            certify: false,
        }),
        Engine::Rounds => norn_rounds::verdict(&norn_rounds::Task {
            program,
            model,
            checks,
            bounds: (form == Form::Short).then_some(&bounds),
            rounds: None,
            thread_order: &[],
            bits: None,
            certify: false,
            limits,
        }),
        Engine::States => norn_states::verdict(&norn_states::Task {
            program,
            model,
            checks,
            bounds: None,
            limits,
            reductions: norn_states::Reductions::ALL,
            shortest: false,
        }),
        Engine::Stateless => {
            norn_stateless::verdict(&norn_stateless::Task { program, model, checks, bounds: None, limits })
        }
        Engine::Enumerate => states::verdict(&Question { program, model, checks, limits, domain: None, observed: &[] }),
    }));
    match asked {
        Err(panic) => Answer::Broken(format!("panics: {}", said(&*panic))),
        Ok(Err(mismatch)) => Answer::Broken(format!("its counterexample does not replay: {mismatch}")),
        Ok(Ok(verdict)) => match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Unsafe,
            Outcome::Safe { ref bounds } if bounds.iter().all(|bound| bound.exhausted) => Answer::Safe,
            Outcome::Safe { .. } | Outcome::Limited { .. } => Answer::Bounded,
            Outcome::Unknown { reason, .. } => Answer::Unknown(reason),
        },
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

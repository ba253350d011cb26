//! `norn relax`: which fences and orders does the program not need?

use crate::args::RelaxArgs;
use crate::commands::changes::{self, Said, Task};
use crate::exit::Exit;
use crate::output;
use norn_repair::fences;
use norn_repair::{Problem, Relaxed, Repair, confirm, present, relax};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::Exceeded;
use norn_verdict::model::Model;
use norn_verdict::undecided::Undecided;
use serde_json::json;

pub fn run(args: &RelaxArgs) -> Exit {
    changes::run(&args.change, args.model(), |task| relaxed(args, task))
}

fn relaxed(args: &RelaxArgs, task: &Task<'_>) -> Result<Exit, Exit> {
    let contradicted = |mismatch: Mismatch| task.contradicted(&mismatch);
    let Some(problem) = fences::to_relax(task.code, args.change.library, args.change.costs()) else {
        return Err(output::fail("internal error: the program cannot be read again", Exit::Internal));
    };
    match relax(&task.question, &problem, args.optimal).map_err(contradicted)? {
        // Nothing was found in the time that there was, which does not mean that there is nothing.
        Relaxed::Found(found) if !found.is_minimal && problem.edits(&found.chosen).is_empty() => {
            task.open(&Undecided::limit(Exceeded::Time), &found.bounds, None)
        }
        Relaxed::Found(found) => {
            let confirmed = match problem.edits(&found.chosen).is_empty() {
                true => None,
                false => confirm(&task.question, task.code, &problem, &found).map_err(contradicted)?,
            };
            task.found(&problem, &found, confirmed.as_ref(), &said(task.model(), &problem, &found))
        }
        Relaxed::Wrong(shown) => task.wrong(&shown, task.model(), "; nothing is relaxed"),
        Relaxed::Open { undecided, bounds } => task.open(&undecided, &bounds, None),
    }
}

fn said(model: Model, problem: &Problem, found: &Repair) -> Said {
    let before = present(problem);
    let cost = problem.cost_of(&before);
    let weaker = before.iter().filter(|choice| !found.chosen.contains(choice)).count();
    let (verdict, what) = match weaker {
        0 => ("nothing to relax", format!("nothing to relax ({model})")),
        _ => {
            let plural = if weaker == 1 { "" } else { "s" };
            let what = format!("relaxed ({model}): {weaker} place{plural}, cost {} instead of {cost}", found.cost);
            ("relaxed", what)
        }
    };
    let more = vec![("cost_before", json!(cost)), ("weaker", json!(weaker))];
    Said { verdict, what, places: "needed", stays: " stays", more }
}

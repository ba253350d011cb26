//! `norn repair`: which fences and orders make the program right?

use crate::args::RepairArgs;
use crate::commands::changes::{self, Said, Task};
use crate::exit::Exit;
use crate::output;
use norn_ir::program::Program;
use norn_repair::fences;
use norn_repair::{self as engine, Answer, Change, Problem, Question, Repair, Site, confirm, search};
use norn_verdict::claim::Mismatch;
use norn_verdict::model::Model;

pub fn run(args: &RepairArgs) -> Exit {
    changes::run(&args.change, args.model(), |task| repaired(args, task))
}

fn repaired(args: &RepairArgs, task: &Task<'_>) -> Result<Exit, Exit> {
    let contradicted = |mismatch: Mismatch| task.contradicted(&mismatch);
    let races = task.question.looks_for_races();
    // A data race can be one under sequential consistency, and stronger orders can take it away.
    if !args.change.robust && !races {
        let question = Question { model: Model::Sc, ..task.question.clone() };
        let program = Program::clone(&task.compiled.program);
        if let engine::Said::Wrong { schedule, .. } = question.ask(program, None).map_err(contradicted)? {
            return match question.shows(&task.compiled.program, &schedule) {
                Some(shown) => task.wrong(&shown, Model::Sc, "; no fence can help"),
                None => Err(contradicted(Mismatch::Refused("the violation does not show again".to_owned()))),
            };
        }
    }
    let Some(problem) = fences::problem(task.code, args.kinds(), task.model(), races, args.change.costs()) else {
        return Err(output::fail("internal error: the program cannot be read again with marks", Exit::Internal));
    };
    match search(&task.question, &problem).map_err(contradicted)? {
        Answer::Found(found) => {
            let confirmed = match found.chosen.is_empty() {
                true => None,
                false => confirm(&task.question, task.code, &problem, &found).map_err(contradicted)?,
            };
            task.found(&problem, &found, confirmed.as_ref(), &said(task.model(), &found))
        }
        Answer::Hopeless { shown, .. } => {
            // In the text as it is, if it shows there.
            let as_it_is = task.question.shows(&task.compiled.program, &shown.schedule);
            task.wrong(as_it_is.as_ref().unwrap_or(&shown), task.model(), but(args, &problem))
        }
        Answer::Open { tried, undecided, bounds } => task.open(&undecided, &bounds, Some((&problem, &tried.chosen))),
    }
}

/// Why nothing helps.
fn but(args: &RepairArgs, problem: &Problem) -> &'static str {
    let fences = args.kinds().fences;
    let is_order = |site: &Site| site.levels.iter().any(|level| matches!(level.change, Some(Change::Replace { .. })));
    match (problem.sites.is_empty(), fences, problem.sites.iter().any(is_order)) {
        (true, true, _) => "; there is no place for a fence in the user's code",
        (true, false, _) => "; there is no order in the user's code that could be stronger",
        (false, true, false) => "; no fence between statements of the user's code excludes this",
        (false, true, true) => "; no fence between statements of the user's code, and no stronger order, excludes this",
        (false, false, _) => "; no stronger order in the user's code excludes this",
    }
}

fn said(model: Model, found: &Repair) -> Said {
    let count = found.chosen.len();
    let (verdict, what) = match count {
        0 => ("nothing to repair", format!("nothing to repair ({model})")),
        _ => {
            let plural = if count == 1 { "" } else { "s" };
            ("repaired", format!("repaired ({model}): {count} insertion{plural}, cost {}", found.cost))
        }
    };
    Said { verdict, what, places: "insertions", stays: "", more: Vec::new() }
}

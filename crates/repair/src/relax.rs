//! Which of a program's fences and orders it needs.
//!
//! All sites begin at their weakest, and the search for least cost is the one for repairs ([`crate::search`]); what the text has is
//! enough, so there is something to say at any time. Where least cost takes too long, what the text has is weakened site by
//! site, until nothing more can be.

use crate::question::Said;
use crate::question::{Question, Shown};
use crate::search::{Enough, Least, Repair, Search, part};
use crate::site::{Choice, Problem};
use norn_verdict::claim::Mismatch;
use norn_verdict::outcome::Bound;
use norn_verdict::undecided::Undecided;

/// What becomes of a program.
pub enum Relaxed {
    /// What is needed.
    Found(Repair),
    /// The program as it is does what it must not.
    Wrong(Box<Shown>),
    Open {
        undecided: Undecided,
        bounds: Vec<Bound>,
    },
}

/// What the text has, as a choice of the problem.
pub fn present(problem: &Problem) -> Vec<Choice> {
    let last = |(site, levels): (usize, usize)| Choice { site, level: levels - 1 };
    problem.sites.iter().map(|site| site.levels.len()).enumerate().map(last).collect()
}

/// Looks for what is needed of the fences and orders that are there; `is_patient` about least cost.
pub fn relax(question: &Question<'_>, problem: &Problem, is_patient: bool) -> Result<Relaxed, Mismatch> {
    let present = present(problem);
    let program = problem.program(&present);
    let enough = match question.ask(program.clone(), None)? {
        Said::Fine { engine, bounds } => Enough { chosen: present, engine, bounds },
        Said::Open { undecided, bounds } => return Ok(Relaxed::Open { undecided, bounds }),
        Said::Wrong { schedule, .. } => {
            let shown = question.shows(&program, &schedule);
            let again = || Mismatch::Refused("the violation does not show again".to_owned());
            return Ok(Relaxed::Wrong(Box::new(shown.ok_or_else(again)?)));
        }
    };
    let mut search = Search::new(question, problem);
    let share = if is_patient { 0.85 } else { 0.5 };
    match search.least(&part(&question.limits, share))? {
        Least::Enough(enough) => return Ok(Relaxed::Found(search.repair(enough, true))),
        // The levels that are there exclude everything.
        Least::Hopeless { .. } => {
            return Err(Mismatch::Refused("what the program as it is does not do, no order excludes".to_owned()));
        }
        Least::Open { .. } => {}
    }
    let (enough, is_minimal) = search.spare(enough, &question.limits)?;
    Ok(Relaxed::Found(search.repair(enough, is_minimal)))
}

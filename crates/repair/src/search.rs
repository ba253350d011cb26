//! The search for levels of least cost: candidates, counterexamples, clauses.

use crate::code::{Code, forget_places};
use crate::excluded::{clause, tidy};
use crate::hitting::{Cheapest, cheapest};
use crate::question::{Asked, Question, Said, Shown};
use crate::site::{Choice, Problem};
use norn_portfolio::Who;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::Bound;
use norn_verdict::progress::Report;
use norn_verdict::undecided::{Undecided, Why};
use std::time::{Duration, Instant};

/// What becomes of a problem.
pub enum Answer {
    Found(Repair),
    /// With these levels it is still not as it should be, in an execution that no level excludes.
    Hopeless {
        chosen: Vec<Choice>,
        shown: Box<Shown>,
    },
    /// Nothing cheaper is enough, and whether this is, is not known.
    Open {
        tried: Cheapest,
        undecided: Undecided,
        bounds: Vec<Bound>,
    },
}

/// Levels with which the program is as it should be. Every cheaper choice has one of the executions.
pub struct Repair {
    pub chosen: Vec<Choice>,
    pub cost: u64,
    /// Who says that it is enough, within which bounds.
    pub engine: &'static str,
    pub bounds: Vec<Bound>,
    /// Those that were met on the way.
    pub executions: Vec<Execution>,
}

/// An execution of the program with fewer levels, with marks in its trace.
pub struct Execution {
    pub shown: Shown,
    /// The levels that exclude it.
    pub clause: Vec<Choice>,
}

/// Looks for levels of least cost.
pub fn search(question: &Question<'_>, problem: &Problem) -> Result<Answer, Mismatch> {
    let mut executions: Vec<Execution> = Vec::new();
    let mut tried = Cheapest { chosen: Vec::new(), cost: 0 };
    loop {
        report(&question.limits, &tried, executions.len());
        let open = |tried, undecided, bounds| Ok(Answer::Open { tried, undecided, bounds });
        let schedule = match question.ask(problem.program(&tried.chosen), None)? {
            Said::Fine { engine, bounds } => {
                let Cheapest { chosen, cost } = tried;
                return Ok(Answer::Found(Repair { chosen, cost, engine, bounds, executions }));
            }
            Said::Open { undecided, bounds } => return open(tried, undecided, bounds),
            Said::Wrong { schedule, .. } => schedule,
        };
        let marked = problem.marked(&tried.chosen);
        let Some(shown) = tidy(question, &marked, &schedule) else {
            return Err(Mismatch::Refused("the program with its marks does not have it".to_owned()));
        };
        let Some(clause) = clause(question, problem, &tried.chosen, &shown) else {
            return open(tried, limit(&question.limits), Vec::new());
        };
        if clause.is_empty() {
            let plain = question.shows(&problem.program(&tried.chosen), &shown.schedule).unwrap_or(shown);
            return Ok(Answer::Hopeless { chosen: tried.chosen, shown: Box::new(plain) });
        }
        executions.push(Execution { shown, clause });
        let clauses = executions.iter().map(|execution| execution.clause.clone()).collect::<Vec<_>>();
        match cheapest(&clauses, &|choice| problem.cost(choice), &question.limits) {
            Some(next) => tried = next,
            None => return open(tried, limit(&question.limits), Vec::new()),
        }
    }
}

fn limit(limits: &Limits) -> Undecided {
    Undecided::new(Why::from(limits.exceeded().unwrap_or(Exceeded::Time)))
}

fn report(limits: &Limits, tried: &Cheapest, executions: usize) {
    let figures = [("cost at least", tried.cost), ("fences and orders", tried.chosen.len() as u64)];
    let count = ("executions", executions as u64);
    limits.progress.report(&Report { engine: "repair", count, figures: &figures, done: None });
}

/// Who else says that the edited text is as it should be. `None`: nobody else knows soon. It is an error inside of Norn if the text
/// is another program than the one that was found, or if somebody says that it is not.
pub fn confirm(
    question: &Question<'_>,
    code: &Code,
    problem: &Problem,
    found: &Repair,
) -> Result<Option<&'static str>, Mismatch> {
    let refused = |text: &str| Err(Mismatch::Refused(text.to_owned()));
    let Some(read) = code.read(&problem.edited(&found.chosen)) else {
        return refused("the edited text cannot be read");
    };
    let (mut meant, mut edited) = (problem.program(&found.chosen), read.program.clone());
    forget_places(&mut meant);
    forget_places(&mut edited);
    if meant != edited {
        return refused("the edited text is another program");
    }
    if question.asked == Asked::Robust {
        return Ok(None);
    }
    for who in
        [Who::States, Who::Stateless, Who::Events].into_iter().filter(|who| who.capabilities().name != found.engine)
    {
        let limits = share(&question.limits);
        match (Question { limits, ..question.clone() }).ask(read.program.clone(), Some(who))? {
            Said::Fine { engine, .. } => return Ok(Some(engine)),
            Said::Wrong { engine, .. } => {
                return refused(&format!("'{}' says safe, '{engine}' finds a violation", found.engine));
            }
            Said::Open { .. } => {}
        }
    }
    Ok(None)
}

/// A part of the time that is left: the answer is known already.
fn share(limits: &Limits) -> Limits {
    const MOST: Duration = Duration::from_millis(700);
    let now = Instant::now();
    let deadline = limits.deadline.map(|end| now + (end.saturating_duration_since(now) / 3).min(MOST));
    Limits { deadline, ..limits.clone() }
}

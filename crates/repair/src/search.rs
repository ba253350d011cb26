//! The search for levels of least cost: candidates, counterexamples, clauses.
//!
//! Where time runs out, a part of it is kept for a choice that is enough, whatever it costs: the clauses that are known are met
//! with more than they need, and what can be spared of that is taken away again.

use crate::code::{Code, comparable};
use crate::excluded::{clause, tidy};
use crate::hitting::{Cheapest, cheapest};
use crate::question::{Asked, Question, Said, Shown};
use crate::site::{Choice, Problem};
use norn_engine::GivenBounds;
use norn_portfolio::Who;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::Bound;
use norn_verdict::progress::Report;
use norn_verdict::undecided::{Undecided, Why};
use std::time::{Duration, Instant};

/// The share of the time in which levels of least cost are looked for.
const SHARE_OF_LEAST: f64 = 0.7;

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

/// Levels with which the program is as it should be.
pub struct Repair {
    pub chosen: Vec<Choice>,
    pub cost: u64,
    /// Every choice that costs less than this has one of the executions.
    pub at_least: u64,
    /// Each level is needed if all others stay.
    pub is_minimal: bool,
    /// Who says that it is enough, within which bounds.
    pub engine: &'static str,
    pub bounds: Vec<Bound>,
    /// Those that were met on the way.
    pub executions: Vec<Execution>,
}

impl Repair {
    pub fn is_least(&self) -> bool {
        self.at_least >= self.cost
    }
}

/// An execution of the program with fewer levels, with marks in its trace.
#[derive(Clone)]
pub struct Execution {
    pub shown: Shown,
    /// The levels that exclude it.
    pub clause: Vec<Choice>,
}

/// A choice that is enough.
#[derive(Clone)]
pub(crate) struct Enough {
    pub chosen: Vec<Choice>,
    pub engine: &'static str,
    pub bounds: Vec<Bound>,
}

/// What becomes of a candidate.
pub(crate) enum Tried {
    Enough(Enough),
    /// It has an execution that was not known: the last one.
    Learnt,
    Hopeless(Box<Shown>),
    Open(Undecided, Vec<Bound>),
}

/// What has been learnt about a problem.
pub(crate) struct Search<'a> {
    pub question: &'a Question<'a>,
    pub problem: &'a Problem,
    pub executions: Vec<Execution>,
    /// What every choice that is enough costs at least.
    pub at_least: u64,
}

/// How the search for least cost ended.
pub(crate) enum Least {
    Enough(Enough),
    Hopeless { chosen: Vec<Choice>, shown: Box<Shown> },
    Open { tried: Cheapest, undecided: Undecided, bounds: Vec<Bound> },
}

/// Looks for levels of least cost.
pub fn search(question: &Question<'_>, problem: &Problem) -> Result<Answer, Mismatch> {
    let mut search = Search::new(question, problem);
    let (tried, undecided, bounds) = match search.least(&part(&question.limits, SHARE_OF_LEAST))? {
        Least::Enough(enough) => return Ok(Answer::Found(search.repair(enough, true))),
        Least::Hopeless { chosen, shown } => return Ok(Answer::Hopeless { chosen, shown }),
        Least::Open { tried, undecided, bounds } => (tried, undecided, bounds),
    };
    if undecided.exceeded() != Some(Exceeded::Time) {
        return Ok(Answer::Open { tried, undecided, bounds });
    }
    // Half of what is left for something that is enough, the rest to take away what is too much.
    match search.more_than_enough(tried.chosen.clone(), &part(&question.limits, 0.5))? {
        Some(enough) => {
            let (enough, is_minimal) = search.spare(enough, &question.limits)?;
            Ok(Answer::Found(search.repair(enough, is_minimal)))
        }
        None => Ok(Answer::Open { tried, undecided, bounds }),
    }
}

impl<'a> Search<'a> {
    pub fn new(question: &'a Question<'a>, problem: &'a Problem) -> Search<'a> {
        Search { question, problem, executions: Vec::new(), at_least: 0 }
    }

    pub fn repair(self, enough: Enough, is_minimal: bool) -> Repair {
        let Enough { chosen, engine, bounds } = enough;
        let cost = self.problem.cost_of(&chosen);
        Repair { chosen, cost, at_least: self.at_least, is_minimal, engine, bounds, executions: self.executions }
    }

    /// Candidates from the cheapest on. Every choice that is cheaper than the first that is enough has one of the executions.
    pub fn least(&mut self, limits: &Limits) -> Result<Least, Mismatch> {
        let mut tried = Cheapest { chosen: Vec::new(), cost: 0 };
        loop {
            self.at_least = tried.cost;
            match self.attempt(&tried.chosen, limits)? {
                Tried::Enough(enough) => return Ok(Least::Enough(enough)),
                Tried::Hopeless(shown) => return Ok(Least::Hopeless { chosen: tried.chosen, shown }),
                Tried::Open(undecided, bounds) => return Ok(Least::Open { tried, undecided, bounds }),
                Tried::Learnt => {}
            }
            let clauses = self.executions.iter().map(|execution| execution.clause.clone()).collect::<Vec<_>>();
            match cheapest(&clauses, &|choice| self.problem.weight(choice), limits) {
                Some(next) => {
                    let chosen = self.problem.one_each(&next.chosen);
                    tried = Cheapest { cost: self.problem.cost_of(&chosen), chosen };
                }
                None => return Ok(Least::Open { tried, undecided: limit(limits), bounds: Vec::new() }),
            }
        }
    }

    /// Asks about a candidate, and learns from what is wrong with it.
    pub fn attempt(&mut self, chosen: &[Choice], limits: &Limits) -> Result<Tried, Mismatch> {
        self.report(chosen);
        let question = Question { limits: limits.clone(), ..self.question.clone() };
        let schedule = match question.ask(self.problem.program(chosen), None)? {
            Said::Fine { engine, bounds } => {
                return Ok(Tried::Enough(Enough { chosen: chosen.to_vec(), engine, bounds }));
            }
            Said::Open { undecided, bounds } => return Ok(Tried::Open(undecided, bounds)),
            Said::Wrong { schedule, .. } => schedule,
        };
        let marked = self.problem.marked(chosen);
        let Some(shown) = tidy(&question, &marked, &schedule) else {
            return Err(Mismatch::Refused("the program with its marks does not have it".to_owned()));
        };
        let Some(clause) = clause(&question, self.problem, chosen, &shown) else {
            return Ok(Tried::Open(limit(limits), Vec::new()));
        };
        if clause.is_empty() {
            let plain = question.shows(&self.problem.program(chosen), &shown.schedule).unwrap_or(shown);
            return Ok(Tried::Hopeless(Box::new(plain)));
        }
        self.executions.push(Execution { shown, clause });
        Ok(Tried::Learnt)
    }

    /// From what is not enough to what is, in few steps: of what excludes an execution, everything.
    fn more_than_enough(&mut self, mut chosen: Vec<Choice>, limits: &Limits) -> Result<Option<Enough>, Mismatch> {
        loop {
            match self.attempt(&chosen, limits)? {
                Tried::Enough(enough) => return Ok(Some(enough)),
                Tried::Hopeless(_) | Tried::Open(..) => return Ok(None),
                Tried::Learnt => {
                    chosen.extend(self.executions.iter().flat_map(|execution| execution.clause.iter().copied()));
                    chosen = self.problem.one_each(&chosen);
                }
            }
        }
    }

    /// Takes away what is not needed, site by site, what is dear first. Says whether nothing more can be taken away: what
    /// was needed for one site stays so when others have less.
    pub fn spare(&mut self, mut best: Enough, limits: &Limits) -> Result<(Enough, bool), Mismatch> {
        let mut is_minimal = true;
        let mut order = best.chosen.clone();
        order.sort_by_key(|&choice| (u64::MAX - self.problem.cost(choice), choice));
        for choice in order {
            let levels = 0..self.problem.sites[choice.site].levels.len();
            let less = levels.map(|level| Choice { site: choice.site, level });
            let mut less =
                less.filter(|&other| other != choice && self.problem.is_covered(other, &[choice])).collect::<Vec<_>>();
            less.sort_by_key(|&other| self.problem.cost(other));
            let without = best.chosen.iter().copied().filter(|&other| other != choice).collect::<Vec<_>>();
            for instead in [None].into_iter().chain(less.into_iter().map(Some)) {
                let candidate = without.iter().copied().chain(instead).collect::<Vec<_>>();
                if self.executions.iter().any(|known| !self.problem.meets(&candidate, &known.clause)) {
                    continue;
                }
                if limits.exceeded().is_some() {
                    return Ok((best, false));
                }
                match self.attempt(&candidate, limits)? {
                    Tried::Enough(enough) => {
                        best = enough;
                        break;
                    }
                    Tried::Learnt => {}
                    Tried::Hopeless(_) | Tried::Open(..) => is_minimal = false,
                }
            }
        }
        Ok((best, is_minimal))
    }

    fn report(&self, chosen: &[Choice]) {
        let figures = [("cost at least", self.at_least), ("fences and orders", chosen.len() as u64)];
        let count = ("executions", self.executions.len() as u64);
        let progress = &self.question.limits.progress;
        progress.report(&Report { engine: "repair", count, figures: &figures, done: None });
    }
}

fn limit(limits: &Limits) -> Undecided {
    Undecided::new(Why::from(limits.exceeded().unwrap_or(Exceeded::Time)))
}

/// A part of the time that is left.
pub(crate) fn part(limits: &Limits, share: f64) -> Limits {
    let now = Instant::now();
    let deadline = limits.deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(share));
    Limits { deadline, ..limits.clone() }
}

/// Another engine than the one that found out says that the edited text is as it should be, within these bounds.
pub struct Confirmed {
    pub engine: &'static str,
    pub bounds: Vec<Bound>,
}

/// Who else says that the edited text is as it should be. `None`: nobody else knows soon. It is an error inside of Norn if the text
/// is another program than the one that was found, or if somebody says that it is not.
pub fn confirm(
    question: &Question<'_>,
    code: &Code,
    problem: &Problem,
    found: &Repair,
) -> Result<Option<Confirmed>, Mismatch> {
    let refused = |text: &str| Err(Mismatch::Refused(text.to_owned()));
    let Some(read) = code.read(&problem.edited(&found.chosen)) else {
        return refused("the edited text cannot be read");
    };
    if comparable(problem.program(&found.chosen)) != comparable(read.program.clone()) {
        return refused("the edited text is another program");
    }
    if question.asked == Asked::Robust {
        return Ok(None);
    }
    let others = [Who::States, Who::Stateless, Who::Events].map(|who| (who, question.given));
    // Where nobody else can do without bounds, a few iterations are better than nothing.
    let few = GivenBounds::of_all_loops(FEW_ITERATIONS);
    let bounded = [Who::Stateless, Who::Events].map(|who| (who, &few));
    let bounded = bounded.into_iter().filter(|_| question.given.is_empty());
    for (who, given) in others.into_iter().chain(bounded) {
        if who.capabilities().name == found.engine {
            continue;
        }
        let limits = share(&question.limits);
        match (Question { limits, given, ..question.clone() }).ask(read.program.clone(), Some(who))? {
            Said::Fine { engine, bounds } => return Ok(Some(Confirmed { engine, bounds })),
            Said::Wrong { engine, .. } => {
                return refused(&format!("'{}' says safe, '{engine}' finds a violation", found.engine));
            }
            Said::Open { .. } => {}
        }
    }
    Ok(None)
}

/// Enough for every thread to go round each loop while another one does.
const FEW_ITERATIONS: u32 = 2;

/// A part of the time that is left: the answer is known already.
fn share(limits: &Limits) -> Limits {
    const MOST: Duration = Duration::from_millis(300);
    let now = Instant::now();
    let deadline = limits.deadline.map(|end| now + (end.saturating_duration_since(now) / 4).min(MOST));
    Limits { deadline, ..limits.clone() }
}

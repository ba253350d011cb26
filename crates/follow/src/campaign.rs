//! Many executions, within a share of the time.

use crate::end::Followed;
use crate::sample::{Form, Mismatch, Sampler, Setting};
use norn_verdict::limits::Limits;
use std::time::{Duration, Instant};

/// How much is to be done: whichever of the two takes longer, unless a limit is reached.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    pub time: Duration,
    pub executions: u64,
}

impl Effort {
    /// A tenth of the time that a verdict took. A last word gets a twentieth of a second in any case.
    pub fn after(spent: Duration, is_last: bool) -> Effort {
        const LEAST: Duration = Duration::from_millis(50);
        const EXECUTIONS: u64 = 20;
        Effort { time: (spent / 10).max(if is_last { LEAST } else { Duration::ZERO }), executions: EXECUTIONS }
    }
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Done {
    /// Executions that are as the event list says, and satisfy what was asked of them.
    pub executions: u64,
    /// Executions that could not be used: they go behind a bound in the middle of a step, or take too long.
    pub useless: u64,
    pub seconds: f64,
}

/// Samples executions and asks whether each is a model. The first that is not, or that the event list does not foresee, or that
/// violates anything, is an error.
pub fn run(
    setting: Setting<'_>,
    form: Form<'_>,
    effort: Effort,
    limits: &Limits,
    is_model: &mut dyn FnMut(&Followed) -> Result<(), String>,
) -> Result<Done, Mismatch> {
    let start = Instant::now();
    let mut done = Done::default();
    // Addresses of the list are not always those of the machine: who looks at them may do something else.
    if setting.symbolic.watches_addresses.is_some() {
        return Ok(done);
    }
    let sampler = Sampler::new(setting);
    for seed in 0.. {
        if (seed >= effort.executions && start.elapsed() >= effort.time) || limits.exceeded().is_some() {
            break;
        }
        match sampler.execution(form, seed)? {
            None => done.useless += 1,
            Some(followed) => {
                let violation = followed.violation.as_ref().map(|what| format!("the machine finds {what}"));
                let found = violation.map_or_else(|| is_model(&followed), Err);
                found.map_err(|reason| Mismatch { reason, schedule: followed.schedule.clone() })?;
                done.executions += 1;
            }
        }
    }
    done.seconds = start.elapsed().as_secs_f64();
    Ok(done)
}

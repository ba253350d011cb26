//! The shortest story of a counterexample, for as long as it is worth it.

use norn_explain::{USUAL_STEPS, shorten, why};
use norn_ir::program::Program;
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::outcome::{Checks, Outcome, Verdict};
use std::time::{Duration, Instant};

/// The verdict with a counterexample that is easier to follow. It takes a second, or a fifth of the time that the search took.
pub fn shortened(verdict: Verdict, program: &Program, checks: Checks, stop: &StopToken) -> Verdict {
    const LEAST_SECONDS: f64 = 1.0;
    const SHARE: f64 = 0.2;
    let searched = verdict.stats.0.get("seconds").copied().unwrap_or_default();
    let time = Duration::from_secs_f64((searched * SHARE).max(LEAST_SECONDS));
    shortened_by(verdict, program, checks, stop, time, USUAL_STEPS)
}

/// The same for as long as this.
pub fn shortened_within(
    verdict: Verdict,
    program: &Program,
    checks: Checks,
    stop: &StopToken,
    time: Duration,
) -> Verdict {
    let steps = USUAL_STEPS.saturating_mul(time.as_secs().saturating_add(1));
    shortened_by(verdict, program, checks, stop, time, steps)
}

/// The verdict with why its counterexample happens, which stays as it is.
pub fn told(mut verdict: Verdict, program: &Program, checks: Checks) -> Verdict {
    if let Outcome::Unsafe(found) = &verdict.outcome {
        verdict.remarks.why = Some(Box::new(why(program, checks, found)));
    }
    verdict
}

fn shortened_by(
    verdict: Verdict,
    program: &Program,
    checks: Checks,
    stop: &StopToken,
    time: Duration,
    steps: u64,
) -> Verdict {
    let Outcome::Unsafe(found) = &verdict.outcome else { return verdict };
    let start = Instant::now();
    let deadline = start.checked_add(time);
    let limits = Limits { deadline, stop: stop.clone(), ..Limits::none() };
    let before = found.trace().switches();
    let mut stats = verdict.stats.clone();
    stats.0.insert("switches found", before as f64);
    let shorter = shorten(program, checks, found, steps, &limits);
    let outcome = match shorter {
        Some(shorter) => {
            stats.0.insert("switches", shorter.counterexample.trace().switches() as f64);
            stats.0.insert("explain steps", shorter.steps as f64);
            stats.0.insert("switches are fewest", f64::from(u8::from(shorter.is_fewest)));
            Outcome::Unsafe(Box::new(shorter.counterexample))
        }
        None => {
            stats.0.insert("switches", before as f64);
            verdict.outcome.clone()
        }
    };
    let mut remarks = verdict.remarks.clone();
    if let Outcome::Unsafe(found) = &outcome {
        remarks.why = Some(Box::new(why(program, checks, found)));
    }
    stats.0.insert("explain seconds", start.elapsed().as_secs_f64());
    Verdict { outcome, stats, remarks, ..verdict }
}

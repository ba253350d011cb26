//! What lies within the bounds of a verdict: a violation there contradicts it, one beyond does not.

use crate::hunt::Found;
use norn_passes::unwind::{BoundAt, Bounds};
use norn_verdict::outcome::{Bound, BoundKind, LoopPlace};
use norn_verdict::schedule::{Schedule, Step, ThreadName};

/// The bounds on loops within which executions have to stay. Loops whose bounds are exhausted have none: no execution
/// goes beyond them, says the verdict.
pub fn loop_bounds(claimed: &[Bound]) -> Option<Bounds> {
    let mut at: Vec<BoundAt> = Vec::new();
    for bound in claimed.iter().filter(|bound| !bound.exhausted) {
        let BoundKind::Unwind(LoopPlace { file, line, .. }) = &bound.kind else { continue };
        let value = u32::try_from(bound.value).unwrap_or(u32::MAX);
        // Of several bounds at one place the smallest.
        match at.iter_mut().find(|at| at.file == *file && at.line == *line) {
            Some(known) => known.bound = known.bound.min(value),
            None => at.push(BoundAt { file: file.clone(), line: *line, bound: value }),
        }
    }
    let is_needed = !at.is_empty();
    is_needed.then_some(Bounds { default: u32::MAX, library: u32::MAX, at, max_instructions: usize::MAX })
}

/// Whether a violation that was found with [`loop_bounds`] contradicts the verdict. Where that is not certain it does not.
pub fn contains(claimed: &[Bound], in_order: bool, found: &Found) -> bool {
    claimed.iter().filter(|bound| !bound.exhausted).all(|bound| match bound.kind {
        BoundKind::Unwind(_) => true,
        BoundKind::Rounds => in_order && rounds(&found.schedule) <= bound.value,
        BoundKind::Buffer => found.longest_buffer as u64 <= bound.value,
        BoundKind::Depth | BoundKind::Executions | BoundKind::ObjectSize => false,
    })
}

/// How many rounds the schedule needs as it is, at most. The entry thread begins, alone; then each round gives every other
/// thread a turn, creators before whom they create and those of one creator in the order of creation, and the entry thread the
/// last one. The last silent run may be another thread's, which is why there is one round more than the steps need.
pub fn rounds(schedule: &Schedule) -> u64 {
    let rank = |name: &ThreadName| (name.0.is_empty(), name.0.len(), name.0.clone());
    let mut rounds = 0;
    let mut last = ThreadName::main();
    for step in &schedule.steps {
        let (Step::Run { thread, .. } | Step::Commit { thread, .. }) = step;
        if rank(thread) < rank(&last) {
            rounds += 1;
        }
        last = thread.clone();
    }
    rounds + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::program::Origin;
    use norn_verdict::model::Model;
    use norn_verdict::schedule::StepNumber;

    fn rounds_of(threads: &[&str]) -> u64 {
        let step = |name: &&str| Step::Run { thread: name.parse().expect("a thread's name"), step: StepNumber::FIRST };
        rounds(&Schedule {
            model: Model::Sc,
            program: 0,
            steps: threads.iter().map(step).collect(),
            inputs: Vec::new(),
        })
    }

    #[test]
    fn rounds_are_counted_with_one_to_spare() {
        assert_eq!(rounds_of(&["main"]), 1);
        assert_eq!(rounds_of(&["main", "main.1", "main.2", "main"]), 2);
        assert_eq!(rounds_of(&["main", "main.2", "main.1", "main"]), 3);
        assert_eq!(rounds_of(&["main", "main.1", "main", "main.1", "main"]), 3);
        assert_eq!(rounds_of(&["main", "main.2", "main.1.1", "main"]), 2);
    }

    #[test]
    fn loops_are_bounded_where_the_verdict_is() {
        let bound = |line, value, exhausted| {
            let place = LoopPlace { file: "a.c".to_owned(), line, origin: Origin::User };
            Bound { kind: BoundKind::Unwind(place), value, exhausted }
        };
        assert_eq!(loop_bounds(&[bound(1, 2, true)]), None);
        let bounds = loop_bounds(&[bound(1, 2, true), bound(3, 5, false), bound(3, 4, false)]);
        let bounds = bounds.expect("one is open");
        assert_eq!(bounds.at, [BoundAt { file: "a.c".to_owned(), line: 3, bound: 4 }]);
        assert_eq!(bounds.default, u32::MAX);
    }
}

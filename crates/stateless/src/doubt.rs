//! Steps that have no meaning here: something unsupported, a value with too many possibilities.
//!
//! Such a step is a dead end. It is remembered and taken back, its races are reversed, and the process sleeps until something
//! happens that the step depends on; meanwhile the others go on, since a violation may lie elsewhere. If none is found,
//! nothing is known, because what lay behind the step was not seen: so nothing here has to be complete.

use crate::explore::{Ended, Search};
use crate::footprint::Process;
use norn_exec::Request;
use norn_ir::instr::NondetSource;
use norn_verdict::undecided::{Undecided, Why};

impl Search<'_> {
    /// After a step that went wrong, the last of the trace: if it is a doubt, takes it back, so that the search can go on with
    /// the other processes of the state before it. `None` if it does.
    pub(crate) fn go_on_beside(&mut self, process: Process, ended: Ended) -> Option<Ended> {
        let doubt = match ended {
            Ended::Unknown(open) => open,
            Ended::NeedInput(_, ref request) if !(self.question.can_try)(request) => too_many_values(request),
            ended => return Some(ended),
        };
        self.doubt.get_or_insert(doubt);
        if self.cells.changed {
            return Some(Ended::LearntMore);
        }
        let number = self.trace.last_event();
        let footprint = self.trace.event(number).footprint;
        let past = self.trace.last_past().to_vec();
        let mut races = std::mem::take(&mut self.races);
        self.trace.races(&mut races);
        self.executor.undo_to(self.trace.event(number).mark);
        let tries_again = process.is_thread()
            && (self.executor.may_block(process.thread) || self.executor.accesses_vary(process.thread));
        if !tries_again {
            self.past.clear();
            self.past.extend_from_slice(&past);
            races.iter().for_each(|&race| self.reverse(race, number));
        }
        self.races = races;
        self.trace.pop();
        self.forget_reversals();
        if tries_again {
            self.reverse_blocking(process, footprint, &past, number);
        }
        if let Some(level) = self.levels.pop() {
            self.sleepers.truncate(level.sleep);
        }
        if let Some(level) = self.levels.last_mut() {
            self.sleepers.push((process, footprint));
            level.done += 1;
            level.begun = false;
        }
        None
    }
}

/// Why a request ends the search for good.
pub fn too_many_values(request: &Request) -> Undecided {
    let (NondetSource::Input(name) | NondetSource::Uninitialised(name)) = &request.source;
    Undecided::at(Why::TooManyValues { source: name.clone() }, request.span)
}

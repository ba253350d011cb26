//! A program that is ready for engines.
//!
//! Preparation marks the objects that only one thread can reach. What several engines, or one engine at several bounds,
//! want to know about the program is computed when it is first asked for, and kept: where pointers lead, the program
//! without the idle iterations of its spin loops, the values that inputs need to have, the program's fingerprint. Of each
//! form of the program the unwound copy for the latest bounds is kept, too ([`Analysed::unwound`]).

use norn_ir::program::Program;
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_passes::assumptions::await_assumptions;
use norn_passes::escape::mark_private;
use norn_passes::inputs::small_domains;
use norn_passes::spin::{spin, spin_for_races, spin_to_awaits};
use norn_verdict::claim::Mismatch;
use norn_verdict::schedule::{Schedule, fingerprint};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::OnceLock;

/// A valid program with its private objects marked.
pub struct Prepared {
    code: Analysed,
    /// Without idle iterations of spin loops, which wait instead.
    awaiting: OnceLock<Analysed>,
    /// Without idle iterations of spin loops; threads stop instead of waiting.
    stopping: OnceLock<Analysed>,
    /// Without those idle iterations of spin loops that data races do not need.
    racing: OnceLock<Analysed>,
    /// As `awaiting`, with assumptions that wait.
    assuming: OnceLock<Analysed>,
    /// As `awaiting`, but loops without such a form stay.
    lasting: OnceLock<Analysed>,
    domains: OnceLock<BTreeMap<Site, Vec<u64>>>,
    fingerprint: OnceLock<u64>,
}

impl Prepared {
    /// The program has to be valid, as front ends promise; debug builds look.
    pub fn new(mut program: Program) -> Prepared {
        debug_assert_eq!(norn_ir::validate::validate(&program), Ok(()), "a front end should make valid programs");
        mark_private(&mut program);
        Prepared::without_marks(program)
    }

    /// A program in which every object counts as one that several threads can reach. It has more steps than it needs: for
    /// comparisons of numbers of states with the reference machine, whose states remember who touched private objects.
    pub fn without_marks(program: Program) -> Prepared {
        Prepared {
            code: Analysed::new(program),
            awaiting: OnceLock::new(),
            stopping: OnceLock::new(),
            racing: OnceLock::new(),
            assuming: OnceLock::new(),
            lasting: OnceLock::new(),
            domains: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }
    }

    /// The program with where its pointers lead.
    pub fn code(&self) -> &Analysed {
        &self.code
    }

    /// The program without the idle iterations of its spin loops: a thread waits until it would leave the loop. The
    /// steps that are left have the same numbers, so that schedules are those of the program itself.
    pub fn awaiting(&self) -> &Analysed {
        self.awaiting.get_or_init(|| Analysed::new(spin(self, true).program))
    }

    /// The same, but a thread stops where it would begin an idle iteration: to wait may be part of a deadlock, to spin is
    /// none.
    pub fn stopping(&self) -> &Analysed {
        self.stopping.get_or_init(|| Analysed::new(spin(self, false).program))
    }

    /// The same, with the idle iterations that a data race may need.
    pub fn racing(&self) -> &Analysed {
        self.racing.get_or_init(|| Analysed::new(spin_for_races(self).program))
    }

    /// The program of [`Prepared::awaiting`], but a loop that has no such form stays a loop: an execution that never ends
    /// does so in it, or waits for ever.
    pub fn lasting(&self) -> &Analysed {
        self.lasting.get_or_init(|| Analysed::new(spin_to_awaits(self).program))
    }

    /// The program of [`Prepared::awaiting`] in which assumptions after a read wait until they hold.
    pub fn assuming(&self) -> &Analysed {
        self.assuming.get_or_init(|| {
            let mut program = Program::clone(self.awaiting());
            await_assumptions(&mut program);
            Analysed::new(program)
        })
    }

    /// By instruction: the values of a nondeterministic input that are enough, where they are few.
    pub fn domains(&self) -> &BTreeMap<Site, Vec<u64>> {
        self.domains.get_or_init(|| small_domains(self))
    }

    /// The formula of a safe verdict leaves out an execution. Its schedule may be of the program without the idle
    /// iterations of its loops: the steps have the same numbers.
    pub fn left_out(&self, reason: String, schedule: Schedule) -> Mismatch {
        Mismatch::LeftOut { reason, schedule: Box::new(Schedule { program: self.fingerprint(), ..schedule }) }
    }

    /// The number by which schedules know the program.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| fingerprint(self))
    }
}

impl Deref for Prepared {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.code
    }
}

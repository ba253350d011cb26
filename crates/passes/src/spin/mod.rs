//! Spin loops: a loop whose failing iterations change nothing is run through once.
//!
//! A thread that spins takes any number of steps that do nothing, and an explorer of executions would take them all. An
//! iteration of a loop that jumps back is *idle* if it leaves everything as it was: it has written nothing to memory (or
//! what was there already), and what it has assigned is assigned again before it is read, in the next iteration or after
//! the loop ([`body`] says what is checked). Two forms come out:
//!
//! - **Once.** Where an idle iteration would jump back, the thread stops for ever.
//! - **Await.** If an iteration is one visible step, that step becomes a section that is not enabled while the iteration
//!   would be idle: of kind `read` for a load, which reads through the own store buffer and fences nothing; atomic for
//!   a read-modify-write (a failed compare-and-exchange, too, waits for the own buffer). A section whose ends in the
//!   loop lead to the next iteration only gets an await in their place. Nothing else has to be tried in vain then.
//!
//! An iteration that did write something is followed as before, so `while (atomic_exchange(&lock, 1));` is right
//! whatever values the lock can have.
//!
//! # Why this is right
//!
//! Take an execution of the program and leave out every idle iteration that was followed by another one. What remains is
//! an execution, too: the iterations left out changed neither memory nor the thread (nor buffers: a fence or a failed
//! exchange in them only waited for commits, which stay where they were, or forbade some order of them). It has the
//! same final state, and the same violation if it had one, since a violation ends an execution and so never lies in an
//! iteration that was followed by another. It is an execution of the changed program as well, and every execution of the
//! changed program is one of the program, up to threads that stopped or wait where they would spin. So violations and the
//! final states of complete executions are the same, without any bound for such a loop. If the form is *await*, the
//! iteration that is left has exactly one visible step, which is the section's; a thread that has not begun it waits.
//! A violation may lie in an iteration that would be idle: whatever may go wrong there is done inside of the section
//! before the thread awaits.
//!
//! Step numbers are those of the program itself, of the executions without idle iterations: a section stands for the one
//! step that was there before. A schedule can be replayed on the program as it was.
//!
//! # Limits
//!
//! - *Deadlocks*: a thread that spins is enabled, one that awaits is not, so the form *await* shows deadlocks that are
//!   none. The form *once* keeps deadlocks: a spinning thread excludes one, and so does a stopped one. [`spin`] is told
//!   which forms are wanted.
//! - *Data races* may need an idle iteration: engines that look for them use [`spin_for_races`], which leaves out less.
//! - *Termination*: a thread that spins for ever awaits for ever, so the form *await* keeps executions that never end. The form
//!   *once* does not: a thread that stops is none that goes on for ever. [`spin_to_awaits`] leaves such loops as they are.
//! - *Traces* are counted without idle iterations.
//! - Nondeterministic values inside the loop are allowed in the form *once*: the values of an idle iteration go with it.
//! - Only innermost loops are looked at, then again those that have become innermost. Loops with calls are understood if
//!   the callee writes nothing; for an await, if it is one block without memory of its own, which is put in place.

mod body;
mod calls;
mod effects;
mod races;
mod rewrite;

use std::collections::BTreeSet;

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::program::{Function, Program};
use norn_ir::span::Span;

use crate::loops::loops;
use body::{Body, Reads};
use effects::Effects;

/// Nested loops that turn out idle, from the inside out.
const ROUNDS: usize = 16;

/// What became of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its step is enabled only when the loop would be left.
    Await,
    /// The thread stops where it would begin another iteration.
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpinLoop {
    pub function: FuncId,
    pub header: BlockId,
    pub span: Span,
    pub form: Form,
}

/// A program without idle iterations. Functions, objects, registers and places are those of the program; blocks and
/// registers may have been added.
#[derive(Clone, PartialEq, Debug)]
pub struct Spun {
    pub program: Program,
    /// By function, from the inside out.
    pub loops: Vec<SpinLoop>,
}

/// Changes every spin loop that is recognised, to the form *await* where it has one and `awaits` allows it. `program`
/// should be valid, with its private objects marked.
pub fn spin(program: &Program, awaits: bool) -> Spun {
    spin_with(program, if awaits { Wanted::Any } else { Wanted::Once })
}

/// Changes, to the form *await*, the spin loops that have one, and leaves all others as they are.
pub fn spin_to_awaits(program: &Program) -> Spun {
    spin_with(program, Wanted::Await)
}

/// Changes, to the form *once*, the spin loops whose idle iterations data races do not need.
pub fn spin_for_races(program: &Program) -> Spun {
    spin_with(program, Wanted::OnceWithRaces)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Any,
    Await,
    Once,
    OnceWithRaces,
}

fn spin_with(program: &Program, wanted: Wanted) -> Spun {
    let mut spun = Spun { program: program.clone(), loops: Vec::new() };
    if !program.functions.iter().any(|function| !loops(function).loops.is_empty()) {
        return spun;
    }
    let effects = Effects::new(program);
    for id in (0..program.functions.len()).map(FuncId::new) {
        let mut done = BTreeSet::new();
        let mut inlined = calls::Inlined::default();
        for _ in 0..ROUNDS {
            if !round(&mut spun, &effects, (id, wanted), &mut done, &mut inlined) {
                break;
            }
        }
    }
    spun
}

/// Looks at the innermost loops of a function; whether something changed.
fn round(
    spun: &mut Spun,
    effects: &Effects<'_>,
    (id, wanted): (FuncId, Wanted),
    done: &mut BTreeSet<BlockId>,
    inlined: &mut calls::Inlined,
) -> bool {
    let function = &mut spun.program.functions[id.index()];
    let forest = loops(function);
    let mut is_innermost = vec![true; forest.loops.len()];
    forest.loops.iter().filter_map(|l| l.parent).for_each(|parent| is_innermost[parent.index()] = false);
    let in_section = effects.sections(id, function);
    let reads = Reads::new(function);
    let mut changed = false;
    for (spin, _) in forest.loops.iter().zip(&is_innermost).filter(|(l, innermost)| l.reducible && **innermost) {
        if !done.insert(spin.header) {
            continue;
        }
        let Some(body) = Body::idle(function, spin, &reads, effects) else { continue };
        if wanted == Wanted::OnceWithRaces && !races::keeps_races(id, function, &body, effects) {
            continue;
        }
        let mut form = Form::Once;
        if matches!(wanted, Wanted::Any | Wanted::Await) && !in_section[spin.header.index()] {
            calls::inline(&effects.program.functions, function, &body, inlined);
            let visibility = |function: &Function, operand| effects.visibility(id, function, operand, inlined);
            if rewrite::to_await(function, &body, &visibility) {
                form = Form::Await;
            }
        }
        if form == Form::Once {
            if wanted == Wanted::Await {
                continue;
            }
            rewrite::to_once(function, &body);
        }
        spun.loops.push(SpinLoop { function: id, header: spin.header, span: spin.span, form });
        changed = true;
    }
    changed
}

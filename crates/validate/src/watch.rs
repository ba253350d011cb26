//! What an execution comes to, of what the witness asks about.

use crate::evaluate::Context;
use crate::guards::{Came, Guards, callee, is_return};
use norn_ir::ids::FileId;
use norn_ir::instr::{InstrKind, NondetSource, Operand, Property, TerminatorKind};
use norn_ir::program::{Function, Origin};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_machine::eval::Value;
use norn_machine::observe::{Happening, Observer, Scene};
use norn_machine::race::Accessed;
use norn_machine::state::Frame;
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most moments of one silent run that are remembered.
pub const MOST_SEEN: usize = 256;

/// A moment in which a thread may take edges of the witness.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The edges, and whether their constraints held.
    pub edges: Vec<(usize, bool)>,
    /// The innermost function then, if a constraint that did not hold may hold later, when other threads have moved on.
    pub frame: Option<Rc<Frame>>,
    /// The thread that was created. That happens once; other moments may be meant by several edges.
    pub created: Option<ThreadIndex>,
}

/// Watches one step of the machine.
pub struct Watch<'a> {
    guards: &'a Guards<'a>,
    /// By node of the automaton, whether it can still be stood at. Nothing: all of them.
    alive: &'a [bool],
    pub seen: Vec<(ThreadIndex, Seen)>,
    /// More was seen than is remembered.
    pub overflowed: bool,
    /// By thread, the line where it was last in this step.
    lines: BTreeMap<ThreadIndex, (FileId, u32)>,
    /// Where the thread that moved last stands: the calls of the user's code, the innermost first.
    last: Option<(ThreadIndex, Vec<Span>)>,
    race: Option<(ThreadIndex, Span)>,
}

impl<'a> Watch<'a> {
    pub fn new(guards: &'a Guards<'a>, alive: &'a [bool]) -> Watch<'a> {
        Watch { guards, alive, seen: Vec::new(), overflowed: false, lines: BTreeMap::new(), last: None, race: None }
    }

    /// The thread that moved last, and where it stands.
    pub fn last(&self) -> Option<(ThreadIndex, &[Span])> {
        self.last.as_ref().map(|(thread, spans)| (*thread, spans.as_slice()))
    }

    /// The earlier access of the data race that ended the step.
    pub fn race(&self) -> Option<(ThreadIndex, Span)> {
        self.race
    }

    fn is_idle(&self) -> bool {
        self.guards.automaton.edges.is_empty()
    }

    fn see(&mut self, scene: &Scene<'_>, span: Span, came: Came<'_>, result: Option<(u64, Ty)>, frame: Option<&Frame>) {
        let edges = self.guards.edges(span, came);
        let is_alive =
            |&edge: &usize| self.alive.get(self.guards.automaton.edges[edge].from).is_none_or(|&alive| alive);
        let edges = edges.into_iter().filter(is_alive).collect::<Vec<_>>();
        if edges.is_empty() {
            return;
        }
        let context =
            Context { machine: scene.machine, memory: &scene.state.memory, frame, thread: scene.thread, result };
        let held = |edge: usize| {
            let guard = &self.guards.automaton.edges[edge].guard;
            let is_later = guard.may_hold_after && !matches!(came, Came::To | Came::Returned);
            is_later || guard.constraint.as_ref().is_none_or(|constraint| context.holds(constraint) != Some(false))
        };
        let edges = edges.into_iter().map(|edge| (edge, held(edge))).collect::<Vec<_>>();
        let is_line = came == Came::To;
        let may_hold_later = is_line && edges.iter().any(|(_, held)| !held);
        let frame = frame.filter(|_| may_hold_later).map(|frame| Rc::new(frame.clone()));
        self.add(scene.thread, Seen { edges, frame, created: None });
    }

    fn add(&mut self, thread: ThreadIndex, seen: Seen) {
        let is_known = |(of, known): &(ThreadIndex, Seen)| {
            *of == thread
                && seen.created.is_none()
                && known.created.is_none()
                && known.edges == seen.edges
                && same(&known.frame, &seen.frame)
        };
        if self.seen.iter().any(is_known) {
            return;
        }
        match self.seen.len() < MOST_SEEN {
            true => self.seen.push((thread, seen)),
            false => self.overflowed = true,
        }
    }

    /// A thread comes to a line, and leaves the one where it was.
    fn line(&mut self, scene: &Scene<'_>, span: Span, frame: &Frame) {
        let key = (span.file, span.line);
        let before = self.lines.insert(scene.thread, key);
        if before == Some(key) || span.line == 0 {
            return;
        }
        if let Some((file, line)) = before {
            let left = Span { file, line, column: 1 };
            let edges = self.guards.edges(left, Came::To);
            if edges.iter().any(|&edge| self.guards.automaton.edges[edge].guard.may_hold_after) {
                self.see(scene, left, Came::To, None, Some(frame));
            }
        }
        self.see(scene, span, Came::To, None, Some(frame));
    }
}

/// Whether two functions stand alike.
fn same(one: &Option<Rc<Frame>>, other: &Option<Rc<Frame>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(a), Some(b)) => a.function == b.function && a.registers == b.registers && a.locals == b.locals,
        _ => false,
    }
}

/// What an operand holds, if that needs no object.
fn operand(frame: &Frame, function: &Function, operand: Operand) -> Option<(Value, Ty)> {
    match operand {
        Operand::Reg(reg) => Some((frame.registers[reg.index()], function.ty(reg))),
        Operand::Const(constant) => {
            let (bits, ty) = (constant.bits, constant.ty);
            Some((Value::int(bits), ty))
        }
        _ => None,
    }
}

impl Observer for Watch<'_> {
    fn comes_to(&mut self, scene: &Scene<'_>) {
        let program = scene.machine.program;
        let thread = &scene.state.threads[scene.thread.index()];
        let frame = thread.frame();
        let code = program.function(frame.function);
        let is_user = code.origin == Origin::User;
        if is_user || self.last.as_ref().is_none_or(|(of, _)| *of != scene.thread) {
            let users =
                thread.frames.iter().rev().filter(|frame| program.function(frame.function).origin == Origin::User);
            self.last = Some((scene.thread, users.map(|frame| frame.span(program)).collect()));
        }
        if self.is_idle() {
            return;
        }
        let block = code.block(frame.block);
        let instr = block.instrs.get(frame.index as usize);
        if frame.block == Function::ENTRY && frame.index == 0 {
            self.see(scene, code.span, Came::Entered(&code.name), None, Some(frame));
        }
        if is_user {
            self.line(scene, frame.span(program), frame);
        }
        match instr.map(|instr| (&instr.kind, instr.span)) {
            Some((InstrKind::Call { .. }, span)) if is_user => {
                let callee = instr.and_then(|instr| callee(&instr.kind));
                if callee.is_none_or(|callee| !self.guards.creates(callee)) {
                    self.see(scene, span, Came::Called, None, Some(frame));
                }
            }
            Some((InstrKind::Nondet { source: NondetSource::Input(_), .. }, span)) if is_user => {
                self.see(scene, span, Came::Called, None, Some(frame));
            }
            Some((InstrKind::Assert { property: Property::ErrorCall, .. }, span)) if is_user => {
                self.see(scene, span, Came::Called, None, Some(frame));
            }
            Some(_) => {}
            None => match &block.terminator.kind {
                TerminatorKind::Branch { cond, .. } if is_user => {
                    if let Some((value, _)) = operand(frame, code, *cond) {
                        self.see(scene, block.terminator.span, Came::Decided(value.is_true()), None, Some(frame));
                    }
                }
                TerminatorKind::Switch { .. } if is_user => {
                    // Which way is not told apart.
                    for way in [true, false] {
                        self.see(scene, block.terminator.span, Came::Decided(way), None, Some(frame));
                    }
                }
                kind if is_return(kind) => {
                    let result = match kind {
                        TerminatorKind::Return(Some(value)) => {
                            operand(frame, code, *value).map(|(value, ty)| (value.bits, ty))
                        }
                        _ => None,
                    };
                    let caller = thread.frames.len().checked_sub(2).map(|at| &thread.frames[at]);
                    let place = caller.map_or(block.terminator.span, |caller| caller.span(program));
                    if caller.is_some_and(|caller| program.function(caller.function).origin == Origin::User) {
                        self.see(scene, place, Came::Returned, result, caller);
                    }
                    self.see(scene, place, Came::Left(&code.name), result, caller);
                    if matches!(kind, TerminatorKind::ThreadExit(_)) {
                        for left in thread.frames.iter().map(|frame| program.function(frame.function)) {
                            self.see(scene, place, Came::Left(&left.name), None, None);
                        }
                    }
                }
                _ => {}
            },
        }
    }

    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        if self.is_idle() {
            return;
        }
        let place = scene.state.threads[scene.thread.index()].place(scene.machine.program);
        match *what {
            Happening::Create { thread } => {
                let edges = self.guards.edges(place.span, Came::Created);
                let edges = edges.into_iter().map(|edge| (edge, true)).collect::<Vec<_>>();
                if !edges.is_empty() {
                    self.add(scene.thread, Seen { edges, frame: None, created: Some(thread) });
                }
            }
            Happening::Input { source: NondetSource::Input(_), ty, value } if place.library.is_none() => {
                self.see(scene, place.span, Came::Returned, Some((value, ty)), None);
            }
            _ => {}
        }
    }

    fn races(&mut self, _scene: &Scene<'_>, earlier: &Accessed) {
        self.race = Some((earlier.thread, earlier.place.span));
    }
}

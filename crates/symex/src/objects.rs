//! The lives of local and allocated objects.

use norn_ir::address::{LARGEST_ALIGN, LARGEST_OBJECT, alignment};
use norn_ir::ids::{GlobalId, LocalId, Reg, TypeId};
use norn_ir::instr::{AllocKind, Instr, InstrKind, Operand};
use norn_ir::number::narrow;
use norn_ir::program::Storage;
use norn_logic::terms::Term;
use norn_verdict::outcome::ViolationKind;

use crate::code::{depth, original_local};
use crate::event::{EventKind, ObjectId};
use crate::facts::{Object, ObjectKind, Origin};
use crate::run::Run;
use crate::value::{Pointer, Value};

/// The bound on objects of a size that is not known; addresses are set aside for all of it, cells are not.
const LARGEST_UNKNOWN: u64 = 1 << 16;

impl Run<'_, '_> {
    pub fn enter_local(&mut self, local: LocalId) {
        let declared = self.function.local(local);
        let size = self.exec.bounded.program.ty(declared.ty).size;
        let origin = Origin::Made(self.thread, self.site);
        let outermost = depth(self.exec.bounded, self.id, self.site.block) == 0;
        let object = self.exec.facts.object(origin, size, || Object {
            origin,
            kind: ObjectKind::Local { outermost },
            size,
            private: declared.private,
            zeroed: false,
            align: self.exec.bounded.program.ty(declared.ty).align,
            ty: Some(declared.ty),
            name: declared.name.clone(),
            sized_by_term: false,
            base: 0,
            place_of: None,
        });
        if let Some(original) = original_local(self.exec.original, self.exec.bounded, self.site) {
            let depth = depth(self.exec.bounded, self.id, self.site.block);
            self.exec.facts.shares_memory(object, (self.thread, depth, original.0, original.1));
        }
        let pointer = Pointer::object(&mut self.exec.terms, self.exec.pointer_bits, object, 0);
        self.state.locals.set(local.0, pointer);
        self.state.ended.set(object.0, Term::FALSE);
    }

    pub fn leave_local(&mut self, local: LocalId) {
        let Some(pointer) = self.state.locals.get(local.0).cloned() else { return };
        let objects = pointer.places().iter().filter_map(|place| Some((place.object?, place.condition))).collect();
        self.end_objects(objects);
    }

    /// What a return ends, in one step.
    pub fn end_frame(&mut self, code: &[Instr]) {
        let mut objects: Vec<(ObjectId, Term)> = Vec::new();
        for instr in code {
            let pointer = match instr.kind {
                InstrKind::LocalExit(local) => self.state.locals.get(local.0).cloned(),
                InstrKind::Free { addr, .. } => Some(self.pointer(addr)),
                _ => None,
            };
            let Some(pointer) = pointer else { continue };
            objects.extend(pointer.places().iter().filter_map(|place| Some((place.object?, place.condition))));
        }
        self.end_objects(objects);
    }

    /// The thread ends: so do its frames, but for the outermost one of the entry thread, and its thread-local objects.
    pub fn end_thread(&mut self, result: Option<Value>) {
        if self.state.section.is_some() {
            self.undefined("a section in which the thread ends", Term::TRUE);
            return;
        }
        let kept = |object: &Object| {
            self.thread.0 == 0 && matches!(object.kind, ObjectKind::Local { outermost: true } | ObjectKind::Stack)
        };
        let mut objects = Vec::new();
        for (i, object) in self.exec.facts.objects.iter().enumerate() {
            let own = matches!(object.origin, Origin::Made(maker, _) if maker == self.thread);
            let scoped = matches!(object.kind, ObjectKind::Local { .. } | ObjectKind::Stack);
            if own && scoped && object.is_shared() && !kept(object) {
                objects.push((ObjectId::new(i), Term::TRUE));
            }
        }
        // Its thread-local objects end too, unless it is the entry thread.
        let globals = if self.thread.0 == 0 { &[][..] } else { &self.exec.bounded.program.globals[..] };
        for (i, global) in globals.iter().enumerate() {
            if global.storage == Storage::Thread && !global.private {
                objects.push((self.exec.global(GlobalId::new(i), self.thread), Term::TRUE));
            }
        }
        self.end_objects(objects);
        let Some(guard) = self.guard else { return };
        let result = result.unwrap_or_else(|| self.exec.zero(norn_ir::types::Ty::Ptr));
        self.ends.push((guard, result));
    }

    /// Ends the lives of those that are alive: a step if one of them is shared.
    fn end_objects(&mut self, objects: Vec<(ObjectId, Term)>) {
        if objects.iter().any(|(object, _)| self.exec.facts.get(*object).is_shared()) {
            self.may_stop();
        }
        let ended: Vec<ObjectId> = objects.iter().map(|object| object.0).collect();
        self.may_stop_for(ended);
        let mut shared = Vec::new();
        let mut any = Term::FALSE;
        for (object, condition) in objects {
            let ended = self.ended(object);
            let ends = self.exec.terms.and(condition, !ended);
            if ends == Term::FALSE {
                continue;
            }
            let now = self.exec.terms.or(ended, condition);
            self.state.ended.set(object.0, now);
            if self.exec.facts.get(object).is_shared() {
                any = self.exec.terms.or(any, ends);
                shared.push((object, ends));
            }
        }
        if shared.is_empty() {
            return;
        }
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, any);
        if let [(_, condition)] = &mut shared[..] {
            *condition = Term::TRUE;
        }
        self.event(EventKind::EndLife(shared), guard, true);
    }

    pub fn allocate(
        &mut self,
        dst: Reg,
        (size, align): (Operand, Operand),
        zeroed: bool,
        kind: AllocKind,
        ty: Option<TypeId>,
        private: bool,
    ) {
        let term = self.bits(size);
        let constant = self.exec.terms.as_bits(term);
        let size = match constant {
            Some(size) => size,
            None => {
                let most = self.exec.terms.known(term).greatest(self.exec.pointer_bits).min(LARGEST_UNKNOWN);
                let limit = self.exec.terms.bits(self.exec.pointer_bits, most);
                let larger = self.exec.terms.ult(limit, term);
                self.limit_size(larger, narrow(most));
                most
            }
        };
        if size > LARGEST_OBJECT {
            self.undefined("an allocation that is too large", Term::TRUE);
        }
        if self.guard.is_none() {
            return;
        }
        // What may be anything gets what is right for all.
        let align = self.bits(align);
        let align = self.exec.terms.as_bits(align).map_or(LARGEST_ALIGN, alignment);
        let origin = Origin::Made(self.thread, self.site);
        let number = self.exec.facts.objects.len();
        let object = self.exec.facts.object(origin, size, || Object {
            origin,
            kind: if kind == AllocKind::Heap { ObjectKind::Heap } else { ObjectKind::Stack },
            size,
            private,
            zeroed,
            align,
            ty,
            name: format!("*{}#{number}", if kind == AllocKind::Heap { "malloc" } else { "alloca" }),
            sized_by_term: constant.is_none(),
            base: 0,
            place_of: None,
        });
        if constant.is_none() {
            self.exec.facts.size_by_term(object);
        }
        if let Some(size) = self.exec.size_term(object) {
            let here = self.guard_term();
            let same = self.exec.terms.eq(size, term);
            let constraint = self.exec.terms.implies(here, same);
            self.exec.constrain(constraint);
        }
        let pointer = Pointer::object(&mut self.exec.terms, self.exec.pointer_bits, object, 0);
        self.state.ended.set(object.0, Term::FALSE);
        self.set(dst, Value::Pointer(pointer));
    }

    pub fn free(&mut self, pointer: &Pointer, kind: AllocKind) {
        let mut wrong: Vec<(ViolationKind, String, Term, bool)> = Vec::new();
        let mut wrong_shared = Term::FALSE;
        let mut freed = Vec::new();
        for place in pointer.places() {
            let zero = self.exec.terms.bits(self.exec.pointer_bits, 0);
            let at_start = self.exec.terms.eq(place.offset, zero);
            let Some(object) = place.object else {
                let bad = self.exec.terms.and(place.condition, !at_start);
                let nowhere = self.is_nowhere(place);
                for (which, replays) in [(nowhere, true), (!nowhere, false)] {
                    let bad = self.exec.terms.and(bad, which);
                    wrong.push((ViolationKind::BadFree, "there is no object at the address".to_owned(), bad, replays));
                }
                continue;
            };
            let found = self.exec.facts.get(object);
            let (name, shared) = (found.name.clone(), found.is_shared());
            let is_kind = match found.kind {
                ObjectKind::Heap => kind == AllocKind::Heap,
                ObjectKind::Stack => kind == AllocKind::Stack,
                _ => false,
            };
            let mut faulty = |run: &mut Run<'_, '_>, kind, message: String, condition: Term| {
                wrong.push((kind, message, condition, true));
                if shared {
                    wrong_shared = run.exec.terms.or(wrong_shared, condition);
                }
            };
            if !is_kind {
                faulty(self, ViolationKind::BadFree, format!("'{name}' was not allocated"), place.condition);
                continue;
            }
            let inside = self.exec.terms.and(place.condition, !at_start);
            faulty(self, ViolationKind::BadFree, format!("the pointer is not the beginning of '{name}'"), inside);
            let here = self.exec.terms.and(place.condition, at_start);
            let ended = self.ended(object);
            let again = self.exec.terms.and(here, ended);
            faulty(self, ViolationKind::DoubleFree, format!("'{name}' was freed before"), again);
            freed.push((object, here));
        }
        wrong.retain(|fault| fault.2 != Term::FALSE);
        if !wrong.is_empty() {
            self.wrong_access(wrong, wrong_shared);
        }
        if self.guard.is_some() {
            let event = self.exec.next_event();
            self.end_objects(freed);
            if kind == AllocKind::Heap {
                self.note_free(event);
            }
        }
    }

    pub fn object_size(&mut self, dst: Reg, pointer: &Pointer) {
        let mut size: Option<Term> = None;
        let mut wrong = Term::FALSE;
        for place in pointer.places() {
            let found = place.object.map(|object| self.exec.facts.get(object)).filter(|o| o.kind == ObjectKind::Heap);
            let (Some(bytes), Some(object)) = (found.map(|object| object.size), place.object) else {
                wrong = self.exec.terms.or(wrong, place.condition);
                continue;
            };
            let bytes = match self.exec.size_term(object) {
                Some(size) => size,
                None => self.exec.terms.bits(self.exec.pointer_bits, bytes),
            };
            size = Some(size.map_or(bytes, |rest| self.exec.terms.ite(place.condition, bytes, rest)));
        }
        self.memory_check(ViolationKind::InvalidPointer, "the pointer is not to allocated memory", wrong, true);
        let size = size.unwrap_or_else(|| self.exec.terms.bits(self.exec.pointer_bits, 0));
        self.set(dst, Value::Bits(size));
    }
}

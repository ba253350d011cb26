//! Loads, stores and read-modify-writes.
//!
//! An access through a pointer splits over the places that the pointer may be. The invalid places become a check, and
//! the execution goes on with the others. Private memory is part of the state; an access to shared memory is an event.

use norn_ir::address::NULL_PAGE;
use norn_ir::ids::Reg;
use norn_ir::instr::{Access, Order, RmwOp};
use norn_ir::number::narrow;
use norn_ir::types::Ty;
use norn_logic::terms::{Sort, Term};
use norn_verdict::outcome::ViolationKind;

use crate::arith;
use crate::event::{CellId, EventKind, ObjectId, SectionId, SectionKind};
use crate::facts::{ObjectKind, Origin, Slot, Slots};
use crate::range::Range;
use crate::run::{Held, Run, merge_values};
use crate::value::{Place, Pointer, Value};

/// Some bytes of an object that an access touches under a condition.
struct Part {
    condition: Term,
    object: ObjectId,
    offset: u64,
}

/// Where an access may go.
struct Targets {
    size: u64,
    /// Private memory, with the slots.
    private: Vec<(Term, Slots)>,
    /// Shared memory: the cells of the whole value, or of each byte.
    shared: Vec<SharedPart>,
    /// It goes to shared memory.
    is_shared: Term,
}

/// What was read.
#[derive(Clone)]
struct Found {
    value: Value,
    /// Whether it is determined: all of it, or each of its bytes, the lowest first.
    initialised: Vec<Term>,
}

/// One value of a shared access: all of it, or one of its bytes.
struct SharedPart {
    /// A slot, for the class of all.
    slot: Slot,
    cells: Vec<(CellId, Term)>,
}

impl Run<'_, '_> {
    pub fn load(&mut self, dst: Reg, addr: &Pointer, access: Access) {
        let ty = self.function.ty(dst);
        let Some(targets) = self.targets(addr, ty, false) else { return };
        let section =
            (targets.shared.len() > 1).then(|| self.begin_group(SectionKind::Group, targets.is_shared)).flatten();
        let first = self.exec.next_event();
        let held = self.read(&targets, ty, access);
        self.note_access((first, self.exec.next_event()), access.order, None);
        self.end_group(section);
        let value = self.determined(held, ty);
        self.set(dst, value);
    }

    pub fn store(&mut self, ty: Ty, addr: &Pointer, value: &Value, access: Access) {
        let Some(targets) = self.targets(addr, ty, true) else { return };
        let kind = if access.order == Order::SeqCst { SectionKind::Rmw } else { SectionKind::Group };
        let one_step = kind == SectionKind::Rmw || targets.shared.len() > 1;
        let section = one_step.then(|| self.begin_group(kind, targets.is_shared)).flatten();
        let first = self.exec.next_event();
        self.write(&targets, ty, value, Term::TRUE, access);
        self.note_access((first, first), access.order, None);
        self.end_group(section);
    }

    pub fn rmw(&mut self, dst: Reg, op: RmwOp, addr: &Pointer, operand: &Value, order: Order) {
        let ty = self.function.ty(dst);
        let Some(targets) = self.targets(addr, ty, true) else { return };
        let access = Access { order, volatile: false };
        let section = self.begin_group(SectionKind::Rmw, targets.is_shared);
        let first = self.exec.next_event();
        let held = self.read(&targets, ty, access);
        let middle = self.exec.next_event();
        let old = self.determined(held, ty);
        let new = self.updated(op, &old, operand);
        self.write(&targets, ty, &new, Term::TRUE, access);
        self.note_access((first, middle), order.join(Order::Relaxed), None);
        self.end_group(section);
        self.set(dst, old);
    }

    fn updated(&mut self, op: RmwOp, old: &Value, operand: &Value) -> Value {
        match (old, operand) {
            (Value::Bits(old), Value::Bits(operand)) => {
                Value::Bits(arith::rmw(&mut self.exec.terms, op, *old, *operand))
            }
            _ if op == RmwOp::Exchange => operand.clone(),
            (Value::Pointer(pointer), _) if matches!(op, RmwOp::Add | RmwOp::Sub) => {
                // Arithmetic on a pointer keeps the object that it points into.
                let bytes = match operand {
                    Value::Bits(bits) => *bits,
                    Value::Pointer(operand) => self.exec.address(operand),
                };
                let bytes = if op == RmwOp::Sub { self.exec.terms.neg(bytes) } else { bytes };
                let grid = crate::value::Grid::ANY;
                Value::Pointer(pointer.plus(&mut self.exec.terms, bytes, grid))
            }
            _ => {
                let width = self.exec.pointer_bits;
                let (old, operand) = (self.exec.bits_of(old, width), self.exec.bits_of(operand, width));
                let bits = arith::rmw(&mut self.exec.terms, op, old, operand);
                Value::Pointer(self.exec.pointer_from(bits))
            }
        }
    }

    pub fn compare_exchange(
        &mut self,
        (dst, success): (Reg, Reg),
        addr: &Pointer,
        expected: &Value,
        desired: &Value,
        (order, failure): (Order, Order),
    ) {
        let ty = self.function.ty(dst);
        let Some(targets) = self.targets(addr, ty, true) else { return };
        let access = Access { order, volatile: false };
        let section = self.begin_group(SectionKind::Rmw, targets.is_shared);
        let first = self.exec.next_event();
        let held = self.read(&targets, ty, access);
        let middle = self.exec.next_event();
        let old = self.determined(held, ty);
        let equal = match (&old, expected) {
            (Value::Bits(old), Value::Bits(expected)) => self.exec.terms.eq(*old, *expected),
            _ => {
                let (old, expected) = (self.exec.pointer_of(&old), self.exec.pointer_of(expected));
                self.exec.same_address(&old, &expected)
            }
        };
        self.write(&targets, ty, desired, equal, access);
        let unless = (equal != Term::TRUE).then(|| (equal, failure.join(Order::Relaxed)));
        self.note_access((first, middle), order.join(Order::Relaxed), unless);
        self.end_group(section);
        self.set(dst, old);
        self.set(success, Value::Bits(equal));
    }

    /// Begins a step of several events where an access goes to shared memory, unless it is part of a section anyway.
    fn begin_group(&mut self, kind: SectionKind, is_shared: Term) -> Option<SectionId> {
        if self.state.section.is_some() || is_shared == Term::FALSE {
            return None;
        }
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, is_shared);
        let span = self.user_place().span;
        let section = self.exec.add_section(self.thread, kind, guard, span);
        self.state.section = Some(section);
        Some(section)
    }

    fn end_group(&mut self, section: Option<SectionId>) {
        if let Some(section) = section {
            self.exec.end_section(section);
            self.state.section = None;
        }
    }

    /// Where an access of this type goes, once what is invalid has been excluded.
    fn targets(&mut self, pointer: &Pointer, ty: Ty, is_write: bool) -> Option<Targets> {
        let size = ty.size(self.exec.original.target);
        let is_shared = |object: ObjectId| self.exec.facts.get(object).is_shared();
        if pointer.places().iter().any(|place| place.object.is_none_or(is_shared)) {
            self.may_stop();
        }
        let objects: Vec<ObjectId> = pointer.places().iter().filter_map(|place| place.object).collect();
        self.may_stop_for(objects);
        let parts = self.parts(pointer, size, is_write)?;
        let mut private = Vec::new();
        let mut shared = Vec::new();
        for part in parts {
            let slots = self.exec.slots_of(part.object, part.offset, size);
            if self.exec.facts.get(part.object).is_shared() {
                shared.push((part, slots));
            } else {
                private.push((part.condition, slots));
            }
        }
        let is_shared = if private.is_empty() && !shared.is_empty() {
            Term::TRUE
        } else {
            self.exec.terms.any(shared.iter().map(|(part, _)| part.condition))
        };
        if let [(part, _)] = &mut shared[..] {
            part.condition = Term::TRUE;
        }
        let shared = self.shared_parts(shared, size, ty);
        Some(Targets { size, private, shared, is_shared })
    }

    fn shared_parts(&mut self, parts: Vec<(Part, Slots)>, size: u64, ty: Ty) -> Vec<SharedPart> {
        let mut parts = parts;
        if parts.is_empty() {
            return Vec::new();
        }
        if parts.iter().any(|(_, slots)| matches!(slots, Slots::Bytes(_))) {
            for (part, slots) in &mut parts {
                self.exec.facts.split(part.object, part.offset, size);
                *slots = self.exec.facts.slots(part.object, part.offset, size);
            }
        }
        let count = parts.iter().map(|(_, slots)| slots.len()).min().unwrap_or(0);
        let mut shared = Vec::new();
        for i in 0..count {
            let slot = parts[0].1.get(i);
            for (_, slots) in &parts {
                self.exec.facts.unite(slot, slots.get(i));
            }
            let as_pointer = ty == Ty::Ptr && count == 1;
            let is_new = self.exec.facts.class_mut(slot).accessed(as_pointer);
            self.exec.facts.changed |= is_new;
            let cells = parts.iter().map(|(part, slots)| (self.exec.cell(slots.get(i)), part.condition)).collect();
            shared.push(SharedPart { slot, cells });
        }
        shared
    }

    /// The places that an access may touch, after checks for all that is invalid.
    fn parts(&mut self, pointer: &Pointer, size: u64, is_write: bool) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        // What is wrong and when; found out in a step of its own if the object is shared.
        let mut wrong: Vec<(ViolationKind, String, Term, bool)> = Vec::new();
        let mut wrong_shared = Term::FALSE;
        let mut far_away = Vec::new();
        for place in pointer.places() {
            let Some(object) = place.object else {
                self.wrong_number(place, &mut wrong);
                continue;
            };
            let ended = self.ended(object);
            let found = self.exec.facts.get(object);
            let (name, shared, object_size) = (found.name.clone(), found.is_shared(), found.size);
            let mut faulty =
                |run: &mut Run<'_, '_>, kind: ViolationKind, message: String, condition: Term, replays: bool| {
                    if condition != Term::FALSE {
                        wrong.push((kind, message, condition, replays));
                        if shared {
                            wrong_shared = run.exec.terms.or(wrong_shared, condition);
                        }
                    }
                };
            let over = self.exec.terms.and(place.condition, ended);
            faulty(self, ViolationKind::UseAfterFree, format!("the life of '{name}' has ended"), over, true);
            if ended == Term::TRUE {
                continue;
            }
            let alive = self.exec.terms.and(place.condition, !ended);
            let Some(offsets) = self.exec.offsets(place, size) else {
                self.undefined("an access with more than 4096 possible places in one object", place.condition);
                continue;
            };
            let outside = self.outside(place, object, size, &offsets);
            let outside = self.exec.terms.and(alive, outside);
            let message = match self.exec.size_term(object) {
                None => format!("outside of '{name}', which has {object_size} bytes"),
                Some(_) => format!("outside of '{name}'"),
            };
            faulty(self, ViolationKind::OutOfBounds, message, outside, true);
            let far = self.beyond_model(place, object, &offsets);
            let far = self.exec.terms.all([alive, !outside, far]);
            if far != Term::FALSE {
                far_away.push((format!("an access far inside of '{name}', whose size is not known"), far));
            }
            if is_write && self.exec.facts.get(object).kind == ObjectKind::Constant {
                let inside = self.exec.terms.and(alive, !outside);
                faulty(self, ViolationKind::WriteToConstant, format!("'{name}' is constant"), inside, true);
                continue;
            }
            let single = offsets.len() == 1;
            for offset in offsets {
                let number = self.exec.terms.bits(self.exec.pointer_bits, offset);
                let is_inside = outside == Term::FALSE && far == Term::FALSE;
                let is_sure = single && (is_inside || self.exec.terms.as_bits(place.offset).is_some());
                let here = if is_sure { Term::TRUE } else { self.exec.terms.eq(place.offset, number) };
                let condition = self.exec.terms.and(alive, here);
                if condition != Term::FALSE {
                    parts.push(Part { condition, object, offset });
                }
            }
        }
        if !wrong.is_empty() {
            self.wrong_access(wrong, wrong_shared);
        }
        for (words, condition) in far_away {
            self.undefined(words, condition);
        }
        self.guard.is_some().then_some(parts)
    }

    pub fn wrong_access(&mut self, wrong: Vec<(ViolationKind, String, Term, bool)>, wrong_shared: Term) {
        let here = self.guard_term();
        let stepping = self.exec.terms.and(here, wrong_shared);
        if stepping != Term::FALSE && self.state.section.is_none() {
            self.event(EventKind::Step, stepping, true);
        }
        for (kind, message, condition, replays) in wrong {
            self.memory_check(kind, &message, condition, replays);
        }
    }

    pub fn memory_check(&mut self, kind: ViolationKind, message: &str, condition: Term, replays: bool) {
        if replays {
            self.violation(kind, message, condition);
        } else if condition != Term::FALSE {
            let span = self.user_place().span;
            let finding = self.exec.memory_finding(kind, message, span, replays);
            self.check(finding, condition);
        }
    }

    /// An access through a number. Which number belongs to which object is not always known here, so a number among those
    /// of objects has no meaning; all others are wrong for sure.
    fn wrong_number(&mut self, place: &Place, wrong: &mut Vec<(ViolationKind, String, Term, bool)>) {
        let nowhere = self.is_nowhere(place);
        let terms = &mut self.exec.terms;
        let page = terms.bits(terms.width(place.offset), NULL_PAGE);
        let null = terms.ult(place.offset, page);
        let low = terms.and(place.condition, null);
        let high = terms.all([place.condition, !null, nowhere]);
        let somewhere = terms.and(place.condition, !nowhere);
        if low != Term::FALSE {
            wrong.push((ViolationKind::NullPointer, "the pointer is null".to_owned(), low, true));
        }
        for (condition, replays) in [(high, true), (somewhere, false)] {
            if condition != Term::FALSE {
                let message = "there is no object at the address".to_owned();
                wrong.push((ViolationKind::InvalidPointer, message, condition, replays));
            }
        }
    }

    /// Whether a number is for sure not among the addresses of objects.
    pub fn is_nowhere(&mut self, place: &Place) -> Term {
        let (first, end) = self.exec.facts.addresses();
        let terms = &mut self.exec.terms;
        let width = terms.width(place.offset);
        let (first, end) = (terms.bits(width, first), terms.bits(width, end));
        let (before, behind) = (terms.ult(place.offset, first), terms.ule(end, place.offset));
        terms.or(before, behind)
    }

    /// Whether a place leaves no room for an access.
    fn outside(&mut self, place: &Place, object: ObjectId, size: u64, offsets: &[u64]) -> Term {
        let width = self.exec.pointer_bits;
        if let Some(whole) = self.exec.size_term(object) {
            let size = self.exec.terms.bits(width, size);
            let too_small = self.exec.terms.ult(whole, size);
            let room = self.exec.terms.sub(whole, size);
            let behind = self.exec.terms.ult(room, place.offset);
            return self.exec.terms.or(too_small, behind);
        }
        let Some(&last) = offsets.last() else { return Term::TRUE };
        if self.exec.terms.as_bits(place.offset).is_some() || self.exec.is_within(place, size) {
            return Term::FALSE;
        }
        let last = self.exec.terms.bits(width, last);
        self.exec.terms.ult(last, place.offset)
    }

    /// Whether a place is behind the last one that is looked at. That is not all of an object whose size is not known.
    fn beyond_model(&mut self, place: &Place, object: ObjectId, offsets: &[u64]) -> Term {
        if self.exec.size_term(object).is_none() {
            return Term::FALSE;
        }
        let Some(&last) = offsets.last() else { return Term::TRUE };
        if self.exec.terms.as_bits(place.offset).is_some() {
            return Term::FALSE;
        }
        let last = self.exec.terms.bits(self.exec.pointer_bits, last);
        self.exec.terms.ult(last, place.offset)
    }

    /// Whether this thread has ended an object's life.
    pub fn ended(&self, object: ObjectId) -> Term {
        match self.state.ended.get(object.0) {
            Some(&ended) => ended,
            None => self.exec.ended_by_default(object, self.thread),
        }
    }

    // Reading and writing.

    fn read(&mut self, targets: &Targets, ty: Ty, access: Access) -> Found {
        let mut all: Option<Found> = None;
        for (condition, slots) in targets.private.iter().rev() {
            let held = self.read_private(slots, ty);
            all = Some(match all {
                None => held,
                Some(rest) => self.choose_found(*condition, &held, &rest),
            });
        }
        if !targets.shared.is_empty() {
            let held = self.read_shared(targets, ty, access);
            all = Some(match all {
                None => held,
                Some(rest) => self.choose_found(targets.is_shared, &held, &rest),
            });
        }
        all.unwrap_or_else(|| Found { value: self.exec.zero(ty), initialised: vec![Term::TRUE] })
    }

    fn choose_found(&mut self, condition: Term, a: &Found, b: &Found) -> Found {
        let count = a.initialised.len().max(b.initialised.len());
        let of = |found: &Found, i: usize| *found.initialised.get(i).unwrap_or(&found.initialised[0]);
        let initialised = (0..count).map(|i| self.exec.terms.ite(condition, of(a, i), of(b, i))).collect();
        let value = merge_values(self.exec, condition, Some(&a.value), Some(&b.value));
        Found { value: value.unwrap_or_else(|| a.value.clone()), initialised }
    }

    fn held(&mut self, slot: Slot) -> Held {
        match self.state.memory.get(slot.0) {
            Some(held) => held.clone(),
            None => self.exec.held_initially(slot),
        }
    }

    fn read_private(&mut self, slots: &Slots, ty: Ty) -> Found {
        match slots {
            Slots::One(slot) => {
                let held = self.held(*slot);
                let initialised = vec![held.initialised];
                if held.initialised == Term::FALSE {
                    return Found { value: self.exec.zero(ty), initialised };
                }
                Found { value: self.exec.of_type(&held.value, ty), initialised }
            }
            Slots::Bytes(slots) => {
                let bytes: Vec<Held> = slots.iter().map(|&slot| self.held(slot)).collect();
                self.whole_of_bytes(&bytes, ty)
            }
        }
    }

    /// A value from its bytes, the lowest first.
    fn whole_of_bytes(&mut self, bytes: &[Held], ty: Ty) -> Found {
        let mut whole = None;
        for byte in bytes {
            let bits = self.exec.bits_of(&byte.value, 8);
            whole = Some(match whole {
                None => bits,
                Some(low) => self.exec.terms.concat(bits, low),
            });
        }
        let whole = whole.map_or_else(|| self.exec.zero(ty), Value::Bits);
        let initialised = bytes.iter().map(|byte| byte.initialised).collect();
        Found { value: self.exec.of_type(&whole, ty), initialised }
    }

    fn read_shared(&mut self, targets: &Targets, ty: Ty, access: Access) -> Found {
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, targets.is_shared);
        let mut held = Vec::new();
        let part_ty = if targets.shared.len() == 1 { ty } else { Ty::I8 };
        for part in &targets.shared {
            let class = self.exec.facts.class(part.slot).clone();
            let value = if class.is_constant() {
                self.exec.terms.bits(class.width(), 0)
            } else {
                self.exec.terms.fresh(Sort::Bits(class.width()))
            };
            self.event(EventKind::Read { targets: part.cells.clone(), value, access }, guard, true);
            let (value, indeterminate) = self.exec.decode(part.slot, value, part_ty);
            let value = match value {
                Value::Pointer(pointer) => Value::Pointer(self.possible(&pointer)),
                bits => bits,
            };
            held.push(Held { value, initialised: !indeterminate });
        }
        match &held[..] {
            [one] => Found { value: one.value.clone(), initialised: vec![one.initialised] },
            bytes => self.whole_of_bytes(bytes, ty),
        }
    }

    /// A pointer that was read, without objects that this thread has not made yet: their addresses cannot be known.
    fn possible(&mut self, pointer: &Pointer) -> Pointer {
        let (facts, thread, made) = (&*self.exec.facts, self.thread, &self.state.ended);
        let possible = |object: ObjectId| match facts.get(object).origin {
            Origin::Made(maker, _) => maker != thread || made.get(object.0).is_some(),
            Origin::Global(_) | Origin::ThreadLocal(..) => true,
        };
        pointer.only(&mut self.exec.terms, possible)
    }

    /// What was read, with an input in place of what is indeterminate; the bytes that are known stay.
    fn determined(&mut self, found: Found, ty: Ty) -> Value {
        let all = self.exec.terms.all(found.initialised.iter().copied());
        if all == Term::TRUE {
            return found.value;
        }
        let input = self.input(ty, !all);
        let none = self.exec.terms.any(found.initialised.iter().copied());
        if found.initialised.iter().any(|&byte| byte != all) && none != Term::FALSE {
            return self.determined_bytes(&found, input, ty);
        }
        let input = match ty {
            Ty::Ptr => {
                self.exec.indeterminate.insert(input);
                Value::Pointer(Pointer::number(input))
            }
            _ => Value::Bits(input),
        };
        if all == Term::FALSE {
            return input;
        }
        merge_values(self.exec, all, Some(&found.value), Some(&input)).unwrap_or(input)
    }

    fn determined_bytes(&mut self, found: &Found, input: Term, ty: Ty) -> Value {
        let bits = self.exec.bits_of(&found.value, narrow(found.initialised.len()) * 8);
        let mut whole = None;
        for (i, &initialised) in found.initialised.iter().enumerate() {
            let known = self.exec.terms.extract(bits, narrow(i) * 8, 8);
            let open = self.exec.terms.extract(input, narrow(i) * 8, 8);
            let byte = self.exec.terms.ite(initialised, known, open);
            whole = Some(match whole {
                None => byte,
                Some(low) => self.exec.terms.concat(byte, low),
            });
        }
        let whole = Value::Bits(whole.unwrap_or(input));
        self.exec.of_type(&whole, ty)
    }

    /// Writes where the condition holds.
    fn write(&mut self, targets: &Targets, ty: Ty, value: &Value, condition: Term, access: Access) {
        let target = self.exec.original.target;
        for (here, slots) in &targets.private {
            let here = if targets.private.len() == 1 && targets.shared.is_empty() { Term::TRUE } else { *here };
            let here = self.exec.terms.and(here, condition);
            match slots {
                Slots::One(slot) => self.write_private(*slot, value, here),
                Slots::Bytes(slots) => {
                    let bits = self.exec.bits_of(value, narrow(targets.size) * 8);
                    for (i, &slot) in slots.iter().enumerate() {
                        let byte = self.exec.terms.extract(bits, narrow(i) * 8, 8);
                        self.write_private(slot, &Value::Bits(byte), here);
                    }
                }
            }
        }
        if targets.shared.is_empty() {
            return;
        }
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, targets.is_shared);
        let guard = self.exec.terms.and(guard, condition);
        if guard == Term::FALSE {
            return;
        }
        if let [part] = &targets.shared[..] {
            let value = self.encode(part.slot, value, targets.is_shared);
            self.exec.note_write(part.slot, value, guard);
            self.event(EventKind::Write { targets: part.cells.clone(), value, access }, guard, true);
            return;
        }
        let bits = self.exec.bits_of(value, ty.bits(target));
        for (i, part) in targets.shared.iter().enumerate() {
            let byte = self.exec.terms.extract(bits, narrow(i) * 8, 8);
            let value = self.encode(part.slot, &Value::Bits(byte), targets.is_shared);
            self.exec.note_write(part.slot, value, guard);
            self.event(EventKind::Write { targets: part.cells.clone(), value, access }, guard, true);
        }
    }

    /// A value of a cell, which should not be the one that stands for indeterminate content.
    fn encode(&mut self, slot: Slot, value: &Value, written: Term) -> Term {
        let (value, steps) = self.exec.encode(slot, value);
        if steps != [None; 2] {
            self.count_steps(slot, steps);
        }
        let class = self.exec.facts.class(slot).clone();
        if class.is_too_wide() {
            let marked = class.is_indeterminate_value(&mut self.exec.terms, value);
            let marked = self.exec.terms.and(written, marked);
            self.undefined("a value that stands for indeterminate content is written", marked);
        }
        value
    }

    /// Adds up what is added to numbers in cells, on the path with the most of it.
    fn count_steps(&mut self, slot: Slot, steps: [Option<Range>; 2]) {
        let mut sums = self.state.steps.get(slot.0).copied().unwrap_or([Range::ZERO; 2]);
        for (sum, step) in sums.iter_mut().zip(steps) {
            let step = step.unwrap_or(Range::ZERO).join(Range::ZERO);
            *sum = sum.plus(step).unwrap_or(Range::ALL);
        }
        self.state.steps.set(slot.0, sums);
        let most = self.steps.entry(slot).or_insert(sums);
        *most = [most[0].join(sums[0]), most[1].join(sums[1])];
    }

    fn write_private(&mut self, slot: Slot, value: &Value, condition: Term) {
        let new = Held { value: value.clone(), initialised: Term::TRUE };
        let held = if condition == Term::TRUE {
            Some(new)
        } else {
            let old = self.held(slot);
            self.exec.merge_held(condition, slot.0, Some(&new), Some(&old))
        };
        if let Some(held) = held {
            self.state.memory.set(slot.0, held);
        }
    }
}

impl Slots {
    fn len(&self) -> usize {
        match self {
            Slots::One(_) => 1,
            Slots::Bytes(slots) => slots.len(),
        }
    }

    fn get(&self, index: usize) -> Slot {
        match self {
            Slots::One(slot) => *slot,
            Slots::Bytes(slots) => slots[index],
        }
    }
}

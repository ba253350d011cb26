//! Creating threads and waiting for them.

use norn_ir::address::{function_addresses, function_at};
use norn_ir::ids::{FuncId, Reg};
use norn_ir::instr::Operand;
use norn_ir::types::Ty;
use norn_logic::terms::{Sort, Term};
use norn_verdict::outcome::ViolationKind;

use crate::event::{EventKind, EventRange, ThreadId};
use crate::execution::{PendingJoin, ThreadRun};
use crate::facts::ThreadKey;
use crate::run::Run;
use crate::value::{Place, Value};

impl Run<'_, '_> {
    pub fn spawn(&mut self, dst: Reg, start: Operand, args: &[Operand]) {
        self.may_stop();
        let pointer = self.pointer(start);
        let mut starts: Vec<(FuncId, Term)> = Vec::new();
        let mut wrong = Vec::new();
        for place in pointer.places() {
            let address = self.exec.terms.as_bits(place.offset).filter(|_| place.object.is_none());
            let count = self.exec.bounded.program.functions.len();
            match address.and_then(|address| function_at(address, count)) {
                Some(function) => starts.push((function, place.condition)),
                None => wrong.push(*place),
            }
        }
        self.no_function(&wrong);
        let mut created = Vec::new();
        for (function, condition) in starts {
            if !self.exec.code.contains_key(&function) {
                self.undefined("a thread starts with a function that was not foreseen", condition);
                continue;
            }
            let code = self.exec.bounded.program.function(function);
            if args.len() < code.params.len() {
                self.undefined("a thread's function is called with too few arguments", condition);
                continue;
            }
            created.push((function, condition));
        }
        let Some(guard) = self.guard else { return };
        let here = self.guards.term(guard);
        let event = self.exec.next_event();
        let mut children = Vec::new();
        for (start, condition) in created {
            let key = ThreadKey { creator: self.thread, site: self.site, start };
            let child = self.exec.facts.thread(key);
            let code = self.exec.bounded.program.function(start);
            let mut values = Vec::new();
            for (&param, &arg) in code.params.iter().zip(args) {
                let value = self.value(arg);
                let ty = code.ty(param);
                values.push(match (&value, ty) {
                    (Value::Pointer(_), Ty::Ptr) => value,
                    (Value::Bits(bits), Ty::Bool) if self.exec.terms.is_bool(*bits) => value,
                    _ => self.exec.of_type(&value, ty),
                });
            }
            let start_term = self.exec.terms.and(here, condition);
            let known = self.exec.threads.get(child.0 as usize).and_then(|thread| thread.number);
            let number = match known {
                Some(number) => number,
                None => self.number(),
            };
            if self.thread.0 != 0 || self.others_create() {
                self.exec.guesses_number.get_or_insert(self.span);
            }
            let run = ThreadRun {
                function: Some(start),
                creator: Some((self.thread, event)),
                start: start_term,
                ended: Term::FALSE,
                events: EventRange::EMPTY,
                inputs: Vec::new(),
                number: Some(number),
                args: values,
                result: None,
            };
            if child.0 as usize == self.exec.threads.len() {
                self.exec.threads.push(run);
            } else {
                self.exec.threads[child.0 as usize] = run;
            }
            children.push((child, condition, number));
        }
        let mut number = self.exec.terms.bits(self.exec.pointer_bits, 0);
        for &(_, condition, own) in children.iter().rev() {
            number = self.exec.terms.ite(condition, own, number);
        }
        for &(child, condition, _) in &children {
            if let Some(guard) = self.guards.and(&mut self.exec.terms, guard, condition) {
                self.creations.push((guard, child));
            }
        }
        let targets = children.iter().map(|&(child, condition, _)| (child, condition)).collect();
        self.event(EventKind::Create(targets), here, true);
        self.set(dst, Value::Bits(number));
    }

    /// These places are no function that could be called. Nobody else has a say in that, so it takes no step.
    pub fn no_function(&mut self, places: &[Place]) {
        for place in places {
            let functions = function_addresses(self.exec.bounded.program.functions.len());
            let terms = &mut self.exec.terms;
            let width = terms.width(place.offset);
            let [zero, first, end] = [0, functions.start, functions.end].map(|number| terms.bits(width, number));
            let is_number = terms.bool(place.object.is_none());
            let is_zero = terms.eq(place.offset, zero);
            let null = terms.all([place.condition, is_number, is_zero]);
            let (before, behind) = (terms.ult(place.offset, first), terms.ule(end, place.offset));
            let elsewhere = terms.any([!is_number, before, behind]);
            let nowhere = terms.all([place.condition, !null, elsewhere]);
            let open = terms.all([place.condition, !null, !elsewhere]);
            self.memory_check(ViolationKind::NullPointer, "the function pointer is null", null, true);
            self.memory_check(ViolationKind::InvalidPointer, "there is no function at the address", nowhere, true);
            self.undefined("a call through a pointer to no function that could be called so", open);
        }
    }

    /// Whether a thread that was created before may create threads itself.
    fn others_create(&self) -> bool {
        self.creations.iter().any(|(_, child)| self.exec.facts.creates[child.0 as usize])
    }

    /// The number of the next thread: one more than there are, which is known as long as only the entry thread creates.
    fn number(&mut self) -> Term {
        let width = self.exec.pointer_bits;
        if self.thread.0 != 0 || self.others_create() {
            let bits = 64 - (self.exec.facts.threads.len() as u64).leading_zeros();
            let number = self.exec.terms.fresh(Sort::Bits(bits));
            return self.exec.terms.zext(number, width);
        }
        let Some(here) = self.guard else { return self.exec.terms.bits(width, 0) };
        let mut number = self.exec.terms.bits(width, 1);
        for &(guard, _) in &self.creations {
            let one = self.exec.terms.bits(width, 1);
            let more = if self.guards.implies(here, guard) {
                one
            } else {
                let (own, other) = (self.guards.term(here), self.guards.term(guard));
                if self.exec.terms.and(own, other) == Term::FALSE {
                    continue;
                }
                self.exec.terms.from_bool(other, width)
            };
            number = self.exec.terms.add(number, more);
        }
        number
    }

    pub fn join(&mut self, dst: Option<Reg>, thread: Operand) {
        let number = self.bits(thread);
        let mut targets: Vec<(ThreadId, Term)> = Vec::new();
        let mut any = Term::FALSE;
        for index in 0..self.exec.threads.len() {
            let Some(other) = self.exec.threads[index].number else { continue };
            let start = self.exec.threads[index].start;
            let same = self.exec.terms.eq(number, other);
            // A thread that is created later in this execution has no start condition yet.
            let is_known = self.exec.threads[index].function.is_some();
            let condition = if is_known { self.exec.terms.and(same, start) } else { same };
            if condition != Term::FALSE {
                any = self.exec.terms.or(any, condition);
                targets.push((ThreadId::new(index), condition));
            }
        }
        // What this path created is there.
        let exists = self.implied(any, &targets, number);
        self.violation(ViolationKind::Misuse, "there is no such thread to join", !exists);
        if self.guard.is_none() || targets.is_empty() {
            self.guard = None;
            return;
        }
        if let [(_, condition)] = &mut targets[..] {
            *condition = Term::TRUE;
        }
        let ran = self.exec.terms.fresh(Sort::Bool);
        self.may_wait_for_threads(ran, &targets);
        self.assume(ran);
        let guard = self.guard_term();
        let event = self.event(EventKind::Join(targets.clone()), guard, false);
        let result = dst.map(|_| {
            let class = self.exec.facts.results.clone();
            if class.is_constant() {
                self.exec.terms.bits(class.width(), 0)
            } else {
                self.exec.terms.fresh(Sort::Bits(class.width()))
            }
        });
        if let (Some(dst), Some(result)) = (dst, result) {
            let class = self.exec.facts.results.clone();
            let indeterminate = class.is_indeterminate_value(&mut self.exec.terms, result);
            self.undefined("an indeterminate pointer is the result of a thread", indeterminate);
            let value = self.exec.decode_in(&class, result, Ty::Ptr);
            self.set(dst, value);
        }
        self.exec.joins.push(PendingJoin { event, guard, targets, result });
    }

    /// `any`, or true where the thread was created on the way here.
    fn implied(&mut self, any: Term, targets: &[(ThreadId, Term)], number: Term) -> Term {
        let Some(here) = self.guard else { return any };
        let created: Vec<ThreadId> =
            self.creations.iter().filter(|(guard, _)| self.guards.implies(here, *guard)).map(|c| c.1).collect();
        let certain = targets.iter().any(|&(thread, _)| {
            let own = self.exec.threads[thread.0 as usize].number;
            own == Some(number) && (thread.0 == 0 || created.contains(&thread))
        });
        if certain { Term::TRUE } else { any }
    }
}

//! Between values, addresses and the contents of cells.

use norn_ir::number::narrow;
use norn_ir::types::Ty;
use norn_logic::terms::Term;

use crate::arith::resize;
use crate::class::Content;
use crate::event::{Member, ObjectId, ThreadId};
use crate::execution::Execution;
use crate::facts::{ObjectKind, Origin, Slot};
use crate::range::{Range, Ranges, Sources};
use crate::run::{Held, merge_values};
use crate::value::{Grid, Place, Pointer, Value, sign_extended};

/// The most possible places that an access may have in one object.
pub const MOST_PLACES: usize = 4096;
/// The number of places that are looked at in an object whose size is not known: later ones may well be behind its end.
const MOST_PLACES_OF_UNKNOWN: usize = 256;
/// The most places that a pointer which is written to memory is taken apart into.
const MOST_MEMBERS: usize = 64;

/// What a value can be as a pointer, with conditions; `None` is indeterminate.
type Parts = Vec<(Term, Option<Member>)>;

impl Execution<'_> {
    pub fn zero(&mut self, ty: Ty) -> Value {
        match ty {
            Ty::Bool => Value::Bits(Term::FALSE),
            Ty::Ptr => Value::Pointer(Pointer::number(self.terms.bits(self.pointer_bits, 0))),
            ty => Value::Bits(self.terms.bits(ty.bits(self.original.target), 0)),
        }
    }

    pub fn address(&mut self, pointer: &Pointer) -> Term {
        let objects = &self.facts.objects;
        pointer.address(&mut self.terms, &|object| objects[object.index()].base)
    }

    pub fn same_address(&mut self, a: &Pointer, b: &Pointer) -> Term {
        let facts = &*self.facts;
        a.equals(&mut self.terms, b, &|object| facts.compared_base(object))
    }

    pub fn difference(&mut self, a: &Pointer, b: &Pointer) -> Term {
        let objects = &self.facts.objects;
        a.minus(&mut self.terms, b, &|object| objects[object.index()].base)
    }

    pub fn pointer_of(&mut self, value: &Value) -> Pointer {
        match value {
            Value::Pointer(pointer) => pointer.clone(),
            Value::Bits(term) => self.pointer_from(*term),
        }
    }

    /// As bits of the given width. What a pointer points into may then be found by its address, and the program may look
    /// at that address: by a cast, as another member of a union, or byte by byte.
    pub fn bits_of(&mut self, value: &Value, width: u32) -> Term {
        let term = match value {
            Value::Bits(term) => *term,
            Value::Pointer(pointer) => {
                self.makes_numbers |= pointer.has_objects();
                for object in pointer.places().iter().filter_map(|place| place.object) {
                    self.facts.expose(object);
                }
                self.address(pointer)
            }
        };
        resize(&mut self.terms, term, width)
    }

    /// A value as one of the given type, in the way of a load.
    pub fn of_type(&mut self, value: &Value, ty: Ty) -> Value {
        match ty {
            Ty::Ptr => Value::Pointer(self.pointer_of(value)),
            ty => Value::Bits(self.bits_of(value, ty.bits(self.original.target))),
        }
    }

    /// A number taken as an address: of an object whose address was made a number, or of none.
    pub fn pointer_from(&mut self, number: Term) -> Pointer {
        let candidates = self.facts.exposed.clone();
        self.pointer_among(number, &candidates)
    }

    fn pointer_among(&mut self, number: Term, candidates: &[ObjectId]) -> Pointer {
        let width = self.pointer_bits;
        let number = resize(&mut self.terms, number, width);
        let mut places = Vec::new();
        let mut found = Term::FALSE;
        for &object in candidates {
            let (base, size) = (self.facts.get(object).base, self.facts.get(object).size);
            let known = self.terms.known(number);
            if known.greatest(width) < base || known.least() > base + size {
                continue;
            }
            let base = self.terms.bits(width, base);
            let offset = self.terms.sub(number, base);
            let most = self.terms.bits(width, size);
            let condition = self.terms.ule(offset, most);
            found = self.terms.or(found, condition);
            if self.facts.get(object).private && condition != Term::FALSE {
                self.made_of_numbers.push((object, condition));
            }
            let grid = self.terms.as_bits(offset).map_or(Grid::ANY, |bits| Grid::constant(sign_extended(bits, width)));
            places.push(Place { condition, object: Some(object), offset, grid });
        }
        places.push(Place { condition: !found, object: None, offset: number, grid: Grid::ANY });
        Pointer::from_places(&mut self.terms, places).unwrap_or_else(|| Pointer::number(number))
    }

    /// The offsets that a place may have so that `size` bytes fit behind it, and whether those are all: `None` if there are
    /// too many.
    pub fn offsets(&self, place: &Place, size: u64) -> Option<Vec<u64>> {
        let object = self.facts.get(place.object?);
        let Some(last) = object.size.checked_sub(size) else { return Some(Vec::new()) };
        if let Some(offset) = self.terms.as_bits(place.offset) {
            return Some(if offset <= last { vec![offset] } else { Vec::new() });
        }
        let known = self.terms.known(place.offset);
        let (first, step) = match place.grid {
            Grid { first, step: 0 } => (first as u64, u64::MAX),
            Grid { first, step } => (first as u64, step),
        };
        let mut offsets = Vec::new();
        let mut at = first;
        let mut looked_at = 0;
        while at <= last {
            if known.zeros & at == 0 && known.ones & !at & crate::class::mask(self.pointer_bits) == 0 {
                offsets.push(at);
            }
            looked_at += 1;
            if object.sized_by_term && (offsets.len() >= MOST_PLACES_OF_UNKNOWN || looked_at > 64 * MOST_PLACES) {
                break;
            }
            if offsets.len() > MOST_PLACES || looked_at > 64 * MOST_PLACES {
                return None;
            }
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
        Some(offsets)
    }

    pub fn merge_held(&mut self, condition: Term, slot: u32, a: Option<&Held>, b: Option<&Held>) -> Option<Held> {
        if a == b {
            return a.cloned();
        }
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a.clone(), b.clone()),
            (a, b) => {
                let absent = self.held_initially(Slot(slot));
                (a.cloned().unwrap_or_else(|| absent.clone()), b.cloned().unwrap_or(absent))
            }
        };
        let initialised = self.terms.ite(condition, a.initialised, b.initialised);
        // What is indeterminate on one side may be anything there.
        let value = match (a.initialised, b.initialised) {
            (Term::FALSE, _) => b.value,
            (_, Term::FALSE) => a.value,
            _ => merge_values(self, condition, Some(&a.value), Some(&b.value))?,
        };
        Some(Held { value, initialised })
    }

    pub fn held_initially(&mut self, slot: Slot) -> Held {
        match self.initial(slot) {
            Some(value) => Held { value, initialised: Term::TRUE },
            None => {
                let bits = narrow(self.facts.place(slot).size) * 8;
                Held { value: Value::Bits(self.terms.bits(bits, 0)), initialised: Term::FALSE }
            }
        }
    }

    /// Whether an object counts as ended where its maker has not made it.
    pub fn ended_by_default(&self, object: ObjectId, thread: ThreadId) -> Term {
        let object = self.facts.get(object);
        let own = matches!(object.origin, Origin::Made(maker, _) if maker == thread);
        let scoped = matches!(object.kind, ObjectKind::Local { .. } | ObjectKind::Stack);
        self.terms.bool(own && scoped)
    }

    // Cells.

    /// The value of a cell that stands for `value`, and what that adds to a number that was read from a cell of the class,
    /// or from any; notes that the cell may hold it.
    pub fn encode(&mut self, slot: Slot, value: &Value) -> (Term, [Option<Range>; 2]) {
        let members = self.members(value);
        for content in self.contents(value, members.as_ref()) {
            self.facts.may_hold(slot, &content);
        }
        let class = self.facts.class(slot).clone();
        let steps = if class.has_members() { [None; 2] } else { self.note_number(slot, value) };
        (self.encode_in(&class, value, members), steps)
    }

    fn encode_in(&mut self, class: &crate::class::Class, value: &Value, members: Option<Parts>) -> Term {
        if !class.has_members() {
            let bits = match value {
                Value::Bits(term) => *term,
                Value::Pointer(pointer) => self.address(pointer),
            };
            let bits = resize(&mut self.terms, bits, class.value_bits());
            return class.encode_bits(&mut self.terms, bits);
        }
        let mut encoded = None;
        for (condition, member) in members.unwrap_or_default().into_iter().rev() {
            let number = match member {
                Some(member) => class.encode_member(&mut self.terms, member),
                None => class.indeterminate(&mut self.terms),
            };
            encoded = Some(match encoded {
                None => number,
                Some(rest) => self.terms.ite(condition, number, rest),
            });
        }
        encoded.unwrap_or_else(|| self.terms.bits(class.width(), 0))
    }

    /// All that a value can be as a pointer, if that is known.
    fn members(&mut self, value: &Value) -> Option<Parts> {
        let pointer = match value {
            Value::Pointer(pointer) => pointer.clone(),
            Value::Bits(term) if self.terms.as_bits(*term).is_some() => Pointer::number(*term),
            Value::Bits(_) => return None,
        };
        let mut parts = Vec::new();
        for place in pointer.places() {
            match self.terms.as_bits(place.offset) {
                Some(offset) => parts.push((place.condition, Some(Member { object: place.object, offset }))),
                None if self.indeterminate.contains(&place.offset) => parts.push((place.condition, None)),
                None => {
                    // One past the end is a place too.
                    let offsets = self.offsets(place, 0)?;
                    if offsets.len() > MOST_MEMBERS || !self.is_within(place, 0) {
                        return None;
                    }
                    for offset in offsets {
                        let number = self.terms.bits(self.pointer_bits, offset);
                        let here = self.terms.eq(place.offset, number);
                        let condition = self.terms.and(place.condition, here);
                        parts.push((condition, Some(Member { object: place.object, offset })));
                    }
                }
            }
        }
        Some(parts)
    }

    /// Whether a place is known to leave `size` bytes behind it.
    pub fn is_within(&self, place: &Place, size: u64) -> bool {
        let Some(object) = place.object.map(|object| self.facts.get(object)) else { return false };
        let known = self.terms.known(place.offset);
        object.size.checked_sub(size).is_some_and(|last| known.greatest(self.pointer_bits) <= last)
    }

    /// What a cell may hold once the value has been written there.
    fn contents(&mut self, value: &Value, members: Option<&Parts>) -> Vec<Content> {
        let mut contents = Vec::new();
        match members {
            Some(parts) => {
                contents.extend(parts.iter().map(|part| part.1.map_or(Content::Indeterminate, Content::Member)));
            }
            None => match value {
                Value::Pointer(pointer) => {
                    contents.extend(pointer.places().iter().map(|place| Content::Somewhere(place.object)));
                }
                Value::Bits(_) => contents.push(Content::Number),
            },
        }
        let bits = match value {
            Value::Bits(term) => *term,
            Value::Pointer(pointer) => self.address(pointer),
        };
        contents.push(Content::Bits(self.terms.known(bits)));
        contents
    }

    /// Notes the numbers that a value may be; gives what it adds to a number that was read from a cell: of the same class,
    /// or of any.
    fn note_number(&mut self, slot: Slot, value: &Value) -> [Option<Range>; 2] {
        let Value::Bits(bits) = *value else {
            self.facts.may_be(slot, [Some(Range::ALL); 2]);
            return [None; 2];
        };
        let (read, facts) = (&self.read, &*self.facts);
        let range = |term: Term| read.get(&term).and_then(|read| read.1);
        let of_class = |term: Term| read.get(&term).is_some_and(|&(of, _)| facts.same_class(of, slot));
        let of_any = |term: Term| read.contains_key(&term);
        let everything = Sources { from: Some(Range::ALL), step: None };
        let mut ranges = Ranges { terms: &self.terms, read: &range, own: &of_class, origins: Vec::new() };
        let in_class = ranges.sources(bits).unwrap_or(everything);
        let mut ranges = Ranges { own: &of_any, origins: Vec::new(), ..ranges };
        let in_all = ranges.sources(bits).unwrap_or(everything);
        for origin in ranges.origins {
            if let Some(&(of, _)) = self.read.get(&origin) {
                self.facts.exchange(slot, of);
            }
        }
        self.facts.may_be(slot, [in_class.from, in_all.from]);
        [in_class.step, in_all.step]
    }

    /// What a value of a cell stands for, and whether it is indeterminate instead.
    pub fn decode(&mut self, slot: Slot, value: Term, ty: Ty) -> (Value, Term) {
        let class = self.facts.class(slot).clone();
        let indeterminate = class.is_indeterminate_value(&mut self.terms, value);
        let decoded = self.decode_in(&class, value, ty);
        // A constant may come from anywhere.
        if let Value::Bits(bits) = decoded
            && self.terms.as_bits(bits).is_none()
        {
            self.read.insert(bits, (slot, class.range()));
        }
        (decoded, indeterminate)
    }

    pub fn decode_in(&mut self, class: &crate::class::Class, value: Term, ty: Ty) -> Value {
        if ty == Ty::Ptr {
            if let Some(pointer) = class.decode_members(&mut self.terms, value, self.pointer_bits) {
                return Value::Pointer(pointer);
            }
            let number = class.decode_bits(&mut self.terms, value);
            let mut candidates = self.facts.exposed.clone();
            candidates.extend(&class.objects);
            candidates.sort_unstable();
            candidates.dedup();
            return Value::Pointer(self.pointer_among(number, &candidates));
        }
        let bits = class.decode_bits(&mut self.terms, value);
        Value::Bits(resize(&mut self.terms, bits, ty.bits(self.original.target)))
    }

    pub fn encode_result(&mut self, value: &Value) -> Term {
        let members = self.members(value);
        for content in self.contents(value, members.as_ref()) {
            self.facts.changed |= self.facts.results.add(&content);
        }
        let class = self.facts.results.clone();
        self.encode_in(&class, value, members)
    }
}

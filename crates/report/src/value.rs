//! Places and values of a trace as people write them.

use crate::heap::HeapNames;
use norn_ir::program::Program;
use norn_ir::types::{Display, Ty};
use norn_verdict::place::{Location, Object, Pointer, Value};
use norn_verdict::trace::Trace;

/// Writes what a trace of a program names.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    pub program: &'a Program,
    pub trace: &'a Trace,
    /// Names for what was allocated.
    pub heap: Option<&'a HeapNames>,
}

impl<'a> Writer<'a> {
    pub fn new(program: &'a Program, trace: &'a Trace) -> Writer<'a> {
        Writer { program, trace, heap: None }
    }
}

impl Writer<'_> {
    pub fn object(&self, object: &Object) -> String {
        if let Some(name) = self.heap.and_then(|heap| heap.object(object)) {
            return format!("*{name}");
        }
        object.written(self.program, &|thread| self.trace.name(thread))
    }

    pub fn location(&self, location: &Location) -> String {
        if let Some(name) = self.heap.and_then(|heap| heap.location(location, self.program)) {
            return name;
        }
        location.written(self.program, &|thread| self.trace.name(thread))
    }

    pub fn value(&self, value: &Value) -> String {
        match *value {
            Value::Number { ty, display, bits } => self.number(ty, display, bits),
            Value::Pointer(pointer) => self.pointer(pointer),
        }
    }

    fn number(&self, ty: Ty, display: Display, bits: u64) -> String {
        match (ty, display) {
            (Ty::F32, _) => f32::from_bits(low_half(bits)).to_string(),
            (Ty::F64, _) => f64::from_bits(bits).to_string(),
            (Ty::Bool, _) | (_, Display::Bool) => (if bits == 0 { "false" } else { "true" }).to_owned(),
            (_, Display::Char) if let Some(c) = printable(bits) => format!("'{c}'"),
            (_, Display::Unsigned) => bits.to_string(),
            _ => signed(bits, ty.bits(self.program.target)).to_string(),
        }
    }

    fn pointer(&self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Null => "null".to_owned(),
            Pointer::To { object, offset } => {
                if let Some(name) = self.heap.filter(|_| offset == 0).and_then(|heap| heap.object(&object)) {
                    return name;
                }
                let place = self.location(&Location { object, offset, size: 0 });
                // The address of what a pointer points to is the pointer.
                place.strip_prefix('*').map_or_else(|| format!("&{place}"), str::to_owned)
            }
            Pointer::Function(function) => self.program.function(function).name.clone(),
            Pointer::Number(bits) => format!("{bits:#x}"),
        }
    }
}

fn low_half(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).expect("the low half should fit")
}

/// A character of ASCII that can be seen.
fn printable(bits: u64) -> Option<char> {
    u8::try_from(bits).ok().filter(|byte| (0x20..0x7f).contains(byte)).map(char::from)
}

/// The number that the low `width` bits are with their sign.
fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
    use norn_ir::span::Span;
    use norn_verdict::place::ObjectKind;
    use norn_verdict::schedule::ThreadName;
    use norn_verdict::trace::{ThreadIndex, ThreadInfo};

    /// A writer of a program with `int x`, `struct { int a; char b[4]; } pair`, and a function `work` with `int here`.
    fn with_writer<T>(f: impl FnOnce(Writer<'_>) -> T) -> T {
        let text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\ntype t1 = i8 char\ntype t2 = array 4 * t1\n\
                    type t3 = struct \"pair\" size 8 align 4 {\n0: t0 \"a\"\n4: t2 \"b\"\n}\nglobal g0 \"x\": t0\nglobal g1 \"pair\": t3\n\
                    global g2 \"own\": t0 thread\nfunction f0 \"main\" () {\nb0:\n return\n}\n\
                    function f1 \"work\" () {\nl0: t0 \"here\"\nb0:\n return\n}\n";
        let program = norn_ir::parse::parse(text).expect("the program should parse");
        let thread = |name: ThreadName, function: &str| ThreadInfo { name, function: function.to_owned() };
        let main = ThreadName::main();
        let threads = vec![thread(main.clone(), "main"), thread(main.child(1), "work")];
        f(Writer::new(&program, &Trace { threads, events: Vec::new(), repeats_from: None }))
    }

    fn object(kind: ObjectKind, owner: u32, ty: Option<u32>, size: u64) -> Object {
        Object { kind, owner: ThreadIndex(owner), ty: ty.map(TypeId), size, made_at: Span::NONE }
    }

    #[test]
    fn numbers_are_written_by_their_type() {
        with_writer(|write| {
            let check = |ty, display, bits, expected: &str| {
                assert_eq!(write.value(&Value::Number { ty, display, bits }), expected);
            };
            check(Ty::I32, Display::Signed, 0xffff_fffe, "-2");
            check(Ty::I32, Display::Unsigned, 0xffff_fffe, "4294967294");
            check(Ty::I8, Display::Signed, 0x80, "-128");
            check(Ty::I64, Display::Signed, u64::MAX, "-1");
            check(Ty::I64, Display::Unsigned, u64::MAX, "18446744073709551615");
            check(Ty::I8, Display::Char, 0x41, "'A'");
            check(Ty::I8, Display::Char, 0x7f, "127");
            check(Ty::I8, Display::Char, 0x1f, "31");
            check(Ty::I8, Display::Char, 0xff, "-1");
            check(Ty::I8, Display::Bool, 1, "true");
            check(Ty::Bool, Display::Signed, 0, "false");
            check(Ty::F32, Display::Float, u64::from(1.5f32.to_bits()), "1.5");
            check(Ty::F64, Display::Float, (-0.25f64).to_bits(), "-0.25");
        });
    }

    #[test]
    fn pointers_are_written_by_what_they_point_to() {
        with_writer(|write| {
            let check = |pointer, expected: &str| assert_eq!(write.value(&Value::Pointer(pointer)), expected);
            check(Pointer::Null, "null");
            check(Pointer::Function(FuncId(1)), "work");
            check(Pointer::Number(0x1234), "0x1234");
            let pair = object(ObjectKind::Global(GlobalId(1)), 0, Some(3), 8);
            check(Pointer::To { object: pair, offset: 0 }, "&pair");
            check(Pointer::To { object: pair, offset: 6 }, "&pair.b[2]");
            let heap = object(ObjectKind::Heap { number: 2 }, 0, Some(0), 12);
            check(Pointer::To { object: heap, offset: 8 }, "malloc#2[2]");
            let here = object(ObjectKind::Local { function: FuncId(1), local: LocalId(0) }, 1, Some(0), 4);
            check(Pointer::To { object: here, offset: 0 }, "&main.1:here");
        });
    }

    #[test]
    fn places_name_the_thread_that_they_belong_to() {
        with_writer(|write| {
            let check = |object, offset, expected: &str| {
                assert_eq!(write.location(&Location { object, offset, size: 4 }), expected);
            };
            check(object(ObjectKind::Global(GlobalId(0)), 0, Some(0), 4), 0, "x");
            check(object(ObjectKind::ThreadLocal(GlobalId(2)), 1, Some(0), 4), 0, "main.1:own");
            check(object(ObjectKind::ThreadLocal(GlobalId(2)), 0, Some(0), 4), 0, "own");
            // One element is no array.
            check(object(ObjectKind::Heap { number: 1 }, 1, Some(0), 4), 0, "*main.1:malloc#1");
            check(object(ObjectKind::Stack { number: 1 }, 0, Some(0), 8), 4, "*alloca#1[1]");
            check(object(ObjectKind::Heap { number: 3 }, 0, None, 8), 0, "*malloc#3");
            check(object(ObjectKind::Heap { number: 3 }, 0, None, 8), 4, "*malloc#3+4");
        });
    }
}

//! The intrinsics on which the library models are written: `__norn_…`.

use super::Call;
use crate::tree::{Builtin, Expr};
use norn_ir::instr::{FenceKind, Property, Stream};

impl Call<'_, '_, '_> {
    /// `name` comes without its prefix. `None`: there is no such intrinsic.
    pub(super) fn norn(&mut self, name: &str) -> Option<Expr> {
        if name.starts_with("nondet_") {
            let ty = self.declared_result().unwrap_or(self.checker.int_type());
            let source = name.trim_start_matches("nondet_").to_owned();
            return Some(self.make(Builtin::Nondet(source), ty));
        }
        let size = self.checker.size_type();
        let pointer = self.void_pointer();
        let arity = match name {
            "section_begin" | "section_end" | "self" | "fence_call" | "fence_full" | "abort" => 0,
            "assert" | "misuse" | "alloc_aligned" | "alloc_zeroed" => 2,
            "print_list" => 3,
            "spawn" | "print" => self.args.len().max(1),
            "await" | "await_spurious" | "join" | "thread_exit" | "acquire" | "release" | "assume" | "is_linked"
            | "exit" | "alloc" | "free" | "object_size" | "unsupported" => 1,
            _ => return None,
        };
        if let Err(wrong) = self.expect_args(arity) {
            return Some(wrong);
        }
        Some(match name {
            "section_begin" => self.make_void(Builtin::SectionBegin),
            "section_end" => self.make_void(Builtin::SectionEnd),
            "await" | "await_spurious" => {
                let condition = self.arg(0);
                self.make_void(Builtin::Await { condition, spurious: name == "await_spurious" })
            }
            "self" => self.make(Builtin::ThreadSelf, size),
            "spawn" => {
                let start = self.arg_as(0, pointer);
                let args = (1..self.args.len()).map(|i| self.arg(i)).collect();
                self.make(Builtin::Spawn { start, args }, size)
            }
            "join" => {
                let thread = self.arg_as(0, size);
                self.make(Builtin::Join(thread), pointer)
            }
            "thread_exit" => {
                let value = self.arg_as(0, pointer);
                self.make_void(Builtin::ThreadExit(value))
            }
            "fence_call" => self.make_void(Builtin::Fence(FenceKind::Call)),
            "fence_full" => self.make_void(Builtin::Fence(FenceKind::Full)),
            "acquire" => {
                let object = self.arg_as(0, pointer);
                self.make_void(Builtin::Acquire(object))
            }
            "release" => {
                let object = self.arg_as(0, pointer);
                self.make_void(Builtin::Release(object))
            }
            "assume" => {
                let condition = self.arg(0);
                self.make_void(Builtin::Assume(condition))
            }
            "assert" | "misuse" => {
                let property = if name == "assert" { Property::Assertion } else { Property::Misuse };
                let condition = self.arg(0);
                let message = self.required_string(1);
                self.make_void(Builtin::Assert { condition, property, message })
            }
            "is_linked" => {
                let function = self.required_string(0);
                let int = self.checker.int_type();
                self.make(Builtin::IsLinked(function), int)
            }
            "exit" => {
                let int = self.checker.int_type();
                let status = self.arg_as(0, int);
                self.make_void(Builtin::Exit(status))
            }
            "abort" => self.make_void(Builtin::Abort),
            "alloc" => {
                let size = self.arg_as(0, size);
                self.make(Builtin::Alloc { size, count: None, align: None, zeroed: false, element: None }, pointer)
            }
            "alloc_aligned" | "alloc_zeroed" => {
                let align = Some(self.arg_as(0, size));
                let (size, zeroed) = (self.arg_as(1, size), name == "alloc_zeroed");
                self.make(Builtin::Alloc { size, count: None, align, zeroed, element: None }, pointer)
            }
            "free" => {
                let object = self.arg_as(0, pointer);
                self.make_void(Builtin::Free(object))
            }
            "object_size" => {
                let object = self.arg_as(0, pointer);
                self.make(Builtin::ObjectSize(object), size)
            }
            "print" => {
                let stream = match self.checker.constant_int(&self.args[0]) {
                    Some(2) => Stream::Stderr,
                    _ => Stream::Stdout,
                };
                self.print(stream, 1)
            }
            "print_list" => {
                let stream = match self.checker.constant_int(&self.args[0]) {
                    Some(2) => Stream::Stderr,
                    _ => Stream::Stdout,
                };
                let (format, list) = (self.arg_as(1, pointer), self.arg_as(2, pointer));
                self.make_void(Builtin::PrintList { stream, format, list })
            }
            "unsupported" => {
                let what = self.required_string(0);
                self.unsupported(what, self.checker.void_type())
            }
            _ => return None,
        })
    }
}

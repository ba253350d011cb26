//! The text form of a program: stable, and read back by [`mod@crate::parse`] to an equal program, valid or not.
//!
//! ```text
//! norn-ir 1
//! target lp64
//! entry f0
//!
//! file 0 "count.c"
//!
//! type t0 = i32 signed
//!
//! global g0 "counter": t0 !1:5
//!
//! function f0 "main" () -> i32 !3:5 {
//!   r0: i32 "old"
//! b0:
//!   r0 = load g0                                !4:3        // old, counter
//!   r0 = add.s r0, 1                                        // old
//!   store i32 g0, r0                            !4:10       // counter, old
//!   return 0                                    !5:3
//! }
//! ```
//!
//! - A constant is written with its type (`i32 5`) unless the instruction settles the type: by its destination, by a
//!   type that it names, or because the operand is always of that type. `true`, `false` and `null` stand alone. Floats
//!   that are no numbers are written by their bits.
//! - A place is `!line:column` or `!file:line:column`; the file is left out if it is that of the place before, the
//!   whole if nothing changed. The header of each global and function starts anew from `!none`.
//! - Size and alignment of a type are left out where they follow from the scalar or from the array's element.
//! - `memory reused` after the target: see [`Program::reuses_memory`].
//! - What follows `//` is for the reader: the names of what the line mentions.

mod instrs;

use std::fmt::{self, Write};

use crate::ids::{BlockId, FuncId};
use crate::instr::{Callee, InstrKind, Operand};
use crate::program::{Function, Global, InitValue, Origin, Program, Storage};
use crate::span::Span;
use crate::types::{Shape, Target, Ty, Type};
use crate::visible::is_hidden;

/// Version of the text form, in its first line.
pub const VERSION: u64 = 1;

/// Where places and names begin, so that the instructions can be read without them.
const SPAN_COLUMN: usize = 46;
const NAMES_COLUMN: usize = 58;
/// Registers that share a line of a function's header.
const REGISTERS_PER_LINE: usize = 16;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { program: self, out: String::new(), span: Span::NONE };
        printer.header()?;
        f.write_str(&printer.out)?;
        for id in 0..self.functions.len() {
            printer.out.clear();
            printer.out.push('\n');
            printer.function(FuncId::new(id))?;
            f.write_str(&printer.out)?;
        }
        Ok(())
    }
}

/// One function as it stands in the text of its program.
pub fn print_function(program: &Program, id: FuncId) -> String {
    let mut printer = Printer { program, out: String::new(), span: Span::NONE };
    printer.function(id).expect("writing to a string should not fail");
    printer.out
}

/// Size and alignment that need not be written: `before` are the types that precede this one in the table.
pub(crate) fn natural_layout(shape: &Shape, before: &[Type], target: Target) -> Option<(u64, u64)> {
    match shape {
        Shape::Scalar { ty, .. } => Some((ty.size(target), ty.size(target))),
        Shape::Array { element, length } => {
            let element = before.get(element.index())?;
            Some((element.size.checked_mul(*length)?, element.align))
        }
        Shape::Record(_) | Shape::Bytes => None,
    }
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    /// The last place written.
    span: Span,
}

impl Printer<'_> {
    fn header(&mut self) -> fmt::Result {
        let program = self.program;
        writeln!(self.out, "norn-ir {VERSION}")?;
        writeln!(self.out, "target {}", program.target.mnemonic())?;
        if program.reuses_memory {
            writeln!(self.out, "memory reused")?;
        }
        writeln!(self.out, "entry {}", program.entry)?;
        for (i, name) in program.files.iter().enumerate() {
            self.gap(i);
            write!(self.out, "file {i} ")?;
            self.string(name);
            self.out.push('\n');
        }
        for (i, ty) in program.types.iter().enumerate() {
            self.gap(i);
            self.ty(i, ty)?;
        }
        for (i, global) in program.globals.iter().enumerate() {
            self.gap(i);
            self.global(i, global)?;
        }
        Ok(())
    }

    /// An empty line before the first item of a kind.
    fn gap(&mut self, index: usize) {
        if index == 0 {
            self.out.push('\n');
        }
    }

    fn ty(&mut self, index: usize, ty: &Type) -> fmt::Result {
        let program = self.program;
        write!(self.out, "type t{index} = ")?;
        match &ty.shape {
            Shape::Scalar { ty, display } => write!(self.out, "{} {}", ty.mnemonic(), display.mnemonic())?,
            Shape::Array { element, length } => write!(self.out, "array {length} * {element}")?,
            Shape::Record(record) => {
                self.out.push_str(if record.is_union { "union " } else { "struct " });
                self.string(&record.name);
            }
            Shape::Bytes => self.out.push_str("bytes"),
        }
        if natural_layout(&ty.shape, &program.types[..index], program.target) != Some((ty.size, ty.align)) {
            write!(self.out, " size {} align {}", ty.size, ty.align)?;
        }
        if let Shape::Record(record) = &ty.shape {
            self.out.push_str(" {\n");
            for field in &record.fields {
                write!(self.out, "  {}: {} ", field.offset, field.ty)?;
                self.string(&field.name);
                if let Some(bits) = field.bits {
                    write!(self.out, " bits {} width {}", bits.start, bits.width)?;
                }
                self.out.push('\n');
            }
            self.out.push('}');
        }
        self.out.push('\n');
        Ok(())
    }

    fn global(&mut self, index: usize, global: &Global) -> fmt::Result {
        write!(self.out, "global g{index} ")?;
        self.string(&global.name);
        write!(self.out, ": {}", global.ty)?;
        match global.storage {
            Storage::Static => {}
            Storage::Thread => self.out.push_str(" thread"),
            Storage::Constant => self.out.push_str(" constant"),
        }
        if global.private {
            self.out.push_str(" private");
        }
        self.origin(global.origin);
        self.span = Span::NONE;
        self.place(global.span)?;
        if !global.init.is_empty() {
            self.out.push_str(" {\n");
            for init in &global.init {
                write!(self.out, "  {}: ", init.offset)?;
                match &init.value {
                    InitValue::Const(constant) => self.constant(*constant, None)?,
                    InitValue::Global(id, offset) => self.operand(Operand::Global(*id, *offset), None)?,
                    InitValue::Func(id) => write!(self.out, "{id}")?,
                    InitValue::Bytes(bytes) => {
                        self.out.push_str("bytes ");
                        self.byte_string(bytes)?;
                    }
                }
                self.out.push('\n');
            }
            self.out.push('}');
        }
        self.out.push('\n');
        Ok(())
    }

    fn origin(&mut self, origin: Origin) {
        if origin == Origin::Library {
            self.out.push_str(" library");
        }
    }

    fn function(&mut self, id: FuncId) -> fmt::Result {
        let function = self.program.function(id);
        write!(self.out, "function {id} ")?;
        self.string(&function.name);
        self.out.push_str(" (");
        for (i, param) in function.params.iter().enumerate() {
            write!(self.out, "{}{param}", comma(i))?;
        }
        self.out.push(')');
        if let Some(ty) = function.result {
            write!(self.out, " -> {}", ty.mnemonic())?;
        }
        self.origin(function.origin);
        self.span = Span::NONE;
        self.place(function.span)?;
        self.out.push_str(" {\n");
        self.registers(function)?;
        for (i, local) in function.locals.iter().enumerate() {
            write!(self.out, "  l{i}: {} ", local.ty)?;
            self.string(&local.name);
            if local.private {
                self.out.push_str(" private");
            }
            self.place(local.span)?;
            self.out.push('\n');
        }
        for id in function.block_ids() {
            self.block(function, id)?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    /// Named registers one per line, the others by type.
    fn registers(&mut self, function: &Function) -> fmt::Result {
        for (i, register) in function.registers.iter().enumerate() {
            if !register.name.is_empty() {
                write!(self.out, "  r{i}: {} ", register.ty.mnemonic())?;
                self.string(&register.name);
                self.out.push('\n');
            }
        }
        for ty in Ty::ALL {
            let unnamed = function.registers.iter().enumerate().filter(|(_, r)| r.ty == ty && r.name.is_empty());
            let unnamed: Vec<usize> = unnamed.map(|(i, _)| i).collect();
            for line in unnamed.chunks(REGISTERS_PER_LINE) {
                self.out.push_str("  ");
                for (i, register) in line.iter().enumerate() {
                    write!(self.out, "{}r{register}", comma(i))?;
                }
                writeln!(self.out, ": {}", ty.mnemonic())?;
            }
        }
        Ok(())
    }

    fn block(&mut self, function: &Function, id: BlockId) -> fmt::Result {
        let block = function.block(id);
        writeln!(self.out, "{id}:")?;
        for instr in &block.instrs {
            let mut names = Names::new(self.program, function);
            instr.kind.defs().for_each(|reg| names.operand(Operand::Reg(reg)));
            match instr.kind {
                InstrKind::Call { callee: Callee::Direct(id), .. } => names.operand(Operand::Func(id)),
                InstrKind::LocalEnter(id) | InstrKind::LocalExit(id) => names.operand(Operand::Local(id, 0)),
                _ => {}
            }
            instr.kind.for_each_operand(|operand| names.operand(operand));
            self.line(instr.span, &names, |printer| printer.instr(function, &instr.kind))?;
        }
        let terminator = &block.terminator;
        let mut names = Names::new(self.program, function);
        terminator.kind.for_each_operand(|operand| names.operand(operand));
        self.line(terminator.span, &names, |printer| printer.terminator(function, &terminator.kind))
    }

    /// An instruction with its place and names in columns.
    fn line(&mut self, span: Span, names: &Names, body: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        let start = self.out.len();
        self.out.push_str("  ");
        body(self)?;
        if span != self.span {
            self.pad(start, SPAN_COLUMN - 1);
            self.place(span)?;
        }
        if !names.list.is_empty() {
            self.pad(start, NAMES_COLUMN - 1);
            self.out.push_str(" // ");
            for (i, name) in names.list.iter().enumerate() {
                self.out.push_str(comma(i));
                escape_into(&mut self.out, name);
            }
        }
        self.out.push('\n');
        Ok(())
    }

    fn pad(&mut self, line_start: usize, column: usize) {
        let width = self.out[line_start..].chars().count();
        self.out.extend(std::iter::repeat_n(' ', column.saturating_sub(width)));
    }

    /// A place, if it differs from the one before.
    fn place(&mut self, span: Span) -> fmt::Result {
        if span == Span::NONE && self.span != span {
            self.out.push_str(" !none");
        } else if span != self.span {
            self.out.push_str(" !");
            if span.file != self.span.file {
                write!(self.out, "{}:", span.file.0)?;
            }
            write!(self.out, "{}:{}", span.line, span.column)?;
        }
        self.span = span;
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        escape_into(&mut self.out, text);
        self.out.push('"');
    }

    fn byte_string(&mut self, bytes: &[u8]) -> fmt::Result {
        self.out.push('"');
        for &byte in bytes {
            match byte {
                b' '..=b'~' | b'\n' | b'\t' | b'\r' | 0 => push_escaped(&mut self.out, char::from(byte)),
                _ => write!(self.out, "\\x{byte:02x}")?,
            }
        }
        self.out.push('"');
        Ok(())
    }
}

/// The names of what a line mentions, each once.
struct Names<'a> {
    program: &'a Program,
    function: &'a Function,
    list: Vec<&'a str>,
}

impl<'a> Names<'a> {
    /// More would make the line longer, not clearer.
    const LIMIT: usize = 6;

    fn new(program: &'a Program, function: &'a Function) -> Names<'a> {
        Names { program, function, list: Vec::new() }
    }

    fn operand(&mut self, operand: Operand) {
        let name = match operand {
            Operand::Reg(reg) => self.function.registers.get(reg.index()).map(|r| &r.name),
            Operand::Const(_) => None,
            Operand::Global(id, _) => self.program.globals.get(id.index()).map(|g| &g.name),
            Operand::Local(id, _) => self.function.locals.get(id.index()).map(|l| &l.name),
            Operand::Func(id) => self.program.functions.get(id.index()).map(|f| &f.name),
        };
        if let Some(name) = name
            && !name.is_empty()
            && self.list.len() < Names::LIMIT
            && !self.list.contains(&name.as_str())
        {
            self.list.push(name);
        }
    }
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { ", " }
}

fn escape_into(out: &mut String, text: &str) {
    text.chars().for_each(|c| push_escaped(out, c));
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\0' => out.push_str("\\0"),
        c if is_hidden(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

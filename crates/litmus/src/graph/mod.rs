//! Litmus tests → programs of execution graphs, for memory models that are given as axioms.
//!
//! The parts that all tests share are read as for the IR. What a thread does becomes a list of instructions with tags,
//! by which models tell kinds of accesses and fences apart, and with the dependencies that the text shows:
//!
//! - [`aarch64`] and [`riscv`] read instructions into the [`code`] of a thread; [`assembly`] joins threads, locations
//!   and condition; [`widths`] finds out how wide the locations are;
//! - [`machine`] does the same for PPC and X86;
//! - [`c`] takes the syntax tree of a C test apart: C11's atomics and the Linux kernel's dialect;
//! - [`ending`] is the question about final states.
//!
//! A cell of memory is accessed as a whole only. Tests that access parts of a location are refused, with its name.

mod aarch64;
mod assembly;
mod c;
mod code;
mod ending;
mod machine;
mod riscv;
mod widths;

use norn_graph::test::Test;
use norn_ir::diag::Diagnostic;
use norn_ir::source::{Loc, SourceMap};

use crate::token::{Cursor, File};
use crate::{Arch, header, state, table, token};

/// What a test is written in: which models can say something about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    AArch64,
    RiscV,
    Ppc,
    X86,
    /// Neither C11's functions nor the kernel's.
    C,
    C11,
    Kernel,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::AArch64 => "AArch64",
            Language::RiscV => "RISC-V",
            Language::Ppc => "PPC",
            Language::X86 => "X86",
            Language::C => "C",
            Language::C11 => "C11",
            Language::Kernel => "the kernel's C",
        }
    }
}

/// A litmus test as a program of execution graphs.
#[derive(Clone, Debug)]
pub struct GraphTest {
    pub test: Test,
    pub language: Language,
    /// The body of the final condition, as in the file.
    pub condition: String,
    /// The name of the architecture in the first line.
    pub header: Loc,
}

/// Reads a litmus test for a model that is given as axioms. The text is added to `sources` under `name`, so that
/// diagnostics can point into it.
pub fn parse(sources: &mut SourceMap, name: &str, text: String) -> Result<GraphTest, Vec<Diagnostic>> {
    let id = sources
        .add(name, text, false)
        .map_err(|_| vec![Diagnostic::unsupported(Loc::NONE, format!("'{name}' is too large to be read"))])?;
    let file = File::new(sources.text(id), sources.start(id));
    let header = header::parse(&file).map_err(|d| vec![d])?;
    let tokens = token::tokens(&file, header.body, header.arch.dialect()).map_err(|d| vec![d])?;
    let mut cursor = Cursor::new(&file, &tokens);
    let mut state = state::parse(&mut cursor).map_err(|d| vec![d])?;
    let (test, language, end) = match header.arch {
        Arch::AArch64 => {
            let threads = table::parse(&mut cursor, &mut state, &aarch64::instruction)?;
            let end = crate::ending(&mut cursor, &mut state, threads.len())?;
            (assembly::test(&file, &header, &state, threads, &end)?, Language::AArch64, end)
        }
        Arch::RiscV => {
            let threads = table::parse(&mut cursor, &mut state, &|cursor, _, code| riscv::instruction(cursor, code))?;
            let end = crate::ending(&mut cursor, &mut state, threads.len())?;
            (assembly::test(&file, &header, &state, threads, &end)?, Language::RiscV, end)
        }
        Arch::Ppc | Arch::X86 | Arch::X86_64 => {
            let language = if header.arch == Arch::Ppc { Language::Ppc } else { Language::X86 };
            let threads = machine::threads(&file, header.arch, &mut cursor, &mut state)?;
            let end = crate::ending(&mut cursor, &mut state, threads.len())?;
            (assembly::test(&file, &header, &state, threads, &end)?, language, end)
        }
        Arch::C => {
            let threads = crate::c::frame::threads(&mut cursor, &mut state).map_err(|d| vec![d])?;
            let end = crate::ending(&mut cursor, &mut state, threads.len())?;
            let (test, language) = c::test(&file, &header, &tokens, &state, &threads, &end)?;
            (test, language, end)
        }
    };
    let header = file.loc(header.start);
    Ok(GraphTest { test, language, condition: end.condition.to_string(), header })
}

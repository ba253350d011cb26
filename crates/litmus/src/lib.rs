//! Litmus tests → IR.
//!
//! Reads herd's PPC, X86 (32 and 64 bits) and C litmus files. The program that comes out has the test's locations as
//! global objects; `main` starts the threads `P0`, `P1`, … in order, joins them, reads the final state in one step and
//! asserts that it is not the one that the test asks about: for `exists` and `~exists` a state that satisfies the body of
//! the condition, for `forall` a state that does not. So the test is *allowed* exactly if the assertion can be violated.
//! Registers that the condition or `locations [ … ]` mention are stored by their thread, in one step at its end, to
//! global objects named like `0:r1`.
//!
//! How a file becomes a program: [`header`], [`state`] and [`condition`] read the parts that all tests share. The code
//! of an assembly test is a [`table`] of instructions ([`ppc`], [`x86`]) that become [`step`]s; [`kinds`] finds out
//! where they hold addresses and [`emit`] makes functions of them. The code of a C test goes through the C front end
//! ([`c`]). [`outcome`] makes `main`.
//!
//! Left out, with a diagnostic: faults, page tables and tags in conditions, structures, parts of registers,
//! big-endian accesses to a part of a location, read-copy-update of the Linux kernel.

mod assembly;
mod build;
mod c;
mod condition;
mod ctype;
mod emit;
pub mod graph;
mod header;
mod kinds;
mod labels;
mod outcome;
mod ppc;
mod state;
mod step;
mod table;
mod token;
mod x86;

use norn_ir::diag::Diagnostic;
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceMap};
use norn_ir::types::{Display, Ty};

pub use condition::{Condition, Item, Operand};

use token::{Cursor, Dialect, File};

/// A litmus test as a program.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub arch: Arch,
    pub program: Program,
    pub quantifier: Quantifier,
    /// The body of the final condition.
    pub condition: Condition,
    /// The columns of a table of final states: registers by thread and number, then locations by name.
    pub observed: Vec<Observed>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    Ppc,
    X86,
    X86_64,
    AArch64,
    RiscV,
    C,
}

impl Arch {
    /// As the first line of a test names it.
    pub fn name(self) -> &'static str {
        match self {
            Arch::Ppc => "PPC",
            Arch::X86 => "X86",
            Arch::X86_64 => "X86_64",
            Arch::AArch64 => "AArch64",
            Arch::RiscV => "RISCV",
            Arch::C => "C",
        }
    }

    fn dialect(self) -> Dialect {
        match self {
            Arch::C => Dialect::C,
            Arch::AArch64 => Dialect::AArch64,
            Arch::Ppc | Arch::X86 | Arch::X86_64 | Arch::RiscV => Dialect::Assembly,
        }
    }
}

/// The quantifier of the final condition. It decides which states the program's assertion excludes, see the head of
/// this crate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Exists,
    NotExists,
    /// Asks about the states that do *not* satisfy the body.
    Forall,
}

/// A register or location and where its final value is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The name in the table, such as `0:r1`, `x` or `x[1]`.
    pub label: String,
    pub global: GlobalId,
    /// Offset in the object, in bytes.
    pub offset: u64,
    pub ty: Ty,
    pub display: Display,
}

/// Tests have a handful; the limit keeps the work linear on files that are no tests.
const MAX_LOCATIONS: usize = 1000;
const MAX_THREADS: usize = 1000;

/// Reads a litmus test. The text is added to `sources` under `name`, so that diagnostics can point into it.
pub fn parse(sources: &mut SourceMap, name: &str, text: String) -> Result<Test, Vec<Diagnostic>> {
    let id = sources
        .add(name, text, false)
        .map_err(|_| vec![Diagnostic::unsupported(Loc::NONE, format!("'{name}' is too large to be read"))])?;
    let file = File::new(sources.text(id), sources.start(id));
    let header = header::parse(&file).map_err(|d| vec![d])?;
    refuse_unless_operational(&file, &header).map_err(|d| vec![d])?;
    let dialect = header.arch.dialect();
    let tokens = token::tokens(&file, header.body, dialect).map_err(|d| vec![d])?;
    let mut cursor = Cursor::new(&file, &tokens);
    let mut state = state::parse(&mut cursor).map_err(|d| vec![d])?;
    let (program, end, observed) = match header.arch {
        Arch::C => {
            let threads = c::frame::threads(&mut cursor, &mut state).map_err(|d| vec![d])?;
            let end = ending(&mut cursor, &mut state, threads.len())?;
            let (program, observed) = c::program(&file, &tokens, name, &mut state, &threads, &end)?;
            (program, end, observed)
        }
        arch => {
            let mut threads = table::parse(&mut cursor, &mut state, &|cursor, state, code: &mut step::Code<'_>| {
                code.begin_instruction();
                match arch {
                    Arch::Ppc => ppc::instruction(cursor, code),
                    _ => x86::instruction(cursor, arch, state, code),
                }
            })?;
            let end = ending(&mut cursor, &mut state, threads.len())?;
            let (program, observed) = assembly::program(&file, name, arch, &state, &mut threads, &end)?;
            (program, end, observed)
        }
    };
    let (quantifier, condition) = (end.quantifier, end.condition);
    Ok(Test { name: header.name, arch: header.arch, program, quantifier, condition, observed })
}

/// The machines of SC, TSO and PSO do not run every architecture.
fn refuse_unless_operational(file: &File<'_>, header: &header::Header) -> Result<(), Diagnostic> {
    let model = match header.arch {
        Arch::AArch64 => "armv8",
        Arch::RiscV => "riscv",
        Arch::Ppc | Arch::X86 | Arch::X86_64 | Arch::C => return Ok(()),
    };
    let name = header.arch.name();
    let message = format!("tests of {name} have no meaning under sc, tso and pso");
    Err(Diagnostic::unsupported(file.loc(header.start), message)
        .covering(norn_ir::number::narrow(name.len()))
        .help(format!("the model of {name} is {model}: -m {model}")))
}

fn ending<'a>(
    cursor: &mut Cursor<'_, 'a>,
    state: &mut state::State<'a>,
    threads: usize,
) -> Result<condition::Final, Vec<Diagnostic>> {
    let token = cursor.peek();
    let end = condition::parse(cursor, state).map_err(|d| vec![d])?;
    let too_many = match (state.locations.len(), threads) {
        (n, _) if n > MAX_LOCATIONS => format!("a test with {n} locations cannot be read"),
        (_, n) if n > MAX_THREADS => format!("a test with {n} threads cannot be read"),
        _ => return Ok(end),
    };
    let help = format!("at most {MAX_LOCATIONS} locations and {MAX_THREADS} threads are supported");
    Err(vec![cursor.file.unsupported_at(token, too_many).help(help)])
}

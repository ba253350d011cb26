//! From a concurrent program to a sequential C program that any sequential verifier can check, and a plain compiler
//! can run: the translations of Lazy-CSeq (Inverso and others, CAV 2014) and LazySMA (Tomasco and others, FMCAD 2016).
//!
//! The bounded program (`norn_passes::unwind`) becomes one C function per thread. Labels stand before visible
//! statements; the macros `J` and `G` resume a function at the label where its thread was left, and keep guesses of
//! the next context switch to what control can reach; the driver runs the threads for a number of rounds. Every access
//! to memory that threads share goes through a *shared memory abstraction* (SMA), C text of its own in `templates/`,
//! which alone knows the memory model.
//!
//! - `prepare`: bounds, threads, and a simplification of what unwinding leaves behind; `regions`: sections, and what the
//!   first thread does alone; `shared`: which accesses others can see, and which objects go through the SMA; `cells`: the
//!   scalar locations that the list SMA tracks
//! - `c_types`, `objects`, `declare`: memory as C objects; `names`: identifiers; `expr`: arithmetic
//! - `order`: where labels stand; `thread`: a thread's function; `copies`: those of threads that start
//!   alike; `file`: the whole text
//!
//! Deviations from the papers. Control flow comes out as gotos. A context switch is also possible before an assumption
//! that follows a write, since a thread that stops there must not take back what it wrote. Locks and their kin are
//! atomic sections of the library models, between `sma_atomic_begin` and `sma_atomic_end`, so the SMAs have no
//! operations `lock` and `unlock`. Memory that nobody wrote has one indeterminate value, not a new one at each read.
//! In the lists of LazySMA only the moment of a write is guessed (figure 3 there guesses its place as well): the place
//! follows from it, and so does the node that holds the value in memory. A write that reaches memory at once may take the
//! place of the value there, so it needs no free node, and fewer nodes show a bug. A list is copied, changed and written
//! back: its location may be computed, and is decided once. Reads of what nobody else writes have no label, and memory
//! whose writes never wait in store buffers is not simulated (`order`, `shared`).
//!
//! Left out: properties beyond assertions (deadlocks, data races, lives of objects, overflow). What cannot be said in C is
//! refused with its place.

mod c_types;
mod cells;
mod copies;
mod declare;
mod expr;
mod file;
mod names;
mod objects;
mod order;
mod prepare;
mod regions;
mod shared;
mod sma;
mod template;
mod text;
mod thread;

use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_passes::unwind::Bounds;
use norn_verdict::model::Model;
use std::io::{self, Write};
use thread::Written;

/// How the memory of TSO and PSO is simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sma {
    /// Explicit store buffers: TSO-SMA and PSO-SMA.
    Buffer,
    /// A temporal circular doubly-linked list per location: eTSO-SMA and ePSO-SMA.
    List,
}

/// Who reads the result: decides how nondeterminism, assumptions and failures are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    Cbmc,
    Esbmc,
    Svcomp,
    Norn,
    /// A C compiler: the program runs, by recorded choices or searching for them.
    Cc,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub model: Model,
    pub sma: Sma,
    pub tool: Tool,
    pub rounds: u32,
    /// Timestamps of the list SMA: at least 1, which gives SC.
    pub timestamps: u32,
    /// Writes per location that the list SMA holds, at least 2; stores per thread that the buffer SMA holds (all of
    /// them unless given).
    pub nodes: Option<u32>,
    /// Locations accessed by computed addresses that the list SMA tracks; all unless given.
    pub locations: Option<u32>,
    /// Allocated objects that the list SMA tracks; all unless given.
    pub mallocs: Option<u32>,
    /// Width of the numbers that the list SMA holds.
    pub bits: Option<u32>,
    /// The name of the file that is written, for `#line`.
    pub output: String,
    /// The name of the source, for the first line.
    pub source: String,
}

/// Nodes per location unless given.
pub const DEFAULT_NODES: u32 = 3;

/// Why there is no translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub message: String,
    pub span: Option<Span>,
}

impl Refusal {
    fn new(message: impl Into<String>, span: Span) -> Refusal {
        Refusal { message: message.into(), span: (span.line != 0).then_some(span) }
    }
}

/// A sequential program.
#[derive(Debug)]
pub struct Sequential {
    parts: Vec<Part>,
    /// The functions of the threads, some for several.
    functions: Vec<Written>,
    /// No loop of the text is followed more often than this: the bound with which a verifier sees all of it.
    pub unwind: u64,
}

/// A part of the text.
#[derive(Debug)]
enum Part {
    Text(String),
    /// The body of a thread's function: a place in `Sequential::functions`, and which of the copies.
    Thread(usize, usize),
}

impl Sequential {
    /// The text in pieces: it may be long, and need not be in one.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| {
            let (text, body) = match part {
                Part::Text(text) => (text.as_str(), None),
                Part::Thread(function, copy) => {
                    let written = &self.functions[*function];
                    (written.declarations.as_str(), Some(written.copies.pieces(&written.text, *copy)))
                }
            };
            std::iter::once(text).chain(body.into_iter().flatten())
        })
    }

    pub fn text(&self) -> String {
        self.pieces().collect()
    }

    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.pieces().try_for_each(|piece| out.write_all(piece.as_bytes()))
    }
}

/// The sequential program. `program` should be valid, with its private objects marked.
pub fn sequentialize(program: &Program, bounds: &Bounds, options: &Options) -> Result<Sequential, Refusal> {
    if program.reuses_memory {
        return Err(Refusal::new("memory that is given out again is not translated", Span::NONE));
    }
    let prepared = prepare::prepare(program, bounds)?;
    let sequential = file::write(&prepared, bounds, options);
    // Nobody has to wait until so many pieces of memory are given back.
    let _ = std::thread::Builder::new().spawn(move || drop(prepared));
    sequential
}

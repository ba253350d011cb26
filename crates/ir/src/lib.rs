//! Norn's intermediate representation and the plain data that every stage shares.
//!
//! - [`program`]: a whole program, its objects and functions; [`instr`]: instructions; [`types`]: scalars and layout
//! - [`address`]: where objects and functions have their addresses
//! - [`visit`]: what an instruction reads and defines, the order of blocks; [`paths`]: what stands at an offset
//! - [`mod@print`], [`mod@parse`], [`mnemonic`]: the text form
//! - [`mod@validate`]: what every stage may take for granted about a program
//! - [`number`]: conversions to narrower numbers
//! - [`source`], [`span`], [`diag`]: texts, positions in them, and findings about them

pub mod address;
pub mod diag;
pub mod ids;
pub mod instr;
pub mod mnemonic;
pub mod number;
pub mod parse;
pub mod paths;
pub mod print;
pub mod program;
pub mod read;
pub mod source;
pub mod span;
pub mod types;
pub mod validate;
pub mod visible;
pub mod visit;

//! Work in pieces (*tiles*): one question cut where an engine chooses, so that many machines answer it side by side.
//!
//! - [`cube`]: which choices belong to which piece, and why each belongs to exactly one
//! - [`split`]: pieces with about equally many choices
//! - [`piece`]: a piece as a file; answering it needs nothing else
//! - [`answer`]: what is said of a piece, as a file
//! - [`gather`]: what the answers of all pieces say together, and what is missing
//! - [`kubernetes`]: pieces as the indices of a Job
//!
//! Files are texts here: who reads and writes them, and who answers, is no business of this crate. The idea and the word
//! are those of VeriSmart (Fischer, La Torre, Parlato: VeriSmart 2.0, ASE 2019), which limits where context switches may
//! stand and runs one verifier for each way to do so. There tiles are picked at random and need not be all of them; here
//! they are the leaves of one decision tree, so that they can say safe together.
//!
//! A piece is as trustworthy as who may write to its folder: fingerprints show what is foreign, cut off or changed by accident,
//! and no forged answer makes a program unsafe, since that is replayed; but whoever forges answers can claim that all is well.

pub mod answer;
pub mod cube;
pub mod fingerprint;
pub mod gather;
pub mod kubernetes;
pub mod numbers;
pub mod piece;
pub mod split;

pub use answer::{Answer, Said};
pub use cube::{Cube, Literal, Space};
pub use piece::{LoopBound, Piece, Question, Shape};

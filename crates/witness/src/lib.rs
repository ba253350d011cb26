//! Witnesses as SV-COMP exchanges them: what a verifier found, in a form that others can check.
//!
//! - [`story`]: a counterexample as a list of moves that either format can say
//! - [`write`](mod@write): YAML of the format 2.2, and GraphML of the format 1.0; [`sha256`], [`text`], [`specification`]: what their
//!   headers and places need
//! - [`read`](mod@read): both, by anybody; [`automaton`], [`constraint`]: what they say
//!
//! All of it is data: who follows a witness is `norn-validate`.

pub mod automaton;
pub mod constraint;
pub mod read;
pub mod sha256;
pub mod specification;
pub mod story;
pub mod text;
pub mod write;

//! The fewest fences that make a program safe, and the weakest orders that leave it so.
//!
//! Both are one question. A *site* is a place in the text where something can be stronger or weaker: a gap between two
//! statements, in which a fence can stand ([`fences`]), or the memory order of an access and a fence that is there
//! ([`orders`]). It has levels, each with a cost, an edit of the text and what the edit does to the IR. What is looked for
//! is a level for each site, so that the program is safe and the sum of the costs least.
//!
//! The search ([`search`]) learns from counterexamples, as in Kuperstein, Vechev and Yahav, "Automatic inference of memory
//! fences" (FMCAD 2010), and in Joshi and Kroening, "Property-driven fence insertion using reorder bounded model checking"
//! (FM 2015). Each counterexample is confirmed by the reference machine; then it is replayed with each single level, and
//! those with which it cannot be replayed are a clause: one of them has to be chosen ([`excluded`]). A cheapest choice that
//! meets all clauses is the next candidate ([`hitting`]), and the engines say whether it is enough. So the first candidate
//! that is safe costs least: every cheaper choice misses a clause, and has that clause's execution.
//!
//! Unlike there, no clause is computed from a theory of what fences do: the machine alone decides, so that a further memory
//! model needs nothing here. The program that is checked is the one that the edited text stands for, since the sites are
//! found by marking the text and reading it again.
//!
//! - [`code`], [`draft`]: reads C, with other texts in place of files
//! - [`gaps`], [`places`], [`scan`]: where a statement can stand between others, and where orders stand; the text of a statement
//! - [`strength`]: how strong instructions are
//! - [`edit`]: edits of texts, and their unified diff
//! - [`site`]: sites, and the programs that choices make
//! - [`search`], [`relax`]: what is needed, at least cost
//! - [`question`]: what is asked of a program: is it safe, is it robust?
//! - [`story`]: why a level is needed

pub mod code;
pub mod draft;
pub mod edit;
pub mod excluded;
pub mod fences;
pub mod gaps;
pub mod hitting;
pub mod orders;
pub mod places;
pub mod question;
pub mod relax;
pub mod scan;
pub mod search;
pub mod site;
pub mod story;
pub mod strength;

pub use code::{Code, Inputs, Texts};
pub use edit::{Change, Edit};
pub use fences::{Costs, Kinds};
pub use question::{Asked, Evidence, Question, Said, Shown};
pub use relax::{Relaxed, present, relax};
pub use search::{Answer, Confirmed, Repair, confirm, search};
pub use site::{Choice, Problem, Site};
pub use story::{Story, evidence, story};

//! Is what a check forbids in a part of an execution forbidden in the whole? Searches that build executions step by step
//! want to know, so that they need not complete what can never be allowed.
//!
//! A part has all initial writes. With a read it has the write that it reads from, and with an event of a thread all earlier
//! ones of the thread that are no reads, and all of its access. Of the order of writes a part may know less than the whole.
//!
//! The value of a node on a part is exact if it is that on the whole, without the pairs of events that the part lacks; or
//! it is a part of that; or nothing is known. Only the operations are looked at, so some checks for which the answer is yes
//! are missed.

use crate::model::{Check, Model, Node, Op};
use crate::tree::{Binary, Unary};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Known {
    Nothing,
    Less,
    Exact,
}

impl Model {
    /// Whether an execution with a part that does not pass the check does not pass it either.
    pub fn holds_of_parts(&self, check: &Check) -> bool {
        !check.negated && !check.flag && self.known(check.node) >= Known::Less
    }

    fn known(&self, node: Node) -> Known {
        match &self.node(node).op {
            Op::Relation(name) => match name.as_str() {
                "co" | "coi" | "coe" | "fr" | "fri" | "fre" => Known::Less,
                _ => Known::Exact,
            },
            Op::Set(_) | Op::EmptySet | Op::EmptyRelation | Op::AllEvents => Known::Exact,
            Op::Unary(Unary::Complement, inner) => match self.known(*inner) {
                Known::Exact => Known::Exact,
                _ => Known::Nothing,
            },
            Op::Unary(Unary::Closure | Unary::ReflexiveClosure, inner) | Op::Domain(inner) | Op::Range(inner) => {
                self.known(*inner).min(Known::Less)
            }
            Op::Unary(_, inner) => self.known(*inner),
            Op::Binary(Binary::Difference, lhs, rhs) => match self.known(*rhs) {
                Known::Exact => self.known(*lhs),
                _ => Known::Nothing,
            },
            Op::Binary(Binary::Compose, lhs, rhs) => {
                let known = self.known(*lhs).min(self.known(*rhs));
                if self.meets_inside(*lhs, *rhs) { known } else { known.min(Known::Less) }
            }
            Op::Binary(_, lhs, rhs) => self.known(*lhs).min(self.known(*rhs)),
            Op::Variable { .. } => Known::Less,
            Op::Fix { group, .. } => {
                let bodies = &self.groups[*group].bodies;
                bodies.iter().map(|&body| self.known(body)).min().unwrap_or(Known::Less).min(Known::Less)
            }
        }
    }

    /// Whether the event by which a composition leads is in each part that has its ends.
    fn meets_inside(&self, lhs: Node, rhs: Node) -> bool {
        let is_same = |node: Node| ["id", "si"].iter().any(|name| self.is_relation(node, name));
        let is_identity = |node: Node| is_same(node) || matches!(self.node(node).op, Op::Unary(Unary::Identity, _));
        let is_rf = |node: Node| ["rf", "rfi", "rfe"].iter().any(|name| self.is_relation(node, name));
        let is_back = |node: Node| matches!(self.node(node).op, Op::Unary(Unary::Inverse, inner) if is_rf(inner));
        let no_reads = self.leads_to_no_read(lhs) || self.leads_from_no_read(rhs);
        is_identity(lhs) || is_identity(rhs) || is_back(lhs) || is_rf(rhs) || (no_reads && self.is_in_order(rhs))
    }

    fn leads_to_no_read(&self, node: Node) -> bool {
        match self.node(node).op {
            Op::Unary(Unary::Identity, set) => self.has_no_reads(set),
            Op::Binary(Binary::Compose, _, last) => self.leads_to_no_read(last),
            _ => false,
        }
    }

    fn leads_from_no_read(&self, node: Node) -> bool {
        match self.node(node).op {
            Op::Unary(Unary::Identity, set) => self.has_no_reads(set),
            Op::Binary(Binary::Compose, first, _) => self.leads_from_no_read(first),
            _ => false,
        }
    }

    /// Whether it relates an event to later ones of its thread, or to itself.
    fn is_in_order(&self, node: Node) -> bool {
        match self.node(node).op {
            Op::Unary(Unary::Identity, _) => true,
            Op::Unary(Unary::Reflexive | Unary::Closure | Unary::ReflexiveClosure, inner) => self.is_in_order(inner),
            Op::Binary(Binary::Compose | Binary::Union, lhs, rhs) => self.is_in_order(lhs) && self.is_in_order(rhs),
            Op::Binary(Binary::Intersection, lhs, rhs) => self.is_in_order(lhs) || self.is_in_order(rhs),
            Op::Binary(Binary::Difference, lhs, _) => self.is_in_order(lhs),
            _ => ["po", "po-loc", "addr", "data", "ctrl"].iter().any(|name| self.is_relation(node, name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Model, Vocabulary, load, load_builtin};
    use norn_ir::source::SourceMap;

    const SETS: &[&str] = &["R", "W", "M", "F", "IW", "A", "NA"];

    /// Of each check whether it holds of parts.
    fn holds(text: &str) -> Vec<bool> {
        let (mut sources, mut folder) = (SourceMap::default(), |_: &str| Err("there is none".to_owned()));
        let model = load(&mut sources, "test.cat", text.to_owned(), Vocabulary { sets: SETS }, &mut folder);
        let model: Model = model.expect("it should be a model");
        model.checks.iter().map(|check| model.holds_of_parts(check)).collect()
    }

    #[test]
    fn what_only_grows_holds_of_parts() {
        assert_eq!(holds("acyclic po | rf | co | fr"), [true]);
        assert_eq!(holds("~acyclic po | rf"), [false]);
        assert_eq!(holds("acyclic po\nflag ~empty po as some"), [true, false]);
        // More of what is taken away may come.
        assert_eq!(holds("empty rf \\ co"), [false]);
        assert_eq!(holds("empty rf \\ (po ; po)"), [false]);
        assert_eq!(holds("empty rf \\ (po ; [W] ; po)"), [true]);
        assert_eq!(holds("empty rf \\ (po ; [R] ; po)"), [false]);
        assert_eq!(holds("empty po \\ (rf^-1 ; rf)"), [true]);
        assert_eq!(holds("empty po \\ (rf ; rf^-1)"), [false]);
        assert_eq!(holds("empty ~(po ; po) & rf"), [false]);
        assert_eq!(holds("let rec r = po | r ; rf acyclic r"), [true]);
    }

    #[test]
    fn all_checks_of_the_models_for_programs_hold_of_parts() {
        for name in ["sc", "tso", "pso", "rc11", "armv8", "riscv"] {
            let mut sources = SourceMap::default();
            let sets = crate::parts::tests::ALL;
            let model = load_builtin(&mut sources, name, Vocabulary { sets }).expect("there").expect("a model");
            let lost = model.checks.iter().filter(|check| !check.flag && !model.holds_of_parts(check));
            assert_eq!(lost.map(|check| check.name.as_str()).collect::<Vec<_>>(), [""; 0], "{name}");
            assert!(model.ignores_lost_reads() && model.ignores_lost_fences(), "{name}");
        }
    }

    const ALL: &[&str] = &[
        "R",
        "W",
        "M",
        "F",
        "IW",
        "A",
        "Q",
        "L",
        "X",
        "NoRet",
        "ISB",
        "DMB.FULL",
        "DMB.LD",
        "DMB.ST",
        "DSB.FULL",
        "DSB.LD",
        "DSB.ST",
        "AQ",
        "RL",
        "AMO",
        "Fence.r.r",
        "Fence.r.w",
        "Fence.r.rw",
        "Fence.w.r",
        "Fence.w.w",
        "Fence.w.rw",
        "Fence.rw.r",
        "Fence.rw.w",
        "Fence.rw.rw",
        "Fence.tso",
        "NA",
        "RLX",
        "CON",
        "ACQ",
        "REL",
        "ACQ_REL",
        "SC",
        "FullFence",
        "StoreFence",
    ];
}

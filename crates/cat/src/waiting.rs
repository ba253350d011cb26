//! Is an execution that a model allows still allowed when it loses reads, and dependencies of what remains?
//!
//! That is so if no check profits from them. A check profits from a dependency that stands where more of it forbids less
//! (below `~`, on the right of `\`), and from a read if a composition there may lead through one. Only the operations are
//! looked at, so some models for which the answer is yes are missed.

use std::collections::HashSet;

use crate::model::{Model, Node, Op};
use crate::tree::{Binary, Unary};

/// Sets without reads.
const NO_READS: [&str; 5] = ["W", "F", "IW", "Rcu-lock", "Rcu-unlock"];

impl Model {
    pub fn ignores_lost_reads(&self) -> bool {
        // Nodes, and whether more of one may only forbid more.
        let checks = self.checks.iter().filter(|check| !check.flag);
        let mut pending: Vec<(Node, bool)> = checks.map(|check| (check.node, !check.negated)).collect();
        let mut seen = HashSet::new();
        while let Some((node, forbids)) = pending.pop() {
            if !seen.insert((node, forbids)) {
                continue;
            }
            match &self.node(node).op {
                Op::Relation(name) if !forbids && ["addr", "data", "ctrl"].contains(&name.as_str()) => return false,
                Op::Unary(Unary::Closure | Unary::ReflexiveClosure, _) | Op::Fix { .. } if !forbids => return false,
                Op::Domain(inner) if !forbids && !self.ends_elsewhere(*inner) => return false,
                Op::Range(inner) if !forbids && !self.begins_elsewhere(*inner) => return false,
                Op::Unary(Unary::Complement, inner) => pending.push((*inner, !forbids)),
                Op::Unary(_, inner) | Op::Domain(inner) | Op::Range(inner) => pending.push((*inner, forbids)),
                Op::Binary(Binary::Difference, lhs, rhs) => pending.extend([(*lhs, forbids), (*rhs, !forbids)]),
                Op::Binary(Binary::Compose, lhs, rhs) => {
                    if !forbids && !self.ends_elsewhere(*lhs) && !self.begins_elsewhere(*rhs) {
                        return false;
                    }
                    pending.extend([(*lhs, forbids), (*rhs, forbids)]);
                }
                Op::Binary(_, lhs, rhs) => pending.extend([(*lhs, forbids), (*rhs, forbids)]),
                Op::Fix { group, .. } => pending.extend(self.groups[*group].bodies.iter().map(|&body| (body, forbids))),
                _ => {}
            }
        }
        true
    }

    /// Whether an execution is still allowed when it loses fences: nothing that forbids less where there is more of it looks at
    /// what may be a fence, or leads past one.
    pub fn ignores_lost_fences(&self) -> bool {
        const NO_FENCES: [&str; 6] = ["R", "W", "M", "IW", "NA", "NoRet"];
        let checks = self.checks.iter().filter(|check| !check.flag);
        let mut pending: Vec<(Node, bool)> = checks.map(|check| (check.node, !check.negated)).collect();
        let mut seen = HashSet::new();
        while let Some((node, forbids)) = pending.pop() {
            if !seen.insert((node, forbids)) {
                continue;
            }
            match &self.node(node).op {
                Op::Set(name) if !forbids && !NO_FENCES.contains(&name.as_str()) => return false,
                Op::Relation(name) if !forbids && ["po", "ctrl", "int"].contains(&name.as_str()) => return false,
                Op::AllEvents | Op::Fix { .. } if !forbids => return false,
                Op::Unary(Unary::Complement, inner) => pending.push((*inner, !forbids)),
                Op::Unary(_, inner) | Op::Domain(inner) | Op::Range(inner) => pending.push((*inner, forbids)),
                Op::Binary(Binary::Difference, lhs, rhs) => pending.extend([(*lhs, forbids), (*rhs, !forbids)]),
                Op::Binary(_, lhs, rhs) => pending.extend([(*lhs, forbids), (*rhs, forbids)]),
                Op::Fix { group, .. } => pending.extend(self.groups[*group].bodies.iter().map(|&body| (body, forbids))),
                _ => {}
            }
        }
        true
    }

    /// Whether the relation leads to no read, or only to one that is lost together with where it comes from.
    fn ends_elsewhere(&self, node: Node) -> bool {
        match self.node(node).op {
            Op::Unary(Unary::Identity, set) => self.has_no_reads(set),
            Op::Unary(Unary::Inverse, inner) => self.begins_elsewhere(inner),
            Op::Binary(Binary::Compose, _, last) => self.ends_elsewhere(last),
            Op::Binary(Binary::Union, lhs, rhs) => self.ends_elsewhere(lhs) && self.ends_elsewhere(rhs),
            Op::Binary(Binary::Difference, lhs, _) => self.ends_elsewhere(lhs),
            Op::EmptyRelation => true,
            _ => ["co", "coe", "coi", "fr", "fre", "fri", "si", "amo"].iter().any(|name| self.is_relation(node, name)),
        }
    }

    /// Whether the relation leads from no read.
    fn begins_elsewhere(&self, node: Node) -> bool {
        match self.node(node).op {
            Op::Unary(Unary::Identity, set) => self.has_no_reads(set),
            Op::Unary(Unary::Inverse, inner) => self.ends_elsewhere(inner),
            Op::Binary(Binary::Compose, first, _) => self.begins_elsewhere(first),
            Op::Binary(Binary::Union, lhs, rhs) => self.begins_elsewhere(lhs) && self.begins_elsewhere(rhs),
            Op::Binary(Binary::Difference, lhs, _) => self.begins_elsewhere(lhs),
            Op::EmptyRelation => true,
            _ => ["co", "coe", "coi", "rf", "rfe", "rfi", "si", "amo"].iter().any(|name| self.is_relation(node, name)),
        }
    }

    pub(crate) fn has_no_reads(&self, set: Node) -> bool {
        match &self.node(set).op {
            Op::Set(name) => NO_READS.contains(&name.as_str()),
            Op::Binary(Binary::Union, lhs, rhs) => self.has_no_reads(*lhs) && self.has_no_reads(*rhs),
            Op::Binary(Binary::Intersection, lhs, rhs) => self.has_no_reads(*lhs) || self.has_no_reads(*rhs),
            Op::Binary(Binary::Difference, lhs, _) => self.has_no_reads(*lhs),
            _ => false,
        }
    }
}

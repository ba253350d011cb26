//! Who calls and who starts whom, and which calls are recursive.

use norn_ir::ids::FuncId;
use norn_ir::program::Program;

use crate::Site;
use crate::points_to::PointsTo;

#[derive(Clone, PartialEq, Debug)]
pub struct CallGraph {
    /// By caller, in the order of its sites; unreachable functions have none.
    calls: Vec<Vec<CallEdge>>,
    /// Number of the group of functions that call one another; a group's callees have smaller numbers.
    group: Vec<u32>,
    recursive: Vec<bool>,
}

/// A call or spawn and a function that it may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallEdge {
    pub site: Site,
    pub callee: FuncId,
    pub spawn: bool,
}

impl CallGraph {
    pub fn calls(&self, caller: FuncId) -> &[CallEdge] {
        &self.calls[caller.index()]
    }

    /// Whether the function may be called (not: started) while it runs.
    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.recursive[function.index()]
    }

    /// Whether two functions may call each other, directly or not.
    pub fn same_group(&self, a: FuncId, b: FuncId) -> bool {
        self.group[a.index()] == self.group[b.index()]
    }
}

pub fn call_graph(program: &Program, points_to: &PointsTo) -> CallGraph {
    let mut calls = vec![Vec::new(); program.functions.len()];
    for (site, spawn, callees) in points_to.call_sites() {
        calls[site.function.index()].extend(callees.into_iter().map(|callee| CallEdge { site, callee, spawn }));
    }
    let group = groups(&calls);
    let mut members = vec![0u32; calls.len()];
    group.iter().for_each(|&g| members[g as usize] += 1);
    let recursive = (0..calls.len())
        .map(|f| members[group[f] as usize] > 1 || calls[f].iter().any(|edge| !edge.spawn && edge.callee.index() == f))
        .collect();
    CallGraph { calls, group, recursive }
}

/// The strongly connected components of the calls, numbered from the callees up (Tarjan, without recursion).
fn groups(calls: &[Vec<CallEdge>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut order = vec![NONE; calls.len()];
    let mut low = vec![0; calls.len()];
    let mut group = vec![NONE; calls.len()];
    let (mut found, mut groups) = (0, 0);
    let mut stack = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..calls.len() {
        if order[start] != NONE {
            continue;
        }
        path.push((start, 0));
        while let Some(&mut (f, ref mut at)) = path.last_mut() {
            if *at == 0 {
                order[f] = found;
                low[f] = found;
                found += 1;
                stack.push(f);
            }
            let edge = calls[f].get(*at);
            *at += 1;
            let Some(edge) = edge else {
                path.pop();
                if let Some(&(caller, _)) = path.last() {
                    low[caller] = low[caller].min(low[f]);
                }
                if low[f] == order[f] {
                    while let Some(member) = stack.pop() {
                        group[member] = groups;
                        if member == f {
                            break;
                        }
                    }
                    groups += 1;
                }
                continue;
            };
            let callee = edge.callee.index();
            if edge.spawn {
                continue;
            }
            if order[callee] == NONE {
                path.push((callee, 0));
            } else if group[callee] == NONE {
                low[f] = low[f].min(order[callee]);
            }
        }
    }
    group
}

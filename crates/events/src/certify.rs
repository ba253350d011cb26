//! Whether a clause of the theory is right: the edges that it forbids, together with the fixed ones, close a cycle. A
//! plain search that shares nothing with the graph of the theory.

use crate::order::Node;
use crate::theory::Edge;
use norn_logic::Lit;

pub fn forbids_cycle(nodes: usize, fixed: &[(Node, Node)], labelled: &[Edge], clause: &[Lit]) -> bool {
    let forbidden = labelled.iter().filter(|edge| clause.contains(&!edge.label)).map(|edge| (edge.from, edge.to));
    let mut successors = vec![Vec::new(); nodes];
    let mut open = vec![0u32; nodes];
    for (from, to) in fixed.iter().copied().chain(forbidden) {
        successors[from.index()].push(to);
        open[to.index()] += 1;
    }
    // Nodes without predecessors are taken away as long as there are any; what is left lies on or behind a cycle.
    let mut ready: Vec<usize> = (0..nodes).filter(|&node| open[node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = ready.pop() {
        taken += 1;
        for next in &successors[node] {
            open[next.index()] -= 1;
            if open[next.index()] == 0 {
                ready.push(next.index());
            }
        }
    }
    taken < nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cycles_are_forbidden() {
        let [a, b, c] = [0, 1, 2].map(Node);
        let [p, q, r] = [1, 2, 3].map(Lit::from_dimacs);
        let fixed = [(a, b)];
        let labelled = [Edge { from: b, to: c, label: p }, Edge { from: c, to: a, label: q }];
        let forbids = |clause: &[Lit]| forbids_cycle(3, &fixed, &labelled, clause);
        assert!(forbids(&[!p, !q]) && forbids(&[!q, r, !p]));
        assert!(!forbids(&[!p]) && !forbids(&[p, q]) && !forbids(&[]));
    }
}

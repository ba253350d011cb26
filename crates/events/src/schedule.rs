//! From a model to a schedule of the reference machine.
//!
//! The model gives a linear order of the nodes. A read, section or other main step runs at its place. A store that waits
//! in a buffer reaches memory at its place and runs as late as possible: just before the next step of its thread that
//! runs, or before its own commit. All earlier main steps of its thread have run by then, because every store comes after
//! them in the order.

use crate::layout::{Layout, UnitKind};
use crate::order::Node;
use norn_ir::program::Program;
use norn_logic::Term;
use norn_symex::{EventKind, Symbolic, ThreadId};
use norn_verdict::model::Model;
use norn_verdict::schedule::{Schedule, Step, ThreadName, fingerprint};
use std::collections::{BTreeMap, BTreeSet};

/// The schedule of the execution that a model stands for: `value` evaluates terms under it, `order` is a linear order of
/// all nodes.
pub fn schedule(
    program: &Program,
    model: Model,
    symbolic: &Symbolic,
    layout: &Layout,
    order: &[Node],
    value: &mut dyn FnMut(Term) -> u64,
) -> Schedule {
    let names = names(symbolic, value);
    let mut threads: Vec<Progress> = Vec::new();
    let mut places: BTreeMap<Node, (usize, usize)> = BTreeMap::new();
    for (thread, units) in layout.units.iter().enumerate() {
        let mut steps = Vec::new();
        for unit in units {
            let (guard, visible) = match unit.what {
                UnitKind::Event(id) => (symbolic.event(id).guard, symbolic.event(id).visible),
                UnitKind::Section(id) => (symbolic.section(id).guard, true),
            };
            if visible && names[thread].is_some() && value(guard) != 0 {
                let node = unit.node.expect("a visible step should have a place in the order");
                places.insert(node, (thread, steps.len()));
                steps.push(unit.buffered);
            }
        }
        threads.push(Progress { buffered: steps, done: 0 });
    }
    let mut steps = Vec::new();
    for node in order {
        let Some(&(thread, index)) = places.get(node) else { continue };
        let name = names[thread].as_ref().expect("a thread that takes steps should have come to be");
        let progress = &mut threads[thread];
        while progress.done <= index {
            assert!(progress.done == index || progress.buffered[progress.done], "main steps should be in program order");
            progress.done += 1;
            steps.push(Step::Run { thread: name.clone(), step: progress.done as u32 });
        }
        if progress.buffered[index] {
            steps.push(Step::Commit { thread: name.clone(), step: index as u32 + 1 });
        }
    }
    let mut inputs = Vec::new();
    for (thread, name) in symbolic.threads.iter().zip(&names) {
        let Some(name) = name else { continue };
        let asked = thread.inputs.iter().filter(|input| value(input.guard) != 0).copied().collect::<Vec<_>>();
        let values: Vec<u64> = asked.iter().map(|input| value(input.value)).collect();
        if !values.is_empty() {
            inputs.push((name.clone(), values));
        }
    }
    inputs.sort();
    Schedule { model, program: fingerprint(program), steps, inputs }
}

/// The executed steps of a thread: which are buffered, and how many have run.
struct Progress {
    buffered: Vec<bool>,
    done: usize,
}

/// The names of the threads that come to be.
fn names(symbolic: &Symbolic, value: &mut dyn FnMut(Term) -> u64) -> Vec<Option<ThreadName>> {
    let mut names = vec![None; symbolic.threads.len()];
    names[0] = Some(ThreadName::main());
    let mut waiting = vec![ThreadId(0)];
    while let Some(parent) = waiting.pop() {
        let name: ThreadName = names[parent.0 as usize].clone().expect("a parent should have its name first");
        let mut children = 0;
        for event in symbolic.thread(parent).events.clone() {
            let event = &symbolic.events[event as usize];
            let EventKind::Create(created) = &event.kind else { continue };
            if value(event.guard) == 0 {
                continue;
            }
            children += 1;
            for &(child, condition) in created {
                if value(condition) != 0 {
                    names[child.0 as usize] = Some(name.child(children));
                    waiting.push(child);
                }
            }
        }
    }
    names
}

/// A linear order of all nodes that respects the edges, and stays in one thread (whose nodes have neighbouring numbers)
/// as long as it can. `None` if there is a cycle.
pub fn linear_order(nodes: usize, edges: &[(Node, Node)], threads: &[std::ops::Range<u32>]) -> Option<Vec<Node>> {
    let mut open = vec![0u32; nodes];
    let mut successors = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        open[to.index()] += 1;
        successors[from.index()].push(to);
    }
    let mut ready: BTreeSet<Node> = (0..nodes as u32).map(Node).filter(|node| open[node.index()] == 0).collect();
    let mut order = Vec::with_capacity(nodes);
    let mut current = 0..0;
    while let Some(&first) = ready.first() {
        let stay = ready.range(Node(current.start)..Node(current.end)).next().copied();
        let node = stay.unwrap_or(first);
        if stay.is_none() {
            let thread = threads.iter().find(|range| range.contains(&node.0));
            current = thread.cloned().unwrap_or(0..0);
        }
        ready.remove(&node);
        order.push(node);
        for &next in &successors[node.index()] {
            open[next.index()] -= 1;
            if open[next.index()] == 0 {
                ready.insert(next);
            }
        }
    }
    (order.len() == nodes).then_some(order)
}

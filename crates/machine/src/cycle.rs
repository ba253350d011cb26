//! Cycles in the trace of Shasha and Snir of one execution: the schedule is replayed, and the order of its accesses is
//! put together from what the machine tells about them, byte by byte. Here, and nowhere else, a program becomes "not
//! robust".
//!
//! The nodes are visible steps: the accesses of an atomic section are one. Two steps of a thread are in program order;
//! a step of the creator before the creation comes before the created thread's, and a thread's come before what follows
//! its join. A store that never reached memory, because the program ended first, is left out of the order of writes.

use crate::memory::ObjectRef;
use crate::observe::{Happening, Scene, Spot};
use crate::replay::{Parked, replay_with};
use norn_ir::program::Program;
use norn_verdict::claim::Mismatch;
use norn_verdict::outcome::Checks;
use norn_verdict::robustness::{CycleEdge, CyclicTrace, Point, Relation};
use norn_verdict::schedule::{Schedule, StepNumber};
use norn_verdict::trace::{EventIndex, ThreadIndex};
use std::collections::BTreeMap;

/// The one place where a program becomes "not robust": the schedule is replayed, and its trace has to have a cycle. The
/// cycle is one of the fewest steps. What has no meaning behind the steps of the schedule does not matter: a cycle stays
/// one, however its execution goes on.
pub fn confirm_cycle(program: &Program, checks: Checks, schedule: Schedule) -> Result<CyclicTrace, Mismatch> {
    let mut order = Order::default();
    let replayed = replay_with(program, checks, &schedule, Parked::Fine, &mut |scene, what, event| {
        order.happened(scene, what, event)
    })
    .map_err(|error| Mismatch::Refused(error.to_string()))?;
    let cycle = order.shortest_cycle().ok_or(Mismatch::NoCycle)?;
    Ok(CyclicTrace::replayed(schedule, replayed.trace, cycle))
}

type Byte = (ObjectRef, u64);

/// A step that accessed shared memory.
struct Node {
    thread: ThreadIndex,
    step: StepNumber,
    /// By thread: the steps up to this number come before, in the order of the program, creations and joins.
    before: Vec<StepNumber>,
}

/// An access: the node that it belongs to, and what it is in the trace.
type Access = (usize, Point);

enum Source {
    /// This many writes to the byte had reached memory.
    Writes(usize),
    /// The own store of this step, in the buffer.
    Own(StepNumber),
}

#[derive(Default)]
struct Order {
    nodes: Vec<Node>,
    numbers: BTreeMap<(ThreadIndex, StepNumber), usize>,
    /// By thread, what comes before its next step.
    clocks: Vec<Vec<StepNumber>>,
    /// In the order in which they reached memory.
    writes: BTreeMap<Byte, Vec<Access>>,
    reads: BTreeMap<Byte, Vec<(Access, Source)>>,
    /// Stores that are in a buffer.
    stores: BTreeMap<(ThreadIndex, StepNumber), Access>,
    accesses: BTreeMap<ObjectRef, Vec<Access>>,
    ends: Vec<(ObjectRef, Access)>,
}

impl Order {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>, event: EventIndex) {
        match *what {
            Happening::Read { spot, forwarded, .. } => {
                let access = self.access(scene, spot, event);
                self.read(spot, access, forwarded);
            }
            Happening::Write { spot, buffered, .. } => {
                let access = self.access(scene, spot, event);
                match (buffered, scene.step) {
                    (true, Some(step)) => {
                        self.stores.insert((scene.thread, step), access);
                    }
                    _ => self.write(spot, access),
                }
            }
            Happening::Update { spot, new, .. } => {
                let access = self.access(scene, spot, event);
                self.read(spot, access, None);
                if new.is_some() {
                    self.write(spot, access);
                }
            }
            Happening::Commit { spot, step, .. } => {
                let access = self.stores.remove(&(scene.thread, step)).expect("a commit should follow its store");
                self.write(spot, access);
            }
            Happening::ObjectEnds { object, by_free } if scene.step.is_some() => {
                let node = self.node(scene);
                let point = point(scene, by_free.then_some(event));
                self.ends.push((object, (node, point)));
            }
            Happening::Create { thread } => {
                let parent = self.clock(scene.thread).clone();
                *self.clock(thread) = parent;
            }
            Happening::Join { thread } => {
                let joined = self.clock(thread).clone();
                let clock = self.clock(scene.thread);
                clock.resize(clock.len().max(joined.len()), StepNumber::NONE);
                clock.iter_mut().zip(joined).for_each(|(own, other)| *own = (*own).max(other));
            }
            Happening::Fence(_)
            | Happening::WakesUp
            | Happening::Call { .. }
            | Happening::Input { .. }
            | Happening::ThreadEnds { .. }
            | Happening::Assumed(_)
            | Happening::Checks { .. }
            | Happening::ObjectEnds { .. }
            | Happening::Exit { .. }
            | Happening::Print { .. } => {}
        }
    }

    fn clock(&mut self, thread: ThreadIndex) -> &mut Vec<StepNumber> {
        if self.clocks.len() <= thread.index() {
            self.clocks.resize(thread.index() + 1, Vec::new());
        }
        &mut self.clocks[thread.index()]
    }

    /// The node of the step that is being taken.
    fn node(&mut self, scene: &Scene<'_>) -> usize {
        let step = scene.step.expect("a shared access should belong to a visible step");
        let thread = scene.thread;
        if let Some(&node) = self.numbers.get(&(thread, step)) {
            return node;
        }
        let clock = self.clock(thread);
        let before = clock.clone();
        clock.resize(clock.len().max(thread.index() + 1), StepNumber::NONE);
        clock[thread.index()] = step;
        let node = self.nodes.len();
        self.nodes.push(Node { thread, step, before });
        self.numbers.insert((thread, step), node);
        node
    }

    fn access(&mut self, scene: &Scene<'_>, spot: Spot, event: EventIndex) -> Access {
        let access = (self.node(scene), point(scene, Some(event)));
        self.accesses.entry(spot.object).or_default().push(access);
        access
    }

    fn read(&mut self, spot: Spot, access: Access, forwarded: Option<StepNumber>) {
        for byte in bytes(spot) {
            let source = match forwarded {
                Some(step) => Source::Own(step),
                None => Source::Writes(self.writes.get(&byte).map_or(0, Vec::len)),
            };
            self.reads.entry(byte).or_default().push((access, source));
        }
    }

    fn write(&mut self, spot: Spot, access: Access) {
        for byte in bytes(spot) {
            self.writes.entry(byte).or_default().push(access);
        }
    }

    fn is_before(&self, earlier: usize, later: usize) -> bool {
        let Node { thread, step, .. } = self.nodes[earlier];
        self.nodes[later].before.get(thread.index()).is_some_and(|&steps| steps >= step)
    }

    /// For each node the edges to others, but for those of program order, creations and joins.
    fn conflicts(&self) -> Vec<Vec<CycleEdge>> {
        let mut edges = vec![Vec::new(); self.nodes.len()];
        let mut add = |from: Access, relation, to: Access| {
            if from.0 != to.0 {
                edges[from.0].push(CycleEdge { from: from.1, relation, to: to.1 });
            }
        };
        for writes in self.writes.values() {
            for (at, &write) in writes.iter().enumerate() {
                writes[at + 1..].iter().for_each(|&later| add(write, Relation::Coherence, later));
            }
        }
        for (byte, reads) in &self.reads {
            let writes = self.writes.get(byte).map_or(&[][..], |writes| &writes[..]);
            for &(read, ref source) in reads {
                let seen = match *source {
                    Source::Writes(count) => count,
                    Source::Own(step) => {
                        let own = self.numbers[&(self.nodes[read.0].thread, step)];
                        match writes.iter().position(|write| write.0 == own) {
                            Some(at) => at + 1,
                            None => continue,
                        }
                    }
                };
                if let Some(&write) = seen.checked_sub(1).and_then(|at| writes.get(at)) {
                    add(write, Relation::ReadsFrom, read);
                }
                writes[seen..].iter().for_each(|&later| add(read, Relation::FromRead, later));
            }
        }
        for (object, end) in &self.ends {
            let accesses = self.accesses.get(object).into_iter().flatten();
            accesses.for_each(|&access| add(access, Relation::Lifetime, *end));
        }
        edges
    }

    /// The nodes that are left when those without a node before or after them are taken away, again and again: every
    /// cycle is among them.
    fn candidates(&self, conflicts: &[Vec<CycleEdge>]) -> Vec<usize> {
        let number = |point: &Point| self.numbers[&(point.thread, point.step)];
        let mut successors: Vec<Vec<usize>> =
            conflicts.iter().map(|edges| edges.iter().map(|edge| number(&edge.to)).collect()).collect();
        let mut last: BTreeMap<ThreadIndex, Vec<usize>> = BTreeMap::new();
        for (node, Node { thread, .. }) in self.nodes.iter().enumerate() {
            last.entry(*thread).or_default().push(node);
        }
        // The last step of each thread that comes before is enough: the others come before that one.
        for (node, Node { before, .. }) in self.nodes.iter().enumerate() {
            for (thread, &steps) in ThreadIndex::all(before.len()).zip(before) {
                let of_thread = last.get(&thread).map_or(&[][..], |nodes| &nodes[..]);
                let count = of_thread.partition_point(|&earlier| self.nodes[earlier].step <= steps);
                if let Some(&earlier) = count.checked_sub(1).and_then(|at| of_thread.get(at)) {
                    successors[earlier].push(node);
                }
            }
        }
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for (node, successors) in successors.iter().enumerate() {
            successors.iter().for_each(|&successor| predecessors[successor].push(node));
        }
        let mut left = vec![true; self.nodes.len()];
        for (forwards, backwards) in [(&successors, &predecessors), (&predecessors, &successors)] {
            let count = |node: usize| backwards[node].iter().filter(|&&other| left[other]).count();
            let mut open: Vec<usize> = (0..self.nodes.len()).map(count).collect();
            let mut free: Vec<usize> = (0..self.nodes.len()).filter(|&node| left[node] && open[node] == 0).collect();
            while let Some(node) = free.pop() {
                left[node] = false;
                for &next in &forwards[node] {
                    open[next] -= 1;
                    if open[next] == 0 && left[next] {
                        free.push(next);
                    }
                }
            }
        }
        (0..self.nodes.len()).filter(|&node| left[node]).collect()
    }

    /// A cycle of the fewest nodes. Where very many nodes are on cycles, only those through the first ones are compared.
    fn shortest_cycle(&self) -> Option<Vec<CycleEdge>> {
        const MOST_STARTS: usize = 256;
        let conflicts = self.conflicts();
        let candidates = self.candidates(&conflicts);
        let mut best: Option<Vec<CycleEdge>> = None;
        for &start in candidates.iter().take(MOST_STARTS) {
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            if let Some(cycle) = self.shortest_from(start, &candidates, &conflicts, most) {
                best = Some(cycle);
            }
        }
        best
    }

    /// The shortest way from a node back to itself, of at most `most` edges.
    fn shortest_from(
        &self,
        start: usize,
        candidates: &[usize],
        conflicts: &[Vec<CycleEdge>],
        most: usize,
    ) -> Option<Vec<CycleEdge>> {
        let number = |point: &Point| self.numbers[&(point.thread, point.step)];
        let mut reached: Vec<Option<(usize, CycleEdge)>> = vec![None; self.nodes.len()];
        let mut wave = vec![start];
        for _ in 0..most.min(self.nodes.len()) {
            let mut next = Vec::new();
            for &node in &wave {
                let thread = self.nodes[node].thread;
                let ordered = candidates.iter().filter(|&&later| self.is_before(node, later)).map(|&later| {
                    let same = self.nodes[later].thread == thread;
                    let relation = if same { Relation::ProgramOrder } else { Relation::ThreadOrder };
                    CycleEdge { from: self.point_of(node), relation, to: self.point_of(later) }
                });
                for edge in conflicts[node].iter().copied().chain(ordered) {
                    let to = number(&edge.to);
                    if reached[to].is_none() {
                        reached[to] = Some((node, edge));
                        next.push(to);
                    }
                }
            }
            if reached[start].is_some() {
                break;
            }
            wave = next;
        }
        let mut cycle = Vec::new();
        let mut at = start;
        loop {
            let (before, edge) = reached[at]?;
            cycle.push(edge);
            at = before;
            if at == start {
                break;
            }
        }
        cycle.reverse();
        Some(cycle)
    }

    /// The first access of a node.
    fn point_of(&self, node: usize) -> Point {
        let of_node = self.accesses.values().flatten().chain(self.ends.iter().map(|(_, end)| end));
        let points = of_node.filter(|access| access.0 == node).map(|access| access.1);
        points.min_by_key(|point| point.event).expect("a node should have an access")
    }
}

fn bytes(spot: Spot) -> impl Iterator<Item = Byte> {
    (spot.offset..spot.offset + spot.size).map(move |at| (spot.object, at))
}

fn point(scene: &Scene<'_>, event: Option<EventIndex>) -> Point {
    let span = scene.state.threads[scene.thread.index()].place(scene.machine.program).span;
    Point { event, thread: scene.thread, step: scene.step.unwrap_or(StepNumber::NONE), span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::threads;
    use norn_verdict::schedule::fingerprint;

    /// The cycle of an execution of store buffering, as steps and relations.
    fn cycle(lines: &str) -> Result<String, Mismatch> {
        let program = threads("x y", &["store i32 g0, 1\nr0 = load g1", "store i32 g1, 1\nr0 = load g0"]);
        let created = "run main 1, run main 2";
        let lines: String = created.split(", ").chain(lines.split(", ")).map(|line| format!("{line}\n")).collect();
        let text = format!("norn-schedule 1\nmodel tso\nprogram {:016x}\n{lines}end\n", fingerprint(&program));
        let schedule = text.parse().expect("it should be a schedule");
        let cyclic = confirm_cycle(&program, Checks::default(), schedule)?;
        let edge = |e: &CycleEdge| format!("{}:{} {}", e.from.thread.0, e.from.step, e.relation.name());
        Ok(cyclic.cycle().iter().map(edge).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn the_cycle_is_found_in_what_the_machine_did() {
        let late = "run main.1 1, run main.1 2, run main.2 1, commit main.2 1, run main.2 2, commit main.1 1";
        assert_eq!(cycle(late), Ok("1:1 po, 1:2 fr, 2:1 po, 2:2 fr".to_owned()));
        let early = "run main.1 1, run main.1 2, commit main.1 1, run main.2 1, commit main.2 1, run main.2 2";
        assert_eq!(cycle(early), Err(Mismatch::NoCycle));
        // The store that is in nobody's way has not reached memory.
        let unfinished = "run main.1 1, run main.1 2, run main.2 1, commit main.2 1, run main.2 2";
        assert_eq!(cycle(unfinished), Err(Mismatch::NoCycle));
        assert!(matches!(cycle("run main.1 2"), Err(Mismatch::Refused(_))));
    }
}

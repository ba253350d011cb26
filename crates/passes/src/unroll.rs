//! Unrolls the loops of one function: control only moves forward in the result, calls stay.
//!
//! A copy of a block is named by the block and, for each loop around it from the outermost inwards, how often a back
//! edge of that loop has been taken since the loop was entered. An edge that enters a loop starts its count at 0, a back
//! edge adds one to the count of its loop and leaves all loops inside, other edges keep the counts of the loops that
//! they stay in. Where a count would exceed its bound, the copy is a cut: a block that stops the thread. So a loop's
//! header runs at most bound + 1 times per entry, whichever back edges are taken; a do-while loop's body as often.
//!
//! Copies are also kept apart by the local objects that are inside their scope, so that inlining knows which scopes a
//! return ends. Front ends close scopes on every way out, so that this makes no further copies in practice.

use std::collections::HashMap;

use norn_ir::ids::{BlockId, LocalId};
use norn_ir::instr::{InstrKind, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function};

use crate::loops::{LoopForest, LoopId};

pub(crate) struct Unrolled {
    /// Blocks jump to later blocks only; the first is a copy of the function's first.
    pub blocks: Vec<Block>,
    pub copies: Vec<CopyOf>,
}

/// What a block of the result was copied from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CopyOf {
    pub block: BlockId,
    /// The counts of the loops around the block, from the outermost inwards.
    pub iterations: Vec<u32>,
    /// If it is no copy but the place where this loop would go on.
    pub cut: Option<LoopId>,
    /// Whether it begins inside a section.
    pub in_section: bool,
    /// The local objects that are inside their scope where the block ends.
    pub open_at_end: Vec<LocalId>,
}

/// The limit on instructions was reached; this loop has the most copies.
pub(crate) struct TooMany(pub Option<LoopId>);

pub(crate) fn unroll(
    function: &Function,
    forest: &LoopForest,
    bound: impl Fn(LoopId) -> u32,
    limit: usize,
) -> Result<Unrolled, TooMany> {
    let mut unroller = Unroller {
        function,
        forest,
        limit,
        size: 0,
        size_of_block: vec![0; function.blocks.len()],
        states: Vec::new(),
        known: HashMap::new(),
        scopes: Scopes::default(),
    };
    let no_scopes = unroller.scopes.intern(Vec::new());
    let start = State { block: Function::ENTRY, iterations: Vec::new(), scopes: no_scopes, cut: None };
    unroller.copy_of(start, false)?;
    let mut blocks = Vec::new();
    let mut copies = Vec::new();
    while blocks.len() < unroller.states.len() {
        let (block, copy) = unroller.expand(blocks.len(), &bound)?;
        blocks.push(block);
        copies.push(copy);
    }
    Ok(in_order(blocks, copies))
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    block: BlockId,
    iterations: Vec<u32>,
    scopes: ScopesId,
    cut: Option<LoopId>,
}

struct Unroller<'a> {
    function: &'a Function,
    forest: &'a LoopForest,
    limit: usize,
    size: usize,
    /// Instructions copied from each block.
    size_of_block: Vec<usize>,
    /// In the order of discovery; a state's index is the number of its block until the blocks are sorted.
    states: Vec<(State, bool)>,
    known: HashMap<State, BlockId>,
    scopes: Scopes,
}

impl Unroller<'_> {
    fn copy_of(&mut self, state: State, in_section: bool) -> Result<BlockId, TooMany> {
        if let Some(&id) = self.known.get(&state) {
            return Ok(id);
        }
        let size = if state.cut.is_some() { 1 } else { self.function.block(state.block).instrs.len() + 1 };
        self.size += size;
        self.size_of_block[state.block.index()] += size;
        if self.size > self.limit {
            return Err(self.too_many());
        }
        let id = BlockId::new(self.states.len());
        self.known.insert(state.clone(), id);
        self.states.push((state, in_section));
        Ok(id)
    }

    fn too_many(&self) -> TooMany {
        let mut sizes = vec![0; self.forest.loops.len()];
        for block in self.function.block_ids() {
            if let Some(id) = self.forest.innermost(block) {
                sizes[id.index()] += self.size_of_block[block.index()];
            }
        }
        TooMany((0..sizes.len()).max_by_key(|&i| (sizes[i], std::cmp::Reverse(i))).map(LoopId::new))
    }

    fn expand(&mut self, index: usize, bound: &impl Fn(LoopId) -> u32) -> Result<(Block, CopyOf), TooMany> {
        let (state, in_section) = self.states[index].clone();
        let copy = |open_at_end| CopyOf {
            block: state.block,
            iterations: state.iterations.clone(),
            cut: state.cut,
            in_section,
            open_at_end,
        };
        if let Some(id) = state.cut {
            let span = self.forest.get(id).span;
            let terminator = Terminator { kind: TerminatorKind::Stop, span };
            return Ok((Block { instrs: Vec::new(), terminator }, copy(Vec::new())));
        }
        let mut block = self.function.block(state.block).clone();
        let scopes = self.scopes.after(state.scopes, state.block, &block);
        let in_section = block.instrs.iter().fold(in_section, |inside, instr| match instr.kind {
            InstrKind::SectionBegin(_) => true,
            InstrKind::SectionEnd => false,
            _ => inside,
        });
        let open_at_end = self.scopes.list(scopes).to_vec();
        let copy = copy(open_at_end);
        let mut failure = None;
        block.terminator.kind.map_successors(|target| {
            let next = self.follow(&state, target, scopes, bound);
            self.copy_of(next, in_section).unwrap_or_else(|error| {
                failure.get_or_insert(error);
                target
            })
        });
        match failure {
            Some(error) => Err(error),
            None => Ok((block, copy)),
        }
    }

    fn follow(&self, from: &State, to: BlockId, scopes: ScopesId, bound: &impl Fn(LoopId) -> u32) -> State {
        let mut around: Vec<LoopId> = self.forest.around(to).collect();
        around.reverse();
        let mut left: Vec<LoopId> = self.forest.around(from.block).collect();
        left.reverse();
        let stays = around.iter().zip(&left).take_while(|(a, b)| a == b).count();
        let mut iterations = from.iterations[..stays].to_vec();
        iterations.resize(around.len(), 0);
        let mut cut = None;
        if let Some(&innermost) = around.last()
            && stays == around.len()
            && self.forest.get(innermost).header == to
        {
            let count = iterations.last_mut().expect("a loop around a block should have a count");
            *count += 1;
            if *count > bound(innermost) {
                cut = Some(innermost);
            }
        }
        State { block: to, iterations, scopes, cut }
    }
}

/// Sorts the blocks so that each comes before those that it jumps to.
fn in_order(blocks: Vec<Block>, copies: Vec<CopyOf>) -> Unrolled {
    let order = topological_order(&blocks);
    let mut position = vec![BlockId(0); blocks.len()];
    for (new, old) in order.iter().enumerate() {
        position[old.index()] = BlockId::new(new);
    }
    let mut sorted: Vec<(BlockId, Block, CopyOf)> = blocks
        .into_iter()
        .zip(copies)
        .zip(&position)
        .map(|((mut block, copy), &at)| {
            block.terminator.kind.map_successors(|to| position[to.index()]);
            (at, block, copy)
        })
        .collect();
    sorted.sort_by_key(|entry| entry.0);
    let (blocks, copies) = sorted.into_iter().map(|(_, block, copy)| (block, copy)).unzip();
    Unrolled { blocks, copies }
}

/// The blocks that can be reached from the first, each before those that it jumps to.
pub(crate) fn topological_order(blocks: &[Block]) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    seen[0] = true;
    // With how many of its successors have been looked at.
    let mut path = vec![(BlockId(0), 0)];
    while let Some((id, at)) = path.last_mut() {
        let next = successor(&blocks[id.index()].terminator.kind, *at);
        *at += 1;
        match next {
            Some(to) if !seen[to.index()] => {
                seen[to.index()] = true;
                path.push((to, 0));
            }
            Some(_) => {}
            None => {
                order.push(*id);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// One of the successors, which keep their order.
fn successor(kind: &TerminatorKind, at: usize) -> Option<BlockId> {
    match kind {
        TerminatorKind::Goto(target) => (at == 0).then_some(*target),
        TerminatorKind::Branch { then, otherwise, .. } => [*then, *otherwise].get(at).copied(),
        _ => kind.successors().nth(at),
    }
}

norn_ir::ids! {
    /// A set of local objects inside their scope.
    ScopesId = "scopes";
}

#[derive(Default)]
struct Scopes {
    /// Sorted lists.
    lists: Vec<Vec<LocalId>>,
    known: HashMap<Vec<LocalId>, ScopesId>,
    after: HashMap<(ScopesId, BlockId), ScopesId>,
}

impl Scopes {
    fn intern(&mut self, list: Vec<LocalId>) -> ScopesId {
        if let Some(&id) = self.known.get(&list) {
            return id;
        }
        let id = ScopesId::new(self.lists.len());
        self.lists.push(list.clone());
        self.known.insert(list, id);
        id
    }

    fn list(&self, id: ScopesId) -> &[LocalId] {
        &self.lists[id.0 as usize]
    }

    fn after(&mut self, before: ScopesId, id: BlockId, block: &Block) -> ScopesId {
        if let Some(&after) = self.after.get(&(before, id)) {
            return after;
        }
        let mut list = self.list(before).to_vec();
        for instr in &block.instrs {
            match instr.kind {
                InstrKind::LocalEnter(local) => {
                    if let Err(at) = list.binary_search(&local) {
                        list.insert(at, local);
                    }
                }
                InstrKind::LocalExit(local) => {
                    if let Ok(at) = list.binary_search(&local) {
                        list.remove(at);
                    }
                }
                _ => {}
            }
        }
        let after = self.intern(list);
        self.after.insert((before, id), after);
        after
    }
}

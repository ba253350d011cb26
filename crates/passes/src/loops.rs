//! The loops of a function, nested, reducible or not.
//!
//! A depth-first search from the entry block fixes which edges go back (to a block on the current path). All back
//! edges to one block make one loop, and that block is its header. The loop consists of the blocks that are on a cycle
//! with the header among the blocks first found below it. For reducible graphs these are the natural loops. An
//! irreducible loop has further entries beside its header; every cycle still has a back edge, so bounding the back
//! edges bounds every run. The nesting is that of Havlak, "Nesting of reducible and irreducible loops" (1997).

use norn_ir::ids::BlockId;
use norn_ir::number::narrow;
use norn_ir::program::Function;
use norn_ir::span::Span;

norn_ir::ids! {
    /// A loop of a function: an index into [`LoopForest::loops`].
    LoopId = "loop";
}

#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// The blocks that jump back to the header from inside, ascending.
    pub latches: Vec<BlockId>,
    /// The blocks that belong to it and to no loop inside it, ascending.
    pub blocks: Vec<BlockId>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Whether control can get in only through the header.
    pub reducible: bool,
    /// Where it stands, as `--show-loops` prints it: the first place, by line, among the first of the header and the
    /// jumps back, in the file of the former.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct LoopForest {
    /// A loop comes after those around it.
    pub loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
}

impl LoopForest {
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }

    /// The innermost loop that a block belongs to; a header belongs to its own. Unreachable blocks have none.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// The loops that a block belongs to, from the innermost outwards.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(block), |&id| self.get(id).parent)
    }

    /// The loop whose back edge this is.
    pub fn back_edge(&self, from: BlockId, to: BlockId) -> Option<LoopId> {
        let id = self.innermost(to)?;
        (self.get(id).header == to && self.around(from).any(|around| around == id)).then_some(id)
    }
}

pub fn loops(function: &Function) -> LoopForest {
    let count = function.blocks.len();
    let tree = SearchTree::new(function);
    let mut nesting = Nesting {
        tree: &tree,
        collapsed: (0..count).map(BlockId::new).collect(),
        header: vec![None; count],
        other_preds: vec![Vec::new(); count],
    };
    let mut latches = vec![Vec::new(); count];
    for (block, preds) in function.predecessors().into_iter().enumerate() {
        for pred in preds.into_iter().filter(|pred| tree.first[pred.index()].is_some()) {
            if tree.is_below(pred, BlockId::new(block)) {
                latches[block].push(pred);
            } else {
                nesting.other_preds[block].push(pred);
            }
        }
    }
    let mut reducible = vec![true; count];
    for &header in tree.order.iter().rev() {
        reducible[header.index()] = nesting.collapse(header, &latches[header.index()]);
    }
    forest(function, &tree, &nesting.header, latches, &reducible)
}

/// The order in which a depth-first search first finds the blocks.
struct SearchTree {
    order: Vec<BlockId>,
    /// Position in `order`; `None` for unreachable blocks.
    first: Vec<Option<u32>>,
    /// The last position of what was found below the block.
    last: Vec<u32>,
}

impl SearchTree {
    fn new(function: &Function) -> SearchTree {
        let count = function.blocks.len();
        let mut tree = SearchTree { order: Vec::new(), first: vec![None; count], last: vec![0; count] };
        let mut path = Vec::new();
        if count > 0 {
            tree.enter(Function::ENTRY);
            path.push((Function::ENTRY, function.block(Function::ENTRY).terminator.kind.successors()));
        }
        while let Some((block, successors)) = path.last_mut() {
            match successors.next() {
                Some(next) if tree.first[next.index()].is_none() => {
                    tree.enter(next);
                    path.push((next, function.block(next).terminator.kind.successors()));
                }
                Some(_) => {}
                None => {
                    tree.last[block.index()] = narrow(tree.order.len() - 1);
                    path.pop();
                }
            }
        }
        tree
    }

    fn enter(&mut self, block: BlockId) {
        self.first[block.index()] = Some(narrow(self.order.len()));
        self.order.push(block);
    }

    /// Whether `below` is `above` or was found below it.
    fn is_below(&self, below: BlockId, above: BlockId) -> bool {
        match (self.first[below.index()], self.first[above.index()]) {
            (Some(b), Some(a)) => a <= b && b <= self.last[above.index()],
            _ => false,
        }
    }
}

struct Nesting<'a> {
    tree: &'a SearchTree,
    /// Union-find: towards the header of the outermost loop so far.
    collapsed: Vec<BlockId>,
    /// The header of the innermost loop around a block, not counting the loop that the block heads.
    header: Vec<Option<BlockId>>,
    /// Where control comes from, other than back edges.
    other_preds: Vec<Vec<BlockId>>,
}

impl Nesting<'_> {
    fn find(&mut self, block: BlockId) -> BlockId {
        let mut root = block;
        while self.collapsed[root.index()] != root {
            root = self.collapsed[root.index()];
        }
        let mut at = block;
        while at != root {
            at = std::mem::replace(&mut self.collapsed[at.index()], root);
        }
        root
    }

    /// Gathers the loop of `header` (inner loops are single blocks by now). Whether it is reducible.
    fn collapse(&mut self, header: BlockId, latches: &[BlockId]) -> bool {
        let mut reducible = true;
        let mut body = Vec::new();
        for &latch in latches {
            let latch = self.find(latch);
            self.join(latch, header, &mut body);
        }
        let mut at = 0;
        while at < body.len() {
            let member: BlockId = body[at];
            at += 1;
            for pred in std::mem::take(&mut self.other_preds[member.index()]) {
                let pred = self.find(pred);
                if self.tree.is_below(pred, header) {
                    self.join(pred, header, &mut body);
                } else {
                    reducible = false;
                    self.other_preds[header.index()].push(pred);
                }
            }
        }
        for member in body {
            self.collapsed[member.index()] = header;
        }
        reducible
    }

    fn join(&mut self, block: BlockId, header: BlockId, body: &mut Vec<BlockId>) {
        if block != header && self.header[block.index()] != Some(header) {
            self.header[block.index()] = Some(header);
            body.push(block);
        }
    }
}

fn forest(
    function: &Function,
    tree: &SearchTree,
    outer_header: &[Option<BlockId>],
    latches: Vec<Vec<BlockId>>,
    reducible: &[bool],
) -> LoopForest {
    let mut forest = LoopForest { loops: Vec::new(), innermost: vec![None; function.blocks.len()] };
    let mut latches = latches;
    // A header is found before the blocks of its loop, so the loop around a block is known when the block's turn comes.
    for &block in &tree.order {
        let around = outer_header[block.index()].and_then(|header| forest.innermost[header.index()]);
        let latches = std::mem::take(&mut latches[block.index()]);
        forest.innermost[block.index()] = if latches.is_empty() {
            around
        } else {
            let span = loop_span(function, block, &latches);
            forest.loops.push(Loop {
                header: block,
                latches,
                blocks: Vec::new(),
                parent: around,
                depth: around.map_or(0, |id| forest.get(id).depth) + 1,
                reducible: reducible[block.index()],
                span,
            });
            Some(LoopId::new(forest.loops.len() - 1))
        };
    }
    for block in function.block_ids() {
        if let Some(id) = forest.innermost(block) {
            forest.loops[id.index()].blocks.push(block);
        }
    }
    forest
}

fn loop_span(function: &Function, header: BlockId, latches: &[BlockId]) -> Span {
    let block = function.block(header);
    let spans = block.instrs.iter().map(|instr| instr.span).chain([block.terminator.span]);
    let first = spans.into_iter().find(|span| span.line != 0);
    let jumps = latches.iter().map(|&latch| function.block(latch).terminator.span);
    let known = first.into_iter().chain(jumps).filter(|span| span.line != 0);
    let file = first.map(|span| span.file);
    known.filter(|span| file.is_none_or(|file| file == span.file)).min().unwrap_or(function.span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::parse::parse;

    /// Blocks from their successors: none returns, one is a `goto`, two a branch.
    fn function(successors: &[&[u32]]) -> Function {
        let mut text = "norn-ir 1\ntarget lp64\nentry f0\nfunction f0 \"f\" () {\n".to_owned();
        for (block, next) in successors.iter().enumerate() {
            let jump = match next {
                [] => "return".to_owned(),
                [to] => format!("goto b{to}"),
                [a, b] => format!("branch true, b{a}, b{b}"),
                _ => panic!("a block should have at most two successors"),
            };
            text += &format!("b{block}:\n  {jump}\n");
        }
        parse(&(text + "}\n")).expect("the text should parse").functions.remove(0)
    }

    fn check(successors: &[&[u32]], expected: &[&str]) {
        let forest = loops(&function(successors));
        let shown: Vec<String> = forest
            .loops
            .iter()
            .map(|l| {
                let parent = l.parent.map_or(String::new(), |p| format!(" in {}", forest.get(p).header));
                let kind = if l.reducible { "" } else { " irreducible" };
                format!("{} from {:?}: {:?}{parent}{kind}", l.header, l.latches, l.blocks)
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn no_loop() {
        check(&[&[1, 2], &[3], &[3], &[]], &[]);
    }

    #[test]
    fn natural_loops() {
        check(&[&[1], &[2, 3], &[1], &[]], &["b1 from [b2]: [b1, b2]"]);
        check(&[&[1], &[1, 2], &[]], &["b1 from [b1]: [b1]"]);
        // Two ways back are one loop.
        check(&[&[1], &[2, 4], &[1, 3], &[1], &[]], &["b1 from [b2, b3]: [b1, b2, b3]"]);
    }

    #[test]
    fn nested_loops() {
        check(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]], &["b1 from [b4]: [b1, b4]", "b2 from [b3]: [b2, b3] in b1"]);
        // The inner loop is left by a jump out of both, the outer is continued from inside the inner.
        check(&[&[1], &[2], &[3, 1], &[2, 4], &[]], &["b1 from [b2]: [b1]", "b2 from [b3]: [b2, b3] in b1"]);
    }

    #[test]
    fn irreducible_loops() {
        check(&[&[1, 2], &[2, 3], &[1], &[]], &["b1 from [b2]: [b1, b2] irreducible"]);
        // An irreducible loop inside a natural one.
        check(
            &[&[1], &[2, 3], &[3], &[2, 4], &[1, 5], &[]],
            &["b1 from [b4]: [b1, b4]", "b2 from [b3]: [b2, b3] in b1 irreducible"],
        );
    }

    #[test]
    fn unreachable_blocks_make_no_loop() {
        check(&[&[2], &[1], &[]], &[]);
        check(&[&[2], &[2], &[]], &[]);
    }

    #[test]
    fn back_edges_are_told_from_entries() {
        let forest = loops(&function(&[&[1], &[2, 3], &[1], &[]]));
        assert_eq!(forest.back_edge(BlockId(2), BlockId(1)), Some(LoopId(0)));
        assert_eq!(forest.back_edge(BlockId(0), BlockId(1)), None);
        assert_eq!(forest.back_edge(BlockId(1), BlockId(2)), None);
    }
}

//! Putting a program together: types and objects once, functions block by block.

use std::collections::{HashMap, HashSet};

use norn_ir::ids::{BlockId, FuncId, GlobalId, Reg, TypeId};
use norn_ir::instr::{Instr, InstrKind, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Global, Init, Origin, Program, Register, Storage};
use norn_ir::span::Span;
use norn_ir::types::{Display, Shape, Target, Ty, Type};

/// A program under construction.
pub(crate) struct Builder {
    pub program: Program,
    types: HashMap<Shape, TypeId>,
}

impl Builder {
    pub fn new(target: Target, file: &str) -> Builder {
        let program = Program {
            target,
            reuses_memory: false,
            files: vec![file.to_owned()],
            types: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            entry: FuncId(0),
        };
        Builder::of(program)
    }

    /// Goes on with a program that has types already.
    pub fn of(program: Program) -> Builder {
        let types = program.types.iter().enumerate().map(|(i, ty)| (ty.shape.clone(), TypeId::new(i))).collect();
        Builder { program, types }
    }

    pub fn scalar(&mut self, ty: Ty, display: Display) -> TypeId {
        let size = ty.size(self.program.target);
        self.type_id(Type { size, align: size, shape: Shape::Scalar { ty, display } })
    }

    pub fn array(&mut self, element: TypeId, length: u64) -> TypeId {
        let Type { size, align, .. } = *self.program.ty(element);
        self.type_id(Type { size: size.saturating_mul(length), align, shape: Shape::Array { element, length } })
    }

    fn type_id(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.types.get(&ty.shape) {
            return id;
        }
        let id = TypeId::new(self.program.types.len());
        self.types.insert(ty.shape.clone(), id);
        self.program.types.push(ty);
        id
    }

    pub fn global(&mut self, name: &str, ty: TypeId, init: Vec<Init>, span: Span) -> GlobalId {
        self.program.globals.push(Global {
            name: name.to_owned(),
            ty,
            storage: Storage::Static,
            init,
            private: false,
            origin: Origin::User,
            span,
        });
        GlobalId::new(self.program.globals.len() - 1)
    }
}

/// A function under construction: instructions go to the end of the current block.
pub(crate) struct FunctionBuilder {
    function: Function,
    /// Which blocks have their terminator.
    closed: Vec<bool>,
    current: BlockId,
    /// Of what is added next.
    pub span: Span,
}

impl FunctionBuilder {
    pub fn new(name: &str, result: Option<Ty>, span: Span) -> FunctionBuilder {
        let function = Function {
            name: name.to_owned(),
            params: Vec::new(),
            result,
            registers: Vec::new(),
            locals: Vec::new(),
            blocks: Vec::new(),
            origin: Origin::User,
            span,
        };
        let mut builder = FunctionBuilder { function, closed: Vec::new(), current: BlockId(0), span };
        builder.block();
        builder
    }

    pub fn reg(&mut self, ty: Ty, name: &str) -> Reg {
        self.function.registers.push(Register { ty, name: name.to_owned() });
        Reg::new(self.function.registers.len() - 1)
    }

    pub fn temporary(&mut self, ty: Ty) -> Reg {
        self.reg(ty, "")
    }

    /// A new block, not yet current. Unless it gets an end, nothing reaches its end.
    pub fn block(&mut self) -> BlockId {
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: self.span };
        self.function.blocks.push(Block { instrs: Vec::new(), terminator });
        self.closed.push(false);
        BlockId::new(self.function.blocks.len() - 1)
    }

    pub fn go_on_in(&mut self, block: BlockId) {
        self.current = block;
    }

    pub fn push(&mut self, kind: InstrKind) {
        if !self.closed[self.current.index()] {
            self.function.blocks[self.current.index()].instrs.push(Instr { kind, span: self.span });
        }
    }

    /// Ends the current block. What follows without a new block is never reached and dropped.
    pub fn terminate(&mut self, kind: TerminatorKind) {
        let index = self.current.index();
        if !self.closed[index] {
            self.closed[index] = true;
            self.function.blocks[index].terminator = Terminator { kind, span: self.span };
        }
    }

    pub fn finish(mut self) -> Function {
        merge_blocks(&mut self.function);
        drop_unread(&mut self.function);
        number_registers(&mut self.function);
        self.function
    }
}

/// Appends a block to the only one that jumps to it, and leaves out blocks that are not reached.
fn merge_blocks(function: &mut Function) {
    let order = function.reverse_postorder();
    let mut entries = vec![0_u32; function.blocks.len()];
    let mut reached = vec![false; function.blocks.len()];
    for &id in &order {
        reached[id.index()] = true;
        function.block(id).terminator.kind.successors().for_each(|next| entries[next.index()] += 1);
    }
    for &id in &order {
        if !reached[id.index()] {
            continue;
        }
        while let TerminatorKind::Goto(next) = function.block(id).terminator.kind {
            if next == id || next == BlockId(0) || entries[next.index()] != 1 {
                break;
            }
            reached[next.index()] = false;
            let instrs = std::mem::take(&mut function.blocks[next.index()].instrs);
            let terminator = function.block(next).terminator.clone();
            let block = &mut function.blocks[id.index()];
            block.instrs.extend(instrs);
            block.terminator = terminator;
        }
    }
    let mut number = vec![BlockId(0); function.blocks.len()];
    for (kept, (index, _)) in reached.iter().enumerate().filter(|(_, reached)| **reached).enumerate() {
        number[index] = BlockId::new(kept);
    }
    let mut index = 0;
    function.blocks.retain(|_| {
        index += 1;
        reached[index - 1]
    });
    for block in &mut function.blocks {
        block.terminator.kind.map_successors(|next| number[next.index()]);
    }
}

/// Drops computations whose result nothing reads.
fn drop_unread(function: &mut Function) {
    let mut reads = vec![0_u32; function.registers.len()];
    for block in &function.blocks {
        block.instrs.iter().for_each(|instr| instr.kind.for_each_use(|reg| reads[reg.index()] += 1));
        block.terminator.kind.for_each_use(|reg| reads[reg.index()] += 1);
    }
    // Results are mostly read further down, so that going up finds nearly all in one turn; what is left does no harm.
    for _ in 0..8 {
        let mut dropped = false;
        for block in function.blocks.iter_mut().rev() {
            let mut kept = Vec::with_capacity(block.instrs.len());
            // Registers that are assigned further down in this block before anything reads them.
            let mut overwritten = HashSet::new();
            for instr in block.instrs.drain(..).rev() {
                let is_unread = |reg: Reg| reads[reg.index()] == 0 || overwritten.contains(&reg);
                if instr.kind.only_computes() && instr.kind.defs().all(is_unread) {
                    instr.kind.for_each_use(|reg| reads[reg.index()] -= 1);
                    dropped = true;
                } else {
                    overwritten.extend(instr.kind.defs());
                    instr.kind.for_each_use(|reg| {
                        overwritten.remove(&reg);
                    });
                    kept.push(instr);
                }
            }
            kept.reverse();
            block.instrs = kept;
        }
        if !dropped {
            return;
        }
    }
}

/// Leaves out registers that are not mentioned any more.
pub(crate) fn number_registers(function: &mut Function) {
    let mut number: Vec<Option<Reg>> = vec![None; function.registers.len()];
    let mut kept = Vec::new();
    for block in &mut function.blocks {
        let mut renumber = |reg: Reg| {
            *number[reg.index()].get_or_insert_with(|| {
                kept.push(function.registers[reg.index()].clone());
                Reg::new(kept.len() - 1)
            })
        };
        let on_operand = |operand, renumber: &mut dyn FnMut(Reg) -> Reg| match operand {
            norn_ir::instr::Operand::Reg(reg) => norn_ir::instr::Operand::Reg(renumber(reg)),
            other => other,
        };
        for instr in &mut block.instrs {
            instr.kind.map_operands(|operand| on_operand(operand, &mut renumber));
            instr.kind.map_defs(&mut renumber);
        }
        block.terminator.kind.map_operands(|operand| on_operand(operand, &mut renumber));
    }
    function.registers = kept;
}

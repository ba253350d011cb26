//! Drops the functions, objects and types that the entry, the user's functions and the user's objects do not need, and
//! numbers the rest anew.

use norn_ir::ids::{FuncId, GlobalId, TypeId};
use norn_ir::instr::{Callee, InstrKind, Operand};
use norn_ir::program::{InitValue, Program};
use norn_ir::types::Shape;

/// What must stay.
pub struct Roots {
    pub functions: Vec<FuncId>,
    pub globals: Vec<GlobalId>,
}

pub fn prune(program: &mut Program, roots: &Roots) {
    let mut marks = Marks {
        functions: vec![false; program.functions.len()],
        globals: vec![false; program.globals.len()],
        types: vec![false; program.types.len()],
        pending: Vec::new(),
    };
    marks.function(program.entry);
    roots.functions.iter().for_each(|&id| marks.function(id));
    roots.globals.iter().for_each(|&id| marks.global(id));
    while let Some(item) = marks.pending.pop() {
        match item {
            Item::Function(id) => mark_function(program, id, &mut marks),
            Item::Global(id) => {
                let global = program.global(id);
                marks.ty(program, global.ty);
                for init in &global.init {
                    match init.value {
                        InitValue::Global(id, _) => marks.global(id),
                        InitValue::Func(id) => marks.function(id),
                        InitValue::Const(_) | InitValue::Bytes(_) => {}
                    }
                }
            }
        }
    }
    renumber(program, &marks);
}

enum Item {
    Function(FuncId),
    Global(GlobalId),
}

struct Marks {
    functions: Vec<bool>,
    globals: Vec<bool>,
    types: Vec<bool>,
    pending: Vec<Item>,
}

impl Marks {
    fn function(&mut self, id: FuncId) {
        if !std::mem::replace(&mut self.functions[id.index()], true) {
            self.pending.push(Item::Function(id));
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !std::mem::replace(&mut self.globals[id.index()], true) {
            self.pending.push(Item::Global(id));
        }
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Global(id, _) => self.global(id),
            Operand::Func(id) => self.function(id),
            _ => {}
        }
    }

    fn ty(&mut self, program: &Program, id: TypeId) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut self.types[id.index()], true) {
                continue;
            }
            match &program.ty(id).shape {
                Shape::Array { element, .. } => pending.push(*element),
                Shape::Record(record) => pending.extend(record.fields.iter().map(|f| f.ty)),
                Shape::Scalar { .. } | Shape::Bytes => {}
            }
        }
    }
}

fn mark_function(program: &Program, id: FuncId, marks: &mut Marks) {
    let function = program.function(id);
    for local in &function.locals {
        marks.ty(program, local.ty);
    }
    for block in &function.blocks {
        for instr in &block.instrs {
            instr.kind.for_each_operand(|operand| marks.operand(operand));
            match &instr.kind {
                InstrKind::Call { callee: Callee::Direct(id), .. } => marks.function(*id),
                InstrKind::Alloc { ty: Some(ty), .. } => marks.ty(program, *ty),
                _ => {}
            }
        }
        block.terminator.kind.for_each_operand(|operand| marks.operand(operand));
    }
}

/// New numbers for what is marked, in the same order.
fn numbers(marks: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let number = |&marked: &bool| {
        next += u32::from(marked);
        next.wrapping_sub(1)
    };
    marks.iter().map(number).collect()
}

fn retain<T>(items: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    items.retain(|_| *marks.next().unwrap_or(&true));
}

fn renumber(program: &mut Program, marks: &Marks) {
    let (functions, globals, types) = (numbers(&marks.functions), numbers(&marks.globals), numbers(&marks.types));
    let function = |id: FuncId| FuncId(functions[id.index()]);
    let global = |id: GlobalId| GlobalId(globals[id.index()]);
    let ty = |id: TypeId| TypeId(types[id.index()]);
    let operand = |operand: Operand| match operand {
        Operand::Global(id, offset) => Operand::Global(global(id), offset),
        Operand::Func(id) => Operand::Func(function(id)),
        other => other,
    };
    retain(&mut program.functions, &marks.functions);
    retain(&mut program.globals, &marks.globals);
    retain(&mut program.types, &marks.types);
    program.entry = function(program.entry);
    for layout in &mut program.types {
        match &mut layout.shape {
            Shape::Array { element, .. } => *element = ty(*element),
            Shape::Record(record) => record.fields.iter_mut().for_each(|f| f.ty = ty(f.ty)),
            Shape::Scalar { .. } | Shape::Bytes => {}
        }
    }
    for object in &mut program.globals {
        object.ty = ty(object.ty);
        for init in &mut object.init {
            match &mut init.value {
                InitValue::Global(id, _) => *id = global(*id),
                InitValue::Func(id) => *id = function(*id),
                InitValue::Const(_) | InitValue::Bytes(_) => {}
            }
        }
    }
    for f in &mut program.functions {
        f.locals.iter_mut().for_each(|local| local.ty = ty(local.ty));
        for block in &mut f.blocks {
            for instr in &mut block.instrs {
                instr.kind.map_operands(operand);
                match &mut instr.kind {
                    InstrKind::Call { callee: Callee::Direct(id), .. } => *id = function(*id),
                    InstrKind::Alloc { ty: Some(id), .. } => *id = ty(*id),
                    _ => {}
                }
            }
            block.terminator.kind.map_operands(operand);
        }
    }
}

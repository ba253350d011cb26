//! The scalar locations of shared objects, for the list SMA, which has a list of writes per location.
//!
//! An object has the cells that its type says. Where the type does not tell (unions, raw bytes) the cells are the places
//! that are accessed at fixed offsets. Accesses of other sizes than the cells have are refused where that can be seen
//! here; where it depends on a computed address, the translated program itself looks, see `SMA_MIXED` in the template.

use crate::Refusal;
use crate::prepare::Prepared;
use crate::shared::Shared;
use norn_ir::ids::{FuncId, TypeId};
use norn_ir::instr::{InstrKind, Operand};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::{Shape, Ty};
use norn_passes::points_to::Object;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

const MOST_CELLS: usize = 20_000;

/// The cells of an object by offset.
pub type ObjectCells = BTreeMap<u64, Ty>;

pub struct Cells {
    of: FxHashMap<Object, ObjectCells>,
    /// The objects that are accessed by computed addresses.
    by_address: FxHashSet<Object>,
    /// Some object accessed by computed addresses has cells of several sizes.
    pub mixed: bool,
}

struct Access {
    object: Object,
    /// Where it is fixed.
    offset: Option<u64>,
    ty: Ty,
    span: Span,
}

impl Cells {
    pub fn new(prepared: &Prepared, shared: &Shared) -> Result<Cells, Refusal> {
        let program = prepared.program();
        let mut accesses = Vec::new();
        for id in prepared.started() {
            collect(prepared, shared, id, &mut accesses)?;
        }
        let mut cells = Cells { of: FxHashMap::default(), by_address: FxHashSet::default(), mixed: false };
        let mut count = 0;
        let mut fixed: FxHashMap<Object, Vec<(u64, Ty)>> = FxHashMap::default();
        for access in &accesses {
            fixed.entry(access.object).or_default().extend(access.offset.map(|offset| (offset, access.ty)));
        }
        for access in &accesses {
            if cells.of.contains_key(&access.object) {
                continue;
            }
            let made = of_object(program, access.object, &fixed[&access.object], access.span)?;
            count += made.len();
            if count > MOST_CELLS {
                let message = format!("there are more than {MOST_CELLS} shared locations");
                return Err(Refusal::new(message, access.span));
            }
            cells.of.insert(access.object, made);
        }
        for access in &accesses {
            cells.look_at(program, access)?;
        }
        // What is never accessed needs no list of writes.
        let mut accessed: FxHashSet<(Object, u64)> = FxHashSet::default();
        accessed.extend(accesses.iter().filter_map(|access| Some((access.object, access.offset?))));
        let mut trimmed: FxHashSet<Object> = FxHashSet::default();
        for access in accesses.iter().filter(|access| trimmed.insert(access.object)) {
            if !cells.by_address.contains(&access.object)
                && let Some(of) = cells.of.get_mut(&access.object)
            {
                of.retain(|&at, _| accessed.contains(&(access.object, at)));
            }
        }
        Ok(cells)
    }

    pub fn of(&self, object: Object) -> Option<&ObjectCells> {
        self.of.get(&object)
    }

    pub fn is_by_address(&self, object: Object) -> bool {
        self.by_address.contains(&object)
    }

    fn look_at(&mut self, program: &Program, access: &Access) -> Result<(), Refusal> {
        let size = |ty: Ty| ty.size(program.target);
        let found = &self.of[&access.object];
        let fits = match access.offset {
            Some(offset) => found.get(&offset).is_some_and(|&ty| size(ty) == size(access.ty)),
            None => {
                self.by_address.insert(access.object);
                self.mixed |= found.values().any(|&ty| size(ty) != size(access.ty));
                found.values().any(|&ty| size(ty) == size(access.ty))
            }
        };
        if fits {
            return Ok(());
        }
        let bytes = size(access.ty);
        let what = name(program, access.object);
        let message = format!("an access of {bytes} bytes to '{what}', whose parts have other sizes");
        Err(Refusal::new(message, access.span))
    }
}

fn collect(prepared: &Prepared, shared: &Shared, id: FuncId, accesses: &mut Vec<Access>) -> Result<(), Refusal> {
    let code = prepared.function(id);
    for &block in &code.order {
        for instr in &code.function.block(block).instrs {
            let (addr, ty) = match instr.kind {
                InstrKind::Load { addr, dst, .. }
                | InstrKind::Rmw { addr, dst, .. }
                | InstrKind::CompareExchange { addr, dst, .. } => (addr, code.function.ty(dst)),
                InstrKind::Store { addr, ty, .. } => (addr, ty),
                _ => continue,
            };
            if !shared.access(id, addr) {
                continue;
            }
            let span = prepared.place(id, block, instr.span);
            let offset = match addr {
                Operand::Global(_, offset) | Operand::Local(_, offset) => match u64::try_from(offset) {
                    Ok(offset) => Some(offset),
                    Err(_) => return Err(Refusal::new("an access before the beginning of an object", span)),
                },
                _ => None,
            };
            let targets = shared.targets(id, addr).iter();
            accesses.extend(targets.map(|&object| Access { object, offset, ty, span }));
        }
    }
    Ok(())
}

fn of_object(program: &Program, object: Object, fixed: &[(u64, Ty)], span: Span) -> Result<ObjectCells, Refusal> {
    let mut cells = ObjectCells::new();
    let (ty, count) = match object {
        Object::Global(id) => (program.global(id).ty, 1),
        Object::Local(function, local) => (program.function(function).local(local).ty, 1),
        Object::Alloc(site) => {
            let block = program.function(site.function).block(site.block);
            let InstrKind::Alloc { size: Operand::Const(size), ty: Some(ty), .. } =
                block.instrs[site.index as usize].kind
            else {
                let span = block.instrs[site.index as usize].span;
                return Err(Refusal::new("an allocation whose size and type are not fixed", span));
            };
            (ty, (size.bits / program.ty(ty).size.max(1)).max(1))
        }
        Object::Function(_) => return Ok(cells),
    };
    let stride = program.ty(ty).size;
    let known = (0..count).all(|i| leaves(program, ty, i * stride, MOST_CELLS, &mut cells));
    if known {
        add_padding(program, fixed, &mut cells);
        return Ok(cells);
    }
    // The type does not tell: cells are what is accessed.
    let mut cells: ObjectCells = fixed.iter().copied().collect();
    cells.retain(|_, ty| *ty != Ty::Bool);
    let ends = cells.iter().map(|(&at, ty)| at + ty.size(program.target));
    let overlap = ends.zip(cells.keys().skip(1)).any(|(end, &next)| end > next);
    let differ =
        fixed.iter().any(|(at, ty)| cells.get(at).is_none_or(|c| c.size(program.target) != ty.size(program.target)));
    if overlap || differ {
        let message = format!("'{}' is accessed with several sizes", name(program, object));
        return Err(Refusal::new(message, span));
    }
    Ok(cells)
}

/// Padding that is accessed (by `memset` and its kin) has cells too.
fn add_padding(program: &Program, fixed: &[(u64, Ty)], cells: &mut ObjectCells) {
    let size = |ty: Ty| ty.size(program.target);
    for &(at, ty) in fixed {
        let before = cells.range(..=at).next_back().is_none_or(|(&start, &ty)| start + size(ty) <= at);
        let after = cells.range(at..).next().is_none_or(|(&start, _)| at + size(ty) <= start);
        if before && after {
            cells.insert(at, ty);
        }
    }
}

/// The scalars of an allocated object, if its size and type are fixed and say, and there are not more than `most`.
pub fn of_allocation(program: &Program, size: Operand, ty: Option<TypeId>, most: usize) -> Option<ObjectCells> {
    let (Operand::Const(size), Some(ty)) = (size, ty) else { return None };
    let stride = program.ty(ty).size.max(1);
    let mut cells = ObjectCells::new();
    let count = (size.bits / stride).max(1);
    let mut elements = 0..count;
    let is_known = count <= MOST_CELLS as u64
        && elements.all(|i| leaves(program, ty, i * stride, most, &mut cells) && cells.len() <= most);
    is_known.then_some(cells)
}

/// The scalars of a type, if it says; not many more than `most`. Records are nested at most as deep as types are, whose
/// parts have smaller ids.
fn leaves(program: &Program, ty: TypeId, at: u64, most: usize, cells: &mut ObjectCells) -> bool {
    let mut waiting = vec![(ty, at)];
    while let Some((ty, at)) = waiting.pop() {
        if cells.len() > most || cells.len() + waiting.len() > MOST_CELLS {
            return true;
        }
        match &program.ty(ty).shape {
            Shape::Scalar { ty, .. } => {
                cells.insert(at, *ty);
            }
            Shape::Array { element, length } => {
                let stride = program.ty(*element).size;
                let count = (*length).min(MOST_CELLS as u64 + 1);
                waiting.extend((0..count).map(|i| (*element, at + i * stride)));
            }
            Shape::Record(record) if !record.is_union => {
                waiting.extend(record.fields.iter().map(|field| (field.ty, at + field.offset)));
            }
            Shape::Record(_) | Shape::Bytes => return false,
        }
    }
    true
}

pub fn name(program: &Program, object: Object) -> String {
    match object {
        Object::Function(id) => program.function(id).name.clone(),
        Object::Global(id) => program.global(id).name.clone(),
        Object::Local(function, local) => program.function(function).local(local).name.clone(),
        Object::Alloc(_) => "allocated memory".to_owned(),
    }
}

//! Memory as C objects: one per global, per thread and thread-local or local, per thread and allocation (for the list
//! SMA). They are declared when they are first mentioned, so that nothing is declared in vain.

use crate::cells::Cells;
use crate::expr;
use crate::layout::{Layouts, cell_type};
use crate::names::Names;
use crate::prepare::Prepared;
use crate::shared::Shared;
use crate::text::digits;
use crate::{Options, Refusal};
use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
use norn_ir::instr::{Const, InstrKind, Operand};
use norn_ir::program::{InitValue, Program, Storage};
use norn_ir::types::{Shape, Ty};
use norn_passes::Site;
use norn_passes::points_to::Object;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Initial values of arrays up to this length are written with the declaration.
const LONGEST_LIST: u64 = 4096;

pub struct Objects<'p> {
    prepared: &'p Prepared,
    shared: &'p Shared,
    /// With the list SMA.
    cells: Option<&'p Cells>,
    pub layouts: Layouts<'p>,
    /// Of file scope.
    names: Names,
    location_names: Names,
    /// Those of the globals, given first.
    global_names: Vec<Rc<str>>,
    made: FxHashMap<(Object, usize), Rc<Made>>,
    functions: FxHashMap<FuncId, String>,
    pub declarations: String,
    /// Statements that give the objects their initial values.
    pub initial: String,
    /// Locations of the list SMA.
    pub locations: Vec<Location>,
    /// Only some of the locations that are reached by computed addresses are tracked.
    are_chosen: bool,
    /// How many allocated objects may still be tracked.
    mallocs_left: u32,
    waiting: Vec<(GlobalId, usize)>,
    /// Something that could not be said about an object.
    pub refusal: Option<Refusal>,
}

struct Made {
    name: Rc<str>,
    ty: Option<TypeId>,
    /// The first location of the list SMA that belongs to it, by offset.
    locations: FxHashMap<u64, usize>,
}

/// A location of the list SMA.
pub struct Location {
    /// Such as `V_x`.
    pub name: String,
    /// A C expression.
    pub address: String,
    pub ty: Ty,
    /// A C expression; `None`: indeterminate.
    pub initial: Option<String>,
    /// It is reached by computed addresses, and only some of those are tracked: it has no name.
    pub is_chosen: bool,
}

impl<'p> Objects<'p> {
    pub fn new(prepared: &'p Prepared, shared: &'p Shared, cells: Option<&'p Cells>, options: &Options) -> Objects<'p> {
        let mut names = Names::default();
        let mut global_names = Vec::new();
        for global in &prepared.program().globals {
            global_names.push(names.make(&global.name));
        }
        Objects {
            prepared,
            shared,
            cells,
            layouts: Layouts::new(prepared.program()),
            names,
            location_names: Names::default(),
            global_names,
            refusal: None,
            made: FxHashMap::default(),
            functions: FxHashMap::default(),
            declarations: String::new(),
            initial: String::new(),
            locations: Vec::new(),
            are_chosen: options.locations.is_some(),
            mallocs_left: options.mallocs.unwrap_or(u32::MAX),
            waiting: Vec::new(),
        }
    }

    fn program(&self) -> &'p Program {
        self.prepared.program()
    }

    /// A name of file scope that is not in use.
    pub fn name(&mut self, wanted: &str) -> Rc<str> {
        self.names.make(wanted)
    }

    /// The names of file scope, for those of a function: static locals must not hide objects.
    pub fn file_scope(&self) -> Names {
        self.names.clone()
    }

    /// The name is that of some static local: objects that come later should not be hidden by it.
    pub fn avoid(&mut self, name: Rc<str>) {
        self.names.avoid(name);
    }

    /// Adds the address that an operand of a thread's function stands for, if it is one.
    pub fn add_address(&mut self, text: &mut String, operand: Operand, thread: usize) {
        let (object, offset) = match operand {
            Operand::Global(id, offset) => (Object::Global(id), offset),
            Operand::Local(id, offset) => (Object::Local(self.prepared.threads[thread].start, id), offset),
            Operand::Func(id) => return text.push_str(&self.function(id)),
            Operand::Reg(_) | Operand::Const(_) => return,
        };
        add_at_offset(text, &self.made(object, thread).name, offset);
    }

    /// Adds how a scalar at a fixed place is named: as an lvalue, or as a location of the list SMA if it is shared there.
    /// Tells whether it has a name.
    pub fn add_variable(&mut self, text: &mut String, operand: Operand, ty: Ty, thread: usize) -> bool {
        let Some((object, offset)) = self.place(operand, thread) else { return false };
        let made = self.made(object, thread);
        if self.cells.is_some() && self.shared.contains(object) {
            let location = made.locations.get(&offset).map(|&location| &self.locations[location]);
            let named = location.filter(|location| !location.is_chosen);
            named.inspect(|location| text.push_str(&location.name)).is_some()
        } else {
            made.ty.is_some_and(|of| self.layouts.add_lvalue(text, &made.name, of, offset, ty))
        }
    }

    /// The object of an address at a fixed offset.
    fn place(&self, operand: Operand, thread: usize) -> Option<(Object, u64)> {
        match operand {
            Operand::Global(id, offset) => Some((Object::Global(id), u64::try_from(offset).ok()?)),
            Operand::Local(id, offset) => {
                Some((Object::Local(self.prepared.threads[thread].start, id), u64::try_from(offset).ok()?))
            }
            _ => None,
        }
    }

    /// The scalars of a local object as statements want them: location or lvalue, and the type.
    pub fn parts_of_local(&mut self, local: LocalId, thread: usize) -> Vec<(String, Ty)> {
        let start = self.prepared.threads[thread].start;
        let object = Object::Local(start, local);
        let ty = self.program().function(start).local(local).ty;
        let made = self.made(object, thread);
        if let Some(cells) = self.cells.filter(|_| self.shared.contains(object)) {
            let found = cells.of(object).into_iter().flatten();
            let name = |location: &Location| match location.is_chosen {
                true => format!("sma_location({}, sizeof({}))", location.address, cell_type(location.ty)),
                false => location.name.clone(),
            };
            return found.map(|(at, &ty)| (name(&self.locations[made.locations[at]]), ty)).collect();
        }
        let mut parts = Vec::new();
        let mut waiting = vec![(ty, 0)];
        while let Some((ty, at)) = waiting.pop() {
            match &self.program().ty(ty).shape {
                Shape::Scalar { ty: scalar, .. } => {
                    match self.layouts.lvalue(&made.name, self.program().function(start).local(local).ty, at, *scalar) {
                        Some(lvalue) => parts.push((lvalue, *scalar)),
                        None => return Vec::new(),
                    }
                }
                Shape::Array { element, length } if *length <= 16 => {
                    let stride = self.program().ty(*element).size;
                    waiting.extend((0..*length).rev().map(|i| (*element, at + i * stride)));
                }
                Shape::Record(record) if !record.is_union => {
                    waiting.extend(record.fields.iter().rev().map(|field| (field.ty, at + field.offset)));
                }
                _ => return Vec::new(),
            }
            if parts.len() + waiting.len() > 64 {
                return Vec::new();
            }
        }
        parts
    }

    /// The address and size of a local object.
    pub fn extent_of_local(&mut self, local: LocalId, thread: usize) -> (String, u64) {
        let start = self.prepared.threads[thread].start;
        let size = self.program().ty(self.program().function(start).local(local).ty).size;
        (at_offset(&self.made(Object::Local(start, local), thread).name, 0), size)
    }

    /// The C object that stands for an allocation (list SMA): a thread allocates at a site at most once.
    pub fn allocation(&mut self, site: Site, thread: usize) -> String {
        at_offset(&self.made(Object::Alloc(site), thread).name, 0)
    }

    fn function(&mut self, id: FuncId) -> String {
        if let Some(name) = self.functions.get(&id) {
            return format!("((address)&{name})");
        }
        let name = format!("function_{}", self.names.make(&self.program().function(id).name));
        writeln!(self.declarations, "static u8 {name};").expect("writing to a string should not fail");
        let text = format!("((address)&{name})");
        self.functions.insert(id, name);
        text
    }

    fn made(&mut self, object: Object, thread: usize) -> Rc<Made> {
        let owner = match object {
            Object::Global(id) if self.program().global(id).storage != Storage::Thread => 0,
            _ => thread,
        };
        if let Some(made) = self.made.get(&(object, owner)) {
            return made.clone();
        }
        let made = Rc::new(self.make(object, owner));
        self.made.insert((object, owner), made.clone());
        self.initialise_waiting();
        made
    }

    fn make(&mut self, object: Object, owner: usize) -> Made {
        let program = self.program();
        let (wanted, ty) = match object {
            Object::Global(id) if program.global(id).storage == Storage::Thread => {
                (format!("{}_of_{owner}", program.global(id).name), Some(program.global(id).ty))
            }
            Object::Global(id) => (String::new(), Some(program.global(id).ty)),
            Object::Local(function, local) => {
                let local = program.function(function).local(local);
                (format!("{}_of_{owner}", local.name), Some(local.ty))
            }
            Object::Alloc(_) => (format!("heap_of_{owner}"), None),
            Object::Function(_) => ("function".to_owned(), None),
        };
        let name = match object {
            Object::Global(id) if wanted.is_empty() => self.global_names[id.index()].clone(),
            _ => self.names.make(&wanted),
        };
        let declared = match (object, ty) {
            (_, Some(ty)) => self.layouts.declare(ty, &name),
            (Object::Alloc(site), None) => format!("u64 {name}[{}]", self.allocated(site).div_ceil(8).max(1)),
            (_, None) => format!("u8 {name}"),
        };
        let list = match object {
            Object::Global(id) => self.initial_list(id),
            _ => None,
        };
        let value = list.as_ref().map_or(String::new(), |list| format!(" = {list}"));
        writeln!(self.declarations, "static {declared}{value};").expect("writing to a string should not fail");
        if let (Object::Global(id), None) = (object, list) {
            self.waiting.push((id, owner));
        }
        let locations = self.locate(object, &name);
        Made { name, ty, locations }
    }

    /// Bytes that an allocation of fixed size makes.
    fn allocated(&self, site: Site) -> u64 {
        match self.program().function(site.function).block(site.block).instrs[site.index as usize].kind {
            InstrKind::Alloc { size: Operand::Const(size), .. } => size.bits,
            _ => 0,
        }
    }

    /// The locations of the list SMA for an object.
    fn locate(&mut self, object: Object, name: &str) -> FxHashMap<u64, usize> {
        let mut found = FxHashMap::default();
        let Some(cells) = self.cells.filter(|_| self.shared.contains(object)) else { return found };
        let program = self.program();
        let (is_alloc, zeroed) = match object {
            Object::Alloc(site) => {
                let instr = &program.function(site.function).block(site.block).instrs[site.index as usize];
                (true, matches!(instr.kind, InstrKind::Alloc { zeroed: true, .. }))
            }
            Object::Local(..) => (false, false),
            _ => (false, true),
        };
        if is_alloc {
            let Some(left) = self.mallocs_left.checked_sub(1) else { return found };
            self.mallocs_left = left;
        }
        let ty = match object {
            Object::Global(id) => Some(program.global(id).ty),
            Object::Local(function, local) => Some(program.function(function).local(local).ty),
            _ => None,
        };
        for (&at, &cell) in cells.of(object).into_iter().flatten() {
            let path = ty.map_or(format!("_{at}"), |ty| program.path_of(ty, at, cell.size(program.target)));
            let wanted = format!("{name}{}", path.replace(".__", ".")).replace(']', "").replace(['[', '.', '+'], "_");
            let label = format!("V_{}", self.location_names.make(&wanted));
            let initial = zeroed.then(|| literal(Const { ty: cell, bits: 0 }, program));
            found.insert(at, self.locations.len());
            self.locations.push(Location {
                name: label,
                address: at_offset(name, at as i64),
                ty: cell,
                initial,
                is_chosen: self.are_chosen && cells.is_by_address(object),
            });
        }
        found
    }

    /// The initial value as C writes it with a declaration: numbers only.
    fn initial_list(&self, id: GlobalId) -> Option<String> {
        let program = self.program();
        let global = program.global(id);
        if global.init.is_empty() || self.cells.is_some() && self.shared.contains(Object::Global(id)) {
            return None;
        }
        match (&program.ty(global.ty).shape, &global.init[..]) {
            (Shape::Scalar { ty, .. }, [init]) => match init.value {
                InitValue::Const(value) if value.ty == *ty && *ty != Ty::Ptr => Some(literal(value, program)),
                _ => None,
            },
            (Shape::Array { element, length }, inits) => {
                let part = program.ty(*element);
                let Shape::Scalar { ty, .. } = part.shape else { return None };
                if *length > LONGEST_LIST || part.size != ty.size(program.target) || ty == Ty::Ptr {
                    return None;
                }
                let mut values = vec![0u64; *length as usize];
                for init in inits {
                    let first = (init.offset / part.size) as usize;
                    match &init.value {
                        InitValue::Const(value) if value.ty == ty && init.offset % part.size == 0 => {
                            *values.get_mut(first)? = value.bits;
                        }
                        InitValue::Bytes(bytes) if part.size == 1 => {
                            let range = values.get_mut(first..first + bytes.len())?;
                            range.iter_mut().zip(bytes).for_each(|(value, &byte)| *value = u64::from(byte));
                        }
                        _ => return None,
                    }
                }
                let mut list = String::from("{");
                for (i, &bits) in values.iter().enumerate() {
                    list.push_str(if i > 0 { ", " } else { "" });
                    expr::number(&mut list, bits, part.size);
                }
                list.push('}');
                Some(list)
            }
            _ => None,
        }
    }

    /// Writes the statements that give objects their initial values; these may mention more objects.
    fn initialise_waiting(&mut self) {
        while let Some((id, owner)) = self.waiting.pop() {
            let program = self.program();
            let global = program.global(id);
            for init in &global.init {
                let operand = |at: u64| Operand::Global(id, (init.offset + at) as i64);
                match &init.value {
                    InitValue::Const(value) => {
                        self.initialise(operand(0), raw(value.ty, program), owner, &literal(*value, program));
                    }
                    InitValue::Global(other, offset) => {
                        let mut text = String::new();
                        self.add_address(&mut text, Operand::Global(*other, *offset), owner);
                        self.initialise(operand(0), Ty::Ptr, owner, &text);
                    }
                    InitValue::Func(function) => {
                        let text = self.function(*function);
                        self.initialise(operand(0), Ty::Ptr, owner, &text);
                    }
                    InitValue::Bytes(bytes) => {
                        for (i, &byte) in bytes.iter().enumerate() {
                            let value = literal(Const { ty: Ty::I8, bits: u64::from(byte) }, program);
                            self.initialise(operand(i as u64), Ty::I8, owner, &value);
                        }
                    }
                }
            }
        }
    }

    fn initialise(&mut self, place: Operand, ty: Ty, owner: usize, value: &str) {
        let Operand::Global(id, offset) = place else { return };
        let object = Object::Global(id);
        let made = self.made(object, owner);
        if self.cells.is_some() && self.shared.contains(object) {
            let target = self.program().target;
            match made.locations.get(&(offset as u64)).map(|&at| &mut self.locations[at]) {
                Some(location) if location.ty.size(target) == ty.size(target) => {
                    location.initial = Some(value.to_owned());
                }
                _ => {
                    let global = self.program().global(id);
                    let message = format!("the initial value of '{}' does not fit its parts", global.name);
                    self.refusal.get_or_insert(Refusal::new(message, global.span));
                }
            }
            return;
        }
        let lvalue = made.ty.and_then(|of| self.layouts.lvalue(&made.name, of, offset as u64, ty));
        let lvalue = lvalue.unwrap_or_else(|| format!("AT({}, {})", cell_type(ty), at_offset(&made.name, offset)));
        writeln!(self.initial, "    {lvalue} = {value};").expect("writing to a string should not fail");
    }
}

/// A value as memory holds it.
fn literal(value: Const, program: &Program) -> String {
    let mut text = String::new();
    expr::constant(&mut text, Const { ty: raw(value.ty, program), ..value }, program.target);
    text
}

/// Floats are kept as their bits.
fn raw(ty: Ty, program: &Program) -> Ty {
    if ty.is_float() { Ty::int_of_size(ty.size(program.target)).unwrap_or(Ty::I64) } else { ty }
}

fn at_offset(name: &str, offset: i64) -> String {
    let mut text = String::new();
    add_at_offset(&mut text, name, offset);
    text
}

fn add_at_offset(text: &mut String, name: &str, offset: i64) {
    text.extend(["((address)&", name]);
    if offset != 0 {
        text.push_str(if offset > 0 { " + " } else { " - " });
        digits(text, offset.unsigned_abs());
    }
    text.push(')');
}

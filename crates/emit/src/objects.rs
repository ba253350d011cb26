//! Memory as C objects: one per global, per thread and thread-local or local, per thread and allocation (for the list
//! SMA). All that threads might mention have names and C types before the first thread is written, so that threads can be
//! written side by side; what they do mention is declared afterwards (`declare`).

use crate::Options;
use crate::c_types::{Layouts, cell_type};
use crate::cells::Cells;
use crate::copies::Copies;
use crate::expr;
use crate::names::Names;
use crate::prepare::Prepared;
use crate::shared::Shared;
use crate::text::digits;
use norn_ir::ids::{FuncId, LocalId, TypeId};
use norn_ir::instr::{Const, InstrKind, Operand};
use norn_ir::program::{InitValue, Program, Storage};
use norn_ir::types::{Shape, Ty};
use norn_passes::Site;
use norn_passes::points_to::Object;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub struct Objects<'p> {
    prepared: &'p Prepared,
    shared: &'p Shared,
    /// With the list SMA.
    cells: Option<&'p Cells>,
    pub layouts: Layouts<'p>,
    /// Of file scope.
    pub names: Names<'static>,
    /// `main_0`, `producer_1`, …
    pub thread_names: Vec<Arc<str>>,
    pub made: Vec<Made>,
    /// In `made`, by object and the thread that it belongs to.
    ids: FxHashMap<(Object, usize), usize>,
    functions: FxHashMap<FuncId, String>,
}

pub struct Made {
    pub object: Object,
    /// The thread that it belongs to, if it is not that of all.
    pub owner: usize,
    pub name: Arc<str>,
    pub ty: Option<TypeId>,
    /// The locations of the list SMA that it has, by offset.
    pub locations: Vec<(u64, Location)>,
}

impl Made {
    fn location(&self, offset: u64) -> Option<&Location> {
        let found = self.locations.binary_search_by_key(&offset, |(at, _)| *at);
        found.ok().map(|at| &self.locations[at].1)
    }

    /// The name of its location at an offset, or its own.
    fn name_at(&self, offset: Option<u64>) -> &str {
        offset.and_then(|offset| self.location(offset)).map_or(&self.name, |location| &location.name)
    }
}

/// A location of the list SMA.
#[derive(Clone)]
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
        let program = prepared.program();
        let mut names = Names::default();
        let global_names: Vec<Arc<str>> = program.globals.iter().map(|global| names.make(&global.name)).collect();
        let thread_name = |(number, thread): (usize, &norn_passes::threads::ThreadInstance)| {
            names.make(&format!("{}_{number}", program.function(thread.start).name))
        };
        let thread_names = prepared.threads.iter().enumerate().map(thread_name).collect();
        let (made, ids, functions) = Default::default();
        let layouts = Layouts::new(program);
        let mut objects = Objects { prepared, shared, cells, layouts, names, thread_names, made, ids, functions };
        let mut maker = Maker {
            objects: &mut objects,
            global_names,
            location_names: Names::default(),
            are_chosen: options.locations.is_some(),
            mallocs_left: options.mallocs.unwrap_or(u32::MAX),
        };
        let candidates: FxHashMap<FuncId, Vec<Object>> =
            prepared.started().into_iter().map(|id| (id, maker.objects.candidates(id))).collect();
        for (number, thread) in prepared.threads.iter().enumerate() {
            candidates[&thread.start].iter().for_each(|&object| maker.make(object, number));
        }
        objects
    }

    pub fn program(&self) -> &'p Program {
        self.prepared.program()
    }

    /// Whether an object has locations of the list SMA.
    pub fn is_in_lists(&self, object: Object) -> bool {
        self.cells.is_some() && self.shared.contains(object)
    }

    /// What the text of a function may mention.
    fn candidates(&self, id: FuncId) -> Vec<Object> {
        let code = self.prepared.function(id);
        let mut is_listed = [self.program().globals.len(), code.function.locals.len(), self.program().functions.len()]
            .map(|count| vec![false; count]);
        let mut listed = Vec::new();
        let mut list = |object: Object| {
            let known = match object {
                Object::Global(id) => Some(&mut is_listed[0][id.index()]),
                Object::Local(_, local) => Some(&mut is_listed[1][local.index()]),
                Object::Function(id) => Some(&mut is_listed[2][id.index()]),
                Object::Alloc(_) => None,
            };
            if !known.is_some_and(|known| std::mem::replace(known, true)) {
                listed.push(object);
            }
        };
        for &block in &code.order {
            let content = code.function.block(block);
            for (index, instr) in content.instrs.iter().enumerate().filter(|&(index, _)| code.needed[(block, index)]) {
                match instr.kind {
                    InstrKind::LocalEnter(local) => list(Object::Local(id, local)),
                    // What a pointer points to may be the start of any of them.
                    InstrKind::Spawn { start: Operand::Reg(_), .. } => {
                        self.prepared.threads.iter().for_each(|thread| list(Object::Function(thread.start)));
                    }
                    InstrKind::Alloc { .. } => {
                        let object = Object::Alloc(Site::new(id, block, index));
                        if self.is_in_lists(object) {
                            list(object);
                        }
                    }
                    // Nothing is written for them.
                    InstrKind::Print { .. } | InstrKind::Sync { .. } => continue,
                    _ => {}
                }
                instr.kind.for_each_operand(|operand| object_of(operand, id).into_iter().for_each(&mut list));
            }
            content.terminator.kind.for_each_operand(|operand| object_of(operand, id).into_iter().for_each(&mut list));
        }
        listed
    }

    /// Where an object stands in `made`, as a thread sees it.
    pub fn id(&self, object: Object, thread: usize) -> usize {
        self.ids[&(object, owner(self.program(), object, thread))]
    }

    /// The C object whose address stands for that of a function.
    pub fn function(&self, id: FuncId) -> &str {
        &self.functions[&id]
    }
}

/// The object of an address of a thread's function.
fn object_of(operand: Operand, function: FuncId) -> Option<Object> {
    match operand {
        Operand::Global(id, _) => Some(Object::Global(id)),
        Operand::Local(id, _) => Some(Object::Local(function, id)),
        Operand::Func(id) => Some(Object::Function(id)),
        Operand::Reg(_) | Operand::Const(_) => None,
    }
}

/// The thread that an object belongs to, if it is not that of all.
fn owner(program: &Program, object: Object, thread: usize) -> usize {
    match object {
        Object::Global(id) if program.global(id).storage != Storage::Thread => 0,
        _ => thread,
    }
}

/// Gives objects names and types.
struct Maker<'o, 'p> {
    objects: &'o mut Objects<'p>,
    global_names: Vec<Arc<str>>,
    location_names: Names<'static>,
    /// Only some of the locations that are reached by computed addresses are tracked.
    are_chosen: bool,
    /// How many allocated objects may still be tracked.
    mallocs_left: u32,
}

impl Maker<'_, '_> {
    /// Makes an object, and those that initial values mention.
    fn make(&mut self, object: Object, thread: usize) {
        let mut waiting = vec![object];
        while let Some(object) = waiting.pop() {
            if let Object::Function(id) = object {
                self.make_function(id);
                continue;
            }
            let owner = owner(self.objects.program(), object, thread);
            if self.objects.ids.contains_key(&(object, owner)) {
                continue;
            }
            let made = self.made(object, owner);
            self.objects.ids.insert((object, owner), self.objects.made.len());
            self.objects.made.push(made);
            if let Object::Global(id) = object {
                waiting.extend(self.objects.program().global(id).init.iter().filter_map(|init| match init.value {
                    InitValue::Global(other, _) => Some(Object::Global(other)),
                    InitValue::Func(function) => Some(Object::Function(function)),
                    InitValue::Const(_) | InitValue::Bytes(_) => None,
                }));
            }
        }
    }

    fn make_function(&mut self, id: FuncId) {
        let Objects { functions, names, prepared, .. } = &mut *self.objects;
        let name = || format!("function_{}", names.make(&prepared.program().function(id).name));
        functions.entry(id).or_insert_with(name);
    }

    fn made(&mut self, object: Object, owner: usize) -> Made {
        let program = self.objects.program();
        let (name, ty) = match object {
            Object::Global(id) => {
                let global = program.global(id);
                let name = match global.storage {
                    Storage::Thread => self.objects.names.make(&format!("{}_of_{owner}", global.name)),
                    _ => self.global_names[id.index()].clone(),
                };
                (name, Some(global.ty))
            }
            Object::Local(function, local) => {
                let local = program.function(function).local(local);
                (self.objects.names.make(&format!("{}_of_{owner}", local.name)), Some(local.ty))
            }
            Object::Alloc(_) => (self.objects.names.make(&format!("heap_of_{owner}")), None),
            Object::Function(_) => (self.objects.names.make("function"), None),
        };
        ty.into_iter().for_each(|ty| self.objects.layouts.add(ty));
        let locations = self.locations(object, &name);
        Made { object, owner, name, ty, locations }
    }

    /// The locations of the list SMA for an object.
    fn locations(&mut self, object: Object, name: &str) -> Vec<(u64, Location)> {
        let Some(cells) = self.objects.cells.filter(|_| self.objects.shared.contains(object)) else {
            return Vec::new();
        };
        let program = self.objects.program();
        let (is_alloc, zeroed) = match object {
            Object::Alloc(site) => {
                let instr = &program.function(site.function).block(site.block).instrs[site.index as usize];
                (true, matches!(instr.kind, InstrKind::Alloc { zeroed: true, .. }))
            }
            Object::Local(..) => (false, false),
            _ => (false, true),
        };
        if is_alloc {
            let Some(left) = self.mallocs_left.checked_sub(1) else { return Vec::new() };
            self.mallocs_left = left;
        }
        let ty = match object {
            Object::Global(id) => Some(program.global(id).ty),
            Object::Local(function, local) => Some(program.function(function).local(local).ty),
            _ => None,
        };
        let location = |(&at, &cell): (&u64, &Ty)| {
            let path = ty.map_or(format!("_{at}"), |ty| program.path_of(ty, at, cell.size(program.target)));
            let wanted = format!("{name}{}", path.replace(".__", ".")).replace(']', "").replace(['[', '.', '+'], "_");
            let location = Location {
                name: format!("V_{}", self.location_names.make(&wanted)),
                address: at_offset(name, at as i64),
                ty: cell,
                initial: zeroed.then(|| literal(Const { ty: cell, bits: 0 }, program)),
                is_chosen: self.are_chosen && cells.is_by_address(object),
            };
            (at, location)
        };
        cells.of(object).into_iter().flatten().map(location).collect()
    }
}

/// The objects as a thread sees them, or the copies of one, and what the text has mentioned.
pub struct View<'o, 'p> {
    objects: &'o Objects<'p>,
    /// The first of them.
    thread: usize,
    /// Each object once, in order.
    mentions: Vec<Object>,
    /// By place in `Objects::made`.
    is_mentioned: Vec<bool>,
    /// What stands for the names of an object that each copy has for itself, and of its locations, by place and offset.
    marks: FxHashMap<(usize, Option<u64>), String>,
}

impl<'o, 'p> View<'o, 'p> {
    pub fn new(objects: &'o Objects<'p>, thread: usize) -> View<'o, 'p> {
        let is_mentioned = vec![false; objects.made.len()];
        View { objects, thread, mentions: Vec::new(), is_mentioned, marks: FxHashMap::default() }
    }

    pub fn into_mentions(self) -> Vec<Object> {
        self.mentions
    }

    /// The place of an object that the text mentions.
    fn mention(&mut self, object: Object) -> usize {
        let id = self.objects.id(object, self.thread);
        if !std::mem::replace(&mut self.is_mentioned[id], true) {
            self.mentions.push(object);
        }
        id
    }

    /// The name of an object, or of its location at an offset.
    fn name(&mut self, id: usize, at: Option<u64>, copies: &mut Copies) -> &str {
        let (objects, made) = (self.objects, &self.objects.made[id]);
        if copies.is_single() || made.owner != self.thread {
            return made.name_at(at);
        }
        self.marks.entry((id, at)).or_insert_with(|| {
            let name = |&thread: &usize| objects.made[objects.id(made.object, thread)].name_at(at).to_owned();
            let mut mark = String::new();
            copies.add(&mut mark, copies.threads.iter().map(name).collect());
            mark
        })
    }

    /// The function that the thread starts with.
    fn start(&self) -> FuncId {
        self.objects.prepared.threads[self.thread].start
    }

    /// Adds the address that an operand of the thread's function stands for, if it is one.
    pub fn add_address(&mut self, text: &mut String, operand: Operand, copies: &mut Copies) {
        match (object_of(operand, self.start()), operand) {
            (Some(Object::Function(id)), _) => {
                self.mentions.push(Object::Function(id));
                add_at_offset(text, self.objects.function(id), 0);
            }
            (Some(object), Operand::Global(_, offset) | Operand::Local(_, offset)) => {
                let id = self.mention(object);
                add_at_offset(text, self.name(id, None, copies), offset);
            }
            _ => {}
        }
    }

    /// Adds how a scalar at a fixed place is named: as an lvalue, or as a location of the list SMA if it is shared there.
    /// Tells whether it has a name.
    pub fn add_variable(&mut self, text: &mut String, operand: Operand, ty: Ty, copies: &mut Copies) -> bool {
        let (Operand::Global(_, offset) | Operand::Local(_, offset)) = operand else { return false };
        let (Some(object), Ok(offset)) = (object_of(operand, self.start()), u64::try_from(offset)) else {
            return false;
        };
        let (objects, id) = (self.objects, self.mention(object));
        let made = &objects.made[id];
        if objects.is_in_lists(object) {
            let location = made.location(offset).filter(|location| !location.is_chosen);
            location.inspect(|_| text.push_str(self.name(id, Some(offset), copies))).is_some()
        } else {
            let name = self.name(id, None, copies);
            made.ty.is_some_and(|of| objects.layouts.add_lvalue(text, name, of, offset, ty))
        }
    }

    /// The scalars of a local object as statements want them: location or lvalue, and the type.
    pub fn parts_of_local(&mut self, local: LocalId, copies: &mut Copies) -> Vec<(String, Ty)> {
        let object = Object::Local(self.start(), local);
        let (objects, id) = (self.objects, self.mention(object));
        let made = &objects.made[id];
        if objects.is_in_lists(object) {
            let mut name = |at: u64, location: &Location| match location.is_chosen {
                true => {
                    let address = at_offset(self.name(id, None, copies), at as i64);
                    format!("sma_location({address}, sizeof({}))", cell_type(location.ty))
                }
                false => self.name(id, Some(at), copies).to_owned(),
            };
            return made.locations.iter().map(|(at, location)| (name(*at, location), location.ty)).collect();
        }
        let (program, layouts) = (objects.program(), &objects.layouts);
        let made_name = self.name(id, None, copies);
        let mut parts = Vec::new();
        let Some(whole) = made.ty else { return parts };
        let mut waiting = vec![(whole, 0)];
        while let Some((ty, at)) = waiting.pop() {
            match &program.ty(ty).shape {
                Shape::Scalar { ty: scalar, .. } => match layouts.lvalue(made_name, whole, at, *scalar) {
                    Some(lvalue) => parts.push((lvalue, *scalar)),
                    None => return Vec::new(),
                },
                Shape::Array { element, length } if *length <= 16 => {
                    let stride = program.ty(*element).size;
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
    pub fn extent_of_local(&mut self, local: LocalId, copies: &mut Copies) -> (String, u64) {
        let (program, start) = (self.objects.program(), self.start());
        let size = program.ty(program.function(start).local(local).ty).size;
        (self.address(Object::Local(start, local), copies), size)
    }

    /// The C object that stands for an allocation (list SMA): a thread allocates at a site at most once.
    pub fn allocation(&mut self, site: Site, copies: &mut Copies) -> String {
        self.address(Object::Alloc(site), copies)
    }

    fn address(&mut self, object: Object, copies: &mut Copies) -> String {
        let id = self.mention(object);
        at_offset(self.name(id, None, copies), 0)
    }
}

/// A value as memory holds it.
pub fn literal(value: Const, program: &Program) -> String {
    let mut text = String::new();
    expr::constant(&mut text, Const { ty: raw(value.ty, program), ..value }, program.target);
    text
}

/// Floats are kept as their bits.
pub fn raw(ty: Ty, program: &Program) -> Ty {
    if ty.is_float() { Ty::int_of_size(ty.size(program.target)).unwrap_or(Ty::I64) } else { ty }
}

pub fn at_offset(name: &str, offset: i64) -> String {
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

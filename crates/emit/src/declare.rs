//! The declarations of the objects that threads mention, with their initial values. What nobody mentions is not declared.

use crate::Refusal;
use crate::c_types::cell_type;
use crate::expr;
use crate::objects::{Location, Made, Objects, at_offset, literal, raw};
use norn_ir::ids::{FuncId, GlobalId};
use norn_ir::instr::{Const, InstrKind, Operand};
use norn_ir::number::to_usize;
use norn_ir::program::InitValue;
use norn_ir::types::{Shape, Ty};
use norn_passes::points_to::Object;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Initial values of arrays up to this length are written with the declaration.
const LONGEST_LIST: u64 = 4096;

pub struct Declarations<'o, 'p> {
    objects: &'o Objects<'p>,
    /// Of records.
    pub definitions: String,
    /// Of objects.
    pub text: String,
    /// Statements that give the objects their initial values.
    pub initial: String,
    /// Locations of the list SMA.
    pub locations: Vec<Location>,
    /// By object: its first location, once it is declared.
    declared: Vec<Option<usize>>,
    /// By type.
    defined: Vec<bool>,
    functions: FxHashSet<FuncId>,
    /// Objects whose initial values have to be written.
    waiting: Vec<usize>,
}

/// Declares what threads mention, and what the initial values mention in turn.
pub fn declare<'o, 'p>(
    objects: &'o Objects<'p>,
    mentions: impl Iterator<Item = (usize, Object)>,
) -> Result<Declarations<'o, 'p>, Refusal> {
    let mut declarations = Declarations {
        objects,
        definitions: String::new(),
        text: String::new(),
        initial: String::new(),
        locations: Vec::new(),
        declared: vec![None; objects.made.len()],
        defined: vec![false; objects.program().types.len()],
        functions: FxHashSet::default(),
        waiting: Vec::new(),
    };
    for (thread, object) in mentions {
        declarations.mention(object, thread);
        while let Some(id) = declarations.waiting.pop() {
            declarations.initialise(&objects.made[id])?;
        }
    }
    Ok(declarations)
}

impl Declarations<'_, '_> {
    fn mention(&mut self, object: Object, thread: usize) {
        if let Object::Function(id) = object {
            if self.functions.insert(id) {
                let name = self.objects.function(id);
                writeln!(self.text, "static u8 {name};").expect("writing to a string should not fail");
            }
            return;
        }
        let id = self.objects.id(object, thread);
        if self.declared[id].is_none() {
            self.declare(id);
        }
    }

    fn declare(&mut self, id: usize) {
        let made = &self.objects.made[id];
        self.declared[id] = Some(self.locations.len());
        self.locations.extend(made.locations.iter().map(|(_, location)| location.clone()));
        let name = &made.name;
        let declared = match (made.object, made.ty) {
            (_, Some(ty)) => {
                self.objects.layouts.define(&mut self.definitions, ty, &mut self.defined);
                self.objects.layouts.declare(ty, name)
            }
            (object, None) => format!("u64 {name}[{}]", self.allocated(object).div_ceil(8).max(1)),
        };
        let list = match made.object {
            Object::Global(id) => self.initial_list(id),
            _ => None,
        };
        let value = list.as_ref().map_or(String::new(), |list| format!(" = {list}"));
        writeln!(self.text, "static {declared}{value};").expect("writing to a string should not fail");
        if list.is_none() && matches!(made.object, Object::Global(_)) {
            self.waiting.push(id);
        }
    }

    /// Bytes that an allocation of fixed size makes.
    fn allocated(&self, object: Object) -> u64 {
        let Object::Alloc(site) = object else { return 0 };
        match self.objects.program().function(site.function).block(site.block).instrs[site.index as usize].kind {
            InstrKind::Alloc { size: Operand::Const(size), .. } => size.bits,
            _ => 0,
        }
    }

    /// The initial value as C writes it with a declaration: numbers only.
    fn initial_list(&self, id: GlobalId) -> Option<String> {
        let program = self.objects.program();
        let global = program.global(id);
        if global.init.is_empty() || self.objects.is_in_lists(Object::Global(id)) {
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
                let mut values = vec![0u64; to_usize(*length)];
                for init in inits {
                    let first = to_usize(init.offset / part.size);
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

    /// Writes the statements that give an object its initial value; these may mention more objects.
    fn initialise(&mut self, made: &Made) -> Result<(), Refusal> {
        let Object::Global(id) = made.object else { return Ok(()) };
        let (objects, program) = (self.objects, self.objects.program());
        for init in &program.global(id).init {
            match &init.value {
                InitValue::Const(value) => {
                    self.initialise_at(made, init.offset, raw(value.ty, program), &literal(*value, program))?;
                }
                InitValue::Global(other, offset) => {
                    self.mention(Object::Global(*other), made.owner);
                    let other = objects.id(Object::Global(*other), made.owner);
                    let address = at_offset(&objects.made[other].name, *offset);
                    self.initialise_at(made, init.offset, Ty::Ptr, &address)?;
                }
                InitValue::Func(function) => {
                    self.mention(Object::Function(*function), made.owner);
                    let address = at_offset(objects.function(*function), 0);
                    self.initialise_at(made, init.offset, Ty::Ptr, &address)?;
                }
                InitValue::Bytes(bytes) => {
                    for (at, &byte) in (init.offset..).zip(bytes) {
                        let value = literal(Const { ty: Ty::I8, bits: u64::from(byte) }, program);
                        self.initialise_at(made, at, Ty::I8, &value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn initialise_at(&mut self, made: &Made, offset: u64, ty: Ty, value: &str) -> Result<(), Refusal> {
        let program = self.objects.program();
        if let Object::Global(id) = made.object
            && self.objects.is_in_lists(made.object)
        {
            let first = self.declared[self.objects.id(made.object, made.owner)];
            let part = made.locations.binary_search_by_key(&offset, |(at, _)| *at);
            let location = first.zip(part.ok()).map(|(first, part)| &mut self.locations[first + part]);
            match location.filter(|location| location.ty.size(program.target) == ty.size(program.target)) {
                Some(location) => location.initial = Some(value.to_owned()),
                None => {
                    let global = program.global(id);
                    let message = format!("the initial value of '{}' does not fit its parts", global.name);
                    return Err(Refusal::new(message, global.span));
                }
            }
            return Ok(());
        }
        let lvalue = made.ty.and_then(|of| self.objects.layouts.lvalue(&made.name, of, offset, ty));
        let lvalue =
            lvalue.unwrap_or_else(|| format!("AT({}, {})", cell_type(ty), at_offset(&made.name, offset as i64)));
        writeln!(self.initial, "    {lvalue} = {value};").expect("writing to a string should not fail");
        Ok(())
    }
}

//! Joins checked units into one program: the same name with external linkage means the same thing.
//!
//! Units are added one after another, users' units first, so that the driver can look at what is still undefined and
//! add the library's models for it. A definition of the user's wins over one of the library. Names are made unique only
//! when the program is lowered, because a later unit can still take a name.
//!
//! Types of one name in two units are compared by structure; the library's declarations are not compared with the
//! user's, whose preprocessed headers may differ from ours in harmless ways.

mod alias;
mod compatible;
mod reach;

use crate::ctype::{ArrayLength, QualType, Type, Types};
use crate::intern::Symbol;
use crate::library;
use crate::session::Session;
use crate::tree::{Definition, Function, FunctionId, Linkage, Object, ObjectId, Unit};
use compatible::compatible;
use norn_ir::diag::Diagnostic;
pub use reach::AT_EXIT;
use reach::{Mentions, Reached};
use rustc_hash::FxHashMap;

norn_ir::ids! {
    /// A function of the linked program.
    LinkedFunctionId = "function";
    /// An object of the linked program.
    LinkedObjectId = "object";
}

/// A name for which a definition in another file would count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub name: String,
    /// Whether there is a definition already, which is weak.
    pub is_defined: bool,
}

/// What all declarations of a function together say.
#[derive(Debug)]
pub struct LinkedFunction {
    pub name: Symbol,
    pub linkage: Linkage,
    /// The declaration that counts: the one with the body if there is one.
    pub unit: usize,
    pub id: FunctionId,
    pub defined: bool,
    pub noreturn: bool,
    /// All declarations that matter are weak: of the definition, or of all units if there is none.
    pub weak: bool,
}

/// What all declarations of an object together say.
#[derive(Debug)]
pub struct LinkedObject {
    pub linkage: Linkage,
    /// The declaration that counts: initialised before tentative before weak before declared.
    pub unit: usize,
    pub id: ObjectId,
    /// Its type with the length of the array known if any declaration knows it.
    pub ty: QualType,
}

/// What of the units belongs to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Every function and object of the user's files, so that what is wrong with any of them is said.
    WholeFiles,
    /// What the entry leads to.
    FromEntry,
}

/// Units joined into one program.
#[derive(Debug)]
pub struct Linked {
    pub units: Vec<Unit>,
    library_from: usize,
    extent: Extent,
    functions: Vec<LinkedFunction>,
    objects: Vec<LinkedObject>,
    function_of: Vec<Vec<LinkedFunctionId>>,
    object_of: Vec<Vec<LinkedObjectId>>,
    names: FxHashMap<String, Named>,
    mentions: Vec<Mentions>,
    entry: Option<Symbol>,
    reached: Reached,
}

#[derive(Clone, Copy, Debug)]
enum Named {
    Function(LinkedFunctionId),
    Object(LinkedObjectId),
}

/// Joins units. Those from `library_from` on are the library's.
pub fn link(session: &mut Session, types: &Types, units: Vec<Unit>, library_from: usize, extent: Extent) -> Linked {
    let entry = session.options.entry.clone();
    let mut linked = Linked {
        units: Vec::new(),
        library_from,
        extent,
        functions: Vec::new(),
        objects: Vec::new(),
        function_of: Vec::new(),
        object_of: Vec::new(),
        names: FxHashMap::default(),
        mentions: Vec::new(),
        entry: Some(session.symbols.intern(&entry)),
        reached: Reached::default(),
    };
    for unit in units {
        linked.join(session, types, unit);
    }
    linked.reached = reach::reach(&linked, session);
    linked
}

impl Linked {
    /// Adds a unit of the user's, before any of the library.
    pub fn add_unit(&mut self, session: &mut Session, types: &Types, unit: Unit) {
        self.library_from += 1;
        self.join(session, types, unit);
        self.reached = reach::reach(self, session);
    }

    /// The names with external linkage that the entry leads to and for which a definition in another file would count:
    /// those without a definition and those whose definition is weak. In the order in which they are found.
    pub fn wanted_names(&self, session: &Session) -> Vec<Wanted> {
        let functions = self.reached.functions[..self.reached.functions_from_entry].iter().map(|&id| {
            let f = self.function(id);
            (session.symbols.name(f.name).to_owned(), f.linkage, f.defined, f.weak)
        });
        let objects = self.reached.objects[..self.reached.objects_from_entry].iter().filter_map(|&id| {
            let o = self.object_declaration(id);
            Some((o.name.clone()?, o.linkage, self.is_defined_object(id), o.symbolic.weak))
        });
        let is_wanted = |&(_, linkage, defined, weak): &(String, Linkage, bool, bool)| {
            linkage == Linkage::External && (!defined || weak)
        };
        let wanted = functions.chain(objects).filter(is_wanted);
        wanted.map(|(name, _, is_defined, _)| Wanted { name, is_defined }).collect()
    }

    /// Adds units of the library: models of functions that are still undefined.
    pub fn add_library_units(&mut self, session: &mut Session, types: &Types, units: Vec<Unit>) {
        self.library_from = self.library_from.min(self.units.len());
        for unit in units {
            self.join(session, types, unit);
        }
        self.reached = reach::reach(self, session);
    }

    /// The names of functions and objects that the entry or a function of the user's can reach but that have no
    /// definition, in the order in which they are found.
    pub fn undefined_names<'a>(&'a self, session: &'a Session) -> Vec<&'a str> {
        let functions = self.reached.functions.iter().map(|&id| self.function(id)).filter(|f| !f.defined);
        let objects = self.reached.objects.iter().filter(|&&id| !self.is_defined_object(id));
        let object_names = objects.filter_map(|&id| self.object_declaration(id).name.as_deref());
        functions.map(|f| session.symbols.name(f.name)).chain(object_names).collect()
    }

    /// Whether the entry leads to a function.
    pub fn is_reached_from_entry(&self, id: LinkedFunctionId) -> bool {
        self.reached.is_from_entry(id)
    }

    /// Whether the entry leads to an object. Of others it does not matter what they are.
    pub fn is_object_reached_from_entry(&self, id: LinkedObjectId) -> bool {
        self.reached.is_object_from_entry(id)
    }

    /// Whether the address of a function is null: it is weak, and neither a file nor the library defines it.
    pub fn is_null(&self, session: &Session, id: LinkedFunctionId) -> bool {
        let f = self.function(id);
        f.weak && !f.defined && !library::may_define(session.symbols.name(f.name))
    }

    /// Whether some file says more of an object than that it exists elsewhere.
    pub fn is_defined_object(&self, id: LinkedObjectId) -> bool {
        !matches!(self.object_declaration(id).definition, Definition::Declared)
    }

    /// Whether a function of this name is part of the program.
    pub fn is_linked(&self, name: &str) -> bool {
        matches!(self.names.get(name), Some(Named::Function(id)) if self.reached.contains(*id))
    }

    pub fn function(&self, id: LinkedFunctionId) -> &LinkedFunction {
        &self.functions[id.0 as usize]
    }

    pub fn object(&self, id: LinkedObjectId) -> &LinkedObject {
        &self.objects[id.0 as usize]
    }

    pub fn function_ids(&self) -> impl Iterator<Item = LinkedFunctionId> + use<> {
        LinkedFunctionId::all(self.functions.len())
    }

    pub fn object_ids(&self) -> impl Iterator<Item = LinkedObjectId> + use<> {
        LinkedObjectId::all(self.objects.len())
    }

    /// The declaration of a function that counts.
    pub fn declaration(&self, id: LinkedFunctionId) -> &Function {
        let f = self.function(id);
        &self.units[f.unit].functions[f.id.0 as usize]
    }

    /// The declaration of an object that counts.
    pub fn object_declaration(&self, id: LinkedObjectId) -> &Object {
        let o = self.object(id);
        &self.units[o.unit].objects[o.id.0 as usize]
    }

    /// The function that a unit means by its id.
    pub fn resolve_function(&self, unit: usize, id: FunctionId) -> LinkedFunctionId {
        self.function_of[unit][id.0 as usize]
    }

    /// The object that a unit means by its id.
    pub fn resolve_object(&self, unit: usize, id: ObjectId) -> LinkedObjectId {
        self.object_of[unit][id.0 as usize]
    }

    /// The function of this name with external linkage, else the first defined one with internal linkage.
    pub fn function_named(&self, name: Symbol, spelling: &str) -> Option<LinkedFunctionId> {
        if let Some(Named::Function(id)) = self.names.get(spelling) {
            return Some(*id);
        }
        self.function_ids().find(|&id| self.function(id).name == name && self.function(id).defined)
    }

    /// The functions that run before the entry, in the order in which they run.
    pub fn constructors(&self) -> Vec<LinkedFunctionId> {
        self.by_priority(|f| f.constructor)
    }

    /// The functions to run when the program exits, the last one first.
    pub fn destructors(&self) -> Vec<LinkedFunctionId> {
        self.by_priority(|f| f.destructor)
    }

    fn by_priority(&self, priority: impl Fn(&Function) -> Option<u32>) -> Vec<LinkedFunctionId> {
        let priority = |id: &LinkedFunctionId| priority(self.declaration(*id));
        let mut found: Vec<_> =
            self.function_ids().filter(|id| self.function(*id).defined && priority(id).is_some()).collect();
        found.sort_by_key(priority);
        found
    }

    /// Whether a function is lowered although nothing may mention it.
    pub fn is_root(&self, id: LinkedFunctionId) -> bool {
        reach::is_root(self, id)
    }

    /// Whether an object is lowered although nothing may mention it.
    pub fn is_root_object(&self, id: LinkedObjectId) -> bool {
        reach::is_root_object(self, id)
    }

    pub fn is_library_unit(&self, unit: usize) -> bool {
        unit >= self.library_from
    }

    fn join(&mut self, session: &mut Session, types: &Types, unit: Unit) {
        let index = self.units.len();
        self.mentions.push(Mentions::of(&unit));
        let functions =
            (0..unit.functions.len()).map(|i| self.join_function(session, types, index, &unit, i)).collect();
        let objects = (0..unit.objects.len()).map(|i| self.join_object(session, types, index, &unit, i)).collect();
        self.function_of.push(functions);
        self.object_of.push(objects);
        self.units.push(unit);
        self.join_aliases(session, index);
    }

    fn join_function(
        &mut self,
        session: &mut Session,
        types: &Types,
        index: usize,
        unit: &Unit,
        i: usize,
    ) -> LinkedFunctionId {
        let f = &unit.functions[i];
        let new = LinkedFunction {
            name: f.name,
            linkage: f.linkage,
            unit: index,
            id: FunctionId::new(i),
            defined: f.body.is_some(),
            noreturn: f.noreturn,
            weak: f.symbolic.weak,
        };
        let fresh = LinkedFunctionId::new(self.functions.len());
        if f.linkage == Linkage::Internal {
            self.functions.push(new);
            return fresh;
        }
        let name = session.symbols.name(f.name).to_owned();
        let known = match self.names.get(&name) {
            None => {
                self.names.insert(name, Named::Function(fresh));
                self.functions.push(new);
                return fresh;
            }
            Some(&Named::Object(other)) => {
                let other = self.declared_object(unit, index, other);
                session.report(
                    Diagnostic::error(f.loc, format!("'{name}' is a function here and an object elsewhere"))
                        .also(other.loc, "the object"),
                );
                self.functions.push(new);
                return fresh;
            }
            Some(&Named::Function(known)) => known,
        };
        let old = &self.functions[known.0 as usize];
        let old_declaration = self.declared_function(unit, index, known);
        let both_users = !self.is_library_unit(index);
        if new.defined && session.symbols.name(old.name) != name {
            session.report(alias::defined_elsewhere(&name, f.loc));
        } else if old.defined && new.defined {
            let one_is_weak = old.weak || new.weak;
            if both_users && !one_is_weak && !f.inline && !old_declaration.inline {
                session.report(
                    Diagnostic::error(f.loc, format!("'{name}' is defined twice"))
                        .also(old_declaration.loc, "the first definition"),
                );
            }
        } else if both_users && !compatible(types, old_declaration.ty, f.ty) {
            session.report(
                Diagnostic::warning(f.loc, format!("'{name}' is declared with different types in two files"))
                    .also(old_declaration.loc, "the other declaration"),
            );
        }
        let old = &mut self.functions[known.0 as usize];
        old.noreturn |= new.noreturn;
        let overrides = both_users && old.weak && !new.weak;
        if new.defined && (!old.defined || overrides) {
            *old = LinkedFunction { noreturn: old.noreturn, ..new };
        } else if !new.defined && !old.defined {
            old.weak &= new.weak;
        }
        known
    }

    fn join_object(
        &mut self,
        session: &mut Session,
        types: &Types,
        index: usize,
        unit: &Unit,
        i: usize,
    ) -> LinkedObjectId {
        let o = &unit.objects[i];
        let new = LinkedObject { linkage: o.linkage, unit: index, id: ObjectId::new(i), ty: o.ty };
        let fresh = LinkedObjectId::new(self.objects.len());
        let name = match (&o.name, o.linkage) {
            (Some(name), Linkage::External) => name.clone(),
            _ => {
                self.objects.push(new);
                return fresh;
            }
        };
        let known = match self.names.get(&name) {
            None => {
                self.names.insert(name, Named::Object(fresh));
                self.objects.push(new);
                return fresh;
            }
            Some(&Named::Function(other)) => {
                let other = self.declared_function(unit, index, other);
                session.report(
                    Diagnostic::error(o.loc, format!("'{name}' is an object here and a function elsewhere"))
                        .also(other.loc, "the function"),
                );
                self.objects.push(new);
                return fresh;
            }
            Some(&Named::Object(known)) => known,
        };
        let old = self.declared_object(unit, index, known);
        let both_users = !self.is_library_unit(index);
        if both_users && rank(o) > 0 && old.name.as_ref() != Some(&name) {
            session.report(alias::defined_elsewhere(&name, o.loc));
            return known;
        }
        let initialised = |o: &Object| matches!(o.definition, Definition::Initialised(_)) && !o.symbolic.weak;
        if both_users && initialised(old) && initialised(o) {
            session.report(
                Diagnostic::error(o.loc, format!("'{name}' is defined twice")).also(old.loc, "the first definition"),
            );
        }
        if both_users && (old.thread_local != o.thread_local || !compatible(types, old.ty.ty, o.ty.ty)) {
            session.report(
                Diagnostic::error(o.loc, format!("'{name}' is declared with different types in two files"))
                    .also(old.loc, "the other declaration"),
            );
        }
        let takes_over = rank(o) > rank(old);
        let entry = &mut self.objects[known.0 as usize];
        let open_length =
            matches!(types.get(entry.ty.ty), Type::Array { length: ArrayLength::Unknown, .. }) || takes_over;
        let new_known = !matches!(types.get(o.ty.ty), Type::Array { length: ArrayLength::Unknown, .. });
        if open_length && new_known {
            entry.ty = o.ty;
        }
        if takes_over {
            entry.unit = index;
            entry.id = ObjectId::new(i);
        }
        known
    }

    /// Like [`Linked::object_declaration`], while `unit` is still on its way in.
    fn declared_object<'a>(&'a self, unit: &'a Unit, index: usize, id: LinkedObjectId) -> &'a Object {
        let o = self.object(id);
        let unit = if o.unit == index { unit } else { &self.units[o.unit] };
        &unit.objects[o.id.0 as usize]
    }

    fn declared_function<'a>(&'a self, unit: &'a Unit, index: usize, id: LinkedFunctionId) -> &'a Function {
        let f = self.function(id);
        let unit = if f.unit == index { unit } else { &self.units[f.unit] };
        &unit.functions[f.id.0 as usize]
    }
}

fn rank(object: &Object) -> u8 {
    match object.definition {
        Definition::Declared => 0,
        _ if object.symbolic.weak => 1,
        Definition::Tentative => 2,
        Definition::Initialised(_) => 3,
    }
}

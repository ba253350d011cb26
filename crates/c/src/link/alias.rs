//! Aliases: declarations that stand for an object or function that has another name in their unit.

use super::{Linked, LinkedFunctionId, LinkedObjectId, Named};
use crate::session::Session;
use crate::tree::{Linkage, Unit};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Linked {
    /// Lets the aliases of a unit that has just been added mean their targets, in all units.
    ///
    /// That an alias is weak does not help it against another definition: who wins would depend on units that are still to come.
    pub(super) fn join_aliases(&mut self, session: &mut Session, index: usize) {
        let unit = &self.units[index];
        let mut functions = Vec::new();
        for (i, f) in unit.functions.iter().enumerate() {
            let Some((target, loc)) = &f.symbolic.alias else { continue };
            let is_target = |t: usize| t != i && session.symbols.name(unit.functions[t].name) == target;
            let found = (0..unit.functions.len()).find(|&t| is_target(t) && unit.functions[t].body.is_some());
            functions.push((i, session.symbols.name(f.name).to_owned(), f.linkage, found, *loc));
        }
        let mut objects = Vec::new();
        for (i, o) in unit.objects.iter().enumerate() {
            let Some((target, loc)) = &o.symbolic.alias else { continue };
            let is_target = |t: usize| t != i && unit.objects[t].name.as_ref() == Some(target);
            let found = (0..unit.objects.len()).find(|&t| is_target(t) && is_defined(unit, t));
            objects.push((i, o.name.clone().unwrap_or_default(), o.linkage, found, *loc));
        }
        for (i, name, linkage, target, loc) in functions {
            let own = self.function_of[index][i];
            match target {
                Some(_) if self.function(own).defined => session.report(defined_elsewhere(&name, loc)),
                Some(target) => {
                    let target = self.function_of[index][target];
                    self.function_of[index][i] = target;
                    if linkage == Linkage::External {
                        self.alias_function(own, &name, target);
                    }
                }
                None => no_target(session, &name, loc),
            }
        }
        for (i, name, linkage, target, loc) in objects {
            let own = self.object_of[index][i];
            match target {
                Some(_) if self.is_defined_object(own) => session.report(defined_elsewhere(&name, loc)),
                Some(target) => {
                    let target = self.object_of[index][target];
                    self.object_of[index][i] = target;
                    if linkage == Linkage::External {
                        self.alias_object(own, &name, target);
                    }
                }
                None => no_target(session, &name, loc),
            }
        }
    }

    fn alias_function(&mut self, own: LinkedFunctionId, name: &str, target: LinkedFunctionId) {
        for id in self.function_of.iter_mut().flatten().filter(|id| **id == own) {
            *id = target;
        }
        self.names.insert(name.to_owned(), Named::Function(target));
    }

    fn alias_object(&mut self, own: LinkedObjectId, name: &str, target: LinkedObjectId) {
        for id in self.object_of.iter_mut().flatten().filter(|id| **id == own) {
            *id = target;
        }
        self.names.insert(name.to_owned(), Named::Object(target));
    }
}

fn is_defined(unit: &Unit, object: usize) -> bool {
    !matches!(unit.objects[object].definition, crate::tree::Definition::Declared)
}

fn no_target(session: &mut Session, name: &str, loc: Loc) {
    session.report(Diagnostic::error(loc, format!("'{name}' is an alias of what this file does not define")));
}

pub(super) fn defined_elsewhere(name: &str, loc: Loc) -> Diagnostic {
    Diagnostic::unsupported(loc, format!("'{name}', which is an alias in one file and defined in another"))
}

//! The symbols that declarations stand for: names given by `asm("name")`, weak symbols, aliases.

use super::Checker;
use crate::ast;
use crate::intern::Symbol;
use crate::library;
use crate::tree::{Definition, FunctionId, Linkage, ObjectId, Symbolic};

impl Symbolic {
    /// Adds what another declaration of the same thing says.
    pub(super) fn add(&mut self, other: Symbolic) {
        self.weak |= other.weak;
        self.alias = self.alias.take().or(other.alias);
    }
}

impl Checker<'_> {
    /// What attributes say about how a symbol is linked.
    pub(super) fn symbolic(&mut self, attributes: &[ast::Attribute]) -> Symbolic {
        let mut symbolic = Symbolic::default();
        for attribute in attributes {
            if attribute.name == self.words.weak {
                symbolic.weak = true;
            } else if attribute.name == self.words.alias {
                let [ast::Expr { kind: ast::ExprKind::Str(target), .. }] = &attribute.args[..] else {
                    self.error(attribute.loc, "the attribute 'alias' takes a name as a string");
                    continue;
                };
                symbolic.alias = Some((target.text(), attribute.loc));
            }
        }
        symbolic
    }

    /// Applies the attributes and the label of a declaration to an object with linkage.
    pub(super) fn object_symbol(
        &mut self,
        id: ObjectId,
        name: Symbol,
        specifiers: &ast::Specifiers,
        init: &ast::InitDeclarator,
    ) {
        let mut symbolic = self.symbolic(&specifiers.attributes);
        symbolic.add(self.symbolic(&init.declarator.attributes));
        let link_name = init.asm_label.map(|label| self.name(self.link_name(name, label)).to_owned());
        let spelling = self.name(name).to_owned();
        let object = &mut self.unit.objects[id.0 as usize];
        object.symbolic.add(symbolic);
        if object.linkage == Linkage::External && object.name.as_ref() == Some(&spelling) {
            object.name = link_name.or(Some(spelling));
        }
        let Some((_, at)) = object.symbolic.alias else { return };
        let is_defined = init.initializer.is_some() || matches!(object.definition, Definition::Initialised(_));
        object.definition = Definition::Declared;
        if is_defined {
            self.error(at, "what is defined cannot be an alias");
        }
    }

    /// Applies the label of a declaration to a function.
    pub(super) fn label_function(&mut self, id: FunctionId, name: Symbol, label: Option<Symbol>) {
        let Some(label) = label else { return };
        let link_name = self.link_name(name, label);
        let function = &mut self.unit.functions[id.0 as usize];
        // Later labels change nothing.
        if function.linkage == Linkage::External && function.name == name {
            function.name = link_name;
        }
    }

    /// The name under which a declaration with a label is linked. The headers of glibc give library functions the names of their
    /// variants (`scanf` is `__isoc99_scanf`); such a function keeps the name by which the library is known here.
    fn link_name(&self, name: Symbol, label: Symbol) -> Symbol {
        let is_defined = |symbol| self.session.defined_functions.contains(&symbol);
        let (known, variant) = (self.name(name), self.name(label));
        let is_library = is_variant(known, variant) || library::unsupported(known).is_some();
        if is_library && !is_defined(name) && !is_defined(label) { name } else { label }
    }
}

/// Whether a label is the name that glibc has for a variant of a function.
fn is_variant(name: &str, label: &str) -> bool {
    let is_other_standard = ["__isoc99_", "__isoc23_"].iter().any(|prefix| label.strip_prefix(prefix) == Some(name));
    let of_wide_types = label.strip_suffix("64").map(|rest| rest.strip_suffix("_time").unwrap_or(rest));
    is_other_standard || of_wide_types.is_some_and(|rest| rest == name || rest.strip_prefix("__") == Some(name))
}

#[cfg(test)]
mod tests {
    use super::is_variant;

    #[test]
    fn variants_of_library_functions_have_other_names() {
        for (name, label) in [
            ("scanf", "__isoc99_scanf"),
            ("strtol", "__isoc23_strtol"),
            ("open", "open64"),
            ("nanosleep", "__nanosleep64"),
            ("sem_timedwait", "__sem_timedwait_time64"),
        ] {
            assert!(is_variant(name, label), "{name} {label}");
        }
        for (name, label) in [
            ("strerror_r", "__xpg_strerror_r"),
            ("f", "g"),
            ("f", "f"),
            ("f", "f32"),
            ("open", "fopen64"),
            ("f", "__isoc99_g"),
        ] {
            assert!(!is_variant(name, label), "{name} {label}");
        }
    }
}

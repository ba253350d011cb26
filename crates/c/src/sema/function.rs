//! Function definitions, and what is known while a body is being checked.

use super::Checker;
use super::constant::Value;
use super::jumps::Jumps;
use super::nested::Nesting;
use super::object::Defines;
use super::scope::Entity;
use super::switch::SwitchState;
use crate::ast::{self, Derivation, Parameters, StorageClass};
use crate::builtins::{is_body_to_ignore, is_for_inlining_only};
use crate::ctype::{ArrayLength, QualType, Type, TypeId, VlaId};
use crate::intern::Symbol;
use crate::tree::{
    Body, Definition, Expr, ExprKind, FunctionId, Label, LabelId, Linkage, Object, ObjectId, Stmt, StmtKind, Symbolic,
    Var, VarId,
};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function whose body is being checked.
pub(super) struct FunctionState {
    pub(super) name: Symbol,
    pub(super) result: QualType,
    pub(super) vars: Vec<Var>,
    labels: Vec<Label>,
    label_states: Vec<LabelState>,
    label_table: FxHashMap<Symbol, LabelId>,
    pub(super) cases: u32,
    pub(super) vla_vars: FxHashMap<VlaId, VarId>,
    pub(super) vla_lengths: Vec<(VlaId, VarId)>,
    /// The variables of each open block.
    pub(super) blocks: Vec<Vec<VarId>>,
    /// Around the current statement: what `break` leaves, what `continue` continues.
    pub(super) breakable: u32,
    pub(super) loops: u32,
    pub(super) switches: Vec<SwitchState>,
    pub(super) jumps: Jumps,
    /// The variables declared with `register`.
    pub(super) registers: FxHashSet<VarId>,
    /// The `const` variables that a constant initialises.
    pub(super) known: FxHashMap<VarId, Value>,
    /// The variables whose address must not be taken, because a statement relies on it.
    private: Vec<(VarId, Loc)>,
    /// The labels whose addresses are taken, and the object that stands for them.
    label_addresses: Vec<LabelId>,
    label_object: Option<ObjectId>,
    /// The names that `__label__` has declared, in all blocks.
    pub(super) local_labels: FxHashSet<Symbol>,
    /// How it belongs to the functions around it and inside of it.
    pub(super) nesting: Nesting,
}

struct LabelState {
    defined: Option<Loc>,
    used: Option<Loc>,
}

/// What is set aside while an operand that is never evaluated is checked.
pub(super) struct Isolated {
    label_table: FxHashMap<Symbol, LabelId>,
    labels: usize,
    cases: u32,
    breakable: u32,
    loops: u32,
    switches: Vec<SwitchState>,
}

impl FunctionState {
    pub(super) fn new(name: Symbol, result: QualType) -> FunctionState {
        FunctionState {
            name,
            result,
            vars: Vec::new(),
            labels: Vec::new(),
            label_states: Vec::new(),
            label_table: FxHashMap::default(),
            cases: 0,
            vla_vars: FxHashMap::default(),
            vla_lengths: Vec::new(),
            blocks: vec![Vec::new()],
            breakable: 0,
            loops: 0,
            switches: Vec::new(),
            jumps: Jumps::default(),
            known: FxHashMap::default(),
            registers: FxHashSet::default(),
            private: Vec::new(),
            label_addresses: Vec::new(),
            label_object: None,
            local_labels: FxHashSet::default(),
            nesting: Nesting::default(),
        }
    }

    /// A variable of the innermost block.
    pub(super) fn new_var(&mut self, name: Option<Symbol>, ty: QualType, loc: Loc) -> VarId {
        let id = VarId::new(self.vars.len());
        self.vars.push(Var { name, ty, address_taken: false, align: 1, loc });
        if let Some(block) = self.blocks.last_mut() {
            block.push(id);
        }
        id
    }

    /// The label that a `goto` names.
    pub(super) fn goto_label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        let id = self.label(name, loc);
        self.label_states[id.0 as usize].used.get_or_insert(loc);
        self.jumps.goto(id, loc);
        id
    }

    fn label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        match self.label_table.get(&name) {
            Some(&id) => id,
            None => {
                let id = self.new_label(name, loc);
                self.label_table.insert(name, id);
                id
            }
        }
    }

    fn new_label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        let id = LabelId::new(self.labels.len());
        self.labels.push(Label { name, loc });
        self.label_states.push(LabelState { defined: None, used: None });
        id
    }

    /// The label that stands before a statement; the place of an earlier one of the same name is an error.
    pub(super) fn define_label(&mut self, name: Symbol, loc: Loc) -> Result<LabelId, Loc> {
        let id = self.label(name, loc);
        let state = &mut self.label_states[id.0 as usize];
        if let Some(earlier) = state.defined {
            return Err(earlier);
        }
        state.defined = Some(loc);
        self.jumps.label(id);
        self.labels[id.0 as usize].loc = loc;
        Ok(id)
    }

    /// Begins a block with GNU `__label__` declarations; returns what the names meant outside.
    pub(super) fn hide_labels(&mut self, names: &[(Symbol, Loc)]) -> Vec<(Symbol, Option<LabelId>)> {
        self.local_labels.extend(names.iter().map(|(name, _)| *name));
        let hide = |&(name, loc): &(Symbol, Loc)| {
            let id = self.new_label(name, loc);
            (name, self.label_table.insert(name, id))
        };
        names.iter().map(hide).collect()
    }

    pub(super) fn show_labels(&mut self, hidden: Vec<(Symbol, Option<LabelId>)>) {
        for (name, id) in hidden.into_iter().rev() {
            match id {
                Some(id) => self.label_table.insert(name, id),
                None => self.label_table.remove(&name),
            };
        }
    }

    /// Labels that are used and stand nowhere.
    fn undefined_labels(&self) -> Vec<(Symbol, Loc)> {
        let states = self.labels.iter().zip(&self.label_states);
        states.filter(|(_, s)| s.defined.is_none()).filter_map(|(l, s)| Some((l.name, s.used?))).collect()
    }

    /// Begins a statement expression that is never evaluated: its labels and cases must not become part of the body.
    pub(super) fn isolate(&mut self) -> Isolated {
        Isolated {
            label_table: std::mem::take(&mut self.label_table),
            labels: self.labels.len(),
            cases: self.cases,
            breakable: std::mem::take(&mut self.breakable),
            loops: std::mem::take(&mut self.loops),
            switches: std::mem::take(&mut self.switches),
        }
    }

    pub(super) fn rejoin(&mut self, outer: Isolated) {
        self.labels.truncate(outer.labels);
        self.jumps.forget_labels_from(outer.labels);
        self.label_states.truncate(outer.labels);
        self.label_table = outer.label_table;
        self.cases = outer.cases;
        self.breakable = outer.breakable;
        self.loops = outer.loops;
        self.switches = outer.switches;
    }
}

impl Checker<'_> {
    pub(super) fn function_definition(&mut self, definition: &ast::FunctionDefinition) {
        let specifiers = &definition.specifiers;
        let declarator = &definition.declarator;
        let loc = declarator.loc;
        let (Some(name), Some((Derivation::Function(params), inner))) =
            (declarator.name, declarator.derivations.split_last())
        else {
            self.error(loc, "a function definition needs a name and parameters");
            return;
        };
        if matches!(specifiers.storage, Some(StorageClass::Typedef | StorageClass::Auto | StorageClass::Register)) {
            self.error(specifiers.loc, "a function definition can only be 'static' or 'extern'");
        }
        let base = self.specifiers(specifiers, false);
        let result = self.derived(base.ty, inner, loc);
        self.function = Some(Box::new(FunctionState::new(name, QualType::unqualified(result.ty))));
        let (vars, ty) = self.function_header(definition, params, result);
        if result.ty != TypeId::VOID && self.size_of(result).is_none() && !self.is_error(ty) {
            let text = self.text(result);
            self.error(loc, format!("a function cannot return the incomplete type {text}"));
        }
        let attributes = (&specifiers.attributes[..], &declarator.attributes[..]);
        let noreturn = specifiers.noreturn || self.is_noreturn(attributes.0) || self.is_noreturn(attributes.1);
        let ignored = is_body_to_ignore(self.session, definition);
        let defines = match ignored {
            true => Defines::No,
            false if is_for_inlining_only(self.session, definition) => Defines::ForInlining,
            false => Defines::Whole,
        };
        let id = self.declare_function(name, ty, specifiers, noreturn, defines, loc);
        if let Some(id) = id {
            self.function_attributes(id, attributes.0);
            self.function_attributes(id, attributes.1);
            if let Some((_, at)) = &self.unit.functions[id.0 as usize].symbolic.alias {
                self.error(*at, "what is defined cannot be an alias");
            }
        }
        let body = self.function_body(definition, vars);
        if let Some(id) = id.filter(|_| !ignored) {
            self.unit.functions[id.0 as usize].body = body;
        }
    }

    /// Opens the scope of a function and declares its parameters in it. Also gives the function's type.
    pub(super) fn function_header(
        &mut self,
        definition: &ast::FunctionDefinition,
        params: &Parameters,
        result: QualType,
    ) -> (Vec<VarId>, QualType) {
        let loc = definition.declarator.loc;
        self.scopes.enter();
        if let Some(function) = &mut self.function {
            function.nesting.depth = self.scopes.depth();
        }
        match params {
            Parameters::Unknown => (Vec::new(), self.function_returning(result, Vec::new(), false, false, loc)),
            Parameters::Prototype { params, variadic } => {
                let mut vars = Vec::with_capacity(params.len());
                let mut types = Vec::with_capacity(params.len());
                for param in params {
                    let ty = self.param_type(param);
                    types.push(QualType::unqualified(ty.ty));
                    vars.push(self.declare_param(param.declarator.name, ty, param.declarator.loc));
                }
                (vars, self.function_returning(result, types, *variadic, true, loc))
            }
            Parameters::Names(names) => {
                let (vars, types) = self.old_style_params(names, &definition.old_style_params);
                (vars, self.function_returning(result, types, false, false, loc))
            }
        }
    }

    /// The body of the current function, whose scope ends with it.
    pub(super) fn function_body(&mut self, definition: &ast::FunctionDefinition, vars: Vec<VarId>) -> Option<Body> {
        let loc = definition.declarator.loc;
        let mut stmts = Vec::new();
        // The parameters are not listed as variables of the block.
        if let Some(function) = &mut self.function {
            let params = &vars;
            function.blocks[0].retain(|v| params.binary_search(v).is_err());
        }
        self.flush_pending(&mut stmts, loc);
        if let Some(function) = &mut self.function {
            function.hide_labels(&definition.body.local_labels);
        }
        self.block_items(&definition.body.items, &mut stmts);
        self.scopes.leave();
        let mut function = self.function.take()?;
        for (label, at) in function.undefined_labels() {
            let message = format!("there is no label '{}' in this function", self.name(label));
            self.error(at, message);
        }
        self.check_jumps(&function.jumps);
        for &(_, at) in function.private.iter().filter(|(var, _)| function.vars[var.0 as usize].address_taken) {
            let message =
                "an operand of 'asm' that may be in a register or in memory, and whose address is taken later";
            self.report(Diagnostic::unsupported(at, message));
        }
        if let Some(object) = function.label_object {
            self.unit.objects[object.0 as usize].ty = self.bytes(function.label_addresses.len() as u64);
        }
        let block_vars = function.blocks.pop().unwrap_or_default();
        let block = Stmt { kind: StmtKind::Block { vars: block_vars, stmts }, loc: definition.body.loc };
        let frame = self.finished_frame(&mut function);
        Some(Body {
            params: vars,
            vars: function.vars,
            labels: function.labels,
            label_addresses: function.label_addresses,
            label_object: function.label_object,
            frame,
            cases: function.cases,
            vla_lengths: function.vla_lengths,
            block,
            end: definition.body.end,
        })
    }

    fn declare_param(&mut self, name: Option<Symbol>, ty: QualType, loc: Loc) -> VarId {
        if !self.is_error(ty) && self.size_of(ty).is_none() {
            let text = self.text(ty);
            self.error(loc, format!("a parameter cannot have the incomplete type {text}"));
        }
        let Some(function) = &mut self.function else { return VarId(0) };
        let var = function.new_var(name, ty, loc);
        let Some(name) = name else { return var };
        match self.scopes.name_here(name) {
            Some(earlier) => {
                let message = format!("there are two parameters named '{}'", self.name(name));
                self.report(Diagnostic::error(loc, message).also(earlier.loc, "the first one"));
            }
            None => self.scopes.bind(name, Entity::Var(var), loc),
        }
        var
    }

    fn old_style_params(
        &mut self,
        names: &[(Symbol, Loc)],
        declarations: &[ast::Declaration],
    ) -> (Vec<VarId>, Vec<QualType>) {
        let mut declared: FxHashMap<Symbol, QualType> = FxHashMap::default();
        for declaration in declarations {
            let base = self.specifiers(&declaration.specifiers, declaration.declarators.is_empty());
            for init in &declaration.declarators {
                let declarator = &init.declarator;
                let ty = self.derived(base.ty, &declarator.derivations, declarator.loc);
                let ty = self.adjusted_param(ty);
                if init.initializer.is_some() {
                    self.error(declarator.loc, "a parameter cannot be initialised");
                }
                let Some(name) = declarator.name else { continue };
                if !names.iter().any(|(n, _)| *n == name) {
                    let message = format!("'{}' is not a parameter of this function", self.name(name));
                    self.error(declarator.loc, message);
                    continue;
                }
                if declared.insert(name, ty).is_some() {
                    let message = format!("the parameter '{}' is declared twice", self.name(name));
                    self.error(declarator.loc, message);
                }
            }
        }
        let (mut vars, mut types) = (Vec::new(), Vec::new());
        for &(name, loc) in names {
            let ty = declared.get(&name).copied().unwrap_or_else(|| self.int_type());
            vars.push(self.declare_param(Some(name), ty, loc));
            types.push(QualType::unqualified(ty.ty));
        }
        (vars, types)
    }

    /// GNU `&&label`: the address of a byte, of which a function has one for each such label.
    pub(super) fn label_address(&mut self, name: Symbol, loc: Loc) -> Expr {
        let ty = self.pointer_to(self.void_type());
        if self.function.is_none() {
            self.error(loc, "only functions have labels");
            return self.error_expr(loc);
        }
        if self.unevaluated > 0 {
            return self.unsupported("the address of a label that is never taken", ty, loc);
        }
        // A nested function may name a label of one around it.
        let owner = self.label_owner(name);
        let function = match owner {
            Some(owner) => &mut self.outer[owner],
            None => match self.function.as_deref_mut() {
                Some(function) => function,
                None => return self.error_expr(loc),
            },
        };
        let label = function.label(name, loc);
        function.label_states[label.0 as usize].used.get_or_insert(loc);
        let position = function.label_addresses.iter().position(|&l| l == label).unwrap_or_else(|| {
            function.label_addresses.push(label);
            function.label_addresses.len() - 1
        });
        let (known, name) = (function.label_object, function.name);
        let object = known.unwrap_or_else(|| self.new_label_object(name, loc));
        let function = match owner {
            Some(owner) => Some(&mut self.outer[owner]),
            None => self.function.as_deref_mut(),
        };
        if let Some(function) = function {
            function.label_object = Some(object);
        }
        let base = Box::new(Expr { kind: ExprKind::Object(object), ty: self.bytes(1), loc });
        let kind = ExprKind::Member { base, offset: position as u64, bits: None };
        let place = Expr { kind, ty: QualType::unqualified(TypeId::CHAR), loc };
        self.address(place, ty, loc)
    }

    fn new_label_object(&mut self, function: Symbol, loc: Loc) -> ObjectId {
        let object = Object {
            symbolic: Symbolic::default(),
            name: Some(format!("{}.labels", self.name(function))),
            ty: self.bytes(1),
            align: 1,
            linkage: Linkage::Internal,
            thread_local: false,
            constant: true,
            definition: Definition::Initialised(Vec::new()),
            loc,
        };
        self.add_object(object)
    }

    fn bytes(&mut self, count: u64) -> QualType {
        let element = QualType::unqualified(TypeId::CHAR);
        QualType::unqualified(self.types.intern(Type::Array { element, length: ArrayLength::Known(count) }))
    }

    /// A label of inline assembly, which nothing else can name.
    pub(crate) fn asm_label(&mut self, loc: Loc) -> Option<LabelId> {
        let name = self.words.asm_label;
        let function = self.function.as_mut()?;
        let id = function.new_label(name, loc);
        function.label_states[id.0 as usize].defined = Some(loc);
        function.jumps.label(id);
        Some(id)
    }

    /// The label that an `asm goto` jumps to.
    pub(crate) fn goto_target(&mut self, name: Symbol, loc: Loc) -> Option<LabelId> {
        Some(self.function.as_mut()?.goto_label(name, loc))
    }

    /// Whether the address of a variable has not been taken; if so, it must not be taken later.
    pub(crate) fn is_private(&mut self, var: VarId, loc: Loc) -> bool {
        let Some(function) = &mut self.function else { return false };
        let is_private = !function.vars[var.0 as usize].address_taken;
        if is_private {
            function.private.push((var, loc));
        }
        is_private
    }

    pub(super) fn is_noreturn(&self, attributes: &[ast::Attribute]) -> bool {
        attributes.iter().any(|a| a.name == self.words.noreturn)
    }

    /// Attributes that say when a function runs and how it is linked.
    pub(super) fn function_attributes(&mut self, id: FunctionId, attributes: &[ast::Attribute]) {
        for attribute in attributes {
            if attribute.name == self.words.constructor {
                let priority = self.priority(attribute, "constructor");
                self.unit.functions[id.0 as usize].constructor = Some(priority);
            } else if attribute.name == self.words.destructor {
                let priority = self.priority(attribute, "destructor");
                self.unit.functions[id.0 as usize].destructor = Some(priority);
            }
        }
        let symbolic = self.symbolic(attributes);
        self.unit.functions[id.0 as usize].symbolic.add(symbolic);
    }

    /// The priority of a constructor or destructor; those without one come after all others.
    fn priority(&mut self, attribute: &ast::Attribute, what: &str) -> u32 {
        let priority = match attribute.args.first() {
            Some(arg) => self.required_int(arg, &format!("the priority of a {what}")),
            None => None,
        };
        if priority.is_some_and(|n| !(0..=0xffff).contains(&n)) {
            self.error(attribute.loc, format!("the priority of a {what} must be a number from 0 to 65535"));
        }
        priority.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX)
    }

    pub(super) fn enter_prototype(&mut self) {
        self.scopes.enter();
        self.prototypes += 1;
    }

    pub(super) fn leave_prototype(&mut self) {
        self.scopes.leave();
        self.prototypes -= 1;
    }

    /// Whether the parameters of a declaration are being read that is no definition.
    pub(super) fn in_prototype(&self) -> bool {
        self.prototypes > 0
    }
}

//! GNU functions inside of functions.
//!
//! A nested function is an ordinary one with one more parameter, its *chain*: the frame of the function around it. A frame is an array of
//! pointers to the variables that nested functions use, and to the frame further out. Calls by name pass the chain.
//!
//! A pointer to a nested function has no room for a chain. It points to a function that finds the chain in an object of its thread,
//! where the activation whose variables are meant has put it (the *claim*). One activation at a time may do so, until it returns: a
//! second one, by recursion, is unsupported, and so is a call by another thread. A nested function that uses nothing of those around
//! it needs none of this.

use super::Checker;
use super::function::FunctionState;
use super::scope::Entity;
use crate::ast::{self, Derivation};
use crate::ctype::{ArrayLength, QualType, Type, TypeId};
use crate::intern::Symbol;
use crate::tree::{
    Body, Builtin, Callee, CompareOp, Definition, Expr, ExprKind, Frame, Function, FunctionId, Linkage, Object,
    ObjectId, Size, Stmt, StmtKind, Symbolic, Var, VarId,
};
use norn_ir::source::Loc;

/// A function that is defined inside of another one.
pub(super) struct Nested {
    /// The number of the function around it.
    parent: usize,
    /// False while its body is being checked, or is still to come.
    complete: bool,
    uses_chain: bool,
    /// What a pointer to it points to: without a chain, and with one.
    entries: [Option<FunctionId>; 2],
    claim: Option<ObjectId>,
}

/// How a function belongs to those around it and inside of it.
#[derive(Default)]
pub(super) struct Nesting {
    /// How many scopes are open around its parameters, its own included.
    pub(super) depth: u32,
    chain: Option<VarId>,
    uses_chain: bool,
    frame: Option<VarId>,
    slots: Vec<VarId>,
    claims: Vec<ObjectId>,
}

impl Checker<'_> {
    /// `auto int f(void);` in a block.
    pub(super) fn declare_nested(&mut self, name: Symbol, ty: QualType, loc: Loc) -> FunctionId {
        if let Some(Entity::Function(id)) = self.scopes.name_here(name).map(|b| b.entity)
            && self.nested.get(&id).is_some_and(|nested| !nested.complete)
        {
            self.unit.functions[id.0 as usize].ty = ty.ty;
            return id;
        }
        let id = FunctionId::new(self.unit.functions.len());
        self.unit.functions.push(private_function(name, ty.ty, None, loc));
        let parent = self.outer.len();
        self.nested.insert(id, Nested { parent, complete: false, uses_chain: true, entries: [None; 2], claim: None });
        self.scopes.bind(name, Entity::Function(id), loc);
        id
    }

    /// The definition of a function in a block.
    pub(super) fn nested_definition(&mut self, definition: &ast::FunctionDefinition) {
        let declarator = &definition.declarator;
        let loc = declarator.loc;
        let (Some(name), Some((Derivation::Function(params), inner)), Some(outer)) =
            (declarator.name, declarator.derivations.split_last(), self.function.take())
        else {
            self.error(loc, "a function definition needs a name and parameters");
            return;
        };
        let storage = definition.specifiers.storage;
        if !matches!(storage, None | Some(ast::StorageClass::Auto)) {
            self.error(definition.specifiers.loc, "a function inside of another one can only be 'auto'");
        }
        self.function = Some(outer);
        let base = self.specifiers(&definition.specifiers, false);
        let result = self.derived(base.ty, inner, loc);
        let pending = std::mem::take(&mut self.pending);
        self.outer.extend(self.function.take().map(|outer| *outer));
        let mut state = FunctionState::new(name, QualType::unqualified(result.ty));
        let pointers = self.frame_pointer();
        let chain = state.new_var(None, pointers, loc);
        state.nesting.chain = Some(chain);
        self.function = Some(Box::new(state));
        let (mut vars, ty) = self.function_header(definition, params, result);
        vars.insert(0, chain);
        let depth = self.outer.len() - 1;
        let id = match self.earlier_nested(name, ty) {
            Some(id) => id,
            None => {
                let id = FunctionId::new(self.unit.functions.len());
                self.unit.functions.push(private_function(name, ty.ty, None, loc));
                let nested =
                    Nested { parent: depth, complete: false, uses_chain: true, entries: [None; 2], claim: None };
                self.nested.insert(id, nested);
                id
            }
        };
        // It knows itself, unless a parameter has its name; those around learn of it below.
        if self.scopes.name_here(name).is_none() {
            self.scopes.bind(name, Entity::Function(id), loc);
        }
        let noreturn = self.is_noreturn(&definition.specifiers.attributes) || self.is_noreturn(&declarator.attributes);
        let body = self.function_body(definition, vars);
        self.function = self.outer.pop().map(Box::new);
        self.pending = pending;
        let uses_chain = self.session.has_errors() || std::mem::take(&mut self.last_uses_chain);
        if let Some(nested) = self.nested.get_mut(&id) {
            nested.complete = true;
            nested.uses_chain = uses_chain;
        }
        let function = &mut self.unit.functions[id.0 as usize];
        function.body = body;
        function.noreturn |= noreturn;
        self.scopes.bind(name, Entity::Function(id), loc);
    }

    /// The function that an `auto` declaration in the block around has announced.
    fn earlier_nested(&mut self, name: Symbol, ty: QualType) -> Option<FunctionId> {
        let binding = self.scopes.name(name)?;
        let Entity::Function(id) = binding.entity else { return None };
        let is_meant = binding.depth + 1 == self.scopes.depth() && self.nested.get(&id).is_some_and(|n| !n.complete);
        if is_meant {
            self.unit.functions[id.0 as usize].ty = ty.ty;
        }
        is_meant.then_some(id)
    }

    /// The function around the current one that has declared a label for jumps from here, if one has.
    pub(super) fn label_owner(&self, label: Symbol) -> Option<usize> {
        let is_own = self.function.as_ref().is_some_and(|f| f.local_labels.contains(&label));
        (0..self.outer.len()).rev().find(|&k| !is_own && self.outer[k].local_labels.contains(&label))
    }

    /// The number of the function around the current one that a variable belongs to, by the depth of its scope. `None` if it is
    /// the current one's.
    pub(super) fn owner(&self, depth: u32) -> Option<usize> {
        let current = self.function.as_ref()?;
        if current.nesting.depth <= depth {
            return None;
        }
        (0..self.outer.len()).rev().find(|&k| self.outer[k].nesting.depth <= depth)
    }

    /// A variable of a function around the current one, as a place.
    pub(super) fn captured(&mut self, owner: usize, var: VarId, loc: Loc) -> Expr {
        let frame = self.frame_of(owner, loc);
        let function = &mut self.outer[owner];
        let variable = &mut function.vars[var.0 as usize];
        variable.address_taken = true;
        let ty = variable.ty;
        let slots = &mut function.nesting.slots;
        let slot = slots.iter().position(|&v| v == var).unwrap_or_else(|| {
            slots.push(var);
            slots.len() - 1
        });
        let index = self.int_constant(slot as i128 + 1, self.ptrdiff_type(), loc);
        let at = self.pointer_add(frame, index, Size::Const(self.pointer_size()), false, loc);
        let pointer = self.load(self.deref(at, loc));
        let ty = self.pointer_to(ty);
        let pointer = Expr { kind: ExprKind::Convert(Box::new(pointer)), ty, loc };
        self.deref(pointer, loc)
    }

    /// The address of the frame of the current function or of one around it, by its number.
    fn frame_of(&mut self, owner: usize, loc: Loc) -> Expr {
        let ty = self.frame_pointer();
        let level = self.outer.len();
        if owner == level {
            let array = self.pointers(1);
            let var = self.function.as_mut().map_or(VarId(0), |f| f.frame(array, loc));
            let place = self.var(var, loc);
            return Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, loc };
        }
        let array = self.pointers(1);
        for function in &mut self.outer[owner..] {
            function.frame(array, loc);
        }
        for function in &mut self.outer[owner + 1..] {
            function.nesting.uses_chain = true;
        }
        let Some(function) = &mut self.function else { return self.error_expr(loc) };
        function.nesting.uses_chain = true;
        let Some(chain) = function.nesting.chain else { return self.error_expr(loc) };
        let mut frame = self.load(self.var(chain, loc));
        for _ in owner + 1..level {
            let outer = self.load(self.deref(frame, loc));
            frame = Expr { kind: ExprKind::Convert(Box::new(outer)), ty, loc };
        }
        frame
    }

    /// What a call of a nested function passes as its chain.
    pub(super) fn chain_for(&mut self, id: FunctionId, loc: Loc) -> Expr {
        match self.nested.get(&id) {
            Some(Nested { parent, uses_chain: true, .. }) => self.frame_of(*parent, loc),
            _ => {
                let ty = self.frame_pointer();
                self.int_constant(0, ty, loc)
            }
        }
    }

    /// A pointer to a nested function.
    pub(super) fn nested_pointer(&mut self, id: FunctionId, ty: QualType, loc: Loc) -> Expr {
        if self.unevaluated > 0 {
            return Expr { kind: ExprKind::Function(id), ty, loc };
        }
        let function = match self.types.get(self.unit.functions[id.0 as usize].ty) {
            Type::Function(function) => function.clone(),
            _ => return self.error_expr(loc),
        };
        let Some(&Nested { parent, complete, uses_chain, .. }) = self.nested.get(&id) else {
            return self.error_expr(loc);
        };
        if function.variadic || (!function.prototyped && !complete) {
            return self.unsupported("a pointer to a nested function with unknown arguments", ty, loc);
        }
        if !uses_chain {
            let entry = self.entry_of(id, None, loc);
            return Expr { kind: ExprKind::Function(entry), ty, loc };
        }
        let claim = self.claim_of(id, loc);
        let entry = self.entry_of(id, Some(claim), loc);
        let frame = self.frame_of(parent, loc);
        let owner = match parent == self.outer.len() {
            true => self.function.as_deref_mut(),
            false => self.outer.get_mut(parent),
        };
        if let Some(owner) = owner
            && !owner.nesting.claims.contains(&claim)
        {
            owner.nesting.claims.push(claim);
        }
        let (frame_type, void) = (frame.ty, self.void_type());
        let Some(var) = self.temporary(frame_type, loc) else { return self.error_expr(loc) };
        let fill = self.assignment(self.var(var, loc), frame, loc);
        let mine = |c: &Self| c.load(c.var(var, loc));
        let claimed = Expr { kind: ExprKind::Object(claim), ty: frame_type, loc };
        let held = |c: &Self| c.load(Expr { kind: ExprKind::Object(claim), ty: frame_type, loc });
        let null = self.int_constant(0, frame_type, loc);
        let is_held = self.comparison(CompareOp::Ne, held(self), null, loc);
        let by_other = self.comparison(CompareOp::Ne, held(self), mine(self), loc);
        let is_taken = self.logical(false, is_held, by_other, loc);
        let reason = "pointers to one nested function in two calls of the function around it".to_owned();
        let conflict = self.builtin(Builtin::Unsupported(reason), void, loc);
        let take = self.assignment(claimed, mine(self), loc);
        let take = Expr { kind: ExprKind::Convert(Box::new(take)), ty: void, loc };
        let (condition, then, otherwise) = (Box::new(is_taken), Box::new(conflict), Box::new(take));
        let settle = Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty: void, loc };
        let pointer = Expr { kind: ExprKind::Function(entry), ty, loc };
        let rest = self.comma(settle, pointer);
        self.comma(fill, rest)
    }

    /// The object that holds the frame for calls of a nested function through a pointer.
    fn claim_of(&mut self, id: FunctionId, loc: Loc) -> ObjectId {
        if let Some(claim) = self.nested.get(&id).and_then(|n| n.claim) {
            return claim;
        }
        let ty = self.frame_pointer();
        let name = format!("{}.frame", self.name(self.unit.functions[id.0 as usize].name));
        let claim = self.add_object(Object {
            symbolic: Symbolic::default(),
            name: Some(name),
            ty,
            align: self.pointer_size(),
            linkage: Linkage::Internal,
            thread_local: true,
            constant: false,
            definition: Definition::Initialised(Vec::new()),
            loc,
        });
        if let Some(nested) = self.nested.get_mut(&id) {
            nested.claim = Some(claim);
        }
        claim
    }

    /// The function that a pointer to a nested one points to: it passes its arguments on, and the chain.
    fn entry_of(&mut self, id: FunctionId, claim: Option<ObjectId>, loc: Loc) -> FunctionId {
        let with_chain = usize::from(claim.is_some());
        if let Some(entry) = self.nested.get(&id).and_then(|n| n.entries[with_chain]) {
            return entry;
        }
        let (name, ty) = (self.unit.functions[id.0 as usize].name, self.unit.functions[id.0 as usize].ty);
        let Type::Function(function) = self.types.get(ty).clone() else { return id };
        let chain_type = self.frame_pointer();
        let mut vars = Vec::new();
        let mut args = vec![match claim {
            Some(claim) => self.load(Expr { kind: ExprKind::Object(claim), ty: chain_type, loc }),
            None => self.int_constant(0, chain_type, loc),
        }];
        for (i, &ty) in function.params.iter().enumerate() {
            vars.push(Var { name: None, ty, address_taken: false, align: 1, loc });
            args.push(self.load(Expr { kind: ExprKind::Var(VarId::new(i)), ty, loc }));
        }
        let mut stmts = Vec::new();
        if let Some(claim) = claim {
            let held = self.load(Expr { kind: ExprKind::Object(claim), ty: chain_type, loc });
            let reason =
                "a call of a nested function through a pointer, while no call of the function around it is known";
            let then = Box::new(Stmt { kind: StmtKind::Unsupported(reason.to_owned()), loc });
            let condition = self.not(held, loc);
            stmts.push(Stmt { kind: StmtKind::If { condition, then, otherwise: None }, loc });
        }
        let ty_of_call = QualType::unqualified(function.result.ty);
        let call = Expr { kind: ExprKind::Call { callee: Callee::Direct(id), args }, ty: ty_of_call, loc };
        stmts.push(match ty_of_call.ty {
            TypeId::VOID => Stmt { kind: StmtKind::Expr(call), loc },
            _ => Stmt { kind: StmtKind::Return(Some(call)), loc },
        });
        let body = Body {
            params: VarId::all(vars.len()).collect(),
            vars,
            labels: Vec::new(),
            label_addresses: Vec::new(),
            label_object: None,
            frame: None,
            cases: 0,
            vla_lengths: Vec::new(),
            block: Stmt { kind: StmtKind::Block { vars: Vec::new(), stmts }, loc },
            end: loc,
        };
        let entry = FunctionId::new(self.unit.functions.len());
        self.unit.functions.push(private_function(name, ty, Some(body), loc));
        if let Some(nested) = self.nested.get_mut(&id) {
            nested.entries[with_chain] = Some(entry);
        }
        entry
    }

    /// What a function's frame has become, now that its body is complete.
    pub(super) fn finished_frame(&mut self, function: &mut FunctionState) -> Option<Frame> {
        let nesting = std::mem::take(&mut function.nesting);
        self.last_uses_chain = nesting.uses_chain;
        let var = nesting.frame?;
        function.vars[var.0 as usize].ty = self.pointers(nesting.slots.len() as u64 + 1);
        Some(Frame { var, slots: nesting.slots, chain: nesting.chain, claims: nesting.claims })
    }

    /// The type of an array of so many pointers.
    fn pointers(&mut self, length: u64) -> QualType {
        let element = self.pointer_to(self.void_type());
        QualType::unqualified(self.types.intern(Type::Array { element, length: ArrayLength::Known(length) }))
    }

    fn frame_pointer(&mut self) -> QualType {
        let element = self.pointer_to(self.void_type());
        self.pointer_to(element)
    }
}

impl FunctionState {
    /// The variable with the frame. It lives as long as the function.
    fn frame(&mut self, ty: QualType, loc: Loc) -> VarId {
        if let Some(frame) = self.nesting.frame {
            return frame;
        }
        let frame = VarId::new(self.vars.len());
        self.vars.push(Var { name: None, ty, address_taken: true, align: 1, loc });
        self.nesting.frame = Some(frame);
        frame
    }
}

fn private_function(name: Symbol, ty: TypeId, body: Option<Body>, loc: Loc) -> Function {
    Function {
        name,
        symbolic: Symbolic::default(),
        ty,
        linkage: Linkage::Internal,
        inline: false,
        inline_only: false,
        noreturn: false,
        constructor: None,
        destructor: None,
        body,
        loc,
    }
}

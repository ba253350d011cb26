//! From instructions to constraints, function by function as the analysis finds them reachable.

use norn_ir::ids::{FuncId, GlobalId, LocalId};
use norn_ir::instr::{Callee, CastOp, InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Function, InitValue, Origin, Program};
use norn_ir::types::Ty;

use super::graph::{Graph, Node, Use};
use super::{CallSite, Instance, InstanceId, Object, ObjectId, PointsTo, objects_of};
use crate::Site;
use crate::sparse_set::SparseSet;

/// How deep calls inside the library are kept apart.
const LIBRARY_DEPTH: u32 = 4;
/// Copies of the library's functions may have this many times the instructions of the program, and a few more.
const COPIES_FACTOR: usize = 4;
const COPIES_FLOOR: usize = 20_000;

pub(super) struct Builder<'p> {
    program: &'p Program,
    graph: Graph,
    objects: Vec<ObjectData>,
    instances: Vec<Instance>,
    /// The instance of a function that serves all calls without one of their own.
    shared: Vec<Option<InstanceId>>,
    calls: Vec<CallData>,
    thread_result: Node,
    exposed: Node,
    conjures: bool,
    /// Instances whose instructions have not been looked at.
    pending: Vec<InstanceId>,
    copies_left: usize,
}

struct ObjectData {
    what: Option<Object>,
    instance: Option<InstanceId>,
    contents: Option<Node>,
    /// A node that holds just this object, made when first needed.
    address: Option<Node>,
}

struct CallData {
    site: CallSite,
    dst: Option<Node>,
    args: Vec<Option<Node>>,
}

pub(super) fn solve(program: &Program) -> PointsTo {
    let mut builder = Builder::new(program);
    builder.initial_contents();
    let entry = builder.shared_instance(program.entry);
    loop {
        if let Some(instance) = builder.pending.pop() {
            builder.constrain(instance);
        } else if let Some((uses, objects)) = builder.graph.step() {
            builder.apply(&uses, &objects);
        } else {
            break;
        }
    }
    builder.finish(entry)
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Builder<'p> {
        let size: usize = program.functions.iter().map(instruction_count).sum();
        let mut graph = Graph::with_capacity(size);
        let thread_result = graph.node();
        let exposed = graph.node();
        let mut builder = Builder {
            program,
            graph,
            objects: vec![ObjectData { what: None, instance: None, contents: None, address: None }],
            instances: Vec::new(),
            shared: vec![None; program.functions.len()],
            calls: Vec::new(),
            thread_result,
            exposed,
            conjures: false,
            pending: Vec::new(),
            copies_left: COPIES_FLOOR + COPIES_FACTOR * size,
        };
        for f in 0..program.functions.len() {
            builder.add_object(Object::Function(FuncId::new(f)), None);
        }
        for g in 0..program.globals.len() {
            builder.add_object(Object::Global(GlobalId::new(g)), None);
        }
        builder
    }

    fn add_object(&mut self, what: Object, instance: Option<InstanceId>) -> ObjectId {
        let contents = (!matches!(what, Object::Function(_))).then(|| self.graph.node());
        self.objects.push(ObjectData { what: Some(what), instance, contents, address: None });
        ObjectId(self.objects.len() as u32 - 1)
    }

    fn initial_contents(&mut self) {
        for (g, global) in self.program.globals.iter().enumerate() {
            let contents = self.objects[self.global(GlobalId::new(g)).index()].contents;
            let Some(contents) = contents else { continue };
            for init in &global.init {
                let object = match init.value {
                    InitValue::Global(target, _) => self.global(target),
                    InitValue::Func(function) => self.function(function),
                    InitValue::Const(constant) if constant.ty == Ty::Ptr && constant.bits != 0 => ObjectId::NUMBER,
                    InitValue::Const(_) | InitValue::Bytes(_) => continue,
                };
                self.graph.add_element(contents, object.0);
            }
        }
    }

    fn function(&self, id: FuncId) -> ObjectId {
        ObjectId(1 + id.0)
    }

    fn global(&self, id: GlobalId) -> ObjectId {
        ObjectId(1 + self.program.functions.len() as u32 + id.0)
    }

    fn shared_instance(&mut self, function: FuncId) -> InstanceId {
        match self.shared[function.index()] {
            Some(instance) => instance,
            None => {
                let instance = self.add_instance(function, 0);
                self.shared[function.index()] = Some(instance);
                instance
            }
        }
    }

    fn add_instance(&mut self, id: FuncId, depth: u32) -> InstanceId {
        let function = self.program.function(id);
        let instance = InstanceId(self.instances.len() as u32);
        let registers = self.graph.nodes(function.registers.len());
        let result = self.graph.node();
        let first_local = ObjectId(self.objects.len() as u32);
        for local in 0..function.locals.len() {
            self.add_object(Object::Local(id, LocalId::new(local)), Some(instance));
        }
        self.instances.push(Instance { function: id, depth, registers, result, first_local, allocs: Vec::new() });
        self.pending.push(instance);
        instance
    }

    /// The instance of `function` that a call reaches. A function of the library gets one of its own for each call,
    /// else all that is ever passed to `pthread_create` or made by `malloc` would look like one.
    fn called_instance(&mut self, caller: InstanceId, function: FuncId) -> InstanceId {
        let depth = self.instances[caller.index()].depth + 1;
        let body = self.program.function(function);
        let size = instruction_count(body);
        if body.origin == Origin::Library && depth <= LIBRARY_DEPTH && size <= self.copies_left {
            self.copies_left -= size;
            self.add_instance(function, depth)
        } else {
            self.shared_instance(function)
        }
    }

    fn address(&mut self, object: ObjectId) -> Node {
        if let Some(node) = self.objects[object.index()].address {
            return node;
        }
        let node = self.graph.node();
        self.graph.add_element(node, object.0);
        self.objects[object.index()].address = Some(node);
        node
    }

    /// The node of an operand that can carry an address.
    fn value(&mut self, instance: InstanceId, operand: Operand) -> Option<Node> {
        let data = &self.instances[instance.index()];
        match operand {
            Operand::Reg(reg) => {
                let carries = self.program.function(data.function).ty(reg) != Ty::Bool;
                carries.then(|| data.registers.plus(reg.index()))
            }
            Operand::Const(constant) if constant.ty == Ty::Ptr && constant.bits != 0 => {
                Some(self.address(ObjectId::NUMBER))
            }
            Operand::Const(_) => None,
            Operand::Global(global, _) => Some(self.address(self.global(global))),
            Operand::Local(local, _) => Some(self.address(data.first_local.plus(local.index()))),
            Operand::Func(function) => Some(self.address(self.function(function))),
        }
    }

    fn flow(&mut self, instance: InstanceId, from: Operand, to: Node) {
        if let Some(from) = self.value(instance, from) {
            self.graph.add_edge(from, to);
        }
    }

    fn load(&mut self, instance: InstanceId, addr: Operand, dst: Node) {
        if let Some(contents) = self.named_contents(instance, addr) {
            self.graph.add_edge(contents, dst);
        } else if let Some(addr) = self.value(instance, addr) {
            self.graph.add_use(addr, Use::Load(dst));
        }
    }

    fn store(&mut self, instance: InstanceId, addr: Operand, value: Operand) {
        let Some(value) = self.value(instance, value) else { return };
        if let Some(contents) = self.named_contents(instance, addr) {
            self.graph.add_edge(value, contents);
        } else if let Some(addr) = self.value(instance, addr) {
            self.graph.add_use(addr, Use::Store(value));
        }
    }

    /// What the object contains that an operand names.
    fn named_contents(&self, instance: InstanceId, operand: Operand) -> Option<Node> {
        let object = match operand {
            Operand::Global(global, _) => self.global(global),
            Operand::Local(local, _) => self.instances[instance.index()].first_local.plus(local.index()),
            Operand::Reg(_) | Operand::Const(_) | Operand::Func(_) => return None,
        };
        self.objects[object.index()].contents
    }

    fn constrain(&mut self, instance: InstanceId) {
        let id = self.instances[instance.index()].function;
        let function = self.program.function(id);
        for block in function.block_ids() {
            for (index, instr) in function.block(block).instrs.iter().enumerate() {
                self.instruction(instance, function, Site::new(id, block, index), &instr.kind);
            }
            match &function.block(block).terminator.kind {
                TerminatorKind::Return(Some(value)) => {
                    self.flow(instance, *value, self.instances[instance.index()].result);
                }
                TerminatorKind::ThreadExit(value) => self.flow(instance, *value, self.thread_result),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instance: InstanceId, function: &Function, site: Site, kind: &InstrKind) {
        let registers = self.instances[instance.index()].registers;
        let node = |reg: norn_ir::ids::Reg| registers.plus(reg.index());
        match kind {
            InstrKind::Copy { dst, src } | InstrKind::Unary { dst, src, .. } => self.flow(instance, *src, node(*dst)),
            // What is computed from an address as a number may be turned back into that address. A difference of
            // pointers may be added to one of them, as numbers.
            InstrKind::Binary { dst, lhs, rhs, .. } | InstrKind::PtrDiff { dst, lhs, rhs } => {
                self.flow(instance, *lhs, node(*dst));
                self.flow(instance, *rhs, node(*dst));
            }
            InstrKind::Select { dst, then, otherwise, .. } => {
                self.flow(instance, *then, node(*dst));
                self.flow(instance, *otherwise, node(*dst));
            }
            InstrKind::Cast { dst, op, src, .. } => {
                self.flow(instance, *src, node(*dst));
                match op {
                    CastOp::PtrToInt => self.flow(instance, *src, self.exposed),
                    CastOp::IntToPtr => match src {
                        Operand::Const(constant) if constant.bits == 0 => {}
                        Operand::Const(_) => self.graph.add_element(node(*dst), ObjectId::NUMBER.0),
                        _ => self.conjure(node(*dst)),
                    },
                    _ => {}
                }
            }
            InstrKind::Nondet { dst, .. } if function.ty(*dst) == Ty::Ptr => self.conjure(node(*dst)),
            InstrKind::PtrAdd { dst, base, index, .. } => {
                self.flow(instance, *base, node(*dst));
                if let Some(index) = self.value(instance, *index) {
                    match (base, self.value(instance, *base)) {
                        (Operand::Const(_), _) => self.graph.add_edge(index, node(*dst)),
                        (_, Some(base)) => self.graph.add_use(base, Use::Index { index, dst: node(*dst) }),
                        (_, None) => {}
                    }
                }
            }
            InstrKind::Load { dst, addr, .. } => self.load(instance, *addr, node(*dst)),
            InstrKind::Store { addr, value, .. } => self.store(instance, *addr, *value),
            InstrKind::Rmw { dst, addr, value, .. } => {
                self.load(instance, *addr, node(*dst));
                self.store(instance, *addr, *value);
            }
            InstrKind::CompareExchange { dst, addr, desired, .. } => {
                self.load(instance, *addr, node(*dst));
                self.store(instance, *addr, *desired);
            }
            InstrKind::Call { dst, callee, args } => {
                let dst = dst.filter(|&dst| function.ty(dst) != Ty::Bool).map(node);
                let call = self.add_call(instance, site, false, dst, args);
                match *callee {
                    Callee::Direct(callee) => self.resolve(call, callee),
                    Callee::Indirect(target) => self.call_through(instance, call, target),
                }
            }
            InstrKind::Spawn { start, args, .. } => {
                let call = self.add_call(instance, site, true, Some(self.thread_result), args);
                self.call_through(instance, call, *start);
            }
            InstrKind::Join { dst: Some(dst), .. } => self.graph.add_edge(self.thread_result, node(*dst)),
            InstrKind::Alloc { dst, .. } => {
                let object = self.add_object(Object::Alloc(site), Some(instance));
                self.instances[instance.index()].allocs.push((site, object));
                self.graph.add_element(node(*dst), object.0);
            }
            InstrKind::Nondet { .. }
            | InstrKind::Compare { .. }
            | InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Await { .. }
            | InstrKind::Assume { .. }
            | InstrKind::Assert { .. }
            | InstrKind::Join { dst: None, .. }
            | InstrKind::ThreadSelf { .. }
            | InstrKind::LocalEnter(_)
            | InstrKind::LocalExit(_)
            | InstrKind::Free { .. }
            | InstrKind::ObjectSize { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => {}
        }
    }

    /// A pointer made from a number of unknown origin: anything whose address was turned into a number.
    fn conjure(&mut self, dst: Node) {
        self.conjures = true;
        self.graph.add_edge(self.exposed, dst);
        self.graph.add_element(dst, ObjectId::NUMBER.0);
    }

    fn add_call(&mut self, caller: InstanceId, site: Site, spawn: bool, dst: Option<Node>, args: &[Operand]) -> usize {
        let args = args.iter().map(|&arg| self.value(caller, arg)).collect();
        self.calls.push(CallData { site: CallSite { caller, site, spawn, targets: Vec::new() }, dst, args });
        self.calls.len() - 1
    }

    fn call_through(&mut self, caller: InstanceId, call: usize, target: Operand) {
        if let Some(target) = self.value(caller, target) {
            self.graph.add_use(target, Use::Call(call as u32));
        }
    }

    fn resolve(&mut self, call: usize, function: FuncId) {
        let known = &self.calls[call].site.targets;
        if known.iter().any(|&target| self.instances[target.index()].function == function) {
            return;
        }
        let target = self.called_instance(self.calls[call].site.caller, function);
        let CallData { site, dst, args } = &mut self.calls[call];
        site.targets.push(target);
        let callee = &self.instances[target.index()];
        let body = self.program.function(function);
        for (&param, arg) in body.params.iter().zip(args) {
            if let Some(arg) = *arg
                && body.ty(param) != Ty::Bool
            {
                self.graph.add_edge(arg, callee.registers.plus(param.index()));
            }
        }
        if let Some(dst) = *dst {
            self.graph.add_edge(callee.result, dst);
        }
    }

    fn apply(&mut self, uses: &[Use], objects: &SparseSet) {
        if uses.is_empty() {
            return;
        }
        let objects = objects_of(objects);
        // Merged objects count once.
        let mut contents: Vec<Node> = Vec::with_capacity(objects.len());
        contents.extend(objects.iter().filter_map(|o| self.objects[o.index()].contents));
        contents.iter_mut().for_each(|node| *node = self.graph.find(*node));
        contents.sort_unstable();
        contents.dedup();
        for &what in uses {
            match what {
                Use::Load(dst) => contents.iter().for_each(|&node| self.graph.add_edge(node, dst)),
                Use::Store(value) => contents.iter().for_each(|&node| self.graph.add_edge(value, node)),
                Use::Index { index, dst } => {
                    if objects.contains(&ObjectId::NUMBER) {
                        self.graph.add_edge(index, dst);
                    }
                }
                Use::Call(call) => {
                    for object in &objects {
                        if let Some(Object::Function(function)) = self.objects[object.index()].what {
                            self.resolve(call as usize, function);
                        }
                    }
                }
            }
        }
    }

    fn finish(self, entry: InstanceId) -> PointsTo {
        let mut by_function = vec![Vec::new(); self.program.functions.len()];
        for (i, instance) in self.instances.iter().enumerate() {
            by_function[instance.function.index()].push(InstanceId(i as u32));
        }
        let mut calls: Vec<CallSite> = self.calls.into_iter().map(|call| call.site).collect();
        calls.sort_by_key(|call| (call.site, call.caller));
        let describe = |(i, data): (usize, &ObjectData)| Some((data.what?, ObjectId(i as u32)));
        let mut by_object: Vec<(Object, ObjectId)> = self.objects.iter().enumerate().filter_map(describe).collect();
        by_object.sort_unstable();
        PointsTo {
            by_object,
            graph: self.graph,
            objects: self.objects.iter().map(|o| (o.what, o.instance, o.contents)).collect(),
            functions: self.program.functions.len() as u32,
            instances: self.instances,
            by_function,
            calls,
            entry,
            thread_result: self.thread_result,
            exposed: self.exposed,
            conjures: self.conjures,
        }
    }
}

fn instruction_count(function: &Function) -> usize {
    function.blocks.iter().map(|block| block.instrs.len() + 1).sum()
}

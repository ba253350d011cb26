//! From instructions to constraints, function by function as the analysis finds them reachable.

use norn_ir::ids::{FuncId, GlobalId, LocalId, Reg};
use norn_ir::instr::{AllocKind, Callee, CastOp, InstrKind, Operand, TerminatorKind};
use norn_ir::number::narrow;
use norn_ir::program::{Function, InitValue, Origin, Program, Register};
use norn_ir::types::Ty;

use super::graph::{Graph, Node, Use};
use super::{CallSite, Instance, InstanceId, Object, ObjectId, PointsTo, Value};
use crate::Site;

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
    /// By instance and register; `None` if nothing was said about the register so far.
    registers: Vec<Option<Value>>,
    /// By register of the function that is being looked at.
    assigned: Vec<Assigned>,
    /// The instance of a function that serves all calls without one of their own.
    shared: Vec<Option<InstanceId>>,
    calls: Vec<CallData>,
    thread_result: Node,
    /// What every allocation on the heap may give, if memory is reused.
    heap: Node,
    exposed: Node,
    conjures: bool,
    /// Instances whose instructions have not been looked at.
    pending: Vec<InstanceId>,
    copies_left: usize,
    /// Room for the contents of the objects that a use sees.
    contents: Vec<Node>,
}

pub(super) struct ObjectData {
    pub what: Option<Object>,
    pub instance: Option<InstanceId>,
    /// The node of what it contains, made when first needed.
    pub contents: Option<Node>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Assigned {
    Never,
    Once,
    More,
}

struct CallData {
    site: CallSite,
    dst: Option<Node>,
    args: Vec<Value>,
}

pub(super) fn solve(program: &Program) -> PointsTo {
    let mut builder = Builder::new(program);
    builder.initial_contents();
    let entry = builder.shared_instance(program.entry);
    loop {
        if let Some(instance) = builder.pending.pop() {
            builder.constrain(instance);
        } else if let Some(step) = builder.graph.step() {
            builder.apply(&step.uses, &step.objects);
            builder.graph.done(step);
        } else {
            break;
        }
    }
    builder.finish(entry)
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Builder<'p> {
        let size: usize = program.functions.iter().map(instruction_count).sum();
        let mut graph = Graph::default();
        let thread_result = graph.node();
        let heap = graph.node();
        let exposed = graph.node();
        let mut builder = Builder {
            program,
            graph,
            objects: vec![ObjectData { what: None, instance: None, contents: None }],
            instances: Vec::new(),
            registers: Vec::new(),
            assigned: Vec::new(),
            shared: vec![None; program.functions.len()],
            calls: Vec::new(),
            thread_result,
            heap,
            exposed,
            conjures: false,
            pending: Vec::new(),
            copies_left: COPIES_FLOOR + COPIES_FACTOR * size,
            contents: Vec::new(),
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
        self.objects.push(ObjectData { what: Some(what), instance, contents: None });
        ObjectId::new(self.objects.len() - 1)
    }

    /// What an object contains; numbers and functions contain nothing.
    fn contents(&mut self, object: ObjectId) -> Option<Node> {
        let data = &mut self.objects[object.index()];
        if data.contents.is_none() && !matches!(data.what, None | Some(Object::Function(_))) {
            data.contents = Some(self.graph.node());
        }
        data.contents
    }

    fn initial_contents(&mut self) {
        for (g, global) in self.program.globals.iter().enumerate() {
            for init in &global.init {
                let object = match init.value {
                    InitValue::Global(target, _) => self.global(target),
                    InitValue::Func(function) => self.function(function),
                    InitValue::Const(constant) if constant.ty == Ty::Ptr && constant.bits != 0 => ObjectId::NUMBER,
                    InitValue::Const(_) | InitValue::Bytes(_) => continue,
                };
                if let Some(contents) = self.contents(self.global(GlobalId::new(g))) {
                    self.graph.add_element(contents, object.0);
                }
            }
        }
    }

    fn function(&self, id: FuncId) -> ObjectId {
        ObjectId(1 + id.0)
    }

    fn global(&self, id: GlobalId) -> ObjectId {
        ObjectId(1 + narrow(self.program.functions.len()) + id.0)
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
        let instance = InstanceId::new(self.instances.len());
        let first_register = self.registers.len();
        let of_register = |register: &Register| (register.ty == Ty::Bool).then_some(Value::Nothing);
        self.registers.extend(function.registers.iter().map(of_register));
        // Arguments arrive before and after the function is looked at.
        for &param in function.params.iter().filter(|&&param| function.ty(param) != Ty::Bool) {
            self.registers[first_register + param.index()] = Some(Value::Node(self.graph.node()));
        }
        let result = self.graph.node();
        let first_local = ObjectId::new(self.objects.len());
        for local in 0..function.locals.len() {
            self.add_object(Object::Local(id, LocalId::new(local)), Some(instance));
        }
        self.instances.push(Instance { function: id, depth, first_register, result, first_local, allocs: Vec::new() });
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

    /// What an operand holds.
    fn value(&mut self, instance: InstanceId, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => {
                let register = self.instances[instance.index()].first_register + reg.index();
                *self.registers[register].get_or_insert_with(|| Value::Node(self.graph.node()))
            }
            Operand::Const(constant) if constant.ty == Ty::Ptr && constant.bits != 0 => Value::Object(ObjectId::NUMBER),
            Operand::Const(_) => Value::Nothing,
            Operand::Global(global, _) => Value::Object(self.global(global)),
            Operand::Local(local, _) => Value::Object(self.instances[instance.index()].first_local.plus(local.index())),
            Operand::Func(function) => Value::Object(self.function(function)),
        }
    }

    /// The node of a register that is not known to be one value, if its type can carry an address.
    fn node_of(&mut self, instance: InstanceId, reg: Reg) -> Option<Node> {
        match self.value(instance, Operand::Reg(reg)) {
            Value::Node(node) => Some(node),
            Value::Nothing | Value::Object(_) => None,
        }
    }

    /// A register holds these values, among others if it is assigned elsewhere too. What is assigned one value once needs
    /// no node: it is that value.
    fn assign<const N: usize>(&mut self, instance: InstanceId, dst: Reg, values: [Value; N]) {
        let register = self.instances[instance.index()].first_register + dst.index();
        let known = self.registers[register];
        let mut different = values.into_iter().filter(|&value| value != Value::Nothing);
        let first = different.next();
        if known.is_none()
            && self.assigned[dst.index()] == Assigned::Once
            && different.all(|value| Some(value) == first)
        {
            self.registers[register] = Some(first.unwrap_or(Value::Nothing));
        } else if first.is_some()
            && let Some(node) = self.node_of(instance, dst)
        {
            values.into_iter().for_each(|value| self.flow(value, node));
        }
    }

    fn flow(&mut self, from: Value, to: Node) {
        match from {
            Value::Nothing => {}
            Value::Object(object) => self.graph.add_element(to, object.0),
            Value::Node(from) => self.graph.add_edge(from, to),
        }
    }

    fn load(&mut self, instance: InstanceId, addr: Operand, dst: Reg) {
        let value = match self.value(instance, addr) {
            Value::Nothing => Value::Nothing,
            Value::Object(object) => self.contents(object).map_or(Value::Nothing, Value::Node),
            Value::Node(addr) => Value::Node(self.graph.loaded(addr)),
        };
        self.assign(instance, dst, [value]);
    }

    fn store(&mut self, instance: InstanceId, addr: Operand, value: Operand) {
        let value = self.value(instance, value);
        if value == Value::Nothing {
            return;
        }
        let to = match self.value(instance, addr) {
            Value::Nothing => None,
            Value::Object(object) => self.contents(object),
            Value::Node(addr) => Some(self.graph.stored(addr)),
        };
        if let Some(to) = to {
            self.flow(value, to);
        }
    }

    fn constrain(&mut self, instance: InstanceId) {
        let id = self.instances[instance.index()].function;
        let function = self.program.function(id);
        self.count_assignments(function);
        for block in function.block_ids() {
            for (index, instr) in function.block(block).instrs.iter().enumerate() {
                self.instruction(instance, function, Site::new(id, block, index), &instr.kind);
            }
            let (value, to) = match function.block(block).terminator.kind {
                TerminatorKind::Return(Some(value)) => (value, self.instances[instance.index()].result),
                TerminatorKind::ThreadExit(value) => (value, self.thread_result),
                _ => continue,
            };
            let value = self.value(instance, value);
            self.flow(value, to);
        }
    }

    fn count_assignments(&mut self, function: &Function) {
        self.assigned.clear();
        self.assigned.resize(function.registers.len(), Assigned::Never);
        let mut assign = |reg: Reg| {
            let assigned = &mut self.assigned[reg.index()];
            *assigned = if *assigned == Assigned::Never { Assigned::Once } else { Assigned::More };
        };
        function.params.iter().for_each(|&param| assign(param));
        for block in &function.blocks {
            block.instrs.iter().for_each(|instr| instr.kind.defs().for_each(&mut assign));
        }
    }

    fn instruction(&mut self, instance: InstanceId, function: &Function, site: Site, kind: &InstrKind) {
        match *kind {
            InstrKind::Copy { dst, src } | InstrKind::Unary { dst, src, .. } => {
                let src = self.value(instance, src);
                self.assign(instance, dst, [src]);
            }
            // What is computed from an address as a number may be turned back into that address. A difference of
            // pointers may be added to one of them, as numbers.
            InstrKind::Binary { dst, lhs, rhs, .. }
            | InstrKind::PtrDiff { dst, lhs, rhs }
            | InstrKind::Select { dst, then: lhs, otherwise: rhs, .. } => {
                let values = [self.value(instance, lhs), self.value(instance, rhs)];
                self.assign(instance, dst, values);
            }
            InstrKind::Cast { dst, op, src, .. } => {
                let value = self.value(instance, src);
                match op {
                    CastOp::PtrToInt => self.flow(value, self.exposed),
                    CastOp::IntToPtr => match src {
                        Operand::Const(constant) if constant.bits == 0 => {}
                        Operand::Const(_) => {
                            return self.assign(instance, dst, [value, Value::Object(ObjectId::NUMBER)]);
                        }
                        _ => return self.conjure(instance, dst, value),
                    },
                    _ => {}
                }
                self.assign(instance, dst, [value]);
            }
            InstrKind::Nondet { dst, .. } if function.ty(dst) == Ty::Ptr => {
                self.conjure(instance, dst, Value::Nothing);
            }
            InstrKind::PtrAdd { dst, base, index, .. } => {
                let index = self.value(instance, index);
                match (base, self.value(instance, base)) {
                    (Operand::Const(_), base) | (_, base @ Value::Object(ObjectId::NUMBER)) => {
                        self.assign(instance, dst, [base, index]);
                    }
                    (_, Value::Node(base)) if index != Value::Nothing => {
                        if let Some(dst) = self.node_of(instance, dst) {
                            self.graph.add_edge(base, dst);
                            self.graph.add_use(base, Use::Index { index, dst });
                        }
                    }
                    (_, base) => self.assign(instance, dst, [base]),
                }
            }
            InstrKind::Load { dst, addr, .. } => self.load(instance, addr, dst),
            InstrKind::Store { addr, value, .. } => self.store(instance, addr, value),
            InstrKind::Rmw { dst, addr, value, .. } => {
                self.load(instance, addr, dst);
                self.store(instance, addr, value);
            }
            InstrKind::CompareExchange { dst, addr, desired, .. } => {
                self.load(instance, addr, dst);
                self.store(instance, addr, desired);
            }
            InstrKind::Call { dst, callee, ref args } => {
                let dst = dst.and_then(|dst| self.node_of(instance, dst));
                let call = self.add_call(instance, site, false, dst, args);
                match callee {
                    Callee::Direct(callee) => self.resolve(call, callee),
                    Callee::Indirect(target) => self.call_through(instance, call, target),
                }
            }
            InstrKind::Spawn { dst, start, ref args } => {
                self.assign(instance, dst, []);
                let call = self.add_call(instance, site, true, Some(self.thread_result), args);
                self.call_through(instance, call, start);
            }
            InstrKind::Join { dst: Some(dst), .. } => {
                self.assign(instance, dst, [Value::Node(self.thread_result)]);
            }
            InstrKind::Alloc { dst, kind, .. } => {
                let object = self.add_object(Object::Alloc(site), Some(instance));
                self.instances[instance.index()].allocs.push((site, object));
                if kind == AllocKind::Heap && self.program.reuses_memory {
                    // What one allocation gives may be the memory that another gave before.
                    self.graph.add_element(self.heap, object.0);
                    self.assign(instance, dst, [Value::Node(self.heap)]);
                } else {
                    self.assign(instance, dst, [Value::Object(object)]);
                }
            }
            InstrKind::Nondet { dst, .. } | InstrKind::ThreadSelf { dst } | InstrKind::ObjectSize { dst, .. } => {
                self.assign(instance, dst, []);
            }
            InstrKind::Compare { .. }
            | InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Await { .. }
            | InstrKind::Assume { .. }
            | InstrKind::Assert { .. }
            | InstrKind::Join { dst: None, .. }
            | InstrKind::LocalEnter(_)
            | InstrKind::LocalExit(_)
            | InstrKind::Free { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => {}
        }
    }

    /// A pointer made from a number of unknown origin: anything whose address was turned into a number.
    fn conjure(&mut self, instance: InstanceId, dst: Reg, number: Value) {
        self.conjures = true;
        let exposed = Value::Node(self.exposed);
        self.assign(instance, dst, [number, exposed, Value::Object(ObjectId::NUMBER)]);
    }

    fn add_call(&mut self, caller: InstanceId, site: Site, spawn: bool, dst: Option<Node>, args: &[Operand]) -> usize {
        let args = args.iter().map(|&arg| self.value(caller, arg)).collect();
        self.calls.push(CallData { site: CallSite { caller, site, spawn, targets: Vec::new() }, dst, args });
        self.calls.len() - 1
    }

    fn call_through(&mut self, caller: InstanceId, call: usize, target: Operand) {
        match self.value(caller, target) {
            Value::Nothing => {}
            Value::Object(object) => self.resolve_object(call, object),
            Value::Node(target) => self.graph.add_use(target, Use::Call(narrow(call))),
        }
    }

    fn resolve_object(&mut self, call: usize, object: ObjectId) {
        if let Some(Object::Function(function)) = self.objects[object.index()].what {
            self.resolve(call, function);
        }
    }

    fn resolve(&mut self, call: usize, function: FuncId) {
        let known = &self.calls[call].site.targets;
        if known.iter().any(|&target| self.instances[target.index()].function == function) {
            return;
        }
        let target = self.called_instance(self.calls[call].site.caller, function);
        self.calls[call].site.targets.push(target);
        let (first_register, result) = {
            let callee = &self.instances[target.index()];
            (callee.first_register, callee.result)
        };
        for (at, &param) in self.program.function(function).params.iter().enumerate() {
            if let (Some(&arg), Some(Value::Node(param))) =
                (self.calls[call].args.get(at), self.registers[first_register + param.index()])
            {
                self.flow(arg, param);
            }
        }
        if let Some(dst) = self.calls[call].dst {
            self.graph.add_edge(result, dst);
        }
    }

    fn apply(&mut self, uses: &[Use], objects: &[ObjectId]) {
        if uses.is_empty() {
            return;
        }
        let mut contents = std::mem::take(&mut self.contents);
        for &what in uses {
            if contents.is_empty() && matches!(what, Use::Load(_) | Use::Store(_)) {
                self.contents_of(objects, &mut contents);
            }
            match what {
                Use::Load(dst) => contents.iter().for_each(|&node| self.graph.add_edge(node, dst)),
                Use::Store(value) => contents.iter().for_each(|&node| self.graph.add_edge(value, node)),
                Use::Index { index, dst } => {
                    // The smallest.
                    if objects.first() == Some(&ObjectId::NUMBER) {
                        self.flow(index, dst);
                    }
                }
                Use::Call(call) => objects.iter().for_each(|&object| self.resolve_object(call as usize, object)),
            }
        }
        contents.clear();
        self.contents = contents;
    }

    /// Merged objects count once.
    fn contents_of(&mut self, objects: &[ObjectId], nodes: &mut Vec<Node>) {
        for &object in objects {
            if let Some(node) = self.contents(object) {
                nodes.push(self.graph.find(node));
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
    }

    fn finish(self, entry: InstanceId) -> PointsTo {
        let mut by_function = vec![Vec::new(); self.program.functions.len()];
        for (i, instance) in self.instances.iter().enumerate() {
            by_function[instance.function.index()].push(InstanceId::new(i));
        }
        let mut calls: Vec<CallSite> = self.calls.into_iter().map(|call| call.site).collect();
        calls.sort_by_key(|call| (call.site, call.caller));
        PointsTo {
            graph: self.graph,
            objects: self.objects,
            functions: narrow(self.program.functions.len()),
            instances: self.instances,
            registers: self.registers,
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

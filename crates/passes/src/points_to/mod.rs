//! Which objects a pointer may point to, for the whole program: inclusion-based (Andersen), without regard to the
//! order of instructions or to the fields of objects. The call graph grows with the sets, from the entry function on;
//! code that is not reached so has no say.
//!
//! A function of the library is looked at anew for each call (to some depth), everything else once.
//!
//! Most registers are assigned once, and then hold what some other value holds: they need no set of their own, and only
//! what has one is part of the constraint graph. What is read through one address is one set, too, wherever it goes.
//!
//! Numbers. An integer computed from an address keeps what it points to, through arithmetic, casts and memory, byte
//! by byte if need be. A pointer made from an integer points to what the integer was computed from, and to every
//! object whose address some `PtrToInt` turned into a number, since the number may have come by way of branches; so
//! does a nondeterministic pointer. A pointer whose bytes were written one by one, after branches on the bytes of another,
//! is not followed: executors give up where such a pointer appears. Two things are taken from C, where they are undefined, and from the machine, which
//! gives a number no object whose address was never made a number: an indeterminate pointer read from memory points
//! nowhere, and adding a number to a null pointer that a register holds does not give the address of an object (to a
//! constant, it may).

mod build;
mod graph;
#[cfg(test)]
mod tests;

use norn_ir::ids::{FuncId, GlobalId, LocalId};
use norn_ir::instr::Operand;
use norn_ir::number::narrow;
use norn_ir::program::Program;
use norn_ir::types::Ty;

use crate::Site;
use build::ObjectData;
use graph::{Graph, Node};

/// Something that has an address: all objects that one declaration or one `Alloc` makes, or a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    Function(FuncId),
    Global(GlobalId),
    Local(FuncId, LocalId),
    Alloc(Site),
}

/// What a value may point to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    /// Ascending.
    pub objects: Vec<Object>,
    /// It may also be a number taken as a pointer (the null pointer does not count).
    pub number: bool,
}

impl Targets {
    pub fn functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.objects.iter().filter_map(|&object| match object {
            Object::Function(function) => Some(function),
            _ => None,
        })
    }
}

pub struct PointsTo {
    graph: Graph,
    objects: Vec<ObjectData>,
    /// Number of functions of the program; as objects they come first.
    functions: u32,
    instances: Vec<Instance>,
    /// By instance and register; `None` is nothing.
    registers: Vec<Option<Value>>,
    by_function: Vec<Vec<InstanceId>>,
    /// Sorted by site and caller.
    calls: Vec<CallSite>,
    entry: InstanceId,
    thread_result: Node,
    exposed: Node,
    conjures: bool,
}

impl PointsTo {
    pub fn new(program: &Program) -> PointsTo {
        build::solve(program)
    }

    /// What an operand of a function may point to; for an integer, what it may have been computed from.
    pub fn targets(&self, function: FuncId, operand: Operand) -> Targets {
        let instances = self.by_function[function.index()].iter();
        self.describe(instances.map(|&instance| self.value(instance, operand)))
    }

    /// Whatever operand has it, of whatever function, points to the same; `None` if nothing is known to.
    pub fn same_targets(&self, function: FuncId, operand: Operand) -> Option<SameTargets> {
        match self.by_function[function.index()][..] {
            [instance] => Some(SameTargets(self.value(instance, operand))),
            _ => None,
        }
    }

    /// What the pointers stored in an object may point to.
    pub fn contents(&self, object: Object) -> Targets {
        let instances =
            |function: FuncId| self.by_function[function.index()].iter().map(|&id| &self.instances[id.index()]);
        let contents = |object: ObjectId| self.contents_value(object);
        match object {
            Object::Function(_) => Targets::default(),
            Object::Global(global) => self.describe([contents(self.global(global))].into_iter()),
            Object::Local(function, local) => {
                self.describe(instances(function).map(|data| contents(data.first_local.plus(local.index()))))
            }
            Object::Alloc(site) => {
                let find = |data: &Instance| data.allocs.binary_search_by_key(&site, |alloc| alloc.0).ok();
                let found = instances(site.function).filter_map(|data| Some(data.allocs[find(data)?].1));
                self.describe(found.map(contents))
            }
        }
    }

    /// The functions that a call (direct or not) may call, ascending.
    pub fn callees(&self, site: Site) -> Vec<FuncId> {
        self.resolved(site, false)
    }

    /// The functions that a spawn may start, ascending.
    pub fn spawned(&self, site: Site) -> Vec<FuncId> {
        self.resolved(site, true)
    }

    /// The spawns of a function, each with the functions that it may start, ascending.
    pub fn spawns_of(&self, function: FuncId) -> Vec<(Site, FuncId)> {
        let first = self.calls.partition_point(|call| call.site.function < function);
        let calls = self.calls[first..].iter().take_while(|call| call.site.function == function);
        let spawns = calls
            .filter(|call| call.spawn)
            .flat_map(|call| call.targets.iter().map(|target| (call.site, self.instances[target.index()].function)));
        let mut spawns: Vec<(Site, FuncId)> = spawns.collect();
        spawns.sort_unstable();
        spawns.dedup();
        spawns
    }

    /// Whether the function can be reached from the entry function by calls and spawns.
    pub fn reaches(&self, function: FuncId) -> bool {
        !self.by_function[function.index()].is_empty()
    }

    /// Every call and spawn of reachable code with what it may call, by site.
    pub fn call_sites(&self) -> Vec<(Site, bool, Vec<FuncId>)> {
        let mut sites: Vec<(Site, bool, Vec<FuncId>)> = Vec::new();
        for call in &self.calls {
            let functions = call.targets.iter().map(|target| self.instances[target.index()].function);
            match sites.last_mut() {
                Some(last) if last.0 == call.site => last.2.extend(functions),
                _ => sites.push((call.site, call.spawn, functions.collect())),
            }
        }
        for site in &mut sites {
            site.2.sort_unstable();
            site.2.dedup();
        }
        sites
    }

    fn resolved(&self, site: Site, spawn: bool) -> Vec<FuncId> {
        let first = self.calls.partition_point(|call| call.site < site);
        let calls = self.calls[first..].iter().take_while(|call| call.site == site).filter(|call| call.spawn == spawn);
        let mut found: Vec<FuncId> =
            calls.flat_map(|call| call.targets.iter().map(|target| self.instances[target.index()].function)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn describe(&self, mut values: impl Iterator<Item = Value>) -> Targets {
        let mut targets = Targets::default();
        // Most have one.
        let (first, second) = (values.next(), values.next());
        if let (Some(Value::Node(node)), None) = (first, second) {
            targets.objects.reserve_exact(self.graph.set(node).len());
        }
        for value in first.into_iter().chain(second).chain(values) {
            self.for_each_element(value, |object| match self.objects[object.index()].what {
                Some(what) => targets.objects.push(what),
                None => targets.number = true,
            });
        }
        if !targets.objects.is_sorted() {
            targets.objects.sort_unstable();
        }
        targets.objects.dedup();
        targets
    }
}

/// Tells operands that surely point to the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SameTargets(Value);

/// Where to find what something may point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Value {
    /// It points nowhere.
    Nothing,
    /// To this object alone.
    Object(ObjectId),
    /// To what the node's set says.
    Node(Node),
}

norn_ir::ids! {
    /// An object as the analysis sees it: a local or allocation of one instance of its function.
    ObjectId = "object";
}

impl ObjectId {
    /// No object but any number.
    const NUMBER: ObjectId = ObjectId(0);

    fn plus(self, offset: usize) -> ObjectId {
        ObjectId(self.0 + narrow(offset))
    }
}

norn_ir::ids! {
    /// A function as seen from one call, or from all calls that have no instance of their own.
    InstanceId = "instance";
}

pub(crate) struct Instance {
    pub function: FuncId,
    /// How many calls inside the library lead here.
    depth: u32,
    /// Among the registers of all instances.
    first_register: usize,
    result: Node,
    first_local: ObjectId,
    /// Its allocations, in the order of its blocks.
    pub allocs: Vec<(Site, ObjectId)>,
}

pub(crate) struct CallSite {
    pub caller: InstanceId,
    pub site: Site,
    pub spawn: bool,
    pub targets: Vec<InstanceId>,
}

/// What escape analysis asks for: the same, per instance.
impl PointsTo {
    pub(crate) fn entry(&self) -> InstanceId {
        self.entry
    }

    pub(crate) fn instances(&self) -> &[Instance] {
        &self.instances
    }

    pub(crate) fn instance_calls(&self) -> &[CallSite] {
        &self.calls
    }

    pub(crate) fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// What the object is (no number is) and the instance that makes it.
    pub(crate) fn object(&self, object: ObjectId) -> (Option<Object>, Option<InstanceId>) {
        let ObjectData { what, instance, .. } = self.objects[object.index()];
        (what, instance)
    }

    pub(crate) fn operand(&self, instance: InstanceId, operand: Operand) -> Vec<ObjectId> {
        self.elements(self.value(instance, operand))
    }

    pub(crate) fn object_contents(&self, object: ObjectId) -> Vec<ObjectId> {
        self.elements(self.contents_value(object))
    }

    /// What the results of threads may point to.
    pub(crate) fn thread_results(&self) -> Vec<ObjectId> {
        self.elements(Value::Node(self.thread_result))
    }

    /// The objects whose address was made a number, if the program ever makes a pointer from a number.
    pub(crate) fn conjured(&self) -> Vec<ObjectId> {
        if self.conjures { self.elements(Value::Node(self.exposed)) } else { Vec::new() }
    }

    fn global(&self, global: GlobalId) -> ObjectId {
        ObjectId(1 + self.functions + global.0)
    }

    fn value(&self, instance: InstanceId, operand: Operand) -> Value {
        let data = &self.instances[instance.index()];
        match operand {
            Operand::Reg(reg) => self.registers[data.first_register + reg.index()].unwrap_or(Value::Nothing),
            Operand::Const(constant) if constant.ty == Ty::Ptr && constant.bits != 0 => Value::Object(ObjectId::NUMBER),
            Operand::Const(_) => Value::Nothing,
            Operand::Global(global, _) => Value::Object(self.global(global)),
            Operand::Local(local, _) => Value::Object(data.first_local.plus(local.index())),
            Operand::Func(function) => Value::Object(ObjectId(1 + function.0)),
        }
    }

    fn contents_value(&self, object: ObjectId) -> Value {
        self.objects[object.index()].contents.map_or(Value::Nothing, Value::Node)
    }

    fn elements(&self, value: Value) -> Vec<ObjectId> {
        let mut objects = Vec::new();
        if let Value::Node(node) = value {
            objects.reserve_exact(self.graph.set(node).len());
        }
        self.for_each_element(value, |object| objects.push(object));
        objects
    }

    /// Ascending.
    fn for_each_element(&self, value: Value, mut f: impl FnMut(ObjectId)) {
        match value {
            Value::Nothing => {}
            Value::Object(object) => f(object),
            Value::Node(node) => self.graph.set(node).iter().map(ObjectId).for_each(f),
        }
    }
}

//! Marks the objects that only one thread can touch, so that their accesses are no steps.
//!
//! An object is touched by the thread that makes it (and ends its life, if that is not a release; of a thread-local object
//! every thread makes one) and by every load, store, read-modify-write, release, `ObjectSize`, `Sync` and `Print` whose
//! address may point to it. The marks rest on two rules, and on [`PointsTo`] being right about
//! addresses.
//!
//! **One toucher.** Each function runs in some threads: what the entry function reaches by calls, in thread 0; what
//! the start function of a spawn reaches, in the threads that this spawn makes. A spawn makes at most one thread if
//! it is not in a loop and its function runs at most once (there is a single call or spawn of it, likewise not in a
//! loop, in a function that runs at most once; the entry function does if nothing calls or starts it). An object all
//! of whose touchers run in one and the same such thread is touched by that thread only. This holds for any object,
//! wherever its address goes. It covers programs that never spawn.
//!
//! **Never handed over.** A local, an allocation or a thread's instance of a thread-local object is touched by its
//! maker only, if it is not *handed over*. Handed over are: what spawn arguments point to; what thread results point
//! to; every object with an address that was turned into a number, if the program turns numbers into pointers at all;
//! and what is stored in objects that are handed over, or in globals with more than one toucher. To see that this is
//! right, look at the first moment at which some thread B holds a pointer to an object x that A ≠ B made and that is
//! not handed over. B did not get it as an argument or a result, nor from a bare number. So B loaded it from an object
//! m, into which A had stored it. If m were handed over or a global of several touchers, x would be handed over. If m
//! is a global with one toucher, A and B do not both touch it. Else m was made by one thread and is not handed over,
//! and the other thread held a pointer to it before that moment: a contradiction.
//!
//! **Reused memory.** Where freed memory is given out again ([`Program::reuses_memory`]), an old pointer of one thread may reach
//! what another thread was given. So no heap memory is private, and all of it counts as handed over.
//!
//! **Fences.** A read-modify-write, a seq_cst store and a release store order what comes before and after them, whatever they
//! write to: `lock; addl $0, (%esp)` is a well-known fence. Where there are other threads, what they touch is not
//! private, so that they are steps.
//!
//! A mark stands for all instances of the object in all calls. Constant objects are marked by the same rules, though
//! nothing depends on it.

use norn_ir::ids::{FuncId, GlobalId, LocalId};
use norn_ir::instr::{AllocKind, InstrKind, Operand, Order};
use norn_ir::program::{Program, Storage};

use crate::Site;
use crate::loops::{LoopForest, loops};
use crate::points_to::{InstanceId, Object, ObjectId, PointsTo};

/// How many objects there are and how many of them are private.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EscapeReport {
    pub globals: Count,
    pub locals: Count,
    pub allocs: Count,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    pub private: usize,
    pub all: usize,
}

/// Sets `private` on every global, local and allocation, or clears it.
pub fn mark_private(program: &mut Program) -> EscapeReport {
    let points_to = PointsTo::new(program);
    mark_private_with(program, &points_to)
}

/// The same with the pointers of this very program at hand.
pub fn mark_private_with(program: &mut Program, points_to: &PointsTo) -> EscapeReport {
    let touchers = touchers(program, points_to, &running_threads(program, points_to));
    let handed_over = handed_over(program, points_to, &touchers);
    let fencing = fencing(program, points_to);
    let shared = (0..points_to.object_count()).map(|index| {
        let object = ObjectId::new(index);
        let what = points_to.object(object).0;
        let has_maker = match what {
            Some(Object::Local(..) | Object::Alloc(_)) => true,
            Some(Object::Global(global)) => program.global(global).storage == Storage::Thread,
            Some(Object::Function(_)) | None => false,
        };
        let is_one_threads = touchers[index] != Threads::Several || (has_maker && !handed_over[index]);
        let private = is_one_threads && !fencing[index];
        what.filter(|_| !private)
    });
    let mut shared: Vec<Object> = shared.flatten().collect();
    shared.sort_unstable();
    write_marks(program, |object| shared.binary_search(&object).is_err())
}

fn write_marks(program: &mut Program, is_private: impl Fn(Object) -> bool) -> EscapeReport {
    let mut report = EscapeReport::default();
    let mut reused = 0;
    let mut mark = |flag: &mut bool, object: Object, count: fn(&mut EscapeReport) -> &mut Count| {
        *flag = is_private(object);
        let count = count(&mut report);
        count.all += 1;
        count.private += usize::from(*flag);
    };
    for (g, global) in program.globals.iter_mut().enumerate() {
        mark(&mut global.private, Object::Global(GlobalId::new(g)), |r| &mut r.globals);
    }
    for (f, function) in program.functions.iter_mut().enumerate() {
        let f = FuncId::new(f);
        for (l, local) in function.locals.iter_mut().enumerate() {
            mark(&mut local.private, Object::Local(f, LocalId::new(l)), |r| &mut r.locals);
        }
        for (b, block) in function.blocks.iter_mut().enumerate() {
            for (i, instr) in block.instrs.iter_mut().enumerate() {
                if let InstrKind::Alloc { private, kind, .. } = &mut instr.kind {
                    let site = Site::new(f, norn_ir::ids::BlockId::new(b), i);
                    mark(private, Object::Alloc(site), |r| &mut r.allocs);
                    if *private && *kind == AllocKind::Heap && program.reuses_memory {
                        *private = false;
                        reused += 1;
                    }
                }
            }
        }
    }
    report.allocs.private -= reused;
    report
}

/// The threads that something happens in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Threads {
    None,
    /// A single thread: 0 for the entry thread, else the number of the spawn and start function plus one.
    One(usize),
    Several,
}

impl Threads {
    fn join(self, other: Threads) -> Threads {
        match (self, other) {
            (Threads::None, threads) | (threads, Threads::None) => threads,
            (Threads::One(a), Threads::One(b)) if a == b => self,
            _ => Threads::Several,
        }
    }
}

/// The threads that each instance of a function runs in.
fn running_threads(program: &Program, points_to: &PointsTo) -> Vec<Threads> {
    let once = run_at_most_once(program, points_to);
    let mut threads = vec![Threads::None; points_to.instances().len()];
    let mut callees = vec![Vec::new(); threads.len()];
    threads[points_to.entry().index()] = Threads::One(0);
    let mut number = 0;
    for call in points_to.instance_calls() {
        for &target in &call.targets {
            if !call.spawn {
                callees[call.caller.index()].push(target);
                continue;
            }
            number += 1;
            // The start function runs once at most only if the spawn does.
            let made = if once[target.index()] { Threads::One(number) } else { Threads::Several };
            threads[target.index()] = threads[target.index()].join(made);
        }
    }
    let mut work: Vec<InstanceId> = InstanceId::all(threads.len()).collect();
    while let Some(instance) = work.pop() {
        for &callee in &callees[instance.index()] {
            let joined = threads[callee.index()].join(threads[instance.index()]);
            if joined != threads[callee.index()] {
                threads[callee.index()] = joined;
                work.push(callee);
            }
        }
    }
    threads
}

/// For each instance of a function whether it runs at most once in a run of the program.
fn run_at_most_once(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let instances = points_to.instances();
    let mut arrivals = vec![0u32; instances.len()];
    let mut straight = vec![Vec::new(); instances.len()];
    let mut forests: Vec<Option<LoopForest>> = vec![None; program.functions.len()];
    for call in points_to.instance_calls() {
        let forest =
            forests[call.site.function.index()].get_or_insert_with(|| loops(program.function(call.site.function)));
        for &target in &call.targets {
            arrivals[target.index()] += 1;
            if forest.innermost(call.site.block).is_none() {
                straight[call.caller.index()].push(target);
            }
        }
    }
    let mut once = vec![false; instances.len()];
    let mut work = vec![points_to.entry()];
    if arrivals[points_to.entry().index()] > 0 {
        work.clear();
    }
    while let Some(instance) = work.pop() {
        once[instance.index()] = true;
        work.extend(straight[instance.index()].iter().filter(|target| arrivals[target.index()] == 1));
    }
    once
}

/// The threads that may touch each object.
fn touchers(program: &Program, points_to: &PointsTo, running: &[Threads]) -> Vec<Threads> {
    let mut touchers = vec![Threads::None; points_to.object_count()];
    let makers_of_own = running.iter().fold(Threads::None, |all, &threads| all.join(threads));
    for (index, object) in touchers.iter_mut().enumerate() {
        *object = match points_to.object(ObjectId::new(index)) {
            (_, Some(maker)) => running[maker.index()],
            (Some(Object::Global(global)), None) if program.global(global).storage == Storage::Thread => makers_of_own,
            _ => *object,
        };
    }
    for (index, instance) in points_to.instances().iter().enumerate() {
        let mut touch = |operand: Operand| {
            for object in points_to.operand(InstanceId::new(index), operand) {
                touchers[object.index()] = touchers[object.index()].join(running[index]);
            }
        };
        for block in &program.function(instance.function).blocks {
            for instr in &block.instrs {
                match &instr.kind {
                    InstrKind::Load { addr, .. }
                    | InstrKind::Store { addr, .. }
                    | InstrKind::Rmw { addr, .. }
                    | InstrKind::CompareExchange { addr, .. }
                    | InstrKind::Free { addr, .. }
                    | InstrKind::ObjectSize { addr, .. }
                    | InstrKind::Sync { addr, .. } => touch(*addr),
                    InstrKind::Print { format, args, .. } => {
                        touch(*format);
                        args.operands().for_each(&mut touch);
                    }
                    _ => {}
                }
            }
        }
    }
    touchers
}

/// What is touched by something that is a fence at the same time. Sections are steps anyway.
fn fencing(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let mut fencing = vec![false; points_to.object_count()];
    if !points_to.instance_calls().iter().any(|call| call.spawn) {
        return fencing;
    }
    for (index, instance) in points_to.instances().iter().enumerate() {
        for instr in program.function(instance.function).blocks.iter().flat_map(|block| &block.instrs) {
            let (InstrKind::Rmw { addr, .. } | InstrKind::CompareExchange { addr, .. } | InstrKind::Store { addr, .. }) =
                &instr.kind
            else {
                continue;
            };
            if let InstrKind::Store { access, .. } = &instr.kind
                && !matches!(access.order, Order::Release | Order::AcqRel | Order::SeqCst)
            {
                continue;
            }
            for object in points_to.operand(InstanceId::new(index), *addr) {
                fencing[object.index()] = true;
            }
        }
    }
    fencing
}

/// See the module's header. Globals count as handed over when they have several touchers.
fn handed_over(program: &Program, points_to: &PointsTo, touchers: &[Threads]) -> Vec<bool> {
    let mut work = points_to.thread_results();
    work.extend(points_to.conjured());
    for call in points_to.instance_calls().iter().filter(|call| call.spawn) {
        let block = program.function(call.site.function).block(call.site.block);
        if let InstrKind::Spawn { args, .. } = &block.instrs[call.site.index as usize].kind {
            work.extend(args.iter().flat_map(|&arg| points_to.operand(call.caller, arg)));
        }
    }
    for (index, &threads) in touchers.iter().enumerate() {
        let object = ObjectId::new(index);
        let is_handed_over = match points_to.object(object).0 {
            Some(Object::Global(global)) => {
                program.global(global).storage != Storage::Thread && threads == Threads::Several
            }
            Some(Object::Alloc(_)) => program.reuses_memory,
            _ => false,
        };
        if is_handed_over {
            work.push(object);
        }
    }
    let mut handed_over = vec![false; points_to.object_count()];
    while let Some(object) = work.pop() {
        if !std::mem::replace(&mut handed_over[object.index()], true) {
            work.extend(points_to.object_contents(object));
        }
    }
    handed_over
}

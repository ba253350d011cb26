//! Follows one input along its paths.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{BinaryOp, Callee, InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Function, Program};
use norn_ir::types::Ty;

use super::form::{Form, combine};
use super::set::Set;
use super::{MOST_VALUES, Sites};
use crate::Site;

/// Instructions that are looked at for one input, calls into one another, returns out of functions, callers of one.
const MOST_STEPS: usize = 2000;
const DEEPEST: usize = 4;
const MOST_RETURNS: usize = 3;
const MOST_CALLERS: usize = 16;

/// The values of an input that matter, if they are few.
pub fn domain(program: &Program, sites: &Sites, site: Site, input: Reg) -> Option<Vec<u64>> {
    let bits = program.function(site.function).ty(input).bits(program.target);
    let mut walk = Walk { program, sites, waiting: Vec::new(), values: BTreeSet::new(), alike: Vec::new(), steps: 0 };
    let mut start = Frame::at(site, None);
    start.forms.insert(input, Form::input(bits));
    let set = Set::full(bits);
    walk.waiting.push(Path { set, frames: vec![start], eventful: false, returns: 0 });
    while let Some(path) = walk.waiting.pop() {
        walk.follow(path)?;
    }
    for set in std::mem::take(&mut walk.alike) {
        if !walk.values.iter().any(|&value| set.contains(value)) {
            walk.values.extend(set.first());
        }
    }
    if walk.values.is_empty() {
        walk.values.insert(0);
    }
    (walk.values.len() <= MOST_VALUES).then(|| walk.values.into_iter().collect())
}

struct Walk<'a> {
    program: &'a Program,
    sites: &'a Sites,
    waiting: Vec<Path>,
    values: BTreeSet<u64>,
    /// Sets of which any one member will do.
    alike: Vec<Set>,
    steps: usize,
}

#[derive(Clone)]
struct Path {
    /// The inputs that get here.
    set: Set,
    frames: Vec<Frame>,
    /// Something was done that another thread can notice, or that may be a violation.
    eventful: bool,
    returns: usize,
}

#[derive(Clone)]
struct Frame {
    function: FuncId,
    block: BlockId,
    index: usize,
    /// Of the registers that depend on the input.
    forms: BTreeMap<Reg, Form>,
    /// The caller's register for the result.
    result: Option<Reg>,
}

impl Frame {
    /// After an instruction.
    fn at(site: Site, result: Option<Reg>) -> Frame {
        let Site { function, block, index } = site;
        Frame { function, block, index: index as usize + 1, forms: BTreeMap::new(), result }
    }
}

/// What is known of an operand.
enum Known {
    Value(u64),
    /// Different for different inputs.
    Depends(Form),
    /// Does not depend on the input.
    Other,
}

/// Whether a path goes on.
enum Flow {
    On,
    Ended,
}

impl Path {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a path should be in some function")
    }

    fn known(&self, operand: Operand) -> Known {
        match operand {
            Operand::Const(constant) => Known::Value(constant.bits),
            Operand::Reg(reg) => match self.frames[self.frames.len() - 1].forms.get(&reg) {
                None => Known::Other,
                Some(form) => match form.constant_on(&self.set) {
                    Some(value) => Known::Value(value),
                    None => Known::Depends(form.clone()),
                },
            },
            _ => Known::Other,
        }
    }

    fn define(&mut self, reg: Reg, form: Option<Form>) {
        match form {
            Some(form) => self.top().forms.insert(reg, form),
            None => self.top().forms.remove(&reg),
        };
    }

    /// Whether inputs can still be told from one another.
    fn is_open(&self) -> bool {
        self.frames.iter().flat_map(|f| f.forms.values()).any(|form| form.constant_on(&self.set).is_none())
    }
}

impl Walk<'_> {
    fn follow(&mut self, mut path: Path) -> Option<()> {
        loop {
            self.steps += 1;
            if path.set.is_empty() {
                return Some(());
            }
            if self.steps > MOST_STEPS {
                return self.all(&path.set);
            }
            if !path.is_open() {
                self.alike.push(path.set);
                return Some(());
            }
            if let Flow::Ended = self.step(&mut path)? {
                return Some(());
            }
        }
    }

    /// Every input that gets here matters.
    fn all(&mut self, set: &Set) -> Option<()> {
        self.values.extend(set.members(MOST_VALUES)?);
        Some(())
    }

    /// The rest of the path for a part of the inputs, as if from anew.
    fn fork(&mut self, path: &Path, set: &Set) -> Path {
        Path { set: path.set.and(set), ..path.clone() }
    }

    fn step(&mut self, path: &mut Path) -> Option<Flow> {
        let program = self.program;
        let frame = &path.frames[path.frames.len() - 1];
        let function = program.function(frame.function);
        let block = function.block(frame.block);
        match block.instrs.get(frame.index) {
            Some(instr) => self.instr(path, function, &instr.kind),
            None => self.terminator(path, &block.terminator.kind),
        }
    }

    fn instr(&mut self, path: &mut Path, function: &Function, kind: &InstrKind) -> Option<Flow> {
        let bits = |ty: Ty| ty.bits(self.program.target);
        let table = |value: u64| Form::Table(vec![(Set::full(64), value)]);
        // The form of the result, where it can be followed.
        let followed: Option<(Reg, Option<Form>)> = match *kind {
            InstrKind::Copy { dst, src } => match path.known(src) {
                Known::Depends(form) => Some((dst, Some(form))),
                Known::Value(value) => Some((dst, Some(table(value)))),
                Known::Other => Some((dst, None)),
            },
            InstrKind::Compare { dst, op, ty, lhs, rhs } => match (path.known(lhs), path.known(rhs)) {
                (Known::Depends(form), Known::Value(value)) => {
                    form.compare(op, value, false, bits(ty)).map(|form| (dst, Some(form)))
                }
                (Known::Value(value), Known::Depends(form)) => {
                    form.compare(op, value, true, bits(ty)).map(|form| (dst, Some(form)))
                }
                (Known::Depends(_), _) | (_, Known::Depends(_)) => None,
                _ => Some((dst, None)),
            },
            InstrKind::Cast { dst, op, from, src } => match path.known(src) {
                Known::Depends(form) => form.cast(op, bits(from), bits(function.ty(dst))).map(|form| (dst, Some(form))),
                _ => Some((dst, None)),
            },
            InstrKind::Binary { dst, op, lhs, rhs } => match (path.known(lhs), path.known(rhs)) {
                (Known::Depends(form @ Form::Line(_)), Known::Value(value)) => {
                    let width = bits(function.ty(dst));
                    if let Some(inputs) = self.reduced(path, &form, (op, value), width) {
                        self.values.extend(inputs);
                        return (self.values.len() <= MOST_VALUES).then_some(Flow::Ended);
                    }
                    let is_mask = op == BinaryOp::And && value.wrapping_add(1).is_power_of_two();
                    let low = if is_mask { form.low_bits(value.count_ones()) } else { None };
                    low.map(|form| (dst, Some(form)))
                }
                (Known::Other, Known::Other | Known::Value(_)) | (Known::Value(_), Known::Other) => Some((dst, None)),
                (Known::Value(_), Known::Value(_)) => Some((dst, None)),
                (a, b) => {
                    let operation: Option<fn(u64, u64) -> u64> = match op {
                        BinaryOp::And => Some(|a, b| a & b),
                        BinaryOp::Or => Some(|a, b| a | b),
                        BinaryOp::Xor => Some(|a, b| a ^ b),
                        _ => None,
                    };
                    let form = |known: Known| match known {
                        Known::Depends(form) => Some(form),
                        Known::Value(value) => Some(table(value)),
                        Known::Other => None,
                    };
                    let both = form(a).zip(form(b)).zip(operation);
                    both.and_then(|((a, b), f)| combine(&a, &b, f)).map(|form| (dst, Some(form)))
                }
            },
            InstrKind::Assume { cond } => {
                match path.known(cond) {
                    Known::Depends(form) => {
                        let stops = form.inputs_of(0);
                        if path.eventful {
                            self.alike.extend(Some(path.set.and(&stops)).filter(|set| !set.is_empty()));
                        }
                        path.set = path.set.without(&stops);
                    }
                    Known::Value(0) => {
                        self.alike.extend(path.eventful.then(|| path.set.clone()));
                        return Some(Flow::Ended);
                    }
                    _ => {}
                }
                path.top().index += 1;
                return Some(Flow::On);
            }
            InstrKind::Assert { cond, .. } => {
                match path.known(cond) {
                    Known::Depends(form) => {
                        let fails = form.inputs_of(0);
                        self.alike.extend(Some(path.set.and(&fails)).filter(|set| !set.is_empty()));
                        path.set = path.set.without(&fails);
                    }
                    Known::Value(0) | Known::Other => path.eventful = true,
                    Known::Value(_) => {}
                }
                path.top().index += 1;
                return Some(Flow::On);
            }
            InstrKind::Call { dst, callee: Callee::Direct(id), ref args } => {
                if let Some(flow) = self.call(path, dst, id, args) {
                    return Some(flow);
                }
                None
            }
            _ => None,
        };
        path.eventful |= !is_silent(kind);
        match followed {
            Some((dst, form)) => path.define(dst, form),
            None => {
                let mut operands = Vec::new();
                kind.for_each_operand(|operand| operands.push(operand));
                if let Flow::Ended = self.used(path, &operands)? {
                    return Some(Flow::Ended);
                }
                kind.defs().for_each(|reg| path.define(reg, None));
            }
        }
        path.top().index += 1;
        Some(Flow::On)
    }

    /// Something is done with operands that is not followed: what depends on the input has to be known by now.
    fn used(&mut self, path: &Path, operands: &[Operand]) -> Option<Flow> {
        for &operand in operands {
            match path.known(operand) {
                Known::Depends(Form::Line(_)) => {
                    self.all(&path.set)?;
                    return Some(Flow::Ended);
                }
                Known::Depends(form) => {
                    for (_, set) in form.rows() {
                        let part = self.fork(path, &set);
                        self.waiting.push(part);
                    }
                    return Some(Flow::Ended);
                }
                Known::Value(_) | Known::Other => {}
            }
        }
        Some(Flow::On)
    }

    /// One input for each result of a remainder or mask, if nothing else tells inputs from one another.
    fn reduced(&self, path: &Path, form: &Form, (op, constant): (BinaryOp, u64), bits: u32) -> Option<Vec<u64>> {
        let top = path.frames.len() - 1;
        let elsewhere = path.frames.iter().enumerate().any(|(depth, frame)| {
            // The caller's next instruction is the one after the call.
            let from = frame.index + usize::from(depth == top);
            let open = frame.forms.iter().filter(|(_, form)| form.constant_on(&path.set).is_none());
            open.into_iter()
                .any(|(&reg, _)| self.sites.is_read_from(self.program, frame.function, (frame.block, from), reg))
        });
        if elsewhere { None } else { form.reduced(op, constant, bits, &path.set, MOST_VALUES) }
    }

    /// Follows a call that gets something which depends on the input. `None`: it is not followed.
    fn call(&mut self, path: &mut Path, dst: Option<Reg>, id: FuncId, args: &[Operand]) -> Option<Flow> {
        let callee = self.program.function(id);
        let forms: BTreeMap<Reg, Form> = callee
            .params
            .iter()
            .zip(args)
            .filter_map(|(&param, &arg)| match path.known(arg) {
                Known::Depends(form) => Some((param, form)),
                _ => None,
            })
            .collect();
        if forms.is_empty() || path.frames.len() >= DEEPEST || callee.params.len() != args.len() {
            return None;
        }
        path.top().index += 1;
        path.frames.push(Frame { function: id, block: Function::ENTRY, index: 0, forms, result: dst });
        Some(Flow::On)
    }

    fn terminator(&mut self, path: &mut Path, kind: &TerminatorKind) -> Option<Flow> {
        match *kind {
            TerminatorKind::Goto(next) => {
                self.jump(path, next);
                return Some(Flow::On);
            }
            TerminatorKind::Branch { cond, then, otherwise } => match path.known(cond) {
                Known::Value(value) => {
                    let next = if value != 0 { then } else { otherwise };
                    self.jump(path, next);
                    return Some(Flow::On);
                }
                Known::Depends(form) => {
                    let no = form.inputs_of(0);
                    self.branch(path, otherwise, &no);
                    self.branch(path, then, &path.set.without(&no));
                }
                Known::Other => [then, otherwise].into_iter().for_each(|next| self.branch(path, next, &path.set)),
            },
            TerminatorKind::Switch { value, ref cases, default, .. } => match path.known(value) {
                Known::Value(value) => {
                    let next = cases.iter().find(|case| case.0 == value).map_or(default, |case| case.1);
                    self.jump(path, next);
                    return Some(Flow::On);
                }
                Known::Depends(form) => {
                    let mut rest = path.set.clone();
                    for &(value, next) in cases {
                        let set = form.inputs_of(value);
                        rest = rest.without(&set);
                        self.branch(path, next, &set);
                    }
                    self.branch(path, default, &rest);
                }
                Known::Other => {
                    let targets: BTreeSet<BlockId> = kind.successors().collect();
                    targets.into_iter().for_each(|next| self.branch(path, next, &path.set));
                }
            },
            TerminatorKind::Return(value) => return self.ret(path, value),
            TerminatorKind::Stop if !path.eventful => {}
            TerminatorKind::ThreadExit(_)
            | TerminatorKind::Exit(_)
            | TerminatorKind::Abort
            | TerminatorKind::Stop
            | TerminatorKind::Unreachable
            | TerminatorKind::Unsupported(_) => {
                let mut operands = Vec::new();
                kind.for_each_operand(|operand| operands.push(operand));
                if let Flow::On = self.used(path, &operands)? {
                    self.alike.push(path.set.clone());
                }
            }
        }
        Some(Flow::Ended)
    }

    /// What is not read any more is forgotten.
    fn jump(&self, path: &mut Path, block: BlockId) {
        let frame = path.top();
        (frame.block, frame.index) = (block, 0);
        let function = frame.function;
        frame.forms.retain(|&reg, _| self.sites.is_live(self.program, function, block, reg));
    }

    fn branch(&mut self, path: &Path, next: BlockId, set: &Set) {
        let mut part = self.fork(path, set);
        if !part.set.is_empty() {
            self.jump(&mut part, next);
            self.waiting.push(part);
        }
    }

    fn ret(&mut self, path: &mut Path, value: Option<Operand>) -> Option<Flow> {
        let known = value.map_or(Known::Other, |value| path.known(value));
        let form = match known {
            Known::Depends(form) => Some(form),
            Known::Value(_) | Known::Other => None,
        };
        if path.frames.len() > 1 {
            let result = path.frames.pop().and_then(|frame| frame.result);
            if let Some(result) = result {
                path.define(result, form);
            }
            return Some(Flow::On);
        }
        let Some(form) = form else {
            self.alike.push(path.set.clone());
            return Some(Flow::Ended);
        };
        if let Form::Table(_) = form {
            self.alike.extend(form.rows().into_iter().map(|(_, set)| path.set.and(&set)).filter(|set| !set.is_empty()));
            return Some(Flow::Ended);
        }
        match &self.sites.callers[path.frames[0].function.index()] {
            Some(callers) if callers.len() <= MOST_CALLERS && path.returns < MOST_RETURNS => {
                for &site in callers {
                    let body = self.program.function(site.function);
                    let InstrKind::Call { dst, .. } = body.block(site.block).instrs[site.index as usize].kind else {
                        continue;
                    };
                    let mut caller = Frame::at(site, None);
                    caller.forms.extend(dst.map(|dst| (dst, form.clone())));
                    let (set, returns) = (path.set.clone(), path.returns + 1);
                    self.waiting.push(Path { set, frames: vec![caller], eventful: path.eventful, returns });
                }
            }
            _ => self.all(&path.set)?,
        }
        Some(Flow::Ended)
    }
}

/// Whether nobody else can notice that it was executed, and it cannot go wrong, whatever is checked.
fn is_silent(kind: &InstrKind) -> bool {
    if let InstrKind::Binary { op, rhs, .. } = kind {
        return !op.may_trap(*rhs) && !op.may_overflow();
    }
    kind.only_computes()
        || matches!(kind, InstrKind::Nondet { .. } | InstrKind::ThreadSelf { .. } | InstrKind::LocalEnter(_))
}

//! The end of a test: `main`, which runs the threads and judges the final state, and what a table of final states
//! shows.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::diag::Diagnostic;
use norn_ir::ids::FuncId;
use norn_ir::instr::{
    Access, BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand as IrOperand, Property, SectionKind, TerminatorKind,
};
use norn_ir::program::{Init, InitValue};
use norn_ir::span::Span;
use norn_ir::types::{Display, Ty};

use crate::build::{Builder, FunctionBuilder};
use crate::condition::{Condition, Final, Item, Operand, UNKNOWN_LOCATION};
use crate::ctype::CType;
use crate::emit::Home;
use crate::state::{State, Value};
use crate::token::File;
use crate::{Observed, Quantifier};

/// Makes the object of each location; `types` are those of the elements.
pub(crate) fn homes(file: &File<'_>, state: &State<'_>, types: &[CType], out: &mut Builder) -> Vec<Home> {
    let target = out.program.target;
    let mut homes: Vec<Home> = Vec::with_capacity(types.len());
    for (location, ty) in state.locations.iter().zip(types) {
        let element = out.scalar(ty.ty(), ty.display());
        let type_id = location.length.map_or(element, |length| out.array(element, length));
        let bytes = out.program.ty(type_id).size;
        let global = out.global(&location.name, type_id, Vec::new(), file.span(location.start));
        homes.push(Home { global, ty: ty.ty(), bytes });
    }
    // Initial values may be addresses of any location.
    for (location, home) in state.locations.iter().zip(&homes) {
        let mut init = Vec::new();
        for (index, &value) in location.init.iter().enumerate() {
            let value = match value {
                Value::Number(n) => {
                    let bits = home.ty.truncate(n as u64, target);
                    if bits == 0 {
                        continue;
                    }
                    InitValue::Const(Const { ty: home.ty, bits })
                }
                Value::Address(id, element) => {
                    let other = &homes[id.index()];
                    InitValue::Global(other.global, element_offset(element, other.ty.size(target)))
                }
            };
            init.push(Init { offset: index as u64 * home.ty.size(target), value });
        }
        out.program.globals[home.global.index()].init = init;
    }
    homes
}

/// Far beyond the object if that is where the index leads.
pub(crate) fn element_offset(index: u64, size: u64) -> i64 {
    i64::try_from(index.saturating_mul(size)).unwrap_or(i64::MAX)
}

/// Everything that the condition, the filter or the list of locations looks at, with the place of its first mention.
pub(crate) fn looked_at(end: &Final) -> Vec<(&Item, u32)> {
    let all = end.mentions.iter().chain(&end.filter_mentions).chain(&end.locations);
    let mut found: BTreeMap<&Item, u32> = BTreeMap::new();
    for (item, start) in all {
        found.entry(item).or_insert(*start);
    }
    found.into_iter().collect()
}

/// The final values of locations: one entry per location, or per element of an array mentioned as a whole.
pub(crate) fn locations<'e>(
    file: &File<'_>,
    end: &'e Final,
    state: &State<'_>,
    types: &[CType],
    homes: &[Home],
    out: &Builder,
) -> Result<BTreeMap<&'e Item, Vec<Observed>>, Vec<Diagnostic>> {
    let mut found = BTreeMap::new();
    let mut findings = Vec::new();
    for (item, start) in looked_at(end) {
        let Item::Location { name, index } = item else { continue };
        let Some(id) = state.find(name) else {
            let message = format!("there is no location '{name}'");
            findings.push(file.error(start as usize, name.len(), message).help(UNKNOWN_LOCATION));
            continue;
        };
        let (location, home) = (state.location(id), homes[id.index()]);
        let size = home.ty.size(out.program.target);
        let indices = match (location.length, *index) {
            (None, None) => vec![None],
            (Some(length), None) => (0..length).map(Some).collect(),
            (length, Some(index)) if index < length.unwrap_or(1) => vec![Some(index)],
            (_, Some(index)) => {
                let message = format!("'{name}' has no element {index}");
                findings.push(file.error(start as usize, name.len(), message));
                continue;
            }
        };
        let observed = indices.into_iter().map(|index| Observed {
            label: Item::Location { name: name.clone(), index }.to_string(),
            global: home.global,
            offset: index.unwrap_or(0) * size,
            ty: home.ty,
            display: types[id.index()].display(),
        });
        found.insert(item, observed.collect());
    }
    if findings.is_empty() { Ok(found) } else { Err(findings) }
}

/// A new object that receives the final value of a register.
pub(crate) fn register_object(thread: u32, name: &str, ty: CType, span: Span, out: &mut Builder) -> Observed {
    let label = format!("{thread}:{name}");
    let type_id = out.scalar(ty.ty(), ty.display());
    let global = out.global(&label, type_id, Vec::new(), span);
    Observed { label, global, offset: 0, ty: ty.ty(), display: ty.display() }
}

/// What the table of final states shows: `values` without what only the filter looks at, registers (in the order of
/// `values`' items by thread and `rank`) before locations.
pub(crate) fn table(end: &Final, values: &BTreeMap<&Item, Vec<Observed>>, rank: impl Fn(&str) -> u32) -> Vec<Observed> {
    let mut shown: Vec<&Item> = end.mentions.iter().chain(&end.locations).map(|(item, _)| item).collect();
    shown.sort_by_key(|item| match item {
        Item::Register { thread, name } => (0, *thread, rank(name), name.as_str(), None),
        Item::Location { name, index } => (1, 0, 0, name.as_str(), *index),
    });
    let mut known = BTreeSet::new();
    let objects = shown.into_iter().filter_map(|item| values.get(item)).flatten();
    objects.filter(|object| known.insert((object.global, object.offset))).cloned().collect()
}

/// The functions of the threads.
pub(crate) struct Threads<'t> {
    pub functions: &'t [FuncId],
    /// Whether a number may be an address all the same, as an `intptr_t` of C may.
    pub addresses_as_numbers: bool,
}

/// Makes `main`, the entry of the program.
pub(crate) fn add_main(
    file: &File<'_>,
    end: &Final,
    values: &BTreeMap<&Item, Vec<Observed>>,
    state: &State<'_>,
    homes: &[Home],
    threads: &Threads<'_>,
    out: &mut Builder,
) -> Result<(), Vec<Diagnostic>> {
    let span = file.span(end.start);
    let word = out.program.target.pointer_int();
    let mut main = FunctionBuilder::new("main", None, span);
    let started: Vec<_> = threads
        .functions
        .iter()
        .enumerate()
        .map(|(index, &function)| {
            let dst = main.reg(word, &format!("P{index}"));
            main.push(InstrKind::Spawn { dst, start: IrOperand::Func(function), args: Vec::new() });
            dst
        })
        .collect();
    for thread in started {
        main.push(InstrKind::Join { dst: None, thread: IrOperand::Reg(thread) });
    }
    let addresses_as_numbers = threads.addresses_as_numbers;
    let mut judge = Judge {
        out,
        main,
        read: BTreeMap::new(),
        values,
        state,
        homes,
        addresses_as_numbers,
        too_small: BTreeSet::new(),
    };
    let reads = !end.mentions.is_empty() || !end.filter_mentions.is_empty();
    if reads {
        judge.main.push(InstrKind::SectionBegin(SectionKind::Atomic));
    }
    judge.read_all(end);
    let filter = end.filter.as_ref().map(|filter| judge.condition(filter));
    let body = judge.condition(&end.condition);
    // What a `forall` is about is a state that does not satisfy its body.
    let cond = if end.quantifier == Quantifier::Forall { body } else { judge.negated(body) };
    if reads {
        judge.main.push(InstrKind::SectionEnd);
    }
    if let Some(cond) = filter {
        judge.main.push(InstrKind::Assume { cond });
    }
    let message = end.condition.to_string();
    judge.main.push(InstrKind::Assert { cond, property: Property::Assertion, message });
    judge.main.terminate(TerminatorKind::Return(None));
    let Judge { main, too_small, .. } = judge;
    if !too_small.is_empty() {
        let mentions = end.filter_mentions.iter().chain(&end.mentions).filter(|(item, _)| too_small.contains(item));
        let finding = |(item, start): &(Item, u32)| {
            file.unsupported_at_offset(
                *start,
                format!("'{item}' is compared with an address, but is too small for one"),
            )
        };
        return Err(mentions.map(finding).collect());
    }
    let main = main.finish();
    match out.program.functions.get_mut(out.program.entry.index()) {
        Some(entry) => *entry = main,
        None => out.program.functions.push(main),
    }
    Ok(())
}

struct Judge<'j> {
    out: &'j Builder,
    main: FunctionBuilder,
    /// The final values that have been read.
    read: BTreeMap<&'j Item, (IrOperand, Ty, Display)>,
    values: &'j BTreeMap<&'j Item, Vec<Observed>>,
    state: &'j State<'j>,
    homes: &'j [Home],
    addresses_as_numbers: bool,
    /// What cannot be compared with addresses, since it may hold a part of one.
    too_small: BTreeSet<Item>,
}

impl<'j> Judge<'j> {
    /// Reads what the condition and the filter mention.
    fn read_all(&mut self, end: &'j Final) {
        for (item, _) in end.filter_mentions.iter().chain(&end.mentions) {
            if self.read.contains_key(item) {
                continue;
            }
            let Some(Observed { label, global, offset, ty, display }) = self.values.get(item).and_then(|v| v.first())
            else {
                continue;
            };
            let dst = self.main.reg(*ty, label);
            let addr = IrOperand::Global(*global, *offset as i64);
            self.main.push(InstrKind::Load { dst, addr, access: Access::PLAIN });
            self.read.insert(item, (IrOperand::Reg(dst), *ty, *display));
        }
    }

    fn bool(value: bool) -> IrOperand {
        IrOperand::Const(if value { Const::TRUE } else { Const::FALSE })
    }

    fn negated(&mut self, value: IrOperand) -> IrOperand {
        match value {
            IrOperand::Const(c) => Self::bool(c == Const::FALSE),
            value => self.binary(BinaryOp::Xor, value, Self::bool(true)),
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: IrOperand, rhs: IrOperand) -> IrOperand {
        let dst = self.main.temporary(Ty::Bool);
        self.main.push(InstrKind::Binary { dst, op, lhs, rhs });
        IrOperand::Reg(dst)
    }

    fn condition(&mut self, condition: &Condition) -> IrOperand {
        match condition {
            Condition::True => Self::bool(true),
            Condition::False => Self::bool(false),
            Condition::Equal(item, operand) => self.compare(item, operand),
            Condition::Different(item, operand) => {
                let equal = self.compare(item, operand);
                self.negated(equal)
            }
            Condition::Not(inner) => {
                let inner = self.condition(inner);
                self.negated(inner)
            }
            Condition::And(parts) => self.join(BinaryOp::And, parts),
            Condition::Or(parts) => self.join(BinaryOp::Or, parts),
            Condition::Implies(premise, conclusion) => {
                let premise = self.condition(premise);
                let premise = self.negated(premise);
                let conclusion = self.condition(conclusion);
                self.binary(BinaryOp::Or, premise, conclusion)
            }
        }
    }

    fn join(&mut self, op: BinaryOp, parts: &[Condition]) -> IrOperand {
        let mut parts = parts.iter();
        let Some(first) = parts.next() else { return Self::bool(op == BinaryOp::And) };
        let mut joined = self.condition(first);
        for part in parts {
            let next = self.condition(part);
            joined = self.binary(op, joined, next);
        }
        joined
    }

    fn compare(&mut self, item: &Item, operand: &Operand) -> IrOperand {
        let Some(&(mut lhs, mut ty, display)) = self.read.get(item) else { return Self::bool(false) };
        let target = self.out.program.target;
        let rhs = match operand {
            Operand::Number(n) => {
                let bits = ty.truncate(*n as u64, target);
                let unused = 64 - ty.bits(target);
                let fits = bits == *n as u64 || ((bits << unused) as i64) >> unused == *n;
                if !fits {
                    return Self::bool(false);
                }
                IrOperand::Const(Const { ty, bits })
            }
            Operand::Address { name, index } => {
                let Some(home) = self.state.find(name).map(|id| self.homes[id.index()]) else {
                    return Self::bool(false);
                };
                let address = IrOperand::Global(home.global, element_offset(index.unwrap_or(0), home.ty.size(target)));
                match ty {
                    Ty::Ptr => address,
                    // What holds only numbers never holds an address.
                    _ if !self.addresses_as_numbers => return Self::bool(false),
                    _ if ty == target.pointer_int() => self.cast(CastOp::PtrToInt, Ty::Ptr, ty, address),
                    _ => {
                        self.too_small.insert(item.clone());
                        return Self::bool(false);
                    }
                }
            }
            Operand::Item(other) => {
                let Some(&(rhs, other_ty, other_display)) = self.read.get(other) else { return Self::bool(false) };
                if other_ty == ty {
                    rhs
                } else {
                    lhs = self.widest(lhs, ty, display);
                    ty = Ty::I64;
                    self.widest(rhs, other_ty, other_display)
                }
            }
        };
        let dst = self.main.temporary(Ty::Bool);
        self.main.push(InstrKind::Compare { dst, op: CompareOp::Eq, ty, lhs, rhs });
        IrOperand::Reg(dst)
    }

    fn widest(&mut self, mut value: IrOperand, mut ty: Ty, display: Display) -> IrOperand {
        let word = self.out.program.target.pointer_int();
        if ty == Ty::Ptr {
            value = self.cast(CastOp::PtrToInt, ty, word, value);
            ty = word;
        }
        if ty == Ty::I64 {
            return value;
        }
        let op = if display == Display::Signed { CastOp::SignExtend } else { CastOp::ZeroExtend };
        self.cast(op, ty, Ty::I64, value)
    }

    fn cast(&mut self, op: CastOp, from: Ty, to: Ty, src: IrOperand) -> IrOperand {
        let dst = self.main.temporary(to);
        self.main.push(InstrKind::Cast { dst, op, from, src });
        IrOperand::Reg(dst)
    }
}

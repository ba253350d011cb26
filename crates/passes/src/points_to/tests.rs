//! The solver against the constraints read naively: every instruction again and again until nothing changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{Callee, CastOp, InstrKind, Operand, TerminatorKind};
use norn_ir::parse::parse;
use norn_ir::program::{InitValue, Program};
use norn_ir::types::Ty;
use norn_testing::Random;

use super::{Object, PointsTo};
use crate::Site;

/// `None` is a number.
type Set = BTreeSet<Option<Object>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Reg(FuncId, Reg),
    Contents(Object),
    Result(FuncId),
    ThreadResult,
    Exposed,
}

#[derive(Default)]
struct Naive {
    sets: BTreeMap<Place, Set>,
    reached: BTreeSet<FuncId>,
    changed: bool,
}

impl Naive {
    fn solve(program: &Program) -> Naive {
        let mut naive = Naive::default();
        naive.reached.insert(program.entry);
        for (g, global) in program.globals.iter().enumerate() {
            let place = Place::Contents(Object::Global(norn_ir::ids::GlobalId::new(g)));
            for init in &global.init {
                match init.value {
                    InitValue::Global(id, _) => naive.add(place, [Some(Object::Global(id))].into()),
                    InitValue::Func(id) => naive.add(place, [Some(Object::Function(id))].into()),
                    _ => {}
                }
            }
        }
        loop {
            naive.changed = false;
            for f in naive.reached.clone() {
                naive.function(program, f);
            }
            if !naive.changed {
                return naive;
            }
        }
    }

    fn add(&mut self, place: Place, set: Set) {
        let known = self.sets.entry(place).or_default();
        let before = known.len();
        known.extend(set);
        self.changed |= known.len() > before;
    }

    fn get(&self, place: Place) -> Set {
        self.sets.get(&place).cloned().unwrap_or_default()
    }

    fn value(&self, program: &Program, f: FuncId, operand: Operand) -> Set {
        match operand {
            Operand::Reg(reg) if program.function(f).ty(reg) == Ty::Bool => Set::new(),
            Operand::Reg(reg) => self.get(Place::Reg(f, reg)),
            Operand::Const(c) if c.ty == Ty::Ptr && c.bits != 0 => [None].into(),
            Operand::Const(_) => Set::new(),
            Operand::Global(id, _) => [Some(Object::Global(id))].into(),
            Operand::Local(id, _) => [Some(Object::Local(f, id))].into(),
            Operand::Func(id) => [Some(Object::Function(id))].into(),
        }
    }

    fn call(&mut self, program: &Program, f: FuncId, targets: Set, args: &[Operand], dst: Option<Place>) {
        for target in targets {
            let Some(Object::Function(callee)) = target else { continue };
            self.changed |= self.reached.insert(callee);
            for (&param, &arg) in program.function(callee).params.iter().zip(args) {
                self.add(Place::Reg(callee, param), self.value(program, f, arg));
            }
            if let Some(dst) = dst {
                self.add(dst, self.get(Place::Result(callee)));
            }
        }
    }

    fn function(&mut self, program: &Program, f: FuncId) {
        let function = program.function(f);
        for id in function.block_ids() {
            for (index, instr) in function.block(id).instrs.iter().enumerate() {
                self.instruction(program, f, Site::new(f, id, index), &instr.kind);
            }
            match function.block(id).terminator.kind {
                TerminatorKind::Return(Some(value)) => self.add(Place::Result(f), self.value(program, f, value)),
                TerminatorKind::ThreadExit(value) => self.add(Place::ThreadResult, self.value(program, f, value)),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, program: &Program, f: FuncId, site: Site, kind: &InstrKind) {
        let value = |naive: &Naive, operand: Operand| naive.value(program, f, operand);
        let loaded = |naive: &Naive, addr: Operand| -> Set {
            value(naive, addr).into_iter().flatten().flat_map(|o| naive.get(Place::Contents(o))).collect()
        };
        match kind {
            InstrKind::Copy { dst, src } => self.add(Place::Reg(f, *dst), value(self, *src)),
            InstrKind::Binary { dst, lhs, rhs, .. } => {
                self.add(Place::Reg(f, *dst), &value(self, *lhs) | &value(self, *rhs));
            }
            InstrKind::Cast { dst, op, src, .. } => {
                self.add(Place::Reg(f, *dst), value(self, *src));
                if *op == CastOp::PtrToInt {
                    self.add(Place::Exposed, value(self, *src));
                } else if *op == CastOp::IntToPtr {
                    self.add(Place::Reg(f, *dst), &self.get(Place::Exposed) | &[None].into());
                }
            }
            InstrKind::PtrAdd { dst, base, index, .. } => {
                let base = value(self, *base);
                if base.contains(&None) {
                    self.add(Place::Reg(f, *dst), value(self, *index));
                }
                self.add(Place::Reg(f, *dst), base);
            }
            InstrKind::Load { dst, addr, .. } => self.add(Place::Reg(f, *dst), loaded(self, *addr)),
            InstrKind::Store { addr, value: stored, .. } => {
                for object in value(self, *addr).into_iter().flatten() {
                    if !matches!(object, Object::Function(_)) {
                        self.add(Place::Contents(object), value(self, *stored));
                    }
                }
            }
            InstrKind::Call { dst, callee, args } => {
                let targets = match *callee {
                    Callee::Direct(id) => [Some(Object::Function(id))].into(),
                    Callee::Indirect(target) => value(self, target),
                };
                self.call(program, f, targets, args, dst.map(|dst| Place::Reg(f, dst)));
            }
            InstrKind::Spawn { start, args, .. } => {
                self.call(program, f, value(self, *start), args, Some(Place::ThreadResult));
            }
            InstrKind::Join { dst: Some(dst), .. } => self.add(Place::Reg(f, *dst), self.get(Place::ThreadResult)),
            InstrKind::Alloc { dst, .. } => self.add(Place::Reg(f, *dst), [Some(Object::Alloc(site))].into()),
            _ => {}
        }
    }
}

/// `r0` … `r9` are pointers, of which two are parameters; `r10` and `r11` are integers.
fn random_program(random: &mut Random) -> Program {
    let (functions, globals) = (2 + random.below(4), 1 + random.below(4));
    let mut text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = ptr pointer\n".to_owned();
    for g in 0..globals {
        writeln!(text, "global g{g} \"g{g}\": t0 {{\n 0: f{}\n}}", random.below(functions)).unwrap();
    }
    for f in 0..functions {
        let params = if f == 0 { "" } else { "r0, r1" };
        writeln!(text, "function f{f} \"f{f}\" ({params}) -> ptr {{\n r0, r1, r2, r3, r4, r5, r6, r7, r8, r9: ptr")
            .unwrap();
        writeln!(text, " r10, r11: i64\n l0: t0 \"l\"\nb0:\n enter l0").unwrap();
        for _ in 0..5 + random.below(30) {
            let [a, b, d] = [(); 3].map(|()| random.below(10));
            let (n, m) = (10 + random.below(2), 10 + random.below(2));
            let (g, h) = (random.below(globals), random.below(functions));
            match random.below(20) {
                0 => writeln!(text, "r{d} = copy g{g}"),
                1 => writeln!(text, "r{d} = copy l0"),
                2 => writeln!(text, "r{d} = copy f{h}"),
                3 => writeln!(text, "r{d} = alloc heap 8"),
                4 | 5 => writeln!(text, "r{d} = load r{a}"),
                6 | 7 => writeln!(text, "store ptr r{a}, r{b}"),
                8 => writeln!(text, "store ptr g{g}, r{a}"),
                9 => writeln!(text, "r{d} = load g{g}"),
                10 => writeln!(text, "r{d} = call f{}(r{a}, r{b})", 1 + random.below(functions - 1)),
                11 => writeln!(text, "r{d} = call *r{a}(r{b}, r{d})"),
                12 => writeln!(text, "r{n} = spawn r{a}(r{b}, r{d})"),
                13 => writeln!(text, "r{d} = join r{n}"),
                14 if random.below(3) == 0 => writeln!(text, "r{n} = ptr_to_int ptr r{a}"),
                15 if random.below(3) == 0 => writeln!(text, "r{d} = int_to_ptr i64 r{n}"),
                16 => writeln!(text, "r{n} = add r{n}, r{m}"),
                17 => writeln!(text, "r{n} = load r{a}"),
                18 => writeln!(text, "r{d} = ptr_add r{a}, r{n} * 1"),
                _ => writeln!(text, "r{d} = copy r{a}"),
            }
            .unwrap();
        }
        let end = if random.below(5) == 0 { "thread_exit" } else { "return" };
        writeln!(text, " {end} r{}\n}}", random.below(10)).unwrap();
    }
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn random_programs_have_the_sets_of_the_definition() {
    let mut random = Random::new(3);
    let mut largest = 0;
    for _ in 0..2000 {
        let program = random_program(&mut random);
        let (naive, solved) = (Naive::solve(&program), PointsTo::new(&program));
        let check = |found: super::Targets, place: Place| {
            let mut set: Set = found.objects.into_iter().map(Some).collect();
            if found.number {
                set.insert(None);
            }
            assert_eq!(set, naive.get(place), "{place:?}\n{program}");
            set.len()
        };
        for (f, function) in program.functions.iter().enumerate() {
            let id = FuncId::new(f);
            assert_eq!(solved.reaches(id), naive.reached.contains(&id));
            for reg in (0..function.registers.len()).map(Reg::new) {
                let size = check(solved.targets(id, Operand::Reg(reg)), Place::Reg(id, reg));
                largest = largest.max(size);
            }
            let local = Object::Local(id, LocalId(0));
            check(solved.contents(local), Place::Contents(local));
            for (index, instr) in function.block(BlockId(0)).instrs.iter().enumerate() {
                if let InstrKind::Alloc { .. } = instr.kind {
                    let object = Object::Alloc(Site::new(id, BlockId(0), index));
                    check(solved.contents(object), Place::Contents(object));
                }
            }
        }
    }
    assert!(largest > 10, "the sets should not be trivial: {largest}");
}

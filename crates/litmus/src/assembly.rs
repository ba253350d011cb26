//! Assembly tests: from the steps of their threads to a program.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::diag::Diagnostic;
use norn_ir::ids::FuncId;
use norn_ir::program::Program;
use norn_ir::types::{Target, Ty};

use crate::build::Builder;
use crate::condition::{Final, Item};
use crate::ctype::CType;
use crate::emit::{self, Context, FinalStore};
use crate::kinds;
use crate::outcome::Threads;
use crate::state::{LocationId, State};
use crate::step::{Code, MachineReg, symbolic_name};
use crate::token::File;
use crate::{Arch, Observed, outcome, ppc, x86};

pub(crate) fn program<'a>(
    file: &File<'a>,
    name: &str,
    arch: Arch,
    state: &State<'a>,
    threads: &mut [Code<'a>],
    end: &Final,
) -> Result<(Program, Vec<Observed>), Vec<Diagnostic>> {
    let target = if arch == Arch::X86 { Target::Ilp32 } else { Target::Lp64 };
    let mut findings = Vec::new();
    initial_registers(file, arch, state, threads, &mut findings);
    let looked_at = registers_looked_at(file, arch, threads, end, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    // The size of elements matters for addresses of elements only, and arrays are declared.
    let element_size = |id: LocationId| {
        let declared = state.location(id).declared.unwrap_or(CType::INT);
        declared.ty().size(target) as i64
    };
    let kinds = kinds::analyse(threads, &state.locations, target, &element_size);
    let sizes = emit::access_sizes(threads, &kinds);
    let types: Vec<CType> = (0..state.locations.len())
        .map(|index| match (kinds.contents[index].is_address(), state.locations[index].declared) {
            (true, _) => CType::INT.pointer_to(),
            (false, Some(declared)) if declared.is_pointer() => CType::integer(target.pointer_int(), true),
            (false, Some(declared)) => declared,
            (false, None) => CType::integer(sizes[index].unwrap_or(Ty::I32), true),
        })
        .collect();

    let mut out = Builder::new(target, name);
    let homes = outcome::homes(file, state, &types, &mut out);
    let mut values = outcome::locations(file, end, state, &types, &homes, &out)?;
    let mut stores: Vec<Vec<FinalStore>> = threads.iter().map(|_| Vec::new()).collect();
    let mut objects: BTreeMap<(u32, MachineReg), Observed> = BTreeMap::new();
    for (item, thread, reg, start) in looked_at {
        let observed = objects.entry((thread, reg)).or_insert_with(|| {
            let register = &threads[thread as usize].registers[reg.index()];
            let ends_as_address = emit::final_registers(thread as usize, &kinds)
                .is_some_and(|registers| registers[reg.index()].is_address());
            let ty = match register.declared {
                _ if ends_as_address => CType::INT.pointer_to(),
                Some(declared) if !declared.is_pointer() && declared.ty() <= target.pointer_int() => declared,
                _ if register.wide => CType::LONG,
                _ => CType::INT,
            };
            let Item::Register { name, .. } = item else { unreachable!("only registers are looked up here") };
            let observed = outcome::register_object(thread, name, ty, file.span(start), &mut out);
            stores[thread as usize].push(FinalStore { reg, global: observed.global, ty: observed.ty });
            observed
        });
        values.insert(item, vec![observed.clone()]);
    }

    let context = Context { file, arch, target, kinds: &kinds, locations: &state.locations, homes: &homes };
    for (number, code) in threads.iter().enumerate() {
        match emit::thread(&context, number, code, &stores[number]) {
            Ok(function) => out.program.functions.push(function),
            Err(more) => findings.extend(more),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let functions: Vec<FuncId> = (0..out.program.functions.len()).map(FuncId::new).collect();
    out.program.entry = FuncId::new(functions.len());
    let threads = Threads { functions: &functions, addresses_as_numbers: false };
    outcome::add_main(file, end, &values, state, &homes, &threads, &mut out)?;
    let observed = outcome::table(end, &values, |name| rank(name, arch));
    Ok((out.program, observed))
}

fn canonical(name: &str, arch: Arch) -> Option<String> {
    match arch {
        Arch::Ppc => ppc::register_name(name),
        _ => x86::register_name(name, arch).map(|(name, _)| name),
    }
}

/// Herd's order of registers.
fn rank(name: &str, arch: Arch) -> u32 {
    let digits =
        || name.bytes().filter(u8::is_ascii_digit).fold(0_u32, |n, b| n.wrapping_mul(10).wrapping_add(b.into()));
    match arch {
        Arch::Ppc => digits(),
        _ => x86::rank(name).unwrap_or_else(|| 100 + digits()),
    }
}

fn unknown_register(file: &File<'_>, arch: Arch, start: u32, name: &str) -> Diagnostic {
    let help = match arch {
        Arch::Ppc => "the registers of PPC are r0 to r31",
        Arch::X86 => "the registers of X86 are EAX, EBX, ECX, EDX, ESI, EDI, EBP and ESP",
        _ => "the registers of X86_64 are RAX, RBX, …, R15 and their lower halves EAX, EBX, …, R15D",
    };
    file.error(start as usize, name.len(), format!("'{name}' is not a register")).help(help)
}

fn no_thread(file: &File<'_>, start: u32, thread: u32, threads: usize) -> Diagnostic {
    let count = if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") };
    let message = format!("there is no thread {thread}");
    file.error(start as usize, 0, message).help(format!("the test has {count}, numbered from 0"))
}

fn initial_registers(
    file: &File<'_>,
    arch: Arch,
    state: &State<'_>,
    threads: &mut [Code<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    let count = threads.len();
    for init in &state.registers {
        let symbol = symbolic_name(init.name.text);
        let name = match canonical(init.name.text, arch) {
            Some(name) => name,
            None if init.symbolic => symbol,
            None => {
                findings.push(unknown_register(file, arch, init.name.start, init.name.text));
                continue;
            }
        };
        let set = |code: &mut Code<'_>, reg: MachineReg| {
            let register = &mut code.registers[reg.index()];
            register.init = init.value;
            register.declared = init.declared.or(register.declared);
        };
        match init.thread.map(|thread| (thread, threads.get_mut(thread as usize))) {
            Some((_, Some(code))) => {
                let reg = code.register(&name);
                set(code, reg);
            }
            Some((thread, None)) => findings.push(no_thread(file, init.name.start, thread, count)),
            None => {
                for code in threads.iter_mut() {
                    if let Some(reg) = code.find(&name) {
                        set(code, reg);
                    }
                }
            }
        }
    }
}

/// The registers that the end of the test mentions, with the place of the mention.
fn registers_looked_at<'e>(
    file: &File<'_>,
    arch: Arch,
    threads: &mut [Code<'_>],
    end: &'e Final,
    findings: &mut Vec<Diagnostic>,
) -> Vec<(&'e Item, u32, MachineReg, u32)> {
    let mut found = Vec::new();
    let mut complained = BTreeSet::new();
    for (item, start) in outcome::looked_at(end) {
        let Item::Register { thread, name } = item else { continue };
        let count = threads.len();
        match (threads.get_mut(*thread as usize), canonical(name, arch)) {
            (None, _) if complained.insert(*thread) => findings.push(no_thread(file, start, *thread, count)),
            (None, _) => {}
            (Some(_), None) => findings.push(unknown_register(file, arch, start, name)),
            (Some(code), Some(canonical)) => found.push((item, *thread, code.register(&canonical), start)),
        }
    }
    found.sort_by_key(|(item, thread, ..)| match item {
        Item::Register { name, .. } => (*thread, rank(name, arch)),
        Item::Location { .. } => (*thread, 0),
    });
    found
}

//! Assembly tests: threads, locations and condition together.

use std::collections::BTreeMap;

use norn_graph::program::{Program, Reg, Width};
use norn_graph::test::Test;
use norn_ir::diag::Diagnostic;
use norn_ir::types::Ty;

use super::code::Code;
use super::ending::{self, Asked, FinalRegister};
use super::{aarch64, riscv, widths};
use crate::condition::{Final, Item};
use crate::header::Header;
use crate::outcome::looked_at;
use crate::state::{State, Value};
use crate::step::symbolic_name;
use crate::token::File;
use crate::{Arch, ppc, x86};

pub(crate) fn test(
    file: &File<'_>,
    header: &Header,
    state: &State<'_>,
    mut threads: Vec<Code<'_>>,
    end: &Final,
) -> Result<Test, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    initial_registers(file, header.arch, state, &mut threads, &mut findings);
    let registers = registers_looked_at(file, header.arch, &mut threads, end, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    // The models of AArch64 and RISC-V say what accesses of several sizes do.
    let divides = matches!(header.arch, Arch::AArch64 | Arch::RiscV);
    let sizes = widths::find(file, state, &threads, divides)?;
    let mut program = Program::default();
    let homes = ending::homes(state, &sizes, &mut program);
    for code in threads {
        let mut thread = code.thread;
        for (info, register) in thread.registers.iter_mut().zip(&code.registers) {
            info.init = ending::number(register.init, &homes, &program);
        }
        program.threads.push(thread);
    }
    let asked = Asked { end, registers: &registers, rank: &rank };
    ending::test(file, header, state, &homes, program, &asked)
}

/// The name under which a register is known, and whether that name means all of it.
fn canonical(name: &str, arch: Arch) -> Option<(String, bool)> {
    match arch {
        Arch::AArch64 => aarch64::register_name(name),
        Arch::Ppc => ppc::register_name(name).map(|name| (name, true)),
        Arch::X86 | Arch::X86_64 => {
            let is_whole = |ty| arch == Arch::X86 || ty == Ty::I64;
            x86::register_name(name, arch).map(|(name, ty)| (name, is_whole(ty)))
        }
        _ => riscv::register_name(name),
    }
}

fn rank(name: &str) -> u32 {
    let digits = name.bytes().filter(u8::is_ascii_digit);
    digits.fold(0, |n: u32, digit| n.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}

fn unknown_register(file: &File<'_>, arch: Arch, start: u32, name: &str) -> Diagnostic {
    let help = match arch {
        Arch::AArch64 => "the registers of AArch64 are X0 to X30 and their lower halves W0 to W30",
        Arch::Ppc => "the registers of PPC are r0 to r31",
        Arch::X86 => "the registers of X86 are EAX, EBX, ECX, EDX, ESI, EDI, EBP and ESP",
        Arch::X86_64 => "the registers of X86_64 are RAX, RBX, …, R15 and their lower halves EAX, EBX, …, R15D",
        _ => "the registers of RISC-V are x0 to x31, also by their names in calls such as a0",
    };
    file.error(start as usize, name.len(), format!("'{name}' is not a register")).help(help)
}

fn no_thread(file: &File<'_>, start: u32, thread: u32, threads: usize) -> Diagnostic {
    let help = format!("the number of threads is {threads}; they are numbered from 0");
    file.error(start as usize, 0, format!("there is no thread {thread}")).help(help)
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
        let (name, is_wide) = match canonical(init.name.text, arch) {
            Some(known) => known,
            None if init.symbolic => (symbolic_name(init.name.text), true),
            None => {
                findings.push(unknown_register(file, arch, init.name.start, init.name.text));
                continue;
            }
        };
        let set = |code: &mut Code<'_>, reg: Reg| {
            let register = &mut code.registers[reg.index()];
            register.init = match init.value {
                Value::Number(n) if !is_wide || arch == Arch::X86 => {
                    Value::Number(Width::W32.truncate(n as u64) as i64)
                }
                value => value,
            };
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

/// The registers that the end of the test mentions.
fn registers_looked_at<'e>(
    file: &File<'_>,
    arch: Arch,
    threads: &mut [Code<'_>],
    end: &'e Final,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<&'e Item, FinalRegister> {
    let count = threads.len();
    let mut found = BTreeMap::new();
    for (item, start) in looked_at(end) {
        let Item::Register { thread, name } = item else { continue };
        match (threads.get_mut(*thread as usize), canonical(name, arch)) {
            (None, _) => findings.push(no_thread(file, start, *thread, count)),
            (Some(_), None) => findings.push(unknown_register(file, arch, start, name)),
            (Some(code), Some((name, is_whole))) => {
                let reg = code.register(&name);
                let register = code.registers[reg.index()];
                let holds_address = matches!(register.init, Value::Address(..));
                let width = match register.declared {
                    _ if !is_whole => Width::W32,
                    _ if register.is_wide || holds_address => Width::W64,
                    Some(declared) => widths::of_type(declared),
                    None => Width::W32,
                };
                let signed = register.declared.is_none_or(crate::ctype::CType::is_signed);
                found.insert(item, FinalRegister { reg, width, signed });
            }
        }
    }
    found
}

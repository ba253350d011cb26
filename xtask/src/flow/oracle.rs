//! What programs do, by a C compiler: a whole batch of them becomes one executable that runs each with many inputs.

use super::print::{self, For};
use super::tree::{Program, kept, shape_of};
use norn_ir::number::narrow;
use norn_testing::Random;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// One run of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub inputs: Vec<i64>,
    /// It came to its end; an assumption stopped it otherwise.
    pub ended: bool,
    /// The probes it passed, one bit each.
    pub probes: u32,
    /// What was observed at the end.
    pub values: Vec<i64>,
}

/// Most runs of a program with wide inputs.
const RUNS: usize = 400;

/// All inputs if they are few, else random ones and those at edges.
pub fn inputs(program: &Program, random: &mut Random) -> Vec<Vec<i64>> {
    if let Some(all) = program.all_inputs() {
        return all;
    }
    let constants = program.constants();
    let mut all = (0..RUNS)
        .map(|_| program.inputs.iter().map(|input| edge(input.ctype, &constants, random)).collect::<Vec<_>>())
        .collect::<Vec<_>>();
    all.sort_unstable();
    all.dedup();
    all
}

/// A value of the type: beside a constant, a power of two, an end of the type, or any.
fn edge(ctype: &str, constants: &[i64], random: &mut Random) -> i64 {
    let (bits, _) = shape_of(ctype);
    let value = match random.below(8) {
        0..=3 if !constants.is_empty() => {
            let beside = random.below(3) as i64 - 1;
            let constant = constants[random.index(constants.len())].wrapping_add(beside);
            // The same as a narrower type sees it, or another way round.
            match random.below(5) {
                0 => constant.wrapping_add(1 << [8, 16, 32][random.index(3)]),
                1 => constant.wrapping_neg(),
                _ => constant,
            }
        }
        4 => random.below(9) as i64 - 2,
        5 => (1_i64 << random.below(u64::from(bits))).wrapping_add(random.below(3) as i64 - 1),
        6 => (random.number() & 0xffff) as i64,
        _ => random.number() as i64,
    };
    kept(ctype, value)
}

/// Runs each program with its inputs. The folder is for the files that this needs.
pub fn run(programs: &[&Program], inputs: &[Vec<Vec<i64>>], folder: &Path) -> Result<Vec<Vec<Run>>, String> {
    let (source, binary, table) = (folder.join("batch.c"), folder.join("batch.exe"), folder.join("batch.txt"));
    let cannot = |what: &Path, e: std::io::Error| format!("cannot use {}: {e}", what.display());
    fs::write(&source, text(programs)).map_err(|e| cannot(&source, e))?;
    let mut lines = String::new();
    for (number, all) in inputs.iter().enumerate() {
        for values in all {
            let _ = write!(lines, "{number}");
            (0..3).for_each(|i| {
                let _ = write!(lines, " {}", values.get(i).copied().unwrap_or(0));
            });
            lines.push('\n');
        }
    }
    fs::write(&table, lines).map_err(|e| cannot(&table, e))?;
    let mut cc = Command::new("cc");
    cc.args(["-O0", "-w", "-fwrapv"]).arg(&source).arg("-o").arg(&binary);
    let built = cc.output().map_err(|e| format!("cannot run cc: {e}"))?;
    if !built.status.success() {
        let why = String::from_utf8_lossy(&built.stderr);
        return Err(format!("cc refuses {}: {}", source.display(), why.trim()));
    }
    let stdin = fs::File::open(&table).map_err(|e| cannot(&table, e))?;
    let ran = Command::new(&binary).stdin(stdin).stderr(Stdio::inherit()).output().map_err(|e| cannot(&binary, e))?;
    if !ran.status.success() {
        return Err(format!("{} failed: {}", binary.display(), ran.status));
    }
    let printed = String::from_utf8_lossy(&ran.stdout);
    let mut lines = printed.lines();
    let mut all = Vec::new();
    for table in inputs {
        let mut runs = Vec::new();
        for values in table {
            let numbers = lines.next().unwrap_or("").split(' ').map(str::parse::<i64>);
            let numbers = numbers.collect::<Result<Vec<_>, _>>().map_err(|_| "a run has no result".to_owned())?;
            let [ended, probes, rest @ ..] = &numbers[..] else { return Err("a run has no result".to_owned()) };
            let (ended, probes) = (*ended == 1, narrow(*probes));
            runs.push(Run { inputs: values.clone(), ended, probes, values: rest.to_vec() });
        }
        all.push(runs);
    }
    Ok(all)
}

fn text(programs: &[&Program]) -> String {
    let mut text = "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf stop;\n".to_owned();
    for (number, program) in programs.iter().enumerate() {
        let one = declarations_and_run(program).replace('@', &format!("p{number}_"));
        text += &one;
    }
    text += "int main(void) {\n  int p;\n  long v[3];\n  while (scanf(\"%d %ld %ld %ld\", &p, v, v + 1, v + 2) == 4) {\n    switch (p) {\n";
    for number in 0..programs.len() {
        let _ = writeln!(text, "    case {number}: p{number}_run(v); break;");
    }
    text + "    }\n  }\n  return 0;\n}\n"
}

fn declarations_and_run(program: &Program) -> String {
    let mut text = "static unsigned @probes;\nstatic long @result;\n".to_owned();
    text += &print::declarations(program, For::Compiler);
    text += "static void @run(const long *v) {\n  volatile int ended = 0;\n  @probes = 0;\n  @result = 0;\n";
    text += &print::reset(program);
    for (number, input) in program.inputs.iter().enumerate() {
        let _ = writeln!(text, "  @in{number} = v[{number}];");
        if input.late {
            let _ = writeln!(text, "  @read{number} = 0;");
        }
    }
    let last = program.functions.len() - 1;
    let _ = writeln!(text, "  if (setjmp(stop) == 0) {{ @result = @f{last}(); ended = 1; }}");
    text += "  printf(\"%d %u\", ended, @probes);\n";
    for value in print::observed(program) {
        let _ = writeln!(text, "  printf(\" %ld\", (long){value});");
    }
    text + "  puts(\"\");\n}\n"
}

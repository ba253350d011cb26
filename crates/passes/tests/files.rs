//! Runs each pass over the programs in its folder (`tests/<pass>/*.ir`) and compares with the text beside each
//! (`*.expected`).
//!
//! A line `// bounds: 2, library 3, a.c:5=1` in a program sets the bounds of `unwind` and `threads`.

use std::fmt::Write;

use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{InstrKind, Operand};
use norn_ir::parse::parse;
use norn_ir::program::Program;
use norn_ir::types::Ty;
use norn_ir::validate::validate;
use norn_passes::Site;
use norn_passes::call_graph::call_graph;
use norn_passes::escape::mark_private;
use norn_passes::loops::loops;
use norn_passes::points_to::{Object, PointsTo, Targets};
use norn_passes::spin::{SpinLoop, spin};
use norn_passes::threads::thread_instances;
use norn_passes::unwind::{BoundAt, Bounds, CutCause, unwind};
use norn_testing::golden;

#[test]
fn points_to() {
    check_folder("points_to", |_, program| show_points_to(&program));
}

#[test]
fn escape() {
    check_folder("escape", |_, mut program| {
        let report = mark_private(&mut program);
        assert_eq!(validate(&program), Ok(()));
        format!("// {report:?}\n{program}")
    });
}

#[test]
fn loop_forests() {
    check_folder("loops", |_, program| show_loops(&program));
}

#[test]
fn unwinding() {
    check_folder("unwind", |text, program| match unwind(&program, &bounds(text)) {
        Ok(bounded) => {
            assert_eq!(validate(&bounded.program), Ok(()));
            let mut out = bounded.program.to_string();
            for cut in &bounded.cuts {
                let what = match cut.cause {
                    CutCause::Loop(function, id) => format!("loop {} of {function}", id.0),
                    CutCause::Recursion(function) => format!("recursion of {function}"),
                };
                let line = cut.span.line;
                writeln!(out, "// cut {} {}: {what} at line {line}, bound {}", cut.function, cut.block, cut.bound)
                    .unwrap();
            }
            for &root in &bounded.roots {
                for id in bounded.program.function(root).block_ids() {
                    let origin = bounded.origins.block(root, id);
                    let function = bounded.origins.context(origin.context).function;
                    let (block, rounds) = (origin.block, bounded.origins.iterations(origin.iterations));
                    let index = |index| bounded.origins.site(Site::new(root, id, index)).index;
                    let count = bounded.program.function(root).block(id).instrs.len();
                    let indices: Vec<u32> = (0..=count).map(index).collect();
                    writeln!(out, "// {root} {id} from {function} {block} in {rounds:?}: {indices:?}").unwrap();
                }
            }
            out
        }
        Err(error) => format!("// {error}\n"),
    });
}

#[test]
fn spin_loops() {
    check_folder("spin", |_, program| {
        let mut out = String::new();
        for awaits in [true, false] {
            let spun = spin(&program, awaits);
            assert_eq!(validate(&spun.program), Ok(()));
            if awaits {
                out += &spun.program.to_string();
            }
            for SpinLoop { function, header, span, form } in spun.loops {
                let name = &program.function(function).name;
                writeln!(out, "// awaits {awaits}: {form:?} {name} {header} at line {}", span.line).unwrap();
            }
        }
        out
    });
}

#[test]
fn threads() {
    check_folder("threads", |text, program| {
        let bounded = unwind(&program, &bounds(text)).expect("should not be too large");
        let points_to = PointsTo::new(&bounded.program);
        match thread_instances(&bounded.program, &points_to, 10) {
            Ok(instances) => instances.iter().enumerate().fold(String::new(), |mut out, (id, instance)| {
                let name = &bounded.program.function(instance.start).name;
                match instance.creator {
                    Some((creator, site)) => {
                        writeln!(out, "{id}: {name}, by thread {} at {} {}", creator.0, site.block, site.index)
                            .unwrap();
                    }
                    None => writeln!(out, "{id}: {name}").unwrap(),
                }
                out
            }),
            Err(error) => format!("{error}\n"),
        }
    });
}

fn check_folder(folder: &str, run: impl Fn(&str, Program) -> String) {
    let inputs = golden::inputs(&format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR")), "ir");
    golden::check(inputs.map(|(input, text)| {
        let program = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", input.display()));
        if let Err(findings) = validate(&program) {
            panic!("{}: {}", input.display(), findings[0]);
        }
        (input.with_extension("expected"), run(&text, program))
    }));
}

fn bounds(text: &str) -> Bounds {
    let mut bounds = Bounds::default();
    let line = text.lines().find_map(|line| line.strip_prefix("// bounds: ")).unwrap_or("1");
    for part in line.split(", ") {
        if let Some(bound) = part.strip_prefix("library ") {
            bounds.library = bound.parse().unwrap();
        } else if let Some((place, bound)) = part.split_once('=') {
            let (file, line) = place.split_once(':').unwrap();
            let (line, bound) = (line.parse().unwrap(), bound.parse().unwrap());
            bounds.at.push(BoundAt { file: file.into(), line, bound });
        } else {
            bounds.default = part.parse().unwrap();
        }
    }
    bounds
}

fn show_points_to(program: &Program) -> String {
    let points_to = PointsTo::new(program);
    let mut out = String::new();
    let contents = |out: &mut String, object: Object| {
        let targets = points_to.contents(object);
        if targets != Targets::default() {
            writeln!(out, "  {} holds {}", show_object(object), show_targets(&targets)).unwrap();
        }
    };
    writeln!(out, "globals").unwrap();
    for g in 0..program.globals.len() {
        contents(&mut out, Object::Global(norn_ir::ids::GlobalId::new(g)));
    }
    let graph = call_graph(program, &points_to);
    for (f, function) in program.functions.iter().enumerate() {
        let id = FuncId::new(f);
        let reached = if points_to.reaches(id) { "" } else { " (not reached)" };
        let recursive = if graph.is_recursive(id) { " (recursive)" } else { "" };
        writeln!(out, "{id} {}{reached}{recursive}", function.name).unwrap();
        for (r, register) in function.registers.iter().enumerate() {
            let targets = points_to.targets(id, Operand::Reg(Reg::new(r)));
            if targets != Targets::default() && register.ty != Ty::Bool {
                writeln!(out, "  r{r} -> {}", show_targets(&targets)).unwrap();
            }
        }
        for l in 0..function.locals.len() {
            contents(&mut out, Object::Local(id, LocalId::new(l)));
        }
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instr) in block.instrs.iter().enumerate() {
                let site = Site::new(id, BlockId::new(b), i);
                match &instr.kind {
                    InstrKind::Alloc { .. } => contents(&mut out, Object::Alloc(site)),
                    InstrKind::Call { .. } => {
                        writeln!(out, "  b{b} {i} calls {:?}", points_to.callees(site)).unwrap();
                    }
                    InstrKind::Spawn { .. } => {
                        writeln!(out, "  b{b} {i} starts {:?}", points_to.spawned(site)).unwrap();
                    }
                    _ => {}
                }
            }
        }
    }
    out
}

fn show_targets(targets: &Targets) -> String {
    let mut names: Vec<String> = targets.objects.iter().map(|&object| show_object(object)).collect();
    names.extend(targets.number.then(|| "number".to_owned()));
    names.join(", ")
}

fn show_object(object: Object) -> String {
    match object {
        Object::Function(id) => id.to_string(),
        Object::Global(id) => id.to_string(),
        Object::Local(function, id) => format!("{function}.{id}"),
        Object::Alloc(site) => format!("alloc@{}.{}.{}", site.function, site.block, site.index),
    }
}

fn show_loops(program: &Program) -> String {
    let mut out = String::new();
    for function in &program.functions {
        writeln!(out, "{}", function.name).unwrap();
        let forest = loops(function);
        for (index, l) in forest.loops.iter().enumerate() {
            let indent = "  ".repeat(l.depth as usize);
            let place = format!("{}:{}", program.file(l.span.file), l.span.line);
            let kind = if l.reducible { "" } else { ", irreducible" };
            let (header, latches, blocks) = (l.header, &l.latches, &l.blocks);
            writeln!(out, "{indent}loop {index} at {place}: {header} from {latches:?}, {blocks:?}{kind}").unwrap();
        }
    }
    out
}

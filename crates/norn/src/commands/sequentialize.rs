//! `norn sequentialize`: the program as a sequential C program.

use crate::args::{Reader, SequentialBounds, SequentializeArgs, SmaChoice, Unwind};
use crate::asking::given_bounds;
use crate::commands::choices;
use crate::exit::Exit;
use crate::frontend;
use crate::frontend::Decisions;
use crate::input;
use crate::loops;
use crate::output;
use crate::watch::{self, LastWords};
use norn_emit::{Options, Refusal, Sequential, Sma, Tool};
use norn_engine::Prepared;
use norn_ir::program::Program;
use norn_ir::source::SourceMap;
use norn_verdict::model::Model;
use std::path::Path;

/// The bound on loops unless given.
const DEFAULT_UNWIND: u32 = 2;

pub fn run(args: &SequentializeArgs) -> Exit {
    watch::limit(args.limits.timeout, args.limits.memory());
    watch::last_words(|exceeded| LastWords {
        error: format!("norn: there is no sequential program: {}\n", exceeded.reason()),
        ..LastWords::default()
    });
    norn_c::driver::with_stack(|| sequentialize(args))
}

fn sequentialize(args: &SequentializeArgs) -> Exit {
    let program = match program(args) {
        Ok(program) => program,
        Err(exit) => return exit,
    };
    if let Err(message) = loops::check_bounds(&program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    if args.choices_out.is_some() && args.reader != Reader::Cc {
        return output::fail("--choices-out: only a program that runs (--for cc) reads choices", Exit::Usage);
    }
    let output = args.output.as_ref().map_or("sequential.c".to_owned(), |path| path.display().to_string());
    let sequential = match translate(&program, args.model, &args.unwind, &args.bounds, args.reader, output) {
        Ok(sequential) => sequential,
        Err(refusal) => return fail(&program, &refusal),
    };
    let written = match &args.output {
        None => output::print_by(|out| sequential.write_to(out)),
        Some(path) => output::write_by(path, |out| sequential.write_to(out)),
    };
    let exit = match &args.choices_out {
        Some(path) if written == Exit::Fine => choices::write(&program, args, path),
        _ => written,
    };
    // The process ends: nobody has to wait until so many pieces of memory are given back.
    std::mem::forget(program);
    exit
}

/// The bound on loops that holds where no other is given.
pub fn default_unwind(unwind: &[Unwind]) -> u32 {
    let given = unwind.iter().rev().find_map(|bound| match bound {
        Unwind::Default(bound) => Some(*bound),
        Unwind::At { .. } => None,
    });
    given.unwrap_or(DEFAULT_UNWIND)
}

/// The sequential program.
pub fn translate(
    program: &Program,
    model: Model,
    unwind: &[Unwind],
    bounds: &SequentialBounds,
    reader: Reader,
    output: String,
) -> Result<Sequential, Refusal> {
    let with_default;
    let unwind = match unwind.iter().any(|bound| matches!(bound, Unwind::Default(_))) {
        true => unwind,
        false => {
            with_default = [&[Unwind::Default(DEFAULT_UNWIND)], unwind].concat();
            &with_default
        }
    };
    let options = Options {
        model,
        sma: match bounds.sma {
            SmaChoice::List => Sma::List,
            SmaChoice::Buffer => Sma::Buffer,
        },
        tool: match reader {
            Reader::Cbmc => Tool::Cbmc,
            Reader::Esbmc => Tool::Esbmc,
            Reader::Svcomp => Tool::Svcomp,
            Reader::Norn => Tool::Norn,
            Reader::Cc => Tool::Cc,
        },
        rounds: bounds.rounds,
        timestamps: bounds.timestamps,
        nodes: bounds.nodes,
        locations: bounds.locations,
        mallocs: bounds.mallocs,
        bits: bounds.bits,
        output,
        source: program.files.first().cloned().unwrap_or_default(),
    };
    norn_emit::sequentialize(program, &given_bounds(unwind).or_usual(), &options)
}

/// Says why there is no sequential program, and where.
pub fn fail(program: &Program, refusal: &Refusal) -> Exit {
    let Refusal { message, span } = refusal;
    let place =
        span.map_or(String::new(), |span| format!("{}:{}:{}: ", program.file(span.file), span.line, span.column));
    output::fail(&format!("{place}this cannot be translated into a sequential program: {message}"), Exit::Unknown)
}

fn program(args: &SequentializeArgs) -> Result<Prepared, Exit> {
    match args.c.files.as_slice() {
        [path] if path.extension().is_some_and(|extension| extension == "litmus") => litmus(path),
        _ => frontend::compile(&args.c, Decisions::Unmarked).map(|compiled| compiled.program).map_err(Exit::from),
    }
}

fn litmus(path: &Path) -> Result<Prepared, Exit> {
    let shown = path.display().to_string();
    let cannot = |error| output::fail(&format!("cannot read '{shown}': {error}"), Exit::BadInput);
    let text = input::read_litmus(path).map_err(cannot)?;
    let mut sources = SourceMap::new();
    match norn_litmus::parse(&mut sources, &shown, text) {
        Ok(test) => Ok(Prepared::new(test.program)),
        Err(diagnostics) => {
            output::show(&diagnostics, &sources);
            Err(Exit::BadInput)
        }
    }
}

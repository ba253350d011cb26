//! C files, and the programs that they are with other texts in place of some.

use norn_c::ast::TranslationUnit;
use norn_c::driver::project::{Project, compile_project};
use norn_c::driver::{self, Compiled, Input, with_stack};
use norn_c::session::{Options, Session, Target};
use norn_c::{parse, pp};
use norn_engine::Prepared;
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceId, SourceMap};
use norn_ir::span::Span;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Texts by the names of the files in whose place they stand.
pub type Texts = BTreeMap<PathBuf, Arc<str>>;

/// What a program is made of.
#[derive(Clone, Debug)]
pub enum Inputs {
    Files(Vec<Input>),
    Project(Project),
}

/// A program as it was given: files and options.
#[derive(Clone, Debug)]
pub struct Code {
    pub options: Options,
    pub target: Option<Target>,
    pub inputs: Inputs,
}

/// A program with the texts that it was read from.
pub struct Read {
    pub program: Program,
    pub sources: SourceMap,
}

impl Code {
    /// Reads the program; its private objects are marked. `None` if it is not C.
    pub fn read(&self, texts: &Texts) -> Option<Read> {
        let options = Options { texts: texts.clone(), ..self.options.clone() };
        let Compiled { program, sources, .. } = match &self.inputs {
            Inputs::Files(inputs) => driver::compile(options, self.target, inputs.clone()),
            Inputs::Project(project) => compile_project(options, self.target, project.clone()),
        };
        Some(Read { program: Program::clone(&Prepared::new(program?)), sources })
    }

    /// Looks at the syntax tree of each file, with the texts.
    pub fn for_each_tree(&self, mut look: impl FnMut(&TranslationUnit, &SourceMap) + Send) {
        let inputs = match &self.inputs {
            Inputs::Files(inputs) => inputs.clone(),
            Inputs::Project(project) => project.given.iter().chain(&project.others).cloned().collect(),
        };
        with_stack(|| {
            let mut session = Session::new(self.options.clone());
            session.options.target = self.target.unwrap_or_default();
            for input in inputs {
                let tokens = match input {
                    Input::File(path) => pp::preprocess_file(&mut session, &path),
                    Input::Text { name, text } => pp::preprocess_text(&mut session, &name, text, false),
                    Input::Configured { path, mut options } => {
                        session.options.swap(&mut options);
                        let tokens = pp::preprocess_file(&mut session, &path);
                        session.options.swap(&mut options);
                        tokens
                    }
                };
                if let Some(tokens) = tokens {
                    let tree = parse::parse(&mut session, &tokens);
                    look(&tree, &session.sources);
                }
            }
        });
    }
}

/// The texts of this name: a header has one for each file that includes it.
pub fn sources_named(sources: &SourceMap, name: &str) -> Vec<SourceId> {
    let count = sources.source_of(Loc(u32::MAX)).map_or(0, |last| last.index() + 1);
    (0..count).map(SourceId::new).filter(|&id| sources.name(id) == name).collect()
}

/// Takes places out of a program: programs that differ in nothing else are the same.
pub fn forget_places(program: &mut Program) {
    program.files.clear();
    for global in &mut program.globals {
        global.span = Span::NONE;
    }
    for function in &mut program.functions {
        function.span = Span::NONE;
        function.locals.iter_mut().for_each(|local| local.span = Span::NONE);
        for block in &mut function.blocks {
            block.terminator.span = Span::NONE;
            block.instrs.iter_mut().for_each(|instr| instr.span = Span::NONE);
        }
    }
}

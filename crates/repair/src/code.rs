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
use norn_passes::loops::loops;
use norn_passes::tidy::tidy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Texts by the names of the files in whose place they stand.
pub type Texts = BTreeMap<PathBuf, Arc<str>>;

/// A file larger than this is no text that anybody would edit by hand.
const MAX_FILE_BYTES: u64 = 64 << 20;

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
    /// Reads the program, with other texts than it was given; its private objects are marked. `None` if it is not C.
    pub fn read(&self, texts: &Texts) -> Option<Read> {
        let mut options = self.options.clone();
        options.texts.extend(texts.clone());
        let Compiled { program, sources, .. } = match &self.inputs {
            Inputs::Files(inputs) => driver::compile(options, self.target, inputs.clone()),
            Inputs::Project(project) => compile_project(options, self.target, project.clone()),
        };
        Some(Read { program: Program::clone(&Prepared::new(program?)), sources })
    }

    /// The text of a file. What is not UTF-8, or begins with a mark of it, has no places to count in.
    pub fn text_of(&self, file: &Path) -> Option<Arc<str>> {
        if let Some(text) = self.options.texts.get(file) {
            return Some(text.clone());
        }
        let bytes = norn_ir::read::read(file, MAX_FILE_BYTES).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.starts_with('\u{FEFF}'))?;
        Some(text.into())
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

/// All texts that were read.
pub fn all_sources(sources: &SourceMap) -> impl Iterator<Item = SourceId> + use<> {
    let count = sources.source_of(Loc(u32::MAX)).map_or(0, |last| last.index() + 1);
    (0..count).map(SourceId::new)
}

/// The texts of this name: a header has one for each file that includes it.
pub fn sources_named(sources: &SourceMap, name: &str) -> Vec<SourceId> {
    all_sources(sources).filter(|&id| sources.name(id) == name).collect()
}

/// A program as it is compared with others: without places, and without blocks in which nothing is left.
pub fn comparable(mut program: Program) -> Program {
    forget_places(&mut program);
    for function in &mut program.functions {
        let mut heads = vec![false; function.blocks.len()];
        loops(function).loops.iter().for_each(|cycle| heads[cycle.header.index()] = true);
        tidy(function, &mut heads);
    }
    program
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

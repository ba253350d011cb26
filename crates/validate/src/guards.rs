//! Which lines of the program the places of a witness are.
//!
//! A witness names the line where a statement begins, or where a call ends; the machine knows the line of each operation. They
//! are the same place if the lines are the same, or belong to one statement and nothing happens at the line that the witness names.

use norn_ir::ids::{FileId, FuncId};
use norn_ir::instr::{Callee, InstrKind, TerminatorKind};
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;
use norn_witness::automaton::{Automaton, Edge, Place, What};
use norn_witness::text::{Line, Texts};
use std::collections::{BTreeMap, BTreeSet};

pub struct Guards<'a> {
    pub program: &'a Program,
    pub texts: &'a Texts,
    pub automaton: &'a Automaton,
    /// Lines at which something happens.
    code: BTreeSet<Line>,
    /// By line, the edges whose places it is.
    edges: BTreeMap<(FileId, u32), Vec<usize>>,
    /// Edges that may be taken anywhere.
    anywhere: Vec<usize>,
    /// Lines on which the text tells which way a decision went.
    plain_decisions: BTreeSet<(FileId, u32)>,
    /// Functions of the library that create threads.
    creators: BTreeSet<FuncId>,
}

/// What something was that a thread came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Came<'a> {
    To,
    Decided(bool),
    Called,
    Returned,
    Entered(&'a str),
    Left(&'a str),
    Created,
}

impl<'a> Guards<'a> {
    pub fn new(program: &'a Program, texts: &'a Texts, automaton: &'a Automaton) -> Guards<'a> {
        let mut guards = Guards {
            program,
            texts,
            automaton,
            code: BTreeSet::new(),
            edges: BTreeMap::new(),
            anywhere: Vec::new(),
            plain_decisions: BTreeSet::new(),
            creators: creators(program),
        };
        if automaton.edges.is_empty() && automaton.ends.is_empty() {
            return guards;
        }
        let spans = program.functions.iter().filter(|f| f.origin == Origin::User).flat_map(spans_of);
        let spans = spans.map(|span| (span.file, span.line)).collect::<BTreeSet<_>>();
        guards.code = spans.iter().filter_map(|key| texts.lines.get(key).copied()).collect();
        for (index, edge) in automaton.edges.iter().enumerate() {
            if edge.guard.place.is_none() {
                guards.anywhere.push(index);
            }
        }
        for &(file, line) in &spans {
            let span = Span { file, line, column: 1 };
            let is_at = |edge: &Edge| {
                edge.guard.place.as_ref().is_some_and(|place| guards.is_at(place, span, &edge.guard.what))
            };
            let at = automaton.edges.iter().enumerate().filter(|(_, edge)| is_at(edge)).map(|(index, _)| index);
            let at = at.collect::<Vec<_>>();
            let is_plain = texts.line(span).is_some_and(|line| is_plain(texts.text(line)));
            if is_plain {
                guards.plain_decisions.insert((file, line));
            }
            if !at.is_empty() {
                guards.edges.insert((file, line), at);
            }
        }
        guards
    }

    /// The edges that may be taken by what a thread came to at a place.
    pub fn edges(&self, span: Span, came: Came<'_>) -> Vec<usize> {
        let here = self.edges.get(&(span.file, span.line)).map(Vec::as_slice).unwrap_or_default();
        let fits = |&&index: &&usize| self.fits(&self.automaton.edges[index].guard.what, span, came);
        here.iter().chain(&self.anywhere).filter(fits).copied().collect()
    }

    fn fits(&self, what: &What, span: Span, came: Came<'_>) -> bool {
        match (what, came) {
            (What::Reaches, Came::To) | (What::Calls, Came::Called | Came::Created) => true,
            (What::Returns, Came::Returned) | (What::Creates(_), Came::Created) => true,
            (What::Decides(wanted), Came::Decided(way)) => {
                let is_told = self.plain_decisions.contains(&(span.file, span.line));
                !is_told || wanted.is_none_or(|wanted| wanted == way)
            }
            (What::Enters(name), Came::Entered(function)) | (What::Leaves(name), Came::Left(function)) => {
                name == function
            }
            // What is no function of the program is told by its place.
            (What::Enters(name) | What::Leaves(name), Came::To) => !self.is_function(name),
            _ => false,
        }
    }

    fn is_function(&self, name: &str) -> bool {
        self.program.function_named(name).is_some()
    }

    /// Whether an edge can be taken at any time: it asks for nothing.
    pub fn is_free(&self, edge: &Edge) -> bool {
        match &edge.guard.what {
            What::Nothing => true,
            What::Enters(name) | What::Leaves(name) => edge.guard.place.is_none() && !self.is_function(name),
            _ => false,
        }
    }

    pub fn creates(&self, function: FuncId) -> bool {
        self.creators.contains(&function)
    }

    /// Whether a place of the witness is this one.
    pub fn is_at(&self, place: &Place, span: Span, what: &What) -> bool {
        let presumed = self.program.file(span.file);
        let Some(line) = self.texts.line(span) else { return false };
        let named = place.file.as_deref().map(base);
        let is_known = |name: &str| self.texts.files.iter().any(|file| base(&file.name) == name);
        let is_file = match named {
            None => true,
            Some(name) if is_known(name) => base(self.texts.name(line)) == name,
            // As line markers have it.
            Some(name) if base(presumed) == name => return span.line == place.line,
            Some(_) => true,
        };
        if !is_file {
            return false;
        }
        let wanted = Line { file: line.file, number: place.line };
        // A call is named by where it ends, or where it begins.
        let is_of_calls =
            matches!(what, What::Calls | What::Returns | What::Creates(_) | What::Enters(_) | What::Leaves(_));
        line == wanted || (is_of_calls || !self.code.contains(&wanted)) && self.texts.is_one_statement(line, wanted)
    }
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn spans_of(function: &Function) -> impl Iterator<Item = Span> + '_ {
    let blocks = function.blocks.iter();
    blocks.flat_map(|block| block.instrs.iter().map(|instr| instr.span).chain([block.terminator.span]))
}

/// Whether a condition on the line is lowered as it stands: neither composed nor negated.
fn is_plain(text: &str) -> bool {
    let text = text.replace("!=", "");
    !text.contains(['!', '?', ',']) && !["&&", "||", "== 0", "==0"].iter().any(|sign| text.contains(sign))
}

fn creators(program: &Program) -> BTreeSet<FuncId> {
    let is_creator = |function: &Function| {
        function.origin == Origin::Library
            && function.blocks.iter().flat_map(|block| &block.instrs).any(|i| matches!(i.kind, InstrKind::Spawn { .. }))
    };
    let found = program.functions.iter().enumerate().filter(|(_, function)| is_creator(function));
    found.map(|(index, _)| FuncId::new(index)).collect()
}

/// Which function a call calls, if it says so.
pub fn callee(kind: &InstrKind) -> Option<FuncId> {
    match kind {
        InstrKind::Call { callee: Callee::Direct(function), .. } => Some(*function),
        _ => None,
    }
}

pub fn is_return(kind: &TerminatorKind) -> bool {
    matches!(kind, TerminatorKind::Return(_) | TerminatorKind::ThreadExit(_))
}

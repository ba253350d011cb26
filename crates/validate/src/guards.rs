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
    /// Lines in whose statements a call, or a decision, is seen. What is folded, or built in, is not.
    calls: BTreeSet<(FileId, u32)>,
    decisions: BTreeSet<(FileId, u32)>,
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
            calls: BTreeSet::new(),
            decisions: BTreeSet::new(),
            creators: creators(program),
        };
        if automaton.edges.is_empty() && automaton.ends.is_empty() {
            return guards;
        }
        let spans = program.functions.iter().filter(|f| f.origin == Origin::User).flat_map(spans_of);
        let spans = spans.map(|span| (span.file, span.line)).collect::<BTreeSet<_>>();
        guards.code = spans.iter().filter_map(|key| texts.lines.get(key).copied()).collect();
        for (index, edge) in automaton.edges.iter().enumerate() {
            if edge.guard.place.is_none() || guards.is_about_function(&edge.guard.what) {
                guards.anywhere.push(index);
            }
        }
        let users = || program.functions.iter().filter(|f| f.origin == Origin::User).flat_map(|f| &f.blocks);
        let called =
            users().flat_map(|block| &block.instrs).filter(|instr| is_call(&instr.kind)).map(|instr| instr.span);
        let decided = users().map(|block| &block.terminator).filter(|terminator| is_decision(&terminator.kind));
        let (called, decided) = (called.collect::<Vec<_>>(), decided.map(|end| end.span).collect::<Vec<_>>());
        for &(file, line) in &spans {
            let span = Span { file, line, column: 1 };
            let is_together = |other: &Span| match (texts.line(span), texts.line(*other)) {
                (Some(one), Some(other)) => texts.is_one_statement(one, other),
                _ => false,
            };
            if called.iter().any(is_together) {
                guards.calls.insert((file, line));
            }
            if decided.iter().any(is_together) {
                guards.decisions.insert((file, line));
            }
            let is_at = |edge: &Edge| {
                let Edge { guard, .. } = edge;
                !guards.is_about_function(&guard.what)
                    && guard.place.as_ref().is_some_and(|place| guards.is_at(place, span, &guard.what))
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
            // What is no function of the program, what is built in and what is folded is told by its place.
            (What::Enters(name) | What::Leaves(name), Came::To) => !self.is_function(name),
            (What::Calls | What::Returns, Came::To) => !self.calls.contains(&(span.file, span.line)),
            (What::Decides(_), Came::To) => !self.decisions.contains(&(span.file, span.line)),
            _ => false,
        }
    }

    fn is_function(&self, name: &str) -> bool {
        self.program.function_named(name).is_some()
    }

    /// Whether the name of a function of the program tells all.
    fn is_about_function(&self, what: &What) -> bool {
        matches!(what, What::Enters(name) | What::Leaves(name) if self.is_function(name))
    }

    /// Whether an edge can be taken at any time: it asks for nothing, or for what cannot be seen, since nothing happens there.
    pub fn is_free(&self, edge: &Edge) -> bool {
        match (&edge.guard.what, &edge.guard.place) {
            (What::Nothing, _) => true,
            (what, _) if self.is_about_function(what) => false,
            (What::Enters(_) | What::Leaves(_), None) => true,
            (_, None) => false,
            (_, Some(place)) => self.is_unseen(place),
        }
    }

    /// Whether something stands at a place, but nothing of it is seen: a declaration, a brace.
    fn is_unseen(&self, place: &Place) -> bool {
        let named = place.file.as_deref().map(base);
        let files = self.texts.files.iter().enumerate();
        let files = files.filter(|(_, file)| named.is_none_or(|name| base(&file.name) == name)).map(|(index, _)| index);
        let lines = files.map(|file| Line { file, number: place.line }).collect::<Vec<_>>();
        let is_something = |line: &&Line| !self.texts.text(**line).trim().is_empty();
        let is_seen = |line: &Line| self.code.iter().any(|code| self.texts.is_one_statement(*code, *line));
        lines.iter().any(|line| is_something(&line)) && !lines.iter().any(is_seen)
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

/// Whether an instruction is a call in the source, as far as that is seen.
fn is_call(kind: &InstrKind) -> bool {
    use norn_ir::instr::Property;
    matches!(
        kind,
        InstrKind::Call { .. } | InstrKind::Nondet { .. } | InstrKind::Assert { property: Property::ErrorCall, .. }
    )
}

fn is_decision(kind: &TerminatorKind) -> bool {
    matches!(kind, TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. })
}

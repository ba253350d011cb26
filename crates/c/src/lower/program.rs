//! The program as it grows: which functions and objects it needs, their names and numbers, positions in the source.
//!
//! Lowering a function mentions others; each gets its number when it is first mentioned and waits in a queue until its
//! turn. So only what is needed is lowered.

use super::function::FunctionBuilder;
use super::helpers::Helper;
use super::ir_types::Layouts;
use crate::ctype::{QualType, Types};
use crate::library;
use crate::link::{Linked, LinkedFunctionId, LinkedObjectId};
use crate::session::Session;
use crate::tree::{ConstInit, ConstValue, Definition, Linkage};
use norn_ir::diag::Diagnostic;
use norn_ir::ids::{FileId, FuncId, GlobalId, TypeId};
use norn_ir::instr::{Const, TerminatorKind};
use norn_ir::number::{narrow, nearest_f32, to_usize};
use norn_ir::program::{Function, Global, Init, InitValue, Origin, Program, Storage};
use norn_ir::source::{Line, Loc, SourceId, SourceMap};
use norn_ir::span::Span;
use norn_ir::types::{Target, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Everything that the functions of a program share while they are lowered.
pub struct ProgramBuilder<'a> {
    pub session: &'a mut Session,
    pub linked: &'a Linked,
    pub layouts: Layouts<'a>,
    pub target: Target,
    positions: Positions,
    functions: Vec<Option<Function>>,
    function_ids: Vec<Option<FuncId>>,
    pending_functions: VecDeque<(FuncId, LinkedFunctionId)>,
    function_names: Names,
    globals: Vec<Global>,
    global_ids: Vec<Option<GlobalId>>,
    pending_globals: VecDeque<(GlobalId, LinkedObjectId)>,
    global_names: Names,
    pub helpers: BTreeMap<Helper, FuncId>,
    /// Functions without a body that have been reported.
    undefined_functions: FxHashSet<LinkedFunctionId>,
}

/// Names given out, each once.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    next: FxHashMap<String, u32>,
}

impl Names {
    fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        loop {
            let next = self.next.entry(name.to_owned()).or_insert(0);
            *next += 1;
            let candidate = format!("{name}.{next}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

impl<'a> ProgramBuilder<'a> {
    pub fn new(session: &'a mut Session, types: &'a Types, linked: &'a Linked) -> ProgramBuilder<'a> {
        let target = session.options.target;
        let layouts = Layouts::new(types, target, &session.symbols);
        let mut builder = ProgramBuilder {
            session,
            linked,
            layouts,
            target,
            positions: Positions::default(),
            functions: Vec::new(),
            function_ids: vec![None; linked.function_ids().count()],
            pending_functions: VecDeque::new(),
            function_names: Names::default(),
            globals: Vec::new(),
            global_ids: vec![None; linked.object_ids().count()],
            pending_globals: VecDeque::new(),
            global_names: Names::default(),
            helpers: BTreeMap::new(),
            undefined_functions: FxHashSet::default(),
        };
        // Names with external linkage stay as they are, whatever is mentioned first.
        for id in linked.function_ids().filter(|&id| linked.function(id).linkage == Linkage::External) {
            let name = builder.session.symbols.name(linked.function(id).name).to_owned();
            builder.function_names.taken.insert(name);
        }
        for id in linked.object_ids().filter(|&id| linked.object(id).linkage == Linkage::External) {
            builder.global_names.taken.extend(linked.object_declaration(id).name.clone());
        }
        builder
    }

    pub fn types(&self) -> &'a Types {
        self.layouts.types
    }

    pub fn span(&mut self, loc: Loc) -> Span {
        self.positions.span(self.session, loc)
    }

    /// Whose code stands at a position.
    pub fn origin(&self, loc: Loc) -> Origin {
        match self.session.sources.source_of(loc) {
            Some(id) if self.session.sources.is_builtin(id) => Origin::Library,
            _ => Origin::User,
        }
    }

    pub fn function_name(&self, id: LinkedFunctionId) -> &str {
        self.session.symbols.name(self.linked.function(id).name)
    }

    /// The number of a function, which is lowered in its turn.
    pub fn function(&mut self, id: LinkedFunctionId) -> FuncId {
        if let Some(func) = self.function_ids[id.0 as usize] {
            return func;
        }
        let func = FuncId::new(self.functions.len());
        self.functions.push(None);
        self.function_ids[id.0 as usize] = Some(func);
        self.pending_functions.push_back((func, id));
        func
    }

    /// The number of an object, which is defined in its turn.
    pub fn global(&mut self, id: LinkedObjectId) -> GlobalId {
        self.global_at(id, self.linked.object_declaration(id).loc)
    }

    /// The number of an object that is mentioned at `loc`.
    pub fn global_at(&mut self, id: LinkedObjectId, loc: Loc) -> GlobalId {
        if let Some(global) = self.global_ids[id.0 as usize] {
            return global;
        }
        if !self.linked.is_defined_object(id) && self.linked.is_object_reached_from_entry(id) {
            self.undefined_object(id, loc);
        }
        let declaration = self.linked.object_declaration(id);
        let name = match (&declaration.name, declaration.linkage) {
            (Some(name), Linkage::External) => name.clone(),
            (Some(name), Linkage::Internal) => self.global_names.unique(name),
            (None, _) => self.global_names.unique(".literal"),
        };
        let storage = match (declaration.thread_local, declaration.constant) {
            (true, _) => Storage::Thread,
            (false, true) => Storage::Constant,
            (false, false) => Storage::Static,
        };
        let ty = self.layouts.object_type(self.linked.object(id).ty.ty, declaration.align);
        let (span, origin) = (self.span(declaration.loc), self.origin(declaration.loc));
        let global = self.add_global(Global { name, ty, storage, init: Vec::new(), private: false, origin, span });
        self.global_ids[id.0 as usize] = Some(global);
        self.pending_globals.push_back((global, id));
        global
    }

    fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId::new(self.globals.len() - 1)
    }

    /// A constant object that holds the given bytes.
    pub fn constant_bytes(&mut self, bytes: Vec<u8>, span: Span) -> GlobalId {
        let name = self.global_names.unique(".literal");
        let ty = self.layouts.byte_array(bytes.len() as u64);
        let init = vec![Init { offset: 0, value: InitValue::Bytes(bytes) }];
        self.add_global(Global {
            name,
            ty,
            storage: Storage::Constant,
            init,
            private: false,
            origin: Origin::User,
            span,
        })
    }

    /// Reserves a number for a function that has no C text.
    pub fn reserve_function(&mut self) -> FuncId {
        self.functions.push(None);
        FuncId::new(self.functions.len() - 1)
    }

    pub fn define_function(&mut self, id: FuncId, function: Function) {
        self.functions[id.index()] = Some(function);
    }

    pub fn unique_function_name(&mut self, name: &str) -> String {
        self.function_names.unique(name)
    }

    /// Lowers what was mentioned, and what that mentions, until nothing is left.
    pub fn drain(&mut self) {
        loop {
            if let Some((func, id)) = self.pending_functions.pop_front() {
                self.lower_function(func, id);
            } else if let Some((global, id)) = self.pending_globals.pop_front() {
                self.initialise(global, id);
            } else {
                return;
            }
        }
    }

    fn lower_function(&mut self, func: FuncId, id: LinkedFunctionId) {
        let linked = self.linked;
        let declaration = linked.declaration(id);
        let name = self.function_name(id).to_owned();
        let name = if declaration.linkage == Linkage::Internal { self.function_names.unique(&name) } else { name };
        let function = match &declaration.body {
            Some(body) => FunctionBuilder::of_body(self, id, name, body),
            None => FunctionBuilder::undefined(self, id, name),
        };
        self.functions[func.index()] = Some(function);
    }

    fn initialise(&mut self, global: GlobalId, id: LinkedObjectId) {
        let linked = self.linked;
        let declaration = linked.object_declaration(id);
        match &declaration.definition {
            Definition::Tentative | Definition::Declared => {}
            Definition::Initialised(parts) => {
                let unit = linked.object(id).unit;
                let init: Vec<Init> = parts.iter().filter_map(|part| self.init_part(unit, part)).collect();
                let end = parts.iter().map(|p| p.offset + self.value_size(&p.value)).max().unwrap_or(0);
                let ty = self.globals[global.index()].ty;
                // A flexible array member with an initialiser makes the object larger than its type.
                self.globals[global.index()].ty = self.layouts.at_least(ty, end);
                self.globals[global.index()].init = init;
            }
        }
    }

    fn undefined_object(&mut self, id: LinkedObjectId, loc: Loc) {
        let declaration = self.linked.object_declaration(id);
        let name = declaration.name.as_deref().unwrap_or_default();
        if declaration.symbolic.weak {
            let message = format!("the weak object '{name}' that no file defines");
            return self.report(Diagnostic::unsupported(loc, message));
        }
        let message = format!("'{name}' is declared but not defined in any file");
        let mut found = Diagnostic::error(loc, message).help("give norn the file that defines it as well");
        if declaration.loc != loc {
            found = found.also(declaration.loc, "the declaration");
        }
        self.report(found);
    }

    /// Why a call of a function without a body cannot be followed. Says so once, where the program can get there.
    pub fn undefined_function(&mut self, id: LinkedFunctionId, loc: Loc) -> String {
        let name = self.function_name(id).to_owned();
        let reason = library::unsupported(&name);
        if self.linked.is_reached_from_entry(id) && self.undefined_functions.insert(id) {
            let why = match reason {
                Some(reason) => format!("'{name}' has no model, because {reason}"),
                None => format!("'{name}' has no body and no model"),
            };
            self.report(Diagnostic::warning(loc, format!("{why}: reaching this call makes the verdict unknown")).help(
                "give norn a file that defines it, or let such calls return any value with --undefined-as-nondet",
            ));
        }
        match reason {
            Some(reason) => format!("call to '{name}': {reason}"),
            None => format!("call to the undefined function '{name}'"),
        }
    }

    fn value_size(&self, value: &ConstValue) -> u64 {
        match value {
            ConstValue::Int { size, .. } | ConstValue::Float { size, .. } => *size,
            ConstValue::Bytes(bytes) => bytes.len() as u64,
            ConstValue::Object(..) | ConstValue::Function(_) => self.target.pointer_size(),
        }
    }

    fn init_part(&mut self, unit: usize, part: &ConstInit) -> Option<Init> {
        let value = match &part.value {
            ConstValue::Int { bits: 0, .. } => return None,
            ConstValue::Int { size, bits } => match Ty::int_of_size(*size) {
                Some(ty) => InitValue::Const(Const { ty, bits: ty.truncate(*bits, self.target) }),
                None => InitValue::Bytes(bits.to_le_bytes().into_iter().take(to_usize(*size)).collect()),
            },
            ConstValue::Float { size: 4, value } => {
                InitValue::Const(Const { ty: Ty::F32, bits: u64::from(nearest_f32(*value).to_bits()) })
            }
            ConstValue::Float { value, .. } => InitValue::Const(Const { ty: Ty::F64, bits: value.to_bits() }),
            ConstValue::Bytes(bytes) if bytes.iter().all(|&b| b == 0) => return None,
            ConstValue::Bytes(bytes) => InitValue::Bytes(bytes.clone()),
            ConstValue::Object(id, offset) => {
                let id = self.linked.resolve_object(unit, *id);
                InitValue::Global(self.global(id), *offset)
            }
            ConstValue::Function(id) => {
                let id = self.linked.resolve_function(unit, *id);
                if self.linked.is_null(self.session, id) {
                    return None;
                }
                InitValue::Func(self.function(id))
            }
        };
        let zero = matches!(value, InitValue::Const(Const { bits: 0, .. }));
        (!zero).then_some(Init { offset: part.offset, value })
    }

    /// Reports what makes the program as a whole unsupported.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.session.report(diagnostic);
    }

    pub fn ir_type(&mut self, ty: QualType) -> TypeId {
        self.layouts.ir_type(ty.ty)
    }

    pub fn finish(self, entry: FuncId) -> Program {
        let stub = || super::function::terminator_only(TerminatorKind::Unreachable, Span::NONE);
        Program {
            target: self.target,
            reuses_memory: self.session.options.reuse_memory,
            files: self.positions.files,
            types: self.layouts.into_types(),
            globals: self.globals,
            functions: self.functions.into_iter().map(|f| f.unwrap_or_else(stub)).collect(),
            entry,
        }
    }
}

/// Positions as spans. Lowering asks for neighbouring positions one after the other, so lines are looked up when another
/// begins, and columns are counted from the last position asked for: a file of one long line costs no more than one of
/// many.
#[derive(Default)]
struct Positions {
    files: Vec<String>,
    file_ids: FxHashMap<String, FileId>,
    last: Option<Known>,
}

/// A position whose span is known.
#[derive(Clone, Copy)]
struct Known {
    loc: Loc,
    source: SourceId,
    line_start: Loc,
    /// Where the next line starts.
    line_end: Loc,
    span: Span,
}

impl Positions {
    fn span(&mut self, session: &Session, loc: Loc) -> Span {
        if let Some(known) = self.last
            && known.loc == loc
        {
            return known.span;
        }
        let sources = &session.sources;
        let known = match self.last {
            Some(known) if known.line_start <= loc && loc < known.line_end => known,
            _ => {
                let Some(Line { source, positions: Range { start, end }, file, number }) = sources.line(loc) else {
                    return Span::NONE;
                };
                let span = Span { file: self.file(file), line: number, column: 1 };
                Known { loc: start, source, line_start: start, line_end: end, span }
            }
        };
        let (from, column) = (known.loc, known.span.column);
        let characters = |from, to| characters(sources, known.source, from, to);
        let column = if from <= loc { column + characters(from, loc) } else { column - characters(loc, from) };
        let span = Span { column, ..known.span };
        self.last = Some(Known { loc, span, ..known });
        span
    }

    fn file(&mut self, name: &str) -> FileId {
        if let Some(last) = self.last.map(|known| known.span.file)
            && self.files[last.index()] == name
        {
            return last;
        }
        if let Some(&id) = self.file_ids.get(name) {
            return id;
        }
        let id = FileId::new(self.files.len());
        self.files.push(name.to_owned());
        self.file_ids.insert(name.to_owned(), id);
        id
    }
}

/// How many characters stand between two positions of one text.
fn characters(sources: &SourceMap, source: SourceId, from: Loc, to: Loc) -> u32 {
    let start = sources.start(source).0;
    let bytes = sources.text(source).as_bytes();
    let bytes = bytes.get((from.0 - start) as usize..(to.0 - start) as usize).unwrap_or_default();
    narrow(bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count())
}

//! Scopes: what ordinary names and tags mean at some point of the text.
//!
//! The tables are indexed by symbol and changed in place; a log of what was there before restores them at the end of
//! a scope. Members and labels have name spaces of their own and never enter them.
//!
//! One unit after the other uses the same tables, since they are as long as there are names in all units together.

use crate::ctype::{EnumId, QualType, RecordId, TypeId};
use crate::intern::Symbol;
use crate::tree::{FunctionId, ObjectId, VarId};
use norn_ir::number::narrow;
use norn_ir::source::Loc;

/// What an ordinary name stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    /// With the alignment that an attribute of the typedef asks for.
    Typedef(QualType, Option<u64>),
    Object(ObjectId),
    Var(VarId),
    Function(FunctionId),
    /// An enumerator's value, cut to 64 bits.
    Constant(u64, TypeId),
    /// A parameter of a declaration that is no definition: it has a type and nothing else.
    PrototypeParam(QualType),
    /// Its declaration was wrong; uses of it are not reported again.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) entity: Entity,
    /// How many scopes were open around the declaration; 0 is file scope.
    pub(crate) depth: u32,
    pub(crate) loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TagBinding {
    pub(crate) tag: Tag,
    pub(crate) depth: u32,
    pub(crate) loc: Loc,
}

#[derive(Debug)]
enum Change {
    Name(Symbol, Option<Binding>),
    Tag(Symbol, Option<TagBinding>),
}

#[derive(Debug, Default)]
pub(crate) struct Scopes {
    names: Vec<Option<Binding>>,
    tags: Vec<Option<TagBinding>>,
    log: Vec<Change>,
    /// The length of the log when each open scope began.
    marks: Vec<usize>,
    /// The names and tags that were declared at file scope.
    at_file_scope: Vec<Symbol>,
}

impl Scopes {
    pub(crate) fn depth(&self) -> u32 {
        narrow(self.marks.len())
    }

    pub(crate) fn enter(&mut self) {
        self.marks.push(self.log.len());
    }

    pub(crate) fn leave(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        self.undo(mark);
    }

    fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Change::Name(name, before)) => put(&mut self.names, name, before),
                Some(Change::Tag(name, before)) => put(&mut self.tags, name, before),
                None => break,
            }
        }
    }

    /// Forgets all declarations.
    pub(crate) fn clear(&mut self) {
        self.marks.clear();
        self.undo(0);
        for name in self.at_file_scope.drain(..) {
            let index = name.0 as usize;
            self.names.get_mut(index).map(Option::take);
            self.tags.get_mut(index).map(Option::take);
        }
    }

    pub(crate) fn name(&self, name: Symbol) -> Option<Binding> {
        self.names.get(name.0 as usize).copied().flatten()
    }

    pub(crate) fn tag(&self, name: Symbol) -> Option<TagBinding> {
        self.tags.get(name.0 as usize).copied().flatten()
    }

    /// The meaning of a name if it was declared in the innermost scope.
    pub(crate) fn name_here(&self, name: Symbol) -> Option<Binding> {
        self.name(name).filter(|b| b.depth == self.depth())
    }

    pub(crate) fn tag_here(&self, name: Symbol) -> Option<TagBinding> {
        self.tag(name).filter(|b| b.depth == self.depth())
    }

    pub(crate) fn bind(&mut self, name: Symbol, entity: Entity, loc: Loc) {
        let depth = self.depth();
        match depth {
            0 => self.at_file_scope.push(name),
            _ => self.log.push(Change::Name(name, self.name(name))),
        }
        put(&mut self.names, name, Some(Binding { entity, depth, loc }));
    }

    /// Changes what a name of the innermost scope stands for.
    pub(crate) fn rebind(&mut self, name: Symbol, entity: Entity, loc: Loc) {
        if self.name_here(name).is_some() {
            let depth = self.depth();
            put(&mut self.names, name, Some(Binding { entity, depth, loc }));
        }
    }

    pub(crate) fn bind_tag(&mut self, name: Symbol, tag: Tag, loc: Loc) {
        let depth = self.depth();
        match depth {
            0 => self.at_file_scope.push(name),
            _ => self.log.push(Change::Tag(name, self.tag(name))),
        }
        put(&mut self.tags, name, Some(TagBinding { tag, depth, loc }));
    }

    /// Declares a name at file scope while inner scopes are open (a function, once its parameters are known).
    pub(crate) fn bind_at_file_scope(&mut self, name: Symbol, entity: Entity, loc: Loc) {
        let binding = Some(Binding { entity, depth: 0, loc });
        self.at_file_scope.push(name);
        if self.name(name).is_none_or(|b| b.depth == 0) {
            put(&mut self.names, name, binding);
            return;
        }
        // An inner declaration hides it: the new meaning shows when the outermost hiding scope ends.
        for change in &mut self.log {
            if let Change::Name(changed, before) = change
                && *changed == name
                && before.is_none_or(|b| b.depth == 0)
            {
                *before = binding;
                return;
            }
        }
    }

    /// All visible ordinary names in the order of their symbols.
    pub(crate) fn visible(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.names.iter().enumerate().filter(|(_, b)| b.is_some()).map(|(i, _)| Symbol::new(i))
    }
}

fn put<T: Clone>(table: &mut Vec<Option<T>>, name: Symbol, value: Option<T>) {
    let index = name.0 as usize;
    if index >= table.len() {
        table.resize(index + 1, None);
    }
    table[index] = value;
}

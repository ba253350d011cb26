//! Which functions and objects the program can reach, from the entry and from the user's functions.
//!
//! A model may ask whether a function is part of the program (`if (__norn_is_linked("f")) …`): what stands under such a
//! condition counts only once that function is reached.

use super::{Extent, Linked, LinkedFunctionId, LinkedObjectId};
use crate::session::Session;
use crate::tree::walk::{Node, children};
use crate::tree::{
    Builtin, Callee, ConstValue, Definition, Expr, ExprKind, FunctionId, Linkage, ObjectId, StmtKind, Unit,
};
use norn_ir::number::narrow;
use std::collections::HashMap;

/// The model with which functions to run at exit are registered.
pub const AT_EXIT: &str = "__norn_at_exit";

/// The model by which a new thread waits until its identifier is stored. Nothing mentions it without asking whether it is
/// there: it is if its file was added.
const WAIT_FOR_ID: &str = "__model_wait_for_id";

/// What the functions and initialisers of a unit mention.
#[derive(Debug)]
pub struct Mentions {
    functions: Vec<Vec<Mention>>,
    objects: Vec<Vec<Target>>,
    guards: Vec<Guard>,
}

#[derive(Debug)]
struct Mention {
    target: Target,
    guard: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Function(FunctionId),
    Object(ObjectId),
}

/// Counts only if a function of this name is reached, and the outer guard holds.
#[derive(Debug)]
struct Guard {
    name: String,
    outer: Option<u32>,
}

/// The functions and objects that are reached, in the order of discovery.
#[derive(Debug, Default)]
pub struct Reached {
    pub functions: Vec<LinkedFunctionId>,
    pub objects: Vec<LinkedObjectId>,
    /// How many of them the entry leads to; these are the first.
    pub functions_from_entry: usize,
    pub objects_from_entry: usize,
    how: Vec<How>,
    /// For each object, whether the entry leads to it.
    are_from_entry: Vec<bool>,
}

/// How a function is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Not,
    FromEntry,
    /// Only from a function of the user's that the entry does not lead to.
    FromOthers,
}

impl Reached {
    pub fn contains(&self, id: LinkedFunctionId) -> bool {
        self.how.get(id.0 as usize).is_some_and(|&how| how != How::Not)
    }

    pub fn is_object_from_entry(&self, id: LinkedObjectId) -> bool {
        self.are_from_entry.get(id.0 as usize).is_some_and(|&is| is)
    }

    pub fn is_from_entry(&self, id: LinkedFunctionId) -> bool {
        self.how.get(id.0 as usize) == Some(&How::FromEntry)
    }
}

impl Mentions {
    pub fn of(unit: &Unit) -> Mentions {
        let (mut stack, mut guards) = (Vec::new(), Vec::new());
        let functions = unit
            .functions
            .iter()
            .map(|f| {
                f.body.as_ref().map_or(Vec::new(), |body| of_body(Node::Stmt(&body.block), &mut stack, &mut guards))
            })
            .collect();
        let objects = unit.objects.iter().map(|o| of_initialiser(&o.definition)).collect();
        Mentions { functions, objects, guards }
    }
}

fn of_initialiser(definition: &Definition) -> Vec<Target> {
    let Definition::Initialised(parts) = definition else { return Vec::new() };
    let target = |value: &ConstValue| match value {
        ConstValue::Object(id, _) => Some(Target::Object(*id)),
        ConstValue::Function(id) => Some(Target::Function(*id)),
        _ => None,
    };
    parts.iter().filter_map(|part| target(&part.value)).collect()
}

/// `stack` is empty before and after: it is only passed so that it need not grow again for every body.
fn of_body<'a>(root: Node<'a>, stack: &mut Vec<(Node<'a>, Option<u32>)>, guards: &mut Vec<Guard>) -> Vec<Mention> {
    let mut mentions = Vec::new();
    stack.push((root, None));
    while let Some((node, guard)) = stack.pop() {
        let first = stack.len();
        let mut under = guard;
        match node {
            Node::Expr(e) => {
                let target = match &e.kind {
                    ExprKind::Function(id) | ExprKind::Call { callee: Callee::Direct(id), .. } => {
                        Some(Target::Function(*id))
                    }
                    ExprKind::Builtin(builtin)
                        if let Builtin::FormattedCall { uncounted: Callee::Direct(id), .. } = &**builtin =>
                    {
                        Some(Target::Function(*id))
                    }
                    ExprKind::Object(id) => Some(Target::Object(*id)),
                    _ => None,
                };
                mentions.extend(target.map(|target| Mention { target, guard }));
            }
            Node::Stmt(stmt) => {
                if let StmtKind::If { condition, then, otherwise } = &stmt.kind
                    && let Some(name) = asks_for(condition)
                {
                    guards.push(Guard { name: name.to_owned(), outer: guard });
                    under = Some(narrow(guards.len() - 1));
                    stack.extend(otherwise.iter().map(|s| (Node::Stmt(s), guard)));
                    stack.push((Node::Stmt(then), under));
                    continue;
                }
            }
        }
        children(node, &mut |child| stack.push((child, under)));
        stack[first..].reverse();
    }
    mentions
}

/// The function whose presence a condition asks for.
fn asks_for(condition: &Expr) -> Option<&str> {
    match &condition.kind {
        ExprKind::Convert(e) => asks_for(e),
        ExprKind::Builtin(builtin) => match &**builtin {
            Builtin::IsLinked(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// What the search has found so far.
struct Search<'a> {
    linked: &'a Linked,
    session: &'a Session,
    reached: Reached,
    /// How what is found now is reached.
    how: How,
    seen_objects: Vec<bool>,
    pending: Vec<Found>,
    /// Mentions that wait for a function of the given name.
    waiting: HashMap<String, Vec<Waiting>>,
}

/// A mention in a unit whose guard does not hold yet.
struct Waiting {
    unit: usize,
    target: Target,
    guard: Option<u32>,
}

#[derive(Clone, Copy)]
enum Found {
    Function(LinkedFunctionId),
    Object(LinkedObjectId),
}

/// Everything that the entry, the user's functions with external linkage and the user's objects lead to.
pub fn reach(linked: &Linked, session: &Session) -> Reached {
    let mut search = Search {
        linked,
        session,
        reached: Reached { how: vec![How::Not; linked.functions.len()], ..Reached::default() },
        how: How::FromEntry,
        seen_objects: vec![false; linked.objects.len()],
        pending: Vec::new(),
        waiting: HashMap::new(),
    };
    let entry = linked.entry.and_then(|name| linked.function_named(name, session.symbols.name(name)));
    let destructors = linked.destructors();
    let register = session.symbols.get(AT_EXIT).filter(|_| !destructors.is_empty());
    let register = register.and_then(|symbol| linked.function_named(symbol, AT_EXIT));
    let wait = session.symbols.get(WAIT_FOR_ID).and_then(|symbol| linked.function_named(symbol, WAIT_FOR_ID));
    let wait = wait.filter(|&id| linked.function(id).defined);
    for id in entry.into_iter().chain(linked.constructors()).chain(destructors).chain(register).chain(wait) {
        search.function(id);
        search.drain();
    }
    search.reached.functions_from_entry = search.reached.functions.len();
    search.reached.objects_from_entry = search.reached.objects.len();
    search.reached.are_from_entry = search.seen_objects.clone();
    search.how = How::FromOthers;
    for id in linked.function_ids().filter(|&id| is_root(linked, id)) {
        search.function(id);
        search.drain();
    }
    for id in linked.object_ids().filter(|&id| is_root_object(linked, id)) {
        search.object(id);
        search.drain();
    }
    search.reached
}

/// Whether a function is checked although nothing may mention it.
pub fn is_root(linked: &Linked, id: LinkedFunctionId) -> bool {
    let f = linked.function(id);
    linked.extent == Extent::WholeFiles
        && f.defined
        && f.linkage == Linkage::External
        && !linked.is_library_unit(f.unit)
        && !linked.declaration(id).inline
}

/// The same for an object.
pub fn is_root_object(linked: &Linked, id: LinkedObjectId) -> bool {
    let o = linked.object(id);
    linked.extent == Extent::WholeFiles
        && o.linkage == Linkage::External
        && linked.is_defined_object(id)
        && !linked.is_library_unit(o.unit)
}

impl Search<'_> {
    fn function(&mut self, id: LinkedFunctionId) {
        if self.reached.contains(id) {
            return;
        }
        self.reached.how[id.0 as usize] = self.how;
        self.reached.functions.push(id);
        self.pending.push(Found::Function(id));
    }

    fn object(&mut self, id: LinkedObjectId) {
        if !std::mem::replace(&mut self.seen_objects[id.0 as usize], true) {
            self.reached.objects.push(id);
            self.pending.push(Found::Object(id));
        }
    }

    fn drain(&mut self) {
        while let Some(found) = self.pending.pop() {
            match found {
                Found::Function(id) => self.expand(id),
                Found::Object(id) => {
                    let o = self.linked.object(id);
                    for &target in &self.linked.mentions[o.unit].objects[o.id.0 as usize] {
                        self.target(o.unit, target);
                    }
                }
            }
        }
    }

    fn expand(&mut self, id: LinkedFunctionId) {
        let linked = self.linked;
        let f = linked.function(id);
        for mention in &linked.mentions[f.unit].functions[f.id.0 as usize] {
            self.mention(f.unit, mention.target, mention.guard);
        }
        if f.linkage == Linkage::External
            && let Some(waiting) = self.waiting.remove(self.session.symbols.name(f.name))
        {
            for Waiting { unit, target, guard } in waiting {
                self.mention(unit, target, guard);
            }
        }
    }

    fn mention(&mut self, unit: usize, target: Target, mut guard: Option<u32>) {
        while let Some(i) = guard {
            let Guard { name, outer } = &self.linked.mentions[unit].guards[i as usize];
            let holds = match self.linked.names.get(name) {
                Some(super::Named::Function(id)) => self.reached.contains(*id),
                _ => false,
            };
            if !holds {
                self.waiting.entry(name.clone()).or_default().push(Waiting { unit, target, guard });
                return;
            }
            guard = *outer;
        }
        self.target(unit, target);
    }

    fn target(&mut self, unit: usize, target: Target) {
        match target {
            Target::Function(id) => self.function(self.linked.resolve_function(unit, id)),
            Target::Object(id) => self.object(self.linked.resolve_object(unit, id)),
        }
    }
}

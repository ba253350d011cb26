//! Accesses to objects whose lives other threads end.

use std::collections::BTreeMap;

use norn_verdict::outcome::ViolationKind;

use crate::event::{Check, Condition, EventId, EventKind, ObjectId};
use crate::execution::Execution;

/// Adds a check for each access and each end of a life by another thread that may be of one object.
pub fn check_lifetimes(exec: &mut Execution<'_>) {
    let mut ends: BTreeMap<ObjectId, Vec<EventId>> = BTreeMap::new();
    for (i, event) in exec.events.iter().enumerate() {
        if let EventKind::EndLife(objects) = &event.kind {
            for &(object, _) in objects {
                ends.entry(object).or_default().push(EventId::new(i));
            }
        }
    }
    if ends.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for (i, event) in exec.events.iter().enumerate() {
        if Some(event.thread) == exec.observer {
            continue;
        }
        let access = EventId::new(i);
        let mut objects: Vec<ObjectId> = match &event.kind {
            EventKind::Read { targets, .. } | EventKind::Write { targets, .. } => {
                targets.iter().map(|target| exec.cells[target.0.index()].object).collect()
            }
            EventKind::EndLife(objects) => objects.iter().map(|object| object.0).collect(),
            _ => continue,
        };
        objects.sort_unstable();
        objects.dedup();
        for object in objects {
            for &end in ends.get(&object).into_iter().flatten() {
                if exec.events[end.index()].thread != event.thread {
                    found.push((access, end, object));
                }
            }
        }
    }
    for (access, end, object) in found {
        let (thread, span) = (exec.events[access.index()].thread, exec.events[access.index()].span);
        let object_facts = exec.facts.get(object);
        let is_end = matches!(exec.events[access.index()].kind, EventKind::EndLife(_));
        let kind = if is_end { ViolationKind::DoubleFree } else { ViolationKind::UseAfterFree };
        let message = format!("the life of '{}' has ended", object_facts.name);
        let what = exec.memory_finding(kind, &message, span, true);
        if what.is_excluded() {
            exec.facts.may_end_elsewhere(object);
        }
        let position = access.next();
        exec.checks.push(Check { what, thread, position, violated: Condition::AfterEnd { access, end, object }, span });
    }
    exec.checks.sort_by_key(|check| (check.thread, check.position));
}

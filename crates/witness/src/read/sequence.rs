//! Witnesses of the formats 2.x: segments of waypoints, or sets of invariants.
//!
//! Format 2.2 names the thread of a waypoint, and lets the last segment have several targets: the accesses of a data race.

use super::yaml::{Node, Value};
use super::{Content, Header, MOST_EDGES, Mark, Read, Wrong};
use crate::automaton::{Automaton, Edge, End, Guard, Place, Target, What};
use crate::constraint::Constraint;

/// Numbers of threads up to this are taken to count creations.
const MOST_THREADS: u32 = 1_000;

pub fn read(root: &Node) -> Result<Read, Wrong> {
    let Value::List(entries) = &root.value else { return Err(root.mark.wrong("a list of entries is expected")) };
    let mut found: Option<Read> = None;
    let mut invariants = 0;
    for entry in entries {
        let content = required(entry, "content")?;
        match word(required(entry, "entry_type")?)? {
            "violation_sequence" if found.is_none() => {
                let automaton = automaton(list(content)?, content.mark)?;
                found = Some(Read { header: header(entry)?, content: Content::Violation(automaton) });
            }
            "violation_sequence" => return Err(entry.mark.wrong("only one violation can be followed")),
            "invariant_set" => {
                if !matches!(content.value, Value::Null) {
                    invariants += list(content)?.len();
                }
                found.get_or_insert(Read { header: header(entry)?, content: Content::Correctness { invariants: 0 } });
            }
            "ghost_instrumentation" => {
                invariants += 1;
                found.get_or_insert(Read { header: header(entry)?, content: Content::Correctness { invariants: 0 } });
            }
            other => return Err(entry.mark.wrong(format!("entries of the type '{other}' are not known"))),
        }
    }
    let mut found = found.ok_or_else(|| root.mark.wrong("the list has no entry"))?;
    match &mut found.content {
        Content::Correctness { invariants: count } => *count = invariants,
        Content::Violation(_) if invariants > 0 => {
            return Err(root.mark.wrong("a violation and invariants cannot be in one witness"));
        }
        Content::Violation(_) => {}
    }
    Ok(found)
}

fn header(entry: &Node) -> Result<Header, Wrong> {
    let metadata = required(entry, "metadata")?;
    let version = word(required(metadata, "format_version")?)?;
    if !(version == "2" || version.starts_with("2.")) {
        let mark = required(metadata, "format_version")?.mark;
        return Err(mark.wrong(format!("the format {version} is not known: it should be 2.x")));
    }
    let task = required(metadata, "task")?;
    let mut hashes = Vec::new();
    match task.get("input_file_hashes").map(|node| (node, &node.value)) {
        Some((_, Value::Map(entries))) => {
            for (file, hash) in entries {
                hashes.push((Some(file.clone()), word(hash)?.to_ascii_lowercase()));
            }
        }
        Some((node, _)) => return Err(node.mark.wrong("files with their hashes are expected")),
        None => {}
    }
    let producer = metadata.get("producer").and_then(|producer| producer.get("name"));
    let producer = producer.map_or(Ok(""), word)?;
    let specification = word(required(task, "specification")?)?;
    Ok(Header { specification: specification.to_owned(), hashes, producer: producer.to_owned() })
}

/// The chain of the segments.
fn automaton(segments: &[Node], mark: Mark) -> Result<Automaton, Wrong> {
    let mut automaton = Automaton { nodes: 1, named_in_order: true, ..Automaton::default() };
    let mut at = 0;
    let mut is_over = false;
    for segment in segments {
        if is_over {
            return Err(segment.mark.wrong("the segment with the target should be the last"));
        }
        let waypoints = list(required(segment, "segment")?)?;
        let mut targets = Vec::new();
        let mut has_followed = false;
        for waypoint in waypoints {
            let waypoint = required(waypoint, "waypoint")?;
            let action = word(required(waypoint, "action")?)?;
            let kind = word(required(waypoint, "type")?)?;
            match (kind, action) {
                ("target", "follow" | "multi_follow" | "multi-follow") => {
                    let thread = thread(&mut automaton, waypoint)?;
                    targets.push(Target { thread, place: place(waypoint)? });
                }
                ("target", _) => return Err(waypoint.mark.wrong("a target is to be followed")),
                (_, "follow") if has_followed || !targets.is_empty() => {
                    return Err(waypoint.mark.wrong("a segment has one waypoint to follow, the last"));
                }
                (_, "follow") => {
                    has_followed = true;
                    let to = automaton.add_node();
                    let guard = guard(&mut automaton, waypoint, kind)?;
                    automaton.edges.push(Edge { from: at, to: Some(to), guard });
                }
                (_, "avoid") if has_followed || !targets.is_empty() => {
                    return Err(waypoint.mark.wrong("what is to be avoided stands before what is followed"));
                }
                (_, "avoid") => {
                    let guard = guard(&mut automaton, waypoint, kind)?;
                    automaton.edges.push(Edge { from: at, to: None, guard });
                }
                (_, other) => return Err(waypoint.mark.wrong(format!("the action '{other}' is not known"))),
            }
            if automaton.edges.len() > MOST_EDGES {
                return Err(waypoint.mark.wrong("there are too many waypoints"));
            }
        }
        match &targets[..] {
            [] if has_followed => at = automaton.nodes - 1,
            [] => return Err(segment.mark.wrong("a segment needs a waypoint to follow")),
            [_] | [_, _] => {
                automaton.ends.push(End { at, targets });
                is_over = true;
            }
            _ => return Err(segment.mark.wrong("more than two targets are not supported")),
        }
    }
    if !is_over {
        return Err(mark.wrong("there is no target"));
    }
    // Creations count, also of threads that nothing else is said about.
    let numbers = automaton.threads.iter().filter_map(|name| name.parse::<u32>().ok());
    let most = numbers.filter(|&number| number <= MOST_THREADS).max().unwrap_or(0);
    for number in 0..most {
        automaton.thread(&number.to_string());
    }
    automaton.main = automaton.threads.iter().position(|name| name == "0");
    Ok(automaton)
}

fn guard(automaton: &mut Automaton, waypoint: &Node, kind: &str) -> Result<Guard, Wrong> {
    let thread = thread(automaton, waypoint)?;
    let place = Some(place(waypoint)?);
    let constraint = match waypoint.get("constraint") {
        None => None,
        Some(constraint) => {
            let value = required(constraint, "value")?;
            if let Some(format) = constraint.get("format") {
                let format_name = word(format)?;
                if !["c_expression", "acsl_expression", "ext_c_expression"].contains(&format_name) {
                    return Err(format.mark.wrong(format!("constraints of the format '{format_name}' are not known")));
                }
            }
            Some((word(value)?, value.mark))
        }
    };
    let needed = || constraint.ok_or_else(|| waypoint.mark.wrong("a 'constraint' is missing"));
    let (what, constraint) = match kind {
        "assumption" => (What::Reaches, Some(Constraint::read(needed()?.0))),
        "branching" => {
            let way = match needed()?.0 {
                "true" => Some(true),
                "false" => Some(false),
                // The case of a switch.
                _ => None,
            };
            (What::Decides(way), None)
        }
        "function_enter" => (What::Calls, None),
        "function_return" => (What::Returns, constraint.map(|(text, _)| Constraint::read(text))),
        other => return Err(waypoint.mark.wrong(format!("waypoints of the type '{other}' are not known"))),
    };
    Ok(Guard { thread, place, what, constraint, may_hold_after: false })
}

fn thread(automaton: &mut Automaton, waypoint: &Node) -> Result<Option<usize>, Wrong> {
    let Some(node) = waypoint.get("thread_id") else { return Ok(None) };
    let name = word(node)?;
    match name.parse::<u32>() {
        Ok(number) => Ok(Some(automaton.thread(&number.to_string()))),
        Err(_) => Err(node.mark.wrong(format!("'{name}' is not the number of a thread"))),
    }
}

fn place(waypoint: &Node) -> Result<Place, Wrong> {
    let location = required(waypoint, "location")?;
    let file = Some(word(required(location, "file_name")?)?.to_owned());
    let line = required(location, "line")?;
    for key in ["line", "column"] {
        if let Some(node) = location.get(key) {
            let text = word(node)?;
            if text.parse::<u32>().is_err() {
                return Err(node.mark.wrong(format!("'{text}' is not a number of a {key}")));
            }
        }
    }
    Ok(Place { file, line: word(line)?.parse().unwrap_or_default() })
}

fn required<'a>(node: &'a Node, key: &str) -> Result<&'a Node, Wrong> {
    node.get(key).ok_or_else(|| node.mark.wrong(format!("'{key}' is missing")))
}

fn list(node: &Node) -> Result<&[Node], Wrong> {
    match &node.value {
        Value::List(items) => Ok(items),
        _ => Err(node.mark.wrong("a list is expected")),
    }
}

fn word(node: &Node) -> Result<&str, Wrong> {
    match &node.value {
        Value::Scalar(text) => Ok(text),
        _ => Err(node.mark.wrong("a word, a text or a number is expected")),
    }
}

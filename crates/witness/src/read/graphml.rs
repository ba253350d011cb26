//! Witnesses of the format 1.0: an automaton as GraphML.
//!
//! Edges to sinks say which executions are not meant. They are left out: places are too coarse to rule anything out by them, and
//! what is searched is more than the witness means, never less.

use super::xml::Element;
use super::{Content, Header, MOST_EDGES, Read, Wrong};
use crate::automaton::{Automaton, Edge, End, Guard, Place, What};
use crate::constraint::Constraint;
use std::collections::BTreeMap;

pub fn read(root: &Element) -> Result<Read, Wrong> {
    if root.name != "graphml" {
        return Err(root.mark.wrong("'graphml' is expected"));
    }
    let defaults = root.children_named("key").filter_map(|key| {
        let text = key.children_named("default").next()?.text.trim().to_owned();
        Some((key.attribute("id")?.to_owned(), text))
    });
    let defaults: BTreeMap<String, String> = defaults.collect();
    let Some(graph) = root.children_named("graph").next() else { return Err(root.mark.wrong("'graph' is missing")) };
    let of_graph = data(graph)?;
    let needed = |key: &str| {
        let found = of_graph.get(key).or_else(|| defaults.get(key));
        found.cloned().ok_or_else(|| graph.mark.wrong(format!("the graph's datum '{key}' is missing")))
    };
    let hash = of_graph.get("programhash").map(|hash| (None, hash.to_ascii_lowercase()));
    let producer = of_graph.get("producer").cloned().unwrap_or_default();
    let header = Header { specification: needed("specification")?, hashes: hash.into_iter().collect(), producer };
    match needed("witness-type")?.as_str() {
        "violation_witness" => Ok(Read { header, content: Content::Violation(automaton(graph, &defaults)?) }),
        "correctness_witness" => {
            let mut invariants = 0;
            for node in graph.children_named("node") {
                invariants += usize::from(data(node)?.contains_key("invariant"));
            }
            Ok(Read { header, content: Content::Correctness { invariants } })
        }
        other => Err(graph.mark.wrong(format!("witnesses of the type '{other}' are not known"))),
    }
}

/// The data of a graph, node or edge. Of several with one key the last counts.
fn data(of: &Element) -> Result<BTreeMap<String, String>, Wrong> {
    let mut found = BTreeMap::new();
    for datum in of.children_named("data") {
        let key = datum.attribute("key").ok_or_else(|| datum.mark.wrong("the attribute 'key' is missing"))?;
        found.insert(key.to_owned(), datum.text.trim().to_owned());
    }
    Ok(found)
}

fn automaton(graph: &Element, defaults: &BTreeMap<String, String>) -> Result<Automaton, Wrong> {
    let mut automaton = Automaton::default();
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sinks = Vec::new();
    let mut start = None;
    for node in graph.children_named("node") {
        let id = node.attribute("id").ok_or_else(|| node.mark.wrong("the attribute 'id' is missing"))?;
        let number = automaton.add_node();
        if nodes.insert(id, number).is_some() {
            return Err(node.mark.wrong(format!("there are two nodes '{id}'")));
        }
        let data = data(node)?;
        let is = |key: &str| {
            data.get(key).or_else(|| defaults.get(key)).is_some_and(|value| value.eq_ignore_ascii_case("true"))
        };
        if is("entry") && start.replace(number).is_some() {
            return Err(node.mark.wrong("there are two entries"));
        }
        if is("violation") {
            automaton.ends.push(End { at: number, targets: Vec::new() });
        }
        if is("sink") {
            sinks.push(number);
        }
    }
    automaton.start = start.ok_or_else(|| graph.mark.wrong("there is no entry"))?;
    if automaton.ends.is_empty() {
        return Err(graph.mark.wrong("there is no node with a violation"));
    }
    for edge in graph.children_named("edge") {
        let end = |key: &str| {
            let id = edge.attribute(key).ok_or_else(|| edge.mark.wrong(format!("the attribute '{key}' is missing")))?;
            nodes.get(id).copied().ok_or_else(|| edge.mark.wrong(format!("there is no node '{id}'")))
        };
        let (from, to) = (end("source")?, end("target")?);
        if automaton.edges.len() >= MOST_EDGES {
            return Err(edge.mark.wrong("there are too many edges"));
        }
        let guard = guard(&mut automaton, edge)?;
        if !sinks.contains(&to) {
            automaton.edges.push(Edge { from, to: Some(to), guard });
        }
    }
    Ok(automaton)
}

fn guard(automaton: &mut Automaton, edge: &Element) -> Result<Guard, Wrong> {
    let data = data(edge)?;
    let get = |keys: &[&str]| keys.iter().find_map(|&key| data.get(key)).map(String::as_str);
    let thread = get(&["threadId"]).map(|name| automaton.thread(name));
    let created = get(&["createThread"]).map(|name| automaton.thread(name));
    let place = match get(&["startline"]) {
        Some(line) => {
            let line = line.parse().map_err(|_| edge.mark.wrong(format!("'{line}' is not the number of a line")))?;
            Some(Place { file: None, line })
        }
        None => None,
    };
    let way = match get(&["control"]) {
        Some("condition-true") => Some(true),
        Some("condition-false") => Some(false),
        Some(other) => return Err(edge.mark.wrong(format!("'{other}' is not known as a 'control'"))),
        None => None,
    };
    let (entered, left) = (get(&["enterFunction"]), get(&["returnFromFunction", "returnFrom"]));
    let what = match (created, entered, left, way) {
        // Main is created and entered at once.
        (Some(created), _, _, _) if entered.is_none() || Some(created) != thread => What::Creates(created),
        (_, Some(function), _, _) => What::Enters(function.to_owned()),
        (_, _, Some(function), _) => What::Leaves(function.to_owned()),
        (_, _, _, Some(way)) => What::Decides(Some(way)),
        _ if get(&["assumption"]).is_some_and(|text| text.contains("\\result")) => What::Returns,
        _ if place.is_some() => What::Reaches,
        _ => What::Nothing,
    };
    let constraint = get(&["assumption"]).map(Constraint::read);
    Ok(Guard { thread, place, what, constraint, may_hold_after: true })
}

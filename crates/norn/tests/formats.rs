//! The files that `norn check` and `norn robust` write beside what they print: pages, SARIF, graphs.

mod support;

use serde_json::Value;
use support::{Folder, project};

fn example(name: &str) -> String {
    project().join("examples").join(name).display().to_string()
}

/// Runs Norn, and reads the file that it was to write.
fn written(folder: &Folder, words: &str, example_file: &str, option: &str) -> String {
    let path = folder.path("out");
    let _ = std::fs::remove_file(&path);
    let mut args = words.split(' ').collect::<Vec<_>>();
    let (file, path_text) = (example(example_file), path.display().to_string());
    args.extend([option, &path_text, &file]);
    let run = folder.norn(&args);
    std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{words}: {}{}", run.stdout(), run.stderr()))
}

fn page_data(page: &str) -> Value {
    let (_, rest) =
        page.split_once("<script type=\"application/json\" id=\"data\">").expect("the page should have data");
    let (data, _) = rest.split_once("</script>").expect("the data should end");
    serde_json::from_str(data).expect("the data should be JSON")
}

/// What memory holds after the last step, by name, put together from the effects as the page does.
fn last_memory(story: &Value) -> Vec<(String, String)> {
    let places = story["places"].as_array().expect("places");
    let mut memory = vec![None; places.len()];
    for (place, value) in story["initial"].as_object().expect("initial values") {
        memory[place.parse::<usize>().expect("a number")] = value.as_str();
    }
    for effect in story["steps"].as_array().into_iter().flatten().filter_map(|step| step["e"].as_array()).flatten() {
        if effect[0] == "s" || effect[0] == "l" {
            memory[usize::try_from(effect[1].as_u64().expect("a place")).expect("it should fit")] = effect[2].as_str();
        }
    }
    let named =
        places.iter().zip(memory).filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value?.to_owned())));
    named.collect()
}

#[test]
fn a_page_has_the_execution_and_the_cycle() {
    let folder = Folder::new("page");
    let page = written(&folder, "check -m sc,tso", "store_buffering.c", "--html");
    // The name of SVG is no address.
    let page_text = page.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !page_text.contains("http:") && !page_text.contains("https:") && !page.contains("src="),
        "nothing is loaded from anywhere"
    );
    let data = page_data(&page);
    let findings = data["findings"].as_array().expect("findings");
    assert_eq!(findings.iter().map(|f| f["word"].as_str()).collect::<Vec<_>>(), [Some("safe"), Some("unsafe")]);
    assert!(
        findings[0]["story"].is_null()
            && findings[1]["line"].as_str().is_some_and(|l| l.starts_with("norn: unsafe (tso)"))
    );
    let remarks = findings[1]["remarks"].to_string();
    assert!(remarks.contains("before that store reaches memory"), "why it happens: {remarks}");
    let story = &findings[1]["story"];
    let mut relations =
        story["cycle"].as_array().into_iter().flatten().map(|edge| edge["rel"].as_str()).collect::<Vec<_>>();
    relations.sort_unstable();
    assert_eq!(relations, [Some("fr"), Some("fr"), Some("po"), Some("po")]);
    let memory = last_memory(story);
    for seen in ["seen_by_left", "seen_by_right"] {
        assert!(memory.contains(&(seen.to_owned(), "0".to_owned())), "{memory:?}");
    }
    assert!(data["files"][0]["parts"][0][1].as_array().is_some_and(|lines| lines.len() > 40));
}

#[test]
fn a_store_that_never_commits_may_close_the_cycle() {
    let folder = Folder::new("page_pending");
    let data = page_data(&written(&folder, "check -m pso", "message_passing.c", "--html"));
    let cycle = data["findings"][0]["story"]["cycle"].as_array().expect("a cycle");
    assert!(!cycle.is_empty());
    let steps = data["findings"][0]["story"]["steps"].as_array().expect("steps").len();
    let is_told = |end: &Value| end.as_u64().and_then(|end| usize::try_from(end).ok()).is_some_and(|end| end < steps);
    assert!(cycle.iter().all(|edge| is_told(&edge["from"]) && is_told(&edge["to"])), "{cycle:?}");
}

#[test]
fn a_violation_of_sequential_consistency_has_no_cycle() {
    let folder = Folder::new("page_sc");
    folder.write("a.c", "#include <assert.h>\nint x; int main(void) { x = 2; assert(x != 2); }\n");
    let path = folder.path("a.html").display().to_string();
    assert_eq!(folder.norn(&["check", "-m", "tso", "--html", &path, "a.c"]).status(), 10);
    let data = page_data(&std::fs::read_to_string(folder.path("a.html")).expect("the page"));
    assert_eq!(data["findings"][0]["story"]["cycle"], serde_json::json!([]));
}

#[test]
fn a_page_tells_what_a_safe_verdict_did_not_reach() {
    let folder = Folder::new("page_safe");
    folder.write(
        "a.c",
        "#include <assert.h>\nint x; int main(void) { while (x < 3) x++;\n assert(x == 3); return 0; }\n",
    );
    let path = folder.path("a.html").display().to_string();
    let run = folder.norn(&["check", "--unwind", "1", "--html", &path, "a.c"]);
    assert_eq!(run.status(), 0, "{}{}", run.stdout(), run.stderr());
    let data = page_data(&std::fs::read_to_string(folder.path("a.html")).expect("the page"));
    let missed = &data["findings"][0]["cover"]["missed"];
    assert_eq!(missed[0]["what"], "the assertion");
    assert_eq!(missed[0]["place"], serde_json::json!([0, 3]));
}

#[test]
fn files_that_cannot_be_written_are_told() {
    let folder = Folder::new("unwritten");
    for option in ["--html", "--sarif", "--dot"] {
        let run = folder.norn(&["check", "-m", "tso", option, "no/such/folder/x", &example("store_buffering.c")]);
        assert_eq!(run.status(), 7, "{option}");
        assert!(run.stderr().contains("cannot write"), "{}", run.stderr());
        assert!(run.stdout().contains("norn: unsafe (tso)"), "the verdict is said all the same");
    }
}

/// What the schema of SARIF 2.1.0 asks of the parts that Norn writes: keys that must be there, keys that may, and values.
mod sarif {
    use super::Value;

    fn object<'a>(value: &'a Value, must: &[&str], may: &[&str]) -> &'a Value {
        let keys = value.as_object().unwrap_or_else(|| panic!("{value} should be an object"));
        assert!(must.iter().all(|key| keys.contains_key(*key)), "{value} should have {must:?}");
        assert!(
            keys.keys().all(|key| must.contains(&&key[..]) || may.contains(&&key[..])),
            "{value} has an unknown key"
        );
        value
    }

    fn list(value: &Value) -> &Vec<Value> {
        value.as_array().unwrap_or_else(|| panic!("{value} should be a list"))
    }

    fn text(value: &Value) -> &str {
        let text = value.as_str().unwrap_or_else(|| panic!("{value} should be a text"));
        assert!(!text.is_empty());
        text
    }

    fn message(value: &Value) {
        text(&object(value, &["text"], &["markdown", "id", "arguments"])["text"]);
    }

    fn location(value: &Value) {
        object(value, &[], &["id", "physicalLocation", "logicalLocations", "message", "annotations", "relationships"]);
        if let Some(place) = value.get("physicalLocation") {
            object(place, &["artifactLocation"], &["region", "contextRegion", "address"]);
            let uri = text(&object(&place["artifactLocation"], &["uri"], &["uriBaseId", "index"])["uri"]);
            assert!(uri.chars().all(|c| c.is_ascii_graphic() && !"\"<>\\^`{|} #".contains(c)), "{uri}");
            let region = object(&place["region"], &["startLine"], &["startColumn", "endLine", "endColumn"]);
            assert!(region["startLine"].as_u64().is_some_and(|line| line >= 1));
            assert!(region.get("startColumn").is_none_or(|column| column.as_u64().is_some_and(|column| column >= 1)));
        }
        for place in value.get("logicalLocations").map(list).into_iter().flatten() {
            text(&object(place, &["name"], &["kind", "fullyQualifiedName", "index"])["name"]);
        }
        if let Some(said) = value.get("message") {
            message(said);
        }
    }

    /// The results.
    pub fn check(log: &Value) -> &Vec<Value> {
        object(log, &["version", "runs"], &["$schema"]);
        assert_eq!(log["version"], "2.1.0");
        let run = object(&log["runs"][0], &["tool", "results"], &["columnKind", "artifacts", "invocations"]);
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let driver = object(
            &object(&run["tool"], &["driver"], &[])["driver"],
            &["name"],
            &["version", "rules", "informationUri"],
        );
        let rules = list(&driver["rules"]);
        let mut ids =
            rules.iter().map(|rule| text(&object(rule, &["id"], &["shortDescription"])["id"])).collect::<Vec<_>>();
        rules.iter().for_each(|rule| message(&rule["shortDescription"]));
        for result in list(&run["results"]) {
            object(
                result,
                &["message"],
                &["ruleId", "ruleIndex", "kind", "level", "locations", "codeFlows", "properties"],
            );
            message(&result["message"]);
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("it should fit");
            assert_eq!(ids[index], text(&result["ruleId"]));
            let kind = text(&result["kind"]);
            assert!(["fail", "pass", "open"].contains(&kind), "{kind}");
            assert_eq!(text(&result["level"]) == "none", kind != "fail", "only what fails has a level");
            result.get("locations").map(list).into_iter().flatten().for_each(location);
            for flow in result.get("codeFlows").map(list).into_iter().flatten() {
                object(flow, &["threadFlows"], &["message"]);
                assert_eq!(list(&flow["threadFlows"]).len(), 1, "viewers show one thread flow");
                let steps = list(&object(&flow["threadFlows"][0], &["locations"], &["id", "message"])["locations"]);
                assert!(!steps.is_empty());
                for (at, step) in steps.iter().enumerate() {
                    object(step, &["location"], &["executionOrder", "state", "kinds", "importance", "nestingLevel"]);
                    assert_eq!(step["executionOrder"].as_u64(), u64::try_from(at + 1).ok());
                    location(&step["location"]);
                    assert!(step["location"].get("message").is_some());
                    for value in
                        step.get("state").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::values)
                    {
                        message(value);
                    }
                }
            }
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "each rule is there once");
        list(&run["results"])
    }
}

#[test]
fn sarif_keeps_to_its_schema() {
    let folder = Folder::new("sarif");
    let log = |words: &str, file: &str| -> Value {
        serde_json::from_str(&written(&folder, words, file, "--sarif")).expect("it should be JSON")
    };
    let weak = log("check -m sc,tso,pso", "store_buffering.c");
    let results = sarif::check(&weak);
    assert_eq!(
        results.iter().map(|r| r["kind"].as_str()).collect::<Vec<_>>(),
        [Some("pass"), Some("fail"), Some("fail")]
    );
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 46);
    let why = "With a full fence after";
    let message = results[1]["message"]["text"].as_str().expect("a message");
    assert!(message.contains("before that store reaches memory") && message.contains(why), "{message}");
    let steps = results[1]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let order = steps.iter().filter_map(|step| step["location"]["message"]["text"].as_str());
    assert!(
        order.clone().any(|text| text == "main.1: writes x = 1 (into its store buffer)"),
        "{:?}",
        order.collect::<Vec<_>>()
    );
    assert!(steps.iter().any(|step| step["state"]["x"]["text"] == "1"), "memory changes when the store is committed");
    let open = log("check -e sample --executions 20", "store_buffering.c");
    assert_eq!(sarif::check(&open)[0]["kind"], "open");
    let robust = log("robust -m tso", "store_buffering.c");
    assert_eq!(sarif::check(&robust)[0]["ruleId"], "not-robust");
    let deadlock = log("check --deadlock", "philosophers.c");
    assert_eq!(sarif::check(&deadlock)[0]["ruleId"], "deadlock");
}

#[test]
fn a_graph_has_the_accesses_and_the_cycle_in_bold() {
    let folder = Folder::new("dot");
    let graph = written(&folder, "check -m tso", "store_buffering.c", "--dot");
    assert!(graph.contains("label=\"main.1 (left)\""), "{graph}");
    let bold = graph.lines().filter(|line| line.contains("->") && line.contains("penwidth=3")).collect::<Vec<_>>();
    assert_eq!(bold.len(), 4, "{bold:?}");
    assert_eq!(bold.iter().filter(|line| line.contains("label=\"fr\"")).count(), 2);
    assert_eq!(graph.matches('{').count(), graph.matches('}').count());
    let node = |line: &&str| line.contains("writes x = 1 (into its store buffer)");
    let store = graph.lines().find(node).and_then(|line| line.trim().split(' ').next()).expect("the store");
    let delayed = |line: &str| line.trim().starts_with(&format!("{store} -> ")) && line.contains("reaches memory");
    assert!(graph.lines().any(delayed), "{graph}");
    // Nothing to draw, no file.
    let path = folder.path("none.dot").display().to_string();
    assert_eq!(folder.norn(&["check", "--dot", &path, &example("store_buffering.c")]).status(), 0);
    assert!(!folder.path("none.dot").exists());
}

//! `--json`: one object, whatever happens, as `docs/norn.schema.json` says.

mod support;

use serde_json::Value;
use support::{Folder, project};

/// What a schema forbids in a value, with the path to it. It knows the words that Norn's schema uses, and no others.
struct Schema(Value);

impl Schema {
    fn read() -> Schema {
        let text =
            std::fs::read_to_string(project().join("docs/norn.schema.json")).expect("the schema should be there");
        Schema(serde_json::from_str(&text).expect("it should be JSON"))
    }

    fn faults(&self, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.0, value, "$", &mut faults);
        faults
    }

    fn check(&self, schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
        for (word, wanted) in schema.as_object().expect("a schema should be an object") {
            match (word.as_str(), wanted) {
                ("$schema" | "title" | "$defs", _) => {}
                ("$ref", Value::String(name)) => {
                    let name = name.strip_prefix("#/$defs/").expect("a reference should be to a definition");
                    self.check(&self.0["$defs"][name], value, path, faults);
                }
                ("oneOf", Value::Array(choices)) => {
                    let of = |choice| {
                        let mut found = Vec::new();
                        self.check(choice, value, path, &mut found);
                        found
                    };
                    let all: Vec<Vec<String>> = choices.iter().map(of).collect();
                    if all.iter().filter(|found| found.is_empty()).count() != 1 {
                        faults.push(format!("{path}: none or several of {all:?}"));
                    }
                }
                ("allOf", Value::Array(parts)) => parts.iter().for_each(|part| self.check(part, value, path, faults)),
                ("type", _) => {
                    let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                    if !names.iter().any(|name| is_of(value, name.as_str().unwrap_or_default())) {
                        faults.push(format!("{path}: {value} is not of type {wanted}"));
                    }
                }
                ("enum", Value::Array(values)) if !values.contains(value) => {
                    faults.push(format!("{path}: {value} is not among {wanted}"));
                }
                ("required", Value::Array(keys)) => {
                    let lacks =
                        |key: &&Value| value.is_object() && value.get(key.as_str().unwrap_or_default()).is_none();
                    faults.extend(keys.iter().filter(lacks).map(|key| format!("{path}: {key} is missing")));
                }
                ("items", _) => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{path}[{at}]"), faults);
                    }
                }
                ("properties", Value::Object(properties)) => {
                    for (key, schema) in properties.iter().filter(|(key, _)| value.get(key).is_some()) {
                        self.check(schema, &value[key], &format!("{path}.{key}"), faults);
                    }
                }
                ("additionalProperties", _) => {
                    let known = |key: &str| schema["properties"].get(key).is_some();
                    for (key, item) in value.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
                        match wanted {
                            Value::Bool(false) => faults.push(format!("{path}: {key} is not known")),
                            _ => self.check(wanted, item, &format!("{path}.{key}"), faults),
                        }
                    }
                }
                ("enum", _) => {}
                _ => panic!("{word} has no meaning here"),
            }
        }
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => panic!("there is no type {name}"),
    }
}

/// The object that a command writes, held against the schema.
fn said(folder: &Folder, args: &[&str]) -> (Value, i32) {
    let run = folder.norn(args);
    let value: Value =
        serde_json::from_str(&run.stdout()).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", run.stdout()));
    let faults = Schema::read().faults(&value);
    assert_eq!(faults, [] as [&str; 0], "{args:?}: {value:#}");
    (value, run.status())
}

#[test]
fn output_keeps_to_its_schema() {
    let folder = Folder::new("json_schema");
    let example = |name: &str| project().join("examples").join(name).display().to_string();
    let (buffers, philosophers) = (example("store_buffering.c"), example("philosophers.c"));
    folder.write("loops.c", "int x;\nint main(void) { while (x < 9) x++; int *p = 0; if (x == 10) *p = 1; }\n");
    folder.write("odd.c", "int mystery(int);\nint main(void) { return mystery(1); }\n");
    folder.write("spins.c", "volatile int x;\nint main(void) { while (!x); }\n");
    let commands: [(&[&str], i32); 9] = [
        (&["check", "--json", &buffers], 0),
        (&["check", "--json", "-m", "tso", &buffers], 10),
        (&["check", "--json", "-m", "sc,tso,pso", &buffers], 10),
        (&["check", "--json", "--deadlock", &philosophers], 10),
        (&["check", "--json", "-e", "events", "--unwind", "2", "--only-assertions", "loops.c"], 0),
        (&["check", "--json", "odd.c"], 5),
        (&["check", "--json", "--termination", "spins.c"], 10),
        (&["robust", "--json", "-m", "tso,pso", &buffers], 10),
        (&["robust", "--json", "-m", "tso", "loops.c"], 0),
    ];
    for (args, status) in commands {
        assert_eq!(said(&folder, args).1, status, "{args:?}");
    }
}

#[test]
fn gathered_verdicts_keep_to_the_schema() {
    let folder = Folder::new("json_tiles");
    let example = project().join("examples/store_buffering.c").display().to_string();
    for (model, status) in [("sc", 0), ("tso", 10)] {
        let split = ["split", "-m", model, "--rounds", "2", "--unwind", "1", "--tiles", "2", "-o", model, &example];
        assert_eq!(folder.norn(&split).status(), 0);
        let (value, open) = said(&folder, &["gather", "--json", model]);
        assert_eq!((open, &value["tiles"]["missing"]), (5, &serde_json::json!([0, 1])));
        for tile in ["0", "1"] {
            assert_eq!(folder.norn(&["work", model, tile]).status(), 0);
        }
        let (value, found) = said(&folder, &["gather", "--json", model]);
        assert_eq!((found, &value["tiles"]["missing"]), (status, &serde_json::json!([])));
    }
    assert_eq!(said(&folder, &["gather", "--json", "nowhere"]).1, 2);
}

#[test]
fn the_verdict_that_decides_comes_first() {
    let folder = Folder::new("json_order");
    let example = project().join("examples/store_buffering.c").display().to_string();
    let (value, _) = said(&folder, &["check", "--json", "-m", "sc,tso,pso", &example]);
    assert_eq!((&value["verdict"], &value["model"]), (&"unsafe".into(), &"tso".into()));
    assert_eq!(value["models"], serde_json::json!(["sc", "tso", "pso"]));
    let others: Vec<_> = value["others"].as_array().expect("a list").iter().map(|v| &v["model"]).collect();
    assert_eq!(others, ["sc", "pso"]);
    let (value, _) = said(&folder, &["check", "--json", &example]);
    assert!(value.get("others").is_none() && value["models"] == serde_json::json!(["sc"]));
}

#[test]
fn errors_are_json_too() {
    let folder = Folder::new("json_errors");
    folder.write("a.c", "int main(void) {\n  int x = 1\n  return x;\n}\n");
    let (value, status) = said(&folder, &["check", "--json", "a.c"]);
    assert_eq!((status, &value["exit"]), (2, &2.into()));
    assert_eq!(value["errors"][0]["location"]["file"], "a.c");
    let (value, status) = said(&folder, &["check", "--json", "nowhere.c"]);
    assert_eq!((status, value["errors"].as_array().map(Vec::len)), (2, Some(1)));
    assert!(value["errors"][0]["message"].as_str().is_some_and(|words| words.contains("nowhere.c")));
    let (value, status) = said(&folder, &["check", "--json", "--no-such-option", "a.c"]);
    assert_eq!((status, &value["exit"]), (1, &1.into()));
    assert!(value["errors"][0]["message"].as_str().is_some_and(|words| words.contains("--no-such-option")));
    // Without the option nothing is written to standard output.
    assert_eq!(folder.norn(&["check", "a.c"]).stdout(), "");
}

#[test]
fn the_schema_can_say_no() {
    let folder = Folder::new("json_wrong");
    folder.write("a.c", "int main(void) { return 0; }\n");
    let (value, _) = said(&folder, &["check", "--json", "a.c"]);
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut changed = value.clone();
        change(&mut changed);
        assert!(!Schema::read().faults(&changed).is_empty(), "{changed:#}");
    };
    wrong(&|value| value["verdict"] = "fine".into());
    wrong(&|value| value["stats"]["seconds"] = "long".into());
    wrong(&|value| value["bounds"] = serde_json::json!([{ "kind": "unwind" }]));
    wrong(&|value| {
        value.as_object_mut().expect("an object").remove("reason");
    });
}

//! Witnesses of a small program, as Norn writes them and as somebody may have changed them.

use norn_ir::ids::FileId;
use norn_ir::program::Program;
use norn_machine::enumerate::{Question as Enumerated, states};
use norn_report::Sources;
use norn_report::format::{Answer as Verdicts, Finding, Format};
use norn_validate::guards::Guards;
use norn_validate::search::{Answer, Search};
use norn_validate::{Question, blames};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, ViolationKind};
use norn_witness::read::{Content, read};
use norn_witness::specification;
use norn_witness::text::{Line, Text, Texts};
use norn_witness::write::{Form, Task};

/// A number that is passed on through `box` when `turn` says so.
const SOURCE: &str = "int turn, box;
void *give(void *arg) {
    box = 7;
    turn = 1;
    return 0;
}
int main(void) {
    create(give);
    int guess = turn;
    if (guess == 1)
        assert(box == 0);
    return 0;
}
";

const PROGRAM: &str = r#"norn-ir 1
target lp64
entry f0
file 0 "a.c"
type t0 = i32 signed
global g0 "turn": t0 !1:5
global g1 "box": t0 !1:11
function f0 "main" () -> i32 !7:5 {
  r0: i32 "guess"
  r2, r4: bool
  r3: i32
  r1: i64
b0:
  r1 = spawn f1(null)                         !8:5
  r0 = load g0                                !9:17
  r2 = eq i32 r0, 1                           !10:15
  branch r2, b1, b3
b1:
  r3 = load g1                                !11:16
  r4 = eq i32 r3, 0                           !11:20
  branch r4, b3, b2
b2:
  assert false assertion "box == 0"           !11:9
  unreachable
b3:
  return 0                                    !12:5
}
function f1 "give" (r0) -> ptr !2:7 {
  r0: ptr "arg"
b0:
  store i32 g1, 7                             !3:9
  store i32 g0, 1                             !4:10
  return null                                 !5:5
}
"#;

fn program() -> Program {
    norn_ir::parse::parse(PROGRAM).expect("it should be a program")
}

fn texts() -> Texts {
    let lines = SOURCE.lines().map(str::to_owned).collect::<Vec<_>>();
    let numbers = 1..=u32::try_from(lines.len()).expect("a short text");
    let lines_of = numbers.map(|number| ((FileId(0), number), Line { file: 0, number })).collect();
    Texts { files: vec![Text::new("a.c".to_owned(), lines)], lines: lines_of }
}

fn written(form: Form, checks: Checks) -> String {
    let (program, texts, limits) = (program(), texts(), Limits::none());
    let question =
        Enumerated { program: &program, model: Model::Sc, checks, limits: &limits, domain: None, observed: &[] };
    let verdict = states::verdict(&question).expect("it should replay");
    let files = [("a.c".to_owned(), SOURCE.as_bytes().to_vec())];
    let task = Task {
        form,
        files: &files,
        texts: &texts,
        checks,
        property: None,
        entry: "main",
        time: 0,
        blames: &|found| blames(&program, checks, found),
    };
    let sources = Sources { program: &program, line_text: &|_, _| None };
    let finding = Finding { answer: Verdicts::Safety(&verdict), cycle: &[], about: None };
    task.render(&[finding], &sources).expect("there should be a witness")
}

/// What becomes of a witness: `Ok` with the kind and line of the violation, `Err(true)` if it is refuted.
fn followed(text: &str) -> Result<(ViolationKind, u32), bool> {
    let (program, texts) = (program(), texts());
    let witness = read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let asked = specification::read(&witness.header.specification).expect("it should be a specification");
    let Content::Violation(automaton) = &witness.content else { panic!("it should be about a violation") };
    let question = Question { program: &program, texts: &texts, checks: asked.checks, kinds: &asked.kinds, automaton };
    let guards = Guards::new(&program, &texts, automaton);
    match Search::new(question, &guards).run(&Limits::none()).expect("it should replay") {
        Answer::Confirmed(found) => Ok((found.violation().kind, found.violation().span.line)),
        Answer::Refuted => Err(true),
        Answer::Open(_) => Err(false),
    }
}

#[test]
fn what_is_written_is_confirmed() {
    for form in [Form::Yaml, Form::GraphMl] {
        assert_eq!(followed(&written(form, Checks::default())), Ok((ViolationKind::Assertion, 11)));
        let race = Checks { data_race: true, ..Checks::default() };
        let text = written(form, race);
        assert!(matches!(followed(&text), Ok((ViolationKind::DataRace, _))), "{text}");
    }
}

#[test]
fn what_is_changed_is_refuted() {
    let yaml = written(Form::Yaml, Checks::default());
    let graph = written(Form::GraphMl, Checks::default());
    let race = written(Form::Yaml, Checks { data_race: true, ..Checks::default() });
    let (before, target) = yaml.split_once("type: target").expect("a target");
    let other_thread = format!("{before}type: target{}", target.replace("thread_id: 0", "thread_id: 1"));
    let changed = [
        yaml.replace("turn == 1", "turn == 2"),
        yaml.replace("box == 7", "box == 0"),
        // A line that main never comes to, and one where nothing is.
        yaml.replace("line: 9\n", "line: 3\n"),
        yaml.replace("line: 9\n", "line: 99\n"),
        // Another place of the violation.
        yaml.replace("line: 11\n", "line: 12\n"),
        other_thread,
        graph.replace("turn == 1", "turn == 2"),
        graph.replace(">9<", ">3<"),
        graph.replace(">give<", ">main<"),
        // A race comes before what the path is about.
        graph.replace("G assert", "G ! data-race"),
        // The accesses of one thread do not race.
        race.replace("thread_id: 1", "thread_id: 0"),
    ];
    for text in changed {
        assert!(text != yaml && text != graph && text != race, "something should change");
        assert_eq!(followed(&text), Err(true), "{text}");
    }
}

/// A witness by hand, as another tool might write it.
fn by_hand(segments: &str) -> String {
    format!(
        "---\n# by hand\n- content:\n{segments}  - segment:\n    - waypoint:\n        type: target\n        action: follow\n        \
         location: {{file_name: a.c, line: 11}}\n  entry_type: 'violation_sequence'\n  metadata:\n    format_version: '2.1'\n    \
         task: {{specification: \"CHECK( init(main()), LTL(G assert) )\", data_model: LP64}}\n"
    )
}

fn waypoint(action: &str, kind: &str, line: u32, constraint: &str) -> String {
    format!(
        "    - waypoint:\n        action: {action}\n        type: {kind}\n        location: {{file_name: x/a.c, line: {line}}}\n        \
         constraint: {{value: \"{constraint}\", format: c_expression}}\n"
    )
}

#[test]
fn what_is_left_open_is_searched_for() {
    let check = |waypoints: &[String], is_confirmed: bool| {
        let segment =
            if waypoints.is_empty() { String::new() } else { format!("  - segment:\n{}", waypoints.concat()) };
        let expected = if is_confirmed { Ok((ViolationKind::Assertion, 11)) } else { Err(true) };
        assert_eq!(followed(&by_hand(&segment)), expected, "{segment}");
    };
    check(&[], true);
    check(&[waypoint("follow", "branching", 10, "true")], true);
    check(&[waypoint("follow", "branching", 10, "false")], false);
    check(&[waypoint("follow", "assumption", 10, "guess == 1 && box != 0")], true);
    check(&[waypoint("follow", "assumption", 10, "guess == 0")], false);
    // What is not understood rules nothing out, and nothing is seen of a brace.
    check(&[waypoint("follow", "assumption", 10, "*&guess == 5")], true);
    check(&[waypoint("follow", "assumption", 6, "1")], true);
    let after = waypoint("follow", "assumption", 11, "1");
    check(&[waypoint("avoid", "assumption", 10, "1"), after.clone()], false);
    check(&[waypoint("avoid", "assumption", 10, "guess == 0"), after], true);
}

//! The language: every operator on a small execution, and the errors with their places.

use norn_cat::{Evaluation, Execution, Model, Relation, Set, Stage, Vocabulary, builtin, load, load_builtin};
use norn_ir::diag::Diagnostic;
use norn_ir::source::SourceMap;

/// Four events: 0 and 1 in a thread, 2 and 3 in another; `W` has 0 and 3, `R` has 1 and 2, and 2 reads from 0.
struct Small;

impl Execution for Small {
    fn events(&self) -> usize {
        4
    }

    fn set(&self, name: &str) -> Set {
        let members: &[usize] = match name {
            "W" => &[0, 3],
            "R" => &[1, 2],
            "F" => &[],
            other => panic!("'{other}' should not be asked for"),
        };
        Set::of(4, members.iter().copied())
    }

    fn relation(&self, name: &str) -> Relation {
        let pairs: &[(usize, usize)] = match name {
            "po" => &[(0, 1), (2, 3)],
            "rf" => &[(0, 2)],
            "co" => &[(3, 0)],
            "fr" => &[(1, 3)],
            "id" => &[(0, 0), (1, 1), (2, 2), (3, 3)],
            "loc" => &[(0, 2), (2, 0)],
            other => panic!("'{other}' should not be asked for"),
        };
        Relation::of(4, pairs.iter().copied())
    }
}

const VOCABULARY: Vocabulary<'static> = Vocabulary { sets: &["W", "R", "F", "po-like.set"] };

fn read(text: &str) -> Result<Model, Diagnostic> {
    let mut sources = SourceMap::new();
    load(&mut sources, "test.cat", text.to_owned(), VOCABULARY, &mut |_| Err("there is none".to_owned()))
}

/// The name of the check that fails.
fn failure(model: &Model) -> Option<String> {
    let mut evaluation = Evaluation::new(model);
    for stage in Stage::ALL {
        evaluation.advance(stage, &Small);
        if let Some(failure) = evaluation.failure(stage) {
            return Some(failure.check.name.clone());
        }
    }
    None
}

/// Whether two expressions mean the same here.
#[track_caller]
fn same(lhs: &str, rhs: &str) {
    let differ = format!("let d = (({lhs}) \\ ({rhs})) | (({rhs}) \\ ({lhs}))\nempty d as same");
    let model = read(&differ).unwrap_or_else(|error| panic!("{lhs}: {}", error.message));
    assert_eq!(failure(&model), None, "{lhs} should be {rhs}");
    // The test would see a difference.
    let wrong = format!("let d = (({lhs}) \\ 0)\n~empty d as same\nempty d as other");
    assert!(failure(&read(&wrong).unwrap()).is_some());
}

#[track_caller]
fn refused(text: &str, line: u32, column: u32, message: &str) {
    let mut sources = SourceMap::new();
    let folder = &mut |_: &str| Err("there is none".to_owned());
    let error = load(&mut sources, "test.cat", text.to_owned(), VOCABULARY, folder).expect_err(text);
    assert_eq!(error.message, message, "{text}");
    let Some(label) = error.labels.first() else { panic!("'{text}' should have a place") };
    let (_, position) = sources.physical(label.loc).expect("a place in the text");
    assert_eq!((position.line, position.column), (line, column), "{text}");
}

/// `{0, 1}` and so on as an expression.
const E0: &str = "(W & domain(rf))";
const E1: &str = "(R & range(po))";
const E2: &str = "range(rf)";
const E3: &str = "(W & range(po))";

fn pairs(list: &[(&str, &str)]) -> String {
    list.iter().map(|(a, b)| format!("({a} * {b})")).collect::<Vec<_>>().join(" | ")
}

#[test]
fn operators_on_relations() {
    same("po", &pairs(&[(E0, E1), (E2, E3)]));
    same("po | rf", &pairs(&[(E0, E1), (E2, E3), (E0, E2)]));
    same("po & (W * R)", &pairs(&[(E0, E1)]));
    same("po \\ (W * R)", &pairs(&[(E2, E3)]));
    same("rf ; po", &pairs(&[(E0, E3)]));
    same("rf^-1", &pairs(&[(E2, E0)]));
    same("(po | rf)+", &pairs(&[(E0, E1), (E2, E3), (E0, E2), (E0, E3)]));
    same("(po | rf)^+", "(po | rf)+");
    same("(po | rf)*", "(po | rf)^+ | id");
    same("po^*", "po? | 0");
    same("po?", "po | id");
    same("~po & (_ * _)", "(_ * _) \\ po");
    same("[W]", "id & (W * W)");
    same("[W] ; po", "po & (W * _)");
    same("co ; rf", &pairs(&[(E3, E2)]));
    same("fencerel(R)", "po ; [R] ; po");
    same("try po with rf", "po");
    same("try po ; unknown with rf", "rf");
    same("(try fencerel(NONE) with 0) | po", "po");
}

#[test]
fn operators_on_sets() {
    same("domain(po)", "domain po");
    same("[domain(po) & W] | po", "([W] & [domain(po)]) | po");
    same("[~W]", "[R]");
    same("[W | R]", "id");
    same("[_ \\ W]", "[R]");
    same("[range(rf)]", "[R] ; rf^-1 ; rf");
    same("W * W | po", "(W * W) | po");
}

#[test]
fn precedence() {
    // `;` binds tighter than `|`, `\` than `;`, `&` than `\`, infix `*` than `&`.
    same("rf | rf ; po", "rf | (rf ; po)");
    same("rf ; po \\ rf", "rf ; (po \\ rf)");
    same("po \\ po & rf", "po \\ (po & rf)");
    same("po & W * R", "po & (W * R)");
    same("~po^-1 & po", "(~po)^-1 & po");
    // A star before an operand is a product, else it closes.
    same("(rf* ; po*) & po*", "po^*");
}

#[test]
fn definitions() {
    same("let a = rf and b = po in a ; b", "rf ; po");
    let model = read("let f(x, y) = x ; y let g x = f(x, po) acyclic g(rf) | (g(rf))^-1 as check").unwrap();
    assert_eq!(failure(&model).as_deref(), Some("check"));
    // A function sees what was defined before it, not after.
    let model = read("let a = po let f(x) = a | x let a = po^-1 acyclic f(po) as check").unwrap();
    assert_eq!(failure(&model), None);
    // The least fixpoint.
    let model =
        read("let rec t = po | rf | t ; t and u = t^-1 empty (t \\ (po|rf)+) | ((po|rf)+ \\ t) as check").unwrap();
    assert_eq!(failure(&model), None);
    let model = read("let rec t = t ; t empty t as check").unwrap();
    assert_eq!(failure(&model), None);
    let model = read("let rec a = rf | b ; po and b = a empty a \\ rf as check").unwrap();
    assert_eq!(failure(&model).as_deref(), Some("check"));
}

#[test]
fn checks() {
    let fails = |text: &str| failure(&read(text).unwrap()).is_some();
    assert!(!fails("acyclic po | rf"));
    assert!(fails("acyclic po | rf | co"));
    assert!(fails("~acyclic po | rf"));
    assert!(!fails("~acyclic po | rf | co"));
    assert!(!fails("irreflexive po | rf | co"));
    assert!(fails("irreflexive rf ; po ; co"));
    assert!(!fails("~irreflexive rf ; po ; co"));
    assert!(fails("empty rf"));
    assert!(!fails("~empty rf"));
    assert!(fails("empty W"));
    assert!(!fails("empty W & R"));
    assert!(!fails("\"A title\" (* a (* nested *) comment *) // another\nshow po, rf as x unshow co acyclic po"));
    assert!(!fails("include \"cos.cat\" with co from po acyclic po"));
}

#[test]
fn flags() {
    let model =
        read("acyclic po as fine flag ~empty rf as reads flag empty rf as silent flag ~acyclic po as no").unwrap();
    let mut evaluation = Evaluation::new(&model);
    Stage::ALL.iter().for_each(|&stage| evaluation.advance(stage, &Small));
    assert!(Stage::ALL.iter().all(|&stage| evaluation.failure(stage).is_none()));
    assert_eq!(evaluation.flags(), ["reads"]);
    // Undefined behaviour is not forbidden either.
    assert_eq!(
        failure(&read("undefined_unless empty rf as races undefined_unless empty po acyclic po").unwrap()),
        None
    );
}

#[test]
fn failures_name_their_events() {
    let model = read("acyclic po | rf | co as cycle").unwrap();
    let mut evaluation = Evaluation::new(&model);
    Stage::ALL.iter().for_each(|&stage| evaluation.advance(stage, &Small));
    let failure = evaluation.failure(Stage::Coherence).expect("a failure");
    assert_eq!(failure.events, [0, 2, 3]);
}

#[test]
fn mistakes_have_places() {
    refused("acyclic po |", 1, 13, "the model ends where a set or a relation should stand");
    refused("let a = po\nlet b = a ; c\nacyclic b", 2, 13, "'c' is not defined");
    refused("let f(x) = x ; y\nacyclic po", 1, 16, "'y' is not defined");
    refused("let f(x) = g(x)\nacyclic po", 1, 12, "'g' is not defined");
    refused("acyclic W", 1, 9, "this is a set of events; only 'empty' can be asked of one");
    refused("acyclic W ; po", 1, 9, "a relation should stand here, this is a set of events");
    refused("acyclic [po]", 1, 10, "a set of events should stand here, this is a relation");
    refused("acyclic po | W", 1, 12, "one side is a set of events and the other a relation");
    refused("let f(x) = x acyclic f(po, rf)", 1, 22, "'f' has one argument, not 2");
    refused("let f(x, x) = x acyclic f(po, rf)", 1, 5, "'x' is a parameter twice");
    refused("acyclic po(rf)", 1, 9, "'po' is not a function");
    refused("let f(x) = x acyclic f", 1, 22, "a check is about a relation, not a function");
    refused("let rec f(x) = f(x) acyclic f(po)", 1, 9, "the function 'f' may not be recursive");
    refused("let f(x) = f(x) acyclic f(po)", 1, 12, "'f' is not defined");
    refused("flag empty po", 1, 1, "a flag needs a name: 'flag … as name'");
    refused("(* open", 1, 1, "this comment is never closed");
    refused("\"open", 1, 1, "this text in quotes is never closed");
    refused("acyclic po £", 1, 12, "unexpected character '£'");
    refused("acyclic 'tag", 1, 9, "the tag 'tag can only be used where tags are declared");
    refused("acyclic ~0", 1, 9, "this could be a set or a relation; write '_' or '_ * _'");
    refused("acyclic try none with nothing", 1, 23, "'nothing' is not defined");
    refused(
        "acyclic try po | rf",
        1,
        20,
        "the model ends where 'with' between what is tried and what stands for it should stand",
    );
    refused("match x with", 1, 1, "'match' is a part of the language that is not supported");
    refused("include \"none.cat\"", 1, 9, "cannot read 'none.cat': there is none");
    for outside in ["../x.cat", "/etc/passwd", ".hidden", "a/b.cat", ""] {
        let message = "a model includes files of its own folder, by their plain names";
        refused(&format!("include \"{outside}\""), 1, 9, message);
    }
}

#[test]
fn recursion_is_monotone() {
    let message = "the recursion is not monotone: what is being defined is complemented here";
    refused("let rec a = po \\ a\nacyclic a", 1, 16, message);
    refused("let rec a = ~a\nacyclic a", 1, 13, message);
    refused("let rec a = b and b = po \\ (rf ; a)\nacyclic a", 1, 26, message);
    refused("let not(x) = ~x\nlet rec a = not(a)\nacyclic a", 1, 14, message);
    assert!(read("let rec a = (a | po) \\ rf acyclic a").is_ok());
}

#[test]
fn models_cannot_grow_without_end() {
    let mut doubling = "let f0(x) = x ; po | po ; x\n".to_owned();
    for n in 1..60 {
        doubling += &format!("let f{n}(x) = f{}(x | rf) | f{}(x | co)\n", n - 1, n - 1);
    }
    let error = read(&format!("{doubling}acyclic f59(po)")).expect_err("too much");
    assert!(error.message.starts_with("the model comes to more than") || error.message.starts_with("the model makes"));
    let deep = format!("acyclic {}po{}", "(".repeat(5000), ")".repeat(5000));
    assert!(read(&deep).expect_err("too deep").message.contains("levels deep"));
    let tildes = format!("acyclic {}po", "~".repeat(5000));
    assert!(read(&tildes).expect_err("too deep").message.contains("levels deep"));
    let long = format!("acyclic po{}", " | rf".repeat(5000));
    assert!(read(&long).expect_err("too long").message.contains("operators"));
    let many = "acyclic po\n".repeat(5000);
    assert!(read(&many).expect_err("too many").message.contains("statements"));
    assert!(read("let a = po").expect_err("nothing").message.contains("forbids nothing"));
}

#[test]
fn includes_come_from_the_folder() {
    let mut sources = SourceMap::new();
    let files = &mut |name: &str| match name {
        "defs.cat" => Ok("let hb = po | rf".to_owned()),
        "round.cat" => Ok("include \"round.cat\"".to_owned()),
        "ping.cat" => Ok("include \"pong.cat\"".to_owned()),
        "pong.cat" => Ok("include \"ping.cat\"".to_owned()),
        _ => Err("there is none".to_owned()),
    };
    let mut all = |text: &str| load(&mut sources, "main.cat", text.to_owned(), VOCABULARY, files);
    assert_eq!(failure(&all("include \"defs.cat\" acyclic hb | co as check").unwrap()).as_deref(), Some("check"));
    assert_eq!(all("include \"round.cat\"").unwrap_err().message, "'round.cat' includes itself");
    assert_eq!(all("include \"ping.cat\"").unwrap_err().message, "'ping.cat' includes itself");
    assert_eq!(all("include \"main.cat\"").unwrap_err().message, "'main.cat' includes itself");
    // Models that come with Norn can be built upon, unless the folder has a file of that name.
    let more = |sources: &mut SourceMap, folder: &mut dyn FnMut(&str) -> Result<String, String>| {
        let vocabulary = Vocabulary { sets: &["R", "W", "F", "M", "X", "FullFence"] };
        load(sources, "main.cat", "include \"tso.cat\" empty rf as more".to_owned(), vocabulary, folder)
    };
    let model = more(&mut SourceMap::new(), &mut |_| Err("there is none".to_owned())).unwrap();
    assert_eq!(model.checks.len(), 4);
    let model = more(&mut SourceMap::new(), &mut |_| Ok("empty po".to_owned())).unwrap();
    assert_eq!(model.checks.len(), 2);
}

#[test]
fn the_models_that_come_with_norn_are_coherent() {
    let sets: Vec<&str> = "R W M F IW A Q L X NoRet ISB DMB.FULL DMB.LD DMB.ST DSB.FULL DSB.LD DSB.ST AQ RL AMO \
        Fence.r.r Fence.r.w Fence.r.rw Fence.w.r Fence.w.w Fence.w.rw Fence.rw.r Fence.rw.w Fence.rw.rw Fence.tso \
        NA RLX CON ACQ REL ACQ_REL SC Plain Once Acquire Release Noreturn Mb Rmb Wmb Before-atomic After-atomic \
        After-spinlock After-unlock-lock Rcu-lock Rcu-unlock Sync-rcu Srcu-lock Srcu-unlock Sync-srcu LKR LKW UL \
        FullFence StoreFence RMW After-srcu-read-unlock"
        .split_whitespace()
        .collect();
    for name in builtin::names() {
        let mut sources = SourceMap::new();
        let model = load_builtin(&mut sources, name, Vocabulary { sets: &sets }).expect("a name");
        let model = model.unwrap_or_else(|error| panic!("{name}: {}", error.message));
        assert!(model.is_coherent() && model.is_atomic(), "{name}");
        assert!(model.ignores_lost_reads(), "{name}");
    }
    assert!(!read("acyclic po | rf | co").unwrap().is_coherent());
    assert!(!read("~acyclic po | rf | co | fr").unwrap().is_coherent());
    assert!(read("let com = rf | co | fr acyclic (po & loc) | com").unwrap().is_coherent());
}

#[test]
fn some_models_profit_from_reads() {
    let ignores = |text: &str| read(&format!("{text} acyclic po | rf")).unwrap().ignores_lost_reads();
    assert!(ignores("empty rf ; po ; rf"));
    assert!(ignores("let back = po \\ (po ; [W] ; po) empty back"));
    assert!(ignores("empty po \\ (rf^-1 ; rf)"));
    assert!(!ignores("empty po \\ (po ; [R] ; po)"));
    assert!(!ignores("empty po \\ (po ; po)"));
    assert!(!ignores("empty po \\ ctrl"));
    assert!(!ignores("~empty addr"));
    assert!(!ignores("empty po & ~(data | rf)"));
    assert!(!ignores("empty [W] ; po \\ po^+"));
    assert!(ignores("empty po & ~~data"));
}

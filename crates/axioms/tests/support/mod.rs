//! Verdicts of small C programs under models by name.
#![allow(dead_code)]

use norn_axioms::answer::{Answer, Outcome, Question};
use norn_axioms::memory::Base;
use norn_axioms::picture::picture;
use norn_cat::Model;
use norn_engine::GivenBounds;
use norn_ir::source::SourceMap;
use norn_verdict::limits::Limits;
use norn_verdict::outcome::Checks;

pub const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    #define ld(x, o) atomic_load_explicit(&(x), memory_order_##o)\n\
    #define st(x, v, o) atomic_store_explicit(&(x), v, memory_order_##o)\n\
    #define add(x, v, o) atomic_fetch_add_explicit(&(x), v, memory_order_##o)\n\
    #define swap(x, v, o) atomic_exchange_explicit(&(x), v, memory_order_##o)\n\
    #define fence(o) atomic_thread_fence(memory_order_##o)\n\
    typedef atomic_int var;\n";

pub fn model(name: &str) -> Model {
    let mut sources = SourceMap::default();
    norn_graph::model::builtin(&mut sources, name).expect("the model should be there").expect("it should be a model")
}

pub fn answer(model: &Model, source: &str, unwind: Option<u32>) -> Answer {
    let program = norn_testing::prepare(&format!("{HEAD}{source}"));
    let given = unwind.map_or_else(GivenBounds::default, GivenBounds::of_all_loops);
    let limits = Limits::for_seconds(600.0);
    let question = Question { program: &program, model, checks: Checks::usual(), given: &given, limits: &limits };
    question.answer().unwrap_or_else(|mismatch| panic!("an execution was not confirmed: {mismatch}"))
}

/// In a word, with what is wrong or why nothing is known.
pub fn word(answer: &Answer) -> String {
    match &answer.outcome {
        Outcome::Unsafe(witness) => format!("unsafe: {}", witness.violation().kind.phrase()),
        Outcome::Safe { bounds } if bounds.is_empty() => "safe".to_owned(),
        Outcome::Safe { .. } => "safe within bounds".to_owned(),
        Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => format!("unknown: {undecided}"),
    }
}

pub fn verdict(name: &str, source: &str) -> String {
    word(&answer(&model(name), source, None))
}

/// The execution that shows what is wrong.
pub fn shown(name: &str, source: &str) -> String {
    let program = norn_testing::prepare(&format!("{HEAD}{source}"));
    let base = Base::new(&program).expect("it should be small");
    match answer(&model(name), source, None).outcome {
        Outcome::Unsafe(witness) => picture(&witness, &base).text(&|span| format!("{}", span.line)),
        _ => String::new(),
    }
}

/// Main starts these functions, and asserts this when all have ended.
pub fn threads(globals: &str, bodies: &[&str], wanted: &str) -> String {
    let mut text = format!("{globals}\n");
    let mut main = String::from("int main(void) {\n");
    for (number, body) in bodies.iter().enumerate() {
        text += &format!("void *t{number}(void *unused) {{ {body} return 0; }}\n");
        main += &format!("pthread_t h{number}; pthread_create(&h{number}, 0, t{number}, 0);\n");
    }
    for number in 0..bodies.len() {
        main += &format!("pthread_join(h{number}, 0);\n");
    }
    text + &main + &format!("assert({wanted});\nreturn 0;\n}}\n")
}

//! What an engine costs: a type with its capabilities and one function. This one lets main run alone, and guesses that an
//! assertion fails on the way.

use norn_engine::capabilities::{Ability, Capabilities};
use norn_engine::{Engine, Query};
use norn_machine::Reference;
use norn_testing::prepare;
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict, ViolationKind};
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName};
use norn_verdict::undecided::{Undecided, Why};

const LONER: Capabilities = Capabilities {
    name: "loner",
    deadlock: Ability::No,
    data_race: Ability::No,
    termination: Ability::No,
    memory_leak: Ability::No,
    reuses_memory: false,
    says_safe: false,
    has_proofs: false,
    finds_shortest: false,
    counts_rounds: false,
};

struct Loner {
    steps: u32,
}

impl Engine for Loner {
    fn capabilities(&self) -> &'static Capabilities {
        &LONER
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        if let Some(refused) = query.refused(&LONER) {
            return Ok(refused);
        }
        let step = |step| Step::Run { thread: ThreadName::main(), step: StepNumber(step) };
        let steps = (1..=self.steps).map(step).collect();
        let schedule = Schedule { model: query.model, program: query.program.fingerprint(), steps, inputs: Vec::new() };
        let claim = Claim { schedule, expected: vec![Expected::anywhere(ViolationKind::Assertion)] };
        match referee.rule(query.program, query.checks, claim) {
            Ruling::Fails(Mismatch::Other { .. }) => {
                let open = Undecided::new(Why::EndedBy("main alone violates nothing".into()));
                Ok(query.unknown(LONER.name, open, Stats::default()))
            }
            ruling => ruling.verdict(query.model, LONER.name, Stats::default()),
        }
    }
}

fn ask(text: &str, checks: Checks, steps: u32) -> Result<Verdict, Mismatch> {
    let program = prepare(&format!("#include <assert.h>\n#include <pthread.h>\n{text}"));
    let query = Query { program: &program, model: Model::Sc, checks, bounds: None, limits: &Limits::none() };
    Loner { steps }.run(&query, &Reference)
}

/// Main's accesses to `x` are steps, since the thread can reach it.
const PROGRAM: &str = "int x; void *t(void *p) { x = 1; return 0; }\n\
    int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); x = 2; assert(x == WANTED); return 0; }";

#[test]
fn a_claim_becomes_a_verdict_only_if_it_replays() {
    let found = ask(&PROGRAM.replace("WANTED", "1"), Checks::default(), 3).expect("it should replay");
    let Outcome::Unsafe(found) = found.outcome else { panic!("{found:?}") };
    assert_eq!(found.violation().kind, ViolationKind::Assertion);
    let guess = ask(&PROGRAM.replace("WANTED", "2"), Checks::default(), 3).expect("there is nothing to replay");
    assert!(matches!(guess.outcome, Outcome::Unknown(_)), "{guess:?}");
    // There is no such step: the engine is wrong about the program.
    assert!(matches!(ask(&PROGRAM.replace("WANTED", "2"), Checks::default(), 9), Err(Mismatch::Refused(_))));
}

#[test]
fn what_an_engine_lacks_it_refuses_by_its_capabilities() {
    let asked = Checks { deadlock: true, ..Checks::default() };
    let refused = ask(&PROGRAM.replace("WANTED", "1"), asked, 3).expect("nothing is claimed");
    assert!(matches!(refused.outcome, Outcome::Unknown(Undecided { why: Why::NotLookedFor(_), .. })), "{refused:?}");
}

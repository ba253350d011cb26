//! The models of the formula are those of the pieces, each of exactly one.

use crate::encode::Encoding;
use crate::examine::thread_order;
use crate::plan::{Plan, UnitId};
use crate::solve::Question;
use norn_ir::number::narrow;
use norn_logic::{Answer, ClauseSink, Sat, Term};
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{Symbolic, execute};
use norn_testing::Random;
use norn_testing::programs::{Shape, program};
use norn_tiles::split::split;
use norn_tiles::{Cube, Space};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::BTreeSet;

/// How many units of each thread have begun by the end of each round.
type Schedule = Vec<Vec<u32>>;

/// More schedules than this take too long to list.
const MOST: usize = 250;

fn space(plan: &Plan, last: u32) -> Space {
    let units = plan.threads.iter().map(|thread| narrow(thread.units.iter().count() - 1)).collect();
    Space { units, last }
}

/// All schedules of the formula within a cube, found one after the other; nothing if they are too many.
fn schedules(symbolic: &Symbolic, plan: &Plan, model: Model, rounds: u32, cube: &Cube) -> Option<BTreeSet<Schedule>> {
    let order = thread_order(symbolic, &[]);
    let mut encoding = Encoding::new(symbolic, plan, model, &order, None);
    encoding.narrow_to(cube);
    let mut question = Question::new(&mut encoding, rounds, false, &Limits::none()).expect("there is no limit");
    let last = rounds + 1;
    let mut begun: Vec<Vec<Vec<Term>>> = Vec::new();
    for thread in &plan.threads {
        let units: Vec<UnitId> = thread.units.iter().skip(1).collect();
        let by = |round| units.iter().map(|&unit| question.encoding.started(unit, round)).collect();
        begun.push((1..=last).map(by).collect());
    }
    let mut found = BTreeSet::new();
    while question.blaster.sink_mut().solve(&[], &Limits::none()) == Answer::Sat {
        let mut other = Vec::new();
        let mut schedule: Schedule = Vec::new();
        // First all that is new to the solver, which forgets its model then.
        let mut literal = |term: Term| question.blaster.lit(&question.encoding.narrow.terms, term);
        let literals: Vec<Vec<Vec<_>>> = begun
            .iter()
            .map(|rounds| rounds.iter().map(|units| units.iter().map(|&unit| literal(unit)).collect()).collect())
            .collect();
        assert_eq!(question.blaster.sink_mut().solve(&[], &Limits::none()), Answer::Sat);
        for rounds in &literals {
            let position = |units: &Vec<norn_logic::Lit>| {
                let values: Vec<bool> = units.iter().map(|&unit| question.blaster.sink().value(unit)).collect();
                assert!(values.is_sorted_by(|a, b| a >= b), "units begin one after the other: {values:?}");
                narrow(values.iter().filter(|value| **value).count())
            };
            schedule.push(rounds.iter().map(position).collect());
            let units = rounds.iter().flatten();
            other.extend(units.map(|&unit| unit.negate_if(question.blaster.sink().value(unit))));
        }
        assert!(found.insert(schedule), "a schedule was found again");
        if found.len() > MOST {
            return None;
        }
        question.blaster.sink_mut().clause(&other);
    }
    Some(found)
}

#[test]
fn each_schedule_is_found_in_exactly_one_piece() {
    let shape = Shape { threads: (2, 3), statements: (1, 2), library: false, ends: true, inputs: false };
    let (mut compared, mut pieces) = (0, 0);
    for number in 0..60 {
        let mut random = Random::new(31_000 + number);
        let text = program(&mut random, shape);
        let code = Analysed::new(norn_testing::compile(&text));
        let symbolic =
            execute(&code, &Bounds::default(), Checks::usual(), &Limits::none()).expect("it can be executed");
        let (model, rounds) = (Model::ALL[random.index(3)], 1 + narrow(random.index(2)));
        let plan = Plan::new(&symbolic, model);
        let Some(all) = schedules(&symbolic, &plan, model, rounds, &Cube::default()) else { continue };
        let cubes = split(&space(&plan, rounds + 1), 2 + random.index(6));
        let mut sum = 0;
        for cube in &cubes {
            let own = schedules(&symbolic, &plan, model, rounds, cube).expect("there are no more than in all");
            let belongs =
                |schedule: &&Schedule| cube.has(|thread, round| schedule[thread as usize][round as usize - 1]);
            assert_eq!(own, all.iter().filter(belongs).cloned().collect(), "program {number} {model} {cube:?}\n{text}");
            sum += own.len();
        }
        assert_eq!(sum, all.len(), "program {number} {model}\n{text}");
        compared += 1;
        pieces += cubes.len();
    }
    assert!(compared > 15 && pieces > 50, "only {compared} programs in {pieces} pieces");
}

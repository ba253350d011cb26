//! The answers to all pieces say together what the engine says of the whole.

use norn_engine::{Engine, Prepared, Query};
use norn_ir::number::narrow;
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_rounds::Rounds;
use norn_rounds::tile::{Answered, answer, shape};
use norn_testing::programs::{Shape, program};
use norn_testing::{Random, checked, prepare};
use norn_tiles::gather::{Pieces, Together, gather};
use norn_tiles::split::split;
use norn_tiles::{Answer, Piece, Question, piece};
use norn_verdict::claim::{Referee, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Checks, Outcome};
use std::collections::BTreeMap;

/// The verdict in words, with all that does not depend on which execution was found first.
#[derive(PartialEq, Debug)]
enum Word {
    Unsafe,
    Safe { bounds: Vec<Bound>, assumptions: Vec<String> },
    Unknown,
}

fn whole(query: &Query<'_>, options: &Rounds) -> Word {
    let verdict = options.run(query, &Reference).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    match verdict.outcome {
        Outcome::Unsafe(_) => Word::Unsafe,
        Outcome::Safe { bounds } => {
            let assumptions = verdict.remarks.assumptions.iter().map(|one| format!("{one:?}")).collect();
            Word::Safe { bounds, assumptions }
        }
        Outcome::Limited { .. } | Outcome::Unknown(_) => Word::Unknown,
    }
}

fn in_pieces(query: &Query<'_>, bounds: &Bounds, options: &Rounds, tiles: usize) -> (Word, usize) {
    let shape = match shape(query, bounds, options) {
        Ok(shape) => shape,
        Err(_) => return (Word::Unknown, 0),
    };
    let cubes = split(&shape.space, tiles);
    let question = Question {
        norn: piece::version().to_owned(),
        engine: "rounds".to_owned(),
        model: query.model,
        checks: query.checks,
        rounds: options.rounds.expect("a number of rounds"),
        thread_order: Vec::new(),
        bits: None,
        unwind: None,
        unwind_at: Vec::new(),
        shape: shape.clone(),
        program: query.program.to_string(),
        lines: BTreeMap::new(),
    };
    let all: Vec<Piece> = (0..)
        .zip(&cubes)
        .map(|(tile, cube)| Piece { question: question.clone(), tile, tiles: narrow(cubes.len()), cube: cube.clone() })
        .collect();
    let mut pieces = Pieces::new(all[0].clone());
    all[1..].iter().for_each(|piece| pieces.add(piece.clone()).expect("it should belong there"));
    let answered = all.iter().map(|piece| {
        let piece = Piece::from_text(&piece.to_text(), piece.tile).expect("it should read back");
        let said = answer(query, bounds, options, (&piece.cube, &shape), &Reference);
        match said.unwrap_or_else(|mismatch| panic!("{mismatch}")) {
            Answered::Said(said, _) => Answer::new(&piece, said, BTreeMap::new()),
            Answered::OtherShape => panic!("the same program has the same shape"),
        }
    });
    let (together, count) = gather(&pieces, answered.collect()).expect("they should belong together");
    assert!(count.missing.is_empty());
    let word = match together {
        Together::Unsafe(claims) => {
            for claim in claims {
                let claim = claim.said.claim().expect("a claim").expect("a schedule");
                let ruling = Reference.rule(query.program, query.checks, claim);
                assert!(matches!(ruling, Ruling::Holds(_)), "{ruling:?}");
            }
            Word::Unsafe
        }
        Together::Safe(safe) => {
            let assumptions = safe.assumptions.iter().map(|one| format!("{one:?}")).collect();
            Word::Safe { bounds: safe.bounds, assumptions }
        }
        Together::Unknown(_) => Word::Unknown,
    };
    (word, cubes.len())
}

/// Compares under a model; whether it was unsafe.
fn check(program: &Prepared, name: &str, model: Model, checks: Checks, rounds: u32, tiles: usize) -> bool {
    let bounds = Bounds { default: 1, ..Bounds::default() };
    let limits = Limits::for_seconds(60.0);
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let options = Rounds { rounds: Some(rounds), ..Rounds::default() };
    let (word, pieces) = in_pieces(&query, &bounds, &options, tiles);
    assert!(pieces <= tiles, "{name}: {pieces} pieces instead of {tiles}");
    let expected = whole(&query, &options);
    assert_eq!(word, expected, "{name} {model} {rounds} rounds in {pieces} pieces");
    word == Word::Unsafe
}

#[test]
fn pieces_say_what_the_whole_says() {
    let shapes = [
        Shape { threads: (2, 3), statements: (1, 4), library: false, ends: true, inputs: true },
        Shape { threads: (2, 2), statements: (1, 3), library: true, ends: false, inputs: false },
    ];
    let (mut compared, mut violations) = (0, 0);
    for number in 0..60 {
        let mut random = Random::new(77_000 + number);
        let shape = shapes[random.index(2)];
        let text = program(&mut random, shape);
        // What can be seen at the end, or at some time.
        let end = text.rfind("  return 0;").expect("main returns");
        let claim = ["x != 2 || y != 1", "x == y", "x + y != 3", "a != 1 || x"][random.index(4)];
        let text = format!("{}  assert({claim});\n{}", &text[..end], &text[end..]);
        let (tiles, rounds) = (1 + random.index(9), 1 + narrow(random.index(3)));
        let checks = if random.one_in(3) { Checks::default() } else { Checks::usual() };
        for model in Model::ALL {
            let name = format!("program {number}");
            violations +=
                checked(&name, &text, |text| u32::from(check(&prepare(text), &name, model, checks, rounds, tiles)));
            compared += 1;
        }
    }
    assert!(violations * 6 > compared && violations * 6 < compared * 5, "{violations} violations of {compared}");
}

#[test]
fn bounds_and_assumptions_are_those_of_all_pieces() {
    let program = |body: &str| {
        prepare(&format!(
            "#include <pthread.h>\n#include <assert.h>\nvolatile int x, y; int *volatile p;\n\
             void *t(void *arg) {{ {body} return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
             int r = x, s = y; assert(r + s < 100); return 0; }}"
        ))
    };
    let bodies = ["while (x < 3) x++;", "if (x == 1) *p = 1; x = 1;", "for (int i = 0; i < y; i++) x += 2; y++;"];
    for (body, model) in bodies.iter().zip(Model::ALL).chain(bodies.iter().rev().zip(Model::ALL)) {
        for rounds in [1, 3] {
            check(&program(body), body, model, Checks::default(), rounds, 7);
        }
    }
}

#[test]
fn another_program_has_another_shape() {
    let program = |value: u32| {
        prepare(&format!(
            "#include <pthread.h>\nvolatile int x; void *t(void *arg) {{ x = {value}; return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); x = 1; return x; }}"
        ))
    };
    let (one, other) = (program(2), program(3));
    let (bounds, limits) = (Bounds::default(), Limits::none());
    let query = |program| Query { program, model: Model::Sc, checks: Checks::usual(), bounds: None, limits: &limits };
    let options = Rounds { rounds: Some(2), ..Rounds::default() };
    let shape = shape(&query(&one), &bounds, &options).expect("it can be cut");
    let cube = &split(&shape.space, 2)[0];
    let ask = |query: &Query<'_>, options: &Rounds| {
        answer(query, &bounds, options, (cube, &shape), &Reference).expect("it should replay")
    };
    assert!(matches!(ask(&query(&one), &options), Answered::Said(..)));
    assert!(matches!(ask(&query(&other), &options), Answered::OtherShape));
    let tso = Query { model: Model::Tso, ..query(&one) };
    assert!(matches!(ask(&tso, &options), Answered::OtherShape));
    let three = Rounds { rounds: Some(1), ..options.clone() };
    assert!(matches!(ask(&query(&one), &three), Answered::OtherShape));
    let order = Rounds { thread_order: vec![0], ..options };
    assert!(matches!(ask(&query(&one), &order), Answered::OtherShape));
}

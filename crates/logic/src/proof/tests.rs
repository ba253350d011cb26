//! Real proofs pass, damaged ones do not, and nothing refutes a formula that has a model.

use super::{Checker, ClauseId, Damage, Step};
use crate::cadical::tests::pigeons;
use crate::cadical::{CaDiCaL, Options};
use crate::clauses::{ClauseSink, Dimacs, Lit};
use crate::sat::{Answer, Sat};
use crate::trace::Tracer;
use norn_ir::number::narrow_to;
use norn_testing::Random;
use norn_verdict::limits::Limits;
use std::cell::RefCell;
use std::rc::Rc;

/// A step that owns its clause.
#[derive(Clone, Debug)]
enum Kept {
    Original(ClauseId, Vec<i32>),
    Derived(ClauseId, Vec<i32>, Vec<ClauseId>),
    Weakened(ClauseId),
    Restored(ClauseId, Vec<i32>),
    Deleted(ClauseId),
    Conclusion(Vec<i32>, Vec<ClauseId>),
}

impl Kept {
    fn of(step: Step) -> Kept {
        match step {
            Step::Original { id, clause } => Kept::Original(id, clause.to_vec()),
            Step::Derived { id, clause, hints } => Kept::Derived(id, clause.to_vec(), hints.to_vec()),
            Step::Weakened { id } => Kept::Weakened(id),
            Step::Restored { id, clause } => Kept::Restored(id, clause.to_vec()),
            Step::Deleted { id } => Kept::Deleted(id),
            Step::Conclusion { clause, hints } => Kept::Conclusion(clause.to_vec(), hints.to_vec()),
        }
    }

    fn step(&self) -> Step<'_> {
        match self {
            Kept::Original(id, clause) => Step::Original { id: *id, clause },
            Kept::Derived(id, clause, hints) => Step::Derived { id: *id, clause, hints },
            Kept::Weakened(id) => Step::Weakened { id: *id },
            Kept::Restored(id, clause) => Step::Restored { id: *id, clause },
            Kept::Deleted(id) => Step::Deleted { id: *id },
            Kept::Conclusion(clause, hints) => Step::Conclusion { clause, hints },
        }
    }
}

/// Checks a proof of a formula whose clauses all come first.
fn check(formula: &Dimacs, proof: &[Kept]) -> Result<(), Damage> {
    let mut checker = Checker::new();
    let mut given = formula.clauses();
    for step in proof {
        if matches!(step, Kept::Original(..))
            && let Some(clause) = given.next()
        {
            checker.expect(&clause.iter().map(|&literal| Lit::from_dimacs(literal)).collect::<Vec<Lit>>());
        }
        checker.step(step.step())?;
    }
    checker.certificate(&[]).map(|_| ())
}

/// CaDiCaL's proof for a formula without a model.
fn proof_of(formula: &Dimacs) -> Vec<Kept> {
    let proof = Rc::new(RefCell::new(Vec::new()));
    let mut solver = cadical_sys::CaDiCal::new();
    let kept = Rc::clone(&proof);
    solver.connect_proof_tracer1(Tracer(move |step: Step<'_>| kept.borrow_mut().push(Kept::of(step))), true, false);
    for clause in formula.clauses() {
        solver.clause6(clause);
    }
    assert_eq!(solver.solve(), cadical_sys::Status::UNSATISFIABLE);
    drop(solver);
    Rc::try_unwrap(proof).unwrap().into_inner()
}

fn pigeon_proof(holes: usize) -> (Dimacs, Vec<Kept>) {
    let mut formula = Dimacs::new();
    pigeons(&mut formula, holes);
    let proof = proof_of(&formula);
    (formula, proof)
}

#[test]
fn real_proofs_pass() {
    for holes in 1..7 {
        let (formula, proof) = pigeon_proof(holes);
        assert_eq!(check(&formula, &proof), Ok(()), "{holes} holes");
    }
}

#[test]
fn a_derived_clause_needs_its_hints() {
    let (formula, proof) = pigeon_proof(4);
    let mut damaged = 0;
    for at in 0..proof.len() {
        let mut proof = proof.clone();
        if let Kept::Derived(id, _, hints) = &mut proof[at] {
            let id = *id;
            hints.pop();
            assert_eq!(check(&formula, &proof), Err(Damage::NotImplied(id)), "step {at}");
            damaged += 1;
        }
    }
    assert!(damaged > 20, "only {damaged} steps could be damaged");
}

#[test]
fn a_derived_clause_may_not_say_more() {
    let (formula, proof) = pigeon_proof(4);
    let (mut damaged, mut rejected) = (0, 0);
    for at in 0..proof.len() {
        let mut proof = proof.clone();
        if let Kept::Derived(_, clause, _) = &mut proof[at]
            && let Some(literal) = clause.first_mut()
        {
            *literal = -*literal;
            damaged += 1;
            rejected += i32::from(check(&formula, &proof).is_err());
        }
    }
    // By chance, the hints may imply the other clause, too.
    assert!(rejected * 10 >= damaged * 9, "{rejected} of {damaged} damaged proofs were rejected");
}

#[test]
fn original_clauses_must_be_given() {
    let (formula, mut proof) = pigeon_proof(3);
    let Some(Kept::Original(id, clause)) = proof.iter_mut().find(|step| matches!(step, Kept::Original(..))) else {
        panic!("a proof should begin with the formula")
    };
    let id = *id;
    clause.pop();
    assert_eq!(check(&formula, &proof), Err(Damage::NotGiven(id)));

    let (formula, mut proof) = pigeon_proof(3);
    proof.push(Kept::Original(1 << 40, vec![]));
    assert_eq!(check(&formula, &proof), Err(Damage::NotGiven(1 << 40)));
}

#[test]
fn numbers_name_one_clause() {
    let (formula, mut proof) = pigeon_proof(3);
    let at = proof.iter().position(|step| matches!(step, Kept::Derived(..))).unwrap();
    let Kept::Derived(id, clause, hints) = proof[at].clone() else { panic!("it was just found") };
    proof.insert(at + 1, Kept::Derived(id, clause, hints));
    assert_eq!(check(&formula, &proof), Err(Damage::Reused(id)));
}

#[test]
fn a_proof_must_reach_the_empty_clause() {
    let (formula, proof) = pigeon_proof(3);
    let last = proof.iter().position(|step| matches!(step, Kept::Derived(_, clause, _) if clause.is_empty())).unwrap();
    assert_eq!(check(&formula, &proof[..last]), Err(Damage::Unfinished));
}

#[test]
fn only_what_was_taken_away_can_be_restored() {
    let mut checker = Checker::new();
    checker.expect(&[Lit::from_dimacs(1), Lit::from_dimacs(2)]);
    assert_eq!(checker.step(Step::Original { id: 1, clause: &[2, 1] }), Ok(()));
    assert_eq!(checker.step(Step::Weakened { id: 1 }), Ok(()));
    assert_eq!(checker.step(Step::Deleted { id: 1 }), Ok(()));
    assert_eq!(checker.step(Step::Restored { id: 1, clause: &[1] }), Err(Damage::NotRestorable(1)));
}

#[test]
fn a_conclusion_must_be_about_the_assumptions() {
    let mut solver = CaDiCaL::with_options(&Options { certify: true, ..Options::default() }).unwrap();
    let (a, b, c) = (solver.new_var(), solver.new_var(), solver.new_var());
    solver.clause(&[a, b]);
    solver.clause(&[!a, c]);
    assert_eq!(solver.solve(&[!b, !c], &Limits::none()), Answer::Unsat);
    assert!(solver.certificate().is_ok());
    assert_eq!(solver.solve(&[!b], &Limits::none()), Answer::Sat);
    // The earlier conclusion is none for other assumptions.
    let mut checker = Checker::new();
    checker.expect(&[a, b]);
    checker.step(Step::Original { id: 1, clause: &[1, 2] }).unwrap();
    checker.step(Step::Conclusion { clause: &[1, 2], hints: &[1] }).unwrap();
    assert!(checker.certificate(&[!a, !b, c]).is_ok());
    assert_eq!(checker.certificate(&[!a]), Err(Damage::Unfinished));
}

#[test]
fn incremental_solving_is_certified() {
    let mut refuted = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut solver = CaDiCaL::with_options(&Options { certify: true, seed: 1, ..Options::default() }).unwrap();
        let variables: Vec<Lit> = (0..60).map(|_| solver.new_var()).collect();
        let mut literal = || variables[random.index(60)].negate_if(random.index(2) == 0);
        // Grows past the point where there is no model, so that clauses are simplified away and restored.
        for _ in 0..30 {
            for _ in 0..10 {
                solver.clause(&[literal(), literal(), literal()]);
            }
            let assumptions = [literal(), literal()];
            if solver.solve(&assumptions, &Limits::none()) == Answer::Unsat {
                solver.certificate().unwrap_or_else(|damage| panic!("seed {seed}: {damage}"));
                refuted += 1;
            }
        }
    }
    assert!(refuted > 300, "only {refuted} queries were refuted");
}

#[test]
fn nothing_refutes_a_formula_that_has_a_model() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let mut checker = Checker::new();
        let mut next = 1;
        // Every clause holds where all variables are true.
        for _ in 0..12 {
            let mut clause: Vec<i32> = (0..3)
                .map(|_| (1 + narrow_to::<i32>(random.index(5))) * if random.index(3) == 0 { 1 } else { -1 })
                .collect();
            clause.push(1 + narrow_to::<i32>(random.index(5)));
            let literals: Vec<Lit> = clause.iter().map(|&literal| Lit::from_dimacs(literal)).collect();
            checker.expect(&literals);
            checker.step(Step::Original { id: next, clause: &clause }).unwrap();
            next += 1;
        }
        for _ in 0..40 {
            let clause: Vec<i32> = (0..random.index(4))
                .map(|_| (1 + narrow_to::<i32>(random.index(5))) * if random.index(2) == 0 { 1 } else { -1 })
                .collect();
            let hints: Vec<ClauseId> = (0..6).map(|_| 1 + random.index(narrow_to(next)) as ClauseId).collect();
            // A step that fails is left out, as if the proof had been made without it.
            let damage = checker.follow(Step::Derived { id: next, clause: &clause, hints: &hints });
            next += i64::from(damage.is_ok());
            if damage.is_ok() {
                assert!(clause.iter().any(|&literal| literal > 0), "{clause:?} should not follow");
            }
        }
        assert_eq!(checker.certificate(&[]), Err(Damage::Unfinished));
    }
}

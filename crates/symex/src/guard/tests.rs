use super::*;
use norn_logic::terms::{Memo, Sort};

fn vars(terms: &mut Terms, n: usize) -> Vec<Term> {
    (0..n).map(|_| terms.fresh(Sort::Bool)).collect()
}

#[test]
fn both_sides_of_a_branch_give_back_what_was_before() {
    let mut terms = Terms::new();
    let v = vars(&mut terms, 2);
    let mut guards = Guards::new(Term::TRUE);
    let mut and = |guards: &mut Guards, g, t| guards.and(&mut terms, g, t).expect("it can hold");
    let yes = and(&mut guards, Guard::ROOT, v[0]);
    let no = and(&mut guards, Guard::ROOT, !v[0]);
    let inner = and(&mut guards, yes, v[1]);
    let other = and(&mut guards, yes, !v[1]);
    assert_eq!(guards.join(&mut terms, &[inner, no, other]), Some(Guard::ROOT));
    assert_eq!(guards.join(&mut terms, &[inner, other]), Some(yes));
    let some = guards.join(&mut terms, &[inner, no]).expect("it can hold");
    let wanted = terms.or(v[1], !v[0]);
    assert_eq!(guards.term(some), wanted);
    assert!(guards.implies(inner, yes) && !guards.implies(yes, inner) && !guards.implies(no, yes));
}

#[test]
fn values_are_chosen_by_the_conditions_that_differ() {
    let mut terms = Terms::new();
    let v = vars(&mut terms, 3);
    let mut guards = Guards::new(Term::TRUE);
    let mut and = |guards: &mut Guards, g, t| guards.and(&mut terms, g, t).expect("it can hold");
    let yes = and(&mut guards, Guard::ROOT, v[0]);
    let no = and(&mut guards, Guard::ROOT, !v[0]);
    let a = and(&mut guards, yes, v[1]);
    let b = and(&mut guards, yes, !v[1]);
    let b_further = and(&mut guards, b, v[2]);
    let parts = vec![(no, "n".to_owned()), (b_further, "b".to_owned()), (a, "a".to_owned())];
    let name = |t: Term| v.iter().position(|&x| x == t.positive()).map_or(9, |i| i).to_string();
    let choose = |c: Term, x: String, y: String| {
        let (x, y) = if c.is_negated() { (y, x) } else { (x, y) };
        format!("({}?{x}:{y})", name(c))
    };
    assert_eq!(guards.merge(&mut terms, parts).with(choose), Some("(0?(1?a:b):n)".to_owned()));
}

#[test]
fn what_reaches_a_point_on_several_ways_is_told_by_all_of_them() {
    // if (c || d) yes; else no;
    let mut terms = Terms::new();
    let v = vars(&mut terms, 2);
    let mut guards = Guards::new(Term::TRUE);
    let and = |terms: &mut Terms, guards: &mut Guards, g, t| guards.and(terms, g, t).expect("it can hold");
    let c = and(&mut terms, &mut guards, Guard::ROOT, v[0]);
    let not_c = and(&mut terms, &mut guards, Guard::ROOT, !v[0]);
    let d = and(&mut terms, &mut guards, not_c, v[1]);
    let no = and(&mut terms, &mut guards, not_c, !v[1]);
    let yes = guards.join(&mut terms, &[c, d]).expect("it can hold");
    assert_eq!(guards.join(&mut terms, &[yes, no]), Some(Guard::ROOT));
    let either = terms.or(v[0], v[1]);
    let (one, two) = (terms.bits(8, 1), terms.bits(8, 2));
    let merge = guards.merge(&mut terms, vec![(no, two), (yes, one)]);
    let value = merge.with(|condition, a, b| terms.ite(condition, a, b));
    assert_eq!(value, Some(terms.ite(either, one, two)));
}

/// `if (a) { if (b) return 1; } else { if (c) return 2; } return 3;`
#[test]
fn returns_at_different_depths_keep_their_values() {
    let mut terms = Terms::new();
    let v = vars(&mut terms, 3);
    let mut guards = Guards::new(Term::TRUE);
    let and = |terms: &mut Terms, guards: &mut Guards, g, t| guards.and(terms, g, t).expect("it can hold");
    let yes = and(&mut terms, &mut guards, Guard::ROOT, v[0]);
    let no = and(&mut terms, &mut guards, Guard::ROOT, !v[0]);
    let one = and(&mut terms, &mut guards, yes, v[1]);
    let on = and(&mut terms, &mut guards, yes, !v[1]);
    let two = and(&mut terms, &mut guards, no, v[2]);
    let other = and(&mut terms, &mut guards, no, !v[2]);
    let three = guards.join(&mut terms, &[on, other]).expect("it can hold");
    for order in [[one, two, three], [three, one, two], [two, three, one]] {
        let parts = order.map(|guard| (guard, guard)).to_vec();
        assert_chosen(&mut guards, &mut terms, &v, parts);
        assert_eq!(guards.join(&mut terms, &order), Some(Guard::ROOT));
    }
}

/// Under all values of the variables, the value of the guard that holds is chosen.
fn assert_chosen(guards: &mut Guards, terms: &mut Terms, variables: &[Term], parts: Vec<(Guard, Guard)>) {
    let numbered: Vec<(Guard, Term)> =
        parts.iter().enumerate().map(|(number, part)| (part.0, terms.bits(16, number as u64))).collect();
    let merge = guards.merge(terms, numbered);
    let Some(chosen) = merge.with(|condition, a, b| terms.ite(condition, a, b)) else { return };
    for assignment in 0..1u64 << variables.len() {
        let value = |term: Term| assignment >> variables.iter().position(|&v| v == term).unwrap_or(63) & 1;
        let mut memo = Memo::default();
        let holding: Vec<usize> =
            (0..parts.len()).filter(|&i| terms.holds(guards.term(parts[i].0), &mut memo, &value)).collect();
        assert!(holding.len() <= 1, "{holding:?} hold at once");
        if let [one] = holding[..] {
            assert_eq!(terms.evaluate(chosen, &mut memo, &value), one as u64, "under {assignment:b} of {parts:?}");
        }
    }
}

/// Random acyclic graphs with any jumps forward, reducible or not: every merge at every block is right under all values of the
/// variables, and a block's guard holds iff the execution under these values gets there.
#[test]
fn every_graph_with_jumps_forward_is_merged_right() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % n
    };
    for _ in 0..1500 {
        let mut terms = Terms::new();
        let v = vars(&mut terms, 5);
        let mut guards = Guards::new(Term::TRUE);
        let graph: Vec<Block> = (0..BLOCKS - 1).map(|block| random_block(&mut terms, &v, block, &mut random)).collect();
        let mut incoming: Vec<Vec<Guard>> = vec![Vec::new(); BLOCKS];
        incoming[0].push(Guard::ROOT);
        let mut reached = Vec::new();
        for block in 0..BLOCKS {
            let edges = std::mem::take(&mut incoming[block]);
            let here = guards.join(&mut terms, &edges);
            assert_chosen(&mut guards, &mut terms, &v, edges.iter().map(|&guard| (guard, guard)).collect());
            reached.push(here.map_or(Term::FALSE, |guard| guards.term(guard)));
            let (Some(here), Some(block)) = (here, graph.get(block)) else { continue };
            let Some(here) = guards.and(&mut terms, here, block.assumed) else { continue };
            incoming[block.then].extend(guards.and(&mut terms, here, block.condition));
            incoming[block.otherwise].extend(guards.and(&mut terms, here, !block.condition));
        }
        for assignment in 0..1u64 << v.len() {
            let value = |term: Term| assignment >> v.iter().position(|&v| v == term).unwrap_or(63) & 1;
            let mut memo = Memo::default();
            let mut visited = [false; BLOCKS];
            let mut at = Some(0);
            while let Some(block) = at {
                visited[block] = true;
                at = graph.get(block).filter(|block| terms.holds(block.assumed, &mut memo, &value)).map(|block| {
                    if terms.holds(block.condition, &mut memo, &value) { block.then } else { block.otherwise }
                });
            }
            for (block, &guard) in reached.iter().enumerate() {
                assert_eq!(terms.holds(guard, &mut memo, &value), visited[block], "block {block} under {assignment:b}");
            }
        }
    }
}

const BLOCKS: usize = 14;

/// A block of a graph whose jumps go forward: it assumes something, and then goes one of two ways.
struct Block {
    assumed: Term,
    condition: Term,
    then: usize,
    otherwise: usize,
}

fn random_block(terms: &mut Terms, variables: &[Term], block: usize, random: &mut dyn FnMut(usize) -> usize) -> Block {
    let mut to = || {
        let left = BLOCKS - block - 1;
        block + 1 + if random(3) == 0 { random(left) } else { random(left.min(2)) }
    };
    let (then, otherwise) = (to(), to());
    let mut literal = || {
        let variable = variables[random(variables.len())];
        if random(2) == 0 { !variable } else { variable }
    };
    let (a, b, c) = (literal(), literal(), literal());
    let condition = match random(4) {
        0 => terms.and(a, b),
        1 => terms.xor(a, b),
        2 => Term::TRUE,
        _ => a,
    };
    let assumed = if random(8) == 0 { c } else { Term::TRUE };
    Block { assumed, condition, then, otherwise }
}

//! Checks of joins in debug builds: what the header of `guard` argues for must hold under sampled values of all variables.
//!
//! A variable has one value per sample, and terms keep theirs, so that all checks of a thread cost one evaluation of its terms per
//! sample.

use norn_ir::number::to_usize;
use norn_logic::terms::{Memo, Term, Terms};

use super::{Guard, Node, Step};

const SAMPLES: u64 = 12;

pub struct Samples {
    memos: Vec<Memo>,
}

impl Samples {
    pub fn new() -> Samples {
        Samples { memos: (0..SAMPLES).map(|_| Memo::default()).collect() }
    }

    /// Guards that meet exclude each other, and `joined` holds iff one of them does.
    pub fn check_join(&mut self, terms: &Terms, nodes: &[Node], guards: &[Guard], joined: Option<Guard>) {
        for sample in 0..SAMPLES {
            let holding = self.holding(terms, nodes, guards, sample);
            assert!(
                holding.len() <= 1,
                "guards that meet should exclude each other, but {holding:?} of {guards:?} hold"
            );
            let joined = joined.is_some_and(|guard| self.holds(terms, nodes[guard.index()].term, sample));
            assert_eq!(joined, !holding.is_empty(), "a joined guard should hold iff one of {guards:?} does");
        }
    }

    /// The steps of a merge choose the value of the guard that holds.
    pub fn check_merge(&mut self, terms: &Terms, nodes: &[Node], guards: &[Guard], steps: &[Step]) {
        for sample in 0..SAMPLES {
            let [wanted] = self.holding(terms, nodes, guards, sample)[..] else { continue };
            let mut chosen: Vec<usize> = (0..guards.len()).collect();
            let mut last = 0;
            for step in steps {
                if !self.holds(terms, step.condition, sample) {
                    chosen[step.then] = chosen[step.otherwise];
                }
                last = step.then;
            }
            assert_eq!(chosen[last], wanted, "of {guards:?} the value of the guard that holds should be chosen");
        }
    }

    /// Which of the guards hold.
    fn holding(&mut self, terms: &Terms, nodes: &[Node], guards: &[Guard], sample: u64) -> Vec<usize> {
        let holds = |&index: &usize| self.holds(terms, nodes[guards[index].index()].term, sample);
        (0..guards.len()).filter(holds).collect()
    }

    fn holds(&mut self, terms: &Terms, term: Term, sample: u64) -> bool {
        let variable = |variable: Term| value(variable.index() as u64, sample);
        terms.holds(term, &mut self.memos[to_usize(sample)], &variable)
    }
}

/// A variable's value: often small or at an end of its type, since conditions ask for such values. Higher bits are dropped.
fn value(variable: u64, sample: u64) -> u64 {
    let mut bits = (variable << 8 | sample).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^= bits >> 32;
    match bits % 4 {
        0 => bits >> 2 & 1,
        1 => bits >> 2 & 7,
        2 => ((bits >> 2 & 3) as i64 - 2) as u64,
        _ => bits >> 2,
    }
}

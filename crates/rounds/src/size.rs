//! How large formulas are.

use crate::encode::Encoding;
use crate::examine::thread_order;
use crate::plan::Plan;
use crate::solve::assert_formula;
use crate::watch::Watch;
use norn_logic::{Blaster, Dimacs};
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::execute;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::undecided::Undecided;

/// Variables and clauses for 1, 2, … rounds: what the solver is given to look for a violation.
pub fn sizes(program: &Analysed, bounds: &Bounds, model: Model, rounds: u32) -> Result<Vec<(usize, usize)>, Undecided> {
    let symbolic = execute(program, bounds, Checks::default(), &Limits::none())?;
    let plan = Plan::new(&symbolic, model);
    let order = thread_order(&symbolic, &[]);
    let mut encoding = Encoding::new(&symbolic, &plan, model, &order, None);
    let size = |rounds: u32| {
        let limits = Limits::none();
        let mut watch = Watch::new(&limits);
        let mut blaster = Blaster::new(Dimacs::new());
        let formula = encoding.formula(rounds, &mut watch).expect("there should be no limit");
        assert_formula(&mut encoding, &formula, &mut blaster, &mut watch).expect("there should be no limit");
        let violation = formula.violation(&symbolic, &mut encoding.narrow.terms);
        blaster.assert(&encoding.narrow.terms, violation);
        (blaster.sink().variables(), blaster.sink().len())
    };
    Ok((1..=rounds).map(size).collect())
}

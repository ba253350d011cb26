//! A program together with what is found out about it when it is first asked for: where its pointers lead, and its
//! unwound copy for the latest bounds.

use crate::points_to::PointsTo;
use crate::unwind::{Bounded, Bounds, TooLarge, unwind_with};
use norn_ir::program::Program;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A copy with more instructions is not kept: it would take up memory beside the formula that is made of it.
const LARGEST_KEPT: usize = 1 << 17;

pub struct Analysed {
    program: Program,
    points_to: OnceLock<PointsTo>,
    /// The latest unwound copy. Engines ask for the same bounds one after the other, or grow them and never go back.
    unwound: Mutex<Option<(Bounds, Arc<Bounded>)>>,
}

impl Analysed {
    pub fn new(program: Program) -> Analysed {
        Analysed { program, points_to: OnceLock::new(), unwound: Mutex::new(None) }
    }

    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::new(&self.program))
    }

    /// The program without loops and calls, up to some bounds. The copy for the latest bounds is found only once.
    pub fn unwound(&self, bounds: &Bounds) -> Result<Arc<Bounded>, TooLarge> {
        let latest = || self.unwound.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, bounded)) = &*latest()
            && known == bounds
        {
            return Ok(Arc::clone(bounded));
        }
        // An older copy goes before the new one comes.
        *latest() = None;
        let bounded = Arc::new(unwind_with(&self.program, self.points_to(), bounds)?);
        if instructions(&bounded.program) <= LARGEST_KEPT {
            *latest() = Some((bounds.clone(), Arc::clone(&bounded)));
        }
        Ok(bounded)
    }
}

fn instructions(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.instrs.len()).sum()
}

impl Deref for Analysed {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

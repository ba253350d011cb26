//! How strong instructions are: orders and kinds of fences as lattices, and programs that differ in nothing else.

use crate::code::forget_places;
use crate::site::InstrAt;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind, Order};
use norn_ir::program::Program;

/// What a level makes of an instruction: at least this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    Fence(FenceKind),
    Order(Order),
    /// The order of a compare-and-exchange that fails.
    Failure(Order),
}

/// The parts of an instruction that can be stronger or weaker, each by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The order of an access, or the kind of a fence.
    Main,
    Failure,
}

/// As in `memory_order_…`.
pub fn word(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}

/// Whether the first order is at least as strong.
pub fn covers(order: Order, other: Order) -> bool {
    order.join(other) == order
}

/// Of a compare-and-exchange that has one order, the one for failures.
pub fn on_failure(order: Order) -> Order {
    match order {
        Order::Plain | Order::Relaxed | Order::Release => Order::Relaxed,
        Order::Acquire | Order::AcqRel => Order::Acquire,
        Order::SeqCst => Order::SeqCst,
    }
}

/// The order that `atomic_thread_fence` is given for a fence; `None` for what it cannot be.
pub fn order_of_fence(kind: FenceKind) -> Option<Order> {
    match kind {
        FenceKind::Acquire => Some(Order::Acquire),
        FenceKind::Release | FenceKind::StoreStore => Some(Order::Release),
        FenceKind::AcqRel => Some(Order::AcqRel),
        FenceKind::Full => Some(Order::SeqCst),
        FenceKind::LoadLoad | FenceKind::Compiler | FenceKind::Call => None,
    }
}

/// The fence that `atomic_thread_fence` is with an order.
pub fn fence_of_order(order: Order) -> FenceKind {
    match order {
        Order::Plain | Order::Relaxed => FenceKind::Compiler,
        Order::Acquire => FenceKind::Acquire,
        Order::Release => FenceKind::Release,
        Order::AcqRel => FenceKind::AcqRel,
        Order::SeqCst => FenceKind::Full,
    }
}

fn fence_of_both(a: FenceKind, b: FenceKind) -> FenceKind {
    use FenceKind::{AcqRel, Acquire, Call, Compiler, Full, LoadLoad, Release, StoreStore};
    match (a, b) {
        (a, b) if a == b => a,
        (Compiler, other) | (other, Compiler) => other,
        (Full | Call, _) | (_, Full | Call) => Full,
        (LoadLoad, other) | (other, LoadLoad) => other,
        (Release, StoreStore) | (StoreStore, Release) => Release,
        (Acquire | AcqRel | Release | StoreStore, _) => AcqRel,
    }
}

impl Effect {
    pub fn part(self) -> Part {
        if matches!(self, Effect::Failure(_)) { Part::Failure } else { Part::Main }
    }

    /// Makes an instruction as strong as this, where it is weaker.
    pub fn strengthen(self, kind: &mut InstrKind) {
        match (self, kind) {
            (Effect::Fence(other), InstrKind::Fence(fence)) => *fence = fence_of_both(*fence, other),
            (Effect::Order(other), InstrKind::Load { access, .. } | InstrKind::Store { access, .. }) => {
                access.order = access.order.join(other);
            }
            (Effect::Order(other), InstrKind::Rmw { order, .. } | InstrKind::CompareExchange { order, .. }) => {
                *order = order.join(other);
            }
            (Effect::Failure(other), InstrKind::CompareExchange { failure, .. }) => {
                *failure = failure.join(other);
            }
            _ => unreachable!("a level should fit its instructions"),
        }
    }
}

/// Makes a part of an instruction as weak as it can be; a fence becomes one for compilers only.
pub fn weaken(kind: &mut InstrKind, part: Part) {
    match (kind, part) {
        (InstrKind::Fence(fence), Part::Main) => *fence = FenceKind::Compiler,
        (InstrKind::Load { access, .. } | InstrKind::Store { access, .. }, Part::Main)
            if access.order != Order::Plain =>
        {
            access.order = Order::Relaxed;
        }
        (InstrKind::Rmw { order, .. } | InstrKind::CompareExchange { order, .. }, Part::Main) => {
            *order = Order::Relaxed;
        }
        (InstrKind::CompareExchange { failure, .. }, Part::Failure) => *failure = Order::Relaxed,
        _ => {}
    }
}

/// The program without places, orders and kinds of fences.
fn bare(program: &Program) -> Program {
    let mut program = program.clone();
    forget_places(&mut program);
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for instr in &mut block.instrs {
            weaken(&mut instr.kind, Part::Main);
            weaken(&mut instr.kind, Part::Failure);
            if let InstrKind::Load { access, .. } | InstrKind::Store { access, .. } = &mut instr.kind {
                access.order = Order::Plain;
            }
        }
    }
    program
}

fn strength_of(kind: &InstrKind, part: Part) -> Option<(Option<Order>, Option<FenceKind>)> {
    match (kind, part) {
        (InstrKind::Fence(fence), Part::Main) => Some((None, Some(*fence))),
        (InstrKind::Load { access, .. } | InstrKind::Store { access, .. }, Part::Main) => {
            Some((Some(access.order), None))
        }
        (InstrKind::Rmw { order, .. } | InstrKind::CompareExchange { order, .. }, Part::Main) => {
            Some((Some(*order), None))
        }
        (InstrKind::CompareExchange { failure, .. }, Part::Failure) => Some((Some(*failure), None)),
        _ => None,
    }
}

/// A program with which others are compared.
pub struct Yardstick {
    bare: Program,
    program: Program,
}

impl Yardstick {
    pub fn new(program: Program) -> Yardstick {
        Yardstick { bare: bare(&program), program }
    }

    /// The parts of instructions in which another program is stronger or weaker. `None`: it differs in more.
    pub fn differences(&self, other: &Program) -> Option<Vec<(InstrAt, Part)>> {
        if bare(other) != self.bare {
            return None;
        }
        let mut differences = Vec::new();
        for (f, (one, two)) in self.program.functions.iter().zip(&other.functions).enumerate() {
            for (b, (one, two)) in one.blocks.iter().zip(&two.blocks).enumerate() {
                for (index, (one, two)) in one.instrs.iter().zip(&two.instrs).enumerate() {
                    let at = InstrAt { function: FuncId::new(f), block: BlockId::new(b), index };
                    for part in [Part::Main, Part::Failure] {
                        if strength_of(&one.kind, part) != strength_of(&two.kind, part) {
                            differences.push((at, part));
                        }
                    }
                }
            }
        }
        Some(differences)
    }

    pub fn program(&self) -> &Program {
        &self.program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [FenceKind; 5] =
        [FenceKind::Acquire, FenceKind::Release, FenceKind::StoreStore, FenceKind::AcqRel, FenceKind::Full];

    #[test]
    fn fences_form_a_lattice() {
        let both = fence_of_both;
        for a in KINDS {
            assert_eq!((both(a, a), both(a, FenceKind::Compiler), both(FenceKind::Full, a)), (a, a, FenceKind::Full));
            for b in KINDS {
                assert_eq!(both(a, b), both(b, a));
                for c in KINDS {
                    assert_eq!(both(a, both(b, c)), both(both(a, b), c), "{a:?} {b:?} {c:?}");
                }
            }
        }
        assert_eq!(both(FenceKind::Acquire, FenceKind::Release), FenceKind::AcqRel);
    }

    #[test]
    fn programs_that_differ_in_orders_are_told_from_others() {
        let text = |store: &str, load: &str| {
            format!(
                "#include <stdatomic.h>\natomic_int x;\nint main(void) {{ atomic_store_explicit(&x, 1, memory_order_{store});\
                 return atomic_load_explicit(&x, memory_order_{load}); }}"
            )
        };
        let read = |text: &str| norn_testing::compile(text);
        let yardstick = Yardstick::new(read(&text("seq_cst", "acquire")));
        let count = |other: &str| yardstick.differences(&read(other)).map(|found| found.len());
        assert_eq!(count(&text("seq_cst", "acquire")), Some(0));
        assert_eq!(count(&text("relaxed", "acquire")), Some(1));
        assert_eq!(count(&text("release", "relaxed")), Some(2));
        assert_eq!(count(&text("release", "relaxed").replace("&x, 1", "&x, 2")), None);
    }
}

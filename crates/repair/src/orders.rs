//! Places as sites: what they are in the program, and what each order that they can have does to it.
//!
//! Nothing here knows what a word in the text means. Each place is edited, the text is read again, and what has changed in the
//! IR is the place's: it has to be orders of accesses and kinds of fences, and nothing else. All places are edited at once,
//! and then in as many groups as their numbers have bits, so that each instruction that changes names its place.

use crate::code::{Code, comparable};
use crate::draft::{draft, fitting};
use crate::edit::{Change, Edit};
use crate::fences::{Costs, fence_name};
use crate::gaps::Gap;
use crate::places::{Place, Wanted, What};
use crate::scan;
use crate::site::{InstrAt, Level, Site};
use crate::strength::{Effect, Part, Yardstick, covers, fence_of_order, on_failure, order_of_fence, weaken, word};
use norn_ir::instr::{FenceKind, InstrKind, Operand, Order};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_passes::loops::loops;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// How often the text is read again, at most, to find out which places are none.
const MOST_READS: usize = 200;
/// What a fence is while it is found out which instruction it is: a fence for compilers only.
const NO_FENCE: &str = "__atomic_signal_fence(5);";

/// What has an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Load,
    Store,
    /// A read-modify-write.
    Update,
    /// A compare-and-exchange that fails.
    Failure,
    Fence,
}

/// What a place is in the program.
#[derive(Clone, Debug)]
pub struct Strength {
    pub kind: Kind,
    pub parts: Vec<(InstrAt, Part)>,
    /// As the text has it.
    pub present: Present,
    /// Orders that the text can be given.
    pub allowed: Vec<Order>,
    /// The fence can be left out.
    pub can_go: bool,
    loops: u32,
    spans: Vec<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Present {
    Order(Order),
    Fence(FenceKind),
}

impl Present {
    fn of(kind: &InstrKind, part: Part) -> Option<Present> {
        match (kind, part) {
            (InstrKind::Fence(fence), Part::Main) => Some(Present::Fence(*fence)),
            (InstrKind::Load { access, .. } | InstrKind::Store { access, .. }, Part::Main) => {
                Some(Present::Order(access.order))
            }
            (InstrKind::Rmw { order, .. } | InstrKind::CompareExchange { order, .. }, Part::Main) => {
                Some(Present::Order(*order))
            }
            (InstrKind::CompareExchange { failure, .. }, Part::Failure) => Some(Present::Order(*failure)),
            _ => None,
        }
    }

    /// As an order; a fence that is none of C11's has none.
    fn order(self) -> Option<Order> {
        match self {
            Present::Order(order) => Some(order),
            Present::Fence(kind) => order_of_fence(kind),
        }
    }
}

impl Kind {
    fn of(kind: &InstrKind, part: Part) -> Option<Kind> {
        match (kind, part) {
            (InstrKind::Load { .. }, Part::Main) => Some(Kind::Load),
            (InstrKind::Store { .. }, Part::Main) => Some(Kind::Store),
            (InstrKind::Rmw { .. } | InstrKind::CompareExchange { .. }, Part::Main) => Some(Kind::Update),
            (InstrKind::CompareExchange { .. }, Part::Failure) => Some(Kind::Failure),
            (InstrKind::Fence(_), Part::Main) => Some(Kind::Fence),
            _ => None,
        }
    }

    /// From weak to strong.
    fn orders(self) -> &'static [Order] {
        match self {
            Kind::Load | Kind::Failure => &[Order::Relaxed, Order::Acquire, Order::SeqCst],
            Kind::Store => &[Order::Relaxed, Order::Release, Order::SeqCst],
            Kind::Update => &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst],
            Kind::Fence => &[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Update => "update",
            Kind::Failure => "failed compare-and-exchange",
            Kind::Fence => "fence",
        }
    }

    /// How many steps an order is from a plain access.
    fn steps(self, order: Order) -> u64 {
        match order {
            Order::Plain => 0,
            Order::Relaxed => 1,
            Order::Acquire | Order::Release => 2,
            Order::AcqRel => 3,
            Order::SeqCst if self == Kind::Update => 4,
            Order::SeqCst => 3,
        }
    }
}

/// A program that is looked at for places.
pub struct Ordered<'a> {
    pub code: &'a Code,
    pub texts: &'a BTreeMap<PathBuf, Arc<str>>,
    /// Each has its mark in the program.
    pub gaps: &'a [Gap],
    pub base: &'a Program,
    pub costs: Costs,
}

impl Ordered<'_> {
    /// The places that are something in the program, and what.
    pub fn places(&self, places: Vec<Place>) -> Vec<(Place, Strength)> {
        let yardstick = Yardstick::new(self.base.clone());
        let lines = Lines::of(self.base);
        let has_c11 = self.texts.values().any(|text| text.contains("stdatomic.h"));
        let mut places = places;
        places.retain(|place| lines.may_have(place, &self.texts[&place.file]));
        for place in places.iter_mut().filter(|_| has_c11) {
            let line = scan::line_number(&self.texts[&place.file], place.at);
            if let What::Store { c11, .. } | What::Load { c11, .. } = &mut place.what {
                *c11 = u32::try_from(line).is_ok_and(|line| lines.atomics.contains(&line));
            }
        }
        let differences = |places: &[Place]| {
            let edits = self.edits(places.iter(), |place, text| self.probe(place, text));
            let read = draft(self.code, self.texts, self.gaps, &edits)?.read;
            yardstick.differences(&read.program)
        };
        let mut reads = MOST_READS;
        let places = fitting(places, &mut |places| differences(places).is_some(), &mut reads);
        let mut numbers: BTreeMap<(InstrAt, Part), usize> = BTreeMap::new();
        let mut bit = 1;
        while bit <= places.len() {
            let group = places.iter().enumerate().filter(|(index, _)| (index + 1) & bit != 0);
            let group = group.map(|(_, place)| place.clone()).collect::<Vec<_>>();
            for changed in differences(&group).unwrap_or_default() {
                *numbers.entry(changed).or_default() |= bit;
            }
            bit *= 2;
        }
        let mut parts = vec![Vec::new(); places.len()];
        for ((at, part), number) in numbers {
            if let Some(parts) = parts.get_mut(number - 1) {
                parts.push((at, part));
            }
        }
        let mut found = Vec::new();
        for (place, parts) in places.into_iter().zip(parts) {
            if let Some(order) = self.order(&place, parts) {
                found.push((place, order));
            }
        }
        self.verify(&mut found);
        found
    }

    fn edits<'p>(
        &self,
        places: impl Iterator<Item = &'p Place>,
        edit: impl Fn(&Place, &str) -> Vec<Edit>,
    ) -> Vec<(PathBuf, Edit)> {
        let of = |place: &'p Place| {
            edit(place, &self.texts[&place.file]).into_iter().map(move |edit| (place.file.clone(), edit))
        };
        places.flat_map(of).collect()
    }

    /// Edits after which the place has another order.
    fn probe(&self, place: &Place, text: &str) -> Vec<Edit> {
        match place.what {
            What::Fence { end, .. } => vec![Edit { start: place.at, end, text: NO_FENCE.to_owned() }],
            What::Word { end, .. } if text[place.at..end].to_lowercase().ends_with("relaxed") => {
                place.edits(text, Wanted::Order(Order::SeqCst))
            }
            _ => place.edits(text, Wanted::Order(Order::Relaxed)),
        }
    }

    fn instr(&self, at: InstrAt) -> &norn_ir::instr::Instr {
        &self.base.functions[at.function.index()].blocks[at.block.index()].instrs[at.index]
    }

    /// What a place is that changes these parts; `None` if that is nothing that has one order.
    fn order(&self, place: &Place, parts: Vec<(InstrAt, Part)>) -> Option<Strength> {
        let is_main = |part: Part| part == Part::Main || !matches!(place.what, What::Implicit { .. });
        let main = parts.iter().copied().filter(|&(_, part)| is_main(part)).collect::<Vec<_>>();
        let kinds = main.iter().filter_map(|&(at, part)| Kind::of(&self.instr(at).kind, part)).collect::<BTreeSet<_>>();
        let present = main.iter().filter_map(|&(at, part)| Present::of(&self.instr(at).kind, part)).collect::<Vec<_>>();
        let (&kind, &first) = (kinds.first()?, present.first()?);
        if present.iter().any(|&other| other != first) {
            return None;
        }
        let allowed = kind.orders().iter().copied();
        let allowed = allowed.filter(|order| kinds.iter().all(|kind| kind.orders().contains(order))).collect();
        let mut spans = main.iter().map(|&(at, _)| self.instr(at).span).collect::<Vec<_>>();
        spans.sort();
        spans.dedup();
        let depth = |at: InstrAt| {
            let forest = loops(&self.base.functions[at.function.index()]);
            forest.innermost(at.block).map_or(0, |id| forest.get(id).depth)
        };
        let loops = main.iter().map(|&(at, _)| depth(at)).max().unwrap_or(0);
        Some(Strength { kind, parts, present: first, allowed, can_go: kind == Kind::Fence, loops, spans })
    }

    /// Forbids what does not come out as it was meant when the text is read again.
    fn verify(&self, found: &mut [(Place, Strength)]) {
        let all = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        for wanted in all.map(Wanted::Order).into_iter().chain([Wanted::Nothing]) {
            let can = |order: &Strength| match wanted {
                Wanted::Order(wanted) => order.allowed.contains(&wanted) && order.present.order() != Some(wanted),
                Wanted::Nothing => order.can_go,
            };
            let able = (0..found.len()).filter(|&index| can(&found[index].1)).collect::<Vec<_>>();
            let come_out = |able: &[usize]| self.comes_out(able.iter().map(|&index| &found[index]), wanted);
            let kept = fitting(able.clone(), &mut |able| come_out(able), &mut { MOST_READS });
            for index in able.into_iter().filter(|index| !kept.contains(index)) {
                let order = &mut found[index].1;
                match wanted {
                    Wanted::Order(wanted) => order.allowed.retain(|&other| other != wanted),
                    Wanted::Nothing => order.can_go = false,
                }
            }
        }
    }

    /// Whether the text with places of this order is the program whose instructions have it.
    fn comes_out<'p>(&self, places: impl Iterator<Item = &'p (Place, Strength)>, wanted: Wanted) -> bool {
        let places = places.collect::<Vec<_>>();
        let edits = self.edits(places.iter().map(|(place, _)| place), |place, text| place.edits(text, wanted));
        let Some(draft) = draft(self.code, self.texts, self.gaps, &edits) else { return false };
        let mut meant = self.base.clone();
        let mut gone = Vec::new();
        for (_, order) in places {
            for &(at, part) in &order.parts {
                let block = &mut meant.functions[at.function.index()].blocks[at.block.index()];
                weaken(&mut block.instrs[at.index].kind, part);
            }
            match wanted {
                Wanted::Order(wanted) => {
                    for (at, effect) in order.effects(wanted) {
                        let block = &mut meant.functions[at.function.index()].blocks[at.block.index()];
                        effect.strengthen(&mut block.instrs[at.index].kind);
                    }
                }
                Wanted::Nothing => gone.extend(order.parts.iter().map(|part| part.0)),
            }
        }
        gone.sort();
        for at in gone.into_iter().rev() {
            meant.functions[at.function.index()].blocks[at.block.index()].instrs.remove(at.index);
        }
        comparable(meant) == comparable(draft.read.program)
    }

    fn change(&self, place: &Place, wanted: Wanted) -> Change {
        Change::Replace { file: place.file.clone(), edits: place.edits(&self.texts[&place.file], wanted) }
    }

    fn site(&self, place: &Place, order: &Strength, levels: Vec<(Present, u64)>) -> Site {
        let level = |(index, &(level, cost)): (usize, &(Present, u64))| {
            let wanted = level.order();
            let below = |other: &Present| match (wanted, other.order()) {
                (Some(wanted), Some(other)) => wanted != other && covers(wanted, other),
                _ => false,
            };
            Level {
                name: name(order, level),
                cost: Costs::in_loops(cost, order.loops),
                effects: match (level, wanted) {
                    (Present::Fence(kind), _) => order.parts.iter().map(|&(at, _)| (at, Effect::Fence(kind))).collect(),
                    (_, Some(wanted)) => order.effects(wanted),
                    (_, None) => Vec::new(),
                },
                covers: (0..index).filter(|&other| below(&levels[other].0)).collect(),
                change: match wanted {
                    Some(wanted) if level != order.present => Some(self.change(place, Wanted::Order(wanted))),
                    _ => None,
                },
            }
        };
        Site {
            file: place.file.clone(),
            line: scan::line_number(&self.texts[&place.file], place.at),
            spans: order.spans.clone(),
            levels: levels.iter().enumerate().map(level).collect(),
        }
    }

    /// The ways to make a place stronger.
    pub fn stronger(&self, place: &Place, order: &Strength) -> Option<Site> {
        let present = order.present.order()?;
        let above = order.allowed.iter().copied().filter(|&other| other != present && covers(other, present));
        let cost = |other: Order| match order.present {
            Present::Fence(kind) => {
                self.costs.of_fence(fence_of_order(other)).saturating_sub(self.costs.of_fence(kind))
            }
            Present::Order(_) => (order.kind.steps(other) - order.kind.steps(present)).saturating_mul(self.costs.order),
        };
        let level = |other: Order| match order.present {
            Present::Fence(_) => (Present::Fence(fence_of_order(other)), cost(other).max(1)),
            Present::Order(_) => (Present::Order(other), cost(other)),
        };
        let levels = above.map(level).collect::<Vec<_>>();
        (!levels.is_empty()).then(|| self.site(place, order, levels))
    }

    /// What a place has, from the weakest that is more than nothing; and the text without all that.
    pub fn weaker(&self, place: &Place, order: &Strength) -> Option<(Site, Change)> {
        let weakest = match order.present {
            Present::Fence(FenceKind::Call | FenceKind::Compiler) => return None,
            Present::Fence(_) => Wanted::Nothing,
            Present::Order(Order::Plain | Order::Relaxed) => return None,
            Present::Order(_) => Wanted::Order(Order::Relaxed),
        };
        let is_possible = match weakest {
            Wanted::Nothing => order.can_go,
            Wanted::Order(wanted) => order.allowed.contains(&wanted),
        };
        if !is_possible {
            return None;
        }
        let present = order.present.order();
        let is_between = |&other: &Order| {
            other != Order::Relaxed && present.is_some_and(|present| present != other && covers(present, other))
        };
        let cost = |level: Present| match level {
            Present::Fence(kind) => self.costs.of_fence(kind).max(1),
            Present::Order(other) => {
                (order.kind.steps(other) - order.kind.steps(Order::Relaxed)).saturating_mul(self.costs.order)
            }
        };
        let between = order.allowed.iter().copied().filter(is_between).map(|other| match order.present {
            Present::Fence(_) => Present::Fence(fence_of_order(other)),
            Present::Order(_) => Present::Order(other),
        });
        let levels = between.chain([order.present]).map(|level| (level, cost(level))).collect();
        Some((self.site(place, order, levels), self.change(place, weakest)))
    }
}

impl Strength {
    /// What an order makes of the instructions.
    fn effects(&self, wanted: Order) -> Vec<(InstrAt, Effect)> {
        let effect = |part: Part| match (self.kind, part) {
            (Kind::Fence, _) => Effect::Fence(fence_of_order(wanted)),
            // Of a call that leaves out both orders.
            (Kind::Update, Part::Failure) => Effect::Failure(on_failure(wanted)),
            (_, Part::Failure) => Effect::Failure(wanted),
            (_, Part::Main) => Effect::Order(wanted),
        };
        self.parts.iter().map(|&(at, part)| (at, effect(part))).collect()
    }
}

fn name(order: &Strength, level: Present) -> String {
    match level {
        Present::Fence(kind) => fence_name(kind).to_owned(),
        Present::Order(wanted) => {
            let atomic = if order.present == Present::Order(Order::Plain) { "atomic " } else { "" };
            format!("{atomic}{} {}", word(wanted), order.kind.name())
        }
    }
}

/// The lines on which the program has fences, and accesses to what may be shared.
struct Lines {
    fences: BTreeSet<u32>,
    accesses: BTreeSet<u32>,
    /// Of those, with operators on atomic objects.
    atomics: BTreeSet<u32>,
}

impl Lines {
    fn of(program: &Program) -> Lines {
        let mut lines = Lines { fences: BTreeSet::new(), accesses: BTreeSet::new(), atomics: BTreeSet::new() };
        for instr in program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs) {
            match &instr.kind {
                InstrKind::Fence(kind) if !matches!(kind, FenceKind::Call | FenceKind::Compiler) => {
                    lines.fences.insert(instr.span.line);
                }
                InstrKind::Load { addr, access, .. } | InstrKind::Store { addr, access, .. }
                    if !matches!(addr, Operand::Local(..)) =>
                {
                    lines.accesses.insert(instr.span.line);
                    if access.order == Order::SeqCst {
                        lines.atomics.insert(instr.span.line);
                    }
                }
                _ => {}
            }
        }
        lines
    }

    /// Words can stand far from what they order. What stands on a line of another number for readers is not known here.
    fn may_have(&self, place: &Place, text: &str) -> bool {
        let lines = match place.what {
            What::Word { .. } | What::Implicit { .. } => return true,
            What::Fence { .. } => &self.fences,
            What::Store { .. } | What::Load { .. } => &self.accesses,
        };
        let is_renumbered = text.starts_with("# ") || text.contains("\n# ") || text.contains("#line");
        let line = scan::line_number(text, place.at);
        let last = line + text[place.at..].lines().take(3).count();
        is_renumbered || (line..last).any(|line| u32::try_from(line).is_ok_and(|line| lines.contains(&line)))
    }
}

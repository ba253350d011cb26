//! The question about final states: from the condition in the file to a condition on cells and registers.

use std::collections::{BTreeMap, BTreeSet};

use norn_graph::program::{Cell, Program, Reg, Width};
use norn_graph::test::{Condition, Observed, Quantifier, Term, Test};
use norn_ir::diag::Diagnostic;

use super::widths::Size;
use crate::condition::{self, Final, Item, Operand, UNKNOWN_LOCATION};
use crate::ctype::CType;
use crate::header::Header;
use crate::outcome::looked_at;
use crate::state::{State, Value};
use crate::token::File;

/// Where a location is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub first: Cell,
    /// How conditions look at its values.
    pub width: Width,
    pub signed: bool,
    /// How far its elements are apart, and the cells that each of them has.
    pub element: Width,
    pub unit: Width,
}

impl Home {
    /// The first cell of an element, and how many there are.
    fn cells(&self, index: u64) -> (Cell, usize) {
        let count = norn_ir::number::to_usize(self.element.bytes() / self.unit.bytes());
        (Cell::new(self.first.index() + norn_ir::number::to_usize(index) * count), count)
    }
}

/// A register that the end of the test looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinalRegister {
    pub reg: Reg,
    pub width: Width,
    pub signed: bool,
}

/// Makes the cells of all locations, as wide as `sizes` say, with their initial values.
pub(crate) fn homes(state: &State<'_>, sizes: &[Size], program: &mut Program) -> Vec<Home> {
    let mut homes = Vec::with_capacity(sizes.len());
    for (location, &Size { element, unit }) in state.locations.iter().zip(sizes) {
        let first = program.divided_location(&location.name, element, unit, location.length);
        let signed = location.declared.is_none_or(CType::is_signed);
        homes.push(Home { first, width: element, signed, element, unit });
    }
    for (location, home) in state.locations.iter().zip(&homes) {
        for (index, &value) in location.init.iter().enumerate() {
            let bits = number(value, &homes, program);
            let (first, count) = home.cells(index as u64);
            for part in 0..count {
                let cell = &mut program.cells[first.index() + part];
                cell.init = cell.width.truncate(bits >> home.unit.shift(part));
            }
        }
    }
    homes
}

/// A value of the initial state, as bits.
pub(crate) fn number(value: Value, homes: &[Home], program: &Program) -> u64 {
    match value {
        Value::Number(n) => n as u64,
        Value::Address(id, index) => {
            let home = &homes[id.index()];
            let cell = &program.cells[home.first.index()];
            cell.address.wrapping_add(index.wrapping_mul(home.element.bytes()))
        }
    }
}

/// The end of the file, the registers that it mentions, and their order in tables.
pub(crate) struct Asked<'e> {
    pub end: &'e Final,
    pub registers: &'e BTreeMap<&'e Item, FinalRegister>,
    pub rank: &'e dyn Fn(&str) -> u32,
}

/// Puts a test together.
pub(crate) fn test(
    file: &File<'_>,
    header: &Header,
    state: &State<'_>,
    homes: &[Home],
    program: Program,
    &Asked { end, registers, rank }: &Asked<'_>,
) -> Result<Test, Vec<Diagnostic>> {
    let mut places = BTreeMap::new();
    let mut findings = Vec::new();
    for (item, start) in looked_at(end) {
        match place(file, item, start, state, homes, registers) {
            Ok(place) => drop(places.insert(item, place)),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let question = Question { places: &places, state, homes, program: &program };
    let filter = end.filter.as_ref().map(|filter| question.condition(filter));
    let condition = question.condition(&end.condition);
    let quantifier = match end.quantifier {
        crate::Quantifier::Exists => Quantifier::Exists,
        crate::Quantifier::NotExists => Quantifier::NotExists,
        crate::Quantifier::Forall => Quantifier::Forall,
    };
    let observed = columns(end, &places, rank);
    Ok(Test { name: header.name.clone(), program, filter, quantifier, condition, observed })
}

/// The value of a register or a cell.
#[derive(Clone, Copy, Debug)]
struct Place {
    term: Term,
    width: Width,
    signed: bool,
}

fn place(
    file: &File<'_>,
    item: &Item,
    start: u32,
    state: &State<'_>,
    homes: &[Home],
    registers: &BTreeMap<&Item, FinalRegister>,
) -> Result<Place, Diagnostic> {
    match item {
        Item::Register { thread, name } => match registers.get(item) {
            Some(&FinalRegister { reg, width, signed }) => {
                let term = Term::Register { thread: *thread as usize, reg };
                Ok(Place { term, width, signed })
            }
            None => Err(file.error(start as usize, 0, format!("thread {thread} has no register '{name}'"))),
        },
        Item::Location { name, index } => {
            let Some(id) = state.find(name) else {
                let message = format!("there is no location '{name}'");
                return Err(file.error(start as usize, name.len(), message).help(UNKNOWN_LOCATION));
            };
            let (location, home) = (state.location(id), homes[id.index()]);
            let index = index.unwrap_or(0);
            if index >= location.length.unwrap_or(1) {
                return Err(file.error(start as usize, name.len(), format!("'{name}' has no element {index}")));
            }
            let term = match home.cells(index) {
                (cell, 1) => Term::Cell(cell),
                (first, count) => Term::Cells { first, count, unit: home.unit },
            };
            Ok(Place { term, width: home.width, signed: home.signed })
        }
    }
}

struct Question<'q> {
    places: &'q BTreeMap<&'q Item, Place>,
    state: &'q State<'q>,
    homes: &'q [Home],
    program: &'q Program,
}

impl Question<'_> {
    fn condition(&self, condition: &condition::Condition) -> Condition {
        let not = |inner: Condition| Condition::Not(Box::new(inner));
        let all = |parts: &[condition::Condition]| parts.iter().map(|part| self.condition(part)).collect();
        match condition {
            condition::Condition::True => Condition::True,
            condition::Condition::False => Condition::False,
            condition::Condition::Equal(item, operand) => self.equal(item, operand),
            condition::Condition::Different(item, operand) => not(self.equal(item, operand)),
            condition::Condition::Not(inner) => not(self.condition(inner)),
            condition::Condition::And(parts) => Condition::And(all(parts)),
            condition::Condition::Or(parts) => Condition::Or(all(parts)),
            condition::Condition::Implies(premise, conclusion) => {
                Condition::Or(vec![not(self.condition(premise)), self.condition(conclusion)])
            }
        }
    }

    fn equal(&self, item: &Item, operand: &Operand) -> Condition {
        let left = self.places[item];
        match operand {
            Operand::Number(n) => Condition::Equal(left.term, Term::Const(*n as u64), left.width),
            Operand::Item(other) => {
                let right = self.places[other];
                Condition::Equal(left.term, right.term, left.width.min(right.width))
            }
            Operand::Address { name, index } => {
                // The reader of conditions takes only names of locations for addresses.
                let id = self.state.find(name).expect("an address should be that of a location");
                let address = number(Value::Address(id, index.unwrap_or(0)), self.homes, self.program);
                Condition::Equal(left.term, Term::Const(address), left.width)
            }
        }
    }
}

/// What the table of final states shows: registers by thread and rank before locations, each once.
fn columns(end: &Final, places: &BTreeMap<&Item, Place>, rank: &dyn Fn(&str) -> u32) -> Vec<Observed> {
    let mut shown: Vec<&Item> = end.mentions.iter().chain(&end.locations).map(|(item, _)| item).collect();
    shown.sort_by_key(|item| match item {
        Item::Register { thread, name } => (0, *thread, rank(name), name.as_str(), None),
        Item::Location { name, index } => (1, 0, 0, name.as_str(), *index),
    });
    let mut known = BTreeSet::new();
    let mut columns = Vec::new();
    for item in shown {
        let Some(&Place { term, width, signed }) = places.get(item) else { continue };
        if known.insert(term) {
            columns.push(Observed { label: item.to_string(), term, width, signed });
        }
    }
    columns
}

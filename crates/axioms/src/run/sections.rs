//! Sections: steps of the library's models, and atomic sections of the program.
//!
//! A section that writes one place at most is an atomic step on that place: a read and a write that nobody comes between.
//! It acquires and releases what its model says. What writes several places at once has no counterpart in a model of
//! single accesses. Places that no section writes may be read beside it; who judges the graph sees to it that there is no
//! more than one other.

use norn_ir::instr::{FenceKind, Order, SectionKind, SyncKind};
use norn_ir::types::Ty;

use super::{Done, OpenSection, Origins, Place, Run};
use crate::event::{Cell, End, Kind};
use crate::tables::Table;
use crate::value::{Taint, Value};

impl Run<'_, '_> {
    pub(super) fn begin_section(&mut self, kind: SectionKind) -> Done<()> {
        if self.section.is_some() {
            return Err(self.doubt("a section inside a section"));
        }
        self.section = Some(OpenSection {
            kind,
            first_event: self.trace.events.len(),
            places: Vec::new(),
            acquires: false,
            releases: false,
            addr: 0,
        });
        Ok(())
    }

    fn open(&mut self) -> &mut OpenSection {
        self.section.as_mut().expect("a section should have begun")
    }

    pub(super) fn read_in_section(&mut self, cell: Cell, ty: Ty, addr: Taint) -> Done<Value> {
        if let Some(place) = self.open().places.iter().find(|place| place.cell == cell) {
            return Ok(place.value);
        }
        let read = self.read_event(cell, ty, (Order::Relaxed, &[]), addr)?;
        let value = self.read_value(read);
        self.open().places.push(Place { cell, ty, read: Some(read), value, written: false });
        Ok(value)
    }

    pub(super) fn write_in_section(&mut self, cell: Cell, ty: Ty, value: Value, addr: Taint) {
        let section = self.open();
        section.addr |= addr;
        match section.places.iter_mut().find(|place| place.cell == cell) {
            Some(place) => (place.value, place.written) = (value, true),
            None => section.places.push(Place { cell, ty, read: None, value, written: true }),
        }
    }

    pub(super) fn sync(&mut self, kind: SyncKind) -> Done<()> {
        match (&mut self.section, kind) {
            (None, _) => return Err(self.doubt("a point of synchronisation outside of a section")),
            (Some(section), SyncKind::Acquire) => section.acquires = true,
            (Some(section), SyncKind::Release) => section.releases = true,
        }
        Ok(())
    }

    pub(super) fn end_section(&mut self) -> Done<()> {
        let Some(section) = &self.section else { return Err(self.doubt("the end of a section that did not begin")) };
        let order = match (section.kind, section.acquires, section.releases) {
            (SectionKind::Atomic, ..) => Order::SeqCst,
            (_, false, false) => Order::Relaxed,
            (_, true, false) => Order::Acquire,
            (_, false, true) => Order::Release,
            (_, true, true) => Order::AcqRel,
        };
        let mut written = section.places.iter().filter(|place| place.written);
        let target = match (written.next(), written.next()) {
            (_, Some(_)) => return Err(self.doubt("a step that writes several places at once")),
            (place, None) => place,
        };
        if section.kind == SectionKind::Atomic && section.places.len() > 1 {
            return Err(self.doubt("an atomic section that accesses several places"));
        }
        let write = target.map(|place| (place.cell, place.ty, place.read, place.value));
        let (first, addr) = (section.first_event, section.addr);
        let table = self.world.table;
        let is_update = write.is_some();
        let update = table.update(order, false);
        for event in first..self.trace.events.len() {
            let tags = if is_update { update.read } else { table.look(order) };
            self.trace.events[event].tags = tags.to_vec();
            self.trace.events[event].order = order;
        }
        if let Some((cell, ty, read, value)) = write {
            let origins = Origins { addr, data: value.taint };
            let tags = if read.is_some() { update.write } else { table.overwrite(order) };
            let made = self.event(Kind::Write, Some(cell), (ty, value.bare()), (order, tags), origins);
            let number = match made {
                Err(End::Given) => return Err(self.doubt("a step that was given in part")),
                made => made?,
            };
            if let Some(read) = read {
                self.trace.amo.push((read, number));
            }
        }
        let is_alone = self.trace.events.len() == first;
        self.section = None;
        // A lock that only this thread has is still one to the processor.
        match table {
            Table::Machine if is_alone => self.fence(FenceKind::Call),
            _ => Ok(()),
        }
    }
}

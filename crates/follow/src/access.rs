//! Reads and writes: which cells, and which values.

use crate::follower::{Done, Follower, Stores};
use crate::told::{Content, Place};
use norn_symex::{CellId, EventId, EventKind, ThreadId};
use norn_verdict::schedule::StepNumber;

impl Follower<'_> {
    /// The cell that an event touches.
    fn target(&mut self, id: EventId) -> Done<CellId> {
        let symbolic = self.symbolic;
        let targets = symbolic.event(id).targets().iter();
        let chosen: Vec<CellId> = targets.filter(|target| self.evaluate(target.1, 0) == 1).map(|t| t.0).collect();
        match chosen[..] {
            [cell] => Ok(cell),
            _ => Err(format!("{id:?} touches {} cells", chosen.len())),
        }
    }

    /// The events of one access, with their cells: one, or one for each byte. None where the thread goes on behind a bound.
    fn access(
        &mut self,
        thread: ThreadId,
        step: Option<StepNumber>,
        place: &Place,
        is_read: bool,
    ) -> Done<Vec<(EventId, CellId)>> {
        let mut events = Vec::new();
        let mut at = place.offset;
        while at < place.offset + place.size {
            let fits: fn(&EventKind) -> bool = match is_read {
                true => |kind| matches!(kind, EventKind::Read { .. }),
                false => |kind| matches!(kind, EventKind::Write { .. }),
            };
            let Some(id) = self.expect(thread, step, fits)? else { return Ok(events) };
            let cell = self.target(id)?;
            let found = self.symbolic.cell(cell);
            if found.offset != at {
                return Err(format!("{id:?} touches {} at {}", found.name, found.offset));
            }
            if let Some(global) = place.global
                && !found.name.starts_with(&self.program.globals[global as usize].name)
            {
                return Err(format!("{id:?} touches {}", found.name));
            }
            events.push((id, cell));
            at += found.size;
        }
        Ok(events)
    }

    /// `own`: the buffered store of the own thread that was read.
    pub fn read(
        &mut self,
        thread: ThreadId,
        step: Option<StepNumber>,
        place: &Place,
        value: Content,
        own: Option<Stores>,
    ) -> Done<()> {
        for (id, cell) in self.access(thread, step, place, true)? {
            let forwarded =
                own.as_ref().map(|own| own.iter().find(|store| store.1 == cell).map(|store| (store.0, store.2)));
            let (source, content) = match forwarded {
                Some(store) => {
                    let (store, content) = store.ok_or("the store does not cover the cell")?;
                    (Some(store), content)
                }
                None => self.held(cell),
            };
            self.take(id, source, content)?;
            self.compare(cell, content, place, value)?;
        }
        Ok(())
    }

    /// A read that the machine does not make: it gets what memory holds now.
    pub fn read_memory(&mut self, id: EventId) -> Done<()> {
        let cell = self.target(id)?;
        let (source, content) = self.held(cell);
        self.take(id, source, content)
    }

    /// What memory holds, and who wrote it.
    fn held(&mut self, cell: CellId) -> (Option<EventId>, u64) {
        match self.memory.get(&cell) {
            Some(&(store, content)) => (Some(store), content),
            None => (None, self.evaluate(self.symbolic.cell(cell).initial, 0)),
        }
    }

    /// An event reads from a source.
    fn take(&mut self, id: EventId, source: Option<EventId>, content: u64) -> Done<()> {
        self.sources.insert(id, source);
        let EventKind::Read { value: variable, .. } = self.symbolic.event(id).kind else { return Ok(()) };
        match self.symbolic.terms.as_bits(variable) {
            Some(constant) if constant != content => Err(format!("it should read {constant}, not {content}")),
            Some(_) => Ok(()),
            None => {
                self.give(variable, content);
                Ok(())
            }
        }
    }

    /// Whether a cell's content stands for the machine's value.
    fn compare(&self, cell: CellId, content: u64, place: &Place, value: Content) -> Done<()> {
        let found = self.symbolic.cell(cell);
        let mask = if found.size == 8 { u64::MAX } else { (1 << (found.size * 8)) - 1 };
        // Addresses differ; what was made of them cannot be told from other numbers unless it is small.
        let may_differ = value.is_address || self.symbolic.watches_addresses.is_some();
        let is_small = |bits: u64| bits >> 24 == 0;
        if found.size < place.size && may_differ && !is_small(value.bits) {
            return Ok(());
        }
        let expected = value.bits >> ((found.offset - place.offset) * 8) & mask;
        let held = match (found.encoding.bits(content), found.encoding.member(content)) {
            (Some(bits), _) if !may_differ || is_small(bits) || is_small(expected) => bits,
            (_, Some(member)) if member.object.is_none() => member.offset,
            (_, Some(_)) if expected == 0 => return Err("a null pointer was not foreseen".to_owned()),
            _ => return Ok(()),
        };
        if held & mask == expected { Ok(()) } else { Err(format!("{} holds {held}, not {expected}", found.name)) }
    }

    pub fn write(&mut self, thread: ThreadId, step: Option<StepNumber>, place: &Place, value: Content) -> Done<Stores> {
        let mut written = Vec::new();
        for (id, cell) in self.access(thread, step, place, false)? {
            let EventKind::Write { value: term, .. } = self.symbolic.event(id).kind else { continue };
            self.take_inputs(thread, id)?;
            if self.is_open(term, 0) {
                return Err(format!("{id:?} writes what is not known"));
            }
            let content = self.evaluate(term, 0);
            self.compare(cell, content, place, value)?;
            written.push((id, cell, content));
        }
        Ok(written)
    }
}

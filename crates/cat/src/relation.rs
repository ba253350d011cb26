//! Sets and relations over the events of one execution, as bit vectors and bit matrices.
//!
//! Events are numbered from 0. All operands of an operation range over the same number of events.

const BITS: usize = 64;

fn words(events: usize) -> usize {
    events.div_ceil(BITS)
}

/// The valid bits of the last word.
fn last_mask(events: usize) -> u64 {
    match events % BITS {
        0 => u64::MAX,
        rest => (1 << rest) - 1,
    }
}

/// A set of events.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Set {
    events: usize,
    words: Vec<u64>,
}

impl Set {
    pub fn empty(events: usize) -> Set {
        Set { events, words: vec![0; words(events)] }
    }

    pub fn all(events: usize) -> Set {
        Set::empty(events).complement()
    }

    pub fn of(events: usize, members: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::empty(events);
        members.into_iter().for_each(|event| set.insert(event));
        set
    }

    pub fn events(&self) -> usize {
        self.events
    }

    pub fn insert(&mut self, event: usize) {
        assert!(event < self.events, "event {event} should be one of {}", self.events);
        self.words[event / BITS] |= 1 << (event % BITS);
    }

    pub fn has(&self, event: usize) -> bool {
        self.words[event / BITS] >> (event % BITS) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        members(&self.words)
    }

    fn combine(&self, other: &Set, op: impl Fn(u64, u64) -> u64) -> Set {
        assert_eq!(self.events, other.events, "sets should be over the same events");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| op(a, b)).collect();
        Set { events: self.events, words }
    }

    pub fn union(&self, other: &Set) -> Set {
        self.combine(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &Set) -> Set {
        self.combine(other, |a, b| a & b)
    }

    pub fn difference(&self, other: &Set) -> Set {
        self.combine(other, |a, b| a & !b)
    }

    pub fn complement(&self) -> Set {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if let Some(last) = words.last_mut() {
            *last &= last_mask(self.events);
        }
        Set { events: self.events, words }
    }

    /// All pairs of a member of this and a member of the other.
    pub fn product(&self, other: &Set) -> Relation {
        let mut product = Relation::empty(self.events);
        for event in self.members() {
            product.row_mut(event).copy_from_slice(&other.words);
        }
        product
    }

    /// Every member with itself.
    pub fn identity(&self) -> Relation {
        Relation::of(self.events, self.members().map(|event| (event, event)))
    }
}

fn members(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index * BITS + bit)
        })
    })
}

/// A relation between events, one row of bits per event on its left side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation {
    events: usize,
    stride: usize,
    rows: Vec<u64>,
}

impl Relation {
    pub fn empty(events: usize) -> Relation {
        let stride = words(events);
        Relation { events, stride, rows: vec![0; stride * events] }
    }

    pub fn of(events: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Relation {
        let mut relation = Relation::empty(events);
        pairs.into_iter().for_each(|(from, to)| relation.insert(from, to));
        relation
    }

    pub fn identity(events: usize) -> Relation {
        Relation::of(events, (0..events).map(|event| (event, event)))
    }

    pub fn all(events: usize) -> Relation {
        Relation::empty(events).complement()
    }

    pub fn events(&self) -> usize {
        self.events
    }

    pub fn insert(&mut self, from: usize, to: usize) {
        assert!(from < self.events && to < self.events, "events should be among {}", self.events);
        self.rows[from * self.stride + to / BITS] |= 1 << (to % BITS);
    }

    pub fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from * self.stride + to / BITS] >> (to % BITS) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&word| word == 0)
    }

    fn row(&self, event: usize) -> &[u64] {
        &self.rows[event * self.stride..(event + 1) * self.stride]
    }

    fn row_mut(&mut self, event: usize) -> &mut [u64] {
        &mut self.rows[event * self.stride..(event + 1) * self.stride]
    }

    pub fn successors(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        members(self.row(event))
    }

    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.events).flat_map(move |from| self.successors(from).map(move |to| (from, to)))
    }

    fn combine(&self, other: &Relation, op: impl Fn(u64, u64) -> u64) -> Relation {
        assert_eq!(self.events, other.events, "relations should be over the same events");
        let rows = self.rows.iter().zip(&other.rows).map(|(&a, &b)| op(a, b)).collect();
        Relation { events: self.events, stride: self.stride, rows }
    }

    pub fn union(&self, other: &Relation) -> Relation {
        self.combine(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &Relation) -> Relation {
        self.combine(other, |a, b| a & b)
    }

    pub fn difference(&self, other: &Relation) -> Relation {
        self.combine(other, |a, b| a & !b)
    }

    pub fn complement(&self) -> Relation {
        let mut rows: Vec<u64> = self.rows.iter().map(|word| !word).collect();
        for last in rows.iter_mut().skip(self.stride.saturating_sub(1)).step_by(self.stride.max(1)) {
            *last &= last_mask(self.events);
        }
        Relation { events: self.events, stride: self.stride, rows }
    }

    pub fn inverse(&self) -> Relation {
        Relation::of(self.events, self.pairs().map(|(from, to)| (to, from)))
    }

    /// Pairs `(a, c)` with `(a, b)` in this and `(b, c)` in the other.
    pub fn compose(&self, other: &Relation) -> Relation {
        assert_eq!(self.events, other.events, "relations should be over the same events");
        let mut composed = Relation::empty(self.events);
        for from in 0..self.events {
            for between in members(self.row(from)) {
                let target = &mut composed.rows[from * self.stride..(from + 1) * self.stride];
                target.iter_mut().zip(other.row(between)).for_each(|(word, &more)| *word |= more);
            }
        }
        composed
    }

    /// The least transitive relation around this.
    pub fn closure(&self) -> Relation {
        let mut closure = self.clone();
        for between in 0..self.events {
            let through = closure.row(between).to_vec();
            for from in 0..self.events {
                if closure.has(from, between) {
                    closure.row_mut(from).iter_mut().zip(&through).for_each(|(word, &more)| *word |= more);
                }
            }
        }
        closure
    }

    pub fn reflexive(&self) -> Relation {
        let mut reflexive = self.clone();
        (0..self.events).for_each(|event| reflexive.insert(event, event));
        reflexive
    }

    pub fn domain(&self) -> Set {
        Set::of(self.events, (0..self.events).filter(|&event| self.row(event).iter().any(|&word| word != 0)))
    }

    pub fn range(&self) -> Set {
        let mut words = vec![0; self.stride];
        for event in 0..self.events {
            words.iter_mut().zip(self.row(event)).for_each(|(word, &more)| *word |= more);
        }
        Set { events: self.events, words }
    }

    pub fn is_irreflexive(&self) -> bool {
        (0..self.events).all(|event| !self.has(event, event))
    }

    pub fn is_acyclic(&self) -> bool {
        self.cycle().is_none()
    }

    /// The events of a cycle, each related to the next and the last to the first.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.events];
        for start in 0..self.events {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            let mut path = vec![start];
            let mut pending = vec![self.successors(start)];
            while let Some(successors) = pending.last_mut() {
                match successors.next() {
                    Some(next) if marks[next] == Mark::Open => {
                        let from = path.iter().position(|&event| event == next).unwrap_or(0);
                        return Some(path[from..].to_vec());
                    }
                    Some(next) if marks[next] == Mark::New => {
                        marks[next] = Mark::Open;
                        path.push(next);
                        pending.push(self.successors(next));
                    }
                    Some(_) => {}
                    None => {
                        pending.pop();
                        if let Some(done) = path.pop() {
                            marks[done] = Mark::Done;
                        }
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: usize = 67;

    fn relation(pairs: &[(usize, usize)]) -> Relation {
        Relation::of(EVENTS, pairs.iter().copied())
    }

    fn pairs(relation: &Relation) -> Vec<(usize, usize)> {
        relation.pairs().collect()
    }

    #[test]
    fn sets() {
        let (a, b) = (Set::of(EVENTS, [0, 1, 65]), Set::of(EVENTS, [1, 66]));
        assert_eq!(a.union(&b).members().collect::<Vec<_>>(), [0, 1, 65, 66]);
        assert_eq!(a.intersection(&b).members().collect::<Vec<_>>(), [1]);
        assert_eq!(a.difference(&b).members().collect::<Vec<_>>(), [0, 65]);
        assert_eq!(a.complement().members().count(), EVENTS - 3);
        assert_eq!(Set::all(EVENTS).members().count(), EVENTS);
        assert_eq!(Set::all(64).members().count(), 64);
        assert!(Set::empty(EVENTS).is_empty() && !a.is_empty());
        assert_eq!(pairs(&b.product(&a)), [(1, 0), (1, 1), (1, 65), (66, 0), (66, 1), (66, 65)]);
        assert_eq!(pairs(&b.identity()), [(1, 1), (66, 66)]);
    }

    #[test]
    fn relations() {
        let chain = relation(&[(0, 1), (1, 65), (65, 66)]);
        assert_eq!(pairs(&chain.compose(&chain)), [(0, 65), (1, 66)]);
        assert_eq!(pairs(&chain.closure()), [(0, 1), (0, 65), (0, 66), (1, 65), (1, 66), (65, 66)]);
        assert_eq!(pairs(&chain.inverse()), [(1, 0), (65, 1), (66, 65)]);
        assert_eq!(chain.complement().pairs().count(), EVENTS * EVENTS - 3);
        assert_eq!(chain.reflexive().pairs().count(), EVENTS + 3);
        assert_eq!(chain.domain(), Set::of(EVENTS, [0, 1, 65]));
        assert_eq!(chain.range(), Set::of(EVENTS, [1, 65, 66]));
        assert_eq!(pairs(&chain.difference(&relation(&[(1, 65)]))), [(0, 1), (65, 66)]);
        assert_eq!(pairs(&chain.intersection(&relation(&[(1, 65), (1, 2)]))), [(1, 65)]);
        assert_eq!(Relation::all(2).pairs().count(), 4);
        assert!(Relation::all(0).is_empty());
    }

    #[test]
    fn cycles() {
        assert!(relation(&[(0, 1), (0, 2), (1, 3), (2, 3)]).is_acyclic());
        let cyclic = relation(&[(5, 0), (0, 1), (1, 66), (66, 0)]);
        assert_eq!(cyclic.cycle(), Some(vec![0, 1, 66]));
        assert!(cyclic.is_irreflexive());
        assert_eq!(relation(&[(3, 3)]).cycle(), Some(vec![3]));
        assert!(!relation(&[(3, 3)]).is_irreflexive());
    }
}

//! Sets of numbers as intervals.

/// Disjoint intervals, ends included, ascending.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Set(Vec<(u64, u64)>);

impl Set {
    /// All numbers of so many bits.
    pub fn full(bits: u32) -> Set {
        Set(vec![(0, mask(bits))])
    }

    /// Of intervals in any order that may overlap.
    pub fn of(mut intervals: Vec<(u64, u64)>) -> Set {
        intervals.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(intervals.len());
        for (low, high) in intervals {
            match joined.last_mut() {
                Some(last) if low <= last.1 || low - 1 == last.1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        Set(joined)
    }

    pub fn intervals(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn first(&self) -> Option<u64> {
        self.0.first().map(|interval| interval.0)
    }

    pub fn contains(&self, value: u64) -> bool {
        self.0.iter().any(|&(low, high)| low <= value && value <= high)
    }

    /// The members, if there are at most so many.
    pub fn members(&self, most: usize) -> Option<Vec<u64>> {
        let mut found = Vec::new();
        for &(low, high) in &self.0 {
            if high - low >= most as u64 || found.len() + norn_ir::number::to_usize(high - low) >= most {
                return None;
            }
            found.extend(low..=high);
        }
        Some(found)
    }

    pub fn and(&self, other: &Set) -> Set {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Set(pairs.filter(|(low, high)| low <= high).collect())
    }

    pub fn without(&self, other: &Set) -> Set {
        let mut left = self.0.clone();
        for &(low, high) in &other.0 {
            left = left
                .into_iter()
                .flat_map(|(a, b)| {
                    let before = (a < low).then(|| (a, b.min(low.saturating_sub(1))));
                    let after = (b > high).then(|| (a.max(high.saturating_add(1)), b));
                    before.into_iter().chain(after)
                })
                .collect();
        }
        Set(left)
    }

    pub fn or(&self, other: &Set) -> Set {
        Set::of(self.0.iter().chain(&other.0).copied().collect())
    }
}

/// The largest number of so many bits.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_like_sets() {
        let numbers = |set: &Set| (0..=20).filter(|&n| set.contains(n)).collect::<Vec<_>>();
        let a = Set::of(vec![(5, 9), (1, 2), (3, 3), (8, 12)]);
        assert_eq!(a, Set::of(vec![(1, 3), (5, 12)]));
        let b = Set::of(vec![(0, 1), (7, 8), (12, 20)]);
        assert_eq!(numbers(&a.and(&b)), [1, 7, 8, 12]);
        assert_eq!(numbers(&a.without(&b)), [2, 3, 5, 6, 9, 10, 11]);
        assert_eq!(numbers(&a.or(&b)), [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
        assert_eq!(a.members(11), Some(vec![1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12]));
        assert_eq!(a.members(10), None);
        assert_eq!(Set::full(64).members(1000), None);
        assert_eq!(Set::full(64).without(&Set::of(vec![(0, u64::MAX)])), Set::default());
        assert!(Set::full(8).without(&Set::of(vec![(1, 255)])).members(1) == Some(vec![0]));
    }
}

//! Sets of small numbers, most of them nearly empty: sorted words of 64 bits, without the empty words.

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct SparseSet {
    /// Index of the word and its bits, ascending; no word is zero.
    words: Vec<(u32, u64)>,
}

impl SparseSet {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether the element is new.
    pub fn insert(&mut self, element: u32) -> bool {
        match self.words.binary_search_by_key(&(element / 64), |w| w.0) {
            Ok(at) => {
                let before = self.words[at].1;
                self.words[at].1 |= bit(element);
                before & bit(element) == 0
            }
            Err(at) => {
                self.words.insert(at, (element / 64, bit(element)));
                true
            }
        }
    }

    /// Adds the elements of `other`; those that are new are added to `added` too. Whether there were any.
    pub fn union(&mut self, other: &SparseSet, added: &mut SparseSet) -> bool {
        if self.words.is_empty() {
            self.words.clone_from(&other.words);
            added.merge(other);
            return !other.is_empty();
        }
        let fresh = other.without(self);
        if fresh.is_empty() {
            return false;
        }
        self.merge(&fresh);
        added.merge(&fresh);
        true
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.1.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(index, word)| {
            std::iter::successors(Some(word), |rest| Some(rest & (rest - 1)).filter(|&rest| rest != 0))
                .map(move |rest| index * 64 + rest.trailing_zeros())
        })
    }

    fn without(&self, other: &SparseSet) -> SparseSet {
        let mut words = Vec::new();
        let mut at = 0;
        for &(index, word) in &self.words {
            while other.words.get(at).is_some_and(|w| w.0 < index) {
                at += 1;
            }
            let rest = match other.words.get(at) {
                Some(&(i, bits)) if i == index => word & !bits,
                _ => word,
            };
            if rest != 0 {
                words.push((index, rest));
            }
        }
        SparseSet { words }
    }

    fn merge(&mut self, other: &SparseSet) {
        if self.words.last().is_none_or(|last| other.words.first().is_some_and(|first| last.0 < first.0)) {
            self.words.extend_from_slice(&other.words);
            return;
        }
        // Most sets are of one word.
        if let ([word], [more]) = (&mut self.words[..], &other.words[..])
            && word.0 == more.0
        {
            word.1 |= more.1;
            return;
        }
        let mut words = Vec::with_capacity(self.words.len() + other.words.len());
        let (mut left, mut right) = (self.words.iter().peekable(), other.words.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some(&&(i, a)), Some(&&(j, b))) if i == j => {
                    words.push((i, a | b));
                    left.next();
                    right.next();
                }
                (Some(&&(i, a)), Some(&&(j, _))) if i < j => {
                    words.push((i, a));
                    left.next();
                }
                (_, Some(&&word)) => {
                    words.push(word);
                    right.next();
                }
                (Some(&&word), None) => {
                    words.push(word);
                    left.next();
                }
                (None, None) => break,
            }
        }
        self.words = words;
    }
}

fn bit(element: u32) -> u64 {
    1 << (element % 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn set_of(elements: &[u32]) -> SparseSet {
        let mut set = SparseSet::default();
        elements.iter().for_each(|&element| {
            set.insert(element);
        });
        set
    }

    #[test]
    fn behaves_like_a_set() {
        let samples: [&[u32]; 5] = [&[], &[0], &[63, 64, 500], &[1, 64, 65, 7000], &[0, 1, 2, 130, 7000, 7001]];
        for a in samples {
            for b in samples {
                let mut set = set_of(a);
                let mut added = set_of(&[9]);
                let grew = set.union(&set_of(b), &mut added);
                let old: BTreeSet<u32> = a.iter().copied().collect();
                let all: BTreeSet<u32> = a.iter().chain(b).copied().collect();
                assert_eq!(set.iter().collect::<Vec<_>>(), all.iter().copied().collect::<Vec<_>>());
                assert_eq!(grew, all.len() > old.len());
                let fresh: BTreeSet<u32> = all.difference(&old).copied().chain([9]).collect();
                assert_eq!(added.iter().collect::<Vec<_>>(), fresh.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn insert_tells_what_is_new() {
        let mut set = SparseSet::default();
        assert!(set.is_empty() && set.insert(70) && set.insert(3) && !set.insert(70));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70]);
    }
}

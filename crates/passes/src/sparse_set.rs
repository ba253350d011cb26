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

    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds the elements of `other`; those that are new are added to `added` too. Whether there were any.
    pub fn union(&mut self, other: &SparseSet, added: &mut SparseSet) -> bool {
        let mut grows = false;
        let mut missing = 0;
        let mut at = 0;
        for &(index, more) in &other.words {
            while self.words.get(at).is_some_and(|word| word.0 < index) {
                at += 1;
            }
            let fresh = match self.words.get_mut(at) {
                Some(word) if word.0 == index => {
                    let fresh = more & !word.1;
                    word.1 |= fresh;
                    fresh
                }
                _ => {
                    missing += 1;
                    more
                }
            };
            if fresh != 0 {
                grows = true;
                added.add_word(index, fresh);
            }
        }
        if missing > 0 {
            self.add_missing(other, missing);
        }
        grows
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

    fn add_word(&mut self, index: u32, bits: u64) {
        match self.words.last_mut() {
            Some(last) if last.0 == index => last.1 |= bits,
            Some(last) if last.0 > index => match self.words.binary_search_by_key(&index, |word| word.0) {
                Ok(at) => self.words[at].1 |= bits,
                Err(at) => self.words.insert(at, (index, bits)),
            },
            _ => self.words.push((index, bits)),
        }
    }

    /// Adds the words of `other` that have no counterpart here: so many. From the end, where there is room.
    fn add_missing(&mut self, other: &SparseSet, missing: usize) {
        let mut left = self.words.len();
        let mut right = other.words.len();
        let mut to = left + missing;
        self.words.resize(to, (0, 0));
        while to > left {
            to -= 1;
            let more = other.words[right - 1];
            if left > 0 && self.words[left - 1].0 >= more.0 {
                left -= 1;
                right -= usize::from(self.words[left].0 == more.0);
                self.words[to] = self.words[left];
            } else {
                right -= 1;
                self.words[to] = more;
            }
        }
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

//! Sets of events, as rows of bits of one common length, in one array.

/// Rows of equal length; a row is a set of small numbers.
#[derive(Clone, Default, Debug)]
pub struct Rows {
    words: usize,
    data: Vec<u64>,
}

impl Rows {
    pub fn new(words: usize) -> Rows {
        Rows { words, data: Vec::new() }
    }

    pub fn row(&self, index: usize) -> &[u64] {
        &self.data[index * self.words..(index + 1) * self.words]
    }

    pub fn row_mut(&mut self, index: usize) -> &mut [u64] {
        &mut self.data[index * self.words..(index + 1) * self.words]
    }

    pub fn push(&mut self, row: &[u64]) {
        // Rows are short: no call to copy them.
        row.iter().for_each(|&word| self.data.push(word));
    }

    pub fn len(&self) -> usize {
        self.data.len() / self.words
    }

    pub fn truncate(&mut self, rows: usize) {
        self.data.truncate(rows * self.words);
    }

    /// Adds empty rows until there are `rows` of them.
    pub fn ensure(&mut self, rows: usize) {
        if self.len() < rows {
            self.data.resize(rows * self.words, 0);
        }
    }

    /// The same sets in longer rows.
    pub fn widen(&mut self, words: usize) {
        let mut wider = Rows::new(words);
        for index in 0..self.len() {
            wider.data.extend_from_slice(self.row(index));
            wider.data.resize((index + 1) * words, 0);
        }
        *self = wider;
    }
}

pub fn has(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 != 0
}

pub fn add(row: &mut [u64], bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

pub fn remove(row: &mut [u64], bit: usize) {
    row[bit / 64] &= !(1 << (bit % 64));
}

/// Rows are short: no call to copy them.
pub fn copy(row: &mut [u64], other: &[u64]) {
    for (word, other) in row.iter_mut().zip(other) {
        *word = *other;
    }
}

pub fn join(row: &mut [u64], other: &[u64]) {
    for (word, other) in row.iter_mut().zip(other) {
        *word |= other;
    }
}

pub fn disjoint(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).all(|(word, other)| word & other == 0)
}

//! Threads that start with the same function differ in few places of their texts: in their numbers and what follows from
//! them, and in the names of their own objects. So the text is written once, with marks at these places, and the copy of
//! each thread has its own words there.

use crate::text::put;

/// No text has these otherwise: names have neither, and string literals only escaped.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// The threads that share a text.
#[derive(Debug)]
pub struct Copies {
    /// By their numbers. If there is only one there are no marks.
    pub threads: Vec<usize>,
    /// By mark, then by copy.
    words: Vec<Vec<String>>,
}

impl Copies {
    pub fn of(threads: Vec<usize>) -> Copies {
        Copies { threads, words: Vec::new() }
    }

    pub fn is_single(&self) -> bool {
        self.threads.len() == 1
    }

    /// Adds what each thread makes its own word of, or the word if they agree on it.
    pub fn add(&mut self, text: &mut String, words: Vec<String>) {
        match words.split_first() {
            Some((first, others)) if others.iter().any(|other| other != first) => {
                // As wide as the word, if possible: lines are broken by their width.
                let width = first.len().saturating_sub(2);
                put(text, format_args!("{OPEN}{:0width$}{CLOSE}", self.words.len()));
                self.words.push(words);
            }
            Some((first, _)) => text.push_str(first),
            None => {}
        }
    }

    /// Adds the numbers of the threads.
    pub fn add_number(&mut self, text: &mut String) {
        self.add(text, self.threads.iter().map(usize::to_string).collect());
    }

    /// The pieces of a copy of a text.
    pub fn pieces<'t>(&'t self, marked: &'t str, copy: usize) -> impl Iterator<Item = &'t str> {
        let word = move |mark: &str| {
            let mark: usize = mark.parse().expect("a mark should be a number");
            self.words[mark][copy].as_str()
        };
        marked.split(OPEN).flat_map(move |piece| match piece.split_once(CLOSE) {
            Some((mark, rest)) => [word(mark), rest],
            // Before the first mark.
            None => ["", piece],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_their_own_words() {
        let mut copies = Copies::of(vec![3, 10]);
        let mut text = String::from("x = ");
        copies.add_number(&mut text);
        text.push_str(" + ");
        copies.add(&mut text, vec!["same".to_owned(), "same".to_owned()]);
        text.push_str(" + ");
        copies.add(&mut text, vec!["of_a".to_owned(), "of_b".to_owned()]);
        assert_eq!(text.len(), "x = 3?? + same + of_a".len());
        let copied = [0, 1].map(|copy| copies.pieces(&text, copy).collect::<String>());
        assert_eq!(copied, ["x = 3 + same + of_a", "x = 10 + same + of_b"]);
        let mut single = String::new();
        Copies::of(vec![7]).add_number(&mut single);
        assert_eq!(single, "7");
    }
}

//! What is said of a piece, as a file.
//!
//! An answer carries the fingerprints of the question and of the piece, and one of itself. A violation is only a claim: its
//! schedule is replayed by whoever gathers. Places and loops are named as the question's program names them.

use crate::fingerprint::fingerprint;
use crate::piece::{Piece, Prints, VERSION, json, parsed};
use norn_ir::span::Span;
use norn_verdict::claim::{Claim, Expected};
use norn_verdict::outcome::{Assumption, Bound, Reached};
use norn_verdict::undecided::Undecided;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an engine says of the schedules of one piece.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// One of them ends in a violation.
    Unsafe {
        /// The text form of a schedule.
        schedule: String,
        expected: Vec<Expected>,
    },
    /// None of them does, within the bounds.
    Safe(Box<Safe>),
    Unknown(Undecided),
}

/// What a safe verdict about all pieces is made of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Safe {
    /// Exhausted, if no schedule of the piece goes beyond.
    pub bounds: Vec<Bound>,
    pub assumptions: Vec<Assumption>,
    /// What executions came to, if that is known.
    pub reached: Option<Reached>,
    /// See [`norn_verdict::outcome::Remarks`].
    pub own_addresses: bool,
}

/// An answer to a piece.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    pub tile: u32,
    pub prints: Prints,
    pub said: Said,
    /// Figures: nothing depends on them.
    pub stats: BTreeMap<String, f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    norn_answer: u32,
    tile: u32,
    prints: Prints,
    /// The fingerprint of what is said, about which piece.
    own: String,
    said: Said,
    stats: BTreeMap<String, f64>,
}

fn own(prints: &Prints, said: &Said) -> String {
    fingerprint(&json(&(prints, said)))
}

impl Answer {
    pub fn new(piece: &Piece, said: Said, stats: BTreeMap<String, f64>) -> Answer {
        Answer { tile: piece.tile, prints: piece.prints(), said, stats }
    }

    pub fn to_text(&self) -> String {
        let Answer { tile, prints, said, stats } = self.clone();
        json(&File { norn_answer: VERSION, tile, own: own(&prints, &said), prints, said, stats }) + "\n"
    }

    /// The answer to this piece, whose program has so many files, or what is wrong with the text.
    pub fn from_text(text: &str, tile: u32, prints: &Prints, files: usize) -> Result<Answer, String> {
        let file: File = parsed(text, "norn_answer", "an answer")?;
        if file.own != own(&file.prints, &file.said) {
            return Err("its fingerprint does not fit: it was changed".to_owned());
        }
        if file.tile != tile {
            return Err(format!("it answers piece {}, not {tile}", file.tile));
        }
        if file.prints.question != prints.question {
            return Err("it answers another question".to_owned());
        }
        if file.prints.piece != prints.piece {
            return Err("it answers another piece".to_owned());
        }
        let answer = Answer { tile, prints: file.prints, said: file.said, stats: file.stats };
        let are_there = answer.said.spans().all(|span| span.file.index() < files || span == Span::NONE);
        match are_there {
            true => Ok(answer),
            false => Err("it names places in files that the program does not have".to_owned()),
        }
    }
}

impl Said {
    /// Whether asking again could say more.
    pub fn is_open(&self) -> bool {
        matches!(self, Said::Unknown(_))
    }

    fn spans(&self) -> Box<dyn Iterator<Item = Span> + '_> {
        match self {
            Said::Unsafe { expected, .. } => Box::new(expected.iter().filter_map(|one| one.span)),
            Said::Safe(safe) => {
                let assumed = safe.assumptions.iter().map(|assumption| assumption.span);
                let reached = safe.reached.iter().flat_map(|reached| reached.checks.iter().chain(&reached.threads));
                Box::new(assumed.chain(reached.copied()))
            }
            Said::Unknown(open) => Box::new(open.place.into_iter()),
        }
    }

    /// The claim, if this is one; or why its schedule is none.
    pub fn claim(&self) -> Option<Result<Claim, String>> {
        let Said::Unsafe { schedule, expected } = self else { return None };
        let read = schedule.parse().map_err(|error| format!("its schedule cannot be read: {error}"));
        Some(read.map(|schedule| Claim { schedule, expected: expected.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::tests::piece;
    use norn_ir::ids::FileId;
    use norn_verdict::limits::Exceeded;
    use norn_verdict::outcome::ViolationKind;

    fn answer(tile: u32, said: Said) -> Answer {
        Answer::new(&piece(tile), said, BTreeMap::from([("seconds".to_owned(), 0.1)]))
    }

    fn check(text: &str, tile: u32, expected: &str) {
        let error = Answer::from_text(text, tile, &piece(tile).prints(), 1).expect_err("this should be refused");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn the_text_form_reads_back() {
        let expected = vec![Expected::anywhere(ViolationKind::Assertion)];
        let said = [
            Said::Safe(Box::default()),
            Said::Unknown(Undecided::limit(Exceeded::Time)),
            Said::Unsafe { schedule: "x".to_owned(), expected },
        ];
        for said in said {
            let answer = answer(1, said);
            assert_eq!(Answer::from_text(&answer.to_text(), 1, &piece(1).prints(), 1), Ok(answer));
        }
    }

    #[test]
    fn what_is_no_answer_to_the_piece_is_refused() {
        let text = answer(0, Said::Safe(Box::default())).to_text();
        check("", 0, "cut off");
        check("\0\0\0", 0, "not an answer");
        check(&piece(0).to_text(), 0, "not an answer");
        check(&text, 1, "answers piece 0, not 1");
        check(&text.replace("\"norn_answer\":1", "\"norn_answer\":7"), 0, "version 7");
        check(&text.replace("\"own_addresses\":false", "\"own_addresses\":true"), 0, "changed");
        check(&text.replace("\"tile\":0", "\"tile\":1"), 1, "another piece");
        let mut foreign = piece(0);
        foreign.question.rounds += 1;
        check(&Answer::new(&foreign, Said::Safe(Box::default()), BTreeMap::new()).to_text(), 0, "another question");
        for cut in 0..text.len() - 2 {
            assert!(Answer::from_text(&text[..cut], 0, &piece(0).prints(), 1).is_err(), "{cut}");
        }
    }

    #[test]
    fn places_are_in_files_that_there_are() {
        let span = Span { file: FileId(1), line: 1, column: 1 };
        let kind = ViolationKind::NullPointer;
        let assuming = Safe { assumptions: vec![Assumption { span, kind }], ..Safe::default() };
        check(&answer(0, Said::Safe(Box::new(assuming))).to_text(), 0, "files that the program does not have");
        let reached = Reached { checks: [span].into(), ..Reached::default() };
        let reaching = Safe { reached: Some(reached), ..Safe::default() };
        check(&answer(0, Said::Safe(Box::new(reaching))).to_text(), 0, "files that the program does not have");
    }
}

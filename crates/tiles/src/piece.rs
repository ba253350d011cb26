//! A piece as a file: the question, which piece of how many, and which choices belong to it.
//!
//! A piece holds the whole question, so that answering it needs no other file: the program as IR text, the model, the
//! properties, the bounds and the engine's options. The numbers in a cube mean something only to who builds the same formula: so
//! a piece says which Norn made it, and what the choices looked like there ([`Shape`]). Whoever answers builds them anew and
//! refuses if they differ.
//!
//! Texts are judged in the order: too old or new, cut off or malformed, changed (the fingerprints do not fit), not about
//! choices that exist.

use crate::cube::{Cube, Space};
use crate::fingerprint::fingerprint;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// More pieces than this are one piece each of nearly nothing.
pub const MOST_TILES: u32 = 100_000;

/// Of both kinds of files; raised when they mean something else.
pub const VERSION: u32 = 1;

/// What is asked, without the part of the choices. All numbers that a verdict depends on are here.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The version of the Norn that cut it.
    pub norn: String,
    pub engine: String,
    pub model: Model,
    pub checks: Checks,
    pub rounds: u32,
    pub thread_order: Vec<u32>,
    /// The width of values to look at first.
    pub bits: Option<u32>,
    pub unwind: Option<u32>,
    pub unwind_at: Vec<LoopBound>,
    pub shape: Shape,
    /// IR as text.
    pub program: String,
    /// The lines of the source that counterexamples may show, by file and number.
    pub lines: BTreeMap<String, BTreeMap<u32, String>>,
}

/// A bound on the loop at a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopBound {
    pub file: String,
    pub line: u32,
    pub bound: u32,
}

/// The choices that there are, and a fingerprint of what the engine means by them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub space: Space,
    pub meaning: String,
}

/// One piece of a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    pub question: Question,
    /// From 0.
    pub tile: u32,
    pub tiles: u32,
    pub cube: Cube,
}

/// What answers and pieces are recognised by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prints {
    pub question: String,
    pub piece: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    norn_piece: u32,
    tile: u32,
    tiles: u32,
    prints: Prints,
    cube: Cube,
    question: Question,
}

impl Piece {
    pub fn prints(&self) -> Prints {
        let question = fingerprint(&json(&self.question));
        let piece = fingerprint(&json(&(&question, self.tile, self.tiles, &self.cube)));
        Prints { question, piece }
    }

    pub fn to_text(&self) -> String {
        let Piece { question, tile, tiles, cube } = self.clone();
        json(&File { norn_piece: VERSION, tile, tiles, prints: self.prints(), cube, question }) + "\n"
    }

    /// The piece of this number, or what is wrong with the text.
    pub fn from_text(text: &str, tile: u32) -> Result<Piece, String> {
        let File { tile: found, tiles, prints, cube, question, .. } = parsed(text, "norn_piece", "a piece")?;
        if question.norn != version() {
            return Err(format!("it was cut by Norn {}, and this is {}", question.norn, version()));
        }
        let piece = Piece { question, tile: found, tiles, cube };
        if piece.prints() != prints {
            return Err("its fingerprint does not fit: it was changed".to_owned());
        }
        if found != tile {
            return Err(format!("it is piece {found}, not {tile}"));
        }
        if tile >= tiles || tiles > MOST_TILES {
            return Err(format!("there is no piece {tile} of {tiles}"));
        }
        let are_bits = piece.question.bits.is_none_or(|bits| (1..=64).contains(&bits));
        if piece.question.rounds == 0 || !are_bits {
            return Err("it asks for numbers of rounds or bits that there are not".to_owned());
        }
        match piece.cube.fits(&piece.question.shape.space) {
            true => Ok(piece),
            false => Err("it is about choices that there are not".to_owned()),
        }
    }
}

/// Of this Norn.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// A text whose key of this name is a version that is known.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str, key: &str, what: &str) -> Result<T, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => "it is cut off".to_owned(),
        false => format!("it is not {what}: {error}"),
    })?;
    match value.get(key).map(serde_json::Value::as_u64) {
        Some(Some(found)) if found == u64::from(VERSION) => {}
        Some(Some(found)) => return Err(format!("it is of version {found}, and only {VERSION} is known")),
        _ => return Err(format!("it is not {what}")),
    }
    serde_json::from_value(value).map_err(|error| format!("it is not {what}: {error}"))
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers, texts and lists should have a JSON form")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cube::Literal;

    pub fn question() -> Question {
        Question {
            norn: version().to_owned(),
            engine: "rounds".to_owned(),
            model: Model::Tso,
            checks: Checks::usual(),
            rounds: 2,
            thread_order: Vec::new(),
            bits: None,
            unwind: Some(3),
            unwind_at: vec![LoopBound { file: "a.c".to_owned(), line: 3, bound: 1 }],
            shape: Shape { space: Space { units: vec![1, 2], last: 3 }, meaning: "m".to_owned() },
            program: "program".to_owned(),
            lines: BTreeMap::from([("a.c".to_owned(), BTreeMap::from([(3, "for (;;)".to_owned())]))]),
        }
    }

    pub fn piece(tile: u32) -> Piece {
        let literal = Literal { thread: 1, unit: 2, round: 2, begun: tile == 0 };
        Piece { question: question(), tile, tiles: 2, cube: Cube(vec![literal]) }
    }

    fn check(text: &str, tile: u32, expected: &str) {
        let error = Piece::from_text(text, tile).expect_err("this should be refused");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn the_text_form_reads_back() {
        assert_eq!(Piece::from_text(&piece(1).to_text(), 1), Ok(piece(1)));
    }

    #[test]
    fn what_is_no_piece_is_refused() {
        let text = piece(0).to_text();
        check("", 0, "cut off");
        check("{}", 0, "not a piece");
        check("[1]", 0, "not a piece");
        check("hello", 0, "not a piece");
        check(&text, 1, "piece 0, not 1");
        check(&text.replace("\"norn_piece\":1", "\"norn_piece\":2"), 0, "version 2");
        check(&text.replace("\"rounds\":2", "\"rounds\":3"), 0, "changed");
        check(&text.replace("\"tiles\":2", "\"tiles\":3"), 0, "changed");
        check(&text.replace("[1,2,2,true]", "[1,2,2,false]"), 0, "changed");
        check(&text.replace("\"tile\":0", "\"tile\":0,\"more\":1"), 0, "unknown field");
        check(&text.replace(&format!("\"norn\":\"{}\"", version()), "\"norn\":\"0.0.0\""), 0, "cut by Norn 0.0.0");
        check(&piece(2).to_text(), 2, "no piece 2 of 2");
        check(&Piece { tiles: u32::MAX, ..piece(0) }.to_text(), 0, "no piece 0 of 4294967295");
        for (rounds, bits) in [(0, None), (1, Some(0)), (1, Some(65))] {
            let question = Question { rounds, bits, ..question() };
            check(&Piece { question, ..piece(0) }.to_text(), 0, "rounds or bits");
        }
        let beyond = Piece { cube: Cube(vec![Literal { thread: 1, unit: 3, round: 1, begun: true }]), ..piece(0) };
        check(&beyond.to_text(), 0, "choices");
        for cut in 0..text.len() - 2 {
            assert!(Piece::from_text(&text[..cut], 0).is_err(), "{cut}");
        }
    }

    #[test]
    fn prints_tell_questions_and_pieces_apart() {
        let (one, other) = (piece(0).prints(), piece(1).prints());
        assert_eq!(one.question, other.question);
        assert_ne!(one.piece, other.piece);
        let mut question = question();
        question.model = Model::Sc;
        let foreign = Piece { question, ..piece(0) }.prints();
        assert_ne!(one.question, foreign.question);
        assert_ne!(one.piece, foreign.piece);
    }
}

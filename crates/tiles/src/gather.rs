//! What the answers of all pieces say together.
//!
//! - *Unsafe* needs one answer that claims a violation; whoever asks has the machine replay it.
//! - *Safe* needs every piece, with an answer that says safe. The pieces are of one question and a partition of its choices
//!   ([`crate::cube`]), so no schedule within the bounds was left out. A bound limits the verdict if some piece goes beyond it,
//!   an assumption is needed if some piece needs it.
//! - Everything else is *unknown*, and says which pieces have no answer, and why others stayed open.

use crate::answer::{Answer, Safe, Said};
use crate::cube::{Cube, is_partition};
use crate::numbers::ranges;
use crate::piece::{Piece, Prints, Question};
use norn_verdict::outcome::{Bound, BoundKind, Reached};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeSet;

/// The pieces of one question, without the copies of the question.
#[derive(Clone, Debug)]
pub struct Pieces {
    pub question: Question,
    /// By number; none where a piece is missing.
    pieces: Vec<Option<(Prints, Cube)>>,
}

impl Pieces {
    /// With one piece of those that belong together.
    pub fn new(piece: Piece) -> Pieces {
        let mut pieces = vec![None; piece.tiles as usize];
        pieces[piece.tile as usize] = Some((piece.prints(), piece.cube));
        Pieces { question: piece.question, pieces }
    }

    /// Adds one, or says why it does not belong to the others.
    pub fn add(&mut self, piece: Piece) -> Result<(), String> {
        if piece.tiles as usize != self.pieces.len() {
            return Err(format!("it is one of {} pieces, others are one of {}", piece.tiles, self.pieces.len()));
        }
        if piece.question != self.question {
            return Err("it is a piece of another question than the others".to_owned());
        }
        match &mut self.pieces[piece.tile as usize] {
            Some(_) => Err("there are two of it".to_owned()),
            place => {
                *place = Some((piece.prints(), piece.cube));
                Ok(())
            }
        }
    }

    /// How many there should be.
    pub fn tiles(&self) -> u32 {
        norn_ir::number::narrow(self.pieces.len())
    }

    pub fn prints(&self, tile: u32) -> Option<&Prints> {
        self.pieces.get(tile as usize)?.as_ref().map(|(prints, _)| prints)
    }

    /// That all pieces, if none is missing, cover the question, each choice once.
    pub fn check_cover(&self) -> Result<(), String> {
        let cubes: Option<Vec<&Cube>> = self.pieces.iter().map(|piece| piece.as_ref().map(|(_, cube)| cube)).collect();
        match cubes {
            Some(cubes) if !is_partition(&cubes) => Err("the pieces are not all schedules, each once".to_owned()),
            _ => Ok(()),
        }
    }
}

/// The answers together.
#[derive(Clone, PartialEq, Debug)]
pub enum Together {
    /// The answers that claim violations, in the order of the pieces.
    Unsafe(Vec<Answer>),
    Safe(Safe),
    Unknown(Undecided),
}

/// What is there and what is not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Count {
    pub tiles: u32,
    pub safe: u32,
    pub found: Vec<u32>,
    /// Answered, but not decided.
    pub open: Vec<u32>,
    pub missing: Vec<u32>,
}

/// At most one answer for each piece, of which only those count whose piece is there.
pub fn gather(pieces: &Pieces, answers: Vec<Answer>) -> Result<(Together, Count), String> {
    pieces.check_cover()?;
    let mut count = Count { tiles: pieces.tiles(), ..Count::default() };
    let mut by_tile: Vec<Option<Answer>> = vec![None; pieces.pieces.len()];
    for answer in answers {
        let tile = answer.tile;
        if pieces.prints(tile) != Some(&answer.prints) {
            return Err(format!("an answer to piece {tile} is to another question"));
        }
        if by_tile[tile as usize].replace(answer).is_some() {
            return Err(format!("there are two answers to piece {tile}"));
        }
    }
    let mut claims = Vec::new();
    let mut open: Vec<(u32, Undecided)> = Vec::new();
    let mut all: Option<Safe> = None;
    for (tile, answer) in (0..).zip(by_tile) {
        match answer.map(|answer| (answer.said.clone(), answer)) {
            None => count.missing.push(tile),
            Some((Said::Unsafe { .. }, answer)) => {
                count.found.push(tile);
                claims.push(answer);
            }
            Some((Said::Unknown(undecided), _)) => {
                count.open.push(tile);
                open.push((tile, undecided));
            }
            Some((Said::Safe(safe), _)) => {
                count.safe += 1;
                all = Some(match all {
                    None => *safe,
                    Some(before) => {
                        joined(before, *safe).map_err(|what| format!("the answer to piece {tile} {what}"))?
                    }
                });
            }
        }
    }
    let together = match all {
        _ if !claims.is_empty() => Together::Unsafe(claims),
        Some(safe) if count.missing.is_empty() && open.is_empty() => Together::Safe(finished(safe)),
        _ => Together::Unknown(undecided(&count, open)),
    };
    Ok((together, count))
}

/// What two pieces say together.
fn joined(mut one: Safe, other: Safe) -> Result<Safe, &'static str> {
    // Sizes of objects are bounds only where they are met.
    let is_met = |bound: &&Bound| bound.kind == BoundKind::ObjectSize;
    let sizes = one.bounds.iter().chain(&other.bounds).filter(is_met).min_by_key(|bound| bound.value).cloned();
    one.bounds.retain(|bound| bound.kind != BoundKind::ObjectSize);
    let others: Vec<&Bound> = other.bounds.iter().filter(|bound| bound.kind != BoundKind::ObjectSize).collect();
    let are_same = one.bounds.len() == others.len()
        && one.bounds.iter().zip(&others).all(|(a, b)| (&a.kind, a.value) == (&b.kind, b.value));
    if !are_same {
        return Err("has other bounds than those before");
    }
    for (bound, other) in one.bounds.iter_mut().zip(others) {
        bound.exhausted &= other.exhausted;
    }
    one.bounds.extend(sizes);
    one.assumptions.extend(other.assumptions);
    one.own_addresses |= other.own_addresses;
    one.reached = one
        .reached
        .zip(other.reached)
        .map(|(one, other)| Reached { checks: &one.checks | &other.checks, threads: &one.threads | &other.threads });
    Ok(one)
}

fn finished(mut safe: Safe) -> Safe {
    let assumptions: BTreeSet<_> = safe.assumptions.drain(..).collect();
    safe.assumptions.extend(assumptions);
    // Without a bound there is nothing to say about what was not reached.
    if safe.bounds.iter().all(|bound| bound.exhausted) {
        safe.reached = None;
    }
    safe
}

/// Why the question is open: what the program does, if that is known, before pieces that are missing.
fn undecided(count: &Count, open: Vec<(u32, Undecided)>) -> Undecided {
    let mut reasons: Vec<(Undecided, Vec<u32>)> = Vec::new();
    for (tile, undecided) in open {
        match reasons.iter_mut().find(|(reason, _)| *reason == undecided) {
            Some((_, tiles)) => tiles.push(tile),
            None => reasons.push((undecided, vec![tile])),
        }
    }
    let told = reasons.iter().find(|(reason, _)| reason.exceeded().is_none());
    if let Some((reason, _)) = told.filter(|_| count.missing.is_empty()) {
        return reason.clone();
    }
    let mut parts = Vec::new();
    if !count.missing.is_empty() {
        let (has, are) = if count.missing.len() == 1 { ("tile", "has") } else { ("tiles", "have") };
        parts.push(format!("{has} {} of {} {are} no answer", ranges(&count.missing), count.tiles));
    }
    parts.extend(reasons.iter().map(|(reason, tiles)| {
        let tile = if tiles.len() == 1 { "tile" } else { "tiles" };
        format!("{tile} {} of {}: {reason}", ranges(tiles), count.tiles)
    }));
    Undecided::new(Why::EndedBy(parts.join("; ").into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::tests::piece;
    use norn_verdict::claim::Expected;
    use norn_verdict::limits::Exceeded;
    use norn_verdict::outcome::ViolationKind;
    use std::collections::BTreeMap;

    fn pieces() -> Pieces {
        let mut pieces = Pieces::new(piece(1));
        pieces.add(piece(0)).expect("it should belong there");
        pieces
    }

    fn bound(exhausted: bool) -> Bound {
        Bound { kind: BoundKind::Rounds, value: 2, exhausted }
    }

    fn safe(exhausted: bool) -> Said {
        Said::Safe(Box::new(Safe { bounds: vec![bound(exhausted)], ..Safe::default() }))
    }

    fn late() -> Said {
        Said::Unknown(Undecided::limit(Exceeded::Time))
    }

    fn found() -> Said {
        Said::Unsafe { schedule: String::new(), expected: vec![Expected::anywhere(ViolationKind::Assertion)] }
    }

    fn answer(tile: u32, said: Said) -> Answer {
        Answer::new(&piece(tile), said, BTreeMap::new())
    }

    fn check(said: [Option<Said>; 2], expected: Result<Safe, &str>) {
        let answers = (0..).zip(said).filter_map(|(tile, said)| Some(answer(tile, said?))).collect();
        let (together, count) = gather(&pieces(), answers).expect("they should belong together");
        assert_eq!(count.safe as usize + count.found.len() + count.open.len() + count.missing.len(), 2);
        let said = match together {
            Together::Unsafe(claims) => Err(format!("unsafe by {}", claims[0].tile)),
            Together::Safe(safe) => Ok(safe),
            Together::Unknown(undecided) => Err(undecided.to_string()),
        };
        assert_eq!(said, expected.map_err(str::to_owned));
    }

    #[test]
    fn safe_needs_all_and_unsafe_needs_one() {
        let all = |exhausted| Ok(Safe { bounds: vec![bound(exhausted)], ..Safe::default() });
        check([Some(safe(true)), Some(safe(true))], all(true));
        check([Some(safe(true)), Some(safe(false))], all(false));
        check([Some(safe(true)), None], Err("tile 1 of 2 has no answer"));
        check([None, None], Err("tiles 0, 1 of 2 have no answer"));
        check([Some(late()), Some(safe(true))], Err("tile 0 of 2: the time limit was reached"));
        check([Some(late()), None], Err("tile 1 of 2 has no answer; tile 0 of 2: the time limit was reached"));
        check([Some(late()), Some(late())], Err("tiles 0, 1 of 2: the time limit was reached"));
        check([Some(found()), None], Err("unsafe by 0"));
        check([Some(late()), Some(found())], Err("unsafe by 1"));
        let stuck = || Said::Unknown(Undecided::new(Why::no_meaning("a jump into nowhere")));
        check([Some(stuck()), Some(late())], Err("a jump into nowhere"));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let refused = |answers: Vec<Answer>| gather(&pieces(), answers).expect_err("this should be refused");
        assert!(refused(vec![answer(0, safe(true)), answer(0, safe(true))]).contains("two answers"));
        let mut foreign = piece(0);
        foreign.question.bits = Some(3);
        assert!(refused(vec![Answer::new(&foreign, safe(true), BTreeMap::new())]).contains("another question"));
        let other = Said::Safe(Box::new(Safe { bounds: vec![Bound { value: 1, ..bound(true) }], ..Safe::default() }));
        assert!(refused(vec![answer(0, safe(true)), answer(1, other)]).contains("other bounds"));
        let none = Said::Safe(Box::default());
        assert!(refused(vec![answer(0, safe(true)), answer(1, none)]).contains("other bounds"));
        let mut pieces = pieces();
        assert!(pieces.add(piece(0)).is_err_and(|error| error.contains("two of it")));
        assert!(pieces.add(foreign).is_err_and(|error| error.contains("another question")));
        let more = Piece { tiles: 3, ..piece(0) };
        assert!(pieces.add(more).is_err_and(|error| error.contains("one of 3")));
    }

    #[test]
    fn pieces_that_do_not_cover_the_question_say_nothing() {
        let twice = Piece { cube: piece(0).cube, ..piece(1) };
        let mut pieces = Pieces::new(piece(0));
        pieces.add(twice.clone()).expect("it is of the same question");
        let answers = vec![answer(0, safe(true)), Answer::new(&twice, safe(true), BTreeMap::new())];
        assert_eq!(gather(&pieces, answers).map(|_| ()), Err("the pieces are not all schedules, each once".to_owned()));
    }

    #[test]
    fn a_missing_piece_is_never_safe() {
        let pieces = Pieces::new(piece(0));
        let (together, count) = gather(&pieces, vec![answer(0, safe(true))]).expect("one is there");
        assert!(matches!(together, Together::Unknown(_)), "{together:?}");
        assert_eq!(count.missing, [1]);
        assert!(gather(&pieces, vec![answer(1, safe(true))]).is_err());
    }
}

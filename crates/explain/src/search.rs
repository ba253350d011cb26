//! The fewest switches that there are: all executions with no switch, then with one, and so on.
//!
//! The search goes over states of the reference machine, those with fewer switches first (Musuvathi and Qadeer, "Iterative
//! context bounding", PLDI 2007, with states in place of executions). What counts as a switch is what a table
//! shows: commits are none. Two things keep it small, and neither costs a switch. A state is looked at once for each thread
//! that had the last turn. And a thread whose turn it is commits its own stores only when the turn is about to end, when it
//! cannot go on otherwise, or before a commit of another thread: up to then nobody else sees whether a store is in memory, and the
//! thread itself sees its own stores either way.

use crate::player::{Action, Halt, Player, Tape, Values, action_of};
use crate::recorder::Rows;
use norn_machine::hash::FastSet;
use norn_machine::state::{Status, Thread};
use norn_machine::{Choice, State};
use std::collections::VecDeque;
use std::rc::Rc;

/// What came of the search.
pub struct Searched {
    /// The way to the violation with the fewest switches.
    pub word: Option<Vec<Action>>,
    /// Nothing was left out but for what has more switches.
    pub is_complete: bool,
}

struct Node {
    state: State,
    tape: Tape,
    /// The thread of the last row has the turn.
    rows: Rows,
    /// It has committed a store that it could have committed later, and does so only before others do something.
    is_ending: bool,
    way: usize,
}

/// Looks for the violation with at most so many switches. At most `work` steps are tried. All begin with the steps `begin`. With `may_end`, a thread that can go on
/// loses its turn only there: that is not all there is, but goes much further.
pub fn search(
    player: &Player<'_>,
    values: &Rc<Values>,
    begin: &[Action],
    most_switches: u32,
    work: u64,
    may_end: Option<&dyn Fn(&Thread) -> bool>,
) -> Searched {
    let mut search = Search {
        player,
        buckets: (0..=most_switches).map(|_| VecDeque::new()).collect(),
        seen: FastSet::default(),
        ways: Vec::new(),
        best: None,
        is_complete: may_end.is_none() && begin.is_empty(),
        may_end,
    };
    let end = player.budget.left().saturating_sub(work);
    let (mut tape, mut rows) = (player.tape(values, false), Rows::default());
    match player.start(&mut tape, &mut rows) {
        Ok(state) => match search.follow(Node { state, tape, rows, is_ending: false, way: NO_WAY }, begin) {
            Some(node) => search.add(node),
            None => return Searched { word: None, is_complete: false },
        },
        Err(_) => return Searched { word: None, is_complete: false },
    }
    search.run(end);
    let word = search.best.map(|(_, way)| word(&search.ways, way));
    Searched { word, is_complete: search.is_complete }
}

const NO_WAY: usize = usize::MAX;

struct Search<'a> {
    player: &'a Player<'a>,
    /// By switches.
    buckets: Vec<VecDeque<Node>>,
    seen: FastSet<Vec<u8>>,
    ways: Vec<(usize, Action)>,
    best: Option<(u32, usize)>,
    is_complete: bool,
    /// Whether a turn may end where its thread stands now, though it could go on.
    may_end: Option<&'a dyn Fn(&Thread) -> bool>,
}

impl Search<'_> {
    fn run(&mut self, end: u64) {
        for switches in 0.. {
            if switches >= self.buckets.len() {
                return;
            }
            while let Some(node) = self.buckets[switches].pop_front() {
                if self.best.is_some_and(|(best, _)| best as usize <= switches) {
                    return;
                }
                if self.player.budget.left() <= end {
                    self.is_complete = false;
                    return;
                }
                self.expand(&node);
            }
        }
    }

    /// The node that these steps lead to.
    fn follow(&mut self, mut node: Node, word: &[Action]) -> Option<Node> {
        for action in word {
            let thread = node.state.thread_named(&action.thread)?;
            let choice = match action.is_commit {
                true => Choice::Commit { thread, step: action.step },
                false => Choice::Run(thread),
            };
            node.state = self.player.after(&node.state, choice, &mut node.tape, &mut node.rows).ok()?;
            self.ways.push((node.way, action.clone()));
            node.way = self.ways.len() - 1;
        }
        Some(node)
    }

    fn add(&mut self, node: Node) {
        if node.rows.switches as usize >= self.buckets.len() {
            return;
        }
        let mut key = Vec::with_capacity(128);
        let number = |key: &mut Vec<u8>, n: u32| key.extend(n.to_le_bytes());
        number(&mut key, node.rows.last.map_or(u32::MAX, |thread| thread.0));
        key.push(u8::from(node.is_ending));
        node.tape.taken.iter().for_each(|&taken| number(&mut key, taken));
        self.player.machine.encode(&node.state, &mut key);
        if self.seen.insert(key) {
            self.buckets[node.rows.switches as usize].push_back(node);
        }
    }

    fn expand(&mut self, node: &Node) {
        let keeps_turn = self.keeps_turn(node);
        let mut can_run = vec![false; node.state.threads.len()];
        for choice in self.player.machine.candidates(&node.state) {
            let thread = choice.thread();
            let is_own = node.rows.last == Some(thread);
            let is_run = matches!(choice, Choice::Run(_));
            if !is_own && is_run && keeps_turn {
                continue;
            }
            if is_own && is_run && node.is_ending {
                can_run[thread.index()] = true;
                continue;
            }
            let (mut tape, mut rows) = (node.tape.clone(), node.rows);
            let after = self.player.after(&node.state, choice, &mut tape, &mut rows);
            if matches!(after, Err(Halt::NotEnabled)) {
                continue;
            }
            can_run[thread.index()] |= is_run;
            let way = match after {
                Ok(_) | Err(Halt::Found) => self.step(node, choice),
                Err(_) => continue,
            };
            match after {
                Ok(state) => {
                    let is_ending = is_own && !is_run && can_run[thread.index()];
                    self.add(Node { state, tape, rows, is_ending, way });
                }
                _ => self.found(rows, way),
            }
        }
        if self.player.is_found_at_rest(&node.state) {
            self.found(node.rows, node.way);
        }
    }

    /// Whether the turn may not end here.
    fn keeps_turn(&self, node: &Node) -> bool {
        let (Some(may_end), Some(turn)) = (self.may_end, node.rows.last) else { return false };
        let thread = &node.state.threads[turn.index()];
        thread.status == Status::Ready && !may_end(thread) && {
            let (mut tape, mut rows) = (node.tape.clone(), node.rows);
            let after = self.player.after(&node.state, Choice::Run(turn), &mut tape, &mut rows);
            !matches!(after, Err(Halt::NotEnabled))
        }
    }

    fn step(&mut self, node: &Node, choice: Choice) -> usize {
        self.ways.push((node.way, action_of(&node.state, choice)));
        self.ways.len() - 1
    }

    fn found(&mut self, rows: Rows, way: usize) {
        let is_allowed = (rows.switches as usize) < self.buckets.len();
        if is_allowed && self.best.is_none_or(|(best, _)| rows.switches < best) {
            self.best = Some((rows.switches, way));
        }
    }
}

fn word(ways: &[(usize, Action)], mut way: usize) -> Vec<Action> {
    let mut word = Vec::new();
    while way != NO_WAY {
        word.push(ways[way].1.clone());
        way = ways[way].0;
    }
    word.reverse();
    word
}

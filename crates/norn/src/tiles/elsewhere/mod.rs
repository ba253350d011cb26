//! `norn check --on`: a question in pieces, answered by workers that a scheduler starts.
//!
//! - [`slurm`], [`parallel`], [`local`]: who starts them, as a [`Scheduler`]
//! - [`tools`]: their programs, run for an answer
//!
//! Norn has no scheduler of its own. It hands over numbers of pieces, asks now and then which are still waiting or running, and
//! looks into the folder for answers. The folder alone says what was found: a piece counts as answered when its answer is there
//! and is its own, whatever the scheduler thinks of the job, and as lost when the scheduler knows nothing of it any more and no
//! answer has come. What is lost is submitted again, twice at most. As soon as one answer has a violation, the others are cancelled.
//!
//! Whoever ends this command ends the jobs. If it is killed, they go on, and asking again finds their answers.

mod local;
mod parallel;
mod slurm;
mod tools;

use crate::args::CheckArgs;
use crate::commands::conclusion::{self, Part};
use crate::exit::Exit;
use crate::frontend::Compiled;
use crate::output;
use crate::tiles::args::{Cut, Place};
use crate::tiles::cutting;
use crate::tiles::folder::TileFolder;
use crate::tiles::telling::tell;
use crate::watch::{self, LastWords};
use norn_tiles::gather::Pieces;
use norn_tiles::numbers::ranges;
use norn_tiles::{Piece, Said};
use norn_verdict::limits::Exceeded;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Who has pieces worked on.
trait Scheduler {
    /// Has these pieces worked on, from now on.
    fn submit(&mut self, tiles: &[u32]) -> Result<(), String>;

    /// Which pieces are waiting or being worked on; nothing if that cannot be told now.
    fn states(&mut self) -> Option<States>;

    /// Ends all that was submitted.
    fn cancel(&mut self);

    /// How somebody else ends it, if this process cannot.
    fn cancellation(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long an answer may take to be seen here after its job has ended, and how often it pays to ask.
    fn patience(&self) -> (Duration, Duration);
}

#[derive(Default)]
struct States {
    waiting: BTreeSet<u32>,
    running: BTreeSet<u32>,
}

/// What a worker is called with.
struct Worker {
    norn: PathBuf,
    folder: PathBuf,
    options: Vec<String>,
}

impl Worker {
    /// The words of a command line, without the number of the piece.
    fn words(&self) -> Result<Vec<String>, String> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| format!("'{}' is not a name in UTF-8", path.display()))
        };
        let mut words = vec![text(&self.norn)?, "work".to_owned()];
        words.extend(self.options.iter().cloned());
        words.push(text(&self.folder)?);
        Ok(words)
    }

    /// The same for a shell.
    fn line(&self) -> Result<String, String> {
        Ok(self.words()?.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
    }
}

/// A word as shells read it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// How often a piece is submitted.
const ATTEMPTS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// How often in a row a scheduler may not answer.
const SILENCES: u32 = 30;

/// Cuts, submits, waits, gathers.
pub fn run(args: &CheckArgs, (cut, place): (&Cut<'_>, &Place), compiled: &Compiled) -> Exit {
    match check(args, cut, place, compiled) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn check(args: &CheckArgs, cut: &Cut<'_>, place: &Place, compiled: &Compiled) -> Result<Exit, Exit> {
    let pieces = cutting::pieces(cut, compiled, &args.c.entry)?;
    // Each piece has the time that was given; there is no limit for all of them.
    watch::end_task();
    let (folder, is_own) = folder(args, &pieces)?;
    let usage = |message: String| output::fail(&message, Exit::Usage);
    let worker = Worker {
        norn: std::env::current_exe().map_err(|error| usage(format!("--on: cannot find norn itself: {error}")))?,
        folder: folder.path().to_owned(),
        options: args.limits.words(),
    };
    let mut scheduler: Box<dyn Scheduler> = match place {
        Place::Slurm { partition } => {
            Box::new(slurm::Slurm::new(&worker, partition.as_deref(), &pieces[0]).map_err(usage)?)
        }
        Place::Parallel { hosts } => Box::new(parallel::Parallel::new(&worker, hosts).map_err(usage)?),
        Place::Local => Box::new(local::Local::new(worker, crate::asking::jobs(args.jobs))),
    };
    let model = pieces[0].question.model;
    let mut wait = Wait::new(&folder, pieces, compiled.program.files.len());
    let ended = wait.through(&mut *scheduler, args.json);
    scheduler.cancel();
    let lost = ended.map_err(usage)?;
    if watch::stop_token().is_stopped() {
        let text = conclusion::output(&[Part::Open(model)], &Exceeded::Interrupted.into(), args.json);
        let printed = output::print(&text);
        return Ok(if printed == Exit::Fine { Exit::Interrupted } else { printed });
    }
    let spoken = tell(&folder, &args.told(), lost.as_deref())?;
    if is_own && spoken.is_decided {
        folder.remove();
    }
    Ok(spoken.exit)
}

/// The folder with the pieces in it, and whether it is ours to take away.
fn folder(args: &CheckArgs, pieces: &[Piece]) -> Result<(TileFolder, bool), Exit> {
    let prints = pieces[0].prints();
    let given = args.elsewhere.tiles_dir.clone();
    let is_own = given.is_none();
    let path = given.unwrap_or_else(|| format!("norn-tiles-{}-{}", &prints.question[..12], pieces.len()).into());
    let unwritten = |error: std::io::Error| {
        output::fail(&format!("cannot write to '{}': {error}", path.display()), Exit::Unwritten)
    };
    TileFolder::new(&path).make().map_err(unwritten)?;
    // Workers are somewhere else.
    let folder = TileFolder::new(&path.canonicalize().map_err(unwritten)?);
    let there = folder.numbers().map_err(unwritten)?;
    for &tile in &there {
        let is_same = folder.piece(tile).is_ok_and(|found| pieces.get(tile as usize) == Some(&found));
        if !is_same {
            let message = format!("'{}' has pieces of another question: give another --tiles-dir", path.display());
            return Err(output::fail(&message, Exit::Usage));
        }
    }
    for piece in pieces.iter().filter(|piece| !there.contains(&piece.tile)) {
        folder.write_piece(piece).map_err(unwritten)?;
    }
    Ok((folder, is_own))
}

/// Pieces on their way.
struct Wait<'a> {
    folder: &'a TileFolder,
    pieces: Pieces,
    tiles: u32,
    files: usize,
    done: BTreeSet<u32>,
    found: Option<u32>,
    /// How often each was submitted.
    attempts: BTreeMap<u32, u32>,
    /// Since when the scheduler does not know it.
    gone: BTreeMap<u32, Instant>,
    given_up: BTreeSet<u32>,
}

impl<'a> Wait<'a> {
    fn new(folder: &'a TileFolder, all: Vec<Piece>, files: usize) -> Wait<'a> {
        let mut all = all.into_iter();
        let mut pieces = Pieces::new(all.next().expect("there should be a piece"));
        all.for_each(|piece| pieces.add(piece).expect("pieces that were just cut should belong together"));
        let tiles = pieces.tiles();
        let (done, given_up) = (BTreeSet::new(), BTreeSet::new());
        Wait {
            folder,
            pieces,
            tiles,
            files,
            done,
            found: None,
            attempts: BTreeMap::new(),
            gone: BTreeMap::new(),
            given_up,
        }
    }

    /// Until all are answered, one has a violation, the rest is lost, or somebody ends it. Says why pieces are missing, if any are.
    fn through(&mut self, scheduler: &mut dyn Scheduler, as_json: bool) -> Result<Option<String>, String> {
        let stop = watch::stop_token();
        // What a limit ended before may come further now.
        let is_open = |tile: &u32| self.said(*tile).is_some_and(|said| said.is_open());
        (0..self.tiles).filter(is_open).for_each(|tile| self.folder.forget(tile));
        self.look();
        let open: Vec<u32> = (0..self.tiles).filter(|tile| !self.done.contains(tile)).collect();
        if self.found.is_none() && !open.is_empty() {
            self.submit(scheduler, &open)?;
        }
        let (for_answers, between) = scheduler.patience();
        let mut next_question = Instant::now();
        let mut silences = 0;
        let mut note = None;
        while !stop.is_stopped() && self.found.is_none() && self.left().next().is_some() {
            self.leave_last_words(scheduler, as_json);
            if Instant::now() >= next_question {
                match scheduler.states() {
                    Some(states) => {
                        silences = 0;
                        self.look();
                        self.show(&states);
                        let lost = self.lost(&states, for_answers);
                        if !lost.is_empty()
                            && let Err(error) = self.again(scheduler, &lost)
                        {
                            note = Some(error);
                            break;
                        }
                    }
                    None => silences += 1,
                }
                if silences == SILENCES {
                    note = Some("the scheduler does not answer".to_owned());
                    break;
                }
                next_question = Instant::now() + between;
            }
            std::thread::sleep(BETWEEN_LOOKS);
            self.look();
        }
        clear();
        self.leave_last_words(scheduler, as_json);
        let tries = (!self.given_up.is_empty()).then(|| format!("their jobs ended {ATTEMPTS} times without one"));
        Ok(note.or(tries))
    }

    /// What has neither an answer nor been given up.
    fn left(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.tiles).filter(|tile| !self.done.contains(tile) && !self.given_up.contains(tile))
    }

    fn said(&self, tile: u32) -> Option<Said> {
        let prints = self.pieces.prints(tile)?;
        // What is wrong is not there: a worker replaces it, or gathering says what is wrong.
        self.folder.answered(tile, prints, self.files).ok().flatten().map(|answer| answer.said)
    }

    /// Looks for new answers.
    fn look(&mut self) {
        let left: Vec<u32> = self.left().collect();
        for tile in left {
            if let Some(said) = self.said(tile) {
                self.done.insert(tile);
                self.gone.remove(&tile);
                if matches!(said, Said::Unsafe { .. }) {
                    self.found = self.found.or(Some(tile));
                }
            }
        }
    }

    fn submit(&mut self, scheduler: &mut dyn Scheduler, tiles: &[u32]) -> Result<(), String> {
        tiles.iter().for_each(|&tile| *self.attempts.entry(tile).or_default() += 1);
        scheduler.submit(tiles)
    }

    /// What the scheduler has not known for so long, and has no answer.
    fn lost(&mut self, states: &States, patience: Duration) -> Vec<u32> {
        let left: Vec<u32> = self.left().collect();
        let mut lost = Vec::new();
        for tile in left {
            if states.waiting.contains(&tile) || states.running.contains(&tile) {
                self.gone.remove(&tile);
            } else if self.gone.entry(tile).or_insert_with(Instant::now).elapsed() >= patience {
                self.gone.remove(&tile);
                lost.push(tile);
            }
        }
        lost
    }

    fn again(&mut self, scheduler: &mut dyn Scheduler, lost: &[u32]) -> Result<(), String> {
        let is_over = |tile: &u32| self.attempts.get(tile).is_some_and(|&attempts| attempts >= ATTEMPTS);
        let (over, again): (Vec<u32>, Vec<u32>) = lost.iter().partition(|tile| is_over(tile));
        clear();
        for (tiles, what) in [(&over, "and is given up"), (&again, "and is submitted again")] {
            if !tiles.is_empty() {
                output::say(&format!("note: a job ended without an answer to tile {} {what}\n", ranges(tiles)));
            }
        }
        self.given_up.extend(over);
        if again.is_empty() { Ok(()) } else { self.submit(scheduler, &again) }
    }

    /// On a terminal.
    fn show(&self, states: &States) {
        if !output::has_styles() {
            return;
        }
        let of = |states: &BTreeSet<u32>| states.difference(&self.done).count();
        let (done, running, waiting) = (self.done.len(), of(&states.running), of(&states.waiting));
        let left = self.left().count();
        let line =
            format!("tiles: {done} done, {running} running, {waiting} waiting, {left} left, none found a violation");
        let line = line.chars().take(output::width().saturating_sub(1)).collect::<String>();
        output::say(&format!("\r\x1b[K{line}"));
    }

    /// If the work has to end at once, the jobs end, too.
    fn leave_last_words(&self, scheduler: &dyn Scheduler, as_json: bool) {
        let (command, parts) = (scheduler.cancellation(), [Part::Open(self.pieces.question.model)]);
        watch::last_words(move |exceeded| {
            tools::run_alone(&command);
            LastWords { output: conclusion::output(&parts, &exceeded.into(), as_json), ..LastWords::default() }
        });
    }
}

/// Takes the line of progress away.
fn clear() {
    if output::has_styles() {
        output::say("\r\x1b[K");
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn shells_read_words_as_they_are() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    }
}

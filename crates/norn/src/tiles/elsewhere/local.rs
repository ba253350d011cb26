//! Processes here, a few at a time.

use super::{Scheduler, States, Worker};
use crate::owned::Tool;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};
use std::time::Duration;

pub struct Local {
    worker: Worker,
    jobs: usize,
    waiting: VecDeque<u32>,
    running: BTreeMap<u32, Tool>,
}

impl Local {
    pub fn new(worker: Worker, jobs: NonZeroUsize) -> Local {
        Local { worker, jobs: jobs.get(), waiting: VecDeque::new(), running: BTreeMap::new() }
    }

    fn start(&mut self) -> Result<(), String> {
        let words = self.worker.words()?;
        while self.running.len() < self.jobs
            && let Some(tile) = self.waiting.pop_front()
        {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).arg(tile.to_string());
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let tool = Tool::start(&mut command).map_err(|error| format!("cannot run norn itself: {error}"))?;
            self.running.insert(tile, tool);
        }
        Ok(())
    }
}

impl Scheduler for Local {
    fn submit(&mut self, tiles: &[u32]) -> Result<(), String> {
        self.waiting.extend(tiles);
        self.start()
    }

    fn states(&mut self) -> Option<States> {
        self.running.retain(|_, tool| matches!(tool.ended(), Ok(None)));
        self.start().ok()?;
        Some(States {
            waiting: self.waiting.iter().copied().collect(),
            running: self.running.keys().copied().collect(),
        })
    }

    fn cancel(&mut self) {
        self.waiting.clear();
        self.running.clear();
    }

    fn patience(&self) -> (Duration, Duration) {
        // An answer is there before its process has ended.
        (Duration::ZERO, Duration::from_millis(20))
    }
}

//! Slurm: pieces as tasks of job arrays.
//!
//! `sbatch` takes a script with `norn work` in it, `squeue` tells which tasks are there by the name of the jobs, which nobody
//! else has, `scancel` ends the jobs. Other options of `sbatch` (an account, a time limit, memory) come from its environment
//! variables, `SBATCH_…`. Arrays have at most 1,000 tasks, which every Slurm allows unless its administrator wants fewer.

use super::{Scheduler, States, Worker, quoted, tools};
use norn_tiles::Piece;
use norn_tiles::numbers::ranges_of;
use std::collections::BTreeMap;
use std::time::Duration;

pub struct Slurm {
    /// Of the jobs.
    name: String,
    partition: Option<String>,
    line: String,
    logs: String,
    /// By job: the number of the piece that its task 0 has.
    jobs: BTreeMap<String, u32>,
}

const MOST_TASKS: u32 = 1_000;

impl Slurm {
    pub fn new(worker: &Worker, partition: Option<&str>, piece: &Piece) -> Result<Slurm, String> {
        let line = worker.line()?;
        let folder = worker.folder.to_str().unwrap_or_default();
        // Percent signs have a meaning there.
        let logs = folder.replace('%', "%%");
        let name = format!("norn-{}-{}", &piece.prints().question[..12], std::process::id());
        Ok(Slurm { name, partition: partition.map(str::to_owned), line, logs, jobs: BTreeMap::new() })
    }

    fn submit_array(&mut self, base: u32, tasks: &[u32]) -> Result<(), String> {
        let mut words: Vec<String> = ["sbatch", "--parsable", "--no-requeue"].map(str::to_owned).to_vec();
        words.push(format!("--array={}", ranges_of(tasks, ",")));
        words.push(format!("--job-name={}", self.name));
        words.push(format!("--output={}/log-{base}+%a.txt", self.logs));
        words.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        let script = format!("#!/bin/sh\nexec {} $(({base} + SLURM_ARRAY_TASK_ID))\n", self.line);
        let said = tools::run(&words, &script)?;
        // The number of the job, and of some clusters their name behind a semicolon.
        let job = said.trim().split(';').next().unwrap_or_default().to_owned();
        if job.is_empty() || !job.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("'sbatch' says {}, not the number of a job", quoted(said.trim())));
        }
        self.jobs.insert(job, base);
        Ok(())
    }
}

impl Scheduler for Slurm {
    fn submit(&mut self, tiles: &[u32]) -> Result<(), String> {
        for chunk in tiles.chunk_by(|one, other| one / MOST_TASKS == other / MOST_TASKS) {
            let base = chunk[0] / MOST_TASKS * MOST_TASKS;
            let tasks: Vec<u32> = chunk.iter().map(|tile| tile - base).collect();
            self.submit_array(base, &tasks)?;
        }
        Ok(())
    }

    fn states(&mut self) -> Option<States> {
        let name = format!("--name={}", self.name);
        let words = ["squeue", "--noheader", "--array", &name, "--format=%F %K %T"].map(str::to_owned);
        states(&tools::run(&words, "").ok()?, &self.jobs)
    }

    fn cancel(&mut self) {
        let command = self.cancellation();
        if !command.is_empty() {
            // What has ended already cannot be cancelled.
            let _ = tools::run(&command, "");
        }
    }

    fn cancellation(&self) -> Vec<String> {
        match self.jobs.is_empty() {
            true => Vec::new(),
            false => std::iter::once("scancel".to_owned()).chain(self.jobs.keys().cloned()).collect(),
        }
    }

    fn patience(&self) -> (Duration, Duration) {
        (Duration::from_secs(3), Duration::from_secs(1))
    }
}

/// What `squeue` says of each task. What it says of others, or in other words, is as if it said nothing.
fn states(said: &str, jobs: &BTreeMap<String, u32>) -> Option<States> {
    const OVER: [&str; 9] = [
        "BOOT_FAIL",
        "CANCELLED",
        "COMPLETED",
        "DEADLINE",
        "FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "TIMEOUT",
    ];
    let mut states = States::default();
    for line in said.lines().filter(|line| !line.trim().is_empty()) {
        let [job, task, state] = line.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let tile = jobs.get(job)?.checked_add(task.parse().ok()?)?;
        match state {
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" => states.waiting.insert(tile),
            _ if OVER.contains(&state) => false,
            _ => states.running.insert(tile),
        };
    }
    Some(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_states() {
        let jobs = BTreeMap::from([("17".to_owned(), 0), ("18".to_owned(), 1000)]);
        let found =
            states("17 3 RUNNING\n17 4 PENDING\n18 0 COMPLETING\n17 5 FAILED\n\n", &jobs).expect("it can be read");
        assert_eq!(found.running.into_iter().collect::<Vec<_>>(), [3, 1000]);
        assert_eq!(found.waiting.into_iter().collect::<Vec<_>>(), [4]);
        for wrong in [
            "17",
            "17 x RUNNING",
            "19 1 RUNNING",
            "17 4294967295 RUNNING\n18 4294967295 RUNNING",
            "slurm_load_jobs error: x",
        ] {
            assert!(states(wrong, &jobs).is_none(), "{wrong}");
        }
        assert!(states("", &jobs).is_some_and(|states| states.running.is_empty()));
    }
}

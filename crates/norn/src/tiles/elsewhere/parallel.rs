//! GNU parallel: pieces on the machines of a list, by ssh. The folder has to be one that all of them see, and norn has to be
//! there under the same name.
//!
//! Parallel says nothing about single jobs while it runs. So what it was given counts as running until it ends.

use super::{Scheduler, States, Worker, tools};
use crate::owned::Tool;
use crate::tiles::folder::TileFolder;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

pub struct Parallel {
    line: String,
    folder: PathBuf,
    hosts: PathBuf,
    running: Option<(Tool, BTreeSet<u32>)>,
}

impl Parallel {
    pub fn new(worker: &Worker, hosts: &Path) -> Result<Parallel, String> {
        let words = ["parallel", "--version"].map(str::to_owned);
        if !tools::run(&words, "").map_err(|error| format!("--on: {error}"))?.starts_with("GNU parallel") {
            return Err("--on: GNU parallel is wanted, and 'parallel' is another program".to_owned());
        }
        if let Err(error) = norn_ir::read::read(hosts, 1 << 20) {
            return Err(format!("--on: '{}': {error}", hosts.display()));
        }
        Ok(Parallel { line: worker.line()?, folder: worker.folder.clone(), hosts: hosts.to_owned(), running: None })
    }
}

impl Scheduler for Parallel {
    fn submit(&mut self, tiles: &[u32]) -> Result<(), String> {
        let mut list = String::new();
        tiles.iter().for_each(|tile| writeln!(list, "{tile}").expect("a text should grow"));
        let file = TileFolder::new(&self.folder).write_list(&list);
        let file = file.map_err(|error| format!("cannot write to '{}': {error}", self.folder.display()))?;
        let mut command = Command::new("parallel");
        command
            .args(["--will-cite", "--halt", "never", "--sshloginfile"])
            .arg(&self.hosts)
            .arg("--arg-file")
            .arg(&file);
        command.arg(format!("{} {{}}", self.line));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let tool = Tool::start(&mut command).map_err(|error| format!("cannot run 'parallel': {error}"))?;
        self.running = Some((tool, tiles.iter().copied().collect()));
        Ok(())
    }

    fn states(&mut self) -> Option<States> {
        let is_over = self.running.as_mut().is_some_and(|(tool, _)| !matches!(tool.ended(), Ok(None)));
        if is_over {
            self.running = None;
        }
        let running = self.running.as_ref().map(|(_, tiles)| tiles.clone()).unwrap_or_default();
        Some(States { running, waiting: BTreeSet::new() })
    }

    fn cancel(&mut self) {
        // Parallel has its remote jobs end with the connection.
        self.running = None;
    }

    fn patience(&self) -> (Duration, Duration) {
        (Duration::from_secs(2), Duration::from_millis(500))
    }
}

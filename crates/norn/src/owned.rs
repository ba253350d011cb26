//! What must not outlive the process: tools that it started, with all that they started, and folders for them.
//!
//! Each tool leads a process group of its own, so that a signal to the group ends whatever it has started. Whoever ends the
//! process without unwinding calls [`end_all`] before.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

static OWNED: Mutex<Vec<Owned>> = Mutex::new(Vec::new());

#[derive(PartialEq, Eq)]
enum Owned {
    /// The number of a process group.
    Group(u32),
    Folder(PathBuf),
}

impl Owned {
    fn end(&self) {
        match self {
            Owned::Group(group) => end_group(*group),
            // Somebody may have been faster.
            Owned::Folder(path) => drop(fs::remove_dir_all(path)),
        }
    }
}

/// A thread that panicked leaves nothing half done here.
fn owned() -> MutexGuard<'static, Vec<Owned>> {
    OWNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes it off the list and ends it. What is not on the list is gone already.
fn end(what: &Owned) {
    let mut list = owned();
    if let Some(at) = list.iter().position(|other| other == what) {
        list.swap_remove(at).end();
    }
}

/// Ends all that is left. The process is about to end, and nothing can be started any more.
pub fn end_all() {
    let mut list = owned();
    // First who may still write into a folder.
    list.sort_by_key(|what| matches!(what, Owned::Folder(_)));
    list.drain(..).for_each(|what| what.end());
    std::mem::forget(list);
}

/// A tool that runs, and all that it started. They end with it.
pub struct Tool {
    pub child: Child,
    group: Owned,
}

impl Tool {
    pub fn start(command: &mut Command) -> io::Result<Tool> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Between its start and its place on the list nobody ends the process.
        let mut list = owned();
        let child = command.spawn()?;
        let id = child.id();
        list.push(Owned::Group(id));
        Ok(Tool { child, group: Owned::Group(id) })
    }

    /// Whether it has ended, and how.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends it, with all that it started.
    pub fn end(&mut self) {
        end(&self.group);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn end_group(group: u32) {
    use nix::sys::signal::{Signal, killpg};
    let group = i32::try_from(group).expect("the system should have given this number");
    // There may be nobody left.
    let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
}

/// Elsewhere the tool is ended, and what it started is its own affair.
#[cfg(not(unix))]
fn end_group(_: u32) {}

/// A folder of our own in that for temporary files, which goes with all that is in it when it is not needed any more.
///
/// Others can write to the folder around it. So it is made, never taken over (making a folder fails if there is anything of
/// its name, also a link), its name cannot be foreseen, and nobody else may look into it.
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    pub fn new() -> io::Result<PrivateFolder> {
        const ATTEMPTS: u32 = 16;
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        let mut list = owned();
        for attempt in 0..ATTEMPTS {
            // The keys of hash tables are random.
            let number = RandomState::new().hash_one((std::process::id(), attempt));
            let path = std::env::temp_dir().join(format!("norn-{number:016x}"));
            match builder.create(&path) {
                Ok(()) => {
                    list.push(Owned::Folder(path.clone()));
                    return Ok(PrivateFolder(path));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        end(&Owned::Folder(self.0.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_private_and_go() {
        let (one, other) = (PrivateFolder::new().expect("a folder"), PrivateFolder::new().expect("another"));
        assert_ne!(one.0, other.0);
        fs::write(one.0.join("x.c"), "int x;").expect("it should be ours");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&one.0).expect("it").permissions()) & 0o777,
            0o700
        );
        let path = one.0.clone();
        drop(one);
        assert!(!path.exists());
    }
}

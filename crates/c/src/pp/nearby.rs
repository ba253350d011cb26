//! Looks for a missing header in the project that a file belongs to, so that the message can name the `-I` that finds it.
//!
//! The project may be any folder above the file, up to a few levels, that looks like the top of one; the nearest is searched
//! first. The search looks at a bounded number of entries, folder by folder in the order of names.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// Levels above the file, and below the top.
const MAX_UP: usize = 4;
const MAX_DOWN: usize = 8;
const MAX_ENTRIES: usize = 20_000;

/// What the top of a project has.
const TOPS: [&str; 8] =
    [".git", "CMakeLists.txt", "configure", "configure.ac", "meson.build", "Makefile", "Makefile.am", "autogen.sh"];

/// The folder that `-I` has to name so that `#include <name>` is found.
pub fn folder_with(name: &str, from: &Path) -> Option<PathBuf> {
    let name = Path::new(name);
    let is_plain = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_plain {
        return None;
    }
    let from = if from == Path::new("") { Path::new(".") } else { from };
    let mut left = MAX_ENTRIES;
    tops(from).into_iter().find_map(|top| below(top, name, &mut left))
}

/// The highest folder below and including this one in which the name is found.
fn below(top: PathBuf, name: &Path, left: &mut usize) -> Option<PathBuf> {
    let mut folders = VecDeque::from([(top, 0)]);
    while let Some((folder, depth)) = folders.pop_front() {
        if folder.join(name).is_file() {
            return Some(folder);
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut below = Vec::new();
        for entry in entries.flatten() {
            *left = left.checked_sub(1)?;
            // Links may lead anywhere, also in circles.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < MAX_DOWN && !entry.file_name().as_encoded_bytes().starts_with(b".") {
                below.push(entry.path());
            }
        }
        below.sort();
        folders.extend(below.into_iter().map(|folder| (folder, depth + 1)));
    }
    None
}

/// The folder itself and those above it that look like the top of a project, the nearest first.
fn tops(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    let mut up = folder.to_path_buf();
    for _ in 0..MAX_UP {
        // Names above the working directory are not known by the path: `..` leads there.
        up = match up.file_name() {
            Some(_) if up.parent() == Some(Path::new("")) => PathBuf::from("."),
            Some(_) => up.parent().unwrap_or(Path::new("/")).to_path_buf(),
            None if up == Path::new(".") => PathBuf::from(".."),
            None if up.is_absolute() => break,
            None => up.join(".."),
        };
        if TOPS.iter().any(|name| up.join(name).exists()) {
            found.push(up.clone());
        }
    }
    found
}

//! Pieces and answers as files of one folder: `tile-7.json` and `answer-7.json`.
//!
//! Several machines write to the folder, may die while they do, and may be asked twice. So a file appears under its name only
//! when all of it is there: it is written under another name in the same folder, which nobody else uses (it is made,
//! never taken over), and then renamed. Who reads never sees half of one, and two that write the same leave one of both.
//!
//! Nothing in the folder is trusted: files are read up to a size, and not through links.

use norn_ir::read::read;
use norn_tiles::gather::Pieces;
use norn_tiles::piece::Prints;
use norn_tiles::{Answer, Piece};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Of a piece or an answer.
const MOST_BYTES: u64 = 256 << 20;

/// What is wrong with a file, in words that name it.
pub type Fault = String;

pub struct TileFolder(PathBuf);

impl TileFolder {
    pub fn new(path: &Path) -> TileFolder {
        TileFolder(path.to_owned())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn tile(&self, tile: u32) -> PathBuf {
        self.0.join(format!("tile-{tile}.json"))
    }

    fn answer(&self, tile: u32) -> PathBuf {
        self.0.join(format!("answer-{tile}.json"))
    }

    /// Makes the folder, if it is not there.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.0)
    }

    /// The numbers of the files that are called pieces, sorted.
    pub fn numbers(&self) -> io::Result<Vec<u32>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("tile-")?.strip_suffix(".json"));
            // Only the name that a number has, not `tile-07.json`.
            let number = number.and_then(|text| text.parse().ok().filter(|number: &u32| number.to_string() == text));
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    pub fn piece(&self, tile: u32) -> Result<Piece, Fault> {
        let path = self.tile(tile);
        let fault = |reason: String| format!("'{}': {reason}", path.display());
        let text = text(&path).map_err(fault)?.ok_or_else(|| fault("no such file or directory".to_owned()))?;
        Piece::from_text(&text, tile).map_err(fault)
    }

    /// All pieces that are there, at least one.
    pub fn pieces(&self) -> Result<Pieces, Fault> {
        let shown = self.0.display();
        let numbers = self.numbers().map_err(|error| format!("'{shown}': {}", plain(&error)))?;
        let mut pieces: Option<Pieces> = None;
        for tile in numbers {
            let piece = self.piece(tile)?;
            match &mut pieces {
                None => pieces = Some(Pieces::new(piece)),
                Some(pieces) => {
                    pieces.add(piece).map_err(|reason| format!("'{}': {reason}", self.tile(tile).display()))?
                }
            }
        }
        pieces.ok_or_else(|| {
            format!("'{shown}': there are no pieces, which `norn split` writes as tile-0.json and so on")
        })
    }

    /// The answer to a piece, if there is one. `files`: how many the piece's program has.
    pub fn answered(&self, tile: u32, prints: &Prints, files: usize) -> Result<Option<Answer>, Fault> {
        let path = self.answer(tile);
        let fault = |reason: String| format!("'{}': {reason}", path.display());
        let Some(text) = text(&path).map_err(fault)? else { return Ok(None) };
        Answer::from_text(&text, tile, prints, files).map(Some).map_err(fault)
    }

    pub fn write_piece(&self, piece: &Piece) -> io::Result<()> {
        self.write(&self.tile(piece.tile), &piece.to_text())
    }

    pub fn write_answer(&self, answer: &Answer) -> io::Result<()> {
        self.write(&self.answer(answer.tile), &answer.to_text())
    }

    pub fn write_manifest(&self, text: &str) -> io::Result<()> {
        self.write(&self.0.join("job.yaml"), text)
    }

    /// A list of numbers, for schedulers that want a file.
    pub fn write_list(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.0.join("parallel.txt");
        self.write(&path, text).map(|()| path)
    }

    /// All at once, under this name.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The keys of hash tables are random.
        let number = RandomState::new().hash_one(std::process::id());
        let temporary = self.0.join(format!(".{name}.{number:016x}"));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Takes an answer away.
    pub fn forget(&self, tile: u32) {
        let _ = fs::remove_file(self.answer(tile));
    }

    /// Takes away what Norn and its schedulers wrote, and the folder if nothing else is in it.
    pub fn remove(&self) {
        const OURS: [&str; 6] = ["tile-", "answer-", ".tile-", ".answer-", "log-", "parallel.txt"];
        for entry in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if OURS.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_dir(&self.0);
    }
}

/// The text of a regular file that is no link; nothing if there is no file.
fn text(path: &Path) -> Result<Option<String>, String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(plain(&error)),
        Ok(metadata) if metadata.file_type().is_symlink() => return Err("it is a symbolic link, not a file".to_owned()),
        Ok(_) => {}
    }
    let bytes = read(path, MOST_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

//! Input files, and their names in messages.

use crate::fault::{Fault, Outcome};
use crate::progress::Progress;
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::{Path, PathBuf};

/// Bytes that tell what a file is.
const HEAD: u64 = 16;

/// Whether the path stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an input in messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) { String::from("standard input") } else { path.to_string_lossy().into_owned() }
}

/// All bytes of a file, or of standard input for `-`.
pub fn read(path: &Path, quiet: bool) -> Outcome<Vec<u8>> {
    let name = name(path);
    let _progress = Progress::spinner(quiet, format!("Reading {name}"));
    if !is_standard(path) {
        return std::fs::read(path).map_err(|e| Fault::io(name, "cannot read", &e));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(e) => Err(Fault::io(name, "cannot read", &e)),
    }
}

/// Where the constant files of a document are: given, or beside it.
pub fn const_dir(given: Option<&Path>, document: &Path) -> PathBuf {
    match (given, document.parent()) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(parent)) if !is_standard(document) && !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// An input that was opened, and its first bytes, which tell what it is.
pub struct Opened {
    head: Vec<u8>,
    rest: Box<dyn Read>,
    /// Bytes of the input, if it is a file.
    pub total: Option<u64>,
}

impl Opened {
    /// An input whose bytes were read already.
    pub fn of_bytes(bytes: Vec<u8>) -> Opened {
        let total = Some(bytes.len() as u64);
        let head = bytes.iter().copied().take(HEAD as usize).collect();
        let mut rest = Cursor::new(bytes);
        rest.set_position(HEAD);
        Opened { head, rest: Box::new(rest), total }
    }

    /// The first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// All bytes, one after the other.
    pub fn reader(self) -> Chain<Cursor<Vec<u8>>, Box<dyn Read>> {
        Cursor::new(self.head).chain(self.rest)
    }

    /// All bytes at once.
    pub fn bytes(self, name: &str, quiet: bool) -> Outcome<Vec<u8>> {
        let _progress = Progress::spinner(quiet, format!("Reading {name}"));
        let mut bytes = Vec::new();
        match self.reader().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(e) => Err(Fault::io(name, "cannot read", &e)),
        }
    }
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> Outcome<Opened> {
    let failed = |e| Fault::io(name(path), "cannot read", &e);
    let (mut rest, total): (Box<dyn Read>, _) = if is_standard(path) {
        (Box::new(std::io::stdin().lock()), None)
    } else {
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        (Box::new(file), about.is_file().then_some(about.len()))
    };
    let mut head = Vec::new();
    (&mut rest).take(HEAD).read_to_end(&mut head).map_err(failed)?;
    Ok(Opened { head, rest, total })
}

/// Line and column of a byte of a file, each from 1; `None` if the file cannot be read that far any more.
pub fn line_and_column(path: &Path, offset: u64) -> Option<(u32, u32)> {
    let mut file = File::open(path).ok()?.take(offset);
    let (mut line, mut column, mut left) = (1_u32, 1_u64, offset);
    let mut buffer = vec![0; 1 << 16];
    while left > 0 {
        let count = file.read(&mut buffer).ok().filter(|count| *count > 0)?;
        let bytes = buffer.get(..count)?;
        left = left.checked_sub(count as u64)?;
        let feeds = bytes.iter().filter(|b| **b == b'\n').count();
        line = line.checked_add(u32::try_from(feeds).ok()?)?;
        column = match bytes.iter().rposition(|b| *b == b'\n') {
            Some(last) => (count - last) as u64,
            None => column + count as u64,
        };
    }
    Some((line, u32::try_from(column).ok()?))
}

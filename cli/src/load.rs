//! What a file is and how it is opened; the name says nothing, the content does.

use crate::args::PackageLimits;
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files::{self, Opened};
use crate::progress::Progress;
use bir_core::doc::{
    Format, IoSource, Loaded, Progress as Done, ReadOptions, WarningKind, Watch, read_document_stream,
};
use bir_core::host::package::PackageFile;
use bir_core::host::stamp::Input;
use bir_core::neff::header::{Header, SIZE};
use bir_core::{Error, ErrorCode};
use std::fs::File;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A document in either form, as far as one can see.
    Document(Format),
    /// A package.
    Package,
    /// A bare gzip file, as the payload of a package is.
    Gzip,
    /// A kernel of a front end (KLR), which only looks like CBOR.
    Klr,
}

impl Content {
    /// What `bytes` are. A package has no magic number, but a version of 1 or 2 and the size of its header.
    pub fn of(bytes: &[u8]) -> Content {
        let number = |at: usize| bytes.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b));
        if matches!(number(0), Some(1 | 2)) || number(8) == Some(SIZE as u64) {
            return Content::Package;
        }
        match bytes {
            [0x1f, 0x8b, ..] => Content::Gzip,
            [0xd9, 0xd9, 0xf7, 0x80..=0x9f, ..] => Content::Klr,
            _ => Content::Document(Format::of(bytes)),
        }
    }

    /// What it is, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Content::Document(Format::Json) => "a JSON document",
            Content::Document(Format::Cbor) => "a CBOR document",
            Content::Package => "a package (NEFF)",
            Content::Gzip => "a gzip file",
            Content::Klr => "a kernel (KLR)",
        }
    }
}

/// Reads a document and shows its warnings.
pub fn document(path: &Path, strict: bool, console: &Console) -> Outcome<Loaded> {
    opened_document(files::open(path)?, path, strict, console)
}

/// Reads a document that was opened, piece by piece, and shows its warnings.
pub fn opened_document(opened: Opened, path: &Path, strict: bool, console: &Console) -> Outcome<Loaded> {
    let file = &files::name(path);
    let content = Content::of(opened.head());
    let hint = match content {
        Content::Document(_) => None,
        Content::Package => Some("this is a package; `bir unpack` extracts the document in it"),
        Content::Gzip => Some("this is compressed; decompress it first"),
        Content::Klr => {
            Some("this is a kernel of a front end; `bir klr show` lists it, `bir compile` makes a document of it")
        }
    };
    if let Some(hint) = hint {
        let error = Error::new(ErrorCode::Unsupported, hint).expected_found("a BIR document", content.name());
        return Err(Fault::of_file(file, error));
    }
    let loaded = {
        let progress = Progress::loading(console.quiet, opened.total, format!("Loading {file}"));
        let mut show = |done: &Done| {
            progress.at(done.bytes, done.instructions);
            ControlFlow::Continue(())
        };
        let source = IoSource::new(opened.reader(), None);
        let options = ReadOptions { strict, ahead: Some(bir_core::host::pages_ahead::start), ..ReadOptions::default() };
        read_document_stream(source, &options, &mut Watch::new().progress(&mut show))
            .map_err(|error| with_line(error, content, path))
            .in_file(file)?
    };
    if strict && let Some(warning) = loaded.warnings.first() {
        let code = match warning.kind {
            WarningKind::Renamed => ErrorCode::DuplicateName,
            WarningKind::UnknownKey | WarningKind::IgnoredKey => ErrorCode::UnknownKey,
            _ => ErrorCode::Unsupported,
        };
        let error = Error::new(code, &warning.message).at(&warning.path).at_position(warning.position);
        return Err(Fault::of_file(file, error));
    }
    console.warnings(file, loaded.warnings.iter().map(ToString::to_string), loaded.warnings_dropped);
    Ok(loaded)
}

/// An error that showed when the text had gone by names a byte; of a file, the line can still be found.
fn with_line(mut error: Error, content: Content, path: &Path) -> Error {
    if let Some(position) = &mut error.position
        && position.line == 0
        && content == Content::Document(Format::Json)
        && !files::is_standard(path)
        && let Some((line, column)) = files::line_and_column(path, position.offset)
    {
        (position.line, position.column) = (line, column);
    }
    error
}

/// A package, from wherever it comes.
pub type PackageInput = PackageFile<Box<dyn Input>>;

/// Opens a package.
pub fn package(path: &Path, limits: &PackageLimits, console: &Console) -> Outcome<PackageInput> {
    opened_package(files::open(path)?, path, limits, console)
}

/// Opens a package of which the first bytes were read. What is no ordinary file goes through memory, because a package is
/// read in any order.
pub fn opened_package(opened: Opened, path: &Path, limits: &PackageLimits, console: &Console) -> Outcome<PackageInput> {
    let file = &files::name(path);
    let content = Content::of(opened.head());
    let short = opened.total.is_some_and(|total| total < SIZE as u64);
    let found = match content {
        // The header's own error says more of few bytes.
        Content::Document(Format::Json) if !opened.head().trim_ascii_start().starts_with(b"{") => {
            Some("something else").filter(|_| !short)
        }
        Content::Package => None,
        other => Some(other.name()),
    };
    let input: Box<dyn Input> = match opened.total {
        Some(_) => Box::new(File::open(path).map_err(|e| Fault::io(file, "cannot read", &e))?),
        None => {
            let bytes = opened.bytes(file, console.quiet)?;
            if content != Content::Package && bytes.len() < SIZE {
                return Err(Fault::of_file(file, Header::parse(&bytes).err().unwrap_or_else(Error::out_of_memory)));
            }
            Box::new(Cursor::new(bytes))
        }
    };
    if let Some(found) = found {
        let error = Error::new(ErrorCode::BadHeader, "this is not a package").expected_found("a package header", found);
        return Err(Fault::of_file(file, error));
    }
    PackageFile::new(input, limits.limits()).in_file(file)
}

//! What a file is and how it is opened; the name says nothing, the content does.

use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files::{self, Opened};
use crate::progress::Progress;
use bir_core::doc::{
    Format, IoSource, Loaded, Progress as Done, ReadOptions, WarningKind, Watch, read_document_stream,
};
use bir_core::neff::Package;
use bir_core::neff::header::SIZE;
use bir_core::neff::read::Options;
use bir_core::{Error, ErrorCode};
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
        let options = ReadOptions { strict, ..ReadOptions::default() };
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

/// Opens a package.
pub fn package<'f>(bytes: &'f [u8], file: &str, verify_hash: bool, console: &Console) -> Outcome<Package<'f>> {
    let content = Content::of(bytes);
    let found = match content {
        Content::Document(Format::Json) if !bytes.trim_ascii_start().starts_with(b"{") => {
            // The header's own error says more of few bytes.
            Some("something else").filter(|_| bytes.len() >= SIZE)
        }
        Content::Package => None,
        other => Some(other.name()),
    };
    if let Some(found) = found {
        let error = Error::new(ErrorCode::BadHeader, "this is not a package").expected_found("a package header", found);
        return Err(Fault::of_file(file, error));
    }
    let _progress = Progress::spinner(console.quiet, format!("Opening {file}"));
    Package::open(bytes, Options { verify_hash, ..Options::default() }).in_file(file)
}

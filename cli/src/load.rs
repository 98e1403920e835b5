//! What a file is and how it is opened; the name says nothing, the content does.

use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::progress::Progress;
use bir_core::doc::{Loaded, ReadOptions, WarningKind, read_json};
use bir_core::neff::Package;
use bir_core::neff::header::SIZE;
use bir_core::neff::read::Options;
use bir_core::{Error, ErrorCode};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// BIR JSON, as far as one can see.
    Document,
    /// A package.
    Package,
    /// A bare gzip file, as the payload of a package is.
    Gzip,
    /// A kernel of a front end (KLR), which only looks like CBOR.
    Klr,
    /// CBOR.
    Cbor,
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
            [0xa0..=0xbf | 0xd9, ..] => Content::Cbor,
            _ => Content::Document,
        }
    }

    /// What it is, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Content::Document => "a document",
            Content::Package => "a package (NEFF)",
            Content::Gzip => "a gzip file",
            Content::Klr => "a kernel (KLR)",
            Content::Cbor => "CBOR",
        }
    }
}

/// Reads a document and shows its warnings.
pub fn document(bytes: &[u8], file: &str, strict: bool, console: &Console) -> Outcome<Loaded> {
    let content = Content::of(bytes);
    if content != Content::Document {
        let hint = match content {
            Content::Package => "this is a package; `bir unpack` extracts the document in it",
            Content::Gzip => "this is compressed; decompress it first",
            Content::Klr => {
                "this is a kernel of a front end; `bir klr show` lists it, `bir compile` makes a document of it"
            }
            _ => "only JSON documents are read",
        };
        let error = Error::new(ErrorCode::Unsupported, hint).expected_found("a BIR JSON document", content.name());
        return Err(Fault::of_file(file, error));
    }
    let loaded = {
        let _progress = Progress::spinner(console.quiet, format!("Loading {file}"));
        read_json(bytes, &ReadOptions { strict, ..ReadOptions::default() }).in_file(file)?
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

/// Opens a package.
pub fn package<'f>(bytes: &'f [u8], file: &str, verify_hash: bool, console: &Console) -> Outcome<Package<'f>> {
    let content = Content::of(bytes);
    let found = match content {
        Content::Document if bytes.trim_ascii_start().starts_with(b"{") => Some("a JSON document"),
        // The header's own error says more of few bytes.
        Content::Document => Some("something else").filter(|_| bytes.len() >= SIZE),
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

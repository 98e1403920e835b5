//! `bir klr show`: a kernel of a front end, as a listing or as JSON.

use crate::args::KlrShow;
use crate::console::{Console, to_stdout};
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::load::Content;
use crate::progress::Progress;
use crate::report::Report;
use bir_core::doc::Style;
use bir_core::klr::{self, Arena, DecodeOptions};
use bir_core::{Error, ErrorCode};

/// Findings beyond this are counted only.
const KEPT_FINDINGS: usize = 1000;

/// Shows a kernel.
pub fn run(args: &KlrShow, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.file);
    let bytes = files::read(&args.file, console.quiet)?;
    refuse_others(&bytes, &file)?;
    let arena = Arena::new();
    let mut out = Vec::new();
    {
        let _progress = Progress::spinner(console.quiet, format!("Loading {file}"));
        let options = DecodeOptions { proof_bytes: args.proof_bytes, ..DecodeOptions::default() };
        let kernel = klr::decode(&bytes, &arena, &options).map_err(with_hint).in_file(&file)?;
        let mut findings = klr::check(&kernel, KEPT_FINDINGS).in_file(&file)?;
        if args.strict && !findings.list.is_empty() {
            return Err(Fault::of_file(file, findings.list.swap_remove(0)));
        }
        console.warnings(&file, findings.list.iter().map(ToString::to_string), findings.dropped);
        if console.json {
            klr::write_json(&kernel, &mut out, Style::Pretty).in_file(&file)?;
        } else {
            klr::write_listing(&kernel, &mut out).in_file(&file)?;
        }
    }
    to_stdout(&out).map_err(|failure| Fault::Input(Box::new(failure)))?;
    Ok(Report::printed())
}

/// What is certainly no kernel is named; the rest is left to the decoder.
fn refuse_others(bytes: &[u8], file: &str) -> Outcome<()> {
    let content = Content::of(bytes);
    let hint = match content {
        Content::Document(_) if bytes.trim_ascii_start().starts_with(b"{") => "this is a document; `bir info` shows it",
        Content::Package => "this is a package; `bir info` shows it",
        Content::Gzip => "this is compressed; decompress it first",
        Content::Document(_) | Content::Klr => return Ok(()),
    };
    let error = Error::new(ErrorCode::Unsupported, hint).expected_found(Content::Klr.name(), content.name());
    Err(Fault::of_file(file, error))
}

/// Names the option that the core's error speaks of as it is called here.
pub(super) fn with_hint(mut error: Error) -> Error {
    error.message = error.message.replace("the option proof_bytes", "--proof-bytes");
    error
}

//! The header's fields that no loader checks: each has few legal values, so a changed byte shows (`spec/neff.md` sections 1
//! to 3).
#![forbid(unsafe_code)]

use super::{Checker, Severity};
use crate::consts::digest::hex;
use crate::error::{Error, ErrorCode, Position};
use crate::neff::features::unassigned;
use crate::neff::header::{Header, fields, neff_version, uuid_of_digest};
use alloc::format;
use core::fmt::Display;
use fields::Field;
use serde_json::Value;

/// Checks the header; `computed` is the payload's digest as the hash field holds it.
pub(super) fn check(checker: &mut Checker<'_>, header: &Header, computed: Option<[u8; 32]>) {
    versions(checker, header);
    text(checker, fields::NEFF_BUILD_VERSION, &header.neff_build_version);
    build_version(checker, header);
    if let Some(computed) = computed {
        digests(checker, header, &computed);
    }
    if header.pkg_version == 2 {
        let tail = header.hash.get(16..).unwrap_or_default();
        // One known packager fills up with the digit 0.
        if !tail.iter().all(|&b| b == b'0') {
            zeros(
                checker,
                (fields::HASH.0, fields::HASH.1 + 16),
                tail,
                "the hash is followed by other bytes than zeros",
            );
        }
    }
    text(checker, fields::NAME, &header.name);
    model_name(checker, header);
    let unknown = unassigned(header.feature_bits);
    if unknown != 0 {
        tell(
            checker,
            Severity::Warning,
            fields::FEATURE_BITS,
            "bits without a known meaning",
            "only assigned bits",
            format_args!("{unknown:#x}"),
        );
    }
    zeros(checker, fields::PAD, &header.pad, "the padding is not zero");
}

fn tell(
    checker: &mut Checker<'_>,
    severity: Severity,
    field: Field,
    message: &str,
    expected: impl Display,
    found: impl Display,
) {
    let error = Error::new(ErrorCode::BadHeader, message).expected_found(expected, found);
    checker.push(severity, fields::located(error, field));
}

/// The NEFF version follows from the feature bits.
fn versions(checker: &mut Checker<'_>, header: &Header) {
    let (major, minor) = neff_version(header.feature_bits);
    let found = header.neff_version_major;
    if found != major {
        // Large tensors, too, make it 2, and older producers always wrote that.
        let severity = if found > major { Severity::Note } else { Severity::Warning };
        let message = "not the NEFF version that the feature bits make";
        let expected = format!("{major} for feature bits {:#x}", header.feature_bits);
        let field = if found == 0 || found > major { fields::NEFF_VERSION_MAJOR } else { fields::FEATURE_BITS };
        tell(checker, severity, field, message, expected, format_args!("version {found}"));
    }
    if header.neff_version_minor != minor {
        let message = "a minor version that no known file has";
        tell(checker, Severity::Warning, fields::NEFF_VERSION_MINOR, message, minor, header.neff_version_minor);
    }
}

/// A text field: printable, ended by a NUL, then zeros.
fn text(checker: &mut Checker<'_>, field: Field, bytes: &[u8]) {
    let end = bytes.iter().position(|&b| b == 0);
    let Some(end) = end else {
        tell(
            checker,
            Severity::Warning,
            field,
            "the text has no end",
            "a NUL byte",
            format_args!("{} bytes", bytes.len()),
        );
        return;
    };
    let (text, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
    zeros(checker, (field.0, field.1.saturating_add(end)), rest, "the text is followed by other bytes than zeros");
    let bad = match core::str::from_utf8(text) {
        Ok(valid) => valid.char_indices().find(|(_, c)| c.is_control()).map(|(at, _)| at),
        Err(error) => Some(error.valid_up_to()),
    };
    if let Some(at) = bad {
        let found = text.get(at).copied().unwrap_or(0);
        let field = (field.0, field.1.saturating_add(at));
        tell(
            checker,
            Severity::Warning,
            field,
            "the text is not printable",
            "UTF-8 without control characters",
            format_args!("byte {found:#04x}"),
        );
    }
}

/// Every version has a number in it.
fn build_version(checker: &mut Checker<'_>, header: &Header) {
    let version = header.build_version();
    if !version.is_empty() && !version.bytes().any(|b| b.is_ascii_digit()) {
        let found = format!("`{}`", version.escape_debug());
        tell(
            checker,
            Severity::Note,
            fields::NEFF_BUILD_VERSION,
            "this does not look like a version",
            "a digit in it",
            found,
        );
    }
}

/// The hash is the payload's, and the uuid comes from it in packages that are made to be reproducible.
fn digests(checker: &mut Checker<'_>, header: &Header, computed: &[u8; 32]) {
    if let Err(error) = header.compare_hash(computed) {
        checker.push(Severity::Error, error);
    }
    let Some(md5) = computed.first_chunk::<16>().filter(|_| header.pkg_version == 2) else { return };
    let derived = uuid_of_digest(*md5);
    if derived != header.uuid {
        let first = derived.iter().zip(header.uuid).position(|(a, b)| *a != b).unwrap_or(0);
        let field = (fields::UUID.0, fields::UUID.1.saturating_add(first));
        let message = "not the uuid that follows from the payload; some producers take a random one";
        tell(checker, Severity::Note, field, message, hex(&derived), hex(&header.uuid));
    }
}

/// The build data may tell the name too.
fn model_name(checker: &mut Checker<'_>, header: &Header) {
    let Some(info) = checker.inventory.json("info.json") else { return };
    let Some(name) = info.get("name").and_then(Value::as_str) else { return };
    let found = header.model_name();
    // The header has room for 255 bytes.
    let cut = name.len() > 255 && name.as_bytes().starts_with(found.as_bytes());
    if *found != *name && !cut {
        let first = found.bytes().zip(name.bytes()).position(|(a, b)| a != b);
        let at = first.unwrap_or_else(|| found.len().min(name.len()));
        let field = (fields::NAME.0, fields::NAME.1.saturating_add(at));
        let expected = format!("`{}`", name.escape_debug());
        let found = format!("`{}`", found.escape_debug());
        tell(checker, Severity::Warning, field, "not the name in `info.json`", expected, found);
    }
}

/// Bytes that are zero in every known file.
fn zeros(checker: &mut Checker<'_>, field: Field, bytes: &[u8], message: &str) {
    let Some(at) = bytes.iter().position(|&b| b != 0) else { return };
    let found = bytes.get(at).copied().unwrap_or(0);
    let error = Error::new(ErrorCode::BadHeader, message).expected_found("zeros", format_args!("byte {found:#04x}"));
    let offset = field.1.saturating_add(at) as u64;
    checker.push(Severity::Warning, error.at(field.0).at_position(Position { line: 0, column: 0, offset }));
}

//! Header against header, field by field.
#![forbid(unsafe_code)]

use super::{Difference, Differences};
use crate::consts::digest::hex;
use crate::error::Result;
use crate::neff::features::{features, unassigned};
use crate::neff::header::{Header, fields, uuid_of_digest};
use alloc::format;
use alloc::string::{String, ToString};
use fields::Field;

/// Compares two headers. `hashes` are the digests of the payloads as the hash field holds them: what follows from the payload
/// does not matter by itself.
///
/// # Errors
/// `OutOfMemory`.
pub fn compare_headers(a: &Header, b: &Header, hashes: Option<[[u8; 32]; 2]>, out: &mut Differences) -> Result<()> {
    let mut tell = |field: Field, at: Option<usize>, old: String, new: String, matters: bool| {
        let difference = Difference::of_package(field.0, old, new);
        let offset = Some(field.1.saturating_add(at.unwrap_or(0)) as u64);
        out.add(Difference { offset, matters, ..difference })
    };
    macro_rules! numbers {
        ($($constant:ident $name:ident $matters:literal;)*) => {$(
            if a.$name != b.$name {
                tell(fields::$constant, None, a.$name.to_string(), b.$name.to_string(), $matters)?;
            }
        )*};
    }
    numbers! {
        PKG_VERSION pkg_version true;
        HEADER_SIZE header_size true;
        DATA_SIZE data_size false;
        NEFF_VERSION_MAJOR neff_version_major true;
        NEFF_VERSION_MINOR neff_version_minor true;
    }
    let text = |text: &str| format!("`{}`", text.escape_debug());
    if let Some(at) = first_difference(&a.neff_build_version, &b.neff_build_version) {
        tell(fields::NEFF_BUILD_VERSION, Some(at), text(&a.build_version()), text(&b.build_version()), true)?;
    }
    numbers! { NUM_TPB num_tpb true; }
    if let Some(at) = first_difference(&a.hash, &b.hash) {
        let old = hex(a.hash.get(..).unwrap_or_default());
        tell(fields::HASH, Some(at), old, hex(&b.hash), false)?;
    }
    if let Some(at) = first_difference(&a.uuid, &b.uuid) {
        let derived = hashes.is_some_and(|hashes| {
            [(a, hashes[0]), (b, hashes[1])]
                .iter()
                .all(|(header, hash)| hash.first_chunk::<16>().is_some_and(|md5| uuid_of_digest(*md5) == header.uuid))
        });
        tell(fields::UUID, Some(at), hex(&a.uuid), hex(&b.uuid), !derived)?;
    }
    if let Some(at) = first_difference(&a.name, &b.name) {
        tell(fields::NAME, Some(at), text(&a.model_name()), text(&b.model_name()), true)?;
    }
    numbers! { REQUESTED_TPB_COUNT requested_tpb_count true; }
    if let Some(at) = first_difference(&a.tpb_per_node, &b.tpb_per_node) {
        tell(fields::TPB_PER_NODE, Some(at), used(&a.tpb_per_node), used(&b.tpb_per_node), true)?;
    }
    if a.feature_bits != b.feature_bits {
        tell(fields::FEATURE_BITS, None, feature_text(a.feature_bits), feature_text(b.feature_bits), true)?;
    }
    numbers! { LNC_SIZE lnc_size true; }
    if let Some(at) = first_difference(&a.pad, &b.pad) {
        let byte = |header: &Header| format!("byte {:#04x}", header.pad.get(at).copied().unwrap_or(0));
        tell(fields::PAD, Some(at), byte(a), byte(b), true)?;
    }
    Ok(())
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    a.iter().zip(b).position(|(a, b)| a != b)
}

/// The counts up to the last that is not 0.
fn used(counts: &[u8]) -> String {
    let end = counts.iter().rposition(|&count| count != 0).map_or(0, |last| last + 1);
    format!("{:?}", counts.get(..end).unwrap_or_default())
}

/// The bits as a number and by their names.
fn feature_text(bits: u64) -> String {
    let mut text = format!("{bits:#x}");
    for feature in features(bits) {
        text.push_str(if text.contains('(') { ", " } else { " (" });
        text.push_str(feature.name);
    }
    let unknown = unassigned(bits);
    if unknown != 0 {
        text.push_str(if text.contains('(') { ", " } else { " (" });
        text.push_str(&format!("unassigned {unknown:#x}"));
    }
    if text.contains('(') {
        text.push(')');
    }
    text
}

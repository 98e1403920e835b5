//! The header's fields as one table, from which reading, writing and the offsets in errors are made.
#![forbid(unsafe_code)]

use super::{Header, SIZE, place};
use crate::error::Error;

/// A field of the header: name and offset.
pub(in crate::neff) type Field = (&'static str, usize);

/// Puts an error at a field.
pub(in crate::neff) fn located(error: Error, field: Field) -> Error {
    error.at(field.0).at_position(place(field.1))
}

/// The name of the field that the byte at `offset` of the header belongs to.
pub fn name_at(offset: usize) -> Option<&'static str> {
    ALL.iter().rev().find(|field| field.1 <= offset && offset < SIZE).map(|field| field.0)
}

macro_rules! fields {
    ($($constant:ident = $name:ident, $offset:literal;)*) => {
        $(#[allow(dead_code)] // Not every field has an error of its own.
        pub(in crate::neff) const $constant: Field = (stringify!($name), $offset);)*

        /// Names and offsets of all fields, in file order.
        pub(super) const ALL: &[Field] = &[$($constant),*];

        impl Header {
            /// Reads the fields without checking them.
            pub fn read(bytes: &[u8; SIZE]) -> Header {
                let mut header = Header::default();
                $(if let Some(field) = bytes.get($offset..) { header.$name.load(field); })*
                header
            }

            /// The header as it is stored.
            pub fn write(&self) -> [u8; SIZE] {
                let mut bytes = [0; SIZE];
                $(if let Some(field) = bytes.get_mut($offset..) { self.$name.store(field); })*
                bytes
            }
        }
    };
}

fields! {
    PKG_VERSION = pkg_version, 0;
    HEADER_SIZE = header_size, 8;
    DATA_SIZE = data_size, 16;
    NEFF_VERSION_MAJOR = neff_version_major, 24;
    NEFF_VERSION_MINOR = neff_version_minor, 32;
    NEFF_BUILD_VERSION = neff_build_version, 40;
    NUM_TPB = num_tpb, 168;
    HASH = hash, 172;
    UUID = uuid, 204;
    NAME = name, 220;
    REQUESTED_TPB_COUNT = requested_tpb_count, 476;
    TPB_PER_NODE = tpb_per_node, 480;
    FEATURE_BITS = feature_bits, 544;
    LNC_SIZE = lnc_size, 552;
    PAD = pad, 556;
}

/// A value at the start of a slice, little-endian. The slices reach to the end of the header, so they are long enough.
trait Stored {
    fn load(&mut self, from: &[u8]);
    fn store(&self, to: &mut [u8]);
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Stored for $type {
            fn load(&mut self, from: &[u8]) {
                if let Some(bytes) = from.first_chunk() { *self = <$type>::from_le_bytes(*bytes); }
            }
            fn store(&self, to: &mut [u8]) {
                if let Some(bytes) = to.first_chunk_mut() { *bytes = self.to_le_bytes(); }
            }
        }
    )*};
}
number!(u32 u64);

impl<const N: usize> Stored for [u8; N] {
    fn load(&mut self, from: &[u8]) {
        if let Some(bytes) = from.first_chunk() {
            *self = *bytes;
        }
    }
    fn store(&self, to: &mut [u8]) {
        if let Some(bytes) = to.first_chunk_mut() {
            *bytes = *self;
        }
    }
}

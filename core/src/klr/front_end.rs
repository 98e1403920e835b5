//! The kernels of the front ends (`python`, `nki`): no back end takes them, so they are named and refused, not read.

use super::decode::{Decode, Decoder, Failed};
use super::names::FRONT_ENDS;
use crate::error::{Error, ErrorCode};

/// A kernel record of a front-end AST.
pub(super) struct FrontEnd {
    /// The constructor of the contents.
    pub ctor: u8,
    /// The name of that constructor.
    pub name: &'static str,
    /// The record type of the kernel.
    pub tag: u8,
    /// Its number of fields.
    pub arity: u8,
    /// The schemas that have it so.
    pub schemas: &'static str,
}

/// The name of the front end behind a constructor of the contents.
pub(super) fn name(ctor: u8) -> Option<&'static str> {
    FRONT_ENDS.iter().find(|f| f.ctor == ctor).map(|f| f.name)
}

/// The error of a file that holds a kernel of a front end. `d` stands before the kernel.
pub(super) fn refuse<'a>(d: &mut Decoder<'a>, name: &'static str) -> Failed {
    let start = d.offset();
    let record = match d.record(name) {
        Ok(record) => record,
        Err(failed) => return failed,
    };
    let same = |f: &&FrontEnd| f.name == name && f.tag == record.tag && f.arity == record.fields && record.ctor == 0;
    let Some(known) = FRONT_ENDS.iter().find(same) else {
        let error = Error::new(
            ErrorCode::Unsupported,
            format_args!("unsupported KLR schema: no kernel of the front end `{name}`"),
        );
        let found = format_args!("record type {}, constructor {}, {} fields", record.tag, record.ctor, record.fields);
        return d.fail(start, error.expected_found("a kernel record", found));
    };
    let entry = match <&str>::decode(d) {
        Ok(entry) => entry,
        Err(failed) => return d.in_field(failed, "entry"),
    };
    let error = Error::new(
        ErrorCode::WrongKind,
        format_args!("Wrong KLIR content type: this is a front-end AST, and no back end takes it"),
    );
    let found = format_args!("`{name}` with the entry `{entry}`, schema {}", known.schemas);
    d.fail(start, error.expected_found("a core kernel", found))
}

//! Documents: a module as BIR JSON or as CBOR, in and out.
//!
//! [`read_document`] walks the bytes once and builds the module as it goes; no tree of the document is made.
//! [`write_document`] emits it in one pass. Both forms hold the same tree. What the format is: `spec/bir-json.md`.
//!
//! ```
//! use bir_core::doc::{Format, ReadOptions, WriteOptions, read_document, write_document};
//!
//! let text = br#"{"version": 2, "arch": "gen3", "functions":
//!     [{"name": "main", "allocations": [], "blocks": [{"name": "b", "instructions": []}]}]}"#;
//! let loaded = read_document(text, &ReadOptions::default())?;
//! assert_eq!(loaded.module.find_function("main").unwrap().block_count(), 1);
//! let mut out = Vec::new();
//! write_document(&loaded.module, &mut out, Format::Cbor, &WriteOptions::default())?;
//! assert!(out.len() < text.len());
//! let again = read_document(&out, &ReadOptions::default())?;
//! assert!(bir_core::ir::difference(&*loaded.module, &*again.module).is_none());
//! # Ok::<(), bir_core::Error>(())
//! ```

pub mod cbor_in;
pub mod cbor_out;
pub mod format;
pub mod input;
pub mod json_in;
pub mod json_out;
pub mod output;
pub mod path;

mod gap;
mod pairs;
mod read;
mod scan;
mod source;
mod stream_in;
mod value_in;
mod value_out;
mod watch;
mod write;

pub use crate::sink::Sink;
pub use cbor_in::CborInput;
pub use cbor_out::CborOut;
pub use format::{Format, read_cbor, read_document, read_document_stream, read_document_watched};
pub use input::{Input, Limits, Number, ValueKind};
pub use json_in::JsonInput;
pub use json_out::{JsonOut, Style};
pub use output::Output;
pub(crate) use read::{Immediate, immediate_range};
pub use read::{Loaded, ReadOptions, Warning, WarningKind, read, read_json, read_json_stream, read_watched};
#[cfg(feature = "std")]
pub use source::IoSource;
pub use source::Source;
pub use watch::{Progress, ProgressFn, Watch};
pub(crate) use write::write_json_with_files;
pub use write::{WriteOptions, write, write_cbor, write_document, write_json};

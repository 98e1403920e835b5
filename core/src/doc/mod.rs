//! Documents: a module as BIR JSON, in and out.
//!
//! [`read_json`] walks the text once and builds the module as it goes; no tree of the document is made. [`write_json`] emits
//! it in one pass. What the format is: `spec/bir-json.md`.
//!
//! ```
//! use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
//!
//! let text = br#"{"version": 2, "arch": "gen3", "functions":
//!     [{"name": "main", "allocations": [], "blocks": [{"name": "b", "instructions": []}]}]}"#;
//! let loaded = read_json(text, &ReadOptions::default())?;
//! assert_eq!(loaded.module.find_function("main").unwrap().block_count(), 1);
//! let mut out = Vec::new();
//! write_json(&loaded.module, &mut out, &WriteOptions::default())?;
//! # Ok::<(), bir_core::Error>(())
//! ```

pub mod input;
pub mod json_in;
pub mod json_out;
pub mod path;

mod read;
mod scan;
mod source;
mod stream_in;
mod watch;
mod write;

pub use crate::sink::Sink;
pub use input::{Input, Limits, Number, ValueKind};
pub use json_in::JsonInput;
pub use json_out::{JsonOut, Style};
pub(crate) use read::{Immediate, immediate_range};
pub use read::{Loaded, ReadOptions, Warning, WarningKind, read, read_json, read_json_stream, read_watched};
#[cfg(feature = "std")]
pub use source::IoSource;
pub use source::Source;
pub use watch::{Progress, ProgressFn, Watch};
pub(crate) use write::write_json_with_files;
pub use write::{WriteOptions, write_json};

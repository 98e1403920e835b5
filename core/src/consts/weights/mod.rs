//! Weights come beside a model, in a directory of their own; the step `inline-weights` makes constants of them
//! (`spec/consts.md` section 2). This decides which: it reads the directory's `metadata.json`, holds each file against its
//! parameter, and says what is wrong with all of them at once.
//!
//! Files come from the caller ([`ModelFiles`]), parameters as plain data ([`Parameter`]); what is done to the program is the
//! caller's too.
//!
//! ```
//! use bir_core::consts::npy::{self, Npy};
//! use bir_core::consts::weights::{Metadata, ModelFiles, Parameter, plan};
//!
//! struct Memory(Vec<u8>);
//! impl ModelFiles for Memory {
//!     fn exists(&mut self, path: &str) -> bir_core::Result<bool> {
//!         Ok(path == "graph.hlo")
//!     }
//!     fn npy(&mut self, _path: &str) -> bir_core::Result<Npy> {
//!         npy::parse(&self.0)
//!     }
//! }
//!
//! let text = br#"{"model_files": "graph.hlo", "version": "1.0", "weights": {"1": "weights/w.npy"}}"#;
//! let parameter = |name: &str| Parameter { name: name.into(), dtype: "float32", shape: vec![2], unfit: None };
//! let mut files = Memory([npy::header("<f4", &[2])?, vec![0; 8]].concat());
//! let plan = plan(Metadata::parse(text)?, &[parameter("x"), parameter("w"), parameter("y")], &mut files)?;
//! assert!(plan.is_good());
//! assert_eq!((plan.constants[0].name.as_str(), plan.constants[0].file.as_str()), ("w", "weights/w.npy"));
//! assert_eq!(plan.renumbered, [Some(0), None, Some(1)]);
//! # Ok::<(), bir_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod metadata;
mod plan;
mod problem;
#[cfg(test)]
mod tests;

pub use metadata::{Entry, Metadata};
pub use plan::{Constant, ModelFiles, Parameter, Plan, Remaining, Unfit, plan};
pub use problem::{Problem, ProblemKind};

/// Name of the file that lists the weights of a model directory.
pub const METADATA_FILE: &str = "metadata.json";

/// Class of the tensors that weights become (`spec/consts.md` section 4.1).
pub const TENSOR_CLASS: &str = "ImmutableParameter";

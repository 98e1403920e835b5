//! BIR JSON in and out (`spec/bir-json.md`): documents reach several hundred megabytes, so they are read in one pass
//! without a tree of the document, and written the same way.
//!
//! - [`input`]: the pull interface that the document reader is generic over;
//! - [`json_in`]: JSON text behind that interface;
//! - [`sink`]: where written bytes go;
//! - [`json_out`]: the JSON writer;
//! - [`path`]: the place in a document that an error names.

pub mod input;
pub mod json_in;
pub mod json_out;
pub mod path;
mod scan;
pub mod sink;

//! Pictures

use crate::boundary::{flag, object, optional_text};
use crate::callback::sink;
use crate::records::{bir_graph_options, bir_write_callback};
use crate::types::{bir_error, bir_module, bir_status};
use bir_core::graph::{DEFAULT_MAX_NODES, Format, GraphOptions, write_graph, write_memory};
use bir_core::{Error, ErrorCode};
use core::ffi::c_void;

/// Scalable Vector Graphics.
pub const BIR_GRAPH_FORMAT_SVG: i32 = 0;
/// A graph for Graphviz.
pub const BIR_GRAPH_FORMAT_DOT: i32 = 1;
/// The facts of the picture as a JSON object.
pub const BIR_GRAPH_FORMAT_JSON: i32 = 2;

/// Draws the module: what waits for what, or, with memory in the options, what lies where. The picture is written, piece by
/// piece, to the caller's function; equal modules give equal bytes. options may be NULL. On failure some pieces may have
/// been given: NOT_FOUND for a function or block that does not exist, CORRUPT_IR or UNKNOWN_ENUM for numbers that foreign
/// code wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_module_graph(
    module: *const bir_module,
    options: *const bir_graph_options,
    write: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let mut sink = sink(write, user)?;
        let module = object(module)?;
        let given = options!(options, bir_graph_options { format, memory, max_nodes, function, block });
        let format = Format::from_number(given.format).ok_or_else(|| {
            Error::new(ErrorCode::BadValue, format_args!("{} is no form of a picture: 0 to 2 are", given.format))
        })?;
        let options = GraphOptions {
            function: optional_text(given.function.data, given.function.len)?,
            block: optional_text(given.block.data, given.block.len)?,
            max_nodes: if given.max_nodes == 0 { DEFAULT_MAX_NODES } else { given.max_nodes as usize },
        };
        if flag(given.memory) {
            write_memory(module, &mut sink, format, &options)
        } else {
            write_graph(module, &mut sink, format, &options)
        }
    })
}

//! `bir graph`: pictures of what waits for what and of what lies where.

use super::convert::write_with_sink;
use crate::args::{Graph, Picture};
use crate::console::Console;
use crate::fault::{InFile, Outcome};
use crate::files;
use crate::load;
use crate::report::Report;
use bir_core::doc::Sink;
use bir_core::graph::{Format, GraphOptions, write_graph, write_memory};
use bir_core::ir::ModuleRef;
use bir_core::{Error, ErrorCode};
use serde_json::{Value, json};
use std::path::Path;

/// Draws a picture of a document.
pub fn run(args: &Graph, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.file);
    let loaded = load::document(&args.file, args.strict, console)?;
    let options =
        GraphOptions { function: args.function.as_deref(), block: args.block.as_deref(), max_nodes: args.max_nodes };
    let write = |module: &ModuleRef, sink: &mut dyn Sink, format: Format| {
        if args.memory {
            write_memory(module, sink, format, &options)
        } else {
            write_graph(module, sink, format, &options)
        }
    };
    let mut json = json!({});
    if console.json {
        let mut text = Vec::new();
        write(&loaded.module, &mut text, Format::Json).in_file(&file)?;
        json = parsed(&text)?;
        json["file"] = json!(file);
    }
    // The data takes the place of a picture that would go to standard output too.
    if !(console.json && files::is_standard(&args.output)) {
        let format = format(args);
        let written = write_with_sink(&args.output, &file, console, |sink| write(&loaded.module, sink, format))?;
        if let Some(object) = json.as_object_mut() {
            object.insert(String::from("output"), json!(args.output.to_string_lossy()));
            object.insert(String::from("bytes"), json!(written));
        }
    }
    Ok(Report::new(String::new(), json))
}

fn parsed(text: &[u8]) -> Outcome<Value> {
    Ok(serde_json::from_slice(text).map_err(|e| Error::new(ErrorCode::Internal, e))?)
}

/// The form that was asked for, or that the name of the output tells.
fn format(args: &Graph) -> Format {
    let ending = Path::new(&args.output).extension().and_then(|e| e.to_str()).unwrap_or_default();
    match args.format {
        Some(Picture::Svg) => Format::Svg,
        Some(Picture::Dot) => Format::Dot,
        None if ["dot", "gv"].iter().any(|e| ending.eq_ignore_ascii_case(e)) => Format::Dot,
        None => Format::Svg,
    }
}

//! `bir print`: a document in readable form.

use super::print_output::{Coloured, JsonLines, Stdout};
use super::print_select::{Root, Selection, select};
use crate::args::Print;
use crate::console::Console;
use crate::fault::{InFile, Outcome};
use crate::files;
use crate::load;
use crate::report::Report;
use bir_core::Result;
use bir_core::doc::{JsonOut, Loaded, Output as _, Style};
use bir_core::ir::ModuleRef;
use bir_core::text::{Output, Plain, PrintOptions, Printer};

/// Prints a document or parts of it.
pub fn run(args: &Print, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.input);
    let loaded = load::document(&args.input, args.strict, console)?;
    let selection = select(&loaded.module, args).in_file(&file)?;
    let options = PrintOptions { all: args.all, ids: !args.no_ids };
    let mut out = Stdout::new();
    let result = if console.json {
        json(&loaded, &selection, &options, &file, &mut out)
    } else if console.colours() {
        let mut coloured = Coloured(Plain::new(&mut out));
        text(&loaded.module, &selection, &options, &mut coloured).and_then(|()| coloured.0.finish())
    } else {
        let mut plain = Plain::new(&mut out);
        text(&loaded.module, &selection, &options, &mut plain).and_then(|()| plain.finish())
    };
    out.close(result)?;
    Ok(Report::printed())
}

fn text<'m>(
    module: &'m ModuleRef,
    selection: &Selection<'m>,
    options: &PrintOptions,
    out: &mut impl Output,
) -> Result<()> {
    let mut printer = Printer::new(out, options);
    match selection {
        Selection::Module => printer.module(module),
        Selection::Roots(roots) => roots.iter().try_for_each(|root| match root {
            Root::Function(function) => printer.function(function),
            Root::Queue(queue) => printer.queue(queue),
        }),
        Selection::Blocks(blocks) => blocks.iter().try_for_each(|block| printer.block(block)),
        Selection::Instructions(all) => all.iter().try_for_each(|instruction| printer.instruction(instruction)),
    }
}

/// An object with the lines, written as they come.
fn json<'m>(
    loaded: &'m Loaded,
    selection: &Selection<'m>,
    options: &PrintOptions,
    file: &str,
    out: &mut Stdout,
) -> Result<()> {
    let mut lines = JsonLines::new(JsonOut::new(out, Style::Pretty));
    lines.json.begin_object()?;
    lines.json.key("file")?;
    lines.json.string(file)?;
    lines.json.key("kind")?;
    lines.json.string("print")?;
    lines.json.key("lines")?;
    lines.json.begin_array()?;
    text(&loaded.module, selection, options, &mut lines)?;
    lines.json.end_array()?;
    lines.json.key("warning_count")?;
    lines.json.u64((loaded.warnings.len() as u64).saturating_add(loaded.warnings_dropped))?;
    lines.json.end_object()?;
    lines.json.finish()
}

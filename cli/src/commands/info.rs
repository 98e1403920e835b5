//! `bir info`: the first look at a file.

use super::{info_document, info_package};
use crate::args::Info;
use crate::console::Console;
use crate::fault::{Fault, Outcome};
use crate::files;
use crate::load::{self, Content};
use crate::report::Report;

/// Shows a document or a package.
pub fn run(args: &Info, console: &Console) -> Outcome<Report> {
    let file = files::name(&args.file);
    let opened = files::open(&args.file)?;
    match Content::of(opened.head()) {
        Content::Package => {
            let package = load::opened_package(opened, &args.file, &args.limits, console)?;
            info_package::run(package, args, &file, console)
        }
        _ if args.weights || args.all || args.ignore_hash => {
            Err(Fault::Usage(String::from("--weights, --all and --ignore-hash are for packages, and this is none")))
        }
        _ => {
            let loaded = load::opened_document(opened, &args.file, args.strict, console)?;
            info_document::run(&loaded, &file, console)
        }
    }
}

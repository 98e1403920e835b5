//! `bir create`: a tar of a package's files gets a header.

use super::pack_folder::{facts, report};
use crate::args::Create;
use crate::console::Console;
use crate::fault::{Fault, InFile, Outcome};
use crate::files;
use crate::packing::{check_output, write};
use crate::progress::Progress;
use crate::report::Report;
use bir_core::contents::Data;
use bir_core::host::FileContents;
use bir_core::host::package_writer::write_raw_file;
use bir_core::host::spool::Spool;
use bir_core::neff::Compression;
use bir_core::neff::header::{Header, SIZE};
use bir_core::neff::package::Archive;
use bir_core::neff::walk::Limits;
use std::path::PathBuf;

/// Makes a package.
pub fn run(args: &Create, console: &Console) -> Outcome<Report> {
    let output = output(args);
    check_output(&output, console)?;
    if files::is_standard(&args.input) {
        return Err(Fault::Usage(String::from("create reads its input more than once: give a file")));
    }
    let input = files::name(&args.input);
    let total = std::fs::metadata(&args.input).map_or(0, |about| about.len());
    let spool = {
        let progress = Progress::bytes(console.quiet, total, format!("Reading {input}"));
        let bar = progress.handle();
        Spool::of_tarball(&args.input, Limits::default(), &mut |done| bar.position(done)).in_file(&input)?
    };
    let members: Vec<(String, Data<'static>)> =
        spool.members().iter().map(|member| (member.name.clone(), Data::Shared(member.contents.clone()))).collect();

    let feature_bits = args.enable_feature.iter().fold(0, |bits, bit| bits | bit);
    let mut header = Header { pkg_version: args.header_version, feature_bits, ..Header::default() };
    let facts = facts(&members).in_file(&input)?;
    facts.apply(&mut header);
    if header.num_tpb == 0 || args.num_nc.is_some() {
        let cores = args.num_nc.unwrap_or(1);
        (header.num_tpb, header.requested_tpb_count) = (cores, cores);
    }
    header.lnc_size = header.lnc_size.max(1);
    if let Some((major, minor)) = args.neff_version {
        (header.neff_version_major, header.neff_version_minor) = (major, minor);
    }
    header.set_model_name(args.name.as_deref().or(facts.name.as_deref()).unwrap_or("module"));
    header.set_build_version(&args.tool_version);

    let mut archive = Archive::new(header, args.packing.compression(Compression::Exact));
    args.packing.apply(&mut archive);
    for (name, data) in members {
        archive.add(&name, data).in_file(&input)?;
    }
    archive.sort().in_file(&input)?;
    let bytes = if args.as_is {
        if files::is_standard(&output) {
            return Err(Fault::Usage(String::from("--as-is needs a file to write")));
        }
        let header = write_raw_file(&archive, &FileContents::new(&args.input)?, &output)?;
        header.data_size.saturating_add(SIZE as u64)
    } else {
        write(&archive, &output, args.packing.threads(), console)?
    };
    Ok(report(&archive, "create", &input, &output, bytes))
}

/// The package's name, which ends in `.neff`.
fn output(args: &Create) -> PathBuf {
    if files::is_standard(&args.output) || args.output.extension().is_some_and(|e| e == "neff") {
        return args.output.clone();
    }
    let mut name = args.output.clone().into_os_string();
    name.push(".neff");
    PathBuf::from(name)
}

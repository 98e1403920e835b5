//! A package of large constants, for measuring what looks into it.

use super::archive;
use super::files::Files;
use crate::Result;
use bir_core::host::package_writer::{WriteOptions, write_file};
use bir_core::neff::PackageBuilder;
use bir_core::neff::descriptors::Tensor;
use bir_core::neff::package::Constant;
use bir_core::neff::target::Target;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes a package whose constants are the files of the lists.
pub fn run(lists: &[PathBuf], output: &Path, compression: archive::Compression) -> Result<()> {
    let mut builder = PackageBuilder::new("weights", Target::Cayman, 1)?;
    builder.set_compression(compression.into());
    builder.input(tensor("x"))?;
    builder.output(tensor("y"))?;
    let mut bytes = 0;
    for list in lists {
        let files = Files::of_list(list)?;
        for name in &files.names {
            let file_name = name.strip_prefix("sg00/").unwrap_or(name);
            let content = archive::contents(&files, name)?;
            let size = content.size();
            bytes += size;
            builder.constant(
                0,
                Constant {
                    variable: file_name.to_owned(),
                    file_name: file_name.to_owned(),
                    bytes: size,
                    alignment: 0,
                    offset: 0,
                },
            )?;
            builder.constant_file(0, file_name, content)?;
        }
    }
    write_file(&builder.archive()?, output, WriteOptions::default())?;
    let written = std::fs::metadata(output)?.len();
    println!("{}", json!({"phase": "package", "bytes": bytes, "written": written}));
    Ok(())
}

fn tensor(name: &str) -> Tensor {
    Tensor { name: name.to_owned(), dtype: "bfloat16".to_owned(), shape: vec![128, 512], bytes: 2 * 128 * 512 }
}

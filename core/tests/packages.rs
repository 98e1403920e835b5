//! From a module to a package and back.
use bir_core::doc::{ReadOptions, read_json};
use bir_core::enums::bir::{Dtype, MemoryType, TensorKind};
use bir_core::ir::{Module, Place};
use bir_core::neff::{Options, Package};
use bir_core::pack::{PackOptions, pack_module};
use bir_core::{Error, ErrorCode, Result};

fn add_constant(module: &Module, name: &str, file: &str) -> Result<()> {
    let main = module.find_function("sg0000").unwrap();
    let set = main.add_set(&format!("{name}_set"), TensorKind::Const, Dtype::float32, Place::End)?.object;
    set.set_file(file)?;
    set.add_location(name, MemoryType::DRAM, Place::End)?.object.set_dims(&[16])?;
    Ok(())
}

fn file(name: &str) -> Result<Vec<u8>> {
    match name {
        "a.bin" | "b.bin" => Ok(vec![7; 16]),
        "c.bin" => Ok(vec![8; 16]),
        _ => Err(Error::new(ErrorCode::Io, format_args!("{name}: no such file"))),
    }
}

#[test]
fn a_module_with_equal_constants_stores_them_once() -> Result<()> {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json")).unwrap();
    let module = read_json(&text, &ReadOptions::default())?.module;
    for (name, file) in [("wa", "a.bin"), ("wb", "b.bin"), ("wc", "c.bin")] {
        add_constant(&module, name, file)?;
    }
    let options = PackOptions { name: "scale_add".into(), ..PackOptions::default() };
    let packed = pack_module(&module, &mut |n| file(n), &options)?;
    assert_eq!((packed.report.unique_files, packed.report.saved_bytes), (2, 16));
    let stored: Vec<&str> = packed.report.constants.iter().map(|c| c.stored_as.as_str()).collect();
    assert_eq!(stored, ["a.bin", "a.bin", "c.bin"]);
    assert_eq!(
        (packed.report.inputs.as_slice(), packed.report.outputs.as_slice()),
        (&["src".into()][..], &["dst".into()][..])
    );
    assert_eq!(pack_module(&module, &mut |n| file(n), &options)?.bytes, packed.bytes);
    let package = Package::open(&packed.bytes, Options::default())?;
    assert!(package.member("sg00/b.bin").is_none());
    assert_eq!(package.member("sg00/a.bin"), Some(&[7; 16][..]));
    assert_eq!(bir_core::neff::descriptors::check(&package), []);
    let inside = read_json(package.member("sg00/bir.json").unwrap(), &ReadOptions::default())?.module;
    let set = inside.find_function("sg0000").unwrap().find_set("wb_set").unwrap();
    assert_eq!(set.file(), "a.bin");
    Ok(())
}

#[test]
fn a_missing_or_unsafe_file_stops_the_packager() -> Result<()> {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/minmax.bir.json")).unwrap();
    let module = read_json(&text, &ReadOptions::default())?.module;
    add_constant(&module, "w", "gone.bin")?;
    let error = pack_module(&module, &mut |n| file(n), &PackOptions::default()).unwrap_err();
    assert_eq!((error.code, error.path.as_str()), (ErrorCode::Io, "constant `w_set`"));
    module.find_function("sg0000").unwrap().find_set("w_set").unwrap().set_file("../a.bin")?;
    assert_eq!(
        pack_module(&module, &mut |n| file(n), &PackOptions::default()).unwrap_err().code,
        ErrorCode::UnsafePath
    );
    Ok(())
}

#[test]
fn constants_that_a_runtime_reads_otherwise_are_told() -> Result<()> {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json")).unwrap();
    let module = read_json(&text, &ReadOptions::default())?.module;
    for name in ["good", "raw", "version2", "big", "cut", "short", "long_header"] {
        add_constant(&module, name, &format!("{name}.npy"))?;
    }
    let npy = |descr: &str, count: u64| {
        let header = bir_core::consts::npy::header("<f4", &[count]).unwrap();
        let header = String::from_utf8_lossy(&header[10..]).replace("<f4", descr);
        [
            &b"\x93NUMPY\x01\x00"[..],
            &(header.len() as u16).to_le_bytes(),
            header.as_bytes(),
            &vec![0; 4 * count as usize],
        ]
        .concat()
    };
    let mut files = |name: &str| {
        let mut file = npy(if name == "big.npy" { ">f4" } else { "<f4" }, if name == "short.npy" { 3 } else { 4 });
        match name {
            "raw.npy" => file = vec![1; 16],
            "cut.npy" => file.truncate(40),
            "version2.npy" => {
                file[6] = 2;
                file.splice(10..10, [0, 0]);
            }
            "long_header.npy" => {
                file.splice(127..127, [b' '; 900]);
                file[8..10].copy_from_slice(&1018_u16.to_le_bytes());
            }
            _ => {}
        }
        Ok(file)
    };
    let report = pack_module(&module, &mut files, &PackOptions::default())?.report;
    let warnings: Vec<&str> = report.warnings.iter().filter_map(|w| w.strip_prefix("constant ")).collect();
    assert_eq!(
        warnings,
        [
            "`version2`: version2.npy: unsupported NPY version: expected 1.0, the only one that the runtime reads, found 2.0 (byte 6)",
            "`version2`: version2.npy: the data has another size than the tensor: expected 16 bytes, found 18",
            "`big`: big.npy: unsupported NPY byte order: expected little-endian (`<`), found >f4",
            "`cut`: cut.npy: truncated NPY header: expected 128 bytes, found 40 bytes (byte 40)",
            "`cut`: cut.npy: the data has another size than the tensor: expected 16 bytes, found 40",
            "`short`: short.npy: the data has another size than the tensor: expected 16 bytes, found 12",
        ]
    );
    Ok(())
}

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

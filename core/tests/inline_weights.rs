//! From a model directory and a module to constants of that module, and on to a package.
#![cfg(feature = "std")]

use bir_core::consts::npy::{NpyWriter, header};
use bir_core::consts::weights::{ModelFiles, TENSOR_CLASS};
use bir_core::doc::{ReadOptions, WriteOptions, read_json, write_json};
use bir_core::enums::bir::{Dtype, MemoryType, TensorClass, TensorKind};
use bir_core::host::model_dir::ModelDir;
use bir_core::inline_weights::inline_weights;
use bir_core::ir::{Module, ModuleRef, Place};
use bir_core::neff::{Options, Package};
use bir_core::pack::{PackOptions, pack_module};
use bir_core::{ErrorCode, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// A model directory on the disk, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weights-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("weights")).unwrap();
        fs::write(path.join("graph.hlo"), "").unwrap();
        Folder(path)
    }

    fn metadata(&self, weights: &str) -> Vec<u8> {
        let text = format!(r#"{{"model_files": "graph.hlo", "version": "1.0", "weights": {{{weights}}}}}"#);
        fs::write(self.0.join("metadata.json"), text).unwrap();
        ModelDir::new(&self.0).metadata().unwrap()
    }

    fn npy(&self, name: &str, dtype: &str, shape: &[u64], data: &[u8]) {
        let mut writer = NpyWriter::for_dtype(Vec::new(), dtype, shape).unwrap();
        writer.write(data).unwrap();
        fs::write(self.0.join(name), writer.finish().unwrap()).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Inputs `x`, `w`, `b` of three kinds, a result, and a constant; in two functions.
fn module() -> Result<Module> {
    let module = Module::new()?;
    let add = |function: &str, name: &str, kind, dtype, memory, shape: &[u64]| -> Result<()> {
        let function = match module.find_function(function) {
            Some(found) => found,
            None => module.add_function(function, Place::End)?.object,
        };
        let set = function.add_set(&format!("{name}_set"), kind, dtype, Place::End)?.object;
        set.set_tensor_shape(shape)?;
        let width = if dtype == Dtype::bfloat16 { 2 } else { 4 };
        let bytes = shape.iter().product::<u64>() as u32 * width;
        set.add_location(name, memory, Place::End)?.object.set_dims(&[bytes])
    };
    add("main", "x", TensorKind::ExternalInput, Dtype::float32, MemoryType::DRAM, &[4])?;
    add("main", "y", TensorKind::ExternalOutput, Dtype::float32, MemoryType::DRAM, &[4])?;
    add("main", "w", TensorKind::ExternalInputParameter, Dtype::bfloat16, MemoryType::DRAM, &[2, 3])?;
    add("main", "k", TensorKind::Const, Dtype::float32, MemoryType::DRAM, &[1])?;
    add("main", "s", TensorKind::Internal, Dtype::float32, MemoryType::SB, &[4])?;
    add("other", "sb", TensorKind::ExternalInput, Dtype::float32, MemoryType::SB, &[4])?;
    Ok(module)
}

fn text(module: &ModuleRef) -> Vec<u8> {
    let mut out = Vec::new();
    write_json(module, &mut out, &WriteOptions::default()).unwrap();
    out
}

#[test]
fn parameters_become_constants_that_pack() -> Result<()> {
    let folder = Folder::new("good");
    folder.npy("weights/w.npy", "bfloat16", &[2, 3], &[7; 12]);
    let module = module()?;
    let metadata = folder.metadata(r#""1": "./weights/w.npy""#);
    let plan = inline_weights(&module, &metadata, &mut ModelDir::new(&folder.0))?;
    assert_eq!((plan.problems.as_slice(), plan.renumbered.as_slice()), (&[][..], &[Some(0), None, Some(1)][..]));
    let set = module.find_function("main").unwrap().find_set("w_set").unwrap();
    assert_eq!((set.kind()?, set.tensor_class()?), (TensorKind::Const, TensorClass::ImmutableParameter));
    assert_eq!((&*set.file(), set.tensor_class()?.name()), ("weights/w.npy", TENSOR_CLASS));
    assert_eq!(module.find_function("main").unwrap().find_set("x_set").unwrap().kind()?, TensorKind::ExternalInput);

    // What is written reads back, and packs with the files of the directory.
    let again = read_json(&text(&module), &ReadOptions::default())?.module;
    assert_eq!(text(&again), text(&module));
    let packed = pack_module(&again, &mut |name| Ok(fs::read(folder.0.join(name)).unwrap()), &PackOptions::default())?;
    assert_eq!(packed.report.inputs, ["x", "sb"]);
    let package = Package::open(&packed.bytes, Options::default())?;
    let stored = package.member("sg00/weights/w.npy").unwrap();
    assert_eq!(stored[stored.len() - 12..], [7; 12]);
    assert_eq!(bir_core::neff::descriptors::check(&package), []);

    // The numbers are now others, so the same directory is about another tensor.
    let plan = inline_weights(&again, &metadata, &mut ModelDir::new(&folder.0))?;
    assert_eq!(plan.problems[0].parameter, "sb_set");
    Ok(())
}

/// Kernels of front ends have all their tensors in memory of type Input; constants are in DRAM.
#[test]
fn boundary_tensors_of_kernels_move_to_dram() -> Result<()> {
    let folder = Folder::new("kernel");
    folder.npy("src.npy", "float32", &[10, 10], &[1; 400]);
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json");
    let module = read_json(&fs::read(document).unwrap(), &ReadOptions::default())?.module;
    let plan = inline_weights(&module, &folder.metadata(r#""0": "src.npy""#), &mut ModelDir::new(&folder.0))?;
    assert!(plan.is_good(), "{:?}", plan.problems);
    assert_eq!(plan.constants[0].name, "src_set", "`dst`, before it, is written and never read: a result");
    assert!(plan.warnings[0].to_string().contains("taken as an output"));
    let set = module.functions().find_map(|function| function.find_set("src_set")).unwrap();
    assert_eq!(set.locations().next().unwrap().memory_type()?, MemoryType::DRAM);
    assert!(read_json(&text(&module), &ReadOptions::default()).is_ok());
    Ok(())
}

#[test]
fn a_problem_leaves_the_module_as_it_was() -> Result<()> {
    let folder = Folder::new("bad");
    folder.npy("weights/w.npy", "bfloat16", &[2, 3], &[7; 12]);
    folder.npy("weights/x.npy", "float32", &[4], &[7; 16]);
    let module = module()?;
    let before = text(&module);
    for (weights, ids) in [
        (r#""1": "weights/w.npy", "0": "weights/w.npy""#, &["NCC_INL001", "NCC_INL002"][..]),
        (r#""1": "weights/w.npy", "2": "weights/x.npy""#, &["program"]),
        (r#""1": "weights/w.npy", "3": "weights/x.npy""#, &["parameter_number"]),
        (r#""1": "weights/w.npy", "0": "weights""#, &["weight_file"]),
        (r#""1": "weights/w.npy", "0": "weights/none.npy""#, &["weight_file"]),
        (r#""1": "weights/w.npy", "0": "graph.hlo""#, &["npy_magic"]),
        (r#""1": "weights/w.npy", "0": 0"#, &["metadata"]),
    ] {
        let plan = inline_weights(&module, &folder.metadata(weights), &mut ModelDir::new(&folder.0))?;
        assert_eq!(plan.problems.iter().map(|problem| problem.kind.id()).collect::<Vec<_>>(), ids);
        assert_eq!(text(&module), before);
    }
    Ok(())
}

/// What is written by the program is no constant.
#[test]
fn a_written_parameter_is_refused() -> Result<()> {
    let folder = Folder::new("written");
    folder.npy("w.npy", "float32", &[10, 10], &[1; 400]);
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/bir/scale_add.bir.json");
    let module = read_json(&fs::read(document).unwrap(), &ReadOptions::default())?.module;
    let dst = module.functions().find_map(|function| function.find_set("dst_set")).unwrap();
    dst.set_kind(TensorKind::ExternalInput);
    let plan = inline_weights(&module, &folder.metadata(r#""0": "w.npy""#), &mut ModelDir::new(&folder.0))?;
    assert_eq!(
        plan.problems[0].to_string(),
        "parameter 0 (`dst_set`): the parameter cannot be a constant: expected a tensor that the program only reads, \
         found one that it writes"
    );
    assert_eq!(dst.kind()?, TensorKind::ExternalInput);
    Ok(())
}

/// Of a weight only the header is read: this one has 4 TB, on a disk that never saw them.
#[test]
fn headers_of_any_length_are_read_and_the_data_is_not() -> Result<()> {
    let folder = Folder::new("large");
    let mut dir = ModelDir::new(&folder.0);
    let file = fs::File::create(folder.0.join("huge.npy")).unwrap();
    let head = header("<f4", &[1 << 40]).unwrap();
    std::io::Write::write_all(&mut &file, &head).unwrap();
    // Not every file system takes so large a file; that is not what this is about.
    if file.set_len(head.len() as u64 + (1 << 42)).is_ok() {
        assert_eq!(dir.npy("huge.npy")?.data_bytes, 1 << 42);
    }
    file.set_len(1 << 20).unwrap();
    let error = dir.npy("huge.npy").unwrap_err();
    assert_eq!((error.message.as_str(), error.found.as_str()), ("NPY data too short", "1048448 bytes"));
    for length in [60u16, 119, 500, 503, 4000, 65535] {
        let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}";
        let padding = " ".repeat(usize::from(length) - text.len());
        let mut file = [&b"\x93NUMPY\x01\0"[..], &length.to_le_bytes(), text.as_bytes(), padding.as_bytes()].concat();
        file.extend_from_slice(&[1, 2]);
        fs::write(folder.0.join("long.npy"), &file).unwrap();
        assert_eq!(dir.npy("long.npy")?.data_offset, 10 + usize::from(length));
        fs::write(folder.0.join("long.npy"), &file[..usize::from(length)]).unwrap();
        assert_eq!(dir.npy("long.npy").unwrap_err().message, "truncated NPY header", "{length}");
    }
    fs::write(folder.0.join("empty.npy"), "").unwrap();
    assert_eq!(dir.npy("empty.npy").unwrap_err().found, "an empty file");
    assert_eq!(dir.npy("weights").unwrap_err().code, ErrorCode::WrongKind);
    assert_eq!((dir.exists("graph.hlo")?, dir.exists("weights")?, dir.exists("none")?), (true, false, false));
    let error = dir.metadata().unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::NotFound, "Please ensure metadata.json exists and has read permissions. the file does not exist")
    );
    Ok(())
}

/// A module whose memory ends at any point of the step is as before.
#[test]
fn running_out_of_memory_changes_nothing() -> Result<()> {
    let folder = Folder::new("memory");
    let long = "w".repeat(200);
    folder.npy(&format!("weights/{long}.npy"), "bfloat16", &[2, 3], &[7; 12]);
    folder.npy(&format!("weights/x{long}.npy"), "float32", &[4], &[7; 16]);
    let metadata = folder.metadata(&format!(r#""1": "weights/{long}.npy", "0": "weights/x{long}.npy""#));
    let module = module()?;
    let main = module.find_function("main").unwrap();
    main.find_set("x_set").unwrap().set_file(&"an earlier file ".repeat(4))?;
    main.find_set("w_set").unwrap().set_file("earlier")?;
    let before = text(&module);
    let arena = module.arena()?;
    let mut refused = 0;
    loop {
        arena.fail_after(Some(refused));
        let result = inline_weights(&module, &metadata, &mut ModelDir::new(&folder.0));
        arena.fail_after(None);
        match result {
            Ok(plan) => {
                assert!(plan.is_good());
                break;
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::OutOfMemory);
                assert!(text(&module) == before);
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 2, "one text per set");
    assert!(text(&module) != before);
    Ok(())
}

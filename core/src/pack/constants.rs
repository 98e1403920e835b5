//! The constants of a module by their contents, so that whoever keeps compiled programs can say which input is another one
//! than last time. Nothing here depends on where files lie or what their names are.
#![forbid(unsafe_code)]

use super::{PackReport, Role, Variable, each_variable};
use crate::consts::digest::{Md5, Running};
use crate::consts::join_key;
use crate::consts::key::location_key;
use crate::enums::bir::{Dtype, MemoryType};
use crate::fallible::{copy, push};
use crate::ir::ModuleRef;
use crate::neff::path::safe_member_path;
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;

/// A constant of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleConstant {
    /// Variable: the location's name, as it is in a package.
    pub variable: String,
    /// The set that names the file.
    pub set: String,
    /// The file, a relative path that stays below its folder.
    pub file: String,
    /// Element type of the tensor.
    pub dtype: Dtype,
    /// Where the location lies.
    pub memory_type: MemoryType,
}

/// A constant and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantDigest {
    /// The constant.
    pub constant: ModuleConstant,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// MD5, element type and memory type (`spec/consts.md` section 6.1).
    pub key: String,
}

/// The contents of all constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantsDigest {
    /// The constants, in module order.
    pub constants: Vec<ConstantDigest>,
    /// One digest of them all, see [`constants_digest`].
    pub digest: Md5,
}

/// The constants that come from files, in module order (`spec/consts.md` section 6.4).
///
/// # Errors
/// `UnsafePath` for a file name that leaves its folder, at the constant's set; `OutOfMemory`.
pub fn module_constants(module: &ModuleRef) -> Result<Vec<ModuleConstant>> {
    let mut constants = Vec::new();
    each_variable(module, &mut PackReport::default(), &mut |_, variable| {
        let Variable { role: Role::Constant, name, set, location } = variable else { return Ok(()) };
        let file = set.file();
        let safe = safe_member_path(&file).map_err(|e| place(e, &set.name()))?;
        let constant = ModuleConstant {
            variable: name,
            set: copy(&set.name())?,
            file: copy(safe)?,
            dtype: set.dtype()?,
            memory_type: location.memory_type()?,
        };
        push(&mut constants, constant)
    })?;
    Ok(constants)
}

/// Size and key of each constant of a module, and one digest of all. `file` is called with the name of each constant's file, in
/// module order, and returns its size in bytes and the MD5 of its bytes.
///
/// # Errors
/// What `file` reports, at the constant's set; as [`module_constants`].
pub fn digest_constants(
    module: &ModuleRef,
    file: &mut dyn FnMut(&str) -> Result<(u64, Md5)>,
) -> Result<ConstantsDigest> {
    let mut constants = Vec::new();
    for constant in module_constants(module)? {
        let (bytes, md5) = file(&constant.file).map_err(|e| place(e, &constant.set))?;
        let key = join_key(&md5, &location_key(constant.dtype.name(), constant.memory_type.name()));
        push(&mut constants, ConstantDigest { constant, bytes, key })?;
    }
    let digest = constants_digest(constants.iter().map(|constant| constant.key.as_str()));
    Ok(ConstantsDigest { constants, digest })
}

/// One digest for many keys, given in module order: the MD5 of the keys, each ended by a line feed.
pub fn constants_digest<'k>(keys: impl IntoIterator<Item = &'k str>) -> Md5 {
    let mut running = Running::new();
    for key in keys {
        running.update(key.as_bytes());
        running.update(b"\n");
    }
    running.finish()
}

fn place(error: Error, set: &str) -> Error {
    error.at(format_args!("constant `{set}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;
    use crate::consts::digest::{hex, md5};
    use crate::doc::{ReadOptions, read_json};
    use std::format;
    use std::string::ToString;

    /// A module with a constant per (set, file, dtype), in two functions.
    fn module(constants: &[(&str, &str, &str)]) -> crate::ir::Module {
        let sets: Vec<String> = constants
            .iter()
            .map(|(name, file, dtype)| {
                format!(
                    r#"{{"Skind": "memory_location_set", "addr_space": "Local", "dtype": "{dtype}", "file": "{file}",
                    "kind": "Const", "memorylocations": [{{"Skind": "memory_location", "addr": 0, "allocated": true,
                    "bank": 0, "base": 0, "dims": [1, 4], "name": "{name}_loc", "pinned": false, "tensor_id": 0,
                    "type": "DRAM"}}], "name": "{name}", "partition_dim": 0, "tensor_shape": [4]}}"#
                )
            })
            .collect();
        let (first, second) = sets.split_at(sets.len() / 2);
        let function = |name: &str, sets: &[String]| {
            format!(r#"{{"name": "{name}", "allocations": [{}], "blocks": []}}"#, sets.join(", "))
        };
        let functions = [function("f", first), function("g", second)].join(", ");
        let text = format!(r#"{{"version": 2, "arch": "gen3", "functions": [{functions}]}}"#);
        read_json(text.as_bytes(), &ReadOptions::default()).unwrap().module
    }

    #[test]
    fn in_module_order_by_contents_alone() {
        let module = module(&[("b", "./z.bin", "float32"), ("a", "y.bin", "uint8"), ("c", "z.bin", "float32")]);
        let mut asked = Vec::new();
        let mut file = |name: &str| {
            asked.push(name.to_string());
            Ok((4, md5(b"1234")))
        };
        let digest = digest_constants(&module, &mut file).unwrap();
        assert_eq!(asked, ["z.bin", "y.bin", "z.bin"]);
        let variables: Vec<&str> = digest.constants.iter().map(|c| c.constant.variable.as_str()).collect();
        assert_eq!(variables, ["b_loc", "a_loc", "c_loc"]);
        let keys: Vec<&str> = digest.constants.iter().map(|c| c.key.as_str()).collect();
        let md5_of = "81dc9bdb52d04dc20036dbd8313ed055";
        assert_eq!(
            keys,
            [format!("{md5_of}float32DRAM"), format!("{md5_of}uint8DRAM"), format!("{md5_of}float32DRAM")]
        );
        let joined = keys.iter().map(|key| format!("{key}\n")).collect::<String>();
        assert_eq!(hex(&digest.digest), hex(&md5(joined.as_bytes())));
        // Names of files do not count, contents do.
        let renamed = self::module(&[("b", "p", "float32"), ("a", "q", "uint8"), ("c", "r", "float32")]);
        assert_eq!(digest_constants(&renamed, &mut |_| Ok((4, md5(b"1234")))).unwrap().digest, digest.digest);
        assert_ne!(digest_constants(&renamed, &mut |_| Ok((4, md5(b"1235")))).unwrap().digest, digest.digest);
        assert_eq!(digest_constants(&self::module(&[]), &mut |_| Ok((0, md5(b"")))).unwrap().digest, md5(b""));
    }

    #[test]
    fn errors_name_the_set() {
        let error = digest_constants(&module(&[("w", "../w.bin", "int8")]), &mut |_| Ok((0, md5(b"")))).unwrap_err();
        assert_eq!(
            (error.code, error.path.contains("w.bin") || error.path.contains('w')),
            (ErrorCode::UnsafePath, true)
        );
        let mut broken = |_: &str| Err(Error::new(ErrorCode::Io, "gone"));
        let error = digest_constants(&module(&[("w", "w.bin", "int8")]), &mut broken).unwrap_err();
        assert_eq!(error.to_string(), "constant `w`: gone");
    }
}

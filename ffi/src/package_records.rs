//! Packages piece by piece: handles, options and records

use crate::handle::{Constants, DedupFiles, PackageReader, PackageWriter};
use crate::types::{bir_status, bir_string, opaque};
use core::ffi::{c_char, c_void};
use core::ptr;

/// The parts of a package to be written.
pub struct bir_package_writer {
    _private: [u8; 0],
}
opaque!(bir_package_writer, handle PackageWriter, "package writer");

/// What a package says of itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_writer_options {
    /// sizeof(bir_package_writer_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// BIR_COMPRESSION_*; BAD_VALUE for another number.
    pub compression: i32,
    /// Fill the payload up with zeros to whole records of 10240 bytes.
    pub pad_payload: u8,
    /// Feature bits of the program (spec/neff.md section 3); those that follow from the contents are added.
    pub feature_bits: u64,
    /// `tool_version` of `info.json`.
    pub tool_version: bir_string,
    /// Build version in the header, cut to 127 bytes.
    pub build_version: bir_string,
    /// 16 bytes, the identity of the program; NULL for one that is derived from the payload (spec/neff.md section 2.2).
    pub uuid: *const u8,
}

impl Default for bir_package_writer_options {
    fn default() -> Self {
        bir_package_writer_options {
            size: 0,
            compression: crate::pack::BIR_COMPRESSION_ZLIB,
            pad_payload: 0,
            feature_bits: 0,
            tool_version: bir_string::default(),
            build_version: bir_string::default(),
            uuid: ptr::null(),
        }
    }
}

/// An input or output of a program. It is only read while the function runs that it is given to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_tensor {
    /// Name, unique among all variables; inputs of several logical cores may be one.
    pub name: bir_string,
    /// The Dtype: BIR_DTYPE_*.
    pub dtype: i32,
    /// Dimensions, outermost first; NULL for a scalar.
    pub shape: *const u64,
    /// Their number, at most 32.
    pub rank: usize,
    /// Size in bytes.
    pub bytes: u64,
}

/// A DMA queue set (spec/neff.md section 8.4). It is only read while the function runs that it is given to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_queue {
    /// Name, unique in the physical core.
    pub name: bir_string,
    /// What it is for: BIR_PACKAGE_QUEUE_*.
    pub kind: i32,
    /// The engine that triggers it: BIR_ENGINE_TYPE_*, of which UNASSIGNED, DMA and ALL have no files in a package and are
    /// BAD_VALUE.
    pub owner: i32,
    /// Number of the semaphore that it signals; -1 for none, as pinned weights have.
    pub semaphore: i64,
    /// Number of hardware queues, 1 to 16.
    pub num_queues: u32,
}

/// A constant of a physical core. Several may share a file. It is only read while the function runs that it is given to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_constant {
    /// Name of the variable.
    pub variable: bir_string,
    /// Name of the file in the folder of the core: `w.npy` is the member `sg00/w.npy` of core 0.
    pub file_name: bir_string,
    /// Size of the data in bytes, without an NPY header.
    pub bytes: u64,
    /// Alignment on the device in bytes, a power of two; 0 for none.
    pub alignment: u64,
    /// Where it starts in the data of the file, in bytes.
    pub offset: u64,
}

/// A variable of a physical core (spec/neff.md section 8.4). It is only read while the function runs that it is given to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_variable {
    /// Name, unique in the physical core.
    pub name: bir_string,
    /// What it is: BIR_VARIABLE_*.
    pub kind: i32,
    /// For BIR_VARIABLE_VIRTUAL, non-zero if it lies in the memory that cores share instead of that of its core.
    pub sharded: u8,
    /// Size in bytes; pointers, lists and tables have none of their own.
    pub bytes: u64,
    /// Alignment on the device in bytes, a power of two; 0 for none.
    pub alignment: u64,
    /// For BIR_VARIABLE_FILE where it starts in the data of the file, for BIR_VARIABLE_VIRTUAL in the shared memory, in bytes.
    pub offset: u64,
    /// For BIR_VARIABLE_FILE the name of the file in the folder of the core.
    pub file_name: bir_string,
    /// Names of the variables that it refers to: one of a pointer, any number of a list or table.
    pub references: *const bir_string,
    /// Their number.
    pub reference_count: usize,
}

/// Gives bytes of a member from offset on: at most size bytes into buffer, and their number into *count, which is 0 before; 0
/// stands for the end. The same offset gives the same bytes each time. user is what the caller gave with it. Called by the
/// thread that writes. For the result see "Callbacks" above.
pub type bir_read_at_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        offset: u64,
        buffer: *mut c_char,
        size: usize,
        count: *mut usize,
    ) -> bir_status,
>;

/// Told how far a package is: bytes of total. Called by the thread that writes, about once per 256 KiB. To stop, return
/// BIR_STATUS_CANCELLED. See "Callbacks" above.
pub type bir_bytes_callback = Option<unsafe extern "C" fn(user: *mut c_void, bytes: u64, total: u64) -> bir_status>;

/// How a package is written. None of it changes a byte.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_package_write_options {
    /// sizeof(bir_package_write_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// The most threads that work; 0 for as many as the machine has cores.
    pub threads: u32,
    /// Told of the progress, and can stop the writing; NULL for nobody.
    pub progress: bir_bytes_callback,
    /// Given to progress.
    pub progress_user: *mut c_void,
}

impl Default for bir_package_write_options {
    fn default() -> Self {
        bir_package_write_options { size: 0, threads: 0, progress: None, progress_user: ptr::null_mut() }
    }
}

/// An MD5 digest.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_digest {
    /// Its bytes, in the order of the digits of its text.
    pub bytes: [u8; 16],
}

/// A package on its way in, member by member.
pub struct bir_package_reader {
    _private: [u8; 0],
}
opaque!(bir_package_reader, handle PackageReader, "package reader");

/// How a package is read that is not in memory, and what it may ask for. Beyond a limit the error is LIMIT_EXCEEDED.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_package_reader_options {
    /// sizeof(bir_package_reader_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Do not compare the header's digest with the payload. Of an uncompressed file, what is not asked for is not read then.
    pub ignore_hash: u8,
    /// The most bytes that a compressed payload may unpack to; 0 for 8 GiB.
    pub max_unpacked_bytes: u64,
    /// The most times its own size that a compressed payload may unpack to, beyond ratio_free_bytes; 0 for 300.
    pub max_ratio: u64,
    /// So many bytes may come out of a payload of any size; 0 for 1 GiB.
    pub ratio_free_bytes: u64,
    /// The most members and directories; 0 for 1000000.
    pub max_members: u64,
    /// The most bytes that the names of all members have together, which are kept in memory; 0 for 64 MiB.
    pub max_names_bytes: u64,
}

/// What bir_dedup_files() found.
pub struct bir_dedup_report {
    _private: [u8; 0],
}
opaque!(bir_dedup_report, handle DedupFiles, "report of a de-duplication");

/// How files are compared.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_dedup_files_options {
    /// sizeof(bir_dedup_files_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Threads that work; 0 for as many as the machine has cores. No result depends on it.
    pub threads: u32,
    /// Whether dtype counts. Without it, the element type is what an NPY header states, else uint8.
    pub has_dtype: u8,
    /// Give every file its key. Otherwise only those get one that have an equal, since the others need not be read.
    pub keys: u8,
    /// The Dtype of all files: BIR_DTYPE_*.
    pub dtype: i32,
    /// The MemoryType of all files: BIR_MEMORY_TYPE_*; 0 for DRAM.
    pub memory_type: i32,
}

/// What became of a file. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_deduped_file {
    /// The path as text; bytes that are none are written as \xff.
    pub name: bir_string,
    /// The path, in the bytes of the system.
    pub path: bir_string,
    /// Size in bytes.
    pub bytes: u64,
    /// Its key, see bir_dedup_key(); absent if it has no equal and not every key was asked for.
    pub key: bir_string,
    /// The index of the file that stands for it: itself, or an earlier one.
    pub stored_as: usize,
    /// 1 if an earlier file stands for it.
    pub matched: u8,
}

/// Something that was not compared. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_dedup_problem {
    /// The path, in the bytes of the system.
    pub path: bir_string,
    /// Why: BIR_STATUS_*; OK for what was left out as no file, e.g. a link within a folder.
    pub status: bir_status,
    /// The same in words, and what it is.
    pub message: bir_string,
}

/// What bir_module_constants_digest() found.
pub struct bir_constants_report {
    _private: [u8; 0],
}
opaque!(bir_constants_report, handle Constants, "report of constants");

/// A constant and its contents. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_constant_digest {
    /// The variable: the location's name, as it is in a package.
    pub variable: bir_string,
    /// The set that names the file.
    pub set: bir_string,
    /// The file.
    pub file: bir_string,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Digest of the contents, element type and memory type, see bir_dedup_key().
    pub key: bir_string,
}

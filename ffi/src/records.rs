//! Handles, options and records

use crate::handle::{Buffer, FileSink, Findings, LoadReport, LowerReport, OpenPackage, Packed, Session};
use crate::types::{bir_bytes, bir_status, bir_string, opaque};
use bir_core::diff::Changes;
use bir_core::ir::Difference;
use bir_core::pass::cse::CseReport;
use core::ffi::{c_char, c_void};

/// Bytes that the library made: a document or a package.
pub struct bir_buffer {
    _private: [u8; 0],
}
opaque!(bir_buffer, handle Buffer, "buffer");

/// What was noticed while a document was read.
pub struct bir_load_report {
    _private: [u8; 0],
}
opaque!(bir_load_report, handle LoadReport, "load report");

/// How a document is read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_read_options {
    /// sizeof(bir_read_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Renames, unknown keys and bare edges are errors instead of warnings.
    pub strict: u8,
    /// Levels of nested arrays and objects; 0 for 128. Values above 1024 count as that.
    pub max_depth: u32,
    /// Bytes of one string in the text; 0 for 64 MiB.
    pub max_string_bytes: u64,
    /// Bytes of the module's memory (bir_module_set_memory_limit()); 0 for no limit.
    pub max_module_bytes: u64,
    /// Warnings kept, later ones are only counted; 0 for 1000.
    pub max_warnings: u32,
    /// Elements of one array, or members of one object; 0 for 2^28.
    pub max_elements: u64,
    /// Bytes of a file or stream held in memory at a time: for JSON at least the largest instruction or storage, and what
    /// stands in an order that makes it wait; for CBOR all of it. 0 for 1 GiB.
    pub max_buffer_bytes: u64,
    /// Told of the progress, and can stop the reading; NULL for nobody.
    pub progress: bir_progress_callback,
    /// Given to progress.
    pub progress_user: *mut c_void,
}

impl Default for bir_read_options {
    fn default() -> Self {
        bir_read_options {
            size: 0,
            strict: 0,
            max_depth: 0,
            max_string_bytes: 0,
            max_module_bytes: 0,
            max_warnings: 0,
            max_elements: 0,
            max_buffer_bytes: 0,
            progress: None,
            progress_user: core::ptr::null_mut(),
        }
    }
}

/// Gives the next piece of a document: at most size bytes into buffer, and their number into *count, which is 0 before; 0
/// stands for the end. user is what the caller gave with it. For the result see "Callbacks" above.
pub type bir_read_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, buffer: *mut c_char, size: usize, count: *mut usize) -> bir_status>;

/// Told how far the reading of a document is: bytes of total (0 if that is not known), and instructions read so far. Called at
/// the start, about once per MiB, and at the end. To stop, return BIR_STATUS_CANCELLED. See "Callbacks" above.
pub type bir_progress_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: u64, total: u64, instructions: u64) -> bir_status>;

/// Something worth knowing about a document that was read all the same. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_warning {
    /// BIR_WARNING_KIND_*.
    pub kind: i32,
    /// Line in the text, from 1; 0 in CBOR.
    pub line: u32,
    /// Column, in bytes, from 1; 0 in CBOR.
    pub column: u32,
    /// Offset, in bytes, from 0.
    pub offset: u64,
    /// Where: a document path.
    pub path: bir_string,
    /// What was found and done.
    pub message: bir_string,
}

/// What was noticed while kernels were lowered.
pub struct bir_lower_report {
    _private: [u8; 0],
}
opaque!(bir_lower_report, handle LowerReport, "report of a lowering");

/// How a kernel is lowered.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_lower_options {
    /// sizeof(bir_lower_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// BIR_ARCH_LEVEL_* of a new module; 0 for gen3.
    pub arch: i32,
    /// Whether core_id counts. Without it, a kernel of several bodies is an error.
    pub has_core_id: u8,
    /// Warnings are errors, and the strict reading is taken where there is a lenient one.
    pub strict: u8,
    /// copyPredicated takes its reversePred, which 2.24 does not read.
    pub reverse_pred: u8,
    /// KLR files with a byte for each proof field are accepted, as the unmodified C++ writer leaves them.
    pub proof_bytes: u8,
    /// The neuron core: its number chooses the body of the kernel.
    pub core_id: u32,
    /// Diagnostics kept, later ones are only counted; 0 for 1000.
    pub max_diagnostics: u32,
}

/// What is wrong with a kernel, and where. Texts lie in the report; the empty text stands for what there is not.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_diagnostic {
    /// BIR_SEVERITY_*.
    pub severity: i32,
    /// Line in the source of the kernel; 0 if there is none.
    pub line: u64,
    /// Column.
    pub column: u64,
    /// The rule: an id of spec/lowering.toml, or our own.
    pub id: bir_string,
    /// What is wrong.
    pub message: bir_string,
    /// The name of the kernel.
    pub kernel: bir_string,
    /// The label of the block.
    pub block: bir_string,
    /// The name of the statement, or # and its number in the block.
    pub statement: bir_string,
    /// The KLR operator.
    pub operator_name: bir_string,
    /// The field of the operator, e.g. `srcs[1].offset`.
    pub field: bir_string,
    /// The source file of the kernel.
    pub file: bir_string,
}

/// How a document is written.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_write_options {
    /// sizeof(bir_write_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// One line without spaces, instead of an indent of two spaces. CBOR has neither.
    pub compact: u8,
    /// Every key, at its default too, and `no_spill` for `do_not_spill`: what older readers insist on.
    pub all_keys: u8,
    /// BIR_DOCUMENT_FORMAT_*.
    pub format: i32,
}

/// How a module is printed for people.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_print_options {
    /// sizeof(bir_print_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Everything: what is at its default too, schedules, debug texts, origins, the kinds of nodes in expressions.
    pub all: u8,
    /// No ids, so that the texts of two modules differ less.
    pub no_ids: u8,
}

/// Takes the next piece of a document or text: len bytes, never 0. user is what the caller gave with it. For the result see
/// "Callbacks" above.
pub type bir_write_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_char, len: usize) -> bir_status>;

/// What a picture of a module shows.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_graph_options {
    /// sizeof(bir_graph_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// BIR_GRAPH_FORMAT_*; BAD_VALUE for another number.
    pub format: i32,
    /// Draw where each location lies in SB and PSUM, instead of what waits for what.
    pub memory: u8,
    /// The largest number of nodes, or of drawn locations; blocks that would exceed it are collapsed. 0 stands for 500;
    /// BAD_VALUE for more than 20000.
    pub max_nodes: u32,
    /// Only the function of that name; if absent all.
    pub function: bir_string,
    /// Only the block of that name, nested ones included; without a function the first one that has it.
    pub block: bir_string,
}

/// A session that finds equal constant files, so that each is stored once (spec/consts.md section 6).
pub struct bir_dedup {
    _private: [u8; 0],
}
opaque!(bir_dedup, handle Session, "de-duplication session");

/// A distinct constant file. Texts and bytes lie in the session.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_const_file {
    /// The name: of equal files the one presented first.
    pub name: bir_string,
    /// The contents.
    pub bytes: bir_bytes,
    /// Digest of the contents, element type and memory type, see bir_dedup_key().
    pub key: bir_string,
}

/// What went into a package.
pub struct bir_pack_report {
    _private: [u8; 0],
}
opaque!(bir_pack_report, handle Packed, "pack report");

/// Takes the bytes of a file from a bir_file_callback, for the time of its call.
pub struct bir_file_sink {
    _private: [u8; 0],
}
opaque!(bir_file_sink, FileSink, "file sink");

/// A file of the caller. It is only read while the function runs that it is given to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_file {
    /// The name: of a constant's file as its set says (bir_set_file()), or of a member.
    pub name: bir_string,
    /// The first byte of the contents.
    pub bytes: *const c_void,
    /// Number of bytes.
    pub size: usize,
}

/// Gives the contents of the constant file name (name_len bytes, no NUL behind them) to the sink, with any number of calls
/// of bir_file_sink_write(). user is what the caller gave with it. NOT_FOUND lets the packager look into const_dir; for
/// other results see "Callbacks" above.
pub type bir_file_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        name: *const c_char,
        name_len: usize,
        sink: *mut bir_file_sink,
    ) -> bir_status,
>;

/// How a module is packaged. The file of a constant is taken from files, then from read_file, then from const_dir; whichever
/// has it first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_pack_options {
    /// sizeof(bir_pack_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// BIR_COMPRESSION_*; BAD_VALUE for another number.
    pub compression: i32,
    /// Model name in the header; if absent `module`. Never taken from a path.
    pub name: bir_string,
    /// Store equal constant files as often as they are named, instead of once (spec/consts.md section 6).
    pub keep_duplicates: u8,
    /// Feature bits of the program (spec/neff.md section 3); those that follow from the contents are added.
    pub feature_bits: u64,
    /// `tool_version` of `info.json`.
    pub tool_version: bir_string,
    /// Name of the member that holds the module; if absent `sg00/bir.json`.
    pub module_member: bir_string,
    /// Constant files in memory.
    pub files: *const bir_file,
    /// Their number.
    pub file_count: usize,
    /// Asked for constant files; NULL for none.
    pub read_file: bir_file_callback,
    /// Handed to read_file.
    pub user: *mut c_void,
    /// Path of the folder with constant files; absent for none. A name that leaves it is UNSAFE_PATH.
    pub const_dir: bir_string,
    /// More members.
    pub members: *const bir_file,
    /// Their number.
    pub member_count: usize,
}

impl Default for bir_pack_options {
    fn default() -> Self {
        let absent = bir_string::default();
        bir_pack_options {
            size: 0,
            compression: crate::pack::BIR_COMPRESSION_ZLIB,
            name: absent,
            keep_duplicates: 0,
            feature_bits: 0,
            tool_version: absent,
            module_member: absent,
            files: core::ptr::null(),
            file_count: 0,
            read_file: None,
            user: core::ptr::null_mut(),
            const_dir: absent,
            members: core::ptr::null(),
            member_count: 0,
        }
    }
}

/// A constant and the file that holds it in the package. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_packed_constant {
    /// The variable: the location's name.
    pub variable: bir_string,
    /// The file that the module names.
    pub file: bir_string,
    /// The file in the package: the first one with these bytes and types.
    pub stored_as: bir_string,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// 1 if it shares its file with an earlier constant.
    pub merged: u8,
}

/// An open package (spec/neff.md).
pub struct bir_package {
    _private: [u8; 0],
}
opaque!(bir_package, handle OpenPackage, "package");

/// What a loader would complain about, see bir_package_check().
pub struct bir_findings {
    _private: [u8; 0],
}
opaque!(bir_findings, handle Findings, "list of findings");

/// How a package is opened.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_open_options {
    /// sizeof(bir_open_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Do not compare the header's digest with the payload.
    pub ignore_hash: u8,
    /// The most bytes that a compressed payload may unpack to; 0 for 8 GiB.
    pub max_unpacked_bytes: u64,
}

/// The header of a package (spec/neff.md section 1.1). The caller sets size before the call.
#[repr(C)]
pub struct bir_package_header {
    /// sizeof(bir_package_header), set by the caller: only members that lie within so many bytes are written. 0 stands for
    /// all.
    pub size: u32,
    /// 1 if the payload is compressed, 0 for a plain tar.
    pub compressed: u8,
    /// Package version, 1 or 2.
    pub pkg_version: u64,
    /// Always 1024.
    pub header_size: u64,
    /// Payload bytes as stored.
    pub data_size: u64,
    /// NEFF version, major part.
    pub neff_version_major: u64,
    /// NEFF version, minor part.
    pub neff_version_minor: u64,
    /// What the loader must implement (spec/neff.md section 3).
    pub feature_bits: u64,
    /// Cores needed for efficient execution.
    pub num_tpb: u32,
    /// Cores asked for at compile time.
    pub requested_tpb_count: u32,
    /// Physical cores per logical core.
    pub lnc_size: u32,
    /// One byte per kelf node.
    pub tpb_per_node: [u8; 64],
    /// Digest of the payload: 16 bytes for package version 2, 32 for version 1.
    pub hash: [u8; 32],
    /// Identity of the program.
    pub uuid: [u8; 16],
    /// Model name. Ends with a NUL, cut between two characters if too long; what is not UTF-8 is replaced.
    pub name: [c_char; 256],
    /// Version of the compiler. As name.
    pub build_version: [c_char; 128],
}

/// A member of a package. The name lies in the package.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_member {
    /// Relative path, safe below any folder.
    pub name: bir_string,
    /// Size of the contents in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// The type byte of the archive header: '0', '7' or NUL, all of which are files.
    pub typeflag: u8,
    /// Owner number.
    pub uid: u64,
    /// Group number.
    pub gid: u64,
    /// Time of last change in seconds since 1970.
    pub mtime: i64,
}

/// Something that a loader would complain about. Texts lie in the findings.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_finding {
    /// What kind of error it is: BIR_STATUS_*.
    pub status: bir_status,
    /// Line in the member, from 1; 0 if there is none.
    pub line: u32,
    /// Column in the member, in bytes, from 1; 0 if there is none.
    pub column: u32,
    /// Offset in the member, in bytes, from 0; 0 if there is none.
    pub offset: u64,
    /// The member and the place in it.
    pub path: bir_string,
    /// What is wrong, what was expected and what was found.
    pub message: bir_string,
}

/// The first difference of two objects.
pub struct bir_difference {
    _private: [u8; 0],
}
opaque!(bir_difference, handle Difference, "difference");

/// What differs. Texts lie in the difference.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_difference_text {
    /// Where, relative to the compared objects, e.g. `functions[0].blocks[1].instructions[4].outs[0]`.
    pub path: bir_string,
    /// What differs: the last key of the path.
    pub what: bir_string,
    /// What the first object has there; `(none)` if nothing.
    pub left: bir_string,
    /// What the second object has there; `(none)` if nothing.
    pub right: bir_string,
}

/// How modules are compared.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct bir_diff_options {
    /// sizeof(bir_diff_options), set by the caller; 0 stands for that.
    pub size: u32,
    /// Changes kept, later ones are only counted; 0 for 10000.
    pub max_changes: u32,
}

/// What changed between two modules. It refers to no object, so it outlives them.
pub struct bir_changes {
    _private: [u8; 0],
}
opaque!(bir_changes, handle Changes, "list of changes");

/// The object of a change in one of the modules. Texts lie in the list of changes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_change_subject {
    /// The name; empty for the module.
    pub name: bir_string,
    /// The document path, e.g. `functions[0].blocks[1].instructions[4]`; empty for the module.
    pub path: bir_string,
    /// The opcode of an instruction; empty for other objects.
    pub opcode: bir_string,
    /// Number of instructions in it that came or went with it.
    pub instructions: usize,
    /// The id, see bir_inst_id(); -1 for the module.
    pub id: i32,
    /// 0 if this module lacks the object; the other members are empty then.
    pub present: u8,
}

/// A change. Texts lie in the list of changes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_change {
    /// The object in the first module.
    pub left: bir_change_subject,
    /// The object in the second module.
    pub right: bir_change_subject,
    /// The field below the object, e.g. `outs[0].pattern[1]`; `name` or `position`; empty if it was added or removed.
    pub field: bir_string,
    /// What the first module has there; `(none)` if nothing.
    pub old_value: bir_string,
    /// What the second module has there; `(none)` if nothing.
    pub new_value: bir_string,
    /// What happened: BIR_CHANGE_*.
    pub what: i32,
    /// To what: BIR_CHANGE_KIND_*.
    pub kind: i32,
}

/// What bir_module_cse() or bir_function_cse() did. It refers to no object, so it outlives the module.
pub struct bir_cse_report {
    _private: [u8; 0],
}
opaque!(bir_cse_report, handle CseReport, "report of a pass");

/// An instruction as it was before the pass. Texts lie in the report.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_cse_subject {
    /// The name.
    pub name: bir_string,
    /// The document path, e.g. `functions[0].blocks[1].instructions[4]`.
    pub path: bir_string,
    /// The id, see bir_inst_id().
    pub id: i32,
}

/// An instruction that was erased, and the one that took its place.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_cse_merge {
    /// What stayed.
    pub survivor: bir_cse_subject,
    /// What was erased.
    pub removed: bir_cse_subject,
}

/// An instruction that computes nothing new but had to stay.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bir_cse_kept {
    /// What stayed.
    pub instruction: bir_cse_subject,
    /// The earlier instruction that computes the same.
    pub same_as: bir_cse_subject,
    /// Why, in words.
    pub text: bir_string,
    /// Why: BIR_CSE_REASON_*.
    pub reason: i32,
}

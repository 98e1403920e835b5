//! Packages

use crate::boundary::{bytes_out, cut, destroy, flag, nothing_at, object, path, put, required, slice, str_out, text};
use crate::files;
use crate::handle::{Findings, OpenPackage};
use crate::klr::{BIR_SEVERITY_ERROR, BIR_SEVERITY_NOTE, BIR_SEVERITY_WARNING};
use crate::records::{bir_finding, bir_findings, bir_member, bir_open_options, bir_package, bir_package_header};
use crate::types::{bir_bytes, bir_error, bir_status};
use bir_core::neff::descriptors::{Severity, check};
use bir_core::neff::header::{Header, verify_hash};
use bir_core::neff::read::{Member, Options};
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};

unsafe fn open_options(given: *const bir_open_options) -> Options {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { options!(given, bir_open_options { ignore_hash, max_unpacked_bytes }) };
    let defaults = Options::default();
    let max_unpacked_bytes = match given.max_unpacked_bytes {
        0 => defaults.max_unpacked_bytes,
        bytes => bytes,
    };
    Options { verify_hash: !flag(given.ignore_hash), max_unpacked_bytes }
}

fn member(package: &OpenPackage, index: usize) -> Result<&Member> {
    package.package().members().get(index).ok_or_else(|| nothing_at("member", index))
}

/// Opens the package in the size bytes at bytes, which are not copied: they must stay as they are until
/// bir_package_destroy(). options may be NULL. BAD_HEADER, UNSUPPORTED, HASH_MISMATCH, BAD_COMPRESSION, LIMIT_EXCEEDED,
/// BAD_ARCHIVE, UNSAFE_PATH or DUPLICATE_NAME for what no loader should take; err tells field and offset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_open(
    bytes: *const c_void,
    size: usize,
    options: *const bir_open_options,
    err: *mut bir_error,
) -> *mut bir_package {
    boundary!(err, handle { OpenPackage::borrowed(slice(bytes.cast(), size)?, open_options(options)) })
}

/// Reads and opens a package, see bir_package_open(). The message of a failure begins with the path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_open_file(
    file: *const c_char,
    file_len: usize,
    options: *const bir_open_options,
    err: *mut bir_error,
) -> *mut bir_package {
    boundary!(err, handle {
        let file = path(file, file_len)?;
        OpenPackage::owned(files::read(file)?, open_options(options)).map_err(|e| files::in_file(file, e))
    })
}

/// Frees the package.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_destroy(package: *mut bir_package) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(package) }
}

/// Copies the header out, as far as out->size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_get_header(
    package: *const bir_package,
    out: *mut bir_package_header,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let package = object(package)?.package();
        required(out)?;
        put_header(out, package.header(), package.is_compressed());
        Ok(())
    })
}

/// Fills a caller's header.
///
/// # Safety
/// - so many bytes may be written as the first member says.
pub unsafe fn put_header(out: *mut bir_package_header, h: &Header, compressed: bool) {
    // SAFETY: by the caller's promise.
    unsafe {
        fill!(
            out,
            bir_package_header {
                compressed: u8::from(compressed),
                pkg_version: h.pkg_version,
                header_size: h.header_size,
                data_size: h.data_size,
                neff_version_major: h.neff_version_major,
                neff_version_minor: h.neff_version_minor,
                feature_bits: h.feature_bits,
                num_tpb: h.num_tpb,
                requested_tpb_count: h.requested_tpb_count,
                lnc_size: h.lnc_size,
                tpb_per_node: h.tpb_per_node,
                hash: h.hash,
                uuid: h.uuid,
                name: cut(Some(h.model_name())),
                build_version: cut(Some(h.build_version())),
            }
        );
    }
}

/// Number of members.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_member_count(
    package: *const bir_package,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(package)?.package().members().len()) })
}

/// The member at index, in file order. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_member(
    package: *const bir_package,
    index: usize,
    out: *mut bir_member,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = member(object(package)?, index)?;
        let &Member { mode, uid, gid, mtime, typeflag, .. } = found;
        let (name, size) = (str_out(&found.name), found.size() as u64);
        put(out, bir_member { name, size, mode, typeflag, uid, gid, mtime })
    })
}

/// The index of the member with that name, which may start with `./`. NOT_FOUND if there is none. Takes time in proportion
/// to the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_find_member(
    package: *const bir_package,
    name: *const c_char,
    name_len: usize,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let name = text(name, name_len)?;
        let plain = name.trim_start_matches("./");
        let found = object(package)?.package().members().iter().position(|m| m.name == plain);
        put(out, found.ok_or_else(|| Error::new(ErrorCode::NotFound, format_args!("there is no member `{name}`")))?)
    })
}

/// The contents of the member at index; they are not copied, and valid as long as the package. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_contents(
    package: *const bir_package,
    index: usize,
    out: *mut bir_bytes,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let package = object(package)?;
        put(out, bytes_out(package.package().contents(member(package, index)?)))
    })
}

/// Compares the header's digest with the payload, which opening does too unless ignore_hash is set. HASH_MISMATCH if they
/// differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_verify(package: *const bir_package, err: *mut bir_error) -> bir_status {
    boundary!(err, {
        let package = object(package)?;
        verify_hash(package.package().header(), package.file())
    })
}

/// Follows every name from the manifest down as a loader does, and says everything that is wrong (spec/neff.md sections 8
/// and 9); no finding means that a loader has nothing to complain about. The findings are the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_check(package: *const bir_package, err: *mut bir_error) -> *mut bir_findings {
    boundary!(err, handle {
        Ok(Findings(check(object(package)?.package()).into_iter().map(Into::into).collect()))
    })
}

/// Number of findings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_findings_count(
    findings: *const bir_findings,
    out: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { put(out, object(findings)?.0.len()) })
}

/// The finding at index. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_findings_get(
    findings: *const bir_findings,
    index: usize,
    out: *mut bir_finding,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(findings)?.0.get(index).ok_or_else(|| nothing_at("finding", index))?;
        let at = found.error.position;
        let finding = bir_finding {
            status: found.error.code.number(),
            line: at.map_or(0, |p| p.line),
            column: at.map_or(0, |p| p.column),
            offset: at.map_or(0, |p| p.offset),
            path: str_out(&found.error.path),
            message: str_out(&found.message),
        };
        put(out, finding)
    })
}

/// How much the finding at index matters: BIR_SEVERITY_ERROR for what a loader refuses, the only kind that bir_package_check()
/// tells; BIR_SEVERITY_WARNING for what no known producer writes; BIR_SEVERITY_NOTE. NOT_FOUND past the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_findings_severity(
    findings: *const bir_findings,
    index: usize,
    out: *mut i32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let found = object(findings)?.0.get(index).ok_or_else(|| nothing_at("finding", index))?;
        let severity = match found.severity {
            Severity::Error => BIR_SEVERITY_ERROR,
            Severity::Warning => BIR_SEVERITY_WARNING,
            Severity::Note => BIR_SEVERITY_NOTE,
        };
        put(out, severity)
    })
}

/// Frees the findings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_findings_destroy(findings: *mut bir_findings) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(findings) }
}

/// Writes all members as files below a folder, which is made if it is missing. Nothing is written outside it, and no link
/// below it is followed: UNSAFE_PATH if there is one in the way. The folder must not be changed by others meanwhile.
/// CONFLICT if a folder is in the way of a file or the reverse; DUPLICATE_NAME if a file exists and overwrite is 0. These
/// are found before anything is written; after IO some files may have been written, each whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_extract(
    package: *const bir_package,
    folder: *const c_char,
    folder_len: usize,
    overwrite: u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { files::unpack(object(package)?.package(), path(folder, folder_len)?, flag(overwrite)) })
}

//! Packages read piece by piece, and as files

use crate::boundary::{destroy, flag, object, path, put, required, room, str_out, text};
use crate::callback::CallbackSource;
use crate::files;
use crate::handle::{Buffer, Findings, PackageReader, Reading};
use crate::package::put_header;
use crate::package_records::{bir_package_reader, bir_package_reader_options};
use crate::records::{bir_buffer, bir_findings, bir_member, bir_package_header, bir_read_callback};
use crate::types::{bir_error, bir_status};
use bir_core::host::extract::ExtractOptions;
use bir_core::host::package::PackageFile;
use bir_core::host::package_reader::{FileFeed, ReaderOptions};
use bir_core::host::survey::check_file;
use bir_core::neff::walk::Limits;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use std::cell::{RefCell, RefMut};
use std::path::Path;

unsafe fn reader_options(given: *const bir_package_reader_options) -> ReaderOptions {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe {
        options!(
            given,
            bir_package_reader_options {
                ignore_hash,
                max_unpacked_bytes,
                max_ratio,
                ratio_free_bytes,
                max_members,
                max_names_bytes,
            }
        )
    };
    let or = |given: u64, default: u64| if given == 0 { default } else { given };
    let defaults = Limits::default();
    let limits = Limits {
        max_unpacked_bytes: or(given.max_unpacked_bytes, defaults.max_unpacked_bytes),
        max_ratio: or(given.max_ratio, defaults.max_ratio),
        ratio_free_bytes: or(given.ratio_free_bytes, defaults.ratio_free_bytes),
        max_members: or(given.max_members, defaults.max_members),
        max_names_bytes: or(given.max_names_bytes, defaults.max_names_bytes),
    };
    ReaderOptions { verify_hash: !flag(given.ignore_hash), limits }
}

fn change(reader: &PackageReader) -> Result<RefMut<'_, Reading>> {
    reader.0.try_borrow_mut().map_err(|_| Error::new(ErrorCode::Internal, "the reader is in use"))
}

fn open(file: &Path, limits: Limits) -> Result<PackageFile> {
    PackageFile::open(file, limits).map_err(|e| files::in_file(file, e))
}

/// Opens a package to be read member by member, in file order, and reads its header. Memory does not grow with the package but
/// by the names of its members. options may be NULL. The reader is the caller's. IO; BAD_HEADER or UNSUPPORTED for a header that
/// no loader should take. The message of a failure begins with the path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_open_file(
    file: *const c_char,
    file_len: usize,
    options: *const bir_package_reader_options,
    err: *mut bir_error,
) -> *mut bir_package_reader {
    boundary!(err, handle {
        let file = path(file, file_len)?;
        let feed = FileFeed::open(file).map_err(|e| files::in_file(file, e))?;
        let reading = Reading::new(Box::new(feed), reader_options(options)).map_err(|e| files::in_file(file, e))?;
        Ok(PackageReader(RefCell::new(reading)))
    })
}

/// bir_package_reader_open_file() for a package that a function of the caller gives piece by piece, with user, until the reader
/// is destroyed: from a pipe or socket. total is the size of the whole package in bytes; 0 if it is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_open_callback(
    read: bir_read_callback,
    user: *mut c_void,
    total: u64,
    options: *const bir_package_reader_options,
    err: *mut bir_error,
) -> *mut bir_package_reader {
    boundary!(err, handle {
        let read = read.ok_or_else(|| Error::new(ErrorCode::NullArgument, "a function is required"))?;
        let feed = CallbackSource::new(read, user, (total != 0).then_some(total));
        Ok(PackageReader(RefCell::new(Reading::new(Box::new(feed), reader_options(options))?)))
    })
}

/// Frees the reader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_destroy(reader: *mut bir_package_reader) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(reader) }
}

/// Copies the header out, as far as out->size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_get_header(
    reader: *const bir_package_reader,
    out: *mut bir_package_header,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(out)?;
        let mut reading = change(object(reader)?)?;
        let reader = reading.reader();
        let compressed = reader.is_compressed();
        let header = reader.header().ok_or_else(|| Error::new(ErrorCode::Internal, "the header was not read"))?;
        put_header(out, header, compressed);
        Ok(())
    })
}

/// Goes to the next member, past what is left of the current one. *has is 1, and the member is the current one from now on; or 0
/// behind the last one, when nothing is written to *out and the hash was compared unless ignore_hash is set. The name in *out
/// is valid until the next call with this reader. HASH_MISMATCH, BAD_HEADER, BAD_COMPRESSION, LIMIT_EXCEEDED, BAD_ARCHIVE,
/// UNSAFE_PATH, DUPLICATE_NAME or UNSUPPORTED for what no loader should take; CONFLICT for a file that has changed; what read
/// returns; IO. After one of these every call fails with it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_next(
    reader: *mut bir_package_reader,
    out: *mut bir_member,
    has: *mut u8,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(out)?;
        required(has)?;
        let mut reading = change(object(reader)?)?;
        match reading.reader().next_member()? {
            Some(found) => {
                let name = str_out(found.name);
                let (size, mode, typeflag) = (found.size, found.mode, found.typeflag);
                let (uid, gid, mtime) = (found.uid, found.gid, found.mtime);
                put(out, bir_member { name, size, mode, typeflag, uid, gid, mtime })?;
                put(has, 1)
            }
            None => put(has, 0),
        }
    })
}

/// Puts the next bytes of the current member into buffer, which has room for size bytes; *count is their number, less than size
/// only at the end of the member. On failure the buffer holds anything. NOT_FOUND if there is no current member; else errors as
/// of bir_package_reader_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_read(
    reader: *mut bir_package_reader,
    buffer: *mut c_void,
    size: usize,
    count: *mut usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(count)?;
        let mut reading = change(object(reader)?)?;
        let reader = reading.reader();
        let room = room(buffer, size, reader.left())?;
        put(count, reader.read(room)?)
    })
}

/// Passes over all that is left of the package and, unless ignore_hash is set, compares its hash. The rest is not unpacked: what
/// is wrong in it shows by the hash alone. There is no current member then, and no next one. Errors as of
/// bir_package_reader_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_reader_finish(reader: *mut bir_package_reader, err: *mut bir_error) -> bir_status {
    boundary!(err, { change(object(reader)?)?.reader().finish() })
}

/// Everything that there is to say about a package file: its hash, its archive, and whether everything in it fits together
/// (spec/neff.md sections 8 and 9). It is read once, and no weights are kept. Unlike bir_package_check() it also tells what no
/// loader minds, see bir_findings_severity(); a package that cannot be read has one finding, the error. options may be NULL;
/// ignore_hash does not matter. The findings are the caller's. IO for a file that cannot be opened; BAD_HEADER or UNSUPPORTED
/// for a header that no loader should take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_check_file(
    file: *const c_char,
    file_len: usize,
    options: *const bir_package_reader_options,
    err: *mut bir_error,
) -> *mut bir_findings {
    boundary!(err, handle {
        let mut package = open(path(file, file_len)?, reader_options(options).limits)?;
        let found = check_file(&mut package, &mut |_| {}).findings;
        Ok(Findings(found.into_iter().map(Into::into).collect()))
    })
}

/// Writes all members of a package file as files below a folder, see bir_package_extract(), with memory that does not grow with
/// the package. All or nothing: a failure leaves what was there before. The hash is compared first of all, unless ignore_hash
/// is set. options may be NULL. Errors as of bir_package_reader_next() and bir_package_extract().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_extract_file(
    file: *const c_char,
    file_len: usize,
    folder: *const c_char,
    folder_len: usize,
    overwrite: u8,
    options: *const bir_package_reader_options,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let (file, folder) = (path(file, file_len)?, path(folder, folder_len)?);
        let ReaderOptions { verify_hash, limits } = reader_options(options);
        let mut package = open(file, limits)?;
        files::unpack_file(&mut package, folder, ExtractOptions { overwrite: flag(overwrite), verify_hash })
    })
}

/// The contents of the member of a package file with that name, which may start with `./`. No more of the file is read than up
/// to that member, so its hash is not compared. options may be NULL. The buffer is the caller's. NOT_FOUND if there is no such
/// member; LIMIT_EXCEEDED if it has more than max_bytes bytes, 0 for no limit; UNSAFE_PATH for a name that no member can have;
/// else errors as of bir_package_reader_next(). The message of a failure begins with the path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_member_of_file(
    file: *const c_char,
    file_len: usize,
    name: *const c_char,
    name_len: usize,
    max_bytes: u64,
    options: *const bir_package_reader_options,
    err: *mut bir_error,
) -> *mut bir_buffer {
    boundary!(err, handle {
        let (file, name) = (path(file, file_len)?, text(name, name_len)?);
        let mut package = open(file, reader_options(options).limits)?;
        let max_bytes = if max_bytes == 0 { u64::MAX } else { max_bytes };
        let found = package.contents(&[name], max_bytes).map_err(|e| files::in_file(file, e))?;
        let missing = || Error::new(ErrorCode::NotFound, format_args!("there is no member `{name}`"));
        found.into_values().next().map(Buffer).ok_or_else(|| files::in_file(file, missing()))
    })
}

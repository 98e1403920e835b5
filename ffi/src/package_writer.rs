//! Packages written piece by piece

use crate::boundary::{collect, destroy, flag, member, object, path, put, required, slice, text, texts};
use crate::callback::{CallbackContents, CallbackSink, outcome, sink};
use crate::files;
use crate::handle::PackageWriter;
use crate::pack::{compression, copied, text_or};
use crate::package_records::{
    bir_digest, bir_package_constant, bir_package_queue, bir_package_tensor, bir_package_variable,
    bir_package_write_options, bir_package_writer, bir_package_writer_options, bir_read_at_callback,
};
use crate::records::bir_write_callback;
use crate::types::{bir_error, bir_status};
use bir_core::contents::Contents;
use bir_core::enums::bir::Dtype;
use bir_core::fallible::copy;
use bir_core::host::FileContents;
use bir_core::host::package_writer::{WriteOptions, write_file, write_stream};
use bir_core::neff::PackageBuilder;
use bir_core::neff::descriptors::{Backing, Engine, Queue, QueueKind, Tensor, Variable, VariableKind};
use bir_core::neff::package::{Archive, Constant};
use bir_core::neff::target::Target;
use bir_core::sink::Sink;
use bir_core::{Error, ErrorCode, Result};
use core::ffi::{c_char, c_void};
use core::ops::ControlFlow;
use std::cell::{Ref, RefCell, RefMut};
use std::io::{self, Write};
use std::rc::Rc;

/// A queue set for inputs.
pub const BIR_PACKAGE_QUEUE_IN: i32 = 0;
/// A queue set for outputs.
pub const BIR_PACKAGE_QUEUE_OUT: i32 = 1;
/// A queue set for everything else, weights among it.
pub const BIR_PACKAGE_QUEUE_DATA: i32 = 2;
/// A queue set for updates of embedding tables.
pub const BIR_PACKAGE_QUEUE_EMBEDDING_UPDATE: i32 = 3;
/// A queue set for descriptors made at run time.
pub const BIR_PACKAGE_QUEUE_DYNAMIC: i32 = 4;
/// A queue set for activation tables.
pub const BIR_PACKAGE_QUEUE_ACT_LOAD: i32 = 5;

/// A variable that is copied from a file at load.
pub const BIR_VARIABLE_FILE: i32 = 0;
/// A variable in private scratch memory.
pub const BIR_VARIABLE_TMP_BUF: i32 = 1;
/// A variable at a place in shared scratch memory.
pub const BIR_VARIABLE_VIRTUAL: i32 = 2;
/// The address of another variable, 8 bytes.
pub const BIR_VARIABLE_POINTER: i32 = 3;
/// Several variables under one name.
pub const BIR_VARIABLE_LIST: i32 = 4;
/// A table of pointers to variables.
pub const BIR_VARIABLE_DGE_TABLE: i32 = 5;

fn read(writer: &PackageWriter) -> Result<Ref<'_, PackageBuilder<'static>>> {
    writer.0.try_borrow().map_err(|_| Error::new(ErrorCode::Internal, "the writer is being changed"))
}

fn change(writer: &PackageWriter) -> Result<RefMut<'_, PackageBuilder<'static>>> {
    writer.0.try_borrow_mut().map_err(|_| Error::new(ErrorCode::Internal, "the writer is in use"))
}

fn bad(number: i32, what: &str, last: i32) -> Error {
    Error::new(ErrorCode::BadValue, format_args!("{number} is no kind of {what}: 0 to {last} are"))
}

unsafe fn tensor(given: *const bir_package_tensor) -> Result<Tensor> {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe {
        let given = record(given)?;
        let shape = slice(given.shape, given.rank)?;
        Ok(Tensor {
            name: copy(text(given.name.data, given.name.len)?)?,
            dtype: copy(member::<Dtype>(given.dtype)?.name())?,
            shape: collect(shape.iter().map(|size| Ok(*size)), shape.len())?,
            bytes: given.bytes,
        })
    }
}

/// A record of the caller, which must not be NULL.
unsafe fn record<'a, T>(given: *const T) -> Result<&'a T> {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { given.as_ref() }
        .ok_or_else(|| Error::new(ErrorCode::NullArgument, "a record is required and NULL was given"))
}

unsafe fn variable_kind(given: &bir_package_variable) -> Result<VariableKind> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let references = unsafe { texts(given.references, given.reference_count) }?;
    let owned = |names: &[&str]| collect(names.iter().map(|name| copy(name)), names.len());
    Ok(match given.kind {
        BIR_VARIABLE_FILE => {
            // SAFETY: as above.
            let file_name = copy(unsafe { text(given.file_name.data, given.file_name.len) }?)?;
            VariableKind::File { file_name, offset: given.offset }
        }
        BIR_VARIABLE_TMP_BUF => VariableKind::TmpBuf,
        BIR_VARIABLE_VIRTUAL => {
            let backing = if flag(given.sharded) { Backing::Sharded } else { Backing::Main };
            VariableKind::Virtual { offset: given.offset, backing }
        }
        BIR_VARIABLE_POINTER => match references.as_slice() {
            [to] => VariableKind::Pointer { to: copy(to)? },
            other => {
                return Err(Error::new(ErrorCode::BadValue, "a pointer refers to one variable")
                    .expected_found("1 reference", other.len()));
            }
        },
        BIR_VARIABLE_LIST => VariableKind::List { of: owned(&references)? },
        BIR_VARIABLE_DGE_TABLE => VariableKind::DgeTable { of: owned(&references)? },
        other => return Err(bad(other, "variable", BIR_VARIABLE_DGE_TABLE)),
    })
}

fn queue_kind(number: i32) -> Result<QueueKind> {
    Ok(match number {
        BIR_PACKAGE_QUEUE_IN => QueueKind::In,
        BIR_PACKAGE_QUEUE_OUT => QueueKind::Out,
        BIR_PACKAGE_QUEUE_DATA => QueueKind::Data,
        BIR_PACKAGE_QUEUE_EMBEDDING_UPDATE => QueueKind::EmbeddingUpdate,
        BIR_PACKAGE_QUEUE_DYNAMIC => QueueKind::Dynamic,
        BIR_PACKAGE_QUEUE_ACT_LOAD => QueueKind::ActLoad,
        other => return Err(bad(other, "queue set", BIR_PACKAGE_QUEUE_ACT_LOAD)),
    })
}

unsafe fn queue(given: *const bir_package_queue) -> Result<Queue> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { record(given) }?;
    let owner = u32::try_from(given.owner).ok().and_then(Engine::from_ordinal).ok_or_else(|| {
        Error::new(ErrorCode::BadValue, format_args!("{} is no engine with files in a package", given.owner))
    })?;
    let semaphore = match given.semaphore {
        -1 => None,
        number => Some(u32::try_from(number).map_err(|_| {
            Error::new(ErrorCode::BadValue, "the number of a semaphore is wrong")
                .expected_found("-1 or 32 bits", number)
        })?),
    };
    // SAFETY: as above.
    let name = copy(unsafe { text(given.name.data, given.name.len) }?)?;
    Ok(Queue { name, kind: queue_kind(given.kind)?, owner, semaphore, num_queues: given.num_queues })
}

/// Writes with the caller's options. Its progress function may stop that, and its status is the result then.
unsafe fn write(
    archive: &Archive<'_>,
    given: *const bir_package_write_options,
    to: impl FnOnce(WriteOptions<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller's promise, see the crate's first comment.
    let given = unsafe { options!(given, bir_package_write_options { threads, progress, progress_user }) };
    let total = archive.member_bytes();
    let mut stopped = None;
    let mut progress = |bytes: u64| {
        let Some(tell) = given.progress else { return ControlFlow::Continue(()) };
        // SAFETY: the caller's promise: the function may be called with what was given for it.
        match outcome(unsafe { tell(given.progress_user, bytes.min(total), total) }) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                stopped = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let threads = given.threads as usize;
    let written = match given.progress {
        Some(_) => to(WriteOptions { threads, progress: Some(&mut progress) }),
        None => to(WriteOptions { threads, progress: None }),
    };
    match stopped {
        Some(error) => Err(error),
        None => written,
    }
}

/// The caller's sink for what writes to the system's; keeps the error that the system's kind cannot carry.
struct Out {
    sink: CallbackSink,
    failed: Option<Error>,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.sink.write(bytes).map(|()| bytes.len()).map_err(|error| {
            self.failed = Some(error);
            io::Error::other("the caller's function failed")
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer for the program name on the hardware target, in the spelling of a kelf or of an architecture: `sunda`, `cayman` or
/// `gen3`, `mariana` or `core_v4`, `*` for any. It has one logical core of the given number of physical cores; see
/// bir_package_writer_add_node() for more. The package gets `info.json`, `neff.json`, a `kelf-N.json` for each logical core,
/// and for each physical core `sgNN/def.json` and files of the five engines, which are empty unless they are added as members
/// (spec/neff.md sections 6 and 8). options may be NULL. UNSUPPORTED for another target; BAD_VALUE unless there are 1 to 99
/// physical cores. The writer is the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_create(
    name: *const c_char,
    name_len: usize,
    target: *const c_char,
    target_len: usize,
    cores: u32,
    options: *const bir_package_writer_options,
    err: *mut bir_error,
) -> *mut bir_package_writer {
    boundary!(err, handle {
        let given = options!(
            options,
            bir_package_writer_options {
                compression,
                pad_payload,
                feature_bits,
                tool_version,
                build_version,
                uuid,
            }
        );
        let target = Target::from_arch(text(target, target_len)?)?;
        let mut builder = PackageBuilder::new(text(name, name_len)?, target, cores)?;
        builder.set_compression(compression(given.compression)?);
        builder.set_pad_payload(flag(given.pad_payload));
        builder.set_feature_bits(given.feature_bits);
        builder.set_tool_version(&text_or(given.tool_version, String::new())?)?;
        builder.set_build_version(&text_or(given.build_version, String::new())?)?;
        if !given.uuid.is_null() {
            builder.set_uuid(given.uuid.cast::<[u8; 16]>().read());
        }
        Ok(PackageWriter(RefCell::new(builder)))
    })
}

/// Frees the writer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_destroy(writer: *mut bir_package_writer) {
    // SAFETY: the caller's promise, see the crate's first comment.
    unsafe { destroy(writer) }
}

/// Adds a logical core of the given number of physical cores, whose numbers follow those that are there; *node is its number.
/// Number 0 was there from the start. BAD_VALUE if the number differs from that of the other logical cores, or there would be
/// more than 99 physical cores; LIMIT_EXCEEDED for more than 64 logical cores.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_node(
    writer: *mut bir_package_writer,
    cores: u32,
    node: *mut u32,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(node)?;
        let number = change(object(writer)?)?.add_node(cores)?;
        put(node, number)
    })
}

/// Adds an input to the logical core of a number, in the order of the program's inputs. NOT_FOUND if there is no such core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_input(
    writer: *mut bir_package_writer,
    node: u32,
    input: *const bir_package_tensor,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { change(object(writer)?)?.node_input(node, tensor(input)?) })
}

/// Adds an output to the logical core of a number, in the order of the program's outputs. NOT_FOUND if there is no such core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_output(
    writer: *mut bir_package_writer,
    node: u32,
    output: *const bir_package_tensor,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { change(object(writer)?)?.node_output(node, tensor(output)?) })
}

/// Adds a DMA queue set to the physical core of a number, from 0 on. NOT_FOUND if there is no such core; BAD_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_queue(
    writer: *mut bir_package_writer,
    core: u32,
    queue_set: *const bir_package_queue,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, { change(object(writer)?)?.queue(core, queue(queue_set)?) })
}

/// Adds a constant to the physical core of a number. Its file is added once, as the member `sgNN/` and its name.
/// NOT_FOUND if there is no such core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_constant(
    writer: *mut bir_package_writer,
    core: u32,
    constant: *const bir_package_constant,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let given = record(constant)?;
        let constant = Constant {
            variable: copy(text(given.variable.data, given.variable.len)?)?,
            file_name: copy(text(given.file_name.data, given.file_name.len)?)?,
            bytes: given.bytes,
            alignment: given.alignment,
            offset: given.offset,
        };
        change(object(writer)?)?.constant(core, constant)
    })
}

/// Adds a variable that is neither input, output nor constant to the physical core of a number; their ids follow those of the
/// others. What it refers to may be added later. NOT_FOUND if there is no such core; BAD_VALUE for another kind, and for a
/// pointer without exactly one reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_variable(
    writer: *mut bir_package_writer,
    core: u32,
    variable: *const bir_package_variable,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let given = record(variable)?;
        let variable = Variable {
            name: copy(text(given.name.data, given.name.len)?)?,
            kind: variable_kind(given)?,
            bytes: Some(given.bytes),
            alignment: given.alignment,
        };
        change(object(writer)?)?.variable(core, variable)
    })
}

/// Adds a member whose bytes are copied. A leading `./` of the name is dropped; UNSAFE_PATH for a name that leaves a folder.
/// That a name is taken shows when the package is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_member(
    writer: *mut bir_package_writer,
    name: *const c_char,
    name_len: usize,
    bytes: *const c_void,
    size: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let bytes = copied(slice(bytes.cast(), size)?)?;
        change(object(writer)?)?.member(text(name, name_len)?, bytes)
    })
}

/// Adds a member that is an ordinary file, which is looked at now and read each time the package is written: CONFLICT then if
/// its size or time has changed. For the name see bir_package_writer_add_member(). UNSUPPORTED for a folder, device or pipe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_file(
    writer: *mut bir_package_writer,
    name: *const c_char,
    name_len: usize,
    file: *const c_char,
    file_len: usize,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let contents: Rc<dyn Contents> = Rc::new(FileContents::new(path(file, file_len)?).map_err(files::path_first)?);
        change(object(writer)?)?.member(text(name, name_len)?, contents)
    })
}

/// Adds a member of size bytes that a function of the caller gives each time the package is written, with user, until the
/// writer is destroyed. For the name see bir_package_writer_add_member(). When written: CONFLICT if it gives more or fewer
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_add_callback(
    writer: *mut bir_package_writer,
    name: *const c_char,
    name_len: usize,
    bytes: u64,
    read_at: bir_read_at_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let read_at = read_at.ok_or_else(|| Error::new(ErrorCode::NullArgument, "a function is required"))?;
        let contents: Rc<dyn Contents> = Rc::new(CallbackContents::new(read_at, user, bytes));
        change(object(writer)?)?.member(text(name, name_len)?, contents)
    })
}

/// Writes the package to a file. It is written beside the target and renamed when it is whole: a failure leaves the old file as
/// it was; a device or pipe is written to. Memory does not grow with the members. It may be written any number of times: the
/// bytes are the same each time, for any number of threads and on every machine. options may be NULL. DUPLICATE_NAME for two
/// members, variables or queues of one name; CONFLICT for a member that is also a folder, or that changed; UNRESOLVED_REF for
/// a constant without file or a reference to nothing; MISSING_KEY for a program without output; LIMIT_EXCEEDED, BAD_VALUE and
/// UNSAFE_PATH for what a descriptor cannot hold; what a callback returns; IO.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_write_file(
    writer: *const bir_package_writer,
    file: *const c_char,
    file_len: usize,
    options: *const bir_package_write_options,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let file = path(file, file_len)?;
        let builder = read(object(writer)?)?;
        let archive = builder.archive()?;
        let write_to = |options: WriteOptions<'_>| write_file(&archive, file, options).map(|_| ());
        write(&archive, options, write_to).map_err(files::path_first)
    })
}

/// Writes the package to a function of the caller, see bir_package_writer_write_file(). The header, which comes first, is known
/// last, so the payload waits in a temporary file, and no byte is given unless the whole package could be made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_write(
    writer: *const bir_package_writer,
    options: *const bir_package_write_options,
    take: bir_write_callback,
    user: *mut c_void,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        let mut out = Out { sink: sink(take, user)?, failed: None };
        let builder = read(object(writer)?)?;
        let archive = builder.archive()?;
        let write_to = |options: WriteOptions<'_>| write_stream(&archive, &mut out, options).map(|_| ());
        let written = write(&archive, options, write_to);
        match out.failed {
            Some(error) => Err(error),
            None => written,
        }
    })
}

/// The IR signature of the package: the digest of `info.json`, all `.npy` members and the debug information, however the package
/// is compressed (spec/neff.md section 7). It reads these members. Errors as of bir_package_writer_write_file().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bir_package_writer_ir_signature(
    writer: *const bir_package_writer,
    out: *mut bir_digest,
    err: *mut bir_error,
) -> bir_status {
    boundary!(err, {
        required(out)?;
        let builder = read(object(writer)?)?;
        let bytes = builder.archive()?.ir_signature().map_err(files::path_first)?;
        put(out, bir_digest { bytes })
    })
}

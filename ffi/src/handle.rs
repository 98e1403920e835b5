//! What lies behind the handles that a caller owns. A file of its own, because the sections show their types to C.

use crate::boundary::Message;
use bir_core::consts::Dedup;
use bir_core::doc::Warning;
use bir_core::host::dedup::DedupReport;
use bir_core::host::package_reader::{self, Feed, ReaderOptions};
use bir_core::lower::Diagnostic;
use bir_core::neff::descriptors::{self, Severity};
use bir_core::neff::read::Options;
use bir_core::neff::walk::Memory;
use bir_core::neff::{Package, PackageBuilder};
use bir_core::pack::{ConstantsDigest, PackReport};
use bir_core::{Error, Result};
use std::cell::RefCell;
use std::ptr::NonNull;

/// Bytes.
pub struct Buffer(pub Vec<u8>);

/// What was noticed while a document was read.
pub struct LoadReport {
    pub warnings: Vec<Warning>,
    pub dropped: u64,
}

/// What a lowering has to say.
pub struct LowerReport {
    pub diagnostics: Vec<Diagnostic>,
    pub dropped: u64,
    /// Errors, kept or not.
    pub errors: u64,
    /// Carriers that were replaced, and that were left as they are.
    pub lowered: usize,
    pub refused: usize,
}

/// A de-duplication session.
pub struct Session(pub RefCell<Dedup<'static>>);

/// What went into a package.
pub struct Packed(pub PackReport);

/// The bytes of one file on their way from a callback.
pub struct FileSink(pub RefCell<Vec<u8>>);

/// An open package.
pub struct OpenPackage {
    package: Package<'static>,
    file: &'static [u8],
    /// Where `file` lies, if the caller does not keep it. Dropped after `package`, as it stands behind it, and never
    /// touched before.
    _owner: Option<Vec<u8>>,
}

impl OpenPackage {
    /// Opens bytes that the caller keeps.
    ///
    /// # Safety
    /// - `file` stays valid and unchanged until the result is dropped.
    pub unsafe fn borrowed(file: &[u8], options: Options) -> Result<OpenPackage> {
        // SAFETY: as the caller promises, for as long as the result, which lends nothing for longer than it lives.
        let file: &'static [u8] = unsafe { core::slice::from_raw_parts(file.as_ptr(), file.len()) };
        Ok(OpenPackage { package: Package::open(file, options)?, file, _owner: None })
    }

    /// Opens bytes and keeps them.
    pub fn owned(file: Vec<u8>, options: Options) -> Result<OpenPackage> {
        // SAFETY: the bytes of a vector stay where they are when it moves; it is kept unchanged beside what borrows it.
        let opened = unsafe { OpenPackage::borrowed(&file, options) }?;
        Ok(OpenPackage { _owner: Some(file), ..opened })
    }

    /// The package, for no longer than this lives.
    pub fn package(&self) -> &Package<'_> {
        &self.package
    }

    /// The whole file.
    pub fn file(&self) -> &[u8] {
        self.file
    }
}

/// The parts of a package.
pub struct PackageWriter(pub RefCell<PackageBuilder<'static>>);

/// A package on its way in.
pub struct PackageReader(pub RefCell<Reading>);

/// A reader and its memory.
pub struct Reading {
    reader: package_reader::PackageReader<'static, Box<dyn Feed>>,
    /// Dropped after `reader`, as it stands behind it.
    _memory: OwnedMemory,
}

impl Reading {
    /// Reads the header of a package.
    pub fn new(feed: Box<dyn Feed>, options: ReaderOptions) -> Result<Reading> {
        let memory = OwnedMemory(NonNull::from(Box::leak(Box::new(Memory::new()?))));
        // SAFETY:
        // - nobody else has the address;
        // - the memory is freed when `memory` is dropped, which is after the reader, the only one who borrows it.
        let borrowed: &'static mut Memory = unsafe { &mut *memory.0.as_ptr() };
        Ok(Reading { reader: package_reader::PackageReader::new(feed, borrowed, options)?, _memory: memory })
    }

    /// The reader. What it lends does not outlive the borrow.
    pub fn reader(&mut self) -> &mut package_reader::PackageReader<'static, Box<dyn Feed>> {
        &mut self.reader
    }
}

/// Memory that is only reached through what borrows it.
struct OwnedMemory(NonNull<Memory>);

impl Drop for OwnedMemory {
    fn drop(&mut self) {
        // SAFETY: the address is that of a box which was given up for this, and is taken back once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// What became of files. The texts of the problems and of what was left out have to lie somewhere.
pub struct DedupFiles {
    pub report: DedupReport,
    pub messages: Vec<String>,
}

/// The contents of a module's constants.
pub struct Constants(pub ConstantsDigest);

/// What a loader would complain about.
pub struct Findings(pub Vec<Finding>);

/// A finding and its text, which has to lie somewhere.
pub struct Finding {
    pub severity: Severity,
    pub error: Error,
    pub message: String,
}

impl From<Error> for Finding {
    fn from(error: Error) -> Finding {
        descriptors::Finding { severity: Severity::Error, error }.into()
    }
}

impl From<descriptors::Finding> for Finding {
    fn from(found: descriptors::Finding) -> Finding {
        let descriptors::Finding { severity, error } = found;
        let message = Message(&error).to_string();
        Finding { severity, error, message }
    }
}

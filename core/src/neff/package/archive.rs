//! The last step of every package, however its members came about: sort, write the archive, say in the header what it is.
#![forbid(unsafe_code)]

use super::Compression;
use super::payload::{Payload, PayloadSummary};
use crate::consts::digest::{Md5, Running};
use crate::contents::{Contents, Data};
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::{copy, push};
use crate::neff::gzip::{GzipWriter, PieceGzipWriter, RECORD, record_padding};
use crate::neff::header::{self, Header};
use crate::neff::path::{compare_paths, safe_member_path};
use crate::neff::pieces::write_zeros;
use crate::neff::signature::is_signed;
use crate::neff::tar::{Attributes, TarWriter};
use crate::sink::Sink;
use alloc::string::String;
use alloc::vec::Vec;

/// A member of an archive to be written.
#[derive(Clone, Debug)]
pub struct ArchiveMember<'a> {
    /// Relative path.
    pub name: String,
    /// What the archive says of its owner and mode.
    pub attributes: Attributes,
    /// Its bytes.
    pub data: Data<'a>,
}

/// Members and header of a package, ready to be written as often as wanted: each time the same bytes.
///
/// Nothing but the parts given reaches the bytes (`spec/neff.md` section 11).
#[derive(Clone, Debug)]
pub struct Archive<'a> {
    header: Header,
    uuid: Option<[u8; 16]>,
    compression: Compression,
    pad_payload: bool,
    members: Vec<ArchiveMember<'a>>,
    sorted: bool,
}

impl<'a> Archive<'a> {
    /// An archive without members under `header`, of which the payload's size, digest and uuid are filled in when the payload
    /// is known.
    pub fn new(header: Header, compression: Compression) -> Self {
        Archive { header, uuid: None, compression, pad_payload: false, members: Vec::new(), sorted: true }
    }

    /// Sets the uuid instead of the one derived from the payload.
    pub fn set_uuid(&mut self, uuid: Option<[u8; 16]>) {
        self.uuid = uuid;
    }

    /// Whether the payload is filled up with zeros to whole records of 10240 bytes; off by default.
    pub fn set_pad_payload(&mut self, pad: bool) {
        self.pad_payload = pad;
    }

    /// The version of the header.
    pub fn pkg_version(&self) -> u64 {
        self.header.pkg_version
    }

    /// How the payload is stored.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Adds a member with owner 0, group 0 and mode 0644 (0755 for `.so`). A leading `./` is dropped.
    ///
    /// # Errors
    /// `UnsafePath` for a name that is not a relative path without `..`; `OutOfMemory`.
    pub fn add(&mut self, name: &str, data: impl Into<Data<'a>>) -> Result<()> {
        let name = copy(safe_member_path(name)?)?;
        let attributes = Attributes::deterministic(&name);
        self.sorted = false;
        push(&mut self.members, ArchiveMember { name, attributes, data: data.into() })
    }

    /// Brings the members into the order of the archive: by name, element by element (`spec/neff.md` section 4.2).
    ///
    /// # Errors
    /// `DuplicateName`; `Conflict` for a member that is also the folder of another.
    pub fn sort(&mut self) -> Result<()> {
        // Equal names are an error, so an unstable sort loses nothing.
        self.members.sort_unstable_by(|a, b| compare_paths(&a.name, &b.name));
        for pair in self.members.windows(2) {
            let [ArchiveMember { name: a, .. }, ArchiveMember { name: b, .. }] = pair else { continue };
            if a == b {
                return Err(Error::new(ErrorCode::DuplicateName, "two members have one name").at(a));
            }
            if b.strip_prefix(&**a).is_some_and(|rest| rest.starts_with('/')) {
                return Err(Error::new(ErrorCode::Conflict, "a member is also the folder of another")
                    .expected_found("a file or a folder", format_args!("the member `{b}`"))
                    .at(a));
            }
        }
        self.sorted = true;
        Ok(())
    }

    /// The members; in the order of the archive after [`sort`](Self::sort).
    pub fn members(&self) -> &[ArchiveMember<'a>] {
        &self.members
    }

    /// Bytes of all members.
    pub fn member_bytes(&self) -> u64 {
        self.members.iter().fold(0, |sum, member| sum.saturating_add(member.data.size()))
    }

    /// Writes the tar.
    ///
    /// # Errors
    /// As [`sort`](Self::sort) unless that was done; `Conflict` for a member that changed while it was read; what reading
    /// fails with; the sink's errors.
    pub fn write_tar(&self, sink: &mut dyn Sink) -> Result<()> {
        if !self.sorted {
            let mut sorted = self.clone();
            sorted.sort()?;
            return sorted.write_tar(sink);
        }
        let mut writer = TarWriter::new(sink);
        for member in &self.members {
            writer.member(&member.name, member.attributes, &member.data)?;
        }
        writer.finish().map(|_| ())
    }

    /// Writes the payload: the tar, compressed and padded as chosen. The package is [`header`](Self::header) and then this.
    ///
    /// Uses the calling thread only; `host::package_writer` does the same with several.
    ///
    /// # Errors
    /// As [`write_tar`](Self::write_tar).
    pub fn write_payload<S: Sink>(&self, sink: S) -> Result<(PayloadSummary, S)> {
        let mut payload = Payload::new(sink, self.header.pkg_version)?;
        self.compress(&mut payload)?;
        self.pad(&mut payload)?;
        Ok(payload.finish())
    }

    fn compress(&self, payload: &mut dyn Sink) -> Result<()> {
        match self.compression {
            Compression::None => self.write_tar(payload),
            Compression::Exact => {
                let mut gzip = GzipWriter::new(payload)?;
                self.write_tar(&mut gzip)?;
                gzip.finish().map(|_| ())
            }
            Compression::Parallel => {
                let mut gzip = PieceGzipWriter::new(payload)?;
                self.write_tar(&mut gzip)?;
                gzip.finish().map(|_| ())
            }
        }
    }

    /// Fills the payload up if that is wanted.
    pub(crate) fn pad<S: Sink>(&self, payload: &mut Payload<S>) -> Result<()> {
        if !self.pad_payload {
            return Ok(());
        }
        write_zeros(payload, record_padding((payload.size() % RECORD as u64) as usize))
    }

    /// The header of the package with that payload (`spec/neff.md` section 1.3).
    pub fn header(&self, payload: &PayloadSummary) -> Header {
        let mut header = self.header.clone();
        header.data_size = payload.size;
        header.hash = payload.hash;
        header.uuid = self.uuid.unwrap_or(payload.uuid);
        header
    }

    /// The package in memory.
    ///
    /// # Errors
    /// As [`write_payload`](Self::write_payload); `OutOfMemory`.
    pub fn build(&self) -> Result<Vec<u8>> {
        // The header comes first but says what the payload is, so its place is kept free.
        let mut file = Vec::new();
        write_zeros(&mut file, header::SIZE)?;
        let (summary, mut file) = self.write_payload(file)?;
        if let Some(place) = file.get_mut(..header::SIZE) {
            place.copy_from_slice(&self.header(&summary).write());
        }
        Ok(file)
    }

    /// The IR signature (`spec/neff.md` section 7), which needs all signed members once more.
    ///
    /// # Errors
    /// What reading them fails with.
    pub fn ir_signature(&self) -> Result<Md5> {
        let mut running = Running::new();
        for member in self.members.iter().filter(|member| is_signed(&member.name)) {
            member.data.write_to(&mut running)?;
        }
        Ok(running.finish())
    }
}

//! Puts descriptors, archive, compression and header together.
#![forbid(unsafe_code)]

use super::members::{Member, Members};
use super::{Compression, PackageBuilder, constants};
use crate::error::{Error, Result};
use crate::neff::descriptors::{Definition, Engine, graph_name};
use crate::neff::gzip::{GzipWriter, PieceGzipWriter, record_padding};
use crate::neff::header::{self, Header, deterministic_uuid, neff_version, payload_hash};
use crate::neff::pieces::write_zeros;
use crate::neff::tar::{Attributes, TarWriter};
use crate::sink::Sink;
use alloc::vec::Vec;

pub(super) fn build(builder: &PackageBuilder<'_>) -> Result<Vec<u8>> {
    let feature_bits = constants::feature_bits(builder);
    let mut members = Members::collect(builder)?;
    constants::check(builder, &members)?;
    for (i, core) in builder.cores.iter().enumerate() {
        let variables = constants::variables(builder, core)?;
        let definition = Definition { variables: &variables, queues: &core.queues, feature_bits };
        let name = Engine::member(&graph_name(i), "def.json");
        let json = definition.json().map_err(|e| e.at(&name))?;
        members.generated(name, json)?;
    }
    let members = members.finish()?;

    // The header comes first but says what the payload is, so its place is kept free.
    let mut file = Vec::new();
    write_zeros(&mut file, header::SIZE)?;
    let mut file = payload(builder.compression, &members, file)?;
    if builder.pad_payload {
        let padding = record_padding(file.len() - header::SIZE);
        write_zeros(&mut file, padding)?;
    }
    let header = header(builder, feature_bits, file.get(header::SIZE..).unwrap_or_default())?;
    if let Some(place) = file.get_mut(..header::SIZE) {
        place.copy_from_slice(&header.write());
    }
    Ok(file)
}

/// Appends the payload to `file`.
fn payload(compression: Compression, members: &[Member<'_>], file: Vec<u8>) -> Result<Vec<u8>> {
    match compression {
        Compression::None => tar(members, file),
        Compression::Exact => tar(members, GzipWriter::new(file)?)?.finish(),
        Compression::Parallel => tar(members, PieceGzipWriter::new(file)?)?.finish(),
    }
}

fn tar<S: Sink>(members: &[Member<'_>], sink: S) -> Result<S> {
    let mut writer = TarWriter::new(sink);
    for (name, bytes) in members {
        writer.file(name, Attributes::deterministic(name), bytes)?;
    }
    writer.finish()
}

/// The header of `spec/neff.md` section 1.3.
fn header(builder: &PackageBuilder<'_>, feature_bits: u64, payload: &[u8]) -> Result<Header> {
    let mut header = Header::default();
    let cores = u8::try_from(builder.cores.len())
        .map_err(|_| Error::new(crate::error::ErrorCode::Internal, "more physical cores than the header can count"))?;
    header.data_size = payload.len() as u64;
    (header.neff_version_major, header.neff_version_minor) = neff_version(feature_bits);
    header.set_build_version(&builder.build_version);
    header.set_model_name(&builder.name);
    header.num_tpb = u32::from(cores);
    header.requested_tpb_count = u32::from(cores);
    header.tpb_per_node[0] = cores;
    header.hash = payload_hash(header.pkg_version, payload)?;
    header.uuid = builder.uuid.unwrap_or_else(|| deterministic_uuid(payload));
    header.feature_bits = feature_bits;
    header.lnc_size = u32::from(cores);
    Ok(header)
}

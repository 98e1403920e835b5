//! Puts descriptors, members and header of a program together.
#![forbid(unsafe_code)]

use super::archive::Archive;
use super::members::Members;
use super::{PackageBuilder, constants};
use crate::error::{Error, ErrorCode, Result};
use crate::neff::descriptors::{Definition, Engine, graph_name};
use crate::neff::header::{Header, neff_version};

pub(super) fn archive<'m>(builder: &'m PackageBuilder<'_>) -> Result<Archive<'m>> {
    let feature_bits = constants::feature_bits(builder);
    let mut members = Members::collect(builder)?;
    constants::check(builder, &members)?;
    for (i, core) in builder.cores.iter().enumerate() {
        let node = builder.nodes.iter().find(|node| node.cores.contains(&i));
        let node =
            node.ok_or_else(|| Error::new(ErrorCode::Internal, "a physical core outside of all logical ones"))?;
        let variables = constants::variables(node, core)?;
        let definition = Definition { variables: &variables, queues: &core.queues, feature_bits };
        let name = Engine::member(&graph_name(i), "def.json");
        let json = definition.json().map_err(|e| e.at(&name))?;
        members.generated(name, json)?;
    }
    let mut archive = Archive::new(header(builder, feature_bits)?, builder.compression);
    archive.set_uuid(builder.uuid);
    archive.set_pad_payload(builder.pad_payload);
    members.move_into(&mut archive)?;
    Ok(archive)
}

/// The header of `spec/neff.md` section 1.3, without what depends on the payload.
fn header(builder: &PackageBuilder<'_>, feature_bits: u64) -> Result<Header> {
    let mut header = Header::default();
    let count = |n: usize| {
        u32::try_from(n).map_err(|_| Error::new(ErrorCode::Internal, "more physical cores than the header can count"))
    };
    let cores = count(builder.cores.len())?;
    (header.neff_version_major, header.neff_version_minor) = neff_version(feature_bits);
    header.set_build_version(&builder.build_version);
    header.set_model_name(&builder.name);
    header.num_tpb = cores;
    header.requested_tpb_count = cores;
    for (place, node) in header.tpb_per_node.iter_mut().zip(&builder.nodes) {
        *place = u8::try_from(node.cores.len()).unwrap_or(u8::MAX);
    }
    header.feature_bits = feature_bits;
    header.lnc_size = count(builder.nodes.iter().map(|node| node.cores.len()).max().unwrap_or(1))?;
    Ok(header)
}

//! What is in a package: header, features, members, graphs and variables, and whether it is whole.

use crate::console::Console;
use crate::fault::{Failure, Fault, Outcome};
use crate::load;
use crate::package_view::{Graph, graphs};
use crate::report::Report;
use crate::table::{Table, pairs};
use bir_core::Error;
use bir_core::neff::Package;
use bir_core::neff::descriptors::check;
use bir_core::neff::features::{features, unassigned};
use bir_core::neff::header::{Header, verify_hash};
use serde_json::{Value, json};

/// Reports on a package. A wrong hash is shown and is an error.
pub fn run(bytes: &[u8], file: &str, strict: bool, console: &Console) -> Outcome<Report> {
    let package = load::package(bytes, file, false, console)?;
    let hash = verify_hash(package.header(), bytes).err();
    let findings = check(&package);
    if strict && let Some(finding) = findings.first() {
        return Err(Fault::of_file(file, finding.clone()));
    }
    console.warnings(file, findings.iter().map(ToString::to_string), 0);
    let graphs = graphs(&package);
    Ok(Report {
        text: text(&package, &graphs, file, hash.is_none(), findings.len(), console),
        json: package_json(&package, &graphs, file, hash.is_none(), &findings),
        printed: false,
        failure: hash.map(|error| Failure { error, file: Some(file.to_owned()) }),
        different: false,
    })
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn nodes(header: &Header) -> &[u8] {
    let used = header.tpb_per_node.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    header.tpb_per_node.get(..used).unwrap_or_default()
}

fn text(
    package: &Package<'_>,
    graphs: &[Graph],
    file: &str,
    hash_ok: bool,
    findings: usize,
    console: &Console,
) -> String {
    let header = package.header();
    let mut names: Vec<String> = features(header.feature_bits).map(|f| f.name.to_owned()).collect();
    let unknown = unassigned(header.feature_bits);
    if unknown != 0 {
        names.push(format!("unassigned bits {unknown:#x}"));
    }
    let compression = if package.is_compressed() { "gzip" } else { "plain tar" };
    let pad = if header.pad.iter().all(|b| *b == 0) { "zero" } else { "not zero" };
    let mut text = pairs(&[
        ("package", file.to_owned()),
        ("pkg_version", header.pkg_version.to_string()),
        ("header_size", header.header_size.to_string()),
        ("data_size", format!("{} ({compression}, {} unpacked)", header.data_size, package.tar().len())),
        ("neff_version", format!("{}.{}", header.neff_version_major, header.neff_version_minor)),
        ("neff_build_version", header.build_version().into_owned()),
        ("num_tpb", header.num_tpb.to_string()),
        ("hash", format!("{} ({})", hex(digest(header)), if hash_ok { "ok" } else { "WRONG" })),
        ("uuid", hex(&header.uuid)),
        ("name", header.model_name().into_owned()),
        ("requested_tpb_count", header.requested_tpb_count.to_string()),
        ("tpb_per_node", format!("{:?}", nodes(header))),
        ("feature_bits", format!("{:#x} {}", header.feature_bits, names.join(", "))),
        ("lnc_size", header.lnc_size.to_string()),
        ("pad", pad.to_owned()),
        ("ir_signature", hex(&package.ir_signature())),
        ("warnings", findings.to_string()),
    ]);
    let mut table = Table::new(["MEMBER", "SIZE"]);
    package.members().iter().for_each(|m| table.row([m.name.as_str(), &m.size().to_string()]));
    text += "\n";
    text += &table.render(console, "");
    for graph in graphs {
        text += "\n";
        let queues: Vec<String> = graph.queues.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
        text += &pairs(&[
            ("graph", graph.name.clone()),
            ("kelf", format!("{}, target {}", graph.kelf, graph.target)),
            ("definition", graph.definition.clone()),
            ("queues", queues.join(", ")),
        ]);
        let mut table = Table::new(["ID", "VARIABLE", "TYPE", "SIZE", "FILE"]);
        for v in &graph.variables {
            let number = |n: Option<u64>| n.map_or_else(|| String::from("-"), |n| n.to_string());
            let file = v.file.as_deref().unwrap_or("-");
            table.row([&number(v.id), v.name.as_str(), v.kind.as_str(), &number(v.size), file]);
        }
        text += &table.render(console, "  ");
    }
    text
}

/// The bytes of the hash that count.
fn digest(header: &Header) -> &[u8] {
    let length = if header.pkg_version == 1 { 32 } else { 16 };
    header.hash.get(..length).unwrap_or_default()
}

fn package_json(package: &Package<'_>, graphs: &[Graph], file: &str, hash_ok: bool, findings: &[Error]) -> Value {
    let header = package.header();
    let members = package.members().iter().map(
        |m| json!({ "name": m.name, "size": m.size(), "mode": m.mode, "uid": m.uid, "gid": m.gid, "mtime": m.mtime }),
    );
    let graphs = graphs.iter().map(|g| {
        let variables = g
            .variables
            .iter()
            .map(|v| json!({ "name": v.name, "id": v.id, "type": v.kind, "size": v.size, "file": v.file }));
        let queues = g.queues.iter().map(|(name, kind)| json!({ "name": name, "type": kind }));
        json!({
            "name": g.name, "kelf": g.kelf, "definition": g.definition, "target": g.target,
            "queues": queues.collect::<Vec<_>>(), "variables": variables.collect::<Vec<_>>(),
        })
    });
    let findings = findings.iter().map(|error| Failure { error: error.clone(), file: Some(file.to_owned()) }.json());
    json!({
        "kind": "package",
        "file": file,
        "header": {
            "pkg_version": header.pkg_version,
            "header_size": header.header_size,
            "data_size": header.data_size,
            "neff_version_major": header.neff_version_major,
            "neff_version_minor": header.neff_version_minor,
            "neff_build_version": header.build_version(),
            "num_tpb": header.num_tpb,
            "hash": hex(&header.hash),
            "uuid": hex(&header.uuid),
            "name": header.model_name(),
            "requested_tpb_count": header.requested_tpb_count,
            "tpb_per_node": header.tpb_per_node.as_slice(),
            "feature_bits": header.feature_bits,
            "lnc_size": header.lnc_size,
            "pad_is_zero": header.pad.iter().all(|b| *b == 0),
        },
        "hash_ok": hash_ok,
        "features": features(header.feature_bits).map(|f| f.name).collect::<Vec<_>>(),
        "unassigned_feature_bits": unassigned(header.feature_bits),
        "compressed": package.is_compressed(),
        "unpacked_size": package.tar().len(),
        "ir_signature": hex(&package.ir_signature()),
        "members": members.collect::<Vec<_>>(),
        "graphs": graphs.collect::<Vec<_>>(),
        "warning_count": findings.len(),
        "warnings": findings.collect::<Vec<_>>(),
    })
}

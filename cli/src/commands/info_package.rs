//! What is in a package: header, features, nodes, graphs and sizes, and whether it is whole.

use crate::args::Info;
use crate::console::Console;
use crate::fault::{Failure, Fault, Outcome};
use crate::load::PackageInput;
use crate::package_pass::inventory;
use crate::package_view::{Graph, Node, Tensor, graphs, nodes};
use crate::report::Report;
use crate::table::{Table, pairs};
use bir_core::ErrorCode;
use bir_core::host::package::Passed;
use bir_core::host::survey::Reach;
use bir_core::neff::Inventory;
use bir_core::neff::descriptors::{Facts, Finding, Severity, findings};
use bir_core::neff::features::{features, unassigned};
use bir_core::neff::header::Header;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// More members than this are not listed.
const LISTED_MEMBERS: usize = 40;

/// All that is shown.
struct Look<'l> {
    file: &'l str,
    header: &'l Header,
    compressed: bool,
    inventory: &'l Inventory,
    passed: &'l Passed,
    nodes: Vec<Node>,
    graphs: Vec<Graph>,
    /// What is wrong; `None` if not all members were read.
    findings: Option<Vec<Finding>>,
    weights: bool,
    spills: bool,
}

/// Reports on a package. A wrong hash is shown and is an error.
pub fn run(mut package: PackageInput, args: &Info, file: &str, console: &Console) -> Outcome<Report> {
    let reach = match (args.all, args.strict) {
        (true, _) => Reach::Contents,
        (false, true) => Reach::Members,
        (false, false) => Reach::Descriptors,
    };
    let (inventory, passed) = inventory(&mut package, file, !args.ignore_hash, reach, console.quiet)?;
    let header = package.header();
    let findings = passed.complete.then(|| {
        let facts = Facts { header: Some(header), computed_hash: None };
        let found = findings(&inventory, &facts).into_iter();
        found.filter(|f| f.severity != Severity::Note && f.error.code != ErrorCode::HashMismatch).collect::<Vec<_>>()
    });
    let listed = findings.as_deref().unwrap_or_default();
    if args.strict
        && let Some(finding) = listed.first()
    {
        return Err(Fault::of_file(file, finding.error.clone()));
    }
    console.warnings(file, listed.iter().map(|f| f.error.to_string()), 0);
    let look = Look {
        file,
        header,
        compressed: package.is_compressed(),
        nodes: nodes(&inventory),
        graphs: graphs(&inventory),
        inventory: &inventory,
        passed: &passed,
        findings,
        weights: args.weights,
        spills: args.spills,
    };
    let (text, json) = (look.text(console), look.json());
    let failure = passed.hash_error.map(|error| Failure { error, file: Some(file.to_owned()) });
    Ok(Report { failure, ..Report::new(text, json) })
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The names of the features of a mask; bits without one are shown as numbers.
pub fn feature_names(bits: u64) -> Vec<String> {
    let mut names: Vec<String> = features(bits).map(|f| f.name.to_owned()).collect();
    let unknown = unassigned(bits);
    names.extend(
        (0..64).map(|i| 1u64 << i).filter(|bit| unknown & bit != 0).map(|bit| format!("unassigned bit {bit:#x}")),
    );
    names
}

fn used_nodes(header: &Header) -> &[u8] {
    let used = header.tpb_per_node.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    header.tpb_per_node.get(..used).unwrap_or_default()
}

fn number(n: Option<u64>) -> String {
    n.map_or_else(|| String::from("-"), |n| n.to_string())
}

/// What a member is for, by its name and by the variables that name it.
/// Variables that tensors are spilled to.
const SCRATCH: [&str; 2] = ["tmp-buf", "virtual"];

fn kind<'n>(name: &'n str, weights: &BTreeMap<&str, Vec<String>>) -> &'static str {
    let base = name.rsplit('/').next().unwrap_or(name);
    let extension = base.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        _ if weights.contains_key(name) => "weights",
        "json" => "descriptors",
        "bin" | "so" => "programs and tables",
        "npy" => "arrays that no variable names",
        extension if extension.contains("dbg") || extension == "asm" => "debug",
        _ => "other",
    }
}

impl Look<'_> {
    fn hash_word(&self) -> &'static str {
        match (&self.passed.hash_error, self.passed.computed_hash) {
            (Some(_), _) => "WRONG",
            (None, Some(_)) => "ok",
            (None, None) => "not compared",
        }
    }

    /// The variables of each file, by the member's name.
    fn users(&self) -> BTreeMap<&str, Vec<String>> {
        let mut users: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (graph, variable) in self.graphs.iter().flat_map(|g| g.variables.iter().map(move |v| (g, v))) {
            if let Some(member) = &variable.member {
                let user = format!("{}:{}", graph.name, variable.name);
                users.entry(member.trim_start_matches("./")).or_default().push(user);
            }
        }
        users
    }

    fn text(&self, console: &Console) -> String {
        let header = self.header;
        let compression = if self.compressed { "gzip" } else { "plain tar" };
        let unpacked = match self.passed.complete {
            true => format!("{} unpacked", self.passed.unpacked_bytes),
            false => String::from("read up to the last descriptor"),
        };
        let pad = if header.pad.iter().all(|b| *b == 0) { "zero" } else { "not zero" };
        let mut rows = vec![
            ("package", self.file.to_owned()),
            ("pkg_version", header.pkg_version.to_string()),
            ("header_size", header.header_size.to_string()),
            ("data_size", format!("{} ({compression}, {unpacked})", header.data_size)),
            ("neff_version", format!("{}.{}", header.neff_version_major, header.neff_version_minor)),
            ("neff_build_version", header.build_version().into_owned()),
            ("num_tpb", header.num_tpb.to_string()),
            ("hash", format!("{} ({})", hex(header.digest()), self.hash_word())),
            ("uuid", hex(&header.uuid)),
            ("name", header.model_name().into_owned()),
            ("requested_tpb_count", header.requested_tpb_count.to_string()),
            ("tpb_per_node", format!("{:?}", used_nodes(header))),
            ("feature_bits", format!("{:#x} {}", header.feature_bits, feature_names(header.feature_bits).join(", "))),
            ("lnc_size", header.lnc_size.to_string()),
            ("pad", pad.to_owned()),
        ];
        if let Some(signature) = self.inventory.ir_signature().filter(|_| self.passed.complete) {
            rows.push(("ir_signature", hex(&signature)));
        }
        rows.push(match &self.findings {
            Some(findings) => ("warnings", findings.len().to_string()),
            None => ("warnings", String::from("not looked for; `bir check` does")),
        });
        let mut text = pairs(&rows);
        text += &self.members_text(console);
        self.nodes.iter().for_each(|node| text += &node_text(node, console));
        self.graphs.iter().for_each(|graph| text += &self.graph_text(graph, console));
        text
    }

    fn members_text(&self, console: &Console) -> String {
        let items = self.inventory.items();
        let users = self.users();
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for item in items {
            let sum = sums.entry(kind(&item.name, &users)).or_default();
            *sum = (sum.0.saturating_add(1), sum.1.saturating_add(item.size));
        }
        let total = items.iter().fold(0u64, |sum, item| sum.saturating_add(item.size));
        let mut table = Table::new(["CONTENT", "MEMBERS", "BYTES"]);
        sums.iter().for_each(|(kind, (count, bytes))| table.row([*kind, &count.to_string(), &bytes.to_string()]));
        let all = if self.passed.complete { "all" } else { "all up to the last descriptor" };
        table.row([all, &items.len().to_string(), &total.to_string()]);
        let mut text = format!("\n{}", table.render(console, ""));
        if items.len() <= LISTED_MEMBERS {
            let mut table = Table::new(["MEMBER", "SIZE"]);
            items.iter().for_each(|m| table.row([m.name.as_str(), &m.size.to_string()]));
            text += "\n";
            text += &table.render(console, "");
        } else {
            text += "`bir list` lists the members\n";
        }
        text
    }

    fn graph_text(&self, graph: &Graph, console: &Console) -> String {
        let queues: Vec<String> = graph.queues.iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
        let (files, others): (Vec<_>, Vec<_>) = graph.variables.iter().partition(|v| v.kind == "file");
        let (spills, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|v| SCRATCH.contains(&v.kind.as_str()));
        let bytes = files.iter().fold(0u64, |sum, v| sum.saturating_add(v.size.unwrap_or(0)));
        let mut text = String::from("\n");
        text += &pairs(&[
            ("graph", graph.name.clone()),
            ("kelf", format!("{}, target {}", graph.kelf, graph.target)),
            ("definition", graph.definition.clone()),
            ("queues", queues.join(", ")),
            (
                "weights",
                format!(
                    "{} file variables, {bytes} bytes{}",
                    files.len(),
                    if self.weights { "" } else { " (-w lists them)" }
                ),
            ),
            (
                "spills",
                format!(
                    "{} scratch variables, {} bytes{}",
                    spills.len(),
                    spills.iter().fold(0u64, |sum, v| sum.saturating_add(v.size.unwrap_or(0))),
                    if self.spills || spills.is_empty() { "" } else { " (-s lists them)" }
                ),
            ),
        ]);
        let mut table = Table::new(["ID", "VARIABLE", "TYPE", "SIZE"]);
        others.iter().for_each(|v| table.row([&number(v.id), v.name.as_str(), v.kind.as_str(), &number(v.size)]));
        text += &table.render(console, "  ");
        if self.spills && !spills.is_empty() {
            let mut table = Table::new(["ID", "SCRATCH", "TYPE", "SIZE"]);
            spills.iter().for_each(|v| table.row([&number(v.id), v.name.as_str(), v.kind.as_str(), &number(v.size)]));
            text += &table.render(console, "  ");
        }
        if self.weights {
            let mut table = Table::new(["ID", "WEIGHT", "SIZE", "MEMBER", "FILE SIZE"]);
            for v in files {
                let member = v.member.as_deref().unwrap_or("-");
                let size = self.inventory.item(member).map(|item| item.size);
                table.row([&number(v.id), v.name.as_str(), &number(v.size), member, &number(size)]);
            }
            text += &table.render(console, "  ");
        }
        text
    }

    fn json(&self) -> Value {
        let header = self.header;
        let complete = self.passed.complete;
        let members = self.inventory.items().iter().map(
            |m| json!({ "name": m.name, "size": m.size, "mode": m.mode, "uid": m.uid, "gid": m.gid, "mtime": m.mtime }),
        );
        let graphs = self.graphs.iter().map(|g| {
            let variables = g.variables.iter().map(|v| {
                let member = v.member.as_deref();
                let size = member.and_then(|m| self.inventory.item(m)).map(|item| item.size);
                json!({
                    "name": v.name, "id": v.id, "type": v.kind, "size": v.size, "file": v.file, "member": member,
                    "file_size": size,
                })
            });
            let queues = g.queues.iter().map(|(name, kind)| json!({ "name": name, "type": kind }));
            json!({
                "name": g.name, "kelf": g.kelf, "definition": g.definition, "target": g.target,
                "queues": queues.collect::<Vec<_>>(), "variables": variables.collect::<Vec<_>>(),
            })
        });
        let findings =
            self.findings.as_ref().map(|list| list.iter().map(|f| finding_json(f, self.file)).collect::<Vec<_>>());
        json!({
            "kind": "package",
            "file": self.file,
            "header": header_json(header),
            "hash_ok": self.passed.computed_hash.map(|_| self.passed.hash_error.is_none()),
            "features": features(header.feature_bits).map(|f| f.name).collect::<Vec<_>>(),
            "unassigned_feature_bits": unassigned(header.feature_bits),
            "compressed": self.compressed,
            "complete": complete,
            "unpacked_size": complete.then_some(self.passed.unpacked_bytes),
            "ir_signature": self.inventory.ir_signature().filter(|_| complete).map(|s| hex(&s)),
            "members": members.collect::<Vec<_>>(),
            "nodes": self.nodes.iter().map(node_json).collect::<Vec<_>>(),
            "graphs": graphs.collect::<Vec<_>>(),
            "warning_count": findings.as_ref().map(Vec::len),
            "warnings": findings,
        })
    }
}

/// A finding with its parts; the same object as an error, and `severity`, `member` and `place`.
pub fn finding_json(finding: &Finding, file: &str) -> Value {
    let mut value = Failure { error: finding.error.clone(), file: Some(file.to_owned()) }.json();
    if let Some(object) = value.as_object_mut() {
        object.insert(String::from("severity"), json!(finding.severity.name()));
        object.insert(String::from("member"), json!(finding.member()));
        object.insert(String::from("place"), json!(finding.place()));
    }
    value
}

fn header_json(header: &Header) -> Value {
    json!({
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
    })
}

fn shape_text(shape: &[Option<u64>]) -> String {
    let dimensions: Vec<String> = shape.iter().map(|d| number(*d)).collect();
    format!("[{}]", dimensions.join(", "))
}

fn node_text(node: &Node, console: &Console) -> String {
    let kelf = node.kelf.as_deref().unwrap_or("-").to_owned();
    let mut text = String::from("\n");
    text += &pairs(&[("node", node.name.clone()), ("op", node.op.clone()), ("kelf", kelf)]);
    let mut table = Table::new(["TENSOR", "NAME", "DTYPE", "SHAPE", "BYTES"]);
    for (word, list) in [("input", &node.inputs), ("output", &node.outputs)] {
        for Tensor { name, dtype, shape, bytes } in list {
            table.row([word, name, dtype, &shape_text(shape), &number(*bytes)]);
        }
    }
    text + &table.render(console, "  ")
}

fn node_json(node: &Node) -> Value {
    let list = |tensors: &[Tensor]| -> Vec<Value> {
        let one = |t: &Tensor| json!({ "name": t.name, "dtype": t.dtype, "shape": t.shape, "bytes": t.bytes });
        tensors.iter().map(one).collect()
    };
    json!({
        "name": node.name, "op": node.op, "kelf": node.kelf,
        "inputs": list(&node.inputs), "outputs": list(&node.outputs),
    })
}

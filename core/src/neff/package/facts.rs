//! A package made of members that somebody else wrote still needs a header; what it says of cores and features stands in the
//! descriptors among the members.
#![forbid(unsafe_code)]

use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use crate::neff::features::{BIN_WEIGHTS, FEATURES, VNC};
use crate::neff::header::{Header, neff_version};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::Value;

/// What the descriptors of a package say about its header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The model name of `info.json`, if it has one.
    pub name: Option<String>,
    /// Physical cores of each logical one, in the order of the graph's nodes.
    pub nodes: Vec<u8>,
    /// The features that the definitions name, or need.
    pub feature_bits: u64,
}

impl Facts {
    /// Reads the descriptors. `json` gives the content of a JSON member, `None` if there is no such member.
    ///
    /// What is missing or of another form is left out: whether a package is whole is a question of its own
    /// ([`check`](crate::neff::descriptors::check)).
    ///
    /// # Errors
    /// What `json` fails with; `LimitExceeded` for more logical or physical cores than a header can count; `OutOfMemory`.
    pub fn of(json: &mut dyn FnMut(&str) -> Result<Option<Value>>) -> Result<Facts> {
        let mut facts = Facts::default();
        if let Some(info) = json("info.json")? {
            facts.name = info.get("name").and_then(Value::as_str).map(ToOwned::to_owned);
        }
        let manifest = match json("neff.json")? {
            Some(manifest) => manifest,
            None => json("kelp.json")?.unwrap_or_default(),
        };
        for node in items(&manifest, "nodes") {
            let attrs = node.get("attrs").filter(|attrs| text(attrs, "func_name") == Some("__kelf"));
            let Some(kelf_name) = attrs.and_then(|attrs| text(attrs, "kelf")) else { continue };
            let Some(kelf) = json(kelf_name)? else { continue };
            let graphs = items(&kelf, "graphs");
            let cores = u8::try_from(graphs.len()).map_err(|_| {
                Error::new(ErrorCode::LimitExceeded, "a logical core has too many physical ones")
                    .expected_found("at most 255", graphs.len())
                    .at(kelf_name)
            })?;
            push(&mut facts.nodes, cores)?;
            if cores > 1 {
                facts.feature_bits |= VNC;
            }
            for definition in graphs.iter().filter_map(|graph| text(graph, "definition")) {
                if let Some(definition) = json(definition)? {
                    facts.feature_bits |= features_of(&definition);
                }
            }
        }
        let places = Header::default().tpb_per_node.len();
        if facts.nodes.len() > places {
            return Err(Error::new(ErrorCode::LimitExceeded, "too many logical cores")
                .expected_found(format_args!("at most {places}"), facts.nodes.len())
                .at("neff.json"));
        }
        Ok(facts)
    }

    /// Puts cores, features and the NEFF version that follows from them into a header. Feature bits that are there stay.
    pub fn apply(&self, header: &mut Header) {
        let cores = self.nodes.iter().map(|&cores| u32::from(cores)).sum::<u32>();
        if cores > 0 {
            header.num_tpb = cores;
            header.requested_tpb_count = cores;
            header.lnc_size = self.nodes.iter().map(|&cores| u32::from(cores)).max().unwrap_or(1);
            header.tpb_per_node = [0; 64];
            header.tpb_per_node.iter_mut().zip(&self.nodes).for_each(|(place, cores)| *place = *cores);
        }
        header.feature_bits |= self.feature_bits;
        (header.neff_version_major, header.neff_version_minor) = neff_version(header.feature_bits);
    }
}

/// The bits of the names in `neff_features`, and the one of raw constants.
fn features_of(definition: &Value) -> u64 {
    let named = items(definition, "neff_features").iter().filter_map(Value::as_str);
    let bits = named.filter_map(|name| FEATURES.iter().find(|feature| feature.def_name == Some(name)));
    let bits = bits.fold(0, |bits, feature| bits | feature.bit);
    let variables = definition.get("var").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    let mut files = variables.filter(|v| text(v, "type") == Some("file")).filter_map(|v| text(v, "file_name"));
    if files.any(|file| !file.ends_with(".npy")) { bits | BIN_WEIGHTS } else { bits }
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(members: &Value) -> Result<Facts> {
        Facts::of(&mut |name| Ok(members.get(name).cloned()))
    }

    #[test]
    fn cores_features_and_name() {
        let node = |kelf: &str| json!({"attrs": {"func_name": "__kelf", "kelf": kelf}});
        let graphs =
            |names: &[&str]| json!({"graphs": names.iter().map(|n| json!({"definition": n})).collect::<Vec<_>>()});
        let members = json!({
            "info.json": {"name": "model"},
            "neff.json": {"nodes": [{"attrs": {}}, node("kelf-0.json"), node("kelf-1.json")]},
            "kelf-0.json": graphs(&["a/def.json", "b/def.json"]),
            "kelf-1.json": graphs(&["c/def.json"]),
            "b/def.json": {"neff_features": ["collective_has_offset", "unknown"]},
            "c/def.json": {"var": {"x": {"type": "file", "file_name": "x.bin"}, "y": {"type": "input"}}},
        });
        let found = facts(&members).unwrap();
        let expected = Facts { name: Some("model".into()), nodes: [2, 1].into(), feature_bits: VNC | BIN_WEIGHTS | 2 };
        assert_eq!(found, expected);
        let mut header = Header { feature_bits: 4, ..Header::default() };
        found.apply(&mut header);
        assert_eq!((header.num_tpb, header.requested_tpb_count, header.lnc_size), (3, 3, 2));
        assert_eq!((&header.tpb_per_node[..3], header.feature_bits), (&[2, 1, 0][..], VNC | BIN_WEIGHTS | 6));
        assert_eq!(header.neff_version_major, 2);
    }

    #[test]
    fn nothing_is_invented() {
        assert_eq!(facts(&json!({})).unwrap(), Facts::default());
        let odd = json!({"neff.json": {"nodes": [{"attrs": {"func_name": "__kelf", "kelf": "none.json"}}, 7]}, "info.json": 3});
        assert_eq!(facts(&odd).unwrap(), Facts::default());
        let mut header = Header { num_tpb: 4, ..Header::default() };
        Facts::default().apply(&mut header);
        assert_eq!((header.num_tpb, header.neff_version_major), (4, 1));
        let many = json!({"neff.json": {"nodes": (0..65).map(|_| json!({"attrs": {"func_name": "__kelf", "kelf": "k"}}))
            .collect::<Vec<_>>()}, "k": {}});
        assert_eq!(facts(&many).unwrap_err().code, ErrorCode::LimitExceeded);
    }
}

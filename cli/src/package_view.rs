//! A package as its loader sees it: the graph of each core and the variables of its definition.
//!
//! Only what is there is shown. What is missing or wrong is reported by the core's own check, so nothing is judged here.

use bir_core::neff::Package;
use serde_json::Value;

/// The program of one physical core.
#[derive(Debug)]
pub struct Graph {
    /// Its name in the kelf, e.g. `sg00`.
    pub name: String,
    /// The kelf member that names it.
    pub kelf: String,
    /// Its definition member.
    pub definition: String,
    /// The architecture of the kelf.
    pub target: String,
    /// The queue sets: name, type.
    pub queues: Vec<(String, String)>,
    /// The variables, sorted by id.
    pub variables: Vec<Variable>,
}

/// A variable of a definition.
#[derive(Debug)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Its number, if it has one.
    pub id: Option<u64>,
    /// `input`, `output`, `file`, ...
    pub kind: String,
    /// Size in bytes, if given.
    pub size: Option<u64>,
    /// The file it names, if any.
    pub file: Option<String>,
    /// The member that this is: beside the definition.
    pub member: Option<String>,
}

/// The graphs of a package, in the order of the manifest.
pub fn graphs(package: &Package<'_>) -> Vec<Graph> {
    let manifest = json(package, "neff.json").or_else(|| json(package, "kelp.json")).unwrap_or_default();
    let mut graphs = Vec::new();
    for node in array(&manifest, "nodes") {
        let Some(attrs) = node.get("attrs").filter(|a| text(a, "func_name") == "__kelf") else { continue };
        let kelf_name = text(attrs, "kelf");
        let Some(kelf) = json(package, &kelf_name) else { continue };
        for graph in array(&kelf, "graphs") {
            let definition_name = text(graph, "definition");
            let definition = json(package, &definition_name).unwrap_or_default();
            graphs.push(Graph {
                name: text(graph, "name"),
                kelf: kelf_name.clone(),
                target: text(&kelf, "target"),
                queues: members(&definition, "dma_queue").map(|(name, q)| (name.clone(), text(q, "type"))).collect(),
                variables: variables(&definition, &definition_name),
                definition: definition_name,
            });
        }
    }
    graphs
}

fn variables(definition: &Value, definition_name: &str) -> Vec<Variable> {
    let folder = definition_name.rfind('/').and_then(|slash| definition_name.get(..=slash)).unwrap_or("");
    let mut variables: Vec<Variable> = members(definition, "var")
        .map(|(name, value)| {
            let kind = text(value, "type");
            let file = value.get("file_name").and_then(Value::as_str).map(ToOwned::to_owned);
            let member = file.as_ref().filter(|_| kind == "file").map(|file| format!("{folder}{file}"));
            let number = |key: &str| value.get(key).and_then(Value::as_u64);
            Variable { name: name.clone(), id: number("var_id"), kind, size: number("size"), file, member }
        })
        .collect();
    variables.sort_by(|a, b| a.id.unwrap_or(u64::MAX).cmp(&b.id.unwrap_or(u64::MAX)).then_with(|| a.name.cmp(&b.name)));
    variables
}

fn json(package: &Package<'_>, member: &str) -> Option<Value> {
    let bytes = package.member(member)?;
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()
}

fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn members<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

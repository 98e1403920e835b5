//! A package as its loader sees it: the graph of each core and the variables of its definition.
//!
//! Only what is there is shown. What is missing or wrong is reported by the core's own check, so nothing is judged here.

use bir_core::neff::Inventory;
use bir_core::neff::descriptors::tensor_bytes;
use bir_core::neff::inventory::kelf_names;
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

/// An input or output of the program.
#[derive(Debug)]
pub struct Tensor {
    /// Name.
    pub name: String,
    /// Element type in the runtime's spelling.
    pub dtype: String,
    /// Dimensions, outermost first; `None` for one that is no number.
    pub shape: Vec<Option<u64>>,
    /// Size in bytes, where type and shape tell it.
    pub bytes: Option<u64>,
}

/// A node of the manifest.
#[derive(Debug)]
pub struct Node {
    /// Name.
    pub name: String,
    /// `null` for an input, `tvm_op` for a program.
    pub op: String,
    /// The kelf of a program.
    pub kelf: Option<String>,
    /// What goes into it.
    pub inputs: Vec<Tensor>,
    /// What comes out of it.
    pub outputs: Vec<Tensor>,
}

/// The nodes of the manifest that run something, with their inputs and outputs.
pub fn nodes(inventory: &Inventory) -> Vec<Node> {
    let Some(manifest) = manifest(inventory) else { return Vec::new() };
    let all = array(&manifest, "nodes");
    let row_ptr = array(&manifest, "node_row_ptr");
    let tensor = |node: usize, output: u64| {
        let value = all.get(node)?;
        let list = |key: &str| manifest.get("attrs")?.get(key)?.get(1);
        let entry = row_ptr.get(node).and_then(Value::as_u64).and_then(|start| start.checked_add(output));
        let entry = entry.and_then(|entry| usize::try_from(entry).ok());
        let dtype = entry.and_then(|e| list("dltype")?.get(e)?.as_str()).unwrap_or("?");
        let shape = entry.and_then(|e| list("shape")?.get(e)?.as_array());
        let name = usize::try_from(output).ok().and_then(|i| value.get("output_names")?.get(i)?.as_str());
        let name = name.or_else(|| value.get("name").and_then(Value::as_str)).unwrap_or("?");
        Some(Tensor {
            name: name.to_owned(),
            dtype: dtype.to_owned(),
            shape: shape.into_iter().flatten().map(Value::as_u64).collect(),
            bytes: shape.and_then(|shape| tensor_bytes(dtype, shape)),
        })
    };
    let programs = all.iter().enumerate().filter(|(_, node)| text(node, "op") != "null");
    programs
        .map(|(number, node)| {
            let number_of = |value: &Value, i: usize| value.get(i).and_then(Value::as_u64);
            let inputs = array(node, "inputs").iter().filter_map(|input| {
                tensor(usize::try_from(number_of(input, 0)?).ok()?, number_of(input, 1).unwrap_or(0))
            });
            let outputs = array(node, "output_names").iter().enumerate();
            Node {
                name: text(node, "name"),
                op: text(node, "op"),
                kelf: node.get("attrs").and_then(|a| a.get("kelf")?.as_str()).map(ToOwned::to_owned),
                inputs: inputs.collect(),
                outputs: outputs.filter_map(|(i, _)| tensor(number, i as u64)).collect(),
            }
        })
        .collect()
}

fn manifest(inventory: &Inventory) -> Option<Value> {
    inventory.json(&inventory.manifest()?.name)
}

/// The graphs of a package, in the order of the manifest.
pub fn graphs(inventory: &Inventory) -> Vec<Graph> {
    let manifest = manifest(inventory).unwrap_or_default();
    let mut graphs = Vec::new();
    for kelf_name in kelf_names(&manifest) {
        let Some(kelf) = inventory.json(kelf_name) else { continue };
        for graph in array(&kelf, "graphs") {
            let definition_name = text(graph, "definition");
            let definition = inventory.json(&definition_name).unwrap_or_default();
            graphs.push(Graph {
                name: text(graph, "name"),
                kelf: kelf_name.to_owned(),
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

fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn members<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

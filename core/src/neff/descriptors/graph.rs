//! The graph manifest: one node per input and one executable node that names the kelf (`spec/neff.md` section 8.1).
#![forbid(unsafe_code)]

use super::kelf::kelf_name;
use crate::error::{Error, ErrorCode, Result};
use crate::fallible::push;
use crate::neff::json::JsonWriter;
use alloc::string::String;
use alloc::vec::Vec;

/// The most dimensions a runtime takes.
pub const MAX_DIMENSIONS: usize = 32;

/// An input or output of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Name, unique among all variables.
    pub name: String,
    /// Element type in the runtime's spelling, e.g. `float32`.
    pub dtype: String,
    /// Dimensions, outermost first.
    pub shape: Vec<u64>,
    /// Size in bytes.
    pub bytes: u64,
}

/// A logical core's part of the program.
#[derive(Clone, Copy, Debug)]
pub struct GraphNode<'n> {
    /// Its inputs, in order. Nodes may share inputs: the same name with the same type and shape.
    pub inputs: &'n [Tensor],
    /// Its outputs, in order.
    pub outputs: &'n [Tensor],
}

/// `neff.json` for a program of one executable node per logical core; node *i* names `kelf-<i>.json`.
///
/// # Errors
///
/// `LimitExceeded` for a tensor of more than [`MAX_DIMENSIONS`] dimensions, `Conflict` for one input name with two types or
/// shapes, `OutOfMemory`.
pub fn neff_json(nodes: &[GraphNode<'_>]) -> Result<Vec<u8>> {
    let tensors = || nodes.iter().flat_map(|node| node.inputs.iter().chain(node.outputs));
    if let Some(tensor) = tensors().find(|tensor| tensor.shape.len() > MAX_DIMENSIONS) {
        return Err(Error::new(ErrorCode::LimitExceeded, "a tensor has too many dimensions")
            .expected_found(format_args!("at most {MAX_DIMENSIONS}"), tensor.shape.len())
            .at(&tensor.name));
    }
    let inputs = distinct_inputs(nodes)?;
    let entries = || inputs.list.iter().copied().chain(nodes.iter().flat_map(|node| node.outputs));
    let first = inputs.list.len() as u64;
    JsonWriter::document(|w| {
        w.object(|w| {
            w.key("arg_nodes")?.numbers(0..first)?;
            w.key("attrs")?.object(|w| {
                w.key("dltype")?.array(|w| {
                    w.string("list_str")?;
                    w.strings(entries().map(|tensor| tensor.dtype.as_str()))
                })?;
                w.key("shape")?.array(|w| {
                    w.string("list_shape")?;
                    w.array(|w| entries().try_for_each(|tensor| w.numbers(tensor.shape.iter().copied())))
                })?;
                w.key("storage_id")?.array(|w| {
                    w.string("list_int")?;
                    w.numbers(0..entries().count() as u64)
                })
            })?;
            w.key("heads")?.array(|w| {
                (first..).zip(nodes).try_for_each(|(id, node)| {
                    (0..node.outputs.len() as u64).try_for_each(|output| w.numbers([id, output, 0]))
                })
            })?;
            // One entry per input node, then the outputs of each executable one.
            w.key("node_row_ptr")?.array(|w| {
                (0..=first).try_for_each(|start| w.number(start))?;
                let mut start = first;
                nodes.iter().try_for_each(|node| {
                    start = start.saturating_add(node.outputs.len() as u64);
                    w.number(start)
                })
            })?;
            w.key("nodes")?.array(|w| {
                inputs.list.iter().enumerate().try_for_each(|(id, input)| input_node(w, id, input))?;
                nodes.iter().enumerate().try_for_each(|(index, node)| executable_node(w, index, node, &inputs))
            })
        })
    })
}

/// The inputs of all nodes, each once, in order of first appearance.
struct Inputs<'n> {
    list: Vec<&'n Tensor>,
    /// Places in the list, in the order of names.
    by_name: Vec<usize>,
}

impl Inputs<'_> {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.by_name.binary_search_by(|&i| self.list.get(i).map_or("", |tensor| tensor.name.as_str()).cmp(name))
    }
}

fn distinct_inputs<'n>(nodes: &[GraphNode<'n>]) -> Result<Inputs<'n>> {
    let mut inputs = Inputs { list: Vec::new(), by_name: Vec::new() };
    for (i, node) in nodes.iter().enumerate() {
        for tensor in node.inputs {
            match inputs.place(&tensor.name) {
                Ok(place) if i > 0 => {
                    let earlier = inputs.by_name.get(place).and_then(|&i| inputs.list.get(i));
                    if earlier.is_some_and(|earlier| (&earlier.dtype, &earlier.shape) != (&tensor.dtype, &tensor.shape))
                    {
                        return Err(Error::new(
                            ErrorCode::Conflict,
                            "two logical cores have an input of one name with different types or shapes",
                        )
                        .at(&tensor.name));
                    }
                }
                // Two inputs of one node with one name are found by its definition.
                Ok(place) | Err(place) => {
                    inputs.by_name.try_reserve(1).map_err(|_| Error::out_of_memory())?;
                    inputs.by_name.insert(place, inputs.list.len());
                    push(&mut inputs.list, tensor)?;
                }
            }
        }
    }
    Ok(inputs)
}

fn input_node(w: &mut JsonWriter, id: usize, input: &Tensor) -> Result<()> {
    w.object(|w| {
        w.key("attrs")?.object(|w| {
            w.key("dtype")?.string(&input.dtype)?;
            w.key("id")?.number_text(id)?;
            w.key("is_param")?.string("0")?;
            w.key("may_alias")?.array(|_| Ok(()))?;
            w.key("must_alias")?.array(|_| Ok(()))?;
            w.key("shape")?.numbers(input.shape.iter().copied())
        })?;
        w.key("inputs")?.array(|_| Ok(()))?;
        w.key("name")?.string(&input.name)?;
        w.key("op")?.string("null")?;
        w.key("output_names")?.strings([input.name.as_str()])
    })
}

fn executable_node(w: &mut JsonWriter, index: usize, node: &GraphNode<'_>, inputs: &Inputs<'_>) -> Result<()> {
    w.object(|w| {
        w.key("attrs")?.object(|w| {
            w.key("flatten_data")?.string("0")?;
            w.key("func_name")?.string("__kelf")?;
            w.key("kelf")?.string(&kelf_name(index))?;
            w.key("num_inputs")?.number_text(node.inputs.len())?;
            w.key("num_outputs")?.number_text(node.outputs.len())
        })?;
        w.key("inputs")?.array(|w| {
            node.inputs.iter().try_for_each(|input| {
                let place = inputs.place(&input.name).ok().and_then(|place| inputs.by_name.get(place));
                w.numbers([place.map_or(0, |&place| place as u64), 0, 0])
            })
        })?;
        w.key("name")?.string(&alloc::format!("sg_coreV1{index}"))?;
        w.key("op")?.string("tvm_op")?;
        w.key("output_names")?.strings(node.outputs.iter().map(|output| output.name.as_str()))
    })
}

//! The graph manifest: one node per input and one executable node that names the kelf (`spec/neff.md` section 8.1).
#![forbid(unsafe_code)]

use super::kelf::kelf_name;
use crate::error::{Error, ErrorCode, Result};
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

/// `neff.json` for a program of one logical core.
///
/// # Errors
///
/// `LimitExceeded` for a tensor of more than [`MAX_DIMENSIONS`] dimensions, `OutOfMemory`.
pub fn neff_json(inputs: &[Tensor], outputs: &[Tensor]) -> Result<Vec<u8>> {
    let entries = || inputs.iter().chain(outputs);
    if let Some(tensor) = entries().find(|tensor| tensor.shape.len() > MAX_DIMENSIONS) {
        return Err(Error::new(ErrorCode::LimitExceeded, "a tensor has too many dimensions")
            .expected_found(format_args!("at most {MAX_DIMENSIONS}"), tensor.shape.len())
            .at(&tensor.name));
    }
    let count = |n: usize| n as u64;
    let executable = count(inputs.len());
    JsonWriter::document(|w| {
        w.object(|w| {
            w.key("arg_nodes")?.numbers(0..executable)?;
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
                    w.numbers(0..count(entries().count()))
                })
            })?;
            w.key("heads")?.array(|w| (0..count(outputs.len())).try_for_each(|i| w.numbers([executable, i, 0])))?;
            // One entry per input node, all outputs in the executable one.
            w.key("node_row_ptr")?.numbers((0..=executable).chain([executable + count(outputs.len())]))?;
            w.key("nodes")?.array(|w| {
                inputs.iter().enumerate().try_for_each(|(id, input)| input_node(w, id, input))?;
                executable_node(w, inputs, outputs)
            })
        })
    })
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

fn executable_node(w: &mut JsonWriter, inputs: &[Tensor], outputs: &[Tensor]) -> Result<()> {
    w.object(|w| {
        w.key("attrs")?.object(|w| {
            w.key("flatten_data")?.string("0")?;
            w.key("func_name")?.string("__kelf")?;
            w.key("kelf")?.string(&kelf_name(0))?;
            w.key("num_inputs")?.number_text(inputs.len())?;
            w.key("num_outputs")?.number_text(outputs.len())
        })?;
        w.key("inputs")?.array(|w| (0..inputs.len() as u64).try_for_each(|i| w.numbers([i, 0, 0])))?;
        w.key("name")?.string("sg_coreV10")?;
        w.key("op")?.string("tvm_op")?;
        w.key("output_names")?.strings(outputs.iter().map(|output| output.name.as_str()))
    })
}

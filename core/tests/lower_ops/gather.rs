//! Gathering, shuffling, batch norms, bounds and printing.

use crate::lower_support::case::{Case, case, is};
use crate::lower_support::{Ref, all, full, leak, list, sb, tensor, x};
use bir_core::enums::klr::{Dtype, Memory, PrintOutputBuffer};
use bir_core::klr::ast::{
    BatchNormAggregate, BatchNormStats, DevicePrint, Immediate, NcLocalGather, NcNGather, NonzeroWithCount, Operator,
    SequenceBounds, Shuffle,
};
use serde_json::json;

/// Four columns of 16-bit indices.
fn indices() -> Ref {
    all(tensor("index", Memory::sbuf, Dtype::uint16, &[128, 4]))
}

const INDICES: &str = "index:uint16 [[4,128],[1,4]] +0";

fn local_gather(num_valid_indicies: Option<Immediate>) -> Case {
    let record = NcLocalGather {
        dst: x("dst"),
        src: all(sb("src", &[128, 512])),
        index: indices(),
        num_elem_per_idx: Immediate::Int(1),
        num_valid_indicies,
    };
    case(
        Operator::NcLocalGather(leak(record)),
        is("IndirectCopy", "Unassigned")
            .ins(&["src:float32 [[512,128],[1,512]] +0", INDICES])
            .outs(&[&full("dst")])
            .set(json!({"num_valid_indices": 64})),
    )
}

fn device_print(buffer: PrintOutputBuffer, name: &str) -> Case {
    case(
        Operator::DevicePrint(leak(DevicePrint { src: x("src"), print_prefix: "x = ", buffer })),
        is("DevicePrint", "Unassigned").ins(&[&full("src")]).set(json!({"prefix": "x = ", "output_buffer": name})),
    )
}

cases! {
    batch_norm_aggregate = case(
        Operator::BatchNormAggregate(leak(BatchNormAggregate { dst: all(sb("dst", &[128, 2])), src: x("src"), dtype: None })),
        is("BNStatsAggregate", "DVE").ins(&[&full("src")]).outs(&["dst:float32 [[2,128],[1,2]] +0"]),
    );
    batch_norm_stats = case(
        Operator::BatchNormStats(leak(BatchNormStats { dst: all(sb("dst", &[128, 6])), src: x("src"), dtype: None })),
        is("BNStats", "DVE")
            .ins(&[&full("src")])
            .outs(&["dst:float32 [[6,128],[1,6]] +0"])
            .set(json!({"apply_transpose": false})),
    );
    nc_local_gather = local_gather(Some(Immediate::Int(64)));
    // All of them: 16 for each of four columns.
    nc_local_gather_of_all_indices = local_gather(None);
    shuffle = case(
        Operator::Shuffle(leak(Shuffle {
            dst: x("dst"),
            src: x("src"),
            shuffle_mask: list(&[Immediate::Int(3), Immediate::Int(0), Immediate::Int(31), Immediate::Int(255)]),
            dtype: None,
        })),
        is("StreamShuffle", "DVE").ins(&[&full("src")]).outs(&[&full("dst")]).set(json!({"mask": [3, 0, 31, 255]})),
    );
    sequence_bounds = case(
        Operator::SequenceBounds(leak(SequenceBounds { dst: x("dst"), segment_ids: x("ids"), dtype: None })),
        is("GetSequenceBounds", "Pool").ins(&[&full("ids")]).outs(&[&full("dst")]),
    );
    nc_n_gather = case(
        Operator::NcNGather(leak(NcNGather { dst: x("dst"), data: x("data"), indices: indices(), dtype: None })),
        is("Gather", "Unassigned").ins(&[&full("data"), INDICES]).outs(&[&full("dst")]),
    );
    nonzero_with_count = case(
        Operator::NonzeroWithCount(leak(NonzeroWithCount {
            dst: x("dst"),
            src: x("src"),
            index_offset: Immediate::Int(17),
            padding_val: Immediate::Int(-1),
        })),
        is("NonzeroWithCount", "Pool").ins(&[&full("src"), "imm:int32 17", "imm:int32 -1"]).outs(&[&full("dst")]),
    );
    device_print_to_stderr = device_print(PrintOutputBuffer::stderr, "stderr");
    device_print_to_stdout = device_print(PrintOutputBuffer::stdout, "stdout");
}

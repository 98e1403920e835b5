//! Random numbers. `rng` is a Memset, never the opcode Rng.

use crate::lower_support::case::{case, is};
use crate::lower_support::{all, float, full, leak, sb, tile, x};
use bir_core::enums::klr::Engine;
use bir_core::klr::ast::{Operator, Rand2, RandGetState, RandSetState, Rng, SetRngSeed};
use serde_json::json;

cases! {
    rng = case(
        Operator::Rng(leak(Rng { dst: x("dst"), engine: Engine::act })),
        is("Memset", "Activation").outs(&[&full("dst")]).set(json!({"mode": "Random", "constant": 0})),
    );
    rand2 = case(
        Operator::Rand2(leak(Rand2 { dst: x("dst"), min: float(-1.0), max: tile(all(sb("max", &[128, 1]))) })),
        is("Rand2", "Unassigned")
            .ins(&["imm:float32 -1.0", "max:float32 [[1,128],[1,1]] +0"])
            .outs(&[&full("dst")]),
    );
    rand_get_state = case(
        Operator::RandGetState(leak(RandGetState { dst: x("dst"), engine: Engine::pool })),
        is("RandGetState", "Pool").outs(&[&full("dst")]),
    );
    set_rng_seed = case(
        Operator::SetRngSeed(leak(SetRngSeed { src: x("seed") })),
        is("SetRandState", "Unassigned").ins(&[&full("seed")]).set(json!({"rng_engine": "Unassigned"})),
    );
    rand_set_state = case(
        Operator::RandSetState(leak(RandSetState { src: x("state"), engine: Engine::dve })),
        is("RandSetState", "DVE").ins(&[&full("state")]),
    );
}

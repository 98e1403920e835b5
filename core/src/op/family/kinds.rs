//! Families of engines, architectures, element types and tensor kinds (`spec/enums.md` section 5).
#![forbid(unsafe_code)]

use crate::enums::bir::{ArchLevel, Dtype, EngineType, TensorKind};

/// `isDataPathEngine`: an engine that computes on data: Pool, Activation, PE, DVE or SP (mask 0x6E).
#[must_use]
pub const fn is_data_path_engine(engine: EngineType) -> bool {
    engine.datapath()
}

/// `supportsDMAQoSOnISA`: whether descriptors of the architecture have a priority class: levels above 29.
#[must_use]
pub const fn supports_dma_qos_on_isa(arch: ArchLevel) -> bool {
    arch.supports_dma_qos()
}

/// `isX4Dtype`: an element type that packs four MX elements.
#[must_use]
pub const fn is_x4_dtype(dtype: Dtype) -> bool {
    dtype.is_x4()
}

/// The kinds of external inputs: 0 and 1.
#[must_use]
pub const fn is_external_input_kind(kind: TensorKind) -> bool {
    kind.ordinal().cast_unsigned() <= 1
}

/// The kinds of inputs: 0 to 2.
#[must_use]
pub const fn is_input_kind(kind: TensorKind) -> bool {
    kind.ordinal().cast_unsigned() <= 2
}

/// The kinds of external outputs: 3 and 4.
#[must_use]
pub const fn is_external_output_kind(kind: TensorKind) -> bool {
    kind.ordinal().cast_unsigned().wrapping_sub(3) <= 1
}

/// The kinds of outputs: 3 to 5.
#[must_use]
pub const fn is_output_kind(kind: TensorKind) -> bool {
    kind.ordinal().cast_unsigned().wrapping_sub(3) <= 2
}

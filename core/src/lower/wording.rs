//! Texts that the sources leave open, and the rules of our own: what the reference does not check because it would crash or
//! go on with nonsense there.

use super::row::{Kind, Rule};

/// The wording of the errors whose text `spec/lowering.toml` leaves open, by id.
pub const OPEN: &[(&str, &str)] = &[
    ("core_id_unset", "The kernel has {n} bodies, one per core, and no core id is given"),
    ("not_allocated", "The on-chip tensor {name} has no address: both offsets are needed"),
    ("subdim", "Unsupported sub-dimension"),
    ("dge_mode", "Unsupported dgeMode {n}, the largest is 3"),
    ("both_offsets", "A dynamic access has a scalar or a vector offset, not both"),
    ("matmul_tile", "tileSize and tilePosition have two elements each, not {n}"),
    ("gather_geometry", "The gather does not fit its operands: {...}"),
    ("shuffle_mask", "The entries of a shuffle mask are integers"),
    ("cc_counts", "The collective has the wrong number of tensors: {...}"),
    ("cc_groups", "The replica groups must be a literal list"),
    ("cc_op", "A reducing collective needs an op"),
    ("cc_dim", "concatDim must be 0 (partition) or 1 (free)"),
    ("cc_channel", "The collective needs a channel_id"),
    ("cc_pairs", "sourceTargetPairs must be a list of pairs"),
    ("sr_core", "A local send and receive needs a core id"),
    ("no_reorder", "A no-reorder block must end in an unconditional branch"),
];

macro_rules! own {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $text:literal;)*) => {
        $($(#[$doc])* pub static $name: Rule = Rule { id: $id, kind: Kind::Own, text: Some($text) };)*

        /// All rules of our own.
        pub static OWN: &[&Rule] = &[$(&$name,)*];
    };
}

own! {
    /// Two tensors of one name differ in shape or dtype.
    TENSOR_CONFLICT = "tensor_conflict", "The tensor {name} was defined before with another shape or dtype";
    /// Two tensors of one name lie at different addresses (a warning).
    TENSOR_ADDRESS = "tensor_address", "The tensor {name} was defined before with another address";
    /// A tensor is larger than a location can say.
    TENSOR_SIZE = "tensor_size", "The tensor {name} is too large";
    /// A tensor lies in registers.
    TENSOR_MEMORY = "tensor_memory", "The tensor {name} lies in registers, which have no locations";
    /// A shared constant is defined twice.
    CONSTANT_CONFLICT = "constant_conflict", "The shared constant {name} is defined twice";
    /// A pattern has no pair, or more than four that cannot be merged.
    ACCESS_PAIRS = "access_pairs", "An access pattern has one to four pairs after merging, not {n}";
    /// The first step of an on-chip access is not the number of elements per partition (a warning).
    ACCESS_STEP = "access_step", "The first step of an on-chip access is the number of elements per partition, not {n}";
    /// An on-chip access starts at another partition than 0, 32, 64 or 96 (a warning).
    ACCESS_PARTITION = "access_partition", "An on-chip access starts at partition 0, 32, 64 or 96, not {n}";
    /// An access of the older form has not one index per dimension.
    ACCESS_INDEXES = "access_indexes", "An access has one index per dimension, not {n}";
    /// An index of the older form lies outside of its dimension, or selects nothing.
    ACCESS_BOUNDS = "access_bounds", "The index {n} is outside of the tensor";
    /// An operator of the older form has another number of arguments.
    ARGUMENT_COUNT = "argument_count", "The operator does not take {n} arguments";
    /// A dynamic access selects a dimension that the tensor does not have.
    INDIRECT_DIM = "indirect_dim", "The tensor has no dimension {n}";
    /// A number does not fit its place.
    NUMBER_RANGE = "number_range", "The number {n} is out of range";
    /// A float where an integer must be.
    NUMBER_INTEGER = "number_integer", "The number {n} must be an integer";
    /// A branch compares a register that nothing has made.
    UNKNOWN_REGISTER = "unknown_register", "The register {name} does not exist";
    /// A branch leads to a block that does not exist.
    UNKNOWN_LABEL = "unknown_label", "The block {name} does not exist";
    /// Two blocks of a body have one label.
    DUPLICATE_LABEL = "duplicate_label", "The block {name} exists already";
    /// A DMA priority above 14.
    DMA_PRIORITY = "dma_priority", "The priority {n} is above 14";
    /// A reduction that starts from a value.
    REDUCE_INIT = "reduce_init", "A reduction that starts from a value is not supported";
    /// A statement that must come after itself.
    EDGE_SELF = "edge_self", "{name} cannot come after itself";
    /// A tensor that the lowering made has no room behind those of the kernel (a warning).
    UNPLACED = "unplaced", "The tensor {name} of the compiler does not fit behind the tensors of the kernel";
    /// The binary of a carrier cannot be read.
    CARRIER_BINARY = "carrier_binary", "The binary of the kernel cannot be read: {...}";
    /// The version of a carrier's binary.
    CARRIER_VERSION = "carrier_version", "The binary version is {...}, not 1.0.0";
    /// A carrier's document has no function for the core.
    CARRIER_FUNCTION = "carrier_function", "The kernel's document has no function {n}";
    /// A carrier binds another number of tensors than the kernel has.
    CARRIER_BINDING = "carrier_binding", "The carrier does not bind the tensors of the kernel: {...}";
}

#[cfg(test)]
mod tests {
    use super::super::table::RULES;
    use super::*;

    #[test]
    fn every_open_text_has_a_wording_and_no_other() {
        let open: std::vec::Vec<&str> = RULES.iter().filter(|r| r.text.is_none()).map(|r| r.id).collect();
        let ours: std::vec::Vec<&str> = OPEN.iter().map(|(id, _)| *id).collect();
        assert_eq!(open, ours);
    }

    #[test]
    fn ids_are_unique_and_texts_have_one_placeholder_at_most() {
        let mut ids: std::vec::Vec<&str> = RULES.iter().chain(OWN).map(|r| r.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for rule in RULES.iter().chain(OWN) {
            assert!(rule.wording().matches('{').count() <= 1, "{}", rule.id);
        }
        assert_eq!(RULES.len(), 62);
    }
}

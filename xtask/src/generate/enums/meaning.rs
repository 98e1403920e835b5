//! What enums and member keys mean, in one line each: the table gives numbers and spellings, not sense. A new enum or
//! key without a line here stops the generator.

/// `space.Name` and its meaning.
pub const ENUMS: &[(&str, &str)] = &[
    ("bir.InstructionType", "The opcode of an instruction"),
    ("bir.AluOpType", "The arithmetic, logic or compare operation of an instruction"),
    ("bir.ReduceCmdType", "A reduce command that serializes but that no field uses"),
    ("bir.TSCMode", "What a TensorScalarCache keeps: one result, running results, or a scan"),
    ("bir.CopyMode", "What a DMACopy does on the way"),
    ("bir.MemsetMode", "Whether a Memset writes a constant or random numbers"),
    ("bir.Dtype", "The element type of a tensor"),
    ("bir.EngineType", "The engine that runs an instruction"),
    ("bir.EngineAccumulationType", "How a result joins what an engine has accumulated"),
    ("bir.ArchLevel", "The hardware generation, times ten"),
    ("bir.ArchRevision", "The revision within a hardware generation"),
    ("bir.AxisListType", "Which innermost axes a reduction collapses"),
    ("bir.IndirectDim", "The axis of an access pattern that an index tensor drives"),
    ("bir.TransposeOps", "A permutation of the four axes W Z Y X"),
    ("bir.MatmultPerfMode", "The performance mode of a matrix multiplication"),
    ("bir.BranchCompareOp", "The comparison of a conditional branch, with an immediate or a register"),
    ("bir.BranchOutcomeHint", "Which way a branch will probably go"),
    ("bir.CollectiveKind", "Which collective operation runs across cores"),
    ("bir.CollectiveDimension", "The dimension along which a collective concatenates or splits"),
    ("bir.CollectiveComputeTypeHint", "The parallelism strategy that a collective serves"),
    ("bir.RandomAlgorithmKind", "The algorithm of the random number generator"),
    ("bir.RandomDistributionKind", "The distribution of the random numbers"),
    ("bir.EventSemaphoreClearMode", "How a group of semaphores is cleared: by range or by bit mask"),
    ("bir.DGEType", "Which descriptor generation engine makes the DMA descriptors"),
    ("bir.DMAQoSClass", "The priority class of a DMA"),
    ("bir.DMAQueueAttribute", "An attribute of a DMA queue; no member is published"),
    ("bir.ActivationFunctionType", "The function of an activation instruction"),
    ("bir.PoolFunctionType", "The function of a pooling instruction"),
    ("bir.UniqueTensorsType", "Whether the tensors of an instruction are known to be distinct"),
    ("bir.AddressRotationScope", "The scope in which addresses of a buffer rotate"),
    ("bir.KernelSource", "The front-end version that a kernel comes from"),
    ("bir.DebugDeviceBuffer", "The stream that a device print writes to"),
    ("bir.TensorCompletionMode", "What a TensorCompletion reports"),
    ("bir.InstSyncType", "Which part of the hardware synchronizes an instruction"),
    ("bir.EdgeKind", "The kind of a dependency between instructions"),
    ("bir.NamedObjectOrigin", "Which front end made a named object"),
    ("bir.ArgumentKind", "The class of an operand"),
    ("bir.InstructionArgumentType", "Which operand list of an instruction holds an operand"),
    ("bir.FunctionAttribute", "An attribute of a function; most members are not published"),
    ("bir.ModuleAttribute", "An attribute of a module, among them the feature bits of a package"),
    ("bir.MemoryType", "The memory that a placement lies in"),
    ("bir.MemoryAddressSpace", "Who sees a DRAM tensor"),
    ("bir.TensorClass", "The class of a logical tensor"),
    ("bir.TensorKind", "The role of a tensor at the module's boundary"),
    ("bir.AliasKind", "How two places may or must share memory; bits that add up"),
    ("bir.StorageKind", "The class of a storage object"),
    ("bir.SyncType", "A word of the sync records; no member is published"),
    ("bir.WaitMode", "What an instruction waits for"),
    ("bir.UpdateMode", "What an instruction does to a semaphore or event when it is done"),
    ("bir.DMAQueueType", "What a DMA queue carries"),
    ("walrus.DGELevels", "A choice of transfers whose descriptors hardware may generate; a pass option"),
    ("klr.Dtype", "The element type of a front-end tensor"),
    ("klr.Engine", "The engine of a front-end instruction"),
    ("klr.AluOp", "The arithmetic, logic or compare operation of a front-end instruction"),
    ("klr.ActivationFunc", "The activation function of a front-end instruction"),
    ("klr.AccumCmd", "The accumulation command of a front-end instruction"),
    ("klr.MatmulPerfMode", "The performance mode of a front-end matrix multiplication"),
    ("klr.DropoutThresholdType", "Whether a dropout threshold drops or keeps"),
    ("klr.AffineSelectCmp", "The comparison of an affine select"),
    ("klr.DgeComputeOp", "The operation that a DMA applies at its destination"),
    ("klr.MatmulGroupElement", "The place of a multiplication in its accumulation group"),
    ("klr.IndexMissBehavior", "What an indexed access does for an index that is absent"),
    ("klr.DmaBounds", "What a DMA does for an address out of bounds"),
    ("klr.TensorScalarReverseOps", "Which operands of a tensor-scalar instruction change places"),
    ("klr.TensorSubDim", "Which innermost axes a front-end reduction collapses"),
    ("klr.TransposeOps", "A permutation of the four axes W Z Y X in the front end"),
    ("klr.BrCmpOp", "The comparison of a front-end branch"),
    ("klr.Memory", "The memory of a front-end tensor"),
    ("klr.PrintOutputBuffer", "The stream that a front-end device print writes to"),
    ("klr.ImmediateTag", "Which form an immediate has"),
    ("klr.ReplicaGroupTag", "Which form a replica group has"),
    ("isa.NEURON_ISA_TPB_OPCODE", "The opcode byte of a 64-byte bundle"),
    ("isa.NEURON_ISA_TPB_DTYPE", "The element type tag of a bundle"),
    ("isa.NEURON_ISA_TPB_IMM_SRC", "Where a bundle takes an immediate from"),
    (
        "isa.NEURON_ISA_TPB_MATMUL_PSUM_ACCUMULATE_FLAGS",
        "The accumulation flags of a matrix multiplication; bits that add up",
    ),
    ("isa.WIRE_ENGINE_INDEX", "The encoder's index of an engine"),
];

/// A member key and its meaning as the doc comment of a method.
pub const KEYS: &[(&str, &str)] = &[
    ("abstract_base", "Whether the class of the opcode is an abstract base"),
    ("aliasable", "Whether places in this memory may carry alias edges"),
    ("align_core_v3", "The address alignment in bytes on CoreV3; 0 means that no address is aligned"),
    ("align_core_v4", "The address alignment in bytes on CoreV4; 0 means that no address is aligned"),
    ("ap_index", "The index of the axis in an access pattern, outermost first"),
    ("board", "Whether a board of this level is known"),
    ("class", "The class of the member"),
    ("commutativity", "Whether the operands may change places"),
    ("constructible", "Whether objects of this kind can be made"),
    ("container_bits", "The size of the addressed container in bits: all lanes together"),
    ("container_bytes", "The size of the addressed container in bytes: the stride of address arithmetic"),
    ("core_v4_only", "Whether only CoreV4 has the operation"),
    ("datapath", "Whether it is a datapath engine"),
    ("dma_queue_type", "The type of the queue that moves such tensors; `None` if there is none"),
    ("element_bits", "The size of one lane in bits"),
    ("engine_count_offset", "The byte offset in the board's array of engine counts; not in the order of the ordinals"),
    ("event_semaphore", "What an EventSemaphore does with the mode, where it is special"),
    ("external_name", "The name that users see"),
    ("family", "The editorial family of the opcode; no stored field and no predicate"),
    (
        "fits_descriptor_field",
        "Whether the class fits the three-bit field of a DMA descriptor; `None` where nothing is asked",
    ),
    ("generation", "The number of the hardware generation"),
    ("group", "The group of kinds it belongs to"),
    ("hardwired", "Whether the engine computes it without a lookup table"),
    ("hazard", "The data hazard that the edge orders"),
    (
        "innermost_dims",
        "How many innermost dimensions a reduction collapses; `None` where a reduction refuses the list",
    ),
    ("json_kind", "What documents write in the key `kind`; `None` if it is not written"),
    ("json_tag", "What documents write in the key `Skind`"),
    ("l3_equals_l1", "Whether the CoreV4 byte equals the ordinal; `None` without a byte"),
    ("lanes", "How many elements share a container"),
    ("list_key", "The document key of the operand list"),
    ("lut_size_max", "The largest size of the lookup table, in entries"),
    ("lut_size_min", "The smallest size of the lookup table, in entries"),
    ("needs_reduce_op", "Whether the verifier asks for a reduce operation"),
    ("neff_feature_bit", "The feature bit of the package header; `None` if the attribute sets none"),
    ("placeable", "Whether the compiler places tensors there"),
    ("pwp_id", "The id that the activation engine dispatches on"),
    ("pwp_name", "The activation engine's own name of the function"),
    ("role", "The role, in words"),
    ("runtime_name", "The name that the runtime uses"),
    ("same_inst", "How structural equality treats the opcode"),
    ("sentinel", "Whether the member stands for no value"),
    ("src_index", "The source axis index for each destination position; axes count W Z Y X from 0"),
];

/// The keys that become silicon bytes: `wire_byte` and `wire_word` speak for them.
pub const WIRE_KEYS: &[&str] =
    &["l3_core_v2v3", "l3_core_v3", "l3_core_v4", "l3_core_v2v3_status", "l3_core_v4_status", "l3_core_v4_raw_i32"];

/// Flags that only the exceptional members carry, with the value of all others.
pub const FLAGS: &[(&str, bool)] = &[
    ("abstract_base", false),
    ("aliasable", false),
    ("placeable", false),
    ("sentinel", false),
    ("constructible", true),
];

/// Member keys whose values are a closed set of words: enum, key, type, meaning.
pub const CATEGORIES: &[(&str, &str, &str, &str)] = &[
    ("InstructionType", "family", "InstructionFamily", "The editorial family of an opcode"),
    (
        "InstructionType",
        "same_inst",
        "SameInst",
        "How structural equality treats an opcode (`spec/enums.md` section 5)",
    ),
    ("AluOpType", "class", "AluOpClass", "The class of an ALU operation"),
    ("AluOpType", "commutativity", "Commutativity", "Whether the operands of an operation may change places"),
    ("Dtype", "class", "DtypeClass", "The class of an element type"),
    ("TensorKind", "group", "TensorKindGroup", "The group of a tensor kind"),
    ("EdgeKind", "hazard", "Hazard", "The data hazard that a dependency orders"),
];

/// Member keys whose values are ordinals of another bir enum.
pub const ENUM_KEYS: &[(&str, &str)] = &[("dma_queue_type", "DMAQueueType")];

pub fn of_enum(space: &str, name: &str) -> Result<&'static str, String> {
    let full = format!("{space}.{name}");
    let found = ENUMS.iter().find(|(n, _)| *n == full).map(|(_, text)| *text);
    found.ok_or(format!("meaning.rs: no line for the enum {full}"))
}

pub fn of_key(key: &str) -> Result<&'static str, String> {
    KEYS.iter().find(|(k, _)| *k == key).map(|(_, text)| *text).ok_or(format!("meaning.rs: no line for the key {key}"))
}

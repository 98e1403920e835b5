//! The generated enums against `spec/enums.toml` itself, row by row, and against each other.

use super::{ENUMS, EnumInfo, IrEnum, JsonForm, bir, find, isa, klr, walrus};
use crate::error::ErrorCode;
use std::collections::BTreeSet;
use std::format;
use std::string::ToString;
use std::vec::Vec;
use toml::{Table, Value};

fn spec(name: &str) -> Table {
    let path = format!("{}/../spec/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn rows<'a>(table: &'a Table, name: &str) -> &'a [Value] {
    table.get(name).and_then(Value::as_array).map_or(&[], |v| v)
}

#[test]
fn roster_is_the_specification() {
    let spec = spec("enums.toml");
    let entries = rows(&spec, "enum");
    assert_eq!(entries.len(), ENUMS.len());
    for (i, (entry, info)) in entries.iter().zip(&ENUMS).enumerate() {
        assert_eq!((info.id.index(), Some(info.name)), (i, entry["name"].as_str()));
        assert_eq!(Some(info.space.as_str()), entry["space"].as_str(), "{}", info.name);
        assert_eq!(Some(i64::from(info.count)), entry["count"].as_integer(), "{}", info.name);
        assert_eq!(Some(info.json.as_str()), entry["json"].as_str(), "{}", info.name);
        assert_eq!(Some(info.shape.as_str()), entry["shape"].as_str(), "{}", info.name);
        assert_eq!(info.json_read_number, entry.get("json_read_number").is_some(), "{}", info.name);
        assert_eq!(info.roster_complete, entry.get("roster").is_none(), "{}", info.name);
        let qualified = format!("{}.{}", info.space, info.name);
        assert_eq!(find(&qualified).map(|e| e.id), Some(info.id));
        let members = rows(entry.as_table().unwrap(), "member");
        assert_eq!(members.len(), info.members.len(), "{}", info.name);
        for (row, member) in members.iter().zip(info.members) {
            assert_eq!(Some(i64::from(member.ordinal)), row["ordinal"].as_integer(), "{qualified}");
            assert_eq!(Some(member.name), row["name"].as_str(), "{qualified}");
            // Every further key is an attribute with the same value.
            let keys: BTreeSet<_> = row.as_table().unwrap().keys().map(|k| k.as_str()).collect();
            assert_eq!(keys.len(), member.attributes.len() + 2, "{qualified}");
            for attribute in member.attributes {
                let value = &row[attribute.key];
                let text = value.as_str().map_or_else(|| value.to_string(), ToString::to_string);
                assert_eq!(attribute.value.to_string(), text, "{qualified}.{}.{}", member.name, attribute.key);
                assert_eq!(member.attribute(attribute.key), Some(attribute.value));
            }
        }
    }
}

#[test]
fn rosters_are_complete_unless_they_say_otherwise() {
    for info in &ENUMS {
        let (published, complete) = match info.name {
            "FunctionAttribute" => (2, false),
            "DMAQueueAttribute" | "SyncType" => (0, false),
            _ => (info.count as usize, true),
        };
        assert_eq!((info.members.len(), info.roster_complete), (published, complete), "{}", info.name);
    }
    assert_eq!(bir::FunctionAttribute::INFO.count, 25);
}

#[test]
fn both_directions_over_all_members() {
    for info in &ENUMS {
        let ordinals: BTreeSet<_> = info.members.iter().map(|m| m.ordinal).collect();
        let names: BTreeSet<_> = info.members.iter().map(|m| m.name).collect();
        assert_eq!((ordinals.len(), names.len()), (info.members.len(), info.members.len()), "{}", info.name);
        for member in info.members {
            assert_eq!(info.by_name(member.name), Ok(member));
            assert_eq!(info.by_ordinal(i64::from(member.ordinal)), Ok(member));
            match info.json {
                JsonForm::Name => assert_eq!(info.by_json(member.name), Ok(member)),
                JsonForm::Kind => assert!(member.json.is_none_or(|text| info.by_json(text) == Ok(member))),
                JsonForm::Number | JsonForm::None => assert!(member.json.is_none()),
            }
        }
        unknown(info, &ordinals, &names);
    }
}

fn unknown(info: &EnumInfo, ordinals: &BTreeSet<i32>, names: &BTreeSet<&str>) {
    for ordinal in (-3..=300).chain([i64::MIN, i64::MAX, 1 << 32, i64::from(i32::MIN)]) {
        let known = i32::try_from(ordinal).is_ok_and(|o| ordinals.contains(&o));
        match info.by_ordinal(ordinal) {
            Ok(member) => assert!(known && i64::from(member.ordinal) == ordinal, "{} {ordinal}", info.name),
            Err(e) => {
                assert!(!known && e.code == ErrorCode::UnknownEnum && !e.message.is_empty(), "{} {ordinal}", info.name);
                assert!(e.expected.contains(info.name) && e.found == ordinal.to_string(), "{e}");
            }
        }
    }
    let mut bad: Vec<_> = names.iter().map(|n| format!("{n}?")).collect();
    bad.extend(["".to_string(), "\u{0}".to_string(), "no such member".to_string(), "x".repeat(100_000)]);
    for name in bad {
        let e = info.by_name(&name).unwrap_err();
        assert_eq!(e.code, ErrorCode::UnknownEnum);
        assert!(e.expected.contains(info.name) && e.to_string().len() < 3000, "{e}");
        if let Some(member) = name.strip_suffix('?').filter(|n| !n.is_empty()) {
            // Another member may be as near; the suggestion is still one of this enum's.
            assert!(member.len() >= 64 || e.expected.contains("did you mean `"), "{e}");
        }
    }
}

/// The Rust type against its row of the roster.
fn typed<E: IrEnum>() {
    let info = E::INFO;
    assert_eq!((E::ID, E::MEMBERS.len()), (info.id, info.members.len()), "{}", info.name);
    for (value, member) in E::MEMBERS.iter().zip(info.members) {
        assert_eq!((value.ordinal(), value.name()), (member.ordinal, member.name), "{}", info.name);
        assert_eq!(E::from_ordinal(i64::from(member.ordinal)), Ok(*value));
        assert_eq!(E::from_name(member.name), Ok(*value));
    }
    let free = (0..).find(|o| info.by_ordinal(*o).is_err()).unwrap();
    assert_eq!(E::from_ordinal(free), Err(info.by_ordinal(free).unwrap_err()));
    assert_eq!(E::from_name("no such member"), Err(info.by_name("no such member").unwrap_err()));
    assert_eq!(size_of::<E>(), 4, "{}", info.name);
}

macro_rules! check_types {
    ($($space:ident: $($name:ident)*;)*) => {
        #[test]
        fn types_are_the_roster() {
            let mut ids = BTreeSet::new();
            $($(typed::<$space::$name>(); ids.insert($space::$name::ID);)*)*
            // Every enum with a member has a type.
            let with_members: BTreeSet<_> = ENUMS.iter().filter(|e| !e.members.is_empty()).map(|e| e.id).collect();
            assert_eq!(ids, with_members);
        }
    };
}

check_types! {
    bir: InstructionType AluOpType ReduceCmdType TSCMode CopyMode MemsetMode Dtype EngineType EngineAccumulationType
        ArchLevel ArchRevision AxisListType IndirectDim TransposeOps MatmultPerfMode BranchCompareOp BranchOutcomeHint
        CollectiveKind CollectiveDimension CollectiveComputeTypeHint RandomAlgorithmKind RandomDistributionKind
        EventSemaphoreClearMode DGEType DMAQoSClass ActivationFunctionType PoolFunctionType UniqueTensorsType
        AddressRotationScope KernelSource DebugDeviceBuffer TensorCompletionMode InstSyncType EdgeKind
        NamedObjectOrigin ArgumentKind InstructionArgumentType FunctionAttribute ModuleAttribute MemoryType
        MemoryAddressSpace TensorClass TensorKind AliasKind StorageKind WaitMode UpdateMode DMAQueueType;
    walrus: DGELevels;
    klr: Dtype Engine AluOp ActivationFunc AccumCmd MatmulPerfMode DropoutThresholdType AffineSelectCmp DgeComputeOp
        MatmulGroupElement IndexMissBehavior DmaBounds TensorScalarReverseOps TensorSubDim TransposeOps BrCmpOp Memory
        PrintOutputBuffer ImmediateTag ReplicaGroupTag;
    isa: NEURON_ISA_TPB_OPCODE NEURON_ISA_TPB_DTYPE NEURON_ISA_TPB_IMM_SRC
        NEURON_ISA_TPB_MATMUL_PSUM_ACCUMULATE_FLAGS WIRE_ENGINE_INDEX;
}

#[test]
fn defaults_are_the_constructors() {
    assert_eq!(bir::DGEType::DEFAULT, bir::DGEType::Unassigned);
    assert_eq!(bir::CollectiveDimension::DEFAULT, bir::CollectiveDimension::Free);
    assert_eq!(bir::CollectiveComputeTypeHint::DEFAULT, bir::CollectiveComputeTypeHint::None);
    assert_eq!(bir::CollectiveKind::DEFAULT, bir::CollectiveKind::AllReduce);
    assert_eq!(bir::EngineType::DEFAULT, bir::EngineType::Unassigned);
    assert_eq!((bir::DGEType::INFO.default, bir::MemoryType::INFO.default), (Some(3), None));
    assert!(ENUMS.iter().filter(|e| e.space.as_str() == "klr").all(|e| e.default.is_none()));
}

#[test]
fn member_keys_are_methods() {
    use super::category::{AluOpClass, Commutativity, DtypeClass, Hazard, SameInst};
    let op = bir::AluOpType::subtract;
    assert_eq!((op.class(), op.commutativity()), (AluOpClass::Arith, Commutativity::OrderSensitive));
    let dtype = bir::Dtype::float8_e8m0fnu;
    assert_eq!((dtype.class(), dtype.class().as_str(), dtype.lanes()), (DtypeClass::Fp8Scale, "fp8-scale", 1));
    assert_eq!((bir::EngineType::Pool.external_name(), bir::EngineType::DMA.datapath()), ("GPSIMD", false));
    assert_eq!((bir::ArchLevel::gen3.runtime_name(), bir::ArchLevel::gen3.external_name()), ("cayman", "Trn2"));
    assert_eq!(bir::TransposeOps::WYXZ.src_index(), [0, 2, 3, 1]);
    assert_eq!(bir::MemoryType::DRAM.bits(), 8);
    let placeable = bir::MemoryType::MEMBERS.iter().filter(|m| m.placeable()).map(|m| m.name());
    assert_eq!(placeable.collect::<Vec<_>>(), ["DRAM", "SB", "PSUM"]);
    let aliasable = bir::MemoryType::MEMBERS.iter().filter(|m| m.aliasable()).map(|m| m.name());
    assert_eq!(aliasable.collect::<Vec<_>>(), ["DRAM"]);
    assert_eq!(bir::ModuleAttribute::neff_feature_DGE.neff_feature_bit(), Some(4096));
    assert_eq!(bir::ModuleAttribute::previous_pass.neff_feature_bit(), None);
    assert_eq!(bir::ActivationFunctionType::Copy.pwp_id(), Some(128));
    assert!(bir::ActivationFunctionType::Unknown.sentinel() && !bir::ActivationFunctionType::Exp.sentinel());
    assert_eq!(bir::EdgeKind::Anti.hazard(), Some(Hazard::WAR));
    assert_eq!(bir::InstructionType::Call.same_inst(), SameInst::NotImplemented);
    assert_eq!(bir::InstructionArgumentType::Output.list_key(), "outs");
    assert_eq!(bir::AxisListType::XYZWC.innermost_dims(), None);
    assert!(bir::CollectiveKind::AllReduce.needs_reduce_op());
    assert_eq!(bir::WaitMode::sem_ge_imm.name(), "sem-ge-imm");
    assert_eq!(klr::AluOp::r#mod.name(), "mod");
}

#[test]
fn transpositions_are_permutations_that_their_names_spell() {
    for op in bir::TransposeOps::MEMBERS.iter().filter(|op| **op != bir::TransposeOps::None) {
        let spelled: Vec<u8> = op.name().bytes().map(|c| b"WZYX".iter().position(|a| *a == c).unwrap() as u8).collect();
        assert_eq!(spelled, op.src_index(), "{op}");
    }
    assert_eq!(bir::TransposeOps::None.src_index(), [0, 1, 2, 3]);
}

#[test]
fn predicates_and_masks_are_the_specification() {
    use super::predicate;
    let spec = spec("enums.toml");
    assert_eq!(rows(&spec, "predicate").len(), predicate::PREDICATES.len());
    for row in rows(&spec, "predicate") {
        let name = row["name"].as_str().unwrap();
        let predicate = predicate::find(name).unwrap();
        let opcodes: Vec<i64> = predicate.opcodes.iter().map(|o| i64::from(o.ordinal())).collect();
        let listed: Vec<i64> = rows(row.as_table().unwrap(), "opcodes").iter().filter_map(Value::as_integer).collect();
        assert_eq!(opcodes, listed, "{name}");
        assert_eq!(rows(row.as_table().unwrap(), "conditions").len(), predicate.conditions.len(), "{name}");
    }
    // The masks of spec/enums.md section 5 give the listed sets; a set bit excludes in the second one.
    let by_mask = |base: u32, last: u32, mask: u64, excludes: bool| -> Vec<u32> {
        (0..110u32)
            .filter(|op| matches!(op.wrapping_sub(base), d if d <= last && (mask >> d & 1 == 1) != excludes))
            .collect()
    };
    let listed =
        |name: &str| predicate::find(name).unwrap().opcodes.iter().map(|o| o.ordinal() as u32).collect::<Vec<_>>();
    let mut rng = by_mask(58, 0x29, 0x380_0000_0085, false);
    rng.push(59);
    rng.sort_unstable();
    assert_eq!(rng, listed("isRNGInstruction"));
    assert_eq!(by_mask(19, 0x35, 0xFFC1_FFFF_FFFF_DFF6, true), listed("isSRDMA"));
    let table = super::wire::L3_TABLES.iter().find(|t| t.name.starts_with("AXI")).unwrap();
    let mut axi: Vec<u32> = (19..).zip(table.values).filter(|(_, bit)| **bit == 1).map(|(op, _)| op).collect();
    axi.insert(0, 18);
    assert_eq!(axi, listed("isDMAFamily (pass gate)"));
}

#[test]
fn accept_sets_and_opcode_bytes_are_the_specification() {
    use super::accept::ACCEPT_SETS;
    let spec = spec("enums.toml");
    let ints = |row: &Value, key: &str| -> Vec<i64> {
        rows(row.as_table().unwrap(), key).iter().map(|v| v.as_integer().unwrap()).collect()
    };
    assert_eq!(rows(&spec, "accept_set").len(), ACCEPT_SETS.len());
    for (row, set) in rows(&spec, "accept_set").iter().zip(ACCEPT_SETS) {
        assert_eq!(row["base"].as_str(), Some(set.base));
        let opcodes: Vec<i64> = set.opcodes.iter().map(|o| i64::from(o.ordinal())).collect();
        assert_eq!(ints(row, "opcodes"), opcodes, "{}", set.base);
    }
    for (row, opcode) in rows(&spec, "opcode_emit").iter().zip(bir::InstructionType::MEMBERS) {
        assert_eq!(row["name"].as_str(), Some(opcode.name()));
        assert_eq!(row["emit"].as_str(), Some(opcode.emit_kind().as_str()));
        for (key, generation) in ["core_v2", "core_v3", "core_v4"].into_iter().zip(super::CoreGeneration::ALL) {
            let bytes: Vec<i64> = opcode.silicon_opcodes(*generation).iter().map(|b| i64::from(*b)).collect();
            assert_eq!(ints(row, key), bytes, "{opcode}");
        }
    }
}

#[test]
fn instruction_fields_name_known_enums() {
    let spec = spec("instructions.toml");
    let mut seen = BTreeSet::new();
    for instruction in rows(&spec, "instruction") {
        for field in rows(instruction.as_table().unwrap(), "field") {
            if field["kind"].as_str() == Some("enum") {
                let name = field["type"].as_str().unwrap();
                assert_eq!(find(name).map(|e| e.space.as_str()), Some("bir"), "{name}");
                seen.insert(name.to_string());
            }
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn the_c_header_has_every_number() {
    let header = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../include/bir_enums.h")).unwrap();
    let defines: std::collections::BTreeMap<&str, i64> = header
        .lines()
        .filter_map(|l| l.strip_prefix("#define ")?.split_once(' '))
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    let ordinal = |name: &str| defines.get(name).copied();
    assert_eq!(ordinal("BIR_ALU_OP_TYPE_MULT"), Some(6));
    assert_eq!(ordinal("BIR_KLR_ALU_OP_MULT"), Some(25));
    assert_eq!(ordinal("BIR_DMA_QOS_CLASS_P14"), Some(16));
    assert_eq!(ordinal("BIR_WAIT_MODE_SEM_GE_REG"), Some(2));
    assert_eq!(ordinal("BIR_ENUM_ALU_OP_TYPE"), Some(i64::from(bir::AluOpType::ID.number())));
    assert_eq!(ordinal("BIR_ENUM_KLR_DTYPE"), Some(i64::from(klr::Dtype::ID.number())));
    assert_eq!(ordinal("BIR_ENUM_COUNT"), Some(ENUMS.len() as i64));
    let members = ENUMS.iter().filter(|e| matches!(e.space.as_str(), "bir" | "klr")).map(|e| e.members.len());
    assert_eq!(defines.len(), members.sum::<usize>() + ENUMS.len() + 1);
    assert_eq!(super::walrus::DGELevels::MEMBERS.len() + isa::WIRE_ENGINE_INDEX::MEMBERS.len(), 11);
}

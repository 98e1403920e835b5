//! What reading must refuse beyond wrong types and missing keys, after the error table (`spec/bir-json.md` section 9), each
//! condition with the smallest document that has it: operands, storage and expressions.

mod doc_support;

use bir_core::ErrorCode::*;
use doc_support::*;

const NONE: &str = "none of that name";

#[test]
#[rustfmt::skip]
fn operands() {
    const KINDS: &str = "physical_ap, symbolic_ap, symbolic_pwap, register_ap, imm_value, imm_array, symbolic_imm_value or \
                         register_access";
    check(
        &OPERAND,
        &[
            (r#"{"kind": ¦"ap"}"#, Unsupported, ".kind", "unsupported argument kind", KINDS, "`ap`"),
            (r#"{"kind": ¦"register_set", "dtype": "int8"}"#,
                Unsupported, ".kind", "unsupported argument kind", KINDS, "`register_set`"),
            // Immediate dtypes: the fp8 and fp4 types and float32r, in all three kinds.
            (r#"{"kind": "imm_value", "value": 1, "dtype": ¦"float8e4"}"#,
                Unsupported, ".dtype", "an immediate cannot have the dtype `float8e4`", "", ""),
            (r#"{"kind": "imm_value", "value": 1, "dtype": ¦"float32r"}"#,
                Unsupported, ".dtype", "an immediate cannot have the dtype `float32r`", "", ""),
            (r#"{"dtype": ¦"float8e5", "kind": "imm_array", "value_array": [1]}"#,
                Unsupported, ".dtype", "an immediate cannot have the dtype `float8e5`", "", ""),
            (r#"{"dtype": ¦"float32r", "kind": "symbolic_imm_value"}"#,
                Unsupported, ".dtype", "an immediate cannot have the dtype `float32r`", "", ""),
            // Values that the dtype cannot hold.
            (r#"{"dtype": "int8", "kind": "imm_value", "value": ¦128}"#,
                BadValue, ".value", "the number is out of range", "-128 to 127", "128"),
            (r#"{"dtype": "uint16", "kind": "imm_value", "value": ¦-1}"#,
                BadValue, ".value", "the number is out of range", "0 to 65535", "-1"),
            (r#"{"dtype": "int8", "kind": "symbolic_imm_value", "value_list": [{"value": 1}, {"value": ¦-129}]}"#,
                BadValue, ".value_list[1].value", "the number is out of range", "-128 to 127", "-129"),
            (r#"{"dtype": "float32", "kind": "imm_value", "value": ¦"infinite"}"#,
                BadValue, ".value", "", "a number or one of `inf`, `-inf`, `nan`", "`infinite`"),
            (r#"{"dtype": "float32", "kind": "imm_value", "value": ¦1e39}"#,
                BadValue, ".value", "the number is beyond the range of a 32-bit float", "-3.4028235e38 to 3.4028235e38", "1e39"),
            // References to storage, which must exist already.
            (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": ¦"zz"}"#,
                UnresolvedRef, ".memref", "there is no location `zz`", "the name of a location", NONE),
            (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": ¦"zz", "memsetref": "s"}"#,
                UnresolvedRef, ".memref", "there is no location `zz` in set `s`", "the name of a location", NONE),
            (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memsetref": ¦"t"}"#,
                UnresolvedRef, ".memsetref", "there is no set `t`", "the name of a set", NONE),
            (r#"{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memref_owner_func": ¦"g"}"#,
                UnresolvedRef, ".memref_owner_func", "there is no function `g`", "the name of a function", NONE),
            (r#"{"kind": "symbolic_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": ¦"t"}"#,
                UnresolvedRef, ".memsetref", "there is no set `t`", "the name of a set", NONE),
            // A register is no set, and a set is no register.
            (r#"{"kind": "symbolic_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": ¦"r"}"#,
                UnresolvedRef, ".memsetref", "there is no set `r`", "the name of a set", NONE),
            (r#"{"kind": "register_access", "dtype": "int8", "regref": ¦"s"}"#,
                UnresolvedRef, ".regref", "there is no register `s`", "the name of a register", NONE),
            (r#"{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "regref": ¦"q"}"#,
                UnresolvedRef, ".regref", "there is no register `q`", "the name of a register", NONE),
            (r#"{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "regref": "r", "reg_ap_offset": ¦"q"}"#,
                UnresolvedRef, ".reg_ap_offset", "there is no register `q`", "the name of a register", NONE),
            (r#"{"kind": "register_ap", "dtype": "int8", "ap": [[1, 8]], "memsetref": "s", "regref": "r", "reg_sub_tensor_id": ¦"q"}"#,
                UnresolvedRef, ".reg_sub_tensor_id", "there is no register `q`", "the name of a register", NONE),
            // Access patterns have 1 to 5 pairs, and the partition step is not negative.
            (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": ¦[]}"#,
                BadValue, ".ap", "an access pattern has at least one dimension", "1 to 5 pairs", "none"),
            (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1], ¦[1, 1]]}"#,
                BadValue, ".ap[5]", "an access pattern has at most 5 dimensions", "1 to 5 pairs", "more"),
            (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [¦[-1, 1]]}"#,
                BadValue, ".ap[0]", "the partition step of an access pattern is not negative", "0 or more", "-1"),
            (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [[1, 1], ¦[1]]}"#,
                WrongType, ".ap[1]", "", "a pair [step, num]", "1 numbers"),
            (r#"{"kind": "physical_ap", "dtype": "int8", "memref": "x", "ap": [¦[1, 2, 3]]}"#,
                WrongType, ".ap[0]", "", "a pair [step, num]", "3 numbers"),
        ],
    );
    check(
        &NOOP,
        &[
            // A second name for the function that is being read cannot be its own as well.
            (r#""ins": [{"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memref_owner_func": "f"},
                {"kind": "physical_ap", "dtype": "int8", "ap": [[1, 8]], "memref": "x", "memref_owner_func": ¦"g"}]"#,
                UnresolvedRef, ".ins[1].memref_owner_func", "there is no function `g`", "the name of a function", NONE),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn aliases_hints_and_ids_of_locations() {
    check(
        &LOCATION,
        &[
            (r#""alias": ¦{}"#, WrongType, ".alias", "", "an array of aliases", "an object"),
            (r#""alias": [¦["s", "z", 1]]"#,
                UnresolvedRef, ".alias[0]", "alias to a location that was not read: there is no location `z`", "the name of a location", NONE),
            (r#""alias": [¦["z", 1]]"#,
                UnresolvedRef, ".alias[0]", "alias to a location that was not read: there is no location `z`", "the name of a location", NONE),
            (r#""alias": [¦["t", "x", 1]]"#,
                UnresolvedRef, ".alias[0]", "alias to a location that was not read: there is no location `x`", "the name of a location", NONE),
            (r#""alias": [¦["s", "x"]]"#,
                WrongType, ".alias[0]", "", "[set, location, bits] or [location, bits]", "no bits"),
            (r#""alias": [¦[1]]"#, WrongType, ".alias[0]", "", "[set, location, bits] or [location, bits]", "0 names"),
            (r#""alias": [["x", ¦256]]"#, BadValue, ".alias[0][1]", "the bits of an alias do not fit three bits", "1 to 7", "256"),
            (r#""alias": [["x", ¦8]]"#,
                BadValue, ".alias[0][1]", "the bits of an alias do not fit three bits", "1 to 7", "8"),
            (r#""alias": [["x", ¦false]]"#,
                BadValue, ".alias[0][1]", "the bits of an alias do not fit three bits", "1 to 7", "0"),
            (r#""alias": [¦["x", 1]]"#, BadValue, ".alias[0]", "location `x` cannot alias itself", "", ""),
            (r#""alias": [["x", ¦1.5]]"#, BadValue, ".alias[0][1]", "the bits of an alias do not fit three bits", "1 to 7", "1.5"),
            (r#""alias": [["x", ¦-1]]"#, BadValue, ".alias[0][1]", "the bits of an alias do not fit three bits", "1 to 7", "-1"),
            (r#""alias": [["x", ¦[]]]"#, WrongType, ".alias[0][1]", "", "a number", "an array"),
            (r#""pack_id_hint": ¦3"#,
                BadValue, ".pack_id_hint", "pack_id_hint of location `x` only applies to PSUM", "", ""),
            (r#""pointer_ref_memloc": ¦"z""#,
                UnresolvedRef, ".pointer_ref_memloc", "there is no location `z`", "the name of a location", NONE),
            (r#""pointer_ref_memloc": ¦"x""#,
                BadValue, ".pointer_ref_memloc", "pointer_ref_memloc of location `x` needs kind Pointer", "", ""),
        ],
    );
    check(
        &LOCATIONS,
        &[
            // The second alias of the second location, and either end of it outside DRAM.
            (r#"{"name": "x", "type": "DRAM", "dims": [8]},
                {"name": "y", "type": "DRAM", "dims": [8], "alias": [["s", "x", 1], ¦["z", 1]]}"#, UnresolvedRef, "[1].alias[1]", "alias to a location that was not read: there is no location `z`", "the name of a location", NONE),
            (r#"{"name": "x", "type": "SB", "dims": [8]}, {"name": "y", "type": "DRAM", "dims": [8], "alias": [¦["x", 1]]}"#,
                BadValue, "[1].alias[0]", "alias between `y` and `x`: Aliasing only permitted for DRAM locations.", "", ""),
            (r#"{"name": "x", "type": "SB", "dims": [8], "alias": [¦["y", 1]]}, {"name": "y", "type": "DRAM", "dims": [8]}"#,
                BadValue, "[0].alias[0]", "alias between `x` and `y`: Aliasing only permitted for DRAM locations.", "", ""),
        ],
    );
    check(
        &ALLOCATIONS,
        &[
            (r#"{"name": "s", "kind": "Internal", "dtype": "int8", "tensorId2MemLocSize": 2, "memorylocations": [
                    {"name": "x", "type": "DRAM", "dims": [8], "tensor_id": 0},
                {"name": "y", "type": "DRAM", "dims": [8], "tensor_id": ¦-1}]}"#, BadValue, "[0].memorylocations[1].tensor_id", "location `y` has no tensor id: unassigned tensor id", "a tensor_id of 0 or more", "-1"),
            (r#"{"name": "s", "kind": "Internal", "dtype": "int8", "tensorId2MemLocSize": 1, "memorylocations": [
                    ¦{"name": "x", "type": "DRAM", "dims": [8]}]}"#,
                BadValue, "[0].memorylocations[0]", "location `x` has no tensor id: unassigned tensor id", "a tensor_id of 0 or more", "-1"),
        ],
    );
}

#[test]
#[rustfmt::skip]
fn expressions() {
    const OLD_OR_NEW: &str = "version 1 (old) or 2 (new)";
    const UNVERSIONED: &str = "the version does not say how this affine expression is written";
    const ORDER: &str = "functions[0].blocks[0].instructions[0].order[0]";
    const WITH_VERSION_3: &str = r#"{"version": 3, "arch": "gen3", "functions": [{"name": "f", "allocations": [], "blocks": [
        {"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "order": [¦{"c": 1}]}]}]}]}"#;
    const WITH_VERSION_0: &str = r#"{"arch": "gen3", "functions": [{"name": "f", "allocations": [], "blocks": [
        {"name": "b", "instructions": [{"name": "i", "opcode": "NoOp", "order": [¦{"kind": "AffExprKind"}]}]}]}],
        "version": 0}"#;
    check(
        &DOCUMENT,
        &[
            (WITH_VERSION_3, BadValue, ORDER, UNVERSIONED, OLD_OR_NEW, "version 3"),
            (WITH_VERSION_0, BadValue, ORDER, UNVERSIONED, OLD_OR_NEW, "version 0"),
        ],
    );
    // Without an expression the version does not matter.
    load(r#"{"version": 3, "arch": "gen3", "functions": []}"#).unwrap();
    const KINDS: &str = "AffExprKind, AffIVKind, ShardIDKind, IntRuntimeValueKind, SumKind, MultKind, FloorDivKind, \
                         ModuloKind, CCDivKind, CCGetRankKind, IndirectArgId";
    check(
        &EXPRESSION,
        &[
            (r#"{"kind": "SumKind", "n_terms": ¦1, "terms": []}"#,
                Conflict, ".n_terms", "n_terms differs from the number of terms", "1 terms", "0 terms"),
            (r#"{"kind": "SumKind", "terms": [{"kind": "ShardIDKind", "ub": 2}], "n_terms": ¦2}"#,
                Conflict, ".n_terms", "n_terms differs from the number of terms", "2 terms", "1 terms"),
            (r#"{"kind": ¦"AffKind"}"#, UnknownEnum, ".kind", "unknown expression kind", KINDS, "`AffKind`"),
            (r#"{"kind": "MultKind", "scale": 2, "var": {"kind": ¦"x"}}"#,
                UnknownEnum, ".var.kind", "unknown expression kind", KINDS, "`x`"),
            (r#"{"op": ¦"Sub", "op_param": 2}"#,
                UnknownEnum, ".op", "unknown expression operation", "Mod, Div, CCGetRank or IndirectArgId", "`Sub`"),
            // Names: axes from the instruction outward, registers of the function.
            (r#"{"kind": "AffIVKind", "axis": ¦"k"}"#,
                UnresolvedRef, ".axis", "there is no enclosing loop with axis `k`", "the name of an axis", NONE),
            (r#"{"terms": [{"AxisLabel": "j"}, {"AxisLabel": ¦"k"}]}"#,
                UnresolvedRef, ".terms[1].AxisLabel", "there is no enclosing loop with axis `k`", "the name of an axis", NONE),
            (r#"{"kind": "IntRuntimeValueKind", "regref": ¦"q"}"#,
                UnresolvedRef, ".regref", "there is no register `q`", "the name of a register", NONE),
            // Ranges: divisors above 0, ids not negative, small enough for their field.
            (r#"{"kind": "FloorDivKind", "denom": ¦0, "numer": {"kind": "ShardIDKind", "ub": 2}}"#,
                BadValue, ".denom", "the denominator of a FloorDivKind is 0, not positive", "", ""),
            (r#"{"kind": "ModuloKind", "denom": ¦-4, "numer": {"kind": "ShardIDKind", "ub": 2}}"#,
                BadValue, ".denom", "the denominator of a ModuloKind is -4, not positive", "", ""),
            (r#"{"op": "Mod", "op_param": ¦0}"#,
                BadValue, ".op_param", "the denominator of a ModuloKind is 0, not positive", "", ""),
            (r#"{"op": "IndirectArgId", "op_param": ¦-1}"#,
                BadValue, ".op_param", "a IndirectArgId takes no negative number", "", ""),
            (r#"{"kind": "CCGetRankKind", "iteration_id": ¦-1}"#,
                BadValue, ".iteration_id", "a CCGetRankKind takes no negative number", "", ""),
            (r#"{"kind": "CCGetRankKind", "iteration_id": 1, "channel_id": ¦-1}"#,
                BadValue, ".channel_id", "a CCGetRankKind takes no negative number", "", ""),
            (r#"{"kind": "IndirectArgId", "arg_id": ¦-1}"#,
                BadValue, ".arg_id", "a IndirectArgId takes no negative number", "", ""),
            (r#"{"kind": "CCDivKind", "denom": ¦0, "numer": {"kind": "ShardIDKind", "ub": 2}}"#,
                BadValue, ".denom", "the denominator of a CCDivKind is 0, not positive", "", ""),
            (r#"{"kind": "CCDivKind", "denom": 2, "replica_groups_id": ¦-1, "numer": {"kind": "ShardIDKind", "ub": 2}}"#,
                BadValue, ".replica_groups_id", "replica_groups_id -1 does not fit 32 bits", "", ""),
        ],
    );
    check(
        &NOOP,
        &[
            (r#""loopnest": [¦"k"]"#,
                UnresolvedRef, ".loopnest[0]", "there is no enclosing loop with axis `k`", "the name of an axis", NONE),
            (r#""predicates": [{"expr": {}, "op": ¦"lt"}]"#,
                UnknownEnum, ".predicates[0].op", "unknown comparison", "`ge` or `eq`", "`lt`"),
        ],
    );
    check(
        &INSTRUCTIONS,
        &[(r#"{"name": "w", "opcode": "DoWhile", "blocks": [], "cond": ¦{"kind": "ShardIDKind", "ub": 2}}"#,
            WrongKind, "[0].cond", "the condition is an integer run-time value", "IntRuntimeValueKind", "ShardIDKind")],
    );
}

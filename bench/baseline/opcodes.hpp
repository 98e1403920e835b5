// The classes of the opcodes that the generated program consists of, each with all of its keys.
#pragma once

#include <array>

#include "ir.hpp"
#include "names.hpp"

namespace baseline {

/// Reads an optional key.
template <class T> void optional(const json &from, const char *key, T &value) {
    auto found = from.find(key);
    if (found != from.end() && !found->is_null()) {
        found->get_to(value);
    }
}

inline int member(const json &from, const char *key, const Names &names) {
    return names.ordinal(from.at(key).get_ref<const std::string &>());
}

inline void optional_member(const json &from, const char *key, const Names &names, int &value) {
    auto found = from.find(key);
    if (found != from.end() && !found->is_null()) {
        value = names.ordinal(found->get_ref<const std::string &>());
    }
}

/// Writes a key whose value is not the default.
template <class T> void unless_default(json &to, const char *key, const T &value, const T &usual) {
    if (value != usual) {
        to[key] = value;
    }
}

inline void unless_default(json &to, const char *key, const Names &names, int value, int usual) {
    if (value != usual) {
        to[key] = names.name(value);
    }
}

// A constant where an expression could stand is read as a constant; the generated program has no expressions.

struct Matmult : Instruction {
    std::uint8_t accumulation_flag = 0, psum_zero_region = 0, ifmap_quant_offset = 0, weights_quant_offset = 0;
    std::uint32_t replication_resolution = 0, replication_shift_amnt = 0, replication_num_rows = 0;
    bool is_transpose = false, is_fmap_onezero = false, is_weight_onezero = false;
    std::array<int, 2> tile_size = {-1, -1}, tile_position = {-1, -1};
    int perf_mode = 0;
    using Instruction::Instruction;
    void read(const json &from) override {
        optional(from, "accumulation_flag", accumulation_flag);
        optional(from, "psum_zero_region", psum_zero_region);
        optional(from, "replication_resolution", replication_resolution);
        optional(from, "replication_shift_amnt", replication_shift_amnt);
        optional(from, "replication_num_rows", replication_num_rows);
        optional(from, "is_transpose", is_transpose);
        optional(from, "is_fmap_onezero", is_fmap_onezero);
        optional(from, "is_weight_onezero", is_weight_onezero);
        optional(from, "tile_size", tile_size);
        optional(from, "tile_position", tile_position);
        optional_member(from, "perf_mode", MatmultPerfMode, perf_mode);
        optional(from, "ifmap_quant_offset", ifmap_quant_offset);
        optional(from, "weights_quant_offset", weights_quant_offset);
    }
    void write(json &to) const override {
        to["accumulation_flag"] = accumulation_flag;
        to["psum_zero_region"] = psum_zero_region;
        to["replication_resolution"] = replication_resolution;
        to["replication_shift_amnt"] = replication_shift_amnt;
        to["replication_num_rows"] = replication_num_rows;
        to["is_transpose"] = is_transpose;
        to["is_fmap_onezero"] = is_fmap_onezero;
        to["is_weight_onezero"] = is_weight_onezero;
        to["tile_size"] = tile_size;
        to["tile_position"] = tile_position;
        to["perf_mode"] = MatmultPerfMode.name(perf_mode);
        to["ifmap_quant_offset"] = ifmap_quant_offset;
        to["weights_quant_offset"] = weights_quant_offset;
    }
};

struct Activation : Instruction {
    double scale = 0, alpha = 0;
    bool can_read_uninit = false, is_activate2 = false, reverse0 = false, reverse1 = false;
    int func = 0, acc = 0, op0 = 0, op1 = 0, reduce_op = 0;
    using Instruction::Instruction;
    void read(const json &from) override {
        from.at("scale").get_to(scale);
        from.at("alpha").get_to(alpha);
        optional(from, "can_read_uninit", can_read_uninit);
        func = member(from, "func", ActivationFunctionType);
        acc = member(from, "acc", EngineAccumulationType);
        optional(from, "is_activate2", is_activate2);
        op0 = member(from, "op0", AluOpType);
        op1 = member(from, "op1", AluOpType);
        optional(from, "reverse0", reverse0);
        optional(from, "reverse1", reverse1);
        reduce_op = member(from, "reduce_op", AluOpType);
    }
    void write(json &to) const override {
        to["scale"] = scale;
        to["alpha"] = alpha;
        unless_default(to, "can_read_uninit", can_read_uninit, false);
        to["func"] = ActivationFunctionType.name(func);
        to["acc"] = EngineAccumulationType.name(acc);
        unless_default(to, "is_activate2", is_activate2, false);
        to["op0"] = AluOpType.name(op0);
        to["op1"] = AluOpType.name(op1);
        unless_default(to, "reverse0", reverse0, false);
        unless_default(to, "reverse1", reverse1, false);
        to["reduce_op"] = AluOpType.name(reduce_op);
    }
};

struct TensorTensor : Instruction {
    int op = 0, acc = 0;
    using Instruction::Instruction;
    void read(const json &from) override {
        op = member(from, "op", AluOpType);
        optional_member(from, "acc", EngineAccumulationType, acc);
    }
    void write(json &to) const override {
        to["op"] = AluOpType.name(op);
        unless_default(to, "acc", EngineAccumulationType, acc, 0);
    }
};

struct TensorScalar : Instruction {
    int op0 = 0, op1 = 0;
    double const0 = 0, const1 = 0;
    bool reverse0 = false, reverse1 = false;
    using Instruction::Instruction;
    void read(const json &from) override {
        op0 = member(from, "op0", AluOpType);
        from.at("const0").get_to(const0);
        from.at("reverse0").get_to(reverse0);
        op1 = member(from, "op1", AluOpType);
        from.at("const1").get_to(const1);
        from.at("reverse1").get_to(reverse1);
    }
    void write(json &to) const override {
        to["op0"] = AluOpType.name(op0);
        to["const0"] = const0;
        to["reverse0"] = reverse0;
        to["op1"] = AluOpType.name(op1);
        to["const1"] = const1;
        to["reverse1"] = reverse1;
    }
};

struct TensorScalarPtr : Instruction {
    int op0 = 0, op1 = 0, acc = 0;
    bool reverse0 = false, reverse1 = false, apply_transpose = false, is_tensor_scalar_addr = false;
    bool is_scalar_tensor_tensor = false, is_tensor_tensor_scan = false, negate_second_output = false;
    using Instruction::Instruction;
    void read(const json &from) override {
        op0 = member(from, "op0", AluOpType);
        from.at("reverse0").get_to(reverse0);
        op1 = member(from, "op1", AluOpType);
        from.at("reverse1").get_to(reverse1);
        optional(from, "apply_transpose", apply_transpose);
        optional(from, "is_tensor_scalar_addr", is_tensor_scalar_addr);
        optional(from, "is_scalar_tensor_tensor", is_scalar_tensor_tensor);
        optional(from, "is_tensor_tensor_scan", is_tensor_tensor_scan);
        optional_member(from, "acc", EngineAccumulationType, acc);
        optional(from, "negate_second_output", negate_second_output);
    }
    void write(json &to) const override {
        to["op0"] = AluOpType.name(op0);
        to["reverse0"] = reverse0;
        to["op1"] = AluOpType.name(op1);
        to["reverse1"] = reverse1;
        unless_default(to, "apply_transpose", apply_transpose, false);
        unless_default(to, "is_tensor_scalar_addr", is_tensor_scalar_addr, false);
        unless_default(to, "is_scalar_tensor_tensor", is_scalar_tensor_tensor, false);
        unless_default(to, "is_tensor_tensor_scan", is_tensor_tensor_scan, false);
        unless_default(to, "acc", EngineAccumulationType, acc, 0);
        unless_default(to, "negate_second_output", negate_second_output, false);
    }
};

struct TensorCopy : Instruction {
    bool can_read_uninit = false;
    using Instruction::Instruction;
    void read(const json &from) override { optional(from, "can_read_uninit", can_read_uninit); }
    void write(json &to) const override { unless_default(to, "can_read_uninit", can_read_uninit, false); }
};

struct Load : Instruction {
    static constexpr int dge_unassigned = 3;
    Queue *queue = nullptr;
    int dge_type = dge_unassigned, dma_qos = 0, dma_qos_default = 0;
    bool duplicate = false, can_read_uninit = false;
    explicit Load(int opcode) : Instruction(opcode) {
        dma_qos = dma_qos_default = DMAQoSClass.ordinal("Unassigned");
    }
    void read(const json &from) override {
        optional_member(from, "dge_type", DGEType, dge_type);
        optional(from, "duplicate", duplicate);
        optional(from, "can_read_uninit", can_read_uninit);
        optional_member(from, "dma_qos", DMAQoSClass, dma_qos);
    }
    void write(json &to) const override {
        if (queue) {
            to["queue"] = queue->name;
        }
        unless_default(to, "dge_type", DGEType, dge_type, dge_unassigned);
        unless_default(to, "duplicate", duplicate, false);
        unless_default(to, "can_read_uninit", can_read_uninit, false);
        unless_default(to, "dma_qos", DMAQoSClass, dma_qos, dma_qos_default);
    }
    Queue **queue_slot() override { return &queue; }
};

struct DMACopy : Load {
    int mode = 0, transpose_op = 0, cce_op = 0;
    bool oob_is_err = true, use_gpsimd_dma = false;
    std::vector<double> constants;
    std::vector<std::vector<std::uint32_t>> replica_groups;
    std::vector<std::uint32_t> remote_notification;
    using Load::Load;
    void read(const json &from) override {
        Load::read(from);
        mode = member(from, "mode", CopyMode);
        optional(from, "oob_is_err", oob_is_err);
        optional_member(from, "transpose_op", TransposeOps, transpose_op);
        optional(from, "constants", constants);
        optional_member(from, "cce_op", AluOpType, cce_op);
        optional(from, "replica_groups", replica_groups);
        optional(from, "remote_notification", remote_notification);
        optional(from, "use_gpsimd_dma", use_gpsimd_dma);
    }
    void write(json &to) const override {
        Load::write(to);
        to["mode"] = CopyMode.name(mode);
        to["oob_is_err"] = oob_is_err;
        unless_default(to, "transpose_op", TransposeOps, transpose_op, 0);
        unless_default(to, "constants", constants, {});
        unless_default(to, "cce_op", AluOpType, cce_op, 0);
        unless_default(to, "replica_groups", replica_groups, {});
        unless_default(to, "remote_notification", remote_notification, {});
        unless_default(to, "use_gpsimd_dma", use_gpsimd_dma, false);
    }
};

struct Memset : Instruction {
    int mode = 0;
    std::uint32_t constant = 0;
    using Instruction::Instruction;
    void read(const json &from) override {
        mode = member(from, "mode", MemsetMode);
        from.at("constant").get_to(constant);
    }
    void write(json &to) const override {
        to["mode"] = MemsetMode.name(mode);
        to["constant"] = constant;
    }
};

struct TensorReduce : Instruction {
    int op = 0, axis = 0;
    bool apply_transpose = false, negate = false;
    using Instruction::Instruction;
    void read(const json &from) override {
        op = member(from, "op", AluOpType);
        axis = member(from, "axis", AxisListType);
        optional(from, "apply_transpose", apply_transpose);
        optional(from, "negate", negate);
    }
    void write(json &to) const override {
        to["op"] = AluOpType.name(op);
        to["axis"] = AxisListType.name(axis);
        unless_default(to, "apply_transpose", apply_transpose, false);
        unless_default(to, "negate", negate, false);
    }
};

/// Makes the object of an opcode.
inline Instruction *make_instruction(const std::string &opcode) {
    using Maker = Instruction *(*)(int);
    static const std::unordered_map<std::string, Maker> makers = {
        {"Matmult", [](int o) -> Instruction * { return new Matmult(o); }},
        {"Activation", [](int o) -> Instruction * { return new Activation(o); }},
        {"TensorTensor", [](int o) -> Instruction * { return new TensorTensor(o); }},
        {"TensorScalar", [](int o) -> Instruction * { return new TensorScalar(o); }},
        {"TensorScalarPtr", [](int o) -> Instruction * { return new TensorScalarPtr(o); }},
        {"TensorCopy", [](int o) -> Instruction * { return new TensorCopy(o); }},
        {"DMACopy", [](int o) -> Instruction * { return new DMACopy(o); }},
        {"Load", [](int o) -> Instruction * { return new Load(o); }},
        {"Memset", [](int o) -> Instruction * { return new Memset(o); }},
        {"TensorReduce", [](int o) -> Instruction * { return new TensorReduce(o); }},
        {"Reciprocal", [](int o) -> Instruction * { return new Instruction(o); }},
    };
    auto maker = makers.find(opcode);
    if (maker == makers.end()) {
        throw std::runtime_error("the baseline does not know the opcode " + opcode);
    }
    return maker->second(InstructionType.ordinal(opcode));
}

} // namespace baseline

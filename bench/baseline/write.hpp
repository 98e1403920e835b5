// From the objects back to a tree, which nlohmann::json then prints.
#pragma once

#include <algorithm>

#include "opcodes.hpp"

namespace baseline {

class Writer {
public:
    static json write(const Module &module) {
        json root = json::object();
        root["arch"] = ArchLevel.name(module.arch);
        if (!module.attributes.empty()) {
            root["attributes"] = module.attributes;
        }
        json &functions = root["functions"] = json::array();
        for (const Function &function : module.functions) {
            functions.push_back(write(function));
        }
        if (module.queues.front()) {
            json &queues = root["queues"] = json::array();
            for (const Queue &queue : module.queues) {
                queues.push_back(write(queue));
            }
        }
        root["version"] = 2;
        return root;
    }

private:
    static json header(const NamedObject &object) {
        json to = json::object();
        to["name"] = object.name;
        to["origin"] = NamedObjectOrigin.name(object.origin);
        return to;
    }

    static json write(const Function &function) {
        json to = header(function);
        to["attributes"] = function.attributes;
        json &sets = to["allocations"] = json::array();
        for (const LocationSet &set : function.sets) {
            sets.push_back(write(set));
        }
        json &blocks = to["blocks"] = json::array();
        for (const Block &block : function.blocks) {
            blocks.push_back(write(block));
        }
        return to;
    }

    static json write(const LocationSet &set) {
        json to = header(set);
        to["Skind"] = "memory_location_set";
        to["kind"] = TensorKind.name(set.kind);
        to["dtype"] = Dtype.name(set.dtype);
        unless_default(to, "tensor_class", TensorClass, set.tensor_class, 0);
        unless_default(to, "tensor_shape", set.tensor_shape, {});
        unless_default(to, "partition_dim", set.partition_dim, 0);
        unless_default(to, "file", set.file, std::string());
        if (!set.debug.is_null()) {
            to["debug"] = set.debug;
        }
        json &locations = to["memorylocations"] = json::array();
        for (const Location &location : set.locations) {
            locations.push_back(write(location));
        }
        return to;
    }

    static json write(const Location &location) {
        json to = header(location);
        to["Skind"] = "memory_location";
        to["type"] = MemoryType.name(location.type);
        unless_default<std::uint64_t>(to, "addr", location.addr, 0);
        unless_default<std::uint32_t>(to, "base", location.base, 0);
        unless_default<std::int64_t>(to, "bank", location.bank, 0);
        to["dims"] = location.dims;
        unless_default(to, "allocated", location.allocated, false);
        unless_default(to, "user_allocated", location.user_allocated, false);
        unless_default(to, "pinned", location.pinned, false);
        unless_default(to, "tensor_id", location.tensor_id, -1);
        return to;
    }

    static json write(const Block &block) {
        json to = header(block);
        json &instructions = to["instructions"] = json::array();
        for (const Instruction &instruction : block.instructions) {
            instructions.push_back(write(instruction));
        }
        return to;
    }

    static json write(const Instruction &instruction) {
        const Schedule &schedule = *instruction.schedule;
        json to = header(instruction);
        to["opcode"] = InstructionType.name(instruction.opcode);
        to["engine"] = EngineType.name(instruction.engine);
        to["engine_id"] = instruction.engine_id;
        to["scheduled_start"] = schedule.start;
        to["scheduled_end"] = schedule.end;
        to["optin_passes"] = json::array();
        if (!schedule.debug.is_null()) {
            to["debug"] = schedule.debug;
        }
        instruction.write(to);
        to["ins"] = write(instruction.ins);
        to["outs"] = write(instruction.outs);
        if (!instruction.dependencies.empty()) {
            to["dependencies"] = dependencies(instruction);
        }
        if (schedule.has_sync) {
            to["sync_info"] = sync(schedule);
        }
        return to;
    }

    static json write(const List<Argument> &operands) {
        json to = json::array();
        for (const Argument &operand : operands) {
            to.push_back(write(operand));
        }
        return to;
    }

    static json write(const Argument &operand) {
        json to = json::object();
        to["dtype"] = Dtype.name(operand.dtype);
        if (operand.kind == Argument::Kind::Immediate) {
            const Immediate &immediate = static_cast<const Immediate &>(operand);
            to["kind"] = "imm_value";
            to["value"] = immediate.is_float ? json(immediate.value) : json(static_cast<std::int64_t>(immediate.value));
            return to;
        }
        const PhysicalAP &access = static_cast<const PhysicalAP &>(operand);
        to["kind"] = "physical_ap";
        to["memref"] = access.location->name;
        to["memsetref"] = access.location->set->name;
        to["offset"] = access.offset;
        json &pattern = to["ap"] = json::array();
        for (std::uint32_t i = 0; i < access.dims; ++i) {
            pattern.push_back(json::array({access.pattern[i].step, access.pattern[i].num}));
        }
        return to;
    }

    /// In program order, so that output is reproducible.
    static json dependencies(const Instruction &instruction) {
        std::vector<std::pair<Instruction *, int>> edges(instruction.dependencies.begin(), instruction.dependencies.end());
        std::sort(edges.begin(), edges.end(), [](const auto &a, const auto &b) { return a.first->id < b.first->id; });
        json to = json::array();
        for (const auto &[target, kind] : edges) {
            to.push_back(json::array({target->name, EdgeKind.name(kind)}));
        }
        return to;
    }

    static json sync(const Schedule &schedule) {
        json to = json::object();
        for (const Wait &wait : schedule.waits) {
            json entry = {{"id", wait.id}, {"wait_value", wait.value}};
            if (wait.from) {
                entry["from"] = wait.from->name;
            }
            to["on_wait"].push_back(std::move(entry));
        }
        for (const Update &update : schedule.updates) {
            to["on_update"].push_back({{"id", update.id}, {"update_value", update.value}});
        }
        return to;
    }

    static json write(const Queue &queue) {
        json to = header(queue);
        to["blocks"] = json::array();
        unless_default(to, "type", DMAQueueType, queue.type, 2);
        unless_default(to, "engine", EngineType, queue.engine, 0);
        unless_default<std::uint32_t>(to, "engine_id", queue.engine_id, 0);
        unless_default<std::uint32_t>(to, "num_dma_engines", queue.num_dma_engines, 0);
        return to;
    }
};

} // namespace baseline

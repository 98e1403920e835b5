// From the tree to the objects, in two passes: the first builds, the second resolves what may point forward.
#pragma once

#include "opcodes.hpp"

namespace baseline {

class Reader {
public:
    static Module *read(const json &root) {
        Module *module = new Module();
        Reader reader(*module);
        reader.module_header(root);
        for (const json &function : root.at("functions")) {
            reader.function(function);
        }
        auto queues = root.find("queues");
        if (queues != root.end()) {
            for (const json &queue : *queues) {
                reader.queue(queue);
            }
        }
        reader.resolve();
        return module;
    }

private:
    explicit Reader(Module &module) : module(module) {}

    Module &module;
    /// What the second pass walks: each instruction with its part of the tree.
    struct Pending {
        Instruction *instruction;
        const json *source;
    };
    struct FunctionPending {
        std::unordered_map<std::string, Instruction *> by_name;
        std::vector<Pending> instructions;
    };
    std::vector<FunctionPending> pending;

    template <class T> void header(T &object, const json &from) {
        from.at("name").get_to(object.name);
        optional_member(from, "origin", NamedObjectOrigin, object.origin);
        object.id = module.next_id++;
    }

    /// Enters an object under its name; a name that is taken gets a suffix.
    template <class T> static void enter(std::unordered_map<std::string, T *> &table, T *object) {
        const std::string wanted = object->name;
        for (int n = 1; !table.emplace(object->name, object).second; ++n) {
            object->name = wanted + "_" + std::to_string(n);
        }
    }

    template <class T> static T *find(const std::unordered_map<std::string, T *> &table, const std::string &name) {
        auto found = table.find(name);
        if (found == table.end()) {
            throw std::runtime_error("unknown name " + name);
        }
        return found->second;
    }

    void module_header(const json &root) {
        if (root.at("version").get<int>() < 1) {
            throw std::runtime_error("unknown version");
        }
        module.arch = member(root, "arch", ArchLevel);
        optional(root, "attributes", module.attributes);
    }

    void function(const json &from) {
        Function *function = new Function();
        header(*function, from);
        enter(module.function_by_name, function);
        module.functions.push_back(function);
        optional(from, "attributes", function->attributes);
        pending.emplace_back();
        for (const json &storage : from.at("allocations")) {
            set(*function, storage);
        }
        for (const json &block : from.at("blocks")) {
            this->block(*function, block);
        }
    }

    void set(Function &function, const json &from) {
        LocationSet *set = new LocationSet();
        header(*set, from);
        set->function = &function;
        set->kind = member(from, "kind", TensorKind);
        set->dtype = member(from, "dtype", Dtype);
        optional_member(from, "tensor_class", TensorClass, set->tensor_class);
        optional(from, "tensor_shape", set->tensor_shape);
        optional(from, "partition_dim", set->partition_dim);
        optional(from, "file", set->file);
        optional(from, "debug", set->debug);
        enter(function.set_by_name, set);
        function.sets.push_back(set);
        for (const json &location : from.at("memorylocations")) {
            this->location(*set, location);
        }
    }

    void location(LocationSet &set, const json &from) {
        Location *location = new Location();
        header(*location, from);
        location->set = &set;
        location->type = member(from, "type", MemoryType);
        optional(from, "addr", location->addr);
        optional(from, "base", location->base);
        optional(from, "bank", location->bank);
        from.at("dims").get_to(location->dims);
        optional(from, "allocated", location->allocated);
        optional(from, "user_allocated", location->user_allocated);
        optional(from, "pinned", location->pinned);
        optional(from, "tensor_id", location->tensor_id);
        enter(set.location_by_name, location);
        set.locations.push_back(location);
    }

    void block(Function &function, const json &from) {
        Block *block = new Block();
        header(*block, from);
        block->function = &function;
        enter(function.block_by_name, block);
        function.blocks.push_back(block);
        for (const json &instruction : from.at("instructions")) {
            this->instruction(*block, instruction);
        }
    }

    void instruction(Block &block, const json &from) {
        Instruction *instruction = make_instruction(from.at("opcode").get_ref<const std::string &>());
        header(*instruction, from);
        instruction->block = &block;
        // A name means the first that bore it, whatever it is called now.
        pending.back().by_name.emplace(instruction->name, instruction);
        enter(block.instruction_by_name, instruction);
        block.instructions.push_back(instruction);
        optional_member(from, "engine", EngineType, instruction->engine);
        optional(from, "engine_id", instruction->engine_id);
        optional(from, "scheduled_start", instruction->schedule->start);
        optional(from, "scheduled_end", instruction->schedule->end);
        optional(from, "debug", instruction->schedule->debug);
        instruction->read(from);
        operands(*instruction, from, "ins", false);
        operands(*instruction, from, "outs", true);
        pending.back().instructions.push_back({instruction, &from});
    }

    void operands(Instruction &instruction, const json &from, const char *key, bool is_output) {
        auto list = from.find(key);
        if (list == from.end()) {
            return;
        }
        for (const json &operand : *list) {
            Argument *argument = this->operand(instruction, operand, is_output);
            argument->instruction = &instruction;
            argument->dtype = member(operand, "dtype", Dtype);
            (is_output ? instruction.outs : instruction.ins).push_back(argument);
        }
    }

    Argument *operand(Instruction &instruction, const json &from, bool is_output) {
        const std::string &kind = from.at("kind").get_ref<const std::string &>();
        if (kind == "physical_ap") {
            return access_pattern(*instruction.block->function, from, is_output);
        }
        if (kind == "imm_value") {
            Immediate *immediate = new Immediate();
            const json &value = from.at("value");
            immediate->is_float = value.is_number_float();
            value.get_to(immediate->value);
            return immediate;
        }
        throw std::runtime_error("unsupported argument kind " + kind);
    }

    static Argument *access_pattern(Function &function, const json &from, bool is_output) {
        PhysicalAP *access = new PhysicalAP();
        LocationSet *set = find(function.set_by_name, from.at("memsetref").get_ref<const std::string &>());
        access->location = find(set->location_by_name, from.at("memref").get_ref<const std::string &>());
        (is_output ? access->location->writers : access->location->readers).push_back(access);
        optional(from, "offset", access->offset);
        const json &pattern = from.at("ap");
        if (pattern.empty() || pattern.size() > PhysicalAP::max_dims) {
            throw std::runtime_error("an access pattern has 1 to 5 pairs");
        }
        for (const json &pair : pattern) {
            access->pattern[access->dims++] = {pair.at(0).get<std::int64_t>(), pair.at(1).get<std::int64_t>()};
        }
        return access;
    }

    void queue(const json &from) {
        Queue *queue = new Queue();
        header(*queue, from);
        optional_member(from, "type", DMAQueueType, queue->type);
        optional_member(from, "engine", EngineType, queue->engine);
        optional(from, "engine_id", queue->engine_id);
        optional(from, "num_dma_engines", queue->num_dma_engines);
        enter(module.queue_by_name, queue);
        module.queues.push_back(queue);
    }

    void resolve() {
        for (const FunctionPending &function : pending) {
            for (const Pending &one : function.instructions) {
                dependencies(function, *one.instruction, *one.source);
                sync(function, *one.instruction, *one.source);
                Queue **slot = one.instruction->queue_slot();
                auto queue = one.source->find("queue");
                if (slot && queue != one.source->end()) {
                    *slot = find(module.queue_by_name, queue->get_ref<const std::string &>());
                }
            }
        }
    }

    static void dependencies(const FunctionPending &function, Instruction &instruction, const json &from) {
        auto edges = from.find("dependencies");
        if (edges == from.end()) {
            return;
        }
        for (const json &edge : *edges) {
            Instruction *target = find(function.by_name, edge.at(0).get_ref<const std::string &>());
            int kind = EdgeKind.ordinal(edge.at(1).get_ref<const std::string &>());
            instruction.dependencies.emplace(target, kind);
            target->descendents.emplace(&instruction, kind);
        }
    }

    static void sync(const FunctionPending &function, Instruction &instruction, const json &from) {
        auto info = from.find("sync_info");
        if (info == from.end()) {
            return;
        }
        Schedule &schedule = *instruction.schedule;
        schedule.has_sync = true;
        auto waits = info->find("on_wait");
        if (waits != info->end()) {
            for (const json &wait : *waits) {
                Instruction *producer = nullptr;
                auto name = wait.find("from");
                if (name != wait.end()) {
                    producer = find(function.by_name, name->get_ref<const std::string &>());
                }
                schedule.waits.push_back({wait.at("id"), wait.at("wait_value"), producer});
            }
        }
        auto updates = info->find("on_update");
        if (updates != info->end()) {
            for (const json &update : *updates) {
                schedule.updates.push_back({update.at("id"), update.at("update_value")});
            }
        }
    }
};

} // namespace baseline

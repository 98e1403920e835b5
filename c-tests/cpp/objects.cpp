// The members of objects, read in place: what the C API was told is what C++ sees, and the other way round.
#include "check.hpp"

#include <algorithm>
#include <vector>

namespace {

struct Program {
    bir_module *module = NEW(bir_module_create(&err));
    bir_function *function = NEW(bir_module_add_function(module, T("main"), nullptr, nullptr, &err));
    bir_block *block = NEW(bir_function_add_block(function, T("block"), nullptr, nullptr, &err));
    bir_set *set = NEW(bir_function_add_set(function, T("set"), BIR_TENSOR_KIND_CONST, BIR_DTYPE_BFLOAT16, nullptr, nullptr, &err));
    bir_register *reg = NEW(bir_function_add_register(function, T("r0"), nullptr, nullptr, &err));
    bir_location *location = NEW(bir_set_add_location(set, T("location"), BIR_MEMORY_TYPE_DRAM, nullptr, nullptr, &err));
    bir_location *other = NEW(bir_set_add_location(set, T("other"), BIR_MEMORY_TYPE_DRAM, nullptr, nullptr, &err));
    bir_queue *queue = NEW(bir_module_add_queue(module, T("queue"), BIR_DMA_QUEUE_TYPE_DYNAMIC, nullptr, nullptr, &err));

    Program() = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() { bir_module_destroy(module); }

    bir_inst *add(std::int32_t opcode, const char *name = "inst") {
        return NEW(bir_block_add_inst(block, opcode, T(name), nullptr, nullptr, &err));
    }
};

void modules() {
    Program p;
    auto *module = as<layout::Module>(p.module);
    auto *function = as<layout::Function>(p.function);
    CHECK(module->arch == BIR_ARCH_LEVEL_GEN3 && module->arch_revision == BIR_ARCH_REVISION_V1);
    OK(bir_module_set_arch(p.module, BIR_ARCH_LEVEL_CORE_V4, &err));
    OK(bir_module_set_revision(p.module, BIR_ARCH_REVISION_V2, &err));
    CHECK(module->arch == BIR_ARCH_LEVEL_CORE_V4 && module->arch_revision == BIR_ARCH_REVISION_V2);
    std::uint32_t next = 0;
    OK(bir_module_next_id(p.module, &next, &err));
    CHECK(module->next_unique_id == next && next == 7);
    // What C++ writes is what C reads.
    module->arch = BIR_ARCH_LEVEL_SUNDA;
    std::int32_t arch = 0;
    OK(bir_module_arch(p.module, &arch, &err));
    CHECK(arch == BIR_ARCH_LEVEL_SUNDA);
    module->arch = 12345;
    CHECK(bir_module_arch(p.module, &arch, &err) != BIR_STATUS_OK && arch == BIR_ARCH_LEVEL_SUNDA);
    module->arch = BIR_ARCH_LEVEL_GEN3;

    CHECK(function->named.owner == &module->function_holder && module->function_holder.module == module);
    CHECK(function->named.unique_id == 0 && function->basic_block_holder.holder_kind == 0);
    CHECK(function->named.named_object_base.origin == BIR_NAMED_OBJECT_ORIGIN_INTERNAL);
    CHECK(function->named.named_object_base.optin_passes_mask == 0xF);
    auto *block = as<layout::BasicBlock>(p.block);
    CHECK(block->named.owner == &function->basic_block_holder && block->named.named_object_base.name == "block");
    CHECK(block->block_args.next == &block->block_args && block->block_args.prev == &block->block_args);
    NEW(bir_block_add_arg(p.block, T("phi"), nullptr, &err));
    CHECK(block->block_args.next != &block->block_args && block->block_args.next == block->block_args.prev);
    CHECK(block->block_args.next->next == &block->block_args && block->block_args.next->prev == &block->block_args);
    auto *queue = as<layout::DMAQueue>(p.queue);
    CHECK(queue->named.owner == module && queue->queue_type == BIR_DMA_QUEUE_TYPE_DYNAMIC && queue->engine == 0);
    OK(bir_queue_set_engine(p.queue, BIR_ENGINE_TYPE_SP, &err));
    OK(bir_queue_set_engine_id(p.queue, 3, &err));
    CHECK(queue->engine == BIR_ENGINE_TYPE_SP && queue->engine_id == 3);
    // Unlinked: no links, no owner.
    OK(bir_block_unlink(p.block, &err));
    CHECK(block->named.ilist_node.next == nullptr && block->named.ilist_node.prev == nullptr);
}

void instructions() {
    Program p;
    static const void *const table[4] = {};
    OK(bir_module_register_vtable(p.module, BIR_INSTRUCTION_TYPE_NOOP, table, &err));
    for (std::int32_t opcode = 0; opcode < 110; opcode++) {
        bir_inst *handle = p.add(opcode);
        auto *inst = as<layout::Instruction>(handle);
        CHECK(inst->vptr == (opcode == BIR_INSTRUCTION_TYPE_NOOP ? static_cast<const void *>(table) : nullptr));
        CHECK(inst->opcode == opcode && inst->named.owner == as<void>(p.block));
        CHECK(inst->engine == BIR_ENGINE_TYPE_UNASSIGNED && inst->engine_id == 0 && inst->scratch_98 == 0);
        CHECK(inst->loopnest.empty() && inst->sched != nullptr);
        for (const layout::IlistNode *list : {&inst->ins, &inst->indirection_ins, &inst->outs})
            CHECK(list->next == list && list->prev == list);
        CHECK(inst->tail_D8[0] == 0 && inst->tail_D8[1] == 0 && inst->tail_D8[2] == 0);
        OK(bir_inst_set_engine(handle, BIR_ENGINE_TYPE_DVE, &err));
        OK(bir_inst_set_engine_id(handle, 0xABCD, &err));
        CHECK(inst->engine == BIR_ENGINE_TYPE_DVE && inst->engine_id == 0xABCD);
        inst->engine = BIR_ENGINE_TYPE_PE;
        std::int32_t engine = 0;
        OK(bir_inst_engine(handle, &engine, &err));
        CHECK(engine == BIR_ENGINE_TYPE_PE);
    }
    bir_inst *broken = p.add(0);
    as<layout::Instruction>(broken)->opcode = 110;
    std::int32_t opcode = 7;
    CHECK(bir_inst_opcode(broken, &opcode, &err) == BIR_STATUS_CORRUPT_IR && opcode == 7);
    as<layout::Instruction>(broken)->opcode = 0;
    // A name that is too long for its place, seen through the object.
    OK(bir_inst_rename(broken, T("sixteen_bytes_is"), nullptr, &err));
    const std::string &name = as<layout::Instruction>(broken)->named.named_object_base.name;
    CHECK(name == "sixteen_bytes_is" && name.size() == 16);
    OK(bir_inst_rename(broken, T("fifteen_bytes_i"), nullptr, &err));
    CHECK(name == "fifteen_bytes_i" && name.data() == reinterpret_cast<const char *>(&name) + 16);
}

void dma() {
    Program p;
    auto *dma = as<layout::InstDMA>(p.add(BIR_INSTRUCTION_TYPE_DMACOPY));
    CHECK(dma->queue == nullptr && dma->dge_type == 3 && dma->duplicate.tag == 0 && dma->duplicate.payload[0] == 0);
    auto *change = as<layout::InstSwitchQueueInstance>(p.add(BIR_INSTRUCTION_TYPE_SWITCHQUEUEINSTANCE));
    CHECK(change->queue == nullptr && change->instance == nullptr && change->no_rearm.tag == 0);
}

void schedules() {
    Program p;
    auto *a = as<layout::Instruction>(p.add(0)), *b = as<layout::Instruction>(p.add(1)), *c = as<layout::Instruction>(p.add(2));
    auto *handle = as<bir_inst>(a);
    const layout::InstructionSched *shared = a->sched;
    CHECK(shared != nullptr && b->sched == shared && c->sched == shared);
    CHECK(shared->dependencies.element_count == 0 && shared->dependencies.head_next == nullptr && !shared->sync_engaged);
    CHECK(shared->dependencies.bucket_count == 8 && shared->dependencies.max_load_factor == 4.0F);
    OK(bir_inst_set_schedule(handle, -5, 77, &err));
    CHECK(a->sched != shared && a->sched->scheduled_start == -5 && a->sched->scheduled_end == 77);
    CHECK(b->sched == shared && shared->scheduled_start == 0 && shared->scheduled_end == 0);
    // Another module has its own, or the same: both are right, but it is never null.
    Program q;
    CHECK(as<layout::Instruction>(q.add(0))->sched != nullptr);

    const bir_wait wait = {7, 8, BIR_WAIT_MODE_SEM_GE_IMM, 3, as<bir_inst>(b)};
    const bir_update update = {9, 10, BIR_UPDATE_MODE_SEM_DEC, 4, 1, 11};
    for (int i = 0; i < 3; i++) {
        OK(bir_inst_add_wait(handle, &wait, &err));
        OK(bir_inst_add_update(handle, &update, &err));
        CHECK(a->sched->sync_engaged);
        // Small vectors: begin, then size and capacity in one word.
        CHECK(static_cast<std::uint32_t>(a->sched->sync_waits[1]) == static_cast<std::uint32_t>(i + 1));
        CHECK(static_cast<std::uint32_t>(a->sched->sync_updates[1]) == static_cast<std::uint32_t>(i + 1));
        auto *waits = reinterpret_cast<layout::SyncWait *>(a->sched->sync_waits[0]);
        auto *updates = reinterpret_cast<layout::SyncUpdate *>(a->sched->sync_updates[0]);
        CHECK(waits[i].id == 7 && waits[i].value == 8 && waits[i].wait_mode == BIR_WAIT_MODE_SEM_GE_IMM);
        CHECK(waits[i].sync_type == 3 && waits[i].from == b);
        CHECK(updates[i].id == 9 && updates[i].value == 10 && updates[i].update_mode == BIR_UPDATE_MODE_SEM_DEC);
        CHECK(updates[i].sync_type == 4 && updates[i].target_core_engaged && updates[i].target_core == 11);
    }
}

using Edge = std::pair<const layout::Instruction *, std::int32_t>;

// Walks a chain as the C++ side does.
std::vector<Edge> walk(const layout::ConcurrentEdgeSet &set) {
    std::vector<Edge> edges;
    std::uint64_t last = set.head_order_key;
    for (const layout::EdgeNode *node = set.head_next; node != nullptr; node = node->next) {
        CHECK(node->order_key >= last);
        last = node->order_key;
        if ((node->order_key & 1) != 0)
            edges.emplace_back(reinterpret_cast<layout::Instruction *>(node->edge.word & ~std::uint64_t{7}), node->edge.word & 7);
    }
    CHECK(edges.size() == set.element_count);
    return edges;
}

void expect(const layout::ConcurrentEdgeSet &set, std::vector<Edge> expected) {
    std::vector<Edge> edges = walk(set);
    std::sort(edges.begin(), edges.end());
    std::sort(expected.begin(), expected.end());
    CHECK(edges == expected);
}

void edges(std::size_t count) {
    Program p;
    bir_inst *handle = p.add(0, "to");
    auto *to = as<layout::Instruction>(handle);
    std::vector<bir_inst *> handles;
    std::vector<Edge> expected, carried;
    for (std::size_t i = 0; i < count; i++) {
        bir_inst *target = p.add(0, name_of(i).c_str());
        handles.push_back(target);
        auto kind = static_cast<std::int32_t>(1 + i % 4);
        OK(bir_inst_add_dependency(handle, target, kind, BIR_EDGE_SET_NORMAL, nullptr, &err));
        expected.emplace_back(as<layout::Instruction>(target), kind);
        if (i % 5 == 0) {
            OK(bir_inst_add_dependency(handle, target, BIR_EDGE_KIND_ANTI, BIR_EDGE_SET_LOOP_CARRIED, nullptr, &err));
            carried.emplace_back(as<layout::Instruction>(target), BIR_EDGE_KIND_ANTI);
        }
        if (i < 32)
            expect(to->sched->dependencies, expected);
    }
    expect(to->sched->dependencies, expected);
    expect(to->sched->loop_carried_dependencies, carried);
    CHECK(to->sched->descendents.element_count == 0 && to->sched->descendents.head_next == nullptr);
    for (const Edge &edge : expected)
        expect(edge.first->sched->descendents, {{to, edge.second}});
    for (const Edge &edge : carried)
        expect(edge.first->sched->loop_carried_descendents, {{to, edge.second}});
    // A second edge keeps the larger kind; every third goes, one way or the other.
    for (std::size_t i = 0; i < count; i++) {
        OK(bir_inst_add_dependency(handle, handles[i], BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, nullptr, &err));
        expected[i].second = BIR_EDGE_KIND_FLOW;
    }
    expect(to->sched->dependencies, expected);
    std::vector<Edge> left;
    for (std::size_t i = 0; i < count; i++) {
        if (i % 3 != 0)
            left.push_back(expected[i]);
        else if (i % 2 == 0)
            OK(bir_inst_remove_dependency(handle, handles[i], BIR_EDGE_SET_NORMAL, nullptr, &err));
        else
            OK(bir_inst_erase(handles[i], &err));
    }
    expect(to->sched->dependencies, left);
}

std::size_t length(const layout::IlistNode &sentinel) {
    std::size_t n = 0;
    const layout::IlistNode *before = &sentinel;
    for (const layout::IlistNode *node = sentinel.next; node != &sentinel; node = node->next, n++) {
        CHECK(node->prev == before);
        before = node;
    }
    CHECK(sentinel.prev == before);
    return n;
}

void operands() {
    Program p;
    bir_inst *handle = p.add(BIR_INSTRUCTION_TYPE_TENSORTENSOR);
    auto *inst = as<layout::Instruction>(handle);
    const bir_dim dims[5] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
    const bir_expr *leaf = NEW(bir_expr_leaf(p.module, BIR_EXPR_KIND_SHARD_ID, 4, 0, &err));
    const bir_expr *const addrs[2] = {leaf, leaf};
    const std::int64_t values[9] = {1, 2, 3, 4, 5, 6, 7, 8, -9};
    CHECK(length(inst->ins) == 0 && length(inst->outs) == 0);

    auto *physical = as<layout::PhysicalAccessPattern>(
        NEW(bir_inst_add_physical_ap(handle, 2, p.location, BIR_DTYPE_FLOAT32, dims, 4, 99, nullptr, &err)));
    const layout::Argument &argument = physical->access_pattern.argument;
    CHECK(length(inst->outs) == 1 && inst->outs.next == &argument.node);
    CHECK(argument.kind == BIR_ARGUMENT_KIND_PHYSICALACCESSPATTERN && argument.parent == inst && argument.is_output);
    CHECK(argument.dtype == BIR_DTYPE_FLOAT32 && argument.location == as<layout::StorageBase>(p.location));
    CHECK(!argument.is_active && physical->offset == 99 && physical->dynamic_ap_info == nullptr);
    const layout::AccessPattern &pattern = physical->access_pattern;
    CHECK(pattern.pattern_data == pattern.pattern_inline && pattern.pattern_size == 4 && pattern.pattern_cap == 4);
    CHECK(pattern.pattern_data[3].step == 7 && pattern.pattern_data[3].num == 8);
    CHECK(pattern.shape_data == pattern.shape_inline && pattern.shape_size == 0 && pattern.shape_cap == 4);
    OK(bir_operand_set_dims(as<bir_operand>(physical), dims, 5, &err));
    CHECK(pattern.pattern_data != pattern.pattern_inline && pattern.pattern_size == 5 && pattern.pattern_cap >= 5);
    CHECK(pattern.pattern_data[0].num == 2 && pattern.pattern_data[4].step == 9);
    const bir_dynamic_ap dynamic = {-3, BIR_INDIRECT_DIM_Z, 4};
    OK(bir_operand_set_dynamic(as<bir_operand>(physical), &dynamic, dims, 2, nullptr, 0, &err));
    CHECK(physical->dynamic_ap_info->c == -3 && physical->dynamic_ap_info->indirect_dim == BIR_INDIRECT_DIM_Z);
    CHECK(physical->dynamic_ap_info->indirect_dim_max_index == 4);

    auto *symbolic = as<layout::SymbolicAccessPattern>(
        NEW(bir_inst_add_symbolic_ap(handle, 0, p.set, BIR_DTYPE_INT8, dims, 1, addrs, 2, nullptr, &err)));
    CHECK(symbolic->tensor_indirect_arg_id == -1 && symbolic->num_tensor_indirect_indices == 0);
    const std::vector<layout::QuasiAffineExpr> &exprs = symbolic->addrs;
    CHECK(exprs.size() == 2 && exprs.capacity() >= 2 && exprs.at(1).expr[0] == reinterpret_cast<std::uint64_t>(leaf));
    auto *node = as<layout::PelicanExpr>(leaf);
    CHECK(node->kind == BIR_EXPR_KIND_SHARD_ID && node->refcount >= 1);

    auto *by_register = as<layout::RegisterAccessPattern>(
        NEW(bir_inst_add_register_ap(handle, 1, p.set, BIR_DTYPE_INT8, dims, 1, p.reg, nullptr, p.reg, nullptr, &err)));
    CHECK(length(inst->indirection_ins) == 1 && by_register->access_pattern.argument.location == as<layout::StorageBase>(p.set));
    CHECK(by_register->reg_loc == as<layout::Register>(p.reg) && by_register->reg_ap_offset == nullptr);
    CHECK(by_register->reg_sub_tensor_id == as<layout::Register>(p.reg) && by_register->const_sub_tensor_id == -1);
    OK(bir_operand_set_register_constants(as<bir_operand>(by_register), 5, 6, 1, &err));
    CHECK(by_register->const_ap_offset == 5 && by_register->const_sub_tensor_id == 6 && by_register->is_regloc_offset);

    auto *immediate = as<layout::ImmediateValue>(NEW(bir_inst_add_immediate(handle, BIR_DTYPE_UINT64, 1ULL << 63, nullptr, &err)));
    CHECK(immediate->value == 1ULL << 63 && immediate->argument.location == nullptr && !immediate->argument.is_output);
    auto *array = as<layout::ImmediateArray>(NEW(bir_inst_add_immediate_array(handle, BIR_DTYPE_INT64, values, 8, nullptr, &err)));
    CHECK(array->data == array->inline_ && array->size == 8 && array->cap == 8 && array->data[7] == 8);
    OK(bir_operand_set_immediate_array(as<bir_operand>(array), values, 9, &err));
    CHECK(array->data != array->inline_ && array->size == 9 && array->cap >= 9 && array->data[8] == -9);
    auto *access = as<layout::RegisterAccess>(NEW(bir_inst_add_register(handle, 0, p.reg, BIR_DTYPE_INT32, nullptr, &err)));
    CHECK(access->argument.kind == BIR_ARGUMENT_KIND_REGISTERACCESS);
    CHECK(length(inst->ins) == 4 && inst->ins.prev == &access->argument.node);
    std::int32_t id = -1;
    OK(bir_operand_id(as<bir_operand>(access), &id, &err));
    CHECK(id >= 0 && access->argument.unique_id == id);
    OK(bir_operand_erase(as<bir_operand>(array), &err));
    CHECK(length(inst->ins) == 3);
}

void storages() {
    Program p;
    auto *set = as<layout::MemoryLocationSet>(p.set);
    auto *location = as<layout::MemoryLocation>(p.location);
    auto *other = as<layout::MemoryLocation>(p.other);
    auto *reg = as<layout::Register>(p.reg);
    CHECK(set->storage.storage_base.storage_kind == 1 && reg->storage.storage_base.storage_kind == 2);
    CHECK(location->storage_base.storage_kind == 4 && reg->num_physical_regs == 1 && set->dtype == BIR_DTYPE_BFLOAT16);
    CHECK(set->storage.named.owner == as<void>(p.function) && location->named.owner == set);
    // Members of StorageBase lead to their values; those of a location to the set's, but for its own type.
    CHECK(*set->storage.storage_base.kind == BIR_TENSOR_KIND_CONST && *location->storage_base.kind == BIR_TENSOR_KIND_CONST);
    CHECK(location->storage_base.kind == set->storage.storage_base.kind);
    CHECK(*location->storage_base.type == BIR_MEMORY_TYPE_DRAM && *set->storage.storage_base.type == BIR_MEMORY_TYPE_UNALLOCATED);
    CHECK(*reg->storage.storage_base.type == BIR_MEMORY_TYPE_REG);
    OK(bir_set_set_kind(p.set, BIR_TENSOR_KIND_OUTPUT, &err));
    OK(bir_set_set_tensor_class(p.set, BIR_TENSOR_CLASS_NEURONTENSOR, &err));
    OK(bir_set_set_addr_space(p.set, BIR_MEMORY_ADDRESS_SPACE_SHARED, &err));
    OK(bir_location_set_memory_type(p.location, BIR_MEMORY_TYPE_SB, &err));
    OK(bir_location_set_pinned(p.location, 1, &err));
    CHECK(*location->storage_base.kind == BIR_TENSOR_KIND_OUTPUT);
    CHECK(*location->storage_base.tensor_class == BIR_TENSOR_CLASS_NEURONTENSOR);
    CHECK(*location->storage_base.addr_space == BIR_MEMORY_ADDRESS_SPACE_SHARED);
    CHECK(*location->storage_base.type == BIR_MEMORY_TYPE_SB && *other->storage_base.type == BIR_MEMORY_TYPE_DRAM);
    CHECK(*location->storage_base.pinned && !*other->storage_base.pinned);
    OK(bir_location_set_memory_type(p.location, BIR_MEMORY_TYPE_DRAM, &err));
    OK(bir_location_set_allocated(p.location, 1, &err));
    CHECK(location->storage_base.allocated && set->storage.storage_base.allocated && !other->storage_base.allocated);
    CHECK(!location->storage_base.user_allocated);

    OK(bir_set_set_partition_dim(p.set, 1, &err));
    OK(bir_set_set_do_not_spill(p.set, 1, &err));
    CHECK(set->partition_dim == 1 && set->do_not_spill && !set->do_not_rotate);
    OK(bir_location_set_bank(p.location, -4, &err));
    OK(bir_location_set_addr(p.location, 0x1000, &err));
    OK(bir_location_set_base_partition(p.location, 32, &err));
    CHECK(location->bank == -4 && location->addr == 0x1000 && location->base == 32);
    CHECK(location->tensor_id == -1 && location->pack_id_hint == -1 && location->var_id == -1);
    CHECK(location->table_entry_id == -1 && location->mem_loc_set_id == -1 && location->pointer_ref_memloc == nullptr);
    CHECK(!location->alloced_func_engaged && !location->remote_writer_func_engaged && !location->remote_local_target_engaged);
    OK(bir_location_set_alloced_func(p.location, T("a_function_with_a_long_name"), &err));
    OK(bir_location_set_remote_local_target(p.location, T("target"), 12, &err));
    CHECK(location->alloced_func_engaged && location->alloced_func == "a_function_with_a_long_name");
    CHECK(location->remote_local_target_engaged && location->remote_local_target_name == "target");
    CHECK(location->remote_local_target_value == 12);
    OK(bir_location_set_location_alt(p.location, 1, &err));
    OK(bir_location_set_runtime_reserved(p.location, 1, &err));
    CHECK(location->location_alt && location->runtime_reserved && !location->written_by_another_core);
    OK(bir_location_add_alias(p.location, p.other, 1, &err));
    OK(bir_location_add_alias(p.other, p.location, 2, &err));
    CHECK(location->alias_size == 1 && location->alias_capacity >= 1 && other->alias_size == 1);
    CHECK(location->alias_begin[0].word == (reinterpret_cast<std::uint64_t>(other) | 3));
    CHECK(other->alias_begin[0].word == (reinterpret_cast<std::uint64_t>(location) | 3));
    OK(bir_register_set_num_physical_regs(p.reg, 4, &err));
    CHECK(reg->num_physical_regs == 4);
}

void loops() {
    Program p;
    bir_inst *handle = p.add(BIR_INSTRUCTION_TYPE_LOOP), *dynamic = p.add(BIR_INSTRUCTION_TYPE_DYNAMICFORLOOP, "dynamic");
    auto *loop = as<layout::InstLoop>(reinterpret_cast<const char *>(handle) - offsetof(layout::InstLoop, instruction));
    CHECK(loop->instruction.opcode == BIR_INSTRUCTION_TYPE_LOOP && loop->axis == nullptr && !loop->is_parallel);
    CHECK(loop->registers.empty());
    bir_axis *axis = NEW(bir_inst_set_loop_axis(handle, T("i"), 1, 20, 3, &err));
    CHECK(loop->axis == as<layout::LoopAxis>(axis) && loop->axis->lb == 1 && loop->axis->ub == 20 && loop->axis->stride == 3);
    auto *outer = as<layout::InstDynamicForLoop>(reinterpret_cast<const char *>(dynamic) - offsetof(layout::InstDynamicForLoop, instruction));
    CHECK(outer->axis == nullptr);
    const bir_expr *ub = NEW(bir_expr_register_value(p.module, p.reg, &err));
    NEW(bir_inst_set_dynamic_axis(dynamic, T("an_axis_with_a_long_name"), nullptr, ub, nullptr, &err));
    CHECK(outer->axis->name == "an_axis_with_a_long_name" && outer->axis->parent == outer && outer->axis->dynamic_flag == 1);
    CHECK(outer->axis->has_runtime_flag == 1 && outer->axis->ub.expr[0] == reinterpret_cast<std::uint64_t>(ub));
    CHECK(outer->axis->lb.expr[0] == 0);
    // As a LoopAxis a dynamic one runs from 0 to 0 by 1.
    auto *same = as<layout::LoopAxis>(outer->axis);
    CHECK(same->lb == 0 && same->ub == 0 && same->stride == 1);

    bir_inst *inside = p.add(0, "inside");
    const bir_axis *const nest[2] = {axis, as<bir_axis>(outer->axis)};
    OK(bir_inst_set_loopnest(inside, nest, 2, &err));
    const std::vector<layout::LoopAxis *> &axes = as<layout::Instruction>(inside)->loopnest;
    CHECK(axes.size() == 2 && axes.front() == loop->axis && axes.back() == same);
    OK(bir_inst_set_order(inside, &ub, 1, &err));
    const auto &order = as<layout::Instruction>(inside)->sched->order;
    CHECK(order.size() == 1 && order[0].expr[0] == reinterpret_cast<std::uint64_t>(ub));
}

} // namespace

int main(int argc, char **argv) {
    std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
    CHECK(bir_layout_hash() == layout::layout_hash);
    modules();
    instructions();
    dma();
    schedules();
    for (std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{32}, std::size_t{33}, largest})
        edges(count);
    operands();
    storages();
    loops();
    return 0;
}

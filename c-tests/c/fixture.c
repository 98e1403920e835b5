#include "fixture.h"

#include "check.h"

fixture fixture_create(void) {
    static const bir_dim dims[2] = {{64, 128}, {1, 64}};
    static const uint64_t bits[2] = {1, 2};
    static const int64_t values[3] = {-1, 0, 1};
    fixture f;
    memset(&f, 0, sizeof f);
    bir_module *m = f.module = NEW(bir_module_create(&err));
    f.functions = NEW(bir_module_function_holder(m, &err));
    f.nki = NEW(bir_module_nki_holder(m, &err));
    f.function = NEW(bir_module_add_function(m, T("main"), NULL, NULL, &err));
    f.second_function = NEW(bir_module_add_function(m, T("a_function_with_a_long_name"), NULL, NULL, &err));
    f.nki_function = NEW(bir_function_holder_add_function(f.nki, T("kernel"), NULL, NULL, &err));
    f.function_blocks = NEW(bir_function_block_holder(f.function, &err));
    f.block = NEW(bir_function_add_block(f.function, T("Block1"), NULL, NULL, &err));
    f.second_block = NEW(bir_function_add_block(f.function, T("Block2"), NULL, NULL, &err));

    f.set = NEW(bir_function_add_set(f.function, T("tensor_set"), BIR_TENSOR_KIND_INTERNAL, BIR_DTYPE_FLOAT32, NULL, NULL,
                                     &err));
    f.pointer_set = NEW(bir_function_add_set(f.function, T("pointer_set"), BIR_TENSOR_KIND_POINTER, BIR_DTYPE_UINT64,
                                             NULL, NULL, &err));
    f.location = NEW(bir_set_add_location(f.set, T("tensor"), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    f.second_location = NEW(bir_set_add_location(f.set, T("tensor_2"), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    f.psum_location = NEW(bir_set_add_location(f.set, T("psum"), BIR_MEMORY_TYPE_PSUM, NULL, NULL, &err));
    f.pointer_location = NEW(bir_set_add_location(f.pointer_set, T("pointer"), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    f.reg = NEW(bir_function_add_register(f.function, T("r0"), NULL, NULL, &err));
    f.second_reg = NEW(bir_function_add_register(f.function, T("r1"), NULL, NULL, &err));

    f.inst = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_NOOP, T("I-0"), NULL, NULL, &err));
    f.second_inst = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_DMACOPY, T("I-1"), NULL, NULL, &err));
    f.loop = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_LOOP, T("loop"), NULL, NULL, &err));
    f.dynamic_loop = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_DYNAMICFORLOOP, T("dynamic"), NULL, NULL, &err));
    f.dma_block = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_DMABLOCK, T("dma_block"), NULL, NULL, &err));
    f.loop_blocks = NEW(bir_inst_block_holder(f.loop, &err));
    f.body = NEW(bir_block_holder_add_block(f.loop_blocks, T("Body"), NULL, NULL, &err));
    f.inner = NEW(bir_block_add_inst(f.body, BIR_INSTRUCTION_TYPE_TENSORCOPY, T("I-2"), NULL, NULL, &err));
    f.axis = NEW(bir_inst_set_loop_axis(f.loop, T("i"), 0, 10, 2, &err));

    f.queue = NEW(bir_module_add_queue(m, T("q0"), BIR_DMA_QUEUE_TYPE_DATA, NULL, NULL, &err));
    f.second_queue = NEW(bir_module_add_queue(m, T("q1"), BIR_DMA_QUEUE_TYPE_INPUT, NULL, NULL, &err));
    f.queue_blocks = NEW(bir_queue_block_holder(f.queue, &err));
    f.queue_block = NEW(bir_queue_add_block(f.queue, T("instance"), NULL, NULL, &err));

    bir_expr **e = f.expr;
    e[BIR_EXPR_KIND_AFF_IV] = NEW(bir_expr_axis_value(m, f.axis, &err));
    e[BIR_EXPR_KIND_INT_RUNTIME_VALUE] = NEW(bir_expr_register_value(m, f.reg, &err));
    const bir_term terms[2] = {{e[BIR_EXPR_KIND_AFF_IV], 3}, {e[BIR_EXPR_KIND_INT_RUNTIME_VALUE], -4}};
    const bir_expr *const addends[2] = {e[BIR_EXPR_KIND_AFF_IV], e[BIR_EXPR_KIND_INT_RUNTIME_VALUE]};
    e[BIR_EXPR_KIND_AFF_EXPR] = NEW(bir_expr_affine(m, terms, 2, 5, &err));
    e[BIR_EXPR_KIND_SUM] = NEW(bir_expr_sum(m, addends, 2, &err));
    e[BIR_EXPR_KIND_SHARD_ID] = NEW(bir_expr_leaf(m, BIR_EXPR_KIND_SHARD_ID, 4, 0, &err));
    e[BIR_EXPR_KIND_MULT] = NEW(bir_expr_unary(m, BIR_EXPR_KIND_MULT, e[BIR_EXPR_KIND_AFF_IV], -7, 0, &err));
    e[BIR_EXPR_KIND_FLOOR_DIV] = NEW(bir_expr_unary(m, BIR_EXPR_KIND_FLOOR_DIV, e[BIR_EXPR_KIND_AFF_IV], 8, 0, &err));
    e[BIR_EXPR_KIND_MODULO] = NEW(bir_expr_unary(m, BIR_EXPR_KIND_MODULO, e[BIR_EXPR_KIND_AFF_IV], 9, 0, &err));
    e[BIR_EXPR_KIND_CC_DIV] = NEW(bir_expr_unary(m, BIR_EXPR_KIND_CC_DIV, e[BIR_EXPR_KIND_SHARD_ID], 2, 6, &err));
    e[BIR_EXPR_KIND_CC_GET_RANK] = NEW(bir_expr_leaf(m, BIR_EXPR_KIND_CC_GET_RANK, 1, 2, &err));
    e[BIR_EXPR_KIND_INDIRECT_ARG_ID] = NEW(bir_expr_leaf(m, BIR_EXPR_KIND_INDIRECT_ARG_ID, 3, 0, &err));
    f.dynamic_axis = NEW(bir_inst_set_dynamic_axis(f.dynamic_loop, T("j"), e[BIR_EXPR_KIND_SHARD_ID],
                                                   e[BIR_EXPR_KIND_INT_RUNTIME_VALUE], NULL, &err));

    bir_inst *i = f.inst;
    bir_operand **o = f.operand;
    const bir_expr *const addrs[1] = {e[BIR_EXPR_KIND_AFF_EXPR]};
    const int32_t in = BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT;
    o[PHYSICAL] = NEW(bir_inst_add_physical_ap(i, in, f.location, BIR_DTYPE_FLOAT32, dims, 2, 16, NULL, &err));
    o[SYMBOLIC] = NEW(bir_inst_add_symbolic_ap(i, in, f.set, BIR_DTYPE_BFLOAT16, dims, 2, addrs, 1, NULL, &err));
    o[REGISTER_AP] = NEW(bir_inst_add_register_ap(i, in, f.set, BIR_DTYPE_INT32, dims, 2, f.reg, f.second_reg, NULL, NULL,
                                                  &err));
    o[IMMEDIATE] = NEW(bir_inst_add_immediate(i, BIR_DTYPE_INT32, 42, NULL, &err));
    o[SYMBOLIC_IMMEDIATE] =
        NEW(bir_inst_add_symbolic_immediate(i, BIR_DTYPE_INT32, bits, 2, e[BIR_EXPR_KIND_MULT], NULL, &err));
    o[IMMEDIATE_ARRAY] = NEW(bir_inst_add_immediate_array(i, BIR_DTYPE_INT64, values, 3, NULL, &err));
    o[REGISTER_ITSELF] = NEW(bir_inst_add_register(i, in, f.reg, BIR_DTYPE_INT32, NULL, &err));
    f.output = NEW(bir_inst_add_physical_ap(i, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, f.second_location, BIR_DTYPE_FLOAT32,
                                            dims, 2, 0, NULL, &err));

    f.arg = NEW(bir_block_add_arg(f.block, T("phi"), NULL, &err));
    f.second_arg = NEW(bir_block_add_arg(f.block, T("phi_2"), NULL, &err));
    bir_storage *reg = NEW(bir_register_as_storage(f.reg, &err));
    OK(bir_block_arg_set_storage(f.arg, reg, &err));
    OK(bir_block_arg_add_incoming(f.arg, reg, f.second_block, &err));
    OK(bir_inst_add_dependency(f.second_inst, i, BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, NULL, &err));
    return f;
}

erased fixture_erased(fixture *f) {
    static const bir_dim dims[1] = {{1, 1}};
    erased x;
    memset(&x, 0, sizeof x);
    x.function = NEW(bir_module_add_function(f->module, T("gone"), NULL, NULL, &err));
    x.block = NEW(bir_function_add_block(f->function, T("gone"), NULL, NULL, &err));
    x.inst = NEW(bir_block_add_inst(f->block, BIR_INSTRUCTION_TYPE_NOOP, T("gone"), NULL, NULL, &err));
    x.loop = NEW(bir_block_add_inst(f->block, BIR_INSTRUCTION_TYPE_LOOP, T("gone"), NULL, NULL, &err));
    x.axis = NEW(bir_inst_set_loop_axis(x.loop, T("gone"), 0, 1, 1, &err));
    x.holder = NEW(bir_inst_block_holder(x.loop, &err));
    x.arg = NEW(bir_block_add_arg(f->block, T("gone"), NULL, &err));
    x.set = NEW(bir_function_add_set(f->function, T("gone"), BIR_TENSOR_KIND_INTERNAL, BIR_DTYPE_INT8, NULL, NULL, &err));
    x.location = NEW(bir_set_add_location(f->set, T("gone"), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    x.reg = NEW(bir_function_add_register(f->function, T("gone"), NULL, NULL, &err));
    x.queue = NEW(bir_module_add_queue(f->module, T("gone"), BIR_DMA_QUEUE_TYPE_DATA, NULL, NULL, &err));
    x.operand = NEW(bir_inst_add_physical_ap(f->inst, BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT, f->location,
                                             BIR_DTYPE_FLOAT32, dims, 1, 0, NULL, &err));
    OK(bir_function_erase(x.function, &err));
    OK(bir_block_erase(x.block, &err));
    OK(bir_inst_erase(x.inst, &err));
    OK(bir_inst_erase(x.loop, &err));
    OK(bir_block_arg_erase(x.arg, &err));
    OK(bir_set_erase(x.set, &err));
    OK(bir_location_erase(x.location, &err));
    OK(bir_register_erase(x.reg, &err));
    OK(bir_queue_erase(x.queue, &err));
    OK(bir_operand_erase(x.operand, &err));
    return x;
}

void fixture_destroy(fixture *f) {
    bir_module_destroy(f->module);
    f->module = NULL;
}

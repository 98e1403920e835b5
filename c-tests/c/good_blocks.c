#include "good.h"

static void holders(fixture *f) {
    SAME(bir_block_holder_function(f->function_blocks, &err), f->function);
    NONE(bir_block_holder_function(f->queue_blocks, &err));
    SAME(bir_block_holder_queue(f->queue_blocks, &err), f->queue);
    NONE(bir_block_holder_queue(f->loop_blocks, &err));
    SAME(bir_block_holder_inst(f->loop_blocks, &err), f->loop);
    NONE(bir_block_holder_inst(f->function_blocks, &err));
    VALUE(size_t, bir_block_holder_block_count, f->function_blocks, 2);
    VALUE(size_t, bir_block_holder_block_count, f->loop_blocks, 1);
    SAME(bir_block_holder_first_block(f->function_blocks, &err), f->block);
    SAME(bir_block_holder_last_block(f->function_blocks, &err), f->second_block);
    SAME(bir_block_holder_find_block(f->loop_blocks, T("Body"), &err), f->body);
    NONE(bir_block_holder_find_block(f->loop_blocks, T("Block1"), &err));
    SAME(bir_block_holder_find_block_outward(f->loop_blocks, T("Block1"), &err), f->block);
    NONE(bir_block_holder_find_block_outward(f->function_blocks, T("Body"), &err));
    SAME(bir_block_holder_find_block_below(f->function_blocks, T("Body"), &err), f->body);
    NONE(bir_block_holder_find_block_below(f->loop_blocks, T("Block1"), &err));
    SAME(bir_block_holder_find_inst(f->loop_blocks, T("I-2"), &err), f->inner);
    SAME(bir_block_holder_find_inst(f->function_blocks, T("I-2"), &err), f->inner);
    SAME(bir_block_holder_next_inst(f->loop_blocks, NULL, &err), f->inner);
    NONE(bir_block_holder_next_inst(f->loop_blocks, f->inner, &err));
    SAME(bir_block_holder_next_inst(f->function_blocks, f->inner, &err), f->dynamic_loop);
    uint8_t renamed = 9;
    bir_block *b = NEW(bir_block_holder_add_block(f->loop_blocks, T("Body"), f->body, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_block_name, b, "Body_1");
    SAME(bir_block_holder_first_block(f->loop_blocks, &err), b);
    SAME(bir_block_owner(b, &err), f->loop_blocks);
    OK(bir_block_erase(b, &err));
}

static void instructions(fixture *f) {
    VALUE(size_t, bir_block_inst_count, f->block, 5);
    SAME(bir_block_first_inst(f->block, &err), f->inst);
    SAME(bir_block_last_inst(f->block, &err), f->dma_block);
    SAME(bir_block_find_inst(f->block, T("I-1"), &err), f->second_inst);
    NONE(bir_block_find_inst(f->block, T("I-2"), &err));
    SAME(bir_block_find_inst_outward(f->body, T("I-1"), &err), f->second_inst);
    NONE(bir_block_find_inst_outward(f->block, T("I-2"), &err));
    VALUE(size_t, bir_block_arg_count, f->block, 2);
    SAME(bir_block_first_arg(f->block, &err), f->arg);
    SAME(bir_block_last_arg(f->block, &err), f->second_arg);
    SAME(bir_block_find_arg(f->block, T("phi_2"), &err), f->second_arg);
    NONE(bir_block_find_arg(f->block, T("none"), &err));
}

void good_blocks(void) {
    fixture f = fixture_create();
    holders(&f);
    instructions(&f);
    NAMED(bir_block, f.block, f.module, "Block1", "Block2");
    SAME(bir_block_owner(f.block, &err), f.function_blocks);
    SAME(bir_block_function(f.body, &err), f.function);
    NONE(bir_block_function(f.queue_block, &err));
    SAME(bir_block_next(f.block, &err), f.second_block);
    SAME(bir_block_prev(f.second_block, &err), f.block);
    UNLINK(bir_block, f.second_block);
    NONE(bir_block_owner(f.second_block, &err));
    NONE(bir_block_function(f.second_block, &err));
    FAILS(bir_block_add_inst(f.second_block, 0, T("x"), NULL, NULL, &err), BIR_STATUS_DETACHED);
    OK(bir_block_rename(f.second_block, T("Body"), NULL, &err));
    uint8_t renamed = 9;
    OK(bir_block_move(f.second_block, f.loop_blocks, f.body, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_block_name, f.second_block, "Body_1");
    SAME(bir_block_next(f.second_block, &err), f.body);
    NEW(bir_block_add_inst(f.second_block, 0, T("x"), NULL, NULL, &err));
    ERASE(bir_block, f.second_block, "Body_1");
    ERASE(bir_block, f.queue_block, "instance");
    fixture_destroy(&f);
}

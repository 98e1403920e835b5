#include "good.h"

static void members(bir_location *l) {
    ENUM_MEMBER(bir_location_memory_type, bir_location_set_memory_type, l, BIR_MEMORY_TYPE_DRAM, BIR_MEMORY_TYPE_SB);
    OK(bir_location_set_memory_type(l, BIR_MEMORY_TYPE_DRAM, &err));
    const uint32_t dims[2] = {128, 4096};
    uint32_t got[2] = {0, 0};
    size_t count = 9;
    OK(bir_location_set_dims(l, dims, 2, &err));
    OK(bir_location_dims(l, got, 2, &count, &err));
    CHECK(count == 2 && got[0] == 128 && got[1] == 4096);
    VALUE(uint64_t, bir_location_byte_size, l, 128 * 4096);
    MEMBER(uint64_t, bir_location_addr, bir_location_set_addr, l, 0, UINT64_MAX);
    MEMBER(int64_t, bir_location_bank, bir_location_set_bank, l, 0, -2);
    MEMBER(uint32_t, bir_location_base_partition, bir_location_set_base_partition, l, 0, 32);
    MEMBER(int32_t, bir_location_tensor_id, bir_location_set_tensor_id, l, -1, 5);
    MEMBER(int32_t, bir_location_var_id, bir_location_set_var_id, l, -1, 6);
    MEMBER(int32_t, bir_location_table_entry_id, bir_location_set_table_entry_id, l, -1, 7);
    MEMBER(int32_t, bir_location_mem_loc_set_id, bir_location_set_mem_loc_set_id, l, -1, 8);
    MEMBER(uint8_t, bir_location_is_allocated, bir_location_set_allocated, l, 0, 1);
    VALUE(uint8_t, bir_set_is_allocated, bir_location_set(l, NULL), 1);
    MEMBER(uint8_t, bir_location_is_pinned, bir_location_set_pinned, l, 0, 1);
    MEMBER(uint8_t, bir_location_location_alt, bir_location_set_location_alt, l, 0, 1);
    MEMBER(uint8_t, bir_location_written_by_another_core, bir_location_set_written_by_another_core, l, 0, 1);
    MEMBER(uint8_t, bir_location_is_shared_post_dram_alloc, bir_location_set_is_shared_post_dram_alloc, l, 0, 1);
    MEMBER(uint8_t, bir_location_runtime_reserved, bir_location_set_runtime_reserved, l, 0, 1);
    MEMBER(uint8_t, bir_location_user_allocated, bir_location_set_user_allocated, l, 0, 1);
}

static void texts(bir_location *l) {
    const bir_string passes[1] = {{T("pass")}};
    bir_string text = {NULL, 0};
    uint32_t value = 9;
    OK(bir_location_set_optin_passes(l, passes, 1, &err));
    VALUE(size_t, bir_location_optin_pass_count, l, 1);
    OK(bir_location_optin_pass(l, 0, &text, &err));
    CHECK(same_text(text, "pass"));
    IS(bir_location_optin_pass(l, 1, &text, &err), BIR_STATUS_NOT_FOUND);
    ABSENT(bir_location_alloced_func, l);
    OK(bir_location_set_alloced_func(l, T("main"), &err));
    TEXT(bir_location_alloced_func, l, "main");
    OK(bir_location_set_alloced_func(l, NULL, 0, &err));
    ABSENT(bir_location_alloced_func, l);
    ABSENT(bir_location_remote_writer_func, l);
    OK(bir_location_set_remote_writer_func(l, T(""), &err));
    TEXT(bir_location_remote_writer_func, l, "");
    OK(bir_location_remote_local_target(l, &text, &value, &err));
    CHECK(text.data == NULL && value == 0);
    OK(bir_location_set_remote_local_target(l, T("target"), 3, &err));
    OK(bir_location_remote_local_target(l, &text, &value, &err));
    CHECK(same_text(text, "target") && value == 3);
    TEXT(bir_location_device_print_metadata, l, "");
    OK(bir_location_set_device_print_metadata(l, T("{\"p\":1}"), &err));
    TEXT(bir_location_device_print_metadata, l, "{\"p\":1}");
}

static void links(fixture *f) {
    MEMBER(int32_t, bir_location_pack_id_hint, bir_location_set_pack_id_hint, f->psum_location, -1, 4);
    IS(bir_location_set_pack_id_hint(f->location, 4, &err), BIR_STATUS_BAD_VALUE);
    NONE(bir_location_pointer_ref(f->pointer_location, &err));
    OK(bir_location_set_pointer_ref(f->pointer_location, f->location, &err));
    SAME(bir_location_pointer_ref(f->pointer_location, &err), f->location);
    IS(bir_location_set_pointer_ref(f->location, f->pointer_location, &err), BIR_STATUS_BAD_VALUE);
    bir_alias got[2];
    size_t count = 9;
    OK(bir_location_aliases(f->location, got, 2, &count, &err));
    CHECK(count == 0);
    OK(bir_location_add_alias(f->location, f->second_location, BIR_ALIAS_KIND_MUSTALIAS, &err));
    OK(bir_location_aliases(f->second_location, got, 2, &count, &err));
    CHECK(count == 1 && got[0].location == f->location && got[0].bits == BIR_ALIAS_KIND_MUSTALIAS);
    uint8_t removed = 9;
    OK(bir_location_remove_alias(f->second_location, f->location, &removed, &err));
    CHECK(removed == 1);
    OK(bir_location_remove_alias(f->second_location, f->location, &removed, &err));
    CHECK(removed == 0);
    IS(bir_location_add_alias(f->location, f->psum_location, 1, &err), BIR_STATUS_BAD_VALUE);
}

void good_locations(void) {
    fixture f = fixture_create();
    members(f.location);
    texts(f.location);
    links(&f);
    NAMED(bir_location, f.location, f.module, "tensor", "tensor_2");
    SAME(bir_location_set(f.location, &err), f.set);
    SAME(bir_location_next(f.location, &err), f.second_location);
    SAME(bir_location_prev(f.second_location, &err), f.location);
    IS(bir_location_erase(f.location, &err), BIR_STATUS_STILL_REFERENCED);
    UNLINK(bir_location, f.psum_location);
    NONE(bir_location_set(f.psum_location, &err));
    OK(bir_location_rename(f.psum_location, T("pointer"), NULL, &err));
    uint8_t renamed = 9;
    OK(bir_location_move(f.psum_location, f.pointer_set, f.pointer_location, &renamed, &err));
    CHECK(renamed == 1);
    SAME(bir_set_first_location(f.pointer_set, &err), f.psum_location);
    VALUE(int32_t, bir_storage_tensor_kind, bir_location_as_storage(f.psum_location, NULL), BIR_TENSOR_KIND_POINTER);
    ERASE(bir_location, f.psum_location, "pointer_1");
    fixture_destroy(&f);
}

void good_registers(void) {
    fixture f = fixture_create();
    bir_storage *storage = NEW(bir_register_as_storage(f.reg, &err));
    CHECK((void *)storage == (void *)f.reg);
    NAMED(bir_register, f.second_reg, f.module, "r1", "r0");
    SAME(bir_register_function(f.reg, &err), f.function);
    SAME(bir_register_next(f.reg, &err), f.second_reg);
    SAME(bir_register_prev(f.second_reg, &err), f.reg);
    NONE(bir_register_prev(f.reg, &err));
    ENUM_MEMBER(bir_register_dtype, bir_register_set_dtype, f.reg, -1, BIR_DTYPE_UINT32);
    MEMBER(int32_t, bir_register_num_physical_regs, bir_register_set_num_physical_regs, f.reg, 1, 2);
    IS(bir_register_erase(f.reg, &err), BIR_STATUS_STILL_REFERENCED);
    bir_register *r = NEW(bir_function_add_register(f.function, T("r2"), storage, NULL, &err));
    SAME(bir_register_next(r, &err), f.reg);
    UNLINK(bir_register, r);
    NONE(bir_register_function(r, &err));
    uint8_t renamed = 9;
    OK(bir_register_rename(r, T("tensor_set"), NULL, &err));
    OK(bir_register_move(r, f.function, NULL, &renamed, &err));
    CHECK(renamed == 1);
    ERASE(bir_register, r, "tensor_set_1");
    fixture_destroy(&f);
}

void good_queues(void) {
    fixture f = fixture_create();
    NAMED(bir_queue, f.queue, f.module, "q0", "q1");
    SAME(bir_queue_next(f.queue, &err), f.second_queue);
    SAME(bir_queue_prev(f.second_queue, &err), f.queue);
    SAME(bir_queue_block_holder(f.queue, &err), f.queue_blocks);
    VALUE(size_t, bir_queue_block_count, f.queue, 1);
    SAME(bir_queue_first_block(f.queue, &err), f.queue_block);
    SAME(bir_queue_last_block(f.queue, &err), f.queue_block);
    SAME(bir_queue_find_block(f.queue, T("instance"), &err), f.queue_block);
    NONE(bir_queue_find_block(f.queue, T("Block1"), &err));
    ENUM_MEMBER(bir_queue_queue_type, bir_queue_set_queue_type, f.queue, BIR_DMA_QUEUE_TYPE_DATA,
                BIR_DMA_QUEUE_TYPE_DYNAMIC);
    ENUM_MEMBER(bir_queue_engine, bir_queue_set_engine, f.queue, BIR_ENGINE_TYPE_UNASSIGNED, BIR_ENGINE_TYPE_SP);
    MEMBER(uint32_t, bir_queue_engine_id, bir_queue_set_engine_id, f.queue, 0, 3);
    MEMBER(uint32_t, bir_queue_num_dma_engines, bir_queue_set_num_dma_engines, f.queue, 0, 16);
    TEXT(bir_queue_attributes, f.queue, "");
    OK(bir_queue_set_attributes(f.queue, T("{\"a\":true}"), &err));
    TEXT(bir_queue_attributes, f.queue, "{\"a\":true}");
    UNLINK(bir_queue, f.queue);
    OK(bir_queue_rename(f.queue, T("q1"), NULL, &err));
    uint8_t renamed = 9;
    OK(bir_queue_move(f.queue, f.second_queue, &renamed, &err));
    CHECK(renamed == 1);
    SAME(bir_module_first_queue(f.module, &err), f.queue);
    ERASE(bir_queue, f.queue, "q1_1");
    VALUE(uint8_t, bir_block_is_erased, f.queue_block, 1);
    fixture_destroy(&f);
}

#include "good.h"

static void members(void) {
    bir_module *m = NEW(bir_module_create(&err));
    VALUE(uint32_t, bir_module_next_id, m, 0);
    ENUM_MEMBER(bir_module_arch, bir_module_set_arch, m, BIR_ARCH_LEVEL_GEN3, BIR_ARCH_LEVEL_CORE_V4);
    ENUM_MEMBER(bir_module_revision, bir_module_set_revision, m, BIR_ARCH_REVISION_V1, BIR_ARCH_REVISION_V2);
    TEXT(bir_module_artifact_path, m, "");
    OK(bir_module_set_artifact_path(m, T("/a/path/of/some/length"), &err));
    TEXT(bir_module_artifact_path, m, "/a/path/of/some/length");
    OK(bir_module_set_artifact_path(m, NULL, 0, &err));
    TEXT(bir_module_artifact_path, m, "");
    TEXT(bir_module_artifact_info, m, "");
    OK(bir_module_set_artifact_info(m, T("{\"a\":[1,2]}"), &err));
    TEXT(bir_module_artifact_info, m, "{\"a\":[1,2]}");
    TEXT(bir_module_attributes, m, "");
    OK(bir_module_set_attributes(m, T("{\"previous_pass\":\"x\"}"), &err));
    TEXT(bir_module_attributes, m, "{\"previous_pass\":\"x\"}");
    bir_module_destroy(m);
    bir_module_destroy(NULL);
}

static void memory(void) {
    bir_module *m = NEW(bir_module_create(&err));
    uint64_t used = 0, more = 0, reserved = 0;
    OK(bir_module_memory_used(m, &used, &err));
    OK(bir_module_memory_reserved(m, &reserved, &err));
    CHECK(used > 0 && reserved >= used);
    MEMBER(uint64_t, bir_module_memory_limit, bir_module_set_memory_limit, m, UINT64_MAX, used);
    FAILS(bir_module_add_function(m, T("f"), NULL, NULL, &err), BIR_STATUS_OUT_OF_MEMORY);
    VALUE(size_t, bir_module_function_count, m, 0);
    OK(bir_module_set_memory_limit(m, UINT64_MAX, &err));
    NEW(bir_module_add_function(m, T("f"), NULL, NULL, &err));
    OK(bir_module_memory_used(m, &more, &err));
    CHECK(more > used);
    bir_module_destroy(m);
}

static void children(void) {
    bir_module *m = NEW(bir_module_create(&err));
    NONE(bir_module_first_function(m, &err));
    NONE(bir_module_last_function(m, &err));
    NONE(bir_module_find_function(m, T("f"), &err));
    NONE(bir_module_first_queue(m, &err));
    NONE(bir_module_last_queue(m, &err));
    NONE(bir_module_find_queue(m, T("q"), &err));
    VALUE(size_t, bir_module_queue_count, m, 0);
    bir_function *f = NEW(bir_module_add_function(m, T("f"), NULL, NULL, &err));
    uint8_t renamed = 9;
    bir_function *g = NEW(bir_module_add_function(m, "fgh", 1, f, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_function_name, g, "f_1");
    SAME(bir_module_first_function(m, &err), g);
    SAME(bir_module_last_function(m, &err), f);
    SAME(bir_module_find_function(m, T("f_1"), &err), g);
    SAME(bir_module_find_function(m, T("f"), &err), f);
    NONE(bir_module_find_function(m, T("f_2"), &err));
    VALUE(size_t, bir_module_function_count, m, 2);
    bir_queue *q = NEW(bir_module_add_queue(m, T("q"), BIR_DMA_QUEUE_TYPE_INPUT, NULL, &renamed, &err));
    CHECK(renamed == 0);
    bir_queue *p = NEW(bir_module_add_queue(m, T("p"), BIR_DMA_QUEUE_TYPE_OUTPUT, q, NULL, &err));
    SAME(bir_module_first_queue(m, &err), p);
    SAME(bir_module_last_queue(m, &err), q);
    SAME(bir_module_find_queue(m, T("q"), &err), q);
    VALUE(size_t, bir_module_queue_count, m, 2);
    VALUE(uint32_t, bir_module_next_id, m, 4);
    bir_module_destroy(m);
}

static int32_t id_of_operand(const bir_operand *o) {
    int32_t id = -1;
    OK(bir_operand_id(o, &id, &err));
    return id;
}

static void ids_and_vtables(void) {
    fixture f = fixture_create();
    int32_t kind = -1;
    void *address = &f;
    OK(bir_module_find_by_id(f.module, INT32_MAX, &kind, &address, &err));
    CHECK(kind == BIR_OBJECT_NONE && address == NULL);
#define FIND(id_of, object, expected) \
    do { \
        int32_t id_ = -1; \
        OK(id_of((object), &id_, &err)); \
        OK(bir_module_find_by_id(f.module, id_, &kind, &address, &err)); \
        CHECK(kind == (expected) && address == (void *)(object)); \
    } while (0)
    FIND(bir_function_id, f.function, BIR_OBJECT_FUNCTION);
    FIND(bir_block_id, f.body, BIR_OBJECT_BLOCK);
    FIND(bir_inst_id, f.loop, BIR_OBJECT_INST);
    FIND(bir_set_id, f.set, BIR_OBJECT_SET);
    FIND(bir_register_id, f.reg, BIR_OBJECT_REGISTER);
    FIND(bir_location_id, f.location, BIR_OBJECT_LOCATION);
    FIND(bir_queue_id, f.queue, BIR_OBJECT_QUEUE);
    FIND(bir_operand_id, f.output, BIR_OBJECT_OPERAND);
    /* What is taken out of the module is not found any more. */
    int32_t id = id_of_operand(f.output);
    OK(bir_operand_erase(f.output, &err));
    OK(bir_module_find_by_id(f.module, id, &kind, &address, &err));
    CHECK(kind == BIR_OBJECT_NONE && address == NULL);

    static const void *const vtable[4] = {NULL, NULL, NULL, NULL};
    OK(bir_module_register_vtable(f.module, BIR_INSTRUCTION_TYPE_NOOP, vtable, &err));
    bir_inst *after = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_NOOP, T("after"), NULL, NULL, &err));
    const void *slot = NULL;
    memcpy(&slot, after, sizeof slot);
    CHECK(slot == vtable);
    OK(bir_module_register_vtable(f.module, BIR_INSTRUCTION_TYPE_NOOP, NULL, &err));
    after = NEW(bir_block_add_inst(f.block, BIR_INSTRUCTION_TYPE_NOOP, T("later"), NULL, NULL, &err));
    memcpy(&slot, after, sizeof slot);
    CHECK(slot == NULL);
    fixture_destroy(&f);
}

void good_module(void) {
    members();
    memory();
    children();
    ids_and_vtables();
}

#include "good.h"

static void holders(fixture *f) {
    SAME(bir_function_holder_module(f->functions, &err), f->module);
    SAME(bir_function_holder_module(f->nki, &err), f->module);
    VALUE(size_t, bir_function_holder_function_count, f->functions, 2);
    VALUE(size_t, bir_function_holder_function_count, f->nki, 1);
    SAME(bir_function_holder_first_function(f->functions, &err), f->function);
    SAME(bir_function_holder_last_function(f->functions, &err), f->second_function);
    SAME(bir_function_holder_find_function(f->nki, T("kernel"), &err), f->nki_function);
    NONE(bir_function_holder_find_function(f->nki, T("main"), &err));
    SAME(bir_function_owner(f->nki_function, &err), f->nki);
}

static void blocks(fixture *f) {
    VALUE(size_t, bir_function_block_count, f->function, 2);
    SAME(bir_function_first_block(f->function, &err), f->block);
    SAME(bir_function_last_block(f->function, &err), f->second_block);
    SAME(bir_function_find_block(f->function, T("Block2"), &err), f->second_block);
    NONE(bir_function_find_block(f->function, T("Body"), &err));
    SAME(bir_function_block_holder(f->function, &err), f->function_blocks);
    SAME(bir_function_find_inst(f->function, T("I-2"), &err), f->inner);
    NONE(bir_function_find_inst(f->function, T("I-9"), &err));
    bir_inst *const order[] = {f->inst, f->second_inst, f->loop, f->inner, f->dynamic_loop, f->dma_block};
    bir_inst *at = NULL;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = NEW(bir_function_next_inst(f->function, at, &err));
        CHECK(at == order[i]);
    }
    NONE(bir_function_next_inst(f->function, at, &err));
}

static void attributes(fixture *f) {
    const bir_string names[2] = {{T("no_spill")}, {"ready_for_codegen_", 17}};
    VALUE(size_t, bir_function_attribute_count, f->function, 0);
    OK(bir_function_set_attributes(f->function, names, 2, &err));
    VALUE(size_t, bir_function_attribute_count, f->function, 2);
    bir_string text = {NULL, 0};
    OK(bir_function_attribute(f->function, 1, &text, &err));
    CHECK(same_text(text, "ready_for_codegen"));
    IS(bir_function_attribute(f->function, 2, &text, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_function_set_attributes(f->function, NULL, 0, &err));
    VALUE(size_t, bir_function_attribute_count, f->function, 0);
}

static void storages(fixture *f) {
    bir_storage *set = NEW(bir_set_as_storage(f->set, &err));
    bir_storage *reg = NEW(bir_register_as_storage(f->second_reg, &err));
    VALUE(size_t, bir_function_storage_count, f->function, 4);
    VALUE(size_t, bir_function_set_count, f->function, 2);
    VALUE(size_t, bir_function_register_count, f->function, 2);
    SAME(bir_function_first_storage(f->function, &err), set);
    SAME(bir_function_last_storage(f->function, &err), reg);
    SAME(bir_function_find_storage(f->function, T("r1"), &err), reg);
    NONE(bir_function_find_storage(f->function, T("tensor"), &err));
    SAME(bir_function_first_set(f->function, &err), f->set);
    SAME(bir_function_last_set(f->function, &err), f->pointer_set);
    SAME(bir_function_find_set(f->function, T("pointer_set"), &err), f->pointer_set);
    NONE(bir_function_find_set(f->function, T("r1"), &err));
    SAME(bir_function_first_register(f->function, &err), f->reg);
    SAME(bir_function_last_register(f->function, &err), f->second_reg);
    SAME(bir_function_find_register(f->function, T("r1"), &err), f->second_reg);
    NONE(bir_function_find_register(f->function, T("tensor_set"), &err));
    SAME(bir_function_find_location(f->function, T("pointer"), &err), f->pointer_location);
    NONE(bir_function_find_location(f->function, T("tensor_set"), &err));
    uint8_t renamed = 9;
    bir_register *r = NEW(bir_function_add_register(f->function, T("tensor_set"), set, &renamed, &err));
    CHECK(renamed == 1);
    SAME(bir_function_first_storage(f->function, &err), bir_register_as_storage(r, NULL));
}

void good_functions(void) {
    fixture f = fixture_create();
    holders(&f);
    blocks(&f);
    attributes(&f);
    storages(&f);
    NAMED(bir_function, f.function, f.module, "main", "a_function_with_a_long_name");
    SAME(bir_function_next(f.function, &err), f.second_function);
    SAME(bir_function_prev(f.second_function, &err), f.function);
    UNLINK(bir_function, f.second_function);
    NONE(bir_function_owner(f.second_function, &err));
    OK(bir_function_rename(f.nki_function, T("main"), NULL, &err));
    uint8_t renamed = 9;
    OK(bir_function_move(f.nki_function, f.functions, f.function, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_function_name, f.nki_function, "main_1");
    SAME(bir_function_owner(f.nki_function, &err), f.functions);
    SAME(bir_module_first_function(f.module, &err), f.nki_function);
    OK(bir_function_move(f.second_function, f.nki, NULL, NULL, &err));
    SAME(bir_function_holder_last_function(f.nki, &err), f.second_function);
    ERASE(bir_function, f.second_function, "a_function_with_a_long_name");
    ERASE(bir_function, f.function, "main");
    VALUE(size_t, bir_module_function_count, f.module, 1);
    VALUE(uint8_t, bir_inst_is_erased, f.inner, 1);
    VALUE(uint8_t, bir_location_is_erased, f.location, 1);
    fixture_destroy(&f);
}

#include "good.h"

void good_storages(void) {
    fixture f = fixture_create();
    bir_storage *set = NEW(bir_set_as_storage(f.set, &err));
    bir_storage *second_set = NEW(bir_set_as_storage(f.pointer_set, &err));
    bir_storage *reg = NEW(bir_register_as_storage(f.reg, &err));
    bir_storage *second_reg = NEW(bir_register_as_storage(f.second_reg, &err));
    bir_storage *location = NEW(bir_location_as_storage(f.location, &err));
    CHECK((void *)set == (void *)f.set && (void *)reg == (void *)f.reg && (void *)location == (void *)f.location);
    VALUE(int32_t, bir_storage_class, set, BIR_STORAGE_KIND_MEMORYLOCATIONSET);
    VALUE(int32_t, bir_storage_class, reg, BIR_STORAGE_KIND_REGISTER);
    VALUE(int32_t, bir_storage_class, location, BIR_STORAGE_KIND_MEMORYLOCATION);
    SAME(bir_storage_as_set(set, &err), f.set);
    SAME(bir_storage_as_register(reg, &err), f.reg);
    SAME(bir_storage_as_location(location, &err), f.location);
    NONE(bir_storage_as_set(reg, &err));
    NONE(bir_storage_as_register(location, &err));
    NONE(bir_storage_as_location(set, &err));

    NAMED(bir_storage, set, f.module, "tensor_set", "pointer_set");
    NAMED(bir_storage, reg, f.module, "r0", "pointer_set");
    TEXT(bir_storage_name, location, "tensor");
    FAILS(bir_storage_module(location, &err), BIR_STATUS_WRONG_KIND);
    IS(bir_storage_rename(location, T("x"), NULL, &err), BIR_STATUS_WRONG_KIND);
    SAME(bir_storage_next(set, &err), second_set);
    SAME(bir_storage_prev(second_set, &err), set);
    SAME(bir_storage_next(second_set, &err), reg);
    NONE(bir_storage_next(second_reg, &err));
    FAILS(bir_storage_next(location, &err), BIR_STATUS_WRONG_KIND);
    SAME(bir_storage_function(set, &err), f.function);
    SAME(bir_storage_function(location, &err), f.function);
    VALUE(int32_t, bir_storage_tensor_kind, second_set, BIR_TENSOR_KIND_POINTER);
    VALUE(int32_t, bir_storage_tensor_kind, location, BIR_TENSOR_KIND_INTERNAL);
    VALUE(int32_t, bir_storage_memory_type, location, BIR_MEMORY_TYPE_DRAM);
    VALUE(int32_t, bir_storage_memory_type, set, BIR_MEMORY_TYPE_UNALLOCATED);

    /* Readers of r0: the register pattern and the register operand. */
    VALUE(size_t, bir_storage_reader_count, reg, 2);
    bir_operand *one = NEW(bir_storage_reader(reg, 0, &err));
    bir_operand *two = NEW(bir_storage_reader(reg, 1, &err));
    CHECK(one != two && (one == f.operand[REGISTER_AP] || one == f.operand[REGISTER_ITSELF]));
    NONE(bir_storage_reader(reg, 2, &err));
    bir_storage *written = NEW(bir_location_as_storage(f.second_location, &err));
    VALUE(size_t, bir_storage_writer_count, written, 1);
    SAME(bir_storage_writer(written, 0, &err), f.output);
    NONE(bir_storage_writer(written, 1, &err));
    size_t replaced = 99;
    OK(bir_storage_replace_all_uses(reg, second_reg, &replaced, &err));
    CHECK(replaced >= 3);
    VALUE(size_t, bir_storage_reader_count, reg, 0);
    SAME(bir_operand_storage(f.operand[REGISTER_ITSELF], &err), second_reg);
    SAME(bir_block_arg_storage(f.arg, &err), second_reg);
    IS(bir_storage_replace_all_uses(second_reg, set, NULL, &err), BIR_STATUS_WRONG_KIND);

    IS(bir_storage_erase(second_reg, &err), BIR_STATUS_STILL_REFERENCED);
    UNLINK(bir_storage, second_set);
    NONE(bir_storage_function(second_set, &err));
    uint8_t renamed = 9;
    OK(bir_storage_move(second_set, f.function, set, &renamed, &err));
    CHECK(renamed == 0);
    SAME(bir_function_first_storage(f.function, &err), second_set);
    OK(bir_storage_move(second_set, f.second_function, NULL, NULL, &err));
    SAME(bir_storage_function(second_set, &err), f.second_function);
    IS(bir_storage_erase(location, &err), BIR_STATUS_WRONG_KIND);
    ERASE(bir_storage, second_set, "pointer_set");
    fixture_destroy(&f);
}

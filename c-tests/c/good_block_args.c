#include "good.h"

void good_block_args(void) {
    fixture f = fixture_create();
    bir_storage *r0 = NEW(bir_register_as_storage(f.reg, &err));
    bir_storage *r1 = NEW(bir_register_as_storage(f.second_reg, &err));
    TEXT(bir_block_arg_name, f.arg, "phi");
    OK(bir_block_arg_rename(f.arg, T("phi_2"), &err));
    TEXT(bir_block_arg_name, f.arg, "phi_2");
    SAME(bir_block_find_arg(f.block, T("phi_2"), &err), f.arg);
    SAME(bir_block_arg_block(f.arg, &err), f.block);
    SAME(bir_block_arg_next(f.arg, &err), f.second_arg);
    SAME(bir_block_arg_prev(f.second_arg, &err), f.arg);
    NONE(bir_block_arg_next(f.second_arg, &err));
    bir_block_arg *first = NEW(bir_block_add_arg(f.block, T("first"), f.arg, &err));
    SAME(bir_block_arg_prev(f.arg, &err), first);
    SAME(bir_block_arg_storage(f.arg, &err), r0);
    NONE(bir_block_arg_storage(f.second_arg, &err));
    OK(bir_block_arg_set_storage(f.arg, r1, &err));
    SAME(bir_block_arg_storage(f.arg, &err), r1);
    OK(bir_block_arg_set_storage(f.arg, NULL, &err));
    NONE(bir_block_arg_storage(f.arg, &err));

    VALUE(size_t, bir_block_arg_incoming_count, f.arg, 1);
    OK(bir_block_arg_add_incoming(f.arg, r1, f.block, &err));
    VALUE(size_t, bir_block_arg_incoming_count, f.arg, 2);
    bir_incoming in = {NULL, NULL};
    OK(bir_block_arg_incoming(f.arg, 0, &in, &err));
    CHECK(in.value == r0 && in.predecessor == f.second_block);
    OK(bir_block_arg_incoming(f.arg, 1, &in, &err));
    CHECK(in.value == r1 && in.predecessor == f.block);
    IS(bir_block_arg_incoming(f.arg, 2, &in, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_block_arg_clear_incoming(f.arg, &err));
    VALUE(size_t, bir_block_arg_incoming_count, f.arg, 0);

    OK(bir_block_arg_set_storage(f.arg, r1, &err));
    VALUE(uint8_t, bir_block_arg_is_erased, f.arg, 0);
    OK(bir_block_arg_erase(f.arg, &err));
    VALUE(uint8_t, bir_block_arg_is_erased, f.arg, 1);
    NONE(bir_block_arg_block(f.arg, &err));
    VALUE(size_t, bir_block_arg_count, f.block, 2);
    fixture_destroy(&f);
}

#include "good.h"

static void members(bir_set *s) {
    ENUM_MEMBER(bir_set_dtype, bir_set_set_dtype, s, BIR_DTYPE_FLOAT32, BIR_DTYPE_INT8);
    ENUM_MEMBER(bir_set_kind, bir_set_set_kind, s, BIR_TENSOR_KIND_INTERNAL, BIR_TENSOR_KIND_CONST);
    ENUM_MEMBER(bir_set_tensor_class, bir_set_set_tensor_class, s, BIR_TENSOR_CLASS_TENSOR,
                BIR_TENSOR_CLASS_IMMUTABLEPARAMETER);
    ENUM_MEMBER(bir_set_addr_space, bir_set_set_addr_space, s, BIR_MEMORY_ADDRESS_SPACE_LOCAL,
                BIR_MEMORY_ADDRESS_SPACE_SHARED);
    MEMBER(int32_t, bir_set_partition_dim, bir_set_set_partition_dim, s, 0, 1);
    MEMBER(int64_t, bir_set_tensor_id_to_location_size, bir_set_set_tensor_id_to_location_size, s, 3, 8);
    OK(bir_set_set_tensor_id_to_location_size(s, -1, &err));
    VALUE(int64_t, bir_set_tensor_id_to_location_size, s, 3);
    MEMBER(uint8_t, bir_set_do_not_spill, bir_set_set_do_not_spill, s, 0, 1);
    MEMBER(uint8_t, bir_set_do_not_rotate, bir_set_set_do_not_rotate, s, 0, 1);
    MEMBER(uint8_t, bir_set_is_virtual, bir_set_set_virtual, s, 0, 1);
    MEMBER(uint8_t, bir_set_is_volatile, bir_set_set_volatile, s, 0, 1);
    MEMBER(uint8_t, bir_set_is_allocated, bir_set_set_allocated, s, 0, 1);
    TEXT(bir_set_file, s, "");
    OK(bir_set_set_file(s, T("weights_of_the_layer.npy"), &err));
    TEXT(bir_set_file, s, "weights_of_the_layer.npy");
    TEXT(bir_set_debug, s, "");
    OK(bir_set_set_debug(s, T("{}"), &err));
    TEXT(bir_set_debug, s, "{}");
    const uint64_t shape[3] = {4, 1ULL << 33, 6};
    uint64_t got[3] = {0, 0, 0};
    size_t count = 9;
    OK(bir_set_shape(s, NULL, 0, &count, &err));
    CHECK(count == 0);
    OK(bir_set_set_shape(s, shape, 3, &err));
    OK(bir_set_shape(s, got, 3, &count, &err));
    CHECK(count == 3 && memcmp(got, shape, sizeof got) == 0);
}

static void locations(fixture *f) {
    VALUE(size_t, bir_set_location_count, f->set, 3);
    SAME(bir_set_first_location(f->set, &err), f->location);
    SAME(bir_set_last_location(f->set, &err), f->psum_location);
    SAME(bir_set_find_location(f->set, T("psum"), &err), f->psum_location);
    NONE(bir_set_find_location(f->set, T("pointer"), &err));
    FAILS(bir_set_add_location(f->set, T("x"), 3, NULL, NULL, &err), BIR_STATUS_UNKNOWN_ENUM);
}

void good_sets(void) {
    fixture f = fixture_create();
    locations(&f);
    members(f.set);
    NAMED(bir_set, f.set, f.module, "tensor_set", "r0");
    SAME(bir_set_function(f.set, &err), f.function);
    SAME(bir_set_next(f.set, &err), f.pointer_set);
    SAME(bir_set_prev(f.pointer_set, &err), f.set);
    IS(bir_set_erase(f.set, &err), BIR_STATUS_STILL_REFERENCED);
    UNLINK(bir_set, f.pointer_set);
    NONE(bir_set_function(f.pointer_set, &err));
    uint8_t renamed = 9;
    OK(bir_set_move(f.pointer_set, f.function, bir_register_as_storage(f.reg, NULL), &renamed, &err));
    CHECK(renamed == 0);
    SAME(bir_set_prev(f.pointer_set, &err), f.set);
    ERASE(bir_set, f.pointer_set, "pointer_set");
    VALUE(uint8_t, bir_location_is_erased, f.pointer_location, 1);
    fixture_destroy(&f);
}

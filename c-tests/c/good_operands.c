#include "good.h"

static const int32_t IN = BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT;
static const int32_t INDIRECT = BIR_INSTRUCTION_ARGUMENT_TYPE_INDIRECTIONARGUMENT;
static const int32_t OUT = BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT;

static void lists(fixture *f) {
    size_t count = 0;
    OK(bir_inst_operand_count(f->inst, IN, &count, &err));
    CHECK(count == OPERAND_KINDS);
    OK(bir_inst_operand_count(f->inst, INDIRECT, &count, &err));
    CHECK(count == 0);
    SAME(bir_inst_first_operand(f->inst, IN, &err), f->operand[0]);
    SAME(bir_inst_last_operand(f->inst, IN, &err), f->operand[OPERAND_KINDS - 1]);
    SAME(bir_inst_operand(f->inst, IN, 3, &err), f->operand[3]);
    NONE(bir_inst_operand(f->inst, IN, OPERAND_KINDS, &err));
    NONE(bir_inst_first_operand(f->inst, INDIRECT, &err));
    for (size_t i = 0; i < OPERAND_KINDS; i++) {
        static const int32_t kinds[] = {
            BIR_ARGUMENT_KIND_PHYSICALACCESSPATTERN,  BIR_ARGUMENT_KIND_SYMBOLICACCESSPATTERN,
            BIR_ARGUMENT_KIND_REGISTERACCESSPATTERN,  BIR_ARGUMENT_KIND_IMMEDIATEVALUE,
            BIR_ARGUMENT_KIND_SYMBOLICIMMEDIATEVALUE, BIR_ARGUMENT_KIND_IMMEDIATEARRAY,
            BIR_ARGUMENT_KIND_REGISTERACCESS};
        bir_operand *o = f->operand[i];
        int immediate = i == IMMEDIATE || i == SYMBOLIC_IMMEDIATE || i == IMMEDIATE_ARRAY;
        VALUE(int32_t, bir_operand_kind, o, kinds[i]);
        SAME(bir_operand_module(o, &err), f->module);
        SAME(bir_operand_inst(o, &err), f->inst);
        SAME(bir_operand_function(o, &err), f->function);
        VALUE(int32_t, bir_operand_list, o, IN);
        VALUE(uint8_t, bir_operand_is_output, o, 0);
        VALUE(uint8_t, bir_operand_is_immediate, o, immediate);
        VALUE(uint8_t, bir_operand_is_active, o, 0);
        VALUE(uint8_t, bir_operand_is_erased, o, 0);
        if (i > 0) {
            SAME(bir_operand_next(f->operand[i - 1], &err), o);
            SAME(bir_operand_prev(o, &err), f->operand[i - 1]);
        }
        if (immediate) {
            NONE(bir_operand_storage(o, &err));
            NONE(bir_operand_set(o, &err));
        } else {
            NEW(bir_operand_storage(o, &err));
        }
    }
    VALUE(uint8_t, bir_operand_is_output, f->output, 1);
    VALUE(int32_t, bir_operand_list, f->output, OUT);
    NONE(bir_operand_next(f->output, &err));
    NONE(bir_operand_prev(f->output, &err));
}

static void binding(fixture *f) {
    bir_operand *o = f->operand[PHYSICAL];
    VALUE(int32_t, bir_operand_dtype, o, BIR_DTYPE_FLOAT32);
    OK(bir_operand_set_dtype(o, BIR_DTYPE_FLOAT8E3, &err));
    VALUE(int32_t, bir_operand_dtype, o, BIR_DTYPE_FLOAT8E3);
    IS(bir_operand_set_dtype(f->operand[IMMEDIATE], BIR_DTYPE_FLOAT8E3, &err), BIR_STATUS_UNSUPPORTED);
    SAME(bir_operand_location(o, &err), f->location);
    NONE(bir_operand_location(f->operand[SYMBOLIC], &err));
    SAME(bir_operand_set(o, &err), f->set);
    SAME(bir_operand_set(f->operand[SYMBOLIC], &err), f->set);
    bir_storage *second = NEW(bir_location_as_storage(f->second_location, &err));
    VALUE(size_t, bir_storage_reader_count, second, 0);
    OK(bir_operand_set_storage(o, second, &err));
    SAME(bir_operand_storage(o, &err), second);
    VALUE(size_t, bir_storage_reader_count, second, 1);
    bir_storage *set = NEW(bir_set_as_storage(f->set, &err));
    IS(bir_operand_set_storage(o, set, &err), BIR_STATUS_WRONG_KIND);
    OK(bir_operand_set_storage(o, bir_location_as_storage(f->location, NULL), &err));
}

static void patterns(fixture *f) {
    static const bir_dim dims[5] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
    static const uint64_t shape[5] = {1, 2, 3, 4, 5};
    bir_dim got[6];
    uint64_t numbers[6];
    size_t count = 0;
    for (size_t i = PHYSICAL; i <= REGISTER_AP; i++) {
        bir_operand *o = f->operand[i];
        OK(bir_operand_dims(o, got, 6, &count, &err));
        CHECK(count == 2 && got[0].step == 64 && got[0].num == 128 && got[1].step == 1 && got[1].num == 64);
        OK(bir_operand_set_dims(o, dims, 5, &err));
        OK(bir_operand_dims(o, got, 5, &count, &err));
        CHECK(count == 5 && memcmp(got, dims, sizeof dims) == 0);
        OK(bir_operand_access_shape(o, NULL, 0, &count, &err));
        CHECK(count == 0);
        OK(bir_operand_set_access_shape(o, shape, 5, &err));
        OK(bir_operand_access_shape(o, numbers, 6, &count, &err));
        CHECK(count == 5 && memcmp(numbers, shape, sizeof shape) == 0);
        IS(bir_operand_access_shape(o, numbers, 4, &count, &err), BIR_STATUS_BAD_VALUE);
    }
    OK(bir_operand_dims(f->operand[IMMEDIATE], NULL, 0, &count, &err));
    CHECK(count == 0);
}

static void physical(fixture *f) {
    bir_operand *o = f->operand[PHYSICAL];
    MEMBER(uint64_t, bir_operand_offset, bir_operand_set_offset, o, 16, UINT64_MAX);
    bir_dynamic_ap dynamic = {1, 2, 3};
    IS(bir_operand_dynamic(o, &dynamic, &err), BIR_STATUS_NOT_FOUND);
    const bir_dynamic_ap given = {-9, BIR_INDIRECT_DIM_Y, 77};
    const bir_dim dims[2] = {{11, 12}, {13, 14}};
    const bir_term terms[2] = {{f->expr[BIR_EXPR_KIND_INT_RUNTIME_VALUE], -5}, {f->expr[BIR_EXPR_KIND_MULT], 6}};
    OK(bir_operand_set_dynamic(o, &given, dims, 2, terms, 2, &err));
    OK(bir_operand_dynamic(o, &dynamic, &err));
    CHECK(dynamic.c == -9 && dynamic.indirect_dim == BIR_INDIRECT_DIM_Y && dynamic.indirect_dim_max_index == 77);
    bir_dim got[2];
    bir_term sum[2];
    size_t count = 0;
    OK(bir_operand_dynamic_dims(o, got, 2, &count, &err));
    CHECK(count == 2 && memcmp(got, dims, sizeof dims) == 0);
    OK(bir_operand_dynamic_terms(o, sum, 2, &count, &err));
    CHECK(count == 2 && sum[0].expr == terms[0].expr && sum[0].coeff == -5 && sum[1].coeff == 6);
    OK(bir_operand_clear_dynamic(o, &err));
    IS(bir_operand_dynamic(o, &dynamic, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_operand_dynamic_dims(o, got, 2, &count, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_operand_clear_dynamic(f->operand[SYMBOLIC], &err), BIR_STATUS_WRONG_KIND);
}

static void symbolic(fixture *f) {
    bir_operand *o = f->operand[SYMBOLIC];
    bir_expr *got[3] = {NULL, NULL, NULL};
    size_t count = 0;
    OK(bir_operand_addrs(o, got, 3, &count, &err));
    CHECK(count == 1 && got[0] == f->expr[BIR_EXPR_KIND_AFF_EXPR]);
    const bir_expr *const addrs[2] = {f->expr[1], f->expr[3]};
    OK(bir_operand_set_addrs(o, addrs, 2, &err));
    OK(bir_operand_addrs(o, got, 3, &count, &err));
    CHECK(count == 2 && got[0] == f->expr[1] && got[1] == f->expr[3]);
    int32_t arg = 9, indices = 9;
    OK(bir_operand_tensor_indirection(o, &arg, &indices, &err));
    CHECK(arg == -1 && indices == 0);
    OK(bir_operand_set_tensor_indirection(o, 2, 3, &err));
    OK(bir_operand_tensor_indirection(o, &arg, &indices, &err));
    CHECK(arg == 2 && indices == 3);
    MEMBER(uint8_t, bir_operand_is_spelled_pwap, bir_operand_set_spelled_pwap, o, 0, 1);
}

static void registers(fixture *f) {
    bir_operand *o = f->operand[REGISTER_AP];
    SAME(bir_operand_register(o, 0, &err), f->reg);
    SAME(bir_operand_register(o, 1, &err), f->second_reg);
    NONE(bir_operand_register(o, 2, &err));
    SAME(bir_operand_register(f->operand[REGISTER_ITSELF], 0, &err), f->reg);
    OK(bir_operand_set_register(o, 2, f->reg, &err));
    OK(bir_operand_set_register(o, 1, NULL, &err));
    SAME(bir_operand_register(o, 2, &err), f->reg);
    NONE(bir_operand_register(o, 1, &err));
    IS(bir_operand_set_register(o, 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    uint64_t offset = 9;
    int32_t sub = 9;
    uint8_t regloc = 9;
    OK(bir_operand_register_constants(o, &offset, &sub, &regloc, &err));
    CHECK(offset == 0 && sub == -1 && regloc == 0);
    OK(bir_operand_set_register_constants(o, 1ULL << 40, 6, 2, &err));
    OK(bir_operand_register_constants(o, &offset, &sub, &regloc, &err));
    CHECK(offset == 1ULL << 40 && sub == 6 && regloc == 1);
}

static void immediates(fixture *f) {
    MEMBER(uint64_t, bir_operand_immediate_bits, bir_operand_set_immediate_bits, f->operand[IMMEDIATE], 42, 43);
    int64_t got[12];
    size_t count = 0;
    OK(bir_operand_immediate_array(f->operand[IMMEDIATE_ARRAY], got, 12, &count, &err));
    CHECK(count == 3 && got[0] == -1 && got[2] == 1);
    const int64_t values[12] = {INT64_MIN, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, INT64_MAX};
    OK(bir_operand_set_immediate_array(f->operand[IMMEDIATE_ARRAY], values, 12, &err));
    OK(bir_operand_immediate_array(f->operand[IMMEDIATE_ARRAY], got, 12, &count, &err));
    CHECK(count == 12 && memcmp(got, values, sizeof got) == 0);
    uint64_t bits[2];
    OK(bir_operand_symbolic_immediate_values(f->operand[SYMBOLIC_IMMEDIATE], bits, 2, &count, &err));
    CHECK(count == 2 && bits[0] == 1 && bits[1] == 2);
    SAME(bir_operand_symbolic_immediate_expr(f->operand[SYMBOLIC_IMMEDIATE], &err), f->expr[BIR_EXPR_KIND_MULT]);
    NONE(bir_operand_symbolic_immediate_expr(f->operand[IMMEDIATE], &err));
}

void good_operands(void) {
    fixture f = fixture_create();
    lists(&f);
    binding(&f);
    patterns(&f);
    physical(&f);
    symbolic(&f);
    registers(&f);
    immediates(&f);

    bir_storage *location = NEW(bir_location_as_storage(f.location, &err));
    VALUE(size_t, bir_storage_reader_count, location, 1);
    VALUE(size_t, bir_storage_writer_count, location, 0);
    OK(bir_operand_move(f.operand[PHYSICAL], f.second_inst, OUT, NULL, &err));
    SAME(bir_operand_inst(f.operand[PHYSICAL], &err), f.second_inst);
    VALUE(size_t, bir_storage_reader_count, location, 0);
    VALUE(size_t, bir_storage_writer_count, location, 1);
    OK(bir_operand_move(f.operand[SYMBOLIC], f.second_inst, OUT, f.operand[PHYSICAL], &err));
    SAME(bir_inst_first_operand(f.second_inst, OUT, &err), f.operand[SYMBOLIC]);
    OK(bir_operand_erase(f.operand[PHYSICAL], &err));
    VALUE(uint8_t, bir_operand_is_erased, f.operand[PHYSICAL], 1);
    VALUE(size_t, bir_storage_writer_count, location, 0);
    FAILS(bir_operand_module(f.operand[PHYSICAL], &err), BIR_STATUS_DETACHED);
    fixture_destroy(&f);
}

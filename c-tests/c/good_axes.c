#include "good.h"

static uint64_t trips(fixture *f, int32_t lb, int64_t ub, int64_t stride) {
    uint64_t count = 99;
    SAME(bir_inst_set_loop_axis(f->loop, T("i"), lb, ub, stride, &err), f->axis);
    OK(bir_axis_trip_count(f->axis, &count, &err));
    return count;
}

void good_axes(void) {
    fixture f = fixture_create();
    int32_t lb = 9;
    int64_t ub = 9, stride = 9;
    SAME(bir_inst_axis(f.loop, &err), f.axis);
    SAME(bir_inst_axis(f.dynamic_loop, &err), f.dynamic_axis);
    NONE(bir_inst_axis(f.inst, &err));
    TEXT(bir_axis_name, f.axis, "i");
    TEXT(bir_axis_name, f.dynamic_axis, "j");
    VALUE(uint8_t, bir_axis_is_dynamic, f.axis, 0);
    VALUE(uint8_t, bir_axis_is_dynamic, f.dynamic_axis, 1);
    OK(bir_axis_bounds(f.axis, &lb, &ub, &stride, &err));
    CHECK(lb == 0 && ub == 10 && stride == 2);
    OK(bir_axis_bounds(f.dynamic_axis, &lb, &ub, &stride, &err));
    CHECK(lb == 0 && ub == 0 && stride == 1);
    VALUE(uint64_t, bir_axis_trip_count, f.axis, 5);
    VALUE(uint64_t, bir_axis_trip_count, f.dynamic_axis, 0);
    CHECK(trips(&f, 0, 11, 2) == 6 && trips(&f, 10, 0, -3) == 4 && trips(&f, 0, 0, 1) == 0 && trips(&f, 3, 2, 1) == 0);
    FAILS(bir_inst_set_loop_axis(f.loop, T("i"), 0, 1, 0, &err), BIR_STATUS_BAD_VALUE);
    SAME(bir_axis_dynamic_lb(f.dynamic_axis, &err), f.expr[BIR_EXPR_KIND_SHARD_ID]);
    SAME(bir_axis_dynamic_ub(f.dynamic_axis, &err), f.expr[BIR_EXPR_KIND_INT_RUNTIME_VALUE]);
    NONE(bir_axis_dynamic_stride(f.dynamic_axis, &err));
    NONE(bir_axis_dynamic_lb(f.axis, &err));
    SAME(bir_inst_set_dynamic_axis(f.dynamic_loop, T("renamed"), NULL, NULL, f.expr[0], &err), f.dynamic_axis);
    TEXT(bir_axis_name, f.dynamic_axis, "renamed");
    SAME(bir_axis_dynamic_stride(f.dynamic_axis, &err), f.expr[0]);
    NONE(bir_axis_dynamic_ub(f.dynamic_axis, &err));
    SAME(bir_inst_find_axis_outward(f.inner, T("i"), &err), f.axis);
    NONE(bir_inst_find_axis_outward(f.inner, T("renamed"), &err));
    FAILS(bir_inst_set_loop_axis(f.inst, T("i"), 0, 1, 1, &err), BIR_STATUS_WRONG_KIND);

    bir_axis *nest[2] = {NULL, NULL};
    size_t count = 9;
    const bir_axis *const axes[2] = {f.axis, f.dynamic_axis};
    OK(bir_inst_set_loopnest(f.inner, axes, 2, &err));
    OK(bir_inst_loopnest(f.inner, nest, 2, &count, &err));
    CHECK(count == 2 && nest[0] == f.axis && nest[1] == f.dynamic_axis);
    OK(bir_inst_set_loopnest(f.inner, NULL, 0, &err));
    OK(bir_inst_loopnest(f.inner, NULL, 0, &count, &err));
    CHECK(count == 0);
    fixture_destroy(&f);
}

static void numbers(const bir_expr *e, int64_t first, int64_t second) {
    int64_t got[2] = {99, 99};
    OK(bir_expr_numbers(e, &got[0], &got[1], &err));
    CHECK(got[0] == first && got[1] == second);
}

void good_expressions(void) {
    fixture f = fixture_create();
    bir_expr **e = f.expr;
    for (int32_t kind = 0; kind < EXPR_KINDS; kind++) {
        bir_string name = {NULL, 0};
        int32_t number = -1;
        VALUE(int32_t, bir_expr_kind, e[kind], kind);
        OK(bir_expr_kind_name(kind, &name, &err));
        OK(bir_expr_kind_by_name(name.data, name.len, &number, &err));
        CHECK(number == kind);
    }
    int32_t modulo = -1;
    OK(bir_expr_kind_by_name(T("CCModKind"), &modulo, &err));
    CHECK(modulo == BIR_EXPR_KIND_MODULO);
    IS(bir_expr_kind_by_name(T("None"), &modulo, &err), BIR_STATUS_UNKNOWN_ENUM);
    SAME(bir_expr_operand(e[BIR_EXPR_KIND_CC_DIV], &err), e[BIR_EXPR_KIND_SHARD_ID]);
    NONE(bir_expr_operand(e[BIR_EXPR_KIND_SUM], &err));
    SAME(bir_expr_axis(e[BIR_EXPR_KIND_AFF_IV], &err), f.axis);
    NONE(bir_expr_axis(e[BIR_EXPR_KIND_SUM], &err));
    SAME(bir_expr_register(e[BIR_EXPR_KIND_INT_RUNTIME_VALUE], &err), f.reg);
    NONE(bir_expr_register(e[BIR_EXPR_KIND_SUM], &err));
    numbers(e[BIR_EXPR_KIND_AFF_EXPR], 5, 0);
    numbers(e[BIR_EXPR_KIND_SHARD_ID], 4, 0);
    numbers(e[BIR_EXPR_KIND_MULT], -7, 0);
    numbers(e[BIR_EXPR_KIND_CC_DIV], 2, 6);
    numbers(e[BIR_EXPR_KIND_CC_GET_RANK], 1, 2);
    numbers(e[BIR_EXPR_KIND_INDIRECT_ARG_ID], 3, 0);
    bir_term terms[2];
    size_t count = 0;
    VALUE(size_t, bir_expr_term_count, e[BIR_EXPR_KIND_AFF_EXPR], 2);
    VALUE(size_t, bir_expr_term_count, e[BIR_EXPR_KIND_MULT], 0);
    OK(bir_expr_terms(e[BIR_EXPR_KIND_AFF_EXPR], terms, 2, &count, &err));
    CHECK(count == 2 && terms[0].expr == e[BIR_EXPR_KIND_AFF_IV] && terms[0].coeff == 3 && terms[1].coeff == -4);
    OK(bir_expr_terms(e[BIR_EXPR_KIND_SUM], terms, 2, &count, &err));
    CHECK(count == 2 && terms[1].expr == e[BIR_EXPR_KIND_INT_RUNTIME_VALUE] && terms[1].coeff == 1);
    FAILS(bir_expr_unary(f.module, BIR_EXPR_KIND_SUM, e[0], 1, 0, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_expr_unary(f.module, BIR_EXPR_KIND_MODULO, e[0], 0, 0, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_expr_leaf(f.module, BIR_EXPR_KIND_MULT, 1, 0, &err), BIR_STATUS_BAD_VALUE);
    bir_expr *constant = NEW(bir_expr_affine(f.module, NULL, 0, INT64_MIN, &err));
    numbers(constant, INT64_MIN, 0);
    NEW(bir_expr_sum(f.module, NULL, 0, &err));
    NEW(bir_expr_axis_value(f.module, f.dynamic_axis, &err));
    NEW(bir_expr_register_value(f.module, f.second_reg, &err));
    fixture_destroy(&f);
}

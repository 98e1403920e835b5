/* Objects of the wrong kind, at the wrong place, erased, or of another module; and what must be refused because it would
 * make the module contradict itself. */
#include "check.h"
#include "fixture.h"

static void storages(fixture *f) {
    bir_storage *set = NEW(bir_set_as_storage(f->set, &err));
    bir_storage *reg = NEW(bir_register_as_storage(f->reg, &err));
    bir_storage *location = NEW(bir_location_as_storage(f->location, &err));
    NONE(bir_storage_as_set(reg, &err));
    NONE(bir_storage_as_set(location, &err));
    NONE(bir_storage_as_register(set, &err));
    NONE(bir_storage_as_register(location, &err));
    NONE(bir_storage_as_location(set, &err));
    NONE(bir_storage_as_location(reg, &err));
    IS(bir_storage_unlink(location, &err), BIR_STATUS_WRONG_KIND);
    IS(bir_storage_move(location, f->function, NULL, NULL, &err), BIR_STATUS_WRONG_KIND);
    IS(bir_storage_erase(location, &err), BIR_STATUS_WRONG_KIND);
    FAILS(bir_storage_next(location, &err), BIR_STATUS_WRONG_KIND);
    FAILS(bir_storage_prev(location, &err), BIR_STATUS_WRONG_KIND);
    IS(bir_storage_replace_all_uses(set, reg, NULL, &err), BIR_STATUS_WRONG_KIND);
    IS(bir_storage_replace_all_uses(location, set, NULL, &err), BIR_STATUS_WRONG_KIND);
    FAILS(bir_function_add_set(f->function, T("x"), 0, 0, location, NULL, &err), BIR_STATUS_WRONG_KIND);
    /* A place in another function. */
    FAILS(bir_function_add_register(f->second_function, T("x"), set, NULL, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_set_move(f->pointer_set, f->second_function, reg, NULL, &err), BIR_STATUS_NOT_FOUND);
    SAME(bir_set_function(f->pointer_set, &err), f->function);
}

/* Which kinds of operands each function takes; the others are WRONG_KIND. */
enum { P = 1 << PHYSICAL, S = 1 << SYMBOLIC, R = 1 << REGISTER_AP, I = 1 << IMMEDIATE, Y = 1 << SYMBOLIC_IMMEDIATE };
enum { A = 1 << IMMEDIATE_ARRAY, G = 1 << REGISTER_ITSELF };

static void operand_calls(bir_operand *o, const fixture *f, int kind) {
    static const bir_dim dims[1] = {{1, 1}};
    static const uint64_t shape[1] = {1};
    static const int64_t values[1] = {1};
    const bir_dynamic_ap dynamic = {0, 0, 0};
    const bir_expr *const exprs[1] = {f->expr[0]};
    uint64_t word = 0;
    int32_t one = 0, two = 0;
    uint8_t flag = 0;
    int bit = 1 << kind;
#define TAKES(kinds, call) IS((call), (kinds) & bit ? BIR_STATUS_OK : BIR_STATUS_WRONG_KIND)
    TAKES(P | S | R, bir_operand_set_dims(o, dims, 1, &err));
    TAKES(P | S | R, bir_operand_set_access_shape(o, shape, 1, &err));
    TAKES(P, bir_operand_offset(o, &word, &err));
    TAKES(P, bir_operand_set_offset(o, 1, &err));
    TAKES(P, bir_operand_set_dynamic(o, &dynamic, dims, 1, NULL, 0, &err));
    TAKES(P, bir_operand_clear_dynamic(o, &err));
    TAKES(S, bir_operand_set_addrs(o, exprs, 1, &err));
    TAKES(S, bir_operand_tensor_indirection(o, &one, &two, &err));
    TAKES(S, bir_operand_set_tensor_indirection(o, 1, 1, &err));
    TAKES(R, bir_operand_set_register(o, 1, f->reg, &err));
    TAKES(R, bir_operand_register_constants(o, &word, &one, &flag, &err));
    TAKES(R, bir_operand_set_register_constants(o, 1, 1, 1, &err));
    /* A symbolic immediate is an immediate value. */
    TAKES(I | Y, bir_operand_immediate_bits(o, &word, &err));
    TAKES(I | Y, bir_operand_set_immediate_bits(o, 1, &err));
    TAKES(A, bir_operand_set_immediate_array(o, values, 1, &err));
    TAKES(P, bir_operand_set_storage(o, bir_location_as_storage(f->second_location, NULL), &err));
    TAKES(S | R, bir_operand_set_storage(o, bir_set_as_storage(f->pointer_set, NULL), &err));
    TAKES(G, bir_operand_set_storage(o, bir_register_as_storage(f->second_reg, NULL), &err));
    /* Others have nothing to show, which is no error. */
    size_t count = 9;
    OK(bir_operand_dims(o, NULL, 0, &count, &err));
    CHECK((count != 0) == ((bit & (P | S | R)) != 0));
    OK(bir_operand_addrs(o, NULL, 0, &count, &err));
    CHECK((count != 0) == (bit == S));
    OK(bir_operand_immediate_array(o, NULL, 0, &count, &err));
    CHECK((count != 0) == (bit == A));
    OK(bir_operand_symbolic_immediate_values(o, NULL, 0, &count, &err));
    CHECK((count != 0) == (bit == Y));
}

static void operands(fixture *f) {
    static const bir_dim dims[6] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    for (int kind = 0; kind < OPERAND_KINDS; kind++) {
        operand_calls(f->operand[kind], f, kind);
    }
    FAILS(bir_inst_add_physical_ap(f->inst, 0, f->location, 0, dims, 0, 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_inst_add_physical_ap(f->inst, 0, f->location, 0, dims, 6, 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_inst_add_physical_ap(f->inst, 0, f->location, 0, dims, 1, 0, f->output, &err), BIR_STATUS_NOT_FOUND);
    FAILS(bir_inst_add_physical_ap(f->inst, 3, f->location, 0, dims, 1, 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_inst_add_immediate(f->inst, BIR_DTYPE_FLOAT8E5, 0, NULL, &err), BIR_STATUS_UNSUPPORTED);
    IS(bir_operand_set_register(f->operand[REGISTER_AP], 3, f->reg, &err), BIR_STATUS_BAD_VALUE);
    /* Immediates stay in `ins`. */
    OK(bir_operand_move(f->operand[IMMEDIATE], f->second_inst, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, NULL, &err));
    VALUE(int32_t, bir_operand_list, f->operand[IMMEDIATE], BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT);
    VALUE(uint8_t, bir_operand_is_output, f->operand[IMMEDIATE], 0);
    /* A place in another list. */
    IS(bir_operand_move(f->operand[PHYSICAL], f->inst, 0, f->output, &err), BIR_STATUS_NOT_FOUND);
    SAME(bir_operand_inst(f->operand[PHYSICAL], &err), f->inst);
}

static void instructions(fixture *f) {
    NONE(bir_inst_axis(f->inst, &err));
    NONE(bir_inst_block_holder(f->inst, &err));
    NONE(bir_inst_axis(f->dma_block, &err));
    FAILS(bir_inst_set_loop_axis(f->dynamic_loop, T("i"), 0, 1, 1, &err), BIR_STATUS_WRONG_KIND);
    FAILS(bir_inst_set_dynamic_axis(f->loop, T("i"), NULL, NULL, NULL, &err), BIR_STATUS_WRONG_KIND);
    FAILS(bir_block_holder_add_block(bir_inst_block_holder(f->inst, NULL), T("x"), NULL, NULL, &err),
          BIR_STATUS_NULL_ARGUMENT);
    FAILS(bir_block_holder_first_block(bir_inst_block_holder(f->inst, NULL), &err), BIR_STATUS_NULL_ARGUMENT);
    FAILS(bir_block_add_inst(f->block, 0, T("x"), f->inner, NULL, &err), BIR_STATUS_NOT_FOUND);
}

/* What would put a thing into itself. */
static void cycles(fixture *f) {
    IS(bir_inst_move(f->loop, f->body, NULL, NULL, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_block_move(f->body, f->loop_blocks, f->body, NULL, &err), BIR_STATUS_OK);
    IS(bir_block_move(f->block, f->loop_blocks, NULL, NULL, &err), BIR_STATUS_BAD_VALUE);
    SAME(bir_block_owner(f->block, &err), f->function_blocks);
    IS(bir_inst_move(f->inst, f->block, f->inst, NULL, &err), BIR_STATUS_OK);
    OK(bir_inst_move(f->inst, f->block, f->second_inst, NULL, &err));
    SAME(bir_block_first_inst(f->block, &err), f->inst);
    /* The walk over everything still ends. */
    size_t count = 0;
    for (bir_inst *i = NULL; (i = bir_function_next_inst(f->function, i, &err)) != NULL; count++) {
        CHECK(count < 6);
    }
    CHECK(count == 6 && err.status == BIR_STATUS_OK);
}

/* Expressions that are shared many times, or very deep, end all the same. */
static void expressions(fixture *f) {
    bir_expr *e = f->expr[BIR_EXPR_KIND_AFF_IV];
    for (int i = 0; i < 64; i++) {
        const bir_expr *const twice[2] = {e, e};
        e = NEW(bir_expr_sum(f->module, twice, 2, &err));
    }
    const bir_expr *const shared[1] = {e};
    OK(bir_inst_set_order(f->inst, shared, 1, &err));
    e = f->expr[BIR_EXPR_KIND_AFF_IV];
    for (int i = 0; i < 100000; i++) {
        e = NEW(bir_expr_unary(f->module, BIR_EXPR_KIND_MULT, e, 2, 0, &err));
    }
    const bir_expr *const deep[1] = {e};
    OK(bir_inst_set_order(f->inst, deep, 1, &err));
}

static void numbers(fixture *f) {
    static const uint32_t wide[3] = {UINT32_MAX, UINT32_MAX, 2};
    static const struct {
        int32_t lb;
        int64_t ub, stride;
        uint64_t trips;
    } loops[] = {
        {INT32_MIN, INT64_MAX, 1, (uint64_t)INT64_MAX + 2147483648u},
        {INT32_MAX, INT64_MIN, -1, (uint64_t)1 << 63 | INT32_MAX},
        {0, INT64_MAX, INT64_MAX, 1},
        {0, INT64_MIN, INT64_MIN, 1},
        {INT32_MAX, INT64_MIN, INT64_MIN, 2},
        {0, INT64_MIN, 1, 0},
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        NEW(bir_inst_set_loop_axis(f->loop, T("i"), loops[i].lb, loops[i].ub, loops[i].stride, &err));
        VALUE(uint64_t, bir_axis_trip_count, f->axis, loops[i].trips);
    }
    IS(bir_location_set_dims(f->location, wide, 3, &err), BIR_STATUS_BAD_VALUE);
    OK(bir_location_set_dims(f->location, wide, 2, &err));
    VALUE(uint64_t, bir_location_byte_size, f->location, (uint64_t)UINT32_MAX * UINT32_MAX);
    IS(bir_location_add_alias(f->location, f->location, 1, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_location_add_alias(f->location, f->second_location, 0, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_location_add_alias(f->location, f->second_location, 8, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_inst_add_dependency(f->inst, f->loop, 5, 0, NULL, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_inst_add_dependency(f->inst, f->loop, 1, 2, NULL, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_set_add_location(f->set, T("x"), 0, NULL, NULL, &err), BIR_STATUS_UNKNOWN_ENUM);
}

/* Places for results that are too small stay as they are. */
static void small_places(fixture *f) {
    bir_dim dims[2] = {{77, 77}, {77, 77}};
    size_t count = 99;
    IS(bir_operand_dims(f->output, dims, 1, &count, &err), BIR_STATUS_BAD_VALUE);
    CHECK(count == 99 && dims[0].step == 77 && dims[1].num == 77);
    IS(bir_operand_dims(f->output, dims, 2, NULL, &err), BIR_STATUS_NULL_ARGUMENT);
    CHECK(dims[0].step == 77);
    IS(bir_operand_dims(f->output, NULL, 2, &count, &err), BIR_STATUS_NULL_ARGUMENT);
    CHECK(count == 99);
}

/* Erased objects stay readable, are found nowhere, and nothing can be attached to them. */
static void ends(fixture *f) {
    erased x = fixture_erased(f);
    bir_string text;
    OK(bir_function_name(x.function, &text, &err));
    CHECK(same_text(text, "gone"));
    OK(bir_inst_name(x.loop, &text, &err));
    OK(bir_axis_name(x.axis, &text, &err));
    NONE(bir_function_find_block(f->function, T("gone"), &err));
    NONE(bir_function_find_inst(f->function, T("gone"), &err));
    NONE(bir_function_find_storage(f->function, T("gone"), &err));
    NONE(bir_module_find_function(f->module, T("gone"), &err));
    NONE(bir_module_find_queue(f->module, T("gone"), &err));
    IS(bir_inst_add_dependency(f->inst, x.inst, 1, 0, NULL, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_add_dependency(x.inst, f->inst, 1, 0, NULL, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_move(f->inst, x.block, NULL, NULL, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_move(x.inst, f->block, NULL, NULL, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_erase(x.inst, &err), BIR_STATUS_DETACHED);
    FAILS(bir_block_holder_add_block(x.holder, T("x"), NULL, NULL, &err), BIR_STATUS_DETACHED);
    FAILS(bir_expr_axis_value(f->module, x.axis, &err), BIR_STATUS_DETACHED);
    FAILS(bir_expr_register_value(f->module, x.reg, &err), BIR_STATUS_DETACHED);
    const bir_wait wait = {0, 0, BIR_WAIT_MODE_SEM_GE_IMM, 0, x.inst};
    IS(bir_inst_add_wait(f->inst, &wait, &err), BIR_STATUS_DETACHED);
    bir_storage *gone = NEW(bir_register_as_storage(x.reg, &err));
    IS(bir_block_arg_set_storage(f->arg, gone, &err), BIR_STATUS_DETACHED);
    IS(bir_storage_replace_all_uses(bir_register_as_storage(f->reg, NULL), gone, NULL, &err), BIR_STATUS_DETACHED);
    /* An unlinked object is no erased one, but gives no ids. */
    OK(bir_block_unlink(f->second_block, &err));
    FAILS(bir_block_add_inst(f->second_block, 0, T("x"), NULL, NULL, &err), BIR_STATUS_DETACHED);
    OK(bir_block_move(f->second_block, f->function_blocks, NULL, NULL, &err));
    NEW(bir_block_add_inst(f->second_block, 0, T("x"), NULL, NULL, &err));
}

static void two_modules(fixture *f) {
    fixture g = fixture_create();
    const bir_expr *const foreign[1] = {g.expr[0]};
    const bir_axis *const axes[1] = {g.axis};
    IS(bir_inst_set_order(f->inst, foreign, 1, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_inst_set_loopnest(f->inst, axes, 1, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_inst_add_dependency(f->inst, g.inst, 1, 0, NULL, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_function_move(f->function, g.functions, NULL, NULL, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_operand_move(f->output, g.inst, 2, NULL, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_location_add_alias(f->location, g.location, 1, &err), BIR_STATUS_FOREIGN_MODULE);
    fixture_destroy(&g);
    /* Nothing of the other module is left behind. */
    size_t count = 0;
    for (bir_inst *i = NULL; (i = bir_function_next_inst(f->function, i, &err)) != NULL;) {
        OK(bir_inst_order(i, NULL, 0, &count, &err));
    }
}

int main(void) {
    static void (*const topics[])(fixture *) = {storages, operands,     instructions, cycles,     expressions,
                                                numbers,  small_places, ends,         two_modules};
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        fixture f = fixture_create();
        topics[i](&f);
        fixture_destroy(&f);
    }
    return 0;
}

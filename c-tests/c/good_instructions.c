#include "good.h"

static void places(fixture *f) {
    VALUE(int32_t, bir_inst_opcode, f->loop, BIR_INSTRUCTION_TYPE_LOOP);
    SAME(bir_inst_block(f->inner, &err), f->body);
    SAME(bir_inst_function(f->inner, &err), f->function);
    SAME(bir_inst_parent(f->inner, &err), f->loop);
    NONE(bir_inst_parent(f->loop, &err));
    SAME(bir_inst_block_holder(f->loop, &err), f->loop_blocks);
    NONE(bir_inst_block_holder(f->inst, &err));
    VALUE(size_t, bir_inst_position, f->loop, 2);
    char path[128];
    size_t len = 0;
    const char *expected = "functions[0].blocks[0].instructions[0]";
    OK(bir_inst_path(f->inst, NULL, 0, &len, &err));
    CHECK(len == strlen(expected));
    IS(bir_inst_path(f->inst, path, len, &len, &err), BIR_STATUS_BAD_VALUE);
    OK(bir_inst_path(f->inst, path, len + 1, &len, &err));
    CHECK(strcmp(path, expected) == 0);
}

static void members(fixture *f) {
    bir_inst *i = f->inst;
    ENUM_MEMBER(bir_inst_engine, bir_inst_set_engine, i, BIR_ENGINE_TYPE_UNASSIGNED, BIR_ENGINE_TYPE_PE);
    MEMBER(uint32_t, bir_inst_engine_id, bir_inst_set_engine_id, i, 0, UINT32_MAX);
    int64_t start = -1, end = -1;
    OK(bir_inst_schedule(i, &start, &end, &err));
    CHECK(start == 0 && end == 0);
    OK(bir_inst_set_schedule(i, -3, INT64_MAX, &err));
    OK(bir_inst_schedule(i, &start, &end, &err));
    CHECK(start == -3 && end == INT64_MAX);
    ABSENT(bir_inst_debug, i);
    OK(bir_inst_set_debug(i, T("{\"line\":1}"), &err));
    TEXT(bir_inst_debug, i, "{\"line\":1}");
    OK(bir_inst_set_debug(i, NULL, 0, &err));
    ABSENT(bir_inst_debug, i);

    const bir_string passes[2] = {{T("one")}, {T("two")}};
    bir_string text = {NULL, 0};
    VALUE(size_t, bir_inst_optin_pass_count, i, 0);
    OK(bir_inst_set_optin_passes(i, passes, 2, &err));
    VALUE(size_t, bir_inst_optin_pass_count, i, 2);
    OK(bir_inst_optin_pass(i, 1, &text, &err));
    CHECK(same_text(text, "two"));
    IS(bir_inst_optin_pass(i, 2, &text, &err), BIR_STATUS_NOT_FOUND);

    const bir_predicate predicates[2] = {{f->expr[0], BIR_PREDICATE_GE}, {f->expr[5], BIR_PREDICATE_EQ}};
    bir_predicate got[2];
    size_t count = 9;
    OK(bir_inst_predicates(i, NULL, 0, &count, &err));
    CHECK(count == 0);
    OK(bir_inst_set_predicates(i, predicates, 2, &err));
    OK(bir_inst_predicates(i, got, 2, &count, &err));
    CHECK(count == 2 && got[0].expr == f->expr[0] && got[1].expr == f->expr[5] && got[1].op == BIR_PREDICATE_EQ);

    const bir_expr *const order[2] = {f->expr[1], f->expr[2]};
    bir_expr *exprs[3] = {NULL, NULL, NULL};
    OK(bir_inst_set_order(i, order, 2, &err));
    OK(bir_inst_order(i, exprs, 3, &count, &err));
    CHECK(count == 2 && exprs[0] == f->expr[1] && exprs[1] == f->expr[2] && exprs[2] == NULL);

    uint8_t present = 9;
    uint32_t id = 9;
    OK(bir_inst_debug_update_semaphore(i, &present, &id, &err));
    CHECK(present == 0 && id == 0);
    OK(bir_inst_set_debug_update_semaphore(i, 1, 17, &err));
    OK(bir_inst_debug_update_semaphore(i, &present, &id, &err));
    CHECK(present == 1 && id == 17);
    OK(bir_inst_set_debug_update_semaphore(i, 0, 17, &err));
    OK(bir_inst_debug_update_semaphore(i, &present, &id, &err));
    CHECK(present == 0 && id == 0);
}

void good_instructions(void) {
    fixture f = fixture_create();
    places(&f);
    members(&f);
    NAMED(bir_inst, f.inst, f.module, "I-0", "I-1");
    SAME(bir_inst_next(f.inst, &err), f.second_inst);
    SAME(bir_inst_prev(f.second_inst, &err), f.inst);
    UNLINK(bir_inst, f.second_inst);
    NONE(bir_inst_block(f.second_inst, &err));
    NONE(bir_inst_function(f.second_inst, &err));
    size_t position = 0;
    IS(bir_inst_position(f.second_inst, &position, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_inst_rename(f.second_inst, T("I-2"), NULL, &err));
    uint8_t renamed = 9;
    OK(bir_inst_move(f.second_inst, f.body, f.inner, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_inst_name, f.second_inst, "I-2_1");
    SAME(bir_inst_next(f.second_inst, &err), f.inner);
    IS(bir_inst_move(f.loop, f.body, NULL, NULL, &err), BIR_STATUS_BAD_VALUE);
    OK(bir_inst_move(f.second_inst, f.second_block, NULL, NULL, &err));
    ERASE(bir_inst, f.second_inst, "I-2_1");
    ERASE(bir_inst, f.loop, "loop");
    VALUE(uint8_t, bir_inst_is_erased, f.inner, 1);
    VALUE(uint8_t, bir_block_is_erased, f.body, 1);

    /* Every opcode has an object. */
    for (int32_t opcode = 0; opcode <= 109; opcode++) {
        bir_inst *i = NEW(bir_block_add_inst(f.second_block, opcode, T("op"), NULL, NULL, &err));
        VALUE(int32_t, bir_inst_opcode, i, opcode);
    }
    VALUE(size_t, bir_block_inst_count, f.second_block, 110);
    FAILS(bir_block_add_inst(f.second_block, 110, T("op"), NULL, NULL, &err), BIR_STATUS_UNKNOWN_ENUM);
    fixture_destroy(&f);
}

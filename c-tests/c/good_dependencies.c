#include "good.h"

static const int32_t NORMAL = BIR_EDGE_SET_NORMAL;
static const int32_t CARRIED = BIR_EDGE_SET_LOOP_CARRIED;

static void edges(fixture *f) {
    bir_inst *a = f->dma_block, *b = f->inst, *c = f->second_inst;
    uint8_t flag = 9;
    int32_t kind = -1;
    size_t count = 9;
    OK(bir_inst_add_dependency(a, c, BIR_EDGE_KIND_ANTI, NORMAL, &flag, &err));
    CHECK(flag == 1);
    OK(bir_inst_add_dependency(a, c, BIR_EDGE_KIND_ORDERED, NORMAL, &flag, &err));
    CHECK(flag == 0);
    OK(bir_inst_dependency_kind(a, c, NORMAL, &kind, &err));
    CHECK(kind == BIR_EDGE_KIND_ANTI);
    OK(bir_inst_add_dependency(a, b, BIR_EDGE_KIND_FLOW, NORMAL, NULL, &err));
    OK(bir_inst_add_dependency(a, b, BIR_EDGE_KIND_OUTPUT, CARRIED, NULL, &err));
    IS(bir_inst_add_dependency(a, a, BIR_EDGE_KIND_FLOW, NORMAL, NULL, &err), BIR_STATUS_BAD_VALUE);
    OK(bir_inst_dependency_count(a, NORMAL, &count, &err));
    CHECK(count == 2);
    OK(bir_inst_dependency_count(a, CARRIED, &count, &err));
    CHECK(count == 1);
    bir_edge got[2];
    OK(bir_inst_dependencies(a, NORMAL, got, 2, &count, &err));
    CHECK(count == 2 && got[0].target == b && got[0].kind == BIR_EDGE_KIND_FLOW && got[1].target == c);
    OK(bir_inst_descendent_count(b, NORMAL, &count, &err));
    CHECK(count == 2);
    OK(bir_inst_descendents(b, NORMAL, got, 2, &count, &err));
    CHECK(count == 2 && got[0].target == c && got[1].target == a && got[1].kind == BIR_EDGE_KIND_FLOW);
    OK(bir_inst_remove_dependency(a, b, NORMAL, &flag, &err));
    CHECK(flag == 1);
    OK(bir_inst_remove_dependency(a, b, NORMAL, &flag, &err));
    CHECK(flag == 0);
    IS(bir_inst_dependency_kind(a, b, NORMAL, &kind, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_inst_dependency_kind(a, b, CARRIED, &kind, &err));
    CHECK(kind == BIR_EDGE_KIND_OUTPUT);
    /* An erased instruction takes its edges with it. */
    OK(bir_inst_erase(c, &err));
    OK(bir_inst_dependency_count(a, NORMAL, &count, &err));
    CHECK(count == 0);
    OK(bir_inst_descendent_count(b, NORMAL, &count, &err));
    CHECK(count == 0);
}

static void unroll(fixture *f) {
    bir_inst *a = f->dma_block;
    const bir_expr *const exprs[2] = {f->expr[0], f->expr[1]};
    const bir_predicate predicates[1] = {{f->expr[5], BIR_PREDICATE_EQ}};
    VALUE(size_t, bir_inst_unroll_dependency_count, a, 0);
    OK(bir_inst_add_unroll_dependency(a, f->inst, BIR_EDGE_KIND_ANTI, exprs, 2, predicates, 1, &err));
    VALUE(size_t, bir_inst_unroll_dependency_count, a, 1);
    bir_edge edge = {NULL, 0};
    bir_expr *got[2];
    bir_predicate guard[1];
    size_t count = 0;
    OK(bir_inst_unroll_dependency(a, 0, &edge, &err));
    CHECK(edge.target == f->inst && edge.kind == BIR_EDGE_KIND_ANTI);
    IS(bir_inst_unroll_dependency(a, 1, &edge, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_inst_unroll_dependency_exprs(a, 0, got, 2, &count, &err));
    CHECK(count == 2 && got[0] == f->expr[0] && got[1] == f->expr[1]);
    OK(bir_inst_unroll_dependency_predicates(a, 0, guard, 1, &count, &err));
    CHECK(count == 1 && guard[0].expr == f->expr[5] && guard[0].op == BIR_PREDICATE_EQ);
}

void good_dependencies(void) {
    fixture f = fixture_create();
    unroll(&f);
    edges(&f);
    fixture_destroy(&f);
}

void good_sync(void) {
    fixture f = fixture_create();
    bir_inst *i = f.inst;
    MEMBER(uint8_t, bir_inst_has_sync_info, bir_inst_set_sync_info, i, 0, 1);
    VALUE(size_t, bir_inst_wait_count, i, 0);
    VALUE(size_t, bir_inst_update_count, i, 0);
    for (uint32_t n = 0; n < 5; n++) {
        const bir_wait wait = {n, 10 + n, BIR_WAIT_MODE_SEM_GE_IMM, 1, n == 3 ? f.second_inst : NULL};
        const bir_update update = {n, 20 + n, BIR_UPDATE_MODE_SEM_INC, 2, n == 4, n == 4 ? 7 : 0};
        OK(bir_inst_add_wait(i, &wait, &err));
        OK(bir_inst_add_update(i, &update, &err));
    }
    VALUE(size_t, bir_inst_wait_count, i, 5);
    VALUE(size_t, bir_inst_update_count, i, 5);
    bir_wait wait;
    bir_update update;
    OK(bir_inst_wait(i, 3, &wait, &err));
    CHECK(wait.id == 3 && wait.value == 13 && wait.mode == BIR_WAIT_MODE_SEM_GE_IMM && wait.sync_type == 1);
    CHECK(wait.from == f.second_inst);
    IS(bir_inst_wait(i, 5, &wait, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_inst_set_wait_producer(i, 0, f.loop, &err));
    OK(bir_inst_set_wait_producer(i, 3, NULL, &err));
    OK(bir_inst_wait(i, 0, &wait, &err));
    CHECK(wait.from == f.loop);
    OK(bir_inst_wait(i, 3, &wait, &err));
    CHECK(wait.from == NULL);
    OK(bir_inst_update(i, 4, &update, &err));
    CHECK(update.id == 4 && update.value == 24 && update.mode == BIR_UPDATE_MODE_SEM_INC && update.sync_type == 2);
    CHECK(update.has_target_core == 1 && update.target_core == 7);
    OK(bir_inst_update(i, 0, &update, &err));
    CHECK(update.has_target_core == 0);
    IS(bir_inst_update(i, 5, &update, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_inst_set_sync_info(i, 0, &err));
    VALUE(uint8_t, bir_inst_has_sync_info, i, 0);
    VALUE(size_t, bir_inst_wait_count, i, 0);
    const bir_update one = {1, 1, BIR_UPDATE_MODE_SEM_ADD_IMM, 0, 0, 0};
    OK(bir_inst_add_update(i, &one, &err));
    VALUE(uint8_t, bir_inst_has_sync_info, i, 1);
    fixture_destroy(&f);
}

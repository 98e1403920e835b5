#include "good.h"

/* Whether two objects are equal, and that the difference says the same. */
#define EQUAL(prefix, a, b) \
    do { \
        uint8_t equal_ = 9; \
        bir_difference *difference_ = (bir_difference *)&err; \
        OK(prefix##_equal((a), (b), &equal_, &err)); \
        CHECK(equal_ == 1); \
        OK(prefix##_difference((a), (b), &difference_, &err)); \
        CHECK(difference_ == NULL); \
    } while (0)

/* The same for what differs: at which place, and in what. */
#define DIFFERS(prefix, a, b, path, what, left, right) \
    do { \
        uint8_t equal_ = 9; \
        bir_difference *difference_ = NULL; \
        OK(prefix##_equal((a), (b), &equal_, &err)); \
        CHECK(equal_ == 0); \
        OK(prefix##_difference((a), (b), &difference_, &err)); \
        is_difference(difference_, (path), (what), (left), (right)); \
    } while (0)

static void is_difference(bir_difference *d, const char *path, const char *what, const char *left, const char *right) {
    bir_difference_text t;
    CHECK(d != NULL);
    OK(bir_difference_get(d, &t, &err));
    if (!same_text(t.path, path) || !same_text(t.what, what) || !same_text(t.left, left) || !same_text(t.right, right)) {
        fprintf(stderr, "path `%.*s`, what `%.*s`, left `%.*s`, right `%.*s`\n", (int)t.path.len, t.path.data,
                (int)t.what.len, t.what.data, (int)t.left.len, t.left.data, (int)t.right.len, t.right.data);
        fail(__FILE__, __LINE__, path);
    }
    bir_difference_destroy(d);
}

/* A clone of everything is equal, shares nothing, and outlives its source. */
static void modules(void) {
    fixture f = fixture_create();
    bir_module *clone = NEW(bir_module_clone(f.module, &err));
    EQUAL(bir_module, f.module, clone);
    bir_function *main_clone = NEW(bir_module_find_function(clone, T("main"), &err));
    EQUAL(bir_function, f.function, main_clone);
    bir_block *block = NEW(bir_function_find_block(main_clone, T("Block1"), &err));
    EQUAL(bir_block, f.block, block);
    bir_inst *loop = NEW(bir_function_find_inst(main_clone, T("loop"), &err));
    CHECK(loop != f.loop);
    EQUAL(bir_inst, f.loop, loop);
    bir_set *set = NEW(bir_function_find_set(main_clone, T("tensor_set"), &err));
    EQUAL(bir_set, f.set, set);
    bir_location *location = NEW(bir_function_find_location(main_clone, T("tensor"), &err));
    EQUAL(bir_location, f.location, location);
    bir_register *reg = NEW(bir_function_find_register(main_clone, T("r0"), &err));
    EQUAL(bir_register, f.reg, reg);
    bir_queue *queue = NEW(bir_module_find_queue(clone, T("q0"), &err));
    EQUAL(bir_queue, f.queue, queue);
    bir_inst *inst = NEW(bir_function_find_inst(main_clone, T("I-0"), &err));
    bir_operand *out = NEW(bir_inst_first_operand(inst, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, &err));
    EQUAL(bir_operand, f.output, out);
    bir_expr *value = NEW(bir_expr_register_value(clone, reg, &err));
    EQUAL(bir_expr, f.expr[BIR_EXPR_KIND_INT_RUNTIME_VALUE], value);
    fixture_destroy(&f);
    TEXT(bir_function_name, main_clone, "main");
    SAME(bir_operand_storage(out, &err), NEW(bir_location_as_storage(
                                             NEW(bir_function_find_location(main_clone, T("tensor_2"), &err)), &err)));
    bir_module_destroy(clone);
}

/* Every kind of object tells what was changed. */
static void differences(void) {
    fixture f = fixture_create();
    bir_module *clone = NEW(bir_module_clone(f.module, &err));
    bir_function *function = NEW(bir_module_find_function(clone, T("main"), &err));
    bir_block *block = NEW(bir_function_find_block(function, T("Block1"), &err));
    bir_inst *inst = NEW(bir_function_find_inst(function, T("I-0"), &err));
    bir_operand *out = NEW(bir_inst_first_operand(inst, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, &err));
    bir_set *set = NEW(bir_function_find_set(function, T("tensor_set"), &err));
    bir_location *location = NEW(bir_function_find_location(function, T("tensor"), &err));
    bir_register *reg = NEW(bir_function_find_register(function, T("r0"), &err));
    bir_queue *queue = NEW(bir_module_find_queue(clone, T("q0"), &err));
    OK(bir_operand_set_offset(out, 12, &err));
    DIFFERS(bir_operand, f.output, out, "offset", "offset", "0", "12");
    DIFFERS(bir_inst, f.inst, inst, "outs[0].offset", "offset", "0", "12");
    DIFFERS(bir_block, f.block, block, "instructions[0].outs[0].offset", "offset", "0", "12");
    DIFFERS(bir_function, f.function, function, "blocks[0].instructions[0].outs[0].offset", "offset", "0", "12");
    DIFFERS(bir_module, clone, f.module, "functions[0].blocks[0].instructions[0].outs[0].offset", "offset", "12", "0");
    OK(bir_operand_set_offset(out, 0, &err));
    EQUAL(bir_module, f.module, clone);
    OK(bir_location_set_base_partition(location, 3, &err));
    DIFFERS(bir_location, f.location, location, "base", "base", "0", "3");
    OK(bir_set_set_do_not_spill(set, 1, &err));
    DIFFERS(bir_set, f.set, set, "do_not_spill", "do_not_spill", "false", "true");
    OK(bir_register_rename(reg, T("other"), NULL, &err));
    DIFFERS(bir_register, f.reg, reg, "name", "name", "r0", "other");
    OK(bir_queue_rename(queue, T("q7"), NULL, &err));
    DIFFERS(bir_queue, f.queue, queue, "name", "name", "q0", "q7");
    DIFFERS(bir_expr, f.expr[BIR_EXPR_KIND_MULT], f.expr[BIR_EXPR_KIND_MODULO], "kind", "kind", "MultKind", "ModuloKind");
    bir_difference_destroy(NULL);
    bir_module_destroy(clone);
    fixture_destroy(&f);
}

/* A module with a limit: what does not fit leaves nothing. */
static void limits(void) {
    fixture f = fixture_create();
    bir_module *target = NEW(bir_module_create(&err));
    uint64_t used = 0;
    OK(bir_module_memory_used(target, &used, &err));
    OK(bir_module_set_memory_limit(target, used + 4000, &err));
    IS(bir_module_clone_into(f.module, target, &err), BIR_STATUS_OUT_OF_MEMORY);
    VALUE(size_t, bir_module_function_count, target, 0);
    VALUE(size_t, bir_module_queue_count, target, 0);
    OK(bir_module_set_memory_limit(target, 1 << 24, &err));
    OK(bir_module_clone_into(f.module, target, &err));
    EQUAL(bir_module, f.module, target);
    IS(bir_module_clone_into(f.module, target, &err), BIR_STATUS_CONFLICT);
    EQUAL(bir_module, f.module, target);
    bir_module_destroy(target);
    fixture_destroy(&f);
}

/* Clones of parts, at a place: in the same module under other names, in another one under their own. */
static void parts(void) {
    fixture f = fixture_create();
    uint8_t renamed = 9;
    bir_inst *inst = NEW(bir_inst_clone_to(f.inst, f.block, NULL, 0, f.second_inst, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_inst_name, inst, "I-0_1");
    SAME(bir_inst_next(inst, &err), f.second_inst);
    DIFFERS(bir_inst, f.inst, inst, "name", "name", "I-0", "I-0_1");
    inst = NEW(bir_inst_clone_to(f.loop, f.second_block, "loops", 4, NULL, &renamed, &err));
    CHECK(renamed == 0);
    TEXT(bir_inst_name, inst, "loop");
    CHECK(inst != f.loop && bir_inst_axis(inst, NULL) != bir_inst_axis(f.loop, NULL));
    bir_block *block = NEW(bir_block_clone_to(f.second_block, f.function_blocks, T("copy"), f.block, &renamed, &err));
    CHECK(renamed == 0);
    TEXT(bir_block_name, block, "copy");
    SAME(bir_function_first_block(f.function, &err), block);
    VALUE(size_t, bir_block_inst_count, block, 1);
    bir_function *function = NEW(bir_function_clone_to(f.second_function, f.functions, NULL, 0, f.function, &renamed, &err));
    CHECK(renamed == 1);
    SAME(bir_function_next(function, &err), f.function);
    bir_storage *before = NEW(bir_set_as_storage(f.set, &err));
    bir_set *set = NEW(bir_set_clone_to(f.set, f.function, NULL, 0, before, &renamed, &err));
    CHECK(renamed == 1);
    TEXT(bir_set_name, set, "tensor_set_1");
    VALUE(size_t, bir_set_location_count, set, 3);
    bir_register *reg = NEW(bir_register_clone_to(f.reg, f.function, T("r9"), NULL, &renamed, &err));
    CHECK(renamed == 0);
    TEXT(bir_register_name, reg, "r9");
    /* Into another module. */
    fixture g = fixture_create();
    set = NEW(bir_set_clone_to(f.set, g.second_function, NULL, 0, NULL, &renamed, &err));
    CHECK(renamed == 0);
    EQUAL(bir_set, f.set, set);
    SAME(bir_set_module(set, &err), g.module);
    reg = NEW(bir_register_clone_to(f.reg, g.second_function, NULL, 0, NULL, NULL, &err));
    EQUAL(bir_register, f.reg, reg);
    /* What it refers to is looked up by name there. */
    FAILS(bir_inst_clone_to(f.inst, NEW(bir_function_add_block(g.second_function, T("b"), NULL, NULL, &err)), NULL, 0, NULL,
                            NULL, &err),
          BIR_STATUS_UNRESOLVED_REF);
    CHECK(err.message[0] != '\0');
    NONE(bir_function_find_inst(g.second_function, T("I-0"), &err));
    fixture_destroy(&g);
    fixture_destroy(&f);
}

/* The change at an index: of an object that both modules have, or that only the second has. */
static void is_change(const bir_changes *changes, size_t index, int32_t what, int32_t kind, const char *path,
                      const char *field, const char *old_value, const char *new_value) {
    bir_change c;
    OK(bir_changes_get(changes, index, &c, &err));
    CHECK(c.what == what && c.kind == kind);
    CHECK(c.right.present == 1 && c.left.present == (what != BIR_CHANGE_ADDED));
    CHECK(same_text(c.right.path, path) && same_text(c.field, field));
    CHECK(same_text(c.old_value, old_value) && same_text(c.new_value, new_value));
}

/* What changed between a module and its clone, and the other way round. */
static void changes_of_modules(void) {
    fixture f = fixture_create();
    bir_module *clone = NEW(bir_module_clone(f.module, &err));
    bir_changes *changes = NULL;
    OK(bir_module_diff(f.module, clone, NULL, &changes, &err));
    VALUE(size_t, bir_changes_total, changes, 0);
    bir_changes_destroy(changes);

    bir_function *function = NEW(bir_module_find_function(clone, T("main"), &err));
    bir_inst *inst = NEW(bir_function_find_inst(function, T("I-0"), &err));
    bir_location *location = NEW(bir_function_find_location(function, T("tensor"), &err));
    bir_block *block = NEW(bir_function_find_block(function, T("Block1"), &err));
    OK(bir_location_rename(location, T("other"), NULL, &err));
    OK(bir_inst_set_engine_id(inst, 3, &err));
    OK(bir_inst_rename(inst, T("mine"), NULL, &err));
    bir_inst *new_inst = NEW(bir_block_add_inst(block, BIR_INSTRUCTION_TYPE_NOOP, T("new"), NULL, NULL, &err));
    int32_t id = 0;
    OK(bir_inst_id(new_inst, &id, &err));
    OK(bir_module_diff(f.module, clone, NULL, &changes, &err));
    bir_changes *few = NULL, *back = NULL;
    const bir_diff_options one = {.size = sizeof one, .max_changes = 1};
    OK(bir_module_diff(f.module, clone, &one, &few, &err));
    OK(bir_module_diff(clone, f.module, NULL, &back, &err));
    /* The changes need no module. */
    bir_module_destroy(clone);
    fixture_destroy(&f);

    const int32_t of_inst = BIR_CHANGE_KIND_INSTRUCTION;
    VALUE(size_t, bir_changes_count, changes, 4);
    VALUE(size_t, bir_changes_total, changes, 4);
    is_change(changes, 0, BIR_CHANGE_RENAMED, BIR_CHANGE_KIND_LOCATION,
              "functions[0].allocations[0].memorylocations[0]", "name", "tensor", "other");
    const char *path = "functions[0].blocks[0].instructions[0]";
    is_change(changes, 1, BIR_CHANGE_RENAMED, of_inst, path, "name", "I-0", "mine");
    is_change(changes, 2, BIR_CHANGE_CHANGED, of_inst, path, "engine_id", "0", "3");
    bir_change c;
    OK(bir_changes_get(changes, 3, &c, &err));
    CHECK(c.what == BIR_CHANGE_ADDED && c.left.present == 0 && c.left.id == -1 && c.left.name.len == 0);
    CHECK(c.right.id == id && c.right.instructions == 0);
    CHECK(same_text(c.right.name, "new") && same_text(c.right.opcode, "NoOp") && c.field.len == 0);
    IS(bir_changes_get(changes, 4, &c, &err), BIR_STATUS_NOT_FOUND);

    size_t tally = 9;
    OK(bir_changes_tally(changes, of_inst, BIR_CHANGE_ADDED, &tally, &err));
    CHECK(tally == 1);
    OK(bir_changes_tally(changes, BIR_CHANGE_KIND_SET, BIR_CHANGE_ADDED, &tally, &err));
    CHECK(tally == 0);
    IS(bir_changes_tally(changes, 8, BIR_CHANGE_ADDED, &tally, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_changes_tally(changes, of_inst, 5, &tally, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_changes_tally(changes, -1, BIR_CHANGE_ADDED, &tally, &err), BIR_STATUS_UNKNOWN_ENUM);

    char text[128];
    size_t len = 0;
    OK(bir_changes_summary(changes, text, sizeof text, &len, &err));
    CHECK(strcmp(text, "1 instruction changed, 1 added, 1 renamed; 1 location renamed") == 0 && len == strlen(text));
    VALUE(size_t, bir_changes_count, few, 1);
    VALUE(size_t, bir_changes_total, few, 4);
    OK(bir_changes_tally(back, of_inst, BIR_CHANGE_REMOVED, &tally, &err));
    CHECK(tally == 1);
    bir_changes_destroy(changes);
    bir_changes_destroy(few);
    bir_changes_destroy(back);
}

void good_clone_equal(void) {
    modules();
    differences();
    limits();
    parts();
    changes_of_modules();
}

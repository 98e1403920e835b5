/* What compilers ask of instructions, and common subexpression elimination. */
#include "good.h"

static int is_a(const bir_inst *inst, const char *class_name) {
    uint8_t by_inst = 9, by_opcode = 9;
    int32_t opcode = -1;
    OK(bir_inst_is_a(inst, T(class_name), &by_inst, &err));
    OK(bir_inst_opcode(inst, &opcode, &err));
    OK(bir_opcode_is_a(opcode, T(class_name), &by_opcode, &err));
    CHECK(by_inst <= 1 && by_inst == by_opcode);
    return by_inst;
}

static int in(const bir_inst *inst, const char *family) {
    uint8_t found = 9;
    OK(bir_inst_in_family(inst, T(family), &found, &err));
    CHECK(found <= 1);
    return found;
}

static void base_is(const char *class_name, const char *expected) {
    bir_string base = {NULL, 77};
    OK(bir_class_base(T(class_name), &base, &err));
    CHECK(same_text(base, expected));
}

void good_classes(void) {
    fixture f = fixture_create();
    bir_block *b = f.second_block;
    bir_inst *scalar = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_TENSORSCALAR, T("scalar"), NULL, NULL, &err));
    bir_inst *copy = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_DMACOPY, T("copy"), NULL, NULL, &err));
    bir_inst *load = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_LOAD, T("load"), NULL, NULL, &err));
    bir_inst *save = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_SAVE, T("save"), NULL, NULL, &err));
    CHECK(is_a(scalar, "InstTensorScalar") && is_a(scalar, "Instruction") && !is_a(scalar, "InstDMA"));
    CHECK(is_a(copy, "InstDMACopy") && is_a(copy, "InstDMA") && is_a(copy, "Instruction") && !is_a(copy, "InstLoad"));
    /* Save, Load, DMA, Instruction: what derives is accepted, and never the other way round. */
    CHECK(is_a(save, "InstSave") && is_a(save, "InstLoad") && is_a(save, "InstDMA") && is_a(save, "Instruction"));
    CHECK(is_a(load, "InstLoad") && is_a(load, "InstDMA") && !is_a(load, "InstSave"));
    base_is("InstSave", "InstLoad");
    base_is("InstLoad", "InstDMA");
    base_is("InstDMA", "Instruction");
    base_is("InstTensorScalar", "Instruction");
    bir_string text = {"x", 77};
    OK(bir_class_base(T("Instruction"), &text, &err));
    CHECK(text.data == NULL && text.len == 0);
    OK(bir_inst_erase(scalar, &err));
    CHECK(is_a(scalar, "InstTensorScalar"));

    /* The list leads from every class to the root, and every base accepts what derives from it. */
    size_t count = 0;
    OK(bir_class_count(&count, &err));
    CHECK(count == 111);
    int32_t opcodes = 0;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        int32_t opcode = -1;
        OK(bir_class_name(i, &text, &err));
        CHECK(text.len > 0 && text.len < sizeof name);
        memcpy(name, text.data, text.len);
        name[text.len] = '\0';
        if (i == 0) {
            CHECK(strcmp(name, "Instruction") == 0);
            IS(bir_class_opcode(T(name), &opcode, &err), BIR_STATUS_NOT_FOUND);
            CHECK(opcode == -1);
            continue;
        }
        OK(bir_class_opcode(T(name), &opcode, &err));
        CHECK(opcode == opcodes++);
        bir_opcode_info info;
        info.size = sizeof info;
        OK(bir_opcode_get_info(opcode, &info, &err));
        CHECK(same_text(info.class_name, name));
        int steps = 0;
        for (bir_string at = text; at.data != NULL; steps++) {
            uint8_t accepts = 0;
            OK(bir_opcode_is_a(opcode, at.data, at.len, &accepts, &err));
            CHECK(accepts == 1 && steps < 5);
            OK(bir_class_base(at.data, at.len, &at, &err));
        }
        CHECK(steps >= 2);
    }
    IS(bir_class_name(count, &text, &err), BIR_STATUS_NOT_FOUND);

    uint8_t found = 9;
    IS(bir_inst_is_a(copy, T("InstDMACoppy"), &found, &err), BIR_STATUS_UNKNOWN_ENUM);
    CHECK(strstr(err.message, "did you mean `InstDMACopy`?") != NULL);
    IS(bir_opcode_is_a(BIR_INSTRUCTION_TYPE_LOAD, T("Load"), &found, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_opcode_is_a(110, T("InstLoad"), &found, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_class_base(T(""), &text, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_class_opcode(T("inst"), &opcodes, &err), BIR_STATUS_UNKNOWN_ENUM);
    CHECK(found == 9);
    fixture_destroy(&f);
}

static void set_number(bir_inst *inst, const char *key, int64_t value) {
    int32_t field = -1;
    OK(bir_inst_find_field(inst, T(key), &field, &err));
    OK(bir_inst_set_int(inst, field, value, &err));
}

static void set_expr(bir_inst *inst, const char *key, bir_expr *value) {
    int32_t field = -1;
    OK(bir_inst_find_field(inst, T(key), &field, &err));
    OK(bir_inst_set_expr(inst, field, value, &err));
}

void good_families(void) {
    fixture f = fixture_create();
    bir_inst *copy = f.second_inst;
    bir_inst *scalar =
        NEW(bir_block_add_inst(f.second_block, BIR_INSTRUCTION_TYPE_TENSORSCALAR, T("scalar"), NULL, NULL, &err));
    /* The opcode alone decides some of them, a field others. */
    CHECK(in(copy, "isDMAFamily") && in(copy, "isAxiInstruction") && !in(scalar, "isDMAFamily"));
    CHECK(in(copy, "isCopyOrCastDMA") && !in(copy, "isTransposeDMA") && !in(copy, "isTransposeInstruction"));
    set_number(copy, "mode", BIR_COPY_MODE_TRANSPOSE);
    CHECK(!in(copy, "isCopyOrCastDMA") && in(copy, "isTransposeDMA") && in(copy, "isTransposeInstruction"));
    set_number(copy, "mode", BIR_COPY_MODE_REPLICATE);
    CHECK(in(copy, "isReplicateDMA") && !in(copy, "isTransposeDMA") && in(copy, "isDMAFamily"));
    CHECK(!in(scalar, "isBitVecInstruction"));
    set_number(scalar, "op0", BIR_ALU_OP_TYPE_BITWISE_AND);
    CHECK(in(scalar, "isBitVecInstruction"));
    CHECK(!in(scalar, "canInstReadFromUninitMem") && !in(copy, "canInstReadFromUninitMem"));
    set_number(copy, "can_read_uninit", 1);
    CHECK(in(copy, "canInstReadFromUninitMem"));
    set_expr(copy, "can_read_uninit", f.expr[BIR_EXPR_KIND_AFF_EXPR]);
    uint8_t found = 9;
    IS(bir_inst_in_family(copy, T("canInstReadFromUninitMem"), &found, &err), BIR_STATUS_WRONG_KIND);

    /* Each of the list can be asked for. */
    size_t count = 0;
    bir_string name = {NULL, 0};
    OK(bir_family_count(&count, &err));
    CHECK(count > 25);
    int members = 0;
    for (size_t i = 0; i < count; i++) {
        OK(bir_family_name(i, &name, &err));
        OK(bir_inst_in_family(scalar, name.data, name.len, &found, &err));
        members += found;
    }
    CHECK(members == 1);
    found = 9;
    IS(bir_family_name(count, &name, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_inst_in_family(scalar, T("isTransposeDma1"), &found, &err), BIR_STATUS_NOT_FOUND);
    CHECK(strstr(err.message, "did you mean `isTransposeDMA`?") != NULL);
    IS(bir_inst_in_family(scalar, T(""), &found, &err), BIR_STATUS_NOT_FOUND);
    CHECK(found == 9);
    fixture_destroy(&f);
}

/* A module whose function has the locations a, b and c in SB, each in a set of its own, and an empty block. */
typedef struct program {
    bir_module *module;
    bir_function *function;
    bir_block *block;
    bir_location *a, *b, *c;
} program;

static bir_location *tensor(bir_function *function, const char *name) {
    bir_set *set =
        NEW(bir_function_add_set(function, T(name), BIR_TENSOR_KIND_INTERNAL, BIR_DTYPE_FLOAT32, NULL, NULL, &err));
    return NEW(bir_set_add_location(set, T(name), BIR_MEMORY_TYPE_SB, NULL, NULL, &err));
}

static program program_in(bir_module *module, const char *name) {
    program p;
    p.module = module;
    p.function = NEW(bir_module_add_function(module, T(name), NULL, NULL, &err));
    p.block = NEW(bir_function_add_block(p.function, T("entry"), NULL, NULL, &err));
    p.a = tensor(p.function, "a");
    p.b = tensor(p.function, "b");
    p.c = tensor(p.function, "c");
    return p;
}

static program program_create(void) {
    return program_in(NEW(bir_module_create(&err)), "main");
}

/* An instruction at the end of the block that reads one or two locations and writes one. */
static bir_inst *add(const program *p, int32_t opcode, const char *name, bir_location *from, bir_location *and_from,
                     bir_location *to) {
    static const bir_dim dims[2] = {{512, 128}, {1, 512}};
    bir_inst *i = NEW(bir_block_add_inst(p->block, opcode, T(name), NULL, NULL, &err));
    bir_location *const operands[3] = {from, and_from, to};
    for (int n = 0; n < 3; n++) {
        int32_t list = n < 2 ? BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT : BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT;
        if (operands[n] != NULL) {
            NEW(bir_inst_add_physical_ap(i, list, operands[n], BIR_DTYPE_FLOAT32, dims, 2, 0, NULL, &err));
        }
    }
    return i;
}

/* The three questions, as the digits of a decimal number. */
static int same(const bir_inst *a, const bir_inst *b) {
    uint8_t same = 9, operands = 9, computation = 9;
    OK(bir_inst_same(a, b, &same, &err));
    OK(bir_inst_same_and_operands(a, b, &operands, &err));
    OK(bir_inst_same_computation(a, b, &computation, &err));
    CHECK(same <= 1 && operands <= 1 && computation <= 1);
    return same * 100 + operands * 10 + computation;
}

static void refused(const bir_inst *a, const bir_inst *b, bir_status status) {
    uint8_t out = 9;
    IS(bir_inst_same(a, b, &out, &err), status);
    IS(bir_inst_same_and_operands(a, b, &out, &err), status);
    IS(bir_inst_same_computation(a, b, &out, &err), status);
    CHECK(out == 9);
}

void good_same(void) {
    program p = program_create(), other = program_create();
    const int32_t copy = BIR_INSTRUCTION_TYPE_TENSORCOPY, generic_copy = BIR_INSTRUCTION_TYPE_GENERICCOPY;
    bir_inst *first = add(&p, copy, "first", p.a, NULL, p.b);
    CHECK(same(first, first) == 111);
    bir_inst *twin = add(&p, copy, "twin", p.a, NULL, p.b);
    CHECK(same(first, twin) == 111 && same(twin, first) == 111);
    /* Engines do not count, storages do, and a document could come from another module. */
    OK(bir_inst_set_engine(twin, BIR_ENGINE_TYPE_PE, &err));
    CHECK(same(first, twin) == 111);
    CHECK(same(first, add(&p, copy, "elsewhere", p.a, NULL, p.c)) == 0);
    CHECK(same(first, add(&other, copy, "first", other.a, NULL, other.b)) == 111);
    /* So do fields. */
    set_number(twin, "can_read_uninit", 1);
    CHECK(same(first, twin) == 0);

    /* Operands of a GenericCopy count only where they are asked for. */
    bir_inst *generic = add(&p, generic_copy, "generic", p.a, NULL, p.b);
    bir_inst *generic_twin = add(&p, generic_copy, "generic_twin", p.a, NULL, p.b);
    bir_inst *generic_elsewhere = add(&p, generic_copy, "generic_elsewhere", p.a, NULL, p.c);
    CHECK(same(generic, generic_twin) == 111 && same(generic, generic_elsewhere) == 100);
    /* The gate: another opcode is never the same, but an abstract class accepts what derives from it. */
    bir_inst *base = add(&p, BIR_INSTRUCTION_TYPE_GENERIC, "base", p.a, NULL, p.b);
    CHECK(same(first, generic) == 0 && same(generic, base) == 0 && same(base, generic) == 111);
    CHECK(same(base, generic_elsewhere) == 100);
    /* One with a body is the same as itself only. */
    bir_inst *loop = add(&p, BIR_INSTRUCTION_TYPE_LOOP, "loop", NULL, NULL, NULL);
    CHECK(same(loop, loop) == 111);
    CHECK(same(loop, add(&p, BIR_INSTRUCTION_TYPE_LOOP, "loop_twin", NULL, NULL, NULL)) == 0);
    /* Some are not compared. */
    refused(add(&p, BIR_INSTRUCTION_TYPE_NKIKERNEL, "kernel", NULL, NULL, NULL), first, BIR_STATUS_UNSUPPORTED);
    bir_expr *seven = NEW(bir_expr_affine(p.module, NULL, 0, 7, &err));
    set_expr(generic_twin, "can_read_uninit", seven);
    refused(generic, generic_twin, BIR_STATUS_WRONG_KIND);
    refused(generic_twin, generic, BIR_STATUS_WRONG_KIND);

    /* a + b is b + a, and a - b is not b - a. */
    bir_inst *ab = add(&p, BIR_INSTRUCTION_TYPE_TENSORTENSOR, "ab", p.a, p.b, p.c);
    bir_inst *ba = add(&p, BIR_INSTRUCTION_TYPE_TENSORTENSOR, "ba", p.b, p.a, p.c);
    set_number(ab, "op", BIR_ALU_OP_TYPE_ADD);
    CHECK(same(ab, ba) == 0);
    set_number(ba, "op", BIR_ALU_OP_TYPE_ADD);
    CHECK(same(ab, ba) == 1);
    set_number(ab, "op", BIR_ALU_OP_TYPE_SUBTRACT);
    set_number(ba, "op", BIR_ALU_OP_TYPE_SUBTRACT);
    CHECK(same(ab, ba) == 0);
    bir_module_destroy(p.module);
    bir_module_destroy(other.module);
}

static void subject_is(bir_cse_subject found, const char *name, const char *path, int32_t id) {
    CHECK(same_text(found.name, name) && same_text(found.path, path) && found.id == id);
}

static void counts_are(const bir_cse_report *report, size_t blocks, size_t insts, size_t candidates, size_t merged,
                       size_t kept) {
    VALUE(size_t, bir_cse_report_block_count, report, blocks);
    VALUE(size_t, bir_cse_report_inst_count, report, insts);
    VALUE(size_t, bir_cse_report_candidate_count, report, candidates);
    VALUE(size_t, bir_cse_report_merged_count, report, merged);
    VALUE(size_t, bir_cse_report_kept_count, report, kept);
}

static int32_t id_of(const bir_inst *inst) {
    int32_t id = -1;
    OK(bir_inst_id(inst, &id, &err));
    return id;
}

static void one_goes_and_one_stays(void) {
    const int32_t copy = BIR_INSTRUCTION_TYPE_TENSORCOPY;
    program p = program_create();
    bir_inst *first = add(&p, copy, "first", p.a, NULL, p.b);
    bir_inst *reader = add(&p, copy, "reader", p.b, NULL, p.c);
    bir_inst *again = add(&p, copy, "again", p.a, NULL, p.b);
    bir_inst *waiting = add(&p, BIR_INSTRUCTION_TYPE_NOOP, "waiting", NULL, NULL, NULL);
    OK(bir_inst_add_dependency(waiting, again, BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, NULL, &err));
    /* It computes nothing new either, but it signals. */
    bir_inst *signal = add(&p, copy, "signal", p.a, NULL, p.b);
    OK(bir_inst_set_debug_update_semaphore(signal, 1, 3, &err));
    const int32_t ids[3] = {id_of(first), id_of(again), id_of(signal)};

    bir_cse_report *report = NULL;
    OK(bir_module_cse(p.module, &report, &err));
    CHECK(report != NULL);
    VALUE(uint8_t, bir_inst_is_erased, again, 1);
    VALUE(uint8_t, bir_inst_is_erased, first, 0);
    VALUE(uint8_t, bir_inst_is_erased, signal, 0);
    SAME(bir_inst_next(first, &err), reader);
    SAME(bir_inst_next(reader, &err), waiting);
    /* What waited for the one that is gone waits for the other. */
    size_t edges = 0;
    bir_edge edge[2];
    OK(bir_inst_dependencies(waiting, BIR_EDGE_SET_NORMAL, edge, 2, &edges, &err));
    CHECK(edges == 1 && edge[0].target == first && edge[0].kind == BIR_EDGE_KIND_FLOW);

    /* The report needs no module. */
    bir_module_destroy(p.module);
    counts_are(report, 1, 5, 4, 1, 1);
    bir_cse_merge merge;
    OK(bir_cse_report_merged(report, 0, &merge, &err));
    subject_is(merge.survivor, "first", "functions[0].blocks[0].instructions[0]", ids[0]);
    subject_is(merge.removed, "again", "functions[0].blocks[0].instructions[2]", ids[1]);
    IS(bir_cse_report_merged(report, 1, &merge, &err), BIR_STATUS_NOT_FOUND);
    bir_cse_kept kept;
    OK(bir_cse_report_kept(report, 0, &kept, &err));
    subject_is(kept.instruction, "signal", "functions[0].blocks[0].instructions[4]", ids[2]);
    subject_is(kept.same_as, "first", "functions[0].blocks[0].instructions[0]", ids[0]);
    CHECK(kept.reason == BIR_CSE_REASON_HAS_DEBUG_SEMAPHORE);
    CHECK(same_text(kept.text, "it updates a debug semaphore"));
    IS(bir_cse_report_kept(report, 1, &kept, &err), BIR_STATUS_NOT_FOUND);

    char expected[512], text[512];
    int written = snprintf(expected, sizeof expected,
                           "merged `again` (id %d, functions[0].blocks[0].instructions[2]) into `first` (id %d, "
                           "functions[0].blocks[0].instructions[0])\nkept `signal` (id %d, "
                           "functions[0].blocks[0].instructions[4]), same as `first` (id %d, "
                           "functions[0].blocks[0].instructions[0]): it updates a debug semaphore\n"
                           "1 of 4 candidates merged, among 5 instructions in 1 block",
                           (int)ids[1], (int)ids[0], (int)ids[2], (int)ids[0]);
    size_t len = 0;
    OK(bir_cse_report_text(report, NULL, 0, &len, &err));
    CHECK(written > 0 && len == (size_t)written);
    IS(bir_cse_report_text(report, text, len, &len, &err), BIR_STATUS_BAD_VALUE);
    OK(bir_cse_report_text(report, text, len + 1, &len, &err));
    CHECK(strcmp(text, expected) == 0);
    bir_cse_report_destroy(report);
    bir_cse_report_destroy(NULL);
}

/* Every reason has a number; a repeated copy stays for each. */
static void reasons(void) {
    const int32_t copy = BIR_INSTRUCTION_TYPE_TENSORCOPY, flow = BIR_EDGE_KIND_FLOW;
    for (int32_t reason = BIR_CSE_REASON_REFERENCED; reason <= BIR_CSE_REASON_WAITED_FOR_EARLIER; reason++) {
        program p = program_create();
        bir_inst *first = add(&p, copy, "first", p.a, NULL, p.b);
        bir_inst *reader = add(&p, copy, "reader", p.b, NULL, p.c);
        bir_inst *again = add(&p, copy, "again", p.a, NULL, p.b);
        switch (reason) {
        case BIR_CSE_REASON_REFERENCED:
            OK(bir_inst_add_unroll_dependency(reader, again, flow, NULL, 0, NULL, 0, &err));
            break;
        case BIR_CSE_REASON_HAS_UNROLL_DEPENDENCIES:
            OK(bir_inst_add_unroll_dependency(again, first, flow, NULL, 0, NULL, 0, &err));
            break;
        case BIR_CSE_REASON_HAS_DEBUG_SEMAPHORE:
            OK(bir_inst_set_debug_update_semaphore(again, 1, 3, &err));
            break;
        case BIR_CSE_REASON_WAITS_FOR_LATER:
            OK(bir_inst_add_dependency(again, reader, BIR_EDGE_KIND_ANTI, BIR_EDGE_SET_NORMAL, NULL, &err));
            break;
        default:
            OK(bir_inst_add_dependency(first, again, flow, BIR_EDGE_SET_NORMAL, NULL, &err));
            break;
        }
        bir_cse_report *report = NULL;
        OK(bir_function_cse(p.function, &report, &err));
        counts_are(report, 1, 3, 3, 0, 1);
        bir_cse_kept kept;
        OK(bir_cse_report_kept(report, 0, &kept, &err));
        CHECK(kept.reason == reason && kept.text.len > 0);
        VALUE(uint8_t, bir_inst_is_erased, again, 0);
        bir_cse_report_destroy(report);
        bir_module_destroy(p.module);
    }
}

static void one_function_or_all(void) {
    const int32_t copy = BIR_INSTRUCTION_TYPE_TENSORCOPY;
    program p = program_create(), q = program_in(p.module, "second");
    bir_inst *gone[2];
    add(&p, copy, "first", p.a, NULL, p.b);
    gone[0] = add(&p, copy, "again", p.a, NULL, p.b);
    add(&q, copy, "first", q.a, NULL, q.b);
    gone[1] = add(&q, copy, "again", q.a, NULL, q.b);
    bir_cse_report *report = NULL;
    OK(bir_function_cse(q.function, &report, &err));
    VALUE(uint8_t, bir_inst_is_erased, gone[0], 0);
    VALUE(uint8_t, bir_inst_is_erased, gone[1], 1);
    bir_cse_merge merge;
    OK(bir_cse_report_merged(report, 0, &merge, &err));
    CHECK(same_text(merge.removed.path, "functions[1].blocks[0].instructions[1]"));
    bir_cse_report_destroy(report);
    /* Nobody has to take a report. */
    OK(bir_module_cse(p.module, NULL, &err));
    VALUE(uint8_t, bir_inst_is_erased, gone[0], 1);
    OK(bir_function_cse(p.function, NULL, &err));
    OK(bir_module_cse(p.module, &report, &err));
    counts_are(report, 2, 2, 2, 0, 0);
    bir_cse_report_destroy(report);
    report = NULL;
    OK(bir_function_erase(q.function, &err));
    IS(bir_function_cse(q.function, &report, &err), BIR_STATUS_DETACHED);
    CHECK(report == NULL);
    bir_module_destroy(p.module);
}

void good_cse(void) {
    one_goes_and_one_stays();
    reasons();
    one_function_or_all();
}

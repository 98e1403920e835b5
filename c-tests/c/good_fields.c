/* All opcodes as a host sees them that knows none: what the table tells, the defaults, every field set to something else,
 * a document and back. Nothing here but `instance` depends on what an opcode is called. */
#include "good.h"

#include <float.h>
#include <math.h>

enum { OPCODES = 110, WORDS = 4 };

/* Something for every kind of reference. */
typedef struct place {
    bir_module *module;
    bir_block *block;
    bir_block *other;
    bir_block *instance;
    bir_function *callee;
    bir_queue *queue;
    bir_inst *dma_block;
    bir_inst *trigger;
    bir_register *reg[2];
    bir_expr *expr;
    bir_expr *node;
} place;

/* Which way fields are set: two that have the same meaning, or expressions where they may be. */
enum round { CONSTANTS, OTHER_WAYS, EXPRESSIONS, ROUNDS };

static int32_t key(const bir_inst *inst, const char *text) {
    int32_t field = -1;
    OK(bir_inst_find_field(inst, T(text), &field, &err));
    return field;
}

static bir_field_info described(int32_t opcode, int32_t field) {
    bir_field_info info;
    memset(&info, 0x55, sizeof info);
    info.size = sizeof info;
    OK(bir_opcode_field(opcode, field, &info, &err));
    return info;
}

static int32_t fields_of(int32_t opcode) {
    int32_t count = -1;
    OK(bir_opcode_field_count(opcode, &count, &err));
    return count;
}

static size_t length(const bir_inst *inst, int32_t field) {
    size_t n = 99;
    OK(bir_inst_get_length(inst, field, &n, &err));
    return n;
}

static int32_t state(const bir_inst *inst, int32_t field, size_t index) {
    int32_t found = 0;
    OK(bir_inst_get_state(inst, field, index, &found, &err));
    return found;
}

static place place_create(void) {
    place p;
    memset(&p, 0, sizeof p);
    bir_module *m = p.module = NEW(bir_module_create(&err));
    bir_function *main_function = NEW(bir_module_add_function(m, T("main"), NULL, NULL, &err));
    p.callee = NEW(bir_module_add_function(m, T("callee"), NULL, NULL, &err));
    p.queue = NEW(bir_module_add_queue(m, T("q"), BIR_DMA_QUEUE_TYPE_DYNAMIC, NULL, NULL, &err));
    p.instance = NEW(bir_queue_add_block(p.queue, T("q_bb"), NULL, NULL, &err));
    p.dma_block = NEW(bir_block_add_inst(p.instance, BIR_INSTRUCTION_TYPE_DMABLOCK, T("dma_block_0"), NULL, NULL, &err));
    p.block = NEW(bir_function_add_block(main_function, T("Block1"), NULL, NULL, &err));
    p.other = NEW(bir_function_add_block(main_function, T("Block2"), NULL, NULL, &err));
    p.trigger = NEW(bir_block_add_inst(p.other, BIR_INSTRUCTION_TYPE_DMATRIGGER, T("T"), NULL, NULL, &err));
    p.reg[0] = NEW(bir_function_add_register(main_function, T("r0"), NULL, NULL, &err));
    p.reg[1] = NEW(bir_function_add_register(main_function, T("r1"), NULL, NULL, &err));
    p.node = NEW(bir_expr_register_value(m, p.reg[0], &err));
    const bir_term terms[2] = {{p.node, 3}, {NEW(bir_expr_leaf(m, BIR_EXPR_KIND_SHARD_ID, 4, 0, &err)), -1}};
    p.expr = NEW(bir_expr_affine(m, terms, 2, 17, &err));
    const bir_inst *const blocks[1] = {p.dma_block};
    OK(bir_inst_set_queue(p.trigger, key(p.trigger, "queue"), p.queue, &err));
    OK(bir_inst_set_insts(p.trigger, key(p.trigger, "dma_blocks"), blocks, 1, &err));
    return p;
}

/* ---- The table ---------------------------------------------------------------------------------------------------- */

static void one_field(int32_t opcode, int32_t field, bir_string *last) {
    bir_field_info i = described(opcode, field);
    int32_t same = -1;
    size_t shorter = i.key.len < last->len ? i.key.len : last->len;
    int order = memcmp(last->data, i.key.data, shorter);
    CHECK(i.key.len > 0 && i.type_text.len > 0);
    CHECK(order < 0 || (order == 0 && last->len < i.key.len));
    OK(bir_opcode_find_field(opcode, i.key.data, i.key.len, &same, &err));
    CHECK(same == field);
    CHECK(i.kind >= BIR_FIELD_KIND_BOOL && i.kind <= BIR_FIELD_KIND_PAIR && i.list_depth <= 2);
    CHECK(i.presence >= BIR_FIELD_PRESENCE_REQUIRED && i.presence <= BIR_FIELD_PRESENCE_UNSPECIFIED);
    CHECK((i.kind == BIR_FIELD_KIND_ENUM) == (i.enum_id < BIR_ENUM_COUNT));
    CHECK(i.kind == BIR_FIELD_KIND_ENUM || i.enum_id == UINT32_MAX);
    CHECK((i.kind == BIR_FIELD_KIND_INT) == (i.max_int != 0));
    CHECK(i.fixed_length == 0 || i.list_depth == 1);
    CHECK(!i.is_maybe_affine || i.kind == BIR_FIELD_KIND_BOOL || i.kind == BIR_FIELD_KIND_INT);
    CHECK(!i.can_be_absent || i.list_depth == 0);
    /* One older than a member of a struct is given less. */
    bir_field_info part;
    memset(&part, 0x55, sizeof part);
    part.size = offsetof(bir_field_info, type_text);
    OK(bir_opcode_field(opcode, field, &part, &err));
    CHECK(part.kind == i.kind && part.key.data == i.key.data);
    const unsigned char *rest = (const unsigned char *)&part + offsetof(bir_field_info, type_text);
    for (size_t b = 0; b < sizeof part - offsetof(bir_field_info, type_text); b++) {
        CHECK(rest[b] == 0x55);
    }
    *last = i.key;
}

static void table(void) {
    int32_t count = -1, number = -1;
    OK(bir_opcode_count(&count, &err));
    CHECK(count == OPCODES);
    int total = 0;
    for (int32_t opcode = 0; opcode < count; opcode++) {
        bir_opcode_info info;
        memset(&info, 0x55, sizeof info);
        info.size = sizeof info;
        OK(bir_opcode_get_info(opcode, &info, &err));
        OK(bir_enum_member_number(BIR_ENUM_INSTRUCTION_TYPE, info.name.data, info.name.len, &number, &err));
        CHECK(number == opcode);
        CHECK(info.class_name.len > 4 && memcmp(info.class_name.data, "Inst", 4) == 0);
        CHECK(info.base.len > 0 && info.family.len > 0);
        CHECK(info.published_size >= 0xf0 && info.object_size >= info.published_size);
        CHECK(info.min_ins >= -1 && (info.max_ins == -1 || info.max_ins >= info.min_ins));
        CHECK(info.min_outs >= -1 && (info.max_outs == -1 || info.max_outs >= info.min_outs));
        CHECK(info.is_abstract <= 1 && info.min_arch >= -1 && info.min_arch <= 100 && info.max_arch >= -1);
        bir_string last = {"", 0};
        int32_t fields = fields_of(opcode);
        for (int32_t field = 0; field < fields; field++) {
            one_field(opcode, field, &last);
            bir_field_info i = described(opcode, field);
            /* Nested blocks take no room in the object. */
            CHECK(i.offset + (i.kind != BIR_FIELD_KIND_BLOCKS) <= info.object_size);
            total++;
        }
        bir_field_info none = {0};
        IS(bir_opcode_field(opcode, fields, &none, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_opcode_field(opcode, -1, &none, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_opcode_field(opcode, INT32_MAX, &none, &err), BIR_STATUS_NOT_FOUND);
        CHECK(none.key.data == NULL);
        IS(bir_opcode_find_field(opcode, T("no such key"), &number, &err), BIR_STATUS_UNKNOWN_KEY);
    }
    CHECK(total > 300);
    const int32_t bad[3] = {-1, OPCODES, INT32_MIN};
    for (int n = 0; n < 3; n++) {
        bir_opcode_info info = {0};
        bir_field_info field = {0};
        IS(bir_opcode_get_info(bad[n], &info, &err), BIR_STATUS_UNKNOWN_ENUM);
        IS(bir_opcode_field_count(bad[n], &number, &err), BIR_STATUS_UNKNOWN_ENUM);
        IS(bir_opcode_field(bad[n], 0, &field, &err), BIR_STATUS_UNKNOWN_ENUM);
        IS(bir_opcode_find_field(bad[n], T("queue"), &number, &err), BIR_STATUS_UNKNOWN_ENUM);
    }
}

/* ---- Defaults ----------------------------------------------------------------------------------------------------- */

static void element_is_default(const bir_inst *inst, int32_t field, size_t index, const bir_field_info *i) {
    uint8_t yes = 9;
    int64_t number = -99;
    double real = -99;
    CHECK(state(inst, field, index) == BIR_VALUE_CONSTANT);
    switch (i->kind) {
    case BIR_FIELD_KIND_BOOL:
        OK(bir_inst_get_bool(inst, field, index, &yes, &err));
        CHECK(yes == i->default_int);
        break;
    case BIR_FIELD_KIND_FLOAT:
        OK(bir_inst_get_float(inst, field, index, &real, &err));
        CHECK(memcmp(&real, &i->default_float, sizeof real) == 0);
        break;
    case BIR_FIELD_KIND_INT:
    case BIR_FIELD_KIND_ENUM:
        OK(bir_inst_get_int(inst, field, index, &number, &err));
        CHECK(number == i->default_int);
        break;
    default:
        CHECK(!"a kind without a number for a default");
    }
}

static void is_default(const bir_inst *inst, int32_t opcode, int32_t field) {
    bir_field_info i = described(opcode, field);
    size_t n = length(inst, field);
    if (i.has_default) {
        CHECK(n == (i.list_depth == 0 ? 1 : i.fixed_length) && n > 0);
        for (size_t index = 0; index < n; index++) {
            element_is_default(inst, field, index, &i);
        }
    } else if (i.list_depth > 0) {
        CHECK(n == 0);
    } else if (i.kind == BIR_FIELD_KIND_TEXT) {
        bir_string text = {NULL, 77};
        OK(bir_inst_get_text(inst, field, 0, &text, &err));
        CHECK(n == 1 && text.len == 0 && text.data != NULL);
    } else {
        CHECK(n == 0 && state(inst, field, 0) == BIR_VALUE_ABSENT);
        CHECK(i.can_be_absent || i.kind == BIR_FIELD_KIND_AXIS);
    }
    int32_t none = -7;
    if (i.list_depth < 2) {
        IS(bir_inst_get_state(inst, field, n == 0 && i.list_depth == 0 ? 1 : n, &none, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_state(inst, field, SIZE_MAX, &none, &err), BIR_STATUS_NOT_FOUND);
    } else {
        IS(bir_inst_get_state(inst, field, 0, &none, &err), BIR_STATUS_WRONG_KIND);
    }
    CHECK(none == -7);
}

static void defaults(void) {
    place p = place_create();
    for (int32_t opcode = 0; opcode < OPCODES; opcode++) {
        bir_inst *inst = NEW(bir_block_add_inst(p.block, opcode, T("I"), NULL, NULL, &err));
        int32_t fields = fields_of(opcode);
        for (int32_t field = 0; field < fields; field++) {
            is_default(inst, opcode, field);
        }
    }
    bir_module_destroy(p.module);
}

/* ---- Other values ------------------------------------------------------------------------------------------------- */

static void set_enum(bir_inst *inst, int32_t field, const bir_field_info *i, enum round round) {
    size_t members = 0;
    int32_t number[2] = {0, 0};
    bir_string name = {NULL, 0}, json[2] = {{NULL, 0}, {NULL, 0}};
    OK(bir_enum_member_count(i->enum_id, &members, &err));
    CHECK(members >= 2);
    int found = 0;
    for (size_t m = members; m-- > 0 && found < 2;) {
        OK(bir_enum_member_at(i->enum_id, m, &name, &number[found], &err));
        OK(bir_enum_member_json(i->enum_id, number[found], &json[found], &err));
        found += i->list_depth == 1 || number[found] != i->default_int;
    }
    int by_name = round == OTHER_WAYS && json[0].data != NULL && (i->list_depth == 0 || json[1].data != NULL);
    const int64_t numbers[2] = {number[0], number[1]};
    if (i->list_depth == 0 && by_name) {
        OK(bir_inst_set_text(inst, field, json[0].data, json[0].len, &err));
    } else if (i->list_depth == 0) {
        OK(bir_inst_set_int(inst, field, number[0], &err));
    } else if (by_name) {
        OK(bir_inst_set_texts(inst, field, json, 2, &err));
    } else {
        OK(bir_inst_set_ints(inst, field, numbers, 2, &err));
    }
    for (size_t e = 0; e <= i->list_depth; e++) {
        int64_t back = -99;
        OK(bir_inst_get_int(inst, field, e, &back, &err));
        CHECK(back == numbers[e]);
    }
    /* The nearest member is named. */
    if (i->list_depth == 0 && json[0].data != NULL) {
        IS(bir_inst_set_text(inst, field, T("no such member"), &err), BIR_STATUS_UNKNOWN_ENUM);
    }
    const int64_t bad[2] = {number[0], 9999};
    if (i->list_depth == 0) {
        IS(bir_inst_set_int(inst, field, 9999, &err), BIR_STATUS_UNKNOWN_ENUM);
    } else {
        IS(bir_inst_set_ints(inst, field, bad, 2, &err), BIR_STATUS_UNKNOWN_ENUM);
    }
    int64_t still = -99;
    OK(bir_inst_get_int(inst, field, 0, &still, &err));
    CHECK(still == number[0]);
}

static void set_bool(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p, enum round round) {
    uint8_t yes = 9;
    CHECK(i->list_depth == 0);
    if (i->is_maybe_affine && round == EXPRESSIONS) {
        OK(bir_inst_set_expr(inst, field, p->expr, &err));
        return;
    }
    if (round == OTHER_WAYS) {
        OK(bir_inst_set_int(inst, field, i->default_int == 0, &err));
    } else {
        OK(bir_inst_set_bool(inst, field, i->default_int == 0 ? 7 : 0, &err));
    }
    OK(bir_inst_get_bool(inst, field, 0, &yes, &err));
    CHECK(yes == (i->default_int == 0));
    IS(bir_inst_set_int(inst, field, 2, &err), BIR_STATUS_WRONG_TYPE);
    IS(bir_inst_set_float(inst, field, 1, &err), BIR_STATUS_WRONG_TYPE);
    if (!i->is_maybe_affine) {
        IS(bir_inst_set_expr(inst, field, p->expr, &err), BIR_STATUS_WRONG_TYPE);
    }
    OK(bir_inst_get_bool(inst, field, 0, &yes, &err));
    CHECK(yes == (i->default_int == 0));
}

static void set_int(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p, enum round round) {
    int64_t number = -99;
    uint64_t word = 99;
    if (i->is_maybe_affine && round == EXPRESSIONS) {
        OK(bir_inst_set_expr(inst, field, p->expr, &err));
        SAME(bir_inst_get_expr(inst, field, 0, &err), p->expr);
        IS(bir_inst_get_int(inst, field, 0, &number, &err), BIR_STATUS_WRONG_KIND);
        return;
    }
    /* Outside of the range: nothing changes. */
    if (i->max_int < UINT64_MAX) {
        IS(bir_inst_set_uint(inst, field, i->max_int + 1, &err), BIR_STATUS_BAD_VALUE);
    }
    IS(bir_inst_set_int(inst, field, i->min_int - 1, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_inst_set_text(inst, field, T("1"), &err), BIR_STATUS_WRONG_TYPE);
    if (!i->is_maybe_affine) {
        IS(bir_inst_set_expr(inst, field, p->expr, &err), BIR_STATUS_WRONG_TYPE);
    }
    CHECK(length(inst, field) == (i->has_default ? 1 : 0));
    if (i->has_default) {
        element_is_default(inst, field, 0, i);
    }
    if (round == OTHER_WAYS) {
        number = i->min_int < 0 ? i->min_int : i->default_int + 1;
        OK(bir_inst_set_int(inst, field, number, &err));
        int64_t back = 99;
        OK(bir_inst_get_int(inst, field, 0, &back, &err));
        CHECK(back == number);
        if (number < 0) {
            IS(bir_inst_get_uint(inst, field, 0, &word, &err), BIR_STATUS_BAD_VALUE);
        }
        return;
    }
    OK(bir_inst_set_uint(inst, field, i->max_int, &err));
    OK(bir_inst_get_uint(inst, field, 0, &word, &err));
    CHECK(word == i->max_int);
    IS(bir_inst_get_int(inst, field, 0, &number, &err), word > INT64_MAX ? BIR_STATUS_BAD_VALUE : BIR_STATUS_OK);
}

static void set_ints(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p, enum round round) {
    size_t n = i->fixed_length ? i->fixed_length : 3;
    CHECK(n <= WORDS);
    const uint64_t words[WORDS] = {i->max_int, 2, 3, 4};
    const int64_t numbers[WORDS] = {i->min_int < 0 ? i->min_int : 9, 8, 7, 6};
    const uint64_t too_large[WORDS] = {1, i->max_int + 1, 1, 1};
    const bir_maybe_affine mixed[WORDS] = {{NULL, i->min_int}, {p->expr, 77}, {NULL, 5}, {NULL, 6}};
    const bir_expr *const exprs[WORDS] = {p->expr, p->expr, p->expr, p->expr};
    size_t before = length(inst, field);
    IS(bir_inst_set_uints(inst, field, too_large, n, &err), BIR_STATUS_BAD_VALUE);
    CHECK(strchr(err.path, '[') != NULL);
    if (i->fixed_length) {
        IS(bir_inst_set_uints(inst, field, words, n - 1, &err), BIR_STATUS_BAD_VALUE);
        IS(bir_inst_set_absent(inst, field, &err), BIR_STATUS_BAD_VALUE);
    }
    CHECK(length(inst, field) == before);
    if (i->is_maybe_affine && round == EXPRESSIONS) {
        OK(bir_inst_set_exprs(inst, field, exprs, n, &err));
        OK(bir_inst_set_maybe_affines(inst, field, mixed, n, &err));
        CHECK(state(inst, field, 0) == BIR_VALUE_CONSTANT && state(inst, field, 1) == BIR_VALUE_AFFINE);
        SAME(bir_inst_get_expr(inst, field, 1, &err), p->expr);
        FAILS(bir_inst_get_expr(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
        return;
    }
    if (!i->is_maybe_affine) {
        IS(bir_inst_set_exprs(inst, field, exprs, n, &err), BIR_STATUS_WRONG_TYPE);
    }
    if (round == OTHER_WAYS) {
        OK(bir_inst_set_ints(inst, field, numbers, n, &err));
    } else {
        OK(bir_inst_set_uints(inst, field, words, n, &err));
    }
    CHECK(length(inst, field) == n);
    for (size_t e = 0; e < n; e++) {
        int64_t back = -99;
        OK(bir_inst_get_int(inst, field, e, &back, &err));
        CHECK(round == OTHER_WAYS ? back == numbers[e] : back == (int64_t)words[e]);
    }
}

static void set_rows(bir_inst *inst, int32_t field, const bir_field_info *i) {
    const uint64_t words[WORDS] = {i->max_int, 1, 2, 3};
    const size_t lengths[3] = {2, 1, 1};
    const size_t bad[3] = {2, SIZE_MAX, 1};
    uint64_t word = 0;
    int64_t number = 0;
    size_t n = 99;
    OK(bir_inst_set_rows(inst, field, words, WORDS, lengths, 3, &err));
    IS(bir_inst_set_rows(inst, field, words, WORDS, lengths, 2, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_inst_set_rows(inst, field, words, WORDS, bad, 3, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_inst_set_uints(inst, field, words, WORDS, &err), BIR_STATUS_WRONG_TYPE);
    CHECK(length(inst, field) == 3);
    OK(bir_inst_get_row_length(inst, field, 0, &n, &err));
    CHECK(n == 2);
    OK(bir_inst_get_row_length(inst, field, 2, &n, &err));
    CHECK(n == 1);
    OK(bir_inst_get_row_uint(inst, field, 0, 0, &word, &err));
    CHECK(word == i->max_int);
    IS(bir_inst_get_row_int(inst, field, 0, 0, &number, &err), word > INT64_MAX ? BIR_STATUS_BAD_VALUE : BIR_STATUS_OK);
    OK(bir_inst_get_row_int(inst, field, 2, 0, &number, &err));
    CHECK(number == 3);
    IS(bir_inst_get_row_int(inst, field, 2, 1, &number, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_inst_get_row_uint(inst, field, 3, 0, &word, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_inst_get_row_length(inst, field, 3, &n, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_inst_get_int(inst, field, 0, &number, &err), BIR_STATUS_WRONG_KIND);
    if (i->max_int < UINT64_MAX) {
        const uint64_t large[WORDS] = {0, 0, 0, i->max_int + 1};
        IS(bir_inst_set_rows(inst, field, large, WORDS, lengths, 3, &err), BIR_STATUS_BAD_VALUE);
        OK(bir_inst_get_row_uint(inst, field, 0, 1, &word, &err));
        CHECK(word == 1);
    }
}

static void set_float(bir_inst *inst, int32_t field, const bir_field_info *i) {
    const double reals[3] = {1.5, -0.0, FLT_MIN}, bad[2] = {1, DBL_MAX};
    double real = 0;
    if (i->list_depth == 0) {
        OK(bir_inst_set_float(inst, field, HUGE_VAL, &err));
        OK(bir_inst_set_float(inst, field, FLT_MAX, &err));
        IS(bir_inst_set_float(inst, field, DBL_MAX, &err), BIR_STATUS_BAD_VALUE);
        OK(bir_inst_get_float(inst, field, 0, &real, &err));
        CHECK(!(real < FLT_MAX || real > FLT_MAX));
        OK(bir_inst_set_int(inst, field, 3, &err));
        OK(bir_inst_set_float(inst, field, 0.15625, &err));
        OK(bir_inst_get_float(inst, field, 0, &real, &err));
        CHECK(!(real < 0.15625 || real > 0.15625));
        return;
    }
    OK(bir_inst_set_floats(inst, field, reals, 3, &err));
    IS(bir_inst_set_floats(inst, field, bad, 2, &err), BIR_STATUS_BAD_VALUE);
    CHECK(length(inst, field) == 3);
    for (size_t e = 0; e < 3; e++) {
        OK(bir_inst_get_float(inst, field, e, &real, &err));
        CHECK(memcmp(&real, &reals[e], sizeof real) == 0);
    }
}

static void set_text(bir_inst *inst, int32_t field, const bir_field_info *i) {
    const char *const given = "a text that is longer than fifteen bytes";
    const bir_string list[2] = {{T("i")}, {T("another loop axis")}};
    const bir_string bad[2] = {{T("i")}, {"\xFF", 1}};
    bir_string text = {NULL, 0};
    if (i->list_depth == 0) {
        OK(bir_inst_set_text(inst, field, T(given), &err));
        IS(bir_inst_set_text(inst, field, "\xFF", 1, &err), BIR_STATUS_BAD_VALUE);
        IS(bir_inst_set_bool(inst, field, 1, &err), BIR_STATUS_WRONG_TYPE);
        OK(bir_inst_get_text(inst, field, 0, &text, &err));
        CHECK(same_text(text, given));
        return;
    }
    OK(bir_inst_set_texts(inst, field, list, 2, &err));
    IS(bir_inst_set_texts(inst, field, bad, 2, &err), BIR_STATUS_BAD_VALUE);
    CHECK(length(inst, field) == 2);
    OK(bir_inst_get_text(inst, field, 1, &text, &err));
    CHECK(same_text(text, "another loop axis"));
    IS(bir_inst_get_text(inst, field, 2, &text, &err), BIR_STATUS_NOT_FOUND);
}

static void set_json(bir_inst *inst, int32_t field) {
    const char *const given = "{\"a\":[1,2.5,null],\"b\":\"c\"}";
    bir_string text = {"x", 77};
    OK(bir_inst_get_json(inst, field, 0, &text, &err));
    CHECK(text.data == NULL && text.len == 0);
    OK(bir_inst_set_json(inst, field, T(given), &err));
    IS(bir_inst_set_json(inst, field, T("{"), &err), BIR_STATUS_SYNTAX);
    OK(bir_inst_get_json(inst, field, 0, &text, &err));
    CHECK(same_text(text, given) && state(inst, field, 0) == BIR_VALUE_VERBATIM);
}

/* A reference: taken away and given again. */
static void is_object(bir_inst *inst, int32_t field, int32_t kind, const void *object) {
    int32_t found = -1;
    void *address = NULL;
    CHECK(length(inst, field) == 1 && state(inst, field, 0) == BIR_VALUE_CONSTANT);
    OK(bir_inst_get_object(inst, field, 0, &found, &address, &err));
    CHECK(found == kind && address == object);
    IS(bir_inst_get_object(inst, field, 1, &found, &address, &err), BIR_STATUS_NOT_FOUND);
    FAILS(bir_inst_get_expr(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
    OK(bir_inst_set_absent(inst, field, &err));
    CHECK(length(inst, field) == 0 && state(inst, field, 0) == BIR_VALUE_ABSENT);
    OK(bir_inst_get_object(inst, field, 0, &found, &address, &err));
    CHECK(found == BIR_OBJECT_NONE && address == NULL);
}

static void set_reference(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p) {
    switch (i->kind) {
    case BIR_FIELD_KIND_QUEUE:
        OK(bir_inst_set_queue(inst, field, p->queue, &err));
        SAME(bir_inst_get_queue(inst, field, 0, &err), p->queue);
        FAILS(bir_inst_get_block(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
        is_object(inst, field, BIR_OBJECT_QUEUE, p->queue);
        NONE(bir_inst_get_queue(inst, field, 0, &err));
        IS(bir_inst_set_block(inst, field, p->other, &err), BIR_STATUS_WRONG_TYPE);
        OK(bir_inst_set_queue(inst, field, p->queue, &err));
        break;
    case BIR_FIELD_KIND_BLOCK: {
        /* A queue's block is looked up in the queue. */
        bir_block *target = same_text(i->key, "instance") ? p->instance : p->other;
        OK(bir_inst_set_block(inst, field, target, &err));
        SAME(bir_inst_get_block(inst, field, 0, &err), target);
        FAILS(bir_inst_get_queue(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
        is_object(inst, field, BIR_OBJECT_BLOCK, target);
        NONE(bir_inst_get_block(inst, field, 0, &err));
        IS(bir_inst_set_queue(inst, field, p->queue, &err), BIR_STATUS_WRONG_TYPE);
        OK(bir_inst_set_block(inst, field, target, &err));
        break;
    }
    case BIR_FIELD_KIND_FUNCTION:
        OK(bir_inst_set_function(inst, field, p->callee, &err));
        SAME(bir_inst_get_function(inst, field, 0, &err), p->callee);
        FAILS(bir_inst_get_inst(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
        is_object(inst, field, BIR_OBJECT_FUNCTION, p->callee);
        NONE(bir_inst_get_function(inst, field, 0, &err));
        IS(bir_inst_set_inst(inst, field, inst, &err), BIR_STATUS_WRONG_TYPE);
        OK(bir_inst_set_function(inst, field, p->callee, &err));
        break;
    default:
        OK(bir_inst_set_inst(inst, field, p->trigger, &err));
        SAME(bir_inst_get_inst(inst, field, 0, &err), p->trigger);
        FAILS(bir_inst_get_function(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
        is_object(inst, field, BIR_OBJECT_INST, p->trigger);
        NONE(bir_inst_get_inst(inst, field, 0, &err));
        IS(bir_inst_set_inst(inst, field, p->dma_block, &err), BIR_STATUS_WRONG_KIND);
        IS(bir_inst_set_function(inst, field, p->callee, &err), BIR_STATUS_WRONG_TYPE);
        OK(bir_inst_set_inst(inst, field, p->trigger, &err));
        break;
    }
}

static void set_list_of_objects(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p) {
    const bir_register *const regs[2] = {p->reg[1], p->reg[0]};
    const bir_register *const one_null[2] = {p->reg[1], NULL};
    const bir_inst *const blocks[1] = {p->dma_block};
    const bir_inst *const triggers[1] = {p->trigger};
    int32_t kind = -1;
    void *address = NULL;
    if (i->kind == BIR_FIELD_KIND_REGISTER) {
        OK(bir_inst_set_registers(inst, field, regs, 2, &err));
        IS(bir_inst_set_registers(inst, field, one_null, 2, &err), BIR_STATUS_NULL_ARGUMENT);
        IS(bir_inst_set_insts(inst, field, blocks, 1, &err), BIR_STATUS_WRONG_TYPE);
        CHECK(length(inst, field) == 2);
        SAME(bir_inst_get_register(inst, field, 0, &err), p->reg[1]);
        SAME(bir_inst_get_register(inst, field, 1, &err), p->reg[0]);
        FAILS(bir_inst_get_register(inst, field, 2, &err), BIR_STATUS_NOT_FOUND);
        OK(bir_inst_get_object(inst, field, 1, &kind, &address, &err));
        CHECK(kind == BIR_OBJECT_REGISTER && address == p->reg[0]);
    } else {
        OK(bir_inst_set_insts(inst, field, blocks, 1, &err));
        IS(bir_inst_set_insts(inst, field, triggers, 1, &err), BIR_STATUS_WRONG_KIND);
        IS(bir_inst_set_registers(inst, field, regs, 2, &err), BIR_STATUS_WRONG_TYPE);
        CHECK(length(inst, field) == 1);
        SAME(bir_inst_get_inst(inst, field, 0, &err), p->dma_block);
        FAILS(bir_inst_get_register(inst, field, 0, &err), BIR_STATUS_WRONG_KIND);
    }
}

static void set_expression(bir_inst *inst, int32_t field, const bir_field_info *i, const place *p) {
    const bir_expr *const exprs[2] = {p->node, p->expr}, *const one_null[2] = {p->node, NULL};
    if (i->kind == BIR_FIELD_KIND_NODE) {
        OK(bir_inst_set_node(inst, field, p->node, &err));
        IS(bir_inst_set_node(inst, field, p->expr, &err), BIR_STATUS_WRONG_KIND);
        IS(bir_inst_set_expr(inst, field, p->node, &err), BIR_STATUS_WRONG_TYPE);
        SAME(bir_inst_get_expr(inst, field, 0, &err), p->node);
        OK(bir_inst_set_absent(inst, field, &err));
        NONE(bir_inst_get_expr(inst, field, 0, &err));
        OK(bir_inst_set_node(inst, field, p->node, &err));
    } else if (i->list_depth == 0) {
        OK(bir_inst_set_expr(inst, field, p->node, &err));
        OK(bir_inst_set_absent(inst, field, &err));
        NONE(bir_inst_get_expr(inst, field, 0, &err));
        OK(bir_inst_set_expr(inst, field, p->expr, &err));
        IS(bir_inst_set_node(inst, field, p->node, &err), BIR_STATUS_WRONG_TYPE);
        SAME(bir_inst_get_expr(inst, field, 0, &err), p->expr);
        CHECK(state(inst, field, 0) == BIR_VALUE_AFFINE);
    } else {
        OK(bir_inst_set_exprs(inst, field, exprs, 2, &err));
        IS(bir_inst_set_exprs(inst, field, one_null, 2, &err), BIR_STATUS_NULL_ARGUMENT);
        CHECK(length(inst, field) == 2);
        SAME(bir_inst_get_expr(inst, field, 1, &err), p->expr);
        OK(bir_inst_set_absent(inst, field, &err));
        CHECK(length(inst, field) == 0);
        OK(bir_inst_set_exprs(inst, field, exprs, 2, &err));
    }
}

static void set_structure(bir_inst *inst, int32_t opcode, int32_t field, const bir_field_info *i, const place *p) {
    bir_expr *c = NEW(bir_expr_affine(p->module, NULL, 0, 1, &err));
    if (i->kind == BIR_FIELD_KIND_AXIS) {
        int32_t kind = -1;
        void *address = NULL;
        if (opcode == BIR_INSTRUCTION_TYPE_LOOP) {
            NEW(bir_inst_set_loop_axis(inst, T("i"), 1, 9, 2, &err));
        } else {
            NEW(bir_inst_set_dynamic_axis(inst, T("j"), c, p->expr, c, &err));
        }
        CHECK(length(inst, field) == 1);
        IS(bir_inst_get_object(inst, field, 0, &kind, &address, &err), BIR_STATUS_WRONG_KIND);
        IS(bir_inst_set_absent(inst, field, &err), BIR_STATUS_UNSUPPORTED);
        NEW(bir_inst_axis(inst, &err));
    } else {
        bir_block_holder *holder = NEW(bir_inst_block_holder(inst, &err));
        bir_block *one = NEW(bir_block_holder_add_block(holder, T("body"), NULL, NULL, &err));
        bir_block *two = NEW(bir_block_holder_add_block(holder, T("body2"), NULL, NULL, &err));
        CHECK(length(inst, field) == 2);
        SAME(bir_inst_get_block(inst, field, 0, &err), one);
        SAME(bir_inst_get_block(inst, field, 1, &err), two);
        FAILS(bir_inst_get_block(inst, field, 2, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_block(inst, field, p->other, &err), BIR_STATUS_UNSUPPORTED);
    }
}

static void set_other(bir_inst *inst, int32_t opcode, int32_t field, const place *p, enum round round) {
    static const bir_dim dims[6] = {{-1, 1}, {INT64_MIN, 2}, {-3, INT64_MAX}, {4, 5}, {5, 6}, {6, 7}};
    bir_field_info i = described(opcode, field);
    bir_dim dim = {0, 0};
    if (i.takes_json && i.kind != BIR_FIELD_KIND_JSON) {
        bir_string text = {NULL, 0};
        IS(bir_inst_set_json(inst, field, T("[1"), &err), BIR_STATUS_SYNTAX);
        OK(bir_inst_set_json(inst, field, T("[1,[2,3]]"), &err));
        CHECK(state(inst, field, 0) == BIR_VALUE_VERBATIM);
        OK(bir_inst_get_json(inst, field, 0, &text, &err));
        CHECK(same_text(text, "[1,[2,3]]"));
        if (round == OTHER_WAYS) {
            return;
        }
        OK(bir_inst_set_absent(inst, field, &err));
    } else if (!i.takes_json && i.kind != BIR_FIELD_KIND_TEXT && i.kind != BIR_FIELD_KIND_AXIS &&
               i.kind != BIR_FIELD_KIND_BLOCKS) {
        IS(bir_inst_set_json(inst, field, T("[1]"), &err), BIR_STATUS_WRONG_TYPE);
    }
    switch (i.kind) {
    case BIR_FIELD_KIND_BOOL:
        set_bool(inst, field, &i, p, round);
        break;
    case BIR_FIELD_KIND_INT:
        if (i.list_depth == 0) {
            set_int(inst, field, &i, p, round);
        } else if (i.list_depth == 1) {
            set_ints(inst, field, &i, p, round);
        } else {
            set_rows(inst, field, &i);
        }
        break;
    case BIR_FIELD_KIND_FLOAT:
        set_float(inst, field, &i);
        break;
    case BIR_FIELD_KIND_ENUM:
        set_enum(inst, field, &i, round);
        break;
    case BIR_FIELD_KIND_TEXT:
        set_text(inst, field, &i);
        break;
    case BIR_FIELD_KIND_JSON:
        set_json(inst, field);
        break;
    case BIR_FIELD_KIND_EXPR:
    case BIR_FIELD_KIND_NODE:
        set_expression(inst, field, &i, p);
        break;
    case BIR_FIELD_KIND_QUEUE:
    case BIR_FIELD_KIND_BLOCK:
    case BIR_FIELD_KIND_FUNCTION:
    case BIR_FIELD_KIND_INST:
    case BIR_FIELD_KIND_REGISTER:
        if (i.list_depth == 0) {
            set_reference(inst, field, &i, p);
        } else {
            set_list_of_objects(inst, field, &i, p);
        }
        break;
    case BIR_FIELD_KIND_PAIR:
        OK(bir_inst_set_pairs(inst, field, dims, 6, &err));
        CHECK(length(inst, field) == 6);
        for (size_t e = 0; e < 6; e++) {
            OK(bir_inst_get_pair(inst, field, e, &dim, &err));
            CHECK(dim.step == dims[e].step && dim.num == dims[e].num);
        }
        IS(bir_inst_get_pair(inst, field, 6, &dim, &err), BIR_STATUS_NOT_FOUND);
        break;
    default:
        set_structure(inst, opcode, field, &i, p);
    }
}

/* ---- Comparison --------------------------------------------------------------------------------------------------- */

static void same_string(bir_string a, bir_string b) {
    CHECK(a.len == b.len && (a.data == NULL) == (b.data == NULL));
    CHECK(a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static void same_object(const bir_inst *a, const bir_inst *b, int32_t field, size_t index) {
    bir_string names[2] = {{NULL, 0}, {NULL, 0}};
    int32_t kinds[2] = {-1, -1};
    for (int side = 0; side < 2; side++) {
        void *object = NULL;
        OK(bir_inst_get_object(side ? b : a, field, index, &kinds[side], &object, &err));
        switch (kinds[side]) {
        case BIR_OBJECT_QUEUE:
            OK(bir_queue_name(object, &names[side], &err));
            break;
        case BIR_OBJECT_BLOCK:
            OK(bir_block_name(object, &names[side], &err));
            break;
        case BIR_OBJECT_FUNCTION:
            OK(bir_function_name(object, &names[side], &err));
            break;
        case BIR_OBJECT_REGISTER:
            OK(bir_register_name(object, &names[side], &err));
            break;
        default:
            CHECK(kinds[side] == BIR_OBJECT_INST);
            OK(bir_inst_name(object, &names[side], &err));
        }
    }
    CHECK(kinds[0] == kinds[1]);
    same_string(names[0], names[1]);
}

static void same_element(const bir_inst *a, const bir_inst *b, int32_t field, size_t index, const bir_field_info *i) {
    int32_t what = state(a, field, index);
    CHECK(state(b, field, index) == what && what != BIR_VALUE_ABSENT);
    bir_string texts[2] = {{NULL, 0}, {NULL, 0}};
    uint64_t words[2] = {0, 1};
    int64_t numbers[2] = {0, 1};
    double reals[2] = {0, 1};
    uint8_t yes[2] = {2, 3};
    bir_dim dims[2] = {{0, 0}, {1, 1}};
    const bir_inst *const sides[2] = {a, b};
    if (what == BIR_VALUE_AFFINE || i->kind == BIR_FIELD_KIND_NODE) {
        uint8_t equal = 9;
        bir_expr *left = NEW(bir_inst_get_expr(a, field, index, &err));
        OK(bir_expr_equal(left, NEW(bir_inst_get_expr(b, field, index, &err)), &equal, &err));
        CHECK(equal == 1);
        return;
    }
    for (int s = 0; s < 2; s++) {
        if (what == BIR_VALUE_VERBATIM) {
            OK(bir_inst_get_json(sides[s], field, index, &texts[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_TEXT) {
            OK(bir_inst_get_text(sides[s], field, index, &texts[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_BOOL) {
            OK(bir_inst_get_bool(sides[s], field, index, &yes[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_FLOAT) {
            OK(bir_inst_get_float(sides[s], field, index, &reals[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_PAIR) {
            OK(bir_inst_get_pair(sides[s], field, index, &dims[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_ENUM || (i->kind == BIR_FIELD_KIND_INT && i->min_int < 0)) {
            OK(bir_inst_get_int(sides[s], field, index, &numbers[s], &err));
        } else if (i->kind == BIR_FIELD_KIND_INT) {
            OK(bir_inst_get_uint(sides[s], field, index, &words[s], &err));
        }
    }
    if (what == BIR_VALUE_VERBATIM || i->kind == BIR_FIELD_KIND_TEXT) {
        same_string(texts[0], texts[1]);
    } else if (i->kind == BIR_FIELD_KIND_BOOL) {
        CHECK(yes[0] == yes[1]);
    } else if (i->kind == BIR_FIELD_KIND_FLOAT) {
        CHECK(memcmp(&reals[0], &reals[1], sizeof reals[0]) == 0);
    } else if (i->kind == BIR_FIELD_KIND_PAIR) {
        CHECK(dims[0].step == dims[1].step && dims[0].num == dims[1].num);
    } else if (i->kind == BIR_FIELD_KIND_ENUM || (i->kind == BIR_FIELD_KIND_INT && i->min_int < 0)) {
        CHECK(numbers[0] == numbers[1]);
    } else if (i->kind == BIR_FIELD_KIND_INT) {
        CHECK(words[0] == words[1]);
    } else if (i->kind == BIR_FIELD_KIND_AXIS) {
        OK(bir_axis_name(NEW(bir_inst_axis(a, &err)), &texts[0], &err));
        OK(bir_axis_name(NEW(bir_inst_axis(b, &err)), &texts[1], &err));
        same_string(texts[0], texts[1]);
    } else {
        same_object(a, b, field, index);
    }
}

static void same_field(const bir_inst *a, const bir_inst *b, int32_t opcode, int32_t field) {
    bir_field_info i = described(opcode, field);
    size_t n = length(a, field);
    CHECK(n > 0 && length(b, field) == n);
    for (size_t index = 0; index < n; index++) {
        if (i.list_depth < 2) {
            same_element(a, b, field, index, &i);
            continue;
        }
        size_t lens[2] = {0, 1};
        OK(bir_inst_get_row_length(a, field, index, &lens[0], &err));
        OK(bir_inst_get_row_length(b, field, index, &lens[1], &err));
        CHECK(lens[0] == lens[1] && lens[0] > 0);
        for (size_t e = 0; e < lens[0]; e++) {
            uint64_t words[2] = {0, 1};
            OK(bir_inst_get_row_uint(a, field, index, e, &words[0], &err));
            OK(bir_inst_get_row_uint(b, field, index, e, &words[1], &err));
            CHECK(words[0] == words[1]);
        }
    }
}

/* What the comparison of instructions says of one and what came back of it, in both directions. */
static void same_both_ways(const bir_inst *saved, const bir_inst *loaded, int32_t opcode, enum round round) {
    const bir_inst *const pairs[2][2] = {{saved, loaded}, {loaded, saved}};
    for (int way = 0; way < 2; way++) {
        uint8_t same = 9, operands = 9;
        bir_status status = bir_inst_same(pairs[way][0], pairs[way][1], &same, &err);
        CHECK(bir_inst_same_and_operands(pairs[way][0], pairs[way][1], &operands, &err) == status && operands == same);
        switch (opcode) {
        case BIR_INSTRUCTION_TYPE_NKIKERNEL:
        case BIR_INSTRUCTION_TYPE_NKIKLIRKERNEL:
        case BIR_INSTRUCTION_TYPE_CALL:
            CHECK(status == BIR_STATUS_UNSUPPORTED && same == 9);
            break;
        case BIR_INSTRUCTION_TYPE_LOOP:
        case BIR_INSTRUCTION_TYPE_DYNAMICFORLOOP:
        case BIR_INSTRUCTION_TYPE_DMABLOCK:
        case BIR_INSTRUCTION_TYPE_DOWHILE:
            /* The same only as the same object. */
            CHECK(status == BIR_STATUS_OK && same == 0);
            OK(bir_inst_same(saved, saved, &same, &err));
            CHECK(same == 1);
            break;
        case BIR_INSTRUCTION_TYPE_GENERICCOPY:
        case BIR_INSTRUCTION_TYPE_ABSTRACTCOPY:
        case BIR_INSTRUCTION_TYPE_ACTIVATION:
            /* Their fields must hold constants. */
            if (round == EXPRESSIONS && status == BIR_STATUS_WRONG_KIND) {
                CHECK(same == 9);
                break;
            }
            /* fall through */
        default:
            CHECK(status == BIR_STATUS_OK && same == 1);
        }
    }
}

static void round_trip(enum round round) {
    place p = place_create();
    bir_inst *all[OPCODES];
    for (int32_t opcode = 0; opcode < OPCODES; opcode++) {
        bir_inst *inst = all[opcode] = NEW(bir_block_add_inst(p.block, opcode, T("I"), NULL, NULL, &err));
        int32_t fields = fields_of(opcode);
        for (int32_t field = 0; field < fields; field++) {
            set_other(inst, opcode, field, &p, round);
        }
    }
    for (uint8_t all_keys = 0; all_keys < 2; all_keys++) {
        bir_write_options options = {sizeof options, 0, 0, 0};
        options.all_keys = all_keys;
        bir_buffer *buffer = NEW(bir_module_save_to_buffer(p.module, &options, &err));
        bir_bytes bytes = {NULL, 0};
        OK(bir_buffer_bytes(buffer, &bytes, &err));
        bir_module *loaded = NEW(bir_module_load((const char *)bytes.data, bytes.len, NULL, NULL, &err));
        bir_buffer_destroy(buffer);
        bir_function *function = NEW(bir_module_find_function(loaded, T("main"), &err));
        bir_block *block = NEW(bir_function_find_block(function, T("Block1"), &err));
        bir_inst *inst = NEW(bir_block_first_inst(block, &err));
        for (int32_t opcode = 0; opcode < OPCODES; opcode++) {
            uint8_t equal = 9;
            VALUE(int32_t, bir_inst_opcode, inst, opcode);
            int32_t fields = fields_of(opcode);
            for (int32_t field = 0; field < fields; field++) {
                same_field(all[opcode], inst, opcode, field);
            }
            OK(bir_inst_equal(all[opcode], inst, &equal, &err));
            CHECK(equal == 1);
            same_both_ways(all[opcode], inst, opcode, round);
            inst = bir_inst_next(inst, &err);
        }
        CHECK(inst == NULL);
        uint8_t equal = 9;
        OK(bir_module_equal(p.module, loaded, &equal, &err));
        CHECK(equal == 1);
        bir_module_destroy(loaded);
    }
    bir_module_destroy(p.module);
}

/* ---- Bad calls ---------------------------------------------------------------------------------------------------- */

static void bad_numbers(place *p) {
    const int32_t bad[4] = {-1, INT32_MIN, INT32_MAX, fields_of(BIR_INSTRUCTION_TYPE_DMATRIGGER)};
    for (int n = 0; n < 4; n++) {
        int32_t f = bad[n], kind = -1;
        bir_inst *t = p->trigger;
        size_t len = 0;
        int64_t number = 0;
        uint64_t word = 0;
        double real = 0;
        uint8_t yes = 0;
        bir_string text = {NULL, 0};
        bir_dim dim = {0, 0};
        void *address = NULL;
        const bir_expr *const exprs[1] = {p->expr};
        const bir_inst *const insts[1] = {p->dma_block};
        const bir_register *const regs[1] = {p->reg[0]};
        const bir_maybe_affine maybe = {NULL, 1};
        const size_t one = 1;
        IS(bir_inst_get_length(t, f, &len, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_row_length(t, f, 0, &len, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_state(t, f, 0, &kind, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_bool(t, f, 0, &yes, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_int(t, f, 0, &number, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_uint(t, f, 0, &word, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_float(t, f, 0, &real, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_text(t, f, 0, &text, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_json(t, f, 0, &text, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_pair(t, f, 0, &dim, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_row_int(t, f, 0, 0, &number, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_row_uint(t, f, 0, 0, &word, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_get_object(t, f, 0, &kind, &address, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_expr(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_queue(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_block(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_function(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_inst(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        FAILS(bir_inst_get_register(t, f, 0, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_absent(t, f, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_bool(t, f, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_int(t, f, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_uint(t, f, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_float(t, f, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_text(t, f, T("x"), &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_json(t, f, T("1"), &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_expr(t, f, p->expr, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_node(t, f, p->node, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_queue(t, f, p->queue, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_block(t, f, p->block, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_function(t, f, p->callee, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_inst(t, f, p->trigger, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_ints(t, f, &number, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_uints(t, f, &word, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_floats(t, f, &real, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_texts(t, f, NULL, 0, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_exprs(t, f, exprs, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_maybe_affines(t, f, &maybe, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_pairs(t, f, &dim, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_registers(t, f, regs, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_insts(t, f, insts, 1, &err), BIR_STATUS_NOT_FOUND);
        IS(bir_inst_set_rows(t, f, &word, 1, &one, 1, &err), BIR_STATUS_NOT_FOUND);
    }
    int32_t field = -7;
    IS(bir_inst_find_field(p->trigger, T("no such key"), &field, &err), BIR_STATUS_UNKNOWN_KEY);
    CHECK(field == -7);
}

/* Objects of another module, erased ones, and an erased instruction. */
static void bad_objects(place *p) {
    place q = place_create();
    bir_inst *t = p->trigger;
    int32_t queue = key(t, "queue"), blocks = key(t, "dma_blocks");
    const bir_inst *const foreign[1] = {q.dma_block};
    IS(bir_inst_set_queue(t, queue, q.queue, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_inst_set_insts(t, blocks, foreign, 1, &err), BIR_STATUS_FOREIGN_MODULE);
    IS(bir_inst_set_queue(t, queue, NULL, &err), BIR_STATUS_NULL_ARGUMENT);
    IS(bir_inst_set_expr(t, queue, q.expr, &err), BIR_STATUS_FOREIGN_MODULE);
    bir_queue *gone = NEW(bir_module_add_queue(p->module, T("gone"), BIR_DMA_QUEUE_TYPE_DATA, NULL, NULL, &err));
    OK(bir_queue_erase(gone, &err));
    IS(bir_inst_set_queue(t, queue, gone, &err), BIR_STATUS_DETACHED);
    SAME(bir_inst_get_queue(t, queue, 0, &err), p->queue);
    SAME(bir_inst_get_inst(t, blocks, 0, &err), p->dma_block);
    /* An erased instruction stays readable and cannot be changed. */
    bir_inst *dead = NEW(bir_block_add_inst(p->block, BIR_INSTRUCTION_TYPE_DMATRIGGER, T("dead"), NULL, NULL, &err));
    OK(bir_inst_set_queue(dead, queue, p->queue, &err));
    OK(bir_inst_erase(dead, &err));
    int32_t fields = fields_of(BIR_INSTRUCTION_TYPE_DMATRIGGER);
    CHECK(key(dead, "queue") == queue);
    for (int32_t field = 0; field < fields; field++) {
        length(dead, field);
        IS(bir_inst_set_absent(dead, field, &err), BIR_STATUS_DETACHED);
    }
    IS(bir_inst_set_queue(dead, queue, p->queue, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_set_int(dead, INT32_MAX, 1, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_set_ints(dead, queue, NULL, 0, &err), BIR_STATUS_DETACHED);
    IS(bir_inst_set_rows(dead, queue, NULL, 0, NULL, 0, &err), BIR_STATUS_DETACHED);
    bir_module_destroy(q.module);
}

void good_fields(void) {
    table();
    defaults();
    for (int round = CONSTANTS; round < ROUNDS; round++) {
        round_trip((enum round)round);
    }
    place p = place_create();
    bad_numbers(&p);
    bad_objects(&p);
    bir_module_destroy(p.module);
}

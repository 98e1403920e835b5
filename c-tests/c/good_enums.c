#include "good.h"

void good_enums(void) {
    uint32_t count = 0, id = 0;
    bir_string text = {NULL, 0}, name = {NULL, 0};
    int32_t number = 0, back = 0;
    OK(bir_enum_count(&count, &err));
    CHECK(count == BIR_ENUM_COUNT);
    OK(bir_enum_by_name(T("Dtype"), &id, &err));
    CHECK(id == BIR_ENUM_DTYPE);
    OK(bir_enum_by_name(T("klr.Dtype"), &id, &err));
    CHECK(id == BIR_ENUM_KLR_DTYPE);
    IS(bir_enum_by_name(T("dtype"), &id, &err), BIR_STATUS_NOT_FOUND);
    size_t all = 0;
    for (id = 0; id < count; id++) {
        size_t members = 0;
        OK(bir_enum_name(id, &name, &err));
        CHECK(name.len > 0);
        OK(bir_enum_space(id, &text, &err));
        CHECK(text.len > 0);
        char full[128];
        uint32_t same = UINT32_MAX;
        int len = snprintf(full, sizeof full, "%.*s.%.*s", (int)text.len, text.data, (int)name.len, name.data);
        CHECK(len > 0 && (size_t)len < sizeof full);
        OK(bir_enum_by_name(full, (size_t)len, &same, &err));
        CHECK(same == id);
        OK(bir_enum_meaning(id, &text, &err));
        OK(bir_enum_member_count(id, &members, &err));
        for (size_t i = 0; i < members; i++) {
            int32_t before = number;
            OK(bir_enum_member_at(id, i, &name, &number, &err));
            CHECK(i == 0 || number > before);
            OK(bir_enum_member_name(id, number, &text, &err));
            CHECK(text.len == name.len && memcmp(text.data, name.data, name.len) == 0);
            OK(bir_enum_member_number(id, name.data, name.len, &back, &err));
            CHECK(back == number);
            OK(bir_enum_member_json(id, number, &text, &err));
            if (text.data != NULL) {
                OK(bir_enum_member_by_json(id, text.data, text.len, &back, &err));
                CHECK(back == number);
            }
            all++;
        }
        IS(bir_enum_member_at(id, members, &name, &number, &err), BIR_STATUS_NOT_FOUND);
    }
    CHECK(all > 500);
    IS(bir_enum_name(count, &name, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_enum_member_name(BIR_ENUM_DTYPE, BIR_DTYPE_BFLOAT16, &text, &err));
    CHECK(same_text(text, "bfloat16"));
    IS(bir_enum_member_name(BIR_ENUM_DTYPE, 99, &text, &err), BIR_STATUS_UNKNOWN_ENUM);
    OK(bir_enum_default(BIR_ENUM_ENGINE_TYPE, &number, &err));
    CHECK(number == BIR_ENGINE_TYPE_UNASSIGNED);

    /* Silicon bytes: some member has one, and no number outside has. */
    size_t bytes = 0;
    for (int32_t dtype = -1; dtype < 30; dtype++) {
        uint8_t wire = 0;
        bir_status status = bir_enum_wire(BIR_ENUM_DTYPE, dtype, BIR_CORE_GENERATION_V3, &wire, &err);
        CHECK(status == BIR_STATUS_OK || status == BIR_STATUS_UNSUPPORTED || status == BIR_STATUS_UNKNOWN_ENUM);
        CHECK(status == BIR_STATUS_UNKNOWN_ENUM || (dtype >= BIR_DTYPE_UINT8 && dtype <= BIR_DTYPE_INT64));
        bytes += status == BIR_STATUS_OK;
    }
    CHECK(bytes > 5);
    uint32_t word = 0;
    OK(bir_alu_op_wire_word(BIR_ALU_OP_TYPE_IS_EQUAL, BIR_CORE_GENERATION_V2, &word, &err));
    CHECK(word == 0x12);
    OK(bir_alu_op_wire_word(BIR_ALU_OP_TYPE_MOD_INT, BIR_CORE_GENERATION_V4, &word, &err));
    CHECK(word == 0xFFFFFFC8);
    IS(bir_alu_op_wire_word(BIR_ALU_OP_TYPE_MOD_INT, BIR_CORE_GENERATION_V3, &word, &err), BIR_STATUS_UNSUPPORTED);
    IS(bir_alu_op_wire_word(BIR_ALU_OP_TYPE_AVERAGE, BIR_CORE_GENERATION_V4, &word, &err), BIR_STATUS_UNSUPPORTED);
    CHECK(strstr(err.message, "average emitter") != NULL);
    IS(bir_alu_op_wire_word(33, BIR_CORE_GENERATION_V4, &word, &err), BIR_STATUS_UNKNOWN_ENUM);
    CHECK(word == 0xFFFFFFC8);
    uint8_t opcodes[64];
    size_t encodings = 0;
    for (int32_t opcode = 0; opcode <= 109; opcode++) {
        size_t n = 99;
        OK(bir_opcode_silicon(opcode, BIR_CORE_GENERATION_V2, opcodes, sizeof opcodes, &n, &err));
        CHECK(n <= sizeof opcodes);
        encodings += n;
    }
    CHECK(encodings > 20);
    size_t n = 0;
    IS(bir_opcode_silicon(110, BIR_CORE_GENERATION_V2, opcodes, sizeof opcodes, &n, &err), BIR_STATUS_UNKNOWN_ENUM);
    IS(bir_opcode_silicon(0, 1, opcodes, sizeof opcodes, &n, &err), BIR_STATUS_BAD_VALUE);
}

typedef bir_status (*translate)(uint32_t, int32_t *, bir_error *);
typedef bir_status (*sources)(int32_t, uint32_t *, size_t, size_t *, bir_error *);

/* Both directions agree: what a klr number becomes lists it among its sources, and the other way round. */
static void both_ways(translate to_bir, sources to_klr, int soft_default) {
    size_t forward = 0, backward = 0;
    for (uint32_t klr = 0; klr < 70; klr++) {
        int32_t bir = -1;
        bir_status status = to_bir(klr, &bir, &err);
        if (status != BIR_STATUS_OK) {
            CHECK(!soft_default && (status == BIR_STATUS_UNKNOWN_ENUM || status == BIR_STATUS_UNSUPPORTED));
            continue;
        }
        uint32_t from[70];
        size_t count = 0;
        OK(to_klr(bir, from, 70, &count, &err));
        int listed = 0;
        for (size_t i = 0; i < count; i++) {
            CHECK(i == 0 || from[i] > from[i - 1]);
            listed |= from[i] == klr;
        }
        CHECK(listed || soft_default);
        forward += (size_t)listed;
    }
    for (int32_t bir = 0; bir < 70; bir++) {
        uint32_t from[70];
        size_t count = 0;
        if (to_klr(bir, from, 70, &count, &err) != BIR_STATUS_OK) {
            IS(err.status, BIR_STATUS_UNKNOWN_ENUM);
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            int32_t back = -1;
            OK(to_bir(from[i], &back, &err));
            CHECK(back == bir);
        }
        backward += count;
    }
    CHECK(forward == backward && forward >= 4);
}

void good_crosswalks(void) {
    int32_t bir = -1;
    OK(bir_translate_dtype(BIR_KLR_DTYPE_BFLOAT16, &bir, &err));
    CHECK(bir == BIR_DTYPE_BFLOAT16);
    IS(bir_translate_dtype(0, &bir, &err), BIR_STATUS_UNKNOWN_ENUM);
    OK(bir_translate_engine(BIR_KLR_ENGINE_PE, &bir, &err));
    CHECK(bir == BIR_ENGINE_TYPE_PE);
    OK(bir_translate_alu_op(BIR_KLR_ALU_OP_ADD, &bir, &err));
    CHECK(bir == BIR_ALU_OP_TYPE_ADD);
    OK(bir_translate_activation(UINT32_MAX, &bir, &err));
    CHECK(bir == 30);
    IS(bir_translate_accum_cmd(5, &bir, &err), BIR_STATUS_UNSUPPORTED);
    OK(bir_translate_accum_cmd(3, &bir, &err));
    CHECK(bir == BIR_ENGINE_ACCUMULATION_TYPE_ADDACCUMULATE);
    uint32_t klr[4];
    size_t count = 0;
    OK(bir_klr_sources_of_dtype(BIR_DTYPE_FLOAT8E4, klr, 4, &count, &err));
    CHECK(count == 2 && klr[0] == BIR_KLR_DTYPE_FLOAT8E4 && klr[1] == BIR_KLR_DTYPE_FLOAT8_E4M3);
    OK(bir_klr_sources_of_engine(BIR_ENGINE_TYPE_UNASSIGNED, NULL, 0, &count, &err));
    CHECK(count == 0);
    OK(bir_klr_sources_of_alu_op(BIR_ALU_OP_TYPE_ADD, klr, 4, &count, &err));
    CHECK(count == 1 && klr[0] == BIR_KLR_ALU_OP_ADD);
    OK(bir_klr_sources_of_activation(30, klr, 4, &count, &err));
    CHECK(count == 0);
    OK(bir_klr_sources_of_accum_cmd(BIR_ENGINE_ACCUMULATION_TYPE_ADDACCUMULATE, klr, 4, &count, &err));
    CHECK(count == 1 && klr[0] == 3);
    both_ways(bir_translate_dtype, bir_klr_sources_of_dtype, 0);
    both_ways(bir_translate_engine, bir_klr_sources_of_engine, 1);
    both_ways(bir_translate_alu_op, bir_klr_sources_of_alu_op, 0);
    both_ways(bir_translate_activation, bir_klr_sources_of_activation, 1);
    both_ways(bir_translate_accum_cmd, bir_klr_sources_of_accum_cmd, 0);
}

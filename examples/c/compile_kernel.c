/* From a document to a package: reads a kernel, looks into it, adds a function with constants, packages it, and opens the
 * package again.
 *
 *     compile_kernel [DOCUMENT]
 *
 * writes scale_add.neff into the current folder. Build it with `make demo`, or with
 *
 *     cc -std=c99 compile_kernel.c $(pkg-config --cflags --libs bir)
 */
#include <bir.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DOCUMENT "tests/data/bir/scale_add.bir.json"
#define PACKAGE "scale_add.neff"

/* Every call fills this one. */
static bir_error err = {.size = sizeof(bir_error)};

static void fail(const char *what, int line) {
    bir_string name = {0};
    bir_status_name(err.status, &name, NULL);
    fprintf(stderr, "compile_kernel: line %d: %s\n  %.*s: %s\n", line, what, (int)name.len, name.data, err.message);
    if (err.path[0] != '\0')
        fprintf(stderr, "  at %s\n", err.path);
    if (err.line != 0)
        fprintf(stderr, "  line %" PRIu32 ", column %" PRIu32 " of the document\n", err.line, err.column);
    exit(EXIT_FAILURE);
}

/* Evaluates a call, and ends the program if it failed. */
#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        call;                                                                                                                  \
        if (err.status != BIR_STATUS_OK)                                                                                       \
            fail(#call, __LINE__);                                                                                             \
    } while (0)

/* That nothing was found is no error of a call; here it is one of the document. */
static void expect(const void *found, const char *what) {
    if (found == NULL) {
        fprintf(stderr, "compile_kernel: the document has no %s\n", what);
        exit(EXIT_FAILURE);
    }
}

/* For "%.*s". */
#define TEXT(s) (int)(s).len, (s).data

/* A text that ends at its NUL, in place of two arguments and in structs. */
#define NUL_ENDED(s) (s), SIZE_MAX

static bir_string member_name(uint32_t enum_id, int32_t number) {
    bir_string name;
    TRY(bir_enum_member_name(enum_id, number, &name, &err));
    return name;
}

/* ---- Reading -------------------------------------------------------------------------------------------------------- */

static bir_module *read_document(const char *path) {
    bir_read_options options = {.size = sizeof options, .max_warnings = 20};
    bir_load_report *report;
    bir_module *module;
    size_t count;
    TRY(module = bir_module_load_file(NUL_ENDED(path), &options, &report, &err));
    TRY(bir_load_report_warning_count(report, &count, &err));
    printf("read: %zu warnings\n", count);
    for (size_t i = 0; i < count; i++) {
        bir_warning warning;
        bir_string kind;
        TRY(bir_load_report_warning(report, i, &warning, &err));
        TRY(bir_warning_kind_name(warning.kind, &kind, &err));
        printf("  line %" PRIu32 ": %.*s: %.*s (%.*s)\n", warning.line, TEXT(warning.path), TEXT(warning.message),
               TEXT(kind));
    }
    bir_load_report_destroy(report);
    return module;
}

/* ---- Looking up ----------------------------------------------------------------------------------------------------- */

static void print_operands(const bir_inst *inst, const char *label, int32_t list) {
    bir_operand *operand;
    TRY(operand = bir_inst_first_operand(inst, list, &err));
    while (operand != NULL) {
        bir_location *location;
        TRY(location = bir_operand_location(operand, &err));
        if (location != NULL) {
            bir_string name;
            TRY(bir_location_name(location, &name, &err));
            printf(" %s %.*s", label, TEXT(name));
        }
        TRY(operand = bir_operand_next(operand, &err));
    }
}

static void print_block(const bir_block *block) {
    bir_inst *inst;
    TRY(inst = bir_block_first_inst(block, &err));
    while (inst != NULL) {
        bir_string name;
        int32_t id, opcode, engine;
        TRY(bir_inst_name(inst, &name, &err));
        TRY(bir_inst_id(inst, &id, &err));
        TRY(bir_inst_opcode(inst, &opcode, &err));
        TRY(bir_inst_engine(inst, &engine, &err));
        printf("  #%-3" PRId32 " %-14.*s %-14.*s %-12.*s", id, TEXT(name),
               TEXT(member_name(BIR_ENUM_INSTRUCTION_TYPE, opcode)), TEXT(member_name(BIR_ENUM_ENGINE_TYPE, engine)));
        print_operands(inst, "in", BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT);
        print_operands(inst, "out", BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT);
        printf("\n");
        TRY(inst = bir_inst_next(inst, &err));
    }
}

static void look_up(bir_module *module) {
    bir_function *function;
    bir_block *block;
    bir_set *set;
    bir_location *location;
    TRY(function = bir_module_find_function(module, NUL_ENDED("sg0000"), &err));
    expect(function, "function sg0000");
    TRY(block = bir_function_find_block(function, NUL_ENDED("Block1"), &err));
    expect(block, "block Block1");
    printf("looked up: function sg0000, block Block1\n");
    print_block(block);

    TRY(set = bir_function_find_set(function, NUL_ENDED("src_set"), &err));
    expect(set, "set src_set");
    TRY(location = bir_set_find_location(set, NUL_ENDED("src"), &err));
    expect(location, "location src");
    int32_t dtype;
    uint64_t shape[8], bytes;
    size_t rank;
    TRY(bir_set_dtype(set, &dtype, &err));
    TRY(bir_set_shape(set, shape, sizeof shape / sizeof *shape, &rank, &err));
    TRY(bir_location_byte_size(location, &bytes, &err));
    printf("looked up: set src_set, %.*s[", TEXT(member_name(BIR_ENUM_DTYPE, dtype)));
    for (size_t i = 0; i < rank; i++)
        printf("%s%" PRIu64, i == 0 ? "" : ", ", shape[i]);
    printf("]; location src, %" PRIu64 " bytes\n", bytes);

    bir_inst *last;
    bir_string name;
    void *found;
    int32_t id, kind;
    TRY(last = bir_block_last_inst(block, &err));
    expect(last, "instruction");
    TRY(bir_inst_id(last, &id, &err));
    TRY(bir_module_find_by_id(module, id, &kind, &found, &err));
    if (kind != BIR_OBJECT_INST || found != (void *)last)
        expect(NULL, "instruction with the id of the last one");
    TRY(bir_inst_name(found, &name, &err));
    printf("looked up: id %" PRId32 " is the instruction %.*s\n", id, TEXT(name));
}

/* ---- Building ------------------------------------------------------------------------------------------------------- */

/* A float32[10, 10] tensor with one location. */
static bir_location *add_tensor(bir_function *function, const char *name, int32_t kind, int32_t memory_type) {
    static const uint64_t shape[] = {10, 10};
    static const uint32_t dims[] = {10, 40};
    char set_name[64];
    bir_set *set;
    bir_location *location;
    snprintf(set_name, sizeof set_name, "%s_set", name);
    TRY(set = bir_function_add_set(function, NUL_ENDED(set_name), kind, BIR_DTYPE_FLOAT32, NULL, NULL, &err));
    TRY(bir_set_set_shape(set, shape, 2, &err));
    TRY(location = bir_set_add_location(set, NUL_ENDED(name), memory_type, NULL, NULL, &err));
    TRY(bir_location_set_dims(location, dims, 2, &err));
    return location;
}

/* A constant whose values are in a file. */
static bir_location *add_constant(bir_function *function, const char *name, const char *file) {
    bir_location *location = add_tensor(function, name, BIR_TENSOR_KIND_CONST, BIR_MEMORY_TYPE_DRAM);
    bir_set *set;
    TRY(set = bir_location_set(location, &err));
    TRY(bir_set_set_file(set, NUL_ENDED(file), &err));
    return location;
}

/* An instruction that reads one whole tensor and writes another, after the one it depends on. */
static bir_inst *add_inst(bir_block *block, int32_t opcode, const char *name, int32_t engine, bir_location *in,
                          bir_location *out, bir_inst *after) {
    static const bir_dim all[] = {{.step = 10, .num = 10}, {.step = 1, .num = 10}};
    bir_inst *inst;
    TRY(inst = bir_block_add_inst(block, opcode, NUL_ENDED(name), NULL, NULL, &err));
    TRY(bir_inst_set_engine(inst, engine, &err));
    TRY(bir_inst_add_physical_ap(inst, BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT, in, BIR_DTYPE_FLOAT32, all, 2, 0, NULL,
                                 &err));
    TRY(bir_inst_add_physical_ap(inst, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, out, BIR_DTYPE_FLOAT32, all, 2, 0, NULL,
                                 &err));
    if (after != NULL)
        TRY(bir_inst_add_dependency(inst, after, BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, NULL, &err));
    return inst;
}

/* What a front end says in its own numbers, and BIR in its own. */
static int32_t bir_engine(uint32_t engine) {
    int32_t translated;
    TRY(bir_translate_engine(engine, &translated, &err));
    return translated;
}

static int32_t bir_alu_op(uint32_t op) {
    int32_t translated;
    TRY(bir_translate_alu_op(op, &translated, &err));
    return translated;
}

/* A field of an instruction is a number, found by the key that it has in documents. */
static int32_t field_of(const bir_inst *inst, const char *key) {
    int32_t field;
    TRY(bir_inst_find_field(inst, NUL_ENDED(key), &field, &err));
    return field;
}

/* A second function: loads a constant, computes constant * 2 + 0.5, and saves the result. */
static void add_function(bir_module *module) {
    bir_function *function;
    bir_block *block;
    TRY(function = bir_module_add_function(module, NUL_ENDED("scale_add_2"), NULL, NULL, &err));
    TRY(block = bir_function_add_block(function, NUL_ENDED("Block1"), NULL, NULL, &err));
    bir_location *gamma = add_constant(function, "gamma", "gamma.npy");
    add_constant(function, "gamma_copy", "gamma_copy.npy");
    add_constant(function, "beta", "beta.npy");
    bir_location *loaded = add_tensor(function, "loaded", BIR_TENSOR_KIND_INTERNAL, BIR_MEMORY_TYPE_SB);
    bir_location *scaled = add_tensor(function, "scaled", BIR_TENSOR_KIND_INTERNAL, BIR_MEMORY_TYPE_SB);
    bir_location *result = add_tensor(function, "result", BIR_TENSOR_KIND_OUTPUT, BIR_MEMORY_TYPE_DRAM);

    bir_inst *load, *scale;
    load = add_inst(block, BIR_INSTRUCTION_TYPE_LOAD, "load", bir_engine(BIR_KLR_ENGINE_SP), gamma, loaded, NULL);
    scale = add_inst(block, BIR_INSTRUCTION_TYPE_TENSORSCALAR, "scale", bir_engine(BIR_KLR_ENGINE_DVE), loaded, scaled,
                     load);
    TRY(bir_inst_set_int(scale, field_of(scale, "op0"), bir_alu_op(BIR_KLR_ALU_OP_MULT), &err));
    TRY(bir_inst_set_float(scale, field_of(scale, "const0"), 2.0, &err));
    TRY(bir_inst_set_int(scale, field_of(scale, "op1"), bir_alu_op(BIR_KLR_ALU_OP_ADD), &err));
    TRY(bir_inst_set_float(scale, field_of(scale, "const1"), 0.5, &err));
    add_inst(block, BIR_INSTRUCTION_TYPE_SAVE, "save", bir_engine(BIR_KLR_ENGINE_SP), scaled, result, scale);
    printf("added: function scale_add_2, block Block1\n");
    print_block(block);
}

/* ---- Translating ---------------------------------------------------------------------------------------------------- */

/* Numbers of the front end become numbers of BIR. */
static void translate(void) {
    static const struct {
        const char *what;
        bir_status (*function)(uint32_t klr, int32_t *bir, bir_error *err);
        uint32_t klr_enum, bir_enum, klr;
    } rows[] = {
        {"dtype", bir_translate_dtype, BIR_ENUM_KLR_DTYPE, BIR_ENUM_DTYPE, BIR_KLR_DTYPE_FLOAT32},
        {"engine", bir_translate_engine, BIR_ENUM_KLR_ENGINE, BIR_ENUM_ENGINE_TYPE, BIR_KLR_ENGINE_ACT},
        {"engine", bir_translate_engine, BIR_ENUM_KLR_ENGINE, BIR_ENUM_ENGINE_TYPE, BIR_KLR_ENGINE_DVE},
        {"ALU op", bir_translate_alu_op, BIR_ENUM_KLR_ALU_OP, BIR_ENUM_ALU_OP_TYPE, BIR_KLR_ALU_OP_ADD},
        {"activation", bir_translate_activation, BIR_ENUM_KLR_ACTIVATION_FUNC, BIR_ENUM_ACTIVATION_FUNCTION_TYPE,
         BIR_KLR_ACTIVATION_FUNC_GELU},
        {"accumulation", bir_translate_accum_cmd, BIR_ENUM_KLR_ACCUM_CMD, BIR_ENUM_ENGINE_ACCUMULATION_TYPE,
         BIR_KLR_ACCUM_CMD_ZEROACCUMULATE},
    };
    printf("translated from klr:\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t bir;
        TRY(rows[i].function(rows[i].klr, &bir, &err));
        printf("  %-12s %.*s -> %.*s\n", rows[i].what, TEXT(member_name(rows[i].klr_enum, (int32_t)rows[i].klr)),
               TEXT(member_name(rows[i].bir_enum, bir)));
    }
}

/* ---- Packaging ------------------------------------------------------------------------------------------------------ */

/* An NPY file: a header of 128 bytes and 10 * 10 floats. */
typedef struct npy_file {
    unsigned char bytes[128 + 100 * sizeof(float)];
} npy_file;

static void fill_npy(npy_file *file, float first, float step) {
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 10), }";
    memset(file->bytes, ' ', 128);
    memcpy(file->bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(file->bytes + 10, header, sizeof header - 1);
    file->bytes[127] = '\n';
    for (size_t i = 0; i < 100; i++) {
        float value = first + step * (float)i;
        memcpy(file->bytes + 128 + i * sizeof value, &value, sizeof value);
    }
}

static void package(const bir_module *module) {
    npy_file gamma, gamma_copy, beta;
    fill_npy(&gamma, 1.0f, 0.0f);
    fill_npy(&gamma_copy, 1.0f, 0.0f);
    fill_npy(&beta, 0.0f, 0.5f);
    const bir_file files[] = {
        {{NUL_ENDED("gamma.npy")}, &gamma, sizeof gamma},
        {{NUL_ENDED("gamma_copy.npy")}, &gamma_copy, sizeof gamma_copy},
        {{NUL_ENDED("beta.npy")}, &beta, sizeof beta},
    };
    const bir_pack_options options = {
        .size = sizeof options,
        .name = {NUL_ENDED("scale_add")},
        .files = files,
        .file_count = sizeof files / sizeof *files,
    };
    bir_pack_report *report;
    TRY(bir_pack_module_to_file(module, &options, NUL_ENDED(PACKAGE), &report, &err));

    size_t count;
    uint64_t saved;
    TRY(bir_pack_report_constant_count(report, &count, &err));
    printf("packaged: %s, %zu constants\n", PACKAGE, count);
    for (size_t i = 0; i < count; i++) {
        bir_packed_constant constant;
        TRY(bir_pack_report_constant(report, i, &constant, &err));
        printf("  %-12.*s %-15.*s %s %.*s\n", TEXT(constant.variable), TEXT(constant.file),
               constant.merged ? "shares" : "stored as", TEXT(constant.stored_as));
    }
    TRY(bir_pack_report_saved_bytes(report, &saved, &err));
    printf("saved %" PRIu64 " bytes\n", saved);
    TRY(bir_pack_report_warning_count(report, &count, &err));
    for (size_t i = 0; i < count; i++) {
        bir_string warning;
        TRY(bir_pack_report_warning(report, i, &warning, &err));
        printf("warning: %.*s\n", TEXT(warning));
    }
    bir_pack_report_destroy(report);
}

static void open_again(void) {
    bir_package *package;
    bir_package_header header = {.size = sizeof header};
    bir_findings *findings;
    size_t count;
    TRY(package = bir_package_open_file(NUL_ENDED(PACKAGE), NULL, &err));
    TRY(bir_package_verify(package, &err));
    TRY(bir_package_get_header(package, &header, &err));
    printf("opened: %s, model %s, NEFF %" PRIu64 ".%" PRIu64 ", the hash is right\n", PACKAGE, header.name,
           header.neff_version_major, header.neff_version_minor);

    TRY(findings = bir_package_check(package, &err));
    TRY(bir_findings_count(findings, &count, &err));
    for (size_t i = 0; i < count; i++) {
        bir_finding finding;
        TRY(bir_findings_get(findings, i, &finding, &err));
        printf("finding: %.*s: %.*s\n", TEXT(finding.path), TEXT(finding.message));
    }
    bir_findings_destroy(findings);

    /* The module in the package is a document like the one it came from. */
    size_t index;
    bir_bytes contents;
    bir_module *module;
    TRY(bir_package_find_member(package, NUL_ENDED("sg00/bir.json"), &index, &err));
    TRY(bir_package_contents(package, index, &contents, &err));
    TRY(module = bir_module_load((const char *)contents.data, contents.len, NULL, NULL, &err));
    TRY(bir_module_function_count(module, &count, &err));
    printf("read again: sg00/bir.json, %zu functions\n", count);
    bir_module_destroy(module);

    TRY(bir_package_member_count(package, &count, &err));
    printf("members:\n");
    for (size_t i = 0; i < count; i++) {
        bir_member member;
        TRY(bir_package_member(package, i, &member, &err));
        printf("%8" PRIu64 "  %.*s\n", member.size, TEXT(member.name));
    }
    bir_package_destroy(package);
}

int main(int argc, char **argv) {
    bir_module *module = read_document(argc > 1 ? argv[1] : DEFAULT_DOCUMENT);
    look_up(module);
    add_function(module);
    translate();
    package(module);
    bir_module_destroy(module);
    open_again();
    return EXIT_SUCCESS;
}

#include "good.h"
#include "samples.h"

/* A kernel in the JSON form of 2025, without statements. */
static const char older[] = "{\"name\": \"old\", \"inputs\": [], \"outputs\": [], \"body\": []}";

/* What the report of sample_kernel says. */
static void is_refused(const bir_lower_report *report, size_t kept, uint64_t dropped) {
    size_t count = 99;
    uint64_t number = 99;
    OK(bir_lower_report_diagnostic_count(report, &count, &err));
    CHECK(count == kept);
    OK(bir_lower_report_dropped_count(report, &number, &err));
    CHECK(number == dropped);
    OK(bir_lower_report_error_count(report, &number, &err));
    CHECK(number == 1);
}

/* The first statement becomes an instruction, the second has no lowering. */
static void kernels(void) {
    bir_lower_report *report = NULL;
    bir_module *m = NEW(bir_klr_lower(sample_kernel, sample_kernel_size, NULL, &report, &err));
    bir_function *f = NEW(bir_module_find_function(m, T("k"), &err));
    bir_block *b = NEW(bir_function_find_block(f, T("main.1"), &err));
    VALUE(size_t, bir_block_inst_count, b, 1);
    TEXT(bir_inst_name, bir_block_first_inst(b, NULL), "a");
    VALUE(int32_t, bir_inst_opcode, bir_block_first_inst(b, NULL), BIR_INSTRUCTION_TYPE_REGISTERMOVE);
    VALUE(int32_t, bir_module_arch, m, BIR_ARCH_LEVEL_GEN3);
    is_refused(report, 1, 0);
    bir_diagnostic d;
    OK(bir_lower_report_diagnostic(report, 0, &d, &err));
    CHECK(d.severity == BIR_SEVERITY_ERROR && d.line == 9 && d.column == 4);
    CHECK(same_text(d.id, "op_kind") && same_text(d.message, "Unsupported operator 17"));
    CHECK(same_text(d.kernel, "k") && same_text(d.block, "main.1") && same_text(d.statement, "b"));
    CHECK(same_text(d.operator_name, "loadMaskRegister") && same_text(d.field, "") && same_text(d.file, "k.py"));
    IS(bir_lower_report_diagnostic(report, 1, &d, &err), BIR_STATUS_NOT_FOUND);
    VALUE(size_t, bir_lower_report_lowered_count, report, 0);
    VALUE(size_t, bir_lower_report_refused_count, report, 0);
    bir_lower_report_destroy(report);
    bir_lower_report_destroy(NULL);
    bir_module_destroy(m);
    /* Who wants no report gets no module either. */
    FAILS(bir_klr_lower(sample_kernel, sample_kernel_size, NULL, NULL, &err), BIR_STATUS_UNSUPPORTED);
    CHECK(strstr(err.message, "kernel k, block main.1, statement b (loadMaskRegister), k.py:9:4: Unsupported") != NULL);
    /* A file that ends early. */
    FAILS(bir_klr_lower(sample_kernel, sample_kernel_size - 1, NULL, &report, &err), BIR_STATUS_SYNTAX);
    CHECK(err.offset > 0 && err.path[0] != '\0');
}

static void choices(void) {
    bir_lower_report *report = NULL;
    bir_lower_options options = {.size = sizeof options, .arch = BIR_ARCH_LEVEL_CORE_V4, .has_core_id = 1};
    /* Core 1 has no body, so it has nothing to do, and nothing to complain about. */
    options.core_id = 1;
    bir_module *m = NEW(bir_klr_lower(sample_kernel, sample_kernel_size, &options, NULL, &err));
    VALUE(int32_t, bir_module_arch, m, BIR_ARCH_LEVEL_CORE_V4);
    NONE(bir_function_first_block(NEW(bir_module_find_function(m, T("k"), &err)), &err));
    bir_module_destroy(m);
    /* A struct of an older version ends before core_id and what follows. */
    options.size = (uint32_t)offsetof(bir_lower_options, has_core_id);
    m = NEW(bir_klr_lower(sample_kernel, sample_kernel_size, &options, &report, &err));
    is_refused(report, 1, 0);
    bir_lower_report_destroy(report);
    bir_module_destroy(m);
    options = (bir_lower_options){.arch = 31};
    FAILS(bir_klr_lower(sample_kernel, sample_kernel_size, &options, &report, &err), BIR_STATUS_UNKNOWN_ENUM);
    /* The older form is told from the other by what it is. */
    m = NEW(bir_klr_lower(older, sizeof older - 1, NULL, NULL, &err));
    NEW(bir_module_find_function(m, T("sg0000"), &err));
    bir_module_destroy(m);
    FAILS(bir_klr_lower(older, sizeof older - 3, NULL, NULL, &err), BIR_STATUS_SYNTAX);
    CHECK(err.line == 1);
}

/* The bytes of a kernel as the text of a document: each as one character. */
static size_t as_text(char *out) {
    size_t len = 0;
    for (size_t i = 0; i < sample_kernel_size; i++) {
        unsigned byte = sample_kernel[i];
        if (byte < 0x80) {
            out[len++] = (char)byte;
        } else {
            out[len++] = (char)(0xC0 | byte >> 6);
            out[len++] = (char)(0x80 | (byte & 0x3F));
        }
    }
    return len;
}

static void set_text(bir_inst *inst, const char *key, const char *value, size_t len) {
    int32_t field = -1;
    OK(bir_inst_find_field(inst, T(key), &field, &err));
    OK(bir_inst_set_text(inst, field, value, len, &err));
}

static void carriers(void) {
    char binary[1024];
    size_t len = as_text(binary);
    bir_module *m = NEW(bir_module_create(&err));
    bir_function *f = NEW(bir_module_add_function(m, T("main"), NULL, NULL, &err));
    bir_block *b = NEW(bir_function_add_block(f, T("b"), NULL, NULL, &err));
    bir_lower_report *report = NULL;
    OK(bir_module_lower_carriers(m, NULL, &report, &err));
    VALUE(size_t, bir_lower_report_diagnostic_count, report, 0);
    bir_lower_report_destroy(report);
    bir_inst *carrier = NEW(
        bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_NKIKLIRKERNEL, T("call"), NULL, NULL, &err));
    set_text(carrier, "klir_binary", binary, len);
    set_text(carrier, "kernel_format", T("klir"));
    set_text(carrier, "nki_binary_version_identifier", T("1.0.0"));
    /* Its kernel has an error, so it stays. */
    OK(bir_module_lower_carriers(m, NULL, &report, &err));
    is_refused(report, 1, 0);
    VALUE(size_t, bir_lower_report_lowered_count, report, 0);
    VALUE(size_t, bir_lower_report_refused_count, report, 1);
    bir_lower_report_destroy(report);
    IS(bir_module_lower_carriers(m, NULL, NULL, &err), BIR_STATUS_UNSUPPORTED);
    VALUE(int32_t, bir_inst_opcode, bir_block_first_inst(b, NULL), BIR_INSTRUCTION_TYPE_NKIKLIRKERNEL);
    /* On core 1 it has nothing to do, which works. */
    const bir_lower_options options = {.size = sizeof options, .has_core_id = 1, .core_id = 1};
    OK(bir_module_lower_carriers(m, &options, &report, &err));
    VALUE(size_t, bir_lower_report_lowered_count, report, 1);
    VALUE(size_t, bir_lower_report_refused_count, report, 0);
    VALUE(uint64_t, bir_lower_report_error_count, report, 0);
    VALUE(uint64_t, bir_lower_report_dropped_count, report, 0);
    bir_lower_report_destroy(report);
    VALUE(int32_t, bir_inst_opcode, bir_block_first_inst(b, NULL), BIR_INSTRUCTION_TYPE_NKIKERNEL);
    bir_module_destroy(m);
}

void good_klr(void) {
    kernels();
    choices();
    carriers();
}

#include "samples.h"

#include "check.h"

const char sample_document[] =
    "{\"version\": 2,\n"
    " \"arch\": \"gen3\",\n"
    " \"a_key_of_tomorrow\": 1,\n"
    " \"functions\":\n"
    " [{\"name\": \"main\",\n"
    "   \"blocks\":\n"
    "   [{\"name\": \"Block1\",\n"
    "     \"instructions\":\n"
    "     [{\"name\": \"I-0\", \"opcode\": \"NoOp\", \"engine\": \"Pool\", \"ins\": [], \"outs\": []},\n"
    "      {\"name\": \"I-0\", \"opcode\": \"NoOp\", \"engine\": \"Pool\", \"ins\": [], \"outs\": []}]}],\n"
    "   \"attributes\": [],\n"
    "   \"allocations\": []}]}\n";

static bir_set *add_set(bir_function *f, const char *name, const char *set_name, int32_t kind) {
    static const uint64_t shape[2] = {2, 2};
    static const uint32_t dims[2] = {2, 8};
    bir_set *set = NEW(bir_function_add_set(f, T(set_name), kind, BIR_DTYPE_FLOAT32, NULL, NULL, &err));
    OK(bir_set_set_shape(set, shape, 2, &err));
    bir_location *location = NEW(bir_set_add_location(set, T(name), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    OK(bir_location_set_dims(location, dims, 2, &err));
    return set;
}

static bir_location *find_location(bir_function *f, const char *name) {
    return NEW(bir_function_find_location(f, T(name), &err));
}

static void add_ap(bir_inst *i, int32_t list, bir_location *location) {
    static const bir_dim dims[2] = {{2, 2}, {1, 2}};
    NEW(bir_inst_add_physical_ap(i, list, location, BIR_DTYPE_FLOAT32, dims, 2, 0, NULL, &err));
}

bir_module *sample_module(const char *const *files, int count) {
    bir_module *m = NEW(bir_module_create(&err));
    bir_function *f = NEW(bir_module_add_function(m, T("main"), NULL, NULL, &err));
    add_set(f, "src", "src_set", BIR_TENSOR_KIND_EXTERNALINPUT);
    /* An older producer calls results Input too, which is worth a warning. */
    add_set(f, "dst", "dst_set", BIR_TENSOR_KIND_INPUT);
    bir_block *b = NEW(bir_function_add_block(f, T("Block1"), NULL, NULL, &err));
    bir_inst *i = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_DMACOPY, T("copy"), NULL, NULL, &err));
    add_ap(i, BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT, find_location(f, "src"));
    add_ap(i, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, find_location(f, "dst"));
    for (int n = 0; n < count; n++) {
        const char name[] = {'c', (char)('0' + n), '\0'};
        const char set_name[] = {'c', (char)('0' + n), '_', 's', 'e', 't', '\0'};
        OK(bir_set_set_file(add_set(f, name, set_name, BIR_TENSOR_KIND_CONST), T(files[n]), &err));
    }
    return m;
}

/* What is found in a package of which one byte was changed. */
static bir_findings *damaged(bir_bytes bytes) {
    static const char mark[] = "\"cayman\"";
    const bir_open_options options = {sizeof options, 1, 0};
    char *copy = malloc(bytes.len);
    CHECK(copy != NULL);
    memcpy(copy, bytes.data, bytes.len);
    size_t at = 0;
    while (at + sizeof mark < bytes.len && memcmp(copy + at, mark, sizeof mark - 1) != 0) {
        at++;
    }
    CHECK(at + sizeof mark < bytes.len);
    copy[at + 1] = 'x';
    bir_package *package = NEW(bir_package_open(copy, bytes.len, &options, &err));
    bir_findings *findings = NEW(bir_package_check(package, &err));
    bir_package_destroy(package);
    free(copy);
    return findings;
}

const unsigned char sample_kernel[] = {
    0xd9, 0xd9, 0xf7, 0x83, 0x00, 0x00, 0x0c, 0xd9, 0xeb, 0x00, 0x81, 0x63, 0x4e, 0x4b, 0x49, 0xd9, 0xec, 0x03,
    0x81, 0xd9, 0x6c, 0x00, 0x87, 0x61, 0x6b, 0x80, 0x80, 0x81, 0x81, 0xd9, 0x68, 0x00, 0x83, 0x66, 0x6d, 0x61,
    0x69, 0x6e, 0x2e, 0x31, 0xf4, 0x82, 0xd9, 0x67, 0x00, 0x83, 0xd9, 0xda, 0x2d, 0x81, 0xd9, 0xc0, 0x00, 0x82,
    0x61, 0x72, 0x07, 0xd9, 0xff, 0x01, 0x81, 0x61, 0x61, 0xd9, 0x64, 0x00, 0x85, 0x03, 0x04, 0xd9, 0xff, 0x00,
    0x80, 0xd9, 0xff, 0x00, 0x80, 0xd9, 0xff, 0x01, 0x81, 0x64, 0x6b, 0x2e, 0x70, 0x79, 0xd9, 0x67, 0x00, 0x83,
    0xd9, 0xda, 0x10, 0x81, 0xd9, 0x9c, 0x00, 0x81, 0x05, 0xd9, 0xff, 0x01, 0x81, 0x61, 0x62, 0xd9, 0x64, 0x00,
    0x85, 0x09, 0x04, 0xd9, 0xff, 0x00, 0x80, 0xd9, 0xff, 0x00, 0x80, 0xd9, 0xff, 0x01, 0x81, 0x64, 0x6b, 0x2e,
    0x70, 0x79, 0x80, 0x80, 0x80,
};
const size_t sample_kernel_size = sizeof sample_kernel;

samples samples_create(void) {
    static const float numbers[4] = {1, 2, 3, 4};
    static const char *const names[2] = {"a.bin", "b.bin"};
    static const bir_file files[2] = {{{"a.bin", 5}, numbers, sizeof numbers}, {{"b.bin", 5}, numbers, sizeof numbers}};
    bir_pack_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.compression = BIR_COMPRESSION_NONE;
    options.files = files;
    options.file_count = 2;
    samples s;
    memset(&s, 0, sizeof s);
    s.loaded = NEW(bir_module_load(T(sample_document), NULL, &s.load_report, &err));
    bir_module *m = sample_module(names, 2);
    OK(bir_module_difference(s.loaded, m, &s.difference, &err));
    bir_module_destroy(NEW(bir_klr_lower(sample_kernel, sample_kernel_size, NULL, &s.lower_report, &err)));
    OK(bir_module_diff(s.loaded, m, NULL, &s.changes, &err));
    CHECK(s.load_report != NULL && s.difference != NULL && s.changes != NULL && s.lower_report != NULL);
    s.document = NEW(bir_module_save_to_buffer(m, NULL, &err));
    s.packed = NEW(bir_pack_module(m, &options, &s.pack_report, &err));
    CHECK(s.pack_report != NULL);
    bir_digest digest;
    OK(bir_module_constants_digest(m, &options, &digest, &s.constants_report, &err));
    CHECK(s.constants_report != NULL);
    bir_module_destroy(m);
    OK(bir_buffer_bytes(s.packed, &s.package_bytes, &err));
    s.package = NEW(bir_package_open(s.package_bytes.data, s.package_bytes.len, NULL, &err));
    s.findings = damaged(s.package_bytes);
    return s;
}

void samples_destroy(samples *s) {
    bir_findings_destroy(s->findings);
    bir_package_destroy(s->package);
    bir_constants_report_destroy(s->constants_report);
    bir_pack_report_destroy(s->pack_report);
    bir_buffer_destroy(s->packed);
    bir_buffer_destroy(s->document);
    bir_changes_destroy(s->changes);
    bir_difference_destroy(s->difference);
    bir_lower_report_destroy(s->lower_report);
    bir_load_report_destroy(s->load_report);
    bir_module_destroy(s->loaded);
    memset(s, 0, sizeof *s);
}

bir_dedup *sample_dedup(void) {
    static const unsigned char zeros[32] = {0};
    bir_dedup *dedup = NEW(bir_dedup_create(1, &err));
    bir_string stored_as;
    OK(bir_dedup_add(dedup, T("a"), zeros, 16, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, &stored_as, NULL, &err));
    OK(bir_dedup_add(dedup, T("b"), zeros, 16, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, &stored_as, NULL, &err));
    OK(bir_dedup_add(dedup, T("c"), zeros, 32, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, &stored_as, NULL, &err));
    OK(bir_dedup_add(dedup, T("d"), zeros, 32, BIR_DTYPE_INT32, BIR_MEMORY_TYPE_DRAM, &stored_as, NULL, &err));
    return dedup;
}

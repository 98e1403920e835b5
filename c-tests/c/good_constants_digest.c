#include "folder.h"
#include "good.h"
#include "samples.h"

#define S(text) {(text), sizeof(text) - 1}

static const float numbers[4] = {1, 2, 3, 4};

static bir_status give(void *user, const char *name, size_t name_len, bir_file_sink *sink) {
    if (name_len != 5 || memcmp(name, "b.bin", 5) != 0) {
        return BIR_STATUS_NOT_FOUND;
    }
    OK(bir_file_sink_write(sink, numbers, sizeof numbers, &err));
    return *(bir_status *)user;
}

static bir_digest digest_of(const char *const *files, const bir_pack_options *options) {
    bir_module *m = sample_module(files, 3);
    bir_digest digest;
    OK(bir_module_constants_digest(m, options, &digest, NULL, &err));
    bir_module_destroy(m);
    return digest;
}

/* The digest depends on contents and types, not on where a file comes from or what it is called. */
void good_constants_digest(void) {
    static const char *const names[3] = {"a.bin", "b.bin", "digest/c.bin"};
    static const char *const others[3] = {"x.bin", "y.bin", "x.bin"};
    static const char *const away[3] = {"a.bin", "../b.bin", "a.bin"};
    static const bir_file files[1] = {{S("a.bin"), numbers, sizeof numbers}};
    static const bir_file other_files[2] = {{S("x.bin"), numbers, sizeof numbers}, {S("y.bin"), numbers, sizeof numbers}};
    static const bir_file changed[2] = {{S("x.bin"), numbers, sizeof numbers}, {S("y.bin"), numbers, sizeof numbers - 1}};
    bir_status answer = BIR_STATUS_OK;
    bir_pack_options options = {.size = sizeof options, .files = files, .file_count = 1, .read_file = give,
                                .user = &answer, .const_dir = S(".")};
    folder_make("digest");
    file_write("digest/c.bin", numbers, sizeof numbers);
    bir_module *m = sample_module(names, 3);
    bir_digest digest;
    bir_constants_report *report = NULL;
    OK(bir_module_constants_digest(m, &options, &digest, &report, &err));
    VALUE(size_t, bir_constants_report_count, report, 3);
    char key[80];
    size_t len = 0;
    OK(bir_dedup_key(numbers, sizeof numbers, BIR_DTYPE_FLOAT32, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err));
    bir_constant_digest c;
    for (size_t i = 0; i < 3; i++) {
        const char variable[] = {'c', (char)('0' + i), '\0'};
        OK(bir_constants_report_get(report, i, &c, &err));
        CHECK(same_text(c.variable, variable) && same_text(c.file, names[i]) && same_text(c.key, key));
        CHECK(c.bytes == sizeof numbers && c.set.len == 6);
    }
    IS(bir_constants_report_get(report, 3, &c, &err), BIR_STATUS_NOT_FOUND);
    bir_constants_report_destroy(report);
    bir_constants_report_destroy(NULL);
    /* As documented: the MD5 of the keys, each ended by a line feed, which a key of these lines begins with. */
    char lines[3 * 80];
    int size = snprintf(lines, sizeof lines, "%s\n%s\n%s\n", key, key, key);
    OK(bir_dedup_key(lines, (size_t)size, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err));
    for (size_t i = 0; i < sizeof digest.bytes; i++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", digest.bytes[i]);
        CHECK(memcmp(key + 2 * i, hex, 2) == 0);
    }
    const bir_pack_options renamed = {.size = sizeof renamed, .files = other_files, .file_count = 2};
    const bir_pack_options differs = {.size = sizeof differs, .files = changed, .file_count = 2};
    bir_digest same = digest_of(others, &renamed), other = digest_of(others, &differs);
    CHECK(memcmp(&same, &digest, sizeof digest) == 0 && memcmp(&other, &digest, sizeof digest) != 0);
    /* Failures name the constant. */
    report = NULL;
    answer = BIR_STATUS_CANCELLED;
    IS(bir_module_constants_digest(m, &options, &digest, &report, &err), BIR_STATUS_CANCELLED);
    CHECK(strcmp(err.path, "constant `c1_set`") == 0 && report == NULL);
    answer = BIR_STATUS_OK;
    options.const_dir = (bir_string)S("nowhere");
    IS(bir_module_constants_digest(m, &options, &digest, NULL, &err), BIR_STATUS_IO);
    CHECK(strcmp(err.path, "constant `c2_set`") == 0 && strstr(err.message, "nowhere/digest/c.bin") != NULL);
    IS(bir_module_constants_digest(m, NULL, &digest, NULL, &err), BIR_STATUS_NOT_FOUND);
    bir_module_destroy(m);
    m = sample_module(away, 3);
    IS(bir_module_constants_digest(m, &options, &digest, NULL, &err), BIR_STATUS_UNSAFE_PATH);
    bir_module_destroy(m);
}

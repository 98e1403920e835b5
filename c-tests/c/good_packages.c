#include "folder.h"
#include "good.h"
#include "samples.h"

static const float numbers[4] = {1, 2, 3, 4};
static const char *const names[3] = {"a.bin", "b.bin", "sub/c.bin"};

/* The second file comes from the caller's function, in two pieces; others it has not. */
static bir_status give(void *user, const char *name, size_t name_len, bir_file_sink *sink) {
    ++*(int *)user;
    if (name_len != 5 || memcmp(name, "b.bin", 5) != 0) {
        return BIR_STATUS_NOT_FOUND;
    }
    OK(bir_file_sink_write(sink, numbers, 4, &err));
    OK(bir_file_sink_write(sink, numbers + 1, sizeof numbers - 4, &err));
    OK(bir_file_sink_write(sink, NULL, 0, &err));
    return BIR_STATUS_OK;
}

static bir_status stop(void *user, const char *name, size_t name_len, bir_file_sink *sink) {
    (void)name, (void)name_len, (void)sink;
    return *(bir_status *)user;
}

/* Constants come from memory, then from a function, then from a folder. */
static bir_pack_options options(int *calls) {
    static const bir_file files[1] = {{{"a.bin", 5}, numbers, sizeof numbers}};
    static const bir_file members[1] = {{{"notes/readme.txt", 16}, "read me", 7}};
    return (bir_pack_options){
        .size = sizeof(bir_pack_options),
        .name = {"kernel", 6},
        .tool_version = {"1.2.3", SIZE_MAX},
        .files = files,
        .file_count = 1,
        .read_file = give,
        .user = calls,
        .const_dir = {"consts", 6},
        .members = members,
        .member_count = 1,
    };
}

static void is_reported(bir_pack_report *report, int merged) {
    VALUE(size_t, bir_pack_report_input_count, report, 1);
    VALUE(size_t, bir_pack_report_output_count, report, 1);
    VALUE(size_t, bir_pack_report_constant_count, report, 3);
    VALUE(size_t, bir_pack_report_warning_count, report, 1);
    VALUE(size_t, bir_pack_report_unique_files, report, merged ? 1 : 0);
    VALUE(uint64_t, bir_pack_report_saved_bytes, report, merged ? 2 * sizeof numbers : 0);
    bir_string text;
    OK(bir_pack_report_input(report, 0, &text, &err));
    CHECK(same_text(text, "src"));
    OK(bir_pack_report_output(report, 0, &text, &err));
    CHECK(same_text(text, "dst"));
    OK(bir_pack_report_warning(report, 0, &text, &err));
    CHECK(text.len > 0 && memcmp(text.data, "set `dst_set`", 13) == 0);
    bir_packed_constant c;
    OK(bir_pack_report_constant(report, 2, &c, &err));
    CHECK(same_text(c.variable, "c2") && same_text(c.file, "sub/c.bin"));
    CHECK(same_text(c.stored_as, merged ? "a.bin" : "sub/c.bin") && c.bytes == sizeof numbers && c.merged == merged);
    IS(bir_pack_report_constant(report, 3, &c, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_pack_report_input(report, 1, &text, &err), BIR_STATUS_NOT_FOUND);
    bir_pack_report_destroy(report);
}

static bir_bytes bytes_of(const bir_buffer *buffer) {
    bir_bytes bytes = {NULL, 0};
    OK(bir_buffer_bytes(buffer, &bytes, &err));
    return bytes;
}

/* The contents of a member; NULL and 0 if there is none. */
static bir_bytes member(const bir_package *p, const char *name) {
    size_t index = 99;
    bir_bytes bytes = {NULL, 0};
    bir_member m;
    if (bir_package_find_member(p, T(name), &index, &err) == BIR_STATUS_OK) {
        OK(bir_package_member(p, index, &m, &err));
        OK(bir_package_contents(p, index, &bytes, &err));
        CHECK(same_text(m.name, name) && m.size == bytes.len && m.typeflag == '0');
    } else {
        IS(err.status, BIR_STATUS_NOT_FOUND);
        CHECK(index == 99);
    }
    return bytes;
}

static void is_package(bir_package *p, size_t file_size, int compressed, int merged) {
    bir_package_header h;
    memset(&h, 0x55, sizeof h);
    h.size = sizeof h;
    OK(bir_package_get_header(p, &h, &err));
    CHECK(h.size == sizeof h && h.compressed == compressed && h.pkg_version == 2 && h.header_size == 1024);
    CHECK(h.data_size == file_size - 1024 && strcmp(h.name, "kernel") == 0);
    /* A caller of an earlier version has fewer members. */
    memset(&h, 0x55, sizeof h);
    h.size = offsetof(bir_package_header, header_size);
    OK(bir_package_get_header(p, &h, &err));
    CHECK(h.pkg_version == 2 && h.header_size == 0x5555555555555555);
    OK(bir_package_verify(p, &err));
    size_t count = 0, consts = 0;
    OK(bir_package_member_count(p, &count, &err));
    for (size_t i = 0; i < count; i++) {
        bir_member m;
        OK(bir_package_member(p, i, &m, &err));
        consts += same_text(m.name, "sg00/a.bin") || same_text(m.name, "sg00/b.bin") || same_text(m.name, "sg00/sub/c.bin");
    }
    CHECK(consts == (merged ? 1 : 3));
    bir_bytes text = member(p, "notes/readme.txt");
    CHECK(text.len == 7 && memcmp(text.data, "read me", 7) == 0);
    CHECK(member(p, "notes").data == NULL);
    bir_bytes constant = member(p, "sg00/a.bin");
    CHECK(constant.len == sizeof numbers && memcmp(constant.data, numbers, sizeof numbers) == 0);
    /* The module in it names the files as they are stored. */
    text = member(p, "sg00/bir.json");
    bir_module *m = NEW(bir_module_load((const char *)text.data, text.len, NULL, NULL, &err));
    bir_set *set = NEW(bir_function_find_set(NEW(bir_module_first_function(m, &err)), T("c2_set"), &err));
    TEXT(bir_set_file, set, merged ? "a.bin" : "sub/c.bin");
    bir_module_destroy(m);
    bir_findings *findings = NEW(bir_package_check(p, &err));
    VALUE(size_t, bir_findings_count, findings, 0);
    bir_findings_destroy(findings);
    bir_package_destroy(p);
}

static void packing(void) {
    for (int round = 0; round < 6; round++) {
        static const int32_t compressions[3] = {BIR_COMPRESSION_ZLIB, BIR_COMPRESSION_NONE, BIR_COMPRESSION_PARALLEL};
        int calls = 0, compressed = round % 3 != 1, merged = round < 3;
        bir_pack_options o = options(&calls);
        o.compression = compressions[round % 3];
        o.keep_duplicates = !merged;
        bir_module *m = sample_module(names, 3);
        bir_pack_report *report = NULL;
        bir_buffer *buffer = NEW(bir_pack_module(m, &o, &report, &err));
        CHECK(calls == 2);
        is_reported(report, merged);
        OK(bir_pack_module_to_file(m, &o, T("kernel.neff"), &report, &err));
        is_reported(report, merged);
        /* The same inputs, the same bytes; and neither way needs the report. */
        OK(bir_pack_module_to_file(m, &o, T("kernel.neff"), NULL, &err));
        bir_module_destroy(m);
        bir_bytes bytes = bytes_of(buffer);
        size_t len = 0;
        char *file = file_read("kernel.neff", &len);
        CHECK(len == bytes.len && memcmp(file, bytes.data, len) == 0);
        free(file);
        is_package(NEW(bir_package_open(bytes.data, bytes.len, NULL, &err)), len, compressed, merged);
        is_package(NEW(bir_package_open_file(T("kernel.neff"), NULL, &err)), len, compressed, merged);
        bir_buffer_destroy(buffer);
    }
    bir_pack_report_destroy(NULL);
    bir_package_destroy(NULL);
    bir_findings_destroy(NULL);
}

static void not_packed(void) {
    static const char *const away[1] = {"../up.bin"};
    int calls = 0;
    bir_status status = BIR_STATUS_CANCELLED;
    bir_module *m = sample_module(names, 3);
    bir_pack_report *report = (bir_pack_report *)&err;
    FAILS(bir_pack_module(m, NULL, &report, &err), BIR_STATUS_NOT_FOUND);
    CHECK(strcmp(err.path, "constant `c0_set`") == 0 && strstr(err.message, "a.bin") != NULL);
    bir_pack_options o = options(&calls);
    o.const_dir = (bir_string){"nowhere", 7};
    FAILS(bir_pack_module(m, &o, &report, &err), BIR_STATUS_IO);
    CHECK(strcmp(err.path, "constant `c2_set`") == 0 && strstr(err.message, "nowhere/sub/c.bin") != NULL);
    o.read_file = stop;
    o.user = &status;
    FAILS(bir_pack_module(m, &o, &report, &err), BIR_STATUS_CANCELLED);
    CHECK(strcmp(err.path, "constant `c1_set`") == 0);
    /* No status at all. */
    status = -7;
    FAILS(bir_pack_module(m, &o, &report, &err), BIR_STATUS_IO);
    o = options(&calls);
    o.compression = 3;
    file_write("old.neff", "old", 3);
    IS(bir_pack_module_to_file(m, &o, T("old.neff"), &report, &err), BIR_STATUS_BAD_VALUE);
    size_t len = 0;
    free(file_read("old.neff", &len));
    CHECK(len == 3 && report == (void *)&err);
    bir_module_destroy(m);
    m = sample_module(away, 1);
    o = options(&calls);
    FAILS(bir_pack_module(m, &o, &report, &err), BIR_STATUS_UNSAFE_PATH);
    bir_module_destroy(m);
    m = NEW(bir_module_create(&err));
    FAILS(bir_pack_module(m, NULL, &report, &err), BIR_STATUS_MISSING_KEY);
    CHECK(strstr(err.message, "output") != NULL);
    bir_module_destroy(m);
}

static void damaged(void) {
    size_t len = 0;
    const bir_open_options ignore = {.size = sizeof ignore, .ignore_hash = 1};
    const bir_open_options small = {.size = sizeof small, .max_unpacked_bytes = 1000};
    int calls = 0;
    bir_pack_options o = options(&calls);
    bir_module *m = sample_module(names, 3);
    OK(bir_pack_module_to_file(m, &o, T("packed.neff"), NULL, &err));
    FAILS(bir_package_open_file(T("packed.neff"), &small, &err), BIR_STATUS_LIMIT_EXCEEDED);
    o.compression = BIR_COMPRESSION_NONE;
    OK(bir_pack_module_to_file(m, &o, T("plain.neff"), NULL, &err));
    bir_module_destroy(m);
    char *bytes = file_read("plain.neff", &len);
    FAILS(bir_package_open(bytes, len - 1, NULL, &err), BIR_STATUS_BAD_HEADER);
    CHECK(strstr(err.message, "data_size") != NULL || strstr(err.path, "data_size") != NULL);
    FAILS(bir_package_open(bytes, 100, NULL, &err), BIR_STATUS_BAD_HEADER);
    /* One byte within a member: only the digest tells, and what follows names. */
    char *place = NULL;
    for (size_t i = 1024; i + 8 < len && place == NULL; i++) {
        place = memcmp(bytes + i, "\"cayman\"", 8) == 0 ? bytes + i : NULL;
    }
    CHECK(place != NULL);
    place[1] = 'x';
    FAILS(bir_package_open(bytes, len, NULL, &err), BIR_STATUS_HASH_MISMATCH);
    file_write("changed.neff", bytes, len);
    FAILS(bir_package_open_file(T("changed.neff"), NULL, &err), BIR_STATUS_HASH_MISMATCH);
    CHECK(strstr(err.message, "changed.neff: ") == err.message && strlen(err.message) > 20);
    bir_package *p = NEW(bir_package_open(bytes, len, &ignore, &err));
    IS(bir_package_verify(p, &err), BIR_STATUS_HASH_MISMATCH);
    bir_findings *findings = NEW(bir_package_check(p, &err));
    size_t count = 0;
    bir_finding f;
    OK(bir_findings_count(findings, &count, &err));
    CHECK(count >= 1);
    OK(bir_findings_get(findings, 0, &f, &err));
    CHECK(f.status != BIR_STATUS_OK && f.path.len > 0 && f.message.len > 0);
    IS(bir_findings_get(findings, count, &f, &err), BIR_STATUS_NOT_FOUND);
    bir_package_destroy(p);
    bir_findings_destroy(findings);
    /* Not the payload: the length of the header. */
    bytes[8] ^= 1;
    FAILS(bir_package_open(bytes, len, &ignore, &err), BIR_STATUS_BAD_HEADER);
    free(bytes);
    FAILS(bir_package_open_file(T("nothing.neff"), NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "nothing.neff: ") == err.message);
}

static void extracting(void) {
    size_t len = 0;
    bir_package *p = NEW(bir_package_open_file(T("packed.neff"), NULL, &err));
    OK(bir_package_extract(p, T("new/out"), 0, &err));
    char *text = file_read("new/out/notes/readme.txt", &len);
    CHECK(strcmp(text, "read me") == 0);
    free(text);
    bir_module_destroy(NEW(bir_module_load_file(T("new/out/sg00/bir.json"), NULL, NULL, &err)));
    CHECK(file_exists("new/out/sg00/a.bin") && !file_exists("new/out/sg00/b.bin"));
    /* A file that is there stays, unless the caller says otherwise. */
    file_write("new/out/notes/readme.txt", "mine", 4);
    IS(bir_package_extract(p, T("new/out"), 0, &err), BIR_STATUS_DUPLICATE_NAME);
    text = file_read("new/out/notes/readme.txt", &len);
    CHECK(strcmp(text, "mine") == 0);
    free(text);
    OK(bir_package_extract(p, T("new/out"), 1, &err));
    text = file_read("new/out/notes/readme.txt", &len);
    CHECK(strcmp(text, "read me") == 0);
    free(text);
    IS(bir_package_extract(p, T("packed.neff"), 1, &err), BIR_STATUS_IO);
    /* No link is followed. */
    folder_make("linked");
    link_make("../new", "linked/notes");
    IS(bir_package_extract(p, T("linked"), 1, &err), BIR_STATUS_UNSAFE_PATH);
    CHECK(strcmp(err.path, "notes/readme.txt") == 0 && folder_count("linked") == 1 && folder_count("new") == 1);
    bir_package_destroy(p);
}

void good_packages(void) {
    folder_make("consts");
    folder_make("consts/sub");
    file_write("consts/sub/c.bin", numbers, sizeof numbers);
    packing();
    not_packed();
    damaged();
    extracting();
}

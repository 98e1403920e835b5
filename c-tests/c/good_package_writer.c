#include "folder.h"
#include "good.h"
#include "samples.h"

#define S(text) {(text), sizeof(text) - 1}

static const float numbers[4] = {1, 2, 3, 4};
static const uint64_t shape[2] = {2, 2};

/* A member that comes from a function, and what goes wrong with it. */
typedef struct given {
    const char *bytes;
    size_t size;
    bir_status answer;
    size_t calls;
} given;

static bir_status give(void *user, uint64_t offset, char *buffer, size_t size, size_t *count) {
    given *g = user;
    g->calls++;
    CHECK(*count == 0 && size > 0);
    size_t left = offset < g->size ? g->size - (size_t)offset : 0;
    /* Never more than 5 at a time. */
    *count = left < 5 ? left : 5;
    *count = *count < size ? *count : size;
    if (*count > 0) {
        memcpy(buffer, g->bytes + offset, *count);
    }
    return g->answer;
}

static bir_status give_too_much(void *user, uint64_t offset, char *buffer, size_t size, size_t *count) {
    (void)user, (void)offset, (void)buffer;
    *count = size + 1;
    return BIR_STATUS_OK;
}

/* Takes what is written; ends it after `last` calls with `answer`. */
typedef struct taken {
    char *bytes;
    size_t size, calls, last;
    bir_status answer;
} taken;

static bir_status take(void *user, const char *bytes, size_t len) {
    taken *t = user;
    CHECK(bytes != NULL && len > 0);
    t->bytes = realloc(t->bytes, t->size + len);
    CHECK(t->bytes != NULL);
    memcpy(t->bytes + t->size, bytes, len);
    t->size += len;
    return ++t->calls > t->last ? t->answer : BIR_STATUS_OK;
}

typedef struct watched {
    uint64_t bytes, calls, total;
    bir_status answer;
} watched;

static bir_status watch(void *user, uint64_t bytes, uint64_t total) {
    watched *w = user;
    CHECK(bytes >= w->bytes && bytes <= total && (w->calls == 0 || total == w->total));
    w->bytes = bytes;
    w->total = total;
    w->calls++;
    return w->answer;
}

static bir_package_writer *writer_for(int32_t compression) {
    const bir_package_writer_options options = {
        .size = sizeof options, .compression = compression, .tool_version = S("1.2.3")};
    const bir_package_tensor input = {S("src"), BIR_DTYPE_FLOAT32, shape, 2, 16};
    const bir_package_tensor output = {S("dst"), BIR_DTYPE_FLOAT32, shape, 2, 16};
    bir_package_writer *w = NEW(bir_package_writer_create(T("kernel"), T("gen3"), 1, &options, &err));
    OK(bir_package_writer_add_input(w, 0, &input, &err));
    OK(bir_package_writer_add_output(w, 0, &output, &err));
    return w;
}

static void is_file(const char *name, const void *bytes, size_t size) {
    size_t len = 0;
    char *file = file_read(name, &len);
    CHECK(len == size && memcmp(file, bytes, len) == 0);
    free(file);
}

/* The parts of a packaged module, put together by hand, give its bytes: from memory, files and functions alike. */
static void as_packaged(int32_t compression, bir_digest *signature) {
    static const char *const names[3] = {"a.bin", "b.bin", "c.bin"};
    static const bir_file files[3] = {
        {S("a.bin"), numbers, sizeof numbers}, {S("b.bin"), numbers, sizeof numbers}, {S("c.bin"), numbers, 8}};
    const bir_pack_options pack = {.size = sizeof pack, .compression = compression, .name = S("kernel"),
                                   .tool_version = S("1.2.3"), .files = files, .file_count = 3};
    bir_module *m = sample_module(names, 3);
    bir_buffer *packed = NEW(bir_pack_module(m, &pack, NULL, &err));
    bir_module_destroy(m);
    bir_bytes expected, module;
    OK(bir_buffer_bytes(packed, &expected, &err));
    bir_package *p = NEW(bir_package_open(expected.data, expected.len, NULL, &err));
    size_t index = 0;
    OK(bir_package_find_member(p, T("sg00/bir.json"), &index, &err));
    OK(bir_package_contents(p, index, &module, &err));

    bir_package_writer *w = writer_for(compression);
    static const bir_package_constant constants[3] = {
        {S("c0"), S("a.bin"), 16, 0, 0}, {S("c1"), S("a.bin"), 16, 0, 0}, {S("c2"), S("c.bin"), 8, 0, 0}};
    for (int i = 0; i < 3; i++) {
        OK(bir_package_writer_add_constant(w, 0, &constants[i], &err));
    }
    given function = {(const char *)module.data, module.len, BIR_STATUS_OK, 0};
    file_write("c.bin", numbers, 8);
    OK(bir_package_writer_add_member(w, T("./sg00/a.bin"), numbers, sizeof numbers, &err));
    OK(bir_package_writer_add_file(w, T("sg00/c.bin"), T("c.bin"), &err));
    OK(bir_package_writer_add_callback(w, T("sg00/bir.json"), module.len, give, &function, &err));
    CHECK(function.calls == 0);
    for (uint32_t threads = 0; threads < 5; threads++) {
        watched seen = {0, 0, 0, BIR_STATUS_OK};
        const bir_package_write_options options = {sizeof options, threads, watch, &seen};
        OK(bir_package_writer_write_file(w, T("written.neff"), &options, &err));
        is_file("written.neff", expected.data, expected.len);
        CHECK(seen.calls > 0 && seen.total > module.len);
    }
    /* All again, to a function. */
    taken t = {NULL, 0, 0, SIZE_MAX, BIR_STATUS_OK};
    OK(bir_package_writer_write(w, NULL, take, &t, &err));
    CHECK(t.size == expected.len && memcmp(t.bytes, expected.data, t.size) == 0);
    free(t.bytes);
    OK(bir_package_writer_ir_signature(w, signature, &err));
    bir_package_writer_destroy(w);
    bir_package_destroy(p);
    bir_buffer_destroy(packed);
}

/* Everything else that a package may have. */
static void all_parts(void) {
    static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const bir_package_writer_options options = {.size = sizeof options, .compression = BIR_COMPRESSION_NONE,
                                                .pad_payload = 1, .feature_bits = 0, .build_version = S("build 7"),
                                                .uuid = uuid};
    bir_package_writer *w = NEW(bir_package_writer_create(T("two"), T("cayman"), 2, &options, &err));
    uint32_t node = 99;
    OK(bir_package_writer_add_node(w, 2, &node, &err));
    CHECK(node == 1);
    IS(bir_package_writer_add_node(w, 1, &node, &err), BIR_STATUS_BAD_VALUE);
    CHECK(node == 1);
    const bir_package_tensor shared = {S("x"), BIR_DTYPE_BFLOAT16, shape, 2, 8};
    for (uint32_t n = 0; n < 2; n++) {
        const bir_package_tensor output = {{n == 0 ? "y" : "z", 1}, BIR_DTYPE_UINT8, shape, 1, 2};
        OK(bir_package_writer_add_input(w, n, &shared, &err));
        OK(bir_package_writer_add_output(w, n, &output, &err));
    }
    IS(bir_package_writer_add_input(w, 2, &shared, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_package_writer_add_output(w, 2, &shared, &err), BIR_STATUS_NOT_FOUND);
    const bir_package_queue queue = {S("q"), BIR_PACKAGE_QUEUE_DATA, BIR_ENGINE_TYPE_SP, 12, 1};
    OK(bir_package_writer_add_queue(w, 3, &queue, &err));
    IS(bir_package_writer_add_queue(w, 4, &queue, &err), BIR_STATUS_NOT_FOUND);
    const bir_string to[2] = {S("t"), {"v", SIZE_MAX}};
    const bir_package_variable variables[6] = {
        {.name = S("t"), .kind = BIR_VARIABLE_TMP_BUF, .bytes = 64, .alignment = 64},
        {.name = S("v"), .kind = BIR_VARIABLE_VIRTUAL, .bytes = 32, .offset = 512, .sharded = 1},
        {.name = S("p"), .kind = BIR_VARIABLE_POINTER, .references = to, .reference_count = 1},
        {.name = S("l"), .kind = BIR_VARIABLE_LIST, .references = to, .reference_count = 2},
        {.name = S("d"), .kind = BIR_VARIABLE_DGE_TABLE, .references = to, .reference_count = 2},
        {.name = S("f"), .kind = BIR_VARIABLE_FILE, .bytes = 8, .offset = 8, .file_name = S("w.bin")},
    };
    for (int i = 0; i < 6; i++) {
        OK(bir_package_writer_add_variable(w, 1, &variables[i], &err));
    }
    IS(bir_package_writer_add_variable(w, 4, &variables[0], &err), BIR_STATUS_NOT_FOUND);
    OK(bir_package_writer_add_member(w, T("sg01/w.bin"), numbers, sizeof numbers, &err));
    OK(bir_package_writer_add_member(w, T("empty"), NULL, 0, &err));
    OK(bir_package_writer_write_file(w, T("two.neff"), NULL, &err));
    bir_package_writer_destroy(w);

    bir_package *p = NEW(bir_package_open_file(T("two.neff"), NULL, &err));
    bir_package_header h = {.size = sizeof h};
    OK(bir_package_get_header(p, &h, &err));
    CHECK(h.num_tpb == 4 && h.lnc_size == 2 && h.tpb_per_node[1] == 2 && memcmp(h.uuid, uuid, 16) == 0);
    CHECK(strcmp(h.name, "two") == 0 && strcmp(h.build_version, "build 7") == 0 && h.data_size % 10240 == 0);
    size_t index = 0;
    bir_bytes bytes;
    OK(bir_package_find_member(p, T("sg01/def.json"), &index, &err));
    OK(bir_package_contents(p, index, &bytes, &err));
    char *text = calloc(bytes.len + 1, 1);
    CHECK(text != NULL);
    memcpy(text, bytes.data, bytes.len);
    CHECK(strstr(text, "\"backing_buf\": \"sharded\"") != NULL && strstr(text, "\"dge-table\"") != NULL);
    CHECK(strstr(text, "\"alignment\": 64") != NULL && strstr(text, "\"referenced_var_id\"") != NULL);
    free(text);
    bir_findings *findings = NEW(bir_package_check(p, &err));
    VALUE(size_t, bir_findings_count, findings, 0);
    bir_findings_destroy(findings);
    bir_package_destroy(p);
}

/* What is wrong with the parts shows when they are put together; nothing is written then, and what was there stays. */
static void not_written(void) {
    static const char bytes[] = "twelve bytes";
    bir_package_writer *w = writer_for(BIR_COMPRESSION_ZLIB);
    given g = {bytes, 12, BIR_STATUS_OK, 0};
    OK(bir_package_writer_add_callback(w, T("m"), 12, give, &g, &err));
    OK(bir_package_writer_write_file(w, T("kept.neff"), NULL, &err));
    size_t len = 0;
    char *kept = file_read("kept.neff", &len);
    size_t count = folder_count(".");
    for (uint32_t threads = 1; threads < 4; threads++) {
        watched seen = {0, 0, 0, BIR_STATUS_OK};
        const bir_package_write_options options = {sizeof options, threads, watch, &seen};
        static const bir_status answers[3] = {BIR_STATUS_CANCELLED, BIR_STATUS_NOT_FOUND, -7};
        static const bir_status expected[3] = {BIR_STATUS_CANCELLED, BIR_STATUS_NOT_FOUND, BIR_STATUS_IO};
        for (int i = 0; i < 3; i++) {
            taken t = {NULL, 0, 0, 0, answers[i]};
            g.answer = answers[i];
            IS(bir_package_writer_write_file(w, T("kept.neff"), &options, &err), expected[i]);
            IS(bir_package_writer_write(w, &options, take, &t, &err), expected[i]);
            CHECK(t.calls == 0);
            g.answer = BIR_STATUS_OK;
            IS(bir_package_writer_write(w, NULL, take, &t, &err), expected[i]);
            CHECK(t.calls == 1 && t.size > 1024);
            free(t.bytes);
            seen = (watched){0, 0, 0, answers[i]};
            IS(bir_package_writer_write_file(w, T("kept.neff"), &options, &err), expected[i]);
            CHECK(seen.calls == 1);
            seen = (watched){0, 0, 0, BIR_STATUS_OK};
        }
        /* Fewer bytes, and more, than was said. */
        for (g.size = 11; g.size < 14; g.size += 2) {
            IS(bir_package_writer_write_file(w, T("kept.neff"), &options, &err), BIR_STATUS_CONFLICT);
        }
        g.size = 12;
    }
    is_file("kept.neff", kept, len);
    CHECK(folder_count(".") == count);
    OK(bir_package_writer_write_file(w, T("again.neff"), NULL, &err));
    is_file("again.neff", kept, len);
    free(kept);
    IS(bir_package_writer_write_file(w, T("no/where.neff"), NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "no/where.neff: ") == err.message && err.path[0] == '\0');
    OK(bir_package_writer_add_callback(w, T("x"), 12, give_too_much, NULL, &err));
    IS(bir_package_writer_write_file(w, T("kept.neff"), NULL, &err), BIR_STATUS_BAD_VALUE);
    bir_package_writer_destroy(w);

    /* A file that changes, or goes. */
    file_write("changing", "12345", 5);
    w = writer_for(BIR_COMPRESSION_NONE);
    OK(bir_package_writer_add_file(w, T("m"), T("changing"), &err));
    OK(bir_package_writer_write_file(w, T("kept.neff"), NULL, &err));
    file_write("changing", "123456", 6);
    IS(bir_package_writer_write_file(w, T("kept.neff"), NULL, &err), BIR_STATUS_CONFLICT);
    CHECK(strstr(err.path, "changing") != NULL && strstr(err.message, "5 bytes") != NULL);
    remove("changing");
    IS(bir_package_writer_write_file(w, T("kept.neff"), NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "changing: ") == err.message);
    IS(bir_package_writer_add_file(w, T("n"), T("changing"), &err), BIR_STATUS_IO);
    IS(bir_package_writer_add_file(w, T("n"), T("."), &err), BIR_STATUS_UNSUPPORTED);
    bir_package_writer_destroy(w);
}

static void wrong_parts(void) {
    bir_digest digest;
    taken t = {NULL, 0, 0, SIZE_MAX, BIR_STATUS_OK};
    FAILS(bir_package_writer_create(T("x"), T("core_v5"), 1, NULL, &err), BIR_STATUS_UNSUPPORTED);
    FAILS(bir_package_writer_create(T("x"), T("cayman"), 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    FAILS(bir_package_writer_create(T("x"), T("cayman"), 100, NULL, &err), BIR_STATUS_BAD_VALUE);
    bir_package_writer *w = NEW(bir_package_writer_create(T("x"), T("*"), 1, NULL, &err));
    IS(bir_package_writer_write(w, NULL, take, &t, &err), BIR_STATUS_MISSING_KEY);
    IS(bir_package_writer_ir_signature(w, &digest, &err), BIR_STATUS_MISSING_KEY);
    bir_package_writer_destroy(w);
    w = writer_for(BIR_COMPRESSION_ZLIB);
    IS(bir_package_writer_add_member(w, T("../x"), "x", 1, &err), BIR_STATUS_UNSAFE_PATH);
    OK(bir_package_writer_add_member(w, T("a"), "x", 1, &err));
    OK(bir_package_writer_add_member(w, T("./a"), "y", 1, &err));
    IS(bir_package_writer_write(w, NULL, take, &t, &err), BIR_STATUS_DUPLICATE_NAME);
    bir_package_writer_destroy(w);
    w = writer_for(BIR_COMPRESSION_ZLIB);
    OK(bir_package_writer_add_member(w, T("a"), "x", 1, &err));
    OK(bir_package_writer_add_member(w, T("a/b"), "x", 1, &err));
    IS(bir_package_writer_write(w, NULL, take, &t, &err), BIR_STATUS_CONFLICT);
    bir_package_writer_destroy(w);
    w = writer_for(BIR_COMPRESSION_ZLIB);
    const bir_package_constant constant = {S("c"), S("w.npy"), 16, 0, 0};
    OK(bir_package_writer_add_constant(w, 0, &constant, &err));
    IS(bir_package_writer_add_constant(w, 1, &constant, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_package_writer_write(w, NULL, take, &t, &err), BIR_STATUS_UNRESOLVED_REF);
    CHECK(t.calls == 0);
    bir_package_writer_destroy(w);
    bir_package_writer_destroy(NULL);
}

void good_package_writer(void) {
    bir_digest signatures[3];
    as_packaged(BIR_COMPRESSION_ZLIB, &signatures[0]);
    as_packaged(BIR_COMPRESSION_NONE, &signatures[1]);
    as_packaged(BIR_COMPRESSION_PARALLEL, &signatures[2]);
    CHECK(memcmp(&signatures[0], &signatures[1], sizeof signatures[0]) == 0);
    CHECK(memcmp(&signatures[0], &signatures[2], sizeof signatures[0]) == 0);
    all_parts();
    not_written();
    wrong_parts();
}

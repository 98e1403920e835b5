#include "folder.h"
#include "good.h"
#include "samples.h"

static void is_sample(bir_module *m) {
    bir_function *f = NEW(bir_module_find_function(m, T("main"), &err));
    bir_block *b = NEW(bir_function_find_block(f, T("Block1"), &err));
    VALUE(size_t, bir_block_inst_count, b, 2);
    TEXT(bir_inst_name, bir_block_first_inst(b, NULL), "I-0");
    TEXT(bir_inst_name, bir_block_last_inst(b, NULL), "I-0_1");
    bir_module_destroy(m);
}

static void loading(void) {
    bir_load_report *report = NULL;
    is_sample(NEW(bir_module_load(T(sample_document), NULL, NULL, &err)));
    file_write("in.json", sample_document, strlen(sample_document));
    is_sample(NEW(bir_module_load_file("in.json and more", 7, NULL, &report, &err)));
    size_t count = 0;
    uint64_t dropped = 9;
    bir_warning w;
    OK(bir_load_report_warning_count(report, &count, &err));
    OK(bir_load_report_dropped_count(report, &dropped, &err));
    CHECK(count == 2 && dropped == 0);
    OK(bir_load_report_warning(report, 0, &w, &err));
    CHECK(w.kind == BIR_WARNING_KIND_UNKNOWN_KEY && w.line == 3 && w.column > 1);
    CHECK(memcmp(sample_document + w.offset - (w.column - 1), " \"a_key_of_tomorrow\"", 20) == 0);
    CHECK(same_text(w.message, "unknown key `a_key_of_tomorrow`; dropped"));
    OK(bir_load_report_warning(report, 1, &w, &err));
    CHECK(w.kind == BIR_WARNING_KIND_RENAMED && w.line == 10);
    CHECK(same_text(w.path, "functions[0].blocks[0].instructions[1]"));
    IS(bir_load_report_warning(report, 2, &w, &err), BIR_STATUS_NOT_FOUND);
    bir_load_report_destroy(report);
    const bir_read_options few = {.size = sizeof few, .max_warnings = 1};
    is_sample(NEW(bir_module_load(T(sample_document), &few, &report, &err)));
    OK(bir_load_report_warning_count(report, &count, &err));
    OK(bir_load_report_dropped_count(report, &dropped, &err));
    CHECK(count == 1 && dropped == 1);
    bir_load_report_destroy(report);
    bir_load_report_destroy(NULL);
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_UNKNOWN_KEY, "UnknownKey");
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_BARE_DEPENDENCY, "BareDependency");
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_OTHER, "Other");
}

typedef struct stream {
    const char *text;
    size_t left;
    size_t step;
    bir_status answer;
} stream;

static bir_status next_piece(void *user, char *buffer, size_t size, size_t *count) {
    stream *s = user;
    CHECK(*count == 0 && size > 0);
    *count = s->step < s->left ? s->step : s->left;
    *count = *count < size ? *count : size;
    memcpy(buffer, s->text, *count);
    s->text += *count;
    s->left -= *count;
    return s->left == 0 ? s->answer : BIR_STATUS_OK;
}

typedef struct seen {
    unsigned calls;
    uint64_t bytes, total, instructions;
    bir_status answer;
} seen;

static bir_status see(void *user, uint64_t bytes, uint64_t total, uint64_t instructions) {
    seen *s = user;
    CHECK(s->calls == 0 || (bytes >= s->bytes && instructions >= s->instructions));
    s->calls++;
    s->bytes = bytes;
    s->total = total;
    s->instructions = instructions;
    return s->answer;
}

static void streaming(void) {
    const size_t length = strlen(sample_document);
    for (size_t step = 1; step <= length; step = step * 3 + 1) {
        stream s = {sample_document, length, step, BIR_STATUS_OK};
        seen told = {0, 0, 0, 0, BIR_STATUS_OK};
        const bir_read_options options = {.size = sizeof options, .progress = see, .progress_user = &told};
        bir_load_report *report = NULL;
        is_sample(NEW(bir_module_load_stream(next_piece, &s, length, &options, &report, &err)));
        size_t count = 0;
        OK(bir_load_report_warning_count(report, &count, &err));
        CHECK(count == 2);
        bir_load_report_destroy(report);
        CHECK(told.calls == 2 && told.bytes == length && told.total == length && told.instructions == 2);
    }
    /* A stream that fails, one that ends too early, one that says it gave more than it was asked for. */
    stream s = {sample_document, length, 7, BIR_STATUS_NOT_FOUND};
    FAILS(bir_module_load_stream(next_piece, &s, 0, NULL, NULL, &err), BIR_STATUS_NOT_FOUND);
    s = (stream){sample_document, length - 5, 7, BIR_STATUS_OK};
    FAILS(bir_module_load_stream(next_piece, &s, 0, NULL, NULL, &err), BIR_STATUS_SYNTAX);
    CHECK(err.offset == length - 5);
    /* Told of the progress, and stopping it; the status is the caller's. */
    seen told = {0, 0, 0, 0, BIR_STATUS_CANCELLED};
    const bir_read_options stopped = {.size = sizeof stopped, .progress = see, .progress_user = &told};
    FAILS(bir_module_load(T(sample_document), &stopped, NULL, &err), BIR_STATUS_CANCELLED);
    CHECK(told.calls == 1 && told.bytes == 0 && told.total == length);
    told = (seen){0, 0, 0, 0, BIR_STATUS_IO};
    FAILS(bir_module_load(T(sample_document), &stopped, NULL, &err), BIR_STATUS_IO);
    /* A caller that was built before the later members. */
    bir_read_options old = stopped;
    old.size = 40;
    old.max_elements = 1;
    is_sample(NEW(bir_module_load(T(sample_document), &old, NULL, &err)));
    const bir_read_options few = {.size = sizeof few, .max_elements = 1};
    FAILS(bir_module_load(T(sample_document), &few, NULL, &err), BIR_STATUS_LIMIT_EXCEEDED);
    CHECK(strcmp(err.message, "the limit `max_elements` of 1 is exceeded") == 0);
    const bir_read_options narrow = {.size = sizeof narrow, .max_buffer_bytes = 100};
    s = (stream){sample_document, length, 50, BIR_STATUS_OK};
    FAILS(bir_module_load_stream(next_piece, &s, 0, &narrow, NULL, &err), BIR_STATUS_LIMIT_EXCEEDED);
    CHECK(strcmp(err.message, "the limit `max_buffer_bytes` of 100 is exceeded") == 0);
}

/* Every kind of warning, with its path, in the order of the text; the place of each is marked with `^`. */
static const char noticed[] =
    "{\"version\": 2, \"arch\": \"gen3\", \"functions\": [\n"
    " {\"name\": \"f\", \"allocations\": [{\"name\": \"r\", \"colour\": ^\"red\"}], \"blocks\": []},\n"
    " ^{\"allocations\": [], \"name\": \"f\", \"blocks\": [{\"name\": \"b\", \"instructions\": [\n"
    "  {\"name\": \"i\", \"opcode\": \"NoOp\", \"dependencies\": [^\"j\"],\n"
    "   \"outs\": [^{\"kind\": \"imm_value\", \"dtype\": \"int8\", \"value\": 1}]},\n"
    "  {\"name\": \"j\", \"opcode\": \"NoOp\"},\n"
    "  ^{\"name\": \"i\", \"opcode\": \"Matmult\", \"start_tensor_calc\": ^true}]}]}]}";

static const struct {
    int32_t kind;
    const char *path;
    const char *message;
} notices[] = {
    {BIR_WARNING_KIND_UNKNOWN_KEY, "functions[0].allocations[0].colour", "unknown key `colour`; dropped"},
    {BIR_WARNING_KIND_RENAMED, "functions[1]", "the name `f` is taken; the object is now `f_1`"},
    {BIR_WARNING_KIND_BARE_DEPENDENCY, "functions[1].blocks[0].instructions[0].dependencies[0]",
     "the bare name `j` counts as a Flow edge"},
    {BIR_WARNING_KIND_MOVED_IMMEDIATE, "functions[1].blocks[0].instructions[0].outs[0]",
     "an immediate in `outs` becomes an input"},
    {BIR_WARNING_KIND_RENAMED, "functions[1].blocks[0].instructions[2]",
     "the name `i` is taken; the object is now `i_1`"},
    {BIR_WARNING_KIND_IGNORED_KEY, "functions[1].blocks[0].instructions[2].start_tensor_calc",
     "key `start_tensor_calc` of an older producer; dropped"},
};

/* With fewer places than warnings, the first ones are kept and the others counted. */
static void warnings(void) {
    enum { NOTICES = sizeof notices / sizeof notices[0] };
    static char text[sizeof noticed];
    size_t offsets[NOTICES];
    size_t len = 0, marks = 0;
    for (const char *c = noticed; *c != '\0'; c++) {
        if (*c == '^') {
            CHECK(marks < NOTICES);
            offsets[marks++] = len;
        } else {
            text[len++] = *c;
        }
    }
    CHECK(marks == NOTICES);
    for (uint32_t limit = 1; limit <= NOTICES + 1; limit++) {
        const bir_read_options options = {.size = sizeof options, .max_warnings = limit};
        const size_t kept = limit < NOTICES ? limit : NOTICES;
        bir_load_report *report = NULL;
        size_t count = 0;
        uint64_t dropped = 99;
        bir_module *m = NEW(bir_module_load(text, len, &options, &report, &err));
        OK(bir_load_report_warning_count(report, &count, &err));
        OK(bir_load_report_dropped_count(report, &dropped, &err));
        CHECK(count == kept && dropped == NOTICES - kept);
        for (size_t i = 0; i < kept; i++) {
            bir_warning w;
            size_t line = 1, start = 0;
            OK(bir_load_report_warning(report, i, &w, &err));
            CHECK(w.kind == notices[i].kind);
            CHECK(same_text(w.path, notices[i].path));
            CHECK(same_text(w.message, notices[i].message));
            CHECK(w.offset == offsets[i]);
            for (size_t at = 0; at < offsets[i]; at++) {
                if (text[at] == '\n') {
                    line++;
                    start = at + 1;
                }
            }
            CHECK(w.line == line && w.column == offsets[i] - start + 1);
        }
        bir_load_report_destroy(report);
        bir_module_destroy(m);
    }
    /* Strict, the first that is noticed in reading is an error. */
    const bir_read_options strict = {.size = sizeof strict, .strict = 1};
    FAILS(bir_module_load(text, len, &strict, NULL, &err), BIR_STATUS_UNKNOWN_KEY);
    CHECK(strcmp(err.path, notices[0].path) == 0 && err.offset == offsets[0]);
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_RENAMED, "Renamed");
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_IGNORED_KEY, "IgnoredKey");
    TEXT(bir_warning_kind_name, BIR_WARNING_KIND_MOVED_IMMEDIATE, "MovedImmediate");
}

/* The place of an error: its line and column from 1, its offset from 0. */
static void at(uint32_t line, uint32_t column, uint64_t offset) {
    if (err.line != line || err.column != column || err.offset != offset) {
        fprintf(stderr, "at %u:%u, offset %llu\n", (unsigned)err.line, (unsigned)err.column,
                (unsigned long long)err.offset);
        fail(__FILE__, __LINE__, "another place is expected");
    }
}

static void refused(void) {
    static const char wrong_type[] = "{\"version\": 2,\n \"arch\": 7}";
    static const char cut[] = "{\"version\": 2,\n \"functions\": [";
    static const char no_opcode[] = "{\"version\": 2, \"arch\": \"gen3\",\n"
                                    " \"functions\": [{\"name\": \"f\", \"allocations\": [], \"blocks\": [{\"name\": \"b\",\n"
                                    "   \"instructions\": [{\"name\": \"i\", \"opcode\": \"Nope\"}]}]}]}";
    bir_load_report *report = (bir_load_report *)&err;
    FAILS(bir_module_load(T(wrong_type), NULL, &report, &err), BIR_STATUS_WRONG_TYPE);
    at(2, 10, 24);
    CHECK(strcmp(err.path, "arch") == 0);
    FAILS(bir_module_load(T(cut), NULL, &report, &err), BIR_STATUS_SYNTAX);
    at(2, 16, sizeof cut - 1);
    FAILS(bir_module_load(T(no_opcode), NULL, &report, &err), BIR_STATUS_UNKNOWN_ENUM);
    CHECK(err.line == 3 && strstr(err.path, "functions[0].blocks[0].instructions[0]") == err.path);
    CHECK(strstr(err.message, "Nope") != NULL);
    CHECK(report == (void *)&err);
    /* A file is named in the message. */
    file_write("cut.json", cut, sizeof cut - 1);
    FAILS(bir_module_load_file(T("cut.json"), NULL, NULL, &err), BIR_STATUS_SYNTAX);
    CHECK(strstr(err.message, "cut.json: ") == err.message);
    FAILS(bir_module_load_file(T("nothing.json"), NULL, NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "nothing.json: ") == err.message);
    /* Options. */
    const bir_read_options strict = {.size = sizeof strict, .strict = 1};
    FAILS(bir_module_load(T(sample_document), &strict, NULL, &err), BIR_STATUS_UNKNOWN_KEY);
    CHECK(err.line == 3 && strstr(err.message, "a_key_of_tomorrow") != NULL);
    const bir_read_options shallow = {.size = sizeof shallow, .max_depth = 3};
    FAILS(bir_module_load(T(sample_document), &shallow, NULL, &err), BIR_STATUS_LIMIT_EXCEEDED);
    const bir_read_options terse = {.size = sizeof terse, .max_string_bytes = 5};
    FAILS(bir_module_load(T(sample_document), &terse, NULL, &err), BIR_STATUS_LIMIT_EXCEEDED);
    const bir_read_options small = {.size = sizeof small, .max_module_bytes = 8};
    FAILS(bir_module_load(T(sample_document), &small, NULL, &err), BIR_STATUS_OUT_OF_MEMORY);
    /* A caller of an earlier version has fewer members. */
    const bir_read_options old = {.size = offsetof(bir_read_options, max_depth), .max_depth = 3};
    is_sample(NEW(bir_module_load(T(sample_document), &old, NULL, &err)));
}

/* What a callback collects, and when it has had enough. */
typedef struct collector {
    char bytes[16384];
    size_t len;
    size_t pieces;
    size_t enough;
    const bir_module *module;
} collector;

static bir_status collect(void *user, const char *bytes, size_t len) {
    collector *c = user;
    size_t functions = 0;
    CHECK(len > 0 && len <= sizeof c->bytes - c->len);
    memcpy(c->bytes + c->len, bytes, len);
    c->len += len;
    /* The module may be read meanwhile. */
    CHECK(bir_module_function_count(c->module, &functions, NULL) == BIR_STATUS_OK && functions > 0);
    return ++c->pieces == c->enough ? BIR_STATUS_CANCELLED : BIR_STATUS_OK;
}

static bir_bytes bytes_of(const bir_buffer *buffer) {
    bir_bytes bytes = {NULL, 0};
    OK(bir_buffer_bytes(buffer, &bytes, &err));
    CHECK(bytes.data != NULL && bytes.len > 0);
    return bytes;
}

static void saving(void) {
    static collector c;
    fixture f = fixture_create();
    /* They use the axis of a loop that they are not in, which no document can say. A dynamic loop without stride stays. */
    CHECK(bir_module_save_to_buffer(f.module, NULL, &err) == NULL && err.status == BIR_STATUS_CORRUPT_IR);
    CHECK(strstr(err.path, "instructions[") != NULL && strstr(err.message, "loop") != NULL);
    OK(bir_operand_erase(f.operand[SYMBOLIC], &err));
    OK(bir_operand_erase(f.operand[SYMBOLIC_IMMEDIATE], &err));
    bir_buffer *buffer = NEW(bir_module_save_to_buffer(f.module, NULL, &err));
    bir_bytes bytes = bytes_of(buffer);
    CHECK(bytes.data[0] == '{' && memchr(bytes.data, '\n', bytes.len) != NULL);
    /* Three ways, the same bytes. */
    c.module = f.module;
    OK(bir_module_save(f.module, NULL, collect, &c, &err));
    CHECK(c.len == bytes.len && memcmp(c.bytes, bytes.data, bytes.len) == 0);
    size_t len = 0;
    OK(bir_module_save_file(f.module, T("out.json"), NULL, &err));
    char *file = file_read("out.json", &len);
    CHECK(len == bytes.len && memcmp(file, bytes.data, len) == 0);
    free(file);
    /* What was saved is the module; other options make other texts of the same. */
    const bir_write_options choices[5] = {{sizeof(bir_write_options), 0, 0, BIR_DOCUMENT_FORMAT_JSON},
                                          {sizeof(bir_write_options), 1, 0, BIR_DOCUMENT_FORMAT_JSON},
                                          {sizeof(bir_write_options), 1, 1, BIR_DOCUMENT_FORMAT_JSON},
                                          {sizeof(bir_write_options), 0, 0, BIR_DOCUMENT_FORMAT_CBOR},
                                          {sizeof(bir_write_options), 0, 1, BIR_DOCUMENT_FORMAT_CBOR}};
    size_t lens[5];
    for (int i = 0; i < 5; i++) {
        bir_buffer *text = NEW(bir_module_save_to_buffer(f.module, &choices[i], &err));
        bir_bytes b = bytes_of(text);
        lens[i] = b.len;
        if (choices[i].format == BIR_DOCUMENT_FORMAT_JSON)
            CHECK(b.data[0] == '{' && (memchr(b.data, '\n', b.len) == NULL) == (i > 0));
        else
            CHECK((b.data[0] & 0xE0) == 0xA0);
        bir_module *again = NEW(bir_module_load((const char *)b.data, b.len, NULL, NULL, &err));
        uint8_t equal = 9;
        OK(bir_module_equal(f.module, again, &equal, &err));
        CHECK(equal == 1);
        bir_module_destroy(again);
        bir_buffer_destroy(text);
    }
    CHECK(lens[0] == bytes.len && lens[1] < lens[0] && lens[1] < lens[2] && lens[3] < lens[1] && lens[3] < lens[4]);
    /* Who was compiled before there were formats says so by the size; what lies behind is not looked at. */
    bir_write_options older = {8, 0, 0, -1};
    bir_buffer *text = NEW(bir_module_save_to_buffer(f.module, &older, &err));
    CHECK(bytes_of(text).len == bytes.len);
    bir_buffer_destroy(text);
    older.size = sizeof older;
    CHECK(bir_module_save_to_buffer(f.module, &older, &err) == NULL && err.status == BIR_STATUS_BAD_VALUE);
    IS(bir_module_save_file(f.module, T("none.cbor"), &older, &err), BIR_STATUS_BAD_VALUE);
    IS(bir_module_save(f.module, &older, collect, &c, &err), BIR_STATUS_BAD_VALUE);
    /* A callback that has had enough is not called again. */
    size_t pieces = c.pieces;
    c = (collector){.enough = 1, .module = f.module};
    IS(bir_module_save(f.module, NULL, collect, &c, &err), BIR_STATUS_CANCELLED);
    CHECK(c.pieces == 1 && pieces >= 1);
    /* A failure leaves the old file and no other. */
    size_t names = folder_count(".");
    file_write("old", "old", 3);
    IS(bir_module_save_file(f.module, T("old/x.json"), NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "old/x.json: ") == err.message);
    OK(bir_location_unlink(f.location, &err));
    IS(bir_module_save_file(f.module, T("old"), NULL, &err), BIR_STATUS_CORRUPT_IR);
    CHECK(strstr(err.path, "functions[0]") == err.path);
    file = file_read("old", &len);
    CHECK(len == 3 && folder_count(".") == names + 1);
    free(file);
    bir_buffer_destroy(buffer);
    bir_buffer_destroy(NULL);
    fixture_destroy(&f);
}

void good_documents(void) {
    loading();
    streaming();
    warnings();
    refused();
    saving();
}

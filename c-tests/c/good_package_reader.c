#include "folder.h"
#include "good.h"

/* The header's hash lies at this byte (spec/neff.md section 1.1). */
enum { LARGE = 300000, MEMBERS = 4, HASH_OFFSET = 172 };

static char large[LARGE];
static const struct {
    const char *name;
    const char *bytes;
    size_t size;
} members[MEMBERS] = {{"a/empty", "", 0}, {"a/large", large, LARGE}, {"a/one", "x", 1}, {"b/text", "some text", 9}};

/* Writes the members as a package of that name. */
static void write_package(const char *name, int32_t compression) {
    const bir_package_writer_options options = {.size = sizeof options, .compression = compression};
    const bir_package_tensor output = {{"o", 1}, BIR_DTYPE_UINT8, NULL, 0, 1};
    bir_package_writer *w = NEW(bir_package_writer_create(T("members"), T("cayman"), 1, &options, &err));
    OK(bir_package_writer_add_output(w, 0, &output, &err));
    for (int i = 0; i < MEMBERS; i++) {
        OK(bir_package_writer_add_member(w, T(members[i].name), members[i].bytes, members[i].size, &err));
    }
    OK(bir_package_writer_write_file(w, T(name), NULL, &err));
    bir_package_writer_destroy(w);
}

/* A stream over bytes in memory, at most `most` at a time; after `until` bytes it answers with something else. */
typedef struct stream {
    const char *bytes;
    size_t size, at, most, until;
    bir_status answer;
} stream;

static bir_status give(void *user, char *buffer, size_t size, size_t *count) {
    stream *s = user;
    CHECK(*count == 0 && size > 0);
    if (s->at >= s->until) {
        return s->answer;
    }
    size_t left = s->size - s->at;
    *count = left < s->most ? left : s->most;
    *count = *count < size ? *count : size;
    if (*count > 0) {
        memcpy(buffer, s->bytes + s->at, *count);
    }
    s->at += *count;
    return BIR_STATUS_OK;
}

static stream stream_of(const char *bytes, size_t size, size_t most) {
    return (stream){bytes, size, 0, most, SIZE_MAX, BIR_STATUS_OK};
}

static bir_status give_too_much(void *user, char *buffer, size_t size, size_t *count) {
    (void)user, (void)buffer;
    *count = size + 1;
    return BIR_STATUS_OK;
}

/* Which member of ours it is; -1 for a descriptor. */
static int member_number(bir_string name) {
    for (int i = 0; i < MEMBERS; i++) {
        if (same_text(name, members[i].name)) {
            return i;
        }
    }
    return -1;
}

/* All members, read with a buffer of that size; of every second one only the start. */
static void is_read(bir_package_reader *r, size_t room, int is_compressed) {
    bir_package_header h = {.size = sizeof h};
    OK(bir_package_reader_get_header(r, &h, &err));
    CHECK(strcmp(h.name, "members") == 0 && h.compressed == is_compressed && h.pkg_version == 2);
    char *buffer = malloc(room);
    CHECK(buffer != NULL);
    size_t count = 99;
    IS(bir_package_reader_read(r, buffer, room, &count, &err), BIR_STATUS_NOT_FOUND);
    CHECK(count == 99);
    int ours = 0, all = 0;
    bir_member m;
    uint8_t has = 9;
    for (;; all++) {
        OK(bir_package_reader_next(r, &m, &has, &err));
        if (has == 0) {
            break;
        }
        CHECK(has == 1 && m.typeflag == '0' && m.mode == 0644 && m.uid == 0 && m.gid == 0 && m.mtime == 0);
        int number = member_number(m.name);
        if (number < 0) {
            continue;
        }
        ours++;
        CHECK(m.size == members[number].size);
        size_t at = 0;
        do {
            OK(bir_package_reader_read(r, buffer, room, &count, &err));
            CHECK(count <= m.size - at && memcmp(buffer, members[number].bytes + at, count) == 0);
            CHECK(count == room || at + count == m.size);
            at += count;
        } while (count == room && all % 2 == 0);
        if (all % 2 == 0) {
            CHECK(at == m.size);
            OK(bir_package_reader_read(r, buffer, room, &count, &err));
            CHECK(count == 0);
        }
        OK(bir_package_reader_read(r, NULL, 0, &count, &err));
        CHECK(count == 0);
    }
    CHECK(ours == MEMBERS && all > MEMBERS + 10);
    OK(bir_package_reader_next(r, &m, &has, &err));
    CHECK(has == 0);
    OK(bir_package_reader_finish(r, &err));
    IS(bir_package_reader_read(r, buffer, room, &count, &err), BIR_STATUS_NOT_FOUND);
    free(buffer);
    bir_package_reader_destroy(r);
}

static void reading(const char *name, int is_compressed) {
    static const size_t rooms[4] = {7, 512, 4097, 1 << 20};
    const bir_package_reader_options ignore = {.size = sizeof ignore, .ignore_hash = 1};
    size_t len = 0;
    char *bytes = file_read(name, &len);
    for (size_t i = 0; i < 4; i++) {
        is_read(NEW(bir_package_reader_open_file(T(name), NULL, &err)), rooms[i], is_compressed);
        is_read(NEW(bir_package_reader_open_file(T(name), &ignore, &err)), rooms[i], is_compressed);
        stream s = stream_of(bytes, len, i == 0 ? 333 : rooms[i]);
        is_read(NEW(bir_package_reader_open_callback(give, &s, len, NULL, &err)), rooms[i], is_compressed);
        s.at = 0;
        is_read(NEW(bir_package_reader_open_callback(give, &s, 0, &ignore, &err)), rooms[i], is_compressed);
        CHECK(s.at == len);
    }
    /* To the end at once, from the start and from the middle of a member. */
    for (int steps = 0; steps < 3; steps++) {
        bir_package_reader *r = NEW(bir_package_reader_open_file(T(name), NULL, &err));
        bir_member m;
        uint8_t has = 1;
        for (int i = 0; i < steps; i++) {
            OK(bir_package_reader_next(r, &m, &has, &err));
        }
        OK(bir_package_reader_finish(r, &err));
        OK(bir_package_reader_next(r, &m, &has, &err));
        CHECK(has == 0);
        bir_package_reader_destroy(r);
    }
    free(bytes);
}

/* Walks all of a package, which must fail, and fail again. */
static void is_refused(bir_package_reader *r, bir_status expected) {
    static char buffer[5000];
    bir_status status = BIR_STATUS_OK;
    bir_member m;
    uint8_t has = 1;
    while (status == BIR_STATUS_OK && has == 1) {
        status = bir_package_reader_next(r, &m, &has, &err);
        size_t count = has == 1 ? sizeof buffer : 0;
        while (status == BIR_STATUS_OK && count == sizeof buffer) {
            status = bir_package_reader_read(r, buffer, sizeof buffer, &count, &err);
        }
    }
    IS(status, expected);
    has = 9;
    size_t count = 99;
    IS(bir_package_reader_next(r, &m, &has, &err), expected);
    IS(bir_package_reader_read(r, buffer, 1, &count, &err), expected);
    IS(bir_package_reader_finish(r, &err), expected);
    CHECK(has == 9 && count == 99);
    bir_package_reader_destroy(r);
}

static void refused(const char *name) {
    size_t len = 0;
    char *bytes = file_read(name, &len);
    const size_t cuts[] = {0, 1, 511, 1023};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        stream s = stream_of(bytes, cuts[i], 4096);
        FAILS(bir_package_reader_open_callback(give, &s, 0, NULL, &err), BIR_STATUS_BAD_HEADER);
        file_write("cut.neff", bytes, cuts[i]);
        FAILS(bir_package_reader_open_file(T("cut.neff"), NULL, &err), BIR_STATUS_BAD_HEADER);
        CHECK(strstr(err.message, "cut.neff: ") == err.message);
    }
    for (size_t cut = 1024; cut < len; cut += cut < 2048 ? 1 + len / 20 : len / 20) {
        stream s = stream_of(bytes, cut, 4096);
        is_refused(NEW(bir_package_reader_open_callback(give, &s, 0, NULL, &err)), BIR_STATUS_BAD_HEADER);
        s.at = 0;
        is_refused(NEW(bir_package_reader_open_callback(give, &s, len, NULL, &err)), BIR_STATUS_BAD_HEADER);
        /* The size shows at once. */
        file_write("cut.neff", bytes, cut);
        FAILS(bir_package_reader_open_file(T("cut.neff"), NULL, &err), BIR_STATUS_BAD_HEADER);
    }
    /* The caller's function fails, at once and later. */
    static const bir_status answers[3] = {BIR_STATUS_CANCELLED, BIR_STATUS_IO, -7};
    for (int i = 0; i < 3; i++) {
        bir_status expected = answers[i] == -7 ? BIR_STATUS_IO : answers[i];
        stream s = stream_of(bytes, len, 1000);
        s.answer = answers[i];
        s.until = 0;
        FAILS(bir_package_reader_open_callback(give, &s, 0, NULL, &err), expected);
        s.until = 3000;
        is_refused(NEW(bir_package_reader_open_callback(give, &s, 0, NULL, &err)), expected);
    }
    FAILS(bir_package_reader_open_callback(give_too_much, NULL, 0, NULL, &err), BIR_STATUS_BAD_VALUE);
    /* One byte of the hash is another. */
    bytes[HASH_OFFSET] ^= 1;
    stream s = stream_of(bytes, len, 4096);
    is_refused(NEW(bir_package_reader_open_callback(give, &s, 0, NULL, &err)), BIR_STATUS_HASH_MISMATCH);
    s.at = 0;
    bir_package_reader *r = NEW(bir_package_reader_open_callback(give, &s, 0, NULL, &err));
    IS(bir_package_reader_finish(r, &err), BIR_STATUS_HASH_MISMATCH);
    bir_package_reader_destroy(r);
    const bir_package_reader_options ignore = {.size = sizeof ignore, .ignore_hash = 1};
    s.at = 0;
    is_read(NEW(bir_package_reader_open_callback(give, &s, 0, &ignore, &err)), 4096, bytes[1024] == 0x1f);
    file_write("hash.neff", bytes, len);
    /* A byte behind the end, where its number is known and where not. */
    bytes[HASH_OFFSET] ^= 1;
    char *longer = malloc(len + 1);
    CHECK(longer != NULL);
    memcpy(longer, bytes, len);
    longer[len] = 'x';
    s = stream_of(longer, len + 1, len);
    is_refused(NEW(bir_package_reader_open_callback(give, &s, 0, NULL, &err)), BIR_STATUS_BAD_HEADER);
    s.at = 0;
    FAILS(bir_package_reader_open_callback(give, &s, len + 1, NULL, &err), BIR_STATUS_BAD_HEADER);
    free(longer);
    /* Limits. */
    const bir_package_reader_options few = {.size = sizeof few, .max_members = 3};
    is_refused(NEW(bir_package_reader_open_file(T(name), &few, &err)), BIR_STATUS_LIMIT_EXCEEDED);
    const bir_package_reader_options short_names = {.size = sizeof short_names, .max_names_bytes = 10};
    is_refused(NEW(bir_package_reader_open_file(T(name), &short_names, &err)), BIR_STATUS_LIMIT_EXCEEDED);
    free(bytes);
}

static void changes(void) {
    write_package("changing.neff", BIR_COMPRESSION_NONE);
    bir_package_reader *r = NEW(bir_package_reader_open_file(T("changing.neff"), NULL, &err));
    bir_member m;
    uint8_t has = 0;
    OK(bir_package_reader_next(r, &m, &has, &err));
    file_write("changing.neff", "short", 5);
    IS(bir_package_reader_finish(r, &err), BIR_STATUS_CONFLICT);
    bir_package_reader_destroy(r);
    bir_package_reader_destroy(NULL);
    FAILS(bir_package_reader_open_file(T("nothing.neff"), NULL, &err), BIR_STATUS_IO);
    CHECK(strstr(err.message, "nothing.neff: ") == err.message);
    FAILS(bir_package_reader_open_file(T("."), NULL, &err), BIR_STATUS_IO);
}

static void as_files(const char *name) {
    /* Members. */
    for (int i = 0; i < MEMBERS; i++) {
        bir_buffer *buffer = NEW(bir_package_member_of_file(T(name), T(members[i].name), 0, NULL, &err));
        bir_bytes bytes;
        OK(bir_buffer_bytes(buffer, &bytes, &err));
        CHECK(bytes.len == members[i].size && (bytes.len == 0 || memcmp(bytes.data, members[i].bytes, bytes.len) == 0));
        bir_buffer_destroy(buffer);
    }
    bir_buffer_destroy(NEW(bir_package_member_of_file(T(name), T("./a/large"), LARGE, NULL, &err)));
    FAILS(bir_package_member_of_file(T(name), T("a/large"), LARGE - 1, NULL, &err), BIR_STATUS_LIMIT_EXCEEDED);
    FAILS(bir_package_member_of_file(T(name), T("a/nothing"), 0, NULL, &err), BIR_STATUS_NOT_FOUND);
    CHECK(strstr(err.message, name) == err.message);
    FAILS(bir_package_member_of_file(T(name), T("../a"), 0, NULL, &err), BIR_STATUS_UNSAFE_PATH);
    FAILS(bir_package_member_of_file(T("no.neff"), T("a"), 0, NULL, &err), BIR_STATUS_IO);
    /* Checks. */
    bir_findings *findings = NEW(bir_package_check_file(T(name), NULL, &err));
    size_t count = 99;
    int32_t severity = 0;
    OK(bir_findings_count(findings, &count, &err));
    for (size_t i = 0; i < count; i++) {
        OK(bir_findings_severity(findings, i, &severity, &err));
        CHECK(severity != BIR_SEVERITY_ERROR);
    }
    bir_findings_destroy(findings);
    findings = NEW(bir_package_check_file(T("hash.neff"), NULL, &err));
    OK(bir_findings_count(findings, &count, &err));
    int is_found = 0;
    for (size_t i = 0; i < count; i++) {
        bir_finding f;
        OK(bir_findings_get(findings, i, &f, &err));
        OK(bir_findings_severity(findings, i, &severity, &err));
        is_found |= f.status == BIR_STATUS_HASH_MISMATCH && severity == BIR_SEVERITY_ERROR && f.message.len > 0;
    }
    CHECK(is_found);
    IS(bir_findings_severity(findings, count, &severity, &err), BIR_STATUS_NOT_FOUND);
    bir_findings_destroy(findings);
    FAILS(bir_package_check_file(T("no.neff"), NULL, &err), BIR_STATUS_IO);
    FAILS(bir_package_check_file(T("cut.neff"), NULL, &err), BIR_STATUS_BAD_HEADER);
    /* Files. */
    char folder[40];
    snprintf(folder, sizeof folder, "from-%s", name);
    OK(bir_package_extract_file(T(name), T(folder), 0, NULL, &err));
    for (int i = 0; i < MEMBERS; i++) {
        char path[80];
        size_t len = 0;
        snprintf(path, sizeof path, "%s/%s", folder, members[i].name);
        char *bytes = file_read(path, &len);
        CHECK(len == members[i].size && memcmp(bytes, members[i].bytes, len) == 0);
        free(bytes);
    }
    IS(bir_package_extract_file(T(name), T(folder), 0, NULL, &err), BIR_STATUS_DUPLICATE_NAME);
    OK(bir_package_extract_file(T(name), T(folder), 1, NULL, &err));
    size_t before = folder_count(".");
    IS(bir_package_extract_file(T("hash.neff"), T("none"), 0, NULL, &err), BIR_STATUS_HASH_MISMATCH);
    CHECK(folder_count(".") == before);
    IS(bir_package_extract_file(T("cut.neff"), T("none"), 0, NULL, &err), BIR_STATUS_BAD_HEADER);
    IS(bir_package_extract_file(T("no.neff"), T("none"), 0, NULL, &err), BIR_STATUS_IO);
    CHECK(folder_count(".") == before);
}

void good_package_reader(void) {
    static const char *const names[3] = {"exact.neff", "plain.neff", "pieces.neff"};
    static const int32_t compressions[3] = {BIR_COMPRESSION_ZLIB, BIR_COMPRESSION_NONE, BIR_COMPRESSION_PARALLEL};
    uint32_t number = 1;
    for (size_t i = 0; i < LARGE; i++) {
        number = number * 1664525 + 1013904223;
        large[i] = (char)(i % 1000 < 500 ? 'x' : number >> 24);
    }
    for (int i = 0; i < 3; i++) {
        write_package(names[i], compressions[i]);
        reading(names[i], compressions[i] != BIR_COMPRESSION_NONE);
    }
    refused(names[0]);
    refused(names[1]);
    changes();
    for (int i = 0; i < 3; i++) {
        as_files(names[i]);
    }
}

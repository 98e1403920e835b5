#include "good.h"

static void is_added(bir_dedup *d, const char *name, const void *bytes, size_t size, int32_t dtype, const char *as,
                     int matched) {
    bir_string stored = {NULL, 0};
    uint8_t flag = 9;
    OK(bir_dedup_add(d, T(name), bytes, size, dtype, BIR_MEMORY_TYPE_DRAM, &stored, &flag, &err));
    CHECK(same_text(stored, as) && flag == matched);
}

static void is_line(bir_dedup *d, size_t index, const char *expected) {
    char line[80];
    size_t len = 0;
    OK(bir_dedup_diagnostic(d, index, NULL, 0, &len, &err));
    CHECK(len == strlen(expected));
    OK(bir_dedup_diagnostic(d, index, line, len + 1, &len, &err));
    CHECK(strcmp(line, expected) == 0);
    memset(line, 'x', sizeof line);
    IS(bir_dedup_diagnostic(d, index, line, len, &len, &err), BIR_STATUS_BAD_VALUE);
    CHECK(line[0] == 'x');
}

static void merging(void) {
    static const unsigned char zeros[1100] = {0}, ones[1100] = {1};
    bir_dedup *d = NEW(bir_dedup_create(1, &err));
    is_added(d, "a.npy", zeros, 1100, BIR_DTYPE_UINT8, "a.npy", 0);
    is_added(d, "b.npy", zeros, 1100, BIR_DTYPE_UINT8, "a.npy", 1);
    is_added(d, "c.npy", ones, 1100, BIR_DTYPE_UINT8, "c.npy", 0);
    is_added(d, "d.npy", zeros, 1100, BIR_DTYPE_INT32, "d.npy", 0);
    is_added(d, "e.npy", NULL, 0, BIR_DTYPE_UINT8, "e.npy", 0);
    VALUE(size_t, bir_dedup_presented, d, 5);
    VALUE(size_t, bir_dedup_unique_files, d, 4);
    VALUE(size_t, bir_dedup_file_count, d, 4);
    VALUE(uint64_t, bir_dedup_saved_bytes, d, 1100);
    is_line(d, 0, "added new uniq a.npy");
    is_line(d, 1, "found match for b.npy: a.npy");
    size_t len = 0;
    char text[80];
    IS(bir_dedup_diagnostic(d, 5, NULL, 0, &len, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_dedup_message(d, text, sizeof text, &len, &err));
    CHECK(len == strlen(text) && strcmp(text, "Const File de-dup saved 1 KB of memory footprint") == 0);
    bir_const_file file;
    OK(bir_dedup_file(d, 1, &file, &err));
    CHECK(same_text(file.name, "c.npy") && file.bytes.len == 1100 && memcmp(file.bytes.data, ones, 1100) == 0);
    CHECK(file.key.len == 32 + strlen("uint8DRAM") && memcmp(file.key.data + 32, "uint8DRAM", 9) == 0);
    /* The session has its own copy of the bytes. */
    CHECK(file.bytes.data != ones);
    IS(bir_dedup_file(d, 4, &file, &err), BIR_STATUS_NOT_FOUND);
    /* One name, two contents. */
    bir_string stored = {NULL, 7};
    IS(bir_dedup_add(d, T("c.npy"), zeros, 1100, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, &stored, NULL, &err),
       BIR_STATUS_CONFLICT);
    CHECK(stored.len == 7 && strstr(err.path, "c.npy") != NULL);
    VALUE(size_t, bir_dedup_presented, d, 5);
    bir_dedup_destroy(d);
}

static void off(void) {
    static const unsigned char zeros[2000] = {0};
    bir_dedup *d = NEW(bir_dedup_create(0, &err));
    is_added(d, "a", zeros, 2000, BIR_DTYPE_UINT8, "a", 0);
    is_added(d, "b", zeros, 2000, BIR_DTYPE_UINT8, "b", 0);
    VALUE(size_t, bir_dedup_unique_files, d, 0);
    VALUE(uint64_t, bir_dedup_saved_bytes, d, 0);
    VALUE(size_t, bir_dedup_file_count, d, 2);
    size_t len = 9;
    OK(bir_dedup_message(d, NULL, 0, &len, &err));
    CHECK(len == 0);
    bir_dedup_destroy(d);
    bir_dedup_destroy(NULL);
}

static void keys(void) {
    char key[80];
    size_t len = 0;
    OK(bir_dedup_key(NULL, 0, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err));
    CHECK(strcmp(key, "d41d8cd98f00b204e9800998ecf8427euint8DRAM") == 0 && len == strlen(key));
    OK(bir_dedup_key("abc", 3, BIR_DTYPE_FLOAT32, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err));
    CHECK(strcmp(key, "900150983cd24fb0d6963f7d28e17f72float32DRAM") == 0);
    IS(bir_dedup_key("abc", 3, 9999, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err), BIR_STATUS_UNKNOWN_ENUM);
}

void good_dedup(void) {
    merging();
    off();
    keys();
}

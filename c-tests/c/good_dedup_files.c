#include "folder.h"
#include "good.h"

enum { LARGE = 200000 };

static bir_deduped_file file_at(bir_dedup_report *report, size_t index) {
    bir_deduped_file file;
    OK(bir_dedup_report_file(report, index, &file, &err));
    return file;
}

static int starts_with(bir_string text, const char *start) {
    return text.len >= strlen(start) && memcmp(text.data, start, strlen(start)) == 0;
}

/* The folder `weights`, with two large files that are equal and one that is not, small ones, a link, and no other. */
static void is_reported(bir_dedup_report *report, int has_keys) {
    VALUE(size_t, bir_dedup_report_file_count, report, 6);
    VALUE(size_t, bir_dedup_report_unique_files, report, 4);
    VALUE(uint64_t, bir_dedup_report_bytes, report, 3 * LARGE + 3 + 3 + 7);
    VALUE(uint64_t, bir_dedup_report_saved_bytes, report, LARGE + 3);
    static const char *const names[6] = {"weights/a", "weights/b", "weights/c", "weights/sub/d", "weights/sub/e", "weights/sub/f"};
    static const size_t stored_as[6] = {0, 0, 2, 3, 3, 5};
    for (size_t i = 0; i < 6; i++) {
        bir_deduped_file f = file_at(report, i);
        CHECK(same_text(f.name, names[i]) && same_text(f.path, names[i]) && f.stored_as == stored_as[i]);
        CHECK(f.matched == (stored_as[i] != i) && f.bytes == (i < 3 ? LARGE : i < 5 ? 3 : 7));
        int has_equal = i < 2 || i == 3 || i == 4;
        CHECK(has_equal || has_keys ? f.key.len == 32 + strlen("uint8DRAM") : f.key.data == NULL);
    }
    bir_deduped_file f;
    IS(bir_dedup_report_file(report, 6, &f, &err), BIR_STATUS_NOT_FOUND);
    /* The key is that of the contents. */
    char key[80], line[80];
    size_t len = 0;
    OK(bir_dedup_key("abc", 3, BIR_DTYPE_UINT8, BIR_MEMORY_TYPE_DRAM, key, sizeof key, &len, &err));
    CHECK(same_text(file_at(report, 3).key, key));
    OK(bir_dedup_report_diagnostic(report, 1, line, sizeof line, &len, &err));
    CHECK(strcmp(line, "found match for weights/b: weights/a") == 0 && len == strlen(line));
    OK(bir_dedup_report_diagnostic(report, 2, line, sizeof line, &len, &err));
    CHECK(strcmp(line, "added new uniq weights/c") == 0);
    IS(bir_dedup_report_diagnostic(report, 6, line, sizeof line, &len, &err), BIR_STATUS_NOT_FOUND);
    OK(bir_dedup_report_message(report, line, sizeof line, &len, &err));
    CHECK(strcmp(line, "Const File de-dup saved 195 KB of memory footprint") == 0);
    /* What could not be read, then what was left out. */
    VALUE(size_t, bir_dedup_report_problem_count, report, 2);
    bir_dedup_problem problem;
    OK(bir_dedup_report_problem(report, 0, &problem, &err));
    CHECK(same_text(problem.path, "nowhere") && problem.status == BIR_STATUS_IO && problem.message.len > 0);
    OK(bir_dedup_report_problem(report, 1, &problem, &err));
    CHECK(same_text(problem.path, "weights/link") && problem.status == BIR_STATUS_OK && starts_with(problem.message, "a link"));
    IS(bir_dedup_report_problem(report, 2, &problem, &err), BIR_STATUS_NOT_FOUND);
    bir_dedup_report_destroy(report);
}

void good_dedup_files(void) {
    static char zeros[LARGE], others[LARGE];
    others[LARGE - 1] = 1;
    folder_make("weights");
    folder_make("weights/sub");
    file_write("weights/a", zeros, LARGE);
    file_write("weights/b", zeros, LARGE);
    file_write("weights/c", others, LARGE);
    file_write("weights/sub/d", "abc", 3);
    file_write("weights/sub/e", "abc", 3);
    file_write("weights/sub/f", "another", 7);
    link_make("a", "weights/link");
    /* Neither threads nor the order of the arguments make a difference. */
    const bir_string paths[2][2] = {{{"weights", 7}, {"nowhere", SIZE_MAX}}, {{"nowhere", 7}, {"weights", 7}}};
    for (uint32_t threads = 0; threads < 4; threads++) {
        bir_dedup_files_options options = {.size = sizeof options, .threads = threads};
        is_reported(NEW(bir_dedup_files(paths[threads % 2], 2, &options, &err)), 0);
        options.keys = 1;
        is_reported(NEW(bir_dedup_files(paths[threads % 2], 2, &options, &err)), 1);
    }
    is_reported(NEW(bir_dedup_files(paths[0], 2, NULL, &err)), 0);
    bir_dedup_files_options options = {.size = sizeof options, .has_dtype = 1, .dtype = BIR_DTYPE_FLOAT32,
                                       .memory_type = BIR_MEMORY_TYPE_SB};
    bir_dedup_report *report = NEW(bir_dedup_files(paths[0], 1, &options, &err));
    CHECK(memcmp(file_at(report, 0).key.data + 32, "float32SB", 9) == 0 && file_at(report, 0).key.len == 32 + 9);
    bir_dedup_report_destroy(report);
    report = NEW(bir_dedup_files(NULL, 0, NULL, &err));
    VALUE(size_t, bir_dedup_report_file_count, report, 0);
    bir_dedup_report_destroy(report);
    options.dtype = 99;
    FAILS(bir_dedup_files(paths[0], 1, &options, &err), BIR_STATUS_UNKNOWN_ENUM);
    options.dtype = BIR_DTYPE_UINT8;
    options.memory_type = 3;
    FAILS(bir_dedup_files(paths[0], 1, &options, &err), BIR_STATUS_UNKNOWN_ENUM);
    bir_dedup_report_destroy(NULL);
}

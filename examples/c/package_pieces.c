/* A package from pieces, for programs whose weights do not fit memory: writes one with a weight that is made while it is
 * written, and reads it again member by member.
 *
 *     package_pieces [PACKAGE]
 *
 * writes pieces.neff unless another name is given. Build it with
 *
 *     cc -std=c99 package_pieces.c $(pkg-config --cflags --libs bir)
 */
#include <bir.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A raw constant of so many bytes, none of which is ever in memory but the piece that is asked for. */
#define WEIGHT_BYTES (UINT64_C(4) << 20)

/* Every call fills this one. */
static bir_error err = {.size = sizeof(bir_error)};

static void fail(const char *what, int line) {
    fprintf(stderr, "package_pieces: line %d: %s\n  %s%s%s\n", line, what, err.message, err.path[0] ? " at " : "", err.path);
    exit(EXIT_FAILURE);
}

/* Evaluates a call, and ends the program if it failed. */
#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        call;                                                                                                                  \
        if (err.status != BIR_STATUS_OK)                                                                                       \
            fail(#call, __LINE__);                                                                                             \
    } while (0)

/* A text that ends at its NUL, in place of two arguments and in structs. */
#define NUL_ENDED(s) (s), SIZE_MAX

/* The weight: the same bytes at the same place each time. */
static bir_status weight(void *user, uint64_t offset, char *buffer, size_t size, size_t *count) {
    (void)user;
    uint64_t left = offset < WEIGHT_BYTES ? WEIGHT_BYTES - offset : 0;
    *count = left < size ? (size_t)left : size;
    for (size_t i = 0; i < *count; i++)
        buffer[i] = (char)((offset + i) >> 8);
    return BIR_STATUS_OK;
}

static void write_package(const char *file) {
    static const uint64_t shape[2] = {16, 64};
    const bir_package_writer_options options = {.size = sizeof options, .compression = BIR_COMPRESSION_PARALLEL};
    const bir_package_tensor input = {{NUL_ENDED("x")}, BIR_DTYPE_FLOAT32, shape, 2, 4096};
    const bir_package_tensor output = {{NUL_ENDED("y")}, BIR_DTYPE_FLOAT32, shape, 2, 4096};
    const bir_package_constant constant = {{NUL_ENDED("w")}, {NUL_ENDED("w.bin")}, WEIGHT_BYTES, 0, 0};
    const char notes[] = "Made by package_pieces.\n";
    bir_package_writer *writer;
    TRY(writer = bir_package_writer_create(NUL_ENDED("pieces"), NUL_ENDED("cayman"), 1, &options, &err));
    TRY(bir_package_writer_add_input(writer, 0, &input, &err));
    TRY(bir_package_writer_add_output(writer, 0, &output, &err));
    TRY(bir_package_writer_add_constant(writer, 0, &constant, &err));
    TRY(bir_package_writer_add_callback(writer, NUL_ENDED("sg00/w.bin"), WEIGHT_BYTES, weight, NULL, &err));
    TRY(bir_package_writer_add_member(writer, NUL_ENDED("notes.txt"), notes, sizeof notes - 1, &err));
    TRY(bir_package_writer_write_file(writer, NUL_ENDED(file), NULL, &err));
    bir_package_writer_destroy(writer);
}

/* Adds all bytes of the current member up, in pieces. */
static uint32_t sum_of(bir_package_reader *reader) {
    static unsigned char piece[1 << 16];
    uint32_t sum = 0;
    size_t count;
    do {
        TRY(bir_package_reader_read(reader, piece, sizeof piece, &count, &err));
        for (size_t i = 0; i < count; i++)
            sum += piece[i];
    } while (count == sizeof piece);
    return sum;
}

static void list_package(const char *file) {
    bir_package_reader *reader;
    bir_package_header header = {.size = sizeof header};
    TRY(reader = bir_package_reader_open_file(NUL_ENDED(file), NULL, &err));
    TRY(bir_package_reader_get_header(reader, &header, &err));
    printf("%s: program %s, %" PRIu64 " bytes of payload\n", file, header.name, header.data_size);
    for (;;) {
        bir_member member;
        uint8_t has;
        TRY(bir_package_reader_next(reader, &member, &has, &err));
        if (!has)
            break;
        printf("%10" PRIu64 "  %.*s", member.size, (int)member.name.len, member.name.data);
        /* What is not read is passed over. */
        if (member.size == WEIGHT_BYTES)
            printf("  (sum %" PRIu32 ")", sum_of(reader));
        printf("\n");
    }
    printf("the hash is right\n");
    bir_package_reader_destroy(reader);
}

int main(int argc, char **argv) {
    const char *file = argc > 1 ? argv[1] : "pieces.neff";
    write_package(file);
    list_package(file);
    return EXIT_SUCCESS;
}

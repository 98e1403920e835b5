/* Writes sets of members with libarchive, as the producer of packages does.
 *
 *   archive LOCALE INPUT OUTPUT
 *   archive --header SIZE NAME OUTPUT
 *
 * The second form writes only what stands before the contents of a member of SIZE bytes.
 *
 * INPUT: the number of sets; for each the number of members; for each member the length of its name, the name, mode, uid,
 * gid, the length of its contents, the contents. OUTPUT: for each set the archive in four forms (plain, gzip, and both
 * padded), each as the number of members that libarchive refused, the number that it wrote with a warning, the length,
 * and the bytes. All numbers have four bytes in the order of the machine. */
/* File types of sys/stat.h. */
#define _XOPEN_SOURCE 700

#include "producer.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>

typedef struct member {
    char *name;
    uint32_t mode, uid, gid, size;
    unsigned char *data;
} member;

typedef struct buffer {
    unsigned char *data;
    size_t size, capacity;
} buffer;

/* What is left of INPUT. */
static FILE *input;

static void *allocated(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

static void get(void *to, size_t size) {
    if (size != 0 && fread(to, size, 1, input) != 1) {
        fprintf(stderr, "the input ends early\n");
        exit(1);
    }
}

static uint32_t number(void) {
    uint32_t value;
    get(&value, sizeof value);
    return value;
}

static member get_member(void) {
    member m;
    uint32_t length = number();
    m.name = allocated(calloc(length + (size_t)1, 1));
    get(m.name, length);
    m.mode = number();
    m.uid = number();
    m.gid = number();
    m.size = number();
    m.data = allocated(malloc(m.size + (size_t)1));
    get(m.data, m.size);
    return m;
}

static la_ssize_t append(struct archive *archive, void *to, const void *bytes, size_t size) {
    buffer *out = to;
    (void)archive;
    if (out->capacity - out->size < size) {
        out->capacity = 2 * out->capacity + size;
        out->data = allocated(realloc(out->data, out->capacity));
    }
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
    return (la_ssize_t)size;
}

static void write_set(const member *members, uint32_t count, int gzip, int padded, FILE *output) {
    buffer out = {NULL, 0, 0};
    struct archive *archive = producer_archive(gzip, padded);
    if (archive_write_open(archive, &out, NULL, append, NULL) != ARCHIVE_OK) {
        producer_fail(archive, "open");
    }
    uint32_t head[3] = {0, 0, 0};
    struct archive_entry *entry = allocated(archive_entry_new());
    for (uint32_t i = 0; i < count; i++) {
        struct stat status;
        memset(&status, 0, sizeof status);
        /* Values that an archive must not show. */
        status.st_dev = 2049;
        status.st_ino = 1234567 + i;
        status.st_nlink = 1;
        status.st_mtime = status.st_ctime = status.st_atime = 1700000000;
        status.st_mode = S_IFREG | members[i].mode;
        status.st_uid = members[i].uid;
        status.st_gid = members[i].gid;
        status.st_size = members[i].size;
        int written = producer_header(archive, entry, members[i].name, &status);
        if (written <= ARCHIVE_FATAL) {
            producer_fail(archive, members[i].name);
        }
        if (written <= ARCHIVE_FAILED) {
            head[0]++;
            continue;
        }
        head[1] += written == ARCHIVE_WARN;
        /* In the pieces in which the producer reads its files. */
        for (uint32_t at = 0; at < members[i].size;) {
            uint32_t piece = members[i].size - at < 8192 ? members[i].size - at : 8192;
            if (archive_write_data(archive, members[i].data + at, piece) != (la_ssize_t)piece) {
                producer_fail(archive, members[i].name);
            }
            at += piece;
        }
    }
    archive_entry_free(entry);
    if (archive_write_close(archive) != ARCHIVE_OK) {
        producer_fail(archive, "close");
    }
    archive_write_free(archive);
    head[2] = (uint32_t)out.size;
    if (fwrite(head, sizeof head, 1, output) != 1 || fwrite(out.data, 1, out.size, output) != out.size) {
        fprintf(stderr, "the output cannot be written\n");
        exit(1);
    }
    free(out.data);
}

/* What stands before the contents of a large member; the contents are never written. */
static int write_header(const char *size, const char *name, const char *path) {
    buffer out = {NULL, 0, 0};
    struct archive *archive = producer_archive(0, 0);
    /* Nothing is kept back. */
    if (archive_write_set_bytes_per_block(archive, 0) != ARCHIVE_OK ||
        archive_write_open(archive, &out, NULL, append, NULL) != ARCHIVE_OK) {
        producer_fail(archive, "open");
    }
    struct stat status;
    memset(&status, 0, sizeof status);
    status.st_mode = S_IFREG | 0644;
    status.st_nlink = 1;
    status.st_size = (off_t)strtoll(size, NULL, 10);
    if (producer_header(archive, allocated(archive_entry_new()), name, &status) != ARCHIVE_OK) {
        producer_fail(archive, name);
    }
    FILE *output = fopen(path, "wb");
    if (output == NULL || fwrite(out.data, 1, out.size, output) != out.size || fclose(output) != 0) {
        perror(path);
        return 1;
    }
    /* Closing the archive would fill up the contents with zeros. */
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "--header") == 0 && setlocale(LC_ALL, "C.UTF-8") != NULL) {
        return write_header(argv[2], argv[3], argv[4]);
    }
    if (argc != 4 || setlocale(LC_ALL, argv[1]) == NULL) {
        fprintf(stderr, "usage: archive LOCALE INPUT OUTPUT, or archive --header SIZE NAME OUTPUT\n");
        return 1;
    }
    input = fopen(argv[2], "rb");
    FILE *output = fopen(argv[3], "wb");
    if (input == NULL || output == NULL) {
        perror(input == NULL ? argv[2] : argv[3]);
        return 1;
    }
    for (uint32_t sets = number(); sets > 0; sets--) {
        uint32_t count = number();
        member *members = allocated(calloc(count + (size_t)1, sizeof *members));
        for (uint32_t i = 0; i < count; i++) {
            members[i] = get_member();
        }
        for (int form = 0; form < 4; form++) {
            write_set(members, count, form & 1, form >> 1, output);
        }
        for (uint32_t i = 0; i < count; i++) {
            free(members[i].name);
            free(members[i].data);
        }
        free(members);
    }
    fclose(input);
    if (fclose(output) != 0) {
        perror(argv[3]);
        return 1;
    }
    printf("%s\n", archive_version_details());
    return 0;
}

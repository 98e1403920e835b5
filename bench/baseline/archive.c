/* The baseline of packages: the payload as the producer writes it, with libarchive and zlib.
 *
 *   archive LIST OUTPUT
 *
 * LIST names files, one a line, relative to the folder beside it that has its name without `.list`. Prints a line of JSON.
 *   --read N    reads N bytes at once, as many as the producer (8192) if it is not given
 *   --plain     without compression
 *   --cpu       seconds are the processor's */
#define _XOPEN_SOURCE 700

#include "producer.h"

#include <fcntl.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Adds one file; its size. */
static uint64_t add(struct archive *archive, struct archive_entry *entry, const char *name, const char *path, char *buffer,
                    size_t piece) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) {
        fail(path);
    }
    /* Of these the producer takes the host's: made the same everywhere, they can be compared. */
    status.st_uid = status.st_gid = 0;
    status.st_mode = S_IFREG | 0644;
    if (producer_header(archive, entry, name, &status) != ARCHIVE_OK) {
        producer_fail(archive, name);
    }
    ssize_t size;
    while ((size = read(file, buffer, piece)) > 0) {
        if (archive_write_data(archive, buffer, (size_t)size) != (la_ssize_t)size) {
            producer_fail(archive, name);
        }
    }
    if (size < 0) {
        fail(path);
    }
    close(file);
    return (uint64_t)status.st_size;
}

int main(int argc, char **argv) {
    size_t piece = 8192;
    int plain = 0;
    clockid_t clock = CLOCK_MONOTONIC;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--read") == 0 && i + 1 < argc) {
            piece = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--plain") == 0) {
            plain = 1;
        } else if (strcmp(argv[i], "--cpu") == 0) {
            clock = CLOCK_PROCESS_CPUTIME_ID;
        } else {
            argc = 0;
        }
    }
    char *dot = argc < 3 ? NULL : strrchr(argv[1], '.');
    if (dot == NULL || piece == 0 || setlocale(LC_ALL, "C.UTF-8") == NULL) {
        fprintf(stderr, "usage: archive LIST OUTPUT [--read N] [--plain] [--cpu]\n");
        return 1;
    }
    FILE *list = fopen(argv[1], "r");
    if (list == NULL) {
        fail(argv[1]);
    }
    char *buffer = malloc(piece);
    double start = now(clock);
    struct archive *archive = producer_archive(!plain, 0);
    struct archive_entry *entry = archive_entry_new();
    if (buffer == NULL || entry == NULL) {
        fail("memory");
    }
    if (archive_write_open_filename(archive, argv[2]) != ARCHIVE_OK) {
        producer_fail(archive, argv[2]);
    }
    uint64_t bytes = 0;
    char name[1024], path[4096];
    while (fgets(name, sizeof name, list) != NULL) {
        name[strcspn(name, "\n")] = 0;
        int length = snprintf(path, sizeof path, "%.*s/%s", (int)(dot - argv[1]), argv[1], name);
        if (length < 0 || (size_t)length >= sizeof path) {
            fail(name);
        }
        bytes += add(archive, entry, name, path, buffer, piece);
    }
    if (archive_write_close(archive) != ARCHIVE_OK) {
        producer_fail(archive, argv[2]);
    }
    double seconds = now(clock) - start;
    archive_entry_free(entry);
    archive_write_free(archive);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"phase\":\"archive\",\"bytes\":%llu,\"seconds\":%.9f,\"peak\":%lld}\n", (unsigned long long)bytes, seconds,
           (long long)usage.ru_maxrss * 1024);
    return 0;
}

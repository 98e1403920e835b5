/* The archives that the compiler which makes packages writes: libarchive with its settings (spec/neff.md section 4.1),
 * times set to 0 and the gzip filter's time stamp off (section 5.3). */
#ifndef PRODUCER_H
#define PRODUCER_H

#include <archive.h>
#include <archive_entry.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Ends the program with libarchive's words. */
static void producer_fail(struct archive *archive, const char *what) {
    fprintf(stderr, "%s: %s\n", what, archive_error_string(archive));
    exit(1);
}

/* A new archive, not open yet; `padded` leaves the last block as large as all others. */
static struct archive *producer_archive(int gzip, int padded) {
    struct archive *archive = archive_write_new();
    if (archive == NULL) {
        fprintf(stderr, "no memory for an archive\n");
        exit(1);
    }
    if (archive_write_set_format_pax(archive) != ARCHIVE_OK) {
        producer_fail(archive, "format pax");
    }
    if (gzip && (archive_write_add_filter_gzip(archive) != ARCHIVE_OK ||
                 archive_write_set_filter_option(archive, "gzip", "compression-level", "1") != ARCHIVE_OK ||
                 archive_write_set_filter_option(archive, "gzip", "timestamp", NULL) != ARCHIVE_OK)) {
        producer_fail(archive, "filter gzip");
    }
    if (!padded && archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK) {
        producer_fail(archive, "last block");
    }
    return archive;
}

/* Fills an entry from a file's status and a member name, and writes its header; libarchive's status. */
static int producer_header(struct archive *archive, struct archive_entry *entry, const char *name,
                           const struct stat *status) {
    archive_entry_clear(entry);
    archive_entry_copy_stat(entry, status);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_uname(entry, "nobody");
    archive_entry_set_gname(entry, "nobody");
    archive_entry_set_mtime(entry, 0, 0);
    archive_entry_set_ctime(entry, 0, 0);
    archive_entry_set_atime(entry, 0, 0);
    return archive_write_header(archive, entry);
}

#endif

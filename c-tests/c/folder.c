/* For mkdtemp and nftw, which C itself lacks. */
#define _XOPEN_SOURCE 700

#include "folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

static void must(int fact, const char *what, const char *name) {
    if (!fact) {
        perror(name);
        fprintf(stderr, "cannot %s %s\n", what, name);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void leave(void) {
    if (chdir("/") != 0 || nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0) {
        perror(folder);
        _exit(1);
    }
}

void folder_enter(void) {
    const char *parent = getenv("TMPDIR");
    int len = snprintf(folder, sizeof folder, "%s/bir-c-tests-XXXXXX", parent != NULL && *parent != '\0' ? parent : "/tmp");
    must(len > 0 && (size_t)len < sizeof folder, "name", "a folder");
    must(mkdtemp(folder) != NULL, "make", folder);
    must(chdir(folder) == 0, "enter", folder);
    must(atexit(leave) == 0, "promise to leave", folder);
}
char *file_read(const char *name, size_t *len) {
    FILE *file = fopen(name, "rb");
    must(file != NULL, "open", name);
    must(fseek(file, 0, SEEK_END) == 0, "read", name);
    long size = ftell(file);
    must(size >= 0 && fseek(file, 0, SEEK_SET) == 0, "read", name);
    char *bytes = malloc((size_t)size + 1);
    must(bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size, "read", name);
    bytes[size] = '\0';
    fclose(file);
    *len = (size_t)size;
    return bytes;
}

void file_write(const char *name, const void *bytes, size_t len) {
    FILE *file = fopen(name, "wb");
    must(file != NULL && fwrite(bytes, 1, len, file) == len, "write", name);
    must(fclose(file) == 0, "write", name);
}

int file_exists(const char *name) {
    return access(name, F_OK) == 0;
}

void folder_make(const char *name) {
    must(mkdir(name, 0700) == 0, "make", name);
}

void link_make(const char *target, const char *name) {
    must(symlink(target, name) == 0, "make", name);
}

size_t folder_count(const char *name) {
    DIR *entries = opendir(name);
    must(entries != NULL, "list", name);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(entries);
    return count;
}

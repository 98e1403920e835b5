/* A temporary folder as the working folder: what a program writes under relative names lies in it, and goes with it. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>

/* Makes the folder and goes into it; at the program's exit it is removed with all that it holds. Ends the program if
 * anything fails, as all of these do. */
void folder_enter(void);

/* The bytes of a file, followed by a NUL, to be freed by the caller. */
char *file_read(const char *name, size_t *len);

void file_write(const char *name, const void *bytes, size_t len);

int file_exists(const char *name);

void folder_make(const char *name);

/* A symbolic link. */
void link_make(const char *target, const char *name);

/* The number of names in a folder. */
size_t folder_count(const char *name);

#endif

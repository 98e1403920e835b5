/* A document, a module that can be packaged, and handles of every type. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "bir.h"

/* A document with a name that is taken and a key that nobody knows: two warnings. */
extern const char sample_document[];

/* A KLR file: kernel `k` with a block `main.1` and the statements `a`, a registerMove in line 3, and `b`, an operator without
 * lowering in line 9 of k.py. */
extern const unsigned char sample_kernel[];
extern const size_t sample_kernel_size;

/* One function `main` with the boundary tensors `src` and `dst`, and a constant for each file, named `c0`, `c1` and so on;
 * at most ten. It ends the program if anything fails, as all of these do. */
bir_module *sample_module(const char *const *files, int count);

typedef struct samples {
    bir_module *loaded;
    bir_load_report *load_report;
    bir_lower_report *lower_report;
    bir_buffer *document;
    bir_buffer *packed;
    bir_bytes package_bytes;
    bir_changes *changes;
    bir_pack_report *pack_report;
    bir_constants_report *constants_report;
    bir_package *package;
    bir_findings *findings;
    bir_difference *difference;
} samples;

samples samples_create(void);
void samples_destroy(samples *s);

/* A session to which four files were presented, one of them twice. */
bir_dedup *sample_dedup(void);

#endif

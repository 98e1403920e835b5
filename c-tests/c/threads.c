/* Several threads with a module each, all at the same time, give what one thread gives; a module may be handed on. */
#include "check.h"
#include "fixture.h"
#include "samples.h"

#include <pthread.h>

enum { THREADS = 6 };

typedef struct job {
    int number;
    int rounds;
    uint64_t sum;
    /* Made by one thread, looked at and destroyed by another. */
    bir_module *handed;
} job;

static uint64_t add(uint64_t sum, bir_string text, int32_t id) {
    for (size_t i = 0; i < text.len; i++) {
        sum = sum * 31 + (unsigned char)text.data[i];
    }
    return sum * 31 + (uint32_t)id;
}

/* A program with some hundred objects; what it is made of depends on the round only. */
static uint64_t build(bir_module *m, int round) {
    uint64_t sum = 0;
    char name[40];
    bir_function *f = NEW(bir_module_add_function(m, T("main"), NULL, NULL, &err));
    bir_block *b = NEW(bir_function_add_block(f, T("block"), NULL, NULL, &err));
    bir_inst *last = NULL;
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "instruction_with_a_long_name_%d", (i * 7 + round) % 50);
        bir_inst *inst = NEW(bir_block_add_inst(b, i % 105, T(name), NULL, NULL, &err));
        if (last != NULL) {
            OK(bir_inst_add_dependency(inst, last, BIR_EDGE_KIND_FLOW, BIR_EDGE_SET_NORMAL, NULL, &err));
        }
        if (i % 3 == 0 && last != NULL) {
            OK(bir_inst_erase(last, &err));
        }
        bir_string text;
        int32_t id = -1;
        OK(bir_inst_name(inst, &text, &err));
        OK(bir_inst_id(inst, &id, &err));
        sum = add(sum, text, id);
        int32_t bir = -1;
        OK(bir_translate_dtype(1 + (uint32_t)i % 20, &bir, &err));
        OK(bir_enum_member_name(BIR_ENUM_DTYPE, bir, &text, &err));
        sum = add(sum, text, bir);
        IS(bir_inst_set_engine(inst, 99, &err), BIR_STATUS_UNKNOWN_ENUM);
        sum = add(sum, (bir_string){err.message, strlen(err.message)}, 0);
        last = inst;
    }
    return sum;
}

static uint64_t add_buffer(uint64_t sum, bir_buffer *buffer) {
    bir_bytes bytes = {NULL, 0};
    OK(bir_buffer_bytes(buffer, &bytes, &err));
    sum = add(sum, (bir_string){(const char *)bytes.data, bytes.len}, 0);
    bir_buffer_destroy(buffer);
    return sum;
}

/* Documents, packages and all kinds of handles. */
static uint64_t write(const bir_module *m) {
    samples s = samples_create();
    bir_dedup *dedup = sample_dedup();
    bir_module *clone = NEW(bir_module_clone(m, &err));
    bir_module *boundary = sample_module(NULL, 0);
    uint8_t equal = 9;
    OK(bir_module_equal(m, clone, &equal, &err));
    CHECK(equal == 1);
    uint64_t sum = add_buffer(1, NEW(bir_module_save_to_buffer(clone, NULL, &err)));
    sum = add_buffer(sum, NEW(bir_pack_module(boundary, NULL, NULL, &err)));
    bir_module_destroy(boundary);
    bir_module_destroy(clone);
    bir_dedup_destroy(dedup);
    samples_destroy(&s);
    return sum;
}

static void *run(void *data) {
    job *j = data;
    for (int round = 0; round < j->rounds; round++) {
        fixture f = fixture_create();
        fixture_erased(&f);
        fixture_destroy(&f);
        bir_module *m = NEW(bir_module_create(&err));
        j->sum ^= build(m, round);
        if (round % 10 == 0) {
            j->sum ^= write(m);
        }
        bir_module_destroy(m);
    }
    j->handed = NEW(bir_module_create(&err));
    build(j->handed, j->number);
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 30;
    job alone = {0, rounds, 0, NULL};
    run(&alone);
    bir_module_destroy(alone.handed);
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){i, rounds, 0, NULL};
        CHECK(pthread_create(&threads[i], NULL, run, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(jobs[i].sum == alone.sum && alone.sum != 0);
        VALUE(size_t, bir_module_function_count, jobs[i].handed, 1);
        NEW(bir_module_add_function(jobs[i].handed, T("more"), NULL, NULL, &err));
        bir_module_destroy(jobs[i].handed);
    }
    return 0;
}

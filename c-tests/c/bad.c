/* Calls every function of the header with bad arguments, and judges what comes back.
 *
 * The functions come as a table that is made from the header (bad_table.h), so new ones are covered by themselves. For each
 * one a call that works is searched first; then one argument at a time is replaced by a bad one. Whatever is given:
 *   - nothing crashes or hangs, and the error struct agrees with the result, ends its texts, and may be NULL;
 *   - a call that fails writes to no place for a result, and changes nothing that any getter shows;
 *   - what the header says must fail does fail, with the status that it says.
 *
 * Files are only written below a temporary folder.
 *
 * usage: bad [quick]    quick: without the comparison of all getters, which takes most of the time
 */
#include "check.h"
#include "fixture.h"
#include "folder.h"
#include "samples.h"

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

enum type {
    T_NONE,
    T_bir_axis,
    T_bir_block,
    T_bir_block_arg,
    T_bir_block_holder,
    T_bir_expr,
    T_bir_function,
    T_bir_function_holder,
    T_bir_inst,
    T_bir_location,
    T_bir_module,
    T_bir_operand,
    T_bir_queue,
    T_bir_register,
    T_bir_set,
    T_bir_storage,
    T_bir_cse_report,
    /* Handles, of which callers own each. */
    T_bir_buffer,
    T_bir_changes,
    T_bir_constants_report,
    T_bir_dedup,
    T_bir_dedup_report,
    T_bir_difference,
    T_bir_file_sink,
    T_bir_findings,
    T_bir_load_report,
    T_bir_lower_report,
    T_bir_pack_report,
    T_bir_package,
    T_bir_package_reader,
    T_bir_package_writer,
    TYPES
};

enum element {
    E_bir_read_options,
    E_bir_write_options,
    E_bir_print_options,
    E_bir_lower_options,
    E_bir_graph_options,
    E_bir_pack_options,
    E_bir_open_options,
    E_bir_diff_options,
    E_bir_dedup_files_options,
    E_bir_package_reader_options,
    E_bir_package_write_options,
    E_bir_package_writer_options,
    E_bir_package_tensor,
    E_bir_package_queue,
    E_bir_package_constant,
    E_bir_package_variable,
    E_bir_dim,
    E_bir_term,
    E_bir_predicate,
    E_bir_string,
    E_uint64_t,
    E_int64_t,
    E_uint32_t,
    E_bir_expr_ptr,
    E_bir_axis_ptr,
    E_bir_wait,
    E_bir_update,
    E_bir_dynamic_ap,
    E_bir_inst_ptr,
    E_bir_register_ptr,
    E_bir_maybe_affine,
    E_double,
    E_size_t
};

enum form {
    P_NONE,
    P_OBJECT,    /* an object of a type */
    P_TEXT,      /* a text, whose length follows */
    P_TEXT_LEN,
    P_BYTES,     /* bytes, whose number follows */
    P_BYTES_LEN,
    P_ROOM,      /* room for bytes, whose number follows */
    P_ROOM_LEN,
    P_ARRAY,     /* elements, whose number follows */
    P_ARRAY_LEN,
    P_STRUCT,    /* one struct to be read */
    P_OUT,       /* a place for a result */
    P_OUT_OWNED, /* a place for an object of a type, which the caller frees */
    P_OUT_ARRAY, /* places for results, whose number follows */
    P_CAPACITY,
    P_INT,
    P_ADDRESS,   /* an address that is only stored or handed on */
    P_CALLBACK,  /* a function of a type */
    P_ERR
};

enum { O_TEXT = 1 };

/* What a text is. */
enum {
    X_NAME = 0,
    X_DOCUMENT, /* bytes, whatever they are */
    X_PATH      /* of a file or folder, which need not be UTF-8 */
};

enum callback {
    C_bir_write_callback,
    C_bir_file_callback,
    C_bir_read_callback,
    C_bir_read_at_callback,
    C_bir_progress_callback,
    C_bir_bytes_callback
};

typedef struct param {
    enum form form;
    int what;
    size_t size;
    int is_const;
    const char *name;
} param;

typedef union arg {
    void *p;
    uint64_t u;
    void (*f)(void);
} arg;

typedef struct result {
    bir_status status;
    void *object;
} result;

enum { MAX_PARAMS = 16, PLACES = 64, PLACE_BYTES = PLACES * 32 };

typedef struct function {
    const char *name;
    enum { R_STATUS, R_OBJECT, R_VALUE, R_VOID } result;
    void (*call)(const arg *a, bir_error *e, result *r);
    /* The type of the result, if the caller frees it. */
    enum type owned;
    int count;
    param params[MAX_PARAMS];
} function;

#include "bad_table.h"

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- Exceptions from the rules, each with the header's words ------------------------------------------------------ */

/* Parameters that may be NULL in every function that has them. */
static const char *const optional_names[] = {"before", "after", "renamed", "added", "removed", "replaced",
                                             "options", "user"};

/* Others that may be NULL. */
static const char *const optional[][2] = {
    {"bir_module_register_vtable", "vtable"},           /* "NULL for none" */
    {"bir_inst_set_debug", "json"},                     /* "NULL removes it" */
    {"bir_location_set_alloced_func", "name"},          /* "NULL removes it" */
    {"bir_location_set_remote_writer_func", "name"},    /* "NULL removes it" */
    {"bir_location_set_remote_local_target", "name"},   /* "a NULL name removes it" */
    {"bir_location_set_pointer_ref", "target"},         /* "removes it for NULL" */
    {"bir_block_arg_set_storage", "storage"},           /* "or to none for NULL" */
    {"bir_operand_set_register", "reg"},                /* "or removes it for NULL" */
    {"bir_inst_set_wait_producer", "from"},             /* "or removes it for NULL" */
    {"bir_inst_set_dynamic_axis", "lb"},                /* "NULL for none" */
    {"bir_inst_set_dynamic_axis", "ub"},
    {"bir_inst_set_dynamic_axis", "stride"},
    {"bir_inst_add_symbolic_immediate", "expr"},        /* bir_operand_symbolic_immediate_expr(): "NULL if there is none" */
    {"bir_inst_add_register_ap", "offset_register"},    /* "the last two may be NULL" */
    {"bir_inst_add_register_ap", "sub_tensor_register"},
    {"bir_dedup_add", "matched"},                       /* "it may be NULL" */
    {"bir_function_clone_to", "name"},                  /* "NULL keeps the name" */
    {"bir_block_clone_to", "name"},
    {"bir_inst_clone_to", "name"},
    {"bir_set_clone_to", "name"},
    {"bir_register_clone_to", "name"},
};

/* "of the same or another module" */
static int takes_two_modules(const function *f) {
    return strstr(f->name, "_clone_to") != NULL || strcmp(f->name, "bir_module_clone_into") == 0;
}

/* The path that a function gets. */
static const char *path_for(const function *f, const param *p) {
    static const char *const paths[][2] = {
        {"bir_module_load_file", "document.json"},        {"bir_module_save_file", "saved.json"},
        {"bir_pack_module_to_file", "packed.neff"},       {"bir_package_open_file", "package.neff"},
        {"bir_package_writer_add_file", "document.json"}, {"bir_package_writer_write_file", "written.neff"},
        {"bir_package_reader_open_file", "package.neff"}, {"bir_package_check_file", "package.neff"},
        {"bir_package_extract_file", "package.neff"},     {"bir_package_member_of_file", "package.neff"},
    };
    if (strcmp(p->name, "folder") == 0) {
        return "extracted";
    }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (strcmp(f->name, paths[i][0]) == 0) {
            return paths[i][1];
        }
    }
    CHECK(!"a function that takes a path has one here");
    return NULL;
}

static int is_optional(const function *f, const param *p) {
    if (p->form == P_OUT_OWNED && strcmp(p->name, "report") == 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof optional_names / sizeof optional_names[0]; i++) {
        if (strcmp(p->name, optional_names[i]) == 0) {
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        if (strcmp(f->name, optional[i][0]) == 0 && strcmp(p->name, optional[i][1]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- Objects ------------------------------------------------------------------------------------------------------ */

enum { POOL = 20 };

/* Which instruction and field a function on fields is first called with. Where what it takes depends on the field, the call
 * is one that works. */
static const struct {
    const char *function;
    int32_t opcode;
    const char *key;
} by_field[] = {
    {"bir_inst_get_length", BIR_INSTRUCTION_TYPE_IOTA, "pattern"},
    {"bir_inst_get_row_length", BIR_INSTRUCTION_TYPE_BIRKERNEL, "dsts_shape"},
    {"bir_inst_get_state", BIR_INSTRUCTION_TYPE_IOTA, "pattern"},
    {"bir_inst_get_bool", BIR_INSTRUCTION_TYPE_DMACOPY, "use_gpsimd_dma"},
    {"bir_inst_get_int", BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask"},
    {"bir_inst_get_uint", BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask"},
    {"bir_inst_get_float", BIR_INSTRUCTION_TYPE_BIRKERNEL, "lower_bound"},
    {"bir_inst_get_text", BIR_INSTRUCTION_TYPE_TONGAREDUCEMACROSYMBOLIC, "reduce_axes"},
    {"bir_inst_get_json", BIR_INSTRUCTION_TYPE_BIRKERNEL, "kernel_attrs"},
    {"bir_inst_get_pair", BIR_INSTRUCTION_TYPE_IOTA, "pattern"},
    {"bir_inst_get_row_int", BIR_INSTRUCTION_TYPE_BIRKERNEL, "dsts_shape"},
    {"bir_inst_get_row_uint", BIR_INSTRUCTION_TYPE_BIRKERNEL, "dsts_shape"},
    {"bir_inst_get_expr", BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "recv_from_rank"},
    {"bir_inst_get_queue", BIR_INSTRUCTION_TYPE_DMATRIGGER, "queue"},
    {"bir_inst_get_block", BIR_INSTRUCTION_TYPE_SWITCHQUEUEINSTANCE, "instance"},
    {"bir_inst_get_function", BIR_INSTRUCTION_TYPE_CALL, "target"},
    {"bir_inst_get_inst", BIR_INSTRUCTION_TYPE_DMATRIGGER, "dma_blocks"},
    {"bir_inst_get_register", BIR_INSTRUCTION_TYPE_LOOP, "registers"},
    {"bir_inst_get_object", BIR_INSTRUCTION_TYPE_DMATRIGGER, "dma_blocks"},
    {"bir_inst_set_absent", BIR_INSTRUCTION_TYPE_DMATRIGGER, "queue"},
    {"bir_inst_set_bool", BIR_INSTRUCTION_TYPE_DMACOPY, "use_gpsimd_dma"},
    {"bir_inst_set_int", BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "pipe_id"},
    {"bir_inst_set_uint", BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "pipe_id"},
    {"bir_inst_set_float", BIR_INSTRUCTION_TYPE_BIRKERNEL, "lower_bound"},
    {"bir_inst_set_text", BIR_INSTRUCTION_TYPE_BIRKERNEL, "kernel_name"},
    {"bir_inst_set_json", BIR_INSTRUCTION_TYPE_BIRKERNEL, "kernel_attrs"},
    {"bir_inst_set_expr", BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "send_to_rank"},
    {"bir_inst_set_node", BIR_INSTRUCTION_TYPE_DOWHILE, "cond"},
    {"bir_inst_set_queue", BIR_INSTRUCTION_TYPE_DMATRIGGER, "queue"},
    {"bir_inst_set_block", BIR_INSTRUCTION_TYPE_SWITCHQUEUEINSTANCE, "instance"},
    {"bir_inst_set_function", BIR_INSTRUCTION_TYPE_CALL, "target"},
    {"bir_inst_set_inst", BIR_INSTRUCTION_TYPE_DMABLOCK, "dma_trigger"},
    {"bir_inst_set_ints", BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask"},
    {"bir_inst_set_uints", BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask"},
    {"bir_inst_set_floats", BIR_INSTRUCTION_TYPE_DMACOPY, "constants"},
    {"bir_inst_set_texts", BIR_INSTRUCTION_TYPE_TONGAREDUCEMACROSYMBOLIC, "reduce_axes"},
    {"bir_inst_set_exprs", BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "recv_from_rank"},
    {"bir_inst_set_maybe_affines", BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask"},
    {"bir_inst_set_pairs", BIR_INSTRUCTION_TYPE_IOTA, "pattern"},
    {"bir_inst_set_registers", BIR_INSTRUCTION_TYPE_LOOP, "registers"},
    {"bir_inst_set_insts", BIR_INSTRUCTION_TYPE_DMATRIGGER, "dma_blocks"},
    {"bir_inst_set_rows", BIR_INSTRUCTION_TYPE_BIRKERNEL, "dsts_shape"},
};

/* The opcodes above that the fixture lacks. */
static const int32_t opcodes_with_fields[] = {
    BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, BIR_INSTRUCTION_TYPE_BIRKERNEL, BIR_INSTRUCTION_TYPE_CALL,
    BIR_INSTRUCTION_TYPE_DMATRIGGER, BIR_INSTRUCTION_TYPE_SWITCHQUEUEINSTANCE, BIR_INSTRUCTION_TYPE_IOTA,
    BIR_INSTRUCTION_TYPE_DOWHILE, BIR_INSTRUCTION_TYPE_TONGAREDUCEMACROSYMBOLIC, BIR_INSTRUCTION_TYPE_STREAMSHUFFLE,
};

enum { WITH_FIELDS = sizeof opcodes_with_fields / sizeof opcodes_with_fields[0] };

/* The objects of one module, by type. */
typedef struct world {
    fixture f;
    erased x;
    void *live[TYPES][POOL];
    size_t lives[TYPES];
    void *dead[TYPES][POOL];
    size_t deads[TYPES];
    /* A register that nothing uses. */
    bir_register *spare;
    /* A module with nothing in it, and the only handles that are ever changed. */
    bir_module *empty;
    bir_dedup *dedup;
    bir_package_writer *writer;
    /* At the start, and at a member. */
    bir_package_reader *readers[2];
    /* Instructions that have fields of all kinds, with something in each that is asked for. */
    bir_inst *with_fields[WITH_FIELDS];
    uint64_t digest;
} world;

static void put(void *(*pool)[POOL], size_t *counts, enum type type, void *object) {
    CHECK(object != NULL && counts[type] < POOL);
    pool[type][counts[type]++] = object;
}

static void fill(world *w);

/* What a pass did to modules that are gone: a merge and an instruction that had to stay, and nothing, in few words. They
 * never change. */
static bir_cse_report *cse_reports[2];

static void free_cse_reports(void) {
    bir_cse_report_destroy(cse_reports[0]);
    bir_cse_report_destroy(cse_reports[1]);
}

static bir_cse_report *sample_cse_report(int which) {
    static const bir_dim dims[1] = {{1, 4}};
    if (cse_reports[which] != NULL) {
        return cse_reports[which];
    }
    bir_module *m = NEW(bir_module_create(&err));
    OK(bir_module_cse(m, &cse_reports[1], &err));
    bir_function *f = NEW(bir_module_add_function(m, T("f"), NULL, NULL, &err));
    bir_block *b = NEW(bir_function_add_block(f, T("b"), NULL, NULL, &err));
    bir_set *set =
        NEW(bir_function_add_set(f, T("s"), BIR_TENSOR_KIND_INTERNAL, BIR_DTYPE_FLOAT32, NULL, NULL, &err));
    bir_location *to = NEW(bir_set_add_location(set, T("s"), BIR_MEMORY_TYPE_SB, NULL, NULL, &err));
    for (int i = 0; i < 3; i++) {
        bir_inst *memset_to = NEW(bir_block_add_inst(b, BIR_INSTRUCTION_TYPE_MEMSET, T("i"), NULL, NULL, &err));
        NEW(bir_inst_add_physical_ap(memset_to, BIR_INSTRUCTION_ARGUMENT_TYPE_OUTPUT, to, BIR_DTYPE_FLOAT32, dims, 1, 0,
                                     NULL, &err));
        if (i == 2) {
            OK(bir_inst_set_debug_update_semaphore(memset_to, 1, 0, &err));
        }
    }
    OK(bir_module_cse(m, &cse_reports[0], &err));
    VALUE(size_t, bir_cse_report_merged_count, cse_reports[0], 1);
    VALUE(size_t, bir_cse_report_kept_count, cse_reports[0], 1);
    bir_module_destroy(m);
    CHECK(atexit(free_cse_reports) == 0);
    return cse_reports[which];
}

/* ---- Handles ------------------------------------------------------------------------------------------------------ */

/* They never change. */
static samples shown;
static bir_dedup_report *dedup_report;
/* Lives while a callback runs. */
static bir_file_sink *sink;

static bir_package_writer *sample_writer(void) {
    const bir_package_tensor output = {{"o", 1}, BIR_DTYPE_UINT8, NULL, 0, 1};
    bir_package_writer *writer = NEW(bir_package_writer_create(T("w"), T("cayman"), 1, NULL, &err));
    OK(bir_package_writer_add_output(writer, 0, &output, &err));
    return writer;
}

static bir_package_reader *sample_reader(int members) {
    bir_package_reader *reader = NEW(bir_package_reader_open_file(T("package.neff"), NULL, &err));
    for (int i = 0; i < members; i++) {
        bir_member member;
        uint8_t has = 0;
        OK(bir_package_reader_next(reader, &member, &has, &err));
        CHECK(has == 1 && member.size > 0);
    }
    return reader;
}

static void fill_handles(world *w) {
    /* A package needs an output. */
    bir_set *result = NEW(bir_function_add_set(w->f.second_function, T("result_set"), BIR_TENSOR_KIND_EXTERNALOUTPUT,
                                               BIR_DTYPE_FLOAT32, NULL, NULL, &err));
    NEW(bir_set_add_location(result, T("result"), BIR_MEMORY_TYPE_DRAM, NULL, NULL, &err));
    w->empty = NEW(bir_module_create(&err));
    w->dedup = sample_dedup();
    put(w->live, w->lives, T_bir_dedup, w->dedup);
    w->writer = sample_writer();
    put(w->live, w->lives, T_bir_package_writer, w->writer);
    for (int i = 0; i < 2; i++) {
        w->readers[i] = sample_reader(i);
        put(w->live, w->lives, T_bir_package_reader, w->readers[i]);
    }
    put(w->live, w->lives, T_bir_constants_report, shown.constants_report);
    put(w->live, w->lives, T_bir_dedup_report, dedup_report);
    put(w->live, w->lives, T_bir_buffer, shown.document);
    put(w->live, w->lives, T_bir_buffer, shown.packed);
    put(w->live, w->lives, T_bir_changes, shown.changes);
    put(w->live, w->lives, T_bir_difference, shown.difference);
    put(w->live, w->lives, T_bir_findings, shown.findings);
    put(w->live, w->lives, T_bir_load_report, shown.load_report);
    put(w->live, w->lives, T_bir_lower_report, shown.lower_report);
    put(w->live, w->lives, T_bir_pack_report, shown.pack_report);
    put(w->live, w->lives, T_bir_package, shown.package);
    if (sink != NULL) {
        put(w->live, w->lives, T_bir_file_sink, sink);
    }
}

static void world_destroy(world *w) {
    fixture_destroy(&w->f);
    bir_module_destroy(w->empty);
    bir_dedup_destroy(w->dedup);
    bir_package_writer_destroy(w->writer);
    bir_package_reader_destroy(w->readers[0]);
    bir_package_reader_destroy(w->readers[1]);
}

/* The files that functions read, and what is found in them. */
static void write_files(void) {
    static const bir_string paths[3] = {{"document.json", 13}, {"package.neff", 12}, {"nowhere", 7}};
    file_write("document.json", sample_document, strlen(sample_document));
    file_write("package.neff", shown.package_bytes.data, shown.package_bytes.len);
    dedup_report = NEW(bir_dedup_files(paths, 3, NULL, &err));
}

/* What the caller's function returns, and how often it was called. */
static bir_status answer;
static unsigned long answers;

static void *address(void);

static bir_status take_piece(void *user, const char *bytes, size_t len) {
    CHECK(user == NULL || user == address());
    CHECK(bytes != NULL && len > 0);
    answers++;
    return answer;
}

typedef void (*any_function)(void);

/* A document in one piece, and then its end. */
static bir_status give_piece(void *user, char *buffer, size_t size, size_t *count) {
    static const char document[] = "{\"version\": 2, \"arch\": \"gen3\", \"functions\": []}";
    static int is_given;
    CHECK(user == NULL || user == address());
    CHECK(buffer != NULL && size >= sizeof document && *count == 0);
    answers++;
    is_given = !is_given && answer == BIR_STATUS_OK;
    if (is_given) {
        memcpy(buffer, document, sizeof document - 1);
        *count = sizeof document - 1;
    }
    return answer;
}

/* The start of a package, as often as it is asked for. */
static bir_status give_package(void *user, char *buffer, size_t size, size_t *count) {
    CHECK(user == NULL || user == address());
    CHECK(buffer != NULL && size >= 2048 && *count == 0);
    answers++;
    if (answer == BIR_STATUS_OK) {
        *count = 2048;
        memcpy(buffer, shown.package_bytes.data, *count);
    }
    return answer;
}

/* Only kept: nothing is written. */
static bir_status give_at(void *user, uint64_t offset, char *buffer, size_t size, size_t *count) {
    (void)user, (void)offset, (void)buffer, (void)size, (void)count;
    CHECK(!"a member is read when it is written");
    return BIR_STATUS_OK;
}

static any_function callback(const function *f, enum callback kind) {
    switch (kind) {
    case C_bir_write_callback:
        return (any_function)take_piece;
    case C_bir_read_callback:
        return strncmp(f->name, "bir_package_", 12) == 0 ? (any_function)give_package : (any_function)give_piece;
    case C_bir_read_at_callback:
        return (any_function)give_at;
    default:
        CHECK(!"a function for every type");
        return NULL;
    }
}

static world world_create(void) {
    world w;
    memset(&w, 0, sizeof w);
    fixture *f = &w.f;
    *f = fixture_create();
    /* Into the loop whose axis they use: only then there is a document, and a package, of the module. */
    const int32_t in = BIR_INSTRUCTION_ARGUMENT_TYPE_ARGUMENT;
    OK(bir_operand_move(f->operand[SYMBOLIC], f->inner, in, NULL, &err));
    OK(bir_operand_move(f->operand[SYMBOLIC_IMMEDIATE], f->inner, in, NULL, &err));
    w.x = fixture_erased(f);
    erased *x = &w.x;
    fill(&w);
    fill_handles(&w);
#define LIVE(type, object) put(w.live, w.lives, T_##type, (object))
    LIVE(bir_module, f->module);
    LIVE(bir_module, w.empty);
    LIVE(bir_function_holder, f->functions);
    LIVE(bir_function_holder, f->nki);
    LIVE(bir_function, f->function);
    LIVE(bir_function, f->second_function);
    LIVE(bir_function, f->nki_function);
    LIVE(bir_block_holder, f->function_blocks);
    LIVE(bir_block_holder, f->loop_blocks);
    LIVE(bir_block_holder, f->queue_blocks);
    LIVE(bir_block, f->block);
    LIVE(bir_block, f->second_block);
    LIVE(bir_block, f->body);
    LIVE(bir_block, f->queue_block);
    LIVE(bir_inst, f->inst);
    LIVE(bir_inst, f->second_inst);
    LIVE(bir_inst, f->loop);
    LIVE(bir_inst, f->dynamic_loop);
    LIVE(bir_inst, f->dma_block);
    LIVE(bir_inst, f->inner);
    for (size_t i = 0; i < WITH_FIELDS; i++) {
        LIVE(bir_inst, w.with_fields[i]);
    }
    LIVE(bir_axis, f->axis);
    LIVE(bir_axis, f->dynamic_axis);
    for (int i = 0; i < OPERAND_KINDS; i++) {
        LIVE(bir_operand, f->operand[i]);
    }
    LIVE(bir_operand, f->output);
    LIVE(bir_block_arg, f->arg);
    LIVE(bir_block_arg, f->second_arg);
    LIVE(bir_set, f->set);
    LIVE(bir_set, f->pointer_set);
    LIVE(bir_location, f->location);
    LIVE(bir_location, f->second_location);
    LIVE(bir_location, f->pointer_location);
    LIVE(bir_location, f->psum_location);
    LIVE(bir_register, f->reg);
    LIVE(bir_register, f->second_reg);
    LIVE(bir_register, w.spare);
    LIVE(bir_storage, f->set);
    LIVE(bir_storage, f->pointer_set);
    LIVE(bir_storage, f->reg);
    LIVE(bir_storage, f->second_reg);
    LIVE(bir_storage, f->location);
    LIVE(bir_storage, f->second_location);
    LIVE(bir_queue, f->queue);
    LIVE(bir_queue, f->second_queue);
    for (int i = 0; i < EXPR_KINDS; i++) {
        LIVE(bir_expr, f->expr[i]);
    }
    LIVE(bir_cse_report, sample_cse_report(0));
    LIVE(bir_cse_report, sample_cse_report(1));
#define DEAD(type, object) put(w.dead, w.deads, T_##type, (object))
    DEAD(bir_function, x->function);
    DEAD(bir_block, x->block);
    DEAD(bir_inst, x->inst);
    DEAD(bir_inst, x->loop);
    DEAD(bir_axis, x->axis);
    DEAD(bir_block_holder, x->holder);
    DEAD(bir_operand, x->operand);
    DEAD(bir_block_arg, x->arg);
    DEAD(bir_set, x->set);
    DEAD(bir_location, x->location);
    DEAD(bir_register, x->reg);
    DEAD(bir_storage, x->set);
    DEAD(bir_storage, x->reg);
    DEAD(bir_storage, x->location);
    DEAD(bir_queue, x->queue);
    return w;
}

static bir_inst *with(const world *w, int32_t opcode, const char *key, int32_t *field) {
    for (size_t i = 0; i < WITH_FIELDS; i++) {
        if (opcodes_with_fields[i] == opcode) {
            OK(bir_opcode_find_field(opcode, T(key), field, &err));
            return w->with_fields[i];
        }
    }
    CHECK(!"the opcode is in the list");
    return NULL;
}

static void fill_fields(world *w) {
    static const bir_dim pairs[2] = {{1, 2}, {3, 4}};
    static const uint64_t numbers[4] = {1, 2, 3, 4};
    static const size_t lengths[2] = {2, 2};
    static const bir_string texts[2] = {{"i", 1}, {"j", 1}};
    const fixture *f = &w->f;
    const bir_expr *const exprs[2] = {f->expr[BIR_EXPR_KIND_SHARD_ID], f->expr[BIR_EXPR_KIND_CC_DIV]};
    const bir_inst *const blocks[2] = {f->dma_block, f->dma_block};
    const bir_register *const regs[2] = {f->reg, f->second_reg};
    int32_t field = -1;
    for (size_t i = 0; i < WITH_FIELDS; i++) {
        w->with_fields[i] = NEW(bir_block_add_inst(f->block, opcodes_with_fields[i], T("with_fields"), NULL, NULL, &err));
    }
    bir_inst *i = with(w, BIR_INSTRUCTION_TYPE_COLLECTIVECOMPUTE, "recv_from_rank", &field);
    OK(bir_inst_set_exprs(i, field, exprs, 2, &err));
    i = with(w, BIR_INSTRUCTION_TYPE_BIRKERNEL, "dsts_shape", &field);
    OK(bir_inst_set_rows(i, field, numbers, 4, lengths, 2, &err));
    i = with(w, BIR_INSTRUCTION_TYPE_DMATRIGGER, "dma_blocks", &field);
    OK(bir_inst_set_insts(i, field, blocks, 2, &err));
    i = with(w, BIR_INSTRUCTION_TYPE_IOTA, "pattern", &field);
    OK(bir_inst_set_pairs(i, field, pairs, 2, &err));
    i = with(w, BIR_INSTRUCTION_TYPE_TONGAREDUCEMACROSYMBOLIC, "reduce_axes", &field);
    OK(bir_inst_set_texts(i, field, texts, 2, &err));
    i = with(w, BIR_INSTRUCTION_TYPE_STREAMSHUFFLE, "mask", &field);
    OK(bir_inst_set_uints(i, field, numbers, 2, &err));
    OK(bir_inst_find_field(f->loop, T("registers"), &field, &err));
    OK(bir_inst_set_registers(f->loop, field, regs, 2, &err));
}

/* Members that getters by index need something in. */
static void fill(world *w) {
    static const bir_string one[1] = {{"{}", 2}};
    static const bir_dim dims[1] = {{1, 1}};
    const fixture *f = &w->f;
    const bir_wait wait = {1, 2, BIR_WAIT_MODE_SEM_GE_IMM, 0, NULL};
    const bir_update update = {1, 2, BIR_UPDATE_MODE_SEM_INC, 0, 0, 0};
    const bir_dynamic_ap dynamic = {1, BIR_INDIRECT_DIM_W, 2};
    const bir_term terms[1] = {{f->expr[BIR_EXPR_KIND_INT_RUNTIME_VALUE], 2}};
    const bir_expr *const exprs[1] = {f->expr[BIR_EXPR_KIND_CC_DIV]};
    const bir_predicate predicates[1] = {{f->expr[BIR_EXPR_KIND_CC_DIV], BIR_PREDICATE_GE}};
    for (int i = 0; i < 2; i++) {
        OK(bir_inst_add_wait(f->inst, &wait, &err));
        OK(bir_inst_add_update(f->inst, &update, &err));
        OK(bir_inst_add_unroll_dependency(f->inst, f->loop, BIR_EDGE_KIND_ANTI, exprs, 1, predicates, 1, &err));
    }
    OK(bir_operand_set_dynamic(f->output, &dynamic, dims, 1, terms, 1, &err));
    OK(bir_function_set_attributes(f->function, one, 1, &err));
    OK(bir_inst_set_optin_passes(f->inst, one, 1, &err));
    OK(bir_location_set_optin_passes(f->location, one, 1, &err));
    fill_fields(w);
    w->spare = NEW(bir_function_add_register(f->second_function, T("unused"), NULL, NULL, &err));
}

/* ---- Values ------------------------------------------------------------------------------------------------------- */

static const bir_string names[2] = {{"{}", 2}, {"{}", SIZE_MAX}};

/* Two elements, or one struct, made of objects of a world. They live until the next call for the same element. */
static void *elements(enum element element, const world *w) {
    static bir_dim dims[2] = {{1, 2}, {3, 4}};
    static uint64_t numbers[2] = {1, 2};
    static bir_term terms[2];
    static bir_predicate predicates[2];
    static bir_expr *exprs[2];
    static bir_axis *axes[2];
    static bir_wait wait;
    static bir_update update = {1, 2, BIR_UPDATE_MODE_SEM_INC, 0, 0, 0};
    static bir_dynamic_ap dynamic = {1, BIR_INDIRECT_DIM_W, 2};
    static bir_read_options read = {.size = sizeof read};
    static bir_write_options write = {sizeof write, 0, 0, 0};
    static bir_print_options print = {sizeof print, 0, 0};
    /* A core without a body: sample_kernel has nothing to complain about then, with or without a report. */
    static bir_lower_options lower = {.size = sizeof lower, .has_core_id = 1, .core_id = 1};
    static bir_graph_options graph = {.size = sizeof graph, .format = BIR_GRAPH_FORMAT_DOT};
    static bir_open_options open = {sizeof open, 0, 0};
    static bir_diff_options diff = {sizeof diff, 0};
    static bir_dedup_files_options dedup = {.size = sizeof dedup, .threads = 1};
    static bir_package_reader_options reader = {.size = sizeof reader};
    static bir_package_write_options written = {.size = sizeof written, .threads = 1};
    static bir_package_writer_options writer = {.size = sizeof writer, .compression = BIR_COMPRESSION_NONE};
    static bir_package_tensor tensor = {{"t", 1}, BIR_DTYPE_UINT16, NULL, 0, 2};
    static bir_package_queue queue = {{"q", 1}, BIR_PACKAGE_QUEUE_IN, BIR_ENGINE_TYPE_SP, 3, 1};
    static bir_package_constant constant = {{"c", 1}, {"c.npy", 5}, 8, 0, 0};
    static bir_package_variable variable = {.name = {"v", 1}, .kind = BIR_VARIABLE_TMP_BUF, .bytes = 8};
    static bir_pack_options pack;
    static bir_inst *insts[2];
    static bir_register *regs[2];
    static bir_maybe_affine maybes[2];
    static double reals[2] = {1.5, -2};
    static size_t lengths[2] = {1, 1};
    const fixture *f = &w->f;
    switch (element) {
    case E_bir_read_options:
        return &read;
    case E_bir_write_options:
        return &write;
    case E_bir_print_options:
        return &print;
    case E_bir_lower_options:
        return &lower;
    case E_bir_graph_options:
        return &graph;
    case E_bir_open_options:
        return &open;
    case E_bir_diff_options:
        return &diff;
    case E_bir_dedup_files_options:
        return &dedup;
    case E_bir_package_reader_options:
        return &reader;
    case E_bir_package_write_options:
        return &written;
    case E_bir_package_writer_options:
        return &writer;
    case E_bir_package_tensor:
        return &tensor;
    case E_bir_package_queue:
        return &queue;
    case E_bir_package_constant:
        return &constant;
    case E_bir_package_variable:
        return &variable;
    case E_bir_pack_options:
        memset(&pack, 0, sizeof pack);
        pack.size = sizeof pack;
        pack.compression = BIR_COMPRESSION_NONE;
        return &pack;
    case E_bir_dim:
        return dims;
    case E_bir_string:
        return (void *)(uintptr_t)names;
    case E_uint64_t:
    case E_int64_t:
    case E_uint32_t:
        return numbers;
    case E_bir_term:
        terms[0] = (bir_term){f->expr[1], 2};
        terms[1] = (bir_term){f->expr[3], -2};
        return terms;
    case E_bir_predicate:
        predicates[0] = (bir_predicate){f->expr[1], BIR_PREDICATE_GE};
        predicates[1] = (bir_predicate){f->expr[3], BIR_PREDICATE_EQ};
        return predicates;
    case E_bir_expr_ptr:
        exprs[0] = f->expr[1];
        exprs[1] = f->expr[3];
        return exprs;
    case E_bir_axis_ptr:
        axes[0] = f->axis;
        axes[1] = f->dynamic_axis;
        return axes;
    case E_bir_wait:
        wait = (bir_wait){1, 2, BIR_WAIT_MODE_SEM_GE_IMM, 0, f->second_inst};
        return &wait;
    case E_bir_update:
        return &update;
    case E_bir_dynamic_ap:
        return &dynamic;
    case E_bir_inst_ptr:
        insts[0] = f->dma_block;
        insts[1] = f->dma_block;
        return insts;
    case E_bir_register_ptr:
        regs[0] = f->reg;
        regs[1] = f->second_reg;
        return regs;
    case E_bir_maybe_affine:
        maybes[0] = (bir_maybe_affine){NULL, 7};
        maybes[1] = (bir_maybe_affine){f->expr[1], 0};
        return maybes;
    case E_double:
        return reals;
    case E_size_t:
        return lengths;
    }
    return NULL;
}

static int refers_to_objects(enum element element) {
    return element == E_bir_term || element == E_bir_predicate || element == E_bir_expr_ptr || element == E_bir_axis_ptr ||
           element == E_bir_wait || element == E_bir_inst_ptr || element == E_bir_register_ptr ||
           element == E_bir_maybe_affine;
}

/* Members that are addresses, of which nobody can tell whether they are any. */
static int has_addresses(enum element element) {
    return element == E_bir_string || element == E_bir_pack_options || element == E_bir_graph_options ||
           element == E_bir_package_writer_options || element == E_bir_package_tensor || element == E_bir_package_queue ||
           element == E_bir_package_constant || element == E_bir_package_variable;
}

/* Places for results: words, so that they are aligned for all types. */
static uint64_t places[MAX_PARAMS][PLACE_BYTES / 8];
static const unsigned char PATTERN = 0xA5;

/* Room for bytes, of which a call that fails may use any. */
static unsigned char room[64];

/* An address that means nothing to the library. */
static void *address(void) {
    return places[MAX_PARAMS - 1];
}

/* The bytes that a function gets. */
static bir_bytes bytes_for(const function *f) {
    static const unsigned char some[16] = {1, 2, 3};
    if (strcmp(f->name, "bir_klr_lower") == 0) {
        return (bir_bytes){sample_kernel, sample_kernel_size};
    }
    return strcmp(f->name, "bir_package_open") == 0 ? shown.package_bytes : (bir_bytes){some, sizeof some};
}

static const char *text_for(const function *f, const param *p, const char *otherwise) {
    if (strcmp(p->name, "target") == 0 && strncmp(f->name, "bir_package_", 12) == 0) {
        return "cayman";
    }
    if (strcmp(f->name, "bir_package_find_member") == 0 ||
        (strcmp(f->name, "bir_package_member_of_file") == 0 && p->what == X_NAME)) {
        return "sg00/bir.json";
    }
    return p->what == X_DOCUMENT ? sample_document : p->what == X_PATH ? path_for(f, p) : otherwise;
}

/* The choices of a call that works. */
typedef struct base {
    int is_found;
    size_t object[MAX_PARAMS];
    uint64_t number;
    const char *text;
} base;

/* Numbers that must not be the same as the others of the call. */
static uint64_t fixed_number(const function *f, const param *p, uint64_t otherwise) {
    static const struct {
        const char *function, *param;
        uint64_t number;
    } fixed[] = {
        {"bir_enum_wire", "id", BIR_ENUM_DTYPE},
        {"bir_enum_wire", "generation", BIR_CORE_GENERATION_V3},
        {"bir_alu_op_wire_word", "generation", BIR_CORE_GENERATION_V3},
        {"bir_operand_set_register", "index", 1},
        {"bir_opcode_find_field", "opcode", BIR_INSTRUCTION_TYPE_DMATRIGGER},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (strcmp(f->name, fixed[i].function) == 0 && strcmp(p->name, fixed[i].param) == 0) {
            return fixed[i].number;
        }
    }
    for (size_t i = 0; i < sizeof by_field / sizeof by_field[0] && strcmp(p->name, "field") == 0; i++) {
        int32_t field = -1;
        if (strcmp(f->name, by_field[i].function) == 0) {
            OK(bir_opcode_find_field(by_field[i].opcode, T(by_field[i].key), &field, &err));
            return (uint64_t)(int64_t)field;
        }
    }
    return otherwise;
}

static void arguments(const function *f, const base *b, const world *w, arg *a) {
    memset(places, PATTERN, sizeof places);
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        a[i].u = 0;
        switch (p->form) {
        case P_OBJECT:
            a[i].p = is_optional(f, p) && b->object[i] == 0 ? NULL : w->live[p->what][b->object[i] - is_optional(f, p)];
            break;
        case P_TEXT:
            a[i].p = (void *)(uintptr_t)text_for(f, p, b->text);
            break;
        case P_TEXT_LEN:
            a[i].u = strlen(a[i - 1].p);
            break;
        case P_BYTES:
            a[i].p = (void *)(uintptr_t)bytes_for(f).data;
            break;
        case P_BYTES_LEN:
            a[i].u = bytes_for(f).len;
            break;
        case P_ROOM:
            a[i].p = room;
            break;
        case P_ROOM_LEN:
            a[i].u = sizeof room;
            break;
        case P_CALLBACK:
            a[i].f = callback(f, (enum callback)p->what);
            break;
        case P_ARRAY:
        case P_STRUCT:
            a[i].p = elements((enum element)p->what, w);
            break;
        case P_ARRAY_LEN:
            a[i].u = 2;
            break;
        case P_OUT:
        case P_OUT_OWNED:
        case P_OUT_ARRAY:
            CHECK(p->size <= (p->form == P_OUT ? PLACE_BYTES : 32));
            a[i].p = places[i];
            break;
        case P_CAPACITY:
            a[i].u = PLACES;
            break;
        case P_INT:
            a[i].u = fixed_number(f, p, b->number);
            break;
        case P_ADDRESS:
            a[i].p = address();
            break;
        case P_ERR:
        case P_NONE:
            break;
        }
    }
}

/* ---- What getters show -------------------------------------------------------------------------------------------- */

static int compares;

/* Functions that only read, and take one object, small numbers and places for results; memory in use may grow. */
static int is_getter(const function *f) {
    if ((f->result != R_STATUS && f->result != R_OBJECT) || f->owned != T_NONE ||
        strncmp(f->name, "bir_module_memory_", 18) == 0) {
        return 0;
    }
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        int fits = i == 0 ? p->form == P_OBJECT && p->is_const
                          : p->form == P_OUT || p->form == P_OUT_ARRAY || p->form == P_CAPACITY || p->form == P_INT ||
                                p->form == P_ERR;
        if (!fits) {
            return 0;
        }
    }
    return f->count > 0;
}

static uint64_t mixed(uint64_t hash, const void *data, size_t len) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

static uint64_t reading(const function *f, void *object, uint64_t number, uint64_t hash) {
    static uint64_t out[MAX_PARAMS][PLACE_BYTES / 8];
    arg a[MAX_PARAMS];
    result r = {0, NULL};
    size_t count = 0;
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        a[i].u = p->form == P_CAPACITY ? PLACES : number;
        if (p->form == P_OUT || p->form == P_OUT_ARRAY) {
            memset(out[i], 0, p->form == P_OUT ? p->size : PLACES * p->size);
            a[i].p = out[i];
        }
    }
    a[0].p = object;
    f->call(a, NULL, &r);
    hash = mixed(hash, &r.status, sizeof r.status);
    hash = mixed(hash, &r.object, sizeof r.object);
    if (r.status != BIR_STATUS_OK) {
        return hash;
    }
    for (int i = f->count - 1; i > 0; i--) {
        const param *p = &f->params[i];
        if (p->form == P_OUT && p->what == O_TEXT) {
            bir_string text;
            memcpy(&text, out[i], sizeof text);
            hash = mixed(hash, text.data, text.len);
        } else if (p->form == P_OUT) {
            hash = mixed(hash, out[i], p->size);
            memcpy(&count, out[i], sizeof count);
        } else if (p->form == P_OUT_ARRAY) {
            /* Structs have padding, which is not compared: their first word is. */
            for (size_t e = 0; e < count && e < PLACES; e++) {
                hash = mixed(hash, (const char *)out[i] + e * p->size, p->size < 8 ? p->size : 8);
            }
        }
    }
    return hash;
}

static uint64_t digest(const world *w) {
    static int getters[FUNCTIONS];
    static int known = -1;
    if (known < 0) {
        known = 0;
        for (int n = 0; n < FUNCTIONS; n++) {
            if (is_getter(&functions[n])) {
                getters[known++] = n;
            }
        }
        CHECK(known > 150);
    }
    uint64_t hash = 0xcbf29ce484222325;
    for (int n = 0; n < known; n++) {
        const function *f = &functions[getters[n]];
        int with_number = 0;
        for (int i = 0; i < f->count; i++) {
            with_number |= f->params[i].form == P_INT;
        }
        enum type type = (enum type)f->params[0].what;
        if (type >= T_bir_buffer && type != T_bir_dedup) {
            /* Only looked at. */
            continue;
        }
        for (size_t o = 0; o < w->lives[type]; o++) {
            for (uint64_t number = 0; number <= (with_number ? 2 : 0); number++) {
                hash = reading(f, w->live[type][o], number, hash);
            }
        }
    }
    return hash;
}

/* ---- Judging a call ----------------------------------------------------------------------------------------------- */

static world here, foreign;
static char now[256] = "start";
static unsigned long calls, failures, complaints;
static char last_message[512];

static void complain(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (complaints++ < 200) {
        fprintf(stderr, "%s: ", now);
        vfprintf(stderr, format, list);
        fputc('\n', stderr);
    }
    va_end(list);
}

static void crash(int signal_number) {
    static const char text[] = "crashed at: ";
    ssize_t written = write(2, text, sizeof text - 1) + write(2, now, strlen(now)) + write(2, "\n", 1);
    (void)written;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void renew(void) {
    world_destroy(&here);
    here = world_create();
    here.digest = compares ? digest(&here) : 0;
}

static void renew_foreign(void) {
    world_destroy(&foreign);
    foreign = world_create();
    foreign.digest = compares ? digest(&foreign) : 0;
}

static int only_reads(const function *f) {
    for (int i = 0; i < f->count; i++) {
        if (f->params[i].form == P_OBJECT && !f->params[i].is_const) {
            return 0;
        }
    }
    return 1;
}

static int is_untouched(const function *f) {
    for (int i = 0; i < f->count; i++) {
        const unsigned char *bytes = (const unsigned char *)places[i];
        int is_one = f->params[i].form == P_OUT || f->params[i].form == P_OUT_OWNED;
        size_t len = is_one                             ? f->params[i].size
                                                : f->params[i].form == P_OUT_ARRAY ? PLACES * f->params[i].size : 0;
        for (size_t b = 0; b < len; b++) {
            if (bytes[b] != PATTERN) {
                return 0;
            }
        }
    }
    return 1;
}

static void judge_error(const bir_error *e, bir_status status) {
    if (e->status != status) {
        complain("err says %d, the result %d", (int)e->status, (int)status);
    }
    if (e->size != sizeof *e) {
        complain("err->size was changed");
    }
    if (memchr(e->message, 0, sizeof e->message) == NULL || memchr(e->path, 0, sizeof e->path) == NULL) {
        complain("a text of err does not end");
    } else if ((status == BIR_STATUS_OK) != (e->message[0] == '\0')) {
        complain("status %d with the message `%s`", (int)status, e->message);
    }
    bir_string known;
    if (status == BIR_STATUS_INTERNAL || bir_status_name(status, &known, NULL) != BIR_STATUS_OK) {
        complain("status %d: %s", (int)status, e->message);
    }
}

/* What the library hands out as the caller's is freed. */
static void free_owned(const function *f, const arg *a, const result *r) {
    if (f->owned != T_NONE) {
        destroy[f->owned](r->object);
    }
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        void *object = NULL;
        if (p->form == P_OUT_OWNED && a[i].p != NULL) {
            memcpy(&object, a[i].p, sizeof object);
            destroy[p->what](object);
        }
    }
}

/* Makes a call; returns its status. */
static bir_status attempt(const function *f, const arg *a) {
    bir_error e;
    memset(&e, 0x5A, sizeof e);
    e.size = sizeof e;
    result r = {0, NULL};
    calls++;
    f->call(a, &e, &r);
    if (f->result == R_VALUE || f->result == R_VOID) {
        return BIR_STATUS_OK;
    }
    bir_status status = f->result == R_STATUS ? r.status : e.status;
    judge_error(&e, status);
    if (status == BIR_STATUS_OK) {
        for (int i = 0; i < f->count; i++) {
            const unsigned char *bytes = (const unsigned char *)places[i];
            size_t b = 0;
            while (b < f->params[i].size && bytes[b] == PATTERN) {
                b++;
            }
            int is_place = (f->params[i].form == P_OUT && f->result == R_STATUS) || f->params[i].form == P_OUT_OWNED;
            if (is_place && a[i].p != NULL && b == f->params[i].size) {
                complain("a call that works writes nothing to %s", f->params[i].name);
                return status;
            }
        }
        free_owned(f, a, &r);
        if (!only_reads(f)) {
            renew();
        }
        return status;
    }
    failures++;
    memcpy(last_message, e.message, sizeof last_message);
    if (r.object != NULL) {
        complain("a call that fails (%d) returns an object", (int)status);
    }
    if (!is_untouched(f)) {
        complain("a call that fails (%d: %s) writes a result", (int)status, e.message);
    }
    result again = {0, NULL};
    f->call(a, NULL, &again);
    if (again.object != NULL || (f->result == R_STATUS && again.status != status)) {
        complain("without err the result is %d, with it %d", (int)again.status, (int)status);
    }
    if (compares && digest(&here) != here.digest) {
        complain("a call that fails (%d: %s) changes something", (int)status, e.message);
        renew();
    }
    return status;
}

/* ---- Cases -------------------------------------------------------------------------------------------------------- */

static void name_case(const function *f, const char *param, const char *what) {
    snprintf(now, sizeof now, "%s(%s: %s)", f->name, param, what);
}

static void must_fail(bir_status got, bir_status one, bir_status other) {
    if (got == BIR_STATUS_OK || (one != BIR_STATUS_OK && got != one && got != other)) {
        complain("status %d, expected %d or %d (0: any error)", (int)got, (int)one, (int)other);
    }
}

/* A call that works, for each choice of objects, one number for all numbers, and a text. */
static base find_base(const function *f) {
    static const char *const texts[] = {"{}", "queue", "Dtype", "bfloat16", "AffExprKind", "InstDMA", "isDMAFamily"};
    static const uint64_t numbers[] = {1, 0, 2, 5, 8, 12, 16, 3, 4, 6, 7, 9, 10, 20, 30};
    base b;
    memset(&b, 0, sizeof b);
    size_t text_count = 1;
    size_t number_count = 1;
    for (int i = 0; i < f->count; i++) {
        text_count = f->params[i].form == P_TEXT && f->params[i].what == X_NAME ? sizeof texts / sizeof texts[0] : text_count;
        number_count = f->params[i].form == P_INT ? sizeof numbers / sizeof numbers[0] : number_count;
    }
    for (size_t t = 0; t < text_count; t++) {
        b.text = texts[t];
        for (size_t n = 0; n < number_count; n++) {
            b.number = numbers[n];
            memset(b.object, 0, sizeof b.object);
            /* Only a pointer tensor has what is set here. */
            b.object[0] = strcmp(f->name, "bir_location_set_pointer_ref") == 0 ? 2 : 0;
            for (;;) {
                arg a[MAX_PARAMS];
                arguments(f, &b, &here, a);
                name_case(f, "all", "good");
                if (attempt(f, a) == BIR_STATUS_OK) {
                    b.is_found = 1;
                    return b;
                }
                /* The next choice of objects. */
                int i = 0;
                for (; i < f->count; i++) {
                    const param *p = &f->params[i];
                    if (p->form == P_OBJECT && !is_optional(f, p)) {
                        if (++b.object[i] < here.lives[p->what]) {
                            break;
                        }
                        b.object[i] = 0;
                    }
                }
                if (i == f->count) {
                    break;
                }
            }
        }
    }
    memset(b.object, 0, sizeof b.object);
    b.text = texts[0];
    b.number = 1;
    return b;
}

static void nulls(const function *f, const base *b) {
    arg a[MAX_PARAMS];
    memset(places, PATTERN, sizeof places);
    memset(a, 0, sizeof a);
    int needs = 0;
    for (int i = 0; i < f->count; i++) {
        enum form form = f->params[i].form;
        int is_needed = form == P_OBJECT || form == P_OUT || form == P_OUT_OWNED || form == P_STRUCT || form == P_CALLBACK;
        needs |= is_needed && !is_optional(f, &f->params[i]);
    }
    name_case(f, "all", "NULL and 0");
    bir_status status = attempt(f, a);
    if (needs && f->result != R_VOID) {
        must_fail(status, BIR_STATUS_OK, BIR_STATUS_OK);
    }
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        if (p->form != P_OBJECT && p->form != P_TEXT && p->form != P_ARRAY && p->form != P_STRUCT && p->form != P_OUT &&
            p->form != P_OUT_ARRAY && p->form != P_ADDRESS && p->form != P_BYTES && p->form != P_ROOM && p->form != P_OUT_OWNED &&
            p->form != P_CALLBACK) {
            continue;
        }
        arguments(f, b, &here, a);
        if (p->form == P_CALLBACK) {
            a[i].f = NULL;
        } else {
            a[i].p = NULL;
        }
        name_case(f, p->name, "NULL");
        status = attempt(f, a);
        if (is_optional(f, p)) {
            if (b->is_found && status != BIR_STATUS_OK) {
                complain("status %d, but it may be NULL", (int)status);
            }
        } else if (f->result != R_VOID) {
            must_fail(status, b->is_found ? BIR_STATUS_NULL_ARGUMENT : BIR_STATUS_OK, BIR_STATUS_NULL_ARGUMENT);
        }
        if (p->form == P_OUT_ARRAY) {
            arguments(f, b, &here, a);
            a[i].p = NULL;
            a[i + 1].u = 0;
            name_case(f, p->name, "NULL without capacity");
            status = attempt(f, a);
            if (b->is_found && status != BIR_STATUS_OK) {
                complain("status %d", (int)status);
            }
        }
    }
}

static void numbers(const function *f, const base *b) {
    static const uint64_t extremes[] = {0, (uint64_t)INT32_MIN, UINT64_MAX, INT32_MAX, UINT32_MAX, 1ULL << 63, INT64_MAX, 1000};
    enum { EXTREMES = sizeof extremes / sizeof extremes[0] };
    arg a[MAX_PARAMS];
    char value[40];
    for (int i = 0; i <= f->count; i++) {
        /* The last round sets all numbers at once. */
        const param *p = i < f->count ? &f->params[i] : NULL;
        for (int e = 0; e < EXTREMES; e++) {
            uint64_t n = extremes[e];
            arguments(f, b, &here, a);
            snprintf(value, sizeof value, "%#llx", (unsigned long long)n);
            name_case(f, p ? p->name : "all numbers", value);
            if (p == NULL) {
                int any = 0;
                for (int k = 0; k < f->count; k++) {
                    if (f->params[k].form == P_INT) {
                        a[k].u = n;
                        any++;
                    }
                }
                if (any > 1) {
                    attempt(f, a);
                }
            } else if (p->form == P_INT || p->form == P_CAPACITY) {
                a[i].u = n;
                attempt(f, a);
            } else if (p->form == P_TEXT_LEN && n > INT64_MAX && n != UINT64_MAX) {
                /* More bytes than memory can have. */
                a[i].u = n;
                must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
            } else if ((p->form == P_BYTES_LEN || p->form == P_ROOM_LEN) && (n > INT64_MAX || n == 0)) {
                a[i].u = n;
                bir_status status = attempt(f, a);
                if (n != 0) {
                    must_fail(status, BIR_STATUS_BAD_VALUE, BIR_STATUS_BAD_VALUE);
                }
            } else if (p->form == P_ARRAY_LEN && n >= INT64_MAX) {
                a[i].u = n;
                must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
            } else if (p->form == P_ARRAY_LEN && n == 0) {
                a[i].u = 0;
                attempt(f, a);
                a[i - 1].p = NULL;
                arg copy[MAX_PARAMS];
                arguments(f, b, &here, copy);
                copy[i] = a[i];
                copy[i - 1] = a[i - 1];
                attempt(f, copy);
            }
        }
    }
}

static void objects(const function *f, const base *b) {
    arg a[MAX_PARAMS];
    char what[40];
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        if (p->form != P_OBJECT || f->result == R_VOID) {
            continue;
        }
        for (size_t n = 0; n < here.lives[p->what]; n++) {
            arguments(f, b, &here, a);
            a[i].p = here.live[p->what][n];
            snprintf(what, sizeof what, "object %zu", n);
            name_case(f, p->name, what);
            attempt(f, a);
        }
        for (size_t n = 0; n < here.deads[p->what]; n++) {
            arguments(f, b, &here, a);
            a[i].p = here.dead[p->what][n];
            snprintf(what, sizeof what, "erased object %zu", n);
            name_case(f, p->name, what);
            bir_status status = attempt(f, a);
            if (!p->is_const) {
                /* Of a storage, its kind may be wrong before it is erased. */
                must_fail(status, BIR_STATUS_DETACHED, p->what == T_bir_storage ? BIR_STATUS_WRONG_KIND : BIR_STATUS_DETACHED);
            }
        }
        for (size_t n = 0; i > 0 && n < foreign.lives[p->what]; n++) {
            arguments(f, b, &here, a);
            a[i].p = foreign.live[p->what][n];
            snprintf(what, sizeof what, "foreign object %zu", n);
            name_case(f, p->name, what);
            bir_status status = attempt(f, a);
            if (takes_two_modules(f) && strcmp(p->name, "before") != 0) {
                if (status == BIR_STATUS_OK && !p->is_const) {
                    renew_foreign();
                }
            } else if (!only_reads(f)) {
                int is_place = strcmp(p->name, "before") == 0;
                bir_status other = is_place ? BIR_STATUS_NOT_FOUND : BIR_STATUS_WRONG_KIND;
                /* A location is no place among sets and registers, wherever it is. */
                if (!(is_place && status == BIR_STATUS_WRONG_KIND && p->what == T_bir_storage)) {
                    must_fail(status, BIR_STATUS_FOREIGN_MODULE, other);
                }
            }
        }
        if (is_optional(f, p)) {
            /* A place in something else. */
            arguments(f, b, &here, a);
            a[i].p = here.live[p->what][here.lives[p->what] - 1];
            name_case(f, p->name, "elsewhere");
            attempt(f, a);
        }
    }
}

static void lists(const function *f, const base *b) {
    arg a[MAX_PARAMS];
    for (int i = 0; i < f->count; i++) {
        const param *p = &f->params[i];
        if (p->form != P_ARRAY && p->form != P_STRUCT) {
            continue;
        }
        enum element element = (enum element)p->what;
        if (refers_to_objects(element)) {
            arguments(f, b, &here, a);
            a[i].p = elements(element, &foreign);
            name_case(f, p->name, "foreign objects");
            must_fail(attempt(f, a), BIR_STATUS_FOREIGN_MODULE, BIR_STATUS_FOREIGN_MODULE);
        }
        /* Elements of zero bytes: NULL objects, no member. */
        CHECK(p->form == P_ARRAY || p->size <= 32 * sizeof(uint64_t));
        uint64_t zeros[32] = {0};
        arguments(f, b, &here, a);
        a[i].p = zeros;
        name_case(f, p->name, "zeros");
        bir_status status = attempt(f, a);
        if (element == E_bir_term) {
            must_fail(status, BIR_STATUS_NULL_ARGUMENT, BIR_STATUS_NULL_ARGUMENT);
        }
        /* Elements without objects, full of ones. */
        if (!refers_to_objects(element) && !has_addresses(element)) {
            uint64_t ones[32];
            memset(ones, 0xFF, sizeof ones);
            if (element == E_bir_read_options) {
                /* Nobody can tell an address that is none. */
                ((bir_read_options *)(void *)ones)->progress = NULL;
            }
            if (element == E_bir_package_write_options) {
                ((bir_package_write_options *)(void *)ones)->progress = NULL;
            }
            arguments(f, b, &here, a);
            a[i].p = ones;
            name_case(f, p->name, "ones");
            attempt(f, a);
        }
        if (element == E_bir_string) {
            const bir_string bad[3][2] = {{{"{}", 2}, {NULL, 5}}, {{"{}", 2}, {"\xFF", 1}}, {{"{}", SIZE_MAX - 1}, {"{}", 2}}};
            const bir_status expected[3] = {BIR_STATUS_NULL_ARGUMENT, BIR_STATUS_BAD_VALUE, BIR_STATUS_BAD_VALUE};
            for (int n = 0; n < 3; n++) {
                arguments(f, b, &here, a);
                a[i].p = (void *)(uintptr_t)bad[n];
                name_case(f, p->name, "bad texts");
                bir_status status_of_text = attempt(f, a);
                /* A path need not be UTF-8. */
                if (!(n == 1 && strcmp(p->name, "paths") == 0)) {
                    must_fail(status_of_text, expected[n], expected[n]);
                }
            }
        }
        if (element == E_bir_predicate) {
            bir_predicate bad[2] = {{here.f.expr[0], 2}, {here.f.expr[0], UINT32_MAX}};
            arguments(f, b, &here, a);
            a[i].p = bad;
            name_case(f, p->name, "bad comparisons");
            must_fail(attempt(f, a), BIR_STATUS_BAD_VALUE, BIR_STATUS_BAD_VALUE);
        }
    }
}

/* Options with one bad member. */
static void pack_options(const function *f, const base *b) {
    static const bir_file bad[] = {
        {{NULL, 5}, "x", 1}, {{"a.bin", 5}, NULL, 1}, {{"\xFF", 1}, "x", 1}, {{"a.bin", SIZE_MAX - 1}, "x", 1},
        {{"a.bin", 5}, "x", SIZE_MAX},
    };
    static const struct {
        const char *what;
        bir_pack_options options;
    } cases[] = {
        {"compression", {.compression = 3}},
        {"compression", {.compression = INT32_MIN}},
        {"name", {.name = {"\xFF", 1}}},
        {"tool_version", {.tool_version = {"\xC3\x28", SIZE_MAX}}},
        {"module_member", {.module_member = {"../x", 4}}},
        {"module_member", {.module_member = {"neff.json", 9}}},
        {"files", {.file_count = 1}},
        {"file_count", {.files = bad, .file_count = SIZE_MAX}},
        {"members", {.member_count = 1}},
        {"member_count", {.members = bad, .member_count = SIZE_MAX / 2}},
        {"files", {.files = &bad[0], .file_count = 1}},
        {"files", {.files = &bad[1], .file_count = 1}},
        {"files", {.files = &bad[2], .file_count = 1}},
        {"files", {.files = &bad[3], .file_count = 1}},
        {"files", {.files = &bad[4], .file_count = 1}},
        {"members", {.members = &bad[0], .member_count = 1}},
        {"members", {.members = &bad[1], .member_count = 1}},
        {"members", {.members = &bad[2], .member_count = 1}},
        {"members", {.members = &bad[4], .member_count = 1}},
    };
    arg a[MAX_PARAMS];
    for (int i = 0; i < f->count; i++) {
        int is_one = f->params[i].form == P_STRUCT && f->params[i].what == E_bir_pack_options;
        for (size_t c = 0; is_one && c < sizeof cases / sizeof cases[0]; c++) {
            if (strcmp(f->name, "bir_module_constants_digest") == 0 && strncmp(cases[c].what, "file", 4) != 0) {
                /* "other members of the options do not matter" */
                continue;
            }
            bir_pack_options options = cases[c].options;
            arguments(f, b, &here, a);
            a[i].p = &options;
            name_case(f, "options", cases[c].what);
            must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
        }
    }
}

#define A_TEXT {"t", 1}
#define NO_TEXT {"\xFF", 1}

/* Members of packages to be written, of which one is bad. */
static void writer_records(const function *f, const base *b) {
    static const bir_string one[1] = {{"t", 1}};
    static const bir_package_writer_options options[] = {
        {.compression = 3}, {.compression = -1}, {.tool_version = {"\xFF", 1}}, {.build_version = {"x", SIZE_MAX - 1}},
    };
    static const bir_package_tensor tensors[] = {
        {NO_TEXT, BIR_DTYPE_UINT8, NULL, 0, 1}, {A_TEXT, 9999, NULL, 0, 1}, {A_TEXT, -1, NULL, 0, 1},
        {A_TEXT, BIR_DTYPE_UINT8, NULL, 1, 1}, {A_TEXT, BIR_DTYPE_UINT8, (const uint64_t *)(const void *)one, SIZE_MAX, 1},
    };
    static const bir_package_queue queues[] = {
        {NO_TEXT, 0, BIR_ENGINE_TYPE_SP, -1, 1},  {A_TEXT, 6, BIR_ENGINE_TYPE_SP, -1, 1},
        {A_TEXT, -1, BIR_ENGINE_TYPE_SP, -1, 1},     {A_TEXT, 0, BIR_ENGINE_TYPE_DMA, -1, 1},
        {A_TEXT, 0, -1, -1, 1},                      {A_TEXT, 0, BIR_ENGINE_TYPE_SP, -2, 1},
        {A_TEXT, 0, BIR_ENGINE_TYPE_SP, INT64_MAX, 1},
    };
    static const bir_package_constant constants[] = {{NO_TEXT, A_TEXT, 1, 0, 0}, {A_TEXT, NO_TEXT, 1, 0, 0}, {{NULL, 1}, A_TEXT, 1, 0, 0}};
    static const bir_package_variable variables[] = {
        {.name = NO_TEXT, .kind = BIR_VARIABLE_TMP_BUF}, {.name = A_TEXT, .kind = 6},
        {.name = A_TEXT, .kind = INT32_MIN}, {.name = A_TEXT, .kind = BIR_VARIABLE_POINTER},
        {.name = A_TEXT, .kind = BIR_VARIABLE_LIST, .reference_count = 1},
        {.name = A_TEXT, .kind = BIR_VARIABLE_DGE_TABLE, .references = one, .reference_count = SIZE_MAX},
        {.name = A_TEXT, .kind = BIR_VARIABLE_FILE, .file_name = NO_TEXT},
    };
    static const struct {
        enum element element;
        const void *first;
        size_t size, count;
    } lists_of[] = {
        {E_bir_package_writer_options, options, sizeof options[0], sizeof options / sizeof options[0]},
        {E_bir_package_tensor, tensors, sizeof tensors[0], sizeof tensors / sizeof tensors[0]},
        {E_bir_package_queue, queues, sizeof queues[0], sizeof queues / sizeof queues[0]},
        {E_bir_package_constant, constants, sizeof constants[0], sizeof constants / sizeof constants[0]},
        {E_bir_package_variable, variables, sizeof variables[0], sizeof variables / sizeof variables[0]},
    };
    arg a[MAX_PARAMS];
    char what[40];
    for (int i = 0; i < f->count; i++) {
        for (size_t l = 0; f->params[i].form == P_STRUCT && l < sizeof lists_of / sizeof lists_of[0]; l++) {
            for (size_t n = 0; f->params[i].what == (int)lists_of[l].element && n < lists_of[l].count; n++) {
                arguments(f, b, &here, a);
                a[i].p = (void *)(uintptr_t)((const char *)lists_of[l].first + n * lists_of[l].size);
                snprintf(what, sizeof what, "record %zu", n);
                name_case(f, f->params[i].name, what);
                must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
            }
        }
    }
}

static void graph_options(const function *f, const base *b) {
    static const struct {
        const char *what;
        bir_graph_options options;
        bir_status status;
    } cases[] = {
        {"format", {.format = 3}, BIR_STATUS_BAD_VALUE},
        {"format", {.format = INT32_MIN}, BIR_STATUS_BAD_VALUE},
        {"max_nodes", {.max_nodes = 20001}, BIR_STATUS_BAD_VALUE},
        {"max_nodes", {.max_nodes = UINT32_MAX, .memory = 1}, BIR_STATUS_BAD_VALUE},
        {"function", {.function = {"\xFF", 1}}, BIR_STATUS_BAD_VALUE},
        {"function", {.function = {"nobody", 6}}, BIR_STATUS_NOT_FOUND},
        {"block", {.block = {"x", SIZE_MAX - 1}}, BIR_STATUS_BAD_VALUE},
        {"block", {.block = {"nowhere", 7}, .memory = 1}, BIR_STATUS_NOT_FOUND},
    };
    arg a[MAX_PARAMS];
    for (int i = 0; i < f->count; i++) {
        int is_one = f->params[i].form == P_STRUCT && f->params[i].what == E_bir_graph_options;
        for (size_t c = 0; is_one && c < sizeof cases / sizeof cases[0]; c++) {
            bir_graph_options options = cases[c].options;
            arguments(f, b, &here, a);
            a[i].p = &options;
            name_case(f, "options", cases[c].what);
            must_fail(attempt(f, a), cases[c].status, cases[c].status);
        }
    }
}

/* A package that is cut, or of which one byte is another. */
static void packages(const function *f, const base *b) {
    if (strcmp(f->name, "bir_package_open") != 0) {
        return;
    }
    const bir_bytes bytes = shown.package_bytes;
    const size_t ends[] = {1, 511, 1023, 1024, 1025, 1536, bytes.len - 1024, bytes.len - 1};
    const size_t places_of_change[] = {0, 8, 16, 24, 1024, 1124, 1124 + 512, bytes.len - 1};
    arg a[MAX_PARAMS];
    char what[40];
    for (size_t n = 0; n < sizeof ends / sizeof ends[0]; n++) {
        arguments(f, b, &here, a);
        a[1].u = ends[n];
        snprintf(what, sizeof what, "cut at %zu", ends[n]);
        name_case(f, "bytes", what);
        must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
    }
    unsigned char *copy = malloc(bytes.len);
    CHECK(copy != NULL);
    for (size_t n = 0; n < sizeof places_of_change / sizeof places_of_change[0]; n++) {
        memcpy(copy, bytes.data, bytes.len);
        copy[places_of_change[n]] ^= 0x81;
        arguments(f, b, &here, a);
        a[0].p = copy;
        snprintf(what, sizeof what, "changed at %zu", places_of_change[n]);
        name_case(f, "bytes", what);
        must_fail(attempt(f, a), BIR_STATUS_OK, BIR_STATUS_OK);
    }
    free(copy);
}

/* The caller's function ends the call, which has its status, or IO if that is none. */
static void callbacks(const function *f, const base *b) {
    static const bir_status given[] = {BIR_STATUS_CANCELLED, BIR_STATUS_NOT_FOUND, -1, INT32_MIN, INT32_MAX};
    static const bir_status expected[] = {BIR_STATUS_CANCELLED, BIR_STATUS_NOT_FOUND, BIR_STATUS_IO, BIR_STATUS_IO,
                                          BIR_STATUS_IO};
    arg a[MAX_PARAMS];
    for (int i = 0; i < f->count; i++) {
        /* What is only kept is not called. */
        int is_called = f->params[i].form == P_CALLBACK && f->params[i].what != C_bir_read_at_callback;
        for (int n = 0; is_called && n < 5; n++) {
            arguments(f, b, &here, a);
            answer = given[n];
            answers = 0;
            name_case(f, f->params[i].name, "fails");
            must_fail(attempt(f, a), expected[n], expected[n]);
            answer = BIR_STATUS_OK;
            /* With an error struct and without. */
            if (answers != 2) {
                complain("%lu calls of the caller's function", answers);
            }
        }
    }
}

static void texts(const function *f, const base *b) {
    static char big[70001];
    memset(big, 'x', sizeof big - 1);
    static const struct {
        const char *what;
        const char *text;
        size_t len;
        int is_bad;
    } cases[] = {
        {"no UTF-8", "a\xFF", 2, 1}, {"no UTF-8 with NUL", "\xC3\x28", SIZE_MAX, 1}, {"a surrogate", "\xED\xA0\x80", 3, 1},
        {"cut UTF-8", "\xE2\x82\xAC", 2, 1}, {"empty", "", 0, 0}, {"a NUL within", "a\0b", 3, 0},
        {"70000 bytes", big, SIZE_MAX, 0}, {"UTF-8", "\xE2\x82\xAC", 3, 0}, {"no JSON", "{", 1, 0}, {"a list", "[]", 2, 0},
    };
    arg a[MAX_PARAMS];
    for (int i = 0; i < f->count; i++) {
        if (f->params[i].form != P_TEXT) {
            continue;
        }
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            arguments(f, b, &here, a);
            a[i].p = (void *)(uintptr_t)cases[c].text;
            a[i + 1].u = cases[c].len;
            name_case(f, f->params[i].name, cases[c].what);
            bir_status status = attempt(f, a);
            if (cases[c].is_bad && f->params[i].what != X_PATH) {
                bir_status expected = f->params[i].what == X_DOCUMENT ? BIR_STATUS_SYNTAX : BIR_STATUS_BAD_VALUE;
                must_fail(status, expected, expected);
            }
        }
    }
}

static void limit_memory(bir_module *module, uint64_t room) {
    uint64_t used = 0;
    OK(bir_module_memory_used(module, &used, &err));
    OK(bir_module_set_memory_limit(module, used + room, &err));
}

/* Memory ends in the middle of the call: nothing may be half done. */
static void starved(const function *f, const base *b) {
    if (!b->is_found || only_reads(f)) {
        return;
    }
    char what[40];
    for (uint64_t room = 0; room < 1 << 16; room = room < 8 ? 8 : room < 256 ? room + 24 : room * 2) {
        arg a[MAX_PARAMS];
        limit_memory(here.f.module, room);
        limit_memory(here.empty, room);
        arguments(f, b, &here, a);
        snprintf(what, sizeof what, "%llu bytes", (unsigned long long)room);
        name_case(f, "memory left", what);
        bir_status status = attempt(f, a);
        OK(bir_module_set_memory_limit(here.f.module, UINT64_MAX, &err));
        OK(bir_module_set_memory_limit(here.empty, UINT64_MAX, &err));
        if (status == BIR_STATUS_OK) {
            return;
        }
        must_fail(status, BIR_STATUS_OUT_OF_MEMORY, BIR_STATUS_OUT_OF_MEMORY);
    }
    complain("the call never works");
}

/* The comparison sees a change, or the rest proves nothing. */
static void comparison_is_on(void) {
    fixture *f = &here.f;
    CHECK(digest(&here) == here.digest);
    OK(bir_operand_set_offset(f->operand[PHYSICAL], 17, &err));
    CHECK(digest(&here) != here.digest);
    OK(bir_operand_set_offset(f->operand[PHYSICAL], 16, &err));
    CHECK(digest(&here) == here.digest);
    OK(bir_location_rename(f->location, T("other"), NULL, &err));
    CHECK(digest(&here) != here.digest);
    renew();
}

static unsigned long without;

/* All cases of one function. */
static void judge(const function *f) {
    base b;
    memset(&b, 0, sizeof b);
    if (f->result != R_VOID) {
        b = find_base(f);
        if (!b.is_found) {
            without++;
            printf("no call works: %s: %s\n", f->name, last_message);
        }
    }
    b.text = b.text != NULL ? b.text : "{}";
    nulls(f, &b);
    if (f->result != R_VOID) {
        numbers(f, &b);
        objects(f, &b);
        lists(f, &b);
        texts(f, &b);
        pack_options(f, &b);
        writer_records(f, &b);
        graph_options(f, &b);
        packages(f, &b);
        callbacks(f, &b);
        starved(f, &b);
    }
    snprintf(now, sizeof now, "after %s", f->name);
    if (compares && digest(&foreign) != foreign.digest) {
        complain("another module was changed");
        renew_foreign();
    }
}

static const function *of_sinks;

static bir_status judge_with_sink(void *user, const char *name, size_t name_len, bir_file_sink *given) {
    CHECK(user == NULL && name_len == 5 && memcmp(name, "a.bin", 5) == 0);
    sink = given;
    renew();
    judge(of_sinks);
    sink = NULL;
    renew();
    return BIR_STATUS_CANCELLED;
}

/* The same, where a place for the bytes of a file is at hand. */
static void within_callback(const function *f) {
    static const char *const names[1] = {"a.bin"};
    bir_module *m = sample_module(names, 1);
    const bir_pack_options options = {.size = sizeof options, .read_file = judge_with_sink};
    bir_error e = {sizeof e, 0, 0, 0, 0, {0}, {0}};
    of_sinks = f;
    CHECK(bir_pack_module(m, &options, NULL, &e) == NULL);
    CHECK(e.status == BIR_STATUS_CANCELLED && strcmp(e.path, "constant `c0_set`") == 0);
    bir_module_destroy(m);
}

int main(int argc, char **argv) {
    compares = argc < 2 || strcmp(argv[1], "quick") != 0;
    const char *only = argc > 2 ? argv[2] : NULL;
    signal(SIGSEGV, crash);
    signal(SIGBUS, crash);
    signal(SIGABRT, crash);
    signal(SIGFPE, crash);
    folder_enter();
    shown = samples_create();
    write_files();
    here = world_create();
    here.digest = compares ? digest(&here) : 0;
    foreign = world_create();
    foreign.digest = compares ? digest(&foreign) : 0;
    if (compares) {
        comparison_is_on();
    }
    for (int n = 0; n < FUNCTIONS; n++) {
        const function *f = &functions[n];
        if (f->result == R_VALUE || (only != NULL && strcmp(only, f->name) != 0)) {
            continue;
        }
        if (f->params[0].form == P_OBJECT && f->params[0].what == T_bir_file_sink) {
            within_callback(f);
        } else {
            judge(f);
        }
    }
    world_destroy(&here);
    world_destroy(&foreign);
    bir_dedup_report_destroy(dedup_report);
    samples_destroy(&shown);
    printf("%d functions, %lu calls, %lu failed as they should, %lu complaints\n", (int)FUNCTIONS, calls, failures, complaints);
    /* Without a call that works the cases above would say little. */
    return complaints != 0 || without != 0;
}

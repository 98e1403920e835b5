/* The readable form: a module and its parts, through a callback. */
#include "good.h"

/* What a callback collects, and when it has had enough. */
typedef struct text {
    char bytes[65536];
    size_t len;
    size_t pieces;
    size_t enough;
} text;

static bir_status collect(void *user, const char *bytes, size_t len) {
    text *t = user;
    CHECK(len > 0 && len < sizeof t->bytes - t->len);
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    t->bytes[t->len] = '\0';
    return ++t->pieces == t->enough ? BIR_STATUS_CANCELLED : BIR_STATUS_OK;
}

static const char sample[] =
    "{\"version\": 2, \"arch\": \"gen3\", \"functions\": [{\"name\": \"main\", \"attributes\": [], \"allocations\": [],\n"
    "  \"blocks\": [{\"name\": \"entry\", \"instructions\": [{\"name\": \"ret\", \"opcode\": \"Return\",\n"
    "    \"engine\": \"Pool\", \"ins\": [], \"outs\": []}]}]}]}";

void good_text(void) {
    static text t, part;
    bir_module *module = NEW(bir_module_load(T(sample), NULL, NULL, &err));
    bir_function *function = NEW(bir_module_find_function(module, T("main"), &err));
    bir_block *block = NEW(bir_function_find_block(function, T("entry"), &err));
    bir_inst *inst = NEW(bir_block_first_inst(block, &err));
    OK(bir_module_print(module, NULL, collect, &t, &err));
    CHECK(strcmp(t.bytes, "module: arch=gen3\n\nfunction main (id 0):\n  block entry (id 1):\n    ret (id 2): Return @Pool\n") == 0);
    CHECK(t.pieces == 1);
    /* A caller of an earlier version, or one that leaves all to the library, has no members. */
    const bir_print_options none = {.size = sizeof none.size, .no_ids = 1};
    part.len = 0;
    OK(bir_function_print(function, &none, collect, &part, &err));
    CHECK(strcmp(part.bytes, strstr(t.bytes, "function")) == 0);
    const bir_print_options bare = {.size = sizeof bare, .no_ids = 1};
    part.len = 0;
    OK(bir_block_print(block, &bare, collect, &part, &err));
    CHECK(strcmp(part.bytes, "block entry:\n  ret: Return @Pool\n") == 0);
    const bir_print_options all = {.size = sizeof all, .all = 1};
    part.len = 0;
    OK(bir_inst_print(inst, &all, collect, &part, &err));
    CHECK(strstr(part.bytes, "ret (id 2): Return @Pool engine_id=0 ") == part.bytes);
    CHECK(strstr(part.bytes, " schedule=0..0 debug=none origin=Internal\n") != NULL);
    /* A callback that has had enough is not called again. */
    part = (text){.enough = 1};
    IS(bir_module_print(module, NULL, collect, &part, &err), BIR_STATUS_CANCELLED);
    CHECK(part.pieces == 1);
    IS(bir_module_print(module, NULL, NULL, NULL, &err), BIR_STATUS_NULL_ARGUMENT);
    IS(bir_inst_print(NULL, NULL, collect, &part, &err), BIR_STATUS_NULL_ARGUMENT);
    /* What was erased is still printed. */
    OK(bir_inst_erase(inst, &err));
    part = (text){0};
    OK(bir_inst_print(inst, NULL, collect, &part, &err));
    CHECK(strcmp(part.bytes, "ret (id 2): Return @Pool\n") == 0);
    bir_module_destroy(module);
}

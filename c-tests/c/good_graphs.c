/* Pictures of a module, in all forms. */
#include "good.h"

typedef struct picture {
    char bytes[1 << 18];
    size_t len, pieces, enough;
} picture;

static bir_status draw(void *user, const char *bytes, size_t len) {
    picture *p = user;
    CHECK(len > 0 && len < sizeof p->bytes - p->len);
    memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
    return ++p->pieces == p->enough ? BIR_STATUS_CANCELLED : BIR_STATUS_OK;
}

static int has(const picture *p, const char *text) {
    return strstr(p->bytes, text) != NULL;
}

void good_graphs(void) {
    static picture p, again;
    fixture f = fixture_create();
    /* By default all of it, as SVG. */
    OK(bir_module_graph(f.module, NULL, draw, &p, &err));
    CHECK(strncmp(p.bytes, "<?xml ", 6) == 0 && strcmp(p.bytes + p.len - 7, "</svg>\n") == 0);
    CHECK(has(&p, "class=\"b\""));
    bir_graph_options options = {.size = sizeof options};
    OK(bir_module_graph(f.module, &options, draw, &again, &err));
    CHECK(again.len == p.len && memcmp(again.bytes, p.bytes, p.len) == 0);
    static const char *const begins[2][3] = {{"<?xml ", "digraph \"", "{\n"}, {"<?xml ", "graph \"", "{\n"}};
    for (uint8_t memory = 0; memory < 2; memory++) {
        for (int32_t format = BIR_GRAPH_FORMAT_SVG; format <= BIR_GRAPH_FORMAT_JSON; format++) {
            memset(&p, 0, sizeof p);
            options.format = format;
            options.memory = memory;
            OK(bir_module_graph(f.module, &options, draw, &p, &err));
            CHECK(strncmp(p.bytes, begins[memory][format], strlen(begins[memory][format])) == 0);
        }
    }
    CHECK(has(&p, "\"kind\": \"memory_map\""));
    /* A part, and less than there is. */
    bir_string name = {NULL, 0};
    OK(bir_function_name(f.function, &name, &err));
    memset(&p, 0, sizeof p);
    options = (bir_graph_options){.format = BIR_GRAPH_FORMAT_JSON, .max_nodes = 1, .function = name};
    OK(bir_module_graph(f.module, &options, draw, &p, &err));
    CHECK(has(&p, "collapsed_") && has(&p, "are collapsed into 1 node"));
    /* Members beyond the size that the caller tells are not read. */
    options = (bir_graph_options){.size = offsetof(bir_graph_options, memory), .max_nodes = UINT32_MAX};
    memset(&p, 0, sizeof p);
    OK(bir_module_graph(f.module, &options, draw, &p, &err));
    options = (bir_graph_options){.size = sizeof options, .block = {"nowhere", 7}};
    IS(bir_module_graph(f.module, &options, draw, &p, &err), BIR_STATUS_NOT_FOUND);
    CHECK(strstr(err.message, "`nowhere`") != NULL);
    /* A caller who has had enough is not asked again. */
    memset(&p, 0, sizeof p);
    p.enough = 1;
    IS(bir_module_graph(f.module, NULL, draw, &p, &err), BIR_STATUS_CANCELLED);
    CHECK(p.pieces == 1);
    fixture_destroy(&f);
}

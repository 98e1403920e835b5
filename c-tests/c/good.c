/* Runs all topics, or the ones that are named, in a temporary folder. */
#include "good.h"

#include "folder.h"

static const struct {
    const char *name;
    void (*run)(void);
} topics[] = {
    {"library", good_library},
    {"module", good_module},
    {"functions", good_functions},
    {"blocks", good_blocks},
    {"block_args", good_block_args},
    {"instructions", good_instructions},
    {"fields", good_fields},
    {"operands", good_operands},
    {"dependencies", good_dependencies},
    {"sync", good_sync},
    {"axes", good_axes},
    {"expressions", good_expressions},
    {"storages", good_storages},
    {"sets", good_sets},
    {"locations", good_locations},
    {"registers", good_registers},
    {"queues", good_queues},
    {"enums", good_enums},
    {"crosswalks", good_crosswalks},
    {"classes", good_classes},
    {"families", good_families},
    {"same", good_same},
    {"cse", good_cse},
    {"clone_equal", good_clone_equal},
    {"dedup", good_dedup},
    {"documents", good_documents},
    {"klr", good_klr},
    {"text", good_text},
    {"graphs", good_graphs},
    {"packages", good_packages},
    {"package_writer", good_package_writer},
    {"package_reader", good_package_reader},
    {"dedup_files", good_dedup_files},
    {"constants_digest", good_constants_digest},
};

int main(int argc, char **argv) {
    folder_enter();
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        int wanted = argc == 1;
        for (int a = 1; a < argc; a++) {
            wanted |= strcmp(argv[a], topics[i].name) == 0;
        }
        if (wanted) {
            topics[i].run();
            printf("%s ok\n", topics[i].name);
        }
    }
    return 0;
}

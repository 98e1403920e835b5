/* Two threads with one module and nothing between them. */
#include "bir.h"

#include <pthread.h>

static void *change(void *module) {
    for (int i = 0; i < 100; i++) {
        bir_module_set_artifact_path(module, "path", SIZE_MAX, NULL);
    }
    return NULL;
}

int main(void) {
    bir_module *module = bir_module_create(NULL);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, change, module) != 0) {
            return 0;
        }
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    bir_module_destroy(module);
    return 0;
}

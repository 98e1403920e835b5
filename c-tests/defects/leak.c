/* A module that nobody destroys: the leak check must see it. */
#include "bir.h"

int main(void) {
    bir_module *module = bir_module_create(NULL);
    module = bir_module_create(NULL);
    bir_module_destroy(module);
    return 0;
}

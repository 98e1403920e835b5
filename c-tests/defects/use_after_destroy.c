/* Reads a text of a module that is gone. */
#include "bir.h"

#include <string.h>

int main(void) {
    bir_module *module = bir_module_create(NULL);
    bir_function *function = bir_module_add_function(module, "main", SIZE_MAX, NULL, NULL, NULL);
    bir_string name = {NULL, 0};
    bir_function_name(function, &name, NULL);
    bir_module_destroy(module);
    volatile char first = *(volatile const char *)name.data;
    (void)first;
    return 0;
}

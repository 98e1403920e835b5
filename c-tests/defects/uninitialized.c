/* A decision that depends on memory which nobody wrote. */
#include "bir.h"

#include <stdlib.h>

/* Hides from the compiler where the memory is from. */
static void *(*volatile allocate)(size_t) = malloc;

int main(void) {
    volatile int *place = allocate(sizeof(int));
    int result = *place > 5 ? (int)bir_abi_version() : 0;
    free((void *)place);
    return result == 12345;
}

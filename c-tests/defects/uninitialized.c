/* A decision that depends on memory which nobody wrote. */
#include "bir.h"

#include <stdlib.h>

int main(void) {
    volatile int *place = malloc(sizeof(int));
    int result = *place > 5 ? (int)bir_abi_version() : 0;
    free((void *)place);
    return result == 12345;
}

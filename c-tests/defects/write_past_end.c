/* Writes behind a block of its own, as a result that is too long for its place would. */
#include "bir.h"

#include <stdlib.h>

int main(void) {
    volatile char *place = malloc(8);
    place[8] = (char)bir_abi_version();
    free((void *)place);
    return 0;
}

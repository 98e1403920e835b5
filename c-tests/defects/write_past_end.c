/* Writes behind a block of its own, as a result that is too long for its place would. */
#include "bir.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    volatile char *place = malloc(8 * (size_t)argc);
    place[8 * argc] = (char)bir_abi_version();
    free((void *)place);
    return 0;
}

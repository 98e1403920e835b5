/* A module that nobody destroys: the leak check must see it. Its address must not lie on in a dead stack slot, which leak checks
   take for a reference. */
#include "bir.h"

static void make(void) {
    (void)bir_module_create(NULL);
}

/* On the real stack: AddressSanitizer keeps locals elsewhere. */
__attribute__((no_sanitize_address)) static void clear_the_stack(void) {
    volatile char dead[1 << 16];
    for (unsigned i = 0; i < sizeof dead; i++) {
        dead[i] = 0;
    }
}

/* Through pointers, so that each has a stack frame of its own. */
static void (*volatile const calls[])(void) = {make, clear_the_stack};

int main(void) {
    calls[0]();
    calls[1]();
    return 0;
}

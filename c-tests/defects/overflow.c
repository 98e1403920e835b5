/* Arithmetic that leaves its type. */
#include "bir.h"

int main(void) {
    volatile int32_t number = INT32_MAX;
    number = number + (int32_t)bir_abi_version();
    return number == 12345;
}

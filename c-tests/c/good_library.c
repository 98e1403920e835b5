#include "good.h"

void good_library(void) {
    CHECK(bir_abi_version() == BIR_ABI_VERSION);
    const char *version = bir_version_string();
    CHECK(version != NULL && strchr(version, '.') != NULL);
    CHECK(bir_layout_hash() != 0 && bir_layout_hash() == bir_layout_hash());
    bir_string text = {NULL, 0};
    OK(bir_status_name(BIR_STATUS_OK, &text, &err));
    CHECK(same_text(text, "Ok"));
    OK(bir_status_name(BIR_STATUS_MISSING_KEY, &text, &err));
    CHECK(same_text(text, "MissingKey"));
    for (bir_status status = 0; status <= BIR_STATUS_NOT_FOUND; status++) {
        OK(bir_status_name(status, &text, &err));
        CHECK(text.len > 1);
        OK(bir_status_description(status, &text, &err));
        CHECK(text.len > 1);
    }
    IS(bir_status_name(-1, &text, &err), BIR_STATUS_NOT_FOUND);
    IS(bir_status_description(9999, &text, &err), BIR_STATUS_NOT_FOUND);

    /* The size of the caller's error struct is respected. */
    struct {
        bir_error err;
        char guard[16];
    } small;
    memset(&small, 0x5A, sizeof small);
    small.err.size = (uint32_t)offsetof(bir_error, message);
    CHECK(bir_status_name(-1, &text, &small.err) == BIR_STATUS_NOT_FOUND);
    CHECK(small.err.status == BIR_STATUS_NOT_FOUND && small.err.size == offsetof(bir_error, message));
    for (size_t i = offsetof(bir_error, message); i < sizeof small; i++) {
        CHECK(((const char *)&small)[i] == 0x5A);
    }
}

/* The programs that call every function with good arguments, by topic; good.c runs them. */
#ifndef GOOD_H
#define GOOD_H

#include "check.h"
#include "fixture.h"

/* What every object with a name can do; `sibling` is the name of another object of its container. */
#define NAMED(prefix, object, in_module, name, sibling) \
    do { \
        uint8_t renamed_ = 9; \
        int32_t id_ = -5, kind_ = -5; \
        void *address_ = NULL; \
        TEXT(prefix##_name, (object), name); \
        OK(prefix##_rename((object), T("a_name_that_has_more_than_fifteen_bytes"), &renamed_, &err)); \
        CHECK(renamed_ == 0); \
        TEXT(prefix##_name, (object), "a_name_that_has_more_than_fifteen_bytes"); \
        OK(prefix##_rename((object), T(sibling), &renamed_, &err)); \
        CHECK(renamed_ == 1); \
        TEXT(prefix##_name, (object), sibling "_1"); \
        OK(prefix##_rename((object), name "xyz", sizeof(name) - 1, NULL, &err)); \
        TEXT(prefix##_name, (object), name); \
        OK(prefix##_id((object), &id_, &err)); \
        CHECK(id_ >= 0); \
        OK(bir_module_find_by_id((in_module), id_, &kind_, &address_, &err)); \
        CHECK(address_ == (const void *)(object)); \
        ENUM_MEMBER(prefix##_origin, prefix##_set_origin, (object), BIR_NAMED_OBJECT_ORIGIN_INTERNAL, \
                    BIR_NAMED_OBJECT_ORIGIN_NKI); \
        SAME(prefix##_module((object), &err), (in_module)); \
        VALUE(uint8_t, prefix##_is_linked, (object), 1); \
        VALUE(uint8_t, prefix##_is_erased, (object), 0); \
    } while (0)

/* Taking an object out of its container. */
#define UNLINK(prefix, object) \
    do { \
        OK(prefix##_unlink((object), &err)); \
        VALUE(uint8_t, prefix##_is_linked, (object), 0); \
        VALUE(uint8_t, prefix##_is_erased, (object), 0); \
        NONE(prefix##_next((object), &err)); \
        NONE(prefix##_prev((object), &err)); \
    } while (0)

/* The end of an object: it stays readable, and nothing can be changed. */
#define ERASE(prefix, object, name) \
    do { \
        OK(prefix##_erase((object), &err)); \
        VALUE(uint8_t, prefix##_is_erased, (object), 1); \
        VALUE(uint8_t, prefix##_is_linked, (object), 0); \
        TEXT(prefix##_name, (object), name); \
        IS(prefix##_rename((object), T("x"), NULL, &err), BIR_STATUS_DETACHED); \
        FAILS(prefix##_module((object), &err), BIR_STATUS_DETACHED); \
    } while (0)

void good_library(void);
void good_module(void);
void good_functions(void);
void good_blocks(void);
void good_block_args(void);
void good_instructions(void);
void good_fields(void);
void good_operands(void);
void good_dependencies(void);
void good_sync(void);
void good_axes(void);
void good_expressions(void);
void good_storages(void);
void good_sets(void);
void good_locations(void);
void good_registers(void);
void good_queues(void);
void good_enums(void);
void good_crosswalks(void);
void good_classes(void);
void good_families(void);
void good_same(void);
void good_cse(void);
void good_clone_equal(void);
void good_dedup(void);
void good_documents(void);
void good_klr(void);
void good_text(void);
void good_graphs(void);
void good_packages(void);
void good_package_writer(void);
void good_package_reader(void);
void good_dedup_files(void);
void good_constants_digest(void);

#endif

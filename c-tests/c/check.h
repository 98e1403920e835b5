/* Assertions that say where and why: every call of the library that is expected to work shows its error when it does not. */
#ifndef CHECK_H
#define CHECK_H

#include "bir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text argument: pointer and length. */
#define T(text) (text), SIZE_MAX

/* The error of the last call; threads have one each. */
static _Thread_local bir_error err = {sizeof(bir_error), 0, 0, 0, 0, {0}, {0}};

/* Unused in some programs. */
static void fail(const char *file, int line, const char *what) __attribute__((noreturn, unused));
static void *found(void *object, const char *file, int line, const char *what) __attribute__((unused));
static void status_is(bir_status got, bir_status expected, const char *file, int line, const char *what)
    __attribute__((unused));
static int same_text(bir_string text, const char *expected) __attribute__((unused));

static void fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n  error %d: %s%s%s\n", file, line, what, (int)err.status, err.message,
            err.path[0] ? " at " : "", err.path);
    exit(1);
}

static void *found(void *object, const char *file, int line, const char *what) {
    if (object == NULL || err.status != BIR_STATUS_OK) {
        fail(file, line, what);
    }
    return object;
}

static void status_is(bir_status got, bir_status expected, const char *file, int line, const char *what) {
    if (got != expected || err.status != expected) {
        fprintf(stderr, "returned %d, expected %d\n", (int)got, (int)expected);
        fail(file, line, what);
    }
    if ((expected == BIR_STATUS_OK) != (err.message[0] == '\0')) {
        fail(file, line, "a message comes with an error, and only then");
    }
}

static int same_text(bir_string text, const char *expected) {
    return text.len == strlen(expected) && (text.len == 0 || memcmp(text.data, expected, text.len) == 0);
}

/* A fact. */
#define CHECK(fact) ((fact) ? (void)0 : fail(__FILE__, __LINE__, #fact))

/* A call that must end with a status. */
#define IS(call, status) status_is((call), (status), __FILE__, __LINE__, #call)

/* A call that must work. */
#define OK(call) IS(call, BIR_STATUS_OK)

/* A call that must give an object: the object. */
#define NEW(call) found((call), __FILE__, __LINE__, #call)

/* A call that must find nothing, without an error. */
#define NONE(call) \
    do { \
        CHECK((call) == NULL); \
        CHECK(err.status == BIR_STATUS_OK); \
    } while (0)

/* A call for an object that must fail with a status. */
#define FAILS(call, expected) \
    do { \
        CHECK((call) == NULL); \
        IS(err.status, (expected)); \
    } while (0)

/* A call that must give a certain object. */
#define SAME(call, object) \
    do { \
        CHECK((call) == (object)); \
        CHECK(err.status == BIR_STATUS_OK); \
    } while (0)

/* Reads a number, which must have a value. */
#define VALUE(type, getter, object, expected) \
    do { \
        type value_ = (type)0x55; \
        OK(getter((object), &value_, &err)); \
        CHECK(value_ == (type)(expected)); \
    } while (0)

/* Reads a text, which must be the one expected. */
#define TEXT(getter, object, expected) \
    do { \
        bir_string text_ = {NULL, 77}; \
        OK(getter((object), &text_, &err)); \
        CHECK(same_text(text_, (expected))); \
    } while (0)

/* Reads an optional text, which must be absent. */
#define ABSENT(getter, object) \
    do { \
        bir_string text_ = {"x", 77}; \
        OK(getter((object), &text_, &err)); \
        CHECK(text_.data == NULL && text_.len == 0); \
    } while (0)

/* A member that starts with one value and is set to another. */
#define MEMBER(type, getter, setter, object, start, other) \
    do { \
        VALUE(type, getter, (object), (start)); \
        OK(setter((object), (other), &err)); \
        VALUE(type, getter, (object), (other)); \
    } while (0)

/* The same for one that takes the numbers of an enum, and 9999 is none. */
#define ENUM_MEMBER(getter, setter, object, start, other) \
    do { \
        MEMBER(int32_t, getter, setter, (object), (start), (other)); \
        IS(setter((object), 9999, &err), BIR_STATUS_UNKNOWN_ENUM); \
        VALUE(int32_t, getter, (object), (other)); \
    } while (0)

#endif

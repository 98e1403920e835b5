// Assertions for the C++ programs, and the way from a handle of bir.h to the object that it is the address of.
#ifndef CHECK_HPP
#define CHECK_HPP

#include "bir.h"
#include "bir_layout.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace layout = bir::layout;

inline bir_error fresh_error() {
    bir_error e{};
    e.size = sizeof e;
    return e;
}

inline thread_local bir_error err = fresh_error();

[[noreturn]] inline void fail(const char *file, int line, const char *what) {
    std::fprintf(stderr, "%s:%d: %s\n  error %d: %s\n", file, line, what, static_cast<int>(err.status), err.message);
    std::exit(1);
}

template <class T> T *found(T *object, const char *file, int line, const char *what) {
    if (object == nullptr || err.status != BIR_STATUS_OK)
        fail(file, line, what);
    return object;
}

#define CHECK(...) ((__VA_ARGS__) ? static_cast<void>(0) : fail(__FILE__, __LINE__, #__VA_ARGS__))
#define OK(...) CHECK((__VA_ARGS__) == BIR_STATUS_OK)
#define NEW(...) found((__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define T(text) (text), SIZE_MAX

// An object of the library as its C++ struct.
template <class S> S *as(const void *handle) { return reinterpret_cast<S *>(reinterpret_cast<std::uintptr_t>(handle)); }

// Names of both kinds: kept inside the string object, and outside.
inline std::string name_of(std::size_t i) {
    return (i % 2 == 0 ? "n" : "a_name_that_does_not_fit_") + std::to_string(i);
}

#endif

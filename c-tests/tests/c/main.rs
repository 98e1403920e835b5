//! The C API from C and C++: everything here builds programs with the system's compilers, runs them, and judges them.
mod archive;
mod bad;
mod build;
mod cpp;
mod examples;
mod good;
mod headers;
mod sanitizers;
mod symbols;

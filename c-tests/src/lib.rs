//! The C API seen from the other side: programs in C and C++ that are built and run by `cargo test -p bir-c-tests`.
//!
//! This crate reads the header, so that checks cover every function without a list of their own; the programs are in
//! `c/` and `cpp/`, what builds and judges them is in `tests/`.
pub mod header;
pub mod table;

//! C tests

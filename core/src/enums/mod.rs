//! enums

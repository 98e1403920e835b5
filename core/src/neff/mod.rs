//! neff

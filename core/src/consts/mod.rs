//! consts

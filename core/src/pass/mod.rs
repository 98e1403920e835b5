//! Passes: changes of whole functions that keep what a program computes. Each is a function over the objects and reports
//! what it did; one that fails half-way leaves a program that still computes the same.
#![forbid(unsafe_code)]

pub mod cse;

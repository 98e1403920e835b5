//! Passes: changes of whole functions that keep what a program computes. Each is a function over the public objects and
//! reports what it did; a pass that fails half-way leaves a program that still computes the same.
#![forbid(unsafe_code)]

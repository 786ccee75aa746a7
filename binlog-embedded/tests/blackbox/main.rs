//! Blackbox through logger and drain.
#![cfg(not(loom))]

mod drain;
mod extremes;
mod file;
mod flight;
mod waiting;
mod writers;

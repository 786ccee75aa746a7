//! Shared by the programs: the messages and the Blackbox frame of tests/performance, and a clock that counts
//! instructions.

#![no_std]

#[path = "../../performance/src/messages.rs"]
pub mod messages;

#[path = "../../performance/src/frame.rs"]
pub mod frame;

pub mod clock;
pub mod size;

//! Shared by the programs: the messages of tests/performance, and a clock that counts instructions.

#![no_std]

#[path = "../../performance/src/messages.rs"]
pub mod messages;

pub mod clock;
pub mod size;

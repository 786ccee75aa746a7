//! Shared by the programs: the messages of tests/speed, and a clock that counts instructions.

#![no_std]

#[path = "../../speed/src/messages.rs"]
pub mod messages;

pub mod clock;
pub mod size;

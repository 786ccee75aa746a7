//! The board: an LM3S6965 evaluation board (Cortex-M3), as QEMU's machine `lm3s6965evb` has it.
//!
//! The register addresses are those of TI's "Stellaris LM3S6965 Microcontroller Data Sheet". For another board, put its
//! HAL in place of [`time`] and [`uart`]: embassy's have a time driver, and UARTs with both traits of embedded-io. In
//! place of [`busy_card`], take its SD host controller.

pub mod busy_card;
pub mod time;
pub mod uart;

use lm3s6965::semihosting;

use crate::BAUD;

/// The arguments that QEMU was started with.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// `seconds=5`: how long to fly.
    pub seconds: u64,
    /// `baud=250000`: the UART's bits a second.
    pub baud: u32,
    /// `busy=2000`: microseconds for which the card is busy after each write.
    pub busy_us: u32,
}

impl Arguments {
    /// Asks the host for them.
    ///
    /// # Panics
    ///
    /// If one is unknown, or they are longer than 511 bytes.
    pub fn read() -> Self {
        let mut arguments = Arguments { seconds: 5, baud: BAUD, busy_us: 2000 };
        for argument in semihosting::Arguments::read().iter() {
            match argument.split_once('=').map(|(name, value)| (name, value.parse::<u32>())) {
                Some(("seconds", Ok(seconds))) => arguments.seconds = seconds.into(),
                Some(("baud", Ok(baud @ 1..))) => arguments.baud = baud,
                Some(("busy", Ok(busy_us))) => arguments.busy_us = busy_us,
                _ => panic!("unknown argument {argument}"),
            }
        }
        arguments
    }
}

//! The board: an LM3S6965 evaluation board (Cortex-M3), as QEMU's machine `lm3s6965evb` has it.
//!
//! The register addresses are those of TI's "Stellaris LM3S6965 Microcontroller Data Sheet". For another board, put its
//! HAL in place of [`time`] and [`uart`]: embassy's have a time driver, and UARTs with both traits of embedded-io.

mod pace;
pub mod time;
pub mod uart;

use core::panic::PanicInfo;

use cortex_m_semihosting::{debug, hprintln, nr, syscall1};

use crate::BAUD;

/// The system clock in hertz: what QEMU 7.2 makes of RCC's reset value, 200 MHz by 16 (`hw/arm/stellaris.c`). The chip
/// itself starts on an oscillator that may be 30 % off, which is no clock for a UART: set up its PLL first (data sheet,
/// chapter 5).
const CLOCK_HZ: u32 = 12_500_000;

/// The arguments that QEMU was started with.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// `seconds=5`: how long to fly.
    pub seconds: u64,
    /// `baud=250000`: the UART's bits a second.
    pub baud: u32,
}

impl Arguments {
    /// Asks the host for them.
    ///
    /// # Panics
    ///
    /// If one is unknown, or they are longer than 127 bytes.
    pub fn read() -> Self {
        let mut buffer = [0; 128];
        let mut block = [buffer.as_mut_ptr() as usize, buffer.len()];
        // SAFETY: GET_CMDLINE (Arm, "Semihosting for AArch32 and AArch64") takes a buffer and its length, writes at
        // most that much to it, and how much that was to the second word.
        let failed = unsafe { syscall1(nr::GET_CMDLINE, block.as_mut_ptr() as usize) };
        assert!(failed == 0, "no arguments from the host");
        let line = core::str::from_utf8(&buffer[..block[1]]).expect("arguments in UTF-8");

        let mut arguments = Arguments { seconds: 5, baud: BAUD };
        // The first is the program's name.
        for argument in line.trim_end_matches('\0').split_whitespace().skip(1) {
            match argument.split_once('=').map(|(name, value)| (name, value.parse::<u32>())) {
                Some(("seconds", Ok(seconds))) => arguments.seconds = seconds.into(),
                Some(("baud", Ok(baud @ 1..))) => arguments.baud = baud,
                _ => panic!("unknown argument {argument}"),
            }
        }
        arguments
    }
}

/// Ends the program, with 0 or 1 for the host's shell.
pub fn exit(success: bool) -> ! {
    loop {
        debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{info}");
    exit(false)
}

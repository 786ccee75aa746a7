//! The board of the microcontroller examples: an LM3S6965 evaluation board (Cortex-M3), as QEMU's machine `lm3s6965evb`
//! emulates it. With another processor, the machine stands for any Cortex-M.
//!
//! - [`clock`]: microseconds since start, by SysTick.
//! - [`semihosting`]: arguments, lines of text and an exit code, and the handlers of panics and faults.
//! - [`reset`]: why the processor was reset.
//! - [`register`]: the chip's registers, by address.
//! - [`ssi`]: the SPI bus with the SD card; [`qemu_card`] corrects QEMU's card. Wrappers of the bus use [`operation`].
//! - [`uart`]: UART0, at the pace of its baud rate.
//! - `memory.x`: where flash and RAM are; with the feature `small`, `small.x`.
//!
//! On a real board, its HAL replaces this crate.
//!
//! The register addresses are those of TI's "Stellaris LM3S6965 Microcontroller Data Sheet".

#![no_std]

pub mod clock;
pub mod operation;
mod pace;
pub mod qemu_card;
pub mod register;
pub mod reset;
pub mod semihosting;
pub mod ssi;
pub mod uart;

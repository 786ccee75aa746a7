//! The card's SPI: SSI0 as the bus, pin 0 of GPIO port D as the chip select.
//!
//! Under QEMU a transfer takes no time at any bit rate. A real card must be initialised at 400 kHz or less,
//! after at least 74 clocks with its chip select high. This driver sends no such clocks: with the chip select high,
//! QEMU's bus leads to the display.

use core::convert::Infallible;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::asm;
use embedded_hal::spi::{ErrorType, Operation, SpiDevice};

use crate::register::Register;

// SAFETY: chapters 5 (system control), 8 (GPIO) and 14 (SSI) of the data sheet list these registers, and none of them
// starts an access to memory.
mod registers {
    use super::Register;

    /// RCGC1, run mode clock gating: bit 4 is SSI0.
    pub const RCGC1: Register = unsafe { Register::at(0x400F_E104) };
    /// RCGC2, run mode clock gating: bit 0 is GPIO port A, bit 3 port D.
    pub const RCGC2: Register = unsafe { Register::at(0x400F_E108) };

    /// GPIOAFSEL of port A: which pins SSI0 has.
    pub const PORT_A_AFSEL: Register = unsafe { Register::at(0x4000_4420) };
    /// GPIODEN of port A: which pins are digital.
    pub const PORT_A_DEN: Register = unsafe { Register::at(0x4000_451C) };

    /// GPIODATA of port D, by its address (bits 9 to 2 are a mask) pin 0 alone.
    pub const PORT_D_PIN_0: Register = unsafe { Register::at(0x4000_7004) };
    /// GPIODIR of port D: which pins are outputs.
    pub const PORT_D_DIR: Register = unsafe { Register::at(0x4000_7400) };
    /// GPIODEN of port D: which pins are digital.
    pub const PORT_D_DEN: Register = unsafe { Register::at(0x4000_751C) };

    /// SSICR0: frame format, mode and size.
    pub const SSI0_CR0: Register = unsafe { Register::at(0x4000_8000) };
    /// SSICR1: bit 1 enables.
    pub const SSI0_CR1: Register = unsafe { Register::at(0x4000_8004) };
    /// SSIDR: the two FIFOs.
    pub const SSI0_DR: Register = unsafe { Register::at(0x4000_8008) };
    /// SSISR: bit 2 says that something was received.
    pub const SSI0_SR: Register = unsafe { Register::at(0x4000_800C) };
    /// SSICPSR: the divisor of the system clock, even and at least 2.
    pub const SSI0_CPSR: Register = unsafe { Register::at(0x4000_8010) };
}
use registers::*;

/// The byte to send while receiving; an SD card takes it for silence.
const IDLE: u8 = 0xFF;

/// The SPI device on SSI0 and its chip select.
pub struct Ssi0(());

impl Ssi0 {
    /// Switches the bus on, with 8 bits a frame and SPI mode 0, and deselects the card.
    ///
    /// `None` when it was taken before.
    pub fn take() -> Option<Self> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        // A Cortex-M0 has no atomic swap.
        let is_taken = cortex_m::interrupt::free(|_| {
            let is_taken = TAKEN.load(Ordering::Relaxed);
            TAKEN.store(true, Ordering::Relaxed);
            is_taken
        });
        if is_taken {
            return None;
        }
        RCGC1.change(0, 1 << 4);
        RCGC2.change(0, 1 << 3 | 1 << 0);
        // A peripheral answers three clocks after its clock is switched on (data sheet, 5.2.4.1).
        asm::delay(3);

        // A pin takes no value before it's an output.
        PORT_D_DIR.change(0, 1);
        PORT_D_DEN.change(0, 1);
        PORT_D_PIN_0.write(1);
        // Pins 2, 4 and 5 are SSI0's clock, input and output. Pin 3 is the display's chip select.
        PORT_A_AFSEL.change(0, 0b11_0100);
        PORT_A_DEN.change(0, 0b11_1100);

        SSI0_CR1.write(0);
        SSI0_CPSR.write(2);
        SSI0_CR0.write(7);
        SSI0_CR1.write(1 << 1);
        Some(Self(()))
    }

    /// Sends a byte and returns the one received meanwhile.
    ///
    /// Both FIFOs are empty before and after, so there is always room to send.
    #[inline(always)]
    fn exchange(&mut self, byte: u8) -> u8 {
        SSI0_DR.write(byte.into());
        while SSI0_SR.read() & (1 << 2) == 0 {}
        SSI0_DR.read() as u8
    }

    fn operation(&mut self, operation: &mut Operation<'_, u8>) {
        match operation {
            Operation::Read(to) => to.iter_mut().for_each(|to| *to = self.exchange(IDLE)),
            Operation::Write(from) => from.iter().for_each(|from| _ = self.exchange(*from)),
            Operation::TransferInPlace(bytes) => bytes.iter_mut().for_each(|byte| *byte = self.exchange(*byte)),
            Operation::Transfer(to, from) => {
                for i in 0..to.len().max(from.len()) {
                    let answer = self.exchange(from.get(i).copied().unwrap_or(IDLE));
                    if let Some(to) = to.get_mut(i) {
                        *to = answer;
                    }
                }
            }
            // The core clock is at most 200 MHz: 5 ns a cycle.
            Operation::DelayNs(ns) => asm::delay(ns.div_ceil(5)),
        }
    }
}

impl ErrorType for Ssi0 {
    type Error = Infallible;
}

impl SpiDevice for Ssi0 {
    #[inline]
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        PORT_D_PIN_0.write(0);
        operations.iter_mut().for_each(|operation| self.operation(operation));
        PORT_D_PIN_0.write(1);
        Ok(())
    }
}

//! UART0, a PL011, by polling.
//!
//! While the receive FIFO is full, QEMU keeps further bytes on the host. A real wire doesn't wait: there, receive in an
//! interrupt.

use cortex_m::asm;

use crate::clock::TICKS_PER_US;
use crate::pace::Pace;
use crate::register::Register;

// SAFETY: chapters 5 (system control), 8 (GPIO) and 12 (UART) of the data sheet list these registers, and none of them
// starts an access to memory.
mod registers {
    use super::Register;

    /// RCGC1, run mode clock gating: bit 0 is UART0.
    pub const RCGC1: Register = unsafe { Register::at(0x400F_E104) };
    /// RCGC2, run mode clock gating: bit 0 is GPIO port A.
    pub const RCGC2: Register = unsafe { Register::at(0x400F_E108) };

    /// GPIOAFSEL of port A: which pins are UART0's. Pin 0 receives, pin 1 sends.
    pub const PORT_A_AFSEL: Register = unsafe { Register::at(0x4000_4420) };
    /// GPIODEN of port A: which pins are digital.
    pub const PORT_A_DEN: Register = unsafe { Register::at(0x4000_451C) };

    /// UARTDR: the two FIFOs.
    pub const DR: Register = unsafe { Register::at(0x4000_C000) };
    /// UARTFR: the state of the FIFOs.
    pub const FR: Register = unsafe { Register::at(0x4000_C018) };
    /// UARTIBRD: the divisor.
    pub const IBRD: Register = unsafe { Register::at(0x4000_C024) };
    /// UARTFBRD: the divisor's fraction, in 64ths.
    pub const FBRD: Register = unsafe { Register::at(0x4000_C028) };
    /// UARTLCRH: the frame, and whether there are FIFOs.
    pub const LCRH: Register = unsafe { Register::at(0x4000_C02C) };
    /// UARTCTL: what is on.
    pub const CTL: Register = unsafe { Register::at(0x4000_C030) };
    /// UARTIFLS: at which levels of the FIFOs the interrupt comes.
    pub const IFLS: Register = unsafe { Register::at(0x4000_C034) };
    /// UARTIM: which interrupts come.
    pub const IM: Register = unsafe { Register::at(0x4000_C038) };
}
use registers::*;

/// FR: a byte is on its way.
const BUSY: u32 = 1 << 3;
/// FR: the receive FIFO is empty.
const RXFE: u32 = 1 << 4;
/// FR: the transmit FIFO is full.
const TXFF: u32 = 1 << 5;
/// IM: the transmit FIFO is down to IFLS's level.
const TXIM: u32 = 1 << 5;

/// The system clock in hertz. The chip itself starts on an oscillator that may be 30 % off, which is too much for a
/// UART: set up its PLL first (data sheet, chapter 5).
const CLOCK_HZ: u32 = TICKS_PER_US * 1_000_000;

/// Bytes that each FIFO holds.
pub(crate) const FIFO: u64 = 16;
/// Bytes that are left in the transmit FIFO when the interrupt comes: half of them, so that there is time to bring
/// more.
pub(crate) const INTERRUPT_LEVEL: u64 = 8;

/// The interrupt's number (data sheet, table 2-9).
pub const INTERRUPT: u16 = 5;

/// UART0.
pub struct Uart0 {
    pace: Pace,
}

impl Uart0 {
    /// Switches it on: 8 bits, no parity, one stop bit. Its interrupt is off.
    pub fn start(baud: u32) -> Self {
        RCGC1.change(0, 1);
        RCGC2.change(0, 1);
        // A peripheral answers three cycles after its clock is switched on (data sheet, 5.2.4.1).
        asm::delay(3);
        PORT_A_AFSEL.change(0, 0b11);
        PORT_A_DEN.change(0, 0b11);

        CTL.write(0);
        // CLOCK_HZ / (16 * baud), in 64ths and rounded.
        let divisor = (CLOCK_HZ * 4 + baud / 2) / baud;
        IBRD.write(divisor / 64);
        FBRD.write(divisor % 64);
        // 8 bits, FIFOs on. The divisors take effect with this write.
        LCRH.write(0b11 << 5 | 1 << 4);
        // Interrupt at half.
        IFLS.write(0b010);
        IM.write(0);
        // On, to receive and to send.
        CTL.write(1 << 9 | 1 << 8 | 1 << 0);
        Self { pace: Pace::new(baud) }
    }

    /// Whether the transmit FIFO has no room. Once full, this is so until the interrupt would come.
    pub fn is_full(&mut self) -> bool {
        FR.read() & TXFF != 0 || self.pace.is_full()
    }

    /// Whether a byte is still being sent.
    pub fn is_busy(&self) -> bool {
        FR.read() & BUSY != 0 || self.pace.is_busy()
    }

    /// Puts as many bytes into the transmit FIFO as fit, and returns how many.
    pub fn send(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        for byte in bytes {
            if self.is_full() {
                break;
            }
            DR.write((*byte).into());
            self.pace.sent();
            taken += 1;
        }
        taken
    }

    /// A received byte. `None` if the receive FIFO is empty.
    pub fn receive(&mut self) -> Option<u8> {
        (FR.read() & RXFE == 0).then(|| DR.read() as u8)
    }

    /// Whether the interrupt comes when the transmit FIFO has room for half of its bytes.
    pub fn interrupt_when_half_empty(is_on: bool) {
        IM.write(if is_on { TXIM } else { 0 });
    }
}

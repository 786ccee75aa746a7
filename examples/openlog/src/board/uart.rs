//! UART0, a PL011, to the RXI pin of an OpenLog. The log needs no other wire than this and ground.
//!
//! **The baud rate.** A byte is ten bits, so [`BYTES_PER_SECOND`](crate::BYTES_PER_SECOND) are 111,800 bits a second.
//! They would fill 115,200 baud to 97 %, and catching up with the 2,018 bytes of definitions at the start would take 6
//! s. So it is 250,000, which an OpenLog's 16 MHz give without error. The remaining 13,820 bytes a second empty a full
//! ring in 0.6 s. Set the baud rate in the OpenLog's `config.txt`, and check that its firmware supports it.
//!
//! **The card.** An SD card may be busy for 250 ms, and an OpenLog has no line to say "wait". Bytes that don't fit into
//! its buffer (512 bytes: 45 ms of this log) are lost, and no counter here sees that. Readers skip the damaged stretch.
//! See "Continuous Logging" in SparkFun's wiki on the OpenLog; a logger with a larger buffer has no such gaps.
//!
//! **The escape character.** Set the number of escape characters in `config.txt` to 0. By default three bytes 0x1A in a
//! row, which a record may have, make the OpenLog stop logging and wait for commands.

use core::convert::Infallible;
use core::future::poll_fn;
use core::task::Poll;

use cortex_m::asm;
use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::NVIC;
use embassy_sync::waitqueue::AtomicWaker;
use embassy_time::Timer;

use super::CLOCK_HZ;
use super::pace::Pace;

/// A 32-bit register at an address.
struct Register(usize);

impl Register {
    fn read(&self) -> u32 {
        // SAFETY: the addresses below are registers, none of which starts an access to memory.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(&self, value: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    fn set(&self, bits: u32) {
        self.write(self.read() | bits);
    }
}

// Data sheet, chapter 5: run mode clock gating of UARTs and of GPIO ports. Bit 0 is UART0, and port A.
const RCGC1: Register = Register(0x400F_E104);
const RCGC2: Register = Register(0x400F_E108);
// Chapter 8: which pins of port A are UART0's, and digital. Pin 0 receives, pin 1 sends.
const PORT_A_AFSEL: Register = Register(0x4000_4420);
const PORT_A_DEN: Register = Register(0x4000_451C);
// Chapter 12.
const DR: Register = Register(0x4000_C000);
const FR: Register = Register(0x4000_C018);
const IBRD: Register = Register(0x4000_C024);
const FBRD: Register = Register(0x4000_C028);
const LCRH: Register = Register(0x4000_C02C);
const CTL: Register = Register(0x4000_C030);
const IFLS: Register = Register(0x4000_C034);
const IM: Register = Register(0x4000_C038);

/// FR: the transmit FIFO is full.
const TXFF: u32 = 1 << 5;
/// FR: a byte is on its way.
const BUSY: u32 = 1 << 3;
/// IM: the transmit FIFO is down to IFLS's level.
const TXIM: u32 = 1 << 5;

/// Bytes that the FIFO holds.
pub(super) const FIFO: u64 = 16;
/// Bytes that are left in it when the interrupt comes: half of them, so that there is time to bring more.
pub(super) const INTERRUPT_LEVEL: u64 = 8;

/// The interrupt's number (data sheet, table 2-9).
pub const INTERRUPT: i16 = 5;

#[derive(Clone, Copy)]
struct Uart0;

// SAFETY: it's this chip's number, and always the same.
unsafe impl InterruptNumber for Uart0 {
    fn number(self) -> u16 {
        INTERRUPT as u16
    }
}

static WAKER: AtomicWaker = AtomicWaker::new();

/// Wakes the task that waits for the FIFO. Call it in the interrupt's handler.
pub fn on_interrupt() {
    // Masked until a task waits again; otherwise it would come again and again when there is nothing to send.
    IM.write(0);
    WAKER.wake();
}

/// The sending half of UART0.
pub struct Uart {
    pace: Pace,
}

impl Uart {
    /// Switches it on: 8 bits, no parity, one stop bit.
    pub fn start(baud: u32) -> Self {
        RCGC1.set(1);
        RCGC2.set(1);
        // A peripheral answers three cycles after its clock is switched on (data sheet, 5.2.4.1).
        asm::delay(3);
        PORT_A_AFSEL.set(0b11);
        PORT_A_DEN.set(0b11);

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
        // On, to send.
        CTL.write(1 << 8 | 1 << 0);
        // SAFETY: no critical section relies on this interrupt being masked.
        unsafe { NVIC::unmask(Uart0) };
        Uart { pace: Pace::new(baud) }
    }

    fn is_full(&mut self) -> bool {
        FR.read() & TXFF != 0 || self.pace.is_full()
    }

    fn is_busy(&self) -> bool {
        FR.read() & BUSY != 0 || self.pace.is_busy()
    }

    /// Puts as many bytes into the FIFO as fit, and returns how many.
    fn fill(&mut self, bytes: &[u8]) -> usize {
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
}

impl embedded_io::ErrorType for Uart {
    type Error = Infallible;
}

/// Waits by polling.
impl embedded_io::Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        while !bytes.is_empty() && self.is_full() {}
        Ok(self.fill(bytes))
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while self.is_busy() {}
        Ok(())
    }
}

/// Waits for the interrupt. If it is dropped while it waits, no byte was sent.
impl embedded_io_async::Write for Uart {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        poll_fn(|context| {
            let taken = self.fill(bytes);
            if taken > 0 || bytes.is_empty() {
                return Poll::Ready(Ok(taken));
            }
            // The FIFO is full, so it's on its way down to the interrupt's level, or there already: then the interrupt
            // comes at once.
            WAKER.register(context.waker());
            IM.write(TXIM);
            Poll::Pending
        })
        .await
    }

    /// No interrupt signals the last byte, so this polls each millisecond, which is longer than the FIFO takes.
    async fn flush(&mut self) -> Result<(), Infallible> {
        while self.is_busy() {
            Timer::after_millis(1).await;
        }
        Ok(())
    }
}

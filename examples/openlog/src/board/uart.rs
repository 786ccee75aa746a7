//! UART0 to the RXI pin of an OpenLog. The log needs no other wire than this and ground.
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

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::NVIC;
use embassy_sync::waitqueue::AtomicWaker;
use embassy_time::Timer;
use lm3s6965::uart::{self, Uart0};

/// The interrupt's number.
pub const INTERRUPT: i16 = uart::INTERRUPT as i16;

#[derive(Clone, Copy)]
struct Interrupt;

// SAFETY: it's this chip's number, and always the same.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        uart::INTERRUPT
    }
}

static WAKER: AtomicWaker = AtomicWaker::new();

/// Wakes the task that waits for the FIFO. Call it in the interrupt's handler.
pub fn on_interrupt() {
    // Masked until a task waits again; otherwise it would come again and again when there is nothing to send.
    Uart0::interrupt_when_half_empty(false);
    WAKER.wake();
}

/// The sending half of UART0.
pub struct Uart(Uart0);

impl Uart {
    /// Switches it on: 8 bits, no parity, one stop bit.
    pub fn start(baud: u32) -> Self {
        let uart = Uart0::start(baud);
        // SAFETY: no critical section relies on this interrupt being masked.
        unsafe { NVIC::unmask(Interrupt) };
        Uart(uart)
    }
}

impl embedded_io::ErrorType for Uart {
    type Error = Infallible;
}

/// Waits by polling.
impl embedded_io::Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        while !bytes.is_empty() && self.0.is_full() {}
        Ok(self.0.send(bytes))
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while self.0.is_busy() {}
        Ok(())
    }
}

/// Waits for the interrupt. If it is dropped while it waits, no byte was sent.
impl embedded_io_async::Write for Uart {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        poll_fn(|context| {
            let taken = self.0.send(bytes);
            if taken > 0 || bytes.is_empty() {
                return Poll::Ready(Ok(taken));
            }
            // The FIFO is full, so it's on its way down to the interrupt's level, or there already: then the interrupt
            // comes at once.
            WAKER.register(context.waker());
            Uart0::interrupt_when_half_empty(true);
            Poll::Pending
        })
        .await
    }

    /// No interrupt signals the last byte, so this polls each millisecond, which is longer than the FIFO takes.
    async fn flush(&mut self) -> Result<(), Infallible> {
        while self.0.is_busy() {
            Timer::after_millis(1).await;
        }
        Ok(())
    }
}

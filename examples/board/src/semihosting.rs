//! Semihosting: arguments from the host, lines on its stdout, an exit code, and the exit after a panic or a fault.
//!
//! Numbers of operations: Arm's "Semihosting for AArch32 and AArch64". A board without a debugger that offers
//! semihosting stops at the first of these calls.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use core::str;
use core::sync::atomic::{AtomicUsize, Ordering};

use cortex_m::interrupt::{self, Mutex};
use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::{nr, syscall, syscall1};

/// Prints a line on the host's stdout. Panics if the host doesn't take it, like the `println` of `std`.
#[macro_export]
macro_rules! println {
    ($($line:tt)*) => {
        $crate::semihosting::print_line(format_args!($($line)*))
    };
}
pub use println;

/// What [`println`] does.
pub fn print_line(line: fmt::Arguments<'_>) {
    writeln!(Stdout, "{line}").expect("the host takes a line");
}

/// The host's stdout. The one of cortex-m-semihosting 0.6 retries for ever when nobody reads any more.
struct Stdout;

impl Stdout {
    /// The host's handle, asked for once.
    fn handle() -> usize {
        static HANDLE: AtomicUsize = AtomicUsize::new(usize::MAX);
        match HANDLE.load(Ordering::Relaxed) {
            usize::MAX => {
                const TERMINAL: &str = ":tt\0";
                let block = [TERMINAL.as_ptr() as usize, nr::open::W_TRUNC, TERMINAL.len() - 1];
                // SAFETY: OPEN takes a name that ends in a zero, a mode, and the name's length without the zero.
                let handle = unsafe { syscall(nr::OPEN, &block) };
                HANDLE.store(handle, Ordering::Relaxed);
                handle
            }
            handle => handle,
        }
    }
}

impl fmt::Write for Stdout {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let block = [Self::handle(), rest.as_ptr() as usize, rest.len()];
            // SAFETY: WRITE takes a handle, bytes and their number, and returns how many are left.
            let left = unsafe { syscall(nr::WRITE, &block) };
            if left >= rest.len() {
                return Err(fmt::Error);
            }
            rest = &rest[rest.len() - left..];
        }
        Ok(())
    }
}

/// The exit code after a panic.
pub const PANICKED: u8 = 101;
/// The exit code after a hard fault or an exception without a handler.
pub const FAULTED: u8 = 102;

/// The command line's capacity in bytes.
const CAPACITY: usize = 512;

/// The arguments that the firmware was started with.
pub struct Arguments {
    buffer: [u8; CAPACITY],
    length: usize,
}

impl Arguments {
    /// Asks the host for them.
    ///
    /// # Panics
    ///
    /// If the host has none to give, or more than 511 bytes.
    pub fn read() -> Self {
        let mut buffer = [0; CAPACITY];
        let mut block = [buffer.as_mut_ptr() as usize, CAPACITY];
        // SAFETY: GET_CMDLINE takes a buffer and its length. It writes at most that many bytes to the buffer, and their
        // number to the second word.
        let failed = unsafe { syscall1(nr::GET_CMDLINE, block.as_mut_ptr() as usize) };
        assert!(failed == 0, "the arguments are longer than {} bytes, or there is no host", CAPACITY - 1);
        Self { buffer, length: block[1] }
    }

    /// The arguments, without the program's name. They contain no spaces: the host joins them with spaces.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let line = self.buffer.get(..self.length).unwrap_or(&self.buffer);
        let line = str::from_utf8(line).unwrap_or_else(|error| panic!("the arguments aren't UTF-8: {error}"));
        line.trim_end_matches('\0').split(' ').filter(|argument| !argument.is_empty()).skip(1)
    }
}

/// Ends the program, with an exit code for the host's shell: 0 for success.
pub fn exit(code: u8) -> ! {
    /// "Application exit".
    const ADP_STOPPED_APPLICATION_EXIT: usize = 0x20026;
    /// SYS_EXIT_EXTENDED; SYS_EXIT takes no exit code.
    const EXIT_EXTENDED: usize = 0x20;
    loop {
        // SAFETY: it takes a reason and a code, and writes nothing.
        unsafe { syscall(EXIT_EXTENDED, &[ADP_STOPPED_APPLICATION_EXIT, code.into()]) };
    }
}

/// Prints a last line, if the host accepts it, and ends the program. It may run in a panic, so it must not panic.
fn fail(line: fmt::Arguments<'_>, code: u8) -> ! {
    if !cfg!(feature = "small") {
        _ = writeln!(Stdout, "{line}");
    }
    exit(code)
}

/// What a panic does before the exit.
static ON_PANIC: Mutex<Cell<Option<fn(&PanicInfo<'_>)>>> = Mutex::new(Cell::new(None));

/// Lets a panic call a function, with interrupts masked, before it ends the program. The function may reset the
/// processor instead of returning.
pub fn on_panic(call: fn(&PanicInfo<'_>)) {
    interrupt::free(|token| ON_PANIC.borrow(token).set(Some(call)));
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    interrupt::disable();
    // Taken, so that a panic in the function ends the program.
    if !cfg!(feature = "small")
        && let Some(call) = interrupt::free(|token| ON_PANIC.borrow(token).take())
    {
        _ = writeln!(Stdout, "{info}");
        call(info);
    }
    fail(format_args!("{info}"), PANICKED)
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    fail(format_args!("hard fault: {frame:?}"), FAULTED)
}

/// Ends the program in an exception without a handler. A program's `DefaultHandler` calls it.
pub fn unhandled(number: i16) -> ! {
    fail(format_args!("no handler for exception {number}"), FAULTED)
}

//! Why the processor was reset.

use crate::register::Register;

/// A cause of a reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The power came, or was too low.
    PowerOn,
    /// The reset pin.
    Pin,
    /// The watchdog.
    Watchdog,
    /// The program.
    Software,
    /// The register says nothing. QEMU never sets it.
    Unknown,
}

/// RESC (data sheet, chapter 5): a bit for each cause since it was cleared.
// SAFETY: it's a register and starts no access to memory.
const RESC: Register = unsafe { Register::at(0x400F_E05C) };

/// The cause of the last reset. The register is cleared, so that it says the same only once.
pub fn take_cause() -> Cause {
    let causes = RESC.read();
    RESC.write(0);
    let is = |bit: u32| causes & 1 << bit != 0;
    match () {
        // POR, BOR, and the LDO's regulator.
        () if is(1) || is(2) || is(5) => Cause::PowerOn,
        () if is(3) => Cause::Watchdog,
        () if is(4) => Cause::Software,
        () if is(0) => Cause::Pin,
        () => Cause::Unknown,
    }
}

//! A register of the chip, at its address.

/// A 32-bit register.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    /// The register at `address`.
    ///
    /// # Safety
    ///
    /// At `address` there is a 32-bit register of this chip, and no value read from it or written to it changes memory.
    pub const unsafe fn at(address: usize) -> Self {
        Self(address)
    }

    /// Reads it.
    #[inline(always)]
    pub fn read(self) -> u32 {
        // SAFETY: `at` was promised a register.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    /// Writes it.
    #[inline(always)]
    pub fn write(self, value: u32) {
        // SAFETY: `at` was promised a register, whose values don't change memory.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Clears the bits of `mask`, then sets those of `value`.
    pub fn change(self, mask: u32, value: u32) {
        self.write(self.read() & !mask | value);
    }
}

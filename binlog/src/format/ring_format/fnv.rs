//! A hash at compile time.

/// FNV-1a of 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>).
#[derive(Clone, Copy)]
pub struct Fnv(u64);

impl Fnv {
    /// The hash of nothing.
    pub const NEW: Self = Fnv(0xCBF2_9CE4_8422_2325);

    /// Adds a number.
    pub const fn number(self, number: usize) -> Self {
        self.bytes(&(number as u64).to_le_bytes())
    }

    /// Adds bytes.
    pub const fn bytes(mut self, bytes: &[u8]) -> Self {
        let mut i = 0;
        while i < bytes.len() {
            self.0 = (self.0 ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01B3);
            i += 1;
        }
        self
    }

    /// The hash.
    pub const fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Fnv;

    /// The examples of <http://www.isthe.com/chongo/tech/comp/fnv/>.
    #[test]
    fn others_compute_the_same_hash() {
        for (text, hash) in
            [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
        {
            assert_eq!(Fnv::NEW.bytes(text.as_bytes()).finish(), hash, "{text}");
        }
    }
}

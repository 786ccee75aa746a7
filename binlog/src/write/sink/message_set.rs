//! A set of a schema's messages, by their index in [`LogSchema::MESSAGES`](crate::LogSchema::MESSAGES).

/// A set of messages, one bit for each. A schema has at most 255 messages; larger indices wrap, so that nothing panics
/// in an interrupt.
#[repr(transparent)]
pub struct MessageSet([u32; 8]);

impl MessageSet {
    /// No message.
    pub const EMPTY: Self = MessageSet([0; 8]);

    /// Whether the message with this index is in the set.
    #[inline(always)]
    pub fn contains(&self, index: usize) -> bool {
        self.0[index / 32 % 8] & bit(index) != 0
    }

    /// Adds a message.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        self.0[index / 32 % 8] |= bit(index);
    }

    /// Removes a message. Returns whether it was in the set.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let was_in = self.contains(index);
        self.0[index / 32 % 8] &= !bit(index);
        was_in
    }
}

#[inline(always)]
fn bit(index: usize) -> u32 {
    1 << (index % 32)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::MessageSet;

    #[test]
    fn each_place_is_a_member_of_its_own() {
        for index in 0..256 {
            let mut set = MessageSet::EMPTY;
            set.insert(index);
            let members: std::vec::Vec<usize> = (0..256).filter(|&other| set.contains(other)).collect();
            assert_eq!(members, [index]);
            assert!(set.remove(index) && !set.remove(index) && !set.contains(index));
        }
    }
}

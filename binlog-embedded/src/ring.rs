//! The bytes of the ring: whole records, end to end, as they go into the file.
//!
//! Positions are free-running: bytes since the start, modulo 2³². Who owns which bytes is decided by head and tail,
//! which stand behind the critical section of [`Logger`](crate::Logger): from tail to head they are the drain's, the
//! others the producer's.

use binlog::HEAD_BYTES;

#[cfg(not(loom))]
pub(crate) use target::Ring;

#[cfg(loom)]
pub(crate) use model::Ring;

/// Where the bytes of a position stand. `N` is a power of two.
#[inline(always)]
const fn place<const N: usize>(position: u32) -> usize {
    position as usize & (N - 1)
}

#[cfg(not(loom))]
mod target {
    use super::{HEAD_BYTES, place};
    use core::cell::UnsafeCell;
    use core::sync::atomic::{Ordering, compiler_fence};

    pub(crate) struct Ring<const N: usize>(UnsafeCell<[u8; N]>);

    // SAFETY: the bytes are reached by `put` and `slice` alone. `Logger::log` puts where head and tail say that nothing
    // is in use, `Drain` takes a slice of what is, and both come by head and tail in a critical section; so their parts
    // are disjoint.
    unsafe impl<const N: usize> Sync for Ring<N> {}

    impl<const N: usize> Ring<N> {
        pub(crate) const fn new() -> Self {
            Ring(UnsafeCell::new([0; N]))
        }

        /// Puts a record at a position.
        ///
        /// # Safety
        ///
        /// The caller owns the record's bytes from `position` on, at most `N`: they are free, and nobody else is
        /// putting.
        #[inline(always)]
        pub(crate) unsafe fn put(&self, position: u32, id: u8, payload: &[u8]) {
            let start = place::<N>(position);
            if payload.is_empty() || start + 3 + payload.len() > N {
                // SAFETY: as ours.
                return unsafe { self.put_in_parts(start, id, payload) };
            }
            // SAFETY: `start` is below N, and the record ends at N at most. The header's word reaches into the payload,
            // which has a byte at least and is put over it; the record is the caller's, so the payload, which is
            // borrowed, is elsewhere.
            unsafe {
                let to = self.0.get().cast::<u8>().add(start);
                to.cast::<[u8; 4]>().write([HEAD_BYTES[0], HEAD_BYTES[1], id, 0]);
                copy(payload, to.add(3));
            }
        }

        /// The record that goes around the end, once in N bytes, or has no payload. `start` is its position's place.
        ///
        /// # Safety
        ///
        /// As of [`put`](Ring::put).
        #[cold]
        #[inline(never)]
        unsafe fn put_in_parts(&self, start: usize, id: u8, payload: &[u8]) {
            let bytes = self.0.get().cast::<u8>();
            for (i, byte) in [HEAD_BYTES[0], HEAD_BYTES[1], id].into_iter().enumerate() {
                // SAFETY: a place is below N, and the caller owns it.
                unsafe { bytes.add((start + i) & (N - 1)).write(byte) };
            }
            let start = (start + 3) & (N - 1);
            let (until_end, rest) = payload.split_at(payload.len().min(N - start));
            // SAFETY: the first part ends at N at most; the rest is shorter than N, as the record is. The caller owns
            // both places, so the payload, which is borrowed, is elsewhere.
            unsafe {
                copy_out_of_line(until_end, bytes.add(start));
                copy_out_of_line(rest, bytes);
            }
        }

        /// The bytes from a position on, at most `length`, up to the end of the ring.
        ///
        /// # Safety
        ///
        /// The caller owns `length` bytes from `position` on, until it lets go of the slice.
        pub(crate) unsafe fn slice(&self, position: u32, length: usize) -> &[u8] {
            let start = place::<N>(position);
            // SAFETY: inside the array, which is initialised, and the caller's.
            unsafe { core::slice::from_raw_parts(self.0.get().cast::<u8>().add(start), length.min(N - start)) }
        }
    }

    /// Copies a few bytes to any address.
    ///
    /// Three bytes of header misalign what follows, so a memcpy would shift bytes into place, or go byte by byte.
    /// Cortex-M3 and above load and store words at any address; on targets that don't, these are byte accesses. The
    /// fences keep LLVM from making a memcpy of it again.
    ///
    /// # Safety
    ///
    /// From `to` on, as many bytes as `from` has may be written, and overlap it nowhere.
    #[inline(always)]
    unsafe fn copy(from: &[u8], to: *mut u8) {
        let word = |i: usize| {
            compiler_fence(Ordering::SeqCst);
            // SAFETY: both calls keep `i + 4 <= from.len()`, so these four bytes are inside of `from`, and of as many
            // that may be written from `to` on. Neither needs an alignment.
            unsafe { to.add(i).cast::<u32>().write_unaligned(from.as_ptr().add(i).cast::<u32>().read_unaligned()) };
        };
        let mut i = 0;
        while i + 4 <= from.len() {
            word(i);
            i += 4;
        }
        if i < from.len() && from.len() >= 4 {
            // The last word ends where the bytes end, and overlaps the one before.
            word(from.len() - 4);
        } else {
            while i < from.len() {
                compiler_fence(Ordering::SeqCst);
                // SAFETY: `i < from.len()`, and as many bytes may be written.
                unsafe { to.add(i).write(from[i]) };
                i += 1;
            }
        }
    }

    /// The same once in the program, for lengths that aren't constant.
    ///
    /// # Safety
    ///
    /// As of [`copy`].
    #[inline(never)]
    unsafe fn copy_out_of_line(from: &[u8], to: *mut u8) {
        // SAFETY: as ours.
        unsafe { copy(from, to) };
    }
}

/// A cell a byte, each of which loom watches for two contexts at once.
#[cfg(loom)]
mod model {
    use super::{HEAD_BYTES, place};
    use loom::cell::UnsafeCell;

    pub(crate) struct Ring<const N: usize>([UnsafeCell<u8>; N]);

    // SAFETY: what loom is here to check.
    unsafe impl<const N: usize> Sync for Ring<N> {}

    impl<const N: usize> Ring<N> {
        pub(crate) fn new() -> Self {
            Ring(core::array::from_fn(|_| UnsafeCell::new(0)))
        }

        pub(crate) unsafe fn put(&self, position: u32, id: u8, payload: &[u8]) {
            let record = [HEAD_BYTES[0], HEAD_BYTES[1], id].into_iter().chain(payload.iter().copied());
            for (position, byte) in (0..).map(|i| position.wrapping_add(i)).zip(record) {
                // SAFETY: loom reports whoever else is at the cell.
                self.0[place::<N>(position)].with_mut(|cell| unsafe { cell.write(byte) });
            }
        }

        pub(crate) unsafe fn slice(&self, position: u32, length: usize) -> std::vec::Vec<u8> {
            let start = place::<N>(position);
            // SAFETY: as above.
            self.0[start..N.min(start + length)].iter().map(|cell| cell.with(|cell| unsafe { *cell })).collect()
        }
    }
}

//! The bytes of the ring: whole records, end to end, as they go into the file.
//!
//! Positions are free-running: bytes since the start, modulo 2³². Who owns which bytes is decided by head and tail, which
//! stand behind the critical section of [`Logger`](crate::Logger): from tail to head they are the drain's, the others
//! the producer's.

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

    // SAFETY: the bytes are reached by `put` and `slice` alone, whose callers own disjoint parts.
    unsafe impl<const N: usize> Sync for Ring<N> {}

    impl<const N: usize> Ring<N> {
        pub(crate) const fn new() -> Self {
            Ring(UnsafeCell::new([0; N]))
        }

        /// Puts a record at a position.
        ///
        /// # Safety
        ///
        /// The caller owns the record's bytes from `position` on, at most `N`: they are free, and nobody else is putting.
        #[inline(always)]
        pub(crate) unsafe fn put(&self, position: u32, id: u8, payload: &[u8]) {
            let start = place::<N>(position);
            if payload.is_empty() || start + 3 + payload.len() > N {
                // SAFETY: as ours.
                return unsafe { self.put_byte_by_byte(position, id, payload) };
            }
            // SAFETY: `start` is below N, and the record ends at N at most.
            let to = unsafe { self.0.get().cast::<u8>().add(start) };
            let from = payload.as_ptr();
            // Three bytes of header misalign what follows, so a memcpy would shift bytes into place. Cortex-M3 and above
            // load and store words at any address; on targets that don't, these are byte accesses. The fences keep
            // LLVM from making a memcpy of the words again.
            // SAFETY: all accesses are inside the payload and inside the record, whose first word holds the payload's
            // first byte (there is one); the last word ends where they end, and overlaps the one before.
            unsafe {
                to.cast::<[u8; 4]>().write([HEAD_BYTES[0], HEAD_BYTES[1], id, *from]);
                let to = to.add(3);
                if payload.len() < 4 {
                    for i in 1..payload.len() {
                        to.add(i).write(*from.add(i));
                    }
                    return;
                }
                let mut i = 1;
                while i + 4 <= payload.len() {
                    to.add(i).cast::<u32>().write_unaligned(from.add(i).cast::<u32>().read_unaligned());
                    compiler_fence(Ordering::SeqCst);
                    i += 4;
                }
                if i < payload.len() {
                    let last = payload.len() - 4;
                    to.add(last).cast::<u32>().write_unaligned(from.add(last).cast::<u32>().read_unaligned());
                }
            }
        }

        /// The record that goes around the end, once in N bytes.
        ///
        /// # Safety
        ///
        /// As of [`put`](Ring::put).
        #[cold]
        #[inline(never)]
        unsafe fn put_byte_by_byte(&self, position: u32, id: u8, payload: &[u8]) {
            let record = [HEAD_BYTES[0], HEAD_BYTES[1], id].into_iter().chain(payload.iter().copied());
            for (position, byte) in (0..).map(|i| position.wrapping_add(i)).zip(record) {
                // SAFETY: a place is below N, and the caller owns it.
                unsafe { self.0.get().cast::<u8>().add(place::<N>(position)).write(byte) };
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

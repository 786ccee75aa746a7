// Held by binlog-embedded/tests/loom.rs, binlog-embedded/tests/stress.rs.

//! The bytes of the ring: whole records, contiguous. In both formats, each begins with the header of ArduPilot's
//! records, so that what outlived a reset can be told from other bytes.
//!
//! Positions are free-running: bytes since the start, modulo 2³². Head and tail, which the critical section of
//! [`Logger`](crate::Logger) protects, determine who owns which bytes: those from tail to head belong to the drain, the
//! others to the producer.

use binlog::record_header;
use binlog::ring_format::{Schema, TagTable};

#[cfg(not(loom))]
pub(crate) use target::{Ring, Slice};

#[cfg(loom)]
pub(crate) use model::{Ring, Slice};

/// The index of a position in the ring. `N` is a power of two.
#[inline(always)]
pub(crate) const fn place<const N: usize>(position: u32) -> usize {
    position as usize & (N - 1)
}

#[cfg(not(loom))]
mod target {
    use super::{Schema, TagTable, place, record_header};
    use core::cell::UnsafeCell;
    use core::sync::atomic::{Ordering, compiler_fence};

    pub(crate) type Slice<'a> = &'a [u8];

    /// Aligned for records of whole words. The state before it ends at a word anyway, so this costs no byte.
    #[repr(C, align(4))]
    pub(crate) struct Ring<const N: usize>(UnsafeCell<[u8; N]>);

    // SAFETY: `Logger::log` puts where head and tail show unused bytes, `Consumer` slices used bytes, and both read
    // head and tail in a critical section. So the parts they access are disjoint. `contents` has a ring that nobody
    // else uses.
    unsafe impl<const N: usize> Sync for Ring<N> {}

    impl<const N: usize> Ring<N> {
        pub(crate) const fn new() -> Self {
            Ring(UnsafeCell::new([0; N]))
        }

        /// Writes a record of an `M` at a position.
        ///
        /// # Safety
        ///
        /// `position` is a multiple of [`TagTable::UNIT`]. The caller owns the record's bytes from there on: they are
        /// unused, before the end of the ring, and no other producer is in `put`. The payload isn't empty.
        #[inline(always)]
        pub(crate) unsafe fn put<S: Schema, M>(&self, position: u32, tag: u8, payload: &[u8]) {
            // Positions are multiples of the unit. With the mask, words are aligned even if one isn't.
            let start = place::<N>(position) & !const { TagTable::<S>::UNIT - 1 };
            debug_assert!(start + TagTable::<S>::HEADER + payload.len() <= N, "the record is before the end");
            let [first, second, tag] = record_header(tag);
            // SAFETY: `start` is below N, and the caller guarantees that the record ends at N at most. The header is
            // written as a word, which may overlap the payload; the payload has at least one byte and is written after
            // it. The caller owns the record's bytes, so the borrowed payload can't overlap them. With a unit of 4, the
            // word is aligned, because the ring is aligned to 4 and `start` is a multiple of 4; and the header has 4
            // bytes, its length of 3 rounded up to the unit, so the payload begins at `to.add(4)`.
            unsafe {
                let to = self.0.get().cast::<u8>().add(start);
                if const { TagTable::<S>::UNIT == 4 && align_of::<M>() >= 4 } {
                    to.cast::<u32>().write(u32::from_ne_bytes([first, second, tag, 0]));
                    return copy_words(payload, to.add(4));
                }
                to.cast::<[u8; 4]>().write([first, second, tag, 0]);
                copy(payload, to.add(TagTable::<S>::HEADER));
            }
        }

        /// Writes any record, also one that wraps around the end, which happens once in N bytes, or has no payload.
        ///
        /// # Safety
        ///
        /// The caller owns the record's bytes, at most `N`, from `position` on: they are unused, and no other producer
        /// is in `put`.
        pub(crate) unsafe fn put_in_parts<S: Schema>(&self, position: u32, tag: u8, payload: &[u8]) {
            let start = place::<N>(position);
            let bytes = self.0.get().cast::<u8>();
            for (i, byte) in record_header(tag).into_iter().enumerate() {
                // SAFETY: the index is below N, and the caller owns the byte.
                unsafe { bytes.add((start + i) & (N - 1)).write(byte) };
            }
            let start = (start + TagTable::<S>::HEADER) & (N - 1);
            let (until_end, rest) = payload.split_at(payload.len().min(N - start));
            // SAFETY: the first part ends at N at most; the rest is shorter than N, because the record is. The caller
            // owns both parts, so the borrowed payload can't overlap them.
            unsafe {
                copy_out_of_line(until_end, bytes.add(start));
                copy_out_of_line(rest, bytes);
            }
        }

        /// At most `length` bytes from a position on, up to the end of the ring.
        ///
        /// # Safety
        ///
        /// The caller owns `length` bytes from `position` on until the slice's lifetime ends.
        pub(crate) unsafe fn slice(&self, position: u32, length: usize) -> Slice<'_> {
            let start = place::<N>(position);
            // SAFETY: the slice is inside the array, which is initialised, and the caller owns the bytes.
            unsafe { core::slice::from_raw_parts(self.0.get().cast::<u8>().add(start), length.min(N - start)) }
        }

        /// All bytes.
        ///
        /// # Safety
        ///
        /// All are initialised, and none is written until the reference's lifetime ends.
        pub(crate) unsafe fn contents(&self) -> &[u8; N] {
            // SAFETY: the caller's guarantee.
            unsafe { &*self.0.get() }
        }
    }

    /// Copies a few bytes to any address.
    ///
    /// The header's three bytes misalign the payload, so memcpy would shift bytes or copy single bytes. Cortex-M3 and
    /// above load and store words at any address; on other targets these are byte accesses. The fences keep LLVM from
    /// replacing the loop with memcpy.
    ///
    /// # Safety
    ///
    /// `from.len()` bytes from `to` on are writable and don't overlap `from`.
    #[inline(always)]
    unsafe fn copy(from: &[u8], to: *mut u8) {
        let word = |i: usize| {
            compiler_fence(Ordering::SeqCst);
            // SAFETY: both calls keep `i + 4 <= from.len()`, so the four bytes are inside `from`, and inside the
            // writable bytes from `to` on. Neither access needs alignment.
            unsafe { to.add(i).cast::<u32>().write_unaligned(from.as_ptr().add(i).cast::<u32>().read_unaligned()) };
        };
        let mut i = 0;
        while i + 4 <= from.len() {
            word(i);
            i += 4;
        }
        if i < from.len() && from.len() >= 4 {
            // The last word ends at the last byte and overlaps the word before it.
            word(from.len() - 4);
        } else {
            while i < from.len() {
                compiler_fence(Ordering::SeqCst);
                // SAFETY: `i < from.len()`, and that many bytes are writable.
                unsafe { to.add(i).write(from[i]) };
                i += 1;
            }
        }
    }

    /// Copies whole words between addresses that are multiples of 4; otherwise as [`copy`].
    ///
    /// Four words at a time: on a Cortex-M one instruction loads them and one stores them, which on a Cortex-M0 needs
    /// that alignment. As there, the fence keeps LLVM from replacing it with memcpy.
    ///
    /// # Safety
    ///
    /// As in [`copy`]. `to` is a multiple of 4.
    #[inline(always)]
    unsafe fn copy_words(from: &[u8], to: *mut u8) {
        let source = from.as_ptr().cast::<u32>();
        // A struct that is implemented by hand may give bytes that stand elsewhere.
        if !source.is_aligned() || !from.len().is_multiple_of(4) {
            // SAFETY: the caller's guarantee is the same.
            return unsafe { copy_out_of_line(from, to) };
        }
        let (to, words) = (to.cast::<u32>(), from.len() / 4);
        // Two loops of constant length, which LLVM unrolls.
        let mut i = 0;
        while i < words / 4 {
            compiler_fence(Ordering::SeqCst);
            // SAFETY: `4 * i + 4 <= words`, so the words are inside of `from`, and inside the writable bytes from `to`
            // on. Both addresses are multiples of 4: `source` was checked, and the caller guarantees it for `to`.
            unsafe { to.add(4 * i).cast::<[u32; 4]>().write(source.add(4 * i).cast::<[u32; 4]>().read()) };
            i += 1;
        }
        i *= 4;
        while i < words {
            compiler_fence(Ordering::SeqCst);
            // SAFETY: as above, with `i < words`.
            unsafe { to.add(i).write(source.add(i).read()) };
            i += 1;
        }
    }

    /// As [`copy`], once in the program, for lengths that aren't constant.
    ///
    /// # Safety
    ///
    /// As in [`copy`].
    #[inline(never)]
    unsafe fn copy_out_of_line(from: &[u8], to: *mut u8) {
        // SAFETY: the caller's guarantee is the same.
        unsafe { copy(from, to) };
    }
}

/// One cell for each byte; loom reports two contexts in one cell.
#[cfg(loom)]
mod model {
    use super::{Schema, TagTable, place, record_header};
    use loom::cell::UnsafeCell;

    pub(crate) type Slice<'a> = std::vec::Vec<u8>;

    pub(crate) struct Ring<const N: usize>([UnsafeCell<u8>; N]);

    // SAFETY: loom checks this claim.
    unsafe impl<const N: usize> Sync for Ring<N> {}

    impl<const N: usize> Ring<N> {
        pub(crate) fn new() -> Self {
            Ring(core::array::from_fn(|_| UnsafeCell::new(0)))
        }

        pub(crate) unsafe fn put<S: Schema, M>(&self, position: u32, tag: u8, payload: &[u8]) {
            // SAFETY: the caller's guarantee.
            unsafe { self.put_in_parts::<S>(position, tag, payload) };
        }

        pub(crate) unsafe fn put_in_parts<S: Schema>(&self, position: u32, tag: u8, payload: &[u8]) {
            let header = (0..).zip(record_header(tag));
            let payload = (TagTable::<S>::HEADER as u32..).zip(payload.iter().copied());
            for (offset, byte) in header.chain(payload) {
                let position = position.wrapping_add(offset);
                // SAFETY: loom reports concurrent access to the cell.
                self.0[place::<N>(position)].with_mut(|cell| unsafe { cell.write(byte) });
            }
        }

        pub(crate) unsafe fn slice(&self, position: u32, length: usize) -> Slice<'_> {
            let start = place::<N>(position);
            // SAFETY: as above.
            self.0[start..N.min(start + length)].iter().map(|cell| cell.with(|cell| unsafe { *cell })).collect()
        }
    }
}

//! littlefs, whose blocks are those of a chip in memory.

use super::sequential::write_pages;
use super::{Chip, Logs};
use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};
use std::cell::RefCell;
use std::ffi::{c_int, c_uint};

unsafe extern "C" {
    fn littlefs_begin(capacity: c_uint, length: c_uint) -> c_int;
    fn littlefs_write(bytes: *const u8, count: c_uint) -> c_int;
    fn littlefs_sync() -> c_int;
    fn littlefs_end() -> c_int;
    fn littlefs_open() -> c_int;
    fn littlefs_read(bytes: *mut u8, count: c_uint) -> c_int;
}

thread_local! {
    /// The glue in C has one volume, and so has this thread one chip.
    static CHIP: RefCell<Option<Chip<4096>>> = const { RefCell::new(None) };
}

fn with(transfer: impl FnOnce(&mut Chip<4096>) -> Option<()>) -> c_int {
    c_int::from(CHIP.with_borrow_mut(|chip| chip.as_mut().and_then(transfer)).is_none())
}

#[unsafe(no_mangle)]
extern "C" fn chip_read(bytes: *mut u8, at: c_uint, count: c_uint) -> c_int {
    // SAFETY: the buffer has room for `count` bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, count as usize) };
    with(|chip| chip.read(at, bytes).ok())
}

#[unsafe(no_mangle)]
extern "C" fn chip_write(bytes: *const u8, at: c_uint, count: c_uint) -> c_int {
    // SAFETY: the buffer holds `count` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count as usize) };
    with(|chip| write_pages(chip, at, bytes).ok())
}

#[unsafe(no_mangle)]
extern "C" fn chip_erase(at: c_uint) -> c_int {
    with(|chip| chip.erase(at, at + 4096).ok())
}

/// littlefs with a file open.
pub(super) struct Littlefs;

fn check(what: &str, result: c_int) {
    assert!(result >= 0, "littlefs: {what} returned {result}");
}

impl Logs<4096> for Littlefs {
    fn begin(&mut self, chip: &Chip<4096>, bytes: u32) {
        CHIP.set(Some(chip.clone()));
        // Besides the log, its metadata.
        // SAFETY: littlefs is used by this thread only.
        check("opening", unsafe { littlefs_begin(chip.capacity() as c_uint, bytes + (64 << 10)) });
    }

    fn write(&mut self, bytes: &[u8]) {
        // SAFETY: the pointer and the length are a slice's; a file is open.
        check("writing", unsafe { littlefs_write(bytes.as_ptr(), bytes.len() as c_uint) });
    }

    fn sync(&mut self) {
        // SAFETY: a file is open.
        check("syncing", unsafe { littlefs_sync() });
    }

    fn end(&mut self) -> Vec<u8> {
        // SAFETY: a file is open.
        check("closing", unsafe { littlefs_end() });
        // SAFETY: none is open any more.
        check("opening", unsafe { littlefs_open() });
        let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
        loop {
            // SAFETY: the pointer and the length are an array's; a file is open.
            let read = unsafe { littlefs_read(bytes.as_mut_ptr(), bytes.len() as c_uint) };
            check("reading", read);
            if read == 0 {
                return all;
            }
            all.extend(&bytes[..read as usize]);
        }
    }
}

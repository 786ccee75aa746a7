//! ChaN's FatFs, whose disk is a card in memory.

use super::flight::Logs;
use binlog_embedded::card::{Card, Slot};
use binlog_tests::ram_card::{Buffer, RamCard};
use std::cell::RefCell;
use std::ffi::{c_int, c_uint};

unsafe extern "C" {
    fn fatfs_begin(preallocated: c_uint) -> c_int;
    fn fatfs_write(bytes: *const u8, count: c_uint) -> c_int;
    fn fatfs_sync() -> c_int;
    fn fatfs_end() -> c_int;
}

thread_local! {
    /// FatFs has one disk, and so has this thread.
    static CARD: RefCell<Option<RamCard>> = const { RefCell::new(None) };
}

#[unsafe(no_mangle)]
extern "C" fn card_read(bytes: *mut u8, at: c_uint, count: c_uint) -> c_int {
    // SAFETY: disk_read's buffer has room for `count` blocks of 512 bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, count as usize * 512) };
    let mut blocks = vec![RamCard::ZERO; count as usize];
    let read = CARD.with_borrow_mut(|card| card.as_mut().map(|card| Card::read(card, at, &mut blocks)));
    for (bytes, block) in bytes.chunks_exact_mut(512).zip(&blocks) {
        bytes.copy_from_slice(&block[..]);
    }
    c_int::from(!matches!(read, Some(Ok(()))))
}

#[unsafe(no_mangle)]
extern "C" fn card_write(bytes: *const u8, at: c_uint, count: c_uint) -> c_int {
    // SAFETY: disk_write's buffer holds `count` blocks of 512 bytes.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count as usize * 512) };
    let mut blocks: Vec<Buffer> = vec![RamCard::ZERO; count as usize];
    for (bytes, block) in bytes.chunks_exact(512).zip(&mut blocks) {
        block.copy_from_slice(bytes);
    }
    let written = CARD.with_borrow_mut(|card| card.as_mut().map(|card| Card::write(card, at, &blocks)));
    c_int::from(!matches!(written, Some(Ok(()))))
}

/// FatFs with a file open, preallocated by `f_expand` or not.
pub(crate) struct FatFs {
    pub(crate) preallocates: bool,
}

fn check(what: &str, result: c_int) {
    assert_eq!(result, 0, "FatFs: {what} returned {result}");
}

impl Logs for FatFs {
    fn begin(&mut self, card: &RamCard, bytes: u32) {
        CARD.set(Some(card.clone()));
        // SAFETY: FatFs is used by this thread only.
        check("opening", unsafe { fatfs_begin(if self.preallocates { bytes } else { 0 }) });
    }

    fn write(&mut self, bytes: &[u8]) {
        // SAFETY: the pointer and the length are a slice's; a file is open.
        check("writing", unsafe { fatfs_write(bytes.as_ptr(), bytes.len() as c_uint) });
    }

    fn sync(&mut self) {
        // SAFETY: a file is open.
        check("syncing", unsafe { fatfs_sync() });
    }

    fn end(&mut self) {
        // SAFETY: a file is open.
        check("closing", unsafe { fatfs_end() });
    }
}

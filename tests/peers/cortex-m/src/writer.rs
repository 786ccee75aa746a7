//! A program's work: a log is begun, written, flushed and ended, on a chip also listed and read back. A feature chooses
//! with what; without one, it is nothing.

#[allow(unused_imports, reason = "the program without a writer needs none")]
use crate::medium;
use core::hint::black_box;

/// Bytes that are written at once, and how often before each flush.
const PIECE: usize = 256;
const PIECES: usize = 16;

static BYTES: [u8; PIECE] = [0x5A; PIECE];

/// Something went wrong.
#[derive(Debug)]
pub struct Failed;

/// Writes, as often as there are pieces between two flushes.
#[allow(dead_code, reason = "the program without a writer doesn't")]
fn pieces<E>(mut write: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), Failed> {
    for _ in 0..PIECES {
        write(black_box(&BYTES)).map_err(|_| Failed)?;
    }
    Ok(())
}

/// What the writer keeps, if that isn't in statics of its own.
#[cfg(feature = "sd-log")]
pub type Log = binlog_embedded::SdLog<medium::Card>;
#[cfg(feature = "flash-log")]
pub type Log = binlog_embedded::FlashLog<medium::Chip>;
#[cfg(feature = "sequential")]
pub type Log = sequential::Sequential<medium::Chip>;
#[cfg(not(any(feature = "sd-log", feature = "flash-log", feature = "sequential")))]
pub type Log = ();

#[cfg(feature = "sequential")]
#[path = "../../src/chips/sequential.rs"]
mod sequential;

#[cfg(feature = "sd-log")]
mod work {
    use super::*;
    use binlog_embedded::SdLog;
    use binlog_embedded::sd_log::{Options, Undated};
    use embedded_io::Write;

    pub fn log() -> Log {
        SdLog::new(medium::card(), Undated, Options::DEFAULT)
    }

    pub fn fly(log: &mut Log) -> Result<(), Failed> {
        log.begin_log().map_err(|_| Failed)?;
        pieces(|bytes| log.write_all(bytes))?;
        log.flush().map_err(|_| Failed)?;
        log.end_log().map_err(|_| Failed)
    }
}

#[cfg(feature = "flash-log")]
mod work {
    use super::*;
    use binlog_embedded::FlashLog;
    use binlog_embedded::flash_log::{Options, Preamble, WhenFull};
    use core::ops::ControlFlow;
    use embedded_io::Write;

    pub fn log() -> Log {
        // As the others do it.
        FlashLog::new(medium::chip(), Options { when_full: WhenFull::Overwrite, ..Options::DEFAULT })
    }

    pub fn fly(log: &mut Log) -> Result<(), Failed> {
        let number = log.begin_log(&[]).map_err(|_| Failed)?;
        pieces(|bytes| log.write_all(bytes))?;
        log.flush().map_err(|_| Failed)?;
        log.end_log().map_err(|_| Failed)?;
        let pass = |bytes: &[u8]| {
            black_box(bytes);
            ControlFlow::Continue(())
        };
        log.extract(number, Preamble::NONE, pass).map(drop).map_err(|_| Failed)
    }
}

#[cfg(feature = "sequential")]
mod work {
    use super::*;

    pub fn log() -> Log {
        Log::new(medium::chip())
    }

    pub fn fly(log: &mut Log) -> Result<(), Failed> {
        pieces(|bytes| log.write(bytes))?;
        log.extract(|bytes| _ = black_box(bytes)).map_err(|_| Failed)
    }
}

#[cfg(feature = "fatfs")]
mod work {
    use super::*;
    use core::ffi::{c_int, c_uint};

    unsafe extern "C" {
        fn fatfs_begin(preallocated: c_uint) -> c_int;
        fn fatfs_write(bytes: *const u8, count: c_uint) -> c_int;
        fn fatfs_sync() -> c_int;
        fn fatfs_end() -> c_int;
    }

    #[unsafe(no_mangle)]
    extern "C" fn card_read(bytes: *mut u8, at: c_uint, count: c_uint) -> c_int {
        // SAFETY: disk_read's buffer has room for `count` blocks of 512 bytes.
        let bytes = unsafe { core::slice::from_raw_parts_mut(bytes.cast(), count as usize) };
        medium::read_card(at, bytes)
    }

    #[unsafe(no_mangle)]
    extern "C" fn card_write(bytes: *const u8, at: c_uint, count: c_uint) -> c_int {
        // SAFETY: disk_write's buffer holds `count` blocks of 512 bytes.
        let bytes = unsafe { core::slice::from_raw_parts(bytes.cast(), count as usize) };
        medium::write_card(at, bytes)
    }

    pub fn log() {}

    fn check(result: c_int) -> Result<(), Failed> {
        if result == 0 { Ok(()) } else { Err(Failed) }
    }

    pub fn fly((): &mut ()) -> Result<(), Failed> {
        // SAFETY: the program has one thread, and a file is open after `fatfs_begin`.
        unsafe {
            check(fatfs_begin(black_box(1 << 20)))?;
            pieces(|bytes| check(fatfs_write(bytes.as_ptr(), bytes.len() as c_uint)))?;
            check(fatfs_sync())?;
            check(fatfs_end())
        }
    }
}

#[cfg(feature = "littlefs")]
mod work {
    use super::*;
    use core::ffi::{c_int, c_uint};
    use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};

    unsafe extern "C" {
        fn littlefs_begin(capacity: c_uint, length: c_uint) -> c_int;
        fn littlefs_write(bytes: *const u8, count: c_uint) -> c_int;
        fn littlefs_sync() -> c_int;
        fn littlefs_end() -> c_int;
        fn littlefs_open() -> c_int;
        fn littlefs_read(bytes: *mut u8, count: c_uint) -> c_int;
    }

    #[unsafe(no_mangle)]
    extern "C" fn chip_read(bytes: *mut u8, at: c_uint, count: c_uint) -> c_int {
        // SAFETY: the buffer has room for `count` bytes.
        let bytes = unsafe { core::slice::from_raw_parts_mut(bytes, count as usize) };
        c_int::from(medium::chip().read(at, bytes).is_err())
    }

    #[unsafe(no_mangle)]
    extern "C" fn chip_write(bytes: *const u8, at: c_uint, count: c_uint) -> c_int {
        // SAFETY: the buffer holds `count` bytes.
        let bytes = unsafe { core::slice::from_raw_parts(bytes, count as usize) };
        c_int::from(medium::chip().write(at, bytes).is_err())
    }

    #[unsafe(no_mangle)]
    extern "C" fn chip_erase(at: c_uint) -> c_int {
        c_int::from(medium::chip().erase(at, at + 4096).is_err())
    }

    pub fn log() {}

    fn check(result: c_int) -> Result<(), Failed> {
        if result >= 0 { Ok(()) } else { Err(Failed) }
    }

    pub fn fly((): &mut ()) -> Result<(), Failed> {
        let mut bytes = [0; 64];
        // SAFETY: the program has one thread, and a file is open after `littlefs_begin` and `littlefs_open`.
        unsafe {
            check(littlefs_begin(medium::chip().capacity() as c_uint, black_box(8192)))?;
            pieces(|bytes| check(littlefs_write(bytes.as_ptr(), bytes.len() as c_uint)))?;
            check(littlefs_sync())?;
            check(littlefs_end())?;
            check(littlefs_open())?;
            loop {
                let read = littlefs_read(bytes.as_mut_ptr(), bytes.len() as c_uint);
                check(read)?;
                if read == 0 {
                    break;
                }
                black_box(&bytes);
            }
            check(littlefs_end())
        }
    }
}

#[cfg(not(any(
    feature = "sd-log",
    feature = "flash-log",
    feature = "sequential",
    feature = "fatfs",
    feature = "littlefs"
)))]
mod work {
    use super::Failed;

    pub fn log() {}

    pub fn fly((): &mut ()) -> Result<(), Failed> {
        Ok(())
    }
}

pub use work::{fly, log};

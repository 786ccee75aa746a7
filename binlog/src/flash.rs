//! Logs on a NOR flash chip: the format that `binlog_embedded::FlashLog` writes, and the reader for an image of a chip.
//!
//! A program on a computer needs [`Image`] only. The rest of this module is the format itself, for
//! firmware and for readers in other languages.
//!
#![cfg_attr(feature = "read", doc = "")]
#![cfg_attr(feature = "read", doc = "```no_run")]
#![cfg_attr(feature = "read", doc = "use binlog::flash::Image;")]
#![cfg_attr(feature = "read", doc = "")]
#![cfg_attr(feature = "read", doc = "let chip = std::fs::read(\"chip.img\")?;")]
#![cfg_attr(feature = "read", doc = "for log in Image::new(&chip)?.logs() {")]
#![cfg_attr(feature = "read", doc = "    std::fs::write(log.file_name(), log.bytes())?;")]
#![cfg_attr(feature = "read", doc = "}")]
#![cfg_attr(feature = "read", doc = "# Ok::<(), Box<dyn std::error::Error>>(())")]
#![cfg_attr(feature = "read", doc = "```")]
//!
//! # The format
//!
//! All numbers are little-endian. The chip (or the region of it that the firmware uses) is a ring of **sectors** of
//! 4096 bytes. A sector starts with a [`Header`] of 16 bytes:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0 to 3 | CRC-32 of the 14 bytes `binlog flash 1` followed by bytes 4 to 15 |
//! | 4 to 5 | bits 0 to 11: the lap, which counts how often the ring started again at sector 0, modulo 4096; bits 12 to 15: the binary logarithm of the sectors in a block |
//! | 6 to 7 | the number of the log, from 1; 1 follows after 65,535 |
//! | 8 to 11 | bytes of the log in the sectors before this one, modulo 2³² |
//! | 12 to 15 | [`schema_hash`] of the log's preamble; 0 if the log was written without a schema |
//!
//! The rest of the sector consists of [`Frame`]s, which hold the bytes of the log. The first begins at byte 16:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0 to 3 | CRC-32 of the sector's 16 bytes of header, the frame's place in the sector (two bytes), and the frame from byte 4 to its end |
//! | 4 to 5 | bits 0 to 11: bytes of content, at least 1; bits 12 to 15: the binary logarithm of the chip's write size, 0 to 8 |
//! | 6 … | the content |
//!
//! The CRC is that of zlib and Ethernet (CRC-32/ISO-HDLC). A frame lies inside one **page** of 256 bytes. The next
//! frame begins after it, at the next multiple of the write size; if fewer than 16 bytes of the page are left there, at
//! the next page. A sector's content ends at its last byte or with the first frame that is not valid.
//!
//! The content of a log is that of its sectors, which follow each other on the ring. Its beginning is missing if the
//! first sector's offset is not 0: then it was overwritten.
//!
//! # Which sectors count
//!
//! Newest is the sector with a valid header of the highest lap, and of these the one with the highest place: the
//! **head**. Sectors are written in ascending order, and a log begins at a multiple of the chip's erase unit, so unused
//! sectors may lie between two logs. The sectors after the head are erased, or about to be erased, or hold the oldest
//! logs. Power cuts tear programs and erases, and a torn erase may leave anything, also sectors that look whole. A
//! reader therefore leaves out the first valid sector after the head, in the order of the ring, and the rest of the
//! block in which it lies. The oldest data starts at the next block. Blocks are counted from sector 0; the sectors
//! after the last whole block aren't used.
//!
//! The exception is lap 0 while the head is not in the last block: nothing was overwritten yet, so the data starts at
//! the first valid sector, if that is not after the head.
//!
//! Sectors up to the head belong to the head's lap, the others to the lap before; sectors of other laps don't count.

pub(crate) mod crc;
mod frame;
mod header;
#[cfg(feature = "read")]
mod image;

pub use crc::schema_hash;
pub use frame::Frame;
pub use header::Header;
#[cfg(feature = "read")]
pub use image::{Gap, Image, ImageError, ImageLog};

/// Bytes of a sector.
pub const SECTOR_BYTES: usize = 4096;

/// Bytes of a page, which a chip programs at once. A frame doesn't cross the end of a page.
pub const PAGE_BYTES: usize = 256;

/// Bytes of a sector's header.
pub const HEADER_BYTES: usize = 16;

/// Bytes of a frame before its content.
pub const FRAME_HEADER_BYTES: usize = 6;

/// The fewest bytes that are left in a page for a frame to begin there.
pub const LEAST_FRAME_BYTES: usize = 16;

/// The lap after 4095 is 0.
pub const LAPS: u16 = 1 << 12;

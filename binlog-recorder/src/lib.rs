//! Append-only logs on FAT16, FAT32 and exFAT.
//!
//! The recorder is a state machine without I/O: it says which block to read or write next, and is called again after the
//! transfer. [`SdLog`] moves the blocks, with blocking calls for a [`Card`](card::Card) and, with the feature `async`,
//! with calls for an `AsyncCard` whose futures may be dropped at any time. What it promises about power cuts is written
//! there.
//!
//! Programs use `binlog_embedded::SdLog` today, which writes to FAT16 and FAT32. This crate takes its place once its size
//! is as planned and firmware was run with it; until then it isn't published.
//!
//! # Features
//!
//! - `exfat` (default): cards with exFAT, which those above 32 GB come with.
//! - `sdmmc`: cards on SPI, and any block device of embedded-sdmmc 0.10.
//! - `async`: calls that wait for the card without blocking.
//! - `block-device-driver`: any asynchronous block device, such as embassy's SDMMC.
//! - `defmt`: `defmt::Format` for errors and lists of logs.
//!
//! The crate is `no_std` and needs no `alloc` and no floating point.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod card;
mod recorder;
pub mod sd_log;

pub use sd_log::SdLog;

//! The options of the logs on a card.

/// Folder, names, sizes and times. `Options::default()` suits all cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Folder of the logs in the root directory, created if missing; empty for the root directory itself. At most 8
    /// letters, digits, `_` and `-`. Default: `LOGS`. FAT16's root directory holds only some hundreds of files.
    pub folder: &'static str,
    /// Extension of the logs' names: 1 to 3 letters or digits. Default: `BIN`; Blackbox logs have `BBL`.
    pub extension: &'static str,
    /// The card's partition, 0 to 3. Default: 0. On a card without a partition table, 0 is the whole card.
    pub partition: u8,
    /// Bytes that a log owns in advance, contiguous if the card has such a gap. Default: 64 MiB. A step is at most what
    /// 16 blocks of the FAT describe: 64 MiB with clusters of 32 KiB, 8 MiB with clusters of 4 KiB.
    pub extent_bytes: u32,
    /// Written bytes after which the log is flushed: the most that a power cut loses, beside the ring and a block.
    /// Default: 32 KiB. At most what one block of the FAT describes: 64 KiB with clusters of 512 bytes, more with
    /// larger ones.
    pub flush_bytes: u32,
    /// Microseconds after which the log is flushed, however little was written. Default: one second.
    pub flush_us: u64,
    /// Bytes of a log after which the next begins, at most 4 GiB minus 1 MiB. Default: 1 GiB.
    pub log_bytes: u32,
    /// Bytes of the card that stay free; the oldest logs of earlier boots are removed for that. Default: 16 MiB.
    /// Where removing them all would not free as much, the space that is left is used to its end.
    pub free_bytes: u64,
    /// The highest number of a log; 1 follows. Default: 99,999,999.
    pub last_number: u32,
    /// Microseconds between two attempts to find a card. Default: one second.
    pub retry_us: u64,
}

impl Options {
    /// The defaults given above.
    pub const DEFAULT: Self = Options {
        folder: "LOGS",
        extension: "BIN",
        partition: 0,
        extent_bytes: 64 << 20,
        flush_bytes: 32 << 10,
        flush_us: 1_000_000,
        log_bytes: 1 << 30,
        free_bytes: 16 << 20,
        last_number: 99_999_999,
        retry_us: 1_000_000,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

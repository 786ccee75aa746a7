//! The options of the logs on a card.

/// Folder, sizes and times. `Options::default()` suits a card of 1 GB and more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Folder of the logs, created if missing; empty for the root directory. At most 8 letters, digits, `_` and `-`.
    /// Default: `LOGS`. FAT16's root directory holds only some hundreds of files.
    pub folder: &'static str,
    /// The card's partition, 0 to 3. Default: 0.
    pub partition: u8,
    /// Written bytes after which the log is flushed: the most that a power cut loses. Default: 32 KiB.
    pub flush_bytes: u32,
    /// Microseconds after which the log is flushed, however little was written. Default: one second.
    pub flush_us: u64,
    /// Bytes of a log after which the next begins, at most 4 GiB minus 1 MiB. Default: 1 GiB.
    pub log_bytes: u32,
    /// Bytes of the card that stay free; the oldest logs are deleted for that. Default: 16 MiB.
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
        partition: 0,
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

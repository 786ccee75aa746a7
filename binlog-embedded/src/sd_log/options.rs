//! What a program may choose of its logs on a card.

/// Folder, sizes and times. `Options::default()` suits a card of 1 GB and more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Folder of the logs, made where it is missing; empty for the root. At most 8 letters, digits, `_` and `-`. `LOGS`
    /// unless set. FAT16's root takes only some hundreds of files.
    pub folder: &'static str,
    /// Which of the card's partitions, 0 to 3. 0 unless set.
    pub partition: u8,
    /// Bytes after which what was written is made safe: what a power cut can lose. 32 KiB unless set.
    pub flush_bytes: u32,
    /// Microseconds after which it is made safe, however little it is. One second unless set.
    pub flush_us: u64,
    /// Bytes of a log after which the next begins, at most 4 GiB less 1 MiB. 1 GiB unless set.
    pub log_bytes: u32,
    /// Bytes of the card that stay free; the oldest logs are removed for them. 16 MiB unless set.
    pub free_bytes: u64,
    /// The highest number of a log; 1 follows. 99,999,999 unless set.
    pub last_number: u32,
    /// Microseconds from one attempt to find a card to the next. One second unless set.
    pub retry_us: u64,
}

impl Options {
    /// The values given above.
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

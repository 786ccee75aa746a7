//! The options of the logs on a card.

/// Folder, names, sizes and times. `Options::default()` suits all cards. A value outside of its range is replaced by
/// the nearest one, unless an error is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Folder of the logs in the root directory, created if missing; empty for the root directory itself. At most 8
    /// letters, digits, `_` and `-`; anything else is [`Fault::Folder`](crate::sd_log::Fault::Folder). Default: `LOGS`.
    ///
    /// On FAT, the folder grows, to 61,000 logs. On exFAT it doesn't: the folder that is created for them has room for
    /// 640 logs, or more if a cluster is larger than 64 KiB. FAT16's root directory has a fixed size, mostly 512
    /// entries.
    pub folder: &'static str,
    /// Extension of the logs' names: 1 to 3 letters or digits; anything else is
    /// [`Fault::Extension`](crate::sd_log::Fault::Extension). Files with another extension aren't logs: they are
    /// neither listed nor removed. Default: `BIN`. The first [`run`](crate::SdLog::run) with a drain of a Blackbox
    /// schema makes it `BBL`; calls before that, such as [`list`](crate::SdLog::list), and
    /// [`begin_log`](crate::SdLog::begin_log) know of no drain, so set `BBL` for them.
    pub extension: &'static str,
    /// The card's partition, 0 to 3; anything else is
    /// [`Unusable::PartitionOption`](crate::sd_log::Unusable::PartitionOption). Default: 0. On a card without a
    /// partition table, 0 is the whole card. A GPT counts with its checksums only; if it is damaged, its copy at the
    /// end of the card is used.
    pub partition: u8,
    /// Bytes that a log gets in advance, each time that it has used up the last ones: a contiguous extent of at least a
    /// cluster, shorter than asked for if the search finds none of that length. Default: 64 MiB.
    ///
    /// At most what 16 blocks of the FAT describe (FAT32: 64 MiB with clusters of 32 KiB, 8 MiB with clusters of 4 KiB;
    /// FAT16: twice as much), on exFAT one block of the bitmap (512 MiB with clusters of 128 KiB).
    pub extent_bytes: u32,
    /// Written bytes after which the log is flushed, rounded up to blocks of 512 bytes: the most that a power cut
    /// loses, besides the ring and a block. Default: 32 KiB.
    ///
    /// At least 512 bytes, and at most what one block of the FAT describes: on FAT32 64 KiB with clusters of 512 bytes,
    /// 4 MiB with clusters of 32 KiB.
    pub flush_bytes: u32,
    /// Microseconds after which the log is flushed, however little was written, by the next call of
    /// [`run`](crate::SdLog::run). Default: one second.
    pub flush_us: u64,
    /// Bytes of a log after which the next begins, at most 4 GiB minus 1 MiB: a file on FAT has less than 4 GiB. Each
    /// log has a record besides preamble and prologue, however small this is, unless the card is full. Default: 1 GiB.
    ///
    /// On exFAT, where a log is contiguous, [`run`](crate::SdLog::run) begins none in a piece of free space that is
    /// shorter than the preamble, and a card with such pieces only counts as full. If the prologue doesn't fit into the
    /// longest piece, one log ends without a record.
    pub log_bytes: u32,
    /// Bytes of the card that stay free; the oldest logs of earlier boots are removed for that. Default: 16 MiB. If
    /// removing them all would free less, the space that is left is used first, and logs are removed only when no
    /// cluster is free.
    pub free_bytes: u64,
    /// The highest number of a log, 1 to 99,999,999; after it comes the lowest number that is free. The number after
    /// that of the newest log stays free, too: a log of an earlier boot that has it is removed. Default: 99,999,999.
    pub last_number: u32,
    /// Microseconds between two attempts of [`run`](crate::SdLog::run) to find a card or to begin a log. Default: one
    /// second.
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

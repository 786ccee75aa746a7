//! The options of the logs on a chip.

/// Sizes and times. `Options::default()` suits a chip that belongs to the logs alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What happens when the logs of this boot fill the chip. Default: [`WhenFull::Stop`].
    pub when_full: WhenFull,
    /// Bytes after the newest record that [`run`](super::FlashLog::run) keeps erased, a unit in each call that finds
    /// the ring empty, so that a burst of records meets no erase. Rounded up to units. Default: one unit.
    pub ahead_bytes: u32,
    /// Written bytes after which the log is flushed. A power cut loses these at most, and the contents of the ring.
    /// Default: 4 KiB.
    pub flush_bytes: u32,
    /// Microseconds after which the log is flushed, however little was written. Default: one second.
    pub flush_us: u64,
    /// Microseconds between two attempts to begin a log after an error. Default: one second.
    pub retry_us: u64,
}

/// What happens when the logs of this boot fill the chip. Logs of earlier boots are overwritten in either case.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum WhenFull {
    /// Logging ends with [`Cause::Full`](super::Cause::Full).
    #[default]
    Stop,
    /// The oldest unit of this boot's logs is erased for the newest records. A log then lacks its beginning, and
    /// [`Reader`](super::Reader) and `binlog::flash::Image` put the preamble back in front of it.
    Overwrite,
}

impl Options {
    /// The defaults given above.
    pub const DEFAULT: Self = Options {
        when_full: WhenFull::Stop,
        ahead_bytes: 1,
        flush_bytes: 4 << 10,
        flush_us: 1_000_000,
        retry_us: 1_000_000,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

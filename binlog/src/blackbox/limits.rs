//! What the decoders in use accept. They take what is beyond for damage.

/// The most fields that a frame may have (`FLIGHT_LOG_MAX_FIELDS` of blackbox-tools).
pub const MAX_FIELDS: usize = 128;

/// The most bytes of a frame, its letter included (`FLIGHT_LOG_MAX_FRAME_LENGTH` of blackbox-tools).
pub const MAX_FRAME_BYTES: usize = 256;

/// The most bytes of a header line, without its end of line.
pub(crate) const MAX_LINE_BYTES: usize = 1020;

/// Iterations move by less than this from one main frame to the next, unless a resume event comes between.
pub(crate) const JUMP_ITERATIONS: u32 = 5000;

/// Time moves by less than this from one main frame to the next, unless a resume event comes between; microseconds.
pub(crate) const JUMP_US: u32 = 10_000_000;

/// Over a gap in the iterations, a log whose I frames come in one ratio of iterations and time continues in that ratio,
/// or within this time, unless a resume event comes between; microseconds. Where no byte is lost, the gap takes at
/// least half of the time of its iterations.
pub(crate) const SOON_US: u32 = 500_000;

/// The number of steps from one I frame to the next that make a ratio.
pub(crate) const STEADY_I_FRAMES: u32 = 8;

//! What became of the frames of a session.

/// Counts of a session: what was written, and what wasn't.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Counts {
    /// I frames.
    pub i_frames: u32,
    /// P frames.
    pub p_frames: u32,
    /// S frames.
    pub slow_frames: u32,
    /// G frames.
    pub gps_frames: u32,
    /// H frames.
    pub home_frames: u32,
    /// Events, resume events included.
    pub events: u32,
    /// Main frames of iterations that the rate leaves out.
    pub left_out: u32,
    /// Jumps of the iteration over others that the rate doesn't leave out, backwards, or in time. After each, the log
    /// has an I frame.
    pub gaps: u32,
    /// Main frames that these gaps lack.
    pub missing: u32,
    /// I frames in the place of P frames that a residual didn't fit into.
    pub misfits: u32,
    /// Frames that aren't in the log, because a residual didn't fit, and events that a program can't log.
    pub refused: u32,
    /// Slow, GPS and home frames that aren't in the log, because another one of the kind followed before the first I
    /// frame of the session, because the session ended without one, or because the I frame came 10 seconds later.
    pub unwritten: u32,
}

impl Counts {
    /// Nothing yet.
    pub(super) const NEW: Counts = Counts {
        i_frames: 0,
        p_frames: 0,
        slow_frames: 0,
        gps_frames: 0,
        home_frames: 0,
        events: 0,
        left_out: 0,
        gaps: 0,
        missing: 0,
        misfits: 0,
        refused: 0,
        unwritten: 0,
    };

    /// The number of written frames, events included.
    pub fn frames(&self) -> u64 {
        let frames = [self.i_frames, self.p_frames, self.slow_frames, self.gps_frames, self.home_frames, self.events];
        frames.into_iter().map(u64::from).sum()
    }
}

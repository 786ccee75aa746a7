//! What a session's reader skips, and why.

use crate::wording::plural::Plural;
use std::fmt;

/// A stretch of a session that yields no frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Where it begins, in bytes from the start of the log.
    pub offset: usize,
    /// Its length in bytes, at least 1.
    pub length: usize,
    /// Why its first bytes yield no frame. P frames after them, up to the next I frame, are part of the stretch.
    pub reason: LostReason,
}

/// Why bytes yield no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LostReason {
    /// No frame begins with this byte.
    NoFrame(u8),
    /// A frame with this letter begins, but no other frame follows it, or it is too long.
    Broken(u8),
    /// The session ends inside a frame with this letter.
    Truncated(u8),
    /// The iteration or the time of a main frame went back, or moved by 5000 iterations or 10 seconds or more.
    Jump {
        /// The frame's letter.
        letter: u8,
        /// The iteration of the frame.
        iteration: u32,
        /// The low 32 bits of its time, in microseconds.
        time: u32,
    },
    /// The time of a frame other than a main frame is 10 seconds or more from the main frame before it, and from the
    /// last other frame after that.
    Time {
        /// The frame's letter.
        letter: u8,
        /// The low 32 bits of its time, in microseconds.
        time: u32,
    },
    /// Frames of another session, such as an older log whose bytes follow a power cut: their first I frame doesn't
    /// continue this session. Between frames of one session, iterations and time move in one ratio.
    OtherSession {
        /// The iteration of that I frame, or that to which a Resume event leads.
        iteration: u32,
        /// The low 32 bits of its time, in microseconds.
        time: u32,
    },
    /// A frame with this letter, other than a main frame, after damage. No I frame after it shows that it is of this
    /// session.
    Unproven(u8),
    /// A P frame without an I frame before it.
    NoIntra,
    /// A GPS frame without a home frame before it, to which its coordinates refer.
    NoHome,
    /// The header doesn't say how frames with this letter are decoded.
    Unusable(u8),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lost {} at offset {}: {}", Plural(self.length, "byte"), self.offset, self.reason)
    }
}

impl LostReason {
    /// Whether the bytes are frames of another session rather than damaged.
    pub fn is_other_session(&self) -> bool {
        matches!(self, LostReason::OtherSession { .. })
    }
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LostReason::NoFrame(byte) => write!(f, "no frame begins with the byte {byte:#04x}"),
            LostReason::Broken(letter) => write!(f, "the {} frame is damaged", char::from(letter)),
            LostReason::Truncated(letter) => write!(f, "the log ends inside the {} frame", char::from(letter)),
            LostReason::Jump { letter, iteration, time } => write!(
                f,
                "the {} frame jumps to iteration {iteration} at {time} µs without a Resume event",
                char::from(letter)
            ),
            LostReason::Time { letter, time } => write!(
                f,
                "the time of the {} frame, {time} µs, is 10 s or more from the main frame before it",
                char::from(letter)
            ),
            LostReason::OtherSession { iteration, time } => write!(
                f,
                "the frames are not of this session: they continue at iteration {iteration} at {time} µs, as an older log \
                 does after a power cut"
            ),
            LostReason::Unproven(letter) => {
                write!(f, "no I frame after the damage shows that the {} frame is of this session", char::from(letter))
            }
            LostReason::NoIntra => f.write_str("there is no I frame before the P frame"),
            LostReason::NoHome => f.write_str("the frame refers to the home position, and no H frame is before it"),
            LostReason::Unusable(letter) => {
                write!(f, "the header doesn't say how {} frames are decoded", char::from(letter))
            }
        }
    }
}

impl std::error::Error for Lost {}

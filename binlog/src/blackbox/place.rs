//! Where main frames are, and which fields say so.

#[cfg(feature = "read")]
use super::Intervals;
use super::limits::{JUMP_ITERATIONS, JUMP_US, SOON_US};

/// Iteration and time of a main frame, or of a resume event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct FramePlace {
    pub(super) iteration: u32,
    /// Microseconds, the low 32 bits.
    pub(super) time: u32,
}

impl FramePlace {
    /// Whether a main frame may follow this one at `next`. Both counts wrap.
    #[inline(always)]
    pub(super) fn may_be_followed_by(self, next: FramePlace) -> bool {
        next.iteration.wrapping_sub(self.iteration) < JUMP_ITERATIONS && next.time.wrapping_sub(self.time) < JUMP_US
    }

    /// Whether `next` comes soon enough that iterations may be missing, for any ratio of iterations and time.
    #[inline(always)]
    pub(super) fn is_soon_followed_by(self, next: FramePlace) -> bool {
        next.time.wrapping_sub(self.time) < SOON_US
    }

    /// Whether an I frame at `next` continues the stream of an I frame here: at most one I frame is missing between
    /// them, or they are less than half a second apart.
    #[cfg(feature = "read")]
    pub(super) fn is_continued_at(self, next: FramePlace, intervals: Intervals) -> bool {
        let [iterations, time] = [next.iteration.wrapping_sub(self.iteration), next.time.wrapping_sub(self.time)];
        time < JUMP_US && iterations <= intervals.i_interval() * 2 || time < SOON_US && iterations < JUMP_ITERATIONS
    }
}

#[cfg(feature = "read")]
pub(super) use of_header::ReferredFields;

#[cfg(feature = "read")]
mod of_header {
    use super::FramePlace;
    use crate::blackbox::Header;
    use crate::blackbox::decode::Values;

    /// The fields of a header's frames that later frames refer to: their indices.
    pub(in crate::blackbox) struct ReferredFields {
        iteration: Option<usize>,
        time: Option<usize>,
        home: [usize; 2],
    }

    impl ReferredFields {
        pub(in crate::blackbox) fn of(header: &Header<'_>) -> Self {
            let index = |letter, name: &str| header.fields(letter).iter().position(|field| field.name() == name);
            ReferredFields {
                iteration: index(b'I', "loopIteration"),
                time: index(b'I', "time"),
                home: [index(b'H', "GPS_home[0]").unwrap_or(0), index(b'H', "GPS_home[1]").unwrap_or(1)],
            }
        }

        /// Whether main frames have a time.
        pub(in crate::blackbox) fn has_time(&self) -> bool {
            self.time.is_some()
        }

        /// The place of a main frame: that of the last one where there are no such fields, so that such a log is never
        /// out of place.
        #[inline(always)]
        pub(in crate::blackbox) fn place(&self, main: &Values, last: FramePlace) -> FramePlace {
            let value = |field: Option<usize>| main.get(field?).copied();
            FramePlace {
                iteration: value(self.iteration).unwrap_or(last.iteration),
                time: value(self.time).unwrap_or(last.time),
            }
        }

        /// The coordinates of a home frame.
        pub(in crate::blackbox) fn home(&self, home: &Values) -> [u32; 2] {
            self.home.map(|field| home.get(field).copied().unwrap_or(0))
        }
    }
}

//! Times of 32 bits, which begin again at 0 after 71.6 minutes.

use super::time::TimeSource;
use crate::read::LoggedDefinition;
use crate::read::catalogue::declaration::Declaration;

/// Counts how often a boot's times of 32 bits have wrapped, so that the times of its records go on above 2^32 µs.
///
/// A time that jumps back by more than 2^31 µs has wrapped. Records of several threads are a little out of order, so
/// one from just before the wrap may follow it: it belongs to the wraps before.
///
/// Jumps are measured from the last time. A time far from it becomes the last time only if the next one is near it, so
/// that a damaged time changes nothing but its own record. A time of 0 is one that the firmware has left out, unless it
/// is near the last.
///
/// Wraps are therefore counted as long as no pause takes 2^31 µs, and most records are near the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wraps {
    /// Whether the log has times of 32 bits.
    are_counted: bool,
    last: Option<u64>,
    /// The newest time, if it is far from the last one.
    far: Option<u64>,
}

/// The time in a record's bytes, of 32 bits or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnTime {
    time_us: u64,
    is_narrow: bool,
    /// The time of a definition says nothing: many loggers write 0.
    is_of_flight: bool,
}

impl OwnTime {
    /// `None` if the record has no time.
    pub(crate) fn of(definition: &LoggedDefinition<'_>, payload: &[u8]) -> Option<Self> {
        let source = TimeSource::of(definition);
        let low = source.low(payload);
        let time_us = low.map(u64::from).or_else(|| source.time_us(payload, 0))?;
        Some(OwnTime { time_us, is_narrow: low.is_some(), is_of_flight: !definition.defines_others() })
    }

    /// The time, if times of 32 bits have wrapped so often before it.
    #[cfg(feature = "read")]
    pub(crate) fn after(self, wraps: u32) -> u64 {
        if self.is_narrow { u64::from(wraps) << 32 | self.time_us } else { self.time_us }
    }
}

/// 2^32 µs, after which a time of 32 bits is the same again.
const RANGE: u64 = 1 << 32;

/// Times that differ by less are near each other: 18 minutes.
pub(crate) const NEAR: u64 = 1 << 30;

/// Two records in a row, so few microseconds before and after a wrap, prove it, wherever the last time was.
const PROOF: u64 = 1_000_000;

impl Wraps {
    /// A definition of the log. That of FMT begins a boot. Returns whether [`count`](Self::count) has to see each
    /// record from here on.
    pub(crate) fn declare(&mut self, declaration: &Declaration<'_>) -> bool {
        let Declaration::Fmt(fmt) = declaration else { return self.are_counted };
        if declaration.is_of_fmt() {
            (self.last, self.far) = (None, None);
        }
        let definition = LoggedDefinition::new(fmt, None);
        self.are_counted |= TimeSource::of(&definition).is_narrow() && !definition.defines_others();
        self.are_counted
    }

    /// How often times have wrapped before a record's.
    pub(super) fn count(&mut self, definition: &LoggedDefinition<'_>, payload: &[u8]) -> u32 {
        if !self.are_counted {
            return 0;
        }
        OwnTime::of(definition, payload).map_or(0, |own| self.add(own))
    }

    /// How often times have wrapped before the next record's.
    pub(crate) fn add(&mut self, own: OwnTime) -> u32 {
        let time_us = if own.is_narrow { self.widened(own.time_us) } else { own.time_us };
        let is_near = |other: u64| other.abs_diff(time_us) <= NEAR;
        let last_is_near = self.last.map(is_near);
        let is_left_out = own.time_us == 0 && last_is_near != Some(true);
        if is_left_out {
            return self.last.map_or(0, wraps_of);
        }
        if own.is_of_flight {
            let is_proven = self.far.is_some_and(is_near) || last_is_near.unwrap_or(true);
            self.far = (!is_proven).then_some(time_us);
            self.last = if is_proven { Some(time_us) } else { self.last };
        }
        wraps_of(time_us)
    }

    /// Whether the next times are expected to be read right: the last one is near this time of a record, or the next
    /// wrap is later by more than this.
    #[cfg(feature = "read")]
    pub(crate) fn is_settled(&self, time_us: u64, soon_us: u64) -> bool {
        time_us % RANGE < RANGE - soon_us.min(NEAR) || self.last.is_some_and(|last| last.abs_diff(time_us) <= NEAR)
    }

    /// A time of 32 bits with those that it lacks.
    fn widened(&self, low: u64) -> u64 {
        let after_wrap = |time: u64| (time | (RANGE - 1)).saturating_add(1 + low);
        let Some(last) = self.last else { return low };
        if let Some(wrapped) = self.far.map(|far| (far, after_wrap(far)))
            && wrapped.1 - wrapped.0 <= PROOF
        {
            return wrapped.1;
        }
        let same = last & !(RANGE - 1) | low;
        if last.saturating_sub(same) > RANGE / 2 {
            after_wrap(last)
        } else if same >= RANGE && last.abs_diff(same - RANGE) <= NEAR {
            same - RANGE
        } else {
            same
        }
    }
}

fn wraps_of(time_us: u64) -> u32 {
    (time_us >> 32) as u32
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::*;
    use crate::read::catalogue::definition::CopiedDefinition;
    use proptest::prelude::*;

    /// The times that are read in place of those of 32 bits.
    fn widened(times: &[u32]) -> Vec<u64> {
        let imu = CopiedDefinition::new(1, 7, "IMU", "I", "TimeUS", None);
        let mut wraps = Wraps::default();
        assert!(wraps.declare(&Declaration::Fmt(imu.fmt())));
        let mut time = |time: &u32| {
            let count = wraps.count(&imu.definition(), &time.to_le_bytes());
            u64::from(count) << 32 | u64::from(*time)
        };
        times.iter().map(&mut time).collect()
    }

    /// Whether times are read as they were before they lost all but 32 bits.
    fn are_kept(times: &[u64]) -> bool {
        widened(&times.iter().map(|&time| time as u32).collect::<Vec<_>>()) == times
    }

    const SECOND: u64 = 1_000_000;

    #[test]
    fn times_go_on_over_several_wraps() {
        for step in [1_000, SECOND, 60 * SECOND, 1000 * SECOND] {
            let times: Vec<u64> =
                (0..5 * RANGE / step).map(|i| i * step).step_by((SECOND / step).max(1) as usize).collect();
            assert!(are_kept(&times), "{step}");
        }
        // At the very wrap, and after a pause of the log.
        assert!(are_kept(&[RANGE - 2, RANGE - 1, RANGE, RANGE + 1]));
        assert!(are_kept(&[RANGE - 1600 * SECOND, RANGE - 1599 * SECOND, RANGE + 500 * SECOND, RANGE + 501 * SECOND]));
        // Records as far apart, and pauses as long, as may be.
        assert!(are_kept(&[0, 1, 2, 3].map(|i| i * NEAR + RANGE / 2)));
        let pause = RANGE / 2 - 2 * SECOND;
        assert!((0..5).all(|i| {
            let start = i * NEAR / 2 + 7;
            are_kept(&[start, start + SECOND, start + SECOND + pause, start + 2 * SECOND + pause])
        }));
    }

    #[test]
    fn records_out_of_order_are_no_wrap() {
        let r = RANGE;
        assert!(are_kept(&[r - 9, r + 5, r - 3, r - 1, r + 7, r - 2, r + 9]));
        assert!(are_kept(&[2_000 * SECOND, 1_000 * SECOND, 2_001 * SECOND]));
        // A clock that is set back by less than half of the range.
        assert!(are_kept(&[2_100 * SECOND, 2_100 * SECOND, 5, 6, 7]));
    }

    #[test]
    fn a_time_that_the_firmware_left_out_is_no_wrap() {
        let times = [2_400 * SECOND, 2_401 * SECOND, 0, 0, 0, 2_402 * SECOND, 2_403 * SECOND];
        assert!(are_kept(&times));
    }

    #[test]
    fn two_records_beside_the_wrap_prove_it() {
        // madflight's first records have the times of their types' definitions.
        assert!(are_kept(&[100, RANGE - 350, RANGE + 650, RANGE + 700, RANGE + 9 * SECOND]));
        assert!(are_kept(&[0, 0, RANGE - 30 * SECOND, RANGE + 30 * SECOND]));
        // Otherwise one time is damaged.
        assert!(are_kept(&[100, RANGE - 2 * SECOND, 650, 700]));
    }

    #[test]
    fn another_boot_counts_its_own_wraps() {
        let fmt = CopiedDefinition::new(128, 89, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns", None);
        let imu = CopiedDefinition::new(1, 7, "IMU", "I", "TimeUS", None);
        let mut wraps = Wraps::default();
        wraps.declare(&Declaration::Fmt(imu.fmt()));
        let count = |wraps: &mut Wraps, time: u64| wraps.count(&imu.definition(), &(time as u32).to_le_bytes());
        assert_eq!([RANGE - 5, RANGE + 5].map(|time| count(&mut wraps, time)), [0, 1]);
        wraps.declare(&Declaration::Fmt(fmt.fmt()));
        assert_eq!([RANGE - 5, RANGE + 5].map(|time| count(&mut wraps, time)), [0, 1]);
    }

    #[test]
    fn times_of_64_bits_say_how_often_others_have_wrapped() {
        let [wide, narrow] = [(1, 11, "Q"), (2, 7, "I")]
            .map(|(id, length, format)| CopiedDefinition::new(id, length, "IMU", format, "TimeUS", None));
        let mut wraps = Wraps::default();
        wraps.declare(&Declaration::Fmt(narrow.fmt()));
        assert_eq!(wraps.count(&wide.definition(), &(3 * RANGE + 5).to_le_bytes()), 3);
        assert_eq!(wraps.count(&narrow.definition(), &9_u32.to_le_bytes()), 3);
        assert_eq!(wraps.count(&narrow.definition(), &u32::MAX.to_le_bytes()), 2);
    }

    proptest! {
        /// One time in many has damaged bits.
        #[test]
        fn a_damaged_time_moves_no_other(
            start in 0..2 * RANGE,
            step in 1_000..30 * SECOND,
            damage in prop::collection::vec((2..400_usize, 0..32_u8), 1..6),
        ) {
            let times: Vec<u64> = (0..400).map(|i| start % RANGE + i * step).collect();
            let mut damaged: Vec<u32> = times.iter().map(|&time| time as u32).collect();
            let mut places: Vec<usize> = Vec::new();
            for (place, bit) in damage {
                if places.iter().all(|other| other.abs_diff(place) > 2) {
                    places.push(place);
                    damaged[place] ^= 1 << bit;
                }
            }
            for (i, (read, time)) in widened(&damaged).into_iter().zip(times).enumerate() {
                prop_assert!(read == time || places.contains(&i), "{i}: {read}, not {time}");
            }
        }
    }
}

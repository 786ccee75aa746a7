//! Times of 32 bits, which begin again at 0 after 71.6 minutes.

use super::time::TimeSource;
use crate::read::LoggedDefinition;
use crate::read::catalogue::declaration::Declaration;

/// Counts how often a boot's times of 32 bits have wrapped, so that the times of its records continue above 2^32 µs.
///
/// A time that jumps back by more than 2^31 µs has wrapped. Records of several threads are a little out of order, so
/// one from just before the wrap may follow it: it belongs to the wraps before.
///
/// Jumps are measured from the last time. A time far from it becomes the last time only if the next one is near it, so
/// that a damaged time changes nothing but its own record. A time of 0 is one that the firmware has left out, unless it
/// is near the last.
///
/// Wraps are therefore counted as long as no pause takes 2^31 µs, and most records are near the one before.
///
/// Where times of 64 bits are between those of 32 bits, two of them near each other say the number of wraps, if their
/// low 32 bits are near the last time.
///
/// The first time of a boot may be damaged, too. Until one near it or two others near each other follow, a time wraps
/// after it only if it is near. Two damaged first times are believed: one of 32 bits that lies just before the wrap,
/// and one of 64 bits that times of 32 bits follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wraps {
    /// Whether the log has times of 32 bits.
    are_counted: bool,
    last: Option<u64>,
    /// Whether a second time has confirmed the last one.
    is_proven: bool,
    /// The newest time, if it is far from the last one.
    far: Option<Far>,
    /// The newest time of 64 bits, if it is far from the last one, and near it in the low 32 bits.
    far_whole: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Far {
    time_us: u64,
    is_narrow: bool,
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
            (self.last, self.is_proven, self.far, self.far_whole) = (None, false, None, None);
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
            // Times of 32 bits may be between those of 64 bits, which say how often they have wrapped.
            let is_whole = !own.is_narrow && self.last.is_some_and(|last| is_near_but_for_wraps(last, time_us));
            let is_proven = self.far.is_some_and(|far| is_near(far.time_us))
                || self.far_whole.is_some_and(|far| is_whole && is_near(far))
                || last_is_near == Some(true);
            let is_last = is_proven || self.last.is_none();
            self.far = (!is_last).then_some(Far { time_us, is_narrow: own.is_narrow });
            if !own.is_narrow {
                self.far_whole = (is_whole && !is_last).then_some(time_us);
            }
            self.last = if is_last { Some(time_us) } else { self.last };
            self.is_proven |= is_proven;
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
        // A time so large that no wrap can follow it is damaged.
        let after_wrap = |time: u64| (time | (RANGE - 1)).checked_add(1 + low);
        let Some(last) = self.last else { return low };
        // A damaged time of 64 bits may be beside any wrap.
        if let Some(far) = self.far.filter(|far| far.is_narrow)
            && let Some(wrapped) = after_wrap(far.time_us)
            && wrapped - far.time_us <= PROOF
        {
            return wrapped;
        }
        let same = last & !(RANGE - 1) | low;
        if last.saturating_sub(same) > RANGE / 2 {
            let is_likely = |wrapped: &u64| self.is_proven || wrapped - last <= NEAR;
            after_wrap(last).filter(is_likely).unwrap_or(low)
        } else if same >= RANGE && last.abs_diff(same - RANGE) <= NEAR {
            same - RANGE
        } else {
            same
        }
    }
}

/// Whether two times are near each other if only 32 bits of them are known.
fn is_near_but_for_wraps(one: u64, other: u64) -> bool {
    let later = one.wrapping_sub(other) % RANGE;
    later.min(RANGE - later) <= NEAR
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

    /// The times that are read in place of these, of 64 bits or less.
    fn mixed(times: &[(u64, bool)]) -> Vec<u64> {
        let [wide, narrow] = [(1, 11, "Q"), (2, 7, "I")]
            .map(|(id, length, format)| CopiedDefinition::new(id, length, "IMU", format, "TimeUS", None));
        let mut wraps = Wraps::default();
        wraps.declare(&Declaration::Fmt(narrow.fmt()));
        let mut time = |&(time, is_wide): &(u64, bool)| {
            let bytes = time.to_le_bytes();
            if is_wide {
                wraps.count(&wide.definition(), &bytes);
                return time;
            }
            u64::from(wraps.count(&narrow.definition(), &bytes[..4])) << 32 | time & (RANGE - 1)
        };
        times.iter().map(&mut time).collect()
    }

    #[test]
    fn a_damaged_time_of_64_bits_proves_no_wrap() {
        for damaged in [u64::MAX, u64::MAX - 5, (1 << 63) - 1, 7 * RANGE - 1, RANGE - 1] {
            for start in [1, 101 * SECOND, RANGE - 3, 3 * RANGE - 5] {
                // The first one, of 64 bits, says how often times have wrapped.
                let mut times: Vec<(u64, bool)> = (0..8).map(|i| (start + i, i == 0)).collect();
                times.insert(3, (damaged, true));
                let right: Vec<u64> = times.iter().map(|(time, _)| *time).collect();
                assert_eq!(mixed(&times), right, "{damaged}, {start}");
            }
        }
        // Of the first one, nothing follows.
        let times = [u64::MAX, SECOND, 2 * SECOND, 3 * SECOND];
        assert_eq!(mixed(&[0, 1, 2, 3].map(|i| (times[i], i == 0))), times);
    }

    #[test]
    fn times_of_64_bits_between_others_say_the_wraps() {
        for start in [500 * SECOND, RANGE + 500 * SECOND, 3 * RANGE + 4_000 * SECOND] {
            let times: Vec<(u64, bool)> = (0..40).map(|i| (start + i * SECOND, i % 2 == 1)).collect();
            let right: Vec<u64> = times.iter().map(|(time, _)| *time).collect();
            // The first two of 64 bits prove it.
            assert_eq!(mixed(&times)[4..], right[4..], "{start}");
        }
        // A clock of its own says nothing of the others.
        let own_clock = |i: u64| if i % 2 == 1 { (1 << 50) + RANGE / 2 } else { 0 };
        let times: Vec<(u64, bool)> = (2..42).map(|i| (own_clock(i) + i * SECOND, i % 2 == 1)).collect();
        let right: Vec<u64> = times.iter().map(|(time, _)| *time).collect();
        assert_eq!(mixed(&times), right);
    }

    #[test]
    fn a_damaged_first_time_moves_no_other() {
        let from = |first: u64| are_kept(&[first, SECOND, 2 * SECOND, 3 * SECOND]);
        assert!([0, 2_000, 3_000, 3_200].iter().all(|first| from(first * SECOND)));
        // Just before a wrap, it is as if it had been one.
        assert!(!from(RANGE - 30 * SECOND));
        // A damaged second time leaves the first one in force.
        assert!(are_kept(&[RANGE - SECOND, RANGE - 2_000 * SECOND, RANGE + SECOND, RANGE + 2 * SECOND]));
    }

    proptest! {
        /// One time in many has damaged bits, or is erased.
        #[test]
        fn a_damaged_time_moves_no_other(
            start in 0..2 * RANGE,
            step in 1_000..30 * SECOND,
            damage in prop::collection::vec((0..400_usize, 0..65_u32), 1..6),
            wide in prop::collection::vec(prop::bool::weighted(0.3), 400),
            has_wide in prop::bool::ANY,
        ) {
            let times: Vec<u64> = (0..400).map(|i| start % RANGE + i * step).collect();
            // Which wrap the first times belong to can't be known if the first of them is damaged.
            let is_wide = |i: usize| has_wide && i > 2 && wide[i];
            let mut damaged: Vec<(u64, bool)> = times.iter().enumerate().map(|(i, &time)| (time, is_wide(i))).collect();
            let mut places: Vec<usize> = Vec::new();
            for (place, bit) in damage {
                let is_known = place > 1 || times[3] < RANGE - NEAR;
                if is_known && places.iter().all(|other| other.abs_diff(place) > 2) {
                    places.push(place);
                    let bits = if is_wide(place) { 64 } else { 32 };
                    damaged[place].0 = match bit {
                        64 => u64::MAX,
                        bit => damaged[place].0 ^ 1 << (bit % bits),
                    };
                }
            }
            for (i, (read, time)) in mixed(&damaged).into_iter().zip(times).enumerate() {
                prop_assert!(read == time || places.contains(&i), "{i}: {read}, not {time}");
            }
        }
    }
}

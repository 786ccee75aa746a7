//! What an ArduPilot log has, counted in one pass, so that a log of any length takes the same memory. Only the states
//! of a log with descriptions need an index of it.

mod facts;
mod instances;
mod losses;
mod silences;
mod states;
mod times;
mod types;

pub use silences::Silence;
pub use states::{ColumnStates, State};
pub use types::TypeSummary;

use binlog::{Format, Log, LoggedDefinition, Record, Records, Skipped};
use facts::{Facts, Kind};
use instances::{Instances, Separator};
use losses::Losses;
use silences::Silences;
use std::ops::RangeInclusive;
use times::Times;
use types::Types;

/// What one boot of a log has.
#[derive(Clone, Debug)]
pub struct BootSummary {
    /// Its types with records, in the order of their first records.
    pub types: Vec<TypeSummary>,
    /// The earliest and the latest time, in microseconds since boot, as [`TimeRange`](binlog::log::TimeRange) counts
    /// them.
    pub time_us: Option<RangeInclusive<u64>>,
    /// Records whose times don't count.
    pub damaged_times: u64,
    /// The first gaps longer than one second.
    pub gaps: Vec<RangeInclusive<u64>>,
    /// The number of all such gaps.
    pub gap_count: u64,
    /// Times in which a type, or an instance of it, logs nothing although it logged regularly before.
    pub silences: Vec<Silence>,
    /// Records that the logger says it had to drop: the highest number in DSF or, if it is more, the sum of the highest
    /// numbers of all ids in DROP.
    pub dropped: u64,
    /// The first stretches that aren't records.
    pub skipped: Vec<Skipped>,
    /// The number of all such stretches.
    pub skipped_count: u64,
    /// Their bytes.
    pub skipped_bytes: u64,
    /// The columns whose values have names in the log, with their states.
    pub states: Vec<ColumnStates>,
    /// The definitions, and the records that say something about the flight as a whole: texts, modes, arming,
    /// parameters, version, descriptions, and the first GPS records. Together they form a readable log. It includes a
    /// few other records so that each fact has a time.
    pub facts: Vec<u8>,
}

/// The most items of a list that are kept: gaps, damaged stretches, instances of several bytes.
pub(crate) const LISTED: usize = 1000;

/// The boots of a log. `advance` is told, now and then, how many bytes are done.
pub fn of_boots(log: &[u8], mut advance: impl FnMut(u64)) -> Vec<BootSummary> {
    let mut summaries = Vec::new();
    let mut boot = Boot::default();
    let mut start = 0;
    let mut records = Records::new(log);
    for i in 0_usize.. {
        let Some(item) = records.next() else { break };
        match item {
            Ok(record) => {
                if boot.ends_before(&record) {
                    let bytes = log.get(start..record.offset()).unwrap_or_default();
                    start = record.offset();
                    summaries.push(std::mem::take(&mut boot).finish(bytes));
                }
                boot.add(&record, log);
                if record.name() == "FMTU" {
                    boot.add_units(&records);
                }
                if i.is_multiple_of(1 << 16) {
                    advance(record.offset() as u64);
                }
            }
            Err(skipped) => boot.skip(skipped, log),
        }
    }
    summaries.push(boot.finish(log.get(start..).unwrap_or_default()));
    summaries
}

/// What the records of a boot have, up to the last one.
#[derive(Default)]
struct Boot {
    /// By id.
    by_id: Vec<Option<Known>>,
    has_records: bool,
    types: Types,
    instances: Instances,
    times: Times,
    silences: Silences,
    losses: Losses,
    facts: Facts,
}

/// A definition in force.
#[derive(Clone)]
struct Known {
    /// The place of its type.
    place: usize,
    kind: Kind,
    is_loss: bool,
    /// Whether a u64 of microseconds is at the start of the payload. Other firmware has other times.
    has_time_us: bool,
    /// Whether the times may wrap: an integer of 32 bits.
    wraps: bool,
    separator: Separator,
}

impl Known {
    /// The time of a record, if it is one of the flight.
    #[inline]
    fn time_us(&self, record: &Record<'_>) -> Option<u64> {
        match (self.kind, self.has_time_us) {
            (Kind::Definition, _) => None,
            (_, true) => record.payload().first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
            (_, false) => record.time_us(),
        }
    }
}

impl Boot {
    /// Whether the record begins the definitions of another boot: FMT defines itself again after records.
    fn ends_before(&self, record: &Record<'_>) -> bool {
        self.has_records && record.defines() == Some(record.id())
    }

    #[inline]
    fn add(&mut self, record: &Record<'_>, log: &[u8]) {
        if let Some(slot) = record.defines().and_then(|id| self.by_id.get_mut(usize::from(id))) {
            *slot = None;
            self.facts.forget_last_timed();
        }
        self.times.settle_suspect(false);
        let id = usize::from(record.id());
        if self.by_id.get(id).is_none_or(Option::is_none) {
            self.define(id, &record.definition());
        }
        let Some(Some(known)) = self.by_id.get_mut(id) else { return };
        self.has_records |= known.kind != Kind::Definition;
        self.types.add(known.place, record);
        let instance = self.instances.add(known.place, &mut known.separator, record.payload());
        let time_us = known.time_us(record);
        if let Some(time_us) = time_us {
            self.times.add(known.place, time_us, record.is_suspect());
            if !record.is_suspect() && !known.kind.is_fact() && self.times.reaches(time_us) {
                self.silences.add(known.place, instance, time_us);
            }
        }
        if known.is_loss {
            self.losses.add_dropped(record);
        }
        let time_us = time_us.filter(|time_us| self.times.has_near(*time_us, record.is_suspect()));
        self.facts.add(record, known, time_us, log);
    }

    /// An FMTU gave a type its units: the column that separates instances may have become known.
    fn add_units(&mut self, records: &Records<'_>) {
        for (slot, id) in self.by_id.iter_mut().zip(0..=255) {
            let lacks_instance =
                |known: &Known| matches!(known.separator, Separator::None) && known.kind != Kind::Definition;
            let has_one = || records.definition(id).is_some_and(|definition| definition.instance_column().is_some());
            if let Some(known) = slot.take_if(|known| lacks_instance(known) && has_one()) {
                self.instances.add_late_units(known.place);
            }
        }
    }

    fn skip(&mut self, skipped: Skipped, log: &[u8]) {
        self.times.settle_suspect(skipped.is_padding_after_record(log));
        if !skipped.is_padding(log) {
            self.losses.add_skipped(skipped);
        }
    }

    #[cold]
    fn define(&mut self, id: usize, definition: &LoggedDefinition<'_>) {
        let place = self.types.place(definition.name());
        self.instances.define(place);
        self.times.define(place);
        self.silences.define(place);
        let first = definition.columns().next();
        let known = Known {
            place,
            kind: Kind::of(definition),
            is_loss: matches!(definition.name(), "DSF" | "DROP"),
            has_time_us: first.is_some_and(|first| first.label == "TimeUS" && first.format == Format::U64),
            wraps: definition.column("TimeUS").is_some_and(|column| matches!(column.format, Format::U32 | Format::I32)),
            separator: Separator::of(definition),
        };
        self.by_id.resize(256, None);
        if let Some(slot) = self.by_id.get_mut(id) {
            *slot = Some(known);
        }
    }

    /// The summary of the boot, which has these bytes.
    fn finish(mut self, bytes: &[u8]) -> BootSummary {
        self.times.settle_suspect(false);
        let times = self.times.finish();
        let mut types = self.types.finish();
        let instances = self.instances.finish(&types, bytes);
        for ((of_type, instances), time_us) in types.iter_mut().zip(instances).zip(times.of_types) {
            (of_type.instances, of_type.time_us) = (instances, time_us);
        }
        let end_us = times.range_us.as_ref().map_or(0, |range_us| *range_us.end());
        let states = if self.facts.has_descriptions() { states::of_log(&Log::from_bytes(bytes)) } else { Vec::new() };
        let dropped = self.losses.dropped();
        let Losses { skipped, skipped_count, skipped_bytes, .. } = self.losses;
        BootSummary {
            silences: self.silences.finish(&types, end_us),
            types,
            time_us: times.range_us,
            damaged_times: times.damaged,
            gaps: times.gaps,
            gap_count: times.gap_count,
            dropped,
            skipped,
            skipped_count,
            skipped_bytes,
            states,
            facts: self.facts.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::times::GAP_US;
    use super::*;
    use binlog_tests::payload;
    use binlog_tests::raw_log::RawLog;
    use proptest::prelude::*;

    const IMU: u8 = 31;

    fn summary(log: &RawLog) -> BootSummary {
        let [boot] = <[BootSummary; 1]>::try_from(of_boots(&log.bytes, |_| ())).expect("one boot");
        boot
    }

    fn log_of(times_us: &[u64]) -> RawLog {
        let mut log = RawLog::with_units();
        log.fmt(IMU, "IMU", "QB", "TimeUS,I").fmtu(IMU, "s#", "F-");
        times_us.iter().for_each(|time_us| _ = log.record(IMU, &payload![*time_us, 0_u8]));
        log
    }

    #[test]
    fn instances_are_counted_although_their_unit_comes_later() {
        for after in [0, 1] {
            let mut log = RawLog::with_units();
            log.fmt(IMU, "IMU", "QB", "TimeUS,I");
            for i in 0..3_u8 {
                log.record(IMU, &payload![u64::from(i), i]);
            }
            log.fmtu(IMU, "s#", "F-");
            (0..after).for_each(|i: u8| _ = log.record(IMU, &payload![9_u64, i]));
            let summary = summary(&log);
            let imu = summary.types.iter().find(|of_type| of_type.name == "IMU").expect("its records");
            assert_eq!((imu.records, imu.instances), (3 + u64::from(after), 3));
        }
    }

    proptest! {
        #[test]
        fn gaps_do_not_depend_on_the_order_of_records(
            mut times_us in prop::collection::btree_set(0..40_000_000_u64, 3..40)
                .prop_map(|times_us| times_us.into_iter().collect::<Vec<_>>())
                .prop_shuffle()
        ) {
            let shuffled = summary(&log_of(&times_us));
            times_us.sort_unstable();
            let gaps: Vec<_> = times_us.windows(2).map(|pair| pair[0]..=pair[1]).collect();
            let gaps: Vec<_> = gaps.into_iter().filter(|gap| gap.end() - gap.start() > GAP_US).collect();
            prop_assert_eq!(shuffled.gap_count, gaps.len() as u64);
            prop_assert_eq!(shuffled.gaps, gaps);
        }
    }
}

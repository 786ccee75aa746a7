//! What an ArduPilot log has, found in one pass that keeps counts, so that a log of any length takes the same memory.
//! Only the states of a log with descriptions need an index of it.

mod silences;
mod states;

use binlog::log::{ClockSearch, TimeRange};
use binlog::log_messages::FILE_NAME;
use binlog::{Format, Log, LoggedDefinition, Record, Records, Skipped};
pub use silences::Silence;
pub use states::{ColumnStates, State};

use silences::Silences;
use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

/// What one boot of a log has.
#[derive(Clone, Default, Debug)]
pub struct Survey {
    /// Its types with records, in the order of their first records.
    pub types: Vec<TypeSurvey>,
    /// The earliest and the latest time, in microseconds since boot, as [`TimeRange`] counts them.
    pub time_us: Option<RangeInclusive<u64>>,
    /// Records whose times don't count.
    pub damaged_times: u64,
    /// The first gaps of at least one second.
    pub gaps: Vec<RangeInclusive<u64>>,
    /// The number of all such gaps.
    pub gap_count: u64,
    /// Times in which a type, or an instance of it, logs nothing although it logged regularly before.
    pub silences: Vec<Silence>,
    /// Records that the logger says it had to drop: the last number in DSF, or the sum of DROP.
    pub dropped: u64,
    /// The first stretches that aren't records.
    pub skipped: Vec<Skipped>,
    /// The number of all such stretches.
    pub skipped_count: u64,
    /// Their bytes.
    pub skipped_bytes: u64,
    has_descriptions: bool,
    /// The columns whose values have names in the log, with their states.
    pub states: Vec<ColumnStates>,
    /// The definitions, and the records that say something about the flight as a whole: texts, modes, arming,
    /// parameters, version, descriptions, and the first GPS records. Together they form a readable log. It includes a
    /// few other records so that each fact has a time.
    pub facts: Vec<u8>,
}

/// What one type of a boot has.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeSurvey {
    /// Its name.
    pub name: String,
    /// Its records.
    pub records: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
    /// The earliest and the latest time, in microseconds since boot, as [`TimeRange`] counts them.
    pub time_us: Option<RangeInclusive<u64>>,
    /// The number of its instances; 1 for a type without instances.
    pub instances: usize,
}

impl TypeSurvey {
    /// Records a second, of one instance; `None` if its records are within less than a second: a burst has no rate.
    pub fn rate(&self) -> Option<f64> {
        let time_us = self.time_us.as_ref()?;
        let seconds = (time_us.end() - time_us.start()) as f64 / 1e6;
        let of_one = self.records as f64 / self.instances.max(1) as f64;
        (of_one > 1.0 && seconds >= 1.0).then(|| (of_one - 1.0) / seconds)
    }
}

/// A longer time without any record is a gap, microseconds.
const GAP_US: u64 = 1_000_000;

/// So many gaps and damaged stretches are listed one by one.
const LISTED: usize = 1000;

/// So many bytes of facts are kept.
const FACT_BYTES: usize = 16 * 1024 * 1024;

/// Times of 32 bits wrap: among the facts, one is so near the next that it is known how often.
const WRAP_KEPT_US: u64 = 600_000_000;

/// The types of [`Survey::facts`].
const FACTS: [&str; 11] = ["FMT", "FMTU", "UNIT", "MULT", "VER", "MSG", "MODE", "ARM", "EV", "STAT", "PARM"];

const FMT_ID: u8 = 128;

/// Surveys the boots of a log. `advance` is told, now and then, how many bytes are done.
pub fn surveys(log: &[u8], mut advance: impl FnMut(u64)) -> Vec<Survey> {
    let mut surveys = Vec::new();
    let mut surveyor = Surveyor::default();
    let mut start = 0;
    let mut records = Records::new(log);
    for i in 0_usize.. {
        let Some(item) = records.next() else { break };
        match item {
            Ok(record) => {
                if surveyor.is_of_next_boot(&record) {
                    let boot = log.get(start..record.offset()).unwrap_or_default();
                    start = record.offset();
                    surveys.push(std::mem::take(&mut surveyor).finish(boot));
                }
                surveyor.take(&record, log);
                if record.name() == "FMTU" {
                    surveyor.note_units(&records);
                }
                if i.is_multiple_of(1 << 16) {
                    advance(record.offset() as u64);
                }
            }
            Err(skipped) => surveyor.skip(skipped, log),
        }
    }
    surveys.push(surveyor.finish(log.get(start..).unwrap_or_default()));
    surveys
}

#[derive(Default)]
struct Surveyor {
    survey: Survey,
    /// By id, the type of its definition.
    by_id: Vec<Option<Known>>,
    has_records: bool,
    /// The date by the GPS records so far.
    clock: ClockSearch,
    range: TimeRange,
    /// The last record's type and its time, if it is suspect: what follows says whether they count.
    suspect: Option<(usize, u64)>,
    /// The last time that counts.
    last_us: Option<u64>,
    /// The last record whose time counts and that isn't among the facts.
    last_timed: Option<Range<usize>>,
    /// The last time among the facts.
    kept_us: Option<u64>,
    /// Whether the next record with a time is kept, too, for a fact that none is near.
    awaits_time: bool,
    /// By type, the instances that have several bytes: the first ones.
    wide_instances: HashMap<usize, HashSet<Vec<u8>>>,
    /// Of each type.
    ranges: Vec<TimeRange>,
    /// The earliest and the latest time that count so far.
    ends_us: Option<(u64, u64)>,
    /// The types whose FMTU follows records of the type.
    with_late_units: Vec<usize>,
    /// The sources, each with its type and, if that is one byte, its instance.
    sources: Vec<(usize, Option<u8>, Silences)>,
    /// Of each type, the places of its sources by instance, from 1 on; the last one without instances.
    places: Vec<[u32; 257]>,
}

/// A definition in force.
#[derive(Clone, Copy)]
struct Known {
    place: usize,
    is_fact: bool,
    is_definition: bool,
    is_file: bool,
    is_gps: bool,
    is_loss: bool,
    /// Whether a u64 of microseconds is at the start of the payload. Other firmware has other times.
    has_time_us: bool,
    /// Whether the times may wrap: an integer of 32 bits.
    wraps: bool,
    /// The offset of a column of one byte that separates instances, and which bytes were there.
    instance: Option<usize>,
    seen: [u64; 4],
    /// The offsets of a column of several bytes that separates instances, and whether it is text.
    wide_instance: Option<(usize, usize, bool)>,
}

impl Surveyor {
    /// Whether the record begins the definitions of another boot: FMT defines itself again after records.
    fn is_of_next_boot(&self, record: &Record<'_>) -> bool {
        self.has_records && record.id() == FMT_ID && record.payload().first() == Some(&FMT_ID)
    }

    #[inline]
    fn take(&mut self, record: &Record<'_>, log: &[u8]) {
        if record.id() == FMT_ID
            && let Some(slot) = record.payload().first().and_then(|&id| self.by_id.get_mut(usize::from(id)))
        {
            *slot = None;
            self.last_timed = None;
        }
        if self.suspect.is_some() {
            self.settle_suspect(false);
        }
        let id = usize::from(record.id());
        if self.by_id.get(id).is_none_or(Option::is_none) {
            self.define(id, &record.definition());
        }
        let Some(Some(known)) = self.by_id.get_mut(id) else { return };
        let of_type = &mut self.survey.types[known.place];
        of_type.records += 1;
        of_type.bytes += record.len() as u64;
        let instance = known.instance.and_then(|at| record.payload().get(at)).copied();
        if let Some(instance) = instance {
            let seen = &mut known.seen[usize::from(instance) / 64];
            let bit = 1 << (instance % 64);
            if *seen & bit == 0 {
                *seen |= bit;
                of_type.instances = known.seen.iter().map(|seen| seen.count_ones() as usize).sum();
            }
        }
        if let Some((start, end, is_text)) = known.wide_instance
            && let Some(instance) = record.payload().get(start..end)
        {
            let text = instance.split(|byte| *byte == 0).next().unwrap_or_default();
            let instance = if is_text { text } else { instance };
            let seen = self.wide_instances.entry(known.place).or_default();
            if seen.len() < LISTED && !seen.contains(instance) {
                seen.insert(instance.to_vec());
                of_type.instances = seen.len();
            }
        }
        let time_us = match known.has_time_us {
            true => record.payload().first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
            false => record.time_us(),
        };
        let time_us = time_us.filter(|_| !known.is_definition);
        let known = *known;
        self.has_records |= !known.is_definition;
        if record.is_suspect() {
            self.suspect = time_us.map(|time_us| (known.place, time_us));
        } else if let Some(time_us) = time_us {
            self.ranges[known.place].add(time_us);
            for time_us in self.range.add(time_us) {
                self.note_time(time_us);
            }
            // A damaged time is beyond those that count.
            if !known.is_fact && self.ends_us.is_some_and(|(_, last_us)| time_us <= last_us) {
                let source = &mut self.places[known.place][instance.map_or(256, usize::from)];
                if *source == 0 {
                    self.sources.push((known.place, instance, Silences::default()));
                    *source = self.sources.len() as u32;
                }
                self.sources[*source as usize - 1].2.add(time_us);
            }
        }
        let reach_us = if record.is_suspect() { TimeRange::NEAR_OTHERS_US } else { TimeRange::NEAR_US };
        let counts = |time_us: &u64| self.ends_us.is_none_or(|ends_us| is_near(*time_us, ends_us, reach_us));
        let time_us = time_us.filter(counts);
        if known.is_loss {
            self.note_loss(record);
        }
        let is_date = known.is_gps && self.clock.add(record, time_us.or(self.last_us).unwrap_or_default());
        match time_us {
            _ if known.is_fact && known.is_definition => self.keep(record, None),
            _ if known.is_fact && known.is_file => self.keep_description(record),
            _ if known.is_fact || is_date => {
                self.note_fact(record, known, time_us, log);
            }
            Some(time_us) => {
                self.last_us = Some(time_us);
                self.last_timed = Some(record.offset()..record.offset() + record.len());
                let is_lost = |kept_us: u64| kept_us.abs_diff(time_us) > WRAP_KEPT_US;
                if self.awaits_time || known.wraps && self.kept_us.is_none_or(is_lost) {
                    self.keep_last_timed(time_us, log);
                }
            }
            None => {}
        }
    }

    /// Keeps a fact so that a log of facts has its time: `None` if it has none, or one that doesn't count.
    #[cold]
    fn note_fact(&mut self, record: &Record<'_>, known: Known, time_us: Option<u64>, log: &[u8]) {
        // In a log of facts, a time counts that another one is near.
        let is_far =
            |time_us: u64| self.kept_us.is_none_or(|kept_us| kept_us.abs_diff(time_us) > TimeRange::NEAR_US / 2);
        match (time_us, self.last_us) {
            (Some(time_us), last_us) => {
                if is_far(time_us) {
                    self.keep_last_timed(last_us.unwrap_or(time_us), log);
                }
                (self.last_us, self.kept_us) = (Some(time_us), Some(time_us));
                self.keep(record, None);
            }
            (None, Some(last_us)) if known.has_time_us => self.keep(record, Some(last_us)),
            (None, last_us) => {
                self.keep_last_timed(last_us.unwrap_or_default(), log);
                self.keep(record, None);
            }
        }
    }

    /// Adds the last record whose time counts to the facts. If there was none yet, the next one is added.
    #[cold]
    fn keep_last_timed(&mut self, time_us: u64, log: &[u8]) {
        let last = self.last_timed.take().and_then(|bytes| log.get(bytes));
        self.awaits_time = last.is_none() && self.kept_us.is_none();
        if let Some(last) = last.filter(|_| self.survey.facts.len() < FACT_BYTES) {
            self.kept_us = Some(time_us);
            self.survey.facts.extend_from_slice(last);
        }
    }

    /// Whether the time of the last record, which is suspect, counts.
    #[cold]
    fn settle_suspect(&mut self, is_sound: bool) {
        let Some((place, time_us)) = self.suspect.take() else { return };
        let of_type = &mut self.ranges[place];
        let counting: Vec<u64> = if is_sound {
            of_type.add(time_us);
            self.range.add(time_us).into_iter().collect()
        } else {
            of_type.add_suspect(time_us);
            self.range.add_suspect(time_us).into_iter().collect()
        };
        counting.into_iter().for_each(|time_us| self.note_time(time_us));
    }

    /// A time at which there is a record. Records of several threads needn't be in the order of their times.
    #[inline]
    fn note_time(&mut self, time_us: u64) {
        let Some((first, last)) = self.ends_us else {
            self.ends_us = Some((time_us, time_us));
            return;
        };
        if time_us > last {
            self.ends_us = Some((first, time_us));
            self.note_gap(self.survey.gaps.len(), last..=time_us);
        } else if time_us < first {
            self.ends_us = Some((time_us, last));
            self.note_gap(0, time_us..=first);
        } else if !self.survey.gaps.is_empty() {
            self.split_gap(time_us);
        }
    }

    #[inline]
    fn note_gap(&mut self, place: usize, time_us: RangeInclusive<u64>) {
        if time_us.end() - time_us.start() > GAP_US {
            self.survey.gap_count += 1;
            self.survey.gaps.insert(place, time_us);
            self.survey.gaps.truncate(LISTED);
        }
    }

    /// A record within a gap leaves a gap before it, one after it, or none.
    fn split_gap(&mut self, time_us: u64) {
        let place = self.survey.gaps.partition_point(|gap| *gap.end() <= time_us);
        if let Some(gap) = self.survey.gaps.get(place).filter(|gap| *gap.start() < time_us).cloned() {
            self.survey.gap_count -= 1;
            self.survey.gaps.remove(place);
            self.note_gap(place, time_us..=*gap.end());
            self.note_gap(place, *gap.start()..=time_us);
        }
    }

    /// An FMTU gave a type its units: the column that separates instances may have become known.
    fn note_units(&mut self, records: &Records<'_>) {
        for (slot, id) in self.by_id.iter_mut().zip(0..=255) {
            let lacks_instance =
                |known: &Known| known.instance.is_none() && known.wide_instance.is_none() && !known.is_definition;
            let has_one = || records.definition(id).is_some_and(|definition| definition.instance_column().is_some());
            if let Some(known) = slot.take_if(|known| lacks_instance(known) && has_one()) {
                self.with_late_units.push(known.place);
            }
        }
    }

    #[cold]
    fn note_loss(&mut self, record: &Record<'_>) {
        let integer = |label: &str| record.value(label).and_then(|value| value.to_integer());
        let number = |label: &str| integer(label).and_then(|number| u64::try_from(number).ok());
        match (number("Dp"), number("Dropped")) {
            (Some(in_all), _) => self.survey.dropped = self.survey.dropped.max(in_all),
            (None, Some(more)) => self.survey.dropped = self.survey.dropped.saturating_add(more),
            (None, None) => {}
        }
    }

    /// Keeps a piece of the descriptions, which have the names of modes.
    #[cold]
    fn keep_description(&mut self, record: &Record<'_>) {
        if record.value("FileName").and_then(|value| value.text()).is_some_and(|name| name == FILE_NAME) {
            self.survey.has_descriptions = true;
            self.keep(record, None);
        }
    }

    /// Keeps a record among the facts, with another time if one is given.
    #[cold]
    fn keep(&mut self, record: &Record<'_>, time_us: Option<u64>) {
        if self.survey.facts.len() < FACT_BYTES {
            let facts = &mut self.survey.facts;
            facts.extend_from_slice(&binlog::record_header(record.id()));
            let time = facts.len();
            facts.extend_from_slice(record.payload());
            if let Some((time_us, place)) = time_us.zip(facts.get_mut(time..time + 8)) {
                place.copy_from_slice(&time_us.to_le_bytes());
            }
        }
    }

    #[cold]
    fn define(&mut self, id: usize, definition: &LoggedDefinition<'_>) {
        let name = definition.name();
        let types = &mut self.survey.types;
        let place = types.iter().position(|of_type| of_type.name == name).unwrap_or_else(|| {
            types.push(TypeSurvey { name: name.into(), records: 0, bytes: 0, time_us: None, instances: 1 });
            self.ranges.push(TimeRange::default());
            self.places.push([0; 257]);
            types.len() - 1
        });
        let first = definition.columns().next();
        let known = Known {
            place,
            is_fact: FACTS.contains(&name) || name == "FILE",
            is_definition: definition.defines_others(),
            is_file: name == "FILE",
            is_gps: matches!(name, "GPS" | "GPS2"),
            is_loss: matches!(name, "DSF" | "DROP"),
            has_time_us: first.is_some_and(|first| first.label == "TimeUS" && first.format == binlog::Format::U64),
            wraps: definition.column("TimeUS").is_some_and(|column| matches!(column.format, Format::U32 | Format::I32)),
            instance: definition
                .instance_column()
                .filter(|column| column.format.size() == 1)
                .map(|column| column.offset),
            seen: [0; 4],
            wide_instance: definition.instance_column().filter(|column| column.format.size() > 1).map(|column| {
                let is_text = matches!(column.format, Format::Chars4 | Format::Chars16 | Format::Chars64);
                (column.offset, column.offset + column.format.size(), is_text)
            }),
        };
        self.by_id.resize(256, None);
        if let Some(slot) = self.by_id.get_mut(id) {
            *slot = Some(known);
        }
    }

    /// The survey of a boot with these bytes.
    fn finish(mut self, boot: &[u8]) -> Survey {
        self.settle_suspect(false);
        let mut survey = self.survey;
        self.with_late_units.sort_unstable();
        self.with_late_units.dedup();
        for place in self.with_late_units {
            // Rare enough for one more pass each.
            let of_type = &mut survey.types[place];
            let instances = Log::from_bytes(boot).rows(&of_type.name).map_or(0, |rows| rows.instances().len());
            of_type.instances = instances.max(1);
        }
        if survey.has_descriptions {
            survey.states = states::of_log(&Log::from_bytes(boot));
        }
        survey.time_us = self.range.range_us();
        survey.damaged_times = self.range.damaged_times();
        let end_us = survey.time_us.as_ref().map_or(0, |time_us| *time_us.end());
        let name = |place: usize, instance: Option<u8>| {
            let name = &survey.types[place].name;
            instance.map_or_else(|| name.clone(), |instance| format!("{name}[{instance}]"))
        };
        let sources = self.sources.into_iter();
        let sources = sources.map(|(place, instance, silences)| (name(place, instance), silences));
        survey.silences = silences::of_sources(sources, end_us);
        survey.types.iter_mut().zip(&self.ranges).for_each(|(of_type, range)| of_type.time_us = range.range_us());
        survey
    }

    fn skip(&mut self, skipped: Skipped, log: &[u8]) {
        self.settle_suspect(skipped.is_padding_after_record(log));
        if skipped.is_padding(log) {
            return;
        }
        self.survey.skipped_count += 1;
        self.survey.skipped_bytes += skipped.length as u64;
        if self.survey.skipped.len() < LISTED {
            self.survey.skipped.push(skipped);
        }
    }
}

/// Whether a time is in a range, or so many microseconds before or after it.
fn is_near(time_us: u64, (start, end): (u64, u64), by_us: u64) -> bool {
    (start.saturating_sub(by_us)..=end.saturating_add(by_us)).contains(&time_us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use binlog_tests::payload;
    use binlog_tests::raw_log::RawLog;
    use proptest::prelude::*;

    const IMU: u8 = 31;

    fn survey(log: &RawLog) -> Survey {
        let [survey] = <[Survey; 1]>::try_from(surveys(&log.bytes, |_| ())).expect("one boot");
        survey
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
            let survey = survey(&log);
            let imu = survey.types.iter().find(|of_type| of_type.name == "IMU").expect("its records");
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
            let shuffled = survey(&log_of(&times_us));
            times_us.sort_unstable();
            let gaps: Vec<_> = times_us.windows(2).map(|pair| pair[0]..=pair[1]).collect();
            let gaps: Vec<_> = gaps.into_iter().filter(|gap| gap.end() - gap.start() > GAP_US).collect();
            prop_assert_eq!(shuffled.gap_count, gaps.len() as u64);
            prop_assert_eq!(shuffled.gaps, gaps);
        }
    }
}

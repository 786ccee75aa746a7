//! The records of an ArduPilot log, one line each.

use super::calendar::Calendar;
use super::clock::Clock;
use super::plan::Plan;
use super::{json, text};
use crate::intervals::Intervals;
use crate::line_buffer::LineBuffer;
use crate::patterns::Patterns;
use crate::texts::{Joined, Part};
use binlog::{Log, Record, Records};
use std::io::{self, Write};
use std::ops::Range;

/// The form of a line.
#[derive(Clone, Copy, Debug)]
pub enum Form<'l> {
    /// As `mavlogdump.py` prints it.
    Text,
    /// As `mavlogdump.py --format json` prints it, with null for numbers that JSON doesn't have, and with each text
    /// whole.
    Json {
        /// The name of the log, which each object then has.
        log: Option<&'l str>,
        /// The texts that take several records.
        texts: &'l Joined,
    },
}

/// What was printed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Dumped {
    /// Records that were printed.
    pub records: u64,
    /// Bytes of the log that are neither records nor padding at its end.
    pub skipped_bytes: u64,
    /// The names of the types with records, printed or not.
    pub types: Vec<String>,
}

/// Types that pymavlink reads even if they aren't asked for (`DFReader.skip_to_type`), so that records without a time
/// have theirs.
const ALWAYS_READ: [&str; 6] = ["MODE", "MSG", "PARM", "STAT", "ORGN", "VER"];

/// Prints the records of the chosen types that are in the chosen times of one of the parts of the log: ranges of bytes,
/// each of which begins with definitions. pymavlink dates a whole log by one clock; where a part is chosen, each has
/// its own. With `names`, values have the names that their boot gives them. `advance` is told, now and then, how many
/// bytes of the log are done.
///
/// # Errors
///
/// If the output can't be written.
pub fn records(
    log: &[u8],
    parts: &[(Range<usize>, Intervals)],
    types: &Patterns,
    form: Form<'_>,
    names: &[NamedBoot<'_>],
    out: &mut impl Write,
    mut advance: impl FnMut(u64),
) -> io::Result<Dumped> {
    let is_whole = parts.iter().all(|(_, intervals)| intervals.is_everything());
    let mut clock = Clock::of(if is_whole { log } else { &[] });
    let mut calendar = Calendar::local();
    let mut dumped = Dumped::default();
    let mut lines = LineBuffer::new(out);
    for (range, intervals) in parts {
        if !is_whole {
            clock = Clock::of(log.get(range.clone()).unwrap_or_default());
        }
        let mut plans = Plans::new(types, form, names, range.start);
        let is_everything = intervals.is_everything();
        let mut time_us = 0;
        let part = log.get(range.clone()).unwrap_or_default();
        for item in Records::new(part) {
            let record = match item {
                Ok(record) => record,
                Err(skipped) => {
                    let is_lost = !skipped.is_padding(part);
                    dumped.skipped_bytes += if is_lost { skipped.length as u64 } else { 0 };
                    continue;
                }
            };
            let plan = plans.of(&record);
            if plan.is_timed {
                let time = clock.date(plan, record.payload());
                if !is_everything {
                    time_us = record.time_us().unwrap_or(time_us);
                }
                if plan.is_chosen && (is_everything || intervals.contains(time_us)) {
                    match form {
                        Form::Text => text::record(lines.text(), plan, record.payload(), time, &mut calendar),
                        Form::Json { texts, .. } => {
                            let part = match plan.name == "MSG" {
                                true => texts.part(range.start + record.offset()),
                                false => Part::Record,
                            };
                            json::record(lines.text(), plan, record.payload(), time, part);
                        }
                    }
                    dumped.records += 1;
                    if lines.write_if_full()? {
                        advance((range.start + record.offset()) as u64);
                    }
                }
            }
            plans.learn(&record, range.start);
        }
        dumped.types.extend(plans.names());
    }
    lines.finish()?;
    Ok(dumped)
}

/// A boot, whose names its values have.
#[derive(Debug)]
pub struct NamedBoot<'l> {
    /// Where it begins in the log.
    start: usize,
    log: Log<'l>,
}

impl<'l> NamedBoot<'l> {
    /// The boots of a log.
    pub fn all(log: &'l Log<'_>) -> Vec<Self> {
        log.boots().map(|boot| NamedBoot { start: boot.range().start, log: boot.log() }).collect()
    }
}

/// The plans of the definitions in force.
struct Plans<'t> {
    types: &'t Patterns,
    form: Form<'t>,
    /// The boot that is being read, and later ones; empty if numbers are printed.
    names: &'t [NamedBoot<'t>],
    by_id: Box<[Option<Plan>; 256]>,
    replaced: Vec<Plan>,
}

impl<'t> Plans<'t> {
    /// Of the part of the log that begins at `start`.
    fn new(types: &'t Patterns, form: Form<'t>, boots: &'t [NamedBoot<'t>], start: usize) -> Self {
        let boot = boots.iter().rposition(|boot| boot.start <= start).unwrap_or(0);
        let names = boots.get(boot..).unwrap_or_default();
        Plans { types, form, names, by_id: Box::new([const { None }; 256]), replaced: Vec::new() }
    }

    #[inline]
    fn of(&mut self, record: &Record<'_>) -> &Plan {
        let Plans { types, form, names, by_id, .. } = self;
        by_id[usize::from(record.id())].get_or_insert_with(|| {
            let mut plan = Plan::new(&record.definition());
            plan.is_chosen = types.contains(&plan.name);
            plan.is_timed = plan.is_chosen || ALWAYS_READ.contains(&plan.name.as_str());
            match form {
                Form::Text => text::prepare(&mut plan),
                Form::Json { log, .. } => json::prepare(&mut plan, *log),
            }
            if let Some(boot) = names.first() {
                plan.name_values(&boot.log, &record.definition());
            }
            plan
        })
    }

    /// Forgets the plan of a type that the record defines again, and all plans where another boot begins, which only a
    /// definition does. `start` is where the part begins in the log.
    #[inline]
    fn learn(&mut self, record: &Record<'_>, start: usize) {
        if let Some(id) = record.defines() {
            self.replaced.extend(self.by_id[usize::from(id)].take());
            while let [_, rest @ ..] = self.names
                && rest.first().is_some_and(|next| next.start <= start + record.offset())
            {
                self.names = rest;
                self.replaced.extend(self.by_id.iter_mut().filter_map(Option::take));
            }
        }
    }

    fn names(self) -> impl Iterator<Item = String> {
        self.replaced.into_iter().chain(self.by_id.into_iter().flatten()).map(|plan| plan.name)
    }
}

//! Counts the records or frames in a log, from its bytes.

use binlog::blackbox::log::{Item, Lost};
use binlog::blackbox::{BlackboxLog, Event};
use binlog::{Records, Skipped};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The messages that define the others. They are counted, but a writer doesn't count them as records.
const DEFINITIONS: [&str; 4] = ["FMT", "UNIT", "MULT", "FMTU"];

/// The records of a log by type.
#[derive(Default)]
pub(crate) struct Summary {
    types: BTreeMap<String, Count>,
}

/// How much there is of something.
#[derive(Clone, Copy, Default)]
struct Count {
    records: u64,
    bytes: u64,
}

impl Summary {
    /// Reads a whole log.
    ///
    /// # Errors
    ///
    /// The first skipped stretch.
    pub(crate) fn new(log: &[u8]) -> Result<Self, Skipped> {
        // By id first: looking up a name for every record would be most of the work.
        let mut counts = [Count::default(); 256];
        let mut records = Records::new(log);
        for record in &mut records {
            let record = record?;
            let count = &mut counts[usize::from(record.id())];
            count.records += 1;
            count.bytes += u64::from(record.definition().length());
        }
        let named = (0..=u8::MAX).zip(counts).filter_map(|(id, count)| {
            let definition = records.definition(id).filter(|_| count.records > 0)?;
            Some((definition.name().to_owned(), count))
        });
        Ok(Summary { types: named.collect() })
    }

    /// Reads a whole Blackbox log: its frames by their letters.
    ///
    /// # Errors
    ///
    /// The first stretch without frames.
    pub(crate) fn of_blackbox(log: &[u8]) -> Result<Self, Lost> {
        let mut summary = Summary::default();
        let mut count = |name: String, bytes| {
            let count = summary.types.entry(name).or_default();
            count.records += 1;
            count.bytes += bytes as u64;
        };
        for session in BlackboxLog::from_bytes(log).sessions() {
            let mut frames = session.frames();
            while let Some(item) = frames.next() {
                match item {
                    Item::Frame(frame) => count(char::from(frame.letter()).into(), frame.length()),
                    Item::Event { event, .. } => {
                        count("E".into(), event.encode(&mut [0; Event::MAX_BYTES]).len());
                    }
                    Item::Lost(lost) => return Err(lost),
                }
            }
        }
        Ok(summary)
    }

    /// Records without the definitions, as [`binlog::LogWriter::record_count`] counts them.
    pub(crate) fn records(&self) -> u64 {
        self.types
            .iter()
            .filter(|(name, _)| !DEFINITIONS.contains(&name.as_str()))
            .map(|(_, count)| count.records)
            .sum()
    }

    /// A table for people, of a log of `seconds` seconds: a line for each type, then the total.
    pub(crate) fn table(&self, seconds: u32) -> String {
        let mut table = format!("{:<5} {:>9} {:>7} {:>11}\n", "type", "records", "Hz", "bytes");
        let mut total = Count::default();
        for (name, count) in &self.types {
            line(&mut table, name, *count, seconds);
            total.records += count.records;
            total.bytes += count.bytes;
        }
        line(&mut table, "total", total, seconds);
        table
    }
}

/// A type with less than one record a second has no rate.
fn line(table: &mut String, name: &str, Count { records, bytes }: Count, seconds: u32) {
    let rate = records as f64 / f64::from(seconds);
    let rate = if rate < 1.0 { String::new() } else { format!("{rate:.1}") };
    // Writing to a `String` doesn't fail.
    let _ = writeln!(table, "{name:<5} {records:>9} {rate:>7} {bytes:>11}");
}

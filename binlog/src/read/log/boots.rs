//! The boots of a log: the records from one start of the firmware to the next.

use super::index::Index;
use super::offsets::Offsets;
use super::time_range::TimeRange;
use super::wraps::WrapPlaces;
use crate::format::Format;
use crate::read::records::time::TimeSource;
use crate::read::{Log, Records, framing};
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The part of a log that belongs to one boot: [`Log::boots`].
#[derive(Clone)]
pub struct Boot<'log> {
    log: &'log [u8],
    span: &'log Span,
}

/// The range of a boot in the log, and the range of its times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) bytes: Range<usize>,
    pub(super) time_us: Option<RangeInclusive<u64>>,
}

impl Span {
    /// One microsecond after its latest time: the end of intervals that last to the end of the boot.
    pub(super) fn end_us(&self) -> u64 {
        self.time_us.as_ref().map_or(0, |time_us| time_us.end().saturating_add(1))
    }
}

impl<'log> Boot<'log> {
    /// Its range in the log, in bytes from the start of the log.
    pub fn range(&self) -> Range<usize> {
        self.span.bytes.clone()
    }

    /// The earliest and the latest time of its records, both inclusive, in microseconds since this boot; `None` if it
    /// has no times. [`TimeRange`] says which times count.
    pub fn time_range_us(&self) -> Option<RangeInclusive<u64>> {
        self.span.time_us.clone()
    }

    /// The boot as a separate log, without a copy. Offsets in it count from the start of the boot.
    pub fn log(&self) -> Log<'log> {
        Log::from_bytes(self.log.get(self.range()).unwrap_or_default())
    }
}

impl fmt::Debug for Boot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { bytes, time_us } = self.span;
        f.debug_struct("Boot").field("bytes", bytes).field("time_us", time_us).finish_non_exhaustive()
    }
}

impl Log<'_> {
    /// The boots of the log, at least one.
    ///
    /// A boot begins at a second preamble: where FMT defines itself again after records that aren't definitions. A time
    /// that jumps back doesn't begin one. Such logs come from firmware that appends to the log of the previous boot,
    /// and from joined files.
    ///
    /// ```
    /// # use binlog::{LogSchema, LogWriter, messages::Ev};
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Ev(Ev) }
    /// # let mut file = Vec::new();
    /// # for times in [[5_000, 9_000], [1_000, 2_000]] {
    /// #     let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// #     times.map(|time_us| writer.write(&Ev { time_us, id: 10 }).expect("memory takes all"));
    /// #     file.extend(writer.finish()?);
    /// # }
    /// use binlog::Log;
    ///
    /// let log = Log::from_bytes(file);
    /// for boot in log.boots() {
    ///     println!("{:?}: {} events", boot.time_range_us(), boot.log().rows("EV")?.len());
    /// }
    /// # assert_eq!(log.boot_count(), 2);
    /// # let ranges: Vec<_> = log.boots().map(|boot| boot.time_range_us()).collect();
    /// # assert_eq!(ranges, [Some(5_000..=9_000), Some(1_000..=2_000)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn boots(&self) -> impl ExactSizeIterator<Item = Boot<'_>> + Clone {
        let log = self.bytes();
        self.spans().iter().map(move |span| Boot { log, span })
    }

    /// The number of [boots](Log::boots), for which no time is read.
    pub fn boot_count(&self) -> usize {
        self.index().boots.len() + 1
    }

    pub(super) fn spans(&self) -> &[Span] {
        self.spans.get_or_init(|| spans(self.bytes(), self.index(), || self.wraps()))
    }

    /// The boot of the record at an offset, as an index into the spans.
    pub(super) fn boot_at(&self, offset: usize) -> usize {
        self.index().boots.partition_point(|&start| start <= offset)
    }
}

/// Reads the time of each record once, and again in the order of the log where they may be damaged.
fn spans<'w>(log: &[u8], index: &Index, wraps: impl Fn() -> &'w Arc<WrapPlaces>) -> Vec<Span> {
    let starts = std::iter::once(0).chain(index.boots.iter().copied());
    let ends = index.boots.iter().copied().chain([log.len()]);
    let mut spans: Vec<Span> = starts.zip(ends).map(|(start, end)| Span { bytes: start..end, time_us: None }).collect();
    for kind in &index.kinds {
        let definition = kind.definition(log);
        if definition.defines_others() {
            continue;
        }
        let length = definition.length().into();
        match TimeSource::of(&definition) {
            TimeSource::None => {}
            // A loop of its own for times that need no look at their format.
            TimeSource::Micros { format: Format::U64, offset } => extend(&mut spans, &kind.offsets, |record| {
                framing::payload(log, record, length)?
                    .get(offset..)?
                    .first_chunk()
                    .map(|bytes| u64::from_le_bytes(*bytes))
            }),
            source => {
                let wraps = if source.is_narrow() { wraps() } else { WrapPlaces::NONE };
                extend(&mut spans, &kind.offsets, |record| {
                    source.time_us(framing::payload(log, record, length)?, wraps.before(record))
                });
            }
        }
    }
    for span in &mut spans {
        let first = index.suspects.partition_point(|&suspect| suspect < span.bytes.start);
        let has_suspects = index.suspects.get(first).is_some_and(|&suspect| suspect < span.bytes.end);
        // Times within an hour all count, except those of suspect records.
        if has_suspects || span.time_us.as_ref().is_some_and(|all| all.end() - all.start() > TimeRange::NEAR_US) {
            span.time_us = counting(log, &span.bytes, &index.suspects);
        }
    }
    spans
}

/// Extends the times of boots by those of the records at these offsets.
#[inline(always)]
fn extend(spans: &mut [Span], offsets: &Offsets, time_us: impl Fn(usize) -> Option<u64>) {
    for part in offsets.parts() {
        let offset = |offset: u32| part.base + offset as usize;
        let mut rest = &part.offsets[..];
        while let Some(&next) = rest.first() {
            let boot = spans.partition_point(|span| span.bytes.end <= offset(next));
            let Some(span) = spans.get_mut(boot) else { break };
            let (of_boot, others) = rest.split_at(rest.partition_point(|&next| offset(next) < span.bytes.end));
            rest = others;
            let (mut earliest, mut latest) = (u64::MAX, 0);
            for time_us in of_boot.iter().filter_map(|&next| time_us(offset(next))) {
                (earliest, latest) = (earliest.min(time_us), latest.max(time_us));
            }
            if earliest <= latest {
                let known = span.time_us.take().unwrap_or(earliest..=latest);
                span.time_us = Some(earliest.min(*known.start())..=latest.max(*known.end()));
            }
        }
    }
}

/// The range of the times that count in a boot.
fn counting(log: &[u8], boot: &Range<usize>, suspects: &[usize]) -> Option<RangeInclusive<u64>> {
    let mut range = TimeRange::default();
    let records = Records::new(log.get(boot.clone()).unwrap_or_default()).flatten();
    for record in records.filter(|record| !record.definition().defines_others()) {
        let Some(time_us) = record.time_us() else { continue };
        match suspects.binary_search(&(boot.start + record.offset())) {
            Ok(_) => drop(range.add_suspect(time_us)),
            Err(_) => drop(range.add(time_us)),
        }
    }
    range.range_us()
}

//! Writes statistics as records of the log.

use super::{Drain, Prologue};
use crate::Logger;
use binlog::messages::{Dropped, Dsf, Ring};
use binlog::ring_format::{Encoder, FormatOf, ReportsRing, ReportsStatistics, Schema, TagTable};
use binlog::sink::{BufferUsage, Counters};

/// Encodes a message; `None` if that is impossible.
type Encode<M> = fn(&M, &mut [u8]) -> Option<usize>;

/// Encodes the record that is due. Returns its length; `None` if none is due, or if that is impossible.
type Put<S, const N: usize> = fn(&mut Reports<S, N>, &Logger<S, N>, &mut [u8]) -> Option<usize>;

/// When DSF, RING and DROP records are due, and the numbers for them.
pub(super) struct Reports<S: Schema, const N: usize> {
    interval_us: u64,
    /// Time of the next DSF.
    due_us: u64,
    /// The first message that may still need a DROP record in this round.
    drops_from: Option<usize>,
    /// Bytes written, and free bytes of the ring.
    usage: BufferUsage,
    /// The longest stall since the last DSF.
    stall_us: u32,
    // Function pointers, so that a drain without reports neither links them nor requires these messages in its schema.
    put: Put<S, N>,
    encode_ring: Option<Encode<Ring>>,
    /// Whether the RING record is written that comes before the next DSF.
    has_ring: bool,
}

impl<S: Schema, const N: usize> Reports<S, N> {
    /// Samples the free bytes of the ring, before and after each piece, and a stall.
    pub(super) fn sample(&mut self, free: u32, stall_us: u32) {
        self.stall_us = self.stall_us.max(stall_us);
        self.usage.sample(free);
    }

    pub(super) fn count(&mut self, bytes: usize) {
        self.usage.count(bytes);
    }

    /// Whether records of statistics are due.
    #[cfg(feature = "async")]
    pub(super) fn are_due(&self, now_us: u64) -> bool {
        self.drops_from.is_some() || self.is_dsf_due(now_us)
    }

    /// Whether a DSF is due: its time has come, or is further away than an interval, because the clock was set back.
    fn is_dsf_due(&self, now_us: u64) -> bool {
        self.due_us.wrapping_sub(now_us).wrapping_sub(1) >= self.interval_us
    }

    /// Whether this round needs no further DROP records.
    pub(super) fn are_complete(&self) -> bool {
        self.drops_from.is_none() && !self.has_ring
    }

    /// Returns a DSF record and begins a new interval.
    fn dsf(&mut self, now_us: u64, dropped: u32) -> Dsf {
        self.due_us = now_us.wrapping_add(self.interval_us);
        self.drops_from = Some(0);
        (self.stall_us, self.has_ring) = (0, false);
        self.usage.take_dsf(now_us, dropped)
    }
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl<S: Schema, const N: usize, P: Prologue<S>> Drain<'_, S, N, P> {
    /// Writes a DSF record every `interval_us` microseconds, at least 1000, followed by a DROP record for each message
    /// that has lost records since its last one. A DROP record has the message's counts since boot. These records go
    /// directly into the file and use no room in the ring.
    ///
    /// Call [`Logger::start`](crate::Logger::start) first, because the statistics use its clock.
    ///
    /// As in ArduPilot, `DSF.Dp` counts from boot; `Blk` (blocks of 512 bytes) and `Bytes` count from the previous DSF.
    ///
    /// Requires an ArduPilot schema with [`Dsf`] and [`Dropped`]; a Blackbox log has no statistics.
    pub fn report_every(&mut self, interval_us: u64)
    where
        FormatOf<S>: ReportsStatistics<S>,
    {
        self.report_with(interval_us, None);
    }

    /// As [`report_every`](Drain::report_every), with a RING record before each DSF: the most bytes of the ring that
    /// were in use, and the longest stall, both since the previous one. They show how much larger the ring is than it
    /// has to be, or how much it lacks.
    pub fn report_ring_every(&mut self, interval_us: u64)
    where
        FormatOf<S>: ReportsRing<S>,
    {
        self.report_with(interval_us, Some(FormatOf::<S>::encode_ring));
    }

    fn report_with(&mut self, interval_us: u64, encode_ring: Option<Encode<Ring>>)
    where
        FormatOf<S>: ReportsStatistics<S>,
    {
        // Below half of all times, so that a time that has passed is told from one that is too far away.
        let interval_us = interval_us.clamp(1000, u64::MAX / 2);
        self.reports = Some(Reports {
            interval_us,
            due_us: self.logger().now_us().wrapping_add(interval_us),
            drops_from: None,
            usage: BufferUsage::new(N as u32),
            stall_us: 0,
            put: Reports::put,
            encode_ring,
            has_ring: false,
        });
    }

    /// Makes the statistics due now; the next steps write them.
    pub fn report(&mut self) {
        if let Some(reports) = &mut self.reports {
            reports.due_us = 0;
        }
    }

    /// Prepares a record of statistics for writing, if one is due.
    pub(super) fn put_report(&mut self) -> bool {
        // Recovered records are of an earlier boot, and the statistics of this one.
        let (None, Some(reports)) = (self.recovery, &mut self.reports) else { return false };
        let length = (reports.put)(reports, self.ring.logger, self.own.encoder.buffer());
        self.own.rest = 0..length.unwrap_or(0);
        length.is_some()
    }
}

#[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
impl<S: Schema, const N: usize> Reports<S, N>
where
    FormatOf<S>: ReportsStatistics<S>,
{
    fn put(&mut self, logger: &Logger<S, N>, out: &mut [u8]) -> Option<usize> {
        let now_us = logger.now_us();
        if let Some(from) = self.drops_from.take() {
            // One short critical section for each message, not a long one.
            let (index, tally) = (from..TagTable::<S>::COUNT).find_map(|index| {
                let tally = logger.state.with(|state| match state.to_report.remove(index) {
                    true => state.counters.tallies().get(index).copied(),
                    false => None,
                });
                tally.map(|tally| (index, tally))
            })?;
            self.drops_from = Some(index + 1);
            let drop = Dropped {
                time_us: now_us.into(),
                id: TagTable::<S>::tag(index),
                dropped: tally.dropped.wrapping_add(tally.lost).into(),
                decimated: tally.decimated.into(),
            };
            return FormatOf::<S>::encode_dropped(&drop, out);
        }
        if !self.is_dsf_due(now_us) {
            return None;
        }
        if let (false, Some(encode)) = (core::mem::replace(&mut self.has_ring, true), self.encode_ring) {
            let (size, used) = (N as u32, N as u32 - self.usage.free_min());
            let (time_us, stall_us) = (now_us.into(), self.stall_us.into());
            return encode(&Ring { time_us, size: size.into(), used: used.into(), stall_us }, out);
        }
        let statistics = logger.statistics();
        let dsf = self.dsf(now_us, statistics.dropped.wrapping_add(statistics.lost));
        FormatOf::<S>::encode_dsf(&dsf, out)
    }
}

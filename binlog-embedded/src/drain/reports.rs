//! Writes statistics as records of the log.

use super::{Drain, Prologue};
use binlog::messages::{Dropped, Dsf, Ring};
use binlog::ring_format::{Encoder, FormatOf, ReportsRing, ReportsStatistics, Schema, TagTable};
use binlog::sink::{BufferUsage, Counters};

/// Encodes a message; `None` if that is impossible.
type Encode<M> = fn(&M, &mut [u8]) -> Option<usize>;

/// When DSF, RING and DROP records are due, and the numbers for them.
#[derive(Clone)]
pub(super) struct Reports {
    interval_us: u64,
    /// Time of the next DSF.
    due_us: u64,
    /// The first message that may still need a DROP record in this round.
    drops_from: Option<usize>,
    /// Bytes written, and free bytes of the ring.
    usage: BufferUsage,
    /// The longest stall since the last DSF.
    stall_us: u32,
    // Function pointers, so that a drain without reports doesn't require these messages in its schema.
    encode_dsf: Encode<Dsf>,
    encode_drop: Encode<Dropped>,
    encode_ring: Option<Encode<Ring>>,
    /// Whether the RING record is written that comes before the next DSF.
    has_ring: bool,
}

impl Reports {
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
            encode_dsf: FormatOf::<S>::encode_dsf,
            encode_drop: FormatOf::<S>::encode_dropped,
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
        if self.recovery.is_some() {
            return false;
        }
        let logger = self.logger();
        let Some(reports) = &mut self.reports else { return false };
        let now_us = logger.now_us();
        let length = match reports.drops_from {
            Some(from) => {
                reports.drops_from = None;
                // One short critical section for each message, not a long one.
                let found = (from..TagTable::<S>::COUNT).find_map(|index| {
                    let tally = logger.state.with(|state| match state.to_report.remove(index) {
                        true => state.counters.tallies().get(index).copied(),
                        false => None,
                    });
                    tally.map(|tally| (index, tally))
                });
                let Some((index, tally)) = found else { return false };
                reports.drops_from = Some(index + 1);
                let drop = Dropped {
                    time_us: now_us.into(),
                    id: TagTable::<S>::tag(index),
                    dropped: tally.dropped.wrapping_add(tally.lost).into(),
                    decimated: tally.decimated.into(),
                };
                (reports.encode_drop)(&drop, self.own.encoder.buffer())
            }
            None if reports.is_dsf_due(now_us) => {
                if let (false, Some(encode)) = (core::mem::replace(&mut reports.has_ring, true), reports.encode_ring) {
                    let (time_us, size, used) = (now_us.into(), N as u32, N as u32 - reports.usage.free_min());
                    let ring =
                        Ring { time_us, size: size.into(), used: used.into(), stall_us: reports.stall_us.into() };
                    let length = encode(&ring, self.own.encoder.buffer());
                    self.own.rest = 0..length.unwrap_or(0);
                    return length.is_some();
                }
                let statistics = logger.statistics();
                let dsf = reports.dsf(now_us, statistics.dropped.wrapping_add(statistics.lost));
                (reports.encode_dsf)(&dsf, self.own.encoder.buffer())
            }
            None => return false,
        };
        self.own.rest = 0..length.unwrap_or(0);
        length.is_some()
    }
}

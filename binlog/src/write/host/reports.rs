//! The records that a host's log has of itself: DSF and DROP.

use crate::declare::messages::{Dropped, Dsf};
use crate::format::{LogSchema, Logs};
use crate::write::encode;
use crate::write::sink::{BufferUsage, Tally};
use crate::write::writer::LONGEST_RECORD;

/// Appends a record to bytes.
type Append<M> = fn(&M, &mut Vec<u8>);

/// When DSF and DROP records are due, and the numbers for them.
pub(super) struct Reports {
    interval_us: u64,
    due_us: Option<u64>,
    usage: BufferUsage,
    // Function pointers, so that a logger without reports doesn't require these messages in its schema.
    append_dsf: Append<Dsf>,
    append_drop: Append<Dropped>,
}

/// Appends the record of a message of the schema.
pub(super) fn append<S: Logs<M>, M: crate::format::message::LogMessage>(message: &M, out: &mut Vec<u8>) {
    let mut record = [0; LONGEST_RECORD];
    // A derived message fits.
    if let Ok(length) = encode::<S, M>(message, &mut record) {
        out.extend_from_slice(&record[..length]);
    }
}

impl Reports {
    pub(super) fn new<S: LogSchema + Logs<Dsf> + Logs<Dropped>>(interval_us: u64) -> Self {
        Reports {
            interval_us: interval_us.max(1000),
            due_us: None,
            usage: BufferUsage::new(1),
            append_dsf: append::<S, Dsf>,
            append_drop: append::<S, Dropped>,
        }
    }

    pub(super) fn set_capacity(&mut self, bytes: usize) {
        self.usage = BufferUsage::new(saturate(bytes));
    }

    pub(super) fn sample(&mut self, free: usize) {
        self.usage.sample(saturate(free));
    }

    pub(super) fn count(&mut self, bytes: usize) {
        self.usage.count(bytes);
    }

    /// Whether records are due. The first ones are due an interval after the first call. After the clock was set back,
    /// they are due an interval later.
    pub(super) fn are_due(&mut self, now_us: u64) -> bool {
        let next_us = now_us.saturating_add(self.interval_us);
        let due_us = self.due_us.get_or_insert(next_us);
        *due_us = next_us.min(*due_us);
        now_us >= *due_us
    }

    /// A DSF record, and a DROP record for each message with losses: its index and its counts.
    pub(super) fn records<S: LogSchema>(&mut self, now_us: u64, dropped: u32, losses: &[(usize, Tally)]) -> Vec<u8> {
        self.due_us = Some(now_us.saturating_add(self.interval_us));
        let mut out = Vec::new();
        (self.append_dsf)(&self.usage.take_dsf(now_us, dropped), &mut out);
        for (index, tally) in losses {
            let Some(message) = S::MESSAGES.get(*index) else { continue };
            #[allow(clippy::useless_conversion, reason = "on a big-endian target the fields are other types")]
            let drop = Dropped {
                time_us: now_us.into(),
                id: message.id,
                dropped: tally.dropped.wrapping_add(tally.lost).into(),
                decimated: tally.decimated.into(),
            };
            (self.append_drop)(&drop, &mut out);
        }
        out
    }
}

fn saturate(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

//! The thread that writes what the loggers queue.

use super::Prologue;
use super::destination::Destination;
use super::output::{GivenUp, Output};
use super::queue::{Batch, Queue};
use super::walk::RecordWalk;
use crate::format::LogSchema;
use crate::write::WriteError;
use crate::write::encode::encode_any_at;
use crate::write::writer::LONGEST_RECORD;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The writing side of a [`HostLogger`](super::HostLogger).
pub(super) struct Writer<S: LogSchema, D: Destination> {
    pub(super) queue: Arc<Queue<S>>,
    pub(super) output: Output<S, D>,
    /// Records that follow the preamble, before the prologue.
    pub(super) descriptions: Vec<u8>,
    pub(super) prologue: Option<Prologue<S>>,
    /// How long records wait at most before they are written.
    pub(super) period: Duration,
    pub(super) batch: Batch,
    /// Bytes of the batch's records that are written.
    pub(super) at: usize,
    /// Whether the log has a record beside those with which each log begins.
    pub(super) has_record: bool,
}

impl<S: LogSchema, D: Destination> Writer<S, D> {
    /// Writes until the log ends. Returns the last log, and the first error that a further try didn't overcome.
    pub(super) fn run(mut self) -> (Option<D::Log>, Option<WriteError>) {
        self.queue.begin_writing();
        if self.write_all().is_err() {
            self.lose_all();
        }
        self.output.end()
    }

    fn write_all(&mut self) -> Result<(), GivenUp> {
        self.write_prologue()?;
        loop {
            self.at = 0;
            let used = self.queue.take(&mut self.batch, self.period);
            if let Some(reports) = &mut self.output.reports {
                reports.sample(self.queue.capacity() - used);
                reports.sample(self.queue.capacity());
            }
            self.write_batch()?;
            let is_last = self.batch.is_last;
            self.report(is_last)?;
            if is_last {
                return self.output.flush();
            }
        }
    }

    /// Writes the batch, and begins a log where one is asked for, or where one is full.
    fn write_batch(&mut self) -> Result<(), GivenUp> {
        let mut has_begun = true;
        for split in 0..self.batch.new_logs.len() {
            self.write_until(self.batch.new_logs[split])?;
            has_begun = self.begin_next()?;
        }
        if !has_begun {
            self.queue.has_refused_log();
        }
        self.write_until(self.batch.records.len())?;
        // Their memory is used again.
        self.batch.records.clear();
        self.batch.new_logs.clear();
        Ok(())
    }

    fn write_until(&mut self, end: usize) -> Result<(), GivenUp> {
        while self.at < end {
            let rest = &self.batch.records[self.at..end];
            let mut length = self.output.room().map_or(rest.len(), |room| RecordWalk::<S>::new(rest).fitting(room));
            if length == 0 {
                // At least one record, even if preamble and prologue leave no room. Without a next log, this log
                // continues.
                let all = rest.len();
                let one = RecordWalk::<S>::new(rest).first();
                length = if !self.has_record || self.begin_next()? { one } else { all };
            }
            let piece = self.at..self.at + length;
            self.output.put(&self.batch.records[piece], &mut self.at)?;
            self.has_record = true;
        }
        Ok(())
    }

    /// Begins the next log. Returns whether there is one.
    fn begin_next(&mut self) -> Result<bool, GivenUp> {
        let has_begun = self.output.begin_next()?;
        if has_begun {
            self.has_record = false;
            self.queue.lock().gate.report_all();
            self.write_prologue()?;
        }
        Ok(has_begun)
    }

    fn write_prologue(&mut self) -> Result<(), GivenUp> {
        self.output.put(&self.descriptions, &mut 0)?;
        let Some(prologue) = &mut self.prologue else { return Ok(()) };
        let mut records = Vec::new();
        for message in (0..).map_while(prologue) {
            let mut record = [0; LONGEST_RECORD];
            // A message that is implemented by hand and contradicts itself is left out.
            if let Some(length) = encode_any_at(&message, &mut record, 0) {
                records.extend_from_slice(&record[..length]);
            }
        }
        self.output.put(&records, &mut 0)
    }

    /// Writes the statistics if they are due.
    fn report(&mut self, is_last: bool) -> Result<(), GivenUp> {
        let Some(reports) = &mut self.output.reports else { return Ok(()) };
        let now_us = self.queue.now_us();
        if !reports.are_due(now_us) && !is_last {
            return Ok(());
        }
        // Before the lock, so that loggers don't wait for the allocator.
        let mut losses = Vec::with_capacity(S::MESSAGES.len());
        let mut state = self.queue.lock();
        let sum = state.gate.sum();
        while let Some(loss) = state.gate.next_to_report(losses.last().map_or(0, |(index, _)| index + 1)) {
            losses.push(loss);
        }
        drop(state);
        let records = reports.records::<S>(now_us, sum.dropped.wrapping_add(sum.lost), &losses);
        self.output.put(&records, &mut 0)
    }

    /// Counts all records that are not written as lost. From now on, records are dropped.
    fn lose_all(&mut self) {
        self.queue.fail(self.batch.records.get(self.at..).unwrap_or_default());
    }
}

impl<S: LogSchema, D: Destination> Drop for Writer<S, D> {
    fn drop(&mut self) {
        // The destination panicked. Nobody waits for room any more.
        if thread::panicking() {
            self.lose_all();
        }
    }
}

// Held by tests/tests/flash/drain.rs, tests/tests/flash/asynchronous.rs.

//! Moving a drain's records to the chip: when to flush, and when the next log begins. No step waits: a step that needs
//! the chip returns the [`Need`], and is repeated after that.

use super::recorder::{Recorder, Task};
use super::{FlashLog, Operation, schema_hash};
use crate::{Drain, Prologue};
use binlog::ring_format::{FileFormat, FormatOf, Schema};
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};

/// What has to be done on the chip before a step is made again.
#[derive(Clone, Copy)]
pub(super) enum Need {
    /// Room in the page.
    Room,
    /// The page on the chip.
    Flush,
}

impl Need {
    pub(super) fn task(self) -> (Task, Operation) {
        match self {
            Need::Room => (Task::Open, Operation::Write),
            Need::Flush => (Task::Flush, Operation::Flush),
        }
    }
}

/// What has to happen before more is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// The record that was begun is to be written, and all flushed.
    Flush,
    /// Then the log ends, too.
    End,
}

/// What one call writes.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The time of the call.
    now_us: u64,
    /// The ring's head at that time: what comes in meanwhile may come faster than the chip takes it.
    end: u32,
}

/// The page as a writer that takes what there is room for.
struct Page<'a> {
    recorder: &'a mut Recorder,
    limit: usize,
    /// Whether there was no room.
    is_full: bool,
}

impl ErrorType for Page<'_> {
    type Error = Infallible;
}

impl Write for Page<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let bytes = &bytes[..bytes.len().min(self.limit)];
        self.is_full = !bytes.is_empty() && !self.recorder.has_room();
        Ok(if self.is_full { 0 } else { self.recorder.put(bytes) })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<F> FlashLog<F> {
    /// The beginning of a run: `None` if there is nothing to do, or the next attempt isn't due.
    pub(super) fn begin_run<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Option<Run> {
        let run = Run { now_us: drain.logger().now_us(), end: drain.head() };
        self.lose_unflushed(drain);
        let waits = !self.is_open() && (self.is_waiting(run.now_us) || drain.is_ring_empty());
        (!waits).then_some(run)
    }

    /// Writes all that the ring held at the time of the call. Returns whether the ring is empty now.
    pub(super) fn move_records<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
    ) -> Result<bool, Need> {
        // A drain other than the one that the log was begun with would put a preamble into its middle.
        if !self.is_open() || drain.byte_count() != self.byte_count() {
            self.flush_page()?;
            self.recorder.close();
            if drain.is_ring_empty() {
                return Ok(false);
            }
            self.begin(drain, run);
        }
        loop {
            let mut taken = 1;
            if self.due == Due::Nothing {
                taken = self.step(drain, usize::MAX)?;
                let ends = self.rotate || drain.ends_file();
                if ends {
                    self.due = Due::End;
                } else if drain.is_dirty() && self.is_flush_due(run.now_us) {
                    self.due = Due::Flush;
                }
            }
            if self.due != Due::Nothing {
                // What is flushed ends with a record.
                self.end_record(drain)?;
                let ends = self.due == Due::End;
                if Drain::<'_, S, N, P>::ENCODES && ends && drain.end_session() {
                    self.end_record(drain)?;
                }
                self.flush_page()?;
                drain.flushed();
                (self.flushed_us, self.flushed_bytes) = (run.now_us, self.byte_count());
                self.due = Due::Nothing;
                if ends {
                    self.begin(drain, run);
                    return Ok(false);
                }
            }
            if drain.has_passed(run.end) {
                return Ok(drain.is_ring_empty());
            }
            if taken == 0 {
                return Ok(false);
            }
        }
    }

    /// Begins a log, on the chip that was searched.
    fn begin<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>, run: Run) {
        self.recorder.begin(const { schema_hash(<FormatOf<S> as FileFormat<S>>::PREAMBLE) });
        (self.flushed_us, self.flushed_bytes, self.rotate) = (run.now_us, 0, false);
        self.due = Due::Nothing;
        drain.restart();
    }

    /// Moves at most `limit` bytes of the drain into the page. Returns how many.
    #[inline(never)]
    fn step<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        limit: usize,
    ) -> Result<usize, Need> {
        let mut page = Page { recorder: &mut self.recorder, limit, is_full: false };
        let Ok(taken) = drain.step(&mut page);
        if page.is_full { Err(Need::Room) } else { Ok(taken) }
    }

    /// Writes the rest of a record that was begun.
    pub(super) fn end_record<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), Need> {
        while !drain.is_between_records() {
            let limit = drain.record_rest();
            if self.step(drain, limit)? == 0 {
                break;
            }
        }
        Ok(())
    }

    fn flush_page(&self) -> Result<(), Need> {
        if self.recorder.has_unflushed() { Err(Need::Flush) } else { Ok(()) }
    }

    /// Flushes what the drain wrote.
    pub(super) fn save<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), Need> {
        self.flush_page()?;
        drain.flushed();
        Ok(())
    }

    /// Leaves the log, of which all is on the chip or lost.
    pub(super) fn leave<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        is_saved: bool,
    ) {
        if is_saved {
            self.recorder.close();
        } else {
            self.recorder.forget();
        }
        self.due = Due::Nothing;
        drain.restart();
    }

    /// Leaves the log after an error, until the next attempt is due.
    pub(super) fn end_failed_run<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
        is_saved: bool,
    ) {
        self.leave(drain, is_saved);
        self.retry_later(run.now_us);
    }
}

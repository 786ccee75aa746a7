//! Moving a drain's records to the card: when to flush, and when the next log begins.

use super::contents::Contents;
use super::{Cause, Dates, Fault, Options, SdError, SdLog, Slot};
use crate::recorder::{Goal, Stop};
use crate::{Drain, Prologue};
use binlog::__private::same;
use binlog::ring_format::{FileFormat, FormatOf, Schema};
use core::convert::Infallible;
use embedded_io::{ErrorType, Write};

/// What is due for the card and the open log, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// When the next attempt at a card is due.
    pub(super) retry_us: u64,
    /// When the log was flushed last.
    pub(super) flushed_us: u64,
    /// Bytes that the log had then, rounded down to a block.
    pub(super) flushed_bytes: u32,
    /// Whether the next log is to begin.
    pub(super) rotate: bool,
    /// Whether the log is being ended as the flight's last.
    pub(super) is_last: bool,
    /// Whether the flight was finished, so that the next log begins with a record.
    pub(super) is_over: bool,
    pub(super) due: Due,
    pub(super) stage: Stage,
}

/// Whether there is a log for a drain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// There is none, or it is being begun.
    Closed,
    Open,
    /// All is flushed, and the log is being ended.
    Ending,
}

/// What has to happen before more is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    Nothing,
    /// The number of bytes to flush.
    Flush(u32),
    /// The record that was begun is to be written, and all flushed.
    FlushAll,
    /// Then the log ends, too.
    End,
}

/// What one call writes.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The time of the call.
    now_us: u64,
    /// The ring's head at that time. Later records wait for the next call; otherwise a fast producer would keep this
    /// one from returning.
    end: u32,
}

impl Schedule {
    pub(super) const NONE: Schedule = Schedule {
        retry_us: 0,
        flushed_us: 0,
        flushed_bytes: 0,
        rotate: false,
        is_last: false,
        is_over: false,
        due: Due::Nothing,
        stage: Stage::Closed,
    };
}

/// The buffer as a writer that takes what there is room for.
struct Gather<'a, C: Slot, D, const BLOCKS: usize> {
    log: &'a mut SdLog<C, D, BLOCKS>,
    limit: usize,
}

impl<C: Slot, D, const BLOCKS: usize> ErrorType for Gather<'_, C, D, BLOCKS> {
    type Error = Infallible;
}

impl<C: Slot, D: Dates, const BLOCKS: usize> Write for Gather<'_, C, D, BLOCKS> {
    fn write(&mut self, bytes: &[u8]) -> core::result::Result<usize, Infallible> {
        Ok(self.log.gather(bytes, self.limit))
    }

    fn flush(&mut self) -> core::result::Result<(), Infallible> {
        Ok(())
    }
}

impl<C: Slot, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Writes all that the ring held at the time of the call, and flushes and rotates as the options say.
    pub(super) fn move_records<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
    ) -> core::result::Result<(), Stop> {
        let Run { now_us, end } = run;
        loop {
            self.open_log_for(drain, now_us)?;
            self.carry_out_due(drain, now_us)?;
            if self.schedule.stage != Stage::Open {
                continue;
            }
            if let Err(stop) = self.make_writable() {
                if stop != Stop::Fault(Fault::Blocked) {
                    return Err(stop);
                }
                // On exFAT, a log ends where the next cluster is another file's.
                #[cfg(feature = "exfat")]
                if !drain.has_records() {
                    // The next log needs a longer piece.
                    self.recorder.least_bytes = self.recorder.room().saturating_add(1);
                }
                self.contents.close();
                self.schedule.due = Due::End;
                continue;
            }
            let limit = self.until_flush();
            let taken = self.step(drain, limit);
            self.update_due(drain, now_us);
            if self.schedule.due == Due::Nothing && (taken == 0 || drain.has_passed(end)) {
                return Ok(());
            }
        }
    }

    /// Begins a log, unless there is one that this drain was writing.
    fn open_log_for<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        now_us: u64,
    ) -> core::result::Result<(), Stop> {
        loop {
            match self.schedule.stage {
                // Another drain's preamble doesn't belong in the middle of a log.
                Stage::Open if drain.byte_count() == self.contents.bytes() => return Ok(()),
                Stage::Open => {
                    self.flush_to(self.contents.bytes())?;
                    self.schedule.stage = Stage::Ending;
                }
                Stage::Ending => {
                    self.work(Goal::End)?;
                    self.schedule.stage = Stage::Closed;
                }
                Stage::Closed => {
                    #[cfg(feature = "exfat")]
                    {
                        // The preamble, a record, and what is kept for the rest of one.
                        let least = <FormatOf<S> as FileFormat<S>>::PREAMBLE.len() as u32 + 512;
                        self.recorder.least_bytes = self.recorder.least_bytes.max(least);
                    }
                    self.work(Goal::Begin)?;
                    self.contents = Contents::EMPTY;
                    self.schedule = Schedule { flushed_us: now_us, stage: Stage::Open, ..Schedule::NONE };
                    drain.restart();
                }
            }
        }
    }

    /// Bytes that may be written before the next flush.
    fn until_flush(&self) -> usize {
        let step = self.flush_step().next_multiple_of(512);
        self.schedule.flushed_bytes.saturating_add(step).saturating_sub(self.contents.bytes()).max(1) as usize
    }

    /// Decides what has to happen before more is written.
    fn update_due<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &Drain<'_, S, N, P>, now_us: u64) {
        let bytes = self.contents.bytes();
        let step = self.flush_step();
        // Each log has a record besides preamble and prologue, however small `log_bytes` is.
        let is_long = drain.has_records() && bytes >= self.recorder.options.log_bytes.min(u32::MAX - (1 << 20));
        // Recovered records are a log of their own.
        self.schedule.due = if self.schedule.rotate || is_long || drain.ends_file() {
            Due::End
        } else if bytes.is_multiple_of(512) && bytes - self.schedule.flushed_bytes >= step {
            // The flushed size ends with a whole record; only full blocks are sent, so none is written twice.
            Due::Flush(bytes - drain.record_begun() as u32)
        } else if drain.is_dirty() && now_us.wrapping_sub(self.schedule.flushed_us) >= self.recorder.options.flush_us {
            Due::FlushAll
        } else {
            Due::Nothing
        };
    }

    /// Does what is due.
    fn carry_out_due<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        now_us: u64,
    ) -> core::result::Result<(), Stop> {
        match self.schedule.due {
            Due::Nothing => return Ok(()),
            Due::Flush(bytes) => self.flush_to(bytes)?,
            Due::FlushAll | Due::End => {
                self.end_record(drain)?;
                if Drain::<'_, S, N, P>::ENCODES && self.schedule.due == Due::End && drain.end_session() {
                    self.end_record(drain)?;
                }
                self.flush_to(self.contents.bytes())?;
            }
        }
        drain.flushed();
        (self.schedule.flushed_us, self.schedule.flushed_bytes) = (now_us, self.contents.bytes() & !511);
        if self.schedule.due == Due::End {
            self.schedule.stage = Stage::Ending;
        }
        self.schedule.due = Due::Nothing;
        Ok(())
    }

    /// Does what needn't be done now, a little of it: counts the free clusters, and in calls that wrote nothing
    /// prepares clusters that the log will need.
    pub(super) fn use_time(&mut self, is_idle: bool) -> core::result::Result<(), Stop> {
        if !self.recorder.is_counted() {
            return self.work(Goal::Count);
        }
        if is_idle { self.prepare_clusters().map(|_| ()) } else { Ok(()) }
    }

    /// Writes the rest of a record that was begun.
    fn end_record<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> core::result::Result<(), Stop> {
        while !drain.is_between_records() {
            self.make_writable()?;
            let limit = drain.record_rest();
            if self.step(drain, limit) == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Moves at most `limit` bytes of the drain into the buffer. Returns how many.
    #[inline(never)]
    fn step<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        limit: usize,
    ) -> usize {
        let Ok(taken) = drain.step(&mut Gather { log: self, limit });
        self.contents.note_begun(drain.record_begun());
        taken
    }

    /// The beginning of a run: `None` while no card was found and the next attempt isn't due, and while a finished
    /// flight isn't followed by another.
    pub(super) fn begin_run<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &Drain<'_, S, N, P>,
    ) -> Option<Run> {
        if const { !same(<FormatOf<S> as FileFormat<S>>::EXTENSION, Options::DEFAULT.extension) } {
            self.recorder.name_logs(<FormatOf<S> as FileFormat<S>>::EXTENSION);
        }
        let run = self.last_run(drain);
        let retry_us = self.schedule.retry_us;
        // A clock that was set back doesn't keep the card waiting.
        let waits = run.now_us < retry_us && retry_us - run.now_us <= self.recorder.options.retry_us;
        let is_over = self.schedule.is_over && drain.is_ring_empty();
        (self.schedule.stage != Stage::Closed || !(waits || is_over)).then_some(run)
    }

    /// A run whether an attempt is due or not.
    pub(super) fn last_run<S: Schema, P: Prologue<S>, const N: usize>(&self, drain: &Drain<'_, S, N, P>) -> Run {
        Run { now_us: drain.logger().now_us(), end: drain.head() }
    }

    /// Whether the log can still be flushed and ended after this error: only if the card or the log is full. Any other
    /// error loses what was not flushed.
    pub(super) fn can_be_saved(&self, error: &SdError<C::Error>) -> bool {
        matches!(error.cause, Cause::Fault(Fault::Full | Fault::TooLong)) && self.recorder.log.is_some()
    }

    /// Flushes and ends the log when no more clusters can be had.
    pub(super) fn save<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
    ) -> core::result::Result<(), Stop> {
        self.contents.close();
        if self.schedule.stage == Stage::Open {
            self.schedule.due = Due::End;
        }
        self.carry_out_due(drain, run.now_us)?;
        self.work(Goal::End)?;
        self.schedule = Schedule::NONE;
        Ok(())
    }

    /// Whether a dropped future began to end the flight's last log.
    pub(super) fn is_ending_flight(&self) -> bool {
        cfg!(feature = "async") && self.schedule.is_last
    }

    /// After an error of another call ended the log: what the drain wrote to it and didn't flush is lost. Returns
    /// whether there is any.
    pub(super) fn lose_unflushed<S: Schema, P: Prologue<S>, const N: usize>(
        &self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> bool {
        let is_lost = self.contents.is_lost && drain.is_dirty();
        if is_lost {
            drain.restart();
        }
        is_lost
    }

    /// Ends the flight's last log.
    pub(super) fn end_flight<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
    ) -> core::result::Result<(), Stop> {
        self.schedule.is_last = true;
        self.save(drain, run)
    }

    /// Leaves the flight's last log.
    pub(super) fn leave_flight<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        is_ended: bool,
    ) {
        if is_ended {
            self.schedule.is_over = true;
        } else {
            self.abandon();
        }
        drain.restart();
    }

    /// Bytes after which a flush is due.
    fn flush_step(&self) -> u32 {
        self.recorder.options.flush_bytes.min(self.recorder.flush_limit()).clamp(512, !511)
    }

    /// Makes an attempt at a card due, however short ago the last one was, if the ring has records.
    pub(super) fn retry_now(&mut self) {
        self.schedule.retry_us = 0;
        self.schedule.is_over |= self.schedule.stage == Stage::Closed;
    }

    /// Leaves the log after an error, until the next attempt is due.
    pub(super) fn end_failed_run<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        run: Run,
        is_saved: bool,
    ) {
        if !is_saved {
            self.abandon();
        }
        drain.restart();
        self.schedule =
            Schedule { retry_us: run.now_us.saturating_add(self.recorder.options.retry_us), ..Schedule::NONE };
    }
}

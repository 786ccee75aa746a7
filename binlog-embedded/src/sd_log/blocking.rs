//! The calls for a [`Card`], which wait for the card.

use super::transfer::Io;
use super::{Cause, Dates, LogFile, Result, SdLog};
use crate::card::Card;
#[cfg(feature = "async")]
use crate::recorder::Goal;
use crate::recorder::Stop;
#[cfg(feature = "mavlink")]
use crate::recorder::{Aside, Operation};
use crate::{Drain, Prologue};
use binlog::ring_format::Schema;
use core::ops::ControlFlow;
use embedded_io::Write;

impl<C: Card, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Writes to the card what the ring holds at the time of the call. Call it repeatedly from the main loop or a task.
    /// It takes as long as the card does, and returns immediately if there is nothing to do.
    ///
    /// Without an open log it begins one, with preamble and prologue. Records that the log can't take are lost with it
    /// and counted; after [`Options::retry_us`](super::Options::retry_us), the next call begins another log. While
    /// there is no card, the ring fills and counts the records that it drops. A search for free space reads 32 blocks
    /// of the FAT in a call, and records wait in the ring meanwhile: call it again at once while
    /// [`is_searching`](SdLog::is_searching) says so. After [`finish`](SdLog::finish), the next log begins with a
    /// record.
    ///
    /// # Errors
    ///
    /// Each attempt returns its error once; the next one is made after [`Options::retry_us`](super::Options::retry_us).
    pub fn run<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> Result<(), C> {
        self.run_to(drain, true).map(|_| ())
    }

    /// As [`run`](SdLog::run). Returns whether all that the ring held is written; otherwise a search isn't complete.
    /// Before the log ends, it prepares nothing.
    fn run_to<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        may_prepare: bool,
    ) -> Result<bool, C> {
        let Some(run) = self.begin_run(drain) else { return Ok(true) };
        let written = self.port.transfers.written;
        let mut moved = self.mount().and_then(|()| self.drive_on(|log| log.move_records(drain, run)));
        if let Ok(Some(())) = moved {
            let is_idle = may_prepare && written == self.port.transfers.written;
            moved = self.drive_on(|log| log.use_time(is_idle)).map(|_| Some(()));
        }
        match moved {
            Ok(moved) => Ok(moved.is_some()),
            Err(error) => {
                let is_saved = self.can_be_saved(&error) && self.drive(|log| log.save(drain, run)).is_ok();
                self.end_failed_run(drain, run, is_saved);
                Err(error)
            }
        }
    }

    /// Writes what the ring holds and the last statistics, flushes, and ends the log. Call it at the end of a flight,
    /// or before the power is switched off. Call [`Logger::stop`](crate::Logger::stop) first; otherwise some of the
    /// records that are logged meanwhile stay in the ring.
    ///
    /// # Errors
    ///
    /// As [`run`](SdLog::run); an attempt at a log is made however short ago the last one failed. If none can be begun,
    /// the contents of the ring stay there. [`Fault::Closed`](super::Fault::Closed) if an error of another call ended
    /// the log before: what wasn't flushed is lost and counted, and the rest is on the card. `Ok` means that all of it
    /// is on the card.
    pub fn finish<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), C> {
        if self.is_ending_flight() {
            self.finish_log(drain)?;
            if drain.is_ring_empty() {
                return Ok(());
            }
        }
        let is_lost = self.lose_unflushed(drain);
        self.retry_now();
        while !self.run_to(drain, false)? {}
        drain.report();
        if Drain::<'_, S, N, P>::ENCODES {
            drain.end_session();
        }
        while !self.run_to(drain, false)? {}
        if self.number().is_some() {
            self.finish_log(drain)?;
        }
        if is_lost { Err(self.lost()) } else { Ok(()) }
    }

    /// Ends the flight's last log.
    fn finish_log<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), C> {
        let run = self.last_run(drain);
        let ended = self.drive(|log| log.end_flight(drain, run));
        self.leave_flight(drain, ended.is_ok());
        ended
    }

    /// Begins a new log and returns its number. It is for programs without a [`Drain`]: it doesn't keep the drain's
    /// counts, for which there is [`rotate`](SdLog::rotate). It ends the open log, and finds the card first if
    /// necessary. Other readers see the log after its first flush.
    ///
    /// # Errors
    ///
    /// Which operation failed, and why. The next call looks for the card again.
    pub fn begin_log(&mut self) -> Result<u32, C> {
        self.end_open_log()?;
        self.mount()?;
        self.drive(Self::begin)
    }

    /// Prepares clusters that the open log will need, for programs without a [`Drain`]: call it when nothing is to be
    /// written. [`run`](SdLog::run) does this in calls without records. Each call moves few blocks: see the
    /// [table](SdLog#blocks-of-each-call). Returns `false` when nothing is left to do for now. A log that isn't
    /// prepared gets its clusters when it needs them.
    ///
    /// # Errors
    ///
    /// The card's.
    pub fn prepare(&mut self) -> Result<bool, C> {
        self.drive(Self::prepare_clusters)
    }

    /// Flushes and ends the open log, and gives back the space that it owned in advance; does nothing without an open
    /// log. A log without a byte is removed. With a [`Drain`], call [`finish`](SdLog::finish) instead.
    ///
    /// # Errors
    ///
    /// The card's. What was flushed stays, and the next mount gives back the space.
    /// [`Fault::Closed`](super::Fault::Closed) if an error of another call ended the log: what wasn't flushed is lost.
    pub fn end_log(&mut self) -> Result<(), C> {
        if self.contents.is_lost { Err(self.lost()) } else { self.end_open_log() }
    }

    fn end_open_log(&mut self) -> Result<(), C> {
        if self.has_log() { self.drive(Self::end) } else { Ok(()) }
    }

    /// Calls `visit` for each log of the folder, in the order of their directory entries, until it breaks.
    ///
    /// What a power cut left is mended first, which writes to the card. The program's `binlog extract` reads the image
    /// of a card that can't be written any more.
    ///
    /// # Errors
    ///
    /// The card's, or that the card can't be used.
    pub fn list(&mut self, mut visit: impl FnMut(LogFile) -> ControlFlow<()>) -> Result<(), C> {
        self.mount_and_resume()?;
        self.drive(|log| log.recorder.begin_list())?;
        while let Some(log) = self.drive(Self::next_log)? {
            if visit(log).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Passes the bytes of a log to `take`, in pieces of at most 512 bytes, until it breaks. Of the open log, these are
    /// the flushed bytes. Returns how many bytes were passed. Bytes that another system gave a log on exFAT without
    /// writing them are zeros.
    ///
    /// # Errors
    ///
    /// [`Fault::NoLog`](super::Fault::NoLog), the card's, or after 4,294,967,295 bytes
    /// [`Fault::Beyond4Gib`](super::Fault::Beyond4Gib).
    pub fn extract(&mut self, number: u32, mut take: impl FnMut(&[u8]) -> ControlFlow<()>) -> Result<u32, C> {
        self.mount_and_resume()?;
        self.drive(|log| log.recorder.begin_list())?;
        let mut reader = self.drive(|log| log.recorder.find_log(number, &log.block[0]))?;
        let mut passed = 0;
        loop {
            let bytes = self.drive(|log| log.recorder.read_on(&mut reader, &mut log.block[0]))?;
            passed += bytes as u32;
            if bytes == 0 || take(&self.block[0][..bytes]).is_break() {
                return Ok(passed);
            }
        }
    }

    /// Reads bytes of a log from `offset` on: up to the end of the block of 512 bytes that has them, and at most as
    /// many as `into` has room for. Of the open log, these are the flushed bytes. Returns how many were read, 0 at the
    /// end of the log; `None` if the search for the place isn't complete, which the same call continues. What
    /// [`run`](SdLog::run) is doing, such as a search for free space, continues after it.
    ///
    /// Two readers may alternate: for each, the next block is found at once. Elsewhere, the log's clusters are followed
    /// from the nearer one, or from the first. Each call reads at most 32 blocks of the FAT.
    ///
    /// # Errors
    ///
    /// As [`extract`](SdLog::extract).
    #[cfg(feature = "mavlink")]
    pub fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Option<usize>, C> {
        self.mount()?;
        let mut aside = Aside::new(Operation::Extract, number);
        let loaded = self.drive_on(|log| log.recorder.load_at(offset, &mut aside, &mut log.block[0]));
        self.recorder.end_aside();
        Ok(loaded?.map(|bytes| self.copy_at(offset, bytes, into)))
    }

    /// As [`list`](SdLog::list), while what [`run`](SdLog::run) is doing stays as it is.
    #[cfg(feature = "mavlink")]
    pub(crate) fn visit_logs(&mut self, mut visit: impl FnMut(LogFile) -> ControlFlow<()>) -> Result<(), C> {
        self.mount()?;
        let mut aside = Aside::new(Operation::List, 0);
        let visited = loop {
            match self.drive(|log| log.next_log_aside(&mut aside)) {
                Ok(Some(log)) if visit(log).is_continue() => {}
                Ok(_) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.recorder.end_aside();
        visited
    }

    /// Removes the oldest log of an earlier boot that isn't read-only, and returns its number; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The card's. A removal that was interrupted is completed by the next mount.
    pub fn remove_oldest(&mut self) -> Result<Option<u32>, C> {
        let is_removing = self.is_removing();
        self.mount_and_resume()?;
        self.drive(|log| log.remove(is_removing))
    }

    /// Finds the card and its file system, unless that is done.
    fn mount(&mut self) -> Result<(), C> {
        if self.recorder.is_mounted { Ok(()) } else { self.drive(Self::find_card) }
    }

    /// Finds the card, and completes the beginning of a log that a dropped future left, if the card is used with both
    /// kinds of calls.
    fn mount_and_resume(&mut self) -> Result<(), C> {
        self.mount()?;
        #[cfg(feature = "async")]
        if self.port.unfinished.is_some() && self.recorder.goal() == Goal::Begin {
            self.drive(Self::begin)?;
        }
        Ok(())
    }

    /// Runs a step and the transfers that it asks for, until it is complete.
    fn drive<T>(&mut self, mut step: impl FnMut(&mut Self) -> core::result::Result<T, Stop>) -> Result<T, C> {
        loop {
            if let Some(done) = self.drive_on(&mut step)? {
                return Ok(done);
            }
        }
    }

    /// As [`drive`](SdLog::drive); `None` where the step pauses a search.
    fn drive_on<T>(
        &mut self,
        mut step: impl FnMut(&mut Self) -> core::result::Result<T, Stop>,
    ) -> Result<Option<T>, C> {
        #[cfg(feature = "mavlink")]
        self.recorder.end_aside();
        #[cfg(feature = "async")]
        self.resume()?;
        loop {
            match step(self) {
                Ok(done) => return Ok(Some(done)),
                Err(Stop::Pause) => return Ok(None),
                Err(stop) => self.serve(stop)?,
            }
        }
    }

    /// Completes what a dropped future left, if the card is used with both kinds of calls.
    #[cfg(feature = "async")]
    fn resume(&mut self) -> Result<(), C> {
        let Some(io) = self.port.unfinished else { return Ok(()) };
        self.transfer(io).map_err(|cause| self.fail(cause))?;
        loop {
            match self.work_on() {
                Ok(()) | Err(Stop::Pause) => return Ok(()),
                Err(stop) => self.serve(stop)?,
            }
        }
    }

    /// Does the transfer that a step asks for. Apart from the loop around it, which each step has a copy of.
    #[inline(never)]
    fn serve(&mut self, stop: Stop) -> Result<(), C> {
        match self.next_transfer(stop)? {
            Some(io) => self.transfer(io).map_err(|cause| self.fail(cause)),
            None => Ok(()),
        }
    }

    fn transfer(&mut self, io: Io) -> core::result::Result<(), Cause<C::Error>> {
        self.begin_transfer(io)?;
        if let Err(error) = self.perform(io) {
            self.recover(io, error)?;
            self.perform(io).map_err(Cause::Card)?;
        }
        self.end_transfer(io);
        Ok(())
    }

    fn perform(&mut self, io: Io) -> core::result::Result<(), C::Error> {
        match io {
            Io::Size => self.recorder.card_blocks = self.card.block_count()?,
            Io::Read(at) => self.card.read(at, &mut self.block)?,
            Io::Data { at, count } => self.card.write(at, &self.buffer[..count.min(BLOCKS)])?,
            Io::Write { at, mirror } => {
                self.card.write(at, &self.block)?;
                if mirror != 0 {
                    self.card.write(at + mirror, &self.block)?;
                }
            }
        }
        Ok(())
    }

    /// Makes the card ready for a second try, which a block that was hit by noise needs.
    ///
    /// Not without initialising it: after a failed multi-block write, some drivers' next write would land where that
    /// one was to go. And not if another card is there now, or the same one after a visit elsewhere: what is kept here
    /// would undo what was done there. On FAT16 and exFAT, which say nothing of that, there is no second try.
    #[cold]
    #[inline(never)]
    fn recover(&mut self, io: Io, error: C::Error) -> core::result::Result<(), Cause<C::Error>> {
        if !self.port.begin_retry(&self.recorder) {
            return Err(Cause::Card(error));
        }
        self.card.forget();
        let mut block = [C::ZERO];
        for seen in self.port.seen {
            match self.card.read(seen.at, &mut block) {
                Ok(()) if self.is_as_seen(io, seen, &block[0]) => {}
                Ok(()) => return Err(Cause::Changed),
                Err(_) => return Err(Cause::Card(error)),
            }
        }
        self.port.card_returned();
        Ok(())
    }
}

/// Writes to the log that [`begin_log`](SdLog::begin_log) began. After an error, begin another log.
impl<C: Card, D: Dates, const BLOCKS: usize> Write for SdLog<C, D, BLOCKS> {
    /// Writes as much as the buffer has room for.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, C> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.drive(Self::make_writable)?;
        Ok(self.gather(bytes, usize::MAX))
    }

    /// Flushes all written bytes to the card.
    fn flush(&mut self) -> Result<(), C> {
        self.drive(Self::flush_all)
    }
}

//! The log on a blocking chip.

#[cfg(feature = "mavlink")]
use super::at::{Ask, Load, Loaded, Place};
use super::recorder::{Io, SECTOR_CONTENTS, Task, address};
use super::schedule::Need;
use super::stored::{Contents, HeaderWalk};
use super::{Cause, Chip, FlashError, FlashLog, Operation, Preamble, Reader, Result, StoredLog};
use super::{Geometry, check_sizes, is_doubtful, schema_hash};
use crate::{Drain, Prologue};
use binlog::flash::Header;
use binlog::ring_format::Schema;
use core::ops::ControlFlow;
use embedded_io::{Read, Write};

impl<F: Chip> FlashLog<F> {
    /// Writes what the ring holds at the time of the call to the chip. Call it repeatedly from the main loop or a task.
    /// It takes as long as the chip does, and returns immediately if there is nothing to do. A call that finds the ring
    /// empty may erase a unit ahead.
    ///
    /// Without an open log it begins one, with preamble and prologue, as soon as the ring has a record. Records that
    /// the log can't take are lost with it and counted; after
    /// [`Options::retry_us`](super::Options::retry_us), the next call begins another log. Until then, the ring fills
    /// and counts the records that it drops.
    ///
    /// # Errors
    ///
    /// Each attempt returns its error once; the next one is made after [`Options::retry_us`](super::Options::retry_us).
    pub fn run<S: Schema, P: Prologue<S>, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> Result<(), F> {
        let Some(run) = self.begin_run(drain) else { return Ok(()) };
        let mut moved = self.mount().map(|_| false);
        if moved.is_ok() {
            moved = self.carry_out(|log| log.move_records(drain, run));
        }
        if let Ok(true) = moved {
            moved = self.drive(Task::Prepare(self.ahead()), Operation::Prepare).map(|()| true);
        }
        let Err(error) = moved else { return Ok(()) };
        // A full chip has what it was given. After any other error, a new log begins.
        let is_saved = matches!(error.cause, Cause::Full) && self.carry_out(|log| log.save(drain)).is_ok();
        self.end_failed_run(drain, run, is_saved);
        Err(error)
    }

    /// Writes what the ring holds and the last statistics, flushes, and ends the log. Call it at the end of a flight,
    /// or before the power is switched off. Call [`Logger::stop`](crate::Logger::stop) first; otherwise some of the
    /// records that are logged meanwhile stay in the ring.
    ///
    /// # Errors
    ///
    /// As [`run`](FlashLog::run); an attempt at a log is made however short ago the last one failed. If none can be
    /// begun, the contents of the ring stay there. [`Cause::Closed`] if a future that was dropped, or an error of
    /// another call, ended the log before: what wasn't flushed is lost and counted, and the rest is on the chip. `Ok`
    /// means that all of it is on the chip.
    pub fn finish<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), F> {
        self.retry_us = 0;
        let is_lost = self.lose_unflushed(drain);
        // Each run may end one log and begin the next.
        let end = drain.head();
        loop {
            self.run(drain)?;
            if !self.is_open() || drain.has_passed(end) {
                break;
            }
        }
        drain.report();
        if Drain::<'_, S, N, P>::ENCODES {
            drain.end_session();
        }
        self.run(drain)?;
        if self.is_open() {
            let ended = self.carry_out(|log| log.end_record(drain).and_then(|()| log.save(drain)));
            self.leave(drain, ended.is_ok());
            ended?;
        }
        if is_lost { Err(self.error(Operation::Flush, Cause::Closed)) } else { Ok(()) }
    }

    /// Begins a new log and returns its number; for programs without a [`Drain`]. It flushes and ends the open log.
    /// `preamble` is what the program writes first: its hash identifies the schema, so that the preamble can be put
    /// back in front of a log whose beginning was overwritten. Pass `&[]` if the log has none.
    ///
    /// The log is on the chip from its first written page on; a log without bytes leaves no trace.
    ///
    /// # Errors
    ///
    /// Which operation failed, and why. [`Cause::Closed`] if a future that was dropped ended the open log: what wasn't
    /// flushed is lost. The next call searches the chip again.
    pub fn begin_log(&mut self, preamble: &[u8]) -> Result<u16, F> {
        if self.recorder.has_unflushed() {
            self.flush()?;
        }
        self.mount()?;
        self.rotate = false;
        Ok(self.recorder.begin(schema_hash(preamble)))
    }

    /// Flushes and ends the open log, if there is one.
    ///
    /// # Errors
    ///
    /// Which operation failed, and why. [`Cause::Closed`] if a future that was dropped, or an error of another call,
    /// ended the log before: what wasn't flushed is lost.
    pub fn end_log(&mut self) -> Result<(), F> {
        self.flush()?;
        self.recorder.close();
        Ok(())
    }

    /// Erases ahead on the ground: as many units as `bytes` need, less than half of the chip. Returns how many bytes
    /// can be written without another erase, less up to 250 for each flush, which ends a page. What is erased is
    /// forgotten with a reset.
    ///
    /// A log begins with a unit. So end the log before, or the rest of its unit isn't used by the next one.
    ///
    /// A W25Q128 takes 4 s for each MiB in units of 32 KiB. Logs of this boot are left as they are.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn prepare(&mut self, bytes: u32) -> Result<u32, F> {
        self.mount()?;
        self.drive(Task::Prepare(bytes.div_ceil(SECTOR_CONTENTS)), Operation::Prepare)?;
        Ok(self.recorder.blank_bytes())
    }

    /// Lists the logs on the chip, the oldest first. What isn't flushed isn't in the list.
    ///
    /// Reads 16 bytes of each sector, about 50 ms for 16 MiB on SPI at 20 MHz.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn list(&mut self, mut each: impl FnMut(&StoredLog) -> ControlFlow<()>) -> Result<(), F> {
        let geometry = self.mount()?;
        let Some(head) = self.recorder.head() else { return Ok(()) };
        let mut walk = HeaderWalk::new(geometry, head);
        while let Some(sector) = walk.sector() {
            self.read_header(sector).map_err(|cause| self.error(Operation::List, cause))?;
            if let Some(log) = walk.take(Header::decode(&self.recorder.answer))
                && each(&log).is_break()
            {
                return Ok(());
            }
        }
        if let Some(log) = walk.last() {
            // The walk ends here, so what is returned doesn't matter.
            let _ = each(&log);
        }
        Ok(())
    }

    /// Passes the contents of a log in pieces of up to 256 bytes, and returns the number of bytes that were passed.
    /// `pass` may stop the extraction. `preamble` is as in [`read`](FlashLog::read). Of an open log, the part that is
    /// on the chip is passed.
    ///
    /// # Errors
    ///
    /// The driver's, and [`Cause::NoLog`].
    pub fn extract(
        &mut self,
        number: u16,
        preamble: Preamble,
        mut pass: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<u32, F> {
        let mut found = None;
        self.list(|log| match log.number == number {
            true => {
                found = Some(*log);
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        })?;
        let Some(log) = found else {
            return Err(FlashError { operation: Operation::Read, log: Some(number), cause: Cause::NoLog });
        };
        let mut reader = self.read(&log, preamble)?;
        let mut passed: u32 = 0;
        loop {
            reader.load()?;
            let bytes = reader.contents.ready();
            let length = bytes.len();
            passed = passed.wrapping_add(length as u32);
            if length == 0 || pass(bytes).is_break() {
                return Ok(passed);
            }
            reader.contents.skip(length);
        }
    }

    /// Opens a log for reading. If its beginning was overwritten, `preamble` comes first, if it is that of the log's
    /// schema: pass `Preamble::of::<FlightLog>()`. The first record after it is usually cut, and viewers skip it.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn read(&mut self, log: &StoredLog, preamble: Preamble) -> Result<Reader<'_, F>, F> {
        let geometry = self.mount()?;
        Ok(Reader { flash: &mut self.flash, contents: Contents::new(geometry, *log, preamble) })
    }

    /// As [`list`](FlashLog::list), with the number of bytes that are left of each log.
    #[cfg(feature = "mavlink")]
    pub(crate) fn visit_logs(&mut self, mut visit: impl FnMut(&StoredLog, u32) -> ControlFlow<()>) -> Result<(), F> {
        let geometry = self.mount()?;
        let Some(head) = self.recorder.head() else { return Ok(()) };
        let mut walk = HeaderWalk::new(geometry, head);
        loop {
            let (found, is_last) = match walk.sector() {
                Some(sector) => {
                    self.read_header(sector).map_err(|cause| self.error(Operation::List, cause))?;
                    (walk.take(Header::decode(&self.recorder.answer)), false)
                }
                None => (walk.newest(), true),
            };
            if let Some(log) = found {
                let mut load = Load::end_of(geometry, log);
                let end = match self.load(&mut load)? {
                    Loaded::Gap(_) | Loaded::Gone => load.place.at,
                    Loaded::Bytes(_) => 0,
                };
                if visit(&log, end).is_break() {
                    return Ok(());
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Looks for the bytes that are left of `log` from `wanted` on, of which there are `bytes`.
    #[cfg(feature = "mavlink")]
    pub(crate) fn load_at(
        &mut self,
        log: StoredLog,
        bytes: u32,
        wanted: u32,
        place: Place,
    ) -> Result<(Loaded, Load), F> {
        let mut load = Load::new(self.mount()?, log, bytes, wanted, place);
        let loaded = self.load(&mut load)?;
        Ok((loaded, load))
    }

    #[cfg(feature = "mavlink")]
    fn load(&mut self, load: &mut Load) -> Result<Loaded, F> {
        loop {
            let done = match load.step(&self.recorder.answer) {
                Ask::Header(sector) => self.read_header(sector),
                Ask::Page(address) => {
                    let read = self.flash.read(address, &mut load.page).map_err(Cause::Chip);
                    load.set_page(address);
                    read
                }
                Ask::Loaded(loaded) => return Ok(loaded),
            };
            done.map_err(|cause| FlashError { operation: Operation::Read, log: Some(load.number()), cause })?;
        }
    }

    fn mount(&mut self) -> Result<Geometry, F> {
        const { check_sizes(F::UNIT, F::READ_SIZE, F::WRITE_SIZE, F::ERASE_SIZE) };
        let Some(geometry) = Geometry::new(self.flash.capacity(), F::UNIT, F::WRITE_SIZE) else {
            return Err(self.error(Operation::Mount, Cause::TooSmall));
        };
        if self.recorder.is_mount_due(geometry) {
            self.drive_on(Task::Mount, Operation::Mount)?;
        }
        Ok(geometry)
    }

    /// Runs a step, and on the chip what it needs, until it is complete.
    fn carry_out<T>(&mut self, mut step: impl FnMut(&mut Self) -> core::result::Result<T, Need>) -> Result<T, F> {
        loop {
            match step(self) {
                Ok(done) => return Ok(done),
                Err(need) => {
                    let (task, operation) = need.task();
                    self.drive(task, operation)?;
                }
            }
        }
    }

    /// Carries out a task, unless an earlier one didn't end.
    fn drive(&mut self, task: Task, operation: Operation) -> Result<(), F> {
        if self.recorder.is_busy() {
            return Err(self.give_up(operation, Cause::Closed));
        }
        self.drive_on(task, operation)
    }

    fn drive_on(&mut self, task: Task, operation: Operation) -> Result<(), F> {
        loop {
            let outcome = match self.recorder.step(task, self.options.when_full) {
                Ok(Io::Done) => return Ok(()),
                Ok(Io::Read(sector)) => self.read_header(sector),
                Ok(Io::Write(address, part)) => {
                    self.flash.write(address, &self.recorder.page[part]).map_err(Cause::Chip)
                }
                Ok(Io::Erase(address)) => self.flash.erase_unit(address).map_err(Cause::Chip),
                Err(cause) => Err(cause),
            };
            outcome.map_err(|cause| self.give_up(operation, cause))?;
        }
    }

    fn read_header(&mut self, sector: u32) -> core::result::Result<(), Cause<F::Error>> {
        let mut outcome = self.flash.read(address(sector), &mut self.recorder.answer);
        if outcome.is_ok() && is_doubtful(&self.recorder.answer) {
            outcome = self.flash.read(address(sector), &mut self.recorder.answer);
        }
        outcome.map_err(Cause::Chip)
    }
}

/// Writes to the log that [`begin_log`](FlashLog::begin_log) began. After an error, begin another log.
impl<F: Chip> Write for FlashLog<F> {
    /// Writes up to the end of a page: at most 250 bytes. They reach the chip with the next call, or by `flush`.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, F> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.drive(Task::Open, Operation::Write)?;
        Ok(self.recorder.put(bytes))
    }

    /// Flushes the written bytes to the chip.
    fn flush(&mut self) -> Result<(), F> {
        match self.recorder.number() {
            Some(_) => self.drive(Task::Flush, Operation::Flush),
            None if self.recorder.is_lost() => Err(self.error(Operation::Flush, Cause::Closed)),
            None => Ok(()),
        }
    }
}

impl<F: Chip> Reader<'_, F> {
    /// Reads from the chip until there are bytes to take, or the log ends.
    fn load(&mut self) -> Result<(), F> {
        while let Some(page) = self.contents.page() {
            self.flash.read(page, &mut self.contents.page).map_err(|error| FlashError {
                operation: Operation::Read,
                log: Some(self.contents.log.number),
                cause: Cause::Chip(error),
            })?;
            self.contents.set_page(page);
        }
        Ok(())
    }
}

impl<F: Chip> Read for Reader<'_, F> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, F> {
        self.load()?;
        let ready = self.contents.ready();
        let length = ready.len().min(bytes.len());
        bytes[..length].copy_from_slice(&ready[..length]);
        self.contents.skip(length);
        Ok(length)
    }
}

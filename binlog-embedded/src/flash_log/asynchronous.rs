//! The log on an asynchronous chip: the calls of the blocking one, which wait without blocking.

#[cfg(feature = "mavlink")]
use super::at::{Ask, Load, Loaded, Place};
use super::recorder::{Io, SECTOR_CONTENTS, Task, address};
use super::schedule::Need;
use super::stored::{Contents, HeaderWalk};
use super::{AsyncChip, Cause, FlashError, FlashLog, Operation, Preamble, Reader, Result, StoredLog};
use super::{Geometry, check_sizes, is_doubtful, schema_hash};
use crate::drain::yield_now;
use crate::{Drain, Prologue};
use binlog::flash::Header;
use binlog::ring_format::Schema;
use core::ops::ControlFlow;
use embedded_io_async::{Read, Write};

impl<F: AsyncChip> FlashLog<F> {
    /// Writes what the ring holds to the chip, as [`run`](FlashLog::run) does. Call it after
    /// [`Drain::ready`], and with a timer, so that the log is flushed when no more records come.
    ///
    /// Dropping the future loses nothing that was flushed. If that happens in the middle of an operation of the chip,
    /// the log ends there, the records that were not flushed count as lost, and the next call begins another log.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn run_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), F> {
        let Some(run) = self.begin_run(drain) else {
            // `Drain::ready` is, because a preamble is due: other tasks run before the next try.
            yield_now().await;
            return Ok(());
        };
        let mut moved = self.mount_async().await.map(|_| false);
        if moved.is_ok() {
            moved = self.carry_out_async(|log| log.move_records(drain, run)).await;
        }
        if let Ok(true) = moved {
            moved = self.drive_async(Task::Prepare(self.ahead()), Operation::Prepare).await.map(|()| true);
        }
        let Err(error) = moved else { return Ok(()) };
        // A full chip has what it was given. After any other error, a new log begins.
        let is_saved = matches!(error.cause, Cause::Full) && self.carry_out_async(|log| log.save(drain)).await.is_ok();
        self.end_failed_run(drain, run, is_saved);
        Err(error)
    }

    /// Ends the log, as [`finish`](FlashLog::finish) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn finish_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), F> {
        self.retry_us = 0;
        let is_lost = self.lose_unflushed(drain);
        // Each run may end one log and begin the next.
        let end = drain.head();
        loop {
            self.run_async(drain).await?;
            if !self.is_open() || drain.has_passed(end) {
                break;
            }
        }
        drain.report();
        if Drain::<'_, S, N, P>::ENCODES {
            drain.end_session();
        }
        self.run_async(drain).await?;
        if self.is_open() {
            let ended = self.carry_out_async(|log| log.end_record(drain).and_then(|()| log.save(drain))).await;
            self.leave(drain, ended.is_ok());
            ended?;
        }
        if is_lost { Err(self.error(Operation::Flush, Cause::Closed)) } else { Ok(()) }
    }

    /// Begins a new log, as [`begin_log`](FlashLog::begin_log) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn begin_log_async(&mut self, preamble: &[u8]) -> Result<u16, F> {
        if self.recorder.has_unflushed() {
            self.flush().await?;
        }
        self.mount_async().await?;
        self.rotate = false;
        Ok(self.recorder.begin(schema_hash(preamble)))
    }

    /// Flushes and ends the open log, as [`end_log`](FlashLog::end_log) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn end_log_async(&mut self) -> Result<(), F> {
        self.flush().await?;
        self.recorder.close();
        Ok(())
    }

    /// Erases ahead on the ground, as [`prepare`](FlashLog::prepare) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn prepare_async(&mut self, bytes: u32) -> Result<u32, F> {
        self.mount_async().await?;
        self.drive_async(Task::Prepare(bytes.div_ceil(SECTOR_CONTENTS)), Operation::Prepare).await?;
        Ok(self.recorder.blank_bytes())
    }

    /// Lists the logs on the chip, as [`list`](FlashLog::list) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn list_async(&mut self, mut each: impl FnMut(&StoredLog) -> ControlFlow<()>) -> Result<(), F> {
        let geometry = self.mount_async().await?;
        let Some(head) = self.recorder.head() else { return Ok(()) };
        let mut walk = HeaderWalk::new(geometry, head);
        while let Some(sector) = walk.sector() {
            self.read_header_async(sector).await.map_err(|cause| self.error(Operation::List, cause))?;
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

    /// Passes the contents of a log, as [`extract`](FlashLog::extract) does; `pass` may wait.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn extract_async(
        &mut self,
        number: u16,
        preamble: Preamble,
        mut pass: impl AsyncFnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<u32, F> {
        let mut found = None;
        self.list_async(|log| match log.number == number {
            true => {
                found = Some(*log);
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        })
        .await?;
        let Some(log) = found else {
            return Err(FlashError { operation: Operation::Read, log: Some(number), cause: Cause::NoLog });
        };
        let mut reader = self.read_async(&log, preamble).await?;
        let mut passed: u32 = 0;
        loop {
            reader.load_async().await?;
            let bytes = reader.contents.ready();
            let length = bytes.len();
            passed = passed.wrapping_add(length as u32);
            if length == 0 || pass(bytes).await.is_break() {
                return Ok(passed);
            }
            reader.contents.skip(length);
        }
    }

    /// Opens a log for reading, as [`read`](FlashLog::read) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn read_async(&mut self, log: &StoredLog, preamble: Preamble) -> Result<Reader<'_, F>, F> {
        let geometry = self.mount_async().await?;
        Ok(Reader { flash: &mut self.flash, contents: Contents::new(geometry, *log, preamble) })
    }

    /// As [`list_async`](FlashLog::list_async), with the number of bytes that are left of each log.
    #[cfg(feature = "mavlink")]
    pub(crate) async fn visit_logs_async(
        &mut self,
        mut visit: impl FnMut(&StoredLog, u32) -> ControlFlow<()>,
    ) -> Result<(), F> {
        let geometry = self.mount_async().await?;
        let Some(head) = self.recorder.head() else { return Ok(()) };
        let mut walk = HeaderWalk::new(geometry, head);
        loop {
            let (found, is_last) = match walk.sector() {
                Some(sector) => {
                    self.read_header_async(sector).await.map_err(|cause| self.error(Operation::List, cause))?;
                    (walk.take(Header::decode(&self.recorder.answer)), false)
                }
                None => (walk.newest(), true),
            };
            if let Some(log) = found {
                let mut load = Load::end_of(geometry, log);
                let end = match self.load_async(&mut load).await? {
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
    pub(crate) async fn load_at_async(
        &mut self,
        log: StoredLog,
        bytes: u32,
        wanted: u32,
        place: Place,
    ) -> Result<(Loaded, Load), F> {
        let mut load = Load::new(self.mount_async().await?, log, bytes, wanted, place);
        let loaded = self.load_async(&mut load).await?;
        Ok((loaded, load))
    }

    #[cfg(feature = "mavlink")]
    async fn load_async(&mut self, load: &mut Load) -> Result<Loaded, F> {
        loop {
            let done = match load.step(&self.recorder.answer) {
                Ask::Header(sector) => self.read_header_async(sector).await,
                Ask::Page(address) => {
                    let read = self.flash.read(address, &mut load.page).await.map_err(Cause::Chip);
                    load.set_page(address);
                    read
                }
                Ask::Loaded(loaded) => return Ok(loaded),
            };
            done.map_err(|cause| FlashError { operation: Operation::Read, log: Some(load.number()), cause })?;
        }
    }

    async fn mount_async(&mut self) -> Result<Geometry, F> {
        const { check_sizes(F::UNIT, F::READ_SIZE, F::WRITE_SIZE, F::ERASE_SIZE) };
        let Some(geometry) = Geometry::new(self.flash.capacity(), F::UNIT, F::WRITE_SIZE) else {
            return Err(self.error(Operation::Mount, Cause::TooSmall));
        };
        if self.recorder.is_mount_due(geometry) {
            self.drive_on_async(Task::Mount, Operation::Mount).await?;
        }
        Ok(geometry)
    }

    /// Runs a step, and on the chip what it needs, until it is complete.
    async fn carry_out_async<T>(
        &mut self,
        mut step: impl FnMut(&mut Self) -> core::result::Result<T, Need>,
    ) -> Result<T, F> {
        loop {
            match step(self) {
                Ok(done) => return Ok(done),
                Err(need) => {
                    let (task, operation) = need.task();
                    self.drive_async(task, operation).await?;
                }
            }
        }
    }

    /// Carries out a task, unless an earlier one didn't end.
    async fn drive_async(&mut self, task: Task, operation: Operation) -> Result<(), F> {
        if self.recorder.is_busy() {
            return Err(self.give_up(operation, Cause::Closed));
        }
        self.drive_on_async(task, operation).await
    }

    async fn drive_on_async(&mut self, task: Task, operation: Operation) -> Result<(), F> {
        loop {
            let outcome = match self.recorder.step(task, self.options.when_full) {
                Ok(Io::Done) => return Ok(()),
                Ok(Io::Read(sector)) => self.read_header_async(sector).await,
                Ok(Io::Write(address, part)) => {
                    self.flash.write(address, &self.recorder.page[part]).await.map_err(Cause::Chip)
                }
                Ok(Io::Erase(address)) => self.flash.erase_unit(address).await.map_err(Cause::Chip),
                Err(cause) => Err(cause),
            };
            outcome.map_err(|cause| self.give_up(operation, cause))?;
        }
    }

    async fn read_header_async(&mut self, sector: u32) -> core::result::Result<(), Cause<F::Error>> {
        let mut outcome = self.flash.read(address(sector), &mut self.recorder.answer).await;
        if outcome.is_ok() && is_doubtful(&self.recorder.answer) {
            outcome = self.flash.read(address(sector), &mut self.recorder.answer).await;
        }
        outcome.map_err(Cause::Chip)
    }
}

/// Writes to the log that [`begin_log`](FlashLog::begin_log) began. After an error, begin another log.
impl<F: AsyncChip> Write for FlashLog<F> {
    /// Writes up to the end of a page: at most 250 bytes. They reach the chip with the next call, or by `flush`.
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, F> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.drive_async(Task::Open, Operation::Write).await?;
        Ok(self.recorder.put(bytes))
    }

    /// Flushes the written bytes to the chip.
    async fn flush(&mut self) -> Result<(), F> {
        match self.recorder.number() {
            Some(_) => self.drive_async(Task::Flush, Operation::Flush).await,
            None if self.recorder.is_lost() => Err(self.error(Operation::Flush, Cause::Closed)),
            None => Ok(()),
        }
    }
}

impl<F: AsyncChip> Reader<'_, F> {
    /// Reads from the chip until there are bytes to take, or the log ends.
    async fn load_async(&mut self) -> Result<(), F> {
        while let Some(page) = self.contents.page() {
            self.flash.read(page, &mut self.contents.page).await.map_err(|error| FlashError {
                operation: Operation::Read,
                log: Some(self.contents.log.number),
                cause: Cause::Chip(error),
            })?;
            self.contents.set_page(page);
        }
        Ok(())
    }
}

impl<F: AsyncChip> Read for Reader<'_, F> {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, F> {
        self.load_async().await?;
        let ready = self.contents.ready();
        let length = ready.len().min(bytes.len());
        bytes[..length].copy_from_slice(&ready[..length]);
        self.contents.skip(length);
        Ok(length)
    }
}

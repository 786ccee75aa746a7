//! The log on an asynchronous chip: the calls of the blocking one, which wait without blocking.

#[cfg(feature = "mavlink")]
use super::at::{Ask, Load, Loaded, Place};
use super::recorder::{Io, SECTOR_CONTENTS, Task, address};
use super::stored::{Contents, HeaderWalk};
use super::{AsyncChip, Cause, FlashError, FlashLog, Operation, Preamble, Reader, Result, StoredLog};
use super::{Geometry, check_sizes, is_doubtful, schema_hash};
use crate::drain::yield_now;
use crate::{Drain, Prologue};
use binlog::flash::Header;
use binlog::ring_format::{FileFormat, FormatOf, Schema};
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
        let now_us = drain.logger().now_us();
        // A drain other than the one that the log was begun with would put a preamble into its middle.
        if !self.is_open() || drain.byte_count() != self.byte_count() {
            self.lose_unflushed(drain);
            if self.is_open()
                && let Err(error) = self.end_log_async().await
            {
                self.recorder.forget();
                self.retry_later(now_us);
                return Err(error);
            }
            if self.is_waiting(now_us) || drain.is_ring_empty() {
                // `Drain::ready` is, because a preamble is due: other tasks run before the next try.
                yield_now().await;
                return Ok(());
            }
            self.begin_async(drain, now_us).await?;
        }
        let outcome = self.move_records_async(drain, now_us).await;
        if let Err(error) = &outcome {
            // A full chip has what it was given. After any other error, a new log begins.
            let saved = matches!(error.cause, Cause::Full) && drain.flush_async(self).await.is_ok();
            if saved {
                self.recorder.close();
            } else {
                self.recorder.forget();
            }
            drain.restart();
            self.retry_later(now_us);
        }
        outcome
    }

    async fn begin_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        now_us: u64,
    ) -> Result<(), F> {
        if let Err(error) =
            self.begin_log_of_async(const { schema_hash(<FormatOf<S> as FileFormat<S>>::PREAMBLE) }).await
        {
            self.retry_later(now_us);
            return Err(error);
        }
        (self.flushed_us, self.flushed_bytes) = (now_us, 0);
        drain.restart();
        Ok(())
    }

    async fn move_records_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        now_us: u64,
    ) -> Result<(), F> {
        // What comes in meanwhile may come faster than the chip takes it.
        let end = drain.head();
        loop {
            let taken = drain.step_async(self).await?;
            let ends = self.rotate || drain.ends_file();
            let ends_session = Drain::<'_, S, N, P>::ENCODES && ends;
            if ends_session || (drain.is_dirty() && (ends || self.is_flush_due(now_us))) {
                // What is flushed ends with a record.
                drain.end_record_async(self).await?;
                if ends_session && drain.end_session() {
                    drain.end_record_async(self).await?;
                }
                drain.flush_async(self).await?;
                (self.flushed_us, self.flushed_bytes) = (now_us, self.byte_count());
            }
            if ends {
                return self.begin_async(drain, now_us).await;
            }
            if drain.has_passed(end) {
                break;
            }
            if taken == 0 {
                return Ok(());
            }
        }
        if drain.is_ring_empty() {
            self.drive_async(Task::Prepare(self.ahead()), Operation::Prepare).await?;
        }
        Ok(())
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
            let outcome = match drain.end_record_async(self).await {
                Ok(()) => drain.flush_async(self).await,
                failed => failed,
            };
            if let Err(error) = outcome {
                self.recorder.forget();
                drain.restart();
                return Err(error);
            }
            self.recorder.close();
            drain.restart();
        }
        if is_lost { Err(self.error(Operation::Flush, Cause::Closed)) } else { Ok(()) }
    }

    /// Begins a new log, as [`begin_log`](FlashLog::begin_log) does.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn begin_log_async(&mut self, preamble: &[u8]) -> Result<u16, F> {
        self.begin_log_of_async(schema_hash(preamble)).await
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

    async fn begin_log_of_async(&mut self, schema: u32) -> Result<u16, F> {
        if self.recorder.has_unflushed() {
            self.flush().await?;
        }
        self.mount_async().await?;
        self.rotate = false;
        Ok(self.recorder.begin(schema))
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

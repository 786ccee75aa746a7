//! The calls for an [`AsyncCard`], which wait for the card without blocking other tasks.

use super::transfer::Io;
use super::{Cause, Dates, LogFile, Result, SdLog};
use crate::card::AsyncCard;
#[cfg(feature = "mavlink")]
use crate::recorder::{Aside, Operation};
use crate::recorder::{Goal, Stop};
use crate::{Drain, Prologue};
use binlog::ring_format::Schema;
use core::ops::ControlFlow;
use embedded_io_async::Write;

/// For an [`AsyncCard`]. While a task waits for the card, other tasks run and log, and the ring gathers their records.
///
/// Every future may be dropped before it is ready, for example by a `select`, and nothing is lost: the next call
/// repeats the transfer that was interrupted and completes what that belonged to, whichever call it is. Until then the
/// card is as after a power cut.
impl<C: AsyncCard, D: Dates, const BLOCKS: usize> SdLog<C, D, BLOCKS> {
    /// Writes to the card what the ring holds at the time of the call, as [`run`](SdLog::run) does. Call it from a
    /// task, each 10 ms or so:
    ///
    /// ```
    /// # use binlog::{LogSchema, Logs, messages::Msg};
    /// # use binlog_embedded::{Drain, Logger, SdLog, card::AsyncCard, sd_log::Dates};
    /// # struct Ticker;
    /// # impl Ticker { async fn next(&mut self) {} }
    /// # async fn card_task<S: LogSchema + Logs<Msg>, C: AsyncCard, D: Dates>(
    /// #     log: &Logger<S, 8192>, mut drain: Drain<'_, S, 8192>, mut card: SdLog<C, D>, mut ticker: Ticker) {
    /// // let mut ticker = Ticker::every(Duration::from_millis(10));
    /// loop {
    ///     if let Err(error) = card.run_async(&mut drain).await {
    ///         log.text(error);
    ///     }
    ///     ticker.next().await;
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`run`](SdLog::run).
    pub async fn run_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), C> {
        while !self.run_to_async(drain, true).await? {}
        Ok(())
    }

    /// As [`run_async`](SdLog::run_async). Returns whether all that the ring held is written; otherwise a search isn't
    /// complete. Before the log ends, it prepares nothing.
    async fn run_to_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
        may_prepare: bool,
    ) -> Result<bool, C> {
        let Some(run) = self.begin_run(drain) else { return Ok(true) };
        let written = self.port.transfers.written;
        let mut moved = self.mount_async().await.map(Some);
        if moved.is_ok() {
            moved = self.drive_on_async(|log| log.move_records(drain, run)).await;
        }
        if let Ok(Some(())) = moved {
            let is_idle = may_prepare && written == self.port.transfers.written;
            moved = self.drive_on_async(|log| log.use_time(is_idle)).await.map(|_| Some(()));
        }
        match moved {
            Ok(moved) => Ok(moved.is_some()),
            Err(error) => {
                let is_saved = self.can_be_saved(&error) && self.drive_async(|log| log.save(drain, run)).await.is_ok();
                self.end_failed_run(drain, run, is_saved);
                Err(error)
            }
        }
    }

    /// Writes what the ring holds and the last statistics, flushes, and ends the log, as [`finish`](SdLog::finish)
    /// does.
    ///
    /// # Errors
    ///
    /// As [`finish`](SdLog::finish).
    pub async fn finish_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), C> {
        if self.is_ending_flight() {
            self.finish_log_async(drain).await?;
            if drain.is_ring_empty() {
                return Ok(());
            }
        }
        let is_lost = self.lose_unflushed(drain);
        self.retry_now();
        while !self.run_to_async(drain, false).await? {}
        drain.report();
        if Drain::<'_, S, N, P>::ENCODES {
            drain.end_session();
        }
        while !self.run_to_async(drain, false).await? {}
        if self.number().is_some() {
            self.finish_log_async(drain).await?;
        }
        if is_lost { Err(self.lost()) } else { Ok(()) }
    }

    /// Ends the flight's last log.
    async fn finish_log_async<S: Schema, P: Prologue<S>, const N: usize>(
        &mut self,
        drain: &mut Drain<'_, S, N, P>,
    ) -> Result<(), C> {
        let run = self.last_run(drain);
        let ended = self.drive_async(|log| log.end_flight(drain, run)).await;
        self.leave_flight(drain, ended.is_ok());
        ended
    }

    /// As [`begin_log`](SdLog::begin_log).
    ///
    /// # Errors
    ///
    /// Which operation failed, and why. The next call looks for the card again.
    pub async fn begin_log_async(&mut self) -> Result<u32, C> {
        self.end_open_log_async().await?;
        self.mount_async().await?;
        self.drive_async(Self::begin).await
    }

    /// As [`prepare`](SdLog::prepare).
    ///
    /// # Errors
    ///
    /// The card's.
    pub async fn prepare_async(&mut self) -> Result<bool, C> {
        self.drive_async(Self::prepare_clusters).await
    }

    /// As [`end_log`](SdLog::end_log).
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn end_log_async(&mut self) -> Result<(), C> {
        if self.contents.is_lost { Err(self.lost()) } else { self.end_open_log_async().await }
    }

    async fn end_open_log_async(&mut self) -> Result<(), C> {
        if self.has_log() { self.drive_async(Self::end).await } else { Ok(()) }
    }

    /// As [`list`](SdLog::list).
    ///
    /// # Errors
    ///
    /// The card's, or that the card can't be used.
    pub async fn list_async(&mut self, mut visit: impl FnMut(LogFile) -> ControlFlow<()>) -> Result<(), C> {
        self.mount_and_resume_async().await?;
        self.drive_async(|log| log.recorder.begin_list()).await?;
        while let Some(log) = self.drive_async(Self::next_log).await? {
            if visit(log).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// As [`extract`](SdLog::extract); `take` may wait, for example for a USB packet to be sent.
    ///
    /// # Errors
    ///
    /// [`Fault::NoLog`](super::Fault::NoLog), the card's, or after 4,294,967,295 bytes
    /// [`Fault::Beyond4Gib`](super::Fault::Beyond4Gib).
    pub async fn extract_async(
        &mut self,
        number: u32,
        mut take: impl AsyncFnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<u32, C> {
        self.mount_and_resume_async().await?;
        self.drive_async(|log| log.recorder.begin_list()).await?;
        let mut reader = self.drive_async(|log| log.recorder.find_log(number, &log.block[0])).await?;
        let mut passed = 0;
        loop {
            let bytes = self.drive_async(|log| log.recorder.read_on(&mut reader, &mut log.block[0])).await?;
            passed += bytes as u32;
            if bytes == 0 || take(&self.block[0][..bytes]).await.is_break() {
                return Ok(passed);
            }
        }
    }

    /// As [`read_at`](SdLog::read_at).
    ///
    /// # Errors
    ///
    /// As there.
    #[cfg(feature = "mavlink")]
    pub async fn read_at_async(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Option<usize>, C> {
        self.mount_async().await?;
        let mut aside = Aside::new(Operation::Extract, number);
        let step = |log: &mut Self| log.recorder.load_at(offset, &mut aside, &mut log.block[0]);
        let loaded = self.drive_on_async(step).await;
        self.recorder.end_aside();
        Ok(loaded?.map(|bytes| self.copy_at(offset, bytes, into)))
    }

    /// As [`list_async`](SdLog::list_async), while what [`run_async`](SdLog::run_async) is doing stays as it is.
    #[cfg(feature = "mavlink")]
    pub(crate) async fn visit_logs_async(
        &mut self,
        mut visit: impl FnMut(LogFile) -> ControlFlow<()>,
    ) -> Result<(), C> {
        self.mount_async().await?;
        let mut aside = Aside::new(Operation::List, 0);
        let visited = loop {
            match self.drive_async(|log| log.next_log_aside(&mut aside)).await {
                Ok(Some(log)) if visit(log).is_continue() => {}
                Ok(_) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.recorder.end_aside();
        visited
    }

    /// As [`remove_oldest`](SdLog::remove_oldest). If a future that was dropped left a removal, this completes it, and
    /// removes no other log.
    ///
    /// # Errors
    ///
    /// The card's. A removal that was interrupted is completed by the next mount.
    pub async fn remove_oldest_async(&mut self) -> Result<Option<u32>, C> {
        let is_removing = self.is_removing();
        self.mount_and_resume_async().await?;
        self.drive_async(|log| log.remove(is_removing)).await
    }

    async fn mount_async(&mut self) -> Result<(), C> {
        if self.recorder.is_mounted { Ok(()) } else { self.drive_async(Self::find_card).await }
    }

    /// Finds the card, and completes the beginning of a log that a dropped future left.
    async fn mount_and_resume_async(&mut self) -> Result<(), C> {
        self.mount_async().await?;
        if self.recorder.goal() == Goal::Begin { self.drive_async(Self::begin).await.map(|_| ()) } else { Ok(()) }
    }

    async fn drive_async<T>(
        &mut self,
        mut step: impl FnMut(&mut Self) -> core::result::Result<T, Stop>,
    ) -> Result<T, C> {
        loop {
            if let Some(done) = self.drive_on_async(&mut step).await? {
                return Ok(done);
            }
        }
    }

    async fn drive_on_async<T>(
        &mut self,
        mut step: impl FnMut(&mut Self) -> core::result::Result<T, Stop>,
    ) -> Result<Option<T>, C> {
        #[cfg(feature = "mavlink")]
        self.recorder.end_aside();
        // A future was dropped: its transfer is repeated, and what that belonged to is completed.
        let mut is_resumed = self.port.unfinished.is_some();
        let mut next = self.port.unfinished;
        loop {
            if let Some(io) = next
                && let Err(cause) = self.transfer_async(io).await
            {
                return Err(self.fail(cause));
            }
            let stop = if is_resumed {
                match self.work_on() {
                    Ok(()) => {
                        (is_resumed, next) = (false, None);
                        continue;
                    }
                    Err(stop) => stop,
                }
            } else {
                match step(self) {
                    Ok(done) => return Ok(Some(done)),
                    Err(stop) => stop,
                }
            };
            next = self.next_transfer(stop)?;
            if next.is_none() {
                return Ok(None);
            }
        }
    }

    async fn transfer_async(&mut self, io: Io) -> core::result::Result<(), Cause<C::Error>> {
        self.begin_transfer(io)?;
        if let Err(error) = self.perform_async(io).await {
            self.recover_async(io, error).await?;
            self.perform_async(io).await.map_err(Cause::Card)?;
        }
        self.end_transfer(io);
        Ok(())
    }

    async fn perform_async(&mut self, io: Io) -> core::result::Result<(), C::Error> {
        match io {
            Io::Size => self.recorder.card_blocks = self.card.block_count().await?,
            Io::Read(at) => self.card.read(at, &mut self.block).await?,
            Io::Data { at, count } => self.card.write(at, &self.buffer[..count.min(BLOCKS)]).await?,
            Io::Write { at, mirror } => {
                self.card.write(at, &self.block).await?;
                if mirror != 0 {
                    self.card.write(at + mirror, &self.block).await?;
                }
            }
        }
        Ok(())
    }

    /// As the blocking calls do it.
    async fn recover_async(&mut self, io: Io, error: C::Error) -> core::result::Result<(), Cause<C::Error>> {
        if !self.port.begin_retry(&self.recorder) {
            return Err(Cause::Card(error));
        }
        self.card.forget();
        let mut block = [C::ZERO];
        for seen in self.port.seen {
            match self.card.read(seen.at, &mut block).await {
                Ok(()) if self.is_as_seen(io, seen, &block[0]) => {}
                Ok(()) => return Err(Cause::Changed),
                Err(_) => return Err(Cause::Card(error)),
            }
        }
        self.port.card_returned();
        Ok(())
    }
}

/// Writes to the log that [`begin_log_async`](SdLog::begin_log_async) began. After an error, begin another log.
impl<C: AsyncCard, D: Dates, const BLOCKS: usize> Write for SdLog<C, D, BLOCKS> {
    /// Writes as much as the buffer has room for.
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, C> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.drive_async(Self::make_writable).await?;
        Ok(self.gather(bytes, usize::MAX))
    }

    /// Flushes all written bytes to the card.
    async fn flush(&mut self) -> Result<(), C> {
        self.drive_async(Self::flush_all).await
    }
}

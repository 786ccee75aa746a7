//! The drain for asynchronous writers, woken by the logger.

use super::{Drain, Prologue};
use binlog::ring_format::Schema;
use core::future::poll_fn;
use core::task::Poll;
use embedded_io_async::Write;

impl<S: Schema, const N: usize, P: Prologue<S>> Drain<'_, S, N, P> {
    /// Waits until there is something to write. A record that is logged from any context wakes the task. Statistics
    /// that become due don't; they are written with the next record.
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    pub async fn ready(&mut self) {
        let mut has_waited = false;
        poll_fn(|context| {
            // Cloned before and dropped after the critical section, because both run the executor's code.
            let waker = context.waker().clone();
            if self.has_next() {
                return Poll::Ready(());
            }
            let tail = self.ring.tail();
            let (used, unneeded) = self.logger().state.with(|state| match state.head != tail {
                true => (true, Some(waker)),
                false => (false, state.waker.replace(waker)),
            });
            drop(unneeded);
            if used {
                return Poll::Ready(());
            }
            has_waited = true;
            Poll::Pending
        })
        .await;
        if has_waited {
            // Until now, the ring was empty.
            self.idle();
        }
    }

    /// Writes the next piece, as [`step`](Drain::step) does.
    ///
    /// As cancel-safe as the writer's `write`: bytes are released in the same poll in which the writer returns that it
    /// took them.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub async fn step_async<W: Write>(&mut self, writer: &mut W) -> Result<usize, W::Error> {
        let source = self.next();
        let bytes = self.piece(&source);
        if bytes.is_empty() {
            return Ok(0);
        }
        let taken = writer.write(bytes).await?.min(bytes.len());
        self.took(source, taken);
        Ok(taken)
    }

    /// Flushes the writer, as [`flush`](Drain::flush) does.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub async fn flush_async<W: Write>(&mut self, writer: &mut W) -> Result<(), W::Error> {
        writer.flush().await?;
        self.flushed();
        Ok(())
    }

    /// Writes what the ring holds at the time of the call, as [`catch_up`](Drain::catch_up) does.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub async fn catch_up_async<W: Write>(&mut self, writer: &mut W) -> Result<usize, W::Error> {
        let head = self.head();
        let mut total = 0;
        loop {
            match self.step_async(writer).await? {
                0 => return Ok(total),
                taken => total += taken,
            }
            if self.has_passed(head) {
                return Ok(total);
            }
        }
    }

    /// Writes all records as they come, forever, and flushes after every `flush_bytes` bytes.
    ///
    /// Dropping the future loses nothing, so you can race it against the event that ends a flight and call
    /// [`finish_async`](Drain::finish_async) afterwards. If nothing more is logged, fewer bytes than `flush_bytes` stay
    /// unflushed. To bound that time, race it against a timer and flush.
    ///
    /// Records that outlived a reset come first. They are flushed, and the next log follows in the same writer, with a
    /// preamble of its own. To have it in a file of its own, call [`catch_up_async`](Drain::catch_up_async) and see
    /// [`ends_file`](Drain::ends_file) first.
    ///
    /// # Errors
    ///
    /// The first error of the writer.
    pub async fn run<W: Write>(
        &mut self,
        writer: &mut W,
        flush_bytes: u32,
    ) -> Result<core::convert::Infallible, W::Error> {
        let mut flushed = self.byte_count();
        loop {
            self.ready().await;
            if self.ends_file() {
                self.flush_async(writer).await?;
                self.restart();
                flushed = self.byte_count();
            }
            let mut taken = self.step_async(writer).await?;
            if taken == 0 {
                // The writer takes nothing now: other tasks run before the next try.
                yield_now().await;
            }
            while taken > 0 {
                if self.byte_count().wrapping_sub(flushed) >= flush_bytes && self.is_between_records() {
                    self.flush_async(writer).await?;
                    flushed = self.byte_count();
                }
                taken = self.step_async(writer).await?;
            }
        }
    }

    /// Ends a file, as [`finish`](Drain::finish) does.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub async fn finish_async<W: Write>(&mut self, writer: &mut W) -> Result<bool, W::Error> {
        let head = self.head();
        self.catch_up_async(writer).await?;
        self.report_last(head);
        self.catch_up_async(writer).await?;
        self.flush_async(writer).await?;
        Ok(self.is_finished(head))
    }
}

/// Pending once, and woken immediately.
pub(crate) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| match core::mem::replace(&mut has_yielded, true) {
        true => Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

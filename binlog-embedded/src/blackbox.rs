//! What a logger of Blackbox logs does besides.

use crate::{Drain, Logger};
use binlog::blackbox::{BlackboxSchema, Counts, Event, EventRecord};
use binlog::ring_format::EncoderOf;

impl<S: BlackboxSchema, const N: usize> Logger<S, N> {
    /// Logs an event, as [`log`](Logger::log) does a frame. Returns whether it was accepted, which one that
    /// [`Event::check`] refuses isn't.
    ///
    /// The drain writes [`Event::Resume`] and [`Event::End`] by itself.
    pub fn event(&self, event: &Event) -> bool {
        EventRecord::new(event).is_ok_and(|event| self.log(&event))
    }
}

impl<S: BlackboxSchema, const N: usize, P> Drain<'_, S, N, P> {
    /// What became of the frames that the drain took out of the ring: how many I and P frames they are, and how many
    /// gaps there were between them. The [`Tally`](crate::Tally) of each kind counts those that didn't get into the
    /// ring.
    pub fn counts(&self) -> &Counts {
        let encoder: &EncoderOf<S> = self.encoder();
        encoder.counts()
    }
}

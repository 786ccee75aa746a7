//! Where messages go: [`Sink`], and what the sinks of this project decimate and count.

/// Where messages go, for libraries that log and know neither the schema nor the sink.
///
/// ```
/// use binlog::{Sink, messages::{Ev, Msg}};
///
/// fn arm(log: &(impl Sink<Ev> + Sink<Msg>), time_us: u64) {
///     log.log(&Ev { time_us, id: 10 });
///     for part in Msg::parts(time_us, 0, "armed").into_iter().flatten() {
///         log.log(&part);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sink for `{M}`",
    label = "`{M}` can't be logged here",
    note = "a sink takes messages through a shared reference: a `LogWriter` becomes one by `into_shared()`",
    note = "its schema must have a variant that holds `{M}`"
)]
pub trait Sink<M> {
    /// Logs a message. True when it was accepted.
    fn log(&self, message: &M) -> bool;
}

impl<M, T: Sink<M> + ?Sized> Sink<M> for &T {
    fn log(&self, message: &M) -> bool {
        (**self).log(message)
    }
}

#[cfg(feature = "std")]
impl<M, T: Sink<M> + ?Sized> Sink<M> for std::boxed::Box<T> {
    fn log(&self, message: &M) -> bool {
        (**self).log(message)
    }
}

#[cfg(feature = "std")]
impl<M, T: Sink<M> + ?Sized> Sink<M> for std::sync::Arc<T> {
    fn log(&self, message: &M) -> bool {
        (**self).log(message)
    }
}

/// How a sink decimates a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Microseconds from one record to the next, by their `TimeUS`.
    pub period_us: u32,
    /// Whether each instance is decimated for itself; its number is the payload's ninth byte.
    pub by_instance: bool,
    /// Where its times stand in [`Counters::due`]: as many as [`INSTANCES`](Rate::INSTANCES), or one.
    pub first_slot: usize,
}

impl Rate {
    /// Instances of a message that are told apart: 0 to 7. Those beyond are not decimated.
    pub const INSTANCES: usize = 8;

    /// Whether the record with this payload may be logged now. `due` is [`Counters::due`], which changes only when an
    /// admission is [charged](Due::charge): a record that finds no room uses nothing up.
    ///
    /// Each accepted record moves the time that the next one is expected at by a period, and one that comes up to a
    /// period early is accepted. So a source that keeps to its rate loses nothing while each record is at most half a
    /// period off its schedule, and a faster one gets at most one record more than its rate. A time that is more than
    /// three periods before the expected one means that the clock was set back, and begins a new schedule.
    #[inline]
    pub fn admit(&self, due: &[u64], payload: &[u8]) -> Admission {
        let Some((time, rest)) = payload.split_first_chunk() else { return Admission::Now(None) };
        let time = u64::from_le_bytes(*time);
        let instance = match rest.first() {
            Some(&instance) if self.by_instance => usize::from(instance),
            _ => 0,
        };
        if instance >= Self::INSTANCES {
            return Admission::Now(None);
        }
        let slot = self.first_slot + instance;
        let Some(&expected) = due.get(slot) else { return Admission::Now(None) };
        let period = u64::from(self.period_us);
        let from = match expected.checked_sub(time) {
            Some(early) if early <= period => expected,
            Some(early) if early <= 3 * period => return Admission::Early,
            // Late, or the clock was set back.
            _ => time,
        };
        Admission::Now(Some(Due { slot, time_us: from.saturating_add(period) }))
    }
}

/// What [`Rate::admit`] says of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It may be logged. `None` where nothing is kept of its time.
    Now(Option<Due>),
    /// It comes sooner than the rate allows.
    Early,
}

/// When the record after an accepted one is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Due {
    slot: usize,
    time_us: u64,
}

impl Due {
    /// Says that the record was accepted.
    #[inline]
    pub fn charge(self, due: &mut [u64]) {
        if let Some(due) = due.get_mut(self.slot) {
            *due = self.time_us;
        }
    }
}

/// What became of one message's records in a sink.
///
/// A record that is logged is accepted or counted in one of [`dropped`](Tally::dropped),
/// [`decimated`](Tally::decimated) and [`ignored`](Tally::ignored). One that was accepted is in the log, on its way
/// there, or counted in
/// [`lost`](Tally::lost). Each count starts again at 0 after `u32::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Tally {
    /// Not taken: the buffer had no room. Or the message is implemented by hand, and its bytes contradict its
    /// definition.
    pub dropped: u32,
    /// Not taken: sooner than the schema's rate allows.
    pub decimated: u32,
    /// Not taken: the sink was not running, or the message was masked.
    pub ignored: u32,
    /// Written to the file, without those in [`lost`](Tally::lost). Records of the prologue and of statistics are among
    /// them.
    pub written: u32,
    /// How many of these are not flushed yet.
    pub unflushed: u32,
    /// Written or accepted, and lost because the file failed before a flush.
    pub lost: u32,
}

impl Tally {
    /// Nothing yet.
    pub const ZERO: Self = Tally { dropped: 0, decimated: 0, ignored: 0, written: 0, unflushed: 0, lost: 0 };

    /// Counts a record that the file has, not flushed yet.
    #[inline]
    pub fn count_written(&mut self) {
        self.written = self.written.wrapping_add(1);
        self.unflushed = self.unflushed.wrapping_add(1);
    }

    /// Counts the unflushed records as lost with their file.
    #[inline]
    pub fn lose_unflushed(&mut self) {
        let lost = core::mem::take(&mut self.unflushed);
        self.written = self.written.wrapping_sub(lost);
        self.lost = self.lost.wrapping_add(lost);
    }
}

/// A [`Tally`] for each message of a schema, without `alloc`: [`LogSchema::Counters`](crate::LogSchema::Counters).
///
/// Sealed: sinks call it inside of critical sections, where no other code may run.
pub trait Counters: sealed::Sealed + Send + 'static {
    /// Nothing counted.
    const ZERO: Self;

    /// By the message's [`INDEX`](crate::Logs::INDEX).
    fn tallies(&self) -> &[Tally];

    /// By the message's [`INDEX`](crate::Logs::INDEX).
    fn tallies_mut(&mut self) -> &mut [Tally];

    /// The times, in microseconds, at which the next records of decimated messages are expected, by
    /// [`Rate::first_slot`].
    fn due(&mut self) -> &mut [u64];
}

/// [`Counters`] of a schema of `MESSAGES`, whose decimation keeps `SLOTS` times.
pub struct CountersOf<const MESSAGES: usize, const SLOTS: usize> {
    tallies: [Tally; MESSAGES],
    due: [u64; SLOTS],
}

mod sealed {
    pub trait Sealed {}
}

impl<const MESSAGES: usize, const SLOTS: usize> sealed::Sealed for CountersOf<MESSAGES, SLOTS> {}

impl<const MESSAGES: usize, const SLOTS: usize> Counters for CountersOf<MESSAGES, SLOTS> {
    const ZERO: Self = CountersOf { tallies: [Tally::ZERO; MESSAGES], due: [0; SLOTS] };

    #[inline]
    fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    #[inline]
    fn tallies_mut(&mut self) -> &mut [Tally] {
        &mut self.tallies
    }

    #[inline]
    fn due(&mut self) -> &mut [u64] {
        &mut self.due
    }
}

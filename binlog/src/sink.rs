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
    /// Handed on to the file, less those in [`lost`](Tally::lost).
    pub written: u32,
    /// Of these, how many no flush has made safe yet.
    pub unflushed: u32,
    /// Accepted, and lost because the file failed before a flush.
    pub lost: u32,
}

impl Tally {
    /// Nothing yet.
    pub const ZERO: Self = Tally { dropped: 0, decimated: 0, ignored: 0, written: 0, unflushed: 0, lost: 0 };
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

    /// The times, in microseconds, from which on the next record of a decimated message is due, by
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

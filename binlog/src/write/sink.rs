//! Sinks: [`Sink`], and what this project's sinks share: texts, decimation, masks, counts.

#[cfg(feature = "derive")]
mod buffer_usage;
#[cfg(all(feature = "derive", feature = "std"))]
mod gate;
mod message_set;
mod statistics;
#[cfg(feature = "derive")]
mod timed;

pub use crate::format::counts::{Admission, Counters, CountersOf, Due, Rate, Refused, Tally};
#[cfg(feature = "derive")]
pub use buffer_usage::BufferUsage;
#[cfg(all(feature = "derive", feature = "std"))]
pub(crate) use gate::Gate;
pub use message_set::MessageSet;
pub use statistics::Statistics;
#[cfg(feature = "derive")]
#[doc(hidden)]
pub use timed::Parts;
#[cfg(feature = "derive")]
pub use timed::TimedSink;

/// A destination for messages. Libraries that log take one, and need to know neither the schema nor the writer.
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
    /// Logs a message. Returns whether it was accepted.
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

//! The program's own text in its log: events of `tracing` and of `log` as MSG records.

#[cfg(feature = "log")]
mod log;
#[cfg(feature = "tracing")]
mod tracing;

#[cfg(feature = "log")]
pub use self::log::LogBridge;
#[cfg(feature = "tracing")]
pub use self::tracing::TracingLayer;

use super::HostLogger;
use crate::declare::messages::Msg;
use crate::format::{LogSchema, Logs};
use crate::write::Sink;
use crate::write::sink::TimedSink;
use std::cell::Cell;
use std::fmt::Display;

/// A logger that never waits for room, since any code of the program logs texts.
struct Unwaiting<'a, S: LogSchema>(&'a HostLogger<S>);

impl<S: Logs<Msg>> Sink<Msg> for Unwaiting<'_, S> {
    fn log(&self, message: &Msg) -> bool {
        self.0.log_now(message)
    }
}

impl<S: LogSchema> TimedSink for Unwaiting<'_, S> {
    fn now_us(&self) -> u64 {
        self.0.now_us()
    }

    fn next_text_id(&self) -> u8 {
        self.0.next_text_id()
    }
}

thread_local! {
    /// Whether this thread is logging a text: what its values or the clock log while they are asked is left out.
    static IS_LOGGING: Cell<bool> = const { Cell::new(false) };
}

/// Logs a text unless this thread is in the middle of one.
fn log_text<S: Logs<Msg>>(logger: &HostLogger<S>, text: impl Display) {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            let _ = IS_LOGGING.try_with(|is_logging| is_logging.set(false));
        }
    }
    // A thread that is ending may have dropped its flag.
    if IS_LOGGING.try_with(|is_logging| is_logging.replace(true)).unwrap_or(true) {
        return;
    }
    let _reset = Reset;
    Unwaiting(logger).text(text);
}

//! A logger for the `log` crate.

use super::{HostLogger, log_text};
use crate::declare::messages::Msg;
use crate::format::{LogSchema, Logs};

/// Writes the records of the `log` crate into a log as MSG records, with level and target: `WARN battery: sagging`.
///
/// ```
/// use binlog::host::LogBridge;
/// use binlog::{HostLogger, LogSchema, messages::Msg};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Msg(Msg),
/// }
///
/// let thread = HostLogger::<FlightLog>::spawn(Vec::new())?;
/// log::set_boxed_logger(Box::new(LogBridge::new(thread.logger().clone()))).expect("the only logger");
/// log::set_max_level(log::LevelFilter::Info);
/// log::warn!(target: "battery", "sagging");
/// let log = binlog::Log::from_bytes(thread.finish()?);
/// assert_eq!(log.texts()[0].text, "WARN battery: sagging");
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// A record never waits, as the events of `TracingLayer` don't: what doesn't fit is dropped, and counted for MSG. Long
/// texts take several records. MSG is critical, so choose a maximum level. Records logged while a record is being
/// formatted are dropped.
#[derive(Debug)]
pub struct LogBridge<S: LogSchema>(HostLogger<S>);

impl<S: Logs<Msg>> LogBridge<S> {
    /// A bridge to this logger.
    pub fn new(logger: HostLogger<S>) -> Self {
        LogBridge(logger)
    }
}

impl<S: Logs<Msg>> log::Log for LogBridge<S> {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            log_text(&self.0, format_args!("{} {}: {}", record.level(), record.target(), record.args()));
        }
    }

    /// Does nothing: the thread that writes does so by itself.
    fn flush(&self) {}
}

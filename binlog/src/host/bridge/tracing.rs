//! A layer for `tracing`.

use super::{HostLogger, log_text};
use crate::messages::Msg;
use crate::schema::{LogSchema, Logs};
use std::fmt::{self, Debug, Display, Write};
use tracing_core::field::{Field, Visit};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Writes the events of `tracing` into a log as MSG records, with level and target: `WARN battery: sagging volts=10.2`.
///
/// ```
/// use binlog::host::TracingLayer;
/// use binlog::{HostLogger, LogSchema, messages::Msg};
/// use tracing_subscriber::layer::SubscriberExt;
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Msg(Msg),
/// }
///
/// let thread = HostLogger::<FlightLog>::spawn(Vec::new())?;
/// // In a program: `.init()` of `tracing_subscriber::util::SubscriberInitExt`, once.
/// let subscriber = tracing_subscriber::registry().with(TracingLayer::new(thread.logger().clone()));
/// tracing::subscriber::with_default(subscriber, || tracing::warn!(target: "battery", volts = 10.2, "sagging"));
/// let log = binlog::Log::from_bytes(thread.finish()?);
/// assert_eq!(log.texts()[0].text, "WARN battery: sagging volts=10.2");
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// - A text longer than 64 bytes takes several records, which share an `ID`, as ArduPilot's do. Readers that know it join
///   them, and the others show them one after the other. After 16 KiB a text is cut.
/// - An event never waits, also if [`Builder::wait_for_room`](super::super::Builder::wait_for_room) says so: what doesn't
///   fit is dropped, and counted for MSG.
/// - The time is that of the logger's clock, so a simulator's text has simulated time.
/// - MSG is critical, so many texts use up the reserve. Filter them: `layer.with_filter(LevelFilter::INFO)`.
/// - Events that occur while an event is being written, in a `Debug` of its values for example, are left out.
///
/// Spans aren't logged.
#[derive(Debug)]
pub struct TracingLayer<S: LogSchema>(HostLogger<S>);

impl<S: Logs<Msg>> TracingLayer<S> {
    /// A layer that writes to this logger.
    pub fn new(logger: HostLogger<S>) -> Self {
        TracingLayer(logger)
    }
}

impl<S: Logs<Msg> + 'static, C: Subscriber> Layer<C> for TracingLayer<S> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, C>) {
        log_text(&self.0, Line(event));
    }
}

/// The text of an event.
struct Line<'a>(&'a Event<'a>);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metadata = self.0.metadata();
        write!(f, "{} {}:", metadata.level(), metadata.target())?;
        // The message comes first, wherever it stands in the event.
        for wants_message in [true, false] {
            let mut fields = Fields { out: f, wants_message, result: Ok(()) };
            self.0.record(&mut fields);
            fields.result?;
        }
        Ok(())
    }
}

/// Writes the message of an event, or its other fields.
struct Fields<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    wants_message: bool,
    result: fmt::Result,
}

impl Visit for Fields<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() == "message" {
            true => self.record_debug(field, &format_args!("{value}")),
            false => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let is_message = field.name() == "message";
        if self.result.is_err() || is_message != self.wants_message {
            return;
        }
        self.result = self.out.write_char(' ');
        if !is_message {
            self.result = self.result.and_then(|()| write!(self.out, "{}=", field.name()));
        }
        self.result = self.result.and_then(|()| write!(self.out, "{value:?}"));
    }
}

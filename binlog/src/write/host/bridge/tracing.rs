//! A layer for `tracing`.

use super::{HostLogger, log_text};
use crate::declare::messages::Msg;
use crate::format::{LogSchema, Logs};
use std::fmt::{self, Debug, Display, Write};
use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Writes the events of `tracing` into a log as MSG records, with level, target and spans:
/// `WARN battery: flight{leg=3}: sagging volts=10.2`.
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
/// tracing::subscriber::with_default(subscriber, || {
///     tracing::warn!(target: "battery", volts = 10.2, "sagging");
///     tracing::info_span!("flight", leg = 3).in_scope(|| tracing::info!(target: "nav", "waypoint reached"));
/// });
/// let log = binlog::Log::from_bytes(thread.finish()?);
/// assert_eq!(log.texts()[0].text, "WARN battery: sagging volts=10.2");
/// assert_eq!(log.texts()[1].text, "INFO nav: flight{leg=3}: waypoint reached");
/// # Ok::<(), binlog::WriteError>(())
/// ```
///
/// - A text longer than 64 bytes takes several records, which share an `ID`, as ArduPilot's do. Readers that know it
///   join them, and the others show them one after the other. After 16 KiB a text is cut.
/// - An event never waits, also if [`Builder::wait_for_room`](super::super::Builder::wait_for_room) says so: what
///   doesn't fit is dropped, and counted for MSG.
/// - The time is that of the logger's clock, so a simulator's text has simulated time.
/// - MSG is critical, so a burst of texts uses up the reserve. Filter them: `layer.with_filter(LevelFilter::INFO)`.
/// - Events that occur while an event is being written, in a `Debug` of its values for example, are left out.
///
/// An event has the spans that it is in, the outermost first, each with its fields as they are then. Entering and
/// leaving a span isn't logged.
#[derive(Debug)]
pub struct TracingLayer<S: LogSchema>(HostLogger<S>);

impl<S: Logs<Msg>> TracingLayer<S> {
    /// A layer that writes to this logger.
    pub fn new(logger: HostLogger<S>) -> Self {
        TracingLayer(logger)
    }
}

/// The fields of a span with their values. Several layers may note the same ones.
#[derive(Default)]
struct SpanFields(Vec<(&'static str, String)>);

impl SpanFields {
    fn set(&mut self, name: &'static str, value: String) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }
}

impl Visit for SpanFields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field.name(), format!("{value:?}"));
    }
}

/// Sets fields of a span. They are printed before: what a value prints may ask for the span, too.
fn set<C: Subscriber + for<'l> LookupSpan<'l>>(id: &Id, fields: SpanFields, context: &Context<'_, C>) {
    let Some(span) = context.span(id) else { return };
    let mut extensions = span.extensions_mut();
    match extensions.get_mut::<SpanFields>() {
        Some(known) => fields.0.into_iter().for_each(|(name, value)| known.set(name, value)),
        None => extensions.insert(fields),
    }
}

impl<S: Logs<Msg> + 'static, C: Subscriber + for<'l> LookupSpan<'l>> Layer<C> for TracingLayer<S> {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, C>) {
        let mut fields = SpanFields::default();
        attributes.record(&mut fields);
        set(id, fields, &context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, C>) {
        let mut fields = SpanFields::default();
        values.record(&mut fields);
        set(id, fields, &context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, C>) {
        let mut spans = String::new();
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            spans += " ";
            spans += span.name();
            if let Some(SpanFields(fields)) = span.extensions().get()
                && !fields.is_empty()
            {
                let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
                spans += &format!("{{{}}}", fields.join(" "));
            }
            spans += ":";
        }
        log_text(&self.0, Line(event, &spans));
    }
}

/// The text of an event, and its spans.
struct Line<'a>(&'a Event<'a>, &'a str);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metadata = self.0.metadata();
        write!(f, "{} {}:{}", metadata.level(), metadata.target(), self.1)?;
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

//! Schemas: the set of messages that one program logs.

use crate::format::counts::{Counters, Rate};
use crate::format::ring_format::{ArduPilot, Rows, Schema};
use crate::format::{DecodeError, Definition};

/// The messages of one program, their ids, and the preamble of its logs.
///
/// Implemented by `#[derive(LogSchema)]` on an enum with one variant for each message.
///
/// ```
/// use binlog::{LogSchema, messages};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     #[log(id = 0x64)]
///     Mode(messages::Mode),
///     Msg(messages::Msg),
/// }
///
/// assert_eq!(FlightLog::MESSAGES[0].id, 0x64);
/// assert_eq!(FlightLog::MESSAGES[1].definition.name, "MSG");
/// assert_eq!(FlightLog::PREAMBLE[..4], [0xA3, 0x95, 128, 128]); // FMT of FMT
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a log schema",
    label = "not a log schema",
    note = "a schema is an enum with `#[derive(LogSchema)]`, a variant for each message"
)]
pub trait LogSchema: Schema<Format = ArduPilot> {
    /// The messages in order of declaration.
    const MESSAGES: &'static [SchemaMessage];

    /// The preamble, which every file begins with: FMT, UNIT, MULT and FMTU records, in an order that every reader
    /// accepts.
    const PREAMBLE: &'static [u8];

    /// The preamble in the form in which firmware has it; empty if there is none.
    #[doc(hidden)]
    const PACKED: &'static [u8] = &[];

    /// The counts of a sink for each message: a [`CountersOf`](crate::sink::CountersOf) of the schema's size.
    type Counters: Counters + Rows<Self>;

    /// Decodes a payload; `index` is the message's place in [`MESSAGES`](LogSchema::MESSAGES).
    ///
    /// # Errors
    ///
    /// If the schema has no such message, or if the payload is invalid for it.
    fn decode(index: usize, payload: &[u8]) -> Result<Self, DecodeError>;

    /// The id and the payload of the message that this value holds.
    fn record(&self) -> (u8, &[u8]);
}

/// A message of a schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaMessage {
    /// The third byte of its records.
    pub id: u8,
    /// Name and columns.
    pub definition: &'static Definition,
    /// How a sink decimates it: [`Logs::RATE`](crate::Logs::RATE).
    pub rate: Option<Rate>,
}

/// A schema that contains the message `M`. It makes `log.write(&attitude)` compile.
#[diagnostic::on_unimplemented(
    message = "`{M}` is not in the schema `{Self}`",
    label = "this log has no such message",
    note = "add a variant that holds `{M}` to the enum `{Self}`"
)]
pub trait Logs<M>: LogSchema {
    /// The message's place in [`LogSchema::MESSAGES`].
    const INDEX: usize;
    /// The third byte of the records.
    const ID: u8;
    /// Whether a sink with a bounded buffer keeps a reserve for the message: `#[log(critical)]`, and MSG, EV, ERR and
    /// MODE.
    const CRITICAL: bool;
    /// The rate at which a sink decimates the message: `#[log(rate = 50)]`.
    const RATE: Option<Rate>;
}

/// A message that every schema contains and nobody can create.
///
/// With only one `impl Logs<M>`, the compiler would assume that `M` and report mismatched types. With this second one,
/// it names the message that the schema lacks.
pub enum Nothing {}

#[diagnostic::do_not_recommend]
impl<S: LogSchema> Logs<Nothing> for S {
    const INDEX: usize = usize::MAX;
    const ID: u8 = 255;
    const CRITICAL: bool = false;
    const RATE: Option<Rate> = None;
}

//! Records back into a schema's messages.

use super::{LoggedDefinition, Record};
use crate::{DecodeError, LogSchema};
use core::fmt;
use core::marker::PhantomData;

/// Turns the records of a log into the messages of a schema.
///
/// Messages are found by name, since ids differ from log to log, and each definition is compared once: it must be the
/// program's. [`Log::messages`](crate::Log::messages) reads what differs as well, where that loses nothing. It takes 6
/// KiB (4 KiB where pointers have 32 bits).
///
/// ```
/// # use binlog::{LogSchema, encode, messages::{Ev, Msg}};
/// use binlog::{Decoder, Records};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     Ev(Ev),
///     Msg(Msg),
/// }
///
/// # let mut log = FlightLog::PREAMBLE.to_vec();
/// # let mut record = [0; 12];
/// # encode::<FlightLog, _>(&Ev { time_us: 7, id: 10 }, &mut record);
/// # log.extend(record);
/// let mut decoder = Decoder::new();
/// for record in Records::new(&log).flatten() {
///     match decoder.decode(&record)? {
///         Some(FlightLog::Ev(ev)) => println!("event {}", ev.id),
///         Some(FlightLog::Msg(msg)) => println!("{}", msg.message),
///         None => {} // another message, FMT for instance
///     }
/// }
/// # Ok::<(), binlog::DecodeError>(())
/// ```
pub struct Decoder<S> {
    /// By id: the definition, by its fingerprint, and what came of the comparison.
    checked: [Option<(u64, Outcome)>; 256],
    schema: PhantomData<fn() -> S>,
}

/// What the comparison of a definition said.
#[derive(Clone, Copy)]
enum Outcome {
    /// The place in the schema.
    Index(usize),
    /// The schema has no message of this name.
    Foreign,
    /// The schema's message of this name is another.
    Differs,
}

impl<S: LogSchema> Decoder<S> {
    /// A decoder that has compared nothing yet.
    pub fn new() -> Self {
        Decoder { checked: [None; 256], schema: PhantomData }
    }

    /// The message of a record; `None` when the schema has none of this name.
    ///
    /// # Errors
    ///
    /// When the log defines the message otherwise than the schema (the first difference is named), or when a column
    /// holds what is no value of its type.
    pub fn decode(&mut self, record: &Record<'_>) -> Result<Option<S>, DecodeError> {
        let definition = record.definition();
        let slot = &mut self.checked[usize::from(record.id())];
        let outcome = match slot {
            Some((checked, outcome)) if *checked == record.fingerprint => *outcome,
            _ => slot.insert((record.fingerprint, compare::<S>(&definition))).1,
        };
        match outcome {
            Outcome::Index(index) => S::decode(index, record.payload()).map(Some),
            Outcome::Foreign => Ok(None),
            // The difference is looked for again: kept, it would make the decoder several times as large.
            Outcome::Differs => Err(difference::<S>(&definition)),
        }
    }
}

impl<S> Clone for Decoder<S> {
    fn clone(&self) -> Self {
        Decoder { checked: self.checked, schema: PhantomData }
    }
}

impl<S: LogSchema> Default for Decoder<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> fmt::Debug for Decoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("compared", &self.checked.iter().flatten().count()).finish_non_exhaustive()
    }
}

fn compare<S: LogSchema>(definition: &LoggedDefinition<'_>) -> Outcome {
    match definition.place_in::<S>() {
        None => Outcome::Foreign,
        Some(index) if definition.check(S::MESSAGES[index].definition).is_ok() => Outcome::Index(index),
        Some(_) => Outcome::Differs,
    }
}

fn difference<S: LogSchema>(definition: &LoggedDefinition<'_>) -> DecodeError {
    let index = definition.place_in::<S>().unwrap_or(0);
    match S::MESSAGES.get(index).map(|message| definition.check(message.definition)) {
        Some(Err(mismatch)) => DecodeError::Definition(mismatch),
        _ => DecodeError::Index { index },
    }
}

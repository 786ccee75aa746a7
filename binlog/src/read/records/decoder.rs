//! Decodes records as the messages of a schema.

use super::Record;
use crate::format::{DecodeError, Definition, LogSchema};
use crate::read::LoggedDefinition;
use crate::read::catalogue::declaration::Change;
use crate::read::catalogue::definition::OwnDefinition;
use crate::read::framing::Step;
use crate::read::learner::Learner;
use core::fmt;
use core::marker::PhantomData;

/// Decodes the records of a log as the messages of a schema.
///
/// Messages are found by name, because ids differ between logs; one with an [alias](crate::Definition::aliases) is an
/// error, because its definition differs. The log's definition must equal that of the program;
/// [`Log::messages`](crate::Log::messages) also reads definitions that differ without loss. A decoder takes 6 KiB of
/// memory (3 KiB on targets with 32-bit pointers).
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
    /// By id: the result of the last comparison.
    known: [Option<Known>; 256],
    schema: PhantomData<fn() -> S>,
}

/// The result of comparing the definition of an id with the schema.
#[derive(Clone, Copy)]
enum Known {
    /// A message that the schema doesn't have; its name as FMT pads it.
    Foreign([u8; 4]),
    /// The message at this place of the schema.
    Message {
        index: u16,
        /// The definition in the schema's preamble. A byte-for-byte copy in the log needs no comparison.
        own: Option<OwnDefinition>,
    },
}

impl<S: LogSchema> Decoder<S> {
    /// Creates a decoder that has not compared any definition yet.
    pub fn new() -> Self {
        Decoder { known: [None; 256], schema: PhantomData }
    }

    /// Decodes a record; `None` if the schema has no message with its name.
    ///
    /// # Errors
    ///
    /// If the log defines the message differently from the schema (the error's source names the first difference), or
    /// if a column holds a value invalid for its type.
    pub fn decode(&mut self, record: &Record<'_>) -> Result<Option<S>, DecodeError> {
        let definition = record.definition();
        let slot = &mut self.known[usize::from(record.id())];
        let index = match slot {
            Some(Known::Message { index, own: Some(own) }) if definition.is_copy_of(own) => usize::from(*index),
            Some(Known::Foreign(name)) if *name == definition.padded_name() => return Ok(None),
            _ => match compare::<S>(&definition, slot)? {
                Some(index) => index,
                None => return Ok(None),
            },
        };
        S::decode(index, record.payload()).map(Some)
    }
}

impl<S> Clone for Decoder<S> {
    fn clone(&self) -> Self {
        Decoder { known: self.known, schema: PhantomData }
    }
}

impl<S: LogSchema> Default for Decoder<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> fmt::Debug for Decoder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("known", &self.known.iter().flatten().count()).finish_non_exhaustive()
    }
}

/// The place in the schema of the message that the log defines; `None` if the schema has no message with its name.
#[cold]
fn compare<S: LogSchema>(
    definition: &LoggedDefinition<'_>,
    slot: &mut Option<Known>,
) -> Result<Option<usize>, DecodeError> {
    let Some(index) = place_in::<S>(definition) else {
        *slot = Some(Known::Foreign(definition.padded_name()));
        return Ok(None);
    };
    definition.check(S::MESSAGES[index].definition).map_err(DecodeError::Definition)?;
    // An equal definition that isn't a copy is compared each time; the slot stays as it is.
    let is_known = matches!(slot, Some(Known::Message { index: known, .. }) if usize::from(*known) == index);
    if let (false, Ok(place)) = (is_known, u16::try_from(index)) {
        *slot = Some(Known::Message { index: place, own: own::<S>(index) });
    }
    Ok(Some(index))
}

/// The definition of a message in the schema's own preamble.
fn own<S: LogSchema>(index: usize) -> Option<OwnDefinition> {
    let message = &S::MESSAGES[index];
    let (mut learner, mut at, mut own) = (Learner::new(), 0, None::<LoggedDefinition<'static>>);
    while let Step::Record { id, end, .. } = learner.framing.step::<true>(S::PREAMBLE, at) {
        let payload = S::PREAMBLE.get(at + Definition::HEADER_LENGTH..end)?;
        if let Some(declaration) = learner.learn(id, payload)
            && declaration.id() == message.id
            && let Change::Amended(definition) | Change::Replaced(definition) = declaration.change(own)
        {
            own = Some(definition);
        }
        at = end;
    }
    own.filter(|own| own.check(message.definition).is_ok()).map(OwnDefinition::of)
}

/// The place in the schema of the message with the definition's name, or else with an alias of that name.
pub(crate) fn place_in<S: LogSchema>(definition: &LoggedDefinition<'_>) -> Option<usize> {
    let name = definition.name();
    let with_name = S::MESSAGES.iter().position(|message| message.definition.name == name);
    with_name.or_else(|| S::MESSAGES.iter().position(|message| message.definition.aliases.contains(&name)))
}

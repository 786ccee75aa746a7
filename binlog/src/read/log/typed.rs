//! Reads a log's records as the program's messages.

use super::index::RecordKind;
use super::offsets::InOrder;
use super::select::SelectError;
use super::wraps::WrapPlaces;
use crate::format::message::ReadInPlace;
use crate::format::{DecodeError, Definition, LogMessage, LogSchema};
use crate::format::{Mismatch, MismatchKind};
use crate::read::by_label::{Conversion, Payload};
use crate::read::catalogue::units::UnitsAt;
use crate::read::records::place_in;
use crate::read::{Log, LoggedDefinition, framing};
use crate::wording::debug_text::debug_is_text;
use std::fmt;
use std::marker::PhantomData;

/// Why a log's records can't be read as the program's messages.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypedError {
    /// The log doesn't define the message, or doesn't define any message; the source says what it has.
    Select(SelectError),
    /// The log defines messages differently from the program, and reading them would lose something.
    Differs(Vec<Mismatch>),
    /// The log defines the message differently from the program, so that its records can't be read in place;
    /// [`Log::typed`] reads them by value.
    NotInPlace(Vec<Mismatch>),
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypedError::Select(SelectError::NoType { name, .. }) => {
                write!(f, "the log doesn't define the program's message `{name}`")
            }
            TypedError::Select(_) => f.write_str("the log defines no messages"),
            TypedError::Differs(mismatches) | TypedError::NotInPlace(mismatches) => {
                for (i, mismatch) in mismatches.iter().enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{mismatch}")?;
                }
                match self {
                    TypedError::NotInPlace(_) => f.write_str("; `Log::typed` reads such records by value"),
                    _ => Ok(()),
                }
            }
        }
    }
}

debug_is_text!(TypedError);

impl std::error::Error for TypedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TypedError::Select(error) => Some(error),
            // There are several, so `Display` lists them.
            TypedError::Differs(_) | TypedError::NotInPlace(_) => None,
        }
    }
}

impl Log<'_> {
    /// The records of a message as references into the log, without a copy.
    ///
    /// The log must define the message as the program does: labels, formats, units and multipliers. The message must
    /// also derive zerocopy's `FromBytes`, `KnownLayout` and `Unaligned`, which a struct with a `bool` or an enum
    /// can't; [`typed`](Log::typed) needs no such derives.
    ///
    /// ```
    /// use binlog::{Log, LogMessage, LogSchema, LogWriter};
    /// use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};
    ///
    /// #[derive(LogMessage, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
    /// #[log(name = "RALT")]
    /// #[repr(C, packed)]
    /// struct RelativeAltitude {
    ///     time_us: u64,
    ///     #[log(unit = "m")]
    ///     alt: f32,
    /// }
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Ralt(RelativeAltitude) }
    /// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// # for time_us in 0..3 {
    /// #     writer.write(&RelativeAltitude { time_us, alt: time_us as f32 })?;
    /// # }
    /// # let bytes = writer.finish()?;
    ///
    /// let log = Log::from_bytes(bytes);
    /// let highest = log.typed_refs::<RelativeAltitude>()?.map(|record| record.alt).fold(0.0, f32::max);
    /// assert_eq!(highest, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the log doesn't define the message, or defines it differently: the first difference of each definition. The
    /// error says whether [`typed`](Log::typed) would read the records.
    pub fn typed_refs<T>(&self) -> Result<TypedRefs<'_, T>, TypedError>
    where
        T: LogMessage + ReadInPlace,
    {
        let kinds = self.kinds(&T::DEFINITION)?;
        let units = self.units();
        let (mut mismatches, mut reads_by_value) = (Vec::new(), true);
        for kind in &kinds {
            let logged = kind.definition(self.bytes());
            let conversion = Conversion::new(const { &T::DEFINITION }, &logged, units.at(kind.defined_at()));
            reads_by_value &= conversion.is_ok();
            match logged.check(const { &T::DEFINITION }) {
                Err(mismatch) => mismatches.push(mismatch),
                // Equal ids may mean other units in this log.
                Ok(()) => mismatches.extend(named(&T::DEFINITION, conversion.err().unwrap_or_default())),
            }
        }
        match (mismatches.is_empty(), reads_by_value) {
            (true, _) => {}
            (false, true) => return Err(TypedError::NotInPlace(mismatches)),
            (false, false) => return Err(TypedError::Differs(mismatches)),
        }
        let records = InOrder::new(kinds.into_iter().map(|kind| &*kind.offsets));
        Ok(TypedRefs { log: self.bytes(), records, message: PhantomData })
    }

    /// The records of a message by value, with columns matched by label.
    ///
    /// A column is found by its label, or else by an [alias](crate::FieldHistory::aliases); one that the log lacks has
    /// its [default](crate::FieldHistory::default). A message is found by its name and by its aliases. The log's
    /// columns may have another order, and there may be more of them than in the program. A format may differ if no
    /// value is lost:
    ///
    /// | the program's | the log's |
    /// | --- | --- |
    /// | `i16`, `i32`, `i64` | narrower integers, signed or not |
    /// | `u8`, `FlightMode`, `u16`, `u32`, `u64` | unsigned integers of the same or a smaller width |
    /// | `Centi` | narrower `Centi`; an unsigned one needs a wider signed one |
    /// | `f32` | `g`; integers of 8 and 16 bits; `c` and `C`, divided by 100 |
    /// | `f64` | `g`, `f`; integers of up to 32 bits; `c`, `C`, `e`, `E`, divided by 100; `L`, in degrees |
    /// | `Chars` | shorter text |
    /// | `time_us` | integers of any width and sign; 32 bits [continue](crate::Record::time_us) after a wrap |
    ///
    /// Units and multipliers must be equal if both sides have one; a log's own tables are taken into account. A number
    /// that the format has scaled has the multiplier 1. [`Decoder`](crate::Decoder) and
    /// [`Record::decode`](crate::Record::decode) require equal definitions instead.
    ///
    /// A record with a value invalid for its column's type yields an error; reading continues after it.
    ///
    /// # Errors
    ///
    /// If the log doesn't define the message, or if reading it would lose something. The error lists all differences.
    /// Definitions without records count only if the message has no records at all.
    pub fn typed<T: LogMessage>(&self) -> Result<Typed<'_, T>, TypedError> {
        let kinds = self.kinds(&T::DEFINITION)?;
        let units = self.units();
        let mut conversions = Vec::new();
        let mut mismatches = Vec::new();
        for kind in &kinds {
            let logged = kind.definition(self.bytes());
            match Conversion::new(const { &T::DEFINITION }, &logged, units.at(kind.defined_at())) {
                Ok(conversion) => conversions.push((conversion, usize::from(logged.length()))),
                Err(differences) => mismatches.extend(named(&T::DEFINITION, differences)),
            }
        }
        if !mismatches.is_empty() {
            return Err(TypedError::Differs(mismatches));
        }
        let records = InOrder::new(kinds.into_iter().map(|kind| &*kind.offsets));
        let wraps = self.wraps_for(conversions.iter().map(|(conversion, _)| conversion));
        Ok(Typed { log: self.bytes(), records, conversions, wraps, room: [0; 255], message: PhantomData })
    }

    /// The whole log in order as the messages of a schema, matched by label as in [`typed`](Log::typed). Records of
    /// other messages are left out. The log may lack messages of the schema.
    ///
    /// # Errors
    ///
    /// If the bytes don't define any message, so that they are not a log, or if reading a message would lose something.
    /// The error lists all differences of all messages. Definitions without records count only if the log has no record
    /// of any message of the schema; [`can_read`](crate::compatibility::can_read) compares the definitions of all of
    /// them.
    pub fn messages<S: LogSchema>(&self) -> Result<Messages<'_, S>, TypedError> {
        self.require_definitions().map_err(TypedError::Select)?;
        let units = self.units();
        let (mut kinds, mut places, mut mismatches) = (Vec::new(), Vec::new(), Vec::new());
        let of_schema = |kind: &'_ RecordKind| place_in::<S>(&kind.definition(self.bytes())).is_some();
        for kind in with_records(self.index().kinds.iter().filter(|kind| of_schema(kind)).collect()) {
            let logged = kind.definition(self.bytes());
            let Some(index) = place_in::<S>(&logged) else { continue };
            let program = S::MESSAGES[index].definition;
            match Conversion::new(program, &logged, units.at(kind.defined_at())) {
                Ok(conversion) => {
                    kinds.push(kind);
                    places.push((index, conversion, usize::from(logged.length())));
                }
                Err(differences) => mismatches.extend(named(program, differences)),
            }
        }
        if !mismatches.is_empty() {
            return Err(TypedError::Differs(mismatches));
        }
        let records = InOrder::new(kinds.into_iter().map(|kind| &*kind.offsets));
        let wraps = self.wraps_for(places.iter().map(|(_, conversion, _)| conversion));
        Ok(Messages { log: self.bytes(), records, places, wraps, room: [0; 255], schema: PhantomData })
    }

    /// Where times wrap, if a conversion needs it.
    fn wraps_for<'c>(&self, mut conversions: impl Iterator<Item = &'c Conversion>) -> &WrapPlaces {
        match conversions.any(Conversion::counts_wraps) {
            true => self.wraps(),
            false => WrapPlaces::NONE,
        }
    }

    /// The kinds of a message that have records; all of its kinds if none has.
    fn kinds(&self, program: &Definition) -> Result<Vec<&RecordKind>, TypedError> {
        let names = std::iter::once(&program.name).chain(program.aliases);
        let kinds: Vec<&RecordKind> = names.flat_map(|name| self.index().named(name)).collect();
        match kinds.is_empty() {
            true => Err(TypedError::Select(self.no_type(program.name))),
            false => Ok(with_records(kinds)),
        }
    }

    /// For each name, the definitions that decide whether its records can be read, the units that apply to them, and
    /// whether they have records.
    pub(crate) fn decisive_definitions(&self) -> impl Iterator<Item = (LoggedDefinition<'_>, UnitsAt<'_>, bool)> {
        let index = self.index();
        let mut kinds: Vec<&RecordKind> =
            index.all_names().flat_map(|name| with_records(index.named(name).collect())).collect();
        kinds.sort_by_key(|kind| kind.defined_at());
        kinds
            .into_iter()
            .map(|kind| (kind.definition(self.bytes()), index.units.at(kind.defined_at()), kind.offsets.len() > 0))
    }
}

/// Those that have records; all of them if none has.
fn with_records(kinds: Vec<&RecordKind>) -> Vec<&RecordKind> {
    let has_records = |kind: &&RecordKind| kind.offsets.len() > 0;
    match kinds.iter().any(has_records) {
        true => kinds.into_iter().filter(has_records).collect(),
        false => kinds,
    }
}

fn named(program: &Definition, differences: Vec<MismatchKind>) -> impl Iterator<Item = Mismatch> {
    let message = program.name;
    differences.into_iter().map(move |kind| Mismatch { message, kind })
}

/// The records of a message as references into the log: returned by [`Log::typed_refs`].
pub struct TypedRefs<'log, T> {
    log: &'log [u8],
    records: InOrder<'log>,
    message: PhantomData<fn() -> T>,
}

impl<'log, T: ReadInPlace + 'log> Iterator for TypedRefs<'log, T> {
    type Item = &'log T;

    #[inline]
    fn next(&mut self) -> Option<&'log T> {
        let (_, offset) = self.records.next()?;
        // An indexed record is inside the log and has the length of the message.
        let (message, _) = T::ref_from_prefix(self.log.get(offset + Definition::HEADER_LENGTH..)?).ok()?;
        Some(message)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl<T> Clone for TypedRefs<'_, T> {
    fn clone(&self) -> Self {
        TypedRefs { log: self.log, records: self.records.clone(), message: PhantomData }
    }
}

/// The records of a message by value: returned by [`Log::typed`].
pub struct Typed<'log, T> {
    log: &'log [u8],
    records: InOrder<'log>,
    /// For each of the log's definitions, the conversion and the length of its records.
    conversions: Vec<(Conversion, usize)>,
    wraps: &'log WrapPlaces,
    room: Payload,
    message: PhantomData<fn() -> T>,
}

impl<T: LogMessage> Iterator for Typed<'_, T> {
    type Item = Result<T, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (piece, offset) = self.records.next()?;
        let (conversion, length) = self.conversions.get(piece)?;
        let payload = framing::payload(self.log, offset, *length)?;
        let wraps = self.wraps.before(offset);
        Some(T::decode(conversion.convert(payload, wraps, &mut self.room)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

/// The messages of a schema in the order of the log: returned by [`Log::messages`].
pub struct Messages<'log, S> {
    log: &'log [u8],
    records: InOrder<'log>,
    /// For each of the log's definitions, the place in the schema, the conversion and the length of its records.
    places: Vec<(usize, Conversion, usize)>,
    wraps: &'log WrapPlaces,
    room: Payload,
    schema: PhantomData<fn() -> S>,
}

impl<S: LogSchema> Iterator for Messages<'_, S> {
    type Item = Result<S, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (piece, offset) = self.records.next()?;
        let (index, conversion, length) = self.places.get(piece)?;
        let payload = framing::payload(self.log, offset, *length)?;
        let wraps = self.wraps.before(offset);
        Some(S::decode(*index, conversion.convert(payload, wraps, &mut self.room)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl<T> fmt::Debug for TypedRefs<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedRefs").field("left", &self.records.size_hint().0).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Typed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").field("left", &self.records.size_hint().0).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for Messages<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("left", &self.records.size_hint().0).finish_non_exhaustive()
    }
}

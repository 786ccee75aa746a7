//! Values of a log's frames for the fields of a struct, matched by name or alias.

use super::error::{Beyond, TypedError};
use super::{Frame, Session, TypedFrame};
use crate::blackbox::decode::{NO_VALUES, Values};
use crate::blackbox::header::LoggedField;
use crate::blackbox::read::struct_of;
use crate::blackbox::{BlackboxFrame, FieldDefinition, FrameKind};

/// How the values of a log's frames become a struct.
pub(super) struct ByName {
    /// For each field of the struct, where its value is. Empty if the log's fields are those of the struct.
    sources: Vec<Source>,
    /// The values in the order of the struct; those that the log lacks are the defaults.
    values: Box<Values>,
}

/// Where the value of a field is.
#[derive(Clone, Copy)]
struct Source {
    /// The index of the log's field; `None` if the log lacks it.
    field: Option<usize>,
    /// Whether the log's numbers are signed and the struct's aren't, or the reverse: the top bit then means something
    /// else.
    differs_in_sign: bool,
}

impl ByName {
    pub(super) fn new(
        session: &Session<'_>,
        kind: FrameKind,
        fields: &'static [FieldDefinition],
    ) -> Result<Self, TypedError> {
        let letter = kind.letter().into();
        let header = session.header();
        let Some(frame) = header.frame(kind.letter()) else {
            return Err(TypedError::NoFrames { letter });
        };
        if let Some(reason) = frame.unusable() {
            return Err(TypedError::Unusable { letter, reason });
        }
        let logged = frame.fields();
        let (mut sources, mut missing, mut values) = (Vec::new(), Vec::new(), Box::new(NO_VALUES));
        for (field, value) in fields.iter().zip(values.iter_mut()) {
            let found = field.history.place_of(field.name, 0, logged.iter().map(LoggedField::name));
            match (found, field.default_value()) {
                (Some(index), _) => {
                    let differs_in_sign = !logged[index].may_be_read_as(field.signed);
                    sources.push(Source { field: found, differs_in_sign });
                }
                (None, Some(default)) => {
                    *value = default;
                    sources.push(Source { field: None, differs_in_sign: false });
                }
                (None, None) => missing.push(field.name),
            }
        }
        if !missing.is_empty() {
            return Err(TypedError::Missing { letter, fields: missing });
        }
        let are_in_place = sources.iter().enumerate().all(|(i, it)| it.field == Some(i) && !it.differs_in_sign);
        if are_in_place {
            sources.clear();
        }
        Ok(ByName { sources, values })
    }

    /// The struct of a frame.
    #[inline]
    pub(super) fn read<F: BlackboxFrame>(&mut self, frame: &Frame<'_>) -> Result<TypedFrame<F>, Beyond> {
        let values = match self.sources.is_empty() {
            true => Some(frame.all_values()),
            false => self.gather(frame),
        };
        match values.and_then(struct_of) {
            Some(value) => Ok(TypedFrame { offset: frame.offset(), time_us: frame.time_us(), frame: value }),
            None => Err(self.beyond(frame, F::FIELDS)),
        }
    }

    /// The values in the order of the struct; `None` if the sign of one means something else.
    fn gather(&mut self, frame: &Frame<'_>) -> Option<&Values> {
        let mut turned = 0;
        for (value, source) in self.values.iter_mut().zip(&self.sources) {
            let Some(field) = source.field else { continue };
            // A frame has all fields of its header.
            *value = frame.values().get(field).copied().unwrap_or(0);
            turned |= if source.differs_in_sign { *value } else { 0 };
        }
        (turned >> 31 == 0).then_some(&self.values)
    }

    /// The first value that is beyond the range of its type.
    #[cold]
    fn beyond(&self, frame: &Frame<'_>, fields: &'static [FieldDefinition]) -> Beyond {
        let beyond = fields.iter().enumerate().find_map(|(i, field)| {
            let index = self.sources.get(i).map_or(Some(i), |source| source.field)?;
            let value = frame.fields().get(index)?.value(*frame.values().get(index)?);
            (!range(field).contains(&value)).then_some((field, value))
        });
        let (field, value) = beyond.map_or(("", 0), |(field, value)| (field.name, value));
        Beyond { letter: frame.letter().into(), offset: frame.offset(), field, value }
    }
}

/// The values of a field's type.
fn range(field: &FieldDefinition) -> std::ops::RangeInclusive<i64> {
    let values = 1_i64 << field.bits;
    if field.signed { -values / 2..=values / 2 - 1 } else { 0..=values - 1 }
}

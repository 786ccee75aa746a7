//! The units and multipliers in an FMTU record, and its layout.

use super::definition::{FmtuContent, LoggedDefinition, up_to_nul};
use crate::format::Format;
use crate::value::Value;

/// The most ids of units, or of multipliers: one for each format character of FMT.
pub(super) const IDS: usize = 16;

/// The units and multipliers of a message: the payload of its FMTU, and where the ids are in it.
#[derive(Clone, Copy)]
pub(crate) struct Fmtu<'a> {
    payload: &'a [u8],
    columns: IdColumns,
}

/// The texts of an FMTU's payload with the ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IdColumns {
    units: Text,
    multipliers: Text,
}

/// A text in a payload; of length 0 if the payload has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Text {
    offset: u8,
    length: u8,
}

impl<'a> Fmtu<'a> {
    pub(crate) fn new(payload: &'a [u8], columns: IdColumns) -> Self {
        Fmtu { payload, columns }
    }

    pub(super) fn of_content(content: &'a FmtuContent) -> Self {
        let [units, multipliers] = [0, IDS as u8].map(|offset| Text { offset, length: IDS as u8 });
        Fmtu { payload: content, columns: IdColumns { units, multipliers } }
    }

    /// Where the payload has the ids.
    #[cfg(feature = "std")]
    pub(crate) fn columns(&self) -> IdColumns {
        self.columns
    }

    /// The ids of the units, one for each column of the message; fewer if the text is shorter.
    pub(super) fn units(&self) -> &'a [u8] {
        self.columns.units.of(self.payload)
    }

    /// The ids of the multipliers, as those of the units.
    pub(super) fn multipliers(&self) -> &'a [u8] {
        self.columns.multipliers.of(self.payload)
    }

    /// The texts, if one follows the other and both have the usual length, as in ArduPilot's layout.
    pub(super) fn content(&self) -> Option<&'a FmtuContent> {
        let IdColumns { units, multipliers } = self.columns;
        let is_usual = units.length == IDS as u8
            && multipliers == Text { offset: units.offset + units.length, length: units.length };
        self.payload.get(usize::from(units.offset)..).filter(|_| is_usual)?.first_chunk()
    }

    /// Whether the texts of another FMTU are the same: bytes after their NULs included, if they have the usual length.
    #[inline]
    pub(super) fn is_copy_of(&self, other: &Fmtu<'_>) -> bool {
        let is_copy = |ids: &[u8], other: &[u8]| match (ids.first_chunk::<IDS>(), other.first_chunk::<IDS>()) {
            (Some(ids), Some(other)) => ids == other,
            _ => up_to_nul(ids) == up_to_nul(other),
        };
        is_copy(self.units(), other.units()) && is_copy(self.multipliers(), other.multipliers())
    }
}

impl Text {
    const NONE: Text = Text { offset: 0, length: 0 };

    fn of(self, payload: &[u8]) -> &[u8] {
        let start = usize::from(self.offset);
        payload.get(start..start + usize::from(self.length)).unwrap_or_default()
    }
}

/// The layout of a log's FMTU records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FmtuLayout {
    /// The id of the message: its format and its offset.
    id: (Format, u8),
    ids: IdColumns,
}

/// The columns of FMTU: their labels, and their places where a log has other labels.
const COLUMNS: [(&str, usize); 3] = [("FmtType", 1), ("UnitIds", 2), ("MultIds", 3)];

impl FmtuLayout {
    /// The layout by FMTU's own definition: by its labels, as pymavlink finds the ids, or else by ArduPilot's order.
    /// `None` if it has no id of a message, or neither units nor multipliers.
    pub(super) fn of(definition: &LoggedDefinition<'_>) -> Option<Self> {
        let [id, units, multipliers] = COLUMNS.map(|(label, place)| {
            let in_place = || definition.columns().nth(place).filter(|column| !is_label(column.label));
            definition.column(label).or_else(in_place)
        });
        let text = |column: Option<super::definition::LoggedColumn<'_>>| {
            let column = column.filter(|column| column.format.is_text());
            // A record has at most 255 bytes.
            column.map_or(Text::NONE, |column| Text {
                offset: column.offset as u8,
                length: column.format.size().min(IDS) as u8,
            })
        };
        let id = id.filter(|id| id.format.is_integer())?;
        let ids = IdColumns { units: text(units), multipliers: text(multipliers) };
        let says_something = ids.units.length > 0 || ids.multipliers.length > 0;
        says_something.then_some(FmtuLayout { id: (id.format, id.offset as u8), ids })
    }

    /// The id of the message that an FMTU is about, and its units and multipliers.
    pub(super) fn read<'a>(&self, payload: &'a [u8]) -> Option<(u8, Fmtu<'a>)> {
        let (format, offset) = self.id;
        let id = Value::of(format, payload.get(usize::from(offset)..)?)?.to_integer()?;
        // Some firmware stores ids as signed.
        let id = if format == Format::I8 { id as u8 } else { u8::try_from(id).ok()? };
        Some((id, Fmtu::new(payload, self.ids)))
    }
}

fn is_label(label: &str) -> bool {
    COLUMNS.iter().any(|(known, _)| *known == label)
}

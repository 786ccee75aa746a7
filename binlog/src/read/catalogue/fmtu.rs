//! The ids of units and multipliers in an FMTU record.

use super::padded::{put_text, up_to_nul};

/// The most ids of units, or of multipliers: one for each format character of FMT.
pub(super) const IDS: usize = 16;

/// The contents of an FMTU: unit ids and multiplier ids, each padded with zeros.
pub(crate) type FmtuContent = [u8; 2 * IDS];

/// The contents with these ids; those beyond the first 16 are cut.
pub(super) fn fmtu_content(units: &[u8], multipliers: &[u8]) -> FmtuContent {
    let mut content = [0; 2 * IDS];
    put_text(&mut content[..IDS], units);
    put_text(&mut content[IDS..], multipliers);
    content
}

/// The units and multipliers of a message: the payload of its FMTU, and where the ids are in it.
#[derive(Clone, Copy)]
pub(crate) struct Fmtu<'a> {
    payload: &'a [u8],
    columns: IdColumns,
}

/// The texts of an FMTU's payload with the ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IdColumns {
    pub(super) units: IdText,
    pub(super) multipliers: IdText,
}

/// A text in a payload; of length 0 if the payload has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IdText {
    pub(super) offset: u8,
    pub(super) length: u8,
}

impl<'a> Fmtu<'a> {
    pub(crate) fn new(payload: &'a [u8], columns: IdColumns) -> Self {
        Fmtu { payload, columns }
    }

    pub(super) fn of_content(content: &'a FmtuContent) -> Self {
        let [units, multipliers] = [0, IDS as u8].map(|offset| IdText { offset, length: IDS as u8 });
        Fmtu { payload: content, columns: IdColumns { units, multipliers } }
    }

    /// Where the payload has the ids.
    #[cfg(feature = "read")]
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

    /// A copy of the texts up to their NULs.
    pub(super) fn to_content(self) -> FmtuContent {
        fmtu_content(self.units(), self.multipliers())
    }

    /// The texts, if one follows the other and both have the usual length, as in ArduPilot's layout.
    pub(super) fn content(&self) -> Option<&'a FmtuContent> {
        let IdColumns { units, multipliers } = self.columns;
        let is_usual = units.length == IDS as u8
            && multipliers == IdText { offset: units.offset + units.length, length: units.length };
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

impl IdText {
    pub(super) const NONE: IdText = IdText { offset: 0, length: 0 };

    fn of(self, payload: &[u8]) -> &[u8] {
        let start = usize::from(self.offset);
        payload.get(start..start + usize::from(self.length)).unwrap_or_default()
    }
}

//! How two definitions differ, and for which programs that matters.
//!
//! There are two policies. *Exact*: the layout and the ids of units and multipliers are those of the program, as views
//! and decoding require ([`LoggedDefinition::check`]). *Lossless*: columns are found by label, and each value of the
//! log is a value of the program with the same meaning ([`lossless`]).
//!
//! Lossless rests on a comparison of two columns, [`by_meaning`]. The changes from one format to another, in
//! [`compatibility`](crate::compatibility), rest on it, too.

#[cfg(feature = "read")]
pub(crate) mod by_meaning;
#[cfg(feature = "read")]
pub(crate) mod lossless;

use super::definition::LoggedDefinition;
use crate::format::Definition;
use crate::format::field::Chars;
use crate::format::mismatch::{Mismatch, MismatchKind};

impl LoggedDefinition<'_> {
    /// Checks that the log defines the message as the program does: name, columns and formats; units and multipliers,
    /// too, if the log has an FMTU. Ids are compared; the log's name for a custom id is not.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check(&self, definition: &Definition) -> Result<(), Mismatch> {
        let differs = |kind| Err(Mismatch { message: definition.name, kind });
        if self.name() != definition.name {
            return differs(MismatchKind::Name { found: Chars::cut(self.name()) });
        }
        let formats = self.format().as_bytes();
        let labels = Some(self.labels()).filter(|labels| !labels.is_empty());
        let mut labels = labels.into_iter().flat_map(|labels| labels.split(','));
        for (i, column) in definition.columns.iter().enumerate() {
            let Some(label) = labels.next() else {
                return differs(MismatchKind::Columns { expected: definition.columns.len(), found: i });
            };
            if label != column.label {
                return differs(MismatchKind::Label { expected: column.label, found: Chars::cut(label) });
            }
            let found = formats.get(i).copied().unwrap_or(0);
            if found != column.format.character() {
                return differs(MismatchKind::Format { label: column.label, expected: column.format, found });
            }
        }
        let more = labels.count().max(formats.len().saturating_sub(definition.columns.len()));
        if more > 0 {
            let expected = definition.columns.len();
            return differs(MismatchKind::Columns { expected, found: expected + more });
        }
        if usize::from(self.length()) != definition.length() {
            return differs(MismatchKind::Length { expected: definition.length(), found: self.length() });
        }
        let (Some(units), Some(multipliers)) = (self.unit_ids(), self.multiplier_ids()) else {
            return Ok(());
        };
        for (i, column) in definition.columns.iter().enumerate() {
            if let Some(&found) = units.as_bytes().get(i)
                && found != column.unit.id()
            {
                return differs(MismatchKind::Unit { label: column.label, expected: column.unit.id(), found });
            }
            if let Some(&found) = multipliers.as_bytes().get(i)
                && found != column.multiplier.id()
            {
                return differs(MismatchKind::Multiplier {
                    label: column.label,
                    expected: column.multiplier.id(),
                    found,
                });
            }
        }
        Ok(())
    }
}

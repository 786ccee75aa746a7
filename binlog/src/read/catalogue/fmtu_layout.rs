//! Where the FMTU records of a log have their ids.

use super::definition::{LoggedColumn, LoggedDefinition};
use super::fmtu::{Fmtu, IDS, IdColumns, IdText};
use crate::format::{Format, Value};

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
    pub(crate) fn of(definition: &LoggedDefinition<'_>) -> Option<Self> {
        let [id, units, multipliers] = COLUMNS.map(|(label, place)| {
            let in_place = || definition.columns().nth(place).filter(|column| !is_label(column.label));
            definition.column(label).or_else(in_place)
        });
        let text = |column: Option<LoggedColumn<'_>>| {
            let column = column.filter(|column| column.format.is_text());
            // A record has at most 255 bytes.
            column.map_or(IdText::NONE, |column| IdText {
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
    pub(crate) fn read<'a>(&self, payload: &'a [u8]) -> Option<(u8, Fmtu<'a>)> {
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

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::*;
    use crate::read::catalogue::definition::CopiedDefinition;

    /// The layout of FMTU with these columns.
    fn layout(format: &str, labels: &str) -> Option<FmtuLayout> {
        let sizes = format
            .bytes()
            .filter_map(crate::format::character::Format::from_character)
            .map(crate::format::character::Format::size);
        let length = (3 + sizes.sum::<usize>()).try_into().expect("a record that is short enough");
        FmtuLayout::of(&CopiedDefinition::new(9, length, "FMTU", format, labels, None).definition())
    }

    #[test]
    fn fmtu_has_its_columns_by_label_or_else_by_place() {
        let of = |format: &str, labels: &str, payload: &[&[u8]]| {
            let payload = payload.concat();
            let (id, fmtu) = layout(format, labels)?.read(&payload)?;
            let att = CopiedDefinition::new(1, 15, "ATT", "Qf", "TimeUS,Roll", None);
            let definition = LoggedDefinition::new(att.fmt(), Some(fmtu));
            Some((id, definition.unit_ids()?.to_owned(), definition.multiplier_ids()?.to_owned()))
        };
        let [units, multipliers] = [b"sd\0\0\0\0\0\0\0\0\0\0\0\0\0\0", b"F0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"];
        let expected = |id: u8| Some((id, "sd".to_owned(), "F0".to_owned()));
        let labels = "TimeUS,FmtType,UnitIds,MultIds";
        assert_eq!(of("IBNN", labels, &[&[0; 4], &[7], units, multipliers]), expected(7));
        assert_eq!(of("QINN", labels, &[&[0; 8], &[7, 0, 0, 0], units, multipliers]), expected(7));
        assert_eq!(of("IbNN", labels, &[&[0; 4], &[200], units, multipliers]), expected(200));
        assert_eq!(of("BNN", "FmtType,UnitIds,MultIds", &[&[7], units, multipliers]), expected(7));
        assert_eq!(of("NHN", "MultIds,FmtType,UnitIds", &[multipliers, &[7, 0], units]), expected(7));
        assert_eq!(of("Bnn", "FmtType,UnitIds,MultIds", &[&[7], b"sd\0\0", b"F0\0\0"]), expected(7));
        assert_eq!(of("BZZ", "FmtType,UnitIds,MultIds", &[&[7], units, &[0; 48], multipliers, &[0; 48]]), expected(7));
        assert_eq!(of("QBNN", "T,Type,Units,Mults", &[&[0; 8], &[7], units, multipliers]), expected(7));
        // Only one of the two columns has its usual label.
        let only = |id| Some((id, "sd".to_owned(), String::new()));
        assert_eq!(of("QBN", "TimeUS,FmtType,UnitIds", &[&[0; 8], &[7], units]), only(7));
        // The id isn't defined, or is larger than any id.
        assert_eq!(of("QNN", "TimeUS,UnitIds,MultIds", &[&[0; 8], units, multipliers]), None);
        assert_eq!(of("QHNN", labels, &[&[0; 8], &[0, 1], units, multipliers]), None);
    }
}

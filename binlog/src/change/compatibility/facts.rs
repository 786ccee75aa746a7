//! What is known of a message, whoever says it: a log, a program or a lock file.

use crate::format::{Definition, FieldHistory, Meanings, SchemaMessage};
use crate::read::LoggedDefinition;
use crate::read::catalogue::column::ResolvedColumn;
use crate::read::catalogue::units::UnitTables;
use crate::read::descriptions::DescribedColumn;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::panic::Location;

/// A message.
#[derive(Clone, Debug)]
pub(crate) struct MessageFacts<'a> {
    pub(crate) name: Cow<'a, str>,
    /// Names that older formats used; only a program knows them.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) id: Fact<u8>,
    /// Records a second, `None` for all; a log doesn't know it.
    pub(crate) rate: Option<Fact<Option<u32>>>,
    /// In the order of the record.
    pub(crate) columns: Vec<ColumnFacts<'a>>,
    /// The order of the columns; only its line in a lock file.
    pub(crate) order: Fact<()>,
    /// The bytes of the record after its columns.
    pub(crate) rest: usize,
    /// Format characters and labels that form no column.
    pub(crate) leftover: Option<String>,
    /// Whether a log has records of this definition; only a log knows that.
    pub(crate) has_records: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFacts<'a> {
    pub(crate) said: Fact<ResolvedColumn<'a>>,
    /// How many earlier columns have the same label.
    pub(crate) nth: usize,
    /// The names of its values or bits; `None` if they are unknown, as for a log that names none of them.
    pub(crate) meanings: Option<MeaningFacts<'a>>,
    /// Whether the type refuses some numbers; a log doesn't know it.
    pub(crate) is_closed: Option<bool>,
    /// What stands in for it in older formats; only a program knows that.
    pub(crate) history: FieldHistory,
    pub(crate) place: Option<&'static Location<'static>>,
    /// The field that is flattened into it.
    pub(crate) flattened_at: Option<&'static Location<'static>>,
}

/// The names of the values or of the bits of a column; no rows if they have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeaningFacts<'a> {
    pub(crate) are_bits: bool,
    /// Each value, or each bit's number, and its name.
    pub(crate) rows: Vec<Fact<(i128, &'a str)>>,
}

/// A fact, and its line in the lock file that it is from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact<T> {
    pub(crate) value: T,
    pub(crate) line: Option<usize>,
}

impl<T> From<T> for Fact<T> {
    fn from(value: T) -> Self {
        Fact { value, line: None }
    }
}

impl<'a> MessageFacts<'a> {
    /// What a log says of a message.
    pub(crate) fn of_log(definition: &LoggedDefinition<'a>, tables: impl UnitTables<'a>) -> Self {
        let mut columns: Vec<ColumnFacts<'a>> = Vec::new();
        let mut used = Definition::HEADER_LENGTH;
        for column in definition.columns() {
            let nth = columns.iter().filter(|other| other.label() == column.label).count();
            used += column.format.size();
            let said = ResolvedColumn::of_log(&column, tables).into();
            let (meanings, is_closed, history) = (None, None, FieldHistory::NONE);
            columns.push(ColumnFacts { said, nth, meanings, is_closed, history, place: None, flattened_at: None });
        }
        let formats: String = definition.format().chars().skip(columns.len()).collect();
        let labels: Vec<&str> = definition.labels().split(',').skip(columns.len()).collect();
        let labels = labels.join(",");
        let leftover = (!formats.is_empty() || !labels.is_empty())
            .then(|| format!("formats {formats:?}, labels {labels:?} that form no column"));
        MessageFacts {
            name: definition.shown_name().into(),
            aliases: &[],
            id: definition.id().into(),
            rate: None,
            columns,
            order: ().into(),
            rest: usize::from(definition.length()).saturating_sub(used),
            leftover,
            has_records: false,
        }
    }

    /// Whether it may be the same message with another name.
    pub(crate) fn has_layout_of(&self, other: &MessageFacts<'_>) -> bool {
        let layout = |message: &MessageFacts<'_>| -> Vec<_> {
            message.columns.iter().map(|column| (column.label().to_owned(), column.said.value.format)).collect()
        };
        self.id.value == other.id.value && layout(self) == layout(other)
    }
}

/// What a program says of its messages, in the order of its schema.
pub(crate) fn of_program(messages: &'static [SchemaMessage]) -> Vec<MessageFacts<'static>> {
    let message = |message: &SchemaMessage| {
        let rate = message.rate.map(|rate| (1e6 / f64::from(rate.period_us)).round() as u32);
        MessageFacts::of_program(message.definition, message.id, rate)
    };
    messages.iter().map(message).collect()
}

impl MessageFacts<'static> {
    /// What a program says of a message of its schema.
    fn of_program(definition: &'static Definition, id: u8, rate: Option<u32>) -> Self {
        let mut columns: Vec<ColumnFacts<'static>> = Vec::new();
        for column in definition.columns {
            columns.push(ColumnFacts {
                said: ResolvedColumn::of_program(column).into(),
                nth: columns.iter().filter(|other| other.label() == column.label).count(),
                meanings: Some(MeaningFacts::of_program(&column.meanings)),
                is_closed: Some(column.is_closed),
                history: column.history,
                place: column.place,
                flattened_at: column.flattened_at,
            });
        }
        MessageFacts {
            name: definition.name.into(),
            aliases: definition.aliases,
            id: id.into(),
            rate: Some(rate.into()),
            columns,
            order: ().into(),
            rest: 0,
            leftover: None,
            has_records: false,
        }
    }
}

impl ColumnFacts<'_> {
    pub(crate) fn label(&self) -> &str {
        self.said.value.label
    }

    /// The values that have names; none if the names are of bits.
    pub(crate) fn values(&self) -> impl Iterator<Item = i128> {
        let values = self.meanings.iter().filter(|meanings| !meanings.are_bits);
        values.flat_map(|meanings| meanings.rows.iter().map(|row| row.value.0))
    }

    /// The numbers that the type accepts, in order; `None` if it accepts all, or if that is unknown.
    ///
    /// Of a closed type nothing else is known, so one without values other than 0 and 1 counts as a `bool`.
    pub(crate) fn accepted(&self) -> Option<Vec<i128>> {
        if self.is_closed != Some(true) {
            return None;
        }
        let mut values: Vec<i128> = self.values().collect();
        if values.iter().all(|value| [0, 1].contains(value)) {
            values = vec![0, 1];
        }
        values.sort_unstable();
        Some(values)
    }

    /// Whether its numbers have the same meaning, including the ids.
    pub(crate) fn means_as(&self, other: &ColumnFacts<'_>) -> bool {
        let (own, other) = (&self.said.value, &other.said.value);
        own.format == other.format
            && (own.unit_id, own.unit) == (other.unit_id, other.unit)
            && (own.multiplier_id, own.multiplier) == (other.multiplier_id, other.multiplier)
    }
}

/// The columns of messages with their names: `ENG.State`, `ENG.State#2` for the second one with this label.
fn columns<'m, 'a>(messages: &'m [MessageFacts<'a>]) -> impl Iterator<Item = (String, &'m ColumnFacts<'a>)> {
    let name = |message: &MessageFacts<'_>, column: &ColumnFacts<'_>| {
        let nth = if column.nth > 0 { format!("#{}", column.nth + 1) } else { String::new() };
        format!("{}.{}{nth}", message.name, column.label())
    };
    messages.iter().flat_map(move |message| message.columns.iter().map(move |column| (name(message, column), column)))
}

/// The columns that both formats have, and whose values or bits only the first one names.
pub(crate) fn named_in_one(first: &[MessageFacts<'_>], second: &[MessageFacts<'_>]) -> Vec<String> {
    let unknown: HashSet<String> =
        columns(second).filter(|(_, column)| column.meanings.is_none()).map(|(name, _)| name).collect();
    let mut told = HashSet::new();
    let has_names = |column: &ColumnFacts<'_>| column.meanings.as_ref().is_some_and(|names| !names.rows.is_empty());
    let named = columns(first).filter(|(_, column)| has_names(column)).map(|(name, _)| name);
    named.filter(|name| unknown.contains(name) && told.insert(name.clone())).collect()
}

impl MeaningFacts<'static> {
    fn of_program(meanings: &Meanings) -> Self {
        let (are_bits, rows) = match meanings {
            Meanings::None => (false, &[][..]),
            Meanings::Values(rows) => (false, *rows),
            Meanings::Bits(rows) => (true, *rows),
        };
        MeaningFacts { are_bits, rows: rows.iter().map(|row| (row.value, row.name).into()).collect() }
    }
}

impl<'a> MeaningFacts<'a> {
    /// The values that may have a name.
    pub(crate) const VALUES: RangeInclusive<i128> = i64::MIN as i128..=u64::MAX as i128;
    /// The bits that may have a name.
    pub(crate) const BITS: RangeInclusive<i128> = 0..=63;

    /// What a log says of a column; `None` if it names no value and no bit. Of several names, the first counts.
    pub(crate) fn of_log(column: &'a DescribedColumn) -> Option<Self> {
        let are_bits = column.values.is_empty();
        let (named, range) = if are_bits { (&column.bits, Self::BITS) } else { (&column.values, Self::VALUES) };
        let mut seen = HashSet::new();
        let named = named.iter().filter(|named| range.contains(&named.value) && seen.insert(named.value));
        let rows: Vec<_> = named.map(|named| (named.value, named.name.as_str()).into()).collect();
        (!rows.is_empty()).then_some(MeaningFacts { are_bits, rows })
    }

    /// The name of a value or bit.
    pub(crate) fn name(&self, value: i128) -> Option<&'a str> {
        self.rows.iter().find(|row| row.value.0 == value).map(|row| row.value.1)
    }

    /// The first value or bit with this name.
    pub(crate) fn number(&self, name: &str) -> Option<i128> {
        self.rows.iter().find(|row| row.value.1 == name).map(|row| row.value.0)
    }
}

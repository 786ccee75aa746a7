//! What a table's columns are, without their values, and the columns of several logs together.

use super::kind::Kind;
use crate::wording::debug_text::debug_is_text;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// The columns of a table, without their values: returned by [`Rows::schema`](crate::log::Rows::schema).
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct TableSchema {
    /// The type's name: `ATT`.
    pub name: String,
    /// What the type is about; empty if the log doesn't say.
    pub description: String,
    /// The columns, in the order of the record. Their labels differ.
    pub columns: Vec<ColumnSchema>,
}

/// A column of a table, without its values.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ColumnSchema {
    /// The label: `Roll`.
    pub label: String,
    /// What the values are.
    pub kind: Kind,
    /// The unit of the values, multiplied by `scale`: `deg`, `µs`. Empty for no unit.
    pub unit: String,
    /// What the values are multiplied by to be in the unit: 0.01 for hundredths that are kept as stored, else 1.
    pub scale: f64,
    /// The log's multiplier; `None` if it has none.
    pub multiplier: Option<f64>,
    /// Whether the values were converted to the unit by more than what the format says: the log's multiplier, or a
    /// scale in the header of a Blackbox log.
    pub is_converted: bool,
    /// What the column is; empty if the log doesn't say.
    pub description: String,
    /// Whether it separates the instances of the type.
    pub is_instance: bool,
    /// What the log calls values of it.
    pub values: BTreeMap<i128, String>,
    /// What the log calls bits of it, 0 the lowest.
    pub bits: BTreeMap<i128, String>,
}

/// The name of the unit `?`. A multiplier may stand before it.
const UNKNOWN: &str = "UNKNOWN";

impl TableSchema {
    /// A table without columns.
    pub fn new(name: impl Into<String>) -> Self {
        TableSchema { name: name.into(), ..TableSchema::default() }
    }

    /// The column with this label.
    pub fn column(&self, label: &str) -> Option<&ColumnSchema> {
        self.columns.iter().find(|column| column.label == label)
    }

    /// Whether each column of the other is here, with its unit, its names and a kind that holds its values.
    pub fn holds(&self, other: &TableSchema) -> bool {
        other.columns.iter().all(|column| {
            self.column(&column.label).is_some_and(|here| {
                here.measures_the_same(column)
                    && (here.unit == column.unit || !column.says_unit())
                    && here.kind.holds(column.kind)
                    && here.named_with(column).is_some_and(|[values, bits]| values == here.values && bits == here.bits)
            })
        })
    }
}

impl ColumnSchema {
    /// A column without a unit.
    pub fn new(label: impl Into<String>, kind: Kind) -> Self {
        ColumnSchema {
            label: label.into(),
            kind,
            unit: String::new(),
            scale: 1.0,
            multiplier: None,
            is_converted: false,
            description: String::new(),
            is_instance: false,
            values: BTreeMap::new(),
            bits: BTreeMap::new(),
        }
    }

    /// Whether its log says a unit. ArduPilot's `UNKNOWN` isn't one: nobody has worked out what it is.
    fn says_unit(&self) -> bool {
        !self.unit.is_empty() && !self.unit.ends_with(UNKNOWN)
    }

    /// Whether the values are in the same unit, or could be because one of the logs doesn't say its unit.
    fn measures_the_same(&self, other: &ColumnSchema) -> bool {
        // Who doesn't say the unit doesn't convert to it, either.
        let is_unsaid = !self.says_unit() || !other.says_unit();
        let may_be_same = is_unsaid && self.is_converted == other.is_converted;
        (self.unit == other.unit || may_be_same) && self.scale == other.scale
    }

    fn scaled_unit(&self) -> String {
        if self.scale == 1.0 {
            self.unit.clone()
        } else {
            format!("{} {}", self.scale, self.unit).trim_end().to_owned()
        }
    }

    /// The names of values and bits of both; `None` if they call one differently, or if only one has names.
    fn named_with(&self, other: &ColumnSchema) -> Option<[BTreeMap<i128, String>; 2]> {
        let has_names = |column: &ColumnSchema| !column.values.is_empty() || !column.bits.is_empty();
        let joined = |own: &BTreeMap<i128, String>, other: &BTreeMap<i128, String>| {
            let mut joined = own.clone();
            let agree =
                other.iter().all(|(number, name)| joined.entry(*number).or_insert_with(|| name.clone()) == name);
            agree.then_some(joined)
        };
        let agree = has_names(self) == has_names(other);
        let [values, bits] = [joined(&self.values, &other.values)?, joined(&self.bits, &other.bits)?];
        agree.then_some([values, bits])
    }
}

/// The columns of one type in several logs: each column that any of them has, in a kind that holds the values of all.
///
/// The result doesn't depend on the order of the logs, except for that of the columns. A log that doesn't say the unit
/// of a column, as those of old firmware, has it in the unit of the other logs.
///
/// ```
/// use binlog::log::{ColumnSchema, Kind, SchemaUnion, TableSchema};
///
/// let table = |columns: &[(&str, Kind)]| {
///     let mut table = TableSchema::new("ATT");
///     table.columns = columns.iter().map(|(label, kind)| ColumnSchema::new(*label, *kind)).collect();
///     table
/// };
/// let mut union = SchemaUnion::new("2021.bin", table(&[("Roll", Kind::F64)]));
/// union.add("2025.bin", &table(&[("Roll", Kind::F32), ("Yaw", Kind::F32)]))?;
/// assert_eq!(union.schema(), &table(&[("Roll", Kind::F64), ("Yaw", Kind::F32)]));
///
/// let error = union.add("odd.bin", &table(&[("Yaw", Kind::Text)])).expect_err("not a number");
/// assert_eq!(error.to_string(), "ATT.Yaw has numbers in 2025.bin, and texts in odd.bin");
/// # Ok::<(), binlog::log::SchemaConflict>(())
/// ```
#[derive(Clone, Debug)]
pub struct SchemaUnion {
    schema: TableSchema,
    /// Of each column, where it comes from.
    origins: Vec<Origin>,
}

/// Which logs a column of a union comes from.
#[derive(Clone, Debug)]
struct Origin {
    /// The kinds that logs have, and the first log with each.
    kinds: Vec<(Kind, String)>,
    /// The first log that says the unit, or else the first log.
    unit: String,
}

impl Origin {
    fn new(log: &str, column: &ColumnSchema) -> Self {
        Origin { kinds: vec![(column.kind, log.to_owned())], unit: log.to_owned() }
    }
}

impl SchemaUnion {
    /// The columns of one log.
    pub fn new(log: impl Into<String>, schema: TableSchema) -> Self {
        let log = log.into();
        let origins = schema.columns.iter().map(|column| Origin::new(&log, column)).collect();
        SchemaUnion { schema, origins }
    }

    /// The columns of all logs so far.
    pub fn schema(&self) -> &TableSchema {
        &self.schema
    }

    /// Adds the columns of another log.
    ///
    /// # Errors
    ///
    /// If the log has a column in another unit or with other names, or with values that no kind holds beside those of
    /// the other logs. The union then stays as it was.
    pub fn add(&mut self, log: &str, other: &TableSchema) -> Result<(), SchemaConflict> {
        let mut union = self.clone();
        for column in &other.columns {
            let Some(place) = union.schema.columns.iter().position(|here| here.label == column.label) else {
                union.schema.columns.push(column.clone());
                union.origins.push(Origin::new(log, column));
                continue;
            };
            let (here, Origin { kinds, unit }) = (&mut union.schema.columns[place], &mut union.origins[place]);
            let conflict = |with: &str, cause| SchemaConflict {
                column: format!("{}.{}", self.schema.name, column.label),
                logs: [with.to_owned(), log.to_owned()],
                cause,
            };
            let first = kinds.first().map_or("", |(_, log)| log);
            if !here.measures_the_same(column) {
                return Err(conflict(unit, ConflictCause::Units([here.scaled_unit(), column.scaled_unit()])));
            }
            if !here.says_unit() && column.says_unit() {
                log.clone_into(unit);
                here.unit.clone_from(&column.unit);
                here.multiplier = column.multiplier;
            }
            let Some(names) = here.named_with(column) else { return Err(conflict(first, ConflictCause::Names)) };
            [here.values, here.bits] = names;
            if kinds.iter().all(|(kind, _)| *kind != column.kind) {
                if let Some((kind, with)) = kinds.iter().find(|(kind, _)| kind.widened(column.kind).is_none()) {
                    return Err(conflict(with, ConflictCause::Kinds([*kind, column.kind])));
                }
                kinds.push((column.kind, log.to_owned()));
                here.kind = Kind::holding(kinds.iter().map(|(kind, _)| *kind)).unwrap_or(here.kind);
            }
            if here.description.is_empty() {
                here.description.clone_from(&column.description);
            }
            here.is_instance |= column.is_instance;
        }
        *self = union;
        Ok(())
    }
}

/// Two logs have a column differently, so that it isn't one column of both.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaConflict {
    /// The column: `ATT.Roll`.
    pub column: String,
    /// The log that has it, and the one that has it differently.
    pub logs: [String; 2],
    /// What differs.
    pub cause: ConflictCause,
}

/// What differs in two logs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ConflictCause {
    /// The units, with what values are multiplied by to be in them: `deg`, `0.01 deg`. Empty for no unit.
    Units([String; 2]),
    /// No kind holds the values of both.
    Kinds([Kind; 2]),
    /// A value or a bit has two names, or only one of the logs has names.
    Names,
}

impl fmt::Display for SchemaConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SchemaConflict { column, logs: [one, other], cause } = self;
        let [here, there] = match cause {
            ConflictCause::Units(units) => units.each_ref().map(|unit| match unit.as_str() {
                "" => "no unit".to_owned(),
                unit => format!("the unit {unit}"),
            }),
            ConflictCause::Kinds(kinds) => match kinds.map(Kind::is_number) {
                [true, true] => kinds.map(|kind| format!("numbers of type {kind:?}")),
                _ => kinds.map(|kind| {
                    let what = match kind {
                        Kind::Text => "texts",
                        Kind::Bytes => "raw data",
                        Kind::Samples => "arrays",
                        _ => "numbers",
                    };
                    what.to_owned()
                }),
            },
            ConflictCause::Names => return write!(f, "{column} has other names of values in {one} than in {other}"),
        };
        write!(f, "{column} has {here} in {one}, and {there} in {other}")
    }
}

debug_is_text!(SchemaConflict);

impl std::error::Error for SchemaConflict {}

/// Labels made distinct, which are the names of columns: of labels that are the same, the first keeps it, and others
/// get `_2`, `_3` and so on, whichever no other column has. Labels are the same in a damaged definition only.
///
/// ```
/// use binlog::log::distinct_labels;
///
/// assert_eq!(distinct_labels(["A", "B", "A", "A_2"]), ["A", "B", "A_3", "A_2"]);
/// ```
pub fn distinct_labels<'l>(labels: impl IntoIterator<Item = &'l str> + Clone) -> Vec<String> {
    let mut seen = HashSet::new();
    if labels.clone().into_iter().all(|label| seen.insert(label)) {
        return labels.into_iter().map(str::to_owned).collect();
    }
    seen.clear();
    let mut taken: HashSet<String> = labels.clone().into_iter().map(str::to_owned).collect();
    let name = |label: &'l str| {
        if seen.insert(label) {
            return label.to_owned();
        }
        let mut numbered = (2..).map(|number: u32| format!("{label}_{number}"));
        numbered.find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    labels.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::*;

    fn table(columns: &[(&str, &str, Kind)]) -> TableSchema {
        let column = |(label, unit, kind): &(&str, &str, Kind)| {
            let mut column = ColumnSchema::new(*label, *kind);
            column.unit = (*unit).into();
            column
        };
        let mut table = TableSchema::new("ATT");
        table.columns = columns.iter().map(column).collect();
        table
    }

    fn union(one: &TableSchema, other: &TableSchema) -> Result<TableSchema, SchemaConflict> {
        let mut union = SchemaUnion::new("a.bin", one.clone());
        union.add("b.bin", other).map(|()| union.schema().clone())
    }

    #[test]
    fn a_union_has_the_columns_of_all_logs() {
        let (old, new) = (table(&[("Roll", "deg", I16)]), table(&[("Roll", "deg", F32), ("Yaw", "deg", I8)]));
        assert!(new.holds(&old) && !old.holds(&new));
        assert_eq!(union(&old, &new), Ok(new.clone()));
        assert_eq!(union(&new, &old), Ok(new));
    }

    #[test]
    fn a_conflict_names_both_logs() {
        let mut all = SchemaUnion::new("a.bin", table(&[("Roll", "deg", I64)]));
        all.add("b.bin", &table(&[("Roll", "deg", I8), ("Yaw", "", I8)])).expect("no conflict");
        for (other, text) in [
            (("Roll", "rad", I64), "ATT.Roll has the unit deg in a.bin, and the unit rad in c.bin"),
            (("Roll", "deg", F32), "ATT.Roll has numbers of type I64 in a.bin, and numbers of type F32 in c.bin"),
            (("Yaw", "", Text), "ATT.Yaw has numbers in b.bin, and texts in c.bin"),
            (("Yaw", "", Samples), "ATT.Yaw has numbers in b.bin, and arrays in c.bin"),
        ] {
            let before = all.schema().clone();
            let error = all.add("c.bin", &table(&[("New", "", I8), other])).expect_err("a conflict");
            assert_eq!(error.to_string(), text);
            assert_eq!(all.schema(), &before, "what stood before the conflict isn't added");
        }
    }

    #[test]
    fn the_order_of_the_logs_decides_nothing() {
        let logs = [I32, U32, F32].map(|kind| table(&[("Roll", "deg", kind)]));
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut union = SchemaUnion::new("first", logs[order[0]].clone());
            order[1..].iter().for_each(|&i| union.add("other", &logs[i]).expect("no conflict"));
            assert_eq!(union.schema().columns[0].kind, F64);
        }
    }

    #[test]
    fn hundredths_are_not_joined_with_whole_numbers() {
        let mut hundredths = table(&[("Roll", "deg", I16)]);
        hundredths.columns[0].scale = 0.01;
        let error = union(&hundredths, &table(&[("Roll", "deg", F32)])).expect_err("another scale");
        assert_eq!(error.to_string(), "ATT.Roll has the unit 0.01 deg in a.bin, and the unit deg in b.bin");
    }

    #[test]
    fn a_unit_that_a_log_does_not_say_is_that_of_the_others() {
        let said = table(&[("Roll", "deg", I16)]);
        for unit in ["", "UNKNOWN", "cUNKNOWN"] {
            let unsaid = table(&[("Roll", unit, I16)]);
            assert!(said.holds(&unsaid) && !unsaid.holds(&said), "the unit isn't lost");
            assert_eq!(union(&unsaid, &said), Ok(said.clone()));
            assert_eq!(union(&said, &unsaid), Ok(said.clone()));
        }
        // The error names the logs that say different units.
        let mut all = SchemaUnion::new("a.bin", table(&[("Roll", "", I16)]));
        all.add("b.bin", &said).expect("no conflict");
        let error = all.add("c.bin", &table(&[("Roll", "rad", I16)])).expect_err("another unit");
        assert_eq!(error.to_string(), "ATT.Roll has the unit deg in b.bin, and the unit rad in c.bin");
    }

    #[test]
    fn numbers_in_a_unit_are_not_joined_with_stored_ones() {
        let mut meters = table(&[("Alt", "m", F64)]);
        meters.columns[0].is_converted = true;
        let stored = table(&[("Alt", "", I32)]);
        assert!(!meters.holds(&stored));
        let error = union(&meters, &stored).expect_err("maybe centimeters");
        assert_eq!(error.to_string(), "ATT.Alt has the unit m in a.bin, and no unit in b.bin");
    }

    #[test]
    fn names_of_values_are_joined_if_they_agree() {
        let with = |names: &[(i128, &str)]| {
            let mut table = table(&[("Phase", "", U8)]);
            table.columns[0].values = names.iter().map(|(value, name)| (*value, (*name).to_owned())).collect();
            table
        };
        let (old, new) = (with(&[(1, "Boost"), (2, "Coast")]), with(&[(1, "Boost"), (3, "Landed")]));
        assert!(!old.holds(&new) && old.holds(&with(&[(2, "Coast")])));
        assert_eq!(union(&old, &new), Ok(with(&[(1, "Boost"), (2, "Coast"), (3, "Landed")])));
        for other in [with(&[(1, "Coast")]), with(&[])] {
            assert!(!old.holds(&other));
            let error = union(&old, &other).expect_err("other names");
            assert_eq!(error.to_string(), "ATT.Phase has other names of values in a.bin than in b.bin");
        }
        let error = union(&with(&[]), &old).expect_err("names in one only");
        assert_eq!(error.cause, ConflictCause::Names);
    }

    #[test]
    fn labels_that_are_the_same_get_numbers_that_no_other_has() {
        assert_eq!(distinct_labels(["A", "B", "A", "A_2", "A", ""]), ["A", "B", "A_3", "A_2", "A_4", ""]);
    }
}

//! Converts a schema to and from JSON, with one row on each line, so that each change is one line in a diff.

use super::{LoggedMultiplier, LoggedSchema, LoggedUnit, UNIT_NAME, fits, refuse_nul};
use crate::format::{Definition, multiplier};
use crate::read::LoggedDefinition;
use crate::read::catalogue::definition::CopiedDefinition;
use crate::read::descriptions::{Described, DescribedColumn, DescribedMessage};
use crate::wording::debug_text::debug_is_text;
use serde::{Deserialize, Deserializer, Serialize, de};
use std::borrow::Cow;
use std::fmt;

/// The version of the layout that is written. No other version is read.
const VERSION: u32 = 1;

/// The text isn't the JSON of a schema. Its [`source`](std::error::Error::source) says what is wrong, in which message
/// and in which line.
pub struct JsonError(serde_json::Error);

impl JsonError {
    /// The line, from 1, where reading stopped. It may be the line after the invalid row.
    pub fn line(&self) -> usize {
        self.0.line()
    }

    /// The column in that line, from 1.
    pub fn column(&self) -> usize {
        self.0.column()
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the JSON of a log's schema")
    }
}

debug_is_text!(JsonError);

impl std::error::Error for JsonError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl LoggedSchema {
    /// Converts the schema to JSON, to be kept beside the code. [`from_json`](Self::from_json) returns an equal schema.
    ///
    /// ```json
    /// {
    /// "version":1,
    /// "messages":[
    ///   {"id":100,"name":"ATT","length":13,"columns":[
    ///     {"label":"TimeUS","format":"Q","unit":"s","multiplier":"F"},
    ///     {"label":"Roll","format":"c","unit":"d","multiplier":"B"}
    ///   ]}
    /// ],
    /// "units":[
    ///   {"id":"d","name":"deg"},
    ///   {"id":"s","name":"s"}
    /// ],
    /// "multipliers":[
    ///   {"id":"B","value":0.01},
    ///   {"id":"F","value":1e-6}
    /// ]
    /// }
    /// ```
    ///
    /// Messages, units and multipliers are in the order of the log. Formats, units and multipliers of columns are their
    /// characters. The columns of a message without FMTU have no `unit` and `multiplier`. If a definition contradicts
    /// itself, its last columns lack the `label` or the `format`. If the log describes a message, it has a
    /// `description` after its length; a described column has `description`, `values` and `bits` after its multiplier:
    /// `"values":[{"value":3,"name":"Boost","description":"The motor burns."}]`.
    pub fn to_json(&self) -> String {
        let message = |message: LoggedDefinition<'_>| message_json(&message, self.described(message.name()));
        let messages: Vec<String> = self.messages().map(message).collect();
        let units: Vec<String> = self.units().iter().map(|unit| json(&UnitRow::of(unit))).collect();
        let multipliers: Vec<String> = self.multipliers().iter().map(|row| json(&MultiplierRow::of(row))).collect();
        let lists = [("messages", messages), ("units", units), ("multipliers", multipliers)];
        let lists = lists.map(|(key, rows)| format!(",\n\"{key}\":[{}]", lines(&rows, "")));
        format!("{{\n\"version\":{VERSION}{}\n}}\n", lists.concat())
    }

    /// Reads a schema from JSON, written by [`to_json`](Self::to_json) or by hand. Keys may be in any order, and lines
    /// may be broken anywhere.
    ///
    /// # Errors
    ///
    /// If the text isn't JSON, if a key is missing or unknown, or if a row doesn't fit into FMT, FMTU, UNIT or MULT. A
    /// definition that only contradicts itself is accepted, because real logs contain such definitions.
    pub fn from_json(json: &str) -> Result<Self, JsonError> {
        let schema: SchemaRow = serde_json::from_str(json).map_err(JsonError)?;
        let (definitions, descriptions): (_, Vec<_>) =
            schema.messages.into_iter().map(|DefinitionRow(definition, described)| (definition, described)).unzip();
        let units = schema.units.into_iter().map(|unit| LoggedUnit { id: unit.id, name: unit.name.into() }).collect();
        let multipliers = (schema.multipliers.into_iter())
            .map(|row| LoggedMultiplier { id: row.id, value: multiplier::as_meant(row.value).unwrap_or(row.value) })
            .collect();
        Ok(LoggedSchema::of_parts(definitions, units, multipliers, &joined(descriptions)))
    }
}

/// The descriptions of each message once: those of a message that is defined several times have the columns of all.
fn joined(descriptions: Vec<DescribedMessage>) -> Vec<DescribedMessage> {
    let mut joined: Vec<DescribedMessage> = Vec::new();
    for described in descriptions {
        match joined.iter_mut().find(|known| known.name == described.name) {
            Some(known) => known.columns.extend(described.columns),
            None => joined.push(described),
        }
    }
    joined
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with version, messages, units and multipliers")]
struct SchemaRow {
    #[serde(rename = "version", deserialize_with = "version")]
    _version: (),
    messages: Vec<DefinitionRow>,
    units: Vec<UnitRow<'static>>,
    multipliers: Vec<MultiplierRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a unit: an object with id and name")]
struct UnitRow<'a> {
    #[serde(serialize_with = "write_id", deserialize_with = "read_id")]
    id: u8,
    #[serde(deserialize_with = "unit_name")]
    name: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a multiplier: an object with id and value")]
struct MultiplierRow {
    #[serde(serialize_with = "write_id", deserialize_with = "read_id")]
    id: u8,
    value: f64,
}

/// A message. It is converted while it is read, so that an error has the line of the message.
#[derive(Deserialize)]
#[serde(try_from = "MessageRow")]
struct DefinitionRow(CopiedDefinition, DescribedMessage);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a message: an object with id, name, length and columns")]
struct MessageRow {
    id: u8,
    name: String,
    length: u8,
    #[serde(default)]
    description: String,
    columns: Vec<ColumnRow<'static>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a column: an object with label, format, unit and multiplier")]
struct ColumnRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier: Option<char>,
    #[serde(skip_serializing_if = "str::is_empty", default)]
    description: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    values: Vec<NamedRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    bits: Vec<NamedRow<'a>>,
}

/// The name of a value or a bit.
#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields, expecting = "a value or a bit: an object with value and name")]
struct NamedRow<'a> {
    value: i128,
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty", default)]
    description: Cow<'a, str>,
}

impl<'a> NamedRow<'a> {
    fn all(described: &'a [Described]) -> Vec<Self> {
        let row = |Described { value, name, description }: &'a Described| NamedRow {
            value: *value,
            name: name.into(),
            description: description.into(),
        };
        described.iter().map(row).collect()
    }
}

impl From<NamedRow<'_>> for Described {
    fn from(NamedRow { value, name, description }: NamedRow<'_>) -> Self {
        Described { value, name: name.into_owned(), description: description.into_owned() }
    }
}

impl<'a> UnitRow<'a> {
    fn of(unit: &'a LoggedUnit) -> Self {
        UnitRow { id: unit.id, name: unit.name.as_str().into() }
    }
}

impl MultiplierRow {
    fn of(multiplier: &LoggedMultiplier) -> Self {
        MultiplierRow { id: multiplier.id, value: multiplier.value }
    }
}

fn message_json(message: &LoggedDefinition<'_>, described: Option<&DescribedMessage>) -> String {
    let none = DescribedColumn::default();
    let mut labels = message.labels().split(',').take(message.label_count());
    let mut formats = message.format().chars();
    let mut units = message.unit_ids().unwrap_or_default().chars();
    let mut multipliers = message.multiplier_ids().unwrap_or_default().chars();
    let columns = std::iter::from_fn(|| {
        let label = labels.next();
        let of_column = label.and_then(|label| described?.column(label)).unwrap_or(&none);
        let column = ColumnRow {
            label: label.map(Cow::from),
            format: formats.next(),
            unit: units.next(),
            multiplier: multipliers.next(),
            description: of_column.description.as_str().into(),
            values: NamedRow::all(&of_column.values),
            bits: NamedRow::all(&of_column.bits),
        };
        let is_one = column.label.is_some() || column.format.or(column.unit).or(column.multiplier).is_some();
        is_one.then(|| json(&column))
    });
    let columns = lines(&columns.collect::<Vec<_>>(), "  ");
    let (id, name, length) = (message.id(), json(message.name()), message.length());
    let description = described.map(|described| described.description.as_str()).filter(|text| !text.is_empty());
    let description = description.map_or_else(String::new, |text| format!(",\"description\":{}", json(text)));
    format!("{{\"id\":{id},\"name\":{name},\"length\":{length}{description},\"columns\":[{columns}]}}")
}

/// One line for each row, in a list with this indentation.
fn lines(rows: &[String], indent: &str) -> String {
    if rows.is_empty() {
        String::new()
    } else {
        format!("\n{indent}  {}\n{indent}", rows.join(&format!(",\n{indent}  ")))
    }
}

/// A row on one line.
fn json(row: &(impl Serialize + ?Sized)) -> String {
    // Texts, characters and finite numbers can't fail.
    serde_json::to_string(row).unwrap_or_default()
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    match u32::deserialize(deserializer)? {
        VERSION => Ok(()),
        other => Err(de::Error::custom(format!("version {other} of the layout; this program reads version {VERSION}"))),
    }
}

/// Ids are bytes; in JSON, the characters with the same number.
fn write_id<S: serde::Serializer>(id: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_char(char::from(*id))
}

fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let id = char::deserialize(deserializer)?;
    id.try_into().map_err(|_| de::Error::custom(format!("{id:?} is not an id; an id is one byte")))
}

fn unit_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'static, str>, D::Error> {
    let name = String::deserialize(deserializer)?;
    if name.len() > UNIT_NAME {
        let text = format!("the name of a unit has at most {UNIT_NAME} bytes; {name:?} has {}", name.len());
        return Err(de::Error::custom(text));
    }
    refuse_nul("the name of a unit", &name).map_err(de::Error::custom)?;
    Ok(name.into())
}

impl TryFrom<MessageRow> for DefinitionRow {
    type Error = String;

    fn try_from(message: MessageRow) -> Result<Self, String> {
        let MessageRow { id, name, length, description, columns } = message;
        let of =
            |text: String| if name.is_empty() { format!("message {id}: {text}") } else { format!("{name}: {text}") };
        fits("name", &name, 4).map_err(of)?;
        if usize::from(length) < Definition::HEADER_LENGTH {
            return Err(of(format!("a record has at least 3 bytes, not {length}")));
        }
        for (i, column) in columns.iter().enumerate() {
            let label = column.label.as_deref().unwrap_or_default();
            if label.contains(',') {
                return Err(of(format!("a comma would end the label {label:?}")));
            }
            // The texts of FMT have no gaps.
            let gap = |key: &str, here: bool, before: bool| match here && !before {
                true => Err(of(format!("column {} has a {key}, but column {i} before it has none", i + 1))),
                false => Ok(()),
            };
            if let Some(before) = i.checked_sub(1).map(|before| &columns[before]) {
                gap("label", column.label.is_some(), before.label.is_some())?;
                gap("format", column.format.is_some(), before.format.is_some())?;
                gap("unit", column.unit.is_some(), before.unit.is_some())?;
                gap("multiplier", column.multiplier.is_some(), before.multiplier.is_some())?;
            }
        }
        let labels: Vec<&str> = columns.iter().filter_map(|column| column.label.as_deref()).collect();
        let labels = labels.join(",");
        let format: String = columns.iter().filter_map(|column| column.format).collect();
        let units: String = columns.iter().filter_map(|column| column.unit).collect();
        let multipliers: String = columns.iter().filter_map(|column| column.multiplier).collect();
        fits("labels and commas", &labels, 64).map_err(of)?;
        fits("formats", &format, 16).map_err(of)?;
        fits("units", &units, 16).map_err(of)?;
        fits("multipliers", &multipliers, 16).map_err(of)?;
        let definition = CopiedDefinition::new(id, length, &name, &format, &labels, Some((&units, &multipliers)));
        let described = columns.into_iter().filter_map(|row| {
            Some(DescribedColumn {
                label: row.label?.into_owned(),
                description: row.description.into_owned(),
                values: row.values.into_iter().map(Described::from).collect(),
                bits: row.bits.into_iter().map(Described::from).collect(),
            })
        });
        let columns = described.collect();
        Ok(DefinitionRow(definition, DescribedMessage { name, description, columns }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::schema;
    use super::*;
    use std::error::Error;

    /// The schema in the example of `to_json`.
    const EXAMPLE: &str = r#"{
"version":1,
"messages":[
  {"id":100,"name":"ATT","length":13,"columns":[
    {"label":"TimeUS","format":"Q","unit":"s","multiplier":"F"},
    {"label":"Roll","format":"c","unit":"d","multiplier":"B"}
  ]}
],
"units":[
  {"id":"d","name":"deg"},
  {"id":"s","name":"s"}
],
"multipliers":[
  {"id":"B","value":0.01},
  {"id":"F","value":1e-6}
]
}
"#;

    fn example() -> LoggedSchema {
        let mut schema = schema(&[(100, "ATT", "Qc", "TimeUS,Roll", "sd", "FB")]);
        let unit = |id, name: &str| LoggedUnit { id, name: name.into() };
        schema.units = vec![unit(b'd', "deg"), unit(b's', "s")];
        schema.multipliers =
            vec![LoggedMultiplier { id: b'B', value: 0.01 }, LoggedMultiplier { id: b'F', value: 1e-6 }];
        schema
    }

    #[test]
    fn a_row_is_a_line() {
        assert_eq!(example().to_json(), EXAMPLE);
        assert_eq!(LoggedSchema::from_json(EXAMPLE).expect("what was written"), example());
        let empty = "{\n\"version\":1,\n\"messages\":[],\n\"units\":[],\n\"multipliers\":[]\n}\n";
        assert_eq!(LoggedSchema::default().to_json(), empty);
    }

    #[test]
    fn a_definition_that_contradicts_itself_is_read_back() {
        let definitions = [
            CopiedDefinition::new(1, 12, "EFI", "QBBBB", "TimeUS,X", Some(("s", ""))),
            CopiedDefinition::new(1, 3, "", "", "TimeUS,X,", None),
            CopiedDefinition::new(255, 255, "Ñ\"", "x", "", Some(("", "µ0"))),
        ];
        let schema = LoggedSchema { definitions: definitions.to_vec(), ..Default::default() };
        assert_eq!(LoggedSchema::from_json(&schema.to_json()).expect("what was written"), schema);
    }

    fn what_is_wrong(error: &JsonError) -> String {
        assert_eq!(error.to_string(), "not the JSON of a log's schema");
        error.source().expect("what is wrong").to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let errors = [
            (r#""version":1"#, r#""version":2"#, "version 2 of the layout; this program reads version 1 at line 2"),
            (r#""id":100"#, r#""id":300"#, "invalid value: integer `300`, expected u8 at line 4"),
            (r#","length":13"#, "", "missing field `length` at line 7"),
            (r#""length":13"#, r#""length":2"#, "ATT: a record has at least 3 bytes, not 2 at line 8"),
            ("\"ATT\"", "\"ATTI2\"", "ATTI2: 5 bytes of name, but only 4 fit: \"ATTI2\" at line 8"),
            ("\"Roll\"", "\"Ro,ll\"", "ATT: a comma would end the label \"Ro,ll\" at line 8"),
            ("\"Roll\"", "\"Ro\\u0000\"", "ATT: a NUL in labels and commas would end the text"),
            (r#""format":"c""#, r#""format":"cc""#, "invalid value: string \"cc\", expected a character at line 6"),
            (r#""label":"TimeUS","#, "", "ATT: column 2 has a label, but column 1 before it has none at line 8"),
            (r#""unit":"d""#, r#""units":"d""#, "unknown field `units`, expected one of `label`, `format`, `unit`"),
            (r#"{"id":"d""#, r#"{"id":"€""#, "'€' is not an id; an id is one byte at line 10"),
            ("0.01", "\"0.01\"", "invalid type: string \"0.01\", expected f64 at line 14"),
            ("\"multipliers\":[", "[", "at line 13"),
        ];
        for (from, to, expected) in errors {
            assert!(EXAMPLE.contains(from), "{from}");
            let error = what_is_wrong(&LoggedSchema::from_json(&EXAMPLE.replacen(from, to, 1)).expect_err(to));
            assert!(error.contains(expected), "{error}");
        }
        let long = EXAMPLE.replacen("Roll", &"x".repeat(58), 1);
        let error = LoggedSchema::from_json(&long).expect_err("65 bytes");
        let said = what_is_wrong(&error);
        assert!(said.contains("ATT: 65 bytes of labels and commas, but only 64 fit"), "{said}");
        assert_eq!((error.line(), error.column() > 0), (8, true));
        let long = EXAMPLE.replacen("deg", &"x".repeat(65), 1);
        let error = what_is_wrong(&LoggedSchema::from_json(&long).expect_err("65 bytes"));
        assert!(error.contains("the name of a unit has at most 64 bytes"), "{error}");
    }
}

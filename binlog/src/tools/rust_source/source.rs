//! Writes the source of messages. Which messages can be written is already decided.

use super::{LeftOut, Written, names};
use crate::change::LoggedSchema;
use crate::format::{Format, Multiplier, Unit};
use crate::read::LoggedColumn;
use crate::read::catalogue::units::UnitTables;
use crate::read::descriptions::{Described, DescribedColumn};
use crate::tools::check::{Rule, definition};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

/// The line width in rustfmt's default style.
const MAX_WIDTH: usize = 100;
/// The width at which rustfmt breaks the arguments of an attribute, if there are several.
const ATTRIBUTE_WIDTH: usize = 70;
/// The width at which rustfmt breaks the arguments of a call.
const CALL_WIDTH: usize = 60;

pub(super) fn source(schema: &LoggedSchema, written: &[Written<'_>], left_out: &[LeftOut]) -> String {
    let mut constants = Constants::default();
    let structs: Vec<String> = (written.iter())
        .filter(|message| message.own.is_none())
        .map(|message| message_struct(schema, message, &mut constants))
        .collect();
    let mut source = String::new();
    head(&mut source, schema, written, left_out);
    imports(&mut source, written);
    constants.declare(&mut source);
    schema_enum(&mut source, written);
    for each in structs {
        source += "\n";
        source += &each;
    }
    source
}

/// Writing to a `String` never fails.
macro_rules! line {
    ($source:expr, $($text:tt)*) => {{
        let _ = writeln!($source, $($text)*);
    }};
}

/// The comment at the top.
fn head(source: &mut String, schema: &LoggedSchema, written: &[Written<'_>], left_out: &[LeftOut]) {
    line!(source, "// The messages of a log as it defines them, written by `binlog::LoggedSchema::to_rust`.");
    let columns = || written.iter().flat_map(|message| message.definition.columns());
    if columns().any(|column| column.format == Format::F16) {
        line!(source, "//");
        line!(source, "// Half-precision floats need the feature `half` of binlog, and the crate `half`.");
    }
    if !left_out.is_empty() {
        line!(source, "//");
        line!(source, "// Left out:");
        left_out.iter().for_each(|message| line!(source, "// - {message}"));
    }

    let units: BTreeSet<u8> = columns().filter_map(|column| column.unit_id).collect();
    let multipliers: BTreeSet<u8> = columns().filter_map(|column| column.multiplier_id).collect();
    let mut otherwise = Vec::new();
    for id in units {
        let shown = char::from(id);
        match (Unit::from_id(id), schema.logged_unit(id)) {
            (Some(ours), Some(name)) if ours.name() != name => {
                otherwise.push(format!("the log's unit {shown:?} is {name:?}, here it is {:?}", ours.name()));
            }
            (None, None | Some("")) => {
                otherwise.push(format!("the log has no name for its unit {shown:?}, here it is {UNNAMED:?}"));
            }
            _ => {}
        }
    }
    for id in multipliers {
        let Some((ours, value)) = Multiplier::from_id(id).zip(schema.logged_multiplier(id)) else { continue };
        if ours.value() != value {
            let (shown, ours) = (char::from(id), number(ours.value()));
            otherwise.push(format!("the log's multiplier {shown:?} is {}, here it is {ours}", number(value)));
        }
    }
    if !otherwise.is_empty() {
        line!(source, "//");
        line!(source, "// Different from the log:");
        otherwise.iter().for_each(|text| line!(source, "// - {text}"));
    }
    line!(source, "");
}

/// The name of a unit that the log doesn't name.
const UNNAMED: &str = "?";

fn imports(source: &mut String, written: &[Written<'_>]) {
    let structs = || written.iter().filter(|message| message.own.is_none());
    let types: BTreeSet<&str> = structs().flat_map(|message| message.definition.columns()).filter_map(import).collect();
    let types: Vec<&str> = types.into_iter().collect();
    match types.as_slice() {
        [] => {}
        [one] => line!(source, "use binlog::field::{one};"),
        several => line!(source, "use binlog::field::{{{}}};", several.join(", ")),
    }
    if written.iter().any(|message| message.own.is_some()) {
        line!(source, "use binlog::messages;");
    }
    if structs().next().is_some() {
        line!(source, "use binlog::{{LogMessage, LogSchema}};");
        line!(source, "use zerocopy::{{Immutable, IntoBytes}};");
    } else if !written.is_empty() {
        line!(source, "use binlog::LogSchema;");
    }
}

fn schema_enum(source: &mut String, written: &[Written<'_>]) {
    // An enum without variants can't be a schema.
    if written.is_empty() {
        return;
    }
    line!(source, "\n/// What the log defines.");
    line!(source, "#[derive(LogSchema, Clone, Copy)]");
    line!(source, "pub enum FlightLog {{");
    for Written { definition, name, own } in written {
        line!(source, "    #[log(id = {})]", definition.id());
        match own {
            Some(own) => line!(source, "    {name}(messages::{own}),"),
            None => line!(source, "    {name}({name}),"),
        }
    }
    line!(source, "}}");
}

fn message_struct(schema: &LoggedSchema, message: &Written<'_>, constants: &mut Constants) -> String {
    let definition = &message.definition;
    let columns: Vec<LoggedColumn<'_>> = definition.columns().collect();
    let as_logged = definition::breaks_rules(definition, &columns);
    let mut taken = HashSet::new();
    let described = schema.described(definition.name());
    let fields: Vec<Field> = (columns.iter().enumerate())
        .map(|(i, column)| {
            let name = names::of_field(column.label, i + 1, &mut taken);
            let described = described.and_then(|described| described.column(column.label));
            Field::of(schema, column, described, name, constants)
        })
        .collect();
    let mut of_message = vec![format!("name = {:?}", definition.name())];
    // On the field if only one has lints, or else on the message.
    let linted = fields.iter().filter(|field| !field.lints.is_empty() && !as_logged).count();
    if as_logged {
        of_message.push("as_logged".into());
        if definition.name() == "GPS" && definition::lacks_week(&columns) {
            of_message.push(allow([Rule::GpsWithoutWeek.name()]));
        }
    } else if linted > 1 {
        let lints: BTreeSet<&str> =
            fields.iter().flat_map(|field| field.lints.iter().map(|lint| lint.name())).collect();
        of_message.push(allow(lints));
    }
    let mut source = String::new();
    comment(&mut source, "", described.map_or("", |described| &described.description));
    line!(source, "#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]");
    line!(source, "#[log({})]", of_message.join(", "));
    line!(source, "#[repr(C, packed)]");
    line!(source, "pub struct {} {{", message.name);
    for mut field in fields {
        if !field.lints.is_empty() && linted == 1 {
            field.attributes.push(allow(field.lints.iter().map(|lint| lint.name())));
        }
        comment(&mut source, "    ", &field.description);
        attributes(&mut source, &field.attributes);
        if let Some(meanings) = &field.meanings {
            source += meanings;
        }
        line!(source, "    pub {}: {},", field.name, field.ty);
    }
    line!(source, "}}");
    source
}

/// The attribute that allows lints.
fn allow<'a>(lints: impl IntoIterator<Item = &'a str>) -> String {
    format!("allow({})", lints.into_iter().collect::<Vec<_>>().join(", "))
}

/// On one line, or one line each if they don't fit.
fn attributes(source: &mut String, attributes: &[String]) {
    match attributes {
        [] => {}
        [one] if width(one) + "    #[log()]".len() > MAX_WIDTH => line!(source, "    #[log(\n        {one}\n    )]"),
        [one] => line!(source, "    #[log({one})]"),
        several if width(&several.join(", ")) <= ATTRIBUTE_WIDTH => line!(source, "    #[log({})]", several.join(", ")),
        several => several.iter().for_each(|one| self::attributes(source, std::slice::from_ref(one))),
    }
}

/// A doc comment of one line, without characters that no comment may have.
fn comment(source: &mut String, indent: &str, text: &str) {
    let is_allowed = |c: &char| !c.is_control() && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(is_allowed).collect();
    if !text.is_empty() {
        line!(source, "{indent}/// {text}");
    }
}

/// The attribute that names those values or bits that the column can have.
fn meanings(column: &LoggedColumn<'_>, described: &DescribedColumn) -> Option<String> {
    let bits = 8 * column.format.size() as u32;
    let (key, named, range) = match (described.values.as_slice(), described.bits.as_slice()) {
        _ if !column.format.is_integer() => return None,
        ([], []) => return None,
        ([], named) => ("bits", named, 0..=i128::from(bits.min(64)) - 1),
        (named, _) if column.format.is_signed_integer() => {
            ("values", named, i128::MIN >> (128 - bits)..=i128::MAX >> (128 - bits))
        }
        (named, _) => ("values", named, 0..=(1 << bits) - 1),
    };
    let mut seen = HashSet::new();
    let named = named.iter().filter(|named| range.contains(&named.value) && seen.insert(named.value));
    let named: Vec<String> = named.map(|Described { value, name, .. }| format!("{value} = {name:?}")).collect();
    let one_line = format!("    #[log({key}({}))]", named.join(", "));
    match width(&one_line) {
        _ if named.is_empty() => None,
        ..=MAX_WIDTH => Some(format!("{one_line}\n")),
        _ => Some(format!("    #[log({key}(\n        {}\n    ))]\n", named.join(",\n        "))),
    }
}

/// A field of a struct.
struct Field {
    name: String,
    /// What the log says about it; may be empty.
    description: String,
    /// The attribute with the names of its values or bits.
    meanings: Option<String>,
    ty: &'static str,
    /// The attributes that differ from the defaults of the derive.
    attributes: Vec<String>,
    /// The lints of the derive that would warn about it.
    lints: Vec<Rule>,
}

impl Field {
    fn of(
        schema: &LoggedSchema,
        column: &LoggedColumn<'_>,
        described: Option<&DescribedColumn>,
        name: String,
        constants: &mut Constants,
    ) -> Self {
        let mut field = Field {
            ty: rust_type(column),
            attributes: Vec::new(),
            lints: Vec::new(),
            name,
            description: described.map(|described| described.description.clone()).unwrap_or_default(),
            meanings: described.and_then(|described| meanings(column, described)),
        };
        if names::default_label(&field.name) != column.label {
            field.attributes.push(format!("label = {:?}", column.label));
        }
        if column.format == Format::F16 {
            field.lints.push(Rule::HalfPrecision);
        }
        let (Some(unit), Some(multiplier)) = (column.unit_id, column.multiplier_id) else { return field };
        if unit == INSTANCE {
            field.attributes.push("instance".into());
        } else if unit != default_unit(column) {
            field.attributes.push(format!("unit = {}", constants.unit(schema, unit)));
        }
        if multiplier != default_multiplier(column, unit) {
            field.attributes.push(format!("mult = {}", constants.multiplier(schema, multiplier)));
        }
        field.lints.extend(definition::lints_of_scale(column.format, unit, multiplier));
        field
    }
}

const INSTANCE: u8 = Unit::INSTANCE.id();

/// The unit of a column without the attribute `unit`.
fn default_unit(column: &LoggedColumn<'_>) -> u8 {
    match rust_type(column) {
        _ if column.label == TIME => b's',
        "Latitude" => b'D',
        "Longitude" => b'U',
        _ => b'-',
    }
}

/// The multiplier of a column without the attribute `mult`.
fn default_multiplier(column: &LoggedColumn<'_>, unit: u8) -> u8 {
    match column.format {
        _ if unit == INSTANCE => b'-',
        _ if column.label == TIME => b'F',
        format if format.is_centi() => b'B',
        Format::Coordinate => b'G',
        _ if unit == b'-' => b'-',
        _ => b'0',
    }
}

const TIME: &str = "TimeUS";

fn rust_type(column: &LoggedColumn<'_>) -> &'static str {
    match column.format {
        Format::I8 => "i8",
        Format::U8 => "u8",
        Format::FlightMode => "FlightMode",
        Format::I16 => "i16",
        Format::U16 => "u16",
        Format::I32 => "i32",
        Format::U32 => "u32",
        Format::I64 => "i64",
        Format::U64 => "u64",
        Format::CentiI16 => "Centi<i16>",
        Format::CentiU16 => "Centi<u16>",
        Format::CentiI32 => "Centi<i32>",
        Format::CentiU32 => "Centi<u32>",
        Format::Coordinate if is_longitude(column) => "Longitude",
        Format::Coordinate => "Latitude",
        Format::F16 => "half::f16",
        Format::F32 => "f32",
        Format::F64 => "f64",
        Format::Chars4 => "Chars<4>",
        Format::Chars16 => "Chars<16>",
        Format::Chars64 => "Chars<64>",
        Format::I16x32 => "[i16; 32]",
    }
}

/// By the unit; if that is neither latitude nor longitude, by the label: `Lng`, `DLg`, `lon`.
fn is_longitude(column: &LoggedColumn<'_>) -> bool {
    match column.unit_id {
        Some(b'D') => false,
        Some(b'U') => true,
        _ => {
            let label = column.label.to_ascii_lowercase();
            ["lng", "lon", "lg"].iter().any(|part| label.contains(part))
        }
    }
}

/// The item of `binlog::field` that a column's type needs.
fn import(column: LoggedColumn<'_>) -> Option<&'static str> {
    let names = ["Centi", "Chars", "FlightMode", "Latitude", "Longitude"];
    names.into_iter().find(|name| rust_type(&column).starts_with(name))
}

/// The log's own units and multipliers, which become constants.
#[derive(Default)]
struct Constants {
    taken: HashSet<String>,
    units: BTreeMap<u8, (String, String)>,
    multipliers: BTreeMap<u8, (String, f64)>,
}

impl Constants {
    /// The value of the attribute `unit`: a name if ArduPilot's table agrees with the log, or else a constant.
    fn unit(&mut self, schema: &LoggedSchema, id: u8) -> String {
        let logged = schema.logged_unit(id);
        match Unit::from_id(id) {
            Some(Unit::NONE) => "'-'".into(),
            Some(unit) if unit.id() != b'?' && logged.is_none_or(|name| name == unit.name()) => {
                format!("{:?}", unit.name())
            }
            Some(_) => format!("{:?}", char::from(id)),
            None => {
                let name = logged.filter(|name| !name.is_empty()).unwrap_or(UNNAMED);
                let taken = &mut self.taken;
                let constant = self
                    .units
                    .entry(id)
                    .or_insert_with(|| (names::of_constant("UNIT", name, id, taken), name.to_owned()));
                constant.0.clone()
            }
        }
    }

    /// The value of the attribute `mult`: a value if ArduPilot's table agrees with the log, or else an id or a
    /// constant.
    fn multiplier(&mut self, schema: &LoggedSchema, id: u8) -> String {
        let logged = schema.logged_multiplier(id);
        match Multiplier::from_id(id) {
            Some(multiplier)
                if !matches!(id, b'-' | b'?') && logged.is_none_or(|value| value == multiplier.value()) =>
            {
                number(multiplier.value())
            }
            Some(_) => format!("{:?}", char::from(id)),
            None => {
                // Messages that need a multiplier without a value are left out.
                let value = logged.unwrap_or(1.0);
                let taken = &mut self.taken;
                let constant = self
                    .multipliers
                    .entry(id)
                    .or_insert_with(|| (names::of_constant("MULTIPLIER", &number(value), id, taken), value));
                constant.0.clone()
            }
        }
    }

    fn declare(&self, source: &mut String) {
        if !(self.units.is_empty() && self.multipliers.is_empty()) {
            line!(source, "");
        }
        for (&id, (constant, name)) in &self.units {
            let is_standard = Unit::STANDARD.iter().any(|unit| unit.name() == name);
            let function = if is_standard { "as_logged" } else { "custom" };
            declaration(source, constant, "Unit", function, id, &format!("{name:?}"));
        }
        for (&id, (constant, value)) in &self.multipliers {
            // The literal of a float has a point or an exponent.
            declaration(source, constant, "Multiplier", "custom", id, &format!("{value:?}"));
        }
    }
}

/// `const UNIT_UT: binlog::Unit = binlog::Unit::custom('T', "uT");`
fn declaration(source: &mut String, constant: &str, ty: &str, function: &str, id: u8, value: &str) {
    let left = format!("const {constant}: binlog::{ty} =");
    let id = char::from(id);
    let arguments = format!("{id:?}, {value}");
    let right = format!("binlog::{ty}::{function}({arguments});");
    if width(&arguments) > CALL_WIDTH {
        line!(source, "{left} binlog::{ty}::{function}(\n    {id:?},\n    {value},\n);");
    } else if width(&left) + 1 + width(&right) > MAX_WIDTH {
        line!(source, "{left}\n    {right}");
    } else {
        line!(source, "{left} {right}");
    }
}

/// The width of a line as rustfmt counts it: East Asian characters are two columns wide.
fn width(line: &str) -> usize {
    let wide = [0x1100..=0x115F, 0x2E80..=0xA4CF, 0xAC00..=0xD7A3, 0xF900..=0xFAFF, 0xFE30..=0xFE6F, 0xFF00..=0xFF60];
    let is_wide = |c: char| wide.iter().any(|range| range.contains(&u32::from(c)));
    line.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// A multiplier as people write it: `1e-2`, `3.6`.
fn number(value: f64) -> String {
    if value.abs() < 1.0 && value != 0.0 { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use crate::change::logged_schema::tests::schema;
    use crate::change::logged_schema::{LoggedMultiplier, LoggedUnit};

    #[test]
    fn attributes_say_what_the_derive_would_not_know() {
        let mut schema = schema(&[
            (7, "EV", "QB", "TimeUS,Id", "s-", "F-"),
            (100, "ATT", "QBccffg", "TimeUS,IMU,DesRoll,type,Yaw,Pos,Dt", "s#dTmms", "F-BB-CC"),
            (9, "POS", "ILLf", "TimeMS,Lat,Lng,Alt", "sDUT", "CGG?"),
            (8, "ALT", "Qff", "TimeUS,A,B", "smm", "Fx0"),
            (10, "BAD", "x", "X", "-", "-"),
        ]);
        schema.units = vec![LoggedUnit { id: b'T', name: "uT".into() }, LoggedUnit { id: b'm', name: "mile".into() }];
        schema.multipliers = vec![LoggedMultiplier { id: b'x', value: 2.5 }];
        let rust = schema.to_rust();
        assert_eq!(rust.left_out[0].to_string(), "BAD (id 10): 'x' is not a format");
        let expected = r#"// The messages of a log as it defines them, written by `binlog::LoggedSchema::to_rust`.
//
// Half-precision floats need the feature `half` of binlog, and the crate `half`.
//
// Left out:
// - BAD (id 10): 'x' is not a format
//
// Different from the log:
// - the log's unit 'm' is "mile", here it is "m"

use binlog::field::{Centi, Latitude, Longitude};
use binlog::messages;
use binlog::{LogMessage, LogSchema};
use zerocopy::{Immutable, IntoBytes};

const UNIT_UT: binlog::Unit = binlog::Unit::custom('T', "uT");
const MULTIPLIER_2_5: binlog::Multiplier = binlog::Multiplier::custom('x', 2.5);

/// What the log defines.
#[derive(LogSchema, Clone, Copy)]
pub enum FlightLog {
    #[log(id = 7)]
    Ev(messages::Ev),
    #[log(id = 100)]
    Att(Att),
    #[log(id = 9)]
    Pos(Pos),
    #[log(id = 8)]
    Alt(Alt),
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "ATT", allow(float_multiplier, half_precision))]
#[repr(C, packed)]
pub struct Att {
    pub time_us: u64,
    #[log(label = "IMU", instance)]
    pub imu: u8,
    #[log(unit = "deg")]
    pub des_roll: Centi<i16>,
    #[log(label = "type", unit = UNIT_UT)]
    pub r#type: Centi<i16>,
    #[log(unit = 'm', mult = '-')]
    pub yaw: f32,
    #[log(unit = 'm', mult = 1e-3)]
    pub pos: f32,
    #[log(unit = "s", mult = 1e-3)]
    pub dt: half::f16,
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "POS", as_logged)]
#[repr(C, packed)]
pub struct Pos {
    #[log(label = "TimeMS", unit = "s", mult = 1e-3)]
    pub time_ms: u32,
    pub lat: Latitude,
    pub lng: Longitude,
    #[log(unit = UNIT_UT, mult = '?')]
    pub alt: f32,
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "ALT")]
#[repr(C, packed)]
pub struct Alt {
    pub time_us: u64,
    #[log(unit = 'm', mult = MULTIPLIER_2_5, allow(float_multiplier))]
    pub a: f32,
    #[log(unit = 'm')]
    pub b: f32,
}
"#;
        assert_eq!(rust.source, expected);
    }

    #[test]
    fn what_the_derive_would_refuse_or_warn_of_is_as_logged() {
        let mut schema = schema(&[
            (100, "ALT", "Qffi", "TimeUS,A,B,C", "sMmm", "F0BB"),
            (101, "GPS", "QB", "TimeUS,Status", "s-", "F-"),
            (102, "GPS", "QIH", "TimeUS,GMS,GWk", "ss-", "FC-"),
        ]);
        schema.units = vec![LoggedUnit { id: b'M', name: "m".into() }];
        let source = schema.to_rust().source;
        assert!(source.contains("binlog::Unit::as_logged('M', \"m\");"), "{source}");
        assert!(source.contains("name = \"ALT\", allow(float_multiplier, misleading_multiplier)"), "{source}");
        assert!(source.contains("name = \"GPS\", as_logged, allow(gps_without_week)"), "{source}");
    }
}

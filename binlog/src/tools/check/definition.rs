//! The rules for one definition. They are those of binlog-derive's `check.rs` and `lint.rs`, which explain them; tests
//! there check that both crates agree.

use super::findings::Findings;
use super::rule::Rule;
use crate::declare::rules;
use crate::format::{Definition, Format, Multiplier, Unit};
use crate::read::{LoggedColumn, LoggedDefinition};

/// A rule that a definition breaks.
struct Broken {
    rule: Rule,
    /// The column, counted from 0; `None` for the definition as a whole.
    column: Option<usize>,
    text: String,
}

/// Checks what FMT says.
pub(super) fn check_layout(definition: &LoggedDefinition<'_>, offset: usize, findings: &mut Findings) {
    let columns: Vec<_> = definition.columns().collect();
    let capacity = capacity(definition).chain(own_layout(definition, &columns));
    let first = columns.first().filter(|_| !is_without_time(definition.name())).and_then(time_layout);
    let all = capacity.chain(form(definition, &columns)).chain(first).chain(half_precision(&columns));
    all.for_each(|broken| broken.add(definition, &columns, offset, findings));
}

/// Checks what FMTU says.
pub(super) fn check_units(definition: &LoggedDefinition<'_>, offset: usize, findings: &mut Findings) {
    let columns: Vec<_> = definition.columns().collect();
    let all = counts(definition).into_iter().chain(of_units(&columns)).chain(misread_instance(definition, &columns));
    all.for_each(|broken| broken.add(definition, &columns, offset, findings));
    for (i, column) in columns.iter().enumerate() {
        let (Some(unit), Some(multiplier)) = (column.unit_id, column.multiplier_id) else { continue };
        for lint in lints_of_scale(column.format, unit, multiplier) {
            let (unit, multiplier) = (shown(Some(unit)), shown(Some(multiplier)));
            let text = format!("format `{}`, unit `{unit}`, multiplier `{multiplier}`", column.format);
            Broken { rule: lint, column: Some(i), text }.add(definition, &columns, offset, findings);
        }
    }
}

/// Whether a definition with consistent columns breaks a rule of the derive; lints aren't rules.
#[cfg(feature = "derive")]
pub(crate) fn breaks_rules(definition: &LoggedDefinition<'_>, columns: &[LoggedColumn<'_>]) -> bool {
    rules::is_taken_name(definition.name())
        || columns.first().is_none_or(|first| time_layout(first).is_some())
        || form(definition, columns).chain(of_units(columns)).next().is_some()
}

/// Whether format characters, labels and length of FMT agree.
pub(crate) fn is_consistent(definition: &LoggedDefinition<'_>) -> bool {
    capacity(definition).next().is_none()
}

/// The first rule that FMT breaks, in words: those about columns that fit the record, layouts that readers expect of a
/// name, and forms of name and labels.
pub(crate) fn problem_of(definition: &LoggedDefinition<'_>) -> Option<String> {
    let columns: Vec<_> = definition.columns().collect();
    let all = capacity(definition).chain(own_layout(definition, &columns)).chain(form(definition, &columns));
    all.map(|broken| broken.text_about(&columns)).next()
}

impl Broken {
    fn whole(rule: Rule, text: String) -> Self {
        Broken { rule, column: None, text }
    }

    fn add(
        self,
        definition: &LoggedDefinition<'_>,
        columns: &[LoggedColumn<'_>],
        offset: usize,
        findings: &mut Findings,
    ) {
        let (name, text) = (definition.shown_name(), || self.text_about(columns));
        match self.column.and_then(|place| columns.get(place)).filter(|column| !column.label.is_empty()) {
            Some(column) => findings.add_column(self.rule, &name, column.label, offset, text),
            None => findings.add(self.rule, &name, offset, text),
        }
    }

    fn text_about(&self, columns: &[LoggedColumn<'_>]) -> String {
        let label = |place: usize| match columns.get(place) {
            Some(column) if !column.label.is_empty() => format!("`{}`: ", column.label.escape_debug()),
            _ => format!("column {}: ", place + 1),
        };
        format!("{}{}", self.column.map(label).unwrap_or_default(), self.text)
    }
}

/// Rules 1 and 2: FMT agrees with itself.
fn capacity(definition: &LoggedDefinition<'_>) -> impl Iterator<Item = Broken> + use<> {
    let format = definition.format();
    let mut broken = Vec::new();
    let unknown = format.bytes().find(|&character| Format::from_character(character).is_none());
    if let Some(character) = unknown {
        let text = format!("the format character `{}` of `{}`", character.escape_ascii(), format.escape_debug());
        broken.push(Broken::whole(Rule::UnknownFormat, text));
    } else {
        let sizes = format.bytes().filter_map(Format::from_character).map(Format::size);
        let sum = Definition::HEADER_LENGTH + sizes.sum::<usize>();
        if sum != usize::from(definition.length()) {
            let text =
                format!("FMT.Length is {}, and `{format}` takes {sum} bytes with the header", definition.length());
            broken.push(Broken::whole(Rule::LengthDiffers, text));
        }
    }
    let labels = definition.label_count();
    if labels != format.len() {
        let text = format!("{labels} labels and {} format characters", format.len());
        broken.push(Broken::whole(Rule::LabelCount, text));
    }
    broken.into_iter()
}

/// Columns that readers rely on in messages of these names. One of each group is enough.
const OWN_COLUMNS: [(&str, &[&[&str]]); 9] = [
    ("UNIT", &[&["Id"], &["Label"]]),
    ("MULT", &[&["Id"], &["Mult"]]),
    ("FMTU", &[&["FmtType"], &["UnitIds"], &["MultIds"]]),
    ("PARM", &[&["Name"], &["Value"]]),
    ("MSG", &[&["Message"]]),
    ("MODE", &[&["Mode"]]),
    ("FILE", &[&["FileName"], &["Offset"], &["Length"], &["Data"]]),
    ("ISBH", &[&["N"], &["type"], &["instance"], &["mul"], &["smp_rate"]]),
    ("ISBD", &[&["N"], &["seqno"], &["x"], &["y"], &["z"]]),
];

/// What pymavlink can't read in the layout of UNIT, MULT or FMTU: it takes ids and meanings by their places, but the
/// texts of FMTU by their labels.
fn table_layout(name: &str, columns: &[LoggedColumn<'_>]) -> Option<String> {
    let third: fn(Format) -> bool = match name {
        "UNIT" => Format::is_text,
        "MULT" => |format| !format.is_text() && format != Format::I16x32,
        "FMTU" => |_| true,
        _ => return None,
    };
    let has =
        |place: usize, fits: &dyn Fn(Format) -> bool| columns.get(place).is_some_and(|column| fits(column.format));
    if !has(1, &Format::is_integer) {
        return Some("its second column isn't an integer".into());
    }
    if !has(2, &third) {
        let what = if name == "UNIT" { "text" } else { "a number" };
        return Some(format!("its third column isn't {what}"));
    }
    let ids = columns.iter().filter(|column| name == "FMTU" && matches!(column.label, "UnitIds" | "MultIds"));
    let number = ids.into_iter().find(|column| !column.format.is_text())?;
    Some(format!("`{}` isn't text", number.label))
}

/// Rule 4, for the names that readers give a layout.
fn own_layout(definition: &LoggedDefinition<'_>, columns: &[LoggedColumn<'_>]) -> impl Iterator<Item = Broken> + use<> {
    let name = definition.name();
    let has = |label: &&str| columns.iter().any(|column| column.label == *label);
    let mut broken = Vec::new();
    let own = OWN_COLUMNS.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, groups)| *groups);
    if let Some(lacking) = own.iter().find(|group| !group.iter().any(has)) {
        broken.push(Broken::whole(Rule::OwnLayout, format!("it has no column {}", lacking.join(" or "))));
    }
    if let Some(text) = table_layout(name, columns) {
        broken.push(Broken::whole(Rule::TableLayout, text));
    }
    if name == "GPS" && lacks_week(columns) {
        broken.push(Broken::whole(Rule::GpsWithoutWeek, "it lacks GWk or GMS".into()));
    }
    // In a log, the format's own names are right.
    if rules::is_taken_name(name) && !rules::is_own_name(name) {
        broken.push(Broken::whole(Rule::TakenName, "readers take the name for something else".into()));
    }
    broken.into_iter()
}

/// PlotJuggler takes the time from these columns of GPS.
pub(crate) fn lacks_week(columns: &[LoggedColumn<'_>]) -> bool {
    !["GWk", "GMS"].iter().all(|label| columns.iter().any(|column| column.label == *label))
}

/// Rules 3 and 4: the forms of name and labels.
fn form(definition: &LoggedDefinition<'_>, columns: &[LoggedColumn<'_>]) -> impl Iterator<Item = Broken> + use<> {
    let name = definition.name();
    let mut broken = Vec::new();
    if !rules::is_name(name) {
        broken.push(Broken::whole(Rule::NameForm, format!("the name is `{}`", name.escape_debug())));
    }
    for (i, column) in columns.iter().enumerate() {
        let label = column.label;
        let mut add = |rule, text| broken.push(Broken { rule, column: Some(i), text });
        if !rules::is_identifier(label) {
            add(Rule::LabelForm, "the label is not an identifier".into());
        } else if rules::is_taken_label(name, label) {
            add(Rule::TakenLabel, "Python or pymavlink uses the label itself".into());
        }
        if columns[..i].iter().any(|other| other.label == label) {
            add(Rule::LabelTwice, "an earlier column has the same label".into());
        }
    }
    broken.into_iter()
}

/// The format's own messages that have no time.
fn is_without_time(name: &str) -> bool {
    matches!(name, "FMT" | "FILE")
}

/// Rule 6, for the first column.
fn time_layout(first: &LoggedColumn<'_>) -> Option<Broken> {
    if first.label != "TimeUS" {
        let text = format!("the first column is `{}`", first.label.escape_debug());
        Some(Broken::whole(Rule::TimeColumn, text))
    } else if first.format != Format::U64 {
        Some(Broken { rule: Rule::TimeFormat, column: Some(0), text: format!("its format is `{}`", first.format) })
    } else {
        None
    }
}

fn half_precision(columns: &[LoggedColumn<'_>]) -> impl Iterator<Item = Broken> {
    let half = columns.iter().enumerate().filter(|(_, column)| column.format == Format::F16);
    half.map(|(i, _)| Broken { rule: Rule::HalfPrecision, column: Some(i), text: "its format is `g`".into() })
}

/// Rule 1: one unit and one multiplier a field. [`lacks_multiplier`] tells for which columns a missing multiplier
/// matters.
fn counts(definition: &LoggedDefinition<'_>) -> Vec<Broken> {
    let columns = definition.format().len();
    let [units, multipliers] = [definition.unit_ids(), definition.multiplier_ids()].map(|ids| ids.map(str::len));
    let text = |ids| format!("{ids} ids for {columns} columns");
    let missing = units.filter(|ids| *ids < columns).map(|ids| Broken::whole(Rule::MissingUnits, text(ids)));
    let surplus = [units, multipliers].into_iter().flatten().filter(|ids| *ids > columns);
    missing.into_iter().chain(surplus.map(|ids| Broken::whole(Rule::SurplusUnits, text(ids)))).collect()
}

/// Whether FMTU gives the column a unit and no multiplier, although its format has no factor of its own. pymavlink then
/// looks for a multiplier if the unit has a name.
pub(super) fn lacks_multiplier(column: &LoggedColumn<'_>) -> bool {
    column.unit_id.is_some() && column.multiplier_id.is_none() && column.format.divisor().is_none()
}

/// Rules 6 to 8 about units and multipliers. Without FMTU, a column has no unit to break them.
fn of_units(columns: &[LoggedColumn<'_>]) -> impl Iterator<Item = Broken> + use<> {
    let mut broken = Vec::new();
    if let Some(first) = columns.first()
        && first.label == "TimeUS"
        && (first.unit_id.is_some_and(|id| id != Unit::SECONDS.id())
            || first.multiplier_id.is_some_and(|id| id != Multiplier::MICRO.id()))
    {
        let text = format!("unit `{}`, multiplier `{}`", shown(first.unit_id), shown(first.multiplier_id));
        broken.push(Broken { rule: Rule::TimeUnit, column: Some(0), text });
    }
    for (i, column) in columns.iter().enumerate().skip(1) {
        let (Some(unit), Some(multiplier)) = (column.unit_id, column.multiplier_id) else { continue };
        let ids = || format!("unit `{}`, multiplier `{}`", shown(Some(unit)), shown(Some(multiplier)));
        let mut add = |rule, text| broken.push(Broken { rule, column: Some(i), text });
        if unit == Unit::INSTANCE.id() {
            if !rules::is_instance(column.format) {
                let rule = match is_readable_instance(column.format) {
                    true => Rule::InstanceFormat,
                    false => Rule::InstanceUnreadable,
                };
                add(rule, format!("format `{}`", column.format));
            }
            if i != 1 || multiplier != Multiplier::NONE.id() {
                add(
                    Rule::InstancePlace,
                    format!("it is column {}, with the multiplier `{}`", i + 1, shown(Some(multiplier))),
                );
            }
        } else if !rules::is_scale_of(column.format, unit, multiplier) {
            let rule = if column.format.is_text() { Rule::TextWithUnit } else { Rule::ScaledTwice };
            add(rule, format!("format `{}`, {}", column.format, ids()));
        } else if !rules::is_axis_of(column.label, unit) {
            add(Rule::WrongAxis, ids());
        }
    }
    broken.into_iter()
}

/// The id of a unit or multiplier as text.
fn shown(id: Option<u8>) -> String {
    id.map_or_else(String::new, |id| id.escape_ascii().to_string())
}

/// Whether Python's `struct` knows the format character, which pymavlink asks for the instance's length.
fn is_readable_instance(format: Format) -> bool {
    let unknown =
        [Format::FlightMode, Format::CentiU16, Format::CentiU32, Format::F16, Format::Chars64, Format::I16x32];
    !unknown.contains(&format)
}

/// pymavlink computes the offset of the instance with the alignment of C, which pads columns.
fn misread_instance(definition: &LoggedDefinition<'_>, columns: &[LoggedColumn<'_>]) -> Option<Broken> {
    let place = columns.iter().position(|column| column.unit_id == Some(Unit::INSTANCE.id()))?;
    let mut padded = 0_usize;
    for column in &columns[..place] {
        let is_bytes = column.format.is_text() || column.format == Format::I16x32;
        let alignment = if is_bytes { 1 } else { column.format.size() };
        padded = padded.next_multiple_of(alignment) + column.format.size();
    }
    let column = columns.get(place)?;
    (padded != column.offset).then(|| {
        let text =
            format!("it is at byte {} of `{}`, pymavlink reads byte {padded}", column.offset, definition.format());
        Broken { rule: Rule::InstanceMisread, column: Some(place), text }
    })
}

/// Ids of multipliers that mean 1 or nothing; no lint of the derive is about them.
const NO_SCALE: [u8; 3] = *b"-?0";
/// Ids of multipliers that all viewers show.
const SHOWN_WITH_PREFIX: [u8; 2] = *b"CF";

/// The lints of the derive for a unit and a multiplier.
pub(crate) fn lints_of_scale(format: Format, unit: u8, multiplier: u8) -> Vec<Rule> {
    let is_float = matches!(format, Format::F16 | Format::F32 | Format::F64);
    let is_coordinate = matches!(unit, b'D' | b'U');
    let mut lints = Vec::new();
    if is_coordinate && format == Format::F32 {
        lints.push(Rule::F32Coordinate);
    }
    if NO_SCALE.contains(&multiplier) || unit == Unit::INSTANCE.id() {
        return lints;
    }
    if is_float {
        lints.push(Rule::FloatMultiplier);
    } else if format.is_integer() && format != Format::FlightMode {
        match (unit, multiplier) {
            (b'D' | b'U', b'G') => lints.push(Rule::IntegerCoordinate),
            (b'-', _) => lints.push(Rule::MultiplierWithoutUnit),
            (_, multiplier) if !SHOWN_WITH_PREFIX.contains(&multiplier) => lints.push(Rule::MisleadingMultiplier),
            _ => {}
        }
    }
    lints
}

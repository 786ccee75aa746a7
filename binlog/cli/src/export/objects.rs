//! The records of a session in the order of the log, as JSON objects.
//!
//! Numbers are those that pymavlink shows, in as many digits as an `f64` needs; NaN and the infinities, which JSON
//! doesn't have, are null. Text is cut at its first NUL. Raw data (`FILE.Data`) is in hexadecimal, an array is an
//! array. A text that takes several records is one object, with the whole text. Fields of Blackbox are in their units.
//! [`dump --json`](crate::dump) has what pymavlink reads instead.

use super::blackbox::{described, scale};
use super::choice::Choice;
use super::chosen_table::{Scale, TIME, hexadecimal, is_raw};
use super::tables;
use crate::any_log::Session;
use crate::columns::names;
use crate::intervals::Intervals;
use crate::texts::{Joined, Part};
use crate::{json, number};
use binlog::blackbox::log::table_name;
use binlog::blackbox::log::{Frame, Item};
use binlog::log::ValueNames;
use binlog::{Log, LoggedColumn, LoggedDefinition, Record, Value};
use std::collections::HashMap;

/// A record, frame or event.
pub struct Object<'r> {
    /// The type's name.
    pub name: &'r str,
    /// The instance, if the type has instances.
    pub instance: Option<String>,
    /// Microseconds since boot. A record without a time has that of the last one before it.
    pub time_us: u64,
    /// The members of the object, a comma before each: `,"TimeUS":1500,"Roll":4.97`.
    pub members: &'r [u8],
    source: Source<'r>,
    /// The whole text, of one that takes several records.
    text: Option<&'r str>,
}

enum Source<'r> {
    Record(&'r Record<'r>),
    Frame(&'r Frame<'r>, &'r [Scale]),
    Event,
}

impl Object<'_> {
    /// The shown number of a column.
    pub fn number(&self, label: &str) -> Option<f64> {
        match self.source {
            Source::Record(record) => record.value(label)?.to_f64(),
            Source::Frame(frame, scales) => {
                let place = frame.fields().iter().position(|field| field.name() == label)?;
                let logged = frame.fields().get(place)?.value(*frame.values().get(place)?);
                Some(scales.get(place)?.shown(logged as f64))
            }
            Source::Event => None,
        }
    }

    /// The text of a column.
    pub fn text(&self, label: &str) -> Option<String> {
        match self.source {
            Source::Record(_) if label == TEXT && self.text.is_some() => self.text.map(str::to_owned),
            Source::Record(record) => record.value(label)?.text().map(|text| text.to_string()),
            Source::Frame(..) | Source::Event => None,
        }
    }
}

/// The label of a text.
const TEXT: &str = "Message";

/// Calls `visit` with each chosen record of a session in the intervals. Definitions are records, too, unless others are
/// chosen. The members of an object have different keys: of columns with the same label, the second one gets `_2` at
/// the end, and one that has a key of `own`, which `visit` adds, gets a `_`. `with_names` replaces values that have a
/// name in the log by it.
///
/// # Errors
///
/// Those of `visit`, which end the visits.
pub fn visit<E>(
    session: &Session<'_>,
    choice: &Choice,
    intervals: &Intervals,
    own: &[&str],
    with_names: bool,
    visit: impl FnMut(Object<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match session.ardupilot() {
        Some(log) => records(log, choice, intervals, own, with_names, visit),
        None => frames(session, choice, intervals, visit),
    }
}

fn records<E>(
    log: &Log<'_>,
    choice: &Choice,
    intervals: &Intervals,
    own: &[&str],
    with_names: bool,
    mut visit: impl FnMut(Object<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut keys: HashMap<u8, Option<Keys>> = HashMap::new();
    let mut value_names: HashMap<u8, Vec<Option<ValueNames>>> = HashMap::new();
    let mut time_us = log.time_range_us().map_or(0, |range| *range.start());
    let mut members = Vec::new();
    let mut instances: HashMap<&str, Option<&str>> = HashMap::new();
    let joined = if choice.is_everything() || choice.has_type("MSG") { Joined::of(log) } else { Joined::default() };
    for record in log.records().flatten() {
        let name = record.name();
        if let Some(id) = record.defines() {
            keys.remove(&id);
            value_names.remove(&id);
        }
        if !record.definition().defines_others() {
            time_us = record.time_us().unwrap_or(time_us);
        }
        if !(choice.is_everything() || choice.has_type(name)) || !intervals.contains(time_us) {
            continue;
        }
        // The FMTU that says which column separates instances may follow the first records.
        let separates = instances.entry(name).or_insert_with(|| {
            let rows = tables::rows_named(log, name)?;
            rows.definitions().find_map(|definition| definition.instance_column()).map(|column| column.label)
        });
        let instance = separates.and_then(|column| Some(record.value(column)?.to_string()));
        if !choice.has_instance(name, instance.as_deref()) {
            continue;
        }
        let part = if name == "MSG" { joined.part(record.offset()) } else { Part::Record };
        if part == Part::Nothing {
            continue;
        }
        let text = part.text();
        members.clear();
        let separates = *separates;
        let keys = keys.entry(record.id()).or_insert_with(|| Keys::of(&record.definition(), own));
        let names = with_names.then(|| {
            let names = |column: LoggedColumn<'_>| log.value_names(name, &column);
            &*value_names.entry(record.id()).or_insert_with(|| record.definition().columns().map(names).collect())
        });
        for (place, (column, value)) in record.values().enumerate() {
            let value_name = || names?.get(place)?.as_ref()?.of(value.to_integer()?);
            let (label, shown) = match keys {
                Some(keys) => (&*keys.names[place], &*keys.keys[place]),
                None => (column.label, column.label),
            };
            if label == TIME || separates == Some(label) || choice.has_column_of(name, instance.as_deref(), label) {
                key(&mut members, shown);
                match &value {
                    Value::Signed(_) | Value::Unsigned(_) if label == TIME && column.format != binlog::Format::U64 => {
                        // Over its wraps.
                        let time_us = record.time_us().map_or(value, Value::Unsigned);
                        self::value(&mut members, &time_us);
                    }
                    Value::Text(data) if is_raw(name, column.label) => {
                        json::string(&mut members, &hexadecimal(data.raw()));
                    }
                    Value::Text(_) if text.is_some() && column.label == TEXT => {
                        json::string(&mut members, text.unwrap_or_default());
                    }
                    value => match value_name() {
                        Some(name) => json::string(&mut members, &name),
                        None => self::value(&mut members, value),
                    },
                }
            }
        }
        visit(Object { name, instance, time_us, members: &members, source: Source::Record(&record), text })?;
    }
    Ok(())
}

/// The keys of a definition's columns if they aren't the labels.
struct Keys {
    /// The names by which columns are chosen.
    names: Vec<String>,
    keys: Vec<String>,
}

impl Keys {
    /// `None` if the labels are the keys, as those of almost all definitions are.
    fn of(definition: &LoggedDefinition<'_>, own: &[&str]) -> Option<Self> {
        let names = definition.distinct_labels();
        let keys = names::apart_from(own, names.clone());
        let are_labels = definition.columns().zip(&keys).all(|(column, key)| column.label == *key);
        (!are_labels).then_some(Keys { names, keys })
    }
}

fn frames<E>(
    session: &Session<'_>,
    choice: &Choice,
    intervals: &Intervals,
    mut visit: impl FnMut(Object<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some((session, _)) = session.blackbox() else { return Ok(()) };
    let mut scales: HashMap<u8, Vec<Scale>> = HashMap::new();
    let mut members = Vec::new();
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        members.clear();
        match item {
            Item::Frame(frame) if intervals.contains(frame.time_us()) => {
                // I and P frames are main frames.
                let name = table_name(frame.letter());
                if !choice.has_type(&name) {
                    continue;
                }
                let of_fields = || frame.fields().iter().map(|field| scale(session.header(), field.name())).collect();
                let scales = scales.entry(frame.letter()).or_insert_with(of_fields);
                time(&mut members, frame.time_us());
                for ((field, &bits), scale) in frame.fields().iter().zip(frame.values()).zip(&*scales) {
                    if choice.has_column(&name, field.name()) {
                        key(&mut members, field.name());
                        match scale {
                            Scale::One => number::integer(&mut members, field.value(bits)),
                            scale => {
                                let shown = scale.shown(field.value(bits) as f64);
                                json::float(&mut members, shown, number::shortest);
                            }
                        }
                    }
                }
                let source = Source::Frame(&frame, scales);
                let time_us = frame.time_us();
                visit(Object { name: &name, instance: None, time_us, members: &members, source, text: None })?;
            }
            Item::Event { time_us, event, .. } if choice.has_type("events") && intervals.contains(time_us) => {
                let (name, detail) = described(&event);
                time(&mut members, time_us);
                key(&mut members, "Event");
                json::string(&mut members, name);
                key(&mut members, "Detail");
                json::string(&mut members, &detail);
                let source = Source::Event;
                visit(Object { name: "events", instance: None, time_us, members: &members, source, text: None })?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn time(out: &mut Vec<u8>, time_us: u64) {
    key(out, TIME);
    number::integer(out, time_us);
}

/// Appends a comma and the key of a member.
pub fn key(out: &mut Vec<u8>, label: &str) {
    out.push(b',');
    json::string(out, label);
    out.push(b':');
}

/// Appends a value of a record.
fn value(out: &mut Vec<u8>, value: &Value<'_>) {
    match *value {
        Value::Signed(value) => number::integer(out, value),
        Value::Unsigned(value) => number::integer(out, value),
        Value::Hundredths(value) => number::decimal(out, value, 2),
        Value::Coordinate(value) => number::decimal(out, value.into(), 7),
        Value::Float(value) => json::float(out, value, number::shortest),
        Value::Text(text) => match text.to_str() {
            Ok(text) => json::string(out, text),
            Err(_) => json::string(out, &text.to_string()),
        },
        Value::Samples(samples) => json::integers(out, &samples),
    }
}

//! MCAP for Foxglove: a channel for each type and instance, `/ATT`, `/IMU/0`.
//!
//! Messages are JSON with a JSON schema. Of the encodings that Foxglove plots without an extension it is the only one
//! that takes every label (`gyroADC[0]`, `1`), has missing values, and is read by each MCAP library without a decoder;
//! chunks are compressed with zstd, which makes up for its length.
//!
//! Positions are also on `/location` (`foxglove.LocationFix`, for the map), texts on `/log` (`foxglove.Log`).

use super::choice::Choice;
use super::objects::{self, Object};
use super::tables;
use crate::any_log::Session;
use crate::intervals::Intervals;
use crate::texts;
use crate::track;
use binlog::Log;
use binlog::log::Column;
use binlog::log::DescribedMessage;
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{McapError, WriteOptions, Writer};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// The encoding of messages, and that of their schemas, as MCAP's registry names them.
const JSON: &str = "json";
const JSON_SCHEMA: &str = "jsonschema";

/// The level of a text in `foxglove.Log`; "info" if the text has none.
fn log_level(text: &str) -> u8 {
    match texts::level(text) {
        Some("DEBUG" | "TRACE") => 1,
        Some("WARN") => 3,
        Some("ERROR") => 4,
        _ => 2,
    }
}

/// An MCAP file that is being written.
pub struct Mcap<W: Write> {
    writer: Writer<NoSeek<W>>,
    channels: HashMap<(usize, String, Option<String>), Channel>,
    data: Vec<u8>,
}

struct Channel {
    id: u16,
    sequence: u32,
}

impl<W: Write> Mcap<W> {
    /// Begins a file. `about` is what a viewer shows of it: the log's name, the vehicle.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn new(out: W, about: BTreeMap<String, String>) -> io::Result<Self> {
        let options = WriteOptions::new().library(concat!("binlog ", env!("CARGO_PKG_VERSION"))).disable_seeking(true);
        let mut writer = options.create(NoSeek::new(out)).map_err(failure)?;
        writer.write_metadata(&Metadata { name: "log".into(), metadata: about }).map_err(failure)?;
        Ok(Mcap { writer, channels: HashMap::new(), data: Vec::new() })
    }

    /// Writes the chosen records of a session in the intervals. With several sessions, the topics of the second and
    /// later ones begin with their number: `/2/ATT`.
    ///
    /// Times are nanoseconds since 1970 if the log has the calendar, or else since boot. Returns the number of records.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn add(&mut self, session: &Session<'_>, choice: &Choice, intervals: &Intervals) -> io::Result<u64> {
        let clock = session.clock_unix_us();
        let descriptions = session.ardupilot().map(Log::descriptions).unwrap_or_default();
        let mut records = 0;
        objects::visit(session, choice, intervals, &[], false, |object| {
            // Definitions are in the schemas.
            if !choice.has_type(object.name) {
                return Ok(());
            }
            let since_1970 = clock.and_then(|clock| u64::try_from(clock.saturating_add_unsigned(object.time_us)).ok());
            let time_ns = since_1970.unwrap_or(object.time_us).saturating_mul(1000);
            self.record(session, &descriptions, &object, time_ns)?;
            records += 1;
            if let Some(fix) = location(&object, time_ns) {
                self.known(session.number(), "location", "foxglove.LocationFix", location_schema, time_ns, &fix)?;
            }
            if object.name == "MSG"
                && let Some(text) = object.text("Message")
            {
                let log = json!({
                    "timestamp": timestamp(time_ns), "level": log_level(&text), "message": text,
                    "name": "MSG", "file": "", "line": 0,
                });
                self.known(session.number(), "log", "foxglove.Log", log_schema, time_ns, &log)?;
            }
            Ok::<(), io::Error>(())
        })?;
        Ok(records)
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.finish().map_err(failure)?;
        Ok(self.writer.into_inner().into_inner())
    }

    fn record(
        &mut self,
        session: &Session<'_>,
        descriptions: &[DescribedMessage],
        object: &Object<'_>,
        time_ns: u64,
    ) -> io::Result<()> {
        let key = (session.number(), object.name.to_owned(), object.instance.clone());
        let mut data = std::mem::take(&mut self.data);
        data.clear();
        data.push(b'{');
        data.extend_from_slice(object.members.get(1..).unwrap_or_default());
        data.push(b'}');
        if !self.channels.contains_key(&key) {
            let topic = match &object.instance {
                Some(instance) => format!("{}/{instance}", object.name),
                None => object.name.to_owned(),
            };
            let described = descriptions.iter().find(|message| message.name == object.name);
            let schema = schema(session, described, object.name, &data);
            self.open(key.clone(), &topic, object.name, &schema)?;
        }
        let written = self.send(&key, time_ns, &data);
        self.data = data;
        written
    }

    fn known(
        &mut self,
        session: usize,
        topic: &str,
        schema_name: &str,
        schema: fn() -> Value,
        time_ns: u64,
        message: &Value,
    ) -> io::Result<()> {
        // No type has such a name: it is longer than four characters.
        let key = (session, schema_name.to_owned(), None);
        if !self.channels.contains_key(&key) {
            self.open(key.clone(), topic, schema_name, &schema())?;
        }
        self.send(&key, time_ns, message.to_string().as_bytes())
    }

    fn open(
        &mut self,
        key: (usize, String, Option<String>),
        topic: &str,
        schema_name: &str,
        schema: &Value,
    ) -> io::Result<()> {
        let topic = if key.0 == 1 { format!("/{topic}") } else { format!("/{}/{topic}", key.0) };
        let schema =
            self.writer.add_schema(schema_name, JSON_SCHEMA, schema.to_string().as_bytes()).map_err(failure)?;
        let id = self.writer.add_channel(schema, &topic, JSON, &BTreeMap::new()).map_err(failure)?;
        self.channels.insert(key, Channel { id, sequence: 0 });
        Ok(())
    }

    fn send(&mut self, key: &(usize, String, Option<String>), time_ns: u64, data: &[u8]) -> io::Result<()> {
        let Some(channel) = self.channels.get_mut(key) else { return Ok(()) };
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.sequence,
            log_time: time_ns,
            publish_time: time_ns,
        };
        channel.sequence = channel.sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, data).map_err(failure)
    }
}

/// The error of the writer below, or what MCAP's own says.
fn failure(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// The JSON schema of a type, by one of its messages. A column that is null has a number in other messages.
/// Descriptions have the unit, what the log says about the column, and what it calls its values and bits.
fn schema(session: &Session<'_>, described: Option<&DescribedMessage>, name: &str, message: &[u8]) -> Value {
    let message: Map<String, Value> = serde_json::from_slice(message).unwrap_or_default();
    let rows = session.ardupilot().and_then(|log| tables::rows_named(log, name));
    let about = |label: &str| match (&rows, session.blackbox()) {
        (Some(rows), _) => rows.column(label).map_or_else(|_| String::new(), |column| about(&column, described)),
        (None, Some((_, tables))) => tables.column(label).map(|column| column.unit().to_owned()).unwrap_or_default(),
        (None, None) => String::new(),
    };
    let property = |(label, value): (&String, &Value)| {
        let mut property = match value {
            Value::String(_) => json!({ "type": "string" }),
            Value::Array(_) => json!({ "type": "array", "items": { "type": "number" } }),
            _ => json!({ "type": "number" }),
        };
        let about = about(label);
        if !about.is_empty() {
            property["description"] = about.into();
        }
        (label.clone(), property)
    };
    let properties: Map<String, Value> = message.iter().map(property).collect();
    let mut schema = json!({ "title": name, "type": "object", "properties": properties });
    if let Some(described) = described.filter(|described| !described.description.is_empty()) {
        schema["description"] = described.description.as_str().into();
    }
    schema
}

/// `deg; Roll, right positive.`, `What the vehicle does. 0: Pad, 3: Boost`.
fn about(column: &Column, described: Option<&DescribedMessage>) -> String {
    let unit = column.shown_unit();
    let described = described.and_then(|described| described.column(column.label()));
    let description = described.map_or("", |described| &described.description);
    let mut about = [unit, description].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
    if let Some(names) = column.value_names() {
        let values = names.values().iter().map(|named| format!("{}: {}", named.value, named.name));
        let bits = names.bits().iter().map(|named| format!("bit {}: {}", named.value, named.name));
        let names: Vec<String> = values.chain(bits).collect();
        let space = if about.is_empty() { "" } else { " " };
        about += &format!("{space}{}", names.join(", "));
    }
    about
}

/// `foxglove.LocationFix` of a GPS record or frame with a fix.
fn location(object: &Object<'_>, time_ns: u64) -> Option<Value> {
    let [latitude, longitude, altitude] = match object.name {
        "GPS" => ["Lat", "Lng", "Alt"],
        "gps" => ["GPS_coord[0]", "GPS_coord[1]", "GPS_altitude"],
        _ => return None,
    };
    let is_known = object.name != "GPS" || object.number("Status").is_none_or(track::has_fix);
    let [latitude, longitude] = [object.number(latitude)?, object.number(longitude)?];
    let is_first = object.instance.as_deref().is_none_or(|instance| instance == "0");
    (is_known && is_first && track::is_somewhere(latitude, longitude)).then(|| {
        json!({
            "timestamp": timestamp(time_ns), "frame_id": "", "latitude": latitude, "longitude": longitude,
            "altitude": object.number(altitude).unwrap_or(0.0),
            "position_covariance": [0, 0, 0, 0, 0, 0, 0, 0, 0], "position_covariance_type": 0,
        })
    })
}

fn timestamp(time_ns: u64) -> Value {
    json!({ "sec": time_ns / 1_000_000_000, "nsec": time_ns % 1_000_000_000 })
}

/// The schemas of Foxglove: <https://docs.foxglove.dev/docs/sdk/schemas>.
fn location_schema() -> Value {
    let number = json!({ "type": "number" });
    json!({
        "title": "foxglove.LocationFix", "type": "object",
        "properties": {
            "timestamp": timestamp_schema(), "frame_id": { "type": "string" },
            "latitude": number, "longitude": number, "altitude": number,
            "position_covariance": { "type": "array", "items": number, "minItems": 9, "maxItems": 9 },
            "position_covariance_type": { "type": "integer" },
        },
    })
}

fn log_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "title": "foxglove.Log", "type": "object",
        "properties": {
            "timestamp": timestamp_schema(), "level": { "type": "integer" }, "message": text,
            "name": text, "file": text, "line": { "type": "integer" },
        },
    })
}

fn timestamp_schema() -> Value {
    let integer = json!({ "type": "integer" });
    json!({ "type": "object", "title": "time", "properties": { "sec": integer, "nsec": integer } })
}

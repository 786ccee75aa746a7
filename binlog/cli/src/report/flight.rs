//! A session as the rules see it: its columns by the names of several firmwares, and when it flew.

use super::rules::Rules;
use crate::any_log::{Mode, Session};
use crate::intervals::Intervals;
use crate::log_info::SessionInfo;
use crate::parameters::{self, Parameters};
use binlog::Scaling;
use binlog::blackbox::Event;
use binlog::log::{DamagedLine, Numbers, Rows, Vehicle};
use std::cell::{Cell, OnceCell};

/// A session, and what the rules ask of it.
pub(super) struct Flight<'s> {
    pub(super) session: &'s Session<'s>,
    pub(super) facts: &'s SessionInfo,
    pub(super) rules: &'s Rules,
    /// The lines of a text log that can't be read, or not as a whole.
    pub(super) damaged_lines: Vec<&'s DamagedLine>,
    /// When it was armed; always, if the log doesn't say when.
    pub(super) armed: Intervals,
    pub(super) vehicle: Option<Vehicle>,
    pub(super) modes: Vec<Mode>,
    parameters: OnceCell<Parameters>,
    texts: OnceCell<Vec<(u64, String)>>,
    /// What a rule lacks.
    lacking: Cell<Option<String>>,
}

/// Rows of one sensor: a type, an instance of it, or frames of a Blackbox log.
pub(super) struct Sensor<'s> {
    /// `VIBE[0]`; empty for the frames of a Blackbox log.
    pub(super) name: String,
    pub(super) times_us: Vec<u64>,
    /// The asked columns, those that it has.
    columns: Vec<SensorColumn>,
    /// `None` for a Blackbox log.
    rows: Option<Rows<'s>>,
    /// The offsets of the rows, if a place was asked for.
    offsets: OnceCell<Vec<usize>>,
}

struct SensorColumn {
    label: String,
    unit: String,
    values: Vec<f64>,
}

/// A column that a chart shows.
#[derive(Clone)]
pub(super) struct Curve<'c> {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) times_us: &'c [u64],
    pub(super) values: std::borrow::Cow<'c, [f64]>,
}

impl<'s> Flight<'s> {
    pub(super) fn new(
        session: &'s Session<'s>,
        facts: &'s SessionInfo,
        rules: &'s Rules,
        lines: &'s [DamagedLine],
    ) -> Self {
        let log = session.ardupilot();
        let is_said =
            log.is_none_or(|log| ["ARM", "EV"].iter().any(|name| log.rows(name).is_ok_and(|rows| !rows.is_empty())));
        let armed = if is_said { Intervals::new(session.armed()) } else { Intervals::everything() };
        let vehicle = log.and_then(|log| log.vehicle());
        let (modes, parameters, texts) = (session.modes(), OnceCell::new(), OnceCell::new());
        // A line after the last record is one of its boot.
        let range = session.range();
        let is_of_session = |line: &&DamagedLine| (range.start..=range.end).contains(&line.place);
        let damaged_lines = lines.iter().filter(is_of_session).collect();
        Flight {
            session,
            facts,
            rules,
            damaged_lines,
            armed,
            vehicle,
            modes,
            parameters,
            texts,
            lacking: Cell::new(None),
        }
    }

    /// The answer of a rule that lacks something else than the columns of its table.
    pub(super) fn lacks<T>(&self, what: String) -> Option<T> {
        self.lacking.set(Some(what));
        None
    }

    /// What the last rule said that it lacks.
    pub(super) fn take_lacking(&self) -> Option<String> {
        self.lacking.take()
    }

    /// The last value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters().get(name)?.last()
    }

    pub(super) fn parameters(&self) -> &Parameters {
        self.parameters.get_or_init(|| parameters::of_session(self.session, &Intervals::everything()))
    }

    /// The time of the record before a place of the log, in seconds.
    pub(super) fn time_s_before(&self, offset: usize) -> Option<f64> {
        let log = self.session.ardupilot()?;
        let offset = offset.checked_sub(self.session.range().start)?;
        let before = log.records().flatten().take_while(|record| record.offset() < offset);
        before.last()?.time_us().map(|time_us| time_us as f64 / 1e6)
    }

    /// How long it was armed, in seconds.
    pub(super) fn armed_s(&self) -> f64 {
        let (from_us, to_us) = self.range_us();
        let part_us = |part: &std::ops::Range<u64>| part.end.min(to_us).saturating_sub(part.start.max(from_us));
        self.armed.ranges().iter().map(part_us).sum::<u64>() as f64 / 1e6
    }

    /// The range of the session's times.
    pub(super) fn range_us(&self) -> (u64, u64) {
        let us = |seconds: Option<f64>| seconds.map_or(0, |seconds| (seconds * 1e6).round() as u64);
        (us(self.facts.from_s), us(self.facts.to_s))
    }

    /// The sensors of these types: one for each instance and definition. Old firmware numbers them in the names of
    /// types, as in MAG and MAG2.
    pub(super) fn sensors(&self, types: &[&str], labels: &[&str]) -> Vec<Sensor<'s>> {
        let Some(log) = self.session.ardupilot() else { return Vec::new() };
        let mut sensors = Vec::new();
        for name in types {
            let Ok(rows) = log.rows(name) else { continue };
            let mut instances: Vec<Rows<'s>> = rows.by_instance().map(|(_, rows)| rows).collect();
            if instances.is_empty() {
                instances.push(rows);
            }
            sensors.extend(instances.iter().flat_map(|rows| Sensor::of_rows(rows, labels)));
        }
        sensors
    }

    /// The main frames of a Blackbox log, with the columns that it has.
    pub(super) fn frames(&self, table: &str, labels: &[&str]) -> Option<Sensor<'s>> {
        self.session.blackbox()?;
        let table = self.session.table(table, Some(labels)).ok()?.into_iter().next()?;
        let of_column = |column: &crate::columns::Column<'_>| {
            Some(SensorColumn {
                label: column.label().to_owned(),
                unit: column.unit(Scaling::Units).to_owned(),
                values: column.numbers(Scaling::Units)?,
            })
        };
        let columns: Vec<SensorColumn> = table.columns().iter().filter_map(of_column).collect();
        let sensor = Sensor {
            name: String::new(),
            times_us: table.times_us().to_vec(),
            columns,
            rows: None,
            offsets: OnceCell::new(),
        };
        (!sensor.times_us.is_empty() && !sensor.columns.is_empty()).then_some(sensor)
    }

    /// The texts of the log; of a Blackbox log, its events.
    pub(super) fn texts(&self) -> &[(u64, String)] {
        self.texts.get_or_init(|| self.read_texts())
    }

    fn read_texts(&self) -> Vec<(u64, String)> {
        if let Some(log) = self.session.ardupilot() {
            return log.texts().into_iter().map(|text| (text.time_us, text.text)).collect();
        }
        let events = self.session.blackbox().map(|(_, tables)| tables.events()).unwrap_or_default();
        let is_told = |event: &Event| !matches!(event, Event::FlightMode { .. } | Event::End { .. });
        let told = events.iter().filter(|event| is_told(&event.event));
        told.map(|event| (event.time_us, crate::plot::moments::event_text(&event.event))).collect()
    }
}

impl<'s> Sensor<'s> {
    fn of_rows(rows: &Rows<'s>, labels: &[&str]) -> Vec<Self> {
        // A type that is defined again has columns of several kinds.
        let pieces: Vec<Rows<'s>> = rows.by_definition().collect();
        let mut sensors = Vec::new();
        for rows in pieces.into_iter().filter(|rows| !rows.is_empty()) {
            let known = rows.labels();
            let labels: Vec<&str> = labels.iter().copied().filter(|label| known.contains(label)).collect();
            let Ok(columns) = rows.columns(&labels, Numbers::F64(Scaling::Units)) else { continue };
            let of_column = |(label, column): (&&str, &binlog::log::Column)| {
                let values = column.to_f64(Scaling::Units)?;
                Some(SensorColumn { label: (*label).to_owned(), unit: column.unit().to_owned(), values })
            };
            let columns: Vec<SensorColumn> = labels.iter().zip(&columns).filter_map(of_column).collect();
            if !columns.is_empty() {
                let name = rows.name().to_owned();
                sensors.push(Sensor {
                    name,
                    times_us: rows.times_us(),
                    columns,
                    rows: Some(rows),
                    offsets: OnceCell::new(),
                });
            }
        }
        sensors
    }

    fn find(&self, label: &str) -> Option<&SensorColumn> {
        self.columns.iter().find(|column| column.label == label)
    }

    pub(super) fn column(&self, label: &str) -> Option<&[f64]> {
        Some(&self.find(label)?.values)
    }

    pub(super) fn unit(&self, label: &str) -> &str {
        self.find(label).map_or("", |column| &column.unit)
    }

    /// The full name of a column: `VIBE[0].VibeX`, `gyroADC[0]`.
    pub(super) fn name_of(&self, label: &str) -> String {
        if self.name.is_empty() { label.to_owned() } else { format!("{}.{label}", self.name) }
    }

    pub(super) fn curve(&self, label: &str) -> Option<Curve<'_>> {
        let SensorColumn { unit, values, .. } = self.find(label)?;
        Some(Curve {
            name: self.name_of(label),
            unit: unit.clone(),
            times_us: &self.times_us,
            values: values.as_slice().into(),
        })
    }

    /// The offset of a row in its session; `None` for a Blackbox log.
    pub(super) fn offset(&self, row: usize) -> Option<usize> {
        let rows = self.rows.as_ref()?;
        self.offsets.get_or_init(|| rows.offsets().collect()).get(row).copied()
    }
}

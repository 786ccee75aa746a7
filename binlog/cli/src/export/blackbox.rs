//! The frames and events of a Blackbox session as tables.

use super::choice::Choice;
use super::chosen_table::{Cells, ChosenColumn, ChosenTable, Scale};
use binlog::blackbox::log::{LoggedEvent, Session, Tables};
use binlog::blackbox::{Adjusted, Event, Header, Quantity};

/// What numbers with one to seven decimals are multiplied by.
const POWERS: [f64; 7] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// How the number of a field is shown: in its unit, if it has one.
pub(super) fn scale(header: &Header<'_>, field: &str) -> Scale {
    match Quantity::of(header, field) {
        // The time stays what it is in the log, as in `TimeUS`.
        _ if field == "time" => Scale::One,
        None => Scale::One,
        Some(Quantity { zero: 0.0, factor: 1.0, .. }) => Scale::One,
        Some(quantity @ Quantity { zero, factor, .. }) => {
            // Dividing by a power of ten is exact: 50.397491, not 50.397490999999995.
            let decimals = POWERS.iter().position(|power| *power == factor).map(|place| place as u32 + 1);
            decimals.filter(|_| zero == 0.0).map_or(Scale::Linear(quantity), Scale::Decimals)
        }
    }
}

/// The tables of a Blackbox session: one for each letter, and one of the events.
pub(super) fn tables(session: &Session<'_>, tables: &Tables, choice: &Choice) -> Vec<ChosenTable> {
    let mut all = Vec::new();
    for table in tables.tables() {
        let name = table.name();
        let wanted = table.columns().iter().filter(|column| choice.has_column(&name, column.name()));
        let column = |column: &binlog::blackbox::log::Column| ChosenColumn {
            label: column.name().into(),
            unit: if column.name() == "time" { "µs" } else { column.unit() }.into(),
            description: String::new(),
            cells: Cells::Logged(column.values().clone()),
            scale: scale(session.header(), column.name()),
            names: None,
            is_chosen: None,
        };
        let columns: Vec<ChosenColumn> = wanted.map(column).collect();
        if choice.has_type(&name) && !columns.is_empty() {
            let times_us = table.times_us().to_vec();
            all.push(ChosenTable { name, description: String::new(), times_us, columns, instance: None });
        }
    }
    all.extend(choice.has_type("events").then(|| of_events(tables.events(), choice)));
    all
}

/// Events have a name, and a text with what belongs to it.
fn of_events(events: &[LoggedEvent], choice: &Choice) -> ChosenTable {
    let column = |label: &str, text: fn(&Event) -> String| ChosenColumn {
        label: label.into(),
        unit: String::new(),
        description: String::new(),
        cells: Cells::Text(events.iter().map(|logged| text(&logged.event)).collect()),
        scale: Scale::One,
        names: None,
        is_chosen: None,
    };
    let columns =
        vec![column("Event", |event| described(event).0.into()), column("Detail", |event| described(event).1)];
    ChosenTable {
        name: "events".into(),
        description: String::new(),
        times_us: events.iter().map(|logged| logged.time_us).collect(),
        columns: columns.into_iter().filter(|column| choice.has_column("events", &column.label)).collect(),
        instance: None,
    }
}

/// The name of an event, and what belongs to it.
pub(crate) fn described(event: &Event) -> (&'static str, String) {
    match event {
        Event::SyncBeep { time } => ("SyncBeep", format!("time={time}")),
        Event::Adjustment { function, value: Adjusted::Integer(value) } => {
            ("Adjustment", format!("function={function} value={value}"))
        }
        Event::Adjustment { function, value: Adjusted::Float(value) } => {
            ("Adjustment", format!("function={function} value={value}"))
        }
        Event::Resume { iteration, time } => ("Resume", format!("iteration={iteration} time={time}")),
        Event::Disarm { reason } => ("Disarm", format!("reason={reason}")),
        Event::FlightMode { new, old } => ("FlightMode", format!("new={new} old={old}")),
        Event::ImuFailure { error } => ("ImuFailure", format!("error={error}")),
        Event::End { disarm_reason: Some(reason) } => ("End", format!("reason={reason}")),
        Event::End { disarm_reason: None } => ("End", String::new()),
        other => ("Unknown", format!("id={}", other.id())),
    }
}

//! How long the columns of a log are in the states that have names.

use binlog::Log;
use binlog::log::{Rows, StateInterval};

/// A column whose values or bits have names in the log.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnStates {
    /// `PHAS.Phase`, `ESC[1].State`.
    pub column: String,
    /// Its states, in the order in which they first occur.
    pub states: Vec<State>,
}

/// A state of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The name, or the number of a value without one.
    pub name: String,
    /// The stored value.
    pub value: i128,
    /// How often it begins.
    pub count: u64,
    /// How long it lasts in all, in microseconds.
    pub duration_us: u64,
}

/// What isn't listed again: modes and arming have their own lines, and a firmware has one type.
const LISTED_ALREADY: [&str; 3] = ["MODE", "ARM", "VER"];

/// The columns of a boot that are in a state with a name at any time.
pub(super) fn of_log(log: &Log<'_>) -> Vec<ColumnStates> {
    let descriptions = log.descriptions();
    let mut all = Vec::new();
    let described = log.types().filter(|rows| descriptions.iter().any(|message| message.name == rows.name()));
    for rows in described.filter(|rows| !LISTED_ALREADY.contains(&rows.name())) {
        let separates = rows.definitions().find_map(|definition| definition.instance_column());
        let labels = rows.labels().into_iter().filter(|label| separates.is_none_or(|column| column.label != *label));
        let named: Vec<&str> = labels.filter(|label| rows.value_names(label).is_some()).collect();
        if named.is_empty() {
            continue;
        }
        let mut instances: Vec<Rows<'_>> = rows.by_instance().map(|(_, rows)| rows).collect();
        if instances.is_empty() {
            instances.push(rows);
        }
        for rows in instances {
            let columns = named.iter().filter_map(|label| Some((*label, rows.states(label).ok()?)));
            let named = columns.filter(|(_, intervals)| intervals.iter().any(|interval| interval.name.is_some()));
            all.extend(named.map(|(label, intervals)| ColumnStates {
                column: format!("{}.{label}", rows.name()),
                states: totals(&intervals),
            }));
        }
    }
    all
}

fn totals(intervals: &[StateInterval]) -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    for StateInterval { time_us, value, name } in intervals {
        let place = states.iter().position(|state| state.value == *value).unwrap_or_else(|| {
            let name = name.clone().unwrap_or_else(|| value.to_string());
            states.push(State { name, value: *value, count: 0, duration_us: 0 });
            states.len() - 1
        });
        states[place].count += 1;
        states[place].duration_us += time_us.end - time_us.start;
    }
    states
}

//! The tables of an ArduPilot log: one for each type, or for each instance of it.

use crate::topic::Table;
use binlog::log::{ColumnSchema, Numbers, Rows, SelectError};
use binlog::{Log, LoggedDefinition, Scaling};
use std::ops::RangeInclusive;

/// Numbers as ArduPilot's own programs show them.
pub const NUMBERS: Numbers = Numbers::Scaled(Scaling::Shown);

/// The types that are shown. What definitions say is in names and units.
pub fn types<'l>(log: &'l Log<'_>) -> impl Iterator<Item = Rows<'l>> {
    log.types().filter(|rows| !LoggedDefinition::DEFINING.contains(&rows.name()))
}

/// The records of a type, in parts that have one schema and one instance each.
pub fn parts<'l>(rows: &Rows<'l>) -> Vec<Rows<'l>> {
    let has_instances = |definition: LoggedDefinition<'_>| definition.instance_column().is_some();
    let with_instances = rows.definitions().filter(|definition| has_instances(*definition)).count();
    let is_one = (with_instances == 0 || with_instances == rows.definitions().count()) && rows.schema(NUMBERS).is_ok();
    let definitions = if is_one { vec![rows.clone()] } else { rows.by_definition().collect() };
    let by_instance = |rows: Rows<'l>| {
        let instances: Vec<Rows<'l>> = rows.by_instance().map(|(_, rows)| rows).collect();
        if instances.is_empty() { vec![rows] } else { instances }
    };
    definitions.into_iter().flat_map(by_instance).collect()
}

/// A table of records, which are of one schema. `counted` are the times of the log that aren't damaged; `None` if it
/// has no times.
pub fn table(rows: &Rows<'_>, counted: Option<RangeInclusive<u64>>) -> Result<Table, SelectError> {
    let schema = rows.schema(NUMBERS)?;
    let labels: Vec<&str> = schema.columns.iter().map(|column| &*column.label).collect();
    let decoded = rows.columns(&labels, NUMBERS)?;
    let mut names = Vec::new();
    for (place, column) in decoded.iter().enumerate().filter(|(_, column)| column.value_names().is_some()) {
        let name = |row| column.value_name(row).map(|name| name.into_owned());
        names.push((place, (0..column.len()).map(name).collect()));
    }
    let values = decoded.into_iter().map(binlog::log::Column::into_values);
    let columns: Vec<(ColumnSchema, _)> = schema.columns.into_iter().zip(values).collect();
    Ok(Table {
        name: rows.name().to_owned(),
        times_us: counted.is_some().then(|| rows.times_us()),
        counted: counted.unwrap_or(0..=0),
        columns,
        names,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use binlog::log::{Kind, Values};
    use binlog::messages::{Mode, Msg};
    use binlog::{LogSchema, LogWriter};

    #[derive(LogSchema)]
    enum FlightLog {
        Mode(Mode),
        Msg(Msg),
    }

    #[test]
    fn a_mode_has_its_number_and_its_name() {
        let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
        log.text(0, "ArduCopter V4.6.0").expect("memory takes all");
        log.mode(1_000_000, 5, 0).expect("memory takes all");
        log.mode(2_000_000, 100, 0).expect("memory takes all");
        let log = Log::from_bytes(log.finish().expect("memory takes all"));
        let names: Vec<String> = types(&log).map(|rows| rows.name().to_owned()).collect();
        assert_eq!(names, ["MODE", "MSG"]);
        let rows = log.rows("MODE").expect("a type of the log");
        let table = table(&parts(&rows)[0], log.time_range_us()).expect("one schema");
        assert_eq!((&*table.name, table.times_us), ("MODE", Some(vec![1_000_000, 2_000_000])));
        let place = table.columns.iter().position(|(column, _)| column.label == "ModeNum").expect("a column");
        assert_eq!(table.columns[place].0.kind, Kind::U8);
        assert_eq!(table.columns[place].1, Values::U8(vec![5, 100].into()));
        let (_, names) = table.names.iter().find(|(of, _)| *of == place).expect("names");
        assert_eq!(names, &[Some("LOITER".to_owned()), None]);
    }
}

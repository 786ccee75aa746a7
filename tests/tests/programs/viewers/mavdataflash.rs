//! The Python package `mavdataflash` 3.0.0, which makes data frames of pymavlink's records.

use super::{every_format, flight, without_half};
use binlog::{Log, LoggedColumn, LoggedSchema, Record};
use binlog_tests::pymavlink;
use binlog_tests::viewer::{self, LogFile, Printed, Viewer, assert_shows, number, stored};
use serde_json::{Value as Json, json};

/// The places in its source are in `MAVdataflash.py` and `DataFlashDict.py`.
struct Mavdataflash;

impl Viewer for Mavdataflash {
    /// `_extract` can't join records with an array.
    fn has_message(&self, message: &str) -> bool {
        message != "ISBD"
    }

    /// `_getInstance` goes by the label.
    fn has_instances(&self, column: &LoggedColumn<'_>) -> bool {
        ["I", "Instance"].contains(&column.label)
    }

    /// `_dunits` has ArduPilot's names, except for seconds. Multipliers are ignored.
    fn unit(&self, schema: &LoggedSchema, column: &LoggedColumn<'_>) -> Json {
        match column.unit_id {
            Some(b's') => json!("sec"),
            Some(unit) => json!(schema.unit_name(unit)),
            None => Json::Null,
        }
    }

    fn value(&self, _schema: &LoggedSchema, record: &Record<'_>, column: &LoggedColumn<'_>) -> Option<Json> {
        let value = stored(record, column);
        Some(value.to_f64().map_or_else(|| json!(value.to_string()), number))
    }
}

fn printed(log: &[u8]) -> Option<Printed> {
    let mut program = pymavlink::command(&viewer::program("mavdataflash.py"), &["MAVdataflash"])?;
    Some(viewer::run(program.arg(LogFile::new(log).path())))
}

#[test]
fn mavdataflash_shows_the_simulators_log_as_its_rules_say() {
    let log = flight();
    let Some(printed) = printed(&log) else { return };
    assert_shows("mavdataflash", &printed.shown(), &Log::from_bytes(&log), &Mavdataflash);
}

/// `_dtypes` lacks `g`; `_dunits` lacks B/s, l, l/s, N.m and custom units.
#[test]
fn mavdataflash_refuses_logs_with_units_or_formats_that_it_doesnt_know() {
    let Some(refused) = printed(&every_format(without_half)) else { return };
    assert!(!refused.status.success() && refused.stderr.contains("KeyError"), "{refused:?}");
}

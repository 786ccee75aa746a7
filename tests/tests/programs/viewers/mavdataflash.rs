//! The Python package `mavdataflash` 3.0.0, which makes data frames of pymavlink's records.

use super::flight;
use binlog::{Log, LogMessage, LogSchema, LogWriter, LoggedColumn, LoggedSchema, Record, Unit};
use binlog_tests::pymavlink;
use binlog_tests::viewer::{self, LogFile, Printed, Viewer, assert_shows, number, stored};
use serde_json::{Value as Json, json};
use zerocopy::{Immutable, IntoBytes};

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

/// A log of one message with one value, whose column has this type and these attributes.
macro_rules! log_of {
    ($type:ty, $($attributes:tt)*) => {{
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = "ONE")]
        #[repr(C, packed)]
        struct One {
            time_us: u64,
            #[log($($attributes)*)]
            value: $type,
        }

        #[derive(LogSchema)]
        enum OneLog {
            One(One),
        }

        let mut log = LogWriter::<OneLog, _>::new(Vec::new()).expect("memory takes all");
        log.write(&One { time_us: 2500, value: Default::default() }).expect("memory takes all");
        log.finish().expect("memory takes all")
    }};
}

/// `_dtypes` lacks `g`; `_dunits` lacks B/s, l, l/s, N.m and custom units.
#[test]
fn mavdataflash_refuses_logs_with_an_unknown_unit_or_format() {
    const TESLA: Unit = Unit::custom('T', "uT");
    let known = log_of!(f32, unit = "m");
    let Some(shown) = printed(&known) else { return };
    assert_shows("mavdataflash", &shown.shown(), &Log::from_bytes(&known), &Mavdataflash);
    for (what, log) in [
        ("g", log_of!(half::f16, allow(half_precision))),
        ("B/s", log_of!(f32, unit = "B/s")),
        ("l", log_of!(f32, unit = "l")),
        ("l/s", log_of!(f32, unit = "l/s")),
        ("N.m", log_of!(f32, unit = "N.m")),
        ("a custom unit", log_of!(f32, unit = TESLA)),
    ] {
        let Some(refused) = printed(&log) else { return };
        assert!(!refused.status.success() && refused.stderr.contains("KeyError"), "{what}: {refused:?}");
    }
}

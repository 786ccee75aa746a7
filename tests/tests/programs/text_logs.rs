//! Text logs beside pymavlink's `DFReader_text`: every value of every record.
//!
//! Where the two differ: pymavlink ends a text at a comma with a space, and skips a record whose last text is empty.

use binlog::{AnyLog, Format, LoggedColumn, Value};
use binlog_tests::pymavlink::{self, parse_float};
use binlog_tests::{logs, text_log};
use serde_json::json;

/// Values of all records of a text log compared; `None` without pymavlink.
fn compare(name: &str, text: &[u8]) -> Option<usize> {
    let theirs = pymavlink::dump_text(text)?;
    let Ok(AnyLog::ArduPilot(log)) = AnyLog::from_bytes(text) else { panic!("{name} isn't a text log") };
    assert_eq!(log.damaged_lines(), Some(&[][..]), "{name}");
    let is_read = |record: &binlog::Record<'_>| {
        let last = record.values().last().and_then(|(_, value)| value.text());
        record.name() == "FMT" || last.is_none_or(|last| !last.as_bytes().is_empty())
    };
    let mut ours = log.records().flatten().filter(is_read);
    let mut values = 0;
    for their in &theirs {
        let record = ours.next().unwrap_or_else(|| panic!("{name}: pymavlink has more records"));
        assert_eq!(record.name(), their["type"], "{name}");
        let labels: Vec<&str> = record.values().map(|(column, _)| column.label).collect();
        let their_values = their["values"].as_array().expect("a list");
        assert_eq!(json!(labels), their["labels"], "{name}");
        for ((column, value), their) in record.values().zip(their_values) {
            // A definition may have another length and other labels in the text, and flight modes as text.
            if record.name() != "FMT" || matches!(column.label, "Type" | "Name") {
                assert!(
                    is_same(&column, &value, their),
                    "{name}: {}.{}: {value} and {their}",
                    record.name(),
                    column.label
                );
                values += 1;
            }
        }
    }
    assert!(ours.next().is_none(), "{name}: pymavlink has fewer records");
    Some(values)
}

fn is_same(column: &LoggedColumn<'_>, value: &Value<'_>, their: &serde_json::Value) -> bool {
    match value {
        Value::Float(value) => {
            let their = parse_float(their);
            // pymavlink doesn't round what the log stores in 32 bits.
            let their = if column.format == Format::F32 { f64::from(their as f32) } else { their };
            *value == their || (value.is_nan() && their.is_nan())
        }
        Value::Hundredths(_) | Value::Coordinate(_) => value.to_f64() == Some(parse_float(their)),
        Value::Text(text) => text.to_string().split(", ").next() == their.as_str(),
        Value::Samples(samples) => json!(format!("[{}]", samples.map(|sample| sample.to_string()).join(" "))) == *their,
        // A mode is text to pymavlink.
        number if column.format == Format::FlightMode => json!(number.to_string()) == *their,
        number => number.to_integer().map(|integer| integer.to_string()) == Some(their.to_string()),
    }
}

#[test]
fn text_logs_have_the_values_that_pymavlink_reads() {
    const LONGEST: usize = 2 << 20;
    let mut all = 0;
    for (name, bytes) in logs::all() {
        let text = text_log::as_text(&bytes);
        // pymavlink takes a minute for 100 MB; and it doesn't read the lines of a file's contents.
        let text = &text[..text.len().min(LONGEST)];
        let whole = &text[..text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)];
        let names = ["FILE", "UNKW"];
        let is_record = |line: &&[u8]| {
            let name = line.split(|byte| *byte == b',').next().unwrap_or_default();
            name.len() <= 4
                && name.first().is_some_and(u8::is_ascii_uppercase)
                && !names.iter().any(|no| no.as_bytes() == name)
        };
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').filter(is_record).collect();
        let Some(values) = compare(&name, &lines.concat()) else { return };
        all += values;
    }
    assert!(all > 10_000);
}

#[test]
fn a_log_of_an_apm_board_is_read_as_pymavlink_does() {
    let log = "58\r\n\r\nArduCopter V3.0.1\r\nFree RAM: 1273\r\nAPM 2\r\n\
        FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format\r\nFMT, 129, 23, PARM, Nf, Name,Value\r\n\
        FMT, 130, 35, GPS, BIBcLLeeEe, Status,Time,NSats,HDop,Lat,Lng,RelAlt,Alt,Spd,GCrs\r\n\
        FMT, 132, 67, MSG, Z, Message\r\nFMT, 8, 20, CMD, BBBBBeLL, CTot,CNum,CId,COpt,Prm1,Alt,Lat,Lng\r\n\
        FMT, 17, 37, INAV, cccfffiiff, BAlt,IAlt,IClb,ACorrX,ACorrY,ACorrZ,GLat,GLng,ILat,ILng\r\n\
        FMT, 3, 6, MODE, Mh, Mode,ThrCrs\r\nFMT, 10, 3, STRT, , \r\nFMT, 13, 4, EV, B, Id\r\n\
        PARM, LOG_BITMASK, -22530.000000\r\nPARM, COMPASS_MOT_X, NaN\r\nPARM, GND_ABS_PRESS, 101505.170000\r\n\
        MSG, ArduCopter V3.0.1 (5c6503e2)\r\nCMD, 8, 1, 22, 1, 0, 7.62, 0.0000000, 0.0000000\r\nMODE, LOITER, 494\r\n\
        GPS, 3, 308900200, 10, 1.49, 24.2398205, -54.5793101, -0.19, 9.48, 0.01, 347.24\r\nEV, 10\r\n\
        INAV, 0.25, -0.29, 3.27, 1.000000, 3.118068E-05, -0.000000, 5, -5, 0.1, 1e10\r\nMODE, Stabilize, 424\r\n";
    for log in [log.to_owned(), log.replace("\r\n", "\n")] {
        if let Some(values) = compare("a board's", log.as_bytes()) {
            assert_eq!(values, 58);
        }
    }
}

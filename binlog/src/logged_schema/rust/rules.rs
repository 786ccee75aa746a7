//! Finds definitions that break a rule of the derive and so need `as_logged`.
//!
//! The rules are those of binlog-derive's `check.rs` and `label.rs`, which explain them. A test there checks that both
//! agree.

use crate::catalogue::definition::{LoggedColumn, LoggedDefinition};
use crate::format::Format;

/// Names whose layout readers rely on.
const FIXED_LAYOUTS: [&str; 13] =
    ["FMT", "FMTU", "UNIT", "MULT", "PARM", "MSG", "VER", "MODE", "GPS", "GPS2", "FILE", "ISBH", "ISBD"];

/// Labels by which pymavlink recognises messages of PX4.
const TAKEN_LABELS: [(&str, &str); 2] = [("TIME", "StartTime"), ("STAT", "MainState")];

/// Attributes and methods of pymavlink's messages.
const PYMAVLINK: [&str; 13] = [
    "fmt",
    "to_dict",
    "get_type",
    "get_msgbuf",
    "get_fieldnames",
    "dump_verbose",
    "dump_verbose_bitmask",
    "mavpackettype",
    "_timestamp",
    "_elements",
    "_fieldnames",
    "_parent",
    "_apply_multiplier",
];

const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a definition with consistent columns breaks a rule.
pub(super) fn are_broken_by(definition: &LoggedDefinition<'_>, columns: &[LoggedColumn<'_>]) -> bool {
    let name = definition.name();
    let label_is_wrong = |(i, column): (usize, &LoggedColumn<'_>)| {
        breaks_label(column.label)
            || TAKEN_LABELS.contains(&(name, column.label))
            || columns[..i].iter().any(|other| other.label == column.label)
    };
    breaks_name(name)
        || columns.iter().enumerate().any(label_is_wrong)
        || columns.first().is_none_or(breaks_time)
        || columns.iter().enumerate().skip(1).any(|(i, column)| breaks_scaling(i, column))
}

/// Rule 4, for a name of at most 4 bytes.
fn breaks_name(name: &str) -> bool {
    let upper = |c: char| c.is_ascii_uppercase() || c == '_';
    FIXED_LAYOUTS.contains(&name)
        || name == "MAV"
        || name.starts_with("MSG")
        || !name.starts_with(upper)
        || name.chars().any(|c| !upper(c) && !c.is_ascii_digit())
        || name.len() < 2
}

/// Rule 3.
fn breaks_label(label: &str) -> bool {
    label.is_empty()
        || label.chars().any(|c| !c.is_ascii_alphanumeric() && c != '_')
        || label.starts_with(|c: char| c.is_ascii_digit())
        || PYTHON_KEYWORDS.contains(&label)
        || PYMAVLINK.contains(&label)
        || (label.starts_with("__") && label.ends_with("__"))
}

/// Rule 6, for the first column.
fn breaks_time(column: &LoggedColumn<'_>) -> bool {
    column.label != "TimeUS"
        || column.format != Format::U64
        || column.unit_id.is_some_and(|id| id != b's')
        || column.multiplier_id.is_some_and(|id| id != b'F')
}

/// Rules 7 and 8, for the other columns.
fn breaks_scaling(i: usize, column: &LoggedColumn<'_>) -> bool {
    let (Some(unit), Some(multiplier)) = (column.unit_id, column.multiplier_id) else { return false };
    let is_broken = match column.format {
        format if unit == b'#' => i != 1 || !matches!(format, Format::U8 | Format::I8) || multiplier != b'-',
        format if format.is_centi() => !matches!(multiplier, b'B' | b'-'),
        Format::Coordinate => !(multiplier == b'G' && matches!(unit, b'D' | b'U')),
        format if format.is_text() => (unit, multiplier) != (b'-', b'-'),
        _ => false,
    };
    is_broken || breaks_axis(column.label, unit)
}

/// A latitude in degrees of longitude, or vice versa.
fn breaks_axis(label: &str, unit: u8) -> bool {
    let label = label.to_ascii_lowercase();
    match unit {
        b'U' => matches!(label.as_str(), "lat" | "latitude"),
        b'D' => matches!(label.as_str(), "lon" | "lng" | "long" | "longitude"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{Row, schema};

    /// Whether the source of a message has `as_logged`.
    fn is_as_logged(row: Row<'_>) -> bool {
        let rust = schema(&[row]).to_rust();
        assert_eq!(rust.left_out, [], "{row:?}");
        rust.source.contains("as_logged")
    }

    #[test]
    fn as_logged_is_written_where_a_rule_is_broken_and_nowhere_else() {
        let sound: [Row<'_>; 12] = [
            (1, "ATT", "Qcf", "TimeUS,Roll,Yaw", "sdh", "FB0"),
            // Without FMTU, no rule is broken.
            (1, "ATT", "QcLZ", "TimeUS,Roll,Lat,Text", "", ""),
            (1, "_A1", "QB", "TimeUS,I", "s#", "F-"),
            (1, "ATT", "Qb", "TimeUS,I", "s#", "F-"),
            (1, "ATT", "QE", "TimeUS,Roll", "s-", "F-"),
            (1, "ATT", "QL", "TimeUS,Lat", "sD", "FG"),
            (1, "ATT", "QL", "TimeUS,Lng", "sU", "FG"),
            (1, "ATT", "QL", "TimeUS,X", "sU", "FG"),
            (1, "ATT", "QnNZ", "TimeUS,A,B,C", "s---", "F---"),
            (1, "ATT", "Qd", "TimeUS,Roll", "sd", "FB"),
            (1, "TIME", "QB", "TimeUS,MainState", "s-", "F-"),
            (1, "ATT", "QaMg", "TimeUS,A,B,C", "s-?m", "F?21"),
        ];
        for row in sound {
            assert!(!is_as_logged(row), "{row:?}");
        }
        let broken: [Row<'_>; 26] = [
            (1, "A", "QB", "TimeUS,X", "s-", "F-"),
            (1, "att", "QB", "TimeUS,X", "s-", "F-"),
            (1, "1AB", "QB", "TimeUS,X", "s-", "F-"),
            (1, "MAV", "QB", "TimeUS,X", "s-", "F-"),
            (1, "MSGX", "QB", "TimeUS,X", "s-", "F-"),
            (1, "GPS2", "QB", "TimeUS,X", "s-", "F-"),
            (1, "ATT", "QB", "TimeUS,1", "s-", "F-"),
            (1, "ATT", "QB", "TimeUS,", "s-", "F-"),
            (1, "ATT", "QB", "TimeUS,None", "s-", "F-"),
            (1, "ATT", "QBB", "TimeUS,X,X", "s--", "F--"),
            (1, "TIME", "QB", "TimeUS,StartTime", "s-", "F-"),
            (1, "ATT", "IB", "TimeMS,X", "--", "--"),
            (1, "ATT", "IB", "TimeUS,X", "s-", "F-"),
            (1, "ATT", "QB", "TimeUS,X", "--", "F-"),
            (1, "ATT", "QB", "TimeUS,X", "s-", "C-"),
            (1, "ATT", "BQ", "X,TimeUS", "-s", "-F"),
            (1, "ATT", "QBB", "TimeUS,X,I", "s-#", "F--"),
            (1, "ATT", "QH", "TimeUS,I", "s#", "F-"),
            (1, "ATT", "QB", "TimeUS,I", "s#", "F0"),
            (1, "ATT", "Qc", "TimeUS,Roll", "sd", "F?"),
            (1, "ATT", "QL", "TimeUS,Lat", "s-", "FG"),
            (1, "ATT", "QL", "TimeUS,Lat", "sD", "F0"),
            (1, "ATT", "QL", "TimeUS,Lat", "sU", "FG"),
            (1, "ATT", "Qd", "TimeUS,Longitude", "sD", "F0"),
            (1, "ATT", "QZ", "TimeUS,Text", "s?", "F-"),
            (1, "ATT", "QZ", "TimeUS,Text", "s-", "F0"),
        ];
        for row in broken {
            assert!(is_as_logged(row), "{row:?}");
        }
    }
}

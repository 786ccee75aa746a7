//! When the source of a message has `as_logged`.

use crate::change::logged_schema::tests::{Row, schema};

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

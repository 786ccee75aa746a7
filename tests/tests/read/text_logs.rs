//! Text logs: the records of the binary log that they were made from, what old firmware and other programs write
//! differently, and what is reported.

use binlog::log::{DamagedLine, LineFault};
use binlog::{AnyLog, Log, LogFormat, Records, Value};
use binlog_tests::logs;
use binlog_tests::text_log::as_text;

fn opened(text: &[u8]) -> Log<'_> {
    match AnyLog::from_bytes(text) {
        Ok(AnyLog::ArduPilot(log)) => log,
        other => panic!("{other:?}: {}", String::from_utf8_lossy(text)),
    }
}

/// The records as pymavlink prints them.
fn records(text: &str) -> Vec<String> {
    let log = opened(text.as_bytes());
    assert_eq!(log.damaged_lines(), Some(&[][..]), "{text}");
    shown(&log)
}

fn shown(log: &Log<'_>) -> Vec<String> {
    assert!(log.skipped().is_empty());
    let records = log.records().flatten().filter(|record| record.name() != "FMT");
    let value = |(column, value): (binlog::LoggedColumn<'_>, Value<'_>)| match value {
        // As 32 bits, a number has fewer digits.
        Value::Float(number) if column.format == binlog::Format::F32 => (number as f32).to_string(),
        value => value.to_string(),
    };
    records
        .map(|record| format!("{} {}", record.name(), record.values().map(value).collect::<Vec<_>>().join(" ")))
        .collect()
}

fn damage(text: &str) -> Vec<String> {
    let log = opened(text.as_bytes());
    log.damaged_lines().expect("it was text").iter().map(ToString::to_string).collect()
}

const FMT: &str = "FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n";
const ATT: &str = "FMT, 1, 17, ATT, Icc, TimeMS,Roll,Pitch\n";
const MSG: &str = "FMT, 2, 67, MSG, Z, Message\n";

#[test]
fn a_log_as_text_has_the_values_of_the_log() {
    let mut compared = 0;
    for (name, bytes) in logs::all() {
        let text = as_text(&bytes);
        let log = opened(&text);
        let mut own = log.records().flatten();
        for record in Records::new(&bytes).flatten() {
            // The contents of files aren't escaped: that of a text file is tested below.
            if record.name() == "FILE" {
                continue;
            }
            let read = own.find(|read| read.name() != "FILE").unwrap_or_else(|| panic!("{name} has more records"));
            assert_eq!(read.name(), record.name(), "{name}");
            for ((column, value), (_, read)) in record.values().zip(read.values()) {
                compared += 1;
                // That of one log is longer than its columns.
                if column.label == "Length" {
                    continue;
                }
                let is_same = match (value, read) {
                    (Value::Float(value), Value::Float(read)) => value == read || (value.is_nan() && read.is_nan()),
                    (Value::Text(value), Value::Text(read)) => {
                        value.as_bytes().trim_ascii_end() == read.as_bytes().trim_ascii_end()
                    }
                    (value, read) => value == read,
                };
                assert!(is_same, "{name}: {}.{}: {value} and {read}", record.name(), column.label);
            }
        }
        assert!(own.all(|read| read.name() == "FILE"), "{name} has fewer records");
        let others = log.damaged_lines().expect("it was text");
        assert!(others.iter().all(|line| line.fault == LineFault::NotARecord), "{name}: {others:?}");
    }
    assert!(compared > 10_000);
}

#[test]
fn a_text_log_is_about_half_as_long_as_a_binary_one() {
    let (_, bytes) = logs::all().pop().expect("the simulator's");
    let text = as_text(&bytes);
    let log = opened(&text);
    assert!(log.bytes().len() < text.len() && log.bytes().len() <= bytes.len() + 89);
}

#[test]
fn headings_of_boards_and_terminals_are_not_damage() {
    let records_of = ["ATT 5 1.25 -0.5", "MSG Hello"];
    let log = format!("{FMT}{ATT}{MSG}ATT, 5, 1.25, -0.50\nMSG, Hello\n");
    for heading in [
        "",
        "1\n\nArduCopter V3.0.1 (5c6503e2)\nFree RAM: 1331\nAPM 2\n",
        "Dumping Log 10,    start pg 1,   end pg 98\n\n",
        "\u{FEFF}",
        "\u{FEFF}\n\n  ",
    ] {
        assert_eq!(records(&format!("{heading}{log}")), records_of, "{heading}");
        // Several logs of a board, one after the other.
        let twice = records(&format!("{heading}{log}{}{log}", heading.replace('\u{FEFF}', "")));
        assert_eq!(twice, [records_of, records_of].concat(), "{heading}");
    }
    assert_eq!(records(&format!("{log}Log done\nLog] ")), records_of);
    // The labels of old firmware lack Columns, and other programs leave the definition of FMT out.
    let without = log.replace(",Columns", "");
    assert_eq!(records(&without), records_of);
    assert_eq!(opened(without.as_bytes()).bytes(), opened(log.as_bytes()).bytes());
    assert_eq!(opened(log.replace(FMT, "").as_bytes()).bytes(), opened(log.as_bytes()).bytes());
}

#[test]
fn line_ends_spaces_and_padding_change_nothing() {
    let log = format!("{FMT}{ATT}{MSG}ATT, 5, 1.25, -0.50\nMSG, Hello, you: a,b\n");
    let plain = opened(log.as_bytes()).bytes().to_vec();
    for other in [
        log.replace('\n', "\r\n"),
        log.replace('\n', "\r\r\n"),
        log.replace('\n', "\r"),
        log.replace('\n', "\n\n"),
        log.replace("\nATT", "\n  \tATT"),
        log.replace("5, 1.25, -0.50", " 5 ,  1.25,-0.50  "),
        log.trim_end().to_owned(),
        format!("{log}\0\0\0\0"),
        // As a spreadsheet saves it.
        log.replace("TimeMS,Roll,Pitch", "\"TimeMS,Roll,Pitch\",,,"),
    ] {
        assert_eq!(opened(other.as_bytes()).bytes(), plain, "{other:?}");
        assert_eq!(damage(&other), [""; 0], "{other:?}");
    }
    let padded = [log.as_bytes(), &[0xFF; 9]].concat();
    assert_eq!(opened(&padded).bytes(), plain);
    // Without spaces after commas.
    let log = format!("{FMT}{ATT}{MSG}ATT, 5, 1.25, -0.50\nMSG, Hello,you\n");
    let tight = log.replace(", ", ",");
    assert_eq!(opened(tight.as_bytes()).bytes(), opened(log.as_bytes()).bytes());
    assert_eq!(records(&tight), ["ATT 5 1.25 -0.5", "MSG Hello,you"]);
}

#[test]
fn texts_are_whole_and_as_they_are() {
    let log = format!(
        "{FMT}{MSG}FMT, 3, 90, TXT, nBZN, A,B,C,D\nMSG, PreArm: Throttle, below failsafe\nMSG, \"quoted\"\n\
         MSG,   spaces\nMSG,\n\
         TXT, ab, 7, one, two,three, four, end\n"
    );
    assert_eq!(
        records(&log),
        [
            "MSG PreArm: Throttle, below failsafe",
            "MSG \"quoted\"",
            "MSG   spaces",
            "MSG ",
            "TXT ab 7 one, two,three, four end",
        ]
    );
    let latin = [format!("{FMT}{MSG}MSG, ").as_bytes(), b"H\xF6he\n"].concat();
    assert_eq!(shown(&opened(&latin)), ["MSG Höhe"]);
}

#[test]
fn values_are_numbers_in_any_spelling() {
    let log = format!(
        "{FMT}FMT, 3, 90, NUM, fdBLe, F,D,B,L,E\nNUM, NaN, -Infinity, 255, -35.3632621, -0.29\n\
         NUM, 1,5, 2.5E-05, 7.0, 149,1652374, 12\nNUM, 1.#QNAN, 1e300, 0, 14.110576000000001, 21474836.47\n"
    );
    let large = format!("NUM NaN {} 0 14.110576 21474836.47", 1e300);
    assert_eq!(records(&log), ["NUM NaN -inf 255 -35.3632621 -0.29", "NUM 1.5 0.000025 7 149.1652374 12", &large]);
}

#[test]
fn flight_modes_are_names_or_numbers() {
    let log = |modes: &str| format!("{FMT}FMT, 3, 6, MODE, Mh, Mode,ThrCrs\n{modes}");
    let named = log("MODE, 17, 500\nMODE, Stabilize, 424\nMODE, ALT_HOLD, 269\n");
    assert_eq!(records(&named), ["MODE 17 500", "MODE Stabilize 424", "MODE ALT_HOLD 269"]);
    let read = opened(named.as_bytes());
    let names: Vec<_> = read.modes().into_iter().filter_map(|mode| mode.name).collect();
    assert_eq!(names, ["17", "Stabilize", "ALT_HOLD"]);
    let numbers = log("MODE, 5, 500\n");
    assert_eq!(
        opened(numbers.as_bytes()).column("MODE.Mode").map(|column| column.format()),
        Ok(binlog::Format::FlightMode)
    );
    assert_eq!(records(&log("MODE, A mode with a long name, 1\n")), ["MODE A mode with a long name 1"]);
    // Where numbers are beside the names, they are used.
    let both = format!("{FMT}FMT, 3, 6, MODE, QMBB, TimeUS,Mode,ModeNum,Rsn\nMODE, 1000000, Loiter, 5, 1\n");
    assert_eq!(opened(both.as_bytes()).modes().first().and_then(|mode| mode.number), Some(5));
}

#[test]
fn types_without_columns_and_with_one_id_are_told_apart() {
    let log =
        format!("{FMT}FMT, 10, 3, STRT, , \n{ATT}FMT, 1, 4, EV, B, Id\nSTRT, \nSTRT\nEV, 10\nATT, 1, 2, 3\nEV, 11\n");
    assert_eq!(records(&log), ["STRT ", "STRT ", "EV 10", "ATT 1 2 3", "EV 11"]);
    // Units follow their type to its other id.
    let log = format!(
        "{FMT}FMT, 3, 76, UNIT, QbZ, TimeUS,Id,Label\nFMT, 4, 20, MULT, Qbd, TimeUS,Id,Mult\n\
         FMT, 5, 44, FMTU, QBNN, TimeUS,FmtType,UnitIds,MultIds\nUNIT, 0, 45,\nUNIT, 0, 100, deg\nMULT, 0, 45, 0\n\
         {ATT}FMT, 1, 12, EV, QB, TimeUS,Id\nFMTU, 0, 1, -d, --\nEV, 1, 10\nATT, 1, 2, 3\n"
    );
    let read = opened(log.as_bytes());
    assert_eq!(read.damaged_lines(), Some(&[][..]));
    assert_eq!(read.column("EV.Id").map(|column| column.unit().to_owned()), Ok("deg".into()));
    assert_eq!(read.column("ATT.Roll").map(|column| column.unit().to_owned()), Ok(String::new()));
    // A definition that can't be used isn't replaced by an earlier one.
    assert_eq!(damage(&format!("{FMT}{ATT}FMT, 1, 7, ATT, ??, A,B\nATT, 8, 9, 10\n")).len(), 2);
    // A definition again, and another one.
    let log = format!("{FMT}{ATT}{ATT}ATT, 1, 2, 3\nFMT, 1, 7, ATT, BB, A,B\nATT, 8, 9\n");
    assert_eq!(records(&log), ["ATT 1 2 3", "ATT 8 9"]);
}

#[test]
fn the_contents_of_a_text_file_are_whole() {
    // The line break after 63 bytes is at the end of a piece, where white space is left out.
    let xml = format!("<a>{}\n  <b/>,\n\n{}</a>", "x".repeat(60), "<c>\n  </c>".repeat(9));
    let mut log = format!("{FMT}{ATT}FMT, 4, 88, FILE, NIBZ, FileName,Offset,Length,Data\n");
    let mut expected = String::new();
    for (i, piece) in xml.as_bytes().chunks(64).enumerate() {
        let piece = str::from_utf8(piece).expect("ASCII");
        let (length, trimmed) = (piece.len(), piece.trim_end());
        log += &format!("FILE, a.xml, {}, {length}, {trimmed}\r\n", 64 * i);
        expected += &format!("{trimmed:<length$}");
    }
    assert_ne!(expected, xml);
    log += "ATT, 1, 2, 3\r\n";
    let read = opened(log.as_bytes());
    assert_eq!(read.damaged_lines(), Some(&[][..]));
    let files = read.files();
    assert_eq!(files.iter().map(|file| String::from_utf8_lossy(&file.pieces[&0])).collect::<Vec<_>>(), [expected]);
    assert_eq!(read.rows("ATT").map(|rows| rows.len()), Ok(1));
}

#[test]
fn damage_is_named_with_its_line() {
    let begin = format!("{FMT}{ATT}");
    for (lines, expected) in [
        ("XKF1, 1, 2\n", "line 3: XKF1: no FMT line before it defines the type"),
        ("ATT, 1, 2\n", "line 3: ATT: it has 2 values, and the type has 3 columns"),
        ("ATT\n", "line 3: ATT: it has 0 values, and the type has 3 columns"),
        ("ATT, 1, x, 3\n", "line 3: ATT: Roll is `x`, no value of the format `c`"),
        ("ATT, -1, 2, 3\n", "line 3: ATT: TimeMS is `-1`, no value of the format `I`"),
        ("ATT, 1, 2, \n", "line 3: ATT: Pitch is ``, no value of the format `c`"),
        ("0.5, 3\n", "line 3: it isn't a record, which begins with the name of a type and a comma"),
        ("UNKW, 234\n", "line 3: Mission Planner couldn't convert a record of the binary log"),
        (
            "FMT, 300, 3, X, B, A\n",
            "line 3: X: the definition can't be used: it has type, length, name, format and \
         labels, the first two of which are numbers",
        ),
        (
            "FMT, 9, 3, STATUSTEXT, B, A\n",
            "line 3: STATUSTEXT: the definition can't be used: a name has 1 to 4 characters",
        ),
        ("FMT, 9, 3, X, B?, A\n", "line 3: X: the definition can't be used: a format character has no meaning"),
        ("FMT, 9, 3, X, ZZZZ, A\n", "line 3: X: the definition can't be used: a record has 255 bytes at most"),
        (
            "FMT, 9, 3, X, BBBBBBBBBBBBBBBBB, A\n",
            "line 3: X: the definition can't be used: a type has 16 columns at most",
        ),
        ("ATT, 9, 1, 2, 3\n", "line 3: ATT: values beyond the 3 columns of the type aren't read"),
        ("ATT, 9, 1.125, 2\n", "line 3: ATT: Roll is rounded to what the format `c` can store"),
    ] {
        let log = format!("{begin}{lines}ATT, 7, 8, 9\n");
        assert_eq!(damage(&log), [expected]);
        let read = opened(log.as_bytes());
        let rows = read.rows("ATT").expect("its definition");
        let has_record = read.damaged_lines().is_some_and(|lines| lines[0].fault.has_record());
        assert_eq!(
            (rows.len(), has_record),
            (if lines.starts_with("ATT, 9") { 2 } else { 1 }, lines.starts_with("ATT, 9"))
        );
        assert!(read.check().findings().iter().any(|finding| finding.rule().is_damage()), "{lines}");
        let DamagedLine { offset, length, .. } = &read.damaged_lines().expect("it was text")[0];
        assert_eq!(&log[*offset..offset + length], lines.trim_end_matches('\n'));
    }
    let long = format!("{FMT}{MSG}MSG, {}é\n", "x".repeat(63));
    assert_eq!(damage(&long), ["line 3: MSG: Message is cut to the 64 bytes of its column"]);
    assert_eq!(shown(&opened(long.as_bytes())), [format!("MSG {}", "x".repeat(63))]);
    // Mission Planner ends no line there.
    let glued = format!("{begin}UNKW, 34UNKW, 5Bad ConversionATT, 1, 2, 3\n");
    assert_eq!(damage(&glued).len(), 3);
    assert_eq!(shown(&opened(glued.as_bytes())), ["ATT 1 2 3"]);
    // The log ends in a line.
    for cut in ["ATT, 5, 1", "AT", "A"] {
        assert_eq!(damage(&format!("{begin}ATT, 1, 2, 3\n{cut}")).len(), 1, "{cut}");
    }
}

#[test]
fn any_cut_and_any_changed_byte_is_read_or_reported() {
    let log = format!("1\n{FMT}{ATT}{MSG}FMT, 3, 6, MODE, Mh, Mode,ThrCrs\nMODE, RTL, 5\nATT, 1, 2, 3\nMSG, Hi, all\n");
    let lines = |log: &Log<'_>| log.records().flatten().count() + log.damaged_lines().map_or(0, <[_]>::len);
    for at in 0..log.len() {
        let Ok(AnyLog::ArduPilot(cut)) = AnyLog::from_bytes(&log.as_bytes()[..at]) else { continue };
        assert!(cut.skipped().is_empty());
        assert!(lines(&cut) <= log[..at].lines().count());
        for byte in [b',', b'x', b'9', b' ', b'\n', 0, 0xFF] {
            let mut changed = log.clone().into_bytes();
            changed[at] = byte;
            let Ok(AnyLog::ArduPilot(changed)) = AnyLog::from_bytes(&changed) else { continue };
            assert!(changed.skipped().is_empty());
        }
    }
}

#[test]
fn the_format_is_known_by_the_first_definition() {
    assert_eq!(LogFormat::of(format!("{FMT}{ATT}").as_bytes()), Some(LogFormat::ArduPilotText));
    // Records whose beginning is lost.
    let late = format!("{}{FMT}{ATT}ATT, 1, 2, 3\n", "ATT, 0, 0, 0\n".repeat(10_000));
    assert_eq!(LogFormat::of(late.as_bytes()), Some(LogFormat::ArduPilotText));
    assert_eq!(damage(&late).len(), 10_000);
    for other in ["FMT\n", "FMT,\n", "a FMT, 1, 3, A, B, C\n", "FMT, a, b, c, d, e\n", "TimeUS,FMT,1,3,A,B,C\n"] {
        assert_eq!(LogFormat::of(other.as_bytes()), None, "{other}");
    }
}

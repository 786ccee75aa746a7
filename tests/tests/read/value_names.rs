//! The names of values and bits, as a log carries them.

use binlog::{Log, LoggedSchema, Scaling};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

/// A log of `STAT` records with a column `V` in this format, whose field in the descriptions has these elements.
fn described(format: char, field: &str, values: &[Vec<u8>]) -> RawLog {
    let mut log = RawLog::with_units();
    log.descriptions(&format!("<logformat name=\"ST\"><field name=\"V\">{field}</field></logformat>"));
    log.fmt(30, "ST", &format!("Q{format}"), "TimeUS,V");
    for (i, value) in values.iter().enumerate() {
        log.record(30, &[payload![1_000_000 * i as u64], value.clone()].concat());
    }
    log
}

fn enumeration(names: &[(i64, &str)]) -> String {
    let element = |(value, name): &(i64, &str)| format!("<element name=\"{name}\"><value>{value}</value></element>");
    format!("<enum>{}</enum>", names.iter().map(element).collect::<String>())
}

fn bits(names: &[(u32, &str)]) -> String {
    let bit = |(bit, name): &(u32, &str)| format!("<bit name=\"{name}\"><value>{}</value></bit>", 1_u128 << bit);
    format!("<bitmask>{}</bitmask>", names.iter().map(bit).collect::<String>())
}

fn names(log: &RawLog) -> Vec<Option<String>> {
    let log = Log::from_bytes(&log.bytes[..]);
    // Both the first request, without an index, and later ones.
    let first = log.column("ST.V").expect("a column");
    let names = |column: &binlog::log::Column| {
        (0..column.len()).map(|i| column.value_name(i).map(|name| name.into_owned())).collect::<Vec<_>>()
    };
    let tables = log.tables();
    let of_table = tables.iter().find(|table| table.name() == "ST").and_then(|table| table.column("V"));
    assert_eq!(names(&first), names(of_table.expect("a column")));
    assert_eq!(names(&first), names(&log.column("ST.V").expect("a column")));
    assert_eq!(first.value_name(first.len()), None);
    names(&first)
}

fn texts(names: &[Option<&str>]) -> Vec<Option<String>> {
    names.iter().map(|name| name.map(str::to_owned)).collect()
}

#[test]
fn values_have_their_names_and_others_have_none() {
    let field = enumeration(&[(0, "Pad"), (1, "Boost &amp; &lt;up&gt;"), (255, "Off"), (3, "")]);
    let log = described('B', &field, &[0_u8, 1, 2, 255, 3].map(|value| payload![value]));
    assert_eq!(names(&log), texts(&[Some("Pad"), Some("Boost & <up>"), None, Some("Off"), None]));
}

#[test]
fn signed_values_have_names() {
    let field = enumeration(&[(-1, "Out"), (i64::MIN, "Least"), (2, "Home")]);
    let log = described('b', &field, &[-1_i8, 2, -128].map(|value| payload![value]));
    assert_eq!(names(&log), texts(&[Some("Out"), Some("Home"), None]));
    let log = described('q', &field, &[i64::MIN, -1].map(|value| payload![value]));
    assert_eq!(names(&log), texts(&[Some("Least"), Some("Out")]));
}

#[test]
fn set_bits_have_their_names_and_unknown_ones_are_hexadecimal() {
    let field = bits(&[(0, "Battery"), (2, "Compass"), (15, "Top"), (40, "Beyond")]);
    let log = described('H', &field, &[0_u16, 1, 5, 0x8001, 0x4C, 0x40].map(|value| payload![value]));
    let expected =
        [None, Some("Battery"), Some("Battery | Compass"), Some("Battery | Top"), Some("Compass | 0x48"), None];
    assert_eq!(names(&log), texts(&expected));
    // The highest bit of a signed column is its sign.
    let log = described('h', &field, &[i16::MIN, -1].map(|value| payload![value]));
    assert_eq!(names(&log), texts(&[Some("Top"), Some("Battery | Compass | Top | 0x7ffa")]));
    let log = described('Q', &bits(&[(63, "Last")]), &[payload![1_u64 << 63]]);
    assert_eq!(names(&log), texts(&[Some("Last")]));
}

#[test]
fn texts_floats_arrays_and_scaled_numbers_have_no_names() {
    let field = enumeration(&[(0, "Zero"), (100, "Hundred")]);
    let columns: [(char, Vec<u8>); 6] = [
        ('n', vec![0; 4]),
        ('f', vec![0; 4]),
        ('a', vec![0; 64]),
        ('c', payload![100_i16]),
        ('L', payload![100_i32]),
        ('d', vec![0; 8]),
    ];
    for (format, value) in columns {
        assert_eq!(names(&described(format, &field, &[value])), [None], "{format}");
    }
}

#[test]
fn a_log_without_descriptions_has_no_names() {
    let mut log = RawLog::with_units();
    log.fmt(30, "ST", "QB", "TimeUS,V").record(30, &payload![1_u64, 2_u8]);
    assert_eq!(names(&log), [None]);
    let log = Log::from_bytes(log.bytes);
    assert!(log.column("ST.V").expect("a column").value_names().is_none());
    assert!(log.schema().descriptions().is_empty());
}

#[test]
fn a_column_of_numbers_that_are_scaled_already_has_no_names() {
    let log = described('B', &enumeration(&[(1, "One")]), &[payload![1_u8]]);
    let log = Log::from_bytes(log.bytes);
    let tables = log.tables_f64(Scaling::Units);
    let table = tables.iter().find(|table| table.name() == "ST").expect("its records");
    assert_eq!(table.column("V").expect("a column").value_name(0), None);
}

#[test]
fn instances_and_later_definitions_have_the_names_of_the_label() {
    let mut log = RawLog::with_units();
    let field = enumeration(&[(0, "Idle"), (1, "Spinning")]);
    log.descriptions(&format!("<logformat name=\"ESC\"><field name=\"State\">{field}</field></logformat>"));
    log.fmt(30, "ESC", "QBB", "TimeUS,I,State").fmtu(30, "s#-", "F--");
    for (time_us, instance, state) in [(0_u64, 0_u8, 0_u8), (1, 1, 0), (2, 1, 1), (3, 0, 0)] {
        log.record(30, &payload![time_us, instance, state]);
    }
    // The column moves, and becomes wider.
    log.fmt(30, "ESC", "QHB", "TimeUS,State,I").fmtu(30, "s-#", "F--");
    log.record(30, &payload![4_u64, 0_u16, 1_u8]);
    let log = Log::from_bytes(log.bytes);
    let states = |name: &str| {
        let states = log.states(name).expect("a column");
        let state = |state: binlog::log::StateInterval| (state.time_us, state.name.expect("a name"));
        states.into_iter().map(state).collect::<Vec<_>>()
    };
    assert_eq!(states("ESC[0].State"), [(0..5, "Idle".to_owned())]);
    assert_eq!(states("ESC[1].State"), [(1..2, "Idle".into()), (2..4, "Spinning".into()), (4..5, "Idle".into())]);
    for rows in log.rows("ESC").expect("a type").by_definition() {
        assert_eq!(rows.column("State").expect("a column").value_name(0).as_deref(), Some("Idle"));
    }
    assert_eq!(log.states("ESC.Stat").map_err(|error| error.to_string().contains("State")), Err(true));
}

#[test]
fn modes_of_an_unknown_vehicle_are_named_by_the_descriptions() {
    let field = enumeration(&[(0, "Pad"), (1, "Boost"), (5, "Coast")]);
    let log = |text: &str| {
        let mut log = RawLog::with_units();
        log.descriptions(&format!("<logformat name=\"MODE\"><field name=\"ModeNum\">{field}</field></logformat>"));
        log.fmt(20, "MSG", "QZ", "TimeUS,Message");
        log.record(20, &payload![0_u64, binlog::field::Chars::<64>::cut(text)]);
        log.fmt(30, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn");
        for (time_us, mode) in [(0_u64, 0_u8), (10, 1), (20, 5), (30, 77), (40, 77)] {
            log.record(30, &payload![time_us, mode, mode, 0_u8]);
        }
        Log::from_bytes(log.bytes)
    };
    let names = |log: &Log<'_>| log.modes().into_iter().map(|mode| mode.name).collect::<Vec<_>>();
    let rocket = log("Falcon V1.0");
    assert_eq!(names(&rocket), texts(&[Some("Pad"), Some("Boost"), Some("Coast"), None]));
    for label in ["Mode", "ModeNum"] {
        let column = rocket.column(&format!("MODE.{label}")).expect("a column");
        let names: Vec<_> = (0..5).map(|i| column.value_name(i).map(|name| name.into_owned())).collect();
        assert_eq!(names, texts(&[Some("Pad"), Some("Boost"), Some("Coast"), None, None]), "{label}");
    }
    // ArduPilot's own numbers come first.
    let copter = log("ArduCopter V4.6.0");
    assert_eq!(names(&copter), texts(&[Some("STABILIZE"), Some("ACRO"), Some("LOITER"), None]));
    let column = copter.column("MODE.ModeNum").expect("a column");
    assert_eq!(column.value_name(2).as_deref(), Some("LOITER"));
}

#[test]
fn values_and_bits_of_one_column_are_listed_with_commas() {
    let both = enumeration(&[(5, "Five")]) + &bits(&[(2, "Two")]);
    let markdown = Log::from_bytes(described('B', &both, &[payload![0_u8]]).bytes).schema().to_string();
    assert!(markdown.contains("| 5: Five, bit 2: Two |"), "{markdown}");
}

#[test]
fn a_schema_has_the_descriptions_of_its_messages_in_every_form() {
    let mut log = RawLog::with_units();
    log.descriptions(
        "<logformat name=\"PHAS\"><description>Progress | of the flight.</description><fields>\
         <field name=\"Phase\"><description>What it does.</description>\
         <enum><element name=\"Pad &quot;1&quot;\"><value>-1</value><description>Ready.</description></element>\
         <element name=\"Boost\"><value>3</value></element><element name=\"Never\"><value>400</value></element></enum>\
         </field><field name=\"Bad\"><bitmask><bit name=\"Low\"><value>1</value></bit>\
         <bit name=\"High\"><value>32768</value></bit></bitmask></field>\
         <field name=\"Gone\"><description>No such column.</description></field></fields></logformat>\
         <logformat name=\"NONE\"><description>No such message.</description></logformat>",
    );
    log.fmt(30, "PHAS", "QbH", "TimeUS,Phase,Bad").fmtu(30, "s--", "F--");
    log.record(30, &payload![0_u64, -1_i8, 1_u16]);
    let schema = Log::from_bytes(log.bytes).schema();
    assert_eq!(schema.descriptions().len(), 1);
    assert_eq!(schema.described("PHAS").expect("described").columns.len(), 2);
    let markdown = schema.to_string();
    for line in [
        "Progress \\| of the flight.",
        "| label | format | unit | multiplier | description |",
        "| Phase | b |  |  | What it does. -1: Pad \"1\" (Ready.), 3: Boost, 400: Never |",
        "| Bad | H |  |  | bit 0: Low, bit 15: High |",
        // Messages without descriptions have the table that they have in any log.
        "| label | format | unit | multiplier |",
    ] {
        assert!(markdown.lines().any(|of| of == line), "{line}: {markdown}");
    }
    let xml = schema.log_messages_xml().to_string();
    for text in [
        "<field name=\"Phase\" units=\"\" type=\"int8_t\">\n        <description>What it does.</description>\n        <enum>",
        "<element name=\"Pad &quot;1&quot;\">\n            <value>-1</value>\n            <description>Ready.</description>",
        "<bit name=\"High\">\n            <value>32768</value>",
        "<field name=\"TimeUS\" units=\"µs\" type=\"uint64_t\">",
        "<logformat name=\"FMT\">",
    ] {
        assert!(xml.contains(text), "{text}: {xml}");
    }
    let rust = schema.to_rust().source;
    let expected = "/// Progress | of the flight.\n#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]\n\
                    #[log(name = \"PHAS\")]\n#[repr(C, packed)]\npub struct Phas {\n    pub time_us: u64,\n    \
                    /// What it does.\n    \
                    #[log(values(-1 = \"Pad \\\"1\\\"\", 3 = \"Boost\"))]\n    pub phase: i8,\n    \
                    #[log(bits(0 = \"Low\", 15 = \"High\"))]\n    pub bad: u16,\n}\n";
    assert!(rust.contains(expected), "{rust}");
    let json = schema.to_json();
    assert_eq!(LoggedSchema::from_json(&json).expect("what was written"), schema, "{json}");
    assert!(
        json.contains("\"values\":[{\"value\":-1,\"name\":\"Pad \\\"1\\\"\",\"description\":\"Ready.\"},"),
        "{json}"
    );
}

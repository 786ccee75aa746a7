//! The format's own messages have the layout that ArduPilot writes: length, format, labels, units, multipliers.

use binlog::messages::{
    Arm, Dropped, Dsf, Err, Ev, File, Fmt, Fmtu, Gps, LegacyMsg, Mode, Msg, Mult, Parm, Ring, Unit, Ver,
};
use binlog::{Definition, LogMessage, LogSchema, Records};

/// Source: `LogStructure.h` of ArduPilot's `libraries/AP_Logger`, and the records of real logs.
const LAYOUTS: [(Definition, usize, &str, &str, &str, &str); 17] = [
    (Fmt::DEFINITION, 89, "BBnNZ", "Type,Length,Name,Format,Columns", "-b---", "-----"),
    (Unit::DEFINITION, 76, "QbZ", "TimeUS,Id,Label", "s--", "F--"),
    (Mult::DEFINITION, 20, "Qbd", "TimeUS,Id,Mult", "s--", "F--"),
    (Fmtu::DEFINITION, 44, "QBNN", "TimeUS,FmtType,UnitIds,MultIds", "s---", "F---"),
    (Parm::DEFINITION, 35, "QNff", "TimeUS,Name,Value,Default", "s---", "F---"),
    (Msg::DEFINITION, 77, "QBBZ", "TimeUS,ID,Seq,Message", "s---", "F---"),
    (LegacyMsg::DEFINITION, 75, "QZ", "TimeUS,Message", "s-", "F-"),
    (
        Ver::DEFINITION,
        98,
        "QBHBBBBIZHBBII",
        "TimeUS,BT,BST,Maj,Min,Pat,FWT,GH,FWS,APJ,BU,FV,IMI,ICI",
        "s-------------",
        "F-------------",
    ),
    (Dsf::DEFINITION, 33, "QIHIIII", "TimeUS,Dp,Blk,Bytes,FMn,FMx,FAv", "s--b---", "F--0---"),
    // Our own; ArduPilot has no such message.
    (Dropped::DEFINITION, 20, "QBII", "TimeUS,Id,Dropped,Decim", "s#--", "F---"),
    (Ring::DEFINITION, 23, "QIII", "TimeUS,Size,Used,Stall", "sbbs", "F00F"),
    (Ev::DEFINITION, 12, "QB", "TimeUS,Id", "s-", "F-"),
    (Err::DEFINITION, 13, "QBB", "TimeUS,Subsys,ECode", "s--", "F--"),
    (Mode::DEFINITION, 14, "QMBB", "TimeUS,Mode,ModeNum,Rsn", "s---", "F---"),
    (File::DEFINITION, 88, "NIBZ", "FileName,Offset,Length,Data", "----", "----"),
    (Arm::DEFINITION, 18, "QBIBB", "TimeUS,ArmState,ArmChecks,Forced,Method", "s----", "F----"),
    (
        Gps::DEFINITION,
        51,
        "QBBIHBcLLeffffB",
        "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,GCrs,VZ,Yaw,U",
        "s#-s-S-DUmnhnh-",
        "F--C-0BGGB000--",
    ),
];

#[test]
fn the_formats_own_messages_are_as_ardupilot_writes_them() {
    for (definition, length, format, labels, units, multipliers) in LAYOUTS {
        let name = definition.name;
        let columns = definition.columns.iter();
        assert_eq!(definition.length(), length, "{name}");
        assert_eq!(columns.clone().map(|column| column.format.to_string()).collect::<String>(), format, "{name}");
        assert_eq!(columns.clone().map(|column| column.label).collect::<Vec<_>>().join(","), labels, "{name}");
        let ids =
            |id: fn(&binlog::ColumnDefinition) -> u8| columns.clone().map(|column| char::from(id(column))).collect();
        let found: (String, String) = (ids(|column| column.unit.id()), ids(|column| column.multiplier.id()));
        assert_eq!(found, (units.to_owned(), multipliers.to_owned()), "{name}");
        assert!(!definition.description.is_empty() && columns.clone().all(|column| !column.description.is_empty()));
    }
}

#[derive(LogSchema)]
enum Listed {
    Ev(Ev),
    Fmtu(Fmtu),
    #[log(id = 131)]
    Mode(Mode),
    Parm(Parm),
}

/// Reads the preamble back and says which names it defines, in order, with their ids.
fn defined(preamble: &[u8]) -> Vec<(String, u8)> {
    let records = Records::new(preamble).map(|record| record.expect("a sound preamble"));
    let fmt = records.filter_map(|record| record.decode::<Fmt>().ok());
    fmt.map(|fmt| (fmt.name.to_string(), fmt.r#type)).collect()
}

#[test]
fn preamble_defines_its_own_messages_first_and_each_type_once() {
    let expected = [("FMT", 128), ("UNIT", 129), ("MULT", 130), ("FMTU", 1), ("EV", 136), ("MODE", 131), ("PARM", 132)];
    assert_eq!(defined(Listed::PREAMBLE), expected.map(|(name, id)| (name.to_owned(), id)));
}

#[test]
fn preamble_has_the_used_units_and_multipliers_before_fmtu() {
    let names: Vec<&str> = Records::new(Listed::PREAMBLE).flatten().map(|record| record.name()).collect();
    let first = |name| names.iter().position(|other| *other == name).expect("it is there");
    let last = |name| names.iter().rposition(|other| *other == name).expect("it is there");
    assert!(last("UNIT") < first("MULT") && last("MULT") < first("FMTU"));
    let units = Records::new(Listed::PREAMBLE).flatten().filter_map(|record| record.decode::<Unit>().ok());
    assert_eq!(units.map(|unit| unit.id as u8 as char).collect::<String>(), "-bs");
    let multipliers = Records::new(Listed::PREAMBLE).flatten().filter_map(|record| record.decode::<Mult>().ok());
    assert_eq!(multipliers.map(|mult| mult.id as u8 as char).collect::<String>(), "-F");
}

/// A user's own messages, to test ids.
macro_rules! tiny {
    ($($name:ident $label:literal)*) => {$(
        #[derive(LogMessage, zerocopy::IntoBytes, zerocopy::Immutable)]
        #[log(name = $label)]
        #[repr(C, packed)]
        struct $name { time_us: u64 }
    )*};
}
tiny!(A "AA" B "BB" C "CC" D "DD");

#[derive(LogSchema)]
enum Before {
    A(A),
    #[log(id = 2)]
    B(B),
    C(C),
}

#[derive(LogSchema)]
enum After {
    A(A),
    #[log(id = 2)]
    B(B),
    C(C),
    D(D),
    Parm(Parm),
}

#[test]
fn a_variant_added_at_the_end_renumbers_nothing() {
    let ids = |messages: &[binlog::SchemaMessage]| messages.iter().map(|message| message.id).collect::<Vec<_>>();
    assert_eq!(ids(Before::MESSAGES), [1, 2, 3]);
    assert_eq!(ids(After::MESSAGES), [1, 2, 3, 4, 132]);
}

#[test]
fn a_definition_prints_as_documentation() {
    let text = Ver::DEFINITION.to_string();
    assert!(text.starts_with("## VER\n\nVersion of the firmware.\n\n98 bytes a record.\n"), "{text}");
    assert!(text.contains("| TimeUS | Q | s | 1e-6 | Time since boot. |"), "{text}");
    assert!(text.contains("Vehicle that the firmware was built for. 1: Rover, 2: Copter"), "{text}");
}

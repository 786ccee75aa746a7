//! pymavlink shows our descriptions, names of values and names of bits.

use binlog::{Columns, Field, Log, LogMessage, LogSchema, LogWriter, messages};
use binlog_tests::pymavlink;
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable, Clone, Copy)]
#[repr(u8)]
enum Phase {
    /// On the pad.
    Ready = 0,
    /// Above the pad & away.
    Flying = 3,
}

#[derive(Columns, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Vector2 {
    /// Forward.
    x: f32,
    y: f32,
}

/// Where the vehicle is in its <flight>.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "PHAS")]
#[repr(C, packed)]
struct Phases {
    /// Time since boot.
    time_us: u64,
    /// What it does.
    phase: Phase,
    /// What is wrong.
    #[log(bits(0 = "Battery", 2 = "Compass"))]
    faults: u16,
    /// Speed over ground.
    #[log(flatten, prefix = "V", unit = "m/s")]
    velocity: Vector2,
}

#[derive(LogSchema)]
enum FlightLog {
    Phas(Phases),
    Mode(messages::Mode),
    File(messages::File),
}

#[test]
fn the_verbose_dump_and_the_help_have_the_descriptions() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
    for phase in [Phase::Ready, Phase::Flying] {
        log.write(&record(phase)).expect("a Vec takes everything");
    }
    let bytes = log.finish().expect("a Vec takes everything");
    assert_shown(&bytes, &binlog::log_messages::xml::<FlightLog>().to_string());
}

/// Of a log that carries its descriptions, the schema writes the file that the program writes.
#[test]
fn a_logs_own_file_says_the_same() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
    log.descriptions().expect("a Vec takes everything");
    for phase in [Phase::Ready, Phase::Flying] {
        log.write(&record(phase)).expect("a Vec takes everything");
    }
    let bytes = log.finish().expect("a Vec takes everything");
    let xml = Log::from_bytes(&bytes[..]).schema().log_messages_xml().to_string();
    let of_program = binlog::log_messages::xml::<FlightLog>().to_string();
    for message in of_program.split("  <logformat").skip(1).filter_map(|rest| rest.split_once("  </logformat>")) {
        assert!(xml.contains(message.0), "{}: {xml}", message.0);
    }
    assert_shown(&bytes, &xml);
}

fn record(phase: Phase) -> Phases {
    Phases { time_us: 1_000_000, phase, faults: 5, velocity: Vector2 { x: 0.5, y: 1.0 } }
}

fn assert_shown(log: &[u8], xml: &str) {
    let Some([dump, help]) = pymavlink::described(log, xml, "PHAS") else { return };
    for expected in
        ["Phase: 0 (Ready)", "Phase: 3 (Flying)", "Faults: 5 (0x5)", "  Battery\n", "! UNKNOWN_BIT1", "  Compass\n"]
    {
        assert!(dump.contains(expected), "{expected} in\n{dump}");
    }
    let expected = "Log Message: PHAS\nWhere the vehicle is in its <flight>.\n\n\
                    TimeUS [µs]      : Time since boot.\n\
                    Phase  [enum]    : What it does.\n\
                    Faults [bitmask] : What is wrong.\n\
                    VX     [m/s]     : Speed over ground.\n\
                    VY     [m/s]     : Speed over ground.\n";
    assert_eq!(help, expected);
}

//! A crate that re-exports binlog names its path.

mod facade {
    pub(super) use binlog as flight_log;
}

use facade::flight_log::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema};
use facade::flight_log::{Field, LogMessage, LogSchema, LogWriter};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[log(crate = "facade::flight_log", unit = "V")]
#[repr(transparent)]
struct Volts(f32);

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT", crate = "facade::flight_log")]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    volt: Volts,
}

#[derive(LogSchema)]
#[log(crate = "crate::compile_pass::re_exported::facade::flight_log", sink = FlightSink)]
enum FlightLog {
    Battery(Battery),
}

#[test]
fn the_path_is_used() {
    fn log(log: &impl FlightSink) -> bool {
        log.log(&Battery { time_us: 0, volt: Volts(12.0) })
    }
    let shared = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap().into_shared();
    assert!(log(&shared));
    assert_eq!(FlightLog::MESSAGES[0].definition.columns[1].unit.name(), "V");
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(crate = "facade::flight_log")]
#[repr(C)]
struct Stick {
    roll: i16,
    pitch: i16,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main, crate = "facade::flight_log")]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten)]
    stick: Stick,
}

#[derive(BlackboxSchema)]
#[blackbox(crate = "facade::flight_log", allow(not_portable))]
enum BlackboxLog {
    Main(MainFrame),
}

#[test]
fn blackbox_frames_use_the_path() {
    assert!(BlackboxLog::HEADER.contains("\nH Field I name:loopIteration,time,stickRoll,stickPitch\n"));
}

//! One struct reads the logs of all firmwares: aliases and defaults stand for what some name differently or lack.

use super::{fields, flight, layouts};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxLog, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Baseflight has `gyroData`, Cleanflight and Betaflight 3 `BaroAlt`; the unfiltered rates have three names.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(main, allow(not_portable))]
#[repr(C)]
struct Main {
    loop_iteration: u32,
    time: u32,
    #[blackbox(alias = "gyroData")]
    gyro_adc: [i32; 3],
    #[blackbox(alias = "BaroAlt", default = i32::MIN)]
    baro_alt: i32,
    #[blackbox(alias = "gyroRaw", alias = "gyroRAW", default)]
    gyro_unfilt: [i32; 3],
    #[blackbox(default = [-1; 8])]
    motor: [i32; 8],
    #[blackbox(flatten, default = Sky { latitude: -7, satellites: 9, fix: [1, -2] })]
    sky: Sky,
}

/// No main frame has them.
#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Sky {
    latitude: i32,
    satellites: u16,
    fix: [i8; 2],
}

/// The value of the first of these fields in a frame, or else the default.
fn expected(names: &[String], values: &[u32], candidates: &[String], default: i32) -> i32 {
    let found = candidates.iter().find_map(|wanted| names.iter().position(|name| name == wanted));
    found.map_or(default, |index| values[index] as i32)
}

#[test]
fn renamed_and_missing_fields_are_read_from_each_firmware() {
    for layout in layouts() {
        let (log, written) = flight(&layout);
        let names: Vec<String> = fields(layout.main).into_iter().map(|field| field.name).collect();
        let log = BlackboxLog::from_bytes(log);
        let session = log.session(0).expect("a session");
        let typed = session.typed::<Main>().unwrap_or_else(|error| panic!("{}: {error}", layout.name));
        let read: Vec<Main> = typed
            .filter_map(|item| match item.unwrap_or_else(|error| panic!("{}: {error}", layout.name)) {
                Item::Frame(frame) => Some(frame.frame),
                _ => None,
            })
            .collect();
        let main = written.iter().filter(|(letter, _)| b"IP".contains(letter));
        let expected: Vec<Main> = main
            .map(|(_, values)| {
                let value = |candidates: &[String], default| expected(&names, values, candidates, default);
                let element = |base: &str, i: usize| format!("{base}[{i}]");
                Main {
                    loop_iteration: values[0],
                    time: values[1],
                    gyro_adc: [0, 1, 2].map(|i| value(&["gyroADC", "gyroData"].map(|base| element(base, i)), 0)),
                    baro_alt: value(&["baroAlt", "BaroAlt"].map(str::to_owned), i32::MIN),
                    gyro_unfilt: [0, 1, 2]
                        .map(|i| value(&["gyroUnfilt", "gyroRaw", "gyroRAW"].map(|base| element(base, i)), 0)),
                    motor: [0, 1, 2, 3, 4, 5, 6, 7].map(|i| value(&[element("motor", i)], -1)),
                    sky: Sky { latitude: -7, satellites: 9, fix: [1, -2] },
                }
            })
            .collect();
        assert_eq!(read, expected, "{}", layout.name);
    }
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[blackbox(slow)]
#[repr(C)]
struct Slow {
    #[blackbox(default = 0xFFFF_FFFF)]
    battery_profile: u32,
    #[blackbox(default)]
    wind: [i16; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(allow(not_portable), header("motorOutput" = "158,2047"))]
enum Log {
    Main(Main),
    Slow(Slow),
}

#[test]
fn frame_may_lack_all_fields_if_each_has_a_default() {
    let layout = layouts().find(|layout| layout.name == "Betaflight 4.2 to 4.5").expect("a layout");
    let (log, written) = flight(&layout);
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let mut slow = 0;
    for item in session.typed_frames::<Log>().expect("defaults") {
        if let Item::Frame(frame) = item.expect("values of their types")
            && let Log::Slow(frame) = frame.frame
        {
            assert_eq!(frame, Slow { battery_profile: u32::MAX, wind: [0; 2] });
            slow += 1;
        }
    }
    assert_eq!(slow, written.iter().filter(|(letter, _)| *letter == b'S').count());
}

/// A log of this year's frames, with both names.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Both {
    loop_iteration: u32,
    time: u32,
    #[blackbox(name = "gyroData")]
    old: [i32; 3],
    gyro_adc: [i32; 3],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum BothLog {
    Main(Both),
}

#[test]
fn todays_name_is_read_before_an_alias() {
    let mut log = binlog::blackbox::BlackboxWriter::<BothLog, _>::new(Vec::new()).expect("a log");
    log.write(&Both { loop_iteration: 0, time: 0, old: [7; 3], gyro_adc: [1, 2, 3] }).expect("it fits");
    let bytes = log.finish().expect("a log");
    let log = BlackboxLog::from_bytes(&*bytes);
    let session = log.session(0).expect("a session");
    let Some(Ok(Item::Frame(frame))) = session.typed::<Main>().expect("its fields").next() else { panic!("a frame") };
    assert_eq!(frame.frame.gyro_adc, [1, 2, 3]);
}

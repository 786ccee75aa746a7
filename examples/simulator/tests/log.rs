//! The log of a flight, read back.

use binlog::{Decoder, LogSchema, LogWriter, LoggedDefinition, Records};
use simulator::{FlightLog, Simulation, fly};
use std::collections::BTreeSet;

fn flight(seed: u64, seconds: u32) -> Vec<u8> {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
    fly(Simulation::new(seed, seconds), &mut log, |_| {}).expect("a Vec takes everything");
    log.finish().expect("a Vec takes everything")
}

fn messages(log: &[u8]) -> Vec<FlightLog> {
    let mut decoder = Decoder::new();
    let decoded = Records::new(log).filter_map(|record| {
        let record = record.expect("no byte is skipped");
        assert!(!record.is_suspect(), "{record:?}");
        decoder.decode(&record).expect("the program's own definitions")
    });
    decoded.collect()
}

/// The definition of a message in the log.
fn definition<'a>(log: &'a [u8], name: &str) -> LoggedDefinition<'a> {
    let mut records = Records::new(log);
    records.by_ref().for_each(drop);
    let mut definitions = (0..=u8::MAX).filter_map(|id| records.definition(id));
    definitions.find(|definition| definition.name() == name).expect("the log defines it")
}

#[test]
fn the_seed_decides_every_byte() {
    assert!(flight(1, 20) == flight(1, 20));
    assert!(flight(1, 20) != flight(2, 20));
}

#[test]
fn every_record_decodes() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
    fly(Simulation::new(1, 20), &mut log, |_| {}).expect("a Vec takes everything");
    let records = log.record_count();
    let bytes = log.finish().expect("a Vec takes everything");
    assert_eq!(messages(&bytes).len() as u64, records);
}

#[test]
fn both_inertial_sensors_are_logged_in_every_step() {
    let mut instances = [0, 0];
    for message in messages(&flight(1, 2)) {
        if let FlightLog::Imu(imu) = message {
            instances[usize::from(imu.instance)] += 1;
        }
    }
    assert_eq!(instances, [800, 800]);
}

#[test]
fn a_minute_has_every_message() {
    let log = flight(1, 60);
    let found: BTreeSet<_> = Records::new(&log).flatten().map(|record| record.name()).collect();
    for message in FlightLog::MESSAGES {
        assert!(found.contains(message.definition.name), "no {}", message.definition.name);
    }
}

#[test]
fn the_first_text_names_the_vehicle() {
    let log = messages(&flight(1, 1));
    let text = log.iter().find_map(|message| match message {
        FlightLog::Msg(msg) => Some(msg.message.to_string()),
        _ => None,
    });
    assert!(text.is_some_and(|text| text.contains("ArduCopter")));
}

#[test]
fn headings_stay_below_360_degrees() {
    let mut north = 0;
    for message in messages(&flight(1, 60)) {
        match message {
            FlightLog::Att(attitude) => {
                let (des_yaw, yaw) = (attitude.des_yaw.raw(), attitude.yaw.raw());
                assert!(des_yaw < 36_000 && yaw < 36_000, "{} µs: {des_yaw}, {yaw}", { attitude.time_us });
                north += u32::from(yaw == 35_999 || yaw == 0);
            }
            FlightLog::Gps(gps) => assert!({ gps.course } < 360.0 && { gps.yaw } < 360.0, "{} µs", { gps.time_us }),
            _ => {}
        }
    }
    assert!(north > 0, "the flight never points north");
}

#[test]
fn progress_is_told_ten_times_a_second() {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
    let mut times = Vec::new();
    fly(Simulation::new(1, 1), &mut log, |time_us| times.push(time_us)).expect("a Vec takes everything");
    assert_eq!(times, Vec::from_iter((1..=10).map(|i| i * 100_000)));
}

#[test]
fn ctun_is_defined_as_by_ardusub() {
    let log = flight(1, 1);
    let ctun = definition(&log, "CTUN");
    assert_eq!(ctun.format(), "Qfffffffccfhh");
    assert_eq!(ctun.labels(), "TimeUS,ThI,ABst,ThO,ThH,DAlt,Alt,BAlt,DSAlt,SAlt,TAlt,DCRt,CRt");
    assert_eq!(ctun.unit_ids(), Some("s----mmmmmmnn"));
    assert_eq!(ctun.multiplier_ids(), Some("F----00BBBBBB"));
}

#[test]
fn ralt_is_defined_as_by_madflight() {
    let log = flight(1, 1);
    let ralt = definition(&log, "RALT");
    assert_eq!(ralt.format(), "Qfi");
    assert_eq!(ralt.labels(), "TimeUS,RelAlt,VertSpeed");
    assert_eq!(ralt.unit_ids(), Some("smn"));
    assert_eq!(ralt.multiplier_ids(), Some("F0C"));
}

#[test]
fn att_and_imu_are_defined_as_by_ardupilot() {
    let log = flight(1, 1);
    let att = definition(&log, "ATT");
    assert_eq!(att.format(), "QccccCCCCB");
    assert_eq!(att.labels(), "TimeUS,DesRoll,Roll,DesPitch,Pitch,DesYaw,Yaw,ErrRP,ErrYaw,AEKF");
    let imu = definition(&log, "IMU");
    assert_eq!(imu.format(), "QBffffffIIfBBHH");
    assert_eq!(imu.labels(), "TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T,GH,AH,GHz,AHz");
    assert_eq!(imu.unit_ids(), Some("s#EEEooo--O--zz"));
    assert_eq!(imu.multiplier_ids(), Some("F-000000-----00"));
}

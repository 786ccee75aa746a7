//! The log of a flight, read back.

use binlog::log::BatchSensor;
use binlog::{Decoder, HostLogger, Log, LogSchema, LoggedDefinition, Records, Scaling};
use simulator::{FlightLog, Simulation, fly_on, log_of, logger};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn flight(seed: u64, seconds: u32) -> Vec<u8> {
    log_of(Simulation::new(seed, seconds))
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
    let simulation = Simulation::new(1, 20);
    let thread = logger(&simulation).wait_for_room().spawn(Vec::new()).expect("memory takes all");
    let log = thread.logger().clone();
    fly_on(&log, simulation, |_| ControlFlow::Continue(()));
    let bytes = thread.finish().expect("memory takes all");
    assert_eq!(messages(&bytes).len(), log.statistics().written as usize);
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
    // Statistics of the logger are in logs in real time, DROP where records are missing, errors in flights with faults.
    let is_rare = |name: &str| ["DSF", "DROP", "ERR"].contains(&name);
    for message in FlightLog::MESSAGES.iter().filter(|message| !is_rare(message.definition.name)) {
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
fn a_flight_may_be_ended_after_each_step() {
    let thread = HostLogger::<FlightLog>::spawn(Vec::new()).expect("memory takes all");
    let mut times = Vec::new();
    fly_on(thread.logger(), Simulation::new(1, 1), |simulation| {
        times.push(simulation.time_us);
        if simulation.time_us < 10_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(times, [2500, 5000, 7500, 10_000]);
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

#[test]
fn what_the_analysis_tools_want_is_defined_as_by_ardupilot() {
    let log = flight(1, 3);
    for (name, format, labels, units, multipliers) in [
        (
            "XKF1",
            "QBccCfffffffccce",
            "TimeUS,C,Roll,Pitch,Yaw,VN,VE,VD,dPD,PN,PE,PD,GX,GY,GZ,OH",
            "s#ddhnnnnmmmkkkm",
            "F-BBB0000000BBBB",
        ),
        ("XKQ", "QBffff", "TimeUS,C,Q1,Q2,Q3,Q4", "s#----", "F-----"),
        ("ISBH", "QHBBHHQf", "TimeUS,N,type,instance,mul,smp_cnt,SampleUS,smp_rate", "s-----sz", "F-----F-"),
        ("VIBE", "QBfffI", "TimeUS,IMU,VibeX,VibeY,VibeZ,Clip", "s#ooo-", "F-000-"),
        (
            "XKF4",
            "QBcccccfffHBIHb",
            "TimeUS,C,SV,SP,SH,SM,SVT,errRP,OFN,OFE,FS,TS,SS,GPS,PI",
            "s#------mm-----",
            "F-BBBBB-00-----",
        ),
        ("ISBD", "QHHaaa", "TimeUS,N,seqno,x,y,z", "s--ooo", "F--???"),
        (
            "POWR",
            "QffHHBffff",
            "TimeUS,Vcc,VServo,Flags,AccFlags,Safety,MTemp,MVolt,MVmin,MVmax",
            "svv---Ovvv",
            "F00---0000",
        ),
    ] {
        let found = definition(&log, name);
        assert_eq!((found.format(), found.labels()), (format, labels));
        assert_eq!((found.unit_ids(), found.multiplier_ids()), (Some(units), Some(multipliers)), "{name}");
    }
}

#[test]
fn batches_take_turns_and_have_the_samples_of_their_sensor() {
    let log = Log::from_bytes(flight(1, 12));
    let batches = log.batches();
    let sensors: Vec<_> = batches.iter().map(|batch| (batch.instance, batch.sensor)).collect();
    let (accelerometer, gyroscope) = (BatchSensor::Accelerometer, BatchSensor::Gyroscope);
    assert_eq!(sensors, [(0, accelerometer), (0, gyroscope), (1, accelerometer), (1, gyroscope), (0, accelerometer)]);
    let batch = &batches[0];
    assert_eq!((batch.rate, batch.count, batch.sample_us), (400.0, 1024, 2500));
    let logged = log.numbers("IMU[0].AccZ", Scaling::Shown).expect("the column");
    let [_, _, z] = batch.samples();
    assert_eq!(z.len(), 1024);
    for (sample, logged) in z.iter().zip(logged) {
        assert!((sample - logged).abs() < 0.01, "{sample} for {logged}");
    }
}

#[test]
fn the_compass_has_the_parameters_that_calibrate_it() {
    let log = Log::from_bytes(flight(4, 3));
    let parameters = log.parameters();
    let value = |name: &str| parameters[name].values[0].value;
    let offset = log.numbers("MAG.OfsX", Scaling::Shown).expect("the column")[0];
    assert!((value("COMPASS_OFS_X") - offset).abs() <= 0.5);
    assert_eq!((value("AHRS_EKF_TYPE"), value("COMPASS_DIA_X"), value("INS_GYR_ID")), (3.0, 1.0, 2_752_772.0));
}

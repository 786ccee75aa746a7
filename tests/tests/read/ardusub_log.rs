//! A real log of ArduSub 4.1.0: its messages declared with the derive, decoded, and written again under its own ids.

use binlog::field::{Centi, Latitude, Longitude};
use binlog::messages::{Arm, Dsf, Ev, Fmt, Fmtu, LegacyMsg, Mode, Mult, Unit};
use binlog::{Decoder, LogMessage, LogSchema, LogWriter, Records};
use std::collections::BTreeMap;
use zerocopy::{Immutable, IntoBytes};

/// ArduSub's control tuning, id 0.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "CTUN", allow(float_multiplier, misleading_multiplier))]
#[repr(C, packed)]
struct ControlTuning {
    time_us: u64,
    #[log(label = "ThI")]
    throttle_in: f32,
    #[log(label = "ABst")]
    angle_boost: f32,
    #[log(label = "ThO")]
    throttle_out: f32,
    #[log(label = "ThH")]
    throttle_hover: f32,
    #[log(label = "DAlt", unit = "m")]
    desired_alt: f32,
    #[log(unit = "m")]
    alt: f32,
    #[log(label = "BAlt", unit = "m", mult = 1e-2)]
    baro_alt: f32,
    #[log(label = "DSAlt", unit = "m")]
    desired_rangefinder_alt: Centi<i16>,
    #[log(label = "SAlt", unit = "m")]
    rangefinder_alt: Centi<i16>,
    #[log(label = "TAlt", unit = "m", mult = 1e-2)]
    terrain_alt: f32,
    #[log(label = "DCRt", unit = "m/s", mult = 1e-2)]
    target_climb_rate: i16,
    #[log(label = "CRt", unit = "m/s", mult = 1e-2)]
    climb_rate: i16,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MOTB")]
#[repr(C, packed)]
struct MotorBattery {
    time_us: u64,
    lift_max: f32,
    #[log(unit = "V")]
    bat_volt: f32,
    #[log(unit = "Ohm")]
    bat_res: f32,
    #[log(label = "ThLimit")]
    throttle_limit: f32,
}

/// PARM of older releases, without a default.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "PARM", as_logged)]
#[repr(C, packed)]
struct OldParm {
    time_us: u64,
    name: binlog::field::Chars<16>,
    value: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RCIN")]
#[repr(C, packed)]
struct RcIn {
    time_us: u64,
    #[log(unit = "us", mult = '-')]
    c1: u16,
    #[log(unit = "us", mult = '-')]
    c2: u16,
    #[log(unit = "us", mult = '-')]
    c3: u16,
    #[log(unit = "us", mult = '-')]
    c4: u16,
    #[log(unit = "us", mult = '-')]
    c5: u16,
    #[log(unit = "us", mult = '-')]
    c6: u16,
    #[log(unit = "us", mult = '-')]
    c7: u16,
    #[log(unit = "us", mult = '-')]
    c8: u16,
    #[log(unit = "us", mult = '-')]
    c9: u16,
    #[log(unit = "us", mult = '-')]
    c10: u16,
    #[log(unit = "us", mult = '-')]
    c11: u16,
    #[log(unit = "us", mult = '-')]
    c12: u16,
    #[log(unit = "us", mult = '-')]
    c13: u16,
    #[log(unit = "us", mult = '-')]
    c14: u16,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BARO")]
#[repr(C, packed)]
struct Barometer {
    time_us: u64,
    #[log(label = "I", instance)]
    instance: u8,
    #[log(unit = "m")]
    alt: f32,
    #[log(label = "Press", unit = "Pa")]
    pressure: f32,
    #[log(label = "Temp", unit = "degC")]
    temperature: Centi<i16>,
    #[log(label = "CRt", unit = "m/s")]
    climb_rate: f32,
    #[log(label = "SMS", unit = "s", mult = 1e-3)]
    sample_ms: u32,
    #[log(unit = "m", mult = '?')]
    offset: f32,
    #[log(label = "GndTemp", unit = "degC")]
    ground_temperature: f32,
    health: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "AHR2")]
#[repr(C, packed)]
struct SecondaryAttitude {
    time_us: u64,
    #[log(unit = "deg")]
    roll: Centi<i16>,
    #[log(unit = "deg")]
    pitch: Centi<i16>,
    #[log(unit = "degheading")]
    yaw: Centi<u16>,
    #[log(unit = "m")]
    alt: f32,
    #[log(label = "Lat")]
    latitude: Latitude,
    #[log(label = "Lng")]
    longitude: Longitude,
    #[log(unit = '?', mult = '?')]
    q1: f32,
    #[log(unit = '?', mult = '?')]
    q2: f32,
    #[log(unit = '?', mult = '?')]
    q3: f32,
    #[log(unit = '?', mult = '?')]
    q4: f32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    time_us: u64,
    #[log(unit = "deg")]
    des_roll: Centi<i16>,
    #[log(unit = "deg")]
    roll: Centi<i16>,
    #[log(unit = "deg")]
    des_pitch: Centi<i16>,
    #[log(unit = "deg")]
    pitch: Centi<i16>,
    #[log(unit = "degheading")]
    des_yaw: Centi<u16>,
    #[log(unit = "degheading")]
    yaw: Centi<u16>,
    #[log(label = "ErrRP", unit = "deg")]
    error_roll_pitch: Centi<u16>,
    #[log(label = "ErrYaw", unit = "degheading")]
    error_yaw: Centi<u16>,
    #[log(label = "AEKF")]
    active_ekf: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RATE", allow(float_multiplier))]
#[repr(C, packed)]
struct Rate {
    time_us: u64,
    #[log(label = "RDes", unit = "deg/s", mult = '?')]
    roll_desired: f32,
    #[log(label = "R", unit = "deg/s", mult = '?')]
    roll: f32,
    #[log(label = "ROut", mult = '?')]
    roll_out: f32,
    #[log(label = "PDes", unit = "deg/s", mult = '?')]
    pitch_desired: f32,
    #[log(label = "P", unit = "deg/s", mult = '?')]
    pitch: f32,
    #[log(label = "POut", mult = '?')]
    pitch_out: f32,
    #[log(label = "YDes", unit = "deg/s", mult = '?')]
    yaw_desired: f32,
    #[log(label = "Y", unit = "deg/s", mult = '?')]
    yaw: f32,
    #[log(label = "YOut", mult = '?')]
    yaw_out: f32,
    #[log(label = "ADes", unit = "m/s/s", mult = 1e-2)]
    accel_desired: f32,
    #[log(label = "A", unit = "m/s/s", mult = 1e-2)]
    accel: f32,
    #[log(label = "AOut", mult = '-')]
    accel_out: f32,
}

/// `c` with the multiplier `?`, which rule 8 forbids.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT", as_logged)]
#[repr(C, packed)]
struct Battery {
    time_us: u64,
    #[log(instance)]
    instance: u8,
    #[log(label = "Volt", unit = "V")]
    voltage: f32,
    #[log(label = "VoltR", unit = "V")]
    resting_voltage: f32,
    #[log(label = "Curr", unit = "A")]
    current: f32,
    #[log(label = "CurrTot", unit = "Ah", mult = 1e-3)]
    consumed: f32,
    #[log(label = "EnrgTot", unit = "W.h")]
    energy: f32,
    #[log(label = "Temp", unit = "degC", mult = '?')]
    temperature: Centi<i16>,
    #[log(label = "Res", unit = "Ohm")]
    resistance: f32,
    #[log(label = "RemPct", unit = "%")]
    remaining: u8,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "MAG")]
#[repr(C, packed)]
struct Compass {
    time_us: u64,
    #[log(label = "I", instance)]
    instance: u8,
    #[log(unit = "Gauss", mult = 1e-3)]
    mag_x: i16,
    #[log(unit = "Gauss", mult = 1e-3)]
    mag_y: i16,
    #[log(unit = "Gauss", mult = 1e-3)]
    mag_z: i16,
    #[log(unit = "Gauss", mult = 1e-3)]
    ofs_x: i16,
    #[log(unit = "Gauss", mult = 1e-3)]
    ofs_y: i16,
    #[log(unit = "Gauss", mult = 1e-3)]
    ofs_z: i16,
    #[log(label = "MOX", unit = "Gauss", mult = 1e-3)]
    motor_x: i16,
    #[log(label = "MOY", unit = "Gauss", mult = 1e-3)]
    motor_y: i16,
    #[log(label = "MOZ", unit = "Gauss", mult = 1e-3)]
    motor_z: i16,
    health: bool,
    #[log(label = "S", unit = "s", mult = 1e-6)]
    sample_us: u32,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Imu {
    time_us: u64,
    #[log(label = "I", instance)]
    instance: u8,
    #[log(unit = "rad/s")]
    gyr_x: f32,
    #[log(unit = "rad/s")]
    gyr_y: f32,
    #[log(unit = "rad/s")]
    gyr_z: f32,
    #[log(unit = "m/s/s")]
    acc_x: f32,
    #[log(unit = "m/s/s")]
    acc_y: f32,
    #[log(unit = "m/s/s")]
    acc_z: f32,
    #[log(label = "EG")]
    gyro_errors: u32,
    #[log(label = "EA")]
    accel_errors: u32,
    #[log(label = "T", unit = "degC", mult = '-')]
    temperature: f32,
    #[log(label = "GH")]
    gyro_health: u8,
    #[log(label = "AH")]
    accel_health: u8,
    #[log(label = "GHz", unit = "Hz")]
    gyro_rate: u16,
    #[log(label = "AHz", unit = "Hz")]
    accel_rate: u16,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "VIBE")]
#[repr(C, packed)]
struct Vibration {
    time_us: u64,
    #[log(label = "IMU", instance)]
    imu: u8,
    vibe_x: f32,
    vibe_y: f32,
    vibe_z: f32,
    #[log(label = "Clip")]
    clipped: u32,
}

#[derive(LogSchema)]
enum SubLog {
    #[log(id = 0)]
    Ctun(ControlTuning),
    #[log(id = 6)]
    Motb(MotorBattery),
    #[log(id = 64)]
    Parm(OldParm),
    #[log(id = 91)]
    Msg(LegacyMsg),
    #[log(id = 92)]
    Rcin(RcIn),
    #[log(id = 96)]
    Baro(Barometer),
    #[log(id = 98)]
    Ahr2(SecondaryAttitude),
    #[log(id = 100)]
    Att(Attitude),
    #[log(id = 103)]
    Rate(Rate),
    #[log(id = 115)]
    Bat(Battery),
    #[log(id = 117)]
    Mag(Compass),
    #[log(id = 125)]
    Mode(Mode),
    #[log(id = 162)]
    Imu(Imu),
    #[log(id = 165)]
    Vibe(Vibration),
    #[log(id = 194)]
    Dsf(Dsf),
    #[log(id = 198)]
    Ev(Ev),
    #[log(id = 203)]
    Arm(Arm),
    Fmt(Fmt),
    #[log(id = 177)]
    Fmtu(Fmtu),
    #[log(id = 178)]
    Unit(Unit),
    #[log(id = 179)]
    Mult(Mult),
}

impl SubLog {
    fn defines(&self) -> bool {
        matches!(self, SubLog::Fmt(_) | SubLog::Fmtu(_) | SubLog::Unit(_) | SubLog::Mult(_))
    }
}

/// The bytes of a record, header included.
type RecordBytes = Vec<u8>;

/// The FMT and FMTU records by id, and the records of the schema that define nothing.
fn split(log: &[u8]) -> (BTreeMap<u8, RecordBytes>, BTreeMap<u8, RecordBytes>, Vec<RecordBytes>) {
    let (mut fmt, mut fmtu, mut rest) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut decoder = Decoder::<SubLog>::new();
    for record in Records::new(log) {
        let record = record.expect("a sound log");
        let bytes = log[record.offset()..][..3 + record.payload().len()].to_vec();
        match decoder.decode(&record).expect("definitions that agree") {
            Some(SubLog::Fmt(message)) => drop(fmt.insert(message.r#type, bytes)),
            Some(SubLog::Fmtu(message)) => drop(fmtu.insert(message.fmt_type, bytes)),
            Some(message) if !message.defines() => rest.push(bytes),
            _ => {}
        }
    }
    (fmt, fmtu, rest)
}

#[test]
fn a_real_log_is_written_again_identically() {
    let Some(path) = binlog_tests::shared("ardupilot-logs/ardusub_small.BIN") else { return };
    let original = std::fs::read(path).expect("a readable log");

    let mut log = LogWriter::<SubLog, _>::new(Vec::new()).expect("memory takes all");
    let mut decoder = Decoder::<SubLog>::new();
    for record in Records::new(&original) {
        let record = record.expect("a sound log");
        if let Some(message) = decoder.decode(&record).expect("definitions that agree") {
            assert_eq!(message.record(), (record.id(), record.payload()));
            if !message.defines() {
                log.write_any(&message).expect("memory takes all");
            }
        }
    }
    let written = log.finish().expect("memory takes all");

    let (fmt, fmtu, records) = split(&original);
    let (our_fmt, our_fmtu, our_records) = split(&written);
    assert!(records.len() > 4000, "{} records", records.len());
    assert_eq!(our_records, records);
    for message in SubLog::MESSAGES {
        let name = message.definition.name;
        assert_eq!(our_fmt[&message.id], fmt[&message.id], "FMT of {name}");
        // Header, then 8 bytes of time.
        assert_eq!(our_fmtu[&message.id][..3], fmtu[&message.id][..3], "header of FMTU of {name}");
        assert_eq!(our_fmtu[&message.id][11..], fmtu[&message.id][11..], "FMTU of {name}");
    }
}

#[test]
fn with_an_id_of_0_the_time_of_fmtu_is_256() {
    let fmtu = Records::new(SubLog::PREAMBLE).flatten().filter(|record| record.name() == "FMTU");
    for record in fmtu {
        let time_us = record.decode::<Fmtu>().expect("an FMTU").time_us;
        assert_eq!(time_us, 256);
    }
}

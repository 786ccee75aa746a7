//! Logs with missions, fences and rally points. The tests of plots have this file as a module, too.

use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

pub(crate) const CMD: u8 = 1;
pub(crate) const FNCE: u8 = 2;
pub(crate) const RALY: u8 = 3;
pub(crate) const POS: u8 = 4;

/// An item: frame, command, first parameter, latitude, longitude, altitude.
pub(crate) type Row = (u8, u16, f32, f64, f64, f32);

pub(crate) const HOME: Row = (0, 16, 0.0, 48.5, 11.25, 500.0);
/// A mission with a jump, and a landing sequence of its own.
pub(crate) const MISSION: [Row; 8] = [
    HOME,
    (3, 22, 15.0, 48.5, 11.25, 30.0),
    (3, 16, 0.0, 48.501, 11.251, 40.0),
    (10, 16, 0.0, 48.502, 11.252, 50.0),
    (3, 177, 2.0, 0.0, 0.0, 0.0),
    (3, 189, 0.0, 48.503, 11.253, 20.0),
    (3, 16, 0.0, 48.504, 11.254, 20.0),
    (3, 21, 0.0, 48.505, 11.255, 0.0),
];

pub(crate) fn degrees(value: f64) -> i32 {
    (value * 1e7).round() as i32
}

pub(crate) fn log() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(CMD, "CMD", "QHHHffffLLfB", "TimeUS,CTot,CNum,CId,Prm1,Prm2,Prm3,Prm4,Lat,Lng,Alt,Frame");
    log.fmt(FNCE, "FNCE", "QBBBLLBf", "TimeUS,Tot,Seq,Type,Lat,Lng,Count,Radius");
    log.fmt(RALY, "RALY", "QBBLLhB", "TimeUS,Tot,Seq,Lat,Lng,Alt,Flags");
    log.fmt(POS, "POS", "QLLf", "TimeUS,Lat,Lng,Alt");
    log
}

pub(crate) fn item(log: &mut RawLog, time_us: u64, total: usize, number: usize, row: Row) {
    let (frame, command, parameter, latitude, longitude, altitude) = row;
    let (total, number) = (total as u16, number as u16);
    let (latitude, longitude) = (degrees(latitude), degrees(longitude));
    let rest = [parameter, 0.5, 0.0, -0.25];
    log.record(
        CMD,
        &payload![
            time_us, total, number, command, rest[0], rest[1], rest[2], rest[3], latitude, longitude, altitude, frame
        ],
    );
}

pub(crate) fn mission(log: &mut RawLog, time_us: u64, rows: &[Row]) {
    rows.iter().enumerate().for_each(|(number, row)| item(log, time_us + number as u64, rows.len(), number, *row));
}

/// A fence of each kind, rally points with and without a frame, and a position.
pub(crate) fn flight() -> Vec<u8> {
    let mut log = log();
    mission(&mut log, 1000, &MISSION);
    let corners = [(48.5, 11.2), (48.6, 11.2), (48.6, 11.3)];
    let mut fences: Vec<(u8, f64, f64, u8, f32)> =
        corners.iter().map(|(latitude, longitude)| (98, *latitude, *longitude, 3, 0.0)).collect();
    fences.extend(corners.iter().map(|(latitude, longitude)| (97, *latitude, *longitude + 1.0, 3, 0.0)));
    fences.extend([(92, 48.55, 11.25, 0, 100.0), (93, 48.56, 11.26, 0, 50.5), (95, 48.57, 11.27, 0, 0.0)]);
    let total = fences.len() as u8;
    for (number, (kind, latitude, longitude, count, radius)) in (0_u8..).zip(fences) {
        let (latitude, longitude) = (degrees(latitude), degrees(longitude));
        log.record(FNCE, &payload![2000_u64, total, number, kind, latitude, longitude, count, radius]);
    }
    for (number, flags) in [(0_u8, 0_u8), (1, 0b00100), (2, 0b11100)] {
        let (latitude, longitude) = (degrees(48.58), degrees(11.28));
        log.record(RALY, &payload![3000_u64, 3_u8, number, latitude, longitude, 25_i16, flags]);
    }
    for i in 0..3_u64 {
        log.record(POS, &payload![4000 + i, degrees(48.5), degrees(11.25), 500_f32]);
    }
    log.bytes
}

/// A mission and a fence as ArduPlane 3.8 logs a mission: any bytes are coordinates, and some are of no place.
pub(crate) fn damaged() -> Vec<u8> {
    let mut log = RawLog::new();
    log.fmt(CMD, "CMD", "QHHHfff", "TimeUS,CTot,CNum,CId,Lat,Lng,Alt");
    log.fmt(FNCE, "FNCE", "QBBBffBf", "TimeUS,Tot,Seq,Type,Lat,Lng,Count,Radius");
    log.fmt(POS, "POS", "Qff", "TimeUS,Lat,Lng");
    let rows: [(f32, f32); 6] =
        [(48.5, 11.25), (f32::INFINITY, 11.25), (48.5, f32::NAN), (95.0, 11.25), (48.5, 1e30), (48.25, 11.5)];
    for (number, (latitude, longitude)) in (0_u16..).zip(rows) {
        log.record(CMD, &payload![1000_u64, rows.len() as u16, number, 16_u16, latitude, longitude, 500_f32]);
    }
    // A polygon of which the first corner is damaged, another with too few corners, and circles without an end or a
    // place.
    let corners: [(f32, f32); 7] =
        [(95.0, 11.25), (48.5, 11.25), (48.5, 11.5), (48.25, 11.5), (48.5, 11.25), (95.0, 11.5), (48.5, 1e30)];
    let fences = corners.iter().zip([4_u8, 4, 4, 4, 3, 3, 3]).map(|(corner, count)| (*corner, 98_u8, count));
    let circles = [((48.5, 11.25), 92, 0), ((f32::NAN, 11.25), 93, 0)];
    for (number, ((latitude, longitude), kind, count)) in (0_u8..).zip(fences.chain(circles)) {
        log.record(FNCE, &payload![2000_u64, 9_u8, number, kind, latitude, longitude, count, f32::INFINITY]);
    }
    (0..2_u64).for_each(|i| _ = log.record(POS, &payload![3000 + i, 48.5_f32, 11.25_f32]));
    log.bytes
}

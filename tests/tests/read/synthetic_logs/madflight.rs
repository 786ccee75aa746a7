//! Logs of madflight: 32-bit times, which wrap, and FMTU, UNIT and MULT in a layout of its own. And other layouts and
//! times that a firmware may have.

use super::assert_as_pymavlink;
use binlog::log::Vehicle;
use binlog::{Format, Log, LogMessage, LogSchema, RecordStream, Scaling};
use binlog_tests::payload;
use binlog_tests::raw_log::{Cell, RawLog};
use zerocopy::{Immutable, IntoBytes};

const FMTU: u8 = 129;
const MSG: u8 = 130;
const MULT: u8 = 131;
const UNIT: u8 = 132;
const PARM: u8 = 133;
const MODE: u8 = 134;
const IMU: u8 = 135;

/// 2^32 µs.
const RANGE: u64 = 1 << 32;
const SECOND: u64 = 1_000_000;

/// A text as a column has it.
fn text<const N: usize>(text: &str) -> [u8; N] {
    std::array::from_fn(|i| text.as_bytes().get(i).copied().unwrap_or(0))
}

/// A log as madflight's `BinLogWriter` begins it: FMT and FMTU at the first use of each type.
fn madflight() -> RawLog {
    let mut log = RawLog::new();
    log.fmt(FMTU, "FMTU", "IBNN", "TimeUS,FmtType,UnitIds,MultIds");
    typed(&mut log, MSG, "MSG", "IZ", "TimeUS,Message", "s-", "F-");
    log.record(MSG, &payload![0_u32, text::<64>("ArduCopter")]);
    log.record(MSG, &payload![0_u32, text::<64>("madflight v2.3.0")]);
    typed(&mut log, MULT, "MULT", "Ibf", "TimeUS,Id,Mult", "s--", "F--");
    for (id, value) in [('-', 0.0_f32), ('0', 1.0), ('B', 0.01), ('C', 0.001), ('F', 1e-6)] {
        log.record(MULT, &payload![0_u32, id as u8, value]);
    }
    typed(&mut log, UNIT, "UNIT", "IbN", "TimeUS,Id,Label", "s--", "F--");
    for (id, name) in [('s', "s"), ('k', "deg/s"), ('o', "m/s/s"), ('T', "uT"), ('-', "")] {
        log.record(UNIT, &payload![0_u32, id as u8, text::<16>(name)]);
    }
    typed(&mut log, PARM, "PARM", "INff", "TimeUS,Name,Value,Default", "s---", "F---");
    log.record(PARM, &payload![0_u32, text::<16>("RATE"), 1000.0_f32, 1000.0_f32]);
    typed(&mut log, MODE, "MODE", "IMBBN", "TimeUS,Mode,ModeNum,Rsn,Name", "s----", "F----");
    typed(&mut log, IMU, "IMU", "Ihh", "TimeUS,gx,my", "skT", "FBC");
    log
}

/// FMT and FMTU of a type.
fn typed(log: &mut RawLog, id: u8, name: &str, format: &str, labels: &str, units: &str, multipliers: &str) {
    log.fmt(id, name, format, labels);
    log.record(FMTU, &payload![0_u32, id, text::<16>(units), text::<16>(multipliers)]);
}

fn imu(log: &mut RawLog, time_us: u64) {
    log.record(IMU, &payload![time_us as u32, 100_i16, -5_i16]);
}

fn mode(log: &mut RawLog, time_us: u64, number: u8, name: &str) {
    log.record(MODE, &payload![time_us as u32, number, number, 0_u8, text::<16>(name)]);
}

/// 80 minutes at 10 Hz, with the wrap after 71.6.
fn flight() -> (RawLog, Vec<u64>) {
    let mut log = madflight();
    let times: Vec<u64> = (0..48_000).map(|i| 5 * SECOND + i * SECOND / 10).collect();
    for &time_us in &times {
        if time_us == 6 * SECOND {
            mode(&mut log, time_us, 2, "ANGLE");
        } else if time_us == RANGE / SECOND * SECOND + 60 * SECOND {
            mode(&mut log, time_us, 1, "RATE");
        }
        imu(&mut log, time_us);
    }
    (log, times)
}

#[test]
fn madflights_units_and_multipliers_are_read() {
    let mut log = madflight();
    imu(&mut log, SECOND);
    assert_as_pymavlink(&log);
    let log = Log::from_bytes(&log.bytes);
    let column = log.column("IMU.gx").expect("a column");
    assert_eq!((column.shown_unit(), column.unit(), column.multiplier()), ("cdeg/s", "deg/s", Some(0.01)));
    assert_eq!(log.numbers("IMU.gx", Scaling::Units), Ok(vec![1.0]));
    let column = log.column("IMU.my").expect("a column");
    assert_eq!((column.shown_unit(), column.unit()), ("muT", "uT"));
    assert_eq!(log.parameters()["RATE"].last(), 1000.0);
    assert_eq!(log.vehicle(), Some(Vehicle::Copter));
    let schema = log.schema();
    assert_eq!((schema.unit_name(b'T'), schema.multiplier_value(b'C')), (Some("uT"), Some(1e-3)));
    let table = log.tables().into_iter().find(|table| table.name() == "IMU").expect("a table");
    assert_eq!(table.definition().multiplier_ids(), Some("FBC"));
}

#[test]
fn layouts_of_fmtu_are_found_by_label() {
    for (format, labels) in [
        ("NBN", "MultIds,FmtType,UnitIds"),
        ("ZHZ", "UnitIds,FmtType,MultIds"),
        ("nIn", "UnitIds,FmtType,MultIds"),
        ("qiNN", "TimeUS,FmtType,UnitIds,MultIds"),
        ("QBNN", "Time,Type,Units,Mults"),
    ] {
        let mut log = RawLog::new();
        log.fmt(FMTU, "FMTU", format, labels).fmt(IMU, "IMU", "Qh", "TimeUS,gx");
        let mut payload = Vec::new();
        for (column, label) in format.bytes().zip(labels.split(',')) {
            let ids = match label {
                "UnitIds" | "Units" => "sk",
                "MultIds" | "Mults" => "FB",
                _ => "",
            };
            match column {
                b'n' => text::<4>(ids).put(&mut payload),
                b'N' => text::<16>(ids).put(&mut payload),
                b'Z' => text::<64>(ids).put(&mut payload),
                b'B' => IMU.put(&mut payload),
                b'H' => u16::from(IMU).put(&mut payload),
                b'I' | b'i' => u32::from(IMU).put(&mut payload),
                _ => 0_u64.put(&mut payload),
            }
        }
        log.record(FMTU, &payload).record(IMU, &payload![SECOND, 100_i16]);
        let bytes = log.bytes;
        let log = Log::from_bytes(&bytes);
        let column = log.column("IMU.gx").expect("a column");
        assert_eq!((column.unit(), column.multiplier()), ("deg/s", Some(0.01)), "{format} {labels}");
        let mut stream = RecordStream::<4096>::new();
        assert_eq!(stream.push(&bytes), bytes.len());
        stream.finish();
        while stream.next().is_some() {}
        let definition = stream.definition(IMU).expect("a definition");
        assert_eq!((definition.unit_ids(), definition.multiplier_ids()), (Some("sk"), Some("FB")), "{format}");
    }
}

#[test]
fn units_and_multipliers_have_any_format_that_holds_them() {
    use binlog_tests::raw_log::{MULT, UNIT};
    for (unit_format, mult_format) in [("IbN", "Ibf"), ("QBn", "QBd"), ("BZ", "BC"), ("QnZ", "QnI"), ("QBZ", "QBg")] {
        let mut log = RawLog::with_units();
        let unit_labels = if unit_format.len() == 2 { "Id,Label" } else { "TimeUS,Id,Label" };
        let mult_labels = if mult_format.len() == 2 { "Id,Mult" } else { "T,I,M" };
        log.fmt(UNIT, "UNIT", unit_format, unit_labels).fmt(MULT, "MULT", mult_format, mult_labels);
        let (mut unit, mut mult) = (Vec::new(), Vec::new());
        for (payload, format, id) in [(&mut unit, unit_format, "w"), (&mut mult, mult_format, "x")] {
            for (i, column) in format.bytes().enumerate() {
                let is_last = i + 1 == format.len();
                match column {
                    b'n' if is_last => text::<4>("rpm").put(payload),
                    b'N' => text::<16>("rpm").put(payload),
                    b'Z' => text::<64>("rpm").put(payload),
                    b'n' => text::<4>(id).put(payload),
                    b'f' => 5.0_f32.put(payload),
                    b'd' => 5.0_f64.put(payload),
                    b'C' => 500_u16.put(payload),
                    b'g' => 0x4500_u16.put(payload),
                    b'I' if is_last => 5_u32.put(payload),
                    b'b' | b'B' => id.as_bytes()[0].put(payload),
                    b'Q' => 0_u64.put(payload),
                    _ => 0_u32.put(payload),
                }
            }
        }
        log.record(UNIT, &unit).record(MULT, &mult);
        log.fmt(IMU, "ENG", "Qh", "TimeUS,Speed").fmtu(IMU, "sw", "Fx").record(IMU, &payload![SECOND, 3_i16]);
        let log = Log::from_bytes(&log.bytes);
        let column = log.column("ENG.Speed").expect("a column");
        assert_eq!((column.unit(), column.multiplier()), ("rpm", Some(5.0)), "{unit_format} {mult_format}");
    }
}

#[test]
fn times_go_on_over_the_wrap_wherever_they_are_read() {
    let (log, times) = flight();
    let bytes = log.bytes;
    let end = *times.last().expect("times");
    let log = Log::from_bytes(&bytes);
    // The first request, the index, the boot by itself.
    assert!(log.rows("IMU").expect("IMU").times_us() == times);
    assert!(log.rows("IMU").expect("IMU").times_us() == times);
    assert_eq!(log.time_range_us(), Some(0..=end));
    assert!(
        log.records()
            .flatten()
            .filter(|record| record.name() == "IMU")
            .filter_map(|record| record.time_us())
            .eq(times.clone())
    );
    let boot = log.boots().next().expect("a boot").log();
    assert!(
        boot.rows("IMU").expect("IMU").records().map(|record| record.time_us()).eq(times.iter().copied().map(Some))
    );
    let table = log.tables().into_iter().find(|table| table.name() == "IMU").expect("a table");
    assert!(table.rows().times_us() == times);
    let mut stream = RecordStream::<4096>::new();
    let (mut rest, mut streamed) = (&bytes[..], Vec::new());
    loop {
        let pushed = stream.push(rest);
        rest = &rest[pushed..];
        if rest.is_empty() {
            stream.finish();
        }
        while let Some(item) = stream.next() {
            let record = item.expect("no damage");
            streamed.extend(record.time_us().filter(|_| record.name() == "IMU"));
        }
        if rest.is_empty() {
            break;
        }
    }
    assert!(streamed == times);
}

#[test]
fn modes_have_their_own_names_and_last_over_the_wrap() {
    let (log, times) = flight();
    let log = Log::from_bytes(&log.bytes);
    let modes = log.modes();
    let change = RANGE / SECOND * SECOND + 60 * SECOND;
    let names: Vec<_> = modes.iter().map(|mode| (mode.name.as_deref(), mode.number)).collect();
    assert_eq!(names, [(Some("ANGLE"), Some(2)), (Some("RATE"), Some(1))]);
    let end = times.last().expect("times") + 1;
    assert_eq!([&modes[0].time_us, &modes[1].time_us], [&(6 * SECOND..change), &(change..end)]);
    // Without a name, that of the vehicle.
    let mut log = madflight();
    mode(&mut log, SECOND, 6, "");
    assert_eq!(Log::from_bytes(&log.bytes).modes()[0].name.as_deref(), Some("RTL"));
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "IMU")]
#[repr(C, packed)]
struct Imu {
    time_us: u64,
    #[log(label = "gx", unit = "deg/s", mult = 0.01, allow(misleading_multiplier))]
    gx: i16,
}

#[derive(LogSchema)]
enum Ours {
    Imu(Imu),
}

#[test]
fn a_programs_time_of_64_bits_is_filled_from_one_of_32() {
    let (log, times) = flight();
    let log = Log::from_bytes(&log.bytes);
    let typed = log.typed::<Imu>().expect("IMU is read by label");
    assert!(typed.map(|imu| imu.expect("a value").time_us).eq(times.clone()));
    let messages = log.messages::<Ours>().expect("IMU is read by label");
    assert!(
        messages
            .map(|message| match message.expect("a value") {
                Ours::Imu(imu) => imu.time_us,
            })
            .eq(times)
    );
}

#[test]
fn a_time_is_an_integer_of_any_format_in_any_place() {
    fn put(format: u8, time: u64, payload: &mut Vec<u8>) {
        match format {
            b'b' | b'B' => (time as u8).put(payload),
            b'h' | b'H' => (time as u16).put(payload),
            b'i' | b'I' => (time as u32).put(payload),
            _ => time.put(payload),
        }
    }
    for (format, largest) in [
        ("b", 200),
        ("B", 200),
        ("h", 50_000),
        ("H", 50_000),
        ("i", 3_000 * SECOND),
        ("I", 3_000 * SECOND),
        ("q", 9_000 * SECOND),
        ("Q", 9_000 * SECOND),
    ] {
        for is_first in [true, false] {
            let times = [largest - 100, largest - 50, largest];
            let mut log = RawLog::with_units();
            let (formats, labels) = match is_first {
                true => (format!("{format}h"), "TimeUS,gx"),
                false => (format!("h{format}"), "gx,TimeUS"),
            };
            log.fmt(IMU, "IMU", &formats, labels);
            for time in times {
                let mut payload = Vec::new();
                for column in formats.bytes().enumerate() {
                    match (column, is_first) {
                        ((0, time_format), true) | ((1, time_format), false) => put(time_format, time, &mut payload),
                        _ => 100_i16.put(&mut payload),
                    }
                }
                log.record(IMU, &payload);
            }
            let log = Log::from_bytes(&log.bytes);
            let rows = log.rows("IMU").expect("IMU");
            assert_eq!(rows.times_us(), times, "{formats}");
            assert_eq!(log.time_range_us(), Some(times[0]..=times[2]), "{formats}");
            let typed = log.typed::<Imu>().expect("IMU is read by label");
            assert!(typed.map(|imu| imu.expect("a value").time_us).eq(times), "{formats}");
            let column = log.column("IMU.TimeUS").expect("a column");
            assert_eq!((column.unit(), column.multiplier()), ("s", Some(1e-6)));
            assert_eq!(column.format(), Format::from_character(format.as_bytes()[0]).expect("a format"));
        }
    }
}

/// The wrap of the trial's log: after a MODE, one record is before it.
#[test]
fn a_log_may_begin_just_before_the_wrap() {
    let mut log = madflight();
    mode(&mut log, 100, 1, "RATE");
    let times: Vec<u64> = (0..1000).map(|i| RANGE - 350 + 1000 * i).collect();
    times.iter().for_each(|&time_us| imu(&mut log, time_us));
    let log = Log::from_bytes(&log.bytes);
    assert_eq!(log.rows("IMU").expect("IMU").times_us(), times);
    assert_eq!(log.time_range_us(), Some(0..=times[999]));
    assert_eq!(log.modes()[0].time_us, 100..times[999] + 1);
}

#[test]
fn each_boot_has_its_own_wraps() {
    let (first, times) = flight();
    let mut second = madflight();
    let late: Vec<u64> = (0..100).map(|i| RANGE - 5 * SECOND + i * SECOND / 10).collect();
    late.iter().for_each(|&time_us| imu(&mut second, time_us));
    let log = Log::from_bytes([first.bytes, second.bytes].concat());
    let boots: Vec<_> = log.boots().map(|boot| boot.log().rows("IMU").expect("IMU").times_us()).collect();
    assert!(boots == [times.clone(), late.clone()]);
    assert!(log.rows("IMU").expect("IMU").times_us() == [times, late].concat());
}

#[test]
fn damage_near_the_wrap_moves_no_other_record() {
    let (log, times) = flight();
    let at = times.iter().position(|&time_us| time_us > RANGE).expect("the wrap");
    let mut bytes = log.bytes;
    let offsets: Vec<usize> = {
        let log = Log::from_bytes(&bytes);
        log.rows("IMU").expect("IMU").records().map(|record| record.offset()).collect()
    };
    // One wrong time before the wrap, one after it, and a hole over it.
    bytes[offsets[at - 20] + 6] ^= 0xF0;
    bytes[offsets[at + 20] + 6] ^= 0x10;
    bytes[offsets[at - 3] + 1..offsets[at + 2]].fill(0x55);
    let log = Log::from_bytes(&bytes);
    let read = log.rows("IMU").expect("IMU").times_us();
    let expected: Vec<u64> = [&times[..at - 3], &times[at + 2..]].concat();
    let differing: Vec<usize> = (0..read.len()).filter(|&i| read[i] != expected[i]).collect();
    assert_eq!((read.len(), differing), (expected.len(), vec![at - 20, at + 15]));
    assert_eq!(log.time_range_us(), Some(0..=*times.last().expect("times")));
}

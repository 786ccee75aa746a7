//! The worked example of madflight's documentation: the definition and a record of ATT, byte for byte.

use binlog::field::Centi;
use binlog::{LogMessage, LogSchema, Records, encode};
use zerocopy::{Immutable, IntoBytes};

/// Vehicle attitude.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    /// Time since boot.
    time_us: u64,
    /// Desired roll.
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
    #[log(label = "ErrYaw", unit = "deg")]
    error_yaw: Centi<u16>,
    #[log(label = "AEKF")]
    active_ekf: u8,
}

#[derive(LogSchema)]
enum FlightLog {
    #[log(id = 0x64)]
    Att(Attitude),
}

const DEFINITION: &str = "
    A3 95 80 64 1C 41 54 54 00 51 63 63 63 63 43 43 43 43 42 00
    00 00 00 00 00 54 69 6D 65 55 53 2C 44 65 73 52 6F 6C 6C 2C
    52 6F 6C 6C 2C 44 65 73 50 69 74 63 68 2C 50 69 74 63 68 2C
    44 65 73 59 61 77 2C 59 61 77 2C 45 72 72 52 50 2C 45 72 72
    59 61 77 2C 41 45 4B 46 00";

const RECORD: &str = "
    A3 95 64 CE 85 E1 0A 00 00 00 00 00 00 55 02 3C FF DF FF 00
    00 5B 09 01 00 01 00 03";

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("two hexadecimal digits")).collect()
}

fn attitude() -> Attitude {
    Attitude {
        time_us: 182_552_014,
        des_roll: Centi::from_raw(0),
        roll: Centi::from_f32(5.97),
        des_pitch: Centi::from_f32(-1.96),
        pitch: Centi::from_f32(-0.33),
        des_yaw: Centi::from_raw(0),
        yaw: Centi::from_f32(23.95),
        error_roll_pitch: Centi::from_f32(0.01),
        error_yaw: Centi::from_f32(0.01),
        active_ekf: 3,
    }
}

#[test]
fn the_definition_of_att_is_madflights() {
    let expected = bytes(DEFINITION);
    assert_eq!(expected.len(), 89);
    let fmt = FlightLog::PREAMBLE.windows(89).find(|window| window[..4] == [0xA3, 0x95, 128, 0x64]);
    assert_eq!(fmt, Some(&expected[..]));
}

#[test]
fn a_record_of_att_is_madflights() {
    let expected = bytes(RECORD);
    let mut record = [0; 28];
    assert_eq!(encode::<FlightLog, _>(&attitude(), &mut record), Ok(28));
    assert_eq!(record[..], expected);
    let message = FlightLog::Att(attitude());
    let (id, payload) = message.record();
    assert_eq!((id, payload), (0x64, &expected[3..]));
    assert_eq!(Attitude::decode(payload), Ok(attitude()));
}

#[test]
fn a_log_of_att_reads_back() {
    let mut log = FlightLog::PREAMBLE.to_vec();
    log.extend(bytes(RECORD));
    let record = Records::new(&log).last().expect("a record").expect("a sound log");
    assert_eq!(record.decode::<Attitude>(), Ok(attitude()));
}

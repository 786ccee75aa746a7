//! The measured work, in binlog and in C: filling records from changing numbers and encoding them into a buffer, and
//! reading logs.

#[path = "../../src/betaflight.rs"]
pub mod betaflight;
pub mod blackbox;
mod frame;
mod messages;
pub mod read;
pub mod timing;

pub use messages::{Attitude, ControlTuning, Filler, Long, Middle, Short, SpeedLog};

use binlog::field::Centi;
use binlog::{HostLogger, LogMessage, LogWriter, Sink, encode};
use std::io;

/// The numbers to log, as in `c/floor.c`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Input {
    /// For integer columns.
    pub integers: [i16; 16],
    /// For float columns.
    pub floats: [f32; 8],
}

/// Sixteen inputs: a power of two, so that taking turns costs nothing.
pub const INPUTS: [Input; 16] = {
    let mut inputs = [Input { integers: [0; 16], floats: [0.0; 8] }; 16];
    let mut i = 0;
    while i < 16 {
        let mut j = 0;
        while j < 16 {
            inputs[i].integers[j] = (i * 31 + j * 7) as i16;
            inputs[i].floats[j % 8] = (i * 8 + j) as f32;
            j += 1;
        }
        i += 1;
    }
    inputs
};

/// The `i`th message.
#[inline(always)]
fn attitude(inputs: &[Input; 16], i: usize) -> Attitude {
    let input = &inputs[i % 16].integers;
    Attitude {
        time_us: 2500 * i as u64,
        des_roll: Centi::from_raw(input[0]),
        roll: Centi::from_raw(input[1]),
        des_pitch: Centi::from_raw(input[2]),
        pitch: Centi::from_raw(input[3]),
        des_yaw: Centi::from_raw(input[4] as u16),
        yaw: Centi::from_raw(input[5] as u16),
        error_roll_pitch: Centi::from_raw(input[6] as u16),
        error_yaw: Centi::from_raw(input[7] as u16),
        active_ekf: input[8] as u8,
    }
}

/// Logs `records` records of ATT through a `HostLogger`, whose thread writes them to nowhere. Returns how many.
pub fn host_att(inputs: &[Input; 16], _: &mut [u8], records: usize) -> usize {
    let thread = HostLogger::<SpeedLog>::builder().wait_for_room().spawn(io::sink()).expect("it takes all");
    log_att(inputs, thread.logger(), records)
}

/// The same through a `SharedWriter`.
pub fn shared_att(inputs: &[Input; 16], _: &mut [u8], records: usize) -> usize {
    let log = LogWriter::<SpeedLog, _>::new(io::sink()).expect("it takes all").into_shared();
    log_att(inputs, &log, records)
}

fn log_att(inputs: &[Input; 16], log: &impl Sink<Attitude>, records: usize) -> usize {
    (0..records).filter(|&i| log.log(&attitude(inputs, i))).count()
}

/// Puts `records` records of ATT into a buffer, from its start again when it is full. Returns the bytes.
#[inline(never)]
pub fn encode_att(inputs: &[Input; 16], out: &mut [u8], records: usize) -> usize {
    let (mut at, mut total) = (0, 0);
    for i in 0..records {
        let message = attitude(inputs, i);
        let length = match encode::<SpeedLog, _>(&message, &mut out[at..]) {
            Ok(length) => length,
            Err(_) => {
                at = 0;
                encode::<SpeedLog, _>(&message, out).unwrap_or(0)
            }
        };
        at += length;
        total += length;
    }
    total
}

/// The same with CTUN.
#[inline(never)]
pub fn encode_ctun(inputs: &[Input; 16], out: &mut [u8], records: usize) -> usize {
    let (mut at, mut total) = (0, 0);
    for i in 0..records {
        let Input { integers, floats } = &inputs[i % 16];
        let message = ControlTuning {
            time_us: 2500 * i as u64,
            throttle_in: floats[0],
            angle_boost: floats[1],
            throttle_out: floats[2],
            throttle_hover: floats[3],
            desired_alt: floats[4],
            alt: floats[5],
            baro_alt: floats[6],
            desired_rangefinder_alt: Centi::from_raw(integers[0]),
            rangefinder_alt: Centi::from_raw(integers[1]),
            terrain_alt: floats[7],
            target_climb_rate: integers[2],
            climb_rate: integers[3],
        };
        let length = match encode::<SpeedLog, _>(&message, &mut out[at..]) {
            Ok(length) => length,
            Err(_) => {
                at = 0;
                encode::<SpeedLog, _>(&message, out).unwrap_or(0)
            }
        };
        at += length;
        total += length;
    }
    total
}

/// Decodes ATT by value, `records` times in all, from a buffer that `encode_att` filled. The result depends on all of
/// them.
#[inline(never)]
pub fn decode_att(inputs: &[Input; 16], out: &mut [u8], records: usize) -> usize {
    encode_att(inputs, out, 16);
    let length = Attitude::DEFINITION.length();
    let mut sum = 0;
    for i in 0..records {
        let at = (i % 16) * length + 3;
        if let Ok(message) =
            out.get(at..at + length - 3).map_or(Err(()), |payload| Attitude::decode(payload).map_err(drop))
        {
            sum += message.time_us as usize + message.roll.raw() as usize + usize::from(message.active_ekf);
        }
    }
    sum
}

mod floor {
    use super::Input;

    unsafe extern "C" {
        pub(crate) fn floor_att(inputs: *const Input, out: *mut u8, capacity: usize, records: usize) -> usize;
        pub(crate) fn floor_ctun(inputs: *const Input, out: *mut u8, capacity: usize, records: usize) -> usize;
    }
}

/// ATT by C.
pub fn floor_att(inputs: &[Input; 16], out: &mut [u8], records: usize) -> usize {
    assert!(out.len() >= 255);
    // SAFETY: `Input` is `repr(C)` as `struct input` is, and there are 16 of them. Before each copy the function checks
    // the room that is left in `out`, and starts again at 0 if it is too small. `out` is longer than a record.
    unsafe { floor::floor_att(inputs.as_ptr(), out.as_mut_ptr(), out.len(), records) }
}

/// CTUN by C.
pub fn floor_ctun(inputs: &[Input; 16], out: &mut [u8], records: usize) -> usize {
    assert!(out.len() >= 255);
    // SAFETY: as above.
    unsafe { floor::floor_ctun(inputs.as_ptr(), out.as_mut_ptr(), out.len(), records) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_and_c_write_the_same_bytes() {
        let (mut ours, mut theirs) = (vec![0; 4096], vec![0; 4096]);
        assert_eq!(encode_att(&INPUTS, &mut ours, 1000), floor_att(&INPUTS, &mut theirs, 1000));
        assert_eq!(ours, theirs);
        assert_eq!(encode_ctun(&INPUTS, &mut ours, 1000), floor_ctun(&INPUTS, &mut theirs, 1000));
        assert_eq!(ours, theirs);
    }
}

//! Blackbox frames to bytes, in binlog and in C, and back.

use crate::frame::{FlightLog, I_INTERVAL, Pid};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Encoder};
use std::hint::black_box;

pub use crate::frame::MainFrame;

/// Frames of a flight with noise; a multiple of the I interval, so that they may take turns without a gap in the
/// iterations' remainders.
pub const FRAMES: usize = 4096;

/// The frames.
pub fn frames() -> Vec<MainFrame> {
    let mut state = 1u32;
    // Noise of -size to size, by a linear congruence.
    let mut noise = |size: i32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as i32 % (2 * size + 1) - size
    };
    let wave = |i: usize, period: f32, height: f32| ((i as f32 / period).sin() * height) as i32;
    let frame = |i: usize| {
        let mut rate = |period, height, size| (wave(i, period, height) + noise(size)) as i16;
        let gyro_adc = [rate(60.0, 200.0, 12), rate(70.0, 150.0, 12), rate(200.0, 40.0, 6)];
        MainFrame {
            loop_iteration: i as u32,
            time: 5_000_000 + 125 * i as u32 + (i.is_multiple_of(5)) as u32,
            pid: Pid {
                p: gyro_adc.map(|rate| rate / 2),
                i: [rate(900.0, 60.0, 0), rate(700.0, 50.0, 0), rate(800.0, 90.0, 1)],
                d: [rate(30.0, 40.0, 20), rate(33.0, 40.0, 20)],
                f: [rate(500.0, 4.0, 0), rate(600.0, 4.0, 0), 0],
            },
            rc_command: [300.0, 200.0, 0.0, 400.0].map(|height| wave(i / 32 * 32, 900.0, height) as i16),
            setpoint: [200.0, 150.0, 10.0, 300.0].map(|height| wave(i / 32 * 32, 800.0, height) as i16),
            vbat_latest: 1590 - (i / 900) as u16,
            amperage_latest: wave(i / 40, 9.0, 1000.0) as i16,
            baro_alt: (i / 200) as i32,
            rssi: 1000 + (i / 300 % 3) as u16,
            gyro_adc,
            acc_smooth: [rate(300.0, 100.0, 9), rate(310.0, 100.0, 9), rate(320.0, 100.0, 9)],
            motor: [0, 1, 2, 3]
                .map(|motor| (900 + wave(i + 40 * motor, 100.0, 200.0) + i32::from(rate(9.0, 2.0, 14))) as u16),
        }
    };
    (0..FRAMES).map(frame).collect()
}

/// Encodes frames in turn. Returns the bytes, each frame of which is in the encoder's buffer for `look`.
#[inline(always)]
fn encode(frames: &[MainFrame], records: usize, mut look: impl FnMut(usize, &[u8])) -> usize {
    let mut encoder = Encoder::<FlightLog>::new();
    let mut total = 0;
    for (i, frame) in frames.iter().cycle().take(records).enumerate() {
        if i % frames.len() == 0 {
            // The C code doesn't look for gaps, and the iterations begin again.
            encoder = Encoder::new();
        }
        let bytes = encoder.encode(frame).unwrap_or(&[]);
        look(i, bytes);
        total += bytes.len();
    }
    total
}

/// Encodes frames in turn. Returns the bytes.
#[inline(never)]
pub fn ours(frames: &[MainFrame], _: &mut [u8], records: usize) -> usize {
    encode(frames, records, |_, bytes| {
        black_box(bytes);
    })
}

/// A log of one session with `count` main frames, and where each begins.
pub fn long_log(count: usize) -> (Vec<u8>, Vec<usize>) {
    let mut encoder = Encoder::<FlightLog>::new();
    let mut log = FlightLog::HEADER.as_bytes().to_vec();
    let mut starts = Vec::with_capacity(count);
    for (i, frame) in frames().iter().cycle().take(count).enumerate() {
        let (iteration, time) = (i as u32, 5_000_000 + 125 * i as u32);
        let frame = MainFrame { loop_iteration: iteration, time, ..*frame };
        starts.push(log.len());
        log.extend_from_slice(encoder.encode(&frame).unwrap_or(&[]));
    }
    (log, starts)
}

/// Every frame as a row. The sum depends on all values.
pub fn rows(log: &[u8]) -> u64 {
    let mut sum = 0_u64;
    for session in BlackboxLog::from_bytes(log).sessions() {
        let mut frames = session.frames();
        while let Some(item) = frames.next() {
            if let Item::Frame(frame) = item {
                sum = frame.values().iter().fold(sum, |sum, &value| sum.wrapping_add(value.into()));
            }
        }
    }
    sum
}

/// Every main frame as a struct.
pub fn structs<F: BlackboxFrame>(log: &[u8]) -> u64 {
    let mut sum = 0_u64;
    for session in BlackboxLog::from_bytes(log).sessions() {
        let Ok(frames) = session.typed::<F>() else { continue };
        for item in frames {
            if let Ok(Item::Frame(main)) = item {
                // Its bytes in memory, as numbers of 16 bits, depend on all values.
                let (numbers, _) = main.frame.wire().as_chunks();
                sum = numbers.iter().fold(sum, |sum, bytes| sum.wrapping_add(u16::from_le_bytes(*bytes).into()));
            }
        }
    }
    sum
}

unsafe extern "C" {
    fn c_blackbox(frames: *const MainFrame, count: usize, out: *mut u8, records: usize, i_interval: u32) -> usize;
}

/// The same by C.
pub fn theirs(frames: &[MainFrame], out: &mut [u8], records: usize) -> usize {
    // The C code doesn't know the buffer's end: 64 frames of at most 35 fields of 5 bytes.
    assert!(out.len() >= 64 * 176 && !frames.is_empty());
    // SAFETY: `MainFrame` is packed as `struct main_frame` is, and there are `frames.len()` of them. The function
    // writes at most 64 frames before it starts at the buffer's beginning again, for which the buffer has room.
    unsafe { c_blackbox(frames.as_ptr(), frames.len(), out.as_mut_ptr(), records, I_INTERVAL) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_and_c_write_the_same_frames() {
        let frames = frames();
        let (mut ours_out, mut theirs_out) = (vec![0; 64 * 256], vec![0; 64 * 256]);
        for records in (64..FRAMES).step_by(64) {
            let mut at = 0;
            let total = encode(&frames, records, |i, bytes| {
                at = if i % 64 == 0 { 0 } else { at };
                ours_out[at..at + bytes.len()].copy_from_slice(bytes);
                at += bytes.len();
            });
            assert_eq!(total, theirs(&frames, &mut theirs_out, records));
            assert_eq!(ours_out, theirs_out, "{records}");
        }
    }
}

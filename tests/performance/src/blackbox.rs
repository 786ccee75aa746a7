//! Blackbox frames to bytes, in binlog and in C.

use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema, Encoder};
use std::hint::black_box;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A usual main frame of Betaflight 4, as in `c/blackbox.c`.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C, packed)]
pub struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten, prefix = "axis")]
    pid: Pid,
    rc_command: [i16; 4],
    setpoint: [i16; 4],
    vbat_latest: u16,
    amperage_latest: i16,
    baro_alt: i32,
    rssi: u16,
    gyro_adc: [i16; 3],
    acc_smooth: [i16; 3],
    motor: [u16; 4],
}

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Pid {
    p: [i16; 3],
    #[blackbox(p(encoding = tag2_3s32))]
    i: [i16; 3],
    d: [i16; 2],
    f: [i16; 3],
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 256)]
#[blackbox(header("looptime" = "125", "acc_1G" = "2048", "vbatref" = "1600", "motorOutput" = "158,2047"))]
enum FlightLog {
    Main(MainFrame),
}

/// As of the schema.
const I_INTERVAL: u32 = 256;

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

unsafe extern "C" {
    fn c_blackbox(frames: *const MainFrame, count: usize, out: *mut u8, records: usize, i_interval: u32) -> usize;
}

/// The same by C.
pub fn theirs(frames: &[MainFrame], out: &mut [u8], records: usize) -> usize {
    // The C code doesn't know the buffer's end: 64 frames of at most 35 fields of 5 bytes.
    assert!(out.len() >= 64 * 176 && !frames.is_empty());
    // SAFETY: `MainFrame` is packed as `struct main_frame` is, and there are `frames.len()` of them. The function writes
    // at most 64 frames before it starts at the buffer's beginning again, for which the buffer has room.
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

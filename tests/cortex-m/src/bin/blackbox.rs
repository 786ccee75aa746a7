//! Counts the instructions of a call that logs a main frame of Blackbox, and of encoding one, for
//! tests/cortex-m/instructions.

#![no_std]
#![no_main]

#[path = "../measure.rs"]
mod measure;

use binlog::blackbox::{BlackboxFrame, BlackboxSchema, Encoder};
use binlog_cortex_m::{clock, frame as encoded};
use binlog_embedded::{Drain, Logger};
use core::hint::black_box;
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use lm3s6965::semihosting::{exit, println, unhandled};
use measure::{Aligned, Void, Work, check_clock, measure};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// 34 fields of Betaflight's.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(name = "axisP")]
    axis_p: [i16; 3],
    #[blackbox(name = "axisI")]
    axis_i: [i16; 3],
    #[blackbox(name = "axisD")]
    axis_d: [i16; 2],
    #[blackbox(name = "axisF")]
    axis_f: [i16; 3],
    rc_command: [i16; 4],
    setpoint: [i16; 4],
    vbat_latest: u16,
    amperage_latest: i16,
    rssi: u16,
    #[blackbox(name = "gyroADC")]
    gyro: [i16; 3],
    acc_smooth: [i16; 3],
    motor: [u16; 4],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "acc_1G" = "2048", "vbatref" = "1680"))]
#[blackbox(header("minthrottle" = "1070", "motorOutput" = "158,2047"))]
enum FlightLog {
    Main(MainFrame),
}

const CAPACITY: usize = 8192;

static LOG: Logger<FlightLog, CAPACITY> = Logger::new();

unsafe extern "C" {
    fn c_frame_72(record: *const u8, length: u32) -> i32;
    fn c_drain_frames();
    fn c_blackbox(
        frames: *const encoded::MainFrame,
        count: usize,
        out: *mut u8,
        records: usize,
        i_interval: u32,
    ) -> usize;
}

/// # Safety
///
/// `frame` points to one.
unsafe extern "C" fn log(frame: *const MainFrame, _length: u32) -> i32 {
    // SAFETY: the caller's.
    LOG.log(unsafe { &*frame }).into()
}

fn drain(drain: &mut Drain<'_, FlightLog, CAPACITY>) {
    while drain.step(&mut Void).expect("it takes all") > 0 {}
}

fn frame(i: usize) -> MainFrame {
    let number = |field: usize| (i * 31 + field * 7) as i16;
    MainFrame {
        loop_iteration: i as u32,
        time: 125 * i as u32,
        axis_p: [number(0), number(1), number(2)],
        axis_i: [number(3), number(4), number(5)],
        axis_d: [number(6), number(7)],
        axis_f: [number(8), number(9), number(10)],
        rc_command: [number(11), number(12), number(13), number(14)],
        setpoint: [number(15), number(16), number(17), number(18)],
        vbat_latest: 1600,
        amperage_latest: number(19),
        rssi: 900,
        gyro: [number(20), number(21), number(22)],
        acc_smooth: [number(23), number(24), number(25)],
        motor: [1100, 1200, 1300, 1400],
    }
}

/// Frames that are encoded.
const FRAMES: usize = 128;

/// A flight with noise, of waves without floating point.
fn flight() -> [encoded::MainFrame; FRAMES] {
    let mut state = 1_u32;
    // Noise of -size to size, by a linear congruence.
    let mut noise = |size: i32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as i32 % (2 * size + 1) - size
    };
    let wave = |i: usize, period: usize, height: i32| {
        let phase = (i % period * 4 * height as usize / period) as i32;
        if phase < 2 * height { phase - height } else { 3 * height - phase }
    };
    core::array::from_fn(|i| {
        let mut rate = |period, height, size| (wave(i, period, height) + noise(size)) as i16;
        let gyro_adc = [rate(380, 200, 12), rate(440, 150, 12), rate(1260, 40, 6)];
        encoded::MainFrame {
            loop_iteration: i as u32,
            time: 5_000_000 + 125 * i as u32 + u32::from(i % 5 == 0),
            pid: encoded::Pid {
                p: gyro_adc.map(|rate| rate / 2),
                i: [rate(5600, 60, 0), rate(4400, 50, 0), rate(5000, 90, 1)],
                d: [rate(190, 40, 20), rate(210, 40, 20)],
                f: [rate(3100, 4, 0), rate(3800, 4, 0), 0],
            },
            rc_command: [300, 200, 1, 400].map(|height| wave(i / 32 * 32, 5600, height) as i16),
            setpoint: [200, 150, 10, 300].map(|height| wave(i / 32 * 32, 5000, height) as i16),
            vbat_latest: 1590 - (i / 90) as u16,
            amperage_latest: wave(i / 40, 57, 1000) as i16,
            baro_alt: (i / 20) as i32,
            rssi: 1000 + (i / 30 % 3) as u16,
            gyro_adc,
            acc_smooth: [rate(1900, 100, 9), rate(1950, 100, 9), rate(2000, 100, 9)],
            motor: [0, 1, 2, 3]
                .map(|motor| (900 + wave(i + 250 * motor, 630, 200) + i32::from(rate(57, 2, 14))) as u16),
        }
    })
}

/// Prints the instructions that a frame takes to be encoded, by binlog and by C, one I frame among them.
#[inline(never)]
fn measure_encoding() {
    let frames = black_box(flight());
    let mut encoder = Encoder::<encoded::FlightLog>::new();
    let from = clock::now();
    let mut ours = 0;
    for frame in &frames {
        ours += black_box(encoder.encode(frame).unwrap_or(&[])).len();
    }
    let between = clock::between(from, clock::now());
    print_mean("encode", between);

    // The C code doesn't know the buffer's end: 64 frames of at most 35 fields of 5 bytes.
    let mut out = [0; 64 * 176];
    let from = clock::now();
    // SAFETY: `MainFrame` is packed as `struct main_frame` is, and there are as many as it says. The function writes at
    // most 64 of them into `out` before it begins again at the start.
    let theirs =
        unsafe { c_blackbox(frames.as_ptr(), FRAMES, black_box(out.as_mut_ptr()), FRAMES, encoded::I_INTERVAL) };
    let between = clock::between(from, clock::now());
    print_mean("encode-c", between);
    assert_eq!(ours, theirs, "both write the same");
}

fn print_mean(name: &str, instructions: u32) {
    let hundredths = instructions * 100 / FRAMES as u32;
    println!("{name} {}.{:02}", hundredths / 100, hundredths % 100);
}

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    clock::start(&mut peripherals.SYST);
    check_clock();

    let frames = core::array::from_fn::<_, 16, _>(|i| Aligned(frame(i)));
    let ours: unsafe extern "C" fn(*const MainFrame, u32) -> i32 = log;
    // SAFETY: pointers to a frame and to a byte are passed alike, and `measure` passes frames.
    let ours: Work = unsafe { core::mem::transmute(ours) };
    let mut out = LOG.drain().expect("the only drain");
    LOG.start(|| 0);
    measure("main", ours, &frames, 72, 1, || drain(&mut out));
    // SAFETY: no other context is at what these functions share.
    measure("main-c-constant", c_frame_72, &frames, 72, 1, || unsafe { c_drain_frames() });
    measure_encoding();
    exit(0)
}

//! Counts the instructions of a call that logs a main frame of Blackbox, for tests/cortex-m/instructions.

#![no_std]
#![no_main]

#[path = "../measure.rs"]
mod measure;

use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use binlog_cortex_m::clock;
use binlog_embedded::{Drain, Logger};
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use lm3s6965::semihosting::{exit, unhandled};
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
    exit(0)
}

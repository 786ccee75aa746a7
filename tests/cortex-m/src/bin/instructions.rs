//! Counts the instructions of a call that logs a message, for tests/cortex-m/instructions.

#![no_std]
#![no_main]

#[path = "../measure.rs"]
mod measure;

use binlog::field::{Centi, Chars};
use binlog::{LogMessage, LogSchema, Logs};
use binlog_cortex_m::clock;
use binlog_cortex_m::messages::{Attitude, ControlTuning};
use binlog_embedded::{Drain, Logger};
use cortex_m::Peripherals;
use cortex_m_rt::{entry, exception};
use lm3s6965::semihosting::{exit, unhandled};
use measure::{Aligned, Void, Work, check_clock, measure};
use zerocopy::{Immutable, IntoBytes};

#[exception]
unsafe fn DefaultHandler(number: i16) {
    unhandled(number)
}

/// As long as ATT, and logged once a second.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RARE")]
#[repr(C, packed)]
struct Rare {
    time_us: u64,
    text: Chars<16>,
    number: u8,
}

#[derive(LogSchema)]
enum TargetLog {
    Att(Attitude),
    Ctun(ControlTuning),
    #[log(rate = 1)]
    Rare(Rare),
}

const CAPACITY: usize = 4096;

static LOG: Logger<TargetLog, CAPACITY> = Logger::new();

mod c {
    unsafe extern "C" {
        pub(crate) fn c_constant_28(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_constant_51(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_length(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_like_ap(record: *const u8, length: u32) -> i32;
        pub(crate) fn c_drain();
        pub(crate) fn c_drain_like_ap();
    }
}

/// # Safety
///
/// `message` points to an `M`.
unsafe extern "C" fn log<M: LogMessage>(message: *const M, _length: u32) -> i32
where
    TargetLog: Logs<M>,
{
    // SAFETY: the caller's.
    LOG.log(unsafe { &*message }).into()
}

/// `log` for messages of one type.
fn ours<M: LogMessage>() -> Work
where
    TargetLog: Logs<M>,
{
    let ours: unsafe extern "C" fn(*const M, u32) -> i32 = log::<M>;
    // SAFETY: pointers to an `M` and to a byte are passed alike. `measure` passes those that the work takes.
    unsafe { core::mem::transmute(ours) }
}

fn drain(drain: &mut Drain<'_, TargetLog, CAPACITY>) {
    while drain.step(&mut Void).expect("it takes all") > 0 {}
}

/// Records as C has them: after a header.
#[repr(C, packed)]
struct WithHeader<M> {
    header: [u8; 3],
    message: M,
}

fn attitude(i: usize) -> Attitude {
    let number = |column: usize| (i * 31 + column * 7) as i16;
    Attitude {
        time_us: 2500 * i as u64,
        des_roll: Centi::from_raw(number(0)),
        roll: Centi::from_raw(number(1)),
        des_pitch: Centi::from_raw(number(2)),
        pitch: Centi::from_raw(number(3)),
        des_yaw: Centi::from_raw(number(4) as u16),
        yaw: Centi::from_raw(number(5) as u16),
        error_roll_pitch: Centi::from_raw(number(6) as u16),
        error_yaw: Centi::from_raw(number(7) as u16),
        active_ekf: number(8) as u8,
    }
}

fn control_tuning(i: usize) -> ControlTuning {
    // Bits in place of floating point, which M0 and M3 don't have.
    let number = |column: usize| f32::from_bits((i * 31 + column * 7) as u32);
    ControlTuning {
        time_us: 2500 * i as u64,
        throttle_in: number(0),
        angle_boost: number(1),
        throttle_out: number(2),
        throttle_hover: number(3),
        desired_alt: number(4),
        alt: number(5),
        baro_alt: number(6),
        desired_rangefinder_alt: Centi::from_raw(i as i16),
        rangefinder_alt: Centi::from_raw(!i as i16),
        terrain_alt: number(7),
        target_climb_rate: 3 * i as i16,
        climb_rate: -3 * i as i16,
    }
}

#[entry]
fn main() -> ! {
    let mut peripherals = Peripherals::take().expect("taken once");
    clock::start(&mut peripherals.SYST);
    check_clock();

    let attitudes = Aligned(core::array::from_fn::<_, 16, _>(|i| Aligned(attitude(i)))).0;
    let tunings = core::array::from_fn::<_, 16, _>(|i| Aligned(control_tuning(i)));
    let c_attitudes =
        core::array::from_fn::<_, 16, _>(|i| Aligned(WithHeader { header: [0xA3, 0x95, 1], message: attitude(i) }));
    let c_tunings = core::array::from_fn::<_, 16, _>(|i| {
        Aligned(WithHeader { header: [0xA3, 0x95, 2], message: control_tuning(i) })
    });
    // Not due again within a second, which these times never reach.
    let rare = core::array::from_fn::<_, 16, _>(|i| {
        Aligned(Rare { time_us: 1_000_000 + i as u64, text: Chars::cut("rare"), number: 1 })
    });

    let mut out = LOG.drain().expect("the only drain");
    measure("att-before-start", ours::<Attitude>(), &attitudes, 28, 0, || {});
    LOG.start(|| 0);
    // A CTUN between the batches, so that ATT, of seven words, stands at all alignments, as in a log of many messages.
    measure("att", ours::<Attitude>(), &attitudes, 28, 1, || {
        // SAFETY: it is a CTUN.
        unsafe { log(&raw const tunings[0].0, 51) };
        drain(&mut out);
    });
    measure("ctun", ours::<ControlTuning>(), &tunings, 51, 1, || drain(&mut out));
    LOG.set_masked::<Attitude>(true);
    measure("att-masked", ours::<Attitude>(), &attitudes, 28, 0, || {});
    LOG.set_masked::<Attitude>(false);
    while LOG.log(&attitudes[0].0) {}
    measure("att-full", ours::<Attitude>(), &attitudes, 28, 0, || {});
    drain(&mut out);
    assert!(LOG.log(&rare[0].0), "the first record is due");
    assert!(LOG.log(&rare[0].0), "the next one may come a period early");
    measure("rare-early", ours::<Rare>(), &rare, 28, 0, || {});
    drain(&mut out);

    // SAFETY: the record is as long as that. No other context is at what these functions share.
    let c_drain = || unsafe {
        c::c_length((&raw const c_tunings[0]).cast(), 51);
        c::c_drain();
    };
    // SAFETY: as above.
    let c_drain_like_ap = || unsafe {
        c::c_like_ap((&raw const c_tunings[0]).cast(), 51);
        c::c_drain_like_ap();
    };
    measure("att-c-constant", c::c_constant_28, &c_attitudes, 28, 1, c_drain);
    measure("att-c-length", c::c_length, &c_attitudes, 28, 1, c_drain);
    measure("att-c-like-ap", c::c_like_ap, &c_attitudes, 28, 1, c_drain_like_ap);
    measure("ctun-c-constant", c::c_constant_51, &c_tunings, 51, 1, c_drain);
    measure("ctun-c-length", c::c_length, &c_tunings, 51, 1, c_drain);
    measure("ctun-c-like-ap", c::c_like_ap, &c_tunings, 51, 1, c_drain_like_ap);
    exit(0)
}
